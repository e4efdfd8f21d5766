"""Speed of the exact Hessian of an LRU against automatic differentiation of a simulation.

The closed form gives the whole matrix.  Automatic differentiation gives one column at a time:
the product of the Hessian of a simulated batch's loss with a unit vector.  A few columns are
timed, and the time is scaled to the number of parameters.  Repeats alternate between the two
methods.

Source: Zucchet & Orvieto (2024), Table 1, for the sizes of sequences and batch.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax.flatten_util import ravel_pytree
from jaxtyping import Array
from rich.console import Console
from rich.table import Table

from sigprop.curvature.hessian import expand
from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.layers.base import parameters, replace
from sigprop.layers.lru import zucchet_lru
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import linear_teacher, teacher_student

STUDY, VERSION = "speed_hessians", 1


@dataclass(frozen=True)
class Config:
    """Sizes of the students and of the sample.

    Attributes:
        hidden: Neurons of the student for both methods.
        largest: Neurons of a further student for the closed form only.
        length: Length of a sequence, for both methods.
        batch: Number of simulated sequences.
        columns: Number of timed columns of the Hessian by differentiation.
        repeats: Repeats of both methods, which alternate.
    """

    hidden: int = 256
    largest: int = 1024
    length: int = 300
    batch: int = 128
    columns: int = 2
    repeats: int = 5
    seed: int = 0


SMOKE = Config(hidden=8, largest=16, length=20, batch=4, repeats=2)
QUICK = Config()
PAPER = Config(repeats=15)


def run(config: Config) -> xr.Dataset:
    """Time both methods in double precision."""
    with double_precision(True):
        return _timed(config)


def _timed(config: Config) -> xr.Dataset:
    teacher_key, key, noise = jax.random.split(jax.random.key(config.seed), 3)
    teacher = linear_teacher(teacher_key, nu0=0.9)
    finite = teacher_student(teacher, length=config.length)
    infinite = teacher_student(teacher, length=None)
    student, large = (
        zucchet_lru(n, 1, key=key, nu0=0.9, theta0=math.pi)
        for n in (config.hidden, config.largest)
    )
    x, split = ravel_pytree(parameters(student))

    def loss(x: Array) -> Array:
        return finite.sampled(replace(student, split(x)), noise, config.batch)

    @jax.jit
    def column(v: Array) -> Array:
        return jax.grad(lambda x: jax.grad(loss)(x) @ v)(x)

    axes = jnp.eye(x.size)[: config.columns]
    routes: dict[str, Any] = {
        "closed form": lambda: expand(finite, student),
        "closed form, infinite": lambda: expand(infinite, student),
        "closed form, infinite, largest": lambda: expand(infinite, large),
        "a column by simulation": lambda: jax.block_until_ready(
            [column(axis) for axis in axes]
        ),
    }
    seconds = np.empty((len(routes), config.repeats))
    for repeat in counted(
        range(-1, config.repeats), "repeats"
    ):  # the first round only compiles
        for row, route in enumerate(routes.values()):
            before = time.perf_counter()
            route()
            if repeat >= 0:
                seconds[row, repeat] = time.perf_counter() - before
    seconds[-1] /= config.columns
    return xr.Dataset(
        {"seconds": (("route", "repeat"), seconds, {"units": "s"})},
        {"route": list(routes)},
        {"dtype": "float64", "parameters": x.size, "largest": config.largest},
    )


def show(data: xr.Dataset) -> None:
    """Print the times, and the ratio of differentiation for all columns."""
    table = Table(box=None, header_style="bold")
    for head in ("route", "seconds", "all columns by simulation take"):
        table.add_column(head, justify="left" if head == "route" else "right")
    column = data["seconds"].isel(route=-1).values
    for name in data["route"].values:
        seconds = data["seconds"].sel(route=name).values
        text = ""
        if name == "closed form":
            ratio = column * data.attrs["parameters"] / seconds
            text = (
                f"{np.median(ratio):.0f} times ({ratio.min():.0f} to {ratio.max():.0f})"
            )
        table.add_row(str(name), f"{np.median(seconds):.3g}", text)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
