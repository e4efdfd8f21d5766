"""Curvature of the teacher-student task at its optimum, by brute force.

Source: Zucchet & Orvieto (2024), Section 4.3 and Appendix C.2-C.4; white inputs.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.numerics.precision import double_precision

# Couplings of eigenvalues in the Hessian, white inputs.


def S(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """``E[dh/dalpha dh/dbeta]`` under white noise.  Source: Eq. 60, at two eigenvalues."""
    return (1 + alpha * beta) / (1 - alpha * beta) ** 3


def coupling(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Largest entry that two eigenvalues share, over the mean of their own."""
    own = np.sqrt(np.real(S(first, first.conj())) * np.real(S(second, second.conj())))
    return np.maximum(np.abs(S(first, second)), np.abs(S(first, second.conj()))) / own


def coupling_by_sum(first: complex, second: complex) -> float:
    """``coupling`` of two eigenvalues by sums over the sensitivities' kernels."""
    ages = np.arange(1, 4000)

    def kernel(lam: complex):
        return ages * lam ** (ages - 1.0)

    own = np.linalg.norm(kernel(first)) * np.linalg.norm(kernel(second))
    shared = [kernel(first) @ kernel(second), kernel(first) @ kernel(second).conj()]
    return float(np.abs(shared).max() / own)


def coupling_of(first: complex, second: complex) -> float:
    """``coupling`` of two numbers."""
    return float(coupling(np.array([first]), np.array([second]))[0])


@functools.cache
def _couplings(log_theta: float, n: int) -> Float[np.ndarray, "draws n n"]:
    """Couplings among ``n`` eigenvalues of Fig. 10, one matrix a draw; none with itself."""
    generator = np.random.default_rng(10)
    nu0, shape = 0.99, (60, n)
    lam = generator.uniform(nu0, (1 + nu0) / 2, shape) * np.exp(
        1j * np.pi * 10**log_theta * generator.uniform(-1, 1, shape)
    )
    found = coupling(lam[:, :, None], lam[:, None])
    found[:, np.arange(n), np.arange(n)] = 0
    return found


def mean_coupling(log_theta: float, n: int = 10) -> float:
    """Mean coupling of two eigenvalues of Fig. 10 at ``theta_0 = pi 10^log_theta``."""
    return float(_couplings(log_theta, n).sum() / (60 * n * (n - 1)))


def mean_coupling_by_quadrature(log_theta: float, nodes: int = 6) -> float:
    """Mean coupling of Fig. 10, by quadrature over two moduli and two phases."""
    x, weight = np.polynomial.legendre.leggauss(nodes)
    radius, mass = 0.99 + 0.005 * (x + 1) / 2, weight / 2
    grid = (np.arange(120) + 0.5) / 120
    first, second = np.pi * 10**log_theta * (2 * np.stack(np.meshgrid(grid, grid)) - 1)
    turned = np.exp(1j * first), np.exp(1j * second)
    total = 0.0
    for r, p in zip(radius, mass, strict=True):
        for q, m in zip(radius, mass, strict=True):
            total += p * m * coupling(r * turned[0], q * turned[1]).mean()
    return float(total)


def closest_coupling(n: int) -> float:
    """Mean over eigenvalues of the largest coupling with another, all phases."""
    return float(_couplings(0.0, n).max(axis=2).mean())


# The two parametrisations of Fig. 4.


