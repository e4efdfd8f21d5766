"""Optimal parametrisations: coordinates in which the state has unit sensitivity.

The recurrence is ``h_t = lam h_{t-1} + gamma x_t`` with ``lam = nu exp(i theta)``.  A parameter
``omega`` is optimal if ``E|dh/domega|^2 = 1`` for all its values, so that ``domega`` is the
length ``sqrt(E|gamma dh/dlam|^2) |dlam|``.  Here a *metric* is the square of ``domega/dnu`` or
``domega/dtheta``, and a *coordinate* is the integral of its square root.  A negative eigenvalue
is equivalent to a positive eigenvalue with inputs of opposite ``rho``.

Source: Zucchet & Orvieto (2024), Section 3.1 and Appendices B.3 and C.1.2.
"""

from functools import cache
from typing import Any

from sympy import (
    Add,
    Expr,
    Poly,
    Rational,
    Symbol,
    apart,
    asin,
    asinh,
    atanh,
    cancel,
    cos,
    diff,
    elliptic_e,
    elliptic_f,
    elliptic_pi,
    expand,
    factor,
    integrate,
    linsolve,
    log,
    prod,
    simplify,
    solve,
    sqrt,
    symbols,
    symmetrize,
    tan,
    together,
)

from sigprop.theory import diagonal, teacher_student
from sigprop.theory.autocorrelation import lemma_1
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import alpha, beta, lam, lam_bar, rho, theta
from sigprop.theory.teacher_student import nu, omega

NEAR_ZERO = Rational(1, 10)
GAINS = ("none", "white", "matched", "loss")
"""Factors on the inputs.  ``none`` is one; ``white`` is ``sqrt(1 - nu^2)`` and ``matched`` is
``E[h^2]^{-1/2}``, both without their derivative.  ``loss`` is ``E[h^2]^{-1/2}`` with its
derivative, as in the loss of two normalised units."""

size = Symbol("varrho", positive=True)  # |rho|
t = Symbol("t", positive=True)  # substitution that simplifies an integrand
s = Symbol("s")  # its square


@cache
def potential(source: str) -> Derivation:
    """Derive ``d/dalpha d/dbeta log E[h conj(g)]`` for the states of two units.

    At ``alpha = lam`` and ``beta`` its conjugate, it is the squared change of the state's
    direction.

    Example:
        >>> potential("white").result
        (alpha*beta - 1)**(-2)
    """
    shared = lemma_1().on(source)
    return start("Lemma 1 gives E[h conj(g)] for two units:", factor(shared)).then(
        "its logarithm by both eigenvalues",
        factor(diff(log(factor(shared)), alpha, beta)),
    )


def regular_part(source: str) -> tuple[Expr, Expr]:
    """Return the terms of derivatives of ``log E[h conj(g)]`` that correlations add.

    The derivatives are ``d/dalpha`` and ``d/dalpha d/dbeta``.  For white inputs, they are
    ``beta / (1 - alpha beta)`` and ``1 / (1 - alpha beta)^2``.
    """
    rest = log(factor(lemma_1().on(source) * (1 - alpha * beta)))
    return factor(diff(rest, alpha)), factor(diff(rest, alpha, beta))


def on_axis(expr: Expr) -> Expr:
    """Return a form of ``alpha, beta`` or ``lam, lam_bar`` at a real eigenvalue ``nu``."""
    return expr.subs(dict.fromkeys((lam, lam_bar, alpha, beta), nu))


@cache
def metric(gain: str, source: str = "exponential") -> Derivation:
    """Derive ``(domega/dnu)^2 = gamma^2 E[(dh/dlam)^2]`` at a real eigenvalue.

    For the gain ``loss`` it is the curvature of the loss of two normalised units at their
    optimum, Eq. 98 for any input.

    Raises:
        ValueError: If the gain is not one of ``GAINS``.

    Source: Zucchet & Orvieto (2024), Section 3.1 and Eq. 99.

    Example:
        >>> metric("loss", "white").result
        1/((nu - 1)**2*(nu + 1)**2)
    """
    if gain not in GAINS:
        raise ValueError(f"need a gain in {', '.join(GAINS)}, got {gain!r}")
    if gain == "loss":
        moved = potential(source)
        return moved.then("where both are equal", factor(on_axis(moved.result)))
    state, bare = (
        factor(on_axis(diagonal.moment(name, source).result))
        for name in diagonal.QUANTITIES
    )
    squares = {
        "none": 1,
        "white": teacher_student.gain(nu) ** 2,
        "matched": 1 / state,
    }
    return start("E[(dh/dlam)^2]", bare).then(
        "Multiply by the square of the gain:", factor(squares[gain] * bare)
    )


