"""Divided differences of Lemma 1 against sums over ages, and what they include."""

import itertools

import pytest
from mpmath import mp, mpf
from sympy import factor, lambdify

from sigprop.theory import hessian, overlaps
from sigprop.theory.symbols import a, alpha, b, beta, rho

NODES = [mpf(x) for x in ("0.61", "-0.47", "0.23")]


def difference(age, nodes):
    """Divided difference of ``x**age``: complete homogeneous symmetric polynomial."""
    total = mpf(0)
    degree = age - len(nodes) + 1
    if degree < 0:
        return total
    for split in itertools.combinations(range(degree + len(nodes) - 1), len(nodes) - 1):
        ends = (-1, *split, degree + len(nodes) - 1)
        powers = (high - low - 1 for low, high in itertools.pairwise(ends))
        term = mpf(1)
        for node, power in zip(nodes, powers, strict=True):
            term *= node**power
        total += term
    return total


def summed(covariance, first, second, backwards, ages=60):
    """The double sum over ages itself."""
    rows, columns = (
        [
            difference(age, NODES[-count:] if side else NODES[:count])
            for age in range(ages)
        ]
        for side, count in enumerate((first, second))
    )
    return sum(
        rows[j] * columns[k] * covariance(j + k if backwards else abs(j - k))
        for j in range(ages)
        for k in range(ages)
    )


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("orders", [(1, 1), (2, 1), (3, 1), (2, 2)])
@pytest.mark.sampled(4)
def test_divided_differences_are_sums_over_ages(orders, backwards):
    first, second = orders
    form = overlaps.mixed(backwards)
    spread = overlaps.divided(form, first, second)
    names = (*overlaps.X[:first], *overlaps.Y[:second], a, b, rho)
    at = (*NODES[:first], *NODES[-second:], mpf("0.3"), mpf("1.2"), mpf("0.5"))
    with mp.workdps(30):
        value = lambdify(names, spread, "mpmath")(*at)
        truth = summed(
            lambda lag: (
                (mpf("0.3") if lag == 0 else 0) + mpf("1.2") * mpf("0.5") ** lag
            ),
            first,
            second,
            backwards,
        )
        assert abs(value - truth) < mpf(10) ** -9 * abs(truth)
        assert abs(1.05 * value - truth) > mpf(10) ** -3 * abs(truth)


@pytest.mark.parametrize("backwards", [False, True])
def test_an_autocovariance_that_ends_is_its_sum(backwards):
    values = (1.0, 0.4, -0.2)
    form = lambdify((alpha, beta), overlaps.of_lags(values, backwards), "mpmath")
    truth = summed(
        lambda lag: mpf(values[lag]) if lag < len(values) else mpf(0), 1, 1, backwards
    )
    assert abs(form(NODES[0], NODES[-1]) - truth) < mpf(10) ** -9


@pytest.mark.parametrize("source", overlaps.SOURCES)
def test_equal_nodes_give_the_sum_of_the_hessian(source):
    form = overlaps.repeated(overlaps.shared(source), 2, 2)
    assert factor(form - hessian.pair(source).result) == 0


@pytest.mark.parametrize("orders", [(1, 2), (3, 1), (2, 3)])
def test_equal_nodes_are_the_limit_of_unequal_ones(orders):
    form = overlaps.shared("white")
    equal = dict.fromkeys(overlaps.X, alpha) | dict.fromkeys(overlaps.Y, beta)
    limit = overlaps.divided(form, *orders).subs(equal)
    assert factor(overlaps.repeated(form, *orders) - limit) == 0


def test_unequal_nodes_give_that_of_a_dense_matrix():
    form = overlaps.divided(overlaps.shared("white"), 2, 2)
    renamed = form.subs(
        dict(
            zip(
                (*overlaps.X[:2], *overlaps.Y[:2]),
                (hessian.x_1, hessian.x_2, hessian.y_1, hessian.y_2),
                strict=True,
            )
        )
    )
    assert factor(renamed - hessian.dense_pair().result) == 0


@pytest.mark.parametrize("backwards", [False, True])
def test_differences_of_rounded_numbers_hold_where_nodes_meet(backwards):
    form = overlaps.of_lags((1.34, 0.3, -0.2), backwards)
    nodes = dict.fromkeys(overlaps.X, 0.4) | dict.fromkeys(overlaps.Y, -0.3)
    apart = overlaps.divided(form, 2, 2).subs(nodes)
    together = overlaps.repeated(form, 2, 2).subs({alpha: 0.4, beta: -0.3})
    assert float(apart) == pytest.approx(float(together), rel=1e-9)
