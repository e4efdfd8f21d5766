"""Evidence for the learning of kernels and powers, Appendix E.2 of Orvieto et al. (2023)."""

import cmath
import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import sympy
from jaxtyping import Array, Float

from sigprop.evidence.kit import also, points
from sigprop.evidence.programs import computed
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision

POWER = 100  # k in the paper's problem of learning powers
STEPS = 500  # steps of Adam, Fig. 8
PLANTED = 0.01  # nu of the planted solution here: |lam|^100 = exp(-1)


def _kernel(k: Any) -> Any:
    return 0.1 * np.exp(-0.015 * k) * np.cos(0.04 * k) ** 2


def kernel_bump() -> float:
    """Step at which Fig. 7's kernel is largest after its first zero, on a fine grid."""
    k = np.arange(40.0, 100.0, 0.01)
    return float(k[np.argmax(_kernel(k))])


def kernel_bump_by_derivative() -> float:
    """Step at which Fig. 7's kernel is largest after its first zero, by its log derivative."""
    return float((np.pi - np.arctan(0.015 / 0.08)) / 0.04)


def kernel_by_states(k: int) -> float:
    """The kernel of Fig. 7 as the impulse response of three modes."""
    lam = np.exp(np.array([-0.015, -0.015 + 0.08j, -0.015 - 0.08j]))
    x = np.prod(np.tile(lam, (k, 1)), axis=0)
    return (np.array([0.05, 0.025, 0.025]) @ x).real


def power_real_part(lam: complex, k: int) -> float:
    """``Re lam^k`` by repeated multiplication."""
    return float(np.real(np.prod(np.full(k, lam))))


def derivative_ratio(turn: float, steps: int) -> float:
    """Derivative of the power loss by ``nu`` over that by ``theta``, by differences.

    Forty digits are used.
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


def derivative_ratio_by_autodiff(turn: float, steps: int) -> float:
    """Derivative of the power loss by ``nu`` over that by ``theta``, by autodiff."""

    def loss(point: Float[Array, " 2"]) -> Float[Array, ""]:
        learned = jnp.exp(steps * jax.lax.complex(-point[0], point[1]))
        return jnp.abs(learned - jnp.exp(steps * (-PLANTED + 1j * turn))) ** 2 / 2

    gradient = computed(jax.grad(loss), np.array([PLANTED, 0.0]))
    return float(gradient[0] / gradient[1])


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


def _real_and_imaginary(phase: float) -> Float[np.ndarray, " 2"]:
    """Real and imaginary part of a number of the planted modulus."""
    lam = np.exp(-PLANTED + 1j * phase)
    return np.array([lam.real, lam.imag])


@functools.cache
def _curvature(lag: float, theta: float, turned: float) -> Float[np.ndarray, "2 2"]:
    with double_precision(True):
        point = jnp.asarray(_real_and_imaginary(theta + turned - lag))
        return np.asarray(_hessian(point, turned, False, theta))


def _with_growth(after: float, before: float) -> Float[np.ndarray, " 2"]:
    """A value, and one if it has grown by more than rounding, minus one if shrunk."""
    grown = abs(after) / abs(before) - 1
    return np.array([after, np.sign(grown) * (abs(grown) > 1e-6)])


def tilt_by_autodiff(lag: float, theta: float) -> Float[np.ndarray, " 2"]:
    """Mixed entry of the Hessian in (re, im) after a quarter turn, and sign of its growth."""
    turned, before = (_curvature(lag, theta, t)[0, 1] for t in (math.pi / 2, 0.0))
    return _with_growth(turned, before)


def _mixed_by_powers(lag: float, theta: float) -> float:
    """Mixed entry of the Hessian in (re, im), from holomorphic derivatives."""
    lam = np.exp(-PLANTED + 1j * (theta - lag))
    planted = np.exp(POWER * (-PLANTED + 1j * theta))
    second = POWER * (POWER - 1) * lam ** (POWER - 2) * np.conj(lam**POWER - planted)
    return float(-np.imag(second))


def tilt_by_powers(lag: float, theta: float) -> Float[np.ndarray, " 2"]:
    """The tilt after a quarter turn and whether it has grown, by powers."""
    turned, before = (_mixed_by_powers(lag, theta + t) for t in (math.pi / 2, 0.0))
    return _with_growth(turned, before)


def tilt_without_turn(
    lag: float, theta: float, grown: float = 0.0, sign: int = -1, entry: int = 1
) -> Float[np.ndarray, " 2"]:
    """Minus the Hessian's mixed entry before the turn, which exchanges the axes."""
    return np.array([sign * _curvature(lag, theta, 0.0)[0, entry], grown])


