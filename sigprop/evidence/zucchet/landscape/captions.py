"""Evidence for the captions of Figures 6 and 7 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import also, each, energy, exponent, points, powers
from sigprop.evidence.zucchet.landscape.curvature import (
    PATH_ROUTES,
    energies,
    partial,
    path_curvature,
    rate,
)
from sigprop.evidence.zucchet.landscape.descent import RATE, final_distance, final_turn
from sigprop.evidence.zucchet.landscape.difficulty import ANGLES, RUN
from sigprop.evidence.zucchet.landscape.responses import kernel, normalised
from sigprop.judge.basis import Basis, Check, Evidence, Example
from sigprop.judge.mutants import Score
from sigprop.judge.results import RouteResult
from sigprop.theory import teacher_student_proofs as proofs
from sigprop.theory.claims import Claim

GAPS = (0.03, 0.01)  # gaps for an exponent
SHORT = 300  # ages after which 0.9^n is below 1e-13


def loss_in_tanh(omega: float, omega_star: float) -> float:
    """The normalised loss of real units with eigenvalues ``tanh(omega)``."""
    return normalised(kernel, math.tanh(omega), math.tanh(omega_star))


def well(nu: float) -> float:
    """Width of the well around the teacher's angle, at the teacher's modulus.

    The loss in the well is below half of that at the opposite angle.
    """

    def loss(turn: float) -> float:
        return normalised(kernel, nu * np.exp(1j * turn), nu)

    half = loss(math.pi) / 2
    solution = scipy.optimize.root_scalar(
        lambda turn: loss(turn) - half, bracket=(0, math.pi), xtol=1e-14
    )
    return 2 * float(solution.root)


def period(nu: float) -> float:
    """Distance in ``omega`` between two global minima, for the optimal angle."""
    pace = rate(partial, nu, (0, 2))

    def loss(omega: float) -> float:
        lam = nu * np.exp(1j * pace * omega)
        return energy(powers(lam, SHORT) - powers(nu, SHORT))

    turns = np.linspace(0.5, 40 / pace, 4000)
    losses = np.array([loss(turn) for turn in turns])
    dips = (losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])
    near = 1 + int(dips.argmax())
    bounds = (turns[near - 1], turns[near + 1])
    minimum: Any = scipy.optimize.minimize_scalar(
        loss, bounds=bounds, method="bounded", options={"xatol": 1e-10}
    )
    return float(minimum.x)


def three_curvatures(nu: float, theta: float) -> Float[np.ndarray, "3"]:
    """Curvatures by the angle's parameter at the teacher: plain, exponential, best."""
    return np.array(
        [
            path_curvature("angle", theta, nu=nu),
            path_curvature("exponential angle", math.log(theta), nu=nu),
            path_curvature("best angle", 1.0, nu=nu),
        ]
    )


def three_energies(nu: float, theta: float) -> Float[np.ndarray, "3"]:
    """Curvatures by the angle's plain, exponential and best parameter, from energies.

    ``E|dh/dtheta|^2`` at the teacher times the squared slope of the angle by each.
    """
    angular = energies(nu, 4000)[1]
    pace = (1 - nu**2) / (nu * math.sqrt(1 + nu**2))
    return angular * np.array([1.0, theta**2, pace**2])


def explosion(curve: Callable[..., float], path: str) -> float:
    """Exponent of the curvature's growth at the boundary along a path of Fig. 6.

    Paths of the angle are evaluated at the angle of the figure.
    """
    angle = math.pi / 100

    def of_gap(gap: float) -> float:
        nu = 1 - gap
        return {
            "tanh": lambda: curve(path, math.atanh(nu)),
            "exponential": lambda: curve(path, math.log(-math.log(nu))),
            "best angle": lambda: curve(path, 1.0, nu=nu),
            "exponential angle": lambda: curve(path, math.log(angle), nu=nu),
        }[path]()

    return -exponent(of_gap, *GAPS)


def valley(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Distance of Fig. 7C's final angles from the teacher's angle, in learning rates.

    The paper does not say if the angle's gradient passes through the modulus; the
    interval covers both cases.  If the distance is within one learning rate, the run is
    in that valley.
    """
    low, high = sorted(
        final_turn(angle) / RATE for angle in ("optimal", "optimal, modulus held")
    )
    verdict = (
        "inconclusive" if low < 1 < high else "confirmed" if high < 1 else "refuted"
    )
    point = "the gradient passes through nu, or not"
    return (RouteResult("reference", point, (low + high) / 2, low, high, verdict),)


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig6-hessian": Evidence(
        points("path", "tanh", "exponential", "best angle", "exponential angle"),
        each(explosion, PATH_ROUTES),
        form=lambda path: 2.0 * (path == "exponential angle"),
        printed=0.0,
        absolute=0.05,  # the next order in the gap
        hand={"neither angle is controlled": lambda path: 2.0 * ("angle" in path)},
        example=Example(
            "the curvature along the LRU's angle at |lam*| = 0.999, divided by the "
            "curvature at 0.99,",
            {},
            1.0,
            lambda: energies(0.999, 40_000)[1] / energies(0.99, 40_000)[1],
        ),
    ),
    "zucchet:fig6-modulus": Evidence(
        points("omega omega_star", (0.4, 1.1), (1.7, -0.6), (-0.8, 0.5)),
        {"reference": loss_in_tanh},
        proof=lambda: (
            proofs.tanh_is_a_shift() and proofs.double_exponential_is_nearly_a_shift()
        ),
    ),
    "zucchet:fig6": Evidence(
        points("nu", 0.5, 0.8, 0.95),
        {"reference": well},
        proof=proofs.half_depth_is_exact,
    ),
    "zucchet:text:c1-fewer-minima": Evidence(
        points("nu", 0.5, 0.7, 0.9),
        {"reference": period},
        proof=proofs.period_is_a_turn,
        tolerance=1e-7,
    ),
    "zucchet:fig7": Evidence(
        points("angle", "polar"),
        {"reference": final_distance},
        form=lambda angle: final_distance("optimal"),
        relation="<",
        hand={"on the teacher itself": 0.0},
        alone=RUN,
    ),
    "zucchet:fig7-sharpness": Evidence(
        ({"nu": 0.99, "theta": math.pi / 100},),
        {"reference": three_curvatures, "impulse": three_energies},
        form=proofs.three_curvatures,
        mutants={
            "the rate once": lambda nu, theta: proofs.three_curvatures(nu, theta**0.5),
            "the inverse rate": lambda nu, theta: proofs.three_curvatures(
                nu, 1 / theta
            ),
        },
    ),
    "zucchet:fig7-granularity": Evidence(
        also(ANGLES, path="exponential angle"),
        PATH_ROUTES,
        proof=proofs.exponential_curvature_is_scaled,
    ),
    "zucchet:fig7-valley": Check(valley, lambda claim: Score(0, ()), ("reference",)),
}
