"""Exact second moments of neurons whose gates read inputs that are independent in time.

The state obeys ``h' = a h + b`` and the sensitivity ``s' = a s + c h + d``, where ``a`` and
``b`` are functions of a few projections of the input.  The moments of ``h`` and ``s`` follow
from expectations of products of two coefficients.

An expectation is a weighted sum over nodes.  For an input with few values, the nodes are
these values.  For a Gaussian input, there is a trapezoidal rule in each projection in which
the gate is nonlinear; its error falls exponentially with the number of nodes.  Other
projections have four nodes, which are exact.  The error bound is the difference to the sum
over every second node, plus a bound on rounding.  Steep gates and gates with kinks get more
nodes.  Under tracing by JAX, the number of nodes cannot depend on the neurons, and ``spread``
determines it.

Notation: z  coordinates of an input in the span of a neuron's projections;  k  projections;
rest  coordinates outside of the span, which no gate depends on.

Source: ``sigprop.theory.gated_moments`` and ``sigprop.theory.gates``.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sympy.codegen.rewriting import log1p_opt, optimize

from sigprop.neuron.neurons import Directions, Neurons
from sigprop.neuron.quadrature import STRAIGHT, Law, Nodes, gaussian_nodes, tilted
from sigprop.neuron.random_coefficients import (
    LONGEST,
    fourth_moment,
    lagged_moment,
    require_finite,
    require_finite_fourth,
    second_moment,
)
from sigprop.numerics.arguments import require_count, require_number
from sigprop.numerics.compile import Backend, compile_expr
from sigprop.numerics.tracing import namespace
from sigprop.theory import gates
from sigprop.theory.gated_moments import FOURTH, PRODUCTS
from sigprop.theory.gates import Gate

Table = Float[Any, "neurons directions"]
Expectations = dict[str, Table]
Change = Callable[[Expectations], Expectations]


SATURATED = 300.0  # argument at which a gate is 0 or 1 in floating point
HELD = 2**21  # largest number of entries of a table in memory
ROUNDED = 64 * float(np.finfo(float).eps)  # rounding, relative to the sum of all sizes
RESOLVED = 1e-3  # relative error at which the refinement of nodes stops
MOST_NODES = 2**14  # largest number of nodes for a gate that is steep or has kinks
KINKED = 4.0  # factor on the error estimate, as errors of several kinks may cancel


class Moment(NamedTuple):
    """Moment of each neuron, with a bound on the error of quadrature.

    Attributes:
        value: Moment of each neuron.
        error: Bound on the absolute error of ``value``.
    """

    value: Float[Any, " neurons"]
    error: Float[Any, " neurons"]


@functools.cache
def _compiled(gate: Gate, by: str | None, backend: Backend) -> Callable[..., Any]:
    """Compile ``a``, ``b`` and ``1 - a`` as functions of projections and parameters.

    With a symbol ``by``, the derivatives ``c`` and ``d`` come before ``1 - a``.

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
    return compile_expr(accurate, *gate.symbols, backend=backend)


class _View(NamedTuple):
    """Neurons in coordinates: projections of the nodes, and directions of weights."""

    nodes: Nodes
    projections: Float[Any, "neurons k coordinates"]
    along: Float[Any, "neurons directions coordinates"]
    rest: Table  # variance of the part of a direction outside of the span
    copies: Float[np.ndarray, " directions"]  # number of equivalent directions


