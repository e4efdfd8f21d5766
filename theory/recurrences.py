"""Derivations of what Zucchet & Orvieto's main text and Appendix A say of one neuron.

Notation: ``nu0``  the inner radius;  ``time``  the
``T`` of the Chrono initialisation;  ``eta``  a learning rate;  ``curvature``  a second
derivative;  ``star``  the teacher's eigenvalue.

Source: Zucchet & Orvieto (2024), Sections 2-4 and Appendix A.
"""

from functools import cache

from sympy import (
    Expr,
    Symbol,
    cos,
    diff,
    exp,
    expand,
    factor,
    limit,
    log,
    simplify,
    sinh,
    solve,
    sqrt,
    summation,
    symbols,
)

from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import is_zero
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import T, lam, lam_bar, n, r, rho, theta

real = Symbol("x", real=True)  # an eigenvalue, real
nu0 = Symbol("nu_0", nonnegative=True)
time = Symbol("t", positive=True)
star = Symbol("star", real=True)
eta = Symbol("eta", positive=True)
curvature = Symbol("ell", positive=True)
step = Symbol("dt", positive=True)
rate = Symbol("a")  # of the differential equation, below zero


@cache
def real_moment(quantity: str, source: str = "exponential") -> Expr:
    """A second moment at a real eigenvalue, in ``lam``.

    Example:
        >>> real_moment("state", "white")
        -1/((lambda - 1)*(lambda + 1))
    """
    return factor(diagonal.moment(quantity, source).result.subs(lam_bar, lam))


@cache
def at_the_edge(quantity: str, power: int, edge: int = 1) -> Derivation:
    """The limit of ``(1 - lam^2)^power`` times a moment as ``lam`` goes to ``edge``."""
    scaled = factor((1 - lam**2) ** power * real_moment(quantity))
    return start("Multiply the moment by the rate of its divergence:", scaled).then(
        f"As the eigenvalue goes to {edge}, this tends to",
        factor(limit(scaled, lam, edge)),
    )


def edge_of(quantity: str, rho_at: int) -> Expr:
    """The limit at ``lam -> 1`` of the moment itself under input ``rho_at^t``."""
    return limit(real_moment(quantity).subs(rho, rho_at), lam, 1)


def states_explode() -> bool:
    """``E[h^2]`` grows as ``1/gap`` for ``|rho| < 1``; not at all if ``lam rho -> -1``."""
    scaled = at_the_edge("state", 1).result
    return is_zero(scaled - (1 + rho) / (1 - rho)) and edge_of("state", -1).is_finite


def sensitivities_explode() -> bool:
    """``E[(dh/dlam)^2]`` grows as ``1/gap^3``, by two powers more than the state."""
    scaled = at_the_edge("sensitivity", 3).result
    flat = edge_of("sensitivity", -1)
    return is_zero(scaled - 2 * (1 + rho) / (1 - rho)) and flat.is_finite


def sensitivity_over_state() -> Derivation:
    """``E[(dh/dlam)^2] / E[h^2]`` at a real eigenvalue and white input."""
    ratio = real_moment("sensitivity", "white") / real_moment("state", "white")
    return start("the ratio of the two moments under white input", factor(ratio))


def two_passes_outgrow_one() -> bool:
    """``(E|h|^2)^2 <= R(0) E|dh/dlam|^2`` under any spectrum, by Cauchy and Schwarz.

    A line of power ``p`` leaves the filter with ``p g``, and with ``p g^2`` after two
    passes.  The difference of both sides is a sum of squares over pairs of lines, so
    that three lines show what any number has.
    """
    power, gain = symbols("p_0:3", positive=True), symbols("g_0:3", positive=True)
    lines, pairs = range(3), ((0, 1), (0, 2), (1, 2))
    once = sum(power[i] * gain[i] for i in lines)
    twice = sum(power[i] * gain[i] ** 2 for i in lines)
    squares = sum(power[i] * power[j] * (gain[i] - gain[j]) ** 2 for i, j in pairs)
    return expand(sum(power) * twice - once**2 - squares) == 0


def normalised(quantity: str) -> Derivation:
    """A moment under ``gamma = sqrt(1 - lam^2)``, which is not differentiated."""
    scaled = (1 - lam**2) * real_moment(quantity)
    return start(
        "Multiply the moment by gamma^2:",
        factor(scaled),
        r"\gamma^2 \mathbb{E}|\mathrm{d}h/\mathrm{d}\lambda|^2",
    )


def normalised_white(quantity: str) -> Derivation:
    """Moment under ``gamma = sqrt(1 - lam^2)`` and white input."""
    proof = normalised(quantity)
    return proof.then("Under white input this is", factor(proof.result.subs(rho, 0)))


def correlation_sharpens() -> bool:
    """The sensitivity's moment grows with ``rho >= 0`` where ``0 < lam < 1``.

    It is a sum of ``R(Delta) = rho^Delta`` with positive weights.
    """
    return _is_positive(diagonal.functional("sensitivity").lag)


