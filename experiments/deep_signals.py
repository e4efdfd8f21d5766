"""States and gradients in deep networks at initialisation against their time constants.

A network has four blocks, each with a recurrence, a GLU and a skip connection.  It predicts
the next vector of a sequence.  The study measures two mean squares for every kind of
recurrence and every ``nu0``.  The first is that of each block's states, over neurons, steps
and sequences.  The second is that of the gradient of a batch's loss, over the parameters of
each group.  The complex diagonal recurrence is also measured with normalisations.

Several networks are drawn, with the same random numbers at every ``nu0``.  Each network reads
its own part of the sequences, which gives a standard error.  The spread over networks is also
stored.

For linear recurrences and the synthetic input, the mean square of the first block's states is
also in closed form.

Source: Zucchet & Orvieto (2024), Section 5 and Appendix D.1, for Figures 5 and 13.
"""

import dataclasses
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main
from sigprop.experiments.progress import counter
from sigprop.layers.base import Layer, parameters
from sigprop.layers.lstm import LSTM
from sigprop.networks import NetworkConfig, build, zucchet_paper
from sigprop.networks.first_layer import first_states
from sigprop.networks.network import BATCH
from sigprop.networks.normalisation import normalise
from sigprop.tasks.sequences import EMBEDDINGS, Sequences, embeddings, stand_in

STUDY, VERSION = "deep_signals", 2
GROUPS = ("recurrence", "angle", "projections", "feedforward")
ENDS = ("encoder", "decoder")
KINDS = {
    "cRNN": ("complex_diagonal", "none"),
    "LRU": ("zucchet_lru", "none"),
    "GRU": ("gru", "none"),
    "LSTM": ("lstm", "none"),
    "cRNN, layer norm": ("complex_diagonal", "layer"),
    "cRNN, batch norm": ("complex_diagonal", "batch"),
}
LINEAR = ("cRNN", "LRU")  # layers whose first states have a closed form
APART = 2**31 - 1  # separates the keys of networks from those of sequences
PROJECTIONS = ("B_re", "B_im", "C_re", "C_im", "C", "D", "gamma_log")


@dataclass(frozen=True)
class Config:
    """Sizes of the networks and of the sample.

    Attributes:
        width: Width of the blocks, and number of states of each recurrence.
        features: Features of the inputs.
        depth: Number of blocks.
        steps: Length of a sequence.
        sequences: Sequences that each network reads.
        batch: Sequences whose mean loss is differentiated.
        networks: Networks drawn at each ``nu0``.
        gaps: Values of ``1 - nu0``.
        kinds: Recurrences to measure, from ``KINDS``.
        source: ``stand-in`` for synthetic embeddings, or the path of a ``.npy`` file with
            this number of features and ``networks * sequences`` sequences.
        seed: Seed of the networks and the inputs.
    """

    width: int = 64
    features: int = 192
    depth: int = 4
    steps: int = 512
    sequences: int = 16
    batch: int = 8
    networks: int = 4
    gaps: tuple[float, ...] = (1.0, 0.1, 0.01, 1e-3, 1e-4)
    kinds: tuple[str, ...] = tuple(KINDS)
    source: str = "stand-in"
    seed: int = 0


SMOKE = Config(
    width=4,
    features=3,
    depth=2,
    steps=12,
    networks=2,
    gaps=(0.1, 0.01),
    kinds=("cRNN", "LRU", "GRU", "cRNN, layer norm"),
)
QUICK = Config(width=48, features=96, steps=256)
PAPER = Config()
FULL = Config(width=256, features=768, sequences=256)


def network_config(kind: str, gap: float, config: Config) -> NetworkConfig:
    """Return the network of Appendix D.1, with moduli in ``[nu0, (1 + nu0)/2]``."""
    layer, norm = KINDS[kind]
    preset = zucchet_paper(
        layer, nu0=1 - gap, nu1=1 - gap / 2, norm=norm, features=config.features
    )
    return dataclasses.replace(
        preset, width=config.width, state_size=config.width, depth=config.depth
    )