@functools.cache
def sensitivities(
    seed: int, normal: bool = False, steps: int = 3000
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the impulse response by the 25 parameters: dense, complex diagonal.

    Two conjugate pairs of modulus 0.99 to 0.993, drawn with their eigenvectors.
    """
    generator = np.random.default_rng(seed)
    half = (0.99 + 0.003 * generator.uniform(size=2)) * np.exp(
        1j * np.pi * generator.uniform(0.05, 0.95, size=2)
    )
    lam = np.concatenate([half, half.conj()])
    V = generator.normal(size=(4, 2)) + 1j * generator.normal(size=(4, 2))
    if normal:
        basis = np.linalg.qr(generator.normal(size=(4, 4)))[0] / np.sqrt(2)
        V = basis[:, :2] + 1j * basis[:, 2:]
    V = np.concatenate([V, V.conj()], axis=1)
    B, C = generator.normal(size=4), generator.normal(size=4) / 2
    inward, outward = np.linalg.solve(V, B), C @ V
    ages = np.arange(steps)
    power = lam[:, None] ** ages
    slope = ages * lam[:, None] ** np.maximum(ages - 1, 0)
    first = np.zeros((1, steps))
    first[0, 0] = 1
    diagonal = _both_parts([outward * inward, outward, inward], [slope, power, power])
    # dA: C sum_{i + j = age - 1} A^i dA A^j B, in the eigenbasis a divided difference.
    apart = lam[:, None] - lam[None]
    np.fill_diagonal(apart, 1)
    divided = (power[:, None] - power[None]) / apart[..., None]
    divided[np.arange(4), np.arange(4)] = slope
    inverse = np.linalg.inv(V)
    by_A = np.einsum("i,ia,bj,j,ijt->abt", outward, inverse, V, inward, divided)
    by_B = np.einsum("i,ia,it->at", outward, inverse, power)
    by_C = np.einsum("ci,i,it->ct", V, inward, power)
    dense = np.real(np.concatenate([by_A.reshape(16, -1), by_B, by_C]))
    return np.vstack([dense, first]), np.vstack([diagonal, first])


def _both_parts(weights: list[np.ndarray], curves: list[np.ndarray]) -> np.ndarray:
    rows = [w[:, None] * c for w, c in zip(weights, curves, strict=True)]
    return np.concatenate(
        [part for row in rows for part in (np.real(row), -np.imag(row))]
    )


def spectrum(
    seed: int, diagonal: bool, normal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of the Hessian at the optimum, falling, and its eigenvectors."""
    rows = sensitivities(seed, normal)[int(diagonal)]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    return values[::-1], vectors[:, ::-1]


SEEDS = range(20)


def top_ratio(normal: bool) -> float:
    """Median over draws of the dense top eigenvalue over the complex diagonal one."""
    tops = [[spectrum(s, one, normal)[0][0] for one in (False, True)] for s in SEEDS]
    return float(np.median([dense / diagonal for dense, diagonal in tops]))


def spread_of_top(diagonal: bool) -> float:
    """Coordinates that the four top eigenvectors lie on: mean inverse participation."""
    vectors = np.array([spectrum(s, diagonal)[1][:, :4] for s in SEEDS])
    return float(np.mean(1 / np.sum(vectors**4, axis=1)))


def spread_by_entropy(diagonal: bool) -> float:
    """Coordinates that the four top eigenvectors lie on: mean of ``exp(entropy)``."""
    mass = np.array([spectrum(s, diagonal)[1][:, :4] for s in SEEDS]) ** 2
    return float(np.mean(np.exp(-np.sum(mass * np.log(mass + 1e-300), axis=1))))


def rank(diagonal: bool) -> int:
    """Rank of the Hessian at the optimum, of 25 parameters."""
    return int(np.linalg.matrix_rank(sensitivities(0)[int(diagonal)]))


def mean_coupling_wider(log_theta: float) -> float:
    """Mean coupling where phases spread over three times the angle."""
    return mean_coupling(log_theta + 0.5)


def ten_couplings_wider(log_theta: float) -> float:
    """Ten times ``mean_coupling_wider``: what a tenfold growth would be."""
    return 10 * mean_coupling_wider(log_theta)


# Slopes of the parametrisations.


def _slope(curve, at: float) -> float:
    """Squared size of a derivative, differenced with weights of order 4."""
    step = 1e-3
    taps = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    return float(
        abs(sum(w * curve(at + k * step) for k, w in taps.items()) / step) ** 2
    )


def _energy(r: float) -> float:
    ages = np.arange(int(np.ceil(-50 / np.log(r))))
    return float(np.sum(ages**2 * r ** (2.0 * (ages - 1))))


def magnitude_curvature(r: float) -> float:
    """Hessian entry of ``omega_nu`` under white inputs, from sums and differences."""
    slope = _slope(lambda w: np.exp(-np.exp(w)), np.log(-np.log(r)))
    return recurrent_share(r) * slope


def angle_over_magnitude(r: float, theta: float) -> float:
    """Squared slope of ``lam`` by ``omega_theta`` over that by ``omega_nu``."""
    by_angle = _slope(lambda w: r * np.exp(1j * np.exp(w)), np.log(theta))
    by_size = _slope(lambda w: np.exp(-np.exp(w) + 1j * theta), np.log(-np.log(r)))
    return by_angle / by_size


def angle_slope(theta: float) -> float:
    """Squared slope of ``lam`` by ``log theta`` over that by ``theta``."""
    by_log = _slope(lambda w: np.exp(1j * np.exp(w)), np.log(theta))
    return by_log / _slope(lambda w: np.exp(1j * w), theta)


def _by_jax(curve, at: float) -> float:
    with double_precision(True):
        by_re = jax.grad(lambda w: jnp.real(curve(w)))(at)
        by_im = jax.grad(lambda w: jnp.imag(curve(w)))(at)
        return float(by_re**2 + by_im**2)


def angle_slope_by_jax(theta: float) -> float:
    """``angle_slope`` by automatic differentiation."""
    by_log = _by_jax(lambda w: jnp.exp(1j * jnp.exp(w)), float(np.log(theta)))
    return by_log / _by_jax(lambda w: jnp.exp(1j * w), theta)


def angle_over_magnitude_by_jax(r: float, theta: float) -> float:
    """``angle_over_magnitude`` by automatic differentiation."""
    by_angle = _by_jax(lambda w: r * jnp.exp(1j * jnp.exp(w)), float(np.log(theta)))
    by_size = _by_jax(
        lambda w: jnp.exp(-jnp.exp(w) + 1j * theta), float(np.log(-np.log(r)))
    )
    return by_angle / by_size


def _s4_curves(lam: complex, step: float, exp, softplus):
    omega = np.log(lam) / step
    raw = float(np.log(np.expm1(step)))
    by_step = (lambda w: exp(omega * softplus(w))), raw
    by_angle = (lambda w: exp((omega.real + 1j * w) * step)), float(omega.imag)
    return by_step, by_angle


def s4_ratio(lam: complex, step: float) -> float:
    """Squared slope of S4's eigenvalue by ``omega_Delta`` over that by ``omega_A^im``."""
    curves = _s4_curves(lam, step, np.exp, lambda w: np.log1p(np.exp(w)))
    by_step, by_angle = (_slope(*curve) for curve in curves)
    return by_step / by_angle


def s4_ratio_by_jax(lam: complex, step: float) -> float:
    """S4's squared slope by ``omega_Delta`` over that by ``omega_A^im``, by JAX."""
    with double_precision(True):
        curves = _s4_curves(lam, step, jnp.exp, jax.nn.softplus)
        by_step, by_angle = (_by_jax(*curve) for curve in curves)
    return by_step / by_angle


def spread_of_dense_top(diagonal: bool) -> float:
    """``spread_of_top`` of the dense network."""
    return spread_of_top(not diagonal)


def closest_coupling_of_half(n: int) -> float:
    """``closest_coupling`` of half as many."""
    return closest_coupling(n // 2)


def recurrent_share(r: float) -> float:
    """``E|dh/dlam|^2`` over ``E|h|^2`` under white noise, both by sums."""
    return _energy(r) / float(np.sum(r ** (2.0 * np.arange(4000))))
