"""Loss on planes through trained layers: sharpest, random, and between two minima.

An LRU, a RotRNN and a dense linear RNN learn one linear teacher with Adam on the exact loss.
Each of them is trained from its default initialisation and from an advised one.  Both
initialisations have the same key, so that they differ only in their eigenvalues and gains.
``advise`` has no rule for a dense recurrence.  Its advised initialisation therefore takes the
smallest modulus of the LRU's advised ring.  The teacher's outputs have variance one, so that
a student with zero output has the loss 1/2.

Three planes go through the end of each training:

- *sharpest*: along the two eigenvectors of the exact Hessian whose eigenvalues are largest
  in absolute value;
- *random*: along two random directions, scaled in each unit to the length of the unit's
  parameters (``sigprop.landscape.direction``);
- *optima*: through the start of the training and the end of the other training.

All trained parameters change along a plane.  Both trajectories are projected on each plane,
and stored with the part of their squared distance that lies in the plane.

Source: ours; Li et al. (2018) for normalised directions and projected trajectories.
"""

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax import lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Float32, PRNGKeyArray
from rich.console import Console
from rich.table import Table

from sigprop.advice.advise import Advice, advise
from sigprop.advice.spectra import exponential
from sigprop.curvature import expand
from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.landscape.planes import project, sharpest, spanning
from sigprop.landscape.slices import direction, moved, second_difference, slices
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import (
    TeacherStudent,
    linear_teacher,
    teacher_student,
)
from sigprop.training.loop import Optimiser, Run, Segments, advance, start, train

STUDY, VERSION = "network_landscapes", 1
NETWORKS = ("LRU", "RotRNN", "dense RNN")
STARTS = ("default", "advised")
PLANES = ("sharpest", "random", "optima")
WIDTHS = 2.0  # of sharpest planes on each side, in half widths of a parabola
MARGIN = 0.2  # around the trajectories on an optima plane, relative to their extent
RANDOM = 0.9  # of random planes on each side, relative to the parameters
NUDGE = 0.005  # step of the second difference, in half widths of a parabola
LINE = np.linspace(-0.25, 1.25, 121)  # with both minima, at 0 and 1
LOSS = "E|y - y*|^2 / 2, of a teacher with E|y*|^2 = 1"
STEPS = "steps along the direction"
CURVED = "loss over squared steps along the direction"
HIGHEST = 1e6  # larger losses, of exploding dense recurrences, are set to this value


@dataclass(frozen=True)
class Config:
    """The teacher, the students, their training and the planes.

    Attributes:
        state: Size of the students' states.
        teacher: Size of the teacher's state.
        nu0: Smallest modulus of the teacher's eigenvalues.
        length: Length of a sequence.
        steps: Steps of Adam, a multiple of ``records``.
        records: Number of stored points of a trajectory, without the first one.
        looks: Number of Hessians along the training, a divisor of ``records``.
        rate: Peak learning rate of a cosine schedule.
        points: Points along each direction of a plane, an odd number.
        seed: Seed of all random numbers.

    Raises:
        ValueError: If the numbers do not divide each other, or ``points`` is even.
    """

    state: int = 8
    teacher: int = 4
    nu0: float = 0.9
    length: int = 200
    steps: int = 3000
    records: int = 300
    looks: int = 15
    rate: float = 0.01
    points: int = 41
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps % self.records or self.records % self.looks:
            raise ValueError(
                "need steps a multiple of records, and records of looks, got "
                f"{self.steps}, {self.records}, {self.looks}"
            )
        if self.points % 2 == 0:
            raise ValueError(f"need an odd number of points, got {self.points}")


SMOKE = Config(4, 2, length=40, steps=200, records=10, looks=2, points=11)
QUICK = Config()
PAPER = Config(state=16, looks=30, points=81)


class Trained(NamedTuple):
    """Trajectory of one training.

    Attributes:
        layers: The layer at the start and at each record.
        loss: The exact losses of these layers.
    """

    layers: list[Layer]
    loss: Float[np.ndarray, " records"]

    @property
    def end(self) -> Layer:
        """The layer at the end of the training."""
        return self.layers[-1]


