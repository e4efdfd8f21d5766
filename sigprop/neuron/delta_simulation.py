"""Simulation of heads of the delta rule with long memory, with control variates.

A head in this module has a key of two entries, a value of one entry and three inputs.  The
key depends on the first two inputs; gate and value depend on all.  Control variates reduce
the variance of time averages, as in ``gated_simulation``.  A control variate is a function
of the present input minus its mean, times a moment of the past.  The functions are
monomials of the input times harmonics of the key's angle, and their means are known.  A
wrong weight of a control variate increases the variance and does not change the mean.

Notation: z  inputs;  k  key;  beta  gate;  v  value;  h  state;  s  derivative of the state
by a weight;  y  ``(1, x)`` with ``x = h``, ``s`` or ``(h, s)``;  M  one step, ``y' = M y``.

Source: ``sigprop.theory.delta_moments``.
"""

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.neuron.gated_simulation import products
from sigprop.neuron.montecarlo import Sums, by_reading
from sigprop.numerics.compilation import SOME

WIDTH, KEYS = 3, 2
DEGREE, HARMONICS = 4, 4  # of monomials and harmonics; products have at most four keys
# Nodes of a radius and the third input; the latter for weights of controls.
FINE, COARSE = (32, 8), (6, 5)
ROUND, NARROW = (
    64,
    8.0,
)  # nodes of the angle: of round keys, and more the narrower they are
NEAREST, FARTHEST = 1e-3, 8.5  # range of radii
BLOCK, BATCH = 32, 128  # steps with the same weights; trajectories per batch
CUT = 1e-11  # smallest eigenvalue kept, relative to the largest
READINGS = ("state", "W_v", "W_beta")
Nodewise = Float[np.ndarray, " nodes"]


class Deltas(NamedTuple):
    """Weights of several heads.

    Attributes:
        W_k: Weights of the keys.
        W_v: Weights of the values.
        W_beta: Weights of the logits of the gates.
        tiny: Constant that is added to the squared length ``|W_k u|^2`` of a key.
    """

    W_k: Float[np.ndarray, "heads keys width"]
    W_v: Float[np.ndarray, "heads width"]
    W_beta: Float[np.ndarray, "heads width"]
    tiny: float

    @property
    def ratios(self) -> Float[np.ndarray, " heads"]:
        """Smaller over larger singular value of each head's key weights."""
        sizes = np.linalg.svd(self.W_k[..., :KEYS], compute_uv=False)
        return sizes[:, 1] / sizes[:, 0]


def _powers() -> list[tuple[int, ...]]:
    grid = itertools.product(range(DEGREE + 1), repeat=WIDTH)
    return [powers for powers in grid if sum(powers) <= DEGREE]


def _turn(deltas: Deltas, head: int) -> tuple[float, float]:
    """Return the angles of the keys' longer axis in the input and in the key."""
    left, _, right = np.linalg.svd(deltas.W_k[head, :, :KEYS])
    if np.linalg.det(left) * np.linalg.det(right) < 0:
        raise ValueError("need keys that keep the order of their inputs' axes")
    if np.linalg.det(left) < 0:
        left[:, 1], right[1] = -left[:, 1], -right[1]
    return math.atan2(right[0, 1], right[0, 0]), math.atan2(left[1, 0], left[0, 0])


def _angles(
    deltas: Deltas, head: int, count: int
) -> tuple[Nodewise, Nodewise, Nodewise]:
    """Return angles of the input and of the key, and weights.

    The angles are denser in regions where the input or the key turns fast.
    """
    ratio = deltas.ratios[head]
    seen, key = _turn(deltas, head)
    middle = (np.arange(count) + 0.5) * 2 * np.pi / count
    root, x, y = math.sqrt(ratio), np.cos(middle), np.sin(middle)
    weights = root / (ratio * x**2 + y**2)
    angle = np.arctan2(y, root * x) + seen
    return angle, np.arctan2(root * y, x) + key, weights / weights.sum()


