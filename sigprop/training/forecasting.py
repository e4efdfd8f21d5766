"""Training of a network that forecasts, with squared error; the best network is kept.

Windows are views of the rows of a table.  Only one batch is copied at a time.

Source: Zhou et al. (2021), Informer, for the error in standardised units over all windows.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float64, Int

from sigprop.networks import Network
from sigprop.networks.forecaster import Head, first_row, forecast, require_head
from sigprop.tasks.examples import training_rows
from sigprop.tasks.forecasts import Errors, Forecasts, Windows
from sigprop.training.recipes import Recipe
from sigprop.training.segments import (
    Fit,
    Kind,
    Last,
    Prepare,
    Progress,
    fit_segments,
    ready,
    stacked,
    unchanged,
)


@dataclass(frozen=True, kw_only=True)
class ForecastRecipe(Recipe):
    """Recipe for training a forecaster; data and seed are not part of it.

    The other fields are documented in ``Recipe``.

    Attributes:
        head: Settings of the network's forecasts: their size, and how they are made
            from the inputs.

    Raises:
        ValueError: If the network does not fit ``head``, or a field of ``Recipe`` is
            out of range.

    Example:
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> from sigprop.training import forecast_preset
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> recipe = forecast_preset("lru", "quick", task)
        >>> isinstance(recipe, ForecastRecipe), recipe.head.kind
        (True, 'direct')
    """

    head: Head

    def __post_init__(self) -> None:
        super().__post_init__()
        require_head(self.network, self.head)


class Best(NamedTuple):
    """Network with the smallest validation error so far.

    Attributes:
        parameters: Trained arrays.
        state: Running averages.
        error: Mean squared error on the validation windows, in standardised units.
        step: Training step.
    """

    parameters: Any
    state: eqx.nn.State
    error: Float[Array, ""]
    step: Int[Array, ""]


class Fitted(NamedTuple):
    """Result of training a forecaster.

    Attributes:
        network: Network with the smallest validation error, in inference mode.
        state: Running averages of this network.
        step: Training step of this network.
        validation: Mean squared error of this network on the validation windows, in
            standardised units.
        records: ``loss`` and ``gradient_norm`` of shape (segments, steps).  ``step``,
            ``validation_mse`` and ``validation_mae`` with a value per evaluation.
    """

    network: Network
    state: eqx.nn.State
    step: int
    validation: float
    records: dict[str, np.ndarray]


def fit_forecaster(
    recipe: ForecastRecipe,
    task: Forecasts,
    seed: int = 0,
    *,
    checkpoint: Path | None = None,
    every: float = 20.0,
    progress: Progress = lambda done, last: None,
    prepare: Prepare = unchanged,
) -> Fitted:
    """Train a network to forecast; return it at the step of smallest validation error.

    Training does not read the test rows.

    Args:
        recipe: Network, settings of its forecasts, optimiser, learning rate and batch
            size.
        task: Forecasting task.
        seed: Seed of the parameters, of the order of the windows and of dropout.
        checkpoint: File to which the training run is saved and from which it resumes.
            Default: none.
        every: Number of seconds between two checkpoints.
        progress: Function that is called at the start and after each segment of
            ``recipe.segment`` steps.  Its arguments are the number of finished
            segments, and a dictionary with the last ``loss`` and ``validation MSE``,
            empty at the start.
        prepare: Function that takes the initialised network and returns the network to
            train, with arrays of the same shapes.  Default: no change.

    Returns:
        A named tuple.  ``network`` is the network after training step ``step``, at
        which the validation error ``validation`` was smallest.  ``state`` has the
        running averages of the network's normalisations.  ``records`` has the losses
        and validation errors during training.

    Raises:
        ValueError: If the seed is out of range; the head of the recipe does not fit the
            task; ``recipe.batch`` exceeds the number of training windows; or the
            checkpoint is damaged or belongs to another training run.
        Diverged: If a loss, a gradient or a parameter is not finite.  The last
            checkpoint is kept.

    Example:
        >>> from sigprop.networks import Head, NetworkConfig
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> from sigprop.training import Optimiser
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> head = Head(horizon=26, features=1)
        >>> sizes = {"inputs": 1, "outputs": 26, "width": 2, "state_size": 2, "depth": 1}
        >>> network = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> short = {"batch": 4, "segment": 2, "evaluate": 1}
        >>> schedule = {"optimiser": Optimiser(steps=2), "rate": 0.01, **short}
        >>> recipe = ForecastRecipe(network=network, head=head, **schedule)
        >>> fitted = fit_forecaster(recipe, task)
        >>> fitted.step, fitted.network.config.layer
        (2, 'lru')
    """
    require_task(recipe.head, task)
    training, validation = task.windows("train"), task.windows("validation")
    end, records = fit_segments(
        KIND,
        recipe,
        seed,
        functools.partial(_batches, recipe, training, seed),
        functools.partial(_look, recipe, validation),
        about={"task": task.about()},
        checkpoint=checkpoint,
        every=every,
        progress=progress,
        prepare=prepare,
    )
    best = end.best
    network = _ready(recipe, best.parameters)
    return Fitted(network, best.state, int(best.step), float(best.error), records)


def require_task(head: Head, task: Forecasts) -> None:
    """Raise an error if an output head does not fit a forecasting task.

    Raises:
        ValueError: If horizon, features or calendar marks differ from the task's.
    """
    needed = task.horizon, len(task.features), task.marks
    shape = head.horizon, head.features, head.marks
    if shape != needed:
        raise ValueError(
            f"need a head of horizon, features and marks {needed}, got {shape}"
        )


def predictions(
    recipe: ForecastRecipe,
    network: Network,
    state: eqx.nn.State,
    windows: Windows,
) -> Iterator[tuple[slice, Float[np.ndarray, "some horizon features"]]]:
    """Yield the forecasts of all windows in their order, one batch at a time.

    Args:
        recipe: Recipe with the output head and the batch size.
        network: Network in inference mode.
        state: Running averages of the network.
        windows: Windows to forecast.

    Yields:
        The range of the windows in a batch, and their forecasts in standardised units.
    """
    count, size = len(windows.inputs), recipe.batch
    with jax.default_matmul_precision(recipe.matmul):
        for first in range(0, count, size):
            rows = np.minimum(np.arange(first, first + size), count - 1)
            inputs, marks = (_single(array[rows]) for array in (windows[0], windows[2]))
            forecast_rows = np.asarray(
                _forecasts(network, state, recipe.head, inputs, marks)
            )
            part = slice(first, min(first + size, count))
            yield part, forecast_rows[: part.stop - part.start]


def measure(
    batches: Iterator[tuple[slice, Float[np.ndarray, "some horizon features"]]],
    windows: Windows,
) -> Errors:
    """Return the errors of forecasts without storing all forecasts.

    Args:
        batches: Ranges of windows with their forecasts, as from ``predictions``.
        windows: Windows with the true values.
    """
    count, horizon, features = windows.targets.shape
    squared, absolute = np.zeros((2, horizon, features))
    for rows, rows_found in batches:
        off = np.asarray(rows_found, np.float64) - windows.targets[rows]
        squared += (off**2).sum(0)
        absolute += np.abs(off).sum(0)
    return Errors(squared / count, absolute / count)


def _single(
    values: Float64[np.ndarray, "*shape"],
) -> Float[np.ndarray, "*shape"]:
    return np.asarray(values, np.float32)


def _ready(recipe: ForecastRecipe, parameters: Any) -> Network:
    network = ready(recipe, parameters)
    assert isinstance(network, Network)  # ``require_head`` has seen to it
    return network


def _batches(
    recipe: ForecastRecipe, windows: Windows, seed: int, steps: range
) -> Windows:
    count = len(windows.inputs)
    samples = [training_rows(count, recipe.batch, seed, step) for step in steps]
    return stacked(
        [Windows(*(_single(array[rows]) for array in windows)) for rows in samples]
    )


def _look(
    recipe: ForecastRecipe, validation: Windows, now: Fit, last: Last
) -> tuple[Fit, dict[str, Any]]:
    network = _ready(recipe, now.run.parameters)
    errors = measure(predictions(recipe, network, now.state, validation), validation)
    last["validation MSE"] = errors.mse
    error = jnp.asarray(errors.mse, now.best.error.dtype)
    if error < now.best.error:
        best = Best(now.run.parameters, now.state, error, now.run.step)
        now = now._replace(best=best)
    return now, {
        "step": int(now.run.step),
        "validation_mse": errors.mse,
        "validation_mae": errors.mae,
    }


# --- compiled -----------------------------------------------------------------------


def _loss(
    recipe: ForecastRecipe,
    network: Network,
    state: eqx.nn.State,
    inputs: Float[Array, "batch length features"],
    targets: Float[Array, "batch horizon features"],
    marks: Float[Array, "batch rows marks"],
    key: Any,
) -> tuple[Float[Array, ""], eqx.nn.State]:
    ahead = forecast if recipe.head.kind == "direct" else first_row
    forecasts_ahead, state = ahead(network, state, recipe.head, inputs, marks, key=key)
    return jnp.mean(
        (forecasts_ahead - targets[:, : forecasts_ahead.shape[1]]) ** 2
    ), state


KIND = Kind(_loss, Best, jnp.inf)


@eqx.filter_jit
def _forecasts(
    network: Network, state: eqx.nn.State, head: Head, inputs: Any, marks: Any
) -> Float[Array, "batch horizon features"]:
    return forecast(network, state, head, inputs, marks)[0]
