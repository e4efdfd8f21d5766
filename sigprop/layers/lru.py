"""The Linear Recurrent Unit: ``h_t = lam h_{t-1} + gamma B u_t``, ``y = Re(C h) + D u``.

``lam = exp(-exp(nu_log) + i exp(theta_log))``: inside the unit disc at any parameters.

Source: Orvieto et al. (2023), Section 3 and Appendix A; Zucchet & Orvieto (2024),
Eq. 16-22.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.diagonal import PROJECTIONS, DiagonalLayer
from sigprop.layers.initialisers import (
    complex_parts,
    fan_out_projections,
    half_variance_projections,
    in_turn,
    require_polar,
    require_sizes,
    uniforms,
)
from sigprop.neuron.ring import normalisation, require_ring, ring_polar

Model = TypeVar("Model")
GAMMAS = ("learned", "attached", "detached", "absent")
ARRAYS = (
    "nu_log",
    "theta_log",
    "B_re",
    "B_im",
    "C_re",
    "C_im",
    "D",
    "gamma_log",
)


@final
class LRU(DiagonalLayer):
    """The layer; build one with ``lru``, ``zucchet_lru`` or ``lru_from_arrays``.

    ``gamma`` says what normalises the input: a ``learned`` vector; the function
    ``sqrt(1 - |lam|^2)``, either ``attached`` with its gradient or ``detached`` without;
    or nothing if ``absent``.

    Example:
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> layer.eigenvalues().shape, layer.normaliser().shape
        ((4,), (4,))
    """

    stable: ClassVar[bool] = True

    nu_log: Float[Array, " n"]
    theta_log: Float[Array, " n"]
    gamma_log: Float[Array, " n"] | None
    gamma: str = eqx.field(static=True)

    def eigenvalues(self) -> Complex[Array, " n"]:
        """The diagonal of the recurrence."""
        return jnp.exp(lax.complex(-jnp.exp(self.nu_log), jnp.exp(self.theta_log)))

    def normaliser(self) -> Float[Array, " n"] | None:
        """``gamma``, from ``nu`` and not from a rounded ``|lam|``."""
        if self.gamma_log is not None:
            return jnp.exp(self.gamma_log)
        if self.gamma == "absent":
            return None
        gain = normalisation(jnp.exp(self.nu_log))
        return lax.stop_gradient(gain) if self.gamma == "detached" else gain

    def groups(self) -> Mapping[str, Group]:
        """Return the optimiser group of each parameter (its learning rate and decay)."""
        return lru_groups(self.gamma_log is not None)


def lru_groups(learned: bool) -> Mapping[str, Group]:
    """The group of every parameter of an LRU whose normalisation is learnt, or is not."""
    names = ("nu_log", "theta_log", *(("gamma_log",) if learned else ()))
    return {**PROJECTIONS, **dict.fromkeys(names, "recurrent")}


def attached(model: Model) -> Model:
    """The model with every ``detached`` normalisation ``attached``.

    The values are the same.  The derivatives are those of the loss, and no longer those
    that a model with a detached normalisation is trained by.

    Example:
        >>> layer = lru(4, 2, key=jax.random.key(0), gamma="detached")
        >>> attached({"layer": layer})["layer"].gamma
        'attached'
    """

    def is_detached(node: Any) -> bool:
        gamma = getattr(node, "gamma", None)
        return isinstance(gamma, str) and gamma == "detached"

    def attach(node: Any) -> Any:
        return (
            dataclasses.replace(node, gamma="attached") if is_detached(node) else node
        )

    return jax.tree.map(attach, model, is_leaf=is_detached)


def require_gamma(gamma: str) -> None:
    """Refuse an unknown normalisation.

    Raises:
        ValueError: Naming the known ones.
    """
    if gamma not in GAMMAS:
        raise ValueError(f"need gamma in {GAMMAS}, got {gamma!r}")


def ring_parameters(
    key: PRNGKeyArray,
    n: int,
    inner: float,
    outer: float,
    max_phase: float | Sequence[float],
    spread: str = "area",
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """``nu_log`` and ``theta_log`` of eigenvalues on a ring, spread as one of ``SPREADS``.

    Phases are below ``max_phase``; of several limits the modes take theirs in turn.

    Source: Orvieto et al. (2023), Lemma 3.2 and Appendix A.

    Raises:
        ValueError: Unless ``0 <= inner <= outer <= 1``, ``inner < 1`` and each phase
            limit is above 0 and at most 2 pi, or if ``spread`` is unknown.
    """
    require_ring(inner, outer)
    if outer == 1 and inner == 1:
        raise ValueError("need r_min < 1, got a ring on the unit circle")
    limits = in_turn(max_phase, n, "max_phase")
    first, second = uniforms(key, n)
    nu, theta = ring_polar(first, second, inner, outer, spread)
    # With an outer radius of 1 a draw may round onto the circle, where log(nu) is gone.
    nu = jnp.maximum(nu, jnp.finfo(nu.dtype).eps / 4)
    return jnp.log(nu), jnp.log(
        theta * jnp.asarray(limits / (2 * math.pi), theta.dtype)
    )


def lru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float | Sequence[float] = 2 * math.pi,
    spread: str = "area",
    gamma: str = "learned",
) -> LRU:
    """Draw an LRU as its paper's listing does: Glorot ``B`` and ``C``, a diagonal ``D``.

    Args:
        state_size: Number of complex numbers in the state, ``N`` in the paper.
        width: Inputs and outputs, ``H`` in the paper.
        key: Random key of JAX; do not use it for anything else.
        r_min: Inner radius of the ring of eigenvalues.
        r_max: Outer radius.
        max_phase: Phases are uniform on [0, max_phase] radians. A list of limits is
            repeated in order over the modes.
        spread: One of ``sigprop.neuron.ring.SPREADS``; the paper's is ``area``.
        gamma: One of ``GAMMAS``.

    Raises:
        ValueError: If a size, a radius, the phase, the spread or ``gamma`` is out of range.

    Source: Orvieto et al. (2023), Appendix A.

    Example:
        >>> layer = lru(4, 2, key=jax.random.key(0), r_min=0.5, r_max=0.9)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
        >>> bool((abs(layer.eigenvalues()) <= 0.9).all())
        True
    """
    require_sizes(state_size=state_size, width=width)
    require_gamma(gamma)
    ring_key, b_key, c_key, d_key = jax.random.split(key, 4)
    nu_log, theta_log = ring_parameters(
        ring_key, state_size, r_min, r_max, max_phase, spread
    )
    b_re, b_im = complex_parts(b_key, state_size, width, 1 / (2 * width))
    c_re, c_im = complex_parts(c_key, width, state_size, 1 / state_size)
    d = jax.random.normal(d_key, (width,))
    return LRU(
        b_re, b_im, c_re, c_im, d, nu_log, theta_log, _gamma(gamma, nu_log), gamma
    )


def _gamma(gamma: str, nu_log: Float[Array, " n"]) -> Float[Array, " n"] | None:
    return jnp.log(normalisation(jnp.exp(nu_log))) if gamma == "learned" else None


def zucchet_lru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float,
    theta0: float,
    gamma: str = "learned",
    nu1: float = 1.0,
) -> LRU:
    """Draw an LRU as Zucchet & Orvieto print it: ring [nu0, nu1], phases in [0, theta0].

    ``B``, ``C`` and the dense ``D`` are scaled by fan-in.  The authors' code draws
    otherwise: ``released_zucchet_lru``.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring.
        theta0: Phases are uniform on [0, theta0] radians.
        gamma: One of ``GAMMAS``.
        nu1: Outer radius; Appendix D.1 has ``(1 + nu0)/2``.

    Raises:
        ValueError: If a size, the radius, the phase or ``gamma`` is out of range.

    Source: Zucchet & Orvieto (2024), Appendix A.2; its A.1 for the scaling of B, C, D,
    with the variance of a complex entry shared by its two parts.

    Example:
        >>> layer = zucchet_lru(4, 2, key=jax.random.key(0), d_out=1, nu0=0.5, theta0=0.3)
        >>> layer(jnp.ones((10, 2))).shape, bool((abs(layer.eigenvalues()) >= 0.5).all())
        ((10, 1), True)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    require_gamma(gamma)
    ring_key, *keys = jax.random.split(key, 6)
    require_polar(nu0, theta0, nu1)
    nu_log, theta_log = ring_parameters(ring_key, state_size, nu0, nu1, theta0)
    weights = half_variance_projections(keys, state_size, width, d_out)
    return LRU(*weights, nu_log, theta_log, _gamma(gamma, nu_log), gamma)


