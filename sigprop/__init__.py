"""The numeric core: evaluates, simulates and judges the theory.

Names are resolved when first used, so that importing the package imports no JAX.
"""

from typing import TYPE_CHECKING

from sigprop import theory  # noqa: F401 - it says how much SymPy remembers, before SymPy is loaded
from sigprop.numerics.exports import export

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

export(
    __name__,
    {
        "inputs": "AR1 Constant Empirical Mixed MovingAverage White",
        "neuron.montecarlo": "Estimate second_moments",
        "neuron.recurrence": "impulse_response linear_recurrence sensitivity",
        "neuron.ring": "sample_ring",
        "neuron.stable": "ring_gain sensitivity_moment state_moment",
        "numerics.precision": "double_precision",
    },
)
