"""Advised against default beginnings: the pairs, the words, and how each begins."""

import dataclasses
import json
import math

import jax
import numpy as np
import pytest
import xarray as xr

from sigprop.advice.predictions import mode_states
from sigprop.experiments import store, studies
from sigprop.experiments.advised import cells, gathering, grids, rule, tasks
from sigprop.experiments.advised.cells import Config, Curves
from sigprop.experiments.advised.tasks import ADVISED, SLOWED
from sigprop.layers.base import parameters, replace
from sigprop.layers.lru import lru
from sigprop.networks.assembly import build
from sigprop.networks.config import NetworkConfig
from sigprop.training import supervised
from sigprop.training.segments import Diverged, begin
from tests.advised_trainings import key, made_up

# --- the table ----------------------------------------------------------------------


@pytest.mark.parametrize(("gain", "verdict"), [(0.5, rule.BETTER), (2.0, rule.WORSE)])
def test_a_table_says_what_its_trainings_do(gain, verdict):
    table = gathering.gather("advice", "quick", key, made_up("quick", gain=gain))
    assert set(table["word"].sel(contrast="advised").values) == {verdict}
    assert set(table["area_word"].values.ravel()) == {verdict}
    np.testing.assert_allclose(table["mean"], math.log(gain), atol=0.1)
    points = table["points"].sel(contrast="advised").values
    np.testing.assert_allclose(points, (1 - gain) / 2)
    lines = gathering.findings(table)
    better = gain < 1
    assert ("  as asked: better on 9" in lines) is better
    assert ("  not as asked: better on 0 and worse on 9 of 9" in lines) is not better


def test_swapped_arms_swap_the_words():
    table = gathering.gather("advice", "quick", key, made_up("quick"))
    other = {"default": ADVISED, ADVISED: "default"}
    arms = [other[arm] for arm in table["arm"].values.tolist()]
    swapped = gathering.compared(table.assign_coords(arm=("cell", arms)))
    assert set(swapped["word"].values.ravel()) == {rule.WORSE}
    np.testing.assert_allclose(swapped["mean"], -table["mean"])


def test_the_third_way_is_held_against_both_others():
    table = gathering.gather(
        "advice_rates", "quick", key, made_up("quick", "advice_rates")
    )
    means = table["mean"].mean("of")
    assert float(means.sel(contrast="both")) == pytest.approx(
        float(means.sel(contrast="advised") + means.sel(contrast="rates"))
    )
    assert table["contrast"].values.tolist() == ["advised", "rates", "both"]
    assert table["of"].values.tolist() == list(grids.OF["advice_rates"])
    other = gathering.gather(
        "advice_phases", "quick", key, made_up("quick", "advice_phases")
    )
    assert other["contrast"].values.tolist() == ["advised", "input", "all"]
    assert other["of"].values.tolist() == list(tasks.PHASED)
    means = other["mean"].mean("of")
    for contrast in ("input", "all"):
        assert float(means.sel(contrast=contrast)) == pytest.approx(
            2 * math.log(0.5), abs=0.1
        )


def test_a_seed_that_one_way_lacks_is_refused():
    table = gathering.gather("advice", "smoke", key, made_up())
    with pytest.raises(ValueError, match="need the same seeds of"):
        gathering.compared(table.isel(cell=slice(1, None)))


def test_cells_come_back_as_they_were():
    trainings = made_up()
    keys = list(trainings)
    trainings[keys[-1]] = cells._result(
        Config("digits", "default", 1, 20),
        Curves(np.zeros(0), np.zeros(0, int), np.zeros(0)),
        7,
    )
    table = gathering.gather("advice", "smoke", key, trainings)
    assert table.sizes["cell"] == len(trainings)
    for index, name in enumerate(table["key"].values.tolist()):
        xr.testing.assert_identical(gathering.cell(table, index), trainings[name])
    part = gathering.gather("advice", "smoke", key, dict(list(trainings.items())[:3]))
    assert "word" not in part
    assert gathering.findings(part) == "trainings that ended: 3 of white"


