"""Evidence for the listing of RotRNN (2024), Appendix C, and for Appendix B.3."""

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm
from jaxtyping import Float

from sigprop.evidence.kit import bisect, points
from sigprop.evidence.rotrnn.forward import (
    binary_operator,
    listing_factor,
    listing_outputs,
)
from sigprop.evidence.rotrnn.heads import (
    WIDTH,
    WRONG_OUTPUTS,
    Sequence,
    dense,
    dense_outputs,
    factors,
    inputs,
    layer,
    layer_outputs,
    parameters,
)
from sigprop.evidence.rotrnn.random_matrices import Matrix, draw, skew
from sigprop.evidence.rotrnn.rotations import exponential_of
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_by_eigenvalues,
    exponential_series,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.rotrnn import RotRNN, rotrnn
from sigprop.numerics.precision import double_precision
from sigprop.theory.rotation import combine_is_associative

Stretch = tuple[float, Float[np.ndarray, " planes"], Float[np.ndarray, " size"]]

# Lines of ``forward``.


def factor_of_listing(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """``xi`` of the listing."""
    with double_precision(True):
        return np.asarray(jax.jit(listing_factor)(parameters(seed, heads, size)))


def factor_of_layer(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """``|xi B|`` over ``|B|`` in each head of the layer."""
    p = parameters(seed, heads, size)
    with double_precision(True):
        B = np.asarray(jax.jit(RotRNN.normalised_B)(layer(p))).reshape(p.B.shape)
    return np.linalg.norm(B, axis=(1, 2)) / np.linalg.norm(p.B, axis=(1, 2))


def factor_of_heads(**point: int) -> Float[np.ndarray, " heads"]:
    """Factor on ``B`` in each head, by Eq. 11 at ``c = 1``."""
    p = parameters(**point)
    return factors(p.decays, p.B)


def otherwise(change, **point: int) -> Float[np.ndarray, " heads"]:
    """Factor on ``B`` in each head for other decays and another ``B``."""
    p = parameters(**point)
    return factors(*change(p.decays, p.B))


WRONG_FACTORS = {
    "gamma not squared": partial(otherwise, lambda gammas, B: (gammas**0.5, B)),
    "the trace of all heads": partial(
        otherwise, lambda gammas, B: (gammas, [B.reshape(-1, WIDTH)] * len(B))
    ),
    "one decay for all": partial(
        otherwise, lambda gammas, B: ([gammas.mean()] * len(B), B)
    ),
    "no root": lambda **point: factor_of_heads(**point) ** 2,
}


def rotation_of_listing(seed: int, size: int) -> Matrix:
    """``P`` of one head of the listing."""
    M = draw(seed, 1, size, size)
    with double_precision(True):
        return np.asarray(jax.jit(expm)(jnp.asarray(M - M.transpose(0, 2, 1))))[0]


# The operator of the scan.


def _stretches(seed: int) -> list[Stretch]:
    """Decay, angles and state of three intervals of time."""
    return [(0.5 + 0.1 * i, draw(seed + i, 2), draw(seed + 9 + i, 4)) for i in range(3)]


def joined(seed: int, left: bool) -> Float[np.ndarray, " parts"]:
    """``binf`` of three intervals, joined from the left or from the right."""
    with double_precision(True):
        a, b, c = ((g, jnp.asarray(t), jnp.asarray(x)) for g, t, x in _stretches(seed))
        if left:
            total = binary_operator(binary_operator(a, b), c)
        else:
            total = binary_operator(a, binary_operator(b, c))
        return np.concatenate([np.ravel(part) for part in total])


def joined_by_steps(
    seed: int, sign: int = 1, order: int = 1, power: int = 1
) -> Float[np.ndarray, " parts"]:
    """The recurrence over two intervals in complex numbers.

    Args:
        seed: Seed of the intervals.
        sign: Sign of the angles.
        order: Order of the intervals.
        power: Power of the decay.
    """
    gammas, angles, states = zip(*_stretches(seed)[::order], strict=True)
    h = np.zeros(2, complex)
    for gamma, angle, state in zip(gammas, angles, states, strict=True):
        h = gamma**power * np.exp(1j * sign * angle) * h + state.view(complex)
    return np.concatenate([[np.prod(gammas)], sum(angles), h.view(float)])


# Random initial values.


def skip_of_layer(seed: int, matrix: bool) -> Sequence:
    """Skip term of the layer, with the listing's vector or Eq. 13's matrix."""
    p = parameters(seed, 2, 4)
    with double_precision(True):
        model = layer(p._replace(D=np.diag(p.D)) if matrix else p)
        return np.asarray(model.skip(jnp.asarray(inputs(seed))))


def skip_of_listing(seed: int, change=np.asarray) -> Sequence:
    """``D * u``, with ``D`` changed."""
    return change(parameters(seed, 2, 4).D) * inputs(seed)


def decay_of_listing(u1: float, r_min: float, r_max: float) -> float:
    """``gamma`` as the listing draws it from a uniform number, and reads it back."""
    gamma_log = np.log(-0.5 * np.log(u1 * (r_max**2 - r_min**2) + r_min**2))
    return np.exp(-np.exp(gamma_log))


def decay_of_uniform_square(u1: float, r_min: float, r_max: float) -> float:
    """The decay below which a share ``u1`` of the area of the ring lies, by bisection."""
    ring = math.pi * (r_max**2 - r_min**2)
    return bisect(lambda r: math.pi * (r**2 - r_min**2) / ring < u1, r_min, r_max)


def angles_of_listing(heads: int, size: int) -> float:
    """Number of angles per head in ``init_params`` as printed; none if NumPy fails."""
    try:
        shape: Any = (heads, size / 2)
        return np.random.default_rng(0).uniform(0, 1, shape).shape[1]
    except TypeError:
        return math.nan


def planes(A: Matrix) -> float:
    """Number of planes that a matrix rotates: half its nonreal eigenvalues."""
    return np.sum(np.abs(np.linalg.eigvals(A).imag) > 1e-9) / 2


def angles_of_layer(heads: int, size: int) -> float:
    """Number of planes that the layer's transition rotates."""
    p = parameters(1, heads, size)
    with double_precision(True):
        return planes(np.asarray(jax.jit(RotRNN.transition)(layer(p)))[0])


def angles_of_loops(heads: int, size: int) -> float:
    """Number of planes that the dense matrices rotate."""
    ((A, _), *_) = dense(parameters(1, heads, size))
    return planes(A)


def variance_of_listing(rows: int, columns: int) -> float:
    """Square of the listing's factor on a standard normal ``B`` or ``C``, measured."""
    plain = np.random.RandomState(0).normal(size=(rows, columns))
    scaled = np.random.RandomState(0).normal(size=(rows, columns)) / np.sqrt(columns)
    return np.mean(scaled**2) / np.mean(plain**2)


def variance_of_layer(rows: int, columns: int) -> float:
    """Square of the layer's factor on a standard normal ``B``, measured from its key."""

    def scaled(key):
        plain = jax.random.normal(jax.random.split(key, 6)[3], (rows, columns))
        return rotrnn(rows, columns, key=key, heads=1).B, plain

    with double_precision(True):
        B, plain = jax.jit(scaled)(jax.random.key(3))
    return np.mean(np.square(B)) / np.mean(np.square(plain))


EVIDENCE: dict[str, Basis] = {
    "rotrnn:listing:xi": Evidence(
        points("seed heads size", (1, 2, 4), (3, 1, 4)),
        {"listing": factor_of_listing, "layer": factor_of_layer},
        factor_of_heads,
        mutants=WRONG_FACTORS,
    ),
    "rotrnn:listing:P": Evidence(
        points("seed size", (1, 4)),
        {
            "series": lambda **point: exponential_series(skew(**point)),
            "eigenvalues": lambda **point: exponential_by_eigenvalues(skew(**point)),
        },
        rotation_of_listing,
        mutants={
            "M^T - M": partial(exponential_of, lambda M: M.T - M),
            "M + M^T": partial(exponential_of, lambda M: M + M.T),
            "half of it": partial(exponential_of, lambda M: (M - M.T) / 2),
        },
    ),
    "rotrnn:listing:binf": Evidence(
        points("seed", 1, 2, 3),
        {"left": partial(joined, left=True), "right": partial(joined, left=False)},
        joined_by_steps,
        proof=combine_is_associative,
        mutants={
            "turned back": partial(joined_by_steps, sign=-1),
            "the later stretch first": partial(joined_by_steps, order=-1),
            "states not decayed": partial(joined_by_steps, power=0),
        },
    ),
    "rotrnn:listing:forward": Evidence(
        points("seed heads size", (1, 2, 4)),
        {"listing": listing_outputs, "layer": layer_outputs},
        dense_outputs,
        mutants=WRONG_OUTPUTS,
    ),
    "rotrnn:listing:skip": Evidence(
        points("seed", 1, 2),
        {
            "vector": partial(skip_of_layer, matrix=False),
            "matrix": partial(skip_of_layer, matrix=True),
        },
        skip_of_listing,
        mutants={
            "one number for all channels": partial(skip_of_listing, change=np.mean),
            "channels from the last": partial(skip_of_listing, change=np.flip),
            "the identity": partial(skip_of_listing, change=np.ones_like),
        },
    ),
    "rotrnn:listing:gamma": Evidence(
        points("u1 r_min r_max", (0.3, 0.5, 0.999), (0.8, 0.1, 0.7), (0.55, 0.4, 0.95)),
        {"listing": decay_of_listing, "reference": decay_of_uniform_square},
    ),
    "rotrnn:listing:theta": Evidence(
        points("heads size", (2, 4), (3, 6)),
        {"layer": angles_of_layer, "reference": angles_of_loops},
        lambda heads, size: size // 2,
        mutants={
            "a float": angles_of_listing,
            "one an axis": lambda heads, size: size,
            "one a pair of axes": lambda heads, size: size * (size - 1) // 2,
            "one fewer": lambda heads, size: (size - 1) // 2,
        },
    ),
    "rotrnn:listing:glorot": Evidence(
        points("rows columns", (4, 6), (8, 3)),
        {"listing": variance_of_listing, "layer": variance_of_layer},
        lambda rows, columns: 1 / columns,
        mutants={
            "columns for inputs and outputs": lambda rows, columns: (
                2 / (rows + columns)
            ),
            "the outputs": lambda rows, columns: 1 / rows,
            "divided without the root": lambda rows, columns: 1 / columns**2,
        },
    ),
}
