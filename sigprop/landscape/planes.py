"""Directions that span a plane in parameter space, and projections onto it.

The directions are for ``sigprop.landscape.slices``.  They point along the eigenvectors of a
Hessian, or to two other models, such as the start of a training and a second minimum.
Lengths are Euclidean lengths of the vector of all parameters.

A trajectory of a training is shown by its projection onto the plane.  Most of a
displacement may be orthogonal to the plane, so ``project`` also returns the share of each
squared displacement that lies in the plane.

Source: Li et al. (2018), Section 7; Goodfellow et al. (2015) for lines between models.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Float

from sigprop.curvature.structure import eigenpairs
from sigprop.landscape.slices import Model, only_parameters, require_directions
from sigprop.layers.base import Layer, parameters, replace
from sigprop.numerics.arguments import require_count

LayerT = TypeVar("LayerT", bound=Layer)
ALIGNED = 1e-9  # sine of the least angle between directions that span a plane


def sharpest(
    layer: LayerT, hessian: Float[np.ndarray, "p p"], count: int = 2
) -> list[LayerT]:
    """Unit eigenvectors of a Hessian, as directions for ``slices`` in parameter space.

    The eigenvector with the largest absolute eigenvalue comes first.

    Args:
        layer: Layer at which the Hessian was computed.
        hessian: Hessian with respect to the layer's parameters, in the order of
            ``sigprop.curvature.expand``.
        count: Number of directions.

    Returns:
        For each eigenvector, a layer whose parameters are the entries of the
        eigenvector.

    Raises:
        ValueError: If the size of ``hessian`` is not the number of parameters, if it is
            not symmetric and finite, or if ``count`` exceeds its size.

    Example:
        The curvature along the first direction is the eigenvalue of largest absolute
        value:

        >>> from sigprop import double_precision, landscape
        >>> from sigprop.curvature import expand
        >>> from sigprop.layers import lru
        >>> from sigprop.tasks import linear_teacher, teacher_student
        >>> with double_precision(True):
        ...     task = teacher_student(linear_teacher(jax.random.key(0), nu0=0.9), length=50)
        ...     layer = lru(3, 1, key=jax.random.key(1))
        ...     hessian = expand(task, layer).hessian
        ...     (way,) = landscape.sharpest(layer, hessian, 1)
        ...     curvature = landscape.second_difference(task.loss, layer, way)
        >>> sizes = np.abs(np.linalg.eigvalsh(hessian))
        >>> bool(np.isclose(abs(curvature), sizes.max(), rtol=1e-4))
        True
    """
    x, split = ravel_pytree(parameters(layer))
    vectors = eigenpairs(hessian).vectors
    if len(vectors) != x.size:
        raise ValueError(
            f"need hessian by the {x.size} parameters of {type(layer).__name__}, got "
            f"shape {hessian.shape}"
        )
    count = require_count("count", count, most=x.size)
    return [
        replace(layer, split(jnp.asarray(vector, x.dtype)))
        for vector in vectors[:count]
    ]


def spanning(model: Model, first: Model, second: Model) -> tuple[Model, Model]:
    """Two orthogonal directions of equal length that span the plane through three models.

    The first direction is the difference ``first - model``.  The second direction is
    orthogonal to the first and points from the line through ``model`` and ``first``
    towards ``second``.

    Args:
        model: Model from which both directions start.
        first: Model whose parameters have the names and shapes of those of ``model``.
        second: Model whose parameters have these names and shapes, and which is not on
            the line through ``model`` and ``first``.

    Raises:
        ValueError: If the models' parameters differ in name or shape, or the three
            models lie on one line.

    Example:
        >>> from sigprop import landscape
        >>> at, one, other = (
        ...     {"w": jnp.array(w)} for w in ((0.0, 0.0), (2.0, 0.0), (3.0, -1.0))
        ... )
        >>> [way["w"].tolist() for way in landscape.spanning(at, one, other)]
        [[2.0, 0.0], [0.0, -2.0]]
    """
    x, split = ravel_pytree(only_parameters(model))
    along, aside = (
        _vector(other, model, name) - _vector(model, model, "model")
        for other, name in ((first, "first"), (second, "second"))
    )
    length, whole = np.linalg.norm(along), np.linalg.norm(aside)
    if length > 0:
        aside = aside - along * (along @ aside) / length**2
    rest = np.linalg.norm(aside)
    if not (length > 0 and rest > ALIGNED * whole):
        raise ValueError("need three models that are not on one line")
    ways = along, aside * length / rest
    first_way, second_way = (split(jnp.asarray(way, x.dtype)) for way in ways)
    return first_way, second_way


class Projection(NamedTuple):
    """Orthogonal projections of models onto a line, plane or higher-dimensional space.

    Attributes:
        steps: Coordinates of each projection, i.e. the factor of each direction.
        share: Squared distance from the origin to each projection, divided by the
            squared distance from the origin to the model before projection.  The origin
            is the argument ``model`` of ``project``; a model at the origin has share 1.

    Example:
        >>> shown = Projection(np.array([[0.5]]), np.array([1.0]))
        >>> shown.steps.shape, shown.share.tolist()
        ((1, 1), [1.0])
    """

    steps: Float[np.ndarray, "models k"]
    share: Float[np.ndarray, " models"]


def project(
    model: Model, directions: Sequence[Model], models: Sequence[Model]
) -> Projection:
    """Project models onto a line, plane or higher-dimensional space through one model.

    The given directions span the line, plane or space.  Projections are orthogonal in
    the Euclidean space of all parameters.

    Args:
        model: Model at the origin of the line, plane or space.
        directions: One or more linearly independent directions, which need not be
            orthogonal, for example from ``spanning``.
        models: Models to project, for example the models at several steps of a training
            run.

    Raises:
        ValueError: If the parameters of a direction or a model differ from those of
            ``model`` in name or shape; if there is no direction, or no model to
            project; if directions are linearly dependent.

    Example:
        The displacement (3, -4) has 9/25 of its squared length along the direction:

        >>> from sigprop import landscape
        >>> at, way, far = (
        ...     {"w": jnp.array(w)} for w in ((0.0, 0.0), (2.0, 0.0), (3.0, -4.0))
        ... )
        >>> shown = landscape.project(at, [way], [far])
        >>> shown.steps.tolist(), shown.share.tolist()
        ([[1.5]], [0.36])
    """
    require_directions(directions, directions)
    _require_models(models)
    here = _vector(model, model, "model")
    basis = np.stack([_vector(way, model, "directions") for way in directions])
    apart = np.stack([_vector(other, model, "models") - here for other in models])
    if np.linalg.matrix_rank(basis, ALIGNED * np.linalg.norm(basis, 2)) < len(basis):
        raise ValueError("need directions that are independent of each other")
    steps = np.linalg.lstsq(basis.T, apart.T)[0].T
    whole = np.sum(apart**2, 1)
    inside = np.sum((steps @ basis) ** 2, 1)
    share = np.divide(inside, whole, out=np.ones_like(whole), where=whole > 0)
    return Projection(steps, share)


def _require_models(models: Any) -> None:
    """Refuse an empty sequence of models.

    Raises:
        ValueError: If ``models`` is empty or a string.
    """
    if isinstance(models, str) or not len(models):
        raise ValueError(f"need models, one at least, got {models!r:.60}")


def _vector(tree: Model, model: Model, name: str) -> Float[np.ndarray, " p"]:
    """Parameters of a tree as a vector of double precision.

    Raises:
        ValueError: If their shapes differ from the model's.
    """
    known = jax.tree.map(jnp.shape, only_parameters(model))
    own = eqx.filter(tree, eqx.is_inexact_array)
    if jax.tree.map(jnp.shape, own) != known:
        raise ValueError(f"need {name} with the parameters of model, got {tree!r:.60}")
    return np.asarray(ravel_pytree(own)[0], np.float64)
