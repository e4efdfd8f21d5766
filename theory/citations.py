"""Citations of the papers in BibTeX, and pages of their statements."""

from typing import NamedTuple

from sigprop.theory.claims import PAPERS


class Citation(NamedTuple):
    """A BibTeX entry: its kind, its key, and its fields."""

    kind: str
    key: str
    fields: dict[str, str]


CITATIONS = {
    "zucchet": Citation(
        "inproceedings",
        "zucchet2024recurrent",
        {
            "author": "Zucchet, Nicolas and Orvieto, Antonio",
            "booktitle": "Advances in Neural Information Processing Systems",
            "volume": "37",
            "year": "2024",
            "eprint": "2405.21064",
            "archiveprefix": "arXiv",
        },
    ),
    "lru": Citation(
        "inproceedings",
        "orvieto2023resurrecting",
        {
            "author": "Orvieto, Antonio and Smith, Samuel L. and Gu, Albert and Fernando, "
            "Anushan and Gulcehre, Caglar and Pascanu, Razvan and De, Soham",
            "booktitle": "International Conference on Machine Learning",
            "pages": "26670--26698",
            "year": "2023",
            "eprint": "2303.06349",
            "archiveprefix": "arXiv",
        },
    ),
    "rotrnn": Citation(
        "misc",
        "biegun2024rotrnn",
        {
            "author": "Biegun, Kai and Dolga, Rares and Cunningham, Jake and Barber, David",
            "year": "2024",
            "eprint": "2407.07239",
            "archiveprefix": "arXiv",
        },
    ),
    "blur": Citation(
        "misc",
        "liu2025bidirectional",
        {
            "author": "Liu, Qisai and Jiang, Zhanhong and Hasan, Md Zahid and Waite, Joshua "
            "R. and Liu, Chao and Balu, Aditya and Sarkar, Soumik",
            "year": "2025",
        },
    ),
}

# Page of a row in the PDF, by paper.  For RotRNN it follows from the line numbers, 54
# per page of the submission; our copies of other papers have no page numbers.
PAGES: dict[str, dict[str, int]] = {
    "rotrnn": {
        "rotrnn:lemma3": 5,
        "rotrnn:text:lemma3-last-step": 5,
        "rotrnn:text:trace": 6,
        "rotrnn:11": 6,
        "rotrnn:14": 7,
        "rotrnn:text:lru-norm-sum": 7,
        "rotrnn:text:stronger-guarantee": 7,
        "rotrnn:table1:lru-citation": 8,
        "rotrnn:text:six-layers": 13,
    },
}


def page(claim_id: str) -> int | None:
    """Return the page of the PDF with the statement of a row, or ``None`` if unknown.

    >>> page("rotrnn:lemma3"), page("zucchet:59")
    (5, None)
    """
    return PAGES.get(claim_id.partition(":")[0], {}).get(claim_id)


def bibtex(paper: str) -> str:
    """Return the BibTeX entry of a paper, with the title in braces to keep capitals.

    Raises:
        KeyError: If the paper is unknown.
    """
    kind, key, fields = CITATIONS[paper]
    lines = {"title": f"{{{PAPERS[paper].title}}}"} | fields
    inside = ",\n".join(f"  {name} = {{{value}}}" for name, value in lines.items())
    return f"@{kind}{{{key},\n{inside}\n}}\n"
