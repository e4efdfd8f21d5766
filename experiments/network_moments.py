"""Moments of deep networks at initialisation, measured block by block.

The study measures the mean square of the residual stream after every block and ``E|h|^2`` of
its recurrence, both at the last step.  It also measures ``E|dL/dtheta|^2`` of the parameters
for ``L = sum v y`` over all outputs, with independent errors ``v`` of variance one.  The
networks are the four blocks of Zucchet & Orvieto and the six of the LRU's paper, without
dropout.  Batch normalisation has the moments of one batch that is drawn beforehand, as in
inference, so that sequences are independent.

The closed form of a block's recurrence has the measured autocovariance ``R`` of its inputs,
averaged over channels, and ``E[z_t z_s^T] = R(t - s) M``.  ``M`` is one for *independent*
channels, and the measured covariance for *mixed* channels.  Both are approximations, since
inputs within a network are not stationary and differ in their autocovariances.  The third
prediction, *through*, measures nothing within the network: it propagates the network's own
input from block to block (``sigprop.networks.propagation``), with the moments of the batch
normalisations given.  The study shows ratios and gives no verdict.

Source: Zucchet & Orvieto (2024), Section 5; Orvieto et al. (2023), Appendix D.1.
"""

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Key, PRNGKeyArray
from rich.console import Console
from rich.table import Table

from sigprop.evidence.sigprop.moments import chirp
from sigprop.experiments.command import main
from sigprop.inputs import AR1, Constant, Empirical, White
from sigprop.layers.base import Layer, parameters, replace
from sigprop.linear.covariances import nearest_process
from sigprop.linear.linearise import Modes, diagonalise, linearise
from sigprop.linear.measured_moments import by_group, channels
from sigprop.linear.predicted_moments import pair_moment, state_moments
from sigprop.networks import (
    NetworkConfig,
    build,
    lru_paper,
    over_batch,
    propagation,
    zucchet_paper,
)
from sigprop.networks.normalisation import normalise
from sigprop.neuron.montecarlo import Estimate
from sigprop.numerics.devices import cores
from sigprop.numerics.precision import double_precision

STUDY, VERSION = "network_moments", 2
NU0 = 0.9
GROUPS = ("recurrent", "input", "readout", "other")
CHANNELS = ("independent", "mixed")
THROUGH = ("stream", "state")


@dataclass(frozen=True)
class Config:
    """Sizes of the networks and of the sample.

    ``depth`` is the number of blocks of both networks; if left out, they have their papers'
    depths.  ``features`` is the number of features of Zucchet & Orvieto's inputs.  ``batch``
    sequences are in memory at a time.
    """

    states: int = 64
    width: int = 64
    features: int = 192
    depth: int | None = None
    steps: int = 1024
    sequences: int = 256
    batch: int = 32
    period: int = 509
    seed: int = 0


SMOKE = Config(
    states=4, width=4, features=3, depth=2, steps=24, sequences=64, period=61
)
QUICK = Config()
PAPER = Config(states=256, width=256, features=768, steps=2048, batch=16, period=20_011)


def networks(config: Config) -> dict[str, NetworkConfig]:
    """Return the papers' networks at the sizes of the study, without dropout."""
    presets = {
        "Zucchet": zucchet_paper(nu0=NU0, features=config.features),
        "LRU": lru_paper("scifar"),
    }
    return {
        name: dataclasses.replace(
            preset,
            width=config.width,
            state_size=config.states,
            depth=config.depth or preset.depth,
            dropout=0.0,
        )
        for name, preset in presets.items()
    }


def inputs(config: Config) -> dict[str, Any]:
    """Return the processes of the input channels, all with variance one."""
    return {
        "white": White(),
        "rho=0.9": AR1(0.9),
        "constant": Constant(),
        "recording": chirp(config.period),
    }


class Blocks(NamedTuple):
    """Squares, gradients and inputs of each block of a network.

    ``stream`` is the mean square over features, and ``state`` the sum of squares over neurons,
    both at the last step.  ``inputs`` are the inputs of the recurrence.
    """

    stream: Float[Array, "*num blocks"]
    state: Float[Array, "*num blocks"]
    gradient: Float[Array, "*num blocks groups"]
    inputs: Float[Array, "*num blocks time width"]


def _square(values: Any) -> Float[Array, ""]:
    leaves = jax.tree.leaves(values)
    return sum((jnp.sum(jnp.abs(x) ** 2) for x in leaves), jnp.zeros(()))


def look(
    network: Any,
    state: eqx.nn.State,
    u: Float[Array, "time features"],
    key: PRNGKeyArray,
) -> Blocks:
    """Return the squares and squared gradients in every block for one sequence."""
    x, rows = jax.vmap(network.encoder)(u), []
    for block in network.blocks:
        z, _ = normalise(block.norm, x, state, None)
        x, _ = block(x, state)
        rows.append((jnp.mean(x[-1] ** 2), _square(block.layer.states(z)[-1]), z))
    trainable, fixed = eqx.partition(network, eqx.is_inexact_array)

    def loss(trainable: Any) -> Float[Array, ""]:
        y, _ = eqx.combine(trainable, fixed)(u, state)
        return jnp.sum(y * jax.random.normal(key, y.shape))

    gradients = [groups(block) for block in jax.grad(loss)(trainable).blocks]
    stream, states, z = (jnp.stack(parts) for parts in zip(*rows, strict=True))
    return Blocks(stream, states, jnp.stack(gradients), z)


