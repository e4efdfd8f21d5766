"""Rows whose announced status nobody may read, to see that no judge does."""

import dataclasses

from sigprop.judge.basis import Row
from sigprop.theory.claims import Claim


class Sealed(Claim):
    """A claim that refuses to say which status it announces."""

    def __getattribute__(self, name):
        if name == "expected":
            raise AssertionError("a judge reads the answer")
        return super().__getattribute__(name)


def sealed(row: Row) -> Row:
    """A row whose claim has every field of this one, but for a status to be read."""
    fields = dataclasses.fields(row.claim)
    claim = Sealed(**{field.name: getattr(row.claim, field.name) for field in fields})
    return Row(claim, row.basis)
