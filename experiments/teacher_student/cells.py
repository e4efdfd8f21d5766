"""Trainings of students that learn a linear teacher, many at once.

A cell is one student: its architecture, teacher, learning rate and seed.  Cells of one shape
are trained together by ``jax.vmap``.  The seed determines the teacher, so all architectures
of a seed learn the same teacher and can be compared in pairs.

Source: Zucchet & Orvieto (2024), Section 4.2-4.3, Appendix C.3 and Tables 1-3.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.inputs import AR1, White
from sigprop.layers.base import Layer, count_parameters, parameters
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import block_rnn
from sigprop.layers.lru import released_zucchet_lru, zucchet_lru
from sigprop.layers.s4 import s4
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import (
    TeacherStudent,
    linear_teacher,
    teacher_student,
)
from sigprop.training.loop import (
    Optimiser,
    Run,
    Segments,
    advance,
    effective_rates,
    start,
    train,
)

STUDY, VERSION = "teacher_student", 1
DIAGONAL: dict[str, Callable[..., Layer]] = {
    "complex": complex_diagonal,
    "lru": zucchet_lru,
    "released lru": released_zucchet_lru,
    "s4": s4,
    "s4 0.1": functools.partial(s4, delta=0.1),
    "s4 0.01": functools.partial(s4, delta=0.01),
}
ARCHITECTURES = ("rnn", *DIAGONAL)
QUANTILES = (0.1, 0.5, 0.9)
RECORDS = 50  # segments of a training; curves have one point for each


@dataclass(frozen=True)
class Config:
    """One student and its training.

    Attributes:
        architecture: One of ``ARCHITECTURES``.
        log_rate: Decimal logarithm of the peak learning rate.
        seed: Seed of the teacher, the student and the inputs.
        nu0: Smallest modulus of the teacher's eigenvalues.
        theta0: Largest phase of the teacher's eigenvalues, over pi.
        start_nu0: Smallest modulus of a dense student's initial eigenvalues; the teacher's if
            left out.
        hidden: Neurons of the student; a complex neuron counts once.
        heads: Number of blocks of a dense student's matrix.
        teacher: Neurons of the teacher.
        length: Length of a sequence.
        steps: Training steps, a multiple of ``RECORDS``.
        loss: ``population`` for the exact loss, or ``sampled``.
        batch: Sequences of a step with the sampled loss.
        rho: Correlation of consecutive inputs.
        schedule: Schedule of the learning rate.
        dtype: Precision of the training.
        details: Whether to store every parameter and its effective learning rate.
    """

    architecture: str
    log_rate: float
    seed: int
    nu0: float = 0.99
    theta0: float = 1.0
    start_nu0: float | None = None
    hidden: int = 64
    heads: int = 1
    teacher: int = 10
    length: int = 300
    steps: int = 10_000
    loss: str = "population"
    batch: int = 128
    rho: float = 0.0
    schedule: str = "cosine"
    dtype: str = "float32"
    details: bool = False

    def __post_init__(self) -> None:
        if self.architecture not in ARCHITECTURES:
            raise ValueError(
                f"need an architecture in {ARCHITECTURES}, got {self.architecture!r}"
            )
        if self.loss not in ("population", "sampled"):
            raise ValueError(f"need loss population or sampled, got {self.loss!r}")
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"need dtype float32 or float64, got {self.dtype!r}")
        if self.hidden % self.heads:
            raise ValueError(
                f"need heads that divide the {self.hidden} neurons, got {self.heads}"
            )
        if self.steps < 1 or self.steps % RECORDS:
            raise ValueError(f"need steps in multiples of {RECORDS}, got {self.steps}")


def shape(config: Config) -> Config:
    """Return a configuration without the numbers that may differ in joint training."""
    free: dict[str, Any] = {
        "log_rate": 0.0,
        "seed": 0,
        "nu0": 0.0,
        "theta0": 1.0,
        "start_nu0": None,
    }
    return dataclasses.replace(config, **free)


def chunk_size(config: Config) -> int:
    """Return the number of cells to train together, which fit into the caches."""
    return 10 if config.architecture == "rnn" else 50


def student(config: Config, key: PRNGKeyArray) -> Layer:
    """Draw a student before training, as described in the paper.

    The ``released lru`` is drawn as in the authors' code, with phases of both signs and
    weights scaled by fan-out.

    Source: Zucchet & Orvieto (2024), Appendix A and C.3.
    """
    nu0, theta0 = config.nu0, config.theta0 * math.pi
    if config.architecture == "rnn":
        start_nu0 = nu0 if config.start_nu0 is None else config.start_nu0
        return block_rnn(
            config.hidden,
            1,
            key=key,
            blocks=config.heads,
            nu0=start_nu0,
            theta0=theta0,
        )
    draw = DIAGONAL[config.architecture]
    return draw(config.hidden, 1, key=key, nu0=nu0, theta0=theta0)


def builder(architecture: str) -> str:
    """Return the module and name of the function that draws a student.

    Example:
        >>> builder("released lru")
        'sigprop.layers.lru.released_zucchet_lru'

    Raises:
        ValueError: If the architecture is unknown.
    """
    if architecture not in ARCHITECTURES:
        raise ValueError(f"need one of {ARCHITECTURES}, got {architecture!r}")
    function: Any = DIAGONAL.get(architecture, block_rnn)
    function = getattr(function, "func", function)
    return f"{function.__module__}.{function.__qualname__}"


def task(config: Config, key: PRNGKeyArray) -> TeacherStudent:
    """Draw a teacher; return the task of learning it."""
    teacher = linear_teacher(
        key, nu0=config.nu0, theta0=config.theta0 * math.pi, size=config.teacher
    )
    process = AR1(config.rho) if config.rho else White()
    return teacher_student(teacher, process, config.length)


def prepare(config: Config) -> tuple[Run, TeacherStudent]:
    """Return a training before its first step, and its task; the seed determines both."""
    teacher_key, student_key, input_key = jax.random.split(
        jax.random.key(config.seed), 3
    )
    begun = start(
        student(config, student_key),
        Optimiser(config.steps, config.schedule),
        10.0**config.log_rate,
        input_key,
    )
    return begun, task(config, teacher_key)


@functools.partial(jax.jit, static_argnames=("config", "steps"))
def _segment(runs: Run, tasks: TeacherStudent, config: Config, steps: int):
    """Train all runs for some steps; return them and their records."""
    optimiser = Optimiser(config.steps, config.schedule)

    def per_run(run: Run, task: TeacherStudent):
        def loss(layer: Layer, key: PRNGKeyArray) -> Float[Array, ""]:
            if config.loss == "population":
                return task.loss(layer)
            return task.loss(layer, key, config.batch)

        run, losses = advance(run, loss, optimiser, steps)
        return run, {
            "curve": losses.mean(),
            "population": task.loss(run.parameters),
            "rate": _quantiles(run, optimiser),
        }

    return jax.vmap(per_run)(runs, tasks)


def _quantiles(run: Run, optimiser: Optimiser) -> Float[Array, "groups quantiles"]:
    """Return quantiles of effective rates, of recurrent and of other parameters."""
    rates = parameters(effective_rates(run, optimiser))
    groups = run.parameters.groups()
    parts = [
        jnp.concatenate(
            [
                value.ravel()
                for name, value in rates.items()
                if (groups[name] == "recurrent") is recurrent
            ]
        )
        for recurrent in (True, False)
    ]
    return jnp.stack([jnp.quantile(part, jnp.array(QUANTILES)) for part in parts])


def run_cells(
    configs: Sequence[Config],
    checkpoint: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[xr.Dataset]:
    """Train cells of one shape together; return one result for each.

    Args:
        configs: Configurations of one ``shape``.
        checkpoint: File to resume from and to write.
        progress: Called with the finished fraction.

    Raises:
        ValueError: If there are no cells, or cells of several shapes.
    """
    shapes = {shape(config) for config in configs}
    if len(shapes) != 1:
        raise ValueError(f"need cells of one shape, got {len(shapes)} shapes")
    (common,) = shapes
    with double_precision(common.dtype == "float64"):
        pairs = [prepare(config) for config in configs]
        runs, tasks = jax.tree.map(lambda *leaves: jnp.stack(leaves), *pairs)
        steps = common.steps // RECORDS
        end, records = train(
            runs,
            lambda runs: _segment(runs, tasks, common, steps),
            Segments(RECORDS, steps, checkpoint),
            lambda done: progress(done / RECORDS),
        )
        optimiser = Optimiser(common.steps, common.schedule)
        rates = jax.vmap(lambda run: effective_rates(run, optimiser))(end)
    results = []
    for i, config in enumerate(configs):
        run, run_rates = jax.tree.map(lambda leaf, i=i: leaf[i], (end, rates))
        curves = {name: value[:, i] for name, value in records.items()}
        results.append(_result(config, run, run_rates, curves))
    return results


LOSS = {"units": "mean squared error over two, of outputs of variance one a channel"}
RATE = {"units": "parameter units a step"}


def _result(
    config: Config, end: Run, rates: Layer, curves: dict[str, np.ndarray]
) -> xr.Dataset:
    variables: dict[str, Any] = {
        "curve": ("record", curves["curve"], LOSS),
        "population": ("record", curves["population"], LOSS),
        "rate": (("record", "group", "quantile"), curves["rate"], RATE),
    }
    if config.details:
        for prefix, tree in (("trained", end.parameters), ("effective", rates)):
            for name, value in parameters(tree).items():
                axes = [f"{name}_{axis}" for axis in range(value.ndim)]
                units = {"units": "parameter units"} if prefix == "trained" else RATE
                variables[f"{prefix}_{name}"] = (axes, np.asarray(value), units)
    steps = config.steps // RECORDS
    return xr.Dataset(
        variables,
        {
            "record": ("record", steps * np.arange(1, RECORDS + 1), {"units": "steps"}),
            "group": ["recurrent", "other"],
            "quantile": ("quantile", list(QUANTILES), {"units": "probability"}),
        },
        {
            "dtype": config.dtype,
            "diverged": int(end.diverged),
            "parameters": count_parameters(end.parameters),
        },
    )
