"""Speed, memory and compile time of three implementations of the LRU, and of all layers.

The programs compute the loss and gradients of one layer for all parameters and inputs, in
single precision.  ``jax.vmap`` maps them over the batch.  The first table has the LRU at
several lengths, in three implementations:

- *engine*: ``sigprop.layers.lru`` as it is;
- *usual*: complex products with the parameters, and ``jax.lax.associative_scan`` over the
  inputs and ``lam``, repeated at every step, differentiated by JAX;
- *scan*: the same products with a plain ``jax.lax.scan``.

They must agree in loss and gradients before they are timed.  The second table has every
layer at one length, with times relative to that of the LRU.

Repeats alternate between the implementations, or the layers, and ratios are taken within a
repeat.  So other work on the machine affects all of them.  Memory is what a compiled program
needs besides its arguments and results.
"""

import functools
import itertools
import json
import time
from collections.abc import Callable, Sequence
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

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.layers.attention import causal_attention
from sigprop.layers.base import Layer, count_parameters
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import linear_rnn, nonlinear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lru import LRU, lru
from sigprop.layers.lru_reference import plain_scan, published
from sigprop.layers.lstm import lstm
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.numerics.devices import cores

STUDY, VERSION = "speed_layers", 3
AGREEMENT = 1e-4  # relative to the largest entry; rounding of long sums
# Lengths above LONG have fewer repeats, in inverse proportion, but at least FEWEST.
LONG, FEWEST = 2048, 3
RING, PHASES, TIMES = (0.5, 0.99), 3.0, (2.0, 100.0)  # moduli, phases, time constants

Forward = Callable[[Any, Float[Array, "time width"]], Float[Array, "time width"]]


@dataclass(frozen=True)
class Config:
    """Sizes of the layers, lengths, and how often to run and to compile at each.

    ``states`` is the number of complex states in the LRU, the complex diagonal, S4, S4D (over
    all channels), S5 and each direction of BLUR.  It is the number of real states in RotRNN,
    the RNNs, the GRU, and both ``h`` and ``c`` of the LSTM.  RotRNN rotates pairs of real
    numbers, so ``RotRNN, 2N`` with twice as many has as many eigenvalues as the LRU.
    ``heads`` belong to RotRNN, with 32 in its paper, and ``attention_heads`` to attention,
    with 8 in its paper.  ``pause`` is in seconds: XLA frees memory after its results are
    ready, which can double the time of a program that starts meanwhile.  An implementation
    that needs more than ``memory`` bytes of temporaries is compiled but not run.
    """

    states: int = 256
    width: int = 128
    heads: int = 32
    attention_heads: int = 8
    batch: int = 4
    lengths: tuple[int, ...] = tuple(2**k for k in range(8, 17))
    layer_length: int = 2048
    repeats: int = 15
    compiles: int = 1
    pause: float = 0.3
    memory: int = 12 * 2**30
    seed: int = 0


SMOKE = Config(
    states=8,
    width=4,
    heads=2,
    attention_heads=2,
    batch=2,
    lengths=(16, 33),
    layer_length=16,
    repeats=2,
    pause=0.0,
)
QUICK = Config(lengths=tuple(2**k for k in range(8, 14)), repeats=5)
PAPER = Config()


def _lru(key: PRNGKeyArray, c: Config) -> LRU:
    return lru(c.states, c.width, key=key, r_min=RING[0], r_max=RING[1])


def _with_widths(draw: Callable[..., Layer], **options: Any) -> Callable[..., Layer]:
    return lambda key, c: draw(c.states, c.width, key=key, **options)


