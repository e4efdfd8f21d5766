"""Exact second moments of layers whose gates depend only on the current input.

The moments are ``E|h_t|^2`` of the state and ``E|d(v . h_t)/dtheta|^2`` of its derivative
with respect to each parameter.  The error ``v`` at the state has unit covariance and does
not depend on the inputs.  The second moment is thus the sum of ``E (dh/dtheta)^2`` over the
neurons.  Inputs are independent, and Gaussian or of few values.  Moments are taken some
steps after the zero state, or in the limit of infinitely many.  If the output is the
state, ``sigprop.linear.measured_moments`` measures the same moments.

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
from sigprop.neuron.matrix_moments import (
    lagged,
    matrix_moment,
    of_output,
    of_state,
    one_query_a_head,
)
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

MOST = 2**16  # largest number of enumerated sequences


class BoundedMoment(NamedTuple):
    """A second moment and an estimated bound of its numerical error.

    Attributes:
        value: The moment, summed over neurons and, for a gradient, over entries of the
            parameter.
        error: Bound of the absolute error of ``value``, estimated by repeating the
            computation with fewer quadrature nodes.

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
    """The heads of a layer of the delta rule, with NumPy arrays."""
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
    """A layer's maps in double precision, as functions of the nodes of a quadrature rule."""

    layer: MatrixGated

    def numbers(self) -> MatrixGated:
        """The layer in double precision, which must be switched on in JAX."""
        return jax.tree.map(
            lambda leaf: (
                jnp.asarray(leaf, float) if eqx.is_inexact_array(leaf) else leaf
            ),
            self.layer,
        )

    def program(self, u: Float[np.ndarray, "nodes d_in"]) -> dict[str, np.ndarray]:
        """The maps ``A`` and ``B``, queries ``q`` and skips ``z`` of every head, at nodes."""
        with double_precision(True):
            found = _arrays(self.numbers(), jnp.asarray(u))
            return {name: np.asarray(array) for name, array in found.items()}

    def parameter(self, name: str) -> Parameter:
        """A parameter with the derivatives of the maps with respect to its entries."""
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
    """Derivatives of the maps with respect to entries of the vector of all parameters.

    The derivative is zero for the index -1, which means no entry.
    """
    flat, shaped = ravel_pytree(parameters(layer))  # by sorted name

    def maps(flat: Float[Array, " entries"]) -> tuple[Array, Array]:
        return replace(layer, shaped(flat)).maps(u)

    def by(entry: Int[Array, ""]) -> tuple[Array, Array]:
        chosen = (jnp.arange(flat.size) == entry).astype(flat.dtype)
        return jax.jvp(maps, (flat,), (chosen,))[1]

    return jax.vmap(by)(entries)


def _matrix_moment(
    quantity: Callable[..., float],
    layer: MatrixGated,
    arranged: Callable[[Any], Any] = lambda arrays: arrays,
    **options: Any,
) -> BoundedMoment:
    """``sigprop.neuron.matrix_moments.matrix_moment`` of a layer's arrays as ``arranged``."""
    width, maps = layer.widths[0], _Maps(layer)
    return BoundedMoment(
        *matrix_moment(quantity, lambda u: arranged(maps.program(u)), width, **options)
    )


