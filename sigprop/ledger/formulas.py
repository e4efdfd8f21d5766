"""Formulas in plain text, such as ``E|h|^2 = 1/(1 - |lambda|^2)``, turned into MathML.

``formula`` reads the longest formula that begins at a position of a text.  It returns
``None`` if no formula begins there.
"""

import re
from dataclasses import dataclass, replace

_LETTERS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa"),
    *("lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi"),
    *("omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi"),
    *("Omega", "lam", "eps"),
)
GREEK = dict(zip(_LETTERS, "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩλε", strict=True))
FUNCTIONS = frozenset(
    {
        *("exp", "log", "sin", "cos", "tan", "tanh", "cosh", "sinh", "sign", "vec"),
        *("diag", "det", "tr", "trace", "rank", "Re", "Im", "Var", "Cov", "std", "SO"),
        *("max", "min", "sup", "inf", "lim", "arg", "relu", "ReLU", "sigmoid"),
    }
)
SPACED = frozenset({"log", "sin", "cos", "tanh", "Re", "Im", "arg", "exp"})
OPERATORS = {
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "->": "→",
    "==": "=",
    "*": "·",
    "-": "−",
    "+": "+",
    "/": "/",
    "=": "=",
    "<": "&lt;",
    ">": "&gt;",
}
CLOSING = {"(": ")", "[": "]", "{": "}"}
_TOKEN = re.compile(
    r"(?P<dots>\.\.\.)"
    r"|(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*[A-Za-z]{2}))"
    r"|(?P<word>[A-Za-z]+\d\w*|[A-Za-z]+'[a-z]+)"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<operator><=|>=|!=|->|==|[-+*/=<>])"
    r"|(?P<other>.)",
    re.S,
)
_DIFFERENTIAL = re.compile(
    r"d([hxyLtPgcsbzAFN]|Re|Im|lambda|lam|theta|nu|omega|alpha|gamma)"
)
_INDEXED = re.compile(r"([A-Za-z]+?)(\d)")  # such as theta0


@dataclass(frozen=True)
class Parsed:
    """A formula, or a part of a formula.

    Attributes:
        markup: Its MathML.
        end: Position in the text at which it ends.
        weight: Certainty that it is not prose: 0 for a number, 1 for a letter, 2
            otherwise.
    """

    markup: str
    end: int
    weight: int

    def then(self, markup: str, end: int, weight: int) -> "Parsed":
        """Append the next part of the same formula."""
        return Parsed(self.markup + markup, end, max(self.weight, weight))


def formula(text: str, start: int = 0) -> Parsed | None:
    """The longest formula at ``start`` of a text; its markup lacks the ``math`` element.

    >>> formula("E|h|^2 of a state").end
    6
    >>> formula("of a state") is None
    True
    """
    return _expression(text, start, inside="")


def _token(text: str, at: int) -> tuple[str, str]:
    """Kind and text of the token at a position."""
    match = _TOKEN.match(text, at)
    return ("", "") if match is None else (match.lastgroup or "", match[0])


def _spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def _expression(text: str, start: int, inside: str) -> Parsed | None:
    """Terms with operators between them, up to the closing bracket of ``inside``."""
    at, sign = start, ""
    if _token(text, at)[1] in {"-", "+"}:
        sign = f'<mo form="prefix">{OPERATORS[text[at]]}</mo>'
        at += 1
    left = _term(text, at, inside)
    if left is None:
        return None
    left = replace(left, markup=sign + left.markup)
    while True:
        before = _spaces(text, left.end)
        kind, operator = _token(text, before)
        if kind != "operator":
            return left
        after = _spaces(text, before + len(operator))
        if (before > left.end) != (after > before + len(operator)):
            return left  # a dash or a hyphen, not a minus
        following = _term(text, after, inside) or _signed(text, after, inside)
        if following is None:
            return left
        tight = ' lspace="0" rspace="0"' if operator == "/" else ""
        mark = f"<mo{tight}>{OPERATORS[operator]}</mo>"
        sure = left.weight or following.weight or operator == "*"
        weight = max(following.weight, 2 if sure else 0)
        left = left.then(mark + following.markup, following.end, weight)


