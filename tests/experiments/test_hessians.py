"""The study of Hessians, by the result that comes with the code and by a small run."""

import numpy as np
import pytest
import xarray as xr

from sigprop.curvature.structure import row_norms
from sigprop.experiments import hessian_structure, speed_hessians, store

NETWORKS = hessian_structure.NETWORKS


@pytest.fixture(scope="module")
def shipped():
    return store.shipped("hessian_structure")


@pytest.mark.parametrize("network", NETWORKS)
def test_eigenvalues_are_those_of_autodiff(shipped, network):
    case = shipped.sel(network=network)
    finite = np.isfinite(case["eigenvalue"].values)
    exact, autodiff = (case[key].values[finite] for key in ("eigenvalue", "autodiff"))
    assert np.abs(exact - autodiff).max() < 1e-9 * exact[0]
    assert np.linalg.eigvalsh(case["hessian"].values[: finite.sum(), : finite.sum()])[
        -1
    ] == pytest.approx(exact[0])


@pytest.mark.parametrize("network", NETWORKS)
def test_simulated_sequences_agree(shipped, network):
    case = shipped.sel(network=network)
    sharp = case["eigenvalue"].values[: case.sizes["top"]]
    resolved = sharp > 1e-9 * sharp[0]
    mean, sem = (case[key].values[resolved] for key in ("simulated", "simulated_sem"))
    assert resolved.sum() >= 8
    # The skip connection sees the inputs alone, and so has the least error.
    assert np.abs((mean - sharp[resolved]) / sem).max() < 5
    assert np.abs((mean - 1.2 * sharp[resolved]) / sem).min() > 5


def test_descent_diverges_at_the_bound(shipped):
    ratio = shipped["measured_bound"] / shipped["bound"]
    assert np.abs(ratio - 1).max() < 2e-3


def test_diagonal_networks_concentrate_what_is_sharp(shipped):
    spread = shipped["spread"].median("draw")
    dense = spread.sel(network="RNN")
    assert all(dense > 2 * spread.sel(network=name) for name in NETWORKS[1:])


@pytest.mark.parametrize("network", NETWORKS)
def test_adam_divides_by_the_rows_and_not_by_the_diagonal(shipped, network):
    case = shipped.sel(network=network)
    finite = np.isfinite(case["effective_rate"].values)
    rate = np.log(case["effective_rate"].values[finite])
    hessian = case["hessian"].values[np.ix_(finite, finite)]
    rows, own = np.log(row_norms(hessian)), np.log(np.diag(hessian)) / 2
    # The law is approximate: the descent's displacements are not isotropic.  Its power,
    # one, is told from those of other rules, a half and two.
    assert np.polyfit(-rows, rate, 1)[0] == pytest.approx(1, abs=0.1)
    assert np.corrcoef(-rows, rate)[0, 1] > 0.99 > np.corrcoef(-own, rate)[0, 1]


def test_concentrated_phases_couple(shipped):
    blocks = shipped["concentrated"]
    off = blocks * (1 - np.eye(blocks.sizes["entry"]))
    share = (off**2).sum(("entry", "other")) / (blocks**2).sum(("entry", "other"))
    assert list(share["phase"].values) == [1.0, 0.1, 0.01]
    assert (np.diff(share) > 0.1).all()
    assert shipped["concentrated_autodiff"].max() < 1e-9


def test_every_variable_says_its_unit(shipped):
    assert all(variable.attrs["units"] for variable in shipped.data_vars.values())


@pytest.mark.slow
def test_a_small_run_gives_the_same_numbers_twice():
    config = hessian_structure.SMOKE
    first, second = (hessian_structure.run(config) for _ in range(2))
    xr.testing.assert_identical(first, second)


@pytest.mark.slow
def test_speed_is_measured_for_every_route(capsys):
    data = speed_hessians.run(speed_hessians.SMOKE)
    assert (data["seconds"] > 0).all()
    speed_hessians.show(data)
    assert "times" in capsys.readouterr().out
