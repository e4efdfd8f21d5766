"""Second moments of the delta rule, after a number of steps and in the stationary limit.

A step acts linearly on the means and second moments of the rows of a head's state, and of
their derivatives by a parameter.

Notation: m  means of the rows;  M  ``sum E h h^T``;  s  means of the derivatives;  P
``sum E s h^T``;  S  ``sum E s s^T``;  f  the input that a weight multiplies.

Source: ``sigprop.theory.delta_moments``.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.delta import (
    Head,
    Nodewise,
    Products,
    View,
    nodes_of,
    steep_nodes_of,
)
from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import require_finite
from sigprop.numerics.arguments import require_count

Parameter = Literal["state", "W_v", "W_beta", "W_a", "bias", "A_log"]
ROUNDED = 1e-11  # relative rounding error, as weights of nodes can be negative
WEIGHTS = ("W_v", "W_beta", "W_a")  # parameters that multiply the input
Matrix = Float[np.ndarray, "_rows _columns"]
Blocks = dict[tuple[str, str], Matrix]
Pair = tuple[Nodewise, Nodewise]


class Gates(NamedTuple):
    """Gates and values of a head at every node, with derivatives of the gates."""

    beta: Nodewise
    slope: Nodewise  # derivative of beta by its logit
    alpha: Nodewise
    lost: Nodewise  # 1 - alpha without cancellation
    by_step: Nodewise  # derivative of alpha by the argument of the softplus
    by_rate: Nodewise  # derivative of alpha by A_log
    v: Float[np.ndarray, "nodes values"]
    square: Nodewise  # sum of the values' squares, with inputs outside of the span

    @property
    def A(self) -> Pair:
        """Coefficients of ``I`` and ``k k^T`` in the factor on the state."""
        return self.alpha, -self.alpha * self.beta


def _sigmoid(z: Nodewise) -> Nodewise:
    return 0.5 * (1 + np.tanh(z / 2))


def gates_at(head: Head, view: View, z: Float[np.ndarray, "nodes q"]) -> Gates:
    """Evaluate the gates and values of a head at nodes.

    Args:
        head: Head of the delta rule.
        view: Weights of the head in coordinates of the input.
        z: Coordinates of the input at the nodes.
    """
    beta = _sigmoid(z @ view.beta)
    one = np.ones(len(z))
    alpha, lost, by_step, by_rate = one, 0 * one, 0 * one, 0 * one
    if head.w_a is not None:
        entering, rate = z @ view.decay + head.bias, np.exp(head.A_log)
        log = -rate * np.logaddexp(0, entering)
        alpha, lost = np.exp(log), -np.expm1(log)
        by_step, by_rate = -rate * _sigmoid(entering) * alpha, log * alpha
    v = z @ view.values.T
    square = (v**2).sum(1) + view.unseen
    return Gates(beta, beta * (1 - beta), alpha, lost, by_step, by_rate, v, square)


def _transpose(keys: int) -> Matrix:
    """Permutation that maps the entries of a matrix to those of its transpose."""
    place = np.arange(keys**2).reshape(keys, keys).T.ravel()
    return np.eye(keys**2)[place]


class _Step:
    """Blocks of a step's matrix over one set of nodes; "1" is the constant.

    Inputs have unit variance: ``delta_moments`` puts their scale into the head.
    """

    def __init__(self, E: Products, gates: Gates, view: View) -> None:
        self.E, self.gates, self.view = E, gates, view
        self.one = np.ones(len(gates.beta))
        self.turned = _transpose(E.keys)
        self.both = np.eye(E.keys**2) + self.turned
        self.A = E.matrix(*gates.A)
        self.AA = E.sandwich(gates.A, gates.A, self.one)
        lost, erased = gates.lost, gates.alpha * gates.beta
        kept = gates.alpha * erased
        self.lost = {  # 1 - A, and 1 - A on both sides, without cancellation
            "A": E.matrix(lost, erased),
            "AA": E.sides(lost * (1 + gates.alpha), kept, kept, -(erased**2)),
        }
        self.b = gates.beta[:, None] * gates.v
        self.Ab = E.cross(gates.A, self.b)
        self.resting = self.state()

    def _rows(self, matrix: Matrix) -> Matrix:
        return np.kron(np.eye(self.gates.v.shape[1]), matrix)

    def state(self) -> Blocks:
        """Return the blocks for ``m`` and ``M``."""
        added = self.E.second(self.gates.beta**2 * self.gates.square)
        return {
            ("m", "1"): _column(self.E.first(self.b)),
            ("m", "m"): self._rows(self.A),
            ("M", "1"): _column(added),
            ("M", "m"): self.both @ self.Ab,
            ("M", "M"): self.AA,
        }

    def moved(self, c: Pair, slope: Nodewise, f: Nodewise) -> Blocks:
        """Return the blocks for ``s``, ``P`` and ``S`` of a derivative.

        ``c`` is the derivative of ``A`` and ``slope`` the derivative of ``beta``.
        """
        E, gates = self.E, self.gates
        fc, fd = (f * c[0], f * c[1]), (f * slope)[:, None] * gates.v
        crossed = E.cross(gates.A, fd)
        return {
            **self.resting,
            ("s", "1"): _column(E.first(fd)),
            ("s", "m"): self._rows(E.matrix(*fc)),
            ("s", "s"): self._rows(self.A),
            ("P", "1"): _column(E.second(f * slope * gates.beta * gates.square)),
            ("P", "m"): E.cross(fc, self.b) + self.turned @ crossed,
            ("P", "M"): E.sandwich(fc, gates.A, self.one),
            ("P", "s"): self.Ab,
            ("P", "P"): self.AA,
            ("S", "1"): _column(E.second(f**2 * slope**2 * gates.square)),
            ("S", "m"): self.both @ E.cross(fc, fd),
            ("S", "M"): E.sandwich(fc, fc, self.one),
            ("S", "s"): self.both @ crossed,
            ("S", "P"): self.both @ E.sandwich(gates.A, fc, self.one),
            ("S", "S"): self.AA,
        }

    def elsewhere(self, c: Pair, slope: Nodewise) -> Blocks:
        """Return the blocks for all inputs outside of the span together.

        The values can depend on these inputs.  The mean of a derivative is the value's
        weight of the input times one vector ``s``.
        """
        E, gates, count = self.E, self.gates, self.view.rest
        seen = count * gates.square + 2 * self.view.unseen
        crossed = E.cross(gates.A, slope[:, None])
        return {
            **self.resting,
            ("s", "1"): _column(E.first(slope)),
            ("s", "s"): self.A,
            ("S", "1"): _column(E.second(slope**2 * seen)),
            ("S", "m"): count * self.both @ E.cross(c, slope[:, None] * gates.v),
            ("S", "M"): count * E.sandwich(c, c, self.one),
            ("S", "s"): self.view.unseen * self.both @ crossed,
            ("S", "S"): self.AA,
        }

    def valued(self, f: Nodewise, square: Nodewise) -> Blocks:
        """Return the blocks for the derivative of a row by a weight of its value."""
        E, beta, values = self.E, self.gates.beta, self.view.rows
        return {
            ("s", "1"): _column(E.first(beta * f)),
            ("s", "s"): self.A,
            ("S", "1"): values * _column(E.second(beta**2 * square)),
            ("S", "s"): values * self.both @ E.cross(self.gates.A, (beta * f)[:, None]),
            ("S", "S"): self.AA,
        }


def _column(values: Float[np.ndarray, "..."]) -> Matrix:
    return values.reshape(-1, 1)


def _systems(
    step: _Step, by: Parameter, z: Float[np.ndarray, "nodes q"]
) -> Iterator[Blocks]:
    """Yield the blocks for each direction of the parameter."""
    gates, one = step.gates, step.one
    if by == "state":
        yield step.state()
        return
    if by == "W_v":
        for f in z.T:
            yield step.valued(f, f**2)
        yield step.valued(0 * one, step.view.rest * one)
        return
    c, slope = {
        "W_beta": ((0 * one, -gates.alpha * gates.slope), gates.slope),
        "W_a": ((gates.by_step, -gates.by_step * gates.beta), 0 * one),
        "bias": ((gates.by_step, -gates.by_step * gates.beta), 0 * one),
        "A_log": ((gates.by_rate, -gates.by_rate * gates.beta), 0 * one),
    }[by]
    if by in ("bias", "A_log"):
        yield step.moved(c, slope, one)
        return
    for f in z.T:
        yield step.moved(c, slope, f)
    yield step.elsewhere(c, slope)


def _trace(
    blocks: Blocks,
    lost: dict[str, Matrix],
    keys: int,
    steps: int | None,
    average: bool,
) -> float:
    """Return the trace of the last second moment; ``_settled`` explains the arguments."""
    last = list(_settled(blocks, lost, steps, average).values())[-1]
    return float(np.trace(last.reshape(keys, keys)))


def _settled(
    blocks: Blocks, lost: dict[str, Matrix], steps: int | None, average: bool
) -> dict[str, Float[np.ndarray, " _entries"]]:
    """Return means and second moments by name, after some steps or in the limit.

    Args:
        blocks: Blocks of a step's matrix.
        lost: Matrices ``1 - A`` and ``1 - (X -> A X A)``, for the limit.
        steps: As in ``delta_moments``.
        average: As in ``delta_moments``.
    """
    sizes = {"1": 1, **{to: len(block) for (to, _), block in blocks.items()}}
    names = list(sizes)
    empty = {(to, by): np.zeros((sizes[to], sizes[by])) for to in names for by in names}
    whole = np.block([[{**empty, **blocks}[to, by] for by in names] for to in names])
    if steps is None:
        known: dict[str, Any] = {}
        for name in names[1:]:
            added = blocks[name, "1"][:, 0] + sum(
                blocks[name, by] @ known[by] for by in known if (name, by) in blocks
            )
            below = lost["AA" if name in "MPS" else "A"]
            rows = added.reshape(-1, len(below))
            known[name] = np.linalg.solve(below, rows.T).T.ravel()
        return known
    whole[0, 0] = 1
    if average:
        summed = np.block([[whole, np.zeros_like(whole)], [whole, np.eye(len(whole))]])
        last = np.linalg.matrix_power(summed, steps)[len(whole) + 1 :, 0] / steps
    else:
        last = np.linalg.matrix_power(whole, steps)[1:, 0]
    ends = np.cumsum([sizes[name] for name in names[1:]])
    return dict(zip(names[1:], np.split(last, ends[:-1]), strict=True))


def _require_limit(lost: dict[str, Matrix]) -> None:
    """Raise an error if the second moment has no stationary limit.

    Raises:
        ValueError: If an eigenvalue of ``X -> E[A X A]`` is one or more.
    """
    require_finite(1 - np.linalg.eigvals(lost["AA"]).real.min(keepdims=True))


def _rules(nodes: Any, law: Law | None) -> tuple[Any, ...]:
    """Return the weights of the nodes, and for Gaussian inputs also the coarse weights."""
    return (nodes.weights,) if law is not None else (nodes.weights, nodes.coarse)


def _with_error(values: list[float]) -> tuple[float, float]:
    """Return the fine value of a moment, and a bound from its distance to the coarse one."""
    fine, coarse = values[0], values[-1]
    return fine, abs(fine - coarse) + ROUNDED * abs(fine)


def delta_moments(
    head: Head,
    names: tuple[Parameter, ...],
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
) -> dict[str, tuple[float, float]]:
    """Return ``E|S|^2`` of a head's state, and ``E|dS/dtheta|^2`` of its parameters.

    Args:
        head: Head of the delta rule.
        names: Names of the wanted moments: ``state``, ``W_v``, ``W_beta``, and for a head
            with a decay ``W_a``, ``bias`` and ``A_log``.
        scale: Standard deviation of the inputs, which are Gaussian and independent of
            each other and in time.
        law: Distribution of the input vector with few values, instead of a Gaussian.
        steps: Number of steps since the zero state.  Default: the stationary limit.
        average: True for the mean over these steps instead of the moment after the last.

    Returns:
        The value and a bound on its error, by name.

    Raises:
        ValueError: If the limit is infinite; if there are fewer Gaussian inputs than
            gates and entries of a key; or if ``average`` is True without steps.
    """
    return mutated_delta_moments(
        None, head, names, scale=scale, law=law, steps=steps, average=average
    )


def mutated_delta_moments(
    change: Callable[[Gates], Gates] | None,
    head: Head,
    names: tuple[Parameter, ...],
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    average: bool = False,
) -> dict[str, tuple[float, float]]:
    """Return ``delta_moments`` for changed gates, for mutation testing.

    Args:
        change: Function that makes the gates wrong.  None keeps them right.
        head: As in ``delta_moments``.
        names: As in ``delta_moments``.
        scale: As in ``delta_moments``.
        law: As in ``delta_moments``.
        steps: As in ``delta_moments``.
        average: As in ``delta_moments``.
    """
    if average and not steps:
        raise ValueError(f"need steps >= 1 to average over, got {steps=}")
    size = scale if law is None else 1.0
    view, nodes = nodes_of(head.scaled(size), law)
    gates, keys = gates_at(head, view, nodes.z), len(head.W_k)
    if change is not None:
        gates = change(gates)
        gates = gates._replace(lost=1 - gates.alpha)
    results = []
    for weights in _rules(nodes, law):
        step = _Step(Products(nodes.x, weights), gates, view)
        if steps is None:
            _require_limit(step.lost)
        results.append(
            {
                by: (size**2 if by in WEIGHTS else 1.0)
                * sum(
                    _trace(one, step.lost, keys, steps, average)
                    for one in _systems(step, by, nodes.z)
                )
                for by in names
            }
        )
    return {by: _with_error([float(found[by]) for found in results]) for by in names}


def delta_lagged(
    head: Head,
    lag: int,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> tuple[float, float]:
    """Return ``E tr(S_t S_{t+lag}^T)`` of a head's state.

    Later steps are independent of ``S_t``.  A step therefore changes the sum over rows
    ``X = E h_{t+n} h_t^T`` to ``E A X + E[beta v k] E h_t^T``.

    Args:
        head: Head of the delta rule.
        lag: Number of steps between the two states, zero or more.
        scale: As in ``delta_moments``.
        law: As in ``delta_moments``.
        steps: Number ``t`` of steps since the zero state.  Default: the stationary limit.

    Returns:
        The value and a bound on its error.

    Raises:
        ValueError: If ``delta_moments`` raises it, or ``lag`` is negative.
    """
    lag = require_count("lag", lag, least=0)
    view, nodes = nodes_of(head.scaled(scale if law is None else 1.0), law)
    gates, keys, values = gates_at(head, view, nodes.z), len(head.W_k), []
    for weights in _rules(nodes, law):
        step = _Step(Products(nodes.x, weights), gates, view)
        if steps is None:
            _require_limit(step.lost)
        moments = _settled(step.state(), step.lost, steps, False)
        mean, X = moments["m"].reshape(-1, keys), moments["M"].reshape(keys, keys)
        added = step.E.first(step.b).reshape(-1, keys).T @ mean
        for _ in range(lag):
            X = step.A @ X + added
        values.append(float(np.trace(X)))
    return _with_error(values)


def delta_outputs(
    head: Head, W_q: Matrix, law: Law, steps: int | None = None
) -> dict[str, tuple[float, float]]:
    """Return ``E|y|^2`` of the output ``y = S q/sqrt(keys)``, and its derivative's moment.

    The query ``q`` is ``W_q u``, normalised as a key.

    Args:
        head: Head of the delta rule.
        W_q: Weights of the query, a row per entry of the query.
        law: Distribution of the input vector with few values.
        steps: Number of steps since the zero state, including the step of the output.
            Default: the stationary limit.

    Returns:
        Pairs of a value and a bound on its error.  ``output`` has ``E|y|^2``, and ``W_q``
        has the second moment of the derivative of ``v . y`` by ``W_q`` for an error ``v``
        of unit covariance.

    Raises:
        ValueError: If ``delta_moments`` raises it.
    """
    if steps == 0:
        return {"output": (0.0, 0.0), "W_q": (0.0, 0.0)}
    view, nodes = nodes_of(head, law)
    gates, keys = gates_at(head, view, nodes.z), len(head.W_k)
    step = _Step(Products(nodes.x, nodes.weights), gates, view)
    if steps is None:
        _require_limit(step.lost)
    before = None if steps is None else steps - 1
    moments = _settled(step.state(), step.lost, before, False)
    m, M = moments["m"].reshape(-1, keys), moments["M"].reshape(keys, keys)
    k = nodes.x / np.sqrt((nodes.x**2).sum(1, keepdims=True) + head.tiny)
    kk = k[:, :, None] * k[:, None]
    kept = gates.alpha[:, None, None] * (np.eye(keys) - gates.beta[:, None, None] * kk)
    crossed = np.einsum("nij,vj,nv,nk->nik", kept, m, step.b, k)
    after = kept @ M @ kept + crossed + np.swapaxes(crossed, 1, 2)
    after = after + (gates.beta**2 * gates.square)[:, None, None] * kk  # E S^T S
    x = law.values @ W_q.T
    length = (x**2).sum(1) + head.tiny
    read = np.einsum("ni,nij,nj->n", x, after, x) / length
    shrunk = 2 - (x**2).sum(1) / length
    moved = (np.trace(after, axis1=1, axis2=2) - shrunk * read) / length
    seen = (law.values**2).sum(1)
    p = law.probabilities / keys
    values = {"output": float(p @ read), "W_q": float(p @ (seen * moved))}
    return {name: (value, ROUNDED * value) for name, value in values.items()}


TOGETHER = 2**15  # nodes whose matrices are in memory at the same time
Graded = dict[int, Float[np.ndarray, "nodes ..."]]


class _Keyed:
    """Terms of a step and its derivative by ``W_k``, by their number of inverse lengths.

    The derivative of a key by row ``a`` of its weights along the input ``f`` is
    ``k' = f (e_a - k_a k)/|x|``.  The derivatives of a step are then
    ``c = -alpha beta (k' k^T + k k'^T)`` and ``d = beta k'`` times the value.
    """

    def __init__(self, x: Float[np.ndarray, "nodes keys"], gates: Gates, a: int):
        size = x.shape[1]
        eye, one = np.eye(size), np.eye(size)[a]
        pairs = x[:, :, None] * x[:, None]
        beside = one[:, None] * x[:, None] + x[:, :, None] * one
        erased = (gates.alpha * gates.beta)[:, None, None]
        self.A = {0: gates.alpha[:, None, None] * eye, 2: -erased * pairs}
        self.c = {2: -erased * beside, 4: 2 * erased * x[:, a, None, None] * pairs}
        beta = gates.beta[:, None]
        self.d = {1: beta * one, 3: -beta * x[:, a, None] * x}
        self.b = {1: beta * x}


class _Means:
    """Expectations of products of terms that are sorted by their number of inverse lengths."""

    def __init__(self, weights: dict[int, Nodewise]) -> None:
        self.weights = weights

    def one(self, X: Graded, f: Nodewise) -> Float[np.ndarray, "..."]:
        """Return ``E f X``."""
        parts = [np.tensordot(self.weights[p] * f, term, 1) for p, term in X.items()]
        return np.sum(parts, axis=0)

    def two(self, X: Graded, Y: Graded, f: Nodewise) -> Float[np.ndarray, "..."]:
        """Return ``E f X Y``, with the entries of ``X`` first."""
        total: Any = 0.0
        for p, left in X.items():
            for q, right in Y.items():
                w = self.weights[p + q] * f
                flat = left.reshape(len(w), -1).T * w
                product = flat @ right.reshape(len(w), -1)
                total = total + product.reshape(*left.shape[1:], *right.shape[1:])
        return total

    def sandwich(self, X: Graded, Y: Graded, f: Nodewise) -> Matrix:
        """Return ``Z -> E[f X Z Y^T]`` as a matrix on the entries of ``Z``."""
        found = np.swapaxes(self.two(X, Y, f), 1, 2)
        return found.reshape(len(found) ** 2, -1)

    def cross(
        self, X: Graded, y: Graded, phi: Float[np.ndarray, "nodes values"]
    ) -> Matrix:
        """Return ``m -> sum_i E[phi_i X m_i y^T]`` as a matrix on the entries of ``m``."""
        found = np.stack([self.two(X, y, one) for one in phi.T])  # i a c b
        size = found.shape[1]
        return np.einsum("iacb->abic", found).reshape(size**2, -1)


def _keyed_blocks(
    step: "_Step", x: Float[np.ndarray, "nodes keys"], z: Float[np.ndarray, "nodes q"]
) -> list[Blocks]:
    """Return the blocks of a step's matrix for every direction of ``W_k``."""
    E, gates, view, one = _Means(step.E.weights), step.gates, step.view, step.one
    v, both, turned, systems = gates.v, step.both, step.turned, []
    for a in range(x.shape[1]):
        k = _Keyed(x, gates, a)
        for f in z.T:
            fv = f[:, None] * v
            crossed = E.cross(k.A, k.d, fv)
            systems.append(
                {
                    **step.resting,
                    ("s", "1"): _column(np.stack([E.one(k.d, row) for row in fv.T])),
                    ("s", "m"): step._rows(E.one(k.c, f)),
                    ("s", "s"): step._rows(step.A),
                    ("P", "1"): _column(E.two(k.d, k.b, f * gates.square)),
                    ("P", "m"): E.cross(k.c, k.b, fv) + turned @ crossed,
                    ("P", "M"): E.sandwich(k.c, k.A, f),
                    ("P", "s"): step.Ab,
                    ("P", "P"): step.AA,
                    ("S", "1"): _column(E.two(k.d, k.d, f**2 * gates.square)),
                    ("S", "m"): both @ E.cross(k.c, k.d, f[:, None] * fv),
                    ("S", "M"): E.sandwich(k.c, k.c, f**2),
                    ("S", "s"): both @ crossed,
                    ("S", "P"): both @ E.sandwich(k.A, k.c, f),
                    ("S", "S"): step.AA,
                }
            )
        seen = view.rest * gates.square + 2 * view.unseen
        systems.append(
            {  # as in ``_Step.elsewhere``
                **step.resting,
                ("s", "1"): _column(E.one(k.d, one)),
                ("s", "s"): step.A,
                ("S", "1"): _column(E.two(k.d, k.d, seen)),
                ("S", "m"): view.rest * both @ E.cross(k.c, k.d, v),
                ("S", "M"): view.rest * E.sandwich(k.c, k.c, one),
                ("S", "s"): view.unseen * both @ E.cross(k.A, k.d, one[:, None]),
                ("S", "S"): step.AA,
            }
        )
    return systems


