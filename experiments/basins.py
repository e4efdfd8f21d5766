"""Initial eigenvalues from which training reaches a teacher, in several parametrisations.

Student and teacher are normalised neurons with stationary inputs, and the loss is exact.
Only the initial eigenvalues are random: one in each cell of a grid over the unit disc,
uniform by area.  An initial eigenvalue is in the basin if the distance of the student's final
eigenvalue to the teacher's is at most a tenth of the teacher's gap.  Several learning rates
are tried on the whole disc, and the best one of a parametrisation has the largest basin.
Rates of Adam are absolute.  Rates of gradient descent are multiples of the inverse largest
curvature at the teacher.

Source: ours, after Zucchet & Orvieto (2024), Appendix C.1.4.
"""

import cmath
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from jaxtyping import Array, Bool, Float

from sigprop.experiments.command import main
from sigprop.inputs import AR1, White
from sigprop.landscape.optimal_parametrisations import OptimalParametrisation, Path
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from sigprop.training.loop import Optimiser, Run, Segments, advance, start, train

STUDY, VERSION = "basins", 1
PARAMETRISATIONS = (
    "polar",
    "LRU",
    "tanh",
    "exact",
    "scaled",
    "best angle",
    "best angle, held",
)
TOLERANCE = 0.1  # in the basin up to this distance, relative to the teacher's gap
RING = (0.9, 0.999)  # initial moduli of an LRU for long memory
DECADES = 4  # of initial gaps, from 1 down; 2e-4 of the disc is left out
PAPER_RATE = 1e-3  # Adam's learning rate in Fig. 7
MULTIPLES = (0.3, 1.0, 1.5, 1.9)  # learning rates times the curvature; stable below two


@dataclass(frozen=True)
class Config:
    """Teachers, initial eigenvalues and trainings.

    Attributes:
        teachers: Modulus, angle over pi, and decay of the input's autocovariance.
        rows: Cells of initial eigenvalues in each decade of the gap.
        columns: Cells around the circle, from the angle zero to two pi.
        steps: Steps of each training, a multiple of ``records``.
        records: Times at which the distance to the teacher is recorded.
        rates: Learning rates of Adam.
        seed: Seed of the initial eigenvalues.

    Raises:
        ValueError: If ``steps`` is not a multiple, or the paper's rate is missing.
    """

    teachers: tuple[tuple[float, float, float], ...] = ((0.99, 0.01, 0), (0.99, 0.5, 0))
    rows: int = 4
    columns: int = 18
    steps: int = 10_000
    records: int = 20
    rates: tuple[float, ...] = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps < 1 or self.steps % self.records:
            raise ValueError(
                f"need steps in multiples of {self.records}, got {self.steps}"
            )
        if PAPER_RATE not in self.rates:
            raise ValueError(f"need the rate {PAPER_RATE:g} among {self.rates}")


SMOKE = Config(
    teachers=((0.9, 0.1, 0),),
    rows=2,
    columns=6,
    steps=400,
    records=4,
    rates=(1e-3, 3e-2),
)
QUICK = Config(rows=3, columns=12, steps=5_000, rates=(1e-3, 1e-2, 0.1, 1.0))
PAPER = Config(
    teachers=(*QUICK.teachers, (0.9, 0.25, 0), (0.99, 0.01, 0.9)),
    rows=6,
    columns=24,
    steps=20_000,
    records=40,
)


@dataclass(frozen=True)
class GradientDescent(Optimiser):
    """Plain gradient descent at a constant rate."""

    def transformation(
        self, rate: Any, factors: Any = None, decays: Any = None
    ) -> optax.GradientTransformation:
        """Return steps against the gradient."""
        return optax.sgd(rate)


class Starts(NamedTuple):
    """One initial eigenvalue in each cell, and the cell's share of the disc and ring."""

    modulus: Float[np.ndarray, "rows columns"]
    angle: Float[np.ndarray, "rows columns"]
    gap_edges: Float[np.ndarray, " edges"]
    shares: Float[np.ndarray, "2 rows columns"]


def starts(config: Config) -> Starts:
    """Draw an eigenvalue in each cell, uniform by area."""
    rows = DECADES * config.rows
    edges = 10.0 ** (-np.arange(rows + 1) / config.rows)
    square = (1 - edges) ** 2
    draws = np.random.default_rng(config.seed).random((2, rows, config.columns))
    radius = np.sqrt(square[:-1, None] + draws[0] * np.diff(square)[:, None])
    angle = (np.arange(config.columns) + draws[1]) * 2 * math.pi / config.columns
    low, high = (1 - np.array(RING)) * (1 + np.array([1e-9, -1e-9]))
    inside = (edges[:-1] <= low) & (edges[1:] >= high)
    areas = np.stack([np.diff(square), np.diff(square) * inside])
    shares = areas / areas.sum(1, keepdims=True) / config.columns
    return Starts(
        radius, angle, edges, np.repeat(shares[:, :, None], config.columns, 2)
    )


