"""Linear layers as filters of Gaussian streams, by their modes or their impulse responses.

Let ``U(lag)`` be the covariance of a state with the input ``lag`` steps before, after ``n``
steps from the zero state.  For a diagonal layer it follows a recurrence over lags,

    U(lag + 1) = lam U(lag) + B R(lag + 1) - lam**n B R(n - 1 - lag)^T

The covariance of the input with an earlier state has a similar recurrence, backwards in the
lag.  Other layers are filtered by their impulse responses
(``sigprop.networks.gaussian.filtered``).
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Complex, Float, Inexact

from sigprop.layers.base import Layer
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.linear.impulse_response import kernel
from sigprop.networks import gaussian
from sigprop.networks.gaussian import Filtered, Signal
from sigprop.numerics.arguments import require_count


class Responses(NamedTuple):
    """Impulse responses of the outputs and the states of a layer, by lag."""

    output: Float[Array, "lags d_out d_in"]
    state: Inexact[Array, "lags n d_in"]

    def after(self, weight: Float[Array, "d_in d"]) -> "Responses":
        """Return the filter that applies the matrix ``weight`` first."""
        return Responses(self.output @ weight[None], self.state @ weight[None])

    def turned(self) -> "Responses":
        """Return the transposed filter, which errors pass through; it has no states."""
        output = self.output.transpose(0, 2, 1)
        return Responses(output, output[:, :0])

    def gain(self, steps: int) -> Float[Array, "d_out d_in"]:
        """Return the response to a constant input of one, ``steps`` after the zero state."""
        return self.output[:steps].sum(0)


class Modal(NamedTuple):
    """Diagonal layer ``h_t = lam h_{t-1} + inward u_t``, ``y = Re(outward h) + skip u``."""

    lam: Complex[Array, " n"]
    inward: Complex[Array, "n d_in"]
    outward: Complex[Array, "d_out n"]
    skip: Float[Array, "d_out d_in"]

    def after(self, weight: Float[Array, "d_in d"]) -> "Modal":
        """Return the filter that applies the matrix ``weight`` first."""
        return self._replace(inward=self.inward @ weight, skip=self.skip @ weight)

    def turned(self) -> "Modal":
        """Return the transposed filter, which errors pass through."""
        return Modal(self.lam, self.outward.T, self.inward.T, self.skip.T)

    def gain(self, steps: int) -> Float[Array, "d_out d_in"]:
        """Return the response to a constant input of one, ``steps`` after the zero state."""
        total = _powers(self.lam, steps).sum(0)[:, None]
        return jnp.real(self.outward @ (total * self.inward)) + self.skip


Filter = Responses | Modal


def responses(layer: Layer, steps: int) -> Responses:
    """Compute the responses of a causal linear layer to an impulse in each input."""
    width = layer.widths[0]
    impulses = jnp.zeros((width, steps, width)).at[:, 0].set(jnp.eye(width))
    return Responses(kernel(layer, steps), _states(layer, impulses))


@eqx.filter_jit
def _states(
    layer: Layer, impulses: Float[Array, "d_in lags d_in"]
) -> Inexact[Array, "lags n d_in"]:
    return jnp.moveaxis(jax.vmap(layer.states)(impulses), 0, -1)


def filter_of(layer: Layer, steps: int) -> Filter:
    """Return a causal linear layer as a filter, for use in ``filtered``.

    Args:
        layer: Causal linear layer. It starts from the zero state.
        steps: Number of steps of the sequence.

    Returns:
        For a diagonal layer, a ``Modal``: eigenvalues ``lam``, and matrices ``inward``
        (inputs to states), ``outward`` (states to outputs) and ``skip`` (inputs to
        outputs). For any other layer, a ``Responses`` with the impulse responses
        ``output`` of the outputs and ``state`` of the states.

    Raises:
        ValueError: If ``steps`` is below one.

    Example:
        >>> from sigprop.layers import lru
        >>> found = filter_of(lru(4, 2, key=jax.random.key(0)), 10)
        >>> found.lam.shape, found.inward.shape
        ((4,), (4, 2))
    """
    steps = require_count("steps", steps)
    if isinstance(layer, DiagonalLayer):
        return Modal(layer.eigenvalues(), *layer.matrices())
    return responses(layer, steps)


def filtered(signal: Signal, by: Filter) -> Filtered:
    """Compute means and covariances of the output of a causal linear layer.

    The layer starts from the zero state and runs for as many steps as ``signal`` has
    lags.  Covariances are between the last step ``t`` and earlier steps.

    Args:
        signal: Means and covariances of the input, for example from ``independent``.
        by: Filter of the layer, from ``filter_of``.

    Returns:
        A ``Filtered``. ``signal`` has the means and covariances of the output ``y``.
        For the input ``x`` and each lag, ``after`` has the covariance of ``y_t`` with
        ``x_{t - lag}``, and ``before`` has the covariance of ``x_t`` with
        ``y_{t - lag}``.

    Example:
        >>> import numpy as np
        >>> from sigprop.layers import lru
        >>> from sigprop.networks import independent
        >>> signal = independent(np.eye(1, 10)[0], 2)  # white inputs
        >>> found = filtered(signal, filter_of(lru(4, 2, key=jax.random.key(0)), 10))
        >>> found.signal.covariance.shape
        (10, 2, 2)
    """
    if isinstance(by, Modal):
        return _filtered(signal, by)
    return gaussian.filtered(signal, by.output)


def square_filtered(signal: Signal, by: Filter) -> Float[Array, ""]:
    """Compute ``E|h|^2`` of the states of a layer at the last step, summed over neurons."""
    if isinstance(by, Modal):
        return _square_filtered(signal, by)
    return gaussian.square_filtered(signal, by.state)


def _times(
    values: Float[Array, "lags a b"], weight: Complex[Array, "b n"]
) -> Complex[Array, "lags a n"]:
    """A real array times a complex matrix, by two real products in one."""
    n = weight.shape[1]
    both = values @ jnp.concatenate([weight.real, weight.imag], 1)[None]
    return lax.complex(both[..., :n], both[..., n:])


def _real_times(
    values: Complex[Array, "lags a n"], weight: Complex[Array, "n b"]
) -> Float[Array, "lags a b"]:
    """The real part of a product, by one real product."""
    stacked = jnp.concatenate([values.real, values.imag], 2)
    return stacked @ jnp.concatenate([weight.real, -weight.imag])[None]


def _decay(
    addends: Complex[Array, "lags a n"], lam: Complex[Array, " n"]
) -> Complex[Array, "lags a n"]:
    """``V(lag) = addend(lag) + lam V(lag + 1)``, beyond the last lag zero."""

    def back(later, addend):
        now = addend + lam[None] * later
        return now, now

    return lax.scan(back, jnp.zeros_like(addends[0]), addends, reverse=True)[1]


def _powers(lam: Complex[Array, " n"], count: int) -> Complex[Array, "count n"]:
    ages = jnp.arange(count)[:, None]
    angle = ages * jnp.angle(lam)[None]
    return jnp.abs(lam)[None] ** ages * lax.complex(jnp.cos(angle), jnp.sin(angle))


@jax.jit
def _filtered(signal: Signal, by: Modal) -> Filtered:
    R, lam = signal.covariance, by.lam
    steps = len(R)
    inward, outward, skip = by.inward.T, by.outward.T, by.skip.T[None]
    ahead = _times(R, inward)  # covariances of the input with earlier inputs of a state
    early = _decay(ahead, lam)
    entering = _times(R.transpose(0, 2, 1), inward)
    gone = lam[None] ** steps

    def on(state, parts):
        later, lost = parts
        state = lam[None] * state + later - gone * lost
        return state, state

    # Transposed: rows are earlier inputs, columns are states.
    late = lax.scan(on, early[0], (entering[1:], ahead[:0:-1]))[1]
    late = jnp.concatenate([early[:1], late])
    after = (_real_times(late, outward) + R.transpose(0, 2, 1) @ skip).transpose(
        0, 2, 1
    )
    before = _real_times(early, outward) + R @ skip
    own = _real_times(_decay(_times(after, inward), lam), outward) + after @ skip
    return Filtered(Signal(by.gain(steps) @ signal.mean, own), after, before)


@jax.jit
def _square_filtered(signal: Signal, by: Modal) -> Float[Array, ""]:
    R, steps = signal.covariance, len(signal.covariance)
    powers = _powers(by.lam, steps)
    # Of lags apart, sums of |lam|^(2 age) over the ages that both inputs may have.
    energies = jnp.cumsum(jnp.abs(powers) ** 2, 0)[::-1]
    weight = jnp.conj(powers) * energies
    ahead = jnp.conj(_times(R, by.inward.T))
    moments = jnp.einsum("lik,ki->lk", ahead, by.inward)
    twice = jnp.real(weight * moments).sum(1).at[1:].multiply(2)
    mean = powers.sum(0) * (by.inward @ signal.mean)
    return twice.sum() + jnp.sum(jnp.abs(mean) ** 2)
