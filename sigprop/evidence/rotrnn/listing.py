"""What judges the listing of RotRNN (2024), Appendix C, and Appendix B.3 beside it."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm
from jaxtyping import Float

from sigprop.evidence.rotrnn.forward import (
    binary_operator,
    listing_factor,
    listing_outputs,
)
from sigprop.evidence.rotrnn.heads import (
    dense,
    dense_outputs,
    factors,
    layer,
    layer_outputs,
    parameters,
)
from sigprop.evidence.rotrnn.random_matrices import Matrix, draw, skew
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_by_eigenvalues,
    exponential_series,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.rotrnn import RotRNN, rotrnn
from sigprop.numerics.precision import double_precision
from theory.rotation import combine_is_associative

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
    return np.array(
        [np.linalg.norm(b) / np.linalg.norm(a) for a, b in zip(p.B, B, strict=True)]
    )


def factor_of_heads(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """Factor on ``B`` in each head, by Eq. 11 at ``c = 1``."""
    p = parameters(seed, heads, size)
    return factors(p.decays, p.B)


def series_of_skew(seed: int, size: int) -> Matrix:
    """``exp(M - M^T)`` by its series."""
    return exponential_series(skew(seed, size))


def eigenvalues_of_skew(seed: int, size: int) -> Matrix:
    """``exp(M - M^T)`` by its eigenvalues."""
    return exponential_by_eigenvalues(skew(seed, size))


def rotation_of_listing(seed: int, size: int) -> Matrix:
    """``P`` of one head of the listing."""
    M = draw(seed, 1, size, size)
    with double_precision(True):
        return np.asarray(jax.jit(expm)(jnp.asarray(M - M.transpose(0, 2, 1))))[0]


# The operator of the scan.


def joined(seed: int, left: bool) -> Float[np.ndarray, " parts"]:
    """``binf`` of three stretches, joined from the left or from the right."""
    parts = [
        (0.5 + 0.1 * i, draw(seed + i, 2), draw(seed + 9 + i, 4)) for i in range(3)
    ]
    with double_precision(True):
        a, b, c = ((g, jnp.asarray(t), jnp.asarray(x)) for g, t, x in parts)
        if left:
            found = binary_operator(binary_operator(a, b), c)
        else:
            found = binary_operator(a, binary_operator(b, c))
        return np.concatenate([np.ravel(part) for part in found])


def joined_from_left(seed: int) -> Float[np.ndarray, " parts"]:
    """``binf`` of three stretches, the first two joined first."""
    return joined(seed, True)


def joined_from_right(seed: int) -> Float[np.ndarray, " parts"]:
    """``binf`` of three stretches, the last two joined first."""
    return joined(seed, False)


def joined_by_steps(seed: int) -> Float[np.ndarray, " parts"]:
    """The recurrence of two steps, in complex numbers."""
    gammas = [0.5, 0.6, 0.7]
    angle = [draw(seed + i, 2) for i in range(3)]
    z = [draw(seed + 9 + i, 4).view(complex) for i in range(3)]
    h = z[0]
    for i in (1, 2):
        h = gammas[i] * np.exp(1j * angle[i]) * h + z[i]
    return np.concatenate([[np.prod(gammas)], sum(angle), h.view(float)])


# What is drawn.


def size_of_skip(width: int) -> int:
    """Numbers in the layer's ``D``."""
    drawn: Any = eqx.filter_eval_shape(rotrnn, jax.random.key(1), 4, width, heads=1)
    return drawn.D.size


def size_of_drawn_skip(width: int) -> int:
    """Numbers in the listing's ``D``."""
    return np.random.default_rng(0).normal(size=(width)).size


def decay_of_listing(u1: float, r_min: float, r_max: float) -> float:
    """``gamma`` as the listing draws it from a uniform number, and reads it back."""
    gamma_log = np.log(-0.5 * np.log(u1 * (r_max**2 - r_min**2) + r_min**2))
    return np.exp(-np.exp(gamma_log))


