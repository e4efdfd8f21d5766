"""What judges the Koopman operator, Eq. 17-24 of Orvieto et al. (2023)."""

import numpy as np
from jaxtyping import Complex

from sigprop.evidence.lru.eigenfunctions import modes_predict
from sigprop.judge.basis import AtPoint, Basis, Evidence
from theory import koopman

RATES, AMPLITUDES = (0.8 + 0.1j, -0.5), (1.2, 0.4 - 0.3j)


def toy_orbit(
    a_1: complex,
    a_2: complex,
    coupling: complex,
    x_1: complex,
    x_2: complex,
    steps: int,
) -> complex:
    """Second coordinate of the toy map, iterated."""
    first, second = complex(x_1), complex(x_2)
    for _ in range(steps):
        first, second = a_1 * first, a_2 * second + coupling * first**2
    return second


def toy_advanced(
    a_1: complex,
    a_2: complex,
    coupling: complex,
    x_1: complex,
    x_2: complex,
    steps: int,
) -> complex:
    """The observable ``x_2`` at the image of a point."""
    del a_1, steps
    return a_2 * x_2 + coupling * x_1**2


def mixture_advanced(
    a_1: complex,
    a_2: complex,
    coupling: complex,
    x_1: complex,
    x_2: complex,
    first: complex,
    second: complex,
    steps: int = 1,
) -> complex:
    """``first x_1 + second x_2`` at the image of a point.

    Source: Orvieto et al. (2023), Eq. 18.
    """
    del steps
    return first * (a_1 * x_1) + second * toy_advanced(a_1, a_2, coupling, x_1, x_2, 1)


def advanced_mixture(
    a_1: complex,
    a_2: complex,
    coupling: complex,
    x_1: complex,
    x_2: complex,
    first: complex,
    second: complex,
    steps: int = 1,
) -> complex:
    """The two observables advanced apart and then mixed: Eq. 20.

    A linear map of the monomials ``x_1, x_2, x_1^2`` advances every observable in them.
    """
    del steps
    K = np.array([[a_1, 0, 0], [0, a_2, coupling], [0, 0, a_1**2]], complex)
    advanced = K @ np.array([x_1, x_2, x_1**2])
    return complex(first * advanced[0] + second * advanced[1])


def extended_state(lam: complex, x: complex, k: int, inputs: str) -> complex:
    """The state's observable after ``k`` steps of state and shifted inputs together.

    Source: Orvieto et al. (2023), Eq. 23.
    """
    matrix, at = _extended(lam, x, inputs)
    for _ in range(k):
        at = matrix @ at
    return complex(at[0])


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
    for j in range(k):
        if inputs == "impulse":
            u = 1.0 if j == 0 else 0.0
        else:
            u = sum(c * rate**j for c, rate in zip(AMPLITUDES, RATES, strict=True))
        x = lam * x + u
    return complex(x)


def driven_state_by_modes(lam: complex, x: complex, k: int, inputs: str) -> complex:
    """``V Lam^k Phi`` from all linear eigenfunctions that the extended map has.

    Source: Orvieto et al. (2023), Eq. 24.
    """
    matrix, begin = _extended(lam, x, inputs)
    return modes_predict(matrix, begin, k)


VARIABLES = ("a_1", "a_2", "coupling", "x_1", "x_2", "steps")
ORBITS: tuple[AtPoint, ...] = tuple(
    dict(zip(VARIABLES, values, strict=True))
    for values in (
        (0.8 + 0.3j, -0.5, 1.4, 0.7, 0.2 - 0.6j, 3),
        (-0.9, 0.4 + 0.6j, 0.6 - 0.8j, 1.3 + 0.4j, -0.5, 5),
        (1.1j, 0.7, -2.0, -0.6, 1.7, 2),
    )
)
OBSERVED = tuple(
    {**orbit, "first": first, "second": second}
    for orbit, first, second in zip(
        ORBITS, (0.7, -1.2 + 0.5j, 2.1j), (1.9j, 0.4, -0.8 + 0.3j), strict=True
    )
)
LINEAR = Evidence(
    OBSERVED,
    {"reference": mixture_advanced},
    form=advanced_mixture,
    proof=koopman.koopman_is_linear,
)
STARTS = (
    {"lam": 0.6 + 0.2j, "x": 0.3, "k": 4},
    {"lam": -0.7, "x": 1.1 - 0.4j, "k": 3},
    {"lam": 0.9j, "x": -0.5, "k": 6},
)


EVIDENCE: dict[str, Basis] = {
    "lru:17": Evidence(
        tuple({**orbit, "steps": 1} for orbit in ORBITS),
        {"reference": toy_orbit},
        form=toy_advanced,
        alone="an observable of a map, taken one step on",
    ),
    "lru:18": LINEAR,
    "lru:19": LINEAR,
    "lru:20": LINEAR,
    "lru:21": Evidence(OBSERVED, {"reference": mixture_advanced}),
    "lru:22": Evidence(ORBITS, {"reference": toy_orbit}, proof=koopman.orbit_is_right),
    "lru:23": Evidence(
        tuple({**start, "inputs": "impulse"} for start in STARTS),
        {"reference": driven_state},
        form=extended_state,
        alone="state and inputs as one autonomous map, against the recurrence",
    ),
    "lru:24": Evidence(
        tuple(
            {**start, "inputs": inputs}
            for inputs in ("exponentials", "impulse")
            for start in STARTS
        ),
        {"reference": driven_state},
        form=driven_state_by_modes,
        alone="the expansion against the recurrence that it claims to be",
    ),
}
