"""Neurons at long memories: the simulation, its controls, and what they refute."""

import jax
import numpy as np
import pytest

from sigprop.evidence.sigprop import memories
from sigprop.evidence.sigprop.memories import HANDS, MEMORIES, asked, closed
from sigprop.neuron import gated_simulation
from sigprop.neuron.gated import coefficients
from sigprop.neuron.gated_simulation import BATCH, BLOCK, controls, simulate
from sigprop.numerics.precision import double_precision
from tests.rows import row

FEW = 2 * BLOCK  # steps


@pytest.mark.parametrize("name", HANDS)
def test_memories_are_what_they_are_called(name):
    made = asked(name).neurons
    u = np.random.default_rng(3).normal(size=(2, 20_000))
    a = coefficients(made, made.weights @ u, None)[0]
    np.testing.assert_allclose((1 - a).mean(1) * MEMORIES, 1, rtol=0.02)
    assert (MEMORIES[0], MEMORIES[-1], len(MEMORIES)) == (4, 1000, 20)


@pytest.fixture
def short(monkeypatch):
    """As many steps as two blocks have."""
    monkeypatch.setattr(memories, "STEPS", FEW)


def test_controls_move_no_mean_and_take_variance(short):
    forms = closed("mingru")
    with double_precision(True):
        right = controls(asked("mingru"), FEW)
        found = {
            factor: simulate(jax.random.key(7), asked("mingru"), factor * right, BATCH)
            for factor in (0.0, 0.5, 1.0)
        }
    for by, form in forms.items():
        plain, half, whole = (one[by].estimate() for one in found.values())
        for mean, sem, _ in (plain, half, whole):
            assert (np.abs(mean - form) < 6 * sem).all(), by  # 1 in 10^7 a comparison
        assert (whole.sem < half.sem).all()
        assert (whole.sem < 0.5 * plain.sem).all()


@pytest.mark.slow
def test_a_wrong_moment_is_refuted(short, monkeypatch):
    """Five percent more of what one parameter moves, and no other."""
    monkeypatch.setattr(memories, "PILOT", BATCH)
    monkeypatch.setattr(memories, "HEADLINE_MARGIN", 0.03)
    memories.plans.cache_clear()
    right = memories.closed

    def wrong(name, change=None):
        found = right(name, change)
        return {**found, "v": 1.05 * found["v"]}

    monkeypatch.setattr(memories, "closed", wrong)
    results = memories.memories(row("sigprop:memories-mingru").claim, 3)
    memories.plans.cache_clear()
    results = [r for r in results if r.route == "monte_carlo"]
    assert len(results) == 60
    assert {r.point.split()[-1] for r in results if r.verdict == "refuted"} == {"v"}
    assert sum(r.verdict == "refuted" for r in results) == 20


@pytest.mark.parametrize("name", HANDS)
def test_steps_over_nodes_of_the_inputs_agree(name):
    forms = closed(name)
    for by, values in gated_simulation.stepped(asked(name), memories.STEPS).items():
        np.testing.assert_allclose(values, forms[by], rtol=memories.EXACT)


def test_memory_does_not_grow_with_the_steps():
    assert gated_simulation.BLOCK < memories.STEPS
    with double_precision(True):
        few, many = (controls(asked("gate-unit"), steps) for steps in (FEW, 2 * FEW))
    assert len(many) == 2 * len(few)  # weights alone do, a block at a time


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_simulation_alone_refutes_every_slip(name):
    """By its plan, without the route that takes steps."""
    found = memories.score(row(f"sigprop:memories-{name}").claim)
    assert found.total == 8
    assert not found.survivors
