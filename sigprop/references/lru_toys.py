"""Brute force for the LRU paper: dense systems, real forms, modes, learning powers.

Source: Orvieto et al. (2023), Section 3.2, Appendices E.2 and E.3.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Complex, Float

from sigprop.layers.dense import LinearRNN, NonlinearRNN
from sigprop.layers.lru import lru_from_arrays
from sigprop.numerics.precision import double_precision
from sigprop.references.lru import drawn_inputs, run

POWER = 100  # k in the paper's problem of learning powers
PLANTED = 0.01  # nu of the planted solution here: |lam|^100 = exp(-1)


def drawn_matrix(
    seed: int, size: int = 4
) -> tuple[Float[np.ndarray, "n n"], complex, Complex[np.ndarray, " n"]]:
    """A real matrix with a complex pair, one such eigenvalue and its eigenvector."""
    A = np.random.default_rng(seed).normal(size=(size, size)) / math.sqrt(size)
    values, vectors = np.linalg.eig(A)
    index = int(np.argmax(np.imag(values)))
    return A, complex(values[index]), vectors[:, index]


def image_of_pair(seed: int) -> Complex[np.ndarray, "n 2"]:
    """``A [v, v*]``.  Source: Orvieto et al. (2023), Eq. 25."""
    A, _, v = drawn_matrix(seed)
    return A @ np.stack([v, v.conj()], axis=1)


def pair_times_diagonal(seed: int) -> Complex[np.ndarray, "n 2"]:
    """``[v, v*] diag(lam, lam*)``."""
    _, lam, v = drawn_matrix(seed)
    return np.stack([lam * v, np.conj(lam) * v.conj()], axis=1)


def image_of_parts(seed: int) -> Float[np.ndarray, "n 2"]:
    """``A [Re v, Im v]``.  Source: Orvieto et al. (2023), Eq. 26."""
    A, _, v = drawn_matrix(seed)
    return A @ np.stack([np.real(v), np.imag(v)], axis=1)


def _parts_times(seed: int, sign: int) -> Float[np.ndarray, "n 2"]:
    _, lam, v = drawn_matrix(seed)
    block = [[lam.real, sign * lam.imag], [-sign * lam.imag, lam.real]]
    return np.stack([np.real(v), np.imag(v)], axis=1) @ np.array(block)


def parts_times_block(seed: int) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block with ``Im lam`` above its diagonal."""
    return _parts_times(seed, 1)


def parts_times_printed_block(seed: int) -> Float[np.ndarray, "n 2"]:
    """``[Re v, Im v]`` times the block as printed: ``-Im lam`` above its diagonal."""
    return _parts_times(seed, -1)


