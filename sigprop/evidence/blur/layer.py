"""Evidence for the layer, Sections 3 and 4.1 of BLUR (2025).

Notation: A, B  matrices of the dense recurrence;  lam, Q  eigenvalues and vectors of A.
"""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Float, Inexact

from sigprop.evidence.blur.recurrences import (
    FORWARD,
    MERGE_MUTANTS,
    POINTS,
    both_loops,
    both_routes,
    case,
    forward_sum,
    layer_states,
    merged_layer,
    merged_pair,
    model,
    outputs_of,
    signal,
    state_mutants,
    states_of,
)
from sigprop.evidence.kit import also, entries, points, recur
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.dense import LinearRNN, linear_rnn
from sigprop.numerics.precision import double_precision
from sigprop.theory import bidirectional as two

DENSE = also(points("seed", 0, 1, 2), n=4, m=3, k=5)
Turn = Callable[[Any], Any]  # of the eigenvectors
Factors = Callable[[Any, Any], Any]  # of eigenvalues and eigenvectors

_first_jacobian = eqx.filter_jit(lambda layer, u: jax.jacrev(lambda v: layer(v)[0])(u))


def transform(width: float, omega: float) -> complex:
    """Transform of ``exp(-x^2 / (2 width^2))`` by quadrature."""

    def integrand(x):
        phase = mpmath.exp(-1j * mpmath.mpf(omega) * x)
        return mpmath.exp(-(x**2) / (2 * mpmath.mpf(width) ** 2)) * phase

    edges = [step * width for step in (-12, -4, 0, 4, 12)]
    return complex(mpmath.quad(integrand, edges) / (2 * mpmath.pi))


def constant(width: float) -> float:
    """Barron constant of ``exp(-x^2/(2 width^2))``, its transform summed on a lattice.

    The trapezoidal rule of a Gaussian is exact beyond double precision, so no closed form
    of the transform enters.
    """
    x = width / 4 * np.arange(-60, 61)
    samples = np.exp(-(x**2) / (2 * width**2))
    point, weight = np.polynomial.legendre.leggauss(80)
    omega = (point + 1) * 5 / width
    waves = np.cos(np.outer(omega, x)) @ samples * (width / 4) / (2 * np.pi)
    return float(2 * np.sum(weight * 5 / width * omega * np.abs(waves)))


@functools.cache
def dense(seed: int, n: int, m: int) -> LinearRNN:
    """A dense linear layer."""
    with double_precision(True):
        return linear_rnn(n, m, key=jax.random.key(seed), nu0=0.3, theta0=np.pi)


def dense_case(
    seed: int, n: int, m: int, k: int
) -> tuple[
    Float[np.ndarray, "n n"], Float[np.ndarray, "n m"], Float[np.ndarray, "k m"]
]:
    """``A`` and ``B`` of the dense layer, and inputs."""
    layer = dense(seed, n, m)
    return np.asarray(layer.A).reshape(n, n), np.asarray(layer.B), signal(seed, m, k)


def dense_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k n"]:
    """States of the real dense layer."""
    return states_of(dense(seed, n, m), signal(seed, m, k))


def dense_loop(**point: int) -> Float[np.ndarray, "k n"]:
    """States by the recurrence of Eq. 3."""
    A, B, u = dense_case(**point)
    return recur(A, u @ B.T)


def dense_sum(**point: int) -> Float[np.ndarray, " n"]:
    """State ``k`` as the sum of Eq. 5."""
    A, B, u = dense_case(**point)
    power = np.linalg.matrix_power
    return np.sum([power(A, j) @ B @ v for j, v in enumerate(u[::-1])], 0)


def written_out(**point: int) -> Float[np.ndarray, "3 n"]:
    """The three states that Eq. 4 writes out."""
    A, B, (u_1, u_2, u_3, *_) = dense_case(**point)
    return np.array(
        [B @ u_1, A @ B @ u_1 + B @ u_2, A @ A @ B @ u_1 + A @ B @ u_2 + B @ u_3]
    )


def dense_sizes(m: int, k: int, **point: int) -> list[int]:
    """Sizes of the real layer's inputs and states, features by steps."""
    return [m, k, *dense_layer(m=m, k=k, **point).T.shape]


