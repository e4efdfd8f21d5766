"""Evidence for the text on the LRU and on two directions, Section 4.1 of RotRNN (2024)."""

import itertools
import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Complex, PRNGKeyArray

from sigprop.evidence.kit import block, each, points, powered, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.rotrnn.heads import (
    TIME,
    WIDTH,
    Parameters,
    Sequence,
    dense,
    factors,
    inputs,
    layer,
    parameters,
)
from sigprop.evidence.rotrnn.random_matrices import draw
from sigprop.evidence.rotrnn.recurrences import lru_outputs
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.lru import LRU, lru, lru_from_arrays
from sigprop.layers.rotrnn import BidirectionalRotRNN, RotRNN
from sigprop.numerics.precision import double_precision
from sigprop.theory import rotation

# One eigenvalue of an LRU.


def one_mode(nu: float, theta: float) -> LRU:
    """An LRU of one mode with that modulus and phase, read out whole."""
    ones = {name: np.ones((1, 1)) for name in ("B_re", "C_re")}
    none = {name: np.zeros((1, 1)) for name in ("B_im", "C_im")}
    logs = {"nu_log": [math.log(-math.log(nu))], "theta_log": [math.log(theta)]}
    return lru_from_arrays({**ones, **none, **logs, "D": np.zeros(1)})


def eigenvalue_of_layer(nu: float, theta: float) -> complex:
    """The layer's eigenvalue."""
    with double_precision(True):
        return complex(one_mode(nu, theta).eigenvalues()[0])


def eigenvalue_of_pulse(nu: float, theta: float) -> complex:
    """The eigenvalue whose first two powers a pulse leaves in the output."""
    with double_precision(True):
        pulse = jnp.array([[1.0], [0.0], [0.0]])
        _, first, second = jax.jit(LRU.__call__)(one_mode(nu, theta), pulse)[:, 0]
    # Re lam and Re lam^2 give |Im lam|, and the phase its sign.
    return complex(first, math.copysign(math.sqrt(first**2 - second), math.sin(theta)))


# An LRU whose eigenvalues come in conjugate pairs.


def _pairs(seed: int, pairs: int, conjugate: bool):
    """Eigenvalues, ``B`` and ``C`` of an LRU whose eigenvalues come in pairs."""
    generator = np.random.default_rng(seed)
    lam = generator.uniform(0.4, 0.95, pairs) * np.exp(
        1j * generator.uniform(0.2, 3, pairs)
    )
    B, C = (draw(seed + i, pairs, WIDTH, 2) @ np.array([1, 1j]) for i in (1, 2))
    C = C.T
    partner = B.conj(), C.conj()
    if not conjugate:
        partner = B[::-1] * (1 + 0.5j), C[:, ::-1] * (0.3 - 1j)
    stacked = np.vstack([B, partner[0]]), np.hstack([C, partner[1]])
    return np.concatenate([lam, lam.conj()]), *stacked


