"""Options of ``train``: each changes what comes out, and tables are read back."""

import numpy as np
import pytest
import xarray as xr

from sigprop.cli import forecast as cli_forecast
from sigprop.cli import train as cli_train
from sigprop.tasks import catalogue, images
from sigprop.training import forecast_results, forecast_runs, runs
from tests.command import ran
from tests.options import option
from tests.shown import printed
from tests.sigprop.training.test_forecasting import series as waves

DIGITS = images.digits(0)


# --- train on a task


@pytest.fixture
def trained(monkeypatch, tmp_path):
    """Trainings that are noted; their scores tell seeds apart."""
    jobs = []

    def load_task(task, data, *, cache, seed, progress):
        jobs.append({"task": task, "data": data, "cache": cache, "fold": seed})
        return DIGITS

    def run(job, examples, folder, progress):
        assert examples is DIGITS
        jobs[-1] |= {"job": job, "folder": folder}
        score = 0.5 + 0.125 * job.seed
        return {
            "test_accuracy": score, "validation_accuracy": score + 0.0625,
            "best_step": 30 + job.seed, "parameters": 4321 + job.seed,
        }  # fmt: skip

    monkeypatch.setattr(catalogue, "load_task", load_task)
    monkeypatch.setattr(runs, "run", run)
    monkeypatch.setattr(cli_train, "picture", lambda path, *more: jobs.append(path))
    monkeypatch.chdir(tmp_path)
    return jobs


HEADS = ("seed", "test accuracy", "validation", "best step", "parameters", "folder")


@option("train", "--seeds", "--seed", "--out", "--no-figures")
def test_the_scores_of_all_seeds_stand_in_their_columns(trained, tmp_path):
    out = tmp_path / "x"
    result = ran("train", "digits", "--seeds", 2, "--seed", 1, "--out", out)
    path = out / "digits-lru-quick"
    assert printed(result.stdout, *HEADS) == [
        {"seed": "1", "test accuracy": "0.6250", "validation": "0.6875", "best step": "31",
         "parameters": "4,322", "folder": f"{path}/seed-1"},
        {"seed": "2", "test accuracy": "0.7500", "validation": "0.8125", "best step": "32",
         "parameters": "4,323", "folder": f"{path}/seed-2"},
    ]  # fmt: skip
    # A deviation of 0.125 / sqrt 2, over sqrt 2.
    assert "test accuracy 0.6875, standard error 0.0625" in result.stdout
    assert [training["fold"] for training in trained[:2]] == [1, 2]
    assert trained[2] == path / "curves.png"
    ran("train", "digits", "--no-figures")
    assert len(trained) == 4
    assert str(trained[-1]["folder"]) == "runs/digits-lru-quick/seed-0"


@option("train", "--model", "--steps", "--rate", "--matmul", "--data", "--cache")
def test_a_training_has_the_recipe_that_is_asked_for(trained, tmp_path):
    def training_of(*more):
        output = ran("train", "digits", "--no-figures", *more).stdout
        ((row,), training) = printed(output, *HEADS), trained.pop()
        assert row["folder"] == str(training["folder"])
        return training

    plain = training_of()
    recipe = plain["job"].recipe
    assert (recipe.network.layer, recipe.matmul) == ("lru", "float32")
    assert (plain["data"], plain["cache"].name) == (None, "sigprop")
    changed = training_of("--model", "rotrnn")
    assert (changed["job"].model, changed["job"].recipe.network.layer) == (
        "rotrnn",
    ) * 2
    assert changed["folder"].parts[-2] == "digits-rotrnn-quick"
    steps = 3 * recipe.segment
    assert training_of("--steps", steps)["job"].recipe.optimiser.steps == steps
    assert recipe.optimiser.steps != steps
    assert training_of("--rate", 0.0123)["job"].recipe.rate == 0.0123 != recipe.rate
    assert training_of("--matmul", "bfloat16")["job"].recipe.matmul == "bfloat16"
    paths = training_of("--data", tmp_path / "d", "--cache", tmp_path / "c")
    assert (paths["data"], paths["cache"]) == (tmp_path / "d", tmp_path / "c")


