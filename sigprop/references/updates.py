"""One update and what it does: discretisations, gates, the 1-d loss, steps of descent.

Source: Zucchet & Orvieto (2024), Sections 3.2 and 4.1, Figure 1 and footnote 2.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
import scipy.linalg

from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.gated import GatedUnit
from sigprop.layers.lru import LRU
from sigprop.numerics.precision import double_precision
from sigprop.references import memory

SIZE = 3
A, B = np.array([[-0.5, 2.0], [-2.0, -0.8]]), np.array([1.0, 0.5])
START, HELD = np.array([1.0, -0.5]), 0.7


def _input(t: float) -> float:
    return math.sin(2 * t) + 0.3


def _euler_error(exact: np.ndarray, steps: int) -> float:
    """Error at time one of ``h <- (Id + dt A) h + dt B x_{t+1}``."""
    dt, h = 1 / steps, START
    for i in range(steps):
        h = (np.eye(2) + dt * A) @ h + dt * B * _input((i + 1) * dt)
    return float(np.linalg.norm(h - exact))


def _order(exact: np.ndarray) -> float:
    return math.log2(_euler_error(exact, 256) / _euler_error(exact, 512))


def euler_order(**_: object) -> float:
    """Order of Euler's scheme against an adaptive solution."""
    found = scipy.integrate.solve_ivp(
        lambda t, h: A @ h + B * _input(t), (0, 1), START, rtol=1e-11, atol=1e-12
    )
    return _order(found.y[:, -1])


def euler_order_by_quadrature(**_: object) -> float:
    """Order of Euler's scheme against the integral over past inputs."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    past = [
        w / 2 * scipy.linalg.expm(A * (1 - s) / 2) @ B * _input((1 + s) / 2)
        for s, w in zip(nodes, weights, strict=True)
    ]
    return _order(scipy.linalg.expm(A) @ START + np.sum(past, axis=0))


def held_by_solver(dt: float) -> np.ndarray:
    """The state after ``dt`` under a held input, by an adaptive solver."""
    found = scipy.integrate.solve_ivp(
        lambda t, h: A @ h + B * HELD, (0, dt), START, rtol=1e-12, atol=1e-13
    )
    return found.y[:, -1]


def held_by_series(dt: float) -> np.ndarray:
    """The state after ``dt`` under a held input, by the solution's Taylor series."""
    change = A @ START + B * HELD
    h, factor = START.copy(), 1.0
    for order in range(1, 40):
        factor *= dt / order
        h = h + factor * change
        change = A @ change
    return h


def zero_order_hold(dt: float) -> np.ndarray:
    """``exp(dt A) h + A^-1 (exp(dt A) - Id) B x``."""
    jump = scipy.linalg.expm(dt * A)
    return jump @ START + np.linalg.solve(A, (jump - np.eye(2)) @ B) * HELD


@functools.cache
def _gate(gain: float) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    generator = np.random.default_rng(6)
    weights = {
        "W_fx": generator.normal(size=(SIZE, SIZE)),
        "W_fh": gain * generator.normal(size=(SIZE, SIZE)),
        "b_f": generator.normal(size=SIZE),
    }
    return weights, generator.normal(size=SIZE), generator.normal(size=SIZE)


def _unit(gain: float) -> GatedUnit:
    at = {name: jnp.asarray(value) for name, value in _gate(gain)[0].items()}
    eye = jnp.eye(SIZE)
    mixing = at["W_fh"] if gain else None
    return GatedUnit(at["b_f"], eye, 0 * eye, at["W_fx"], mixing)


def gated_step_by_layer(gain: float) -> np.ndarray:
    """One update of the layer with a gate."""
    _, h, x = _gate(gain)
    with double_precision(True):
        return np.asarray(_unit(gain).step(jnp.asarray(h), jnp.asarray(x))[0])


def _gates(gain: float, h: np.ndarray) -> np.ndarray:
    w, _, x = _gate(gain)
    return 1 / (1 + np.exp(-(w["W_fx"] @ x + w["W_fh"] @ h + w["b_f"])))


def gated_step(gain: float) -> np.ndarray:
    """``f h + i x`` with ``i = 1 - f``."""
    _, h, x = _gate(gain)
    f = _gates(gain, h)
    return f * h + (1 - f) * x


def gated_jacobian_by_layer(gain: float) -> np.ndarray:
    """``dh_{t+1}/dh_t`` through the layer."""
    _, h, x = _gate(gain)
    with double_precision(True):
        cell, inputs = _unit(gain), jnp.asarray(x)
        return np.asarray(jax.jacfwd(lambda h: cell.step(h, inputs)[0])(jnp.asarray(h)))


def gated_jacobian_by_step(gain: float) -> np.ndarray:
    """``dh_{t+1}/dh_t`` by a complex step."""
    _, h, x = _gate(gain)
    columns = []
    for unit in np.eye(SIZE):
        moved = h + 1e-30j * unit
        f = _gates(gain, moved)
        columns.append(np.imag(f * moved + (1 - f) * x) / 1e-30)
    return np.array(columns).T


