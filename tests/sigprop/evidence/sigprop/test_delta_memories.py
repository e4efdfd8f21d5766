"""Heads of the delta rule at long memories: simulation, controls, what they refute."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.sigprop import delta_memories
from sigprop.evidence.sigprop.delta_memories import QUICK, closed, heads
from sigprop.evidence.sigprop.neuron_memories import HEADLINE, Size
from sigprop.layers.deltanet import DeltaNet
from sigprop.linear.gated_moments import squares
from sigprop.neuron import delta_simulation as simulation
from sigprop.neuron.delta_simulation import BATCH, BLOCK, READINGS, WIDTH, simulate
from sigprop.numerics.precision import double_precision

FEW = 4 * BLOCK  # steps
CACHED = (delta_memories.plans, delta_memories.weights, delta_memories.by_steps)


@pytest.fixture
def short(monkeypatch):
    """Few steps, and nothing that is kept for as many as usual."""
    monkeypatch.setattr(delta_memories, "STEPS", FEW)
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


@pytest.mark.parametrize("size", [QUICK, HEADLINE])
def test_memories_are_what_they_are_called(size):
    all_heads = heads(size)
    for index, memory in enumerate(size.time_constants):
        z, weights = simulation._nodes(all_heads, index, fine=True)
        at = simulation._at(all_heads, index, z)
        forgotten = np.einsum("n,ni,nj->ij", weights * at.beta, at.k, at.k)
        least = np.linalg.eigvalsh(forgotten)[0]
        np.testing.assert_allclose(least * memory, 1, rtol=0.02)
    assert (size.time_constants[0], size.time_constants[-1]) == (4, 1000)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("head", [0, 3])
def test_heads_step_as_the_layer_does(head):
    all_heads = heads(QUICK)
    W_k, W_v, W_beta = (jnp.asarray(part[head]) for part in all_heads[:3])
    layer = DeltaNet(
        W_q=W_k[None], W_k=W_k[None], W_v=W_v[None, None], W_beta=W_beta[None]
    )
    u = jax.random.normal(jax.random.key(5), (3, 6, WIDTH))
    known = squares(layer)(u)
    for index, inputs in enumerate(u):
        h, moved = jnp.zeros(2), jnp.zeros((2, WIDTH, 2))
        for now in inputs:
            x = W_k @ now
            k = x / jnp.sqrt(x @ x + all_heads.tiny)
            h, moved = simulation._one(h, moved, W_beta, W_v, now, k)
        readings = [h @ h, *jnp.sum(moved**2, (1, 2))]
        for name, value in zip(READINGS, readings, strict=True):
            np.testing.assert_allclose(value, known[name][index], rtol=1e-9)


@pytest.mark.parametrize("seed", [0, 3])
def test_functions_have_the_means_that_are_taken_off(seed):
    all_heads, index, num = heads(QUICK), 1, 400_000
    z = np.random.default_rng(seed).standard_normal((num, WIDTH))
    x = z @ all_heads.W_k[index].T
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    lines, waves = simulation._functions(z.T, unit.T, np.stack)
    centres = simulation.means(all_heads)[index].reshape(len(lines), -1)
    apart = 0
    for line, row_of in zip(lines, centres, strict=True):
        samples = line * waves
        error = samples.std(1) / num**0.5
        apart = max(apart, np.max(np.abs(samples.mean(1) - row_of) / (error + 1e-12)))
    assert apart < 6
    assert np.abs(centres).max() > 1  # some of them are far from zero


def test_controls_move_no_mean_and_take_variance(short):
    forms = closed(QUICK)
    with double_precision(True):
        right = simulation.controls(heads(QUICK), FEW)
        simulations = {
            factor: simulate(jax.random.key(7), heads(QUICK), factor * right, 4 * BATCH)
            for factor in (0.0, 0.5, 1.0)
        }
    for name, form in forms.items():
        plain, half, full = (run[name].estimate() for run in simulations.values())
        for mean, sem, _ in (plain, half, full):
            assert (np.abs(mean - form) < 6 * sem).all(), name
        assert (full.sem < half.sem).all()
        assert (full.sem < 0.5 * plain.sem).all()


@pytest.mark.slow
def test_a_wrong_moment_is_refuted(short, monkeypatch):
    """Five percent more of what the gate's weights move, and of nothing else."""
    right = delta_memories.closed

    def wrong(size, change=None):
        moments = right(size, change)
        return {**moments, "W_beta": 1.05 * moments["W_beta"]}

    monkeypatch.setattr(delta_memories, "closed", wrong)
    results = delta_memories.memories(3, Size(5, 0.03, 3.0))
    assert {r.point.split()[-1] for r in results if r.verdict == "refuted"} == {
        "W_beta"
    }
    sampled = [r for r in results if r.route == "monte_carlo"]
    assert len(sampled) == 15
    assert sum(r.verdict == "refuted" for r in sampled) == 5


def test_steps_over_nodes_of_the_inputs_agree(short):
    forms, all_heads, some = closed(QUICK), heads(QUICK), [1, 4]
    few = simulation.Deltas(*(part[some] for part in all_heads[:3]), all_heads.tiny)
    for name, values in simulation.stepped(few, FEW).items():
        np.testing.assert_allclose(values, forms[name][some], rtol=3e-4)


@pytest.mark.slow
def test_simulation_alone_refutes_every_mutant():
    """By its plan, without the route that takes steps."""
    for size in (QUICK, HEADLINE):
        score = delta_memories.score(size)
        assert score.total == 6
        assert not score.survivors


def test_keys_that_are_mirrored_are_refused():
    all_heads = heads(QUICK)
    with pytest.raises(ValueError, match="keep the order"):
        simulation.means(all_heads._replace(W_k=all_heads.W_k[:, ::-1]))
