"""Exact results for any linear layer: responses, moments, losses.

Eigenvalues and residues are read off the layer's own ``step``, first-order perturbation
theory moves them with each parameter, and Lemmas 1 and 2 of Zucchet & Orvieto do the rest;
layers of two directions and stacks of layers included.  Predicted and measured, within the
errors:

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

Layers whose gates see independent inputs alone have exact moments too, by
``sigprop.linear.gated_moments.predict_gated``: RG-LRU, minGRU, Mamba's core, gated linear
attention, DeltaNet with and without decay, and DeltaProduct, Mamba-3 and RWKV-7, whose
states a matrix multiplies.  Gates that see the state have not: linearised
at rest they are eigenvalues, which is right for small inputs and several times too small
for the state under white noise of size one.
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
