"""Simulation of gated neurons with long memory, with control variates.

A trajectory carries states, sensitivities and running sums of their squares through time,
so that the memory use does not depend on the length.  Control variates reduce the variance
of the time averages.  A control variate is a Hermite polynomial of the present input times a
moment of the past.  Its mean is zero for any weight, so a wrong weight increases the variance
and does not change the mean.

Notation: u  inputs, shared by all neurons;  Phi  Hermite polynomials of one input;  m  the
moments ``1, h, s, h^2, h s, s^2`` of one trajectory;  theta  weights of moments.

Source: ``sigprop.theory.gated_moments``.
"""

import functools
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.neuron.gated import coefficients
from sigprop.neuron.montecarlo import Sums, by_reading
from sigprop.neuron.neurons import Neurons
from sigprop.numerics.compilation import SOME
from sigprop.numerics.compile import compile_expr
from sigprop.theory.gated_moments import LETTERS, MOMENTS, ORDERS, h, s
from sigprop.theory.gates import Gate

DEGREE = 8  # total degree of the polynomials; squares of derivatives have degree six
NODES = 40  # quadrature nodes per input, for the weights
BLOCK = 32  # steps with the same weights
BATCH = 256  # trajectories per batch
Hand = Callable[[list[Array], list[Array]], tuple[Array, Array]]


class Readings(NamedTuple):
    """Neurons of a simulation, and the parameters of the sensitivities.

    Attributes:
        neurons: Neurons of one gate.
        hand: Function from projections and gate parameters to the coefficients ``a`` and
            ``b``.
        by: Names of projections and gate parameters.  For a projection, the parameter of
            the sensitivity is its weight of the first input.
    """

    neurons: Neurons
    hand: Hand
    by: tuple[str, ...]


def readings(neurons: Neurons, hand: Hand | None = None) -> Readings:
    """Return the readings of a simulation for all projections and parameters of a gate.

    Args:
        neurons: Neurons of any gate; see ``sigprop.neuron.describe``.
        hand: Independent JAX code of the gate's coefficients ``a`` and ``b``.  Default:
            compiled from the gate.

    Example:
        >>> from sigprop.neuron import describe
        >>> from sigprop.theory.gates import MINGRU
        >>> rows = {"r": np.ones((1, 2)), "v": np.eye(1, 2)}
        >>> asked = readings(describe(MINGRU, rows).neurons)
        >>> sums = simulate(jax.random.key(1), asked, controls(asked, 2 * BLOCK), 512)
        >>> mean, sem, _ = sums["state"].estimate()
        >>> exact = stepped(asked, 2 * BLOCK)["state"]
        >>> bool((abs(mean - exact) < 6 * sem).all())
        True
    """
    gate = neurons.gate
    hand = by_gate(gate) if hand is None else hand
    return Readings(neurons, hand, tuple(map(str, gate.symbols)))


@functools.cache
def by_gate(gate: Gate) -> Hand:
    """Compile the coefficients ``a`` and ``b`` of a gate to a JAX function."""
    compiled = compile_expr([gate.a, gate.b], *gate.symbols)

    def hand(at: list[Array], parameters: list[Array]) -> tuple[Array, Array]:
        a, b = compiled(*at, *parameters)
        return a + 0 * at[0], b + 0 * at[0]

    return hand


def _degrees(width: int) -> list[tuple[int, ...]]:
    grid = itertools.product(range(DEGREE + 1), repeat=width)
    return [powers for powers in grid if 0 < sum(powers) <= DEGREE]


def _hermite(u: Any, degrees: list[tuple[int, ...]], stack: Any) -> Any:
    """Return products of normalised Hermite polynomials of the inputs (width, ...)."""
    lines = []
    for one in u:
        line = [one**0, one]
        for n in range(2, DEGREE + 1):
            grown = one * line[-1] - math.sqrt(n - 1) * line[-2]
            line.append(grown / math.sqrt(n))
        lines.append(line)
    return stack(products(lines, degrees))


def products(
    lines: Sequence[Sequence[Any]], powers: Sequence[tuple[int, ...]]
) -> list[Any]:
    """Return the product of ``line[n]`` over all lines, for each row of indices ``n``.

    Args:
        lines: A list of values per factor.
        powers: Rows with one index per line.
    """
    return [
        functools.reduce(
            operator.mul, [line[n] for line, n in zip(lines, row, strict=True)]
        )
        for row in powers
    ]


