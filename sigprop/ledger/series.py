"""The audit of a series as one page that loads nothing: its table and its picture."""

from collections.abc import Iterable, Sequence

from sigprop.ledger.report import environment


def render(
    file: str,
    conclusion: str,
    notes: Iterable[str],
    table: Sequence[Sequence[str]],
    reading: Iterable[str],
    picture: str = "",
    caption: str = "",
) -> str:
    """The page.

    Args:
        file: Name of the series.
        conclusion: What the moments say, in a sentence.
        notes: What was done to the series.
        table: The heads of the columns, then the rows.
        reading: How to read the columns.
        picture: Inline SVG, or empty.
        caption: Caption of the picture.
    """
    heads, *rows = table
    return (
        environment()
        .get_template("series.html.j2")
        .render(
            file=file,
            conclusion=conclusion,
            notes=list(notes),
            heads=heads,
            rows=rows,
            reading=list(reading),
            picture=picture,
            caption=caption,
        )
    )
