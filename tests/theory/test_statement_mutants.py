"""Every statement is held against wrong versions of itself, not of its value alone."""

from sigprop.judge.basis import ARITHMETIC, Evidence
from sigprop.judge.evidence import expression
from sigprop.theory.claims import Kind
from tests.rows import rows

WORDS = (Kind.TEXT, Kind.TABLE, Kind.FIGURE)  # their mutants are written by hand
ENOUGH = 3  # wrong routines, where a formula is no expression
SHARE = 0.15  # of the rows with a truth value that may try values alone
JUDGED = {key: row for key, row in rows().items() if row.basis is not None}


def statement_mutants(row) -> int:
    """Mutants of the statement that a row's evidence makes, an expression's counted once."""
    basis = row.basis
    if not isinstance(basis, Evidence):
        return ENOUGH
    mutated = basis.relation == "=" and expression(row.claim, basis) is not None
    return ENOUGH * mutated + len(basis.mutants) + len(basis.hand)


def lacks_mutants(row) -> bool:
    """Whether too few mutants of the statement are tried, without a reason."""
    basis, count = row.basis, statement_mutants(row)
    if isinstance(basis, Evidence) and (
        basis.values_only or set(basis.routes) == {ARITHMETIC}
    ):
        return False
    return count < (1 if row.claim.kind in WORDS else ENOUGH)


def test_every_formula_has_mutants_of_its_statement():
    assert [key for key, row in JUDGED.items() if lacks_mutants(row)] == []


def test_few_rows_try_values_alone():
    alone = [key for key, row in JUDGED.items() if not statement_mutants(row)]
    assert len(alone) <= SHARE * len(JUDGED)


def test_a_reason_for_values_alone_stands_where_nothing_else_is_tried():
    for key, row in JUDGED.items():
        if isinstance(row.basis, Evidence) and row.basis.values_only:
            assert not statement_mutants(row), key
