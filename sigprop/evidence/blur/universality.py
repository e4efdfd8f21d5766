"""Evidence for universality, Theorem 4.1, Lemma A.1 and Eq. 18-22 of BLUR (2025)."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.blur.reconstruction import (
    DIGITS,
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
from sigprop.evidence.blur.recurrences import signal
from sigprop.evidence.kit import also, points, recur
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import bidirectional as two

# The factors of Eq. 14, as the lines after Eq. 1 and Eq. 11 to 13 call them.
COMPOSITION = {
    "L_3": "linear",
    "G": "nonlinear",
    "H": "linear",
    "L_1 + L_2": "linear",
    "E": "linear",
}
ONES = {"n": 6, "m": 1, "k": 6, "t": 3, "kind": "ones", "merge": "pair"}
LAST = {"n": 6, "m": 1, "k": 6, "kind": "drawn", "P": 6}
TALL = {"n": 6, "k": 4, "kind": "ones"}


def _merge(seed: int, n: int, merge: str) -> Inexact[np.ndarray, "n _"]:
    """A map of both states, ``(n, 2n)``: any pair, the difference, or one."""
    draw = np.random.default_rng(seed + 100)
    forward, backward = draw.normal(size=(2, n, n)) + 1j * draw.normal(size=(2, n, n))
    eye = np.eye(n)
    halves = {
        "pair": (forward, backward),
        "difference": (eye, -eye),
        "backward": (0 * eye, eye),
    }
    return np.concatenate(halves[merge], 1)


def merged(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> Float[np.ndarray, "n inputs"]:
    """Real part of the merged state at ``t`` as a matrix on all inputs."""
    return np.real(_merge(seed, n, merge) @ responses(seed, n, m, k, t, kind))


def merged_rank(**point: Any) -> int:
    """Number of independent inputs that the merged state of the layer contains."""
    return rank(merged(**point))


def merged_rank_slowly(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> int:
    """Rank of the merged state on all inputs, by elimination in high precision."""
    with mpmath.workdps(DIGITS):
        H = mpmath.matrix(_merge(seed, n, merge).tolist())
        product = H * written_responses(seed, n, m, k, t, kind)
        return precise_rank(product.apply(mpmath.re))


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


def backward_rank(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it: six states, steps."""
    return rank(responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def precise_backward_rank(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it, in high precision."""
    with mpmath.workdps(DIGITS):
        return precise_rank(written_responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def dimension(d: int, N: int) -> int:
    """Dimension of the space of some drawn sequences, more of them than ``dN``."""
    return rank(_sequences(d, N))


def dimension_slowly(d: int, N: int) -> int:
    """Dimension of the space of ``dimension``, by elimination in high precision."""
    with mpmath.workdps(DIGITS):
        return precise_rank(mpmath.matrix(_sequences(d, N).tolist()))


def _sequences(d: int, N: int) -> Float[np.ndarray, "draws entries"]:
    return np.random.default_rng(d + N).normal(size=(d * N + 3, d * N))


def exact_inputs(k: int, spread: str) -> Float[np.ndarray, " k"]:
    """The inputs themselves, oldest first."""
    return signal(3, 1, k)[:, 0]


def recovered_by_elimination(k: int, spread: str) -> Inexact[np.ndarray, " k"]:
    """``k`` inputs from ``k`` states, all in high precision."""
    with mpmath.workdps(DIGITS):
        lam, h = _precise_states(k, spread)
        matrix = mpmath.matrix([[x**age for age in range(k)] for x in lam])
        return _doubles(mpmath.lu_solve(matrix, mpmath.matrix(h)))[::-1]


def recovered_by_interpolation(k: int, spread: str) -> Inexact[np.ndarray, " k"]:
    """``k`` inputs as the coefficients of the polynomial through the states.

    Newton's divided differences, then his form multiplied out.
    """
    with mpmath.workdps(DIGITS):
        lam, c = _precise_states(k, spread)
        for order in range(1, k):
            for i in range(k - 1, order - 1, -1):
                c[i] = (c[i] - c[i - 1]) / (lam[i] - lam[i - order])
        power = [c[-1]]
        for i in range(k - 2, -1, -1):
            power = [mpmath.mpf(0), *power]
            for age in range(len(power) - 1):
                power[age] -= lam[i] * power[age + 1]
            power[0] += c[i]
        return _doubles(power)[::-1]


def _precise_states(k: int, spread: str) -> tuple[list[Any], list[Any]]:
    """Eigenvalues, and the states after ``k`` inputs, in high precision."""
    lam = [mpmath.mpmathify(x) for x in nodes(k, spread).tolist()]
    h = [mpmath.mpf(0)] * k
    for u in exact_inputs(k, spread).tolist():
        h = [x * state + u for x, state in zip(lam, h, strict=True)]
    return lam, h


def _doubles(values: Any) -> Complex[np.ndarray, " k"]:
    return np.array([complex(value) for value in values])


def late_powers(**point: Any) -> Complex[np.ndarray, "n k"]:
    """Mutant of Eq. 19 and 21: powers from one to k in place of zero to k - 1."""
    lam = eigenvalues(point["seed"], point["n"], point["kind"], point["side"])
    return lam[:, None] * vandermonde(**point)


SOLVED_MUTANTS = {
    "the adjoint for the inverse": adjoint_reconstruction,
    "powers from one on": late_reconstruction,
    "the other direction's matrix": crossed_reconstruction,
}


def _matrix(side: str, proof: Callable[[], bool]) -> Evidence:
    """A Vandermonde matrix, as wide as high and higher than wide."""
    return Evidence(
        ({"seed": 0, **SQUARE, "side": side}, {"seed": 1, **TALL, "side": side}),
        {"reference": vandermonde_loop, "impulse": vandermonde_layer},
        vandermonde,
        proof=proof,
        mutants={
            "powers from one on": late_powers,
            "the oldest input last": lambda **point: vandermonde(**point)[:, ::-1],
            "the conjugate eigenvalues": lambda **point: vandermonde(**point).conj(),
        },
    )


def _solved(side: str) -> Evidence:
    """The inputs from the last state."""
    return Evidence(
        ({"seed": 0, **SQUARE, "side": side}, {"seed": 1, **TALL, "side": side}),
        {"impulse": reconstruction, "reference": reconstruction_slowly},
        ordered,
        mutants=SOLVED_MUTANTS,
    )


EVIDENCE: dict[str, Basis] = {
    "blur:text:nonlinear-letter": numbers(
        list(COMPOSITION.values()).index("nonlinear"),
        list(COMPOSITION).index("G"),
        printed=list(COMPOSITION).index("E"),
        example=Example("the nonlinear mapping", {}, "E", "G"),
    ),
    "blur:text:dim": Evidence(
        points("d N", (1, 5), (3, 4), (7, 2)),
        {"reference": dimension, "reference_slow": dimension_slowly},
        form=lambda d, N: d * N,
        mutants={"of the steps alone": lambda d, N: N, "a sum": lambda d, N: d + N},
    ),
    "blur:text:sketch": Evidence(
        points("seed step", (0, 3), (1, 5), (2, 6)),
        {"impulse": backward_rank, "reference": precise_backward_rank},
        form=1,
        printed=lambda seed, step: step,
        mutants={"the inputs from the step on": lambda seed, step: 7 - step},
        example=Example(
            "number of u_1 ... u_k that the backward state h_k depends on",
            {"k": 3},
            lambda k: k,
            1,
        ),
    ),
    "blur:text:merge": Evidence(
        (
            {"seed": 0, **ONES},
            {"seed": 1, **ONES},
            {"seed": 0, **ONES, "merge": "difference"},
            {"seed": 0, **ONES, "merge": "backward"},
        ),
        {"impulse": merged_rank, "reference": merged_rank_slowly},
        form=lambda m, k, **_: m * k,
        mutants={"what one direction has seen": lambda m, t, **_: m * t},
        example=Example(
            "the number of inputs that H(a, b) = a - b contains after one step, for "
            "B_f = B_b = 1,",
            {},
            1,
            0,
        ),
    ),
    "blur:lemmaA.1": Evidence(
        (
            {"seed": 0, **LAST},
            {"seed": 1, **LAST, "m": 2, "k": 3},
            {"seed": 2, **LAST, "n": 3, "P": 3},
        ),
        {"impulse": subspace_rank, "reference": subspace_rank_slowly},
        form=lambda P, **_: P,
        mutants={
            "every entry, whatever the inputs span": lambda m, k, **_: m * k,
            "an entry a step": lambda k, **_: k,
            "real and imaginary parts": lambda n, **_: 2 * n,
        },
    ),
    "blur:text:lossless": Evidence(
        (
            *also(points("k", 4, 20), spread="circle"),
            *also(points("k", 4, 20), spread="real"),
        ),
        {
            "reference": recovered_by_elimination,
            "reference_newton": recovered_by_interpolation,
        },
        exact_inputs,
        mutants={"the newest input first": lambda **point: exact_inputs(**point)[::-1]},
    ),
    "blur:19": _matrix("forward", two.unrolled_forward),
    "blur:20": _solved("forward"),
    "blur:21": _matrix("backward", two.unrolled_backward),
    "blur:22": _solved("backward"),
}
