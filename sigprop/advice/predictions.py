"""Prediction of a layer's moments and largest stable learning rates at initialisation.

For a linear layer the predictions are exact for stationary inputs and infinitely long
sequences.  For a measured input, gradients and learning rates use the sum of exponentials
that fits its autocovariance best.

The Hessian at the optimum is linear in the autocovariance, so it is a sum over the
exponentials.  Its trace is that of the Gauss-Newton matrix, ``E|dy/dtheta|^2``.  Let ``L`` be
the largest curvature along one parameter array.  Above the rate ``2/L``, plain gradient
descent on the mean of ``|error|^2 / 2`` diverges from the minimum.  For gated layers only
the trace is known, which is an upper bound on ``L``.

Source: Zucchet & Orvieto (2024), Eq. 48 and 114-155.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from sigprop.advice.spectra import Spectrum, closed, equivalent_rho, state_moments
from sigprop.curvature.hessian import DIAGONALISED, expand
from sigprop.curvature.structure import stability_bound
from sigprop.inputs import AR1
from sigprop.layers.base import Layer, doubled, replace
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.lru import LRU
from sigprop.layers.projected import InputGated
from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.linear.gated_moments import BoundedMoment, parts_of, require_certain
from sigprop.neuron.correlated_gates import correlated_moment
from sigprop.neuron.gated import (
    Moment,
    gated_sensitivity_moment,
    gated_state_moment,
)
from sigprop.neuron.neurons import Directions, Neurons, Part
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import teacher_student

NEURONS = 64  # largest number of gated states whose second moments are computed
DIFFERENTIATED = 16  # largest number of gated states whose gradients are computed
SETTLED = 1e-3  # relative error of moments of gated states
ROUNDING = 1e-12  # rounding, relative to a Hessian's largest entry


class Predicted(NamedTuple):
    """Predictions for a layer at initialisation.

    Attributes:
        time_constant: Time constant ``1/(1 - |lam|)`` of each mode in steps; for gated
            layers, at zero input.
        phase: Phase of each mode in radians, from -pi to pi.
        state: Stationary ``E|h|^2`` of each mode; for gated layers, only of the modes
            with indices ``sampled``.
        gradient: ``E|dy/dtheta|^2`` of the outputs ``y``, summed over the entries
            ``theta`` of a parameter, by parameter name.  For gated layers it is
            ``E|dh/dtheta|^2`` of the states ``h``, summed over the states as well.
        largest_rate: Learning rate above which gradient descent on one parameter alone
            is unstable, by parameter name.  For gated layers it is a lower bound on
            this rate.
        exact: True if ``largest_rate`` is exact, False if it is a lower bound (gated
            layers).
        sampled: Indices of the modes whose moments are in ``state``, or None if
            ``state`` has all modes.

    Example:
        >>> import jax
        >>> from sigprop.advice import exponential
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 1, key=jax.random.key(0))
        >>> found = predict_initialisation(layer, exponential(0.9))
        >>> found.state.shape, sorted(found.gradient)[:2], found.exact
        ((4,), ['B_im', 'B_re'], True)
    """

    time_constant: Float[np.ndarray, " n"]
    phase: Float[np.ndarray, " n"]
    state: Float[np.ndarray, " m"]
    gradient: dict[str, float]
    largest_rate: dict[str, float]
    exact: bool
    sampled: Int[np.ndarray, " m"] | None = None

    @property
    def longest(self) -> float:
        """Longest time constant in steps."""
        return float(self.time_constant.max())

    @property
    def median(self) -> float:
        """Median of the time constants of the layer's modes, in steps."""
        return float(np.median(self.time_constant))


def as_modes(layer: Layer) -> DiagonalLayer:
    """Return a linear layer in the coordinates of its modes.

    Raises:
        TypeError: If the layer is not diagonal and has no diagonal form.
    """
    if isinstance(layer, DiagonalLayer):
        return layer
    if isinstance(layer, DIAGONALISED):
        return layer.diagonal()
    raise TypeError(f"need a layer of modes, got {type(layer).__name__}")


