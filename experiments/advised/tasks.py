"""The tasks, their sizes, and how a training begins: all fixed before they were compared.

Nine tasks are compared.  The rules of the advice were chosen by trainings whose seeds (100
to 109) are used nowhere else: how phases are drawn on ``PHASED``, linear teachers under white
and under correlated inputs, 10 000 handwritten digits pixel by pixel, and a forecast,
``ETTh1``; how the input is measured, lag by lag, on three of them and ``fsdd``, a quarter of a
second of spoken digits, the longest, which oscillates as no sum of decaying exponentials
does; and how memories are spread on ``CHOSEN``, those five and short ListOps.  A tenth of the
modes used to remember half of a sequence or more: trainings on spoken digits ended with more
loss than by default, by that and not by phases or gain.  On ``UNSEEN`` nothing was chosen:
``psmnist-10k``, the digits in bit-reversed order, whose neighbours in time are far apart;
small digits of 64 pixels; and the forecast of ``WTH``.  The seeds that are compared begin
after those that earlier rules were judged at.

Every layer is an LRU that reads in one direction.  ``default`` draws it by its own
defaults: eigenvalues on the whole disc, all phases.  ``advised`` draws it by the options
that ``advise`` returns unless told, for the length of the sequences, the size of the state
and the autocovariance of the training inputs, each layer of a network the same, and matches
``E|h|^2 = 1``; ``advised-input`` and ``advised-all`` ask for phases of that name.
Ceilings of ``advise`` are for plain gradient descent, and these networks
are trained by Adam, whose steps do not grow with the gradient: no rate is part of the
advised way.  ``advised-slowed`` takes the ceilings at their word as far as Adam allows: as
``ADVISED``, and rates of recurrent and input parameters multiplied by the root
of the quotient of the least recurrent ceilings, advised over default, where it is below
one; the root, because Adam divides a gradient by its own size.
"""

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int

from sigprop.advice.advise import Advice, advise
from sigprop.advice.families import ring
from sigprop.advice.predictions import Predicted, matched
from sigprop.advice.spectra import Spectrum, exponential, of_series
from sigprop.audit.series import Series
from sigprop.experiments import store
from sigprop.networks.config import NetworkConfig
from sigprop.networks.forecaster import Head
from sigprop.networks.network import Network
from sigprop.tasks.catalogue import load_task
from sigprop.tasks.examples import DataSet, Examples
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.tables import load_table
from sigprop.training.forecasting import ForecastRecipe
from sigprop.training.recipes import Recipe, Schedule, recipe

ADVISED, SLOWED = "advised", "advised-slowed"
PHASES_OF = {
    ADVISED: "spread",
    "advised-input": "input",
    "advised-all": "all",
    SLOWED: "spread",
}
"""Which phases ``advise`` is asked for by each way that follows it."""

SPREAD = "mlstm-spread"
GATED = ("mlstm", SPREAD)
"""Ways to begin of networks of mLSTM layers, which ``advise`` does not know."""

HEADS = 4  # of an mLSTM, as in its released code

ARMS = ("default", *PHASES_OF, *GATED)
RECURRENT = ("nu_log", "theta_log", "gamma_log")
SEGMENT = 20  # steps recorded together
LOOKS = 5  # at the validation
READ = 256  # training sequences whose autocovariance is measured
VALIDATED = 1000  # examples of a validation, at most


@dataclass(frozen=True)
class Size:
    """A training of a few CPU seconds.

    Attributes:
        steps: Of the whole schedule.
        batch: Examples a step.
        rate: Peak learning rate.
        factor: What multiplies it for recurrent and input parameters.
        width: Features.
        state: Of each layer.
        depth: Blocks.
        length: Steps of a sequence that are kept; all, if left out.
    """

    steps: int
    batch: int
    rate: float = 4e-3
    factor: float = 0.5
    width: int = 32
    state: int = 32
    depth: int = 2
    length: int | None = None


TEACHERS = {"white": 0.0, "correlated": 0.9}
"""Correlation of consecutive inputs of the linear teachers."""

NU0, STEPS_OF_TEACHERS, TEACHER_LENGTH = 0.99, 4000, 300
FORECASTS, HORIZON = ("ETTh1", "WTH"), 24
"""Tables that are forecast, and so many hours of them."""

