"""Trace of the loss Hessian at the optimum, i.e. the expected squared output Jacobian.

If a layer is its own teacher, the loss ``1/(2T) sum_t E|y_t - y*_t|^2`` has the Hessian
``1/T sum_t E J_t' J_t``.  ``J_t`` is the derivative of the output with respect to the
parameters, so the trace is a sum of second moments.  In most layers each recurrent
parameter moves one mode, and the moments are those of ``sigprop.linear.filters``.  In S4D
one time step moves all modes of a channel.  Its derivative is a real filter of the
channel's input.

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
"""Layers in which each entry of a recurrent parameter moves the modes of its index only."""
ROUNDED = 1e-14  # gap that rounding of a modulus of one can cause


class ModeDerivatives(NamedTuple):
    """Modes of a layer and their derivatives with respect to recurrent parameters.

    Attributes:
        lam: Eigenvalues.
        gain: Factors of the rows of ``B``.
        by: By the name of a parameter, the derivatives of ``lam`` and ``gain``.
    """

    lam: Complex[np.ndarray, " n"]
    gain: Complex[np.ndarray, " n"]
    by: dict[str, tuple[Complex[np.ndarray, " n"], Complex[np.ndarray, " n"]]]


def mode_derivatives(layer: Layer) -> ModeDerivatives:
    """Compute eigenvalues, gains, and their derivatives by each recurrent parameter.

    Raises:
        TypeError: If the layer's type is not in ``ELEMENTWISE``.
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
    """Inputs of a layer: the channels ``mixing x`` of sequences of features ``x``."""

    features: Float[np.ndarray, "num time f"]
    mixing: Float[np.ndarray, "d f"]

    @property
    def steps(self) -> int:
        """Number of steps of a sequence."""
        return self.features.shape[1]

    def mode_inputs(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
        """Autocovariances of the inputs ``inward u`` of modes, ``u`` being the channels."""
        return covariances(self.features, inward @ self.mixing)

    def common(self) -> Float[np.ndarray, " lags"]:
        """Mean autocovariance of the channels."""
        return common_covariance(self.features, self.mixing)


@runtime_checkable
class Inputs(Protocol):
    """Protocol of inputs whose autocovariances are known; ``Driven`` follows it."""

    @property
    def steps(self) -> int:
        """Number of steps of a sequence, as in ``Driven``."""
        ...

    def mode_inputs(self, inward: Complex[np.ndarray, "n d"]) -> Covariances:
        """Autocovariances of the inputs of modes, as in ``Driven``."""
        ...

    def common(self) -> Float[np.ndarray, " lags"]:
        """Mean autocovariance of the channels, as in ``Driven``."""
        ...


def predicted_trace(layer: Layer, inputs: Inputs) -> dict[str, float]:
    """Predict the share of each parameter in the Hessian's trace, for stationary inputs.

    Args:
        layer: A layer of a type in ``ELEMENTWISE``, in double precision, with all
            eigenvalues inside the unit circle.
        inputs: Autocovariances of the input channels and of the inputs of modes.

    Returns:
        A dictionary with the share of each recurrent parameter and of ``B``, ``C`` and
        ``D``.  Real and imaginary parts of ``B`` and ``C`` are added up.  S4D has no ``B``.

    Raises:
        TypeError: If the layer's type is not in ``ELEMENTWISE``.
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
    """The moment ``sum over outputs of E Re(C_o y)^2`` of each filter's output ``y``."""
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
    """A trace estimated by random signs.

    Attributes:
        value: Mean over the probes.
        sem: Standard error of the mean.
        probes: Number of probes.
        windows: Number of different sequences.
        steps: Number of steps of a sequence after cutting.
    """

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
    """Estimate the Hessian's trace of any layer by gradients of random sums of outputs.

    For random signs ``z`` of all outputs, ``E|J' z|^2`` is the trace of ``J' J``.  Each probe
    uses the next sequence, in a random order set by the seed.

    Args:
        layer: Any layer.  The estimate has the precision of its parameters.
        driven: The sequences, and the matrix that mixes them into input channels.
        seed: Seed of the signs and of the order of the sequences.
        probes: Number of draws of signs, at least two.
        most: Largest number of states times steps; longer sequences are cut.

    Raises:
        ValueError: If ``probes`` is below two.

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
