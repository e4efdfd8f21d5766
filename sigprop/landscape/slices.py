"""Slices of any loss along normalised directions, and one landscape in closed form.

A *unit* is a group of parameters that act together.  In a diagonal recurrence, a mode is a
unit, with its eigenvalue, its row of ``B`` and its column of ``C``.  Elsewhere, a row of a
matrix with its bias is a unit.  A random direction is scaled in each unit to the length of
the unit's parameters.  The usual recipe scales whole tensors instead.  All eigenvalues
would then move by the size of the largest.  The usual recipe also omits vectors, and a
diagonal recurrence consists of vectors.

A mode does not change if its row of ``B`` is multiplied by ``a`` and its column of ``C`` by
``1 / a``.  Lengths are measured for the ``a`` that makes both equally long.  Slices thus do
not depend on ``a``.

Source: Li et al. (2018), Section 4, for filters; modes are ours.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Complex, Float, Int, PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.lru import attached
from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.linear.infinite_loss import Geometric, pair_sums, spectrum
from sigprop.numerics import arguments
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from sigprop.theory import overlaps
from sigprop.theory import teacher_student as theory
from sigprop.theory.symbols import a, alpha, b, beta, rho

Model = Any  # a pytree whose inexact arrays are the parameters
Loss = Callable[[Model], Float[Array, ""]]
Indices = Int[np.ndarray, "units entries"]
BATCH = 64  # points of a slice that are computed at once


class Units(NamedTuple):
    """Groups of parameters (units) by which directions are scaled.

    Attributes:
        label: Index of the unit of each parameter, in the order of ``ravel_pytree``.
        scale: Factor of each parameter when the length of its unit is computed.
    """

    label: Int[np.ndarray, " p"]
    scale: Float[np.ndarray, " p"]

    def lengths(self, x: Float[np.ndarray, " p"]) -> Float[np.ndarray, " p"]:
        """Length of the unit of each parameter, for a vector of parameters."""
        squares = np.bincount(self.label, (self.scale * x) ** 2)
        return np.sqrt(squares)[self.label]


def units(model: Model) -> Units:
    """Group the parameters of a layer or network into units, such as rows or modes.

    A unit is a group of parameters that act together; ``normalise`` scales each unit of
    a direction separately.  In a diagonal layer, the eigenvalue and the weights of each
    mode form one unit.  In any other matrix, such as a dense recurrent matrix, each row
    is one unit.  The entry of a bias belongs to the unit of the matching row of
    weights.

    Args:
        model: A layer, a network or any other pytree of parameters.

    Returns:
        An object whose ``label`` is the index of the unit of each parameter, in the
        order of ``jax.flatten_util.ravel_pytree``.

    Raises:
        ValueError: If ``model`` has no parameters.

    Example:
        Four modes have seven parameters each: modulus, phase, gain, and real and
        imaginary parts of ``B`` and ``C``.  One more unit is the only entry of ``D``:

        >>> from sigprop.layers import lru
        >>> groups = units(lru(4, 1, key=jax.random.key(0)))
        >>> np.bincount(groups.label).tolist()
        [7, 7, 7, 7, 1]
    """
    params = only_parameters(model)
    x = np.asarray(ravel_pytree(params)[0], np.float64)
    label, scale = np.arange(x.size), np.ones(x.size)
    leaves, tree = jax.tree.flatten(params)
    ends = np.cumsum([leaf.size for leaf in leaves])
    with double_precision(True):
        numbers = [
            jnp.arange(end - leaf.size, end, dtype=float).reshape(leaf.shape)
            for leaf, end in zip(leaves, ends, strict=True)
        ]
        numbered = eqx.combine(jax.tree.unflatten(tree, numbers), model)
        for rows in _rows(numbered):
            label[rows] = rows[:, :1]
        for mode in _modes(numbered):
            label[mode.all] = mode.all[:, :1]
            scale[mode.B], scale[mode.C] = _balance(x[mode.B], x[mode.C])
    return Units(np.unique(label, return_inverse=True)[1], scale)


class _Modes(NamedTuple):
    """Indices of the parameters of each mode, one mode a row.

    Attributes:
        all: All parameters.
        B: Input weights.
        C: Output weights.
    """

    all: Indices
    B: Indices
    C: Indices


def _balance(B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of ``B`` and ``C`` that make each mode's weights equally long.

    The product of the two factors of a mode is one.
    """
    inward, outward = (np.linalg.norm(rows, axis=1) for rows in (B, C))
    usable = (inward > 0) & (outward > 0)
    ratio = np.sqrt(np.divide(outward, inward, where=usable, out=np.ones_like(inward)))[
        :, None
    ]
    return np.broadcast_to(ratio, B.shape), np.broadcast_to(1 / ratio, C.shape)


