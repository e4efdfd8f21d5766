"""Modes of a layer that an audit runs, at zero input, and the filters of their inputs."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from jaxtyping import Complex, Float, Int

from sigprop.layers.base import Layer
from sigprop.layers.diagonal import DiagonalLayer
from sigprop.layers.rglru import RGLRU
from sigprop.layers.rotrnn import RotRNN
from sigprop.layers.s4d import S4D
from sigprop.layers.s5 import S5
from sigprop.layers.selective import Selective
from sigprop.linear.filters import Filters
from sigprop.linear.output_derivatives import ELEMENTWISE, mode_derivatives
from sigprop.networks.foreign import ForeignLayer, Rest
from sigprop.numerics.precision import double_precision

Kind = Literal["linear", "gated", "at rest"]
STATE, SLOPE = "state", "dh/dlam"
GATED = (RGLRU, Selective)
"""Layers whose neurons are run with their gates."""


@dataclass(frozen=True)
class Chosen:
    """Modes of a layer that an audit runs, from the slowest to the fastest.

    Attributes:
        kind: Way in which the modes are run: ``linear``, ``gated`` or ``at rest``.
        indices: Indices of the modes in the layer.
        nu: Decay rates ``-log|lam|`` at zero input.
        theta: Phases in radians.
        inward: Weight of each input channel in each mode, or None if the modes are not
            driven through the layer's input weights.
        filters: Filter from a mode's input to each quantity, by quantity; empty for gated
            layers.
        layer: Layer of sigprop with the parameters of the checkpoint, or None.
        why: Reason why the modes are run at rest, or an empty text.
    """

    kind: Kind
    indices: Int[np.ndarray, " n"]
    nu: Float[np.ndarray, " n"]
    theta: Float[np.ndarray, " n"]
    inward: Complex[np.ndarray, "n d"] | None = None
    filters: dict[str, Filters] = field(default_factory=dict)
    layer: Layer | None = None
    why: str = ""


def spread(rest: Rest, most: int) -> Int[np.ndarray, " places"]:
    """Return indices of modes inside the unit circle, at evenly spaced ranks.

    Args:
        rest: Eigenvalues of a layer at zero input.
        most: Largest number of modes.

    Returns:
        The indices, from the slowest to the fastest mode.

    Example:
        >>> spread(Rest(nu=np.array([[0.5, np.nan, 0.1, 0.0, 0.2, 0.3]])), 3).tolist()
        [2, 5, 0]
    """
    nu = rest.nu.reshape(-1)
    with np.errstate(invalid="ignore", over="ignore"):
        radius = np.exp(-nu)  # 1 if it rounds to 1
        inside = np.flatnonzero((radius < 1) & (radius > 0))
    order = inside[np.argsort(nu[inside], kind="stable")]
    ranks = np.linspace(0, len(order) - 1, min(most, len(order)))
    return order[np.unique(np.round(ranks).astype(int))]


def choose(recurrence: ForeignLayer, rest: Rest, most: int, most_gated: int) -> Chosen:
    """Choose the modes of a layer that an audit runs, and the way to run them.

    Args:
        recurrence: Layer of the checkpoint.
        rest: Eigenvalues of the layer at zero input.
        most: Largest number of modes.
        most_gated: Largest number of neurons, if their gates are run.
    """
    layer, why = _ours(recurrence)
    if isinstance(layer, GATED):
        indices = spread(rest, most_gated)
        nu, theta = _at(rest, indices)
        return Chosen("gated", indices, nu, theta, layer=layer)
    indices = spread(rest, most)
    nu, theta = _at(rest, indices)
    if layer is None or not _is_known(layer):
        if layer is not None:
            why = (
                f"there is no closed form for the gates of {recurrence.family.title}, which "
                "see the state"
                if not layer.linear
                else f"the modes of {type(layer).__name__} are not run through its B"
            )
        plain = _filters(nu, theta, 0, 1), _filters(nu, theta, 1, 0)
        filters: dict[str, Filters] = dict(zip((STATE, SLOPE), plain, strict=True))
        return Chosen("at rest", indices, nu, theta, None, filters, layer, why)
    with double_precision(True):
        return _linear(layer, indices, nu, theta)


def _ours(recurrence: ForeignLayer) -> tuple[Layer | None, str]:
    """Return the layer of sigprop in double precision, or None and the reason."""
    if recurrence.family.layer is None:
        return None, f"{recurrence.family.title} is known by its decay alone"
    try:
        with double_precision(True):
            arrays = {
                name: array.astype(complex if array.dtype.kind == "c" else float)
                for name, array in recurrence.read(recurrence.tensors).items()
            }
            layer = recurrence.layer(arrays)
    except (ValueError, TypeError, KeyError) as error:
        return None, str(error.args[0] if error.args else error)
    C = getattr(layer, "C_re", None)
    if C is not None and not isinstance(layer, S4D) and C.shape[1] != layer.state_size:
        return None, "its C reads two directions of time"
    return layer, ""


def _is_known(layer: Layer) -> bool:
    return isinstance(layer, (*ELEMENTWISE, RotRNN))


def _at(rest: Rest, indices: Int[np.ndarray, " n"]) -> tuple[Any, Any]:
    theta = np.zeros(rest.nu.shape) if rest.theta is None else rest.theta
    return rest.nu.reshape(-1)[indices], theta.reshape(-1)[indices]


def _filters(nu: Any, theta: Any, alpha: Any, beta: Any) -> Filters:
    alpha, beta = (np.broadcast_to(part, nu.shape) + 0j for part in (alpha, beta))
    return Filters(nu, theta, alpha, beta)


def _linear(layer: Layer, indices: Any, nu: Any, theta: Any) -> Chosen:
    """Return modes with inputs through ``B``, and derivatives by the layer's parameters."""
    if isinstance(layer, RotRNN):
        diagonal = layer.diagonal()
        lam = np.asarray(diagonal.eigenvalues())
        order = np.argsort(-np.abs(lam), kind="stable")
        upper = order[np.imag(lam[order]) >= 0]  # one of each conjugate pair
        ranks = np.linspace(0, len(upper) - 1, min(len(indices), len(upper)))
        indices = upper[np.unique(np.round(ranks).astype(int))]
        nu, theta = -np.log(np.abs(lam[indices])), np.angle(lam[indices])
        inward = np.asarray(diagonal.matrices()[0])[indices]
        derivatives = {}
    else:
        known = mode_derivatives(layer)
        inward = _inward(layer, known.gain, indices)
        derivatives = {
            f"dh/d{name}": _filters(
                nu, theta, lam[indices], (gain / known.gain)[indices]
            )
            for name, (lam, gain) in known.by.items()
        }
    filters = {STATE: _filters(nu, theta, 0, 1), SLOPE: _filters(nu, theta, 1, 0)}
    return Chosen("linear", indices, nu, theta, inward, filters | derivatives, layer)


def _inward(layer: Layer, gain: Any, indices: Any) -> Complex[np.ndarray, "n d"]:
    if isinstance(layer, S4D):
        own = np.eye(layer.im.shape[0])[indices // layer.im.shape[1]]
        return gain[indices, None] * own
    assert isinstance(layer, DiagonalLayer | S5)
    B = np.asarray(layer.B_re) + 1j * np.asarray(layer.B_im)
    return gain[indices, None] * B[indices]
