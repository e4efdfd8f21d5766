"""Evidence on gates: integrals over their distributions, recurrences, Jacobians."""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import (
    complex_step,
    energy,
    legendre,
    points,
    powers,
    sigmoid,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory.forget_gates import (
    chrono_kept,
    chrono_kept_holds,
    spread_kernel,
    spread_kernel_holds,
)

NODES = 60
LONG = 4000  # number of steps for the limit
FAR = 45.0  # beyond this the logistic density is below 1e-19
LENGTH = 1e5  # number of steps for a long sequence
STEPS = 12  # steps of a sequence with a stabiliser


def over_logistic(function: Callable[[float], float]) -> float:
    """The mean over a standard logistic variable of a function of its sigmoid."""
    total = 0.0
    for low, high in ((-FAR, -6.0), (-6.0, 0.0), (0.0, 6.0), (6.0, FAR)):
        nodes, weights = legendre(low, high, NODES)
        density = sigmoid(nodes) * sigmoid(-nodes)
        total += float(weights @ (density * function(sigmoid(nodes))))
    return total


def over_uniform(function: Callable[[Any], Any], low: float, high: float) -> float:
    """The mean over a uniform variable, by adaptive integration."""
    value, _ = scipy.integrate.quad(function, low, high, epsabs=1e-14, limit=200)
    return value / (high - low)


# Gates that are drawn at every step.


def bounded_by_recursion(bound: float) -> float:
    """Moments step after step, over nodes of the gate."""
    gates, weights = legendre(bound, 1.0, 5)
    weights, moment = weights / (1 - bound), 0.0
    for _ in range(LONG):
        moment = float(weights @ (gates**2 * moment + (1 - gates) ** 2))
    return moment


def bounded_by_sum(bound: float) -> float:
    """A sum over ages, with means over the gate's argument."""

    def mean(function: Callable[[Any], Any]) -> float:
        return over_logistic(lambda s: function(bound + (1 - bound) * s))

    kept, entering = mean(lambda f: f**2), mean(lambda f: (1 - f) ** 2)
    return math.fsum(entering * kept**age for age in range(LONG))


def typical_by_mean(bound: float) -> float:
    """The mean logarithm."""
    return over_uniform(math.log, bound, 1.0)


def typical_by_moment(bound: float) -> float:
    """The derivative at zero of the mean ``s``-th power, over the gate's argument."""

    def moment(s: Any) -> Any:
        nodes, weights = legendre(-FAR, FAR, 400)
        density = sigmoid(nodes) * sigmoid(-nodes)
        return weights @ (density * (bound + (1 - bound) * sigmoid(nodes)) ** s)

    return float(complex_step(moment, 0.0))


def decay_by_mean(a: float) -> float:
    """The mean over a uniform gate."""
    return over_uniform(lambda r: a ** (2 * r), 0.0, 1.0)


def decay_by_logistic(a: float) -> float:
    """The mean over the gate's argument."""
    return over_logistic(lambda r: a ** (2 * r))


def root_by_recursion(root: float) -> float:
    """Moments step after step, over the argument of the sigmoid."""
    kept = over_logistic(lambda s: s ** (2 / root))
    moment = 0.0
    for _ in range(LONG):
        moment = kept * moment + 1
    return moment


def root_by_uniform(root: float) -> float:
    """The limit, over a uniform gate."""
    return 1 / (1 - over_uniform(lambda s: s ** (2 / root), 0.0, 1.0))


# Gates that are fixed at their biases.


def chrono_by_sum(T: float) -> float:
    """Squared responses of the neurons at nodes of ``u``."""
    nodes, weights = legendre(1.0, T - 1, NODES)
    gates = nodes / (1 + nodes)
    moments = [energy((1 - gate) * powers(gate, LONG)) for gate in gates]
    return float(weights @ np.array(moments)) / (T - 2)


def chrono_by_integral(T: float) -> float:
    """Moments at the sigmoids of the biases."""

    def moment(u: float) -> float:
        gate = float(sigmoid(math.log(u)))
        return (1 - gate) ** 2 / (1 - gate**2)

    return over_uniform(moment, 1.0, T - 1)


def kept_by_limit(share: float) -> float:
    """The mean at a large length and its double, extrapolated in the inverse length."""

    def kept(length: float) -> float:
        value = 0.0
        ends = [1.0, *np.geomspace(1e-3, 1.0, 12) * (length - 1)]
        for low, high in itertools.pairwise(ends):
            nodes, weights = legendre(low, high, NODES)
            value += float(weights @ np.exp(-share * length * np.log1p(1 / nodes)))
        return value / (length - 2)

    return 2 * kept(2 * LENGTH) - kept(LENGTH)


def kept_by_integral(share: float) -> float:
    """The integral of the limit over ``1/v``."""
    return scipy.integrate.quad(
        lambda w: math.exp(-share * w) / w**2, 1.0, math.inf, epsabs=1e-13
    )[0]


def kernel_by_mean(low: float, n: int) -> float:
    """The mean power."""
    return over_uniform(lambda f: f**n, low, 1 - low)


def kernel_by_nodes(low: float, n: int) -> float:
    """The mean power at Gauss nodes, which are exact for it."""
    gates, weights = legendre(low, 1 - low, n // 2 + 1)
    return float(weights @ gates**n) / (1 - 2 * low)


def memory_by_mean(low: float) -> float:
    """The mean time constant."""
    return over_uniform(lambda f: 1 / (1 - f), low, 1 - low)


def memory_by_kernel(low: float) -> float:
    """The kernel, summed over ages."""
    gates, weights = legendre(low, 1 - low, NODES)
    kernels = [float(weights @ gates**age) for age in range(LONG)]
    return math.fsum(kernels) / (1 - 2 * low)


def spread_by_logarithms(n: int, tau_0: float, tau_1: float) -> float:
    """The mean over logarithms of time constants."""
    return over_uniform(
        lambda s: math.exp(-n * math.exp(-s)), math.log(tau_0), math.log(tau_1)
    )


def spread_by_rates(n: int, tau_0: float, tau_1: float) -> float:
    """The integral over rates, whose density is their inverse."""
    rates, weights = legendre(1 / tau_1, 1 / tau_0, 200)
    return float(weights @ (np.exp(-n * rates) / rates)) / math.log(tau_1 / tau_0)


def biased_by_mean(b_0: float, b_1: float) -> float:
    """The mean over biases."""
    return over_uniform(lambda b: 1 / (1 - sigmoid(b)), b_0, b_1)


def biased_by_sum(b_0: float, b_1: float) -> float:
    """Kernels of gates at nodes of the bias, summed over ages."""
    biases, weights = legendre(b_0, b_1, 20)
    sums = [float(powers(sigmoid(b), LONG).sum()) for b in biases]
    return float(weights @ np.array(sums)) / (b_1 - b_0)


# Exponential gates.


def _normal(function: Callable[[Any], Any]) -> float:
    """The mean over a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ function(nodes) / weights.sum())


def _lognormal(power: int, b: float, spread: float) -> float:
    """A moment of a log-normal variable by its density."""

    def integrand(t: float) -> float:  # as a function of the logarithm
        z = (t - b) / spread
        return math.exp(power * t - z * z / 2) / (spread * math.sqrt(2 * math.pi))

    centre = b + power * spread**2
    low, high = centre - 12 * spread, centre + 12 * spread
    return scipy.integrate.quad(integrand, low, high, epsrel=1e-13)[0]


def share_by_nodes(spread: float) -> float:
    """Means at Hermite nodes, for gates shifted to another bias."""
    gate = partial(_gate, 0.3, spread)
    return _normal(gate) ** 2 / _normal(lambda z: gate(z) ** 2)


def _gate(b: float, spread: float, z: Any) -> Any:
    return np.exp(b + spread * z)


def share_by_density(spread: float) -> float:
    """Means by the density of a log-normal variable."""
    return _lognormal(1, -0.4, spread) ** 2 / _lognormal(2, -0.4, spread)


def state_by_recursion(f: float, b: float, spread: float) -> float:
    """Moments step after step, at Hermite nodes."""
    entering = _normal(lambda z: _gate(b, spread, z) ** 2)
    moment = 0.0
    for _ in range(LONG):
        moment = f**2 * moment + entering
    return moment


def state_by_sum(f: float, b: float, spread: float) -> float:
    """A sum over ages, of the density's second moment."""
    return energy(powers(f, LONG)) * _lognormal(2, b, spread)


Gates = tuple[float, float, Float[np.ndarray, " d"], Float[np.ndarray, " d"]]


def _sequence(f: float, b: float) -> Iterator[Gates]:
    """Logarithms of both gates, and a key and a value, of some steps."""
    for step in range(STEPS):
        log_f = math.log(f) - 0.3 * abs(math.sin(step))
        yield (
            log_f,
            b + 3 * math.cos(2 * step),
            np.array([math.sin(3 * step + 1), math.cos(step)]),
            np.array([math.cos(5 * step), math.sin(step + 2), 0.4]),
        )


def plain_output(f: float, b: float) -> Float[np.ndarray, " values"]:
    """The output of the printed equations, without a stabiliser."""
    C, n, query = np.zeros((3, 2)), np.zeros(2), np.array([0.1, -0.3])
    for log_f, log_i, key, value in _sequence(f, b):
        C = math.exp(log_f) * C + math.exp(log_i) * np.outer(value, key)
        n = math.exp(log_f) * n + math.exp(log_i) * key
    return C @ query / max(abs(n @ query), 1.0)


def stabilised_output(
    f: float,
    b: float,
    bound: Callable[[float], float] = lambda m: math.exp(-m),
    normalised: bool = True,
    remembered: bool = True,
    started: float = -math.inf,
) -> Float[np.ndarray, " values"]:
    """The output of the released code, or of a mutant.

    Args:
        f: The largest forget gate.
        b: Bias of the input gate.
        bound: Lower bound of the normaliser, from the stabiliser.
        normalised: False for a mutant without the stabiliser in the normaliser.
        remembered: False for a mutant that keeps the old stabiliser in the old state.
        started: The stabiliser before the first step.
    """
    C, n, query = np.zeros((3, 2)), np.zeros(2), np.array([0.1, -0.3])
    m = started
    for log_f, log_i, key, value in _sequence(f, b):
        new = max(log_f + m, log_i)
        kept = math.exp(log_f + (m - new if remembered else 0.0))
        entering = math.exp(log_i - new)
        C = kept * C + entering * np.outer(value, key)
        if normalised:
            n = kept * n + entering * key
        else:
            n = math.exp(log_f) * n + math.exp(log_i) * key
        m = new
    return C @ query / max(abs(n @ query), bound(m))


# Networks at rest.


def lstm_jacobian(mu: float, f: float, i: float, o: float) -> Float[np.ndarray, "2 2"]:
    """Jacobian of one LSTM neuron at rest, including derivatives of the gates."""
    pre = [math.log(gate / (1 - gate)) for gate in (f, i, o)]

    def step(state: Any) -> Any:
        cell, hidden = state
        forget, enter, leave = (sigmoid(p + 0.7 * hidden) for p in pre)
        cell = forget * cell + enter * np.tanh(mu * hidden)
        return np.stack([cell, leave * np.tanh(cell)])

    return complex_step(step, np.zeros(2))


def lstm_by_search(f: float, i: float, o: float) -> float:
    """Return the gain at which the largest eigenvalue of the Jacobian is one."""

    def excess(mu: float) -> float:
        return float(np.linalg.eigvals(lstm_jacobian(mu, f, i, o)).real.max() - 1)

    return scipy.optimize.brentq(excess, 1e-3, 50.0, xtol=1e-13)


def gru_by_jacobian(**at: float) -> float:
    """Determinant of the Jacobian of a GRU step, including derivatives of the gates."""
    f, r = (np.array([at[f"{name}_1"], at[f"{name}_2"]]) for name in "fr")
    W = np.array([[at[f"w_{row}{column}"] for column in (1, 2)] for row in (1, 2)])
    log_f, log_r = np.log(f / (1 - f)), np.log(r / (1 - r))

    def step(h: Any) -> Any:
        forget = sigmoid(log_f + 0.4 * h[::-1])
        reset = sigmoid(log_r - 0.9 * h)
        return forget * h + (1 - forget) * np.tanh(reset * (W @ h))

    jacobian = complex_step(step, np.zeros(2))
    return float(np.linalg.det(jacobian - np.eye(2)))


def gru_by_eigenvalues(**at: float) -> float:
    """The product of all eigenvalues of ``J - 1``."""
    f, r = (np.array([at[f"{name}_1"], at[f"{name}_2"]]) for name in "fr")
    W = np.array([[at[f"w_{row}{column}"] for column in (1, 2)] for row in (1, 2)])
    jacobian = np.diag(f) + ((1 - f) * r)[:, None] * W
    return float(np.prod(np.linalg.eigvals(jacobian) - 1).real)


_BOUNDS = points("bound", 0.05, 0.4, 0.9)
_SHARES = points("share", 0.1, 1.0, 3.0)
_RANGES = points("n tau_0 tau_1", (3, 2.0, 50.0), (20, 5.0, 90.0), (1, 0.7, 4.0))

EVIDENCE: dict[str, Basis] = {
    "sigprop:bounded-gate": Evidence(
        _BOUNDS, {"recursion": bounded_by_recursion, "sum": bounded_by_sum}
    ),
    "sigprop:typical-gate": Evidence(
        _BOUNDS, {"integration": typical_by_mean, "moments": typical_by_moment}
    ),
    "sigprop:random-decay": Evidence(
        points("a", 0.3, 0.9, 0.99),
        {"integration": decay_by_mean, "logistic": decay_by_logistic},
    ),
    "sigprop:root-gate": Evidence(
        points("root", 2.0, 16.0, 5.0),
        {"recursion": root_by_recursion, "uniform": root_by_uniform},
        tolerance=1e-8,
    ),
    "sigprop:chrono-state": Evidence(
        points("T", 5, 20, 80),
        {"sum": chrono_by_sum, "integration": chrono_by_integral},
    ),
    "sigprop:chrono-kept": Evidence(
        _SHARES,
        {"lengths": kept_by_limit, "integration": kept_by_integral},
        form=chrono_kept,
        proof=chrono_kept_holds,
        tolerance=1e-7,
        mutants={
            "the slowest neuron": lambda share: math.exp(-share),
            "no factor before the integral": lambda share: (
                math.exp(-share) - float(scipy.special.exp1(share))
            ),
            "the other sign": lambda share: (
                math.exp(-share) + share * float(scipy.special.exp1(share))
            ),
            "the second exponential integral's square": lambda share: (
                float(scipy.special.expn(2, share)) ** 2
            ),
        },
    ),
    "sigprop:uniform-gate-kernel": Evidence(
        points("low n", (0.1, 3), (0.01, 40), (0.3, 2)),
        {"integration": kernel_by_mean, "nodes": kernel_by_nodes},
    ),
    "sigprop:uniform-gate-memory": Evidence(
        points("low", 0.05, 0.1, 0.3),
        {"integration": memory_by_mean, "sum": memory_by_kernel},
    ),
    "sigprop:spread-kernel": Evidence(
        _RANGES,
        {"logarithms": spread_by_logarithms, "rates": spread_by_rates},
        form=spread_kernel,
        proof=spread_kernel_holds,
        mutants={
            "the sign of the logarithm": lambda n, tau_0, tau_1: (
                -spread_kernel(n, tau_0, tau_1)
            ),
            "time constants are uniform": lambda n, tau_0, tau_1: over_uniform(
                lambda tau: math.exp(-n / tau), tau_0, tau_1
            ),
            "one time constant, the geometric mean": lambda n, tau_0, tau_1: math.exp(
                -n / math.sqrt(tau_0 * tau_1)
            ),
            "a step more": lambda n, tau_0, tau_1: spread_kernel(n + 1, tau_0, tau_1),
        },
    ),
    "sigprop:biased-memory": Evidence(
        points("b_0 b_1", (3.0, 4.5), (-1.0, 2.0), (0.5, 1.5)),
        {"integration": biased_by_mean, "sum": biased_by_sum},
    ),
    "sigprop:exponential-gate-share": Evidence(
        points("spread", 0.3, 1.0, 1.7),
        {"nodes": share_by_nodes, "density": share_by_density},
    ),
    "sigprop:exponential-gate-state": Evidence(
        points("f b spread", (0.9, 0.3, 0.5), (0.5, -1.0, 1.3), (0.97, -0.2, 0.9)),
        {"recursion": state_by_recursion, "sum": state_by_sum},
    ),
    "sigprop:gate-stabiliser": Evidence(
        points("f b", (0.9, 2.0), (0.6, -1.0), (0.99, 5.0)),
        {
            "released": stabilised_output,
            "shifted": partial(stabilised_output, started=1.5),
        },
        form=plain_output,
        mutants={
            "a bound of one": partial(stabilised_output, bound=lambda m: 1.0),
            "the bound is exp(m)": partial(stabilised_output, bound=math.exp),
            "the normaliser is not divided": partial(
                stabilised_output, normalised=False
            ),
            "the old stabiliser stays": partial(
                stabilised_output, remembered=False, started=0.0
            ),
        },
    ),
    "sigprop:lstm-edge": Evidence(
        points("f i o", (0.7, 0.4, 0.5), (0.95, 0.3, 0.8), (0.2, 0.6, 0.9)),
        {"search": lstm_by_search},
    ),
    "sigprop:gru-edge": Evidence(
        points(
            "f_1 f_2 r_1 r_2 w_11 w_12 w_21 w_22",
            (0.7, 0.4, 0.5, 0.8, 1.3, -0.6, 0.9, 0.4),
            (0.95, 0.2, 0.3, 0.6, -0.8, 1.7, 0.5, 2.1),
        ),
        {"jacobian": gru_by_jacobian, "eigenvalues": gru_by_eigenvalues},
    ),
}
