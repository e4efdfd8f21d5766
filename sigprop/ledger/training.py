"""The audit of a training as one page that loads nothing: its pictures and its tables."""

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
    """The page.

    Args:
        training: What was trained, and the part of the data.
        findings: What the moments say, in sentences.
        tables: Each with a ``title``, ``heads`` (each a ``text`` and whether it is of a
            ``number``) and ``rows``.
        reading: How to read the columns.
        program: What made it.
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
