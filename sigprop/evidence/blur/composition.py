"""Evidence for composed and unrolled layers, Sections 4.1 and 4.2 of BLUR (2025)."""

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.blur.recurrences import (
    BACKWARD,
    FORWARD,
    LAST_THREE,
    MERGE_MUTANTS,
    POINTS,
    Arrays,
    both_loops,
    both_routes,
    case,
    forward_sum,
    merged_layer,
    merged_pair,
    model,
    outputs_of,
    signal,
    state_mutants,
    states_of,
)
from sigprop.evidence.kit import also, points, recur
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import bidirectional as two


def merged_by_impulses(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k m"]:
    """Outputs as the sum of the layer's responses to each input alone."""
    u, layer = signal(seed, m, k), model(seed, n, m)[0]
    alone = [np.where(np.arange(k)[:, None] == t, u, 0.0) for t in range(k)]
    return np.sum([outputs_of(layer, series) for series in alone], 0)


def added_and_mapped(n: int, m: int, s: int) -> list[int]:
    """Entries of ``C u_k``, and those that ``L_3`` takes and gives."""
    C, L_3 = np.zeros((n, m)), np.zeros((s, n))
    return [(C @ np.zeros(m)).size, L_3.shape[1], (L_3 @ np.zeros(n)).size]


def added_and_mapped_traced(n: int, m: int, s: int) -> list[int]:
    """Numbers of ``added_and_mapped``, from the shapes that JAX infers."""
    import jax

    u, C, L_3 = (jax.ShapeDtypeStruct(size, float) for size in ((m,), (n, m), (s, n)))
    z = jax.eval_shape(jax.numpy.matmul, C, u)
    return [z.size, L_3.shape[1], jax.eval_shape(jax.numpy.matmul, L_3, z).size]


def one_block(turned: bool, **point: int) -> Complex[np.ndarray, "k _"]:
    """States of one block-diagonal forward recurrence with both sets of parameters.

    If it is ``turned``, inputs enter the second half in reversed order, and its states
    are reordered.
    """
    u, p = case(**point)
    order = -1 if turned else 1
    entering = np.concatenate([u @ p.B_f.T, u[::order] @ p.B_b.T], 1)
    states = recur(np.concatenate([p.lam_f, p.lam_b]), entering)
    n = len(p.lam_f)
    return np.concatenate([states[:, :n], states[::order, n:]], 1)


def one_block_layer(
    seed: int, n: int, m: int, k: int, turned: bool
) -> Complex[np.ndarray, "k _"]:
    """States of the real layer's causal halves, the second ``turned`` or not."""
    u, halves = signal(seed, m, k), model(seed, n, m)[0].halves()
    order = -1 if turned else 1
    backward = states_of(halves[1], u[::order])[::order]
    return np.concatenate([states_of(halves[0], u), backward], 1)


def paired(turned: bool, **point: int) -> Complex[np.ndarray, "k _"]:
    """States of both directions, side by side."""
    return both_loops(**point)


def paired_apart(n: int, turned: bool, **point: int) -> Complex[np.ndarray, "k _"]:
    """Mutant of the pair: forward states of step ``t``, backward ones of ``k + 1 - t``."""
    states = both_loops(n=n, **point)
    return np.concatenate([states[:, :n], states[::-1, n:]], 1)


def last_three(
    u: Float[np.ndarray, "k m"],
    p: Arrays,
    B: Complex[np.ndarray, "n m"],
) -> Complex[np.ndarray, "3 n"]:
    """The last three states of Eq. 16, with ``B`` for the matrix without ``b``."""
    last, middle, early = u[-1], u[-2], u[-3]
    return np.array(
        [
            B @ last,
            p.lam_b * (p.B_b @ last) + B @ middle,
            p.lam_b**2 * (B @ last) + p.lam_b * (p.B_b @ middle) + B @ early,
        ]
    )


def last_three_written(**point: int) -> Complex[np.ndarray, "3 n"]:
    """Eq. 16 with the backward parameters everywhere."""
    u, p = case(**point)
    return last_three(u, p, p.B_b)


def last_three_printed(**point: int) -> Complex[np.ndarray, "3 n"]:
    """Eq. 16 as printed: a ``B`` without ``b`` is that of Eq. 9, the forward one."""
    u, p = case(**point)
    return last_three(u, p, p.B_f)


def backward_sum(**point: int) -> Complex[np.ndarray, " n"]:
    """Backward state at step 1 as the sum of Eq. 17."""
    u, p = case(**point)
    return np.sum([p.lam_b**j * (p.B_b @ v) for j, v in enumerate(u)], 0)


EVIDENCE: dict[str, Basis] = {
    "blur:13": Evidence(
        points("n m s", (4, 3, 4), (128, 3, 7), (4, 2, 1)),
        {"reference": added_and_mapped, "traced": added_and_mapped_traced},
        form=lambda n, m, s: [n, n, s],
        printed=lambda n, m, s: [s, n, s],
        mutants={
            "C transposed": lambda n, m, s: [m, n, s],
            "both states side by side": lambda n, m, s: [2 * n, 2 * n, s],
            "as many outputs as states": lambda n, m, s: [n, n, n],
        },
        example=Example(
            "entries of z_k, to which the four of C u_k are added",
            {"n": 4, "s": 1},
            lambda n, s: s,
            lambda n, s: n,
        ),
    ),
    "blur:14": Evidence(
        POINTS,
        {"impulse": merged_layer, "reference": merged_by_impulses},
        merged_pair,
        mutants=MERGE_MUTANTS,
    ),
    "blur:text:one-block": Evidence(
        (*also(POINTS, turned=True), *also(POINTS[:1], turned=False)),
        {"reference": one_block, "impulse": one_block_layer},
        paired,
        mutants={
            "both halves fed alike": lambda turned, **point: one_block(False, **point),
            "states left reversed": paired_apart,
            "the directions exchanged": lambda n, turned, **point: np.roll(
                both_loops(n=n, **point), n, axis=1
            ),
        },
        example=Example(
            "the second half's state at step 1, of a block fed with u = (0, 1) as it "
            "stands, meant as the backward state",
            {"lambda_b": 0.5, "B_b": 1},
            lambda lambda_b, B_b: lambda_b * B_b,
            0.0,
        ),
    ),
    "blur:15": Evidence(
        POINTS,
        both_routes(FORWARD),
        forward_sum,
        proof=two.unrolled_forward,
        mutants=state_mutants(*FORWARD),
    ),
    "blur:16": Evidence(
        POINTS,
        both_routes(LAST_THREE),
        last_three_written,
        printed=last_three_printed,
        proof=two.last_steps,
        mutants=state_mutants(*LAST_THREE),
        example=Example(
            "h_k",
            {"B": 1.0, "B_b": 2.0, "u_k": 1.0},
            lambda B, B_b, u_k: B * u_k,
            lambda B, B_b, u_k: B_b * u_k,
        ),
    ),
    "blur:17": Evidence(
        POINTS,
        both_routes(BACKWARD),
        backward_sum,
        proof=two.unrolled_backward,
        mutants=state_mutants(*BACKWARD),
    ),
}
