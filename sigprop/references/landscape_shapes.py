"""Wells, slopes and sharpness of the one-dimensional loss, from impulse responses.

Source: Zucchet & Orvieto (2024), Sections 3.1 and 4.1, Fig. 6 and 7.
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy import optimize

from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import impulse_response
from sigprop.numerics.precision import double_precision
from sigprop.references import landscape, landscape_curvature

LONG = 40_000  # ages after which 0.999^n is below 1e-17
SHORT = 300


def _unit_layer(nu_log: float, theta_log: float) -> LRU:
    """An LRU of one eigenvalue; what reads and writes it does not matter here."""
    flat, both = jnp.zeros((1, 1)), (jnp.array([nu_log]), jnp.array([theta_log]))
    return LRU(flat, flat, flat, flat, jnp.zeros(1), *both, None, "absent")


def layer_eigenvalue(omega_nu: float, omega_theta: float) -> complex:
    """The eigenvalue of an LRU with these two parameters."""
    with double_precision(True):
        return complex(_unit_layer(omega_nu, omega_theta).eigenvalues()[0])


def layer_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, for angles below pi."""
    return float(np.angle(layer_eigenvalue(-1.0, omega)))


def loop_angle(omega: float) -> float:
    """The angle of an LRU's eigenvalue, from the first response of its recurrence."""
    with double_precision(True):
        lam = _unit_layer(-1.0, omega).eigenvalues()
        return float(np.angle(np.asarray(impulse_response(lam, 2)[0])[1, 0]))


def well(nu: float, size: str) -> float:
    """Width of the well around the teacher's angle, at the teacher's modulus.

    ``half``: where the loss is less than half of that at the opposite angle;
    ``descent``: from where a descent on the angle alone arrives at the teacher.
    """

    def loss(turn: float) -> float:
        return landscape.normalised(nu * np.exp(1j * turn), nu)

    if size == "half":
        half = loss(math.pi) / 2
        found = optimize.root_scalar(
            lambda turn: loss(turn) - half, bracket=(0, math.pi), xtol=1e-14
        )
        return 2 * float(found.root)
    turns = np.linspace(0, math.pi, 400)
    losses = np.array([loss(turn) for turn in turns])
    rising = np.diff(losses) > 0
    return 2 * float(turns[len(rising) if rising.all() else rising.argmin()])


def period(nu: float) -> float:
    """Distance in ``omega`` between two global minima with the best angle."""
    rate = landscape_curvature.rate(nu, (0, 2))
    ages = np.arange(SHORT)

    def loss(omega: float) -> float:
        apart = nu**ages * (np.exp(1j * ages * rate * omega) - 1)
        return float((np.abs(apart) ** 2).sum())

    turns = np.linspace(0.5, 40 / rate, 4000)
    losses = np.array([loss(turn) for turn in turns])
    dips = (losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])
    near = 1 + int(dips.argmax())
    bounds = (turns[near - 1], turns[near + 1])
    found: Any = optimize.minimize_scalar(
        loss, bounds=bounds, method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


def three_curvatures(nu: float, theta: float) -> np.ndarray:
    """Curvatures by the angle's parameter at the teacher: plain, exponential, best."""
    return np.array(
        [
            landscape_curvature.bend("angle", theta, nu=nu),
            landscape_curvature.bend("exponential angle", math.log(theta), nu=nu),
            landscape_curvature.bend("best angle", 1.0, nu=nu),
        ]
    )


def three_energies(nu: float, theta: float) -> np.ndarray:
    """Curvatures by the angle's plain, exponential and best parameter, from energies.

    ``E|dh/dtheta|^2`` at the teacher times the squared slope of the angle by each.
    """
    angular = landscape_curvature.energies(nu, 4000)[1]
    rate = (1 - nu**2) / (nu * math.sqrt(1 + nu**2))
    return angular * np.array([1.0, theta**2, rate**2])


def sharpness(lam: complex, rho: float = 0.0) -> float:
    """``E|dh/dlam|^2`` by sums: the curvature of the loss at the teacher."""
    ages = np.arange(1, LONG)
    slopes = ages * complex(lam) ** (ages - 1)
    return landscape.shared(slopes, slopes, rho).real


def growth(rho: float, angle: float) -> float:
    """How much sharper the loss is at ``|lam*| = 0.999`` than at 0.99."""
    turn = np.exp(1j * angle)
    return sharpness(0.999 * turn, rho) / sharpness(0.99 * turn, rho)


def sensitivity_over_state(lam: complex, rho: float) -> float:
    """``E|dh/dlam|^2 / E|h|^2``."""
    state = complex(lam) ** np.arange(LONG)
    return sharpness(lam, rho) / landscape.shared(state, state, rho).real


def held_rate(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one."""
    return sensitivity_over_state(lam, rho) ** -0.5


def held_rate_impulse(lam: float, rho: float) -> float:
    """``lam'(omega)`` that keeps the normalised sensitivity at one, by the recurrence."""
    state, slope = landscape.impulse_kernel(lam), landscape.sensitivity_kernel(lam)
    ratio = landscape.shared(slope, slope, rho) / landscape.shared(state, state, rho)
    return ratio.real**-0.5


def slope_size(**at: object) -> float:
    """Modulus of a first derivative of the loss, by finite differences of sums."""
    return abs(landscape_curvature.partial(**at))  # type: ignore[arg-type]


def slope_size_autodiff(**at: object) -> float:
    """Modulus of a first derivative of the loss, by JAX through the recurrence."""
    return abs(landscape_curvature.partial_autodiff(**at))  # type: ignore[arg-type]


def hundredth_of_gap(nu_star: float, **_: object) -> float:
    """A wrong bound on the slope."""
    return (1 - nu_star**4) / 100


def largest_jacobian(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, by products."""
    return float(np.abs(np.cumprod(np.full(SHORT, complex(lam)))).max())


def largest_jacobian_impulse(lam: complex) -> float:
    """Largest modulus of ``dh_t/dh_s`` over later times, from the impulse response."""
    return float(np.abs(landscape.impulse_kernel(lam)[1:]).max())


def hundred(**_: object) -> float:
    """Ratio above which a quantity counts as much larger: two orders of magnitude."""
    return 1e2


def billion(**_: object) -> float:
    """A wrong threshold."""
    return 1e9
