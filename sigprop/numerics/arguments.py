"""Checks of what users pass: one line an argument, before anything is computed.

Each refuses a value with the argument's name, what is needed and what arrived.  Values
that JAX traces have no numbers yet, and are taken on trust.
"""

import math
import operator
from collections.abc import Collection
from typing import Any

import jax
import numpy as np

MOST = 2**31 - 1  # what a 32-bit index reaches
LARGEST = 1e18  # whose square a 32-bit float holds
LARGEST_PHASE = 1e4  # beyond it a 32-bit float has lost a thousandth of a radian


def require_count(name: str, value: Any, least: int = 1, most: int = MOST) -> Any:
    """A whole number, as an ``int``; a traced one as it is.

    Raises:
        ValueError: If it is none, or out of range.

    Example:
        >>> require_count("steps", 2.5)
        Traceback (most recent call last):
        ValueError: need steps a whole number, got steps=2.5
    """
    try:
        number = operator.index(value)
    except jax.errors.JAXTypeError:
        return value
    except TypeError:
        raise ValueError(
            f"need {name} a whole number, got {name}={_short(value)}"
        ) from None
    if number < least:
        raise ValueError(f"need {name} >= {least}, got {name}={number}")
    if number > most:
        raise ValueError(f"need {name} <= {most}, got {name}={number}")
    return number


def require_within(
    name: str,
    values: Any,
    low: float = -math.inf,
    high: float = math.inf,
    brackets: str = "()",
) -> None:
    """Refuse real numbers outside an interval, and what is no real number.

    Args:
        name: Name of the argument.
        values: One number, or an array of them.
        low: Lower end.
        high: Upper end.
        brackets: True if the ends belong to it: ``[`` and ``]`` where they do.

    Raises:
        ValueError: With the first number that is outside.

    Example:
        >>> require_within("rho", 1.5, -1, 1, "[]")
        Traceback (most recent call last):
        ValueError: need rho in [-1, 1], got 1.5
    """
    array = _concrete(values)
    if array is None:
        return
    interval = f"{brackets[0]}{low:g}, {high:g}{brackets[1]}"
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"need {name} a real number in {interval}, got {name}={_short(values)}"
        )
    above = array > low if brackets[0] == "(" else array >= low
    below = array < high if brackets[1] == ")" else array <= high
    if not (above & below).all():
        worst = array[~(above & below)].flat[0]
        raise ValueError(f"need {name} in {interval}, got {worst}")


def require_number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    brackets: str = "()",
) -> None:
    """Refuse what is not one real number in an interval; see ``require_within``.

    Raises:
        ValueError: If it is not.
    """
    shape = np.shape(value)
    if shape != ():
        raise ValueError(f"need {name} a single number, got an array of shape {shape}")
    require_within(name, value, low, high, brackets)


def require_moderate(name: str, values: Any, dimensions: str | None = None) -> None:
    """Refuse real numbers beyond ``LARGEST``, and arrays of other axes than these.

    Raises:
        ValueError: As ``require_within``, or as ``require_shape`` where axes are named.
    """
    if dimensions is not None:
        require_shape(name, values, dimensions)
    require_within(name, values, -LARGEST, LARGEST, "[]")


def require_phase(name: str, values: Any) -> None:
    """Refuse angles in radians that floating point no longer tells apart.

    Raises:
        ValueError: If one is not finite, or beyond ``LARGEST_PHASE``.
    """
    require_within(name, values, -LARGEST_PHASE, LARGEST_PHASE, "[]")


def require_finite(**arrays: Any) -> None:
    """Refuse arrays with a NaN or an infinity, and what holds no numbers; None is left.

    Raises:
        ValueError: With the first such number and its index.

    Example:
        >>> require_finite(x=np.array([1.0, np.nan]))
        Traceback (most recent call last):
        ValueError: need finite x, got nan at index 1
    """
    for name, values in arrays.items():
        array = None if values is None else _concrete(values)
        if array is None:
            continue
        if array.dtype.kind not in "biufc":
            raise ValueError(f"need numbers in {name}, got {name}={_short(values)}")
        wrong = ~np.isfinite(array)
        if wrong.any():
            index = tuple(int(coordinate) for coordinate in np.argwhere(wrong)[0])
            where = f" at index {', '.join(map(str, index))}" if index else ""
            raise ValueError(f"need finite {name}, got {array[index]}{where}")


def require_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Refuse a value that is none of the choices.

    Raises:
        ValueError: With the choices.
    """
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        known = ", ".join(map(str, choices))
        raise ValueError(f"need {name} in {known}, got {name}={_short(value)}")


def require_shape(name: str, values: Any, dimensions: str) -> None:
    """Refuse an array with another number of axes, or with none of its elements.

    Args:
        name: Name of the argument.
        values: The array.
        dimensions: Names of the axes, separated by spaces.

    Raises:
        ValueError: With the shape.
    """
    shape = np.shape(values)
    if len(shape) != len(dimensions.split()) or 0 in shape:
        wanted = ", ".join(dimensions.split())
        raise ValueError(f"need {name} of shape ({wanted}), got shape {shape}")


def _concrete(values: Any) -> Any:
    """The numbers as an array of NumPy; none where JAX traces them."""
    try:
        array = np.asarray(values)
    except jax.errors.TracerArrayConversionError:
        return None
    except ValueError:  # ragged
        return np.asarray("ragged")
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _short(value: Any) -> str:
    text = repr(value)
    shape = np.shape(value) if isinstance(value, np.ndarray | jax.Array) else ()
    return f"an array of shape {shape}" if shape else text[:60]
