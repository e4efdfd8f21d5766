"""Time and memory of forecasts and training steps of BLUR and of other layers.

*Inference* is the time of a batch of windows through a network and its direct head, with
horizons as long as the window.  *Training* is the time of one step (loss, gradients and
AdamW), for the forecast and for the classification of sequential CIFAR.  All networks have
the sizes of BLUR's paper and differ only in their layers.  The inputs are random numbers of
the shapes of ETTh1 and CIFAR, since no method depends on their values.

All programs run in one process.  Each repeat runs every model at every horizon, so that other
work on the machine affects all of them.  A ratio is taken within a repeat.  The time grows as
a power of the horizon.  The exponent is fitted for each repeat, and has the interval of a
mean over repeats.  Memory is what a compiled program needs besides its arguments and results.

Source: BLUR (2025), Figures 6, 14 and 15, Appendix A.5 and Table 6.
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
from jaxtyping import Float
from rich.console import Console
from rich.table import Table
from scipy.stats import t

from sigprop.experiments.command import main
from sigprop.experiments.progress import counted
from sigprop.networks import NetworkConfig, build
from sigprop.networks.assembly import parameter_table
from sigprop.networks.forecaster import Head, forecast
from sigprop.networks.presets import blur_paper
from sigprop.training import forecasting, supervised
from sigprop.training.forecast_presets import MODELS
from sigprop.training.forecast_presets import PAPER as SCHEDULE
from sigprop.training.recipes import Recipe, recipe
from sigprop.training.segments import begin, take_steps

STUDY, VERSION = "forecast_speed", 1
FEATURES = 7  # ETTh1 has six loads and a temperature
TRAINING_ROWS = 12 * 30 * 24  # ETTh1: twelve months of thirty days, hour by hour
IMAGES, CHANNELS, CLASSES = 45_000, 3, 10  # CIFAR without a tenth for validation
TASKS = ("forecast", "image")
LEVEL = 0.95

LAYERS = {**MODELS, "s5": lambda size: {}}
"""Functions from the state size of a layer to its options, by the name of the layer."""


@dataclass(frozen=True)
class Config:
    """Sizes of the networks, horizons, and how often each program runs.

    Attributes:
        width: Features between layers.
        states: States of each layer, in each direction.
        depth: Number of blocks.
        horizons: Rows of a window and of its forecast.
        forecasters: Layers whose inference is timed.
        windows: Windows in a batch of inference.
        trained: Layers whose training is timed.
        horizon: Rows of a window and of its forecast in training.
        batch: Windows in a training step.
        pixels: Length of an image's sequence.
        images: Images in a training step.
        repeats: Times that each program runs.
        seed: Seed of the parameters and the inputs.
    """

    width: int = 256
    states: int = 128
    depth: int = 4
    horizons: tuple[int, ...] = (24, 48, 168, 336, 720)
    forecasters: tuple[str, ...] = ("lru", "blur", "gru", "lstm")
    windows: int = 8
    trained: tuple[str, ...] = ("lru", "blur", "s4", "s5", "rotrnn", "gru", "lstm")
    horizon: int = 168
    batch: int = 8
    pixels: int = 1024
    images: int = 2
    repeats: int = 4
    seed: int = 0


SMOKE = Config(
    width=8,
    states=8,
    depth=1,
    horizons=(4, 8, 16),
    forecasters=("lru", "blur"),
    windows=2,
    trained=("lru", "blur", "gru"),
    horizon=8,
    batch=2,
    pixels=16,
    repeats=2,
)
QUICK = Config(trained=("lru", "blur", "s4", "gru", "lstm"), repeats=3)
PAPER = Config(windows=16, batch=16, images=4, repeats=5)
FULL = Config(windows=64, batch=64, images=64, repeats=5)  # Table 6


def network_of(config: Config, model: str, inputs: int, outputs: int) -> NetworkConfig:
    """Return BLUR's network with these sizes and the layers of a model."""
    return dataclasses.replace(
        blur_paper(inputs, outputs),
        width=config.width,
        state_size=config.states,
        depth=config.depth,
        layer=model,
        layer_options=LAYERS[model](config.states),
    )


def head_of(horizon: int) -> Head:
    """Return BLUR's head, which predicts all rows and features at once."""
    return Head(horizon=horizon, features=FEATURES, centre="none")


@dataclass(frozen=True)
class Program:
    """A compiled program, the bytes of its temporaries, and its number of parameters."""

    call: Callable[[], Any]
    memory: int
    parameters: int


