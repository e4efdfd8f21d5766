"""Slopes and curvatures of the one-dimensional loss, without a closed form of it.

Finite differences of sums in many digits, JAX through the recurrence of the suite, and
energies of the states' sensitivities.

Source: Zucchet & Orvieto (2024), Appendix C.1.2.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from scipy import integrate

from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision
from sigprop.references.landscape import DIGITS, LENGTH, kernel, sensitivity_kernel


def polar(nu: Any, theta: Any) -> Any:
    """``nu exp(i theta)`` in many digits."""
    return nu * mpmath.expj(theta)


def precise_loss(
    nu: Any, nu_star: Any, theta: Any = 0, theta_star: Any = 0, gain: bool = True
) -> Any:
    """The loss under white noise in many digits, normalised unless ``gain`` is off."""
    own, teacher = polar(nu, theta), polar(nu_star, theta_star)
    weight = mpmath.sqrt(1 - nu**2) if gain else mpmath.mpf(1)
    other = mpmath.sqrt(1 - nu_star**2) if gain else mpmath.mpf(1)
    largest = float(max(abs(own), abs(teacher)))
    ages = math.ceil(-DIGITS * math.log(10) / (2 * math.log(largest))) + 2
    total = mpmath.mpf(0)
    for _ in range(ages):
        apart = weight - other
        total += apart.real**2 + apart.imag**2
        weight, other = weight * own, other * teacher
    return total / 2


def partial(
    orders: tuple[int, int],
    nu: float,
    nu_star: float | None = None,
    theta: float = 0.0,
    theta_star: float = 0.0,
    gain: bool = True,
) -> float:
    """A derivative of the loss by ``nu`` and ``theta``: finite differences of sums.

    The teacher's modulus is the student's if it is left out.
    """
    teacher = nu if nu_star is None else nu_star
    with mpmath.workdps(DIGITS):
        found = mpmath.diff(
            lambda x, y: precise_loss(x, teacher, y, theta_star, gain),
            (mpmath.mpf(nu), mpmath.mpf(theta)),
            orders,
        )
        return float(mpmath.re(found))


def _squares(values: Any, gain: bool) -> Any:
    """The loss through the recurrence of the suite, for JAX to differentiate."""
    nu, theta, nu_star, theta_star = values
    both = jnp.stack([nu * jnp.exp(1j * theta), nu_star * jnp.exp(1j * theta_star)])
    gains = jnp.sqrt(1 - jnp.stack([nu, nu_star]) ** 2) if gain else jnp.ones(2)
    impulse = (jnp.arange(LENGTH) == 0)[:, None].astype(complex)
    states = gains[None] * linear_recurrence(both, impulse)
    apart = states[:, 0] - states[:, 1]
    return (apart.real**2 + apart.imag**2).sum() / 2


@functools.cache
def _derivatives(gain: bool) -> Callable[[Any], Any]:
    def value(at: Any) -> Any:
        return _squares(at, gain)

    def every(at: Any) -> Any:
        return value(at), jax.grad(value)(at), jax.jacfwd(jax.grad(value))(at)

    return jax.jit(every)


def partial_autodiff(
    orders: tuple[int, int],
    nu: float,
    nu_star: float | None = None,
    theta: float = 0.0,
    theta_star: float = 0.0,
    gain: bool = True,
) -> float:
    """A derivative of the loss by ``nu`` and ``theta``, by JAX through the recurrence.

    The teacher's modulus is the student's if it is left out.
    """
    with double_precision(True):
        at = [nu, theta, nu if nu_star is None else nu_star, theta_star]
        found = _derivatives(gain)(jnp.array(at, float))
    which = [index for index, order in enumerate(orders) for _ in range(order)]
    return float(found[len(which)][tuple(which)])


def rate(nu: float, orders: tuple[int, int]) -> float:
    """How fast a parameter must move for unit curvature at optimality."""
    return partial(orders, nu) ** -0.5


def rate_autodiff(nu: float, orders: tuple[int, int]) -> float:
    """How fast a parameter must move for unit curvature at optimality, by autodiff."""
    return partial_autodiff(orders, nu) ** -0.5


def _granular(nu: Any) -> Any:
    return (1 - nu**2) / (nu * mpmath.sqrt(1 + nu**2))


PATHS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "fixed angle": lambda omega, theta=0.3: (omega, theta),
    "tanh": lambda omega, theta=0.3: (mpmath.tanh(omega), theta),
    "exponential": lambda omega, theta=0.3: (mpmath.exp(-mpmath.exp(omega)), theta),
    "angle": lambda omega, nu: (nu, omega),
    "best angle": lambda omega, nu: (nu, omega * _granular(nu)),
    "exponential angle": lambda omega, nu: (nu, mpmath.exp(omega)),
    "coupled": lambda omega, omega_theta: (
        mpmath.tanh(omega),
        omega_theta * _granular(mpmath.tanh(omega)),
    ),
}


def bend(path: str, omega: float, **fixed: float) -> float:
    """``d^2 L / d omega^2`` at optimality along a path: finite differences of sums."""
    with mpmath.workdps(DIGITS):
        held = {name: mpmath.mpf(value) for name, value in fixed.items()}
        nu_star, theta_star = PATHS[path](mpmath.mpf(omega), **held)

        def value(moved: Any) -> Any:
            nu, theta = PATHS[path](moved, **held)
            return precise_loss(nu, nu_star, theta, theta_star)

        return float(mpmath.re(mpmath.diff(value, mpmath.mpf(omega), 2)))


def _slopes(path: str, omega: float, fixed: dict[str, float]) -> np.ndarray:
    """``d (gamma h) / d omega`` for an input of each age, from the recurrence."""
    with mpmath.workdps(DIGITS):
        held = {name: mpmath.mpf(value) for name, value in fixed.items()}

        def part(which: int) -> Callable[[Any], Any]:
            return lambda moved: mpmath.mpf(PATHS[path](moved, **held)[which])

        nu, theta = (float(part(which)(mpmath.mpf(omega))) for which in (0, 1))
        by_nu, by_theta = (float(mpmath.diff(part(i), omega)) for i in (0, 1))
    turn = np.exp(1j * theta)
    moved = by_nu * turn + 1j * nu * turn * by_theta
    gain = math.sqrt(1 - nu**2)
    lam = nu * turn
    return gain * sensitivity_kernel(lam) * moved - nu / gain * by_nu * kernel(lam)


def bend_energy(path: str, omega: float, **fixed: float) -> float:
    """``E|d h / d omega|^2`` along a path, from impulse responses."""
    return float((np.abs(_slopes(path, omega, fixed)) ** 2).sum())


def square_energy(path: str, omega: float, **fixed: float) -> complex:
    """``E[(d h / d omega)^2]``: the square, not the squared modulus."""
    return complex((_slopes(path, omega, fixed) ** 2).sum())


def bend_thrice(path: str, omega: float, **fixed: float) -> np.ndarray:
    """The curvature, once for each of the three members of Eq. 99."""
    return np.full(3, bend(path, omega, **fixed))


def bend_energy_thrice(path: str, omega: float, **fixed: float) -> np.ndarray:
    """``E|d h / d omega|^2``, once for each of the three members of Eq. 99."""
    return np.full(3, bend_energy(path, omega, **fixed))


def chain(path: str, omega: float, theta: float) -> np.ndarray:
    """The three right members of Eq. 99 for ``nu`` along a path, at any angle."""
    with mpmath.workdps(DIGITS):
        nu = PATHS[path](mpmath.mpf(omega), theta=theta)[0]
        step = mpmath.diff(lambda x: PATHS[path](x, theta=theta)[0], omega)
    plain = square_energy("fixed angle", float(nu), theta=theta)
    return np.array(
        [
            square_energy(path, omega, theta=theta),
            float(step) ** 2 * plain,
            float(step) ** 2 * partial((2, 0), float(nu), None, theta, theta),
        ]
    )


def energies(nu: Any, ages: int = LENGTH) -> tuple[Any, Any]:
    """``E|d h/d nu|^2`` and ``E|d h/d theta|^2`` of the normalised state, term by term."""
    age = np.arange(ages)
    gain = (1 - nu**2) ** 0.5
    weights = nu**age
    grown = np.concatenate([[0.0], age[1:] * weights[:-1]])
    radial = gain * grown - nu / gain * weights
    return (radial**2).sum(), ((gain * age * weights) ** 2).sum()


def modulus_solution(omega: float) -> float:
    """``nu(omega)`` with unit sensitivity and ``nu(0) = 0``, integrated numerically."""
    return _integrated(omega, lambda nu: energies(nu)[0] ** -0.5)


def angle_solution(nu: float, omega: float) -> float:
    """``theta(omega)`` with unit sensitivity and ``theta(0) = 0`` at one modulus."""
    return _integrated(omega, lambda _: energies(nu)[1] ** -0.5)


def _integrated(until: float, rate_at: Callable[[float], float]) -> float:
    found = integrate.solve_ivp(
        lambda _, y: [rate_at(float(y[0]))], (0, until), [0.0], rtol=1e-11, atol=1e-13
    )
    return float(found.y[0, -1])


def held_gain(nu: float) -> float:
    """Curvature by the modulus with the gain held over the whole one: finite sums."""
    ages = np.arange(LENGTH)
    held = (1 - nu**2) * ((ages[1:] * nu ** ages[:-1]) ** 2).sum()
    return float(held / energies(nu)[0])


def held_gain_impulse(nu: float) -> float:
    """Curvature by the modulus, gain held, over the whole one, through the recurrence.

    The whole one is from finite differences of the loss.
    """
    held = (1 - nu**2) * (np.abs(sensitivity_kernel(nu)) ** 2).sum()
    return float(held / partial((2, 0), nu))


def over_general(nu: float, orders: tuple[int, int]) -> float:
    """Rate of the angle for unit curvature, over the ``1 - nu^2`` of Appendix B.3.2."""
    return rate(nu, orders) / (1 - nu**2)


def over_general_autodiff(nu: float, orders: tuple[int, int]) -> float:
    """Rate of the angle for unit curvature, over ``1 - nu^2``, by autodiff."""
    return rate_autodiff(nu, orders) / (1 - nu**2)


def coupled_bend(path: str, omega: float, omega_theta: float, nu: float) -> float:
    """Curvature by the modulus' parameter when it moves the angle too."""
    assert math.isclose(nu, math.tanh(omega))
    return bend(path, omega, omega_theta=omega_theta)


def coupled_energy(path: str, omega: float, omega_theta: float, nu: float) -> float:
    """``E|dh/domega|^2`` of modulus and angle moving together, from impulse responses."""
    assert math.isclose(nu, math.tanh(omega))
    return bend_energy(path, omega, omega_theta=omega_theta)


def surface_curvature(nu: float) -> float:
    """Gaussian curvature of ``E dnu^2 + G dtheta^2``, by finite differences."""
    with mpmath.workdps(DIGITS):

        def root(which: int) -> Callable[[Any], Any]:
            return lambda at: mpmath.sqrt(_precise_energies(at)[which])

        along, around = root(0), root(1)
        bent = mpmath.diff(lambda x: mpmath.diff(around, x) / along(x), nu)
        return float(-bent / (along(nu) * around(nu)))


def _precise_energies(nu: Any) -> tuple[Any, Any]:
    ages = math.ceil(-mpmath.mp.dps * math.log(10) / (2 * math.log(float(nu)))) + 20
    gain = mpmath.sqrt(1 - nu**2)
    radial, angular, weight = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(1)
    for age in range(ages):
        radial += (gain * age * weight / nu - nu / gain * weight) ** 2
        angular += (gain * age * weight) ** 2
        weight *= nu
    return radial, angular
