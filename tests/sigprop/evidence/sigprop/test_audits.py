import numpy as np
import pytest
import xarray as xr

from sigprop.audit.moments import QUANTITIES, RUNGS
from sigprop.evidence.sigprop.audits import audit_factor


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
    ("model", "quantity", "rung", "factor"),
    [
        ("lru", "power", "stationary", 2.0),
        ("lru", "power", "white", 1.0),
        ("blur", "power", "infinite", np.inf),
        ("lru", "state", "stationary", 1.0),
        ("lru", "gradient", "shuffled", 2.0),
    ],
)
def test_a_factor_is_of_the_layer_that_is_furthest_off(
    audited, model, quantity, rung, factor
):
    found = audit_factor(audited, model, quantity, rung)
    assert found == pytest.approx(factor)
