"""Ranges, lists and exponents in the sentences under a figure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

RAISED = str.maketrans("-.0123456789", "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹")


def span(values: Iterable[float], form: str) -> str:
    """The smallest and the largest of some numbers; one number if both print alike.

    Args:
        values: At least one number.
        form: How a number prints, such as ``.2f``.

    Example:
        >>> span([1.24, 0.92, 1.1], ".2f"), span([1, 1.001], ".2f")
        ('0.92 to 1.24', '1.00')
    """
    numbers = [float(value) for value in values]
    ends = format(min(numbers), form), format(max(numbers), form)
    return " to ".join(dict.fromkeys(ends))


def machine(about: Mapping[str, Any]) -> str:
    """The machine on which a result was computed, from the result's attributes.

    Example:
        >>> machine({"device": "cpu: cpu", "cores": 2})
        'a CPU with 2 cores'
        >>> machine({"device": "gpu: NVIDIA H200", "cores": 16})
        'NVIDIA H200'
    """
    platform, _, kind = str(about["device"]).partition(": ")
    return kind if platform != "cpu" else f"a CPU with {about['cores']} cores"


def listed(names: Sequence[str]) -> str:
    """Names with commas between them, and ``and`` before the last.

    Example:
        >>> listed(["LRU"]), listed(["LRU", "S4"]), listed(["LRU", "S4", "GRU"])
        ('LRU', 'LRU and S4', 'LRU, S4 and GRU')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def raised(exponent: float) -> str:
    """An exponent in small raised figures.

    Example:
        >>> f"10{raised(-3)}"
        '10⁻³'
    """
    return f"{exponent:g}".translate(RAISED)
