"""Held inputs, leaked spectra, Koopman's eigenfunctions and real forms."""

import pytest
from sympy import Integer, Matrix, pi, simplify, sqrt

from sigprop.theory import koopman, spectral
from sigprop.theory.derivation import start


@pytest.mark.parametrize(
    "proof",
    [
        spectral.leakage_is_convolution,
        spectral.sine_leaks_by_the_kernel,
        spectral.delay_is_a_phase,
        spectral.pulse_is_right,
        spectral.sine_keeps_its_frequency,
        spectral.held_step_is_exact,
        spectral.scan_is_associative,
        koopman.koopman_is_linear,
        koopman.eigenfunctions_are_right,
        koopman.orbit_is_right,
        koopman.conjugate_is_eigenvalue,
        koopman.block_acts_on_parts,
        koopman.block_multiplies_as_numbers,
    ],
)
def test_proofs_hold(proof):
    assert proof()


def test_lines_of_the_convolution_proof_differ_by_the_inverse_transform_alone():
    first, *same, last = spectral.product_lines()
    assert all(simplify(line / first - 1) == 0 for line in same)
    assert simplify(2 * pi * spectral.scale * last / first - 1) == 0


def test_a_line_is_right_under_one_prefactor_alone():
    line, product = spectral.product_lines()[0], spectral.product_of_signals().result
    assert spectral.agree_under(1 / (2 * pi), line, product)
    assert not spectral.agree_under(Integer(1), line, product)


def test_a_step_that_is_not_the_held_one_is_noticed(monkeypatch):
    first_order = start("Euler", spectral.dt * spectral.drive)
    monkeypatch.setattr(spectral, "held_step", lambda: first_order)
    assert not spectral.held_step_is_exact()


def test_gaussian_integrals_complete_the_square():
    integral = spectral.signal(spectral.width_1).over(spectral.time).form
    assert simplify(integral - spectral.width_1 * sqrt(2 * pi)) == 0


def test_the_real_block_is_the_transpose_of_the_printed_one():
    re, im = koopman.re_lam, koopman.im_lam
    assert koopman.rotation_block() == Matrix([[re, -im], [im, re]]).T
