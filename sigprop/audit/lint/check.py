"""Checks of all recurrent layers of a checkpoint against the rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Never

import numpy as np

from sigprop.audit.lint.decays import TINY, rounding
from sigprop.audit.lint.findings import (
    SEVERITIES,
    TOP,
    Case,
    Finding,
    Report,
    Settings,
    Severity,
    TimeConstants,
    time_constants,
)
from sigprop.audit.lint.rules import BY_ID, RULES
from sigprop.audit.lint.unjudged import looks_recurrent
from sigprop.audit.lint.words import words
from sigprop.networks.foreign import (
    Checkpoint,
    ForeignLayer,
    Skipped,
    Survey,
    Tensor,
)
from sigprop.networks.foreign.find import counted, nearest, titles
from sigprop.networks.foreign.mapping import survey_mapped

MUCH = 0.1  # relative rounding error of a rate that is more than a note

# Exponent bits of infinity and NaN, to find them without conversion to float32.
EXPONENT = {"bfloat16": 0x7F80, "float16": 0x7C00}


def lint(
    checkpoint: Checkpoint, settings: Settings, mapping: Path | None = None
) -> Report:
    """Check every recurrent layer of a checkpoint against all rules.

    The rule ``not-judged`` reports layers that cannot be read.  The same rule reports
    tensors that have names typical of recurrent layers but belong to no known layer.

    Args:
        checkpoint: Result of ``sigprop.networks.foreign.open_checkpoint`` or ``of_arrays``.
        settings: Sequence length, number format and optimiser, which the file does not
            contain.
        mapping: File that assigns tensor names to layers, in addition to the names that
            sigprop knows; see ``sigprop.networks.foreign.mapped``.  Default: no file.

    Returns:
        The findings, the most severe first, and the time constants of each layer.

    Raises:
        ValueError: If there is no recurrent layer, or no recurrent layer can be read.

    Example:
        >>> import numpy as np
        >>> from sigprop.networks.foreign import of_arrays
        >>> mixer = {"A_log": np.zeros((4, 2)), "D": np.ones(4)}
        >>> mixer |= {"dt_proj.bias": np.full(4, -4.6)}
        >>> mixer |= {"dt_proj.weight": np.full((4, 1), 0.01)}
        >>> mixer |= {"x_proj.weight": np.full((5, 4), 0.1)}
        >>> tensors = {f"mixer.{name}": array for name, array in mixer.items()}
        >>> report = lint(of_arrays(tensors), Settings(length=4096))
        >>> report.findings[0].rule.id, report.findings[0].severity
        ('decay-all-zero', 'error')
    """
    surveyed = survey_mapped(checkpoint, mapping)
    skipped = list(surveyed.skipped)
    layers: list[ForeignLayer] = []
    times: list[TimeConstants] = []
    findings: list[Finding] = []
    judged = 0
    # One layer at a time: the numbers of all would take more memory than is needed.
    for recurrence in sorted(surveyed.layers, key=lambda one: counted(one.prefix)):
        case = _case(recurrence, settings)
        if isinstance(case, Skipped):
            skipped.append(case)
            continue
        layers.append(recurrence)
        times.append(time_constants(case))
        findings += judge(case)
        judged += len(case.stored)
    unjudged = _unjudged(checkpoint, layers, skipped, surveyed)
    if not layers:
        _refuse(checkpoint, skipped, unjudged, surveyed)
    reported = {
        finding.layer for finding in findings if finding.rule.id == "decay-not-finite"
    }
    findings += _not_finite(checkpoint, layers, reported)
    near = nearest(unjudged, checkpoint)
    findings += _not_judged(skipped, near, settings)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Report(
        str(checkpoint.path),
        settings,
        tuple(times),
        tuple(findings),
        judged,
        (*(name for layer in skipped for name in layer.tensors), *unjudged),
        len(surveyed.of_optimiser),
        surveyed.without,
    )


def _case(recurrence: ForeignLayer, settings: Settings) -> Case | Skipped:
    """Return a layer with its numbers, or the reason why they cannot be read."""
    try:
        stored = recurrence.read(recurrence.spelling.slow)
        with np.errstate(all="ignore"):  # an overflow is a finding
            return Case(
                recurrence,
                recurrence.at_rest(stored),
                settings,
                stored,
                _constant(recurrence),
                _scale(recurrence),
            )
    except ValueError as error:
        names = set(recurrence.spelling.slow) & set(recurrence.tensors)
        told = tuple(recurrence.tensors[name].name for name in sorted(names))
        return Skipped(recurrence.prefix, told, str(error))


def _constant(recurrence: ForeignLayer) -> dict[str, float]:
    """Return the value of each matrix that acts on the decay and has equal entries."""
    constant = {}
    for name in recurrence.spelling.moves:
        if name not in recurrence.tensors:
            continue
        value = None
        for piece in recurrence.tensors[name].pieces():
            numbers = piece.reshape(-1)
            value = numbers[0] if value is None and numbers.size else value
            if not (numbers == value).all():
                break
        else:
            if value is not None:
                constant[name] = float(value)
    return constant


def _scale(recurrence: ForeignLayer) -> float:
    """Return the median norm of the gate's rows, if the decay has no other parameter."""
    moves = recurrence.spelling.moves
    if recurrence.spelling.slow or not moves:
        return 0.0
    weight = recurrence.read(moves[-1:])[moves[-1]].astype(np.float32)
    rows = weight[-recurrence.sizes["h"] :]  # of a fused map the last have the gate
    return float(np.median(np.linalg.norm(rows, axis=1)))


