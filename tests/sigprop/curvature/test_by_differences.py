"""First and second derivatives of a loss, by its differences: every layer and option."""

import equinox as eqx
import jax
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop import landscape
from sigprop.curvature.hessian import expand
from sigprop.curvature.products import gauss_newton, hessian
from sigprop.inputs import MovingAverage
from sigprop.layers.base import parameters
from sigprop.layers.bidirectional_lru import bidirectional_lru
from sigprop.layers.blur import blur
from sigprop.layers.lru import GAMMAS, attached, lru
from sigprop.layers.stack import stack
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import linear_teacher, teacher_student
from tests.test_laws import LAYERS

MAKERS = {"lru": lru, "blur": blur, "lru-both": bidirectional_lru}
OPTIONS = {
    f"{name}-{gamma}": lambda key, make=make, gamma=gamma: make(
        4, 3, key=key, r_min=0.4, r_max=0.9, gamma=gamma
    )
    for name, make in MAKERS.items()
    for gamma in GAMMAS
}
WITHIN = {
    "deep-detached": lambda key: stack(
        [lru(4, 3, key=k, gamma="detached") for k in jax.random.split(key)]
    )
}
CASES = LAYERS | OPTIONS | WITHIN
KEY = jax.random.key(9)
LENGTH, STEP = 12, 1e-3
PROCESS = MovingAverage((1.0, 0.6, -0.3))


def problem(name, seed=0, length=LENGTH):
    """A layer of double precision, and the loss of its outputs."""
    with double_precision(True):
        layer = jax.tree.map(
            lambda leaf: leaf.astype(float) if leaf.dtype.kind == "f" else leaf,
            CASES[name](jax.random.key(seed)),
        )
        d_in, d_out = layer.widths
        teacher = linear_teacher(
            jax.random.key(seed + 1), nu0=0.5, size=4, d_in=d_in, d_out=d_out
        )
        return teacher_student(teacher, PROCESS, length), layer


def loss_of(task, layer):
    if layer.linear:
        return task.loss
    return lambda layer: task.loss(layer, jax.random.key(5), 2)


def differences(loss, layer, direction):
    """First and second derivative along a direction, right to the fourth order."""
    steps = STEP * np.arange(-2, 3)
    values = np.asarray(landscape.slices(loss, layer, [direction], [steps]))
    first = values @ np.array([1, -8, 0, 8, -1]) / (12 * STEP)
    second = values @ np.array([-1, 16, -30, 16, -1]) / (12 * STEP**2)
    return first, second


def close(estimate, truth):
    assert estimate[0] == pytest.approx(truth[0], rel=1e-5, abs=1e-6)
    assert estimate[1] == pytest.approx(truth[1], rel=1e-5, abs=1e-5)


DETACHED = [name for name in CASES if name.endswith("detached")]
CAUSAL = [
    (name, None) for name in OPTIONS if name.startswith("lru-") and "both" not in name
]
EXPANDED_KEPT = [  # every layer, normalisation, route and kind of length
    "autodiff-lru-detached-12",
    "closed-lru-learned-12",
    "closed-blur-attached-12",
    "closed-lru-both-detached-12",
    "closed-lru-both-absent-12",
    "closed-lru-detached-None",
]
EXPANDED = [(name, LENGTH) for name in OPTIONS] + CAUSAL
KEPT = ["lru-detached", "linear_rnn", "mingru"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(keep=KEPT)
def test_a_quadratic_is_that_of_the_loss(name):
    task, layer = problem(name)
    with double_precision(True):
        loss, along = loss_of(task, layer), landscape.direction(KEY, layer)
        expansion = landscape.quadratic(loss, layer, [along])
        close(
            (expansion.gradient[0], expansion.hessian[0, 0]),
            differences(loss, layer, along),
        )


@pytest.mark.parametrize(("name", "length"), EXPANDED)
@pytest.mark.parametrize("route", ["closed", "autodiff"])
@pytest.mark.sampled(keep=EXPANDED_KEPT)
def test_an_expansion_is_that_of_the_loss(name, length, route):
    task, layer = problem(name, length=length)
    with double_precision(True):
        along = landscape.direction(KEY, layer)
        v = np.asarray(ravel_pytree(parameters(along))[0])
        expansion = expand(task, layer, route)
        first, second = expansion.gradient @ v, v @ expansion.hessian @ v
        close((first, second), differences(task.loss, layer, along))


@pytest.mark.parametrize("name", DETACHED)
@pytest.mark.sampled(keep=["lru-detached", "deep-detached"])
def test_an_attached_layer_is_the_detached_one_but_for_its_gradient(name):
    _, layer = problem(name)
    with double_precision(True):
        u = jax.random.normal(KEY, (LENGTH, layer.widths[0]))
        assert np.array_equal(attached(layer)(u), layer(u))
        gradients = [
            ravel_pytree(eqx.filter_grad(lambda model: (model(u) ** 2).sum())(each))[0]
            for each in (layer, attached(layer))
        ]
    assert np.abs(gradients[1] - gradients[0]).max() > 1e-2


@pytest.mark.parametrize("build", [hessian, lambda f, p: gauss_newton(f, f, p)])
def test_products_of_a_detached_layer_are_refused(build):
    layer = lru(3, 2, key=KEY, gamma="detached")
    with pytest.raises(ValueError, match=r"detached normalisation.*lru\.attached"):
        build(lambda model, batch: model.nu_log.sum(), eqx.filter(layer, eqx.is_array))