@functools.cache
def _step_matrix() -> Callable[..., Any]:
    """Compile the entries of the matrix of one step on ``m``, given its coefficients."""
    from sympy import Integer, Poly

    a, b, c, d = LETTERS
    rows = [[Integer(1), *[Integer(0)] * len(ORDERS)]]
    for i, j in ORDERS:
        after = Poly((a * h + b) ** i * (a * s + c * h + d) ** j, h, s)
        rows.append([after.coeff_monomial(h**k * s**n) for k, n in [(0, 0), *ORDERS]])
    return compile_expr(
        [entry for row in rows for entry in row], *LETTERS, backend="numpy"
    )


def _matrices(
    asked: Readings, by: str | None, u: Float[np.ndarray, "nodes width"]
) -> Float[np.ndarray, "moments moments neurons nodes"]:
    """Return the matrices of one step on the moments, for every input."""
    neurons = asked.neurons
    parts = coefficients(neurons, neurons.weights @ u.T, by)
    if by is None:
        parts = [*parts, 0 * parts[0], 0 * parts[0]]
    elif by not in map(str, neurons.gate.parameters):
        parts[2:] = [part * u[:, 0] for part in parts[2:]]
    entries = [np.broadcast_to(one, parts[0].shape) for one in _step_matrix()(*parts)]
    size = len(MOMENTS) + 1
    return np.stack(entries).reshape(size, size, *parts[0].shape)


def stepped(asked: Readings, steps: int) -> Mapping[str, Float[np.ndarray, " neurons"]]:
    """Return time averages of the moments, by recursion with quadrature over the inputs.

    Args:
        asked: Neurons and parameters.
        steps: Number of steps of the average, from the zero state.

    Returns:
        The averages of ``h^2`` (``state``), and of ``s^2`` by each name in ``asked.by``.
    """
    width = asked.neurons.weights.shape[2]
    z, w = np.polynomial.hermite_e.hermegauss(NODES)
    u = np.array(list(itertools.product(z, repeat=width)))
    weights = functools.reduce(np.multiply.outer, [w / w.sum()] * width).ravel()
    found = {}
    for by in (None, *asked.by):
        mean = np.moveaxis(_matrices(asked, by, u) @ weights, -1, 0)
        now = np.zeros(mean.shape[:2])
        now[:, 0] = 1.0
        total = 0.0 * now
        for _ in range(steps):
            now = np.einsum("nij,nj->ni", mean, now)
            total = total + now
        last = 1 + ORDERS.index((2, 0) if by is None else (0, 2))
        found[by or "state"] = total[:, last] / steps
    return found


