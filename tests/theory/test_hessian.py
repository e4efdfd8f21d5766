"""The Hessian's helpers: conjugation, closed pairs, and the chain rule."""

import numpy as np
import pytest
from sympy import I, Symbol, exp, expand, simplify

from sigprop.evidence.zucchet.hessian.sensitivities import pair_sum
from sigprop.theory import hessian
from sigprop.theory.papers.zucchet.hessian.expectation import eq_134


def test_conjugation_is_an_involution_that_keeps_real_symbols():
    form = I * hessian.lambda_i * exp(I * hessian.theta_i) * hessian.nu_i
    assert hessian.conjugate(hessian.conjugate(form)) == form
    assert hessian.bar(hessian.nu_i) == hessian.nu_i
    assert hessian.conjugate(form).has(hessian.bar(hessian.lambda_i))


def test_the_closed_pair_is_the_lemma_and_the_ordered_form():
    assert hessian.pair_is_the_double_sum()
    difference = hessian.tidy_pair() - hessian.pair("exponential").result
    assert simplify(difference) == 0


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.9, 1.0])
def test_values_are_the_double_sum(rho):
    at = {"lambda_i": 0.4 + 0.3j, "lambda_j": -0.2 + 0.6j, "rho": rho}
    values = hessian.similarity(at["lambda_i"], at["lambda_j"], rho=rho)
    np.testing.assert_allclose(values, pair_sum(**at), rtol=1e-12)


def test_a_moved_eigenvalue_of_a_dense_matrix_is_a_white_pair():
    same = {hessian.x_2: hessian.x_1, hessian.y_2: hessian.y_1}
    white = hessian.pair("white").result
    names = {hessian.alpha: hessian.x_1, hessian.beta: hessian.y_1}
    difference = hessian.dense_pair().result.subs(same) - white.subs(names)
    assert simplify(difference) == 0


def test_the_whole_real_hessian_is_symmetric():
    p, q = Symbol("p"), Symbol("q")
    upper = hessian.real_block((p,), (q,))
    lower = hessian.real_block((q,), (p,))
    # unit j's block with i is A_ji = A_ij and B_ji = conj(B_ij)
    swap = {hessian.B_ij: hessian.bar(hessian.B_ij)}
    swap[hessian.bar(hessian.B_ij)] = hessian.B_ij
    difference = upper - lower.subs(swap, simultaneous=True)
    assert expand(difference.trace()) == 0


def test_the_printed_pair_is_exact_at_both_ends_alone():
    difference = eq_134() - hessian.tidy_pair()
    assert simplify(difference.subs(hessian.rho, 0)) == 0
    assert simplify(difference.subs(hessian.rho, 1)) == 0
    assert simplify(difference.subs(hessian.rho, -1)) != 0
