"""Checks of gated neurons with time constants up to 1000 steps.

The headline tier has twenty neurons of each gate and a margin of one per cent; the
quick tier has five neurons and three per cent.  Time constants ``1 / (1 - E a)`` are
evenly spaced on a logarithmic scale.  The simulation runs from the zero state and takes
the mean over time.  It uses coefficients that are written again in this module, with
derivatives by JAX.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy
from jax.nn import sigmoid, softplus
from jaxtyping import Float

from sigprop.evidence.sigprop.gates import OF_NEURONS
from sigprop.judge.mutants import SAME, Score
from sigprop.judge.plans import HEADLINE_MARGIN
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge, plan
from sigprop.neuron.gated import Change, coefficients, mutated_moment
from sigprop.neuron.gated_simulation import (
    BATCH,
    Hand,
    Readings,
    controls,
    readings,
    simulate,
    stepped,
)
from sigprop.neuron.montecarlo import Sums
from sigprop.neuron.neurons import Neurons
from sigprop.numerics.precision import double_precision
from sigprop.theory import gates as theory

WIDTH, STEPS = 2, 1024
EXACT = 1e-6  # relative error allowed between two rules of quadrature
PILOT = 2 * BATCH  # trajectories of a pilot
FLOOR, LEAST = (
    3e-4,
    4 * BATCH,
)  # least variance of plans; least trajectories for a normal mean
SPREAD = {
    "gla": 1.0,
    "gate-unit": 0.7,
}  # standard deviation of a gate's argument; less hides its curvature
OTHERWISE = 0.45
OFFSET = {
    "rglru": {"r": -0.4, "i": 0.6},
    "mingru": {"v": 0.7},
}  # offsets of layers that have them


class Size(NamedTuple):
    """Number of neurons that a tier judges, its margin, and its inflation.

    ``inflation`` multiplies the variances of a pilot, because the samples have heavy
    tails.
    """

    neurons: int
    margin: float
    inflation: float

    @property
    def time_constants(self) -> Float[np.ndarray, " neurons"]:
        """Time constants in steps, evenly spaced on a logarithmic scale."""
        return np.geomspace(4.0, 1000.0, self.neurons)


QUICK, HEADLINE = Size(5, 0.03, 10.0), Size(20, HEADLINE_MARGIN, 4.0)


def _rglru(at: list[Any], own: list[Any]) -> tuple[Any, Any]:
    r, i, x = at
    log_a = -8 * softplus(own[0]) * sigmoid(r)
    return jnp.exp(log_a), jnp.sqrt(-jnp.expm1(2 * log_a)) * sigmoid(i) * x


def _mingru(at: list[Any], own: list[Any]) -> tuple[Any, Any]:
    del own  # this gate has no parameter
    z = sigmoid(at[0])
    return 1 - z, z * at[1]


def _selective(at: list[Any], own: list[Any]) -> tuple[Any, Any]:
    step = softplus(at[0])
    return jnp.exp(-jnp.exp(own[0]) * step), step * at[1] * at[2]


def _gla(at: list[Any], own: list[Any]) -> tuple[Any, Any]:
    del own  # this gate has no parameter
    return sigmoid(at[0]) ** 0.0625, at[1] * at[2]


def _unit(at: list[Any], own: list[Any]) -> tuple[Any, Any]:
    del own  # this gate has no parameter
    f = sigmoid(at[0])
    return f, (1 - f) * at[1]


HANDS: dict[str, Hand] = {
    "rglru": _rglru,
    "mingru": _mingru,
    "selective": _selective,
    "gla": _gla,
    "gate-unit": _unit,
}


@functools.cache
def judged_readings(name: str, size: Size) -> Readings:
    """Neurons with generic weights, each adjusted to its time constant.

    The adjustment changes a parameter or an offset of the neuron.
    """
    generator = np.random.default_rng(sum(map(ord, name)))
    gate = theory.GATES[name]
    k = len(gate.projections)
    points = size.neurons
    weights = generator.normal(size=(points, k, WIDTH))
    weights *= SPREAD.get(name, OTHERWISE) / np.linalg.norm(
        weights, axis=2, keepdims=True
    )
    offsets = np.zeros((points, k))
    for column, symbol in enumerate(gate.projections):
        offsets[:, column] = OFFSET.get(name, {}).get(str(symbol), 0.0)
    neurons = Neurons(gate, weights, offsets, np.zeros((points, len(gate.parameters))))
    for row, memory in enumerate(size.time_constants):
        _set(neurons, row, float(memory))
    return readings(neurons, HANDS[name])


def _set(neurons: Neurons, row: int, memory: float) -> None:
    """Adjust one neuron to a time constant, in place."""
    z, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    moved = neurons.parameters if neurons.parameters.size else neurons.offsets
    neuron = neurons.some(slice(row, row + 1))
    at = np.zeros((1, neurons.weights.shape[1], len(z)))
    at[0, 0] = np.linalg.norm(neurons.weights[row, 0]) * z

    def excess(value: float) -> float:
        moved[row, 0] = value
        a = coefficients(neuron, at, None)[0][0]
        return math.log(float((1 - a) @ w) * memory)

    moved[row, 0] = scipy.optimize.brentq(excess, -12.0, 12.0, xtol=1e-6)


def closed(name: str, size: Size, change: Change | None = None) -> dict[str, Any]:
    """The judged moments in closed form, by reading: one for each neuron."""
    neurons = judged_readings(name, size).neurons
    first = np.eye(WIDTH)[:1]
    options: dict[str, Any] = {"steps": STEPS, "average": True}
    moments = {"state": mutated_moment(change, neurons, **options).value}
    for by in judged_readings(name, size).by:
        own = by in map(str, theory.GATES[name].parameters)
        rows = None if own else first
        moments[by] = mutated_moment(
            change, neurons, by, directions=rows, **options
        ).value
    return moments


@functools.cache
def plans(name: str, size: Size) -> dict[str, tuple[Plan, ...]]:
    """Plans from a pilot's variances, all with the largest sample size."""
    with double_precision(True):
        control = controls(judged_readings(name, size), STEPS)
        pilot = simulate(
            pilot_key(f"memories {name}"), judged_readings(name, size), control, PILOT
        )
    return planned(pilot, size, LEAST, BATCH)