def _compiled(lowered: Any, arguments: tuple[Any, ...], network: Any) -> Program:
    program = lowered.compile()
    analysis: Any = program.memory_analysis()
    count = int(parameter_table(network)["total"])
    jax.block_until_ready(program(*arguments))  # allocate everything before the timing
    return Program(lambda: program(*arguments), analysis.temp_size_in_bytes, count)


def inference(config: Config, model: str, horizon: int) -> Program:
    """Compile the forecast of a batch of windows that are as long as the horizon."""
    head = head_of(horizon)
    shape = network_of(config, model, head.inputs, head.outputs)
    network, state = build(shape, key=jax.random.key(config.seed))
    network = eqx.nn.inference_mode(network)
    arrays, fixed = eqx.partition((network, state), eqx.is_array)

    def answer(arrays, windows, marks):
        network, state = eqx.combine(arrays, fixed)
        return forecast(network, state, head, windows, marks)[0]

    draws = np.random.default_rng(config.seed)
    size = config.windows, horizon, FEATURES
    windows = jnp.asarray(draws.standard_normal(size), jnp.float32)
    marks = jnp.zeros((config.windows, 2 * horizon, 0), jnp.float32)
    arguments = arrays, windows, marks
    return _compiled(jax.jit(answer).lower(*arguments), arguments, network)


def training(config: Config, model: str, task: str) -> Program:
    """Compile a training step of ``sigprop train`` on one batch."""
    make = {"forecast": _forecasting, "image": _classifying}[task]
    kind, how, batch = make(config, model)
    begun = begin(kind, how, config.seed)
    moving = begun.run, begun.state, batch
    lowered = take_steps.lower(kind, how, *moving)
    return _compiled(lowered, moving, begun.run.parameters)


def _forecasting(config: Config, model: str) -> tuple[Any, Recipe, tuple[Any, ...]]:
    head = head_of(config.horizon)
    shape = network_of(config, model, head.inputs, head.outputs)
    how = recipe(
        shape,
        dataclasses.replace(SCHEDULE, steps=100, batch=config.batch),
        forecasting.ForecastRecipe,
        head=head,
    )
    draws = np.random.default_rng(config.seed)
    size = 1, config.batch, config.horizon, FEATURES
    windows, truth = (draws.standard_normal(size).astype(np.float32) for _ in range(2))
    marks = np.zeros((1, config.batch, 2 * config.horizon, 0), np.float32)
    return forecasting.KIND, how, (windows, truth, marks)


def _classifying(config: Config, model: str) -> tuple[Any, Recipe, tuple[Any, ...]]:
    shape = network_of(config, model, CHANNELS, CLASSES)
    how = recipe(shape, dataclasses.replace(SCHEDULE, steps=100, batch=config.images))
    draws = np.random.default_rng(config.seed)
    pixels = draws.standard_normal((1, config.images, config.pixels, CHANNELS))
    labels = draws.integers(0, CLASSES, (1, config.images))
    return supervised.KIND, how, (pixels.astype(np.float32), None, labels)


def in_turns(programs: list[Program], repeats: int, name: str) -> np.ndarray:
    """Run compiled programs in turns; return seconds with shape (program, repeat)."""
    seconds = np.empty((len(programs), repeats))
    for turn in counted(range(repeats), name):
        for row, program in enumerate(programs):
            before = time.perf_counter()
            jax.block_until_ready(program.call())
            seconds[row, turn] = time.perf_counter() - before
    return seconds


def exponents(
    sizes: Float[np.ndarray, " n"], costs: Float[np.ndarray, "n repeats"]
) -> Float[np.ndarray, " 3"]:
    """Fit a power of the size to the costs; return its lower bound, mean and upper bound.

    The power is the slope of a line through the logarithms, for each repeat.  The bounds of
    the mean come from Student's t, and are NaN for a single repeat.
    """
    powers = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    middle, count = powers.mean(), len(powers)
    if count < 2:
        return np.array([np.nan, middle, np.nan])
    reach = t.ppf((1 + LEVEL) / 2, count - 1) * powers.std(ddof=1) / np.sqrt(count)
    return np.array([middle - reach, middle, middle + reach])


