"""Derivatives and curvatures of one unit's loss, computed without a closed form.

There are three routes: finite differences of sums in many digits, JAX through the
package's recurrence, and second moments of the states' sensitivities.

Source: Zucchet & Orvieto (2024), Appendix C.1.2.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import scipy
from jaxtyping import Complex

from sigprop.evidence.kit import (
    Points,
    also,
    each,
    energy,
    points,
    power_derivatives,
    powers,
)
from sigprop.evidence.zucchet.landscape.responses import (
    LENGTH,
    kernel,
    sensitivity_kernel,
)
from sigprop.judge.basis import Evidence
from sigprop.numerics.precision import double_precision

DIGITS = 40  # digits of sums for finite differences
LEFT = 1e-20  # largest error of truncated sums
APART = points("nu nu_star", (0.6, 0.75), (0.85, 0.3), (0.35, 0.55))
MODULI = points("nu", 0.3, 0.65, 0.9)


def precise_loss(
    nu: Any, nu_star: Any, theta: Any = 0, theta_star: Any = 0, gain: bool = True
) -> Any:
    """The loss under white noise in many digits, normalised unless ``gain`` is off."""
    student, teacher = nu * mpmath.expj(theta), nu_star * mpmath.expj(theta_star)
    weight = mpmath.sqrt(1 - nu**2) if gain else mpmath.mpf(1)
    teacher_weight = mpmath.sqrt(1 - nu_star**2) if gain else mpmath.mpf(1)
    largest = float(max(abs(student), abs(teacher)))
    ages = math.ceil(math.log(LEFT) / (2 * math.log(largest))) + 2
    total = mpmath.mpf(0)
    for _ in range(ages):
        apart = weight - teacher_weight
        total += apart.real**2 + apart.imag**2
        weight, teacher_weight = weight * student, teacher_weight * teacher
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

    By default, the teacher has the modulus of the student.
    """
    teacher = nu if nu_star is None else nu_star
    with mpmath.workdps(DIGITS):
        derivative = mpmath.diff(
            lambda x, y: precise_loss(x, teacher, y, theta_star, gain),
            (mpmath.mpf(nu), mpmath.mpf(theta)),
            orders,
        )
        return float(mpmath.re(derivative))


def _squares(values: Any, gain: bool) -> Any:
    """The loss through the package's recurrence, for JAX to differentiate."""
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    nu, theta, nu_star, theta_star = values
    lams = jnp.stack([nu * jnp.exp(1j * theta), nu_star * jnp.exp(1j * theta_star)])
    gains = jnp.sqrt(1 - jnp.stack([nu, nu_star]) ** 2) if gain else jnp.ones(2)
    impulse = (jnp.arange(LENGTH) == 0)[:, None].astype(complex)
    states = gains[None] * linear_recurrence(lams, impulse)
    apart = states[:, 0] - states[:, 1]
    return (apart.real**2 + apart.imag**2).sum() / 2


@functools.cache
def _derivatives(gain: bool) -> Callable[[Any], Any]:
    import jax

    def value(args: Any) -> Any:
        return _squares(args, gain)

    def every(args: Any) -> Any:
        return value(args), jax.grad(value)(args), jax.jacfwd(jax.grad(value))(args)

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

    By default, the teacher has the modulus of the student.
    """
    import jax.numpy as jnp

    with double_precision(True):
        values = [nu, theta, nu if nu_star is None else nu_star, theta_star]
        derivatives = _derivatives(gain)(jnp.array(values, float))
    indices = [index for index, order in enumerate(orders) for _ in range(order)]
    return float(derivatives[len(indices)][tuple(indices)])


PARTIALS = {"reference": partial, "autodiff": partial_autodiff}


def by(
    orders: tuple[int, int], at: Points, proof: Callable[[], bool] | None = None
) -> Evidence:
    """A partial derivative of the loss: finite differences of sums, and autodiff."""
    return Evidence(also(at, orders=orders), PARTIALS, proof=proof)


def rate(derivative: Callable[..., float], nu: float, orders: tuple[int, int]) -> float:
    """Derivative of modulus or angle by its parameter for unit curvature at optimality."""
    return derivative(orders, nu) ** -0.5


RATES = each(rate, PARTIALS)


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


def path_curvature(path: str, omega: float, **fixed: float) -> float:
    """``d^2 L / d omega^2`` at optimality along a path: finite differences of sums."""
    with mpmath.workdps(DIGITS):
        precise = {name: mpmath.mpf(value) for name, value in fixed.items()}
        nu_star, theta_star = PATHS[path](mpmath.mpf(omega), **precise)

        def value(moved: Any) -> Any:
            nu, theta = PATHS[path](moved, **precise)
            return precise_loss(nu, nu_star, theta, theta_star)

        return float(mpmath.re(mpmath.diff(value, mpmath.mpf(omega), 2)))


def _path_derivatives(
    path: str, omega: float, fixed: dict[str, float]
) -> Complex[np.ndarray, " ages"]:
    """``d (gamma h) / d omega`` for an input of each age, from the recurrence."""
    with mpmath.workdps(DIGITS):
        precise = {name: mpmath.mpf(value) for name, value in fixed.items()}

        def part(index: int) -> Callable[[Any], Any]:
            return lambda moved: mpmath.mpf(PATHS[path](moved, **precise)[index])

        nu, theta = (float(part(index)(mpmath.mpf(omega))) for index in (0, 1))
        by_nu, by_theta = (float(mpmath.diff(part(i), omega)) for i in (0, 1))
    turn = np.exp(1j * theta)
    moved = by_nu * turn + 1j * nu * turn * by_theta
    gain = math.sqrt(1 - nu**2)
    lam = nu * turn
    return gain * sensitivity_kernel(lam) * moved - nu / gain * by_nu * kernel(lam)


def path_energy(path: str, omega: float, **fixed: float) -> float:
    """``E|d h / d omega|^2`` along a path, from impulse responses."""
    return energy(_path_derivatives(path, omega, fixed))


PATH_ROUTES = {"reference": path_curvature, "impulse": path_energy}


def square_energy(path: str, omega: float, **fixed: float) -> complex:
    """``E[(d h / d omega)^2]``: the square, not the squared modulus."""
    return complex((_path_derivatives(path, omega, fixed) ** 2).sum())


def modulus_energy(path: str, omega: float, **fixed: float) -> float:
    """``E[|d h / d omega|^2]``."""
    return float((np.abs(_path_derivatives(path, omega, fixed)) ** 2).sum())


def energies(nu: Any, ages: int = LENGTH) -> tuple[Any, Any]:
    """``E|d h/d nu|^2`` and ``E|d h/d theta|^2`` of the normalised state, term by term."""
    gain, weights, grown = (
        (1 - nu**2) ** 0.5,
        powers(nu, ages),
        power_derivatives(nu, ages),
    )
    return energy(gain * grown - nu / gain * weights), energy(gain * nu * grown)


def integrated(until: float, rate_at: Callable[[float], float]) -> float:
    """Solution at ``until`` of ``y' = rate_at(y)``, ``y(0) = 0``, integrated numerically."""
    solution = scipy.integrate.solve_ivp(
        lambda _, y: [rate_at(float(y[0]))], (0, until), [0.0], rtol=1e-11, atol=1e-13
    )
    return float(solution.y[0, -1])
