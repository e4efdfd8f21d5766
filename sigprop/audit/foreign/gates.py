"""Moments of gated neurons over a series, for Mamba-1 and RG-LRU.

The predictions are stationary limits for Gaussian inputs.  The inputs are AR(1) processes
with the measured lag-one correlation, or independent in time.  Correlations between
channels are included.  The measured values are means over the second half of each window.
If the moment under white inputs has not reached its limit there, the window is too short.
"""

import dataclasses
import warnings
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from sigprop.audit.foreign.drive import Embedding
from sigprop.audit.foreign.modes import STATE, Chosen
from sigprop.audit.foreign.moments import Moments, moments_of
from sigprop.audit.series import Series
from sigprop.layers.rglru import RGLRU
from sigprop.layers.selective import Selective
from sigprop.networks.foreign.family import time_constant
from sigprop.neuron.correlated_gates import correlated_moment
from sigprop.neuron.gated import (
    coefficients,
    gated_sensitivity_moment,
    gated_state_moment,
)
from sigprop.neuron.neurons import Neurons
from sigprop.theory import gates

RUNGS = ("AR(1)", "Gaussian, white")
SLOPES = {"W_a": "r", "b_a": "r", "W_x": "i", "b_x": "i", "Lambda": "Lambda"}
"""Symbol of ``sigprop.theory.gates.RGLRU`` that each parameter of an RG-LRU changes."""


class Gated(NamedTuple):
    """Moments and time constants of gated neurons over a series.

    Attributes:
        moments: Moments of the state, and of its derivative by the neuron's decay
            parameter.
        time_constant: ``1/(1 - exp(mean(log a)))`` of each neuron, in steps, with the mean
            over the series.
        rho: Lag-one correlation of the channels.
        infinite: Number of predicted moments that are infinite or have no closed form.
    """

    moments: tuple[Moments, ...]
    time_constant: Float[np.ndarray, " n"]
    rho: float
    infinite: int


def neurons_of(
    layer: RGLRU | Selective, indices: Int[np.ndarray, " n"]
) -> tuple[Neurons, str, str]:
    """Describe some neurons of a layer by their weights over all channels.

    Args:
        layer: RG-LRU or Mamba-1 layer.
        indices: Indices of the neurons.

    Returns:
        The neurons, the symbol of their decay parameter in ``sigprop.theory.gates``, and
        the name of this parameter in the layer.
    """
    if isinstance(layer, RGLRU):
        size = layer.W_a.shape[1]
        heads, rows = indices // size, indices % size
        weights = np.zeros((len(indices), 3, layer.state_size))
        for n, (head, row) in enumerate(zip(heads, rows, strict=True)):
            some = slice(head * size, (head + 1) * size)
            weights[n, 0, some] = layer.W_a[head, row]
            weights[n, 1, some] = layer.W_x[head, row]
        weights[np.arange(len(indices)), 2, indices] = 1
        offsets = np.stack([layer.b_a[indices], layer.b_x[indices], 0 * indices], 1)
        own = np.asarray(layer.Lambda, float)[indices, None]
        return (
            Neurons(gates.RGLRU, weights, offsets.astype(float), own),
            "Lambda",
            "Lambda",
        )
    channel, state = np.divmod(indices, layer.A_log.shape[1])
    gate = np.asarray(layer.V, float)[channel] @ np.asarray(layer.U, float)
    entering = np.asarray(layer.W_B, float)[state]
    alone = np.zeros_like(gate)
    alone[np.arange(len(indices)), channel] = 1
    bias = np.asarray(layer.bias, float)[channel]
    offsets = np.stack([bias, np.zeros_like(bias), np.zeros_like(bias)], 1)
    own = np.asarray(layer.A_log, float)[channel, state][:, None]
    rows = np.stack([gate, entering, alone], 1)
    return Neurons(gates.SELECTIVE, rows, offsets, own), "A", "A_log"


def gated_moments(
    chosen: Chosen, series: Series, embedding: Embedding, seed: int
) -> Gated:
    """Measure and predict the state and its derivative for every chosen neuron.

    Args:
        chosen: Neurons of the kind ``gated``.
        series: Inputs.
        embedding: Map from features to the layer's channels.
        seed: Seed of the bootstrap.
    """
    layer: Any = chosen.layer
    neurons, symbol, name = neurons_of(layer, chosen.indices)
    rows = neurons.weights @ embedding.mixing
    driven = neurons._replace(weights=rows @ _root(series))
    rho = _lag_one(series.values, embedding)
    squares, logs = _run(neurons._replace(weights=rows), series.values, symbol)
    moments_of_quantities, infinite = [], 0
    for quantity, by, windows in (
        (STATE, None, squares[0]),
        (f"dh/d{name}", symbol, squares[1]),
    ):
        predicted = np.array(
            [_predict(driven, by, terms) for terms in ([(1.0, rho)], None)]
        )
        infinite += int(np.isnan(predicted).sum())
        built = _second_half(driven, by, series.values.shape[1]) / predicted[1]
        moments = moments_of(quantity, windows, predicted, series, seed)
        moments_of_quantities.append(dataclasses.replace(moments, reached=built))
    times = time_constant(-logs)
    return Gated(tuple(moments_of_quantities), times, rho, infinite)


