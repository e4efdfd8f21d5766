"""Second moments of a linear recurrence on real signals, under more and more assumptions.

A mode obeys ``z_t = lam z_{t-1} + v_t`` from the zero state, where ``v`` is its input.  All
moments are sums over lags of the autocovariance ``R(lag) = E[v_{t+lag} v_t*]``, without
subtraction of the mean.  The predictions are called rungs, and each makes one more assumption:
stationary signals (*stationary*), an infinite past (*infinite*), independent channels of equal
variance (*independent*), and no correlation in time (*white*).  The backward error ``g``
obeys the same recurrence in reversed time.

The gradient is ``dL/dlam = sum_t e_t s_t`` with the incoming error ``e`` and ``s = dz/dlam``.
If ``e`` and ``s`` are independent, its second moment is ``sum_tr R_e(t - r) E[s_t s_r*]``.
This moment grows with the length, so that every rung computes it at finite length.

Notation: n  modes;  lags 0 ... time - 1;  pairs  pairs of valid steps at a lag.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2, Eq. 5-7; finite lengths are ours.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Complex, Float, Inexact, Int, Num
from numpy.fft import fft, ifft
from sympy import diff

from sigprop.linear.filters import moment as moment
from sigprop.linear.linearise import Modes
from sigprop.networks.masking import reverse_valid, valid_steps
from sigprop.neuron.projections import project_in
from sigprop.neuron.recurrence import impulse_response, linear_recurrence, sensitivity
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.tasks.examples import Batch
from sigprop.theory.layers import pair_weight
from sigprop.theory.symbols import Delta, T, alpha, beta

RUNGS = ("shuffled", "stationary", "infinite", "independent", "white")
"""Assumptions; each prediction makes one more.

