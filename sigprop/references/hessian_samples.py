"""Derivatives of one sample's loss by complex numbers, by differences and contours.

Wirtinger derivatives are read off real differences, or off a circle round the point;
no formula of the paper is used.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-117.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from mpmath import mpc, mpf

from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision
from sigprop.references.hessian_engine import (
    DIGITS,
    STEP,
    autocovariance,
    mixed_difference,
    wirtinger,
)


def wirtinger_second(
    function: Callable[..., Any], first: complex, second: complex
) -> np.ndarray:
    """Second Wirtinger derivatives of a real function of two complex numbers.

    Rows ``lambda_i, conj_i``; columns ``lambda_j, conj_j``; by finite differences.
    """

    def shifted(shift: list[Any]) -> Any:
        return function(
            mpc(first) + mpc(shift[0], shift[1]), mpc(second) + mpc(shift[2], shift[3])
        )

    with mpmath.workdps(DIGITS):
        real = [
            [float(mixed_difference(shifted, p, q)) for q in (2, 3)] for p in (0, 1)
        ]
    return wirtinger(np.array(real))


def _sample_output(eigenvalues: Sequence[Any], at: dict[str, Any]) -> Any:
    """``Re[sum c_i h_i]`` after the sequence ``x``, by the recurrence."""
    total = mpf(0)
    for unit, lam in zip("ij", eigenvalues, strict=True):
        h = mpc(0)
        for x in at["x"]:
            h = lam * h + mpc(at[f"b_{unit}"]) * mpf(x)
        total += (mpc(at[f"c_{unit}"]) * h).real
    return total


def _sample_loss(at: dict[str, Any]) -> Callable[..., Any]:
    return lambda *lam: (_sample_output(lam, at) - mpf(at["target"])) ** 2 / 2


def sample_gradient(**at: Any) -> complex:
    """``dL_t/dlambda_i`` of one sequence, by differences: Wirtinger's."""
    first, second = mpc(at["lambda_i"]), mpc(at["lambda_j"])
    of = _sample_loss(at)
    with mpmath.workdps(DIGITS):
        by_re, by_im = (
            (of(first + d * STEP, second) - of(first - d * STEP, second)) / (2 * STEP)
            for d in (mpc(1), mpc(0, 1))
        )
        return complex((by_re - mpc(0, 1) * by_im) / 2)


def sample_conjugate_gradient(**at: Any) -> complex:
    """``dL_t/dconj(lambda_i)`` of one sequence, by a contour (see ``contour``)."""
    second = mpc(at["lambda_j"])
    of = _sample_loss(at)
    return contour(lambda z: of(z, second), complex(at["lambda_i"]), -1)


def sample_second(**at: Any) -> complex:
    """``d^2 L_t / dlambda_i dlambda_j`` of one sequence; of ``single``, twice by i."""
    of = _sample_loss(at)
    if at.get("single"):
        return _sample_own_second(of, mpc(at["lambda_i"]), mpc(at["lambda_j"]))
    return wirtinger_second(of, at["lambda_i"], at["lambda_j"])[0, 0]


def _sample_own_second(of: Callable[..., Any], lam: Any, other: Any) -> complex:
    def shifted(shift: list[Any]) -> Any:
        return of(lam + mpc(shift[0], shift[1]), other)

    with mpmath.workdps(DIGITS):
        real = [
            [float(mixed_difference(shifted, p, q)) for q in (0, 1)] for p in (0, 1)
        ]
    return wirtinger(np.array(real))[0, 0]


def contour(function: Callable[..., Any], at: complex, order: int) -> complex:
    """First Wirtinger derivative as a Fourier coefficient on a small circle.

    ``f(z + e u) = f + e (f_z u + f_conj / u) + ...`` with ``|u| = 1``: ``order`` 1 gives
    ``f_z``, -1 gives ``f_conj``, without a real derivative.
    """
    with mpmath.workdps(DIGITS):
        turns = [mpmath.expjpi(mpf(k) / 4) for k in range(8)]
        values = [function(mpc(at) + STEP * turn) * turn ** (-order) for turn in turns]
        return complex(sum(values) / (8 * STEP))


def _cubic(p: Any, m: Any, k: Any, n: Any) -> Callable[[Any], Any]:
    def function(z: Any) -> Any:
        turned = z.conjugate()
        return p * z**2 * turned + m * z + k * turned + n * z * turned

    return function


def contour_plain(z: complex, p: Any, m: Any, k: Any, n: Any, **_: Any) -> complex:
    """``df/dz`` of ``p z^2 conj(z) + m z + k conj(z) + n |z|^2`` by a contour."""
    return contour(_cubic(p, m, k, n), z, 1)