def _rows(model: Model) -> Iterator[Indices]:
    """Rows of every array; a bias belongs to the row of its weights."""

    def paired(node: Any) -> bool:
        return getattr(node, "weight", None) is not None and hasattr(node, "bias")

    for node in jax.tree.leaves(model, is_leaf=paired):
        if paired(node):
            arrays = [array for array in (node.weight, node.bias) if array is not None]
            length = len(arrays[-1])
            yield _indices(*(array.reshape(length, -1) for array in arrays))
        elif eqx.is_inexact_array(node):
            width = node.shape[-1] if node.ndim > 1 else 1
            yield _indices(node.reshape(-1, width))


def _modes(model: Model) -> Iterator[_Modes]:
    layers = jax.tree.leaves(model, is_leaf=lambda node: isinstance(node, Layer))
    halves = (
        half for layer in layers if isinstance(layer, Layer) for half in layer.halves()
    )
    for half in halves:
        if isinstance(half, S4D):
            parts = (half.C_re, half.C_im, half.log_neg_re, half.im)
            none = np.zeros((0, 1), int)
            yield _Modes(_indices(*(part.reshape(-1, 1) for part in parts)), none, none)
        elif isinstance(half, (DiagonalLayer, S5)):
            values = vars(half)
            recurrent = [
                values[name][:, None]
                for name, group in half.groups().items()
                if group == "recurrent"
            ]
            B = _indices(half.B_re, half.B_im)
            C = _indices(half.C_re.T, half.C_im.T)
            yield _Modes(np.concatenate([B, C, _indices(*recurrent)], 1), B, C)


def _indices(*parts: Any) -> Indices:
    return np.concatenate([np.asarray(part) for part in parts], 1).astype(int)


def only_parameters(model: Model) -> Model:
    """Replace everything but the parameters of a model by None.

    Parameters are the floating-point arrays.  The directions of ``slices`` and
    ``quadratic`` have the structure of the result.

    Raises:
        ValueError: If the model has no parameters.

    Example:
        An LRU has eight arrays of parameters:

        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> len(jax.tree.leaves(only_parameters(layer)))
        8
    """
    alone = eqx.filter(model, eqx.is_inexact_array)
    if not jax.tree.leaves(alone):
        raise ValueError(
            f"need a model or a direction with arrays of parameters, got {model!r:.60}"
        )
    return alone


def normalise(direction: Model, model: Model) -> Model:
    """Scale each unit of a direction to the length of the same unit of the model.

    A unit is, for example, a row of a matrix or a mode of a diagonal layer; see
    ``units``.  The length of a unit is the Euclidean norm of the unit's parameters.
    For a mode of a diagonal layer, the length is measured after ``B`` and ``C`` are
    scaled to equal norms.  A unit in which the direction is zero remains zero.

    Args:
        direction: A pytree with the structure and shapes of the model's parameters.
        model: A layer, a network or any other pytree; see ``units``.

    Raises:
        ValueError: If the direction's parameters differ in shape from the model's.

    Example:
        The only row of the matrix has length 5:

        >>> way = normalise(jnp.array([[2.0, 0.0]]), jnp.array([[3.0, 4.0]]))
        >>> way.tolist()
        [[5.0, 0.0]]
    """
    params = only_parameters(model)
    shapes = [
        jax.tree.map(jnp.shape, tree) for tree in (only_parameters(direction), params)
    ]
    if shapes[0] != shapes[1]:
        raise ValueError(
            "need a direction with the parameters of the model, as landscape.direction "
            "draws it"
        )
    groups = units(model)
    x, split = ravel_pytree(params)
    vector = np.asarray(ravel_pytree(only_parameters(direction))[0], np.float64)
    norms, target = groups.lengths(vector), groups.lengths(np.asarray(x, np.float64))
    return split(jnp.asarray(vector * target / np.where(norms > 0, norms, 1), x.dtype))