def _matrix_moments(
    change: Callable[[Any], Any] | None,
    layer: MatrixGated,
    names: Sequence[str],
    **options: Any,
) -> dict[str, BoundedMoment]:
    """Moments of the state and of its derivatives with respect to parameters, by name."""
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
    """The neurons of a layer, from its method ``neurons``.

    Raises:
        TypeError: If the layer has no method ``neurons``.
        ValueError: If ``neurons`` names a parameter that the layer does not have, or an
            input channel beyond its width.
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
    """Names of the parameters for which ``predict_gated`` returns moments.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer.
    """
    if isinstance(layer, DeltaNet | GatedDeltaNet):
        return DELTA[type(layer)]
    if isinstance(layer, MatrixGated):
        return tuple(name for name, of in layer.groups().items() if of != "readout")
    return tuple(dict.fromkeys(name for part in parts_of(layer) for name in part.moved))


def _wanted(layer: Layer, names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the requested moments, by default all.

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
    """Predict second moments of layers whose gates depend only on the current input.

    The function predicts moments of the state and of its derivatives with respect to
    parameters.

    Inputs are Gaussian, or take a few values with given probabilities (``law``).
    Gaussian expectations are computed by a quadrature rule, as sums over nodes.

    The function supports ``jit``, ``vmap``, ``grad`` and ``jvp`` with respect to the
    layer and ``scale``.  Exceptions are layers of the delta rule (DeltaNet and
    GatedDeltaNet), ``MatrixGated`` layers, and inputs with ``terms``.  These
    transformations raise no exception for a moment that is infinite after infinitely
    many steps, which is returned as infinity, or for an estimated ``error`` larger than
    the moment, so check it.

    In a ``MatrixGated`` layer, a matrix multiplies the state.  For such a layer,
    Gaussian expectations are means over points of Sobol sequences.  The moment of a
    derivative takes 0.1 seconds on one core for each entry of the parameter if keys
    have 3 entries, and 0.4 seconds if they have 8.  Use ``names`` to restrict the
    result to a few parameters.

    Memory grows as the number of neurons times the number of nodes times the number of
    input channels.  Gates depend on the input through a few linear projections.  A
    projection within a nonlinear function needs about 60 nodes if its standard
    deviation is 1.

    Args:
        layer: A layer of this package whose gates depend only on the current input, or
            a layer of your own with a method ``neurons``; see
            ``sigprop.neuron.neurons``.
        scale: Standard deviation of the Gaussian inputs, which are independent of each
            other and in time.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        terms: List of pairs ``(variance, rho)``, one for each AR(1) process; ``rho`` is
            the correlation of successive steps.  Each input channel is the sum of these
            processes, times ``scale``.  With a ``law``, pass ``((1, rho),)``: each
            input repeats the previous one with probability ``rho`` and is otherwise a
            new sample.  Default: inputs that are independent in time.
        steps: Number of inputs since the zero state.  Default: the limit of infinitely
            many.
        settled: Relative error at which the refinement of the grid for correlated
            inputs (``terms``) stops.
        spread: Largest standard deviation of a gate's argument, which sets the number
            of nodes.  Default: computed from the weights.  It has no effect on
            layers of the delta rule, or if ``terms`` are given.
        names: Names of the moments to return: ``state`` and names of parameters.
            Default: all moments.

    Returns:
        A dictionary of moments with estimated errors.  ``state`` is ``E|h_t|^2``.
        Under the name of each parameter that affects the state:
        ``E|d(v . h_t)/dtheta|^2``, summed over its entries ``theta``.  ``v`` is the
        error backpropagated to the state: a random vector of unit covariance,
        independent of the inputs.  For an ``SLSTM``, ``h_t`` consists of the two sums
        ``c`` and ``n``, without the stabiliser (``SLSTM.sums``).

    Raises:
        TypeError: If gates depend on the state, or the layer has no method ``neurons``;
            if JAX traces the layer or ``scale`` although the layer or the inputs are
            one of the exceptions above.
        ValueError: If ``scale`` is not positive and finite, or is given with a ``law``;
            if ``steps`` is negative, or an entry of ``names`` is unknown.  Also if a
            moment is infinite after infinitely many steps, or its error may exceed it.
            Also if an option is missing: ``spread`` while JAX traces the layer and
            inputs are Gaussian, or ``steps`` for a layer of the delta rule with
            ``terms``.  Also if inputs are not supported: ``terms`` that need too many
            nodes; for a layer of the delta rule, Gaussian inputs with more than one
            term, or with fewer than 2 or more than 5 channels.  Also if a
            ``MatrixGated`` layer has ``terms``, keys that are too large, or so many
            parameter entries that the computation would take minutes.

    Example:
        Moments of the state, and of derivatives with respect to four parameters:

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
    """``predict_gated`` with a deliberate error, for mutants.

    Args:
        change: Function that alters the expectations, the gates of the delta rule, or the
            coefficients of correlated inputs.  For a ``MatrixGated`` layer, it alters
            expectations of derivatives (``neuron.matrix_sensitivities.Crossed``).  If
            None, all of these are right.
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
    """Refuse a moment whose error may exceed its value; traced moments are not checked.

    Args:
        name: Name of the parameter, or ``state``.
        moment: Moment of one neuron or the sum over several.

    Raises:
        ValueError: If the moment's error may exceed its value.
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
    """Predict the autocovariance ``E[h_t . h_{t+lag}]`` of the state of a gated layer.

    The inputs are independent in time.  The result divided by its value at lag zero is
    the autocorrelation of the state.

    Args:
        layer: A layer that ``predict_gated`` accepts.
        lag: Number of steps between the two states, zero or more.
        scale: Standard deviation of the Gaussian inputs.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        steps: Number of inputs from the zero state to step ``t``.  Default: the limit of
            infinitely many.
        spread: Largest standard deviation of a gate's argument, as in ``predict_gated``.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer's type.
        ValueError: If the lag is negative; if ``scale``, ``steps`` or ``spread`` is not
            accepted by ``predict_gated``; if the limit is infinite.

    Source: ``sigprop.theory.gated_moments.lag_limit``.

    Example:
        The autocorrelation of the state at lags 0, 1 and 20:

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
    """Predict the gradient's second moment for the key weights of a delta-rule layer.

    This is ``E|d(v . h_t)/dW_k|^2``, summed over the entries of the key weights
    ``W_k``.  ``v`` is the error backpropagated to the state ``h_t``: a random vector of
    unit covariance, independent of the inputs.  ``predict_gated`` omits this moment
    because its computation takes seconds for each head if the layer has a decay gate
    (GatedDeltaNet).  A few inputs with keys of small norm contribute most of the
    moment, so simulated estimates converge slowly.

    Args:
        layer: DeltaNet or GatedDeltaNet.
        scale: Standard deviation of the Gaussian inputs, which are independent of each
            other and in time.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        steps: Number of inputs since the zero state.  Default: the limit of infinitely
            many.

    Raises:
        TypeError: If the layer is of another type, or JAX traces the layer.
        ValueError: If ``scale`` or ``steps`` is not accepted by ``predict_gated``; if
            the limit is infinite; if a quadrature rule for keys of this size would have
            more than 8 388 608 nodes.

    Source: ``sigprop.neuron.delta_moments.key_gradient``.

    Example:
        The estimated error is below 1 % of the moment:

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
    """Predict second moments of a gated layer's outputs and readout gradients.

    The readout is the part of the layer that computes the outputs from the state.
    Gradients with respect to other parameters are not predicted.

    ``E|y|^2`` needs the moments of all pairs of neurons that contribute to an output.
    With Gaussian inputs this is feasible only if few neurons contribute to each output,
    for example four.  DeltaNet and GatedDeltaNet need a ``law``.  An ``SLSTM`` needs
    constant forget and input gates.

    Args:
        layer: A layer that ``predict_gated`` accepts.
        scale: Standard deviation of the Gaussian inputs, which are independent of each
            other and in time.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        steps: Number of inputs since the zero state, up to the step of the output.
            Default: the limit of infinitely many.

    Returns:
        A dictionary of moments with estimated errors.  ``output`` is ``E|y_t|^2``.
        Under the name of each readout parameter (``W_q``, ``W_C``, ``C`` or ``D``):
        ``E|d(v . y_t)/dtheta|^2``, summed over its entries ``theta``.  ``v`` is the
        error backpropagated to the output: a random vector of unit covariance,
        independent of the inputs.  For a ``MatrixGated`` layer, the dictionary has
        ``output`` only.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer's type, or if JAX
            traces the layer or ``scale``.
        ValueError: If ``scale`` or ``steps`` is not accepted by ``predict_gated``; if a
            limit is infinite; if the layer's method ``neurons`` describes no readout;
            if the quadrature would need too many nodes.  Also, without a ``law``, if a
            gate is not a smooth function of its input or the layer is a DeltaNet or
            GatedDeltaNet.

    Source: ``sigprop.theory.gated_moments.pair_limit``.

    Example:
        The readout of this layer has the parameters ``D`` and ``W_C``:

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
        return {"output": _matrix_moment(of_output, layer, one_query_a_head, **options)}
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
    """Predict the second moment of the gradient with respect to an earlier input.

    This is ``E|d(v . h_t)/du_{t-lag}|^2``, summed over the input channels.  ``v`` is
    the error backpropagated to the state ``h_t``: a random vector of unit covariance,
    independent of the inputs.

    Args:
        layer: A layer that ``predict_gated`` accepts, except DeltaNet, GatedDeltaNet and
            ``MatrixGated`` layers.
        lag: Number of steps from the input to the state, zero or more.
        scale: Standard deviation of the Gaussian inputs, which are independent of each
            other and in time.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        steps: Number of inputs from the zero state to step ``t``, more than ``lag``.
            Default: the limit of infinitely many.
        spread: Largest standard deviation of a gate's argument, as in ``predict_gated``.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer's type, or the layer
            is a DeltaNet, a GatedDeltaNet or a ``MatrixGated`` layer.
        ValueError: If the lag is negative, or not below ``steps``; if ``scale``,
            ``steps`` or ``spread`` is not accepted by ``predict_gated``; if the limit
            is infinite.

    Source: ``sigprop.theory.gated_moments.input_gradient``.

    Example:
        The moment for the input five steps ago is below a tenth of the moment for the
        present input:

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
    """Refuse a scale or a number of steps that is out of range; return the steps.

    Raises:
        TypeError: If JAX traces a layer of the delta rule, a ``MatrixGated`` layer, or
            the scale of such a layer.
        ValueError: If the scale is not positive and finite; if there are a scale and a
            law; if ``steps`` is not a number from 0 to ``LONGEST``.
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
        TypeError: If an array is traced.
    """
    if namespace(*trees) is not np:
        raise TypeError(
            f"need numbers, not arrays that jit, vmap or grad trace, for {what}, whose "
            "nodes depend on them; differentiate a simulation"
        )