def gated_jacobian(gain: float) -> np.ndarray:
    """``diag(f)`` and what comes through the gate."""
    w, h, x = _gate(gain)
    f = _gates(gain, h)
    return np.diag(f) + (f * (1 - f) * (h - x))[:, None] * w["W_fh"]


def gates_alone(gain: float) -> np.ndarray:
    """``diag(f)``."""
    return np.diag(_gates(gain, _gate(gain)[1]))


def _sigmoid_slope_by_jax(lam: float) -> float:
    with double_precision(True):
        return float(jax.grad(jax.nn.sigmoid)(math.log(lam / (1 - lam))))


def _sigmoid_slope_by_step(lam: float) -> float:
    b = math.log(lam / (1 - lam)) + 1e-30j
    return float(np.imag(1 / (1 + np.exp(-b))) / 1e-30)


def sigmoid_by_layer(lam: float) -> float:
    """``(1 - lam^2) (dlam/db)^2 E[(dh/dlam)^2]``, white, response of the layer."""
    moment = memory.moment_by_layer(lam, 0.0, "sensitivity")
    return (1 - lam**2) * _sigmoid_slope_by_jax(lam) ** 2 * moment


def sigmoid_by_sum(lam: float) -> float:
    """``(1 - lam^2) (dlam/db)^2 E[(dh/dlam)^2]``, white, powers and a complex step."""
    moment = memory.moment_by_sum(lam, 0.0, "sensitivity")
    return (1 - lam**2) * _sigmoid_slope_by_step(lam) ** 2 * moment


def optimal_slope_by_sum(lam: float) -> float:
    """The slope ``dlam/domega`` that makes the normalised moment one, white input."""
    moment = memory.moment_by_sum(lam, 0.0, "sensitivity")
    return 1 / math.sqrt((1 - lam**2) * moment)


def optimal_slope_by_layer(lam: float) -> float:
    """Slope ``dlam/domega`` with normalised moment one, by bisection and the layer."""
    w = memory.layer_response(lam, "sensitivity") * math.sqrt(1 - lam**2)
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = memory.pair_sum(middle * w, 0.0) < 1
        low, high = (middle, high) if enough else (low, middle)
    return (low + high) / 2


def normalised_by_sum(lam: float, rho: float, quantity: str) -> float:
    """``(1 - lam^2)`` times a moment, powers written out."""
    return (1 - lam**2) * memory.moment_by_sum(lam, rho, quantity)


def normalised_by_layer(lam: float, rho: float, quantity: str) -> float:
    """``(1 - lam^2)`` times a moment of the layer."""
    return (1 - lam**2) * memory.moment_by_layer(lam, rho, quantity)


def backward_by_layer(lam: float, rho: float) -> float:
    """Moment of ``dL/dx_t`` through the normalised LRU, errors ``R = rho^|lag|``."""
    length = 400
    with double_precision(True):
        one, nu = jnp.ones((1, 1)), jnp.log(-jnp.log(jnp.asarray([lam])))
        angle = jnp.asarray([-800.0])
        cell = LRU(one, 0 * one, one, 0 * one, 0 * one, nu, angle, None, "detached")

        def last(x):
            return jnp.real(cell.states(x))[-1, 0]

        # One error at the end: what it gives an input is its weight at that distance.
        weights = np.asarray(jax.jit(jax.grad(last))(jnp.zeros((length, 1))))[::-1, 0]
        return memory.pair_sum(weights, rho)


def backward_by_sum(lam: float, rho: float) -> float:
    """Moment of ``gamma sum_k lam^k dL_{t+k}/dh``, errors ``R = rho^|lag|``."""
    k = np.arange(400)
    return memory.pair_sum(math.sqrt(1 - lam**2) * lam**k, rho)


def euler_by_sum(dt: float, a: float) -> float:
    """``E[h^2]`` under white input of ``h <- (1 + dt a) h + dt x``."""
    return memory.pair_sum(dt * memory.power_response(1 + dt * a, "state", 4096), 0.0)


def euler_by_layer(dt: float, a: float) -> float:
    """``E[h^2]`` of ``h <- (1 + dt a) h + dt x`` under white input, through the layer."""
    return memory.pair_sum(dt * memory.layer_response(1 + dt * a, "state"), 0.0)


def _loss_by_sum(lam, star: complex) -> float:
    """``E |h - h*|^2 / 2`` under white input, real and imaginary part of ``lam``."""
    k = np.arange(3000)
    difference = np.exp(k * np.log(complex(lam))) - complex(star) ** k
    return float((np.abs(difference) ** 2).sum() / 2)


def _second_difference(function, at: float, width: float) -> float:
    values = [function(at + j * width) for j in (-2, -1, 0, 1, 2)]
    weights = (-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12)
    return sum(w * v for w, v in zip(weights, values, strict=True)) / width**2


