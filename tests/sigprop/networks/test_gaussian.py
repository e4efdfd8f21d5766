"""Gaussian streams against brute force: double sums and products of quadratures."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate

from sigprop.networks import gaussian
from sigprop.networks.gaussian import Signal, affine, filtered, gated, through

pytestmark = pytest.mark.usefixtures("x64")
LAGS = 5


def stream(seed, n, lags=LAGS):
    """Correlated channels: moving averages of as much common noise, so of a process."""
    draws = np.random.default_rng(seed)
    taps = (
        draws.standard_normal((lags, n, n + 1)) * 0.6 ** np.arange(lags)[:, None, None]
    )
    padded = np.concatenate([taps, np.zeros_like(taps)])
    R = [sum(padded[m + lag] @ taps[m].T for m in range(lags)) for lag in range(lags)]
    return Signal(jnp.asarray(draws.standard_normal(n)), jnp.asarray(np.stack(R)))


def between(R, lag):
    return R[lag] if lag >= 0 else R[-lag].T


@pytest.mark.parametrize("seed", [0, 3])
def test_a_filter_gives_its_double_sums(seed):
    signal = stream(seed, 3)
    kernel = np.random.default_rng(seed + 1).standard_normal((LAGS, 2, 3))
    R = np.asarray(signal.covariance)
    out = filtered(signal, jnp.asarray(kernel))
    for lag in range(LAGS):
        after = sum(kernel[n] @ between(R, lag - n) for n in range(LAGS))
        steps = range(LAGS - lag)  # steps from the first one on
        before = sum(between(R, lag + m) @ kernel[m].T for m in steps)
        own = sum(
            kernel[n] @ between(R, lag + m - n) @ kernel[m].T
            for n in range(LAGS)
            for m in steps
        )
        np.testing.assert_allclose(out.after[lag], after, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(out.before[lag], before, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            out.signal.covariance[lag], own, rtol=1e-9, atol=1e-12
        )
    np.testing.assert_allclose(out.signal.mean, kernel.sum(0) @ signal.mean)


def test_squares_of_complex_filters_are_double_sums():
    signal, draws = stream(1, 3), np.random.default_rng(2)
    kernel = draws.standard_normal((2, LAGS, 4, 3))
    kernel = kernel[0] + 1j * kernel[1]
    R = np.asarray(signal.covariance)
    expected = np.sum(np.abs(kernel.sum(0) @ np.asarray(signal.mean)) ** 2) + sum(
        np.trace(kernel[n] @ between(R, m - n) @ kernel[m].conj().T)
        for n in range(LAGS)
        for m in range(LAGS)
    )
    squares = gaussian.square_filtered(signal, jnp.asarray(kernel))
    np.testing.assert_allclose(squares, expected.real, rtol=1e-9)


def test_an_affine_map_moves_means_and_pairs():
    signal, weight = stream(4, 3), np.random.default_rng(5).standard_normal((2, 3))
    out = affine(signal, jnp.asarray(weight), jnp.array([1.0, -2.0]))
    np.testing.assert_allclose(out.mean, weight @ np.asarray(signal.mean) + [1, -2])
    for lag in range(LAGS):
        expected = weight @ signal.covariance[lag] @ weight.T
        np.testing.assert_allclose(out.covariance[lag], expected)


def gauss_expectation(function, mean, covariance, nodes):
    """``E f(x)`` for Gaussian ``x``, a product of quadratures in its principal axes."""
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    size, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(size, 0))
    grid = np.array(list(itertools.product(x, repeat=len(mean)))).T
    weight = np.prod(list(itertools.product(w / w.sum(), repeat=len(mean))), 1)
    return weight @ function(np.asarray(mean)[:, None] + root @ grid)


@pytest.mark.parametrize("size", [0.3, 1.0, 2.0])
def test_nonlinearities_have_the_covariances_of_two_quadratures(size):
    signal = stream(6, 2)
    variance = np.sqrt(np.diag(signal.covariance[0]))
    unit = size / variance[:, None] / variance[None]
    signal = Signal(signal.mean, signal.covariance * jnp.asarray(unit)[None])
    out = through(signal, jax.nn.gelu)
    R, mean = np.asarray(signal.covariance), np.asarray(signal.mean)
    for lag, i, j in itertools.product(range(LAGS), range(2), range(2)):
        joint = np.array([[R[0, i, i], R[lag, i, j]], [R[lag, i, j], R[0, j, j]]])
        product = gauss_expectation(
            lambda x: np.prod(np.asarray(jax.nn.gelu(x)), 0), mean[[i, j]], joint, 60
        )
        expected = product - out.signal.mean[i] * out.signal.mean[j]
        np.testing.assert_allclose(
            out.signal.covariance[lag, i, j], expected, rtol=1e-5, atol=1e-7
        )
    derivative = jax.vmap(jax.grad(jax.nn.gelu))
    for i in range(2):
        gain = gauss_expectation(
            lambda x: np.asarray(derivative(x[0])),
            mean[[i]],
            R[0][i : i + 1, i : i + 1],
            90,
        )
        np.testing.assert_allclose(out.gain[i], gain, rtol=1e-8)


def test_a_channel_that_is_constant_in_time_keeps_its_variance():
    signal = Signal(jnp.zeros(1), jnp.ones((3, 1, 1)))
    out = through(signal, jnp.abs)
    np.testing.assert_allclose(out.signal.covariance.ravel(), 1 - 2 / np.pi, rtol=2e-2)
    np.testing.assert_allclose(np.ptp(out.signal.covariance), 0, atol=1e-12)


def test_a_channel_that_never_varies_has_no_covariance():
    signal = Signal(jnp.array([0.7, 0.0]), jnp.zeros((3, 2, 2)).at[:, 1, 1].set(1.0))
    out = through(signal, jax.nn.gelu).signal
    np.testing.assert_allclose(out.mean[0], jax.nn.gelu(0.7))
    np.testing.assert_allclose(out.covariance[:, 0], 0, atol=1e-12)


def polynomial(x):
    return 0.3 + x + 0.5 * x**2 - 0.2 * x**3


def bent(g):
    return 1 + 1 * g - 0.6 * g**2


@pytest.mark.parametrize("seed", [0, 8])
def test_gated_units_are_exact_for_polynomials(seed):
    joint = stream(seed, 4)
    R, mean = np.asarray(joint.covariance), np.asarray(joint.mean)
    v, g = slice(0, 2), slice(2, 4)
    value, gate = (
        Signal(joint.mean[part], joint.covariance[:, part, part]) for part in (v, g)
    )
    together = joint.covariance[:, v, g], joint.covariance[:, g, v]
    out = gated(value, gate, together, polynomial)

    def unit(x):
        return x[0] * polynomial(x[1])

    for i, j in itertools.product(range(2), range(2)):
        for lag in range(LAGS):
            now, then = [i, i + 2], [j, j + 2]
            cross = R[lag][np.ix_(now, then)]
            both = np.block(
                [[R[0][np.ix_(now, now)], cross], [cross.T, R[0][np.ix_(then, then)]]]
            )
            product = gauss_expectation(
                lambda x: unit(x[:2]) * unit(x[2:]),
                [*mean[now], *mean[then]],
                both,
                5,
            )
            means = [
                gauss_expectation(unit, mean[pair], R[0][np.ix_(pair, pair)], 5)
                for pair in (now, then)
            ]
            np.testing.assert_allclose(out.signal.mean[i], means[0], rtol=1e-9)
            np.testing.assert_allclose(
                out.signal.covariance[lag, i, j],
                product - means[0] * means[1],
                rtol=1e-8,
                atol=1e-8,
            )
    for i in range(2):
        indices = [i, i + 2]
        moments = mean[indices], R[0][np.ix_(indices, indices)]
        by_value = gauss_expectation(lambda x: polynomial(x[1]), *moments, 5)
        by_gate = gauss_expectation(lambda x: x[0] * bent(x[1]), *moments, 5)
        np.testing.assert_allclose(out.value_gain[i], by_value, rtol=1e-9)
        np.testing.assert_allclose(out.gate_gain[i], by_gate, rtol=1e-9)


SLOPE = gaussian.derivative(jax.nn.sigmoid)
STEEP = [1.0, 30.0, 1e3, 1e6]


def standard(function, breaks):
    """``E f(z)`` for a standard normal ``z``, by SciPy between given points."""
    ends = [-12.0, *sorted(breaks), 12.0]
    weight = np.sqrt(2 * np.pi)
    return sum(
        integrate.quad(
            lambda z: function(z) * np.exp(-(z**2) / 2) / weight, *pair, epsabs=1e-13
        )[0]
        for pair in itertools.pairwise(ends)
    )


@pytest.mark.parametrize("deviation", STEEP)
def test_a_gated_unit_has_its_variance_however_steep_the_gate(deviation):
    mean, v0, together, alone = 0.4 * deviation, 0.3, 1.1, 0.7
    value = Signal(jnp.array([v0]), jnp.full((1, 1, 1), together**2 + alone))
    gate = Signal(jnp.array([mean]), jnp.full((1, 1, 1), deviation**2))
    joint = jnp.full((1, 1, 1), together * deviation)
    near = [mean / -deviation + side * 40 / deviation for side in (-1, 0, 1)]
    for function in (jax.nn.sigmoid, SLOPE):
        out = gated(value, gate, (joint, joint), function)

        ready = jax.jit(function)

        def f(z, ready=ready):
            return float(ready(mean + deviation * z))

        def squared(z, f=f):
            return ((v0 + together * z) ** 2 + alone) * f(z) ** 2

        first = standard(lambda z, f=f: (v0 + together * z) * f(z), near)
        square = standard(squared, near)
        np.testing.assert_allclose(out.signal.mean, first, rtol=1e-7)
        second_moment = float(out.signal.covariance[0, 0, 0] + out.signal.mean[0] ** 2)
        np.testing.assert_allclose(second_moment, square, rtol=1e-7)
        np.testing.assert_allclose(out.value_gain, standard(f, near), rtol=1e-7)


def test_open_and_shut_gates_have_the_correlations_of_signs():
    rho = np.array([1.0, 0.9, 0.5, -0.7])
    R = 1e12 * jnp.asarray(rho)[:, None, None]
    signal = through(Signal(jnp.zeros(1), R), jax.nn.sigmoid).signal
    expected = np.arcsin(rho) / (2 * np.pi)  # the law of two signs
    np.testing.assert_allclose(signal.covariance[:, 0, 0], expected, atol=0.004)
    np.testing.assert_allclose(signal.covariance[0, 0, 0], 0.25, rtol=1e-5)


def test_a_gain_is_the_mean_slope_at_any_deviation():
    mean, derivative = 0.3, jax.jit(jax.grad(jax.nn.gelu))
    for deviation in (0.0, 1e-8, 1e-3, 0.5, 4.0, 100.0):
        R = jnp.full((1, 1, 1), deviation**2)
        gain = through(Signal(jnp.array([mean]), R), jax.nn.gelu).gain

        def at(z, deviation=deviation):
            return float(derivative(mean + deviation * z))

        np.testing.assert_allclose(gain, standard(at, [0.0]), rtol=1e-6)


def test_observed_streams_are_averages_over_pairs():
    samples = np.random.default_rng(9).standard_normal((4, 6, 2)) + 3
    signal = gaussian.observed(samples)
    centred = samples - samples.mean((0, 1))
    expected = np.einsum("bti,btj->ij", centred[:, 2:], centred[:, :-2]) / 16
    np.testing.assert_allclose(signal.mean, samples.mean((0, 1)))
    np.testing.assert_allclose(signal.covariance[2], expected)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.zeros((2, 3)), r"\(sequences, time, channels\), got \(2, 3\)"),
        (np.full((1, 2, 3), np.nan), "need finite numbers"),
    ],
)
def test_samples_that_are_none_are_refused(samples, message):
    with pytest.raises(ValueError, match=message):
        gaussian.observed(samples)
