"""Signal propagation in recurrent networks: the theory, evaluated and tested.

Names are resolved when first used, so that importing the package imports no JAX.
"""

from typing import TYPE_CHECKING

from sigprop import theory  # sets how much SymPy remembers, before SymPy is loaded
from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop import advice as advice
    from sigprop import audit as audit
    from sigprop import curvature as curvature
    from sigprop import inputs as inputs
    from sigprop import landscape as landscape
    from sigprop import layers as layers
    from sigprop import linear as linear
    from sigprop import networks as networks
    from sigprop import neuron as neuron
    from sigprop import tasks as tasks
    from sigprop import testing as testing
    from sigprop import theory as theory
    from sigprop import training as training
    from sigprop.inputs import AR1 as AR1
    from sigprop.inputs import Constant as Constant
    from sigprop.inputs import Empirical as Empirical
    from sigprop.inputs import GaussianProcess as GaussianProcess
    from sigprop.inputs import Mixed as Mixed
    from sigprop.inputs import MovingAverage as MovingAverage
    from sigprop.inputs import Recording as Recording
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
    from sigprop.numerics.compilation import compile_quickly as compile_quickly
    from sigprop.numerics.precision import double_precision as double_precision

export(__name__)
