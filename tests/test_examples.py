"""Modules that a reader opens first show how they are called, and pytest runs it."""

import doctest
import importlib

import pytest

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


def test_pytest_runs_every_example(pytestconfig):
    assert pytestconfig.option.doctestmodules
    assert "sigprop" in pytestconfig.getini("testpaths")
