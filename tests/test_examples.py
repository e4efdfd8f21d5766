"""Modules that a reader opens first show how they are called, and pytest runs it."""

import doctest
import importlib
import inspect

import pytest

from tests.public import public

SHOWN = {
    "sigprop.neuron.stable": ["state_moment", "sensitivity_moment", "ring_gain"],
    "sigprop.neuron.ring": ["sample_ring", "normalisation"],
    "sigprop.inputs": ["AR1", "MovingAverage", "Recording"],
    "sigprop.judge.verdict": ["plan", "judge"],
    "sigprop.layers.base": ["Layer", "parameters"],
    "sigprop.layers.lru": ["lru"],
}


def examples(module):
    """How many there are in each docstring, by the name of what it is of."""
    doctests = doctest.DocTestFinder().find(module)
    return {test.name: len(test.examples) for test in doctests if test.examples}


@pytest.mark.parametrize("module", SHOWN)
def test_a_module_shows_how_it_is_called(module):
    shown = examples(importlib.import_module(module))
    assert shown.keys() >= {f"{module}.{name}" for name in SHOWN[module]}


WITHOUT = {"sigprop.audit.foreign.check"}  # of one class, which an audit fills


def bare(names):
    """The functions and classes among named objects whose docstring has no example."""
    parser = doctest.DocTestParser()
    return {
        f"{value.__module__}.{name.rpartition('.')[2]}"
        for name, value in names.items()
        if inspect.isfunction(value) or inspect.isclass(value)
        if not parser.get_examples(inspect.cleandoc(value.__doc__ or ""))
    }


def test_every_public_name_shows_how_it_is_called():
    homes = {name.rpartition(".")[0] for name in bare(public())}
    assert homes == WITHOUT


def test_a_name_without_an_example_is_found():
    def shown():
        """Return one.

        >>> 1
        1
        """

    def mute():
        """Return one."""

    class Silent:
        pass

    names = {"a.shown": shown, "a.mute": mute, "a.Silent": Silent, "a.ONE": 1}
    assert bare(names) == {f"{__name__}.mute", f"{__name__}.Silent"}


def test_pytest_runs_every_example(pytestconfig):
    assert pytestconfig.option.doctestmodules
    assert "sigprop" in pytestconfig.getini("testpaths")
