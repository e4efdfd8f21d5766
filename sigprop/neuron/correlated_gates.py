"""Second moments of neurons whose gates read inputs that are correlated in time.

Each coordinate of the input is a sum of AR(1) processes, so that the inputs are a Markov
chain.  Its grid is refined until a moment converges.  A Gauss-Hermite rule with ``n`` nodes
has an error of about ``exp(-2 d sqrt(n))``, where ``d`` is the distance of the integrand's
poles to the real line.  For a gate, ``d`` is ``pi`` divided by the standard deviation of its
argument.  The error bound uses half of this rate and the largest factor over all
refinements.  It also contains a bound on rounding.

Source: ``sigprop.theory.correlated_gates``.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, White
from sigprop.neuron.chains import Chain, Grid, Recursion, hermite_axis, law_axis
from sigprop.neuron.gated import ROUNDED, Moment, coefficients_and_lost
from sigprop.neuron.neurons import Directions, Neurons
from sigprop.neuron.quadrature import Law
from sigprop.theory.gates import Gate

Term = tuple[float, float]  # variance and correlation of an AR(1) series
LADDER = {1: (16, 25, 36, 55, 82), 2: (12, 19, 28, 41), 3: (6, 8, 10)}
# nodes per axis on which gates are nonlinear, by the number of such axes
LARGEST = 1000  # largest number of unknowns of a linear system
SETTLED = 1e-9
RESOLVED = 1.2  # product of rate and root below which nodes do not resolve a gate
TINIEST = 1e-6  # spread below which a gate is effectively linear
MOST = 2**22  # largest number of nodes of a chain
TOGETHER = 2**18  # nodes up to which sensitivities share a computation


def terms_of(process: GaussianProcess) -> tuple[Term, ...]:
    """Return variance and correlation of the AR(1) processes whose sum is a process.

    Raises:
        ValueError: If the process is not ``White``, ``Constant``, ``AR1`` or ``Mixed``.

    Example:
        >>> terms_of(Mixed(0.5, 2.0, 0.9))
        ((0.5, 0.0), (2.0, 0.9))
    """
    match process:
        case White(variance=variance):
            return ((variance, 0.0),)
        case Constant(variance=variance):
            return ((variance, 1.0),)
        case AR1(rho=rho, variance=variance):
            return ((variance, rho),)
        case Mixed(a=a, b=b, rho=rho):
            return ((a, 0.0), (b, rho))
    raise ValueError(
        "need White, Constant, AR1 or Mixed inputs, sums of AR(1) series, got "
        f"{type(process).__name__}; leave the process out for the moments as if inputs "
        "were independent"
    )


class _Scope(NamedTuple):
    """Arguments of ``correlated_moment`` that all neurons share."""

    by: str | None
    terms: tuple[Term, ...]
    directions: Directions
    law: Law | None
    steps: int | None
    change: Callable[[list[Grid]], list[Grid]] | None
    settled: float


def _projected(
    neurons: Neurons, terms: Sequence[Term], bent_nodes: int
) -> tuple[Chain, Grid, list[Grid]]:
    """Return the chain of one neuron's Gaussian inputs, its projections, and coordinates.

    If the inputs have more dimensions than the projections span, the last coordinate is
    outside of the span.
    """
    gate, (row,) = neurons.gate, neurons.weights
    basis, upper = np.linalg.qr(row.T)
    size, bent = basis.shape[1], min(len(gate.nonlinear), basis.shape[1])
    straight = range(len(gate.projections) - bent, 0, -1)
    degrees = [bent_nodes] * bent + [2 * (degree + 1) + 1 for degree in straight]
    counts = degrees[:size] + [3] * (len(row.T) > size)
    axes = [hermite_axis(n, rho) for n in counts for _, rho in terms]
    chain = Chain(tuple(axes), len(terms) * _led(neurons.gate, bent))
    if math.prod(chain.shape) > MOST:
        raise ValueError(
            f"need at most {MOST} nodes, got {math.prod(chain.shape)} for "
            f"{len(terms)} terms of the autocovariance; take fewer terms, or none for the "
            "moments as if inputs were independent"
        )
    grids = np.meshgrid(*(axis.z for axis in axes), indexing="ij", sparse=True)
    spreads = [math.sqrt(variance) for variance, _ in terms]
    coordinates = []
    for start in range(0, len(axes), len(terms)):
        pairs = zip(spreads, grids[start : start + len(terms)], strict=True)
        coordinates.append(sum((size * z for size, z in pairs), np.zeros(())))
    inside = np.stack([np.broadcast_to(z, chain.shape) for z in coordinates[:size]])
    at = np.tensordot(upper.T, inside, (1, 0)).reshape(1, len(row), -1)
    return chain, at, coordinates


def _led(gate: Gate, bent: int) -> int:
    """Count the nonlinear projections up to the last that ``a`` depends on; at least one."""
    depends = [gate.a.has(symbol) for symbol in gate.nonlinear]
    last = max((place + 1 for place, one in enumerate(depends) if one), default=1)
    return max(1, min(bent, last))


def _seen(
    one: Neurons, scope: _Scope, coordinates: list[Grid]
) -> list[tuple[float, Grid]]:
    """Return groups of equivalent directions: their number, and their values at the nodes."""
    if scope.directions is None:
        return [(1.0, np.ones(()))]
    (row,) = one.weights
    basis = np.linalg.qr(row.T)[0]
    size, width = basis.shape[1], row.shape[1]
    if isinstance(scope.directions, str):
        copies = [1.0] * size + [float(width - size)] * (width > size)
        return list(zip(copies, coordinates, strict=True))
    seen = []
    for direction in scope.directions:
        inside = direction @ basis
        outside = math.sqrt(max(float(direction @ direction - inside @ inside), 0.0))
        weights = [*inside, outside][: len(coordinates)]
        pairs = zip(weights, coordinates, strict=True)
        seen.append((1.0, sum((w * z for w, z in pairs), np.zeros(()))))
    return seen


def correlated_moment(
    neurons: Neurons,
    by: str | None = None,
    *,
    terms: Sequence[Term],
    directions: Directions = None,
    law: Law | None = None,
    steps: int | None = None,
    settled: float = SETTLED,
) -> Moment:
    """Return ``E h^2`` or ``E (dh/dtheta)^2`` of each neuron for correlated inputs.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        by: None for the state.  Otherwise as in
            ``sigprop.neuron.gated.gated_sensitivity_moment``.
        terms: Variance and correlation of AR(1) processes.  Each input channel is their
            sum, independent of the other channels.
        directions: As in ``sigprop.neuron.gated.gated_sensitivity_moment``.
        law: Distribution of the input vector with few values, instead of a Gaussian.
            ``terms`` must then be one term of variance one.  Its correlation is the
            probability that the input keeps its value.
        steps: Number of steps since the zero state.  Default: the stationary limit.
        settled: Relative error at which the refinement of the grid stops.

    Raises:
        ValueError: If the limit is infinite; if there are too many terms, or a variance
            or correlation is out of range; or if the gate has kinks or jumps and the
            input is Gaussian.

    Source: ``sigprop.theory.correlated_gates``.
    """
    return mutated_correlated_moment(
        None,
        neurons,
        by,
        terms=terms,
        directions=directions,
        law=law,
        steps=steps,
        settled=settled,
    )


def mutated_correlated_moment(
    change: Callable[[list[Grid]], list[Grid]] | None,
    neurons: Neurons,
    by: str | None = None,
    *,
    terms: Sequence[Term],
    directions: Directions = None,
    law: Law | None = None,
    steps: int | None = None,
    settled: float = SETTLED,
) -> Moment:
    """Return ``correlated_moment`` with changed coefficients, for mutation testing.

    Args:
        change: Function that makes the coefficients wrong.  None keeps them right.
        neurons: As in ``correlated_moment``.
        by: As in ``correlated_moment``.
        terms: As in ``correlated_moment``.
        directions: As in ``correlated_moment``.
        law: As in ``correlated_moment``.
        steps: As in ``correlated_moment``.
        settled: As in ``correlated_moment``.
    """
    require_terms(terms, law)
    neurons = neurons.nonlinear_first()
    if law is None and not neurons.gate.smooth:
        raise ValueError(
            "need a gate without kinks for Gaussian inputs that remember, got a = "
            f"{neurons.gate.a}; pass a law, or no terms for independent inputs"
        )
    scope = _Scope(by, tuple(terms), directions, law, steps, change, settled)
    found = []
    for place in range(len(neurons.weights)):
        found.append(_refined(neurons.some(slice(place, place + 1)), scope))
    value, error = np.array(found).reshape(-1, 2).T
    return Moment(value, error)


def _refined(one: Neurons, scope: _Scope) -> tuple[float, float]:
    """Return the moment of one neuron by refinement of the grid, and an error bound."""
    if scope.law is not None:
        axis = law_axis(scope.law, scope.terms[0][1])
        at = one.weights @ scope.law.values.T
        rows = np.eye(one.weights.shape[2])
        rows = rows if isinstance(scope.directions, str) else scope.directions
        seen = [np.ones(())] if rows is None else list(rows @ scope.law.values.T)
        chain, each = Chain((axis,), 1), [(1.0, z) for z in seen]
        value, size = (
            _summed(one, scope, chain, at, each, sizes) for sizes in (False, True)
        )
        return value, ROUNDED * size
    bent = len(scope.terms) * min(max(1, len(one.gate.nonlinear)), one.weights.shape[2])
    if bent not in LADDER:
        raise ValueError(
            f"need at most {max(LADDER)} series that a gate bends, got {bent}; take fewer "
            "terms, or none for the moments as if inputs were independent"
        )
    value, values, error, size = math.inf, [], math.inf, 0.0
    for nodes in LADDER[bent]:
        led = _led(one.gate, bent // len(scope.terms)) * len(scope.terms)
        if scope.steps is None and nodes**led > LARGEST:
            break
        chain, at, coordinates = _projected(one, scope.terms, nodes)
        seen = _seen(one, scope, coordinates)
        value, size = (
            _summed(one, scope, chain, at, seen, sizes) for sizes in (False, True)
        )
        values.append(value)
        error = _left(values, LADDER[bent], _spread(one, scope.terms))
        if error <= scope.settled * abs(value):
            break
    return value, error + ROUNDED * size


def _spread(one: Neurons, terms: Sequence[Term]) -> float:
    """Return the largest standard deviation that one series gives a gate's argument."""
    bent = one.weights[0, : len(one.gate.nonlinear)]
    largest = np.linalg.norm(bent, axis=1).max(initial=0.0)
    return float(largest) * math.sqrt(max(variance for variance, _ in terms))


