"""Findings that the user accepts, listed in a file with the reasons."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sigprop.audit.lint.findings import Finding, Report
from sigprop.audit.lint.rules import BY_ID
from sigprop.numerics.documents import read_document, require_keys
from sigprop.numerics.text import plain_name


@dataclass(frozen=True)
class Acceptance:
    """Acceptance of the findings of one rule.

    Attributes:
        rule: Identifier of the rule.
        layer: Pattern of layer names, in which ``*`` stands for any text.
        reason: Reason of the acceptance.
    """

    rule: str
    layer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rule} in {self.layer} ({self.reason})"

    def covers(self, finding: Finding) -> bool:
        """Return True if a finding has the accepted rule and a matching layer name.

        Args:
            finding: Finding of a report.
        """
        fits = finding.layer == self.layer or fnmatch.fnmatchcase(
            finding.layer, self.layer
        )
        return finding.rule.id == self.rule and fits


def read_accepted(path: Path) -> tuple[Acceptance, ...]:
    """Read acceptances from a TOML or JSON file.

    Each ``[[accept]]`` has a ``rule`` and a ``reason``.  It can have a ``layer``, in which
    ``*`` stands for any text; without it, all layers are accepted::

        [[accept]]
        rule = "steps-large"
        layer = "model.layers.*.mamba"
        reason = "the release starts with dt_bias = 1"

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a key or a rule is unknown, or a reason is missing.
    """
    content = require_keys(str(path), read_document(path), ("accept",))
    tables = content.get("accept")
    if not isinstance(tables, list):
        raise ValueError(
            f"need a list `accept` of tables in {path}, got {tables!r:.60}"
        )
    return tuple(_acceptance(table, path) for table in tables)


def _acceptance(table: Any, path: Path) -> Acceptance:
    content = require_keys(f"`accept` of {path}", table, ("rule", "layer", "reason"))
    rule, reason = content.get("rule"), content.get("reason")
    layer = content.get("layer", "*")
    if not isinstance(rule, str) or rule not in BY_ID:
        near = get_close_matches(str(rule), BY_ID, 1)
        raise ValueError(
            f"need a rule of sigprop lint{f', such as {near[0]!r},' if near else ''} in "
            f"{path}, got {rule!r}"
        )
    for name, value in (("reason", reason), ("layer", layer)):
        if not (isinstance(value, str) and value.strip()):
            raise ValueError(
                f"need a text in {name} of {rule} in {path}, got {value!r:.60}"
            )
    return Acceptance(rule, plain_name(str(layer)), plain_name(str(reason)))


def accept(report: Report, acceptances: Sequence[Acceptance]) -> Report:
    """Move the accepted findings of a report from ``findings`` to ``accepted``.

    Args:
        report: Report that ``lint`` returned.
        acceptances: Acceptances of the user.  The report lists those that match no
            finding as ``unused``.
    """
    left, accepted = [], []
    used: set[Acceptance] = set()
    for finding in report.findings:
        covering = [each for each in acceptances if each.covers(finding)]
        used |= set(covering)
        if covering:
            accepted.append((finding, covering[0].reason))
        else:
            left.append(finding)
    unused = tuple(str(each) for each in acceptances if each not in used)
    return replace(
        report, findings=tuple(left), accepted=tuple(accepted), unused=unused
    )
