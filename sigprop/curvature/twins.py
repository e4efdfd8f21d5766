"""One linear recurrence in the parametrisations of several diagonal layers.

Twins have the same impulse response and thus the same loss, but different curvature.

Source: Zucchet & Orvieto (2024), Section 4.3 and Fig. 4 and 9.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers.base import Layer
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.lru import LRU
from sigprop.layers.s4 import S4
from sigprop.linear.linearise import Modes, diagonalise, linearise
from sigprop.numerics.arguments import require_choice


def _parts(modes: Modes, gain: Any) -> dict[str, Any]:
    B, C = np.asarray(modes.inward) / gain[:, None], np.asarray(modes.outward)
    parts = {
        f"{letter}_{part}": of(matrix)
        for letter, matrix in (("B", B), ("C", C))
        for part, of in (("re", np.real), ("im", np.imag))
    }
    return {name: jnp.asarray(part) for name, part in parts.items()} | {
        "D": jnp.asarray(modes.skip)
    }


def _complex(modes: Modes) -> ComplexDiagonal:
    return ComplexDiagonal(
        **_parts(modes, np.ones(len(modes.lam))),
        first=jnp.asarray(np.real(modes.lam)),
        second=jnp.asarray(np.imag(modes.lam)),
        coordinates="cartesian",
    )


def _lru(modes: Modes) -> LRU:
    radius = np.abs(modes.lam)
    gain = np.sqrt(1 - radius**2)
    # The LRU's angles are positive: a whole turn stands for none.
    angle = 2 * np.pi - (-np.angle(modes.lam)) % (2 * np.pi)
    return LRU(
        **_parts(modes, gain),
        nu_log=jnp.asarray(np.log(-np.log(radius))),
        theta_log=jnp.asarray(np.log(angle)),
        gamma_log=jnp.asarray(np.log(gain)),
        gamma="learned",
    )


def _s4(modes: Modes, step: float) -> S4:
    w = np.log(modes.lam) / step
    delta = np.full(len(w), step)
    return S4(
        **_parts(modes, delta),
        omega_delta=jnp.asarray(np.log(np.expm1(delta))),
        w_re=jnp.asarray(np.real(w)),
        w_im=jnp.asarray(np.imag(w)),
    )


TWINS: dict[str, Callable[[Modes], Layer]] = {
    "complex diagonal": _complex,
    "LRU": _lru,
    "S4": lambda modes: _s4(modes, 0.01),
    "S4, step 1": lambda modes: _s4(modes, 1.0),
}
"""Functions that make a twin, by name.

The time step of S4 is 0.01 in Fig. 9 and 1 in its caption.
"""


def twin(layer: Layer, name: str) -> Layer:
    """Make a diagonal layer with the same impulse response as a layer with real state.

    Each eigenvalue becomes a complex neuron; a conjugate pair becomes two neurons.

    Args:
        layer: A causal linear layer with real state, in double precision.  Its
            eigenvalues have moduli between 0 and 1.
        name: Type of the result: ``complex diagonal``, ``LRU``, ``S4`` (time step 0.01)
            or ``S4, step 1`` (time step 1).

    Raises:
        ValueError: If ``name`` is unknown, if the state of ``layer`` is complex, or if
            the eigenvectors of ``layer`` are linearly dependent.
        TypeError: If ``layer`` is not causal.

    Example:
        A dense recurrence of four states becomes an LRU of four complex neurons:

        >>> import jax
        >>> from sigprop.layers import linear_rnn
        >>> from sigprop import double_precision
        >>> with double_precision(True):
        ...     rnn = linear_rnn(4, 1, key=jax.random.key(0), nu0=0.9, theta0=1.0)
        ...     twin(rnn, "LRU").state_size
        4
    """
    require_choice("name", name, TWINS)
    system = linearise(layer)
    if np.iscomplexobj(system.A):
        raise ValueError(f"need real states, got those of {type(layer).__name__}")
    return TWINS[name](diagonalise(system))
