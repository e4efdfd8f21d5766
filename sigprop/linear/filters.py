"""Second moments of filters of one mode: the state, or its derivative by a parameter.

A filter has the kernel ``k(age) = alpha age lam**(age - 1) + beta lam**age``.

The state of a mode is the output of such a filter (``alpha = 0``, ``beta = 1``) of the
mode's input.  The derivative of the state with respect to a parameter of the mode is
also the output of such a filter.  If ``lam'`` and ``gamma'`` are the derivatives of
eigenvalue and gain, ``alpha = lam'`` and ``beta = gamma'/gamma``.  Second moments are
sums over lags of weights times the autocovariance ``R`` of the input.

Notation: n  filters;  lags 0 ... time - 1;  nu, theta  ``lam = exp(-nu + i theta)``.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2.  The sums over ages have the terms
``|lam|^(2 age)``, times the age or its square.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float, Inexact
from numpy.fft import fft, ifft

CHUNK = 1 << 22  # complex numbers in memory at the same time


class Filters(NamedTuple):
    """Filters of modes with ``0 < |lam| < 1``.

    Attributes:
        nu: ``-log|lam|``, finite and above zero.
        theta: Phases in radians.
        alpha: Weight of ``age lam**(age - 1)``.
        beta: Weight of ``lam**age``.
    """

    nu: Float[np.ndarray, " n"]
    theta: Float[np.ndarray, " n"]
    alpha: Complex[np.ndarray, " n"]
    beta: Complex[np.ndarray, " n"]

    @property
    def lam(self) -> Complex[np.ndarray, " n"]:
        """The eigenvalues."""
        return np.exp(-self.nu + 1j * self.theta)

    def kernel(self, steps: int) -> Complex[np.ndarray, "n time"]:
        """Impulse response of each filter after 0, 1, ... steps."""
        ages = np.arange(steps)
        with np.errstate(under="ignore"):
            before = np.exp((-self.nu + 1j * self.theta)[:, None] * (ages - 1))
        weight = self.alpha[:, None] * ages + (self.beta * self.lam)[:, None]
        return before * weight


def endless_weights(filters: Filters, steps: int) -> Complex[np.ndarray, "n lags"]:
    """Weight of each lag in ``E|y|^2`` of a filter's output ``y`` after an infinite past.

    The formula subtracts no nearly equal numbers, even if ``|lam|`` is close to one.
    """
    nu, lam = filters.nu[:, None], filters.lam[:, None]
    alpha, beta = filters.alpha[:, None], filters.beta[:, None]
    lags, square = np.arange(steps), np.exp(-2 * nu)
    gap = -np.expm1(-2 * nu)
    first, second = 1 / gap**2, (1 + square) / gap**3  # of age, and of its square
    with np.errstate(under="ignore"):
        power = np.exp((-nu + 1j * filters.theta[:, None]) * lags)
    weights = np.abs(alpha) ** 2 * (second + lags * first)
    weights = weights + np.abs(beta) ** 2 / gap
    weights = weights + alpha * beta.conj() * (lam.conj() * first + lags / (gap * lam))
    return power * (weights + beta * lam * alpha.conj() * first)


def mean_weights(
    kernel: Complex[np.ndarray, "n time"], *, conjugate: bool = True
) -> Complex[np.ndarray, "n lags"]:
    """Weight of each lag in ``E|y|^2`` or ``E y^2``, averaged over steps from the zero state.

    Args:
        kernel: Impulse responses from ``Filters.kernel``.
        conjugate: True for ``E|y|^2``, false for ``E y^2``.
    """
    steps = kernel.shape[1]
    size = 1 << (2 * steps - 1).bit_length()
    share = 1 - np.arange(steps) / steps  # of the steps that have seen so old an input
    newer = kernel if conjugate else kernel.conj()
    product = fft(share * kernel, size) * fft(newer, size).conj()
    return ifft(product)[..., :steps]


def moment(
    weights: Complex[np.ndarray, "n lags"], covariance: Inexact[np.ndarray, "*n lags"]
) -> Float[np.ndarray, " n"]:
    """The moment ``E|y|^2`` from the weights of lags and the input's autocovariance."""
    one_sided = np.real(weights * covariance.conj())
    return 2 * one_sided.sum(1) - one_sided[:, 0]


def square(
    weights: Complex[np.ndarray, "n lags"], covariance: Complex[np.ndarray, "n lags"]
) -> Complex[np.ndarray, " n"]:
    """The moment ``E y^2`` from ``mean_weights(..., conjugate=False)``.

    Args:
        weights: Weights of the lags.
        covariance: ``E v_{t+lag} v_t`` of the input ``v``, without a conjugate.
    """
    terms = weights * covariance
    return 2 * terms.sum(1) - terms[:, 0]


class Covariances(NamedTuple):
    """Autocovariances of the inputs ``v`` of modes at lags from 0 on.

    Attributes:
        plain: ``E v_{t+lag} v_t*``.
        mixed: ``E v_{t+lag} v_t``.
    """

    plain: Complex[np.ndarray, "n lags"]
    mixed: Complex[np.ndarray, "n lags"]


def covariances(
    features: Float[np.ndarray, "num time f"], inward: Complex[np.ndarray, "n f"]
) -> Covariances:
    """Autocovariances of ``v = inward x``, averaged over all pairs of steps at each lag.

    Means are not subtracted.  If there are few sequences, the result may not be positive
    definite.
    """
    num, steps, _ = features.shape
    size = 1 << (2 * steps - 1).bit_length()
    pairs = num * np.arange(steps, 0, -1)
    plain, mixed = np.empty((2, len(inward), steps), complex)
    each = max(1, CHUNK // (num * size))
    for start in range(0, len(inward), each):
        some = slice(start, start + each)
        spectra = fft(np.moveaxis(features @ inward[some].T, 1, 2), size)
        turned = np.roll(spectra[..., ::-1], 1, -1)  # at minus each frequency
        plain[some] = ifft((np.abs(spectra) ** 2).sum(0))[:, :steps] / pairs
        mixed[some] = ifft((spectra * turned).sum(0))[:, :steps] / pairs
    return Covariances(plain, mixed)


def common_covariance(
    features: Float[np.ndarray, "num time f"], mixing: Float[np.ndarray, "d f"]
) -> Float[np.ndarray, " lags"]:
    """Mean autocovariance of the channels ``mixing x``."""
    gram = mixing.T @ mixing / len(mixing)
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return np.real(covariances(features, root.T + 0j).plain.sum(0))