@pytest.mark.parametrize("sweep", grids.SWEEPS)
def test_what_comes_with_the_code_says_what_its_trainings_do(sweep):
    table = store.shipped(sweep)
    assert table["key"].values.tolist() == [
        key(c) for c in studies.grid(sweep, "paper")
    ]
    ends = [row[np.isfinite(row)][-1] for row in table["validation_loss"].values]
    np.testing.assert_array_equal(table["final_loss"], ends)
    repeated = gathering.compared(table[[*gathering.CURVES, *gathering.SCALARS]])
    for name, values in repeated.data_vars.items():
        if values.dtype.kind == "f":  # processors round logarithms differently
            np.testing.assert_allclose(values, table[name], rtol=1e-12)
        else:
            np.testing.assert_array_equal(values, table[name])
    assert (table["diverged"] < 0).all()
    advised = table["arm"].values == ADVISED
    for task in tasks.TEACHERS:  # elsewhere the advice is told of files
        rows = table["options"].values[advised & (table["task"].values == task)]
        for row in rows:
            options = tasks.advice_of(task).options
            for name, value in json.loads(row).items():
                assert options[name] == pytest.approx(value), "the rules have changed"


# --- which trainings ----------------------------------------------------------------


@pytest.mark.parametrize("sweep", grids.SWEEPS)
@pytest.mark.parametrize("preset", store.PRESETS)
def test_ways_have_the_same_seeds_and_budget(sweep, preset):
    grid = studies.grid(sweep, preset)
    first, *_ = grids.SWEEPS[sweep]
    by = {
        arm: [
            dataclasses.replace(config, arm=first)
            for config in grid
            if config.arm == arm
        ]
        for arm in grids.SWEEPS[sweep]
    }
    assert by[first]
    assert all(group == by[first] for group in by.values())
    if preset == "paper":
        named = {config.task for config in grid}
        assert named == set(grids.OF[sweep])
        for task in named:
            assert sum(config.task == task for config in by[first]) >= 5
        assert len(tasks.TASKS) == 9
        assert min(config.seed for config in grid) == grids.FIRST
        assert (
            max(config.seed for config in grid) < 100
        )  # the rules were chosen by those
        pairs = [config for config in grid if config.arm in grids.SWEEPS["advice"]]
        assert bool(pairs) == (first == "default")
        assert set(pairs) <= set(studies.grid("advice", preset))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("maze", "default", 0, 20), r"need a task in white, .* got 'maze'"),
        (("white", "rash", 0, 50), r"need a way to begin in .* got 'rash'"),
        (("white", "default", 0, 20), "need steps in multiples of 50, got 20"),
        (("digits", "default", 0, 50), "need steps in multiples of 20, got 50"),
    ],
)
def test_a_training_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Config(*arguments)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="need a way to begin in"):
        tasks.options_of("white", "rash")
    two = [Config("digits", "default", seed, 20) for seed in (0, 1)]
    with pytest.raises(ValueError, match="need cells of one shape"):
        cells.run_cells(two)


# --- how each begins ----------------------------------------------------------------

WAYS = grids.SWEEPS["advice_rates"]


def fitted_with(monkeypatch, arm, seed):
    """What ``fit`` is called with for the digits; nothing is trained."""
    calls = []

    def fit(recipe, data, seed, *, prepare, **others):
        calls.append((recipe, data, seed, prepare))
        raise Diverged(3)

    monkeypatch.setattr(supervised, "fit", fit)
    (result,) = cells.run_cells([Config("digits", arm, seed, 40)])
    assert result.attrs["diverged"] == 3
    assert math.isnan(result.attrs["final_loss"])
    return calls[0]


