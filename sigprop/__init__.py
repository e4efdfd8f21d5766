"""The numeric core: evaluates, simulates and judges the theory.

Names are resolved when first used, so that importing the package imports no JAX.
"""

import importlib
from typing import TYPE_CHECKING, Any

from sigprop import theory  # noqa: F401 - it says how much SymPy remembers, before SymPy is loaded

if TYPE_CHECKING:
    from sigprop.inputs import AR1 as AR1
    from sigprop.inputs import Constant as Constant
    from sigprop.inputs import Empirical as Empirical
    from sigprop.inputs import Mixed as Mixed
    from sigprop.inputs import MovingAverage as MovingAverage
    from sigprop.inputs import White as White
    from sigprop.neuron.montecarlo import Estimate as Estimate
    from sigprop.neuron.montecarlo import second_moments as second_moments
    from sigprop.neuron.recurrence import impulse_response as impulse_response
    from sigprop.neuron.recurrence import linear_recurrence as linear_recurrence
    from sigprop.neuron.recurrence import sensitivity as sensitivity
    from sigprop.neuron.ring import sample_ring as sample_ring
    from sigprop.neuron.stable import ring_gain as ring_gain
    from sigprop.neuron.stable import sensitivity_moment as sensitivity_moment
    from sigprop.neuron.stable import state_moment as state_moment
    from sigprop.numerics.precision import double_precision as double_precision

_HOMES = {
    "AR1": "inputs",
    "Constant": "inputs",
    "Empirical": "inputs",
    "Mixed": "inputs",
    "MovingAverage": "inputs",
    "White": "inputs",
    "Estimate": "neuron.montecarlo",
    "second_moments": "neuron.montecarlo",
    "double_precision": "numerics.precision",
    "impulse_response": "neuron.recurrence",
    "linear_recurrence": "neuron.recurrence",
    "sensitivity": "neuron.recurrence",
    "sample_ring": "neuron.ring",
    "ring_gain": "neuron.stable",
    "sensitivity_moment": "neuron.stable",
    "state_moment": "neuron.stable",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sigprop' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sigprop.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
