"""Second moments of outputs with queries, and of their derivatives by the readout.

An output is ``y_o = sum_n S_on q_n h_n + D_o u``.  ``S`` and ``D`` are constant, and the query
``q_n`` is linear in the input of the same step, as in linear attention.  The square of an
output is a sum over pairs of neurons.  Their states are not independent, because both read
the same inputs.  The product ``C = E h h'`` of a pair obeys
``C <- E[a a'] C + E[a b'] E h + E[b a'] E h' + E[b b']``.  The derivative of an output by
the weights of a query is the input times the state.

Expectations are sums over nodes in the span of the weights of a pair.  A Gaussian input needs
many nodes for each pair.  This module is therefore for small layers, or for inputs with few
values.

Source: ``sigprop.theory.gated_moments.pair_limit``.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.gated import ROUNDED, coefficients_and_lost
from sigprop.neuron.neurons import Neurons, Part, Readout
from sigprop.neuron.quadrature import STRAIGHT, Law, Nodes, gaussian_nodes, tilted
from sigprop.neuron.random_coefficients import require_finite

SAME = 1e-9  # relative rounding error of the part of a row outside a span
MOST = 2**28  # largest number of nodes over all pairs


class _Seen(NamedTuple):
    """Coefficients, queries and squares of the input of a pair of neurons, at nodes."""

    a: Float[np.ndarray, "2 nodes"]
    b: Float[np.ndarray, "2 nodes"]
    lost: Float[np.ndarray, "2 nodes"]
    q: Float[np.ndarray, "2 nodes"]
    square: Float[np.ndarray, " nodes"]


def _span(
    rows: Float[np.ndarray, "rows d_in"], first: int
) -> tuple[Float[np.ndarray, "d_in q"], int]:
    """Return an orthonormal basis of rows, and the number of vectors for the first rows."""
    basis: list[np.ndarray] = []
    leading = 0
    for place, row in enumerate(rows):
        rest = row - sum(((row @ one) * one for one in basis), np.zeros_like(row))
        rest = rest - sum(((rest @ one) * one for one in basis), np.zeros_like(row))
        if np.linalg.norm(rest) > SAME * np.linalg.norm(row):
            basis.append(rest / np.linalg.norm(rest))
        if place + 1 == first:
            leading = len(basis)
    return np.stack(basis, 1) if basis else np.zeros((rows.shape[1], 0)), leading


def _pair_nodes(
    neurons: Neurons,
    rows: Float[np.ndarray, "rows d_in"],
    scale: float,
    law: Law | None,
) -> tuple[Nodes, Float[np.ndarray, "d_in q"]]:
    """Return nodes of inputs in the span of a pair's projections and further rows."""
    if law is not None:
        return law.nodes(), np.eye(law.values.shape[1])
    bent = len(neurons.gate.nonlinear)
    nonlinear = neurons.weights[:, :bent].reshape(-1, rows.shape[1])
    linear = neurons.weights[:, bent:].reshape(-1, rows.shape[1])
    basis, leading = _span(np.concatenate([nonlinear, linear, rows]), len(nonlinear))
    spreads = scale * np.abs(nonlinear @ basis[:, :leading])
    offsets = np.broadcast_to(
        np.abs(neurons.offsets[:, :bent].reshape(-1, 1)), spreads.shape
    )
    points = max(STRAIGHT, len(neurons.gate.linear) + 2)
    spread = float(spreads.max(initial=0.0))
    straight = basis.shape[1] - leading
    tilt = tilted(spreads, offsets, 2.0 if neurons.gate.exponential else 0.0)
    return gaussian_nodes(leading, straight, spread, 1.0, tilt, points), scale * basis


def _seen(
    pair: Neurons,
    read: Readout,
    indices: list[int],
    scale: float,
    law: Law | None,
) -> tuple[_Seen, Nodes]:
    """Evaluate a pair of neurons at the nodes of the input."""
    rows = read.rows[indices]
    nodes, basis = _pair_nodes(pair, rows, scale, law)
    u = nodes.z @ basis.T
    a, b, lost = coefficients_and_lost(pair, pair.weights @ u.T, None)
    outside = 0.0 if law is not None else scale**2 * (u.shape[1] - basis.shape[1])
    q = rows @ u.T + read.offsets[indices][:, None]
    return _Seen(a, b, lost, q, (u**2).sum(1) + outside), nodes


def _before(
    seen: _Seen, w: Float[np.ndarray, " nodes"], steps: int | None
) -> tuple[Float[np.ndarray, "2"], float]:
    """Return the means of both states and of their product before the last step."""
    (a, a2), (b, b2) = seen.a, seen.b
    means = np.array([a @ w, a2 @ w]), np.array([b @ w, b2 @ w])
    both, crossed = (a * a2) @ w, np.array([(a * b2) @ w, (b * a2) @ w])
    added = (b * b2) @ w
    if steps is None:
        left = seen.lost[0] + seen.lost[1] * seen.a[0]  # 1 - a a'
        require_finite(np.array([(a**2) @ w, (a2**2) @ w]), seen.a, w)
        first = means[1] / (seen.lost @ w)
        return first, float((crossed @ first + added) / (left @ w))
    if steps == 0:
        return np.zeros(2), 0.0
    step = np.array(
        [
            [1.0, 0.0, 0.0, 0.0],
            [means[1][0], means[0][0], 0.0, 0.0],
            [means[1][1], 0.0, means[0][1], 0.0],
            [added, *crossed, both],
        ]
    )
    last = np.linalg.matrix_power(step, steps - 1)[:, 0]
    return last[1:3], float(last[3])


