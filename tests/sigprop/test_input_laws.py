"""Every Gaussian process is a matrix times normals: its covariance to the last digits."""

import jax.numpy as jnp
import numpy as np
import pytest

from tests.sigprop.test_inputs import PROCESSES

STEPS = 6


def response(process):
    """What each input is made of: a row a step, a column for each normal."""
    first, each = process.initial_width, process.step_width
    normals = jnp.eye(first + STEPS * each)
    state, rows = process.initial(normals[:first]), []
    for start in range(first, first + STEPS * each, each) if each else range(STEPS):
        state, x = process.step(state, normals[start : start + each])
        rows.append(np.asarray(x))
    return np.stack(rows)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("process", PROCESSES.values(), ids=PROCESSES)
def test_inputs_have_the_announced_covariance_exactly(process):
    responses = response(process)
    lags = np.subtract.outer(np.arange(STEPS), np.arange(STEPS))
    announced = process.autocovariance(lags.ravel()).reshape(lags.shape)
    np.testing.assert_allclose(
        responses @ responses.T, announced, rtol=1e-12, atol=1e-12
    )
