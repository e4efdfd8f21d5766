"""Evidence for the text on Hessians, Section 4.3 of Zucchet & Orvieto (2024)."""

import cmath
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import (
    across,
    bisect,
    each,
    points,
    power_derivatives,
    spectral_norm,
    standard_error,
)
from sigprop.evidence.zucchet.hessian import networks
from sigprop.evidence.zucchet.hessian.loss import alone, block
from sigprop.evidence.zucchet.hessian.networks import Jacobian, differenced
from sigprop.evidence.zucchet.hessian.sensitivities import gauss_newton
from sigprop.evidence.zucchet.networks.teacher import DOWNWARDS
from sigprop.judge.basis import Basis, Evidence, Example, Routine
from sigprop.theory import hessian as H
from sigprop.theory.recurrences import curvature, steepest_descent

TEACHERS, RANK = 32, 9  # networks of 4 states have 9 curved directions
GAP = 0.01  # gap of the eigenvalues of Figure 4
SURE = 1e-7  # level of an interval's end


def top_ratio(kind: str, seed: int, normal: bool) -> float:
    """Limit of a dense network's largest Hessian eigenvalue over the diagonal one's.

    It is extrapolated from the gap of Figure 4 and half of it; the error is of third
    order.
    """
    full, half = (
        networks.top(kind, at) / networks.top("diagonal", at)
        for at in (networks.teacher(seed, normal, 4, 1 - x) for x in (GAP, GAP / 2))
    )
    return (4 * half - full) / 3


def ratio_at_an_angle(degrees: float) -> float:
    """The ratio for two real modes with a given angle of eigenvectors."""
    at = networks.at_an_angle(degrees)
    return networks.top("dense", at) / networks.top("diagonal", at)


def _coordinates(kind: str, seed: int, normal: bool) -> float:
    """Mean number of coordinates of an eigenvector, over the curved directions."""
    vectors = networks.spectrum(kind, seed, normal)[1][:, :RANK]
    return float(np.mean(1 / np.sum(vectors**4, axis=0)))


def spread(kind: str) -> Routine:
    """Least mean ratio of a dense network's coordinates to the diagonal one's.

    It is the geometric mean over random teachers, minus the half-width of its interval.
    The ratio of a single teacher can be smaller.
    """

    def ratio(normal: bool) -> float:
        ratios = [
            np.log(
                _coordinates(kind, seed, normal)
                / _coordinates("diagonal", seed, normal)
            )
            for seed in range(TEACHERS)
        ]
        width = -scipy.special.stdtrit(TEACHERS - 1, SURE) * standard_error(
            np.array(ratios)
        )
        return float(np.exp(np.mean(ratios) - width))

    return ratio


DRAWS, MOST = 400, 15


@functools.cache
def _draws() -> tuple[Float[np.ndarray, "draws n"], Float[np.ndarray, "draws n"]]:
    generator = np.random.default_rng(10)
    shape = (DRAWS, MOST)
    return generator.uniform(0.99, 0.995, shape), generator.uniform(-1, 1, shape)


def draw(size: int, theta_0: float) -> Complex[np.ndarray, "draws n"]:
    """Random eigenvalues as in Figure 10, with bounded modulus and angle."""
    magnitude, turn = _draws()
    return (magnitude * np.exp(1j * theta_0 * turn))[:, :size]


Pair = Callable[[Any, Any], Any]


def pair_by_form(first: Any, second: Any) -> Any:
    """``S`` under white input."""
    return (1 + first * second) / (1 - first * second) ** 3


def pair_by_sums(first: Any, second: Any) -> Any:
    """``sum k^2 P^(k-1)`` of ``P = first second``, by doubling the number of ages."""
    power = first * second
    plain, once, twice = np.ones_like(power), np.zeros_like(power), np.zeros_like(power)
    product, ages = power, 1
    for _ in range(12):
        twice = twice + product * (twice + 2 * ages * once + ages**2 * plain)
        once = once + product * (once + ages * plain)
        plain, product, ages = plain + product * plain, product**2, 2 * ages
    return twice / power


def shares(pair: Pair, size: int, theta_0: float) -> Float[np.ndarray, " draws"]:
    """Share of the Hessian by (re, im) off its diagonal, by Eq. 143, unit gains.

    The root of the sum of squares off the diagonal over that of all entries.
    """
    lam = draw(size, theta_0)
    rows, columns = lam[:, :, None], lam[:, None]
    same, mixed = pair(rows, columns), pair(rows, columns.conj())
    everything = np.sum(abs(same) ** 2 + abs(mixed) ** 2, axis=(1, 2)) / 2
    A, B = (
        np.real(np.diagonal(entries, axis1=1, axis2=2)) for entries in (same, mixed)
    )
    diagonal = np.sum(A**2 + B**2, axis=1) / 2
    return np.sqrt(1 - diagonal / everything)


