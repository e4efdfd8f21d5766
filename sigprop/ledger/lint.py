"""The lint of a checkpoint as one page that loads nothing: its JSON made readable.

Pictures are SVG made by the caller, who may know figures; every number is that of the JSON.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sigprop.ledger.addresses import slug
from sigprop.ledger.checkpoint import shown
from sigprop.ledger.layers import Drawn
from sigprop.ledger.report import environment

COMMON = ("severity", "id", "says", "form", "remedy")


def steps(value: float | None) -> str:
    """A time constant; one of the JSON that is ``null`` has no end.

    Example:
        >>> steps(None), steps(1234.56)
        ('∞', '1235')
    """
    return "∞" if value is None else shown(value)


def grouped(findings: list[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Findings of one rule with one reason and one remedy together.

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
    """The page.

    Args:
        report: Of ``sigprop.audit.lint.report.as_json``, and its ``conclusion``, ``notes``
            and ``program``.
        drawn: Pictures of its layers.
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
