"""Advice in a table, in sentences, as plain data and as data to draw."""

import math
from typing import Any

import numpy as np
import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.advice.advise import Advice
from sigprop.advice.predictions import Predicted
from sigprop.advice.spectra import SHARE, as_one, closed
from sigprop.numerics.text import plain

QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
STARTS = ("default", "advised")
READING = (
    "memory: 1/(1 - |lam|), in steps; E|h|^2: of each mode, stationary, for channels of "
    "unit variance; gradient: E|dy/dtheta|^2, summed over a parameter's entries; ceiling: "
    "the learning rate, {kind}, of plain gradient descent on the mean of |error|^2 / 2 "
    "of one output."
)
KINDS = {True: "above which it is unstable", False: "below which it is stable"}

REASONS = {
    "spread": "Phases hardly move while a long memory is learnt, and what is to be learnt may "
    "turn faster than the input's power does: half of them are drawn where the power is, "
    "half anywhere up to pi. --phases input or all draws all of them so.",
    "input": "All phases are drawn there. They hardly move while a long memory is learnt: "
    "where what is to be learnt may turn faster, leave --phases input out.",
    "all": "Phases are drawn up to pi wherever the power is, as asked for by --phases all.",
}


def starts(advice: Advice) -> dict[str, Predicted]:
    """What the layer begins as, by default and as advised."""
    return dict(zip(STARTS, (advice.default, advice.advised), strict=True))


def rows(advice: Advice) -> list[tuple[str, str, float, float]]:
    """What is compared, of what, by default, and as advised."""
    before, after = advice.default, advice.advised
    found = [
        (name, kind, float(np.quantile(first, at)), float(np.quantile(second, at)))
        for name, first, second in (
            ("memory", before.memory, after.memory),
            ("E|h|^2", before.state, after.state),
        )
        for kind, at in QUANTILES.items()
    ]
    for name, first, second in (
        ("gradient", before.gradient, after.gradient),
        ("ceiling", before.ceiling, after.ceiling),
    ):
        found += [(name, key, first[key], second[key]) for key in first]
    return found


def table(advice: Advice) -> Table:
    """Default and advised side by side."""
    note = READING.format(kind=KINDS[advice.advised.exact])
    shown = Table(
        caption=Text(plain(note), "table.caption"),
        caption_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for name in ("what", "of", *STARTS):
        shown.add_column(name, justify="right" if name in STARTS else "left")
    last = None
    for what, of, *values in rows(advice):
        cells = [f"{one:.3g}" if math.isfinite(one) else "none" for one in values]
        shown.add_row("" if what == last else what, of, *cells)
        last = what
    return shown


def sentences(advice: Advice) -> list[str]:
    """What to set and why, a line each."""
    before, after = advice.default, advice.advised
    lines = [
        f"Longest memory {advice.memory:g} steps, for sequences of {advice.length}, and "
        f"others down to {after.memory.min():.3g}, spread by their logarithm; by default the "
        f"longest is {before.longest:.3g}, as drawn.",
        f"{100 * SHARE:g} % of the input's power is below {advice.phase:.3g} rad a step, a "
        f"period of {2 * math.pi / advice.phase:.3g} steps.",
    ]
    if {"max_phase", "theta_range"} & set(advice.options):
        lines.append(REASONS[advice.phases])
    if after.exact:
        spread = [float(one.state.max() / one.state.min()) for one in (before, after)]
        lines.append(
            f"The sizes of the states differ by a factor of {spread[0]:.3g} by default, and "
            f"of {spread[1]:.3g} as advised."
        )
    else:
        lines.append(
            f"The mean second moment of the states is {before.state.mean():.3g} by default, "
            f"{after.state.mean():.3g} as advised, under inputs of R = "
            f"{as_one(advice.spectrum):.3g}^|lag|, of the input's variance and of its power "
            "at phase zero."
        )
    name = min(after.ceiling, key=after.ceiling.__getitem__)
    lines.append(
        f"The learning rate is limited first by {name}: {after.ceiling[name]:.2g}; by "
        f"default by {min(before.ceiling, key=before.ceiling.__getitem__)}: "
        f"{min(before.ceiling.values()):.2g}."
    )
    return [*lines, f"Beside: {advice.note}."]


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
                "memory": _quantiles(one.memory),
                "state": _quantiles(one.state),
                "gradient": one.gradient,
                "ceiling": {
                    key: value if math.isfinite(value) else None
                    for key, value in one.ceiling.items()
                },
            }
            for name, one in starts(advice).items()
        },
    }


def _quantiles(values: np.ndarray) -> dict[str, float]:
    return {name: float(np.quantile(values, at)) for name, at in QUANTILES.items()}


def as_dataset(advice: Advice) -> xr.Dataset:
    """Modes by ``start``, for ``sigprop.figures.advice``."""
    both = starts(advice)
    return xr.Dataset(
        {
            name: (
                ("start", "mode"),
                np.stack([getattr(one, name) for one in both.values()]),
            )
            for name in ("memory", "phase", "state")
        },
        coords={"start": list(STARTS)},
        attrs={
            "length": advice.length,
            "memory": advice.memory,
            "phase": advice.phase,
            "gated": int(not advice.advised.exact),
        },
    )
