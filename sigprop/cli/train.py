"""``sigprop train``: training of a network on a task."""

import math
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import typer
from rich.table import Table

from sigprop.cli.console import console, plain_errors, show_table
from sigprop.cli.pictures import NoFigures, picture
from sigprop.cli.progress import changes, shown_training
from sigprop.numerics.programs import keep_for_user

Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the task's files. Default: the task's folder below the folder that the "
        "environment variable SIGPROP_DATA names."
    ),
]
TaskData = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the task's files. Default: a folder below SIGPROP_DATA. For "
        "forecast: a table (ETTh1, WTH, ..., co2) or a .csv."
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        help="Folder for converted copies of large data. Default: the user's cache."
    ),
]


PANEL = "Forecasts"


def train(
    task: Annotated[
        str,
        typer.Argument(help="Name of a task, e.g. digits, listops-short or forecast."),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="lru, rotrnn, blur, or a layer, e.g. ssd, mamba3 or linoss; for forecast "
            "also s4, gru, lstm."
        ),
    ] = "lru",
    preset: Annotated[
        str, typer.Option(help="quick (two cores) or paper (full size).")
    ] = "quick",
    seeds: Annotated[
        int, typer.Option(help="Number of trainings, with successive seeds.")
    ] = 1,
    seed: Annotated[
        int, typer.Option(help="First seed. For digits it also selects the test fold.")
    ] = 0,
    data: TaskData = None,
    cache: Cache = None,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder of the trainings. Repeat the command to resume them."
        ),
    ] = Path("runs"),
    steps: Annotated[
        int | None,
        typer.Option(help="Number of training steps. Default: the preset's."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Peak learning rate. Default: the preset's.")
    ] = None,
    matmul: Annotated[
        str,
        typer.Option(
            help="Precision of matrix products on a GPU: float32 or bfloat16."
        ),
    ] = "float32",
    no_figures: NoFigures = False,
    horizon: Annotated[
        int | None,
        typer.Option(
            help="Forecast: number of rows to predict. Default: 24.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(
            help="Forecast: number of input rows. Default: the horizon.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    univariate: Annotated[
        str | None,
        typer.Option(help="Forecast: use this column only.", rich_help_panel=PANEL),
    ] = None,
    calendar: Annotated[
        bool,
        typer.Option(
            "--calendar",
            help="Add hour, day and month to the inputs.",
            rich_help_panel=PANEL,
        ),
    ] = False,
    head: Annotated[
        str,
        typer.Option(
            help="Forecast: 'direct' predicts all rows at once, 'steps' one after the other.",
            rich_help_panel=PANEL,
        ),
    ] = "direct",
    centre: Annotated[
        str | None,
        typer.Option(
            help="What to subtract from each window: last, mean or none.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    channels: Annotated[
        str | None,
        typer.Option(
            help="mixed: one network for all columns; each: one for each column.",
            rich_help_panel=PANEL,
        ),
    ] = None,
) -> None:
    """Train networks on a task; resume after an interruption.

    Each network is tested at the step with the best validation score. The picture
    curves.png shows the training curves of all finished seeds. For forecasts,
    forecasts.png shows the time series, intervals and errors.
    """
    with plain_errors("repeat the command to resume from the last checkpoint", out):
        keep_for_user()
        from sigprop.cli.forecast import Asked, train_forecasts
        from sigprop.numerics.files import require_folder
        from sigprop.numerics.seeds import require_seed
        from sigprop.training.presets import altered
        from sigprop.training.presets import preset as chosen
        from sigprop.training.runs import Job

        require_seed(seed, seeds)
        require_folder(out)
        options = Asked(horizon, length, univariate, calendar, head, centre, channels)
        if task == "forecast":
            train_forecasts(
                options,
                data="co2" if data is None else str(data),
                model=model,
                preset=preset,
                seeds=range(seed, seed + seeds),
                out=out,
                steps=steps,
                rate=rate,
                matmul=matmul,
                figures=not no_figures,
            )
            return
        options.require_none(task)
        out_console, folder = console(), out / f"{task}-{model}-{preset}"
        scores, job = [], None
        for run_seed in range(seed, seed + seeds):
            examples = examples_of(task, data, cache, run_seed)
            recipe = altered(chosen(task, model, preset, examples), steps, rate, matmul)
            job = Job(task, model, preset, run_seed, recipe)
            scores.append(_once(job, examples, folder / f"seed-{run_seed}"))
        _print_scores(out_console, scores)
        if not no_figures:

            def draw() -> Any:
                from sigprop.figures import training
                from sigprop.training.curves import curves

                title = f"{task}, {model}, preset {preset}"
                title += changes(steps, rate, matmul)
                return training.draw(curves(folder, job), title)

            picture(folder / "curves.png", draw, out_console)


def _once(job: Any, examples: Any, folder: Path) -> dict[str, Any]:
    from sigprop.training.runs import run

    shown = f"{job.task} {job.model} seed {job.seed}"
    with shown_training(shown, job.recipe, folder) as (progress, _):
        result = run(job, examples, folder, progress=progress)
    return {"seed": job.seed, "folder": str(folder), **result}


def examples_of(task: str, data: Path | None, cache: Path | None, seed: int) -> Any:
    """A task's examples, from the user's folders or their usual places."""
    import platformdirs

    from sigprop.tasks.catalogue import load_task

    packed = cache or platformdirs.user_cache_path("sigprop")
    return load_task(task, data, cache=packed, seed=seed, progress=console().print)


def _print_scores(out: Any, scores: list[dict[str, Any]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("seed", "test accuracy", "validation", "best step", "parameters"):
        table.add_column(column, justify="right")
    table.add_column("folder", overflow="fold")
    for score in scores:
        table.add_row(
            str(score["seed"]),
            f"{score['test_accuracy']:.4f}",
            f"{score['validation_accuracy']:.4f}",
            str(score["best_step"]),
            f"{score['parameters']:,}",
            score["folder"],
        )
    show_table(out, table)
    values = [score["test_accuracy"] for score in scores]
    if len(values) > 1:
        mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
        out.print(f"test accuracy {mean:.4f}, standard error {error:.4f}")
