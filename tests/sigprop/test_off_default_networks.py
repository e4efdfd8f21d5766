"""Arguments of deep moments, curvature and landscapes off their defaults.

As ``test_off_default``, for functions of these rooms that have an optional argument.
References are impulse responses, loops over steps, simulations and ``jax.hessian``.
"""

import inspect
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop import landscape
from sigprop.curvature.hessian import expand
from sigprop.curvature.products import gauss_newton, hessian
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.layers.lru import zucchet_lru
from sigprop.networks import backpropagation, build, over_batch, probing, propagation
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from sigprop.tasks.teacher_student import linear_teacher, teacher_student
from tests.sigprop.networks import test_backpropagation as errors
from tests.sigprop.networks import test_deviations as deep
from tests.sigprop.networks.small import config, noise, shaken
from tests.sigprop.networks.test_propagation import LINEAR, by_impulses, look_at_all
from tests.sigprop.off_default import Rows, public, require_complete

ROOMS = ("networks", "curvature", "landscape")
NAMED = re.compile(
    r"^predict|moment|watch|power|trace|hessian|newton|^expand|slices|difference"
    r"|surface|quadratic|measure"
)
NO_NUMBER = {"parametrisation", "route"}
PARTS = {"networks.propagation.require_moments"}  # a check, whose words have a default
ROWS = Rows()
row = ROWS.row
STEPS = 24
COVARIANCE = 2.5 * (-0.6) ** np.arange(1.0 * STEPS)


def test_every_function_has_a_row_with_every_argument_off_its_default():
    functions = [
        function
        for function in public(ROOMS, NAMED)
        if any(
            p.default is not p.empty
            for p in inspect.signature(function).parameters.values()
        )
    ]
    require_complete(ROWS, functions, NO_NUMBER, PARTS)


# Deep networks.


def remembered(**changes):
    """A linear network with the running averages of another batch than its input."""
    settings = config("lru", **{**LINEAR, "norm": "batch", **changes})
    network, state = build(settings, key=jax.random.key(1))
    network = shaken(network, size=0.1)
    _, state = over_batch(network, state, 3 * noise(64, STEPS, 3) + 0.5)
    return eqx.nn.inference_mode(network), state


@row(propagation.predict_signals, "state")
def running_averages():
    """A batch normalisation that stands still is affine, so that impulses add up."""
    network, state = remembered()
    prediction = propagation.predict_signals(network, COVARIANCE, state, samples=0)
    exact = by_impulses(network, state, COVARIANCE, 3)
    for computed, expected in zip(prediction[:2], exact, strict=True):
        np.testing.assert_allclose(computed, expected, rtol=1e-4)


@row(propagation.predict_signals, "measured")
def streams_that_were_sampled():
    """Every sequence with its negative, so that the mean is zero."""
    settings = config("lru", depth=2, mixing="none", pooling="none", width=1, inputs=1)
    network, _ = build(settings, key=jax.random.key(2))
    half = AR1(-0.6, variance=2.5).sample(jax.random.key(5), 40_000, STEPS, jnp.float64)
    after = jnp.concatenate([half, -half])[..., None]
    prediction = propagation.predict_signals(
        network, COVARIANCE, measured={0: after}, samples=0
    )
    h = jax.jit(jax.vmap(network.blocks[1].layer.states))(after)[:, -1]
    squares = np.sum(np.abs(h) ** 2, 1)
    sem = squares.std() / len(half) ** 0.5
    assert sem < 0.01 * squares.mean()
    assert prediction.state[1] == pytest.approx(squares.mean(), abs=5 * sem)


@row(propagation.predict_signals, "samples", "seed")
def errors_of_sampled_trajectories():
    network, state = deep.random_network(deep.NETWORKS["glu-layer"], 1)
    prediction = propagation.predict_signals(network, COVARIANCE, samples=1500, seed=5)
    inputs = AR1(-0.6, variance=2.5).sample(jax.random.key(8), 16_000, STEPS, float)
    inputs = jnp.moveaxis(inputs.reshape(8_000, deep.CHANNELS, STEPS), 1, 2)
    streams, _ = look_at_all(eqx.nn.inference_mode(network), state, inputs)
    squares = np.mean(np.square(streams), 2)
    sem = squares.std(0) / len(squares) ** 0.5
    missed = np.abs(squares.mean(0) - prediction.stream)
    assert (missed <= prediction.error.stream + 4 * sem).all()
    assert (prediction.error.stream < 0.5 * prediction.stream).all()