def _near_zero(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return radii of two inputs and weights, with many radii near zero for short keys.

    This is a trapezoidal rule in the logarithm, whose error falls exponentially.
    """
    radius = np.exp(np.linspace(math.log(NEAREST), math.log(FARTHEST), count))
    weights = radius**2 * np.exp(-(radius**2) / 2)
    return radius, weights / weights.sum()


def _few(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return radii of two inputs and weights, by Gauss-Laguerre for half the square."""
    half, weights = np.polynomial.laguerre.laggauss(count)
    return np.sqrt(2 * half), weights


def _nodes(
    deltas: Deltas, head: int, fine: bool
) -> tuple[Float[np.ndarray, "nodes width"], Nodewise]:
    """Return nodes and weights; fine nodes give moments to one part in ten thousand."""
    angles = ROUND + round(NARROW * math.sqrt(2 / deltas.ratios[head]))
    radii, across = FINE if fine else COARSE
    angle, _, by_angle = _angles(deltas, head, angles)
    radius, by_radius = (_near_zero if fine else _few)(radii)
    third, by_third = np.polynomial.hermite_e.hermegauss(across)
    a, r, t = (x.ravel() for x in np.meshgrid(angle, radius, third, indexing="ij"))
    weights = np.multiply.outer(np.multiply.outer(by_angle, by_radius), by_third)
    z = np.stack([r * np.cos(a), r * np.sin(a), t], 1)
    return z, (weights / weights.sum()).ravel()


def _functions(z, unit, stack):
    """Return monomials of inputs (3, ...), and harmonics of unit vectors (2, ...)."""
    powers = [[one**n for n in range(DEGREE + 1)] for one in z]
    lines = products(powers, _powers())
    c, s = unit
    waves, now = [c**0], (c, s)
    for _ in range(HARMONICS):
        waves += [now[0], now[1]]
        now = now[0] * c - now[1] * s, now[0] * s + now[1] * c
    return stack(lines), stack(waves)


def means(deltas: Deltas) -> Float[np.ndarray, "heads functions"]:
    """Return the means of the functions in the control variates of each head.

    The integrals over the third input and over the radius have closed forms.
    """
    found = []
    for head in range(len(deltas.W_k)):
        angle, key, weights = _angles(deltas, head, 2**14)
        x, y = np.cos(angle), np.sin(angle)
        _, waves = _functions(np.zeros(WIDTH), (np.cos(key), np.sin(key)), np.stack)
        rows = []
        for a, b, c in _powers():
            radius = 2 ** ((a + b) / 2) * math.gamma(1 + (a + b) / 2)
            third = 0.0 if c % 2 else math.prod(range(1, c, 2))
            rows.append(radius * third * (waves @ (weights * x**a * y**b)))
        found.append(np.ravel(rows))
    return np.stack(found)


class _At(NamedTuple):
    """A head at nodes of the input."""

    z: Float[np.ndarray, "nodes width"]
    k: Float[np.ndarray, "nodes keys"]
    beta: Nodewise
    v: Nodewise


def _at(deltas: Deltas, head: int, z: Float[np.ndarray, "nodes width"]) -> _At:
    x = z @ deltas.W_k[head].T
    k = x / np.sqrt((x**2).sum(1, keepdims=True) + deltas.tiny)
    beta = 1 / (1 + np.exp(-z @ deltas.W_beta[head]))
    return _At(z, k, beta, z @ deltas.W_v[head])


def _recursions(at: _At) -> Iterator[tuple[int, Float[np.ndarray, "nodes s s"]]]:
    """Yield the index of a reading, and ``M`` for each of its directions."""
    pairs = at.k[:, :, None] * at.k[:, None]
    A = np.eye(KEYS) - at.beta[:, None, None] * pairs
    h = (at.beta * at.v)[:, None] * at.k
    yield 0, _affine(A, h)
    for f in at.z.T:
        yield 1, _affine(A, (at.beta * f)[:, None] * at.k)
    for f in at.z.T:
        slope = f * at.beta * (1 - at.beta)
        C, d = -slope[:, None, None] * pairs, (slope * at.v)[:, None] * at.k
        yield 2, _affine(np.block([[A, 0 * A], [C, A]]), np.concatenate([h, d], 1))


def _affine(
    A: Float[np.ndarray, "nodes n n"], b: Float[np.ndarray, "nodes n"]
) -> Float[np.ndarray, "nodes s s"]:
    """Return ``M`` for ``x' = A x + b``."""
    M = np.pad(A, ((0, 0), (1, 0), (1, 0)))
    M[:, 0, 0], M[:, 1:, 0] = 1, b
    return M


@functools.cache
def _doubled(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the map from entries ``i <= j`` of a symmetric matrix to all, and indices."""
    upper = [(i, j) for i in range(size) for j in range(i, size)]
    whole = np.zeros((size**2, len(upper)))
    for place, (i, j) in enumerate(upper):
        whole[i * size + j, place] = whole[j * size + i, place] = 1
    return whole, np.array([i * size + j for i, j in upper])


def _moved(M: Float[np.ndarray, "nodes s s"]) -> Float[np.ndarray, "nodes m m"]:
    """Return one step of ``1``, ``x`` and the entries ``i <= j`` of ``x x^T`` as a matrix."""
    nodes, size, _ = M.shape
    whole, upper = _doubled(size)
    MM = np.einsum("nik,njl->nijkl", M, M).reshape(nodes, size**2, size**2)
    return MM[:, upper] @ whole


def _mean_moved(
    weights: Nodewise, M: Float[np.ndarray, "nodes s s"]
) -> Float[np.ndarray, "m m"]:
    """Return the mean of ``_moved`` over nodes, without storing each node's matrix."""
    nodes, size, _ = M.shape
    whole, upper = _doubled(size)
    flat = M.reshape(nodes, size**2)
    MM = ((weights[:, None] * flat).T @ flat).reshape([size] * 4).transpose(0, 2, 1, 3)
    return MM.reshape(size**2, size**2)[upper] @ whole


def _asked(size: int) -> Float[np.ndarray, " m"]:
    """Return a mask of the entries that are summed: the last two squares of ``y``."""
    _, upper = _doubled(size)
    return np.isin(upper, [(size - 1) * (size + 1), (size - 2) * (size + 1)]) * 1.0


def stepped(deltas: Deltas, steps: int) -> Mapping[str, Float[np.ndarray, " heads"]]:
    """Return time averages of the moments, by recursion with quadrature over the inputs.

    Args:
        deltas: Weights of the heads.
        steps: Number of steps of the average, from the zero state.

    Returns:
        The averages of each head by the names ``READINGS``.
    """
    found = np.zeros((len(READINGS), len(deltas.W_k)))
    for head in range(len(deltas.W_k)):
        z, weights = _nodes(deltas, head, fine=True)
        for reading, M in _recursions(_at(deltas, head, z)):
            mean = _mean_moved(weights, M)
            now = np.eye(len(mean))[0]
            asked = _asked(M.shape[1])
            for _ in range(steps):
                now = mean @ now
                found[reading, head] += asked @ now / steps
    return dict(zip(READINGS, found, strict=True))


def controls(
    deltas: Deltas, steps: int
) -> Float[np.ndarray, "blocks heads moments functions"]:
    """Return the weights of the control variates for each block of steps.

    Args:
        deltas: Weights of the heads.
        steps: Number of steps of the simulation, a multiple of ``BLOCK``.

    Returns:
        The weight of each function times each moment of the past.
    """
    whole = []
    for head in range(len(deltas.W_k)):
        z, weights = _nodes(deltas, head, fine=False)
        x = z @ deltas.W_k[head].T
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        lines, waves = _functions(z.T, unit.T, np.stack)
        Phi = (lines[:, None] * waves).reshape(-1, len(z)).T
        Phi = Phi - weights @ Phi
        weighted = weights[:, None] * Phi
        inverse = np.linalg.pinv(Phi.T @ weighted, rcond=CUT, hermitian=True)
        project = inverse @ weighted.T
        columns = []
        for _, M in _recursions(_at(deltas, head, z)):
            matrix = _moved(M)
            size = matrix.shape[1]
            fitted = (project @ matrix.reshape(len(z), -1)).reshape(-1, size, size)
            asked = _asked(M.shape[1]) / steps
            theta = _thetas(_mean_moved(weights, M), asked, steps)
            columns.append(np.einsum("tj,fjm->tmf", theta, fitted))
        whole.append(np.concatenate(columns, 1))
    return np.stack(whole, 1)


def _thetas(
    mean: Float[np.ndarray, "m m"], one: Float[np.ndarray, " m"], steps: int
) -> Float[np.ndarray, "blocks m"]:
    """Return the weight of each moment in the time average, averaged over each block."""
    theta, by_step = np.zeros_like(one), []
    for _ in range(steps):
        theta = one + theta @ mean
        by_step.append(theta)
    return np.stack(by_step[::-1]).reshape(-1, BLOCK, len(one)).mean(1)


def _entries(x: Float[Array, "size batch"]) -> list[Float[Array, " batch"]]:
    """Return ``1``, ``x`` and the entries ``i <= j`` of ``x x^T``."""
    size = len(x)
    products = [x[i] * x[j] for i in range(size) for j in range(i, size)]
    return [jnp.ones_like(x[0]), *x, *products]


def _advance(h, weights, u, k):
    """Apply the delta rule of one head: correct the state along the key."""
    W_beta, W_v = weights
    return h + sigmoid(W_beta @ u) * (W_v @ u - k @ h) * k


def _one(h, moved, W_beta, W_v, u, k):
    """Return one step of the state, and of its derivatives by weights of value and gate."""
    eye, none = jnp.eye(WIDTH), jnp.zeros((WIDTH, WIDTH))

    def along(s, of_beta, of_v):
        tangents = s, (of_beta, of_v)
        return jax.jvp(lambda h, w: _advance(h, w, u, k), (h, (W_beta, W_v)), tangents)[
            1
        ]

    by_v = jax.vmap(along)(moved[0], none, eye)
    by_beta = jax.vmap(along)(moved[1], eye, none)
    return _advance(h, (W_beta, W_v), u, k), jnp.stack([by_v, by_beta])


_MANY = jax.vmap(_one, (-1, -1, None, None, -1, -1), -1)  # over trajectories


def _surprise(
    h: Float[Array, "keys batch"],
    moved: Float[Array, "2 width keys batch"],
    expected: Float[Array, "moments batch"],
) -> Float[Array, "readings batch"]:
    """Return moments of the past times the centred functions, summed for each reading."""
    moments = [
        _entries(h),
        [entry for s in moved[0] for entry in _entries(s)],
        [entry for s in moved[1] for entry in _entries(jnp.concatenate([h, s]))],
    ]
    taken = iter(expected)
    return jnp.stack([sum(next(taken) * entry for entry in part) for part in moments])


@functools.partial(jax.jit, compiler_options=SOME)
def _batch(
    key: PRNGKeyArray,
    W_k: Float[Array, "heads keys width"],
    W_v: Float[Array, "heads width"],
    W_beta: Float[Array, "heads width"],
    tiny: Float[Array, ""],
    centres: Float[Array, "heads functions"],
    control: Float[Array, "blocks heads moments functions"],
) -> Float[Array, "readings heads batch"]:
    """Return sums over time of the squares minus the control variates times the steps.

    Trajectories are the last axis, so that every product is a product of long vectors.
    """
    heads, steps = len(W_k), len(control) * BLOCK

    def step(carry, head, W, u):
        h, moved, total = carry
        W_k, W_v, W_beta, centres = head
        x = W_k @ u
        square = jnp.sum(x**2, 0, keepdims=True)
        lines, waves = _functions(u, x * jax.lax.rsqrt(square), jnp.stack)
        Phi = (lines[:, None] * waves[None]).reshape(-1, BATCH)
        # Rounding after centring causes an error per step but no bias.
        surprises = (Phi - centres[:, None]).astype(jnp.float32)
        surprise = _surprise(h, moved, (W @ surprises).astype(Phi.dtype))
        k = x * jax.lax.rsqrt(square + tiny)
        h, moved = _MANY(h, moved, W_beta, W_v, u, k)
        squares = [jnp.sum(h**2, 0), *jnp.sum(moved**2, (1, 2))]
        return h, moved, total + jnp.stack(squares) - steps * surprise

    every = jax.vmap(step, (0, 0, 0, None))
    all_heads = (W_k, W_v, W_beta, centres)

    def block(carry, now):
        W, keys = now
        # Outside a step; inside, XLA would copy the generator into each of its loops.
        u = jax.vmap(lambda k: jax.random.normal(k, (BATCH, WIDTH), W_k.dtype))(keys)

        def advance(carry, u):
            return every(carry, all_heads, W, u), None

        return jax.lax.scan(advance, carry, jnp.swapaxes(u, 1, 2))[0], None

    start = (
        jnp.zeros((heads, KEYS, BATCH), W_k.dtype),
        jnp.zeros((heads, 2, WIDTH, KEYS, BATCH), W_k.dtype),
        jnp.zeros((heads, len(READINGS), BATCH), W_k.dtype),
    )
    keys = jax.random.split(key, (len(control), BLOCK))
    _, _, total = jax.lax.scan(block, start, (control, keys))[0]
    return jnp.swapaxes(total, 0, 1)


def simulate(
    key: PRNGKeyArray,
    deltas: Deltas,
    control: Float[np.ndarray, "blocks heads moments functions"],
    num: int,
) -> Mapping[str, Sums]:
    """Simulate time averages of the squared state and of its squared derivatives.

    The averages include the control variates, which reduce their variance.

    Args:
        key: Random key of JAX; do not use it for anything else.
        deltas: Weights of the heads.
        control: Weights of the control variates, from ``controls``.  Their number of
            blocks times ``BLOCK`` is the number of steps.
        num: Number of independent trajectories.

    Returns:
        Sums over the trajectories by the names ``READINGS``.
    """
    steps = len(control) * BLOCK
    arrays = [jnp.asarray(one) for one in (*deltas, means(deltas))]
    arrays.append(jnp.asarray(control, jnp.float32))

    def task(index: int, count: int) -> Sums:
        drawn = _batch(jax.random.fold_in(key, index), *arrays)
        values = np.asarray(drawn)[..., :count] / steps
        return Sums(values.sum(2), (values**2).sum(2), count)

    return by_reading(task, num, BATCH, READINGS)
