"""The Hessian's trace where a layer is its own teacher: how far parameters move outputs.

There the loss ``1/(2T) sum_t E|y_t - y*_t|^2`` has the Hessian ``1/T sum_t E J_t' J_t``, ``J``
the derivative of the output by the parameters, whose trace is a sum of second moments.  For
layers of which each parameter moves one mode these are moments of filters; in S4D one step
moves all modes of a channel, and each parameter makes a real filter of the channel's input.

Source: Zucchet & Orvieto (2024), Section 4.3, at the optimum; ours for any stationary
input, correlated channels and sequences of finite length.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.linear.filters import (
    Covariances,
    Filters,
    common_covariance,
    covariances,
    mean_weights,
    moment,
    square,
)
from sigprop.numerics.compilation import ONCE

ELEMENTWISE = (DiagonalLayer, S4D, S5)
"""Layers of which each recurrent parameter moves the modes of its own place alone."""
ROUNDED = 1e-14  # how far rounding puts a modulus of one inside the circle


class ModeSlopes(NamedTuple):
    """Modes of a layer, and how its recurrent parameters move each one.

    Attributes:
        lam: Eigenvalues.
        gain: What multiplies ``B``.
        by: By parameter, derivatives of both.
    """

    lam: Complex[np.ndarray, " n"]
    gain: Complex[np.ndarray, " n"]
    by: dict[str, tuple[Complex[np.ndarray, " n"], Complex[np.ndarray, " n"]]]


def mode_slopes(layer: Layer) -> ModeSlopes:
    """Eigenvalues and gains, and their derivatives by each recurrent parameter.

    Raises:
        TypeError: If a parameter moves more than the modes of its own place.
    """
    if not isinstance(layer, ELEMENTWISE):
        known = ", ".join(one.__name__ for one in ELEMENTWISE)
        raise TypeError(
            f"need a layer of {known} for derivatives of each mode, got {type(layer).__name__}"
        )
    groups = layer.groups()
    moving = {k: v for k, v in parameters(layer).items() if groups[k] == "recurrent"}

    def of(values: Mapping[str, Array]) -> tuple[Array, Array]:
        moved = replace(layer, values)
        if isinstance(moved, DiagonalLayer):
            lam, gain = moved.eigenvalues(), moved.normaliser()
            return lam, jnp.ones_like(lam) if gain is None else gain + 0j * lam
        lam, gain = moved.discrete()
        return lam.reshape(-1), gain.reshape(-1)

    def both(values: dict[str, Array]) -> Any:
        zero = jax.tree.map(jnp.zeros_like, values)
        slopes = {
            name: jax.jvp(of, (values,), ({**zero, name: jnp.ones_like(values[name])},))
            for name in values
        }
        return of(values), {name: pair[1] for name, pair in slopes.items()}

    (lam, gain), by = jax.tree.map(
        np.asarray, jax.jit(both, compiler_options=ONCE)(moving)
    )
    return ModeSlopes(lam, gain, by)


class Driven(NamedTuple):
    """What stands for a layer's inputs: channels ``mixing x`` of these sequences."""

    features: Float[np.ndarray, "num time f"]
    mixing: Float[np.ndarray, "d f"]

    @property
    def steps(self) -> int:
        """Steps of a sequence."""
        return self.features.shape[1]

    def seen(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
        """Autocovariances of what enters modes through these weights."""
        return covariances(self.features, inward @ self.mixing)

    def common(self) -> Float[np.ndarray, " lags"]:
        """Autocovariance of a channel, averaged over the channels."""
        return common_covariance(self.features, self.mixing)


@runtime_checkable
class Inputs(Protocol):
    """Protocol of inputs whose autocovariances are known; ``Driven`` follows it."""

    @property
    def steps(self) -> int:
        """As of ``Driven``."""
        ...

    def seen(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
        """As of ``Driven``."""
        ...

    def common(self) -> Float[np.ndarray, " lags"]:
        """As of ``Driven``."""
        ...


def predicted_trace(layer: Layer, inputs: Inputs) -> dict[str, float]:
    """The Hessian's trace by parameter, for stationary inputs with these covariances.

    Args:
        layer: Of double precision, one of ``ELEMENTWISE``, inside the unit circle.
        inputs: What their autocovariances are, by themselves and through weights.

    Returns:
        Of each recurrent parameter, and of ``B``, ``C`` and ``D``, real and imaginary parts
        together.

    Raises:
        TypeError: If the layer is of another type.
        ValueError: If an eigenvalue is not inside the unit circle, or is zero.
    """
    slopes = mode_slopes(layer)
    radius = np.abs(slopes.lam)
    if not ((radius < 1 - ROUNDED) & (radius > 0)).all():
        raise ValueError(
            "need eigenvalues inside the unit circle and not zero, got one of modulus "
            f"{radius[np.argmax(np.abs(radius - 0.5))]:.6g}"
        )
    if isinstance(layer, S4D):
        return _by_channel(layer, slopes, inputs)
    assert isinstance(layer, DiagonalLayer | S5)
    return _by_mode(layer, slopes, inputs)


def _filters(slopes: ModeSlopes, alpha: Any, beta: Any) -> Filters:
    shape = slopes.lam.shape
    alpha, beta = (np.broadcast_to(part, shape) + 0j for part in (alpha, beta))
    return Filters(-np.log(np.abs(slopes.lam)), np.angle(slopes.lam), alpha, beta)


def _by_mode(
    layer: DiagonalLayer | S5, slopes: ModeSlopes, inputs: Inputs
) -> dict[str, float]:
    steps, size = inputs.steps, layer.widths[0]
    B = np.asarray(layer.B_re) + 1j * np.asarray(layer.B_im)
    C = np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)
    C = (2 if isinstance(layer, S5) and layer.conjugate else 1) * C
    seen = inputs.seen(slopes.gain[:, None] * B)
    common = inputs.common()
    strength = (np.abs(C) ** 2).sum(0)
    weights = mean_weights(_filters(slopes, 0, 1).kernel(steps))
    twice = (2 if isinstance(layer, S5) and layer.conjugate else 1) ** 2
    alone = size * strength * np.abs(slopes.gain) ** 2 * moment(weights, common)
    outputs = len(C)
    found = {
        "C": float(twice * outputs * moment(weights, seen.plain).sum()),
        "B": float(alone.sum()),
        "D": float(common[0] * size * (outputs if np.ndim(layer.D) == 2 else 1)),
    }
    for name, (by_lam, by_gain) in slopes.by.items():
        filters = _filters(slopes, by_lam, by_gain / slopes.gain)
        found[name] = float(_real_part(filters, C, seen, steps).sum())
    return found


def _real_part(
    filters: Filters, C: Complex[np.ndarray, "o n"], seen: Covariances, steps: int
) -> Float[np.ndarray, " n"]:
    """``sum over outputs of E Re(C_o y)^2`` for what each filter makes of its input."""
    kernel = filters.kernel(steps)
    whole = moment(mean_weights(kernel), seen.plain)
    turning = square(mean_weights(kernel, conjugate=False), seen.mixed)
    return ((np.abs(C) ** 2).sum(0) * whole + np.real((C**2).sum(0) * turning)) / 2


def _by_channel(layer: S4D, slopes: ModeSlopes, inputs: Inputs) -> dict[str, float]:
    steps, shape = inputs.steps, layer.im.shape
    C = (np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)).reshape(-1)
    seen = np.real(inputs.seen(np.eye(shape[0]) + 0j).plain)
    pairs = shape[1]

    def of(kernel: Float[np.ndarray, "m time"], each: int) -> float:
        own = np.repeat(seen, each, 0)
        return float(moment(mean_weights(kernel + 0j), own).sum())

    plain = slopes.gain[:, None] * _filters(slopes, 0, 1).kernel(steps)
    found = {
        "C": of(2 * np.real(plain), pairs) + of(2 * np.imag(plain), pairs),
        "D": float(seen[:, 0].sum()),
    }
    for name, (by_lam, by_gain) in slopes.by.items():
        filters = _filters(slopes, slopes.gain * by_lam, by_gain)
        kernel = 2 * np.real(C[:, None] * filters.kernel(steps))
        if name == "log_dt":  # one step moves all modes of a channel together
            kernel = kernel.reshape(*shape, steps).sum(1)
            found[name] = of(kernel, 1)
        else:
            found[name] = of(kernel, pairs)
    return found


