"""What the maps of basins say, and the curves of the parametrisations."""

import cmath
import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import basins, parametrisations, store
from sigprop.inputs import AR1
from sigprop.landscape.optimal_parametrisations import Path
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional
from sigprop.theory import teacher_student as theory

SMALL = dataclasses.replace(basins.SMOKE, rows=1, columns=4)
SHOWN = ("tanh", "best angle")


def small_run():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(basins, "PARAMETRISATIONS", SHOWN)
        return basins.run(SMALL)


@pytest.fixture(scope="module")
def small():
    return small_run()


@pytest.fixture
def task():
    with double_precision(True):
        yield OneDimensional(cmath.rect(0.9, 0.1 * math.pi))


def test_starts_fill_their_cells_and_the_shares_are_areas():
    begins = basins.starts(dataclasses.replace(basins.SMOKE, rows=5, columns=9))
    gaps = 1 - begins.modulus
    edges = begins.gap_edges
    assert (gaps <= edges[:-1, None]).all()
    assert (gaps >= edges[1:, None]).all()
    turns = begins.angle / (2 * math.pi) * 9
    assert (np.floor(turns) == np.arange(9)).all()
    disc, ring = begins.shares
    np.testing.assert_allclose([disc.sum(), ring.sum()], 1)
    inner = disc[edges[1:] > 0.1].sum() * (1 - 1e-4) ** 2
    assert inner == pytest.approx((1 - edges[edges > 0.101][-1]) ** 2)
    filled = ring.sum(1) > 0
    np.testing.assert_allclose(edges[:-1][filled][0], 1 - basins.RING[0])
    np.testing.assert_allclose(edges[1:][filled][-1], 1 - basins.RING[1])


def test_starts_are_uniform_in_the_area_of_a_cell():
    config = dataclasses.replace(basins.SMOKE, rows=1, columns=20_000)
    begins = basins.starts(config)
    square = (1 - begins.gap_edges) ** 2
    share = (begins.modulus**2 - square[:-1, None]) / np.diff(square)[:, None]
    assert np.abs(share.mean(1) - 0.5).max() < 5 / math.sqrt(12 * 20_000)
    assert np.abs((share**2).mean(1) - 1 / 3).max() < 5 * 0.3 / math.sqrt(20_000)


def test_fraction_is_an_area_and_its_error_that_of_many_samples():
    """A disc in the middle of a square, sampled by a point a cell, again and again."""
    side, runs = 12, 400
    draws = np.random.default_rng(1).random((2, runs, side, side))
    x, y = (draws + np.stack(np.meshgrid(*[np.arange(side)] * 2))[:, None]) / side
    reached = np.hypot(x - 0.5, y - 0.5) < 0.35
    share = np.full((side, side), side**-2.0)
    fractions, error = basins.fraction(reached, share)
    area = math.pi * 0.35**2
    assert abs(fractions.mean() - area) < 5 * fractions.std() / math.sqrt(runs)
    assert fractions.std() < error.mean() < 2.5 * fractions.std()


def test_a_basin_without_an_edge_has_an_error_too():
    share = np.full((10, 10), 0.01)
    fraction, error = basins.fraction(np.ones((10, 10), bool), share)
    assert float(fraction) == pytest.approx(1)
    assert 0.01 < float(error) < 0.05


def test_sharpness_at_the_teacher_is_the_closed_form(task):
    radial, angular = (
        float(curvature().result.subs(theory.nu, 0.9))
        for curvature in (theory.radial_curvature, theory.angular_curvature)
    )
    there = np.array([0.9]), np.array([0.1 * math.pi])
    expected = {
        "polar": (radial, angular),
        "best angle, held": (1, 1),
    }
    for name, curvatures in expected.items():
        hessian, gradient = basins.flatness(
            task, basins.parametrisation(name, task), *there
        )
        np.testing.assert_allclose(hessian, np.diag(curvatures), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_flatness_does_not_see_a_parameters_scale(task):
    points = np.array([0.3, 0.9, 0.99]), np.array([2.0, 1.0, 4.0])
    plain, scaled = (
        basins.flatness(task, basins.parametrisation(name, task), *points)[1]
        for name in ("tanh", "scaled")
    )
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)


