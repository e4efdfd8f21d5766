"""Exact second moments of whole layers whose gates see the input alone.

The state, and what it owes to each parameter: ``E|d(v . h_t)/dtheta|^2`` for an error
``v`` of unit covariance at the state, which does not depend on the inputs.  It is the sum
over the neurons of ``E (dh/dtheta)^2``, for independent inputs that are Gaussian or of any
law of few values, after some steps from the zero state or in the limit.  Where the output
is the state it is the gradient of ``v . y_t``, as of ``sigprop.linear.measured_moments``.

Source: ``sigprop.theory.gated_moments``.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Int

from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.deltanet import Delta, DeltaNet, GatedDeltaNet
from sigprop.layers.gated import GatedUnit
from sigprop.layers.gla import GLA
from sigprop.layers.mingru import MinGRU
from sigprop.layers.projected import TINY
from sigprop.layers.rglru import RGLRU
from sigprop.layers.selective import Selective
from sigprop.neuron.correlated_gates import SETTLED, Term, correlated_moment
from sigprop.neuron.delta import Head
from sigprop.neuron.delta_correlated import correlated_delta_moments
from sigprop.neuron.delta_moments import Parameter, delta_moments
from sigprop.neuron.gated import (
    Moment,
    Neurons,
    gated_sensitivity_moment,
    gated_state_moment,
)
from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import LONGEST
from sigprop.numerics.arguments import LARGEST, require_count, require_number
from sigprop.numerics.compilation import SOME
from sigprop.numerics.tracing import namespace

MOST = 2**16  # sequences that are worth enumerating
Directions = Float[Any, "directions d_in"] | Literal["each"] | None


class BoundedMoment(NamedTuple):
    """A second moment, summed over neurons and entries, and how far it may be off."""

    value: Float[Any, ""]
    error: Float[Any, ""]


class Moved(NamedTuple):
    """How a parameter moves neurons.

    Attributes:
        by: The projection or the neurons' own parameter, by its name in
            ``sigprop.theory.gates``.
        directions: As in ``sigprop.neuron.gated.gated_sensitivity_moment``.
        factor: What the moment of each neuron is multiplied by.
    """

    by: str
    directions: Directions = None
    factor: float | Float[Any, " neurons"] = 1.0


class Part(NamedTuple):
    """Neurons that see the same columns of the input, and what moves them."""

    neurons: Neurons
    columns: Int[np.ndarray, " d_in"]
    moved: dict[str, Moved]


def _neurons(gate: str, rows: list[Any], offsets: list[Any], own: list[Any]) -> Neurons:
    """Neurons from the rows and offsets of each projection, and their own parameters."""
    xp = namespace(rows, offsets, own)
    n = max(len(row) for row in rows)
    columns = [xp.broadcast_to(xp.asarray(offset, float), (n,)) for offset in offsets]
    mine = [xp.asarray(parameter, float) for parameter in own]
    return Neurons(
        gate,
        xp.stack([xp.asarray(row, float) for row in rows], 1),
        xp.stack(columns, 1),
        xp.stack(mine, 1) if mine else xp.zeros((n, 0)),
    )


def _rglru(layer: RGLRU) -> list[Part]:
    heads, size, _ = layer.W_a.shape
    moved = {
        "W_a": Moved("r", "each"),
        "b_a": Moved("r"),
        "W_x": Moved("i", "each"),
        "b_x": Moved("i"),
        "Lambda": Moved("Lambda"),
    }
    parts = []
    for head in range(heads):
        indices = np.arange(head * size, (head + 1) * size)
        rows = [layer.W_a[head], layer.W_x[head], np.eye(size)]
        offsets = [layer.b_a[indices], layer.b_x[indices], 0.0]
        neurons = _neurons("rglru", rows, offsets, [layer.Lambda[indices]])
        parts.append(Part(neurons, indices, moved))
    return parts


def _mingru(layer: MinGRU) -> list[Part]:
    neurons = _neurons("mingru", [layer.W_z, layer.W_v], [layer.b_z, layer.b_v], [])
    moved = {
        "W_z": Moved("r", "each"),
        "b_z": Moved("r"),
        "W_v": Moved("v", "each"),
        "b_v": Moved("v"),
    }
    return [Part(neurons, np.arange(layer.widths[0]), moved)]


def _gated_unit(layer: GatedUnit) -> list[Part]:
    if layer.W_fh is not None:
        raise TypeError(
            "need a gate that sees the input alone, got one that sees the state; draw the "
            "unit with state_gain=0, or linearise it"
        )
    n = layer.state_size
    neurons = _neurons("gate-unit", [layer.W_fx, np.eye(n)], [layer.b_f, 0.0], [])
    moved = {"W_fx": Moved("r", "each"), "b_f": Moved("r")}
    return [Part(neurons, np.arange(n), moved)]


def _low_rank(
    U: Float[Any, "rank d_in"], V: Float[Any, "neurons rank"]
) -> dict[str, Moved]:
    """How the factors of a gate's weights ``V U`` move it."""
    return {
        "U": Moved("r", "each", (V**2).sum(1)),
        "V": Moved("r", U),
        "bias": Moved("r"),
    }


