"""Evidence on single steps of delta rules: sequences of keys, spectra and searches."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import points
from sigprop.evidence.sigprop.delta_rules import BY_KEYS, Keys, product, sequences
from sigprop.evidence.sigprop.layers_of_today import householder
from sigprop.judge.basis import Basis, Evidence


def energy_by_sequences(
    step: Callable[[Float[np.ndarray, " d"]], Float[np.ndarray, "d d"]],
    keys: Keys,
    T: int,
) -> float:
    """``E |A|_F^2/d`` of ``T`` steps."""
    d = keys.shape[1]
    squares = [(product(step, chosen, d) ** 2).sum() for chosen in sequences(keys, T)]
    return math.fsum(squares) / len(squares) / d


def turning_by_eigenvalues(beta: float, c: float) -> float:
    """The squared difference of the eigenvalues, in the plane."""
    keys = [np.array([math.cos(t), math.sin(t)]) for t in (0.4, 0.4 + _angle(c))]
    first, second = np.linalg.eigvals(
        householder(beta, keys[0]) @ householder(beta, keys[1])
    )
    return float(np.real((first - second) ** 2))


def turning_by_traces(beta: float, c: float) -> float:
    """By traces of the product and of its square, in five dimensions."""
    first, second = np.eye(5)[3], np.zeros(5)
    second[[3, 0]] = math.cos(_angle(c)), math.sin(_angle(c))
    A = householder(beta, second) @ householder(beta, first)
    trace, square = np.trace(A) - 3, np.trace(A @ A) - 3
    return float(2 * square - trace**2)


def _angle(c: float) -> float:
    return math.acos(math.sqrt(c))


def _normal_keys(d: int) -> tuple[Keys, Float[np.ndarray, " keys"]]:
    """Nodes and weights that are exact up to the fifth power of an entry."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)
    keys = np.array(list(itertools.product(nodes, repeat=d))) / math.sqrt(d)
    mass = np.array(list(itertools.product(weights / weights.sum(), repeat=d)))
    return keys, mass.prod(1)


def gaussian_by_nodes(beta: float, d: int, T: int) -> float:
    """``E A^T A`` step by step, by quadrature over the entries of a key."""
    keys, mass = _normal_keys(d)
    energy = np.eye(d)
    for _ in range(T):
        energy = sum(
            weight * householder(beta, key) @ energy @ householder(beta, key)
            for key, weight in zip(keys, mass, strict=True)
        )
    return float(np.trace(energy)) / d


def gaussian_by_lengths(beta: float, d: int, T: int) -> float:
    """By the distribution of ``|k|^2``: along the key, ``1 - beta |k|^2`` remains."""
    scale = 2 ** (d / 2) * math.gamma(d / 2)  # |k|^2 d is chi-squared

    def density(x: float) -> float:  # density of its square root
        return 2 * x ** (d - 1) * math.exp(-x * x / 2) / scale

    along, _ = scipy.integrate.quad(
        lambda x: (1 - beta * x * x / d) ** 2 * density(x), 0, 40, epsabs=1e-13
    )
    return (1 - 1 / d + along / d) ** T


def implicit_step(beta: float, s: float) -> Callable[..., Float[np.ndarray, "d d"]]:
    """The step of Longhorn, as the matrix that solves its regression."""

    def step(key: Float[np.ndarray, " d"]) -> Float[np.ndarray, "d d"]:
        return np.linalg.inv(np.eye(len(key)) + beta * s * np.outer(key, key))

    return step


def implicit_state(beta: float, s: float, d: int, keys: Callable[[int], Keys]) -> float:
    """``E |s|^2`` in the limit, by a linear system for its covariance."""
    steps = [implicit_step(beta, s)(key) for key in keys(d)]
    kept = np.mean([np.kron(step, step) for step in steps], axis=0)
    written = [
        step @ (beta * math.sqrt(s) * key)
        for step, key in zip(steps, keys(d), strict=True)
    ]
    source = np.mean([np.outer(row, row) for row in written], axis=0)
    limit = np.linalg.solve(np.eye(d * d) - kept, source.ravel())
    return float(np.trace(limit.reshape(d, d)))


def goose(
    w: Any, a: Any, c: Float[np.ndarray, " d"]
) -> Float[np.ndarray, "d d"] | Complex[np.ndarray, "d d"]:
    """One step of RWKV-7 ("Goose")."""
    return np.diag(w * np.ones(len(c))) - np.outer(c, a * c)


