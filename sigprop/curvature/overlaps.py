"""Overlaps of filters with the same stationary input, from which Hessians are computed.

A filter has the response ``x**age``, forwards or backwards in time.  A skip connection is
the filter ``0**age``.  ``Infinite`` sums over infinitely many ages by the closed forms of
``sigprop.theory.overlaps``.  ``Window`` sums over the ages of sequences of ``T`` steps from
the zero state, for any autocovariance.  Both compute divided differences, and derivatives
are divided differences with equal nodes.

Notation: w_jk  weight of ages j and k in the loss;  j[x_1, x_2]  divided difference of
``x**j``, which is ``j x**(j - 1)`` at equal nodes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, final

import jax
import numpy as np
from jaxtyping import Complex, Float

from sigprop.layers.base import Layer
from sigprop.linear.impulse_response import kernel, require_linear
from sigprop.linear.infinite_loss import Geometric, Lags, spectrum
from sigprop.linear.linearise import Modes, diagonalise, linearise
from sigprop.numerics.compile import compile_expr
from sigprop.tasks.teacher_student import TeacherStudent, age_weights
from sigprop.theory import overlaps
from sigprop.theory.symbols import alpha, beta, rho

NONE = np.zeros(1, complex)  # the eigenvalue of a skip connection
Nodes = Sequence[Complex[np.ndarray, "*nodes"]]  # one array per node
Others = Sequence[Complex[np.ndarray, "*others"]]


class Table(NamedTuple):
    """Overlaps of pairs of filters, a row per first and a column per second filter.

    Attributes:
        value: Overlaps.
        by_first: Derivatives with respect to the first eigenvalue.
        by_second: Derivatives with respect to the second eigenvalue.
        by_both: Derivatives with respect to both eigenvalues.
    """

    value: Complex[np.ndarray, "n m"]
    by_first: Complex[np.ndarray, "n m"]
    by_second: Complex[np.ndarray, "n m"]
    by_both: Complex[np.ndarray, "n m"]


class Weighted(NamedTuple):
    """A response as a weighted sum of filters.

    Attributes:
        lam: Eigenvalue of each filter.
        weights: Matrix of weights of each filter.
        backwards: True if the filters run backwards in time.
    """

    lam: Complex[np.ndarray, " n"]
    weights: Complex[np.ndarray, "n d_out d_in"]
    backwards: bool


def _outer(x: Nodes, y: Others) -> tuple[list[Any], list[Any]]:
    """Reshape nodes so that they broadcast; the same array gives the same result."""
    rows = {id(node): node.reshape(*node.shape, *(1,) * y[0].ndim) for node in x}
    return [rows[id(node)] for node in x], list(y)


@final
@dataclass(frozen=True)
class Infinite:
    """Sums over infinitely many ages.

    Attributes:
        covariance: Autocovariance of the input at all lags.
        response: Response of the student minus that of the teacher, as sums of filters.
    """

    covariance: Geometric | Lags
    response: tuple[Weighted, ...]

    def shared(
        self, x: Nodes, y: Others, opposed: bool = False
    ) -> Complex[np.ndarray, "*both"]:
        """The sum ``sum w_jk j[x...] k[y...]`` for every pair of nodes.

        Args:
            x: Nodes of the first divided difference, one array for each.
            y: Nodes of the second divided difference, one array for each.
            opposed: True if the second filter runs in the opposite direction of time.

        Returns:
            The sums, with the axes of ``x`` before the axes of ``y``.
        """
        rows, columns = _outer(x, y)
        equal = len({*map(id, x)}) == len({*map(id, y)}) == 1
        if equal:
            rows, columns = rows[:1], columns[:1]
        sums = self._sum((len(x), len(y), opposed, equal), (*rows, *columns))
        return np.broadcast_to(np.asarray(sums, complex), x[0].shape + y[0].shape)

    def _sum(self, kind: tuple[int, int, bool, bool], nodes: tuple[Any, ...]) -> Any:
        if not isinstance(self.covariance, Geometric):
            return _of_lags(self.covariance, *kind)(*nodes)
        white, correlated, ratio = self.covariance
        total: Any = 0
        if white:
            total = white * _of_source("white", *kind)(*nodes, ratio)
        if correlated:
            total = total + correlated * _of_source("exponential", *kind)(*nodes, ratio)
        return total

    def error(
        self, x: Nodes, backwards: bool = False
    ) -> Complex[np.ndarray, "*nodes d_out d_in"]:
        """The sum ``sum w_jk j[x...] d_k`` with the response ``d`` of student minus teacher.

        Args:
            x: Nodes of the divided difference, one array for each.
            backwards: True if the filter runs backwards in time.
        """
        parts = [
            np.tensordot(
                self.shared(x, [f.lam], backwards != f.backwards), f.weights, 1
            )
            for f in self.response
        ]
        return np.sum(parts, axis=0)

    def at_optimum(self) -> "Infinite":
        """The rule for a student that equals the teacher, i.e. with an error of zero."""
        zero = np.zeros((1, *self.response[0].weights.shape[1:]), complex)
        return Infinite(self.covariance, (Weighted(NONE, zero, False),))


@cache
def _of_source(
    source: str, first: int, second: int, opposed: bool, equal: bool
) -> Callable[..., Any]:
    form = (overlaps.opposed if opposed else overlaps.shared)(source)
    return _compiled(form, first, second, equal, rho)


@cache
def _of_lags(
    covariance: Lags, first: int, second: int, opposed: bool, equal: bool
) -> Callable[..., Any]:
    return _compiled(overlaps.of_lags(covariance, opposed), first, second, equal)


def _compiled(
    form: Any, first: int, second: int, equal: bool, *more: Any
) -> Callable[..., Any]:
    if equal:
        nodes, spread = (alpha, beta), overlaps.repeated
    else:
        nodes, spread = overlaps.X[:first] + overlaps.Y[:second], overlaps.divided
    return compile_expr(spread(form, first, second), *nodes, *more, backend="numpy")


@final
@dataclass(frozen=True)
class Window:
    """Sums over the ages of sequences of ``T`` steps.

    Attributes:
        forwards: Weights of pairs of ages of past inputs.
        opposed: Weights of pairs of an age of past and an age of future inputs.
        past: Response of the student minus that of the teacher at ages ``0, 1, ...``.
        future: Response at ages ``0, -1, ...``, with zero at age 0.
    """

    forwards: Float[np.ndarray, "T T"]
    opposed: Float[np.ndarray, "T T"]
    past: Float[np.ndarray, "T d_out d_in"]
    future: Float[np.ndarray, "T d_out d_in"]

    def shared(
        self, x: Nodes, y: Others, opposed: bool = False
    ) -> Complex[np.ndarray, "*both"]:
        """The sums of ``Infinite.shared``, for sequences of ``T`` steps."""
        weights = self.opposed if opposed else self.forwards
        left = self._powers(x) @ weights
        return np.tensordot(left, self._powers(y), (-1, -1))

    def error(
        self, x: Nodes, backwards: bool = False
    ) -> Complex[np.ndarray, "*nodes d_out d_in"]:
        """The sums of ``Infinite.error``, for sequences of ``T`` steps."""
        same, other = self.past, self.future
        if backwards:
            same, other = other, same
        windowed = np.tensordot(self.forwards, same, 1) + np.tensordot(
            self.opposed, other, 1
        )
        return np.tensordot(self._powers(x), windowed, 1)

    def at_optimum(self) -> "Window":
        """The rule for a student that equals the teacher, i.e. with an error of zero."""
        zero = np.zeros_like(self.past)
        return Window(self.forwards, self.opposed, zero, zero)

    def _powers(self, nodes: Nodes) -> Complex[np.ndarray, "*nodes T"]:
        """Divided differences of ``x**age`` at each age, by Horner's recursion."""
        powers = np.zeros((len(nodes), len(self.forwards), *nodes[0].shape), complex)
        powers[0, 0] = 1
        for age in range(1, len(self.forwards)):
            for k, node in enumerate(nodes):
                powers[k, age] = node * powers[k, age - 1]
                if k:
                    powers[k, age] += powers[k - 1, age - 1]
        return np.moveaxis(powers[-1], 0, -1)


