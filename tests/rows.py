"""Rows as the command line has them, and rows with something changed."""

import dataclasses
from typing import Any

from sigprop.cli.judged import row as row
from sigprop.judge.basis import Row
from theory.claims import registry


def rows() -> dict[str, Row]:
    """Every row by its id."""
    return {claim_id: row(claim_id) for claim_id in registry()}


def changed(one: Row, basis: dict[str, Any] | None = None, **claim: Any) -> Row:
    """A row with fields of its claim replaced, and those of its basis that are given."""
    judged_on = one.basis
    if basis:
        assert judged_on is not None
        judged_on = dataclasses.replace(judged_on, **basis)
    return Row(dataclasses.replace(one.claim, **claim), judged_on)
