"""A BLUR layer as arrays, its two recurrences in loops, and what the real layer gives.

A model is drawn once for its sizes, and its arrays are what every route starts from.
Steps are counted from 1 as in the paper; arrays from 0.

Notation: u  inputs (time, m);  h, g  forward and backward states (time, n).

Source: BLUR (2025), Eq. 9-17.
"""

import functools
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.layers.blur import BLUR, blur
from sigprop.numerics.precision import double_precision

SIZES = {"n": 2, "m": 3, "k": 6}  # one shape, so that the layer compiles once
POINTS = tuple({"seed": seed, **SIZES} for seed in range(3))

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


@functools.cache
def model(seed: int, n: int, m: int, kind: str = "drawn") -> tuple[BLUR, Arrays]:
    """A layer without normalisation and skip, and its arrays.

    ``kind`` is ``drawn``; ``wide`` with eigenvalues on the whole disc; ``ones`` with
    input weights of one, as in Appendix A.4; ``equal`` with, besides, one eigenvalue for
    all neurons; or ``twins`` where the backward eigenvalues are the forward ones.
    """
    with double_precision(True):
        layer = blur(jax.random.key(seed), n, m, r_min=0.5, r_max=0.95, gamma="absent")
        layer = eqx.tree_at(lambda one: one.D, layer, jnp.zeros_like(layer.D))
        if kind in ("ones", "equal", "twins"):
            layer = eqx.tree_at(
                lambda one: (one.B_re, one.B_im),
                layer,
                (jnp.ones_like(layer.B_re), jnp.zeros_like(layer.B_im)),
            )
        if kind == "equal":
            layer = _shared(
                layer, lambda both: jnp.broadcast_to(both[:, :1], both.shape)
            )
        if kind == "twins":
            layer = _shared(layer, lambda both: jnp.broadcast_to(both[:1], both.shape))
        lam = np.asarray(layer.eigenvalues())
        B = np.asarray(layer.B_re) + 1j * np.asarray(layer.B_im)
        C = np.asarray(layer.C_re) + 1j * np.asarray(layer.C_im)
    return layer, Arrays(lam[:n], lam[n:], *B, *C)


def _shared(layer: BLUR, change: Any) -> BLUR:
    return eqx.tree_at(
        lambda one: (one.nu_log, one.theta_log),
        layer,
        (change(layer.nu_log), change(layer.theta_log)),
    )


def signal(seed: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Inputs ``u_1 ... u_k``."""
    return np.random.default_rng(seed).normal(size=(k, m))


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


def both_loops(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "k _"]:
    """All states by the two recurrences of Eq. 10."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    h, g = np.zeros((k + 1, n), complex), np.zeros((k + 1, n), complex)
    for t in range(k):
        h[t + 1] = p.lam_f * h[t] + p.B_f @ u[t]
        g[k - 1 - t] = p.lam_b * g[k - t] + p.B_b @ u[k - 1 - t]
    return np.concatenate([h[1:], g[:-1]], 1)


def forward_layer(n: int, **at: int) -> Complex[np.ndarray, " n"]:
    """Forward state ``k`` of the real layer."""
    return layer_states(n=n, **at)[-1, :n]


def forward_loop(n: int, **at: int) -> Complex[np.ndarray, " n"]:
    """Forward state ``k`` by the recurrence."""
    return both_loops(n=n, **at)[-1, :n]


def forward_sum(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, " n"]:
    """Forward state ``k`` as the sum of Eq. 9 and 15."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return np.sum([p.lam_f**j * (p.B_f @ u[k - 1 - j]) for j in range(k)], 0)


def merged_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Outputs of the real layer."""
    return outputs_of(model(seed, n, m)[0], signal(seed, m, k))


def merged_pair(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """``Re(C_f h + C_b g)``: the merge of Eq. 11, whose real part Eq. 12 takes."""
    p, both = model(seed, n, m)[1], both_loops(seed, n, m, k)
    return np.real(both[:, :n] @ p.C_f.T + both[:, n:] @ p.C_b.T)