def contour_conjugate(z: complex, p: Any, m: Any, k: Any, n: Any, **_: Any) -> complex:
    """``df/dconj(z)`` of ``p z^2 conj(z) + m z + k conj(z) + n |z|^2`` by a contour."""
    return contour(_cubic(p, m, k, n), z, -1)


def _real_polynomial(first: Any, second: Any) -> Any:
    """A real function of two complex numbers, of no symmetry."""
    inner = first**2 * second + (2 - 1j) * first - 1j * second**2
    return abs(inner) ** 2


def real_function_second(lambda_i: complex, lambda_j: complex, **_: Any) -> np.ndarray:
    """All second Wirtinger derivatives of ``|i^2 j + (2-i) i - i j^2|^2``."""
    return wirtinger_second(_real_polynomial, lambda_i, lambda_j)


def real_function_entry(row: int, column: int) -> Callable[..., complex]:
    """One entry of ``real_function_second`` as a routine of a point."""
    return lambda **at: complex(real_function_second(**at)[row, column])


real_function_unmixed = real_function_entry(0, 0)
real_function_mixed = real_function_entry(0, 1)


def state_by_powers(
    lambda_i: complex, b_i: complex, x: Sequence[float], **_: Any
) -> complex:
    """``sum b lambda**n x_{-n}``, newest input first."""
    return sum(b_i * lambda_i**n * value for n, value in enumerate(reversed(x)))


def state_by_scan(
    lambda_i: complex, b_i: complex, x: Sequence[float], **_: Any
) -> complex:
    """The last state of the package's recurrence."""
    with double_precision(True):
        inputs = b_i * jnp.asarray(x)[:, None]
        return complex(linear_recurrence(jnp.asarray([lambda_i]), inputs)[-1, 0])


def two_units(skip: float = 0.0, **at: Any) -> ComplexDiagonal:
    """The layer of a point's two units."""

    def parts(name: str) -> tuple[jax.Array, jax.Array]:
        values = [complex(at[f"{name}_{unit}"]) for unit in "ij"]
        return (
            jnp.asarray([value.real for value in values]),
            jnp.asarray([value.imag for value in values]),
        )

    b_re, b_im = parts("b")
    c_re, c_im = parts("c")
    return ComplexDiagonal(
        b_re[:, None],
        b_im[:, None],
        c_re[None],
        c_im[None],
        jnp.asarray([skip]),
        *parts("lambda"),
        "cartesian",
    )


def output_by_layer(**at: Any) -> float:
    """The layer's last output, with a skip of 0.6."""
    with double_precision(True):
        layer, inputs = two_units(0.6, **at), jnp.asarray(at["x"])[:, None]
        return float(_respond(layer, inputs)[-1])


def output_by_powers(**at: Any) -> float:
    """The last output as a sum over ages, with a skip of 0.6."""
    states = (
        at[f"c_{k}"] * state_by_powers(at[f"lambda_{k}"], at[f"b_{k}"], at["x"])
        for k in "ij"
    )
    return sum(complex(term).real for term in states) + 0.6 * at["x"][-1]


def _moved(at: dict[str, Any], first: Any, second: Any) -> Any:
    """``L_t`` where ``lambda_i``, or the readout, moves in two directions."""
    if at.get("readout"):
        moved = {**at, "c_i": mpc(at["c_i"]) + first + second}
        return _sample_loss(moved)(mpc(at["lambda_i"]), mpc(at["lambda_j"]))
    shift = first * mpc(at["u"]) + second * mpc(at["v"])
    return _sample_loss(at)(mpc(at["lambda_i"]) + shift, mpc(at["lambda_j"]))


def sample_directions(**at: Any) -> float:
    """``d^2 L_t / dp dq`` of one sequence, by differences; ``lambda_i + p u + q v``."""
    with mpmath.workdps(DIGITS):
        found = mixed_difference(lambda s: _moved(at, s[0], s[1]), 0, 1)
        return float(found)


def sample_directions_by_matrices(**at: Any) -> float:
    """``d^2 L_t / dp dq`` of one sequence, with nilpotent matrices for the two shifts.

    ``P^2 = Q^2 = 0`` and ``PQ = QP``, so the entry at ``PQ`` is the mixed derivative.
    """
    step, unit = np.eye(2, k=1), np.eye(2)
    move = at["u"] * np.kron(step, unit) + at["v"] * np.kron(unit, step)
    total = np.zeros((4, 4))
    for name, moved in (("i", move), ("j", 0 * move)):
        h = np.zeros((4, 4), complex)
        for x in at["x"]:
            h = (at[f"lambda_{name}"] * np.eye(4) + moved) @ h + at[f"b_{name}"] * (
                x * np.eye(4)
            )
        total = total + (at[f"c_{name}"] * h).real
    error = total - at["target"] * np.eye(4)
    return float((error @ error)[0, 3] / 2)


