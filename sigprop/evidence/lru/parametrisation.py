"""Evidence for stable parametrisation, Sections 3.3-3.4 of Orvieto et al. (2023)."""

import math

import numpy as np
from sympy import Symbol, exp, limit, oo

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, points
from sigprop.evidence.lru.accuracies import (
    TASKS,
    gains,
    least_change,
    least_gain,
    least_loss_beyond,
    majority,
)
from sigprop.evidence.lru.diagonalisation import polar
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision


def layer_eigenvalue(nu: float, theta: float) -> complex:
    """The eigenvalue of the package's LRU layer."""
    from sigprop.layers.lru import lru_from_arrays

    ones = np.ones((1, 1))
    arrays = {name: ones for name in ("B_re", "B_im", "C_re", "C_im")}
    arrays |= {"D": ones[0], "nu_log": np.log([nu]), "theta_log": np.log([theta])}
    with double_precision(True):
        return complex(lru_from_arrays(arrays).eigenvalues()[0])


def layer_modulus(nu: float, theta: float) -> float:
    """Modulus of the eigenvalue of the package's LRU layer."""
    return abs(layer_eigenvalue(nu, theta))


def modulus_derivative(nu: float) -> float:
    """Derivative of ``|lam|`` by ``nu_log``, by autodiff."""
    import jax
    import jax.numpy as jnp

    with double_precision(True):
        return float(jax.grad(lambda x: jnp.exp(-jnp.exp(x)))(math.log(nu)))


def _edges() -> bool:
    nu_log = Symbol("nu_log", real=True)
    modulus = exp(-exp(nu_log))
    return [limit(modulus, nu_log, end) for end in (-oo, oo)] == [1, 0]


EVIDENCE: dict[str, Basis] = {
    "lru:text:inside-disc": Evidence(
        also(points("nu", 1e-6, 0.2, 3.0), theta=0.7),
        {
            "reference": lambda nu, theta: abs(polar(nu, theta)),
            "impulse": layer_modulus,
        },
        form=1.0,
        relation="<",
        mutants={
            "squared": lambda nu, theta: math.exp(-2 * nu),
            "to first order": lambda nu, theta: 1 - nu,
            "the real part": lambda nu, theta: polar(nu, theta).real,
        },
    ),
    "lru:text:edges": Evidence(
        points("nu_log", -40.0, 40.0),
        {"impulse": lambda nu_log: layer_modulus(math.exp(nu_log), 1.0)},
        form=lambda nu_log: float(nu_log < 0),
        absolute=1e-12,
        proof=_edges,
        mutants={
            "the ends exchanged": lambda nu_log: float(nu_log > 0),
            "one exponential": lambda nu_log: math.exp(-nu_log),
            "on the circle at both": 1.0,
            "at minus the radius": lambda nu_log: -float(nu_log < 0),
        },
    ),
    "lru:text:granularity": Evidence(
        points("nu", 1e-3, 0.2, 1.7), {"autodiff": modulus_derivative}
    ),
    "lru:text:above-chance": gains((2, "exp", "dense", "pathfinder")),
    "lru:text:above-93": gains(
        (2, "stable", "dense", "pathfinder"), over=43.0, wrong=44.0
    ),
    "lru:text:stable-helps": majority(
        (7, "stable", "exp", ",".join(TASKS[:5])),
        (7, "stable", "exp", ",".join(TASKS)),
        example=Example(
            "tasks of Table 7 that the stable parametrisation improves",
            {},
            "most of 6",
            "3 of 6: sCIFAR, Text and PathFinder",
        ),
    ),
    "lru:text:exponential-better": majority(
        (2, "exp", "real+im", "scifar,listops,pathfinder")
    ),
    "lru:text:degrades-beyond": numbers(
        least_loss_beyond, 0.0, dict(panel="A", r_max=0.9), ">", wrong=10.0
    ),
    "lru:text:r-max-099": numbers(
        least_change, 0.0, dict(panel="B", row=0), ">", wrong=5.0
    ),
    "lru:text:gamma-improves": gains((8, "lru", "ring", "scifar,pathfinder,pathx")),
    "lru:text:pathx": numbers(
        least_gain,
        94.2,
        dict(table=3, model="lru", other="none", tasks="pathx"),
        absolute=0.05,
    ),
    "lru:text:phases": Evidence(
        points("nu_log theta", (-1.2, 0.7), (0.3, 2.1), (-0.4, 1.1)),
        {"impulse": lambda nu_log, theta: layer_eigenvalue(math.exp(nu_log), theta)},
        example=Example(
            "|lam|",
            {"nu": 0.1, "theta": 0.2},
            lambda nu, theta: math.exp(-nu + theta),
            lambda nu, theta: abs(polar(nu, theta)),
        ),
    ),
    "lru:text:similar-benefits": gains(
        *(
            (7, "ring", "stable", task)
            for task in ("text", "retrieval", "pathfinder", "listops", "pathx")
        ),
        example=Example(
            "the gain of the ring over the disc on ListOps in Table 7",
            {},
            "above 0",
            lambda: f"{least_gain(7, 'ring', 'stable', 'listops'):.1f}",
        ),
    ),
}
