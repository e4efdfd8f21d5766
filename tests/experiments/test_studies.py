import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import (
    accuracy,
    angle_descent,
    command,
    convolution_kernel,
    curse_of_memory,
    impulse_responses,
    normalisation,
    power_descent,
    relu_leakage,
    ring_eigenvalues,
    ring_gain,
    speed_layers,
    speed_losses,
    speed_moments,
    speed_training,
    store,
    studies,
)
from sigprop.numerics import devices
from sigprop.numerics.precision import double_precision

DESCENTS = (angle_descent, convolution_kernel, power_descent)
SPEEDS = (speed_layers, speed_losses, speed_moments, speed_training)
RINGS = (impulse_responses, normalisation, ring_eigenvalues, ring_gain)
REPRODUCIBLE = (accuracy, curse_of_memory, relu_leakage, *RINGS, *DESCENTS)
STUDIES = (*REPRODUCIBLE, *SPEEDS)
LISTED = tuple(map(studies.study_module, studies.studies()))  # others have their tests
MARKED = [
    pytest.param(study, marks=pytest.mark.slow if study in SPEEDS else ())
    for study in STUDIES
]
FAR = 5.0  # standard errors
pytestmark = pytest.mark.usefixtures("compiled_anew")


def name(module):
    return module.STUDY


class Smoke(dict):
    """Results by study, made when first asked for."""

    def __missing__(self, study):
        module = studies.study_module(study)
        self[study] = module.run(module.SMOKE)
        return self[study]


@pytest.fixture(scope="module")
def smoke():
    """Results, for the speed of layers those of one layer a kind of program."""
    kinds = {name: speed_layers.LAYERS[name] for name in ("LRU", "GRU", "S4D")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed_layers, "LAYERS", kinds)
        yield Smoke()


def test_every_study_is_listed_under_its_name():
    folder = Path(command.__file__).parent
    names = [file.stem for file in folder.glob("*.py") if "\nSTUDY" in file.read_text()]
    assert tuple(sorted(names)) == studies.studies() == tuple(map(name, LISTED))


@pytest.mark.parametrize("module", REPRODUCIBLE, ids=name)
@pytest.mark.sampled(2)
def test_second_run_gives_the_same_numbers(smoke, module):
    xr.testing.assert_identical(module.run(module.SMOKE), smoke[module.STUDY])


@pytest.mark.parametrize("module", LISTED, ids=name)
def test_presets_differ_and_are_hashable(module):
    presets = {module.SMOKE, module.QUICK, module.PAPER}
    assert len({store.canonical(config) for config in presets}) == 3


@pytest.mark.parametrize("module", MARKED, ids=name)
@pytest.mark.sampled(4)
def test_every_variable_says_its_unit_and_is_finite(smoke, module):
    dataset = smoke[module.STUDY]
    assert "dtype" in dataset.attrs
    for label, values in dataset.data_vars.items():
        assert values.attrs["units"], label
        if label not in ("matrix_eigenvalue", "memory", "long_memory"):
            assert np.isfinite(values).all(), label


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("module", MARKED, ids=name)
@pytest.mark.sampled(4)
def test_result_survives_the_store(smoke, module, results):
    dataset = smoke[module.STUDY]
    store.save(module.STUDY, module.VERSION, module.SMOKE, dataset)
    loaded = store.load(module.STUDY, module.VERSION, module.SMOKE)
    xr.testing.assert_equal(loaded, dataset)
    for label in dataset.data_vars:
        assert loaded[label].attrs == dataset[label].attrs, label


def farthest(mean, sem, exact):
    return float(np.abs((mean - exact) / sem).max())


@pytest.mark.parametrize("quantity", curse_of_memory.QUANTITIES)
def test_simulated_neurons_agree_with_theory(smoke, quantity):
    data = smoke["curse_of_memory"].sel(quantity=quantity)
    assert farthest(data["simulated"], data["sem"], data["exact"]) < FAR
    assert farthest(data["simulated"], data["sem"], 1.5 * data["exact"]) > FAR
    relative = data["sem"] / data["exact"]
    assert float(relative.min()) > 0.01
    assert float(relative.max()) < 0.1


