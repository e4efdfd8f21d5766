"""Second moments of derivatives of matrix states by parameters of their maps.

The state obeys ``S' = S A + B``.  Its derivative ``D`` by one entry of a parameter obeys
``D' = D A + S dA + dB``, where ``dA`` and ``dB`` are derivatives of the maps.  The moments
``d = E D``, ``X = E S^T D`` and ``E D^T D`` are needed.  All entries share the moments ``m``
and ``M`` of ``S`` and the operators of ``A``.  With ``p = (1, m, M)`` and ``x = (d, X)`` a
step is linear:

``p' = G p``,  ``x' = H x + C p``,  ``N' = T N + E x + F p``,

where ``N`` is the sum of ``E D^T D`` over entries.  The result is ``trace N``.

Some maps normalise a vector by its length ``r``.  The derivative by its weights grows as
``1/r``, which few points of a sequence resolve.  This module therefore uses importance
sampling: for half of the points, ``log r`` is uniform from -30 to 0.  Each point has a
weight that corrects its probability.

Notation: entries  of a parameter;  nodes  values of an input;  rows, keys  of ``S``.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import gammainc, gammaln

from sigprop.neuron.matrix_moments import (
    Inputs,
    Program,
    Step,
    Weights,
    expectations,
    operator,
    require_limit,
    rules,
    with_error,
)
from sigprop.neuron.quadrature import Law

NUMBERS = 2**23  # derivatives of maps in memory at the same time
TOGETHER = 8  # entries per program, which is compiled for this number
POINTS = 12  # sequences of 2^12 points, fewer than for states
OPERATORS = 2**23  # numbers of operators in memory at the same time
LARGEST = 2**23  # numbers of operators of all entries: about ten minutes of a core
SHORTEST = -30.0  # smallest sampled log of a vector's length: 1e-13
BISECTIONS = 60

Derivatives = Callable[
    [Inputs, Int[np.ndarray, " entries"]],
    tuple[
        Float[np.ndarray, "entries nodes heads keys keys"],
        Float[np.ndarray, "entries nodes heads rows keys"],
    ],
]
Rows = Float[np.ndarray, "size d_in"]
Change = Callable[[Any], Any]


class Parameter(NamedTuple):
    """Parameter of the maps ``A`` and ``B`` in ``S' = S A + B``.

    Attributes:
        derivatives: Function of inputs and entry indices that returns ``dA`` and ``dB``.
            Indices count from zero; the derivatives are zero for a negative index.
        entries: Number of entries of the parameter.
        divided: Weights of the vectors that the maps normalise to length one, or None if
            the parameter does not have such weights.  Entry ``i`` belongs to vector
            ``i // (size * d_in)``.
    """

    derivatives: Derivatives
    entries: int
    divided: Float[np.ndarray, "vectors size d_in"] | None = None


class Crossed(NamedTuple):
    """Expectations of derivatives of one head's maps by several entries of a parameter.

    The array ``AdA[e, a, b, c, d]`` is ``E[A_ab dA_cd]`` for entry ``e``, and ``AdB`` and
    ``dAB`` are similar.  ``BdB`` is ``E[B^T dB]``.  ``dAdA``, ``dAdB`` and ``dBdB`` are sums
    over entries.
    """

    dA: Float[np.ndarray, "entries keys keys"]
    dB: Float[np.ndarray, "entries rows keys"]
    AdA: Float[np.ndarray, "entries keys keys keys keys"]
    AdB: Float[np.ndarray, "entries keys keys rows keys"]
    dAB: Float[np.ndarray, "entries keys keys rows keys"]
    BdB: Float[np.ndarray, "entries keys keys"]
    dAdA: Float[np.ndarray, "keys keys keys keys"]
    dAdB: Float[np.ndarray, "keys keys rows keys"]
    dBdB: Float[np.ndarray, "keys keys"]


def _crossed(
    A: Float[np.ndarray, "nodes keys keys"],
    B: Float[np.ndarray, "nodes rows keys"],
    dA: Float[np.ndarray, "entries nodes keys keys"],
    dB: Float[np.ndarray, "entries nodes rows keys"],
    w: Weights,
) -> Crossed:
    entries, nodes, keys, _ = dA.shape
    rows = B.shape[1]

    def product(one: Any, other: Any, *shape: int) -> Any:
        """Return ``E[one other]`` for each entry, with matrices as vectors."""
        first, second = (x.reshape(*x.shape[:-2], -1) for x in (one, other))
        return ((w[:, None] * first).swapaxes(-1, -2) @ second).reshape(shape)

    square, mixed = (keys,) * 4, (keys, keys, rows, keys)
    by_row = dB.swapaxes(1, 2).reshape(entries, rows * nodes, keys)
    weighted = (w[:, None, None] * B).swapaxes(0, 1).reshape(rows * nodes, keys)
    many = (entries * nodes, -1)
    tiled = np.tile(w, entries)[:, None] * dA.reshape(many)
    rooted = (np.sqrt(w)[:, None, None] * dB).reshape(-1, keys)
    return Crossed(
        np.tensordot(dA, w, (1, 0)),
        np.tensordot(dB, w, (1, 0)),
        product(A, dA, entries, *square),
        product(A, dB, entries, *mixed),
        product(dA, B, entries, *mixed),
        weighted.T @ by_row,
        (tiled.T @ dA.reshape(many)).reshape(square),
        (tiled.T @ dB.reshape(many)).reshape(mixed),
        rooted.T @ rooted,
    )


class _Shared(NamedTuple):
    """Operators that all entries share."""

    G: Float[np.ndarray, "p p"]
    H: Float[np.ndarray, "x x"]
    T: Float[np.ndarray, "n n"]


class _Added(NamedTuple):
    """Operators of several entries; ``F`` is their sum."""

    C: Float[np.ndarray, "entries x p"]
    E: Float[np.ndarray, "entries n x"]
    F: Float[np.ndarray, "n p"]


def _shared(step: Step) -> _Shared:
    rows, keys = step.B.shape
    G, size = operator(step), rows * keys
    H = G[1:, 1:].copy()
    H[size:, :size] = step.AB.transpose(3, 1, 2, 0).reshape(keys**2, size)
    return _Shared(G, H, G[1 + size :, 1 + size :])


def _added(known: Crossed) -> _Added:
    entries, rows, keys = known.dB.shape
    size, square = rows * keys, keys**2
    C = np.zeros((entries, size + square, 1 + size + square))
    C[:, :size, 0] = known.dB.reshape(entries, -1)
    for row in range(rows):
        own = slice(row * keys, (row + 1) * keys)
        C[:, own, 1 + row * keys : 1 + (row + 1) * keys] = known.dA.swapaxes(1, 2)
    C[:, size:, 0] = known.BdB.reshape(entries, -1)
    crossed = known.AdB.transpose(0, 2, 4, 3, 1) + known.dAB.transpose(0, 4, 2, 3, 1)
    C[:, size:, 1 : 1 + size] = crossed.reshape(entries, square, size)
    through = known.AdA.transpose(0, 2, 4, 1, 3)
    C[:, size:, 1 + size :] = through.reshape(entries, square, square)
    # Half of a symmetric sum suffices for the trace of N.
    E = np.zeros((entries, square, size + square))
    entering = known.AdB.transpose(0, 2, 4, 3, 1)
    E[:, :, :size] = 2 * entering.reshape(entries, square, size)
    turned = known.AdA.transpose(0, 2, 4, 3, 1)
    E[:, :, size:] = 2 * turned.reshape(entries, square, square)
    F = np.zeros((square, 1 + size + square))
    F[:, 0] = known.dBdB.ravel()
    F[:, 1 : 1 + size] = 2 * known.dAdB.transpose(1, 3, 2, 0).reshape(square, size)
    F[:, 1 + size :] = known.dAdA.transpose(1, 3, 0, 2).reshape(square, square)
    return _Added(C, E, F)


def _limit(shared: _Shared, added: _Added) -> float:
    """Return ``trace N`` in the stationary limit."""
    G, H, T = shared
    C, E, F = added
    keys = round(len(T) ** 0.5)
    still = np.linalg.solve(np.eye(len(H)) - G[1:, 1:], G[1:, 0])
    p = np.concatenate([[1.0], still])
    x = np.linalg.solve(np.eye(len(H)) - H, (C @ p).T)
    entering = np.tensordot(E, x, ((0, 2), (1, 0))) + F @ p
    weight = np.linalg.solve((np.eye(len(T)) - T).T, np.eye(keys).ravel())
    return float(weight @ entering)


def _finite(shared: _Shared, added: _Added, steps: int) -> float:
    """Return ``trace N`` after some steps, by repeated squaring of the step."""
    G, H, T = shared
    C, E, F = added
    keys, entries = round(len(T) ** 0.5), len(C)
    p, x, N = np.eye(len(G))[0], np.zeros((entries, len(H))), np.zeros(len(T))
    left = steps
    while left:
        if left % 2:
            N = T @ N + np.einsum("enx,ex->n", E, x) + F @ p
            x = x @ H.T + C @ p
            p = G @ p
        left //= 2
        if left:
            F = T @ F + np.tensordot(E, C, ((0, 2), (0, 1))) + F @ G
            C, E = H @ C + C @ G, T @ E + E @ H
            G, H, T = G @ G, H @ H, T @ T
    return float(np.trace(N.reshape(keys, keys)))


def _nearer(
    u: Inputs, w: Weights, weights: Rows, scale: float
) -> tuple[Inputs, Weights]:
    """Return points with more short vectors ``weights @ u``, and their weights.

    The Gaussian coordinates of the vector keep their direction.  Their length gets a mixed
    distribution: half Gaussian, and half uniform in the logarithm of the length.
    """
    _, sizes, basis = np.linalg.svd(weights, full_matrices=False)
    basis = basis[sizes > 1e-12 * sizes.max()]
    z = u @ basis.T / scale
    half, length = len(basis) / 2, np.sqrt((z**2).sum(1))
    share = gammainc(half, length**2 / 2)
    low, high = np.full(len(z), SHORTEST - 1), np.full(len(z), 6.0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        even = np.clip(1 - middle / SHORTEST, 0, 1)
        above = gammainc(half, np.exp(2 * middle) / 2) + even < 2 * share
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    log = (low + high) / 2
    density = np.exp(
        2 * half * log - np.exp(2 * log) / 2 - (half - 1) * np.log(2) - gammaln(half)
    )
    even = np.where((log > SHORTEST) & (log < 0), -1 / SHORTEST, 0.0)
    factor = np.exp(log) / np.where(length > 0, length, 1.0) - 1
    return u + scale * (factor[:, None] * z) @ basis, w * 2 * density / (density + even)


def require_size(parameters: Mapping[str, Parameter], rows: int, keys: int) -> None:
    """Raise an error if a problem would take more than about ten minutes on one core.

    Args:
        parameters: Parameters of the maps, by name.
        rows: Number of rows of a head's state.
        keys: Number of columns of a head's state.

    Raises:
        ValueError: If the operators would have more than ``LARGEST`` numbers.
    """
    entries = sum(parameter.entries for parameter in parameters.values())
    numbers = entries * (rows * keys + keys**2) ** 2
    if numbers > LARGEST:
        raise ValueError(
            f"need at most {LARGEST} numbers for moments of derivatives by {entries} "
            f"entries of {', '.join(parameters)} of a state of {rows} rows and {keys} keys, "
            f"got {numbers}; pass names=('state',), fewer names, or measure them"
        )


def matrix_sensitivities(
    change: Change | None,
    program: Program,
    parameters: Mapping[str, Parameter],
    width: int,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> dict[str, tuple[float, float]]:
    """Return ``E|D|^2`` of each parameter, summed over its entries and over heads.

    The operators of an entry have ``(rows keys + keys^2)^2`` numbers.  Expectations take
    ``nodes (rows keys + keys^2)^2`` products for each entry and Sobol sequence.  There are
    16 sequences of 4096 nodes.  A doubling of the steps takes ``2 (rows keys + keys^2)^3``
    products.

    Args:
        change: Function that makes the expectations wrong, for mutation testing.  None
            keeps them right.
        program: Function from inputs to a dictionary with ``A`` and ``B``, as in
            ``matrix_moment``.
        parameters: Parameters of the maps, by name.
        width: Number of inputs.
        scale: As in ``matrix_moment``.
        law: As in ``matrix_moment``.
        steps: As in ``matrix_moment``.

    Returns:
        The value and its estimated error, by parameter name.

    Raises:
        ValueError: If the limit is infinite, or the operators would have more than
            8 388 608 numbers.

    Source: ``sigprop.neuron.matrix_moments``.
    """
    found: dict[str, list[float]] = {name: [] for name in parameters}
    for u, w in rules(width, law, scale, POINTS):
        arrays = program(u)
        A, B = arrays["A"], arrays["B"]
        require_size(parameters, *B.shape[-2:])
        heads = [expectations(A[:, h], B[:, h], w) for h in range(A.shape[1])]
        if steps is None:
            for step in heads:
                require_limit(step)
        shared = [_shared(step) for step in heads]
        for name, parameter in parameters.items():
            total = 0.0
            for start, stop, near in _groups(parameter, law is None):
                at, weights, maps = u, w, (A, B)
                if near is not None:
                    at, weights = _nearer(u, w, near, scale)
                    moved = program(at)
                    maps = moved["A"], moved["B"]
                total += _trace(
                    change, shared, maps, parameter, (start, stop), at, weights, steps
                )
            found[name].append(total)
    return {name: with_error(values) for name, values in found.items()}


def _groups(parameter: Parameter, gaussian: bool) -> list[tuple[int, int, Rows | None]]:
    """Return ranges of entries with the same nodes, and the weights of their vector."""
    if parameter.divided is None or not gaussian:
        return [(0, parameter.entries, None)]
    size = parameter.divided[0].size
    return [(i * size, (i + 1) * size, one) for i, one in enumerate(parameter.divided)]


def _trace(
    change: Change | None,
    shared: list[_Shared],
    maps: tuple[Float[np.ndarray, "_ _ _ _"], Float[np.ndarray, "_ _ _ _"]],
    parameter: Parameter,
    span: tuple[int, int],
    u: Inputs,
    w: Weights,
    steps: int | None,
) -> float:
    """Return the sum of ``trace N`` over heads, for the entries of a range."""
    A, B = maps
    rows, keys = B.shape[-2:]
    size = keys * (keys + rows)
    held = min(NUMBERS // (size * len(u) * A.shape[1]), OPERATORS // (2 * size**2))
    count, total = min(max(1, held), TOGETHER), 0.0
    for start in range(*span, count):
        entries = np.arange(start, start + count)
        dA, dB = parameter.derivatives(u, np.where(entries < span[1], entries, -1))
        for head, operators in enumerate(shared):
            of_A, of_B = dA[:, :, head], dB[:, :, head]
            moving = of_A.any((1, 2, 3)) | of_B.any((1, 2, 3))
            if not moving.any():  # entries of other heads
                continue
            known = _crossed(A[:, head], B[:, head], of_A[moving], of_B[moving], w)
            added = _added(known if change is None else change(known))
            total += (
                _limit(operators, added)
                if steps is None
                else _finite(operators, added, steps)
            )
    return total
