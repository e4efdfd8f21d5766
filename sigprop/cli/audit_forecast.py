"""``sigprop audit`` of a network trained to forecast, on windows of its own series."""

import json as encoder
from pathlib import Path
from typing import Any, NamedTuple

from sigprop.cli.audit_page import write_page
from sigprop.cli.console import console, show_table
from sigprop.cli.pictures import picture


class Asked(NamedTuple):
    """Options of the command."""

    data: Path | None
    part: Any
    windows: int
    out: Path | None
    json: Path | None
    html: Path | None
    figures: bool


def audit_forecast(checkpoint: Path, about: dict[str, Any], options: Asked) -> None:
    """Audit a forecaster: moments, power by position, assumptions, loss by merging.

    Raises:
        ValueError: If the series is not that of the training, or has too few windows.
    """
    from rich.progress import track

    from sigprop.audit.forecaster import audit_forecaster
    from sigprop.audit.forecaster_summary import conclusions, rows, tables
    from sigprop.audit.network import audit
    from sigprop.audit.summary import TOLERANCE, conclusion, table, with_summary
    from sigprop.audit.windows import blocks_of
    from sigprop.networks.forecaster import Head
    from sigprop.networks.network import Network
    from sigprop.numerics.files import unfinished, write_text
    from sigprop.training.runs import trained
    from sigprop.training.segments import untrained

    task = task_of(about, options.data)
    head = Head(**about["recipe"]["head"])
    network, state = trained(checkpoint)
    assert isinstance(network, Network)  # a forecast reads one sequence
    blocks = blocks_of(task, head, options.part, options.windows)
    out = console(options.json, options.html)
    batches = [block.batch for block in blocks]
    shown = track(batches, "batches", console=out, transient=True)
    before = untrained(network.config, about["seed"])
    moments = audit(network, state, list(shown), untrained=before)
    dataset = audit_forecaster(network, state, blocks, task.table.step.season)
    show_table(out, table(moments), keys=2)
    out.print(conclusion(moments))
    for numbers in tables(dataset):
        show_table(out, numbers, keys=1)
    for line in conclusions(dataset):
        out.print(line)
    if options.out is not None:
        with unfinished(options.out) as partial:
            moments.to_netcdf(partial, engine="h5netcdf")
        out.print(str(options.out), soft_wrap=True)
    if options.json is not None:
        content = {"about": {**dataset.attrs, "part": options.part}, **rows(dataset)}
        write_text(options.json, encoder.dumps(content, indent=2) + "\n")
    title = "{data[table]}, {model}, {preset}, seed {seed}".format(**about)
    title = f"{title}: {options.part}"

    def by_mode() -> Any:
        from sigprop.figures import audits

        return audits.draw(with_summary(moments), title)

    def by_position() -> Any:
        from sigprop.figures import positions

        return positions.draw(dataset, title, TOLERANCE)

    if options.html is not None:
        write_page(
            options.html,
            title,
            moments,
            [conclusion(moments), *conclusions(dataset)],
            [table(moments), *tables(dataset)],
            [by_mode, by_position],
            figures=options.figures,
        )
        if options.html != Path("-"):
            out.print(str(options.html), soft_wrap=True)
    if options.figures:
        file = (options.out or checkpoint / "audit").with_suffix(".png")
        picture(file, by_mode, out)
        picture(file.with_stem(f"{file.stem}-positions"), by_position, out)


def task_of(about: dict[str, Any], data: Path | None) -> Any:
    """The series of a training, found by its name or at the path of ``--data``.

    Raises:
        FileNotFoundError: If the file does not exist.
        ValueError: If it is another series.
    """
    from sigprop.tasks.forecasts import Forecasts, Rows
    from sigprop.tasks.tables import FILES, load_table

    known = about["data"]
    name = str(known["table"])
    stem = name.removesuffix(".csv")
    if data is None and stem != "co2" and stem not in FILES:
        raise ValueError(
            f"need --data with the series of this training, {name}: it is none that has a "
            "name of its own"
        )
    table = load_table(stem if data is None else str(data))
    chosen = known["features"]
    lacking = [feature for feature in chosen if feature not in table.features]
    if lacking:
        raise ValueError(
            f"need the series of this training, {name}, with a column {lacking[0]!r}, got "
            f"{', '.join(table.features)}"
        )
    task = Forecasts(
        *(table, known["length"], known["horizon"]),
        univariate=chosen[0] if len(chosen) < len(table.features) else None,
        calendar=known["calendar"],
        rows={part: Rows(*rows) for part, rows in known["split"].items()},
    )
    for key in ("rows", "checksums", "features"):
        if task.about()[key] != known[key]:
            raise ValueError(
                f"need the series of this training, {name} of {known['rows']} rows, got "
                f"{table.name} of {len(table.values)} with other {key}; give the same "
                "file as --data"
            )
    return task
