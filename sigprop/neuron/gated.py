"""Exact second moments of neurons whose gates see independent inputs.

``h' = a h + b`` and ``s' = a s + c h + d``, with ``a`` and ``b`` functions of a few
projections of the input: the moments of ``h`` and ``s`` follow from expectations of
products of two coefficients.  Those are sums over nodes: of a law of few values the values
themselves; of Gaussian inputs a trapezoidal rule in each projection that a gate bends,
whose error falls exponentially with the nodes, and four nodes in each other, which are
exact.  How far every second node is off bounds the error, with what rounding can do to
sums of the terms' sizes.  Gates that are steep or have kinks get more nodes.

Notation: z  coordinates of an input in the span of a neuron's projections;  k  projections;
rest  coordinates outside of the span, which a weight sees and no gate does.

Source: ``sigprop.theory.gated_moments`` and ``sigprop.theory.gates``.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sympy.codegen.rewriting import log1p_opt, optimize

from sigprop.neuron.neurons import Directions, Neurons
from sigprop.neuron.quadrature import STRAIGHT, Law, Nodes, gaussian_nodes, tilted
from sigprop.neuron.random_coefficients import (
    fourth_moment as fourth_of_expectations,
)
from sigprop.neuron.random_coefficients import (
    lagged_moment as lagged_of_expectations,
)
from sigprop.neuron.random_coefficients import (
    require_finite,
    require_finite_fourth,
    second_moment,
)
from sigprop.numerics.arguments import require_count
from sigprop.numerics.compile import compile_expr
from sigprop.theory import gates
from sigprop.theory.gated_moments import FOURTH, PRODUCTS
from sigprop.theory.gates import Gate

Table = Float[np.ndarray, "neurons directions"]
Expectations = dict[str, Table]
Change = Callable[[Expectations], Expectations]


SATURATED = 300.0  # where a gate is open or closed to all digits
HELD = 2**21  # numbers of one table held at once
ROUNDED = 64 * float(np.finfo(float).eps)  # share of the sizes added up that may be off
RESOLVED = 1e-3  # relative error at which a gate gets no more nodes
MOST_NODES = 2**14  # of a gate that is steep or has kinks
KINKED = 4.0  # times its coarse rule's distance: errors of several kinks may cancel


class Moment(NamedTuple):
    """A second moment of each neuron, and by how much quadrature may be off."""

    value: Float[np.ndarray, " neurons"]
    error: Float[np.ndarray, " neurons"]


@functools.cache
def _compiled(gate: Gate, by: str | None) -> Callable[..., Any]:
    """``a, b`` and, by a symbol, ``c, d`` as functions of projections and parameters.

    The last is ``1 - a``.

    Raises:
        ValueError: If the gate has no such symbol, or no derivative.
    """
    exprs = [gate.a, gate.b, gate.lost]
    if by is not None:
        names = [str(symbol) for symbol in gate.symbols]
        if by not in names:
            raise ValueError(f"need one of {', '.join(names)} to move, got {by}")
        exprs[2:2] = gates.derivatives(gate)[gate.symbols[names.index(by)]]
    accurate = [optimize(expr, [log1p_opt]) for expr in exprs]
    return compile_expr(accurate, *gate.symbols, backend="numpy")


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
    directions: Directions,
    narrow: float = 1.0,
    power: int = 2,
) -> _View:
    """The coordinates of inputs of a law, or of unit variance.

    Args:
        neurons: Of a gate whose linear projections are last.
        law: Of each input vector; standard normal entries if left out.
        directions: As in ``sensitivity_moment``.
        narrow: As in ``quadrature.gaussian_nodes``.
        power: Of the state, whose moment is asked.
    """
    n, _, width = neurons.weights.shape
    bent = len(neurons.gate.nonlinear)
    if law is not None:
        nodes = Nodes(law.values, law.probabilities, law.probabilities)
        rows = np.eye(width) if isinstance(directions, str) else directions
        rows = np.zeros((1, width)) if rows is None else rows
        along = np.broadcast_to(rows, (n, *rows.shape))
        return _View(
            nodes, neurons.weights, along, np.zeros(along.shape[:2]), np.ones(len(rows))
        )
    basis, upper = np.linalg.qr(np.swapaxes(neurons.weights, 1, 2))
    projections = np.swapaxes(upper, 1, 2)
    size = basis.shape[2]
    spreads = np.abs(projections[:, :bent])
    offsets = np.abs(neurons.offsets[:, :bent, None])
    spread, tilt = float(spreads.max(initial=0.0)), tilted(spreads, offsets)
    points = max(STRAIGHT, power * len(neurons.gate.linear) // 2 + 2)
    nodes = gaussian_nodes(
        min(bent, size), size - min(bent, size), spread, narrow, tilt, points
    )
    if directions is None:
        zero = np.zeros((n, 1, size))
        return _View(nodes, projections, zero, np.zeros((n, 1)), np.ones(1))
    if isinstance(directions, str):
        inside = np.concatenate([np.eye(size), np.zeros((1, size))])
        along = np.broadcast_to(inside, (n, size + 1, size))
        rest = np.zeros((n, size + 1))
        rest[:, -1] = 1.0
        return _View(
            nodes, projections, along, rest, np.array([1.0] * size + [width - size])
        )
    along = np.einsum("rd,ndq->nrq", directions, basis)
    rest = (directions**2).sum(1)[None] - (along**2).sum(2)
    rest = np.maximum(rest, 0.0)
    return _View(nodes, projections, along, rest, np.ones(len(directions)))


def coefficients(
    neurons: Neurons, at: Float[np.ndarray, "neurons k nodes"], by: str | None
) -> list[Float[np.ndarray, "neurons nodes"]]:
    """``a, b`` and, by a symbol, ``c, d`` from what the projections are at every node."""
    return coefficients_and_lost(neurons, at, by)[:-1]


def coefficients_and_lost(
    neurons: Neurons, at: Float[np.ndarray, "neurons k nodes"], by: str | None
) -> list[Float[np.ndarray, "neurons nodes"]]:
    """The ``coefficients``, and ``1 - a`` as accurate where ``a`` is close to one.

    A projection of such a size that its exponential overflows is cut: there every gate
    is open or closed to all digits, and one that is open loses nothing.

    Raises:
        ValueError: If a coefficient is not a real number at a node.
    """
    gate = neurons.gate
    bent = [gate.projections.index(symbol) for symbol in gate.nonlinear]
    at = at + neurons.offsets[:, :, None]
    cut = (np.abs(at[:, bent]) > SATURATED).any(1)
    at[:, bent] = np.clip(at[:, bent], -SATURATED, SATURATED)
    own = [one[:, None] for one in neurons.parameters.T]
    columns = (at[:, place] for place in range(at.shape[1]))
    with np.errstate(under="ignore", invalid="ignore"):
        found = _compiled(gate, by)(*columns, *own)
    a, *others, lost = [np.broadcast_to(one, cut.shape) + 0.0 for one in found]
    _require_real(gate, a, others[0], at)
    return [a, *others, np.where(cut & (a == 1), 0.0, lost)]


def _require_real(gate: Gate, a: Any, b: Any, at: Any) -> None:
    """Refuse a gate that is no number somewhere, as the root of ``1 - a^2`` for ``a > 1``.

    Raises:
        ValueError: With the projections where, and ``a`` there.
    """
    for name, values in (("a", a), ("b", b)):
        wrong = np.argwhere(np.isnan(values))
        if not len(wrong):
            continue
        n, node = wrong[0]
        where = ", ".join(
            f"{symbol} = {value:.4g}"
            for symbol, value in zip(gate.projections, at[n, :, node], strict=True)
        )
        raise ValueError(
            f"need a gate whose {name} is a real number for every input, got none at "
            f"{where}, where a = {a[n, node]:.4g}; does a leave [0, 1]?"
        )


def _expectations(
    parts: list[Float[np.ndarray, "neurons nodes"]],
    view: _View,
    w: Float[np.ndarray, " nodes"],
    seen: Float[np.ndarray, "neurons rows nodes"] | None,
) -> tuple[Expectations, dict[str, Any]]:
    """``E a``, ``E a b`` and so on of each neuron and direction; ``1 - E a``, ``1 - E a^2``.

    Args:
        parts: ``coefficients_and_lost`` at every node.
        view: Of the neurons.
        w: Weights of the nodes.
        seen: What the directions see; none for what multiplies no input.
    """
    a, b, *moved, lost = parts

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
        neurons.some(slice(i, i + size)) for i in range(0, len(neurons.weights), size)
    ]


def mutated_moment(
    change: Change | None,
    neurons: Neurons,
    by: str | None = None,
    *,
    directions: Directions = None,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
) -> Moment:
    """``state_moment`` or ``sensitivity_moment`` of wrong expectations, for mutants.

    Args:
        change: Makes wrong expectations of the right ones; nothing for the right ones.
        neurons: As in ``sensitivity_moment``.
        by: As in ``sensitivity_moment``; nothing for the state.
        directions: As in ``sensitivity_moment``.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: As in ``state_moment``.
        average: As in ``state_moment``.
    """
    neurons = neurons.nonlinear_first()
    if law is None:
        neurons = neurons._replace(weights=scale * neurons.weights)

    def moment(narrow: float) -> Moment:
        value, error = _moment(
            neurons, by, directions, law, steps, average, change, narrow
        )
        factor = scale**2 if directions is not None and law is None else 1.0
        return Moment(factor * value, factor * error)

    return moment(1.0) if law is not None else refined(neurons, directions, moment)


def refined(
    neurons: Neurons,
    directions: Directions,
    moment: Callable[[float], Moment],
    power: int = 2,
) -> Moment:
    """A moment over more and more nodes, as many as a gate needs.

    Args:
        neurons: Of a gate; one with kinks needs as many as there may be.
        directions: In which they are moved.
        moment: By how narrow nodes are; see ``quadrature.gaussian_nodes``.
        power: Of the state, whose moment is asked.
    """
    if not neurons.gate.nonlinear:
        return moment(1.0)

    def fits(narrow: float) -> bool:
        nodes = _view(neurons, None, directions, narrow, power).nodes
        return len(nodes.weights) <= MOST_NODES

    narrow = 1.0
    if not neurons.gate.smooth:
        while fits(2 * narrow):
            narrow *= 2
        value, error = moment(narrow)
        return Moment(value, KINKED * error)
    value, error = moment(narrow)
    while (error > RESOLVED * np.abs(value)).any() and fits(2 * narrow):
        narrow *= 2
        value, error = moment(narrow)
    return Moment(value, error)


def _moment(
    neurons: Neurons,
    by: str | None,
    directions: Directions,
    law: Law | None,
    steps: int | None,
    average: bool,
    change: Change | None,
    narrow: float,
) -> Moment:
    weighted = directions is not None
    quantity = "state" if by is None else "sensitivity"
    probe = _view(neurons, law, directions, narrow)
    size = max(1, HELD // (len(probe.nodes.weights) * max(probe.along.shape[1], 3)))
    values: list[Any] = []
    for part in _chunks(neurons, size):
        view = _view(part, law, directions, narrow)
        nodes = view.nodes
        parts = coefficients_and_lost(part, view.projections @ nodes.z.T, by)
        seen = view.along @ nodes.z.T if weighted and by is not None else None

        def found(
            parts: Any,
            seen: Any,
            w: Any,
            change: Change | None,
            view: _View = view,
        ) -> Float[np.ndarray, " neurons"]:
            known, below = _expectations(parts, view, w, seen)
            exact = change is None
            known = known if change is None else change(known)
            if steps is None:
                lost = below["aa"] if exact else 1 - known["aa"]
                if lost.min() <= 0:
                    require_finite(known["aa"], parts[0], w)
            moment = second_moment(
                known, quantity, steps, average, below if exact else None
            )
            return moment @ view.copies

        fine = found(parts, seen, nodes.weights, change)
        error = np.zeros_like(fine)
        if law is None:
            error = np.abs(fine - found(parts, seen, nodes.coarse, change))
        if change is None:
            sizes = [np.abs(one) for one in parts]
            along = None if seen is None else np.abs(seen)
            error = error + ROUNDED * found(sizes, along, nodes.weights, None)
        values.append((fine, error))
    return Moment(*(np.concatenate(one) for one in zip(*values, strict=True)))


def gated_state_moment(
    neurons: Neurons,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
) -> Moment:
    """``E h^2`` of each neuron.

    Args:
        neurons: Of any gate; see ``sigprop.neuron.neurons.describe``.
        scale: Standard deviation of the Gaussian input channels, which are independent of
            each other and in time.
        law: Another law of the input in its place.
        steps: Inputs seen since the zero state; the limit if left out.
        average: Take the mean over these steps, not the moment after the last.

    Raises:
        ValueError: If a limit is infinite: what is finite instead is said; if a
            coefficient of the gate is no real number for some input.
    """
    return mutated_moment(
        None, neurons, scale=scale, law=law, steps=steps, average=average
    )


def gated_sensitivity_moment(
    neurons: Neurons,
    by: str,
    *,
    directions: Directions = None,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
) -> Moment:
    """``E (dh/dtheta)^2`` of each neuron, summed over the entries of a parameter.

    Args:
        neurons: Of any gate; see ``sigprop.neuron.neurons.describe``.
        by: A projection or a parameter of the neurons, by its name in their gate.
        directions: ``each``: every weight of the projection's row.  Rows: the row moved
            along them.  None: what is added to the projection, or the parameter.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: As in ``state_moment``.
        average: As in ``state_moment``.

    Raises:
        ValueError: As ``state_moment``, or if the gate has no such name or may jump.
    """
    return mutated_moment(
        None,
        neurons,
        by,
        directions=directions,
        scale=scale,
        law=law,
        steps=steps,
        average=average,
    )


def fourth_moment(
    neurons: Neurons,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> Moment:
    """``E h^4`` of each neuron.

    Args:
        neurons: Of any gate; see ``sigprop.neuron.neurons.describe``.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: As in ``state_moment``.

    Raises:
        ValueError: If a limit is infinite, ``E a^4 >= 1``: the tail index is said; else
            as ``state_moment``.

    Source: ``sigprop.theory.gated_moments.power_limit``.

    Example:
        >>> from sigprop.neuron.neurons import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[1.0, 0.0]]})
        >>> fourth, square = fourth_moment(part.neurons), state_moment(part.neurons)
        >>> bool(abs(fourth.value / (3 * square.value**2) - 1) < 1e-9)  # a normal state
        True
    """
    return _of_states(_fourth, neurons, scale, law, steps)


def lagged_moment(
    neurons: Neurons,
    lag: int,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> Moment:
    """``E[h_t h_{t+lag}]`` of each neuron.

    Inputs are independent in time: of inputs that remember this is not known here.

    Args:
        neurons: Of any gate; see ``sigprop.neuron.neurons.describe``.
        lag: Steps in between, zero or more.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: Inputs seen at ``t`` since the zero state; the limit if left out.

    Raises:
        ValueError: As ``state_moment``, or if the lag is negative.

    Source: ``sigprop.theory.gated_moments.lag_limit``.

    Example:
        >>> from sigprop.neuron.neurons import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[1.0, 0.0]]})
        >>> lagged = lagged_moment(part.neurons, 2).value  # a gate of one half
        >>> bool(abs(lagged / state_moment(part.neurons).value - 0.25) < 1e-12)
        True
    """
    require_count("lag", lag, least=0)
    return _of_states(functools.partial(_lagged, lag), neurons, scale, law, steps)


Rule = Callable[..., Float[np.ndarray, " neurons"]]


def _of_states(
    rule: Rule,
    neurons: Neurons,
    scale: float,
    law: Law | None,
    steps: int | None,
    moved: bool = False,
) -> Moment:
    """A moment by a rule from coefficients at nodes; and its error.

    Args:
        rule: From neurons, their ``a``, ``b`` and ``1 - a`` at nodes, and if they are
            ``moved`` derivatives by each projection; weights and steps.
        neurons: Of any gate.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: As in ``state_moment``.
        moved: Whether the rule takes derivatives.
    """
    neurons = neurons.nonlinear_first()
    if law is None:
        neurons = neurons._replace(weights=scale * neurons.weights)
    names = [str(symbol) for symbol in neurons.gate.projections if moved]

    def moment(narrow: float) -> Moment:
        count = len(_view(neurons.some(slice(1)), law, None, narrow, FOURTH).nodes.z)
        values = []
        for part in _chunks(neurons, max(1, HELD // (8 * count))):
            view = _view(part, law, None, narrow, FOURTH)
            at = view.projections @ view.nodes.z.T
            parts = coefficients_and_lost(part, at.copy(), None)
            for name in names:
                parts += coefficients(part, at.copy(), name)[2:]
            w = view.nodes.weights
            fine = rule(part, parts, w, steps)
            error = ROUNDED * np.abs(
                rule(part, [np.abs(one) for one in parts], w, steps)
            )
            if law is None:
                coarse = rule(part, parts, view.nodes.coarse, steps)
                error = error + np.abs(fine - coarse)
            values.append((fine, error))
        return Moment(*(np.concatenate(one) for one in zip(*values, strict=True)))

    return moment(1.0) if law is not None else refined(neurons, None, moment, FOURTH)


Parts = list[Float[np.ndarray, "neurons nodes"]]


def _fourth(
    neurons: Neurons, parts: Parts, w: Float[np.ndarray, " nodes"], steps: int | None
) -> Float[np.ndarray, " neurons"]:
    del neurons  # their coefficients are enough
    a, b, lost = parts
    known = {
        name: (a ** name.count("a") * b ** name.count("b")) @ w for name in PRODUCTS
    }
    partial, below = np.zeros_like(a), {}
    for order in range(1, FOURTH + 1):
        partial = partial + a ** (order - 1)
        below["a" * order] = (lost * partial) @ w
    if steps is None and below["aaaa"].min() <= 0:
        require_finite_fourth(known["aaaa"], a, w)
    return fourth_of_expectations(known, steps, below)


def _lagged(
    lag: int,
    neurons: Neurons,
    parts: Parts,
    w: Float[np.ndarray, " nodes"],
    steps: int | None,
) -> Float[np.ndarray, " neurons"]:
    del neurons  # their coefficients are enough
    mean, square, known = _states(parts, w, steps)
    return lagged_of_expectations(mean, square, known, lag)


def _states(
    parts: Parts, w: Float[np.ndarray, " nodes"], steps: int | None
) -> tuple[Any, Any, dict[str, Float[np.ndarray, " neurons"]]]:
    """``E h``, ``E h^2`` and expectations of the coefficients."""
    a, b, lost = parts[:3]
    known = {"a": a @ w, "b": b @ w, "aa": a**2 @ w, "ab": (a * b) @ w, "bb": b**2 @ w}
    below = {"a": lost @ w, "aa": (lost * (1 + a)) @ w}
    if steps is None and below["aa"].min() <= 0:
        require_finite(known["aa"], a, w)
    square = second_moment(known, "state", steps, lost=below)
    mean = (
        known["b"] / below["a"]
        if steps is None
        else lagged_of_expectations(1.0, 0.0, known, steps)
    )
    return mean, square, known


def input_gradient_moment(
    neurons: Neurons,
    lag: int,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> Moment:
    """``E|dh_t/du_{t-lag}|^2`` of each neuron, summed over the inputs that it sees.

    Later steps multiply it by ``E a^2`` each.  Inputs are independent in time.

    Args:
        neurons: Of any gate; see ``sigprop.neuron.neurons.describe``.
        lag: Steps in between, zero or more.
        scale: As in ``state_moment``.
        law: As in ``state_moment``.
        steps: Inputs seen at ``t`` since the zero state, more than the lag; the limit if
            left out.

    Raises:
        ValueError: As ``sensitivity_moment``, or if the lag is negative or no less than
            the steps.

    Source: ``sigprop.theory.gated_moments.input_gradient``.

    Example:
        >>> from sigprop.neuron.neurons import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[2.0, 0.0]]})
        >>> input_gradient_moment(part.neurons, 1).value.round(6)  # (0.5 0.5 2)^2
        array([0.25])
    """
    require_count("lag", lag, least=0)
    if steps is not None:
        require_count("steps", steps, least=lag + 1)
    size = scale if law is None else 1.0
    rule = functools.partial(_input_gradient, lag, size)
    before = None if steps is None else steps - lag - 1
    return _of_states(rule, neurons, scale, law, before, moved=True)


def _input_gradient(
    lag: int,
    size: float,
    neurons: Neurons,
    parts: Parts,
    w: Float[np.ndarray, " nodes"],
    steps: int | None,
) -> Float[np.ndarray, " neurons"]:
    mean, square, known = _states(parts, w, steps)
    gram = neurons.weights @ np.swapaxes(neurons.weights, 1, 2) / size**2
    c, d = np.stack(parts[3::2], 1), np.stack(parts[4::2], 1)

    def summed(left: Any, right: Any) -> Float[np.ndarray, " neurons"]:
        return np.einsum("nkl,nkz,nlz,z->n", gram, left, right, w, optimize=True)

    fresh = summed(c, c) * square + 2 * summed(c, d) * mean + summed(d, d)
    return known["aa"] ** lag * fresh
