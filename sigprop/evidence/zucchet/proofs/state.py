"""What judges the state, Appendix B.2.1 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from itertools import product

import numpy as np
from jaxtyping import Complex
from sympy import expand, symbols

from sigprop.evidence.kit import across, each, points, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.responses import (
    LONG,
    RESPONSES,
    line_moment,
    state_moment,
)
from sigprop.evidence.zucchet.proofs.sequences import (
    AGES,
    EIGENVALUES,
    INPUTS,
    ONE_SIDED,
    REAL_LINES,
    REAL_SPECTRUM,
    UNEVEN,
    Sequence,
    Spectrum,
    ages,
)
from sigprop.judge.basis import Basis, Evidence
from theory.autocorrelation import same_form
from theory.papers.zucchet import forms
from theory.symbols import lam, lam_bar

# The autocovariance.


def autocovariance(R: Spectrum) -> Complex[np.ndarray, " lags"]:
    """``E[x_{t + lag} conj(x_t)]`` at lags 0 to 5 of spectral lines, over their phases."""
    freqs, weights = np.array(R.lines).T
    phases = 2 * np.pi * np.arange(8) / 8
    x = np.exp(1j * (np.arange(8)[:, None, None] * freqs[:, None] + phases))
    products = x[2 + np.arange(6)] * x[2].conj()
    return products.mean(axis=2) @ weights


def reversed_autocovariance(R: Spectrum) -> list[complex]:
    """``conj(R(-lag))`` at lags 0 to 5."""
    return [complex(R(-lag)).conjugate() for lag in range(6)]


# The second moment, by sums over pairs of inputs.


def _states(
    lam: complex, x: Complex[np.ndarray, "steps series"]
) -> Complex[np.ndarray, "steps series"]:
    """The recurrence through the package's scan."""
    from sigprop.neuron.recurrence import linear_recurrence

    return computed(linear_recurrence, np.full(x.shape[1], lam, complex), x)


def ensemble_moment(lam: complex, x: Sequence) -> float:
    """``E|h_0|^2`` over three series cut from ``x`` fifty steps apart, by simulation."""
    ages = range(AGES // 2 - 1, -1, -1)
    series = np.array([[x(50 * k - n) for k in range(3)] for n in ages], complex)
    return float(np.mean(np.abs(_states(lam, series)[-1]) ** 2))


def ensemble_moment_direct(lam: complex, x: Sequence) -> float:
    """``E|h_0|^2`` over three series cut from ``x``, each filtered directly."""
    ages = range(AGES // 2)
    states = [sum(lam**n * x(50 * k - n) for n in ages) for k in range(3)]
    return float(np.mean(np.abs(states) ** 2))


def covariance(x: Sequence, older: int, newer: int) -> complex:
    """``E[x_older conj(x_newer)]`` over three equally likely series cut from ``x``."""
    cuts = [(x(older + 50 * k), x(newer + 50 * k)) for k in range(3)]
    return sum(a * complex(b).conjugate() for a, b in cuts) / 3


def _pairs(lam: complex, weight: Callable[[int, int], complex], ages: range) -> complex:
    back = complex(lam).conjugate()
    return sum(
        lam**n * back**m * weight(n, m) for n, m in product(ages, repeat=2)
    )  # fmt: skip


def pairs_of_inputs(lam: complex, x: Sequence) -> complex:
    """Right side of Eq. 43 for the series that ``covariance`` averages over."""
    return _pairs(lam, lambda n, m: covariance(x, -n, -m), range(AGES // 2))


def pairs_by_lag(lam: complex, R: Sequence) -> complex:
    """Right side of Eq. 44 as corrected: the lag of a pair is m - n."""
    return _pairs(lam, lambda n, m: R(m - n), ages())


def pairs_by_printed_lag(lam: complex, R: Sequence) -> complex:
    """Right side of Eq. 44 as printed: the lag of a pair is n - m."""
    return _pairs(lam, lambda n, m: R(n - m), ages())


def pairs_without_bar(lam: complex, R: Sequence) -> complex:
    """Slip of Eq. 44: the second eigenvalue is not conjugated."""
    return sum(lam ** (n + m) * R(m - n) for n, m in product(ages(), repeat=2))


def pairs_of_one_sign(lam: complex, R: Sequence) -> complex:
    """Slip of Eq. 44: lags of one sign for both."""
    return _pairs(lam, lambda n, m: R(abs(m - n)), ages())


def pairs_from_one(lam: complex, R: Sequence) -> complex:
    """Slip of Eq. 44: the newest input is left out."""
    return _pairs(lam, lambda n, m: R(m - n), ages(1))


def square_of_a_sum() -> bool:
    """The square of a sum of inputs is the sum over pairs, its mean taken termwise."""
    x, back, ages = symbols("x_0:5"), symbols("y_0:5"), range(5)
    h = sum(lam**i * x[i] for i in ages)
    conjugate = sum(lam_bar**i * back[i] for i in ages)
    pairs = sum(
        lam**i * lam_bar**j * x[i] * back[j] for i, j in product(ages, repeat=2)
    )
    return expand(h * conjugate - pairs) == 0


# The second moment, line by line.


def spectral_moment(lam: complex, R: Spectrum) -> float:
    """``E|h|^2`` of a process of spectral lines: each passes the filter by itself."""
    return line_moment(powers(complex(lam), LONG), R)


def simulated_moment(lam: complex, R: Spectrum) -> float:
    """``E|h|^2`` of a process of spectral lines, the package's scan run on each line."""
    freqs, weights = np.array(R.lines).T
    lines = np.exp(1j * np.outer(np.arange(LONG), freqs))
    return float(weights @ np.abs(_states(lam, lines)[-1]) ** 2)


def real_state(lam: float, R: Sequence) -> complex:
    """Right side of Eq. 5."""
    lags = sum(lam**d * R(d) for d in ages(1))
    return (R(0) + 2 * lags) / (1 - lam**2)


LINES = (
    *across(lam=EIGENVALUES, R=(REAL_SPECTRUM,)),
    *across(lam=EIGENVALUES, R=(ONE_SIDED, UNEVEN)),
)
DECAYS = zip((*EIGENVALUES, 0.5 + 0.3j), (0.4, -0.7, 0.9, 0.6, 1.0), strict=True)

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:stationary": Evidence(
        points("R", ONE_SIDED, UNEVEN),
        {"reference": autocovariance},
        reversed_autocovariance,
        alone="a definition; judged on what follows, R(-D) = conj(R(D))",
    ),
    "zucchet:43": Evidence(
        INPUTS,
        {"impulse": ensemble_moment, "reference": ensemble_moment_direct},
        pairs_of_inputs,
        proof=square_of_a_sum,
    ),
    "zucchet:44": Evidence(
        LINES,
        {"reference": spectral_moment, "impulse": simulated_moment},
        pairs_by_lag,
        pairs_by_printed_lag,
        slips={
            "no conjugate": pairs_without_bar,
            "lags without their sign": pairs_of_one_sign,
            "from one on": pairs_from_one,
        },
    ),
    "zucchet:46": Evidence(points("lam rho", *DECAYS), each(state_moment, RESPONSES)),
    "zucchet:text:real-state": Evidence(
        REAL_LINES,
        {"reference": spectral_moment},
        real_state,
        proof=lambda: same_form(forms.eq_45().subs(lam_bar, lam), forms.eq_5()),
    ),
}
