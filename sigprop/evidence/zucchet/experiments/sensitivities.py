"""Sensitivities ``dh/dlam`` under white noise: their size and correlations.

The correlations are the Hessian's entries between two eigenvalues.

Source: Zucchet & Orvieto (2024), Eq. 60, Section 4.3 and Appendix C.4.
"""

import functools

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import energy, legendre, power_derivatives, powers

Lam = Complex[np.ndarray, "..."]


def recurrent_share(r: float) -> float:
    """``E|dh/dlam|^2`` over ``E|h|^2`` under white noise, both by sums."""
    count = int(np.ceil(-50 / np.log(r)))
    return energy(power_derivatives(r, count)) / energy(powers(r, 4000))


def S(alpha: Lam, beta: Lam) -> Lam:
    """``E[dh/dalpha dh/dbeta]`` under white noise.  Source: Eq. 60, at two eigenvalues."""
    return (1 + alpha * beta) / (1 - alpha * beta) ** 3


def coupling(first: Lam, second: Lam) -> Float[np.ndarray, "..."]:
    """Largest Hessian entry between two eigenvalues over the mean of their own."""
    scale = np.sqrt(np.real(S(first, first.conj())) * np.real(S(second, second.conj())))
    return np.maximum(np.abs(S(first, second)), np.abs(S(first, second.conj()))) / scale


def coupling_by_sum(first: complex, second: complex) -> float:
    """Largest Hessian entry between two eigenvalues over their own, by sums."""
    a, b = (power_derivatives(lam, 4000) for lam in (first, second))
    scale = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.abs([a @ b, a @ b.conj()]).max() / scale)


def coupling_of(first: complex, second: complex) -> float:
    """Largest Hessian entry between two given eigenvalues, over that of each alone."""
    return float(coupling(np.array([first]), np.array([second]))[0])


def hessian_missing(seed: int, log_theta: float, steps: int, averaged: bool) -> float:
    """Share of Eq. 143 that a loss of ``steps`` steps from the zero state misses.

    It is in Frobenius norms, for ten eigenvalues of Fig. 10 and ``b = c = 1``.

    Args:
        seed: Seed of the eigenvalues.
        log_theta: ``log10(theta_0 / pi)``.
        steps: Length of the sequences.
        averaged: True for the mean loss over all steps, false for the last loss.
    """
    generator = np.random.default_rng(seed)
    lam = generator.uniform(0.99, 0.995, 10) * np.exp(
        1j * np.pi * 10**log_theta * generator.uniform(-1, 1, 10)
    )
    ages = np.arange(steps)
    weights = (steps - ages) / steps if averaged else np.ones(steps)
    whole = _hessian(power_derivatives(lam, 12_000))
    part = _hessian(power_derivatives(lam, steps) * np.sqrt(weights))
    return float(np.linalg.norm(part - whole) / np.linalg.norm(whole))


def _hessian(
    responses: Complex[np.ndarray, "n ages"],
) -> Float[np.ndarray, "parameters parameters"]:
    """Hessian in real and imaginary parts, from the responses of ``Re(dh/dlam dlam)``."""
    parts = np.concatenate([np.real(responses), -np.imag(responses)])
    return parts @ parts.T


@functools.cache
def _couplings(log_theta: float, n: int) -> Float[np.ndarray, "draws n n"]:
    """Couplings of ``n`` eigenvalues of Fig. 10, a matrix per sample; zero diagonal."""
    generator = np.random.default_rng(10)
    nu0, shape = 0.99, (60, n)
    lam = generator.uniform(nu0, (1 + nu0) / 2, shape) * np.exp(
        1j * np.pi * 10**log_theta * generator.uniform(-1, 1, shape)
    )
    couplings = coupling(lam[:, :, None], lam[:, None])
    couplings[:, np.arange(n), np.arange(n)] = 0
    return couplings


def mean_coupling(log_theta: float, n: int = 10) -> float:
    """Mean coupling of two eigenvalues of Fig. 10 at ``theta_0 = pi 10^log_theta``."""
    return float(_couplings(log_theta, n).sum() / (60 * n * (n - 1)))


def mean_coupling_by_quadrature(log_theta: float, nodes: int = 6) -> float:
    """Mean coupling of Fig. 10, by quadrature over two moduli and two phases."""
    radius, mass = legendre(0.99, 0.995, nodes)
    grid = (np.arange(120) + 0.5) / 120
    first, second = np.pi * 10**log_theta * (2 * np.stack(np.meshgrid(grid, grid)) - 1)
    turned = np.exp(1j * first), np.exp(1j * second)
    total = 0.0
    for r, p in zip(radius, mass, strict=True):
        for q, m in zip(radius, mass, strict=True):
            total += p * m * coupling(r * turned[0], q * turned[1]).mean()
    return float(total / mass.sum() ** 2)


def off_diagonal_share(n: int) -> float:
    """Mean share of the Hessian of ``n`` eigenvalues off its diagonal, for all phases.

    It is a ratio of root sums of squares, with entries relative to the mean of their
    own.
    """
    apart = np.sum(_couplings(0.0, n) ** 2, axis=(1, 2))
    return float(np.mean(np.sqrt(apart / (n + apart))))


def off_diagonal_share_by_quadrature(n: int) -> float:
    """The share that squares of their mean give, by quadrature over two eigenvalues."""
    radius, mass = legendre(0.99, 0.995, 6)
    turned = np.exp(2j * np.pi * np.arange(8000) / 8000)
    other = np.exp(2j * np.pi * (np.arange(12) + 0.3) / 12)[:, None]
    squares = np.array(
        [
            [np.mean(coupling(r * turned, q * other) ** 2) for q in radius]
            for r in radius
        ]
    )
    apart = n * (n - 1) * float(mass @ squares @ mass / mass.sum() ** 2)
    return (apart / (n + apart)) ** 0.5
