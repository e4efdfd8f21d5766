"""Evidence on the sLSTM: recurrences of moments, sums over all sequences, derivatives."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import (
    complex_step,
    energy,
    points,
    power_derivatives,
    powers,
    sigmoid,
)
from sigprop.evidence.sigprop.forget_gates import share_by_density, share_by_nodes
from sigprop.judge.basis import Basis, Evidence

LONG = 3000  # number of steps for the limit
RADIUS = 0.1  # radius of a circle around the logarithm of a gate


def output(f: Any, z: Any, i: float = 0.7) -> Any:
    """``c/n`` for inputs from the zero state; the last axis is time."""
    c, n = 0.0, 0.0
    for entering in np.moveaxis(np.asarray(z), -1, 0):
        c, n = f * c + i * entering, f * n + i
    return c / n


def signs(T: int) -> Float[np.ndarray, "sequences time"]:
    """All sequences of inputs plus or minus one."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=T)))


# Outputs.


def state_by_recursion(f: float, T: int) -> float:
    """The second moment of one sum, divided by the square of the other."""
    square, n = 0.0, 0.0
    for _ in range(T):
        square, n = f**2 * square + 0.09, f * n + 0.3
    return square / n**2


def state_by_sequences(f: float, T: int) -> float:
    """The mean over all sequences of signs."""
    return float(np.mean(output(f, signs(T)) ** 2))


# Sums with random gates.


def sum_of_weights(f: float, squared: float, T: int) -> tuple[float, float]:
    """First and second moment step after step, of gates of mean one."""
    mean, square = 0.0, 0.0
    for _ in range(T):
        square = f**2 * square + 2 * f * mean + squared
        mean = f * mean + 1
    return mean, square


def normaliser_by_recursion(f: float, spread: float, T: int) -> float:
    """Moments step after step."""
    mean, square = sum_of_weights(f, 1 / share_by_nodes(spread), T)
    return square / mean**2 - 1


def normaliser_by_sum(f: float, spread: float, T: int) -> float:
    """A sum over ages, of variances by the density."""
    weights = powers(f, T)
    return (1 / share_by_density(spread) - 1) * energy(weights) / weights.sum() ** 2


def ratio_by_recursion(f: float, spread: float) -> float:
    """Moments of both sums step after step."""
    squared, of_inputs = 1 / share_by_nodes(spread), 0.0
    for _ in range(LONG):
        of_inputs = f**2 * of_inputs + squared
    return of_inputs / sum_of_weights(f, squared, LONG)[1]


def ratio_by_sum(f: float, spread: float) -> float:
    """Sums over ages, and over pairs of ages."""
    weights, squared = powers(f, LONG), 1 / share_by_density(spread)
    pairs = weights.sum() ** 2 - energy(weights)  # of different ages
    return squared * energy(weights) / (squared * energy(weights) + pairs)


def drawn_by_recursion(f: float) -> float:
    """Moments of both sums to second order in ``s``, step after step.

    The sum of squared weights ``N`` and the sum of weights ``n`` are ``N_0 + s N_1 + s^2
    N_2`` and ``n_0 + s n_1 + s^2 n_2``, for gates ``exp(s g)``.
    """
    N_0 = n_0 = N_2 = n_2 = 0.0  # means of the second-order terms
    N_1_n_1 = n_1_n_1 = 0.0
    for _ in range(LONG):
        N_0, n_0 = f**2 * N_0 + 1, f * n_0 + 1
        N_2, n_2 = f**2 * N_2 + 2, f * n_2 + 0.5
        N_1_n_1, n_1_n_1 = f**3 * N_1_n_1 + 2, f**2 * n_1_n_1 + 1
    return (
        N_2 / n_0**2 - 2 * (N_0 * n_2 + N_1_n_1) / n_0**3 + 3 * N_0 * n_1_n_1 / n_0**4
    )


def drawn_by_circles(f: float) -> float:
    """Half the second derivatives by the logarithm of each gate, on circles."""
    ages = math.ceil(math.log(1e-17) / math.log(f))
    weights = powers(f, ages)

    def squares(age: int, g: Any) -> Any:
        gate = np.exp(g)
        changed = weights[age] * (gate - 1)
        square = energy(weights) + weights[age] ** 2 * (gate**2 - 1)
        return square / (weights.sum() + changed) ** 2

    angles = np.exp(2j * np.pi * np.arange(32) / 32)
    total = 0.0
    for age in range(ages):
        values = squares(age, RADIUS * angles)
        total += float(np.mean(values / angles**2).real) / RADIUS**2
    return total  # half the sum of second derivatives


# Sensitivities.


def of_weights(
    gate: Callable[[Any], Any], at: float, T: int
) -> Float[np.ndarray, " T"]:
    """Derivatives of normalised weights by the argument of the forget gate."""

    def weights(argument: Any) -> Any:
        kept = gate(argument) ** np.arange(T)
        return kept / kept.sum()

    return complex_step(weights, at)


def by_weights(f: float, T: int = LONG) -> float:
    """Squared derivatives of the weights by the argument of a sigmoid."""
    return energy(of_weights(sigmoid, math.log(f / (1 - f)), T))


def moments(f: float, T: int) -> tuple[float, float, float]:
    """``E c^2``, ``E c d`` and ``E d^2`` step after step, ``d`` the derivative of ``c``."""
    cc = cd = dd = 0.0
    for _ in range(T):
        dd = f**2 * dd + 2 * f * cd + cc
        cd = f**2 * cd + f * cc
        cc = f**2 * cc + 1
    return cc, cd, dd


