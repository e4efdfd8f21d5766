"""Held inputs, leaked spectra, Koopman's eigenfunctions and real forms."""

import pytest
from sympy import Matrix, pi, simplify, sqrt

from theory import koopman, spectral


@pytest.mark.parametrize(
    "proof",
    [
        spectral.leakage_is_convolution,
        spectral.sine_leaks_by_the_kernel,
        spectral.delay_is_a_phase,
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


def test_gaussian_integrals_complete_the_square():
    found = spectral.signal(spectral.width_1).over(spectral.time).form
    assert simplify(found - spectral.width_1 * sqrt(2 * pi)) == 0


def test_the_real_block_is_the_transpose_of_the_printed_one():
    re, im = koopman.re_lam, koopman.im_lam
    assert koopman.rotation_block() == Matrix([[re, -im], [im, re]]).T