class Traced(NamedTuple):
    """A trace measured by random signs: its mean and standard error."""

    value: float
    sem: float
    probes: int
    windows: int
    steps: int


def measured_trace(
    layer: Layer,
    driven: Driven,
    *,
    seed: int = 0,
    probes: int = 32,
    most: int = 1 << 21,
) -> Traced:
    """The trace of a Hessian by running any layer and differentiating random sums of outputs.

    ``E|J' z|^2`` over random signs ``z`` of all outputs is the trace of ``J' J``.  Every probe
    takes the next window, in an order drawn from the seed.

    Args:
        layer: Any layer; its precision is that of the measurement.
        driven: The sequences, and how they make its channels.
        seed: Of the signs.
        probes: How many draws, at least two.
        most: States times steps that are run at once; longer windows are cut.

    Raises:
        ValueError: If there are fewer than two probes.

    Source: Hutchinson (1990).
    """
    if probes < 2:
        raise ValueError(f"need probes >= 2 to give a standard error, got {probes}")
    values = parameters(layer)
    dtype = next(iter(values.values())).real.dtype
    num, length, _ = driven.features.shape
    steps = min(length, max(8, most // max(layer.state_size, 1)))
    order = np.random.default_rng(seed).permutation(num)
    found = []
    for probe in range(probes):
        window = driven.features[order[probe % num], :steps] @ driven.mixing.T
        key = jax.random.fold_in(jax.random.key(seed), probe)
        found.append(float(_along(layer, jnp.asarray(window, dtype), key)))
    sem = float(np.std(found, ddof=1) / np.sqrt(probes))
    return Traced(float(np.mean(found)), sem, probes, min(num, probes), steps)


@jax.jit
def _along(layer: Layer, u: Float[Array, "time d_in"], key: Any) -> Float[Array, ""]:
    y, pull = jax.vjp(lambda values: replace(layer, values)(u), parameters(layer))
    (slopes,) = pull(jax.random.rademacher(key, y.shape, y.dtype))
    return sum((jnp.sum(one**2) for one in slopes.values()), jnp.zeros(())) / len(u)
