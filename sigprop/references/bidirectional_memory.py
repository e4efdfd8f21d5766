"""Ranks of BLUR's states as maps of the inputs, and reconstructions of the inputs.

Responses are those of the real layer to unit inputs, one column an input; their twins
are written down in high precision.

Notation: t  the step looked at, from 1;  k  steps;  P  dimension of the inputs' space.

Source: BLUR (2025), Eq. 18-22, Theorem 4.1 and Appendix A.4.
"""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np

from sigprop.networks import build, parameter_table
from sigprop.networks.presets import blur_paper, lru_paper
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.precision import double_precision
from sigprop.references.bidirectional import Arrays, model, signal

RANK = 1e-10  # singular values below this share of the largest one count as none
DIGITS = 60
Matrix = Any  # of mpmath, which has no types

_batch = eqx.filter_jit(lambda layer, us: jax.vmap(layer.states)(us))


@functools.cache
def responses(seed: int, n: int, m: int, k: int, t: int, kind: str) -> np.ndarray:
    """States of the real layer at step ``t`` to unit inputs, oldest input first."""
    units = np.eye(k * m).reshape(k * m, k, m)
    with double_precision(True):
        found = _batch(model(seed, n, m, kind)[0], jnp.asarray(units))
        return np.asarray(found)[:, t - 1].T


def written_responses(seed: int, n: int, m: int, k: int, t: int, kind: str) -> Matrix:
    """States at step ``t`` to unit inputs, by high-precision powers of eigenvalues."""
    p = model(seed, n, m, kind)[1]
    with mpmath.workdps(DIGITS):
        rows = [
            _row(p.lam_f[i], p.B_f[i], [t - j for j in range(1, k + 1)])
            for i in range(n)
        ]
        rows += [
            _row(p.lam_b[i], p.B_b[i], [j - t for j in range(1, k + 1)])
            for i in range(n)
        ]
        return mpmath.matrix(rows)


def _row(lam: complex, B: np.ndarray, ages: list[int]) -> list[Any]:
    """Weights of all inputs in one state; those of a negative age have none."""
    powers = [mpmath.mpc(lam) ** age if age >= 0 else mpmath.mpc(0) for age in ages]
    return [power * mpmath.mpc(entry) for power in powers for entry in B]


def _merge(seed: int, n: int, merge: str) -> np.ndarray:
    """A map of both states, ``(n, 2n)``: any pair, the sum, the difference, or one."""
    draw = np.random.default_rng(seed + 100)
    one, two = draw.normal(size=(2, n, n)) + 1j * draw.normal(size=(2, n, n))
    eye = np.eye(n)
    halves = {
        "pair": (one, two),
        "sum": (one, one),
        "difference": (eye, -eye),
        "forward": (eye, 0 * eye),
        "backward": (0 * eye, eye),
    }
    return np.concatenate(halves[merge], 1)


def merged(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> np.ndarray:
    """Real part of the merged state at ``t`` as a matrix on all inputs."""
    return np.real(_merge(seed, n, merge) @ responses(seed, n, m, k, t, kind))


def _svd_rank(matrix: np.ndarray, share: float = RANK) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(sizes > share * sizes[0]))


def merged_rank(**at: Any) -> int:
    """Numbers of the inputs that the merged state of the real layer tells apart."""
    return _svd_rank(merged(**at))


def merged_rank_slowly(
    seed: int, n: int, m: int, k: int, t: int, kind: str, merge: str
) -> int:
    """Rank of the merged state on all inputs, by elimination in high precision."""
    with mpmath.workdps(DIGITS):
        H = mpmath.matrix(_merge(seed, n, merge).tolist())
        product = H * written_responses(seed, n, m, k, t, kind)
        return _rank(product.apply(mpmath.re))


def _rank(matrix: Matrix) -> int:
    """Rank by elimination, pivots below 1e-20 counting as none."""
    rows = matrix.tolist()
    rank = 0
    for column in range(matrix.cols):
        below = range(rank, len(rows))
        best = max(below, key=lambda i: abs(rows[i][column]), default=None)
        if best is None or abs(rows[best][column]) < mpmath.mpf(10) ** -20:
            continue
        rows[rank], rows[best] = rows[best], rows[rank]
        for i in range(rank + 1, len(rows)):
            share = rows[i][column] / rows[rank][column]
            pairs = zip(rows[i], rows[rank], strict=True)
            rows[i] = [a - share * b for a, b in pairs]
        rank += 1
    return rank


def recovered(**at: Any) -> float:
    """Share of the worst input that the merged state still holds: one, or nothing."""
    matrix = merged(**at)
    projector = np.linalg.pinv(matrix, rcond=RANK) @ matrix
    return float(np.linalg.svd(projector, compute_uv=False)[-1])


def recovered_by_solving(**at: Any) -> float:
    """Share of the worst input that the merged state holds, by least squares."""
    matrix = merged(**at)
    back = np.linalg.lstsq(matrix, matrix, rcond=RANK)[0]
    return float(np.linalg.svd(back, compute_uv=False)[-1])


