"""Evidence of BLUR's rows on printed numbers."""

from sigprop.judge.basis import ARITHMETIC, Evidence, Routine


def numbers(
    value: Routine,
    form: Routine,
    printed: Routine | None = None,
    *,
    alone: str = "",
    absolute: float = 0.0,
) -> Evidence:
    """What is computed from numbers, what it is, and what is printed if that is another.

    Args:
        value: Computed from the tables, or from what ``alone`` names.
        form: What it is.
        printed: What the paper says, where it is wrong.
        alone: What the value comes from, where it is more than the paper's own numbers.
        absolute: Half a unit of the last printed digit.
    """
    route = "reference" if alone else ARITHMETIC
    return Evidence(
        ({},), {route: value}, form, printed, absolute=absolute, alone=alone
    )