def dense_sizes_of_loop(**point: int) -> list[int]:
    """Sizes of what enters the recurrence of Eq. 3, and of its states."""
    entering = dense_case(**point)[2]
    return [*entering.T.shape, *dense_loop(**point).T.shape]


def eigenvectors_of_jordan(size: float) -> int:
    """Independent eigenvectors of a Jordan block perturbed by ``size``."""
    return int(np.linalg.matrix_rank(np.linalg.eig(_jordan(size))[1]))


def eigenvectors_by_kernels(size: float) -> int:
    """Independent eigenvectors of a perturbed Jordan block, by kernels of ``A - lambda``."""
    A = _jordan(size)
    eigenvalues = set(np.round(np.linalg.eigvals(A), 12))
    ranks = (np.linalg.matrix_rank(A - lam * np.eye(2), 1e-9) for lam in eigenvalues)
    return sum(2 - int(rank) for rank in ranks)


def _jordan(size: float) -> Float[np.ndarray, "2 2"]:
    return np.array([[0.5, 1.0], [size, 0.5]])


def recurrent_matrix(**point: int) -> Float[np.ndarray, "n n"]:
    """The dense recurrent matrix."""
    return dense_case(**point)[0]


def in_order(lam: Any, Q: Any) -> Any:
    """``Q Lambda Q^{-1}``."""
    return Q * lam @ np.linalg.inv(Q)


def identified(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "n n"]:
    """The recurrent matrix of the real layer, from its states after unit inputs."""
    units = [np.eye(k)[:, :1] * np.eye(m)[i] for i in range(m)]
    states = np.stack([states_of(dense(seed, n, m), unit) for unit in units], 2)
    return np.hstack(list(states[1:])) @ np.linalg.pinv(np.hstack(list(states[:-1])))


def recomposed(
    factors: Factors = in_order, /, **point: int
) -> Inexact[np.ndarray, "n n"]:
    """``Q Lambda Q^{-1}`` from NumPy's eigenvectors."""
    return factors(*np.linalg.eig(recurrent_matrix(**point)))


def rotated_loop(
    factors: Factors = in_order, /, **point: int
) -> Inexact[np.ndarray, " n"]:
    """State ``k`` by Eq. 7, with the matrix in its three factors."""
    _, B, u = dense_case(**point)
    return recur(recomposed(factors, **point), u @ B.T)[-1]


def rotated_state(
    turned: Turn = np.linalg.inv,
    entering: Turn = np.linalg.inv,
    step: int = -2,
    **point: int,
) -> Inexact[np.ndarray, " n"]:
    """Right side of Eq. 8 at step ``k``, from the dense states."""
    A, B, u = dense_case(**point)
    lam, Q = np.linalg.eig(A)
    return lam * (turned(Q) @ dense_loop(**point)[step]) + entering(Q) @ B @ u[-1]


def unrotated_layer(**point: int) -> Inexact[np.ndarray, " n"]:
    """``Q^{-1} h_k`` of the real dense layer."""
    return np.linalg.solve(
        np.linalg.eig(recurrent_matrix(**point))[1], dense_layer(**point)[-1]
    )


def unrotated_loop(**point: int) -> Inexact[np.ndarray, " n"]:
    """``Q^{-1} h_k`` by the recurrence."""
    return (
        np.linalg.inv(np.linalg.eig(recurrent_matrix(**point))[1])
        @ dense_loop(**point)[-1]
    )


def _readout(n: int, seed: int) -> Callable[[Any], Any]:
    """A nonlinear function of a state: one layer of tanh, and a linear map."""
    first, last = np.random.default_rng(seed + 50).normal(size=(2, n, n))
    return lambda h: np.tanh(h @ first.T) @ last.T


def read_from_dense(
    states: Callable[..., Any], /, **point: int
) -> Float[np.ndarray, "k n"]:
    """The nonlinear function of the states of the dense recurrence."""
    return _readout(point["n"], point["seed"])(states(**point))


