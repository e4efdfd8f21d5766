"""What judges growth, stability and initialisation, Section 4.2 of BLUR (2025)."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.blur.recurrences import model
from sigprop.evidence.kit import across, also, each, points, recur
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from theory import bidirectional as two

EIGENVALUES = also(points("lam", 0.9, 0.5 + 0.6j, -0.7, -0.3 - 0.8j), T=8)
RINGS = points("e_min e_max", (0.3, 0.9), (0.0, 0.8))


def by_engine(
    lam: complex | float, u: Inexact[np.ndarray, " time"], reverse: bool = False
) -> Complex[np.ndarray, " time"]:
    """States of one neuron by the engine that layers run on."""
    import jax.numpy as jnp

    from sigprop.neuron.scan import scan_linear

    with double_precision(True):
        inputs = jnp.asarray(u, complex)[:, None]
        states = scan_linear(jnp.asarray([lam]), inputs, reverse=reverse)
        return np.asarray(states)[:, 0]


def constant_loop(lam: complex | float, T: int) -> complex | float:
    """State after ``T`` inputs of one."""
    return recur(lam, np.ones(T))[-1]


def in_phase(lam: complex | float, T: int) -> Complex[np.ndarray, " time"]:
    """Inputs of modulus one, each in phase with the state that it meets."""
    return np.exp(1j * np.angle(lam) * np.arange(T))


def worst_loop(lam: complex | float, T: int) -> float:
    """The largest state that inputs of modulus one can make: each in phase with it."""
    return np.abs(recur(lam, in_phase(lam, T))).max()


def worst_engine(lam: complex | float, T: int) -> float:
    """The largest state that inputs of modulus one can make, by the layers' engine."""
    return np.abs(by_engine(lam, in_phase(lam, T))).max()


def modulus_layer(nu: float, half: int) -> float:
    """Modulus of an eigenvalue of one half of the real layer at a value of ``nu_log``."""
    import equinox as eqx
    import jax.numpy as jnp

    layer = model(0, 2, 3)[0]
    with double_precision(True):
        moved = eqx.tree_at(lambda one: one.nu_log, layer, jnp.full((2, 2), nu))
        return float(np.abs(np.asarray(moved.halves()[half].eigenvalues()))[0])


def ring_square_layer(e_min: float, e_max: float) -> float:
    """Mean of ``|lam|^2`` over the initialiser's map of a fine grid of uniforms."""
    return float(np.mean(_ring_radii(e_min, e_max) ** 2))


def _ring_radii(e_min: float, e_max: float) -> Float[np.ndarray, "2000"]:
    import jax.numpy as jnp

    from sigprop.neuron.ring import ring_polar

    grid = (np.arange(2000) + 0.5) / 2000
    with double_precision(True):
        nu, _ = ring_polar(jnp.asarray(grid), jnp.asarray(grid), e_min, e_max)
        return np.exp(-np.asarray(nu))


def _area_mean(e_min: float, e_max: float, value: Callable) -> float:
    """Mean over the ring's area by quadrature along the radius."""
    total = mpmath.quad(lambda r: 2 * r * value(r), [e_min, e_max])
    return float(total / (mpmath.mpf(e_max) ** 2 - mpmath.mpf(e_min) ** 2))


def ring_energy(e_min: float, e_max: float) -> float:
    """Mean of ``1/(1-|lam|^2)`` by quadrature; infinite where the ring ends at one."""
    if e_max == 1:
        return np.inf
    return _area_mean(e_min, e_max, lambda r: 1 / (1 - r**2))


def ring_energy_layer(e_min: float, e_max: float) -> float:
    """Mean of ``1/(1-|lam|^2)`` over the initialiser's map of a fine grid."""
    return float(np.mean(1 / (1 - _ring_radii(e_min, e_max) ** 2)))


def grows(energy: Callable[[float, float], float], e_min: float, e_max: float) -> float:
    """Sign of the change of a mean energy as the outer radius moves to the circle."""
    return float(np.sign(energy(e_min, (1 + e_max) / 2) - energy(e_min, e_max)))


def _energy(e_min: float, e_max: float) -> float:
    if e_max == 1:
        return math.inf
    squares = e_min**2, e_max**2
    return math.log((1 - squares[0]) / (1 - squares[1])) / (squares[1] - squares[0])


EVIDENCE: dict[str, Basis] = {
    "blur:text:growth-forward": Evidence(
        EIGENVALUES,
        {
            "reference": constant_loop,
            "impulse": lambda lam, T: by_engine(lam, np.ones(T))[-1],
        },
    ),
    "blur:text:growth-backward": Evidence(
        EIGENVALUES,
        {
            "reference": constant_loop,
            "impulse": lambda lam, T: by_engine(lam, np.ones(T), reverse=True)[0],
        },
    ),
    "blur:text:stability": Evidence(
        also(points("lam", 0.9, 0.5 + 0.6j, -0.7, -0.94j), T=400),
        {"reference": worst_loop, "impulse": worst_engine},
        form=lambda lam, T: 1 / (1 - abs(lam)),
        relation="<=",
        slips={
            "squared": lambda lam, T: 1 / (1 - abs(lam) ** 2),
            "the sign": lambda lam, T: 1 / (1 + abs(lam)),
            "one percent less": lambda lam, T: 0.99 / (1 - abs(lam)),
            "lam for |lam|": lambda lam, T: 1 / abs(1 - lam),
        },
    ),
    "blur:text:exponential": Evidence(
        across(nu=(-9.0, -2.0, 1.2), half=(0, 1)),
        {
            "impulse": modulus_layer,
            "reference": lambda nu, half: mpmath.exp(-mpmath.exp(nu)),
        },
        form=lambda nu, half: math.exp(-math.exp(nu)),
    ),
    "blur:text:ring": Evidence(
        RINGS,
        {
            "reference": lambda e_min, e_max: _area_mean(e_min, e_max, lambda r: r**2),
            "impulse": ring_square_layer,
        },
    ),
    "blur:text:unit-circle": Evidence(
        (*RINGS, {"e_min": 0.0, "e_max": 1.0}),
        {"reference": ring_energy},
        form=_energy,
        proof=two.ring_energy_is_a_mean,
    ),
    "blur:text:exploding": Evidence(
        RINGS,
        each(grows, {"reference": ring_energy, "impulse": ring_energy_layer}),
        form=1.0,
        printed=-1.0,
    ),
}
