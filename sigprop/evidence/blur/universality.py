"""What judges universality, Theorem 4.1, Lemma A.1 and Eq. 18-22 of BLUR (2025)."""

import functools
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.blur.reconstruction import (
    DIGITS,
    RANK,
    SQUARE,
    adjoint_reconstruction,
    crossed_reconstruction,
    eigenvalues,
    late_reconstruction,
    nodes,
    ordered,
    precise_rank,
    rank,
    reconstruction,
    reconstruction_slowly,
    responses,
    subspace_rank,
    subspace_rank_slowly,
    vandermonde,
    written_responses,
)
from sigprop.evidence.blur.recurrences import Arrays, model, signal
from sigprop.evidence.kit import also, points, recur
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from theory import bidirectional as two

TWO_INPUTS = {"n": 6, "m": 2, "k": 3, "t": 2, "kind": "drawn", "merge": "pair"}
MERGED = (
    {"seed": 0, **TWO_INPUTS},
    {"seed": 1, **TWO_INPUTS, "t": 3},
    {"seed": 2, **TWO_INPUTS, "t": 1},
    # Not in general position.
    {"seed": 0, **TWO_INPUTS, "kind": "twins", "merge": "sum"},
    {"seed": 0, **TWO_INPUTS, "merge": "forward"},
)
ONES = {"n": 6, "m": 1, "k": 6, "t": 3, "kind": "ones", "merge": "pair"}
LAST = {"n": 6, "m": 1, "k": 6, "kind": "drawn", "P": 6}
TALL = {"n": 6, "k": 4, "kind": "ones"}


def _merge(seed: int, n: int, merge: str) -> Inexact[np.ndarray, "n _"]:
    """A map of both states, ``(n, 2n)``: any pair, the sum, the difference, or one."""
    draw = np.random.default_rng(seed + 100)
    forward, backward = draw.normal(size=(2, n, n)) + 1j * draw.normal(size=(2, n, n))
    eye = np.eye(n)
    halves = {
        "pair": (forward, backward),
        "sum": (forward, forward),
        "difference": (eye, -eye),
        "forward": (eye, 0 * eye),
        "backward": (0 * eye, eye),
    }
    return np.concatenate(halves[merge], 1)


