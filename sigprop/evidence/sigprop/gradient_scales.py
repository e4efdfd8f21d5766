"""Evidence on scales of gradients: derivatives, eigenvalues, integrals."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from sigprop.evidence.kit import autocovariance, complex_step, points
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from sigprop.theory.gradient_scales import largest_gap


def sigmoid_decay(w: Any) -> Any:
    """A sigmoid, by a hyperbolic tangent."""
    return (1 + jnp.tanh(w / 2)) / 2


def exponential_decay(w: Any) -> Any:
    """The modulus of the LRU."""
    return jnp.exp(-jnp.exp(w))


def by_autodiff(decay: Callable[[Any], Any], w: float) -> float:
    """The scale by JAX, in double precision."""
    with double_precision(True):
        value, slope = jax.value_and_grad(decay)(jnp.asarray(float(w)))
        return float(abs(slope) / (1 - value) ** 2)


def by_response(decay: Callable[[Any], Any], w: float) -> float:
    """The derivative of ``1/(1 - f)``, the response to a constant input of one."""
    return abs(float(complex_step(lambda raw: 1 / (1 - decay(raw)), w)))


def _sigmoid(w: Any) -> Any:
    return 1 / (1 + np.exp(-w))


def _exponential(w: Any) -> Any:
    return np.exp(-np.exp(w))


def taps_by_eigenvalues(rho: float) -> float:
    """The largest eigenvalue of the covariance."""
    return float(np.linalg.eigvalsh(autocovariance(3, rho))[-1])


def taps_by_descent(rho: float) -> float:
    """Twice the inverse of the largest rate at which descent does not diverge."""
    R = autocovariance(3, rho)

    def excess(rate: float) -> float:
        return float(np.linalg.norm(np.eye(3) - rate * R, 2) - 1)

    return 2 / scipy.optimize.brentq(excess, 0.3, 3.0, xtol=1e-14)


def noise_by_inverse(rho: float, taps: int) -> float:
    """The trace of the inverse."""
    return float(np.trace(np.linalg.inv(autocovariance(taps, rho))))


def noise_by_eigenvalues(rho: float, taps: int) -> float:
    """The sum of inverse eigenvalues."""
    return float(np.sum(1 / np.linalg.eigvalsh(autocovariance(taps, rho))))


def volume_by_determinant(rho: float, taps: int) -> float:
    """The determinant."""
    return float(np.linalg.det(autocovariance(taps, rho)))


def volume_by_prediction(rho: float, taps: int) -> float:
    """The product of the error variances of predicting each input from earlier ones."""
    R, product = autocovariance(taps, rho), 1.0
    for now in range(taps):
        weights = np.linalg.lstsq(R[:now, :now], R[:now, now], rcond=None)[0]
        product *= float(R[now, now] - weights @ R[:now, now])
    return product


def gap_by_survival(N: int) -> float:
    """The probability that some gap is wider, by inclusion and exclusion, integrated."""

    def wider(x: float) -> float:
        terms = [
            (-1) ** (k + 1) * math.comb(N + 1, k) * max(1 - k * x, 0.0) ** N
            for k in range(1, N + 2)
        ]
        return math.fsum(terms)

    ends = [0.0, *(1 / k for k in range(N + 1, 0, -1))]
    return math.fsum(
        scipy.integrate.quad(wider, low, high)[0]
        for low, high in itertools.pairwise(ends)
    )


def gap_by_exponentials(N: int) -> float:
    """The largest of ``N + 1`` exponential variables over their sum, by means."""
    largest, _ = scipy.integrate.quad(
        lambda x: -math.expm1((N + 1) * math.log1p(-math.exp(-x))) if x else 1.0,
        0,
        60,
        epsabs=1e-12,
        limit=200,
    )
    return largest / (N + 1)


_RAW = points("raw", -1.5, 0.4, 2.5)
_TAPS = points("rho taps", (0.5, 2), (-0.7, 5), (0.9, 12))

EVIDENCE: dict[str, Basis] = {
    "sigprop:sigmoid-scale": Evidence(
        _RAW,
        {
            "autodiff": lambda raw: by_autodiff(sigmoid_decay, raw),
            "response": lambda raw: by_response(_sigmoid, raw),
        },
    ),
    "sigprop:tanh-scale": Evidence(
        _RAW,
        {
            "autodiff": lambda raw: by_autodiff(jnp.tanh, raw),
            "response": lambda raw: by_response(np.tanh, raw),
        },
    ),
    "sigprop:exponential-scale": Evidence(
        points("x", 0.1, 0.8, 2.5),
        {
            "autodiff": lambda x: by_autodiff(exponential_decay, math.log(x)),
            "response": lambda x: by_response(_exponential, math.log(x)),
        },
    ),
    "sigprop:correlated-taps": Evidence(
        points("rho", 0.1, 0.5, 0.95),
        {"eigenvalues": taps_by_eigenvalues, "descent": taps_by_descent},
    ),
    "sigprop:correlated-noise": Evidence(
        _TAPS, {"inverse": noise_by_inverse, "eigenvalues": noise_by_eigenvalues}
    ),
    "sigprop:correlated-volume": Evidence(
        _TAPS,
        {"determinant": volume_by_determinant, "prediction": volume_by_prediction},
    ),
    "sigprop:largest-gap": Evidence(
        points("N", 1, 3, 9),
        {"survival": gap_by_survival, "exponentials": gap_by_exponentials},
        form=largest_gap,
        tolerance=1e-8,
        mutants={
            "even spacing": lambda N: 1 / (N + 1),
            "a draw fewer": lambda N: largest_gap(N - 1),
            "without the ends": lambda N: largest_gap(N - 1) * N / (N + 1),
            "the logarithm of the harmonic sum": lambda N: (
                (math.log(N + 1) + np.euler_gamma) / (N + 1)
            ),
        },
    ),
}
