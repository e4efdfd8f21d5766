"""Hessians at optimality of whole linear networks under white noise, dense and diagonal.

At optimality the Hessian is ``sum_k grad g_k grad g_k^T`` over the impulse response
``g_k = C A^k B``, ``g_0 = C B + D``; its gradients are summed explicitly, or differenced.

Source: the networks of Zucchet & Orvieto (2024), Section 4.3, Figure 4 and 10.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import sympy
from scipy.stats import norm, sem

from theory.hessian import dense_pair, x_1, x_2, y_1, y_2
from theory.papers.zucchet.hessian.forms import draw

LENGTH = 1024  # 0.99 to twice this power is 1e-9
TEACHERS = 24  # whose spread leaves a factor above one at level 1e-7


class Network(NamedTuple):
    """A dense network with its eigenvalues and its gains in the eigenbasis."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    eigenvalues: np.ndarray
    b: np.ndarray
    c: np.ndarray


@functools.cache
def teacher(seed: int, normal: bool, size: int = 4, radius: float = 0.99) -> Network:
    """Conjugate pairs of one magnitude and even angles, in random eigenvectors.

    ``normal`` makes the eigenvectors orthonormal; otherwise they are Gaussian.
    """
    generator = np.random.default_rng(seed)
    pairs = size // 2
    upper = radius * np.exp(1j * np.pi * (np.arange(pairs) + 0.5) / pairs)
    vectors = generator.normal(size=(size, 2 * pairs))
    if normal:
        vectors = np.linalg.qr(vectors)[0] / np.sqrt(2)
    half = vectors[:, ::2] + 1j * vectors[:, 1::2]
    basis = np.concatenate([half, half.conj()], axis=1)
    basis = basis / np.linalg.norm(basis, axis=0)
    eigenvalues = np.concatenate([upper, upper.conj()])
    inverse = np.linalg.inv(basis)
    A = (basis * eigenvalues @ inverse).real
    B, C = generator.normal(size=size), generator.normal(size=size) / np.sqrt(size)
    return Network(A, B, C, eigenvalues, inverse @ B, C @ basis)


def dense_jacobian(network: Network) -> np.ndarray:
    """Gradients of ``g_0 ... g_{LENGTH-1}`` by A, B, C and D, by their recurrences."""
    A, size = network.A, len(network.A)
    by_A, forward, backward = np.zeros((size, size)), network.B, network.C
    rows = []
    for age in range(LENGTH):
        rows.append(
            np.concatenate([by_A.ravel(), backward, forward, [float(age == 0)]])
        )
        by_A = A.T @ by_A + np.outer(network.C, forward)
        forward, backward = A @ forward, backward @ A
    return np.array(rows)


def diagonal_jacobian(network: Network) -> np.ndarray:
    """Gradients of ``g_0 ... g_{LENGTH-1}`` by (re, im) of lambda, b, c, and by d."""
    ages = np.arange(LENGTH)[:, None]
    power = network.eigenvalues**ages
    slope = ages * network.eigenvalues ** np.maximum(ages - 1, 0)
    parts = (
        network.b * network.c * slope,
        network.c * power,
        network.b * power,
    )
    columns = [half for part in parts for half in (part.real, -part.imag)]
    return np.concatenate([*columns, (ages == 0) * 1.0], axis=1)


def _differenced(
    response: Callable[[np.ndarray], np.ndarray], at: np.ndarray
) -> np.ndarray:
    """Central differences of a response by every parameter."""
    step = 1e-6
    shifts = step * np.eye(len(at))
    return np.stack(
        [(response(at + s) - response(at - s)) / (2 * step) for s in shifts], axis=1
    )


def dense_jacobian_by_differences(network: Network) -> np.ndarray:
    """``dense_jacobian`` from differences of the impulse response."""
    size = len(network.A)

    def response(flat: np.ndarray) -> np.ndarray:
        A, rest = flat[: size**2].reshape(size, size), flat[size**2 :]
        B, C, D = rest[:size], rest[size : 2 * size], rest[-1]
        states = B[:, None]
        while states.shape[1] < LENGTH:
            states, A = np.concatenate([states, A @ states], axis=1), A @ A
        found = C @ states
        found[0] += D
        return found

    flat = np.concatenate([network.A.ravel(), network.B, network.C, [0.0]])
    return _differenced(response, flat)


def diagonal_jacobian_by_differences(network: Network) -> np.ndarray:
    """``diagonal_jacobian`` from differences of the impulse response."""
    size = len(network.eigenvalues)
    ages = np.arange(LENGTH)[:, None]

    def response(flat: np.ndarray) -> np.ndarray:
        re, im = flat[:-1].reshape(3, 2, size).transpose(1, 0, 2)
        lam, b, c = re + 1j * im
        found = np.sum(b * c * lam**ages, axis=1).real
        found[0] += flat[-1]
        return found

    values = (network.eigenvalues, network.b, network.c)
    parts = [half for value in values for half in (np.real(value), np.imag(value))]
    return _differenced(response, np.concatenate([*parts, [0.0]]))