def _is_positive(form: Expr) -> bool:
    """Return True if SymPy knows a form to be positive at every real ``0 < lam < 1``."""
    up, down = symbols("u v", positive=True)
    inside = form.subs(dict.fromkeys((lam, lam_bar), up / (up + down)))
    return bool(factor(inside).is_positive)


def exponential_derivative() -> Derivation:
    """``dlam/dnu`` of ``lam = exp(-exp(nu))``, in ``lam``."""
    nu = Symbol("nu", real=True)
    derivative = diff(exp(-exp(nu)), nu)
    return start(
        "The derivative of the parametrisation is",
        derivative,
        r"\mathrm{d}\lambda/\mathrm{d}\nu",
    ).then(
        "In terms of the eigenvalue this is",
        derivative.subs(nu, log(-log(lam))).simplify(),
        r"\mathrm{d}\lambda/\mathrm{d}\omega",
    )


def sigmoid_derivative() -> Derivation:
    """``dlam/db`` of ``lam = 1/(1 + exp(-b))``, in ``lam``."""
    b = Symbol("b", real=True)
    derivative = diff(1 / (1 + exp(-b)), b)
    written = derivative.subs(exp(-b), 1 / lam - 1)
    return start(
        "The derivative of the sigmoid is",
        derivative,
        r"\mathrm{d}\lambda/\mathrm{d}\omega",
    ).then(
        "In terms of the eigenvalue this is",
        factor(simplify(written)),
        r"\mathrm{d}\lambda/\mathrm{d}\omega",
    )


def controlled() -> Derivation:
    """Figure 2B: normalised and reparametrised sensitivity, any ``rho``."""
    derivative, moment = (
        exponential_derivative().result,
        normalised("sensitivity").result,
    )
    return start(
        "The derivative of the parametrisation is",
        derivative,
        r"\mathrm{d}\lambda/\mathrm{d}\nu",
    ).then(
        "Multiply the square of this derivative by the normalised moment:",
        derivative**2 * moment,
        r"\mathbb{E}[(\mathrm{d}_\nu h)^2]",
    )


def controlled_limit() -> Derivation:
    """Figure 2B at the edge, white input."""
    white = controlled().result.subs(rho, 0)
    return controlled().then(
        "Under white input, for |lambda| -> 1, this tends to", limit(white, lam, 1)
    )


def controlled_is_bounded() -> bool:
    """Figure 2B under white input is at most a half, as ``sinh(x) >= x``.

    With ``lam = exp(-x)`` it is ``(x/sinh(x))^2 (1 + exp(-2x))/4``.
    """
    x = Symbol("x", positive=True)
    white = controlled().result.subs(rho, 0).subs(lam, exp(-x))
    below = (x / sinh(x)) ** 2 * (1 + exp(-2 * x)) / 4
    derivative = diff(
        sinh(x) - x, x
    )  # not negative, and the difference is zero at zero
    equal = simplify((white / below).rewrite(exp)) == 1
    return equal and is_zero((derivative - 2 * sinh(x / 2) ** 2).rewrite(exp))


def sigmoid_controlled() -> Derivation:
    """Sensitivity under ``gamma = sqrt(1 - lam^2)`` and the sigmoid, white input."""
    derivative = sigmoid_derivative().result
    white = normalised("sensitivity").result.subs(rho, 0)
    return sigmoid_derivative().then(
        "Multiply the square of this derivative by the moment:",
        factor(derivative**2 * white),
    )


def coupled_state() -> Derivation:
    """``E[h^2]`` of ``h <- lam h + (1 - lam) x``, the gate of a GRU held constant."""
    return start("the coupled gate's gain", (1 - lam) ** 2).then(
        "Multiply the square of this derivative by the moment:",
        factor((1 - lam) ** 2 * real_moment("state")),
    )


def coupled_gate_is_bounded() -> bool:
    """``E[h^2] <= R(0)`` of a coupled gate, as ``R(Delta) <= R(0)`` at every lag.

    All weights of lags are positive where ``0 < lam < 1``, and they sum to one.
    """
    weights = diagonal.functional("state")
    positive = _is_positive(weights.zero) and _is_positive(weights.lag)
    return positive and is_zero(coupled_state().result.subs(rho, 1) - 1)


def optimal_derivative() -> Derivation:
    """Derive ``dlam/dnu`` with unit sensitivity for white input, ``gamma`` as above."""
    white = normalised("sensitivity").result.subs(rho, 0)
    return start("gamma^2 (dlam/dnu)^2 E[(dh/dlam)^2] = 1 gives", 1 / white).then(
        "The square root is", sqrt(factor(1 / white))
    )


def polar_sensitivity() -> Derivation:
    """``gamma^2 E|dh/dtheta|^2`` under white input: ``|i lam|^2`` times the moment."""
    moment = diagonal.moment("sensitivity", "white").result.subs(lam_bar, r**2 / lam)
    return start(
        "As dh/dtheta = i lam dh/dlam, the moment is",
        r**2 * factor(moment),
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\theta|^2",
    ).then("Multiply by gamma^2 = 1 - r^2:", factor((1 - r**2) * r**2 * moment))


