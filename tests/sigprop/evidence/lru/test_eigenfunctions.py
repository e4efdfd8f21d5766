"""Eigenfunctions tell only what they span."""

import numpy as np

from sigprop.evidence.lru.eigenfunctions import modes_predict


def test_a_jordan_block_is_no_sum_of_eigenfunctions():
    matrix = np.array([[0.5, 0.4], [0, 0.5]], complex)
    prediction = modes_predict(matrix, np.ones(2, complex), 3)
    exact = (np.linalg.matrix_power(matrix, 3) @ np.ones(2))[0]
    assert abs(prediction - exact) > 0.1 * abs(exact)
