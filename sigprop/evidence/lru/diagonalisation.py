"""Evidence for linear and diagonal recurrences, Sections 3.1-3.2 of Orvieto et al. (2023)."""

import cmath
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from sympy import I, cos, exp, expand, sin, symbols

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, points, powers, recur
from sigprop.evidence.lru.accuracies import (
    above_worst_deep,
    drop_of_averages,
    gains,
    gains_of_all,
    least_gain,
    row,
)
from sigprop.evidence.lru.annulus import share_by_gammas, share_inside
from sigprop.evidence.lru.systems import random_inputs, random_matrix, run
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision

LASTING = points("lam k", (0.8 + 0.3j, 5), (-0.6, 9), (0.5 + 0.2j, 6))


def _projections(seed: int):
    draw = np.random.default_rng(seed + 1)
    return tuple(draw.normal(size=shape) for shape in ((4, 1), (1, 4), (1, 1)))


def dense_output(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output, by the package's layer."""
    import jax.numpy as jnp

    from sigprop.layers.dense import LinearRNN

    A, _, _ = random_matrix(seed)
    B, C, D = _projections(seed)
    u = random_inputs(seed, steps, 1)
    with double_precision(True):
        layer = LinearRNN(*map(jnp.asarray, (A[None], B, C, D)))
        return np.asarray(run(layer, jnp.asarray(u))[1])[:, 0]


def dense_output_by_loop(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output in a plain loop."""
    B, C, D = _projections(seed)
    u = random_inputs(seed, steps, 1)
    return (recur(random_matrix(seed)[0], u @ B.T) @ C.T + u @ D.T)[:, 0]


def diagonal_output(
    seed: int, steps: int, newest_first: int = 1
) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output from its eigenvalues, ``B`` and ``C`` in the eigenbasis.

    With ``newest_first`` 0 ages go up to ``k - 1`` only, as printed.

    Source: Orvieto et al. (2023), Section 3.2.1.
    """
    A, _, _ = random_matrix(seed)
    B, C, D = _projections(seed)
    values, P = np.linalg.eig(A)
    B_bar, C_bar = np.linalg.solve(P, B.astype(complex))[:, 0], (C @ P)[0]
    u = random_inputs(seed, steps, 1)[:, 0]
    outputs = []
    for k in range(steps):
        ages = range(k + newest_first)
        x = sum((values**j * B_bar * u[k - j] for j in ages), np.zeros(4, complex))
        outputs.append((C_bar @ x).real + D[0, 0] * u[k])
    return np.array(outputs)


def output_in_basis(
    seed: int, steps: int, of: Callable[[Any], Any] = np.asarray
) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output from states in the eigenbasis, read by ``C of(P)``.

    Source: Orvieto et al. (2023), Section 3.2.1.
    """
    A, _, _ = random_matrix(seed)
    B, C, D = _projections(seed)
    values, P = np.linalg.eig(A)
    u = random_inputs(seed, steps, 1)
    x_bar = recur(values, u @ np.linalg.solve(P, B.astype(complex)).T)
    return (x_bar @ (C @ of(P))[0]).real + D[0, 0] * u[:, 0]


def forced_growth(lam: complex, k: int) -> float:
    """``|x_2k| / |x_k|`` of one mode under constant input from time 0 on."""
    states = np.abs(recur(lam, np.ones(2 * k + 1)))
    return states[2 * k] / states[k]


def order_growth(
    lam: complex, k: int, order: Callable[[complex, int], complex] | None = None
) -> float:
    """Ratio of the stated order of ``|x_k|`` at ``2k`` to that at ``k``."""
    order = order or (lambda lam, k: (1 - lam ** (k + 1)) / (1 - lam))
    return abs(order(lam, 2 * k) / order(lam, k))


def bounded_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """Largest ``|x_k|`` under random inputs of size at most one."""
    sizes, turns = np.random.default_rng(seed).uniform(size=(steps, 2)).T
    inputs = (2 * sizes - 1) * np.exp(2j * np.pi * turns)
    return np.abs(recur(radius * np.exp(1j * phase), inputs)).max()


def aligned_mode(radius: float, phase: float, steps: int, **_: int) -> float:
    """``|x_k|`` under inputs of modulus one with aligned phases, the worst case."""
    inputs = np.exp(1j * phase * np.arange(steps))
    return abs(recur(radius * np.exp(1j * phase), inputs)[-1])


def polar(nu: float, theta: float) -> complex:
    """``exp(-nu) (cos theta + i sin theta)``."""
    return math.exp(-nu) * complex(math.cos(theta), math.sin(theta))


def projected_length(fan_in: int, **_: int) -> float:
    """Mean square of an output for inputs of unit mean square; parts of ``1/(2 fan_in)``.

    Each entry in turn is one, real or imaginary; the rest follows by independence.
    """
    return sum(abs(part) ** 2 * fan_in for part in (1, 1j)) / (2 * fan_in)


def length_over_signs(fan_in: int, **_: int) -> float:
    """Mean square of an output over all signs of parts of size ``(2 fan_in)^(-1/2)``.

    The inputs are fixed, complex and of unit mean square.
    """
    parts = 2 * np.indices((2,) * (2 * fan_in)).reshape(2 * fan_in, -1) - 1
    entries = (parts[:fan_in] + 1j * parts[fan_in:]) / math.sqrt(2 * fan_in)
    x = np.arange(1, fan_in + 1) * np.exp(1j * np.arange(fan_in))
    x = x * math.sqrt(fan_in) / np.linalg.norm(x)
    return float(np.mean(np.abs(x @ entries) ** 2))


def _euler() -> bool:
    nu, theta = symbols("nu theta", real=True)
    parts = exp(-nu) * (cos(theta) + I * sin(theta))
    return expand(parts.rewrite(exp) - exp(-nu) * exp(I * theta)) == 0


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
    "lru:text:far-behind": numbers(
        above_worst_deep,
        0.0,
        points(
            "table models tasks",
            *((6, "linear", task) for task in ("scifar", "pathfinder", "pathx")),
        ),
        "<",
        wrong=-100.0,
    ),
    "lru:text:vanilla-drops": numbers(
        drop_of_averages, 0.0, dict(models="tanh,relu"), ">", wrong=100.0
    ),
    "lru:text:without-losing": numbers(
        least_gain,
        0.0,
        points(
            "table model other tasks",
            *(
                (7, "real+im", "dense", task)
                for task in ("scifar", "listops", "pathfinder", "text", "retrieval")
            ),
        ),
        ">=",
        wrong=100.0,
        example=Example(
            "the accuracy of Lambda Re + Im on Text in Table 7",
            {},
            "at least the dense 89.1",
            lambda: f"{row(7, 'real+im', 'text')[0]:.1f}",
        ),
    ),
    "lru:text:diagonal-unrolled": Evidence(
        also(points("seed", 0, 1, 2), steps=6),
        {"impulse": dense_output, "reference": dense_output_by_loop},
        form=diagonal_output,
        printed=partial(diagonal_output, newest_first=0),
        mutants={
            "P conjugated": partial(output_in_basis, of=np.conj),
            "C as it is": partial(output_in_basis, of=lambda P: np.eye(4)),
            "C times the inverse": partial(output_in_basis, of=np.linalg.inv),
        },
        example=Example(
            "x_1 for B-bar = 1, u_0 = 1, u_1 = 0",
            {"lam": 0.9},
            lambda lam: powers(lam, 1) @ np.array([0.0]),
            lambda lam: powers(lam, 2) @ np.array([0.0, 1.0]),
        ),
    ),
    "lru:text:output-basis": Evidence(
        also(points("seed", 0, 1, 2), steps=6),
        {"impulse": dense_output, "reference": dense_output_by_loop},
        form=output_in_basis,
        printed=partial(output_in_basis, of=np.linalg.inv),
        mutants={
            "transposed": partial(output_in_basis, of=np.transpose),
            "conjugated": partial(output_in_basis, of=np.conj),
            "not turned": partial(output_in_basis, of=lambda P: np.eye(4)),
        },
        example=Example(
            "y for P = [[1, p], [0, 1]], C = (1, 0), D = 0, x-bar = (1, 1)",
            {"p": 1.0},
            lambda p: float(np.linalg.inv([[1, p], [0, 1]])[0].sum()),
            lambda p: float(np.array([[1, p], [0, 1]])[0].sum()),
        ),
    ),
    "lru:text:stability-order": Evidence(
        LASTING,
        {
            "reference": forced_growth,
            "closed_form": lambda lam, k: abs(
                powers(lam, 2 * k + 1).sum() / powers(lam, k + 1).sum()
            ),
        },
        form=order_growth,
        printed=partial(order_growth, order=lambda lam, k: lam**k),
        mutants={
            "one input fewer": partial(
                order_growth, order=lambda lam, k: (1 - lam**k) / (1 - lam)
            ),
            "the limit": partial(order_growth, order=lambda lam, k: 1 / (1 - lam)),
            "moduli": partial(
                order_growth, order=lambda lam, k: 1 - abs(lam) ** (k + 1)
            ),
        },
        example=Example(
            "the ratio x_20 / x_10 for inputs of 1 from time 0",
            {"lam": 0.9},
            lambda lam: order_growth(lam, 10, lambda lam, k: lam**k),
            lambda lam: forced_growth(lam, 10),
        ),
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
        mutants={
            "without the newest input": lambda radius, **_: radius / (1 - radius),
            "the squared modulus": lambda radius, **_: 1 / (1 - radius**2),
            "in the mean square": lambda radius, **_: (1 - radius**2) ** -0.5,
        },
    ),
    "lru:text:diagonal-better": gains((2, "real+im", "dense", "scifar,listops")),
    "lru:text:approximately-stable": Evidence(
        points("size", 2000, 8000),
        {
            "reference": lambda size: 1 - share_inside(1.0, size),
            "complex": lambda size: 1 - share_by_gammas(1.0, size),
        },
        form=lambda size: 1 / math.sqrt(2 * math.pi * size),
        mutants={
            "their number": lambda size: math.sqrt(size / (2 * math.pi)),
            "without the root": lambda size: 1 / (2 * math.pi * size),
            "pi outside the root": lambda size: 1 / (math.pi * math.sqrt(2 * size)),
            "no pi": lambda size: 1 / math.sqrt(2 * size),
        },
        tolerance=0.01,
    ),
    "lru:text:exponential": Evidence(
        points("nu theta", (0.3, 1.1), (0.01, -2.0)),
        {"reference": polar},
        form=lambda nu, theta: cmath.exp(complex(-nu, theta)),
        mutants={
            "the phase the other way": lambda nu, theta: cmath.exp(
                complex(-nu, -theta)
            ),
            "growing": lambda nu, theta: cmath.exp(complex(nu, theta)),
            "no i": lambda nu, theta: cmath.exp(theta - nu),
            "sine and cosine exchanged": lambda nu, theta: complex(
                math.exp(-nu) * math.sin(theta), math.exp(-nu) * math.cos(theta)
            ),
        },
        proof=_euler,
    ),
    "lru:text:halved-variance": Evidence(
        points("fan_in fan_out", (3, 8), (6, 5)),
        {"reference": projected_length, "quadrature": length_over_signs},
        form=1.0,
        mutants={
            "by the other width": lambda fan_in, fan_out: fan_in / fan_out,
            "by both widths": lambda fan_in, fan_out: 2 * fan_in / (fan_in + fan_out),
            "the deviations halved": lambda fan_in, fan_out: (
                fan_in * 2 * (1 / fan_in / 4)
            ),
        },
    ),
}
