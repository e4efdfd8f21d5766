"""What a Hessian looks like: against matrices and descents whose answer is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop.curvature.hessian import expand
from sigprop.curvature.structure import (
    couplings,
    eigenpairs,
    measured_bound,
    off_diagonal_share,
    preconditioned,
    row_norms,
    stability_bound,
)
from sigprop.curvature.twins import TWINS, twin
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.layers.dense import LinearRNN
from sigprop.layers.lru import zucchet_lru
from sigprop.linear.impulse_response import kernel
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

SMALL = np.array([[4.0, 1.0, 0.0], [1.0, 9.0, -3.0], [0.0, -3.0, 1.5]])


def test_eigenpairs_rebuild_the_matrix_sharpest_first():
    pairs = eigenpairs(np.diag([1.0, -5.0, 3.0]) + 0 * SMALL)
    assert pairs.values.tolist() == [-5.0, 3.0, 1.0]
    pairs = eigenpairs(SMALL)
    rebuilt = (pairs.vectors.T * pairs.values) @ pairs.vectors
    np.testing.assert_allclose(rebuilt, SMALL, atol=1e-14)


def test_couplings_have_no_scale():
    values = couplings(SMALL)
    assert values[0, 1] == pytest.approx(1 / 6)
    assert values[1, 2] == pytest.approx(3 / np.sqrt(13.5))
    size = np.array([1e-3, 7.0, 200.0])
    scale = np.outer(size, size)
    np.testing.assert_allclose(couplings(SMALL * scale), values)
    np.testing.assert_allclose(preconditioned(SMALL), np.sign(SMALL) * values)


def test_row_norms_are_those_of_gradients_about_the_optimum():
    """Five standard errors of a root of a mean of n squares: 5 sqrt(1 / (2 n))."""
    away = np.random.default_rng(2).normal(size=(40_000, 3))
    size = np.sqrt(np.mean((away @ SMALL) ** 2, axis=0))
    np.testing.assert_allclose(row_norms(SMALL), size, rtol=0.018)


def test_a_flat_parameter_couples_to_none():
    flat = np.zeros((4, 4))
    flat[:3, :3] = SMALL
    assert not couplings(flat)[3].any()


def test_share_off_the_diagonal():
    assert off_diagonal_share(np.eye(3)) == 0
    assert off_diagonal_share(np.ones((3, 3))) == pytest.approx(6 / 9)


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_descent_diverges_at_two_over_the_curvature(x64, scale):
    matrix = jnp.asarray(scale * (SMALL + SMALL.T))
    at = jnp.array([1.0, -2.0, 0.5])
    bound = stability_bound(np.asarray(matrix))
    start = jnp.asarray(eigenpairs(np.asarray(matrix)).vectors[0])
    measured = measured_bound(lambda x: matrix @ (x - at), at, start, 1.3 * bound)
    assert measured == pytest.approx(bound, rel=1e-3)


@pytest.mark.slow
def test_descent_of_a_network_diverges_at_its_bound(x64):
    teacher = linear_teacher(jax.random.key(1), nu0=0.9, size=4)
    task, student = teacher_student(teacher, AR1(0.5), 50), twin(teacher, "LRU")
    x, split = ravel_pytree(parameters(student))
    hessian = expand(task, student, at_optimum=True).hessian
    measured = measured_bound(
        jax.grad(lambda x: task.population(replace(student, split(x)))),
        x,
        jnp.asarray(eigenpairs(hessian).vectors[0]),
        stability_bound(hessian),
    )
    assert measured == pytest.approx(stability_bound(hessian), rel=2e-3)


@pytest.mark.parametrize("factor", [0.2, 5.0])
def test_a_far_guess_is_refused(x64, factor):
    with pytest.raises(ValueError, match="within a factor of two of the bound"):
        measured_bound(lambda x: x, jnp.zeros(2), jnp.ones(2), 2 * factor)


@pytest.mark.parametrize("name", TWINS)
def test_twins_have_one_response(name):
    with double_precision(True):
        teacher = linear_teacher(jax.random.key(3), nu0=0.9, size=5)
        assert np.isreal(np.asarray(teacher.eigenvalues())).any()
        kernels = kernel(teacher, 40), kernel(twin(teacher, name), 40)
    np.testing.assert_allclose(*kernels, atol=1e-12)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), r"need hessian in .* got nan"),
        (
            np.array([[1.0, 2.0], [0.0, 1.0]]),
            "need hessian symmetric, got entries 2 apart",
        ),
    ],
)
@pytest.mark.parametrize(
    "look", [eigenpairs, couplings, off_diagonal_share, stability_bound]
)
def test_what_is_no_hessian_is_refused(look, matrix, message):
    with pytest.raises(ValueError, match=message):
        look(matrix)


def test_where_nothing_holds_there_is_no_bound():
    with pytest.raises(ValueError, match="need hessian with a positive eigenvalue"):
        stability_bound(-np.eye(2))
    with pytest.raises(ValueError, match="need hessian without a negative diagonal"):
        couplings(-np.eye(2))
    with pytest.raises(ValueError, match="need hessian not zero everywhere"):
        off_diagonal_share(np.zeros((2, 2)))


@pytest.mark.slow
def test_a_twin_needs_real_states_and_a_basis(x64):
    with pytest.raises(ValueError, match="need real states, got those of LRU"):
        twin(zucchet_lru(3, 1, key=jax.random.key(0), nu0=0.5, theta0=3.0), "LRU")
    A = jnp.array([[[0.5, 1.0], [0.0, 0.5]]])
    weights = jnp.ones((2, 1)), jnp.ones((1, 2)), jnp.zeros((1, 1))
    defective = LinearRNN(A, *weights)
    with pytest.raises(ValueError, match="eigenvectors that form a basis"):
        twin(defective, "LRU")