def gated_trace(layer: RGLRU, series: Series, embedding: Embedding) -> dict[str, float]:
    """Return the trace of an RG-LRU's loss Hessian at the optimum, by parameter.

    The output of the layer is its state.  The result is exact for Gaussian inputs that are
    independent in time, averaged over the steps of a window from the zero state.
    Correlations between channels are included.

    Args:
        layer: RG-LRU layer.
        series: Series whose second moments the inputs have.
        embedding: Map from features to the layer's channels.
    """
    steps, size = series.values.shape[1], layer.W_a.shape[1]
    root, totals = _root(series), dict.fromkeys(SLOPES, 0.0)
    for head in range(len(layer.W_a)):
        indices = np.arange(head * size, (head + 1) * size)
        neurons = neurons_of(layer, indices)[0]
        driven = neurons._replace(weights=neurons.weights @ embedding.mixing @ root)
        rows = embedding.mixing[indices] @ root
        for name, by in SLOPES.items():
            directions = rows if name.startswith("W") else None
            moment = gated_sensitivity_moment(
                driven, by, directions=directions, steps=steps, average=True
            )
            totals[name] += float(moment.value.sum())
    return totals


def _root(series: Series) -> Float[np.ndarray, "f f"]:
    """Return ``R`` for which ``R R^T`` is the second-moment matrix of the features."""
    flat = series.values.reshape(-1, series.values.shape[2])
    values, vectors = np.linalg.eigh(flat.T @ flat / len(flat))
    return vectors * np.sqrt(np.maximum(values, 0))


def _lag_one(features: Float[np.ndarray, "num time f"], embedding: Embedding) -> float:
    """Return the correlation of neighbouring steps, averaged over channels by power."""
    gram = embedding.mixing.T @ embedding.mixing
    early, late = features[:, :-1], features[:, 1:]
    above = np.einsum("ntf,fg,ntg->", late, gram, early, optimize=True)
    power = [
        np.einsum("ntf,fg,ntg->", x, gram, x, optimize=True) for x in (early, late)
    ]
    return float(np.clip(2 * above / sum(power), -0.999, 0.999))


def _predict(
    neurons: Neurons, by: str | None, terms: list[tuple[float, float]] | None
) -> Float[np.ndarray, " n"]:
    """Return the stationary limit of each neuron's moment; NaN if it is infinite."""
    values = np.full(len(neurons.weights), np.nan)
    for index in range(len(values)):
        neuron = neurons.some(slice(index, index + 1))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                if terms is not None:
                    moment = correlated_moment(neuron, by, terms=terms)
                elif by is None:
                    moment = gated_state_moment(neuron)
                else:
                    moment = gated_sensitivity_moment(neuron, by)
        except ValueError:
            continue
        values[index] = moment.value[0]
    return values


def _second_half(
    neurons: Neurons, by: str | None, steps: int
) -> Float[np.ndarray, " n"]:
    """Return a moment averaged over a window's second half, for white Gaussian inputs."""
    half = steps // 2

    def total(until: int) -> Float[np.ndarray, " n"]:
        options: Any = {"steps": until, "average": True}
        if by is None:
            return until * gated_state_moment(neurons, **options).value
        return until * gated_sensitivity_moment(neurons, by, **options).value

    return (total(steps) - total(half)) / (steps - half)


def _run(
    neurons: Neurons, features: Float[np.ndarray, "num time f"], by: str
) -> tuple[Float[np.ndarray, "2 num n"], Float[np.ndarray, " n"]]:
    """Run neurons over a series.

    Returns:
        The mean squares of the state and of its derivative over the second half of each
        window, and the mean of ``log a`` of each neuron.
    """
    num, steps, _ = features.shape
    n = len(neurons.weights)
    h, s = np.zeros((2, n, num))
    sums, logs = np.zeros((2, n, num)), np.zeros(n)
    for t in range(steps):
        at = neurons.weights @ features[:, t].T
        a, b, c, d = coefficients(neurons, at, by)
        s = a * s + c * h + d
        h = a * h + b
        if t >= steps // 2:
            sums += np.stack([h**2, s**2])
        with np.errstate(divide="ignore"):
            logs += np.log(np.abs(a)).mean(1)
    return np.moveaxis(sums / (steps - steps // 2), 2, 1), logs / steps