# --- train to forecast


FEATURES, STEPS = ("sine", "cosine"), np.array([1, 2, 3, 4])
WAYS = ("model", "last value", "linear")


def distinct(*shape, start):
    """Numbers of which no two are equal, nor any two means of them."""
    return start * 1.07 ** np.arange(np.prod(shape)).reshape(shape)


FOUND = xr.Dataset(
    {
        "mse": (
            ("seed", "forecaster", "step", "feature"),
            distinct(2, 3, 4, 2, start=0.1),
        ),
        "mae": (
            ("seed", "forecaster", "step", "feature"),
            distinct(2, 3, 4, 2, start=0.7),
        ),
        "coverage": (("step", "feature"), distinct(4, 2, start=0.5)),
        "scale": ("feature", [3.0, 11.0]),
    },
    {"forecaster": [*WAYS], "step": STEPS, "feature": [*FEATURES], "seed": [0, 1]},
)


class Control:
    """Errors of a forecast without a network."""

    def __init__(self, mse, mae):
        self.mse, self.mae = mse, mae


CONTROLS = {
    "last value": Control(0.9, 0.8),
    "season": None,
    "linear": Control(0.25, 0.4),
}


@pytest.fixture
def table(tmp_path):
    data, path = waves(), tmp_path / "waves.csv"
    rows = zip(data.times, data.values, strict=True)
    lines = [
        f"{str(time).replace('T', ' ')},{sine},{two}" for time, (sine, two) in rows
    ]
    path.write_text("\n".join(["date,sine,cosine", *lines]) + "\n")
    return path


@pytest.fixture
def forecasters(monkeypatch, tmp_path):
    """Trainings to forecast that are noted, with results in which all numbers differ."""
    jobs = []

    def run(job, task, folder, progress, on_stage):
        jobs.append({"job": job, "task": task, "folder": folder})
        return {
            "test_mse": 0.5 + 0.25 * job.seed, "test_mae": 0.6 + 0.5 * job.seed,
            "validation_mse": 0.3 + job.seed, "best_step": 40 + job.seed,
            "parameters": 1234, "seconds": 56.0 + job.seed,
        }  # fmt: skip

    monkeypatch.setattr(forecast_runs, "run", run)
    monkeypatch.setattr(forecast_runs, "gathered", lambda path, job: FOUND)
    monkeypatch.setattr(forecast_results, "controls", lambda task: CONTROLS)
    monkeypatch.setattr(cli_forecast, "picture", lambda path, *more: jobs.append(path))
    monkeypatch.setattr(
        cli_forecast, "printed", lambda task: {"BLUR": Control(0.125, 0.1875)}
    )
    monkeypatch.chdir(tmp_path)
    return jobs


def test_the_tables_of_a_forecast_have_each_error_in_its_column(forecasters, table):
    output = ran(
        "train", "forecast", "--data", table, "--seeds", 2, "--horizon", 4
    ).stdout
    heads = ("seed", "test MSE", "test MAE", "validation MSE", "best step", "parameters",
             "seconds", "folder")  # fmt: skip
    path = "runs/forecast-waves-4-4-lru-quick"
    assert [tuple(row.values()) for row in printed(output, *heads)] == [
        ("0", "0.5000", "0.6000", "0.3000", "40", "1,234", "56", f"{path}/seed-0"),
        ("1", "0.7500", "1.1000", "1.3000", "41", "1,234", "57", f"{path}/seed-1"),
    ]
    assert printed(output, "forecast", "MSE", "MAE", "MSE / linear") == [
        # A deviation of 0.25 / sqrt 2, over sqrt 2.
        {
            "forecast": "lru",
            "MSE": "0.6250 ± 0.1250",
            "MAE": "0.8500",
            "MSE / linear": "2.500",
        },
        {
            "forecast": "last value",
            "MSE": "0.9000",
            "MAE": "0.8000",
            "MSE / linear": "3.600",
        },
        {"forecast": "season", "MSE": "-", "MAE": "-"},
        {
            "forecast": "linear",
            "MSE": "0.2500",
            "MAE": "0.4000",
            "MSE / linear": "1.000",
        },
        {
            "forecast": "BLUR, printed",
            "MSE": "0.1250",
            "MAE": "0.1875",
            "MSE / linear": "0.500",
        },
    ]
    model = FOUND.sel(forecaster="model")
    mse, mae = model["mse"].values, model["mae"].values  # by seed, step and feature
    by_feature = printed(
        output, "feature", "MSE", "MAE, own units", "inside the 90 % interval"
    )
    assert [tuple(row.values()) for row in by_feature] == [
        (
            name,
            f"{mse[:, :, i].mean():.4g}",
            f"{mae[:, :, i].mean() * scale:.4g}",
            f"{FOUND['coverage'].values[:, i].mean():.4g}",
        )
        for i, (name, scale) in enumerate(zip(FEATURES, (3.0, 11.0), strict=True))
    ]
    by_step = printed(output, "step", "lru", "last value", "linear")
    errors = FOUND["mse"].values
    assert [tuple(row.values()) for row in by_step] == [
        (
            str(step),
            f"{mse[:, step - 1].mean():.4g}",
            *(f"{errors[0, way, step - 1].mean():.4g}" for way in (1, 2)),
        )
        for step in (1, 2, 4)
    ]