JACOBIANS: dict[str, Callable[[Network], np.ndarray]] = {
    "dense": dense_jacobian,
    "diagonal": diagonal_jacobian,
    "dense differences": dense_jacobian_by_differences,
    "diagonal differences": diagonal_jacobian_by_differences,
}


@functools.cache
def spectrum(
    kind: str, seed: int, normal: bool, size: int = 4
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of the Hessian, largest first, and its eigenvectors as columns."""
    jacobian = JACOBIANS[kind](teacher(seed, normal, size))
    values, vectors = np.linalg.eigh(jacobian.T @ jacobian)
    return values[::-1], vectors[:, ::-1]


def _top(kind: str, seed: int, normal: bool, **_: Any) -> float:
    return float(spectrum(kind, seed, normal)[0][0])


def _coordinates(kind: str, seed: int, normal: bool, **_: Any) -> float:
    """Mean over the four top eigenvectors of the coordinates that each spreads over."""
    vectors = spectrum(kind, seed, normal)[1][:, :4]
    return float(np.mean(1 / np.sum(vectors**4, axis=0)))


def _spread(kind: str, normal: bool, **_: Any) -> float:
    """Least mean ratio of a dense network's coordinates to the diagonal one's.

    The geometric mean over random teachers, less the half-width of its interval at level
    1e-7: it is no law for each teacher.
    """
    ratios = [
        np.log(
            _coordinates(kind, seed, normal) / _coordinates("diagonal", seed, normal)
        )
        for seed in range(TEACHERS)
    ]
    return float(np.exp(np.mean(ratios) - norm.isf(1e-7) * sem(ratios)))


def _rank(kind: str, seed: int, normal: bool, size: int = 4, **_: Any) -> int:
    values = spectrum(kind, seed, normal, size)[0]
    return int(np.sum(values > 1e-9 * values[0]))


def _of(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    return lambda **at: function(kind, **at)


top_dense = _of(_top, "dense")
top_dense_by_differences = _of(_top, "dense differences")
top_diagonal = _of(_top, "diagonal")
spread_dense = _of(_spread, "dense")
spread_dense_by_differences = _of(_spread, "dense differences")
rank_dense = _of(_rank, "dense")
rank_diagonal = _of(_rank, "diagonal")


def off_diagonal(size: int, theta_0: float, draws: int = 6, **_: Any) -> float:
    """Mean share of the Hessian by (re, im) that lies off its diagonal.

    The root of the sum of squares off the diagonal over that of all entries, for random
    eigenvalues (``theory.papers.zucchet.hessian.forms.draw``) and unit gains.
    """
    ages = np.arange(3 * LENGTH)[:, None]
    shares = []
    for seed in range(draws):
        lam = np.array(draw(seed, size, theta_0))
        slope = ages * lam ** np.maximum(ages - 1, 0)
        jacobian = np.concatenate([slope.real, -slope.imag], axis=1)
        found = jacobian.T @ jacobian
        rest = found - np.diag(np.diag(found))
        shares.append(np.linalg.norm(rest) / np.linalg.norm(found))
    return float(np.mean(shares))


def _lru_energies(gap: float, angle: float, jacobian: Callable[..., Any]) -> np.ndarray:
    columns = jacobian(1 - gap, angle)
    return np.sum(columns**2, axis=0)


def _lru_slopes(nu: float, angle: float) -> np.ndarray:
    """Gradients of ``Re[gamma lambda**n]`` by ``omega_nu`` and ``omega_theta``.

    ``gamma = sqrt(1 - nu^2)``, ``nu = exp(-exp(omega_nu))``, ``theta = exp(omega_theta)``.
    """
    ages = np.arange(int(30 / (1 - nu)))
    gamma, by_omega = np.sqrt(1 - nu**2), nu * np.log(nu)
    turn = np.exp(1j * angle * ages)
    size = gamma * ages * nu ** np.maximum(ages - 1, 0) - nu / gamma * nu**ages
    by_theta = gamma * nu**ages * 1j * ages * angle
    return np.stack([(by_omega * size * turn).real, (by_theta * turn).real], axis=1)


def _lru_differences(nu: float, angle: float) -> np.ndarray:
    """Central differences of ``Re[gamma lambda**n]`` by ``omega_nu``, ``omega_theta``."""
    ages = np.arange(int(30 / (1 - nu)))

    def response(omega: np.ndarray) -> np.ndarray:
        log_nu, theta = -np.exp(omega[0]), np.exp(omega[1])
        gamma = np.sqrt(-np.expm1(2 * log_nu))
        return gamma * np.exp(log_nu * ages) * np.cos(theta * ages)

    return _differenced(response, np.log([-np.log(nu), angle]))


def lru_growth(gap: float, angle: float) -> np.ndarray:
    """By how much the two diagonal entries of the LRU grow as the gap halves."""
    return _lru_energies(gap / 2, angle, _lru_slopes) / _lru_energies(
        gap, angle, _lru_slopes
    )


def lru_growth_by_differences(gap: float, angle: float) -> np.ndarray:
    """By how much the LRU's diagonal entries grow as the gap halves, by differences."""
    return _lru_energies(gap / 2, angle, _lru_differences) / _lru_energies(
        gap, angle, _lru_differences
    )


def _rotated(eigenvalues: tuple[float, ...]) -> np.ndarray:
    """A symmetric matrix of these eigenvalues in random directions."""
    size = len(eigenvalues)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))[0]
    return turn * np.array(eigenvalues) @ turn.T


