"""Evidence for the dense linear network, Eq. 12-15 of Zucchet & Orvieto (2024).

Entries of ``N(0, 1/sqrt(n))`` have the standard deviation ``1/sqrt(n)``.  Only with
this reading do eigenvalues stay within the unit circle, as the text states.
"""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Inexact
from sympy import Symbol, exp, simplify, tanh

from sigprop.evidence.kit import across, block, from_modes, points
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.models import outputs_of, start_of, states_of
from sigprop.judge.basis import Basis, Evidence, Example

KNOWN = {"positive": (0.9, 0.2), "negative": (0.9, -0.6)}  # beside -0.3 +- 0.8i


@functools.cache
def matrix_of(case: str) -> Float[np.ndarray, "n n"]:
    """Real matrices whose eigenvalues are known by their making."""
    rows = (1, 0.2, -0.3, 0.1), (0, 1, 0.4, 0.2), (0.3, -0.1, 1, 0), (0.2, 0, 0.1, 1)
    frame, blocks = np.array(rows), np.zeros((4, 4))
    blocks[:2, :2] = block(-0.3 + 0.8j)
    blocks[2:, 2:] = np.diag(KNOWN[case])
    return frame @ blocks @ np.linalg.inv(frame)


def moved_eigenvalues(
    values: Inexact[np.ndarray, " n"],
    nu0: float,
    theta0: float,
    squash: Callable[[Any], Any] = np.tanh,
    scale: bool = True,
    turn: float = np.pi,
) -> Complex[np.ndarray, " n"]:
    """Eq. 15, or what has another function, no factor ``1 - nu0``, or another angle."""
    size = nu0 + (1 - nu0 if scale else 1) * squash(np.abs(values))
    return size * np.exp(1j * np.angle(values) / turn * theta0)


