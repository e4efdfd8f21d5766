"""Adam on the normalised loss of one linear unit, in three parametrisations.

The gradient is that of the loss over infinitely many inputs, Eq. 93 in polar form.

Source: Zucchet & Orvieto (2024), Appendix C.1.4 and Fig. 7.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float

from sigprop.evidence.kit import central
from sigprop.numerics.precision import double_precision

TEACHER = (0.99, math.pi / 100)
STUDENT = (0.99, math.pi / 4)
STEPS = 50_000
RATE = 1e-3
Losses = Float[np.ndarray, " steps"]
MOMENTA = (0.9, 0.999, 1e-8)  # Adam's defaults; the paper does not give its own


def _best_rate(nu: Any) -> Any:
    return (1 - nu**2) / (nu * (1 + nu**2) ** 0.5)


class Angle(NamedTuple):
    """A parametrisation of the angle and its inverse."""

    forward: Callable[[Any, Any], Any]
    inverse: Callable[[float, float], float]


ANGLES = {
    "polar": Angle(lambda omega, nu: omega, lambda theta, nu: theta),
    "exponential": Angle(
        lambda omega, nu: jnp.exp(omega), lambda theta, nu: math.log(theta)
    ),
    "optimal": Angle(
        lambda omega, nu: omega * _best_rate(nu),
        lambda theta, nu: theta / _best_rate(nu),
    ),
    "optimal, modulus held": Angle(
        lambda omega, nu: omega * _best_rate(lax.stop_gradient(nu)),
        lambda theta, nu: theta / _best_rate(nu),
    ),
}


def _loss(nu: Any, theta: Any) -> Any:
    nu_star, theta_star = TEACHER
    gains = jnp.sqrt((1 - nu**2) * (1 - nu_star**2))
    inner, turn = nu * nu_star, theta - theta_star
    across = inner * jnp.sin(turn)
    ahead = 1 - inner * jnp.cos(turn)
    return 1 - gains * ahead / (ahead**2 + across**2)


@functools.cache
def descend(angle: str) -> tuple[Losses, Losses, Losses]:
    """Run Adam; return losses, moduli and angles after each of its steps."""
    forward, inverse = ANGLES[angle]
    first, second, tiny = MOMENTA

    def modulus_and_angle(parameters: Any) -> tuple[Any, Any]:
        nu = jnp.tanh(parameters[0])
        return nu, forward(parameters[1], nu)

    def body(state: Any, step: Any) -> tuple[Any, Any]:
        parameters, mean, square = state
        gradient = jax.grad(lambda omega: _loss(*modulus_and_angle(omega)))(parameters)
        mean = first * mean + (1 - first) * gradient
        square = second * square + (1 - second) * gradient**2
        scaled = mean / (1 - first**step)
        spread = jnp.sqrt(square / (1 - second**step)) + tiny
        parameters = parameters - RATE * scaled / spread
        nu, theta = modulus_and_angle(parameters)
        return (parameters, mean, square), jnp.stack([_loss(nu, theta), nu, theta])

    with double_precision(True):
        start = jnp.array([math.atanh(STUDENT[0]), inverse(STUDENT[1], STUDENT[0])])
        zero = jnp.zeros(2)
        steps = jnp.arange(1.0, STEPS + 1)
        trajectory = np.asarray(
            jax.jit(lambda state: lax.scan(body, state, steps)[1])((start, zero, zero))
        )
    return trajectory[:, 0], trajectory[:, 1], trajectory[:, 2]


BEGINNING = (0, 1, 9, 99)  # compared steps of a run


def begun(angle: str) -> list[float]:
    """Number of steps of a run, and moduli and angles after steps 1, 2, 10 and 100."""
    _, nu, theta = descend(angle)
    return [len(nu), *nu[list(BEGINNING)], *theta[list(BEGINNING)]]


def written_run(
    angle: str, rate: float = RATE, start: tuple[float, float] = STUDENT, half: int = 2
) -> list[float]:
    """Results as of ``begun`` by Optax, for the steps of Appendix C.1.4 on Eq. 93.

    Args:
        angle: Parametrisation of the angle.
        rate: Learning rate; another one is a mutant.
        start: Initial modulus and angle; others are a mutant.
        half: The modulus is ``tanh(2 omega / half)``; one is a mutant.
    """
    _, inverse = ANGLES[angle]
    with double_precision(True):
        omega = jnp.array(
            [math.atanh(start[0]) * half / 2, inverse(start[1], start[0])]
        )
        nu, theta = np.asarray(_written(angle)(omega, float(rate), float(half))).T
    return [STEPS, *nu[list(BEGINNING)], *theta[list(BEGINNING)]]


@functools.cache
def _written(angle: str) -> Callable[..., Any]:
    """Moduli and angles of a run, in one program for all starts, rates and halves."""
    import optax

    forward, _ = ANGLES[angle]

    def modulus_and_angle(omega: Any, half: Any) -> Any:
        nu = jnp.tanh(2 * omega[0] / half)
        return jnp.stack([nu, forward(omega[1], nu)])

    def loss(omega: Any, half: Any) -> Any:
        nu, theta = modulus_and_angle(omega, half)
        lam, star = nu * jnp.exp(1j * theta), TEACHER[0] * jnp.exp(1j * TEACHER[1])
        gains = jnp.sqrt((1 - nu**2) * (1 - TEACHER[0] ** 2))
        return 1 - jnp.real(gains / (1 - jnp.conj(lam) * star))

    @jax.jit
    def run(omega: Any, rate: Any, half: Any) -> Any:
        adam = optax.adam(rate)

        def body(state: Any, _: Any) -> tuple[Any, Any]:
            omega, moments = state
            change, moments = adam.update(jax.grad(loss)(omega, half), moments)
            omega = optax.apply_updates(omega, change)
            return (omega, moments), modulus_and_angle(omega, half)

        return lax.scan(body, (omega, adam.init(omega)), length=BEGINNING[-1] + 1)[1]

    return run


def final_distance(angle: str) -> float:
    """``|lam - lam*|`` after the last step."""
    _, nu, theta = descend(angle)
    lam = nu[-1] * np.exp(1j * theta[-1])
    return float(abs(lam - TEACHER[0] * np.exp(1j * TEACHER[1])))


def final_turn(angle: str) -> float:
    """Distance of the last angle from the teacher's in radians, modulo whole turns."""
    apart = descend(angle)[2][-1] - TEACHER[1]
    return float(abs(math.remainder(apart, 2 * math.pi)))


def flatness(angle: str) -> float:
    """Ratio of the loss's derivatives by the angle and by the angle's parameter.

    Both are taken at the initial student, which is far from the teacher.
    """
    forward, inverse = ANGLES[angle]
    nu, theta = STUDENT

    def derivative(path: Callable[[float], Any], at: float) -> float:
        return float(central(lambda omega: _loss(nu, path(omega)), at, 1e-4))

    with double_precision(True):
        plain = derivative(lambda theta: theta, theta)
        return plain / derivative(lambda omega: forward(omega, nu), inverse(theta, nu))
