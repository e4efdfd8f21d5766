"""Moments of recurrences whose coefficients are functions of a Markov chain.

The chain has independent coordinates.  Each coordinate has nodes and the modes of its
transition operator ``K``.  An AR(1) process has Gauss-Hermite nodes and Hermite polynomials
as modes.  For a distribution with few values, the nodes are these values.

A moment conditional on the input is one number per node.  Finite times are computed step by
step.  A stationary limit is one linear system for each mode of the coordinates on which the
factor ``a`` of the state does not depend.

Notation: axis  a coordinate;  weighted function  a function times the root of the node's
probability, so that modes are orthogonal;  leading axes  axes on which ``a`` depends.

Source: ``sigprop.theory.correlated_gates``.
"""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.neuron.quadrature import Law
from sigprop.numerics.compile import compile_expr
from sigprop.theory import correlated_gates as theory

Grid = Float[np.ndarray, "..."]
INVERTED = 2**17  # largest number of entries of systems that are inverted and cached


class Axis(NamedTuple):
    """One coordinate of a chain.

    Attributes:
        z: Values of the coordinate at the nodes.
        root: Square roots of the probabilities of the nodes.
        modes: Modes of the transition operator, a column per mode.
        kept: Eigenvalue of each mode.
    """

    z: Float[np.ndarray, "nodes *coordinates"]
    root: Float[np.ndarray, " nodes"]
    modes: Float[np.ndarray, "nodes nodes"]
    kept: Float[np.ndarray, " nodes"]

    @property
    def operator(self) -> Float[np.ndarray, "nodes nodes"]:
        """Matrix of the transition operator for functions weighted by ``root``."""
        return (self.modes * self.kept) @ self.modes.T


@functools.cache
def hermite_axis(count: int, rho: float) -> Axis:
    """Return the axis of an AR(1) process of unit variance, with Gauss-Hermite nodes.

    The axis is exact for polynomials of a degree below ``count``.

    Args:
        count: Number of nodes.
        rho: Correlation of successive steps.
    """
    z, w = np.polynomial.hermite_e.hermegauss(count)
    root = np.sqrt(w / w.sum())
    columns = [root, root * z]
    for n in range(2, count):
        grown = z * columns[-1] - math.sqrt(n - 1) * columns[-2]
        columns.append(grown / math.sqrt(n))
    return Axis(z, root, np.stack(columns[:count], 1), rho ** np.arange(count))


def law_axis(law: Law, rho: float) -> Axis:
    """Return the axis of inputs that keep their value with probability ``rho``.

    Otherwise the next value is an independent sample.

    Args:
        law: Distribution of the input vector.
        rho: Correlation of successive inputs.

    Raises:
        ValueError: If the probability that a value stays is outside [0, 1].
    """
    least = float(rho + (1 - rho) * law.probabilities.min())
    if not (least >= 0 and rho <= 1):
        raise ValueError(
            f"need a correlation of at most 1 under which each value stays with a "
            f"probability >= 0, got {rho=}, which leaves {least:.3g} to one"
        )
    root = np.sqrt(law.probabilities)
    modes = np.linalg.qr(np.column_stack([root, np.eye(len(root))]))[0]
    kept = np.where(np.arange(len(root)) == 0, 1.0, rho)
    return Axis(law.values, root, modes, kept)


