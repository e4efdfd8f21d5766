"""``sigprop table``: tables of the papers beside measured values."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sigprop.cli.console import console, fits, plain_errors, show_table
from sigprop.cli.pictures import NoFigures, picture

MEASUREMENTS = "measurements"  # name of the table of our own trainings


def tables(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of a table, e.g. lru-7, or measurements. Default: list all tables."
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Size of the measurements: quick or paper (full size).")
    ] = "paper",
    no_figures: NoFigures = False,
) -> None:
    """Print a table of the papers beside measured values.

    A note says where the order of the models differs. The comparable values are drawn
    in the figures folder as table-NAME-PRESET.png. The table measurements lists what our
    own trainings measured, with intervals.
    """
    with plain_errors():
        from sigprop.experiments.tables import OURS, TABLES, content, results, table

        if name is not None:
            name, out = name.casefold(), console()
            if name == MEASUREMENTS:
                _measurements(out, preset)
                return
            rendered = table(name, preset)
            if fits(out, rendered):
                out.print(rendered)
            else:
                _blocks(out, content(name, preset))
            if not no_figures:
                _draw(name, preset, out)
            return
        listed = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("table", "source", "title", "beside it"):
            listed.add_column(column, no_wrap=column == "table")
        for key, published in TABLES.items():
            beside = ", ".join(OURS[study] for study in results(key))
            listed.add_row(key, published.source, published.title, beside)
        listed.add_row(MEASUREMENTS, "our trainings", "Measurements with intervals", "")
        show_table(console(), listed)


def _measurements(out: Console, preset: str) -> None:
    """Print every measurement of our own trainings, with a table for each study.

    Raises:
        ValueError: If the preset is not ``paper``.
    """
    from sigprop.evidence.measurements import HEADS, INTERVAL, groups
    from sigprop.experiments.rows import shipped

    if preset != "paper":
        raise ValueError(f"need the preset paper of {MEASUREMENTS}, got {preset!r}")
    for group in groups(shipped):
        listed = Table(box=None, pad_edge=False, header_style="bold")
        for head in HEADS:
            listed.add_column(head, no_wrap=head != HEADS[0])
        for row in group.rows:
            listed.add_row(*row.cells())
        out.print(Text(f"{group.title} (study {group.study})", "bold"))
        out.print(group.about)
        show_table(out, listed)
        out.print()
    out.print(INTERVAL)


def _blocks(out: Console, filled: Any) -> None:
    """Print a block per column of a ``Content``: name, sizes, and a line per row."""
    out.print(filled.title)
    for number, head in enumerate(filled.heads[1:], start=1):
        name, _, sizes = head.removeprefix("ours:\n").partition("\n")
        ours = "ours: " if head.startswith("ours:") else ""
        out.print()
        out.print(Text(f"{ours}{name}", "bold"))
        if sizes:
            out.print(sizes.replace("\nexamples", " examples").replace("\n", ", "))
        block = Table(box=None, pad_edge=False, show_header=False)
        for justify in ("left", "right"):
            block.add_column(justify=justify, no_wrap=True)
        for row in filled.rows:
            if row[number]:
                block.add_row(Text(row[0]), Text(row[number]))
        out.print(Padding(block, (0, 0, 0, 2), expand=False))
    out.print()
    for note in filled.notes:
        out.print(note)


def _draw(name: str, preset: str, out: Console) -> None:
    """Draw a chart of a table, if our values are comparable with published ones."""
    from sigprop.experiments.charts import chart
    from sigprop.figures import style

    data = chart(name, preset)
    if not data.sizes["column"]:
        return

    def draw() -> Any:
        from sigprop.figures import comparisons

        return comparisons.draw(data, data.attrs["title"])

    picture(style.folder() / f"table-{name}-{preset}.png", draw, out)
