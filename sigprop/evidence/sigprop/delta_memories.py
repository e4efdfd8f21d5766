"""Checks of heads of the delta rule with time constants up to 1000 steps.

The headline tier has twenty heads and a margin of one per cent; the quick tier has five
heads and three per cent.  Two routes are compared with the closed forms.  The first
simulates the rule from the zero state, differentiates it by JAX and takes the mean over
time.  The second computes the moments step by step, with other nodes of the input than
the theory.

Keys have two entries, and most keys point nearly along the first axis.  The part of the
state along the second axis is kept until a key points there.  If the extents of the two
axes have the ratio ``r``, ``E k^2 = r / (1 + r)`` for the second entry, and half of
this part is forgotten per step.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from sigprop.evidence.sigprop.gates import OF_HEADS
from sigprop.evidence.sigprop.neuron_memories import (
    QUICK,
    Size,
    planned,
    scored,
    simulated_results,
    stepwise,
)
from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.verdict import Plan
from sigprop.layers.projected import TINY
from sigprop.neuron.delta import Head
from sigprop.neuron.delta_moments import mutated_delta_moments
from sigprop.neuron.delta_simulation import (
    BATCH,
    KEYS,
    READINGS,
    WIDTH,
    Deltas,
    controls,
    simulate,
    stepped,
)
from sigprop.numerics.precision import double_precision

DRAWS = "sigprop:memories-deltanet"  # name of the random numbers
STEPS = 1024
EXACT = 0.01  # share of the margin allowed between two rules of quadrature
NORMAL = 0.08 * BATCH  # trajectories times margin, for a nearly normal mean
LONG = 10.0  # extent of the keys, much larger than TINY
SPREAD = 0.5  # standard deviation of the gate's argument
SHARED = 0.6  # share of the gate's row in the plane of the keys
MUTANTS = {
    **OF_HEADS,
    "the gate's slope without its rest": lambda gates: gates._replace(slope=gates.beta),
    "the gate's slope without the gate": lambda gates: gates._replace(
        slope=1 - gates.beta
    ),
}


def _rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@functools.cache
def heads(size: Size) -> Deltas:
    """Heads with generic weights, one for each time constant."""
    generator = np.random.default_rng(sum(map(ord, "deltanet")))
    W_k = np.zeros((size.neurons, KEYS, WIDTH))
    for index, memory in enumerate(size.time_constants):
        extents = np.diag([1.0, 2 / (memory - 2)])
        first, second = map(_rotation, generator.uniform(0, 2 * np.pi, 2))
        W_k[index, :, :KEYS] = LONG * first @ extents @ second
    W_v = generator.normal(size=(size.neurons, WIDTH))
    W_v /= np.linalg.norm(W_v, axis=1, keepdims=True)
    angles = generator.uniform(0, 2 * np.pi, size.neurons)
    directions = [SHARED * np.cos(angles), SHARED * np.sin(angles)]
    own = np.full(size.neurons, np.sqrt(1 - SHARED**2))
    W_beta = SPREAD * np.stack([*directions, own], 1)
    return Deltas(W_k, W_v, W_beta, TINY)


def closed(size: Size, change: Any = None) -> dict[str, np.ndarray]:
    """The judged moments in closed form, by reading: one for each head."""
    deltas, rows = heads(size), []
    for W_k, W_v, W_beta in zip(*deltas[:3], strict=True):
        head = Head(W_k, W_v[None], W_beta, None, 0.0, 0.0, deltas.tiny)
        moments = mutated_delta_moments(
            change, head, READINGS, steps=STEPS, average=True
        )
        rows.append([moments[name][0] for name in READINGS])
    return dict(zip(READINGS, np.array(rows).T, strict=True))


@functools.cache
def weights(size: Size) -> np.ndarray:
    """Weights of the simulation's control variates."""
    return controls(heads(size), STEPS)


@functools.cache
def by_steps(size: Size) -> Mapping[str, np.ndarray]:
    """Moments of the heads, step by step."""
    return stepped(heads(size), STEPS)


@functools.cache
def plans(size: Size) -> dict[str, tuple[Plan, ...]]:
    """Plans from a pilot's variances, all with the largest sample size."""
    with double_precision(True):
        least = -(-round(NORMAL / size.margin) // BATCH) * BATCH
        pilot = simulate(pilot_key(DRAWS), heads(size), weights(size), least)
    return planned(pilot, size, least, BATCH)


def memories(seed: int, size: Size = QUICK) -> tuple[RouteResult, ...]:
    """Judge moments of state and of derivatives by weights, for every time constant."""
    sized, forms, deltas = plans(size), closed(size), heads(size)
    with double_precision(True):
        key = group_key(seed, DRAWS)
        sums = simulate(key, deltas, weights(size), sized["state"][0].n)
    return (
        *stepwise(by_steps(size), forms, EXACT * size.margin),
        *simulated_results(size, sized, forms, sums),
    )


def score(size: Size = QUICK) -> Score:
    """Mutation score: mutants in the gates that the simulation's plan refutes."""
    return scored(MUTANTS, lambda change: closed(size, change), plans(size))
