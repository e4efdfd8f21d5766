"""The Linear Recurrent Unit: ``h_t = lam h_{t-1} + gamma B u_t``, ``y = Re(C h) + D u``.

``lam = exp(-exp(nu_log) + i exp(theta_log))`` is inside the unit disc for any parameters.

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
    """Linear recurrent unit (LRU); build one with ``lru`` or ``zucchet_lru``.

    The recurrence is ``h_t = lam h_{t-1} + gamma B u_t`` with
    ``lam = exp(-exp(nu_log) + i exp(theta_log))``, and the output is
    ``y = Re(C h) + D u``.  The field ``gamma`` selects how the factor ``gamma`` in this
    recurrence is computed:

    - ``learned``: the trainable vector ``exp(gamma_log)``;
    - ``attached``: the function ``sqrt(1 - |lam|^2)`` of the eigenvalues;
    - ``detached``: the same function, whose gradient is stopped;
    - ``absent``: one, i.e. no normalisation.

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
        """Return the eigenvalues: the diagonal of the recurrent matrix."""
        return jnp.exp(lax.complex(-jnp.exp(self.nu_log), jnp.exp(self.theta_log)))

    def normaliser(self) -> Float[Array, " n"] | None:
        """Return ``gamma`` for each neuron, or ``None`` without normalisation."""
        if self.gamma_log is not None:
            return jnp.exp(self.gamma_log)
        if self.gamma == "absent":
            return None
        gain = normalisation(jnp.exp(self.nu_log))
        return lax.stop_gradient(gain) if self.gamma == "detached" else gain

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return lru_groups(self.gamma_log is not None)


def lru_groups(learned: bool) -> Mapping[str, Group]:
    """Optimiser group of every parameter of an LRU, with or without ``gamma_log``."""
    names = ("nu_log", "theta_log", *(("gamma_log",) if learned else ()))
    return {**PROJECTIONS, **dict.fromkeys(names, "recurrent")}


def attached(model: Model) -> Model:
    """Return the model with every ``detached`` normalisation replaced by ``attached``.

    The outputs are the same.  Derivatives then are the true derivatives of the loss.  With
    ``detached``, training ignores that ``gamma`` depends on the eigenvalues.

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
    """Check that a normalisation is one of ``GAMMAS``.

    Raises:
        ValueError: If the normalisation is unknown; the message lists ``GAMMAS``.
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
    """Draw ``nu_log`` and ``theta_log`` of ``n`` eigenvalues on a ring.

    Args:
        key: Random key of JAX; do not use it for anything else.
        n: Number of eigenvalues.
        inner: Inner radius of the ring.
        outer: Outer radius of the ring.
        max_phase: Largest phase in radians. If it is a list, its entries are the limits
            of successive modes, repeated cyclically.
        spread: Distribution of the moduli, one of ``sigprop.neuron.ring.SPREADS``.

    Raises:
        ValueError: If ``0 <= inner <= outer <= 1`` or ``inner < 1`` does not hold, a
            limit of the phase is not in (0, 2 pi], or ``spread`` is unknown.

    Source: Orvieto et al. (2023), Lemma 3.2 and Appendix A.
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
    """Draw an LRU, initialised as in the code listing of its paper.

    The real and the imaginary parts of ``B`` are normal with variance ``1/(2 width)``,
    and the parts of ``C`` are normal with variance ``1/state_size``.  ``D`` is a
    standard normal vector.

    Args:
        state_size: Number of complex numbers in the state, ``N`` in the paper.
        width: Number of inputs, equal to the number of outputs; ``H`` in the paper.
        key: Random key of JAX; do not use it for anything else.
        r_min: Inner radius of the ring of eigenvalues.
        r_max: Outer radius of the ring of eigenvalues.
        max_phase: Largest phase in radians. Phases are uniform on [0, max_phase]. If
            ``max_phase`` is a list, its entries are the largest phases of successive
            modes, repeated cyclically.
        spread: Distribution of the moduli: ``area``, as in the paper, if eigenvalues
            are uniform by area on the ring, or ``log`` if ``log(-log|lam|)`` is evenly
            spaced.
        gamma: Normalisation of the inputs: ``learned``, ``attached``, ``detached`` or
            ``absent``; see ``LRU``.

    Raises:
        ValueError: If a size is below one, or ``spread`` or ``gamma`` is unknown; or if
            ``r_min`` is not in [0, 1), ``r_max`` is not in [r_min, 1], or ``max_phase``
            is not in (0, 2 pi].

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
    """Draw an LRU, initialised as in the text of Zucchet & Orvieto.

    The variance of the entries of ``B``, ``C`` and the dense ``D`` is one over the
    fan-in.  The authors' code draws from other distributions; see
    ``released_zucchet_lru``.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring of eigenvalues.
        theta0: Largest phase in radians. Phases are uniform on [0, theta0].
        gamma: Normalisation of the inputs: ``learned``, ``attached``, ``detached`` or
            ``absent``; see ``LRU``.
        nu1: Outer radius of the ring of eigenvalues; ``(1 + nu0)/2`` in Appendix D.1 of
            the paper.

    Raises:
        ValueError: If a size is below one, ``nu0`` is not in [0, 1), or ``nu1`` is not
            in [nu0, 1]; or if ``theta0`` is not in (0, 2 pi], or ``gamma`` is unknown.

    Source: Zucchet & Orvieto (2024), Appendix A.2; Appendix A.1 for ``B``, ``C`` and
    ``D``. Here the real and the imaginary part of a complex entry each have half of the
    variance.

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
    """Draw an LRU, initialised as in the released code of Zucchet & Orvieto.

    There are two differences from ``zucchet_lru``, which follows the text of the paper.
    Phases are uniform on [-theta0, theta0], not on [0, theta0]; 2 pi is added to
    negative phases, so that their logarithm exists.  The variance of the entries of
    ``B``, ``C`` and ``D`` is one over the fan-out, not over the fan-in.  If there are
    many more states than inputs and outputs, ``B`` is far smaller and ``C`` far larger
    than in ``zucchet_lru``.

    Args:
        state_size: Number of complex numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Inner radius of the ring of eigenvalues; the outer radius is 1.
        theta0: Largest absolute phase in radians. Phases are uniform on
            [-theta0, theta0].
        gamma: Normalisation of the inputs: ``learned``, ``attached``, ``detached`` or
            ``absent``; see ``LRU``.

    Raises:
        ValueError: If a size is below one, ``nu0`` is not in [0, 1), ``theta0`` is not in
            (0, pi], or ``gamma`` is unknown.

    Source: ``source/model.py`` of the code of Zucchet & Orvieto (2024),
    github.com/NicolasZucchet/Vanishing-and-exploding-gradients-are-not-the-end-of-the-story.

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
    """Build an LRU from arrays with the names in the code listing of its paper.

    Args:
        arrays: Arrays by name, with their shapes: ``nu_log (n,)``, ``theta_log (n,)``,
            ``B_re (n, d_in)``, ``B_im (n, d_in)``, ``C_re (d_out, n)``,
            ``C_im (d_out, n)``, and ``D``, either ``(d_out,)`` or ``(d_out, d_in)``.
            Without the optional ``gamma_log (n,)``, the inputs are not normalised.

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