*Shuffled* is for the gradient only: it combines errors of one example with states of
another.
"""
QUANTITIES = (
    "state",
    "state at the end",
    "sensitivity",
    "sensitivity at the end",
    "error",
    "error at the start",
    "gradient",
)
"""Names of ``E|z|^2``, ``E|dz/dlam|^2`` and ``E|dL/dz|^2``, averaged over all steps or at one
step, and of ``E|dL/dlam|^2``."""
ORDERS = {"state": 0, "sensitivity": 1, "error": 0}
TINY = 1e-100  # replaces an eigenvalue of zero, which has no negative powers


def spectrum_size(steps: int) -> int:
    """Return a size of the Fourier transform for which no lag of ``steps`` wraps around."""
    return 1 << (2 * steps - 1).bit_length()


def alive(lengths: Int[np.ndarray, " num"], steps: int) -> Float[np.ndarray, " time"]:
    """Return the number of sequences that have a first, a second, ... step."""
    return (lengths[:, None] > np.arange(steps)).sum(0).astype(float)


def pairs(alive: Float[np.ndarray, " time"]) -> Float[np.ndarray, " lags"]:
    """Return the number of pairs of valid steps at each lag, from lag zero.

    Args:
        alive: Number of sequences that have each step.
    """
    return alive[::-1].cumsum()[::-1]


def autocovariance(
    power: Inexact[np.ndarray, "*n size"], pairs: Float[np.ndarray, " lags"]
) -> Complex[np.ndarray, "*n lags"]:
    """Return the autocovariance ``R`` from sums of squared spectra.

    Args:
        power: Squared spectra, summed over sequences.
        pairs: Number of pairs at each lag.  ``R`` is zero at a lag without pairs.
    """
    sums = ifft(power)[..., : len(pairs)]
    return np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)


class Signal(NamedTuple):
    """Autocovariance of a signal that drives modes.

    Attributes:
        own: Autocovariance of the input of each mode.
        common: Autocovariance averaged over channels.
        gain: Sum of the squared weights of all channels in each mode.
    """

    own: Complex[np.ndarray, "n lags"]
    common: Float[np.ndarray, " lags"]
    gain: Float[np.ndarray, " n"]

    def reversed(self) -> "Signal":
        """Return the signal in reversed time."""
        return self._replace(own=self.own.conj())

    def plus(self, other: "Signal") -> "Signal":
        """Return the sum of two shares of a signal."""
        return Signal(self.own + other.own, self.common + other.common, self.gain)


def signal(
    own: Float[np.ndarray, "n size"],
    common: Float[np.ndarray, " size"],
    gain: Float[np.ndarray, " n"],
    pairs: Float[np.ndarray, " lags"],
) -> Signal:
    """Return a signal, or its share from a batch, from sums of squared spectra.

    Args:
        own: Squared spectra of the input of each mode.
        common: Squared spectra averaged over channels.
        gain: Sum of the squared weights of all channels in each mode.
        pairs: Number of pairs at each lag.
    """
    alike = np.real(autocovariance(common, pairs))
    return Signal(autocovariance(own, pairs), alike, gain)


class Theory(NamedTuple):
    """Eigenvalues, impulse responses and lag weights for the moments of a recurrence.

    The lists have an item for the state ``z`` and an item for ``dz/dlam``.

    Attributes:
        lam: Eigenvalues.
        alive: Number of sequences that have each step.
        kernel: Impulse responses.
        mean: Weight of each lag in a moment averaged over the valid steps.
        last: Weight of each lag in a moment at the last valid step.
        endless: Weight of each lag in a moment after an infinite past.
    """

    lam: Complex[np.ndarray, " n"]
    alive: Float[np.ndarray, " time"]
    kernel: list[Complex[np.ndarray, "n time"]]
    mean: list[Complex[np.ndarray, "n lags"]]
    last: list[Complex[np.ndarray, "n lags"]]
    endless: list[Complex[np.ndarray, "n lags"]]


def theory(lam: Complex[np.ndarray, " n"], alive: Float[np.ndarray, " time"]) -> Theory:
    """Compute the impulse responses and lag weights of a recurrence.

    Args:
        lam: Eigenvalues.
        alive: Number of sequences that have each step.
    """
    steps = len(alive)
    with double_precision(True):
        responses = _responses(jnp.asarray(lam), steps)
    kernel = [np.asarray(response).T for response in responses]
    reach = pairs(alive) / alive.sum(), alive / alive[0]
    mean, last = ([_correlate(share * k, k) for k in kernel] for share in reach)
    endless = [endless_weights(lam, steps, order) for order in (0, 1)]
    return Theory(lam, alive, kernel, mean, last, endless)


_responses = jax.jit(impulse_response, static_argnums=1)


def _correlate(
    older: Complex[np.ndarray, "n time"], newer: Complex[np.ndarray, "n time"]
) -> Complex[np.ndarray, "n lags"]:
    """Return the sum over ages of ``older[age + lag] newer[age]*`` at each lag."""
    steps = older.shape[-1]
    size = spectrum_size(steps)
    product = fft(older, size) * fft(newer, size).conj()
    return ifft(product)[..., :steps]


@functools.cache
def _endless(order: int) -> Callable[..., Any]:
    form = pair_weight().result.replace(
        lambda part: part.is_Pow and part.exp.has(T), lambda part: 0
    )
    derived = diff(form, (alpha, order), (beta, order))
    return compile_expr(derived, alpha, beta, Delta, backend="numpy")


def endless_weights(
    lam: Complex[np.ndarray, " n"], steps: int, order: int
) -> Complex[np.ndarray, "n lags"]:
    """Return the weight of each lag in a moment after an infinite past.

    Args:
        lam: Eigenvalues; the weights are NaN for ``|lam| >= 1``.
        steps: Number of lags.
        order: 0 for the state, 1 for its derivative by ``lam``.

    Source: ``sigprop.theory.layers.pair_weight``, without the powers that vanish in the limit.
    """
    stable = np.abs(lam) < 1
    inside = np.where(stable & (np.abs(lam) > TINY), lam, TINY)[:, None]
    weights = _endless(order)(inside, inside.conj(), np.arange(steps)[None])
    return np.where(stable[:, None], weights, np.nan)


def gradient_moment(
    theory: Theory,
    inputs: Inexact[np.ndarray, "*n lags"],
    errors: Inexact[np.ndarray, "*n lags"],
) -> Float[np.ndarray, " n"]:
    """Return ``E|dL/dlam|^2`` for independent stationary inputs and errors.

    The sum of ``E[s_t s_r*]`` along a diagonal needs only a few correlations.  One more
    step at both ends of a Toeplitz matrix adds a matrix of rank two.  This matrix is
    ``k r* + r k* - R(0) k k*`` with the kernel ``k`` and its response ``r`` to ``R``.

    Args:
        theory: Lag weights of the recurrence.
        inputs: Autocovariance of the input of each mode, or of all modes.
        errors: Autocovariance of the error of each mode, or of all modes.
    """
    kernel, steps = theory.kernel[1], len(theory.alive)
    share = pairs(theory.alive) / theory.alive[0]
    size = spectrum_size(steps)
    spectra = fft(kernel, size) * fft(inputs, size)
    response = ifft(spectra)[:, :steps]
    zero = np.real(inputs[..., :1])
    along = _correlate(share * kernel, response - zero * kernel)
    along = along + _correlate(share * response, kernel)
    terms = np.real(along * errors)
    return 2 * terms.sum(1) - terms[:, 0]


def predict_gradients(
    theory: Theory, inputs: Signal, errors: Signal
) -> Float[np.ndarray, "quantities rungs n"]:
    """Predict every quantity except the gradient, under every assumption except *shuffled*.

    Args:
        theory: Lag weights of the recurrence.
        inputs: Inputs of the modes.
        errors: Inputs of the backward recurrence, in the order of time.
    """
    driven = {"state": inputs, "sensitivity": inputs, "error": errors.reversed()}
    rows = []
    for name, order in ORDERS.items():
        signal, endless = driven[name], theory.endless[order]
        further = [
            moment(endless, signal.own),
            signal.gain * moment(endless, signal.common),
            signal.gain * moment(endless[:, :1], signal.common[:1]),
        ]
        for weights in (theory.mean[order], theory.last[order]):
            rows.append([moment(weights, signal.own), *further])
    return np.array(rows)


def predict_gradient(
    theory: Theory, inputs: Signal, errors: Signal
) -> Float[np.ndarray, "rungs n"]:
    """Predict ``E|dL/dlam|^2`` under every assumption except *shuffled*.

    The prediction for *infinite* is NaN.

    Args:
        theory: Lag weights of the recurrence.
        inputs: Inputs of the modes.
        errors: Inputs of the backward recurrence, in the order of time.
    """
    gain = inputs.gain * errors.gain
    white = np.real(theory.mean[1][:, 0]) * theory.alive.sum() / theory.alive[0]
    return np.array(
        [
            gradient_moment(theory, inputs.own, errors.own),
            np.full_like(gain, np.nan),
            gain * gradient_moment(theory, inputs.common, errors.common),
            gain * white * inputs.common[0] * errors.common[0],
        ]
    )


class Sequences(NamedTuple):
    """Lengths of the sequences of a batch, and their partners for *shuffled*.

    Attributes:
        lengths: Number of valid steps of each sequence.
        valid: True for each sequence that is not padding of the batch.
        partners: Index of a sequence of another example with about the same length; the
            index of the sequence itself if there is none.
    """

    lengths: Int[Array | np.ndarray, " num"]
    valid: Bool[Array | np.ndarray, " num"]
    partners: Int[Array | np.ndarray, " num"]

    @property
    def paired(self) -> Bool[Array | np.ndarray, " num"]:
        """True for each valid sequence with a partner."""
        return self.valid & (self.partners != np.arange(self.valid.shape[0]))


def sequences_of(batch: Batch) -> Sequences:
    """Return the sequences of a batch; the two sequences of a pair are consecutive."""
    lengths = batch.lengths.reshape(len(batch.labels), -1)
    rows, documents = np.flatnonzero(batch.valid), lengths.shape[1]
    partners = np.arange(lengths.size).reshape(lengths.shape)
    for document in range(documents if len(rows) > 1 else 0):
        order = rows[np.argsort(lengths[rows, document], kind="stable")]
        following = np.append(order[1:], order[-2])
        partners[order, document] = following * documents + document
    valid = np.repeat(batch.valid, documents)
    return Sequences(lengths.reshape(-1), valid, partners.reshape(-1))


class BatchSums(NamedTuple):
    """Sums over the valid sequences of a batch.

    Attributes:
        squares: Sums of the squares of ``QUANTITIES``, over the steps as well if the
            quantity is an average over steps.
        shuffled: Sums of ``|dL/dlam|^2`` with the states of the partner.
        inputs: Squared spectra of the inputs of the modes.
        errors: Squared spectra of the errors.
    """

    squares: Float[Array, "quantities n"]
    shuffled: Float[Array, " n"]
    inputs: Float[Array, "n size"]
    errors: Float[Array, "n size"]


@jax.jit
def sum_batch(
    half: Modes,
    u: Float[Array, "num time d_in"],
    errors: Float[Array, "num time d_out"],
    sequences: Sequences,
) -> BatchSums:
    """Measure the moments of a causal recurrence in the coordinates of its modes.

    Args:
        half: Modes of the recurrence.
        u: Inputs, zero in the padding.
        errors: Gradients ``dL/dy`` of the outputs, zero in the padding.
        sequences: Lengths and partners of the sequences.
    """
    lengths, valid, partners = sequences
    lam, steps = jnp.asarray(half.lam), u.shape[1]
    v, e = (
        project_in(jnp.real(weights), jnp.imag(weights), x)
        for weights, x in ((half.inward, u), (half.outward.T, errors))
    )

    def per_sequence(v, e, length):
        valid = valid_steps(steps, length)[:, None]
        z, s = linear_recurrence(lam, v), sensitivity(lam, v)
        g = linear_recurrence(lam, reverse_valid(e, length))
        masked = [jnp.where(valid, x, 0) for x in (z, s, g)]
        rows = [_square(part) for x in masked for part in (x, x[length - 1][None])]
        return jnp.stack([*rows, _square((e * s).sum(0)[None])]), masked[1]

    squares, s = jax.vmap(per_sequence)(v, e, lengths)
    shuffled = jnp.abs((e * s[partners]).sum(1)) ** 2
    return BatchSums(
        jnp.where(valid[:, None, None], squares, 0).sum(0),
        jnp.where(sequences.paired[:, None], shuffled, 0).sum(0),
        *(power(x, valid).T for x in (v, e)),
    )


def _square(x: Complex[Array, "time n"]) -> Float[Array, " n"]:
    return jnp.sum(jnp.abs(x) ** 2, 0)


@jax.jit
def power(
    x: Num[Array, "num time n"], valid: Bool[Array, " num"]
) -> Float[Array, "size n"]:
    """Return squared spectra, summed over valid sequences."""
    transform = jnp.fft.fft if jnp.iscomplexobj(x) else jnp.fft.rfft
    spectra = transform(x, spectrum_size(x.shape[1]), axis=1)
    squares = jnp.where(valid[:, None, None], jnp.abs(spectra) ** 2, 0).sum(0)
    if jnp.iscomplexobj(x):
        return squares
    return jnp.concatenate([squares, squares[-2:0:-1]])  # the negative frequencies


def standard_error(
    predicted: Float[np.ndarray, "groups *shape"],
    measured: Float[np.ndarray, "groups *shape"],
) -> Float[np.ndarray, "*shape"]:
    """Return the standard error of ``sum(predicted) / sum(measured)`` by the delta method.

    Args:
        predicted: Contribution of each independent group to the prediction.
        measured: Contribution of each independent group to the measurement.
    """
    groups, total = len(measured), measured.sum(0)
    distance = predicted - ratio(predicted.sum(0), total)[None] * measured
    spread = np.sqrt(groups * distance.var(0, ddof=1))
    return ratio(spread, total)


def ratio(
    above: Float[np.ndarray, "*shape"], below: Float[np.ndarray, "*shape"]
) -> Float[np.ndarray, "*shape"]:
    """Return a quotient; NaN unless the denominator is positive."""
    missing = np.full_like(above, np.nan)
    return np.divide(above, below, out=missing, where=below > 0)
