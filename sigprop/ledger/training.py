"""The audit of a training as one self-contained page, with pictures and tables."""

from collections.abc import Iterable, Mapping
from typing import Any

from sigprop.ledger.layers import Drawn
from sigprop.ledger.report import environment


def render(
    training: str,
    findings: Iterable[str],
    tables: Iterable[Mapping[str, Any]],
    reading: Iterable[str],
    program: str,
    drawn: Drawn,
    moments: Iterable[tuple[str, str]] = (),
) -> str:
    """The page as HTML.

    Args:
        training: Description of the trained network and the part of the data.
        findings: Conclusions from the moments, in sentences.
        tables: Tables, each with a ``title``, ``heads`` and ``rows``.  A header has a
            ``text`` and says if it is of a ``number``.
        reading: Explanation of the columns.
        program: Name and version of the program.
        drawn: Pictures of the layers.
        moments: Inline SVG of the moments, each with its caption.
    """
    page = environment().get_template("training.html.j2")
    return page.render(
        training=training,
        findings=list(findings),
        tables=list(tables),
        reading=list(reading),
        program=program,
        moments=list(moments),
        **drawn._asdict(),
    )
