"""Planes through trained layers hold the losses and curvatures that they say."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from sigprop.curvature import expand
from sigprop.experiments import network_landscapes as study
from sigprop.experiments import store
from sigprop.layers import parameters, replace
from sigprop.numerics.precision import double_precision

OTHER = dataclasses.replace(
    study.SMOKE, state=6, teacher=3, nu0=0.6, length=25, points=7, seed=5
)
CASES = [
    (network, config) for config in (study.SMOKE, OTHER) for network in study.NETWORKS
]
each_layer = pytest.mark.parametrize(
    ("network", "config"), CASES, ids=lambda value: getattr(value, "seed", value)
)
SINGLE = 2e-6  # relative, of what is stored in single precision


@pytest.fixture(scope="module")
def smoke():
    return study.run(study.SMOKE)


@pytest.fixture(scope="module")
def other():
    """Two networks at another seed and size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "NETWORKS", ("LRU", "dense RNN"))
        return study.run(OTHER)


@pytest.fixture(params=["smoke", "other"])
def data(request):
    return request.getfixturevalue(request.param)


def at(data, values):
    """Values at the start that each training began from."""
    starts = list(data["start"].values)
    picked = [values.sel(start=name, run=name, drop=True) for name in starts]
    return xr.concat(picked, "start", coords="minimal").assign_coords(start=starts)


def test_the_middle_of_a_plane_is_the_trained_layer(data):
    middle = data.sizes["point"] // 2
    for plane in ("sharpest", "random"):
        one = data.sel(plane=plane)
        assert not one["grid"][..., middle].any()
        np.testing.assert_allclose(
            one["loss"][..., middle, middle], data["record_loss"][..., -1], rtol=SINGLE
        )
    np.testing.assert_allclose(at(data, data["path"])[..., -1, :], 0, atol=1e-12)
    last = data["projected_loss"].isel(record=-1) / data["record_loss"].isel(record=-1)
    np.testing.assert_allclose(last, 1, rtol=SINGLE)


def test_second_differences_are_the_curvatures_of_the_exact_hessian(data):
    both = data[["difference", "curvature"]]
    sharp = both.sel(plane="sharpest")
    np.testing.assert_allclose(sharp["difference"], sharp["curvature"], rtol=1e-3)
    # Along a nearly flat direction the step is wide, and higher derivatives matter.
    scale = np.abs(data["curvature"]) + 1e-3 * data["largest"][..., -1]
    error = np.abs(both["difference"] - both["curvature"]) / scale
    assert (error < 1e-2).all()
    sharpest = data["curvature"].sel(plane="sharpest").transpose(..., "way")
    for network in data["network"].values:
        for begun in data["start"].values:
            values = data["eigenvalue"].sel(network=network, start=begun).dropna("rank")
            largest = np.abs(values)[np.argsort(-np.abs(values.values))][:2]
            one = sharpest.sel(network=network, start=begun)
            np.testing.assert_allclose(np.abs(one), largest, rtol=1e-9)
    np.testing.assert_allclose(data["largest"][..., -1], data["eigenvalue"][..., 0])
    np.testing.assert_allclose(data["norm"].sel(plane="sharpest"), 1, rtol=1e-9)


def test_the_line_between_minima_passes_through_both(data):
    for position, begun in ((0, "default"), (1, "advised")):
        losses = data["line"].sel(position=position, method="nearest")
        assert float(losses["position"]) == pytest.approx(position, abs=1e-12)
        ends = data["record_loss"].sel(start=begun).isel(record=-1)
        np.testing.assert_allclose(losses, ends, rtol=SINGLE)
    assert (data["line"].max("position") > 1.1 * data["line"].min("position")).all()


def test_the_plane_of_two_minima_has_the_start_and_both_ends(data):
    plane = data.sel(plane="optima")
    shares = at(data, plane["share"])
    np.testing.assert_allclose(shares.isel(record=[0, -1]), 1, rtol=1e-6)
    starts = plane["projected_loss"] / data["record_loss"]
    np.testing.assert_allclose(starts.isel(record=0), 1, rtol=SINGLE)
    for begun, another in (study.STARTS, study.STARTS[::-1]):
        end = plane["path"].sel(start=begun, run=another).isel(record=-1)
        np.testing.assert_allclose(end, np.tile([1, 0], (len(end), 1)), atol=1e-6)
        own = plane["path"].sel(start=begun, run=begun).isel(record=0)
        assert (own.isel(way=1) > 0).all()
    seen = plane["grid"].transpose(..., "way", "point")
    for side, inside in (("min", 0), ("max", -1)):
        reach = getattr(plane["path"], side)(("run", "record"))
        gap = (reach - seen.isel(point=inside)) * (1 if side == "min" else -1)
        assert (gap > 0).all()


