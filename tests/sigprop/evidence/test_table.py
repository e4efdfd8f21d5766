"""Evidence stands beside the rows: file by file, by ids that exist, as functions."""

import importlib
import pkgutil

import pytest

import sigprop.evidence
from sigprop.evidence import nothing_stored, row, table
from sigprop.judge.basis import Check, Evidence, Grid
from sigprop.theory.claims import PAPERS, find, home, leaves, registry
from tests.rows import rows

PARTS = {
    leaf.__name__: [claim.id for claim in leaf.part.claims]
    for paper in PAPERS
    for leaf in leaves(paper)
}


def strangers(ids: set[str], part: str) -> set[str]:
    """Ids of an evidence module that its part of the paper does not state."""
    return ids - set(PARTS[part])


@pytest.mark.parametrize("part", PARTS)
def test_evidence_is_of_the_rows_of_the_file_of_the_same_name(part):
    assert strangers(set(table(part)), part) == set()


def test_evidence_beside_another_file_is_found():
    assert strangers({"lru:4", "zucchet:4"}, home("lru:4")) == {"zucchet:4"}


def test_no_file_of_evidence_stands_beside_nothing():
    modules = pkgutil.walk_packages(sigprop.evidence.__path__, "sigprop.evidence.")
    named = {
        module.name.replace("sigprop.evidence", "sigprop.theory.papers", 1)
        for module in modules
        if hasattr(importlib.import_module(module.name), "EVIDENCE")
    }
    assert len(named) > 60
    assert named <= set(PARTS)
    judged = {home(key) for key, entry in rows().items() if entry.basis is not None}
    assert judged == named


def routines(basis: Evidence):
    """Everything in evidence that gives a value."""
    yield from basis.routes.values()
    yield from basis.mutants.values()
    yield from (form for form in (basis.form, basis.printed) if form is not None)


def test_what_judges_a_row_is_a_function_or_a_number_and_never_a_name():
    for claim_id, entry in rows().items():
        assert isinstance(entry.basis, Evidence | Grid | Check | None)
        if isinstance(entry.basis, Evidence):
            named = [each for each in routines(entry.basis) if isinstance(each, str)]
            assert named == [], claim_id


def test_a_row_that_experiments_decide_asks_the_reader_it_is_given():
    sweeps = []

    def load(sweep):
        sweeps.append(sweep)
        raise FileNotFoundError("nothing is stored")

    basis = row("zucchet:fig11:performance", load).basis
    assert isinstance(basis, Check)
    with pytest.raises(FileNotFoundError, match="nothing is stored"):
        basis.results(find("zucchet:fig11:performance"), 0)
    assert sweeps == ["heads"]


def test_without_a_reader_such_a_row_says_that_it_needs_one():
    with pytest.raises(FileNotFoundError, match="need a reader of stored results"):
        nothing_stored("heads")


def test_a_part_without_evidence_has_an_empty_table():
    assert table("sigprop.theory.papers.zucchet.experiments.nothing") == {}


def test_a_file_of_evidence_that_cannot_import_something_else_is_not_skipped(
    monkeypatch,
):
    def missing(name):
        raise ModuleNotFoundError("no such module", name="numpyy")

    monkeypatch.setattr(sigprop.evidence.importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="no such module"):
        table(home("lru:4"))


def test_every_row_of_the_registry_is_found_with_its_claim():
    for claim_id, entry in rows().items():
        assert entry.claim is registry()[claim_id]