def _of_subspace(seed: int, size: int, P: int) -> np.ndarray:
    if size == P:
        return np.eye(size)
    return np.random.default_rng(seed + 7).normal(size=(size, P))


def subspace_rank(seed: int, n: int, m: int, k: int, kind: str, P: int) -> int:
    """Rank of the real layer's last forward state on a ``P``-dimensional input space."""
    forward = responses(seed, n, m, k, k, kind)[:n]
    matrix = forward @ _of_subspace(seed, m * k, P)
    return _svd_rank(matrix)


def subspace_rank_slowly(seed: int, n: int, m: int, k: int, kind: str, P: int) -> int:
    """Last forward state's rank on a ``P``-dimensional space, by precise elimination."""
    with mpmath.workdps(DIGITS):
        forward = written_responses(seed, n, m, k, k, kind)[:n, :]
        basis = mpmath.matrix(_of_subspace(seed, m * k, P).tolist())
        return _rank(forward * basis)


def network_rank(series: int, steps: int) -> int:
    """Inputs that one layer of the paper's size tells apart at the middle step.

    128 states in each direction, 256 features, a random encoder of the series.
    """
    return _svd_rank(_network_map(series, steps), 1e-13)


@functools.cache
def _network_map(series: int, steps: int) -> np.ndarray:
    p = model(0, 128, 256, "wide")[1]
    encoder = np.random.default_rng(0).normal(size=(256, series)) / np.sqrt(series)
    t = (steps + 1) // 2
    entries = p.B_f @ encoder, p.B_b @ encoder
    blocks = [_weight(p, t - j, entries) for j in range(1, steps + 1)]
    return np.concatenate(blocks, 1)