def _entries(at: dict[str, Any], name: str) -> Any:
    return np.array([at[f"{name}_{index}"] for index in (1, 2, 3)])


def polynomial_by_determinant(z: complex, **at: Any) -> complex:
    """The determinant of ``z - A``."""
    A = goose(*(_entries(at, name) for name in "wac"))
    return complex(np.linalg.det(z * np.eye(3) - A))


def polynomial_by_symmetry(z: complex, **at: Any) -> complex:
    """By the eigenvalues of a symmetric matrix that is similar to ``A``."""
    w, a, c = (_entries(at, name) for name in "wac")
    values = np.linalg.eigvalsh(np.diag(w) - np.outer(np.sqrt(a) * c, np.sqrt(a) * c))
    return complex(np.prod(z - values))


def norm_by_singular_values(c: float) -> float:
    """The largest singular value of the step, among four entries."""
    key = np.array([0.0, math.sqrt(c), 0.0, -math.sqrt(1 - c)])
    step = goose(1.0, np.array([0.3, 1.0, 0.6, 0.0]), key)
    return float(np.linalg.svd(step)[1][0] ** 2)


def norm_by_search(c: float) -> float:
    """The largest factor by which the step stretches a vector, over its angle."""
    A = goose(1.0, np.array([1.0, 0.0]), np.array([math.sqrt(c), math.sqrt(1 - c)]))

    def shrunk(angle: float) -> float:
        image = A @ np.array([math.cos(angle), math.sin(angle)])
        return -float(image @ image)

    start = min(np.linspace(0, np.pi, 60), key=shrunk)
    found = scipy.optimize.minimize_scalar(
        shrunk, bounds=(start - 0.1, start + 0.1), method="bounded"
    )
    return -float(found.fun)


def goose_energy(
    w: float, a: float, d: int, T: int, keys: Callable[[int], Keys]
) -> float:
    """``E |A|_F^2/d`` of ``T`` steps with the same decay and gate for all entries."""
    return energy_by_sequences(lambda key: goose(w, a, key), keys(d), T)


def implicit_energy(
    beta: float, s: float, d: int, T: int, keys: Callable[[int], Keys]
) -> float:
    """``E |A|_F^2/d`` of ``T`` implicit steps."""
    return energy_by_sequences(implicit_step(beta, s), keys(d), T)


_NAMES = "z w_1 w_2 w_3 a_1 a_2 a_3 c_1 c_2 c_3"


EVIDENCE: dict[str, Basis] = {
    "sigprop:householder-turn": Evidence(
        points("beta c", (0.4, 0.3), (2.0, 0.7), (1.5, 0.95)),
        {"eigenvalues": turning_by_eigenvalues, "traces": turning_by_traces},
    ),
    "sigprop:delta-gaussian-keys": Evidence(
        points("beta d T", (0.5, 3, 2), (1.3, 2, 4), (0.8, 1, 3)),
        {"nodes": gaussian_by_nodes, "lengths": gaussian_by_lengths},
    ),
    "sigprop:implicit-delta-energy": Evidence(
        points("beta s d T", (0.5, 2.0, 3, 2), (3.0, 0.4, 2, 3), (20.0, 1.7, 4, 2)),
        {name: partial(implicit_energy, keys=keys) for name, keys in BY_KEYS},
    ),
    "sigprop:implicit-delta-state": Evidence(
        points("beta s d", (0.5, 2.0, 3), (3.0, 0.4, 2), (20.0, 1.7, 4)),
        {name: partial(implicit_state, keys=keys) for name, keys in BY_KEYS},
    ),
    "sigprop:goose-polynomial": Evidence(
        points(
            _NAMES,
            (0.3 + 0.2j, 0.9, 0.6, 0.75, 0.5, 0.8, 0.2, 0.48, -0.6, 0.64),
            (-0.7, 0.99, 0.56, 0.8, 0.95, 0.1, 0.7, -0.8, 0.36, 0.48),
        ),
        {
            "determinant": polynomial_by_determinant,
            "eigenvalues": polynomial_by_symmetry,
        },
    ),
    "sigprop:goose-norm": Evidence(
        points("c", 0.1, 1 / 3, 0.85),
        {"singular_values": norm_by_singular_values, "search": norm_by_search},
    ),
    "sigprop:goose-energy": Evidence(
        points("w a d T", (0.9, 0.5, 3, 2), (0.6, 0.95, 2, 3), (0.99, 0.2, 4, 2)),
        {name: partial(goose_energy, keys=keys) for name, keys in BY_KEYS},
    ),
}