def learned_by_adam(
    lag: float, rate: float, theta: float, turned: float, along: bool = True
) -> float:
    """Loss in (re, im) after 500 steps of Adam, from a phase ``lag`` below the target.

    The initial value turns ``along`` with the planted solution, or stays.
    """
    point = _real_and_imaginary(theta + turned * along - lag)
    planted = np.exp(POWER * (-PLANTED + 1j * (theta + turned)))
    mean, square = np.zeros(2), np.zeros(2)
    for k in range(1, STEPS + 1):
        z = complex(*point)
        derivative = POWER * z ** (POWER - 1) * np.conj(z**POWER - planted)
        gradient = np.array([derivative.real, -derivative.imag])
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        unbiased = mean / (1 - 0.9**k), square / (1 - 0.999**k)
        point = point - rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return float(abs(complex(*point) ** POWER - planted) ** 2 / 2)


def turned_losses(**point: Any) -> Float[np.ndarray, " 2"]:
    """Adam's loss of a learned power after a turn, and whether it is larger."""
    return _with_growth(
        learned_by_adam(**point), learned_by_adam(**{**point, "turned": 0.0})
    )


@functools.cache
def _descend_by_adam() -> Callable[..., Float[Array, " 2"]]:
    import optax

    @jax.jit
    def descend(point: Any, rate: Any, turned: Any, theta: Any) -> Any:
        adam = optax.adam(rate)

        def step(_: Any, carry: Any) -> Any:
            parameters, state = carry
            gradient = jax.grad(power_loss)(parameters, turned, False, theta)
            moved, state = adam.update(gradient, state)
            return parameters + moved, state

        return jax.lax.fori_loop(0, STEPS, step, (point, adam.init(point)))[0]

    return descend


def learned_by_autodiff(
    lag: float, rate: float, theta: float, turned: float, along: bool = True
) -> float:
    """Power loss that Optax's Adam reaches with gradients by autodiff."""
    with double_precision(True):
        start = jnp.asarray(_real_and_imaginary(theta + turned * along - lag))
        point = _descend_by_adam()(start, rate, turned, theta)
        return float(power_loss(point, turned, False, theta))


def turned_losses_by_autodiff(**point: Any) -> Float[np.ndarray, " 2"]:
    """Adam's loss of a learned power after a turn, and whether it is larger, by autodiff."""
    return _with_growth(
        learned_by_autodiff(**point), learned_by_autodiff(**{**point, "turned": 0.0})
    )


def unturned(grown: float = 0.0, **point: Any) -> Float[np.ndarray, " 2"]:
    """Adam's loss of a learned power without a turn, and whether it grew."""
    return np.array([learned_by_adam(**{**point, "turned": 0.0}), grown])


def loss_by_layer(nu: float, phase: float, theta: float) -> float:
    """The power loss in the exponential parametrisation."""
    parameters = np.array([nu, phase])
    return float(
        computed(power_loss, parameters, turned=0.0, exponential=True, theta=theta)
    )


def loss_by_powers(
    nu: float,
    phase: float,
    theta: float,
    of: Callable[[Any, Any], Any] = lambda a, b: abs(a - b) ** 2,
    power: int = POWER,
) -> float:
    """The power loss by powers of complex numbers, ``of`` both.

    Source: Orvieto et al. (2023), Appendix E.2.
    """
    learned, planted = np.exp(-nu + 1j * phase), np.exp(-PLANTED + 1j * theta)
    return float(of(learned**power, planted**power) / 2)


def _ratio_of_losses(**_: float) -> float:
    turned, plain = (
        learned_by_adam(0.006, 1e-5, 0.0, turn) for turn in (math.pi / 2, 0.0)
    )
    return turned / plain


def loss_by_cosine(nu: float, phase: float, theta: float) -> float:
    """The power loss in real numbers, by the law of cosines."""
    a, b = math.exp(-POWER * nu), math.exp(-POWER * PLANTED)
    return (a**2 + b**2 - 2 * a * b * math.cos(POWER * (phase - theta))) / 2


def real_part_by_steps(lam: complex, k: int) -> float:
    """``Re lam^k`` by its own recurrence of second order, in real numbers."""
    before, now = 1.0, lam.real
    for _ in range(k - 1):
        before, now = now, 2 * lam.real * now - abs(lam) ** 2 * before
    return now


def _kernel_is_three_modes() -> bool:
    x = sympy.Symbol("x", real=True)
    turns = sum(sympy.exp(sign * 2 * sympy.I * x) for sign in (1, -1))
    modes = sympy.Rational(1, 2) + turns / 4
    return sympy.expand(modes - sympy.cos(x).rewrite(sympy.exp) ** 2) == 0


