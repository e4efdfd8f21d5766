"""What a rule is, what it looks at, and what it finds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from sigprop.audit.lint.optimiser import Optimiser
from sigprop.audit.lint.resolution import significant_bits
from sigprop.networks.foreign import ForeignLayer, Rest
from sigprop.numerics.arguments import require_count

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
HEADS = 256  # rows that are told one by one; more are channels
TOP = "(top)"  # a layer whose names have no prefix


@dataclass(frozen=True)
class Settings:
    """What a file does not say of its use.

    Attributes:
        length: Steps of the sequences.
        dtype: In which ``lam`` is computed; float32 if not said.
        optimiser: Learning rate and weight decay of each tensor.

    Raises:
        ValueError: If the length is below two steps, or there is no such format.
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
    """One layer under the rules; ``nu`` has NaN where it is none."""

    recurrence: ForeignLayer
    rest: Rest
    settings: Settings

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
    """

    id: str
    severity: Severity
    says: str
    form: str
    remedy: str
    check: Callable[[Case], Iterable[str]]


@dataclass(frozen=True)
class Finding:
    """A rule that a layer breaks."""

    rule: Rule
    layer: str
    family: str
    consequence: str
    severity: Severity


@dataclass(frozen=True)
class TimeConstants:
    """Time constants of a layer, and of its heads or channels, at rest, in steps."""

    layer: str
    family: str
    library: str
    modes: int
    shortest: float
    median: float
    longest: float
    beyond: float | None
    rows: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Report:
    """All layers of a checkpoint and all findings, the gravest first."""

    checkpoint: str
    settings: Settings
    layers: tuple[TimeConstants, ...]
    findings: tuple[Finding, ...]
    unread: tuple[str, ...] = ()

    @property
    def graver(self) -> tuple[Finding, ...]:
        """Findings above a note."""
        return tuple(finding for finding in self.findings if finding.severity != "note")


def time_constants(case: Case) -> TimeConstants:
    """Time constants ``1/nu`` in steps; infinite where a mode does not decay."""
    with np.errstate(divide="ignore"):
        times = np.where(case.rest.nu > 0, 1 / np.abs(case.rest.nu), np.inf)
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
    return TimeConstants(*names, times.size, shortest, median, longest, beyond, rows)


def counted(part: Any, total: Any) -> str:
    """Three of four modes, as words."""
    return f"{int(part)} of {int(total)} modes"
