"""Measured second moments of any layer: state, output, and gradients.

A sequence of inputs gives a state, an output, and gradients of every output with respect to
every parameter, all at one step.  The means of their squares over sampled inputs are the
measured moments.  The responses of a linear layer to unit impulses give exact moments, as
double sums with the autocovariance of the input.

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

MOST_BATCH = 2**20  # largest number of impulses in memory
BATCH = 512  # sequences in memory at the same time


@runtime_checkable
class Process(Protocol):
    """Protocol of an input process; the processes of ``sigprop.inputs`` follow it."""

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any = ...
    ) -> Float[Array | np.ndarray, "num length"]:
        """Draw ``num`` independent sequences of ``length`` steps."""
        ...


def responses(
    layer: Layer,
    u: Float[Array, "time d_in"],
    at: int | Int[Array, ""],
    errors: Float[Array, "errors d_out"],
) -> dict[str, Inexact[Array, "..."]]:
    """Compute a layer's state, output and gradients at one step of a sequence.

    Args:
        layer: Any layer.
        u: Inputs of one sequence.
        at: Index of the step, counted from 0.
        errors: Errors ``v`` that are backpropagated from the output, one in each row.

    Returns:
        A dictionary.  The keys ``state`` and ``output`` hold ``h_at`` and ``y_at``.
        The name of each parameter ``theta`` holds the gradient ``d(v . y_at)/dtheta``,
        with a row for each error ``v``.

    Raises:
        ValueError: If ``at`` is not an index of a step, or an entry of ``u`` or
            ``errors`` is not finite.

    Example:
        The errors are the two unit vectors, so that each gradient has two rows:

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
    """Add up moments of gradients over the parameters of each parameter group.

    The groups are ``recurrent``, ``input`` and ``readout``; ``layer.groups()`` assigns
    each parameter to one group.

    Args:
        layer: Layer with the parameters to which the moments belong.
        moments: Second moment of the gradient with respect to each parameter, under the
            parameter's name.  Entries with other names, such as ``state`` and
            ``output``, are returned unchanged.

    Returns:
        A dictionary with the sum of the moments of each group under the group's name,
        and the unchanged entries.

    Example:
        ``B_re`` and ``B_im`` are the two parameters of the group ``input``:

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


def _differentiate_each(
    layer: Layer,
    u: Float[Array, "num time d_in"],
    at: int | Int[Array, ""],
    errors: Float[Array, "num errors d_out"],
):
    """Derivatives of ``responses`` at zero inputs, in the direction of each sequence."""

    def derivative(u: Float[Array, "time d_in"], v: Float[Array, "errors d_out"]):
        respond = functools.partial(responses, layer, at=at, errors=v)
        return jax.jvp(respond, (jnp.zeros_like(u),), (u,))[1]

    return jax.vmap(derivative)(u, errors)


# A program with compiler options cannot be part of another program.
_respond_inside = eqx.filter_jit(_respond_each)
_respond = eqx.filter_jit(  # type: ignore[call-overload]
    _respond_each, compiler_options=SOME
)
_differentiate = eqx.filter_jit(_differentiate_each)


def _basis(width: int, num: int, dtype: Any) -> Float[Array, "num errors d_out"]:
    """One unit vector for each output, repeated for each sequence.

    The mean over errors of unit covariance equals the sum over these vectors.
    """
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
    """Draw input sequences whose channels are independent samples of one process.

    Args:
        key: Random key, which must not be used again.
        process: Process of each channel, with mean zero.
        num: Number of sequences.
        steps: Number of steps in a sequence.
        width: Number of channels.
        dtype: Floating-point type of the result.

    Raises:
        ValueError: If ``num``, ``steps`` or ``width`` is below one; if ``dtype`` is not
            a numeric type, or has 64 bits and JAX's 64-bit mode is off.

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
    """Shape of one batch of a measurement.

    Attributes:
        num: Number of sequences.
        steps: Number of steps in a sequence.
        widths: Numbers of input channels and of outputs.
        every_output: True if gradients are taken of every output; false if they are
            taken of one random sum of outputs for each sequence.
    """

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
    """Estimate a layer's second moments by simulation, with standard errors.

    Args:
        key: Random key, which must not be used again; batch ``i`` uses ``fold_in(key, i)``.
        layer: Any layer.  The simulation has the precision of the layer's parameters.
        process: Process of the input channels, which are independent of each other.
        steps: Number of steps in a sequence.
        num: Number of sequences.
        at: Index of the step at which moments are taken, counted from 0.  Default: the
            last step, or the middle step for a bidirectional layer.
        batch: Number of sequences in memory at once.
        every_output: If true, squared gradients of all outputs are summed.  Each
            sequence takes one reverse pass per output, and the estimate has the
            smallest variance.  If false, each sequence takes one reverse pass, for the
            gradient of a randomly weighted sum of outputs.
        tick: Function that is called after each batch with the batch's number of
            sequences.  Default: does nothing.

    Returns:
        A dictionary of estimates (mean, standard error, number of samples).  ``state``
        is ``E|h|^2`` and ``output`` is ``E|y|^2``, both at step ``at``.  Under the name
        of each parameter group: ``E|d(v . y)/dtheta|^2``, summed over the entries
        ``theta`` of the group's parameters.  ``v`` is the error backpropagated to the
        output: a random vector of unit covariance, independent of the inputs.

    Raises:
        ValueError: If ``num < 2``, if ``steps`` or ``batch`` is below one, or if ``at`` is
            not an index of a step.

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
    """Call ``measure`` for each pair of key and process, compiling only once.

    The argument ``workers`` is the number of threads, and ``None`` means one for each
    core.  The other arguments are those of ``measure``.

    Raises:
        ValueError: If ``measure`` would raise one, or if there are not as many keys as
            processes.
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
    """Refuse an index that is no step of a sequence; a traced index is not checked.

    Raises:
        ValueError: If ``at`` is not from 0 to ``steps - 1``, or ``steps`` is below one.
    """
    steps = require_count("steps", steps)
    if not isinstance(at, Tracer) and not 0 <= at < steps:
        raise ValueError(f"need a position from 0 to {steps - 1}, got {at=}")


