"""Layers whose inputs remember: what the simulation alone refutes, and the closure."""

import pytest

from sigprop.evidence.sigprop import correlated_gates, gates
from sigprop.evidence.sigprop.correlated_gates import RHO, closure, mutants
from sigprop.linear.gated_moments import mutated_gated
from sigprop.numerics.precision import double_precision
from tests.rows import row


@pytest.mark.slow
@pytest.mark.parametrize("name", RHO)
def test_simulation_alone_refutes_every_mutant(name):
    """By its plan, without the sequences of two inputs."""
    with double_precision(True):
        layer, planned = (
            gates.layer_of(name),
            correlated_gates.plans(name),
        )
        truth = correlated_gates.closed(name)
        inputs = {"change": None, "terms": ((1.0, RHO[name]),), "steps": gates.STEPS}
        for mutant, options in mutants(RHO[name]).items():
            moments = mutated_gated(layer=layer, **{**inputs, **options})
            ratios = {
                quantity: value / moments[quantity].value
                for quantity, value in truth.items()
                if moments[quantity].value
            }
            assert len(ratios) < len(truth) or any(
                not low < ratios[quantity] < high
                for quantity, (low, high) in (
                    (q, plan.detectable) for q, plan in planned.items()
                )
            ), mutant


def test_a_wrong_moment_is_refuted(monkeypatch):
    """A third more of a moment, by the sequences and by the simulation, and no other."""
    right = correlated_gates.predict_gated

    def wrong(*args, **kwargs):
        moments = right(*args, **kwargs)
        state = moments["state"]
        return {**moments, "state": state._replace(value=state.value * 4 / 3)}

    monkeypatch.setattr(correlated_gates, "predict_gated", wrong)
    monkeypatch.setattr(correlated_gates, "RHO", {"mingru": RHO["mingru"]})
    correlated_gates.closed.cache_clear()
    results = correlated_gates.layer_moments(row("sigprop:gates-remembering").claim, 3)
    correlated_gates.closed.cache_clear()
    refuted = {result.point for result in results if result.verdict == "refuted"}
    assert refuted == {"mingru, two inputs, state", "mingru, rho=-0.6, state"}
    assert sum(result.route == "monte_carlo" for result in results) == 5


def test_the_closure_is_off_by_what_the_note_says():
    """Inputs taken for independent at a correlation of 0.9."""
    ratios = [
        value for name in ("gla", "mingru") for value in closure(name, 0.9).values()
    ]
    note = row("sigprop:gates-remembering").claim.note
    assert f"{min(ratios):.2f} to {max(ratios):.1f} times" in note
