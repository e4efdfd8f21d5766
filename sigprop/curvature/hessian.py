"""The exact gradient and Hessian of an expected loss, by three routes.

``closed`` needs no differentiation of the loss: ``sigprop.curvature.diagonal`` where the
eigenvalues are the layer's own, ``sigprop.curvature.dense`` in the eigenbasis of any
other recurrence.  ``gramian`` knows neither eigenvalues nor sums over ages: it solves for
the covariances of tangent systems.  ``autodiff`` differentiates the population loss.

Source: Zucchet & Orvieto (2024), Section 4.3 and Appendix C.2.
"""

from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from sigprop.curvature import dense, diagonal, gramian
from sigprop.curvature.layout import Expansion, layout
from sigprop.curvature.overlaps import overlaps_of
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.precision import double_precision
from sigprop.tasks.teacher_student import TeacherStudent

Route = Literal["closed", "gramian", "autodiff"]
COLUMNS = 64  # of the Hessian that autodiff computes at once


def expand(task: TeacherStudent, student: Layer, route: Route = "closed") -> Expansion:
    """Gradient and Hessian of the expected loss at any linear student.

    Args:
        task: At optimality or away from it, of finite or infinite length; its input is
            any stationary process.  Of double precision, as the student.
        student: Linear.
        route: ``closed`` for every layer; ``gramian`` for a causal one and sequences
            of infinite length; ``autodiff`` for every layer.

    Returns:
        Entries by the layer's ``parameters``, names in alphabetical order.

    Raises:
        ValueError: If the student is not linear, the numbers are not of double
            precision, or the route does not reach so far.

    Source: Zucchet & Orvieto (2024), Eq. 114-155.
    """
    if route not in ("closed", "gramian", "autodiff"):
        raise ValueError(f"need a route closed, gramian or autodiff, got {route!r}")
    leaves = jax.tree.leaves((parameters(student), task.target))
    if any(np.finfo(leaf.dtype).bits < 64 for leaf in leaves):
        raise ValueError(
            "need double precision for exact curvature, got float32; build task and "
            "student inside `with sigprop.double_precision(True):`"
        )
    with double_precision(True):
        if route == "autodiff":
            return _autodiff(task, student)
        if route == "gramian":
            return dense.through(student, gramian.expand(task, student))
        rule = overlaps_of(task, student)
        if all(isinstance(half, DiagonalLayer) for half in student.halves()):
            return diagonal.expand(student, rule)
        return dense.through(student, dense.expand(student, rule))


def _autodiff(task: TeacherStudent, student: Layer) -> Expansion:
    x, split = ravel_pytree(parameters(student))

    slope = jax.grad(lambda x: task.population(replace(student, split(x))))

    @jax.jit
    def derivatives(x: Float[Array, " p"]) -> tuple[Array, Array]:
        # Reverse mode twice: layers bring reverse rules of their own.
        rows = lax.map(
            lambda v: jax.grad(lambda x: slope(x) @ v)(x),
            jnp.eye(x.size),
            batch_size=min(COLUMNS, x.size),
        )
        return slope(x), rows

    gradient, hessian = map(np.asarray, derivatives(x))
    return Expansion(gradient, hessian, layout(student))
