"""Evidence for our own statements on gates that depend on the input alone.

Recurrences with random coefficients are judged by the sum over all sequences of
coefficients with two values.  Layers are judged by the sum over all sequences of two
inputs, and by simulation with Gaussian inputs.  Both run one compiled program of the
layer.
"""

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from sigprop.evidence.kit import Points
from sigprop.judge.basis import Basis, Case, Evidence, by_case
from sigprop.judge.mutants import SAME, Score
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import Plan, judge, plan
from sigprop.layers.base import Layer
from sigprop.layers.deltanet import Delta, deltanet, gated_deltanet
from sigprop.layers.gated import gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.mingru import mingru
from sigprop.layers.rglru import rglru
from sigprop.layers.selective import selective
from sigprop.linear.gated_moments import (
    enumerate_gated,
    mutated_gated,
    predict_gated,
    squares,
)
from sigprop.neuron import draws
from sigprop.neuron.delta_moments import Gates
from sigprop.neuron.gated import Expectations
from sigprop.neuron.montecarlo import Estimate, Sums, over_batches
from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import second_moment
from sigprop.numerics.compilation import ONCE
from sigprop.numerics.precision import double_precision
from sigprop.theory import gated_moments as theory

# Recurrences of random coefficients.

FADED = 12  # steps after which (E a^2)^n is below 1e-14 for E a^2 = 0.07
Pair = tuple[float, float, float, float]  # a, b, c, d


def _point(p: float, first: Pair, second: Pair, **more: int) -> dict[str, Any]:
    """A distribution of two values, and its expectations."""
    point: dict[str, Any] = {"p": p}
    for end, values in (("1", first), ("2", second)):
        point |= {f"{name}_{end}": v for name, v in zip("abcd", values, strict=True)}
    for name in theory.EXPECTATIONS:
        products = (
            math.prod(pair["abcd".index(k)] for k in name) for pair in (first, second)
        )
        here, there = products
        point[f"E_{name}"] = p * here + (1 - p) * there
    return {**point, **more}


def _distribution(point: dict[str, Any]) -> list[tuple[float, Pair]]:
    chances = {"1": point["p"], "2": 1 - point["p"]}
    return [
        (chance, tuple(point[f"{name}_{end}"] for name in "abcd"))  # type: ignore[misc]
        for end, chance in chances.items()
    ]


def enumerated(index: int, steps: int, **point: Any) -> float:
    """``E h^2`` (index 0) or ``E s^2`` (1) over all sequences of two values."""
    total = []
    for rows in itertools.product(_distribution(point), repeat=steps):
        weight, h, s = 1.0, 0.0, 0.0
        for chance, (a, b, c, d) in rows:
            weight, h, s = weight * chance, a * h + b, a * s + c * h + d
        total.append(weight * (h, s)[index] ** 2)
    return math.fsum(total)


def by_ages(steps: int, **point: Any) -> float:
    """``E h^2`` as a double sum over the ages of inputs, newest first."""
    E = {name: point[f"E_{name}"] for name in ("a", "b", "aa", "ab", "bb")}
    terms = [
        E["aa"] ** n
        * (E["bb"] if n == m else 2 * E["ab"] * E["a"] ** (m - n - 1) * E["b"])
        for n in range(steps)
        for m in range(n, steps)
    ]
    return math.fsum(terms)


def by_steps(quantity: str, steps: int, **point: Any) -> float:
    """Either moment from the powers of the matrix of one step."""
    known = {name: point[f"E_{name}"] for name in theory.EXPECTATIONS}
    return float(second_moment(known, quantity, steps))


LAWS: tuple[tuple[float, Pair, Pair], ...] = (
    (0.4, (0.3, 1.0, 0.7, -0.5), (-0.15, 0.6, 1.3, 0.9)),
    (0.7, (0.2, -0.8, -0.6, 0.4), (-0.15, 2.0, 0.5, 1.1)),
    (0.15, (-0.3, 1.4, 0.9, 0.2), (0.15, -0.3, -0.4, 0.7)),
)
SHORT: Points = tuple(
    _point(*law, T=steps) for law, steps in zip(LAWS, (3, 7, 2), strict=True)
)
LONG: Points = tuple(_point(*law) for law in LAWS)

# Whole layers.

