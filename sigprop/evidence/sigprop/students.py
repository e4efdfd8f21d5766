"""Small students of a small teacher, the same in every process, each trained once.

NumPy draws the parameters, because it compiles nothing.  Every function takes the
parameters as one vector.  An optimiser compiles twice as fast for a vector as for a
dictionary.

Notation: x  the parameters as one vector;  T  steps of a sequence.
"""

import cmath
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.evidence.kit import block
from sigprop.inputs import AR1, Mixed, White
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.blur import BLUR
from sigprop.layers.dense import LinearRNN
from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.layers.rotrnn import RotRNN
from sigprop.numerics.compilation import ONCE
from sigprop.tasks.teacher_student import TeacherStudent, teacher_student
from sigprop.training.loop import Optimiser, advance, start

WIDTH = 2  # inputs and outputs of every student
SEED = 1  # of eight seeds, that with the fewest batches for ``block``
LENGTH, ADAM_STEPS, RATE = 60, 200, 0.02
INPUTS: dict[str, Any] = {
    "white": White(),
    "rho=0.8": AR1(0.8),
    "mixed": Mixed(0.5, 0.5, 0.8),
}
TRAINING_INPUT = "rho=0.8"


class Student(NamedTuple):
    """A layer as a function of one vector of parameters.

    Attributes:
        layer: The layer at initialisation.
        x: Its parameters.
        split: Function from the vector to the parameters by name.
    """

    layer: Layer
    x: Float[Array, " p"]
    split: Callable[[Any], dict[str, Array]]

    def at(self, x: Any) -> Layer:
        """The layer at other parameters."""
        return replace(self.layer, self.split(x))


def _weights(draw: np.random.Generator, *shape: int) -> Float[np.ndarray, "*shape"]:
    return draw.normal(0, 1 / math.sqrt(shape[-1]), shape)


def _linear(draw: np.random.Generator, blocks: int, size: int) -> LinearRNN:
    A = draw.normal(0, 0.6 / math.sqrt(size), (blocks, size, size))
    n = blocks * size
    shapes = (n, WIDTH), (WIDTH, n), (WIDTH, WIDTH)
    return LinearRNN(jnp.asarray(A), *(jnp.asarray(_weights(draw, *s)) for s in shapes))


def _lru(draw: np.random.Generator, n: int) -> LRU:
    radius = draw.uniform(0.4, 0.9, n)
    weights = {
        name: _weights(draw, *shape)
        for letter, shape in (("B", (n, WIDTH)), ("C", (WIDTH, n)))
        for name in (f"{letter}_re", f"{letter}_im")
    }
    return lru_from_arrays(
        {
            **weights,
            "nu_log": np.log(-np.log(radius)),
            "theta_log": np.log(draw.uniform(0.1, math.pi, n)),
            "gamma_log": np.log1p(-(radius**2)) / 2,
            "D": _weights(draw, WIDTH, WIDTH),
        }
    )


def _rotrnn(draw: np.random.Generator, heads: int, size: int) -> RotRNN:
    arrays = {
        "theta": draw.uniform(0, math.pi, (heads, size // 2)),
        "gamma_log": np.log(-np.log(draw.uniform(0.5, 0.9, heads))),
        "M": draw.normal(size=(heads, size, size)),
        "B": _weights(draw, heads * size, WIDTH),
        "C": _weights(draw, WIDTH, heads * size),
        "D": _weights(draw, WIDTH, WIDTH),
    }
    return RotRNN(**{name: jnp.asarray(value) for name, value in arrays.items()})


def _blur(draw: np.random.Generator, n: int) -> BLUR:
    halves = [parameters(_lru(draw, n)) for _ in range(2)]
    arrays = {name: np.stack([half[name] for half in halves]) for name in halves[0]}
    arrays["D"] = np.asarray(halves[0]["D"])
    ready = {name: jnp.asarray(value) for name, value in arrays.items()}
    return BLUR(**ready, gamma="learned")


SMALL: dict[str, Callable[[np.random.Generator], Layer]] = {
    "dense": lambda draw: _linear(draw, 1, 3),
    "block": lambda draw: _linear(draw, 2, 2),
    "lru": lambda draw: _lru(draw, 2),
    "rotrnn": lambda draw: _rotrnn(draw, 2, 2),
    "blur": lambda draw: _blur(draw, 2),
}
LARGE: dict[str, Callable[[np.random.Generator], Layer]] = {
    "lru": lambda draw: _lru(draw, 8),
    "rotrnn": lambda draw: _rotrnn(draw, 2, 6),
    "blur": lambda draw: _blur(draw, 6),
}


def student(build: Callable[[np.random.Generator], Layer]) -> Student:
    """A student in double precision, the same at every call."""
    layer = build(np.random.default_rng(SEED))
    x, split = ravel_pytree(parameters(layer))
    return Student(layer, x, split)


def teacher() -> LinearRNN:
    """Two damped oscillations, read together: four states."""
    draw = np.random.default_rng(11)
    A = np.stack([block(cmath.rect(0.9, 0.6)), block(cmath.rect(0.7, 2.0))])
    shapes = (4, WIDTH), (WIDTH, 4), (WIDTH, WIDTH)
    return LinearRNN(jnp.asarray(A), *(jnp.asarray(_weights(draw, *s)) for s in shapes))


def task(process: Any, length: int) -> TeacherStudent:
    """The teacher-student task that all students learn."""
    make = jax.jit(
        lambda layer: teacher_student(layer, process, length), compiler_options=ONCE
    )
    return make(teacher())


class Trained(NamedTuple):
    """A training, from its start to its end.

    Attributes:
        task: The task at the training input.
        student: The student at initialisation.
        x: The parameters after training.
        losses: The exact loss before each step.
    """

    task: TeacherStudent
    student: Student
    x: Float[Array, " p"]
    losses: Float[np.ndarray, " steps"]


@functools.cache
def trained(name: str) -> Trained:
    """A student of ``LARGE`` after its training with the exact loss, by Adam.

    Raises:
        KeyError: If there is no student of that name.
    """
    learnt, learner = task(INPUTS[TRAINING_INPUT], LENGTH), student(LARGE[name])
    optimiser = Optimiser(ADAM_STEPS)

    def loss(x: Any, key: PRNGKeyArray) -> Float[Array, ""]:
        return learnt.population(learner.at(x))

    def fit(x: Any) -> tuple[Any, Any]:
        run = start(x, optimiser, RATE, jax.random.key(0))
        run, losses = advance(run, loss, optimiser, ADAM_STEPS)
        return run.parameters, losses

    x, losses = jax.jit(fit, compiler_options=ONCE)(learner.x)
    return Trained(learnt, learner, x, np.asarray(losses))
