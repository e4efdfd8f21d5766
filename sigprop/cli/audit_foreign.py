"""``sigprop audit FILE --data SERIES``: audit of a foreign checkpoint."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from sigprop.cli.console import console, require_distinct, require_pages, show_table
from sigprop.cli.help import version
from sigprop.cli.pictures import undrawn_reported

GATED = 16  # most neurons run in a gated layer, whose theory is slower


@dataclass(frozen=True)
class Wanted:
    """Options of the audit of a file.

    Attributes:
        data: The series.
        window: Steps per window.
        through: Name of the matrix that maps features to channels.
        mapping: File that names the arrays of the layers.
        modes: Number of modes to run in each layer.
        json: File for the numbers.
        html: File for the page.
        figures: True if the page has pictures.
    """

    data: Path | None
    window: int
    through: str | None
    mapping: Path | None
    modes: int
    json: Path | None
    html: Path | None
    figures: bool


def is_foreign(path: Path) -> bool:
    """Return True for a checkpoint of another library: a file, or a folder with one.

    Args:
        path: A file, or a folder; it can also be the folder of a training of sigprop.
    """
    from sigprop.training.runs import ABOUT

    kinds = ("*.safetensors", "*.safetensors.index.json", "*.npz", "*.msgpack")
    has_file = (
        any(next(path.glob(kind), None) for kind in kinds) if path.is_dir() else False
    )
    return path.is_file() or (has_file and not (path / ABOUT).is_file())


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
    checked = audit_checkpoint(
        open_checkpoint(checkpoint),
        series,
        str(data),
        Limits(modes=wanted.modes, gated=min(wanted.modes, GATED)),
        mapping=wanted.mapping,
        through=wanted.through,
        shown=lambda layers: _shown(layers, "layers", out),
    )
    out.print(report.READING)
    for layer in checked.layers:
        out.print(f"{layer.layer}, {layer.family}, {layer.kind}", style="bold")
        if layer.moments:
            show_table(out, report.table(layer))
        out.print(f"margin: {report.margin_sentence(layer.margin)}", soft_wrap=True)
        out.print(f"Hessian's trace: {report.trace_sentence(layer)}", soft_wrap=True)
        for note in (f"inputs: {layer.inputs}", *layer.notes):
            out.print(f"note: {note}", soft_wrap=True)
    out.print(report.conclusion(checked))
    told_of = report.as_json(checked, version())
    if json is not None:
        write_text(json, encoder.dumps(told_of, indent=2, allow_nan=False) + "\n")
    if html is not None:
        _write_page(html, told_of, wanted.figures, out)


def _shown(items: Any, subject: str, out: Console) -> Iterator[Any]:
    """Yield items, and show the progress in a line."""
    from rich.progress import track

    yield from track(items, subject, console=out, transient=True)


def _write_page(
    html: Path, content: dict[str, Any], figures: bool, out: Console
) -> None:
    from sigprop.ledger import checkpoint

    pictures = None
    if figures:
        with undrawn_reported("the pictures", "were"):
            pictures = _pictures(content, out)
    checkpoint.write(html, content, pictures)
    if html != Path("-"):
        out.print(str(html), soft_wrap=True)


def _pictures(content: dict[str, Any], out: Console) -> Any:
    """Inline SVG of all layers."""
    from sigprop.audit.foreign import picture_data
    from sigprop.figures import checkpoints, inline
    from sigprop.ledger.checkpoint import Pictures

    of_all = inline.svg(
        checkpoints.draw_margins(picture_data.margins(content)),
        "margins",
        picture_data.margins_label(content),
    )
    each = []
    for index, layer in enumerate(_shown(content["layers"], "pictures", out)):
        if not layer["moments"]:
            each.append(())
            continue
        data, labels = picture_data.dataset(layer, content), picture_data.labels(layer)
        each.append(
            tuple(
                inline.svg(
                    checkpoints.draw(data, panel), f"p{index}-{panel}", labels[panel]
                )
                for panel in checkpoints.PANELS
            )
        )
    return Pictures(of_all, tuple(each))
