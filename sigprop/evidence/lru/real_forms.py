"""Evidence for alternatives to complex numbers, Appendix E.3 of Orvieto et al. (2023)."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, block, entries, points
from sigprop.evidence.lru.systems import random_matrix
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import koopman

DRAWS = points("seed", 0, 1, 2)


def image_of_pair(seed: int) -> Complex[np.ndarray, "n 2"]:
    """``A [v, v*]``.  Source: Orvieto et al. (2023), Eq. 25."""
    A, _, v = random_matrix(seed)
    return A @ np.stack([v, v.conj()], axis=1)


def pair_times_diagonal(
    seed: int, diagonal: Callable[..., Sequence[Any]] = lambda lam: (lam, np.conj(lam))
) -> Complex[np.ndarray, "n 2"]:
    """``[v, v*] diag(lam, lam*)``."""
    _, lam, v = random_matrix(seed)
    return np.stack([v, v.conj()], axis=1) * np.array(diagonal(lam))


def image_of_parts(seed: int) -> Float[np.ndarray, "n 2"]:
    """``A [Re v, Im v]``.  Source: Orvieto et al. (2023), Eq. 26."""
    A, _, v = random_matrix(seed)
    return A @ np.stack([np.real(v), np.imag(v)], axis=1)


def parts_times_block(
    seed: int, of: Callable[[Any], Any] = np.asarray
) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block with ``Im lam`` above its diagonal.

    As printed it has ``-Im lam`` there; ``of`` changes the block.
    """
    _, lam, v = random_matrix(seed)
    return np.stack([np.real(v), np.imag(v)], axis=1) @ of(block(lam).T)


def image_of_part(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``A Re v`` or ``A Im v``."""
    return image_of_parts(seed)[:, 0 if part == "Re" else 1]


def part_of_image(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``Re(lam v)`` or ``Im(lam v)``."""
    _, lam, v = random_matrix(seed)
    return np.real(lam * v) if part == "Re" else np.imag(lam * v)


def last_member(
    seed: int, part: str, of: Callable[[complex], complex] = complex
) -> Float[np.ndarray, " n"]:
    """``Re lam Re v - Im lam Im v`` or ``Re lam Im v + Im lam Re v``.

    ``of`` is what is taken for ``lam``.
    """
    _, lam, v = random_matrix(seed)
    value, re, im = of(lam), np.real(v), np.imag(v)
    if part == "Re":
        return value.real * re - value.imag * im
    return value.real * im + value.imag * re


def half_difference(seed: int, **_part: str) -> Complex[np.ndarray, " n"]:
    """``(A v - A v*)/2``, the first step as printed."""
    A, _, v = random_matrix(seed)
    return A @ (v - v.conj()) / 2


def real_eigenvector_length(angle: float) -> float:
    """``|v + v*|`` over ``2|v| |cos angle|`` where ``v`` is real times ``exp(i angle)``."""
    v = np.exp(1j * angle) * np.array([0.6, -0.8])
    return float(np.linalg.norm(v + v.conj()))


PARTS = np.array([[1.0, 0.0], [0.0, -1.0]])  # Re v and Im v of v = (1, -i)
WRONG_PAIRS = {
    "conjugates exchanged": lambda lam: (np.conj(lam), lam),
    "one eigenvalue twice": lambda lam: (lam, lam),
    "the modulus": lambda lam: (abs(lam), abs(lam)),
}
WRONG_MEMBERS = {
    "the sign turned": partial(last_member, of=np.conj),
    "real and imaginary part exchanged": partial(
        last_member, of=lambda lam: 1j * np.conj(lam)
    ),
    "the imaginary part lost": partial(last_member, of=lambda lam: complex(lam.real)),
}


EVIDENCE: dict[str, Basis] = {
    "lru:25": Evidence(
        DRAWS,
        {"reference": image_of_pair},
        form=pair_times_diagonal,
        proof=koopman.conjugate_is_eigenvalue,
        mutants={
            name: partial(pair_times_diagonal, diagonal=diagonal)
            for name, diagonal in WRONG_PAIRS.items()
        },
    ),
    "lru:26": Evidence(
        DRAWS,
        {"reference": image_of_parts},
        form=parts_times_block,
        printed=partial(parts_times_block, of=np.transpose),
        proof=koopman.block_acts_on_parts,
        mutants={
            "the parts exchanged": lambda seed: parts_times_block(seed)[:, ::-1],
            "no minus": partial(parts_times_block, of=np.abs),
            "the blocks of both eigenvalues": partial(
                parts_times_block, of=lambda block: block * np.eye(2)
            ),
        },
        example=Example(
            "the second entry of A Re v for A = [[0, -1], [1, 0]], v = (1, -i)",
            {"lam": 1j},
            lambda lam: float((PARTS @ block(lam))[1, 0]),
            lambda lam: float((PARTS @ block(lam).T)[1, 0]),
        ),
    ),
    "lru:text:conjugate-eigenvector": Evidence(
        DRAWS,
        {"reference": entries(image_of_pair, ..., 1)},
        form=entries(pair_times_diagonal, ..., 1),
        proof=koopman.conjugate_is_eigenvalue,
        mutants={
            name: entries(partial(pair_times_diagonal, diagonal=diagonal), ..., 1)
            for name, diagonal in WRONG_PAIRS.items()
        },
    ),
    "lru:text:real-eigenvector": Evidence(
        points("angle", 0.0, 0.9, 1.4, math.pi / 2),
        {
            "reference": lambda angle: float(real_eigenvector_length(angle) > 1e-12),
            "closed_form": lambda angle: float(abs(math.cos(angle)) > 1e-12),
        },
        form=1.0,
        mutants={"v - v*": lambda angle: float(abs(math.sin(angle)) > 1e-12)},
        example=Example(
            "v + v* of the eigenvector v = i of A = 2", {}, "an eigenvector", "0"
        ),
    ),
    "lru:text:real-part": Evidence(
        also(DRAWS, part="Re"),
        {"reference": image_of_part, "closed_form": part_of_image},
        form=last_member,
        proof=koopman.block_acts_on_parts,
        mutants=WRONG_MEMBERS,
    ),
    "lru:text:imaginary-part": Evidence(
        also(DRAWS, part="Im"),
        {"reference": image_of_part, "closed_form": part_of_image},
        form=last_member,
        printed=half_difference,
        proof=koopman.block_acts_on_parts,
        mutants=WRONG_MEMBERS,
        example=Example(
            "the first entry of A Im v for A = [[0, -1], [1, 0]], v = (1, -i)",
            {"lam": 1j},
            lambda lam: complex(lam * 1 - np.conj(lam) * 1) / 2,
            lambda lam: complex(lam * 1 - np.conj(lam) * 1) / 2j,
        ),
    ),
    "lru:text:blocks-as-numbers": Evidence(
        points("lam mu", (0.3 + 0.8j, -0.5 + 0.2j), (1.1 - 0.4j, 0.7j)),
        {"reference": lambda lam, mu: block(lam).T @ block(mu).T},
        form=lambda lam, mu: block(lam * mu).T,
        proof=koopman.block_multiplies_as_numbers,
        mutants={
            "the sum": lambda lam, mu: block(lam + mu).T,
            "one conjugate": lambda lam, mu: block(lam * np.conj(mu)).T,
            "entry by entry": lambda lam, mu: block(lam).T * block(mu).T,
        },
    ),
}