def run(config: Config) -> xr.Dataset:
    """Compile all programs, then time them in turns: first inference, then training."""
    grid = [(model, rows) for model in config.forecasters for rows in config.horizons]
    forecasts = [
        inference(config, *cell) for cell in counted(grid, "forecasts compiled")
    ]
    shape = len(config.forecasters), len(config.horizons)
    seconds = in_turns(forecasts, config.repeats, "repeats of the forecasts")
    seconds = seconds.reshape(*shape, config.repeats) / config.windows
    memory = (
        np.reshape([program.memory for program in forecasts], shape) / config.windows
    )
    sizes = np.array(config.horizons, float)
    powers = np.stack([exponents(sizes, costs) for costs in seconds])
    steps = [(model, task) for model in config.trained for task in TASKS]
    learnt = [training(config, *cell) for cell in counted(steps, "steps compiled")]
    where = len(config.trained), len(TASKS)
    taken = in_turns(learnt, config.repeats, "repeats of the steps")
    windows = TRAINING_ROWS - 2 * config.horizon + 1
    return xr.Dataset(
        {
            "seconds": (("model", "horizon", "repeat"), seconds, {"units": "s a window"}),
            "memory": (("model", "horizon"), memory, {"units": "bytes a window, temporary"}),
            "power": (("model", "end"), powers, {"units": "power of the horizon"}),
            "memory_power": (
                "model",
                [float(exponents(sizes, row[:, None])[1]) for row in memory],
                {"units": "power of the horizon"},
            ),
            "step_seconds": (
                ("trained", "task", "repeat"),
                taken.reshape(*where, config.repeats),
                {"units": "s a step"},
            ),
            "step_memory": (
                ("trained", "task"),
                np.reshape([program.memory for program in learnt], where),
                {"units": "bytes, temporary"},
            ),
            "parameters": (
                ("trained", "task"),
                np.reshape([program.parameters for program in learnt], where),
                {"units": "real numbers"},
            ),
            "steps": (
                "task",
                [windows // config.batch, IMAGES // config.images],
                {"units": "steps an epoch"},
            ),
        },
        {
            "model": list(config.forecasters),
            "horizon": list(config.horizons),
            "end": ["low", "middle", "high"],
            "trained": list(config.trained),
            "task": list(TASKS),
        },
        {"dtype": "float32", **_sizes(config)},
    )  # fmt: skip


def _sizes(config: Config) -> dict[str, int]:
    names = ("windows", "batch", "images", "pixels", "width", "states", "depth", "seed")
    return {
        **{name: getattr(config, name) for name in names},
        "training_horizon": config.horizon,
    }


def beside(data: xr.Dataset, model: str, other: str) -> xr.DataArray:
    """Return the seconds per window of a model relative to another, for each repeat."""
    return data["seconds"].sel(model=model) / data["seconds"].sel(model=other)


def show(data: xr.Dataset) -> None:
    """Print the times of a window at all horizons, and of a step of every model."""
    out = Console(highlight=False)
    table = Table(box=None, header_style="bold", title="a window, ms")
    table.add_column("model")
    rows = data["horizon"].values.tolist()
    for head in (*map(str, rows), "power of the horizon", "LRUs", "kB a row"):
        table.add_column(head, justify="right")
    for model in data["model"].values.tolist():
        timings = data.sel(model=model)
        middle = 1e3 * timings["seconds"].median("repeat").values
        low, power, high = timings["power"].values
        times = beside(data, model, "lru").median("repeat").values
        table.add_row(
            model,
            *(f"{value:.3g}" for value in middle),
            f"{power:.2f} ({low:.2f} to {high:.2f})",
            f"{times.min():.2f} to {times.max():.2f}",
            f"{float((timings['memory'] / timings['horizon']).isel(horizon=-1)) / 1e3:.1f}",
        )
    out.print(table)
    for task in data["task"].values.tolist():
        timings = data.sel(task=task)
        table = Table(box=None, header_style="bold", title=f"a step, {task}")
        table.add_column("model")
        for head in ("s", "LRUs", "from", "to", "MiB", "s an epoch"):
            table.add_column(head, justify="right")
        for model in timings["trained"].values.tolist():
            seconds = timings["step_seconds"].sel(trained=model)
            times = (seconds / timings["step_seconds"].sel(trained="lru")).values
            middle = float(seconds.median())
            table.add_row(
                model,
                f"{middle:.3g}",
                *(f"{x:.2f}" for x in (np.median(times), times.min(), times.max())),
                f"{float(timings['step_memory'].sel(trained=model)) / 2**20:.0f}",
                f"{middle * float(timings['steps']):.0f}",
            )
        out.print(table)


if __name__ == "__main__":
    main(STUDY)