Overlaps = Infinite | Window
"""A rule for sums over ages, with the response of student minus teacher."""


def table(
    rule: Overlaps,
    x: Complex[np.ndarray, " n"],
    y: Complex[np.ndarray, " m"],
    opposed: bool = False,
) -> Table:
    """Overlaps of every pair from two sets of filters, with derivatives.

    Args:
        rule: Rule for sums over ages.
        x: Eigenvalues of the first filters.
        y: Eigenvalues of the second filters.
        opposed: True if the second filters run in the opposite direction of time.
    """
    orders = (1, 1), (2, 1), (1, 2), (2, 2)
    return Table(*(rule.shared([x] * i, [y] * j, opposed) for i, j in orders))


def overlaps_of(task: TeacherStudent, student: Layer) -> Overlaps:
    """Make the rule for sums over the ages of a task's loss.

    Raises:
        ValueError: If the student is not linear.  If sequences are infinitely long, also
            if the student is not stable or its eigenvectors form no basis.
    """
    require_linear(student)
    if task.length is not None:
        return _window(task, student, task.length)
    response = [
        part
        for half, backwards in zip(student.halves(), (False, True), strict=False)
        for part in _filters(half, backwards)
    ]
    reach = max(np.abs(part.lam).max() for part in response)
    if not reach < 1:
        raise ValueError(
            "need eigenvalues inside the unit circle for infinitely long sequences, "
            f"got one of modulus {reach:.6g}"
        )
    target: Modes = jax.tree.map(np.asarray, task.target)
    desired = np.moveaxis(target.residues(), 1, 0)
    skip = linearise(student.halves()[0]).D - target.skip
    response += [
        Weighted(target.lam, -desired, False),
        Weighted(NONE, np.asarray(skip)[None], False),
    ]
    return Infinite(spectrum(task.process), tuple(response))


def _filters(half: Layer, backwards: bool) -> list[Weighted]:
    """The response of one direction of time, without its skip connection."""
    system = linearise(half)
    modes = diagonalise(system)
    weights = np.moveaxis(modes.residues(), 1, 0)
    if not np.iscomplexobj(system.A):
        return [Weighted(modes.lam, weights, backwards)]
    # A real part is half of a number and half of its conjugate.
    return [
        Weighted(modes.lam, weights / 2, backwards),
        Weighted(modes.lam.conj(), weights.conj() / 2, backwards),
    ]


def _window(task: TeacherStudent, student: Layer, length: int) -> Window:
    response = np.asarray(kernel(student, length))
    past = response[-length:] - np.asarray(task.target)
    future = np.zeros_like(past)
    before = response[:-length][::-1]
    future[1 : len(before) + 1] = before
    ages = np.arange(length)
    forwards = age_weights(task.process, length, ages, ages)
    return Window(
        forwards, age_weights(task.process, length, ages, -ages), past, future
    )