def _view(
    neurons: Neurons,
    law: Law | None,
    directions: Directions,
    spread: float | None,
    narrow: float = 1.0,
    power: int = 2,
) -> _View:
    """Return neurons in coordinates of the input, with quadrature nodes.

    Args:
        neurons: Neurons of a gate whose linear projections are last.
        law: Distribution of the input vector with few values.  Default: standard normal
            entries.
        directions: As in ``gated_sensitivity_moment``.
        spread: As in ``gated_state_moment``.
        narrow: As in ``quadrature.gaussian_nodes``.
        power: Power of the state in the moment.

    Raises:
        ValueError: If the neurons are traced by JAX and ``spread`` is missing.
    """
    xp = namespace(neurons[1:], directions)
    n, _, width = neurons.weights.shape
    bent = len(neurons.gate.nonlinear)
    if law is not None:
        nodes = law.nodes()
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
        tilt = power * spread  # the largest norm for the given spread
    elif xp is np:
        spreads = np.abs(projections[:, :bent])
        offsets = np.abs(neurons.offsets[:, :bent, None])
        growth = power if neurons.gate.exponential else 0.0
        spread, tilt = float(spreads.max(initial=0.0)), tilted(spreads, offsets, growth)
    else:
        raise ValueError(
            "need a spread under jit, vmap or grad, where the number of nodes cannot depend "
            "on the weights: pass as spread= the largest standard deviation that a gate's "
            "argument takes"
        )
    points = max(STRAIGHT, power * len(neurons.gate.linear) // 2 + 2)
    nodes = gaussian_nodes(
        min(bent, size), size - min(bent, size), spread, narrow, tilt, points
    )
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
    """Return the coefficients of neurons at every node.

    Args:
        neurons: Neurons of any gate.
        at: Values of the projections at the nodes, without the offsets.
        by: Symbol of the gate by which to differentiate, or None.

    Returns:
        ``a`` and ``b``, and with ``by`` also their derivatives ``c`` and ``d``.
    """
    return coefficients_and_lost(neurons, at, by)[:-1]


def coefficients_and_lost(
    neurons: Neurons, at: Float[Any, "neurons k nodes"], by: str | None
) -> list[Float[Any, "neurons nodes"]]:
    """Return the ``coefficients``, followed by ``1 - a`` without cancellation.

    Projections beyond 300 in size, whose exponential could overflow, are clipped.  A gate
    is then 0 or 1 in floating point.  Values that JAX traces are not checked.

    Args:
        neurons: Neurons of any gate.
        at: Values of the projections at the nodes, without the offsets.
        by: Symbol of the gate by which to differentiate, or None.

    Raises:
        ValueError: If a coefficient is not a real number at a node, or the gate has no
            symbol ``by``.
    """
    xp, gate = namespace(neurons[1:], at), neurons.gate
    at = at + neurons.offsets[:, :, None]
    columns = dict(zip(gate.projections, xp.moveaxis(at, 1, 0), strict=True))
    cut = xp.zeros(at[:, 0].shape, bool)
    for symbol in gate.nonlinear:
        cut = cut | (xp.abs(columns[symbol]) > SATURATED)
        columns[symbol] = xp.clip(columns[symbol], -SATURATED, SATURATED)
    own = [one[:, None] for one in neurons.parameters.T]
    program = _compiled(gate, by, "numpy" if xp is np else "jax")
    with np.errstate(under="ignore", invalid="ignore"):
        found = program(*columns.values(), *own)
    a, *others, lost = [xp.broadcast_to(one, cut.shape) + 0.0 for one in found]
    if xp is np:
        _require_real(gate, a, others[0], at)
    return [a, *others, xp.where(cut & (a == 1), 0.0, lost)]


def _require_real(gate: Gate, a: Any, b: Any, at: Any) -> None:
    """Raise an error if a coefficient of a gate is not a real number at a node.

    An example is the root of ``1 - a^2`` for ``a > 1``.

    Raises:
        ValueError: If there is such a node; the message has its projections and ``a``.
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
    parts: list[Float[Any, "neurons nodes"]],
    view: _View,
    w: Float[np.ndarray, " nodes"],
    seen: Float[Any, "neurons rows nodes"] | None,
) -> tuple[Expectations, dict[str, Any]]:
    """Return expectations of coefficients for each neuron and direction.

    Args:
        parts: Result of ``coefficients_and_lost`` at every node.
        view: Neurons in coordinates of the input.
        w: Weights of the nodes.
        seen: Input along each direction at every node, or None for a parameter that
            multiplies no input.

    Returns:
        ``E a``, ``E a b`` and so on, and ``1 - E a`` and ``1 - E a^2``.
    """
    xp = namespace(parts, seen)
    a, b, *moved, lost = parts

    def mean(*factors: Float[Any, "neurons nodes"]) -> Table:
        return (functools.reduce(operator.mul, factors) @ w)[:, None]

    def along(seen: Float[Any, "neurons directions nodes"]) -> Callable[..., Table]:
        """Return a function for means of products with the input along each direction."""

        def seen_mean(*factors: Float[Any, "neurons nodes"]) -> Table:
            product = functools.reduce(operator.mul, factors) * w[None]
            return xp.einsum("nm,nrm->nr", product, seen)

        return seen_mean

    known, below = (
        {name: values[:, None] for name, values in table.items()}
        for table in _of_the_state(a, b, lost, w)
    )
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


def _of_the_state(
    a: Float[Any, "neurons nodes"],
    b: Float[Any, "neurons nodes"],
    lost: Float[Any, "neurons nodes"],
    w: Float[np.ndarray, " nodes"],
) -> tuple[dict[str, Float[Any, " neurons"]], dict[str, Float[Any, " neurons"]]]:
    """Return ``E a``, ``E a b`` and so on, and ``1 - E a`` and ``1 - E a^2``."""
    known = {"a": a @ w, "b": b @ w, "aa": (a * a) @ w, "ab": (a * b) @ w}
    known["bb"] = (b * b) @ w
    return known, {"a": lost @ w, "aa": (lost * (1 + a)) @ w}


def _chunks(neurons: Neurons, size: int) -> list[Neurons]:
    return [
        neurons.some(slice(i, i + size)) for i in range(0, len(neurons.weights), size)
    ]


def _standard(
    neurons: Neurons, scale: float | Float[Any, ""], law: Law | None
) -> Neurons:
    """Return the neurons for inputs of unit variance, with linear projections last."""
    neurons = neurons.nonlinear_first()
    return (
        neurons
        if law is not None
        else neurons._replace(weights=scale * neurons.weights)
    )


def mutated_moment(
    change: Change | None,
    neurons: Neurons,
    by: str | None = None,
    *,
    directions: Directions = None,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    spread: float | None = None,
) -> Moment:
    """Return moments of the state or the sensitivity, with changed expectations.

    This is for mutation testing.

    Args:
        change: Function that makes the expectations wrong.  None keeps them right.
        neurons: As in ``gated_sensitivity_moment``.
        by: As in ``gated_sensitivity_moment``, or None for the state.
        directions: As in ``gated_sensitivity_moment``.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: As in ``gated_state_moment``.
        average: As in ``gated_state_moment``.
        spread: As in ``gated_state_moment``.
    """
    neurons = _standard(neurons, scale, law)

    def moment(narrow: float) -> Moment:
        value, error = _moment(
            neurons, by, directions, law, steps, average, change, spread, narrow
        )
        factor = scale**2 if directions is not None and law is None else 1.0
        return Moment(factor * value, factor * error)

    return refined(neurons, directions, law, spread, moment)


def refined(
    neurons: Neurons,
    directions: Directions,
    law: Law | None,
    spread: float | None,
    moment: Callable[[float], Moment],
    power: int = 2,
) -> Moment:
    """Return a moment with as many nodes as the gate needs.

    With a ``law``, the nodes are exact.  A smooth gate with a given ``spread`` is not
    refined.  A gate with kinks gets the largest number of nodes.

    Args:
        neurons: Neurons of one gate.
        directions: As in ``gated_sensitivity_moment``.
        law: As in ``gated_state_moment``.
        spread: As in ``gated_state_moment``.
        moment: Function from the factor ``narrow`` of ``quadrature.gaussian_nodes`` to
            the moment.
        power: Power of the state in the moment.
    """
    if spread is not None:
        require_number("spread", spread, 0, SATURATED, "[]")
    if law is not None or not neurons.gate.nonlinear:
        return moment(1.0)

    def fits(narrow: float) -> bool:
        nodes = _view(neurons, None, directions, spread, narrow, power).nodes
        return len(nodes.weights) <= MOST_NODES

    narrow = 1.0
    if not neurons.gate.smooth:
        while fits(2 * narrow):
            narrow *= 2
        value, error = moment(narrow)
        return Moment(value, KINKED * error)
    value, error = moment(narrow)
    if spread is not None:
        return Moment(value, error)
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
    spread: float | None,
    narrow: float,
) -> Moment:
    xp = namespace(neurons[1:], directions)
    weighted = directions is not None
    quantity = "state" if by is None else "sensitivity"
    probe = _view(neurons, law, directions, spread, narrow)
    size = max(1, HELD // (len(probe.nodes.weights) * max(probe.along.shape[1], 3)))
    values: list[Any] = []
    for part in _chunks(neurons, size):
        view = _view(part, law, directions, spread, narrow)
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
                    require_finite(known["aa"], parts[0], w)
            moment = second_moment(
                known, quantity, steps, average, below if exact else None
            )
            return moment @ view.copies

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


def gated_state_moment(
    neurons: Neurons,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    spread: float | None = None,
) -> Moment:
    """Return ``E h^2`` of each neuron for inputs that are independent in time.

    The function works under ``jit``, ``vmap``, ``grad`` and ``jvp`` of the neurons and the
    scale.  Under these, an infinite limit and a gate without a real value raise no error.
    Derivatives are NaN if the weights of a neuron's projections are linearly dependent.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        scale: Standard deviation of the input channels, which are Gaussian and
            independent of each other.
        law: Distribution of the input vector with few values, instead of a Gaussian.
        steps: Number of steps since the zero state.  Default: the stationary limit.
        average: True for the mean over these steps instead of the moment after the last.
        spread: Largest standard deviation of a gate's argument, which determines the
            number of nodes.  Default: computed from the neurons, with more nodes for
            steep gates.

    Raises:
        ValueError: If the limit is infinite (the message states which moments are
            finite); if a coefficient of the gate is not a real number for some input; or
            if the neurons are traced by JAX, the input is Gaussian and ``spread`` is
            missing.
    """
    return mutated_moment(
        None,
        neurons,
        scale=scale,
        law=law,
        steps=steps,
        average=average,
        spread=spread,
    )


def gated_sensitivity_moment(
    neurons: Neurons,
    by: str,
    *,
    directions: Directions = None,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
    spread: float | None = None,
) -> Moment:
    """Return ``E (dh/dtheta)^2`` of each neuron, summed over the entries of a parameter.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        by: Name of the projection or the gate parameter that depends on ``theta``.
        directions: ``each`` if ``theta`` is the weight vector of the projection.  An array
            if each entry of ``theta`` shifts the weights along one of its rows.  None if
            ``theta`` is the offset of the projection, or a gate parameter.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: As in ``gated_state_moment``.
        average: As in ``gated_state_moment``.
        spread: As in ``gated_state_moment``.

    Raises:
        ValueError: If ``gated_state_moment`` raises it; if the gate has no such name; or
            if the gate can jump.
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
        spread=spread,
    )


