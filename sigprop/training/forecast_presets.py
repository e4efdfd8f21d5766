"""Recipes for forecasting: ``paper`` as printed, ``quick`` for two cores.

``paper`` has the settings of BLUR for every model: four blocks, mixed features, mean
pooling, no value subtracted from a window, and eight epochs.  ``quick`` has two small blocks
without dropout.  It reads each feature separately, subtracts its last value, and pools at
the last step.  On ETTh1 this comes near the exact linear model within minutes, and mixed
features do not (mean squared error at horizon 48: 0.35 against 0.42; linear 0.349).

Source: BLUR (2025), Appendix A.5 and Table 6.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from sigprop.networks.config import NetworkConfig
from sigprop.networks.forecaster import Head
from sigprop.networks.presets import blur_paper
from sigprop.tasks.forecasts import Forecasts
from sigprop.training.forecasting import ForecastRecipe
from sigprop.training.layer_sizes import layer_size, registered_layers
from sigprop.training.recipes import Schedule
from sigprop.training.recipes import recipe as training

QUICK = Schedule(1600, 16, 2e-3, 0.5)
PAPER = Schedule(0, 64, 1e-3, 1.0)  # the number of steps follows from the epochs
EPOCHS = 8
SEGMENT, LOOK = 20, 5  # steps of a segment; segments between two evaluations

Options = Callable[[int], dict[str, Any]]


def _disc(size: int) -> dict[str, Any]:
    return {"r_min": 0.0, "r_max": 1.0}


def _heads(size: int) -> dict[str, Any]:
    return {"heads": size // 8, "gamma_range": (0.5, 0.999)}


def _ring(size: int) -> dict[str, Any]:
    return {"nu0": 0.5, "theta0": math.pi}


def _times(size: int) -> dict[str, Any]:
    return {"times": (1.0, 24.0)}


MODELS: dict[str, Options] = {
    "blur": _disc,
    "lru": _disc,
    "bidirectional_lru": _disc,
    "rotrnn": _heads,
    "bidirectional_rotrnn": _heads,
    "s4": _ring,
    "bidirectional_s4": _ring,
    "gru": _times,
    "bgru": _times,
    "lstm": _times,
    "blstm": _times,
    "brnn": lambda size: {},
}
"""Functions from the size of the state to the options of a layer, by layer name.

``forecast_preset`` also accepts the other layers of ``registered_layers``.
"""

SIZES = ("quick", "paper")


def forecast_preset(
    model: str,
    size: str,
    task: Forecasts,
    *,
    kind: str = "direct",
    centre: str | None = None,
    channels: str | None = None,
) -> ForecastRecipe:
    """Return the recipe for training a model on a forecasting task.

    Args:
        model: Name of a layer, such as ``lru``, ``blur`` or ``gru``.  The error for an
            unknown name lists all names.
        size: ``quick`` for a training run of minutes on two CPU cores, or ``paper`` for
            the settings of the paper of BLUR.
        task: Forecasting task.
        kind: ``direct`` to forecast all steps at once, or ``steps`` to forecast one
            step after another.
        centre: Value that is subtracted from a window and added to its forecast:
            ``last`` for the last row, ``mean``, or ``none`` for zero.  Default:
            ``last`` for ``quick``, ``none`` for ``paper``.
        channels: ``mixed`` to read all features together, or ``each`` to read every
            feature separately.  Default: ``each`` for ``quick``, ``mixed`` for ``paper``.

    Raises:
        ValueError: If ``model``, ``size``, ``kind``, ``centre`` or ``channels`` is
            unknown.

    Example:
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> forecast_preset("lru", "quick", task).head.horizon
        26
    """
    known = dict.fromkeys([*MODELS, *registered_layers()])
    if model not in known:
        raise ValueError(f"need a model in {', '.join(known)}, got {model!r}")
    if size not in SIZES:
        raise ValueError(f"need a preset of quick or paper, got {size!r}")
    quick = size == "quick"
    head = Head(
        horizon=task.horizon,
        features=len(task.features),
        marks=task.marks,
        kind=kind,
        centre=centre or ("last" if quick else "none"),
        channels=channels or ("each" if quick else "mixed"),
    )
    schedule = QUICK if quick else PAPER
    batch = min(schedule.batch, task.count("train"))
    steps = schedule.steps or EPOCHS * (task.count("train") // batch)
    steps = max(steps // SEGMENT, 1) * SEGMENT
    return training(
        (_quick if quick else _paper)(model, head),
        dataclasses.replace(schedule, steps=steps, batch=batch),
        ForecastRecipe,
        segment=SEGMENT,
        evaluate=LOOK,
        head=head,
    )


def _quick(model: str, head: Head) -> NetworkConfig:
    return NetworkConfig(
        inputs=head.inputs,
        outputs=head.outputs,
        width=64,
        depth=2,
        layer=model,
        pooling="last",
        **_layer(model, 64, 64),
    )


def _paper(model: str, head: Head) -> NetworkConfig:
    config = blur_paper(head.inputs, head.outputs)
    return dataclasses.replace(
        config, layer=model, **_layer(model, config.state_size, config.width)
    )


def _layer(model: str, size: int, width: int) -> dict[str, Any]:
    """Return the state size and the options of a layer, by argument name."""
    if model in MODELS:
        return {"state_size": size, "layer_options": MODELS[model](size)}
    state_size, options = layer_size(model, size, width)
    return {"state_size": state_size, "layer_options": options}
