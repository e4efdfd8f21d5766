"""What became of printed errors: one word for each, by intervals over trainings."""

from collections import Counter

import pytest

from sigprop.evidence.blur.forecasts import impossible
from sigprop.evidence.blur.reproductions import VERDICTS, counts, outcomes
from sigprop.experiments.forecasting.cells import Config
from sigprop.theory.papers.blur.printed import errors
from tests.forecast_trainings import gathered

TASK = ("ETTh1", 24)


def data(*test_errors, model="blur", name="ETTh1"):
    return gathered(
        {Config(name, 24, model, seed): error for seed, error in enumerate(test_errors)}
    )


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.150, 0.151, 0.152), "reproduced"),
        ((0.1495, 0.1500, 0.1505), "reproduced"),  # by the rounding of what is printed
        ((0.149, 0.1492, 0.1494), "not reproduced"),
        ((0.34, 0.35, 0.36), "not reproduced"),
        ((0.10, 0.15, 0.25), "reproduced"),
    ],
)
def test_a_printed_error_is_reproduced_if_the_interval_reaches_its_rounding(
    interval, verdict
):
    table = outcomes(data(*interval), 8)
    assert table[TASK, "BLUR", "MSE"].verdict == verdict
    assert table[TASK, "LRU", "MSE"].verdict == "not attempted"
    assert "LRU is not among the trained" in table[TASK, "LRU", "MSE"].reason
    assert (
        table[("ETTh1", 48), "BLUR", "MSE"].reason
        == "BLUR is trained on ETTh1 only at 24"
    )
    assert "ECL is not among our data" in table[("ECL", 48), "BLUR", "MAE"].reason
    assert "not among our layers" in table[TASK, "Informer", "MSE"].reason


def test_why_a_cell_is_not_attempted_is_said_of_its_own_method():
    runs = {Config(*TASK, model, 0): 0.3 for model in ("blur", "s4")}
    runs |= {Config("ETTh1", 48, "blur", 0): 0.3, Config("WTH", 24, "blur", 0): 0.3}
    table = outcomes(gathered(runs), 8)

    def why(task, method):
        assert table[task, method, "MSE"].verdict == "not attempted"
        return table[task, method, "MSE"].reason

    assert why(("ETTh1", 48), "S4") == "S4 is trained on ETTh1 only at 24"
    assert why(("ETTh1", 168), "BLUR") == "BLUR is trained on ETTh1 only at 24 and 48"
    assert why(("Weather", 24), "S4") == "S4 is not trained on Weather"
    assert why(TASK, "LRU") == "LRU is not among the trained models"


def test_absolute_errors_are_held_against_absolute_ones():
    table = outcomes(data(0.151, 0.151, 0.151, model="lru"), 12)
    assert table[TASK, "BLUR", "MAE"].verdict == "not attempted"
    table = outcomes(data(0.319**2, 0.319**2, 0.319**2, model="lru"), 8)
    assert table[TASK, "LRU", "MAE"].verdict == "reproduced"
    assert table[TASK, "LRU", "MSE"].verdict == "not reproduced"
    alone = outcomes(data(0.319**2, 0.319**2, model="lru"), 3)
    assert {metric for *_, metric in alone} == {"MAE"}
    assert alone[TASK, "LRU", "MAE"].verdict == "reproduced"


def test_the_weather_has_the_name_of_its_file():
    table = outcomes(data(0.075, 0.075, 0.075, name="WTH"), 8)
    assert table[("Weather", 24), "BLUR", "MSE"].verdict == "reproduced"


def test_what_cannot_be_is_said_whether_trained_or_not():
    for table in (8, 12):
        results = outcomes(data(0.3, 0.31), table)
        pairs = {
            (*task, method)
            for (task, method, _), outcome in results.items()
            if outcome.verdict == "impossible"
        }
        assert pairs == set(impossible(table))
    assert (
        "2.050^2 = 4.202"
        in outcomes(data(0.3, 0.31), 8)[("ETTh2", 720), "LRU", "MAE"].reason
    )
    alone = outcomes(data(0.3, 0.31), 3)  # its squared errors are those of Table 8
    assert alone[("ETTh2", 720), "LRU", "MAE"].verdict == "impossible"
    assert alone[("ETTh2", 48), "LRU", "MAE"].verdict == "not attempted"  # 0.275 there


def test_every_printed_number_is_counted_once():
    table = data(0.151, 0.151, 0.151)
    for number, metrics in ((3, 1), (8, 2), (12, 2)):
        totals = counts(table, number)
        assert sum(totals) == metrics * sum(map(len, errors(number).values()))
        verdicts = Counter(
            outcome.verdict for outcome in outcomes(table, number).values()
        )
        assert totals == [verdicts[verdict] for verdict in VERDICTS]
    assert counts(table, 12)[:2] == [1, 3 - 2]