@option(
    "train", "--horizon", "--length", "--univariate", "--calendar", "--head", "--centre"
)
def test_a_forecast_is_of_the_windows_and_by_the_head_that_are_asked_for(
    forecasters, table
):
    def forecast_of(*more):
        ran("train", "forecast", "--data", table, "--no-figures", *more)
        training = forecasters.pop()
        task, head = training["task"], training["job"].recipe.head
        return (
            task.length, task.horizon, task.univariate, task.calendar, head.kind,
            head.centre, head.channels, training["folder"].parent.name,
        )  # fmt: skip

    base = forecast_of()
    *_, centre, channels, _ = base
    assert base[:5] == (24, 24, None, False, "direct")
    other_centre = next(
        candidate for candidate in ("mean", "last") if candidate != centre
    )
    other_channels = next(
        candidate for candidate in ("mixed", "each") if candidate != channels
    )
    name = "forecast-waves-{}-lru{}-quick"
    for more, index, value, folder in (
        (("--horizon", 6), slice(0, 2), (6, 6), name.format("6-6", "")),
        (("--length", 12), slice(0, 2), (12, 24), name.format("12-24", "")),
        (("--univariate", "sine"), 2, "sine", name.format("sine-24-24", "")),
        (("--calendar",), 3, True, name.format("24-24", "-calendar")),
        (("--head", "steps"), 4, "steps", name.format("24-24", "-steps")),
        (("--centre", other_centre), 5, other_centre, base[-1]),
    ):
        values = forecast_of(*more)
        assert values[index] == value != base[index], more
        assert values[-1] == folder
    values = forecast_of("--channels", other_channels)
    assert (values[5], values[6]) == (centre, other_channels)


@option("train", "--channels", "--preset")
def test_channels_and_the_other_options_of_a_recipe_reach_a_forecast(
    forecasters, table
):
    def job_of(*more):
        ran("train", "forecast", "--data", table, "--no-figures", *more)
        return forecasters.pop()["job"]

    base = job_of().recipe
    assert {job_of("--channels", name).recipe.head.channels for name in ("mixed", "each")} == {
        "mixed", "each"
    }  # fmt: skip
    assert job_of("--rate", 0.0123).recipe.rate == 0.0123 != base.rate
    assert job_of("--matmul", "bfloat16").recipe.matmul == "bfloat16" != base.matmul
    assert (
        job_of("--steps", 5 * base.segment).recipe.optimiser.steps == 5 * base.segment
    )
    assert job_of("--model", "gru").recipe.network.layer == "gru"
    assert job_of("--seed", 3).seed == 3
    small, large = (
        job_of("--model", "blur", "--preset", name) for name in ("quick", "paper")
    )
    assert (small.preset, large.preset) == ("quick", "paper")
    assert small.recipe.network.width < large.recipe.network.width
