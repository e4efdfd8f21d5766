"""Training of the angle of one eigenvalue by Adam, in four parametrisations.

Student and teacher are neurons ``h_t = lam h_{t-1} + gamma x_t`` with white inputs.  The
modulus is ``nu = tanh(omega_nu)``, and the parametrisation of the angle is ``plain``,
``exponential`` or the one that the paper calls optimal.  The optimal one is trained twice,
since the paper leaves its derivative open: with the whole gradient, and as ``held`` with the
modulus treated as a constant in the angle's derivative.  The loss is exact, so nothing is
random.  Training begins at one angle or at many.

Source: Zucchet & Orvieto (2024), Appendix C.1.4 and Fig. 7.
"""

import cmath
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from sigprop.experiments.command import main
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from sigprop.training.loop import Optimiser, Run, Segments, advance, start, train

STUDY, VERSION = "angle_descent", 1
PARAMETRISATIONS = {
    "plain": Parametrisation("tanh", "plain"),
    "exponential": Parametrisation("tanh", "exponential"),
    "optimal": Parametrisation("tanh", "optimal"),
    "held": Parametrisation("tanh", "optimal", detached=True),
}
MARGIN = 0.15  # space around the path in the landscape, relative to its extent


@dataclass(frozen=True)
class Config:
    """The paper's training, and further ones with other initial angles and rates.

    Attributes:
        modulus: Modulus of the teacher and of every initial eigenvalue.
        teacher: Angle of the teacher, over pi.
        begin: Initial angle of the recorded training, over pi.
        rate: Learning rate of the recorded training.
        steps: Steps of each training, a multiple of ``records``.
        records: Points of the recorded path.
        points: Points of the landscape along each axis.
        begins: Initial angles of the other trainings, over pi.
        rates: Learning rates of the other trainings.
    """

    modulus: float = 0.99
    teacher: float = 0.01
    begin: float = 0.25
    rate: float = 1e-3
    steps: int = 50_000
    records: int = 1000
    points: int = 151
    begins: tuple[float, ...] = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75)
    rates: tuple[float, ...] = (1e-3,)

    def __post_init__(self) -> None:
        if self.steps < 1 or self.steps % self.records:
            raise ValueError(
                f"need steps in multiples of {self.records}, got {self.steps}"
            )


SMOKE = Config(steps=2000, records=100, points=21, begins=(0.02, 0.25))
QUICK = Config()
PAPER = Config(
    records=2500,
    points=301,
    begins=tuple(round(0.015 * 1.19**i, 6) for i in range(24)),
    rates=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
)


def run(config: Config) -> xr.Dataset:
    """Run all trainings in double precision."""
    angle = config.teacher * math.pi
    task = OneDimensional(cmath.rect(config.modulus, angle))
    with double_precision(True):
        tables = [
            _descents(task, parametrisation, config)
            for parametrisation in PARAMETRISATIONS.values()
        ]
    joined = xr.concat(tables, "chart", data_vars="all", join="exact")
    return joined.assign_coords(chart=list(PARAMETRISATIONS)).assign_attrs(
        dtype="float64",
        modulus=config.modulus,
        teacher=angle,
        rate=config.rate,
        steps=config.steps,
    )


def descend(
    task: OneDimensional,
    parametrisation: Parametrisation,
    begin: Float[Array, " runs"],
    rate: Float[Array, " runs"],
    config: Config,
) -> dict[str, np.ndarray]:
    """Train with Adam from the teacher's modulus and many angles.

    Returns:
        Values at the start and after each segment, by record and run, and ``diverged``, the
        step at which each run diverged.
    """
    optimiser = Optimiser(config.steps, "constant")
    steps = config.steps // config.records

    def loss(omega: Coordinates, _: Any = None) -> Float[Array, ""]:
        return task.loss(*parametrisation.polar(omega))

    def record(run: Run) -> dict[str, Array]:
        modulus, angle = parametrisation.polar(run.parameters)
        return {
            "omega_nu": run.parameters.modulus,
            "omega_theta": run.parameters.angle,
            "modulus": modulus,
            "angle": angle,
            "loss": loss(run.parameters),
        }

    def segment(run: Run):
        run, _ = advance(run, loss, optimiser, steps)
        return run, record(run)

    omega = parametrisation.coordinates(jnp.full(begin.shape, config.modulus), begin)
    key = jax.random.key(0)  # not used: nothing is drawn
    runs = jax.vmap(lambda omega, rate: start(omega, optimiser, rate, key))(omega, rate)
    first = jax.vmap(record)(runs)
    end, records = train(
        runs, jax.jit(jax.vmap(segment)), Segments(config.records, steps)
    )
    whole = {
        name: np.concatenate([np.asarray(first[name])[None], value])
        for name, value in records.items()
    }
    return whole | {"diverged": np.asarray(end.diverged)}