@dataclass(frozen=True)
class Scaled:
    """The optimal angle with its unit fixed at the teacher, so that it ignores the modulus.

    Attributes:
        modulus: Modulus of the teacher.
    """

    modulus: float

    def _unit(self) -> Float[Array, ""]:
        return BEST.polar(Coordinates(jnp.arctanh(self.modulus), jnp.ones(())))[1]

    def polar(self, at: Coordinates) -> tuple[Array, Array]:
        """Return modulus and angle, in radians."""
        return PLAIN.polar(Coordinates(at.modulus, self._unit() * at.angle))

    def coordinates(self, modulus: Any, angle: Any) -> Coordinates:
        """Return the parameters of a modulus and an angle."""
        plain = PLAIN.coordinates(modulus, angle)
        return Coordinates(plain.modulus, plain.angle / self._unit())


PLAIN, BEST = Parametrisation("tanh", "plain"), Parametrisation("tanh", "optimal")
AnyParametrisation = Parametrisation | OptimalParametrisation | Scaled


def parametrisation(name: str, task: OneDimensional) -> AnyParametrisation:
    """Return one of ``PARAMETRISATIONS``; "exact" depends on the input of the task."""
    match name:
        case "scaled":
            return Scaled(abs(task.teacher))
        case "polar":
            return Parametrisation("plain", "plain")
        case "LRU":
            return Parametrisation("exponential", "exponential")
        case "exact":
            return OptimalParametrisation(Path(task.process, "white"), "plain")
        case "tanh":
            return PLAIN
    return Parametrisation("tanh", "optimal", detached=name.endswith("held"))


def run(config: Config) -> xr.Dataset:
    """Compute all basins in double precision."""
    begins = starts(config)
    with double_precision(True):
        problems = [_problem(teacher, begins, config) for teacher in config.teachers]
    joined = xr.concat(problems, "teacher", join="exact")
    modulus, angle, decay = np.transpose(config.teachers)
    return joined.assign(
        modulus=(("row", "column"), begins.modulus, {"units": "dimensionless"}),
        angle=(("row", "column"), begins.angle, {"units": "radians"}),
        share=(
            ("measure", "row", "column"),
            begins.shares,
            {"units": "of the disc or of the ring"},
        ),
        gap_edge=("edge", begins.gap_edges, {"units": "dimensionless"}),
        teacher_modulus=("teacher", modulus, {"units": "dimensionless"}),
        teacher_angle=("teacher", angle * math.pi, {"units": "radians"}),
        teacher_rho=("teacher", decay, {"units": "decay of the autocovariance"}),
    ).assign_attrs(
        dtype="float64",
        steps=config.steps,
        records=config.records,
        tolerance=TOLERANCE,
        ring=RING,
    )


def _problem(
    teacher: tuple[float, float, float], begins: Starts, config: Config
) -> xr.Dataset:
    modulus, angle, decay = teacher
    process = AR1(decay) if decay else White()
    task = OneDimensional(cmath.rect(modulus, angle * math.pi), process=process)
    parts = [
        _basins(task, parametrisation(name, task), begins, config)
        for name in PARAMETRISATIONS
    ]
    return xr.concat(parts, "chart", join="exact").assign_coords(
        chart=list(PARAMETRISATIONS)
    )


def flatness(
    task: OneDimensional,
    parametrisation: AnyParametrisation,
    modulus: Float[np.ndarray, "*starts"],
    angle: Float[np.ndarray, "*starts"],
) -> tuple[Float[np.ndarray, "2 2"], Float[np.ndarray, "*starts"]]:
    """Return the Hessian of the loss at the teacher, and norms of the gradient elsewhere.

    Derivatives are by the two parameters.  Each component of the gradient is divided by the
    root of its curvature at the teacher, so that the norm ignores the parameters' scales.
    """

    def loss(omega: Float[Array, " 2"]) -> Float[Array, ""]:
        return task.loss(*parametrisation.polar(Coordinates(*omega)))

    @jax.jit
    def derivatives(star: Float[Array, " 2"], begin: Float[Array, "starts 2"]):
        return jax.hessian(loss)(star), jax.vmap(jax.grad(loss))(begin)

    star = parametrisation.coordinates(abs(task.teacher), cmath.phase(task.teacher))
    begin = parametrisation.coordinates(modulus.ravel(), angle.ravel())
    hessian, gradients = map(
        np.asarray, derivatives(jnp.stack(star), jnp.stack(begin, 1))
    )
    lengths = np.linalg.norm(gradients / np.sqrt(np.diag(hessian)), axis=1)
    return hessian, lengths.reshape(modulus.shape)


