"""Closed forms for the recurrences of layers of 2024-2026.

Notation: ``beta_1``, ``beta_2``  shares that two Householder steps remove along their keys;
``c``  squared cosine between the keys;  ``d``  number of entries of a key;  ``z``  argument of
a characteristic polynomial;  ``N``  number of channels;  ``v``  a raw parameter;  ``step``
step size;  ``A``  squared frequency, or the rate of a continuous state;  ``f_1``, ``f_2``
first and second moment of a forget gate;  ``s``  squared norm of a key.

Source: own; the recurrences are of DeltaProduct (arXiv 2502.10297), Mamba-3 (arXiv
2603.15569), StableSSM (arXiv 2311.14495), PoST (arXiv 2604.07658), LinOSS, HGRN2 and
Longhorn.
"""

from functools import cache

from sympy import (
    Matrix,
    Rational,
    Symbol,
    diff,
    exp,
    expand,
    factor,
    integrate,
    series,
    simplify,
    solve,
    sqrt,
    symbols,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import T, alpha, beta

beta_1, beta_2 = symbols("beta_1 beta_2", real=True)
c = Symbol("c", nonnegative=True)
z = Symbol("z")
d = Symbol("d", integer=True, positive=True)
gamma = Symbol("gamma", positive=True)
v = Symbol("v", positive=True)
N = Symbol("N", integer=True, positive=True)
x = Symbol("x", positive=True)
step, A = symbols("step A", positive=True)
f_1, f_2 = symbols("f_1 f_2", positive=True)
s = Symbol("s", positive=True)
rate = Symbol("rate", real=True)
weight = Symbol("weight", real=True)
x_0, x_1 = symbols("x_0 x_1", real=True)


@cache
def householder_pair() -> Derivation:
    """Derive the characteristic polynomial of two Householder steps, in their keys' plane.

    Directions orthogonal to both keys have the eigenvalue one.

    Example:
        >>> householder_pair().result.subs({beta_1: 2, beta_2: 2, c: 0}).factor()
        (z + 1)**2
    """
    eye = Matrix([[1, 0], [0, 1]])
    first, second = Matrix([1, 0]), Matrix([sqrt(c), sqrt(1 - c)])
    step = (eye - beta_1 * first * first.T) * (eye - beta_2 * second * second.T)
    polynomial = expand((z * eye - step).det())
    return start(
        "The first key is the first axis, the second has the cosine sqrt(c) to it",
        polynomial,
        r"\det(z - A)",
    ).then("We collect the powers of z", polynomial.collect(z))


@cache
def householder_mean() -> Derivation:
    """Derive the factor of ``E A`` for ``T`` steps with independent isotropic keys.

    ``E[key key^T]`` is ``I/d``, and the steps are independent.
    """
    return start(
        "One step takes beta/d of every direction in the mean", 1 - beta / d, "E A_1"
    ).then("T independent steps", (1 - beta / d) ** T)


@cache
def householder_energy() -> Derivation:
    """Derive the factor of ``E[A^T A]`` for ``T`` steps with independent isotropic keys.

    A step multiplies the component along its key by ``1 - beta``.
    """
    return start(
        "One step multiplies 1/d of the energy by (1 - beta)^2",
        expand(1 - 1 / d + (1 - beta) ** 2 / d),
        "E A_1^T A_1",
    ).then("T independent steps", (1 - (2 * beta - beta**2) / d) ** T)


@cache
def trapezoid() -> Derivation:
    """Derive ``E h^2`` of ``h_t = alpha h_{t-1} + beta x_{t-1} + gamma x_t``, white ``x``.

    Example:
        >>> trapezoid().result.subs({beta: 0, gamma: 1}).factor()
        -1/((alpha - 1)*(alpha + 1))
    """
    total = gamma**2 + (alpha * gamma + beta) ** 2 / (1 - alpha**2)
    return start(
        "The newest input enters with gamma, one n + 1 steps old with "
        "alpha^n (alpha gamma + beta)",
        total,
        r"\mathbb{E} h^2",
    ).then(
        "Over one denominator",
        (beta**2 + gamma**2 + 2 * alpha * beta * gamma) / (1 - alpha**2),
    )


@cache
def gradient_scale() -> Derivation:
    """Derive ``|f'| / (1 - f)^2`` of ``f(v) = 1 - 1/(v^2 + 1/2)``, for positive ``v``.

    Source: StableSSM (2024), the best reparametrisation in discrete time.
    """
    f = 1 - 1 / (v**2 + Rational(1, 2))
    return start("The slope", factor(diff(f, v)), "f'").then(
        "Over (1 - f)^2", simplify(diff(f, v) / (1 - f) ** 2)
    )


@cache
def least_gap() -> Derivation:
    """Derive the expected smallest distance between ``N`` uniform draws on [0, 1].

    All ``N - 1`` inner gaps are above ``x`` with probability ``(1 - (N - 1) x)^N``.
    """
    above = (1 - (N - 1) * x) ** N
    u = Symbol("u", positive=True)
    area = integrate(u**N, (u, 0, 1)) / (N - 1)
    return start("The probability that no gap is below x", above, "P").then(
        "Integrated over x from zero to 1/(N - 1)", simplify(area), r"\mathbb{E} g"
    )


@cache
def implicit_modulus() -> Derivation:
    """Derive ``|lam|^2`` of the implicit step of an oscillator ``z' = -A y, y' = z``.

    Example:
        >>> implicit_modulus().result.subs({step: 1, A: 1})
        1/2
    """
    inverse = Matrix([[1, step * A], [-step, 1]]).inv()
    return start(
        "The eigenvalues are a conjugate pair, so that |lam|^2 is the determinant",
        simplify(inverse.det()),
        r"|\lambda|^2",
    )


@cache
def explicit_phase() -> Derivation:
    """Derive ``Re lam`` of the implicit-explicit step, whose determinant is one."""
    forward = Matrix([[1, -step * A], [step, 1 - step**2 * A]])
    if simplify(forward.det()) != 1:
        raise AssertionError("the implicit-explicit step keeps areas")
    return start(
        "Half of the trace of a conjugate pair of modulus one",
        expand(forward.trace() / 2),
        r"\mathrm{Re}\, \lambda",
    )


@cache
def tied_gate() -> Derivation:
    """Derive the stationary ``E h^2`` of ``h_t = f_t h_{t-1} + (1 - f_t) x_t``, white ``x``."""
    entering = expand(1 - 2 * f_1 + f_2)
    return start(
        "An input enters with E(1 - f)^2", entering, r"\mathbb{E} (1-f)^2"
    ).then("And is multiplied by E f^2 in each later step", entering / (1 - f_2))


@cache
def implicit_delta() -> Derivation:
    """Derive the rate of the delta rule that minimises ``|S - S_0|^2 + beta |S k - v|^2``."""
    error = Symbol("error")  # S k - v over S_0 k - v
    [left] = solve((error - 1) / s + beta * error, error)
    return start(
        "The minimum leaves this share of the error along the key",
        factor(left),
        r"\frac{S k - v}{S_0 k - v}",
    ).then("The rate is what removes the rest", simplify((1 - left) / s))


@cache
def trapezoid_error() -> Derivation:
    """Derive the leading error of a trapezoidal step, divided by ``step^2``.

    The system is ``h' = rate h + x(t)`` with ``x(t) = x_0 + x_1 t``.  The new input has the
    weight ``weight``.
    """
    exact = integrate(
        expand(exp(rate * (step - x)) * (x_0 + x_1 * x)), (x, 0, step), conds="none"
    )
    approximate = step * (
        (1 - weight) * exp(rate * step) * x_0 + weight * (x_0 + x_1 * step)
    )
    leading = series(approximate - exact, step, 0, 3).removeO().coeff(step, 2)
    return start("The second order of the step's error", factor(leading))