def _selective(layer: Selective) -> list[Part]:
    width, n = layer.A_log.shape
    xp = namespace(layer)
    U, V = xp.asarray(layer.U, float), xp.repeat(xp.asarray(layer.V, float), n, 0)
    rows = [V @ U, xp.tile(layer.W_B, (width, 1)), np.repeat(np.eye(width), n, 0)]
    offsets = [xp.repeat(layer.bias, n), 0.0, 0.0]
    neurons = _neurons("selective", rows, offsets, [xp.ravel(layer.A_log)])
    moved = {
        "A_log": Moved("A"),
        "W_B": Moved("k", "each"),
        **_low_rank(U, V),
    }
    return [Part(neurons, np.arange(width), moved)]


def _gla(layer: GLA) -> list[Part]:
    heads, keys, _ = layer.W_k.shape
    values, d_in = layer.W_v.shape[1:]
    xp = namespace(layer)
    U = xp.asarray(layer.U, float)
    V = xp.repeat(xp.reshape(xp.asarray(layer.V, float), (heads * keys, -1)), values, 0)
    rows = [
        V @ U,
        xp.repeat(xp.reshape(layer.W_k, (heads * keys, d_in)), values, 0),
        xp.reshape(xp.repeat(layer.W_v[:, None], keys, 1), (-1, d_in)),
    ]
    offsets = [xp.repeat(xp.ravel(layer.bias), values), 0.0, 0.0]
    neurons = _neurons("gla", rows, offsets, [])
    moved = {
        "W_k": Moved("k", "each"),
        "W_v": Moved("v", "each"),
        **_low_rank(U, V),
    }
    return [Part(neurons, np.arange(d_in), moved)]


READ: dict[type[Layer], Callable[[Any], list[Part]]] = {
    RGLRU: _rglru,
    MinGRU: _mingru,
    GatedUnit: _gated_unit,
    Selective: _selective,
    GLA: _gla,
}


DELTA: dict[type[Layer], tuple[Parameter, ...]] = {
    DeltaNet: ("W_v", "W_beta"),
    GatedDeltaNet: ("W_v", "W_beta", "W_a", "bias", "A_log"),
}


def _heads(layer: Delta) -> list[Head]:
    """The heads of a layer of the delta rule, in numbers."""
    W_k, W_v, W_beta = (
        np.asarray(weights, float) for weights in (layer.W_k, layer.W_v, layer.W_beta)
    )
    plain = [
        Head(*rows, None, 0.0, 0.0, TINY) for rows in zip(W_k, W_v, W_beta, strict=True)
    ]
    if not isinstance(layer, GatedDeltaNet):
        return plain
    W_a, bias, A_log = (
        np.asarray(array, float) for array in (layer.W_a, layer.bias, layer.A_log)
    )
    return [
        head._replace(w_a=row, bias=float(bias_of_head), A_log=float(log))
        for head, row, bias_of_head, log in zip(plain, W_a, bias, A_log, strict=True)
    ]


def _restricted(law: Law | None, columns: Int[np.ndarray, " d_in"]) -> Law | None:
    return None if law is None else Law(law.values[:, columns], law.probabilities)


