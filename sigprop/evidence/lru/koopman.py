"""Evidence for the Koopman operator, Eq. 17-24 of Orvieto et al. (2023)."""

from functools import partial

import numpy as np
from jaxtyping import Complex

from sigprop.evidence.kit import also, points, powers, recur
from sigprop.evidence.lru.eigenfunctions import modes_predict
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import koopman

RATES, AMPLITUDES = (0.8 + 0.1j, -0.5), (1.2, 0.4 - 0.3j)


def toy_map(
    x: tuple[complex, complex], a_1: complex, a_2: complex, coupling: complex
) -> tuple[complex, complex]:
    """The image of a point under the toy map."""
    return a_1 * x[0], a_2 * x[1] + coupling * x[0] ** 2


def toy_orbit(x_1: complex, x_2: complex, steps: int, **point: complex) -> complex:
    """Second coordinate of the toy map, iterated."""
    x = complex(x_1), complex(x_2)
    for _ in range(steps):
        x = toy_map(x, **point)
    return x[1]


def toy_advanced(
    a_2: complex, coupling: complex, x_1: complex, x_2: complex, **_: complex
) -> complex:
    """The observable ``x_2`` at the image of a point."""
    return a_2 * x_2 + coupling * x_1**2


def mixture_advanced(
    a_1: complex, x_1: complex, first: complex, second: complex, **point: complex
) -> complex:
    """``first x_1 + second x_2`` at the image of a point.

    Source: Orvieto et al. (2023), Eq. 18.
    """
    return first * (a_1 * x_1) + second * toy_advanced(x_1=x_1, **point)


def advanced_mixture(
    a_1: complex,
    a_2: complex,
    coupling: complex,
    x_1: complex,
    x_2: complex,
    first: complex,
    second: complex,
    **_: int,
) -> complex:
    """The two observables advanced apart and then mixed: Eq. 20.

    A linear map of the monomials ``x_1, x_2, x_1^2`` advances every observable in them.
    """
    K = np.array([[a_1, 0, 0], [0, a_2, coupling], [0, 0, a_1**2]], complex)
    advanced = K @ np.array([x_1, x_2, x_1**2])
    return complex(first * advanced[0] + second * advanced[1])


def extended_state(lam: complex, x: complex, k: int, inputs: str) -> complex:
    """The state's observable after ``k`` steps of state and shifted inputs together.

    Source: Orvieto et al. (2023), Eq. 23.
    """
    matrix, begin = _extended(lam, x, inputs)
    return recur(matrix, np.zeros((k, len(begin))), begin)[-1, 0]


def _extended(
    lam: complex, x: complex, inputs: str, size: int = 6
) -> tuple[Complex[np.ndarray, "n n"], Complex[np.ndarray, " n"]]:
    """The linear map of state and inputs together, and where it starts.

    ``exponentials`` are two decaying inputs, whose amplitudes are carried along; an
    ``impulse`` is a list of inputs that moves up by one each step.
    """
    if inputs == "exponentials":
        matrix = np.diag([lam, *RATES]).astype(complex)
        matrix[0, 1:] = 1
        return matrix, np.array([x, *AMPLITUDES], complex)
    matrix = np.diag(np.ones(size, complex), 1)
    matrix[0, 0] = lam
    return matrix, np.array([x, 1, *np.zeros(size - 1)], complex)


def driven_state(lam: complex, x: complex, k: int, inputs: str) -> complex:
    """``x_k`` of ``x_{k+1} = lam x_k + u_k``, iterated."""
    u = np.eye(k)[0] + 0j
    if inputs == "exponentials":
        u = np.array(AMPLITUDES) @ powers(RATES, k)
    return recur(lam, u, x)[-1]


def driven_by_exponentials(lam: complex, x: complex, k: int, **_: str) -> complex:
    """``x_k`` under decaying inputs, each a geometric series of two ratios."""
    driven = ((rate**k - lam**k) / (rate - lam) for rate in RATES)
    return lam**k * x + sum(
        a * part for a, part in zip(AMPLITUDES, driven, strict=True)
    )


def driven_state_by_modes(lam: complex, x: complex, k: int, inputs: str) -> complex:
    """``V Lam^k Phi`` from all linear eigenfunctions that the extended map has.

    Source: Orvieto et al. (2023), Eq. 24.
    """
    matrix, begin = _extended(lam, x, inputs)
    return modes_predict(matrix, begin, k)


