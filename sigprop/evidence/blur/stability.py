"""What judges growth, stability and initialisation, Section 4.2 of BLUR (2025)."""

import functools
import math
from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Float

from sigprop.evidence.blur.recurrences import model
from sigprop.judge.basis import Basis, Evidence
from sigprop.neuron.ring import ring_polar
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.precision import double_precision
from theory import bidirectional as two

EIGENVALUES = tuple(
    {"lam": value, "T": 8} for value in (0.9, 0.5 + 0.6j, -0.7, -0.3 - 0.8j)
)
RINGS = ({"e_min": 0.3, "e_max": 0.9}, {"e_min": 0.0, "e_max": 0.8})


def constant_loop(lam: complex | float, T: int) -> complex:
    """State after ``T`` inputs of one."""
    return functools.reduce(lambda h, _: lam * h + 1, range(T), 0j)


def constant_engine(lam: complex | float, T: int) -> complex:
    """State after ``T`` inputs of one, by the engine that layers run on."""
    with double_precision(True):
        inputs = jnp.ones((T, 1), complex)
        return complex(scan_linear(jnp.asarray([lam]), inputs)[-1, 0])


def constant_backwards(lam: complex | float, T: int) -> complex:
    """The state at step 1 of the engine run from the last step to the first."""
    with double_precision(True):
        inputs = jnp.ones((T, 1), complex)
        states = scan_linear(jnp.asarray([lam]), inputs, reverse=True)
        return complex(states[0, 0])


def worst_loop(lam: complex | float, T: int) -> float:
    """The largest state that inputs of modulus one can make: each in phase with it."""
    turn = np.exp(1j * np.angle(lam))
    h, sizes = 0j, []
    for t in range(T):
        h = lam * h + turn**t
        sizes.append(abs(h))
    return max(sizes)


def worst_engine(lam: complex | float, T: int) -> float:
    """The largest state that inputs of modulus one can make, by the layers' engine."""
    turn = np.exp(1j * np.angle(lam) * np.arange(T))
    with double_precision(True):
        states = scan_linear(jnp.asarray([lam]), jnp.asarray(turn)[:, None])
        return float(np.abs(np.asarray(states)).max())


def modulus_layer(nu: float, half: int) -> float:
    """Modulus of an eigenvalue of one half of the real layer at a value of ``nu_log``."""
    layer = model(0, 2, 3)[0]
    with double_precision(True):
        moved = eqx.tree_at(lambda one: one.nu_log, layer, jnp.full((2, 2), nu))
        return float(np.abs(np.asarray(moved.halves()[half].eigenvalues()))[0])


def modulus_slowly(nu: float, half: int) -> float:
    """``exp(-exp(nu))`` in high precision."""
    return float(mpmath.exp(-mpmath.exp(nu)))


def ring_square_layer(e_min: float, e_max: float) -> float:
    """Mean of ``|lam|^2`` over the initialiser's map of a fine grid of uniforms."""
    return float(np.mean(_ring_radii(e_min, e_max) ** 2))


def _ring_radii(e_min: float, e_max: float) -> Float[np.ndarray, "2000"]:
    grid = (np.arange(2000) + 0.5) / 2000
    with double_precision(True):
        nu, _ = ring_polar(jnp.asarray(grid), jnp.asarray(grid), e_min, e_max)
        return np.exp(-np.asarray(nu))


def _area_mean(e_min: float, e_max: float, value: Callable) -> float:
    """Mean over the ring's area by quadrature along the radius."""
    total = mpmath.quad(lambda r: 2 * r * value(r), [e_min, e_max])
    return float(total / (mpmath.mpf(e_max) ** 2 - mpmath.mpf(e_min) ** 2))


def ring_square(e_min: float, e_max: float) -> float:
    """Mean of ``|lam|^2`` by quadrature."""
    return _area_mean(e_min, e_max, lambda r: r**2)


def ring_energy(e_min: float, e_max: float) -> float:
    """Mean of ``1/(1-|lam|^2)`` by quadrature; infinite where the ring ends at one."""
    if e_max == 1:
        return np.inf
    return _area_mean(e_min, e_max, lambda r: 1 / (1 - r**2))


def energy_grows(e_min: float, e_max: float) -> float:
    """Sign of the change of the mean energy as the outer radius moves to the circle."""
    nearer = ring_energy(e_min, (1 + e_max) / 2)
    return float(np.sign(nearer - ring_energy(e_min, e_max)))


def energy_grows_layer(e_min: float, e_max: float) -> float:
    """Sign of the mean energy's change towards the circle, from the initialiser's map."""
    here, nearer = (
        np.mean(1 / (1 - _ring_radii(e_min, rim) ** 2))
        for rim in (e_max, (1 + e_max) / 2)
    )
    return float(np.sign(nearer - here))


def _energy(e_min: float, e_max: float) -> float:
    if e_max == 1:
        return math.inf
    squares = e_min**2, e_max**2
    return math.log((1 - squares[0]) / (1 - squares[1])) / (squares[1] - squares[0])


EVIDENCE: dict[str, Basis] = {
    "blur:text:growth-forward": Evidence(
        EIGENVALUES, {"reference": constant_loop, "impulse": constant_engine}
    ),
    "blur:text:growth-backward": Evidence(
        EIGENVALUES, {"reference": constant_loop, "impulse": constant_backwards}
    ),
    "blur:text:stability": Evidence(
        tuple({"lam": value, "T": 400} for value in (0.9, 0.5 + 0.6j, -0.7, -0.94j)),
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
        tuple({"nu": nu, "half": half} for nu in (-9.0, -2.0, 1.2) for half in (0, 1)),
        {"impulse": modulus_layer, "reference": modulus_slowly},
        form=lambda nu, half: math.exp(-math.exp(nu)),
    ),
    "blur:text:ring": Evidence(
        RINGS, {"reference": ring_square, "impulse": ring_square_layer}
    ),
    "blur:text:unit-circle": Evidence(
        (*RINGS, {"e_min": 0.0, "e_max": 1.0}),
        {"reference": ring_energy},
        form=_energy,
        proof=two.ring_energy_is_a_mean,
    ),
    "blur:text:exploding": Evidence(
        RINGS,
        {"reference": energy_grows, "impulse": energy_grows_layer},
        form=1.0,
        printed=-1.0,
    ),
}
