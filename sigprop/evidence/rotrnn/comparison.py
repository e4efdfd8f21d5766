"""What judges the text on the LRU and on two directions, Section 4.1 of RotRNN (2024)."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from sigprop.evidence.kit import block, points, powered, recur
from sigprop.evidence.rotrnn.heads import (
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
from sigprop.layers.rotrnn import BidirectionalRotRNN, RotRNN
from sigprop.numerics.precision import double_precision
from theory import rotation

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


def imaginary_readout(seed: int, pairs: int, conjugate: bool = False) -> float:
    """Largest imaginary part of ``C x``, over the largest modulus."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    y = powered(np.diag(lam), inputs(seed) @ B.T) @ C.T
    return np.abs(y.imag).max() / np.abs(y).max()


def real_blocks(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """The real form of paired modes: 2x2 blocks, real ``B`` and ``C`` of the first."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    turns = [block(z) for z in lam[:pairs]]
    rows = np.stack([B.real, B.imag], 1)[:pairs].reshape(2 * pairs, WIDTH)
    read = np.stack([2 * C.real, -2 * C.imag], -1)[:, :pairs].reshape(WIDTH, 2 * pairs)
    v = inputs(seed) @ rows.T
    return powered(np.asarray(scipy.linalg.block_diag(*turns)), v) @ read.T


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


# Planar heads without M, and both directions.


def output_by_M(seed: int, heads: int, other: int) -> Sequence:
    """States of planar heads with the ``M`` of another seed."""
    p = parameters(seed, heads, 2)._replace(M=draw(other, heads, 2, 2))
    with double_precision(True):
        return np.asarray(jax.jit(RotRNN.states)(layer(p), jnp.asarray(inputs(seed))))


def output_without_M(seed: int, heads: int, **_) -> Sequence:
    """States of planar heads by dense matrices, ``M`` being zero."""
    p = parameters(seed, heads, 2)
    p, u = p._replace(M=np.zeros_like(p.M)), inputs(seed)
    return np.hstack([recur(A, u @ B.T, np.zeros(2)) for A, B in dense(p)])


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


def both_by_loops(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the bidirectional layer by dense matrices, one ``C`` a direction."""
    p, u = parameters(seed, heads, size), inputs(seed)

    def states(v):
        return np.hstack([recur(A, v @ B.T, np.zeros(size)) for A, B in dense(p)])

    back = states(u[::-1])[::-1] @ draw(seed + 8, *p.C.shape).T
    return states(u) @ p.C.T + back + p.D * u


PAIRS = points("seed pairs", (3, 2), (4, 2))
LRUS = {"layer": paired_lru, "reference": paired_sum}

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:lru-not-real": Evidence(
        (*PAIRS, dict(seed=5, pairs=2)),
        {"reference": imaginary_readout},
        0.1,
        relation=">",
        slips={"always real": 1.0},
        alone="one example shows that nothing ensures it",
    ),
    "rotrnn:text:real-blocks": Evidence(
        (*PAIRS, dict(seed=3, pairs=2, conjugate=False)),
        LRUS,
        real_blocks,
        proof=rotation.output_is_real_part,
    ),
    "rotrnn:text:lru-special-case": Evidence(PAIRS, LRUS, planar_heads),
    "rotrnn:text:planar-heads": Evidence(
        points("seed heads other", (1, 2, 7), (1, 2, 8)),
        {"layer": output_by_M},
        output_without_M,
        proof=rotation.planar_rotations_commute,
    ),
    "rotrnn:text:bidirectional": Evidence(
        points("seed heads size", (1, 2, 4), (2, 2, 4)),
        {"layer": both_directions},
        both_by_loops,
        alone="a definition, of the layer beside loops",
    ),
}
