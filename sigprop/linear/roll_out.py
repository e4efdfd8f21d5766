"""What a linear layer says after its last input: by its own step, and in closed form.

With no more inputs the state decays by itself, ``y_{T+k} = Re(C A**k h_T)``.  A layer
whose output is its next input, ``u_{t+1} = y_t``, is a linear recurrence of state and
input together,

    (h, u) <- (A h + B u', u'),  u' = Re(C h) + D u,

so that what it says after ``k`` steps is one power of one matrix.  A complex state counts
as its two parts there: the real part of ``C h`` is linear over the real numbers alone.

Source: textbooks of linear systems; Rangapuram et al. (2018) for forecasts by them.
"""

from typing import Any

import numpy as np
from jax import lax
from jaxtyping import Array, Float, Inexact

from sigprop.layers.base import Layer
from sigprop.linear.impulse_response import require_linear
from sigprop.linear.linearise import linearise


def silent(
    layer: Layer, h: Inexact[Array, " n"], steps: int
) -> Float[np.ndarray, "steps d_out"]:
    """``Re(C A**k h)`` for ``k = 1 ... steps``: a causal linear layer without inputs.

    Raises:
        ValueError: If the layer is not linear.
        TypeError: If it is not causal.
    """
    require_linear(layer)
    A, _, C, _ = map(np.asarray, linearise(layer))
    power, rows = np.asarray(h), []
    for _ in range(steps):
        power = A @ power
        rows.append(np.real(C @ power))
    return np.stack(rows) if rows else np.zeros((0, len(C)))


def fed_back(
    layer: Layer, u: Float[Array, "time d"], steps: int
) -> Float[np.ndarray, "steps d"]:
    """What follows a window when each output is the next input, in closed form.

    Raises:
        ValueError: If the layer is not linear, has not as many outputs as inputs, or the
            window has no row.
        TypeError: If it is not causal.
    """
    require_linear(layer)
    _require_square(layer, u)
    A, B, C, D = map(np.asarray, linearise(layer))
    A, B, C = _real(A, B, C)
    window = np.asarray(u)
    h = np.zeros(len(A))
    for row in window:
        h = A @ h + B @ row
    # State after the window and its last row; each step reads, then takes what it read.
    once = np.block([[A + B @ C, B @ D], [C, D]])
    start, read = np.concatenate([h, window[-1]]), np.hstack([C, D])
    return np.stack(
        [read @ np.linalg.matrix_power(once, k) @ start for k in range(steps)]
    )


def fed_back_by_step(
    layer: Layer, u: Float[Array, "time d"], steps: int
) -> Float[Array, "steps d"]:
    """What follows a window when each output is the next input, step by step.

    Raises:
        ValueError: If the layer has not as many outputs as inputs, or the window no row.
        TypeError: If it is not causal.
    """
    _require_square(layer, u)

    def step(h: Any, u_t: Any) -> Any:
        return layer.step(h, u_t)

    h, seen = lax.scan(step, layer.initial_state(), u)

    def follow(carried, _):
        h, y = carried
        return step(h, y), y

    return lax.scan(follow, (h, seen[-1]), length=steps)[1]


def _require_square(layer: Layer, u: Any) -> None:
    if layer.widths[0] != layer.widths[1] or len(u) == 0:
        raise ValueError(
            "need as many outputs as inputs and a row to begin with, got widths "
            f"{layer.widths} and {len(u)} rows"
        )


def _real(A, B, C):
    """The same system over the real and the imaginary part of its state."""
    if not any(map(np.iscomplexobj, (A, B, C))):
        return A, B, C
    A, B, C = (part + 0j for part in (A, B, C))
    return (
        np.block([[A.real, -A.imag], [A.imag, A.real]]),
        np.vstack([B.real, B.imag]),
        np.hstack([C.real, -C.imag]),
    )
