"""Moments of one diagonal neuron by sums over its impulse response.

A moment under ``R = rho^|lag|`` is a double sum over the response.  The response is a
power written out, a derivative of it by a complex step, or that of a real layer.

Notation: ``w``  responses (ages);  ``quantity``  ``state`` for ``h``, ``sensitivity``
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
from jaxtyping import Array, Complex, Float, Inexact
from scipy.signal import lfilter

from sigprop.layers.base import Layer, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.lru import LRU
from sigprop.numerics.precision import double_precision

LENGTH = 4096  # of responses through layers: enough for gaps from 0.01 on
EPS = 1e-30  # a complex step has no subtraction, so it may be as small as one likes


def pair_sum(w: Inexact[np.ndarray, " ages"], rho: float) -> float:
    """``sum_{n,m} w_n conj(w_m) rho^|n-m|``, the inner sum by its recurrence."""
    if abs(rho) == 1:  # one sum squared, without the cancellation of the double sum
        return float(abs(np.sum(w * rho ** np.arange(len(w)))) ** 2)
    older = lfilter([1.0], [1.0, -rho], w)
    return float(2 * np.real(np.vdot(older, w)) - np.vdot(w, w).real)


def power_response(
    lam: complex, quantity: str, length: int
) -> Complex[np.ndarray, " ages"]:
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


def respond(
    layer: Layer, parameter: str | None, turn: complex = 1.0
) -> Inexact[np.ndarray, " ages"]:
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
def layer_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
    """Impulse response of state or sensitivity, through the complex diagonal layer."""
    lam = complex(lam)
    with double_precision(True):
        place = jnp.asarray([lam.real]), jnp.asarray([lam.imag])
        one = jnp.ones((1, 1))
        layer = ComplexDiagonal(
            one, 0 * one, one, 0 * one, 0 * one, *place, "cartesian"
        )
        return respond(layer, None if quantity == "state" else "first")


@functools.cache
def lru_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
    """Impulse response through the LRU with detached ``gamma = sqrt(1 - |lam|^2)``.

    ``nu`` is the derivative by its first parameter, ``theta`` that by the phase itself.
    """
    nu, phase = -math.log(abs(lam)), float(np.angle(lam))
    with double_precision(True):
        one = jnp.ones((1, 1))
        places = jnp.log(jnp.asarray([nu])), jnp.log(jnp.asarray([phase]))
        layer = LRU(one, 0 * one, one, 0 * one, 0 * one, *places, None, "detached")
        if quantity == "theta":
            return respond(layer, "theta_log", 1 / phase)
        return respond(layer, {"state": None, "nu": "nu_log"}[quantity])


def normalised_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
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


def moment_by_sum(lam: complex, rho: float, quantity: str = "state") -> float:
    """The moment of powers written out."""
    return pair_sum(power_response(lam, quantity, LENGTH), rho)


def moment_by_layer(lam: complex, rho: float, quantity: str = "state") -> float:
    """The moment through the complex diagonal layer."""
    return pair_sum(layer_response(lam, quantity), rho)


def controlled_by_sum(lam: complex, rho: float, quantity: str, **_: object) -> float:
    """The moment with normalisation, its derivative by a complex step."""
    return pair_sum(normalised_response(lam, quantity), rho)


def controlled_by_layer(lam: complex, rho: float, quantity: str, **_: object) -> float:
    """The moment through the LRU."""
    return pair_sum(lru_response(lam, quantity), rho)


def by_moments(value: Callable[..., float]) -> dict[str, Callable[..., float]]:
    """Routes to a value of moments: by powers written out, and through the layer."""
    return {
        "reference": functools.partial(value, moment_by_sum),
        "impulse": functools.partial(value, moment_by_layer),
    }


CONTROLLED = {"reference": controlled_by_sum, "impulse": controlled_by_layer}
