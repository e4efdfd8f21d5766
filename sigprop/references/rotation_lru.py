"""RotRNN beside the LRU: conjugate pairs of modes, and the eigenbasis of a real matrix.

Source: RotRNN (2024), Eq. 4 and Section 4.1.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Complex

from sigprop.layers.lru import LRU, lru_from_arrays
from sigprop.layers.rotrnn import RotRNN
from sigprop.numerics.precision import double_precision
from sigprop.references.rotation import draw, recurrence, unrolled
from sigprop.references.rotation_layers import factors, layer
from sigprop.references.rotation_listing import (
    WIDTH,
    Parameters,
    Sequence,
    inputs,
)


def _pairs(seed: int, pairs: int, conjugate: bool):
    """Eigenvalues, ``B`` and ``C`` of an LRU whose eigenvalues come in pairs."""
    generator = np.random.default_rng(seed)
    lam = generator.uniform(0.4, 0.95, pairs) * np.exp(
        1j * generator.uniform(0.2, 3, pairs)
    )
    B, C = (draw(seed + i, pairs, WIDTH, 2) @ np.array([1, 1j]) for i in (1, 2))
    C = C.T
    if conjugate:
        other = B.conj(), C.conj()
    else:
        other = B[::-1] * (1 + 0.5j), C[:, ::-1] * (0.3 - 1j)
    return (
        np.concatenate([lam, lam.conj()]),
        np.vstack([B, other[0]]),
        np.hstack([C, other[1]]),
    )


def paired_lru(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """Outputs of the LRU layer with eigenvalues in conjugate pairs."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    phase = np.mod(np.angle(lam), 2 * math.pi)
    with double_precision(True):
        one = lru_from_arrays(
            {
                "nu_log": np.log(-np.log(np.abs(lam))),
                "theta_log": np.log(phase),
                "B_re": B.real,
                "B_im": B.imag,
                "C_re": C.real,
                "C_im": C.imag,
                "D": np.zeros(WIDTH),
            }
        )
        return np.asarray(jax.jit(LRU.__call__)(one, jnp.asarray(inputs(seed))))


def paired_sum(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """Outputs of an LRU with eigenvalues in conjugate pairs, as a sum over inputs."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    v = inputs(seed) @ B.T
    return (unrolled(np.diag(lam), v) @ C.T).real


def planar_heads(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """A RotRNN of planar heads with the real ``B`` and ``C`` of the first of each pair.

    ``B`` carries the inverse of the layer's normalisation, ``C`` and ``B`` a random ``P``.
    """
    lam, B, C = _pairs(seed, pairs, conjugate)
    lam, B, C = lam[:pairs], B[:pairs], C[:, :pairs]
    M = draw(seed + 9, pairs, 2, 2)
    P = np.array([scipy.linalg.expm(one - one.T) for one in M])
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


def imaginary_readout(seed: int, pairs: int, conjugate: bool = False) -> float:
    """Largest imaginary part of ``C x``, over the largest modulus."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    y = unrolled(np.diag(lam), inputs(seed) @ B.T) @ C.T
    return np.abs(y.imag).max() / np.abs(y).max()


def eigen_lru(seed: int, size: int, time: int) -> Sequence:
    """Eq. 4 through the LRU layer: eigenvalues and eigenvectors of a real ``A``."""
    A, B, C, D, u = real_system(seed, size, time)
    lam, P = np.linalg.eig(A)
    rows, read = np.linalg.solve(P, B), C @ P
    phase = np.mod(np.angle(lam), 2 * math.pi)
    phase[phase == 0] = 2 * math.pi
    with double_precision(True):
        one = lru_from_arrays(
            {
                "nu_log": np.log(-np.log(np.abs(lam))),
                "theta_log": np.log(phase),
                "B_re": np.real(rows),
                "B_im": np.imag(rows),
                "C_re": np.real(read),
                "C_im": np.imag(read),
                "D": D,
            }
        )
        return np.asarray(jax.jit(LRU.__call__)(one, jnp.asarray(u)))


def real_system(seed: int, size: int, time: int):
    """``A`` inside the unit circle, ``B``, ``C``, ``D`` and inputs."""
    A = draw(seed, size, size)
    A *= 0.9 / np.abs(np.linalg.eigvals(A)).max()
    shapes = ((size, WIDTH), (WIDTH, size), (WIDTH, WIDTH), (time, WIDTH))
    return A, *(draw(seed + i + 1, *shape) for i, shape in enumerate(shapes))


def eigen_sum(
    seed: int, size: int, time: int, start: float = 0.0
) -> Complex[np.ndarray, "time width"]:
    """Eq. 4: powers of the eigenvalues summed and read out; it knows of no ``start``."""
    A, B, C, D, u = real_system(seed, size, time)
    lam, P = np.linalg.eig(A)
    return unrolled(np.diag(lam), u @ np.linalg.solve(P, B).T) @ (C @ P).T + u @ D.T


def real_recurrence(seed: int, size: int, time: int, start: float = 0.0) -> Sequence:
    """Eq. 1 with the real matrices, from zero or from a random state of that scale."""
    A, B, C, D, u = real_system(seed, size, time)
    first = start * draw(seed + 6, size)
    return recurrence(A, u @ B.T, first) @ C.T + u @ D.T


def real_blocks(seed: int, pairs: int, conjugate: bool = True) -> Sequence:
    """The real form of paired modes: 2x2 blocks, real ``B`` and ``C`` of the first."""
    lam, B, C = _pairs(seed, pairs, conjugate)
    turns = [[[z.real, -z.imag], [z.imag, z.real]] for z in lam[:pairs]]
    rows = np.stack([B.real, B.imag], 1)[:pairs].reshape(2 * pairs, WIDTH)
    read = np.stack([2 * C.real, -2 * C.imag], -1)[:, :pairs].reshape(WIDTH, 2 * pairs)
    v = inputs(seed) @ rows.T
    return unrolled(np.asarray(scipy.linalg.block_diag(*turns)), v) @ read.T
