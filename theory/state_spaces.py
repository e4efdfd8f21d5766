"""State-space models of 2023-2026 with fixed and random step sizes: moments and kernels.

Notation: ``A``  rate of a head;  ``step``  step size;  ``x = A step``;  ``a_0``, ``a_1``  ends
of a range of rates;  ``step_0``, ``step_1``  ends of a range of steps;  ``weight``  weight of
the current input in the trapezoidal rule.

Source: own; the recurrences are of Mamba-2 (Dao & Gu 2024) and Mamba-3 (arXiv 2603.15569).
"""

from functools import cache

from sympy import (
    Integer,
    Matrix,
    Sum,
    Symbol,
    cos,
    diff,
    exp,
    expand,
    factor,
    integrate,
    log,
    oo,
    simplify,
    sin,
    solve,
    symbols,
    tanh,
)

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import A, gamma, step, weight, x
from sigprop.theory.symbols import T, alpha, beta, n, rho

a_0, a_1, step_0, step_1 = symbols("a_0 a_1 step_0 step_1", positive=True)
r_1, r_2 = symbols("r_1 r_2", positive=True)
theta_1, theta_2 = symbols("theta_1 theta_2", real=True)
write = symbols("b_1:5", real=True)
reads = symbols("c_1:5", real=True)
alpha_2, alpha_3, beta_2, gamma_1 = symbols("alpha_2 alpha_3 beta_2 gamma_1", real=True)
u = Symbol("u", positive=True)


@cache
def time_constant() -> Derivation:
    """Derive the mean of ``1/(A step)`` for uniform ``A`` and log-uniform ``step``."""
    rates = integrate(1 / u, (u, a_0, a_1)) / (a_1 - a_0)
    steps = integrate(1 / u**2, (u, step_0, step_1)) / log(step_1 / step_0)
    return start(
        "The means of 1/A and of 1/step",
        rates * steps,
        r"\mathbb{E} \frac{1}{A \Delta}",
    ).then(
        "As ratios",
        log(a_1 / a_0) / (a_1 - a_0) * (1 / step_0 - 1 / step_1) / log(step_1 / step_0),
    )


@cache
def mean_state() -> Derivation:
    """Derive the mean of ``step^2 / (1 - exp(-2 A step))`` over uniform ``A``."""
    primitive = step / 2 * log(exp(2 * u * step) - 1)
    if simplify(diff(primitive, u) - step**2 / (1 - exp(-2 * u * step))) != 0:
        raise AssertionError("the primitive has the moment as its derivative")
    return start(
        "A primitive of the moment, between both ends",
        (primitive.subs(u, a_1) - primitive.subs(u, a_0)) / (a_1 - a_0),
        r"\mathbb{E} h^2",
    ).then(
        "As one logarithm",
        step
        / (2 * (a_1 - a_0))
        * log((exp(2 * a_1 * step) - 1) / (exp(2 * a_0 * step) - 1)),
    )


@cache
def log_rate() -> Derivation:
    """Derive ``E (dh/d log A)^2 / E h^2`` for white inputs, in terms of ``x = A step``."""
    lam = Symbol("lam", positive=True)
    moved = geometric_sum(n**2 * lam ** (2 * n), n, Integer(0), oo)
    kept = geometric_sum(lam ** (2 * n), n, Integer(0), oo)
    ratio = factor(simplify(moved / kept))
    return start(
        "An input n steps old moves by -x n lam^n, lam = exp(-x)",
        x**2 * ratio.subs(lam, exp(-x)),
        r"\frac{\mathbb{E} (\partial h / \partial \log A)^2}{\mathbb{E} h^2}",
    ).then(
        "In powers of exp(-x)",
        x**2 * exp(-2 * x) * (1 + exp(-2 * x)) / (1 - exp(-2 * x)) ** 2,
    )


@cache
def still_head() -> Derivation:
    """Derive the limit of ``E (dh_T/d log A)^2 / (x^2 E h_T^2)`` for ``x -> 0``."""
    return start(
        "Squared ages over their number",
        Sum(n**2, (n, 0, T - 1)) / T,
        r"\frac{1}{T} \sum_{n < T} n^2",
    ).then("The sum of squares", (T - 1) * (2 * T - 1) / 6)


