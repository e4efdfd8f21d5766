"""Moments of the diagonal recurrence against sums written out in exact rationals."""

from itertools import product

import mpmath
import pytest
from sympy import Add, Expr, Integer, Pow, Rational, S, lambdify, oo

from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import INPUTS, is_zero
from sigprop.theory.symbols import T, a, b, lam, lam_bar, n, r, rho

# Two unrelated rationals in place of an eigenvalue and its conjugate.
AT = {
    lam: Rational(2, 7),
    lam_bar: Rational(-3, 5),
    rho: Rational(4, 9),
    a: Rational(1, 3),
    b: Rational(5, 4),
}


def covariance(name: str, lag: int) -> Expr:
    white, memory = (S.One if lag == 0 else S.Zero), AT[rho] ** lag
    return {
        "white": white,
        "constant": S.One,
        "exponential": memory,
        "mixed": AT[a] * white + AT[b] * memory,
    }[name]


def kernels(value: Expr, length: int) -> dict[str, list[Expr]]:
    """Both kernels by running the recurrence, never by a formula."""
    h, s = S.One, S.Zero
    terms: dict[str, list[Expr]] = {"state": [], "sensitivity": []}
    for _ in range(length):
        terms["state"].append(h)
        terms["sensitivity"].append(s)
        h, s = value * h, value * s + h
    return terms


def written_out(quantity: str, name: str, horizon: int) -> Expr:
    left = kernels(AT[lam], horizon)[quantity]
    right = kernels(AT[lam_bar], horizon)[quantity]
    pairs = product(range(horizon), repeat=2)
    terms = (left[i] * right[j] * covariance(name, abs(i - j)) for i, j in pairs)
    return sum(terms, S.Zero)


CASES = [(q, name) for q in diagonal.QUANTITIES for name in INPUTS]


def test_the_table_of_cases_misses_no_input_and_no_quantity():
    assert len(CASES) == len(INPUTS) * 2 == 8


@pytest.mark.parametrize("horizon", range(1, 6))
@pytest.mark.parametrize(("quantity", "name"), CASES)
@pytest.mark.sampled(8)
def test_finite_moment_is_the_double_sum_written_out(quantity, name, horizon):
    truth = written_out(quantity, name, horizon)
    closed = diagonal.moment(quantity, name, T).result
    assert closed.subs({**AT, T: horizon}) == truth
    assert closed.subs({**AT, T: horizon + 1}) != truth
    at_a_number = diagonal.moment(quantity, name, Integer(horizon)).result
    assert at_a_number.subs(AT) == truth


@pytest.mark.parametrize(("quantity", "name"), CASES)
def test_infinite_moment_is_the_limit_of_the_finite_one(quantity, name):
    limit = diagonal.moment(quantity, name).result
    finite = diagonal.moment(quantity, name, T).result
    symbols = [lam, lam_bar, rho, a, b]
    values = {
        lam: mpmath.mpc("0.5", "0.4"),
        lam_bar: mpmath.mpc("0.5", "-0.4"),
        rho: mpmath.mpf("-0.7"),
        a: mpmath.mpf("0.3"),
        b: mpmath.mpf("1.2"),
    }
    with mpmath.workdps(60):
        arguments = [values[symbol] for symbol in symbols]
        far = lambdify([*symbols, T], finite, "mpmath")(*arguments, 400)
        near = lambdify([*symbols, T], finite, "mpmath")(*arguments, 1)
        end = lambdify(symbols, limit, "mpmath")(*arguments)
        assert abs(far / end - 1) < mpmath.mpf(10) ** -45
        assert abs(near / end - 1) > 0.05


@pytest.mark.parametrize("quantity", diagonal.QUANTITIES)
def test_kernel_obeys_the_recurrence_it_was_solved_from(quantity):
    solved = {
        "state": diagonal.state_kernel,
        "sensitivity": diagonal.sensitivity_kernel,
    }
    proof = solved[quantity]()
    run = kernels(AT[lam], 8)[quantity]
    assert [proof.result.subs({**AT, n: age}) for age in range(8)] == run
    assert [proof.result.subs({**AT, n: age + 1}) for age in range(8)] != run


