"""The exact gradient and Hessian of an expected loss, by three routes.

The route ``closed`` sums over ages in closed form.  It uses ``sigprop.curvature.diagonal``
for diagonal layers, RotRNN, S4D and S5, and ``sigprop.curvature.dense`` for any other layer,
in its eigenbasis.  The route ``gramian`` solves for the covariances of tangent systems,
without eigenvalues or sums over ages.  The route ``autodiff`` differentiates the expected
loss.

Source: Zucchet & Orvieto (2024), Section 4.3 and Appendix C.2.
"""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from sigprop.curvature import dense
from sigprop.curvature.diagonal import expand_diagonal
from sigprop.curvature.gramian import expand_gramian
from sigprop.curvature.layout import Expansion, layout, through
from sigprop.curvature.overlaps import overlaps_of
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.lru import attached
from sigprop.layers.rotrnn import RotRNN
from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import TeacherStudent

Route = Literal["closed", "gramian", "autodiff"]
DIAGONALISED = (RotRNN, S4D, S5)  # layers with diagonal coordinates
COLUMNS = 64  # columns of the Hessian per pass of autodiff


def expand(
    task: TeacherStudent,
    student: Layer,
    route: Route = "closed",
    *,
    at_optimum: bool = False,
) -> Expansion:
    """Compute the exact gradient and Hessian of ``task.loss`` at a linear student.

    If training stops the gradient of the student's normalisation, it is differentiated
    here nevertheless.

    Args:
        task: Task whose teacher is in double precision; see ``teacher_student``.
        student: A linear layer in double precision, which need not be at the optimum.
        route: Method of computation.  ``closed`` accepts every linear layer.
            ``gramian`` needs a causal layer with real states and infinitely long
            sequences.  ``autodiff`` applies automatic differentiation to ``task.loss``.
        at_optimum: If true, the student's own output is the target, so that the
            gradient is zero and the Hessian is the Gauss-Newton matrix.  The route
            ``autodiff`` does not accept this option.

    Returns:
        The gradient, the Hessian, and the position of each parameter array in both.
        The arrays are in alphabetical order of their names.

    Raises:
        ValueError: If the student is not linear; if the task or the student is not in
            double precision; if ``route`` is unknown or does not accept the layer, the
            sequence length or ``at_optimum``; if sequences are infinitely long and the
            student is not stable; if eigenvectors of a dense layer are linearly
            dependent.

    Source: Zucchet & Orvieto (2024), Eq. 114-155.

    Example:
        The gradient is zero if student and teacher are the same layer:

        >>> from sigprop import double_precision
        >>> from sigprop.layers import zucchet_lru
        >>> from sigprop.tasks import teacher_student
        >>> with double_precision(True):
        ...     layer = zucchet_lru(2, 1, key=jax.random.key(0), nu0=0.5, theta0=3.1)
        ...     found = expand(teacher_student(layer, length=None), layer)
        >>> found.hessian.shape, bool(abs(found.gradient).max() < 1e-9)
        ((15, 15), True)
    """
    _require_double(task, student)
    student = attached(student)
    with double_precision(True):
        if route == "closed":
            return _closed(task, student, at_optimum)
        if route == "gramian":
            expansion = expand_gramian(task, dense.matrices(student), at_optimum)
            return through(student, dense.by_name, expansion)
        if route == "autodiff" and not at_optimum:
            return _autodiff(task, student)
    raise ValueError(
        "need a route closed or gramian, or autodiff where the teacher is given, got "
        f"{route!r}"
    )


def _require_double(task: TeacherStudent, student: Layer) -> None:
    leaves = jax.tree.leaves((parameters(student), task.target))
    if any(np.finfo(leaf.dtype).bits < 64 for leaf in leaves):
        raise ValueError(
            "need double precision for exact curvature, got float32; build task and "
            "student inside `with sigprop.double_precision(True):`"
        )


def _closed(task: TeacherStudent, student: Layer, at_optimum: bool) -> Expansion:
    rule = overlaps_of(task, student)
    if at_optimum:
        rule = rule.at_optimum()
    if all(isinstance(half, DiagonalLayer) for half in student.halves()):
        return expand_diagonal(student, rule)
    if isinstance(student, DIAGONALISED):
        known = expand_diagonal(student.diagonal(), rule)
        return through(student, _diagonal, known)
    expansion = dense.expand_dense(dense.matrices(student), rule)
    return through(student, dense.by_name, expansion)


def _diagonal(layer: Layer) -> dict[str, Array]:
    assert isinstance(layer, DIAGONALISED)
    return parameters(layer.diagonal())


def _autodiff(task: TeacherStudent, student: Layer) -> Expansion:
    gradient, hessian = map(np.asarray, _derivatives(task, student))
    return Expansion(gradient, hessian, layout(student))


@jax.jit
def _derivatives(
    task: TeacherStudent, student: Layer
) -> tuple[Float[Array, " p"], Float[Array, "p p"]]:
    """Gradient and Hessian of the expected loss; layers of one shape share a program."""
    x, split = ravel_pytree(parameters(student))
    gradient_of = jax.grad(lambda x: task.population(replace(student, split(x))))
    rows = lax.map(
        lambda v: jax.jvp(gradient_of, (x,), (v,))[1],
        jnp.eye(x.size),
        batch_size=min(COLUMNS, x.size),
    )
    return gradient_of(x), rows