def position(layer: Layer, steps: int) -> int:
    """Default index of the step at which moments are measured.

    It is the last step, or the middle one if the layer is not causal.
    """
    return steps - 1 if layer.causal else steps // 2


def response_moment(
    response: Inexact[Array | np.ndarray, "time *entries"],
    covariance: Float[Array | np.ndarray, " lags"],
) -> Float[Array | np.ndarray, "*entries"]:
    """The second moment of a linear system's output for a stationary input.

    This is ``E|sum_s response_s u_s|^2`` for the input ``u``.  Both NumPy and JAX
    arrays are accepted, and the function works under ``jit``, ``vmap`` and ``grad``.
    The function builds a square matrix with the length of ``response``, so memory grows
    quadratically with this length.

    Args:
        response: Entry ``s`` is the output at the observed step, if the input is a unit
            impulse at step ``s``.  Any further axes are separate outputs.
        covariance: Autocovariance ``R`` of the input at lags ``0, 1, ...``, at least as
            many as ``response`` has steps.

    Raises:
        ValueError: If ``covariance`` has fewer lags than ``response`` has steps or is
            not an autocovariance of a stationary process; if ``response`` is empty,
            or has an entry that is not finite or too large to square.

    Example:
        The moment is ``1 + 0.5**2 + 2 * 0.5 * 0.2``:

        >>> moment = response_moment(np.array([1.0, 0.5]), np.array([1.0, 0.2]))
        >>> round(float(moment), 6)
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
    """Compute a linear layer's second moments from its responses to unit impulses.

    The moments of state, output and gradients are double sums of products of two
    responses, weighted by the input's autocovariance.  For a linear layer, the
    result equals that of ``predict``, but no eigenvectors are needed.  If the layer is
    not linear, its responses are derivatives with respect to the inputs, at zero
    inputs.  The function supports ``jit``, ``vmap``, ``grad`` and ``jvp`` with respect
    to the layer and the covariance.

    The function simulates ``steps * d_in`` sequences of ``steps`` steps.  Each sequence
    takes one forward pass, and one reverse pass for each of ``d_out`` outputs.  All
    states are kept in memory: ``steps**2 * d_in * n`` numbers for the state size ``n``.
    The gradients with respect to ``p`` parameters need another
    ``steps * d_in * d_out * p`` numbers.

    Args:
        layer: Any layer.
        covariance: Autocovariance ``R`` of every input channel at lags from 0 to
            ``steps - 1``.
        steps: Number of steps in a sequence.
        at: Index of the step at which moments are taken, counted from 0.
        batch: Smallest number of sequences to simulate.  If fewer are needed, sequences
            of zeros are appended to reach this number.  If it equals the ``batch`` of
            ``measure``, both functions can share one compiled program.

    Returns:
        A dictionary.  ``state`` is ``E|h_at|^2`` and ``output`` is ``E|y_at|^2``.
        Under the name of each parameter: ``E|d(v . y_at)/dtheta|^2``, summed over its
        entries ``theta``.  ``v`` is the error backpropagated to the output: a random
        vector of unit covariance, independent of the inputs.

    Raises:
        ValueError: If ``at`` is not an index of a step, if ``covariance`` has fewer
            than ``steps`` values, or if no stationary process has this autocovariance.

    Example:
        The derivative of ``E|h_7|^2`` with respect to the layer, for constant inputs:

        >>> from sigprop.layers import lru
        >>> def state(layer):
        ...     return impulse_moments(layer, np.ones(8), steps=8, at=7)["state"]
        >>> derivative = jax.grad(state)(lru(4, 1, key=jax.random.key(0), r_min=0.5))
        >>> derivative.nu_log.shape
        (4,)
    """
    batch = require_count("batch", batch, most=MOST_BATCH)
    require_position(at, steps)
    require_autocovariance(covariance, steps)
    dtype = next(iter(parameters(layer).values())).real.dtype
    width = layer.widths[0]
    count = steps * width
    eye = np.eye(max(count, batch), count, dtype=dtype)
    impulses = jnp.asarray(eye.reshape(-1, steps, width))
    errors = _basis(layer.widths[1], len(impulses), dtype)
    respond = _respond_inside if is_traced(layer, at) else _respond
    if not layer.linear:
        respond = _differentiate
    flat = _flat(respond(layer, impulses, at, errors), count)
    return {
        name: response_moment(value.reshape(steps, -1), covariance).sum()
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
    """Compute a linear layer's second moments exactly, summed by parameter group.

    The function adds up the results of ``impulse_moments`` by ``by_group``.  A layer
    that is not linear is treated as in ``impulse_moments``.

    Args:
        layer: Any layer.
        covariance: Autocovariance ``R`` of every input channel at lags from 0 to
            ``steps - 1``.
        steps: Number of steps in a sequence.
        at: Index of the step at which moments are taken, counted from 0.
        batch: Smallest number of sequences to simulate.  If fewer are needed, sequences
            of zeros are appended to reach this number.  If it equals the ``batch`` of
            ``measure``, both functions can share one compiled program.

    Returns:
        A dictionary.  ``state`` is ``E|h_at|^2`` and ``output`` is ``E|y_at|^2``.
        Under the name of each parameter group: ``E|d(v . y_at)/dtheta|^2``, summed over
        the entries ``theta`` of the group's parameters.  ``v`` is the error
        backpropagated to the output: a random vector of unit covariance, independent of
        the inputs.

    Raises:
        ValueError: If ``at`` is not an index of a step, if ``covariance`` has fewer
            than ``steps`` values, or if no stationary process has this autocovariance.

    Example:
        >>> from sigprop import AR1
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> sorted(exact(layer, AR1(0.9).autocovariance(np.arange(8)), steps=8, at=7))
        ['input', 'output', 'readout', 'recurrent', 'state']
    """
    moments = impulse_moments(layer, covariance, steps=steps, at=at, batch=batch)
    return by_group(layer, moments)
