"""Evidence for moments of whole layers: closed form, impulse responses, simulation.

There is one table of layers and one of inputs.  Every layer is judged at every input,
for its state, its output and the gradient of every group of its parameters.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.evidence.sigprop.directional_curvature import moved
from sigprop.evidence.sigprop.learnt import learnt_moments, score_of_moments
from sigprop.evidence.sigprop.students import LARGE
from sigprop.inputs import AR1, Constant, GaussianProcess, Recording, White
from sigprop.judge import grids
from sigprop.judge.basis import Basis, Case, Grid, by_case
from sigprop.judge.mutants import SAME, Score
from sigprop.judge.results import RouteResult, decided
from sigprop.judge.simulate import group_key, pilot_key
from sigprop.judge.statuses import simulated_result
from sigprop.judge.verdict import GAUSSIAN_VARIANCE, Plan, judge, plan
from sigprop.layers.base import Layer
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import linear_rnn
from sigprop.layers.gated import constant_gate, gated_unit
from sigprop.layers.gru import gru
from sigprop.layers.initialisers import each
from sigprop.layers.lru import lru
from sigprop.layers.lstm import lstm
from sigprop.layers.rotrnn import bidirectional_rotrnn, rotrnn
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.layers.stack import stack
from sigprop.linear.linearise import Perturbed, perturb
from sigprop.linear.measured_moments import (
    BATCH,
    by_group,
    exact,
    measure_each,
    position,
)
from sigprop.linear.predicted_moments import predict, predict_with_weight
from sigprop.neuron import draws
from sigprop.neuron.montecarlo import Estimate, together
from sigprop.numerics.compilation import ONCE
from sigprop.numerics.points import exponential
from sigprop.numerics.precision import double_precision
from sigprop.theory import layers as theory
from sigprop.theory.mutants import mutants_of

STEPS = 14
EXACT, FIRST_ORDER_AGREEMENT = 1e-9, 1e-3  # allowed relative errors of impulses
SMALL = 0.05  # size of the inputs of gated layers
MARGIN, GATED_MARGIN = 0.15, 0.25
OFF = {"gate": 0.015, "gru": 0.02, "lstm": 0.035}  # first-order errors at SMALL
PILOT, INFLATION = 8 * BATCH, 1.5  # sequences of a pilot; factor on its variance
TIMES = (4.0, 32.0)
ROTATIONS = {"heads": 2, "gamma_range": (0.6, 0.98)}


def _lru(key: PRNGKeyArray, n: int, width: int) -> Layer:
    return lru(n, width, key=key, r_min=0.6, r_max=0.99)


def _deep(key: PRNGKeyArray) -> Layer:
    layers = each(lambda k: _lru(k, 6, 3), jax.random.split(key, 3))
    return stack([jax.tree.map(lambda x, i=i: x[i], layers) for i in range(3)])


LINEAR: dict[str, Callable[[PRNGKeyArray], Layer]] = {
    "lru": lambda key: _lru(key, 8, 4),
    "complex": lambda key: complex_diagonal(8, 4, key=key, d_out=3, nu0=0.4),
    "s4": lambda key: s4(8, 4, key=key, d_out=3, nu0=0.4, theta0=2.0),
    "s4d": lambda key: s4d(2, 4, key=key, dt_min=0.02, dt_max=0.5),
    "s5": lambda key: s5(6, 4, key=key, blocks=2, dt_min=0.02, dt_max=0.5),
    "dense": lambda key: linear_rnn(8, 4, key=key, d_out=3, nu0=0.4, theta0=math.pi),
    "constant-gate": lambda key: constant_gate(8, 8, key=key, d_out=3, times=TIMES),
    "rotrnn": lambda key: rotrnn(8, 4, key=key, **ROTATIONS),
    "rotrnn-both": lambda key: bidirectional_rotrnn(8, 4, key=key, **ROTATIONS),
    "blur": lambda key: blur(8, 4, key=key, r_min=0.6, r_max=0.99),
    "deep": _deep,
}
GATED: dict[str, Callable[[PRNGKeyArray], Layer]] = {
    "gate": lambda key: gated_unit(8, 8, key=key, d_out=3, times=TIMES),
    "gru": lambda key: gru(8, 4, key=key, d_out=3, times=TIMES),
    "lstm": lambda key: lstm(8, 4, key=key, d_out=3, times=TIMES),
}
NUMPY = ("s5", "dense")  # their eigenvectors are NumPy's, which JAX cannot compile
FIRST = ("state", "output", "input", "readout")  # have a first order


def chirp(length: int = 509) -> Recording:
    """A recording that is not Gaussian: a filtered sweep of frequencies.

    Its autocovariance is not a power of the lag.
    """
    tone = np.cos(np.pi * (math.sqrt(5) - 1) / 2 * np.arange(length) ** 2)
    rolled = [0.6**lag * np.cos(0.9 * lag) * np.roll(tone, lag) for lag in range(99)]
    series = np.sum(rolled, axis=0)
    return Recording((series - series.mean()) / np.std(series))


INPUTS: dict[str, Any] = {
    "white": White(),
    "rho=0.9": AR1(0.9),
    "constant": Constant(),
    "recording": chirp(),
}


@dataclass(frozen=True)
class Scaled:
    """A process times a constant."""

    process: Any
    size: float

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = jnp.float32
    ) -> Float[Array | np.ndarray, "num length"]:
        """Sample the process, times the constant."""
        return self.size * draws.series(key, self.process, num, length, dtype)

    def autocovariance(self, lags: Any) -> Any:
        """Autocovariance of the process, times the number squared."""
        return self.size**2 * self.process.autocovariance(lags)


class Subject(NamedTuple):
    """A layer with the modes for its closed forms, and the required agreement."""

    layer: Layer
    known: Perturbed
    tolerance: float


def _draws(label: str) -> str:
    """Name of the random numbers of a layer, unique to it."""
    return f"sigprop:moments-{label}"


@functools.cache
def _layer(label: str) -> Layer:
    """A layer of the tables, the same in every run."""
    draw = {**LINEAR, **GATED}[label]
    if label not in NUMPY:
        draw = jax.jit(draw, compiler_options=ONCE)
    with double_precision(True):
        return draw(group_key(0, _draws(label)))


@functools.cache
def subject(label: str) -> Subject:
    """A layer of the tables, with derivatives of its modes."""
    layer = _layer(label)
    with double_precision(True):
        perturbed = perturb(layer)
    return Subject(layer, perturbed, EXACT if layer.linear else FIRST_ORDER_AGREEMENT)


@functools.cache
def closed(label: str) -> dict[str, dict[str, float]]:
    """The closed forms of a layer, by input, after the simulated number of steps."""
    layer, known = _layer(label), subject(label).known
    at, lags = position(layer, STEPS), np.arange(STEPS)
    return {
        name: by_group(layer, predict(known, source.autocovariance(lags), STEPS, at))
        for name, source in _sources(label).items()
    }


@functools.cache
def impulses(label: str) -> dict[str, dict[str, float]]:
    """Moments of a layer, by input, from its responses to impulses."""
    layer = _layer(label)
    at, lags = position(layer, STEPS), np.arange(STEPS)
    return {
        name: exact(layer, source.autocovariance(lags), steps=STEPS, at=at)
        for name, source in _sources(label).items()
    }


def _sources(label: str, size: float = 1.0) -> dict[str, Scaled]:
    """The inputs of a layer, times ``size``; inputs of nonlinear layers are small."""
    size *= 1.0 if _layer(label).linear else SMALL
    return {name: Scaled(process, size) for name, process in INPUTS.items()}


def _measured(
    label: str, keys: Mapping[str, PRNGKeyArray], num: int, size: float = 1.0
) -> dict[str, dict[str, Estimate]]:
    layer, sources = _layer(label), _sources(label, size)
    inputs, key_values = tuple(sources[name] for name in keys), tuple(keys.values())
    measured = measure_each(
        key_values, layer, inputs, steps=STEPS, num=num, workers=None
    )
    return dict(zip(keys, measured, strict=True))


@functools.cache
def pilot(label: str) -> dict[str, dict[str, Estimate]]:
    """Moments in a few sequences, to estimate variances that have no known bound."""
    names = [name for name in INPUTS if not _bounded(label, name)]
    keys = {name: pilot_key(f"{_draws(label)} {name}") for name in names}
    return _measured(label, keys, PILOT)


def _judged(label: str) -> tuple[str, ...]:
    """The quantities that are judged."""
    return (*FIRST, "recurrent") if _layer(label).linear else FIRST


def _bounded(label: str, name: str) -> bool:
    return _layer(label).linear and isinstance(INPUTS[name], GaussianProcess)


def plans(label: str) -> dict[tuple[str, str], Plan]:
    """Plans of all inputs and quantities, all with the largest sample size.

    Squared responses of a linear layer to Gaussian inputs have at most the relative
    variance ``GAUSSIAN_VARIANCE``.  For recordings and gated layers, the variance of a
    pilot is inflated.  The samples then resolve the part of the margin that the known
    error of the approximation leaves.
    """
    linear, by_quantity = _layer(label).linear, {}
    for name, form in closed(label).items():
        for quantity in _judged(label):
            if not form.get(quantity):
                continue  # no such group, or zero at first order
            variance = GAUSSIAN_VARIANCE
            if not _bounded(label, name):
                mean, sem, n = pilot(label)[name][quantity]
                variance = INFLATION * n * float(sem / mean) ** 2
            by_quantity[name, quantity] = plan(
                MARGIN if linear else GATED_MARGIN,
                variance=variance,
                exact=linear,
                off=OFF.get(label, 0.0),
            )
    most = max(planned.n for planned in by_quantity.values())
    largest = -(-most // BATCH) * BATCH
    return {
        key: dataclasses.replace(planned, n=largest)
        for key, planned in by_quantity.items()
    }


def remainder_order(label: str) -> float:
    """Power of the inputs' size with which the remainder of the first order falls.

    The same inputs are used at full, half and quarter size, so that common parts
    cancel.  All inputs and quantities are combined.
    """
    keys = {name: pilot_key(f"{_draws(label)} {name}") for name in INPUTS}
    at_size = []
    for size in (1.0, 0.5, 0.25):
        measured = _measured(label, keys, BATCH, size)
        ratios = [
            float(measured[name][quantity].mean) / (size**2 * form[quantity])
            for name, form in closed(label).items()
            for quantity in _judged(label)
            if form.get(quantity)
        ]
        at_size.append(np.array(ratios))
    first, second = np.diff(at_size, axis=0)
    return float(np.log2(np.linalg.norm(first) / np.linalg.norm(second)))


def layer_moments(label: str, seed: int) -> tuple[RouteResult, ...]:
    """Judge moments of a layer at each input, by impulses and by simulation.

    For a gated layer, the forms are those of its effective eigenvalues at small inputs.
    They are an approximation, and are refuted only outside the margin or if the
    remainder has another order.
    """
    with double_precision(True):
        _, examined = together(lambda: pilot(label), lambda: subject(label))
        sized = plans(label)
        keys = {name: group_key(seed, f"{_draws(label)} {name}") for name in INPUTS}
        estimates = _measured(label, keys, next(iter(sized.values())).n)
        results = []
        for (name, quantity), planned in sized.items():
            form, measured = closed(label)[name][quantity], estimates[name][quantity]
            point = f"{name}, {quantity}"
            ratio = impulses(label)[name][quantity] / form
            right = abs(ratio - 1) <= examined.tolerance
            results.append(decided("impulse", point, ratio, right))
            mean, sem = float(measured.mean), float(measured.sem)
            results.append(simulated_result(point, judge(mean, form, planned, sem)))
        if not _layer(label).linear:
            order = remainder_order(label)
            point = "order of the remainder in the inputs' size, over two"
            right = round(order) == 2
            results.append(decided("reference", point, order / 2, right))
    return tuple(results)


def score(label: str) -> Score:
    """Mutation score: mutants in the form that impulse responses refute.

    Mutants change the weight of a lag, the derivatives by a parameter, or the product
    of two directions.  A mutant is refuted if it changes a moment by more than the
    required agreement.
    """
    layer, known, tolerance = subject(label)
    form, at = theory.pair_weight().result, position(layer, STEPS)
    inputs = [source.autocovariance(np.arange(STEPS)) for source in INPUTS.values()]

    def moments(
        now: Perturbed = known, weight: Any = None, at: int = at
    ) -> Float[np.ndarray, "inputs quantities"]:
        rows = [
            by_group(layer, predict_with_weight(weight, now, R, STEPS, at))
            for R in inputs
        ]
        return np.array([[row[q] for q in _judged(label) if q in row] for row in rows])

    truth, resting = moments(), Perturbed(known.modes, {})
    with np.errstate(all="ignore"):
        wrong = {m.change: moments(resting, m.expr) for m in mutants_of(form)}
    wrong |= {
        "eigenvalues at rest": moments(moved(known, derivatives=0)),
        "residues at rest": moments(moved(known, residues=0)),
        "the skip at rest": moments(moved(known, skip=0)),
        "one residue for all": moments(_exchanged(known)),
    }
    if len(known.modes) == 2:
        ahead, behind = _alone(known)
        apart = moments(ahead) + moments(behind, at=STEPS - 1 - at)
        wrong["the directions apart"] = apart
    total, survivors = 0, []
    for mutant, values in wrong.items():
        right = truth[:, : values.shape[1]]  # at rest, only states and outputs
        apart = np.abs(values - right) / np.where(right, right, 1.0)
        if np.all(apart < SAME):
            continue
        total += 1
        if np.all(apart <= tolerance):
            survivors.append(mutant)
    return Score(total, tuple(survivors))


def _exchanged(known: Perturbed) -> Perturbed:
    """The modes, with residues shifted by one position."""
    return known._replace(
        modes=tuple(m._replace(outward=np.roll(m.outward, 1, 1)) for m in known.modes)
    )


def _alone(known: Perturbed) -> list[Perturbed]:
    """Each direction as a separate layer; the first has the skip connection."""
    return [
        Perturbed((modes,), {n: (halves[k],) for n, halves in known.tangents.items()})
        for k, modes in enumerate(known.modes)
    ]


EVIDENCE: dict[str, Basis] = {
    "sigprop:moments": by_case(
        {
            label: Case(
                partial(layer_moments, label),
                partial(score, label),
                ("impulse", "monte_carlo"),
            )
            for label in LINEAR
        }
        | {
            f"{student}, learnt": Case(
                partial(learnt_moments, student),
                partial(score_of_moments, student),
                ("trained", "impulse"),
            )
            for student in LARGE
        }
    ),
    "sigprop:moments-gated": by_case(
        {
            label: Case(
                partial(layer_moments, label),
                partial(score, label),
                ("impulse", "monte_carlo", "reference"),
            )
            for label in GATED
        }
    ),
    "sigprop:state-finite": Grid("state", grids.FINITE),
    "sigprop:sensitivity-finite": Grid("sensitivity", grids.FINITE),
    "sigprop:state-mixed": Grid("state", grids.COMPLEX_MIXED),
    "sigprop:sensitivity-mixed": Grid("sensitivity", grids.COMPLEX_MIXED),
    "sigprop:ring-any-input": Grid(
        "ring_gain", grids.rings((exponential(0.9), exponential(-0.6)))
    ),
}
