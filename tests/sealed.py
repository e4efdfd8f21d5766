"""Rows whose announced status nobody may read, to see that no judge does."""

import dataclasses

from theory.claims import Claim


class Sealed(Claim):
    """A claim that refuses to say which status it announces."""

    def __getattribute__(self, name):
        if name == "expected":
            raise AssertionError("a judge reads the answer")
        return super().__getattribute__(name)


def sealed(claim: Claim) -> Claim:
    """A claim with every field of this one, of which the status cannot be read."""
    fields = dataclasses.fields(claim)
    return Sealed(**{field.name: getattr(claim, field.name) for field in fields})