def _signed(text: str, at: int, inside: str) -> Parsed | None:
    """A term with its own sign, as in ``x = -1``."""
    if at < len(text) and text[at] == "-":
        term = _term(text, at + 1, inside)
        return term and replace(term, markup=f'<mo form="prefix">−</mo>{term.markup}')
    return None


def _term(text: str, start: int, inside: str) -> Parsed | None:
    """Adjacent factors."""
    product = _factor(text, start, inside)
    while product is not None:
        gap = _spaces(text, product.end)
        apart = gap > product.end
        kind, token = _token(text, gap)
        if token == "|" and (
            inside == "|" or (apart and text[gap + 1 : gap + 2] == " ")
        ):
            return product
        if apart and not _is_factor_apart(text, gap, inside):
            return product
        if not apart and kind == "number":
            return product
        following = _factor(text, gap, inside)
        if following is None:
            return product
        if following.weight == 0 and (apart or text[gap] not in "(["):
            return product
        product = product.then(following.markup, following.end, 2)
    return None


def _is_factor_apart(text: str, at: int, inside: str) -> bool:
    """True if the text after a space can still be a factor of the product."""
    kind, token = _token(text, at)
    if text[at + 1 : at + 2] in {"_", "^"} and token.isalpha():
        return True
    if inside:
        return kind in {"name", "word"} or token in {"(", "[", "|"}
    return token == "|" or (kind == "name" and token not in {"a", "A", "I", "s"})


def _factor(text: str, start: int, inside: str) -> Parsed | None:
    """One letter, number, function or bracket, with its scripts."""
    kind, token = _token(text, start)
    base: Parsed | None = None
    if kind == "number":
        base = Parsed(f"<mn>{token}</mn>", start + len(token), 0)
    elif kind == "dots":
        base = Parsed("<mo>…</mo>", start + 3, 0)
    elif kind == "name":
        base = _name(text, start, token, inside)
    elif kind == "word" and (split := _INDEXED.fullmatch(token)):
        if split[1] in GREEK:
            letter, index = GREEK[split[1]], split[2]
            markup = f"<msub><mi>{letter}</mi><mn>{index}</mn></msub>"
            base = Parsed(markup, start + len(token), 2)
    elif token == "|" and inside != "|":
        base = _bracket(text, start, "|", "|")
    elif token in {"(", "["}:
        base = _bracket(text, start, token, CLOSING[token])
    return base and _scripts(text, base)


def _name(text: str, start: int, token: str, inside: str) -> Parsed | None:
    """A letter, or a word with one meaning."""
    end = start + len(token)
    following = text[end : end + 1]
    if token in {"sum", "prod"} and following == "_":
        return Parsed(f"<mo>{'∑' if token == 'sum' else '∏'}</mo>", end, 2)
    if token in GREEK:
        return Parsed(f"<mi>{GREEK[token]}</mi>", end, 2)
    if token in {"sqrt", "conj"} and following == "(":
        inner = _expression(text, end + 1, ")")
        if inner is None or text[inner.end : inner.end + 1] != ")":
            return None
        wrap = (
            "<msqrt>{}</msqrt>",
            '<mover accent="true"><mrow>{}</mrow><mo>¯</mo></mover>',
        )
        return Parsed(wrap[token == "conj"].format(inner.markup), inner.end + 1, 2)
    if token in FUNCTIONS:
        spaced = following == " " and token in SPACED
        argument = _factor(text, end + spaced, "") if following in " ([|^_" else None
        if argument is None and not (following in {"^", "_"} and following):
            return None
        if spaced and argument is not None and argument.weight == 0:
            return None
        gap = '<mspace width=".17em"></mspace>' if spaced else ""
        return Parsed(f"<mi>{token}</mi>{gap}", end + spaced, 1)
    if token == "infinity":
        return Parsed("<mi>∞</mi>", end, 0)
    if match := _DIFFERENTIAL.fullmatch(token):
        letter = GREEK.get(match[1], match[1])
        return Parsed(f"<mi>d</mi><mi>{letter}</mi>", end, 2)
    if len(token) == 1:
        return Parsed(f"<mi>{token}</mi>", end, 1)
    if following == "^" or (following == inside == "|"):
        return Parsed(f"<mi>{token}</mi>", end, 2)
    return None


