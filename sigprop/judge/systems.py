"""Systems whose statistics can be tested, and their trajectories.

A system is one of

- eigenvalues (n,) of the recurrence ``h_t = lam h_{t-1} + x_t``;
- a layer of ``sigprop.layers``;
- a network of ``sigprop.networks``, or the pair (network, state) that ``build`` returns;
- a ``Recurrence``, which is any object with ``initial`` and ``step``;
- a function from inputs to states.

Layers, and networks with a linear encoder, need inputs of shape (time, d_in), one independent
sequence for each channel.  Any other system gets inputs of the shape that its ``Process``
samples, which is (time,) for the processes of ``sigprop.inputs``.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Num, PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.networks.network import Network
from sigprop.networks.normalisation import BatchNorm
from sigprop.networks.probing import watch
from sigprop.neuron.recurrence import linear_recurrence


@runtime_checkable
class Recurrence(Protocol):
    """Interface of a recurrence that you define, with ``initial`` and ``step``.

    If the recurrence is a pytree, such as an ``equinox.Module``, JAX can differentiate
    a ``trajectory`` with respect to its parameters.

    Attributes:
        initial: State before the first input, as an attribute or a property.

    Example:
        >>> class Decay:
        ...     initial = 0.0
        ...     def step(self, state, x):
        ...         return 0.5 * state + x
        >>> isinstance(Decay(), Recurrence)
        True
        >>> trajectory(Decay(), jnp.array([1.0, 0.0])).states.tolist()
        [1.0, 0.5]
    """

    initial: Any

    def step(self, state: Any, x: Any) -> Any:
        """Return the state after the input ``x``, with the same shape as ``state``."""
        ...


@runtime_checkable
class Process(Protocol):
    """Interface of an input process: an object with a method ``sample``.

    ``sample(key, num, length, dtype)`` draws ``num`` independent sequences of
    ``length`` steps as one JAX array.

    Example:
        >>> from sigprop import AR1
        >>> isinstance(AR1(0.9), Process)
        True
    """

    def sample(
        self, key: PRNGKeyArray, num: int, length: int, dtype: Any
    ) -> Num[Array, "num length *features"]:
        """Draw ``num`` independent sequences of ``length`` steps, using JAX."""
        ...


class Trajectory(NamedTuple):
    """States and outputs of a system after each input; the result of ``trajectory``.

    Attributes:
        states: Array of shape (time, n). For a network, it is a tuple of such arrays,
            one per block. For a ``Recurrence``, it is a pytree like its state, with
            time as an additional first axis. For a function, it is the result of the
            function.
        outputs: Outputs of a layer, of shape (time, d_out), or of a network. For any
            other system they are the states.

    Example:
        >>> run = trajectory(jnp.array([0.5]), jnp.array([1.0, 0.0]))
        >>> run.states.shape, run.outputs.shape
        ((2, 1), (2, 1))
    """

    states: Any
    outputs: Any


def trajectory(system: Any, x: Num[Array | np.ndarray, "time *features"]) -> Trajectory:
    """Run a system on one sequence of inputs, starting from its initial state.

    JAX can differentiate the states and outputs with respect to both arguments.

    Args:
        system: Eigenvalues ``lam (n,)`` of ``h_t = lam h_{t-1} + x_t``, a layer, a network,
            a pair (network, state), a ``Recurrence``, or a function from inputs to states.
        x: Inputs: of shape (time,) or (time, n) for eigenvalues, and (time, d_in) for a
            layer or a network. A network with an embedding reads tokens of shape
            (time,). For other systems only the first axis, time, is prescribed.

    Raises:
        ValueError: If ``system`` is of another type, ``x`` does not fit it, or a
            network is in training mode. Also if a network has batch normalisation and
            its state is not given.

    Example:
        >>> trajectory(jnp.array([0.5]), jnp.array([1.0, 0.0])).states
        Array([[1. ],
               [0.5]], dtype=float32)
    """
    x = jnp.asarray(x)
    network, state = _network(system)
    if network is not None:
        return _of_network(network, state, x)
    if isinstance(system, Layer):
        states = system.states(x)
        return Trajectory(states, system.read(states, x))
    if isinstance(system, Recurrence):
        states = _steps(system, x)
    elif callable(system):
        states = system(x)
    elif eqx.is_array(system) and system.ndim == 1:
        states = linear_recurrence(system, x[:, None] if x.ndim == 1 else x)
    else:
        raise ValueError(
            "need a system: eigenvalues, a layer, a network, an object with initial and "
            f"step, or a function; got {type(system).__name__}"
        )
    return Trajectory(states, states)


def _steps(system: Recurrence, x: Any) -> Any:
    """All states; the first has the precision that a step returns."""
    first = jax.tree.map(jnp.asarray, system.initial)
    after = jax.eval_shape(system.step, first, x[0])
    shapes = [jax.tree.map(jnp.shape, tree) for tree in (first, after)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            "need a step that returns a state like initial, got shapes "
            f"{shapes[1]} after {shapes[0]}"
        )
    first = jax.tree.map(
        lambda a, b: a.astype(jnp.result_type(a, b)), first, after
    )  # as scan does not

    def body(state: Any, x_t: Any) -> Any:
        state = system.step(state, x_t)
        return state, state

    return lax.scan(body, first, x)[1]


def _network(system: Any) -> tuple[Network | None, Any]:
    """The network of a system and its state, or nothing."""
    if isinstance(system, tuple) and system and isinstance(system[0], Network):
        return system[0], system[1]
    if not isinstance(system, Network):
        return None, None
    norms = [
        norm for block in system.blocks for norm in (block.norm, block.mixing_norm)
    ]
    if any(isinstance(norm, BatchNorm) for norm in norms):
        raise ValueError(
            "need the state of a network that normalises by batches, got the network "
            "alone; pass the pair (network, state) that build returns"
        )
    return system, eqx.nn.State(system)


def _of_network(network: Network, state: Any, x: Any) -> Trajectory:
    if network.training:
        raise ValueError(
            "need a network in inference mode, got one in training; call "
            "equinox.nn.inference_mode(network) first"
        )
    _, inputs = watch(network, state, x)
    states = (
        block.layer.states(u) for block, u in zip(network.blocks, inputs, strict=True)
    )
    return Trajectory(tuple(states), network(x, state)[0])


def channels(system: Any) -> int | None:
    """Number of inputs per step of a layer or a linear encoder, otherwise ``None``."""
    if isinstance(system, Layer):
        return system.widths[0]
    network, _ = _network(system)
    if network is None or network.config.encoder == "embedding":
        return None
    return network.config.inputs


def draw(
    process: Process, key: PRNGKeyArray, num: int, steps: int, width: int | None
) -> Num[Array, "num steps *features"]:
    """Draw input sequences for a system with ``width`` channels.

    Raises:
        ValueError: If a sample does not have the shape (num, steps, ...).
    """
    dtype = jnp.float64
    x = process.sample(key, num, steps, dtype)
    if not eqx.is_array(x) or x.shape[:2] != (num, steps):
        raise ValueError(
            f"need sample(key, {num}, {steps}, dtype) to return an array of shape "
            f"({num}, {steps}, ...), got {getattr(x, 'shape', type(x).__name__)} from "
            f"{type(process).__name__}"
        )
    if width is None or x.ndim > 2:
        return x
    x = process.sample(key, num * width, steps, dtype)
    return jnp.moveaxis(x.reshape(num, width, steps), 1, 2)
