"""From a checkpoint to all that is wrong with its recurrences, in seconds."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sigprop.audit.lint.findings import (
    SEVERITIES,
    TOP,
    Case,
    Finding,
    Report,
    Settings,
    Severity,
    time_constants,
)
from sigprop.audit.lint.rules import BY_ID, RULES
from sigprop.networks.foreign import Checkpoint, ForeignLayer, Tensor, find
from sigprop.networks.foreign.find import counted, mapped, titles

# Ends of names that no layer would have but a recurrent one.
TELLING = ("A_log", "nu_log", "a_param", "recurrent_param", "time_decay", "log_A_real")
# By the bits of an infinity or a NaN, a narrow float is told without widening it.
EXPONENT = {"bfloat16": 0x7F80, "float16": 0x7C00}


def lint(
    checkpoint: Checkpoint, settings: Settings, mapping: Path | None = None
) -> Report:
    """Hold every recurrent layer against all rules.

    Args:
        checkpoint: Of ``sigprop.networks.foreign.open_checkpoint`` or ``of_arrays``.
        settings: What the file does not say.
        mapping: File that names layers; see ``sigprop.networks.foreign.mapped``.

    Raises:
        ValueError: If there is no recurrent layer, or one cannot be read.
    """
    layers = find(checkpoint) if mapping is None else mapped(checkpoint, mapping)
    if not layers:
        raise ValueError(
            f"need a recurrent layer of {titles()}, got names of none in "
            f"{checkpoint.path} of {len(checkpoint.tensors)} tensors; name its arrays in a "
            "file and give it by --mapping"
        )
    layers.sort(key=lambda recurrence: counted(recurrence.prefix))
    cases = [Case(recurrence, recurrence.rest(), settings) for recurrence in layers]
    findings = [finding for case in cases for finding in judge(case)]
    reported = {
        finding.layer for finding in findings if finding.rule.id == "decay-not-finite"
    }
    findings += _not_finite(checkpoint, layers, reported)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    used = {
        tensor.name for recurrence in layers for tensor in recurrence.tensors.values()
    }
    unread = tuple(
        name
        for name in checkpoint.tensors
        if name.replace("/", ".").endswith(TELLING) and name not in used
    )
    about = tuple(time_constants(case) for case in cases)
    return Report(str(checkpoint.path), settings, about, tuple(findings), unread)


def judge(case: Case) -> Iterator[Finding]:
    """What the rules find in one layer."""
    layer, family = case.recurrence.prefix or TOP, case.recurrence.family.title
    for rule in RULES:
        for consequence in rule.check(case):
            yield Finding(rule, layer, family, consequence, _severity(rule.id, case))


def _severity(rule: str, case: Case) -> Severity:
    """A rule's own, or a note where it depends on what is not known.

    Nobody knows how a format that is only stored is used, nor what inputs make of a decay
    that they move.
    """
    if rule == "resolution-lost" and case.settings.dtype is None:
        return "note"
    if rule == "memory-short" and case.rest.moved:
        return "note"
    return BY_ID[rule].severity


def _not_finite(
    checkpoint: Checkpoint, layers: list[ForeignLayer], reported: set[str]
) -> Iterator[Finding]:
    """Tensors with infinities, except the decays of layers in ``reported``."""
    rule = BY_ID["weights-not-finite"]
    homes = {
        tensor.name: recurrence
        for recurrence in layers
        for tensor in recurrence.tensors.values()
    }
    known = {
        recurrence.tensors[name].name
        for recurrence in layers
        if (recurrence.prefix or TOP) in reported
        for name in recurrence.spelling.slow
        if name in recurrence.tensors
    }
    for name in sorted(set(checkpoint.tensors) - known):
        tensor = checkpoint.tensors[name]
        count = not_finite(tensor)
        if count:
            family = homes[name].family.title if name in homes else "no recurrent layer"
            told_of = f"{count} of {tensor.size} numbers are infinite or NaN"
            yield Finding(rule, name, family, told_of, rule.severity)


def not_finite(tensor: Tensor) -> int:
    """How many numbers are infinite or NaN, a piece at a time."""
    if not tensor.dtype.startswith(
        ("float16", "float32", "float64", "bfloat", "complex")
    ):
        return 0
    mask = EXPONENT.get(tensor.dtype)
    count = 0
    for piece in tensor.pieces():
        if mask is None:
            count += piece.size - int(np.count_nonzero(np.isfinite(piece)))
        else:
            count += int(np.count_nonzero((piece.view(np.uint16) & mask) == mask))
    return count