def orthogonal_products_are_orthogonal() -> bool:
    """``(A B)' (A B) = 1`` of orthogonal ``A`` and ``B``: so any power's norm is one."""
    A, A_T, B, B_T = symbols("A A' B B'", commutative=False)
    return (B_T * A_T * A * B).subs(A_T * A, 1).subs(B_T * B, 1) == 1


def remembered() -> Derivation:
    """Sensitivity of ``T`` steps to a phase on the unit circle, white input."""
    total = factor(summation(n**2, (n, 0, T - 1)))
    return start(
        "Sum the squares of the lags:",
        total,
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\lambda|^2",
    )


def chrono_gate(shift: int = 0) -> Derivation:
    """``sigmoid(log(t - shift))``: the gate that a Chrono bias gives at zero input."""
    return start(
        "The sigmoid of the bias is", 1 / (1 + exp(-log(time - shift))), "f"
    ).then("Simplify the logarithm:", factor((time - shift) / (time - shift + 1)), "f")


def chrono_at(times: int, shift: int = 0) -> Derivation:
    """The gate at ``T = times / (1 - nu0)``."""
    gate = chrono_gate(shift)
    return gate.then(
        "At the characteristic time this is",
        factor(gate.result.subs(time, times / (1 - nu0))),
    )


def euler_gain() -> Derivation:
    """``E[h^2]`` under white input of Euler's scheme, ``lam = 1 + dt a``, gain ``dt``."""
    white = real_moment("state", "white").subs(lam, 1 + step * rate)
    return start(
        "Multiply the moment by gain^2:", factor(step**2 * white), r"\mathbb{E}|h|^2"
    )


def steepest_descent() -> Derivation:
    """The largest stable rate: where ``1 - eta curvature`` reaches minus one."""
    (rate_,) = solve(1 - eta * curvature + 1, eta)
    return start(
        "One step of gradient descent multiplies the error by",
        1 - eta * curvature,
        "e_{k+1}/e_k",
    ).then("This factor is -1 at", rate_)


def white_curvature() -> Derivation:
    """``d2L/dlam2`` at ``lam = star`` of the loss under white input, on the real axis."""
    loss = (1 / (1 - lam**2) + 1 / (1 - star**2) - 2 / (1 - lam * star)) / 2
    return start("On the real axis the loss of Eq. 91 is", loss, "L").then(
        "The second derivative at the teacher is",
        factor(simplify(diff(loss, lam, 2).subs(lam, star))),
    )


def circle_curvature() -> Derivation:
    """``d2L/dtheta2`` at ``lam = star`` of the loss under white input, on its circle."""
    loss = circle_loss()
    return start("On the circle of the teacher the loss is", loss, "L").then(
        "The second derivative at the teacher is",
        factor(simplify(diff(loss, theta, 2).subs(theta, 0))),
    )


def circle_loss() -> Expr:
    """Loss under white input, student ``r exp(i theta)`` and teacher ``r``."""
    apart = 1 - 2 * r**2 * cos(theta) + r**4
    return 1 / (1 - r**2) - (1 - r**2 * cos(theta)) / apart


def circle_derivative() -> Derivation:
    """``dL/dtheta`` on the circle of the teacher."""
    return start("On the circle of the teacher the loss is", circle_loss(), "L").then(
        "The derivative with respect to the phase is",
        factor(simplify(diff(circle_loss(), theta))),
    )


def circle_is_flat() -> bool:
    """Prove that the derivative vanishes with the gap at any phase but the teacher's."""
    return simplify(circle_derivative().result.subs(r, 1)) == 0


def controlled_magnitude() -> Derivation:
    """Figure 2B's form at the modulus of a complex eigenvalue, white input."""
    moment = diagonal.moment("sensitivity", "white").result.subs(lam_bar, r**2 / lam)
    derivative = exponential_derivative().result.subs(lam, r)
    return start(
        "The factor |dlam/dnu|^2 is (r log r)^2:",
        derivative**2,
        r"|\mathrm{d}\lambda/\mathrm{d}\nu|^2",
    ).then(
        "Multiply by the normalised moment:",
        derivative**2 * factor((1 - r**2) * moment),
    )


def exponential_moment(quantity: str) -> Derivation:
    """A moment at a real eigenvalue under ``R = rho^|lag|``."""
    return start(
        "At a real eigenvalue this is",
        real_moment(quantity),
        diagonal.MOMENTS[quantity],
    )


def constant_moment(quantity: str) -> Derivation:
    """A moment at a real eigenvalue under constant input."""
    return start(
        "At a real eigenvalue this is",
        real_moment(quantity, "constant"),
        diagonal.MOMENTS[quantity],
    )


def white_loss() -> Derivation:
    """Expected loss under white input of a complex student and a real teacher."""
    cross = 1 / (1 - lam * star) + 1 / (1 - lam_bar * star)
    squares = 1 / (1 - lam * lam_bar) + 1 / (1 - star**2)
    return start(
        "Sum |lam^n - star^n|^2 / 2 as geometric series:", (squares - cross) / 2, "L_t"
    )