def direction(key: PRNGKeyArray, model: Model) -> Model:
    """Draw a random Gaussian direction in parameter space, scaled by ``normalise``.

    Multiplying ``B`` of a diagonal layer and dividing ``C`` by the same factor does not
    change the loss along the direction for a given key.

    Args:
        key: Random key.
        model: A layer, a network or any other pytree; see ``units``.

    Returns:
        The direction, as a pytree with the structure and shapes of the model's
        parameters.

    Raises:
        ValueError: If the model has no parameters.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> direction(jax.random.key(1), layer).B_re.shape
        (4, 2)
    """
    x, split = ravel_pytree(only_parameters(model))
    normal = jax.random.normal(key, x.shape, x.dtype)
    return normalise(split(normal / jnp.asarray(units(model).scale, x.dtype)), model)


def require_directions(directions: Any, steps: Any) -> None:
    """Refuse an empty sequence of directions, or another number of directions than steps.

    Raises:
        ValueError: If there are no directions, or not as many as steps.
    """
    if isinstance(directions, str) or not 0 < len(directions) == len(steps):
        raise ValueError(
            f"need one array of steps a direction, got {len(steps)} for "
            f"{len(directions)} directions: {steps!r:.40}, {directions!r:.40}"
        )


def moved(model: Model, directions: Sequence[Model], steps: Sequence[Any]) -> Model:
    """Return a model with multiples of directions added to its parameters.

    Args:
        model: A layer, a network or any other pytree.
        directions: One or more pytrees with the structure of the model's parameters,
            for example from ``direction``.
        steps: Factor by which each direction is multiplied.

    Raises:
        ValueError: If there are not as many factors in ``steps`` as directions, a
            factor is not finite, or the model has no parameters.

    Example:
        Half of the direction (1, 0) is added to (1, 1):

        >>> moved(jnp.ones(2), [jnp.array([1.0, 0.0])], [0.5]).tolist()
        [1.5, 1.0]
    """
    require_directions(directions, steps)
    only_parameters(model)
    for step in steps:
        arguments.require_moderate("steps", step)
    params, static = eqx.partition(model, eqx.is_inexact_array)
    for step, tree in zip(steps, directions, strict=True):
        params = jax.tree.map(
            lambda x, v, s=step: x + s * v, params, only_parameters(tree)
        )
    return eqx.combine(params, static)


def slices(
    loss: Loss,
    model: Model,
    directions: Sequence[Model],
    steps: Sequence[Float[Any, " _"]],
    batch: int = BATCH,
) -> Float[Array, "*grid"]:
    """Compute the loss on a grid along one or more directions through a model.

    A grid point is the model plus a multiple of each direction.

    Args:
        loss: Function of a model that returns its loss.  It need not be differentiable.
        model: A layer, a network or any other pytree, at the origin of the grid.
        directions: One or more pytrees with the structure of the model's parameters,
            for example from ``direction``.
        steps: For each direction, a vector of factors by which the direction is
            multiplied.
        batch: Number of grid points that are computed at once.  A smaller number needs
            less memory.

    Returns:
        The losses, with one axis for each direction.

    Raises:
        ValueError: If there are not as many vectors in ``steps`` as directions, a
            factor is not finite, or ``batch`` is below one.

    Example:
        The loss ``x**2 + y**2`` at ``x = 0, 1, 2`` and ``y = 1``:

        >>> way = jnp.array([1.0, 0.0])
        >>> steps = jnp.array([-1.0, 0.0, 1.0])
        >>> slices(lambda x: (x**2).sum(), jnp.ones(2), [way], [steps]).tolist()
        [1.0, 2.0, 5.0]
    """
    require_directions(directions, steps)
    for values in steps:
        arguments.require_moderate("steps", values, "steps")
    batch = arguments.require_count("batch", batch)
    grid = jnp.meshgrid(*map(jnp.asarray, steps), indexing="ij")
    losses = _at_points(
        loss, model, list(directions), [axis.ravel() for axis in grid], batch
    )
    return losses.reshape(grid[0].shape)


@eqx.filter_jit
def _at_points(loss, model, directions, points, batch):
    return lax.map(
        lambda steps: loss(moved(model, directions, steps)), points, batch_size=batch
    )


