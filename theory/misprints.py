"""Deliberate misprints of formulas, similar to the misprints in papers.

A misprint is one change of the LaTeX.  Formulas that the parser reads are changed by rule, and
numerical values prove that the change gives another form.  Other formulas are changed by hand.
Each such change names a mutant in the row's evidence, which proves that the form differs.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sympy import Expr

from sigprop.theory.autocorrelation import differ
from sigprop.theory.latex import pieces
from sigprop.theory.reading import Reading, as_read

INDEX = "an index shifted"
BAR = "a bar lost"
RANGE = "the range of a sum off by one"
ARGUMENT = "an argument swapped"
TWO = "a factor of 2 lost or added"
SIGN = "a sign turned"
POWER = "a power off by one"
KINDS = (INDEX, BAR, RANGE, ARGUMENT, TWO, SIGN, POWER)


class Misprint(NamedTuple):
    """A formula with one change, and the kind of the change, which is one of ``KINDS``."""

    latex: str
    change: str


_PAIRS = (
    (r"\\alpha", r"\\beta"),
    (r"\\rho", r"\\lambda"),
    (r"\\nu", r"\\theta"),
    (r"r_\{\\min\}", r"r_\{\\max\}"),
    (r"\\lambda_i", r"\\lambda_j"),
)
_END = r"(?![A-Za-z_])"
_RULES: tuple[tuple[str, str, str | Callable[[re.Match[str]], str]], ...] = (
    (INDEX, r"(?<=\^)\{?(n|m|\\Delta)\}?(?![A-Za-z-])", r"{\1-1}"),
    (INDEX, r"(?<=\^)\{?(n|m|\\Delta)\}?(?![A-Za-z-])", r"{\1+1}"),
    (INDEX, r"(?<=[\^_])\{([-A-Za-z+()]+)[+-]1\}", r"{\1}"),
    (INDEX, r"(?<=_)\{(-n|t-n|k-j)\}", r"{\1-1}"),
    (INDEX, r"(?<=[a-zA-Z])_i(?![A-Za-z])", "_j"),
    (INDEX, r"(?<=[a-zA-Z])_j(?![A-Za-z])", "_i"),
    (BAR, r"\\(?:bar|overline)\{(\\?\w+)\}", r"\1"),
    (BAR, r"\|(\\lambda(?:\^\*|_[a-z])?)\|(?=\^)", r"\1"),
    (RANGE, r"(\\sum_\{[^{}]*(?:=|\\geq?) ?)0", r"\g<1>1"),
    (RANGE, r"(\\sum_\{[^{}]*(?:=|\\geq?) ?)1", r"\g<1>0"),
    (RANGE, r"(\\sum_\{[^{}]*\}\^)\{(\w)-1\}", r"\1{\2}"),
    (RANGE, r"(\\sum_\{[^{}]*\}\^)\{?([tTk])\}?(?![A-Za-z-])", r"\1{\2-1}"),
    *(
        (
            ARGUMENT,
            rf"({a}{_END})(.*?)({b}{_END})",
            r"\3\2\1",
        )
        for one, other in _PAIRS
        for a, b in ((one, other), (other, one))
    ),
    *(
        (ARGUMENT, a.replace("{", r"\{").replace("}", r"\}") + r"(?![A-Za-z])", b)
        for a, b in (
            (r"\\alpha", r"\\beta"),
            (r"\\beta", r"\\alpha"),
            (r"r_{\\max}", r"r_{\\min}"),
            (r"r_{\\min}", r"r_{\\max}"),
            (r"\\cos", r"\\sin"),
            (r"\\sin", r"\\cos"),
        )
    ),
    (
        TWO,
        r"(?<![\w^_{.])2 ?(?=\\(?:operatorname|sum|lambda|bar|Re|rho|nu|frac|left))",
        "",
    ),
    (TWO, r"(\\operatorname\{(?:Re|Im)\}|\\Re|\\sum)(?=[_\[\\({])", r"2\1"),
    (TWO, r"\\frac\{1\}\{2\}", ""),
    (TWO, r"(?<=\{)2(?=[\\(|a-zA-Z])", ""),
    (SIGN, r"\+(?! ?i)", "-"),  # the sign of an imaginary part is a convention
    (SIGN, r"(?<=[\w})|\]\s])-(?!1\}| ?i)", "+"),
    (POWER, r"(?<=\^)\d", lambda digit: str(int(digit[0]) + 1)),
    (POWER, r"\^2(?!\d)", ""),
)


class Changes(NamedTuple):
    """The single changes of a printed form, and a test that a change gives another form.

    Attributes:
        tried: The changes, some of which may give an equal form.
        is_other: Function that returns True if values prove that a change gives another
            form.
    """

    tried: tuple[Misprint, ...]
    is_other: Callable[[Misprint], bool]


def changes(latex: str, form: Expr, reading: Reading) -> Changes:
    """Return every single change of a printed form.

    Args:
        latex: LaTeX of the statement.
        form: Form of the statement.
        reading: Rules to read the LaTeX.
    """
    piece = pieces(latex)[reading.side]
    start = latex.rfind(piece)  # no misprint if spaces were read as commas
    written: dict[Misprint, str] = {}
    for change, pattern, become in _RULES if start >= 0 else ():
        for match in re.finditer(pattern, piece):
            new = become(match) if callable(become) else match.expand(become)
            wrong = piece[: match.start()] + new + piece[match.end() :]
            whole = latex[:start] + wrong + latex[start + len(piece) :]
            written.setdefault(Misprint(whole, change), wrong)
    known = [reading.view(form)] if written else []

    def is_other(misprint: Misprint) -> bool:
        try:
            wrong = as_read(written[misprint], form, reading._replace(side=-1))
            return differ(reading.fold(wrong), known[0])
        except (ValueError, TypeError, NotImplementedError):
            return False  # not a formula any more

    return Changes(tuple(written), is_other)


def misprints(latex: str, form: Expr, reading: Reading) -> Iterator[Misprint]:
    """Iterate over the single changes that are proved to give another form.

    The arguments are the same as for ``changes``.
    """
    tried, is_other = changes(latex, form, reading)
    return filter(is_other, tried)


class ByHand(NamedTuple):
    """A change of a formula that the parser cannot read.

    Attributes:
        old: Part of the statement; its first occurrence is replaced.
        new: Replacement.
        change: Kind of the change, one of ``KINDS``.
        mutant: Name of the mutant in the row's evidence that is the changed formula.
    """

    old: str
    new: str
    change: str
    mutant: str


_MORE = "one power of A more"
_FEWER = "without the newest input"
_OTHER = "the other direction's eigenvalues"
_ORDER = "inputs in the order of the other direction"
_LONGER = "the newest input weighted too"
_TRANSPOSED = "the transpose for the inverse"
_Q = r"\mathbf{Q}\mathbf{\Lambda}\mathbf{Q}^{-1}"
_TURNED = r"\mathbf{Q}^{-1}\mathbf{\Lambda}\mathbf{Q}"
_LATER = (r"\sum_{k=1}^t", r"\sum_{k=1}^{t-1}", RANGE, _FEWER)

BY_HAND: dict[str, tuple[ByHand, ...]] = {
    "lru:25": (ByHand(r"0 & \lambda^*", r"0 & \lambda", BAR, "one eigenvalue twice"),),
    "lru:text:zoh-exact": (ByHand("u_k", "u_{k+1}", INDEX, "the next input"),),
    "lru:text:conjugate-eigenvector": (
        ByHand(r"= \lambda^* v^*", r"= \lambda v^*", BAR, "conjugates exchanged"),
    ),
    "lru:text:real-part": (
        ByHand(r"- \Im(\lambda)", r"+ \Im(\lambda)", SIGN, "the sign turned"),
    ),
    "lru:text:shift-property": (
        ByHand(r"e^{-i\omega t_0}", r"e^{i\omega t_0}", SIGN, "ahead"),
    ),
    "lru:text:s4d-eigenvalues": (
        ByHand(r"\Delta n", r"\Delta (n+1)", INDEX, "the index of the next"),
    ),
    "lru:text:s4d-modulus": (
        ByHand(r"-\Delta/2", r"-\Delta", TWO, "without the half"),
    ),
    "lru:listing:init": (ByHand(r"-0.5\log", r"-\log", TWO, "the half lost"),),
    "lru:text:kernel-realised": (
        ByHand(r"(0.04\,k)^2", r"(0.04\,k)", POWER, "the cosine not squared"),
    ),
    "rotrnn:2": (
        ByHand("A^{t-k}", "A^{t-k+1}", INDEX, _MORE),
        ByHand(*_LATER),
    ),
    "rotrnn:3": (ByHand("P^{-1}", r"P^{\top}", ARGUMENT, "P^T for the inverse"),),
    "rotrnn:4": (
        ByHand(r"\Lambda^{t-k}", r"\Lambda^{t-k+1}", INDEX, _MORE),
        ByHand(*_LATER),
    ),
    "rotrnn:7": (
        ByHand(r"2\gamma", r"\gamma", TWO, "the cross term once"),
        ByHand(r"2\gamma", r"2\gamma^2", POWER, "gamma squared in it"),
    ),
    "rotrnn:8": (
        ByHand(r"\alpha^2", r"\alpha", POWER, "alpha not squared"),
        ByHand(r"\gamma^2", r"\gamma", POWER, "gamma not squared"),
    ),
    "rotrnn:10": (
        ByHand("A^{t-k}", "A^{t-k+1}", INDEX, _MORE),
        ByHand(*_LATER),
    ),
    "rotrnn:12": (ByHand(*_LATER),),
    "rotrnn:lemma1": (ByHand(r"M - M^{\top}", r"M + M^{\top}", SIGN, "M + M^T"),),
    "rotrnn:text:planar-heads": (
        ByHand(r"\pm i\theta", r"\pm 2i\theta", TWO, "theta doubled"),
    ),
    "rotrnn:text:lru-special-case": (
        ByHand(r"P^\top B", "PB", ARGUMENT, "P B for P^T B"),
    ),
    "rotrnn:listing:P": (ByHand(r"M - \text{M", r"M + \text{M", SIGN, "M + M^T"),),
    "blur:5": (ByHand(r"\mathbf{A}^j", r"\mathbf{A}^{j+1}", INDEX, _LONGER),),
    "blur:6": (
        ByHand(_Q, _TURNED, ARGUMENT, "the inverse on the left"),
        ByHand(r"\mathbf{Q}^{-1}", r"\mathbf{Q}^{\top}", ARGUMENT, _TRANSPOSED),
    ),
    "blur:7": (
        ByHand(_Q, _TURNED, ARGUMENT, "the inverse on the left"),
        ByHand(r"\mathbf{Q}^{-1}", r"\mathbf{Q}^{\top}", ARGUMENT, _TRANSPOSED),
    ),
    "blur:8": (
        ByHand(r"\bm{h}_{k-1}", r"\bm{h}_k", INDEX, "the state of the step itself"),
    ),
    "blur:9": (
        ByHand(r"\mathbf{\Lambda}^j", r"\mathbf{\Lambda}^{j+1}", INDEX, _LONGER),
    ),
    "blur:15": (
        ByHand(r"\mathbf{\Lambda}^j_f", r"\mathbf{\Lambda}^{j+1}_f", INDEX, _LONGER),
        ByHand(r"\mathbf{\Lambda}^j_f", r"\mathbf{\Lambda}^j_b", ARGUMENT, _OTHER),
        ByHand(r"\bm{u}_{k-j}", r"\bm{u}_{j+1}", ARGUMENT, _ORDER),
    ),
    "blur:17": (
        ByHand(r"\mathbf{\Lambda}^j_b", r"\mathbf{\Lambda}^{j+1}_b", INDEX, _LONGER),
        ByHand(r"\mathbf{\Lambda}^j_b", r"\mathbf{\Lambda}^j_f", ARGUMENT, _OTHER),
        ByHand(r"\bm{u}_{j+1}", r"\bm{u}_{k-j}", ARGUMENT, _ORDER),
    ),
    "blur:20": (
        ByHand(
            r"\mathbf{V}_{f,k}",
            r"\mathbf{V}_{b,k}",
            ARGUMENT,
            "the other direction's matrix",
        ),
    ),
    "blur:22": (
        ByHand(
            r"\mathbf{V}_{b,k}",
            r"\mathbf{V}_{f,k}",
            ARGUMENT,
            "the other direction's matrix",
        ),
    ),
    "blur:text:scan": (
        ByHand("a_kh_{k-1}", "a_{k-1}h_{k-1}", INDEX, "the gate of the step before"),
    ),
    "blur:text:stability": (
        ByHand(
            r"\frac{1}{1-|\lambda_j|}", r"\frac{1}{1-\lambda_j}", BAR, "lam for |lam|"
        ),
        ByHand(
            r"\frac{1}{1-|\lambda_j|}", r"\frac{1}{1+|\lambda_j|}", SIGN, "the sign"
        ),
    ),
}
"""Changes by hand, by the id of the row."""


def by_hand(claim_id: str, latex: str) -> list[Misprint]:
    """Return the changes by hand of a statement."""
    return [
        Misprint(latex.replace(old, new, 1), change)
        for old, new, change, _ in BY_HAND.get(claim_id, ())
    ]
