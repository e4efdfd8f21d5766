"""Words for the search of the ledger's index: a row's numbers and its plain text.

Both sides are folded to one spelling by the script, ``site_index.js``, alone.
"""

import re

from sigprop.ledger.entries import Entry

# What an id calls a numbered thing, by what the search calls it.
KINDS = {
    "": "eq",
    "thm": "theorem",
    "prop": "proposition",
    "lemma": "lemma",
    "def": "definition",
    "fig": "figure",
    "table": "table",
    "footnote": "footnote",
}
_NUMBERED = re.compile(r"([a-z]*)((?:[A-Z]\.)?\d+(?:\.\d+)*)")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_GROUP = re.compile(r"(?<!frac)(?<!\})\{([^{}]*)\}")
_DROPPED = re.compile(
    r"\\(?:left|right|big|Big|bigl|bigr|quad|qquad|displaystyle|limits|math\w+|text\w*"
    r"|operatorname|begin|end)(?![A-Za-z])\*?|\\[,;:! ]|[&$]"
)


def label(claim_id: str) -> str:
    """Return the paper's own number of a row, such as ``eq 59``; empty without a number.

    >>> label("zucchet:59"), label("lru:prop3.3"), label("blur:lemmaA.4")
    ('eq 59', 'proposition 3.3', 'lemma a.4')
    >>> label("lru:text:matches")
    ''
    """
    match = _NUMBERED.match(claim_id.partition(":")[2])
    if match is None or match[1] not in KINDS:
        return ""
    return f"{KINDS[match[1]]} {match[2].lower()}"


def plain(latex: str) -> str:
    r"""A formula in the letters that a reader types; fractions become quotients.

    >>> plain(r"\\frac{(1-\\rho)^2}{1 - |\\lambda|}")
    '((1-rho)^2)/(1 - |lambda|)'
    """
    text = _DROPPED.sub("", latex)
    before = None
    while before != text:
        before = text
        text = _FRACTION.sub(r"(\1)/(\2)", text)
        if before == text:  # what stands in the way of one is open first
            text = _GROUP.sub(r"\1", text, count=1)
    bare = re.sub(r"(?<=\w)\\", " ", re.sub(r"[{}]", "", text))
    return " ".join(bare.replace("\\", "").split())


def search_text(claim: Entry) -> str:
    """All that a search of a row looks through."""
    formulas = dict.fromkeys(filter(None, (claim.statement, claim.corrected)))
    parts = (
        claim.id,
        claim.title,
        claim.source,
        claim.kind,
        claim.topic,
        *(plain(formula) for formula in formulas),
        claim.condition or "",
        claim.note,
    )
    return " \n".join(filter(None, parts))
