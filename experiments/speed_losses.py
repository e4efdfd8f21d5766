"""Speed of one training step: the exact loss against a batch of sequences.

Student, teacher, optimiser and parameters are the same.  One step of Adam takes the exact
expected loss, and the other one takes the paper's batch of sequences through the layer.
Repeats alternate between the two, so that other work on the machine affects both.

Source: Zucchet & Orvieto (2024), Table 1, for the sizes.
"""

import functools
import math
import time
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.layers.base import Layer
from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import zucchet_lru
from sigprop.tasks.teacher_student import (
    TeacherStudent,
    linear_teacher,
    teacher_student,
)
from sigprop.training.loop import Optimiser, Run, advance, start

STUDY, VERSION = "speed_losses", 1
STUDENTS = {"LRU": (zucchet_lru, 1e-3), "dense RNN": (linear_rnn, 1e-4)}
LOSSES = ("population", "sampled")
ADAM = Optimiser(10_000)


@dataclass(frozen=True)
class Config:
    """Sizes, and numbers of steps in a timed call.

    ``steps`` has two numbers: for the exact loss and for the sampled one.
    """

    hidden: int = 64
    teacher: int = 10
    length: int = 300
    batch: int = 128
    steps: tuple[int, int] = (500, 5)
    repeats: int = 7
    seed: int = 0


SMOKE = Config(hidden=8, teacher=4, length=20, batch=4, steps=(5, 2), repeats=2)
QUICK = Config()
PAPER = Config(repeats=25)


@functools.partial(jax.jit, static_argnames=("batch", "steps"))
def _steps(run: Run, task: TeacherStudent, batch: int | None, steps: int) -> Run:
    def loss(layer: Layer, key: Any):
        return task.loss(layer) if batch is None else task.loss(layer, key, batch)

    return advance(run, loss, ADAM, steps)[0]


def run(config: Config) -> xr.Dataset:
    """Time both losses in turns for every student.

    Raises:
        ArithmeticError: If a student diverged.
    """
    shape = (len(STUDENTS), len(LOSSES), config.repeats)
    seconds = np.empty(shape)
    for row, (draw, rate) in enumerate(STUDENTS.values()):
        teacher_key, key = jax.random.split(jax.random.key(config.seed))
        teacher = linear_teacher(teacher_key, nu0=0.9, size=config.teacher)
        task = teacher_student(teacher, length=config.length)
        student = draw(config.hidden, 1, key=key, nu0=0.9, theta0=math.pi)
        begun = start(student, ADAM, rate, key)
        for repeat in counted(
            range(-1, config.repeats), "repeats"
        ):  # the first round only compiles
            for column, steps in enumerate(config.steps):
                batch = config.batch if column else None
                before = time.perf_counter()
                end = jax.block_until_ready(_steps(begun, task, batch, steps))
                took = time.perf_counter() - before
                if int(end.diverged) >= 0:
                    raise ArithmeticError("a student diverged; nothing was timed")
                if repeat >= 0:
                    seconds[row, column, repeat] = took / steps
    return xr.Dataset(
        {"seconds": (("student", "loss", "repeat"), seconds, {"units": "s a step"})},
        {"student": list(STUDENTS), "loss": list(LOSSES)},
        {"dtype": "float32", "hidden": config.hidden, "length": config.length},
    )


def show(data: xr.Dataset) -> None:
    """Print the time of a step, and the ratio within repeats."""
    table = Table(box=None, header_style="bold")
    for column in ("student", "population ms", "sampled ms", "ratio", "least", "most"):
        table.add_column(column, justify="left" if column == "student" else "right")
    for student in data["student"].values:
        exact, sampled = (
            data["seconds"].sel(student=student, loss=loss).values for loss in LOSSES
        )
        ratio = sampled / exact
        table.add_row(
            str(student),
            *(f"{1e3 * np.median(seconds):.3g}" for seconds in (exact, sampled)),
            *(f"{value:.0f}" for value in (np.median(ratio), ratio.min(), ratio.max())),
        )
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
