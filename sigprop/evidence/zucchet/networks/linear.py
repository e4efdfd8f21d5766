"""What judges the dense linear network, Eq. 12-15 of Zucchet & Orvieto (2024).

Notation: ``spread``  what of an entry ``1/sqrt(n)`` is, deviation or variance.
"""

import functools
import math

import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.kit import across, block, from_modes, points
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.models import outputs_of, states_of
from sigprop.judge.basis import Basis, Evidence

KNOWN = {"positive": (0.9, 0.2), "negative": (0.9, -0.6)}  # beside -0.3 +- 0.8i


@functools.cache
def matrix_of(case: str) -> Float[np.ndarray, "n n"]:
    """Real matrices whose eigenvalues are known by their making."""
    rows = (1, 0.2, -0.3, 0.1), (0, 1, 0.4, 0.2), (0.3, -0.1, 1, 0), (0.2, 0, 0.1, 1)
    frame, blocks = np.array(rows), np.zeros((4, 4))
    blocks[:2, :2] = block(-0.3 + 0.8j)
    blocks[2:, 2:] = np.diag(KNOWN[case])
    return frame @ blocks @ np.linalg.inv(frame)


def _moved_eigenvalues(
    values: Inexact[np.ndarray, " n"], nu0: float, theta0: float
) -> Complex[np.ndarray, " n"]:
    """Eq. 15."""
    size = nu0 + (1 - nu0) * np.tanh(np.abs(values))
    return size * np.exp(1j * np.angle(values) / np.pi * theta0)


def transformed_by_layer(
    case: str, nu0: float, theta0: float
) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of the matrix that the code transforms, sorted."""
    from sigprop.layers.dense import transform_eigenvalues

    moved = transform_eigenvalues(matrix_of(case), nu0, theta0)
    return np.sort_complex(np.linalg.eigvals(moved))


def transformed_by_print(
    case: str, nu0: float, theta0: float
) -> Complex[np.ndarray, " n"]:
    """Eq. 15 of the eigenvalues as they were made, sorted."""
    values = np.array([-0.3 + 0.8j, -0.3 - 0.8j, *KNOWN[case]])
    return np.sort_complex(_moved_eigenvalues(values, nu0, theta0))


def moved_matrix(case: str, nu0: float, theta0: float) -> Complex[np.ndarray, "n n"]:
    """``P diag(lam') P^-1`` with the eigenvalues of Eq. 15."""
    values, P = np.linalg.eig(matrix_of(case))
    return from_modes(_moved_eigenvalues(values, nu0, theta0), P)


def moved_matrix_by_polynomial(
    case: str, nu0: float, theta0: float
) -> Complex[np.ndarray, "n n"]:
    """``P diag(lam') P^-1`` as the polynomial in the matrix that interpolates Eq. 15."""
    A = matrix_of(case)
    values = np.linalg.eigvals(A)
    moved = _moved_eigenvalues(values, nu0, theta0)
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
def _random(spread: str) -> Float[np.ndarray, "n n"]:
    """A large matrix of entries from ``N(0, 1/sqrt(n))``, read one way or the other."""
    n = 150
    deviation = {"deviation": n**-0.5, "variance": n**-0.25}[spread]
    return deviation * np.random.default_rng(1).normal(size=(n, n))


@functools.cache
def _spectrum(spread: str) -> Complex[np.ndarray, " n"]:
    return np.linalg.eigvals(_random(spread))


def outer_radius(spread: str, nu0: float) -> float:
    """The largest modulus after Eq. 15, from the eigenvalues."""
    return float(np.abs(_moved_eigenvalues(_spectrum(spread), nu0, 1.0)).max())


def outer_radius_by_norm(spread: str, nu0: float) -> float:
    """Largest modulus after Eq. 15, the radius half the spectral norm in the limit."""
    radius = np.linalg.norm(_random(spread), 2) / 2
    return nu0 + (1 - nu0) * math.tanh(radius)


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


MODULI = across(case=tuple(KNOWN), nu0=(0.0, 0.4, 0.9), theta0=(1.0,))
BOUNDED = "the eigenvalues of the code's own matrix, against a bound"

EVIDENCE: dict[str, Basis] = {
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
    ),
    "zucchet:text:stays-real": Evidence(
        (
            {"case": "positive", "nu0": 0.3, "theta0": 1.0},
            {"case": "positive", "nu0": 0.9, "theta0": 0.3},
            *across(case=("negative",), nu0=(0.3,), theta0=(math.pi, 1.0, 2.0)),
        ),
        {"reference": moved_matrix, "closed_form": moved_matrix_by_polynomial},
        form=real_matrix,
    ),
    "zucchet:text:inner-radius": Evidence(
        MODULI,
        {"impulse": least_modulus},
        form=inner_radius,
        relation=">=",
        slips={"a larger circle": lambda nu0, **_: nu0 + 0.6 * (1 - nu0)},
        alone=BOUNDED,
    ),
    "zucchet:text:unit-circle": Evidence(
        MODULI,
        {"impulse": greatest_modulus},
        form=1.0,
        relation="<=",
        slips={"the inner circle": inner_radius},
        alone=BOUNDED,
    ),
    "zucchet:text:outer-radius": Evidence(
        points("spread nu0", ("deviation", 0.0), ("deviation", 0.5), ("variance", 0.0)),
        {"reference": outer_radius, "closed_form": outer_radius_by_norm},
        form=lambda nu0, **_: nu0 + (1 - nu0) * math.tanh(1),
        tolerance=0.03,
    ),
    "zucchet:text:fan-in": by_code(
        ({"rows": 400, "columns": 300},),
        fan_in_variance,
        route="monte_carlo",
        tolerance=0.02,
    ),
}
