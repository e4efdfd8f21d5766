"""The audit of a forecaster: the right windows, the right numbers, told plainly."""

import dataclasses
import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from rich.console import Console
from typer.testing import CliRunner

from sigprop.audit import forecaster_summary as summary
from sigprop.audit.forecaster import audit_forecaster
from sigprop.audit.network import audit, signals
from sigprop.audit.windows import blocks_of
from sigprop.cli.audit_forecast import task_of
from sigprop.cli.main import app
from sigprop.networks import build, over_batch, save_network
from sigprop.networks.forecaster import Head, forecast
from sigprop.tasks.forecasts import Forecasts
from sigprop.training import runs
from sigprop.training.forecast_runs import ForecastJob
from tests.sigprop.training.test_forecasting import recipe, series

TASK = Forecasts(series(), 12, 4)


def recipe_and_network(layer="blur", **changes):
    how = recipe()
    config = dataclasses.replace(how.network, layer=layer, **changes)
    network, state = build(config, key=jax.random.key(0))
    return (
        dataclasses.replace(how, network=config),
        eqx.nn.inference_mode(network),
        state,
    )


@pytest.mark.parametrize("channels", ["mixed", "each"])
@pytest.mark.parametrize("kind", ["direct", "steps"])
def test_blocks_are_windows_in_order_with_what_should_come_out(channels, kind):
    head = Head(horizon=4, features=2, channels=channels, kind=kind, centre="mean")
    blocks = blocks_of(TASK, head, "test", 30, 4)
    windows = TASK.windows("test")
    count = 2 if channels == "each" else 1
    assert len(blocks) == 4
    stride = len(windows.inputs) // 28
    for index, block in enumerate(blocks):
        batch = block.batch
        assert batch.inputs.shape == (7 * count, 12, head.inputs)
        assert batch.labels.shape == (7 * count, head.outputs)
        window = stride * (7 * index + 3)
        inputs, truth = windows.inputs[window], windows.targets[window]
        mean = inputs.mean(0)
        shown = batch.inputs.reshape(7, count, 12, -1)[3]
        wanted = batch.labels.reshape(7, count, -1, head.shown)[3]
        rows = 1 if kind == "steps" else 4
        np.testing.assert_allclose(
            np.concatenate([*shown], -1), inputs - mean, atol=1e-5
        )
        np.testing.assert_allclose(
            np.concatenate([*wanted], -1), (truth - mean)[:rows], atol=1e-5
        )
        row = TASK.split["test"].start - 12 + window
        season = block.season.reshape(7, count, 12)[3]
        assert (season == (row + np.arange(12)) % 24).all()


@pytest.mark.slow
def test_errors_of_the_audit_are_those_of_the_forecast():
    how, network, state = recipe_and_network()
    head = how.head
    batch = blocks_of(TASK, head, "test", 8, 2)[0].batch
    answers, _ = over_batch(network, state, jnp.asarray(batch.inputs))
    windows = TASK.windows("test")
    stride = len(windows.inputs) // 8
    inputs, truth, marks = (
        np.asarray(array[: 4 * stride : stride], np.float32) for array in windows
    )
    forecasts, _ = forecast(
        network, state, head, jnp.asarray(inputs), jnp.asarray(marks)
    )
    own = np.mean((np.asarray(answers) - batch.labels) ** 2)
    assert own == pytest.approx(float(np.mean((forecasts - truth) ** 2)), rel=1e-4)


def test_errors_that_come_back_are_those_of_the_squares():
    _, network, state = recipe_and_network()
    batch = blocks_of(TASK, recipe().head, "test", 8, 2)[0].batch
    _, errors = signals(network, state, *batch[:3])
    half = batch._replace(labels=batch.labels + 1)
    _, moved = signals(network, state, *half[:3])
    answers, _ = over_batch(network, state, jnp.asarray(batch.inputs))
    off = np.asarray(answers) - batch.labels
    # Linear in what is off: by one label more each, by the same everywhere.
    repeated = batch._replace(labels=np.asarray(answers) - 2 * off)
    _, twice = signals(network, state, *repeated[:3])
    np.testing.assert_allclose(twice, 2 * np.asarray(errors), rtol=1e-3, atol=1e-6)
    assert np.abs(moved - errors).max() > 1e-3


