"""Whole networks' Hessians: what the rows' numbers are made of."""

import math

import numpy as np
import pytest

from sigprop.evidence.kit import power_derivatives
from sigprop.evidence.zucchet.hessian import spectrum


@pytest.mark.parametrize("degrees", [90, 30, 15])
def test_a_change_of_a_matrix_is_seen_through_one_over_the_squared_sine(degrees):
    # What other parameters and the other mode add is of second order in the gap.
    ratio = spectrum.ratio_at_an_angle(degrees)
    assert abs(ratio * math.sin(math.radians(degrees)) ** 2 - 1) < 10 * spectrum.GAP**2


def test_doubled_sums_are_the_closed_pair():
    lam = spectrum.draw(10, math.pi)
    first, second = lam[:, :5], lam[:, 5:].conj()
    error = spectrum.pair_by_sums(first, second) - spectrum.pair_by_form(first, second)
    terms = spectrum.pair_by_form(abs(first), abs(second))  # the sum of their moduli
    assert np.max(abs(error) / terms) < 1e-12


def test_a_share_is_that_of_the_whole_hessian():
    shares = spectrum.shares(spectrum.pair_by_form, 4, math.pi / 4)
    for share, lam in zip(shares[:3], spectrum.draw(4, math.pi / 4), strict=False):
        derivatives = power_derivatives(lam, 6000)
        rows = np.concatenate([np.real(derivatives), -np.imag(derivatives)])
        hessian = rows @ rows.T
        rest = hessian - np.diag(np.diag(hessian))
        expected = np.linalg.norm(rest) / np.linalg.norm(hessian)
        np.testing.assert_allclose(share, expected, rtol=1e-8)
