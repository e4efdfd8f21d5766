"""Parser from printed LaTeX to expressions, so that the judged form is the printed form.

SymPy's parser reads plain mathematics.  A table of notation covers bars, expectations and
names with indices: it maps LaTeX to an expression or a function.  Every letter must be in the
table, so that no letter is misread.

The parser needs the package ``antlr4-python3-runtime``.
"""

import re
from collections.abc import Callable, Mapping
from string import ascii_letters
from typing import Any

from sympy import (
    Abs,
    Derivative,
    Dummy,
    E,
    Expr,
    Function,
    I,
    Integral,
    Pow,
    Sum,
    Symbol,
    conjugate,
    log,
    pi,
    sqrt,
)
from sympy.core.function import AppliedUndef

Notation = Mapping[str, Expr | Callable[..., Any]]
BETWEEN = (
    *(
        "=",
        ":=",
        ":",
        ",",
        "<",
        ">",
        r"\approx",
        r"\to",
        r"\rightarrow",
        r"\in",
        r"\sim",
    ),
    *(r"\longrightarrow", r"\Rightarrow", r"\leftarrow", r"\le", r"\ge", r"\;"),
)
OPENING, CLOSING = tuple("([{"), tuple(")]}")

_ALIASES = (  # spellings that the parser does not know
    (r"\\(left|right|[bB]igg?)(?![A-Za-z])\s*\.?", ""),
    (r"\\[,;!: ]|\\q?quad(?![A-Za-z])|~", " "),
    (r"\\(mathrm|text)\{e\}", "e"),
    (r"\\(mathrm|text)\{d\}", "d"),
    (r"(?<=_)\{([^{}=]+?)\s*\\geq?\s*(\d)\}", r"{\1=\2}^{\\infty}"),
    (r"\\(?:operatorname|mathrm)\{(Re|Im)\}|\{\\rm (Re|Im)\}", r"\\\1\2"),
    (r"(?<=_)\{(\w) < (\w)\}", r"{\1=0}^{\2-1}"),
    (r"\|\|", "|"),
    (r"\[", "("),
    (r"\]", ")"),
)
_PLAIN = {  # LaTeX with the same meaning that the parser can read
    *(r"\frac", r"\sum", r"\int", r"\sqrt", r"\infty", r"\cdot", r"\overline", r"\|"),
    *(r"\exp", r"\log", r"\cos", r"\sin", r"\tan", r"\tanh", r"\cosh", r"\pi"),
}
_CONSTANTS = {Symbol("i"): I, Symbol("e"): E, Symbol("pi"): pi}
_LETTERS = [letter for letter in ascii_letters if letter not in "deiEI"]
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|:=|.", re.S)
_STEP = re.compile(rf"\\text\{{[^{{}}]* [^{{}}]*\}}|{_TOKEN.pattern}", re.S)


def pieces(latex: str) -> list[str]:
    """Split a statement into formulas at its relations, commas and words."""
    depth, parts = 0, [""]
    latex = re.sub(r"\\q?quad(?![A-Za-z])", r"\\;", latex)
    for token in _STEP.findall(latex):
        depth += token in OPENING
        depth -= token in CLOSING
        if depth == 0 and (token in BETWEEN or token.startswith(r"\text{")):
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts if re.sub(r"\\[,;: ]|[.\s]", "", part)]


def left_side(latex: str, side: int) -> str:
    r"""Return the left side of the chain of equations that contains a piece of ``pieces``.

    It is empty if the piece is itself the left side, or the chain has no left side.

    >>> left_side(r"a := b = c, \quad d = e", 2), left_side("= b", 0)
    ('a', '')
    """
    chains: list[list[str]] = []
    depth, parts, equal = 0, [""], [False]
    for token in _STEP.findall(re.sub(r"\\q?quad(?![A-Za-z])", r"\\;", latex)):
        depth += token in OPENING
        depth -= token in CLOSING
        if depth == 0 and (token in BETWEEN or token.startswith(r"\text{")):
            parts.append("")
            equal.append(token in ("=", ":="))
        else:
            parts[-1] += token
    for part, follows in zip(parts, equal, strict=True):
        if follows and chains:
            chains[-1].append(part.strip())
        else:
            chains.append([part.strip()])
    wanted = pieces(latex)[side]
    return next((chain[0] for chain in chains if wanted in chain[1:]), "")


def read(
    latex: str, notation: Notation, conjugates: Mapping[Expr, Expr] | None = None
) -> Expr:
    r"""Return the expression of a formula in LaTeX.

    Args:
        latex: Formula without an equals sign.
        notation: Meanings of letters and names. The longest spelling is matched first.
        conjugates: Further pairs of symbols and their conjugates, beside the pairs ``x`` and
            ``\bar{x}`` of the notation.

    Raises:
        ValueError: If a letter has no meaning, or the formula cannot be parsed.

    >>> from sigprop.theory.symbols import lam, lam_bar
    >>> read(r"\frac{1}{1 - |\lambda|^2}", {r"\lambda": lam, r"\bar{\lambda}": lam_bar})
    1/(-\bar{\lambda}*lambda + 1)
    """
    from sympy.parsing.latex import parse_latex
    from sympy.parsing.latex.errors import LaTeXParsingError

    text, at = _evaluated_at(_plain(latex))
    table = {_plain(spelling): meaning for spelling, meaning in notation.items()}
    pairs = _pairs(table)
    for number, partner in (conjugates or {}).items():
        pairs |= {number: partner, partner: number}
    table |= {r"\Re": lambda z: (z + bar(z, pairs)) / 2}
    table |= {r"\Im": lambda z: (z - bar(z, pairs)) / (2 * I)}
    text, meanings = _placed(text, table)
    try:
        parsed: Any = parse_latex(text)
    except LaTeXParsingError as error:
        raise ValueError(f"need a formula that can be read, got {latex}") from error
    expression = _meant(parsed, meanings, pairs)
    return expression.subs([(read(a, notation), read(b, notation)) for a, b in at])


