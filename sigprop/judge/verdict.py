"""Plans and verdicts of simulations: confirmed, refuted or inconclusive.

A claim about a moment is judged by the ratio ``R = mean(s) / F`` of the mean of ``n``
independent samples to the closed form.  The claim is *refuted* if the two-sided interval at
level ``beta`` excludes 1.  It is *confirmed within d* if both one-sided tests of
``R >= 1 + d`` and ``R <= 1 - d`` reject at level ``alpha`` (equivalence test).  Otherwise it
is *inconclusive*, which counts as a failure.  The sample size is fixed before the run.
"""

import functools
import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy
from jaxtyping import Float

ALPHA = 1e-6  # probability that a form wrong by the margin is confirmed, per claim
BETA = 1e-7  # probability that a right form is not confirmed, per comparison
SPREAD = 1.25  # measured over planned variance above which a plan no longer holds
FROZEN = 1e-6  # relative spread that rounding can cause in equal samples
BIAS = 0.01  # share of the margin that a known bias may take
GAUSSIAN_VARIANCE = 2.0  # bound on Var(s)/E[s]^2 for quadratic forms of real Gaussians


class Outcome(StrEnum):
    """The three outcomes of a simulation."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Plan:
    """Number of samples, fixed in advance, with the margin and error rates of the test.

    At a relative variance of 2, the bound for Gaussian quadratic forms, ``n R`` is
    chi-square with ``n`` degrees of freedom or less dispersed.  For other variances the
    normal distribution is used.

    Attributes:
        n: Number of samples.
        margin: Relative margin of the equivalence test.
        alpha: Level of the one-sided tests.
        beta: Level of the two-sided interval.
        variance: Relative variance ``Var(s)/E[s]^2`` of one sample.
        exact: True if the claim is an equality, false if it is an agreement within the
            margin.
        off: Bound of the relative difference between a right form and the simulated mean.
    """

    n: int
    margin: float
    alpha: float = ALPHA
    beta: float = BETA
    variance: float = GAUSSIAN_VARIANCE
    exact: bool = True
    off: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise ValueError(f"need 0 < margin < 1, got margin={self.margin}")
        if not 0 <= self.off < self.margin or (self.exact and self.off):
            raise ValueError(
                f"need 0 <= off < margin={self.margin}, and 0 of an exact claim, got "
                f"off={self.off}"
            )
        for name, level in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < level < 0.5:
                raise ValueError(f"need 0 < {name} < 0.5, got {name}={level}")
        if not (math.isfinite(self.variance) and self.variance > 0):
            raise ValueError(
                f"need a finite positive relative variance, got {self.variance}; for an "
                "infinite moment claim a quantile or a truncated moment instead"
            )

    def quantile(self, level: float) -> float:
        """Return the quantile of ``R`` if the closed form is right."""
        if self.variance == GAUSSIAN_VARIANCE:
            return float(2 * scipy.special.gammaincinv(self.n / 2, level) / self.n)
        return 1 + float(scipy.special.ndtri(level)) * math.sqrt(self.variance / self.n)

    def upper(self, level: float) -> float:
        """Return the quantile that ``R`` exceeds with probability ``level``."""
        if self.variance == GAUSSIAN_VARIANCE:
            return float(scipy.special.chdtri(self.n, level) / self.n)
        return 1 - float(scipy.special.ndtri(level)) * math.sqrt(self.variance / self.n)

    @property
    def acceptance(self) -> tuple[float, float]:
        """Smallest and largest ratio at which the claim is confirmed."""
        return (
            (1 - self.margin) * self.upper(self.alpha),
            (1 + self.margin) * self.quantile(self.alpha),
        )

    @property
    def allowed(self) -> tuple[float, float]:
        """Smallest and largest ratio of truth to form at which the claim is right."""
        return (1.0, 1.0) if self.exact else (1 - self.margin, 1 + self.margin)

    @property
    def power(self) -> float:
        """Probability that a right form is confirmed."""
        low, high = self.acceptance
        low = max(low, self.allowed[0] * self.quantile(self.beta / 2))
        high = min(high, self.allowed[1] * self.upper(self.beta / 2))
        return min(
            max(0.0, self._below(high / true) - self._below(low / true))
            for true in (1 - self.off, 1 + self.off)
        )

    def _below(self, ratio: float) -> float:
        if self.variance == GAUSSIAN_VARIANCE:
            return float(scipy.special.chdtr(self.n, ratio * self.n))
        return float(
            scipy.special.ndtr((ratio - 1) / math.sqrt(self.variance / self.n))
        )

    @property
    def decides(self) -> bool:
        """True if a right form is confirmed with probability ``1 - beta`` or more."""
        low, high = self.acceptance
        return all(
            self._tail(low / true, high / true) <= self.beta
            for true in (1 - self.off, 1 + self.off)
        )

    def _tail(self, low: float, high: float) -> float:
        if low >= high:
            return 1.0
        if self.variance == GAUSSIAN_VARIANCE:
            return float(
                scipy.special.chdtr(self.n, low * self.n)
                + scipy.special.chdtrc(self.n, high * self.n)
            )
        scale = math.sqrt(self.variance / self.n)
        return float(
            scipy.special.ndtr((low - 1) / scale)
            + scipy.special.ndtr((1 - high) / scale)
        )

    @property
    def detectable(self) -> tuple[float, float]:
        """Ratios of truth to form below and above which a wrong form is refuted.

        It is refuted with probability ``1 - beta`` or more.
        """
        return (
            self.allowed[0] * self.quantile(self.beta / 2) / self.upper(self.beta),
            self.allowed[1] * self.upper(self.beta / 2) / self.quantile(self.beta),
        )


@functools.cache
def plan(
    margin: float,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    variance: float = GAUSSIAN_VARIANCE,
    exact: bool = True,
    off: float = 0.0,
) -> Plan:
    """Return the plan with the smallest sample size that decides.

    ``n`` is close to ``V (z_{1-alpha} + z_{1-beta/2})^2 / d^2`` with ``d = margin - off``.
    For quadratic forms of Gaussians the exact chi-square distribution is used.

    Args:
        margin: Relative margin of the equivalence test, in (0, 1).
        alpha: Level of the one-sided tests.
        beta: Level of the two-sided interval.
        variance: Relative variance ``Var(s)/E[s]^2`` of one sample.
        exact: True if the claim is an equality, false if it is an agreement within the
            margin.
        off: Bound of the relative difference between a right form and the simulated mean.

    Raises:
        ValueError: If the margin, a level, the relative variance or ``off`` is out of
            range.

    Example:
        >>> plan(0.05, beta=1e-3 / 150).n
        70078
        >>> plan(0.05).n
        83348
    """
    Plan(2, margin, alpha, beta, variance, exact, off)
    z = -float(scipy.special.ndtri(alpha) + scipy.special.ndtri(beta / 2))
    guess = max(2, math.ceil(variance * z**2 / (margin - off) ** 2))

    def decides(n: int) -> bool:
        return Plan(n, margin, alpha, beta, variance, exact, off).decides

    low, high = 1, guess
    while not decides(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return Plan(high, margin, alpha, beta, variance, exact, off)


def require_enough(n: int, margin: float, variance: float = GAUSSIAN_VARIANCE) -> Plan:
    """Return the plan with a given sample size.

    Raises:
        ValueError: If the sample size is too small to decide. The message gives the
            sample size that is needed.
    """
    least = plan(margin, variance=variance).n
    if n < least:
        raise ValueError(
            f"{n} samples are too few to decide within {margin:.2%}: need n >= {least}; "
            "raise the sample size or the margin"
        )
    return Plan(n, margin, variance=variance)


def require_small(bias: float, margin: float, where: str) -> None:
    """Check that a simulated quantity is close enough to the form that it tests.

    Args:
        bias: Bound of their relative difference, which is known before the simulation.
        margin: Margin of the plan. The bias may be at most a hundredth of it.
        where: Name of the plan in the message.

    Raises:
        ValueError: If the bias is larger.
    """
    if not bias <= BIAS * margin:
        raise ValueError(
            f"need a bias of at most {BIAS * margin:.1e}, a hundredth of the margin, "
            f"got {bias:.1e} for {where}; judge the form that is simulated"
        )


@dataclass(frozen=True)
class Verdict:
    """Outcome, measured ratio and its interval at level ``beta``, and sample size."""

    outcome: Outcome
    ratio: float
    low: float
    high: float
    n: int


def judge(
    mean: float, expected: complex, plan: Plan, sem: float | None = None
) -> Verdict:
    """Judge a measured mean against a closed form.

    Args:
        mean: Sample mean of ``plan.n`` independent samples.
        expected: Value of the closed form at the simulated parameters. It is refuted
            unless it is finite and has the sign of the mean.
        plan: Plan with the sample size, the margin and the variance.
        sem: Standard error in the simulation. It does not change the interval. If the
            samples vary more than planned, the outcome is inconclusive.

    Raises:
        ValueError: If all samples are equal, or the mean is not finite.

    Example:
        >>> verdicts = [judge(mean, 2.0, plan(0.05)) for mean in (2.02, 2.2)]
        >>> [str(verdict.outcome) for verdict in verdicts]
        ['confirmed', 'refuted']
        >>> round(verdicts[0].low, 3), round(verdicts[0].high, 3)
        (0.984, 1.037)
    """
    if not math.isfinite(mean):
        raise ValueError(f"need a finite sample mean, got {mean}")
    if sem is not None and not sem * math.sqrt(plan.n) > FROZEN * abs(mean):
        raise ValueError("the samples are all equal: nothing random was simulated")
    value = complex(expected)
    if not np.isfinite(value) or abs(value.imag) > 1e-9 * abs(value) or value.real == 0:
        return Verdict(Outcome.REFUTED, math.nan, math.nan, math.nan, plan.n)
    ratio = mean / value.real
    low, high = ratio / plan.upper(plan.beta / 2), ratio / plan.quantile(plan.beta / 2)
    if plan.variance != GAUSSIAN_VARIANCE:
        half = plan.upper(plan.beta / 2) - 1
        low, high = ratio - half, ratio + half
    low, high = min(low, high), max(low, high)
    inside = plan.acceptance[0] < ratio < plan.acceptance[1]
    refuted = high < plan.allowed[0] or low > plan.allowed[1]
    outcome = Outcome.CONFIRMED if inside else Outcome.INCONCLUSIVE
    if refuted:
        outcome = Outcome.REFUTED
    if sem is not None and plan.n * (sem / mean) ** 2 > SPREAD * plan.variance:
        outcome = Outcome.INCONCLUSIVE
    return Verdict(outcome, ratio, low, high, plan.n)


@dataclass(frozen=True)
class DistancePlan:
    """Plan of a test of a distribution by the Kolmogorov distance (DKW inequality).

    A distribution is confirmed if the distance plus the band at level ``alpha`` is below
    ``margin``.  It is refuted if the distance exceeds the band at level ``beta``.
    """

    n: int
    margin: float
    alpha: float = ALPHA
    beta: float = BETA

    def band(self, level: float) -> float:
        """Return the distance that is exceeded with probability at most ``level``.

        The samples have the claimed distribution.

        Source: Massart (1990), the sharp constant of Dvoretzky, Kiefer and Wolfowitz.
        """
        return math.sqrt(math.log(2 / level) / (2 * self.n))

    @property
    def detectable(self) -> float:
        """Smallest distance of a distribution that is refuted with probability 1 - beta."""
        return 2 * self.band(self.beta)


def distance_plan(
    margin: float, alpha: float = ALPHA, beta: float = BETA
) -> DistancePlan:
    """Return the plan with the smallest sample size whose bands fit into the margin.

    Raises:
        ValueError: If the margin or a level is out of range.
    """
    Plan(2, margin, alpha, beta)  # refuses levels and margins out of range
    bands = math.sqrt(math.log(2 / alpha) / 2) + math.sqrt(math.log(2 / beta) / 2)
    return DistancePlan(math.ceil((bands / margin) ** 2), margin, alpha, beta)


def judge_uniform(samples: Float[np.ndarray, " n"], plan: DistancePlan) -> Verdict:
    """Judge samples that are uniform on [0, 1] if the claimed distribution is right.

    The ratio in the verdict is ``1 + distance``, so that 1 is agreement.

    Raises:
        ValueError: If the number of samples is not ``plan.n``.
    """
    if samples.shape[0] != plan.n:
        raise ValueError(f"need the plan's {plan.n} samples, got {samples.shape[0]}")
    ordered = np.sort(samples)
    above = np.arange(1, plan.n + 1) / plan.n
    distance = float(np.max(np.maximum(above - ordered, ordered - above + 1 / plan.n)))
    if not math.isfinite(distance):
        return Verdict(Outcome.REFUTED, math.nan, math.nan, math.nan, plan.n)
    outcome = Outcome.INCONCLUSIVE
    if distance > plan.band(plan.beta):
        outcome = Outcome.REFUTED
    elif distance + plan.band(plan.alpha) <= plan.margin:
        outcome = Outcome.CONFIRMED
    low = 1 + max(0.0, distance - plan.band(plan.beta))
    return Verdict(
        outcome, 1 + distance, low, 1 + distance + plan.band(plan.beta), plan.n
    )
