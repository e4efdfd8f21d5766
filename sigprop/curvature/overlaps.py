"""Overlaps of filters of one stationary input: the tables that make every Hessian.

A filter ``x**age`` runs forwards or backwards in time; a skip connection is ``0**age``.
``Infinite`` sums over infinitely many ages by the closed forms of ``sigprop.theory.overlaps``,
``Window`` over those of sequences of ``T`` steps from the zero state, for any
autocovariance.  Both know divided differences alone; derivatives have equal nodes.

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
Nodes = Sequence[Complex[np.ndarray, "*nodes"]]  # one array a node of the difference
Others = Sequence[Complex[np.ndarray, "*others"]]


class Table(NamedTuple):
    """Overlaps of each pair of two filters, and derivatives by their eigenvalues."""

    value: Complex[np.ndarray, "n m"]
    by_first: Complex[np.ndarray, "n m"]
    by_second: Complex[np.ndarray, "n m"]
    by_both: Complex[np.ndarray, "n m"]


class Weighted(NamedTuple):
    """A response as a sum of filters, one matrix of weights a filter."""

    lam: Complex[np.ndarray, " n"]
    weights: Complex[np.ndarray, "n d_out d_in"]
    backwards: bool


def _outer(x: Nodes, y: Others) -> tuple[list[Any], list[Any]]:
    """Nodes that broadcast against each other; equal ones stay the same array."""
    rows = {id(node): node.reshape(*node.shape, *(1,) * y[0].ndim) for node in x}
    return [rows[id(node)] for node in x], list(y)


@final
@dataclass(frozen=True)
class Infinite:
    """Infinitely many ages.

    Attributes:
        covariance: The autocovariance at all lags.
        response: Student minus teacher, filter by filter.
    """

    covariance: Geometric | Lags
    response: tuple[Weighted, ...]

    def shared(
        self, x: Nodes, y: Others, opposed: bool = False
    ) -> Complex[np.ndarray, "*both"]:
        """``sum w_jk j[x...] k[y...]`` for every pair of nodes: the outer product.

        ``opposed`` says that the second filter runs the other way.
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
        """``sum w_jk j[x...] d_k``, ``d`` the response of student minus teacher."""
        parts = [
            np.tensordot(
                self.shared(x, [f.lam], backwards != f.backwards), f.weights, 1
            )
            for f in self.response
        ]
        return np.sum(parts, axis=0)

    def at_optimum(self) -> "Infinite":
        """The rule where student and teacher are equal: there is no error."""
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
    """Sequences of ``T`` steps.

    Attributes:
        forwards: Weights of two ages of inputs of the past.
        opposed: Weights of an age of the past and one of the future.
        past: Student minus teacher at ages from zero.
        future: The same at ages from zero downwards; nought at zero itself.
    """

    forwards: Float[np.ndarray, "T T"]
    opposed: Float[np.ndarray, "T T"]
    past: Float[np.ndarray, "T d_out d_in"]
    future: Float[np.ndarray, "T d_out d_in"]

    def shared(
        self, x: Nodes, y: Others, opposed: bool = False
    ) -> Complex[np.ndarray, "*both"]:
        """As ``Infinite.shared``."""
        weights = self.opposed if opposed else self.forwards
        left = self._powers(x) @ weights
        return np.tensordot(left, self._powers(y), (-1, -1))

    def error(
        self, x: Nodes, backwards: bool = False
    ) -> Complex[np.ndarray, "*nodes d_out d_in"]:
        """As ``Infinite.error``."""
        same, other = self.past, self.future
        if backwards:
            same, other = other, same
        windowed = np.tensordot(self.forwards, same, 1) + np.tensordot(
            self.opposed, other, 1
        )
        return np.tensordot(self._powers(x), windowed, 1)

    def at_optimum(self) -> "Window":
        """The rule where student and teacher are equal: there is no error."""
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
"""A rule to sum over ages, and the error whose square is the loss."""


def table(
    rule: Overlaps,
    x: Complex[np.ndarray, " n"],
    y: Complex[np.ndarray, " m"],
    opposed: bool = False,
) -> Table:
    """Every pair of two sets of filters."""
    orders = (1, 1), (2, 1), (1, 2), (2, 2)
    return Table(*(rule.shared([x] * i, [y] * j, opposed) for i, j in orders))


def overlaps_of(task: TeacherStudent, student: Layer) -> Overlaps:
    """Sums over the ages of a task's loss, with the student's error at each age.

    Raises:
        ValueError: If the student is not linear; or, where sequences are infinitely
            long, not stable or without a basis of eigenvectors.
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
    """The response of one direction of time; its skip is left out."""
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
