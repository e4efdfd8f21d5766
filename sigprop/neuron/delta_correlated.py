"""Second moments of heads of the delta rule for inputs that are correlated in time.

A moment conditional on the present input is an array per node.  A step first takes its mean
over the previous input by the transition operator of the inputs.  It then applies the delta
rule.  Every input has Gauss-Hermite nodes.  The direction of a key is not defined at length
zero, so that sums over nodes converge slowly.  The stated error is the difference between the
two finest grids.

Notation: m  means of the rows;  M  ``sum E h h^T``;  s  means of the derivatives;  P
``sum E s h^T``;  S  ``sum E s s^T``;  f  the input that a weight multiplies.  All moments are
conditional on the present input and multiplied by the root of its probability.

Source: ``sigprop.theory.delta_moments``, ``sigprop.theory.correlated_gates``.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.chains import Chain, hermite_axis, law_axis, on_axis
from sigprop.neuron.correlated_gates import Term, require_terms
from sigprop.neuron.delta import Head, Nodewise, View
from sigprop.neuron.delta_moments import Gates, Parameter, gates_at
from sigprop.neuron.quadrature import Law

# Nodes per input, by the number of inputs.  Even numbers avoid the node at zero.
LADDER = {2: (40, 60, 80), 3: (12, 16, 20), 4: (6, 8, 10), 5: (4, 6)}
Stack = Float[np.ndarray, "nodes _rows _columns"]


class _Grid(NamedTuple):
    """A Markov chain of inputs, with keys and gates of a head at every node."""

    chain: Chain
    u: Float[np.ndarray, "nodes d_in"]
    k: Float[np.ndarray, "nodes keys"]
    gates: Gates

    @property
    def root(self) -> Nodewise:
        return self.chain.root.ravel()

    @property
    def pairs(self) -> Stack:
        return self.k[:, :, None] * self.k[:, None]

    def before(self, f: Stack) -> Stack:
        """Return the mean over the previous input."""
        shaped = f.reshape(*self.chain.shape, *f.shape[1:])
        for place, axis in enumerate(self.chain.axes):
            shaped = on_axis(axis.operator, shaped, place)
        return shaped.reshape(f.shape)


class _Moved(NamedTuple):
    """Derivatives of a step by a parameter: ``C`` (keys, keys), and ``d`` per row."""

    C: Stack
    d: Float[np.ndarray, "nodes rows"]


def _grid(head: Head, chain: Chain, u: Float[np.ndarray, "nodes d_in"]) -> _Grid:
    width = u.shape[1]
    decay = np.zeros(width) if head.w_a is None else head.w_a
    view = View(head.w_beta, decay, head.W_v, len(head.W_v), 0, 0.0)
    x = u @ head.W_k.T
    k = x / np.sqrt((x**2).sum(1, keepdims=True) + head.tiny)
    return _Grid(chain, u, k, gates_at(head, view, u))


def _grids(
    head: Head, terms: Sequence[Term], law: Law | None, scale: float
) -> Iterator[_Grid]:
    """Yield finer and finer grids."""
    if law is not None:
        yield _grid(head, Chain((law_axis(law, terms[0][1]),), 1), law.values)
        return
    width = head.W_k.shape[1]
    if len(terms) != 1 or width not in LADDER:
        raise ValueError(
            "need one term and 2 to 5 inputs for heads of the delta rule whose inputs "
            f"remember, got {len(terms)} terms and {width} inputs"
        )
    ((variance, rho),) = terms
    for count in LADDER[width]:
        axis = hermite_axis(count, rho)
        grid = np.stack(np.meshgrid(*[axis.z] * width, indexing="ij"), -1)
        u = scale * math.sqrt(variance) * grid.reshape(-1, width)
        yield _grid(head, Chain((axis,) * width, width), u)


def _directions(grid: _Grid, by: Parameter) -> Iterator[_Moved]:
    gates, pairs = grid.gates, grid.pairs
    eye, none = np.eye(grid.k.shape[1]), 0 * gates.v
    decays = {"W_a": gates.by_step, "bias": gates.by_step, "A_log": gates.by_rate}
    if by == "W_beta":
        whole = -(gates.alpha * gates.slope)[:, None, None] * pairs
        added = gates.slope[:, None] * gates.v
    else:
        kept = eye - gates.beta[:, None, None] * pairs
        whole, added = decays[by][:, None, None] * kept, none
    seen = grid.u.T if by in ("W_beta", "W_a") else np.ones((1, len(grid.u)))
    for f in seen:
        yield _Moved(f[:, None, None] * whole, f[:, None] * added)


def _outer(
    rows: Stack,
    weights: Float[np.ndarray, "nodes rows"],
    k: Float[np.ndarray, "_ keys"],
) -> Stack:
    """Return the sum over rows of ``row * weight * k^T``."""
    return np.einsum("nvi,nv,nj->nij", rows, weights, k)


def _turned(X: Stack) -> Stack:
    return X.transpose(0, 2, 1)


def _after(
    grid: _Grid,
    steps: int,
    b: Float[np.ndarray, "nodes rows"],
    moved: _Moved | None = None,
) -> float:
    """Return the trace of ``M``, or of ``S`` with ``moved``, after some steps from zero."""
    n, K = grid.k.shape
    root, pairs, gates = grid.root[:, None, None], grid.pairs, grid.gates
    kept = np.eye(K) - gates.beta[:, None, None] * pairs
    A = gates.alpha[:, None, None] * kept
    m, M = np.zeros((n, b.shape[1], K)), np.zeros((n, K, K))
    s, P, S = np.zeros_like(m), np.zeros_like(M), np.zeros_like(M)
    own = root * pairs
    for _ in range(steps):
        m, M = grid.before(m), grid.before(M)
        passed = m @ A
        if moved is not None:
            s, P, S = (grid.before(x) for x in (s, P, S))
            C, d = moved
            going = s @ A + m @ C
            crossed = A @ P @ C + _outer(going, d, grid.k)
            S = A @ S @ A + C @ M @ C + crossed + _turned(crossed)
            S = S + (d * d).sum(1)[:, None, None] * own
            P = A @ P @ A + C @ M @ A + _outer(going, b, grid.k)
            P = P + _turned(_outer(passed, d, grid.k))
            P = P + (d * b).sum(1)[:, None, None] * own
            s = going + root * d[:, :, None] * grid.k[:, None]
        crossed = _outer(passed, b, grid.k)
        M = A @ M @ A + crossed + _turned(crossed)
        M = M + (b * b).sum(1)[:, None, None] * own
        m = passed + root * b[:, :, None] * grid.k[:, None]
    last = M if moved is None else S
    return float((root * last).sum(0).trace())


def _moment(grid: _Grid, by: Parameter, steps: int) -> float:
    gates = grid.gates
    b = gates.beta[:, None] * gates.v
    if by == "state":
        return _after(grid, steps, b)
    if by == "W_v":
        values = [(gates.beta * f)[:, None] for f in grid.u.T]
        return b.shape[1] * sum(_after(grid, steps, one) for one in values)
    return sum(_after(grid, steps, b, one) for one in _directions(grid, by))


def correlated_delta_moments(
    head: Head,
    names: Sequence[Parameter],
    *,
    terms: Sequence[Term],
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None,
) -> dict[str, tuple[float, float]]:
    """Return ``E|S|^2`` of a head's state, and ``E|dS/dtheta|^2`` of its parameters.

    Args:
        head: Head of the delta rule.
        names: Names of the wanted moments, as in
            ``sigprop.neuron.delta_moments.delta_moments``.
        terms: One pair with the variance and the correlation of the AR(1) process of each
            input.  The inputs are independent of each other.
        scale: Factor on Gaussian inputs.
        law: Distribution of the input vector with few values, instead of a Gaussian.  The
            correlation is then the probability that the input keeps its value.
        steps: Number of steps since the zero state.

    Returns:
        The value and its estimated error, by name.

    Raises:
        ValueError: If ``steps`` is None; if there are several terms or a variance or a
            correlation is out of range; or unless there are 2 to 5 Gaussian inputs.
    """
    return mutated_correlated_delta_moments(
        None, head, names, terms=terms, scale=scale, law=law, steps=steps
    )


def mutated_correlated_delta_moments(
    change: Callable[[Gates], Gates] | None,
    head: Head,
    names: Sequence[Parameter],
    *,
    terms: Sequence[Term],
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None,
) -> dict[str, tuple[float, float]]:
    """Return ``correlated_delta_moments`` for changed gates, for mutation testing.

    Args:
        change: Function that makes the gates wrong.  None keeps them right.
        head: As in ``correlated_delta_moments``.
        names: As in ``correlated_delta_moments``.
        terms: As in ``correlated_delta_moments``.
        scale: As in ``correlated_delta_moments``.
        law: As in ``correlated_delta_moments``.
        steps: As in ``correlated_delta_moments``.
    """
    require_terms(terms, law)
    if steps is None:
        raise ValueError(
            "need steps for heads of the delta rule whose inputs remember, got none: their "
            "limit is not known; pass as many as a sequence has"
        )
    found: list[dict[str, float]] = []
    for grid in _grids(head, terms, law, scale):
        changed = grid if change is None else grid._replace(gates=change(grid.gates))
        found.append({by: _moment(changed, by, steps) for by in names})
    last, before = found[-1], found[-2] if len(found) > 1 else found[-1]
    return {by: (value, abs(value - before[by])) for by, value in last.items()}
