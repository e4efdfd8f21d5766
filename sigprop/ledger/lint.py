"""The report of the linter as one self-contained page, made from its JSON.

The caller draws the pictures and passes them as SVG.  Every number is from the JSON.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sigprop.ledger.addresses import slug
from sigprop.ledger.checkpoint import shown
from sigprop.ledger.layers import Drawn
from sigprop.ledger.report import environment

COMMON = ("severity", "id", "says", "form", "remedy")


def steps(value: float | None) -> str:
    """A time constant as text; ``null`` in the JSON means infinity.

    Example:
        >>> steps(None), steps(1234.56)
        ('∞', '1235')
    """
    return "∞" if value is None else shown(value)


def grouped(findings: list[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Findings, grouped by rule, reason and remedy.

    Args:
        findings: Findings of the JSON.
    """
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for finding in findings:
        key = tuple(finding[name] for name in COMMON)
        layers = groups.setdefault(key, [])
        layers.append((finding["layer"], finding["consequence"]))
    for key, layers in groups.items():
        yield dict(zip(COMMON, key, strict=True)) | {"layers": layers}


def render(report: Mapping[str, Any], drawn: Drawn) -> str:
    """The page as HTML.

    Args:
        report: Report of ``sigprop.audit.lint.report.as_json`` with ``conclusion``,
            ``notes`` and ``program``.
        drawn: Pictures of the layers.
    """
    anchors = {
        layer["layer"]: f"layer-{index}-{slug(layer['layer'])}"
        for index, layer in enumerate(report["layers"])
    }
    env = environment()
    env.filters["steps"] = steps
    return env.get_template("lint.html.j2").render(
        lint=report,
        groups=list(grouped(report["findings"])),
        anchors=anchors,
        **drawn._asdict(),
    )
