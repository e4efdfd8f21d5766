"""Notes are typeset: formulas, links and code, and no word is taken for one of them."""

import re
from xml.etree import ElementTree

import pytest

from sigprop.ledger.prose import typeset
from sigprop.theory.claims import registry

FIELDS = ("title", "note", "reason")


def typeset_text(text, **options):
    """The text with its formulas in brackets, scripts behind their marks."""

    def formula(match):
        return f"[{scripts(ElementTree.fromstring(match[0]))}]"

    def scripts(node):
        parts = [scripts(child) for child in node]
        marks = {"msub": "_", "msup": "^", "msubsup": "_^"}.get(node.tag)
        if marks:
            return parts[0] + marks + "".join(f"({part})" for part in parts[1:])
        if node.tag == "msqrt":
            return f"√({''.join(parts)})"
        return (node.text or "") + "".join(parts)

    return re.sub(r"<math>.*?</math>", formula, str(typeset(text, {}, **options)))


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("|lambda| < 1, real", "[|λ|<1], real"),
        ("E|h_t|^2 of a state", "[E|h_(t)|^(2)] of a state"),
        ("as 1/(1 - rho)^2 and R = rho^|lag|", "as [1/(1−ρ)^(2)] and [R=ρ^(|lag|)]"),
        ("x_{t+1} of g*_j, B~ and t' = 3", "[x_(t+1)] of [g_^(j)(*)], [B~] and [t^(′)=3]"),
        ("sqrt(1 - nu^2) bounds it", "[√(1−ν^(2))] bounds it"),
        ("r_min < r_max, theta0 <= 0.3 pi", "[r_(min)<r_(max)], [θ_(0)≤0.3π]"),
        ("at -1, lam = -0.9 and 1e-7", "at -1, [λ=−0.9] and 1e-7"),
        ("4 n r^2 C^2 at n = 2", "[4nr^(2)C^(2)] at [n=2]"),
        ("7 * 64 + 1 = 449 weights, 4x4 blocks", "[7·64+1=449] weights, 4 × 4 blocks"),
        ("Theta(1), and exp(-0.82) of it", "[Θ(1)], and [exp(−0.82)] of it"),
    ],
)  # fmt: skip
def test_formulas_are_found_between_words(text, rendered):
    assert typeset_text(text) == rendered


@pytest.mark.parametrize(
    "text",
    [
        "A negative eigenvalue makes a filter",
        "As in Appendix B.2 and Figure 14.A, C; Tables 8-11",
        "S4D and N-HiTS, e.g. at 16kHz, 2 to 5 of 10 for 0.2 s",
        "Wirtinger's half, the paper's (see 59): 1, 2 and 3",
        "AR(1) with 25 % more - or less",
    ],
)
def test_words_stay_words(text):
    assert typeset_text(text) == text.replace("'", "&#39;")


def test_a_letter_is_a_matrix_in_a_sentence_and_an_article_before_it():
    assert typeset_text("A matrix A. A is real.") == "A matrix [A]. [A] is real."


def test_ids_and_numbers_become_links_where_there_is_a_page():
    links = {"lru:4": "lru-4.html", "lru:lemma3.2": "b.html"}
    text = "As lru:4, Eq. 4, Lemma 3.2, Eq. 5 and lru:5 of theory.ring, nu_log or max_phase"
    page = str(typeset(text, links, "lru"))
    assert page.count('<a class="id" href="lru-4.html">lru:4</a>') == 1
    assert '<a href="lru-4.html">Eq. 4</a>' in page
    assert '<a href="b.html">Lemma 3.2</a>' in page
    assert page.count("<a ") == 3
    assert "<code>theory.ring</code>" in page
    assert "<code>max_phase</code>" in page
    assert "<mi>ν</mi>" in page
    assert "<a " not in typeset(text, {"lru:4": ""}, "lru", own="lru:4")


def test_what_is_no_markup_is_escaped():
    assert (
        str(typeset("a <em> & `<i>`", {}))
        == "a &lt;em&gt; &amp; <code>&lt;i&gt;</code>"
    )


def test_hardly_a_formula_of_the_ledger_stays_raw():
    raw = re.compile(r"\w[\^_]|[\^_|~]\w|&[lg]t;|\b(?:lambda|lam|rho|nu|sqrt|theta)\b")
    shown = total = 0
    for claim in registry().values():
        texts = [getattr(claim, name) for name in FIELDS]
        texts += [claim.assumes.text, claim.condition.text if claim.condition else ""]
        page = str(typeset(" ".join(texts), {}, claim.paper))
        for formula in re.findall(r"<math>.*?</math>", page):
            ElementTree.fromstring(formula)
            total += 1
        bare = re.sub(r"<math>.*?</math>|<code>.*?</code>", "", page)
        shown += len(raw.findall(bare))
    assert total > 1500
    assert shown <= 0.01 * total