def covered(layer: Layer) -> tuple[str, ...]:
    """The parameters of which ``predict_gated`` gives moments.

    Raises:
        TypeError: If it gives none of the layer.
    """
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        return DELTA[type(layer)]
    if type(layer) in READ:
        return tuple(READ[type(layer)](layer)[0].moved)
    known = ", ".join(kind.__name__ for kind in (*READ, *DELTA))
    raise TypeError(
        f"need a layer whose gates see the input alone ({known}), got "
        f"{type(layer).__name__}"
    )


def predict_gated(
    layer: Layer,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    terms: Sequence[Term] | None = None,
    steps: int | None = None,
    change: Callable[[Any], Any] | None = None,
    settled: float = SETTLED,
    spread: float | None = None,
) -> dict[str, BoundedMoment]:
    """Second moments of a layer whose gates see the input alone.

    It runs under ``jit``, ``vmap``, ``grad`` and ``jvp``, as a function of the layer's
    arrays and the scale, with the nodes that ``spread`` or the law says.  Then an infinite
    limit is infinity, and an error above its value is not refused: look at ``error``.
    Layers of the delta rule and inputs that remember need numbers.  Numbers held are
    neurons times nodes times inputs, about 60 nodes for each of a gate's nonlinear
    projections at a spread of one.

    Args:
        layer: One that ``covered`` knows.
        scale: Standard deviation of the inputs, which are Gaussian and independent of
            each other and in time.
        law: Another law of each input vector.
        terms: Variances and correlations of AR(1) series, whose sum each input channel is
            in place of independent inputs, times the scale; see
            ``sigprop.neuron.correlated_gates``.  Beside a law, the probability with which
            an input stays, as ``((1, rho),)``.
        steps: Inputs seen since the zero state; the limit if left out.
        change: Makes wrong expectations of the right ones, or gates of the delta rule,
            or coefficients of inputs that remember, for mutants.
        settled: Relative error of a moment under inputs that remember at which no finer
            grid is tried.
        spread: Largest standard deviation of a gate's argument, which the nodes suit; the
            layer's own if left out.  Nodes of the delta rule and of terms suit the layer.

    Returns:
        ``state``: ``E|h_t|^2``.  By the name of each parameter that is ``covered``:
        ``E|d(v . h_t)/dtheta|^2``, summed over its entries.

    Raises:
        TypeError: If the layer is of another type, or its gates see the state; if a layer of
            the delta rule, or one beside ``terms``, is traced.
        ValueError: If a Gaussian input meets a traced layer without a spread; if a moment is
            infinite, the scale is not positive and finite, there
            are no steps, or inputs of the delta rule remember and steps are left out or
            inputs are more than five; if the error of a moment may exceed its value.

    Example:
        >>> from sigprop.layers import mingru
        >>> found = predict_gated(mingru(4, 3, key=jax.random.key(0)))
        >>> sorted(found), found["state"].error < 1e-6
        (['W_v', 'W_z', 'b_v', 'b_z', 'state'], True)
    """
    covered(layer)
    xp = namespace(layer, scale)
    delta = isinstance(layer, DeltaNet | GatedDeltaNet)
    if xp is not np and (delta or terms is not None):
        kind = type(layer).__name__ if delta else "inputs that remember"
        raise TypeError(
            f"need numbers, not arrays that jit, vmap or grad trace, for {kind}: its nodes "
            "depend on the weights; differentiate a simulation"
        )
    traced_scale = isinstance(scale, Tracer)
    if not traced_scale and not 0 < scale <= LARGEST:
        raise ValueError(f"need a finite scale > 0 of the inputs, got {scale=}")
    if law is not None and (traced_scale or scale != 1):
        raise ValueError(
            f"need no scale beside a law, which has its own, got {scale=}; multiply the "
            "law's values"
        )
    if steps is not None:
        steps = require_count("steps", steps, least=0, most=LONGEST)
    require_number("settled", settled, 0, 1)
    totals: dict[str, BoundedMoment] = {}
    common: dict[str, Any] = {"scale": scale, "steps": steps, "change": change}
    plain = {**common, "spread": spread}

    def add(name: str, moment: Moment, factor: Any = 1.0) -> None:
        value, error = totals.get(name, BoundedMoment(0.0, 0.0))
        more, less_sure = ((factor * part).sum() for part in moment)
        if xp is np:
            more, less_sure = float(more), float(less_sure)
        totals[name] = BoundedMoment(value + more, error + less_sure)

    def moment(
        neurons: Neurons, by: str | None, directions: Directions, law: Law | None
    ) -> Moment:
        if terms is not None:
            size = 1.0 if law is not None else scale**2
            sized = [(size * variance, rho) for variance, rho in terms]
            options = {key: common[key] for key in ("steps", "change")}
            return correlated_moment(
                neurons,
                by,
                terms=sized,
                directions=directions,
                law=law,
                settled=settled,
                **options,
            )
        if by is None:
            return gated_state_moment(neurons, law=law, **plain)
        return gated_sensitivity_moment(
            neurons, by, directions=directions, law=law, **plain
        )

    def settled_all() -> dict[str, BoundedMoment]:
        if xp is not np:
            return totals
        for name, (value, error) in totals.items():
            if not error <= abs(value):
                raise ValueError(
                    f"need gates less steep or less closed for the moment of {name}: its "
                    f"error may be {error:.3g}, its value {value:.3g}; make the weights or "
                    "the scale of the inputs smaller, or measure it"
                )
        return totals

    if isinstance(layer, DeltaNet | GatedDeltaNet):
        names: tuple[Parameter, ...] = ("state", *DELTA[type(layer)])
        for head in _heads(layer):
            moments = (
                delta_moments(head, names, law=law, **common)
                if terms is None
                else correlated_delta_moments(
                    head, names, law=law, terms=terms, **common
                )
            )
            for name, (value, error) in moments.items():
                add(name, Moment(np.array([value]), np.array([error])))
        return settled_all()
    for neurons, columns, moved in READ[type(layer)](layer):
        restricted = _restricted(law, columns)
        add("state", moment(neurons, None, None, restricted))
        for name, (by, directions, factor) in moved.items():
            add(name, moment(neurons, by, directions, restricted), factor)
    return settled_all()


