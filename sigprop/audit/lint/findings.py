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
HEADS = 256  # largest number of rows that count as heads and not as channels
TOP = "(top)"  # a layer whose names have no prefix


def require_severity(name: str) -> Severity:
    """Return ``name`` if it is a severity.

    Raises:
        ValueError: If ``name`` is not ``error``, ``warning`` or ``note``.
    """
    for severity in SEVERITIES:
        if severity == name:
            return severity
    raise ValueError(f"need a severity of {', '.join(SEVERITIES)}, got {name!r}")


@dataclass(frozen=True)
class Settings:
    """Intended use of a checkpoint, which its file does not contain.

    Attributes:
        length: Number of steps of the sequences on which the model is used, or None if
            it is unknown.
        dtype: Floating-point format in which ``lam`` is computed, or None if it is
            unknown.  In that case the rule on overflow assumes the format of the stored
            tensors, and the other rules assume float32.
        optimiser: Learning rate and weight decay of each tensor, or None if they are
            unknown.

    Raises:
        ValueError: If ``length`` is below two, or ``dtype`` is not a known format.

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
    """Layer that the rules examine.

    Attributes:
        recurrence: Layer of the checkpoint.
        rest: Eigenvalues of the layer at zero input.
        settings: Intended use of the checkpoint.
        stored: Stored arrays that determine the decay, by their names in the spelling.
        constant: Value of each matrix that acts on the decay and has equal entries
            throughout, by name.
        scale: Median norm of the rows of the decay's gate, if the decay has no other
            parameter; otherwise zero.  For inputs of unit variance it is the standard
            deviation of the gate's logits.
    """

    recurrence: ForeignLayer
    rest: Rest
    settings: Settings
    stored: Mapping[str, np.ndarray] = field(default_factory=dict)
    constant: Mapping[str, float] = field(default_factory=dict)
    scale: float = 0.0

    def starts(self, name: str) -> bool:
        """Return True if every entry of an array equals the initial value of its library.

        Args:
            name: Name of the array in the spelling.
        """
        start = self.recurrence.spelling.starts.get(name)
        stored = self.stored.get(name)
        if start is None or stored is None:
            return start is not None and self.constant.get(name) == start
        return bool((np.asarray(stored, float) == start).all())

    @property
    def storage(self) -> str:
        """Narrowest floating-point format among the stored parameters of the decay."""
        tensors = self.recurrence.tensors
        names = self.recurrence.spelling.slow
        return storage([tensors[name].dtype for name in names if name in tensors])

    @property
    def times(self) -> Float[np.ndarray, " modes"]:
        """Time constants in steps of the modes with ``|lam| < 1``."""
        return time_constant(self.nu[self.nu > 0])

    @property
    def nu(self) -> Float[np.ndarray, " modes"]:
        """Decay rates ``-log|lam|`` of all modes with a finite one."""
        flat = self.rest.nu.reshape(-1)
        return flat[np.isfinite(flat)]

    @property
    def finite(self) -> bool:
        """True if every stored parameter of the decay is a finite number."""
        return all(np.isfinite(raw).all() for raw in self.rest.raw.values())


@dataclass(frozen=True)
class Rule:
    """Rule of the linter: a check for one known defect of recurrent layers.

    Attributes:
        id: Short name, which does not change between versions.
        severity: ``error`` if the layer cannot work as intended, ``warning`` if it rarely
            works, ``note`` for a remark.
        says: Sentence that states the defect in general, without a layer's names or
            numbers.
        form: Formula that explains the defect, with a reference.
        remedy: Advice for removing the defect.
        check: Function that takes a ``Case`` and yields one text per finding.  The text
            states the effect of the defect, with the layer's numbers.
        own_form: Text used instead of ``form`` in a finding, with placeholders that are
            filled with the layer's tensor names.  Default: empty, which means ``form``.
        own_remedy: Text used instead of ``remedy`` in a finding, with placeholders as
            in ``own_form``.  Default: empty, which means ``remedy``.

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
    """Violation of a rule by one layer or tensor.

    Attributes:
        rule: Violated rule.
        layer: Common prefix of the layer's tensor names, or the name of a tensor.
        family: Name of the layer as used in texts, such as ``the LRU`` or ``Mamba``.
        consequence: Text that states the effect of the violation, with the layer's
            numbers.
        severity: ``error``, ``warning`` or ``note``.
        form: Formula that explains the violation, with the names of the layer's
            tensors.
        remedy: Advice for removing the defect, with the names of the layer's tensors.

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
    """Time constants ``1/(1 - |lam|)`` of a layer at zero input, in steps.

    Attributes:
        layer: Common prefix of the layer's tensor names.
        family: Name of the layer as used in texts, such as ``the LRU`` or ``Mamba``.
        library: Library whose tensor names the layer has.
        modes: Number of modes.
        shortest: Shortest time constant.
        median: Median time constant.
        longest: Longest time constant; infinite if a mode does not decay.
        beyond: Share of the modes with a time constant of at least the sequence length,
            or None if the length is unknown.
        rows: Shortest, median and longest time constant of each head; empty if there is
            one head or more than 256.
        moved_by: Names of the matrices through which inputs change the decay.
        drawn: Sample of the modes, for figures.
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
    """Result of the linter for a checkpoint.

    Attributes:
        checkpoint: Path of the file.
        settings: Intended use of the checkpoint.
        layers: Time constants of every layer that was checked.
        findings: All findings that are not accepted, the most severe first.
        judged: Number of recurrent tensors that were checked.
        unjudged: Names of recurrent tensors that were not checked.
        of_optimiser: Number of tensors that belong to the state of an optimiser.
        without: Layers that were not checked, because checkpoints of their type store
            no ``lam``.
        accepted: Findings that the user has accepted, each with the reason.
        unused: Entries of the user's list of accepted findings that match no finding.

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
        """Findings of severity ``warning`` or ``error``."""
        return self.at_least("warning")

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of the given severity or a higher one."""
        grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(found for found in self.findings if found.severity in grave)


def time_constants(case: Case) -> TimeConstants:
    """Return the time constants of a layer at zero input."""
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
    """Return a text such as ``3 of 4 modes``."""
    return f"{int(part)} of {int(total)} modes"