def test_points_have_as_many_steps_as_they_may_and_reach_the_end_of_the_curve():
    paper = curse_of_memory.PAPER
    gaps = np.array(paper.simulated_gaps)
    count = np.array([curse_of_memory.draws(paper, gap) for gap in gaps])
    work = count * np.round(curse_of_memory.RELAXATIONS / gaps)
    assert gaps.min() == paper.smallest_gap
    assert (np.diff(count) <= 0).all()
    assert (count[0], count[-1]) == (50_000, 1750)
    fewer = count < paper.draws
    assert fewer.sum() == 3
    np.testing.assert_allclose(work[fewer], paper.most, rtol=1e-3)


def test_states_without_normalisation_are_larger_by_what_gamma_takes_away(smoke):
    """Same eigenvalues and inputs: each neuron's power by one over ``gamma`` squared."""
    data = smoke["normalisation"]
    power = data["power"]
    ratio = power.sel(setting="ring") / power.sel(setting="gamma")
    radii = np.array([data.attrs["r_min"], data.attrs["r_max"]])
    low, high = 1 / (1 - radii**2)
    assert ((ratio > low) & (ratio < high)).all()


def test_control_keeps_white_noise_moments_of_order_one(smoke):
    controlled = smoke["curse_of_memory"]["controlled_theory"].sel(rho=0.0)
    state, sensitivity = controlled.sel(quantity=["state", "sensitivity"])
    np.testing.assert_allclose(state, 1, rtol=1e-12)
    gap = sensitivity["gap"].values[1:]  # no memory at the first
    square, relaxation = gap * (2 - gap), -np.log1p(-gap)  # 1 - lam^2, -log(lam)
    exact = ((1 - gap) * relaxation / square) ** 2 * (2 - square)
    np.testing.assert_allclose(sensitivity[1:], exact, rtol=1e-12)
    # A half at the edge: with s = -log(lam), 1 - s <= 2 exact <= 1.
    short = 1 - 2 * sensitivity[1:]
    assert ((short >= -1e-12) & (short <= relaxation + 1e-12)).all()


def test_control_factors_are_those_of_the_parametrisation():
    gap = np.array([0.9, 0.3, 1e-3, 1e-7])
    with double_precision(True):
        nu = jnp.log(-jnp.log1p(-jnp.asarray(gap)))
        derivative = jax.vmap(jax.grad(lambda nu: jnp.exp(-jnp.exp(nu))))(nu)
        expected = np.stack([1 - (1 - gap) ** 2, (1 - (1 - gap) ** 2) * derivative**2])
    np.testing.assert_allclose(
        curse_of_memory.control_factors(gap), expected, rtol=1e-8
    )
    assert curse_of_memory.control_factors(np.array([1.0])).ravel().tolist() == [1, 0]


def test_simulated_rings_agree_with_the_gain(smoke):
    dataset = smoke["ring_gain"]
    runs = dataset.sizes["run"]
    mean = dataset["measured"].mean("run")
    sem = dataset["measured"].std("run", ddof=1) / np.sqrt(runs)
    assert farthest(mean, sem, dataset["exact"]) < FAR
    white = [values.sel(input="white") for values in (mean, sem)]
    assert farthest(*white, 1.2 * dataset["exact"]) > FAR
    assert float((sem / dataset["exact"]).max()) < 0.3


def test_length_that_no_chunk_divides_is_refused():
    with pytest.raises(ValueError, match="multiples of 100, got 150"):
        ring_gain.run(ring_gain.Config(length=150))


def test_sampled_moduli_follow_their_law(smoke):
    dataset = smoke["ring_eigenvalues"]
    distance = np.abs(dataset["ring_fraction"] - dataset["ring_law"]).max("radius")
    band = np.sqrt(np.log(2 / 1e-7) / (2 * dataset.sizes["draw"]))
    assert float(distance.max()) < band
    swapped = np.abs(dataset["ring_fraction"] - dataset["ring_law"][::-1])
    assert float(swapped.max()) > band


def test_sampled_phases_follow_their_law(smoke):
    dataset = smoke["ring_eigenvalues"]
    distance = np.abs(dataset["ring_phase_fraction"] - dataset["ring_phase_law"])
    band = np.sqrt(np.log(2 / 1e-7) / (2 * dataset.sizes["draw"]))
    assert float(distance.max()) < band
    swapped = np.abs(dataset["ring_phase_fraction"] - dataset["ring_phase_law"][::-1])
    assert float(swapped.max()) > band