class Quadratic(NamedTuple):
    """Second-order Taylor expansion of a loss along directions.

    Call the expansion with one vector of factors for each direction to get the
    quadratic approximation of the loss on the grid of these factors.

    Attributes:
        value: Loss of the model around which the loss is expanded.
        gradient: Derivative of the loss along each direction.
        hessian: Second derivative ``u' H v`` for each pair of directions ``u``, ``v``.

    Example:
        The loss ``x**2 + y**2`` at (1, 1), along ``x``:

        >>> way = jnp.array([1.0, 0.0])
        >>> found = quadratic(lambda x: (x**2).sum(), jnp.ones(2), [way])
        >>> float(found.value), found.gradient.tolist(), found.hessian.tolist()
        (2.0, [2.0], [[2.0]])
    """

    value: Float[np.ndarray, ""]
    gradient: Float[np.ndarray, " k"]
    hessian: Float[np.ndarray, "k k"]

    def __call__(self, *steps: Float[Any, " _"]) -> Float[np.ndarray, "*grid"]:
        """The quadratic loss on a grid of steps, with one axis for each direction.

        Args:
            steps: For each direction, a vector of factors by which the direction is
                multiplied.
        """
        grid = np.stack(np.meshgrid(*steps, indexing="ij"), -1)
        bent = np.einsum("...i,ij,...j->...", grid, self.hessian, grid) / 2
        return self.value + grid @ self.gradient + bent


def quadratic(loss: Loss, model: Model, directions: Sequence[Model]) -> Quadratic:
    """Compute the gradient and the Hessian of a loss along directions, exactly.

    The loss is differentiated in reverse mode and then in forward mode.  If training
    stops the gradient of a normalisation, it is differentiated here nevertheless.  The
    result is thus the expansion of the loss that ``slices`` computes.

    Args:
        loss: Function of a model that returns its loss, twice differentiable.
        model: A layer, a network or any other pytree.
        directions: One or more pytrees with the structure of the model's parameters,
            for example from ``direction``.

    Raises:
        ValueError: If there are no directions, or a direction has no parameters.

    Example:
        The Hessian of ``x * y**2`` at (1, 1):

        >>> ways = [jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])]
        >>> quadratic(lambda x: x[0] * x[1] ** 2, jnp.ones(2), ways).hessian.tolist()
        [[0.0, 2.0], [2.0, 2.0]]
    """
    require_directions(directions, directions)
    terms = _second_order(loss, attached(model), list(directions))
    return Quadratic(*map(np.asarray, terms))


@eqx.filter_jit
def _second_order(loss, model, directions):
    params, static = eqx.partition(model, eqx.is_inexact_array)
    x, split = ravel_pytree(params)
    rows = jnp.stack([ravel_pytree(only_parameters(tree))[0] for tree in directions])

    def flat(x):
        return loss(eqx.combine(split(x), static))

    value, gradient = jax.value_and_grad(flat)(x)
    products = lax.map(lambda v: jax.jvp(jax.grad(flat), (x,), (v,))[1], rows)
    return value, rows @ gradient, products @ rows.T


def second_difference(
    loss: Loss, model: Model, direction: Model, step: float = 1e-3
) -> float:
    """Estimate the curvature along a direction from five values of the loss.

    The points are the model plus -2, -1, 0, 1 and 2 times ``step`` times the direction.
    The error is of fourth order in ``step``.  The step must be small compared with the
    width of minima along the direction.  Minima are narrow if time constants are long.

    Args:
        loss: Function of a model that returns its loss.  It need not be differentiable.
        model: A layer, a network or any other pytree.
        direction: Direction ``u`` of the curvature ``u' H u``.
        step: Distance of successive points, as a factor of ``direction``.

    Raises:
        ValueError: If ``step`` is not positive and finite.

    Example:
        The second derivative of ``x**3`` at 1 is 6:

        >>> one = jnp.ones(1)
        >>> round(second_difference(lambda x: (x**3).sum(), one, one, 0.1), 2)
        6.0
    """
    arguments.require_number("step", step, 0, arguments.LARGEST)
    steps = step * jnp.arange(-2, 3)
    weights = jnp.array([-1, 16, -30, 16, -1]) / (12 * step**2)
    return float(slices(loss, model, [direction], [steps]) @ weights)