@cache
def angle_metric(gain: str, source: str = "exponential") -> Derivation:
    """Derive ``(domega/dtheta)^2 = nu^2 gamma^2 E|dh/dlam|^2`` at a given modulus.

    Raises:
        ValueError: If the gain is not ``none``, ``white`` or ``matched``.

    Source: Zucchet & Orvieto (2024), Eq. 83 without its factor of a quarter.
    """
    if gain not in GAINS[:3]:
        raise ValueError(f"need a gain in {', '.join(GAINS[:3])}, got {gain!r}")
    state, bare = (diagonal.moment(name, source).result for name in diagonal.QUANTITIES)
    squares = {"none": 1, "white": 1 - lam * lam_bar, "matched": 1 / state}
    whole = factor(lam * lam_bar * squares[gain] * bare)
    return start("nu^2 gamma^2 E|dh/dlam|^2", whole).then(
        "At lam = nu exp(i theta) this is", at_angle(whole)
    )


def at_angle(expr: Expr) -> Expr:
    """Return a symmetric form of ``lam`` and its conjugate in terms of ``nu`` and ``theta``."""
    values = 2 * nu * cos(theta), nu**2  # their sum and their product
    parts = []
    for part in together(expr).as_numer_denom():
        symmetric: Any = symmetrize(part, [lam, lam_bar], formal=True)
        form, rest, ((total, _), (product, _)) = symmetric
        assert rest == 0
        parts.append(form.subs({total: values[0], product: values[1]}))
    return factor(parts[0] / parts[1])


Substitution = tuple[Expr, Expr]
PLAIN: Substitution = (t, nu)
TANGENT: Substitution = (t / sqrt(1 - t**2), nu / sqrt(1 + nu**2))
DOPPLER: Substitution = ((t**2 - 1) / (t**2 + 1), sqrt((1 + nu) / (1 - nu)))
ELEMENTARY: dict[tuple[str, str], Substitution] = {
    ("white", "white"): TANGENT,
    ("matched", "white"): TANGENT,
    ("loss", "white"): PLAIN,
    ("none", "constant"): PLAIN,
    ("white", "constant"): DOPPLER,
    ("matched", "constant"): PLAIN,
}
"""Cases in which ``omega(nu)`` is elementary, with a substitution to a rational form."""


def positive_logarithms(expr: Expr) -> Expr:
    """Change signs in logarithms so that arguments are positive at ``t = 0``.

    This does not change the derivative.
    """
    return expr.replace(log, lambda x: log(x if x.subs(t, 0) > 0 else -x))


@cache
def coordinate(gain: str, source: str) -> Derivation:
    """Derive ``omega(nu)`` with ``omega(0) = 0``, in closed form.

    It is elementary for the pairs in ``ELEMENTARY``.  Legendre's integrals of modulus
    ``k^2 = -1`` give it for the gain ``none`` and white inputs, and for the gain ``loss`` and
    ``varrho = |rho|`` in (0, 1).

    Raises:
        ValueError: If no closed form is known. The other integrands have the square root of
            a quartic or a sextic with simple zeros.

    Example:
        >>> coordinate("loss", "white").result
        atanh(nu)
    """
    if (gain, source) in ELEMENTARY:
        return _elementary(gain, source)
    if (gain, source) == ("none", "white"):
        return _bare_white()
    if (gain, source) == ("loss", "exponential"):
        return _loss_correlated()
    raise ValueError(f"no closed form is known for {gain=}, {source=}")


FORMS: dict[tuple[str, str], Expr] = {
    ("white", "white"): sqrt(2) * atanh(sqrt(2) * nu / sqrt(1 + nu**2)) - asinh(nu),
    ("matched", "white"): sqrt(2) * atanh(sqrt(2) * nu / sqrt(1 + nu**2)) - asinh(nu),
    ("loss", "white"): atanh(nu),
    ("none", "constant"): nu / (1 - nu),
    ("white", "constant"): 2 * sqrt(1 + nu) / sqrt(1 - nu) - 2 - asin(nu),
    ("matched", "constant"): -log(1 - nu),
}


def rational_root(square: Expr) -> Expr:
    """Return the square root of a rational square, with the sign that is positive near zero."""
    powers = factor(square).as_powers_dict().items()
    root = prod(base ** (power / 2) for base, power in powers)
    sample = root.subs(dict.fromkeys(root.free_symbols, NEAR_ZERO))
    return root if sample > 0 else -root


def _elementary(gain: str, source: str) -> Derivation:
    change, back = ELEMENTARY[gain, source]
    square = metric(gain, source).result
    root = rational_root(simplify(square.subs(nu, change) * diff(change, t) ** 2))
    whole = positive_logarithms(integrate(apart(root, t), t)).subs(t, back)
    return (
        start("(domega/dnu)^2", square)
        .then(f"domega/dt, rational where nu = {change}", root)
        .then("integrated from nu = 0", whole - whole.subs(nu, 0))
        .then("In terms of inverse functions this is", FORMS[gain, source])
    )


