"""Report of the linter as text, as JSON, and as SARIF 2.1.0 for code hosts."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from sigprop.audit.lint.findings import Finding, Report, TimeConstants
from sigprop.audit.lint.picture_data import decades, line
from sigprop.audit.lint.rules import RULES

MOST = 6  # layers per rule that are reported in full
WIDTH = 16  # letters of a histogram
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def table(report: Report, picture: bool = False) -> Table:
    """Return a table of time constants at zero input, a row per layer.

    Args:
        report: Report that ``lint`` returned.
        picture: True to show a histogram of each layer instead of its shortest time
            constant.
    """
    out = Table(
        title="time constants 1/(1 - |lam|) in steps (gated layers: from the biases alone)",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    length = report.settings.length
    tens = decades([layer.drawn for layer in report.layers], length)
    for head in ("layer", "family"):
        out.add_column(head)
    out.add_column("modes", justify="right")
    if picture:
        out.add_column(f"1 to 1e{tens} steps", width=WIDTH, no_wrap=True)
    heads = ["median", "longest"] if picture else ["shortest", "median", "longest"]
    heads += [] if length is None else [f">= {length}"]
    for head in heads:
        out.add_column(head, justify="right")
    for layer in report.layers:
        numbers = [f"{x:.3g}" for x in _three(layer)]
        if picture:
            numbers[0] = line(layer.drawn.times, WIDTH, tens)
        numbers += [] if layer.beyond is None else [f"{layer.beyond:.0%}"]
        out.add_row(layer.layer, layer.family, str(layer.modes), *numbers)
    return out


def _three(layer: TimeConstants) -> tuple[float, float, float]:
    return layer.shortest, layer.median, layer.longest


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of a text of all findings, grouped by rule."""
    grouped: dict[tuple[str, ...], list[Finding]] = {}
    for finding in report.findings:
        words = (finding.form, finding.remedy)
        key = (finding.severity, finding.rule.id, *words)
        grouped.setdefault(key, []).append(finding)
    for (severity, name, form, remedy), group in grouped.items():
        yield f"{severity} {name}: {group[0].rule.says}"
        # Nothing that was not judged is left out of the list.
        most = len(group) if name == "not-judged" else MOST
        for finding in group[:most]:
            yield f"  {finding.layer}: {finding.consequence}"
        if len(group) > most:
            yield f"  and {len(group) - most} more"
        yield f"  why: {form}"
        yield f"  do: {remedy}"
    yield from notes(report)


def notes(report: Report) -> Iterator[str]:
    """Yield lines on accepted findings and on layers and tensors that were not judged."""
    yield from _accepted(report)
    yield from _at_rest(report)
    yield from _without(report)
    if report.of_optimiser:
        yield (
            f"{_counted(report.of_optimiser, 'tensor')} of an optimiser's state: no layers"
        )


def _accepted(report: Report) -> Iterator[str]:
    """Yield lines on accepted findings, and on acceptances that match no finding."""
    counts: dict[tuple[str, str], int] = {}
    for finding, reason in report.accepted:
        key = (finding.rule.id, reason)
        counts[key] = counts.get(key, 0) + 1
    for (name, reason), number in counts.items():
        yield f"accepted {name}: {_counted(number, 'finding')} ({reason})"
    for unused in report.unused:
        yield f"accepted and not found: {unused}; take it out of the file"


def _at_rest(report: Report) -> Iterator[str]:
    """Yield a line for each family whose decay depends on the inputs."""
    layers: dict[tuple[str, tuple[str, ...]], int] = {}
    for layer in report.layers:
        if layer.moved_by:
            key = (layer.family, layer.moved_by)
            layers[key] = layers.get(key, 0) + 1
    for (family, names), number in layers.items():
        yield (
            f"{family}: {_counted(number, 'layer')} judged at zero input; not judged is "
            f"what inputs do through {', '.join(names)}"
        )


def _without(report: Report) -> Iterator[str]:
    """Yield a line for each kind of layer that stores no decay."""
    kinds: dict[str, tuple[str, int]] = {}
    for named in report.without:
        _, number = kinds.get(named.kind.title, ("", 0))
        kinds[named.kind.title] = (named.kind.reason, number + 1)
    for title, (reason, number) in kinds.items():
        yield f"{title}: {_counted(number, 'layer')} without a verdict, as {reason}"