def least_share(
    pair: Pair, size: int, theta_0: float, other: tuple[int, float]
) -> float:
    """Mean share, minus the half-width of the interval of its lead over the other."""
    own, against = shares(pair, size, theta_0), shares(pair, *other)
    width = -scipy.special.ndtri(SURE) * standard_error(own - against)
    return float(np.mean(own) - width)


def mean_share(size: int, theta_0: float) -> float:
    """Mean share of the Hessian by (re, im) off its diagonal."""
    return float(np.mean(shares(pair_by_form, size, theta_0)))


def _lru_derivatives(nu: float, angle: float) -> Jacobian:
    """Gradients of ``Re[gamma lambda**n]`` by the LRU's three parameters of a unit.

    ``nu = exp(-exp(omega_nu))``, ``theta = exp(omega_theta)``, ``gamma =
    exp(omega_gamma)``, which starts at ``sqrt(1 - nu^2)``.
    """
    ages = np.arange(int(30 / (1 - nu)))
    gamma, turn = np.sqrt(1 - nu**2), np.exp(1j * angle * ages)
    by_nu = nu * np.log(nu) * power_derivatives(nu, len(ages))
    by_theta, by_gamma = 1j * angle * ages * nu**ages, nu**ages
    return np.stack(
        [(gamma * by * turn).real for by in (by_nu, by_theta, by_gamma)], axis=1
    )


def _lru_differences(nu: float, angle: float) -> Jacobian:
    """Central differences of ``Re[gamma lambda**n]`` by the same three parameters."""
    ages = np.arange(int(30 / (1 - nu)))

    def response(omega: Float[np.ndarray, "3"]) -> Float[np.ndarray, " ages"]:
        rate, theta, gamma = np.exp(omega)
        return gamma * np.exp(-rate * ages) * np.cos(theta * ages)

    return differenced(response, np.log([-np.log(nu), angle, np.sqrt(1 - nu**2)]))


def growth(
    jacobian: Callable[[float, float], Jacobian], gap: float, angle: float
) -> Float[np.ndarray, "3"]:
    """Factors by which three diagonal entries of the LRU grow if the gap is halved."""
    near, far = (np.sum(jacobian(1 - x, angle) ** 2, axis=0) for x in (gap / 2, gap))
    return near / far


def _trace(eigenvalues: tuple[float, ...]) -> float:
    return sum(eigenvalues)


def _rotated(eigenvalues: tuple[float, ...]) -> Float[np.ndarray, "n n"]:
    """A symmetric matrix with these eigenvalues in random directions."""
    size = len(eigenvalues)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))[0]
    return turn * np.array(eigenvalues) @ turn.T


def lipschitz_by_power(eigenvalues: tuple[float, ...]) -> float:
    """Largest ratio of changes of gradient and argument, by power iteration."""
    return spectral_norm(_rotated(eigenvalues))


def lipschitz_by_norm(eigenvalues: tuple[float, ...]) -> float:
    """Lipschitz constant of a quadratic's gradient, as the Hessian's spectral norm."""
    return float(np.linalg.norm(_rotated(eigenvalues), 2))


def step_by_descent(eigenvalues: tuple[float, ...]) -> float:
    """Smallest step size at which descent on a quadratic diverges, by running it."""
    hessian = _rotated(eigenvalues)

    def shrinks(rate: float) -> bool:
        position, size = np.ones(len(eigenvalues)), 0.0
        for _ in range(300):
            position = position - rate * hessian @ position
            size = float(np.linalg.norm(position))
            position = position / size
        return size <= 1

    return bisect(shrinks, 0.0, 10.0)


def step_by_radius(eigenvalues: tuple[float, ...]) -> float:
    """Smallest step size at which descent diverges, by the spectral radius."""
    hessian = _rotated(eigenvalues)

    def shrinks(rate: float) -> bool:
        iteration = np.eye(len(eigenvalues)) - rate * hessian
        return bool(np.max(np.abs(np.linalg.eigvals(iteration))) <= 1)

    return bisect(shrinks, 0.0, 10.0)


def block_ratio(**point: Any) -> float:
    """Norm of unit i's and j's block over the geometric mean of the diagonal ones."""
    norms = [
        np.linalg.norm(gauss_newton("cartesian", **unit)) for unit in alone(**point)
    ]
    return float(
        np.linalg.norm(block("cartesian", **point)) / np.sqrt(norms[0] * norms[1])
    )


