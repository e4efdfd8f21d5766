"""Exact second moments of neurons whose gates see independent inputs.

``h' = a h + b`` and ``s' = a s + c h + d``, with ``a`` and ``b`` functions of a few
projections of the input: the moments of ``h`` and ``s`` follow from expectations of
products of two coefficients.  Those are sums over nodes: of a law of few values the values
themselves; of Gaussian inputs a trapezoidal rule in each projection that a gate bends,
whose error falls exponentially with the nodes, and four nodes in each other, which are
exact.  How far every second node is off bounds the error, with what rounding can do to
sums of the terms' sizes.  Neurons that JAX traces take the same path: only the number of
nodes cannot depend on them, and ``spread`` says it.

Notation: z  coordinates of an input in the span of a neuron's projections;  k  projections;
rest  coordinates outside of the span, which a weight sees and no gate does.

Source: ``sigprop.theory.gated_moments`` and ``sigprop.theory.gates``.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from sympy.codegen.rewriting import log1p_opt, optimize

from sigprop.neuron.quadrature import Law, Nodes, gaussian_nodes, tilted
from sigprop.neuron.random_coefficients import require_finite, second_moment
from sigprop.numerics.arguments import require_number
from sigprop.numerics.compile import Backend, compile_expr
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates

Table = Float[Any, "neurons directions"]
Expectations = dict[str, Table]
Change = Callable[[Expectations], Expectations]


SATURATED = 300.0  # where a gate is open or closed to all digits
HELD = 2**21  # numbers of one table held at once
ROUNDED = 64 * float(np.finfo(float).eps)  # share of the sizes added up that may be off


class Neurons(NamedTuple):
    """Neurons of one gate.

    Attributes:
        gate: A name in ``sigprop.theory.gates.GATES``.
        weights: Rows of each projection, in the gate's order.
        offsets: What is added to each projection.
        own: Parameters of a neuron that multiply no input, in the gate's order.
    """

    gate: str
    weights: Float[Any, "neurons k d_in"]
    offsets: Float[Any, "neurons k"]
    own: Float[Any, "neurons own"]


class Moment(NamedTuple):
    """A second moment of each neuron, and by how much quadrature may be off."""

    value: Float[Any, " neurons"]
    error: Float[Any, " neurons"]


@functools.cache
def _compiled(gate: str, by: str | None, backend: Backend) -> Callable[..., Any]:
    """``a, b`` and, by a symbol, ``c, d`` as functions of projections and parameters.

    The last is ``1 - a``.
    """
    known = gates.GATES[gate]
    moved = {str(symbol): pair for symbol, pair in gates.derivatives(gate).items()}
    exprs = [known.a, known.b, *(moved[by] if by is not None else ()), known.lost]
    accurate = [optimize(expr, [log1p_opt]) for expr in exprs]
    return compile_expr(accurate, *known.projections, *known.own, backend=backend)


class _View(NamedTuple):
    """Neurons in coordinates: projections of the nodes, and directions of weights."""

    nodes: Nodes
    projections: Float[Any, "neurons k coordinates"]
    along: Float[Any, "neurons directions coordinates"]
    rest: Table  # variance of the part of a direction outside of the span
    copies: Float[np.ndarray, " directions"]  # how many such directions there are


def _view(
    neurons: Neurons,
    law: Law | None,
    directions: Float[Any, "directions d_in"] | Literal["each"] | None,
    spread: float | None,
) -> _View:
    """The coordinates of inputs of a law, or of unit variance.

    Raises:
        ValueError: If nodes depend on neurons that are traced.
    """
    xp = namespace(neurons[1:], directions)
    n, _, width = neurons.weights.shape
    bent = len(gates.GATES[neurons.gate].bent)
    if law is not None:
        nodes = Nodes(law.values, law.probabilities, law.probabilities)
        rows = np.eye(width) if isinstance(directions, str) else directions
        rows = np.zeros((1, width)) if rows is None else rows
        along = xp.broadcast_to(rows, (n, *rows.shape))
        return _View(
            nodes, neurons.weights, along, np.zeros(along.shape[:2]), np.ones(len(rows))
        )
    # As many rows as inputs span them all, and a square basis has a derivative.
    basis, _ = xp.linalg.qr(xp.swapaxes(neurons.weights[:, :width], 1, 2))
    projections = neurons.weights @ basis
    size = basis.shape[2]
    if spread is not None:
        tilt = 2 * spread  # the most that a spread allows
    elif xp is np:
        spreads = np.abs(projections[:, :bent])
        offsets = np.abs(neurons.offsets[:, :bent, None])
        spread, tilt = float(spreads.max(initial=0.0)), tilted(spreads, offsets)
    else:
        raise ValueError(
            "need a spread under jit, vmap or grad, where the number of nodes cannot depend "
            "on the weights: pass as spread= the largest standard deviation that a gate's "
            "argument takes"
        )
    nodes = gaussian_nodes(min(bent, size), size - min(bent, size), spread, tilt=tilt)
    if directions is None:
        zero = np.zeros((n, 1, size))
        return _View(nodes, projections, zero, np.zeros((n, 1)), np.ones(1))
    if isinstance(directions, str):
        inside = np.concatenate([np.eye(size), np.zeros((1, size))])
        along = xp.broadcast_to(inside, (n, size + 1, size))
        rest = np.zeros((n, size + 1))
        rest[:, -1] = 1.0
        return _View(
            nodes, projections, along, rest, np.array([1.0] * size + [width - size])
        )
    along = xp.einsum("rd,ndq->nrq", directions, basis)
    rest = (directions**2).sum(1)[None] - (along**2).sum(2)
    rest = xp.maximum(rest, 0.0)
    return _View(nodes, projections, along, rest, np.ones(len(directions)))


def coefficients(
    neurons: Neurons, at: Float[Any, "neurons k nodes"], by: str | None
) -> list[Float[Any, "neurons nodes"]]:
    """``a, b`` and, by a symbol, ``c, d`` from what the projections are at every node."""
    return coefficients_and_lost(neurons, at, by)[:-1]


def coefficients_and_lost(
    neurons: Neurons, at: Float[Any, "neurons k nodes"], by: str | None
) -> list[Float[Any, "neurons nodes"]]:
    """The ``coefficients``, and ``1 - a`` as accurate where ``a`` is close to one.

    A projection of such a size that its exponential overflows is cut: there every gate
    is open or closed to all digits, and one that is open loses nothing.
    """
    xp = namespace(neurons[1:], at)
    bent = len(gates.GATES[neurons.gate].bent)
    at = at + neurons.offsets[:, :, None]
    cut = (xp.abs(at[:, :bent]) > SATURATED).any(1)
    own = [one[:, None] for one in neurons.own.T]
    columns = [xp.clip(at[:, place], -SATURATED, SATURATED) for place in range(bent)]
    columns += [at[:, place] for place in range(bent, at.shape[1])]
    program = _compiled(neurons.gate, by, "numpy" if xp is np else "jax")
    with np.errstate(under="ignore"):
        found = program(*columns, *own)
    a, *others, lost = [xp.broadcast_to(one, cut.shape) + 0.0 for one in found]
    return [a, *others, xp.where(cut & (a == 1), 0.0, lost)]


def _expectations(
    parts: list[Float[Any, "neurons nodes"]],
    view: _View,
    w: Float[np.ndarray, " nodes"],
    seen: Float[Any, "neurons rows nodes"] | None,
) -> tuple[Expectations, dict[str, Any]]:
    """``E a``, ``E a b`` and so on of each neuron and direction; ``1 - E a``, ``1 - E a^2``.

    Args:
        parts: ``coefficients_and_lost`` at every node.
        view: Of the neurons.
        w: Weights of the nodes.
        seen: What the directions see; none for what multiplies no input.
    """
    xp = namespace(parts, seen)
    a, b, *moved, lost = parts

    def mean(*factors: Float[Any, "neurons nodes"]) -> Table:
        return (functools.reduce(operator.mul, factors) @ w)[:, None]

    def along(seen: Float[Any, "neurons directions nodes"]) -> Callable[..., Table]:
        """Means of products with what the directions see."""

        def seen_mean(*factors: Float[Any, "neurons nodes"]) -> Table:
            return xp.einsum(
                "nm,nrm->nr", functools.reduce(operator.mul, factors) * w[None], seen
            )

        return seen_mean

    known = {"a": mean(a), "b": mean(b), "aa": mean(a, a), "ab": mean(a, b)}
    known["bb"] = mean(b, b)
    below = {"a": mean(lost), "aa": mean(lost, 1 + a)}
    if not moved:
        return known, below
    c, d = moved
    first = second = mean
    if seen is not None:
        first, second = along(seen), along(seen**2 + view.rest[:, :, None])
    known |= {"c": first(c), "d": first(d), "ac": first(a, c), "ad": first(a, d)}
    known |= {"bc": first(b, c), "bd": first(b, d)}
    known |= {"cc": second(c, c), "cd": second(c, d), "dd": second(d, d)}
    return known, below


def _chunks(neurons: Neurons, size: int) -> list[Neurons]:
    return [
        Neurons(neurons.gate, *(part[i : i + size] for part in neurons[1:]))
        for i in range(0, len(neurons.weights), size)
    ]


def _moment(
    neurons: Neurons,
    by: str | None,
    directions: Any,
    scale: float | Float[Any, ""],
    law: Law | None,
    steps: int | None,
    average: bool,
    change: Change | None,
    spread: float | None,
) -> Moment:
    if spread is not None:
        require_number("spread", spread, 0, SATURATED, "[]")
    xp = namespace(neurons[1:], directions, scale)
    weighted = directions is not None
    quantity = "state" if by is None else "sensitivity"
    if law is None:
        neurons = neurons._replace(weights=scale * neurons.weights)
    factor = scale**2 if weighted and law is None else 1.0
    probe = _view(neurons, law, directions, spread)
    size = max(1, HELD // (len(probe.nodes.weights) * max(probe.along.shape[1], 3)))
    values: list[Any] = []
    for part in _chunks(neurons, size):
        view = _view(part, law, directions, spread)
        nodes = view.nodes
        parts = coefficients_and_lost(part, view.projections @ nodes.z.T[None], by)
        seen = view.along @ nodes.z.T[None] if weighted and by is not None else None

        def found(
            parts: Any,
            seen: Any,
            w: Any,
            change: Change | None,
            view: _View = view,
        ) -> Float[Any, " neurons"]:
            known, below = _expectations(parts, view, w, seen)
            exact = change is None
            known = known if change is None else change(known)
            if steps is None and xp is np:
                lost = below["aa"] if exact else 1 - known["aa"]
                if lost.min() <= 0:
                    require_finite(known["aa"], _log_moment(parts[0], w))
            moment = second_moment(
                known, quantity, steps, average, below if exact else None
            )
            return factor * (moment @ view.copies)

        fine = found(parts, seen, nodes.weights, change)
        error = xp.zeros_like(fine)
        if law is None:
            error = xp.abs(fine - found(parts, seen, nodes.coarse, change))
        if change is None:
            sizes = [xp.abs(one) for one in parts]
            along = None if seen is None else xp.abs(seen)
            error = error + ROUNDED * found(sizes, along, nodes.weights, None)
        values.append((fine, error))
    return Moment(*(xp.concatenate(one) for one in zip(*values, strict=True)))


def _log_moment(
    a: Float[np.ndarray, "neurons nodes"], weights: Float[np.ndarray, " nodes"]
) -> float:
    """The largest ``E log|a|``."""
    with np.errstate(divide="ignore"):
        return float((np.log(np.abs(a)) @ weights).max())


def gated_state_moment(
    neurons: Neurons,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    change: Change | None = None,
    spread: float | None = None,
) -> Moment:
    """``E h^2`` of each neuron.

    It runs under ``jit``, ``vmap``, ``grad`` and ``jvp`` of the neurons and the scale.  A
    limit that is infinite is then not refused.  Derivatives are not numbers where the
    weights of a neuron's projections are linearly dependent.

    Args:
        neurons: What their gates see.
        scale: Standard deviation of the Gaussian input channels, which are independent of
            each other and in time.
        law: Another law of the input in its place.
        steps: Inputs seen since the zero state; the limit if left out.
        average: Take the mean over these steps, not the moment after the last.
        change: Makes wrong expectations of the right ones, for mutants.
        spread: Largest standard deviation of a gate's argument, from which the nodes are
            chosen; that of the neurons if left out.

    Raises:
        ValueError: If a limit is infinite: what is finite instead is said; or if inputs
            are Gaussian and the neurons traced without a spread.
    """
    return _moment(neurons, None, None, scale, law, steps, average, change, spread)


def gated_sensitivity_moment(
    neurons: Neurons,
    by: str,
    *,
    directions: Float[Any, "directions d_in"] | Literal["each"] | None = None,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    change: Change | None = None,
    spread: float | None = None,
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
        spread: As in ``state_moment``.

    Raises:
        ValueError: As ``state_moment``.
    """
    return _moment(neurons, by, directions, scale, law, steps, average, change, spread)
