"""What judges linear and diagonal recurrences, Sections 3.1-3.2 of Orvieto et al. (2023)."""

import cmath
import math
from functools import partial

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import across, also, points, recur
from sigprop.evidence.lru.accuracies import (
    above_worst_deep,
    gains,
    gains_of_all,
    least_speed_ratio,
    slower_tasks,
)
from sigprop.evidence.lru.annulus import share_inside
from sigprop.evidence.lru.systems import drawn_inputs, drawn_matrix, run
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

LASTING = points("lam k", (0.8 + 0.3j, 5), (-0.6, 9), (0.5 + 0.2j, 60), (1.02j, 20))


def _projections(seed: int):
    draw = np.random.default_rng(seed + 1)
    return tuple(draw.normal(size=shape) for shape in ((4, 1), (1, 4), (1, 1)))


def dense_output(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output, by the package's layer."""
    import jax.numpy as jnp

    from sigprop.layers.dense import LinearRNN

    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    u = drawn_inputs(seed, steps, 1)
    with double_precision(True):
        layer = LinearRNN(*map(jnp.asarray, (A[None], B, C, D)))
        return np.asarray(run(layer, jnp.asarray(u))[1])[:, 0]


def dense_output_by_loop(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output in a plain loop."""
    B, C, D = _projections(seed)
    u = drawn_inputs(seed, steps, 1)
    return (recur(drawn_matrix(seed)[0], u @ B.T) @ C.T + u @ D.T)[:, 0]


def diagonal_output(
    seed: int, steps: int, newest_first: int = 1
) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output from its eigenvalues, ``B`` and ``C`` in the eigenbasis.

    With ``newest_first`` 0 ages go up to ``k - 1`` only, as printed.

    Source: Orvieto et al. (2023), Section 3.2.1.
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


def forced_mode(lam: complex, k: int) -> float:
    """``|x_k|`` of one mode under constant input from time 0 on."""
    return abs(recur(lam, np.ones(k + 1))[-1])


def bounded_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """Largest ``|x_k|`` under random inputs of size at most one."""
    sizes, turns = np.random.default_rng(seed).uniform(size=(steps, 2)).T
    inputs = (2 * sizes - 1) * np.exp(2j * np.pi * turns)
    return np.abs(recur(radius * np.exp(1j * phase), inputs)).max()


def aligned_mode(radius: float, phase: float, steps: int, **_: int) -> float:
    """``|x_k|`` under inputs of size one turned to add up: the worst case."""
    inputs = np.exp(1j * phase * np.arange(steps))
    return abs(recur(radius * np.exp(1j * phase), inputs)[-1])


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
    "lru:text:linear-better": numbers(
        gains_of_all,
        0.0,
        points(
            "table models other tasks",
            (1, "linear", "tanh", "scifar,listops,text,retrieval"),
        ),
        ">",
        wrong=100.0,
    ),
    "lru:text:vanilla-matches": numbers(
        above_worst_deep,
        0.0,
        points(
            "table models tasks",
            (6, "linear,tanh", "text,retrieval"),
            (6, "relu", "text,retrieval"),
        ),
        ">=",
        wrong=100.0,
    ),
    "lru:text:far-behind": numbers(
        above_worst_deep,
        -16.6,
        dict(table=6, models="linear", tasks="scifar"),
        absolute=0.05,
    ),
    "lru:text:diagonal-unrolled": Evidence(
        also(points("seed", 0, 1, 2), steps=6),
        {"impulse": dense_output, "reference": dense_output_by_loop},
        form=diagonal_output,
        printed=partial(diagonal_output, newest_first=0),
    ),
    "lru:text:stability-order": Evidence(
        LASTING,
        {"reference": forced_mode},
        form=lambda lam, k: abs((1 - lam ** (k + 1)) / (1 - lam)),
        printed=lambda lam, k: abs(lam) ** k,
        slips={
            "one input fewer": lambda lam, k: abs((1 - lam**k) / (1 - lam)),
            "the limit": lambda lam, k: abs(1 / (1 - lam)),
            "moduli": lambda lam, k: (1 - abs(lam) ** (k + 1)) / (1 - abs(lam)),
        },
        alone="the recurrence of one mode",
    ),
    "lru:text:stable-sufficient": Evidence(
        points(
            "radius phase steps seed",
            (0.9, 0.4, 800, 0),
            (0.5, 2.0, 800, 1),
            (0.97, 3, 800, 2),
        ),
        {"reference": bounded_mode, "impulse": aligned_mode},
        form=lambda radius, **_: 1 / (1 - radius),
        relation="<=",
        slips={
            "half": lambda radius, **_: 0.5 / (1 - radius),
            "5 % less": lambda radius, **_: 0.95 / (1 - radius),
        },
    ),
    "lru:text:eight-times": numbers(
        least_speed_ratio,
        8.0,
        dict(model="lru", other="tanh", tasks="scifar"),
        absolute=0.5,
    ),
    "lru:text:as-fast": numbers(
        slower_tasks,
        lambda model, other: {"s4d": 3, "s5": 2}[other],
        points("model other", ("lru", "s4d"), ("lru", "s5")),
        printed=0,
    ),
    "lru:text:all-faster": numbers(
        least_speed_ratio, 1.0, dict(model="lru", other="tanh"), ">", wrong=2.0
    ),
    "lru:text:diagonal-better": gains((2, "real+im", "dense", "scifar,listops")),
    "lru:text:approximately-stable": Evidence(
        points("size", 2000, 8000),
        {"reference": lambda size: 1 - share_inside(1.0, size)},
        form=lambda size: 1 / math.sqrt(2 * math.pi * size),
        tolerance=0.01,
        alone="the exact law of the eigenvalues at finite size",
    ),
    "lru:text:exponential": Evidence(
        points("nu theta", (0.3, 1.1), (0.01, -2.0)),
        {"reference": polar},
        form=lambda nu, theta: cmath.exp(complex(-nu, theta)),
        alone="real functions against the complex exponential",
    ),
    "lru:text:halved-variance": Evidence(
        (
            *across(matrix=("B", "C"), fan_in=(3, 8)),
            {"matrix": "C, real part", "fan_in": 5},
        ),
        {"reference": projected_length},
        form=1.0,
        alone="a sum over the entries, which are independent",
    ),
}
