"""What judges what Section 4.3 of Zucchet & Orvieto (2024) says of Hessians."""

import cmath
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import (
    across,
    bisect,
    each,
    points,
    power_slopes,
    spectral_norm,
)
from sigprop.evidence.zucchet.hessian import networks
from sigprop.evidence.zucchet.hessian.loss import alone, block
from sigprop.evidence.zucchet.hessian.networks import LENGTH, Jacobian, differenced
from sigprop.evidence.zucchet.hessian.sensitivities import gauss_newton
from sigprop.judge.basis import Basis, Evidence, Routine
from theory import hessian as H

TEACHERS = 24  # whose spread leaves a factor above one at level 1e-7


def top(kind: str) -> Routine:
    """The largest eigenvalue of a network's Hessian."""
    return lambda seed, normal: float(networks.spectrum(kind, seed, normal)[0][0])


def _coordinates(kind: str, seed: int, normal: bool) -> float:
    """Mean over the four top eigenvectors of the coordinates that each spreads over."""
    vectors = networks.spectrum(kind, seed, normal)[1][:, :4]
    return float(np.mean(1 / np.sum(vectors**4, axis=0)))


def spread(kind: str) -> Routine:
    """Least mean ratio of a dense network's coordinates to the diagonal one's.

    The geometric mean over random teachers, less the half-width of its interval at level
    1e-7: it is no law for each teacher.
    """

    def ratio(normal: bool) -> float:
        ratios = [
            np.log(
                _coordinates(kind, seed, normal)
                / _coordinates("diagonal", seed, normal)
            )
            for seed in range(TEACHERS)
        ]
        return float(
            np.exp(
                np.mean(ratios) - scipy.stats.norm.isf(1e-7) * scipy.stats.sem(ratios)
            )
        )

    return ratio


def draw(
    seed: int, size: int, theta_0: float, nu_0: float = 0.99
) -> tuple[complex, ...]:
    """Eigenvalues as in Figure 10: magnitude up to halfway to one, angle within bounds."""
    generator = random.Random(seed)
    return tuple(
        cmath.rect(
            generator.uniform(nu_0, (1 + nu_0) / 2),
            generator.uniform(-theta_0, theta_0),
        )
        for _ in range(size)
    )


def off_diagonal(size: int, theta_0: float, draws: int = 6, **_: Any) -> float:
    """Mean share of the Hessian by (re, im) off its diagonal, from ``S`` and Eq. 143."""
    total = 0.0
    for seed in range(draws):
        lams = draw(seed, size, theta_0)
        everything, diagonal = 0.0, 0.0
        for first in lams:
            same = H.similarity(first, first)
            mixed = H.similarity(first, first.conjugate()).real
            diagonal += ((same.real + mixed) ** 2 + (mixed - same.real) ** 2) / 4
            for second in lams:
                same = abs(H.similarity(first, second)) ** 2
                everything += (
                    same + abs(H.similarity(first, second.conjugate())) ** 2
                ) / 2
        total += math.sqrt(1 - diagonal / everything)
    return total / draws


def off_diagonal_by_sums(size: int, theta_0: float, draws: int = 6, **_: Any) -> float:
    """Mean share of the Hessian by (re, im) that lies off its diagonal.

    The root of the sum of squares off the diagonal over that of all entries, for random
    eigenvalues (``draw``) and unit gains.
    """
    shares = []
    for seed in range(draws):
        lam = np.array(draw(seed, size, theta_0))
        slope = power_slopes(lam, 3 * LENGTH)
        rows = np.concatenate([np.real(slope), -np.imag(slope)])
        hessian = rows @ rows.T
        rest = hessian - np.diag(np.diag(hessian))
        shares.append(np.linalg.norm(rest) / np.linalg.norm(hessian))
    return float(np.mean(shares))


def _lru_slopes(nu: float, angle: float) -> Jacobian:
    """Gradients of ``Re[gamma lambda**n]`` by ``omega_nu`` and ``omega_theta``.

    ``gamma = sqrt(1 - nu^2)``, ``nu = exp(-exp(omega_nu))``, ``theta = exp(omega_theta)``.
    """
    ages = np.arange(int(30 / (1 - nu)))
    gamma, by_omega = np.sqrt(1 - nu**2), nu * np.log(nu)
    turn = np.exp(1j * angle * ages)
    size = gamma * power_slopes(nu, len(ages)) - nu / gamma * nu**ages
    by_theta = gamma * nu**ages * 1j * ages * angle
    return np.stack([(by_omega * size * turn).real, (by_theta * turn).real], axis=1)


