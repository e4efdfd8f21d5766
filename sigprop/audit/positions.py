"""State power at each position in a window, measured and predicted.

From the zero state, ``E|z_t|^2`` grows at each step by

    E|z_{t+1}|^2 - E|z_t|^2 = 2 Re(lam^t c_t*) + |lam^t|^2 R(0),
    c_t = sum_{a < t} lam^a R(t - a),

for inputs of autocovariance ``R``.  The sum of the steps gives the power at all
positions for the cost of the last one.  A recurrence that runs backwards in time starts
at the end of the window.

Source: Zucchet & Orvieto (2024), Lemma 1, at finite time;
``sigprop.theory.layers.pair_weight`` is its closed form at one position.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Inexact
from numpy.fft import fft, ifft

from sigprop.audit.moments import (
    autocovariance,
    endless_weights,
    moment,
    pairs,
    power,
    spectrum_size,
)
from sigprop.audit.windows import jackknife
from sigprop.linear.linearise import Modes
from sigprop.neuron.projections import project_in
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision

RUNGS = ("stationary", "infinite", "independent", "white")
"""Assumptions of ``sigprop.audit.moments.RUNGS``; each prediction makes one more."""
EDGE = 10  # a share of 1/EDGE of the window at either end


def growth(
    lam: Complex[np.ndarray, " n"], covariance: Inexact[np.ndarray, "*n lags"]
) -> Float[np.ndarray, "n lags"]:
    """Return ``E|z_t|^2`` after 1, 2, ... inputs from the zero state, for each eigenvalue.

    Args:
        lam: Eigenvalues.
        covariance: Autocovariance at the lags 0, 1, ... of the input of each mode, or of
            all modes.
    """
    steps = covariance.shape[-1]
    kernel = lam[:, None] ** np.arange(steps)
    later = np.array(np.broadcast_to(covariance, (len(lam), steps)), complex)
    zero = np.real(later[:, :1]).copy()
    later[:, 0] = 0
    size = spectrum_size(steps)
    crossed = ifft(fft(kernel, size) * fft(later, size))[:, :steps]
    steps_up = 2 * np.real(kernel * crossed.conj()) + np.abs(kernel) ** 2 * zero
    return np.cumsum(steps_up, 1)


class Sums(NamedTuple):
    """Sums over the sequences of a block, for one recurrence.

    Attributes:
        sequences: Number of sequences.
        squares: Sum of ``|z|^2`` over all modes at each step.
        own: Squared spectra of the input of each mode.
        common: Squared spectra of the channels, averaged over channels.
    """

    sequences: int
    squares: Float[np.ndarray, " time"]
    own: Float[np.ndarray, "n size"]
    common: Float[np.ndarray, " size"]


@jax.jit
def _spectra(half: Modes, u: Float[Array, "num time d"]) -> tuple[Array, Array, Array]:
    v = project_in(jnp.real(half.inward), jnp.imag(half.inward), u)
    z = jax.vmap(lambda sequence: linear_recurrence(jnp.asarray(half.lam), sequence))(v)
    every = jnp.ones(len(u), bool)
    squares = jnp.sum(jnp.abs(z) ** 2, (0, 2))
    return squares, power(v, every).T, power(u, every).mean(1)


def sums(half: Modes, u: Float[Any, "num time d"], *, turned: bool = False) -> Sums:
    """Run a recurrence over the sequences of a block.

    Args:
        half: Modes of the recurrence.
        u: Inputs of the layer, in the order of time.
        turned: True if the recurrence runs backwards in time.  ``squares`` then start at
            the end of the window.
    """
    with double_precision(True):
        u = jnp.asarray(u, float)
        spectra = _spectra(half, u[:, ::-1] if turned else u)
        return Sums(len(u), *map(np.asarray, spectra))


def predict_positions(half: Modes, known: Sums) -> Float[np.ndarray, "rungs time"]:
    """Predict ``E|z_t|^2`` summed over modes at each step, under every assumption.

    Args:
        half: Modes of the recurrence.
        known: Sums over the sequences, with the spectra of the inputs.
    """
    steps = len(known.squares)
    lags = pairs(np.full(steps, float(known.sequences)))
    own, common = (
        autocovariance(spectrum, lags) for spectrum in (known.own, known.common)
    )
    alike, gain = np.real(common), (np.abs(half.inward) ** 2).sum(1)
    endless = endless_weights(half.lam, steps, 0)
    flat = np.ones(steps)
    return np.stack(
        [
            growth(half.lam, own).sum(0),
            flat * moment(endless, own).sum(),
            flat * (gain * moment(endless, alike)).sum(),
            flat * (gain * moment(endless[:, :1], alike[:1])).sum(),
        ]
    )


class Profile(NamedTuple):
    """State power of a recurrence at each position in the window, in the order of time.

    An axis of length 3 is the lower end, the estimate and the upper end of a 95 % interval.

    Attributes:
        measured: ``E|z_t|^2`` summed over modes.
        predicted: Prediction under each assumption.
        ratio: Predicted over measured power of the whole window, under each assumption.
        edges: Ratio for the first assumption in the first and in the last ``1/EDGE`` of
            the window.
    """

    measured: Float[np.ndarray, "3 time"]
    predicted: Float[np.ndarray, "rungs time"]
    ratio: Float[np.ndarray, "3 rungs"]
    edges: Float[np.ndarray, "3 2"]


def profile(half: Modes, parts: Sequence[Sums], *, turned: bool = False) -> Profile:
    """Return the measured and predicted power of one recurrence.

    Args:
        half: Modes of the recurrence.
        parts: Sums over each block.
        turned: True if the recurrence runs backwards in time.
    """
    forth = slice(None, None, -1 if turned else 1)
    edge = max(1, len(parts[0].squares) // EDGE)

    def ratios(known: Sums) -> np.ndarray:
        measured = known.squares / known.sequences
        predicted = predict_positions(half, known)
        overall = predicted.mean(1) / measured.mean()
        ends = [
            predicted[0, part].mean() / measured[part].mean()
            for part in (slice(edge), slice(-edge, None))
        ]
        return np.array([*overall, *ends[forth]])

    total = jax.tree.map(lambda *block_sums: sum(block_sums), *parts)
    squares = jackknife(parts, lambda known: known.squares / known.sequences)
    both = jackknife(parts, ratios)
    return Profile(
        squares[:, forth],
        predict_positions(half, total)[:, forth],
        both[:, : len(RUNGS)],
        both[:, len(RUNGS) :],
    )
