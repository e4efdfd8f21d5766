"""Brute force for BLUR: the real layer, loops, ranks and high-precision solves.

A model is drawn once for its sizes, and its arrays are what every route starts from.
Steps are counted from 1 as in the paper; arrays from 0.

Notation: u  inputs (time, m);  h, g  forward and backward states (time, n).

Source: BLUR (2025), Eq. 3-23.
"""

import functools
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np

from sigprop.layers.blur import BLUR, blur
from sigprop.layers.dense import LinearRNN, linear_rnn
from sigprop.numerics.precision import double_precision

DIGITS = 60


class Arrays(NamedTuple):
    """Parameters of a BLUR layer in NumPy's double precision."""

    lam_f: np.ndarray
    lam_b: np.ndarray
    B_f: np.ndarray
    B_b: np.ndarray
    C_f: np.ndarray
    C_b: np.ndarray


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


@functools.cache
def dense(seed: int, n: int, m: int) -> tuple[LinearRNN, np.ndarray, np.ndarray]:
    """A dense linear layer with its ``A`` and ``B``."""
    with double_precision(True):
        layer = linear_rnn(jax.random.key(seed), n, m, m, nu0=0.3, theta0=np.pi)
        A, B = (np.asarray(values) for values in (layer.A, layer.B))
    return layer, A.reshape(n, n), B


def signal(seed: int, m: int, k: int) -> np.ndarray:
    """Inputs ``u_1 ... u_k``."""
    return np.random.default_rng(seed).normal(size=(k, m))


_run_states = eqx.filter_jit(lambda layer, u: layer.states(u))
_run = eqx.filter_jit(lambda layer, u: layer(u))
_first_jacobian = eqx.filter_jit(lambda layer, u: jax.jacrev(lambda v: layer(v)[0])(u))


def _states(layer: Any, u: np.ndarray) -> np.ndarray:
    with double_precision(True):
        return np.asarray(_run_states(layer, jnp.asarray(u)))


def _outputs(layer: Any, u: np.ndarray) -> np.ndarray:
    with double_precision(True):
        return np.asarray(_run(layer, jnp.asarray(u)))


# Eq. 3-9: one direction, dense and diagonal.


