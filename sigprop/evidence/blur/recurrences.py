"""States and outputs of a BLUR layer, by loops and by the package's layer.

The same random layer is used for all routes, given its sizes and seed.  Steps are
counted from 1 as in the paper, and indices of arrays from 0.

Notation: u  inputs (time, m);  h, g  forward and backward states (time, n).

Source: BLUR (2025), Eq. 9-17.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Inexact, PRNGKeyArray

from sigprop.evidence.kit import also, entries, points, recur
from sigprop.layers.blur import BLUR, blur
from sigprop.numerics.precision import double_precision

N = 2
KINDS = ("drawn", "ones")
POINTS = also(
    points("seed", 0, 1, 2), n=N, m=3, k=6
)  # one shape: the layer compiles once
# Places in an array of states, forward ones first.
FORWARD = (-1, slice(N))  # the forward state k
BACKWARD = (0, slice(N, None))  # the backward state 1
LAST_THREE = (slice(-1, -4, -1), slice(N, None))  # backward states k, k-1 and k-2

_states = eqx.filter_jit(lambda layer, u: layer.states(u))
_outputs = eqx.filter_jit(lambda layer, u: layer(u))


class Arrays(NamedTuple):
    """Parameters of a BLUR layer in NumPy's double precision."""

    lam_f: Complex[np.ndarray, " n"]
    lam_b: Complex[np.ndarray, " n"]
    B_f: Complex[np.ndarray, "n m"]
    B_b: Complex[np.ndarray, "n m"]
    C_f: Complex[np.ndarray, "m n"]
    C_b: Complex[np.ndarray, "m n"]


Change = Callable[[Any, Arrays], tuple[Any, Arrays]]
MUTANTS: dict[str, Change] = {
    "the other direction's eigenvalues": lambda u, p: (
        u,
        p._replace(lam_f=p.lam_b, lam_b=p.lam_f),
    ),
    "the conjugate eigenvalues": lambda u, p: (
        u,
        p._replace(lam_f=p.lam_f.conj(), lam_b=p.lam_b.conj()),
    ),
    "the newest input weighted too": lambda u, p: (
        u,
        p._replace(B_f=p.lam_f[:, None] * p.B_f, B_b=p.lam_b[:, None] * p.B_b),
    ),
    "inputs in the order of the other direction": lambda u, p: (u[::-1], p),
}


@functools.cache
def model(seed: int, n: int, m: int, kind: str = "drawn") -> tuple[BLUR, Arrays]:
    """A layer without normalisation and skip, and its arrays.

    ``kind`` is ``drawn``, or ``ones`` with input weights of one, as in Appendix A.4.

    Raises:
        ValueError: If there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"need a kind in {', '.join(KINDS)}, got {kind!r}")
    with double_precision(True):
        layer, lam, B, C = _draw(jax.random.key(seed), n, m, kind)
    lam = np.asarray(lam)
    return layer, Arrays(lam[:n], lam[n:], *np.asarray(B), *np.asarray(C))


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def _draw(
    key: PRNGKeyArray, n: int, m: int, kind: str
) -> tuple[BLUR, Array, Array, Array]:
    raw = blur(n, m, key=key, r_min=0.5, r_max=0.95, gamma="absent")
    changed = {"D": jnp.zeros_like(raw.D)}
    if kind == "ones":
        changed["B_re"] = jnp.ones_like(raw.B_re)
        changed["B_im"] = jnp.zeros_like(raw.B_im)
    layer = dataclasses.replace(raw, **changed)
    B = layer.B_re + 1j * layer.B_im
    C = layer.C_re + 1j * layer.C_im
    return layer, layer.eigenvalues(), B, C


def signal(seed: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Inputs ``u_1 ... u_k``."""
    return np.random.default_rng(seed).normal(size=(k, m))


def case(seed: int, n: int, m: int, k: int) -> tuple[Float[np.ndarray, "k m"], Arrays]:
    """Inputs, and the arrays of the layer that reads them."""
    return signal(seed, m, k), model(seed, n, m)[1]


def states_of(layer: Any, u: Float[np.ndarray, "k m"]) -> Inexact[np.ndarray, "k _"]:
    """States of a real layer in double precision."""
    with double_precision(True):
        return np.asarray(_states(layer, jnp.asarray(u)))


def outputs_of(layer: Any, u: Float[np.ndarray, "k m"]) -> Float[np.ndarray, "k _"]:
    """Outputs of a real layer in double precision."""
    with double_precision(True):
        return np.asarray(_outputs(layer, jnp.asarray(u)))


def layer_states(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "k _"]:
    """All states of the real layer, forward ones first."""
    return states_of(model(seed, n, m)[0], signal(seed, m, k))


def both_loops(
    change: Change = lambda u, p: (u, p), /, **point: int
) -> Complex[np.ndarray, "k _"]:
    """All states by the two recurrences of Eq. 10, for changed inputs and arrays."""
    u, p = change(*case(**point))
    backwards = recur(p.lam_b, u[::-1] @ p.B_b.T)
    return np.concatenate([recur(p.lam_f, u @ p.B_f.T), backwards[::-1]], 1)


def state_mutants(*index: Any) -> dict[str, Callable[..., Any]]:
    """States at an index, from mutants of the recurrences."""
    loops = {
        name: functools.partial(both_loops, mutant) for name, mutant in MUTANTS.items()
    }
    return {name: entries(loop, *index) for name, loop in loops.items()}


def both_routes(index: tuple[Any, ...]) -> dict[str, Callable[..., Any]]:
    """States at an index, from the recurrences and from the real layer."""
    return {
        "reference": entries(both_loops, *index),
        "impulse": entries(layer_states, *index),
    }


def forward_sum(**point: int) -> Complex[np.ndarray, " n"]:
    """Forward state ``k`` as the sum of Eq. 9 and 15."""
    u, p = case(**point)
    return np.sum([p.lam_f**j * (p.B_f @ v) for j, v in enumerate(u[::-1])], 0)


def merged_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Outputs of the real layer."""
    return outputs_of(model(seed, n, m)[0], signal(seed, m, k))


def merged_pair(
    maps: Callable[[Any, Any], tuple[Any, Any]] = lambda C_f, C_b: (C_f, C_b),
    /,
    **point: int,
) -> Float[np.ndarray, "k m"]:
    """``Re(C_f h + C_b g)``: the merge of Eq. 11, whose real part Eq. 12 takes."""
    _, p = case(**point)
    return np.real(both_loops(**point) @ np.concatenate(maps(p.C_f, p.C_b), 1).T)


MERGE_MUTANTS = {
    "both maps exchanged": functools.partial(merged_pair, lambda f, b: (b, f)),
    "one map for both": functools.partial(merged_pair, lambda f, b: (f, f)),
    "the adjoint maps": functools.partial(
        merged_pair, lambda f, b: (f.conj(), b.conj())
    ),
    "the forward state alone": functools.partial(merged_pair, lambda f, b: (f, 0 * b)),
}
