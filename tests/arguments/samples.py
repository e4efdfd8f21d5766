"""Small layers, tasks, networks and series that functions take; made once a precision."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sigprop import Mixed, White, advice, audit, layers, linear, networks, neuron, tasks
from sigprop.networks import foreign
from sigprop.numerics.precision import double_precision
from sigprop.tasks.sequences import stand_in

KEY = jax.random.key(3)


def once(make: Callable[[], Any]) -> Callable[[], Any]:
    """Made once in each precision."""
    cached = functools.cache(lambda wide: make())
    return lambda: cached(jnp.zeros(()).dtype == jnp.float64)


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape)


@once
def lru():
    return layers.lru(4, 2, key=KEY, r_min=0.4, r_max=0.9)


@once
def one_channel():
    return layers.zucchet_lru(3, 1, key=KEY, nu0=0.5, theta0=2.0)


@once
def teacher():
    return tasks.linear_teacher(KEY, nu0=0.5, size=3)


@once
def population():
    return tasks.teacher_student(teacher(), White(), 12)


@once
def mingru():
    return layers.mingru(3, 1, key=KEY)


@once
def deltanet():
    return layers.deltanet(2, 3, key=KEY)


@once
def config():
    return networks.NetworkConfig(
        inputs=2, outputs=3, width=4, state_size=4, depth=1, layer="lru", norm="layer"
    )


@once
def network():
    return networks.build(config(), key=KEY)


@once
def zucchet():
    config = networks.zucchet_paper(nu0=0.9, features=2)
    small = dataclasses.replace(config, width=3, state_size=3, depth=1)
    return networks.build(small, key=KEY)


@once
def perturbed():
    return linear.perturb(lru())


@once
def exponential():
    return advice.exponential(0.5)


@once
def series():
    values = 0.5 * draw(8, 16, 1)
    values[:, 1:] += values[:, :-1]
    return audit.Series(values, ("x",), (), 1)


@once
def checkpoint():
    arrays = {"seq.nu_log": np.linspace(-3, 0, 8), "seq.theta_log": np.zeros(8)}
    return foreign.of_arrays(arrays)


@once
def whole_checkpoint():
    with double_precision(False):
        layer = layers.lru(4, 1, key=KEY, r_min=0.4, r_max=0.9)
    return foreign.of_arrays(
        {f"seq.{name}": np.asarray(v) for name, v in layers.parameters(layer).items()}
    )


@once
def law():
    return neuron.Law(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))


@once
def forecasts():
    return tasks.Forecasts(tasks.carbon_dioxide(), length=60, horizon=4)


@once
def windows():
    return forecasts().windows("test")


@once
def sequences():
    return stand_in(16, 12, 2, seed=0, process=Mixed(0.5, 0.5, 0.5))


@once
def measured():
    return audit.autocovariance(sequences(), 4)


@once
def batch():
    inputs = draw(3, 9, 2).astype(np.float32)
    return tasks.Batch(
        inputs, np.full(3, 9, np.int32), np.arange(3, dtype=np.int32), np.ones(3, bool)
    )


@once
def examples():
    inputs = draw(5, 9, 2).astype(np.float32)
    return tasks.Examples(inputs, np.full(5, 9, np.int32), np.arange(5, dtype=np.int32))


def symmetric() -> np.ndarray:
    matrix = draw(3, 3)
    return matrix @ matrix.T
