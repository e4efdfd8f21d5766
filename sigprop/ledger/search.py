"""Text for the search of the ledger's index: the numbers of a row and its plain text.

The script ``site_index.js`` normalises the spelling of this text and of the query.
"""

import re

from sigprop.ledger.entries import Entry

# Names in ids, by names in the search.
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
    r"""A formula in the characters that a reader types; fractions become quotients.

    >>> plain(r"\\frac{(1-\\rho)^2}{1 - |\\lambda|}")
    '((1-rho)^2)/(1 - |lambda|)'
    """
    text = _DROPPED.sub("", latex)
    before = None
    while before != text:
        before = text
        text = _FRACTION.sub(r"(\1)/(\2)", text)
        if before == text:  # a group prevents the match: remove one pair of braces
            text = _GROUP.sub(r"\1", text, count=1)
    bare = re.sub(r"(?<=\w)\\", " ", re.sub(r"[{}]", "", text))
    return " ".join(bare.replace("\\", "").split())


def search_text(claim: Entry) -> str:
    """All texts of a row that the search reads."""
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
