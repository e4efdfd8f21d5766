"""Speed and memory of a training step of the deep LRU and of three similar networks.

- *engine*: the network itself;
- *usual*: the same parameters in complex products and ``jax.lax.associative_scan``;
- *still*: the same network without a recurrence, a lower bound for the time of a step;
- *tanh*: dense recurrences with a tanh and the same number of neurons.

A step computes loss, gradients and AdamW on one batch, as one compiled program.  Repeats take
the networks in turns, so that other work on the machine affects all of them.

Source: Orvieto et al. (2023), Table 4 and Table 9, sCIFAR, for the sizes.
"""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.layers.dense import NonlinearRNN, nonlinear_rnn
from sigprop.layers.lru import LRU
from sigprop.layers.lru_reference import ForwardOnly, published, without_recurrence
from sigprop.networks import build, lru_paper, over_batch
from sigprop.training.loop import Optimiser, Run, descend, start
from sigprop.training.supervised import cross_entropy

STUDY, VERSION = "speed_training", 2


def dense_tanh(layer: LRU) -> NonlinearRNN:
    """Return a dense tanh RNN with the same numbers of neurons and features."""
    (neurons, width), features = layer.B_re.shape, layer.C_re.shape[0]
    return nonlinear_rnn(neurons, width, key=jax.random.key(2), d_out=features)


WAYS: dict[str, Callable[[LRU], Any]] = {
    "engine": lambda layer: layer,
    "usual": lambda layer: ForwardOnly(layer, published),
    "still": lambda layer: ForwardOnly(layer, without_recurrence),
    "tanh": dense_tanh,
}
AGREEMENT = 1e-3  # relative difference between the losses of engine and usual


@dataclass(frozen=True)
class Config:
    """Sizes of the network, sequences of a batch, and timed steps."""

    width: int = 512
    states: int = 384
    depth: int = 6
    length: int = 1024
    batch: int = 2
    repeats: int = 5
    seed: int = 0


SMOKE = Config(width=8, states=8, depth=2, length=32, repeats=2)
QUICK = Config()
PAPER = Config(batch=50)


def _step(config: Config, make: Callable[[LRU], Any]) -> tuple[Any, Any]:
    """Return a training step as a jitted function, and its arguments."""
    sizes = {"width": config.width, "state_size": config.states}
    shape = dataclasses.replace(lru_paper("scifar"), depth=config.depth, **sizes)
    network, state = build(shape, key=jax.random.key(config.seed))

    def layers(network: Any) -> list[Any]:
        return [block.layer for block in network.blocks]

    network = eqx.tree_at(layers, network, [*map(make, layers(network))])
    trained, fixed = eqx.partition(network, eqx.is_inexact_array)
    optimiser = Optimiser(1000, decay=0.05)
    begun = start(trained, optimiser, 1e-3, jax.random.key(1))

    def step(run: Run, state: Any, u: Any, labels: Any):
        def loss(trained):
            whole = eqx.combine(trained, fixed)
            scores, _ = over_batch(whole, state, u, key=run.key)
            return cross_entropy(scores, labels).mean()

        value, gradients = jax.value_and_grad(loss)(run.parameters)
        return value, descend(
            run, optimiser.transformation(run.rate), value, gradients
        )[0]

    draw = np.random.default_rng(config.seed)
    u = jnp.asarray(draw.normal(size=(config.batch, config.length, 3)), jnp.float32)
    labels = jnp.asarray(draw.integers(0, 10, config.batch))
    return jax.jit(step), (begun, state, u, labels)


def run(config: Config) -> xr.Dataset:
    """Compile a step of each network, and time them in turns.

    Raises:
        ArithmeticError: If the losses of engine and usual differ.
    """
    programs, compile_seconds, memory, losses = [], [], [], []
    for make in WAYS.values():
        step, arguments = _step(config, make)
        before = time.perf_counter()
        program = step.lower(*arguments).compile()
        compile_seconds.append(time.perf_counter() - before)
        analysis: Any = program.memory_analysis()
        memory.append(analysis.temp_size_in_bytes)
        programs.append((program, arguments))
        losses.append(float(program(*arguments)[0]))
    if not abs(losses[0] / losses[1] - 1) < AGREEMENT:
        raise ArithmeticError(f"engine and usual differ on one batch: {losses[:2]}")
    seconds = np.empty((len(WAYS), config.repeats))
    for repeat in counted(range(config.repeats), "repeats"):
        for row, (program, arguments) in enumerate(programs):
            before = time.perf_counter()
            jax.block_until_ready(program(*arguments))
            seconds[row, repeat] = time.perf_counter() - before
    return xr.Dataset(
        {
            "seconds": (("way", "repeat"), seconds, {"units": "s a step"}),
            "memory": ("way", memory, {"units": "bytes, temporary"}),
            "compile": ("way", compile_seconds, {"units": "s"}),
        },
        {"way": list(WAYS)},
        {"dtype": "float32", **dataclasses.asdict(config)},
    )


def show(data: xr.Dataset) -> None:
    """Print the time of each network's step, and its ratio to the engine's."""
    table = Table(box=None, header_style="bold")
    for column in (
        "way",
        "s a step",
        "engine is faster",
        "MiB",
        "engine has",
        "compile s",
    ):
        table.add_column(column, justify="left" if column == "way" else "right")
    ours = data.sel(way="engine")
    for way in data["way"].values:
        row = data.sel(way=way)
        ratio = (row["seconds"] / ours["seconds"]).values
        table.add_row(
            str(way),
            f"{float(row['seconds'].median()):.3g}",
            f"{np.median(ratio):.2f}x ({ratio.min():.2f} to {ratio.max():.2f})",
            f"{float(row['memory']) / 2**20:.0f}",
            f"{float(ours['memory'] / row['memory']):.0%}",
            f"{float(row['compile']):.1f}",
        )
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main(STUDY)