def groups(gradients: Any) -> Float[Array, " groups"]:
    """Return the squared gradients of one block, in the order of ``GROUPS``."""
    layer = {name: _square(x) for name, x in parameters(gradients.layer).items()}
    rest = (gradients.norm, gradients.mixing_norm, gradients.mixing, gradients.skip)
    squares = {**by_group(gradients.layer, layer), "other": _square(rest)}
    return jnp.stack([squares[name] for name in GROUPS])


@eqx.filter_jit
def _look_at_all(
    network: Any,
    state: eqx.nn.State,
    u: Float[Array, "num time features"],
    keys: Key[Array, " num"],
) -> Blocks:
    return jax.vmap(lambda u, key: look(network, state, u, key))(u, keys)


class BlockMoments(NamedTuple):
    """Estimates for a network and an input, and input moments of each recurrence.

    ``statistics`` are the moments of the batch normalisations.
    """

    stream: Estimate
    state: Estimate
    gradient: Estimate
    autocovariance: Float[np.ndarray, "blocks lags"]
    mixing: Float[np.ndarray, "blocks width width"]
    statistics: eqx.nn.State


def _estimate(batches: list[Any]) -> Estimate:
    samples = np.concatenate(batches).astype(float)
    return Estimate(
        samples.mean(0), samples.std(0, ddof=1) / len(samples) ** 0.5, len(samples)
    )


def _autocovariance(
    z: Float[Array, "num blocks time width"],
) -> Float[np.ndarray, "blocks lags"]:
    """Return the autocovariance of inputs, averaged over sequences, channels and positions.

    If no process has these averages, return that of the nearest process.
    """
    steps = z.shape[2]
    series = np.asarray(z).transpose(1, 0, 3, 2).reshape(z.shape[1], -1, steps)
    lags = np.arange(steps)
    return np.stack(
        [nearest_process(Empirical(block).autocovariance(lags)) for block in series]
    )


def _mixing(
    z: Float[Array, "num blocks time width"],
) -> Float[np.ndarray, "blocks width width"]:
    """Return ``E[z z^T]`` of inputs at the same step, scaled to a mean square of one."""
    products = np.asarray(jnp.einsum("nbti,nbtj->bij", z, z))
    return products / np.trace(products, axis1=1, axis2=2)[:, None, None] * z.shape[3]


