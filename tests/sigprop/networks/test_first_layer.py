"""The first recurrence of a deep network: exact at every step, or refused."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import Mixed
from sigprop.judge.verdict import judge, plan
from sigprop.linear.measured_moments import channels
from sigprop.linear.predicted_moments import pair_moment
from sigprop.networks import build, lru_paper, zucchet_paper
from sigprop.networks.first_layer import first_states, states_over_time
from sigprop.numerics.compilation import OFTEN
from sigprop.tasks.sequences import EMBEDDINGS

PROCESS = Mixed(0.4, 0.7, 0.8)


def small(preset, **changes):
    return dataclasses.replace(
        preset, width=4, state_size=5, depth=2, dropout=0.0, **changes
    )


LAM = np.array([0.9 + 0.2j, -0.3 + 0j, 0.99 + 0j, 0.5 - 0.5j])


def test_every_step_is_the_double_sum_over_inputs():
    R = PROCESS.autocovariance(np.arange(12))
    states = states_over_time(LAM, R)
    for steps in (1, 2, 5, 12):
        powers = LAM[:, None] ** np.arange(steps)
        apart = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
        exact = np.einsum("na,ab,nb->n", powers, R[apart], powers.conj()).real
        np.testing.assert_allclose(states[steps - 1], exact, rtol=1e-12)
    closed = np.diag(pair_moment(LAM, LAM.conj(), 12, R)).real
    np.testing.assert_allclose(states[-1], closed, rtol=1e-12)


@pytest.mark.parametrize("kind", ["zucchet_lru", "complex_diagonal"])
@pytest.mark.usefixtures("x64")
def test_states_of_a_network_are_those_of_impulses_and_of_its_bias(kind):
    preset = zucchet_paper(kind, nu0=0.9, nu1=0.95, features=3)
    network, _ = build(small(preset), key=jax.random.key(1))
    steps, width = 9, 3
    R = PROCESS.autocovariance(np.arange(steps))

    def states(u):
        return network.blocks[0].layer.states(network.encode(u, None))

    rest = np.asarray(states(jnp.zeros((steps, width))))
    impulses = jnp.zeros((width, steps, width)).at[:, 0].set(jnp.eye(width))
    moved = np.asarray(jax.vmap(states)(impulses)) - rest[None]
    exact = np.abs(rest) ** 2
    for t in range(steps):
        ages = moved[:, : t + 1]
        apart = np.abs(np.subtract.outer(np.arange(t + 1), np.arange(t + 1)))
        exact[t] += np.einsum("can,ab,cbn->n", ages, R[apart], ages.conj()).real
    np.testing.assert_allclose(first_states(network, R), exact, rtol=1e-10)
    radius = np.abs(np.asarray(network.blocks[0].layer.eigenvalues()))
    assert ((radius >= 0.9 - 1e-9) & (radius <= 0.95 + 1e-9)).all()


@functools.cache
def squares(kind, nu0, seed):
    """Mean squares of first states of one network, a number a sequence; and the form's."""
    preset = zucchet_paper(kind, nu0=nu0, nu1=(1 + nu0) / 2, features=12)
    sized = dataclasses.replace(preset, width=24, state_size=24, depth=1)
    network, _ = build(sized, key=jax.random.key(7))
    exact = first_states(network, EMBEDDINGS.autocovariance(np.arange(64))).mean()

    @functools.partial(jax.jit, compiler_options=OFTEN)
    def batch(key):
        u = channels(key, EMBEDDINGS, 512, 64, 12, jnp.float32)
        states = jax.vmap(
            lambda sequence: network.blocks[0].layer.states(
                network.encode(sequence, None)
            )
        )
        return jnp.mean(jnp.abs(states(u)) ** 2, (1, 2))

    keys = jax.random.split(jax.random.key(seed), 48)
    return np.concatenate([batch(key) for key in keys]).astype(float), exact


@pytest.mark.slow
@pytest.mark.parametrize("nu0", [0.0, 0.9, 0.99, 0.999, 0.9999])
@pytest.mark.parametrize("kind", ["zucchet_lru", "complex_diagonal"])
def test_measured_states_are_within_two_per_cent(kind, nu0):
    """Equivalence at a margin of 2 %; a form that is wrong by 3 % is refuted.

    The plan is sized by other sequences than those that are judged.
    """
    pilot, exact = squares(kind, nu0, 1)
    values, _ = squares(kind, nu0, 2)
    variance = 1.5 * pilot.var() / pilot.mean() ** 2
    planned = plan(0.02, variance=variance)
    assert planned.n <= len(values)
    some = dataclasses.replace(planned, n=len(values))
    mean, sem = values.mean(), values.std(ddof=1) / len(values) ** 0.5
    assert judge(mean, exact, some, sem).outcome == "confirmed"
    for wrong in (0.97, 1.03):
        assert judge(mean, wrong * exact, some, sem).outcome == "refuted"


def test_what_has_no_such_theory_is_refused():
    R = PROCESS.autocovariance(np.arange(5))
    key = jax.random.key(0)
    gru, _ = build(small(zucchet_paper("gru", nu0=0.9, features=3)), key=key)
    with pytest.raises(ValueError, match="need a diagonal layer in block 0, got GRU"):
        first_states(gru, R)
    normed, _ = build(small(zucchet_paper(nu0=0.9, norm="layer", features=3)), key=key)
    with pytest.raises(ValueError, match="got a normalisation"):
        first_states(normed, R)
    tokens, _ = build(small(lru_paper("listops"), norm="none"), key=key)
    with pytest.raises(ValueError, match="got an embedding"):
        first_states(tokens, R)
