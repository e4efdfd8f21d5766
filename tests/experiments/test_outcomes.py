import numpy as np
import pytest
import xarray as xr

from experiments import outcomes, store
from sigprop.audit.moments import QUANTITIES, RUNGS

SEEDS = 10
LARGEST, ALL = 2 * 2**20, 30 * 2**20  # bytes of a tracked result, and of all of them


@pytest.fixture
def made_up(monkeypatch):
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
    data = xr.Dataset({"best": best, "rate": rate})
    monkeypatch.setattr(outcomes, "_result", lambda sweep: data)
    return data


def test_leads_are_the_second_least_and_greatest_of_the_seeds(made_up):
    step = 2 / (SEEDS - 1)
    assert outcomes.lead("any", "slow", "fast", 0.9) == pytest.approx(2.5 + step / 2)
    assert outcomes.most("any", "slow", "fast", 0.9) == pytest.approx(3.5 - step / 2)
    assert outcomes.lead("any", "fast", "slow", 0.9) < -3
    assert outcomes.decades("any", "slow", "fast", 0.5)[-1] == np.inf
    assert outcomes.widening("any", "slow", "fast", 0.9, 0.5) < 0


def test_rates_are_paired_by_seed(made_up):
    step = 2 / (SEEDS - 1)
    assert outcomes.rate_lead("slow", "fast") == pytest.approx(1 + step)
    assert outcomes.most_rate_lead("slow", "fast") == pytest.approx(3 - step)


def test_few_seeds_give_no_interval(made_up, monkeypatch):
    few = made_up.isel(run=slice(5))
    monkeypatch.setattr(outcomes, "_result", lambda sweep: few)
    with pytest.raises(ValueError, match="need 10 seeds for the interval, got 5"):
        outcomes.lead("any", "slow", "fast", 0.9)


@pytest.fixture
def audited(monkeypatch):
    """Two models, one layer, one look; of the second a run was shorter."""
    shape = ("cell", "look", "recurrence", "rung")
    predicted = np.full((3, 1, 1, len(RUNGS)), 2.0)
    predicted[0, ..., 1], predicted[1, ..., 1] = 3.0, 1.0
    predicted[2, ..., 2] = -1.0
    ratio = np.ones((3, 1, 1, len(QUANTITIES), len(RUNGS), 3))
    ratio[..., 0], ratio[..., 2] = 0.1, 10.0
    ratio[:, 0, 0, -1, 0, 1] = 1.5, 0.5, np.nan
    data = xr.Dataset(
        {
            "measured": (shape[:3], np.full((3, 1, 1), 2.0)),
            "predicted": (shape, predicted),
            "ratio": ((*shape[:3], "quantity", "rung", "quantile"), ratio),
        },
        {"model": ("cell", ["lru", "lru", "blur"])},
    )
    monkeypatch.setattr(outcomes, "_result", lambda sweep: data)


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize(
    ("model", "quantity", "rung", "factor"),
    [
        ("lru", "power", "stationary", 2.0),
        ("lru", "power", "white", 1.0),
        ("blur", "power", "infinite", np.inf),
        ("lru", "state", "stationary", 1.0),
        ("lru", "gradient", "shuffled", 2.0),
    ],
)
def test_a_factor_is_of_the_layer_that_is_furthest_off(model, quantity, rung, factor):
    found = outcomes.audit_factor("any", model, quantity, rung)
    assert found == pytest.approx(factor)


def test_a_result_that_does_not_come_with_the_code_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    with pytest.raises(
        FileNotFoundError, match="sigprop sweep run heads --preset paper"
    ):
        store.shipped("heads")


def test_tracked_results_are_small_and_sound():
    files = sorted(store.SHIPPED.glob("*.nc"))
    tracked = [one for one in files if not one.name.startswith("teacher_student-")]
    assert tracked
    for file in tracked:
        assert file.stat().st_size <= LARGEST
        attributes = store.read(file).attrs
        assert attributes["preset"] == "paper"
        assert "dirty" not in attributes["commit"]
    assert sum(file.stat().st_size for file in tracked) <= ALL
