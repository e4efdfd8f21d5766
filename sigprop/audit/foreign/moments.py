"""Moments of modes over a series: measured, and predicted under more and more assumptions."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.audit.foreign.drive import Embedding
from sigprop.audit.foreign.modes import Chosen
from sigprop.audit.series import Series
from sigprop.audit.series_moments import bootstrap_interval
from sigprop.layers.base import Layer
from sigprop.linear.filters import (
    common_covariance,
    covariances,
    endless_weights,
    mean_weights,
    moment,
)
from sigprop.neuron.recurrence import linear_recurrence, sensitivity
from sigprop.numerics.precision import double_precision

RUNGS = ("stationary", "infinite", "independent", "white")
"""Assumptions; each prediction makes one more.  ``sigprop.audit.foreign.report`` explains
them."""
DRAWS = 1000  # of the bootstrap


@dataclass(frozen=True)
class Moments:
    """Mean square of one quantity for every chosen mode, averaged over a window's steps.

    Attributes:
        quantity: ``state``, or a derivative of the state such as ``dh/dlam``.
        measured: Mean over the windows.
        low: Lower end of the 95 % bootstrap interval of ``measured``.
        high: Upper end of the 95 % bootstrap interval of ``measured``.
        predicted: Predictions, a row per assumption; NaN if there is no prediction.
        reached: For gated neurons, the moment under white inputs over the measured steps,
            divided by its stationary limit.  None for other layers.
    """

    quantity: str
    measured: Float[np.ndarray, " n"]
    low: Float[np.ndarray, " n"]
    high: Float[np.ndarray, " n"]
    predicted: Float[np.ndarray, "rungs n"]
    reached: Float[np.ndarray, " n"] | None = None


def linear_moments(
    chosen: Chosen, series: Series, embedding: Embedding | None, seed: int
) -> tuple[Moments, ...]:
    """Measure and predict every quantity of modes with fixed eigenvalues.

    Args:
        chosen: Modes of the kind ``linear`` or ``at rest``.
        series: Inputs.
        embedding: Map from features to the layer's channels.  None for modes at rest:
            each mode is then run over every feature, and the result is the mean over
            features.
        seed: Seed of the bootstrap.
    """
    features, num = series.values, len(series.values)
    if chosen.inward is None or embedding is None:
        features = np.moveaxis(features, 2, 1).reshape(-1, features.shape[1], 1)
        inward, mixing = np.ones((len(chosen.nu), 1), complex), np.ones((1, 1))
        gain = np.full(len(chosen.nu), np.nan)  # there are no channels
    else:
        mixing = embedding.mixing
        inward = chosen.inward @ mixing
        gain = (np.abs(chosen.inward) ** 2).sum(1)
    steps = features.shape[1]
    own = covariances(features, inward).plain
    common = common_covariance(features, mixing)
    names = list(chosen.filters)
    weights = np.array([[f.alpha, f.beta] for f in chosen.filters.values()])
    with double_precision(True):
        lam = next(iter(chosen.filters.values())).lam
        windows = _squares(*map(jnp.asarray, (features, lam, inward, weights)))
    squares = np.asarray(windows).reshape(num, -1, len(names), len(lam)).mean(1)
    moments = []
    for index, name in enumerate(names):
        filters = chosen.filters[name]
        endless = endless_weights(filters, steps)
        alone = gain * moment(endless, common)
        white = np.real(endless[:, 0]) * common[0]
        rows = [
            moment(mean_weights(filters.kernel(steps)), own),
            moment(endless, own),
            alone,
            white * np.where(np.isnan(gain), 1.0, gain),
        ]
        moments.append(
            moments_of(name, squares[:, index], np.array(rows), series, seed)
        )
    return tuple(moments)


def running_state(
    chosen: Chosen, series: Series, embedding: Embedding, seed: int
) -> Moments:
    """Measure the mean squares of a layer's states with running gates.

    There is no prediction for these states.

    Args:
        chosen: Modes of a layer.
        series: Inputs.
        embedding: Map from features to the layer's channels.
        seed: Seed of the bootstrap.
    """
    layer = chosen.layer
    assert layer is not None
    with double_precision(True):
        channels = jnp.asarray(series.values @ embedding.mixing.T)
        windows = np.asarray(_states(layer, channels))[:, chosen.indices]
    nothing = np.full((len(RUNGS), len(chosen.indices)), np.nan)
    return moments_of("state, gates running", windows, nothing, series, seed)


@jax.jit
def _states(layer: Layer, u: Float[Array, "num time d"]) -> Float[Array, "num n"]:
    return jax.lax.map(lambda x: jnp.mean(layer.states(x) ** 2, 0), u)


def moments_of(
    quantity: str,
    windows: Float[np.ndarray, "windows n"],
    predicted: Float[np.ndarray, "rungs n"],
    series: Series,
    seed: int,
) -> Moments:
    """Return the mean and interval of a quantity over windows, with its predictions.

    A prediction at or below zero is not a second moment and becomes NaN.

    Args:
        quantity: Name of the quantity.
        windows: Mean square of each mode in each window.
        predicted: Predictions, a row per assumption.
        series: Series with the block length of the bootstrap.
        seed: Seed of the bootstrap.
    """
    low, high = bootstrap_interval(windows, series.block, seed, DRAWS)
    positive = np.where(predicted > 0, predicted, np.nan)
    return Moments(quantity, windows.mean(0), low, high, positive)


@jax.jit
def _squares(
    features: Float[Array, "num time f"],
    lam: Complex[Array, " n"],
    inward: Complex[Array, "n f"],
    weights: Complex[Array, "quantities 2 n"],
) -> Float[Array, "num quantities n"]:
    """Return mean squares over the steps of each window, by running the recurrences."""

    def of_window(x: Float[Array, "time f"]) -> Float[Array, "quantities n"]:
        v = x @ inward.T
        h, s = linear_recurrence(lam, v), sensitivity(lam, v)

        def quantity(pair: Complex[Array, "2 n"]) -> Float[Array, " n"]:
            y = pair[0][None] * s + pair[1][None] * h
            return jnp.mean(y.real**2 + y.imag**2, 0)

        return jax.lax.map(quantity, weights)

    return jax.lax.map(of_window, features)
