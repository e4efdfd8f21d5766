"""What judges alternatives to complex numbers, Appendix E.3 of Orvieto et al. (2023)."""

import math
from functools import partial

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, block, entries, points
from sigprop.evidence.lru.systems import drawn_matrix
from sigprop.judge.basis import Basis, Evidence
from theory import koopman

DRAWS = points("seed", 0, 1, 2)


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


def parts_times_block(seed: int, printed: bool = False) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block with ``Im lam`` above its diagonal.

    As printed it has ``-Im lam`` there.
    """
    _, lam, v = drawn_matrix(seed)
    block_of_lam = block(lam) if printed else block(lam).T
    return np.stack([np.real(v), np.imag(v)], axis=1) @ block_of_lam


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


def real_eigenvector_length(angle: float) -> float:
    """``|v + v*|`` over ``2|v| |cos angle|`` where ``v`` is real times ``exp(i angle)``."""
    v = np.exp(1j * angle) * np.array([0.6, -0.8])
    return float(np.linalg.norm(v + v.conj()))


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
        printed=partial(parts_times_block, printed=True),
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:conjugate-eigenvector": Evidence(
        DRAWS,
        {"reference": entries(image_of_pair, ..., 1)},
        form=entries(pair_times_diagonal, ..., 1),
        proof=koopman.conjugate_is_eigenvalue,
    ),
    "lru:text:real-eigenvector": Evidence(
        points("angle", 0.0, 0.9, 1.4, math.pi / 2),
        {"reference": lambda angle: float(real_eigenvector_length(angle) > 1e-12)},
        form=1.0,
        alone="the length of v + v* where v is a turned real vector",
    ),
    "lru:text:real-part": Evidence(
        also(DRAWS, part="Re"),
        {"reference": image_of_part, "quadrature": half_difference},
        form=part_of_image,
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:imaginary-part": Evidence(
        also(DRAWS, part="Im"),
        {"reference": image_of_part},
        form=part_of_image,
        printed=half_difference,
        proof=koopman.block_acts_on_parts,
    ),
    "lru:text:blocks-as-numbers": Evidence(
        points("lam mu", (0.3 + 0.8j, -0.5 + 0.2j)),
        {"reference": lambda lam, mu: block(lam).T @ block(mu).T},
        form=lambda lam, mu: block(lam * mu).T,
        proof=koopman.block_multiplies_as_numbers,
    ),
}
