"""What judges the layer, Sections 3 and 4.1 of BLUR (2025).

Notation: A, B  matrices of the dense recurrence;  lam, Q  eigenvalues and vectors of A.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

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
from sigprop.layers.dense import LinearRNN, linear_rnn
from sigprop.numerics.precision import double_precision
from theory import bidirectional as two

DENSE = tuple({"seed": seed, "n": 4, "m": 3, "k": 5} for seed in range(3))

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
def dense(
    seed: int, n: int, m: int
) -> tuple[LinearRNN, Float[np.ndarray, "n n"], Float[np.ndarray, "n m"]]:
    """A dense linear layer with its ``A`` and ``B``."""
    with double_precision(True):
        layer = linear_rnn(jax.random.key(seed), n, m, m, nu0=0.3, theta0=np.pi)
        A, B = (np.asarray(values) for values in (layer.A, layer.B))
    return layer, A.reshape(n, n), B


def dense_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k n"]:
    """States of the real dense layer."""
    return states_of(dense(seed, n, m)[0], signal(seed, m, k))


def dense_loop(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "k n"]:
    """States by the recurrence of Eq. 3."""
    _, A, B = dense(seed, n, m)
    found, h = [], np.zeros(n)
    for u in signal(seed, m, k):
        h = A @ h + B @ u
        found.append(h)
    return np.array(found)


def dense_sum(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, " n"]:
    """State ``k`` as the sum of Eq. 5."""
    _, A, B = dense(seed, n, m)
    u = signal(seed, m, k)
    terms = [np.linalg.matrix_power(A, j) @ B @ u[k - 1 - j] for j in range(k)]
    return np.sum(terms, 0)


def dense_last(**at: int) -> Float[np.ndarray, " n"]:
    """State ``k`` of the real dense layer."""
    return dense_layer(**at)[-1]


def dense_loop_last(**at: int) -> Float[np.ndarray, " n"]:
    """State ``k`` by the recurrence."""
    return dense_loop(**at)[-1]


def written_out(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "3 n"]:
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


def dense_first(**at: int) -> Float[np.ndarray, "3 n"]:
    """The first three states of the real dense layer."""
    return dense_layer(**at)[:3]


def dense_loop_first(**at: int) -> Float[np.ndarray, "3 n"]:
    """The first three states by the recurrence."""
    return dense_loop(**at)[:3]


def dense_sizes(seed: int, n: int, m: int, k: int) -> list[int]:
    """Sizes of the real layer's inputs and states, features by steps."""
    return [m, k, *dense_layer(seed, n, m, k).T.shape]


def jordan_condition(size: float) -> float:
    """Condition of the eigenvectors of a Jordan block perturbed by ``size``."""
    Q = np.linalg.eig(np.array([[0.5, 1.0], [size, 0.5]]))[1]
    return float(np.linalg.cond(Q))


def _eigen(
    seed: int, n: int, m: int
) -> tuple[Inexact[np.ndarray, " n"], Inexact[np.ndarray, "n n"]]:
    return np.linalg.eig(dense(seed, n, m)[1])


def weights(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "n n"]:
    """The dense recurrent matrix."""
    return dense(seed, n, m)[1]


def recomposed(seed: int, n: int, m: int, k: int) -> Inexact[np.ndarray, "n n"]:
    """``Q Lambda Q^{-1}`` from NumPy's eigenvectors."""
    lam, Q = _eigen(seed, n, m)
    return Q @ np.diag(lam) @ np.linalg.inv(Q)


def recomposed_slowly(seed: int, n: int, m: int, k: int) -> Complex[np.ndarray, "n n"]:
    """``Q Lambda Q^{-1}`` from mpmath's eigenvectors."""
    with mpmath.workdps(30):
        lam, Q = mpmath.eig(mpmath.matrix(dense(seed, n, m)[1].tolist()))
        product = Q * mpmath.diag(lam) * Q**-1
        return np.array(product.tolist(), dtype=complex)


def rotated_loop(seed: int, n: int, m: int, k: int) -> Inexact[np.ndarray, " n"]:
    """State ``k`` by Eq. 7, with the matrix in its three factors."""
    lam, Q = _eigen(seed, n, m)
    B, inverse, h = dense(seed, n, m)[2], np.linalg.inv(Q), np.zeros(n)
    for u in signal(seed, m, k):
        h = Q @ (lam * (inverse @ h)) + B @ u
    return h


def rotated_state(seed: int, n: int, m: int, k: int) -> Inexact[np.ndarray, " n"]:
    """Right side of Eq. 8 at step ``k``, from the dense states."""
    lam, Q = _eigen(seed, n, m)
    B, inverse = dense(seed, n, m)[2], np.linalg.inv(Q)
    before = dense_loop(seed, n, m, k)[-2]
    return lam * (inverse @ before) + inverse @ B @ signal(seed, m, k)[-1]


