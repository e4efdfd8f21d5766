"""Moments of single gated neurons, compared with the theory of constant gates.

Many networks of the simplified gated unit are run, each on its own sequence.  After the last
step, ``h^2`` and ``(dh/db_f)^2`` of every neuron are measured against the time constant ``T``.
The gate at zero input is ``lam = T/(1 + T)``.  Gates are constant, or depend on the input,
or on input and state.  Means are smoothed by the paper's kernel.  The theory is Eq. 160 and
161 in the limit, and the same sums after as many steps from the zero state.

A second part tests effective eigenvalues, for inputs of several sizes.  It compares the mean
square of a layer's states with that of the layer linearised at zero.

Source: Zucchet & Orvieto (2024), Appendix D.3 and Figure 15.
"""

import functools
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, PRNGKeyArray
from rich.console import Console
from rich.table import Table

from sigprop.evidence.zucchet.experiments.gate_dependence import finite_moments
from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, parameters, replace
from sigprop.layers.gated import GatedUnit, constant_gate, gated_unit
from sigprop.layers.gru import gru
from sigprop.layers.lstm import lstm
from sigprop.linear.linearise import Perturbed, diagonalise, linearise
from sigprop.linear.predicted_moments import predict
from sigprop.numerics.precision import double_precision
from sigprop.tasks.sequences import EMBEDDINGS, stand_in
from sigprop.theory import gated
from sigprop.theory.symbols import a, b, lam, rho

STUDY, VERSION = "gated_neurons", 2
TIMES = (1.0, 256.0)
GATES = ("constant", "input", "input and state")
QUANTITIES = ("state", "bias sensitivity")
LAYERS = ("unit, input", "unit, input and state", "GRU", "LSTM")
APART = 2**31 - 1  # separates the keys of layers from those of sequences
KERNEL = 100.0  # twice the squared width of the kernel, Figure 15


@dataclass(frozen=True)
class Config:
    """Sizes of both parts.

    Attributes:
        neurons: Neurons and inputs of each network in the first part.
        networks: Number of networks, each with its own sequence.
        steps: Length of a sequence.
        places: Number of time constants with a mean and a prediction.
        sizes: Factors on the inputs of the layers in the second part.
        width: Neurons and inputs of these layers.
        drawn: Number of these layers of each kind.
        sequences: Sequences that each of these layers reads.
        seed: Seed of all random numbers.
    """

    neurons: int = 64
    networks: int = 100
    steps: int = 512
    places: int = 33
    sizes: tuple[float, ...] = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
    width: int = 64
    drawn: int = 4
    sequences: int = 32
    seed: int = 0


SMOKE = Config(
    neurons=6,
    networks=12,
    steps=24,
    places=5,
    sizes=(0.25, 1.0),
    width=6,
    drawn=2,
    sequences=8,
)
QUICK = Config()
PAPER = Config(neurons=256)


def unit(gates: str, index: int, config: Config) -> Layer:
    """Draw the unit of one network; all kinds of gates have the same biases."""
    key, n = _key(config.seed, index), config.neurons
    if gates == "constant":
        return constant_gate(n, n, key=key, d_out=1, times=TIMES)
    return gated_unit(
        n, n, key=key, d_out=1, times=TIMES, state_gain=float(gates != "input")
    )


def _key(seed: int, index: int) -> PRNGKeyArray:
    layers = jax.random.fold_in(jax.random.key(seed), APART)
    return jax.random.fold_in(layers, index)