@eqx.filter_jit
def _respond(layer: ComplexDiagonal, inputs: jax.Array) -> jax.Array:
    return layer.read(layer.states(inputs), inputs)[:, 0]


def layer_block(**at: Any) -> np.ndarray:
    """Real Hessian of unit i's (re, im) and j's from the layer's impulse response.

    The layer's own parameters go round a small circle; the first Fourier coefficients of
    its response are the derivatives, and the double sum of their products the Hessian.
    """
    steps, turns, radius = 128, 8, 4e-3
    impulse = np.zeros((steps, 1))
    impulse[0] = 1
    angles = 2 * np.pi * np.arange(turns) / turns
    waves = np.stack([np.cos(angles), np.sin(angles)]) * 2 / (turns * radius)
    slopes = []
    with double_precision(True):
        layer, inputs = two_units(**at), jnp.asarray(impulse)
        for unit in np.eye(2):
            responses = [
                _respond(
                    dataclasses.replace(
                        layer,
                        first=layer.first + radius * np.cos(angle) * unit,
                        second=layer.second + radius * np.sin(angle) * unit,
                    ),
                    inputs,
                )
                for angle in angles
            ]
            slopes.append(waves @ np.array(responses))
    covariance = autocovariance(
        at.get("a", 0.0), at.get("b", 1.0), at.get("rho", 0.0), steps
    )
    return slopes[0] @ covariance @ slopes[1].T


def output_curvature(scale: float, y: float, target: float) -> float:
    """Second derivative of ``scale (y - target)^2`` by ``y``, by differences."""
    with mpmath.workdps(DIGITS):

        def moved(shift: list[Any]) -> Any:
            return mpf(scale) * (mpf(y) + shift[0] - mpf(target)) ** 2

        return float(mixed_difference(moved, 0, 0))


def output_curvature_by_parabola(scale: float, y: float, target: float) -> float:
    """Second derivative of ``scale (y - target)^2`` by ``y``, by a parabola.

    Twice the leading coefficient of the parabola through three points.
    """
    places = y + np.array([-1.0, 0.0, 1.0])
    return float(2 * np.polyfit(places, scale * (places - target) ** 2, 2)[0])


def state_jacobian(**at: Any) -> np.ndarray:
    """Derivatives of the last states (columns) by the eigenvalues, by contours."""
    found = np.zeros((2, 2), complex)
    for row, moved in enumerate("ij"):
        for column, unit in enumerate("ij"):

            def state(z: Any, moved: str = moved, unit: str = unit) -> Any:
                lam = z if moved == unit else mpc(at[f"lambda_{unit}"])
                h = mpc(0)
                for x in at["x"]:
                    h = lam * h + mpc(at[f"b_{unit}"]) * mpf(x)
                return h

            found[row, column] = contour(state, complex(at[f"lambda_{moved}"]), 1)
    return found


def state_jacobian_by_powers(**at: Any) -> np.ndarray:
    """Derivatives of the last states: ``sum n lambda**(n-1) b x_{-n}`` of each unit."""
    ages = range(1, len(at["x"]))
    newest_first = at["x"][::-1]
    own = [
        sum(
            at[f"b_{unit}"] * n * at[f"lambda_{unit}"] ** (n - 1) * newest_first[n]
            for n in ages
        )
        for unit in "ij"
    ]
    return np.diag(own)


def _eigenvalue_of(first: Any, second: Any) -> Any:
    zero = jnp.zeros((1, 1))
    skip = jnp.zeros(1)
    layer = ComplexDiagonal(zero, zero, zero, zero, skip, first, second, "cartesian")
    return layer.eigenvalues()


def layer_eigenvalue(re_i: float, im_i: float) -> complex:
    """The layer's eigenvalue at its two parameters."""
    with double_precision(True):
        return complex(_eigenvalue_of(jnp.asarray([re_i]), jnp.asarray([im_i]))[0])


def layer_slopes(lam: complex) -> list[complex]:
    """Derivatives of the layer's eigenvalue by its parameters, through the layer."""
    with double_precision(True):
        at = (jnp.asarray([lam.real]), jnp.asarray([lam.imag]))
        by_re, by_im = jax.jacfwd(_eigenvalue_of, (0, 1))(*at)
        first, second = complex(by_re[0, 0]), complex(by_im[0, 0])
        return [first, second, second.conjugate()]