def test_backward_error_has_the_kernel_of_the_state():
    assert is_zero(diagonal.backward_kernel().result - diagonal.state_kernel().result)


@pytest.mark.parametrize("quantity", diagonal.QUANTITIES)
@pytest.mark.parametrize("horizon", [T, oo], ids=str)
def test_lemma_and_direct_double_sum_give_the_same_weights(quantity, horizon):
    by_lemma = diagonal.functional(quantity, horizon)
    assert by_lemma.equals(diagonal.direct_functional(quantity, horizon))
    wrong = by_lemma.map(lambda weight: weight * Rational(51, 50))
    assert not wrong.equals(by_lemma)


def test_moment_of_a_sum_of_inputs_is_the_sum_of_moments():
    for quantity, horizon in product(diagonal.QUANTITIES, (T, oo)):
        mixed = diagonal.moment(quantity, "mixed", horizon).result
        direct = diagonal.functional(quantity, horizon).on("mixed")
        at = {**AT, T: 4}
        assert mixed.subs(at) == direct.subs(at)


def test_unknown_quantity_is_refused():
    with pytest.raises(
        ValueError, match=r"^need a quantity in \('state', 'sensitivity'\), got 'loss'$"
    ):
        diagonal.functional("loss")


STABLE = {"state": diagonal.stable_state, "sensitivity": diagonal.stable_sensitivity}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("quantity", STABLE)
def test_stable_form_equals_the_derived_one(quantity, sign):
    assert diagonal.stable_is_exact(quantity, sign)


@pytest.mark.parametrize("quantity", STABLE)
def test_stable_form_two_percent_off_is_noticed(quantity, monkeypatch):
    wrong = STABLE[quantity]() * Rational(51, 50)
    monkeypatch.setattr(diagonal, f"stable_{quantity}", lambda: wrong)
    assert not diagonal.stable_is_exact(quantity, 1)


def subtracts(expr: Expr) -> bool:
    """Whether any sum inside has a term that is not known to be at least zero."""
    return any(
        not term.is_nonnegative for total in expr.atoms(Add) for term in total.args
    )


@pytest.mark.parametrize("quantity", STABLE)
def test_stable_form_only_adds_multiplies_and_divides_positive_terms(quantity):
    form = STABLE[quantity]()
    assert not subtracts(form)
    assert form.atoms(Add)
    assert form.could_extract_minus_sign() is False
    assert all(power.exp.is_integer for power in form.atoms(Pow))
    assert subtracts(diagonal.moment(quantity, "exponential").result)
    assert subtracts(form.subs(r, -r) + 1 - rho)


@pytest.mark.parametrize("sign", [1, -1])
def test_ingredients_of_the_stable_forms_have_the_signs_they_are_declared_with(sign):
    meaning = diagonal.stable_meaning(sign)
    for gap, turn, size in product((0.01, 0.5, 0.99), (0, 1, 3), (0.1, 0.9)):
        point = (1 - gap) * mpmath.expj(turn)
        at = {lam: point, lam_bar: mpmath.conj(point), rho: sign * size}
        for symbol, expr in meaning.items():
            value = complex(lambdify(list(at), expr, "mpmath")(*at.values()))
            assert abs(value.imag) < 1e-12
            if symbol.is_positive:
                assert value.real > 0
            assert value.real > -1e-12


@pytest.mark.parametrize("quantity", diagonal.QUANTITIES)
def test_remainder_is_the_energy_of_the_tail_over_that_of_the_whole(quantity):
    radius, steps = Rational(3, 4), 6
    kernel = kernels(radius, 400)[quantity]
    energy = [float(weight) ** 2 for weight in kernel]
    bound = diagonal.remainder_factor(quantity).subs({r: radius, T: steps})
    assert float(bound) == pytest.approx(sum(energy[steps:]) / sum(energy), rel=1e-12)


def test_every_derivation_ends_in_its_result_and_gives_a_reason_for_each_step():
    for quantity, name in CASES:
        proof = diagonal.moment(quantity, name)
        assert proof.result == proof.steps[-1].expr
        assert all(step.reason.strip() for step in proof.steps)
        assert len(proof.steps) >= 4
