"""Evidence for the state, Appendix B.2.1 of Zucchet & Orvieto (2024)."""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from jaxtyping import Complex
from sympy import expand, symbols

from sigprop.evidence.kit import across, each, points, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.moments.lines import wave_by_lag
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
    REAL_PAIR,
    REAL_SPECTRUM,
    UNEVEN,
    Sequence,
    Spectrum,
    ages,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.symbols import lam, lam_bar

# The autocovariance.


def autocovariance(R: Spectrum) -> Complex[np.ndarray, " lags"]:
    """``E[x_{t + lag} conj(x_t)]`` at lags 0 to 5 of spectral lines, over their phases."""
    freqs, weights = np.array(R.lines).T
    phases = 2 * np.pi * np.arange(8) / 8
    x = np.exp(1j * (np.arange(8)[:, None, None] * freqs[:, None] + phases))
    products = x[2 + np.arange(6)] * x[2].conj()
    return products.mean(axis=2) @ weights


def reversed_autocovariance(
    R: Spectrum, late: int = 0, sign: int = -1, bar: bool = True
) -> list[complex]:
    """``conj(R(-lag))`` at lags 0 to 5.

    Args:
        R: The autocovariance.
        late: Number added to each lag, for a mutant.
        sign: Sign of the lag on the right; plus for a mutant.
        bar: False for a mutant without the conjugate.
    """
    lags = [complex(R(sign * lag + late)) for lag in range(6)]
    return [value.conjugate() if bar else value for value in lags]


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


def pairs_of_inputs(
    lam: complex, x: Sequence, oldest: int = 0, turned: bool = False
) -> complex:
    """Right side of Eq. 43 for the series that ``covariance`` averages over.

    Args:
        lam: Eigenvalue.
        x: Sequence from which the series are cut.
        oldest: The first age of the sum; not zero for a mutant.
        turned: True for a mutant that conjugates the other input of a pair.
    """

    def weight(n: int, m: int) -> complex:
        return covariance(x, -m, -n) if turned else covariance(x, -n, -m)

    return _pairs(lam, weight, range(oldest, AGES // 2))


def squared_pairs_of_inputs(lam: complex, x: Sequence) -> complex:
    """Mutant of Eq. 43: the second eigenvalue is not conjugated."""
    pairs = product(range(AGES // 2), repeat=2)
    return sum(lam ** (n + m) * covariance(x, -n, -m) for n, m in pairs)


def pairs_by_lag(lam: complex, R: Sequence, oldest: int = 0) -> complex:
    """Right side of Eq. 44; the first age is not zero for a mutant."""
    return _pairs(lam, lambda n, m: R(n - m), ages(oldest))


def pairs_without_bar(lam: complex, R: Sequence) -> complex:
    """Mutant of Eq. 44: the second eigenvalue is not conjugated."""
    return sum(lam ** (n + m) * R(n - m) for n, m in product(ages(), repeat=2))


def pairs_by_sum(lam: complex, R: Sequence) -> complex:
    """Mutant of Eq. 44: the sum of the ages instead of their difference."""
    return _pairs(lam, lambda n, m: R(n + m), ages())


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
    """``E|h|^2`` of a process of spectral lines, filtered line by line."""
    return line_moment(powers(complex(lam), LONG), R)


def simulated_moment(lam: complex, R: Spectrum) -> float:
    """``E|h|^2`` of a process of spectral lines, the package's scan run on each line."""
    freqs, weights = np.array(R.lines).T
    lines = np.exp(1j * np.outer(np.arange(LONG), freqs))
    return float(weights @ np.abs(_states(lam, lines)[-1]) ** 2)


def real_state(lam: float, R: Sequence, oldest: int = 1, sides: int = 2) -> complex:
    """Right side of Eq. 5; other first lags, or lags of one sign, are mutants."""
    lags = sum(lam**d * R(d) for d in ages(oldest))
    return (R(0) + sides * lags) / (1 - lam**2)


DECAYS = zip((*EIGENVALUES, 0.5 + 0.3j), (0.4, -0.7, 0.9, 0.6, 1.0), strict=True)

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:stationary": Evidence(
        points("R", ONE_SIDED, UNEVEN),
        {"reference": autocovariance},
        reversed_autocovariance,
        mutants={
            "even": partial(reversed_autocovariance, bar=False),
            "real": partial(reversed_autocovariance, sign=1),
            "late by one": partial(reversed_autocovariance, late=1),
        },
        alone="a definition; judged on what follows, R(-D) = conj(R(D))",
    ),
    "zucchet:43": Evidence(
        INPUTS,
        {"impulse": ensemble_moment, "reference": ensemble_moment_direct},
        pairs_of_inputs,
        proof=square_of_a_sum,
        mutants={
            "no conjugate": squared_pairs_of_inputs,
            "the other input conjugated": partial(pairs_of_inputs, turned=True),
            "from one on": partial(pairs_of_inputs, oldest=1),
        },
    ),
    "zucchet:44": Evidence(
        across(lam=EIGENVALUES, R=(REAL_SPECTRUM, REAL_PAIR)),
        {"reference": spectral_moment, "impulse": simulated_moment},
        pairs_by_lag,
        proof=wave_by_lag,
        mutants={
            "no conjugate": pairs_without_bar,
            "ages added": pairs_by_sum,
            "from one on": partial(pairs_by_lag, oldest=1),
        },
    ),
    "zucchet:46": Evidence(points("lam rho", *DECAYS), each(state_moment, RESPONSES)),
    "zucchet:text:real-state": Evidence(
        REAL_LINES,
        {"reference": spectral_moment},
        real_state,
        mutants={
            "lags of one sign": partial(real_state, sides=1),
            "lag zero thrice": partial(real_state, oldest=0),
        },
        proof=lambda: same_form(forms.eq_45().subs(lam_bar, lam), forms.eq_5()),
    ),
}
