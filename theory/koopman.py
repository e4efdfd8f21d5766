"""Koopman eigenfunctions of a quadratic map, and real forms of conjugate pairs.

Source: Orvieto et al. (2023), Appendices E.1.2 and E.3.
"""

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Function,
    I,
    Matrix,
    Symbol,
    expand,
    simplify,
    symbols,
)

from sigprop.theory.derivation import Derivation, start

a_1, a_2, coupling = symbols("a_1 a_2 coupling")  # the toy system below
x_1, x_2 = symbols("x_1 x_2")
first, second = symbols("first second")  # weights of two observables
re_lam, im_lam, re_mu, im_mu = symbols("re_lam im_lam re_mu im_mu", real=True)
steps = Symbol("steps", integer=True, nonnegative=True)


def toy_map(x: Matrix) -> Matrix:
    """Return ``(a_1 x_1, a_2 x_2 + coupling x_1^2)``, a map with three eigenfunctions."""
    return Matrix([a_1 * x[0], a_2 * x[1] + coupling * x[0] ** 2])


def eigenfunctions(x: Matrix) -> Matrix:
    """Return the Koopman eigenfunctions of the toy map.

    They are ``x_1``, ``x_1^2`` and ``x_2 - coupling / (a_1^2 - a_2) x_1^2``, with the
    eigenvalues ``a_1``, ``a_1^2`` and ``a_2``.
    """
    return Matrix([x[0], x[0] ** 2, x[1] - coupling / (a_1**2 - a_2) * x[0] ** 2])


def toy_eigenvalues() -> tuple[Expr, ...]:
    """Return the Koopman eigenvalues of the toy map."""
    return a_1, a_1**2, a_2


def eigenfunctions_are_right() -> bool:
    """Test that each eigenfunction of the toy map evolves by its eigenvalue."""
    x = Matrix([x_1, x_2])
    moved = eigenfunctions(toy_map(x))
    unmoved = eigenfunctions(x)
    pairs = zip(moved, unmoved, toy_eigenvalues(), strict=True)
    return all(simplify(new - value * old) == 0 for new, old, value in pairs)


def koopman_is_linear() -> bool:
    """Test that ``K(alpha f + beta g) = alpha K f + beta K g`` for any map."""
    f, g, S = Function("f"), Function("g"), Function("S")

    def advance(observable: Expr) -> Expr:
        return observable.subs(x_1, S(x_1))

    whole = advance(first * f(x_1) + second * g(x_1))
    return expand(whole - first * advance(f(x_1)) - second * advance(g(x_1))) == 0


@cache
def toy_orbit() -> Derivation:
    """Derive the second coordinate of the toy map after some steps, by eigenfunctions.

    Source: Orvieto et al. (2023), Eq. 22.
    """
    slow = coupling / (a_1**2 - a_2)
    _, square, rest = eigenfunctions(Matrix([x_1, x_2]))
    return start("In terms of eigenfunctions x_2 is", slow * square + rest, "x_2").then(
        "Multiply each eigenfunction by its eigenvalue:",
        slow * square * a_1 ** (2 * steps) + rest * a_2**steps,
    )


def orbit_is_right() -> bool:
    """Test that ``toy_orbit`` starts at ``x_2`` and obeys the map."""
    x = toy_orbit().result
    step = a_2 * x + coupling * (a_1**steps * x_1) ** 2 - x.subs(steps, steps + 1)
    return simplify(step) == 0 and simplify(x.subs(steps, 0) - x_2) == 0


def rotation_block() -> Matrix:
    """Return the block of ``A`` on ``[Re v, Im v]``, from the parts of ``A v = lam v``.

    Source: Orvieto et al. (2023), Appendix E.3.
    """
    parts = symbols("p q", real=True)
    image = expand((re_lam + I * im_lam) * (parts[0] + I * parts[1]))
    real = image.as_real_imag()
    return Matrix(2, 2, lambda i, j: expand(real[j]).coeff(parts[i]))


def block_multiplies_as_numbers() -> bool:
    """Test that a product of blocks is the block of the product of eigenvalues."""

    def block(value: tuple[Expr, Expr]) -> Matrix:
        names = dict(zip((re_lam, im_lam), value, strict=True))
        return rotation_block().subs(names, simultaneous=True)

    first, second = (re_lam, im_lam), (re_mu, im_mu)
    product = expand((first[0] + I * first[1]) * (second[0] + I * second[1]))
    return simplify(
        block(first) * block(second) - block(product.as_real_imag())
    ) == Matrix.zeros(2)


@cache
def toy_observable(count: int) -> Derivation:
    """Derive ``first x_1 + second x_2`` after ``count`` steps, by eigenfunctions.

    Source: Orvieto et al. (2023), Eq. 21.
    """
    weights = (first, second * coupling / (a_1**2 - a_2), second)
    functions = eigenfunctions(Matrix([x_1, x_2]))
    terms: list[Any] = list(zip(weights, functions[:], toy_eigenvalues(), strict=True))
    return start(
        "In terms of eigenfunctions this is", sum(w * f for w, f, _ in terms), "f(x)"
    ).then(
        "Multiply each eigenfunction by its eigenvalue:",
        sum(v**count * w * f for w, f, v in terms),
    )


def toy_observable_as_printed() -> Expr:
    """Return ``first x_1 + second x_2`` after a step as printed, by one eigenvalue."""
    return toy_eigenvalues()[0] * toy_observable(0).result


def conjugate_is_eigenvalue() -> bool:
    """Test that ``A v* = lam* v*`` for real ``A``, by the parts of ``A v = lam v``."""
    p, q = symbols("p q", real=True)
    image = expand((re_lam + I * im_lam) * (p + I * q)).as_real_imag()
    # A is real, so it acts on the parts of v by the parts of lam v.
    conjugated = image[0] - I * image[1]
    return expand(conjugated - (re_lam - I * im_lam) * (p - I * q)) == 0


def block_acts_on_parts() -> bool:
    """Test that ``[Re v, Im v]`` times the block is ``[Re lam v, Im lam v]``."""
    p, q = symbols("p q", real=True)
    image = expand((re_lam + I * im_lam) * (p + I * q)).as_real_imag()
    return (
        (Matrix([[p, q]]) * rotation_block() - Matrix([image])).expand().is_zero_matrix
    )
