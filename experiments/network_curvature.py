"""Curvature of deep networks at initialisation, from products with their Hessians.

The networks are those of the LRU, RotRNN and BLUR papers, without dropout, and the LRU's
network with a dense tanh recurrence.  They classify noisy sinusoids by their pitch.  The loss
is the mean cross entropy of a few batches, each with its own normalisation, as in training.
One Lanczos iteration gives the ends of the spectrum with their eigenvectors.  Further
iterations, from independent random signs, give the spectral density, the trace, and the share
of each parameter group in both.  All have standard errors over the random signs.

The curvature of a group is the sum of squares of its rows of the Hessian.  Unlike the trace
of its block, it is never negative, and the curvatures of all groups add up to the whole.

Source: Orvieto et al. (2023), RotRNN (2024), BLUR (2025) for the networks.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int, PRNGKeyArray
from rich.console import Console
from rich.table import Table

from sigprop.curvature.lanczos import (
    Krylov,
    Pairs,
    Quadrature,
    estimate,
    lanczos,
    participation,
    quadrature,
    random_signs,
)
from sigprop.curvature.products import Hessian, group_sums, hessian, label_indices
from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.networks import (
    NetworkConfig,
    blur_paper,
    build,
    lru_paper,
    over_batch,
    parameter_groups,
    rotrnn_paper,
)
from sigprop.neuron.montecarlo import Estimate

STUDY, VERSION = "network_curvature", 1
CHANNELS, CLASSES = 3, 10
PITCHES = 0.02, 0.4  # lowest and highest frequency, in periods per step
NOISE = 1.0  # standard deviation; the sinusoid has variance one
GROUPS = ("recurrent", "input", "readout", "other")
ENDS = ("largest", "smallest")
THRESHOLDS = np.logspace(-3, 3, 121)


@dataclass(frozen=True)
class Config:
    """Sizes of the networks, of the data, and of the Lanczos iterations.

    Attributes:
        states: Size of the state of each layer, and features between the blocks.
        depth: Number of blocks; the papers' if left out.
        steps: Length of a sequence.
        batch: Sequences that are normalised together.
        batches: Number of batches whose mean loss is used.
        products: Products of the Hessian with a vector in each Lanczos iteration.
        probes: Number of Lanczos iterations from random signs.
        extremes: Eigenvalues stored at each end of the spectrum.
        heads: Heads of RotRNN.
        names: Names of the networks.
        seed: Seed of networks, data and random signs.
    """

    states: int = 64
    depth: int | None = None
    steps: int = 64
    batch: int = 16
    batches: int = 2
    products: int = 32
    probes: int = 6
    extremes: int = 5
    heads: int = 32
    names: tuple[str, ...] = ("LRU", "RotRNN", "BLUR", "tanh")
    seed: int = 0


SMOKE = Config(
    *(4, 1, 8, 4, 2), products=6, probes=3, extremes=2, heads=2, names=("LRU", "tanh")
)
QUICK = Config(104, 2, batch=8, batches=1, products=20, probes=2, heads=26)
PAPER = Config(192, products=48, probes=8, extremes=10)


def networks(config: Config) -> dict[str, NetworkConfig]:
    """Return the papers' networks at the sizes of the study, without dropout."""
    lru, rotations = lru_paper("scifar"), rotrnn_paper("scifar")
    heads = {**rotations.layer_options, "heads": config.heads}
    presets = {
        "LRU": lru,
        "RotRNN": dataclasses.replace(rotations, layer_options=heads),
        "BLUR": blur_paper(CHANNELS, CLASSES),
        "tanh": dataclasses.replace(lru, layer="nonlinear_rnn", layer_options={}),
    }
    return {
        name: dataclasses.replace(
            presets[name],
            width=config.states,
            state_size=config.states,
            depth=config.depth or presets[name].depth,
            dropout=0.0,
        )
        for name in config.names
    }


class Batches(NamedTuple):
    """Batches of sequences, and the class of each pitch."""

    u: Float[Array, "batches batch time channels"]
    pitch: Int[Array, "batches batch"]