def merged_into_nonlinearity(
    back: Turn = lambda Q: Q, entering: Turn = np.linalg.inv, /, **point: int
) -> Float[np.ndarray, "k n"]:
    """The function after ``Q``, of the states of the diagonal recurrence of Eq. 9."""
    A, B, u = dense_case(**point)
    lam, Q = np.linalg.eig(A)
    states = recur(lam, u @ (entering(Q) @ B).T)
    return _readout(point["n"], point["seed"])(np.real(states @ back(Q).T))


def by_inputs(
    column: Callable[[int], int] = lambda i: i, first: int = 0, /, **point: int
) -> Inexact[np.ndarray, "k _"]:
    """States of both directions as sums over LRUs that read one input dimension each."""
    u, p = case(**point)
    forward = backward = 0
    for i in range(first, u.shape[1]):
        forward += recur(p.lam_f, np.outer(u[:, i], p.B_f[:, column(i)]))
        backward += recur(p.lam_b, np.outer(u[::-1, i], p.B_b[:, column(i)]))[::-1]
    return np.concatenate([forward, backward], 1)


def influence_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """``dy_1 / du_k`` through the real layer by automatic differentiation."""
    layer = model(seed, n, m)[0]
    with double_precision(True):
        u = jnp.asarray(signal(seed, m, k))
        return np.asarray(_first_jacobian(layer, u))[:, k - 1]


def influence_kernel(k: int, late: int = 0, **point: int) -> Float[np.ndarray, "m m"]:
    """``Re(C_b Lambda_b^{k-1} B_b)``, or with a power that is ``late`` more."""
    _, p = case(k=k, **point)
    return np.real(p.C_b @ (p.lam_b[:, None] ** (k - 1 + late) * p.B_b))