def released_zucchet_lru(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float,
    theta0: float,
    gamma: str = "learned",
) -> LRU:
    """Draw an LRU as the code of Zucchet & Orvieto does: phases of both signs, fan-out.

    Against ``zucchet_lru``, which draws what the paper prints: phases are uniform on
    [-theta0, theta0], taken modulo 2 pi so that their logarithm exists; and ``B``, ``C``
    and ``D`` are scaled by fan-out, ``B`` by one over the states.  With few inputs and
    outputs its ``B`` is far smaller and its ``C`` far larger.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring; the outer one is 1.
        theta0: Phases are uniform on [-theta0, theta0] radians; at most pi.
        gamma: One of ``GAMMAS``.

    Raises:
        ValueError: If a size, the radius, the phase or ``gamma`` is out of range.

    Source: ``source/model.py`` of the code of Zucchet & Orvieto (2024), see
    ``fan_out_projections``.

    Example:
        >>> layer = released_zucchet_lru(4, 2, key=jax.random.key(0), nu0=0.5, theta0=0.3)
        >>> layer(jnp.ones((10, 2))).shape, bool((abs(layer.eigenvalues()) >= 0.5).all())
        ((10, 2), True)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    require_gamma(gamma)
    if not 0 < theta0 <= math.pi:
        raise ValueError(f"need 0 < theta0 <= pi, got {theta0=}")
    ring_key, sign_key, *keys = jax.random.split(key, 7)
    require_polar(nu0, theta0)
    nu_log, size_log = ring_parameters(ring_key, state_size, nu0, 1.0, theta0)
    below = jax.random.bernoulli(sign_key, shape=(state_size,))
    theta_log = jnp.where(below, jnp.log(2 * math.pi - jnp.exp(size_log)), size_log)
    weights = fan_out_projections(keys, state_size, width, d_out)
    return LRU(*weights, nu_log, theta_log, _gamma(gamma, nu_log), gamma)


def lru_from_arrays(arrays: Mapping[str, Any]) -> LRU:
    """Build an LRU from plain arrays with the names of the paper's listing.

    Args:
        arrays: ``nu_log, theta_log (n,)``, ``B_re, B_im (n, d_in)``, ``C_re, C_im
            (d_out, n)``, ``D (d_out,)`` or ``(d_out, d_in)``; ``gamma_log (n,)`` may be
            missing, and then nothing normalises the input.

    Raises:
        ValueError: If a name is missing or unknown, a shape does not fit, or a value is
            not finite.

    Source: Orvieto et al. (2023), Appendix A.

    Example:
        >>> from sigprop.layers import parameters
        >>> arrays = parameters(lru(4, 2, key=jax.random.key(0)))
        >>> lru_from_arrays(arrays)(jnp.ones((10, 2))).shape
        (10, 2)
    """
    missing = set(ARRAYS) - {"gamma_log"} - set(arrays)
    unknown = set(arrays) - set(ARRAYS)
    if missing or unknown:
        raise ValueError(
            f"need the arrays {', '.join(ARRAYS)}; missing {sorted(missing)}, unknown "
            f"{sorted(unknown)}"
        )
    values = {name: np.asarray(value) for name, value in arrays.items()}
    values = {
        name: value.astype(np.result_type(value, np.float32))
        for name, value in values.items()
    }
    n = values["nu_log"].shape[0] if values["nu_log"].ndim == 1 else -1
    d_in, d_out = values["B_re"].shape[-1], values["C_re"].shape[0]
    shapes = {
        "nu_log": [(n,)],
        "theta_log": [(n,)],
        "gamma_log": [(n,)],
        "B_re": [(n, d_in)],
        "B_im": [(n, d_in)],
        "C_re": [(d_out, n)],
        "C_im": [(d_out, n)],
        "D": [(d_out, d_in)] + ([(d_out,)] if d_in == d_out else []),
    }
    for name, value in values.items():
        if value.shape not in shapes[name]:
            allowed = " or ".join(map(str, shapes[name]))
            raise ValueError(f"need {name} of shape {allowed}, got {value.shape}")
        if not np.isfinite(value).all():
            raise ValueError(f"need finite {name}, got a NaN or infinity in it")
    ready = {name: jnp.asarray(value) for name, value in values.items()}
    gamma: str = "learned" if "gamma_log" in ready else "absent"
    return LRU(**{"gamma_log": None, **ready}, gamma=gamma)