def task_of(key: PRNGKeyArray, config: Config) -> TeacherStudent:
    """Return the task of a linear teacher whose outputs have variance one."""
    teacher = linear_teacher(key, nu0=config.nu0, size=config.teacher)
    silent = replace(teacher, {"C": 0 * teacher.C, "D": 0 * teacher.D})
    power = 2 * teacher_student(teacher, None, config.length).loss(silent)
    scaled = {name: vars(teacher)[name] / jnp.sqrt(power) for name in ("C", "D")}
    return teacher_student(replace(teacher, scaled), None, config.length)


@functools.cache
def advice_of(name: str, config: Config) -> Advice:
    """Return the advice for white inputs and sequences of the task's length."""
    return advise(
        name, length=config.length, state=config.state, spectrum=exponential(0.0)
    )


def student(network: str, begun: str, key: PRNGKeyArray, config: Config) -> Layer:
    """Draw a student with one input and one output, before training.

    Raises:
        ValueError: If ``network`` or ``begun`` is unknown.
    """
    if network not in NETWORKS or begun not in STARTS:
        raise ValueError(
            f"need a network in {NETWORKS} and a start in {STARTS}, got {network!r}, "
            f"{begun!r}"
        )
    if network == "dense RNN":
        advised = advice_of("lru", config).options["r_min"]
        nu0 = advised if begun == "advised" else 0.0
        return linear_rnn(config.state, 1, key=key, nu0=nu0, theta0=math.pi)
    advice = advice_of(network.lower(), config)
    if begun == "advised":
        return advice.draw(key, 1)
    if network == "LRU":
        return lru(config.state, 1, key=key)
    return rotrnn(config.state, 1, key=key, heads=advice.options["heads"])


def descend(
    task: TeacherStudent, layer: Layer, key: PRNGKeyArray, config: Config
) -> Trained:
    """Train a layer with Adam on the exact loss; return its trajectory."""
    begun = start(layer, Optimiser(config.steps), config.rate, key)
    steps = config.steps // config.records
    _, records = train(
        begun,
        lambda run: _segment(run, task, config.steps, steps),
        Segments(config.records, steps),
    )
    _, split = ravel_pytree(layer)
    layers = [layer, *(split(jnp.asarray(row)) for row in records["vector"])]
    return Trained(layers, np.array([float(task.loss(layer)), *records["loss"]]))


@functools.partial(jax.jit, static_argnames=("total", "steps"))
def _segment(
    run: Run, task: TeacherStudent, total: int, steps: int
) -> tuple[Run, dict[str, Array]]:
    run, _ = advance(run, lambda layer, _: task.loss(layer), Optimiser(total), steps)
    vector, _ = ravel_pytree(run.parameters)
    return run, {"vector": vector, "loss": task.loss(run.parameters)}


class Plane(NamedTuple):
    """Two directions through a layer, and the grid points along each of them."""

    ways: Sequence[Layer]
    steps: Float[np.ndarray, "two points"]


def sharpest_plane(
    run: Trained, hessian: Float[np.ndarray, "p p"], config: Config
) -> Plane:
    """Return the plane of the two sharpest eigenvectors.

    Its width is a multiple of ``c**-0.5``, where a parabola of curvature ``c`` reaches the loss
    1/2 of zero output.  Most trajectories begin outside of the grid.
    """
    ways = sharpest(run.end, hessian)
    side = WIDTHS * np.linspace(-1, 1, config.points)
    widths = [abs(curvature(way, hessian)) ** -0.5 for way in ways]
    return Plane(ways, np.outer(widths, side))


def random_plane(run: Trained, key: PRNGKeyArray, config: Config) -> Plane:
    """Return the plane of two random directions, scaled to the parameters of each unit."""
    ways = [direction(one, run.end) for one in jax.random.split(key)]
    side = RANDOM * np.linspace(-1, 1, config.points)
    return Plane(ways, np.stack([side, side]))


def optima_plane(run: Trained, other: Trained, config: Config) -> Plane:
    """Return the plane through a training's start, its end, and the other training's end.

    The two ends are at 0 and 1 along the first direction.
    """
    ways = spanning(run.end, other.end, run.layers[0])
    path = project(run.end, ways, [*run.layers, *other.layers]).steps
    low, high = path.min(0), path.max(0)
    aside = MARGIN * (high - low)
    steps = np.linspace(low - aside, high + aside, config.points, axis=1)
    return Plane(ways, steps)