def test_phases_of_matrices_follow_the_law_of_their_size(smoke):
    """Eigenvalues repel each other: fractions vary less than those of free points."""
    dataset = smoke["ring_eigenvalues"]
    fraction, law = dataset["matrix_phase_fraction"], dataset["matrix_phase_law"]
    count = dataset["matrices"] * dataset["size"] / 2  # pairs of one size of phase
    band = np.sqrt(np.log(2 / 1e-7) / (2 * count))
    assert (np.abs(fraction - law).max("phase") < band).all()
    np.testing.assert_allclose(fraction.isel(phase=-1), 1)
    np.testing.assert_allclose(law.isel(phase=-1), 1, atol=1e-12)
    size = law["size"]
    real = (
        np.sqrt(2 * size / np.pi) * (1 - 3 / (8 * size)) + 0.5
    )  # Edelman et al. (1994)
    np.testing.assert_allclose(2 * size * law.isel(phase=0), real, rtol=1e-3)


def test_law_of_the_radius_is_zero_inside_and_one_outside():
    radius = np.array([0.0, 0.5, np.sqrt(0.5 * (0.25 + 0.81)), 0.9, 1.2])
    np.testing.assert_allclose(
        ring_eigenvalues.radius_distribution(radius, 0.5, 0.9),
        [0, 0, 0.5, 1, 1],
        atol=1e-12,
    )


def test_matrices_approach_the_circular_law(smoke):
    dataset = smoke["ring_eigenvalues"]
    distance = np.abs(dataset["matrix_fraction"] - dataset["circular_law"])
    small, large = distance.max("radius").values
    assert large < small
    assert large < 1 / np.sqrt(dataset["size"].values[-1])


def test_stable_forms_lose_at_most_three_bits_and_direct_ones_many(smoke):
    table = smoke["accuracy"]
    assert float(table["excess"].max()) <= 3
    assert float(table["direct"].min()) > 8
    assert (table["raw"] >= table["excess"]).all()


def test_accuracy_is_measured_on_more_than_random_arguments():
    generator = np.random.default_rng(0)
    gap, theta, rho = accuracy._eigenvalues(generator, 30, "float64")
    assert {0.0, 1.0, -1.0} <= set(rho)
    assert {0.0, np.pi} <= set(theta)
    assert (rho == 1 - gap).any()
    assert gap.min() == pytest.approx(1e-12)


@pytest.mark.slow
def test_all_ways_of_the_benchmark_agree(smoke):
    assert smoke["speed_moments"].attrs["disagreement"] < speed_moments.AGREEMENT
    config = dataclasses.replace(speed_moments.SMOKE, neurons=2, sequences=50_000)
    key, lam = speed_moments._problem(config)
    process = speed_moments.TIMED_INPUT
    engine = speed_moments.streaming(key, lam, process, config)
    baseline = speed_moments.associative(key, lam, process, config)
    # The relative variance of a sequence's mean square is at most two; of the 4 ratios
    # of two means one is five standard errors off in 2e-6 of all runs.
    error = np.sqrt(2 * 2 / config.sequences)
    assert 5 * error < 0.05
    np.testing.assert_allclose(np.array(engine), np.array(baseline), rtol=5 * error)


@pytest.mark.slow
def test_both_ways_of_the_layer_agree_and_a_wrong_one_is_refused(smoke, monkeypatch):
    assert smoke["speed_layers"].attrs["disagreement"] < speed_layers.AGREEMENT
    wrong = {**speed_layers.WAYS, "usual": lambda *a: 1.05 * speed_layers.published(*a)}
    monkeypatch.setattr(speed_layers, "WAYS", wrong)
    with pytest.raises(ArithmeticError, match=r"the ways differ by 4\.8e-02"):
        speed_layers.run(speed_layers.SMOKE)


