import numpy as np
import pytest
import xarray as xr

from sigprop.evidence.zucchet.experiments.medians import (
    compared,
    decades,
    greatest,
    least,
    rates,
    widening,
)
from sigprop.judge.basis import Row
from sigprop.judge.mutants import Score, Scores
from sigprop.judge.statuses import finish
from sigprop.theory.claims import find

SEEDS = 10


@pytest.fixture
def made_up():
    """One student ahead by 2 decades give or take, more at the second condition."""
    spread = np.random.default_rng(0).permutation(np.linspace(-1, 1, SEEDS))
    ahead = np.full((2, SEEDS), 1e-5)
    behind = ahead * 10 ** (2 + spread * [[1.0], [0.5]])
    behind[1] *= 10
    behind[0, 3] = np.inf
    best = xr.DataArray(
        [behind, ahead],
        dims=("student", "condition", "run"),
        coords={"student": ["slow", "fast"], "condition": [0.5, 0.9]},
    )
    rate = xr.DataArray(
        np.stack([np.full(SEEDS, 1e-4), 1e-2 * 10**spread]).reshape(-1, 1, 1, 1),
        dims=("cell", "record", "group", "quantile"),
        coords={
            "group": ["recurrent"],
            "quantile": [0.5],
            "network": ("cell", ["slow"] * SEEDS + ["fast"] * SEEDS),
            "seed": ("cell", [*range(SEEDS)] * 2),
        },
    )
    return xr.Dataset({"best": best, "rate": rate})


def test_leads_are_the_second_least_and_greatest_of_the_seeds(made_up):
    step = 2 / (SEEDS - 1)
    lead = decades(made_up, "slow", "fast", 0.9)
    assert least(lead) == pytest.approx(2.5 + step / 2)
    assert greatest(lead) == pytest.approx(3.5 - step / 2)
    assert least(decades(made_up, "fast", "slow", 0.9)) < -3
    assert decades(made_up, "slow", "fast", 0.5)[-1] == np.inf
    assert least(widening(made_up, "slow", "fast", 0.9, 0.5)) < 0


def test_rates_are_paired_by_seed(made_up):
    step = 2 / (SEEDS - 1)
    assert least(rates(made_up, "slow", "fast")) == pytest.approx(1 + step)
    assert greatest(rates(made_up, "slow", "fast")) == pytest.approx(3 - step)


def test_few_seeds_give_no_interval(made_up):
    with pytest.raises(ValueError, match="need 10 seeds for the interval, got 5"):
        decades(made_up.isel(run=slice(5)), "slow", "fast", 0.9)


CLAIM = find("zucchet:fig3")


def judged(data, *pair):
    """A comparison, and what it finds."""
    check = compared({"any": data}.__getitem__, ("any", *pair))
    (result,) = check.results(CLAIM, 0)
    return check, result


def test_a_lead_is_read_from_the_sweep_of_its_point(made_up):
    check, result = judged(made_up, "slow", "fast", 0.9)
    lead = decades(made_up, "slow", "fast", 0.9)
    assert result.verdict == "confirmed"
    assert result.low == 10 ** least(lead)
    assert result.high == 10 ** greatest(lead)
    assert check.score(CLAIM) == Score(1, ())


def test_a_student_behind_is_refuted_and_the_turned_order_survives(made_up):
    check, result = judged(made_up, "fast", "slow", 0.9)
    assert result.verdict == "refuted"
    assert check.score(CLAIM).survivors == ("the order turned round",)


def test_an_interval_on_both_sides_of_zero_is_inconclusive(made_up):
    made_up["best"].loc[{"student": "fast"}] *= 1e3
    check, result = judged(made_up, "slow", "fast", 0.9)
    assert result.low < 1 < result.high
    assert result.verdict == "inconclusive"
    assert finish(Row(CLAIM, check), [result], Scores(), 0.0).status == "undecided"