def _bracket(text: str, start: int, opening: str, closing: str) -> Parsed | None:
    """The content of a pair of brackets, possibly several parts with commas."""
    parts: list[str] = []
    at, weight = _spaces(text, start + 1), 0
    while True:
        inner = _expression(text, at, closing)
        if inner is None:
            return None
        parts.append(inner.markup)
        weight = max(weight, inner.weight)
        at = _spaces(text, inner.end)
        if text[at : at + 1] != ",":
            break
        at = _spaces(text, at + 1)
    if text[at : at + 1] != closing:
        return None
    form = ' stretchy="false"' if opening == "|" else ""
    first = f'<mo{form} form="prefix">{opening}</mo>'
    last = f'<mo{form} form="postfix">{closing}</mo>'
    inside = "<mo>,</mo>".join(parts)
    return Parsed(f"<mrow>{first}{inside}{last}</mrow>", at + 1, weight)


def _scripts(text: str, base: Parsed) -> Parsed:
    """Add the subscripts, powers, stars, primes and tildes that directly follow."""
    below = above = ""
    scripted = base
    while True:
        mark, end = text[scripted.end : scripted.end + 1], scripted.end + 1
        if mark in {"_", "^"} and mark:
            inner = _script(text, end)
            if inner is None:
                break
            below, above = (
                (inner.markup, above) if mark == "_" else (below, above + inner.markup)
            )
            scripted = replace(scripted, end=inner.end, weight=2)
        elif mark == "*" and scripted.weight and not _goes_on(text, end):
            above += "<mo>*</mo>"
            scripted = replace(scripted, end=end, weight=2)
        elif mark == "'" and scripted.weight and not text[end : end + 1].isalpha():
            above += "<mo>′</mo>"
            scripted = replace(scripted, end=end, weight=2)
        elif mark == "~" and scripted.weight and scripted.end == base.end:
            tilde = f'<mover accent="true">{base.markup}<mo>~</mo></mover>'
            scripted = Parsed(tilde, end, 2)
            base = replace(scripted)
        else:
            break
    body = (
        base.markup if base.markup.count("<m") == 1 else f"<mrow>{base.markup}</mrow>"
    )
    groups = [f"<mrow>{script}</mrow>" for script in (below, above) if script]
    if groups:
        tag = "msubsup" if len(groups) == 2 else "msub" if below else "msup"
        body = f"<{tag}>{body}{''.join(groups)}</{tag}>"
        return replace(scripted, markup=body)
    return scripted


def _goes_on(text: str, at: int) -> bool:
    """True if a star is a multiplication, as in ``a*b``."""
    return text[at : at + 1].isalnum() or text[at : at + 1] == "("


def _script(text: str, at: int) -> Parsed | None:
    """A subscript or power: a group, or one signed letter, number or word."""
    opening = text[at : at + 1]
    if opening == "{":
        group = _bracket(text, at, "{", "}")
        if group is None:
            return None
        bare = re.sub(r'<mo form="\w+">[{}]</mo>', "", group.markup)
        return replace(group, markup=bare)
    if opening in {"(", "|"}:
        return _bracket(text, at, opening, CLOSING.get(opening, "|"))
    sign = "<mo>−</mo>" if opening == "-" else ""
    kind, token = _token(text, at + bool(sign))
    end = at + bool(sign) + len(token)
    if kind == "number":
        return Parsed(f"{sign}<mn>{token}</mn>", end, 2)
    if kind in {"name", "word"}:
        return Parsed(f"{sign}<mi>{GREEK.get(token, token)}</mi>", end, 2)
    if token == "+" and not text[end : end + 1].isalnum():
        return Parsed("<mo>+</mo>", end, 2)
    return None