def sinusoids(key: PRNGKeyArray, config: Config) -> Batches:
    """Draw noisy sinusoids with random pitches, and random phases in every channel."""
    pitch_key, phase_key, noise_key = jax.random.split(key, 3)
    shape = config.batches, config.batch
    pitch = jax.random.randint(pitch_key, shape, 0, CLASSES)
    phase = jax.random.uniform(phase_key, (*shape, 1, CHANNELS))
    turns = jnp.linspace(*PITCHES, CLASSES)[pitch][..., None, None]
    time = jnp.arange(config.steps)[:, None]
    wave = jnp.sqrt(2) * jnp.sin(2 * jnp.pi * (turns * time[None, None] + phase))
    noise = jax.random.normal(noise_key, wave.shape)
    return Batches(wave + NOISE * noise, pitch)


def cross_entropy(
    outputs: Float[Array, "batch classes"], pitch: Int[Array, " batch"]
) -> Float[Array, ""]:
    """Return the mean negative log likelihood of the true classes."""
    log = jax.nn.log_softmax(outputs)
    return -jnp.mean(jnp.take_along_axis(log, pitch[:, None], 1))


def curvature(
    network: Any, state: eqx.nn.State, batches: Batches
) -> tuple[Hessian, Int[np.ndarray, " p"]]:
    """Return the Hessian of a network's loss, and the group of every parameter."""
    trainable, fixed = eqx.partition(network, eqx.is_inexact_array)

    def loss(trainable: Any, batch: Batches) -> Float[Array, ""]:
        outputs, _ = over_batch(eqx.combine(trainable, fixed), state, batch.u)
        return cross_entropy(outputs, batch.pitch)

    groups = label_indices(trainable, parameter_groups(network), GROUPS)
    return hessian(loss, trainable, batches), groups


class Ends(NamedTuple):
    """Ritz pairs at both ends of the spectrum, the outermost first."""

    value: Float[np.ndarray, "ends rank"]
    residual: Float[np.ndarray, "ends rank"]
    participation: Float[np.ndarray, "ends rank"]
    mass: Float[np.ndarray, "ends rank groups"]


class Probes(NamedTuple):
    """Ritz pairs, spectral density and random probes of one network's Hessian."""

    ends: Ends
    density: Quadrature
    draws: Float[np.ndarray, "probes sums groups"]


def look(
    key: PRNGKeyArray,
    matrix: Hessian,
    groups: Int[np.ndarray, " p"],
    config: Config,
    tick: Callable[[], None] = lambda: None,
) -> Probes:
    """Compute the ends of the spectrum, then its density with further Lanczos iterations."""
    end_key, probe_key = jax.random.split(key)
    first = lanczos(matrix, random_signs(end_key, matrix.x), config.products)
    which = np.arange(config.extremes)
    outermost = np.stack([first.values.size - 1 - which, which])
    vectors = first.vectors(outermost.ravel())
    known = Pairs(first.values[outermost.ravel()], vectors)
    shape, count = outermost.shape, len(GROUPS)
    ends = Ends(
        first.values[outermost],
        known.residuals(matrix).reshape(shape),
        participation(vectors).reshape(shape),
        group_sums(vectors.astype(float) ** 2, groups, count).reshape(*shape, count),
    )
    del first  # frees its basis, the largest array
    tick()
    draws: list[np.ndarray] = []

    def tap(run: Krylov) -> None:
        draws.append(known.parts(run, groups, count))
        tick()

    density = quadrature(
        probe_key,
        matrix,
        matrix.x,
        steps=config.products,
        probes=config.probes,
        tap=tap,
    )
    return Probes(ends, density, np.stack(draws))


def beyond(density: Quadrature) -> Estimate:
    """Return the numbers of eigenvalues above each threshold, and below its negative."""
    signs = np.array([[1.0], [-1.0]])
    return density.integrate(lambda node: signs * node[..., None, None] > THRESHOLDS)


def shares(draws: Float[np.ndarray, "n groups"]) -> Estimate:
    """Return each group's share of the total, with the standard error of a ratio."""
    total = draws.mean(0).sum()
    share = draws.mean(0) / total
    apart = (draws - share * draws.sum(1, keepdims=True)) / total
    return Estimate(share, estimate(apart).sem, len(draws))


