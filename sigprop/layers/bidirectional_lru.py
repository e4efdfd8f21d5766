"""Bidirectional LRU: one recurrence, run in both directions of time, with two ``C``.

``h_t = lam h_{t-1} + gamma B u_t`` forwards, ``g_t = lam g_{t+1} + gamma B u_t`` backwards,
``y_t = Re(C_f h_t + C_b g_t) + D u_t``.  ``sigprop.layers.blur`` has two recurrences.

Source: Orvieto et al. (2023), Appendix D.1, which refers to S4.  In S4, as in RotRNN
(2024), Appendix B.2, the two directions differ only in their readout.
"""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.bidirectional import Bidirectional
from sigprop.layers.initialisers import complex_parts
from sigprop.layers.lru import LRU, lru, lru_groups
from sigprop.neuron.projections import read_out
from sigprop.neuron.scan import scan_linear


@final
class BidirectionalLRU(Bidirectional):
    """LRU whose two directions share a recurrence; build one with ``bidirectional_lru``.

    Both directions have the same eigenvalues, ``B`` and ``gamma``, but different ``C``.
    The readout of the forward state is ``C_re[0] + i C_im[0]``, and the readout of the
    backward state is ``C_re[1] + i C_im[1]``.

    Example:
        >>> layer = bidirectional_lru(4, 2, key=jax.random.key(0))
        >>> layer.causal, layer.C_re.shape
        (False, (2, 2, 4))
    """

    stable: ClassVar[bool] = True

    nu_log: Float[Array, " n"]
    theta_log: Float[Array, " n"]
    B_re: Float[Array, "n d_in"]
    B_im: Float[Array, "n d_in"]
    C_re: Float[Array, "2 d_out n"]
    C_im: Float[Array, "2 d_out n"]
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"]
    gamma_log: Float[Array, " n"] | None
    gamma: str = eqx.field(static=True)

    def halves(self) -> tuple[LRU, LRU]:
        """Return the forward and the backward half, each an LRU with the same ``D``."""
        return self._half(0), self._half(1)

    def _half(self, i: int) -> LRU:
        return LRU(
            nu_log=self.nu_log,
            theta_log=self.theta_log,
            B_re=self.B_re,
            B_im=self.B_im,
            C_re=self.C_re[i],
            C_im=self.C_im[i],
            D=self.D,
            gamma_log=self.gamma_log,
            gamma=self.gamma,
        )

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B_re.shape[1], self.C_re.shape[1]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the states of both directions together."""
        return 2 * self.nu_log.shape[0]

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues of the forward half, repeated for the backward half."""
        return jnp.tile(self._half(0).eigenvalues(), 2)

    def initial_state(self) -> Complex[Array, " n"]:
        """Return the initial states of both directions, all zeros."""
        return jnp.zeros_like(self.eigenvalues())

    def states(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time both"]:
        """Return the state of each step: forward and backward state, concatenated."""
        half = self._half(0)
        lam, x = half.eigenvalues(), half.inputs(u)
        states = scan_linear(lam, x), scan_linear(lam, x, reverse=True)
        return jnp.concatenate(states, -1)

    def read(
        self, h: Complex[Array, "time both"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return ``Re(C_f h_f + C_b h_b) + D u``, where f is forward and b backward."""
        n = self.state_size // 2
        backward = read_out(self.C_re[1], self.C_im[1], h[:, n:])
        return self._half(0).read(h[:, :n], u) + backward

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group, the same as in the LRU."""
        return lru_groups(self.gamma_log is not None)


def bidirectional_lru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float | Sequence[float] = 2 * math.pi,
    spread: str = "area",
    gamma: str = "learned",
) -> BidirectionalLRU:
    """Draw a bidirectional LRU: an ``lru`` with a second ``C``, for the backward state.

    Args:
        state_size: Number of complex numbers in the state of one direction.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        r_min: Inner radius of the ring of eigenvalues.
        r_max: Outer radius of the ring of eigenvalues.
        max_phase: Largest phase in radians. Phases are uniform on [0, max_phase]. If
            ``max_phase`` is a list, its entries are the largest phases of successive
            modes, repeated cyclically.
        spread: Distribution of the moduli: ``area`` if eigenvalues are uniform by area
            on the ring, or ``log`` if ``log(-log|lam|)`` is evenly spaced.
        gamma: Normalisation of the inputs: ``learned``, ``attached``, ``detached`` or
            ``absent``; see ``LRU``.

    Raises:
        ValueError: If a size is below one, or ``spread`` or ``gamma`` is unknown; or if
            ``r_min`` is not in [0, 1), ``r_max`` is not in [r_min, 1], or ``max_phase``
            is not in (0, 2 pi].

    Source: Orvieto et al. (2023), Appendix A and D.1.

    Example:
        >>> layer = bidirectional_lru(4, 2, key=jax.random.key(0), r_min=0.5, r_max=0.9)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    key, c_key = jax.random.split(key)
    forward = lru(
        state_size,
        width,
        key=key,
        r_min=r_min,
        r_max=r_max,
        max_phase=max_phase,
        spread=spread,
        gamma=gamma,
    )
    c_re, c_im = complex_parts(c_key, width, state_size, 1 / state_size)
    return BidirectionalLRU(
        nu_log=forward.nu_log,
        theta_log=forward.theta_log,
        B_re=forward.B_re,
        B_im=forward.B_im,
        C_re=jnp.stack([forward.C_re, c_re]),
        C_im=jnp.stack([forward.C_im, c_im]),
        D=forward.D,
        gamma_log=forward.gamma_log,
        gamma=gamma,
    )
