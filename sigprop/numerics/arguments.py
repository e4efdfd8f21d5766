"""Checks of arguments that users pass, before anything is computed.

The message of an error has the argument's name, the requirement and the value.  Arrays that
JAX traces have no values yet and are not checked.
"""

import math
import operator
from collections.abc import Collection
from typing import Any

import jax
import numpy as np

MOST = 2**31 - 1  # largest 32-bit index
LARGEST = 1e18  # its square is finite in single precision
LARGEST_PHASE = 1e4  # beyond it, float32 phases err by more than 1e-3


def require_count(name: str, value: Any, least: int = 1, most: int = MOST) -> Any:
    """Return an integer argument as an ``int``; return a traced one unchanged.

    Args:
        name: Name of the argument.
        value: Value of the argument.
        least: Smallest allowed value.
        most: Largest allowed value.

    Raises:
        ValueError: If the value is not an integer from ``least`` to ``most``.

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
    """Refuse values that are no real numbers in an interval.

    Args:
        name: Name of the argument.
        values: A number or an array of numbers.
        low: Lower end of the interval.
        high: Upper end of the interval.
        brackets: Kind of each end: ``[`` and ``]`` include it, ``(`` and ``)`` exclude it.

    Raises:
        ValueError: If a value is no real number or is outside the interval.

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
    """Refuse a value that is not one real number in an interval.

    The arguments are those of ``require_within``.

    Raises:
        ValueError: If the value is an array, no real number, or outside the interval.
    """
    shape = np.shape(value)
    if shape != ():
        raise ValueError(f"need {name} a single number, got an array of shape {shape}")
    require_within(name, value, low, high, brackets)


def require_moderate(name: str, values: Any, dimensions: str | None = None) -> None:
    """Refuse values that are not real numbers of at most 1e18 in size.

    Args:
        name: Name of the argument.
        values: A number or an array of numbers.
        dimensions: Names of the required axes, separated by spaces.  Default: any shape.

    Raises:
        ValueError: If a value is no real number or too large, or if the shape is refused
            by ``require_shape``.
    """
    if dimensions is not None:
        require_shape(name, values, dimensions)
    require_within(name, values, -LARGEST, LARGEST, "[]")


def require_phase(name: str, values: Any) -> None:
    """Refuse angles that are too large for floating point to resolve.

    Raises:
        ValueError: If an angle is not finite, or above 10 000 radians in size.
    """
    require_within(name, values, -LARGEST_PHASE, LARGEST_PHASE, "[]")


def require_finite(**arrays: Any) -> None:
    """Refuse arrays that have a NaN or an infinity, or no numbers; None is accepted.

    Args:
        arrays: Arrays by the names of their arguments.

    Raises:
        ValueError: If an array has a number that is not finite, or is not numeric.

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
    """Refuse a value that is not among the choices.

    Raises:
        ValueError: If the value is not among the choices.
    """
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        known = ", ".join(map(str, choices))
        raise ValueError(f"need {name} in {known}, got {name}={_short(value)}")


def require_shape(name: str, values: Any, dimensions: str) -> None:
    """Refuse an array with another number of axes, or without elements.

    Args:
        name: Name of the argument.
        values: Array to check.
        dimensions: Names of the required axes, separated by spaces.

    Raises:
        ValueError: If the number of axes differs, or the array is empty.
    """
    shape = np.shape(values)
    if len(shape) != len(dimensions.split()) or 0 in shape:
        wanted = ", ".join(dimensions.split())
        raise ValueError(f"need {name} of shape ({wanted}), got shape {shape}")


def _concrete(values: Any) -> Any:
    """The numbers as a NumPy array, or None if JAX traces them."""
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
