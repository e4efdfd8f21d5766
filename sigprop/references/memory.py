"""Moments of one diagonal neuron by sums over its impulse response, and how they grow.

A moment under ``R = rho^|lag|`` is a double sum over the response.  The response is a
power written out, a derivative of it by a complex step, or that of a real layer.

Notation: ``w``  responses (time);  ``quantity``  ``state`` for ``h``, ``sensitivity``
for ``dh/dlam``, ``nu`` and ``theta`` for the derivatives of the LRU by its parameters.

Source: Zucchet & Orvieto (2024), Sections 2.2, 3.1 and 3.2.
"""

import functools
import math
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.signal import lfilter

from sigprop.layers.base import Layer, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.gated import ConstantGate
from sigprop.layers.lru import LRU
from sigprop.numerics.precision import double_precision

LENGTH = 4096  # of responses through layers: enough for gaps from 0.01 on
EPS = 1e-30


def pair_sum(w: np.ndarray, rho: float) -> float:
    """``sum_{n,m} w_n conj(w_m) rho^|n-m|``, the inner sum by its recurrence."""
    if abs(rho) == 1:  # one sum squared, without the cancellation of the double sum
        return float(abs(np.sum(w * rho ** np.arange(len(w)))) ** 2)
    older = lfilter([1.0], [1.0, -rho], w)
    return float(2 * np.real(np.vdot(older, w)) - np.vdot(w, w).real)


def power_response(lam: complex, quantity: str, length: int) -> np.ndarray:
    """The response of ``h_{t+1} = lam h_t + x_{t+1}``, or of its derivative."""
    n = np.arange(length)
    if quantity == "state":
        return complex(lam) ** n
    return n * complex(lam) ** np.maximum(n - 1, 0)


@eqx.filter_jit
def _run(layer: Layer, inputs: Float[Array, "time d_in"]) -> Array:
    """States step by step: forward derivatives go through a loop, not a scan."""

    def body(h, u):
        h, _ = layer.step(h, u)
        return h, h

    return jax.lax.scan(body, layer.initial_state(), inputs)[1]


def _respond(layer: Layer, parameter: str | None, turn: complex = 1.0) -> np.ndarray:
    """States after a unit input, or ``turn`` times their derivative by a parameter."""
    pulse = jnp.zeros((LENGTH, layer.widths[0])).at[0].set(1.0)
    if parameter is None:
        return np.asarray(_run(layer, pulse))[:, 0]
    at = getattr(layer, parameter)
    _, moved = jax.jvp(
        lambda value: _run(replace(layer, {parameter: value}), pulse),
        (at,),
        (jnp.ones_like(at),),
    )
    return turn * np.asarray(moved)[:, 0]


@functools.cache
def layer_response(lam: complex, quantity: str) -> np.ndarray:
    """Impulse response of state or sensitivity, through the complex diagonal layer."""
    lam = complex(lam)
    with double_precision(True):
        place = jnp.asarray([lam.real]), jnp.asarray([lam.imag])
        one = jnp.ones((1, 1))
        layer = ComplexDiagonal(
            one, 0 * one, one, 0 * one, 0 * one, *place, "cartesian"
        )
        return _respond(layer, None if quantity == "state" else "first")


@functools.cache
def lru_response(lam: complex, quantity: str) -> np.ndarray:
    """Through the LRU with detached ``gamma = sqrt(1 - |lam|^2)``.

    ``nu`` is the derivative by its first parameter, ``theta`` that by the phase itself.
    """
    nu, phase = -math.log(abs(lam)), float(np.angle(lam))
    with double_precision(True):
        one = jnp.ones((1, 1))
        places = jnp.log(jnp.asarray([nu])), jnp.log(jnp.asarray([phase]))
        layer = LRU(one, 0 * one, one, 0 * one, 0 * one, *places, None, "detached")
        if quantity == "theta":
            return _respond(layer, "theta_log", 1 / phase)
        return _respond(layer, {"state": None, "nu": "nu_log"}[quantity])


@functools.cache
def gate_response(lam: float, quantity: str) -> np.ndarray:
    """Through the gate that is constant: ``f = lam``, and ``1 - lam`` on the input."""
    with double_precision(True):
        bias, one = jnp.asarray([math.log(lam / (1 - lam))]), jnp.ones((1, 1))
        layer = ConstantGate(bias, one, one)
        return _respond(layer, None if quantity == "state" else "b_f")


