"""Evidence on time constants that grow with the position: spectra, channel by channel."""

import itertools
import math
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import legendre, points
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory.tapers import fitting_channels, fitting_when_stretched

Spectrum = Float[np.ndarray, " channels"]


def fitting(N: int, t: float, T: float) -> int:
    """Number of time constants up to ``t``, out of ``N`` geometric ones up to ``T``."""
    return int(np.sum(np.geomspace(1.0, T, N) <= t))


def fitting_by_powers(N: int, t: float, T: float) -> int:
    """By exact powers: ``T^k <= t^(N-1)``."""
    return sum(Fraction(T) ** k <= Fraction(t) ** (N - 1) for k in range(N))


def excess_by_integral(N: int, T: float) -> float:
    """Integral between the positions at which the count changes, by Gauss-Legendre."""
    jumps = np.log(np.geomspace(1.0, T, N))
    integral = 0.0
    for low, high in itertools.pairwise(jumps):
        logs, weights = legendre(low, high, 3)
        counts = np.array([fitting(N, math.exp(each), T) for each in logs])
        integral += float(weights @ (counts - N * logs / math.log(T)) ** 2)
    return integral / math.log(T)


def excess_by_pairs(N: int, T: float) -> float:
    """Sum over pairs of channels, each counted from its own logarithm."""
    x = np.log(np.geomspace(1.0, T, N)) / math.log(T)
    squared = np.sum(1 - np.maximum.outer(x, x))
    return float(squared - N * np.sum(1 - x**2) + N**2 / 3)


def spectrum(gap: float, mean: float, N: int) -> Spectrum:
    """Logarithms of rates from zero, with a given second gap and mean gap."""
    others = 3.0 + np.cos(np.arange(N - 2))
    others *= (mean * (N - 1) - gap) / others.sum()
    return np.concatenate([[0.0], np.cumsum(np.insert(others, 1, gap))])


def released_exponents(logs: Spectrum, T: float) -> Spectrum:
    """The exponents as PoST's code computes them."""
    k, rises = np.arange(len(logs)), logs - logs[0]
    even = rises[-1] / (len(logs) - 1)
    taper = (len(logs) - 1 - k) / (len(logs) - 1)
    return np.clip(taper + (rises - k * even) / math.log(T), 0.0, 1.0)


def exponent_by_line(N: int, k: int, rise: float, total: float, T: float) -> float:
    """By the straight line between both ends at position ``T``."""
    aim = np.interp(k, [0, N - 1], [-math.log(T), total])
    return float(rise - aim) / math.log(T)


def exponent_by_equations(N: int, k: int, rise: float, total: float, T: float) -> float:
    """By linear equations: at ``T`` every log rate is the mean of its neighbours."""
    logs = np.interp(np.arange(N), [0, k, N - 1], [0.0, rise, total])
    differences = np.eye(N)
    for row in range(1, N - 1):
        differences[row, row - 1 : row + 2] = -1.0, 2.0, -1.0
    right = differences @ logs / math.log(T)
    right[[0, -1]] = 1.0, 0.0
    return float(np.linalg.solve(differences, right)[k])


def gap_by_code(N: int, gap: float, mean: float, t: float, T: float) -> float:
    """By rates and exponents of the code at the position."""
    logs = spectrum(gap, mean, N)
    constants = np.exp(-logs) * t ** released_exponents(logs, T)
    return float(np.log(constants[1] / constants[2]))


def gap_by_ends(N: int, gap: float, mean: float, t: float, T: float) -> float:
    """Gap from logarithms that are linear in the log position, between both ends."""
    first = -spectrum(gap, mean, N)
    last = np.linspace(first[0] + math.log(T), first[-1], N)
    share = math.log(t) / math.log(T)
    now = (1 - share) * first + share * last
    return float(now[1] - now[2])


def stretched(N: int, t: float, T: float) -> int:
    """Number of the code's initial time constants that are at most ``t``."""
    logs = np.linspace(-math.log(T), 0.0, N)
    constants = np.exp(-logs) * t ** released_exponents(logs, T)
    return int(np.sum(constants <= t))


def stretched_by_powers(N: int, t: float, T: float) -> int:
    """By exact powers: ``(t T)^k <= t^(N-1)``."""
    longest = Fraction(t) * Fraction(T)
    return sum(longest**k <= Fraction(t) ** (N - 1) for k in range(N))


_GAP = "N gap mean t T"
_GAP_ROUTES = {"exponents": gap_by_code, "ends": gap_by_ends}

EVIDENCE: dict[str, Basis] = {
    "sigprop:fitting-channels": Evidence(
        points(
            "N t T", (8, 20.5, 1000), (64, 311.3, 2048), (17, 2.45, 90), (40, 7.7, 60)
        ),
        {"channels": fitting, "powers": fitting_by_powers},
        form=fitting_channels,
        mutants={
            "in proportion": lambda N, t, T: N * math.log(t) / math.log(T),
            "not the fastest channel": lambda N, t, T: fitting_channels(N, t, T) - 1,
        },
        hand={
            "the nearest whole number": lambda N, t, T: round(
                N * math.log(t) / math.log(T)
            ),
            "N intervals": lambda N, t, T: fitting_channels(N + 1, t, T),
        },
    ),
    "sigprop:fitting-excess": Evidence(
        points("N T", (2, 50), (5, 300), (24, 2048)),
        {"integral": excess_by_integral, "pairs": excess_by_pairs},
    ),
    "sigprop:taper-exponent": Evidence(
        points(
            "N k rise total T",
            (6, 2, 1.3, 4.1, 300),
            (24, 17, 6.2, 7.5, 2048),
            (9, 1, 0.2, 5.0, 90),
        ),
        {"line": exponent_by_line, "equations": exponent_by_equations},
        mutants={
            "the docstring": lambda N, k, rise, total, T: (
                (N - k) / (N - 1) + (rise - k * total / (N - 1)) / math.log(T)
            ),
        },
    ),
    "sigprop:taper-gap": Evidence(
        points(
            _GAP,
            (6, 0.9, 1.0, 20.5, 300),
            (24, 0.2, 0.35, 311.3, 2048),
            (9, 0.8, 0.5, 1500.0, 900),
        ),
        _GAP_ROUTES,
        mutants={
            "geometric at all positions": lambda N, mean, t, **_: (
                mean + math.log(t) / (N - 1)
            ),
        },
    ),
    "sigprop:taper-even": Evidence(
        points(
            _GAP,
            (6, 0.7, 0.7, 20.5, 300),
            (9, 0.8, 0.5, 900.0, 900),
            (24, 0.2, 0.35, 311.3, 2048),
            (9, 0.8, 0.5, 1500.0, 900),
        ),
        _GAP_ROUTES,
        example=Example(
            "the ratio of the two shortest time constants, of rates 1, 2 and 16",
            {"t": 4, "T": 16},
            8.0,
            lambda t, T: math.exp(gap_by_ends(3, math.log(8), math.log(4), t, T)),
        ),
    ),
    "sigprop:fitting-stretched": Evidence(
        points(
            "N t T", (8, 20.5, 1000), (64, 311.3, 2048), (33, 91.3, 90), (40, 7.7, 60)
        ),
        {"exponents": stretched, "powers": stretched_by_powers},
        form=fitting_when_stretched,
        mutants={
            "constant exponents": fitting_channels,
            "not the fastest channel": lambda N, t, T: (
                fitting_when_stretched(N, t, T) - 1
            ),
        },
        hand={
            "a half": lambda N, **_: (N + 1) // 2,
            "N intervals": lambda N, t, T: fitting_when_stretched(N + 1, t, T),
        },
    ),
}
