"""What judges stable parametrisation, Sections 3.3-3.4 of Orvieto et al. (2023)."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from sympy import Symbol, exp, limit, oo

from sigprop.evidence.lru.accuracies import (
    arithmetic,
    least_change,
    least_gain,
    least_loss_beyond,
    rings,
    tasks_improved,
)
from sigprop.evidence.lru.annulus import ring_grid
from sigprop.evidence.lru.diagonalisation import polar
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.lru import lru_from_arrays
from sigprop.numerics.precision import double_precision


def modulus(nu: float, theta: float) -> float:
    """``|exp(-nu + i theta)|``."""
    return abs(polar(nu, theta))


def layer_modulus(nu: float, theta: float) -> float:
    """Modulus of the eigenvalue of the package's LRU layer."""
    one = np.ones((1, 1))
    arrays = dict.fromkeys(("B_re", "B_im", "C_re", "C_im"), one)
    arrays |= {"D": np.ones(1)}
    arrays |= {"nu_log": np.log([nu]), "theta_log": np.log([theta])}
    with double_precision(True):
        return float(jnp.abs(lru_from_arrays(arrays).eigenvalues()[0]))


def modulus_of_log(nu_log: float) -> float:
    """``|lam|`` of the package's LRU layer at a value of its parameter."""
    return layer_modulus(math.exp(nu_log), 1.0)


def log_slope(nu: float) -> float:
    """Slope of ``|lam|`` in ``nu_log``, by autodiff."""
    with double_precision(True):
        return float(jax.grad(lambda x: jnp.exp(-jnp.exp(x)))(math.log(nu)))


def normalised_gain(max_phase: float, source: str) -> float:
    """``E gamma^2 |x|^2`` on PathX's ring, relative to ``E|Bu|^2``.

    Source: Orvieto et al. (2023), Section 3.4 and Table 8.
    """
    modulus, weights, _ = ring_grid(*rings("[r_min, r_max] with γ")[-1])
    if source == "white":
        gain = 1 / (1 - modulus**2)
    else:
        # The mean of |1 - lam|^-2 over phases from 0: its primitive is an arc tangent,
        # and the whole circle is twice the half.
        span = min(max_phase, np.pi)
        slope = (1 + modulus) / (1 - modulus)
        gain = 2 * np.arctan(slope * np.tan(span / 2)) / span / (1 - modulus**2)
    return float(weights @ ((1 - modulus**2) * gain))


def _edges() -> bool:
    nu_log = Symbol("nu_log", real=True)
    modulus = exp(-exp(nu_log))
    return [limit(modulus, nu_log, end) for end in (-oo, oo)] == [1, 0]


EVIDENCE: dict[str, Basis] = {
    "lru:text:inside-disc": Evidence(
        tuple({"nu": value, "theta": 0.7} for value in (1e-6, 0.2, 3.0)),
        {"reference": modulus, "impulse": layer_modulus},
        form=1.0,
        relation="<",
        slips={"half": 0.5},
    ),
    "lru:text:edges": Evidence(
        ({"nu_log": -40.0}, {"nu_log": 40.0}),
        {"impulse": modulus_of_log},
        form=lambda nu_log: float(nu_log < 0),
        absolute=1e-12,
        proof=_edges,
    ),
    "lru:text:granularity": Evidence(
        tuple({"nu": value} for value in (1e-3, 0.2, 1.7)), {"autodiff": log_slope}
    ),
    "lru:text:above-chance": arithmetic(
        least_gain,
        {"table": 2, "model": "exp", "other": "dense", "tasks": "pathfinder"},
        0.0,
        ">",
        wrong=100.0,
    ),
    "lru:text:above-93": arithmetic(
        least_gain,
        {"table": 2, "model": "stable", "other": "dense", "tasks": "pathfinder"},
        43.0,
        ">",
        wrong=44.0,
    ),
    "lru:text:stable-helps": arithmetic(
        tasks_improved,
        {"table": 7, "model": "stable", "other": "exp", "tasks": ""},
        3,
        absolute=0.5,
    ),
    "lru:text:exponential-better": arithmetic(
        least_gain,
        tuple(
            {"table": 7, "model": "exp", "other": "real+im", "tasks": tasks}
            for tasks in ("listops,retrieval,pathfinder", "scifar,text")
        ),
        0.0,
        ">",
        wrong=100.0,
    ),
    "lru:text:degrades-beyond": arithmetic(
        least_loss_beyond, {"panel": "A", "r_max": 0.9}, 0.0, ">", wrong=10.0
    ),
    "lru:text:r-max-099": arithmetic(
        least_change, {"panel": "B", "row": 0}, 0.0, ">", wrong=5.0
    ),
    "lru:text:gamma-improves": arithmetic(
        least_gain,
        {"table": 8, "model": "lru", "other": "ring", "tasks": "scifar,pathfinder"},
        0.0,
        ">",
        wrong=100.0,
    ),
    "lru:text:pathx": arithmetic(
        least_gain,
        {"table": 3, "model": "lru", "other": "none", "tasks": "pathx"},
        94.2,
        absolute=0.05,
    ),
    "lru:text:small-phase-gain": Evidence(
        tuple(
            {"max_phase": phase, "source": source}
            for phase, source in (
                (2 * math.pi, "constant"),
                (2 * math.pi, "white"),
                (math.pi / 10, "white"),
                (math.pi / 10, "constant"),
            )
        ),
        {"reference": normalised_gain},
        form=1.0,
        tolerance=1e-6,
        alone="quadrature over the ring of PathX",
    ),
}
