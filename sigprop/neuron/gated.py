"""Exact second moments of neurons whose gates see independent inputs.

``h' = a h + b`` and ``s' = a s + c h + d``, with ``a`` and ``b`` functions of a few
projections of the input: the moments of ``h`` and ``s`` follow from expectations of
products of two coefficients.  Those are sums over nodes: of a law of few values the values
themselves; of Gaussian inputs a trapezoidal rule in each projection that a gate bends,
whose error falls exponentially with the nodes, and four nodes in each other, which are
exact.  How far every second node is off bounds the error.

Notation: z  coordinates of an input in the span of a neuron's projections;  k  projections;
rest  coordinates outside of the span, which a weight sees and no gate does.

Source: ``sigprop.theory.gated_moments`` and ``sigprop.theory.gates``.
"""

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.quadrature import Law, Nodes, gaussian_nodes
from sigprop.neuron.random_coefficients import require_finite, second_moment
from sigprop.numerics.compile import compile_expr
from sigprop.theory import gates

Table = Float[np.ndarray, "neurons directions"]
Expectations = dict[str, Table]
Change = Callable[[Expectations], Expectations]


SATURATED = 300.0  # where a gate is open or closed to all digits
HELD = 2**21  # numbers of one table held at once


class Neurons(NamedTuple):
    """Neurons of one gate.

    Attributes:
        gate: A name in ``sigprop.theory.gates.GATES``.
        weights: Rows of each projection, in the gate's order.
        offsets: What is added to each projection.
        own: Parameters of a neuron that multiply no input, in the gate's order.
    """

    gate: str
    weights: Float[np.ndarray, "neurons k d_in"]
    offsets: Float[np.ndarray, "neurons k"]
    own: Float[np.ndarray, "neurons own"]


class Moment(NamedTuple):
    """A second moment of each neuron, and by how much quadrature may be off."""

    value: Float[np.ndarray, " neurons"]
    error: Float[np.ndarray, " neurons"]


@functools.cache
def _compiled(gate: str, by: str | None) -> Callable[..., Any]:
    """``a, b`` and, by a symbol, ``c, d`` as functions of projections and parameters."""
    known = gates.GATES[gate]
    moved = {str(symbol): pair for symbol, pair in gates.slopes(gate).items()}
    exprs = [known.a, known.b, *(moved[by] if by is not None else ())]
    return compile_expr(exprs, *known.projections, *known.own, backend="numpy")


class _View(NamedTuple):
    """Neurons in coordinates: projections of the nodes, and directions of weights."""

    nodes: Nodes
    projections: Float[np.ndarray, "neurons k coordinates"]
    along: Float[np.ndarray, "neurons directions coordinates"]
    rest: Table  # variance of the part of a direction outside of the span
    copies: Float[np.ndarray, " directions"]  # how many such directions there are


def _view(
    neurons: Neurons,
    law: Law | None,
    scale: float,
    directions: Float[np.ndarray, "directions d_in"] | Literal["each"] | None,
) -> _View:
    n, _, width = neurons.weights.shape
    bent = len(gates.GATES[neurons.gate].bent)
    if law is not None:
        nodes = Nodes(law.values, law.probabilities, law.probabilities)
        rows = np.eye(width) if isinstance(directions, str) else directions
        rows = np.zeros((1, width)) if rows is None else rows
        along = np.broadcast_to(rows, (n, *rows.shape))
        return _View(
            nodes, neurons.weights, along, np.zeros(along.shape[:2]), np.ones(len(rows))
        )
    basis, upper = np.linalg.qr(np.swapaxes(neurons.weights, 1, 2))
    projections = scale * np.swapaxes(upper, 1, 2)
    size = basis.shape[2]
    spread = np.abs(projections[:, :bent]).max(initial=0.0)
    nodes = gaussian_nodes(min(bent, size), size - min(bent, size), float(spread))
    if directions is None:
        zero = np.zeros((n, 1, size))
        return _View(nodes, projections, zero, np.zeros((n, 1)), np.ones(1))
    if isinstance(directions, str):
        inside = np.concatenate([np.eye(size), np.zeros((1, size))])
        along = np.broadcast_to(scale * inside, (n, size + 1, size))
        rest = np.zeros((n, size + 1))
        rest[:, -1] = scale**2
        return _View(
            nodes, projections, along, rest, np.array([1.0] * size + [width - size])
        )
    along = np.einsum("rd,ndq->nrq", directions, basis)
    rest = (directions**2).sum(1)[None] - (along**2).sum(2)
    rest = np.maximum(rest, 0.0) * scale**2
    return _View(nodes, projections, scale * along, rest, np.ones(len(directions)))


def coefficients(
    neurons: Neurons, at: Float[np.ndarray, "neurons k nodes"], by: str | None
) -> list[Float[np.ndarray, "neurons nodes"]]:
    """``a, b`` and, by a symbol, ``c, d`` from what the projections are at every node.

    A projection of such a size that its exponential overflows is cut: there every gate
    is open or closed to all digits.
    """
    bent = len(gates.GATES[neurons.gate].bent)
    at = at + neurons.offsets[:, :, None]
    at[:, :bent] = np.clip(at[:, :bent], -SATURATED, SATURATED)
    own = [one[:, None] for one in neurons.own.T]
    columns = (at[:, place] for place in range(at.shape[1]))
    with np.errstate(under="ignore"):
        found = _compiled(neurons.gate, by)(*columns, *own)
    return [np.broadcast_to(one, at[:, 0].shape) + 0.0 for one in found]


