"""Training a network to forecast: squared error, and the best validation kept.

As in ``sigprop.training.supervised``, the batch and the random numbers of a step depend on
the seed and the step alone, and a checkpoint holds everything else: a training that was
killed ends with the numbers of one that was not.  Windows are views of the rows; a batch
of them is copied at a time.

Source: Zhou et al. (2021), Informer, for the error, in scaled units, over all windows.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Float64, Int

from sigprop.networks import Network, build
from sigprop.networks.forecaster import Head, first_row, forecast, require_head
from sigprop.numerics.seeds import require_seed
from sigprop.tasks.examples import training_rows
from sigprop.tasks.forecasts import Errors, Forecasts, Windows
from sigprop.training.loop import Run, Segments, descend, select_tree, start, train
from sigprop.training.recipes import Recipe
from sigprop.training.supervised import Diverged, ready, skeleton


@dataclass(frozen=True, kw_only=True)
class ForecastRecipe(Recipe):
    """A training to forecast, but for its data and its seed; ``head`` says how.

    Raises:
        ValueError: As ``Recipe``, or if the network does not fit the head.
    """

    head: Head

    def __post_init__(self) -> None:
        super().__post_init__()
        require_head(self.network, self.head)


class Best(NamedTuple):
    """The network of the best validation so far."""

    parameters: Any
    state: eqx.nn.State
    error: Float[Array, ""]
    step: Int[Array, ""]


class Fit(NamedTuple):
    """Where a training stands; ``state`` are the running averages."""

    run: Run
    state: eqx.nn.State
    best: Best


class Fitted(NamedTuple):
    """A training at its end.

    Attributes:
        network: At the best validation; it is in inference mode.
        state: Its running averages.
        step: The step after which it was best.
        validation: Its mean squared error there, in scaled units.
        records: ``loss`` and ``gradient_norm`` (segments, steps); at each evaluation
            ``step``, ``validation_mse`` and ``validation_mae``.
    """

    network: Network
    state: eqx.nn.State
    step: int
    validation: float
    records: dict[str, np.ndarray]


def fit(
    recipe: ForecastRecipe,
    task: Forecasts,
    seed: int = 0,
    *,
    checkpoint: Path | None = None,
    every: float = 20.0,
    progress: Callable[[int, Mapping[str, float]], None] = lambda done, last: None,
) -> Fitted:
    """Train a network on the windows of the training rows; the test rows are not read.

    Args:
        recipe: Network, head and schedule.
        task: The windows.
        seed: Of the parameters, of the order of the windows and of what is dropped.
        checkpoint: File to go on from and to write.
        every: Seconds between two writes.
        progress: Called with the segments done, the last loss and validation error.

    Raises:
        ValueError: If no generator takes the seed, the head does not fit the task, a
            batch is larger than the training, or the checkpoint is of another training.
        Diverged: At the step whose loss or gradient is not finite; the checkpoint before
            it is left.
    """
    require_seed(seed)
    require_task(recipe.head, task)
    training, validation = task.windows("train"), task.windows("validation")
    last: dict[str, float] = {}
    with jax.default_matmul_precision(recipe.matmul):
        end, records = train(
            _begin(recipe, seed),
            functools.partial(_segment, recipe, training, validation, seed, last),
            Segments(
                recipe.segments,
                recipe.segment,
                checkpoint,
                every,
                {**dataclasses.asdict(recipe), "seed": seed, "task": task.about()},
            ),
            lambda done: progress(done, last),
        )
    best = end.best
    network = _ready(recipe, best.parameters)
    return Fitted(network, best.state, int(best.step), float(best.error), records)


def require_task(head: Head, task: Forecasts) -> None:
    """Refuse a head that does not forecast what the task is about.

    Raises:
        ValueError: Naming what the task needs.
    """
    needed = task.horizon, len(task.features), task.marks
    given = head.horizon, head.features, head.marks
    if given != needed:
        raise ValueError(
            f"need a head of horizon, features and marks {needed}, got {given}"
        )


def predictions(
    recipe: ForecastRecipe,
    network: Network,
    state: eqx.nn.State,
    windows: Windows,
) -> Iterator[tuple[slice, Float[np.ndarray, "some horizon features"]]]:
    """Forecasts of all windows in their order, a batch of the recipe's size at a time.

    Args:
        recipe: Says how the network forecasts.
        network: In inference mode.
        state: Its running averages.
        windows: Whose inputs, and calendar, it is shown.
    """
    count, size = len(windows.inputs), recipe.batch
    with jax.default_matmul_precision(recipe.matmul):
        for first in range(0, count, size):
            rows = np.minimum(np.arange(first, first + size), count - 1)
            seen, marks = (_single(one[rows]) for one in (windows[0], windows[2]))
            found = np.asarray(_forecasts(network, state, recipe.head, seen, marks))
            kept = slice(first, min(first + size, count))
            yield kept, found[: kept.stop - kept.start]


def measure(
    found: Iterator[tuple[slice, Float[np.ndarray, "some horizon features"]]],
    windows: Windows,
) -> Errors:
    """Errors of forecasts as ``predictions`` gives them; none is kept."""
    count, horizon, features = windows.targets.shape
    squared, absolute = np.zeros((2, horizon, features))
    for rows, rows_found in found:
        off = np.asarray(rows_found, np.float64) - windows.targets[rows]
        squared += (off**2).sum(0)
        absolute += np.abs(off).sum(0)
    return Errors(squared / count, absolute / count)


def _single(
    values: Float64[np.ndarray, "*shape"],
) -> Float[np.ndarray, "*shape"]:
    return np.asarray(values, np.float32)


def _begin(recipe: ForecastRecipe, seed: int) -> Fit:
    network_key, run_key = jax.random.split(jax.random.key(seed))
    network, state = build(network_key, recipe.network)
    parameters = eqx.filter(network, eqx.is_inexact_array)
    run = start(parameters, recipe.optimiser, recipe.rate, run_key)
    return Fit(run, state, Best(parameters, state, jnp.asarray(jnp.inf), run.step))


def _ready(recipe: ForecastRecipe, parameters: Any) -> Network:
    network = ready(recipe, parameters)
    assert isinstance(network, Network)  # ``require_head`` has seen to it
    return network


def _segment(
    recipe: ForecastRecipe,
    training: Windows,
    validation: Windows,
    seed: int,
    last: dict[str, float],
    now: Fit,
) -> tuple[Fit, dict[str, Any]]:
    """Take the steps of a segment, and look at the validation where it is time."""
    first = int(now.run.step)
    batches = [
        _batch(training, recipe.batch, seed, first + step)
        for step in range(recipe.segment)
    ]
    stacked = Windows(*(np.stack(parts) for parts in zip(*batches, strict=True)))
    run, state, losses, norms = _steps(recipe, now.run, now.state, *stacked)
    if run.diverged >= 0:
        raise Diverged(int(run.diverged))
    now = now._replace(run=run, state=state)
    records: dict[str, Any] = {"loss": losses, "gradient_norm": norms}
    last["loss"] = float(losses.mean())
    done = (first + recipe.segment) // recipe.segment
    if done % recipe.evaluate == 0 or done == recipe.segments:
        now, seen = _look(recipe, validation, now)
        last["validation MSE"] = seen["validation_mse"]
        records |= seen
    return now, records


def _batch(windows: Windows, size: int, seed: int, step: int) -> Windows:
    rows = training_rows(len(windows.inputs), size, seed, step)
    return Windows(*(_single(part[rows]) for part in windows))


def _look(
    recipe: ForecastRecipe, validation: Windows, now: Fit
) -> tuple[Fit, dict[str, Any]]:
    network = _ready(recipe, now.run.parameters)
    found = measure(predictions(recipe, network, now.state, validation), validation)
    error = jnp.asarray(found.mse, now.best.error.dtype)
    if error < now.best.error:
        best = Best(now.run.parameters, now.state, error, now.run.step)
        now = now._replace(best=best)
    return now, {
        "step": int(now.run.step),
        "validation_mse": found.mse,
        "validation_mae": found.mae,
    }


# --- compiled -----------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=0)
def _steps(
    recipe: ForecastRecipe,
    run: Run,
    state: eqx.nn.State,
    inputs: Float[Array, "steps batch length features"],
    targets: Float[Array, "steps batch horizon features"],
    marks: Float[Array, "steps batch rows marks"],
) -> tuple[Run, eqx.nn.State, Float[Array, " steps"], Float[Array, " steps"]]:
    rest, factors, decays = skeleton(recipe)
    descent = recipe.optimiser.transformation(run.rate, factors, decays)
    ahead = forecast if recipe.head.kind == "direct" else first_row

    def loss(parameters, state, inputs, targets, marks, key):
        network: Any = eqx.combine(parameters, rest)
        found, state = ahead(network, state, recipe.head, inputs, marks, key=key)
        return jnp.mean((found - targets[:, : found.shape[1]]) ** 2), state

    def body(now, batch):
        run, state = now
        key = jax.random.fold_in(run.key, run.step)
        (value, moved), slopes = jax.value_and_grad(loss, has_aux=True)(
            run.parameters, state, *batch, key
        )
        run, going = descend(run, descent, value, slopes)
        return (run, select_tree(going, moved, state)), (value, optax.tree.norm(slopes))

    (run, state), curves = jax.lax.scan(body, (run, state), (inputs, targets, marks))
    return run, state, *curves


@eqx.filter_jit
def _forecasts(
    network: Network, state: eqx.nn.State, head: Head, seen: Any, marks: Any
) -> Float[Array, "batch horizon features"]:
    return forecast(network, state, head, seen, marks)[0]
