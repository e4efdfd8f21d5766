"""Discretised oscillators and stiff modes: energy, invariants, frequencies.

Notation: ``A``  squared frequency;  ``G``  friction;  ``step``  step size;  ``z``, ``y``
velocity and position;  ``zeta``, ``omega``  decay and frequency of a continuous mode.

Source: own; the rules are of LinOSS (Rusch & Rus 2025), with and without friction, and of S5.
"""

from functools import cache
from typing import Any

from sympy import (
    Matrix,
    Symbol,
    expand,
    simplify,
    solve,
    sqrt,
    symbols,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import A, explicit_phase, step
from sigprop.theory.symbols import T

G = Symbol("G", positive=True)
zeta, omega = symbols("zeta omega", positive=True)
y, z = symbols("y z", real=True)


def _covariance(matrix: Any, force: Any) -> Any:
    """The covariance of velocity and position that a step under white forces keeps."""
    zz, zy, yy = symbols("zz zy yy")
    covariance = Matrix([[zz, zy], [zy, yy]])
    balance = matrix * covariance * matrix.T + force * force.T - covariance
    [found] = solve(list(balance), [zz, zy, yy], dict=True)
    return covariance.subs(found)


def _with_friction() -> tuple[Any, Any]:
    """Matrix and force of a step whose new velocity feels its own friction."""
    lost = 1 + step * G
    velocity = Matrix([[1 / lost, -step * A / lost]])
    position = Matrix([[0, 1]]) + step * velocity
    return velocity.col_join(position), Matrix([step / lost, step**2 / lost])


@cache
def implicit_energy() -> Derivation:
    """Derive ``E (z^2 + A y^2)`` of the implicit step, for white forces of variance one."""
    energy = Symbol("energy")
    [fixed] = solve(energy * (1 + step**2 * A) - energy - step**2, energy)
    return start("A step adds step^2, then divides by 1 + step^2 A", fixed)


@cache
def implicit_position() -> Derivation:
    """Derive ``E y^2`` of the implicit step, for white forces of variance one."""
    inverse = Matrix([[1, step * A], [-step, 1]]).inv()
    position = _covariance(inverse, inverse * Matrix([step, 0]))[1, 1]
    return start("The covariance that a step keeps", position.factor())


@cache
def friction_modulus() -> Derivation:
    """Derive ``|lam|^2`` of a conjugate pair of the implicit-explicit step with friction."""
    matrix, _ = _with_friction()
    return start(
        "The determinant of a conjugate pair", matrix.det().simplify(), r"|\lambda|^2"
    )


@cache
def friction_position() -> Derivation:
    """Derive ``E y^2`` of the implicit-explicit step with friction, for white forces."""
    position = _covariance(*_with_friction())[1, 1]
    return start(
        "The covariance that a step keeps", position.factor(), r"\mathbb{E} y^2"
    ).then(
        "Of positive terms",
        step * (2 + step * G) / (A * G * (4 + 2 * step * G - step**2 * A)),
    )


@cache
def invariant() -> Derivation:
    """Derive the invariant of the implicit-explicit step without a force."""
    velocity = z - step * A * y
    position = y + step * velocity
    after = velocity**2 + A * position**2 - step * A * velocity * position
    return start("After a step", expand(after), r"z'^2 + A y'^2 - \Delta A z' y'").then(
        "As before it", z**2 + A * y**2 - step * A * z * y
    )


@cache
def growth() -> Derivation:
    """Derive the mean invariant after ``T`` steps from rest, for white forces."""
    form = invariant().result
    kick = form.subs({z: step, y: step**2}, simultaneous=True)
    return start("One kick adds", simplify(kick), "Q_1").then("T of them", T * step**2)


@cache
def explicit_position() -> Derivation:
    """Derive the limit of ``E y_T^2 / T`` for the implicit-explicit step and white forces.

    After a kick of invariant ``q``, the mean of ``y^2`` over the following steps is that over
    an ellipse: ``q/2`` times the entry of ``y`` in the inverse of its matrix.
    """
    matrix: Any = Matrix([[1, -step * A / 2], [-step * A / 2, A]])
    return start(
        "Half of the inverse matrix times the growth of Q",
        (step**2 * matrix.inv()[1, 1] / 2).factor(),
        r"\lim_{T \to \infty} \frac{\mathbb{E} y_T^2}{T}",
    ).then("By step^2 A", step**2 / (2 * A * (1 - step**2 * A / 4)))


@cache
def implicit_frequency() -> Derivation:
    """Derive the tangent of the rotation angle of the implicit step."""
    inverse = Matrix([[1, step * A], [-step, 1]]).inv()
    half: Any = inverse.trace() / 2
    squared: Any = inverse.det() / half**2 - 1
    return start("Imaginary over real part", sqrt(squared.simplify()))


@cache
def explicit_frequency() -> Derivation:
    """Derive the sine of half the rotation angle of the implicit-explicit step."""
    cosine = explicit_phase().result
    return start(
        "Half of one less the cosine, and its root",
        sqrt((1 - cosine) / 2),
        r"\sin \frac{\theta}{2}",
    ).then("We cancel", step * sqrt(A) / 2)


@cache
def bilinear_loss() -> Derivation:
    """Derive ``1 - |lam|^2`` of the bilinear rule at ``-zeta + i omega``."""
    above = (2 - zeta * step) ** 2 + (omega * step) ** 2
    below = (2 + zeta * step) ** 2 + (omega * step) ** 2
    return start(
        "The moduli of 2 + s step over 2 - s step",
        1 - above / below,
        r"1 - |\lambda|^2",
    ).then("Over one denominator", 8 * zeta * step / below)