def _coefficients(
    neurons: Neurons, view: _View, by: str | None
) -> list[Float[np.ndarray, "neurons nodes"]]:
    return coefficients(neurons, view.projections @ view.nodes.z.T, by)


def _expectations(
    neurons: Neurons, view: _View, by: str | None, weighted: bool, coarse: bool
) -> Expectations:
    """``E a``, ``E a b`` and so on, of each neuron and direction."""
    nodes = view.nodes
    w = nodes.coarse if coarse else nodes.weights
    a, b, *moved = _coefficients(neurons, view, by)

    def mean(*factors: Float[np.ndarray, "neurons nodes"]) -> Table:
        return (functools.reduce(np.multiply, factors) @ w)[:, None]

    def along(
        seen: Float[np.ndarray, "neurons directions nodes"],
    ) -> Callable[..., Table]:
        """Means of products with what the directions see."""

        def seen_mean(*factors: Float[np.ndarray, "neurons nodes"]) -> Table:
            product = functools.reduce(np.multiply, factors) * w
            return np.einsum("nm,nrm->nr", product, seen)

        return seen_mean

    known = {"a": mean(a), "b": mean(b), "aa": mean(a, a), "ab": mean(a, b)}
    known["bb"] = mean(b, b)
    if not moved:
        return known
    c, d = moved
    first = second = mean
    if weighted:
        seen = view.along @ nodes.z.T
        first, second = along(seen), along(seen**2 + view.rest[:, :, None])
    known |= {"c": first(c), "d": first(d), "ac": first(a, c), "ad": first(a, d)}
    known |= {"bc": first(b, c), "bd": first(b, d)}
    known |= {"cc": second(c, c), "cd": second(c, d), "dd": second(d, d)}
    return known


def _chunks(neurons: Neurons, size: int) -> list[Neurons]:
    return [
        Neurons(neurons.gate, *(part[i : i + size] for part in neurons[1:]))
        for i in range(0, len(neurons.weights), size)
    ]


def _moment(
    neurons: Neurons,
    by: str | None,
    directions: Any,
    scale: float,
    law: Law | None,
    steps: int | None,
    average: bool,
    change: Change | None,
) -> Moment:
    weighted = directions is not None
    quantity = "state" if by is None else "sensitivity"
    probe = _view(neurons, law, scale, directions)
    size = max(1, HELD // (len(probe.nodes.weights) * max(probe.along.shape[1], 3)))
    values: list[Any] = []
    for part in _chunks(neurons, size):
        view = _view(part, law, scale, directions)
        rules = (False,) if law is not None else (False, True)
        sums = []
        for coarse in rules:
            known = _expectations(part, view, by, weighted, coarse)
            known = known if change is None else change(known)
            if steps is None and not coarse and known["aa"].max() >= 1:
                require_finite(known["aa"], _log_moment(part, view))
            sums.append(second_moment(known, quantity, steps, average) @ view.copies)
        values.append((sums[0], np.abs(sums[0] - sums[-1])))
    return Moment(*(np.concatenate(one) for one in zip(*values, strict=True)))


def _log_moment(neurons: Neurons, view: _View) -> float:
    """The largest ``E log|a|``."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(_coefficients(neurons, view, None)[0]))
    return float((logs @ view.nodes.weights).max())


def state_moment(
    neurons: Neurons,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    change: Change | None = None,
) -> Moment:
    """``E h^2`` of each neuron.

    Args:
        neurons: What their gates see.
        scale: Standard deviation of the Gaussian input channels, which are independent of
            each other and in time.
        law: Another law of the input in its place.
        steps: Inputs seen since the zero state; the limit if left out.
        average: Take the mean over these steps, not the moment after the last.
        change: Makes wrong expectations of the right ones, for mutants.

    Raises:
        ValueError: If a limit is infinite: what is finite instead is said.
    """
    return _moment(neurons, None, None, scale, law, steps, average, change)


def sensitivity_moment(
    neurons: Neurons,
    by: str,
    *,
    directions: Float[np.ndarray, "directions d_in"] | Literal["each"] | None = None,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    change: Change | None = None,
) -> Moment:
    """``E (dh/dtheta)^2`` of each neuron, summed over the entries of a parameter.

    Args:
        neurons: What their gates see.
        by: A projection or a neuron's own parameter, by its name in ``sigprop.theory.gates``.
        directions: ``each``: every weight of the projection's row.  Rows: the row moved
            along them.  None: what is added to the projection, or the own parameter.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: As in ``state_moment``.
        average: As in ``state_moment``.
        change: As in ``state_moment``.

    Raises:
        ValueError: As ``state_moment``.
    """
    return _moment(neurons, by, directions, scale, law, steps, average, change)
