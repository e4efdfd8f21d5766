"""``sigprop audit``: moments of a trained network, measured and predicted."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.audit_forecast import Asked, audit_forecast
from sigprop.cli.audit_foreign import Wanted, audit_foreign, is_foreign
from sigprop.cli.audit_page import write_page
from sigprop.cli.console import (
    console,
    plain_errors,
    require_distinct,
    require_pages,
    show_table,
)
from sigprop.cli.help import MAPPING_HELP
from sigprop.cli.pictures import NoFigures, picture
from sigprop.cli.train import Cache, Data, examples_of
from sigprop.numerics.programs import keep_for_user

PART, EXAMPLES, BATCH, WINDOW, MODES = "test", 128, 8, 512, 64  # defaults


def audit(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            help="Folder of a finished training, or a checkpoint of another library."
        ),
    ],
    data: Data = None,
    cache: Cache = None,
    part: Annotated[
        str, typer.Option(help="Which data: train, validation or test.")
    ] = PART,
    examples: Annotated[int, typer.Option(help="Number of examples.")] = EXAMPLES,
    batch: Annotated[int, typer.Option(help="Examples per batch.")] = BATCH,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the numbers of every mode to this .nc file."),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            help="Write the numbers as JSON to this file, or print them if the name is '-' "
            "(forecasts and other libraries)."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write a page with pictures to this file, or print it if the name is '-'."
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(
            help="Steps of each window cut from a single series (other libraries)."
        ),
    ] = WINDOW,
    through: Annotated[
        str | None,
        typer.Option(help="Tensor that projects the series first (other libraries)."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help=MAPPING_HELP),
    ] = None,
    modes: Annotated[
        int, typer.Option(help="Number of modes per layer (other libraries).")
    ] = MODES,
    no_figures: NoFigures = False,
) -> None:
    """Compare each layer of a trained network with the theory.

    A picture shows the ratios of measured to predicted moments: beside --out, or as
    audit.png in the folder of the checkpoint.

    For a forecasting network, --examples are windows of its series. The audit also
    tests the assumptions of the theory, measures the state at each position of a
    window, and the loss from merging both directions.

    For a checkpoint of another library, --data is a time series (.csv or .npy). The
    audit runs modes of each layer on it, from the slowest to the fastest, and reports
    the trace of the Hessian and the distance to |lam| = 1.
    """
    with plain_errors("nothing was written", checkpoint, out, json, html):
        keep_for_user()
        if is_foreign(checkpoint):
            if out is not None:
                raise ValueError(
                    f"need --json or --html for {checkpoint}, got --out {out}; "
                    "--out is for trainings"
                )
            for name, value, unless in (
                ("part", part, PART),
                ("examples", examples, EXAMPLES),
                ("batch", batch, BATCH),
            ):
                if value != unless:
                    raise ValueError(
                        f"need no --{name} for {checkpoint}, got {value}; it is for "
                        "trainings"
                    )
            wanted = Wanted(
                data, window, through, mapping, modes, json, html, not no_figures
            )
            audit_foreign(checkpoint, wanted)
            return
        of_files = (through, mapping, window, modes)
        if of_files != (None, None, WINDOW, MODES):
            raise ValueError(
                "need a checkpoint of another library for --through, --mapping, --window "
                f"and --modes, got {checkpoint}"
            )
        import numpy as np
        from rich.progress import track

        from sigprop.audit.network import audit as measured
        from sigprop.audit.summary import conclusion, table, with_summary
        from sigprop.numerics.files import require_writable, unfinished
        from sigprop.tasks.examples import evaluation_batches
        from sigprop.training.runs import read_about, trained
        from sigprop.training.segments import untrained

        parts = ("train", "validation", "test")
        if part not in parts:
            raise ValueError(f"need --part in {', '.join(parts)}, got {part!r}")
        if not 2 <= 2 * batch <= examples:
            raise ValueError(
                "need two batches at least, --examples of twice --batch or more, got "
                f"{examples} and {batch}"
            )
        file = (out or checkpoint / "audit").with_suffix(".png")
        pictured = None if no_figures else file
        require_distinct(out=out, json=json, html=html, figure=pictured)
        if html is not None:
            require_pages("--html")
        if out is not None:
            require_writable(out, text=False)
        for asked in (json, html):
            if asked is not None:
                require_writable(asked)
        about, shown = read_about(checkpoint), console(html)
        if about["task"] == "forecast":
            options = Asked(data, part, examples, out, json, html, not no_figures)
            audit_forecast(checkpoint, about, options)
            return
        if json is not None:
            raise ValueError(
                f"need a training to forecast for --json, got {about['task']}; use --out"
            )
        network, state = trained(checkpoint)
        split = getattr(examples_of(about["task"], data, cache, about["seed"]), part)
        chosen = split.subset(np.arange(min(examples, len(split))))
        batches = list(evaluation_batches(chosen, batch))
        moments = measured(
            network,
            state,
            track(batches, "batches", console=shown, transient=True),
            untrained=untrained(network.config, about["seed"]),
        )
        show_table(shown, table(moments), keys=2)
        shown.print(conclusion(moments))
        if out is not None:
            with unfinished(out) as partial:
                moments.to_netcdf(partial, engine="h5netcdf")
            shown.print(str(out), soft_wrap=True)
        title = "{task}, {model}, {preset}, seed {seed}".format(**about)

        def draw() -> Any:
            from sigprop.figures import audits

            return audits.draw(with_summary(moments), f"{title}: {part}")

        if not no_figures:
            picture(file, draw, shown)
        if html is not None:
            words, numbers = [conclusion(moments)], [table(moments)]
            page = (html, f"{title}: {part}", moments, words, numbers, [draw])
            write_page(*page, figures=not no_figures)
            if html != Path("-"):
                shown.print(str(html), soft_wrap=True)