def _product(seen: _Seen, first: Any, both: float) -> Float[np.ndarray, " nodes"]:
    """Return ``E[h h']`` after the last step, conditional on its input."""
    (a, a2), (b, b2) = seen.a, seen.b
    return a * a2 * both + a * b2 * first[0] + b * a2 * first[1] + b * b2


def _pairs(
    gram: Float[np.ndarray, "neurons neurons"],
) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of neurons with a common output, and their factor in ``E|y|^2``."""
    for n, m in itertools.combinations_with_replacement(range(len(gram)), 2):
        if n == m or gram[n, m] != 0:
            yield n, m, float(gram[n, m] * (1 if n == m else 2))


def output_moments(
    part: Part, *, scale: float = 1.0, law: Law | None = None, steps: int | None = None
) -> dict[str, tuple[float, float]]:
    """Return ``E|y|^2``, and second moments of derivatives by parameters of the readout.

    Args:
        part: Part with a readout.
        scale: As in ``sigprop.neuron.gated.gated_state_moment``.
        law: As in ``sigprop.neuron.gated.gated_state_moment``.
        steps: Number of steps since the zero state, including the step of the output.
            Default: the stationary limit.

    Returns:
        Pairs of a value and a bound on its error.  The key ``output`` has ``E|y|^2``.
        Each parameter in the readout's ``moved`` has ``E|d(v . y)/dtheta|^2`` for an
        error ``v`` of unit covariance.

    Raises:
        ValueError: If the part has no readout; if the gate has kinks and the input is
            Gaussian; if the limit is infinite; or if the sums would have more than
            268 435 456 nodes.
    """
    read, neurons = part.readout, part.neurons.nonlinear_first()
    if read is None:
        raise ValueError("need a part with a readout, got none; pass one to describe")
    if not neurons.gate.smooth and law is None:
        raise ValueError(
            "need a gate without kinks for outputs under Gaussian inputs, got a = "
            f"{neurons.gate.a}; pass a law"
        )
    skipped = float((read.skip**2).sum())
    if law is None:
        skipped = skipped * scale**2
    else:
        seen = law.values @ read.skip.T
        skipped = float((seen**2).sum(1) @ law.probabilities)
    totals = dict.fromkeys(("output", *read.moved), (0.0, 0.0))
    if steps == 0:
        return totals
    totals["output"] = skipped, ROUNDED * skipped
    inputs = scale**2 * read.skip.shape[1]
    if law is not None:
        inputs = float((law.values**2).sum(1) @ law.probabilities)
    for name, (what, factor) in read.moved.items():
        if what == "skip":
            totals[name] = factor * inputs, ROUNDED * factor * inputs
    gram = read.mixing.T @ read.mixing
    count, pairs = 0, list(_pairs(gram))

    def add(name: str, fine: float, coarse: float, size: float) -> None:
        value, error = totals[name]
        moved = abs(fine - coarse) + ROUNDED * size
        totals[name] = value + fine, error + moved

    for n, m, factor in pairs:
        pair = neurons.some([n, m])
        seen, nodes = _seen(pair, read, [n, m], scale, law)
        count += len(nodes.weights)
        if count == len(nodes.weights) and len(pairs) * count > MOST:
            raise ValueError(
                f"need at most {MOST} nodes for E|y|^2, got {len(pairs)} pairs of neurons "
                f"of about {count} nodes; pass a law of few values, or measure"
            )
        results = []
        for w in (nodes.weights, nodes.coarse):
            first, both = _before(seen, w, steps)
            product = _product(seen, first, both)
            value = factor * float((seen.q[0] * seen.q[1] * product) @ w)
            size = factor * float(np.abs(seen.q[0] * seen.q[1] * product) @ w)
            moved = {
                "rows": gram[n, n] * float((seen.square * product) @ w),
                "mixing": float(product @ w),
            }
            results.append((value, moved, size))
        (fine, moved, size), (coarse, moved_coarse, _) = results
        add("output", fine, coarse, size)
        for name, (what, by) in read.moved.items():
            if n == m and what != "skip":
                here = by * moved[what]
                add(name, here, by * moved_coarse[what], here)
    if read.skip.any():
        _add_skips(neurons, read, scale, law, steps, add)
    return totals


def _add_skips(
    neurons: Neurons, read: Readout, scale: float, law: Law | None, steps: Any, add: Any
) -> None:
    """Add twice the mean product of the readout and the skip connection."""
    for n in range(len(neurons.weights)):
        row = read.mixing[:, n] @ read.skip
        if not row.any():
            continue
        both = Readout(
            np.ones((1, 2)),
            np.stack([read.rows[n], row]),
            np.array([read.offsets[n], 0.0]),
            np.zeros((1, len(row))),
            {},
        )
        seen, nodes = _seen(neurons.some([n, n]), both, [0, 1], scale, law)
        results = []
        for w in (nodes.weights, nodes.coarse):
            (mean, _), _ = _before(seen, w, steps)
            product = 2 * seen.q[0] * seen.q[1] * (seen.a[0] * mean + seen.b[0])
            results.append((float(product @ w), float(np.abs(product) @ w)))
        add("output", results[0][0], results[1][0], results[0][1])
