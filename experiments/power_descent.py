"""Training of an eigenvalue by its hundredth power, by Adam in two parametrisations.

Every initial eigenvalue has the modulus of the target.  Its phase differs from the target's
by less than half of the distance between two solutions, so that the target is the nearest
one.  What the paper leaves open is fixed by rules.  The target's modulus makes its power
``exp(-1)``.  Each parametrisation has the learning rate, from a grid, with the fewest
iterations until the training settles, on average over all phases and initial values.  A
training has *settled* when its loss stays below ``SETTLED`` times the loss of the power zero.
A training that never settles counts with all of its iterations.

Source: Orvieto et al. (2023), Appendix E.2 and Fig. 8.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int

from sigprop.experiments.command import main
from sigprop.numerics.precision import double_precision
from sigprop.tasks.power import PARAMETRISATIONS, Power, parametrisation, power
from sigprop.training.loop import Optimiser, Run, Segments, advance, start, train

STUDY, VERSION = "power_descent", 1
SETTLED = 1e-3


@dataclass(frozen=True)
class Config:
    """Targets, initial eigenvalues and learning rates.

    Attributes:
        exponent: Power ``k`` of the eigenvalue.
        decay: ``-k log |lam*|`` of the target ``lam*``.
        phases: Number of targets, with evenly spaced phases from 0 to pi/2.
        shown: Phases over pi of the targets with stored trajectories.
        lags: Initial phases: the lag behind the target, relative to the spacing of solutions.
        shown_lag: Lag of the stored trajectories.
        log_rates: Decimal logarithms of the learning rates.
        steps: Number of iterations.
        width: Half the side of a landscape, relative to the spacing of solutions.
        points: Points of the landscape along each axis.
    """

    exponent: int = 100
    decay: float = 1.0
    phases: int = 17
    shown: tuple[float, ...] = (0.125, 0.25, 0.375, 0.5)
    lags: tuple[float, ...] = (-0.45, -0.35, -0.2, 0.2, 0.35, 0.45)
    shown_lag: float = 0.4
    log_rates: tuple[float, ...] = (-4.0, -3.5, -3.0, -2.5, -2.0, -1.5)
    steps: int = 500
    width: float = 1.25
    points: int = 121

    def __post_init__(self) -> None:
        if not (self.decay > 0 and self.phases > 1):
            raise ValueError(
                "need a positive decay and at least two phases, got "
                f"{self.decay}, {self.phases}"
            )
        if not all(0 < abs(lag) < 0.5 for lag in (*self.lags, self.shown_lag)):
            raise ValueError(
                "need starts off the target and nearer to it than to the next "
                f"solution, 0 < |lag| < 0.5, got {self.lags}, {self.shown_lag}"
            )


SMOKE = Config(
    phases=3, shown=(0.25, 0.5), lags=(-0.3, 0.3), log_rates=(-3.0, -2.5), points=15
)
QUICK = Config()
PAPER = Config(
    phases=65,
    lags=tuple(sign * lag / 40 for sign in (-1, 1) for lag in range(1, 20)),
    log_rates=tuple(-4.5 + 0.25 * i for i in range(15)),
    points=241,
)


def run(config: Config) -> xr.Dataset:
    """Run all trainings in double precision, then store some trajectories."""
    with double_precision(True):
        table = _joined([_table(config, name) for name in PARAMETRISATIONS])
        best = table["settled"].mean(("phase", "lag")).argmin("log_rate")
        rates = 10.0 ** table["log_rate"][best]
        shown = [
            _shown(config, name, float(rate))
            for name, rate in zip(PARAMETRISATIONS, rates, strict=True)
        ]
    dataset = table.merge(_joined(shown))
    dataset["best_rate"] = ("chart", rates.values, {"units": "learning rate"})
    return dataset.assign_coords(chart=list(PARAMETRISATIONS)).assign_attrs(
        dtype="complex128",
        steps=config.steps,
        exponent=config.exponent,
        modulus=math.exp(-config.decay / config.exponent),
        shown_lag=config.shown_lag,
        threshold=SETTLED,
    )


def _joined(tables: list[xr.Dataset]) -> xr.Dataset:
    return xr.concat(tables, "chart", data_vars="all", join="exact")


def tasks(config: Config, phase: Float[np.ndarray, " runs"]) -> Power:
    """Return a task for each phase over pi."""
    log = -config.decay / config.exponent + 1j * math.pi * phase
    return power(np.exp(log), config.exponent)


def descend(
    config: Config, name: str, task: Power, lag: Any, rate: float, each: int
) -> tuple[Run, dict[str, np.ndarray]]:
    """Train with Adam on each task.

    Args:
        config: Has the number of steps.
        name: Name of the parametrisation.
        task: The tasks of all runs.
        lag: Lag of each run's initial phase, relative to the spacing of solutions.
        rate: Learning rate of all runs.
        each: Steps of a segment, a divisor of all steps.

    Returns:
        The runs at the end, and records by segment and run: ``lam`` after the segment, and
        the ``loss`` before each of its steps, relative to the loss of the power zero.
    """
    optimiser, coordinates = (
        Optimiser(config.steps, "constant"),
        parametrisation(name),
    )
    key = jax.random.key(0)  # not used: nothing is drawn
    lam = task.teacher * jnp.exp(-1j * jnp.asarray(lag) * task.spacing)
    runs = jax.vmap(
        lambda lam: start(coordinates.parameters(lam), optimiser, rate, key)
    )(lam)
    return train(
        runs,
        lambda runs: _segment(runs, task, name, optimiser, each),
        Segments(config.steps // each, each),
    )


@functools.partial(jax.jit, static_argnames=("name", "optimiser", "steps"))
def _segment(runs: Run, task: Power, name: str, optimiser: Optimiser, steps: int):
    coordinates = parametrisation(name)

    def per_run(run: Run, task: Power):
        run, losses = advance(
            run,
            lambda omega, _: task.loss(coordinates.eigenvalue(omega)),
            optimiser,
            steps,
        )
        lam = coordinates.eigenvalue(run.parameters)
        return run, {"lam": lam, "loss": losses / task.scale}

    return jax.vmap(per_run)(runs, task)


def settled_at(loss: Float[np.ndarray, "runs steps"]) -> Int[np.ndarray, " runs"]:
    """Return the number of steps until a loss stays below ``SETTLED``.

    It is the number of all losses if the last one is not below.  NaN is not below.
    """
    above = ~(loss < SETTLED)
    last = loss.shape[1] - np.argmax(above[:, ::-1], axis=1)
    return np.where(above.any(1), last, 0)


def _table(config: Config, name: str) -> xr.Dataset:
    """Return the end of each descent in one parametrisation, by rate, phase and lag."""
    phases = np.linspace(0, 0.5, config.phases)
    phase, lag = (
        axis.ravel() for axis in np.meshgrid(phases, config.lags, indexing="ij")
    )
    task = tasks(config, phase)
    rows = [
        _ends(config, task, descend(config, name, task, lag, 10.0**log, config.steps))
        for log in config.log_rates
    ]
    shape = (len(config.log_rates), config.phases, len(config.lags))
    units = {
        "settled": "iterations until settled; all of them if never",
        "final_loss": "loss after the last iteration over that of the power zero",
        "strayed": "distances of solutions from the planted one to the one reached",
        "diverged": "iteration at which it diverged, -1 if it did not",
    }
    return xr.Dataset(
        {
            key: (
                ("log_rate", "phase", "lag"),
                np.stack([row[key] for row in rows]).reshape(shape),
                {"units": unit},
            )
            for key, unit in units.items()
        },
        {
            "log_rate": ("log_rate", list(config.log_rates), {"units": "log10"}),
            "phase": ("phase", phases, {"units": "radians over pi"}),
            "lag": ("lag", list(config.lags), {"units": "distances of solutions"}),
        },
    )


def _ends(
    config: Config, task: Power, descent: tuple[Run, dict[str, np.ndarray]]
) -> dict[str, Any]:
    run, records = descent
    lam = records["lam"][-1]
    final = np.asarray(jax.vmap(Power.loss)(task, lam) / task.scale)
    loss = np.concatenate([*records["loss"], final[:, None]], axis=1)
    turn = np.angle(lam / np.asarray(task.teacher))
    return {
        "settled": np.minimum(settled_at(loss), config.steps),
        "final_loss": final,
        "strayed": np.rint(turn / task.spacing).astype(int),
        "diverged": np.asarray(run.diverged),
    }


def _shown(config: Config, name: str, rate: float) -> xr.Dataset:
    """Return whole trajectories, and the landscape around each target."""
    phase = np.array(config.shown)
    task = tasks(config, phase)
    lag = np.full(phase.shape, config.shown_lag)
    _, records = descend(config, name, task, lag, rate, 1)
    begin = np.asarray(task.teacher) * np.exp(-1j * config.shown_lag * task.spacing)
    lam = np.concatenate([begin[None], records["lam"]]).T
    coordinates = parametrisation(name)
    reach = config.width * task.spacing
    side = jnp.linspace(-reach, reach, config.points)
    goal = np.asarray(coordinates.parameters(task.teacher))
    mesh = jnp.stack(jnp.meshgrid(side, side, indexing="ij"), -1)

    def around(task: Power) -> Float[Array, "first second"]:
        omega = coordinates.parameters(task.teacher)[None, None] + mesh
        return task.loss(coordinates.eigenvalue(omega)) / task.scale

    unit = {"units": "parameter units"}
    return xr.Dataset(
        {
            "path": (
                ("shown", "step", "parameter"),
                np.asarray(coordinates.parameters(lam)),
                unit,
            ),
            "goal": (("shown", "parameter"), goal, unit),
            "landscape": (
                ("shown", "first", "second"),
                np.asarray(jax.vmap(around)(task), np.float32),
                {"units": "loss over that of the power zero"},
            ),
        },
        {
            "shown": ("shown", phase, {"units": "radians over pi"}),
            "step": ("step", np.arange(config.steps + 1), {"units": "iterations"}),
            "first": (
                "first",
                np.asarray(side),
                {"units": "parameter units from the target"},
            ),
            "second": (
                "second",
                np.asarray(side),
                {"units": "parameter units from the target"},
            ),
        },
    )


if __name__ == "__main__":
    main(STUDY)