@pytest.mark.parametrize("seed", [1, 4])
def test_networks_begin_as_advised_and_as_the_suite_has_it(monkeypatch, seed):
    monkeypatch.setattr(tasks, "slower", lambda default, advised: 0.25)
    calls = {arm: fitted_with(monkeypatch, arm, seed) for arm in WAYS}
    networks = {}
    for arm, (recipe, data, given_seed, prepare) in calls.items():
        assert given_seed == seed
        networks[arm] = begin(
            supervised.KIND, recipe, given_seed, prepare
        ).run.parameters
        other = calls["default"]
        assert data is other[1]
        same = dataclasses.replace(
            recipe, network=other[0].network, factor=other[0].factor
        )
        assert same == other[0]
    advice = tasks.advice_of("digits")
    assert advice.length == 64
    config = calls["default"][0].network
    suite = NetworkConfig(
        **{**dataclasses.asdict(config), "layer": "lru", "layer_options": {}}
    )
    network, _ = build(suite, key=jax.random.split(jax.random.key(seed))[0])
    spectrum = tasks.spectrum_of("digits")
    for before, after, third, own in zip(
        *(networks[arm].blocks for arm in WAYS), network.blocks, strict=True
    ):
        for name, value in parameters(own.layer).items():
            np.testing.assert_array_equal(parameters(before.layer)[name], value)
            np.testing.assert_array_equal(
                parameters(third.layer)[name], parameters(after.layer)[name]
            )
        for name in ("B_re", "B_im", "C_re", "C_im", "D"):
            np.testing.assert_array_equal(
                getattr(before.layer, name), getattr(after.layer, name)
            )
        lam = np.asarray(after.layer.eigenvalues())
        inner, outer = advice.options["r_min"], advice.options["r_max"]
        assert (abs(lam) >= inner - 1e-6).all()
        assert (abs(lam) <= outer + 1e-6).all()
        low, high = advice.options["max_phase"]
        assert low == advice.phase < high == math.pi
        assert (np.angle(lam[::2]) % (2 * np.pi) <= low).all()
        assert (np.angle(lam[1::2]) % (2 * np.pi) <= high).all()
        default = np.asarray(before.layer.eigenvalues())
        assert abs(default).min() < advice.options["r_min"]
        assert (np.angle(default) < 0).any()
        np.testing.assert_allclose(mode_states(after.layer, spectrum)[2], 1, rtol=1e-4)
        assert np.ptp(mode_states(before.layer, spectrum)[2]) > 0.3
    factors = [calls[arm][0].factor for arm in WAYS]
    assert factors == [0.5, 0.5, 0.5 * 0.25]


def test_students_meet_the_same_teacher_and_differ_as_advised():
    configs = [Config("correlated", arm, 3, 50) for arm in WAYS]
    runs, teachers, factors = zip(*map(cells.prepare, configs), strict=True)
    default, advised, third = (run.parameters for run in runs)
    assert len({float(run.rate) for run in runs}) == 1
    assert len({jax.random.key_data(run.key).tobytes() for run in runs}) == 1
    for other in teachers[1:]:
        for first, second in zip(
            *map(jax.tree.leaves, (teachers[0], other)), strict=True
        ):
            np.testing.assert_array_equal(first, second)
        assert other.process == teachers[0].process
        assert other.process.autocovariance(np.arange(2))[1] == pytest.approx(0.9)
    teacher = abs(np.linalg.eigvals(np.asarray(teachers[0].teacher.A)))
    assert (teacher >= 0.99 - 1e-6).all()
    options = tasks.advice_of("correlated").options
    assert abs(advised.eigenvalues()).min() >= options["r_min"] - 1e-6
    assert abs(default.eigenvalues()).min() < options["r_min"]
    own = lru(64, 1, key=jax.random.split(jax.random.key(3), 3)[1])
    np.testing.assert_array_equal(default.nu_log, own.nu_log)
    np.testing.assert_array_equal(default.gamma_log, own.gamma_log)
    np.testing.assert_array_equal(third.gamma_log, advised.gamma_log)
    spectrum = tasks.spectrum_of("correlated")
    np.testing.assert_allclose(mode_states(advised, spectrum)[2], 1, rtol=1e-4)
    assert [float(factor.nu_log) for factor in factors[:2]] == [1, 1]
    assert float(factors[2].nu_log) == float(factors[2].B_re) < 1
    assert [float(factor.C_re) for factor in factors] == [1, 1, 1]


def test_other_ways_differ_by_their_phases_alone():
    students = {
        arm: cells.prepare(Config("correlated", arm, 3, 50))[0].parameters
        for arm in grids.SWEEPS["advice_phases"][1:]
    }
    limit = tasks.advice_of("correlated").phase
    anywhere = students["advised-all"]
    share = np.exp(anywhere.theta_log) / math.pi
    assert share.max() <= 1
    phases = {
        ADVISED: np.tile([limit, math.pi], 32),
        "advised-input": limit,
        "advised-all": math.pi,
    }
    for arm, student in students.items():
        np.testing.assert_array_equal(student.nu_log, anywhere.nu_log)
        np.testing.assert_allclose(
            np.exp(student.theta_log), share * phases[arm], rtol=1e-5
        )
        assert tasks.factor_of("correlated", arm) == 1
        spectrum = tasks.spectrum_of("correlated")
        np.testing.assert_allclose(mode_states(student, spectrum)[2], 1, rtol=1e-4)