def unrotated_layer(seed: int, n: int, m: int, k: int) -> Inexact[np.ndarray, " n"]:
    """``Q^{-1} h_k`` of the real dense layer."""
    return np.linalg.solve(_eigen(seed, n, m)[1], dense_layer(seed, n, m, k)[-1])


def unrotated_loop(seed: int, n: int, m: int, k: int) -> Inexact[np.ndarray, " n"]:
    """``Q^{-1} h_k`` by the recurrence."""
    return np.linalg.inv(_eigen(seed, n, m)[1]) @ dense_loop(seed, n, m, k)[-1]


def merge_sizes(seed: int, n: int, m: int, k: int) -> list[int]:
    """Numbers a step before and after the merge of the real layer."""
    at = {"seed": seed, "n": n, "m": m, "k": k}
    return [layer_states(**at).shape[1], merged_layer(**at).shape[1]]


def influence_layer(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """``dy_1 / du_k`` through the real layer by automatic differentiation."""
    layer = model(seed, n, m)[0]
    with double_precision(True):
        u = jnp.asarray(signal(seed, m, k))
        return np.asarray(_first_jacobian(layer, u))[:, k - 1]


def influence_kernel(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """``Re(C_b Lambda_b^{k-1} B_b)``."""
    p = model(seed, n, m)[1]
    return np.real(p.C_b @ (p.lam_b[:, None] ** (k - 1) * p.B_b))


def influence_impulse(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """``dy_1 / du_k`` as responses of the real layer to unit inputs at step ``k``."""
    layer = model(seed, n, m)[0]
    units = [np.eye(k)[:, -1:] * np.eye(m)[i] for i in range(m)]
    return np.stack([outputs_of(layer, unit)[0] for unit in units], 1)


def no_influence(seed: int, n: int, m: int, k: int) -> Float[np.ndarray, "m m"]:
    """Zero in place of ``dy_1 / du_k``: an output that does not see later inputs."""
    return np.zeros((m, m))


EVIDENCE: dict[str, Basis] = {
    "blur:2": Evidence(
        (
            {"width": 1.3, "omega": 0.4},
            {"width": 0.6, "omega": -1.1},
            {"width": 2.0, "omega": 0.9},
        ),
        {"reference": transform},
        alone="a convention, seen on a Gaussian in one dimension",
    ),
    "blur:def3.2": Evidence(
        ({"width": 1.3}, {"width": 0.4}, {"width": 3.0}),
        {"reference": constant},
        alone="a definition, seen on a Gaussian in one dimension",
    ),
    "blur:def3.3": Evidence(
        DENSE[:1],
        {"impulse": dense_sizes},
        form=lambda seed, n, m, k: [m, k, n, k],
        printed=lambda seed, n, m, k: [n, k, m, k],
        alone="sizes of arrays",
    ),
    "blur:3": Evidence(
        DENSE,
        {"impulse": dense_layer},
        dense_loop,
        alone="a definition: the layer does what it says",
    ),
    "blur:4": Evidence(
        DENSE,
        {"reference": dense_loop_first, "impulse": dense_first},
        written_out,
        proof=two.first_steps,
    ),
    "blur:5": Evidence(
        DENSE,
        {"reference": dense_loop_last, "impulse": dense_last},
        dense_sum,
        proof=two.unrolled_forward,
    ),
    "blur:6": Evidence(
        DENSE, {"reference": recomposed, "reference_slow": recomposed_slowly}, weights
    ),
    "blur:7": Evidence(
        DENSE,
        {"reference": dense_loop_last, "impulse": dense_last},
        rotated_loop,
        proof=two.change_of_basis,
    ),
    "blur:8": Evidence(
        DENSE,
        {"reference": unrotated_loop, "impulse": unrotated_layer},
        rotated_state,
        proof=two.change_of_basis,
    ),
    "blur:9": Evidence(
        POINTS,
        {"reference": forward_loop, "impulse": forward_layer},
        forward_sum,
        proof=two.unrolled_forward,
    ),
    "blur:text:measure-zero": Evidence(
        ({"size": 1e-2}, {"size": 1e-4}, {"size": 1e-6}),
        {"reference": jordan_condition},
        form=lambda size: size**-0.5,
        proof=two.discriminant_is_no_constant,
    ),
    "blur:10": Evidence(
        POINTS,
        {"impulse": layer_states},
        both_loops,
        alone="a definition: the layer does what it says",
    ),
    "blur:text:causal": Evidence(
        POINTS,
        {"autodiff": influence_layer, "impulse": influence_impulse},
        influence_kernel,
        printed=no_influence,
    ),
    "blur:11": Evidence(
        POINTS,
        {"impulse": merged_layer},
        merged_pair,
        alone="a definition: the layer does what it says",
    ),
    "blur:text:dimension": Evidence(
        POINTS,
        {"impulse": merge_sizes},
        form=lambda seed, n, m, k: [2 * n, m],
        alone="sizes of arrays",
    ),
}