@eqx.filter_jit
def look(
    layer: Layer, u: Float[Array, "time n"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Return the last states, and the derivative of each by the bias of its own gate."""
    bias = parameters(layer)["b_f"]

    def last(bias: Float[Array, " n"]) -> Float[Array, " n"]:
        return replace(layer, {"b_f": bias}).states(u)[-1]

    if isinstance(layer, GatedUnit) and layer.W_fh is not None:
        return last(bias), jnp.diagonal(jax.jacfwd(last)(bias))
    h, pull = jax.vjp(last, bias)
    return h, pull(jnp.ones_like(h))[0]  # neurons do not interact


def theory(time: float, steps: int) -> Float[np.ndarray, "quantities two"]:
    """Return both moments of a constant gate, in the limit and after some steps.

    Source: Zucchet & Orvieto (2024), Eq. 160-161.
    """
    gate = time / (1 + time)
    at = {a: EMBEDDINGS.a, b: EMBEDDINGS.b, rho: EMBEDDINGS.rho, lam: gate}
    state, sensitivity = (float(form.subs(at)) for form in _limits())
    limits = state, sensitivity * (gate * (1 - gate)) ** 2
    return np.stack([limits, finite_moments(time, steps)], 1)


@functools.cache
def _limits() -> tuple[Any, Any]:
    forms = gated.printed_state(), gated.printed_sensitivity()
    return tuple(form.on("mixed") for form in forms)  # type: ignore[return-value]


def smoothed(
    time: Float[np.ndarray, " samples"],
    values: Float[np.ndarray, " samples"],
    centres: Float[np.ndarray, " centres"],
) -> tuple[Float[np.ndarray, " centres"], Float[np.ndarray, " centres"]]:
    """Return kernel means at some time constants, and standard errors.

    Standard errors assume independent samples.
    """
    weight = np.exp(-((centres[:, None] - time[None]) ** 2) / KERNEL)
    weight /= weight.sum(1, keepdims=True)
    mean = weight @ values
    off = (values[None] - mean[:, None]) ** 2
    return mean, np.sqrt(np.sum(weight**2 * off, 1))


def neurons(config: Config) -> xr.Dataset:
    """Measure and predict the moments of single neurons."""
    read = stand_in(config.networks, config.steps, config.neurons, config.seed)
    tick = counter(len(GATES) * config.networks, "networks")
    times, squares = [], []
    for gates in GATES:
        for index in range(config.networks):
            layer = unit(gates, index, config)
            moments = look(layer, jnp.asarray(read.take(index, 1)[0]))
            times.append(np.exp(np.asarray(parameters(layer)["b_f"], float)))
            squares.append([np.asarray(values, float) ** 2 for values in moments])
            tick()
    shape = (len(GATES), config.networks)
    time = np.reshape(times, (*shape, config.neurons))
    square = np.reshape(squares, (*shape, len(QUANTITIES), config.neurons))
    centres = np.linspace(*TIMES, config.places)
    means = np.array(
        [
            [
                smoothed(t.ravel(), by_network[:, i].ravel(), centres)
                for i in range(len(QUANTITIES))
            ]
            for t, by_network in zip(time, square, strict=True)
        ]
    )
    forms = np.stack([theory(float(centre), config.steps) for centre in centres])
    units = {"units": "mean square, dimensionless"}
    dims = ("gates", "quantity", "place")
    return xr.Dataset(
        {
            "time": (
                ("gates", "network", "neuron"),
                time.astype(np.float32),
                {"units": "steps"},
            ),
            "square": (
                ("gates", "network", "quantity", "neuron"),
                square.astype(np.float32),
                units,
            ),
            "mean": (dims, means[:, :, 0], units),
            "sem": (dims, means[:, :, 1], units),
            "limit": (dims[1:], forms[:, :, 0].T, units),
            "finite": (dims[1:], forms[:, :, 1].T, units),
        },
        {"gates": list(GATES), "quantity": list(QUANTITIES), "place": centres},
    )


def layer_of(name: str, index: int, config: Config) -> Layer:
    """Draw a layer of the second part, which tests effective eigenvalues."""
    key, n = _key(config.seed + 1, index), config.width
    if name == "GRU":
        return gru(n, n, key=key, d_out=1, times=TIMES)
    if name == "LSTM":
        return lstm(n, n, key=key, d_out=1, times=TIMES)
    gain = float(name != "unit, input")
    return gated_unit(n, n, key=key, d_out=1, times=TIMES, state_gain=gain)


def at_rest(layer: Layer, steps: int) -> float:
    """Return ``E|h|^2`` of the layer linearised at zero, for inputs of size one."""
    with double_precision(True):
        values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
        wide = replace(layer, {name: jnp.asarray(x) for name, x in values.items()})
        modes = diagonalise(linearise(wide))
    covariance = EMBEDDINGS.autocovariance(np.arange(steps))
    return predict(Perturbed((modes,), {}), covariance, steps, steps - 1)["state"]


@eqx.filter_jit
def _last_squares(layer: Layer, u: Float[Array, "num time n"]) -> Float[Array, " num"]:
    return jax.vmap(lambda sequence: jnp.sum(layer.states(sequence)[-1] ** 2))(u)


def over_sizes(config: Config) -> xr.Dataset:
    """Measure ``E|h|^2`` of layers relative to their linearisations, by size of input."""
    number = config.drawn * config.sequences
    read = stand_in(number, config.steps, config.width, config.seed + 1)
    tick = counter(len(LAYERS) * config.drawn, "layers")
    ratio = np.empty((len(LAYERS), len(config.sizes), config.drawn))
    error = np.empty_like(ratio)
    for kind, name in enumerate(LAYERS):
        for index in range(config.drawn):
            layer = layer_of(name, index, config)
            u = jnp.asarray(read.take(index * config.sequences, config.sequences))
            form = at_rest(layer, config.steps)
            for i, size in enumerate(config.sizes):
                squares = np.asarray(_last_squares(layer, size * u), float)
                each = squares / (size**2 * form)
                ratio[kind, i, index] = each.mean()
                error[kind, i, index] = each.std(ddof=1) / len(each) ** 0.5
            tick()
    dims, units = ("layer", "size", "draw"), {"units": "dimensionless"}
    return xr.Dataset(
        {"ratio": (dims, ratio, units), "ratio_sem": (dims, error, units)},
        {"layer": list(LAYERS), "size": list(config.sizes)},
    )


def run(config: Config) -> xr.Dataset:
    """Run both parts."""
    return xr.merge([neurons(config), over_sizes(config)]).assign_attrs(
        dtype="float32", steps=config.steps, networks=config.networks
    )


def show(dataset: xr.Dataset) -> None:
    """Print measured over predicted moments, of neurons and of whole layers."""
    console, centres = Console(), dataset["place"].values
    some = centres[:: max(1, len(centres) // 6)]
    table = Table(title="Kernel mean over theory after as many steps, by T")
    table.add_column("gates, quantity")
    for centre in some:
        table.add_column(f"{centre:.0f}", justify="right")
    for gates in GATES:
        for quantity in QUANTITIES:
            curve = dataset.sel(gates=gates, quantity=quantity)
            ratio = (curve["mean"] / curve["finite"]).sel(place=some)
            table.add_row(f"{gates}, {quantity}", *(f"{float(x):.3f}" for x in ratio))
    console.print(table)
    table = Table(title="States over those of the layer at rest, by size of the input")
    table.add_column("layer")
    for size in dataset["size"].values:
        table.add_column(f"{size:g}", justify="right")
    for layer in LAYERS:
        ratio = dataset["ratio"].sel(layer=layer).mean("draw")
        table.add_row(layer, *(f"{float(x):.3f}" for x in ratio))
    console.print(table)


if __name__ == "__main__":
    main(STUDY)
