"""Printed LaTeX is read by machine, and says what the row's form says."""

import re

import pytest
from sympy import Rational, exp, sin, sqrt

from sigprop.theory.claims import registry
from sigprop.theory.derivation import Derivation
from sigprop.theory.latex import pieces, read, summed
from sigprop.theory.reading import agrees
from sigprop.theory.readings import IN_WORDS, UNREAD, reading_of
from sigprop.theory.symbols import Delta, R, lam, lam_bar, rho

LETTERS = {
    r"\lambda": lam,
    r"\bar{\lambda}": lam_bar,
    r"\rho": rho,
    r"\Delta": Delta,
    "R_x": R,
}
FORMS = {
    key: (latex, form)
    for claim in registry().values()
    for key, latex, form in (
        (claim.id, claim.statement, claim.printed),
        (f"{claim.id} corrected", claim.correction, claim.corrected or claim.derive),
    )
    if latex and form
}
# SymPy takes a second or more to see that both forms are one.  The first three hold as
# printed, so that judging their rows compares the same form with its routes.
COSTLY = (
    *("sigprop:sensitivity-finite", "zucchet:55", "zucchet:39"),
    "zucchet:text:bias-sensitivity corrected",
)
READ = [
    pytest.param(key, marks=[pytest.mark.slow] if key in COSTLY else [])
    for key in FORMS
    if key not in UNREAD
]
STATED = [key for key in FORMS if not key.endswith("corrected")]


def form_of(key):
    form = FORMS[key][1]()
    return form.result if isinstance(form, Derivation) else form


def says(key, latex):
    name, _, corrected = key.partition(" ")
    return agrees(latex, form_of(key), reading_of(name, bool(corrected)))


@pytest.mark.parametrize(
    ("latex", "meant"),
    [
        (r"\frac{1}{1 - |\lambda|^2}", 1 / (1 - lam * lam_bar)),
        (r"\left|1-\rho\lambda\right|^4", ((1 - rho * lam) * (1 - rho * lam_bar)) ** 2),
        (
            r"\operatorname{Re}\left[i\lambda\right]",
            Rational(1, 2) * 1j * (lam - lam_bar),
        ),
        (r"\overline{\lambda^2}\mathrm{e}^{i\rho}", lam_bar**2 * exp(1j * rho)),
        (
            r"\frac{\mathrm{d}}{\mathrm{d}\lambda}\left[\lambda(1-\rho\lambda)\right]",
            None,
        ),
        (r"\lambda_{\lambda=\rho}", None),
        (r"\sqrt{1-\rho^2}\sin(\rho)", sqrt(1 - rho**2) * sin(rho)),
    ],
)
def test_mathematics_is_read_as_it_is_meant(latex, meant):
    if meant is None:
        meant = {"d": 1 - 2 * rho * lam, "_": rho}["d" if "frac" in latex else "_"]
        latex = latex.replace(r"\lambda_{", r"(\lambda)_{")
    difference = (read(latex, LETTERS) - meant).expand().rewrite(exp)
    assert (
        abs(complex(difference.subs({lam: 0.3 + 0.2j, lam_bar: 0.3 - 0.2j, rho: 0.7})))
        < 1e-12
    )


def test_a_sum_over_lags_keeps_the_autocovariance_and_another_closes():
    total = read(r"\sum_{\Delta \ge 1} \lambda^\Delta R_x(\Delta)", LETTERS)
    assert summed(total) == total
    assert total.has(R(Delta))
    closed = summed(read(r"\sum_{\Delta \geq 1} \lambda^{\Delta}\rho^\Delta", LETTERS))
    assert (closed - lam * rho / (1 - lam * rho)).simplify() == 0


def test_relations_commas_and_words_part_a_statement_but_not_inside_brackets():
    latex = r"f(a, b) := x,\quad \text{so that } y = \left[c, d\right] \to \infty"
    assert pieces(latex) == ["f(a, b)", "x", "y", r"\left[c, d\right]", r"\infty"]


@pytest.mark.parametrize(
    "latex", [r"\mu", r"\lambda x", r"\lambda_i", r"\rho'", r"\mathbb{E}[\lambda]", "q"]
)
def test_a_letter_without_a_meaning_is_refused(latex):
    with pytest.raises(ValueError, match="need a meaning for every letter"):
        read(latex, LETTERS)


def test_what_is_no_formula_is_refused():
    with pytest.raises(ValueError, match="need a formula that can be read"):
        read(r"\frac{\lambda}", LETTERS)


@pytest.mark.parametrize("key", READ)
@pytest.mark.sampled(100)
def test_what_is_printed_is_what_is_judged(key):
    latex = FORMS[key][0]
    assert says(key, latex), (
        f"need {form_of(key)} as the last member of {latex}; or say in READINGS of "
        "theory/readings.py how to read it, or in UNREAD there why it cannot be read"
    )


def other_number(latex):
    """The same with its last number that is no index or limit larger by one."""
    matches = [
        match
        for match in re.finditer(r"\d", latex)
        if not re.search(
            r"_\{?[^{}\s]*$|\\ge(q)? ?$|_\{[^{}]*$", latex[: match.start()]
        )
    ]
    last = matches[-1]
    return f"{latex[: last.start()]}{int(last[0]) + 1}{latex[last.end() :]}"


@pytest.mark.parametrize(
    "key", ["zucchet:45", "zucchet:59", "zucchet:95", "zucchet:142", "lru:41", "lru:27"]
)
def test_another_number_in_the_print_is_noticed(key):
    latex = FORMS[key][0]
    assert says(key, latex)
    assert not says(key, other_number(latex))


def test_few_formulas_are_left_to_the_eye():
    worded = {key for key, reason in UNREAD.items() if reason == IN_WORDS}
    formulas = [key for key in STATED if key not in worded]
    assert sum(key in UNREAD for key in formulas) <= 0.2 * len(formulas)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("key", UNREAD)
def test_what_is_on_the_list_cannot_be_read(key):
    assert key in FORMS
    try:
        answer = says(key, FORMS[key][0])
    except (ValueError, IndexError, NotImplementedError):
        return
    assert not answer, "strike it out"
