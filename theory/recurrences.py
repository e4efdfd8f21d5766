"""Derivations of statements on one neuron in Zucchet & Orvieto's main text and Appendix A.

Notation: ``nu0``  inner radius;  ``time``  the ``T`` of the Chrono initialisation;  ``eta``
learning rate;  ``curvature``  second derivative;  ``star``  eigenvalue of the teacher.

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
    """Return a second moment at a real eigenvalue ``lam``.

    Example:
        >>> real_moment("state", "white")
        -1/((lambda - 1)*(lambda + 1))
    """
    return factor(diagonal.moment(quantity, source).result.subs(lam_bar, lam))


@cache
def at_the_edge(quantity: str, power: int, edge: int = 1) -> Derivation:
    """Derive the limit of ``(1 - lam^2)^power`` times a moment for ``lam -> edge``."""
    scaled = factor((1 - lam**2) ** power * real_moment(quantity))
    return start("Multiply the moment by the rate of its divergence:", scaled).then(
        f"As the eigenvalue goes to {edge}, this tends to",
        factor(limit(scaled, lam, edge)),
    )


def edge_of(quantity: str, rho_at: int) -> Expr:
    """Return the limit of a moment for ``lam -> 1`` with the autocovariance ``rho_at^t``."""
    return limit(real_moment(quantity).subs(rho, rho_at), lam, 1)


def states_explode() -> bool:
    """Prove that ``E[h^2]`` grows as ``1/gap`` for ``|rho| < 1``.

    It is bounded if ``lam rho -> -1``.
    """
    scaled = at_the_edge("state", 1).result
    return is_zero(scaled - (1 + rho) / (1 - rho)) and edge_of("state", -1).is_finite


def sensitivities_explode() -> bool:
    """Prove that ``E[(dh/dlam)^2]`` grows as ``1/gap^3``, two powers faster than the state."""
    scaled = at_the_edge("sensitivity", 3).result
    flat = edge_of("sensitivity", -1)
    return is_zero(scaled - 2 * (1 + rho) / (1 - rho)) and flat.is_finite


def sensitivity_over_state() -> Derivation:
    """Derive ``E[(dh/dlam)^2] / E[h^2]`` at a real eigenvalue for white inputs."""
    ratio = real_moment("sensitivity", "white") / real_moment("state", "white")
    return start("the ratio of the two moments under white input", factor(ratio))


def two_passes_outgrow_one() -> bool:
    """Prove ``(E|h|^2)^2 <= R(0) E|dh/dlam|^2`` for any spectrum, by Cauchy-Schwarz.

    A spectral line of power ``p`` has the power ``p g`` after the filter, and ``p g^2`` after
    two passes.  The difference of both sides is a sum of squares over pairs of lines.  Three
    lines therefore prove it for any number of lines.
    """
    power, gain = symbols("p_0:3", positive=True), symbols("g_0:3", positive=True)
    lines, pairs = range(3), ((0, 1), (0, 2), (1, 2))
    once = sum(power[i] * gain[i] for i in lines)
    twice = sum(power[i] * gain[i] ** 2 for i in lines)
    squares = sum(power[i] * power[j] * (gain[i] - gain[j]) ** 2 for i, j in pairs)
    return expand(sum(power) * twice - once**2 - squares) == 0


def normalised(quantity: str) -> Derivation:
    """Derive a moment with ``gamma = sqrt(1 - lam^2)``, whose derivative is ignored."""
    scaled = (1 - lam**2) * real_moment(quantity)
    return start(
        "Multiply the moment by gamma^2:",
        factor(scaled),
        r"\gamma^2 \mathbb{E}|\mathrm{d}h/\mathrm{d}\lambda|^2",
    )


def normalised_white(quantity: str) -> Derivation:
    """Derive a moment with ``gamma = sqrt(1 - lam^2)`` for white inputs."""
    proof = normalised(quantity)
    return proof.then("Under white input this is", factor(proof.result.subs(rho, 0)))


def correlation_sharpens() -> bool:
    """Prove that ``E[(dh/dlam)^2]`` increases with ``rho >= 0`` for ``0 < lam < 1``.

    It is a sum of ``R(Delta) = rho^Delta`` with positive weights.
    """
    return _is_positive(diagonal.functional("sensitivity").lag)


def _is_positive(form: Expr) -> bool:
    """Return True if SymPy knows a form to be positive at every real ``0 < lam < 1``."""
    up, down = symbols("u v", positive=True)
    inside = form.subs(dict.fromkeys((lam, lam_bar), up / (up + down)))
    return bool(factor(inside).is_positive)


def exponential_derivative() -> Derivation:
    """Derive ``dlam/dnu`` for ``lam = exp(-exp(nu))`` in terms of ``lam``."""
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
    """Derive ``dlam/db`` for ``lam = 1/(1 + exp(-b))`` in terms of ``lam``."""
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
    """Derive the normalised and reparametrised sensitivity of Figure 2B, for any ``rho``."""
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
    """Derive the limit of ``controlled`` for ``lam -> 1`` and white inputs."""
    white = controlled().result.subs(rho, 0)
    return controlled().then(
        "Under white input, for |lambda| -> 1, this tends to", limit(white, lam, 1)
    )


def controlled_is_bounded() -> bool:
    """Prove that ``controlled`` is at most 1/2 for white inputs, by ``sinh(x) >= x``.

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
    """Derive the sensitivity with ``gamma = sqrt(1 - lam^2)`` and a sigmoid, white inputs."""
    derivative = sigmoid_derivative().result
    white = normalised("sensitivity").result.subs(rho, 0)
    return sigmoid_derivative().then(
        "Multiply the square of this derivative by the moment:",
        factor(derivative**2 * white),
    )


