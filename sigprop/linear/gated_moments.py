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
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int

from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.deltanet import Delta, DeltaNet, GatedDeltaNet
from sigprop.layers.gated import GatedUnit
from sigprop.layers.gla import GLA
from sigprop.layers.hgrn2 import HGRN2
from sigprop.layers.matrix_gated import MatrixGated
from sigprop.layers.mingru import MinGRU
from sigprop.layers.mlstm import MLSTM
from sigprop.layers.projected import TINY
from sigprop.layers.rglru import RGLRU
from sigprop.layers.selective import Selective
from sigprop.layers.slstm import SLSTM
from sigprop.layers.ssd import SSD
from sigprop.linear.normalised_outputs import squared_outputs
from sigprop.neuron.correlated_gates import SETTLED, Term, mutated_correlated_moment
from sigprop.neuron.delta import Head
from sigprop.neuron.delta_correlated import mutated_correlated_delta_moments
from sigprop.neuron.delta_moments import Parameter as OfHead
from sigprop.neuron.delta_moments import (
    delta_lagged,
    delta_outputs,
    key_gradient,
    mutated_delta_moments,
)
from sigprop.neuron.gated import (
    Moment,
    gated_lagged_moment,
    input_gradient_moment,
    mutated_moment,
)
from sigprop.neuron.matrix_moments import lagged, matrix_moment, of_output, of_state
from sigprop.neuron.matrix_sensitivities import (
    Parameter,
    matrix_sensitivities,
    require_size,
)
from sigprop.neuron.neurons import Directions, GatedLayer, Neurons, Part
from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import LONGEST
from sigprop.neuron.readouts import output_moments
from sigprop.numerics.arguments import LARGEST, require_count, require_number
from sigprop.numerics.compilation import SOME
from sigprop.numerics.precision import double_precision
from sigprop.numerics.tracing import namespace

MOST = 2**16  # sequences that are worth enumerating


class BoundedMoment(NamedTuple):
    """A second moment, summed over neurons and entries, and how far it may be off.

    Example:
        >>> BoundedMoment(2.0, error=1e-9).value
        2.0
    """

    value: Float[Any, ""]
    error: Float[Any, ""]