@pytest.mark.parametrize("name", basins.PARAMETRISATIONS)
def test_every_chart_goes_there_and_back(name, task):
    parametrisation = basins.parametrisation(name, task)
    at = parametrisation.coordinates(np.array([0.3, 0.95]), np.array([0.2, 5.0]))
    polar = parametrisation.polar(Coordinates(*map(jnp.asarray, at)))
    np.testing.assert_allclose(polar, [[0.3, 0.95], [0.2, 5.0]], rtol=1e-9)


def test_gradient_descent_takes_the_plain_step(task):
    parametrisation = basins.parametrisation("tanh", task)
    at = Coordinates(jnp.array([1.2]), jnp.array([0.5]))
    optimiser = basins.GradientDescent(1, "constant")
    distance, _ = basins.descend(
        task, parametrisation, at, jnp.array([0.3]), optimiser, 1
    )
    step = 1e-6
    up, down, left, right = (
        float(task.loss(math.tanh(1.2 + a), 0.5 + b))
        for a, b in ((step, 0), (-step, 0), (0, step), (0, -step))
    )
    derivatives = up - down, left - right
    moved = [
        x - 0.3 * derivative / (2 * step)
        for x, derivative in zip((1.2, 0.5), derivatives, strict=True)
    ]
    lam = cmath.rect(math.tanh(moved[0]), moved[1])
    expected = abs(lam - task.teacher) / (1 - 0.9)
    assert float(distance[0, 0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_second_run_gives_the_same_numbers(small):
    xr.testing.assert_identical(small_run(), small)


@pytest.mark.slow
def test_every_variable_says_its_unit_and_survives_the_store(
    small, tmp_path, monkeypatch
):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    curves = parametrisations.run(parametrisations.SMOKE)
    for module, dataset in ((basins, small), (parametrisations, curves)):
        for label, values in dataset.data_vars.items():
            assert values.attrs["units"], label
            assert not np.isnan(values).any(), label
        store.save(module.STUDY, module.VERSION, module.SMOKE, dataset)
        loaded = store.load(module.STUDY, module.VERSION, module.SMOKE)
        xr.testing.assert_equal(loaded, dataset)


def test_the_map_is_of_the_best_rate_and_arrivals_of_those_that_reach(small):
    best = small["best"]
    disc = small["fraction"].sel(measure="disc")
    assert (disc.isel(rate_index=best) == disc.max("rate_index")).all()
    assert float(disc.max()) > float(disc.min())
    mapped = (small["reached"] * small["share"].sel(measure="disc")).sum(
        ("row", "column")
    )
    np.testing.assert_allclose(mapped, disc.max("rate_index"))
    arrived = small["arrival"] < SMALL.records
    assert (arrived == (small["reached"] == 1)).all()


def test_adam_reaches_more_without_the_best_angle(small):
    adam = small["fraction"].sel(optimiser="Adam", measure="disc").max("rate_index")
    assert adam.sel(chart="tanh").item() > 0.9
    assert adam.sel(chart="best angle").item() < 0.8


def test_exact_grains_are_those_of_the_path_and_the_usual_ones_their_slopes():
    curves = parametrisations.run(parametrisations.SMOKE)
    gap = curves["gap"].values
    path = Path(AR1(0.9), "loss")
    grain = curves["exact_grain"].sel(gain="loss", decay=0.9) * gap
    np.testing.assert_allclose(grain * path.derivative(gap), 1)
    usual = curves["usual_grain"] * gap
    np.testing.assert_allclose(usual.sel(usual="tanh"), gap * (2 - gap), rtol=1e-8)
    lru = -(1 - gap) * np.log1p(-gap)
    np.testing.assert_allclose(usual.sel(usual="LRU"), lru, rtol=1e-8)
    tanh = curves["usual_moved"].sel(gain="loss", decay=0.0, usual="tanh")
    np.testing.assert_allclose(tanh, 1, rtol=1e-8)


def test_bad_configurations_are_refused():
    with pytest.raises(ValueError, match="need steps in multiples of 7, got 20"):
        basins.Config(steps=20, records=7)
    with pytest.raises(ValueError, match=r"need the rate 0\.001 among"):
        basins.Config(rates=(0.1,))