LAYERS: dict[str, Callable[[PRNGKeyArray, Config], Layer]] = {
    "LRU": _lru,
    "complex diagonal": _with_widths(complex_diagonal, nu0=RING[0]),
    "S4": _with_widths(s4, nu0=RING[0], theta0=PHASES),
    "S4D": lambda key, c: s4d(c.states // c.width, c.width, key=key),
    "S5": lambda key, c: s5(c.states, c.width, key=key),
    "RotRNN": lambda key, c: rotrnn(c.states, c.width, key=key, heads=c.heads),
    "RotRNN, 2N": lambda key, c: rotrnn(2 * c.states, c.width, key=key, heads=c.heads),
    "BLUR": lambda key, c: blur(
        c.states, c.width, key=key, r_min=RING[0], r_max=RING[1]
    ),
    "dense linear RNN": _with_widths(linear_rnn, nu0=RING[0], theta0=PHASES),
    "tanh RNN": _with_widths(nonlinear_rnn),
    "GRU": _with_widths(gru, times=TIMES),
    "LSTM": _with_widths(lstm, times=TIMES),
    "causal attention": lambda key, c: causal_attention(
        c.width, c.width, key=key, heads=c.attention_heads, max_length=c.layer_length
    ),
}


def engine(layer: Layer, u: Float[Array, "time width"]) -> Float[Array, "time width"]:
    """Apply the layer as it is."""
    return layer(u)


WAYS: dict[str, Forward] = {"engine": engine, "usual": published, "scan": plain_scan}


def signals(config: Config, length: int) -> tuple[Array, Array]:
    """Return the inputs of a batch, and the weights of its outputs in the loss."""
    generator = np.random.default_rng(config.seed)
    shape = (config.batch, length, config.width)
    u, weights = (generator.standard_normal(s, np.float32) for s in (shape, shape[1:]))
    return jnp.asarray(u), jnp.asarray(weights)


def compiled(
    forward: Forward,
    layer: Layer,
    u: Float[Array, "batch time width"],
    weights: Float[Array, "time width"],
) -> tuple[Callable[[], Any], float, int]:
    """Compile loss and gradients; return the program, compile seconds and memory."""
    trainable, fixed = eqx.partition(layer, eqx.is_inexact_array)

    def loss(trainable, u, weights):
        whole = eqx.combine(trainable, fixed)
        y = jax.vmap(lambda sequence: forward(whole, sequence))(u)
        return (y * weights[None]).mean()

    arguments = trainable, u, weights
    lowered = jax.jit(jax.value_and_grad(loss, (0, 1))).lower(*arguments)
    started = time.perf_counter()
    program = lowered.compile()
    seconds = time.perf_counter() - started
    memory: Any = program.memory_analysis()
    return functools.partial(program, *arguments), seconds, memory.temp_size_in_bytes


def compile_all(
    runners: Sequence[tuple[Forward, Layer]], u: Array, weights: Array, compiles: int
) -> tuple[Sequence[Callable[[], Any]], np.ndarray, np.ndarray]:
    """Compile programs in turns; return them, seconds (program, compile) and bytes."""
    turns = [
        [compiled(*runner, u, weights) for runner in runners] for _ in range(compiles)
    ]
    programs, _, memory = zip(*turns[-1], strict=True)
    seconds = [[timing[1] for timing in turn] for turn in turns]
    return programs, np.transpose(seconds), np.array(memory)


def timed(program: Callable[[], Any], pause: float) -> tuple[Any, float]:
    """Run a program after a pause; return its results and seconds."""
    time.sleep(pause)
    started = time.perf_counter()
    results = jax.block_until_ready(program())
    return results, time.perf_counter() - started


def time_all(
    programs: Sequence[Callable[[], Any]], repeats: int, pause: float
) -> np.ndarray:
    """Run compiled programs in turns; return seconds with shape (program, repeat)."""
    turns = [[timed(program, pause)[1] for program in programs] for _ in range(repeats)]
    return np.transpose(turns)


def disagreement(answer: Any, truth: Any) -> float:
    """Return the largest difference, relative to the largest entry of each array."""
    pairs = zip(jax.tree.leaves(answer), jax.tree.leaves(truth), strict=True)
    return max(float(jnp.abs(a - b).max() / jnp.abs(b).max()) for a, b in pairs)


def _farthest(programs: Sequence[Callable[[], Any]], pause: float) -> float:
    """Return the largest difference of the first program from the others."""
    first, *others = (timed(program, pause)[0] for program in programs)
    return max((disagreement(first, other) for other in others), default=0.0)


def _require_no_cache() -> None:
    folder = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    if folder:
        raise ValueError(
            f"need every program compiled to time it, got a compilation cache in "
            f"{folder}; unset JAX_COMPILATION_CACHE_DIR"
        )


def over_lengths(config: Config) -> xr.Dataset:
    """Compile, compare and time all implementations of the LRU at each length.

    Raises:
        ArithmeticError: If they disagree beyond single-precision rounding.
    """
    layer = _lru(jax.random.key(config.seed), config)
    runners = [(way, layer) for way in WAYS.values()]
    sizes = (len(WAYS), len(config.lengths))
    compile_seconds = np.empty((*sizes, config.compiles))
    seconds = np.full((*sizes, config.repeats), np.nan)
    memory, difference = np.empty(sizes), 0.0
    for column, length in enumerate(counted(config.lengths, "lengths")):
        programs, compile_seconds[:, column], memory[:, column] = compile_all(
            runners, *signals(config, length), config.compiles
        )
        fits = memory[:, column] <= config.memory
        programs = list(itertools.compress(programs, fits))
        difference = max(difference, _farthest(programs, config.pause))
        if not difference <= AGREEMENT:
            raise ArithmeticError(
                f"the ways differ by {difference:.1e} on equal inputs at {length=}"
            )
        repeats = min(config.repeats, max(FEWEST, config.repeats * LONG // length))
        seconds[fits, column, :repeats] = time_all(programs, repeats, config.pause)
    where = ("way", "length")
    return xr.Dataset(
        {
            "seconds": ((*where, "repeat"), seconds, {"units": "s"}),
            "compile_seconds": ((*where, "compile"), compile_seconds, {"units": "s"}),
            "memory": (where, memory, {"units": "bytes of temporaries"}),
        },
        {"way": list(WAYS), "length": list(config.lengths)},
        {"disagreement": difference},
    )


def state_numbers(layer: Layer) -> int:
    """Return the number of real numbers in a layer's state."""
    state = jax.tree.leaves(jax.eval_shape(layer.initial_state))
    sizes = {"c": 2, "f": 1}  # counters do not count
    return sum(sizes.get(leaf.dtype.kind, 0) * leaf.size for leaf in state)


def over_layers(config: Config) -> xr.Dataset:
    """Compile, run and time all layers at one length."""
    keys = jax.random.split(jax.random.key(config.seed), len(LAYERS))
    layers = {
        name: build(key, config)
        for key, (name, build) in zip(keys, LAYERS.items(), strict=True)
    }
    runners = [(engine, layer) for layer in layers.values()]
    programs, compile_seconds, memory = compile_all(
        runners, *signals(config, config.layer_length), config.compiles
    )
    time_all(programs, 1, config.pause)
    seconds = time_all(programs, config.repeats, config.pause)
    numbers = [state_numbers(layer) for layer in layers.values()]
    parameters = [count_parameters(layer) for layer in layers.values()]
    compiles = (("layer", "compile"), compile_seconds, {"units": "s"})
    return xr.Dataset(
        {
            "layer_seconds": (("layer", "repeat"), seconds, {"units": "s"}),
            "layer_compile_seconds": compiles,
            "layer_memory": ("layer", memory, {"units": "bytes of temporaries"}),
            "layer_state": ("layer", numbers, {"units": "real numbers"}),
            "layer_parameters": ("layer", parameters, {"units": "real numbers"}),
        },
        {"layer": list(layers)},
    )


def run(config: Config) -> xr.Dataset:
    """Measure both tables.

    Times are NaN without a run: too much memory, or fewer repeats at long lengths.

    Raises:
        ValueError: If JAX has a compilation cache.
        ArithmeticError: If implementations disagree beyond single-precision rounding.
    """
    _require_no_cache()
    lengths, layers = over_lengths(config), over_layers(config)
    attributes = {"dtype": "complex64", "cores": cores()}
    return lengths.assign(layers.data_vars).assign_attrs(attributes)


def ratios(dataset: xr.Dataset) -> xr.Dataset:
    """Return time, memory and compile time of others, relative to the engine."""
    costs = dataset[["seconds", "compile_seconds", "memory"]]
    others = costs.drop_sel(way="engine")
    return (others / costs.sel(way="engine", drop=True)).median(["repeat", "compile"])


def in_lrus(dataset: xr.Dataset) -> xr.DataArray:
    """Return the time of every layer relative to the LRU, as a median over repeats."""
    seconds = dataset["layer_seconds"]
    return (seconds / seconds.sel(layer="LRU")).median("repeat")


def show(dataset: xr.Dataset) -> None:
    """Print both tables."""
    config = json.loads(dataset.attrs["config"])
    where = (
        f"forward and backward, width {config['width']}, batch {config['batch']}, "
        f"{dataset.attrs['cores']} cores"
    )
    states, steps, console = config["states"], config["layer_length"], Console()
    console.print(_lengths_table(dataset, f"LRU, {states} states, {where}"))
    console.print(_layers_table(dataset, f"Layers, {steps} steps, {where}"))


def _table(title: str, caption: str, *names: str) -> Table:
    table = Table(title=title, caption=caption, box=None, header_style="bold")
    for index, name in enumerate(names):
        table.add_column(name, justify="right" if index else "left", no_wrap=not index)
    return table


def _text(value: Any, digits: int = 1) -> str:
    return "-" if np.isnan(value) else f"{float(value):.{digits}f}"


def _lengths_table(dataset: xr.Dataset, title: str) -> Table:
    gains = ratios(dataset)
    ways = gains["way"].values.tolist()
    caption = f"{', '.join(ways)}: in what the engine takes; -: not run for its memory"
    columns = [name for unit in ("ms", "MB", "compiles, s") for name in (unit, *ways)]
    table = _table(title, caption, "steps", *columns)
    for length in dataset["length"].values:
        ours, gain = dataset.sel(way="engine", length=length), gains.sel(length=length)
        texts = {
            "seconds": _text(1e3 * ours["seconds"].median()),
            "memory": _text(ours["memory"] / 1e6),
            "compile_seconds": _text(ours["compile_seconds"].median(), 2),
        }
        cells = [
            text
            for name, mine in texts.items()
            for text in (mine, *map(_text, gain[name].values))
        ]
        table.add_row(str(length), *cells)
    return table


def _layers_table(dataset: xr.Dataset, title: str) -> Table:
    caption = "state and parameters in real numbers; LRUs: time in those of the LRU"
    names = ("state", "parameters", "ms", "LRUs", "MB", "compiles, s")
    table = _table(title, caption, "layer", *names)
    times = in_lrus(dataset)
    for name in dataset["layer"].values:
        row = dataset.sel(layer=name)
        table.add_row(
            str(name),
            _text(row["layer_state"], 0),
            _text(row["layer_parameters"], 0),
            _text(1e3 * row["layer_seconds"].median()),
            _text(times.sel(layer=name), 2),
            _text(row["layer_memory"] / 1e6),
            _text(row["layer_compile_seconds"].median(), 2),
        )
    return table


if __name__ == "__main__":
    main(STUDY)
