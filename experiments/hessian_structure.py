"""Hessians at optimality of one linear map in four parametrisations.

A dense teacher of four neurons is also its own student.  The same response is written as a
dense RNN, a complex diagonal RNN, an LRU and S4.  The Hessians are exact, by the closed form
for sequences of finite length.  They are compared with automatic derivatives of the loss, and
with simulated sequences along the sharpest directions.  The study also has the largest stable
rate of gradient descent, and the rates of Adam for each parameter near the optimum.

A second part draws eigenvalues with concentrated phases, as in the paper's Figure 10.

Source: Zucchet & Orvieto (2024), Section 4.3, Appendix C.3-C.4, Fig. 4, 9 and 10.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float
from rich.console import Console
from rich.table import Table

from sigprop.curvature.hessian import expand
from sigprop.curvature.lanczos import estimate, participation
from sigprop.curvature.layout import Expansion
from sigprop.curvature.structure import (
    couplings,
    eigenpairs,
    measured_bound,
    off_diagonal_share,
    stability_bound,
)
from sigprop.curvature.twins import twin
from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.inputs import White
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import (
    TeacherStudent,
    linear_teacher,
    teacher_student,
)
from sigprop.training.loop import Optimiser, advance, effective_rates, start

STUDY, VERSION = "hessian_structure", 1
NETWORKS = ("RNN", "complex diagonal", "LRU", "S4")
ORDER = (
    *("A", "first", "second", "nu_log", "theta_log", "gamma_log"),
    *("omega_delta", "w_re", "w_im", "B", "B_re", "B_im", "C", "C_re", "C_im", "D"),
)
TOP = 10  # eigenvectors in the figure
NUDGE = 1e-5  # step of the finite differences
RATE, KICK = 1e-4, 1e-3  # of Adam, and the initial displacement


CURVED = "loss over squared parameter units"
STEPPED = "squared parameter units over loss"
UNITS = {
    "parameter": "name",
    "hessian": CURVED,
    "eigenvalue": CURVED,
    "autodiff": CURVED,
    "simulated": CURVED,
    "simulated_sem": CURVED,
    "sharpest": CURVED,
    "concentrated": CURVED,
    "bound": STEPPED,
    "measured_bound": STEPPED,
    "effective_rate": STEPPED,
    "eigenvector": "of length one",
    "spread": "entries",
    "off_diagonal": "share",
    "largest_coupling": "share",
    "concentrated_autodiff": "share of the largest entry",
}


@dataclass(frozen=True)
class Config:
    """Sizes of both parts.

    Attributes:
        hidden: Neurons of the teacher.
        nu0: Smallest modulus of the teacher's eigenvalues.
        length: Length of a sequence.
        draws: Number of teachers; the first without a real eigenvalue is stored in full.
        sequences: Simulated sequences for the curvature along each direction.
        adam_steps: Steps of Adam near the optimum.
        eigenvalues: Number of eigenvalues in the second part.
        phases: Largest phases in the second part, over pi.
    """

    hidden: int = 4
    nu0: float = 0.99
    length: int = 300
    draws: int = 20
    sequences: int = 4096
    adam_steps: int = 3000
    eigenvalues: int = 10
    phases: tuple[float, ...] = (1.0, 0.1, 0.01)
    seed: int = 0


SMOKE = Config(length=40, draws=2, sequences=64, adam_steps=50)
QUICK = Config()
PAPER = Config(draws=100, sequences=20_000, adam_steps=10_000)


def run(config: Config) -> xr.Dataset:
    """Run both parts in double precision."""
    keys = jax.random.split(jax.random.key(config.seed), config.draws)
    with double_precision(True):
        draws = [_networks(key, config) for key in keys]
        shown = _paired(draws)
        first = {
            name: _close_look(shown[name], config, jax.random.fold_in(keys[0], i))
            for i, name in enumerate(NETWORKS)
        }
        spread = {
            name: [
                _summary(_at_optimum(*draw[name]))
                for draw in counted(draws, f"Hessians of {name}")
            ]
            for name in NETWORKS
        }
        concentrated = _concentration(config)
    dataset = xr.merge([_joined(first), _summaries(spread), concentrated])
    for name, values in dataset.data_vars.items():
        values.attrs["units"] = UNITS[str(name)]
    return dataset.assign_attrs(dtype="float64", length=config.length, adam_rate=RATE)


def _networks(key: Any, config: Config) -> dict[str, tuple[TeacherStudent, Layer]]:
    """Return the teacher's task, and each student that solves it."""
    teacher = linear_teacher(key, nu0=config.nu0, size=config.hidden)
    task = teacher_student(teacher, White(), config.length)
    twins = {name: twin(teacher, name) for name in NETWORKS[1:]}
    return {name: (task, twins.get(name, teacher)) for name in NETWORKS}