@cache
def exact_hold() -> Derivation:
    """Derive ``E h^2`` for white inputs that are constant over a step, solved exactly."""
    entering = (1 - exp(-x)) / A
    return start(
        "An input enters with (1 - exp(-x))/A",
        entering**2 / (1 - exp(-2 * x)),
        r"\mathbb{E} h^2",
    ).then("A ratio of exponentials", tanh(x / 2) / A**2)


@cache
def euler_excess() -> Derivation:
    """Derive ``E h^2`` with inputs ``step u``, relative to ``exact_hold``."""
    exact = (1 - exp(-x)) / x
    return start("The inputs' squared ratio, in steps", 1 / exact**2)


@cache
def random_step() -> Derivation:
    """Derive ``E h^2`` for steps that are the softplus of a standard logistic variable.

    The steps are independent of the inputs.  The sigmoid of a logistic variable is uniform,
    so that the step ``-log(1 - u)`` is exponential.
    """
    density = exp(-u)
    squared = integrate(u**2 * density, (u, 0, oo))
    kept = integrate(exp(-2 * A * u) * density, (u, 0, oo))
    return start(
        "The mean squared step, over one less the mean squared decay",
        squared / (1 - kept),
        r"\mathbb{E} h^2",
    ).then("We simplify", 2 + 1 / A)


@cache
def trapezoid_correlated() -> Derivation:
    """Derive ``E h^2`` of the trapezoidal rule for inputs of correlation ``rho^|lag|``."""
    mixed = Symbol("mixed")
    [product] = solve(alpha * rho * mixed + beta * rho + gamma - mixed, mixed)
    entering = beta**2 + gamma**2 + 2 * rho * beta * gamma
    return start("The product of state and input", product, r"\mathbb{E} h_t x_t").then(
        "Squares of both sides of the recurrence",
        (entering + 2 * alpha * product * (beta + rho * gamma)) / (1 - alpha**2),
    )


@cache
def trapezoid_finite() -> Derivation:
    """Derive ``E h_T^2`` of the trapezoidal rule from the zero state, for white inputs."""
    older = (alpha * gamma + beta) ** 2 * alpha ** (2 * n)
    return start(
        "The newest input, and the T - 1 before it",
        gamma**2 + Sum(older, (n, 0, T - 2)),
        r"\mathbb{E} h_T^2",
    ).then(
        "The geometric sum",
        gamma**2
        + (alpha * gamma + beta) ** 2 * (1 - alpha ** (2 * T - 2)) / (1 - alpha**2),
    )


@cache
def exact_weight() -> Derivation:
    """Derive the weight at which the response to constant inputs is exact."""
    lam = exp(-x)
    [right] = solve((weight + (1 - weight) * lam) * x - (1 - lam), weight)
    return start("Both responses are equal at this weight", simplify(right), r"w").then(
        "As two terms", 1 / x - 1 / (exp(x) - 1)
    )


@cache
def alternating() -> Derivation:
    """Derive the response to inputs of alternating sign, divided by ``step``.

    Both ends of the trapezoidal rule have equal weights.
    """
    lam = exp(-x)
    half = Integer(1) / 2
    return start(
        "gamma - beta over 1 + alpha",
        (half - half * lam) / (1 + lam),
        r"\frac{|H(-1)|}{\Delta}",
    ).then("A ratio of exponentials", tanh(x / 2) / 2)


@cache
def trapezoid_mask() -> Derivation:
    """Derive the weight of the first input in the third state, for time-dependent gates."""
    first = gamma_1
    second = alpha_2 * first + beta_2
    return start("Step by step", expand(alpha_3 * second), r"L_{31}").then(
        "One band of two entries behind a product of decays",
        alpha_3 * (alpha_2 * gamma_1 + beta_2),
    )


@cache
def rotating_kernel() -> Derivation:
    """Derive the kernel of two rotating pairs of states."""
    total = Integer(0)
    for radius, angle, place in ((r_1, theta_1, 0), (r_2, theta_2, 2)):
        turn = Matrix(
            [
                [cos(n * angle), -sin(n * angle)],
                [sin(n * angle), cos(n * angle)],
            ]
        )
        read, written = (Matrix(v[place : place + 2]) for v in (reads, write))
        total += radius**n * (read.T * turn * written)[0]
    return start("Each pair turns by n angles", total)