def _weight(p: Arrays, age: int, entries: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Response of the outputs to an input of some age, both directions at age 0."""
    forward = (p.C_f * p.lam_f ** max(age, 0)) @ entries[0] if age >= 0 else 0
    backward = (p.C_b * p.lam_b ** max(-age, 0)) @ entries[1] if age <= 0 else 0
    return np.real(forward + backward)


# Vandermonde matrices, Eq. 19-22.


def vandermonde(seed: int, n: int, k: int, kind: str, side: str) -> np.ndarray:
    """The matrix of Eq. 19 (``forward``) or 21 (``backward``)."""
    p = model(seed, n, 1, kind)[1]
    return np.vander(p.lam_f if side == "forward" else p.lam_b, k)


def vandermonde_layer(seed: int, n: int, k: int, kind: str, side: str) -> np.ndarray:
    """Matrix of Eq. 19 or 21 as responses of the layer with input weights of one."""
    if side == "forward":
        return responses(seed, n, 1, k, k, kind)[:n]
    return responses(seed, n, 1, k, 1, kind)[n:, ::-1]


def vandermonde_loop(seed: int, n: int, k: int, kind: str, side: str) -> np.ndarray:
    """Matrix of Eq. 19 or 21, a column the recurrence's response to a unit input."""
    p = model(seed, n, 1, kind)[1]
    lam = p.lam_f if side == "forward" else p.lam_b
    columns = []
    for place in range(k):
        h = np.zeros(n, complex)
        for step in range(k):
            h = lam * h + (step == place)
        columns.append(h)
    return np.stack(columns, 1)


def ordered(seed: int, n: int, k: int, kind: str, side: str) -> np.ndarray:
    """Inputs in the order in which the direction reads them."""
    u = signal(seed, 1, k)[:, 0]
    return u if side == "forward" else u[::-1]


def last_state(seed: int, n: int, k: int, kind: str, side: str) -> np.ndarray:
    """The state that has read all inputs, of the real layer."""
    with double_precision(True):
        u = jnp.asarray(signal(seed, 1, k))
        states = np.asarray(_batch(model(seed, n, 1, kind)[0], u[None]))[0]
    return states[-1, :n] if side == "forward" else states[0, n:]


def reconstruction(**at: Any) -> np.ndarray:
    """Inputs from the real layer's last state by the Moore-Penrose inverse."""
    matrix = vandermonde(**at)
    return np.linalg.pinv(matrix, rcond=1e-14) @ last_state(**at)


def reconstruction_slowly(**at: Any) -> np.ndarray:
    """Inputs by a QR solve in high precision."""
    with mpmath.workdps(DIGITS):
        matrix = mpmath.matrix(vandermonde(**at).tolist())
        u = mpmath.matrix(ordered(**at).tolist())
        found, _ = mpmath.qr_solve(matrix, matrix * u)
        return np.array([complex(value) for value in found])


def without_inverse(**at: Any) -> np.ndarray:
    """The Vandermonde matrix itself applied to the state, where it is square."""
    return vandermonde(**at) @ last_state(**at)


def both_reconstructions(seed: int, n: int, k: int, kind: str) -> np.ndarray:
    """``Theta_f h_k + Theta_b h_1`` of the proof of Theorem 4.1."""
    at = {"seed": seed, "n": n, "k": k, "kind": kind}
    return reconstruction(**at, side="forward") + reconstruction(**at, side="backward")


def both_by_solving(seed: int, n: int, k: int, kind: str) -> np.ndarray:
    """Sum of the forward and backward reconstructions, by high-precision solves."""
    at = {"seed": seed, "n": n, "k": k, "kind": kind}
    return reconstruction_slowly(**at, side="forward") + reconstruction_slowly(
        **at, side="backward"
    )


def there_and_back(seed: int, n: int, k: int, kind: str) -> np.ndarray:
    """Inputs plus inputs in reversed order."""
    u = ordered(seed, n, k, kind, "forward")
    return u + u[::-1]


def in_order(seed: int, n: int, k: int, kind: str) -> np.ndarray:
    """Inputs as they are."""
    return ordered(seed, n, k, kind, "forward")


def nodes(count: int, spread: str) -> np.ndarray:
    """Eigenvalues on the whole circle of radius 0.98, or real between 0.1 and 0.98."""
    if spread == "circle":
        return 0.98 * np.exp(2j * np.pi * np.arange(count) / count)
    return np.linspace(0.1, 0.98, count)


def rounded_reconstruction(k: int, spread: str) -> np.ndarray:
    """``k`` inputs from ``k`` states, all in double precision, as a recurrence makes them."""
    lam, u = nodes(k, spread), signal(3, 1, k)[:, 0]
    h = np.zeros(k, lam.dtype)
    for value in u:
        h = lam * h + value
    return np.linalg.lstsq(np.vander(lam, k), h, rcond=0)[0]


def rounded_solve(k: int, spread: str) -> np.ndarray:
    """``k`` inputs from ``k`` states of the engine, by elimination in float64."""
    lam, u = nodes(k, spread), signal(3, 1, k)[:, 0]
    with double_precision(True):
        states = scan_linear(
            jnp.asarray(lam), jnp.asarray(np.outer(u, np.ones_like(lam)))
        )
        h = np.asarray(states)[-1]
    return np.linalg.solve(np.vander(lam, k), h)


def rounded_inputs(k: int, spread: str) -> np.ndarray:
    """The inputs themselves."""
    return signal(3, 1, k)[:, 0]


def reconstruction_norms(count: int, spread: str) -> float:
    """Sum over ``k = 1 ... count`` of the norms of the reconstructions."""
    lam = nodes(count, spread)
    norms = [
        1 / np.linalg.svd(np.vander(lam, k), compute_uv=False)[-1]
        for k in range(1, count + 1)
    ]
    return float(np.sum(norms))


def seen_backwards(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it: six states, steps."""
    return _svd_rank(responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def seen_backwards_slowly(seed: int, step: int) -> int:
    """Rank of the backward state at ``step`` on the inputs up to it, in high precision."""
    with mpmath.workdps(DIGITS):
        return _rank(written_responses(seed, 6, 1, 6, step, "drawn")[6:, :step])


def determinant(**at: Any) -> complex:
    """Determinant of the responses of the real layer."""
    return complex(np.linalg.det(vandermonde_layer(**at)))


def determinant_slowly(**at: Any) -> complex:
    """Determinant of the powers in high precision."""
    with mpmath.workdps(DIGITS):
        return complex(mpmath.det(mpmath.matrix(vandermonde(**at).tolist())))


def _all_differences(seed: int, n: int, side: str) -> list[complex]:
    p = model(seed, n, 1, "ones")[1]
    lam = p.lam_f if side == "forward" else p.lam_b
    return [lam[i] - lam[j] for i in range(n) for j in range(i + 1, n)]


def differences(seed: int, n: int, k: int, kind: str, side: str) -> complex:
    """Product of the differences of all pairs of eigenvalues."""
    return complex(np.prod(_all_differences(seed, n, side)))


def differences_but_one(seed: int, n: int, k: int, kind: str, side: str) -> complex:
    """Product of the differences of all pairs of eigenvalues but the first pair."""
    return complex(np.prod(_all_differences(seed, n, side)[1:]))


def real_size(seed: int, n: int, k: int) -> list[int]:
    """Size of real parts above imaginary parts of the Vandermonde matrix."""
    matrix = vandermonde(seed, n, k, "ones", "forward")
    return list(np.concatenate([np.real(matrix), np.imag(matrix)]).shape)


def twice_in_order(seed: int, n: int, k: int, kind: str) -> np.ndarray:
    """Twice the inputs."""
    return 2 * ordered(seed, n, k, kind, "forward")


def preset_parameters(series: int) -> int:
    """Parameters of the paper's network for some series, counted without a draw."""
    shapes, _ = eqx.filter_eval_shape(
        build, jax.random.key(0), blur_paper(series, series)
    )
    return parameter_table(shapes)["total"]


def lru_depth() -> int:
    """Layers of the LRU's own networks."""
    depths = {lru_paper(task).depth for task in ("scifar", "listops", "text")}
    return depths.pop() if len(depths) == 1 else 0


def lru_dropout() -> list[float]:
    """Dropout of the LRU's own networks on sCIFAR, ListOps and Text."""
    return [lru_paper(task).dropout for task in ("scifar", "listops", "text")]