def descend(
    task: OneDimensional,
    parametrisation: AnyParametrisation,
    at: Coordinates,
    rate: Float[Array, " runs"],
    optimiser: Optimiser,
    records: int,
) -> tuple[Float[np.ndarray, "records runs"], Float[np.ndarray, " runs"]]:
    """Return distances to the teacher, relative to its gap, and final losses."""
    steps = optimiser.steps // records

    def loss(omega: Coordinates, _: Any = None) -> Float[Array, ""]:
        return task.loss(*parametrisation.polar(omega))

    def segment(run: Run):
        run, _ = advance(run, loss, optimiser, steps)
        modulus, angle = parametrisation.polar(run.parameters)
        distance = jnp.abs(modulus * jnp.exp(1j * angle) - task.teacher)
        return run, {"distance": distance, "loss": loss(run.parameters)}

    key = jax.random.key(0)  # not used: nothing is drawn
    runs = jax.vmap(lambda at, rate: start(at, optimiser, rate, key))(at, rate)
    _, recorded = train(runs, jax.jit(jax.vmap(segment)), Segments(records, steps))
    return recorded["distance"] / (1 - abs(task.teacher)), recorded["loss"][-1]


def fraction(
    reached: Bool[np.ndarray, "*more rows columns"],
    share: Float[np.ndarray, "rows columns"],
) -> tuple[Float[np.ndarray, "*more"], Float[np.ndarray, "*more"]]:
    """Return the fraction of an area that the basin fills, and its standard error.

    One eigenvalue in each cell is a stratified sample.  Its variance is a sum of binomial
    variances.  The probability of a cell is the mean over its three by three neighbours.
    Half a success and half a failure are added, so that no basin has a zero error.  The error
    is an overestimate, since the true probability of a cell is closer to zero or one.
    """
    hits = reached.astype(float)
    around = np.mean([np.roll(hits, shift, -1) for shift in (-1, 0, 1)], 0)
    padded = np.concatenate([around[..., :1, :], around, around[..., -1:, :]], -2)
    rows = hits.shape[-2]
    nine = 3 * sum((padded[..., i : i + rows, :] for i in range(3)), np.zeros(()))
    chance = (nine + 0.5) / 10
    variance = (share**2 * chance * (1 - chance)).sum((-2, -1))
    return np.asarray((share * hits).sum((-2, -1))), np.asarray(np.sqrt(variance))


def _basins(
    task: OneDimensional,
    parametrisation: AnyParametrisation,
    begins: Starts,
    config: Config,
) -> xr.Dataset:
    """Train with both optimisers at all rates, and compute the derivatives of the loss."""
    omega = parametrisation.coordinates(begins.modulus, begins.angle)
    hessian, gradient = flatness(task, parametrisation, begins.modulus, begins.angle)
    sharpest = float(np.linalg.eigvalsh(hessian)[-1])
    optimisers = {
        "Adam": (Optimiser(config.steps, "constant"), np.array(config.rates)),
        "gradient descent": (
            GradientDescent(config.steps, "constant"),
            np.array(MULTIPLES) / sharpest,
        ),
    }
    parts = [
        _table(task, parametrisation, omega, optimiser, rates, begins, config)
        for optimiser, rates in optimisers.values()
    ]
    joined = xr.concat(parts, "optimiser", join="outer", fill_value=0.0)
    return joined.assign_coords(optimiser=list(optimisers)).assign(
        curvature=(
            ("parameter", "other"),
            hessian,
            {"units": "loss per squared parameter unit"},
        ),
        slope=(
            ("row", "column"),
            gradient.astype(np.float32),
            {"units": "gradient over the roots of the curvatures at the teacher"},
        ),
    )


def _table(
    task: OneDimensional,
    parametrisation: AnyParametrisation,
    omega: Coordinates,
    optimiser: Optimiser,
    rates: Float[np.ndarray, " rates"],
    begins: Starts,
    config: Config,
) -> xr.Dataset:
    shape = len(rates), *begins.modulus.shape
    lanes = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, shape).ravel(), omega)
    lane_rates = jnp.asarray(np.repeat(rates, begins.modulus.size))
    distance, loss = descend(
        task, parametrisation, lanes, lane_rates, optimiser, config.records
    )
    near = (distance <= TOLERANCE).reshape(config.records, *shape)
    parts, errors = zip(
        *(fraction(near[-1], share) for share in begins.shares), strict=True
    )
    best = int(np.argmax(parts[0]))
    stays = np.logical_and.accumulate(near[::-1, best])[::-1]
    return xr.Dataset(
        {
            "fraction": (
                ("measure", "rate_index"),
                np.stack(parts),
                {"units": "of the area"},
            ),
            "error": (
                ("measure", "rate_index"),
                np.stack(errors),
                {"units": "standard error of the fraction"},
            ),
            "rate": (
                "rate_index",
                rates,
                {"units": "learning rate; 0 where there is none"},
            ),
            "best": ((), best, {"units": "index of the rate of the largest basin"}),
            "reached": (
                ("row", "column"),
                near[-1, best].astype(np.int8),
                {"units": "0 or 1"},
            ),
            "arrival": (
                ("row", "column"),
                config.records - stays.sum(0),
                {"units": "records before the student stays near"},
            ),
            "final_loss": (
                ("row", "column"),
                loss.reshape(shape)[best].astype(np.float32),
                {
                    "units": "E|h - h*|^2 / 2, of states of variance one; inf at the edge"
                },
            ),
        },
        {
            "measure": ["disc", "ring"],
            "rate_index": range(len(rates)),
        },
    )


if __name__ == "__main__":
    main(STUDY)