def transformed_by_layer(
    case: str, nu0: float, theta0: float
) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of the matrix that the code transforms, sorted."""
    from sigprop.layers.dense import transform_eigenvalues

    moved = transform_eigenvalues(matrix_of(case), nu0, theta0)
    return np.sort_complex(np.linalg.eigvals(moved))


def transformed_by_print(
    case: str, nu0: float, theta0: float, **mutant: Any
) -> Complex[np.ndarray, " n"]:
    """Eq. 15 of the eigenvalues as they were made, sorted."""
    values = np.array([-0.3 + 0.8j, -0.3 - 0.8j, *KNOWN[case]])
    return np.sort_complex(moved_eigenvalues(values, nu0, theta0, **mutant))


def moved_matrix(
    case: str, nu0: float, theta0: float, lower: bool = True
) -> Complex[np.ndarray, "n n"]:
    """``P diag(lam') P^-1`` with the eigenvalues of Eq. 15.

    Args:
        case: Which matrix.
        nu0: The inner radius.
        theta0: Where the angle pi goes.
        lower: Whether eigenvalues below the real axis are moved too.
    """
    values, P = np.linalg.eig(matrix_of(case))
    moved = moved_eigenvalues(values, nu0, theta0)
    return from_modes(np.where((np.imag(values) >= 0) | lower, moved, values), P)


def turned_alone(a: float, nu_0: float, theta_0: float) -> float:
    """Imaginary part of the matrix ``(a)`` after Eq. 15."""
    return float(moved_eigenvalues(np.array([a]), nu_0, theta_0)[0].imag)


def moved_matrix_by_polynomial(
    case: str, nu0: float, theta0: float
) -> Complex[np.ndarray, "n n"]:
    """``P diag(lam') P^-1`` as the polynomial in the matrix that interpolates Eq. 15."""
    A = matrix_of(case)
    values = np.linalg.eigvals(A)
    moved = moved_eigenvalues(values, nu0, theta0)
    weights = np.linalg.solve(np.vander(values, increasing=True), moved)
    powers = np.array([np.linalg.matrix_power(A, i) for i in range(len(A))])
    return np.einsum("i,ijk", weights, powers)


def real_matrix(case: str, nu0: float, theta0: float) -> Float[np.ndarray, "n n"]:
    """The real matrix that the code makes."""
    from sigprop.layers.dense import transform_eigenvalues

    return transform_eigenvalues(matrix_of(case), nu0, theta0)


def least_modulus(case: str, nu0: float, theta0: float) -> float:
    """The smallest modulus of the code's transformed eigenvalues."""
    return float(np.abs(transformed_by_layer(case, nu0, theta0)).min())


def greatest_modulus(case: str, nu0: float, theta0: float) -> float:
    """The greatest modulus of the code's transformed eigenvalues."""
    return float(np.abs(transformed_by_layer(case, nu0, theta0)).max())


@functools.cache
def _random() -> Float[np.ndarray, "n n"]:
    """A large matrix of entries with mean zero and deviation ``1/sqrt(n)``."""
    return np.random.default_rng(1).normal(size=(MANY, MANY)) / math.sqrt(MANY)


@functools.cache
def _spectrum() -> Complex[np.ndarray, " n"]:
    return np.linalg.eigvals(_random())


def outer_radius(nu0: float) -> float:
    """The largest modulus after Eq. 15, from the eigenvalues."""
    return float(np.abs(moved_eigenvalues(_spectrum(), nu0, 1.0)).max())


def outer_radius_by_norm(nu0: float) -> float:
    """Largest modulus after Eq. 15, the radius half the spectral norm in the limit."""
    radius = np.linalg.norm(_random(), 2) / 2
    return nu0 + (1 - nu0) * math.tanh(radius)


def outer_radius_of_text(nu0: float, radius: float = 1.0) -> float:
    """The largest modulus after Eq. 15 of the text, raw eigenvalues up to a radius."""
    return nu0 + (1 - nu0) * math.tanh(radius)


def moved_inside() -> bool:
    """Prove ``nu_0 <= nu_0 + (1 - nu_0) tanh |lam| < 1`` for ``0 <= nu_0 < 1``."""
    width, modulus = Symbol("width", positive=True), Symbol("modulus", nonnegative=True)
    added = (width * tanh(modulus)).rewrite(exp)
    left = simplify(width - added)  # 2 width/(exp(2 modulus) + 1)
    return bool((width * tanh(modulus)).is_nonnegative and left.is_positive)


def fan_in_variance(rows: int, columns: int) -> float:
    """Variance of many drawn weights."""
    import jax

    from sigprop.layers.initialisers import fan_in

    return float(
        np.var(computed(fan_in, jax.random.key(5), rows=rows, columns=columns))
    )


def inner_radius(nu0: float, **_: object) -> float:
    """``nu_0``."""
    return nu0


MANY = 150
MODULI = across(case=tuple(KNOWN), nu0=(0.0, 0.4, 0.9), theta0=(1.0,))
UPPER = {"the upper end of Appendix D.1": lambda nu0, **_: (1 + nu0) / 2}
MOVES: dict[str, dict[str, Any]] = {
    "no tanh": {"squash": np.asarray},
    "the factor 1 - nu_0 left out": {"scale": False},
    "half of the angle": {"turn": 2 * np.pi},
    "the tanh of the square": {"squash": lambda size: np.tanh(size**2)},
}
MOVE_MUTANTS = {
    name: partial(transformed_by_print, **mutant) for name, mutant in MOVES.items()
}

EVIDENCE: dict[str, Basis] = {
    "zucchet:12": start_of("dense"),
    "zucchet:13": states_of("dense"),
    "zucchet:14": outputs_of("dense"),
    "zucchet:15": by_code(
        points(
            "case nu0 theta0",
            ("positive", 0.3, 1.0),
            ("positive", 0.9, 2.0),
            ("positive", 0.0, 0.3),
        ),
        transformed_by_layer,
        transformed_by_print,
        mutants=MOVE_MUTANTS,
    ),
    "zucchet:text:stays-real": Evidence(
        (
            {"case": "positive", "nu0": 0.3, "theta0": 1.0},
            {"case": "positive", "nu0": 0.9, "theta0": 0.3},
            *across(case=("negative",), nu0=(0.3,), theta0=(math.pi, 1.0, 2.0)),
        ),
        {"reference": moved_matrix, "closed_form": moved_matrix_by_polynomial},
        form=real_matrix,
        mutants={"one of each pair stays": partial(moved_matrix, lower=False)},
        example=Example(
            "imaginary part of the 1 x 1 matrix (a) after Eq. 15",
            {"a": -0.5, "nu_0": 0.3, "theta_0": 1.0},
            0.0,
            turned_alone,
        ),
    ),
    "zucchet:text:inner-radius": Evidence(
        MODULI,
        {"impulse": least_modulus},
        form=inner_radius,
        proof=moved_inside,
        relation=">=",
        mutants={
            **UPPER,
            "the root": lambda nu0, **_: math.sqrt(nu0),
            "the factor 1 - nu_0 left out": lambda nu0, **_: nu0 + math.tanh(0.2),
        },
    ),
    "zucchet:text:unit-circle": Evidence(
        MODULI,
        {"impulse": greatest_modulus},
        form=1.0,
        proof=moved_inside,
        relation="<=",
        mutants={
            **UPPER,
            "the inner circle": inner_radius,
            "the ring's width": lambda nu0, **_: 1 - nu0,
        },
    ),
    "zucchet:text:outer-radius": Evidence(
        points("nu0", 0.0, 0.5),
        {"reference": outer_radius, "closed_form": outer_radius_by_norm},
        form=outer_radius_of_text,
        tolerance=0.03,
        mutants={
            "the unit circle": lambda nu0: 1.0,
            "the factor 1 - nu_0 left out": lambda nu0: nu0 + math.tanh(1),
            "1/sqrt(n) as variance": partial(outer_radius_of_text, radius=MANY**0.25),
            "a radius of two": partial(outer_radius_of_text, radius=2.0),
        },
    ),
    "zucchet:text:fan-in": by_code(
        ({"rows": 400, "columns": 300},),
        fan_in_variance,
        route="monte_carlo",
        tolerance=0.02,
    ),
}