def curvature(way: Layer, hessian: Float[np.ndarray, "p p"]) -> float:
    """Return ``v' H v`` of a direction ``v``, with the exact Hessian ``H``."""
    vector = np.asarray(ravel_pytree(parameters(way))[0])
    return float(vector @ hessian @ vector)


def norm(way: Layer) -> float:
    """Return the Euclidean norm of a direction."""
    return float(jnp.linalg.norm(ravel_pytree(parameters(way))[0]))


def recurrent_share(way: Layer) -> float:
    """Return the share of recurrent parameters in a direction's squared norm."""
    groups = way.groups()
    squares = {name: float(jnp.sum(v**2)) for name, v in parameters(way).items()}
    recurrent = [squares[name] for name in squares if groups[name] == "recurrent"]
    return sum(recurrent) / sum(squares.values())


def look(
    task: TeacherStudent,
    plane: Plane,
    runs: Mapping[str, Trained],
    begun: str,
    hessian: Float[np.ndarray, "p p"],
) -> xr.Dataset:
    """Compute the loss on a plane, the projected trajectories, and the curvatures.

    Curvatures come from the exact Hessian and from second differences of the loss.
    """
    end, ways = runs[begun].end, plane.ways
    paths = {name: project(end, ways, run.layers) for name, run in runs.items()}
    projected = _losses(task, end, ways, jnp.asarray(paths[begun].steps))
    exact = [curvature(way, hessian) for way in ways]
    differences = [
        second_difference(task.loss, end, way, NUDGE / math.sqrt(abs(value)))
        for way, value in zip(ways, exact, strict=True)
    ]
    path = np.stack([one.steps for one in paths.values()])
    share = np.stack([one.share for one in paths.values()])
    table = {
        "loss": (
            ("first", "second"),
            _cut(slices(task.loss, end, ways, [*plane.steps])),
            LOSS,
        ),
        "grid": (("way", "point"), plane.steps, STEPS),
        "path": (("run", "record", "way"), path.astype(np.float32), STEPS),
        "share": (
            ("run", "record"),
            share.astype(np.float32),
            "of the squared distance",
        ),
        "projected_loss": (("record",), _cut(projected), LOSS),
        "curvature": (("way",), exact, CURVED),
        "difference": (("way",), differences, CURVED),
        "norm": (
            ("way",),
            [*map(norm, ways)],
            "Euclidean, of a step along the direction",
        ),
        "recurrent": (("way",), [*map(recurrent_share, ways)], "of the squared length"),
    }
    return _dataset(table).assign_coords(run=list(runs))


@functools.partial(jax.jit, compiler_options=SOME)
def _losses(
    task: TeacherStudent,
    layer: Layer,
    ways: Sequence[Layer],
    steps: Float[Array, "points two"],
) -> Float[Array, " points"]:
    return lax.map(lambda at: task.loss(moved(layer, ways, [*at])), steps)


def _cut(losses: Any) -> Float32[np.ndarray, "*grid"]:
    """Return losses of at most ``HIGHEST``, in single precision."""
    values = np.asarray(losses)
    return np.where(values < HIGHEST, values, HIGHEST).astype(np.float32)


def _dataset(table: Mapping[str, tuple[tuple[str, ...], Any, str]]) -> xr.Dataset:
    """Build a data set from values with their dimensions and units."""
    return xr.Dataset(
        {
            name: (dims, np.asarray(values), {"units": unit})
            for name, (dims, values, unit) in table.items()
        }
    )


def _joined(
    parts: Sequence[xr.Dataset], dimension: str, labels: Iterable[str]
) -> xr.Dataset:
    """Concatenate along a new dimension; shorter parts are padded with NaN."""
    whole = xr.concat(
        parts,
        dimension,
        data_vars="all",
        coords="minimal",
        compat="equals",
        join="outer",
    )
    return whole.assign_coords({dimension: list(labels)})


