"""Eigenvalues that Eq. 15 moves."""

import numpy as np

from sigprop.evidence.zucchet.networks.linear import moved_matrix


def test_a_matrix_without_negative_eigenvalues_stays_real():
    positive, negative = (
        np.abs(np.imag(moved_matrix(case, 0.3, 1.0))).max()
        for case in ("positive", "negative")
    )
    assert positive < 1e-12
    assert negative > 0.1
