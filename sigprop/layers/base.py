"""One contract for every recurrent layer: step by step, in parallel, and its laws.

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
    """A sequence layer.

    Attributes:
        linear: True if the outputs are linear in the inputs.
        causal: True if ``y_t`` depends on ``u_1 ... u_t`` alone.
        stable: True if ``|lam| <= 1`` at any value of the parameters.

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
        """Refuse parameters that are not numbers; a logarithm may be infinite."""
        for path, value in jax.tree.leaves_with_path(self):
            if known(value) and np.isnan(np.asarray(value)).any():
                raise ValueError(
                    f"need parameters that are numbers, got a NaN in {_name(path)} of "
                    f"{type(self).__name__}; the logarithm of a number below zero?"
                )

    @property
    @abstractmethod
    def widths(self) -> tuple[int, int]:
        """``(d_in, d_out)``."""

    @property
    @abstractmethod
    def state_size(self) -> int:
        """Numbers in the state ``h``; a complex one counts once."""

    @abstractmethod
    def initial_state(self) -> State:
        """The zero state."""

    @abstractmethod
    def step(
        self, state: State, u: Float[Array, " d_in"]
    ) -> tuple[State, Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""

    @abstractmethod
    def states(self, u: Float[Array, "time d_in"]) -> Inexact[Array, "time n"]:
        """All states from the zero state, in parallel where the layer can."""

    @abstractmethod
    def read(
        self, h: Inexact[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Outputs from states."""

    def __call__(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Outputs of a whole sequence from the zero state.

        Raises:
            ValueError: If the inputs are not of shape (time, d_in).
        """
        require_inputs(self, u)
        return self.read(self.states(u), u)

    def eigenvalues(self) -> Complex[Array, " n"] | None:
        """Eigenvalues of the linear recurrence; none where it has no fixed one."""
        return None

    def halves(self) -> "tuple[Layer, ...]":
        """The causal layers that it is made of: itself, or one a direction of time.

        The second half runs on the reversed sequence; the skip connection of the first
        alone counts.
        """
        return (self,)

    @abstractmethod
    def groups(self) -> Mapping[str, Group]:
        """Return the optimiser group of every parameter, by the names of ``parameters``.

        The group sets the learning rate and the weight decay.
        """


def known(leaf: Any) -> bool:
    """True for a leaf that is an array of inexact numbers and is not being traced."""
    return not isinstance(leaf, Tracer) and eqx.is_inexact_array(leaf)


def require_inputs(layer: Layer, u: Any) -> None:
    """Refuse inputs of a wrong shape.

    Raises:
        ValueError: Naming the shape that is needed.
    """
    width = layer.widths[0]
    if u.ndim != 2 or u.shape[1] != width:
        raise ValueError(
            f"need inputs of shape (time, {width}), got {u.shape}; use jax.vmap over a "
            "batch"
        )


def stepwise(layer: Layer, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
    """Run a layer by its ``step``: the definition that ``__call__`` must match."""
    _, y = lax.scan(lambda h, u_t: layer.step(h, u_t), layer.initial_state(), u)
    return y


def parameters(layer: Layer) -> dict[str, Array]:
    """Every trainable array by the name of its field, groups checked.

    A field of a layer inside the layer has a dotted name, such as ``forward.C``.

    Raises:
        ValueError: If a parameter has no group, or a group no parameter.

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
    """The layer with new values for some of its ``parameters``.

    Raises:
        ValueError: If the layer has no array with one of the names.

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
    """The layer with its numbers in double precision, where that is switched on.

    Args:
        layer: Layer, or any tree of arrays.
    """

    def leaf_doubled(leaf: Array) -> Array:
        return leaf.astype(float) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf

    return jax.tree.map(leaf_doubled, layer)


def count_parameters(layer: eqx.Module) -> int:
    """Real numbers in the trainable arrays; a complex one counts twice.

    Example:
        >>> from sigprop.layers import lru
        >>> count_parameters(lru(4, 2, key=jax.random.key(0)))  # B, C: 16 each; 12; D: 2
        46
    """
    leaves = jax.tree.leaves(eqx.filter(layer, eqx.is_inexact_array))
    return sum(leaf.size * (2 if leaf.dtype.kind == "c" else 1) for leaf in leaves)
