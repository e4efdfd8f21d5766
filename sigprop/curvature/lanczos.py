"""Spectra and traces of large symmetric matrices, from their products with vectors.

The Lanczos iteration computes a tridiagonal matrix from ``steps`` products.  The
eigenvalues of the tridiagonal matrix are the Ritz values.  They approach the eigenvalues of
``H``, first at the ends of the spectrum.  The Ritz values are also the nodes of a Gauss
quadrature for ``start^T f(H) start``, exact for polynomials ``f`` of degree
``2 steps - 1``.  The mean over random starts estimates the trace of ``f(H)``, with a
standard error.

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
LARGEST = 1e150  # largest entry; its square is finite
BREAKDOWN = 16  # rounding errors of the largest entry, below which a remainder is zero


@final
@dataclass(frozen=True)
class Krylov:
    """Lanczos decomposition of a matrix from one start vector, made by ``lanczos``.

    Attributes:
        start: Start vector.
        alphas: Diagonal of the tridiagonal matrix.
        betas: Off-diagonal of the tridiagonal matrix, and at the end the length of the
            last remainder.
        basis: Orthonormal basis, one vector a row; the first is parallel to ``start``.
        values: Ritz values, in increasing order.
        residuals: ``|H y - value y|`` of each Ritz vector ``y``, without rounding errors.
            An eigenvalue lies at most this far from ``value``.
        weights: Weights of the quadrature: the squared component of ``start`` along each
            Ritz vector.
        rotation: Ritz vectors in coordinates of the basis, one a column.
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
        """Unit Ritz vectors of the Ritz values with these indices, one a row."""
        columns = jnp.asarray(self.rotation[:, which], self.basis.dtype)
        return np.asarray(columns.T @ self.basis)

    def image(self) -> Float[np.ndarray, " p"]:
        """The product of the matrix with ``start``, from the first step.

        Raises:
            ValueError: If there was only one step and ``start`` is no eigenvector.
        """
        if self.alphas.size < 2 and self.betas[0] > 0:
            raise ValueError("need two steps or more for the image, got one")
        first = np.append(self.alphas[:1], self.betas[:1])[: self.alphas.size]
        length = jnp.linalg.norm(self.start)
        return np.asarray(
            length * (jnp.asarray(first, self.start.dtype) @ self.basis[:2])
        )


