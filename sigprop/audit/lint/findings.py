"""Rules of the linter, the layers that they examine, and their findings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from sigprop.audit.lint.optimiser import Optimiser
from sigprop.audit.lint.picture_data import Modes, chosen
from sigprop.audit.lint.resolution import significant_bits, storage
from sigprop.networks.foreign import ForeignLayer, Named, Rest
from sigprop.networks.foreign.family import time_constant
from sigprop.numerics.arguments import require_count

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
NOTHING = Modes(np.zeros(0), None)
HEADS = 256  # rows that are told one by one; more are channels
TOP = "(top)"  # a layer whose names have no prefix


def require_severity(name: str) -> Severity:
    """A severity by its name.

    Raises:
        ValueError: If there is none of this name.
    """
    for severity in SEVERITIES:
        if severity == name:
            return severity
    raise ValueError(f"need a severity of {', '.join(SEVERITIES)}, got {name!r}")


@dataclass(frozen=True)
class Settings:
    """Use of a checkpoint, which its file does not state.

    Attributes:
        length: Number of steps of the sequences.
        dtype: Format in which ``lam`` is computed; float32 by default.
        optimiser: Learning rate and weight decay of each tensor.

    Raises:
        ValueError: If the length is below two steps, or there is no such format.

    Example:
        >>> Settings(length=4096, dtype="bfloat16").length
        4096
    """

    length: int | None = None
    dtype: str | None = None
    optimiser: Optimiser | None = None

    def __post_init__(self) -> None:
        if self.length is not None:
            require_count("length", self.length, least=2)
        if self.dtype is not None:
            significant_bits(self.dtype)


@dataclass(frozen=True)
class Case:
    """One layer under the rules; ``nu`` has NaN where it is none.

    Attributes:
        recurrence: The layer.
        rest: Its recurrence at rest.
        settings: What the file does not say.
        stored: What decides the recurrence, by the names of the spelling, as stored.
        constant: The number in matrices of equal numbers, of those that move the decay.
        scale: Median norm of the rows of the gate of a decay that has no bias: the
            standard deviation of its logits for inputs of variance one.
    """

    recurrence: ForeignLayer
    rest: Rest
    settings: Settings
    stored: Mapping[str, np.ndarray] = field(default_factory=dict)
    constant: Mapping[str, float] = field(default_factory=dict)
    scale: float = 0.0

    def starts(self, name: str) -> bool:
        """Return True if every entry of an array has the value that its library starts with.

        Args:
            name: By the spelling.
        """
        start = self.recurrence.spelling.starts.get(name)
        stored = self.stored.get(name)
        if start is None or stored is None:
            return start is not None and self.constant.get(name) == start
        return bool((np.asarray(stored, float) == start).all())

    @property
    def storage(self) -> str:
        """The narrowest format in which the parameters of the recurrence are stored."""
        tensors = self.recurrence.tensors
        names = self.recurrence.spelling.slow
        return storage([tensors[name].dtype for name in names if name in tensors])

    @property
    def times(self) -> Float[np.ndarray, " modes"]:
        """Time constants in steps of all modes that decay."""
        return time_constant(self.nu[self.nu > 0])

    @property
    def nu(self) -> Float[np.ndarray, " modes"]:
        """``-log|lam|`` of all modes that are numbers."""
        flat = self.rest.nu.reshape(-1)
        return flat[np.isfinite(flat)]

    @property
    def finite(self) -> bool:
        """True if every stored parameter of the decay is a finite number."""
        return all(np.isfinite(raw).all() for raw in self.rest.raw.values())


@dataclass(frozen=True)
class Rule:
    """One way in which a recurrence is known to break.

    Attributes:
        id: Short and stable, for suppressions and links.
        severity: ``error``: it cannot work as meant; ``warning``: it rarely does.
        says: What is wrong, of any layer.
        form: The closed form behind it, and where it stands.
        remedy: What to do.
        check: From a layer to the consequence in numbers, one text a finding.
        own_form: The closed form with what ``words`` fills in for a layer.
        own_remedy: The remedy with what ``words`` fills in for a layer.

    Example:
        >>> from sigprop.audit.lint import RULES
        >>> {rule.id: rule.severity for rule in RULES}["decay-all-zero"]
        'error'
    """

    id: str
    severity: Severity
    says: str
    form: str
    remedy: str
    check: Callable[[Case], Iterable[str]]
    own_form: str = ""
    own_remedy: str = ""


@dataclass(frozen=True)
class Finding:
    """A rule that a layer breaks; the form and the remedy are in the words of its family.

    Example:
        >>> from sigprop.audit.lint import RULES
        >>> rule = RULES[0]
        >>> texts = {"consequence": "", "form": rule.form, "remedy": rule.remedy}
        >>> found = Finding(rule, "mixer", "Mamba", severity=rule.severity, **texts)
        >>> found.severity == rule.severity
        True
    """

    rule: Rule
    layer: str
    family: str
    consequence: str
    severity: Severity
    form: str
    remedy: str


@dataclass(frozen=True)
class TimeConstants:
    """Time constants of a layer, and of its heads or channels, at rest, in steps.

    Attributes:
        layer: What its names begin with.
        family: What it computes.
        library: Whose names it has.
        modes: How many.
        shortest: Of all modes.
        median: Median of all modes.
        longest: Of all modes.
        beyond: The share of modes with a time constant above the length, if that is known.
        rows: Shortest, median and longest of each head or channel.
        moved_by: Matrices through which inputs move the decay, which is judged at zero
            inputs.
        drawn: Some of the modes, to be drawn.
    """

    layer: str
    family: str
    library: str
    modes: int
    shortest: float
    median: float
    longest: float
    beyond: float | None
    rows: tuple[tuple[float, float, float], ...]
    moved_by: tuple[str, ...] = ()
    drawn: Modes = field(default=NOTHING, compare=False, repr=False)


@dataclass(frozen=True)
class Report:
    """All layers of a checkpoint and all findings, the gravest first.

    Attributes:
        checkpoint: Path of the file.
        settings: Use of the checkpoint, which its file does not state.
        layers: Time constants of every layer that was judged.
        findings: All findings.
        judged: How many tensors that decide a recurrence were judged.
        unjudged: Names of those that were not.
        of_optimiser: How many tensors are an optimiser's state, and no layer's.
        without: Layers that store no decay, with what they are.
        accepted: Findings that are known and accepted, with the reason.
        unused: Acceptances that cover no finding, in words.

    Example:
        >>> report = Report("model.npz", Settings(), layers=(), findings=())
        >>> report.graver
        ()
    """

    checkpoint: str
    settings: Settings
    layers: tuple[TimeConstants, ...]
    findings: tuple[Finding, ...]
    judged: int = 0
    unjudged: tuple[str, ...] = ()
    of_optimiser: int = 0
    without: tuple[Named, ...] = ()
    accepted: tuple[tuple[Finding, str], ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def graver(self) -> tuple[Finding, ...]:
        """Findings above a note."""
        return self.at_least("warning")

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Findings of a severity and of graver ones."""
        grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(found for found in self.findings if found.severity in grave)


