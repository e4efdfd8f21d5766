"""Evidence on newer state spaces: recurrences, covariances, sums and integrals."""

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import (
    block,
    central,
    covariances,
    double_sum,
    energy,
    points,
    power_derivatives,
    powers,
    recur,
)
from sigprop.judge.basis import Basis, Evidence

LONG = 1500  # number of steps for the limit
TINY = 1e-7  # a rate that is nearly zero


# Heads of Mamba-2.


def mean_time_constant(a_0: float, a_1: float, step_0: float, step_1: float) -> float:
    """A double integral over rates and logarithms of steps."""
    total, _ = scipy.integrate.dblquad(
        lambda rate, log_step: math.exp(-log_step) / rate,
        math.log(step_0),
        math.log(step_1),
        a_0,
        a_1,
        epsabs=1e-13,
        epsrel=1e-12,
    )
    return total / math.log(step_1 / step_0) / (a_1 - a_0)


def mean_time_constant_by_quantiles(
    a_0: float, a_1: float, step_0: float, step_1: float
) -> float:
    """By Gauss and Legendre over the quantiles of both."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    quantiles, weights = (nodes + 1) / 2, weights / 2
    rates = a_0 + (a_1 - a_0) * quantiles
    steps = step_0 * (step_1 / step_0) ** quantiles
    return float(weights @ (1 / np.outer(rates, steps)) @ weights)


def mean_state(step: float, a_0: float, a_1: float) -> float:
    """The sum over ages, in the mean over rates by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    rates = a_0 + (a_1 - a_0) * (nodes + 1) / 2
    moments = [energy(step * powers(math.exp(-rate * step), LONG)) for rate in rates]
    return float(weights @ np.array(moments) / 2)


def mean_state_by_integral(step: float, a_0: float, a_1: float) -> float:
    """The limit of the recursion of moments, integrated."""

    def moment(rate: float) -> float:
        return step**2 / -math.expm1(-2 * rate * step)

    return scipy.integrate.quad(moment, a_0, a_1, epsabs=1e-13)[0] / (a_1 - a_0)


def log_rate_by_sum(x: float, T: int = LONG) -> float:
    """Squares of the derivatives of all responses, over those of the responses."""
    lam = math.exp(-x)
    return energy(x * lam * power_derivatives(lam, T)) / energy(powers(lam, T))


def log_rate_by_difference(x: float) -> float:
    """Responses at two nearby rates."""

    def responses(shift: float) -> Float[np.ndarray, " ages"]:
        return powers(math.exp(-x * math.exp(shift)), LONG)

    moved = central(responses, 0.0, 1e-3, order=8)
    return energy(moved) / energy(responses(0.0))


def still_head(T: int) -> float:
    """The ratio at a rate that is nearly zero."""
    return log_rate_by_sum(TINY, T) / TINY**2


def still_head_by_states(T: int) -> float:
    """State and derivative of every input in turn, step by step."""
    moved = kept = 0.0
    for first in range(T):
        inputs = np.zeros(T)
        inputs[first] = 1.0
        state = recur(1.0, inputs)
        derivative = recur(1.0, -np.concatenate([[0.0], state[:-1]]))
        moved, kept = moved + derivative[-1] ** 2, kept + state[-1] ** 2
    return moved / kept


def held_by_sum(A: float, x: float) -> float:
    """Squared responses, each the integral of the exponential over a held input."""
    step = x / A
    entering, _ = scipy.integrate.quad(lambda t: math.exp(-A * t), 0, step)
    return energy(entering * powers(math.exp(-x), LONG))


def held_by_ode(A: float, x: float) -> float:
    """The stationary moment of a matrix exponential of state and held input."""
    whole = scipy.linalg.expm(np.array([[-A, 1.0], [0.0, 0.0]]) * x / A)
    return float(whole[0, 1] ** 2 / (1 - whole[0, 0] ** 2))


def excess_by_sums(x: float) -> float:
    """The ratio of sums, for inputs of one correlation."""
    A, rho = 0.7, 0.4
    weights = powers(math.exp(-x), LONG)
    euler = double_sum(x / A * weights, x / A * weights, rho).real
    exact, _ = scipy.integrate.quad(lambda t: math.exp(-A * t), 0, x / A)
    return euler / double_sum(exact * weights, exact * weights, rho).real


def excess_by_ode(x: float) -> float:
    """The ratio of moments, by the matrix exponential of a held input."""
    A = 1.3
    return (x / A) ** 2 / -math.expm1(-2 * x) / held_by_ode(A, x)


def _softplus(pre: float) -> float:
    return math.log1p(math.exp(-abs(pre))) + max(pre, 0.0)


def _logistic(pre: float) -> float:
    return math.exp(-abs(pre)) / (1 + math.exp(-abs(pre))) ** 2


