"""Exact results for any linear layer: responses, moments, losses.

Eigenvalues and residues are read off the layer's own ``step``, first-order perturbation
theory moves them with each parameter, and Lemmas 1 and 2 of Zucchet & Orvieto do the rest;
layers of two directions and stacks of layers included.  Predicted and measured, within the
errors:

    >>> import jax, numpy as np
    >>> from sigprop import AR1, double_precision
    >>> from sigprop.layers.lru import lru
    >>> from sigprop.linear.linearise import perturb
    >>> from sigprop.linear.measured_moments import by_group, measure
    >>> from sigprop.linear.predicted_moments import predict
    >>> with double_precision(True):
    ...     layer, source = lru(jax.random.key(0), 16, 4, r_min=0.5, r_max=0.99), AR1(0.9)
    ...     covariance = source.autocovariance(np.arange(64))
    ...     theory = predict(perturb(layer), covariance, steps=64, at=63)
    ...     measured = measure(jax.random.key(1), layer, source, steps=64, num=4096)
    >>> for name, value in by_group(layer, theory).items():
    ...     mean, sem, _ = measured[name]
    ...     assert abs(mean - value) < 6 * sem, name

Layers whose gates see independent inputs alone have exact moments too, by
``sigprop.linear.gated_moments.predict_gated``: RG-LRU, minGRU, Mamba's core, gated linear
attention, DeltaNet with and without decay.  Gates that see the state have not: linearised
at rest they are eigenvalues, which is right for small inputs and several times too small
for the state under white noise of size one.
"""