def test_only_the_plane_of_minima_holds_the_way_from_start_to_end(data):
    shares = at(data, data["share"]).isel(record=0)
    assert ((shares >= 0) & (shares <= 1 + 1e-6)).all()
    assert (shares.sel(plane=["sharpest", "random"]) < 0.5).all()


@each_layer
@pytest.mark.sampled(2)
def test_the_hessian_is_the_closed_form(x64, network, config):
    key = jax.random.key(config.seed)
    task = study.task_of(key, config)
    layer = study.student(network, "default", key, config)
    exact = expand(task, layer).hessian
    ours = expand(task, layer, "autodiff").hessian
    np.testing.assert_allclose(ours, exact, atol=1e-8 * np.abs(exact).max())


@each_layer
def test_no_parameter_is_left_out_of_a_random_direction(x64, network, config):
    key = jax.random.key(config.seed)
    layer = study.student(network, "advised", key, config)
    run = study.Trained([layer], np.zeros(1))
    plane = study.random_plane(run, key, config)
    groups = layer.groups()
    for way in plane.ways:
        parts = parameters(way)
        assert all(np.all(np.asarray(part) != 0) for part in parts.values())
        squares = {name: np.sum(np.square(part)) for name, part in parts.items()}
        recurrent = sum(v for name, v in squares.items() if groups[name] == "recurrent")
        share = recurrent / sum(squares.values())
        assert study.recurrent_share(way) == pytest.approx(share)
        assert 0 < share < 1
        assert study.norm(way) == pytest.approx(np.sqrt(sum(squares.values())))


@pytest.mark.parametrize("config", [study.SMOKE, OTHER], ids=["smoke", "other"])
def test_a_student_without_an_output_has_the_loss_one_half(x64, config):
    task = study.task_of(jax.random.key(config.seed), config)
    silent = replace(
        task.teacher, {name: 0 * vars(task.teacher)[name] for name in ("C", "D")}
    )
    assert float(task.loss(silent)) == pytest.approx(0.5)
    assert float(task.loss(task.teacher)) == 0
    u = task.process.sample(jax.random.key(1), 4000, config.length, jnp.float64)
    y = jax.vmap(task.teacher)(u[..., None])
    assert float(jnp.mean(y**2)) == pytest.approx(1, abs=0.05)  # five standard errors


def test_starts_differ_by_eigenvalues_and_gains_alone(x64):
    key, config = jax.random.key(2), study.QUICK
    for network in study.NETWORKS:
        plain, advised = (
            study.student(network, begun, key, config) for begun in study.STARTS
        )
        mine, yours = parameters(plain), parameters(advised)
        for name in ("B", "B_re", "C_im", "D", "M"):
            if name in mine:
                np.testing.assert_array_equal(mine[name], yours[name], err_msg=name)
        slow = study.advice_of("lru", config).options["r_min"]
        assert np.abs(advised.eigenvalues()).min() >= slow - 1e-9
        assert np.any(plain.eigenvalues() != advised.eigenvalues())


@pytest.mark.slow
def test_second_run_gives_the_same_numbers(smoke):
    xr.testing.assert_identical(study.run(study.SMOKE), smoke)


def test_every_variable_says_its_unit_and_survives_the_store(
    smoke, tmp_path, monkeypatch
):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    for label, values in smoke.data_vars.items():
        assert values.attrs["units"], label
        if label != "eigenvalue":  # each network has as many as parameters
            assert np.isfinite(values).all(), label
    store.save(study.STUDY, study.VERSION, study.SMOKE, smoke)
    loaded = store.load(study.STUDY, study.VERSION, study.SMOKE)
    xr.testing.assert_equal(loaded, smoke)


def test_trainings_learn_and_hessians_are_looked_at_along_the_way(smoke):
    losses = smoke["record_loss"]
    assert (losses.isel(record=-1) < 0.5 * losses.isel(record=0)).all()
    assert smoke["record"].values.tolist() == [*range(0, 201, 20)]
    assert smoke["look"].values.tolist() == [0, 100, 200]
    assert (smoke["smallest"] < smoke["largest"]).all()


def test_losses_beyond_the_highest_are_cut_off():
    with double_precision(True):
        values = study._cut(jnp.array([0.5, 1e300, jnp.inf, jnp.nan]))
    assert values.tolist() == [0.5, *[study.HIGHEST] * 3]


def test_bad_configurations_are_refused():
    with pytest.raises(ValueError, match="need steps a multiple of records, and"):
        study.Config(steps=10, records=3, looks=1)
    with pytest.raises(ValueError, match="need an odd number of points, got 8"):
        study.Config(points=8)
    with pytest.raises(ValueError, match=r"need a network in .*, got 'GRU', 'default'"):
        study.student("GRU", "default", jax.random.key(0), study.SMOKE)
