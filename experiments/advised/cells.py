"""One training: its training losses, and its loss and accuracy on the validation part.

The seed determines the random draws, the order of the examples and the teacher.  Trainings
with the same seed differ in their initialisation alone.  Students of linear teachers are
trained together by ``jax.vmap`` on their exact loss, which is also their validation loss.
Networks are trained one at a time.
"""

import dataclasses
import functools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.experiments.advised import tasks
from sigprop.experiments.advised.tasks import ARMS, SIZES, TEACHERS
from sigprop.inputs import AR1, White
from sigprop.layers.base import Layer
from sigprop.layers.lru import lru
from sigprop.tasks.teacher_student import (
    TeacherStudent,
    linear_teacher,
    teacher_student,
)
from sigprop.training import forecasting, supervised
from sigprop.training.loop import (
    Optimiser,
    Run,
    Segments,
    advance,
    by_group,
    start,
    train,
)
from sigprop.training.segments import Diverged

VERSION = 2
RECORDS = 50  # of a teacher's loss
LOSS = {"units": "nats, or squares of scaled units"}
SHARE = {"units": "1"}
STEPS = {"units": "steps"}


@dataclass(frozen=True)
class Config:
    """A training.

    Attributes:
        task: A name of ``sigprop.experiments.advised.tasks.SIZES``.
        arm: How it begins, one of ``sigprop.experiments.advised.tasks.ARMS``.
        seed: Of everything drawn.
        steps: Of the schedule.
    """

    task: str
    arm: str
    seed: int
    steps: int

    def __post_init__(self) -> None:
        if self.task not in SIZES:
            raise ValueError(f"need a task in {', '.join(SIZES)}, got {self.task!r}")
        if self.arm not in ARMS:
            raise ValueError(f"need a way to begin in {ARMS}, got {self.arm!r}")
        whole = RECORDS if self.task in TEACHERS else tasks.SEGMENT
        if self.steps < 1 or self.steps % whole:
            raise ValueError(f"need steps in multiples of {whole}, got {self.steps}")


def shape(config: Config) -> Config:
    """Return an equal key for cells that can be trained together: a student's seeds."""
    alike = config.task in TEACHERS
    return dataclasses.replace(config, seed=0) if alike else config


def chunk_size(config: Config) -> int:
    """Cells in a chunk."""
    return 10 if config.task in TEACHERS else 1