def influence_impulse(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """``dy_1 / du_k`` as responses of the real layer to unit inputs at step ``k``."""
    layer = model(seed, n, m)[0]
    units = [np.eye(k)[:, -1:] * np.eye(m)[i] for i in range(m)]
    return np.stack([outputs_of(layer, unit)[0] for unit in units], 1)


LAST = {"reference": entries(dense_loop, -1), "impulse": entries(dense_layer, -1)}
DEFINES = "a definition: the layer does what it says"
FACTORS: dict[str, Factors] = {
    "the inverse on the left": lambda lam, Q: np.linalg.inv(Q) * lam @ Q,
    "the transpose for the inverse": lambda lam, Q: Q * lam @ Q.T,
    "no inverse": lambda lam, Q: Q * lam @ Q,
}
DENSE_LOOPS: dict[str, Callable[..., Any]] = {
    "the transposed matrix": lambda A, B, u: recur(A.T, u @ B.T),
    "the newest input weighted too": lambda A, B, u: recur(A, u @ (A @ B).T),
    "inputs from the last one back": lambda A, B, u: recur(A, u[::-1] @ B.T),
}


def dense_mutants(*index: Any) -> dict[str, Callable[..., Any]]:
    """States of the dense recurrence at an index, from mutants of Eq. 3."""
    return {
        name: lambda mutant=mutant, **point: mutant(*dense_case(**point))[index]
        for name, mutant in DENSE_LOOPS.items()
    }


EVIDENCE: dict[str, Basis] = {
    "blur:2": Evidence(
        points("width omega", (1.3, 0.4), (0.6, -1.1), (2.0, 0.9)),
        {"reference": transform},
        alone="a convention, seen on a Gaussian in one dimension",
    ),
    "blur:def3.2": Evidence(
        points("width", 1.3, 0.4, 3.0),
        {"reference": constant},
        alone="a definition, seen on a Gaussian in one dimension",
    ),
    "blur:def3.3": Evidence(
        DENSE[:1],
        {"impulse": dense_sizes, "reference": dense_sizes_of_loop},
        form=lambda seed, n, m, k: [m, k, n, k],
        printed=lambda seed, n, m, k: [n, k, m, k],
        mutants={
            "as many outputs as inputs": lambda seed, n, m, k: [m, k, m, k],
            "the last state alone": lambda seed, n, m, k: [m, k, n, 1],
            "steps before features": lambda seed, n, m, k: [k, m, k, n],
        },
        example=Example(
            "rows of the array that L takes",
            {"n": 4, "m": 3},
            lambda n, m: n,
            lambda n, m: m,
        ),
    ),
    "blur:3": Evidence(
        DENSE,
        {"impulse": dense_layer},
        dense_loop,
        mutants=dense_mutants(),
        alone=DEFINES,
    ),
    "blur:4": Evidence(
        DENSE,
        {
            "reference": entries(dense_loop, slice(3)),
            "impulse": entries(dense_layer, slice(3)),
        },
        written_out,
        proof=two.first_steps,
        mutants=dense_mutants(slice(3)),
    ),
    "blur:5": Evidence(
        DENSE, LAST, dense_sum, proof=two.unrolled_forward, mutants=dense_mutants(-1)
    ),
    "blur:6": Evidence(
        DENSE,
        {"reference": recurrent_matrix, "impulse": identified},
        recomposed,
        mutants={name: functools.partial(recomposed, f) for name, f in FACTORS.items()},
    ),
    "blur:7": Evidence(
        DENSE,
        LAST,
        rotated_loop,
        proof=two.change_of_basis,
        mutants={
            name: functools.partial(rotated_loop, f) for name, f in FACTORS.items()
        },
    ),
    "blur:8": Evidence(
        DENSE,
        {"reference": unrotated_loop, "impulse": unrotated_layer},
        rotated_state,
        proof=two.change_of_basis,
        mutants={
            "B in the old basis": functools.partial(
                rotated_state, entering=lambda Q: np.eye(len(Q))
            ),
            "Q for its inverse": functools.partial(rotated_state, np.copy, np.copy),
            "the state of the step itself": functools.partial(rotated_state, step=-1),
        },
    ),
    "blur:9": Evidence(
        POINTS,
        both_routes(FORWARD),
        forward_sum,
        proof=two.unrolled_forward,
        mutants=state_mutants(*FORWARD),
    ),
    "blur:text:measure-zero": Evidence(
        points("size", 1e-2, -1e-4, 1e-6),
        {
            "reference": eigenvectors_of_jordan,
            "reference_kernels": eigenvectors_by_kernels,
        },
        form=2,
        proof=two.discriminant_is_no_constant,
        mutants={"as without the perturbation": lambda size: eigenvectors_of_jordan(0)},
    ),
    "blur:10": Evidence(
        POINTS,
        {"impulse": layer_states},
        both_loops,
        mutants=state_mutants(slice(None)),
        alone=DEFINES,
    ),
    "blur:text:causal": Evidence(
        POINTS,
        {"autodiff": influence_layer, "impulse": influence_impulse},
        influence_kernel,
        printed=lambda m, **_: np.zeros((m, m)),
        mutants={"one power more": functools.partial(influence_kernel, late=1)},
        example=Example(
            "dh_1 / du_2, where h is the sum of both states and B = 1",
            {"lambda_b": 0.5},
            0.0,
            lambda lambda_b: recur(lambda_b, np.array([1.0, 0.0]))[-1],
        ),
    ),
    "blur:11": Evidence(
        POINTS,
        {"impulse": merged_layer},
        merged_pair,
        mutants=MERGE_MUTANTS,
        alone=DEFINES,
    ),
    "blur:text:replacement": Evidence(
        DENSE,
        {
            name: functools.partial(read_from_dense, states)
            for name, states in (("reference", dense_loop), ("impulse", dense_layer))
        },
        merged_into_nonlinearity,
        mutants={
            "the inverse in place of Q": functools.partial(
                merged_into_nonlinearity, np.linalg.inv
            ),
            "Q not merged": functools.partial(
                merged_into_nonlinearity, lambda Q: np.eye(len(Q))
            ),
            "Q transposed": functools.partial(merged_into_nonlinearity, lambda Q: Q.T),
            "B not replaced": functools.partial(
                merged_into_nonlinearity, lambda Q: Q, lambda Q: np.eye(len(Q))
            ),
        },
    ),
    "blur:text:separate-inputs": Evidence(
        POINTS,
        {"reference": both_loops, "impulse": layer_states},
        by_inputs,
        mutants={
            "the first column for all": functools.partial(by_inputs, lambda i: 0),
            "columns in the other order": functools.partial(by_inputs, lambda i: 2 - i),
            "without the first dimension": functools.partial(by_inputs, lambda i: i, 1),
        },
    ),
}
