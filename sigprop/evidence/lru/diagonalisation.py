"""What judges linear and diagonal recurrences, Sections 3.1-3.2 of Orvieto et al. (2023)."""

import cmath
import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.evidence.lru.accuracies import (
    above_worst_deep,
    arithmetic,
    gains_of_all,
    least_gain,
    least_speed_ratio,
)
from sigprop.evidence.lru.annulus import share_outside
from sigprop.evidence.lru.systems import drawn_inputs, drawn_matrix, run
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.dense import LinearRNN
from sigprop.numerics.precision import double_precision

DIAGONALS = tuple({"seed": seed, "steps": 6} for seed in (0, 1, 2))
MODES = tuple(
    {"lam": lam, "k": k, "source": "impulse"}
    for lam, k in ((0.8 + 0.3j, 5), (-0.6, 9), (1.02j, 20))
)
LASTING = tuple(
    {"lam": lam, "k": 60, "source": "constant"} for lam in (0.5 + 0.2j, -0.6)
)


def _projections(seed: int):
    draw = np.random.default_rng(seed + 1)
    return tuple(draw.normal(size=shape) for shape in ((4, 1), (1, 4), (1, 1)))


def dense_output(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output, by the package's layer."""
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    u = drawn_inputs(seed, steps, 1)
    with double_precision(True):
        layer = LinearRNN(*map(jnp.asarray, (A[None], B, C, D)))
        return np.asarray(run(layer, jnp.asarray(u))[1])[:, 0]


def dense_output_by_loop(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output in a plain loop."""
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    x, outputs = np.zeros(4), []
    for u in drawn_inputs(seed, steps, 1):
        x = A @ x + B @ u
        outputs.append((C @ x + D @ u)[0])
    return np.array(outputs)


def diagonal_output(
    seed: int, steps: int, newest_first: int = 1
) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output from its eigenvalues, ``B`` and ``C`` in the eigenbasis.

    With ``newest_first`` 0 the sum over ages stops one short, as printed.
    """
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    values, P = np.linalg.eig(A)
    B_bar, C_bar = np.linalg.solve(P, B.astype(complex))[:, 0], (C @ P)[0]
    u = drawn_inputs(seed, steps, 1)[:, 0]
    outputs = []
    for k in range(steps):
        ages = range(k + newest_first)
        x = sum((values**j * B_bar * u[k - j] for j in ages), np.zeros(4, complex))
        outputs.append((C_bar @ x).real + D[0, 0] * u[k])
    return np.array(outputs)


def diagonal_output_as_printed(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """The output with ages up to ``k - 1`` only.  Source: Orvieto et al. (2023), 3.2.1."""
    return diagonal_output(seed, steps, 0)


def forced_mode(lam: complex, k: int, source: str) -> float:
    """``|x_k|`` of one mode after an ``impulse`` at time 0 or under ``constant`` input."""
    x = 0j
    for j in range(k + 1):
        x = lam * x + (1 if source == "constant" or j == 0 else 0)
    return abs(x)


def bounded_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """Largest ``|x_k|`` under random inputs of size at most one."""
    lam = radius * np.exp(1j * phase)
    draw = np.random.default_rng(seed)
    x, largest = 0j, 0.0
    for _ in range(steps):
        x = lam * x + draw.uniform(-1, 1) * np.exp(2j * np.pi * draw.uniform())
        largest = max(largest, abs(x))
    return largest


def aligned_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """``|x_k|`` under inputs of size one turned to add up: the worst case."""
    del seed
    lam = radius * np.exp(1j * phase)
    x = 0j
    for k in range(steps):
        x = lam * x + np.exp(1j * phase * k)
    return abs(x)


def polar(nu: float, theta: float) -> complex:
    """``exp(-nu) (cos theta + i sin theta)``."""
    return math.exp(-nu) * complex(math.cos(theta), math.sin(theta))


def projected_length(matrix: str, fan_in: int) -> float:
    """Mean square of an output for a unit mean square input; parts of ``1/(2 fan_in)``.

    Each entry in turn is one, real or imaginary; the rest follows by independence.
    """
    total = 0.0
    for part in (1, 1j):
        if matrix == "C, real part":
            # A complex state of unit size has half of it in each of its own parts.
            total += sum(0.5 * (part * x).real ** 2 for x in (1, 1j)) * fan_in
        else:
            total += abs(part) ** 2 * fan_in
    return total / (2 * fan_in)


EVIDENCE: dict[str, Basis] = {
    "lru:text:linear-better": arithmetic(
        gains_of_all,
        {
            "table": 1,
            "models": "linear",
            "other": "tanh",
            "tasks": "scifar,listops,text,retrieval",
        },
        0.0,
        ">",
        wrong=100.0,
    ),
    "lru:text:vanilla-matches": arithmetic(
        above_worst_deep,
        tuple(
            {"table": 6, "models": models, "tasks": "text,retrieval"}
            for models in ("linear,tanh", "relu")
        ),
        0.0,
        ">=",
        wrong=100.0,
    ),
    "lru:text:far-behind": arithmetic(
        above_worst_deep,
        {"table": 6, "models": "linear", "tasks": "scifar"},
        -16.6,
        absolute=0.05,
    ),
    "lru:text:diagonal-unrolled": Evidence(
        DIAGONALS,
        {"impulse": dense_output, "reference": dense_output_by_loop},
        form=diagonal_output,
        printed=diagonal_output_as_printed,
    ),
    "lru:text:stability-order": Evidence(
        (*MODES, *LASTING),
        {"reference": forced_mode},
        form=lambda lam, k, **_: abs(lam) ** k,
        alone="the recurrence of one mode",
    ),
    "lru:text:stable-sufficient": Evidence(
        tuple(
            {"radius": radius, "phase": phase, "steps": 800, "seed": seed}
            for radius, phase, seed in ((0.9, 0.4, 0), (0.5, 2.0, 1), (0.97, 3, 2))
        ),
        {"reference": bounded_mode, "impulse": aligned_mode},
        form=lambda radius, **_: 1 / (1 - radius),
        relation="<=",
        slips={
            "half": lambda radius, **_: 0.5 / (1 - radius),
            "5 % less": lambda radius, **_: 0.95 / (1 - radius),
        },
    ),
    "lru:text:eight-times": arithmetic(
        least_speed_ratio,
        {"model": "lru", "other": "tanh", "tasks": "scifar"},
        8.0,
        absolute=0.5,
    ),
    "lru:text:as-fast": arithmetic(
        least_speed_ratio,
        tuple(
            {"model": "lru", "other": "s4d", "tasks": tasks}
            for tasks in ("scifar,listops,text,retrieval,pathx", "pathfinder")
        ),
        0.9,
        ">=",
        wrong=1.5,
    ),
    "lru:text:all-faster": arithmetic(
        least_speed_ratio, {"model": "lru", "other": "tanh"}, 1.0, ">", wrong=2.0
    ),
    "lru:text:diagonal-better": arithmetic(
        least_gain,
        {"table": 2, "model": "real+im", "other": "dense", "tasks": "scifar,listops"},
        0.0,
        ">",
        wrong=100.0,
    ),
    "lru:text:approximately-stable": Evidence(
        ({"size": 2000}, {"size": 8000}),
        {"reference": share_outside},
        form=lambda size: 1 / math.sqrt(2 * math.pi * size),
        tolerance=0.01,
        alone="the exact law of the eigenvalues at finite size",
    ),
    "lru:text:exponential": Evidence(
        tuple({"nu": nu, "theta": t} for nu, t in ((0.3, 1.1), (0.01, -2.0))),
        {"reference": polar},
        form=lambda nu, theta: cmath.exp(complex(-nu, theta)),
        alone="real functions against the complex exponential",
    ),
    "lru:text:halved-variance": Evidence(
        (
            *(
                {"matrix": matrix, "fan_in": size}
                for matrix in ("B", "C")
                for size in (3, 8)
            ),
            {"matrix": "C, real part", "fan_in": 5},
        ),
        {"reference": projected_length},
        form=1.0,
        alone="a sum over the entries, which are independent",
    ),
}
