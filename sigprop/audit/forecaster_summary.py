"""Audit of a forecaster as tables, sentences and plain rows."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.audit.summary import TOLERANCE
from sigprop.numerics.arguments import require_choice
from sigprop.numerics.text import plain

FORECAST_REASONS = {
    "stationary": "the inputs are not stationary",
    "infinite": "the window cuts memory off",
    "independent": "channels are correlated",
    "white": "the inputs are not white",
}
"""Reason for the failure of theory, by the assumption that ``failing_assumption`` returns."""
HOLDS = "theory holds"
EDGES = ("start", "end")
READING = (
    "Brackets give 95 % intervals over blocks of time. The number in a column's title is "
    "its value under the assumption; a star marks intervals that exclude this value.",
    "State power: each column adds one assumption. Fails first: the first column, or edge of "
    "the window, whose interval is over 10 % away from 1.",
    "Rank: the number of independent inputs of the window that a state in its middle "
    "contains. Power lost: the percentage that no linear map recovers from the merged state.",
)
Interval = tuple[float, float, float]


def _interval(values: xr.DataArray) -> Interval:
    low, middle, high = (
        float(values.sel(end=end)) for end in ("low", "middle", "high")
    )
    return low, middle, high


def failing_assumption(dataset: xr.Dataset, recurrence: str) -> str:
    """Return the first assumption for which predicted and measured state power differ.

    The two powers count as different if the 95 % interval of their ratio lies entirely
    below 0.9 or entirely above 1.1.  For ``stationary``, the first and the last tenth of
    the window are also tested.

    Args:
        dataset: Audit that ``sigprop.audit.audit_forecaster`` returned.
        recurrence: Name of a recurrence in the data set, such as ``block 1``.

    Returns:
        The name of the assumption, or an empty text if no assumption fails.

    Raises:
        ValueError: If the data set does not have this recurrence.

    Example:
        >>> ends = {"end": ["low", "middle", "high"], "recurrence": ["block 1"]}
        >>> edge = xr.DataArray([[[0.97, 1.0, 1.03]] * 2], dims=("recurrence", "edge", "end"))
        >>> ratio = xr.DataArray([[[0.6, 0.7, 0.8]]], dims=("recurrence", "rung", "end"))
        >>> names = {**ends, "edge": list(EDGES), "rung": ["white"]}
        >>> found = xr.Dataset({"edges": edge, "ratio": ratio}, names)
        >>> failing_assumption(found, "block 1")  # its interval is below 0.9
        'white'
    """
    require_choice("recurrence", recurrence, _names(dataset, "recurrence"))
    measured = dataset.sel(recurrence=recurrence)
    ladder = [("stationary", measured["edges"].sel(edge=edge)) for edge in EDGES]
    ladder += [
        (str(rung), measured["ratio"].sel(rung=rung))
        for rung in measured["rung"].values
    ]
    for rung, values in ladder:
        low, _, high = _interval(values)
        if low > 1 + TOLERANCE or high < 1 - TOLERANCE:
            return rung
    return ""


def rows(dataset: xr.Dataset) -> dict[str, list[dict[str, Any]]]:
    """Return all numbers with their intervals as rows for JSON; NaN becomes ``None``."""
    numbers = [
        {
            "signal": signal,
            "assumption": name,
            "assumed": float(dataset["assumed"].sel(assumption=name)),
            **_plain(dataset["number"].sel(signal=signal, assumption=name)),
        }
        for signal in dataset["signal"].values.tolist()
        for name in dataset["assumption"].values.tolist()
    ]
    power, merges = [], []
    for name in _names(dataset, "recurrence"):
        selected = dataset.sel(recurrence=name)
        power.append(
            {
                "recurrence": name,
                "fails_first": failing_assumption(dataset, name) or None,
                **_each(selected["ratio"], "rung", _plain),
                **_each(selected["edges"], "edge", _plain),
            }
        )
    for name in _names(dataset, "merge"):
        selected = dataset.sel(merge=name)
        merges.append(
            {
                "merge": name,
                "rank": _each(selected["rank"], "part", int),
                "kept": _each(selected["kept"].isel(part=slice(-1)), "part", _plain),
            }
        )
    return {"assumptions": numbers, "power": power, "merged": merges}


def _names(dataset: xr.Dataset, dimension: str) -> list[str]:
    return dataset[dimension].values.tolist() if dimension in dataset.dims else []


def _plain(values: xr.DataArray) -> dict[str, float | None]:
    names = "low", "value", "high"
    return {
        name: value if math.isfinite(value) else None
        for name, value in zip(names, _interval(values), strict=True)
    }


def _each(values: xr.DataArray, dim: str, read: Callable[[Any], Any]) -> dict[str, Any]:
    return {str(at): read(values.sel({dim: at})) for at in values[dim].values}


def tables(dataset: xr.Dataset) -> list[Table]:
    """Return tables of assumptions, power and merges for a terminal of 150 columns."""
    attrs = dataset.attrs
    title = f"{attrs['sequences']} sequences in {attrs['blocks']} blocks of time"
    names = dataset["assumption"].values.tolist()
    assumed = [float(dataset["assumed"].sel(assumption=name)) for name in names]
    heads = [f"{name} ({value:g})" for name, value in zip(names, assumed, strict=True)]
    first = _table(f"What is assumed of signals, {title}", "signal", *heads)
    for signal in dataset["signal"].values.tolist():
        cells = []
        for name, value in zip(names, assumed, strict=True):
            interval = _interval(dataset["number"].sel(signal=signal, assumption=name))
            off = (
                ""
                if not interval[0] <= interval[2] or interval[0] <= value <= interval[2]
                else " *"
            )
            cells.append(_cell(interval) + off)
        first.add_row(signal, *cells)
    shown = [first]
    if _names(dataset, "recurrence"):
        shown += [_powers(dataset), _edges(dataset)]
    if _names(dataset, "merge"):
        shown.append(_merged(dataset))
    shown[0].caption = Text(plain("\n".join(READING)), "table.caption")
    return shown


def _powers(dataset: xr.Dataset) -> Table:
    rungs = dataset["rung"].values.tolist()
    title = "State power, predicted over measured"
    table = _table(title, "recurrence", *rungs, "fails first")
    for name in _names(dataset, "recurrence"):
        ratios = dataset["ratio"].sel(recurrence=name)
        cells = [_cell(_interval(ratios.sel(rung=rung))) for rung in rungs]
        table.add_row(
            name, *cells, FORECAST_REASONS.get(failing_assumption(dataset, name), HOLDS)
        )
    return table


def _edges(dataset: xr.Dataset) -> Table:
    share = f"a {dataset.attrs['edge']}th of the window"
    title = f"The same of stationary inputs at the edges, {share} each"
    table = _table(title, "recurrence", *EDGES)
    for name in _names(dataset, "recurrence"):
        ratios = dataset["edges"].sel(recurrence=name)
        table.add_row(
            name, *(_cell(_interval(ratios.sel(edge=edge))) for edge in EDGES)
        )
    return table


def _merged(dataset: xr.Dataset) -> Table:
    parts, attrs = dataset["part"].values.tolist(), dataset.attrs
    heads = [f"rank, {part}" for part in parts]
    heads += [f"power lost, {part}" for part in parts[:-1]]
    title = f"The merge of {attrs['numbers']} numbers to {attrs['width']}"
    table = _table(title, "layer", *heads)
    for name in _names(dataset, "merge"):
        merge = dataset.sel(merge=name)
        ranks = [str(int(merge["rank"].sel(part=part))) for part in parts]
        lost = [
            _cell(_lost(merge["kept"].sel(part=part)), ".2g") for part in parts[:-1]
        ]
        table.add_row(name, *ranks, *lost)
    return table


def _lost(share: xr.DataArray) -> Interval:
    """Return the lost share ``1 - share`` in per cent, with its interval."""
    low, middle, high = (100 * (1 - number) for number in _interval(share))
    return high, middle, low


def _table(title: str, *heads: str) -> Table:
    table = Table(
        title=Text(plain(title), "table.title"),
        title_justify="left",
        caption_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for column, head in enumerate(heads):
        table.add_column(head, justify="right" if column else "left")
    return table


def _cell(interval: Interval, form: str = ".3g") -> str:
    low, middle, high = (format(number, form) for number in interval)
    return f"{middle} ({low} to {high})" if math.isfinite(interval[1]) else ""


def conclusions(dataset: xr.Dataset) -> list[str]:
    """Summarise violated assumptions, the first to fail in each layer, and losses at merges."""
    sentences = []
    numbers = dataset["number"].isel(signal=0)
    broken = []
    for name in dataset["assumption"].values.tolist():
        low, middle, high = _interval(numbers.sel(assumption=name))
        assumed = float(dataset["assumed"].sel(assumption=name))
        if low > assumed or high < assumed:
            broken.append(f"{name} ({middle:.3g} instead of {assumed:g})")
    sentences.append(
        f"The network's input violates these assumptions: {', '.join(broken) or 'none'}."
    )
    names = _names(dataset, "recurrence")
    if names:
        first = Counter(failing_assumption(dataset, name) for name in names)
        why = ", ".join(
            f"{FORECAST_REASONS.get(rung, HOLDS)} ({count})"
            for rung, count in first.most_common()
        )
        sentences.append(
            f"The first assumption to fail in {len(names)} recurrences: {why}."
        )
    else:
        sentences.append(
            "No layer has a closed form, so that only the assumptions are measured."
        )
    for name in _names(dataset, "merge"):
        merge = dataset.sel(merge=name)
        pair, merged = (
            int(merge["rank"].sel(part=part)) for part in ("pair", "merged")
        )
        lost = _cell(_lost(merge["kept"].sel(part="pair")), ".2g")
        sentences.append(
            f"The merged state of {name} contains {merged} independent inputs of the window; "
            f"both states together contain {pair}. The merge loses {lost} % of their power."
        )
    return sentences