def gated_fourth_moment(
    neurons: Neurons,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    spread: float | None = None,
) -> Moment:
    """Return ``E h^4`` of each neuron for inputs that are independent in time.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: As in ``gated_state_moment``.
        spread: As in ``gated_state_moment``.

    Raises:
        ValueError: If the limit is infinite, that is ``E a^4 >= 1`` (the message has the
            tail index), or if ``gated_state_moment`` raises it.

    Source: ``sigprop.theory.gated_moments.power_limit``.

    Example:
        >>> from sigprop.neuron import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[1.0, 0.0]]})
        >>> fourth = gated_fourth_moment(part.neurons).value
        >>> square = gated_state_moment(part.neurons).value
        >>> bool(abs(fourth / (3 * square**2) - 1) < 1e-9)  # a normal state
        True
    """
    return _of_states(_fourth, neurons, scale, law, steps, spread)


def gated_lagged_moment(
    neurons: Neurons,
    lag: int,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    spread: float | None = None,
) -> Moment:
    """Return ``E[h_t h_{t+lag}]`` of each neuron.

    The inputs must be independent in time; correlated inputs are not supported.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        lag: Number of steps between the two states, zero or more.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: Number ``t`` of steps since the zero state.  Default: the stationary limit.
        spread: As in ``gated_state_moment``.

    Raises:
        ValueError: If ``gated_state_moment`` raises it, or ``lag`` is negative.

    Source: ``sigprop.theory.gated_moments.lag_limit``.

    Example:
        >>> from sigprop.neuron import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[1.0, 0.0]]})
        >>> lagged = gated_lagged_moment(part.neurons, 2).value  # a gate of one half
        >>> bool(abs(lagged / gated_state_moment(part.neurons).value - 0.25) < 1e-12)
        True
    """
    require_count("lag", lag, least=0)
    return _of_states(
        functools.partial(_lagged, lag), neurons, scale, law, steps, spread
    )