def _plain(latex: str) -> str:
    for pattern, plain in _ALIASES:
        latex = re.sub(pattern, plain, latex)
    return latex


def _evaluated_at(text: str) -> tuple[str, list[list[str]]]:
    """A trailing ``_{x=a,y=b}``, apart."""
    match = re.fullmatch(r"(.*[)|])\s*_\{([^=]+=.*)\}\s*", text, re.S)
    if match is None:
        return text, []
    return match[1].rstrip("|"), [pair.split("=") for pair in match[2].split(",")]


def _placed(
    text: str, table: Mapping[str, Any]
) -> tuple[str, dict[str, Expr | Callable[..., Any]]]:
    """Replace each spelling of the table by a letter; return text and letters."""
    spellings = sorted(table, key=len, reverse=True)
    out, position = "", 0
    letters: dict[str, str] = {}
    while position < len(text):
        spelling = next((s for s in spellings if _starts(text, position, s)), None)
        if spelling is None:
            token = _TOKEN.match(text, position)
            assert token is not None
            _require_known(token[0], text)
            position += len(token[0])
            times = token[0] in ("i", "e") and _is_called(text, position)
            out += token[0] + (r" \cdot " if times else "")
            continue
        position += len(spelling)
        letter = letters.setdefault(spelling, _LETTERS[len(letters)])
        called = _is_called(text, position)
        times = called and isinstance(table[spelling], Expr)
        out += f" {letter}" + (r" \cdot " if times else "" if called else " ")
    return out, {letter: table[spelling] for spelling, letter in letters.items()}


def _is_called(text: str, position: int) -> bool:
    return text[position:].lstrip().startswith("(")


def _starts(text: str, position: int, spelling: str) -> bool:
    """Return True if a spelling starts at ``position`` and does not extend further."""
    end = position + len(spelling)
    command = re.search(r"\\[A-Za-z]+$", spelling)
    longer = command and text[end : end + 1].isalpha()
    marked = text[end : end + 1] in ("_", "'")
    return text.startswith(spelling, position) and not longer and not marked


def _require_known(token: str, text: str) -> None:
    letter = token.isalpha() and token not in "die"
    if letter or (token[0] == "\\" and token not in _PLAIN):
        raise ValueError(
            f"need a meaning for every letter, got none for {token} in {text}"
        )


def _pairs(table: Mapping[str, Any]) -> dict[Expr, Expr]:
    """Numbers whose conjugates have names of their own, both ways."""
    pairs: dict[Expr, Expr] = {}
    for spelling, meaning in table.items():
        for name in (rf"\bar{{{spelling}}}", rf"\overline{{{spelling}}}"):
            if name in table:
                pairs |= {meaning: table[name], table[name]: meaning}
    return pairs


def bar(z: Expr, pairs: Mapping[Expr, Expr]) -> Expr:
    """Return the conjugate of an expression, given pairs of symbols and their conjugates."""
    free = {number: Dummy(str(number)) for number in pairs}
    back = {conjugate(dummy): pairs[number] for number, dummy in free.items()}
    left = {dummy: number for number, dummy in free.items()}
    turned: Any = conjugate(z.xreplace(free))
    turned = turned.replace(
        _turned_power, lambda e: Pow(conjugate(e.args[0].base), e.args[0].exp)
    )
    return turned.xreplace(back).xreplace(left)


def _turned_power(expression: Any) -> bool:
    """Return True for the conjugate of a root, which is taken off the branch cut."""
    return isinstance(expression, conjugate) and isinstance(expression.args[0], Pow)


def _meant(
    parsed: Any, meanings: Mapping[str, Any], pairs: Mapping[Expr, Expr]
) -> Expr:
    """Substitute the meaning of each letter into a parsed expression."""
    symbols = {Symbol(k): v for k, v in meanings.items() if isinstance(v, Expr)}
    expression = parsed.xreplace(_CONSTANTS).xreplace(symbols)
    for letter, function in meanings.items():
        if not isinstance(function, Expr):
            expression = expression.replace(Function(letter), function)
    expression = expression.replace(log, lambda x, *base: log(x))
    expression = expression.replace(Abs, lambda z: sqrt(z * bar(z, pairs)))
    expression = expression.replace(conjugate, lambda z: bar(z, pairs))
    for folded in (Derivative, Integral):
        expression = expression.replace(
            folded, lambda *of, fold=folded: fold(*of).doit()
        )
    return expression


def summed(expression: Expr) -> Expr:
    """Replace every geometric sum by its closed form, assuming that it converges.

    Sums over an autocovariance do not change.
    """
    from sigprop.theory.autocorrelation import geometric_sum

    if expression.has(AppliedUndef):
        return expression

    def closed(summand: Expr, *limits: Any) -> Expr:
        for limit in limits:
            summand = geometric_sum(summand, *limit)
        return summand

    return expression.replace(Sum, closed)
