"""Reparametrised and normalised eigenvalues: derivatives of the state by the parameters.

The recurrence is ``h_{t+1} = lam(omega) h_t + gamma x_{t+1}`` with ``lam = nu(omega) exp(i
theta(omega))``.  Derivatives ignore that ``gamma`` depends on ``lam``.  The state is
holomorphic in ``lam`` and ``omega`` is real, so that ``dh/domega = (dh/dlam) (dlam/domega)``.
A Wirtinger derivative by a complexified parameter would be half of this.

Source: Zucchet & Orvieto (2024), Appendix B.3, Eq. 76-84.
"""

from functools import cache

from sympy import (
    Expr,
    Function,
    I,
    Symbol,
    diff,
    exp,
    factor,
    limit,
    log,
    oo,
    simplify,
    sqrt,
    tanh,
)

from sigprop.theory import diagonal
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import lam, lam_bar, n, theta

omega = Symbol("omega", real=True)  # a real parameter
nu = Symbol("nu", positive=True)  # modulus of the eigenvalue
d_nu = Symbol("d_nu", real=True)  # derivative of the modulus by omega
d_theta = Symbol("d_theta", real=True)  # derivative of the phase by omega
d_lam = Symbol("d_lam")  # derivative of a real eigenvalue by omega
gamma = Symbol("gamma", positive=True)  # factor on the input
s = Symbol("s")  # dh/dlam
S = Symbol("S", positive=True)  # E|dh/dlam|^2


@cache
def input_kernel() -> Derivation:
    """Derive the weight in the normalised state of the input ``n`` steps ago.

    Source: Zucchet & Orvieto (2024), Eq. 77.
    """
    return start(
        "Every input is multiplied by gamma and then decays:",
        gamma * diagonal.state_kernel().result,
        r"\partial h_t/\partial x_{t-n}",
    )


@cache
def real_derivative() -> Derivation:
    """Derive the weight in ``dh/domega`` of the input ``n`` steps ago, at fixed ``gamma``.

    Source: Zucchet & Orvieto (2024), Eq. 79.
    """
    path = Function("lambda")(omega)
    moved = diff(gamma * path**n, omega)
    derivative = moved.subs(diff(path, omega), d_lam).subs(path, lam)
    return start(
        "The impulse response of the derivative along a path of eigenvalues is",
        moved,
        r"\mathrm{d}h_t/\mathrm{d}x_{t-n}\text{, along the path}",
    ).then("With d_lam for the derivative of the path this is", simplify(derivative))


@cache
def polar_derivative() -> Derivation:
    """Derive ``dh/domega`` for a polar eigenvalue and a real parameter.

    Source: Zucchet & Orvieto (2024), Eq. 80 with its error corrected.
    """
    modulus, phase = Function("nu")(omega), Function("theta")(omega)
    moved = diff(modulus * exp(I * phase), omega)
    derivative = moved.subs({diff(modulus, omega): d_nu, diff(phase, omega): d_theta})
    derivative = derivative.subs({modulus: nu, phase: theta})
    return (
        start("The eigenvalue is", modulus * exp(I * phase), r"\lambda")
        .then("The derivative is", derivative, r"\mathrm{d}\lambda/\mathrm{d}\omega")
        .then("Multiply by dh/dlam, because h is holomorphic in lam:", s * derivative)
    )


@cache
def polar_moment() -> Derivation:
    """Derive ``E|dh/domega|^2`` for a polar eigenvalue.

    Source: Zucchet & Orvieto (2024), Eq. 83 with its error corrected.
    """
    derivative = polar_derivative().steps[1].expr
    square = simplify((derivative * derivative.conjugate()).expand())
    return start(
        "The value of |dlam/domega|^2 is",
        square,
        r"|\mathrm{d}\lambda/\mathrm{d}\omega|^2",
    ).then("Multiply by the second moment of dh/dlam:", S * square)


@cache
def white_normaliser() -> Derivation:
    """Derive the ``gamma`` with ``E|h|^2 = 1`` under white noise, ``sqrt(1 - nu^2)``.

    Source: Zucchet & Orvieto (2024), before Eq. 84.
    """
    moment = on_circle(diagonal.moment("state", "white").result)
    return start("Without normalisation E|h|^2 is", moment, r"\mathbb{E}|h|^2").then(
        "The inverse of this moment is gamma^2:", sqrt(1 / moment)
    )


def on_circle(form: Expr) -> Expr:
    """Return a form that depends only on ``|lam|`` in terms of ``nu``."""
    return factor(form.subs({lam: nu, lam_bar: nu}))


@cache
def white_sensitivity() -> Derivation:
    """Derive ``E(nu) = gamma^2 E|dh/dlam|^2`` under white noise.

    Source: Zucchet & Orvieto (2024), Eq. 84.
    """
    moment = on_circle(diagonal.moment("sensitivity", "white").result)
    square = white_normaliser().result ** 2
    return start(
        "Without normalisation E|dh/dlam|^2 is",
        moment,
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\lambda|^2",
    ).then("Multiply by gamma^2, held fixed:", factor(square * moment))


@cache
def modulus_share() -> Derivation:
    """Derive ``(dnu/domega)^2 E(nu) = 1 + nu^2`` for ``nu = tanh(omega)``."""
    path = tanh(omega)
    derivative = diff(path, omega).subs(path, nu)
    return start(
        "The derivative of tanh is", derivative, r"\mathrm{d}\nu/\mathrm{d}\omega"
    ).then(
        "Multiply the square by E(nu):",
        factor(derivative**2 * white_sensitivity().result),
    )


@cache
def phase_share() -> Derivation:
    """Derive ``nu^2 (dtheta/domega)^2 E(nu)`` for ``theta = stop_gradient(1 - nu^2) omega``."""
    derivative = 1 - nu**2
    return start(
        "With the factor held fixed, the derivative of the phase is",
        derivative,
        r"\mathrm{d}\theta/\mathrm{d}\omega",
    ).then(
        "Multiply the square by nu^2 E(nu):",
        factor(nu**2 * derivative**2 * white_sensitivity().result),
    )


def phase_share_is_unbounded() -> bool:
    """Prove that the sensitivity to ``theta = omega`` diverges at ``nu = 1``.

    It vanishes at ``nu = 0``.
    """
    share = nu**2 * white_sensitivity().result
    return limit(share, nu, 1, "-") == oo and limit(share, nu, 0, "+") == 0


def no_path_has_that_phase() -> bool:
    """Prove that the phase of ``phase_share`` needs its stop-gradient.

    A function ``theta(omega_nu, omega_theta)`` with the derivatives zero and
    ``1 - nu(omega_nu)^2`` would have two different mixed derivatives.
    """
    mixed = diff(1 - tanh(omega) ** 2, omega)
    return simplify(mixed) != 0


def no_flat_coordinates() -> bool:
    """Prove that no coordinates make the white Hessian the identity everywhere.

    ``E(nu) |dlam|^2`` is a flat metric if and only if ``log E`` is harmonic in the disc.
    """
    height = log(white_sensitivity().result)
    laplacian = diff(nu * diff(height, nu), nu) / nu
    stated = 4 / (1 + nu**2) ** 2 + 8 / (1 - nu**2) ** 2
    return simplify(laplacian - stated) == 0
