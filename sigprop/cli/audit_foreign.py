"""``sigprop audit FILE --data SERIES``: layers of another library over a series."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from sigprop.cli.console import console, require_distinct, require_pages, show_table
from sigprop.cli.help import version
from sigprop.cli.pictures import told

GATED = 16  # neurons of a layer whose gates are run, at most: their theory takes longer


@dataclass(frozen=True)
class Wanted:
    """What was asked of the audit of a file.

    Attributes:
        data: The series.
        window: Steps of its windows.
        through: Name of the matrix that makes channels of its features.
        mapping: File that names the layers.
        modes: Modes of each layer that are run.
        json: Where the numbers go.
        html: Where the page goes.
        figures: Whether the page has pictures.
    """

    data: Path | None
    window: int
    through: str | None
    mapping: Path | None
    modes: int
    json: Path | None
    html: Path | None
    figures: bool


def is_foreign(place: Path) -> bool:
    """Whether this is a checkpoint of another library: a file, or a folder with one.

    Args:
        place: Which may be the folder of a training of ours too.
    """
    from sigprop.training.runs import ABOUT

    kinds = ("*.safetensors", "*.safetensors.index.json", "*.npz", "*.msgpack")
    held = (
        any(next(place.glob(kind), None) for kind in kinds) if place.is_dir() else False
    )
    return place.is_file() or (held and not (place / ABOUT).is_file())


def audit_foreign(checkpoint: Path, wanted: Wanted) -> None:
    """Print moments, margins and traces of every layer, and write them.

    Raises:
        ValueError: If the series or a layer is missing, or a file cannot be written.
    """
    import json as encoder

    from sigprop.audit.foreign import Limits, audit_checkpoint, report
    from sigprop.audit.series import load_series
    from sigprop.networks.foreign import open_checkpoint
    from sigprop.numerics.files import require_writable, write_text

    data, json, html = wanted.data, wanted.json, wanted.html
    if html is not None:
        require_pages("--html")
    if data is None:
        raise ValueError(
            f"need a series, .csv or .npy, to run the layers of {checkpoint} over, got "
            "none; name it by --data (a folder of a training needs none)"
        )
    printed = {"json": json, "html": html}
    require_distinct(checkpoint=checkpoint, data=data, **printed)
    for path in printed.values():
        if path is not None:
            require_writable(path)
    series = load_series(data, wanted.window)
    out = console(json, html)
    for note in series.notes:
        out.print(f"note: {note}", soft_wrap=True)
    found = audit_checkpoint(
        open_checkpoint(checkpoint),
        series,
        str(data),
        Limits(modes=wanted.modes, gated=min(wanted.modes, GATED)),
        mapping=wanted.mapping,
        through=wanted.through,
        shown=lambda layers: _shown(layers, "layers", out),
    )
    out.print(report.READING)
    for one in found.layers:
        out.print(f"{one.layer}, {one.family}, {one.kind}", style="bold")
        if one.moments:
            show_table(out, report.table(one))
        out.print(f"margin: {report.margin_in_words(one.margin)}", soft_wrap=True)
        out.print(f"Hessian's trace: {report.trace_in_words(one)}", soft_wrap=True)
        for note in (f"inputs: {one.inputs}", *one.notes):
            out.print(f"note: {note}", soft_wrap=True)
    out.print(report.conclusion(found))
    told_of = report.as_json(found, version())
    if json is not None:
        write_text(json, encoder.dumps(told_of, indent=2, allow_nan=False) + "\n")
    if html is not None:
        _write_page(html, told_of, wanted.figures, out)


def _shown(items: Any, what: str, out: Console) -> Iterator[Any]:
    """Items, with a line that says how far the work is."""
    from rich.progress import track

    yield from track(items, what, console=out, transient=True)


def _write_page(html: Path, found: dict[str, Any], figures: bool, out: Console) -> None:
    from sigprop.ledger import checkpoint

    pictures = None
    if figures:
        with told("the pictures", "were"):
            pictures = _pictures(found, out)
    checkpoint.write(html, found, pictures)
    if html != Path("-"):
        out.print(str(html), soft_wrap=True)


def _pictures(found: dict[str, Any], out: Console) -> Any:
    """Inline SVG of all layers."""
    from sigprop.audit.foreign import drawn
    from sigprop.figures import checkpoints, inline
    from sigprop.ledger.checkpoint import Pictures

    of_all = inline.svg(
        checkpoints.draw_margins(drawn.margins(found)),
        "margins",
        drawn.margins_label(found),
    )
    each = []
    for place, layer in enumerate(_shown(found["layers"], "pictures", out)):
        if not layer["moments"]:
            each.append(())
            continue
        data, labels = drawn.dataset(layer, found), drawn.labels(layer)
        each.append(
            tuple(
                inline.svg(
                    checkpoints.draw(data, panel), f"p{place}-{panel}", labels[panel]
                )
                for panel in checkpoints.PANELS
            )
        )
    return Pictures(of_all, tuple(each))
