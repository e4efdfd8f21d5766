"""Evidence for the loss of one unit, Eq. 85-93 of Zucchet & Orvieto (2024)."""

import dataclasses
import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import (
    also,
    crossed,
    double_sum,
    each,
    energy,
    moment,
    points,
    powers,
    recur,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.landscape.responses import (
    LENGTH,
    RESPONSES,
    Response,
    kernel,
    normalisation,
    normalised,
    state_moment,
    unit_gain,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import teacher_student_proofs as proofs


def plain_loop(lam: complex, steps: int) -> Complex[np.ndarray, " steps"]:
    """States of the recurrence for the inputs 1, 2, ... by a loop in Python."""
    return recur(complex(lam), np.arange(1, steps + 1) + 0j)


def convolved(lam: complex, steps: int) -> Complex[np.ndarray, " steps"]:
    """States for the inputs 1, 2, ... as a convolution with the powers."""
    return np.convolve(powers(complex(lam), steps), np.arange(1, steps + 1))[:steps]


def mutated_loop(lam: complex, steps: int, way: str) -> Complex[np.ndarray, " steps"]:
    """States for the inputs 1, 2, ...; the input is late or times the eigenvalue."""
    inputs = np.arange(1, steps + 1) + 0j
    return {
        "late": lambda: recur(complex(lam), inputs - 1),
        "through the eigenvalue": lambda: recur(complex(lam), complex(lam) * inputs),
        "conjugated": lambda: recur(complex(lam).conjugate(), inputs),
    }[way]()


def suite_loop(lam: complex, steps: int) -> Complex[np.ndarray, " steps"]:
    """States for the inputs 1, 2, ... by the recurrence of the suite."""
    from sigprop.neuron.recurrence import linear_recurrence

    inputs = np.arange(1, steps + 1)[:, None].astype(complex)
    return computed(linear_recurrence, np.array([lam], complex), inputs)[:, 0]


def mean_loss(
    lam: complex, mu: complex, rho: float, steps: int, respond: Response = kernel
) -> float:
    """``sum over t <= steps of E|h_t - h*_t|^2 / (2 steps)`` from the zero state.

    Source: Zucchet & Orvieto (2024), Eq. 86.
    """
    apart = (respond(lam) - respond(mu))[:steps]
    return sum(moment(apart[:t], rho) for t in range(1, steps + 1)) / (2 * steps)


def mean_loss_covariance(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """``sum over t <= steps of E|h_t - h*_t|^2 / (2 steps)``, from covariances.

    The covariance of both states and the input goes along from step to step.
    """
    push = np.array([[lam, 0, rho], [0, mu, rho], [0, 0, rho]], complex)
    fresh = np.ones((3, 3)) * (1 - rho**2)
    spread = np.zeros((3, 3), complex)
    spread[2, 2] = 1.0  # the input before the first one has its stationary variance
    apart, total = np.array([1, -1, 0]), 0j
    for _ in range(steps):
        spread = push @ spread @ push.conj().T + fresh
        total += apart @ spread @ apart
    return complex(total).real / (2 * steps)


def last_loss(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong version of Eq. 86: the loss of the last step alone."""
    return moment(powers(complex(lam), steps) - powers(complex(mu), steps), rho) / 2


def mean_loss_short(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong version of Eq. 86: the sum is one step short."""
    return mean_loss(lam, mu, rho, steps - 1) * (steps - 1) / steps


def mean_loss_unshared(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong version of Eq. 86, in which the two units have independent inputs."""
    each_own = (powers(complex(z), steps) for z in (lam, mu))
    ages = range(1, steps + 1)
    return sum(moment(w[:t], rho) for w in each_own for t in ages) / (2 * steps)


def distance_to_limit(
    mean: Callable[..., float], lam: complex, mu: complex, rho: float, steps: int
) -> float:
    """Absolute difference of the mean loss and the stationary loss."""
    return abs(mean(lam, mu, rho, steps) - loss(kernel, lam, mu, rho))


def limit_bound(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A constant over the number of steps, from the two responses' difference ``d``.

    Step ``t`` lacks at most ``sum over n >= t of |d_n|`` times ``max |d|`` times
    ``sum over all lags of |rho|^|lag|``; summed over ``t`` this is ``sum n |d_n|``.
    """
    apart = np.abs(kernel(lam) - kernel(mu))
    late = (np.arange(LENGTH) * apart).sum()
    return float(late * apart.max() * (1 + abs(rho)) / (1 - abs(rho)) / steps)


def limit_bound_squared(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong rate: the same constant over the square of the number of steps."""
    return limit_bound(lam, mu, rho, steps) / steps


def transient_bound(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong rate: that of the transient of the slower unit."""
    return limit_bound(lam, mu, rho, 1) * max(abs(lam), abs(mu)) ** (2 * steps)


def least_bound(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong constant: the smallest instead of the largest entry of the difference."""
    apart = np.abs(kernel(lam) - kernel(mu))
    return limit_bound(lam, mu, rho, steps) * float(apart.min() / apart.max())


def loss(respond: Response, lam: complex, mu: complex, rho: float = 0.0) -> float:
    """``E|h - h*|^2 / 2``."""
    return moment(respond(lam) - respond(mu), rho) / 2


def four_moments(lam: complex, mu: complex, rho: float = 0.0) -> float:
    """Half of ``E[h conj(h) + h* conj(h*) - h conj(h*) - conj(h) h*]``."""
    student, teacher = kernel(lam), kernel(mu)
    pairs = ((student, student, 1), (teacher, teacher, 1), (student, teacher, -1))
    total = sum(sign * double_sum(a, b, rho) for a, b, sign in pairs)
    return ((total - double_sum(teacher, student, rho)) / 2).real


def wrong_moments(
    lam: complex, mu: complex, rho: float, weights: tuple[float, float, float]
) -> complex:
    """The moments of Eq. 87 with other weights than 1, 1, -1 and -1, and no real part.

    The weights are those of the teacher's moment, ``h conj(h*)`` and ``conj(h) h*``.
    """
    student, teacher = kernel(lam), kernel(mu)
    pairs = ((teacher, teacher), (student, teacher), (teacher, student))
    rest = (w * double_sum(*p, rho) for w, p in zip(weights, pairs, strict=True))
    return (double_sum(student, student, rho) + sum(rest)) / 2


def cross_moment(
    respond: Response, lam: complex, mu: complex, rho: float = 0.0
) -> complex:
    """``E[h conj(h*)]``."""
    return double_sum(respond(lam), respond(mu), rho)


def misfit(mu: complex) -> float:
    """Loss of the normalised student for a teacher that is not normalised."""
    return (math.sqrt(state_moment(kernel, mu)) - 1) ** 2 / 2


def misfit_of_variances(mu: complex) -> float:
    """A wrong version: the difference of the states' variances, not of their sizes."""
    return (state_moment(kernel, mu) - 1) / 2


def misfit_at_zero(mu: complex) -> float:
    """A wrong version: the loss of the student with eigenvalue zero."""
    return energy(powers(0j, LENGTH) - kernel(mu)) / 2


def best_misfit(mu: complex) -> float:
    """Smallest loss of a normalised student for a teacher that is not, by a search."""

    def value(z: Float[np.ndarray, "2"]) -> float:
        lam = complex(*z) / (1 + math.hypot(*z))  # anywhere inside the unit circle
        return energy(normalisation(lam) * kernel(lam) - kernel(mu)) / 2

    first = complex(mu) * 0.7
    start = np.array([first.real, first.imag]) / (1 - abs(first))
    options = {"xatol": 1e-8, "fatol": 1e-15}
    return float(
        scipy.optimize.minimize(value, start, method="Nelder-Mead", options=options).fun
    )


PAIRS = points(
    "lam mu", (0.6 + 0.3j, 0.2 - 0.7j), (-0.5 + 0.1j, 0.8 + 0.05j), (0.85j, -0.4 + 0.6j)
)
OWN = points("lam", *(pair["lam"] for pair in PAIRS))
DECAYS = points("rho", 0.4, 0.9, -0.7, -0.3, 0.65, 0.15)
CORRELATED = tuple(pair | decay for pair, decay in zip(PAIRS * 2, DECAYS, strict=True))
EXACT = each(loss, RESPONSES)
NORMALISED = Evidence(PAIRS, each(normalised, RESPONSES))


EVIDENCE: dict[str, Basis] = {
    "zucchet:85": Evidence(
        also(OWN, steps=12),
        {"reference": plain_loop, "closed_form": convolved},
        form=suite_loop,
        mutants={
            way: partial(mutated_loop, way=way)
            for way in ("late", "through the eigenvalue", "conjugated")
        },
    ),
    "zucchet:86": Evidence(
        also(CORRELATED[:3], steps=9),
        {name: partial(mean_loss, respond=way) for name, way in RESPONSES.items()},
        form=mean_loss_covariance,
        mutants={
            "the last step": last_loss,
            "one step short": mean_loss_short,
            "inputs of their own": mean_loss_unshared,
        },
    ),
    "zucchet:text:c1-long-sequences": Evidence(
        crossed(CORRELATED[:3], points("steps", 50, 100)),
        each(
            distance_to_limit,
            {"reference": mean_loss, "closed_form": mean_loss_covariance},
        ),
        form=limit_bound,
        relation="<=",
        mutants={
            "decay as the square": limit_bound_squared,
            "decay of the transient": transient_bound,
            "the least difference": least_bound,
        },
    ),
    "zucchet:87": Evidence(
        CORRELATED,
        EXACT,
        form=four_moments,
        proof=proofs.square_expands,
        mutants={
            "one product twice": partial(wrong_moments, weights=(1, -2, 0)),
            "a sign": partial(wrong_moments, weights=(1, -1, 1)),
            "one product": partial(wrong_moments, weights=(1, -1, 0)),
        },
    ),
    "zucchet:88": Evidence(
        tuple({"lam": point["lam"], "rho": point["rho"]} for point in CORRELATED),
        each(state_moment, RESPONSES),
    ),
    "zucchet:text:c1-cross-moment": Evidence(CORRELATED, each(cross_moment, RESPONSES)),
    "zucchet:text:c1-exact-loss": Evidence(
        CORRELATED, EXACT, proof=proofs.grouped_is_exact
    ),
    "zucchet:90": Evidence(also(PAIRS, rho=1.0), EXACT),
    "zucchet:91": Evidence(also(PAIRS, rho=0.0), EXACT),
    "zucchet:text:c1-normalisation": Evidence(OWN, each(unit_gain, RESPONSES)),
    "zucchet:text:c1-normalised-teacher": Evidence(
        points("mu", *(pair["mu"] for pair in PAIRS)),
        {"reference": best_misfit},
        form=misfit,
        proof=proofs.misfit_is_least,
        tolerance=1e-9,
        mutants={"variances": misfit_of_variances, "nothing kept": misfit_at_zero},
    ),
    "zucchet:92": dataclasses.replace(
        NORMALISED,
        example=Example(
            "the loss at lambda = lambda*",
            {"lam": 0.6},
            lambda lam: 1 / normalisation(lam) - 1,
            lambda lam: normalised(kernel, lam, lam),
        ),
    ),
    "zucchet:93": NORMALISED,
}