STEPS, BATCH = 8, 256  # two inputs in eight steps are 256 sequences
EXACT = 1e-9
MARGIN, PILOT, INFLATION = 0.15, 16 * BATCH, 2.0
HEAVY = {"selective": 6.0}  # factor for tails that a pilot misses
LAYERS: dict[str, Callable[[PRNGKeyArray], Layer]] = {
    "rglru": lambda key: rglru(4, 4, key=key, heads=2, radii=(0.7, 0.97)),
    "mingru": lambda key: mingru(4, 3, key=key, memory=4.0),
    "selective": lambda key: selective(2, 4, key=key, steps=(0.05, 0.3)),
    "gla": lambda key: gla(2, 4, key=key, heads=2, rank=2),
    "unit": lambda key: gated_unit(
        4, 4, key=key, d_out=2, times=(2.0, 16.0), state_gain=0
    ),
    "deltanet": lambda key: deltanet(2, 4, key=key, heads=1),
    "gated-deltanet": lambda key: gated_deltanet(2, 8, key=key, heads=1),
}


def _draws(label: str) -> str:
    """Name of the random numbers of a layer, unique to it."""
    return f"sigprop:gates-{label}"


@functools.cache
def layer_of(label: str) -> Layer:
    """One of ``LAYERS``, the same in every run."""
    with double_precision(True):
        draw = jax.jit(LAYERS[label], compiler_options=ONCE)
        return draw(group_key(0, _draws(label)))


@functools.cache
def closed(label: str) -> dict[str, float]:
    """The moments of a layer under Gaussian inputs."""
    moments_by_name = predict_gated(layer_of(label), steps=STEPS)
    return {name: value for name, (value, _) in moments_by_name.items()}


def two_inputs(width: int) -> Law:
    """Two input vectors of generic entries, and their probabilities."""
    values = np.cos(np.arange(2 * width) ** 2 + 1.0).reshape(2, width)
    return Law(1.5 * values, np.array([0.6, 0.4]))


def sampled_moments(
    key: PRNGKeyArray, layer: Layer, num: int, rho: float = 0.0
) -> dict[str, Estimate]:
    """Moments over sequences of Gaussian inputs with a given AR(1) correlation."""
    shape, program = (BATCH, STEPS, layer.widths[0]), squares(layer)

    def task(index: int, count: int) -> dict[str, Sums]:
        u = _series(jax.random.fold_in(key, index), shape, rho)
        squares_by_name = {
            name: np.asarray(x)[:count] for name, x in program(u).items()
        }
        return {
            name: Sums(x.sum(), (x**2).sum(), count)
            for name, x in squares_by_name.items()
        }

    parts = over_batches(task, num, BATCH, lambda count: None, None)
    return {
        name: functools.reduce(Sums.__add__, (part[name] for part in parts)).estimate()
        for name in parts[0]
    }


def _series(key: PRNGKeyArray, shape: tuple[int, int, int], rho: Any) -> Any:
    """Series (sequences, time, width) of unit variance."""
    u = np.array(draws.normal(key, shape, np.float64))
    for t in range(1, shape[1]):
        u[:, t] = rho * u[:, t - 1] + np.sqrt(1 - rho**2) * u[:, t]
    return u


@functools.cache
def plans(label: str) -> dict[str, Plan]:
    """Plans from a pilot's variances, all with the largest sample size."""
    pilot = sampled_moments(pilot_key(_draws(label)), layer_of(label), PILOT)
    return planned(pilot, HEAVY.get(label, INFLATION))


