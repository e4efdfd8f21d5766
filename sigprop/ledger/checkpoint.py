"""The audit of a checkpoint as one self-contained page, made from its JSON.

The caller draws the pictures and passes them as SVG.  Every number is from the JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sigprop.ledger.addresses import slug
from sigprop.ledger.report import environment
from sigprop.numerics.files import write_text

DIGITS = 4
NONE = "–"


@dataclass(frozen=True)
class Pictures:
    """Inline SVG of an audit; without it the page has only text and numbers.

    Attributes:
        margins: Margins of all layers.
        layers: Picture of each layer, in the order of the layers.
    """

    margins: str = ""
    layers: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class _Section:
    """A layer, its address on the page and its pictures."""

    layer: Mapping[str, Any]
    anchor: str
    pictures: tuple[str, ...] = field(default=())


def shown(value: float | int | None) -> str:
    """A number of the JSON as the page shows it.

    Example:
        >>> shown(0.000123456), shown(-2.0), shown(None), shown(16)
        ('0.0001235', '−2', '–', '16')
    """
    if value is None:
        return NONE
    text = str(value) if isinstance(value, int) else f"{value:.{DIGITS}g}"
    return text.replace("-", "−")


def render(audit: Mapping[str, Any], pictures: Pictures | None = None) -> str:
    """The page as HTML.

    Args:
        audit: Audit of ``sigprop.audit.foreign.report.as_json``.
        pictures: Pictures of the audit.
    """
    svgs = Pictures() if pictures is None else pictures
    layers = audit["layers"]
    each = svgs.layers or ((),) * len(layers)
    sections = [
        _Section(layer, f"layer-{index}-{slug(layer['layer'])}", those)
        for index, (layer, those) in enumerate(zip(layers, each, strict=True))
    ]
    env = environment()
    env.filters["shown"] = shown
    page = env.get_template("checkpoint.html.j2")
    return page.render(audit=audit, sections=sections, margins=svgs.margins)


def write(
    path: Path, audit: Mapping[str, Any], pictures: Pictures | None = None
) -> None:
    """Write the complete page, or keep the old file.

    Raises:
        OSError: If the page cannot be written; the old file is unchanged.
        ValueError: If ``path`` is a folder, a device or a pipe.
    """
    write_text(path, render(audit, pictures))
