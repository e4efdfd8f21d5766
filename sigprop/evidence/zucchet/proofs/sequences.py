"""Sequences, inputs and autocovariances for the evidence on Zucchet's Appendix B.

A sequence is a function of an integer with a name.  Sums over it run to ``AGES``, where
every geometric weight that is used here is far below rounding.

Source: Zucchet & Orvieto (2024), Appendix B.
"""

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Inexact

from sigprop.evidence.kit import across

AGES = 90
Sequence = Callable[[int], complex]


@dataclass(frozen=True)
class Series:
    """A sequence: a number for every integer."""

    name: str
    rule: Sequence

    def __call__(self, index: int) -> complex:
        """The number at ``index``."""
        return self.rule(index)

    def __str__(self) -> str:
        return self.name


CHIRP = Series("cos(D^2)", lambda d: math.cos(d * d))
COMPLEX = Series("exp(i D^2)", lambda d: cmath.exp(1j * d * d))
FADING = Series("0.7^|D| exp(i D^2)", lambda d: 0.7 ** abs(d) * cmath.exp(1j * d * d))
SHORT = Series("1, -0.6, 0.3, 0, ...", lambda d: (1.0, -0.6, 0.3, 0.0)[min(abs(d), 3)])
LOPSIDED = Series("cos(D^2) + sin(D)/2", lambda d: math.cos(d * d) + math.sin(d) / 2)
TURNING = Series("exp(0.7 i D)", lambda d: cmath.exp(0.7j * d))

REAL_INPUT = Series("cos(1 + t^2)", lambda t: math.cos(1 + t * t))
COMPLEX_INPUT = Series(
    "cos(1 + t^2) + i sin(3 t)", lambda t: complex(math.cos(1 + t * t), math.sin(3 * t))
)


@dataclass(frozen=True)
class Spectrum:
    """A stationary process ``exp(i (w t + phase))``, ``w`` random and uniform phase.

    Its autocovariance is real if and only if ``w`` and ``-w`` are equally likely.
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
REAL_PAIR = Spectrum(
    "lines at +-1.1, +-2.6",
    tuple(zip((1.1, -1.1, 2.6, -2.6), (0.4, 0.4, 0.1, 0.1), strict=True)),
)
ONE_SIDED = Spectrum("a line at 0.8", ((0.8, 1.0),))
QUARTER = Spectrum("a wave of period four", ((math.pi / 2, 1.0),))
UNEVEN = Spectrum("lines at 0.3 and -1.9", ((0.3, 0.6), (-1.9, 0.4)))

EIGENVALUES = (0.5 + 0.3j, -0.4 + 0.2j, 0.6, -0.55j)
INPUTS = across(lam=EIGENVALUES, x=(COMPLEX_INPUT,))
REAL_LINES = across(lam=(0.6, 0.3, -0.5), R=(REAL_SPECTRUM,))


def ages(first: int = 0) -> range:
    """The ages up to which sums run."""
    return range(first, AGES)


def past(x: Sequence, steps: int = AGES) -> Complex[np.ndarray, " steps"]:
    """Inputs from the oldest age up to ``x_0``."""
    return np.array([x(-n) for n in reversed(range(steps))], complex)


def first(x: Sequence, steps: int = 8) -> Inexact[np.ndarray, " steps"]:
    """Inputs from ``x_0`` onwards."""
    return np.array([x(t) for t in range(steps)])