def lipschitz_by_power(eigenvalues: tuple[float, ...]) -> float:
    """Largest ratio of a change of gradient to a change of place, by power iteration."""
    hessian = _rotated(eigenvalues)
    move = np.ones(len(eigenvalues))
    for _ in range(400):
        move = hessian @ (hessian @ move)
        move = move / np.linalg.norm(move)
    return float(np.linalg.norm(hessian @ move))


def lipschitz_by_norm(eigenvalues: tuple[float, ...]) -> float:
    """Lipschitz constant of a quadratic's gradient, as the Hessian's spectral norm."""
    return float(np.linalg.norm(_rotated(eigenvalues), 2))


def _edge(diverges: Callable[[float], bool]) -> float:
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if diverges(middle) else (middle, high)
    return (low + high) / 2


def step_by_descent(eigenvalues: tuple[float, ...]) -> float:
    """Least step size at which gradient descent on a quadratic grows, by running it."""
    hessian = _rotated(eigenvalues)

    def diverges(rate: float) -> bool:
        place, size = np.ones(len(eigenvalues)), 0.0
        for _ in range(300):
            place = place - rate * hessian @ place
            size = float(np.linalg.norm(place))
            place = place / size
        return bool(size > 1)

    return _edge(diverges)


def step_by_radius(eigenvalues: tuple[float, ...]) -> float:
    """Least step size at which descent on a quadratic grows, by the spectral radius."""
    hessian = _rotated(eigenvalues)

    def diverges(rate: float) -> bool:
        one = np.eye(len(eigenvalues)) - rate * hessian
        return bool(np.max(np.abs(np.linalg.eigvals(one))) > 1)

    return _edge(diverges)


def dense_pair_sum(x_1: complex, x_2: complex, y_1: complex, y_2: complex) -> complex:
    """``sum_k D_k(x_1, x_2) D_k(y_1, y_2)`` with ``D_k`` a sum of products of powers."""

    def divided(first: complex, second: complex) -> np.ndarray:
        powers = [complex(z) ** np.arange(200) for z in (first, second)]
        return np.convolve(powers[0], powers[1])[:200]

    return complex(divided(x_1, x_2) @ divided(y_1, y_2))


def dense_curvature(seed: int, normal: bool) -> float:
    """Curvature of the loss along one random change of ``A``, from the dense network."""
    network = teacher(seed, normal, 4, 0.9)
    along = np.concatenate([direction(seed, 4).ravel(), np.zeros(9)])
    return float(np.sum((dense_jacobian(network) @ along) ** 2))


def dense_curvature_by_differences(seed: int, normal: bool) -> float:
    """Curvature along one random change of ``A``, from a differenced response."""
    network, step = teacher(seed, normal, 4, 0.9), 1e-4
    found = []
    for shift in (2, 1, -1, -2):
        A = network.A + shift * step * direction(seed, 4)
        states = network.B[:, None]
        while states.shape[1] < LENGTH:
            states, A = np.concatenate([states, A @ states], axis=1), A @ A
        found.append(network.C @ states)
    slope = (8 * (found[1] - found[2]) - (found[0] - found[3])) / (12 * step)
    return float(np.sum(slope**2))


def direction(seed: int, size: int) -> np.ndarray:
    """A random change of a matrix, of unit norm."""
    found = np.random.default_rng(seed + 100).normal(size=(size, size))
    return found / np.linalg.norm(found)


def in_eigenbasis(seed: int, normal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, and the gains ``c_p E_pq b_q`` of the change in the eigenbasis."""
    network = teacher(seed, normal, 4, 0.9)
    values, basis = np.linalg.eig(network.A)
    inverse = np.linalg.inv(basis)
    change = inverse @ direction(seed, 4) @ basis
    return values, (network.C @ basis)[:, None] * change * (inverse @ network.B)[None]


def dense_curvature_in_eigenbasis(seed: int, normal: bool) -> float:
    """The sum over pairs of entries of the change, with ``theory.hessian.dense_pair``."""
    values, gains = in_eigenbasis(seed, normal)
    form = sympy.lambdify((x_1, x_2, y_1, y_2), dense_pair().result, "numpy")
    left = np.repeat(values, 4)
    right = np.tile(values, 4)
    pairs = form(left[:, None], right[:, None], left[None], right[None])
    return float((gains.ravel() @ pairs @ gains.ravel()).real)
