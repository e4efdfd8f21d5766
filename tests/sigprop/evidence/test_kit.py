"""The brute force of evidence, each piece against a value known without it."""

import ast
import math
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from sigprop.evidence import kit

NEAR: Any = {"rel": 1e-12, "abs": 1e-12}


def test_every_function_of_the_kit_is_tested_here():
    with open(kit.__file__, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    with open(__file__, encoding="utf-8") as source:
        text = source.read()
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in named if not name.startswith("_")}
    assert {name for name in public if f"kit.{name}(" not in text} == set()


def test_points_are_rows_by_name():
    rows = kit.points("lam rho", (0.5, 0.0), (0.9, 1.0))
    assert rows == ({"lam": 0.5, "rho": 0.0}, {"lam": 0.9, "rho": 1.0})
    assert kit.points("lams", (1, 2), 3) == ({"lams": (1, 2)}, {"lams": 3})
    assert kit.also(rows[:1], quantity="state") == (
        {"lam": 0.5, "rho": 0.0, "quantity": "state"},
    )
    with pytest.raises(ValueError, match="argument"):
        kit.points("lam rho", (0.5,))


def test_combinations_vary_the_last_name_fastest():
    assert kit.across(a=(1, 2), b="xy") == kit.points(
        "a b", (1, "x"), (1, "y"), (2, "x"), (2, "y")
    )


def test_each_route_is_handed_to_the_value():
    routes = kit.each(
        lambda root, x: root(x) ** 3, {"up": math.ceil, "down": math.floor}
    )
    assert {name: route(x=1.5) for name, route in routes.items()} == {
        "up": 8,
        "down": 1,
    }


@pytest.mark.parametrize("lam", [0.5, -0.5, 0.3 + 0.4j])
def test_powers_and_their_slopes_sum_to_geometric_series(lam):
    assert kit.powers(lam, 80).sum() == pytest.approx(1 / (1 - lam), **NEAR)
    assert kit.power_derivatives(lam, 90).sum() == pytest.approx(
        1 / (1 - lam) ** 2, **NEAR
    )


def test_powers_of_several_numbers_have_the_ages_last():
    assert kit.powers(np.array([2, 3]), 3).tolist() == [[1, 2, 4], [1, 3, 9]]
    assert kit.power_derivatives(np.array([2, 3]), 3).tolist() == [[0, 1, 4], [0, 1, 6]]


def test_energy_sums_squares_of_all_entries():
    assert kit.energy(np.array([[3 + 4j, 1], [-2, 0]])) == 30


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.7, 1.0, -1.0])
def test_a_double_sum_goes_over_all_pairs(rho):
    first, second = [1.0, 0.5 - 0.2j, -0.3j], [0.4j, 1 + 0.1j, 0.7]
    expected = sum(
        a * complex(b).conjugate() * (1 if n == m else rho ** abs(n - m))
        for n, a in enumerate(first)
        for m, b in enumerate(second)
    )
    a, b = np.array(first), np.array(second)
    assert kit.double_sum(a, b, rho) == pytest.approx(expected, **NEAR)
    assert kit.double_sum(b, a, rho) == pytest.approx(np.conj(expected), **NEAR)


@pytest.mark.parametrize("rho", [0.0, 0.5, -2.0, 1.0])
def test_what_fades_is_remembered_from_age_to_age(rho):
    w = np.array([1.0, 2j, -3.0])
    expected = [1, rho + 2j, rho**2 + 2j * rho - 3]
    assert kit.faded(w, rho) == pytest.approx(expected, **NEAR)
    assert kit.faded(w[:1], rho) == pytest.approx([1.0])


def test_the_standard_error_is_that_of_a_mean():
    assert kit.standard_error(np.array([1.0, 2.0, 6.0])) == pytest.approx(
        math.sqrt((4 + 1 + 9) / 2 / 3)
    )


def test_a_moment_of_two_weights_is_written_out():
    w = np.array([1.0, 2j])
    assert kit.moment(w) == 5
    assert kit.moment(np.array([1.0, 2.0]), 0.5) == pytest.approx(5 + 2 * 2 * 0.5)
    assert kit.moment(w, 0.5) == pytest.approx(5)  # the cross terms cancel


