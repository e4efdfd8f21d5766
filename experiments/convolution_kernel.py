"""Dense RNNs with and without tanh that learn a convolution, at several learning rates.

A linear network and a tanh network of the same seed have the same initial matrices, the same
full batch and the same learning rates of Adam.  The paper does not give its learning rates,
the range of the inputs' parameters, or the length of its training.  Here the learning rates
are spaced by half decades, and the parameters are uniform on [0, ``largest``].  Eigenvalues
of Glorot's matrix fill the unit disc, and some usually lie outside, so that a linear network
explodes.  Further runs therefore begin at the same matrix times a ``scale`` below one.

Source: Orvieto et al. (2023), Appendix E.2 and Fig. 7.
"""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from sigprop.experiments.command import main
from sigprop.layers.dense import LinearRNN, NonlinearRNN
from sigprop.numerics.precision import double_precision
from sigprop.tasks.convolution import (
    LENGTH,
    Convolution,
    bumped_kernel,
    convolution,
    glorot_rnn,
    kernel_at_rest,
    waves,
)
from sigprop.training.loop import Optimiser, Run, Segments, advance, start, train

STUDY, VERSION = "convolution_kernel", 1
ACTIVATIONS = ("identity", "tanh")


@dataclass(frozen=True)
class Config:
    """Sizes and learning rates.

    Attributes:
        hidden: Number of neurons.
        sequences: Sequences in the batch.
        length: Length of the kernel and of a sequence.
        largest: Largest value of the inputs' two parameters.
        log_rates: Decimal logarithms of the learning rates.
        scales: Factors on the initial recurrent matrix; the paper has one.
        steps: Number of iterations, a multiple of ``records``.
        records: Points of a loss curve.
        seeds: Number of seeds, each with a network and a batch.
    """

    hidden: int = 100
    sequences: int = 32
    length: int = LENGTH
    largest: float = 10.0
    log_rates: tuple[float, ...] = (-4.0, -3.5, -3.0, -2.5, -2.0)
    scales: tuple[float, ...] = (1.0, 0.9)
    steps: int = 1000
    records: int = 100
    seeds: int = 1

    def __post_init__(self) -> None:
        if self.steps < 1 or self.steps % self.records:
            raise ValueError(
                f"need steps in multiples of {self.records}, got {self.steps}"
            )


SMOKE = Config(
    hidden=8, sequences=4, length=30, log_rates=(-2.5, -2.0), steps=60, records=12
)
QUICK = Config(log_rates=(-4.0, -3.0, -2.0))
PAPER = Config(seeds=4)


def run(config: Config) -> xr.Dataset:
    """Train every network, in single precision."""
    with double_precision(False):
        seeds = jnp.arange(config.seeds)
        make = jax.jit(jax.vmap(_task, (None, 0, None)), static_argnums=(0, 2))
        tasks, new = make(config, seeds, config.sequences), make(config, -1 - seeds, 1)
        trained = [_train(config, tasks, new, name) for name in ACTIVATIONS]
    steps = config.steps // config.records
    runs = ("activation", "scale", "log_rate", "seed")
    loss = {"units": "mean squared error over that of a network that says zero"}
    units = {"units": "output over input"}
    joined = {
        name: np.stack([result[name] for result in trained])
        for name in ("loss", "diverged", "learnt", "answer")
    }
    return xr.Dataset(
        {
            "loss": ((*runs, "step"), joined["loss"], loss),
            "diverged": (
                runs,
                joined["diverged"],
                {"units": "iteration at which it diverged, -1 if it did not"},
            ),
            "learnt": ((*runs, "age"), joined["learnt"], units),
            "answer": (
                (*runs, "age"),
                joined["answer"],
                {"units": "output for a new input of the same law, by step"},
            ),
            "wanted": (
                ("seed", "age"),
                np.asarray(new.outputs[:, 0]),
                {"units": "what the kernel makes of that input"},
            ),
            "radius": (
                ("scale", "seed"),
                trained[0]["radius"],
                {"units": "largest modulus of an eigenvalue at the start"},
            ),
            "kernel": ("age", np.asarray(tasks.response[0]), units),
        },
        {
            "activation": list(ACTIVATIONS),
            "scale": ("scale", list(config.scales), {"units": "dimensionless"}),
            "log_rate": ("log_rate", list(config.log_rates), {"units": "log10"}),
            "seed": np.arange(config.seeds),
            "step": (
                "step",
                steps * np.arange(config.records),
                {"units": "iterations"},
            ),
            "age": ("age", np.arange(config.length), {"units": "steps"}),
        },
        {"dtype": "float32", "hidden": config.hidden, "largest": config.largest},
    )


def _task(config: Config, seed: Array, sequences: int) -> Convolution:
    key = jax.random.fold_in(jax.random.key(0), seed)
    inputs = waves(key, config.largest, config.length, sequences)
    return convolution(bumped_kernel(config.length), inputs)


def _train(
    config: Config, tasks: Convolution, new: Convolution, activation: str
) -> dict[str, np.ndarray]:
    """Return loss curves, divergence and learnt kernels by scale, rate and seed."""
    optimiser = Optimiser(config.steps, "constant")
    steps = config.steps // config.records

    def begin(scale, log_rate, seed):
        key = jax.random.fold_in(jax.random.key(1), seed)
        layer = glorot_rnn(key, config.hidden, activation, scale)
        return start(layer, optimiser, 10.0**log_rate, key)

    axes = map(jnp.array, (config.scales, config.log_rates, range(config.seeds)))
    grid = jnp.meshgrid(*axes, indexing="ij")
    shape, (scales, log_rates, seeds) = grid[0].shape, (axis.ravel() for axis in grid)
    runs = jax.jit(jax.vmap(begin))(scales, log_rates, seeds)
    eigenvalues = np.linalg.eigvals(np.asarray(runs.parameters.A[:, 0]))
    run_tasks = jax.tree.map(lambda leaf: leaf[seeds], tasks)
    end, records = train(
        runs,
        lambda runs: _segment(runs, run_tasks, optimiser, steps),
        Segments(config.records, steps),
    )
    learnt, answer = _responses(end.parameters, new.inputs[seeds, 0])
    return {
        "loss": records["loss"].T.reshape(*shape, -1),
        "diverged": np.asarray(end.diverged).reshape(shape),
        "radius": np.abs(eigenvalues).max(1).reshape(shape)[:, 0],
        "learnt": np.asarray(learnt).reshape(*shape, -1),
        "answer": np.asarray(answer).reshape(*shape, -1),
    }


@functools.partial(jax.jit, static_argnames=("optimiser", "steps"))
def _segment(runs: Run, tasks: Convolution, optimiser: Optimiser, steps: int):
    """Train all runs for some steps; return them and their losses before the first step.

    Runs are trained one after the other, so that a run's matrices stay in the cache.
    """

    def per_run(pair: tuple[Run, Convolution]):
        run, task = pair
        run, losses = advance(run, lambda layer, _: task.loss(layer), optimiser, steps)
        return run, {"loss": losses[0] / task.power}

    return jax.lax.map(per_run, (runs, tasks))


@jax.jit
@jax.vmap
def _responses(layer: LinearRNN | NonlinearRNN, u: Float[Array, " time"]):
    """Return the kernel for small inputs, and the outputs for a given input."""
    return kernel_at_rest(layer, len(u)), layer(u[:, None])[:, 0]


if __name__ == "__main__":
    main(STUDY)
