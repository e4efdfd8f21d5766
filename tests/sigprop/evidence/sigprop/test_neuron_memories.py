"""Neurons at long memories: the simulation, its controls, and what they refute."""

import jax
import numpy as np
import pytest

from sigprop.evidence.sigprop import neuron_memories as memories
from sigprop.evidence.sigprop.neuron_memories import (
    HANDS,
    HEADLINE,
    QUICK,
    Size,
    closed,
    judged_readings,
)
from sigprop.neuron import gated_simulation
from sigprop.neuron.gated import coefficients
from sigprop.neuron.gated_simulation import BATCH, BLOCK, controls, simulate
from sigprop.numerics.precision import double_precision

FEW = 2 * BLOCK  # steps


@pytest.mark.parametrize("name", HANDS)
def test_memories_are_what_they_are_called(name):
    neurons = judged_readings(name, HEADLINE).neurons
    u = np.random.default_rng(3).normal(size=(2, 20_000))
    a = coefficients(neurons, neurons.weights @ u, None)[0]
    np.testing.assert_allclose((1 - a).mean(1) * HEADLINE.time_constants, 1, rtol=0.02)
    for size, count in ((HEADLINE, 20), (QUICK, 5)):
        assert (size.time_constants[0], size.time_constants[-1]) == (4, 1000)
        assert len(judged_readings(name, size).neurons.weights) == count


@pytest.fixture
def short(monkeypatch):
    """As many steps as two blocks have."""
    monkeypatch.setattr(memories, "STEPS", FEW)


def test_controls_move_no_mean_and_take_variance(short):
    forms = closed("mingru", HEADLINE)
    with double_precision(True):
        right = controls(judged_readings("mingru", HEADLINE), FEW)
        simulations = {
            factor: simulate(
                jax.random.key(7),
                judged_readings("mingru", HEADLINE),
                factor * right,
                BATCH,
            )
            for factor in (0.0, 0.5, 1.0)
        }
    for by, form in forms.items():
        plain, half, full = (run[by].estimate() for run in simulations.values())
        for mean, sem, _ in (plain, half, full):
            assert (np.abs(mean - form) < 6 * sem).all(), by  # 1 in 10^7 a comparison
        assert (full.sem < half.sem).all()
        assert (full.sem < 0.5 * plain.sem).all()


def test_every_batch_is_drawn_by_itself(short):
    """Two batches of one key would give twice the sums of the first."""
    with double_precision(True):
        neurons = judged_readings("mingru", QUICK)
        none = 0 * controls(neurons, FEW)
        single, two = (
            simulate(jax.random.key(7), neurons, none, count * BATCH)["state"]
            for count in (1, 2)
        )
    assert two.n == 2 * single.n
    assert (abs(two.first / (2 * single.first) - 1) > 1e-4).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_a_wrong_moment_is_refuted(name, short, monkeypatch):
    """Five percent more of what one parameter moves, and no other."""
    monkeypatch.setattr(memories, "PILOT", BATCH)
    memories.plans.cache_clear()
    right, (moved, *_) = memories.closed, judged_readings(name, QUICK).by

    def wrong(name, size, change=None):
        moments = right(name, size, change)
        return {**moments, moved: 1.05 * moments[moved]}

    monkeypatch.setattr(memories, "closed", wrong)
    results = memories.memories(name, 3, Size(20, 0.03, 3.0))
    memories.plans.cache_clear()
    results = [r for r in results if r.route == "monte_carlo"]
    assert len(results) == 20 * (1 + len(judged_readings(name, QUICK).by))
    assert {r.point.split()[-1] for r in results if r.verdict == "refuted"} == {moved}
    assert sum(r.verdict == "refuted" for r in results) == 20


@pytest.mark.parametrize("name", HANDS)
def test_steps_over_nodes_of_the_inputs_agree(name):
    forms, judged = closed(name, HEADLINE), judged_readings(name, HEADLINE)
    for by, values in gated_simulation.stepped(judged, memories.STEPS).items():
        np.testing.assert_allclose(values, forms[by], rtol=memories.EXACT)


def test_memory_does_not_grow_with_the_steps():
    assert gated_simulation.BLOCK < memories.STEPS
    with double_precision(True):
        few, many = (
            controls(judged_readings("gate-unit", QUICK), steps)
            for steps in (FEW, 2 * FEW)
        )
    assert len(many) == 2 * len(few)  # weights alone do, a block at a time


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_simulation_alone_refutes_every_mutant(name):
    """By its plan, without the route that takes steps."""
    for size in (QUICK, HEADLINE):
        score = memories.score(name, size)
        assert score.total == 8
        assert not score.survivors
