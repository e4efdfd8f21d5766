"""Series and normals drawn without a program of XLA: those of JAX."""

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.neuron import draws
from sigprop.numerics.precision import double_precision
from tests.sigprop.neuron.test_noise import Matrix, Odd, fresh_key

PROCESSES = {
    "white": White(2.0),
    "constant": Constant(0.5),
    "correlated": AR1(-0.7),
    "mixed": Mixed(0.3, 2.0, 0.9),
    "moving": MovingAverage((1.0, 0.5, -0.25)),
    "matrix": Matrix(),
    "odd": Odd(),
}


@pytest.mark.parametrize(("dtype", "room"), [(np.float32, 2e-6), (np.float64, 2e-13)])
@pytest.mark.parametrize("name", PROCESSES)
def test_series_are_those_of_the_process(name, dtype, room):
    key = fresh_key()
    with double_precision(True):
        wanted = np.asarray(PROCESSES[name].sample(key, 5, 70, dtype))
        ours = draws.series(key, PROCESSES[name], 5, 70, dtype)
    assert ours.shape == wanted.shape
    assert ours.dtype == wanted.dtype
    assert_allclose(ours, wanted, room, room)


def test_series_of_known_processes_need_no_program():
    """Series of sums and products are NumPy's; those of other processes are JAX's."""
    for name, process in PROCESSES.items():
        sample = draws.series(fresh_key(), process, 3, 4, np.float32)
        assert isinstance(sample, np.ndarray) == (name != "odd")


def test_normals_of_any_shape_are_those_of_jax():
    key, shape = fresh_key(), (3, 5, 2)
    ours = draws.normal(key, shape, np.float32)
    assert isinstance(ours, np.ndarray)
    assert_allclose(ours, jax.random.normal(key, shape), 5e-7)


def test_traced_keys_and_other_generators_draw_by_jax():
    other = jax.random.key(1, impl="rbg")
    for key, draw in ((fresh_key(), jax.jit), (other, lambda function: function)):
        series = draw(lambda k: draws.series(k, AR1(0.5), 2, 9, np.float32))(key)
        assert_allclose(series, AR1(0.5).sample(key, 2, 9, np.float32), 1e-5)
        normals = draw(lambda k: draws.normal(k, (2, 9), np.float32))(key)
        assert_allclose(normals, jax.random.normal(key, (2, 9)), 1e-5)


def test_numbers_in_double_precision_are_refused_without_it():
    with double_precision(False), pytest.raises(ValueError, match="x64"):
        draws.series(fresh_key(), White(), 2, 3, np.float64)
    with double_precision(False), pytest.raises(ValueError, match="x64"):
        draws.normal(fresh_key(), (2, 3), np.float64)
