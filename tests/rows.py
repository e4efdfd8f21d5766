"""Rows as the command line has them, and rows with something changed."""

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sigprop.experiments.rows import row as row
from sigprop.judge.basis import Row
from sigprop.judge.results import ClaimResult
from sigprop.theory.claims import registry


@functools.cache
def rows() -> Mapping[str, Row]:
    """Every row by its id."""
    return MappingProxyType({claim_id: row(claim_id) for claim_id in registry()})


def changed(original: Row, basis: dict[str, Any] | None = None, **claim: Any) -> Row:
    """A row with fields of its claim replaced, and those of its basis that are given."""
    judged_on = original.basis
    if basis:
        assert judged_on is not None
        judged_on = dataclasses.replace(judged_on, **basis)
    return Row(dataclasses.replace(original.claim, **claim), judged_on)


def every_mutant_noticed(result: ClaimResult) -> bool:
    """Whether mutants of any kind were made in a row, and all were refuted."""
    kinds = ("formula", "value", "hand")
    totals = [getattr(result, f"{kind}_mutants") for kind in kinds]
    return sum(totals) > 0 and totals == [
        getattr(result, f"killed_{kind}_mutants") for kind in kinds
    ]