def image_of_part(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``A Re v`` or ``A Im v``."""
    return image_of_parts(seed)[:, 0 if part == "Re" else 1]


def part_of_image(seed: int, part: str) -> Float[np.ndarray, " n"]:
    """``Re(lam v)`` or ``Im(lam v)``."""
    _, lam, v = drawn_matrix(seed)
    return np.real(lam * v) if part == "Re" else np.imag(lam * v)


def half_difference(seed: int, part: str) -> Complex[np.ndarray, " n"]:
    """``(A v + A v*)/2`` or ``(A v - A v*)/2``, the first step as printed."""
    A, _, v = drawn_matrix(seed)
    return A @ (v + (1 if part == "Re" else -1) * v.conj()) / 2


def conjugate_image(seed: int) -> Complex[np.ndarray, " n"]:
    """``A v*``."""
    A, _, v = drawn_matrix(seed)
    return A @ v.conj()


def conjugate_multiple(seed: int) -> Complex[np.ndarray, " n"]:
    """``lam* v*``."""
    _, lam, v = drawn_matrix(seed)
    return np.conj(lam) * v.conj()


def real_eigenvector_length(angle: float) -> float:
    """``|v + v*|`` over ``2|v| |cos angle|`` where ``v`` is real times ``exp(i angle)``."""
    v = np.exp(1j * angle) * np.array([0.6, -0.8])
    return float(np.linalg.norm(v + v.conj()))


def _projections(seed: int):
    draw = np.random.default_rng(seed + 1)
    return tuple(draw.normal(size=shape) for shape in ((4, 1), (1, 4), (1, 1)))


def dense_output(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output, by the package's layer."""
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    u = drawn_inputs(seed, steps, 1)
    with double_precision(True):
        layer = LinearRNN(*map(jnp.asarray, (A[None], B, C, D)))
        return np.asarray(run(layer, jnp.asarray(u))[1])[:, 0]


def diagonal_output(
    seed: int, steps: int, newest_first: int = 1
) -> Float[np.ndarray, " time"]:
    """A dense linear RNN's output from its eigenvalues, ``B`` and ``C`` in the eigenbasis.

    With ``newest_first`` 0 the sum over ages stops one short, as printed.
    """
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    values, P = np.linalg.eig(A)
    B_bar, C_bar = np.linalg.solve(P, B.astype(complex))[:, 0], (C @ P)[0]
    u = drawn_inputs(seed, steps, 1)[:, 0]
    outputs = []
    for k in range(steps):
        ages = range(k + newest_first)
        x = sum((values**j * B_bar * u[k - j] for j in ages), np.zeros(4, complex))
        outputs.append((C_bar @ x).real + D[0, 0] * u[k])
    return np.array(outputs)


def diagonal_output_as_printed(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """The sum over ages from 0 to ``k - 1``.  Source: Orvieto et al. (2023), 3.2.1."""
    return diagonal_output(seed, steps, 0)


def dense_by_loop(
    seed: int, steps: int, activation: str
) -> Float[np.ndarray, "time out"]:
    """Eq. 1 in a plain loop."""
    A, _, _ = drawn_matrix(seed)
    B, C, D = _dense_rest(seed)
    act = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "identity": np.array}
    x, outputs = np.zeros(4), []
    for u in drawn_inputs(seed, steps, 2):
        x = act[activation](A @ x + B @ u)
        outputs.append(C @ x + D @ u)
    return np.array(outputs)


def _dense_rest(seed: int):
    draw = np.random.default_rng(seed + 7)
    return (draw.normal(size=shape) for shape in ((4, 2), (3, 4), (3, 2)))


def dense_by_layer(
    seed: int, steps: int, activation: str
) -> Float[np.ndarray, "time out"]:
    """Eq. 1 through the package's dense layer."""
    A, _, _ = drawn_matrix(seed)
    u = drawn_inputs(seed, steps, 2)
    with double_precision(True):
        B, C, D = map(jnp.asarray, _dense_rest(seed))
        layer = NonlinearRNN(jnp.asarray(A[None]), B, C, D, activation)
        return np.asarray(run(layer, jnp.asarray(u))[1])


def forced_mode(lam: complex, k: int, source: str) -> float:
    """``|x_k|`` of one mode after an ``impulse`` at time 0 or under ``constant`` input."""
    x = 0j
    for j in range(k + 1):
        x = lam * x + (1 if source == "constant" or j == 0 else 0)
    return abs(x)


def bounded_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """Largest ``|x_k|`` under random inputs of size at most one."""
    lam = radius * np.exp(1j * phase)
    draw = np.random.default_rng(seed)
    x, largest = 0j, 0.0
    for _ in range(steps):
        x = lam * x + draw.uniform(-1, 1) * np.exp(2j * np.pi * draw.uniform())
        largest = max(largest, abs(x))
    return largest


def aligned_mode(radius: float, phase: float, steps: int, seed: int) -> float:
    """``|x_k|`` under inputs of size one turned to add up: the worst case."""
    del seed
    lam = radius * np.exp(1j * phase)
    x = 0j
    for k in range(steps):
        x = lam * x + np.exp(1j * phase * k)
    return abs(x)


def power_loss(
    parameters: Float[Array, " 2"], turned: Any, exponential: bool, theta: Any
) -> Float[Array, ""]:
    """``|lam^100 - planted^100|^2 / 2`` in either parametrisation.

    Source: Orvieto et al. (2023), Appendix E.2.
    """
    first, second = parameters
    if exponential:
        found = jnp.exp(POWER * jax.lax.complex(-first, second))
    else:
        found = jax.lax.complex(first, second) ** POWER
    planted = jnp.exp(POWER * (-PLANTED + 1j * (theta + turned)))
    return jnp.abs(found - planted) ** 2 / 2


_hessian = jax.jit(jax.hessian(power_loss), static_argnums=2)


@functools.cache
def _curvature(lag: float, theta: float, turned: float) -> np.ndarray:
    with double_precision(True):
        lam = np.exp(-PLANTED + 1j * (theta + turned - lag))
        at = jnp.array([lam.real, lam.imag])
        return np.asarray(_hessian(at, turned, False, theta))


def tilt_by_autodiff(lag: float, theta: float) -> float:
    """How far a quarter turn of everything tilts the Hessian in (re, im)."""
    return float(_curvature(lag, theta, math.pi / 2)[0, 1])


def tilt_by_powers(lag: float, theta: float) -> float:
    """Mixed entry of the turned Hessian in (re, im), from holomorphic derivatives."""
    lam = np.exp(-PLANTED + 1j * (theta + math.pi / 2 - lag))
    planted = np.exp(POWER * (-PLANTED + 1j * (theta + math.pi / 2)))
    second = POWER * (POWER - 1) * lam ** (POWER - 2) * np.conj(lam**POWER - planted)
    return float(-np.imag(second))


def tilt_without_turn(lag: float, theta: float) -> float:
    """Minus the entry before the quarter turn: the axes have changed places."""
    return -float(_curvature(lag, theta, 0.0)[0, 1])


def learned_by_adam(lag: float, theta: float, turned: float) -> float:
    """Loss in (re, im) after 40 steps of Adam from ``lag`` behind the planted phase."""
    lam = np.exp(-PLANTED + 1j * (theta + turned - lag))
    planted = np.exp(POWER * (-PLANTED + 1j * (theta + turned)))
    mean, square = np.zeros(2), np.zeros(2)
    at = np.array([lam.real, lam.imag])
    for k in range(1, 41):
        z = complex(*at)
        slope = POWER * z ** (POWER - 1) * np.conj(z**POWER - planted)
        gradient = np.array([slope.real, -slope.imag])
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        unbiased = mean / (1 - 0.9**k), square / (1 - 0.999**k)
        at = at - 1e-4 * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return float(abs(complex(*at) ** POWER - planted) ** 2 / 2)


def slope_ratio(turn: float, steps: int) -> float:
    """Slope of the power loss along ``nu`` over that along ``theta``, by differences.

    Taken with forty digits.
    """

    def loss(a: Any, b: Any) -> Any:
        found = mpmath.exp(steps * mpmath.mpc(-a, b))
        planted = mpmath.exp(steps * mpmath.mpc(-PLANTED, turn))
        return abs(found - planted) ** 2 / 2

    with mpmath.workdps(40):
        at = (mpmath.mpf(PLANTED), mpmath.mpf(0))
        return float(mpmath.diff(loss, at, (1, 0)) / mpmath.diff(loss, at, (0, 1)))


def slope_ratio_by_autodiff(turn: float, steps: int) -> float:
    """Slope of the power loss along ``nu`` over that along ``theta``, by autodiff."""
    with double_precision(True):

        def loss(at: Float[Array, " 2"]) -> Float[Array, ""]:
            found = jnp.exp(steps * jax.lax.complex(-at[0], at[1]))
            return jnp.abs(found - jnp.exp(steps * (-PLANTED + 1j * turn))) ** 2 / 2

        slope = jax.grad(loss)(jnp.array([PLANTED, 0.0]))
        return float(slope[0] / slope[1])


def dense_output_by_loop(seed: int, steps: int) -> Float[np.ndarray, " time"]:
    """The dense linear RNN's output in a plain loop."""
    A, _, _ = drawn_matrix(seed)
    B, C, D = _projections(seed)
    x, outputs = np.zeros(4), []
    for u in drawn_inputs(seed, steps, 1):
        x = A @ x + B @ u
        outputs.append((C @ x + D @ u)[0])
    return np.array(outputs)


def polar(nu: float, theta: float) -> complex:
    """``exp(-nu) (cos theta + i sin theta)``."""
    return math.exp(-nu) * complex(math.cos(theta), math.sin(theta))


def modulus(nu: float, theta: float) -> float:
    """``|exp(-nu + i theta)|``."""
    return abs(polar(nu, theta))


def layer_modulus(nu: float, theta: float) -> float:
    """Modulus of the eigenvalue of the package's LRU layer."""
    one = np.ones((1, 1))
    arrays = dict.fromkeys(("B_re", "B_im", "C_re", "C_im"), one)
    arrays |= {"D": np.ones(1)}
    arrays |= {"nu_log": np.log([nu]), "theta_log": np.log([theta])}
    with double_precision(True):
        return float(jnp.abs(lru_from_arrays(arrays).eigenvalues()[0]))


def modulus_of_log(nu_log: float) -> float:
    """``|lam|`` of the package's LRU layer at a value of its parameter."""
    return layer_modulus(math.exp(nu_log), 1.0)


def log_slope(nu: float) -> float:
    """Slope of ``|lam|`` in ``nu_log``."""
    with double_precision(True):
        return float(jax.grad(lambda x: jnp.exp(-jnp.exp(x)))(math.log(nu)))


def eigenvector_found(angle: float) -> float:
    """One where ``v + v*`` is not zero, for real ``v`` turned by an angle."""
    return float(real_eigenvector_length(angle) > 1e-12)


def power_real_part(lam: complex, k: int) -> float:
    """``Re lam^k`` by repeated multiplication."""
    power = 1 + 0j
    for _ in range(k):
        power *= lam
    return power.real


def tilt_doubled(lag: float, theta: float) -> float:
    """Twice the tilt before the turn, where the landscape would get worse."""
    return 2 * tilt_without_turn(lag, theta)


def learned_without_turn(lag: float, theta: float, turned: float) -> float:
    """The loss that Adam reaches with everything turned back."""
    del turned
    return learned_by_adam(lag, theta, 0.0)


def learned_more_slowly(lag: float, theta: float, turned: float) -> float:
    """Twice as much."""
    return 2 * learned_without_turn(lag, theta, turned)


def one_plus_loss_at_root(index: int, theta: float) -> float:
    """One plus the power loss at the planted solution times a root of one."""
    phase = theta + 2 * np.pi * index / POWER
    with double_precision(True):
        return 1 + float(power_loss(jnp.array([PLANTED, phase]), 0.0, True, theta))


def _block(lam: complex) -> Float[np.ndarray, "2 2"]:
    return np.array([[lam.real, lam.imag], [-lam.imag, lam.real]])


def block_product(lam: complex, mu: complex) -> Float[np.ndarray, "2 2"]:
    """The product of two blocks."""
    return _block(lam) @ _block(mu)


def block_of_product(lam: complex, mu: complex) -> Float[np.ndarray, "2 2"]:
    """The block of the product."""
    return _block(lam * mu)