def dense_layer(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """States of the real dense layer."""
    return _states(dense(seed, n, m)[0], signal(seed, m, k))


def dense_loop(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """States by the recurrence of Eq. 3."""
    _, A, B = dense(seed, n, m)
    found, h = [], np.zeros(n)
    for u in signal(seed, m, k):
        h = A @ h + B @ u
        found.append(h)
    return np.array(found)


def dense_sum(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """State ``k`` as the sum of Eq. 5."""
    _, A, B = dense(seed, n, m)
    u = signal(seed, m, k)
    terms = [np.linalg.matrix_power(A, j) @ B @ u[k - 1 - j] for j in range(k)]
    return np.sum(terms, 0)


def dense_last(**at: int) -> np.ndarray:
    """State ``k`` of the real dense layer."""
    return dense_layer(**at)[-1]


def dense_loop_last(**at: int) -> np.ndarray:
    """State ``k`` by the recurrence."""
    return dense_loop(**at)[-1]


def written_out(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """The three states that Eq. 4 writes out."""
    _, A, B = dense(seed, n, m)
    one, two, three = signal(seed, m, k)[:3]
    return np.array(
        [
            B @ one,
            A @ B @ one + B @ two,
            A @ A @ B @ one + A @ B @ two + B @ three,
        ]
    )


def dense_first(**at: int) -> np.ndarray:
    """The first three states of the real dense layer."""
    return dense_layer(**at)[:3]


def dense_loop_first(**at: int) -> np.ndarray:
    """The first three states by the recurrence."""
    return dense_loop(**at)[:3]


def dense_sizes(seed: int, n: int, m: int, k: int) -> list[int]:
    """Sizes of the real layer's inputs and states, features by steps."""
    return [m, k, *dense_layer(seed, n, m, k).T.shape]


def jordan_condition(size: float) -> float:
    """Condition of the eigenvectors of a Jordan block perturbed by ``size``."""
    Q = np.linalg.eig(np.array([[0.5, 1.0], [size, 0.5]]))[1]
    return float(np.linalg.cond(Q))


def _eigen(seed: int, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    return np.linalg.eig(dense(seed, n, m)[1])


def weights(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """The dense recurrent matrix."""
    return dense(seed, n, m)[1]


def recomposed(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Q Lambda Q^{-1}`` from NumPy's eigenvectors."""
    lam, Q = _eigen(seed, n, m)
    return Q @ np.diag(lam) @ np.linalg.inv(Q)


def recomposed_slowly(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Q Lambda Q^{-1}`` from mpmath's eigenvectors."""
    with mpmath.workdps(30):
        lam, Q = mpmath.eig(mpmath.matrix(dense(seed, n, m)[1].tolist()))
        product = Q * mpmath.diag(lam) * Q**-1
        return np.array(product.tolist(), dtype=complex)


def rotated_loop(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """State ``k`` by Eq. 7, with the matrix in its three factors."""
    lam, Q = _eigen(seed, n, m)
    B, inverse, h = dense(seed, n, m)[2], np.linalg.inv(Q), np.zeros(n)
    for u in signal(seed, m, k):
        h = Q @ (lam * (inverse @ h)) + B @ u
    return h


def rotated_state(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Right side of Eq. 8 at step ``k``, from the dense states."""
    lam, Q = _eigen(seed, n, m)
    B, inverse = dense(seed, n, m)[2], np.linalg.inv(Q)
    before = dense_loop(seed, n, m, k)[-2]
    return lam * (inverse @ before) + inverse @ B @ signal(seed, m, k)[-1]


def unrotated_layer(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Q^{-1} h_k`` of the real dense layer."""
    return np.linalg.solve(_eigen(seed, n, m)[1], dense_layer(seed, n, m, k)[-1])


def unrotated_loop(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Q^{-1} h_k`` by the recurrence."""
    return np.linalg.inv(_eigen(seed, n, m)[1]) @ dense_loop(seed, n, m, k)[-1]


# Eq. 10-17: both directions.


def layer_states(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """All states of the real layer, forward ones first."""
    return _states(model(seed, n, m)[0], signal(seed, m, k))


def both_loops(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """All states by the two recurrences of Eq. 10."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    h, g = np.zeros((k + 1, n), complex), np.zeros((k + 1, n), complex)
    for t in range(k):
        h[t + 1] = p.lam_f * h[t] + p.B_f @ u[t]
        g[k - 1 - t] = p.lam_b * g[k - t] + p.B_b @ u[k - 1 - t]
    return np.concatenate([h[1:], g[:-1]], 1)


def forward_layer(n: int, **at: int) -> np.ndarray:
    """Forward state ``k`` of the real layer."""
    return layer_states(n=n, **at)[-1, :n]


def forward_loop(n: int, **at: int) -> np.ndarray:
    """Forward state ``k`` by the recurrence."""
    return both_loops(n=n, **at)[-1, :n]


def forward_sum(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Forward state ``k`` as the sum of Eq. 9 and 15."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return np.sum([p.lam_f**j * (p.B_f @ u[k - 1 - j]) for j in range(k)], 0)


def backward_layer(n: int, **at: int) -> np.ndarray:
    """Backward state at step 1 of the real layer."""
    return layer_states(n=n, **at)[0, n:]


def backward_loop(n: int, **at: int) -> np.ndarray:
    """Backward state at step 1 by the recurrence."""
    return both_loops(n=n, **at)[0, n:]


def backward_sum(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Backward state at step 1 as the sum of Eq. 17."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return np.sum([p.lam_b**j * (p.B_b @ u[j]) for j in range(k)], 0)


def one_block(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """One forward recurrence of both parameter sets, fed with inputs and their reverse."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    lam = np.concatenate([p.lam_f, p.lam_b])
    found, h = [], np.zeros(2 * n, complex)
    for t in range(k):
        h = lam * h + np.concatenate([p.B_f @ u[t], p.B_b @ u[k - 1 - t]])
        found.append(h)
    return np.array(found)


def one_block_layer(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """States of the real layer's causal halves, fed with the inputs and their reverse."""
    u, halves = signal(seed, m, k), model(seed, n, m)[0].halves()
    return np.concatenate([_states(halves[0], u), _states(halves[1], u[::-1])], 1)


def paired_together(**at: int) -> np.ndarray:
    """Forward and backward states of the same step."""
    return both_loops(**at)


def paired_apart(n: int, **at: int) -> np.ndarray:
    """Forward states of step ``t`` beside backward states of step ``k + 1 - t``."""
    both = both_loops(n=n, **at)
    return np.concatenate([both[:, :n], both[::-1, n:]], 1)


def last_three_layer(n: int, **at: int) -> np.ndarray:
    """Backward states at steps ``k``, ``k-1`` and ``k-2`` of the real layer."""
    return layer_states(n=n, **at)[:-4:-1, n:]


def last_three_loop(n: int, **at: int) -> np.ndarray:
    """Backward states at steps ``k``, ``k-1`` and ``k-2`` by the recurrence."""
    return both_loops(n=n, **at)[:-4:-1, n:]


def _backwards(u, later: np.ndarray, first, twice, entry, again) -> np.ndarray:
    """Eq. 16 with its four places for ``Lambda`` and ``B``."""
    last, middle, early = u[-1], u[-2], u[-3]
    return np.array(
        [
            entry @ last,
            first * (later @ last) + entry @ middle,
            twice**2 * (again @ last) + first * (later @ middle) + entry @ early,
        ]
    )


def last_three_written(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Eq. 16 with the backward parameters everywhere."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return _backwards(u, p.B_b, p.lam_b, p.lam_b, p.B_b, p.B_b)


def last_three_printed(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Eq. 16 as printed: letters without ``b`` are those of Eq. 9, the forward ones."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return _backwards(u, p.B_b, p.lam_f, p.lam_b, p.B_f, p.B_f)


def merged_layer(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Outputs of the real layer."""
    return _outputs(model(seed, n, m)[0], signal(seed, m, k))


def merge_sizes(seed: int, n: int, m: int, k: int) -> list[int]:
    """Numbers a step before and after the merge of the real layer."""
    at = {"seed": seed, "n": n, "m": m, "k": k}
    return [layer_states(**at).shape[1], merged_layer(**at).shape[1]]


def merged_pair(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Re(C_f h + C_b g)``: the merge of Eq. 11, whose real part Eq. 12 takes."""
    p, both = model(seed, n, m)[1], both_loops(seed, n, m, k)
    return np.real(both[:, :n] @ p.C_f.T + both[:, n:] @ p.C_b.T)


def merged_by_impulses(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Outputs as the sum of the layer's responses to each input alone."""
    u, layer = signal(seed, m, k), model(seed, n, m)[0]
    alone = [np.where(np.arange(k)[:, None] == t, u, 0.0) for t in range(k)]
    return np.sum([_outputs(layer, one) for one in alone], 0)


def merged_sum(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """The best that one linear map of ``h + g``, as in Eq. 14, can make of the outputs."""
    both, y = both_loops(seed, n, m, k), merged_pair(seed, n, m, k)
    total = both[:, :n] + both[:, n:]
    parts = np.concatenate([np.real(total), np.imag(total)], 1)
    return parts @ np.linalg.lstsq(parts, y, rcond=None)[0]


def influence_layer(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``dy_1 / du_k`` through the real layer by automatic differentiation."""
    layer = model(seed, n, m)[0]
    with double_precision(True):
        u = jnp.asarray(signal(seed, m, k))
        return np.asarray(_first_jacobian(layer, u))[:, k - 1]


def influence_kernel(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``Re(C_b Lambda_b^{k-1} B_b)``."""
    p = model(seed, n, m)[1]
    return np.real(p.C_b @ (p.lam_b[:, None] ** (k - 1) * p.B_b))


def influence_impulse(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """``dy_1 / du_k`` as responses of the real layer to unit inputs at step ``k``."""
    layer = model(seed, n, m)[0]
    units = [np.eye(k)[:, -1:] * np.eye(m)[i] for i in range(m)]
    return np.stack([_outputs(layer, unit)[0] for unit in units], 1)


def no_influence(seed: int, n: int, m: int, k: int) -> np.ndarray:
    """Zero in place of ``dy_1 / du_k``: an output that does not see later inputs."""
    return np.zeros((m, m))
