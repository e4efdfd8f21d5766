"""Every argument of every public function is given bad values; none passes in silence."""

import inspect
import signal
from contextlib import contextmanager
from typing import Any

import jaxtyping
import numpy as np
import pytest

from sigprop import linear, neuron
from sigprop.numerics.precision import double_precision
from tests.arguments import Row, bad_values, parameters, samples, shown, trouble, valid
from tests.arguments.rows import RECORDS, ROWS, SLOW
from tests.public import public

SECONDS = 20  # of computing, in which a call ends on a busy machine too
# Functions of runs, recipes and data sets, whose own classes check what they are made of.
OF_OBJECTS = "sigprop.training."


@contextmanager
def soon():
    """Stop a call that does not end."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def complaint(
    function: Any, row: Row, name: str, description: str, bad: Any
) -> str | None:
    """Why the answer to a bad value is not good, if it is not."""
    arguments = row.base()
    arguments[name] = bad
    right = row.legal.get(f"{name}: {description}")
    try:
        with soon():
            result = function(**arguments)
    except jaxtyping.TypeCheckError:  # the annotation says what is needed
        return None
    except FileNotFoundError as error:
        return None if f"{bad}" in str(error) else f"does not name the file: {error}"
    except ValueError as error:
        if right is not None:
            return f"refused, though declared legal: {error}"
        return unclear(str(error), row.names.get(name, name), bad)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]!r}"
    if right is None:
        return trouble(result, row) or "accepted"
    if right is valid:
        return trouble(result, row)
    good = right(result) if callable(right) else np.allclose(result, right)
    return None if good else f"a wrong result: {result}"


def unclear(message: str, name: str, bad: Any) -> str | None:
    """What a message does not say, if anything."""
    squeezed = message.lower().replace(" ", "")
    if name.lower().replace(" ", "") not in squeezed:
        return f"the message does not name it: {message!r}"
    if not any(text.lower().replace(" ", "") in squeezed for text in shown(bad)):
        return f"the message does not show what arrived: {message!r}"
    return None


EVERY = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW), id=name)
    for name in ROWS
]


@pytest.mark.parametrize("name", EVERY)
def test_bad_arguments_are_refused_with_what_is_needed_and_what_arrived(name):
    function, row = public()[name], ROWS[name]
    tried, problems = set(), {}
    with double_precision(row.wide):
        base = row.base()
        assert set(base) >= set(parameters(function))
        assert trouble(function(**base), row) is None, "the valid arguments fail"
        for argument in base:
            if argument in row.unchecked:
                continue
            for description, bad in bad_values(base[argument]).items():
                tried.add(f"{argument}: {description}")
                problem = complaint(function, row, argument, description, bad)
                if problem:
                    problems[f"{argument}: {description}"] = problem
    assert set(row.legal) <= tried
    assert not problems, "\n" + "\n".join(f"  {k} -> {v}" for k, v in problems.items())


def test_every_public_function_has_a_row():
    objects = public()
    first = {id(value): name for name, value in reversed(objects.items())}
    functions = {
        name
        for name in first.values()
        if callable(objects[name]) and not name.startswith(OF_OBJECTS)
    }
    assert functions - RECORDS == ROWS.keys()
    assert all(inspect.isclass(objects[name]) for name in RECORDS)


def test_slow_rows_are_rows():
    assert ROWS.keys() >= SLOW


KNOWN = {"a": 0.5, "b": 0.0, "aa": 0.5, "ab": 0.0, "bb": 1.0}
VALUES = np.array([[1.0], [-1.0]])
TOGETHER = {
    "probabilities whose sum is not one": (
        lambda: neuron.Law(VALUES, np.array([0.25, 0.25])),
        "need probabilities that sum to 1, .* of sum 0.5$",
    ),
    "a negative probability": (
        lambda: neuron.Law(VALUES, np.array([1.5, -0.5])),
        r"need probabilities in \[0, 1\], got 1.5",
    ),
    "a scale beside a distribution of its own": (
        lambda: linear.predict_gated(samples.mingru(), scale=2.0, law=samples.law()),
        "need no scale beside a law, .* got scale=2.0",
    ),
    "a misspelt expectation": (
        lambda: neuron.second_moment({**KNOWN, "a_a": 0.5}),
        "need known to have aa, and names in .* got .*a_a",
    ),
    "no mean square": (
        lambda: neuron.second_moment({"a": 0.5}),
        "need known to have aa",
    ),
    "a mean square below the square of the mean": (
        lambda: neuron.second_moment({**KNOWN, "a": 0.9}),
        r"need known\['aa'\] >= known\['a'\]\*\*2, .* got 0.5 and a=0.9",
    ),
    "a mean over no steps": (
        lambda: neuron.second_moment(KNOWN, steps=0, average=True),
        "need steps >= 1, got steps=0",
    ),
    "weights whose sum is not one": (
        lambda: neuron.tail_index(np.array([2.0, 0.5]), np.array([0.5, 0.25])),
        "need a and weights of some values, weights that sum to 1",
    ),
    "shapes that do not fit": (
        lambda: neuron.ring_gain(0.5, 0.1),
        "need gap_max - gap_min in",
    ),
}


@pytest.mark.parametrize(("call", "message"), TOGETHER.values(), ids=TOGETHER)
def test_arguments_that_do_not_fit_together_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def accepts(x: float) -> float:
    return x


def fails(x: float) -> float:
    return 1 / (x + 1)


def says_nothing(x: float) -> float:
    raise ValueError("something is wrong")


def names_it_alone(x: float) -> float:
    raise ValueError("need x > 0")


def gives_nan(x: float) -> float:
    return float("nan")


GUARDS = [
    (accepts, {}, "accepted"),
    (accepts, {"x: -1": 1.0}, "a wrong result: -1.0"),
    (fails, {}, "ZeroDivisionError"),
    (says_nothing, {}, "does not name it"),
    (names_it_alone, {}, "does not show what arrived"),
    (names_it_alone, {"x: -1": valid}, "refused, though declared legal"),
    (gives_nan, {"x: -1": valid}, "the result has a NaN"),
]


@pytest.mark.parametrize(("function", "legal", "message"), GUARDS)
def test_a_bad_answer_is_noticed(function, legal, message):
    row = Row(lambda: {"x": 2.0}, legal=legal)
    assert message in str(complaint(function, row, "x", "-1", -1.0))


def test_a_good_answer_is_none():
    def refuses(x: float) -> None:
        raise ValueError(f"need x > 0, got x={x}")

    row = Row(lambda: {"x": 2.0})
    assert complaint(refuses, row, "x", "0", 0.0) is None
