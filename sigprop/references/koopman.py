"""Brute force for statements on the Koopman operator: maps iterated, modes summed.

Source: Orvieto et al. (2023), Appendix E.1.2.
"""

import numpy as np
from jaxtyping import Complex
from scipy.linalg import null_space

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


def modes_predict(
    matrix: Complex[np.ndarray, "n n"], begin: Complex[np.ndarray, " n"], k: int
) -> complex:
    """First coordinate after ``k`` steps, as far as eigenfunctions can tell."""
    rows, powers = [], []
    for value in np.unique(np.round(np.diag(matrix), 12)):
        space = null_space((matrix - value * np.eye(len(matrix))).T, rcond=1e-10)
        rows += list(space.T)
        powers += [value**k] * space.shape[1]
    functions = np.array(rows)
    wanted = np.eye(len(matrix))[0]
    V = np.linalg.lstsq(functions.T, wanted, rcond=None)[0]
    return complex(V @ (np.array(powers) * (functions @ begin)))


def linear_map_coordinate(
    lam: complex, link: complex, k: int, other: complex
) -> complex:
    """First coordinate of ``(lam x + link y, other y)`` from (1, 1), iterated."""
    x, y = 1 + 0j, 1 + 0j
    for _ in range(k):
        x, y = lam * x + link * y, other * y
    return x


def linear_map_by_modes(lam: complex, link: complex, k: int, other: complex) -> complex:
    """First coordinate of ``(lam x + link y, other y)`` from (1, 1), by eigenfunctions.

    Exact where the map's eigenfunctions span the observables.
    """
    matrix = np.array([[lam, link], [0, other]], complex)
    return modes_predict(matrix, np.ones(2, complex), k)


def observable_growth(power: float, width: float, norm: str) -> float:
    """``|K f| / |f|`` for a map ``x^power`` on [-1, 1] and ``f`` a bump at zero."""
    if norm == "sup":
        return 1.0
    x = np.arange(0.0, 1.0, 1e-5)
    f = np.exp(-((x / width) ** 2))
    moved = np.exp(-((x**power / width) ** 2))
    return float(np.linalg.norm(moved) / np.linalg.norm(f))
