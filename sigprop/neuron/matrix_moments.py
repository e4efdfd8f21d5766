"""Second moments of matrix states ``S' = S A + B`` for any ``A`` and ``B`` of the input.

``A`` and ``B`` depend only on the present input.  The means ``m = E S`` and ``M = E S^T S``
therefore obey ``m' = m E A + E B`` and ``M' = E[A^T M A] + E[A^T m^T B] + E[B^T m A] +
E[B^T B]``.  Expectations are sums over the values of an input with few values.  For Gaussian
inputs they are means over the points of a Sobol sequence.  The error is estimated from the
spread over several scrambled sequences.

Notation: nodes  values of an input;  rows, keys  of ``S``.

Source: Owen (1997), Scrambled net variance for integrals of smooth functions, The Annals of
Statistics 25, for the error.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri
from scipy.stats import qmc

from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import require_finite

SEQUENCES, POINTS = 16, 13  # scrambled sequences of 2^13 points
ERRORS = 5.0  # standard errors; exceeded once in 6000 with 15 degrees of freedom
ROUNDED = 1e-11  # relative rounding error
MOST_KEYS = 64  # a step has the square of the number of keys as its dimension

Inputs = Float[np.ndarray, "nodes d_in"]
Weights = Float[np.ndarray, " nodes"]
Matrices = Float[np.ndarray, "nodes heads _ keys"]
Program = Callable[[Inputs], dict[str, np.ndarray]]


class Step(NamedTuple):
    """Expectations of the maps of one head over its input.

    Attributes:
        A: ``E A``.
        B: ``E B``.
        AA: ``E[A_ab A_cd]`` at the index ``[a, b, c, d]``.
        AB: ``E[A_ab B_rd]`` at the index ``[a, b, r, d]``.
        BB: ``E[B^T B]``.
    """

    A: Float[np.ndarray, "keys keys"]
    B: Float[np.ndarray, "rows keys"]
    AA: Float[np.ndarray, "keys keys keys keys"]
    AB: Float[np.ndarray, "keys keys rows keys"]
    BB: Float[np.ndarray, "keys keys"]


def expectations(
    A: Float[np.ndarray, "nodes keys keys"],
    B: Float[np.ndarray, "nodes rows keys"],
    w: Weights,
) -> Step:
    """Return the expectations of the maps of one head.

    Args:
        A: Factor of the state at each node.
        B: Term that is added to the state at each node.
        w: Weights of the nodes.
    """
    keys, rows = A.shape[1], B.shape[1]
    flat, entering = A.reshape(len(w), -1), B.reshape(len(w), -1)
    weighted = (w[:, None] * flat).T
    return Step(
        np.tensordot(w, A, 1),
        np.tensordot(w, B, 1),
        (weighted @ flat).reshape([keys] * 4),
        (weighted @ entering).reshape(keys, keys, rows, keys),
        np.einsum("n,nrb,nrd->bd", w, B, B, optimize=True),
    )


def operator(step: Step) -> Float[np.ndarray, "size size"]:
    """Return the matrix of one step, which acts on the vector ``(1, m, M)``.

    Args:
        step: Expectations of one head.
    """
    rows, keys = step.B.shape
    size = rows * keys
    half = step.AB.transpose(1, 3, 2, 0).reshape(keys, keys, size)
    whole = np.zeros((1 + size + keys**2,) * 2)
    whole[0, 0] = 1.0
    whole[1 : 1 + size, 0] = step.B.ravel()
    whole[1 : 1 + size, 1 : 1 + size] = np.kron(np.eye(rows), step.A.T)
    whole[1 + size :, 0] = step.BB.ravel()
    whole[1 + size :, 1 : 1 + size] = (half + half.swapaxes(0, 1)).reshape(-1, size)
    whole[1 + size :, 1 + size :] = _through(step)
    return whole


def _through(step: Step) -> Float[np.ndarray, "square square"]:
    """Return the matrix of the map ``M -> E[A^T M A]``."""
    return step.AA.transpose(1, 3, 0, 2).reshape((len(step.A) ** 2,) * 2)


def require_limit(step: Step) -> None:
    """Raise an error if the second moments of a head have no stationary limit.

    Args:
        step: Expectations of one head.

    Raises:
        ValueError: If an eigenvalue of ``M -> E[A^T M A]`` is one or more.
    """
    radius = float(np.linalg.eigvals(_through(step)).real.max())
    require_finite(np.array([radius if radius < 1 - ROUNDED else max(radius, 1.0)]))


def _moments(
    step: Step, steps: int | None
) -> tuple[Float[np.ndarray, "rows keys"], Float[np.ndarray, "keys keys"]]:
    """Return ``m`` and ``M`` after some steps or in the stationary limit.

    Raises:
        ValueError: If the limit is infinite.
    """
    rows, keys = step.B.shape
    size, whole = rows * keys, operator(step)
    if steps is None:
        require_limit(step)
        m = np.linalg.solve((np.eye(keys) - step.A).T, step.B.T).T
        added = whole[1 + size :, 1 : 1 + size] @ m.ravel() + step.BB.ravel()
        M = np.linalg.solve(np.eye(keys**2) - _through(step), added)
        return m, M.reshape(keys, keys)
    last = np.linalg.matrix_power(whole, steps)[1:, 0]
    return last[:size].reshape(rows, keys), last[size:].reshape(keys, keys)


def rules(
    width: int, law: Law | None, scale: float, power: int = POINTS
) -> Iterator[tuple[Inputs, Weights]]:
    """Yield nodes of the input and their weights: one rule, or one for each sequence.

    Args:
        width: Number of inputs.
        law: Distribution of the input vector with few values.  Default: Gaussian.
        scale: Standard deviation of Gaussian inputs.
        power: Logarithm to base two of the number of points of a sequence.
    """
    if law is not None:
        yield law.values, law.probabilities
        return
    for seed in range(SEQUENCES):
        points = normal_points(width, power, np.random.default_rng(seed))
        yield scale * points, np.full(len(points), 1 / len(points))


def normal_points(width: int, power: int, rng: np.random.Generator) -> Inputs:
    """Return points of a scrambled Sobol sequence, mapped to a standard normal distribution.

    Args:
        width: Number of entries of a point.
        power: Logarithm to base two of the number of points.
        rng: Generator that scrambles the sequence.
    """
    points = qmc.Sobol(width, rng=rng).random_base2(power)
    return ndtri(np.clip(points, 2.0**-60, 1 - 2.0**-53))


def matrix_moment(
    quantity: Callable[..., float],
    program: Program,
    width: int,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> tuple[float, float]:
    """Compute a function of the moments of each head, and sum it over heads.

    Args:
        quantity: Function of ``m``, ``M``, ``E A``, ``E B``, the weights of the nodes, and
            the arrays of ``program`` for one head.
        program: Function from inputs to a dictionary of arrays.  ``A`` has the shape
            (nodes, heads, keys, keys) and ``B`` (nodes, heads, rows, keys).  Further
            arrays are for ``quantity``.
        width: Number of inputs.
        scale: Standard deviation of the inputs, which are Gaussian and independent of
            each other and in time.
        law: Distribution of the input vector with few values, instead of a Gaussian.
        steps: Number of steps since the zero state.  Default: the stationary limit.

    Returns:
        The value and its estimated error.

    Raises:
        ValueError: If the limit is infinite, or keys have more than 64 entries.
    """
    found = []
    for u, w in rules(width, law, scale):
        arrays = program(u)
        A, B = arrays["A"], arrays["B"]
        if A.shape[-1] > MOST_KEYS:
            raise ValueError(
                f"need keys of at most {MOST_KEYS} entries for moments of matrices, got "
                f"{A.shape[-1]}; measure them"
            )
        total = 0.0
        for head in range(A.shape[1]):
            step = expectations(A[:, head], B[:, head], w)
            of_head = {name: array[:, head] for name, array in arrays.items()}
            total += quantity(*_moments(step, steps), step.A, step.B, w, of_head)
        found.append(total)
    return with_error(found)


def with_error(found: list[float]) -> tuple[float, float]:
    """Return the mean of the results of several sequences, and its estimated error.

    Args:
        found: Result of each sequence.  A single result is treated as exact up to
            rounding.
    """
    mean = float(np.mean(found))
    spread = float(np.std(found, ddof=1)) if len(found) > 1 else 0.0
    return mean, ERRORS * spread / len(found) ** 0.5 + ROUNDED * abs(mean)


def of_state(m: Any, M: Any, *_: Any) -> float:
    """Return ``E|S|^2``, as the ``quantity`` of ``matrix_moment``."""
    return float(np.trace(M))


def lagged(lag: int) -> Callable[..., float]:
    """Return a function for ``E tr S_t^T S_{t+lag}``, the ``quantity`` of ``matrix_moment``."""

    def quantity(m: Any, M: Any, A: Any, B: Any, *unused: Any) -> float:
        del unused
        for _ in range(lag):
            M = M @ A + m.T @ B
        return float(np.trace(M))

    return quantity


def one_query_a_head(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return arrays in which all rows of a head have the same query.

    If each row has a query, the rows become heads of one row, because ``of_output`` needs
    the second moment of each row.

    Args:
        arrays: ``A``, ``B``, the queries ``q`` of shape (nodes, heads, 1 or rows, keys),
            and ``z`` of shape (nodes, heads, rows).
    """
    A, B, q, z = (arrays[name] for name in ("A", "B", "q", "z"))
    nodes, heads, rows, keys = B.shape
    if q.shape[2] == 1:
        return arrays
    row = (nodes, heads * rows, 1)
    return {
        "A": np.repeat(A, rows, axis=1),
        "B": B.reshape(*row, keys),
        "q": q.reshape(*row, keys),
        "z": z.reshape(row),
    }


def of_output(
    m: Any, M: Any, A: Any, B: Any, w: Any, of_head: dict[str, np.ndarray]
) -> float:
    """Return ``E|S' q + z|^2``, as the ``quantity`` of ``matrix_moment``.

    ``m`` and ``M`` are the moments before the last step.  ``q`` has the shape (nodes, 1,
    keys), as in ``one_query_a_head``.
    """
    q = of_head["q"][:, 0]
    through = np.einsum("nab,nb->na", of_head["A"], q)
    entering = np.einsum("nrb,nb->nr", of_head["B"], q) + of_head["z"]
    square = np.einsum("na,ab,nb->n", through, M, through, optimize=True)
    crossed = np.einsum("na,ra,nr->n", through, m, entering, optimize=True)
    return float(w @ (square + 2 * crossed + (entering**2).sum(1)))
