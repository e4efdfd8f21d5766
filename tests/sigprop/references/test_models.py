"""The brute-force routes of Zucchet's Sections 1-4 and Appendix A say no where they must."""

import math

import numpy as np
import pytest

from sigprop.references import (
    connectivity,
    initialisations,
    jacobians,
    memory,
    models,
    spectra,
)


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.9, 1.0])
def test_a_pair_sum_is_the_double_sum(rho):
    w = np.array([1.0, 0.5 - 0.2j, -0.3j, 0.7])
    lags = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    covariances = np.where(lags == 0, 1.0, rho**lags)
    expected = np.real(w @ covariances @ w.conj())
    assert memory.pair_sum(w, rho) == pytest.approx(expected, rel=1e-12)


def test_a_complex_step_is_a_derivative():
    found = jacobians.complex_step(lambda x: x**3 + x[::-1], np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [[3.0, 1.0], [1.0, 12.0]], rtol=1e-14)


def test_switching_jacobians_have_no_radius_and_a_product_that_explodes():
    assert spectra.largest_radius("switching") == 0
    assert spectra.decay_norm("switching", 10) == pytest.approx(2.0**10)
    assert spectra.largest_radius("sheared") < 0.8
    assert max(np.linalg.svd(spectra.JACOBIANS["sheared"][0])[1]) > 1


def test_a_late_input_changes_outputs_and_an_early_one_does_not():
    right = models.dense_outputs(2)
    np.testing.assert_allclose(models.diagonalised_in_time(2), right, atol=1e-12)
    assert np.abs(models.diagonalised_print(2) - right).max() > 0.1


def test_each_term_of_the_dense_sensitivity_counts():
    right = connectivity.moved_by_step()
    np.testing.assert_allclose(connectivity.moved_by_terms(), right, atol=1e-11)
    for other in (connectivity.without_readout(), connectivity.without_input()):
        assert np.abs(other - right).max() > 0.1


def test_a_matrix_without_negative_eigenvalues_stays_real():
    positive, negative = (
        np.abs(np.imag(spectra.moved_matrix(case, 0.3, 1.0))).max()
        for case in ("positive", "negative")
    )
    assert positive < 1e-12
    assert negative > 0.1


@pytest.mark.parametrize("times", [1.0, 2.0])
def test_a_chrono_gate_has_the_odds_that_it_is_given(times):
    gate = initialisations.chrono_gate(0.9, times)
    assert gate / (1 - gate) == pytest.approx(times / 0.1)


def test_growth_of_a_glorot_matrix_is_the_sum_over_its_powers(monkeypatch):
    A = 3 * np.random.default_rng(5).normal(size=(1, 6, 6))
    monkeypatch.setattr(initialisations, "_glorot", lambda size: A)
    powers = [np.linalg.matrix_power(A[0], k) for k in range(64)]
    square = sum((power**2).sum() for power in powers) / 6
    found = initialisations.glorot_growth(6, 64)
    assert found == pytest.approx(math.log10(square) / 2, rel=1e-12)
    assert initialisations.glorot_growth(6, 1024) == math.inf


def test_simulated_growth_is_that_of_the_sum():
    """While it is shared by many neurons: the luck of a sequence is in its top mode."""
    for steps in (1, 4):
        expected = initialisations.glorot_growth(256, steps)
        found = initialisations.glorot_simulated(256, steps)
        assert found == pytest.approx(expected, abs=math.log10(1.05))
