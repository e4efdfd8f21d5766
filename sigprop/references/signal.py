"""Double sums, recurrences and derivatives by brute force, for Zucchet's Appendix B.

Derivatives are contour integrals of the function itself, autodiff of the recurrence, or
exact differences of linear functions; none knows a formula of the paper.

Source: Zucchet & Orvieto (2024), Appendix B.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision

AGES = 90
NODES = 24
Sequence = Callable[[int], complex]


@cache
def _table(u: Sequence) -> np.ndarray:
    """``u_{n-m}`` over all pairs of ages."""
    lags = np.array([u(d) for d in range(1 - AGES, AGES)], complex)
    ages = np.arange(AGES)
    return lags[np.subtract.outer(ages, ages) + AGES - 1]


def _past(x: Sequence) -> np.ndarray:
    """Inputs from the oldest that matters to ``x_0``."""
    return np.array([x(-n) for n in reversed(range(AGES))], complex)


def double_sum(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``sum alpha^n beta^m u_{n-m}`` over all pairs of ages."""
    ages = np.arange(AGES)
    return complex(np.power(alpha + 0j, ages) @ _table(u) @ np.power(beta + 0j, ages))


def double_sum_34(alpha: complex, beta: complex, u: Sequence) -> complex:
    """The left side of Eq. 34 as printed, with beta to the power n."""
    weights = np.power(alpha * beta + 0j, np.arange(AGES))
    return complex(weights @ _table(u).sum(axis=1))


def contour(function: Callable[[complex], Any], at: complex, radius: float) -> Any:
    """Derivative of a holomorphic function: its mean over a circle, turned back."""
    turns = np.exp(2j * np.pi * np.arange(NODES) / NODES)
    return sum(function(at + radius * turn) / turn for turn in turns) / (NODES * radius)


def _mixed(alpha: complex, beta: complex, table: np.ndarray) -> complex:
    """``d/dalpha d/dbeta`` of a double sum: its values on two circles, turned back."""
    radius, ages = 0.1, np.arange(len(table))
    turns = np.exp(2j * np.pi * np.arange(NODES) / NODES)
    first, second = (
        np.power.outer(centre + radius * turns, ages) for centre in (alpha, beta)
    )
    weights = turns.conj() / (NODES * radius)
    return complex(weights @ (first @ table @ second.T) @ weights)