class Chain(NamedTuple):
    """Markov chain on a grid of nodes.

    Attributes:
        axes: Coordinates of the chain.
        leading: Number of first axes on which the factor of the state depends.
    """

    axes: tuple[Axis, ...]
    leading: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of nodes of each axis."""
        return tuple(len(axis.root) for axis in self.axes)

    @property
    def root(self) -> Grid:
        """Square root of the probability of every node."""
        roots = [axis.root for axis in self.axes]
        return functools.reduce(np.multiply.outer, roots, np.ones(()))


def on_axis(matrix: Float[np.ndarray, "n n"], f: Grid, place: int) -> Grid:
    """Apply a matrix to a function along one axis of its grid."""
    after = math.prod(f.shape[place % f.ndim + 1 :])
    if after == 1:
        return (f.reshape(-1, len(matrix)) @ matrix.T).reshape(f.shape)
    return (matrix @ f.reshape(-1, len(matrix), after)).reshape(f.shape)


@functools.cache
def _forcing(order: tuple[int, int]) -> Callable[..., Any]:
    known = (*theory.LETTERS, *theory.BEFORE.values())
    return compile_expr(theory.forcing(order), *known, backend="numpy")


class Recursion:
    """Moments of ``h' = a h + b`` and ``s' = a s + c h + d``, conditional on the input.

    Args:
        chain: Markov chain of the inputs.
        parts: ``a`` and ``b`` at every node, and ``c`` and ``d`` for a sensitivity.  For
            several sensitivities, ``c`` and ``d`` have an extra first axis.
        lost: ``1 - a`` at every node, if it is known more accurately than by
            subtraction.
    """

    def __init__(
        self, chain: Chain, parts: Sequence[Grid], lost: Grid | None = None
    ) -> None:
        self.chain, self.root = chain, chain.root
        own = [np.broadcast_to(one, chain.shape) for one in parts[:2]]
        self.lost = 1 - own[0] if lost is None else np.broadcast_to(lost, chain.shape)
        self.shape = np.broadcast_shapes(chain.shape, *map(np.shape, parts[2:]))
        moved = [np.broadcast_to(one, self.shape) for one in parts[2:]]
        self.parts = [*own, *(moved or [np.zeros(chain.shape)] * 2)]
        self.orders = [o for o in theory.ORDERS if moved or o[1] == 0]
        self.operators = [axis.operator for axis in chain.axes]
        self._inverses: dict[int, Float[np.ndarray, "factors nodes nodes"]] = {}

    def image(self, f: Grid) -> Grid:
        """Return ``K f`` of a weighted function; several functions have extra first axes."""
        for place, operator in enumerate(self.operators, start=-len(self.operators)):
            f = on_axis(operator, f, place)
        return f

    def _added(
        self, order: tuple[int, int], before: dict[tuple[int, int], Grid]
    ) -> Grid:
        images = [before.get(o, 0.0) for o in theory.BEFORE]
        return _forcing(order)(*self.parts, *images)

    def after(self, steps: int) -> Float[np.ndarray, "*several"]:
        """Return ``E h^2``, or ``E s^2`` for a sensitivity, some steps after the zero state."""
        moments: Grid = np.zeros((len(self.orders), *self.shape))
        kept = [self.parts[0] ** sum(o) for o in self.orders]
        for _ in range(steps):
            images = self.image(moments)
            before = dict(zip(self.orders, images, strict=True)) | {(0, 0): self.root}
            for place, order in enumerate(self.orders):
                moments[place] = kept[place] * images[place] + self._added(
                    order, before
                )
        return self._mean(moments[-1])

    def limit(self) -> Float[np.ndarray, "*several"]:
        """Return the stationary ``E h^2``, or ``E s^2`` for a sensitivity.

        Raises:
            ValueError: If the moment is infinite; the message states which moments are
                finite.
        """
        self._require_finite()
        before, moment = {(0, 0): self.root}, self.root
        for order in self.orders:
            added = self._added(order, before)
            moment = self._solved(sum(order), added)
            before[order] = self.image(moment)
        return self._mean(moment)

    def _mean(self, moment: Grid) -> Float[np.ndarray, "*several"]:
        return np.tensordot(moment, self.root, len(self.chain.axes))

    def _leading(self, f: Grid) -> Float[np.ndarray, " nodes"]:
        """Return a function that depends only on the leading axes, as a vector."""
        rest = len(self.chain.axes) - self.chain.leading
        return f[(..., *[0] * rest)].ravel()

    @functools.cached_property
    def _operator(self) -> Float[np.ndarray, "nodes nodes"]:
        """Transition operator of the leading axes."""
        return functools.reduce(np.kron, self.operators[: self.chain.leading])

    def radius(self, power: float = 2.0) -> float:
        """Return the spectral radius of ``|a|^power K``.

        The moment of this order of the state is finite if the radius is below one.
        """
        half = np.abs(self._leading(self.parts[0])) ** (power / 2)
        eigenvalues = np.linalg.eigvalsh(half[:, None] * self._operator * half)
        return float(np.abs(eigenvalues).max())

    def _require_finite(self) -> None:
        radius = self.radius()
        if radius < 1:
            return
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(self._leading(self.parts[0])))
        leading = [axis.root for axis in self.chain.axes[: self.chain.leading]]
        weights = functools.reduce(np.multiply.outer, leading).ravel() ** 2
        log = float(logs @ weights)
        instead = f"E log|a| = {log:.4g} >= 0: there is no stationary state"
        if log < 0:
            instead = (
                f"E log|a| = {log:.4g} < 0, so that a stationary state exists, with "
                "finite moments of each order kappa at which |a|^kappa K has a radius "
                "below one"
            )
        raise ValueError(
            "the stationary second moment is infinite: the spectral radius of a^2 K is "
            f"{radius:.6g} >= 1; {instead}; or pass steps"
        )

    @functools.cached_property
    def _others(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Eigenvalues of the other axes' modes: distinct values, their counts, sort order."""
        kept = [axis.kept for axis in self.chain.axes[self.chain.leading :]]
        flat = functools.reduce(np.multiply.outer, kept, np.ones(())).ravel()
        return *np.unique(flat, return_counts=True), np.argsort(flat, kind="stable")

    def _resolved(self, power: int) -> Iterable[Callable[..., Any]]:
        """Yield a solver of ``1 - factor a^power K`` for each factor, in the leading modes.

        The constant mode has eigenvalue one, so that its difference from one is computed
        as ``1 - a^power`` without cancellation.  Small systems are inverted together and
        reused for all moments of the same power.
        """
        axes = self.chain.axes[: self.chain.leading]
        modes = functools.reduce(np.kron, (axis.modes for axis in axes))
        kept = functools.reduce(np.kron, (axis.kept for axis in axes))
        lost = self._leading(self.lost)
        lost = lost if power == 1 else lost * (1 + self._leading(self.parts[0]))
        factors, mixed = self._others[0], modes.T @ (lost[:, None] * modes) * kept
        if len(factors) * mixed.size > INVERTED:
            for factor in factors:
                system = np.diag(1 - factor * kept) + factor * mixed
                yield functools.partial(np.linalg.solve, system)
            return
        if power not in self._inverses:
            straight = [np.diag(1 - factor * kept) for factor in factors]
            systems = np.stack(straight) + np.multiply.outer(factors, mixed)
            self._inverses[power] = np.linalg.inv(systems)
        for inverse in self._inverses[power]:
            yield inverse.__matmul__

    def _solved(self, power: int, added: Grid) -> Grid:
        """Solve ``f = added + a^power K f``, a system per eigenvalue of the other modes."""
        axes = self.chain.axes
        for place, axis in enumerate(axes, start=-len(axes)):
            added = on_axis(axis.modes.T, added, place)
        _, counts, order = self._others
        leading = math.prod(self.chain.shape[: self.chain.leading])
        columns = added.reshape(-1, leading, len(order))[..., order]
        start = 0
        for solve, count in zip(self._resolved(power), counts, strict=True):
            here = slice(start, start := start + count)
            columns[..., here] = solve(columns[..., here])
        solved = np.empty_like(columns)
        solved[..., order] = columns
        solved = solved.reshape(added.shape)
        for place, axis in enumerate(axes, start=-len(axes)):
            solved = on_axis(axis.modes, solved, place)
        return solved