@row(backpropagation.predict_errors, "state")
def errors_through_running_averages():
    network, state = errors.random_network(mixing="none", norm="batch")
    _, state = over_batch(network, state, 3 * noise(64, errors.STEPS, 3) + 0.5)
    network = eqx.nn.inference_mode(network)
    prediction = backpropagation.predict_errors(network, errors.R, state)
    units = jnp.eye(errors.STEPS * errors.WIDTH)
    units = units.reshape(-1, errors.STEPS, errors.WIDTH)
    u = jnp.zeros((errors.STEPS, 3))
    back = jax.vmap(lambda v: errors.sequence_errors(network, state, u, v))
    wanted = np.sum(np.asarray(jax.jit(back)(units))[:, :, 0] ** 2, 0).mean(-1)
    np.testing.assert_allclose(prediction.error, wanted, rtol=1e-8)


@row(probing.watch, "length", "moved")
def a_network_that_is_watched():
    """One block by hand: the input of its layer, and what a push at its output does."""
    settings = config("lru", mixing="none", pooling="mean", outputs=4)
    network, state = build(settings, key=jax.random.key(3))
    u, length, push = noise(9, 3), 6, noise(1, 9, 4, seed=8)
    out, streams = probing.watch(network, state, u, jnp.array(length), push)
    x = np.asarray(network.encode(u[:length], None))
    y = np.asarray(network.blocks[0].layer(jnp.asarray(x))) + push[0, :length]
    np.testing.assert_allclose(streams[0], np.pad(x, ((0, 3), (0, 0))), atol=1e-12)
    np.testing.assert_allclose(out, np.mean(x + y, 0), rtol=1e-10)


@row(probing.state_powers, "lengths")
def powers_of_padded_sequences():
    network, state = build(config("lru", mixing="none"), key=jax.random.key(3))
    u, lengths = noise(3, 9, 3), np.array([9, 4, 1])
    total = 0.0
    for sequence, length in zip(u, lengths, strict=True):
        x = network.encode(sequence[:length], None)
        total += float(jnp.sum(jnp.abs(network.blocks[0].layer.states(x)) ** 2))
    powers = probing.state_powers(network, state, u, jnp.asarray(lengths))
    np.testing.assert_allclose(powers, [total / lengths.sum()], rtol=1e-10)


# Curvature.


@row(expand, "at_optimum")
def the_curvature_of_a_student_that_is_its_own_teacher():
    key, process = jax.random.key(4), AR1(0.4, variance=2.5)
    student = zucchet_lru(2, 1, key=key, nu0=0.6, theta0=2.0)
    other = linear_teacher(key, nu0=0.8, size=2)
    for length in (12, None):
        task = teacher_student(other, process, length)
        expansion = expand(task, student, at_optimum=True)
        own = teacher_student(student, process, length)
        x, split = ravel_pytree(parameters(student))

        def loss(x, own=own, split=split):
            return own.loss(replace(student, split(x)))

        exact = np.asarray(jax.jit(jax.jacrev(jax.grad(loss)))(x))
        scale = np.abs(exact).max()
        np.testing.assert_allclose(expansion.hessian, exact, atol=1e-8 * scale)
        assert scale > 0.1
        np.testing.assert_array_equal(expansion.gradient, 0)


def outputs(values, batch):
    return jnp.tanh(batch["u"] @ values["inward"]) @ values["outward"]


def criterion(y, batch):
    return jnp.mean(jnp.sin(y - batch["y"]) ** 2)


def batches():
    """Five batches of different scale, so that no one of them is their mean."""
    draws = np.random.default_rng(6)
    shapes = {"inward": (3, 2), "outward": (2, 2)}
    values = {name: jnp.asarray(draws.normal(size=s)) for name, s in shapes.items()}
    scale = np.arange(1.0, 6.0)[:, None, None] / 3
    data = {name: scale * draws.normal(size=(5, 4, k)) for name, k in DATA.items()}
    return values, jax.tree.map(jnp.asarray, data)


