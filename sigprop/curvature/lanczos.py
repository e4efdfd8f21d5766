"""Spectra and traces of large symmetric matrices, from their products with vectors.

Lanczos' iteration turns ``steps`` products into a tridiagonal matrix.  Its eigenvalues,
the Ritz values, approach the matrix's own from the ends of the spectrum inwards, and with
them as nodes ``start^T f(H) start`` is a Gauss quadrature, exact for polynomials of degree
``2 steps - 1``.  Averaged over random starts it is the trace of ``f(H)``, with a standard
error.

Source: Golub & Meurant (2010), Chapters 4 and 6; Ubaru, Chen & Saad (2017) for averages
over random starts; Hutchinson (1990) for random signs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from matfree import decomp
from scipy.linalg import eigh_tridiagonal

from sigprop.curvature.products import group_sums
from sigprop.neuron.montecarlo import Estimate
from sigprop.numerics.arguments import (
    require_count,
    require_finite,
    require_shape,
    require_within,
)

Product = Callable[[Float[Array, " p"]], Float[Array, " p"]]
LARGEST = 1e150  # whose square is finite
BREAKDOWN = 16  # roundings of the largest entry, below which a remainder is nothing


@final
@dataclass(frozen=True)
class Krylov:
    """Lanczos decomposition of a matrix from one start; build one with ``lanczos``.

    Attributes:
        start: The vector that was multiplied first.
        alphas: Diagonal of the tridiagonal matrix.
        betas: The numbers beside it, and at the end the length of what is left over.
        basis: Orthonormal, the direction of ``start`` first.
        values: Ritz values, in increasing order.
        residuals: ``|H y - value y|`` of every Ritz vector ``y``, without rounding.  An
            eigenvalue lies at most this far from ``value``.
        weights: Squares of ``start`` along the Ritz vectors, those of the quadrature.
        rotation: Ritz vectors in the basis, a column each.
    """

    start: Float[Array, " p"]
    alphas: Float[np.ndarray, " m"]
    betas: Float[np.ndarray, " m"]
    basis: Float[Array, "m p"]
    values: Float[np.ndarray, " m"]
    residuals: Float[np.ndarray, " m"]
    weights: Float[np.ndarray, " m"]
    rotation: Float[np.ndarray, "m m"]

    def vectors(self, which: Int[np.ndarray, " count"]) -> Float[np.ndarray, "count p"]:
        """Ritz vectors of the numbered values, each of length one."""
        columns = jnp.asarray(self.rotation[:, which], self.basis.dtype)
        return np.asarray(columns.T @ self.basis)

    def image(self) -> Float[np.ndarray, " p"]:
        """The matrix times ``start``, as the first step found it.

        Raises:
            ValueError: If there was no second step, and the first left something over.
        """
        if self.alphas.size < 2 and self.betas[0] > 0:
            raise ValueError("need two steps or more for the image, got one")
        first = np.append(self.alphas[:1], self.betas[:1])[: self.alphas.size]
        length = jnp.linalg.norm(self.start)
        return np.asarray(
            length * (jnp.asarray(first, self.start.dtype) @ self.basis[:2])
        )


def lanczos(product: Product, start: Float[Array, " p"], steps: int) -> Krylov:
    """Lanczos' iteration, every new vector made orthogonal to all before it.

    The iteration ends early if a product lies in the span of the earlier vectors.  The
    nodes, the weights and as many eigenvalues are then exact.  The residuals omit
    rounding errors; ``Pairs.residuals`` includes them, by new products.

    Args:
        product: A symmetric matrix times a vector.  Arrays that it holds as a tree, as
            those of ``sigprop.curvature.products`` do, are arguments of one program.
        start: Not zero; its precision is that of the products.
        steps: Products taken.

    Raises:
        ValueError: Unless ``1 <= steps <= p``, ``start`` is finite and not zero, and all
            products are finite.

    Source: Golub & Meurant (2010), Section 4.1.
    """
    if not 1 <= steps <= start.size:
        raise ValueError(f"need 1 <= steps <= {start.size}, got {steps=}")
    length = float(jnp.linalg.norm(start))
    if not (np.isfinite(length) and length > 0):
        raise ValueError(f"need a finite start that is not zero, got length {length}")
    *arrays, basis = _tridiagonalise(product, start, steps)
    alphas, beside, remainder, finite = (np.asarray(array) for array in arrays)
    alphas, betas = alphas.astype(float), np.append(beside, remainder).astype(float)
    m = _sound_steps(alphas, betas, finite, float(jnp.finfo(start.dtype).eps))
    alphas, betas = alphas[:m], np.nan_to_num(betas[:m])
    values, rotation = eigh_tridiagonal(alphas, betas[:-1])
    return Krylov(
        start=start,
        alphas=alphas,
        betas=betas,
        basis=basis[:m],
        values=values,
        residuals=np.abs(betas[-1] * rotation[-1]),
        weights=length**2 * rotation[0] ** 2,
        rotation=rotation,
    )


@eqx.filter_jit
def _tridiagonalise(product: Product, start: Float[Array, " p"], steps: int) -> Any:
    run = decomp.tridiag_sym(steps, materialize=False, custom_vjp=False)
    result: Any = run(product, start)  # its type covers decompositions of two bases
    basis, (alphas, beside), remainder, _ = result
    return alphas, beside, jnp.linalg.norm(remainder), jnp.isfinite(basis).all(1), basis


def _sound_steps(
    alphas: Float[np.ndarray, " m"],
    betas: Float[np.ndarray, " m"],
    finite: Bool[np.ndarray, " m"],
    rounding: float,
) -> int:
    """Steps until nothing was left over: what comes later starts from noise.

    A remainder of exactly zero is divided by, and makes a vector that is not finite.
    """
    count = int(np.argmin(np.append(np.isfinite(alphas), False)))
    if count < alphas.size and finite[count]:
        raise ValueError(
            f"need finite products, got a NaN or infinity in step {count + 1}; is the "
            "loss finite there, and twice differentiable?"
        )
    left = np.nan_to_num(betas[:count])
    nothing = left <= BREAKDOWN * rounding * np.abs([*alphas[:count], *left]).max()
    return int(np.argmax(nothing)) + 1 if nothing.any() else count


@final
@dataclass(frozen=True)
class Quadrature:
    """Nodes and weights of independent random starts; build one with ``quadrature``.

    The weights of a start add up to the size of the matrix: they count eigenvalues.
    """

    nodes: Float[np.ndarray, "probes steps"]
    weights: Float[np.ndarray, "probes steps"]

    def integrate(self, f: Callable[[Any], Any]) -> Estimate:
        """The trace of ``f(H)``; ``f`` may add axes after those of the nodes."""
        return estimate(np.einsum("ps,ps...->p...", self.weights, f(self.nodes)))

    def trace(self) -> Estimate:
        """The sum of the eigenvalues, exact but for the starts."""
        return self.integrate(lambda node: node)

    def square(self) -> Estimate:
        """The sum of their squares, which is that of all entries of the matrix."""
        return self.integrate(np.square)

    def density(self, at: Float[np.ndarray, " n"], width: float) -> Estimate:
        """Eigenvalues to an interval of length one, smoothed by a Gaussian.

        Args:
            at: Where.
            width: Standard deviation of the Gaussian.

        Raises:
            ValueError: If the width is not positive.
        """
        if not width > 0:
            raise ValueError(f"need a positive width, got {width}")
        peak = 1 / (width * np.sqrt(2 * np.pi))
        return self.integrate(
            lambda node: peak * np.exp(-0.5 * ((at - node[..., None]) / width) ** 2)
        )


def quadrature(
    key: PRNGKeyArray,
    product: Product,
    like: Float[Array, " p"],
    *,
    steps: int,
    probes: int,
    tap: Callable[[Krylov], None] = lambda run: None,
) -> Quadrature:
    """Stochastic Lanczos quadrature from vectors of random signs.

    A start that ends early has nodes of weight zero.

    Args:
        key: Consumed here; start ``i`` uses ``fold_in(key, i)``.
        product: Function that multiplies a vector (p,) by the symmetric matrix, as
            ``lanczos`` takes it.
        like: A vector of the size and precision of the starts.
        steps: Products a start.
        probes: Independent starts, two or more; held one at a time.
        tap: Called with what each start found.

    Raises:
        ValueError: If ``probes < 2``, or as ``lanczos``.

    Source: Ubaru, Chen & Saad (2017), Algorithm 1.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> H = jnp.diag(jnp.arange(1.0, 6.0))
        >>> key, like = jax.random.key(0), jnp.ones(5)
        >>> found = quadrature(key, lambda v: H @ v, like, steps=5, probes=3)
        >>> round(float(found.integrate(lambda nodes: nodes).mean), 2)  # the trace
        15.0
    """
    probes = require_count("probes", probes, least=2)  # for a standard error
    steps = require_count("steps", steps)
    if steps > like.size:
        raise ValueError(f"need steps <= {like.size}, the size of like, got {steps=}")
    nodes, weights = [], []
    for i in range(probes):
        run = lanczos(product, random_signs(jax.random.fold_in(key, i), like), steps)
        padding = (0, steps - run.values.size)
        nodes.append(np.pad(run.values, padding, "edge"))
        weights.append(np.pad(run.weights, padding))
        tap(run)
    return Quadrature(np.stack(nodes), np.stack(weights))


def random_signs(key: PRNGKeyArray, like: Float[Array, " p"]) -> Float[Array, " p"]:
    """Independent signs, of the size and precision of a vector.

    Of all independent entries of mean zero and variance one they estimate traces with the
    least variance.

    Source: Hutchinson (1990).
    """
    return jax.random.rademacher(key, like.shape, like.dtype)


def participation(vectors: Float[np.ndarray, "n p"]) -> Float[np.ndarray, " n"]:
    """``(sum v^2)^2 / sum v^4``: over how many entries each vector is spread.

    Raises:
        ValueError: If a vector is zero, or not finite.

    Example:
        >>> participation(np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
        [1.0, 2.0]
    """
    require_shape("vectors", vectors, "n p")
    require_finite(vectors=vectors)
    largest = np.abs(np.asarray(vectors, float)).max(1, keepdims=True)
    if not (largest > 0).all():
        raise ValueError("need vectors that are not zero, got one of largest entry 0.0")
    _, exponent = np.frexp(largest)  # a power of two, so that nothing is rounded
    squares = np.ldexp(np.asarray(vectors, float), -exponent) ** 2
    return squares.sum(1) ** 2 / (squares**2).sum(1)


@final
@dataclass(frozen=True)
class Pairs:
    """Some eigenvalues and orthonormal eigenvectors, or what comes near them."""

    values: Float[np.ndarray, " k"]
    vectors: Float[np.ndarray, "k p"]

    def residuals(self, product: Product) -> Float[np.ndarray, " k"]:
        """``|H y - value y|`` by a new product each: an eigenvalue is as near.

        The product's own rounding counts, as it does not in ``Krylov.residuals``.
        """
        vectors = jnp.asarray(self.vectors)
        values = jnp.asarray(self.values, vectors.dtype)
        return np.asarray(_residuals(product, values, vectors), float)

    def parts(
        self, run: Krylov, groups: Int[np.ndarray, " p"], count: int
    ) -> Float[np.ndarray, "2 groups"]:
        """Estimates, from one random start, of two sums over the rows of each group.

        The first is that of diagonal entries, the second of squares of all entries in the
        row.  Both are what is known of the matrix, ``A = sum value y y^T``, plus the
        estimate of the rest: unbiased whatever the pairs, if these do not depend on the
        start, and the less scattered the nearer ``A`` is to the matrix.

        Source: Hutchinson (1990) for ``v * H v``; Meyer et al. (2021) for the part that is
        known.
        """
        v, image = np.asarray(run.start, float), run.image().astype(float)
        squares = np.asarray(self.vectors, float) ** 2
        known_image = (self.values * (self.vectors @ v)) @ self.vectors
        diagonal = v * (image - known_image) + self.values @ squares
        rows = image**2 - known_image**2 + self.values**2 @ squares
        return group_sums(np.stack([diagonal, rows]), groups, count)


@eqx.filter_jit
def _residuals(
    product: Product, values: Float[Array, " k"], vectors: Float[Array, "k p"]
) -> Float[Array, " k"]:
    return lax.map(
        lambda pair: jnp.linalg.norm(product(pair[1]) - pair[0] * pair[1]),
        (values, vectors),
    )


def estimate(draws: Float[np.ndarray, "n *shape"]) -> Estimate:
    """Mean of independent draws along the first axis, and its standard error.

    Raises:
        ValueError: With fewer than two draws, or one that is not finite.

    Example:
        >>> float(estimate(np.array([1.0, 2.0, 3.0])).mean)
        2.0
    """
    n = len(draws)
    if n < 2:
        raise ValueError(
            f"need two draws or more for an error, got {n} of shape {draws.shape}"
        )
    require_within("draws", draws, -LARGEST, LARGEST, "[]")
    return Estimate(draws.mean(0), draws.std(0, ddof=1) / n**0.5, n)
