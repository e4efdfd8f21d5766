"""The engine differentiated twice, as curvatures of networks need it."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.neuron.scan import METHODS, scan_linear, scan_linear_reference


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.sampled(keep=["sequential", "associative"])
def test_second_derivatives_in_reverse_pass_through_a_loop_of_scans(method):
    lam, x = jnp.array([0.9, -0.5]), jax.random.normal(jax.random.key(0), (5, 2))

    def loss(scan, lam):
        def layer(entering, scale):
            h = scan(lam, scale * x + entering[None])
            return h[-1], (h**2).sum()

        return jax.lax.scan(layer, 0 * lam, jnp.array([1.0, 2.0]))[1].sum()

    engine, loop = partial(scan_linear, method=method), scan_linear_reference
    hessian = jax.jacrev(jax.grad(partial(loss, engine)))(lam)
    truth = jax.jacfwd(jax.jacfwd(partial(loss, loop)))(lam)
    np.testing.assert_allclose(hessian, truth, rtol=1e-10, atol=1e-10)
    assert np.abs(np.diag(truth)).min() > 1
