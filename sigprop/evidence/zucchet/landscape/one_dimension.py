"""Evidence for Sections 3.1 and 4.1 of Zucchet & Orvieto (2024), on one unit."""

import cmath
import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import (
    across,
    each,
    exponent,
    moment,
    points,
    power_derivatives,
    powers,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.landscape.curvature import PARTIALS, by
from sigprop.evidence.zucchet.landscape.loss import (
    last_loss,
    mean_loss,
    mean_loss_short,
    mean_loss_unshared,
)
from sigprop.evidence.zucchet.landscape.responses import (
    impulse_kernel,
    sensitivity_kernel,
)
from sigprop.inputs import White
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.neuron.stable import sensitivity_moment, state_moment
from sigprop.numerics.precision import double_precision
from sigprop.theory import teacher_student_proofs as proofs
from sigprop.theory.recurrences import circle_is_flat

LONG = 40_000  # ages after which 0.999^n is below 1e-17
SHORT = 300


def sharpness(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` by sums: the curvature of the loss at the teacher."""
    return moment(power_derivatives(complex(lam), LONG), rho)


def sharpness_closed(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` in closed form."""
    return _closed(sensitivity_moment, lam, rho)


def _closed(moment_of: Callable[..., Any], lam: complex, rho: float) -> float:
    with double_precision(True):
        return float(moment_of(1 - abs(lam), cmath.phase(lam), rho))


def growth(of: Callable[..., float], rho: float, angle: float) -> float:
    """Ratio of the sharpness at ``|lam*| = 0.999`` to that at 0.99."""
    return of(cmath.rect(0.999, angle), rho) / of(cmath.rect(0.99, angle), rho)


def sensitivity_over_state(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2``."""
    return sharpness(lam, rho) / moment(powers(complex(lam), LONG), rho)


def sensitivity_over_state_closed(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2`` in closed form."""
    return sharpness_closed(lam, rho) / _closed(state_moment, lam, rho)


def vanishing(derivative: Callable[..., float], theta: float, gap: float) -> float:
    """Power of the gap with which the derivative by the angle vanishes."""

    def size(gap: float) -> float:
        return abs(derivative((0, 1), 1 - gap, 1 - gap, theta, gain=False))

    return exponent(size, gap, gap / 2)


def constant_sensitivity_rate(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one."""
    return sensitivity_over_state(lam, rho) ** -0.5


def constant_sensitivity_rate_impulse(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one, by the recurrence."""
    sensitivity, state = (
        moment(w(lam), rho) for w in (sensitivity_kernel, impulse_kernel)
    )
    return (sensitivity / state) ** -0.5


def largest_jacobian(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, by products."""
    return float(np.abs(np.cumprod(np.full(SHORT, complex(lam)))).max())


def largest_jacobian_impulse(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, from the impulse response."""
    return float(np.abs(impulse_kernel(lam)[1:]).max())


def averaged_loss(lam: complex, mu: complex) -> float:
    """``|h_t - h*_t|^2 / 2``, averaged over time, by the package's recurrence.

    It is averaged over all sequences of eight inputs of plus or minus one, which gives
    the expectation under white inputs of unit variance.
    """
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=8)), complex).T
    student, teacher = (
        computed(linear_recurrence, np.full(signs.shape[1], z, complex), signs)
        for z in (lam, mu)
    )
    return float(np.mean(np.abs(student - teacher) ** 2) / 2)


def in_expectation(of: Callable[..., float], lam: complex, mu: complex) -> float:
    """A loss over eight white inputs, in expectation."""
    return of(lam, mu, 0.0, 8)


def sampled_shares(x: Sequence[float]) -> Float[np.ndarray, " places"]:
    """Shares of 200 000 sampled inputs below each value of ``x``."""
    samples = np.sort(computed(_white), axis=None)
    return np.searchsorted(samples, x) / samples.size


def _white() -> Any:
    return White().sample(jax.random.key(2), 200, 1000)


def normal_shares(x: Sequence[float], scale: float = 1.0) -> Float[np.ndarray, " n"]:
    """Shares of the standard normal distribution; another scale is a mutant."""
    return scipy.special.ndtr(np.asarray(x) / scale)


WRONG_LOSSES = {
    "the last step": last_loss,
    "one step short": mean_loss_short,
    "inputs of their own": mean_loss_unshared,
}
PLAIN = across(nu=(0.35, 0.7, 0.93), gain=(False,))


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:c1-sensitivity-larger": Evidence(
        across(lam=(0.3, 0.9, 0.99), rho=(0.0, 0.5, 1.0)),
        {
            "reference": sensitivity_over_state,
            "closed_form": sensitivity_over_state_closed,
        },
        form=1.0,
        relation=">",
        mutants={"by the cube of the gap": lambda lam, rho: (1 - lam) ** -3},
    ),
    "zucchet:text:c1-rate-by-input": Evidence(
        points("lam rho", (0.4, 0.5), (0.8, -0.6), (-0.7, 0.3)),
        {
            "reference": constant_sensitivity_rate,
            "impulse": constant_sensitivity_rate_impulse,
        },
        proof=proofs.rate_depends_on_input,
    ),
    "zucchet:text:one-dimensional-loss": by_code(
        points("lam mu", (0.6 + 0.3j, 0.5), (-0.4, 0.7j)),
        averaged_loss,
        partial(in_expectation, mean_loss),
        mutants={
            name: partial(in_expectation, wrong) for name, wrong in WRONG_LOSSES.items()
        },
    ),
    "zucchet:text:one-dimensional-input": by_code(
        ({"x": (-1.5, -0.5, 0.0, 0.5, 1.5)},),
        sampled_shares,
        normal_shares,
        route="monte_carlo",
        tolerance=0.01,  # nine standard errors of the largest share
        mutants={
            "uniform, of unit variance": lambda x: np.clip(
                0.5 + np.array(x) / 12**0.5, 0, 1
            ),
            "of variance two": partial(normal_shares, scale=2**0.5),
            "of mean a half": lambda x: normal_shares([value - 0.5 for value in x]),
        },
    ),
    "zucchet:text:one-dimensional-other-inputs": Evidence(
        points(
            "rho angle",
            *((0.0, 0.0), (0.9, 0.0), (-0.9, 0.0), (0.5, 2.0)),
            *((1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)),
        ),
        each(growth, {"reference": sharpness, "closed_form": sharpness_closed}),
        form=1.0,
        relation=">",
        mutants={"by the fourth power of the gap": 1e4},
        example=Example(
            "under alternating input, the curvature at lam* = 0.999 divided by the "
            "curvature at 0.99",
            {"rho": -1.0},
            "above 1",
            lambda rho: growth(sharpness_closed, rho, 0.0),
        ),
    ),
    "zucchet:text:one-dimensional-stable": Evidence(
        points("lam", 0.97, -0.8, 0.6 + 0.7j),
        {"reference": largest_jacobian, "impulse": largest_jacobian_impulse},
        form=1.0,
        relation="<",
        mutants={
            "of two steps": lambda lam: abs(lam) ** 2,
            "the gap": lambda lam: 1 - abs(lam),
            "the real part": lambda lam: complex(lam).real,
        },
    ),
    "zucchet:text:one-dimensional-flat": Evidence(
        points("theta gap", (0.6, 0.05), (1.8, 0.1), (2.6, 0.1)),
        each(vanishing, PARTIALS),
        form=0.0,
        relation=">",
        proof=circle_is_flat,
        mutants={"as the square of the gap": 2.0},
    ),
    "zucchet:text:one-dimensional-sharp": by((2, 0), PLAIN),
    "zucchet:text:one-dimensional-sharp-angle": by((0, 2), PLAIN),
}