OURS = GatedUnit, GLA, HGRN2, MinGRU, MLSTM, RGLRU, Selective, SLSTM, SSD
DELTA: dict[type[Layer], tuple[OfHead, ...]] = {
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


class _Maps(NamedTuple):
    """A layer's maps in double precision, as programs of nodes."""

    layer: MatrixGated

    def numbers(self) -> MatrixGated:
        """The layer in JAX's double precision, within which it must be enabled."""
        return jax.tree.map(
            lambda leaf: (
                jnp.asarray(leaf, float) if eqx.is_inexact_array(leaf) else leaf
            ),
            self.layer,
        )

    def program(self, u: Float[np.ndarray, "nodes d_in"]) -> dict[str, np.ndarray]:
        """``A``, ``B`` and what outputs need, of every head."""
        with double_precision(True):
            found = _arrays(self.numbers(), jnp.asarray(u))
            return {name: np.asarray(array) for name, array in found.items()}

    def parameter(self, name: str) -> Parameter:
        """A parameter, and derivatives of the maps by its entries."""
        before = itertools.takewhile(
            lambda item: item[0] != name, sorted(parameters(self.layer).items())
        )
        start = sum(array.size for _, array in before)

        def derivatives(
            u: Float[np.ndarray, "nodes d_in"], entries: Int[np.ndarray, " entries"]
        ) -> tuple[np.ndarray, np.ndarray]:
            with double_precision(True):
                chosen = jnp.asarray(np.where(entries < 0, -1, start + entries))
                dA, dB = _derivatives(self.numbers(), jnp.asarray(u), chosen)
                return np.asarray(dA), np.asarray(dB)

        values = np.asarray(parameters(self.layer)[name], float)
        divided = values.reshape(-1, *values.shape[-2:])
        is_divided = name in self.layer.divided
        return Parameter(derivatives, values.size, divided if is_divided else None)


@eqx.filter_jit
def _arrays(layer: MatrixGated, u: Float[Array, "nodes d_in"]) -> dict[str, Array]:
    A, B = layer.maps(u)
    return {"A": A, "B": B, "q": layer.queries(u), "z": layer.skips(u)}


@eqx.filter_jit
def _derivatives(
    layer: MatrixGated, u: Float[Array, "nodes d_in"], entries: Int[Array, " entries"]
) -> tuple[Float[Array, "entries _ _ _ _"], Float[Array, "entries _ _ _ _"]]:
    """Derivatives of the maps by entries, counted over all parameters; zero by no entry."""
    flat, shaped = ravel_pytree(parameters(layer))  # by sorted name

    def maps(flat: Float[Array, " entries"]) -> tuple[Array, Array]:
        return replace(layer, shaped(flat)).maps(u)

    def by(entry: Int[Array, ""]) -> tuple[Array, Array]:
        chosen = (jnp.arange(flat.size) == entry).astype(flat.dtype)
        return jax.jvp(maps, (flat,), (chosen,))[1]

    return jax.vmap(by)(entries)


def _matrix_moment(
    quantity: Callable[..., float], layer: MatrixGated, **options: Any
) -> BoundedMoment:
    """``sigprop.neuron.matrix_moments.matrix_moment`` of a layer."""
    width, program = layer.widths[0], _Maps(layer).program
    return BoundedMoment(*matrix_moment(quantity, program, width, **options))


def _matrix_moments(
    change: Callable[[Any], Any] | None,
    layer: MatrixGated,
    names: Sequence[str],
    **options: Any,
) -> dict[str, BoundedMoment]:
    """The state's moment, and those of the derivatives by the parameters."""
    maps, found = _Maps(layer), {}
    moved = {name: maps.parameter(name) for name in names if name != "state"}
    require_size(moved, *layer.head_shape[1:])
    if "state" in names:
        found["state"] = _matrix_moment(of_state, layer, **options)
    if moved:
        width = layer.widths[0]
        of_parameters = matrix_sensitivities(
            change, maps.program, moved, width, **options
        )
        found |= {name: BoundedMoment(*pair) for name, pair in of_parameters.items()}
    for name, moment in found.items():
        require_certain(name, moment)
    return found


def _restricted(law: Law | None, columns: Int[np.ndarray, " d_in"]) -> Law | None:
    return None if law is None else Law(law.values[:, columns], law.probabilities)


def parts_of(layer: Layer) -> list[Part]:
    """The neurons of a layer, as it describes them.

    Raises:
        TypeError: If it does not describe them, or its gates see the state.
        ValueError: If its description names a parameter or an input that it has not.
    """
    if not isinstance(layer, GatedLayer):
        known = ", ".join(kind.__name__ for kind in (*OURS, *DELTA))
        raise TypeError(
            f"need a layer whose gates see the input alone ({known}), or one with a "
            f"method neurons (sigprop.neuron.neurons), got {type(layer).__name__}"
        )
    parts, names, width = list(layer.neurons()), parameters(layer), layer.widths[0]
    for part in parts:
        unknown = set(part.moved) - set(names)
        if unknown:
            raise ValueError(
                f"need neurons() of {type(layer).__name__} to name its parameters "
                f"{', '.join(names)}, got {', '.join(sorted(unknown))}"
            )
        if not set(part.columns.tolist()) <= set(range(width)):
            raise ValueError(
                f"need columns of {width} inputs in neurons() of {type(layer).__name__}, "
                f"got {part.columns.tolist()}"
            )
    return parts


def covered(layer: Layer) -> tuple[str, ...]:
    """The parameters of which ``predict_gated`` gives moments.

    Raises:
        TypeError: If it gives none of the layer.
    """
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        return DELTA[type(layer)]
    if isinstance(layer, MatrixGated):
        return tuple(name for name, of in layer.groups().items() if of != "readout")
    return tuple(dict.fromkeys(name for part in parts_of(layer) for name in part.moved))


def _wanted(layer: Layer, names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the moments asked for: all of them if none are given.

    Raises:
        ValueError: If a name is unknown.
    """
    known = ("state", *covered(layer))
    if names is None:
        return known
    unknown = sorted(set(names) - set(known))
    if unknown or isinstance(names, str):
        raise ValueError(
            f"need names of moments of {type(layer).__name__}, a sequence of "
            f"{', '.join(known)}, got {names!r}"
        )
    return tuple(dict.fromkeys(names))


def predict_gated(
    layer: Layer,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    terms: Sequence[Term] | None = None,
    steps: int | None = None,
    settled: float = SETTLED,
    spread: float | None = None,
    names: Sequence[str] | None = None,
) -> dict[str, BoundedMoment]:
    """Second moments of a layer whose gates see the input alone.

    It runs under ``jit``, ``vmap``, ``grad`` and ``jvp``, as a function of the layer's
    arrays and the scale, with the nodes that ``spread`` or the law says.  Under these
    transformations an infinite limit is returned as infinity.  An error larger than its
    moment then raises no exception: check ``error``.
    Layers of the delta rule, ``MatrixGated`` layers (a matrix multiplies their state)
    and inputs correlated in time need arrays that JAX does not trace.  For
    ``MatrixGated``, Gaussian inputs are points of Sobol sequences, with an estimated
    error.  Derivatives of ``MatrixGated`` are taken one parameter entry at a time, at
    0.1 seconds of a core each for keys of three entries and 0.4 seconds
    for eight: ask for some by ``names``.  Numbers held are neurons times nodes times
    inputs, about 60 nodes for each of a gate's nonlinear projections at a spread of one.

    Args:
        layer: One of ours, or of yours with a method ``neurons``; see
            ``sigprop.neuron.neurons``.
        scale: Standard deviation of the inputs, which are Gaussian and independent of
            each other and in time.
        law: Another law of each input vector.
        terms: Variances and correlations of AR(1) series, whose sum each input channel is
            in place of independent inputs, times the scale; see
            ``sigprop.neuron.correlated_gates``.  Beside a law, the probability with which
            an input stays, as ``((1, rho),)``.
        steps: Inputs seen since the zero state; the limit if left out.
        settled: Relative error of a moment under inputs that remember at which no finer
            grid is tried.
        spread: Largest standard deviation of a gate's argument, which the nodes suit; the
            layer's own if left out, with more nodes for steep gates.  Nodes of the delta
            rule and of terms suit the layer.
        names: Moments that are returned, ``state`` and names of parameters; all if left out.

    Returns:
        ``state``: ``E|h_t|^2``.  By the name of each parameter that is ``covered``:
        ``E|d(v . h_t)/dtheta|^2``, summed over its entries.  The state of an ``SLSTM`` is
        here its two sums ``c`` and ``n``, without the stabiliser (``SLSTM.sums``).

    Raises:
        TypeError: If the layer is of another type, or its gates see the state; if a layer of
            the delta rule, or one beside ``terms``, is traced.
        ValueError: If a Gaussian input meets a traced layer without a spread; if a moment is
            infinite, the scale is not positive and finite, there are no steps, or inputs of
            the delta rule remember and steps are left out or inputs are more than five; if
            the error of a moment may exceed its value; if a name is unknown, or derivatives
            of a ``MatrixGated`` by so many entries take more than minutes.

    Example:
        >>> from sigprop.layers import mingru
        >>> found = predict_gated(mingru(4, 3, key=jax.random.key(0)))
        >>> sorted(found), found["state"].error < 1e-6
        (['W_v', 'W_z', 'b_v', 'b_z', 'state'], True)
    """
    return mutated_gated(
        None,
        layer,
        scale=scale,
        law=law,
        terms=terms,
        steps=steps,
        settled=settled,
        spread=spread,
        names=names,
    )


def mutated_gated(
    change: Callable[[Any], Any] | None,
    layer: Layer,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    terms: Sequence[Term] | None = None,
    steps: int | None = None,
    settled: float = SETTLED,
    spread: float | None = None,
    names: Sequence[str] | None = None,
) -> dict[str, BoundedMoment]:
    """``predict_gated`` with an error, for mutants.

    Args:
        change: Makes wrong expectations of the right ones, or gates of the delta rule,
            or coefficients of inputs that remember; of a ``MatrixGated``, expectations of
            derivatives (``sigprop.neuron.matrix_sensitivities.Crossed``).  Nothing for the
            right ones.
        layer: As in ``predict_gated``.
        scale: As in ``predict_gated``.
        law: As in ``predict_gated``.
        terms: As in ``predict_gated``.
        steps: As in ``predict_gated``.
        settled: As in ``predict_gated``.
        spread: As in ``predict_gated``.
        names: As in ``predict_gated``.
    """
    require_number("settled", settled, 0, 1)
    wanted = _wanted(layer, names)
    if isinstance(layer, MatrixGated):
        steps = _require_options(layer, scale, law, steps)
        if terms is not None:
            raise ValueError(
                f"need independent inputs for {type(layer).__name__}, got {terms=}; "
                "measure, or use enumerate_gated"
            )
        options = {"scale": scale, "law": law, "steps": steps}
        return _matrix_moments(change, layer, wanted, **options)
    is_delta = isinstance(layer, DeltaNet | GatedDeltaNet)
    parts = [] if is_delta else parts_of(layer)
    steps = _require_options(layer, scale, law, steps)
    if terms is not None:
        _require_numbers("inputs that remember", layer, scale)
    common: dict[str, Any] = {"scale": scale, "steps": steps}

    def moment(
        neurons: Neurons, by: str | None, directions: Directions, law: Law | None
    ) -> Moment:
        if terms is not None:
            size = 1.0 if law is not None else scale**2
            sized = [(size * variance, rho) for variance, rho in terms]
            return mutated_correlated_moment(
                change,
                neurons,
                by,
                terms=sized,
                directions=directions,
                law=law,
                steps=steps,
                settled=settled,
            )
        return mutated_moment(
            change,
            neurons,
            by,
            directions=directions,
            law=law,
            spread=spread,
            **common,
        )

    moments: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        of_heads: list[OfHead] = ["state", *DELTA[type(layer)]]
        of_heads = [name for name in of_heads if wanted.count(name)]
        for head in _heads(layer):
            of_head = (
                mutated_delta_moments(change, head, tuple(of_heads), law=law, **common)
                if terms is None
                else mutated_correlated_delta_moments(
                    change, head, of_heads, law=law, terms=terms, **common
                )
            )
            for name, known in of_head.items():
                moments[name].append(known)
    else:
        for part in parts:
            restricted = _restricted(law, part.columns)
            if "state" in wanted:
                moments["state"].append(moment(part.neurons, None, None, restricted))
            moved = {name: of for name, of in part.moved.items() if name in wanted}
            for name, (by, directions, factor) in moved.items():
                value, error = moment(part.neurons, by, directions, restricted)
                moments[name].append((factor * value, factor * error))
    totals = {name: _summed(known) for name, known in moments.items()}
    for name, total in totals.items():
        require_certain(name, total)
    return totals


def require_certain(name: str, moment: Moment | BoundedMoment) -> None:
    """Refuse a moment whose error may exceed its value; a traced one passes.

    Args:
        name: Name of the parameter, or ``state``.
        moment: Moment of one neuron or the sum of several.

    Raises:
        ValueError: If its error may exceed its value.
    """
    value, error = moment
    if not isinstance(value, Tracer) and not error <= abs(value):
        raise ValueError(
            f"need gates less steep or less closed for the moment of {name}: its "
            f"error may be {error:.3g}, its value {value:.3g}; make the weights or "
            "the scale of the inputs smaller, or measure it"
        )


def lagged_gated(
    layer: Layer,
    lag: int,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    spread: float | None = None,
) -> BoundedMoment:
    """``E[h_t . h_{t+lag}]`` of a layer whose gates see independent inputs alone.

    Its ratio to the value at lag zero is the state's autocorrelation.

    Args:
        layer: As in ``predict_gated``.
        lag: Steps in between, zero or more.
        scale: As in ``predict_gated``.
        law: As in ``predict_gated``.
        steps: Inputs seen at ``t`` since the zero state; the limit if left out.
        spread: As in ``predict_gated``.

    Raises:
        TypeError: As ``predict_gated``.
        ValueError: As ``predict_gated``, or if the lag is negative.

    Source: ``sigprop.theory.gated_moments.lag_limit``.

    Example:
        >>> from sigprop.layers import mingru
        >>> layer = mingru(4, 3, key=jax.random.key(1))
        >>> state = predict_gated(layer)["state"].value
        >>> [round(lagged_gated(layer, n).value / state, 2) for n in (0, 1, 20)]
        [1.0, 0.84, 0.63]
    """
    require_count("lag", lag, least=0)
    steps = _require_options(layer, scale, law, steps)
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        return _summed(
            delta_lagged(head, lag, scale=scale, law=law, steps=steps)
            for head in _heads(layer)
        )
    if isinstance(layer, MatrixGated):
        options = {"scale": scale, "law": law, "steps": steps}
        return _matrix_moment(lagged(lag), layer, **options)
    return _summed(
        gated_lagged_moment(
            part.neurons,
            lag,
            scale=scale,
            law=_restricted(law, part.columns),
            steps=steps,
            spread=spread,
        )
        for part in parts_of(layer)
    )


def predict_key_gradient(
    layer: Layer,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> BoundedMoment:
    """``E|d(v . h_t)/dW_k|^2`` of a layer of the delta rule, summed over its entries.

    ``predict_gated`` leaves this moment out because a head with a decay takes seconds.
    A few inputs with short keys contribute most of the moment, so sampled estimates
    converge slowly.

    Args:
        layer: DeltaNet or GatedDeltaNet.
        scale: As in ``predict_gated``.
        law: As in ``predict_gated``.
        steps: As in ``predict_gated``.

    Raises:
        TypeError: If the layer is of another type, or traced.
        ValueError: As ``predict_gated``, or if keys have so many entries that a sum would
            have more than 8 388 608 nodes.

    Source: ``sigprop.neuron.delta_moments.key_gradient``.

    Example:
        >>> from sigprop.layers import deltanet
        >>> found = predict_key_gradient(deltanet(2, 4, key=jax.random.key(1)), steps=3)
        >>> found.error < 1e-2 * found.value
        True
    """
    if not isinstance(layer, DeltaNet | GatedDeltaNet):
        raise TypeError(
            f"need a DeltaNet or GatedDeltaNet, got {type(layer).__name__}; predict_gated "
            "has the moments of other layers"
        )
    steps = _require_options(layer, scale, law, steps)
    return _summed(
        key_gradient(head, scale=scale, law=law, steps=steps) for head in _heads(layer)
    )


def predict_output(
    layer: Layer,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> dict[str, BoundedMoment]:
    """Second moments of outputs that read the state through gates or queries.

    ``E|y|^2`` needs products of neurons that see the same inputs: under Gaussian inputs
    this suits small layers only, for example four neurons an output.  For DeltaNet and
    GatedDeltaNet ``E|y|^2`` needs a ``law``: with Gaussian inputs, the normalised
    queries and keys together leave more than one integral.  For an ``SLSTM`` it needs
    constant forget and input gates.
    Gradients of outputs by parameters of the gates are not
    known where a query multiplies states, which share those parameters.

    Args:
        layer: As in ``predict_gated``.
        scale: As in ``predict_gated``.
        law: As in ``predict_gated``.
        steps: Inputs seen since the zero state, the output's included; the limit if
            left out.

    Returns:
        ``output``: ``E|y_t|^2``.  By the name of each parameter of the readout (``W_q``,
        ``W_C``, ``C``, ``D``): ``E|d(v . y_t)/dtheta|^2`` for an error ``v`` of unit
        covariance.

    Raises:
        TypeError: As ``predict_gated``, or if the layer or the scale is traced.
        ValueError: As ``predict_gated``; if the layer does not say how outputs read its
            neurons, sums would have too many nodes, or a layer of the delta rule has
            Gaussian inputs.

    Source: ``sigprop.theory.gated_moments.pair_limit``.

    Example:
        >>> from sigprop.layers import selective
        >>> found = predict_output(selective(2, 2, key=jax.random.key(1)), steps=8)
        >>> sorted(found), found["output"].error < 1e-6 * found["output"].value
        (['D', 'W_C', 'output'], True)
    """
    _require_numbers("outputs", layer, scale)
    steps = _require_options(layer, scale, law, steps)
    if isinstance(layer, MatrixGated):
        if steps == 0:
            return {"output": BoundedMoment(0.0, 0.0)}
        before = None if steps is None else steps - 1
        options = {"scale": scale, "law": law, "steps": before}
        return {"output": _matrix_moment(of_output, layer, **options)}
    if isinstance(layer, SLSTM):
        found = squared_outputs(layer, scale=scale, law=law, steps=steps)
        return {"output": _summed([found])}
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        if law is None:
            raise ValueError(
                "need a law for outputs of the delta rule, got Gaussian inputs: queries and "
                "keys are each divided by their length; pass law, or measure"
            )
        W_q = np.asarray(layer.W_q, float)
        parts = [
            delta_outputs(head, rows, law, steps)
            for head, rows in zip(_heads(layer), W_q, strict=True)
        ]
    else:
        parts = []
        for part in parts_of(layer):
            if part.readout is None:
                raise ValueError(
                    f"need neurons() of {type(layer).__name__} to give a readout, got "
                    "none; pass one to sigprop.neuron.describe"
                )
            restricted = _restricted(law, part.columns)
            parts.append(output_moments(part, scale=scale, law=restricted, steps=steps))
    names = dict.fromkeys(name for moments in parts for name in moments)
    return {
        name: _summed(moments[name] for moments in parts if name in moments)
        for name in names
    }


def predict_input_gradient(
    layer: Layer,
    lag: int,
    *,
    scale: float | Float[Any, ""] = 1.0,
    law: Law | None = None,
    steps: int | None = None,
    spread: float | None = None,
) -> BoundedMoment:
    """``E|d(v . h_t)/du_{t-lag}|^2``, summed over inputs, for an error of unit covariance.

    The error ``v`` is at the state.  Of the delta rule it is not known: an input moves
    keys, values and gates at once.

    Args:
        layer: As in ``predict_gated``, but not of the delta rule.
        lag: Steps in between, zero or more.
        scale: As in ``predict_gated``.
        law: As in ``predict_gated``.
        steps: Inputs seen at ``t`` since the zero state, more than the lag; the limit if
            left out.
        spread: As in ``predict_gated``.

    Raises:
        TypeError: As ``predict_gated``, or if the layer is of the delta rule.
        ValueError: As ``predict_gated``, or if the lag is no lag.

    Source: ``sigprop.theory.gated_moments.input_gradient``.

    Example:
        >>> from sigprop.layers import mingru
        >>> layer = mingru(4, 3, key=jax.random.key(1))
        >>> first, later = (predict_input_gradient(layer, n).value for n in (0, 5))
        >>> later < 0.1 * first
        True
    """
    steps = _require_options(layer, scale, law, steps)
    if isinstance(layer, DeltaNet | GatedDeltaNet | MatrixGated):
        raise TypeError(
            "need a layer of numbers a neuron for gradients by inputs, got "
            f"{type(layer).__name__}; measure them"
        )
    return _summed(
        input_gradient_moment(
            part.neurons,
            lag,
            scale=scale,
            law=_restricted(law, part.columns),
            steps=steps,
            spread=spread,
        )
        for part in parts_of(layer)
    )


def _require_options(
    layer: Layer, scale: float | Float[Any, ""], law: Law | None, steps: int | None
) -> int | None:
    """Refuse a scale or a number of steps that is none, and return the steps.

    Raises:
        TypeError: If a layer of the delta rule, or its scale, is traced.
        ValueError: Naming the one.
    """
    if isinstance(layer, DeltaNet | GatedDeltaNet | MatrixGated):
        _require_numbers(type(layer).__name__, layer, scale)
    traced = isinstance(scale, Tracer)
    if not traced and not 0 < scale <= LARGEST:
        raise ValueError(f"need a finite scale > 0 of the inputs, got {scale=}")
    if law is not None and (traced or scale != 1):
        raise ValueError(
            f"need no scale beside a law, which has its own, got {scale=}; multiply the "
            "law's values"
        )
    return (
        None if steps is None else require_count("steps", steps, least=0, most=LONGEST)
    )


def _require_numbers(what: str, *trees: Any) -> None:
    """Refuse arrays that JAX traces.

    Raises:
        TypeError: Naming what needs numbers.
    """
    if namespace(*trees) is not np:
        raise TypeError(
            f"need numbers, not arrays that jit, vmap or grad trace, for {what}, whose "
            "nodes depend on them; differentiate a simulation"
        )


def _summed(moments: Iterable[tuple[Any, Any]]) -> BoundedMoment:
    """The sum of moments and of their errors, each a number or one a neuron."""
    totals: list[Any] = [0.0, 0.0]
    for pair in moments:
        for place, part in enumerate(pair):
            more = part.sum() if np.ndim(part) else part
            totals[place] += more if isinstance(more, Tracer) else float(more)
    return BoundedMoment(*totals)


def squares(
    layer: Layer,
) -> Callable[[Float[Array, "num time d_in"]], dict[str, Float[Array, " num"]]]:
    """Return a function of sequences: ``|h|^2`` and ``|dh/dtheta|^2`` at the last step.

    Raises:
        TypeError: If the layer is of no type that ``covered`` knows.

    Example:
        >>> from sigprop.layers import mingru
        >>> layer = mingru(2, 2, key=jax.random.key(0))
        >>> u = jax.random.normal(jax.random.key(1), (100, 5, 2))
        >>> squares(layer)(u)["state"].shape
        (100,)
    """
    return functools.partial(_squares, layer, names=covered(layer))


@functools.partial(jax.jit, static_argnames="names", compiler_options=SOME)
def _squares(
    layer: Layer, u: Float[Array, "num time d_in"], names: tuple[str, ...]
) -> dict[str, Float[Array, " num"]]:
    values = {name: parameters(layer)[name] for name in names}

    def last(values: dict[str, Array], u: Float[Array, "time d_in"]):
        moved = replace(layer, values)
        h = moved.states(u)
        h = (moved.sums(h) if isinstance(moved, SLSTM) else h)[-1]
        return h, h

    if not names:  # JAX refuses a Jacobian by nothing
        return {"state": (jax.vmap(lambda one: last({}, one)[0])(u) ** 2).sum(1)}
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

    Example:
        >>> from sigprop.layers import mingru
        >>> layer = mingru(2, 2, key=jax.random.key(0))
        >>> law = Law(np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.5, 0.5]))
        >>> every = enumerate_gated(layer, law, 3)["state"]
        >>> exact = predict_gated(layer, law=law, steps=3)["state"].value
        >>> abs(every / exact - 1) < 1e-6
        True
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