def planned(pilot: dict[str, Estimate], inflation: float) -> dict[str, Plan]:
    """Plans of quantities from measured variances, all with the largest sample size."""
    planned = {}
    for name, (mean, sem, n) in pilot.items():
        variance = inflation * n * float(sem / mean) ** 2
        planned[name] = plan(MARGIN, variance=variance)
    most = max(sized.n for sized in planned.values())
    largest = -(-most // BATCH) * BATCH
    return {
        name: dataclasses.replace(sized, n=largest) for name, sized in planned.items()
    }


def layer_moments(label: str, seed: int) -> tuple[RouteResult, ...]:
    """Judge moments of a layer by all sequences of two inputs, and by simulation."""
    layer, results = layer_of(label), []
    with double_precision(True):
        law = two_inputs(layer.widths[0])
        exact = predict_gated(layer, law=law, steps=STEPS)
        for name, value in enumerate_gated(layer, law, STEPS).items():
            ratio = value / exact[name].value
            right = abs(ratio - 1) <= EXACT
            results.append(decided("enumeration", f"two inputs, {name}", ratio, right))
        sized = plans(label)
        samples = sampled_moments(
            group_key(seed, _draws(label)), layer, next(iter(sized.values())).n
        )
    for name, planned in sized.items():
        mean, sem, _ = samples[name]
        verdict = judge(float(mean), closed(label)[name], planned, float(sem))
        results.append(simulated_result(f"Gaussian, {name}", verdict))
    return tuple(results)


def _without(letter: str) -> Callable[[Expectations], Expectations]:
    """Expectations in which one coefficient is zero."""
    return lambda known: {k: v * (letter not in k) for k, v in known.items()}


def _with(
    **wrong: Callable[[Expectations], Any],
) -> Callable[[Expectations], Expectations]:
    return lambda known: {
        k: wrong[k](known) + 0 * v if k in wrong else v for k, v in known.items()
    }


OF_NEURONS: dict[str, Callable[[Expectations], Expectations]] = {
    "the mean of a, squared": _with(aa=lambda E: E["a"] ** 2),
    "the mean of b, squared": _with(bb=lambda E: E["b"] ** 2),
    "a and b as if independent": _with(ab=lambda E: E["a"] * E["b"]),
    "a at rest": _without("c"),
    "b at rest": _without("d"),
    "slopes of a as if independent of a": _with(ac=lambda E: E["a"] * E["c"]),
    "the mean slope of a, squared": _with(cc=lambda E: E["c"] ** 2),
    "the mean slope of b, squared": _with(dd=lambda E: E["d"] ** 2),
}
OF_HEADS: dict[str, Callable[[Gates], Gates]] = {
    "beta at rest": lambda gates: gates._replace(slope=0 * gates.slope),
    "beta squared": lambda gates: gates._replace(beta=gates.beta**2),
    "beta is one half": lambda gates: gates._replace(beta=0 * gates.beta + 0.5),
    "values of mean zero": lambda gates: gates._replace(v=0 * gates.v),
    "nothing decays": lambda gates: gates._replace(alpha=gates.alpha**0),
    "the decay squared": lambda gates: gates._replace(alpha=gates.alpha**2),
    "the decay's step at rest": lambda gates: gates._replace(by_step=0 * gates.alpha),
    "the decay's rate at rest": lambda gates: gates._replace(by_rate=0 * gates.alpha),
}


def score(label: str) -> Score:
    """Mutation score: mutants that the sequences of two inputs refute or miss."""
    layer = layer_of(label)
    law = two_inputs(layer.widths[0])
    mutants: dict[str, Any] = OF_HEADS if isinstance(layer, Delta) else OF_NEURONS
    wrong = {mutant: (change, STEPS) for mutant, change in mutants.items()}
    wrong["a step less"] = (None, STEPS - 1)
    truth, total, survivors = predict_gated(layer, law=law, steps=STEPS), 0, []
    for mutant, (change, steps) in wrong.items():
        mutated = mutated_gated(change, layer, law=law, steps=steps)
        apart = [
            abs(mutated[name].value / value - 1) for name, (value, _) in truth.items()
        ]
        if max(apart) < SAME:
            continue  # the layer has no decay
        total += 1
        if max(apart) <= EXACT:
            survivors.append(mutant)
    return Score(total, tuple(survivors))


EVIDENCE: dict[str, Basis] = {
    "sigprop:random-state": Evidence(
        SHORT,
        {
            "reference": lambda T, **at: enumerated(0, T, **at),
            "ages": lambda T, **at: by_ages(T, **at),
        },
        proof=theory.finite_holds,
    ),
    "sigprop:random-state-limit": Evidence(
        LONG,
        {
            "reference": lambda **at: enumerated(0, FADED, **at),
            "ages": lambda **at: by_ages(200, **at),
        },
        proof=lambda: theory.limit_holds("state"),
    ),
    "sigprop:random-sensitivity": Evidence(
        LONG,
        {
            "reference": lambda **at: enumerated(1, FADED, **at),
            "steps": lambda **at: by_steps("sensitivity", 300, **at),
        },
        proof=lambda: theory.limit_holds("sensitivity"),
    ),
    "sigprop:gates": by_case(
        {
            label: Case(
                partial(layer_moments, label),
                partial(score, label),
                ("enumeration", "monte_carlo"),
            )
            for label in LAYERS
        }
    ),
}