def examine(
    task: TeacherStudent,
    runs: Mapping[str, Trained],
    begun: str,
    key: PRNGKeyArray,
    config: Config,
) -> xr.Dataset:
    """Compute the losses and Hessians along one training, and the planes at its end."""
    run = runs[begun]
    (other,) = (each for name, each in runs.items() if name != begun)
    looks = run.layers[:: config.records // config.looks]
    hessians = [expand(task, layer, "autodiff").hessian for layer in looks]
    along, hessian = np.linalg.eigvalsh(hessians), hessians[-1]
    planes = {
        "sharpest": sharpest_plane(run, hessian, config),
        "random": random_plane(run, key, config),
        "optima": optima_plane(run, other, config),
    }
    looked = [look(task, plane, runs, begun, hessian) for plane in planes.values()]
    table = {
        "record_loss": (("record",), run.loss, LOSS),
        "largest": (("look",), along[:, -1], CURVED),
        "smallest": (("look",), along[:, 0], CURVED),
        "eigenvalue": (("rank",), along[-1, ::-1], CURVED),
    }
    joined = _joined(looked, "plane", planes)
    return xr.merge([_dataset(table), joined]).assign_coords(rank=range(len(hessian)))


def between(task: TeacherStudent, first: Layer, second: Layer) -> xr.Dataset:
    """Compute the loss on the line through two layers, at 0 and at 1."""
    way = jax.tree.map(jnp.subtract, second, first)
    losses = _cut(slices(task.loss, first, [way], [LINE]))
    return _dataset({"line": (("position",), losses, LOSS)})


def network_planes(
    task: TeacherStudent,
    network: str,
    keys: Sequence[PRNGKeyArray],
    config: Config,
    tick: Callable[[], None] = lambda: None,
) -> xr.Dataset:
    """Train one network from both initialisations and compute its planes.

    ``tick`` is called after each training and each set of planes.
    """
    student_key, training_key, plane_key = keys
    runs = {}
    for begun in STARTS:
        layer = student(network, begun, student_key, config)
        runs[begun] = descend(task, layer, training_key, config)
        tick()
    parts = []
    for begun in STARTS:
        parts.append(examine(task, runs, begun, plane_key, config))
        tick()
    line = between(task, *(run.end for run in runs.values()))
    return xr.merge([_joined(parts, "start", STARTS), line])


def run(config: Config) -> xr.Dataset:
    """Train all networks and compute their planes, in double precision."""
    teacher_key, *keys = jax.random.split(jax.random.key(config.seed), 4)
    tick = counter(2 * len(STARTS) * len(NETWORKS), "trainings and sets of planes")
    with double_precision(True):
        task = task_of(teacher_key, config)
        tables = [
            network_planes(task, network, keys, config, tick) for network in NETWORKS
        ]
        modulus = np.abs(np.asarray(task.teacher.eigenvalues()))
    joined = _joined(tables, "network", NETWORKS)
    each = config.steps // config.records
    return joined.assign_coords(
        record=np.arange(config.records + 1) * each,
        look=np.linspace(0, config.steps, config.looks + 1).astype(int),
        position=LINE,
    ).assign_attrs(
        dtype="float64",
        rate=config.rate,
        state=config.state,
        length=config.length,
        modulus=modulus,
    )


def show(data: xr.Dataset) -> None:
    """Print the end of each training, and its share of distance in each plane."""
    table = Table(box=None, header_style="bold")
    heads = ("network", "start", "loss", "curvature", "2/L")
    for head in (*heads, *map(str, data["plane"].values)):
        side = "left" if head in heads[:2] else "right"
        table.add_column(head, justify=side, no_wrap=True)
    for network in data["network"].values:
        for begun in data["start"].values:
            one = data.sel(network=network, start=begun)
            largest = float(one["largest"][-1])
            shares = one["share"].sel(run=begun).isel(record=0).values
            table.add_row(
                *(str(network), str(begun), f"{float(one['record_loss'][-1]):.2g}"),
                *(f"{largest:.4g}", f"{2 / largest:.3g}"),
                *(f"{share:.1%}" for share in shares),
            )
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "Under each plane: its share of the squared distance from the start to the end."
    )


if __name__ == "__main__":
    main(STUDY)
