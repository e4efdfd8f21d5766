"""``sigprop audit``: what theory says of a trained network, and where it fails."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.audit_forecast import Asked, audit_forecast
from sigprop.cli.audit_foreign import Wanted, audit_foreign, is_foreign
from sigprop.cli.console import console, plain_errors, require_distinct, show_table
from sigprop.cli.pictures import NoFigures, picture
from sigprop.cli.train import Cache, Data, examples_of
from sigprop.numerics.programs import keep_for_user

PART, EXAMPLES, BATCH, WINDOW, MODES = "test", 128, 8, 512, 64  # unless given


def audit(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            help="Folder of a finished training, or another library's file or folder."
        ),
    ],
    data: Data = None,
    cache: Cache = None,
    part: Annotated[str, typer.Option(help="train, validation or test.")] = PART,
    examples: Annotated[
        int, typer.Option(help="The first so many of them.")
    ] = EXAMPLES,
    batch: Annotated[int, typer.Option(help="Examples at once.")] = BATCH,
    out: Annotated[
        Path | None, typer.Option(help="Write every mode's numbers here, .nc.")
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(help="Of a forecast or a file: write its numbers here; - prints."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Of a file: write one page with pictures here; - prints it."),
    ] = None,
    window: Annotated[
        int, typer.Option(help="Of a file: steps of each window of a .csv.")
    ] = WINDOW,
    through: Annotated[
        str | None,
        typer.Option(help="Of a file: its matrix that the series goes through first."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help="Of a file: TOML or JSON that names the layers' arrays."),
    ] = None,
    modes: Annotated[
        int, typer.Option(help="Of a file: modes run in a layer.")
    ] = MODES,
    no_figures: NoFigures = False,
) -> None:
    """Hold closed forms against what each layer of a trained network really does.

    The ratios are drawn too: beside --out, or in the checkpoint's folder as audit.png.
    Of a training to forecast --examples are windows of its series: also the assumptions
    that it keeps, state power over the position in a window, and what a merged state
    loses.  Of a file of another library --data is a series, .csv or .npy: modes of each of
    its layers, from the slowest to the fastest, are run over that; also the Hessian's trace,
    the distance to |lam| = 1, and a page with pictures.
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
        of_files = (html, through, mapping, window, modes)
        if of_files != (None, None, None, WINDOW, MODES):
            raise ValueError(
                "need a checkpoint of another library for --html, --through, --mapping, "
                f"--window and --modes, got {checkpoint}"
            )
        import numpy as np
        from rich.progress import track

        from sigprop.audit.network import audit as measured
        from sigprop.audit.summary import conclusion, table, with_summary
        from sigprop.numerics.files import require_writable, unfinished
        from sigprop.tasks.examples import evaluation_batches
        from sigprop.training.runs import read_about, trained

        parts = ("train", "validation", "test")
        if part not in parts:
            raise ValueError(f"need --part in {', '.join(parts)}, got {part!r}")
        if not 2 <= 2 * batch <= examples:
            raise ValueError(
                "need two batches at least, --examples of twice --batch or more, got "
                f"{examples} and {batch}"
            )
        file = (out or checkpoint / "audit").with_suffix(".png")
        written = None if json == Path("-") else json
        require_distinct(out=out, json=written, figure=None if no_figures else file)
        if out is not None:
            require_writable(out, text=False)
        if json is not None:
            require_writable(json)
        about, shown = read_about(checkpoint), console()
        if about["task"] == "forecast":
            asked = Asked(data, part, examples, out, json, not no_figures)
            audit_forecast(checkpoint, about, asked)
            return
        if json is not None:
            raise ValueError(
                f"need a training to forecast for --json, got {about['task']}; use --out"
            )
        network, state = trained(checkpoint)
        held = getattr(examples_of(about["task"], data, cache, about["seed"]), part)
        chosen = held.subset(np.arange(min(examples, len(held))))
        batches = list(evaluation_batches(chosen, batch))
        moments = measured(
            network,
            state,
            track(batches, "batches", console=shown, transient=True),
        )
        show_table(shown, table(moments), keys=2)
        shown.print(conclusion(moments))
        if out is not None:
            with unfinished(out) as partial:
                moments.to_netcdf(partial, engine="h5netcdf")
            shown.print(str(out), soft_wrap=True)
        if not no_figures:

            def drawn() -> Any:
                from sigprop.figures import audits

                title = "{task}, {model}, {preset}, seed {seed}".format(**about)
                return audits.draw(with_summary(moments), f"{title}: {part}")

            picture(file, drawn, shown)
