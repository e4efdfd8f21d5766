"""Outputs of an sLSTM whose forget and input gates are constant: weighted means of inputs.

Notation: ``o``, ``z``  output gate and squashed input of one step;  ``w_0``  weight of the
newest input;  ``S``  sum of all squared weights.

Source: ``sigprop.theory.slstm.state``.
"""

import numpy as np
from jaxtyping import Float

from sigprop.layers.slstm import SLSTM
from sigprop.neuron.gated import Moment, gated_state_moment
from sigprop.neuron.neurons import describe
from sigprop.neuron.quadrature import Law
from sigprop.theory.slstm import PRODUCTS


def squared_outputs(
    layer: SLSTM,
    *,
    scale: float = 1.0,
    law: Law | None = None,
    steps: int | None = None,
) -> Moment:
    """Return ``E y_t^2`` of every neuron, and how far quadrature may be off.

    ``y = o (w_0 z + P)``, where ``P`` is a weighted mean of earlier inputs, which are
    independent of ``o`` and ``z``.

    Args:
        layer: Layer with recurrent matrices, ``W_f`` and ``W_i`` of zeros.
        scale: Standard deviation of the inputs, which are independent and Gaussian.
        law: Another law of each input vector.
        steps: Inputs seen since the zero state; the limit if left out.

    Raises:
        TypeError: If the gates see the state.
        ValueError: If the forget or the input gate sees the input.

    Example:
        >>> import jax
        >>> from sigprop.layers import replace, slstm
        >>> layer = slstm(2, 2, key=jax.random.key(0))
        >>> constant = {"W_f": jax.numpy.zeros((2, 2)), "W_i": jax.numpy.zeros((2, 2))}
        >>> squared_outputs(replace(layer, constant)).value.shape
        (2,)
    """
    layer.neurons()  # refuses gates that see the state
    if np.any(layer.W_f) or np.any(layer.W_i):
        raise ValueError(
            "need W_f and W_i of zeros for the outputs of an SLSTM, got others: the moment "
            "of a quotient of random sums has no closed form; predict_gated has the moments "
            "of both sums"
        )
    if steps == 0:
        return Moment(np.zeros(layer.widths[1]), np.zeros(layer.widths[1]))
    rows = {"r": layer.W_o, "v": layer.W_z}
    offsets = {"r": layer.b_o, "v": layer.b_z}
    value, error = {}, {}
    for name, gate in PRODUCTS.items():
        neurons = describe(gate, rows, offsets=offsets).neurons
        value[name], error[name] = gated_state_moment(
            neurons, scale=scale, law=law, steps=1
        )
    # The square of a sum, less both squares, is twice the product.
    mean = (value["1 + z"] - 1 - value["z"]) / 2
    mean_error = (error["1 + z"] + error["z"]) / 2
    cross = (value["o + oz"] - value["oz"] - value["o"]) / 2
    cross_error = (error["o + oz"] + error["oz"] + error["o"]) / 2
    newest, squared = _weights(layer, steps)
    spread, rest = squared - newest**2, (1 - newest) ** 2
    earlier = spread * (value["z"] - mean**2) + rest * mean**2
    both = 2 * newest * (1 - newest)
    moved = spread * error["z"] + 2 * abs(mean) * (spread + rest) * mean_error
    return Moment(
        newest**2 * value["oz"] + both * cross * mean + value["o"] * earlier,
        newest**2 * error["oz"]
        + both * (abs(cross) * mean_error + abs(mean) * cross_error)
        + earlier * error["o"]
        + value["o"] * moved,
    )


def _weights(
    layer: SLSTM, steps: int | None
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """The weight of the newest input, and the sum of all squared weights."""
    b_f = np.asarray(layer.b_f, float)
    logs = -np.logaddexp(0.0, -b_f) if layer.forget == "sigmoid" else b_f
    if steps is None:
        return np.maximum(-np.expm1(logs), 0.0), np.tanh(abs(logs) / 2)
    even = logs == 0
    logs = np.where(even, 1.0, logs)
    newest = np.expm1(logs) / np.expm1(steps * logs)
    squared = np.tanh(logs / 2) / np.tanh(steps * logs / 2)
    return np.where(even, 1 / steps, newest), np.where(even, 1 / steps, squared)