def _lru_differences(nu: float, angle: float) -> Jacobian:
    """Central differences of ``Re[gamma lambda**n]`` by ``omega_nu``, ``omega_theta``."""
    ages = np.arange(int(30 / (1 - nu)))

    def response(omega: Float[np.ndarray, "2"]) -> Float[np.ndarray, " ages"]:
        log_nu, theta = -np.exp(omega[0]), np.exp(omega[1])
        gamma = np.sqrt(-np.expm1(2 * log_nu))
        return gamma * np.exp(log_nu * ages) * np.cos(theta * ages)

    return differenced(response, np.log([-np.log(nu), angle]))


def growth(
    jacobian: Callable[[float, float], Jacobian], gap: float, angle: float
) -> Float[np.ndarray, "2"]:
    """By how much the two diagonal entries of the LRU grow as the gap halves."""
    near, far = (np.sum(jacobian(1 - x, angle) ** 2, axis=0) for x in (gap / 2, gap))
    return near / far


def _rotated(eigenvalues: tuple[float, ...]) -> Float[np.ndarray, "n n"]:
    """A symmetric matrix of these eigenvalues in random directions."""
    size = len(eigenvalues)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))[0]
    return turn * np.array(eigenvalues) @ turn.T


def lipschitz_by_power(eigenvalues: tuple[float, ...]) -> float:
    """Largest ratio of a change of gradient to a change of place, by power iteration."""
    return spectral_norm(_rotated(eigenvalues))


def lipschitz_by_norm(eigenvalues: tuple[float, ...]) -> float:
    """Lipschitz constant of a quadratic's gradient, as the Hessian's spectral norm."""
    return float(np.linalg.norm(_rotated(eigenvalues), 2))


def step_by_descent(eigenvalues: tuple[float, ...]) -> float:
    """Least step size at which gradient descent on a quadratic grows, by running it."""
    hessian = _rotated(eigenvalues)

    def shrinks(rate: float) -> bool:
        place, size = np.ones(len(eigenvalues)), 0.0
        for _ in range(300):
            place = place - rate * hessian @ place
            size = float(np.linalg.norm(place))
            place = place / size
        return size <= 1

    return bisect(shrinks, 0.0, 10.0)


def step_by_radius(eigenvalues: tuple[float, ...]) -> float:
    """Least step size at which descent on a quadratic grows, by the spectral radius."""
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
SHARES: dict[str, Routine] = {
    "reference": off_diagonal_by_sums,
    "closed_form": off_diagonal,
}

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:hessian-spectra": Evidence(
        tuple(
            {"seed": seed, "normal": normal}
            for normal in (True, False)
            for seed in range(4)
        ),
        {"sensitivities": top("dense"), "reference": top("dense differences")},
        form=top("diagonal"),
        tolerance=2e-3,
    ),
    "zucchet:text:hessian-concentrated": Evidence(
        points("normal", True, False),
        {"sensitivities": spread("dense"), "reference": spread("dense differences")},
        form=1.0,
        relation=">",
        slips={"twice as many": 2.0},
    ),
    "zucchet:text:hessian-lipschitz": Evidence(
        (*POSITIVE, {"eigenvalues": (1.0, 0.5, -3.0)}),
        {"reference": lipschitz_by_power, "closed_form": lipschitz_by_norm},
        form=lambda eigenvalues: max(eigenvalues),
    ),
    "zucchet:text:hessian-step-size": Evidence(
        POSITIVE,
        {"reference": step_by_descent, "closed_form": step_by_radius},
        form=lambda eigenvalues: 2 / max(eigenvalues),
    ),
    "zucchet:text:hessian-conjugates": Evidence(
        tuple(
            {**UNIT, "lambda_i": FIRST, "lambda_j": second}
            for second in (
                *(FIRST.conjugate() * cmath.rect(1, x) for x in (0.15, -0.5, 1.0, 3.0)),
                FIRST,
            )
        ),
        {"reference": block_ratio, "closed_form": closed_block_ratio},
        form=lambda lambda_i, **_: (
            closed_block_ratio(lambda_i, complex(lambda_i).conjugate()) - 1e-9
        ),
        relation="<",
        slips={"a fifth less": 0.8},
    ),
    "zucchet:text:hessian-concentration": Evidence(
        points(
            "size theta_0 other",
            (10, math.pi / 4, math.pi),
            (10, math.pi / 16, math.pi / 4),
        ),
        SHARES,
        form=lambda size, other, **_: off_diagonal(size, other),
        relation=">",
        slips={"one": 1.0},
    ),
    "zucchet:text:hessian-width": Evidence(
        tuple({"size": 3 * n, "theta_0": math.pi, "other": n} for n in (3, 5)),
        SHARES,
        form=lambda theta_0, other, **_: off_diagonal(other, theta_0),
        relation=">",
        slips={"one": 1.0},
    ),
    "zucchet:text:hessian-lru-angle": Evidence(
        across(gap=(1e-3,), angle=(0.3, 1.2)),
        each(growth, {"sensitivities": _lru_slopes, "reference": _lru_differences}),
        form=[1.0, 4.0],
        tolerance=2e-3,
    ),
}
