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


class ModeDerivatives(NamedTuple):
    """Modes of a layer, and how its recurrent parameters move each one.

    Attributes:
        lam: Eigenvalues.
        gain: What multiplies ``B``.
        by: By parameter, derivatives of both.
    """

    lam: Complex[np.ndarray, " n"]
    gain: Complex[np.ndarray, " n"]
    by: dict[str, tuple[Complex[np.ndarray, " n"], Complex[np.ndarray, " n"]]]


def mode_derivatives(layer: Layer) -> ModeDerivatives:
    """Eigenvalues and gains, and their derivatives by each recurrent parameter.

    Raises:
        TypeError: If a parameter moves more than the modes of its own place.
    """
    if not isinstance(layer, ELEMENTWISE):
        known = ", ".join(kind.__name__ for kind in ELEMENTWISE)
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
        derivatives = {
            name: jax.jvp(of, (values,), ({**zero, name: jnp.ones_like(values[name])},))
            for name in values
        }
        return of(values), {name: pair[1] for name, pair in derivatives.items()}

    (lam, gain), by = jax.tree.map(
        np.asarray, jax.jit(both, compiler_options=ONCE)(moving)
    )
    return ModeDerivatives(lam, gain, by)


class Driven(NamedTuple):
    """Inputs of a layer: channels ``mixing x`` of these sequences of features ``x``."""

    features: Float[np.ndarray, "num time f"]
    mixing: Float[np.ndarray, "d f"]

    @property
    def steps(self) -> int:
        """Steps of a sequence."""
        return self.features.shape[1]

    def mode_inputs(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
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

    def mode_inputs(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
        """As of ``Driven``."""
        ...

    def common(self) -> Float[np.ndarray, " lags"]:
        """As of ``Driven``."""
        ...


def predicted_trace(layer: Layer, inputs: Inputs) -> dict[str, float]:
    """The Hessian's trace by parameter, for stationary inputs with these covariances.

    Args:
        layer: Of double precision, one of ``ELEMENTWISE``, inside the unit circle.
        inputs: Autocovariances of the channels and of their weighted sums into modes.

    Returns:
        Of each recurrent parameter, and of ``B``, ``C`` and ``D``, real and imaginary parts
        together.

    Raises:
        TypeError: If the layer is of another type.
        ValueError: If an eigenvalue is not inside the unit circle, or is zero.
    """
    modes = mode_derivatives(layer)
    radius = np.abs(modes.lam)
    if not ((radius < 1 - ROUNDED) & (radius > 0)).all():
        raise ValueError(
            "need eigenvalues inside the unit circle and not zero, got one of modulus "
            f"{radius[np.argmax(np.abs(radius - 0.5))]:.6g}"
        )
    if isinstance(layer, S4D):
        return _by_channel(layer, modes, inputs)
    assert isinstance(layer, DiagonalLayer | S5)
    return _by_mode(layer, modes, inputs)


def _filters(modes: ModeDerivatives, alpha: Any, beta: Any) -> Filters:
    shape = modes.lam.shape
    alpha, beta = (np.broadcast_to(part, shape) + 0j for part in (alpha, beta))
    return Filters(-np.log(np.abs(modes.lam)), np.angle(modes.lam), alpha, beta)


def _by_mode(
    layer: DiagonalLayer | S5, modes: ModeDerivatives, inputs: Inputs
) -> dict[str, float]:
    steps, size = inputs.steps, layer.widths[0]
    B = np.asarray(layer.B_re) + 1j * np.asarray(layer.B_im)
    C = np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)
    C = (2 if isinstance(layer, S5) and layer.conjugate else 1) * C
    inputs_of_modes = inputs.mode_inputs(modes.gain[:, None] * B)
    common = inputs.common()
    strength = (np.abs(C) ** 2).sum(0)
    weights = mean_weights(_filters(modes, 0, 1).kernel(steps))
    twice = (2 if isinstance(layer, S5) and layer.conjugate else 1) ** 2
    alone = size * strength * np.abs(modes.gain) ** 2 * moment(weights, common)
    outputs = len(C)
    trace = {
        "C": float(twice * outputs * moment(weights, inputs_of_modes.plain).sum()),
        "B": float(alone.sum()),
        "D": float(common[0] * size * (outputs if np.ndim(layer.D) == 2 else 1)),
    }
    for name, (by_lam, by_gain) in modes.by.items():
        filters = _filters(modes, by_lam, by_gain / modes.gain)
        trace[name] = float(_real_part(filters, C, inputs_of_modes, steps).sum())
    return trace


def _real_part(
    filters: Filters, C: Complex[np.ndarray, "o n"], inputs: Covariances, steps: int
) -> Float[np.ndarray, " n"]:
    """``sum over outputs of E Re(C_o y)^2`` for what each filter makes of its input."""
    kernel = filters.kernel(steps)
    plain = moment(mean_weights(kernel), inputs.plain)
    turning = square(mean_weights(kernel, conjugate=False), inputs.mixed)
    return ((np.abs(C) ** 2).sum(0) * plain + np.real((C**2).sum(0) * turning)) / 2


def _by_channel(layer: S4D, modes: ModeDerivatives, inputs: Inputs) -> dict[str, float]:
    steps, shape = inputs.steps, layer.im.shape
    C = (np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)).reshape(-1)
    channels = np.real(inputs.mode_inputs(np.eye(shape[0]) + 0j).plain)
    pairs = shape[1]

    def of(kernel: Float[np.ndarray, "m time"], each: int) -> float:
        own = np.repeat(channels, each, 0)
        return float(moment(mean_weights(kernel + 0j), own).sum())

    plain = modes.gain[:, None] * _filters(modes, 0, 1).kernel(steps)
    trace = {
        "C": of(2 * np.real(plain), pairs) + of(2 * np.imag(plain), pairs),
        "D": float(channels[:, 0].sum()),
    }
    for name, (by_lam, by_gain) in modes.by.items():
        filters = _filters(modes, modes.gain * by_lam, by_gain)
        kernel = 2 * np.real(C[:, None] * filters.kernel(steps))
        if name == "log_dt":  # one step moves all modes of a channel together
            kernel = kernel.reshape(*shape, steps).sum(1)
            trace[name] = of(kernel, 1)
        else:
            trace[name] = of(kernel, pairs)
    return trace


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
        seed: Seed of the signs.
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
    samples = []
    for probe in range(probes):
        window = driven.features[order[probe % num], :steps] @ driven.mixing.T
        key = jax.random.fold_in(jax.random.key(seed), probe)
        samples.append(float(_along(layer, jnp.asarray(window, dtype), key)))
    sem = float(np.std(samples, ddof=1) / np.sqrt(probes))
    return Traced(float(np.mean(samples)), sem, probes, min(num, probes), steps)


@jax.jit
def _along(layer: Layer, u: Float[Array, "time d_in"], key: Any) -> Float[Array, ""]:
    y, pull = jax.vjp(lambda values: replace(layer, values)(u), parameters(layer))
    (gradients,) = pull(jax.random.rademacher(key, y.shape, y.dtype))
    return sum(
        (jnp.sum(gradient**2) for gradient in gradients.values()), jnp.zeros(())
    ) / len(u)
