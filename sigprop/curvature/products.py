"""Products of vectors with curvature matrices that are too large to store.

A ``Curvature`` is a function of vectors and a pytree of arrays, so that compiled programs
can take it as an argument.  A product with the Hessian is the derivative of the gradient
along the vector, in forward mode over reverse mode.  One batch of data is used at a time.

Source: Pearlmutter (1994) for Hessians; Schraudolph (2002) for Gauss-Newton matrices.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int

from sigprop.layers.lru import attached


class Curvature(eqx.Module):
    """A symmetric curvature matrix, averaged over batches, as a function of vectors.

    Attributes:
        x: Parameters at which derivatives are taken, as one vector.
        batches: A pytree of arrays whose first axis runs over batches; ``None`` if the
            loss needs no data.
        split: Function from the vector of parameters to their pytree.
    """

    x: Float[Array, " p"]
    batches: Any
    split: Callable[[Float[Array, " p"]], Any]

    @abstractmethod
    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """Multiply the matrix of one batch by a vector."""

    @abstractmethod
    def value(self, x: Float[Array, " p"], batch: Any) -> Float[Array, ""]:
        """The loss of one batch at the vector of parameters ``x``."""

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.x.size

    def __call__(self, v: Float[Array, " p"]) -> Float[Array, " p"]:
        """Multiply the matrix by a vector."""
        return self._mean(lambda batch: self.product(v, batch))

    @eqx.filter_jit
    def loss(self) -> tuple[Float[Array, ""], Float[Array, " p"]]:
        """The loss and its gradient, averaged over batches."""
        return self._mean(lambda batch: jax.value_and_grad(self.value)(self.x, batch))

    def _mean(self, f: Callable[[Any], Any]) -> Any:
        count = _count(self.batches)
        batch = jax.tree.map(lambda leaf: leaf[0], self.batches)
        zero = jax.tree.map(
            lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(f, batch)
        )
        total, _ = lax.scan(
            lambda total, batch: (jax.tree.map(jnp.add, total, f(batch)), None),
            zero,
            self.batches,
            length=count,
        )
        return jax.tree.map(lambda leaf: leaf / count, total)


@final
class Hessian(Curvature):
    """The Hessian of a loss, as a function that computes Hessian-vector products.

    Make one with ``hessian``.

    Attributes:
        x: Parameters at which derivatives are taken, as one vector.
        batches: A pytree of arrays whose first axis runs over batches; ``None`` if the
            loss needs no data.
        split: Function from the vector of parameters to their pytree.
        of: Function of the parameters and a batch that returns the loss.

    Example:
        >>> curvature = hessian(lambda x, _: (x**4).sum(), jnp.ones(3))
        >>> isinstance(curvature, Hessian)
        True
    """

    of: Callable[[Any, Any], Float[Array, ""]]

    def value(self, x: Float[Array, " p"], batch: Any) -> Float[Array, ""]:
        """The loss of one batch at the vector of parameters ``x``."""
        return self.of(self.split(x), batch)

    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """Multiply the Hessian of the loss of one batch by the vector ``v``."""
        gradient = jax.grad(self.value)
        return jax.jvp(lambda x: gradient(x, batch), (self.x,), (v,))[1]


@final
class GaussNewton(Curvature):
    """The Gauss-Newton matrix of a loss, as a function that multiplies it by vectors.

    The matrix is ``J^T S J``, averaged over batches.  ``J`` is the Jacobian of the
    model's outputs, and ``S`` is the Hessian of the loss with respect to the outputs.
    Make one with ``gauss_newton``.

    Attributes:
        x: Parameters at which derivatives are taken, as one vector.
        batches: A pytree of arrays whose first axis runs over batches; ``None`` if the
            loss needs no data.
        split: Function from the vector of parameters to their pytree.
        outputs: Function of the parameters and a batch that returns the model's outputs.
        criterion: Function of the outputs and a batch that returns the loss.

    Example:
        >>> def loss(y, batch):
        ...     return y.sum()
        >>> curvature = gauss_newton(lambda x, batch: x**2, loss, jnp.ones(3))
        >>> isinstance(curvature, GaussNewton)
        True
    """

    outputs: Callable[[Any, Any], Float[Array, "..."]]
    criterion: Callable[[Any, Any], Float[Array, ""]]

    def value(self, x: Float[Array, " p"], batch: Any) -> Float[Array, ""]:
        """The loss of one batch at the vector of parameters ``x``."""
        return self.criterion(self.outputs(self.split(x), batch), batch)

    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """Multiply the Gauss-Newton matrix of one batch by the vector ``v``."""

        def outputs(x):
            return self.outputs(self.split(x), batch)

        gradient = jax.grad(self.criterion)
        y, forward = jax.linearize(outputs, self.x)
        _, curved = jax.jvp(lambda y: gradient(y, batch), (y,), (forward(v),))
        return jax.linear_transpose(forward, v)(curved)[0]


def hessian(
    loss: Callable[[Any, Any], Float[Array, ""]], parameters: Any, batches: Any = None
) -> Hessian:
    """Make the Hessian of ``loss(parameters, batch)``, averaged over batches.

    The result is a function that multiplies the Hessian by a vector; the matrix is never
    stored.

    Args:
        loss: Function of the parameters and a batch that returns the loss.  It is
            differentiated in reverse mode and then in forward mode.
        parameters: Parameters at which derivatives are taken, a pytree of real arrays.
            Vectors that the result multiplies have their entries in the order of
            ``jax.flatten_util.ravel_pytree``.
        batches: A pytree of arrays whose first axis runs over batches; ``loss`` gets
            one slice at a time.  Default: no data; ``loss`` gets ``None``.

    Raises:
        ValueError: If there are no parameters, or one is not a real floating-point
            array; if ``parameters`` contain a layer with a normalisation whose gradient is
            stopped (apply ``sigprop.layers.lru.attached`` first); if arrays of
            ``batches`` differ in the length of their first axis.

    Example:
        The second derivatives of ``x**3`` are ``6 x``:

        >>> matrix = hessian(lambda x, _: (x**3).sum(), jnp.array([1.0, 2.0]))
        >>> matrix(jnp.ones(2)).tolist()
        [6.0, 12.0]
    """
    return Hessian(*_flat(parameters, batches), loss)


def gauss_newton(
    outputs: Callable[[Any, Any], Float[Array, "..."]],
    criterion: Callable[[Any, Any], Float[Array, ""]],
    parameters: Any,
    batches: Any = None,
) -> GaussNewton:
    """Make the Gauss-Newton matrix of ``criterion(outputs(parameters, batch), batch)``.

    The matrix is ``J^T S J``, averaged over batches.  ``J`` is the Jacobian of the
    outputs, and ``S`` is the Hessian of the criterion with respect to the outputs.  The
    matrix equals the Hessian of the loss without the term from second derivatives of
    the outputs.  The result is a function that multiplies the matrix by a vector; the
    matrix is never stored.

    Args:
        outputs: Function of the parameters and a batch that returns the model's
            outputs, differentiable in forward and in reverse mode.
        criterion: Function of the outputs and a batch that returns the loss.
        parameters: Parameters at which derivatives are taken, a pytree of real arrays.
            Vectors that the result multiplies have their entries in the order of
            ``jax.flatten_util.ravel_pytree``.
        batches: A pytree of arrays whose first axis runs over batches; the functions
            get one slice at a time.  Default: no data; the functions get ``None``.

    Raises:
        ValueError: If there are no parameters, or one is not a real floating-point
            array; if ``parameters`` contain a layer with a normalisation whose gradient is
            stopped (apply ``sigprop.layers.lru.attached`` first); if arrays of
            ``batches`` differ in the length of their first axis.

    Example:
        If the criterion is the sum of the squared outputs ``x**2``, the diagonal is
        ``2 (2 x)**2``:

        >>> x = jnp.array([1.0, 2.0])
        >>> matrix = gauss_newton(lambda x, _: x**2, lambda y, _: (y**2).sum(), x)
        >>> matrix(jnp.ones(2)).tolist()
        [8.0, 32.0]
    """
    return GaussNewton(*_flat(parameters, batches), outputs, criterion)


def label_indices(
    tree: Any, labels: Any, names: tuple[str, ...]
) -> Int[np.ndarray, " p"]:
    """Index of the label of each entry of ``ravel_pytree(tree)``.

    Args:
        tree: A pytree of parameters.
        labels: A tree of the same structure with a label for each array.
        names: All possible labels, in the order of their indices.

    Raises:
        ValueError: If a label is not in ``names``.
    """
    if unknown := sorted(set(jax.tree.leaves(labels)) - set(names)):
        raise ValueError(f"need labels in {names}, got {unknown}")
    numbers = jax.tree.map(
        lambda leaf, label: np.full(np.size(leaf), names.index(label)), tree, labels
    )
    return np.concatenate(jax.tree.leaves(numbers))


def group_sums(
    values: Float[np.ndarray, "*many p"], groups: Int[np.ndarray, " p"], count: int
) -> Float[np.ndarray, "*many groups"]:
    """Sums of values over the entries of each group.

    Args:
        values: Values; the last axis has the entries.
        groups: Index of the group of each entry.
        count: Number of groups.
    """
    flat = np.reshape(values, (-1, groups.size))
    sums = [np.bincount(groups, row, count) for row in flat]
    return np.reshape(sums, (*np.shape(values)[:-1], count))


def _flat(parameters: Any, batches: Any) -> tuple[Array, Any, Any]:
    leaves = jax.tree.leaves(parameters)
    kinds = sorted({str(jnp.result_type(leaf)) for leaf in leaves})
    if not leaves or not all(kind.startswith("float") for kind in kinds):
        raise ValueError(f"need parameters of real floating point, got {kinds}")
    if jax.tree.structure(attached(parameters)) != jax.tree.structure(parameters):
        raise ValueError(
            "need a loss whose derivatives are its own, got a layer with a detached "
            "normalisation, which stops gradients; pass the model through "
            "sigprop.layers.lru.attached before it is split into parameters"
        )
    _count(batches)
    x, split = ravel_pytree(parameters)
    return x, batches, split


def _count(batches: Any) -> int:
    """Number of batches; one if there are no arrays."""
    counts = {np.shape(leaf)[:1] for leaf in jax.tree.leaves(batches)} or {(1,)}
    if len(counts) > 1 or not all(map(any, counts)):
        raise ValueError(
            f"need arrays of one and the same number of batches, got {sorted(counts)}"
        )
    return sum(*counts)