def coupled_state() -> Derivation:
    """Derive ``E[h^2]`` of ``h <- lam h + (1 - lam) x``, a GRU with a constant gate."""
    return start("the coupled gate's gain", (1 - lam) ** 2).then(
        "Multiply the square of this derivative by the moment:",
        factor((1 - lam) ** 2 * real_moment("state")),
    )


def coupled_gate_is_bounded() -> bool:
    """Prove ``E[h^2] <= R(0)`` for ``coupled_state``, because ``R(Delta) <= R(0)``.

    All weights of lags are positive for ``0 < lam < 1``, and they sum to one.
    """
    weights = diagonal.functional("state")
    positive = _is_positive(weights.zero) and _is_positive(weights.lag)
    return positive and is_zero(coupled_state().result.subs(rho, 1) - 1)


def optimal_derivative() -> Derivation:
    """Derive ``dlam/dnu`` for unit sensitivity to white inputs, ``gamma = sqrt(1 - lam^2)``."""
    white = normalised("sensitivity").result.subs(rho, 0)
    return start("gamma^2 (dlam/dnu)^2 E[(dh/dlam)^2] = 1 gives", 1 / white).then(
        "The square root is", sqrt(factor(1 / white))
    )


def polar_sensitivity() -> Derivation:
    """Derive ``gamma^2 E|dh/dtheta|^2`` for white inputs, by ``dh/dtheta = i lam dh/dlam``."""
    moment = diagonal.moment("sensitivity", "white").result.subs(lam_bar, r**2 / lam)
    return start(
        "As dh/dtheta = i lam dh/dlam, the moment is",
        r**2 * factor(moment),
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\theta|^2",
    ).then("Multiply by gamma^2 = 1 - r^2:", factor((1 - r**2) * r**2 * moment))


def orthogonal_products_are_orthogonal() -> bool:
    """Prove ``(A B)' (A B) = 1`` for orthogonal ``A`` and ``B``; powers thus have norm one."""
    A, A_T, B, B_T = symbols("A A' B B'", commutative=False)
    return (B_T * A_T * A * B).subs(A_T * A, 1).subs(B_T * B, 1) == 1


def remembered() -> Derivation:
    """Derive the sensitivity to a phase on the unit circle after ``T`` white inputs."""
    total = factor(summation(n**2, (n, 0, T - 1)))
    return start(
        "Sum the squares of the lags:",
        total,
        r"\mathbb{E}|\mathrm{d}h/\mathrm{d}\lambda|^2",
    )