def time_constants(case: Case) -> TimeConstants:
    """Time constants ``1/(1 - |lam|)`` in steps; infinite where a mode does not decay."""
    times = time_constant(case.rest.nu)
    length = case.settings.length

    def three(axis: int | None) -> Float[np.ndarray, "*rows 3"]:
        three = (times.min(axis), np.median(times, axis), times.max(axis))
        return np.stack(three, -1)

    heads = three(1) if 1 < len(times) <= HEADS else np.zeros((0, 3))
    rows = tuple((float(a), float(b), float(c)) for a, b, c in heads)
    recurrence = case.recurrence
    beyond = None if length is None else float(np.mean(times >= length))
    names = (
        recurrence.prefix or TOP,
        recurrence.family.title,
        recurrence.spelling.library,
    )
    shortest, median, longest = map(float, three(None))
    moves = [name for name in recurrence.spelling.moves if name in recurrence.tensors]
    moved_by = tuple(recurrence.local(name) for name in moves)
    return TimeConstants(
        *names,
        times.size,
        shortest,
        median,
        longest,
        beyond,
        rows,
        moved_by,
        chosen(case.rest),
    )


def counted(part: Any, total: Any) -> str:
    """Three of four modes, as words."""
    return f"{int(part)} of {int(total)} modes"
