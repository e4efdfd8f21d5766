"""What authors are told: a class, an example for the hand, what rests on the fault."""

from dataclasses import replace

import pytest

from sigprop.judge.basis import Check, Example, Grid
from sigprop.judge.forms import worked
from sigprop.judge.mutants import Score, Scores
from sigprop.judge.statuses import finish
from sigprop.theory.citations import CITATIONS, PAGES, bibtex, page
from sigprop.theory.claims import PAPERS, Status, registry
from sigprop.theory.errata import DOUBTFUL, Erratum
from tests.rows import changed, row

HALF = Example("the power", {"x": 3.0}, lambda x: x, lambda x: x * x)


def test_an_example_gives_both_values_to_four_digits():
    text = worked(Example("E|h|^2", {"a": 0.9, "T": 2}, 1 / 3, lambda a, T: a * T))
    assert text == "E|h|^2, at a = 0.9, T = 2: printed 0.3333, true 1.8."
    turned = worked(Example("the gain", {}, 1j, lambda: 0.25 - 2j))
    assert turned == "The gain: printed i, true 0.25-2i."
    named = worked(Example("who wins", {}, "S5, by far", "BLUR"), "stated")
    assert named == "Who wins: stated S5, by far; true BLUR."
    python = worked(Example("dh/dlam", {"lam": 0.5 + 0.5j}, 1e5, 12345.6))
    assert python == "dh/dlambda, at lambda = 0.5+0.5i: printed 100000, true 12350."


def test_an_example_whose_values_agree_is_none():
    with pytest.raises(ValueError, match=r"differ in four digits, got 2 twice"):
        worked(Example("a count", {}, 2.00001, 2))


@pytest.mark.parametrize("at", [dict.fromkeys("abcd", 1.0), {"a": (1, 2)}])
def test_what_no_hand_can_follow_is_refused(at):
    with pytest.raises(ValueError, match="at most three scalars"):
        Example("x", at, 1, 2)


@pytest.mark.parametrize("key", ["zucchet:8", "zucchet:45", "zucchet:59"])
def test_an_example_stands_before_the_point_of_a_route(key):
    entry = row(key)
    with_example = changed(entry, {"example": HALF})
    result = finish(with_example, [], Scores(), 0.0, "another")
    assert result.counterexample == "The power, at x = 3: printed 3, true 9."
    bare = changed(entry, {"example": None})
    assert finish(bare, [], Scores(), 0.0, "another").counterexample == "another"


def test_every_basis_takes_an_example():
    check = Check(lambda claim, seed: (), lambda claim: Score(0, ()), (), HALF)
    assert check.example == HALF
    assert Grid("state", (), example=HALF).example == HALF


def test_a_class_has_a_letter_and_something_is_said_of_later_results():
    with pytest.raises(ValueError, match="need a class of A, B, C, D, E, got 'F'"):
        Erratum(DOUBTFUL, bearing="nothing")
    with pytest.raises(ValueError, match="need the rows that inherit a fault"):
        Erratum("A")


def test_every_id_of_an_erratum_is_a_row():
    known = registry()
    for claim in known.values():
        if claim.erratum is not None:
            locations = (*claim.erratum.inherits, *claim.erratum.appears_in)
            named = [claim.erratum.root]
            named += [
                location
                for location in locations
                if ":" in location and " " not in location
            ]
            assert [name for name in named if name and name not in known] == []
            assert claim.id not in named


ACCUSED = (Status.REFUTED, Status.CONDITIONAL)


def test_an_accusation_or_a_misprinted_definition_has_a_class_and_nothing_else_has():
    papers = [claim for claim in registry().values() if claim.paper != "sigprop"]
    for claim in papers:
        accused = claim.expected in ACCUSED
        misprinted = claim.kind == "definition" and claim.correction is not None
        assert (claim.erratum is not None) == (accused or misprinted), claim.id
        if misprinted:
            assert claim.errata_class == "C", claim.id


def test_a_root_names_every_row_that_repeats_its_fault():
    known = registry()
    for claim in known.values():
        if claim.erratum is not None and claim.erratum.root:
            root = known[claim.erratum.root].erratum
            assert claim.id in (*root.appears_in, *root.inherits)


def test_a_root_is_a_fault_of_its_own_and_none_that_repeats_it_is_worse():
    known = registry()
    for claim in known.values():
        if claim.erratum is not None and claim.erratum.root:
            root = known[claim.erratum.root].erratum
            assert root is not None, claim.id
            assert not root.root, claim.id
            assert root.letter <= claim.erratum.letter, claim.id


def test_what_our_copy_may_have_spoilt_is_doubtful_and_accuses_nobody():
    spoilt = [claim for claim in registry().values() if claim.as_extracted]
    assert len(spoilt) > 20
    for claim in spoilt:
        assert claim.errata_class == DOUBTFUL
        assert claim.erratum is None, claim.id
        assert claim.expected not in ACCUSED, claim.id


def test_a_known_page_is_of_an_accusation():
    known = registry()
    for paper, pages in PAGES.items():
        for claim_id, number in pages.items():
            assert known[claim_id].paper == paper
            assert known[claim_id].erratum is not None, claim_id
            assert page(claim_id) == number
    assert page("zucchet:59") is None


def test_bibtex_has_an_entry_a_paper_with_what_it_needs():
    assert {"zucchet", "lru", "rotrnn", "blur"} <= {*CITATIONS} <= {*PAPERS}
    for paper, (kind, key, fields) in CITATIONS.items():
        entry = bibtex(paper)
        assert entry.startswith(
            f"@{kind}{{{key},\n  title = {{{{{PAPERS[paper].title}}}}}"
        )
        assert entry.count("{") == entry.count("}")
        assert {"author", "year"} <= {*fields}
        assert (kind == "inproceedings") == ("booktitle" in fields)


def unclear(claims):
    """Rows that both repeat a fault and rest on it, and such as their root leaves out."""
    for claim in claims.values():
        if claim.erratum is None:
            continue
        erratum = claim.erratum
        yield from set(erratum.appears_in) & set(erratum.inherits)
        if erratum.root:
            root = claims[erratum.root].erratum
            if claim.id not in (*root.appears_in, *root.inherits):
                yield claim.id


def test_a_row_repeats_a_fault_or_rests_on_it_and_its_root_says_which():
    assert list(unclear(registry())) == []


def test_a_row_that_its_root_leaves_out_is_noticed():
    known = registry()
    silent = replace(known["lru:propE.1"], erratum=Erratum("A", bearing="nothing"))
    names = list(unclear(known | {"lru:propE.1": silent}))
    assert set(names) == {c.id for c in known.values() if has_root(c, "lru:propE.1")}
    twice = Erratum("A", appears_in=("lru:8",), inherits=("lru:8",))
    disputed = replace(known["lru:3"], erratum=twice)
    assert list(unclear({"lru:3": disputed})) == ["lru:8"]


def has_root(claim, root):
    return claim.erratum is not None and claim.erratum.root == root