def curvature_by_difference(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis."""
    return _second_difference(lambda lam: _loss_by_sum(lam, star), star, 1e-4)


def _polar_states(radius: jax.Array, phase: jax.Array) -> jax.Array:
    """Response of the layer with an eigenvalue in polar coordinates."""
    one, places = jnp.ones((1, 1)), (radius[None], phase[None])
    layer = ComplexDiagonal(one, 0 * one, one, 0 * one, 0 * one, *places, "polar")
    return layer.states(jnp.zeros((3000, 1)).at[0].set(1.0))[:, 0]


def _loss_by_layer(
    radius: jax.Array, phase: jax.Array, teacher: jax.Array
) -> jax.Array:
    """The loss against a teacher of real eigenvalue."""
    gap = _polar_states(radius, phase) - _polar_states(teacher, 0 * teacher)
    return (jnp.real(gap) ** 2 + jnp.imag(gap) ** 2).sum() / 2


@functools.cache
def _derivative(place: int, order: int):
    """A compiled derivative of the loss by modulus (0) or phase (1)."""
    found = _loss_by_layer
    for _ in range(order):
        found = jax.grad(found, argnums=place)
    return jax.jit(found)


def _by_layer(
    radius: float, phase: float, teacher: float, place: int, order: int
) -> float:
    with double_precision(True):
        values = (jnp.asarray(value) for value in (radius, phase, teacher))
        return float(_derivative(place, order)(*values))


def curvature_by_layer(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis, by autodiff through the layer."""
    return _by_layer(star, 0.0, star, 0, 2)


def circle_curvature_by_difference(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle."""
    return _second_difference(
        lambda theta: _loss_by_sum(r * np.exp(1j * theta), r), 0.0, 1e-4
    )


def circle_curvature_by_layer(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle, by autodiff through the layer."""
    return _by_layer(r, 0.0, r, 1, 2)


def circle_slope_by_difference(r: float, theta: float) -> float:
    """``dL/dtheta`` at a wrong phase ``theta``, the teacher being at phase zero."""
    width = 1e-3
    values = [
        _loss_by_sum(r * np.exp(1j * (theta + j * width)), r) for j in (-2, -1, 1, 2)
    ]
    weights = (1 / 12, -2 / 3, 2 / 3, -1 / 12)
    return sum(w * v for w, v in zip(weights, values, strict=True)) / width


def circle_slope_by_layer(r: float, theta: float) -> float:
    """``dL/dtheta`` at a wrong phase ``theta``, by autodiff through the layer."""
    return _by_layer(r, theta, r, 1, 1)


def _converges(rate: float, ell: float) -> bool:
    x = 1.0
    for _ in range(60):
        x -= rate * ell * x
    return abs(x) < 1


def largest_rate(ell: float) -> float:
    """The largest rate at which descent on ``ell x^2 / 2`` shrinks, by bisection."""
    low, high = 0.0, 10 / ell
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _converges(middle, ell) else (low, middle)
    return (low + high) / 2


def largest_rate_by_companion(ell: float) -> float:
    """Where the update's derivative, by autodiff, reaches minus one; by bisection."""
    with double_precision(True):

        def update(x, rate):
            return x - rate * jax.grad(lambda x: ell * x**2 / 2)(x)

        slope = jax.jit(jax.grad(update))
        at_zero, at_one = (float(slope(1.0, rate)) for rate in (0.0, 1.0))
    return (-1 - at_zero) / (at_one - at_zero)


@functools.cache
def _hessian(case: str) -> np.ndarray:
    frame = scipy.linalg.expm(
        np.array([[0, 0.4, -0.2], [-0.4, 0, 0.7], [0.2, -0.7, 0]])
    )
    values = {"convex": (3.0, 1.0, 0.2), "saddle": (1.0, 0.3, -3.0)}[case]
    return frame @ np.diag(values) @ frame.T


def lipschitz_by_search(case: str) -> float:
    """The largest ratio of a change of the gradient to that of its place: power steps."""
    M, x = _hessian(case), np.array([1.0, 0.7, -0.4])
    for _ in range(400):
        x = M @ (M @ x)
        x /= np.linalg.norm(x)
    return float(np.linalg.norm(M @ x))


def lipschitz_by_norm(case: str) -> float:
    """The operator norm of the Hessian, by singular values."""
    return float(np.linalg.svd(_hessian(case), compute_uv=False)[0])


def largest_eigenvalue(case: str) -> float:
    """The largest eigenvalue of the Hessian."""
    return float(np.linalg.eigvalsh(_hessian(case))[-1])


def loss_by_sum(lam: complex, star: float) -> float:
    """The loss against a real teacher, summed over responses."""
    return _loss_by_sum(lam, star)


def loss_by_layer(lam: complex, star: float) -> float:
    """The loss against a real teacher, through the layer."""
    return _by_layer(abs(lam), float(np.angle(lam)), star, 0, 0)
