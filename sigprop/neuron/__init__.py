"""Linear recurrences of neurons: scans, closed forms of moments, rings, and simulations."""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.neuron.montecarlo import Estimate as Estimate
    from sigprop.neuron.montecarlo import second_moments as second_moments
    from sigprop.neuron.neurons import GatedLayer as GatedLayer
    from sigprop.neuron.neurons import Moved as Moved
    from sigprop.neuron.neurons import Neurons as Neurons
    from sigprop.neuron.neurons import Part as Part
    from sigprop.neuron.neurons import Readout as Readout
    from sigprop.neuron.neurons import Reads as Reads
    from sigprop.neuron.neurons import describe as describe
    from sigprop.neuron.neurons import read_by as read_by
    from sigprop.neuron.quadrature import Law as Law
    from sigprop.neuron.random_coefficients import fourth_moment as fourth_moment
    from sigprop.neuron.random_coefficients import second_moment as second_moment
    from sigprop.neuron.random_coefficients import tail_index as tail_index
    from sigprop.neuron.recurrence import impulse_response as impulse_response
    from sigprop.neuron.recurrence import linear_recurrence as linear_recurrence
    from sigprop.neuron.recurrence import sensitivity as sensitivity
    from sigprop.neuron.ring import even_memories as even_memories
    from sigprop.neuron.ring import mean_turns as mean_turns
    from sigprop.neuron.ring import normalisation as normalisation
    from sigprop.neuron.ring import sample_ring as sample_ring
    from sigprop.neuron.stable import (
        finite_state_moment_white as finite_state_moment_white,
    )
    from sigprop.neuron.stable import ring_gain as ring_gain
    from sigprop.neuron.stable import sensitivity_moment as sensitivity_moment
    from sigprop.neuron.stable import state_moment as state_moment

export(__name__)
