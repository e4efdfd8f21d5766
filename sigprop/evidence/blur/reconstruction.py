"""Ranks of BLUR's states as maps of the inputs, and reconstructions of the inputs.

Responses of the package's layer to unit inputs are the columns of a matrix.  The same
matrix is also computed in high precision, from powers of the eigenvalues.

Notation: t  a step, counted from 1;  k  number of steps;  P  dimension of the space of
inputs.

Source: BLUR (2025), Eq. 19-22 and Appendix A.4.
"""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.blur.recurrences import model, signal
from sigprop.numerics.precision import double_precision

RANK = 1e-10  # singular values below this share of the largest one count as none
DIGITS = 60
SQUARE = {"n": 6, "k": 6, "kind": "ones"}
Matrix = Any  # of mpmath, which has no types

_batch = eqx.filter_jit(lambda layer, us: jax.vmap(layer.states)(us))


@functools.cache
def responses(
    seed: int, n: int, m: int, k: int, t: int, kind: str
) -> Complex[np.ndarray, "states inputs"]:
    """States of the real layer at step ``t`` to unit inputs, oldest input first."""
    units = np.eye(k * m).reshape(k * m, k, m)
    with double_precision(True):
        states = _batch(model(seed, n, m, kind)[0], jnp.asarray(units))
        return np.asarray(states)[:, t - 1].T


def written_responses(seed: int, n: int, m: int, k: int, t: int, kind: str) -> Matrix:
    """States at step ``t`` to unit inputs, by high-precision powers of eigenvalues."""
    p = model(seed, n, m, kind)[1]
    with mpmath.workdps(DIGITS):
        ages = [t - j for j in range(1, k + 1)]
        rows = [_row(p.lam_f[i], p.B_f[i], ages) for i in range(n)]
        ages = [-age for age in ages]
        rows += [_row(p.lam_b[i], p.B_b[i], ages) for i in range(n)]
        return mpmath.matrix(rows)


def _row(lam: complex, B: Complex[np.ndarray, " m"], ages: list[int]) -> list[Any]:
    """Weights of all inputs in one state; those of a negative age have none."""
    powers = [mpmath.mpc(lam) ** age if age >= 0 else mpmath.mpc(0) for age in ages]
    return [power * mpmath.mpc(entry) for power in powers for entry in B]


def rank(matrix: Inexact[np.ndarray, "_ _"], share: float = RANK) -> int:
    """Number of singular values above a share of the largest one."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(sizes > share * sizes[0]))


def precise_rank(matrix: Matrix) -> int:
    """Rank by elimination, pivots below 1e-20 counting as none."""
    rows = matrix.tolist()
    pivots = 0
    for column in range(matrix.cols):
        below = range(pivots, len(rows))
        best = max(below, key=lambda i: abs(rows[i][column]), default=None)
        if best is None or abs(rows[best][column]) < mpmath.mpf(10) ** -20:
            continue
        rows[pivots], rows[best] = rows[best], rows[pivots]
        for i in range(pivots + 1, len(rows)):
            share = rows[i][column] / rows[pivots][column]
            pairs = zip(rows[i], rows[pivots], strict=True)
            rows[i] = [a - share * b for a, b in pairs]
        pivots += 1
    return pivots


def _of_subspace(seed: int, size: int, P: int) -> Float[np.ndarray, "size P"]:
    if size == P:
        return np.eye(size)
    return np.random.default_rng(seed + 7).normal(size=(size, P))


def subspace_rank(seed: int, n: int, m: int, k: int, kind: str, P: int) -> int:
    """Rank of the real layer's last forward state on a ``P``-dimensional input space."""
    forward = responses(seed, n, m, k, k, kind)[:n]
    return rank(forward @ _of_subspace(seed, m * k, P))


def subspace_rank_slowly(seed: int, n: int, m: int, k: int, kind: str, P: int) -> int:
    """Last forward state's rank on a ``P``-dimensional space, by precise elimination."""
    with mpmath.workdps(DIGITS):
        forward = written_responses(seed, n, m, k, k, kind)[:n, :]
        basis = mpmath.matrix(_of_subspace(seed, m * k, P).tolist())
        return precise_rank(forward * basis)


def eigenvalues(seed: int, n: int, kind: str, side: str) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of one direction of a layer with one input."""
    p = model(seed, n, 1, kind)[1]
    return p.lam_f if side == "forward" else p.lam_b


def vandermonde(
    seed: int, n: int, k: int, kind: str, side: str
) -> Complex[np.ndarray, "n k"]:
    """The matrix of Eq. 19 (``forward``) or 21 (``backward``)."""
    return np.vander(eigenvalues(seed, n, kind, side), k)


def ordered(seed: int, n: int, k: int, kind: str, side: str) -> Float[np.ndarray, " k"]:
    """Inputs in the order in which the direction reads them."""
    u = signal(seed, 1, k)[:, 0]
    return u if side == "forward" else u[::-1]


def last_state(
    seed: int, n: int, k: int, kind: str, side: str
) -> Complex[np.ndarray, " n"]:
    """The state that has read all inputs, of the real layer."""
    with double_precision(True):
        u = jnp.asarray(signal(seed, 1, k))
        states = np.asarray(_batch(model(seed, n, 1, kind)[0], u[None]))[0]
    return states[-1, :n] if side == "forward" else states[0, n:]


def reconstruction(**point: Any) -> Complex[np.ndarray, " k"]:
    """Inputs from the real layer's last state by the Moore-Penrose inverse."""
    matrix = vandermonde(**point)
    return np.linalg.pinv(matrix, rcond=1e-14) @ last_state(**point)


def adjoint_reconstruction(**point: Any) -> Complex[np.ndarray, " k"]:
    """Mutant of Eq. 20 and 22: the adjoint of the matrix for its inverse."""
    return vandermonde(**point).conj().T @ last_state(**point)


def late_reconstruction(**point: Any) -> Complex[np.ndarray, " k"]:
    """Mutant of Eq. 20 and 22: powers from one to k in place of zero to k - 1."""
    lam = eigenvalues(point["seed"], point["n"], point["kind"], point["side"])
    return np.linalg.pinv(lam[:, None] * vandermonde(**point)) @ last_state(**point)


def crossed_reconstruction(side: str, **point: Any) -> Complex[np.ndarray, " k"]:
    """Mutant of Eq. 20 and 22: the matrix of the other direction."""
    opposite = {"forward": "backward", "backward": "forward"}[side]
    return np.linalg.pinv(vandermonde(**point, side=opposite)) @ last_state(
        **point, side=side
    )


def reconstruction_slowly(**point: Any) -> Complex[np.ndarray, " k"]:
    """Inputs by a QR solve in high precision."""
    with mpmath.workdps(DIGITS):
        matrix = mpmath.matrix(vandermonde(**point).tolist())
        u = mpmath.matrix(ordered(**point).tolist())
        solution, _ = mpmath.qr_solve(matrix, matrix * u)
        return np.array([complex(value) for value in solution])


def nodes(count: int, spread: str) -> Inexact[np.ndarray, " count"]:
    """Eigenvalues on the whole circle of radius 0.98, or real between 0.1 and 0.98."""
    if spread == "circle":
        return 0.98 * np.exp(2j * np.pi * np.arange(count) / count)
    return np.linspace(0.1, 0.98, count)
