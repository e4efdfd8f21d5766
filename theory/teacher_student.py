"""One linear unit that learns another: exact loss, derivatives and curvatures.

The student has the eigenvalue ``lam = nu exp(i theta)``.  The teacher has the eigenvalue ``mu =
nu_star exp(i theta_star)``, ``lam*`` in the papers.  Both have the same real stationary input.

Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1, Eq. 85-112.
"""

from functools import cache

from sympy import (
    Expr,
    I,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    diff,
    exp,
    expand,
    factor,
    pi,
    prod,
    simplify,
    sin,
    sinh,
    sqrt,
    tanh,
    together,
)

from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import lemma_1
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import alpha, beta, lam, lam_bar, rho, theta

mu = Symbol("mu")  # the teacher's eigenvalue, the paper's lambda^*
mu_bar = Symbol("mu_bar")  # its complex conjugate
nu = Symbol("nu", positive=True)  # the student's modulus
nu_star = Symbol("nu_star", positive=True)  # the teacher's modulus
theta_star = Symbol("theta_star", real=True)  # the teacher's angle
omega = Symbol("omega", real=True)  # a parameter of the modulus or of the angle
omega_star = Symbol("omega_star", real=True)  # its value at the teacher
omega_theta = Symbol("omega_theta", real=True)  # the parameter of the angle
omega_nu = Symbol("omega_nu", real=True)  # the parameter of the modulus
HALF = Rational(1, 2)

turn = theta - theta_star
overlap = nu * nu_star * cos(turn)


def gain(modulus: Expr) -> Expr:
    """Return ``gamma``, the normalisation of white inputs.

    Source: Zucchet & Orvieto (2024), Appendix C.1.2.
    """
    return sqrt(1 - modulus**2)


gain_lam, gain_mu = sqrt(1 - lam * lam_bar), sqrt(1 - mu * mu_bar)


def shared_moment(first: Expr, second: Expr, source: str) -> Expr:
    """Return ``E[h conj(g)]`` of two units with the same input, by Lemma 1."""
    pair = lemma_1().on(source)
    return factor(pair.subs({alpha: first, beta: second}, simultaneous=True))


@cache
def loss(source: str) -> Derivation:
    """Derive ``E|h - h*|^2 / 2`` from the four moments of two units.

    Conditions: ``|lam| < 1``, ``|mu| < 1``, stationary states.

    Source: Zucchet & Orvieto (2024), Eq. 87-91.
    """
    student, teacher, cross, twin = (
        shared_moment(first, second, source)
        for first, second in (
            (lam, lam_bar),
            (mu, mu_bar),
            (lam, mu_bar),
            (mu, lam_bar),
        )
    )
    return start(
        "Lemma 1 gives the student's second moment:", student, r"\mathbb{E}|h|^2"
    ).then(
        "Add the teacher's second moment, subtract twice the real part of their cross "
        "moment, and divide by 2:",
        (student + teacher - cross - twin) / 2,
    )


@cache
def normalised_loss() -> Derivation:
    """Derive the loss for white inputs, normalised by ``gamma`` in both units.

    Source: Zucchet & Orvieto (2024), Eq. 92-93.
    """
    student, teacher, cross, twin = (
        first_gain
        * second_gain
        * diagonal.conjugate_pair(lemma_1().on("white")).subs(
            {lam: first, lam_bar: second}, simultaneous=True
        )
        for first, second, first_gain, second_gain in (
            (lam, lam_bar, gain_lam, gain_lam),
            (mu, mu_bar, gain_mu, gain_mu),
            (lam, mu_bar, gain_lam, gain_mu),
            (mu, lam_bar, gain_mu, gain_lam),
        )
    )
    whole = (student + teacher - cross - twin) / 2
    return start("Multiply every moment by its two gains:", whole, "2L").then(
        "The second moments of the normalised states are 1, so this is",
        simplify(whole),
        "L_t",
    )


@cache
def polar_loss() -> Derivation:
    """Derive the normalised loss in terms of moduli and angles.

    Source: Zucchet & Orvieto (2024), Eq. 101.
    """
    shared = nu * nu_star * (cos(turn) - I * sin(turn))  # conj(lam) mu
    twin = nu * nu_star * (cos(turn) + I * sin(turn))
    weight = gain(nu) * gain(nu_star) / 2
    whole = 1 - weight * (1 / (1 - shared) + 1 / (1 - twin))
    real = 1 - 2 * weight * (1 - overlap) / (1 - 2 * overlap + (nu * nu_star) ** 2)
    assert vanishes(whole - real)
    return start("Eq. 93 in polar form is", whole).then(
        "With a real denominator this is", real
    )