def surface(
    task: OneDimensional,
    rows: Float[Any, " rows"],
    columns: Float[Any, " columns"],
    parametrisation: Parametrisation | None = None,
) -> Float[Array, "rows columns"]:
    """Compute the exact loss of a ``OneDimensional`` task on a grid of students.

    Four million students take a tenth of a second if sequences are infinitely long.

    Args:
        task: Task, which defines the teacher's eigenvalue, the input and the sequence
            length.
        rows: Values of the parameter that sets the student's modulus.  Without a
            parametrisation, real parts of the student's eigenvalue.
        columns: Values of the parameter that sets the student's angle.  Without a
            parametrisation, imaginary parts of the student's eigenvalue.
        parametrisation: Parametrisation of the student's eigenvalue.  Default: none,
            i.e. the axes are the real and imaginary part.

    Returns:
        The losses.  For infinitely long sequences, the loss is infinite if the student is
        not stable.

    Raises:
        ValueError: If ``rows`` or ``columns`` is not a vector of finite numbers.

    Source: Zucchet & Orvieto (2024), Eq. 86-93 and 101.

    Example:
        The second student equals the teacher:

        >>> from sigprop.tasks import OneDimensional
        >>> task = OneDimensional(0.5 + 0j)
        >>> losses = surface(task, np.array([0.0, 0.5]), np.array([0.0]))
        >>> losses.shape, float(losses[1, 0])
        ((2, 1), 0.0)
    """
    arguments.require_moderate("rows", rows, "rows")
    arguments.require_moderate("columns", columns, "columns")
    rows, columns = jnp.asarray(rows), jnp.asarray(columns)
    if task.length is not None:
        return _finite_surface(task, rows, columns, parametrisation)
    covariance = spectrum(task.process)
    numbers = (
        tuple(map(jnp.asarray, covariance)) if isinstance(covariance, Geometric) else ()
    )
    teacher = jnp.asarray(task.teacher)
    return _surface(
        rows,
        columns,
        teacher,
        numbers,
        None if numbers else covariance,
        parametrisation,
        task.normalised,
    )


@functools.cache
def _geometric() -> Callable[..., Any]:
    return compile_expr(overlaps.mixed(), alpha, beta, a, b, rho)


@functools.cache
def _gain() -> Callable[..., Any]:
    return compile_expr(theory.gain(theory.nu), theory.nu)


def _student(
    row: Array, column: Array, parametrisation: Parametrisation | None
) -> tuple[Array, Array]:
    """Modulus and eigenvalue; the modulus has the sign that the parametrisation gives it."""
    if parametrisation is None:
        return jnp.hypot(row, column), lax.complex(row, column)
    modulus, angle = parametrisation.polar(Coordinates(row, column))
    return modulus, lax.complex(modulus * jnp.cos(angle), modulus * jnp.sin(angle))


@functools.partial(jax.jit, static_argnames=("lags", "parametrisation", "normalised"))
def _surface(rows, columns, teacher, numbers, lags, parametrisation, normalised):
    pair = pair_sums(lags) if lags else _geometric()

    def shared(x: Complex[Array, "*n"], y: Complex[Array, "*#n"]) -> Array:
        return pair(x, y.conj(), *numbers).real

    gain = _gain() if normalised else jnp.ones_like
    g_teacher = gain(jnp.abs(teacher))

    def line(row: Float[Array, ""]) -> Float[Array, " columns"]:
        modulus, lam = _student(jnp.full_like(columns, row), columns, parametrisation)
        g = gain(modulus)
        alike = g**2 * shared(lam, lam) + g_teacher**2 * shared(teacher, teacher)
        loss = alike / 2 - g * g_teacher * shared(lam, teacher)
        return jnp.where(jnp.abs(modulus) < 1, loss, jnp.inf)

    return lax.map(line, rows)


@functools.partial(jax.jit, static_argnames=("task", "parametrisation"))
def _finite_surface(task, rows, columns, parametrisation):
    def point(coordinates: tuple[Array, Array]) -> Float[Array, ""]:
        modulus, lam = _student(*coordinates, parametrisation)
        sign = jnp.where(modulus < 0, -1, 1)  # a negative modulus turns by pi
        return task.loss(modulus, jnp.angle(sign * lam))

    across, up = jnp.meshgrid(columns, rows)
    losses = lax.map(point, (up.ravel(), across.ravel()), batch_size=BATCH)
    return losses.reshape(up.shape)
