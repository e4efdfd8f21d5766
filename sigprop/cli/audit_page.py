"""``sigprop audit --html`` of a training: a page with pictures, findings and tables."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.table import Table

from sigprop.cli.help import version
from sigprop.cli.pictures import layers_drawn, undrawn_reported


def write_page(
    html: Path,
    training: str,
    moments: Any,
    findings: Iterable[str],
    tables: Iterable[Table],
    draws: Iterable[Callable[[], Any]],
    figures: bool,
) -> None:
    """Write the page, without pictures if they cannot be drawn.

    Args:
        html: File for the page.
        training: Description of the trained network and the part of the data.
        moments: Moments of ``sigprop.audit.network.audit``.
        findings: Findings in sentences.
        tables: Tables as the command prints them.
        draws: Functions that make the Matplotlib figures of the moments.
        figures: False for a page without pictures.
    """
    from sigprop.audit.summary import reading
    from sigprop.ledger.training import render
    from sigprop.numerics.files import write_text

    names, modes = _modes(moments)
    length = round(float(moments.attrs["mean_length"]))
    page = render(
        training,
        findings,
        [_content(table) for table in tables],
        reading(moments),
        version(),
        layers_drawn(names, modes, length, figures),
        list(_moments(draws)) if figures else [],
    )
    write_text(html, page)


def _modes(moments: Any) -> tuple[list[str], list[Any]]:
    """Names and modes of the recurrences with known eigenvalues."""
    import numpy as np

    from sigprop.audit.lint.picture_data import chosen
    from sigprop.networks.foreign import Rest

    names, modes = [], []
    for name in moments["recurrence"].values:
        row = moments.sel(recurrence=name)
        lam = row["lam_re"].values + 1j * row["lam_im"].values
        lam = lam[np.isfinite(lam)]
        if lam.size:
            real = bool(np.all((lam.imag == 0) & (lam.real >= 0)))
            with np.errstate(divide="ignore"):
                nu = -np.log(np.abs(lam))[None]
            names.append(str(name))
            modes.append(chosen(Rest(nu, None if real else np.angle(lam)[None])))
    return names, modes


def _moments(draws: Iterable[Callable[[], Any]]) -> Iterable[tuple[str, str]]:
    """Inline SVG of each figure, and its caption."""
    for index, draw in enumerate(draws):
        with undrawn_reported("a picture of the page"):
            from sigprop.figures import inline, style

            figure = draw()
            caption = style.notes(figure)
            style.hide_notes(figure)
            title = figure.get_suptitle()
            yield inline.svg(figure, f"moments{index}", title or "Moments"), caption


def _content(table: Table) -> dict[str, Any]:
    """Headers and cells of a table as text."""
    heads = [
        {"text": str(column.header), "number": column.justify == "right"}
        for column in table.columns
    ]
    cells = zip(*(map(str, column.cells) for column in table.columns), strict=True)
    rows = [row for row in cells if any(row)]
    return {"title": str(table.title or ""), "heads": heads, "rows": rows}