def closed_block_ratio(lambda_i: complex, lambda_j: complex, **_: Any) -> float:
    """Norm of an off-diagonal block over the geometric mean of the diagonal ones.

    For unit gains: the norm of a block is the root of ``(|A|^2 + |B|^2) / 2``.
    """

    def size(first: complex, second: complex) -> float:
        same = H.similarity(first, second)
        mixed = H.similarity(first, second.conjugate())
        return math.sqrt((abs(same) ** 2 + abs(mixed) ** 2) / 2)

    product = size(lambda_i, lambda_i) * size(lambda_j, lambda_j)
    return size(lambda_i, lambda_j) / math.sqrt(product)


FIRST = 0.7 * cmath.exp(1.1j)
UNIT = {"b_i": 1.0, "b_j": 1.0, "c_i": 1.0, "c_j": 1.0}
POSITIVE = points("eigenvalues", (5.0, 2.0, 1.0, 0.5), (3.0, 2.5, 0.1))
SHARES = each(least_share, {"reference": pair_by_sums, "closed_form": pair_by_form})

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:hessian-spectra": Evidence(
        across(normal=(True, False), seed=range(3)),
        each(top_ratio, {"sensitivities": "dense", "reference": "dense differences"}),
        form=1.0,
        tolerance=10 * GAP**3,
        hand={"as many times as there are states": 4.0},
        example=Example(
            "for eigenvectors at an angle of some degrees, the dense network's largest Hessian "
            "eigenvalue divided by the diagonal network's (eigenvalues 0.99 and 0.5, "
            "modal gains 1)",
            {"degrees": 30},
            1.0,
            ratio_at_an_angle,
        ),
    ),
    "zucchet:text:hessian-concentrated": Evidence(
        points("normal", True, False),
        {"sensitivities": spread("dense"), "reference": spread("dense differences")},
        form=1.0,
        relation=">",
        hand={"twice as many": 2.0},
    ),
    "zucchet:text:hessian-lipschitz": Evidence(
        (*POSITIVE, {"eigenvalues": (1.0, 0.5, -3.0)}),
        {"reference": lipschitz_by_power, "closed_form": lipschitz_by_norm},
        form=lambda eigenvalues: max(eigenvalues),
        mutants={
            "the least": lambda eigenvalues: min(eigenvalues),
            "the trace": _trace,
        },
        example=DOWNWARDS,
    ),
    "zucchet:text:hessian-step-size": Evidence(
        POSITIVE,
        {"reference": step_by_descent, "closed_form": step_by_radius},
        form=lambda eigenvalues: 2 / max(eigenvalues),
        proof=lambda: steepest_descent().result == 2 / curvature,
        mutants={
            "over the least": lambda eigenvalues: 2 / min(eigenvalues),
            "over the trace": lambda eigenvalues: 2 / _trace(eigenvalues),
        },
    ),
    "zucchet:text:hessian-conjugates": Evidence(
        tuple(
            {**UNIT, "lambda_i": FIRST, "lambda_j": FIRST.conjugate() * moved}
            for moved in (*(cmath.rect(1, x) for x in (0.15, -0.5, 1.0, 3.0)), 0.9)
        ),
        {"reference": block_ratio, "closed_form": closed_block_ratio},
        form=lambda lambda_i, **_: closed_block_ratio(lambda_i, lambda_i.conjugate()),
        relation="<",
        mutants={
            "the pair as (lambda, -conj(lambda))": lambda lambda_i, **_: (
                closed_block_ratio(lambda_i, -lambda_i.conjugate())
            )
        },
    ),
    "zucchet:text:hessian-concentration": Evidence(
        points(
            "size theta_0 other",
            (10, math.pi / 4, (10, math.pi)),
            (10, math.pi / 16, (10, math.pi / 4)),
        ),
        SHARES,
        form=lambda other, **_: mean_share(*other),
        relation=">",
        mutants={
            "wider angles less diagonal": lambda size, theta_0, **_: mean_share(
                size, theta_0 / 4
            )
        },
    ),
    "zucchet:text:hessian-width": Evidence(
        tuple(
            {"size": 3 * n, "theta_0": math.pi, "other": (n, math.pi)} for n in (3, 5)
        ),
        SHARES,
        form=lambda other, **_: mean_share(*other),
        relation=">",
        mutants={
            "fewer neurons less diagonal": lambda theta_0, **_: mean_share(
                MOST, theta_0
            )
        },
    ),
    "zucchet:text:hessian-lru-angle": Evidence(
        across(gap=(1e-3,), angle=(0.3, 1.2)),
        each(
            growth, {"sensitivities": _lru_derivatives, "reference": _lru_differences}
        ),
        form=[1.0, 4.0, 1.0],
        tolerance=2e-3,
        hand={
            "the angle's of the first order": [1.0, 2.0, 1.0],
            "the magnitude's as without its exponential": [4.0, 4.0, 1.0],
        },
    ),
}
