"""Where closed forms would lose their digits: refused, or summed instead."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import lru
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import by_group, exact
from sigprop.linear.predicted_moments import pair_moment, predict

R = AR1(0.7).autocovariance(np.arange(8))


def dense(A):
    layer = linear_rnn(len(A), 2, key=jax.random.key(0), nu0=0.5, theta0=3.0)
    return eqx.tree_at(lambda model: model.A, layer, jnp.asarray(A)[None])


TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
REPEATED = {
    "scaled identity": 0.5 * np.eye(4),
    "diagonal": np.diag([0.5, 0.5, 0.3, 0.8]),
    "turned": TURN @ np.diag([0.5, 0.5, 0.3, 0.8]) @ TURN.T,
    "zero": np.diag([0.5, 0.0, 0.3, 0.8]),
    "a rotation": TURN,
}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", REPEATED)
@pytest.mark.sampled(keep=["turned", "zero"])
def test_equal_eigenvalues_have_their_derivatives(name):
    layer = dense(REPEATED[name])
    closed = by_group(layer, predict(perturb(layer), R, 8, 7))
    truth = exact(layer, R, steps=8, at=7, batch=1)
    assert closed == pytest.approx(truth, rel=1e-12)


@pytest.mark.usefixtures("x64")
def test_what_is_nearly_a_jordan_block_is_refused():
    block = np.diag([0.5, 0.501, 0.3, 0.8]) + np.eye(4, k=1) * [0, 1, 0, 0]
    with pytest.raises(ValueError, match="need eigenvectors further from degenerate"):
        predict(perturb(dense(TURN @ block @ TURN.T)), R, 8, 7)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
def test_pairs_near_the_unit_circle_are_double_sums(gap):
    lam, steps = np.array([(1 - gap) * np.exp(0.3j)]), 14
    covariance = 0.9 ** np.arange(steps)
    ages = np.arange(steps)
    derivative = ages * lam[:, None] ** (ages - 1.0)
    lags = np.abs(np.subtract.outer(ages, ages))
    truth = derivative @ covariance[lags] @ derivative.conj().T
    moments = pair_moment(lam, lam.conj(), steps, covariance, orders=(1, 1))
    np.testing.assert_allclose(moments, truth, rtol=1e-9)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("at", [-1, 8])
def test_positions_outside_are_refused(at):
    layer = lru(2, 2, key=jax.random.key(0), r_min=0.4, r_max=0.9)
    with pytest.raises(ValueError, match="need a position"):
        exact(layer, R, steps=8, at=at, batch=1)
    with pytest.raises(ValueError, match="need a position"):
        predict(perturb(layer), R, 8, at)


def test_missing_covariances_are_refused():
    with pytest.raises(ValueError, match="need 8 covariances, got 7"):
        predict(perturb(lru(2, 2, key=jax.random.key(0))), R[:7], 8, 7)