def sequences(config: Config) -> Sequences:
    """Return the networks' inputs.

    Raises:
        ValueError: If a file of embeddings does not fit.
        FileNotFoundError: If the file of embeddings does not exist.
    """
    number = config.networks * config.sequences
    if config.source == "stand-in":
        return stand_in(number, config.steps, config.features, config.seed)
    return embeddings(Path(config.source), config.features, number, config.steps)


class Looked(NamedTuple):
    """Mean squares in one batch: states, and gradients in blocks, encoder and decoder."""

    state: Float[Array, " blocks"]
    gradient: Float[Array, "blocks groups"]
    ends: Float[Array, " ends"]
    loss: Float[Array, ""]


def group(name: str) -> str:
    """Return the group in ``GROUPS`` of a parameter of a recurrence."""
    if name == "theta_log":
        return "angle"
    return "projections" if name in PROJECTIONS else "recurrence"


def _squares(values: list[Any]) -> Float[Array, ""]:
    """Mean of squares over the entries of several arrays; NaN without arrays."""
    leaves = jax.tree.leaves(values)
    count = sum(leaf.size for leaf in leaves)
    total = sum((jnp.sum(leaf**2) for leaf in leaves), jnp.zeros(()))
    return total / count if count else jnp.asarray(jnp.nan)


def by_group(gradients: Any) -> Float[Array, " groups"]:
    """Mean squares of the gradients of one block, in the order of ``GROUPS``."""
    layer = parameters(gradients.layer)
    parts = {
        name: [x for parameter, x in layer.items() if group(parameter) == name]
        for name in GROUPS
    }
    parts["feedforward"] = [gradients.mixing, gradients.norm, gradients.mixing_norm]
    return jnp.stack([_squares(parts[name]) for name in GROUPS])