OBSERVED = points(
    "a_1 a_2 coupling x_1 x_2 steps first second",
    (0.8 + 0.3j, -0.5, 1.4, 0.7, 0.2 - 0.6j, 3, 0.7, 1.9j),
    (-0.9, 0.4 + 0.6j, 0.6 - 0.8j, 1.3 + 0.4j, -0.5, 5, -1.2 + 0.5j, 0.4),
    (1.1j, 0.7, -2.0, -0.6, 1.7, 2, 2.1j, -0.8 + 0.3j),
)
ORBITS = tuple(dict(list(point.items())[:6]) for point in OBSERVED)
LINEAR = Evidence(
    OBSERVED,
    {"reference": mixture_advanced},
    form=advanced_mixture,
    proof=koopman.koopman_is_linear,
    mutants={
        "the factors exchanged": lambda first, second, **point: advanced_mixture(
            first=second, second=first, **point
        ),
        "a step more": lambda x_1, x_2, **point: advanced_mixture(
            x_1=point["a_1"] * x_1,
            x_2=toy_advanced(x_1=x_1, x_2=x_2, **point),
            **point,
        ),
        "not advanced": lambda x_1, x_2, first, second, **_: first * x_1 + second * x_2,
        "the square lost": lambda x_1, **point: advanced_mixture(
            x_1=x_1, **{**point, "coupling": point["coupling"] / x_1}
        ),
    },
)
STARTS = points("lam x k", (0.6 + 0.2j, 0.3, 4), (-0.7, 1.1 - 0.4j, 3), (0.9j, -0.5, 6))


EVIDENCE: dict[str, Basis] = {
    "lru:17": Evidence(
        also(ORBITS, steps=1),
        {
            "reference": toy_orbit,
            "closed_form": partial(advanced_mixture, first=0, second=1),
        },
        form=toy_advanced,
        mutants={
            "not advanced": lambda x_2, **_: x_2,
            "two steps": lambda steps, **point: toy_orbit(steps=2, **point),
            "the other coordinate": lambda a_1, x_1, **_: a_1 * x_1,
            "a value of the map's own": lambda a_2, coupling, x_2, **_: (
                a_2 * x_2 + coupling * x_2**2
            ),
        },
    ),
    "lru:18": LINEAR,
    "lru:19": LINEAR,
    "lru:20": LINEAR,
    "lru:21": Evidence(
        OBSERVED,
        {"reference": mixture_advanced},
        example=Example(
            "K f of two eigenfunctions with nu_1 phi_1 = nu_2 phi_2 = 1",
            {"lam_1": 0.5, "lam_2": 0.25},
            lambda lam_1, lam_2: f"{2 * lam_1:g} with k = 1, {2 * lam_2:g} with k = 2",
            lambda lam_1, lam_2: f"{lam_1 + lam_2:g}",
        ),
    ),
    "lru:22": Evidence(ORBITS, {"reference": toy_orbit}, proof=koopman.orbit_is_right),
    "lru:23": Evidence(
        also(STARTS, inputs="impulse"),
        {
            "reference": driven_state,
            "closed_form": lambda lam, x, k, inputs: lam**k * x + lam ** (k - 1),
        },
        form=extended_state,
        mutants={
            "inputs that stay": lambda lam, x, k, **_: (
                lam**k * x + (1 - lam**k) / (1 - lam)
            ),
            "no inputs": lambda lam, x, k, **_: lam**k * x,
            "a step fewer": lambda k, **point: extended_state(k=k - 1, **point),
        },
    ),
    "lru:24": Evidence(
        (*also(STARTS, inputs="exponentials"), *also(STARTS, inputs="impulse")),
        {"reference": driven_state, "closed_form": driven_by_exponentials},
        form=driven_state_by_modes,
        mutants={
            "a power more": lambda k, **point: driven_state_by_modes(k=k + 1, **point),
            "a power fewer": lambda k, **point: driven_state_by_modes(k=k - 1, **point),
            "the state's eigenvalue alone": lambda lam, x, k, **_: lam**k * x,
        },
        example=Example(
            "x_1 for x_0 = 0, u = (0, 1, 0, ...), which is lam Phi with the one "
            "eigenfunction Phi = x_0 + sum_j u_j / lam^(j+1) that x has,",
            {"lam": 0.5},
            lambda lam: lam * np.array([0.0, 1.0]) @ [lam**-1, lam**-2],
            lambda lam: recur(lam, np.array([0.0, 1.0]))[0],
        ),
    ),
}
