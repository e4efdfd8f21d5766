"""The Hessian's helpers: conjugation, chain rule, and references that know no formula."""

import mpmath
import numpy as np
import pytest
from sympy import I, Symbol, exp, expand, simplify

from sigprop.references import hessian as reference
from sigprop.references import hessian_engine as engine
from sigprop.references import hessian_samples as samples
from theory import hessian
from theory.papers.zucchet.hessian import claims, forms


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
    found = hessian.similarity(at["lambda_i"], at["lambda_j"], rho=rho)
    np.testing.assert_allclose(found, reference.pair_sum(**at), rtol=1e-12)


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


@pytest.mark.parametrize("chart", sorted(engine.CHARTS))
def test_charts_invert(chart):
    with mpmath.workdps(30):
        lam = mpmath.mpc(0.3, 0.6)
        found = engine.CHARTS[chart].eigenvalue(*engine.CHARTS[chart].parameters(lam))
        assert abs(found - lam) < 1e-25


def test_the_one_pass_quadratic_form_is_the_double_sum():
    kernel = np.random.default_rng(0).normal(size=30)
    literal = kernel @ engine.autocovariance(0.3, 0.7, -0.6, 30) @ kernel
    found = engine.quadratic([mpmath.mpf(x) for x in kernel], 0.3, 0.7, -0.6)
    np.testing.assert_allclose(float(found), literal, rtol=1e-12)


def test_differences_know_a_loss_without_a_minimum():
    found = samples.wirtinger_second(lambda z, w: (z**2 * w).real, 0.5 + 1j, 2.0 - 1j)
    np.testing.assert_allclose(found, [[0.5 + 1j, 0], [0, 0.5 - 1j]], atol=1e-12)


def test_contours_take_both_wirtinger_derivatives():
    def function(z):
        return z**2 * z.conjugate()

    z = 0.4 - 0.9j
    assert samples.contour(function, z, 1) == pytest.approx(2 * abs(z) ** 2)
    assert samples.contour(function, z, -1) == pytest.approx(z**2)


def test_the_printed_pair_is_exact_at_both_ends_alone():
    difference = forms.eq_134() - hessian.tidy_pair()
    assert simplify(difference.subs(hessian.rho, 0)) == 0
    assert simplify(difference.subs(hessian.rho, 1)) == 0
    assert simplify(difference.subs(hessian.rho, -1)) != 0


def test_no_id_is_used_twice():
    found = [one.id for one in claims()]
    assert len(set(found)) == len(found)
    assert {f"zucchet:{number}" for number in range(113, 156)} <= set(found)
