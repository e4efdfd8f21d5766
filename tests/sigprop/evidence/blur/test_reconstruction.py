"""Ranks by elimination, and responses that are written down."""

import mpmath
import numpy as np
import pytest

from sigprop.evidence.blur import reconstruction


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        ([[1, 2], [2, 4]], 1),
        ([[0, 1], [1, 0], [1, 1]], 2),
        ([[0, 0]], 0),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2),
    ],
)
def test_ranks_by_elimination(rows, rank):
    with mpmath.workdps(reconstruction.DIGITS):
        assert reconstruction.precise_rank(mpmath.matrix(rows)) == rank


def test_the_written_responses_are_those_of_the_layer():
    at = (0, 2, 3, 6, 2, "drawn")
    written = reconstruction.written_responses(*at)
    values = np.array(written.tolist(), dtype=complex)
    np.testing.assert_allclose(values, reconstruction.responses(*at), atol=1e-13)