def squares(
    layer: Layer,
) -> Callable[[Float[Array, "num time d_in"]], dict[str, Float[Array, " num"]]]:
    """A program of sequences: ``|h|^2`` at the end, and of its slopes the sum of squares.

    Raises:
        TypeError: If the layer is of no type that ``covered`` knows.
    """
    return functools.partial(_squares, layer, names=covered(layer))


@functools.partial(jax.jit, static_argnames="names", compiler_options=SOME)
def _squares(
    layer: Layer, u: Float[Array, "num time d_in"], names: tuple[str, ...]
) -> dict[str, Float[Array, " num"]]:
    values = {name: parameters(layer)[name] for name in names}

    def last(values: dict[str, Array], u: Float[Array, "time d_in"]):
        h = replace(layer, values).states(u)[-1]
        return h, h

    jacobian = jax.jacrev(last, has_aux=True)
    derivatives, h = jax.vmap(lambda sequence: jacobian(values, sequence))(u)
    summed = {
        name: (derivative**2).reshape(len(u), -1).sum(1)
        for name, derivative in derivatives.items()
    }
    return {"state": (h**2).sum(1), **summed}


def enumerate_gated(
    layer: Layer, law: Law, steps: int, rho: float = 0.0
) -> dict[str, float]:
    """The moments of ``predict_gated`` by running every sequence through the layer.

    Args:
        layer: One that ``covered`` knows.
        law: Few values of each input vector.
        steps: Inputs seen since the zero state.
        rho: Probability with which an input stays, and is else drawn anew.  Below zero
            it stays less often than by chance, down to never.

    Raises:
        ValueError: If there are more than 65 536 sequences, no number of steps, or a
            probability to stay would be negative.
    """
    steps = require_count("steps", steps, most=MOST)
    rarest = float(law.probabilities.min())  # stays with rho + (1 - rho) rarest
    require_number("rho", rho, -rarest / (1 - rarest) if rarest < 1 else -1, 1, "[]")
    count = len(law.values) ** steps
    if count > MOST:
        raise ValueError(
            f"need at most {MOST} sequences, got {len(law.values)} values in {steps} steps"
        )
    index = np.array(list(itertools.product(range(len(law.values)), repeat=steps)))
    u = jnp.asarray(law.values[index.reshape(count, steps)])
    p = law.chances(index.reshape(count, steps), rho)
    samples = squares(layer)(u)
    return {
        name: float(p @ np.asarray(value, float)) for name, value in samples.items()
    }
