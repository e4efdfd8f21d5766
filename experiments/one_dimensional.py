"""The loss of one linear neuron that learns another one, on lines through its minimum.

Without normalisation, student and teacher are first both real, and then complex with the same
modulus.  With normalisation, in three parametrisations, only the modulus is wrong, and then
only the angle.  The loss on each line is in closed form, and simulated with students on it.
The curvature at the minimum is in closed form, and the second derivative of the loss.  Inputs
are white.

Notation: gap  1 - |lam*|.

Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1, Figures 1B, 1C and 6.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.experiments.command import main
from sigprop.inputs import White
from sigprop.landscape.slices import surface
from sigprop.neuron.montecarlo import Estimate, Sums, over_batches, split, walk
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import MODULI, OneDimensional, Parametrisation
from sigprop.theory import teacher_student as theory

STUDY, VERSION = "one_dimensional", 1
PARAMETRISATIONS = {
    "polar": Parametrisation("plain", "plain"),
    "exp": Parametrisation("exponential", "exponential"),
    "tanh": Parametrisation("tanh", "optimal"),
}
WINDOWS = {
    "polar": ((0.0, 0.9999), (-math.pi, math.pi)),
    "exp": ((-9.0, 1.5), (-7.0, math.log(math.pi))),
    "tanh": ((0.0, 5.0), (-24.0, 24.0)),
}
KINDS = ("modulus", "angle")
RELAXATIONS = 10  # steps times the smallest gap; transients are below 1e-8
BATCH = 500


@dataclass(frozen=True)
class Config:
    """Teachers, students and numbers of points.

    Attributes:
        moduli: Moduli of the teachers.
        angle: Angle of the normalised teachers, over pi.
        points: Points of each line.
        students: Simulated students on each line, an even number.
        draws: Trajectories of each student.
        gaps: Number of gaps with closed-form curvatures, from 1/2 to 1/1000.
        marked: Number of gaps, in the same range, with curvatures by differentiation.
        seed: Seed of the trajectories.
    """

    moduli: tuple[float, ...] = (0.5, 0.9, 0.97, 0.99)
    angle: float = 0.01
    points: int = 1601
    students: int = 10
    draws: int = 4000
    gaps: int = 61
    marked: int = 7
    seed: int = 0

    def __post_init__(self) -> None:
        if self.students < 2 or self.students % 2:
            raise ValueError(
                f"need an even number of students, got {self.students}: an odd one "
                "would simulate the teacher itself, whose loss is nought"
            )


SMOKE = Config(moduli=(0.5, 0.9), points=41, students=4, draws=400, gaps=7, marked=3)
QUICK = Config()
PAPER = Config(points=3201, students=14, draws=20_000)


class Line(NamedTuple):
    """Students on one line through a teacher.

    Attributes:
        task: The task, which has the teacher.
        at: Position of each student on the line: its modulus or its angle.
        lam: Eigenvalue of each student.
    """

    task: OneDimensional
    at: Float[np.ndarray, " students"]
    lam: Complex[np.ndarray, " students"]


def lines(modulus: float, config: Config) -> dict[str, Line]:
    """Return the four lines through the teachers of one modulus.

    Moduli are evenly spaced in the logarithm of the gap.  Angles are denser near the
    teacher's, or evenly spaced in their logarithm if all are positive.
    """
    half = 1 - np.geomspace(0.95, (1 - modulus) / 2, config.students)
    around = math.pi * np.linspace(-1, 1, config.students) ** 3
    positive = np.geomspace(0.002, 3, config.students)
    star = math.pi * config.angle
    bare = OneDimensional(complex(modulus), normalised=False)
    scaled = OneDimensional(modulus * complex(math.cos(star), math.sin(star)))
    return {
        "real": Line(bare, half, half.astype(complex)),
        "circle": Line(bare, around, modulus * np.exp(1j * around)),
        "nu": Line(scaled, half, half * np.exp(1j * star)),
        "theta": Line(scaled, positive, modulus * np.exp(1j * positive)),
    }


def run(config: Config) -> xr.Dataset:
    """Compute all lines, students and curvatures, in double precision."""
    with double_precision(True):
        parts = [
            _bare(config),
            _normalised(config),
            _students(config),
            _curvatures(config),
        ]
    dataset = xr.merge(parts, join="exact", compat="equals")
    return dataset.assign_attrs(
        dtype="float64", draws=config.draws, angle=math.pi * config.angle
    )


LOSS = {"units": "E|h - h*|^2 / 2 over Var[x]"}
POLAR = {"units": "modulus, or radians"}
PARAMETER = {"units": "parameter units"}
CURVATURE = {"units": "second derivative of the loss over Var[x]"}


def _bare(config: Config) -> xr.Dataset:
    """Compute the loss without normalisation, on the real line and on the circle."""
    real = np.unique(np.append(np.linspace(0, 0.999, config.points), config.moduli))
    turn = np.linspace(-math.pi, math.pi, config.points)
    polar, zero = PARAMETRISATIONS["polar"], np.zeros(1)
    tasks = [lines(modulus, config)["real"].task for modulus in config.moduli]
    along = [surface(task, real, zero, polar)[:, 0] for task in tasks]
    around = [
        surface(task, np.array([abs(task.teacher)]), turn, polar)[0] for task in tasks
    ]
    return xr.Dataset(
        {
            "real_loss": (("teacher", "real"), np.stack(along), LOSS),
            "circle_loss": (("teacher", "turn"), np.stack(around), LOSS),
        },
        {
            "teacher": ("teacher", list(config.moduli), {"units": "modulus"}),
            "real": ("real", real, {"units": "modulus"}),
            "turn": ("turn", turn, {"units": "radians"}),
        },
    )


def _normalised(config: Config) -> xr.Dataset:
    """Compute the normalised loss by one parameter, with the other at its optimum."""
    star, losses, axes = math.pi * config.angle, [], []
    for name, parametrisation in PARAMETRISATIONS.items():
        omega = [np.linspace(*window, config.points) for window in WINDOWS[name]]
        axes.append(omega)
        # Keep the angle, also if the parametrisation couples it to the modulus.
        radial = Parametrisation(parametrisation.modulus, "plain")
        for modulus in config.moduli:
            task = lines(modulus, config)["nu"].task
            up = np.asarray(parametrisation.coordinates(modulus, star).modulus)[None]
            losses += [
                surface(task, omega[0], np.array([star]), radial)[:, 0],
                surface(task, up, omega[1], parametrisation)[0],
            ]
    shape = len(PARAMETRISATIONS), len(config.moduli), 2, config.points
    table = np.stack(losses).reshape(shape)
    whole = ("chart", "teacher", "point")
    return xr.Dataset(
        {
            "nu_loss": (whole, table[:, :, 0], LOSS),
            "theta_loss": (whole, table[:, :, 1], LOSS),
            "omega": (("chart", "kind", "point"), np.array(axes), PARAMETER),
        },
        {"chart": list(PARAMETRISATIONS), "kind": list(KINDS)},
    )


def _students(config: Config) -> xr.Dataset:
    """Return the students' positions, their exact losses and their simulated losses."""
    key, datasets = jax.random.key(config.seed), list[xr.Dataset]()
    for index, modulus in enumerate(config.moduli):
        four = lines(modulus, config)
        estimates = simulate(jax.random.fold_in(key, index), four, config)
        variables: dict[str, Any] = {}
        for name, line in four.items():
            task, estimate = line.task, estimates[name]
            exact = jax.vmap(task.loss)(np.abs(line.lam), np.angle(line.lam))
            variables |= {
                f"{name}_student": ("student", line.at, POLAR),
                f"{name}_exact": ("student", np.asarray(exact), LOSS),
                f"{name}_simulated": ("student", estimate.mean, LOSS),
                f"{name}_sem": ("student", estimate.sem, LOSS),
            }
        variables["omega_student"] = (
            ("chart", "kind", "student"),
            [
                _coordinates(parametrisation, modulus, four)
                for parametrisation in PARAMETRISATIONS.values()
            ],
            PARAMETER,
        )
        datasets.append(xr.Dataset(variables))
    return xr.concat(datasets, "teacher", join="exact")


