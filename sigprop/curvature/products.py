"""Products of a vector with curvature matrices that are too large to write down.

A product is a callable on flat vectors, and a tree of arrays: whoever compiles a program
around it passes it as an argument.  A Hessian product is the tangent of the gradient, in
forward mode over reverse mode.  Only one batch of data is used at a time.

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
    """A symmetric matrix of second derivatives, the mean over batches.

    Attributes:
        x: Parameters at which derivatives are taken, as one vector.
        batches: Arrays whose first axis counts the batches; ``None`` if the loss needs
            no data.
        split: From the vector to the parameters.
    """

    x: Float[Array, " p"]
    batches: Any
    split: Callable[[Float[Array, " p"]], Any]

    @abstractmethod
    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """The matrix of one batch times a vector."""

    @abstractmethod
    def value(self, x: Float[Array, " p"], batch: Any) -> Float[Array, ""]:
        """The loss of one batch."""

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.x.size

    def __call__(self, v: Float[Array, " p"]) -> Float[Array, " p"]:
        """The matrix times a vector."""
        return self._mean(lambda batch: self.product(v, batch))

    @eqx.filter_jit
    def loss(self) -> tuple[Float[Array, ""], Float[Array, " p"]]:
        """The loss and its gradient."""
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
    """Second derivatives of a loss; build one with ``hessian``.

    Example:
        >>> curvature = hessian(lambda x, _: (x**4).sum(), jnp.ones(3))
        >>> isinstance(curvature, Hessian)
        True
    """

    of: Callable[[Any, Any], Float[Array, ""]]

    def value(self, x: Float[Array, " p"], batch: Any) -> Float[Array, ""]:
        """The loss of one batch."""
        return self.of(self.split(x), batch)

    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """The derivative of the gradient along a vector."""
        gradient = jax.grad(self.value)
        return jax.jvp(lambda x: gradient(x, batch), (self.x,), (v,))[1]


@final
class GaussNewton(Curvature):
    """``J^T S J`` of outputs and a criterion; build one with ``gauss_newton``.

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
        """The loss of one batch."""
        return self.criterion(self.outputs(self.split(x), batch), batch)

    def product(self, v: Float[Array, " p"], batch: Any) -> Float[Array, " p"]:
        """Forward through the outputs, then through the criterion's Hessian, and back."""

        def outputs(x):
            return self.outputs(self.split(x), batch)

        gradient = jax.grad(self.criterion)
        y, forward = jax.linearize(outputs, self.x)
        _, curved = jax.jvp(lambda y: gradient(y, batch), (y,), (forward(v),))
        return jax.linear_transpose(forward, v)(curved)[0]


def hessian(
    loss: Callable[[Any, Any], Float[Array, ""]], parameters: Any, batches: Any = None
) -> Hessian:
    """The Hessian of the mean of ``loss(parameters, batch)`` over batches.

    A loss that itself stops gradients, as a layer with a detached normalisation does, has
    the derivatives that training sees: pass such layers through
    ``sigprop.layers.lru.attached`` first for those of the loss.

    Args:
        loss: Function of the parameters and a batch that returns the loss. It is
            differentiated in reverse mode and then in forward mode.
        parameters: A tree of real arrays; its entries in the order of
            ``jax.flatten_util.ravel_pytree``.
        batches: A tree of arrays whose first axis counts the batches; left out where the
            loss needs no data, and takes ``None`` for it.

    Raises:
        ValueError: If there is no parameter, one is not a real floating-point number, a
            layer has a detached normalisation, or arrays disagree on the number of
            batches.

    Example:
        >>> matrix = hessian(lambda x, _: (x**3).sum(), jnp.array([1.0, 2.0]))
        >>> matrix(jnp.ones(2)).tolist()  # 6 x
        [6.0, 12.0]
    """
    return Hessian(*_flat(parameters, batches), loss)


def gauss_newton(
    outputs: Callable[[Any, Any], Float[Array, "..."]],
    criterion: Callable[[Any, Any], Float[Array, ""]],
    parameters: Any,
    batches: Any = None,
) -> GaussNewton:
    """The Gauss-Newton matrix of ``criterion(outputs(parameters, batch), batch)``.

    ``S`` are the second derivatives of the criterion by the outputs; the matrix is the
    Hessian but for what the second derivatives of the outputs add.

    Args:
        outputs: Function of the parameters and a batch that returns the model's
            outputs. It can be differentiated in forward and in reverse mode.
        criterion: The loss of one batch's outputs.
        parameters: Tree of real arrays, as ``hessian`` takes it.
        batches: Tree of arrays whose first axis counts the batches, as ``hessian``
            takes it.

    Raises:
        ValueError: As ``hessian``.

    Example:
        >>> x = jnp.array([1.0, 2.0])
        >>> matrix = gauss_newton(lambda x, _: x**2, lambda y, _: (y**2).sum(), x)
        >>> matrix(jnp.ones(2)).tolist()  # 2 (2 x)^2
        [8.0, 32.0]
    """
    return GaussNewton(*_flat(parameters, batches), outputs, criterion)


def label_indices(
    tree: Any, labels: Any, names: tuple[str, ...]
) -> Int[np.ndarray, " p"]:
    """The number of the label of each entry of ``ravel_pytree(tree)``.

    Args:
        tree: Parameters.
        labels: A tree of the same structure, a name in the place of each array.
        names: All names; an entry's number is its name's place among them.

    Raises:
        ValueError: If a label is none of the names.
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
    """Sums over the entries of each of ``count`` groups."""
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
    """Number of batches; one where there are no arrays."""
    counts = {np.shape(leaf)[:1] for leaf in jax.tree.leaves(batches)} or {(1,)}
    if len(counts) > 1 or not all(map(any, counts)):
        raise ValueError(
            f"need arrays of one and the same number of batches, got {sorted(counts)}"
        )
    return sum(*counts)
