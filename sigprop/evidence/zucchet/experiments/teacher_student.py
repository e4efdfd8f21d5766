"""Evidence for the teacher-student experiments, Section 4 of Zucchet & Orvieto (2024)."""

import functools
from collections.abc import Callable
from functools import partial
from math import tanh
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence import Load
from sigprop.evidence.kit import (
    across,
    block,
    central,
    energy,
    impulse_response,
    legendre,
    points,
    powers,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.experiments.medians import compared
from sigprop.evidence.zucchet.experiments.sizes import dense_size, lru_size
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import teacher

NEURONS = 100
SLOWEST = 0.99 + 0.01 * tanh(1)  # largest modulus of footnote 1, many neurons


def response_sum(lam: float) -> float:
    """Sum of the impulse response: the characteristic time of one eigenvalue."""
    return float(np.sum(powers(lam, int(np.ceil(-40 / np.log(lam))))))


def times_sequence(lam: float, length: int) -> float:
    """Length of a sequence over the characteristic time of an eigenvalue."""
    return length / response_sum(lam)


def missing_share(lam: float, length: int) -> float:
    """Share of ``E|h|^2`` under white noise that comes from older inputs."""
    w = powers(lam, int(np.ceil(-40 / np.log(lam))))
    return energy(w[length:]) / energy(w)


def mean_time(nu0: float) -> float:
    """Mean of ``1/(1 - |lam|)`` over the teacher's distribution, by quadrature.

    Moduli of the raw matrix have density ``2 r`` on [0, 1] in the limit of many
    neurons.
    """
    r, weights = legendre(0.0, 1.0, 40)
    return float(weights @ (2 * r / (1 - nu0 - (1 - nu0) * np.tanh(r))))


def size_ratio(width: int) -> float:
    """Parameters of the dense RNN over those of the LRU."""
    return dense_size(width, 1) / lru_size(width)


def size_ratio_by_count(width: int) -> float:
    """Parameters of the dense RNN over those of the LRU, by their shapes.

    The LRU has modulus, phase and gamma, complex B and C, and D.
    """
    return (width**2 + 2 * width + 1) / (3 * width + 4 * width + 1)


def dense_response(seed: int, n: int, steps: int = 12) -> Float[np.ndarray, " steps"]:
    """Impulse response of a random dense system, its spectral radius one half."""
    return impulse_response(*_dense(seed, n), steps)


def _dense(
    seed: int, n: int
) -> tuple[Float[np.ndarray, "n n"], Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    generator = np.random.default_rng(seed)
    A = generator.normal(size=(n, n))
    A *= 0.5 / np.abs(np.linalg.eigvals(A)).max()
    return A, generator.normal(size=n), generator.normal(size=n)


def block_response(
    seed: int, n: int, steps: int = 12, turn: Callable[[Any], Any] = complex
) -> Float[np.ndarray, " steps"]:
    """Impulse response of a random dense system, from real blocks of size two.

    Args:
        seed: Seed of the system.
        n: Number of neurons.
        steps: Length of the response.
        turn: Function of the complex eigenvalue of a block; not the identity for a
            mutant.
    """
    A, B, C = _dense(seed, n)
    lam, V = np.linalg.eig(A)
    inward, outward = np.linalg.solve(V, B), C @ V
    upper = np.flatnonzero(np.imag(lam) > 0)
    total = np.zeros(steps)
    for i in upper:
        entering = block(2 * outward[i] * inward[i])[:, 0]
        total += impulse_response(block(turn(lam[i])), entering, np.eye(2)[0], steps)
    real = np.flatnonzero(np.imag(lam) == 0)
    for i, j in zip(real[::2], real[1::2], strict=True):
        A, B, C = (np.real(part[[i, j]]) for part in (lam, inward, outward))
        total += impulse_response(np.diag(A), B, C, steps)
    return total


def layer_response(seed: int, n: int, steps: int = 12) -> Float[np.ndarray, " steps"]:
    """Impulse response of the layer of blocks of two for a random dense system."""
    import jax.numpy as jnp

    from sigprop.layers.dense import LinearRNN

    A, B, C = _dense(seed, n)
    lam, V = np.linalg.eig(A)
    inward, outward = np.linalg.solve(V, B), C @ V
    upper, real = np.flatnonzero(np.imag(lam) > 0), np.flatnonzero(np.imag(lam) == 0)
    blocks = [block(lam[i]) for i in upper]
    entering = [block(2 * outward[i] * inward[i])[:, 0] for i in upper]
    leaving = [np.eye(2)[0] for _ in upper]
    for pair in real.reshape(-1, 2):
        blocks.append(np.diag(np.real(lam[pair])))
        entering.append(np.real(inward[pair]))
        leaving.append(np.real(outward[pair]))

    def respond(A: Any, B: Any, C: Any) -> Any:
        layer = LinearRNN(A, B[:, None], C[None], jnp.zeros((1, 1)))
        return layer(jnp.zeros((steps, 1)).at[0, 0].set(1.0))[:, 0]

    return computed(respond, np.array(blocks), np.ravel(entering), np.ravel(leaving))


def white_covariance(lag: int) -> float:
    """``R`` of unit white noise."""
    from sigprop.inputs import White

    return float(White().autocovariance(np.array([lag]))[0])


@functools.cache
def _white() -> Float[np.ndarray, "series steps"]:
    import jax

    from sigprop.inputs import White

    return np.asarray(White().sample(jax.random.key(1), 200, 1000), float)


def sampled_white_covariance(lag: int) -> float:
    """``R`` of unit white noise, measured on 200 000 draws."""
    x = _white()
    return float(np.mean(x[:, : 1000 - lag] * x[:, lag:]))


def loss_curvature(r: float) -> float:
    """Curvature at the optimum of half the mean squared gap of two states, by sums."""
    count = int(np.ceil(-60 / np.log(r)))

    def loss(lam: float) -> float:
        return energy(powers(lam, count) - powers(r, count)) / 2

    return central(loss, r, 1e-3 * (1 - r), derivative=2)


@functools.cache
def largest_relative_modulus(nu0: float) -> float:
    """Largest ``(|lam| - nu0)/(1 - nu0)`` of 100 neurons, raw deviation ``1/sqrt(n)``."""
    from sigprop.layers.dense import transform_eigenvalues

    moved = (transform_eigenvalues(raw, nu0, np.pi) for raw in _raw())
    radii = [np.abs(np.linalg.eigvals(A)).max() for A in moved]
    return float((np.mean(radii) - nu0) / (1 - nu0))


def largest_relative_modulus_by_norm(nu0: float) -> float:
    """Largest ``(|lam| - nu0)/(1 - nu0)``, the raw radius half the norm in the limit."""
    return float(np.mean([tanh(np.linalg.norm(raw, 2) / 2) for raw in _raw()]))


def _raw() -> Float[np.ndarray, "draws n n"]:
    return np.random.default_rng(3).normal(size=(5, NEURONS, NEURONS)) / np.sqrt(
        NEURONS
    )


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    "zucchet:text:white-inputs": Evidence(
        points("lag", *range(4)),
        {"closed_form": white_covariance, "simulation": sampled_white_covariance},
        form=lambda lag: float(lag == 0),
        absolute=0.02,
        mutants={"a slowly decaying one": lambda lag: 0.5**lag},
    ),
    "zucchet:text:loss-sharpens": Evidence(
        points("r", 0.3, 0.9, 0.99),
        {"reference": loss_curvature},
        proof=teacher.curvature_grows,
    ),
    "zucchet:text:footnote-1": Evidence(
        ({"nu0": 0.99},),
        {"layer": largest_relative_modulus, "norm": largest_relative_modulus_by_norm},
        form=tanh(1),
        absolute=0.03,
        mutants={"the unit circle": 1.0, "1/sqrt(n) as variance": tanh(NEURONS**0.25)},
    ),
    "zucchet:text:three-times": Evidence(
        across(lam=(0.99, SLOWEST), length=(300,)),
        {
            "reference": times_sequence,
            "closed_form": lambda lam, length: length * (1 - lam),
        },
        form=3.0,
        mutants={
            "the time scale of the energy": lambda lam, length: length * (1 - lam**2),
            "half lives": lambda lam, length: -length * np.log2(lam),
        },
        example=Example(
            "the ratio of 300 steps to the longest time constant 1/(1 - |lambda|)",
            {"nu_0": 0.99},
            3.0,
            lambda nu_0: 300 * (1 - nu_0) * (1 - tanh(1)),
        ),
    ),
    "zucchet:text:fewer-parameters": Evidence(
        ({"width": 64},),
        {"layer": size_ratio, "count": size_ratio_by_count},
        form=10.0,
        absolute=5.0,
        mutants={"a dense matrix over a diagonal": lambda width: width},
    ),
    "zucchet:text:overparametrized": Evidence(
        ({"width": 64},),
        {
            "layer": lambda width: dense_size(width, 1),
            "count": lambda width: width**2 + 2 * width + 1,
        },
        form=10**2 + 21,
        relation=">",
        hand={"a hundredfold": 100 * 121},
    ),
    "zucchet:text:blocks": Evidence(
        ({"width": 64}, {"width": 128}),
        {
            "layer": lambda width: [width // 2, dense_size(width, width // 2)],
            "count": lambda width: [width / 2, 2 * width + 2 * width + 1],
        },
        form=lambda width: {64: [32, 257], 128: [64, 513]}[width],
        mutants={"one number a block": lambda width: [width // 2, 5 * width // 2 + 1]},
    ),
    "zucchet:text:block-expressivity": Evidence(
        points("seed n", (0, 6), (1, 8), (2, 6)),
        {"reference": block_response, "impulse": layer_response},
        form=dense_response,
        tolerance=1e-8,
        mutants={"conjugate eigenvalues": partial(block_response, turn=np.conj)},
    ),
    "zucchet:fig3": lambda load: compared(
        load, *(("memory_gap", "RNN", "LRU", nu0) for nu0 in (0.98, 0.99))
    ),
    "zucchet:text:block-gap": lambda load: compared(
        load, ("ablation", "RNN", "block diagonal", 0.99), ("heads", "1", "16", 0.99)
    ),
    "zucchet:text:still-outperform": lambda load: compared(
        load,
        *(
            ("concentration", "RNN", "complex diagonal", 10**log_angle)
            for log_angle in (-0.5, 0.0, -2.0, -1.5, -1.0)
        ),
    ),
}
