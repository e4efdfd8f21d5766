"""Second moments of the outputs of an sLSTM with constant forget and input gates.

With such gates, ``c_t / n_t`` is a weighted mean of ``z`` at all steps so far.

Source: ``sigprop.theory.slstm.state``.
"""

import numpy as np
from jaxtyping import Float

from sigprop.layers.slstm import SLSTM, require_no_mixing
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
    """Predict ``E y_t^2`` of sLSTM neurons whose forget and input gates are constant.

    The output is ``y_t = o (w_0 z + P)`` with the output gate ``o``,
    ``z = tanh(W_z u + b_z)`` and a weight ``w_0``.  ``P`` is a weighted sum of the
    values of ``z`` at earlier steps.  All weights together sum to one.  ``P`` is
    independent of ``o`` and ``z``, as the inputs are independent in time.

    Args:
        layer: Layer whose matrices ``R_i``, ``R_f``, ``R_z``, ``R_o``, ``W_f`` and
            ``W_i`` are zero.
        scale: Standard deviation of the Gaussian inputs, which are independent of each
            other and in time.
        law: Values of the input vector and their probabilities, in place of Gaussian
            inputs.
        steps: Number of inputs since the zero state.  Default: the limit of infinitely
            many.

    Returns:
        A ``Moment``.  ``value`` is the moment of each neuron.  ``error`` is a bound on
        the absolute error of ``value``, which is due to quadrature.

    Raises:
        TypeError: If a recurrent matrix ``R_i``, ``R_f``, ``R_z`` or ``R_o`` is traced
            by JAX, or is not zero, so that the gates depend on the state.
        ValueError: If ``W_f`` or ``W_i`` is not zero, so that the forget or the input
            gate depends on the input.

    Example:
        >>> import jax
        >>> from sigprop.layers import replace, slstm
        >>> layer = slstm(2, 2, key=jax.random.key(0))
        >>> constant = {"W_f": jax.numpy.zeros((2, 2)), "W_i": jax.numpy.zeros((2, 2))}
        >>> squared_outputs(replace(layer, constant)).value.shape
        (2,)
    """
    require_no_mixing(layer)
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