def _bare_white() -> Derivation:
    """A boundary term and Legendre's integrals, with coefficients from the derivative."""
    square = metric("none", "white").result
    basis = (
        nu * sqrt(1 + nu**2) / sqrt(1 - nu**2),
        elliptic_e(asin(nu), -1),
        elliptic_f(asin(nu), -1),
    )
    unknown = symbols("c:3")
    common = sqrt(1 + nu**2) * sqrt(1 - nu**2)
    derivatives = (cancel(expand(diff(term, nu) * common)) for term in basis)
    derivative = sum(c * term for c, term in zip(unknown, derivatives, strict=True))
    root = (1 + nu**2) / (1 - nu**2)  # the root of the metric times the common root
    assert cancel(root**2 - square * common**2) == 0
    misfit = together(derivative - root).as_numer_denom()[0]
    (solution,) = linsolve(Poly(misfit, nu).coeffs(), *unknown)
    return start("(domega/dnu)^2", square).then(
        "integrated: the coefficients that give this derivative",
        sum(c * term for c, term in zip(solution, basis, strict=True)),
    )


def _loss_correlated() -> Derivation:
    """With ``t = sqrt(|rho|) nu`` the derivative is Legendre's, by partial fractions."""
    square = metric("loss", "exponential").result.subs(rho, size)
    rational = (1 - s**2) / ((1 - s / size) * (1 - size * s))
    scale = (1 - size**2) / size
    derivative = scale * rational.subs(s, t**2) ** 2 / (1 - t**4)
    assert cancel(derivative - square.subs(nu, t / sqrt(size)) / size) == 0
    fractions = apart(rational, s)
    phase = asin(sqrt(size) * nu)
    whole = sum(_legendre(term, phase) for term in Add.make_args(fractions))
    return (
        start("(domega/dnu)^2", square)
        .then("(domega/dt)^2 where t = sqrt(varrho) nu", derivative)
        .then("its root, without sqrt(1 - t^4), in partial fractions of t^2", fractions)
        .then("The integral is", sqrt(scale) * whole)
    )


def _legendre(fraction: Expr, phase: Expr) -> Expr:
    """The integral of ``fraction / sqrt(1 - t^4)`` to ``t = sin(phase)``."""
    if not fraction.has(s):
        return fraction * elliptic_f(phase, -1)
    (pole,) = solve(1 / fraction, s)
    return fraction.subs(s, 0) * elliptic_pi(1 / pole, phase, -1)


INVERTIBLE = (("loss", "white"), ("none", "constant"), ("matched", "constant"))


@cache
def path(gain: str, source: str) -> Derivation:
    """Derive ``nu(omega)``, the elementary inverse of an elementary coordinate.

    Raises:
        ValueError: If the pair is not in ``INVERTIBLE``.

    Example:
        >>> path("loss", "white").result
        tanh(omega)
    """
    if (gain, source) not in INVERTIBLE:
        raise ValueError(f"no elementary inverse is known for {gain=}, {source=}")
    along = coordinate(gain, source)
    (inverse,) = solve(along.result - omega, nu)
    return along.then("Solve for nu:", factor(inverse))


@cache
def angle_coordinate(gain: str, source: str) -> Derivation:
    """Derive ``omega(theta)`` at the modulus ``nu``, with ``omega(0) = 0``, ``|theta| < pi``.

    It is proportional to ``theta`` for white inputs.  For constant inputs, the state changes
    most at ``theta = 0``, and the range of ``omega`` is finite at any modulus.

    Raises:
        ValueError: If the input is neither white nor constant, or the gain is not ``none``,
            ``white`` or ``matched``.

    Source: under white inputs, Zucchet & Orvieto (2024), Eq. 107.
    """
    square = angle_metric(gain, source).result
    first = start("(domega/dtheta)^2", square)
    if source == "white":
        return first.then("does not depend on theta", theta * sqrt(square))
    if source != "constant":
        raise ValueError(f"need white or constant inputs, got {source!r}")
    if gain == "matched":
        depth = -4 * nu / (1 - nu) ** 2
        whole = 2 * nu / (1 - nu) * elliptic_f(theta / 2, depth)
        return first.then("by cos(theta) = 1 - 2 sin(theta/2)^2, Legendre's", whole)
    if gain == "white":
        bare = angle_coordinate("none", source)
        return bare.then(
            "Multiply by the gain:", teacher_student.gain(nu) * bare.result
        )
    rational = square.subs(cos(theta), (1 - t**2) / (1 + t**2)) * 4 / (1 + t**2) ** 2
    root = rational_root(rational)
    whole = integrate(root, t).subs(t, tan(theta / 2))
    return first.then("domega/dt with t = tan(theta/2)", root).then(
        "The integral is", whole
    )


def radicand(gain: str) -> Poly:
    """Return the squarefree radicand of the square root of the metric, for any ``rho``.

    Raises:
        ValueError: If the gain is not one of ``GAINS``.
    """
    above, below = metric(gain, "exponential").result.as_numer_denom()
    odd = [
        base
        for base, power in factor(above * below).as_powers_dict().items()
        if power % 2
    ]
    return Poly(prod(odd), nu)