def by_moments(f: float, T: int = LONG) -> float:
    """Moments of the sum and of its derivative by the gate, over those of the weights."""
    cc, cd, dd = moments(f, T)
    n = moved = 0.0
    for _ in range(T):
        moved, n = f * moved + n, f * n + 1
    square = dd / n**2 - 2 * cd * moved / n**3 + cc * moved**2 / n**4
    return (f * (1 - f)) ** 2 * square


def even_by_sequences(T: int) -> float:
    """The mean over all sequences of signs, of derivatives by an exponential's argument."""
    z = signs(T)
    return energy(complex_step(lambda a: output(np.exp(a), z), 0.0)) / len(z)


def even_by_weights(T: int) -> float:
    """Squared derivatives of the weights."""
    return energy(of_weights(np.exp, 0.0, T))


def relative_by_weights(f: float) -> float:
    """Of derivatives of both kinds of weights, each over the squared weights."""
    weights = powers(f, LONG)
    with_one = by_weights(f) * weights.sum() ** 2
    return with_one / energy(f * (1 - f) * power_derivatives(f, LONG))


def relative_by_moments(f: float) -> float:
    """Of moments step after step, each over the second moment of its sum."""
    cc, _, dd = moments(f, LONG)
    n, _ = sum_of_weights(f, 1.0, LONG)
    without = (f * (1 - f)) ** 2 * dd / cc
    return by_moments(f) * n**2 / cc / without


# The bias of the input gate.


def outputs(
    b: float,
    seen: float,
    shift: float = 0.0,
    entering: bool = True,
    counted: bool = True,
    floor: float = 0.0,
) -> Float[np.ndarray, " time"]:
    """Outputs of one neuron by the printed equations; gates depend on the last output.

    Args:
        b: Bias of the input gate.
        seen: Weight of the last output in the arguments of all gates.
        shift: Change of the bias.
        entering: True if the input has the shifted gate.
        counted: True if the normaliser has the shifted gate.
        floor: Lower bound of the normaliser in the output.
    """
    c, n, h, found = 0.0, 0.0, 0.0, []
    for step in range(12):
        i = math.exp(b + 2 * math.cos(2 * step) + seen * h)
        f = float(sigmoid(1 + math.sin(step) - seen * h))
        z = math.tanh(math.cos(5 * step) + seen * h)
        more = math.exp(shift)
        c = f * c + i * (more if entering else 1.0) * z
        n = f * n + i * (more if counted else 1.0)
        h = float(sigmoid(math.sin(3 * step) + seen * h)) * c / max(n, floor)
        found.append(h)
    return np.array(found)


def stabilised_outputs(b: float, seen: float) -> Float[np.ndarray, " time"]:
    """Outputs by logarithms of weights, at a bias of 300."""
    log_n, c_over_n, h, found = -math.inf, 0.0, 0.0, []
    for step in range(12):
        log_i = 300.0 + 2 * math.cos(2 * step) + seen * h
        log_f = -math.log1p(math.exp(-(1 + math.sin(step) - seen * h)))
        z = math.tanh(math.cos(5 * step) + seen * h)
        total = float(np.logaddexp(log_n + log_f, log_i))
        kept, entering = math.exp(log_n + log_f - total), math.exp(log_i - total)
        c_over_n, log_n = kept * c_over_n + entering * z, total
        h = float(sigmoid(math.sin(3 * step) + seen * h)) * c_over_n
        found.append(h)
    return np.array(found)


_FINITE = points("f T", (0.8, 7), (0.3, 3), (1.4, 5), (0.97, 9))
_DRAWN = points("f spread T", (0.8, 0.7, 7), (0.3, 1.2, 3), (0.97, 0.4, 40))
_GATES = points("f", 0.3, 0.8, 0.95)

EVIDENCE: dict[str, Basis] = {
    "sigprop:slstm-state": Evidence(
        _FINITE, {"recursion": state_by_recursion, "sequences": state_by_sequences}
    ),
    "sigprop:slstm-normaliser": Evidence(
        _DRAWN, {"recursion": normaliser_by_recursion, "sum": normaliser_by_sum}
    ),
    "sigprop:slstm-ratio": Evidence(
        points("f spread", (0.8, 0.7), (0.3, 1.2), (0.97, 0.4)),
        {"recursion": ratio_by_recursion, "sum": ratio_by_sum},
    ),
    "sigprop:slstm-drawn": Evidence(
        points("f", 0.2, 0.6, 0.9),
        {"recursion": drawn_by_recursion, "circles": drawn_by_circles},
    ),
    "sigprop:slstm-sensitivity": Evidence(
        _GATES, {"weights": by_weights, "recursion": by_moments}
    ),
    "sigprop:slstm-sensitivity-finite": Evidence(
        points("f T", (0.8, 7), (0.3, 3), (0.95, 30)),
        {"weights": by_weights, "recursion": by_moments},
    ),
    "sigprop:slstm-sensitivity-even": Evidence(
        points("T", 2, 5, 9),
        {"sequences": even_by_sequences, "weights": even_by_weights},
    ),
    "sigprop:slstm-relative-sensitivity": Evidence(
        _GATES, {"weights": relative_by_weights, "recursion": relative_by_moments}
    ),
    "sigprop:slstm-input-bias": Evidence(
        points("b seen", (0.4, 0.0), (-1.0, 0.8), (2.0, -1.5)),
        {"shifted": partial(outputs, shift=1.3), "logarithms": stabilised_outputs},
        form=outputs,
        mutants={
            "the input alone has the gate": partial(outputs, shift=1.3, counted=False),
            "the normaliser alone has the gate": partial(
                outputs, shift=1.3, entering=False
            ),
            "a normaliser of at least one thousand": partial(
                outputs, shift=1.3, floor=1e3
            ),
        },
    ),
}
