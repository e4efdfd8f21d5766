"""The diagonal linear recurrence ``h_t = lam h_{t-1} + x_t`` and its sensitivity.

Notation: lam  eigenvalues (n,);  x  inputs (time, n) or (time, 1), shared by neurons;
h  states h_1 ... h_time;  s  sensitivities dh/dlam, s_t = lam s_{t-1} + h_{t-1}.
"""

import functools
from typing import Literal

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Inexact

from sigprop.numerics.arguments import require_count, require_finite

Method = Literal["sequential", "associative"]
METHODS: tuple[Method, ...] = ("sequential", "associative")


def step(
    lam: Inexact[Array, "*shape"],
    h: Inexact[Array, "*shape"],
    x: Inexact[Array, "*#shape"],
) -> Inexact[Array, "*shape"]:
    """Return ``lam h + x``, one step of the recurrence."""
    return lam * h + x


def linear_recurrence(
    lam: Inexact[Array, " n"],
    x: Inexact[Array, "time #n"],
    initial: Inexact[Array, " n"] | None = None,
    method: Method = "sequential",
) -> Inexact[Array, "time n"]:
    """Run the recurrence ``h_t = lam h_{t-1} + x_t``, and return its states.

    Args:
        lam: Eigenvalues, real or complex, of any modulus.
        x: Inputs ``x_1 ... x_time``.  If the second axis has length one, all neurons
            receive the same input.
        initial: State ``h_0``.  Default: zero.
        method: ``sequential`` runs a loop over time.  ``associative`` runs a parallel
            prefix scan, which is faster for long sequences of few neurons.

    Returns:
        The states ``h_1 ... h_time``, one row per step.

    Raises:
        ValueError: If ``method`` is unknown, or an array has a value that is not
            finite.

    Source: Zucchet & Orvieto (2024), Section 2.2 a.

    Example:
        >>> linear_recurrence(jnp.array([0.5]), jnp.ones((3, 1)))[:, 0].tolist()
        [1.0, 1.5, 1.75]
    """
    if method not in METHODS:
        raise ValueError(f"need a method in {METHODS}, got {method!r}")
    require_finite(lam=lam, x=x, initial=initial)
    return _run(lam, x, initial, method)


@functools.partial(jax.jit, static_argnames="method")
def _run(lam, x, initial, method):
    """Run the recurrence as one compiled program, if the caller does not use ``jit``."""
    dtype = jnp.result_type(lam, x, *(() if initial is None else (initial,)))
    lam = lam.astype(dtype)
    first = jnp.zeros(lam.shape, dtype) if initial is None else initial.astype(dtype)
    inputs = jnp.broadcast_to(x, (x.shape[0], lam.shape[0])).astype(dtype)
    if method == "sequential":

        def body(h, x_t):
            h = step(lam, h, x_t)
            return h, h

        return lax.scan(body, first, inputs)[1]
    inputs = inputs.at[0].add(lam * first) if inputs.shape[0] else inputs
    gates = jnp.broadcast_to(lam, inputs.shape)
    return lax.associative_scan(_combine, (gates, inputs))[1]


def _combine(first, second):
    gate_1, value_1 = first
    gate_2, value_2 = second
    return gate_2 * gate_1, gate_2 * value_1 + value_2


def sensitivity(
    lam: Inexact[Array, " n"],
    x: Inexact[Array, "time #n"],
    method: Method = "sequential",
) -> Inexact[Array, "time n"]:
    """Return the derivatives ``s_t = dh_t/dlam`` for ``h_t = lam h_{t-1} + x_t``.

    The initial state is zero.  The derivatives obey ``s_t = lam s_{t-1} + h_{t-1}``.

    Args:
        lam: Eigenvalues, real or complex, of any modulus.
        x: Inputs, as in ``linear_recurrence``.
        method: ``sequential`` or ``associative``, as in ``linear_recurrence``.

    Raises:
        ValueError: If ``method`` is unknown, or an array has a value that is not
            finite.

    Source: Zucchet & Orvieto (2024), Eq. 49.

    Example:
        >>> sensitivity(jnp.array([0.5]), jnp.ones((3, 1)))[:, 0].tolist()
        [0.0, 1.0, 2.0]
    """
    h = linear_recurrence(lam, x, method=method)
    delayed = jnp.concatenate([jnp.zeros_like(h[:1]), h[:-1]])
    return _run(lam, delayed, None, method)


def impulse_response(
    lam: Inexact[Array, " n"], length: int
) -> tuple[Inexact[Array, "length n"], Inexact[Array, "length n"]]:
    """Return the impulse responses of ``h_t = lam h_{t-1} + x_t`` and of ``dh_t/dlam``.

    Args:
        lam: Eigenvalues, real or complex.
        length: Number of steps; the unit impulse is the input of the first step.

    Returns:
        The states ``h_t``, and the sensitivities ``dh_t/dlam``.

    Raises:
        ValueError: If the length is below zero, or an eigenvalue is not finite.

    Example:
        >>> state, sensitivity = impulse_response(jnp.array([0.5]), 3)
        >>> state[:, 0].tolist(), sensitivity[:, 0].tolist()  # 0.5**k, k 0.5**(k - 1)
        ([1.0, 0.5, 0.25], [0.0, 1.0, 1.0])
    """
    length = require_count("length", length, least=0)
    require_finite(lam=lam)
    impulse = (jnp.arange(length) == 0)[:, None].astype(lam.dtype)
    return jax.jvp(
        lambda value: linear_recurrence(value, impulse), (lam,), (jnp.ones_like(lam),)
    )