def _left(values: Sequence[float], nodes: Sequence[int], spread: float) -> float:
    """Return a bound on the error of the last value, from all refinements.

    The bound is infinite if the nodes are so far apart that they may all miss the region
    in which a gate is open.  The change in a refinement is the error before minus the
    error after.  With the known ratio of the two errors, the change bounds both.
    """
    roots = np.sqrt(nodes[: len(values)])
    fading = math.pi / max(spread, TINIEST)
    if fading * roots[-1] < RESOLVED:
        return math.inf
    errors = [
        abs(after - before)
        / -math.expm1(-fading * (roots[place + 1] - roots[place]))
        * math.exp(-fading * (roots[-1] - roots[place]))
        for place, (before, after) in enumerate(itertools.pairwise(values))
    ]
    return max(errors, default=math.inf)


def _summed(
    one: Neurons,
    scope: _Scope,
    chain: Chain,
    at: Grid,
    seen: list[tuple[float, Grid]],
    sizes: bool = False,
) -> float:
    """Return the moment summed over all directions.

    With ``sizes``, every term is replaced by its absolute value, to bound rounding.
    """
    found = coefficients_and_lost(one, at, scope.by)
    *parts, lost = [part.reshape(chain.shape) for part in found]
    parts = parts if scope.change is None else scope.change(parts)
    lost = lost if scope.change is None else None
    if sizes:
        parts = [np.abs(part) for part in parts]
        seen = [(copies, np.abs(along)) for copies, along in seen]
    total, together = 0.0, max(1, TOGETHER // math.prod(chain.shape))
    for start in range(0, len(seen), together):
        copies, along = zip(*seen[start : start + together], strict=True)
        moved = [np.stack([part * one for one in along]) for part in parts[2:]]
        recursion = Recursion(chain, [*parts[:2], *moved], lost)
        steps = scope.steps
        value = recursion.limit() if steps is None else recursion.after(steps)
        total += float((np.array(copies) * value).sum())
    return total


def require_terms(terms: Sequence[Term], law: Law | None = None) -> None:
    """Raise an error if terms are not an autocovariance.

    Args:
        terms: Pairs of a variance and a correlation.
        law: Distribution of the input vector with few values, or None.

    Raises:
        ValueError: If a variance or a correlation is out of range; if all variances are
            zero; or, with a ``law``, unless there is one term of variance one.
    """
    right = terms and all(0 <= v < math.inf and -1 <= rho <= 1 for v, rho in terms)
    if not right or not sum(v for v, _ in terms) > 0:
        raise ValueError(
            "need terms (variance, correlation) of finite variances >= 0, not all 0, and "
            f"correlations from -1 to 1, got {tuple(terms)}"
        )
    if law is not None and (len(terms) != 1 or terms[0][0] != 1):
        raise ValueError(
            f"need one term of variance 1 beside a law, got {tuple(terms)}; its values "
            "have a size of their own"
        )
