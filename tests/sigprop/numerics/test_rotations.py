"""Rotations by products alone: scipy's exponential, its slope, and no call of LAPACK."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from sigprop.layers.rotrnn import rotrnn
from sigprop.linear.measured_moments import responses
from sigprop.numerics.rotations import rotation

LAPACK = 'custom_call_target="lapack'


def skew(n, norm, batch=3, dtype=jnp.float64, seed=0):
    M = np.random.default_rng(seed).normal(size=(batch, n, n))
    S = M - M.transpose(0, 2, 1)
    return jnp.asarray(norm * S / max(np.abs(S).sum(1).max(), 1e-300), dtype)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("n", [1, 2, 7, 32])
@pytest.mark.parametrize("norm", [0, 1e-9, 0.3, 0.5, 0.51, 1, 7.9, 60, 1e4])
def test_a_rotation_is_the_exponential(x64, n, norm, dtype):
    S = skew(n, norm, dtype=dtype, seed=n)
    R = rotation(S)
    assert R.dtype == dtype
    error = 30 * float(jnp.finfo(dtype).eps) * max(norm, 1)
    expected = scipy.linalg.expm(np.asarray(S, np.float64))
    np.testing.assert_allclose(R, expected, atol=error)
    turned = np.asarray(R) @ np.asarray(R).transpose(0, 2, 1)
    identity = np.broadcast_to(np.eye(n), turned.shape)
    np.testing.assert_allclose(turned, identity, atol=error)


def test_matrices_of_a_batch_have_each_their_own_number_of_squarings(x64):
    S = jnp.concatenate([skew(4, norm, 1) for norm in (0.1, 3, 400)])
    alone = jnp.stack([rotation(matrix) for matrix in S])
    np.testing.assert_allclose(rotation(S), alone, rtol=0, atol=1e-13)


def test_what_needs_too_many_squarings_is_no_number(x64):
    finite, overflowing = rotation(
        jnp.concatenate([skew(3, norm, 1) for norm in (32_000, 33_000)])
    )
    assert np.isfinite(finite).all()
    assert np.isnan(overflowing).all()


@pytest.mark.parametrize("norm", [0.0, 0.4, 20.0])
def test_its_slope_is_that_of_the_exponential(x64, norm):
    S, along, back = skew(5, norm), skew(5, 1, seed=1), skew(5, 1, seed=2)
    _, tangent = jax.jvp(rotation, (S,), (along,))
    exact = [
        scipy.linalg.expm_frechet(*pair)[1]
        for pair in zip(np.asarray(S), np.asarray(along), strict=True)
    ]
    np.testing.assert_allclose(tangent, exact, atol=1e-12)
    _, pull = jax.vjp(rotation, S)
    assert float((pull(back)[0] * along).sum()) == pytest.approx(
        float((back * np.array(exact)).sum()), rel=1e-10, abs=1e-13
    )


def test_rotrnns_call_no_lapack_from_threads():
    """Two programs that do, at once, wait for each other forever."""
    layer = rotrnn(8, 4, key=jax.random.key(0), heads=2)
    u, errors = jnp.ones((6, 5, 4)), jnp.ones((6, 2, 4))
    moved = jax.vmap(lambda u, v: responses(layer, u, 4, v))
    program = jax.jit(moved).lower(u, errors).compile().as_text()
    assert LAPACK not in program
    solved = jax.jit(jax.scipy.linalg.expm).lower(layer.M).compile().as_text()
    assert LAPACK in solved  # what is looked for would be seen