def test_an_autocovariance_depends_on_the_lag_alone():
    assert kit.autocovariance(3, 0.5, 2.0, 4.0).tolist() == [
        [6, 2, 1],
        [2, 6, 2],
        [1, 2, 6],
    ]
    assert kit.autocovariance(2, 0.0).tolist() == [[1, 0], [0, 1]]
    assert kit.autocovariance(2, -1.0).tolist() == [[1, -1], [-1, 1]]


def test_a_quadratic_form_conjugates_its_second_weights():
    R = np.array([[2.0, 1j], [-1j, 3.0]])
    assert kit.quadratic(np.array([1.0, 0]), R) == 2
    # 2 + 3 + i (1)(-i) + (-i)(i)(1) = 5 + 1 + 1
    assert kit.quadratic(np.array([1.0, 1j]), R) == 7


MATRIX = np.array([[0.0, 1.0], [-0.5, 1.0]])


def test_a_recurrence_takes_a_number_a_vector_or_a_matrix():
    ones = np.ones((3, 2))
    assert kit.recur(2, np.array([1, 0, 1])).tolist() == [1, 2, 5]
    assert kit.recur(0.5, np.array([1, 0]), 4).tolist() == [3, 1.5]
    assert kit.recur(np.array([2, 3]), ones)[-1].tolist() == [7, 13]
    assert kit.recur(MATRIX, ones).tolist() == [[1, 1], [2, 1.5], [2.5, 1.5]]


def test_states_as_sums_of_powers_are_written_out():
    x = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    expected = [[1, 0], [0, 0.5], [2.5, 0.5]]
    np.testing.assert_allclose(kit.powered(MATRIX, x), expected)


def test_an_impulse_response_is_c_a_to_the_age_b():
    fibonacci, B, C = np.array([[1, 1], [1, 0]]), np.array([1, 0]), np.array([0, 1])
    assert kit.impulse_response(fibonacci, B, C, 7).tolist() == [0, 1, 1, 2, 3, 5, 8]
    shapes = kit.impulse_response(MATRIX, np.ones((2, 3)), np.ones((4, 2)), 5).shape
    assert shapes == (5, 4, 3)


def test_a_matrix_is_made_of_its_modes():
    vectors = np.array([[1.0, 1.0], [0.0, 2.0]])
    matrix = kit.from_modes(np.array([3.0, 0.5]), vectors)
    np.testing.assert_allclose(matrix @ vectors, vectors * [3.0, 0.5])


def test_blocks_multiply_as_complex_numbers_do():
    a, b = 0.3 + 0.8j, -1.1 + 0.2j
    np.testing.assert_allclose(kit.block(a) @ kit.block(b), kit.block(a * b))
    assert kit.block(2j).tolist() == [[0, -2], [2, 0]]


def test_orthogonal_matrices_are_drawn_without_a_preferred_sign():
    Q = kit.orthogonal(np.random.default_rng(0), 400, 6, 6)
    unit = np.broadcast_to(np.eye(6), Q.shape)
    np.testing.assert_allclose(Q @ np.swapaxes(Q, 1, 2), unit, atol=1e-12)
    assert abs(np.mean(np.diagonal(Q, axis1=1, axis2=2))) < 5 / np.sqrt(400 * 36)


def test_a_sigmoid_has_the_odds_of_its_argument():
    assert kit.sigmoid(math.log(3)) == pytest.approx(0.75)
    assert kit.sigmoid(np.array([0.0, -800.0])).tolist() == [0.5, 0.0]
    assert kit.sigmoid(1j * math.pi / 2) == pytest.approx(0.5 + 0.5j)
    assert kit.logit(0.75) == pytest.approx(math.log(3))


def test_a_complex_step_is_exact():
    assert kit.complex_step(np.exp, 0.7) == pytest.approx(math.exp(0.7), rel=1e-15)
    value = kit.complex_step(lambda x: x**3 + x[::-1], np.array([1.0, 2.0]))
    np.testing.assert_allclose(value, [[3.0, 1.0], [1.0, 12.0]], rtol=1e-14)
    assert kit.complex_step(lambda A: A[0] * A[1], np.ones((2, 3))).shape == (3, 2, 3)