def conclusion(report: Report) -> str:
    """Count findings by severity, and the tensors that were judged, in one sentence."""
    count = {
        severity: sum(finding.severity == severity for finding in report.findings)
        for severity in ("error", "warning", "note")
    }
    parts = [_counted(number, severity) for severity, number in count.items()]
    if report.accepted:
        parts.append(f"{len(report.accepted)} accepted")
    total = report.judged + len(report.unjudged)
    judged = f"{report.judged} of {_counted(total, 'recurrent tensor')} judged"
    if report.unjudged and not count["error"]:
        parts[0] = "no error in what was judged"
    layers = _counted(len(report.layers), "recurrent layer")
    return f"{layers}: {', '.join(parts)}; {judged}."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values for JSON; an infinite time constant is ``None``."""
    return {
        "checkpoint": report.checkpoint,
        "length": report.settings.length,
        "dtype": report.settings.dtype,
        "layers": [
            {
                "layer": layer.layer,
                "family": layer.family,
                "library": layer.library,
                "modes": layer.modes,
                **_time_constants(_three(layer)),
                "share_beyond_length": layer.beyond,
                "moved_by": list(layer.moved_by),
                "heads": [_time_constants(row) for row in layer.rows],
            }
            for layer in report.layers
        ],
        "findings": [_told(finding) for finding in report.findings],
        "accepted": [
            {**_told(finding), "reason": reason} for finding, reason in report.accepted
        ],
        "accepted_and_not_found": list(report.unused),
        "without_decay": [
            {
                "layer": named.prefix,
                "family": named.kind.title,
                "reason": named.kind.reason,
            }
            for named in report.without
        ],
        "tensors": {"judged": report.judged, "not_judged": list(report.unjudged)},
    }


def _told(finding: Finding) -> dict[str, str]:
    return {
        "id": finding.rule.id,
        "severity": finding.severity,
        "layer": finding.layer,
        "family": finding.family,
        "says": finding.rule.says,
        "consequence": finding.consequence,
        "form": finding.form,
        "remedy": finding.remedy,
    }


def _time_constants(three: tuple[float, float, float]) -> dict[str, float | None]:
    names = ("shortest", "median", "longest")
    values = (x if math.isfinite(x) else None for x in three)
    return dict(zip(names, values, strict=True))


def as_sarif(report: Report, version: str) -> dict[str, Any]:
    """Return the report in the SARIF format, which code hosts show.

    Each rule appears once and each finding is a result.  Accepted findings are suppressed
    results with the reason.

    Args:
        report: Report that ``lint`` returned.
        version: Version of sigprop.
    """
    order = {rule.id: index for index, rule in enumerate(RULES)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sigprop lint",
                        "version": version,
                        "rules": [
                            {
                                "id": rule.id,
                                "shortDescription": {"text": rule.says},
                                "fullDescription": {"text": rule.form},
                                "help": {"text": rule.remedy},
                                "defaultConfiguration": {"level": rule.severity},
                            }
                            for rule in RULES
                        ],
                    }
                },
                "results": [
                    *(_result(report, found, order) for found in report.findings),
                    *(
                        {
                            **_result(report, found, order),
                            "suppressions": [
                                {"kind": "external", "justification": reason}
                            ],
                        }
                        for found, reason in report.accepted
                    ),
                ],
            }
        ],
    }


def _result(
    report: Report, finding: Finding, order: Mapping[str, int]
) -> dict[str, Any]:
    """Return a SARIF result for a finding, located by checkpoint and layer name."""
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": order[finding.rule.id],
        "level": finding.severity,
        "message": {"text": f"{finding.layer}: {finding.consequence}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(report.checkpoint)}
                },
                "logicalLocations": [
                    {"fullyQualifiedName": finding.layer, "kind": "member"}
                ],
            }
        ],
    }


def _uri(path: str) -> str:
    from pathlib import PurePath
    from urllib.parse import quote

    return quote(PurePath(path).as_posix())
