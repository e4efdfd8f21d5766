"""Measured second moments of any layer: state, output, and the gradients of its groups.

One sequence gives a state, an output and the gradients of every output by every
parameter, at one position.  Averaged over sampled inputs their squares are the measured
moments; taken for each unit impulse instead they give the exact ones of a linear layer,
as a double sum with the input's autocovariance.

Notation: u  inputs (time, d_in);  at  position, counted from 0.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Inexact, Int, PRNGKeyArray

from sigprop.layers.base import Layer, parameters, replace
from sigprop.linear.covariances import require_autocovariance
from sigprop.neuron import draws
from sigprop.neuron.montecarlo import Estimate, Sums, over_batches
from sigprop.numerics.arguments import (
    LARGEST,
    require_count,
    require_finite,
    require_moderate,
    require_within,
)
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import require_dtype
from sigprop.numerics.tracing import is_traced, numbers

MOST_BATCH = 2**20  # impulses that are held, whatever the length
BATCH = 512  # sequences held at once
IMPULSE = 1e-6  # size of the impulses that a layer that is not linear is given


@runtime_checkable
class Process(Protocol):
    """Protocol of an input; the processes of ``sigprop.inputs`` follow it."""

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = ...
    ) -> Float[Array | np.ndarray, "num length"]:
        """Draw ``num`` independent series."""
        ...


def responses(
    layer: Layer,
    u: Float[Array, "time d_in"],
    at: int | Int[Array, ""],
    errors: Float[Array, "errors d_out"],
) -> dict[str, Inexact[Array, "..."]]:
    """State and output at a position, and ``d(v . y_at)/dtheta`` for each error ``v``.

    By each parameter's name; linear in ``u`` for a linear layer.

    Raises:
        ValueError: If it is no position, or a number is not finite.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> found = responses(layer, jnp.ones((10, 2)), 9, jnp.eye(2))
        >>> found["state"].shape, found["nu_log"].shape
        ((4,), (2, 4))
    """
    require_moderate("u", u, "time d_in")
    require_moderate("errors", errors)
    require_within("at", at, 0, len(u) - 1, "[]")
    values = parameters(layer)

    def output(values: dict[str, Array]):
        moved = replace(layer, values)
        h = moved.states(u)
        return moved.read(h, u)[at], h[at]

    y, pull, h = jax.vjp(output, values, has_aux=True)
    return {"state": h, "output": y, **jax.vmap(lambda v: pull(v)[0])(errors)}


def by_group(layer: Layer, moments: Mapping[str, Any]) -> dict[str, Any]:
    """Add up the parameters of each group of the optimiser; keep state and output.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> moments = {"state": 1.0, "B_re": 2.0, "B_im": 3.0}
        >>> by_group(layer, moments)
        {'state': 1.0, 'input': 5.0}
    """
    groups = layer.groups()
    totals: dict[str, Any] = {}
    for name, value in moments.items():
        group = groups.get(name, name)
        totals[group] = totals[group] + value if group in totals else value
    return totals


def _respond_each(
    layer: Layer,
    u: Float[Array, "num time d_in"],
    at: int | Int[Array, ""],
    errors: Float[Array, "num errors d_out"],
):
    return jax.vmap(lambda u, v: responses(layer, u, at, v))(u, errors)


# A program with options of its own cannot be part of another one.
_respond_inside = eqx.filter_jit(_respond_each)
_respond = eqx.filter_jit(  # type: ignore[call-overload]
    _respond_each, compiler_options=SOME
)


def _basis(width: int, num: int, dtype: Any) -> Float[Array, "num errors d_out"]:
    """Each output alone: the mean over errors of unit covariance is their sum."""
    return jnp.broadcast_to(np.eye(width, dtype=dtype), (num, width, width))


def _flat(
    values: Mapping[str, Array], num: int
) -> dict[str, Inexact[Array | np.ndarray, "num size"]]:
    return {
        name: numbers(value)[:num].reshape(num, -1) for name, value in values.items()
    }


def channels(
    key: PRNGKeyArray, process: Process, num: int, steps: int, width: int, dtype: Any
) -> Float[Array, "num time width"]:
    """Draw sequences of independent channels of one process, of mean zero.

    Raises:
        ValueError: If a number is below one, or the type is none that is available.

    Example:
        >>> from sigprop import AR1
        >>> channels(jax.random.key(0), AR1(0.9), 3, 100, 2, jnp.float32).shape
        (3, 100, 2)
    """
    for name, size in (("num", num), ("steps", steps), ("width", width)):
        require_count(name, size)
    require_dtype(dtype)
    series = draws.series(key, process, num * width, steps, dtype)
    return jax.device_put(series.reshape(num, width, steps).swapaxes(1, 2))


class BatchShape(NamedTuple):
    """Shape of one batch of a measurement, and whether each output is looked at."""

    num: int
    steps: int
    widths: tuple[int, int]
    every_output: bool


def _draw(
    keys: tuple[PRNGKeyArray, ...],
    index: int,
    processes: tuple[Process, ...],
    shape: BatchShape,
    dtype: Any,
) -> list[tuple[Float[Array, "num time d_in"], Float[Array, "num errors d_out"]]]:
    """Inputs and errors of one batch of each process."""
    d_in, d_out = shape.widths

    def sample(key: PRNGKeyArray, process: Process):
        input_key, error_key = jax.random.split(jax.random.fold_in(key, index))
        u = channels(input_key, process, shape.num, shape.steps, d_in, dtype)
        if shape.every_output:
            return u, _basis(d_out, shape.num, dtype)
        errors = draws.normal(error_key, (shape.num, 1, d_out), dtype)
        return u, jax.device_put(errors)

    return [sample(*pair) for pair in zip(keys, processes, strict=True)]


def measure(
    key: PRNGKeyArray,
    layer: Layer,
    process: Process,
    *,
    steps: int,
    num: int,
    at: int | None = None,
    batch: int = BATCH,
    every_output: bool = True,
    tick: Callable[[int], None] = lambda count: None,
) -> dict[str, Estimate]:
    """Second moments of a layer over sampled inputs, with their standard errors.

    Args:
        key: Consumed here; batch ``i`` uses ``fold_in(key, i)``.
        layer: Any layer; its parameters' precision is the simulation's.
        process: Each input channel draws it independently.
        steps: Length of the sequences.
        num: Number of sequences.
        at: Position to look at; the last, or the middle for a layer of two directions.
        batch: Sequences held at once.
        every_output: If true, the gradients of all outputs are summed. This costs one
            reverse pass for each output and varies least. If false, one random error is
            drawn for each sequence.
        tick: Called with the number of sequences that each finished batch adds.

    Returns:
        ``state`` and ``output``: ``E|h|^2`` and ``E|y|^2``, summed over neurons and
        outputs.  By each of the layer's groups: ``E|d(v . y)/dtheta|^2`` summed over its
        parameters, for an error ``v`` of unit covariance.

    Raises:
        ValueError: If ``num < 2`` or ``at`` is not a position of the sequence.

    Example:
        >>> from sigprop import AR1
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> found = measure(jax.random.key(1), layer, AR1(0.9), steps=8, num=64)
        >>> sorted(found), found["state"].n
        (['input', 'output', 'readout', 'recurrent', 'state'], 64)
    """
    return measure_each(
        (key,),
        layer,
        (process,),
        steps=steps,
        num=num,
        at=at,
        batch=batch,
        every_output=every_output,
        tick=tick,
    )[0]


def measure_each(
    keys: tuple[PRNGKeyArray, ...],
    layer: Layer,
    processes: tuple[Process, ...],
    *,
    steps: int,
    num: int,
    at: int | None = None,
    batch: int = BATCH,
    every_output: bool = True,
    tick: Callable[[int], None] = lambda count: None,
    workers: int | None = 1,
) -> list[dict[str, Estimate]]:
    """``measure`` for each process with its own key: the same numbers, compiled once.

    On as many threads as ``workers`` says, as in ``montecarlo.over_batches``.

    Raises:
        ValueError: As ``measure``, or if there are not as many keys as processes.
    """
    for name, size in (("steps", steps), ("batch", batch)):
        require_count(name, size)
    require_count("num", num, least=0)
    if num < 2:
        raise ValueError(f"need num >= 2 to give a standard error, got {num=}")
    index_of_step = position(layer, steps) if at is None else at
    require_position(index_of_step, steps)
    dtype = next(iter(parameters(layer).values())).real.dtype

    def task(index: int, count: int) -> list[dict[str, Sums]]:
        shape = BatchShape(count, steps, layer.widths, every_output)
        samples = _draw(keys, index, processes, shape, dtype)
        return [
            _sums(layer, _respond(layer, u, index_of_step, errors), count)
            for u, errors in samples
        ]

    parts = over_batches(task, num, batch, tick, workers)
    return [
        {
            name: functools.reduce(Sums.__add__, (s[name] for s in sums)).estimate()
            for name in sums[0]
        }
        for sums in zip(*parts, strict=True)
    ]


def _sums(layer: Layer, values: Mapping[str, Array], count: int) -> dict[str, Sums]:
    """Sums of the squares of one batch, by group."""
    squares = {
        name: (np.abs(x) ** 2).sum(1, float) for name, x in _flat(values, count).items()
    }
    return {
        name: Sums(x.sum(), (x**2).sum(), count)
        for name, x in by_group(layer, squares).items()
    }


def require_position(at: Any, steps: int) -> None:
    """Refuse what is no position of a sequence; a traced one is taken on trust.

    Raises:
        ValueError: Naming the positions.
    """
    steps = require_count("steps", steps)
    if not isinstance(at, Tracer) and not 0 <= at < steps:
        raise ValueError(f"need a position from 0 to {steps - 1}, got {at=}")


def position(layer: Layer, steps: int) -> int:
    """Step at which moments are measured: the last, or the middle if not causal."""
    return steps - 1 if layer.causal else steps // 2


def response_moment(
    response: Inexact[Array | np.ndarray, "time *entries"],
    covariance: Float[Array | np.ndarray, " lags"],
) -> Float[Array | np.ndarray, "*entries"]:
    """``E|sum over steps of response_s u_s|^2`` for a stationary input ``u``.

    A function of arrays: of NumPy, or of JAX under ``jit``, ``vmap`` and ``grad``.  It
    holds one matrix of time by time.

    Args:
        response: Response at the observed step to an input of one at each step.
        covariance: ``R`` at as many lags as there are steps, or more.

    Raises:
        ValueError: If covariances are missing, or no process has them; if there is no
            step, or a response is not finite or too large to square.

    Example:
        >>> moment = response_moment(np.array([1.0, 0.5]), np.array([1.0, 0.2]))
        >>> round(float(moment), 6)  # 1 + 0.25 + 2 * 0.5 * 0.2
        1.45
    """
    steps = require_count("response", len(response))
    require_finite(response=response)
    require_within("response", abs(response), 0, LARGEST, "[]")
    require_autocovariance(covariance, steps)
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    columns = response.reshape(steps, -1)
    products = (covariance[lags] @ columns) * columns.conj()
    return products.sum(0).real.reshape(response.shape[1:])


def impulse_moments(
    layer: Layer,
    covariance: Float[Array | np.ndarray, " lags"],
    *,
    steps: int,
    at: int | Int[Array, ""],
    batch: int = 1,
) -> dict[str, Any]:
    """Second moments of a linear layer from its responses to unit impulses.

    A function of the layer's arrays and of the covariance that runs under ``jit``,
    ``vmap``, ``grad`` and ``jvp``.  The numbers are those of
    ``sigprop.linear.predicted_moments.predict``, without eigenvectors.  Of a layer that
    is not linear they are those of its first-order responses.

    It runs ``steps * d_in`` sequences of ``steps`` steps, each forward once and backward
    once an output, and holds all their states: ``steps**2 * d_in`` times the state.  The
    responses of ``p`` parameters are ``steps * d_in * d_out * p`` numbers.

    Args:
        layer: Any layer.
        covariance: ``R`` of every input channel at lags from 0 to ``steps - 1``.
        steps: Length of the sequences.
        at: Position to look at.
        batch: Least number of impulses in the program.

    Returns:
        ``state`` and ``output``: summed over neurons and outputs.  By the name of each
        parameter: ``E|d(v . y_at)/dtheta|^2`` summed over its entries, for an error ``v``
        of unit covariance.

    Raises:
        ValueError: If ``at`` is not a position of the sequence, or covariances are
            missing or those of no process.

    Example:
        >>> from sigprop.layers import lru
        >>> def state(layer):
        ...     return impulse_moments(layer, np.ones(8), steps=8, at=7)["state"]
        >>> slope = jax.grad(state)(lru(4, 1, key=jax.random.key(0), r_min=0.5))
        >>> slope.nu_log.shape
        (4,)
    """
    batch = require_count("batch", batch, most=MOST_BATCH)
    require_position(at, steps)
    require_autocovariance(covariance, steps)
    dtype = next(iter(parameters(layer).values())).real.dtype
    width, size = layer.widths[0], 1.0 if layer.linear else IMPULSE
    count = steps * width
    eye = np.eye(max(count, batch), count, dtype=dtype)
    impulses = jnp.asarray(size * eye.reshape(-1, steps, width))
    errors = _basis(layer.widths[1], len(impulses), dtype)
    respond = _respond_inside if is_traced(layer, at) else _respond
    flat = _flat(respond(layer, impulses, at, errors), count)
    return {
        name: response_moment(value.reshape(steps, -1) / size, covariance).sum()
        for name, value in flat.items()
    }


def exact(
    layer: Layer,
    covariance: Float[Array | np.ndarray, " lags"],
    *,
    steps: int,
    at: int | Int[Array, ""],
    batch: int = BATCH,
) -> dict[str, Any]:
    """``impulse_moments``, added up in each group of the optimiser.

    Args:
        layer: Any layer.
        covariance: ``R`` of every input channel at lags from 0 to ``steps - 1``.
        steps: Length of the sequences.
        at: Position to look at.
        batch: Number of sequences held at once. With that of ``measure``, both use one
            compiled program.

    Raises:
        ValueError: If ``at`` is not a position of the sequence, or covariances are
            missing or those of no process.

    Example:
        >>> from sigprop import AR1
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> sorted(exact(layer, AR1(0.9).autocovariance(np.arange(8)), steps=8, at=7))
        ['input', 'output', 'readout', 'recurrent', 'state']
    """
    moments = impulse_moments(layer, covariance, steps=steps, at=at, batch=batch)
    return by_group(layer, moments)