def merged(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> Float[np.ndarray, "n inputs"]:
    """Real part of the merged state at ``t`` as a matrix on all inputs."""
    return np.real(_merge(seed, n, merge) @ responses(seed, n, m, k, t, kind))


def merged_rank(**point: Any) -> int:
    """Numbers of the inputs that the merged state of the real layer tells apart."""
    return rank(merged(**point))


def merged_rank_slowly(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> int:
    """Rank of the merged state on all inputs, by elimination in high precision."""
    with mpmath.workdps(DIGITS):
        H = mpmath.matrix(_merge(seed, n, merge).tolist())
        product = H * written_responses(seed, n, m, k, t, kind)
        return precise_rank(product.apply(mpmath.re))


def recovered(**point: Any) -> float:
    """Share of the worst input that the merged state still holds: one, or nothing."""
    matrix = merged(**point)
    projector = np.linalg.pinv(matrix, rcond=RANK) @ matrix
    return float(np.linalg.svd(projector, compute_uv=False)[-1])


def recovered_by_solving(**point: Any) -> float:
    """Share of the worst input that the merged state holds, by least squares."""
    matrix = merged(**point)
    back = np.linalg.lstsq(matrix, matrix, rcond=RANK)[0]
    return float(np.linalg.svd(back, compute_uv=False)[-1])


def network_rank(series: int, steps: int) -> int:
    """Inputs that one layer of the paper's size tells apart at the middle step.

    128 states in each direction, 256 features, a random encoder of the series.
    """
    return rank(_network_map(series, steps), 1e-13)


@functools.cache
def _network_map(series: int, steps: int) -> Float[np.ndarray, "features inputs"]:
    p = model(0, 128, 256, "wide")[1]
    encoder = np.random.default_rng(0).normal(size=(256, series)) / np.sqrt(series)
    t = (steps + 1) // 2
    entries = p.B_f @ encoder, p.B_b @ encoder
    blocks = [_weight(p, t - j, *entries) for j in range(1, steps + 1)]
    return np.concatenate(blocks, 1)


def _weight(
    p: Arrays,
    age: int,
    B_f: Complex[np.ndarray, "states series"],
    B_b: Complex[np.ndarray, "states series"],
) -> Float[np.ndarray, "features series"]:
    """Response of the outputs to an input of some age, both directions at age 0."""
    forward = (p.C_f * p.lam_f ** max(age, 0)) @ B_f if age >= 0 else 0
    backward = (p.C_b * p.lam_b ** max(-age, 0)) @ B_b if age <= 0 else 0
    return np.real(forward + backward)


def vandermonde_layer(
    seed: int, n: int, k: int, kind: str, side: str
) -> Complex[np.ndarray, "n k"]:
    """Matrix of Eq. 19 or 21 as responses of the layer with input weights of one."""
    if side == "forward":
        return responses(seed, n, 1, k, k, kind)[:n]
    return responses(seed, n, 1, k, 1, kind)[n:, ::-1]


def vandermonde_loop(
    seed: int, n: int, k: int, kind: str, side: str
) -> Complex[np.ndarray, "n k"]:
    """Matrix of Eq. 19 or 21, a column the recurrence's response to a unit input."""
    lam, units = eigenvalues(seed, n, kind, side), np.eye(k)
    return np.stack([recur(lam, np.outer(u, np.ones(n)))[-1] for u in units], 1)


def rounded_inputs(k: int, spread: str) -> Float[np.ndarray, " k"]:
    """The inputs themselves."""
    return signal(3, 1, k)[:, 0]


def rounded_reconstruction(k: int, spread: str) -> Inexact[np.ndarray, " k"]:
    """``k`` inputs from ``k`` states, all in double precision, as a recurrence makes them."""
    lam, u = nodes(k, spread), signal(3, 1, k)
    h = recur(lam, u * np.ones_like(lam))[-1]
    return np.linalg.lstsq(np.vander(lam, k), h, rcond=0)[0]


def rounded_solve(k: int, spread: str) -> Inexact[np.ndarray, " k"]:
    """``k`` inputs from ``k`` states of the engine, by elimination in float64."""
    import jax.numpy as jnp

    from sigprop.neuron.scan import scan_linear

    lam, u = nodes(k, spread), signal(3, 1, k)
    with double_precision(True):
        states = scan_linear(jnp.asarray(lam), jnp.asarray(u * np.ones_like(lam)))
        h = np.asarray(states)[-1]
    return np.linalg.solve(np.vander(lam, k), h)


def seen_backwards(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it: six states, steps."""
    return rank(responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def seen_backwards_slowly(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it, in high precision."""
    with mpmath.workdps(DIGITS):
        return precise_rank(written_responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def determinant(**point: Any) -> complex:
    """Determinant of the responses of the real layer."""
    return complex(np.linalg.det(vandermonde_layer(**point)))


def determinant_slowly(**point: Any) -> complex:
    """Determinant of the powers in high precision."""
    with mpmath.workdps(DIGITS):
        return complex(mpmath.det(mpmath.matrix(vandermonde(**point).tolist())))


def differences(
    seed: int, n: int, k: int, kind: str, side: str, first: int = 0
) -> complex:
    """Product of the differences of pairs of eigenvalues, from the ``first`` pair on.

    Raises:
        ValueError: If the Vandermonde matrix is not square.
    """
    if n != k:
        raise ValueError(f"need as many steps as states, got {n=}, {k=}")
    pairs = itertools.combinations(eigenvalues(seed, n, kind, side), 2)
    return complex(np.prod([one - other for one, other in pairs][first:]))


def _size(m: int, k: int, **_: object) -> int:
    return m * k


def _matrix(side: str, proof: Callable[[], bool]) -> Evidence:
    """A Vandermonde matrix, as wide as high and higher than wide."""
    return Evidence(
        ({"seed": 0, **SQUARE, "side": side}, {"seed": 1, **TALL, "side": side}),
        {"reference": vandermonde_loop, "impulse": vandermonde_layer},
        vandermonde,
        proof=proof,
    )


def _solved(side: str) -> Evidence:
    """The inputs from the last state."""
    return Evidence(
        ({"seed": 0, **SQUARE, "side": side}, {"seed": 1, **TALL, "side": side}),
        {"impulse": reconstruction, "reference": reconstruction_slowly},
        ordered,
        slips={
            "the adjoint for the inverse": adjoint_reconstruction,
            "powers from one on": late_reconstruction,
            "the other direction's matrix": crossed_reconstruction,
        },
    )


EVIDENCE: dict[str, Basis] = {
    "blur:thm4.1": Evidence(
        MERGED, {"impulse": merged_rank, "reference": merged_rank_slowly}, form=_size
    ),
    "blur:18": Evidence(
        MERGED, {"impulse": recovered, "reference": recovered_by_solving}, form=1.0
    ),
    "blur:text:dim": Evidence(
        points("series steps", (7, 24), (1, 24), (7, 48), (1, 336)),
        {"impulse": network_rank},
        form=lambda series, steps: series * steps,
        alone="a rank, of one layer of the paper's size drawn as it draws it",
    ),
    "blur:text:sketch": Evidence(
        points("seed step", (0, 3), (1, 5), (2, 6)),
        {"impulse": seen_backwards, "reference": seen_backwards_slowly},
        form=1,
        printed=lambda seed, step: step,
    ),
    "blur:text:merge": Evidence(
        (
            {"seed": 0, **ONES},
            {"seed": 1, **ONES},
            {"seed": 0, **ONES, "merge": "difference"},
            {"seed": 0, **ONES, "merge": "backward"},
        ),
        {"impulse": merged_rank, "reference": merged_rank_slowly},
        form=_size,
    ),
    "blur:lemmaA.1": Evidence(
        (
            {"seed": 0, **LAST},
            {"seed": 1, **LAST, "m": 2, "k": 3},
            {"seed": 2, **LAST, "n": 3, "P": 3},
            {"seed": 0, **LAST, "m": 2, "k": 3, "kind": "ones"},
        ),
        {"impulse": subspace_rank, "reference": subspace_rank_slowly},
        form=lambda P, **_: P,
    ),
    "blur:text:lossless": Evidence(
        (
            *also(points("k", 4, 40), spread="circle"),
            *also(points("k", 4, 16, 40), spread="real"),
        ),
        {"reference": rounded_reconstruction, "impulse": rounded_solve},
        rounded_inputs,
    ),
    "blur:19": _matrix("forward", two.unrolled_forward),
    "blur:20": _solved("forward"),
    "blur:21": _matrix("backward", two.unrolled_backward),
    "blur:22": _solved("backward"),
    "blur:text:distinct": Evidence(
        also(points("seed", 0, 1, 2), **SQUARE, side="forward"),
        {"impulse": determinant, "reference": determinant_slowly},
        differences,
        slips={"one pair missing": partial(differences, first=1)},
    ),
}
