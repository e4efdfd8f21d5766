"""Notes as HTML, with typeset formulas and with ids as links."""

import re
from collections.abc import Callable, Mapping

from markupsafe import Markup, escape

from sigprop.ledger.formulas import GREEK, formula
from sigprop.ledger.mathml import mathml
from sigprop.theory.claims import PAPERS

_ID = rf"(?:{'|'.join(PAPERS)}):[A-Za-z0-9](?:[\w.:-]*\w)?"
_PARTS = re.compile(
    r"\$(?P<latex>[^$\n]+)\$"
    r"|`(?P<quoted>[^`\n]+)`"
    rf"|(?<![\w:])(?P<id>{_ID})"
    r"|(?<!\w)(?P<code>(?:theory|sigprop|experiments|figures|notebooks)(?:\.\w+)+"
    rf"|(?!(?:{'|'.join(GREEK)}|sum|prod)_)\w*[A-Za-z]{{2}}\w*_\w*[A-Za-z]{{2}}\w*(?:\.\w+)*)"
    r"|\b(?P<kind>Eq\.|Lemma|Theorem|Proposition) (?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)*)(?!\w)"
)
_KINDS = {"Eq.": "", "Lemma": "lemma", "Theorem": "thm", "Proposition": "prop"}
_WORD = re.compile(
    r"e\.g\.|i\.e\.|i\.i\.d\.|[A-Za-z]+'[a-z]+|[A-Za-z]{2,}\w*|\s+|.", re.S
)
# Letters after these words are names of parts.
_NAMING = re.compile(
    r"(?:Eqs?\.|Appendi\w+|Figures?|Figs?\.|Tables?|Sections?|panels?|parts?|class|classes"
    r"|columns?|items?)(?: [\w.]+(?:,| and))* $"
)
_ENDS = re.compile(r"(?:^|[.:;?!]\s)$")
_SUBJECT = re.compile(r" (?:is|are|has|have|and|or|in|may|itself|must|with|of)\b")

Links = Mapping[str, str]  # addresses of rows, by id


def typesetter(links: Links) -> Callable[..., Markup]:
    """A filter of templates that typesets plain text, escaped; see ``typeset``."""

    def prose(text: str, paper: str = "", own: str = "") -> Markup:
        return typeset(text, links, paper, own)

    return prose


def typeset(text: str, links: Links, paper: str = "", own: str = "") -> Markup:
    """Plain text as HTML.

    Args:
        text: Text with formulas in LaTeX between dollars, or in plain characters.
        links: Addresses by id; ids without an address stay text.
        paper: Paper whose equations, lemmas and theorems the text names by number.
        own: Id of the row of the text, which is not linked.

    >>> typeset("|x| < 1, see lru:4", {"lru:4": "lru-4.html"}).count("<a ")
    1
    """
    text = re.sub(r"(?<=\d) ?x ?(?=\d)", " × ", text)
    done = Markup("")
    at = 0
    for part in _PARTS.finditer(text):
        done += _plain(text, at, part.start())
        done += _special(part, links, paper, own)
        at = part.end()
    return done + _plain(text, at, len(text))


def _special(part: re.Match[str], links: Links, paper: str, own: str) -> Markup:
    if part["latex"]:
        return Markup(mathml(part["latex"], display=False))
    if part["quoted"] or part["code"]:
        return Markup("<code>{}</code>").format(part["quoted"] or part["code"])
    name = part["id"] or f"{paper}:{_KINDS[part['kind']]}{part['number']}"
    if name not in links or name == own:
        return escape(part[0])
    return Markup('<a{} href="{}">{}</a>').format(
        Markup(' class="id"') if part["id"] else "", links[name], part[0]
    )


def _plain(text: str, start: int, end: int) -> Markup:
    """Convert a text without links, in which formulas can occur."""
    text = text[:end]
    done: list[str] = []
    at = start
    while at < end:
        parsed = formula(text, at) if _may_begin(text, at) else None
        if parsed is not None and _is_formula(text, at, parsed.end, parsed.weight):
            done.append(f"<math>{parsed.markup}</math>")
            at = parsed.end
            continue
        match = _WORD.match(text, at)
        step = match.end() if match else at + 1
        done.append(str(escape(text[at:step])))
        at = step
    return Markup("").join(map(Markup, done))


def _may_begin(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if text[at].isdigit() and _NAMING.search(text[:at]):
        return False
    return not (before.isalnum() or before in {"_", "^", "'"} or text[at] in " .,;:")


def _is_formula(text: str, start: int, end: int, weight: int) -> bool:
    """True if a parsed formula is one, and not a word or the name of a part."""
    letter = text[start:end]
    if weight == 0:
        return False
    if weight > 1:
        return True
    if letter in {"a", "s"} or text[start - 1 : start] in {"-", "."}:
        return False
    if re.match(r"-[A-Za-z]{2}|\.[A-Za-z]", text[end:]) or _NAMING.search(text[:start]):
        return False
    if letter in {"A", "I"} and _ENDS.search(text[:start]):
        return _SUBJECT.match(text[end:]) is not None
    return True
