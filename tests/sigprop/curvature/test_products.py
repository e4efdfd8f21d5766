"""Products are those of explicit Hessians and Gauss-Newton matrices."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature.hessian import expand
from sigprop.curvature.lanczos import lanczos
from sigprop.curvature.products import gauss_newton, hessian, label_indices
from sigprop.inputs import White
from sigprop.layers.base import parameters, replace
from sigprop.layers.lru import zucchet_lru
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

pytestmark = pytest.mark.usefixtures("x64")


@functools.cache
def student():
    key = jax.random.key(0)
    layer = zucchet_lru(3, 1, key=key, nu0=0.6, theta0=2.0)
    task = teacher_student(linear_teacher(key, nu0=0.8), White(), length=20)
    return task, layer


@pytest.mark.slow
def test_products_are_those_of_the_explicit_hessian():
    task, layer = student()
    expansion = expand(task, layer)
    matrix = hessian(
        lambda values, _: task.population(replace(layer, values)), parameters(layer)
    )
    columns = dense(matrix)
    scale = np.abs(expansion.hessian).max()
    np.testing.assert_allclose(columns, expansion.hessian, atol=1e-10 * scale)
    assert np.abs(columns).max() > 1e-3


def tanh_outputs(values, batch):
    hidden = jnp.tanh(batch["u"] @ values["inward"])
    return hidden @ values["outward"]


def squares(outputs, batch):
    return jnp.mean((outputs - batch["y"]) ** 2)


def tanh_network(batches):
    draws = np.random.default_rng(0)
    values = {"inward": (3, 4), "outward": (4, 2)}
    values = {name: jnp.asarray(draws.normal(size=s)) for name, s in values.items()}
    data = {name: jnp.asarray(draws.normal(size=(12, k))) for name, k in DATA.items()}
    return values, jax.tree.map(lambda x: x.reshape(batches, -1, x.shape[1]), data)


DATA = {"u": 3, "y": 2}


def dense(matrix):
    return np.asarray(jax.jit(jax.vmap(matrix))(jnp.eye(matrix.size)))


def test_batches_are_averaged_and_bound_the_memory():
    def loss(values, batch):
        return squares(tanh_outputs(values, batch), batch)

    full, parts = (hessian(loss, *tanh_network(count)) for count in (1, 4))
    np.testing.assert_allclose(dense(parts), dense(full), atol=1e-13)
    np.testing.assert_allclose(dense(full), dense(full).T, atol=1e-13)
    (value, gradient), (same, alike) = parts.loss(), full.loss()
    np.testing.assert_allclose(value, same)
    np.testing.assert_allclose(gradient, alike, atol=1e-14)
    direction = jnp.cos(jnp.arange(gradient.size))
    moved = [
        loss(full.split(full.x + step * direction), take(full.batches, 0))
        for step in (1e-6, -1e-6)
    ]
    assert (moved[0] - moved[1]) / 2e-6 == pytest.approx(float(gradient @ direction))

    def shaped(matrix):
        return str(jax.make_jaxpr(matrix)(matrix.x))

    assert "f64[12,4]" in shaped(full)
    assert "f64[12,4]" not in shaped(parts)


def test_gauss_newton_is_the_hessian_but_for_the_bend_of_the_outputs():
    values, data = tanh_network(3)
    matrix = dense(gauss_newton(tanh_outputs, squares, values, data))
    x = hessian(lambda values, _: jnp.zeros(()), values)
    outputs = [
        jax.jacobian(lambda x, b=b: tanh_outputs(values_of(x), take(data, b)).ravel())
        for b in range(3)
    ]
    values_of = x.split
    jacobians = [np.asarray(output(x.x)) for output in outputs]
    expected = sum(2 / J.shape[0] * J.T @ J for J in jacobians) / 3
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > -1e-12
    bent = hessian(lambda v, b: squares(tanh_outputs(v, b), b), values, data)
    assert np.abs(dense(bent) - matrix).max() > 1e-2
    fitted = {**data, "y": jax.vmap(lambda b: tanh_outputs(values, b))(data)}
    at_best = hessian(lambda v, b: squares(tanh_outputs(v, b), b), values, fitted)
    np.testing.assert_allclose(
        dense(at_best),
        dense(gauss_newton(tanh_outputs, squares, values, fitted)),
        atol=1e-12,
    )


@pytest.mark.slow
def test_gauss_newton_goes_through_a_layer_with_rules_of_its_own():
    _, layer = student()
    u = jax.random.normal(jax.random.key(3), (1, 15, 1))

    def outputs(values, batch):
        return replace(layer, values)(batch)

    matrix = gauss_newton(outputs, lambda y, _: jnp.sum(y**2) / 2, parameters(layer), u)
    J = jax.jacrev(lambda x: outputs(matrix.split(x), u[0]).ravel())(matrix.x)
    np.testing.assert_allclose(dense(matrix), J.T @ J, atol=1e-10)


def take(data, indices):
    return jax.tree.map(lambda x: x[indices], data)


def test_places_name_the_entries_of_the_flat_vector():
    tree = {"b": jnp.zeros((2, 2)), "a": jnp.zeros(3)}
    groups = label_indices(tree, {"a": "first", "b": "second"}, ("second", "first"))
    assert groups.tolist() == [1, 1, 1, 0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"need labels in \('first',\), got \['sec"):
        label_indices(tree, {"a": "first", "b": "second"}, ("first",))


def test_a_loss_that_is_not_a_number_is_refused():
    matrix = hessian(lambda v, _: jnp.sum(jnp.sqrt(v - 5.0)), jnp.ones(4))
    with pytest.raises(ValueError, match="need finite products, got a NaN or inf"):
        lanczos(matrix, jnp.ones(4), 2)


def test_bad_parameters_and_batches_are_refused():
    with pytest.raises(ValueError, match=r"real floating point, got \['complex128'\]"):
        hessian(lambda v, _: v[0].real, jnp.ones(2, complex))
    with pytest.raises(ValueError, match="need parameters of real floating point"):
        hessian(lambda v, _: jnp.zeros(()), {})
    with pytest.raises(ValueError, match=r"same number of batches, got \[\(2,\), \(3,"):
        hessian(lambda v, _: v[0], jnp.ones(2), (jnp.ones(2), jnp.ones(3)))
