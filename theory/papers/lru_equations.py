"""To be written."""

from theory.claims import Claim


def claims() -> tuple[Claim, ...]:
    """The claims of this part, in the order of its text."""
    return ()