def mode_states(
    layer: Layer, spectrum: Spectrum
) -> tuple[Float[np.ndarray, " n"], ...]:
    """Return the gap ``1 - |lam|``, phase and stationary ``E|h|^2`` of each mode.

    Args:
        layer: Linear layer with a diagonal form.
        spectrum: Autocovariance that every input channel has; different channels are
            independent.

    Returns:
        The gaps, the phases in radians, and the second moments of the states.

    Raises:
        TypeError: If the layer has no diagonal form.

    Example:
        >>> import jax
        >>> from sigprop.advice import exponential
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 1, key=jax.random.key(0))
        >>> gap, phase, state = mode_states(layer, exponential(0.9))
        >>> gap.shape, phase.shape, state.shape
        ((4,), (4,), (4,))
    """
    if isinstance(layer, S4D):  # its modes have one input each
        lam, gain = (np.asarray(part, complex).ravel() for part in layer.discrete())
        power = np.abs(gain) ** 2
    else:
        modes = as_modes(layer)
        lam, gain = np.asarray(modes.eigenvalues(), complex), modes.normaliser()
        power = np.asarray(modes.B_re**2 + modes.B_im**2, float).sum(1)
        power = power if gain is None else power * np.asarray(gain, float) ** 2
    gap, phase = 1 - np.abs(lam), np.angle(lam)
    return gap, phase, power * state_moments(spectrum, gap, phase)


