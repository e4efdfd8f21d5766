"""The parts of a data set, and whether two of them are the same."""

import numpy as np


def parts(data):
    return data.train, data.validation, data.test


def assert_same(first, second):
    for name in ("inputs", "lengths", "labels"):
        array, other = getattr(first, name), getattr(second, name)
        np.testing.assert_array_equal(array, other)
        assert array.dtype == other.dtype