def random_step_by_density(A: float) -> float:
    """Means over the logistic density, of functions of ``softplus``."""

    def mean(function: Callable[[float], float]) -> float:
        value = 0.0
        for low, high in ((-60, -5), (-5, 5), (5, 60)):
            value += scipy.integrate.quad(
                lambda pre: function(_softplus(pre)) * _logistic(pre),
                low,
                high,
                epsabs=1e-14,
                epsrel=1e-12,
            )[0]
        return value

    kept = mean(lambda step: math.exp(-2 * A * step))
    return mean(lambda step: step**2) / (1 - kept)


def random_step_by_quantiles(A: float) -> float:
    """Means over the quantiles of the step, by a Gauss and Laguerre rule."""
    steps, weights = np.polynomial.laguerre.laggauss(120)
    kept = float(weights @ np.exp(-2 * A * steps))
    return float(weights @ steps**2) / (1 - kept)


# The trapezoid of Mamba-3.


def trapezoid_response(
    alpha: float, beta: float, gamma: float, count: int
) -> Float[np.ndarray, " ages"]:
    """Return the response to an input, by its age."""
    inputs = np.zeros(count)
    inputs[0] = 1.0
    before = np.concatenate([[0.0], inputs[:-1]])
    return recur(alpha, beta * before + gamma * inputs)


def correlated_by_sum(alpha: float, beta: float, gamma: float, rho: float) -> float:
    """A double sum over ages."""
    weights = trapezoid_response(alpha, beta, gamma, LONG)
    return double_sum(weights, weights, rho).real


def correlated_by_covariance(
    alpha: float, beta: float, gamma: float, rho: float
) -> float:
    """Lyapunov's equation of the state, the last input and the input's own state."""
    A = np.array([[alpha, beta + gamma * rho], [0.0, rho]])
    B = np.array([[gamma], [1.0]]) * math.sqrt(1 - rho**2)
    return float(scipy.linalg.solve_discrete_lyapunov(A, B @ B.T)[0, 0])


def finite_by_sum(alpha: float, beta: float, gamma: float, T: int) -> float:
    """Sum of squared responses over the ages of a finite sequence."""
    return energy(trapezoid_response(alpha, beta, gamma, T))


def finite_by_covariance(alpha: float, beta: float, gamma: float, T: int) -> float:
    """Covariances of state and last input, step by step."""
    A = np.array([[alpha, beta], [0.0, 0.0]])
    B = np.array([[gamma], [1.0]])
    return float(covariances(A, B @ B.T, T)[-1, 0, 0])


def weight_by_search(x: float) -> float:
    """The weight for which a long constant input has the effect of its integral."""
    exact, _ = scipy.integrate.quad(lambda t: math.exp(-t), 0, math.inf)

    def excess(weight: float) -> float:
        lam = math.exp(-x)
        response = trapezoid_response(lam, (1 - weight) * x * lam, weight * x, LONG)
        return float(response.sum()) - exact

    return scipy.optimize.brentq(excess, -1.0, 2.0, xtol=1e-14)


def weight_by_integral(x: float) -> float:
    """The mean age, within a step, at which an exponential kernel has its mass."""
    kernel, _ = scipy.integrate.quad(lambda t: math.exp(-t), 0, x)
    lam = math.exp(-x)
    return (kernel / x - lam) / (1 - lam)


def alternating_by_states(x: float) -> float:
    """The size of the state after many inputs of alternating sign."""
    lam = math.exp(-x)
    signs = (-1.0) ** np.arange(LONG)
    before = np.concatenate([[0.0], signs[:-1]])
    return abs(float(recur(lam, (lam * before + signs) / 2)[-1]))


def alternating_by_sum(x: float) -> float:
    """The alternating sum of the response."""
    lam = math.exp(-x)
    response = trapezoid_response(lam, lam / 2, 0.5, LONG)
    return abs(float(response @ (-1.0) ** np.arange(LONG)))


def _gates(alpha_2: float, alpha_3: float, beta_2: float, gamma_1: float) -> Any:
    """Gates of three steps, generic for entries that have no effect on the result."""
    return (0.3, alpha_2, alpha_3), (0.9, beta_2, -0.4), (gamma_1, 1.7, 0.6)


def mask_by_states(**at: float) -> float:
    """The third state of an input at the first step alone."""
    state = before = 0.0
    for now, alpha, beta, gamma in zip((1.0, 0.0, 0.0), *_gates(**at), strict=True):
        state = alpha * state + beta * before + gamma * now
        before = now
    return state


def mask_by_product(**at: float) -> float:
    """An entry of the product of a matrix of decays and one of two bands."""
    alpha, beta, gamma = map(np.array, _gates(**at))
    decays = np.array(
        [
            [np.prod(alpha[s + 1 : t + 1]) if s <= t else 0.0 for s in range(3)]
            for t in range(3)
        ]
    )
    return float((decays @ (np.diag(gamma) + np.diag(beta[1:], -1)))[2, 0])