def controls(
    asked: Readings, steps: int
) -> Float[np.ndarray, "blocks neurons readings moments polynomials"]:
    """Return the weights of the control variates for each block of ``BLOCK`` steps.

    Args:
        asked: Neurons and parameters.
        steps: Number of steps of the simulation.

    Returns:
        The weight of each polynomial times each moment of the past.
    """
    neurons = asked.neurons
    n, _, width = neurons.weights.shape
    degrees = _degrees(width)
    z, w = np.polynomial.hermite_e.hermegauss(NODES)
    u = np.array(list(itertools.product(z, repeat=width)))
    weights = functools.reduce(np.multiply.outer, [w / w.sum()] * width).ravel()
    Phi = _hermite(u.T, degrees, np.stack)
    blocks = -(-steps // BLOCK)
    size, found = len(MOMENTS) + 1, []
    for by in (None, *asked.by):
        matrix = _matrices(asked, by, u)
        mean = np.moveaxis(matrix @ weights, -1, 0)
        surprise = np.einsum("ijnz,kz->nijk", matrix * weights, Phi)
        last = (2, 0) if by is None else (0, 2)
        theta = np.zeros((n, size))
        one = np.eye(size)[1 + ORDERS.index(last)] / steps
        by_step = []
        for _ in range(steps):
            theta = one + np.einsum("ni,nij->nj", theta, mean)
            by_step.append(theta)
        whole = np.stack(by_step[::-1])
        theta_blocks = np.stack(
            [whole[k * BLOCK : (k + 1) * BLOCK].mean(0) for k in range(blocks)]
        )
        found.append(np.einsum("tni,nijk->tnjk", theta_blocks, surprise))
    return np.stack(found, 2)


@functools.partial(
    jax.jit, static_argnames=("hand", "by", "gate", "batch"), compiler_options=SOME
)
def _batch(
    key: PRNGKeyArray,
    weights: Float[Array, "neurons k width"],
    offsets: Float[Array, "neurons k"],
    own: Float[Array, "neurons own"],
    control: Float[Array, "blocks neurons readings moments polynomials"],
    hand: Hand,
    by: tuple[str, ...],
    gate: Gate,
    batch: int,
) -> tuple[
    Float[Array, "readings neurons batch"], Float[Array, "readings neurons batch"]
]:
    """Return sums over time of the squares, and of the control variates.

    Trajectories are the last axis, so that every product is a product of long vectors.
    """
    n, k, width = weights.shape
    degrees = _degrees(width)
    names = [str(one) for one in gate.projections]

    def gated(u: Float[Array, "width batch"]):
        at = [weights[:, j] @ u + offsets[:, j, None] for j in range(k)]
        mine = [
            jnp.broadcast_to(own[:, j, None], at[0].shape) for j in range(own.shape[1])
        ]
        a, b = hand(at, mine)
        slopes = []
        for place, name in enumerate(by):
            first, second = [0 * x for x in at], [0 * x for x in mine]
            if name in names:
                first[place] = jnp.broadcast_to(u[:1], at[0].shape)
            else:
                second[place - len(names)] = jnp.ones_like(at[0])
            slopes.append(jax.jvp(hand, (at, mine), (first, second))[1])
        return a, b, slopes

    def step(carry, u):
        h, moved, squares, total, W = carry
        G = jnp.tensordot(W, _hermite(u, degrees, jnp.stack), 1)
        a, b, slopes = gated(u)
        one, none = jnp.ones_like(h), jnp.zeros_like(h)
        added = []
        for place, slope in enumerate((none, *moved)):
            m = (one, h, slope, h * h, h * slope, slope * slope)
            added.append(sum(G[:, place, i] * part for i, part in enumerate(m)))
        later = [a * s + c * h + d for s, (c, d) in zip(moved, slopes, strict=True)]
        h = a * h + b
        squares = squares + jnp.stack([x * x for x in (h, *later)])
        return (h, tuple(later), squares, total + jnp.stack(added), W), None

    def block(carry, now):
        W, keys = now
        # Outside a step; inside, XLA would copy the generator into each of its loops.
        u = jax.vmap(lambda k: jax.random.normal(k, (batch, width), weights.dtype))(
            keys
        )
        *carry, _ = jax.lax.scan(step, (*carry, W), jnp.swapaxes(u, 1, 2))[0]
        return tuple(carry), None

    zero = jnp.zeros((n, batch), weights.dtype)
    sums = jnp.zeros((len(by) + 1, n, batch), weights.dtype)
    keys = jax.random.split(key, (len(control), BLOCK))
    start = (zero, (zero,) * len(by), sums, sums)
    _, _, squares, total = jax.lax.scan(block, start, (control, keys))[0]
    return squares, total


def simulate(
    key: PRNGKeyArray,
    asked: Readings,
    control: Float[np.ndarray, "blocks neurons readings moments polynomials"],
    num: int,
) -> Mapping[str, Sums]:
    """Simulate time averages of the squared state and the squared sensitivities.

    The averages include the control variates, which reduce their variance.

    Args:
        key: Random key of JAX; do not use it for anything else.
        asked: Neurons and parameters.
        control: Weights of the control variates, from ``controls``.  Their number of
            blocks times ``BLOCK`` is the number of steps.
        num: Number of independent trajectories.

    Returns:
        Sums over the trajectories for ``state``, and for each name in ``asked.by``.
    """
    neurons, steps = asked.neurons, len(control) * BLOCK
    arrays = [jnp.asarray(one) for one in (*neurons[1:], control)]

    def task(index: int, count: int) -> Sums:
        part = jax.random.fold_in(key, index)
        squares, total = _batch(
            part, *arrays, asked.hand, asked.by, neurons.gate, BATCH
        )
        values = (np.asarray(squares) / steps - np.asarray(total))[..., :count]
        return Sums(values.sum(2), (values**2).sum(2), count)

    return by_reading(task, num, BATCH, ("state", *asked.by))
