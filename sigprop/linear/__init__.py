"""Exact results for any linear layer: responses, moments, losses.

The function ``linearise`` derives a layer's matrices from its method ``step``.
``perturb`` adds the derivatives of eigenvalues and residues with respect to each parameter.
``predict`` turns both into second moments by Lemmas 1 and 2 of Zucchet & Orvieto (2024).
Bidirectional layers and stacks of layers are included.  This example compares predicted
with measured moments:

    >>> import jax, numpy as np
    >>> from sigprop import AR1, double_precision
    >>> from sigprop.layers import lru
    >>> from sigprop.linear import by_group, measure, perturb, predict
    >>> with double_precision(True):
    ...     layer, source = lru(16, 4, key=jax.random.key(0), r_min=0.5, r_max=0.99), AR1(0.9)
    ...     covariance = source.autocovariance(np.arange(64))
    ...     theory = predict(perturb(layer), covariance, steps=64, at=63)
    ...     measured = measure(jax.random.key(1), layer, source, steps=64, num=4096)
    >>> for name, value in by_group(layer, theory).items():
    ...     mean, sem, _ = measured[name]
    ...     assert abs(mean - value) < 6 * sem, name

Layers whose gates depend only on the current input have exact moments too, if inputs are
independent in time.  ``predict_gated`` computes them for RG-LRU, minGRU, Mamba's recurrence,
gated linear attention, and DeltaNet with and without decay.  It also computes them for
DeltaProduct, Mamba-3 and RWKV-7, in which a matrix multiplies the state.

A layer whose gates depend on the state has no exact moments.  Its linearisation at zero
state is accurate for small inputs.  Under white noise of unit variance, the linearised
``E|h|^2`` is several times too small.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.linear.covariances import nearest_process as nearest_process
    from sigprop.linear.gated_moments import BoundedMoment as BoundedMoment
    from sigprop.linear.gated_moments import enumerate_gated as enumerate_gated
    from sigprop.linear.gated_moments import lagged_gated as lagged_gated
    from sigprop.linear.gated_moments import predict_gated as predict_gated
    from sigprop.linear.gated_moments import (
        predict_input_gradient as predict_input_gradient,
    )
    from sigprop.linear.gated_moments import (
        predict_key_gradient as predict_key_gradient,
    )
    from sigprop.linear.gated_moments import predict_output as predict_output
    from sigprop.linear.gated_moments import squares as squares
    from sigprop.linear.impulse_response import kernel as kernel
    from sigprop.linear.infinite_loss import spectrum as spectrum
    from sigprop.linear.infinite_loss import stationary_loss as stationary_loss
    from sigprop.linear.infinite_loss import stationary_target as stationary_target
    from sigprop.linear.linearise import Modes as Modes
    from sigprop.linear.linearise import Perturbed as Perturbed
    from sigprop.linear.linearise import diagonalise as diagonalise
    from sigprop.linear.linearise import linearise as linearise
    from sigprop.linear.linearise import perturb as perturb
    from sigprop.linear.measured_moments import by_group as by_group
    from sigprop.linear.measured_moments import channels as channels
    from sigprop.linear.measured_moments import exact as exact
    from sigprop.linear.measured_moments import impulse_moments as impulse_moments
    from sigprop.linear.measured_moments import measure as measure
    from sigprop.linear.measured_moments import response_moment as response_moment
    from sigprop.linear.measured_moments import responses as responses
    from sigprop.linear.predicted_moments import pair_moment as pair_moment
    from sigprop.linear.predicted_moments import predict as predict
    from sigprop.linear.predicted_moments import state_moments as state_moments

export(__name__)