def matched(layer: Layer, spectrum: Spectrum) -> Any:
    """Normalise the states of an LRU or S5 layer to ``E|h|^2 = 1`` for an input.

    For the LRU the function sets ``gamma_log``, and for S5 it scales the rows of ``B``.
    An LRU without ``gamma_log``, and any other layer, is returned unchanged.

    Args:
        layer: Layer whose normalised copy is returned.
        spectrum: Autocovariance that every input channel has.

    Example:
        >>> import jax
        >>> from sigprop.advice import exponential
        >>> from sigprop.layers import lru
        >>> layer = matched(lru(4, 1, key=jax.random.key(0)), exponential(0.9))
        >>> mode_states(layer, exponential(0.9))[2].round(4).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    if not isinstance(layer, LRU | S5) or getattr(layer, "gamma_log", 0) is None:
        return layer
    scale = 1 / np.sqrt(mode_states(layer, spectrum)[2])
    if isinstance(layer, LRU):
        gain = layer.gamma_log + np.log(scale)
        return replace(layer, {"gamma_log": jnp.asarray(gain, layer.nu_log.dtype)})
    rows = jnp.asarray(scale, layer.im.dtype)[:, None]
    return replace(layer, {"B_re": rows * layer.B_re, "B_im": rows * layer.B_im})


def predict_initialisation(layer: Layer, spectrum: Spectrum) -> Predicted:
    """Predict the moments and largest stable learning rates of a layer.

    For a gated layer, the predictions are approximate.  An exponential with the same
    variance and the same power at frequency zero replaces the autocovariance of the
    input.  The second moments of the states are computed for at most 64 states, evenly
    spaced in the order of their time constants.  The second moment of a gradient is
    averaged over at most 16 states and multiplied by the number of states.

    Args:
        layer: Linear layer with a diagonal form, or a layer whose gates depend only on
            the input.
        spectrum: Autocovariance that every input channel has; different channels are
            independent.

    Raises:
        TypeError: If the layer is neither diagonalisable nor gated by its input.

    Example:
        >>> import jax
        >>> from sigprop.advice import exponential
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 1, key=jax.random.key(0), r_min=0.9, r_max=0.99)
        >>> found = predict_initialisation(layer, exponential(0.9))
        >>> 10 < found.median < found.longest < 100
        True
    """
    with double_precision(True):
        layer = doubled(layer)
        if isinstance(layer, InputGated):
            return _gated(layer, spectrum)
        gap, phase, state = mode_states(layer, spectrum)
        hessian, layout = _hessian(layer, spectrum)
    blocks = {name: hessian[at.entries, at.entries] for name, at in layout.items()}
    return Predicted(
        1 / gap,
        phase,
        state,
        {name: float(np.trace(block)) for name, block in blocks.items()},
        {name: _largest_rate(block, hessian) for name, block in blocks.items()},
        exact=True,
    )


def _largest_rate(block: np.ndarray, hessian: np.ndarray) -> float:
    """Return ``2/L`` of a block of a Hessian; infinite if it is zero up to rounding."""
    if np.abs(block).max() <= ROUNDING * np.abs(hessian).max():
        return np.inf
    return stability_bound((block + block.T) / 2)


def _hessian(layer: Layer, spectrum: Spectrum) -> tuple[np.ndarray, Any]:
    total, layout = 0.0, {}
    for weight, decay in zip(*closed(spectrum), strict=True):
        if weight:
            task = teacher_student(layer, AR1(float(decay)), length=None)
            expansion = expand(task, layer, at_optimum=True)
            total, layout = total + weight * expansion.hessian, expansion.layout
    return np.asarray(total), layout


def _gated(layer: InputGated, spectrum: Spectrum) -> Predicted:
    decays, _ = layer.gates(jnp.zeros((1, layer.widths[0])))
    time_constant = 1 / (1 - np.asarray(decays[0], float))
    sampled = evenly(time_constant, NEURONS)
    fewer = evenly(time_constant, DIFFERENTIATED)
    states = layer.state_size
    gradient = {
        name: states * float(of.mean())
        for name, of in _neuron_gradients(layer, fewer, spectrum).items()
    }
    return Predicted(
        time_constant,
        np.zeros(states),
        _neuron_states(layer, sampled, spectrum),
        gradient,
        {name: 2 / value for name, value in gradient.items()},
        exact=False,
        sampled=sampled,
    )


def evenly(values: Float[np.ndarray, " n"], most: int) -> Int[np.ndarray, " m"]:
    """Return the indices of at most ``most`` values whose ranks are evenly spaced.

    Example:
        >>> evenly(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), 3).tolist()
        [1, 0, 3]
    """
    count = min(most, len(values))
    ranks = np.linspace(0, len(values) - 1, count).round().astype(int)
    return np.argsort(values, kind="stable")[ranks]


def _neuron_states(
    layer: InputGated, which: Int[np.ndarray, " m"], spectrum: Spectrum
) -> Float[np.ndarray, " m"]:
    """Return ``E|h|^2`` of the neurons with indices ``which``."""
    states = np.zeros(len(which))
    for _, neurons, here, _ in _parts(layer, which):
        states[here] = _moment(neurons, None, None, spectrum).value
    return states


def _neuron_gradients(
    layer: InputGated, which: Int[np.ndarray, " m"], spectrum: Spectrum
) -> dict[str, Float[np.ndarray, " m"]]:
    """Return ``E|dh/dtheta|^2`` of the neurons with indices ``which``, by parameter."""
    gradients: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(which)))
    for part, neurons, here, own in _parts(layer, which):
        count = len(part.neurons.weights)
        for name, (by, directions, factor) in part.moved.items():
            value, error = _moment(neurons, by, directions, spectrum)
            require_certain(name, BoundedMoment(np.sum(value), np.sum(error)))
            factors = np.broadcast_to(np.asarray(factor, float), count)
            gradients[name][here] = factors[own] * value
    return gradients


def _parts(
    layer: InputGated, which: Int[np.ndarray, " m"]
) -> Iterator[tuple[Part, Neurons, Bool[np.ndarray, " m"], Int[np.ndarray, " k"]]]:
    """Yield each part with some of the states ``which``.

    The items are the part, its chosen neurons, a mask over ``which``, and the indices of
    the neurons in the part.
    """
    first = 0
    for part in parts_of(layer):
        here = (first <= which) & (which < first + len(part.neurons.weights))
        own = which[here] - first
        if len(own):
            yield part, part.neurons.some(own), here, own
        first += len(part.neurons.weights)


def _moment(
    neurons: Neurons, by: str | None, directions: Directions, spectrum: Spectrum
) -> Moment:
    """Return the moment of each neuron for the exponential of ``equivalent_rho``."""
    variance = float(closed(spectrum).weights.sum())
    rho = equivalent_rho(spectrum)
    if rho:
        return correlated_moment(
            neurons,
            by,
            terms=((variance, rho),),
            directions=directions,
            settled=SETTLED,
        )
    scale = math.sqrt(variance)
    if by is None:
        return gated_state_moment(neurons, scale=scale)
    return gated_sensitivity_moment(neurons, by, directions=directions, scale=scale)
