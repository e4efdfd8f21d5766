"""Common interface of all recurrent layers, run input by input or on a whole sequence.

Notation: u  inputs (time, d_in);  h  states (time, n);  y  outputs (time, d_out).
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jaxtyping import Array, Complex, Float, Inexact

State = Any
Group = Literal["recurrent", "input", "readout"]


class Layer(eqx.Module):
    """Abstract base class of layers that map a sequence of inputs to outputs.

    Attributes:
        linear: True if the outputs are linear in the inputs.
        causal: True if the output ``y_t`` depends only on the inputs ``u_1 ... u_t``.
        stable: True if ``|lam| <= 1`` for all eigenvalues, whatever the values of the
            parameters.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> layer.state_size, layer.widths, layer(jax.numpy.ones((10, 2))).shape
        (4, (2, 2), (10, 2))
    """

    linear: ClassVar[bool] = True
    causal: ClassVar[bool] = True
    stable: ClassVar[bool] = False

    def __check_init__(self) -> None:
        """Check that no parameter is NaN; a logarithm may be infinite."""
        for path, value in jax.tree.leaves_with_path(self):
            if known(value) and np.isnan(np.asarray(value)).any():
                raise ValueError(
                    f"need parameters that are numbers, got a NaN in {_name(path)} of "
                    f"{type(self).__name__}; the logarithm of a number below zero?"
                )

    @property
    @abstractmethod
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""

    @property
    @abstractmethod
    def state_size(self) -> int:
        """Number of entries of the state ``h``; a complex entry counts once."""

    @abstractmethod
    def initial_state(self) -> State:
        """Return the initial state, all zeros."""

    @abstractmethod
    def step(
        self, state: State, u: Float[Array, " d_in"]
    ) -> tuple[State, Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""

    @abstractmethod
    def states(self, u: Float[Array, "time d_in"]) -> Inexact[Array, "time n"]:
        """Compute the states of all steps, starting from the zero state.

        The steps run in parallel if the recurrence allows it.
        """

    @abstractmethod
    def read(
        self, h: Inexact[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Compute the outputs of all steps from the states ``h`` and inputs ``u``."""

    def __call__(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Compute the outputs of a whole sequence, starting from the zero state.

        Raises:
            ValueError: If the inputs are not of shape (time, d_in).
        """
        require_inputs(self, u)
        return self.read(self.states(u), u)

    def eigenvalues(self) -> Complex[Array, " n"] | None:
        """Return the eigenvalues of the recurrence.

        The result is ``None`` if the recurrence depends on the inputs or the state.
        """
        return None

    def halves(self) -> "tuple[Layer, ...]":
        """Return the layer itself, or the two halves of a bidirectional layer.

        A bidirectional layer returns its forward half and its backward half.  The
        backward half reads the reversed sequence.  ``D`` of the forward half is the skip
        connection of the whole layer; ignore ``D`` of the backward half.
        """
        return (self,)

    @abstractmethod
    def groups(self) -> Mapping[str, Group]:
        """Return the optimiser group of every parameter: recurrent, input or readout.

        The keys are the names that ``sigprop.layers.parameters`` returns.  The training
        functions of sigprop set a learning rate and a weight decay for each group.
        """


def known(leaf: Any) -> bool:
    """True if a leaf is an array of floating-point numbers that JAX does not trace."""
    return not isinstance(leaf, Tracer) and eqx.is_inexact_array(leaf)


def require_inputs(layer: Layer, u: Any) -> None:
    """Check that inputs have the shape (time, d_in).

    Raises:
        ValueError: If they have another shape.
    """
    width = layer.widths[0]
    if u.ndim != 2 or u.shape[1] != width:
        raise ValueError(
            f"need inputs of shape (time, {width}), got {u.shape}; use jax.vmap over a "
            "batch"
        )


def stepwise(layer: Layer, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
    """Run a layer input by input with ``step``; ``__call__`` must return the same."""
    _, y = lax.scan(lambda h, u_t: layer.step(h, u_t), layer.initial_state(), u)
    return y


def parameters(layer: Layer) -> dict[str, Array]:
    """Return a dictionary from names to the trainable arrays of a layer.

    The name of an array is the name of its field, such as ``C``.  If the layer contains
    another layer, the names of that layer's arrays are paths with dots, such as
    ``forward.C``.

    Raises:
        ValueError: If ``layer.groups()`` omits a trainable array or has a name that no
            array has.

    Example:
        >>> from sigprop.layers import lru
        >>> sorted(parameters(lru(4, 2, key=jax.random.key(0))))
        ['B_im', 'B_re', 'C_im', 'C_re', 'D', 'gamma_log', 'nu_log', 'theta_log']
    """
    leaves = jax.tree.leaves_with_path(eqx.filter(layer, eqx.is_inexact_array))
    values = {_name(path): value for path, value in leaves}
    groups = layer.groups()
    if set(values) != set(groups):
        raise ValueError(
            f"need one group a parameter, got parameters {sorted(values)} and groups "
            f"{sorted(groups)}"
        )
    return values


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def replace(layer: Layer, values: Mapping[str, Array]) -> Any:
    """Return a copy of the layer with new values for some of its parameters.

    Args:
        layer: Layer to copy. It does not change.
        values: New arrays, with the names that ``parameters`` returns as keys.

    Raises:
        ValueError: If a name in ``values`` is not the name of a parameter of the layer.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> replace(layer, {"D": jax.numpy.zeros(2)}).D.tolist()
        [0.0, 0.0]
    """
    names = [_name(path) for path, _ in jax.tree.leaves_with_path(layer)]
    if not set(values) <= set(names):
        raise ValueError(f"need values of {', '.join(names)}, got {sorted(values)}")
    return jax.tree.map_with_path(
        lambda path, leaf: values.get(_name(path), leaf), layer
    )


def doubled(layer: Any) -> Any:
    """Return a layer in double precision if JAX has it switched on.

    Otherwise the numbers become single precision, JAX's default.

    Args:
        layer: Layer, or any tree of arrays.
    """

    def leaf_doubled(leaf: Array) -> Array:
        return leaf.astype(float) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf

    return jax.tree.map(leaf_doubled, layer)


def count_parameters(layer: eqx.Module) -> int:
    """Number of real numbers in the trainable arrays; a complex number counts as two.

    Example:
        Here ``B`` and ``C`` have 16 numbers each, ``D`` has 2, and ``nu_log``,
        ``theta_log`` and ``gamma_log`` have 4 each.

        >>> from sigprop.layers import lru
        >>> count_parameters(lru(4, 2, key=jax.random.key(0)))
        46
    """
    leaves = jax.tree.leaves(eqx.filter(layer, eqx.is_inexact_array))
    return sum(leaf.size * (2 if leaf.dtype.kind == "c" else 1) for leaf in leaves)