def key_gradient(
    head: Head,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> tuple[float, float]:
    """Return ``E|dS_t/dW_k|^2`` of a head, summed over the entries of ``W_k``.

    The derivative of a normalised key by its weights is of order ``1/|x|``.  For keys with
    two entries, the moment therefore grows as ``log(1/tiny)``, where ``tiny`` is the constant
    added to the squared length.  Simulations converge slowly, because few samples
    contribute most of the mean.

    Args:
        head: Head of the delta rule.
        scale: As in ``delta_moments``.
        law: As in ``delta_moments``.
        steps: As in ``delta_moments``.

    Returns:
        The value and a bound on its error.

    Raises:
        ValueError: If ``delta_moments`` raises it, or if keys have so many entries that
            the rule would have more than 8 388 608 nodes.

    Source: ``sigprop.theory.delta_moments``.
    """
    size = scale if law is None else 1.0
    view, nodes = steep_nodes_of(head.scaled(size), law)
    keys, values = len(head.W_k), []
    for weights in _rules(nodes, law):
        systems: list[Blocks] = []
        lost: dict[str, Matrix] = {}
        used = np.flatnonzero(np.any([row != 0 for row in weights.values()], axis=0))
        for start in range(0, len(used), TOGETHER):
            here = used[start : start + TOGETHER]
            some = {p: row[here] for p, row in weights.items()}
            x, z = nodes.x[here], nodes.z[here]
            step = _Step(Products(x, some), gates_at(head.scaled(size), view, z), view)
            systems = _added(systems, _keyed_blocks(step, x, z))
            (lost,) = _added([lost] if lost else [], [step.lost])
        if steps is None:
            _require_limit(lost)
        traces = [_trace(one, lost, keys, steps, False) for one in systems]
        values.append(size**2 * math.fsum(traces))
    return _with_error(values)


def _added(totals: list[Any], more: list[Any]) -> list[Any]:
    """Add two lists of dictionaries of matrices, entry by entry."""
    if not totals:
        return more
    return [
        {name: matrix + other[name] for name, matrix in one.items()}
        for one, other in zip(totals, more, strict=True)
    ]