def chrono_gate(shift: int = 0) -> Derivation:
    """Derive ``sigmoid(log(t - shift))``, the gate with a Chrono bias at zero input."""
    return start(
        "The sigmoid of the bias is", 1 / (1 + exp(-log(time - shift))), "f"
    ).then("Simplify the logarithm:", factor((time - shift) / (time - shift + 1)), "f")


def chrono_at(times: int, shift: int = 0) -> Derivation:
    """Derive the gate with a Chrono bias at ``T = times / (1 - nu0)``."""
    gate = chrono_gate(shift)
    return gate.then(
        "At the characteristic time this is",
        factor(gate.result.subs(time, times / (1 - nu0))),
    )


def euler_gain() -> Derivation:
    """Derive ``E[h^2]`` for white inputs of Euler's scheme, ``lam = 1 + dt a``, gain ``dt``."""
    white = real_moment("state", "white").subs(lam, 1 + step * rate)
    return start(
        "Multiply the moment by gain^2:", factor(step**2 * white), r"\mathbb{E}|h|^2"
    )


def steepest_descent() -> Derivation:
    """Derive the largest stable learning rate, at which ``1 - eta curvature = -1``."""
    (rate_,) = solve(1 - eta * curvature + 1, eta)
    return start(
        "One step of gradient descent multiplies the error by",
        1 - eta * curvature,
        "e_{k+1}/e_k",
    ).then("This factor is -1 at", rate_)


def white_curvature() -> Derivation:
    """Derive ``d2L/dlam2`` at ``lam = star`` for white inputs and real eigenvalues."""
    loss = (1 / (1 - lam**2) + 1 / (1 - star**2) - 2 / (1 - lam * star)) / 2
    return start("On the real axis the loss of Eq. 91 is", loss, "L").then(
        "The second derivative at the teacher is",
        factor(simplify(diff(loss, lam, 2).subs(lam, star))),
    )


def circle_curvature() -> Derivation:
    """Derive ``d2L/dtheta2`` at ``lam = star`` for white inputs and equal moduli."""
    loss = circle_loss()
    return start("On the circle of the teacher the loss is", loss, "L").then(
        "The second derivative at the teacher is",
        factor(simplify(diff(loss, theta, 2).subs(theta, 0))),
    )


def circle_loss() -> Expr:
    """Return the loss for white inputs, student ``r exp(i theta)`` and teacher ``r``."""
    apart = 1 - 2 * r**2 * cos(theta) + r**4
    return 1 / (1 - r**2) - (1 - r**2 * cos(theta)) / apart


def circle_derivative() -> Derivation:
    """Derive ``dL/dtheta`` for white inputs and equal moduli."""
    return start("On the circle of the teacher the loss is", circle_loss(), "L").then(
        "The derivative with respect to the phase is",
        factor(simplify(diff(circle_loss(), theta))),
    )


def circle_is_flat() -> bool:
    """Prove that ``dL/dtheta`` vanishes at ``r = 1`` for any phase but the teacher's."""
    return simplify(circle_derivative().result.subs(r, 1)) == 0


def controlled_magnitude() -> Derivation:
    """Derive ``controlled`` for the modulus of a complex eigenvalue, white inputs."""
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
    """Derive a moment at a real eigenvalue for ``R = rho^|lag|``."""
    return start(
        "At a real eigenvalue this is",
        real_moment(quantity),
        diagonal.MOMENTS[quantity],
    )


def constant_moment(quantity: str) -> Derivation:
    """Derive a moment at a real eigenvalue for constant inputs."""
    return start(
        "At a real eigenvalue this is",
        real_moment(quantity, "constant"),
        diagonal.MOMENTS[quantity],
    )


def white_loss() -> Derivation:
    """Derive the expected loss for white inputs, a complex student and a real teacher."""
    cross = 1 / (1 - lam * star) + 1 / (1 - lam_bar * star)
    squares = 1 / (1 - lam * lam_bar) + 1 / (1 - star**2)
    return start(
        "Sum |lam^n - star^n|^2 / 2 as geometric series:", (squares - cross) / 2, "L_t"
    )