def normalised_response(lam: complex, quantity: str) -> np.ndarray:
    """Powers times a fixed ``gamma = sqrt(1 - |lam|^2)``, differentiated by a step."""
    nu, phase = math.log(-math.log(abs(lam))), float(np.angle(lam))
    gamma, n = math.sqrt(1 - abs(lam) ** 2), np.arange(LENGTH)

    if quantity == "state":
        return gamma * complex(lam) ** n
    nu, phase = {
        "nu": (nu + 1j * EPS, phase),
        "theta": (nu, phase + 1j * EPS),
    }[quantity]
    size = np.exp(-n * np.exp(nu))
    parts = (np.imag(size * turn(n * phase)) for turn in (np.cos, np.sin))
    return gamma * (next(parts) + 1j * next(parts)) / EPS


def moment_by_sum(lam: complex, rho: float, quantity: str = "state", **_: object):
    """The moment of powers written out."""
    return pair_sum(power_response(lam, quantity, LENGTH), rho)


def moment_by_layer(lam: complex, rho: float, quantity: str = "state", **_: object):
    """The moment through the complex diagonal layer."""
    return pair_sum(layer_response(lam, quantity), rho)


def controlled_by_sum(lam: complex, rho: float, quantity: str = "state", **_: object):
    """The moment with normalisation, its derivative by a complex step."""
    return pair_sum(normalised_response(lam, quantity), rho)


def controlled_by_layer(lam: complex, rho: float, quantity: str = "state", **_: object):
    """The moment through the LRU."""
    return pair_sum(lru_response(lam, quantity), rho)


def gated_by_sum(lam: float, rho: float, quantity: str = "state", **_: object):
    """The moment of a constant gate, powers and a complex step."""
    n, b = np.arange(LENGTH), math.log(lam / (1 - lam))
    if quantity == "state":
        return pair_sum((1 - lam) * lam**n, rho)
    f = 1 / (1 + np.exp(-(b + 1j * EPS)))
    return pair_sum(np.imag((1 - f) * f**n) / EPS, rho)


def gated_by_layer(lam: float, rho: float, quantity: str = "state", **_: object):
    """The moment through the layer with a constant gate."""
    return pair_sum(gate_response(lam, quantity), rho)


GAPS = (3e-3, 3e-4)


def growth(moment: Callable[[float], float]) -> float:
    """The exponent ``p`` of ``moment ~ gap^-p`` between two gaps."""
    wide, narrow = GAPS
    return math.log(moment(narrow) / moment(wide)) / math.log(wide / narrow)


def growth_by_sum(phase: float, rho: float, quantity: str, **_: object) -> float:
    """Exponent of the moment's growth towards the edge at a phase of the eigenvalue."""

    def moment(gap: float) -> float:
        lam = (1 - gap) * np.exp(1j * phase)
        return pair_sum(power_response(lam, quantity, int(40 / gap)), rho)

    return growth(moment)


def growth_by_states(phase: float, rho: float, quantity: str, **_: object) -> float:
    """Exponent of the moment's growth towards the edge, from steady states.

    From covariances for ``|rho| < 1``, from the response to ``rho^t`` for ``|rho| = 1``.
    """
    if abs(rho) == 1:
        return growth(lambda gap: _under_wave(gap, phase, rho, quantity))
    return growth(lambda gap: stationary_covariance(gap, phase, rho, quantity))


def _under_wave(gap: float, phase: float, rho: float, quantity: str) -> float:
    """The steady response to ``x_t = rho^t``: the solution of two linear equations."""
    lam = (1 - gap) * np.exp(1j * phase)
    state, sensitivity = np.linalg.solve(
        np.array([[rho - lam, 0], [-1, rho - lam]]), np.array([rho, 0])
    )
    return abs({"state": state, "sensitivity": sensitivity}[quantity]) ** 2


def stationary_covariance(gap: float, phase: float, rho: float, quantity: str) -> float:
    """Diagonal entry of the covariance ``V = M V M* + Q`` of ``(x, h, dh/dlam)``.

    Eliminated by hand from the top: the system is triangular.
    """
    lam = (1 - gap) * np.exp(1j * phase)
    square = (1 - gap) ** 2
    weight = {"state": 0, "sensitivity": 1}[quantity]
    # x' = rho x + e;  h' = lam h + x';  s' = lam s + h
    xh = 1 / (1 - rho * np.conj(lam))
    hh = (1 + 2 * np.real(lam * rho * np.conj(xh))) / (1 - square)
    if not weight:
        return float(np.real(hh))
    xs = rho * xh / (1 - rho * np.conj(lam))
    hs = (lam * hh + np.conj(lam) * rho * xs + rho * xh) / (1 - lam * np.conj(lam))
    return float(np.real((hh + 2 * np.real(lam * np.conj(hs))) / (1 - square)))
