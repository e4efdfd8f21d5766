"""Made-up results of trainings to forecast, as a sweep gathers them."""

import numpy as np
import xarray as xr

from sigprop.experiments.forecasting import gathering
from sigprop.experiments.forecasting.cells import CONTROLS, Config

TARGET = 3  # features
VALIDATION = 1.25  # errors without a network, over those of the test


def trained(config: Config, error: float, linear: float = 0.3) -> xr.Dataset:
    """The result of a training with this test error, beside a linear model's.

    The best naive forecast, the season, is off by twice as much as the linear model;
    absolute errors are the roots of the squared ones.  On the validation the errors of
    these are ``VALIDATION`` times as large.
    """
    draw = np.random.default_rng([config.seed, config.horizon, len(config.model)])
    steps, rows, looks = config.horizon, 6 * config.horizon, 4
    shape = (steps, TARGET)
    factors = {"last value": 3.0, "season": 2.0, "climatology": 4.0, "linear": 1.0}
    mse = np.stack([np.full(shape, linear * factors[name]) for name in CONTROLS])
    truth = np.sin(np.arange(rows) / 4) * 3 + 10
    scaled = {"units": "scaled by the training rows"}
    return xr.Dataset(
        {
            "mse": (("step", "feature"), np.full(shape, error), scaled),
            "mae": (("step", "feature"), np.full(shape, error**0.5), scaled),
            "coverage": (("step", "feature"), np.full(shape, 0.9), {"units": "1"}),
            "loss": ("segment", draw.uniform(size=8), scaled),
            "gradient_norm": ("segment", draw.uniform(size=8), scaled),
            "validation_mse": ("look", error + 1 / np.arange(1, looks + 1), scaled),
            "validation_mae": ("look", error + 1 / np.arange(1, looks + 1), scaled),
            "forecast": ("row", truth + draw.normal(0, 0.5, rows)),
            "truth": ("row", truth),
            "lower": ("step", np.full(steps, -0.8)),
            "upper": ("step", np.full(steps, 0.8)),
            "control_mse": (("control", "step", "feature"), mse, scaled),
            "control_mae": (("control", "step", "feature"), mse**0.5, scaled),
            "control_validation_mse": (
                ("control", "step", "feature"),
                VALIDATION * mse,
                scaled,
            ),
        },
        {
            "looked": ("look", 100 * np.arange(1, looks + 1)),
            "line": ("row", np.arange(rows)),
            "control": [*CONTROLS],
        },
        {
            "width": config.width or 32,
            "depth": 2,
            "batch": 16,
            "examples": 1000,
            "windows": rows,
            "features": TARGET,
            "target": "OT",
            "diverged": -1,
            "test_mse": error,
            "test_mae": error**0.5,
            "best_mse": error + 0.25,
            "best_step": 400,
            "parameters": 100 * (config.width or 32),
        },
    )


def gathered(errors: dict[Config, float], name: str = "forecasts") -> xr.Dataset:
    """Trainings with these test errors, as ``sweep.run`` puts them together."""
    results = {repr(config): trained(config, error) for config, error in errors.items()}
    table = gathering.put_together([*errors], repr, results)
    return table.assign_attrs(preset="paper", study=name, commit="0" * 40)
