"""Description of a gated layer by its neurons and the effect of its parameters on them.

A layer whose gates depend only on the input has a method ``neurons``.  The method returns
one ``Part`` for each set of neurons that read the same inputs.  With this method, the
function ``sigprop.linear.predict_gated`` works for your own layers too:

    >>> import jax, jax.numpy as jnp
    >>> from jax.nn import sigmoid
    >>> from sigprop.layers import InputGated
    >>> from sigprop.linear import predict_gated, squares
    >>> from sigprop.neuron import Moved, describe
    >>> from sigprop.theory import gates
    >>> f, z = gates.symbols("f z", real=True)
    >>> bounded = 0.5 + 0.5 * gates.sigmoid(f)  # HGRN: a gate with a lower bound
    >>> gate = gates.Gate(bounded, (1 - bounded) * z, (f, z))
    >>> class HGRN(InputGated):
    ...     W_f: jax.Array
    ...     b_f: jax.Array
    ...     W_z: jax.Array
    ...     widths = property(lambda self: self.W_f.shape[::-1])
    ...     state_size = property(lambda self: len(self.W_f))
    ...
    ...     def initial_state(self):
    ...         return jnp.zeros_like(self.b_f)
    ...
    ...     def gates(self, u):
    ...         a = 0.5 + 0.5 * sigmoid(u @ self.W_f.T + self.b_f[None])
    ...         return a, (1 - a) * (u @ self.W_z.T)
    ...
    ...     def read(self, h, u):
    ...         return h
    ...
    ...     def groups(self):
    ...         return {"W_f": "recurrent", "b_f": "recurrent", "W_z": "input"}
    ...
    ...     def neurons(self):
    ...         moved = {"W_f": Moved("f", "each"), "W_z": Moved("z", "each")}
    ...         moved = {**moved, "b_f": Moved("f")}
    ...         rows = {"f": self.W_f, "z": self.W_z}
    ...         return [describe(gate, rows, offsets={"f": self.b_f}, moved=moved)]
    >>> W_f, W_z = jax.random.normal(jax.random.key(1), (2, 4, 3))
    >>> layer = HGRN(W_f, jnp.ones(4), W_z)
    >>> predicted = predict_gated(layer, steps=20)
    >>> u = jax.random.normal(jax.random.key(2), (4096, 20, 3))
    >>> for name, samples in squares(layer)(u).items():
    ...     mean, sem = samples.mean(), samples.std() / 64
    ...     assert abs(mean - predicted[name].value) < 5 * sem, name
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from sigprop.numerics.arguments import require_count, require_within
from sigprop.numerics.tracing import namespace
from sigprop.theory.gates import Gate

Directions = Float[Any, "directions d_in"] | Literal["each"] | None


class Neurons(NamedTuple):
    """Neurons with the same recurrence: its ``gate``, and the weights of each neuron.

    The gate depends on the input through ``k`` projections.  A projection is the
    product of a weight vector and the input, plus an offset.

    Attributes:
        gate: Recurrence of a neuron as a function of its ``k`` projections of the input.
        weights: Weight vectors of the projections of each neuron, in the order of
            ``gate.projections``.
        offsets: Constants that are added to the projections of each neuron.
        parameters: Values of the gate's own parameters for each neuron, in the order of
            ``gate.parameters``.  Such a parameter is neither a weight nor an offset of
            a projection.

    Example:
        >>> import jax
        >>> from sigprop.layers import mingru
        >>> (part,) = mingru(4, 2, key=jax.random.key(0)).neurons()
        >>> part.neurons.weights.shape, part.neurons.offsets.shape  # 4 neurons
        ((4, 2, 2), (4, 2))
    """

    gate: Gate
    weights: Float[Any, "neurons k d_in"]
    offsets: Float[Any, "neurons k"]
    parameters: Float[Any, "neurons parameters"]

    def some(self, which: Any) -> "Neurons":
        """Return the neurons that a slice, a mask or an array of indices selects."""
        return Neurons(
            self.gate,
            self.weights[which],
            self.offsets[which],
            self.parameters[which],
        )

    def nonlinear_first(self) -> "Neurons":
        """Return the same neurons with their projections in another order.

        The projections in which the gate is nonlinear precede the projections in which
        it is linear.
        """
        gate = self.gate
        order = gate.nonlinear + gate.linear
        if order == gate.projections:
            return self
        places = np.array([gate.projections.index(one) for one in order])
        sorted_gate = Gate(gate.a, gate.b, order, gate.parameters, gate.lost)
        return self._replace(
            gate=sorted_gate,
            weights=self.weights[:, places],
            offsets=self.offsets[:, places],
        )


class Moved(NamedTuple):
    """Effect of one parameter of a layer on the layer's neurons.

    A projection of the input is the product of a weight vector and the input, plus an
    offset.  The gate of a neuron depends on projections and on gate parameters.

    Attributes:
        by: Name of the projection or the gate parameter that depends on the layer's
            parameter.
        directions: ``each`` if the layer's parameter is the weight matrix of the
            projection.  An array, if each entry of the parameter shifts the
            projection's weight vectors along the corresponding row of the array.  None
            if the parameter is a bias of the projection or a gate parameter.
        factor: Factor that multiplies the second moment of the derivative of the state
            with respect to the parameter.  It is one number or an array of shape
            (neurons,).

    Example:
        >>> Moved("r", "each", factor=2.0)
        Moved(by='r', directions='each', factor=2.0)
    """

    by: str
    directions: Directions = None
    factor: float | Float[Any, " neurons"] = 1.0


class Reads(NamedTuple):
    """Effect of one parameter of a layer on the layer's outputs.

    Attributes:
        what: Array of the ``Readout`` to which the entries of the parameter belong:
            ``rows`` (weights of the queries), ``mixing`` or ``skip``.
        factor: Factor that multiplies the second moment of the derivative of the
            outputs with respect to the parameter.  For ``rows`` it is ``c**2`` if the
            rows are ``c`` times the parameter.  For ``mixing`` and ``skip`` it is the
            number of outputs that one entry of the parameter connects to a neuron or an
            input.

    Example:
        >>> Reads("mixing")
        Reads(what='mixing', factor=1.0)
    """

    what: Literal["rows", "mixing", "skip"]
    factor: float = 1.0


class Readout(NamedTuple):
    """Map from states to outputs ``y_o = sum_n mixing[o, n] q_n h_n + skip[o] u``.

    ``h_n`` is the state of neuron ``n``.  Its query ``q_n = rows_n u + offsets_n``
    depends on the input ``u`` of the same step.

    Attributes:
        mixing: Constant weight of each neuron in each output.
        rows: Weights of each neuron's query, with a column for each input that the
            neurons read.
        offsets: Constant that is added to each neuron's query.
        skip: Weight of each input in each output.
        moved: For each parameter of the layer, by name: the array of the readout that it
            enters; see ``Reads``.

    Example:
        >>> from sigprop.neuron import read_by
        >>> readout = read_by(np.eye(2), width=3)
        >>> readout.mixing.shape, readout.rows.shape, readout.skip.shape
        ((2, 2), (2, 3), (2, 3))
    """

    mixing: Float[Any, "outputs neurons"]
    rows: Float[Any, "neurons d_in"]
    offsets: Float[Any, " neurons"]
    skip: Float[Any, "outputs d_in"]
    moved: Mapping[str, Reads]


class Part(NamedTuple):
    """Set of neurons of a layer that have the same gate and read the same inputs.

    It includes the effects of the layer's parameters on the neurons.

    Attributes:
        neurons: Gate and weights of the neurons.
        columns: Indices of the layer's inputs that the neurons read, in the order of
            the columns of the weights.
        moved: For each parameter of the layer, by name: the weights of the neurons that
            it enters; see ``Moved``.
        readout: Map from the states of the neurons to the layer's outputs, or None if
            only moments of states are needed.  Two parts of a layer must not contribute
            to the same output.

    Example:
        >>> import jax
        >>> from sigprop.layers import mingru
        >>> (part,) = mingru(4, 2, key=jax.random.key(0)).neurons()
        >>> part.columns, sorted(part.moved)
        (array([0, 1]), ['W_v', 'W_z', 'b_v', 'b_z'])
    """

    neurons: Neurons
    columns: Int[np.ndarray, " d_in"]
    moved: Mapping[str, Moved]
    readout: Readout | None = None


@runtime_checkable
class GatedLayer(Protocol):
    """Protocol of a layer whose gates depend only on the input.

    Its method ``neurons`` returns one ``Part`` for each set of neurons that read the
    same inputs.  The page of the module ``sigprop.neuron.neurons`` has a complete
    example.

    Example:
        >>> import jax
        >>> from sigprop.layers import lru, mingru
        >>> layers = [one(4, 4, key=jax.random.key(0)) for one in (lru, mingru)]
        >>> [isinstance(layer, GatedLayer) for layer in layers]  # the LRU has no gates
        [False, True]
    """

    def neurons(self) -> Sequence[Part]:
        """Return one ``Part`` for each set of neurons that read the same inputs."""
        ...


def describe(
    gate: Gate,
    rows: Mapping[str, Any],
    *,
    offsets: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    moved: Mapping[str, Moved] | None = None,
    columns: Any = None,
    readout: Readout | None = None,
) -> Part:
    """Return a ``Part`` for neurons with a given gate and given weight arrays.

    Args:
        gate: Recurrence of a neuron as a function of its projections of the input.
        rows: Weight matrix (neurons, d_in) of each projection, by projection name.
        offsets: Constants that are added to projections, by projection name.  Each is one
            number or an array of shape (neurons,).  Default: zero.
        parameters: Values of each gate parameter, by parameter name.  Each is one
            number or an array of shape (neurons,).  Default: none, for a gate without
            parameters.
        moved: For each parameter of the layer, by name: the weights of the neurons that
            it enters; see ``Moved``.  Default: none.
        columns: Indices of the layer's inputs that the neurons read.  Default: the first
            ``d_in``.
        readout: Map from the states of the neurons to the layer's outputs.  Default:
            none, so that only moments of states can be predicted.

    Raises:
        ValueError: If the names in ``rows``, ``offsets`` or ``parameters``, or ``by``
            of a value of ``moved``, do not match the gate; if an array has a wrong
            shape; if a weight or an offset is not finite; or if a parameter is NaN.

    Example:
        >>> from sigprop.theory.gates import GATE_UNIT
        >>> part = describe(GATE_UNIT, {"r": np.ones((2, 3)), "x": np.eye(2, 3)})
        >>> part.neurons.weights.shape, part.columns  # 2 neurons, 2 projections
        ((2, 2, 3), array([0, 1, 2]))
    """
    names, own = ([str(s) for s in row] for row in (gate.projections, gate.parameters))
    offsets, parameters, moved = offsets or {}, parameters or {}, dict(moved or {})
    _require_names("rows of the projections", names, rows)
    _require_names("parameters", own, parameters)
    if not set(offsets) <= set(names):
        raise ValueError(f"need offsets of {_list(names)}, got {_list(offsets)}")
    xp = namespace(rows, offsets, parameters)
    weights: list[Any] = []
    for name in names:
        require_within(f"rows of the projection {name}", rows[name])
        row = xp.asarray(rows[name], float)
        if row.ndim != 2 or row.shape != (weights or [row])[0].shape:
            wanted = weights[0].shape if weights else "(neurons, d_in)"
            raise ValueError(
                f"need rows of the projection {name} of shape {wanted}, got {row.shape}"
            )
        weights.append(row)
    n, width = weights[0].shape

    def numbers(name: str, value: Any, brackets: str = "()") -> Float[Any, " n"]:
        require_within(name, value, brackets=brackets)
        array = xp.asarray(value, float)
        if array.shape not in ((), (n,)):
            raise ValueError(f"need {name} of shape ({n},), got {array.shape}")
        return xp.broadcast_to(array, (n,))

    columns = np.arange(width) if columns is None else np.asarray(columns)
    if columns.shape != (width,) or columns.dtype.kind not in "iu":
        raise ValueError(
            f"need columns of shape ({width},), the whole number of an input for each "
            f"weight of a row, got {_shown(columns)}"
        )
    _require_kind(moved, Moved)
    for name, how in moved.items():
        if how.by not in (*names, *own):
            raise ValueError(
                f"need {name} to move one of {_list((*names, *own))}, got {how.by}"
            )
    shifts = [numbers(f"the offset of {one}", offsets.get(one, 0.0)) for one in names]
    mine = [numbers(f"the parameter {one}", parameters[one], "[]") for one in own]
    neurons = Neurons(
        gate,
        xp.stack(weights, 1),
        xp.stack(shifts, 1),
        xp.stack(mine, 1) if mine else xp.zeros((n, 0)),
    )
    return Part(neurons, columns, moved, readout)


def read_by(
    mixing: Any,
    rows: Any = None,
    *,
    width: int,
    skip: Any = None,
    moved: Mapping[str, Reads] | None = None,
) -> Readout:
    """Return a ``Readout`` with constant queries, or with queries linear in the input.

    The query of a neuron is the factor of its state in the outputs; see ``Readout``.

    Args:
        mixing: Constant weight of each neuron in each output, of shape (outputs,
            neurons).
        rows: Weight of each input in each neuron's query, of shape (neurons, width).
            Default: every query is the constant 1.
        width: Number of inputs that the neurons read.
        skip: Weight of each input in each output, of shape (outputs, width).  Default:
            zero.
        moved: For each parameter of the layer, by name: the array of the readout that it
            enters; see ``Reads``.  Default: none.

    Raises:
        ValueError: If an array has a wrong shape or a value that is not finite, or if a
            value of ``moved`` is not a ``Reads``.

    Example:
        >>> read_by(np.eye(2), width=3).offsets  # constant queries of 1
        array([1., 1.])
    """
    xp = namespace(mixing, rows, skip)
    width = require_count("width", width)
    require_within("mixing", mixing)
    mixing = xp.asarray(mixing, float)
    if mixing.ndim != 2 or not mixing.size:
        raise ValueError(
            f"need mixing of shape (outputs, neurons), got {_shown(mixing)}"
        )
    outputs, n = mixing.shape
    offsets = np.ones(n) if rows is None else np.zeros(n)
    arrays = {"rows": (rows, "neurons", n), "skip": (skip, "outputs", outputs)}
    whole = []
    for name, (value, count, length) in arrays.items():
        given = np.zeros((length, width)) if value is None else value
        require_within(name, given)
        array = xp.asarray(given, float)
        if array.shape != (length, width):
            raise ValueError(
                f"need {name} of shape ({count}, width) = {length, width}, got "
                f"{_shown(array)}"
            )
        whole.append(array)
    moved = dict(moved or {})
    _require_kind(moved, Reads)
    return Readout(mixing, whole[0], offsets, whole[1], moved)


def _shown(array: Any) -> str:
    """Describe an array of a wrong shape, for a message."""
    return f"shape {array.shape}" if array.shape else str(array)


def _require_kind(moved: Mapping[str, Any], kind: type) -> None:
    for name, how in moved.items():
        if not isinstance(how, kind):
            raise ValueError(
                f"need moved of {kind.__name__}, got {how!r} for {name}; write "
                f"{kind.__name__}(...)"
            )


def _list(names: Any) -> str:
    return ", ".join(names) or "none"


def _require_names(what: str, names: Sequence[str], given: Mapping[str, Any]) -> None:
    if set(given) != set(names):
        raise ValueError(f"need {what} {_list(names)} of the gate, got {_list(given)}")