def planned(
    pilot: Mapping[str, Sums], size: Size, least: int, batch: int
) -> dict[str, tuple[Plan, ...]]:
    """Plans by reading for the variances of a pilot, all with the largest sample size.

    Args:
        pilot: Sums by reading.
        size: Number of neurons, margin and inflation of the tier.
        least: Smallest number of trajectories.
        batch: Number of trajectories of which the sample size is a multiple.
    """
    plans_by_name = {}
    for name, sums in pilot.items():
        mean, sem, n = sums.estimate()
        relative = np.maximum(size.inflation * n * (sem / mean) ** 2, FLOOR)
        plans_by_name[name] = [plan(size.margin, variance=float(v)) for v in relative]
    most = max(least, *(sized.n for row in plans_by_name.values() for sized in row))
    n = -(-most // batch) * batch
    return {
        name: tuple(dataclasses.replace(sized, n=n) for sized in row)
        for name, row in plans_by_name.items()
    }


def memories(name: str, seed: int, size: Size = QUICK) -> tuple[RouteResult, ...]:
    """Judge moments of state and derivatives, for every parameter and time constant."""
    sized, forms, judged = (
        plans(name, size),
        closed(name, size),
        judged_readings(name, size),
    )
    with double_precision(True):
        control = controls(judged, STEPS)
        key = group_key(seed, f"sigprop:memories-{name}")
        sums = simulate(key, judged, control, sized["state"][0].n)
    return (
        *stepwise(stepped(judged, STEPS), forms, EXACT),
        *simulated_results(size, sized, forms, sums),
    )


def stepwise(
    measured: Mapping[str, np.ndarray], forms: Mapping[str, np.ndarray], exact: float
) -> Iterator[RouteResult]:
    """Compare moments computed step by step with the closed forms, by reading.

    Args:
        measured: Moments computed step by step, one for each neuron.
        forms: The closed forms.
        exact: Allowed relative difference.
    """
    for name, values in measured.items():
        worst = float(np.max(np.abs(values / forms[name] - 1)))
        yield decided("steps", f"all memories, {name}", 1 + worst, worst <= exact)


def simulated_results(
    size: Size,
    sized: Mapping[str, tuple[Plan, ...]],
    forms: Mapping[str, np.ndarray],
    sums: Mapping[str, Sums],
) -> Iterator[RouteResult]:
    """The verdict of the simulation on every reading at every time constant.

    Args:
        size: Number of neurons, margin and inflation of the tier.
        sized: Plans by reading.
        forms: The closed forms, one for each neuron.
        sums: Sums of the simulation.
    """
    for name, row in sized.items():
        mean, sem, _ = sums[name].estimate()
        for index, planned in enumerate(row):
            verdict = judge(
                float(mean[index]),
                float(forms[name][index]),
                planned,
                float(sem[index]),
            )
            point = f"memory {size.time_constants[index]:.3g}, {name}"
            yield simulated_result(point, verdict)


def score(name: str, size: Size = QUICK) -> Score:
    """Mutation score: mutants in the expectations that the simulation's plan refutes."""
    return scored(
        OF_NEURONS, lambda change: closed(name, size, change), plans(name, size)
    )


def scored(
    mutants: Mapping[str, Any],
    closed: Callable[[Any], Mapping[str, np.ndarray]],
    sized: Mapping[str, tuple[Plan, ...]],
) -> Score:
    """Mutation score: mutants that plans detect at one time constant or more.

    Args:
        mutants: Functions that change the right expectations.  A mutant without an
            effect does not count.
        closed: The closed forms by reading, with or without a mutant.
        sized: Plans by reading.
    """
    truth, total, survivors = closed(None), 0, []
    for mutant, change in mutants.items():
        wrong = closed(change)
        with np.errstate(divide="ignore"):
            ratios = {name: truth[name] / wrong[name] for name in truth}
        if max(np.abs(ratio - 1).max() for ratio in ratios.values()) < SAME:
            continue
        total += 1
        detected = any(
            not planned.detectable[0] < ratio < planned.detectable[1]
            for name, row in sized.items()
            for planned, ratio in zip(row, ratios[name], strict=True)
        )
        if not detected:
            survivors.append(mutant)
    return Score(total, tuple(survivors))