UNITS = {
    "omega_nu": "parameter units",
    "omega_theta": "parameter units",
    "modulus": "dimensionless",
    "angle": "radians",
    "loss": "E|h - h*|^2 / 2, of states of variance one",
}


def _descents(
    task: OneDimensional, parametrisation: Parametrisation, config: Config
) -> xr.Dataset:
    """Return the recorded path, the landscape around it, and the ends of other runs."""
    grid = np.meshgrid(config.rates, config.begins, indexing="ij")
    rate, begin = (
        np.concatenate([[alone], values.ravel()])
        for alone, values in zip((config.rate, config.begin), grid, strict=True)
    )
    records = descend(
        task, parametrisation, jnp.asarray(begin) * math.pi, jnp.asarray(rate), config
    )
    path = {
        name: ("step", records[name][:, 0], {"units": unit})
        for name, unit in UNITS.items()
    }
    ends = {name: value[-1, 1:] for name, value in records.items() if name in UNITS}
    lam = ends["modulus"] * np.exp(1j * ends["angle"])
    table = {
        "distance": (np.abs(lam - task.teacher), "|lam - lam*| after the last step"),
        "final_loss": (ends["loss"], UNITS["loss"]),
        "final_angle": (ends["angle"], "radians"),
        "diverged": (records["diverged"][1:], "step that diverged, -1 if none did"),
    }
    many = {
        name: (("many_rate", "begin"), value.reshape(grid[0].shape), {"units": units})
        for name, (value, units) in table.items()
    }
    steps = config.steps // config.records
    return xr.Dataset(
        path | many,
        {
            "step": (
                "step",
                steps * np.arange(config.records + 1),
                {"units": "steps"},
            ),
            "many_rate": ("many_rate", list(config.rates), {"units": "learning rate"}),
            "begin": ("begin", list(config.begins), {"units": "radians over pi"}),
        },
    ).merge(_landscape(task, parametrisation, records, config))


def _landscape(
    task: OneDimensional,
    parametrisation: Parametrisation,
    path: dict[str, np.ndarray],
    config: Config,
) -> xr.Dataset:
    """Return the loss as a function of both parameters, around the path and the target."""
    goal = parametrisation.coordinates(config.modulus, config.teacher * math.pi)
    axes = [
        _axis(path[name][:, 0], float(target), config.points)
        for name, target in zip(("omega_nu", "omega_theta"), goal, strict=True)
    ]

    def loss(up: Array, across: Array) -> Float[Array, ""]:
        return task.loss(*parametrisation.polar(Coordinates(up, across)))

    table = jax.vmap(jax.vmap(loss, (None, 0)), (0, None))
    landscape = np.asarray(table(*map(jnp.asarray, axes)), np.float32)
    unit = {"units": "parameter units"}
    return xr.Dataset(
        {
            "landscape": (("row", "column"), landscape, {"units": UNITS["loss"]}),
            "row_omega_nu": ("row", axes[0], unit),
            "column_omega_theta": ("column", axes[1], unit),
            "goal": ("parameter", np.asarray(goal), unit),
        },
        {"parameter": ["omega_nu", "omega_theta"]},
    )


def _axis(
    path: Float[np.ndarray, " steps"], goal: float, points: int
) -> Float[np.ndarray, " points"]:
    low, high = min(path.min(), goal), max(path.max(), goal)
    margin = MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, points)


if __name__ == "__main__":
    main(STUDY)
