"""Rows of many architectures: each is judged, and none hides behind the others."""

import pytest

from sigprop.evidence.sigprop import curvature, gates
from sigprop.evidence.sigprop.moments import GATED, LINEAR
from sigprop.judge import evidence
from sigprop.theory.papers.sigprop.gates import DELTA_RULES, GATES
from sigprop.theory.papers.sigprop.moments import GATED as GATED_NAMES
from sigprop.theory.papers.sigprop.moments import ONE_WAY, TWO_WAYS
from tests.rows import changed, row

CASES = {
    "sigprop:gates": {*GATES, *DELTA_RULES},
    "sigprop:memories": {*GATES, "deltanet"},
    "sigprop:moments": {
        *LINEAR,
        *(f"{name}, learnt" for name in ("lru", "rotrnn", "blur")),
    },
    "sigprop:moments-gated": {*GATED},
    "sigprop:loss-curvature": {"lru", "rotrnn", "blur"},
}


@pytest.mark.parametrize("claim_id", CASES)
def test_every_architecture_of_a_row_is_a_case(claim_id):
    assert {*row(claim_id).basis.cases} == CASES[claim_id]


def test_statements_name_every_architecture():
    layers = [*GATES.values(), *DELTA_RULES.values()]
    for title, rule in layers:
        assert rf"\text{{{title}}} & {rule}" in row("sigprop:gates").claim.statement
    named = [*ONE_WAY.split(", "), *TWO_WAYS.split(", ")]
    named.remove("Appendix A.3")  # of S4
    assert len(named) == len(LINEAR)
    assert len(GATED_NAMES.split(", ")) == 1 + len(GATED)  # one has an equation


@pytest.fixture
def of_one_layer(monkeypatch):
    """A third more of the state's moment in a layer, and in no other."""
    right = gates.predict_gated

    def say(label):
        spoilt = gates.layer_of(label)

        def wrong(layer, **how):
            moments = right(layer, **how)
            if layer is not spoilt:
                return moments
            state = moments["state"]
            return {**moments, "state": state._replace(value=state.value * 4 / 3)}

        monkeypatch.setattr(gates, "predict_gated", wrong)
        gates.closed.cache_clear()

    yield say
    gates.closed.cache_clear()


@pytest.mark.parametrize("label", gates.LAYERS)
@pytest.mark.sampled(1)
def test_a_wrong_moment_of_one_layer_refutes_its_points_alone(label, of_one_layer):
    of_one_layer(label)
    cases = row("sigprop:gates").basis.cases
    other = "mingru" if label != "mingru" else "gla"
    refuted = {
        name: {r.point for r in cases[name].results(3) if r.verdict == "refuted"}
        for name in (label, other)
    }
    assert refuted == {label: {"two inputs, state", "Gaussian, state"}, other: set()}


@pytest.mark.parametrize("label", gates.LAYERS)
@pytest.mark.sampled(1)
def test_the_sequences_refute_every_mutant_of_a_layer(label):
    score = row("sigprop:gates").basis.cases[label].score()
    assert score.total >= 5
    assert score.survivors == ()


LAYERS = [layer for layers, _ in curvature.FAMILIES.values() for layer in layers]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.sampled(1)
def test_a_wrong_hessian_of_one_layer_is_refuted_there(layer):
    """A ten-millionth more, by either route."""
    entry = row("sigprop:curvature")
    points = tuple(p for p in entry.basis.points if p["layer"] in (layer, "lru"))

    def wrong(right):
        return lambda **at: right(**at) * (1 + 1e-7 * (at["layer"] == layer))

    routes = {name: wrong(right) for name, right in entry.basis.routes.items()}
    spoilt = changed(entry, {"routes": routes, "points": points})
    results = evidence.measure(spoilt.claim, spoilt.basis).results
    refuted = {(r.route, r.point) for r in results if r.verdict == "refuted"}
    (there,) = (evidence.describe(p) for p in points if p["layer"] == layer)
    assert refuted == {(name, there) for name in routes}


@pytest.mark.parametrize("family", curvature.FAMILIES)
@pytest.mark.sampled(1)
def test_mutants_of_one_family_are_refuted_by_its_layers(family):
    """Each alone: the mutants of the other families are right there."""
    entry = row("sigprop:curvature")
    layers, _ = curvature.FAMILIES[family]
    points = tuple(p for p in entry.basis.points if p["layer"] in layers)
    own = changed(entry, {"points": points})
    score = evidence.judge(own.claim, own.basis).scores.formula
    assert (score.total, score.survivors) == (len(curvature.MUTANTS), ())
