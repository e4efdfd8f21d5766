"""Directions that span a plane, and the projection of models on it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop import landscape
from sigprop.curvature import expand
from sigprop.layers import linear_rnn, lru, parameters, rotrnn
from sigprop.tasks import linear_teacher, teacher_student

LAYERS = {
    "LRU": lambda key, n: lru(n, 1, key=key, r_max=0.9),
    "RotRNN": lambda key, n: rotrnn(n, 1, key=key, heads=1, gamma_range=(0.3, 0.9)),
    "dense RNN": lambda key, n: linear_rnn(n, 1, key=key, nu0=0.3, theta0=2.0),
}
CASES = [(name, seed, n) for name in LAYERS for seed, n in ((0, 4), (7, 2))]


def drawn(name, seed, n):
    return LAYERS[name](jax.random.key(seed), n)


def vector(model):
    return np.asarray(ravel_pytree(landscape.only_parameters(model))[0])


@pytest.mark.parametrize(("name", "seed", "n"), CASES)
@pytest.mark.sampled(2)
def test_sharpest_directions_have_the_largest_curvatures_by_differences(
    x64, name, seed, n
):
    layer = drawn(name, seed, n)
    teacher = linear_teacher(jax.random.key(seed + 1), nu0=0.5, size=3)
    task = teacher_student(teacher, None, 30)
    hessian = expand(task, layer).hessian
    values = np.linalg.eigvalsh(hessian)
    largest = values[np.argsort(-np.abs(values))][:2]
    ways = landscape.sharpest(layer, hessian)
    assert [np.linalg.norm(vector(way)) for way in ways] == pytest.approx([1, 1])
    found = [
        landscape.second_difference(task.loss, layer, way, 1e-2 / np.sqrt(abs(value)))
        for way, value in zip(ways, largest, strict=True)
    ]
    assert found == pytest.approx(largest, rel=1e-3)
    (first,) = landscape.sharpest(layer, hessian, 1)
    np.testing.assert_array_equal(vector(first), vector(ways[0]))


def test_directions_are_by_name_and_not_by_field(x64):
    """The fields of an LRU are not in the order of their names, as a Hessian is."""
    layer = drawn("LRU", 0, 3)
    size = len(vector(layer))
    for at in (0, size // 2, size - 1):
        (way,) = landscape.sharpest(layer, np.diag(1.0 + (np.arange(size) == at)), 1)
        moved = np.abs(np.asarray(ravel_pytree(parameters(way))[0]))
        assert np.argmax(moved) == at
    assert [*parameters(layer)] != sorted(parameters(layer))


@pytest.mark.parametrize(("name", "seed", "n"), CASES)
def test_a_plane_goes_through_its_three_models(x64, name, seed, n):
    at, first, second = (drawn(name, seed + i, n) for i in range(3))
    ways = landscape.spanning(at, first, second)
    along, aside = map(vector, ways)
    assert along @ aside == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(aside) == pytest.approx(np.linalg.norm(along))
    shown = landscape.project(at, ways, [at, first, second])
    np.testing.assert_allclose(shown.share, 1, rtol=1e-12)
    np.testing.assert_allclose(shown.steps[:2], [[0, 0], [1, 0]], atol=1e-12)
    assert shown.steps[2, 1] > 0
    for model, steps in zip((at, first, second), shown.steps, strict=True):
        again = vector(landscape.moved(at, ways, [*steps]))
        np.testing.assert_allclose(again, vector(model), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "seed", "n"), CASES)
def test_a_projection_finds_the_steps_along_oblique_directions(x64, name, seed, n):
    layer = drawn(name, seed, n)
    keys = jax.random.split(jax.random.key(seed), 3)
    ways = [landscape.direction(key, layer) for key in keys[:2]]
    ways[1] = jax.tree.map(lambda a, b: a + 2 * b, *ways)
    steps = np.array([[0.3, -0.1], [0.0, 2.0]])
    models = [landscape.moved(layer, ways, [*row]) for row in steps]
    shown = landscape.project(layer, ways, models)
    np.testing.assert_allclose(shown.steps, steps, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(shown.share, 1, rtol=1e-9)
    far = landscape.moved(layer, [landscape.direction(keys[2], layer)], [0.5])
    shown = landscape.project(layer, ways, [far])
    basis = np.stack([*map(vector, ways)])
    apart = vector(far) - vector(layer)
    left = apart - shown.steps[0] @ basis
    np.testing.assert_allclose(basis @ left, 0, atol=1e-9)
    rest = (left @ left) / (apart @ apart)
    assert 0.01 < rest < 0.99
    assert shown.share[0] == pytest.approx(1 - rest)


def test_what_spans_no_plane_is_refused(x64):
    at, other = (drawn("LRU", seed, 2) for seed in (0, 1))
    half = jax.tree.map(lambda a, b: (a + b) / 2, at, other)
    for first, second in ((other, half), (at, other), (other, at)):
        with pytest.raises(ValueError, match="need three models that are not on one"):
            landscape.spanning(at, first, second)
    with pytest.raises(
        ValueError, match="need second with the parameters of model, got LRU"
    ):
        landscape.spanning(at, other, drawn("LRU", 0, 3))
    way = landscape.direction(jax.random.key(0), at)
    with pytest.raises(ValueError, match="need directions that are independent"):
        landscape.project(at, [way, jax.tree.map(lambda v: -2 * v, way)], [other])
    with pytest.raises(ValueError, match=r"need hessian by the 15 parameters of LRU"):
        landscape.sharpest(at, np.eye(4))
    with pytest.raises(ValueError, match="need count"):
        landscape.sharpest(at, np.eye(15), 16)


def test_planes_are_the_same_in_single_precision():
    at, first, second = (drawn("dense RNN", seed, 3) for seed in range(3))
    ways = landscape.spanning(at, first, second)
    assert ways[0].A.dtype == jnp.float32
    shown = landscape.project(at, ways, [first, second])
    np.testing.assert_allclose(shown.share, 1, rtol=1e-5)
    np.testing.assert_allclose(shown.steps[0], [1, 0], atol=1e-6)