def _unjudged(
    checkpoint: Checkpoint,
    layers: list[ForeignLayer],
    skipped: list[Skipped],
    surveyed: Survey,
) -> tuple[str, ...]:
    """Return the names of tensors that look recurrent and belong to no layer."""
    known = {name for layer in skipped for name in layer.tensors}
    known |= {*surveyed.of_optimiser}
    known |= {name for named in surveyed.without for name in named.tensors}
    known |= {tensor.name for layer in layers for tensor in layer.tensors.values()}
    return tuple(
        name
        for name, tensor in checkpoint.tensors.items()
        if name not in known and looks_recurrent(name, tensor.size)
    )


def _refuse(
    checkpoint: Checkpoint,
    skipped: list[Skipped],
    unjudged: tuple[str, ...],
    surveyed: Survey,
) -> Never:
    """Raise the error for a checkpoint without a layer that can be checked.

    Raises:
        ValueError: Always.
    """
    if skipped:
        raise ValueError(skipped[0].reason)
    looks = f" ({', '.join(unjudged[:3])} look recurrent)" if unjudged else ""
    near = nearest(unjudged[:1], checkpoint)[unjudged[0]] if unjudged else ""
    if surveyed.without and not unjudged:
        first = surveyed.without[0]
        raise ValueError(
            f"need a recurrent layer with a decay to judge, got {first.kind.title} in "
            f"{first.prefix or TOP} of {checkpoint.path}: {first.kind.reason}"
        )
    raise ValueError(
        f"need a recurrent layer of {titles()}, got names of none in {checkpoint.path} of "
        f"{len(checkpoint.tensors)} tensors{looks}; {f'{near}; ' if near else ''}name its "
        "arrays in a file and give it by --mapping"
    )


def judge(case: Case) -> Iterator[Finding]:
    """Yield the findings of all rules in one layer."""
    layer, family = case.recurrence.prefix or TOP, case.recurrence.family.title
    own = words(case.recurrence)
    for rule in RULES:
        form = (rule.own_form or rule.form).format(**own)
        remedy = (rule.own_remedy or rule.remedy).format(**own)
        for consequence in rule.check(case):
            severity = _severity(rule.id, case)
            yield Finding(rule, layer, family, consequence, severity, form, remedy)


def _severity(rule: str, case: Case) -> Severity:
    """Return the severity of a rule for one layer.

    A finding is only a note if it depends on something that the file does not contain.
    Examples are the format of the computation, and the effect of inputs on the decay.  It
    is also a note if the authors of the layer chose the value: a decay that is not trained,
    or large initial steps.  A short memory of an LSTM remains a warning, because its forget
    gates are known to open too late without a bias.  The delta rule bounds a state that
    does not decay.  There, a warning needs all modes of a layer, and some modes are a note.
    """
    family = case.recurrence.family
    unknown = {
        "resolution-lost": case.settings.dtype is None,
        "memory-short": family.fixed or (case.rest.moved and family.name != "lstm"),
        "frozen-for-length": family.erases or family.fixed,
        "steps-large": any(map(case.starts, case.recurrence.spelling.decay)),
    }
    if rule == "mode-frozen" and family.erases:
        return "warning" if (case.nu <= TINY).all() else "note"
    if rule == "log-rounded":
        return "note" if rounding(case) < MUCH else "warning"
    return "note" if unknown.get(rule) else BY_ID[rule].severity


def _not_judged(
    skipped: list[Skipped], near: dict[str, str], settings: Settings
) -> Iterator[Finding]:
    """Yield findings for layers, tensors and optimiser settings that were not checked."""
    rule = BY_ID["not-judged"]
    told = [(layer.prefix or TOP, layer.reason) for layer in skipped]
    none = "it belongs to no layer of a known family"
    told += [
        (name, "; ".join(filter(None, (none, text)))) for name, text in near.items()
    ]
    if settings.optimiser is not None:
        told += [("optimiser", text) for text in settings.optimiser.unknown]
    for subject, text in told:
        yield Finding(
            rule, subject, "not known", text, rule.severity, rule.form, rule.remedy
        )


def _not_finite(
    checkpoint: Checkpoint, layers: list[ForeignLayer], reported: set[str]
) -> Iterator[Finding]:
    """Yield findings for tensors with infinity or NaN, except decays in ``reported``."""
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
            yield Finding(
                rule, name, family, told_of, rule.severity, rule.form, rule.remedy
            )


def not_finite(tensor: Tensor) -> int:
    """Count the entries of a tensor that are infinite or NaN.

    The tensor is read in pieces, so that a large one does not fill the memory.
    """
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
