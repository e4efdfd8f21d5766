"""``sigprop train forecast``: networks that forecast a table."""

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from rich.table import Table

from sigprop.cli.console import console, show_table
from sigprop.cli.pictures import picture
from sigprop.cli.progress import changes, shown_training


class Asked(NamedTuple):
    """Options of the command that only apply to forecasts."""

    horizon: int | None
    length: int | None
    univariate: str | None
    calendar: bool
    head: str
    centre: str | None
    channels: str | None

    def require_none(self, task: str) -> None:
        """Refuse these options for any other task.

        Raises:
            ValueError: If any was given; names the options.
        """
        options = [
            f"--{name}"
            for name, value in self._asdict().items()
            if value not in (None, False, "direct")
        ]
        if options:
            raise ValueError(
                f"need the task forecast for {', '.join(options)}, got {task!r}"
            )


def train_forecasts(
    options: Asked,
    *,
    data: str,
    model: str,
    preset: str,
    seeds: range,
    out: Path,
    steps: int | None,
    rate: float | None,
    matmul: str,
    figures: bool,
) -> None:
    """Train a model from each seed, and print its errors beside those of baselines."""
    from sigprop.tasks.forecasts import Forecasts
    from sigprop.tasks.tables import load_table
    from sigprop.training.forecast_presets import forecast_preset
    from sigprop.training.forecast_results import controls
    from sigprop.training.forecast_runs import ForecastJob, gathered, run_folder
    from sigprop.training.presets import altered

    horizon = 24 if options.horizon is None else options.horizon
    length = horizon if options.length is None else options.length
    task = Forecasts(
        *(load_table(data), length, horizon, options.univariate, options.calendar)
    )
    chosen = forecast_preset(
        *(model, preset, task),
        kind=options.head,
        centre=options.centre,
        channels=options.channels,
    )
    recipe = altered(chosen, steps, rate, matmul)
    folder = run_folder(out, task, model, preset, options.head)
    shown = console()
    jobs = [
        ForecastJob("forecast", model, preset, seed, recipe, task.about())
        for seed in seeds
    ]
    scores = [_once(job, task, folder / f"seed-{job.seed}") for job in jobs]
    show_table(shown, _seeds(scores))
    dataset = gathered(folder, jobs[0])
    _print_errors(shown, model, scores, dataset, controls(task), task)
    if figures:

        def draw() -> Any:
            from sigprop.figures import forecasts

            title = f"{task.table.name}, horizon {horizon}, {model}, preset {preset}"
            return forecasts.draw(dataset, title + changes(steps, rate, matmul))

        picture(folder / "forecasts.png", draw, shown)


def _once(job: Any, task: Any, folder: Path) -> dict[str, Any]:
    from sigprop.training.forecast_runs import run

    shown = f"forecast {job.model} seed {job.seed}"
    with shown_training(shown, job.recipe, folder) as (progress, tell):
        result = run(job, task, folder, progress=progress, on_stage=tell)
    return {"seed": job.seed, "folder": str(folder), **result}


def _seeds(scores: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("seed", "test MSE", "test MAE", "validation MSE", "best step")
    for column in (*columns, "parameters", "seconds"):
        table.add_column(column, justify="right")
    table.add_column("folder", overflow="fold")
    for score in scores:
        table.add_row(
            str(score["seed"]),
            *(f"{score[name]:.4f}" for name in ("test_mse", "test_mae")),
            f"{score['validation_mse']:.4f}",
            str(score["best_step"]),
            f"{score['parameters']:,}",
            f"{score['seconds']:.0f}",
            score["folder"],
        )
    return table


def _print_errors(
    out: Any,
    model: str,
    scores: list[dict[str, Any]],
    dataset: Any,
    known: Mapping[str, Any],
    task: Any,
) -> None:
    """Print errors in scaled units: of the model, of others, by feature and by step."""
    table = Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        title="test errors, scaled units",
        title_justify="left",
    )
    table.add_column("forecast", no_wrap=True)
    for column in ("MSE", "MAE", "MSE / linear"):
        table.add_column(column, justify="right")
    linear = known["linear"]

    def row(name: str, mse: float, mae: float, remark: str = "") -> None:
        ratio = f"{mse / linear.mse:.3f}" if linear else ""
        table.add_row(name, f"{mse:.4f}{remark}", f"{mae:.4f}", ratio)

    errors = [score["test_mse"] for score in scores]
    spread = stdev(errors) / math.sqrt(len(errors)) if len(errors) > 1 else None
    row(
        model,
        fmean(errors),
        fmean(score["test_mae"] for score in scores),
        "" if spread is None else f" ± {spread:.4f}",
    )
    for name, control in known.items():
        if control is None:
            table.add_row(name, "-", "-", "")
        else:
            row(name, control.mse, control.mae)
    for name, cell in printed(task).items():
        row(f"{name}, printed", cell.mse, cell.mae)
    show_table(out, table)
    means = dataset["mse"].sel(forecaster="model").mean("seed")
    by_feature = means.mean("step")
    own = (
        dataset["mae"].sel(forecaster="model").mean(("seed", "step")) * dataset["scale"]
    )
    shares = dataset["coverage"].mean("step")
    show_table(
        out,
        _by(
            "feature",
            dataset["feature"].values,
            {
                "MSE": by_feature.values,
                "MAE, own units": own.values,
                "inside the 90 % interval": shares.values,
            },
        ),
    )
    steps = sorted({1, dataset.sizes["step"] // 2 or 1, dataset.sizes["step"]})
    chosen = means.mean("feature").sel(step=steps).values
    others = {
        str(name): dataset["mse"]
        .sel(forecaster=name)
        .isel(seed=0)
        .mean("feature")
        .sel(step=steps)
        .values
        for name in dataset["forecaster"].values
        if name != "model"
    }
    show_table(out, _by("step", steps, {model: chosen, **others}))


def printed(task: Any) -> dict[str, Any]:
    """Errors that BLUR's paper prints for a task, by method; empty for other tasks.

    The paper uses all features, windows as long as the horizon, and no calendar.

    Source: BLUR (2025), Tables 8 and 12.
    """
    from sigprop.evidence.blur.reproductions import NAMES
    from sigprop.theory.papers.blur.printed import errors

    name = NAMES.get(Path(task.table.name).stem)
    if name is None or task.univariate or task.length != task.horizon:
        return {}
    here = name, task.horizon
    return {**errors(8).get(here, {}), **errors(12).get(here, {})}


def _by(head: str, names: Any, columns: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(head, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    for index, name in enumerate(names):
        values = (column[index] for column in columns.values())
        cells = ("-" if math.isnan(value) else f"{value:.4g}" for value in values)
        table.add_row(str(name), *cells)
    return table