SIZES = {
    # The rate is the one that ``memory_gap`` chose for an LRU at this modulus.
    **dict.fromkeys(
        TEACHERS,
        Size(STEPS_OF_TEACHERS, 1, 1e-2, 1.0, 1, 64, 1, TEACHER_LENGTH),
    ),
    "smnist-10k": Size(360, 20),
    "listops-short": Size(1000, 32),
    **dict.fromkeys(FORECASTS, Size(500, 16, 2e-3)),
    "psmnist-10k": Size(360, 20),
    "fsdd": Size(240, 16, factor=0.25, length=2000),
    "digits": Size(200, 50),
}
# Others' rates and factors are those of the suite's own quick trainings of each task.

PHASED = ("white", "correlated", "smnist-10k", "ETTh1")
CHOSEN = (*PHASED, "listops-short", "fsdd")
UNSEEN = ("psmnist-10k", "digits", "WTH")
TASKS = (*CHOSEN, *UNSEEN)


def data_of(task: str, seed: int = 0) -> DataSet:
    """The examples of a task, as long as its size says; no more validation than needed.

    The seed decides the fold of ``digits``, and nothing else.

    Raises:
        FileNotFoundError: If its files are not there.
        ValueError: If there is no such task.
    """
    return _data(task, seed if task == "digits" else 0)


@functools.lru_cache(maxsize=2)
def _data(task: str, seed: int) -> DataSet:
    data = load_task(task, cache=store.folder() / "packed", seed=seed)
    steps = SIZES[task].length
    few = data.validation.subset(slice(0, VALIDATED))
    # Nothing is reported of the test.
    parts = [_cut(part, steps) for part in (data.train, few, few.subset(slice(0, 1)))]
    return dataclasses.replace(data, train=parts[0], validation=parts[1], test=parts[2])


def _cut(examples: Examples, steps: int | None) -> Examples:
    if steps is None:
        return examples
    return dataclasses.replace(
        examples,
        inputs=examples.inputs[:, :steps],
        lengths=np.minimum(examples.lengths, steps),
    )


@functools.lru_cache(maxsize=1)
def forecasts(table: str) -> Forecasts:
    """The windows of a forecast.

    Raises:
        FileNotFoundError: If the table is not there.
    """
    return Forecasts(load_table(table), HORIZON, HORIZON)


# --- what the advice is told --------------------------------------------------------


def standardised(
    values: Float[np.ndarray, "sequences time features"],
) -> Float[np.ndarray, "sequences time some"]:
    """Features of mean zero and variance one; those that are constant are left out."""
    moved = values - values.mean((0, 1))
    spread = moved.std((0, 1))
    varying = spread > 0
    return moved[..., varying] / spread[varying]


def one_hot(
    tokens: Int[np.ndarray, "n time"], lengths: Int[np.ndarray, " n"], steps: int
) -> Float[np.ndarray, "some steps tokens"]:
    """First steps of the sequences that are so long, one number a token."""
    long = tokens[lengths >= steps][:READ, :steps]
    return np.eye(int(tokens.max()) + 1)[long]


