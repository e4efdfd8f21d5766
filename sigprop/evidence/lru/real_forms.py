"""What judges alternatives to complex numbers, Appendix E.3 of Orvieto et al. (2023)."""

import math
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.lru.systems import drawn_matrix
from sigprop.judge.basis import Basis, Evidence
from theory import koopman

SEEDS = (0, 1, 2)
DRAWS = tuple({"seed": seed} for seed in SEEDS)


def of(part: str) -> tuple[dict[str, Any], ...]:
    """Points of all draws, for the ``Re`` or the ``Im`` part."""
    return tuple({"seed": seed, "part": part} for seed in SEEDS)


def image_of_pair(seed: int) -> Complex[np.ndarray, "n 2"]:
    """``A [v, v*]``.  Source: Orvieto et al. (2023), Eq. 25."""
    A, _, v = drawn_matrix(seed)
    return A @ np.stack([v, v.conj()], axis=1)


def pair_times_diagonal(seed: int) -> Complex[np.ndarray, "n 2"]:
    """``[v, v*] diag(lam, lam*)``."""
    _, lam, v = drawn_matrix(seed)
    return np.stack([lam * v, np.conj(lam) * v.conj()], axis=1)


def image_of_parts(seed: int) -> Float[np.ndarray, "n 2"]:
    """``A [Re v, Im v]``.  Source: Orvieto et al. (2023), Eq. 26."""
    A, _, v = drawn_matrix(seed)
    return A @ np.stack([np.real(v), np.imag(v)], axis=1)


def _parts_times(seed: int, sign: int) -> Float[np.ndarray, "n 2"]:
    _, lam, v = drawn_matrix(seed)
    block = [[lam.real, sign * lam.imag], [-sign * lam.imag, lam.real]]
    return np.stack([np.real(v), np.imag(v)], axis=1) @ np.array(block)


def parts_times_block(seed: int) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block with ``Im lam`` above its diagonal."""
    return _parts_times(seed, 1)


def parts_times_printed_block(seed: int) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block as printed: ``-Im lam`` above its diagonal."""
    return _parts_times(seed, -1)


def image_of_part(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``A Re v`` or ``A Im v``."""
    return image_of_parts(seed)[:, 0 if part == "Re" else 1]


def part_of_image(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``Re(lam v)`` or ``Im(lam v)``."""
    _, lam, v = drawn_matrix(seed)
    return np.real(lam * v) if part == "Re" else np.imag(lam * v)


def half_difference(seed: int, part: str) -> Complex[np.ndarray, " n"]:
    """``(A v + A v*)/2`` or ``(A v - A v*)/2``, the first step as printed."""
    A, _, v = drawn_matrix(seed)
    return A @ (v + (1 if part == "Re" else -1) * v.conj()) / 2


def conjugate_image(seed: int) -> Complex[np.ndarray, " n"]:
    """``A v*``."""
    A, _, v = drawn_matrix(seed)
    return A @ v.conj()


def conjugate_multiple(seed: int) -> Complex[np.ndarray, " n"]:
    """``lam* v*``."""
    _, lam, v = drawn_matrix(seed)
    return np.conj(lam) * v.conj()


def real_eigenvector_length(angle: float) -> float:
    """``|v + v*|`` over ``2|v| |cos angle|`` where ``v`` is real times ``exp(i angle)``."""
    v = np.exp(1j * angle) * np.array([0.6, -0.8])
    return float(np.linalg.norm(v + v.conj()))


def eigenvector_found(angle: float) -> float:
    """One where ``v + v*`` is not zero, for real ``v`` turned by an angle."""
    return float(real_eigenvector_length(angle) > 1e-12)


def _block(lam: complex) -> Float[np.ndarray, "2 2"]:
    return np.array([[lam.real, lam.imag], [-lam.imag, lam.real]])


def block_product(lam: complex, mu: complex) -> Float[np.ndarray, "2 2"]:
    """The product of the blocks of two complex numbers."""
    return _block(lam) @ _block(mu)


def block_of_product(lam: complex, mu: complex) -> Float[np.ndarray, "2 2"]:
    """The block of the product of two complex numbers."""
    return _block(lam * mu)


EVIDENCE: dict[str, Basis] = {
    "lru:25": Evidence(
        DRAWS,
        {"reference": image_of_pair},
        form=pair_times_diagonal,
        proof=koopman.conjugate_is_eigenvalue,
    ),
    "lru:26": Evidence(
        DRAWS,
        {"reference": image_of_parts},
        form=parts_times_block,
        printed=parts_times_printed_block,
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:conjugate-eigenvector": Evidence(
        DRAWS,
        {"reference": conjugate_image},
        form=conjugate_multiple,
        proof=koopman.conjugate_is_eigenvalue,
    ),
    "lru:text:real-eigenvector": Evidence(
        tuple({"angle": angle} for angle in (0.0, 0.9, 1.4, math.pi / 2)),
        {"reference": eigenvector_found},
        form=1.0,
        alone="the length of v + v* where v is a turned real vector",
    ),
    "lru:text:real-part": Evidence(
        of("Re"),
        {"reference": image_of_part, "quadrature": half_difference},
        form=part_of_image,
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:imaginary-part": Evidence(
        of("Im"),
        {"reference": image_of_part},
        form=part_of_image,
        printed=half_difference,
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:blocks-as-numbers": Evidence(
        ({"lam": 0.3 + 0.8j, "mu": -0.5 + 0.2j},),
        {"reference": block_product},
        form=block_of_product,
        proof=koopman.block_multiplies_as_numbers,
    ),
}