def examine(
    name: str, preset: NetworkConfig, config: Config, tick: Callable[[], None]
) -> xr.Dataset:
    """Draw one network and analyse its Hessian; tick at each Lanczos iteration."""
    draw_key, data_key, look_key = jax.random.split(jax.random.key(config.seed), 3)
    network, state = build(preset, key=draw_key)
    matrix, groups = curvature(network, state, sinusoids(data_key, config))
    loss, gradient = matrix.loss()
    probes = look(look_key, matrix, groups, config, tick)
    end, inverse = ("end", "rank"), "1 / parameter units^2"
    table: dict[str, Any] = {
        "parameters": ((), matrix.size, "real numbers"),
        "loss": ((), float(loss), "nats"),
        "gradient": ((), float(jnp.linalg.norm(gradient)), "1 / parameter units"),
        "node": (("probe", "place"), probes.density.nodes, inverse),
        "weight": (("probe", "place"), probes.density.weights, "eigenvalues"),
        "extreme": (end, probes.ends.value, inverse),
        "extreme_residual": (end, probes.ends.residual, inverse),
        "participation": (end, probes.ends.participation, "parameters"),
        "mass": ((*end, "group"), probes.ends.mass, "fraction"),
    }
    diagonal, square = probes.draws[:, 0], probes.draws[:, 1]
    estimates = {
        "trace": ((), estimate(diagonal.sum(1)), inverse),
        "square": ((), estimate(square.sum(1)), f"({inverse})^2"),
        "group_trace": (("group",), estimate(diagonal), inverse),
        "share": (("group",), shares(square), "fraction"),
        "count": (("end", "threshold"), beyond(probes.density), "eigenvalues"),
        "plain_trace": ((), probes.density.trace(), inverse),
    }
    for label, (dims, moments, unit) in estimates.items():
        table[label] = (dims, moments.mean, unit)
        table[f"{label}_sem"] = (dims, moments.sem, unit)
    return xr.Dataset(
        {
            label: (("network", *dims), np.asarray(values)[None], {"units": unit})
            for label, (dims, values, unit) in table.items()
        },
        {
            "network": [name],
            "group": list(GROUPS),
            "end": list(ENDS),
            "threshold": ("threshold", THRESHOLDS, {"units": inverse}),
        },
    )


def run(config: Config) -> xr.Dataset:
    """Analyse the Hessian of every network.

    Raises:
        ValueError: If ``products`` is less than twice ``extremes``.
    """
    if not 2 * config.extremes <= config.products:
        raise ValueError(
            f"need two products or more for each of {config.extremes} extremes, got "
            f"{config.products}"
        )
    presets = networks(config)
    tick = counter(len(presets) * (1 + config.probes), "Lanczos iterations")
    tables = [examine(*item, config, tick) for item in presets.items()]
    sizes = f"N = H = {config.states}, L = {config.steps}"
    return xr.concat(tables, "network").assign_attrs(dtype="float32", sizes=sizes)


def show(dataset: xr.Dataset) -> None:
    """Print a table of spectra and a table of groups, with one row for each network."""
    sizes = dataset.attrs["sizes"]
    tables = (
        (f"Hessians, {sizes}", "± residual or standard error", _spectrum),
        ("Share of the sum of squares", "± standard error", _groups),
    )
    for title, caption, cells in tables:
        table = Table(title=title, caption=caption)
        table.add_column("network", no_wrap=True)
        rows = {
            str(name): cells(dataset.sel(network=name))
            for name in dataset["network"].values
        }
        for column in next(iter(rows.values())):
            table.add_column(column, justify="right", no_wrap=True)
        for name, row in rows.items():
            table.add_row(name, *row.values())
        Console().print(table)


def _spectrum(data: xr.Dataset) -> dict[str, str]:
    cells = {
        "parameters": f"{int(data['parameters'])}",
        "trace": f"{float(data['trace']):.3g} ± {float(data['trace_sem']):.1g}",
    }
    for end in ENDS:
        outermost = data.sel(end=end).isel(rank=0)
        value, residual = outermost["extreme"], outermost["extreme_residual"]
        cells[end] = f"{float(value):.3g} ± {float(residual):.1g}"
    return cells


def _groups(data: xr.Dataset) -> dict[str, str]:
    rows = zip(data["group"].values, data["share"], data["share_sem"], strict=True)
    return {str(group): f"{float(m):.1%} ± {float(e):.1%}" for group, m, e in rows}


if __name__ == "__main__":
    main(STUDY)
