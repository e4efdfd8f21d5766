"""What judges layers composed and unrolled, Sections 4.1 and 4.2 of BLUR (2025)."""

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.blur.recurrences import (
    POINTS,
    both_loops,
    forward_layer,
    forward_loop,
    forward_sum,
    layer_states,
    merged_layer,
    merged_pair,
    model,
    outputs_of,
    signal,
    states_of,
)
from sigprop.judge.basis import Basis, Evidence
from theory import bidirectional as two


def merged_by_impulses(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Outputs as the sum of the layer's responses to each input alone."""
    u, layer = signal(seed, m, k), model(seed, n, m)[0]
    alone = [np.where(np.arange(k)[:, None] == t, u, 0.0) for t in range(k)]
    return np.sum([outputs_of(layer, one) for one in alone], 0)


def merged_sum(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """The best that one linear map of ``h + g``, as in Eq. 14, can make of the outputs."""
    both, y = both_loops(seed, n, m, k), merged_pair(seed, n, m, k)
    total = both[:, :n] + both[:, n:]
    parts = np.concatenate([np.real(total), np.imag(total)], 1)
    return parts @ np.linalg.lstsq(parts, y, rcond=None)[0]


def one_block(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "k _"]:
    """One forward recurrence of both parameter sets, fed with inputs and their reverse."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    lam = np.concatenate([p.lam_f, p.lam_b])
    found, h = [], np.zeros(2 * n, complex)
    for t in range(k):
        h = lam * h + np.concatenate([p.B_f @ u[t], p.B_b @ u[k - 1 - t]])
        found.append(h)
    return np.array(found)


def one_block_layer(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "k _"]:
    """States of the real layer's causal halves, fed with the inputs and their reverse."""
    u, halves = signal(seed, m, k), model(seed, n, m)[0].halves()
    return np.concatenate([states_of(halves[0], u), states_of(halves[1], u[::-1])], 1)


def paired_apart(n: int, **at: int) -> Complex[np.ndarray, "k _"]:
    """Forward states of step ``t`` beside backward states of step ``k + 1 - t``."""
    both = both_loops(n=n, **at)
    return np.concatenate([both[:, :n], both[::-1, n:]], 1)


def last_three_layer(n: int, **at: int) -> Complex[np.ndarray, "3 n"]:
    """Backward states at steps ``k``, ``k-1`` and ``k-2`` of the real layer."""
    return layer_states(n=n, **at)[:-4:-1, n:]


def last_three_loop(n: int, **at: int) -> Complex[np.ndarray, "3 n"]:
    """Backward states at steps ``k``, ``k-1`` and ``k-2`` by the recurrence."""
    return both_loops(n=n, **at)[:-4:-1, n:]


def _backwards(u, later, first, twice, entry, again) -> Complex[np.ndarray, "3 n"]:
    """Eq. 16 with its four places for ``Lambda`` and ``B``."""
    last, middle, early = u[-1], u[-2], u[-3]
    return np.array(
        [
            entry @ last,
            first * (later @ last) + entry @ middle,
            twice**2 * (again @ last) + first * (later @ middle) + entry @ early,
        ]
    )


def last_three_written(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "3 n"]:
    """Eq. 16 with the backward parameters everywhere."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return _backwards(u, p.B_b, p.lam_b, p.lam_b, p.B_b, p.B_b)


def last_three_printed(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "3 n"]:
    """Eq. 16 as printed: letters without ``b`` are those of Eq. 9, the forward ones."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return _backwards(u, p.B_b, p.lam_f, p.lam_b, p.B_f, p.B_f)


def backward_layer(n: int, **at: int) -> Complex[np.ndarray, " n"]:
    """Backward state at step 1 of the real layer."""
    return layer_states(n=n, **at)[0, n:]


def backward_loop(n: int, **at: int) -> Complex[np.ndarray, " n"]:
    """Backward state at step 1 by the recurrence."""
    return both_loops(n=n, **at)[0, n:]


def backward_sum(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, " n"]:
    """Backward state at step 1 as the sum of Eq. 17."""
    u, p = signal(seed, m, k), model(seed, n, m)[1]
    return np.sum([p.lam_b**j * (p.B_b @ u[j]) for j in range(k)], 0)


EVIDENCE: dict[str, Basis] = {
    "blur:13": Evidence(
        (
            {"n": 4, "s": 4},
            {"n": 256, "s": 256},
            {"n": 256, "s": 7},
            {"n": 4, "s": 1},
        ),
        {"reference": lambda n, s: s},  # z_k is of the size of G's range
        form=lambda n, s: n,  # C u_k, and what L_3 takes
        alone="sizes of arrays",
    ),
    "blur:14": Evidence(
        POINTS,
        {"impulse": merged_layer, "reference": merged_by_impulses},
        merged_pair,
        printed=merged_sum,
    ),
    "blur:text:one-block": Evidence(
        POINTS,
        {"reference": one_block, "impulse": one_block_layer},
        paired_apart,
        printed=both_loops,
    ),
    "blur:15": Evidence(
        POINTS,
        {"reference": forward_loop, "impulse": forward_layer},
        forward_sum,
        proof=two.unrolled_forward,
    ),
    "blur:16": Evidence(
        POINTS,
        {"reference": last_three_loop, "impulse": last_three_layer},
        last_three_written,
        printed=last_three_printed,
        proof=two.last_steps,
    ),
    "blur:17": Evidence(
        POINTS,
        {"reference": backward_loop, "impulse": backward_layer},
        backward_sum,
        proof=two.unrolled_backward,
    ),
}