def lanczos(product: Product, start: Float[Array, " p"], steps: int) -> Krylov:
    """Run the Lanczos iteration with full reorthogonalisation.

    The iteration ends early if a product lies in the span of the earlier vectors.  The
    nodes and weights are then exact, and all Ritz values are eigenvalues.  The residuals
    omit rounding errors; ``Pairs.residuals`` includes them.

    Args:
        product: Function that multiplies the symmetric matrix by a vector.  If it is a
            pytree, such as the result of ``hessian``, its arrays are arguments of the
            compiled program.
        start: Start vector, not zero, in the precision of the products.
        steps: Number of products.

    Raises:
        ValueError: If ``steps`` is not between 1 and the size of ``start``, if ``start``
            is zero or not finite, or if a product is not finite.

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
    """Number of steps before the remainder is zero up to rounding.

    Later steps would start from rounding noise.  A remainder of exactly zero is divided
    by, which gives a vector that is not finite.
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
    """Nodes and weights from independent random starts, made by ``quadrature``.

    Attributes:
        nodes: Nodes of each start, which approximate eigenvalues.
        weights: Weight of each node.  The weights of a start add up to the number of
            eigenvalues.
    """

    nodes: Float[np.ndarray, "probes steps"]
    weights: Float[np.ndarray, "probes steps"]

    def integrate(self, f: Callable[[Any], Any]) -> Estimate:
        """Estimate the trace of ``f(H)``.

        Args:
            f: Function of the array of nodes, applied to each eigenvalue.  Its result may
                have further axes at the end.
        """
        return estimate(np.einsum("ps,ps...->p...", self.weights, f(self.nodes)))

    def trace(self) -> Estimate:
        """Estimate the sum of the eigenvalues; the only error is from the random starts."""
        return self.integrate(lambda node: node)

    def square(self) -> Estimate:
        """Estimate the sum of squared eigenvalues, i.e. of all squared matrix entries."""
        return self.integrate(np.square)

    def density(self, at: Float[np.ndarray, " n"], width: float) -> Estimate:
        """Estimate the number of eigenvalues per unit length, smoothed by a Gaussian.

        Args:
            at: Positions on the axis of eigenvalues.
            width: Standard deviation of the Gaussian.

        Raises:
            ValueError: If ``width`` is not positive.
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
    """Estimate the spectrum of a symmetric matrix by stochastic Lanczos quadrature.

    Each Lanczos iteration yields nodes, which are approximate eigenvalues, and their
    weights.  Together they approximate the spectrum.  The entries of the start vectors
    are random signs.

    Args:
        key: Random key, which must not be used again; start vector ``i`` uses
            ``fold_in(key, i)``.
        product: Function that multiplies the symmetric matrix by a vector of size p, such
            as the result of ``hessian``.
        like: Any vector with the size and the floating-point type of the start vectors.
        steps: Number of Lanczos steps for each start vector; each step takes one
            product.
        probes: Number of independent start vectors, at least two.  They are processed
            one after the other, so they do not add to the memory.
        tap: Function that is called with the Lanczos decomposition of each start
            vector.  Default: does nothing.

    Returns:
        Nodes and weights for each start vector.  If an iteration ends early, the
        remaining nodes have weight zero.

    Raises:
        ValueError: If ``probes`` is below two, if ``steps`` is not between 1 and p, or if
            a product is not finite.

    Source: Ubaru, Chen & Saad (2017), Algorithm 1.

    Example:
        The trace of a matrix with the eigenvalues 1, 2, 3, 4 and 5:

        >>> import jax, jax.numpy as jnp
        >>> H = jnp.diag(jnp.arange(1.0, 6.0))
        >>> key, like = jax.random.key(0), jnp.ones(5)
        >>> found = quadrature(key, lambda v: H @ v, like, steps=5, probes=3)
        >>> round(float(found.integrate(lambda nodes: nodes).mean), 2)
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
    """Draw a vector of random signs with the size and precision of ``like``.

    Among independent entries of mean zero and variance one, signs estimate traces with the
    smallest variance.

    Source: Hutchinson (1990).
    """
    return jax.random.rademacher(key, like.shape, like.dtype)


def participation(vectors: Float[np.ndarray, "n p"]) -> Float[np.ndarray, " n"]:
    """Effective number of nonzero entries of each vector, ``(sum v^2)^2 / sum v^4``.

    Args:
        vectors: Vectors, one in each row.

    Raises:
        ValueError: If a vector is zero or not finite.

    Example:
        The first vector has one nonzero entry, the second has two equal entries:

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
    """Some eigenvalues and orthonormal eigenvectors, or approximations of them.

    Attributes:
        values: Eigenvalues.
        vectors: Eigenvectors, one a row.
    """

    values: Float[np.ndarray, " k"]
    vectors: Float[np.ndarray, "k p"]

    def residuals(self, product: Product) -> Float[np.ndarray, " k"]:
        """The residual ``|H y - value y|`` of each pair, from a new product.

        An eigenvalue lies at most this far from ``value``.  Unlike ``Krylov.residuals``,
        it includes rounding errors of the product.
        """
        vectors = jnp.asarray(self.vectors)
        values = jnp.asarray(self.values, vectors.dtype)
        return np.asarray(_residuals(product, values, vectors), float)

    def parts(
        self, run: Krylov, groups: Int[np.ndarray, " p"], count: int
    ) -> Float[np.ndarray, "2 groups"]:
        """Estimate two sums over the rows of each group, from one random start.

        The first sum is of the diagonal entries, and the second of the squares of all
        entries.  Each is the exact sum for the known part ``A = sum value y y^T``, plus an
        estimate for ``H - A``.  The result is unbiased if the pairs do not depend on the
        start.  Its variance is smaller the closer ``A`` is to ``H``.

        Args:
            run: Lanczos decomposition of ``H`` from a start of random signs.
            groups: Index of the group of each row.
            count: Number of groups.

        Source: Hutchinson (1990) for ``v * H v``; Meyer et al. (2021) for the known part.
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
    """Mean and standard error over the first axis, which runs over independent draws.

    Returns:
        The mean, its standard error and the number of draws.

    Raises:
        ValueError: If there are fewer than two draws, or one is not finite or above
            1e150 in absolute value.

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
