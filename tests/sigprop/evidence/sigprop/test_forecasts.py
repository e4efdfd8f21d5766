"""Statements on trained forecasts: ratios by hand, and what is stored says what rows say."""

import numpy as np
import pytest

from sigprop.evidence import row
from sigprop.evidence.blur.reproductions import outcomes
from sigprop.evidence.sigprop import forecasts
from sigprop.evidence.sigprop.forecasts import EVIDENCE, ratios
from sigprop.evidence.trainings import typical
from sigprop.experiments.forecasting.cells import Config
from sigprop.experiments.rows import shipped
from sigprop.judge.basis import Check
from sigprop.judge.parallel import check
from sigprop.theory.claims import find
from sigprop.theory.papers.sigprop.forecasts import (
    AGAINST,
    COUNTED,
    MISSES,
    MODELS,
    REPRODUCED,
)
from tests.forecast_trainings import gathered

TASK = ("ETTh1", 24)


def table(level):
    """Two models; the linear error is 0.3, the best naive one 0.6."""
    return gathered(
        {
            Config(*TASK, model, seed): factor * level + seed / 1000
            for seed in range(3)
            for model, factor in (("blur", 1), ("lru", 2))
        }
    )


def test_ratios_are_to_the_least_of_the_rivals():
    data = table(0.3)
    np.testing.assert_allclose(
        ratios(data, "linear", TASK, "blur"), [1, 0.301 / 0.3, 0.302 / 0.3]
    )
    np.testing.assert_allclose(
        ratios(data, "naive", TASK, "lru"), [1, 0.601 / 0.6, 0.602 / 0.6]
    )


@pytest.mark.parametrize(
    ("level", "kind", "verdict"),
    [
        (0.32, "linear", "confirmed"),
        (0.35, "linear", "refuted"),
        (0.33, "linear", "inconclusive"),
        (0.58, "naive", "confirmed"),
        (0.62, "naive", "refuted"),
    ],
)
def test_a_row_is_judged_by_all_its_trainings(level, kind, verdict):
    basis = forecasts._against(kind, TASK, "blur", lambda sweep: table(level))
    assert isinstance(basis, Check)
    (result,) = basis.results(find(f"sigprop:forecast-{kind}-etth1-24-blur"), 3)
    assert result.verdict == verdict


@pytest.mark.parametrize("claim_id", EVIDENCE)
@pytest.mark.parametrize("seed", [1, 7])
def test_what_a_row_says_is_what_is_stored(claim_id, seed):
    result = check(row(claim_id, shipped), seed)
    assert result.status == str(find(claim_id).expected)


@pytest.mark.parametrize("number", COUNTED)
def test_counts_fail_for_other_trainings(number):
    basis = row(f"sigprop:forecast-cells-{number}", lambda sweep: table(0.151)).basis
    (value,) = basis.routes.values()
    assert value() != COUNTED[number]
    assert sum(value()) == sum(COUNTED[number])


@pytest.mark.parametrize("number", COUNTED)
def test_what_is_reproduced_is_named(number):
    table = outcomes(shipped("forecasts"), number)
    names = {
        (*task, method, metric)
        for (task, method, metric), outcome in table.items()
        if outcome.verdict == "reproduced"
    }
    named = {("ETTh1", 24, "BRNN", metric) for metric in ("MSE", "MAE")}
    assert names == (named if number in REPRODUCED else set())


def test_margins_are_those_of_the_statements():
    assert AGAINST["naive"][3] == 1.0
    assert AGAINST["linear"][3] == 1.1


@pytest.mark.parametrize("key", MISSES)
def test_a_ratio_that_is_told_is_the_measured_one(key):
    kind, task, model = key
    (value, *_) = typical(ratios(shipped("forecasts"), kind, task, model))
    assert float(f"{value:.3g}") == MISSES[key]


def test_what_is_told_of_a_miss_is_stored():
    """On the validation within 10 %; each feature by itself within 7 % on the test."""
    data = shipped("forecasts")
    data = data.isel(cell=np.flatnonzero(np.isin(data["model"], [*MODELS])))
    linear = data["control_validation_mse"].sel(control="linear")
    relative = data["best_mse"] / linear.mean(("step", "feature"))
    assert float(relative.max()) < 1.1
    for kind, task, model in MISSES:
        here = (data["data"] == task[0]) & (data["horizon"] == task[1])
        own = data.isel(cell=np.flatnonzero(here & (data["model"] == model)))
        excess = own["mse"] / own["control_mse"].sel(control="linear")
        by_feature = excess.mean(("cell", "step")).values[:7]
        loads, temperature = by_feature[[1, 3, 4, 5]], by_feature[6]
        assert kind == "linear"
        assert loads.min() > max(by_feature[0], by_feature[2], temperature)
        assert temperature < 1.1
    other = shipped("forecast_settings")
    alone = other.isel(cell=np.flatnonzero(other["channels"] == "each"))
    known = alone["control_mse"].sel(control="linear").mean(("step", "feature"))
    assert float((alone["test_mse"] / known).max()) < 1.07
    assert alone.sizes["cell"] == 3