@pytest.fixture(scope="module")
def audited():
    _, network, state = recipe_and_network(depth=2)
    blocks = blocks_of(TASK, recipe().head, "test", 30, 5)
    return audit_forecaster(network, state, blocks, 24)


def test_every_recurrence_position_and_merge_has_numbers(audited):
    names = [
        f"block {number} {way}" for number in (1, 2) for way in ("forward", "backward")
    ]
    assert audited["recurrence"].values.tolist() == names
    assert audited["merge"].values.tolist() == ["block 1", "block 2"]
    assert audited["measured"].sizes == {"end": 3, "recurrence": 4, "position": 12}
    assert np.isfinite(audited["measured"]).all()
    assert (audited["rank"].sel(part="merged") <= audited.attrs["width"]).all()
    assert (audited["rank"].sel(part="pair") <= audited.attrs["numbers"]).all()
    middle = audited.sel(end="middle")
    average = middle["measured"].mean("position")
    np.testing.assert_allclose(
        audited["predicted"].sel(rung="infinite").mean("position") / average,
        middle["ratio"].sel(rung="infinite"),
        rtol=0.05,
    )


def test_rows_are_json_and_tables_and_sentences_say_the_same(audited):
    rows = json.loads(json.dumps(summary.rows(audited)))
    assert len(rows["assumptions"]) == 3 * 6
    assert {power["recurrence"] for power in rows["power"]} == set(
        audited["recurrence"].values
    )
    (row,) = (
        assumption
        for assumption in rows["assumptions"]
        if assumption["signal"] == "input of the network"
        and assumption["assumption"] == "white"
    )
    assert row["low"] < row["value"] < row["high"]
    console = Console(width=200, record=True)
    for table in summary.tables(audited):
        console.print(table)
    text = console.export_text()
    assert f"{row['value']:.3g} ({row['low']:.3g} to {row['high']:.3g}) *" in text
    sentences = " ".join(summary.conclusions(audited))
    assert f"white ({row['value']:.3g} instead of 0)" in sentences
    assert "The merged state of block 2 contains" in sentences
    assert "The first assumption to fail in 4 recurrences: " in sentences


def intervals(values):
    return np.stack([np.array(values) - 0.02, values, np.array(values) + 0.02])


@pytest.mark.parametrize(
    ("ratios", "edges", "first"),
    [
        ((1, 1, 1, 1), (1, 1), ""),
        ((1, 1, 1, 0.5), (1, 1), "white"),
        ((1, 1, 1.3, 0.5), (1, 1), "independent"),
        ((1, 0.8, 1, 1), (1, 1), "infinite"),
        ((1, 1, 1, 1), (1, 1.4), "stationary"),
        ((1, 1, 1, 1), (0.6, 1), "stationary"),
        ((1, 1.11, 1, 1), (1, 1), ""),  # its interval reaches ten per cent
    ],
)
def test_what_fails_first_is_the_first_that_is_surely_off(ratios, edges, first):
    data = xr.Dataset(
        {
            "ratio": (("end", "recurrence", "rung"), intervals(ratios)[:, None]),
            "edges": (("end", "recurrence", "edge"), intervals(edges)[:, None]),
        },
        {
            "end": ["low", "middle", "high"],
            "recurrence": ["one"],
            "rung": ["stationary", "infinite", "independent", "white"],
            "edge": ["start", "end"],
        },
    )
    assert summary.failing_assumption(data, "one") == first


