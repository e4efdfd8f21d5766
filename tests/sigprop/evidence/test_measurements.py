"""What our trainings measured: factors and ratios by hand, and every number stored."""

import re

import numpy as np
import pytest
import scipy
import xarray as xr

from sigprop.audit.moments import QUANTITIES, RUNGS
from sigprop.evidence import measurements
from sigprop.evidence.blur.reproductions import outcomes
from sigprop.evidence.measurements import (
    LINEAR,
    NAIVE,
    NAMES,
    TASKS,
    Measurement,
    audit_factors,
    groups,
    measured,
    ratios,
)
from sigprop.experiments.forecasting.cells import Config
from sigprop.experiments.rows import shipped
from tests.forecast_trainings import gathered

GROUPS = groups(shipped)
WORD = re.compile(
    r"\b(confirm\w*|refut\w*|undecided|inconclusive|reproduced|prove\w*|fail\w*|within)\b"
)


@pytest.fixture
def audited():
    """Two models, one layer, one look; of the second a run was shorter."""
    shape = ("cell", "look", "recurrence", "rung")
    predicted = np.full((3, 1, 1, len(RUNGS)), 2.0)
    predicted[0, ..., 1], predicted[1, ..., 1] = 3.0, 1.0
    predicted[2, ..., 2] = -1.0
    ratio = np.ones((3, 1, 1, len(QUANTITIES), len(RUNGS), 3))
    ratio[..., 0], ratio[..., 2] = 0.1, 10.0
    ratio[:, 0, 0, -1, 0, 1] = 1.5, 0.5, np.nan
    return xr.Dataset(
        {
            "measured": (shape[:3], np.full((3, 1, 1), 2.0)),
            "predicted": (shape, predicted),
            "ratio": ((*shape[:3], "quantity", "rung", "quantile"), ratio),
        },
        {"model": ("cell", ["lru", "lru", "blur"])},
    )


@pytest.mark.parametrize(
    ("model", "quantity", "rung", "factors"),
    [
        ("lru", "power", "stationary", [1.5, 2.0]),
        ("lru", "power", "white", [1.0, 1.0]),
        ("blur", "power", "infinite", [np.inf]),
        ("lru", "state", "stationary", [1.0, 1.0]),
        ("lru", "gradient", "shuffled", [1.5, 2.0]),
    ],
)
def test_a_factor_is_of_the_layer_that_is_furthest_off(
    audited, model, quantity, rung, factors
):
    values = audit_factors(audited, model, quantity, rung)
    np.testing.assert_allclose(values, factors)


def test_ratios_are_to_the_least_of_the_rivals():
    """Two models; the linear error is 0.3, the best naive one 0.6."""
    data = gathered(
        {
            Config("ETTh1", 24, model, seed): factor * 0.3 + seed / 1000
            for seed in range(3)
            for model, factor in (("blur", 1), ("lru", 2))
        }
    )
    np.testing.assert_allclose(
        ratios(data, LINEAR, ("ETTh1", 24), "blur"), [1, 0.301 / 0.3, 0.302 / 0.3]
    )
    np.testing.assert_allclose(
        ratios(data, NAIVE, ("ETTh1", 24), "lru"), [1, 0.601 / 0.6, 0.602 / 0.6]
    )


def test_every_task_moment_and_model_is_measured():
    by_study = {group.study: [row.what for row in group.rows] for group in GROUPS}
    rows = [what for whats in by_study.values() for what in whats]
    assert len({*rows}) == len(rows)
    assert [*by_study] == ["norms", "lists", "forecasts", "forecast_settings"]
    for sweep in ("norms", "lists"):
        # Four moments from three signals, and the gradient from one more.
        assert len(by_study[sweep]) == (4 * 3 + 1) * len(NAMES)
    assert len(by_study["forecasts"]) == 3 * len(TASKS) * 2 + 3
    assert len(by_study["forecast_settings"]) == len(TASKS)


