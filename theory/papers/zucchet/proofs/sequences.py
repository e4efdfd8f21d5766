"""Zucchet & Orvieto (2024), Appendix B: sequences, inputs and the forms that are sums.

A sequence is a plain function of an integer with a name; sums over it run to ``AGES``,
where every geometric weight used here is far below rounding.
"""

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

AGES = 90


@dataclass(frozen=True)
class Series:
    """A number at every integer."""

    name: str
    rule: Callable[[int], complex]

    def __call__(self, index: int) -> complex:
        """The number at ``index``."""
        return self.rule(index)

    def __str__(self) -> str:
        return self.name


CHIRP = Series("cos(D^2)", lambda d: math.cos(d * d))
COMPLEX = Series("exp(i D^2)", lambda d: cmath.exp(1j * d * d))
FADING = Series("0.7^|D| exp(i D^2)", lambda d: 0.7 ** abs(d) * cmath.exp(1j * d * d))
GROWING = Series("1.2^|D|", lambda d: 1.2 ** abs(d))
SHORT = Series("1, -0.6, 0.3, 0, ...", lambda d: (1.0, -0.6, 0.3, 0.0)[min(abs(d), 3)])
LOPSIDED = Series("cos(D^2) + sin(D)/2", lambda d: math.cos(d * d) + math.sin(d) / 2)
TURNING = Series("exp(0.7 i D)", lambda d: cmath.exp(0.7j * d))

REAL_INPUT = Series("cos(1 + t^2)", lambda t: math.cos(1 + t * t))
COMPLEX_INPUT = Series(
    "cos(1 + t^2) + i sin(3 t)", lambda t: complex(math.cos(1 + t * t), math.sin(3 * t))
)


@dataclass(frozen=True)
class Spectrum:
    """A stationary process ``exp(i (w t + phase))``, ``w`` drawn, the phase uniform.

    Its autocovariance is real exactly if ``w`` and ``-w`` are equally likely.
    """

    name: str
    lines: tuple[tuple[float, float], ...]

    def __call__(self, lag: int) -> complex:
        """``E[x_{t + lag} conj(x_t)]``."""
        return sum(weight * cmath.exp(1j * freq * lag) for freq, weight in self.lines)

    def __str__(self) -> str:
        return self.name


REAL_SPECTRUM = Spectrum(
    "lines at 0, +-0.4, +-2", ((0, 0.2), (0.4, 0.3), (-0.4, 0.3), (2, 0.1), (-2, 0.1))
)
ONE_SIDED = Spectrum("a line at 0.8", ((0.8, 1.0),))
UNEVEN = Spectrum("lines at 0.3 and -1.9", ((0.3, 0.6), (-1.9, 0.4)))


def ages(first: int = 0) -> range:
    """The ages that matter."""
    return range(first, AGES)


def bracket(alpha, beta, u):
    """Right side of Eq. 34 and 38."""
    return (
        u(0) + sum((alpha**d + beta**d) * u(d) for d in ages(1))
    ) / (1 - alpha * beta)  # fmt: skip


def bracket_from_zero(alpha, beta, u):
    """Slip: the sum over lags counts lag zero too."""
    return (u(0) + sum((alpha**d + beta**d) * u(d) for d in ages())) / (
        1 - alpha * beta
    )


def bracket_one_sided(alpha, beta, u):
    """Slip: only the lags of one sign."""
    return (u(0) + sum(alpha**d * u(d) for d in ages(1))) / (1 - alpha * beta)


def three_sets(alpha, beta, u):
    """Right side of Eq. 35: pairs with n = m, with n > m and with n < m."""
    equal = sum(alpha**n * beta**n * u(0) for n in ages())
    later = sum(alpha**n * beta**m * u(n - m) for n in ages() for m in range(n))
    earlier = sum(alpha**n * beta**m * u(n - m) for m in ages() for n in range(m))
    return equal + later + earlier


def two_sets(alpha, beta, u):
    """Slip: pairs with n < m are forgotten."""
    return sum(
        alpha**n * beta**m * u(n - m) for n, m in product(ages(), repeat=2) if n >= m
    )


def two_sides(alpha, beta, u):
    """Right side of Eq. 36, whose lags of either sign stay apart."""
    diagonal = sum((alpha * beta) ** n for n in ages())
    return diagonal * (
        u(0)
        + sum(alpha**d * u(d) for d in ages(1))
        + sum(beta**d * u(-d) for d in ages(1))
    )