def test_a_layer_without_a_closed_form_is_measured_alone():
    how, network, state = recipe_and_network("gru", layer_options={"times": [1.0, 8.0]})
    result = audit_forecaster(
        network, state, blocks_of(TASK, how.head, "test", 8, 4), 24
    )
    assert "recurrence" not in result.dims
    assert np.isfinite(result["number"].sel(assumption="white")).all()
    assert summary.rows(result)["power"] == []
    assert "No layer has a closed form" in " ".join(summary.conclusions(result))
    assert len(summary.tables(result)) == 1


def test_too_few_windows_are_refused():
    head = recipe().head
    with pytest.raises(ValueError, match="need two windows in each of 16 blocks"):
        blocks_of(TASK, head, "test", 20)


def test_numbers_as_labels_have_to_fit():
    _, network, state = recipe_and_network()
    blocks = [block.batch for block in blocks_of(TASK, recipe().head, "test", 8, 2)]
    short = [batch._replace(labels=batch.labels[:, :3]) for batch in blocks]
    with pytest.raises(ValueError, match="need 8 numbers an example, got"):
        audit(network, state, short)


# --- the command --------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """A training that is finished, and the table it is about."""
    table = tmp_path / "waves.csv"
    known = series()
    lines = [",".join(["date", *known.features])]
    lines += [
        f"{str(time).replace('T', ' ')},{first!r},{second!r}"
        for time, (first, second) in zip(
            known.times, known.values.tolist(), strict=True
        )
    ]
    table.write_text("\n".join(lines) + "\n")
    how, network, state = recipe_and_network()
    path = tmp_path / "runs" / "seed-0"
    about = TASK.about() | {"table": table.name}
    runs.reserve(path, ForecastJob("forecast", "blur", "quick", 0, how, about))
    save_network(path / runs.NETWORK, network, state)
    runs.write_result(path, {}, [runs.NETWORK])
    return path, table


def invoke(*arguments):
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


@pytest.mark.slow
def test_the_command_tells_writes_and_draws(folder, tmp_path):
    path, table = folder
    numbers, moments_file = tmp_path / "told.json", tmp_path / "held.nc"
    answer = invoke(
        *(
            path,
            "--data",
            table,
            "--examples",
            32,
            "--json",
            numbers,
            "--out",
            moments_file,
        )
    )
    assert answer.exit_code == 0, answer.output
    assert "The network's input violates" in answer.output
    report = json.loads(numbers.read_text())
    assert report["about"]["part"] == "test"
    assert len(report["power"]) == 2
    assert xr.load_dataset(moments_file)["measured"].notnull().any()
    assert {file.name for file in tmp_path.glob("*.png")} == {
        "held.png",
        "held-positions.png",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "need --data with the series of this training, waves.csv"),
        (("--data", "co2"), "with a column 'sine', got co2"),
        (("--data", "nowhere.csv"), "found none at nowhere.csv"),
        (("--part", "all"), "need --part in train, validation, test, got 'all'"),
        (("--examples", "20"), "need two windows in each of 16 blocks"),
    ],
)
def test_bad_input_is_one_clear_line(folder, options, message):
    path, table = folder
    arguments = (
        options if "--data" in options or not options else (*options, "--data", table)
    )
    answer = invoke(path, *arguments)
    assert answer.exit_code == 2
    line = " ".join(answer.output.split())
    assert message in line
    assert "Traceback" not in answer.output


def test_another_series_of_the_same_columns_is_refused(folder):
    path, table = folder
    text = table.read_text().splitlines()
    table.write_text("\n".join([*text[:-1], text[-1][:-1] + "1"]) + "\n")
    with pytest.raises(
        ValueError, match=r"of 300 rows, got waves.csv of 300 with other che"
    ):
        task_of(runs.read_about(path), table)


def test_json_is_for_forecasts_alone(tmp_path):
    path = tmp_path / "seed-0"
    job = runs.Job("digits", "lru", "quick", 0, recipe())
    runs.reserve(path, job)
    answer = invoke(path, "--json", tmp_path / "told.json")
    assert answer.exit_code == 2
    assert "need a training to forecast for --json" in " ".join(answer.output.split())
