"""Advice as a table, as sentences, as plain data, and as data for a figure."""

import math
from typing import Any

import numpy as np
import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.advice.advise import CHANNELS, MODES, Advice
from sigprop.advice.families import FAMILIES
from sigprop.advice.predictions import Predicted
from sigprop.advice.spectra import (
    SHARE,
    Measured,
    Spectrum,
    closed,
    equivalent_rho,
)
from sigprop.numerics.text import plain

VARIABLES = {"memory": "time_constant", "phase": "phase", "state": "state"}
"""Attribute of ``Predicted`` for each variable of the data set of ``as_dataset``."""

QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
STARTS = ("default", "advised")
KEY = (
    "Time constant: 1/(1 - |lam|), in steps. E|h|^2: second moment of a state after a long "
    "time, for inputs of variance 1. {gradient} Largest rate: {rate}"
)
GRADIENTS = {
    True: "Gradient: E|dy/dtheta|^2, summed over the entries of a parameter, for one input "
    "and one output{channel}.",
    False: "Gradient: E|dh/dtheta|^2, summed over the states and over the entries of a "
    "parameter.",
}
RATES = {
    True: "a diagnostic of curvature; plain gradient descent on |error|^2 / 2 is unstable "
    "above.",
    False: "a diagnostic of curvature; plain gradient descent on |error|^2 / 2 of all "
    "states is stable below.",
}
LOWERED = "helped on 0 of 4 tasks and harmed on 3"
"""Result of the stored study ``advice_rates``."""
BORDERS = {True: "unstable above", False: "stable below"}

REASONS = {
    "spread": "Training hardly changes the phase of a slow mode, and the wanted output can "
    "oscillate faster than the input. So half of the phases are sampled below this frequency, "
    "and half below pi. Options: --phases input or all.",
    "input": "All phases are sampled below this frequency. Training hardly changes "
    "the phase of a slow mode; omit --phases input if the wanted output oscillates faster.",
    "all": "All phases are sampled up to pi, as --phases all asks.",
}


def starts(advice: Advice) -> dict[str, Predicted]:
    """Return the predictions for the default and for the advised initialisation, by name."""
    return dict(zip(STARTS, (advice.default, advice.advised), strict=True))


def rows(advice: Advice) -> list[tuple[str, str, float, float]]:
    """Return the rows of the table of an advice.

    Each row has the name of a quantity, a quantile or parameter, the value by default,
    and the value as advised.
    """
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


def shown(value: float) -> str:
    """Format a number with three digits, or as a whole number from 100 to a million.

    Infinity and NaN become ``none``.

    Example:
        >>> [shown(value) for value in (16384.2, 0.05, 1.06e-6, math.inf)]
        ['16384', '0.05', '1.06e-06', 'none']
    """
    if not math.isfinite(value):
        return "none"
    return f"{value:.0f}" if 100 <= abs(value) < 1e6 else f"{value:.3g}"


def _between(values: np.ndarray) -> str:
    """Describe the range of some values, rounded as in the table."""
    least, most = shown(float(values.min())), shown(float(values.max()))
    return f"is {least}" if least == most else f"lies between {least} and {most}"


def heading(advice: Advice) -> str:
    """Describe the layer to which the numbers of the table belong."""
    family = FAMILIES[advice.layer]
    sizes = family.sizes.format(
        state=advice.state,
        width=advice.width,
        channels=family.expand * advice.width,
    )
    fewer = []
    if family.gated and family.expand * advice.width > CHANNELS:
        fewer.append(f"all numbers below are for {CHANNELS} channels")
    if not family.gated and advice.state > MODES:
        fewer.append(f"gradients and rates are for {MODES} states")
    return "; ".join([f"{advice.layer}: {sizes}", *fewer])


def table(advice: Advice) -> Table:
    """Return a table of the predictions by default and as advised."""
    exact = advice.advised.exact
    channel = ", the channel with the median step" * (advice.layer == "s4d")
    key = KEY.format(
        gradient=GRADIENTS[exact].format(channel=channel), rate=RATES[exact]
    )
    built = Table(
        caption=Text(plain(key), "table.caption"),
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for name in ("quantity", "of", *STARTS):
        built.add_column(name, justify="right" if name in STARTS else "left")
    last = None
    for quantity, of, *values in rows(advice):
        built.add_row("" if quantity == last else quantity, of, *map(shown, values))
        last = quantity
    return built


def sentences(advice: Advice) -> list[str]:
    """Return the advice and its reasons as lines of text, rounded as in the table."""
    before, after = advice.default, advice.advised
    lines = [
        f"For sequences of {advice.length} steps, the advice spreads time constants in their "
        f"logarithm, up to {advice.memory:g} steps: here from "
        f"{shown(after.time_constant.min())} to {shown(after.longest)}. The longest default "
        f"time constant is {shown(before.longest)}.",
    ]
    power = (
        f"{100 * SHARE:g} % of the input's power lies below a frequency of "
        f"{shown(advice.phase)} rad per step, a period of "
        f"{shown(2 * math.pi / advice.phase)} steps."
    )
    if {"max_phase", "theta_range"} & set(advice.options):
        power += f" {REASONS[advice.phases]}"
    lines.append(power)
    states = (
        f"E|h|^2 {_between(before.state)} by default and {_between(after.state)} as "
        "advised."
    )
    if not after.exact:
        states += (
            f" It is computed for {len(after.state)} of the {len(after.time_constant)} "
            f"states, and for the autocovariance {equivalent_rho(advice.spectrum):.3g}^|lag|."
        )
    lines.append(states)
    (first, rate), (first_before, rate_before) = (
        min(prediction.largest_rate.items(), key=lambda item: item[1])
        for prediction in (after, before)
    )
    lines.append(
        f"Curvature: plain gradient descent is {BORDERS[after.exact]} a rate of "
        f"{shown(rate)} for {first} as advised, and of {shown(rate_before)} for "
        f"{first_before} by default. This is no advice: Adam's rates, lowered "
        f"by the root of their ratio, {LOWERED}."
    )
    lines.append(f"Note: {advice.note}.")
    if any("advice.json" in text for text in advice.code.values()):
        lines.append(
            "The code below reads the measured autocovariance from advice.json: add --json "
            "advice.json."
        )
    return lines


def as_json(advice: Advice) -> dict[str, Any]:
    """Return the advice as plain data for JSON; infinity becomes ``None``."""
    return {
        "layer": advice.layer,
        "length": advice.length,
        "memory": advice.memory,
        "state": advice.state,
        "width": advice.width,
        "input": {
            "weights": closed(advice.spectrum).weights.tolist(),
            "rho": closed(advice.spectrum).rho.tolist(),
            "covariance": _covariance(advice.spectrum),
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


def _covariance(spectrum: Spectrum) -> list[float] | None:
    """Return the autocovariance of a measured input by lag; None for other inputs."""
    return spectrum.covariance.tolist() if isinstance(spectrum, Measured) else None


def _quantiles(values: np.ndarray) -> dict[str, float]:
    return {name: float(np.quantile(values, at)) for name, at in QUANTILES.items()}


def as_dataset(advice: Advice) -> xr.Dataset:
    """Return the predictions for each mode by ``start``, for ``sigprop.figures.advice``.

    Modes without a predicted state are omitted.
    """
    both = starts(advice)

    def modes(prediction: Predicted, name: str) -> np.ndarray:
        values = getattr(prediction, name)
        if name == "state" or prediction.sampled is None:
            return values
        return values[prediction.sampled]

    return xr.Dataset(
        {
            variable: (
                ("start", "mode"),
                np.stack([modes(prediction, name) for prediction in both.values()]),
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