EVIDENCE: dict[str, Basis] = {
    "lru:text:kernel-bump": Evidence(
        ({},),
        {"reference": kernel_bump, "closed_form": kernel_bump_by_derivative},
        form=70.0,
        mutants={"where the cosine is nought": np.pi / 2 / 0.04},
        absolute=5.0,
    ),
    "lru:text:kernel-realised": Evidence(
        points("k", 0, 7, 40, 74, 99),
        {"reference": kernel_by_states},
        form=_kernel,
        mutants={
            "the cosine not squared": lambda k: (
                0.1 * np.exp(-0.015 * k) * np.cos(0.04 * k)
            ),
            "twice the frequency": lambda k: (
                0.1 * np.exp(-0.015 * k) * np.cos(0.08 * k) ** 2
            ),
            "a step late": lambda k: _kernel(k + 1),
        },
        proof=_kernel_is_three_modes,
    ),
    "lru:text:real-part-of-power": Evidence(
        points("lam k", (cmath.exp(-0.1 + 0.7j), 5), (0.9 - 0.2j, 12)),
        {"reference": power_real_part, "closed_form": real_part_by_steps},
        form=lambda lam, k: abs(lam) ** k * math.cos(k * cmath.phase(lam)),
        printed=lambda lam, k: abs(lam) ** k,
        mutants={
            "the imaginary part": lambda lam, k: (lam**k).imag,
            "the power of the real part": lambda lam, k: lam.real**k,
            "the phase once": lambda lam, k: abs(lam) ** k * math.cos(cmath.phase(lam)),
        },
        example=Example(
            "Re lam^k for lam = i r",
            {"r": 0.9, "k": 2},
            lambda r, k: r**k,
            lambda r, k: power_real_part(1j * r, k),
        ),
    ),
    "lru:text:aligned-gradients": Evidence(
        also(points("turn", 0.004, -0.011, 0.02), steps=100),
        {"reference": derivative_ratio, "autodiff": derivative_ratio_by_autodiff},
        tolerance=1e-9,
        example=Example(
            "the loss's derivative by nu divided by that by theta, for nu = nu*, k = 100 "
            "and theta* - theta = d,",
            {"d": 0.004},
            0.0,
            lambda d: derivative_ratio(d, 100),
        ),
    ),
    "lru:fig8": Evidence(
        points("lag theta", (0.003, 0.2), (0.007, 1.1), (0.012, -0.4)),
        {"autodiff": tilt_by_autodiff, "reference": tilt_by_powers},
        form=tilt_without_turn,
        printed=partial(tilt_without_turn, grown=1.0),
        mutants={
            "the axes as they were": partial(tilt_without_turn, sign=1),
            "an entry of the diagonal": partial(tilt_without_turn, entry=0),
            "a smaller tilt": partial(tilt_without_turn, grown=-1.0),
        },
        tolerance=1e-8,
        example=Example(
            "for lambda* = 0.995 i, the loss at a + 0.993 i divided by the loss at its "
            "mirror image -a + 0.993 i",
            {"k": 100, "a": 0.003},
            "a landscape tilted against the axes",
            lambda k, a: "{:.4g}, a landscape along the axes".format(
                abs((a + 0.993j) ** k - 0.995j**k) ** 2
                / abs((-a + 0.993j) ** k - 0.995j**k) ** 2
            ),
        ),
    ),
    "lru:text:adam-turned": Evidence(
        also(
            points(
                "lag rate along",
                (0.006, 1e-5, True),
                (0.009, 3e-5, True),
                (0.012, 3e-5, False),
            ),
            theta=0.0,
            turned=math.pi / 2,
        ),
        {"reference": turned_losses, "autodiff": turned_losses_by_autodiff},
        form=unturned,
        printed=partial(unturned, grown=1.0),
        mutants={
            "faster": partial(unturned, grown=-1.0),
            "the rate of a quarter": lambda rate, **point: unturned(
                rate=rate / 4, **point
            ),
        },
        tolerance=1e-6,
        example=Example(
            "the loss of |lambda^k - lambda*^k|^2 / 2 after 500 steps of Adam (rate 1e-5, "
            "from a phase 0.006 below theta*) at theta* = pi/2, divided by that at "
            "theta* = 0",
            {"k": 100},
            "above 1",
            _ratio_of_losses,
        ),
    ),
    "lru:text:hundred-minima": Evidence(
        points(
            "nu phase theta", (0.02, 0.4, 0.9), (0.003, -0.7, 0.2), (0.01, 0.41, 0.4)
        ),
        {"reference": loss_by_layer, "closed_form": loss_by_cosine},
        form=loss_by_powers,
        tolerance=1e-9,
        mutants={
            "not squared": partial(loss_by_powers, of=lambda a, b: abs(a - b)),
            "of the real parts": partial(
                loss_by_powers, of=lambda a, b: (a - b).real ** 2
            ),
            "of the moduli": partial(
                loss_by_powers, of=lambda a, b: (abs(a) - abs(b)) ** 2
            ),
            "a power fewer": partial(loss_by_powers, power=POWER - 1),
        },
    ),
}
