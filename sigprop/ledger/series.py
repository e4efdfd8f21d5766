"""The audit of a series as one self-contained page, with its table and its picture."""

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
    """The page as HTML.

    Args:
        file: Name of the series.
        conclusion: Conclusion from the moments, in a sentence.
        notes: Changes made to the series.
        table: Headers of the columns, then the rows.
        reading: Explanation of the columns.
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
