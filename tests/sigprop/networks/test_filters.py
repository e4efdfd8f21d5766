"""Filters by modes against those by impulse responses, and layers without modes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import lru
from sigprop.networks import filters, gaussian
from sigprop.networks.filters import Modal, Responses, filter_of, responses
from sigprop.networks.gaussian import Signal
from sigprop.networks.propagation import widened

pytestmark = pytest.mark.usefixtures("x64")
LAGS, REACH = 24, 9


def stream(seed, n):
    """Correlated channels of a moving average, with a mean."""
    draws = np.random.default_rng(seed)
    taps = draws.standard_normal((REACH, n, n + 1)) / n
    R = np.zeros((LAGS, n, n))
    for lag in range(REACH):
        R[lag] = sum(taps[m + lag] @ taps[m].T for m in range(REACH - lag))
    return Signal(jnp.asarray(draws.standard_normal(n)), jnp.asarray(R))


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("radii", [(0.0, 0.5), (0.9, 0.999)])
def test_modes_filter_as_impulse_responses_do(seed, radii):
    signal = stream(seed, 3)
    layer = lru(5, 3, key=jax.random.key(seed), r_min=radii[0], r_max=radii[1])
    layer = widened(layer)
    by = filter_of(layer, LAGS)
    assert isinstance(by, Modal)
    known = responses(layer, LAGS)
    changed = jnp.asarray(np.random.default_rng(seed).standard_normal((3, 2)))
    narrow = stream(seed + 1, 2)
    for mine, his, argument in (
        (by, known, signal),
        (by.turned(), known.turned(), signal),
        (by.after(changed), known.after(changed), narrow),
    ):
        filtered = filters.filtered(argument, mine)
        expected = filters.filtered(argument, his)
        for computed, right in zip(
            jax.tree.leaves(filtered), jax.tree.leaves(expected), strict=True
        ):
            np.testing.assert_allclose(computed, right, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(mine.gain(LAGS), his.gain(LAGS), rtol=1e-10)
    for mine, his, argument in (
        (by, known, signal),
        (by.after(changed), known.after(changed), narrow),
    ):
        np.testing.assert_allclose(
            filters.square_filtered(argument, mine),
            filters.square_filtered(argument, his),
            rtol=1e-10,
        )


@pytest.mark.parametrize("lam", [0.0, 1.0, -1.0, 1j])
def test_eigenvalues_of_no_or_endless_memory_are_filtered_too(lam):
    draws, signal = np.random.default_rng(2), stream(3, 3)
    parts = [draws.standard_normal((2, *shape)) for shape in ((1, 3), (2, 1))]
    inward, outward = (jnp.asarray(part[0] + 1j * part[1]) for part in parts)
    skip = jnp.asarray(draws.standard_normal((2, 3)))
    by = Modal(jnp.array([lam], complex), inward, outward, skip)
    powers = np.array([complex(lam) ** age for age in range(LAGS)])
    state = powers[:, None, None] * np.asarray(inward)[None]
    output = np.real(np.asarray(outward)[None] @ state)
    output[0] += np.asarray(skip)
    filtered, expected = (
        filters.filtered(signal, by),
        gaussian.filtered(signal, jnp.asarray(output)),
    )
    for computed, right in zip(
        jax.tree.leaves(filtered), jax.tree.leaves(expected), strict=True
    ):
        np.testing.assert_allclose(computed, right, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        filters.square_filtered(signal, by),
        gaussian.square_filtered(signal, jnp.asarray(state)),
        rtol=1e-10,
    )


def test_other_layers_are_filtered_by_their_responses():
    layer = linear_rnn(6, 3, key=jax.random.key(0), d_out=2, nu0=0.8, theta0=1.0)
    assert isinstance(filter_of(layer, LAGS), Responses)