def decay_of_uniform_square(u1: float, r_min: float, r_max: float) -> float:
    """The decay below which a share ``u1`` of the area of the ring lies, by bisection."""
    low, high = r_min, r_max
    for _ in range(60):
        middle = (low + high) / 2
        share = math.pi * (middle**2 - r_min**2) / (math.pi * (r_max**2 - r_min**2))
        low, high = (middle, high) if share < u1 else (low, middle)
    return low


def angles_of_listing(heads: int, size: int) -> float:
    """Angles a head has in ``init_params``; not a number where NumPy refuses the size."""
    try:
        shape: Any = (heads, size / 2)
        return np.random.default_rng(0).uniform(0, 1, shape).shape[1]
    except TypeError:
        return math.nan


def angles_of_layer(heads: int, size: int) -> float:
    """Planes that the layer's transition turns: half the eigenvalues off the real axis."""
    p = parameters(1, heads, size)
    with double_precision(True):
        values = np.linalg.eigvals(np.asarray(jax.jit(RotRNN.transition)(layer(p)))[0])
    return np.sum(np.abs(values.imag) > 1e-9) / 2


def angles_of_loops(heads: int, size: int) -> float:
    """Planes that the dense matrices turn: half their eigenvalues off the real axis."""
    ((A, _), *_) = dense(parameters(1, heads, size))
    return np.sum(np.abs(np.linalg.eigvals(A).imag) > 1e-9) / 2


def variance_of_listing(rows: int, columns: int) -> float:
    """Square of the listing's factor on a standard normal ``B`` or ``C``, measured."""
    plain = np.random.RandomState(0).normal(size=(rows, columns))
    drawn = np.random.RandomState(0).normal(size=(rows, columns)) / np.sqrt(columns)
    return np.mean(drawn**2) / np.mean(plain**2)


def variance_of_layer(rows: int, columns: int) -> float:
    """Square of the layer's factor on a standard normal ``B``, measured from its key."""

    def drawn(key):
        plain = jax.random.normal(jax.random.split(key, 6)[3], (rows, columns))
        return rotrnn(key, rows, columns, heads=1).B, plain

    with double_precision(True):
        B, plain = jax.jit(drawn)(jax.random.key(3))
    return np.mean(np.square(B)) / np.mean(np.square(plain))


EVIDENCE: dict[str, Basis] = {
    "rotrnn:listing:xi": Evidence(
        (dict(seed=1, heads=2, size=4), dict(seed=3, heads=1, size=4)),
        {"listing": factor_of_listing, "layer": factor_of_layer},
        factor_of_heads,
    ),
    "rotrnn:listing:P": Evidence(
        (dict(seed=1, size=4),),
        {"series": series_of_skew, "eigenvalues": eigenvalues_of_skew},
        rotation_of_listing,
    ),
    "rotrnn:listing:binf": Evidence(
        (dict(seed=1), dict(seed=2), dict(seed=3)),
        {"left": joined_from_left, "right": joined_from_right},
        joined_by_steps,
        proof=combine_is_associative,
    ),
    "rotrnn:listing:forward": Evidence(
        (dict(seed=1, heads=2, size=4),),
        {"listing": listing_outputs, "layer": layer_outputs},
        dense_outputs,
    ),
    "rotrnn:listing:skip": Evidence(
        (dict(width=2), dict(width=5), dict(width=96)),
        {"listing": size_of_drawn_skip, "layer": size_of_skip},
        lambda width: width,
        printed=lambda width: width**2,
    ),
    "rotrnn:listing:gamma": Evidence(
        (
            dict(u1=0.3, r_min=0.5, r_max=0.999),
            dict(u1=0.8, r_min=0.1, r_max=0.7),
            dict(u1=0.55, r_min=0.4, r_max=0.95),
        ),
        {"listing": decay_of_listing, "reference": decay_of_uniform_square},
    ),
    "rotrnn:listing:theta": Evidence(
        (dict(heads=2, size=4),),
        {"layer": angles_of_layer, "reference": angles_of_loops},
        lambda heads, size: size // 2,
        printed=angles_of_listing,
    ),
    "rotrnn:listing:glorot": Evidence(
        (dict(rows=4, columns=6), dict(rows=8, columns=3)),
        {"listing": variance_of_listing, "layer": variance_of_layer},
    ),
}
