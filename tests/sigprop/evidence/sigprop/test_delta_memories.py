"""Heads of the delta rule at long memories: simulation, controls, what they refute."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop import delta_memories
from sigprop.evidence.sigprop.delta_memories import QUICK, closed, heads
from sigprop.evidence.sigprop.memories import HEADLINE, Size
from sigprop.layers.deltanet import DeltaNet
from sigprop.linear.gated_moments import squares
from sigprop.neuron import delta_simulation as simulation
from sigprop.neuron.delta_simulation import BATCH, BLOCK, READINGS, WIDTH, simulate
from sigprop.numerics.precision import double_precision
from tests.rows import row

FEW = 4 * BLOCK  # steps
CACHED = (delta_memories.plans, delta_memories.weights, delta_memories.by_steps)


@pytest.fixture
def short(monkeypatch):
    """Few steps, and nothing that is kept for as many as usual."""
    monkeypatch.setattr(delta_memories, "STEPS", FEW)
    for kept in CACHED:
        kept.cache_clear()
    yield
    for kept in CACHED:
        kept.cache_clear()


@pytest.mark.parametrize("size", [QUICK, HEADLINE])
def test_memories_are_what_they_are_called(size):
    made = heads(size)
    for place, memory in enumerate(size.time_constants):
        z, weights = simulation._nodes(made, place, fine=True)
        at = simulation._at(made, place, z)
        forgotten = np.einsum("n,ni,nj->ij", weights * at.beta, at.k, at.k)
        least = np.linalg.eigvalsh(forgotten)[0]
        np.testing.assert_allclose(least * memory, 1, rtol=0.02)
    assert (size.time_constants[0], size.time_constants[-1]) == (4, 1000)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("place", [0, 3])
def test_heads_step_as_the_layer_does(place):
    made = heads(QUICK)
    W_k, W_v, W_beta = (jnp.asarray(part[place]) for part in made[:3])
    layer = DeltaNet(
        W_q=W_k[None], W_k=W_k[None], W_v=W_v[None, None], W_beta=W_beta[None]
    )
    u = jax.random.normal(jax.random.key(5), (3, 6, WIDTH))
    known = squares(layer)(u)
    for index, inputs in enumerate(u):
        h, moved = jnp.zeros(2), jnp.zeros((2, WIDTH, 2))
        for now in inputs:
            x = W_k @ now
            k = x / jnp.sqrt(x @ x + made.tiny)
            h, moved = simulation._one(h, moved, W_beta, W_v, now, k)
        found = [h @ h, *jnp.sum(moved**2, (1, 2))]
        for name, value in zip(READINGS, found, strict=True):
            np.testing.assert_allclose(value, known[name][index], rtol=1e-9)


@pytest.mark.parametrize("seed", [0, 3])
def test_functions_have_the_means_that_are_taken_off(seed):
    made, place, num = heads(QUICK), 1, 400_000
    z = np.random.default_rng(seed).standard_normal((num, WIDTH))
    x = z @ made.W_k[place].T
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    lines, waves = simulation._functions(z.T, unit.T, np.stack)
    centres = simulation.means(made)[place].reshape(len(lines), -1)
    apart = 0
    for line, row_of in zip(lines, centres, strict=True):
        drawn = line * waves
        error = drawn.std(1) / num**0.5
        apart = max(apart, np.max(np.abs(drawn.mean(1) - row_of) / (error + 1e-12)))
    assert apart < 6
    assert np.abs(centres).max() > 1  # some of them are far from zero


def test_controls_move_no_mean_and_take_variance(short):
    forms = closed(QUICK)
    with double_precision(True):
        right = simulation.controls(heads(QUICK), FEW)
        found = {
            factor: simulate(jax.random.key(7), heads(QUICK), factor * right, 4 * BATCH)
            for factor in (0.0, 0.5, 1.0)
        }
    for name, form in forms.items():
        plain, half, whole = (one[name].estimate() for one in found.values())
        for mean, sem, _ in (plain, half, whole):
            assert (np.abs(mean - form) < 6 * sem).all(), name
        assert (whole.sem < half.sem).all()
        assert (whole.sem < 0.5 * plain.sem).all()


@pytest.mark.slow
def test_a_wrong_moment_is_refuted(short, monkeypatch):
    """Five percent more of what the gate's weights move, and of nothing else."""
    right = delta_memories.closed

    def wrong(size, change=None):
        found = right(size, change)
        return {**found, "W_beta": 1.05 * found["W_beta"]}

    monkeypatch.setattr(delta_memories, "closed", wrong)
    results = delta_memories.memories(
        row("sigprop:memories-deltanet").claim, 3, Size(5, 0.03, 3.0)
    )
    assert {r.point.split()[-1] for r in results if r.verdict == "refuted"} == {
        "W_beta"
    }
    drawn = [r for r in results if r.route == "monte_carlo"]
    assert len(drawn) == 15
    assert sum(r.verdict == "refuted" for r in drawn) == 5


def test_steps_over_nodes_of_the_inputs_agree(short):
    forms, made, some = closed(QUICK), heads(QUICK), [1, 4]
    few = simulation.Deltas(*(part[some] for part in made[:3]), made.tiny)
    for name, values in simulation.stepped(few, FEW).items():
        np.testing.assert_allclose(values, forms[name][some], rtol=3e-4)


@pytest.mark.slow
def test_simulation_alone_refutes_every_mutant():
    """By its plan, without the route that takes steps."""
    for size in (QUICK, HEADLINE):
        found = delta_memories.score(row("sigprop:memories-deltanet").claim, size)
        assert found.total == 6
        assert not found.survivors


def test_the_headline_tier_judges_more_memories():
    basis = row("sigprop:memories-deltanet").basis
    assert basis.of_tier("quick") is delta_memories.memories
    assert isinstance(basis.of_tier("headline"), functools.partial)
    assert basis.of_tier("headline").keywords == {"size": HEADLINE}


def test_keys_that_are_mirrored_are_refused():
    made = heads(QUICK)
    with pytest.raises(ValueError, match="keep the order"):
        simulation.means(made._replace(W_k=made.W_k[:, ::-1]))
