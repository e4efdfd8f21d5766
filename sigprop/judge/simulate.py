"""Simulations that claims share, with one set of trajectories per input.

A reading is one quantity at one grid point.  All readings of one input use the same
trajectories.  Their random key depends only on the seed of the run and on the input.  A new
claim thus does not change the results of others.
"""

import functools
import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.inputs import GaussianProcess
from sigprop.judge.grids import LONG, SHORT
from sigprop.judge.plans import Reading
from sigprop.judge.routes import eigenvalues, process
from sigprop.neuron import ring
from sigprop.neuron.draws import series
from sigprop.neuron.montecarlo import Sums, over_batches, second_moments, trajectories
from sigprop.neuron.recurrence import linear_recurrence, step
from sigprop.numerics.compilation import OFTEN, SOME
from sigprop.numerics.points import EigenPoint, Input, PairPoint, Point, RingPoint
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed

TIMES = (*SHORT, LONG)  # every group looks at all of them, so that its noise is stable
BATCH = 2048


def group_key(seed: int, name: str) -> PRNGKeyArray:
    """Return the key of a group of trajectories: the seed, folded with a stable hash.

    Raises:
        ValueError: If the seed is out of range.
    """
    require_seed(seed)
    return group_fold(jax.random.key(seed), name)


def pilot_key(name: str) -> PRNGKeyArray:
    """Return the key of a pilot simulation, which is the same in every run."""
    return group_fold(group_key(0, "pilots"), name)


def group_fold(key: PRNGKeyArray, name: str) -> PRNGKeyArray:
    """Fold a stable hash of a name into a key."""
    return jax.random.fold_in(key, _hash(name))


def _hash(name: str) -> np.uint32:
    return np.uint32(zlib.crc32(name.encode()))


def _require_times(points: Iterable[Point]) -> None:
    odd = {p.steps for p in points if p.steps not in TIMES}
    if odd:
        raise ValueError(f"need steps in {TIMES} for shared trajectories, got {odd}")


STATISTIC = {
    "state": "state",
    "normalised_state": "state",
    "sensitivity": "sensitivity",
    "state_pair": "state_pair",
    "sensitivity_pair": "sensitivity_pair",
}


def _at(sums: Sums, index: int) -> Sums:
    return Sums(sums.first[index], sums.second[index], sums.n)


def _moments(
    seed: int,
    source: Input,
    readings: list[Reading],
    n: int,
    tick: Callable[[int], None],
) -> dict[Reading, Sums]:
    """State and sensitivity moments and pair products under one input."""
    _require_times(reading.point for reading in readings)
    singles: dict[tuple[complex, float], int] = {}
    pairs: dict[tuple[int, int], int] = {}

    def neuron(value: complex, gamma: float = 1.0) -> int:
        return singles.setdefault((value, gamma), len(singles))

    indices = {}
    for reading in readings:
        point = reading.point
        if isinstance(point, PairPoint):
            pair = (neuron(complex(point.alpha)), neuron(complex(point.beta)))
            indices[reading] = pairs.setdefault(pair, len(pairs))
        else:
            assert isinstance(point, EigenPoint)
            gamma = 1.0
            if reading.quantity == "normalised_state":
                gamma = float(ring.normalisation(jnp.asarray(-math.log1p(-point.gap))))
            indices[reading] = neuron(complex(point.eigenvalue()), gamma)
    sums = second_moments(
        group_key(seed, f"moments {source}"),
        eigenvalues(*(value for value, _ in singles)),
        process(source),
        times=TIMES,
        num=n,
        batch=BATCH,
        pairs=tuple(pairs),
        gain=jnp.asarray([gamma for _, gamma in singles]),
        tick=tick,
    )
    return {
        reading: _at(
            sums[TIMES.index(reading.point.steps)][STATISTIC[reading.quantity]], index
        )
        for reading, index in indices.items()
    }