def mixed_slope(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``d/dalpha d/dbeta`` of the double sum."""
    return _mixed(alpha, beta, _table(u))


def slope_by_beta(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``d/dbeta`` of the double sum."""
    return contour(lambda w: double_sum(alpha, w, u), beta, 0.1)


def denominator_cleared(alpha: complex, beta: complex, rho: float) -> complex:
    """The mixed derivative under ``R = rho^|lag|``, times its stated denominator."""
    ages = np.arange(2 * AGES)
    lags = float(rho) ** np.abs(np.subtract.outer(ages, ages))
    factors = (1 - alpha * beta) ** 3 * ((1 - rho * alpha) * (1 - rho * beta)) ** 2
    return _mixed(alpha, beta, lags) * factors


def _states(lam: complex, x: np.ndarray) -> np.ndarray:
    """The recurrence through the package's scan; ``x`` of shape (time, series)."""
    with double_precision(True):
        gates = jnp.full(x.shape[1], lam, jnp.complex128)
        return np.asarray(linear_recurrence(gates, jnp.asarray(x)))


def ensemble_moment(lam: complex, x: Sequence) -> float:
    """``E|h_0|^2`` over three series cut from ``x`` fifty steps apart, by simulation."""
    ages = range(AGES // 2 - 1, -1, -1)
    series = np.array([[x(50 * k - n) for k in range(3)] for n in ages], complex)
    return float(np.mean(np.abs(_states(lam, series)[-1]) ** 2))


def ensemble_moment_direct(lam: complex, x: Sequence) -> float:
    """``E|h_0|^2`` over three series cut from ``x``, each filtered directly."""
    ages = range(AGES // 2)
    found = [sum(lam**n * x(50 * k - n) for n in ages) for k in range(3)]
    return float(np.mean(np.abs(found) ** 2))


def spectral_moment(lam: complex, R: Any) -> float:
    """``E|h|^2`` of a process of spectral lines: each passes the filter by itself."""
    ages = np.arange(4 * AGES)
    passed = [
        weight * abs(np.sum(np.power(lam + 0j, ages) * np.exp(-1j * freq * ages))) ** 2
        for freq, weight in R.lines
    ]
    return float(np.sum(passed))


def simulated_moment(lam: complex, R: Any) -> float:
    """``E|h|^2`` of a process of spectral lines, the package's scan run on each line."""
    freqs, weights = np.array(R.lines).T
    lines = np.exp(1j * np.outer(np.arange(4 * AGES), freqs))
    return float(weights @ np.abs(_states(lam, lines)[-1]) ** 2)


def exponential_moment(lam: complex, rho: float) -> complex:
    """``E|h|^2`` under ``R = rho^|lag|`` as a double sum over ages."""
    ages = np.arange(4 * AGES)
    kernel = np.power(lam + 0j, ages)
    lags = float(rho) ** np.abs(np.subtract.outer(ages, ages))
    return complex(kernel @ lags @ kernel.conj())


def kernels(lam: complex, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Impulse responses of the state and of its derivative, through the scan."""
    impulse = (np.arange(steps) == 0)[:, None].astype(complex)

    with double_precision(True):
        h, s = jax.jvp(
            lambda z: linear_recurrence(z, jnp.asarray(impulse)),
            (jnp.array([lam], jnp.complex128),),
            (jnp.ones(1, jnp.complex128),),
        )
        return np.asarray(h)[:, 0], np.asarray(s)[:, 0]


def impulse_moment(lam: complex, rho: float) -> complex:
    """``E|h|^2`` under ``R = rho^|lag|`` from the scan's impulse response."""
    kernel, _ = kernels(lam, 4 * AGES)
    ages = np.arange(len(kernel))
    lags = float(rho) ** np.abs(np.subtract.outer(ages, ages))
    return complex(kernel @ lags @ kernel.conj())


def _spectral(kernel: np.ndarray, R: Any) -> float:
    ages = np.arange(len(kernel))
    return float(
        sum(w * abs(kernel @ np.exp(-1j * freq * ages)) ** 2 for freq, w in R.lines)
    )


def spectral_sensitivity(lam: complex, R: Any) -> float:
    """``E|dh/dlam|^2`` of spectral lines: the derivative of each response."""
    ages = np.arange(4 * AGES)
    freqs, weights = np.array(R.lines).T
    lines = np.exp(-1j * np.outer(ages, freqs))
    slopes = contour(lambda z: np.power(z, ages) @ lines, lam, 0.1)
    return float(weights @ np.abs(slopes) ** 2)


def impulse_sensitivity(lam: complex, R: Any) -> float:
    """``E|dh/dlam|^2`` of spectral lines, from the scan's differentiated response."""
    return _spectral(kernels(lam, 4 * AGES)[1], R)


def state_slope(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` by autodiff of the package's scan."""
    inputs = _past(x)[:, None]
    with double_precision(True):
        _, slope = jax.jvp(
            lambda z: linear_recurrence(z, jnp.asarray(inputs))[-1, 0],
            (jnp.array([lam], jnp.complex128),),
            (jnp.ones(1, jnp.complex128),),
        )
        return complex(slope)


def _last_state(lam: complex, inputs: np.ndarray) -> complex:
    h = 0j
    for x in inputs:
        h = lam * h + x
    return h


def state_contour(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` as a contour integral of the state."""
    inputs = _past(x)
    return contour(lambda z: _last_state(z, inputs), lam, 0.05)


def partial_slopes(lam: complex, x: Sequence) -> np.ndarray:
    """Derivatives of ``h_0`` by the real and the imaginary part, by autodiff."""
    inputs = _past(x)[:, None]

    def last(re: Any, im: Any) -> Any:
        return linear_recurrence(jax.lax.complex(re, im)[None], jnp.asarray(inputs))[-1]

    with double_precision(True):
        at = (jnp.asarray(complex(lam).real), jnp.asarray(complex(lam).imag))
        moves = ((jnp.ones(()), jnp.zeros(())), (jnp.zeros(()), jnp.ones(())))
        return np.array([np.asarray(jax.jvp(last, at, one)[1])[0] for one in moves])


STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def central(function: Callable[[float], Any], step: float = 4e-3) -> Any:
    """Derivative at zero by a central difference of eighth order."""
    return (
        sum(
            weight * (function(k * step) - function(-k * step)) for k, weight in STENCIL
        )
        / step
    )


def partial_differences(lam: complex, x: Sequence) -> np.ndarray:
    """Derivatives of ``h_0`` by real and imaginary part, by central differences."""
    inputs = _past(x)

    def along(turn: complex) -> complex:
        return central(lambda e: _last_state(lam + e * turn, inputs))

    return np.array([along(1), along(1j)])


def _loss(lam: complex, x: np.ndarray, target: np.ndarray) -> float:
    h, total = 0j, 0.0
    for entering, wanted in zip(x, target, strict=True):
        h = lam * h + entering
        total += abs(h - wanted) ** 2
    return total


def _first(series: Sequence) -> np.ndarray:
    return np.array([series(t) for t in range(8)], complex)


def loss_slope(lam: complex, x: Sequence, target: Sequence) -> np.ndarray:
    """``dL/dx_t`` by autodiff: JAX gives twice the holomorphic derivative."""
    with double_precision(True):
        wanted = jnp.asarray(_first(target))

        def loss(x: Any) -> Any:
            h = linear_recurrence(jnp.array([lam], jnp.complex128), x[:, None])[:, 0]
            return jnp.sum(jnp.abs(h - wanted) ** 2)

        return np.asarray(jax.grad(loss)(jnp.asarray(_first(x)))) / 2


def loss_difference(lam: complex, x: Sequence, target: Sequence) -> np.ndarray:
    """``(d/dRe - i d/dIm) L / 2`` by differences, exact as the loss is quadratic."""
    inputs, wanted = _first(x), _first(target)

    def along(move: np.ndarray) -> float:
        return central(lambda e: _loss(lam, inputs + e * move, wanted), 1.0)

    return np.array([(along(e) - 1j * along(1j * e)) / 2 for e in np.eye(8)])


def autocovariance(R: Any) -> np.ndarray:
    """``E[x_{t + lag} conj(x_t)]`` at lags 0 to 5 of spectral lines, over their phases."""
    freqs, weights = np.array(R.lines).T
    phases = 2 * np.pi * np.arange(8) / 8
    x = np.exp(1j * (np.arange(8)[:, None, None] * freqs[:, None] + phases))
    both = x[2 + np.arange(6)] * x[2].conj()
    return both.mean(axis=2) @ weights
