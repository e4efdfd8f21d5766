"""What a public function is given in ``tests/test_arguments.py``, and what it may answer.

A row has valid arguments of one function.  Each argument in turn is replaced by every bad
value of its kind, and the answer is an error that says what is needed and what arrived.
A value that only looks bad is declared in the row, with what is right for it.
"""

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Arguments = Callable[[], dict[str, Any]]
KEY = jax.random.key(3)


@dataclass(frozen=True)
class Row:
    """Valid arguments of a function.

    Attributes:
        base: All of them, by name; made when they are needed.
        legal: By ``argument: description`` of a value that is accepted, the result's
            value, or a function that says whether the result is right.
        infinite: Whether a right result may be infinite.
        undefined: Whether it may say of a part that it is not a number.
        wide: Whether it is called in double precision.
        unchecked: Arguments of which there is nothing to try, such as a function.
        names: What a message may call an argument instead.
    """

    base: Arguments
    legal: Mapping[str, Any] = field(default_factory=dict)
    infinite: bool = False
    undefined: bool = False
    wide: bool = False
    unchecked: frozenset[str] = frozenset({"key", "tick", "progress"})
    names: Mapping[str, str] = field(default_factory=dict)


def row(base: Arguments, unchecked: str = "", **more: Any) -> Row:
    skipped = Row.unchecked | set(unchecked.split())
    return Row(base, unchecked=skipped, **more)


def valid(result: Any) -> bool:
    """A result about which no more is asked than that it has no NaN."""
    return True


# Bad values of an argument, each by its description.

TEXTS = {"a text": "three", "None": None}
BAD_NUMBERS: dict[str, Any] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "-1": -1.0,
    "0": 0.0,
    "1e308": 1e308,
    "complex": 1 + 1j,
    "2 x 2": np.ones((2, 2)),
    **TEXTS,
}
BAD_COUNTS: dict[str, Any] = {
    **BAD_NUMBERS,
    "-1": -1,
    "0": 0,
    "10**12": 10**12,
    "1.5": 1.5,
}


def bad_values(value: Any) -> dict[str, Any]:
    """Bad values in the place of a valid one, by what they are."""
    match value:
        case bool():
            return {"nan": math.nan, "2": 2, **TEXTS}
        case int():
            return BAD_COUNTS
        case float() | complex():
            return BAD_NUMBERS
        case str():
            return {"unknown": "no such name", "empty": "", "0": 0, "None": None}
        case np.ndarray() | jax.Array():
            return _bad_arrays(value)
        case [int() | float(), *_] if type(value) in (tuple, list):
            return _bad_tuples(tuple(value), type(value))
        case Mapping():
            return {"unknown key": {**value, "no such key": 1.0}, **TEXTS}
        case Path():
            return {"missing": value.with_name(f"no-such{value.suffix}"), "None": None}
        case None:
            return {"nan": math.nan, "0": 0, "a text": "three"}
        case _:
            return {"nan": math.nan, "0": 0, **TEXTS}


def _bad_arrays(value: Any) -> dict[str, Any]:
    xp = np if isinstance(value, np.ndarray) else jnp
    bad: dict[str, Any] = {
        "an axis more": value[None],
        **({"a scalar": value.reshape(-1)[0]} if value.size else {}),
        "empty": value[:0],
        **TEXTS,
    }
    if jnp.issubdtype(value.dtype, jnp.inexact):
        huge = float(jnp.finfo(value.dtype).max)
        worst = (
            ()
            if not value.size
            else (
                ("nan", math.nan),
                ("inf", math.inf),
                ("-inf", -math.inf),
                ("huge", huge),
            )
        )
        for name, entry in worst:
            flat = np.array(value).reshape(-1)
            flat[0] = entry
            bad[name] = xp.asarray(flat.reshape(value.shape))
        bad["zeros"] = xp.zeros_like(value)
        bad["minus ones"] = -xp.ones_like(value)
    if jnp.issubdtype(value.dtype, jnp.floating):
        bad["complex"] = value + 1j * value
    return bad


def _bad_tuples(value: tuple[Any, ...], kind: Any) -> dict[str, Any]:
    cases = {"empty": kind(), "a number": value[0], **TEXTS}
    cases |= {"one more": kind((*value, value[-1]))}
    for name in ("nan", "inf", "-1", "0", "1e308"):
        for index in range(len(value)):
            bad = BAD_NUMBERS[name]
            if isinstance(value[index], int) and name in ("-1", "0"):
                bad = int(bad)
            cases[f"{name} at {index}"] = kind(
                (*value[:index], bad, *value[index + 1 :])
            )
    return cases


def shown(bad: Any) -> list[str]:
    """Ways in which a message may show a value that arrived."""
    if isinstance(bad, str):
        return [repr(bad), str(bad)]
    if isinstance(bad, np.ndarray | jax.Array):
        array = np.asarray(bad)
        numbers = array.reshape(-1)[:1].tolist()
        worst = array[~np.isfinite(array)].tolist() if array.dtype.kind in "fc" else []
        return [
            str(array.shape),
            str(array.size),
            "empty" if not array.size else str(array.shape),
            str(array.dtype),
            *(text for number in (*numbers, *worst) for text in _numbers(number)),
        ]
    if isinstance(bad, bool | int | float | complex):
        return _numbers(bad)
    if isinstance(bad, tuple | list):
        return [str(bad), str(len(bad)), *(t for item in bad for t in shown(item))]
    if isinstance(bad, Mapping):
        return [str(name) for name in bad if name.startswith("no such")]
    return [repr(bad), type(bad).__name__, str(bad)]


def _numbers(number: Any) -> list[str]:
    if isinstance(number, complex):
        return [str(number), f"{number:g}", *_numbers(abs(number)), "complex"]
    return [f"{number}", f"{number:g}", f"{number:.6g}", f"{number:.3g}"]


# Results.


def numbers(result: Any) -> Iterator[np.ndarray]:
    """Every array and number in a result, however it is held."""
    if isinstance(result, np.ndarray | np.generic | jax.Array | bool | int | float):
        if not (isinstance(result, jax.Array) and result.dtype == KEY.dtype):
            yield np.asarray(result)
    elif isinstance(result, complex):
        yield np.asarray(result)
    elif isinstance(result, Mapping):
        for part in result.values():
            yield from numbers(part)
    elif hasattr(result, "data_vars"):
        for part in result.variables.values():
            yield np.asarray(part)
    elif isinstance(result, tuple | list):
        for part in result:
            yield from numbers(part)
    elif dataclasses.is_dataclass(result):
        for part in dataclasses.fields(result):
            yield from numbers(getattr(result, part.name, None))


def trouble(result: Any, row: Row) -> str | None:
    """Why a result cannot be right, if there is a reason."""
    for array in numbers(result):
        if array.dtype.kind in "fc" and not row.undefined and np.isnan(array).any():
            return "the result has a NaN"
        if array.dtype.kind in "fc" and not row.infinite and np.isinf(array).any():
            return "the result is infinite"
    return None


def parameters(function: Callable[..., Any]) -> list[str]:
    """Names of all arguments."""
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]