Rule = Callable[..., Float[Any, " neurons"]]


def _of_states(
    rule: Rule,
    neurons: Neurons,
    scale: float | Float[Any, ""],
    law: Law | None,
    steps: int | None,
    spread: float | None,
    moved: bool = False,
) -> Moment:
    """Return a moment that a rule computes from the coefficients at nodes.

    Args:
        rule: Function of neurons, their coefficients at nodes, weights of the nodes and
            steps.  The coefficients are ``a``, ``b``, ``1 - a`` and, with ``moved``, the
            derivatives by each projection.
        neurons: Neurons of any gate.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: As in ``gated_state_moment``.
        spread: As in ``gated_state_moment``.
        moved: True if the rule needs derivatives.
    """
    neurons = _standard(neurons, scale, law)
    names = [str(symbol) for symbol in neurons.gate.projections if moved]
    xp = namespace(neurons[1:])

    def moment(narrow: float) -> Moment:
        probe = _view(neurons.some(slice(1)), law, None, spread, narrow, FOURTH)
        values = []
        for part in _chunks(neurons, max(1, HELD // (8 * len(probe.nodes.z)))):
            view = _view(part, law, None, spread, narrow, FOURTH)
            at = view.projections @ view.nodes.z.T[None]
            parts = coefficients_and_lost(part, at, None)
            for name in names:
                parts += coefficients(part, at, name)[2:]
            w = view.nodes.weights
            fine = rule(part, parts, w, steps)
            error = ROUNDED * xp.abs(
                rule(part, [xp.abs(one) for one in parts], w, steps)
            )
            if law is None:
                coarse = rule(part, parts, view.nodes.coarse, steps)
                error = error + xp.abs(fine - coarse)
            values.append((fine, error))
        return Moment(*(xp.concatenate(one) for one in zip(*values, strict=True)))

    return refined(neurons, None, law, spread, moment, FOURTH)


Parts = list[Float[Any, "neurons nodes"]]


def _fourth(
    neurons: Neurons, parts: Parts, w: Float[np.ndarray, " nodes"], steps: int | None
) -> Float[Any, " neurons"]:
    del neurons  # their coefficients suffice
    a, b, lost = parts
    known = {
        name: (a ** name.count("a") * b ** name.count("b")) @ w for name in PRODUCTS
    }
    partial, below = 0.0, {}
    for order in range(1, FOURTH + 1):
        partial = partial + a ** (order - 1)
        below["a" * order] = (lost * partial) @ w
    if steps is None and namespace(a) is np and below["aaaa"].min() <= 0:
        require_finite_fourth(known["aaaa"], a, w)
    return fourth_moment(known, steps, below)


def _lagged(
    lag: int,
    neurons: Neurons,
    parts: Parts,
    w: Float[np.ndarray, " nodes"],
    steps: int | None,
) -> Float[Any, " neurons"]:
    del neurons  # their coefficients suffice
    mean, square, known = _states(parts, w, steps)
    return lagged_moment(mean, square, known, lag)


def _states(
    parts: Parts, w: Float[np.ndarray, " nodes"], steps: int | None
) -> tuple[Any, Any, dict[str, Float[Any, " neurons"]]]:
    """Return ``E h``, ``E h^2`` and expectations of the coefficients."""
    a, b, lost = parts[:3]
    known, below = _of_the_state(a, b, lost, w)
    if steps is None and namespace(a) is np and below["aa"].min() <= 0:
        require_finite(known["aa"], a, w)
    square = second_moment(known, "state", steps, lost=below)
    mean = (
        known["b"] / below["a"]
        if steps is None
        else lagged_moment(1.0, 0.0, known, steps)
    )
    return mean, square, known


def input_gradient_moment(
    neurons: Neurons,
    lag: int,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    spread: float | None = None,
) -> Moment:
    """Return ``E|dh_t/du_{t-lag}|^2`` of each neuron, summed over its inputs.

    The inputs must be independent in time.  Each step of the lag multiplies the moment by
    ``E a^2``.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        lag: Number of steps between input and state, zero or more.
        scale: As in ``gated_state_moment``.
        law: As in ``gated_state_moment``.
        steps: Number ``t`` of steps since the zero state, larger than ``lag``.  Default:
            the stationary limit.
        spread: As in ``gated_state_moment``.

    Raises:
        ValueError: If ``gated_sensitivity_moment`` raises it; if ``lag`` is negative; or
            unless ``lag < steps``.

    Source: ``sigprop.theory.gated_moments.input_gradient``.

    Example:
        >>> from sigprop.neuron import describe
        >>> part = describe(gates.GATE_UNIT, {"r": [[0.0, 0.0]], "x": [[2.0, 0.0]]})
        >>> input_gradient_moment(part.neurons, 1).value.round(6)  # (0.5 0.5 2)^2
        array([0.25])
    """
    require_count("lag", lag, least=0)
    if steps is not None:
        require_count("steps", steps, least=lag + 1, most=LONGEST)
    size = scale if law is None else 1.0
    rule = functools.partial(_input_gradient, lag, size)
    before = None if steps is None else steps - lag - 1
    return _of_states(rule, neurons, scale, law, before, spread, moved=True)


def _input_gradient(
    lag: int,
    size: float | Float[Any, ""],
    neurons: Neurons,
    parts: Parts,
    w: Float[np.ndarray, " nodes"],
    steps: int | None,
) -> Float[Any, " neurons"]:
    xp = namespace(neurons[1:], parts)
    mean, square, known = _states(parts, w, steps)
    gram = neurons.weights @ xp.swapaxes(neurons.weights, 1, 2) / size**2
    c, d = xp.stack(parts[3::2], 1), xp.stack(parts[4::2], 1)

    def summed(left: Any, right: Any) -> Float[Any, " neurons"]:
        return xp.einsum("nkl,nkz,nlz,z->n", gram, left, right, w, optimize=True)

    fresh = summed(c, c) * square + 2 * summed(c, d) * mean + summed(d, d)
    return known["aa"] ** lag * fresh