def _summed(moments: Iterable[tuple[Any, Any]]) -> BoundedMoment:
    """The sum of moments and the sum of their errors, over neurons too."""
    totals: list[Any] = [0.0, 0.0]
    for pair in moments:
        for place, part in enumerate(pair):
            more = part.sum() if np.ndim(part) else part
            totals[place] += more if isinstance(more, Tracer) else float(more)
    return BoundedMoment(*totals)


def squares(
    layer: Layer,
) -> Callable[[Float[Array, "num time d_in"]], dict[str, Float[Array, " num"]]]:
    """Return a function for estimating the moments of ``predict_gated`` by simulation.

    The returned function runs a batch of random input sequences through the layer.  It
    returns a dictionary of values at the last step of each sequence.  The means of
    these values over the batch estimate the moments.  ``state`` is ``|h|^2``.  Under
    the name of each parameter: ``|dh/dtheta|^2``, summed over its entries ``theta``.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer.

    Example:
        One value for each of 100 sequences of five steps:

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

    if not names:  # JAX has no Jacobian with respect to no parameters
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
    """Compute the moments of ``predict_gated`` by a sum over all input sequences.

    Args:
        layer: A layer that ``predict_gated`` accepts.
        law: Values of the input vector and their probabilities.
        steps: Number of inputs since the zero state.
        rho: Correlation of successive inputs.  With probability ``rho``, an input
            repeats the previous one; otherwise it is a new sample of ``law``.  With a
            negative ``rho``, an input repeats less often than independent inputs do.

    Returns:
        A dictionary of moments, under the names that ``predict_gated`` uses.

    Raises:
        TypeError: If ``predict_gated`` does not accept the layer.
        ValueError: If there are more than 65 536 sequences; if ``steps`` is below one;
            if ``rho`` is above 1, or so negative that a value would repeat with
            negative probability.

    Example:
        The sum over all 8 sequences of three inputs confirms the prediction:

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