def _coordinates(
    parametrisation: Parametrisation, modulus: float, four: dict[str, Line]
) -> Float[np.ndarray, "2 students"]:
    """Return the parameter of the normalised students that differs from the teacher's."""
    nu, theta = four["nu"].at, four["theta"].at
    first = parametrisation.coordinates(nu, np.ones_like(nu)).modulus
    second = parametrisation.coordinates(np.full_like(theta, modulus), theta).angle
    return np.stack([first, second])


def simulate(
    key: PRNGKeyArray, four: dict[str, Line], config: Config
) -> dict[str, Estimate]:
    """Return the mean losses of all students of one modulus, on the same inputs."""
    least = min(float(1 - np.abs(line.lam).max()) for line in four.values())
    lam = np.concatenate([[*line.lam, line.task.teacher] for line in four.values()])
    scaled = [line.task.normalised for line in four.values()]
    normalised = np.repeat(scaled, lam.size // len(four))
    gain = np.where(normalised, np.sqrt(1 - np.abs(lam) ** 2), 1.0)
    steps = math.ceil(RELAXATIONS / least)

    def task(index: int, count: int) -> Sums:
        first, second = _batch(jax.random.fold_in(key, index), lam, gain, steps, count)
        return Sums(np.asarray(first), np.asarray(second), count)

    parts = over_batches(task, config.draws, BATCH, lambda count: None)
    whole = functools.reduce(Sums.__add__, parts).estimate()
    return {
        name: Estimate(whole.mean[k], whole.sem[k], whole.n)
        for k, name in enumerate(four)
    }


@functools.partial(jax.jit, static_argnames=("steps", "count"))
def _batch(key, lam, gain, steps, count):
    """Return the sums of the losses of one batch, and of their squares, by line."""
    (snapshot,) = walk(
        key, split(lam[:, None]), White(), (steps,), count, gain=gain[:, None]
    )
    states = jax.lax.complex(*snapshot.h).reshape(4, -1, count)
    loss = jnp.abs(states[:, :-1] - states[:, -1:]) ** 2 / 2
    return loss.sum(-1), (loss**2).sum(-1)


def _curvatures(config: Config) -> xr.Dataset:
    """Compute second derivatives at the minimum, in closed form and by autodiff."""
    gap = np.geomspace(0.5, 1e-3, config.gaps)
    marked = np.geomspace(0.5, 1e-3, config.marked)
    star = math.pi * config.angle
    variables: dict[str, Any] = {
        "bare_curvature": (("kind", "gap"), closed(None, gap, star), CURVATURE),
        "bare_autodiff": (
            ("kind", "marked"),
            differentiated(None, marked, 0.0),
            CURVATURE,
        ),
    }
    for name, of, gaps, axis in (
        ("curvature", closed, gap, "gap"),
        ("autodiff", differentiated, marked, "marked"),
    ):
        table = np.stack(
            [
                of(parametrisation, gaps, star)
                for parametrisation in PARAMETRISATIONS.values()
            ]
        )
        variables[name] = (("chart", "kind", axis), table, CURVATURE)
    unit = {"units": "1 - |lam*|"}
    return xr.Dataset(
        variables, {"gap": ("gap", gap, unit), "marked": ("marked", marked, unit)}
    )


def closed(
    parametrisation: Parametrisation | None, gap: Float[np.ndarray, " n"], star: float
) -> Float[np.ndarray, "2 n"]:
    """Return curvatures by both parameters, at teachers of angle ``star``, in closed form.

    At the minimum, the curvature by a parameter is the curvature by the modulus or angle,
    times the squared derivative of the parametrisation.  With ``None``, the neurons are not
    normalised and the parameters are modulus and angle.

    Source: Zucchet & Orvieto (2024), Eq. 98 and 105.
    """
    nu = jnp.asarray(1 - gap)
    if parametrisation is None:
        parts = [theory.plain_curvature(kind).result for kind in KINDS]
    else:
        parts = [theory.radial_curvature().result, theory.angular_curvature().result]
    polar = [compile_expr(part, theory.nu)(nu) for part in parts]
    derivatives = jnp.ones((2, nu.size))
    if parametrisation is not None:
        up, across = _curves(parametrisation, nu, star)
        derivatives = jnp.stack(
            [jax.vmap(jax.grad(curve))(omega, nu) for curve, omega in (up, across)]
        )
    return np.asarray(jnp.stack(polar) * derivatives**2)


def differentiated(
    parametrisation: Parametrisation | None, gap: Float[np.ndarray, " n"], star: float
) -> Float[np.ndarray, "2 n"]:
    """Return the curvatures of ``closed`` by automatic differentiation."""
    nu = jnp.asarray(1 - gap)
    (up, modulus), (across, angle) = _curves(
        parametrisation or PARAMETRISATIONS["polar"], nu, star
    )

    def second_derivatives(
        of: Callable[[Array, OneDimensional], Array], omega: Array
    ) -> list[float]:
        values = []
        for value, size in zip(omega, nu, strict=True):
            teacher = complex(size * jnp.exp(1j * star))
            task = OneDimensional(teacher, normalised=parametrisation is not None)
            values.append(float(jax.grad(jax.grad(lambda x, t=task: of(x, t)))(value)))
        return values

    def radial(omega: Array, task: OneDimensional) -> Array:
        return task.loss(up(omega, jnp.abs(task.teacher)), star)

    def angular(omega: Array, task: OneDimensional) -> Array:
        size = jnp.abs(task.teacher)
        return task.loss(size, across(omega, size))

    return np.array(
        [second_derivatives(radial, modulus), second_derivatives(angular, angle)]
    )


Curve = Callable[[Any, Any], Array]


def _curves(
    parametrisation: Parametrisation, nu: Array, star: float
) -> tuple[tuple[Curve, Array], tuple[Curve, Array]]:
    """Return modulus and angle as functions of their parameters, and the parameters' optima."""
    goal = parametrisation.coordinates(nu, jnp.full_like(nu, star))
    forward = MODULI[parametrisation.modulus]

    def angle(omega: Any, modulus: Any) -> Array:
        coordinates = goal._replace(modulus=forward.inverse(modulus), angle=omega)
        return parametrisation.polar(coordinates)[1]

    return (lambda omega, _: forward.forward(omega), goal.modulus), (angle, goal.angle)


if __name__ == "__main__":
    main(STUDY)
