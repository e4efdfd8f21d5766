"""What judges the prose on stacks, Appendix E.1 and Fig. 6 of Orvieto et al. (2023)."""

import numpy as np
from jaxtyping import Complex

from sigprop.evidence.kit import also, legendre, points, recur
from sigprop.evidence.lru.eigenfunctions import modes_predict
from sigprop.evidence.lru.transforms import SPACING, UNITARY, line, pulse
from sigprop.judge.basis import Basis, Evidence
from theory import spectral


def causal_share(kernel: str) -> float:
    """Energy of a kernel at non-negative times, all that a causal system can match."""
    t = line(0.0, 40.0)
    x = {
        "decaying": np.where(t >= 0, np.exp(-t), 0),
        "ringing": np.where(t >= 0, np.exp(-0.5 * t) * np.cos(3 * t), 0),
        "gaussian": np.exp(-(t**2) / 2),
        "two-sided": np.exp(-np.abs(t)),
    }[kernel]
    weight = np.where(np.abs(t) < SPACING / 2, 0.5, (t > 0).astype(float))
    if kernel in ("decaying", "ringing"):
        weight = np.ones_like(t)
        weight[t < -SPACING / 2] = 0
    return float(np.sum(weight * x**2) / np.sum(x**2))


def started_sine(
    lam: complex, frequency: float, phase: float, k: int, history: int
) -> float:
    """Real output at time ``k`` under a sine with ``history`` inputs before time 0."""
    ages = np.arange(k + history + 1)
    return float(np.real(lam**ages @ np.sin(frequency * (k - ages) + phase)))


def sine_of_the_same_frequency(
    lam: complex, frequency: float, phase: float, k: int, history: int
) -> float:
    """The sine scaled and shifted by the transfer function's size and angle.

    Source: Orvieto et al. (2023), Appendix E.1.1.
    """
    del history
    forward = 1 / (1 - lam * np.exp(-1j * frequency))
    backward = np.conj(1 / (1 - lam * np.exp(1j * frequency)))
    gain = (forward + backward) / 2
    return float(np.abs(gain) * np.sin(frequency * k + phase + np.angle(gain)))


def shifted_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed lopsided signal, by quadrature."""
    t = line(delay, 20.0)
    x = (1 + (t - delay)) * np.exp(-((t - delay) ** 2) / (2 * width**2))
    return complex(SPACING * np.sum(x * np.exp(-1j * omega * t)))


def phased_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed lopsided signal, as a phase times the undelayed one's."""
    return complex(np.exp(-1j * omega * delay) * shifted_transform(omega, 0.0, width))


def rectified_sine(harmonic: int) -> complex:
    """Fourier coefficient of ``ReLU(sin t)`` at twice ``harmonic``, by quadrature."""
    t, weights = legendre(0.0, np.pi, 80)
    return complex(weights @ (np.sin(t) * np.exp(-2j * harmonic * t))) / (2 * np.pi)


def observable_growth(power: float, width: float, norm: str) -> float:
    """``|K f| / |f|`` for a map ``x^power`` on [-1, 1] and ``f`` a bump at zero."""
    if norm == "sup":
        return 1.0
    x = np.arange(0.0, 1.0, 1e-5)
    f = np.exp(-((x / width) ** 2))
    moved = np.exp(-((x**power / width) ** 2))
    return float(np.linalg.norm(moved) / np.linalg.norm(f))


def linear_map(
    lam: complex, link: complex, other: complex
) -> Complex[np.ndarray, "2 2"]:
    """``(lam x + link y, other y)`` as a matrix."""
    return np.array([[lam, link], [0, other]], complex)


def linear_map_coordinate(k: int, **point: complex) -> complex:
    """First coordinate of a linear map from (1, 1), iterated."""
    return recur(linear_map(**point), np.zeros((k, 2)), np.ones(2))[-1, 0]


def linear_map_by_modes(k: int, **point: complex) -> complex:
    """First coordinate of a linear map from (1, 1), by eigenfunctions.

    Exact where the map's eigenfunctions span the observables.
    """
    return modes_predict(linear_map(**point), np.ones(2, complex), k)


WAVES = also(
    points("lam frequency", (0.8 + 0.3j, 0.4), (-0.9, 1.7), (0.5 - 0.7j, 2.6)),
    phase=0.3,
    k=5,
)


EVIDENCE: dict[str, Basis] = {
    "lru:text:shift-invariant": Evidence(
        points("kernel", "decaying", "ringing", "gaussian", "two-sided"),
        {"reference": causal_share},
        form=1.0,
        alone="the energy of a kernel at times that a causal system can reach",
    ),
    "lru:text:same-frequency": Evidence(
        (*also(WAVES, history=3000), *also(WAVES, history=0)),
        {"reference": started_sine},
        form=sine_of_the_same_frequency,
        alone="the real part of the recurrence, summed over ages",
    ),
    "lru:text:shift-property": Evidence(
        points(
            "omega delay width", (1.3, 0.8, 1.0), (-0.7, -1.9, 0.6), (2.2, 0.4, 1.4)
        ),
        {"reference": shifted_transform},
        form=phased_transform,
        tolerance=1e-9,
        proof=spectral.delay_is_a_phase,
    ),
    "lru:text:pulse": Evidence(
        points(
            "centre half omega scale",
            (0.0, 0.7, 1.3, 1.0),
            (0.0, 1.9, -0.6, 1.0),
            (0.0, 0.4, 3.1, 1.0),
            (0.0, 0.7, 1.3, UNITARY),
        ),
        {"reference": pulse},
    ),
    "lru:fig6": Evidence(
        points("harmonic", 0, 1, 2, 5),
        {"reference": rectified_sine},
        proof=spectral.sine_leaks_by_the_kernel,
    ),
    "lru:text:koopman-bounded": Evidence(
        points(
            "power width norm", (3.0, 0.1, "sup"), (1.0, 0.01, "L2"), (3.0, 0.001, "L2")
        ),
        {"reference": observable_growth},
        form=1.0,
        relation="<=",
        slips={"half": 0.5},
        alone="the norm of an observable before and after",
    ),
    "lru:text:koopman-diagonal": Evidence(
        points(
            "lam link k other",
            (0.5, 0.4, 3, 0.2),
            (0.3 + 0.4j, 0.4, 3, -0.6),
            (0.5, 0.4, 3, 0.5),
        ),
        {"reference": linear_map_coordinate},
        form=linear_map_by_modes,
        alone="the expansion against the map that it claims to be",
    ),
}