@pytest.mark.parametrize(("derivative", "order"), kit.STENCILS)
def test_a_central_difference_is_exact_below_its_order(derivative, order):
    degree = derivative + order - 1
    for power in range(degree + 1):
        value = kit.central(
            lambda x, power=power: x**power,
            1.5,
            0.1,
            derivative=derivative,
            order=order,
        )
        factor = math.perm(power, derivative)
        expected = factor * 1.5 ** (power - derivative)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_central_difference_goes_along_its_direction():
    value = kit.central(
        lambda x: x[0] * x[1], np.array([3.0, 5.0]), 0.1, np.array([2, 1])
    )
    assert value == pytest.approx(2 * 5 + 3)
    with pytest.raises(KeyError, match="2, 8"):
        kit.central(math.exp, 0.0, 0.1, derivative=2, order=8)


def test_a_contour_gives_the_derivative_of_a_pole():
    value = kit.contour(lambda z: 1 / (1 - z), 0.2 + 0.1j, 0.1)
    assert value == pytest.approx((0.8 - 0.1j) ** -2, rel=1e-13)


def test_gauss_and_legendre_integrate_polynomials_of_twice_their_number():
    nodes, weights = kit.legendre(1.0, 3.0, 3)
    assert weights @ nodes**5 == pytest.approx((3**6 - 1) / 6, rel=1e-13)
    assert weights.sum() == pytest.approx(2)


def test_halving_finds_where_a_condition_ends():
    assert kit.bisect(lambda x: x * x < 2, 0.0, 2.0) == pytest.approx(math.sqrt(2))
    assert kit.bisect(lambda x: x < 0.3, 0.0, 1.0, steps=1) == 0.25


def test_an_exponent_is_that_of_a_power():
    assert kit.exponent(lambda x: 7 * x**-3.0, 1e-2, 1e-3) == pytest.approx(-3)
    exponents = kit.exponent(lambda x: np.array([x, 5 * x**2]), 1e-2, 1e-3)
    np.testing.assert_allclose(exponents, [1, 2])


def test_the_norm_of_a_symmetric_matrix_is_its_largest_eigenvalue_in_size():
    turn = scipy.linalg.expm(np.array([[0, 0.4, -0.2], [-0.4, 0, 0.7], [0.2, -0.7, 0]]))
    matrix = turn * np.array([1.0, 0.3, -3.0]) @ turn.T
    assert kit.spectral_norm(matrix) == pytest.approx(3)


def test_points_of_two_tables_are_crossed_and_the_last_varies_fastest():
    tables = kit.points("a b", (1, 2), (3, 4)), kit.points("c", 5, 6)
    assert kit.crossed(*tables) == kit.points(
        "a b c", (1, 2, 5), (1, 2, 6), (3, 4, 5), (3, 4, 6)
    )


def test_entries_are_those_of_the_array():
    def table(size):
        return np.arange(size**2).reshape(size, size)

    assert kit.entries(table, 0, slice(1, 3))(size=3).tolist() == [1, 2]
    assert kit.entries(table, -1)(size=3).tolist() == [6, 7, 8]


def test_covariances_are_those_of_summed_responses_and_of_the_limit():
    A = np.array([[0.3, 0.5j], [-0.2, 0.4]])
    B = np.array([[1.0, 0.5], [0.2j, -0.7]])
    matrices = kit.covariances(A, B @ B.conj().T, 60)
    columns = [np.linalg.matrix_power(A, age) @ B for age in range(3)]
    assert matrices[2] == pytest.approx(sum(w @ w.conj().T for w in columns))
    limit = scipy.linalg.solve_discrete_lyapunov(A, B @ B.conj().T)
    assert matrices[-1] == pytest.approx(limit)
    assert kit.covariances(A, B, 1, np.eye(2))[0] == pytest.approx(A @ A.conj().T + B)
