"""BLUR: an LRU in each direction of time, with states merged by one linear map.

``h_t = lam_f h_{t-1} + gamma_f B_f u_t`` forwards, ``g_t = lam_b g_{t+1} + gamma_b B_b
u_t`` backwards, ``y_t = Re(C_f h_t + C_b g_t) + D u_t``, with eigenvalues as in the LRU.

The layer ends at the merge ``H`` of Eq. 11 and keeps its real part, as Eq. 12 does.  The
MLP or GLU, the skip and the output map that follow in the paper belong to a block.
``D`` is the skip of the LRU; the paper's ``C u`` in Eq. 13 enters after the MLP.  Eq. 14
writes the merge as a map of the sum of the states, which forces ``C_f = C_b``.

Source: BLUR (2025), Eq. 10-14, Appendix A.5 and Table 6.
"""

import math
from collections.abc import Mapping
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.bidirectional import Bidirectional
from sigprop.layers.initialisers import each
from sigprop.layers.lru import LRU, lru, lru_groups
from sigprop.neuron.projections import read_out
from sigprop.neuron.scan import scan_linear


@final
class BLUR(Bidirectional):
    """BLUR layer, an LRU in each direction of time; build one with ``blur``.

    Except in ``D``, index 0 of an array's first axis is the forward half, and index 1
    is the backward half.  ``gamma`` selects the normalisation, as in ``LRU``.  Eq. 10
    of BLUR's paper has no normalisation, as with ``gamma="absent"``.

    Example:
        >>> layer = blur(4, 2, key=jax.random.key(0))
        >>> layer.causal, layer.nu_log.shape
        (False, (2, 4))
    """

    stable: ClassVar[bool] = True

    nu_log: Float[Array, "2 n"]
    theta_log: Float[Array, "2 n"]
    B_re: Float[Array, "2 n d_in"]
    B_im: Float[Array, "2 n d_in"]
    C_re: Float[Array, "2 d_out n"]
    C_im: Float[Array, "2 d_out n"]
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"]
    gamma_log: Float[Array, "2 n"] | None
    gamma: str = eqx.field(static=True)

    def halves(self) -> tuple[LRU, LRU]:
        """Return the forward and the backward half, each an LRU with the same ``D``."""
        return self._half(0), self._half(1)

    def _half(self, i: int) -> LRU:
        return LRU(
            nu_log=self.nu_log[i],
            theta_log=self.theta_log[i],
            B_re=self.B_re[i],
            B_im=self.B_im[i],
            C_re=self.C_re[i],
            C_im=self.C_im[i],
            D=self.D,
            gamma_log=None if self.gamma_log is None else self.gamma_log[i],
            gamma=self.gamma,
        )

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B_re.shape[2], self.C_re.shape[1]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the states of both directions together."""
        return 2 * self.nu_log.shape[1]

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the forward eigenvalues, followed by the backward eigenvalues."""
        return jnp.concatenate([half.eigenvalues() for half in self.halves()])

    def initial_state(self) -> Complex[Array, " n"]:
        """Return the initial states of both directions, all zeros."""
        return jnp.zeros_like(self.eigenvalues())

    def states(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time both"]:
        """Return the state of each step: forward and backward state, concatenated."""
        forward, backward = self.halves()
        h = forward.states(u)
        g = scan_linear(backward.eigenvalues(), backward.inputs(u), reverse=True)
        return jnp.concatenate([h, g], -1)

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


def blur(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float = 2 * math.pi,
    gamma: str = "learned",
) -> BLUR:
    """Draw a BLUR layer, an LRU in each direction of time.

    Each LRU is drawn like ``lru``, except that the variance of ``C`` is halved, because
    an output sums over both directions.  The paper does not give the distribution of
    ``C``.

    Args:
        state_size: Number of complex numbers in the state of one direction, 128 in the
            paper.
        width: Number of inputs, equal to the number of outputs; 256 in the paper.
        key: Random key of JAX; do not use it for anything else.
        r_min: Inner radius of the ring of eigenvalues, ``e_min`` in the paper.
        r_max: Outer radius of the ring, ``e_max`` in the paper.
        max_phase: Largest phase in radians. Phases are uniform on [0, max_phase].
        gamma: Normalisation of the inputs: ``learned``, ``attached``, ``detached`` or
            ``absent``; see ``LRU``.

    Raises:
        ValueError: If a size is below one, ``r_min`` is not in [0, 1), or ``r_max`` is
            not in [r_min, 1]; or if ``max_phase`` is not in (0, 2 pi], or ``gamma`` is
            unknown.

    Source: BLUR (2025), Section 4.2 and Table 6.

    Example:
        >>> layer = blur(4, 2, key=jax.random.key(0), r_min=0.5, r_max=0.9)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    stacked = each(
        lambda half_key: lru(
            state_size,
            width,
            key=half_key,
            r_min=r_min,
            r_max=r_max,
            max_phase=max_phase,
            gamma=gamma,
        ),
        jax.random.split(key),
    )
    share = math.sqrt(0.5)
    return BLUR(
        nu_log=stacked.nu_log,
        theta_log=stacked.theta_log,
        B_re=stacked.B_re,
        B_im=stacked.B_im,
        C_re=share * stacked.C_re,
        C_im=share * stacked.C_im,
        D=stacked.D[0],
        gamma_log=stacked.gamma_log,
        gamma=gamma,
    )