def _paired(draws: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the first teacher without real eigenvalues, as in the paper."""
    for draw in draws:
        _, teacher = draw["RNN"]
        if np.abs(np.imag(teacher.eigenvalues())).min() > 0:
            return draw
    return draws[0]


def _at_optimum(task: TeacherStudent, student: Layer) -> Expansion:
    return expand(task, student, at_optimum=True)


def _order(expansion: Expansion) -> tuple[np.ndarray, list[str]]:
    """Return the order of the parameters, recurrent ones first, and their names."""
    names = [name for name in ORDER if name in expansion.layout]
    size = len(expansion.gradient)
    entries = [np.arange(size)[expansion.layout[name].entries] for name in names]
    labels = [name for name, group in zip(names, entries, strict=True) for _ in group]
    return np.concatenate(entries), labels


def _summary(expansion: Expansion) -> dict[str, float]:
    pairs = eigenpairs(expansion.hessian)
    off = couplings(expansion.hessian)
    np.fill_diagonal(off, 0)
    return {
        "sharpest": pairs.values[0],
        "spread": float(np.mean(participation(pairs.vectors[:4]))),
        "off_diagonal": off_diagonal_share(expansion.hessian),
        "largest_coupling": float(off.max()),
    }


def _close_look(
    network: tuple[TeacherStudent, Layer], config: Config, key: Any
) -> dict[str, Any]:
    """Return the Hessian of one network and all comparisons."""
    task, student = network
    expansion = _at_optimum(task, student)
    order, labels = _order(expansion)
    pairs = eigenpairs(expansion.hessian)
    top = pairs.vectors[:TOP]
    x, split = ravel_pytree(parameters(student))

    def loss(x: Float[Array, " p"], _: Any = None) -> Float[Array, ""]:
        return task.population(replace(student, split(x)))

    simulated = estimate(_simulated(task, student, top, config.sequences, key))
    bound = stability_bound(expansion.hessian)
    return {
        "hessian": expansion.hessian[np.ix_(order, order)],
        "parameter": labels,
        "eigenvalue": pairs.values,
        "eigenvector": top[:, order],
        "autodiff": eigenpairs(expand(task, student, "autodiff").hessian).values,
        "simulated": simulated.mean,
        "simulated_sem": simulated.sem,
        "bound": bound,
        "measured_bound": measured_bound(
            jax.grad(loss), x, jnp.asarray(pairs.vectors[0]), bound
        ),
        "effective_rate": _adam(loss, x, config.adam_steps, key)[order],
    }


def _simulated(
    task: TeacherStudent,
    student: Layer,
    directions: Float[np.ndarray, "k p"],
    count: int,
    key: Any,
) -> Float[np.ndarray, "count k"]:
    """Return the mean squared derivative of the output along directions, by sequence."""
    x, split = ravel_pytree(parameters(student))
    u = task.process.sample(key, count, task.length or 0, x.dtype)[..., None]

    @jax.jit
    def squares(v: Array, u: Array) -> Array:
        def output(x: Array, sequence: Array) -> Array:
            return replace(student, split(x))(sequence)

        def square(sequence: Array) -> Array:
            moved = output(x + NUDGE * v, sequence) - output(x - NUDGE * v, sequence)
            return jnp.mean(jnp.sum((moved / (2 * NUDGE)) ** 2, -1))

        return jax.vmap(square)(u)

    return np.stack([squares(jnp.asarray(v), u) for v in directions], 1)


def _adam(loss: Any, x: Array, steps: int, key: Any) -> Float[np.ndarray, " p"]:
    """Return Adam's effective learning rates after training from near the optimum."""
    optimiser = Optimiser(steps, "constant")
    kick_key, run_key = jax.random.split(key)
    away = x + KICK * jax.random.normal(kick_key, x.shape)

    @jax.jit
    def descend(x: Array) -> Array:
        run, _ = advance(start(x, optimiser, RATE, run_key), loss, optimiser, steps)
        return effective_rates(run, optimiser)

    return np.asarray(descend(away))


def _padded(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    padded = np.full(shape, np.nan)
    padded[tuple(map(slice, np.shape(values)))] = values
    return padded


def _joined(looks: Mapping[str, Mapping[str, Any]]) -> xr.Dataset:
    """Join the results of all networks; smaller ones are padded with NaN."""
    size = max(len(result["parameter"]) for result in looks.values())
    shapes = {
        "hessian": (("row", "column"), (size, size)),
        "eigenvalue": (("rank",), (size,)),
        "autodiff": (("rank",), (size,)),
        "eigenvector": (("top", "row"), (TOP, size)),
        "simulated": (("top",), (TOP,)),
        "simulated_sem": (("top",), (TOP,)),
        "effective_rate": (("row",), (size,)),
        "bound": ((), ()),
        "measured_bound": ((), ()),
    }
    data = {
        name: (
            ("network", *dims),
            np.stack([_padded(result[name], shape) for result in looks.values()]),
        )
        for name, (dims, shape) in shapes.items()
    }
    labels = [result["parameter"] for result in looks.values()]
    filled = [row + [""] * (size - len(row)) for row in labels]
    data["parameter"] = (("network", "row"), np.array(filled))
    return xr.Dataset(data, {"network": list(looks)})


def _summaries(spread: Mapping[str, list[dict[str, float]]]) -> xr.Dataset:
    names = next(iter(spread.values()))[0]
    return xr.Dataset(
        {
            name: (
                ("network", "draw"),
                np.array([[draw[name] for draw in row] for row in spread.values()]),
            )
            for name in names
        },
        {"network": list(spread)},
    )


def _concentration(config: Config) -> xr.Dataset:
    """Return the Hessian's block of ``lambda`` for eigenvalues without their conjugates.

    Eigenvalues are drawn as in the paper's Appendix C.3, gains are one, and sequences are
    infinite.
    """
    draw = np.random.default_rng(config.seed)
    n = config.eigenvalues
    radius = draw.uniform(config.nu0, (1 + config.nu0) / 2, n)
    turn = draw.uniform(-1, 1, n)
    ones, none = jnp.ones((n, 1)), jnp.zeros((n, 1))
    blocks, checks = [], []
    for phase in config.phases:
        lam = np.sort_complex(radius * np.exp(1j * math.pi * phase * turn))
        layer = ComplexDiagonal(
            *(ones, none, ones.T, none.T, jnp.zeros((1, 1))),
            jnp.asarray(lam.real),
            jnp.asarray(lam.imag),
            "cartesian",
        )
        task = teacher_student(layer, White(), None)
        exact, autodiff = _at_optimum(task, layer), expand(task, layer, "autodiff")
        names = "first", "second"
        block, check = (
            np.block([[expansion.block(p, q) for q in names] for p in names])
            for expansion in (exact, autodiff)
        )
        blocks.append(block)
        checks.append(np.abs(check - block).max() / np.abs(block).max())
    return xr.Dataset(
        {
            "concentrated": (("phase", "entry", "other"), np.stack(blocks)),
            "concentrated_autodiff": ("phase", np.array(checks)),
        },
        {"phase": list(config.phases)},
    )


def show(data: xr.Dataset) -> None:
    """Print a table of the networks' Hessians."""
    table = Table(box=None, header_style="bold")
    heads = (
        "network",
        "sharpest",
        "spread of top 4",
        "off diagonal",
        "2/L",
        "measured",
    )
    for head in heads:
        table.add_column(head, justify="left" if head == "network" else "right")
    for name in data["network"].values:
        row = data.sel(network=name)
        middle = (
            float(row[key].median()) for key in ("sharpest", "spread", "off_diagonal")
        )
        bounds = (float(row[key]) for key in ("bound", "measured_bound"))
        table.add_row(str(name), *(f"{x:.4g}" for x in (*middle, *bounds)))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
