"""Moments of one diagonal neuron by sums over its impulse response.

The impulse response is computed from explicit powers or by the package's layer.
Derivatives of powers use complex steps.

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

from sigprop.evidence.kit import complex_step, each, moment, power_derivatives, powers
from sigprop.layers.base import Layer, replace
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.lru import LRU
from sigprop.numerics.precision import double_precision

LENGTH = 4096  # of responses through layers: enough for gaps from 0.01 on


def power_response(
    lam: complex, quantity: str, length: int = LENGTH
) -> Complex[np.ndarray, " ages"]:
    """The response of ``h_{t+1} = lam h_t + x_{t+1}``, or of its derivative."""
    kernel = powers if quantity == "state" else power_derivatives
    return kernel(complex(lam), length)


@eqx.filter_jit
def _run(layer: Layer, inputs: Float[Array | np.ndarray, "time d_in"]) -> Array:
    """States step by step: forward derivatives go through a loop, not a scan."""

    def body(h, u):
        h, _ = layer.step(h, u)
        return h, h

    return jax.lax.scan(body, layer.initial_state(), inputs)[1]


def respond(
    layer: Layer, parameter: str | None, turn: complex = 1.0
) -> Inexact[np.ndarray, " ages"]:
    """States after a unit input, or ``turn`` times their derivative by a parameter."""
    pulse = np.zeros((LENGTH, layer.widths[0]))
    pulse[0] = 1.0
    if parameter is None:
        return np.asarray(_run(layer, pulse))[:, 0]
    primal = getattr(layer, parameter)
    _, moved = jax.jvp(
        lambda value: _run(replace(layer, {parameter: value}), pulse),
        (primal,),
        (np.ones_like(primal),),
    )
    return turn * np.asarray(moved)[:, 0]


def one_neuron() -> tuple[Array, Array, Array, Array, Array]:
    """Input, readout and skip weights of a layer whose one neuron sees its input."""
    unit = jnp.ones((1, 1))
    return unit, 0 * unit, unit, 0 * unit, 0 * unit


@functools.cache
def layer_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
    """Impulse response of state or sensitivity, through the complex diagonal layer."""
    lam = complex(lam)
    with double_precision(True):
        parameters = jnp.asarray([lam.real]), jnp.asarray([lam.imag])
        layer = ComplexDiagonal(*one_neuron(), *parameters, "cartesian")
        return respond(layer, None if quantity == "state" else "first")


@functools.cache
def lru_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
    """Impulse response through the LRU with detached ``gamma = sqrt(1 - |lam|^2)``.

    ``nu`` is the derivative by its first parameter, ``theta`` that by the phase itself.
    """
    nu, phase = -math.log(abs(lam)), float(np.angle(lam))
    with double_precision(True):
        parameters = jnp.log(jnp.asarray([nu])), jnp.log(jnp.asarray([phase]))
        layer = LRU(*one_neuron(), *parameters, None, "detached")
        if quantity == "theta":
            return respond(layer, "theta_log", 1 / phase)
        return respond(layer, {"state": None, "nu": "nu_log"}[quantity])


def normalised_response(lam: complex, quantity: str) -> Complex[np.ndarray, " ages"]:
    """Powers times a fixed ``gamma = sqrt(1 - |lam|^2)``, differentiated by a step."""
    parameters = {"nu": math.log(-math.log(abs(lam))), "theta": float(np.angle(lam))}
    gamma, n = math.sqrt(1 - abs(lam) ** 2), np.arange(LENGTH)
    if quantity == "state":
        return gamma * powers(complex(lam), LENGTH)

    def parts(moved: complex) -> Inexact[np.ndarray, "2 ages"]:
        nu, phase = (parameters | {quantity: moved}).values()
        size, turn = np.exp(-n * np.exp(nu)), n * phase
        return np.array([size * np.cos(turn), size * np.sin(turn)])

    re, im = gamma * complex_step(parts, parameters[quantity])
    return re + 1j * im


def moment_of(
    respond: Callable[..., Inexact[np.ndarray, " ages"]],
    lam: complex,
    rho: float,
    quantity: str = "state",
    **_: object,
) -> float:
    """The moment of a response to an eigenvalue."""
    return moment(respond(lam, quantity), rho)


RESPONSES = {"reference": power_response, "impulse": layer_response}
MOMENTS = each(moment_of, RESPONSES)
CONTROLLED = each(
    moment_of, {"reference": normalised_response, "impulse": lru_response}
)