def inputs_of(task: str) -> Float[np.ndarray, "sequences time features"]:
    """Training inputs as ``sigprop advise`` is given them, standardised.

    Tokens are one number for each; of a table, the training rows in windows.

    Raises:
        FileNotFoundError: If its files are not there.
        ValueError: If there is no such task.
    """
    if task in FORECASTS:
        data = forecasts(task)
        rows = data.table.values[slice(*data.split["train"])]
        whole = rows[: len(rows) // HORIZON * HORIZON]
        return standardised(whole.reshape(-1, HORIZON, rows.shape[1]))
    examples = data_of(task).train
    if examples.features is None:
        middle = int(np.median(examples.lengths))
        tokens = np.asarray(examples.inputs, int)
        return standardised(one_hot(tokens, examples.lengths, middle))
    few = min(READ, len(examples))
    return standardised(np.asarray(examples.take(np.arange(few)).inputs, float))


@functools.cache
def spectrum_of(task: str) -> Spectrum:
    """Return the advice of ``sigprop advise`` for a task's inputs.

    Raises:
        FileNotFoundError: If its files are not there.
        ValueError: If there is no such task.
    """
    if task in TEACHERS:
        return exponential(TEACHERS[task])
    values = inputs_of(task)
    names = tuple(map(str, range(values.shape[2])))
    return of_series(Series(values, names, (), 1))[0]


def length_of(task: str) -> int:
    """Steps of a task's sequences.

    Raises:
        FileNotFoundError: If its files are not there.
        ValueError: If there is no such task.
    """
    if task in TEACHERS:
        return TEACHER_LENGTH
    return HORIZON if task in FORECASTS else data_of(task).train.steps


def gate_options(task: str, arm: str) -> dict[str, Any]:
    """Options of an mLSTM layer.

    Forget biases have their default, 3 to 6, or with ``SPREAD`` the logits of a ring of
    moduli: their time constants are spread evenly in their logarithm, up to the length of
    the sequences.

    Raises:
        FileNotFoundError: If the task's files are not there.
        ValueError: If there is no such task.
    """
    if arm != SPREAD:
        return {"heads": HEADS}
    logits = (math.log(r / (1 - r)) for r in ring(float(length_of(task))))
    return {"heads": HEADS, "offsets": tuple(logits)}


@functools.cache
def advice_of(task: str, arm: str = ADVISED) -> Advice:
    """The advice on a task that a way follows.

    Raises:
        FileNotFoundError: If its files are not there.
        ValueError: If there is no such task.
    """
    return advise(
        "lru",
        length=length_of(task),
        state=SIZES[task].state,
        spectrum=spectrum_of(task),
        phases=PHASES_OF[arm],
    )


def slower(default: Predicted, advised: Predicted) -> float:
    """Return the factor of the recurrent learning rate of ``advised-slowed``, at most one.

    The root of the quotient of the least ceilings of recurrent parameters.
    """
    before, after = (
        min(predicted.largest_rate[name] for name in RECURRENT)
        for predicted in (default, advised)
    )
    return min(1.0, math.sqrt(after / before))


# --- how a training begins ----------------------------------------------------------


def options_of(task: str, arm: str) -> dict[str, Any]:
    """Options of every layer.

    Raises:
        FileNotFoundError: If the task's files are not there.
        ValueError: If there is no such task or way.
    """
    if arm not in ARMS:
        raise ValueError(f"need a way to begin in {ARMS}, got {arm!r}")
    if arm == "default":
        return {}
    if arm in GATED:
        return gate_options(task, arm)
    return dict(advice_of(task, arm).options)


def factor_of(task: str, arm: str) -> float:
    """Return the factor of the learning rate of recurrent and input parameters.

    Raises:
        FileNotFoundError: If the task's files are not there.
        ValueError: If there is no such task or way.
    """
    factor = SIZES[task].factor
    if arm != SLOWED:
        return factor
    advice = advice_of(task)
    return factor * slower(advice.default, advice.advised)


def prepared(task: str, arm: str, network: Network) -> Network:
    """A drawn network, its gains matched to the input unless it begins by default.

    Raises:
        FileNotFoundError: If the task's files are not there.
        ValueError: If there is no such task.
    """
    if arm == "default" or arm in GATED:
        return network
    spectrum = spectrum_of(task)
    layers = [matched(block.layer, spectrum) for block in network.blocks]
    return eqx.tree_at(
        lambda tree: [block.layer for block in tree.blocks], network, layers
    )


def recipe_of(task: str, arm: str, steps: int) -> Recipe:
    """The training of a network that classifies or forecasts.

    Raises:
        FileNotFoundError: If the task's files are not there.
        ValueError: If there is no such task or way, or the steps are not whole segments.
    """
    size = SIZES[task]
    schedule = Schedule(steps, size.batch, size.rate, factor_of(task, arm))
    segments = max(1, steps // SEGMENT)
    more: dict[str, Any] = {
        "segment": SEGMENT,
        "evaluate": max(1, segments // LOOKS),
    }
    reads: dict[str, Any]
    if task in FORECASTS:
        features = len(forecasts(task).features)
        head = Head(horizon=HORIZON, features=features, centre="last")
        more |= {"head": head, "kind": ForecastRecipe}
        reads = {"inputs": head.inputs, "outputs": head.outputs, "pooling": "last"}
    else:
        data = data_of(task)
        reads = {
            "inputs": data.train.features or data.vocabulary,
            "outputs": data.classes,
            "encoder": "linear" if data.train.features else "embedding",
        }
    options = options_of(task, arm)
    network = NetworkConfig(
        **reads,
        width=size.width,
        state_size=size.state // options.get("heads", 1),
        depth=size.depth,
        layer="mlstm" if arm in GATED else "lru",
        layer_options=options,
    )
    return recipe(network, schedule, **more)