def run_cells(
    configs: Sequence[Config],
    checkpoint: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[xr.Dataset]:
    """Train one network, or students of one task with several seeds.

    Args:
        configs: Of one ``shape``.
        checkpoint: File to resume from and to write.
        progress: Called with the share that is done.

    Raises:
        ValueError: If they are not of one shape.
        FileNotFoundError: If a task's files are not there.
    """
    if len({shape(config) for config in configs}) != 1:
        raise ValueError(f"need cells of one shape, got {configs}")
    if configs[0].task in TEACHERS:
        return _students(configs, checkpoint, progress)
    (config,) = configs
    return [_network(config, checkpoint, progress)]


# --- students of linear teachers ----------------------------------------------------


def student(config: Config, key: PRNGKeyArray) -> Layer:
    """A student before training, with one input and one output.

    Raises:
        ValueError: If the initialisation is unknown.
    """
    if config.arm == "default":
        return lru(SIZES[config.task].state, 1, key=key)
    options = tasks.options_of(config.task, config.arm)
    advice = dataclasses.replace(tasks.advice_of(config.task), options=options)
    return advice.draw(key, 1)


def prepare(config: Config) -> tuple[Run, TeacherStudent, Layer]:
    """A training before its first step, its task, and factors of the learning rates."""
    teacher_key, student_key, run_key = jax.random.split(jax.random.key(config.seed), 3)
    size, rho = SIZES[config.task], TEACHERS[config.task]
    begun = student(config, student_key)
    factor = tasks.factor_of(config.task, config.arm)
    task = teacher_student(
        linear_teacher(teacher_key, nu0=tasks.NU0),
        AR1(rho) if rho else White(),
        size.length,
    )
    run = start(begun, Optimiser(config.steps), size.rate, run_key)
    factors = by_group(begun, {"recurrent": factor, "input": factor})
    return run, task, jax.tree.map(lambda leaf: jnp.asarray(leaf, float), factors)


@functools.partial(jax.jit, static_argnames=("total", "steps"))
def _segment(runs: Any, tasks: Any, factors: Any, total: int, steps: int):
    def per_run(run: Run, task: TeacherStudent, factors: Layer):
        def loss(layer: Layer, key: PRNGKeyArray) -> Float[Array, ""]:
            return task.loss(layer)

        run, losses = advance(run, loss, Optimiser(total), steps, factors)
        return run, {"loss": losses.mean(), "last": task.loss(run.parameters)}

    return jax.vmap(per_run)(runs, tasks, factors)


def _students(
    configs: Sequence[Config],
    checkpoint: Path | None,
    progress: Callable[[float], None],
) -> list[xr.Dataset]:
    parts = [prepare(config) for config in configs]
    runs, teachers, factors = jax.tree.map(lambda *leaves: jnp.stack(leaves), *parts)
    total = configs[0].steps
    steps = total // RECORDS
    begun = jax.vmap(lambda task, run: task.loss(run.parameters))(teachers, runs)
    end, records = train(
        runs,
        lambda runs: _segment(runs, teachers, factors, total, steps),
        Segments(RECORDS, steps, checkpoint),
        lambda done: progress(done / RECORDS),
    )
    results = []
    for index, config in enumerate(configs):
        lost = int(end.diverged[index])
        looks = np.append(float(begun[index]), records["last"][:, index])
        reached = np.arange(RECORDS + 1) * steps
        curves = Curves(records["loss"][:, index], reached, looks)
        results.append(_result(config, curves, lost))
    return results


# --- networks -----------------------------------------------------------------------


def _network(
    config: Config, checkpoint: Path | None, progress: Callable[[float], None]
) -> xr.Dataset:
    task = config.task
    recipe: Any = tasks.recipe_of(task, config.arm, config.steps)
    forecast = task in tasks.FORECASTS
    fit: Any = forecasting.fit_forecaster if forecast else supervised.fit
    data = tasks.forecasts(task) if forecast else tasks.data_of(task, config.seed)
    try:
        fitted = fit(
            recipe,
            data,
            config.seed,
            checkpoint=checkpoint,
            progress=lambda done, last: progress(done / recipe.segments),
            prepare=functools.partial(tasks.prepared, task, config.arm),
        )
    except Diverged as error:
        nothing = np.zeros(0)
        return _result(
            config, Curves(nothing, nothing.astype(int), nothing), error.step
        )
    records = fitted.records
    name = "validation_mse" if forecast else "validation_loss"
    return _result(
        config,
        Curves(
            records["loss"].mean(1),
            records["step"],
            records[name],
            records.get("validation_accuracy"),
        ),
        -1,
    )


class Curves(NamedTuple):
    """Return the record of a training, with accuracies if examples have classes."""

    loss: Float[np.ndarray, " records"]
    step: Int[np.ndarray, " looks"]
    validation_loss: Float[np.ndarray, " looks"]
    validation_accuracy: Float[np.ndarray, " looks"] | None = None


def _result(config: Config, curves: Curves, diverged: int) -> xr.Dataset:
    """Return the result of a training; it has no last loss if the training diverged."""
    accuracy = curves.validation_accuracy
    if accuracy is None:
        accuracy = np.full(len(curves.step), math.nan)
    whole = diverged < 0
    return xr.Dataset(
        {
            "loss": ("record", np.asarray(curves.loss, float), LOSS),
            "validation_loss": ("look", curves.validation_loss.astype(float), LOSS),
            "validation_accuracy": ("look", accuracy.astype(float), SHARE),
        },
        {"step": ("look", curves.step, STEPS)},
        {
            "dtype": "float32",
            "diverged": diverged,
            "final_loss": float(curves.validation_loss[-1]) if whole else math.nan,
            "final_accuracy": float(accuracy[-1]) if whole else math.nan,
            "factor": tasks.factor_of(config.task, config.arm),
            "options": json.dumps(tasks.options_of(config.task, config.arm)),
        },
    )
