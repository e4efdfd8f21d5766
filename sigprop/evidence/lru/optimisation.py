"""What judges the learning of kernels and powers, Appendix E.2 of Orvieto et al. (2023)."""

import cmath
import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Float

from sigprop.evidence.kit import also, points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

POWER = 100  # k in the paper's problem of learning powers
STEPS = 500  # of Adam, Fig. 8
PLANTED = 0.01  # nu of the planted solution here: |lam|^100 = exp(-1)


def _kernel(k: Any) -> Any:
    return 0.1 * np.exp(-0.015 * k) * np.cos(0.04 * k) ** 2


def kernel_bump() -> float:
    """Where the kernel of Fig. 7 is largest after its first zero, on a fine grid."""
    k = np.arange(40.0, 100.0, 0.01)
    return float(k[np.argmax(_kernel(k))])


def kernel_bump_by_slope() -> float:
    """Where Fig. 7's kernel peaks after its first zero: its log slope vanishes."""
    return float((np.pi - np.arctan(0.015 / 0.08)) / 0.04)


def kernel_by_states(k: int) -> float:
    """The kernel of Fig. 7 as the impulse response of three modes."""
    lam = np.exp(np.array([-0.015, -0.015 + 0.08j, -0.015 - 0.08j]))
    x = np.prod(np.tile(lam, (k, 1)), axis=0)
    return (np.array([0.05, 0.025, 0.025]) @ x).real


def power_real_part(lam: complex, k: int) -> float:
    """``Re lam^k`` by repeated multiplication."""
    return float(np.real(np.prod(np.full(k, lam))))


def slope_ratio(turn: float, steps: int) -> float:
    """Slope of the power loss along ``nu`` over that along ``theta``, by differences.

    Taken with forty digits.
    """

    def loss(a: Any, b: Any) -> Any:
        learned = mpmath.exp(steps * mpmath.mpc(-a, b))
        planted = mpmath.exp(steps * mpmath.mpc(-PLANTED, turn))
        return abs(learned - planted) ** 2 / 2

    with mpmath.workdps(40):
        point = (mpmath.mpf(PLANTED), mpmath.mpf(0))
        return float(
            mpmath.diff(loss, point, (1, 0)) / mpmath.diff(loss, point, (0, 1))
        )


def slope_ratio_by_autodiff(turn: float, steps: int) -> float:
    """Slope of the power loss along ``nu`` over that along ``theta``, by autodiff."""

    def loss(point: Float[Array, " 2"]) -> Float[Array, ""]:
        learned = jnp.exp(steps * jax.lax.complex(-point[0], point[1]))
        return jnp.abs(learned - jnp.exp(steps * (-PLANTED + 1j * turn))) ** 2 / 2

    slope = computed(jax.grad(loss), np.array([PLANTED, 0.0]))
    return float(slope[0] / slope[1])


def power_loss(
    parameters: Float[Array, " 2"], turned: Any, exponential: bool, theta: Any
) -> Float[Array, ""]:
    """``|lam^100 - planted^100|^2 / 2`` in either parametrisation.

    Source: Orvieto et al. (2023), Appendix E.2.
    """
    first, second = parameters
    if exponential:
        learned = jnp.exp(POWER * jax.lax.complex(-first, second))
    else:
        learned = jax.lax.complex(first, second) ** POWER
    planted = jnp.exp(POWER * (-PLANTED + 1j * (theta + turned)))
    return jnp.abs(learned - planted) ** 2 / 2


_hessian = jax.jit(jax.hessian(power_loss), static_argnums=2)


def _place(phase: float) -> Float[np.ndarray, " 2"]:
    """Real and imaginary part of a number of the planted modulus."""
    lam = np.exp(-PLANTED + 1j * phase)
    return np.array([lam.real, lam.imag])


@functools.cache
def _curvature(lag: float, theta: float, turned: float) -> Float[np.ndarray, "2 2"]:
    with double_precision(True):
        point = jnp.asarray(_place(theta + turned - lag))
        return np.asarray(_hessian(point, turned, False, theta))


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
    """Minus the Hessian's mixed entry before the turn: the axes have changed places."""
    return -float(_curvature(lag, theta, 0.0)[0, 1])


def learned_by_adam(lag: float, rate: float, theta: float, turned: float) -> float:
    """Loss in (re, im) after 500 steps of Adam from ``lag`` behind the planted phase."""
    point = _place(theta + turned - lag)
    planted = np.exp(POWER * (-PLANTED + 1j * (theta + turned)))
    mean, square = np.zeros(2), np.zeros(2)
    for k in range(1, STEPS + 1):
        z = complex(*point)
        slope = POWER * z ** (POWER - 1) * np.conj(z**POWER - planted)
        gradient = np.array([slope.real, -slope.imag])
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        unbiased = mean / (1 - 0.9**k), square / (1 - 0.999**k)
        point = point - rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return float(abs(complex(*point) ** POWER - planted) ** 2 / 2)


def unturned(turned: float, **point: float) -> float:
    """Adam's loss of a learned power, where start and planted phase are not turned."""
    return learned_by_adam(turned=0.0, **point)


def one_plus_loss_at_root(index: int, theta: float) -> float:
    """One plus the power loss at the planted solution times a root of one."""
    phase = theta + 2 * np.pi * index / POWER
    place = np.array([PLANTED, phase])
    return 1 + float(
        computed(power_loss, place, turned=0.0, exponential=True, theta=theta)
    )


EVIDENCE: dict[str, Basis] = {
    "lru:text:kernel-bump": Evidence(
        ({},),
        {"reference": kernel_bump, "closed_form": kernel_bump_by_slope},
        form=70.0,
        absolute=5.0,
    ),
    "lru:text:kernel-realised": Evidence(
        points("k", 0, 7, 40, 74, 99),
        {"reference": kernel_by_states},
        form=_kernel,
        alone="the impulse response of a recurrence of three modes",
    ),
    "lru:text:real-part-of-power": Evidence(
        points("lam k", (cmath.exp(-0.1 + 0.7j), 5), (0.9 - 0.2j, 12)),
        {"reference": power_real_part},
        form=lambda lam, k: abs(lam) ** k * math.cos(k * cmath.phase(lam)),
        printed=lambda lam, k: abs(lam) ** k,
        alone="repeated multiplication",
    ),
    "lru:text:aligned-gradients": Evidence(
        also(points("turn", 0.004, -0.011, 0.02), steps=100),
        {"reference": slope_ratio, "autodiff": slope_ratio_by_autodiff},
        tolerance=1e-9,
    ),
    "lru:fig8": Evidence(
        points("lag theta", (0.003, 0.2), (0.007, 1.1), (0.012, -0.4)),
        {"autodiff": tilt_by_autodiff, "reference": tilt_by_powers},
        form=tilt_without_turn,
        printed=lambda **point: 2 * tilt_without_turn(**point),
        tolerance=1e-8,
    ),
    "lru:text:adam-turned": Evidence(
        also(
            points("lag rate", (0.006, 1e-5), (0.009, 3e-5), (0.012, 3e-5)),
            theta=0.0,
            turned=math.pi / 2,
        ),
        {"reference": learned_by_adam},
        form=unturned,
        printed=lambda **point: 2 * unturned(**point),
        tolerance=1e-6,
        alone="Adam run on the power loss",
    ),
    "lru:text:hundred-minima": Evidence(
        also(points("index", 0, 1, 37), theta=0.4),
        {"reference": one_plus_loss_at_root},
        form=1.0,
        tolerance=1e-12,
        alone="the loss, plus one, at 100-th roots times the planted solution",
    ),
}