def paired_lru(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """Outputs of the LRU layer with eigenvalues in conjugate pairs."""
    return lru_outputs(*_pairs(seed, pairs, conjugate), np.zeros(WIDTH), inputs(seed))


def paired_sum(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """Outputs of an LRU with eigenvalues in conjugate pairs, as a sum over inputs."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    v = inputs(seed) @ B.T
    return (powered(np.diag(lam), v) @ C.T).real


def imaginary_readout(seed: int, pairs: int) -> Sequence:
    """The imaginary part of ``C~ x~`` without conjugate rows and columns."""
    lam, B, C = _pairs(seed, pairs, False)
    return (powered(np.diag(lam), inputs(seed) @ B.T) @ C.T).imag


def imaginary_recurrence(seed: int, pairs: int, start: float = 0.0) -> Sequence:
    """Imaginary part of ``C~ x~`` without conjugate rows and columns, step by step."""
    lam, B, C = _pairs(seed, pairs, False)
    return (recur(lam, inputs(seed) @ B.T, start) @ C.T).imag


def imaginary_in_real_numbers(
    seed: int, pairs: int, conjugate: bool = False, parts: tuple[int, int] = (1, 1)
) -> Sequence:
    """``Re C~ Im x~ + Im C~ Re x~``, each part taken so many times, in real numbers."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    turns = np.asarray(scipy.linalg.block_diag(*[block(z) for z in lam]))
    rows = np.stack([B.real, B.imag], 1).reshape(-1, WIDTH)
    x = powered(turns, inputs(seed) @ rows.T)
    return parts[0] * x[:, 1::2] @ C.real.T + parts[1] * x[:, 0::2] @ C.imag.T


def real_blocks(
    seed: int, pairs: int, conjugate: bool = True, change=lambda *parts: parts
) -> Sequence:
    """The real form of paired modes: 2x2 blocks, real ``B`` and ``C`` of the first.

    ``change`` gives other eigenvalues, ``B`` and ``C``.
    """
    lam, B, C = _pairs(seed, pairs, conjugate)
    lam, B, C = change(lam[:pairs], B[:pairs], C[:, :pairs])
    turns = [block(z) for z in lam]
    rows = np.stack([B.real, B.imag], 1).reshape(2 * pairs, WIDTH)
    read = np.stack([2 * C.real, -2 * C.imag], -1).reshape(WIDTH, 2 * pairs)
    v = inputs(seed) @ rows.T
    return powered(np.asarray(scipy.linalg.block_diag(*turns)), v) @ read.T


WRONG_BLOCKS = {
    name: partial(real_blocks, change=change)
    for name, change in {
        "turned back": lambda lam, B, C: (lam.conj(), B, C),
        "nu lost": lambda lam, B, C: (lam / abs(lam), B, C),
        "C not conjugated": lambda lam, B, C: (lam, B, C.conj()),
        "theta doubled": lambda lam, B, C: (lam**2 / abs(lam), B, C),
    }.items()
}
# Mutants: P rotates only B~, only C~, or both in the same direction.
WRONG_BASES = {
    name: partial(real_blocks, change=change)
    for name, change in {
        "B for P^T B": lambda lam, B, C: (lam, B * np.exp(0.7j), C),
        "C for C P": lambda lam, B, C: (lam, B, C * np.exp(0.7j)),
        "P B for P^T B": lambda lam, B, C: (lam, B * np.exp(1.4j), C),
    }.items()
}


def planar_heads(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """A RotRNN of planar heads with the real ``B`` and ``C`` of the first of each pair.

    ``B`` carries the inverse of the layer's normalisation, ``C`` and ``B`` a random ``P``.
    """
    lam, B, C = _pairs(seed, pairs, conjugate)
    lam, B, C = lam[:pairs], B[:pairs], C[:, :pairs]
    M = draw(seed + 9, pairs, 2, 2)
    P = np.array([scipy.linalg.expm(matrix - matrix.T) for matrix in M])
    rows = P @ np.stack([B.real, B.imag], 1)
    read = np.stack([2 * C.real, -2 * C.imag], -1).transpose(1, 0, 2) @ P.mT
    p = Parameters(
        np.angle(lam)[:, None],
        np.log(-np.log(np.abs(lam)))[:, None],
        M,
        rows,
        (read / factors(np.abs(lam), rows)[:, None, None])
        .transpose(1, 0, 2)
        .reshape(WIDTH, -1),
        np.zeros(WIDTH),
    )
    with double_precision(True):
        return np.asarray(jax.jit(RotRNN.__call__)(layer(p), jnp.asarray(inputs(seed))))


# The eigenvalues of planar heads, and both directions.


def turns_of_layer(seed: int, heads: int) -> Complex[np.ndarray, " n"]:
    """Eigenvalues by the layer, sorted."""
    with double_precision(True):
        lam = RotRNN.eigenvalues(layer(parameters(seed, heads, 2)))
    return np.sort_complex(np.asarray(lam))


def turns_of_one_matrix(seed: int, heads: int) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of one block-diagonal matrix for all heads, sorted."""
    matrices = [A for A, _ in dense(parameters(seed, heads, 2))]
    return np.sort_complex(np.linalg.eigvals(scipy.linalg.block_diag(*matrices)))


def turns_of_heads(
    seed: int, heads: int, power: int = 1, decays=lambda gammas: gammas
) -> Complex[np.ndarray, " n"]:
    """``gamma^(h) exp(+- i theta^(h))``, sorted; other decays, or angles times a number."""
    p = parameters(seed, heads, 2)
    lam = decays(p.decays) * np.exp(1j * power * p.theta[:, 0])
    return np.sort_complex(np.concatenate([lam, lam.conj()]))


def both_directions(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the bidirectional layer."""
    p = parameters(seed, heads, size)
    with double_precision(True):
        forward = layer(p)
        C = jnp.stack([forward.C, jnp.asarray(draw(seed + 8, *p.C.shape))])
        shared = (forward.theta, forward.gamma_log, forward.M, forward.B)
        bidirectional = BidirectionalRotRNN(*shared, C, forward.D)
        run = jax.jit(BidirectionalRotRNN.__call__)
        return np.asarray(run(bidirectional, jnp.asarray(inputs(seed))))


def both_by_loops(
    seed: int,
    heads: int,
    size: int,
    own: bool = True,
    back: int = -1,
    skips: int = 1,
) -> Sequence:
    """Outputs of the bidirectional layer by dense matrices, with a ``C`` per direction.

    Args:
        seed: Seed of the parameters.
        heads: Number of heads.
        size: Size of each head.
        own: False for a mutant in which both directions share ``C``.
        back: Step with which backward states are aligned with forward states.
        skips: Number of times that ``D u`` is added.
    """
    p, u = parameters(seed, heads, size), inputs(seed)

    def states(v):
        return np.hstack([recur(A, v @ B.T, np.zeros(size)) for A, B in dense(p)])

    C = draw(seed + 8, *p.C.shape) if own else p.C
    return states(u) @ p.C.T + states(u[::-1])[::back] @ C.T + skips * p.D * u


def both_by_sums(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the bidirectional layer, as sums over inputs before and after each time."""
    p, u = parameters(seed, heads, size), inputs(seed)
    reads = p.C, draw(seed + 8, *p.C.shape)
    y = p.D * u
    for t, s in itertools.product(range(TIME), repeat=2):
        state = [np.linalg.matrix_power(A, abs(t - s)) @ B @ u[s] for A, B in dense(p)]
        for C, within in zip(reads, (s <= t, s >= t), strict=True):
            y[t] += within * C @ np.concatenate(state)
    return y


PAIRS = points("seed pairs", (3, 2), (4, 2))
LRUS = {"layer": paired_lru, "reference": paired_sum}

# Conjugate pairs are not enforced.


def eigenvalues_of_layer(seed: int, size: int) -> Complex[np.ndarray, " modes"]:
    """Eigenvalues of an LRU as initialised."""
    return computed(_initial_eigenvalues, jax.random.key(seed), size=size)


def _initial_eigenvalues(key: PRNGKeyArray, size: int) -> Any:
    return lru(size, WIDTH, key=key).eigenvalues()


def eigenvalues_on_disk(seed: int, size: int) -> Complex[np.ndarray, " modes"]:
    """Eigenvalues that are uniform in the unit disk, as the LRU's are."""
    radius, turn = np.random.default_rng(seed).uniform(size=(2, size))
    return np.sqrt(radius) * np.exp(2j * math.pi * turn)


def distance_of_pairs(values: Any, seed: int, size: int) -> float:
    """Least distance of an eigenvalue from the conjugates of all."""
    lam = values(seed, size)
    return float(np.abs(lam[:, None] - lam.conj()).min())


EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:lru-eigenvalues": Evidence(
        points("nu theta", (0.9, 0.4), (0.3, 2.5), (0.7, 6.1)),
        {"layer": eigenvalue_of_layer, "pulse": eigenvalue_of_pulse},
        lambda nu, theta: nu * np.exp(1j * theta),
        mutants={
            "turned back": lambda nu, theta: nu * np.exp(-1j * theta),
            "the exponent of the modulus": lambda nu, theta: np.exp(-nu + 1j * theta),
            "the real part": lambda nu, theta: nu * np.cos(theta),
        },
    ),
    "rotrnn:text:lru-not-real": Evidence(
        (*PAIRS, dict(seed=5, pairs=2)),
        {"reference": imaginary_readout, "recurrence": imaginary_recurrence},
        imaginary_in_real_numbers,
        mutants={
            "conjugate throughout": partial(imaginary_in_real_numbers, conjugate=True),
            "C~ real": partial(imaginary_in_real_numbers, parts=(1, 0)),
            "x~ real": partial(imaginary_in_real_numbers, parts=(0, 1)),
        },
    ),
    "rotrnn:text:real-blocks": Evidence(
        PAIRS,
        LRUS,
        real_blocks,
        proof=rotation.output_is_real_part,
        mutants=WRONG_BLOCKS,
    ),
    "rotrnn:text:lru-special-case": Evidence(
        PAIRS,
        LRUS,
        planar_heads,
        proof=rotation.planar_heads_are_pairs,
        mutants=WRONG_BLOCKS | WRONG_BASES,
    ),
    "rotrnn:text:planar-heads": Evidence(
        points("seed heads", (1, 3), (2, 2)),
        {"layer": turns_of_layer, "one_matrix": turns_of_one_matrix},
        turns_of_heads,
        mutants={
            "gamma squared": partial(turns_of_heads, decays=np.square),
            "one decay for all": partial(turns_of_heads, decays=np.mean),
            "theta doubled": partial(turns_of_heads, power=2),
            "on the unit circle": partial(turns_of_heads, decays=np.ceil),
        },
    ),
    "rotrnn:text:bidirectional": Evidence(
        points("seed heads size", (1, 2, 4), (2, 2, 4)),
        {"layer": both_directions, "sums": both_by_sums},
        both_by_loops,
        mutants={
            "one C for both": partial(both_by_loops, own=False),
            "the end beside the beginning": partial(both_by_loops, back=1),
            "D u twice": partial(both_by_loops, skips=2),
        },
    ),
    "rotrnn:text:pairs-not-enforced": Evidence(
        points("seed size", (1, 12), (2, 12), (3, 12)),
        each(
            distance_of_pairs,
            {"layer": eigenvalues_of_layer, "disk": eigenvalues_on_disk},
        ),
        0.0,
        relation=">",
        hand={"a radius apart": 1.0},
    ),
}