def _backward_batch(key, lam, source: GaussianProcess, steps: int, count: int):
    """Sums of ``|dL/dx_1|^2`` over one batch, one a neuron."""
    squares = np.asarray(
        _pulled(lam, series(key, source, count, steps, lam.real.dtype))
    )
    return squares.sum(1), (squares**2).sum(1)


@functools.partial(jax.jit, compiler_options=OFTEN)
def _pulled(
    lam: Complex[Array, " n"], errors: Float[Array, "count steps"]
) -> Float[Array, "n count"]:
    """``|dL/dx_1|^2`` of states' errors, by reverse mode through the scan."""
    along = errors.T.astype(lam.dtype)

    def neuron(lam):
        same = jnp.full(len(errors), lam)
        later = jnp.zeros((along.shape[0] - 1, 1), lam.dtype)

        def states(x):
            first = step(same, jnp.zeros_like(same), x)
            return first, linear_recurrence(same, later, first)

        _, pull = jax.vjp(states, jnp.zeros_like(same))
        return pull((along[0], along[1:]))[0]

    return jnp.abs(jax.vmap(neuron)(lam)) ** 2


def _backward(
    seed: int,
    source: Input,
    readings: list[Reading],
    n: int,
    tick: Callable[[int], None],
) -> dict[Reading, Sums]:
    """Backpropagated errors: stationary errors pulled back to the first input."""
    points = [reading.point for reading in readings]
    _require_times(points)
    values = [complex(p.eigenvalue()) for p in points if isinstance(p, EigenPoint)]
    lam = eigenvalues(*values)
    key = group_key(seed, f"backward {source}")
    noise = process(source)

    def task(index: int, count: int):
        part = _backward_batch(jax.random.fold_in(key, index), lam, noise, LONG, count)
        return Sums(*part, count)

    total = functools.reduce(Sums.__add__, over_batches(task, n, BATCH, tick))
    return {reading: _at(total, i) for i, reading in enumerate(readings)}


def _ring_batch(key, source: GaussianProcess, rho, rings, steps, count):
    """Sums of importance-weighted ``|h|^2``, one eigenvalue a ring and trajectory."""
    lam, weights = _ring_eigenvalues(key, rho, rings, count)
    (snapshot,) = trajectories(group_fold(key, "walk"), lam, source, (steps,), count)
    samples = np.asarray(snapshot.h.square() * weights)
    return samples.sum(-1), (samples**2).sum(-1)


@functools.partial(jax.jit, static_argnames=("rings", "count"), compiler_options=SOME)
def _ring_eigenvalues(key, rho, rings, count: int):
    """Eigenvalues through Lemma 3.2 at importance-sampled uniforms, and weights."""
    # One call for all, because each call would compile its own copy of the generator.
    names = jnp.array([_hash(f"ring {inner} {outer}") for inner, outer in rings])
    keys = jax.vmap(lambda name: jax.random.split(jax.random.fold_in(key, name)))(names)
    uniforms = jax.vmap(
        jax.vmap(lambda key: jax.random.uniform(key, (count,), jnp.float64))
    )(keys)
    samples = [
        _one_ring(first, second, rho, inner, outer)
        for (first, second), (inner, outer) in zip(uniforms, rings, strict=True)
    ]
    lam, weights = zip(*samples, strict=True)
    return jnp.stack(lam), jnp.stack(weights)


def _one_ring(uniform, turn, rho, inner: float, outer: float):
    first, weight = log_gap_uniform(uniform, inner, outer)
    nu, _ = ring.ring_polar(first, turn, inner, outer)
    second, phase_weight = peaked_uniform(turn, rho * jnp.exp(-nu))
    nu, theta = ring.ring_polar(first, second, inner, outer)
    return jnp.exp(-nu + 1j * theta), weight * phase_weight


