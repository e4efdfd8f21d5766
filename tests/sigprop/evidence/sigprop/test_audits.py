import numpy as np
import pytest
import xarray as xr

from sigprop.audit.moments import QUANTITIES, RUNGS
from sigprop.evidence import row
from sigprop.evidence.sigprop.audits import (
    EVIDENCE,
    audit_factors,
    judged,
)
from sigprop.evidence.trainings import typical
from sigprop.experiments.rows import shipped
from sigprop.judge.basis import Check
from sigprop.judge.mutants import Score
from sigprop.judge.parallel import check
from sigprop.theory.claims import find
from sigprop.theory.papers.sigprop.audits import BROKEN, MISSES, OPEN, SIMPLER, TASKS
from tests.rows import changed


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


def test_the_interval_of_a_mean_is_student_s():
    # Two trainings: the law is Cauchy's, whose 95 % quantile is tan(0.45 pi).
    value, low, high = typical(np.exp([0.1, 0.3]))
    reach = np.tan(0.45 * np.pi) * 0.1
    np.testing.assert_allclose(
        np.log([value, low, high]), [0.2, 0.2 - reach, 0.2 + reach], rtol=1e-12
    )


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        ([1.01, 1.02, 1.01], "confirmed"),
        ([1.5, 1.52, 1.51], "refuted"),
        ([1.1, 1.3, 1.2], "inconclusive"),
        ([1.01], "inconclusive"),
        ([1.01, np.inf], "inconclusive"),
    ],
)
def test_a_verdict_needs_the_whole_interval(factors, verdict):
    assert judged(np.array(factors)).verdict == verdict


def parts(claim_id):
    """Quantity, sweep and model of a row."""
    quantity, task, model = claim_id.removeprefix("sigprop:audit-").split("-")
    sweep = next(name for name, about in TASKS.items() if about[0] == task)
    return quantity, sweep, model


@pytest.mark.parametrize("claim_id", EVIDENCE)
def test_what_a_row_says_of_its_factors_is_what_was_measured(claim_id):
    quantity, sweep, model = parts(claim_id)

    def factor(rung):
        return typical(audit_factors(shipped(sweep), model, quantity, rung))[0]

    stated_factor, note = (
        MISSES.get((quantity, sweep), {}).get(model),
        find(claim_id).note,
    )
    example = row(claim_id, shipped).basis.example
    assert (example is None) == (stated_factor is None)
    if stated_factor:
        assert float(f"{factor('stationary'):.3g}") == stated_factor
        assert example.true() == pytest.approx(stated_factor, rel=0.01)
    if quantity == "gradient":
        assert float(f"{factor('shuffled'):.3g}") == BROKEN[sweep][model]
    if SIMPLER in note:
        assert factor("stationary") < min(factor("independent"), factor("white"))


WORDS = {"five": 5, "ten": 10}


@pytest.mark.parametrize("key", OPEN)
def test_the_number_of_trainings_that_would_decide_is_the_least(key):
    quantity, sweep, model = key
    logs = np.log(audit_factors(shipped(sweep), model, quantity, "stationary"))
    away = (logs - logs.mean()) / logs.std(ddof=1)

    def decides(n):
        """So many trainings of the same mean and spread."""
        like = np.resize(away, n)
        like = (like - like.mean()) / like.std(ddof=1)
        return judged(np.exp(logs.mean() + logs.std(ddof=1) * like)).verdict

    named = WORDS[OPEN[key]]
    assert decides(named) != "inconclusive"
    assert decides(named - 1) == "inconclusive"


def test_a_row_asks_for_its_own_model_and_quantity(audited):
    entry = row("sigprop:audit-power-digits-lru", lambda sweep: audited)
    assert isinstance(entry.basis, Check)
    (result,) = entry.basis.results(entry.claim, 0)
    assert result.value == pytest.approx(np.sqrt(1.5 * 2.0))


@pytest.mark.parametrize(("alone", "status"), [("", "undecided"), ("why", "confirmed")])
def test_one_route_needs_a_reason_in_a_check_too(audited, alone, status):
    audited["predicted"][...] = 2.02
    entry = row("sigprop:audit-power-digits-lru", lambda sweep: audited)
    entry = changed(entry, {"alone": alone, "score": lambda claim: Score(1, ())})
    assert check(entry, 0).status == status
