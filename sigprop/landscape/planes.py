"""Directions that span a plane through a layer, and the part of a training that it shows.

The directions are for ``sigprop.landscape.slices``: along the eigenvectors of a Hessian, or
through two other layers, such as the start of a training and a second minimum.  All numbers
are those of the trained parameters, and lengths are Euclidean.

A plane shows a trajectory by its projection.  In many dimensions the plane may hold little
of it, so ``project`` also returns the share of each displacement that lies in the plane.

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
    """Eigenvectors of a Hessian as directions of length one, largest in size first.

    Args:
        layer: Where the Hessian was computed.
        hessian: By the layer's parameters in the order of ``sigprop.curvature.expand``.
        count: Directions.

    Raises:
        ValueError: If the Hessian does not fit the layer, or has fewer eigenvectors.

    Example:
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
    """Two directions of the plane through three models.

    The first leads from the model to ``first``, which is at the steps ``(1, 0)``.  The
    second is orthogonal and as long, on the side of ``second``.

    Args:
        model: The origin of the plane.
        first: A model with the same parameters.
        second: Another one, not on the line through the other two.

    Raises:
        ValueError: If the three do not fit together, or lie on one line.

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
    """Models as a plane shows them.

    Attributes:
        steps: Along each direction to the nearest point of the plane, as ``moved`` takes
            them.
        share: Share of the squared distance from the origin that lies within the plane.
            It is one at the origin itself.

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
    """Project models onto the line, plane or space through one model.

    Args:
        model: The origin.
        directions: One or more, independent of each other but not always orthogonal.
        models: With the parameters of the origin, such as the records of a training.

    Raises:
        ValueError: If they do not fit together, or one direction depends on the others.

    Example:
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
    """Refuse models that are none.

    Raises:
        ValueError: Naming them.
    """
    if isinstance(models, str) or not len(models):
        raise ValueError(f"need models, one at least, got {models!r:.60}")


def _vector(tree: Model, model: Model, name: str) -> Float[np.ndarray, " p"]:
    """The parameters of a tree that has those of the model, in double precision."""
    known = jax.tree.map(jnp.shape, only_parameters(model))
    own = eqx.filter(tree, eqx.is_inexact_array)
    if jax.tree.map(jnp.shape, own) != known:
        raise ValueError(f"need {name} with the parameters of model, got {tree!r:.60}")
    return np.asarray(ravel_pytree(own)[0], np.float64)
