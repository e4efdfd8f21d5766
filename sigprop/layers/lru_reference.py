"""Reference implementations of the LRU: as in the published code, and without recurrence.

Benchmarks and tests compare the LRU of ``sigprop.layers`` with them.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Complex, Float

from sigprop.layers.base import Group, Layer
from sigprop.layers.lru import LRU


@final
class ForwardOnly(Layer):
    """Layer that runs an LRU with the function ``forward`` instead of its own methods.

    It accepts whole sequences only, because ``forward`` does not return the states.
    """

    stable: ClassVar[bool] = True

    layer: LRU
    forward: Callable[[LRU, Array], Array] = eqx.field(static=True)

    def __call__(self, u: Float[Array, "time width"]) -> Float[Array, "time width"]:
        """Compute the outputs of a whole sequence, starting from the zero state."""
        return self.forward(self.layer, u)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, which are equal."""
        return self.layer.widths

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the state of the LRU."""
        return self.layer.state_size

    def initial_state(self) -> NoReturn:
        """Raise an error, because this layer cannot run step by step.

        Raises:
            TypeError: In every call.
        """
        self._refuse()

    def step(self, state: Any, u: Float[Array, " width"]) -> NoReturn:
        """Raise an error, because this layer cannot run step by step.

        Raises:
            TypeError: In every call.
        """
        self._refuse()

    def states(self, u: Float[Array, "time width"]) -> NoReturn:
        """Raise an error, because this layer does not compute its states.

        Raises:
            TypeError: In every call.
        """
        self._refuse()

    def read(self, h: Any, u: Float[Array, "time width"]) -> NoReturn:
        """Raise an error, because this layer does not compute its states.

        Raises:
            TypeError: In every call.
        """
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError(
            "need a whole sequence for a ForwardOnly; call it, or its layer's step"
        )

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group, the same as in the LRU."""
        return {f"layer.{name}": group for name, group in self.layer.groups().items()}


def without_recurrence(
    layer: LRU, u: Float[Array, "time width"]
) -> Float[Array, "time width"]:
    """Run the LRU without its recurrence, i.e. with the states ``h_t = gamma B u_t``."""
    return layer.read(layer.inputs(u), u)


def published(layer: LRU, u: Float[Array, "time width"]) -> Float[Array, "time width"]:
    """Run the LRU by a complex associative scan, with eigenvalues repeated in time.

    Source: Orvieto et al. (2023), Appendix A, the listing.
    """

    def states(lam: Complex[Array, " n"], x: Complex[Array, "time n"]):
        gates = jnp.repeat(lam[None], u.shape[0], axis=0)
        return lax.associative_scan(_combine, (gates, x))[1]

    return _between(layer, u, states)


def plain_scan(layer: LRU, u: Float[Array, "time width"]) -> Float[Array, "time width"]:
    """Run the LRU step by step with ``lax.scan``, in complex numbers.

    Source: Orvieto et al. (2023), Eq. 1, without its nonlinearity.
    """

    def states(lam: Complex[Array, " n"], x: Complex[Array, "time n"]):
        def step(h, x_t):
            h = lam * h + x_t
            return h, h

        return lax.scan(step, jnp.zeros_like(lam), x)[1]

    return _between(layer, u, states)


def _between(
    layer: LRU, u: Float[Array, "time width"], states: Callable[..., Array]
) -> Float[Array, "time width"]:
    """The maps of an LRU before and after a recurrence, in complex products."""
    gamma = layer.normaliser()
    inward = lax.complex(layer.B_re, layer.B_im)
    inward = inward if gamma is None else gamma[:, None] * inward
    outward = lax.complex(layer.C_re, layer.C_im)
    inputs = jax.vmap(lambda u_t: inward @ u_t.astype(inward.dtype))(u)
    h = states(layer.eigenvalues(), inputs)
    return jax.vmap(lambda h_t, u_t: (outward @ h_t).real + layer.D * u_t)(h, u)


def _combine(first: Any, second: Any) -> Any:
    gate_1, value_1 = first
    gate_2, value_2 = second
    return gate_2 * gate_1, gate_2 * value_1 + value_2
