"""Tasks, sizes of networks and initialisations, fixed before they were compared.

There are nine tasks.  The rules of the advice were chosen by trainings with seeds from 100 to
109, which are used for nothing else:

- the range of phases, on ``PHASED``: linear teachers with white and with correlated inputs,
  10 000 handwritten digits pixel by pixel, and the forecast ``ETTh1``;
- the measurement of the input's autocovariance lag by lag, on three of these and on ``fsdd``,
  a quarter of a second of spoken digits.  ``fsdd`` has the longest sequences, and oscillates
  as no sum of decaying exponentials does;
- the spread of time constants, on ``CHOSEN``: these five and short ListOps.  With an earlier
  rule, a tenth of the modes remembered half of a sequence or more, and trainings on spoken
  digits ended with a higher loss than by default.  Neither phases nor gains were the cause.

Nothing was chosen on ``UNSEEN``: ``psmnist-10k``, the digits in bit-reversed order, so that
neighbouring pixels are far apart in time; small digits of 64 pixels; and the forecast ``WTH``.
The seeds that are compared follow those by which earlier rules were judged.

All layers but those of ``GATED`` are LRUs that read in one direction:

- ``default`` has the LRU's own defaults: eigenvalues on the whole disc, and all phases;
- ``advised`` has the options that ``advise`` returns for the length of the sequences, the size
  of the state and the autocovariance of the training inputs.  They are the same in each layer,
  and states are normalised to ``E|h|^2 = 1``;
- ``advised-input`` and ``advised-all`` differ by the option ``phases`` of ``advise``;
- ``advised-slowed`` also lowers the learning rates of recurrent and input parameters.

The largest stable rates of ``advise`` hold for plain gradient descent.  These networks are
trained by Adam, whose steps do not grow with the gradient, so ``advised`` changes no rate.
``advised-slowed`` multiplies rates by the square root of the ratio of the smallest stable
rates of recurrent parameters, advised over default, if the ratio is below one.  It is the
root because Adam divides a gradient by its own size.
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
"""Option ``phases`` of ``advise`` for each advised initialisation."""

SPREAD = "mlstm-spread"
GATED = ("mlstm", SPREAD)
"""Initialisations of networks of mLSTM layers; ``advise`` has no advice on them."""

HEADS = 4  # of an mLSTM, as in its released code

ARMS = ("default", *PHASES_OF, *GATED)
RECURRENT = ("nu_log", "theta_log", "gamma_log")
SEGMENT = 20  # steps recorded together
LOOKS = 5  # at the validation
READ = 256  # training sequences whose autocovariance is measured
VALIDATED = 1000  # examples of a validation, at most


@dataclass(frozen=True)
class Size:
    """Sizes of a network and its training.

    Attributes:
        steps: Number of training steps.
        batch: Number of examples per step.
        rate: Peak learning rate.
        factor: Factor of the learning rate of recurrent and input parameters.
        width: Number of features between the layers.
        state: Size of each layer's state.
        depth: Number of blocks.
        length: Number of steps of a sequence that are used. Default: all.
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
"""Number of hours of each table that is forecast."""

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
    """Examples of a task, with the numbers of examples and steps in ``SIZES``.

    The seed selects the fold of ``digits``; it has no effect on other tasks.

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
    # Results on the test part are not reported.
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


# --- inputs for the advice -----------------------------------------------------------


def standardised(
    values: Float[np.ndarray, "sequences time features"],
) -> Float[np.ndarray, "sequences time some"]:
    """Features scaled to mean zero and variance one, without constant features."""
    moved = values - values.mean((0, 1))
    spread = moved.std((0, 1))
    varying = spread > 0
    return moved[..., varying] / spread[varying]


def one_hot(
    tokens: Int[np.ndarray, "n time"], lengths: Int[np.ndarray, " n"], steps: int
) -> Float[np.ndarray, "some steps tokens"]:
    """First steps of all sequences of at least this length, with one number per token."""
    long = tokens[lengths >= steps][:READ, :steps]
    return np.eye(int(tokens.max()) + 1)[long]


def inputs_of(task: str) -> Float[np.ndarray, "sequences time features"]:
    """Training inputs as ``sigprop advise`` is given them, standardised.

    Tokens are one-hot vectors.  The training rows of a table are cut into windows.

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
    """The advice that an initialisation follows on a task.

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
    """A network before training; advised LRUs have states with ``E|h|^2 = 1``.

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
    """Recipe for the training of a network that classifies or forecasts.

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