def log_gap_uniform(
    uniform: Float[Array, " n"], inner: float, outer: float
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Importance-sample the first uniform of Lemma 3.2, uniform in ``log(1 - |lam|^2)``.

    Sampling by area would rarely draw eigenvalues near the unit circle, which dominate the
    moment.

    Returns:
        Uniforms for the sampler, and importance weights.
    """
    low, high = -math.log1p(-(inner**2)), -math.log1p(-(outer**2))
    width = outer**2 - inner**2
    distance = jnp.exp(-(low + (high - low) * uniform))  # 1 - |lam|^2
    first = (1 - distance - inner**2) / width
    return first, (high - low) * distance / width


def peaked_uniform(
    uniform: Float[Array, " n"], peak: Float[Array, " n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Importance-sample the second uniform of Lemma 3.2, a wrapped Cauchy phase.

    A correlated input excites some phases far more than others.  With uniform phases the
    variance of ``|h|^2`` would be much larger.

    Args:
        uniform: Uniform numbers on [0, 1].
        peak: Concentration in (-1, 1) at phase 0, or at phase pi if negative.

    Returns:
        Uniforms for the sampler, and importance weights.
    """
    spread = (1 - peak) / (1 + peak)
    theta = 2 * jnp.arctan(spread * jnp.tan(jnp.pi * (uniform - 0.5)))
    density = (1 - peak**2) / jnp.abs(1 - peak * jnp.exp(1j * theta)) ** 2
    return jnp.mod(theta / (2 * jnp.pi), 1.0), 1 / density


def _rings(
    seed: int,
    source: Input,
    readings: list[Reading],
    n: int,
    tick: Callable[[int], None],
) -> dict[Reading, Sums]:
    """Moments averaged over rings, the eigenvalues drawn through Lemma 3.2."""
    noise = process(source)
    rho = {"white": 0.0, "constant": 1.0}.get(source.name, source.rho)
    points = [reading.point for reading in readings]
    rings = tuple((p.r_min, p.r_max) for p in points if isinstance(p, RingPoint))
    key = group_key(seed, f"rings {source}")

    def task(index: int, count: int):
        part = _ring_batch(
            jax.random.fold_in(key, index), noise, rho, rings, LONG, count
        )
        return Sums(*part, count)

    total = functools.reduce(Sums.__add__, over_batches(task, n, BATCH, tick))
    return {reading: _at(total, i) for i, reading in enumerate(readings)}


RUNNERS = {
    "state": _moments,
    "normalised_state": _moments,
    "sensitivity": _moments,
    "state_pair": _moments,
    "sensitivity_pair": _moments,
    "backward": _backward,
    "ring_gain": _rings,
    "thin_ring": _rings,
}


class Job(NamedTuple):
    """One group of trajectories: its simulation, input, readings and sample size."""

    runner: Callable[..., dict[Reading, Sums]]
    source: Input
    readings: tuple[Reading, ...]
    n: int


def whole_batches(n: int) -> int:
    """Return the smallest multiple of ``BATCH`` that is at least ``n``."""
    return -(-n // BATCH) * BATCH


def jobs(needed: dict[Reading, int]) -> tuple[Job, ...]:
    """Group readings by simulation and input; a group has its largest sample size.

    The sample size is rounded up to whole batches, because a batch of another size would
    have to be compiled.
    """
    groups: dict[tuple[Callable[..., dict[Reading, Sums]], Input], list[Reading]]
    groups = defaultdict(list)
    for reading in needed:
        source = getattr(reading.point, "input", None)
        if reading.quantity in RUNNERS and source is not None:
            groups[RUNNERS[reading.quantity], source].append(reading)
    return tuple(
        Job(
            runner,
            source,
            tuple(readings),
            whole_batches(max(needed[r] for r in readings)),
        )
        for (runner, source), readings in groups.items()
    )


def run(job: Job, seed: int, tick: Callable[[int], None]) -> dict[Reading, Sums]:
    """Simulate one group in double precision."""
    with double_precision(True):
        return job.runner(seed, job.source, list(job.readings), job.n, tick)