@pytest.mark.parametrize(("least", "calls"), [(0.0, 1), (3.0, 3), (3.5, 4)])
def test_a_repeat_lasts_as_long_as_asked_and_is_told_a_call(monkeypatch, least, calls):
    clock = [7.0]

    def call():
        clock[0] += 1.0

    monkeypatch.setattr(speed_moments.time, "perf_counter", lambda: clock[0])
    assert speed_moments.seconds_a_call(call, least) == 1.0
    assert clock[0] == 7.0 + calls


def test_repeats_of_the_moments_last_as_long_as_the_preset_says(monkeypatch):
    calls = []

    def instead(_, least):
        calls.append(least)
        return 0.5

    monkeypatch.setattr(speed_moments, "seconds_a_call", instead)
    config = dataclasses.replace(speed_moments.SMOKE, least=0.25)
    rates = speed_moments.run(config)["rate"]
    assert calls == [0.25] * len(speed_moments.WAYS) * (1 + config.repeats)
    assert (rates == 2 * config.neurons * config.sequences * config.length).all()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs /proc")
def test_peak_memory_is_that_of_the_states_that_a_way_keeps():
    config = speed_moments.Config(neurons=64, sequences=64, length=2048)
    states = 8 * 64 * 64 * 2048
    idle, with_states, streamed = (
        speed_moments._peak_memory(way, config)
        for way in ("nothing", "associative", "streaming")
    )
    assert states < with_states - idle < 30 * states
    assert streamed - idle < states


def test_make_runs_once_unless_forced(results, monkeypatch):
    lines = []
    first = command.make("ring_eigenvalues", "smoke", progress=lines.append)
    assert "took" in lines[-1]
    attributes = store.load_preset("ring_eigenvalues", "smoke").attrs
    assert attributes["preset"] == "smoke"
    assert "cpu" in attributes["device"] or "gpu" in attributes["device"]
    assert 0 < attributes["seconds"] < 600
    assert attributes["cores"] == devices.cores()
    assert attributes["peak_bytes"] > 5e7  # of this process, which has loaded JAX

    def never(config):
        raise AssertionError("ran again")

    monkeypatch.setattr(ring_eigenvalues, "run", never)
    assert command.make("ring_eigenvalues", "smoke", progress=lines.append) == first
    assert "is stored in" in lines[-1]
    with pytest.raises(AssertionError, match="ran again"):
        command.make("ring_eigenvalues", "smoke", force=True)


def test_make_leaves_the_current_result_the_newest(results):
    current = command.make("ring_eigenvalues", "smoke")
    older = ring_eigenvalues.Config(seed=99)
    dataset = store.read(current)
    store.save("ring_eigenvalues", 0, older, dataset, preset="smoke")
    assert store.preset_path("ring_eigenvalues", "smoke") != current
    assert command.make("ring_eigenvalues", "smoke") == current
    assert store.preset_path("ring_eigenvalues", "smoke") == current


def test_unknown_study_and_preset_are_refused():
    for name in ("nothing", "store", "ring_gain.", "advised"):  # store is no study
        with pytest.raises(ValueError, match=r"need a study in .*ring_gain"):
            command.make(name)
    with pytest.raises(ValueError, match="need a preset in smoke, quick, paper"):
        command.make("ring_gain", "huge")


@pytest.mark.parametrize("module", [accuracy, speed_layers, speed_moments], ids=name)
@pytest.mark.sampled(1)
def test_command_line_prints_a_table_and_the_file(
    smoke, module, results, monkeypatch, capsys
):
    file = store.save(
        module.STUDY,
        module.VERSION,
        module.SMOKE,
        smoke[module.STUDY],
        preset="smoke",
        device="cpu",
    )
    monkeypatch.setattr("sys.argv", ["study", "--preset", "smoke"])
    command.main(module.STUDY)
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == str(file)
    rows = {accuracy: "ring_gain", speed_layers: "33", speed_moments: "associative"}
    assert rows[module] in printed


def test_command_line_reports_a_damaged_result(results, monkeypatch):
    module = ring_eigenvalues
    file = store.path(module.STUDY, module.VERSION, module.SMOKE)
    file.write_bytes(b"")
    monkeypatch.setattr("sys.argv", ["study", "--preset", "smoke"])
    with pytest.raises(SystemExit, match=r"error: .* is damaged"):
        command.main(module.STUDY)