def vanishes(expr: Expr) -> bool:
    """True if a rational function of the sine and cosine of ``theta - theta_star`` is zero.

    The tangent of the half angle makes it rational in one symbol.  The two gains are
    replaced by independent symbols.
    """
    angle, tangent = Symbol("phi", real=True), Symbol("t", real=True)
    turned = expr.subs(theta, angle + theta_star)
    rational = turned.subs(
        {
            cos(angle): (1 - tangent**2) / (1 + tangent**2),
            sin(angle): 2 * tangent / (1 + tangent**2),
        }
    )
    gains = {gain(modulus): Symbol(f"g_{modulus}") for modulus in (nu, nu_star)}
    return expand(together(rational.subs(gains)).as_numer_denom()[0]) == 0


def polar(*variables: Symbol) -> Expr:
    """Return a derivative of ``polar_loss`` by moduli and angles."""
    return diff(polar_loss().result, *variables)


def radial_loss() -> Derivation:
    """Derive the loss of a student with the teacher's angle.

    Source: Zucchet & Orvieto (2024), Eq. 94.
    """
    whole = polar_loss().result.subs(theta, theta_star)
    return start("Eq. 101 is", polar_loss().result, "L_t").then(
        "At the teacher's angle this is", simplify(whole)
    )


def at_teacher(expr: Expr) -> Expr:
    """Return a form at equal student and teacher."""
    return simplify(expr.subs(theta, theta_star).subs(nu_star, nu))


@cache
def radial_curvature() -> Derivation:
    """Derive ``d^2 L / d nu^2`` at equal student and teacher.

    Source: Zucchet & Orvieto (2024), Eq. 98.
    """
    derivative = diff(radial_loss().result, nu)
    second = diff(derivative, nu)
    return (
        start("Differentiate Eq. 94:", derivative, r"\mathrm{d}L_t/\mathrm{d}\nu")
        .then("Differentiate once more:", second, r"\mathrm{d}^2L_t/\mathrm{d}\nu^2")
        .then("At nu = nu* this is", factor(at_teacher(second)))
    )


@cache
def angular_curvature() -> Derivation:
    """Derive ``d^2 L / d theta^2`` at equal student and teacher.

    Source: Zucchet & Orvieto (2024), Eq. 105.
    """
    second = polar(theta, theta)
    return start(
        "Differentiate Eq. 101 twice:", second, r"\mathrm{d}^2L_t/\mathrm{d}\theta^2"
    ).then("At theta = theta* and nu = nu* this is", factor(at_teacher(second)))


def best_modulus() -> Expr:
    """Return ``nu = tanh(omega)``.

    Source: Zucchet & Orvieto (2024), Eq. 108.
    """
    return tanh(omega)


def granularity() -> Expr:
    """Return ``d theta / d omega`` of ``best_angle`` at a given modulus.

    Source: Zucchet & Orvieto (2024), Eq. 106.
    """
    return (1 - nu**2) / (nu * sqrt(1 + nu**2))


def best_angle() -> Expr:
    """Return ``theta = omega (1 - nu^2) / (nu sqrt(1 + nu^2))``.

    Source: Zucchet & Orvieto (2024), Eq. 107 and 109.
    """
    return omega * granularity()


def exponential_angle() -> Expr:
    """Return ``theta = exp(omega)``, the parametrisation of the LRU.

    Source: Zucchet & Orvieto (2024), Appendix C.1.3.
    """
    return exp(omega)


def plain_angle() -> Expr:
    """Return ``theta = omega``.

    Source: Zucchet & Orvieto (2024), Eq. 110.
    """
    return omega


@cache
def landscape_of_tanh() -> Derivation:
    """Derive the loss for ``nu = tanh(omega)``, which depends on ``omega - omega_star``."""
    substitutions = {nu: tanh(omega), nu_star: tanh(omega_star)}
    whole = radial_loss().result.subs(substitutions, simultaneous=True)
    return start("Eq. 94 with nu = tanh(omega)", whole).then(
        "by the addition theorem of the hyperbolic cosine",
        1 - 1 / cosh(omega - omega_star),
    )


@cache
def coupled_curvature() -> Derivation:
    """Derive ``d^2 L / d omega_nu^2`` if ``best_angle`` changes with the modulus.

    Source: ours; Appendix C.1.2 omits this term in its second remark.
    """
    moved = diff(granularity(), nu)
    rate = 1 - nu**2
    return start(
        "At optimality nu and theta do not couple. A change of nu changes theta by "
        "omega_theta times",
        moved,
        r"\mathrm{d}\theta/\mathrm{d}\nu \,/\, \omega_\theta",
    ).then(
        "So the two curvatures add up to",
        rate**2
        * (
            radial_curvature().result
            + (omega_theta * moved) ** 2 * angular_curvature().result
        ),
    )