def sides_exchanged(alpha, beta, u):
    """Slip: beta goes with the positive lags."""
    return two_sides(beta, alpha, u)


def summed_diagonal(alpha, beta, u):
    """Right side of Eq. 37."""
    return sum((alpha * beta) ** n for n in ages()) * (
        u(0) + sum((alpha**d + beta**d) * u(d) for d in ages(1))
    )


def derived_once(alpha, beta, u):
    """The sum in Eq. 40, by beta alone, ahead of the derivative by alpha."""
    return sum(
        m * alpha**n * beta ** (m - 1) * u(n - m)
        for n, m in product(ages(), ages(1))
    )  # fmt: skip


def derived_twice(alpha, beta, u):
    """Right side of Eq. 41; the terms without n or m vanish, at zero by convention."""
    return sum(
        n * m * alpha ** (n - 1) * beta ** (m - 1) * u(n - m)
        for n, m in product(ages(1), repeat=2)
    )


def state(lam, x, at=0):
    """``h_at`` by Eq. 42."""
    return sum(lam**n * x(at - n) for n in ages())


def filtered_state(lam, x):
    """Right side of Eq. 50."""
    return sum(lam**n * state(lam, x, -n - 1) for n in ages())


def twice_filtered(lam, x):
    """Right side of Eq. 51."""
    return sum(
        lam**n * sum(lam**m * x(-n - m - 1) for m in ages()) for n in ages()
    )  # fmt: skip


def sum_of_pairs(lam, x):
    """Right side of Eq. 52."""
    return sum(lam ** (n + m) * x(-(n + m + 1)) for n, m in product(ages(), repeat=2))


def sensitivity(lam, x):
    """``dh_0/dlam`` by Eq. 53 as corrected."""
    return sum(n * lam ** (n - 1) * x(-n) for n in ages(1))


def late_by_one(lam, x):
    """Slip: the newest state counts, as in a sum of lam^n h_{-n}."""
    return sum(lam**n * state(lam, x, -n) for n in ages())


def both_slopes(lam, x):
    """Derivatives of a holomorphic state by the real and the imaginary part."""
    return [sensitivity(lam, x), 1j * sensitivity(lam, x)]


def covariance(x: Series, older: int, newer: int) -> complex:
    """``E[x_older conj(x_newer)]`` over three equally likely series cut from ``x``."""
    cuts = [(x(older + 50 * k), x(newer + 50 * k)) for k in range(3)]
    return sum(a * complex(b).conjugate() for a, b in cuts) / 3


def pairs_of_inputs(lam, x):
    """Right side of Eq. 43 for the series that ``covariance`` averages over."""
    back = complex(lam).conjugate()
    return sum(
        lam**n * back**m * covariance(x, -n, -m)
        for n, m in product(range(AGES // 2), repeat=2)
    )


def pairs_by_lag(lam, R):
    """Right side of Eq. 44 as printed: the lag of a pair is n - m."""
    back = complex(lam).conjugate()
    return sum(
        lam**n * back**m * R(n - m) for n, m in product(ages(), repeat=2)
    )  # fmt: skip


def real_state(lam, R):
    """Right side of Eq. 5."""
    lags = sum(lam**d * R(d) for d in ages(1))
    return (R(0) + 2 * lags) / (1 - lam**2)


def real_sensitivity(lam, R):
    """Right side of Eq. 6."""
    second = sum(d * lam**d * R(d) for d in ages(1))
    return (1 + lam**2) / (1 - lam**2) ** 2 * real_state(lam, R) + (
        2 * second / (1 - lam**2) ** 2
    )


def real_sensitivity_57(lam, R):
    """Right side of Eq. 57 as printed, at a real eigenvalue."""
    second = sum(d * lam**d * R(d) for d in ages(1))
    first = real_state(lam, R) * (1 - lam**2)
    return (1 + lam**2) / (1 - abs(lam)) ** 3 * first + 2 * second / (1 - lam**2) ** 2


def backpropagated(lam, x, target):
    """``dL/dx_t`` for the loss ``sum |h_t - target_t|^2``, holomorphic derivatives.

    The errors are ``dL/dh_t = conj(h_t - target_t)``; they are filtered with ``lam``.
    """
    steps, h, errors = range(8), 0j, []
    for t in steps:
        h = lam * h + x(t)
        errors.append((h - target(t)).conjugate())
    return [sum(lam**k * errors[t + k] for k in range(len(errors) - t)) for t in steps]