@pytest.mark.parametrize("seed", [1, 4])
def test_networks_of_mlstm_layers_differ_by_their_forget_biases_alone(
    monkeypatch, seed
):
    drawn = {}
    for arm in grids.SWEEPS["advice_gates"]:
        recipe, _, given, prepare = fitted_with(monkeypatch, arm, seed)
        run = begin(supervised.KIND, recipe, given, prepare).run
        drawn[arm] = [block.layer for block in run.parameters.blocks]
    for first, second in zip(*drawn.values(), strict=True):
        assert first.widths == second.widths
        assert len(first.b_f) == len(second.b_f) == 4
        np.testing.assert_allclose(first.b_f, np.linspace(3, 6, 4), rtol=1e-6)
        memories = 1 + np.exp(second.b_f)  # 1/(1 - f)
        factors = memories[1:] / memories[:-1]
        assert memories.max() == pytest.approx(64, rel=0.01)  # the length
        assert (factors > 1.2).all()
        same = replace(second, {"b_f": first.b_f})
        for one, other in zip(*map(jax.tree.leaves, (first, same)), strict=True):
            np.testing.assert_array_equal(one, other)


def test_rates_shrink_by_the_root_of_the_ceilings():
    advice = tasks.advice_of("correlated")

    def with_ceilings(nu, theta):
        ceilings = {**advice.default.largest_rate, "gamma_log": 9.0, "C_re": 1e-9}
        return advice.default._replace(
            largest_rate={**ceilings, "nu_log": nu, "theta_log": theta}
        )

    high, low = with_ceilings(4.0, 8.0), with_ceilings(2.0, 1.0)
    assert tasks.slower(high, low) == pytest.approx(0.5)
    assert tasks.slower(low, high) == 1


def test_the_advice_is_told_of_the_inputs():
    values = np.random.default_rng(1).normal(3, 2, (5, 40, 3))
    values[..., 1] = 7
    inputs = tasks.standardised(values)
    assert inputs.shape == (5, 40, 2)
    np.testing.assert_allclose(inputs.mean((0, 1)), 0, atol=1e-12)
    np.testing.assert_allclose(inputs.std((0, 1)), 1)
    tokens = np.array([[1, 2, 0], [2, 2, 1], [1, 0, 0]])
    inputs = tasks.one_hot(tokens, np.array([2, 3, 1]), 2)
    assert inputs.tolist() == [[[0, 1, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1]]]
    # Neighbouring pixels are alike.
    assert tasks.spectrum_of("digits").covariance[1] > 0.1


def test_students_learn_in_one_chunk():
    configs = [
        Config("correlated", arm, seed, 50) for arm in (ADVISED,) for seed in (5, 6)
    ]
    assert len({cells.shape(student) for student in configs}) == 1
    both_results = cells.run_cells(configs)
    for config, result in zip(configs, both_results, strict=True):
        curve = result["validation_loss"].values
        run, task, _ = cells.prepare(config)
        assert curve[0] == pytest.approx(float(task.loss(run.parameters)), rel=1e-5)
        assert len(curve) == cells.RECORDS + 1
        assert curve[-1] < curve[0]
        assert result.attrs["final_loss"] == curve[-1]
    assert both_results[0].attrs["final_loss"] != both_results[1].attrs["final_loss"]


@pytest.mark.slow
@pytest.mark.data("mnist", "ett", "fsdd")
def test_the_third_way_is_tried_where_it_asks_for_less_than_half():
    factors = {
        task: tasks.factor_of(task, SLOWED) / tasks.SIZES[task].factor
        for task in tasks.TASKS
    }
    reduced = {task for task, factor in factors.items() if factor < 0.5}
    assert reduced == set(grids.OF["advice_rates"])
    assert factors["white"] == pytest.approx(0.56, abs=0.005)
    assert {factors[task] for task in ("listops-short", "ETTh1", "WTH", "digits")} == {
        1
    }


@pytest.mark.slow
def test_digits_are_learnt():
    (result,) = cells.run_cells([Config("digits", ADVISED, 2, 200)])
    assert result.attrs["final_accuracy"] > 0.5
    assert result["step"].values[-1] == 200