@cache
def gaussian_curvature() -> Derivation:
    """Derive the Gaussian curvature of the surface whose metric is the Hessian at optimality.

    It is not zero, so that no parameters make the Hessian the identity everywhere.
    """
    arc = Symbol("s", positive=True)
    radius_of = sinh(arc) * sqrt(sinh(arc) ** 2 + cosh(arc) ** 2)
    bent = -diff(radius_of, arc, 2) / radius_of
    squared = nu**2 / (1 - nu**2)  # sinh^2 s where nu = tanh s
    flat = simplify(bent.rewrite(exp)).rewrite(cosh)
    plain = simplify(
        bent.subs({cosh(arc): sqrt(1 + squared), sinh(arc): sqrt(squared)})
    )
    return start("with nu = tanh(s) the metric is ds^2 + f(s)^2 dtheta^2", flat).then(
        "and its curvature is -f''/f", factor(plain)
    )


def half_depth() -> Expr:
    """Return the width, in radians, of the loss around the right angle at half its depth.

    Source: Eq. 101 at ``nu = nu*``; ours, for Fig. 6.
    """
    return pi - 4 * atan(nu**2)


def grouped_moment(first: Expr, second: Expr) -> Expr:
    """Return ``E[h conj(g)]`` for an exponential autocovariance, in the form of Eq. 48."""
    flat = (1 - rho * first) * (1 - rho * second)
    return (1 - rho**2 * first * second) / ((1 - first * second) * flat)


def grouped_loss() -> Expr:
    """Return the loss for any correlation of the input, from four moments.

    Source: the formula that Zucchet & Orvieto (2024), Appendix C.1.1, omits.
    """
    alike = grouped_moment(lam, lam_bar) + grouped_moment(mu, mu_bar)
    return (alike - grouped_moment(lam, mu_bar) - grouped_moment(mu, lam_bar)) / 2


@cache
def normalisation() -> Derivation:
    """Derive the gain for a unit second moment of the state under white noise.

    Source: Zucchet & Orvieto (2024), Appendix C.1.2.
    """
    moment = diagonal.moment("state", "white").result
    return start("The state's second moment is", moment, r"\mathbb{E}|h|^2").then(
        "The inverse square root is", sqrt(expand(1 / moment))
    )


def misfit() -> Expr:
    """Return the smallest loss of a normalised student with a teacher that is not."""
    return (1 / gain_mu - 1) ** 2 / 2


def distance_squared() -> Expr:
    """Return ``|1 - conj(lam) mu|^2`` as the product of its two complex factors."""
    inner = nu * nu_star
    factors = (1 - inner * (cos(turn) + sign * I * sin(turn)) for sign in (1, -1))
    return expand(prod(factors))


def coupled_printed() -> Expr:
    """Return ``coupled_curvature`` in closed form."""
    square = nu**2
    moved = (1 + 3 * square) ** 2 / (square * (1 + square) ** 2)
    return 1 + omega_theta**2 * moved


def period() -> Expr:
    """Return the distance in ``omega`` between two global minima, for ``best_angle``."""
    return 2 * pi / granularity()


def exponential_curvature() -> Expr:
    """Return the curvature by ``omega`` at optimality for ``theta = exp(omega)``."""
    return exp(2 * omega) * angular_curvature().result


def held_gain() -> Expr:
    """Return the ratio of Eq. 84, which ignores the gain's derivative, to Eq. 98."""
    sensitivity = diagonal.moment("sensitivity", "white").result
    fixed = (1 - nu**2) * sensitivity.subs({lam: nu, lam_bar: nu}, simultaneous=True)
    return factor(fixed / radial_curvature().result)


@cache
def plain_curvature(parameter: str) -> Derivation:
    """Derive the curvature by ``modulus`` or ``angle`` at the teacher, not normalised."""
    shared = nu * nu_star
    plain = (1 / (1 - nu**2) + 1 / (1 - nu_star**2)) / 2
    overlapping = (1 - overlap) / (1 - 2 * overlap + shared**2)
    whole = plain - overlapping
    variable = nu if parameter == "modulus" else theta
    return start("In terms of moduli and angles Eq. 91 is", whole, "L").then(
        f"The second derivative with respect to the {parameter}, at the teacher, is",
        factor(at_teacher(diff(whole, variable, 2))),
    )


@cache
def held_rate() -> Derivation:
    """Derive ``lam'(omega)`` for unit normalised sensitivity, real ``lam`` and any ``rho``.

    Source: Zucchet & Orvieto (2024), Section 3.1, the equation for ``lam'``.
    """
    state, sensitivity = (
        diagonal.moment(name, "exponential").result.subs(lam_bar, lam)
        for name in ("state", "sensitivity")
    )
    square = factor(state / sensitivity)
    return start("the square of the rate", square).then(
        "The square root is", sqrt(square)
    )