def _pairs(at: dict[str, Any]) -> Any:
    """Eigenvalues, inputs and outputs of the complex form."""
    lam = np.array([cmath.rect(at[f"r_{i}"], at[f"theta_{i}"]) for i in (1, 2)])
    b, c = (np.array([at[f"{name}_{i}"] for i in (1, 2, 3, 4)]) for name in "bc")
    return lam, b, c


def kernel_by_complex(n: int, **at: float) -> float:
    """The real part of two complex states."""
    lam, b, c = _pairs(at)
    b, c = b[::2] + 1j * b[1::2], c[::2] + 1j * c[1::2]
    return float(np.real(c.conj() @ (lam**n * b)))


def kernel_by_blocks(n: int, **at: float) -> float:
    """Powers of a real matrix of two blocks."""
    lam, b, c = _pairs(at)
    A = scipy.linalg.block_diag(*map(block, lam))
    return float(c @ np.linalg.matrix_power(A, n) @ b)


def kernel_of_stacked_halves(n: int, **at: float) -> float:
    """Kernel with all real parts above all imaginary parts, before the same blocks."""
    lam, b, c = _pairs(at)
    order = [0, 2, 1, 3]
    A = scipy.linalg.block_diag(*map(block, lam))
    return float(c[order] @ np.linalg.matrix_power(A, n) @ b[order])


_X = points("x", 0.08, 0.7, 2.5)

EVIDENCE: dict[str, Basis] = {
    "sigprop:ssd-time-constant": Evidence(
        points("a_0 a_1 step_0 step_1", (1.0, 16.0, 0.01, 0.1), (0.5, 3.0, 0.2, 0.7)),
        {
            "integration": mean_time_constant,
            "quantiles": mean_time_constant_by_quantiles,
        },
    ),
    "sigprop:ssd-mean-state": Evidence(
        points("step a_0 a_1", (0.1, 1.0, 16.0), (0.4, 0.5, 3.0), (0.05, 2.0, 7.0)),
        {"sum": mean_state, "integration": mean_state_by_integral},
    ),
    "sigprop:ssd-log-rate": Evidence(
        _X,
        {"sum": log_rate_by_sum, "difference": log_rate_by_difference},
        tolerance=1e-9,
    ),
    "sigprop:ssd-still-head": Evidence(
        points("T", 2, 5, 40),
        {"sum": still_head, "states": still_head_by_states},
        tolerance=2e-5,
    ),
    "sigprop:exact-hold": Evidence(
        points("A x", (2.0, 0.8), (0.4, 0.08), (1.5, 3.0)),
        {"sum": held_by_sum, "exponential": held_by_ode},
    ),
    "sigprop:euler-excess": Evidence(
        _X, {"sums": excess_by_sums, "exponential": excess_by_ode}
    ),
    "sigprop:random-step": Evidence(
        points("A", 0.2, 0.7, 3.0),
        {
            "density": random_step_by_density,
            "quantiles": random_step_by_quantiles,
        },
        tolerance=1e-9,
    ),
    "sigprop:trapezoid-correlated": Evidence(
        points(
            "alpha beta gamma rho",
            (0.9, 0.45, 0.5, 0.3),
            (-0.6, 0.2, 1.5, 0.8),
            (0.97, 0.03, 0.01, -0.5),
        ),
        {"sum": correlated_by_sum, "covariance": correlated_by_covariance},
    ),
    "sigprop:trapezoid-finite": Evidence(
        points(
            "alpha beta gamma T",
            (0.9, 0.45, 0.5, 3),
            (-0.6, 0.2, 1.5, 2),
            (0.97, 0.3, 0.1, 20),
        ),
        {"sum": finite_by_sum, "covariance": finite_by_covariance},
    ),
    "sigprop:trapezoid-weight": Evidence(
        _X, {"search": weight_by_search, "integration": weight_by_integral}
    ),
    "sigprop:trapezoid-alternating": Evidence(
        _X, {"states": alternating_by_states, "sum": alternating_by_sum}
    ),
    "sigprop:trapezoid-mask": Evidence(
        points(
            "alpha_2 alpha_3 beta_2 gamma_1",
            (0.9, 0.6, 0.3, 0.5),
            (0.4, -0.8, 1.2, 0.7),
        ),
        {"states": mask_by_states, "product": mask_by_product},
    ),
    "sigprop:rotating-pairs": Evidence(
        points(
            "n r_1 r_2 theta_1 theta_2 b_1 b_2 b_3 b_4 c_1 c_2 c_3 c_4",
            (2, 0.9, 0.7, 0.4, 1.3, 0.5, -0.8, 1.1, 0.3, 0.6, 0.2, -0.7, 1.4),
            (5, 0.8, 0.95, -0.7, 0.2, 0.3, 0.9, -0.4, 1.2, -1.1, 0.7, 0.5, 0.8),
        ),
        {"complex": kernel_by_complex, "blocks": kernel_by_blocks},
        mutants={"halves are stacked": kernel_of_stacked_halves},
    ),
}