def by_hand(what: str) -> np.ndarray:
    """The values of all trainings of a sentence, read anew from the stored results."""
    if match := re.match(
        r"The (.*) of a deep (\w+) on (\w+) is off .* from (.*) by", what
    ):
        moment, name, task, prediction = match.groups()
        data = shipped({"digits": "norms", "ListOps": "lists"}[task])
        own = data.isel(cell=np.flatnonzero(data["model"] == name.lower()))
        rung = (
            ("another example", 0), ("measured", 1), ("alike", 3), ("white", 4)
        )  # fmt: skip
        at = next(index for word, index in rung if word in prediction)
        if moment == "power of the states":
            ratio = own["predicted"].values[..., at] / own["measured"].values
        else:
            kinds = {"sens": "sensitivity", "erro": "error", "grad": "gradient"}
            kind = QUANTITIES.index(kinds[moment[:4]])
            ratio = own["ratio"].values[..., kind, at, 1]
        logs = np.abs(np.log(ratio)).reshape(len(ratio), -1)
        return np.exp(np.nanmax(logs, 1))
    match = re.match(
        r"On (\w+), (\d+) hours ahead, the (\w+) error of a small (\w+)(.*) is that of "
        r"the (best naive forecast|least-squares linear model) times",
        what,
    )
    where, hours, part, name, alone, rival = match.groups()
    data = shipped("forecast_settings" if alone else "forecasts")
    values = []
    for index in range(data.sizes["cell"]):
        cell = data.isel(cell=index)
        names = (
            str(cell["data"].item()),
            int(cell["horizon"]),
            str(cell["model"].item()),
        )
        wanted = ({"Weather": "WTH"}.get(where, where), int(hours), name.lower())
        if names == wanted and (not alone or cell["channels"].item() == "each"):
            own = cell["test_mse" if part == "test" else "best_mse"].item()
            known = "control_mse" if part == "test" else "control_validation_mse"
            means = dict(
                zip(
                    cell["control"].values.tolist(),
                    cell[known].mean(("step", "feature")).values,
                    strict=True,
                )
            )
            linear = means.pop("linear")
            values.append(own / (linear if "linear" in rival else min(means.values())))
    return np.array(values)


ROWS = {row.what: row for group in GROUPS for row in group.rows}
AVERAGED = [what for what in ROWS if not what.startswith("Of the errors")]


def agrees(row: Measurement) -> bool:
    """Whether value and interval are those of the stored trainings."""
    logs = np.log(by_hand(row.what))
    n, middle = len(logs), logs.mean()
    ends = row.ends is None
    if n > 1:
        reach = scipy.stats.t.ppf(0.95, n - 1) * logs.std(ddof=1) / np.sqrt(n)
        ends = np.allclose(
            np.log(row.ends), [middle - reach, middle + reach], atol=1e-9
        )
    return bool(
        row.n == n and ends and np.isclose(np.log(row.value), middle, atol=1e-9)
    )


@pytest.mark.parametrize("what", AVERAGED)
@pytest.mark.sampled(12)
def test_what_is_reported_is_what_is_stored(what):
    row = ROWS[what]
    assert agrees(row)
    assert not agrees(row._replace(value=1.05 * row.value))
    assert not agrees(row._replace(n=row.n + 1))
    if row.ends:
        low, high = row.ends
        assert low < row.value < high
        assert not agrees(row._replace(ends=(low, 1.05 * high)))


@pytest.mark.parametrize(
    ("table", "inside", "outside"), [(3, 0, 7), (8, 0, 14), (12, 2, 6)]
)
def test_printed_errors_in_intervals_are_counted(table, inside, outside):
    (row,) = (row for what, row in ROWS.items() if f"Table {table} " in what)
    verdicts = [each.verdict for each in outcomes(shipped("forecasts"), table).values()]
    assert verdicts.count("reproduced") == inside == row.value
    assert verdicts.count("not reproduced") == outside == row.n - inside
    assert row.ends is None


def test_no_verdict_and_no_threshold_is_in_a_report():
    for group in GROUPS:
        for text in (group.title, group.about, *(row.what for row in group.rows)):
            assert not WORD.search(text), text
            assert "%" not in text
    assert WORD.search("The error is within 10 % of the linear model's.")


def test_cells_have_three_digits_and_no_interval_of_one_training():
    several = measured("x", np.array([1.0, 1.21]))
    assert several.cells()[:2] == ("x", "1.10")
    assert several.cells()[3] == "2 trainings"
    assert re.fullmatch(r"0\.603 to 2\.01", several.cells()[2])
    assert measured("x", np.array([123.4])).cells() == ("x", "123", "–", "1 training")
    assert Measurement("x", 2, None, 8, "errors").cells() == ("x", "2", "–", "8 errors")


def test_a_result_that_is_missing_is_named():
    def load(sweep):
        raise FileNotFoundError(f"nothing of {sweep}")

    with pytest.raises(FileNotFoundError, match="nothing of norms"):
        measurements.groups(load)