def _hidden(layer: Layer, h: Array) -> Array:
    return h[:, : h.shape[1] // 2] if isinstance(layer, LSTM) else h


@eqx.filter_jit
def look(network: Any, state: Any, u: Float[Array, "batch time features"]) -> Looked:
    """Mean squares of states and of gradients for one batch.

    The loss is half the squared error of the next vector, averaged over steps and the
    batch.  Batch normalisation uses the moments of the batch.

    Source: Zucchet & Orvieto (2024), Eq. 156.
    """
    trainable, fixed = eqx.partition(network, eqx.is_inexact_array)

    def forward(whole: Any, sequence: Float[Array, "time features"]):
        x, carried, powers = jax.vmap(whole.encoder)(sequence), state, []
        for block in whole.blocks:
            z, carried = normalise(block.norm, x, carried, None)
            h = block.layer.states(z)
            powers.append(jnp.mean(jnp.abs(_hidden(block.layer, h)) ** 2))
            y = block.layer.read(h, z)
            x, carried = block.complete(x, y, carried, None, None)
        return jax.vmap(whole.decoder)(x), jnp.stack(powers)

    def loss(trainable: Any):
        whole = eqx.combine(trainable, fixed)
        predicted, squares = jax.vmap(
            lambda sequence: forward(whole, sequence), axis_name=BATCH
        )(u)
        error = predicted[:, :-1] - u[:, 1:]
        return 0.5 * jnp.mean(jnp.sum(error**2, 2)), jnp.mean(squares, 0)

    (value, squares), gradients = jax.value_and_grad(loss, has_aux=True)(trainable)
    gradient = jnp.stack([by_group(block) for block in gradients.blocks])
    ends = jnp.stack([_squares([getattr(gradients, name)]) for name in ENDS])
    return Looked(squares, gradient, ends, value)


def measure(
    network: Any, state: Any, read: Sequences, index: int, config: Config
) -> tuple[Looked, Looked]:
    """Return means over the batches of a network, and their standard errors.

    Network ``index`` reads its own ``config.sequences`` sequences.
    """
    looked = [
        look(network, state, jnp.asarray(read.take(first, config.batch)))
        for first in range(
            index * config.sequences,
            (index + 1) * config.sequences,
            config.batch,
        )
    ]
    parts = [np.stack(part).astype(float) for part in zip(*looked, strict=True)]
    mean = Looked(*(part.mean(0) for part in parts))
    error = (part.std(0, ddof=1) / len(part) ** 0.5 for part in parts)
    return mean, Looked(*error)


@functools.cache
def _template(kind: str, config: Config) -> Any:
    """Return the structure of one kind's networks, which does not depend on the key."""
    network = build(network_config(kind, config.gaps[0], config), key=jax.random.key(0))
    return jax.tree.structure(network)


def draw(kind: str, gap: float, index: int, config: Config) -> tuple[Any, Any]:
    """Draw a network and its normalisation state; a kind's networks share one program."""
    networks = jax.random.fold_in(jax.random.key(config.seed), APART)
    key = jax.random.fold_in(networks, index)
    network = build(network_config(kind, gap, config), key=key)
    return jax.tree.unflatten(_template(kind, config), jax.tree.leaves(network))


def predicted(network: Any, config: Config) -> float:
    """Return the mean square of the first block's states in closed form."""
    R = EMBEDDINGS.autocovariance(np.arange(config.steps))
    return float(first_states(network, R).mean())


def run(config: Config) -> xr.Dataset:
    """Measure every kind at every ``nu0``.

    Raises:
        ValueError: If ``sequences`` is not a multiple of ``batch``, or less than twice it.
    """
    if config.sequences % config.batch or config.sequences < 2 * config.batch:
        raise ValueError(
            f"need sequences in two or more whole batches of {config.batch}, got "
            f"{config.sequences}"
        )
    read, indices = sequences(config), range(config.networks)
    tick = counter(len(config.kinds) * len(config.gaps) * config.networks, "networks")
    means, errors, theory = [], [], []
    for kind in config.kinds:
        for gap in config.gaps:
            for index in indices:
                network, state = draw(kind, gap, index, config)
                mean, error = measure(network, state, read, index, config)
                means.append(mean)
                errors.append(error)
                known = kind in LINEAR and config.source == "stand-in"
                theory.append(predicted(network, config) if known else np.nan)
                tick()
    return _dataset(means, errors, theory, config)


def _dataset(
    means: list[Looked], errors: list[Looked], theory: list[float], config: Config
) -> xr.Dataset:
    leading = ("kind", "gap", "network")
    shape = (len(config.kinds), len(config.gaps), config.networks)
    dims = {
        "state": ("layer",),
        "gradient": ("layer", "group"),
        "ends": ("end",),
        "loss": (),
    }
    units = {"units": "mean square, dimensionless"}
    variables: dict[str, Any] = {
        "predicted": (leading, np.reshape(theory, shape), units)
    }
    for suffix, rows in (("", means), ("_sem", errors)):
        for name, values in zip(Looked._fields, zip(*rows, strict=True), strict=True):
            stacked = np.stack(values)
            variables[name + suffix] = (
                (*leading, *dims[name]),
                stacked.reshape(*shape, *stacked.shape[1:]),
                units,
            )
    coordinates = {
        "kind": list(config.kinds),
        "gap": list(config.gaps),
        "layer": np.arange(config.depth) + 1,
        "group": list(GROUPS),
        "end": list(ENDS),
    }
    sizes = f"N = {config.width}, {config.features} features, L = {config.steps}"
    return xr.Dataset(variables, coordinates).assign_attrs(
        dtype="float32",
        sizes=sizes,
        steps=config.steps,
        source=config.source if config.source == "stand-in" else "embeddings",
    )


def show(dataset: xr.Dataset) -> None:
    """Print states of the first and last block, and gradients over all blocks."""
    table = Table(
        title=f"Deep networks, {dataset.attrs['sizes']}",
        caption="mean squares over networks; theory: that of the first states, over what "
        "is measured",
    )
    columns = ("kind", "nu0", "first", "last", "theory", *GROUPS, *ENDS)
    for name in columns:
        table.add_column(name, justify="left" if name == "kind" else "right")
    mean = dataset.mean("network")
    ratio = (dataset["predicted"] / dataset["state"].isel(layer=0)).mean("network")
    for kind in dataset["kind"].values:
        for gap in dataset["gap"].values:
            at = {"kind": kind, "gap": gap}
            means = mean.sel(at)
            numbers = [
                *means["state"].values[[0, -1]],
                float(ratio.sel(at)),
                *means["gradient"].mean("layer").values,
                *means["ends"].values,
            ]
            cells = [f"{x:.3g}" if np.isfinite(x) else "" for x in map(float, numbers)]
            table.add_row(str(kind), f"{1 - gap:.4g}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main(STUDY)
