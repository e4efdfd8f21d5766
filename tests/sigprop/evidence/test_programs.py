"""Values that JAX gives, each set of them as one program."""

import jax.numpy as jnp
import numpy as np

from sigprop.evidence.programs import computed


def test_values_are_of_double_precision_and_of_numpy():
    third, doubled = computed(lambda x: (x / 3, {"twice": 2 * x}), 1.0)
    assert isinstance(third, np.ndarray)
    assert third.dtype == np.float64
    assert third == 1 / 3
    assert doubled["twice"] == 2


def test_a_function_is_traced_once_for_arrays_of_a_shape_and_each_constant():
    traced = []

    def power(x, order):
        traced.append(order)
        return jnp.sum(x**order)

    sums = [computed(power, np.full(3, value), order=2) for value in (1.0, 2.0)]
    assert sums == [3, 12]
    assert computed(power, np.ones(3), order=3) == 3
    assert traced == [2, 3]