DATA = {"u": 3, "y": 2}


@row(hessian, "batches")
def the_hessian_of_batches():
    values, data = batches()
    product = hessian(
        lambda v, batch: criterion(outputs(v, batch), batch), values, data
    )
    x, split = ravel_pytree(values)

    def loss(x):
        each = [jax.tree.map(lambda leaf, i=i: leaf[i], data) for i in range(5)]
        return sum(criterion(outputs(split(x), batch), batch) for batch in each) / 5

    exact = jax.jit(jax.hessian(loss))(x)
    np.testing.assert_allclose(jax.vmap(product)(jnp.eye(x.size)), exact, atol=1e-12)


@row(gauss_newton, "batches")
def the_gauss_newton_matrix_of_batches():
    values, data = batches()
    product = gauss_newton(outputs, criterion, values, data)
    x, split = ravel_pytree(values)
    exact = 0.0
    for i in range(5):
        batch = jax.tree.map(lambda leaf, i=i: leaf[i], data)
        f = lambda x, batch=batch: outputs(split(x), batch).ravel()  # noqa: E731
        J = jax.jacfwd(f)(x)
        S = jax.hessian(lambda y, batch=batch: criterion(y.reshape(4, 2), batch))(f(x))
        exact = exact + J.T @ S @ J / 5
    np.testing.assert_allclose(jax.vmap(product)(jnp.eye(x.size)), exact, atol=1e-12)


# Landscapes.

PLANE = [np.array([-0.3, 0.0, 0.7]), np.array([0.2, 0.5])]


def quartic(model):
    return jnp.sum(model**4) + model[0] * model[1]


@row(landscape.slices, "batch")
def a_plane_in_batches():
    model, directions = (
        jnp.array([0.5, -1.0]),
        [jnp.array([1.0, 2]), jnp.array([3.0, -1])],
    )
    surface = landscape.slices(quartic, model, directions, PLANE, batch=4)
    for i, j in np.ndindex(3, 2):
        at = model + PLANE[0][i] * directions[0] + PLANE[1][j] * directions[1]
        np.testing.assert_allclose(surface[i, j], quartic(at), rtol=1e-12)


@row(landscape.second_difference, "step")
def curvature_by_differences():
    """Of a quartic, five values are exact at any step: 12 x^2 v^2 summed."""
    model, v = jnp.array([0.5, -1.0]), jnp.array([2.0, -1])
    exact = float(jnp.sum(12 * model**2 * v**2) + 2 * v[0] * v[1])
    curvature = landscape.second_difference(quartic, model, v, step=0.5)
    assert curvature == pytest.approx(exact, rel=1e-12)


@row(landscape.surface, "parametrisation")
def a_surface_in_coordinates():
    rows, columns = np.array([0.3, 0.8]), np.array([0.4, 1.1, 2.0])
    parametrisation = Parametrisation("exponential", "exponential")
    for length in (None, 15):
        task = OneDimensional(0.7 * np.exp(0.9j), False, AR1(0.4, 2.5), length)
        surface = landscape.surface(task, rows, columns, parametrisation)
        for i, j in np.ndindex(2, 3):
            modulus, angle = parametrisation.polar(Coordinates(rows[i], columns[j]))
            lam = complex(modulus * np.exp(1j * angle))
            steps = np.arange(length or 400)
            d = lam**steps - task.teacher**steps
            lag = np.abs(np.subtract.outer(steps, steps))
            if length is None:
                exact = (d @ (2.5 * 0.4**lag) @ d.conj()).real / 2
            else:  # the mean over the steps of a sequence from the zero state
                R = 2.5 * 0.4**lag
                exact = np.mean(
                    [(d[:t] @ R[:t, :t] @ d[:t].conj()).real / 2 for t in steps + 1]
                )
            np.testing.assert_allclose(surface[i, j], exact, rtol=1e-9)


@pytest.mark.parametrize("name", ROWS)
def test_it_is_the_number_of_another_route(name, x64):
    ROWS[name].compare()
