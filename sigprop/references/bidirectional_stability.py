"""How large BLUR's states grow, and what its initialisation makes of them.

Source: BLUR (2025), Section 4.2.
"""

import functools
from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import mpmath
import numpy as np

from sigprop.neuron.ring import ring_polar
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.precision import double_precision
from sigprop.references.bidirectional import model


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


def _ring_radii(e_min: float, e_max: float) -> np.ndarray:
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


def _gates(seed: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    gates, entries = np.random.default_rng(seed).normal(size=(2, steps))
    return 0.7 * gates, entries


def scan_tree(seed: int, steps: int) -> np.ndarray:
    """``h_k = a_k h_{k-1} + b_k`` by the engine's tree."""
    a, b = _gates(seed, steps)
    with double_precision(True):
        gates, inputs = jnp.asarray(a)[:, None], jnp.asarray(b)[:, None]
        return np.asarray(scan_linear(gates, inputs, method="associative"))[:, 0]


def scan_fold(seed: int, steps: int) -> np.ndarray:
    """``h_k = a_k h_{k-1} + b_k`` by folding pairs ``(a, b)`` from the last one back."""
    pairs = list(zip(*_gates(seed, steps), strict=True))
    found = []
    for k in range(1, steps + 1):
        folded = functools.reduce(
            lambda later, first: (later[0] * first[0], later[0] * first[1] + later[1]),
            reversed(pairs[:k]),
        )
        found.append(folded[1])
    return np.array(found)


def scan_loop(seed: int, steps: int) -> np.ndarray:
    """``h_k = a_k h_{k-1} + b_k`` step by step."""
    found, h = [], 0.0
    for a, b in zip(*_gates(seed, steps), strict=True):
        h = a * h + b
        found.append(h)
    return np.array(found)