def measure(
    key: PRNGKeyArray,
    network: Any,
    state: eqx.nn.State,
    process: Any,
    config: Config,
) -> BlockMoments:
    """Measure every block on sampled inputs, in whole batches."""
    first_key, input_key, error_key = jax.random.split(key, 3)
    steps, width = config.steps, network.config.inputs

    def draw(key: PRNGKeyArray) -> Float[Array, "num time features"]:
        return channels(key, process, config.batch, steps, width, jnp.float32)

    _, state = eqx.filter_jit(over_batch)(network, state, draw(first_key))
    network, looks, input_moments = eqx.nn.inference_mode(network), [], []
    for index in range(-(-config.sequences // config.batch)):
        u = draw(jax.random.fold_in(input_key, index))
        keys = jax.random.split(jax.random.fold_in(error_key, index), config.batch)
        blocks = _look_at_all(network, state, u, keys)
        input_moments.append((_autocovariance(blocks.inputs), _mixing(blocks.inputs)))
        looks.append(blocks[:3])
    stream, states, gradient = (
        _estimate(list(parts)) for parts in zip(*looks, strict=True)
    )
    autocovariance, mixing = (
        np.mean(parts, 0) for parts in zip(*input_moments, strict=True)
    )
    return BlockMoments(stream, states, gradient, autocovariance, mixing, state)


def modes(layer: Layer) -> tuple[Modes, ...]:
    """Return the modes of a layer's halves, in double precision."""
    values = {name: np.asarray(x, float) for name, x in parameters(layer).items()}
    with double_precision(True):
        wide = replace(layer, {name: jnp.asarray(x) for name, x in values.items()})
        return tuple(diagonalise(linearise(half)) for half in wide.halves())


def predict_state(
    halves: tuple[Modes, ...],
    covariance: Float[np.ndarray, " lags"],
    mixings: tuple[Float[np.ndarray, "width width"], ...],
) -> list[float]:
    """Predict ``E|h|^2`` of a recurrence with inputs of ``E[z z^T] = R(lag) mixing``."""
    steps, totals = len(covariance), [0.0] * len(mixings)
    for half in halves:
        pairs = pair_moment(half.lam, half.lam.conj(), steps, covariance)
        for index, mixing in enumerate(mixings):
            scale, vectors = np.linalg.eigh(mixing)
            root = vectors * np.sqrt(np.maximum(scale, 0))
            mixed = half._replace(inward=half.inward @ root)
            totals[index] += float(state_moments(mixed, pairs).sum())
    return totals


def predict_states(
    network: Any, measurements: list[BlockMoments]
) -> Float[np.ndarray, "blocks input channels"]:
    """Predict ``E|h|^2`` of every recurrence, for independent and for mixed channels."""
    alone = np.eye(network.config.width)
    cases = [
        (halves, moments.autocovariance[i], (alone, moments.mixing[i]))
        for i, halves in enumerate(modes(block.layer) for block in network.blocks)
        for moments in measurements
    ]
    with ThreadPoolExecutor(cores()) as pool:
        states = list(pool.map(lambda case: predict_state(*case), cases))
    return np.reshape(states, (len(network.blocks), len(measurements), len(CHANNELS)))


def over_inputs(name: str, preset: NetworkConfig, config: Config) -> xr.Dataset:
    """Draw one network; predict and measure its moments for every input."""
    draw_key, input_key = jax.random.split(jax.random.key(config.seed))
    network, state = build(preset, key=draw_key)
    processes = inputs(config)
    measurements = [
        measure(jax.random.fold_in(input_key, i), network, state, process, config)
        for i, process in enumerate(processes.values())
    ]
    units = {"units": "sum of squares, dimensionless"}
    base_dims, lags = ("block", "input"), np.arange(config.steps)
    through = [
        propagation.predict_signals(
            network, process.autocovariance(lags), measurement.statistics, samples=0
        )[:2]
        for process, measurement in zip(processes.values(), measurements, strict=True)
    ]
    variables: dict[str, Any] = {
        "predicted": (
            (*base_dims, "channels"),
            predict_states(network, measurements),
            units,
        )
    }
    for label, moments in zip(
        propagation.Moments._fields, zip(*through, strict=True), strict=True
    ):
        variables[f"{label}_through"] = (base_dims, np.stack(moments, 1), units)
    for label in ("stream", "state", "gradient"):
        dims = (*base_dims, "group") if label == "gradient" else base_dims
        mean, sem, _ = zip(
            *(getattr(moments, label) for moments in measurements), strict=True
        )
        variables[label] = (dims, np.stack(mean, 1), units)
        variables[f"{label}_sem"] = (dims, np.stack(sem, 1), units)
    blocks = [f"{name} {i + 1}" for i in range(preset.depth)]
    coordinates = {"block": blocks, "input": list(processes)}
    return xr.Dataset(
        variables,
        {**coordinates, "group": list(GROUPS), "channels": list(CHANNELS)},
    )


def run(config: Config) -> xr.Dataset:
    """Measure every block of both networks for every input."""
    tables = [over_inputs(*item, config) for item in networks(config).items()]
    sizes = f"N = {config.states}, H = {config.width}, L = {config.steps}"
    return xr.concat(tables, "block").assign_attrs(dtype="float32", sizes=sizes)


def show(dataset: xr.Dataset) -> None:
    """Print a table of streams and states, and a table of gradients."""
    console = Console()
    names = ("stream", "state", "error", *CHANNELS)
    caption = "independent, mixed: state over the closed form for such channels"
    console.print(_table("Mean squares", caption, names, _forward, dataset))
    caption = "measured over what the network's input alone predicts"
    names = ("stream", "error", "state", "error")
    console.print(_table("Through the blocks", caption, names, _through, dataset))
    caption = "sum over parameters and outputs"
    console.print(_table("Gradients", caption, GROUPS, _backward, dataset))


def _forward(row: xr.Dataset) -> list[str]:
    ratios = [float(row["state"] / value) for value in row["predicted"]]
    error = float(row["state_sem"] / row["state"])
    sizes = [f"{float(row[name]):.3g}" for name in ("stream", "state")]
    return [*sizes, f"{error:.1%}", *(f"{ratio:.3f}" for ratio in ratios)]


def _through(row: xr.Dataset) -> list[str]:
    cells = []
    for name in THROUGH:
        predicted = row[f"{name}_through"]
        cells += [f"{float(row[name] / predicted):.3f}"]
        cells += [f"{float(row[f'{name}_sem'] / predicted):.1%}"]
    return cells


def _backward(row: xr.Dataset) -> list[str]:
    return [f"{float(value):.2g}" for value in row["gradient"]]


def _table(
    title: str,
    caption: str,
    names: tuple[str, ...],
    cells: Callable[[xr.Dataset], list[str]],
    dataset: xr.Dataset,
) -> Table:
    table = Table(title=f"{title}, {dataset.attrs['sizes']}", caption=caption)
    for index, name in enumerate(("block", "input", *names)):
        table.add_column(name, justify="left" if index < 2 else "right", no_wrap=True)
    for block in dataset["block"].values:
        for source in dataset["input"].values:
            row = cells(dataset.sel(block=block, input=source))
            table.add_row(str(block), str(source), *row)
    return table


if __name__ == "__main__":
    main(STUDY)
