"""``sigprop advise``: recommended initialisation of a layer, and predictions."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import console, plain_errors, require_distinct, show_table
from sigprop.cli.help import JSON_HELP
from sigprop.cli.pictures import picture, require_png
from sigprop.numerics.programs import keep_for_user

WINDOW = 2048  # largest number of steps in a window of a series


def advise(
    length: Annotated[int, typer.Option(help="Steps of your sequences.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Your time series, .npy or .csv, from which the autocovariance is estimated."
        ),
    ] = None,
    rho: Annotated[
        float | None,
        typer.Option(
            help="Correlation of successive inputs, with autocovariance rho**|lag|. "
            "Default: 0, white noise."
        ),
    ] = None,
    state: Annotated[
        int | None,
        typer.Option(
            help="States of the layer: complex ones of lru, s4d (of a channel) and s5; real "
            "ones of mamba (of a channel). Default: 256 for lru, rotrnn and rglru, 32 for "
            "s4d (d_state=64), 128 for s5 (ssm_size_base=256), 16 for mamba."
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            help="Inputs of the layer (d_model). Default: 256. An rglru has one state for "
            "each."
        ),
    ] = None,
    layer: Annotated[
        str, typer.Option(help="Layer: lru, rotrnn, s4d, s5, rglru or mamba.")
    ] = "lru",
    memory: Annotated[
        float | None,
        typer.Option(
            help="Longest time constant in steps. Default: the sequence length."
        ),
    ] = None,
    phases: Annotated[
        str,
        typer.Option(
            help="Where phases are sampled. 'input': up to the highest frequency of the input; "
            "'all': up to pi; 'spread': half of the modes as 'input', half as 'all'."
        ),
    ] = "spread",
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the comparison to this .png file.")
    ] = None,
) -> None:
    """Recommend an initialisation for a sequence length.

    Closed forms give the moduli, phases, step sizes and normalisation of the layer. The
    output compares states, gradients and largest stable learning rates with the default,
    and ends with code for several libraries.
    """
    with plain_errors("nothing was written", json, figure):
        keep_for_user()
        import json as encoder

        from sigprop.advice import summary
        from sigprop.advice.advise import advise as advised
        from sigprop.advice.spectra import exponential, of_series
        from sigprop.audit.series import load_series
        from sigprop.numerics.files import require_writable, write_text

        if data is not None and rho is not None:
            raise ValueError(
                f"need one input, got --data {data} and --rho {rho}; leave one out"
            )
        require_png(figure)
        require_distinct(data=data, json=json, figure=figure)
        for path in (json, figure):
            if path is not None:
                require_writable(path)
        out = console(json)
        with out.status("predicting the default and the advised layer") as stage:
            if data is None:
                spectrum = exponential(rho or 0.0)
            else:
                predicting = stage.status
                stage.update(f"reading {data.name}")
                series = load_series(data, min(length, WINDOW))
                sequences, steps, features = series.values.shape
                stage.update(
                    f"measuring the autocovariance of {features} features in {sequences} "
                    f"windows of {steps} steps"
                )
                spectrum, how = of_series(series)
                for line in (*series.notes, how, ""):
                    out.print(line)
                stage.update(predicting)
            recommendation = advised(
                layer,
                length=length,
                state=state,
                width=width,
                spectrum=spectrum,
                memory=memory,
                phases=phases,
            )
        out.print(summary.heading(recommendation))
        out.print()
        show_table(out, summary.table(recommendation), keys=2)
        out.print()
        for line in summary.sentences(recommendation):
            out.print(line)
        for library, text in recommendation.code.items():
            out.print(f"\n{library}:\n{text}", soft_wrap=True, markup=False)
        if json is not None:
            write_text(
                json, encoder.dumps(summary.as_json(recommendation), indent=2) + "\n"
            )
        if figure is not None:

            def draw() -> Any:
                from sigprop.figures import advice

                sizes = f"{recommendation.state} states, width {recommendation.width}"
                title = f"{layer}, {sizes}, sequences of {length} steps"
                return advice.draw(summary.as_dataset(recommendation), title)

            picture(figure, draw, out)
