"""Advice in a table, in sentences, as plain data and as data to draw."""

import math
from typing import Any

import numpy as np
import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.advice.advise import Advice
from sigprop.advice.predictions import Predicted
from sigprop.advice.spectra import SHARE, closed, equivalent_rho
from sigprop.numerics.text import plain

VARIABLES = {"memory": "time_constant", "phase": "phase", "state": "state"}
"""Of a data set of modes, and the attributes of ``Predicted`` that they hold."""

QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
STARTS = ("default", "advised")
KEY = (
    "Time constant: 1/(1 - |lam|), in steps. E|h|^2: second moment of each mode for input "
    "channels of variance 1, after a long time. Gradient: E|dy/dtheta|^2, summed over the "
    "entries of a parameter. Largest rate: plain gradient descent {kind} this learning "
    "rate. The loss is the mean of |error|^2 / 2 of one output."
)
KINDS = {True: "is unstable above", False: "is stable below"}

REASONS = {
    "spread": "Training hardly changes the phase of a slow mode, and the wanted output can "
    "oscillate faster than the input. So half of the phases are sampled below the frequency "
    "named above, and half below pi. To use one range instead, add --phases input or "
    "--phases all.",
    "input": "All phases are sampled below the frequency named above. Training hardly changes "
    "the phase of a slow mode; omit --phases input if the wanted output oscillates faster.",
    "all": "All phases are sampled up to pi, as --phases all asks.",
}


def starts(advice: Advice) -> dict[str, Predicted]:
    """The initialised layer's predictions, by default and as advised."""
    return dict(zip(STARTS, (advice.default, advice.advised), strict=True))


def rows(advice: Advice) -> list[tuple[str, str, float, float]]:
    """Quantity, quantile or parameter, and its values by default and as advised."""
    before, after = advice.default, advice.advised
    entries = [
        (name, kind, float(np.quantile(first, at)), float(np.quantile(second, at)))
        for name, first, second in (
            ("time constant", before.time_constant, after.time_constant),
            ("E|h|^2", before.state, after.state),
        )
        for kind, at in QUANTILES.items()
    ]
    for name, first, second in (
        ("gradient", before.gradient, after.gradient),
        ("largest rate", before.largest_rate, after.largest_rate),
    ):
        entries += [(name, key, first[key], second[key]) for key in first]
    return entries


def table(advice: Advice) -> Table:
    """Default and advised side by side."""
    key = KEY.format(kind=KINDS[advice.advised.exact])
    shown = Table(
        caption=Text(plain(key), "table.caption"),
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for name in ("quantity", "of", *STARTS):
        shown.add_column(name, justify="right" if name in STARTS else "left")
    last = None
    for quantity, of, *values in rows(advice):
        cells = [f"{value:.3g}" if math.isfinite(value) else "none" for value in values]
        shown.add_row("" if quantity == last else quantity, of, *cells)
        last = quantity
    return shown


def sentences(advice: Advice) -> list[str]:
    """What to set and why, a line each."""
    before, after = advice.default, advice.advised
    lines = [
        f"For sequences of {advice.length} steps, set time constants from "
        f"{after.time_constant.min():.3g} to {advice.memory:g} steps, evenly spaced in their "
        f"logarithm. The longest default time constant is {before.longest:.3g} steps.",
        f"{100 * SHARE:g} % of the input's power lies below a frequency of "
        f"{advice.phase:.3g} rad per step, a period of {2 * math.pi / advice.phase:.3g} steps.",
    ]
    if {"max_phase", "theta_range"} & set(advice.options):
        lines.append(REASONS[advice.phases])
    if after.exact:
        spread = [
            float(prediction.state.max() / prediction.state.min())
            for prediction in (before, after)
        ]
        lines.append(
            f"By default the largest E|h|^2 of a mode is {spread[0]:.3g} times the smallest. "
            f"With the advice this ratio is {spread[1]:.3g}."
        )
    else:
        lines.append(
            f"The mean E|h|^2 is {before.state.mean():.3g} by default and "
            f"{after.state.mean():.3g} as advised. It is computed for inputs of "
            f"autocovariance {equivalent_rho(advice.spectrum):.3g}^|lag|, which have the "
            "variance and the low-frequency power of the input."
        )
    (first, rate), (first_before, rate_before) = (
        min(prediction.largest_rate.items(), key=lambda item: item[1])
        for prediction in (after, before)
    )
    lines.append(
        f"With the advice, {first} limits plain gradient descent most, to a learning rate of "
        f"{rate:.2g}: train with Adam, or keep the rate below this value. By default "
        f"{first_before} limits plain gradient descent most, to a rate of {rate_before:.2g}."
    )
    return [*lines, f"Note: {advice.note}."]


def as_json(advice: Advice) -> dict[str, Any]:
    """The advice as plain data; what is infinite is null."""
    return {
        "layer": advice.layer,
        "length": advice.length,
        "memory": advice.memory,
        "state": advice.state,
        "input": {
            "weights": closed(advice.spectrum).weights.tolist(),
            "rho": closed(advice.spectrum).rho.tolist(),
            "phase": advice.phase,
        },
        "options": advice.options,
        "code": advice.code,
        "note": advice.note,
        "starts": {
            name: {
                "memory": _quantiles(prediction.time_constant),
                "state": _quantiles(prediction.state),
                "gradient": prediction.gradient,
                "ceiling": {
                    key: value if math.isfinite(value) else None
                    for key, value in prediction.largest_rate.items()
                },
            }
            for name, prediction in starts(advice).items()
        },
    }


def _quantiles(values: np.ndarray) -> dict[str, float]:
    return {name: float(np.quantile(values, at)) for name, at in QUANTILES.items()}


def as_dataset(advice: Advice) -> xr.Dataset:
    """Modes by ``start``, for ``sigprop.figures.advice``."""
    both = starts(advice)
    return xr.Dataset(
        {
            variable: (
                ("start", "mode"),
                np.stack([getattr(prediction, name) for prediction in both.values()]),
            )
            for variable, name in VARIABLES.items()
        },
        coords={"start": list(STARTS)},
        attrs={
            "length": advice.length,
            "memory": advice.memory,
            "phase": advice.phase,
            "gated": int(not advice.advised.exact),
        },
    )
