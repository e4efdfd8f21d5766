"""Summary of an audit: ratios under each assumption, and the first assumption to fail."""

from collections import Counter

import numpy as np
import xarray as xr
from rich.table import Table
from rich.text import Text

from sigprop.numerics.text import plain

TOLERANCE = 0.1
"""Largest relative error of a prediction that counts as an agreement with theory."""
ENDS = (0.05, 0.95)
DRIVEN = {"state": "inputs", "sensitivity": "inputs", "error": "errors"}
REASONS = {
    "shuffled": "errors depend on states",
    "stationary": "{} are not stationary",
    "infinite": "memory is cut by the sequence's length",
    "independent": "channels are correlated",
    "white": "{} are not white",
    "memoryless": "{} depend on earlier ones",
    "Gaussian": "{} are not Gaussian",
    "alike": "channels are correlated or unequal",
    "as drawn": "training moved the weights",
}
HOLDS = "theory holds"
"""Reason in a summary if every median ratio is within ``TOLERANCE`` of one."""

UNSEEN = "nothing measured"
READING = (
    "Numbers are medians over modes of predicted / measured. Each column adds one "
    "assumption: errors independent of states, stationary signals, an infinite past (not "
    "for gradients), independent and equal channels, white signals.",
    "5 - 95 %, within 10 % and error (the median standard error of one mode) refer to the "
    "stationary column. Reason: the first assumption whose median is off by over 10 %.",
)

GATED_READING = (
    "Numbers are medians over units, columns of the state, of predicted / measured. Each "
    "column adds one assumption: inputs independent in time, of one distribution at all "
    "positions, Gaussian, of independent equal channels without mean, weights as drawn.",
    READING[1].replace("one mode", "one unit"),
)


def reading(audit: xr.Dataset) -> tuple[str, ...]:
    """Return sentences that explain the columns of the table of an audit.

    Args:
        audit: Audit that ``sigprop.audit.audit`` returned.
    """
    return GATED_READING if "memoryless" in audit["rung"].values else READING


def summarise(audit: xr.Dataset) -> xr.Dataset:
    """Summarise an audit: medians over modes, and the first assumption that fails.

    Args:
        audit: Audit that ``sigprop.audit.audit`` returned.

    Returns:
        A data set.  Five variables have the dimensions ``recurrence``, ``quantity`` and
        ``rung`` (name of an assumption).  ``median``, ``low`` and ``high`` are
        quantiles (50 %, 5 % and 95 %) over the modes of the ratio of predicted to
        measured moment.  ``within`` is the share of modes whose ratio is within 10 % of
        one.  ``sem`` is the standard error of the ratio of a mode, as the median over
        modes.  Two variables have the dimensions ``recurrence`` and ``quantity``.
        ``fails`` is the first assumption whose median ratio is not within 10 % of one,
        or empty if none fails.  ``reason`` is a text: the cause of the failure, the
        statement that no assumption fails, or the reason why there is no prediction.

    Example:
        >>> names = {"recurrence": ["block 1"], "quantity": ["state"]}
        >>> dims = ("recurrence", "quantity", "rung", "mode")
        >>> ratio = np.array([[[[1.02, 1.04, 0.97], [1.5, 1.6, 1.2]]]])
        >>> rungs = ["stationary", "white"]
        >>> audited = xr.Dataset(
        ...     {
        ...         "ratio": (dims, ratio),
        ...         "ratio_sem": (dims, 0.01 + 0 * ratio),
        ...         "note": ("recurrence", [""]),
        ...     },
        ...     {**names, "rung": rungs},
        ... )
        >>> summarise(audited)["fails"].item()  # its median is 1.5
        'white'
    """
    ratios = audit["ratio"].values
    shape = ratios.shape[:-1]
    values = {name: np.full(shape, np.nan) for name in ("low", "median", "high")}
    values |= {name: np.full(shape, np.nan) for name in ("within", "sem")}
    for index in np.ndindex(shape):
        ratios_here = ratios[index][np.isfinite(ratios[index])]
        if not ratios_here.size:
            continue
        errors = audit["ratio_sem"].values[index]
        low, median, high = np.quantile(ratios_here, (ENDS[0], 0.5, ENDS[1]))
        within = np.mean(np.abs(ratios_here - 1) <= TOLERANCE)
        sem = np.median(errors[np.isfinite(errors)])
        for name, value in zip(
            ("low", "median", "high", "within", "sem"),
            (low, median, high, within, sem),
            strict=True,
        ):
            values[name][index] = value
    names = {name: audit[name].values for name in ("recurrence", "quantity", "rung")}
    ladders = [
        [dict(zip(names["rung"], medians, strict=True)) for medians in rows]
        for rows in values["median"]
    ]
    fails = [[failing(medians) for medians in rows] for rows in ladders]
    reasons = [
        [
            str(note) or reason(str(quantity), medians)
            for quantity, medians in zip(names["quantity"], rows, strict=True)
        ]
        for note, rows in zip(audit["note"].values, ladders, strict=True)
    ]
    dims = tuple(names)
    tables = {name: (dims, value) for name, value in values.items()}
    tables |= {"fails": (dims[:2], fails), "reason": (dims[:2], reasons)}
    return xr.Dataset(tables, names, audit.attrs | {"tolerance": TOLERANCE})


def with_summary(audit: xr.Dataset) -> xr.Dataset:
    """Return an audit together with its summary, for a figure."""
    return summarise(audit).merge(audit, combine_attrs="override")


def failing(medians: dict[str, float]) -> str:
    """Return the first assumption whose median ratio is over 10 % away from one.

    Args:
        medians: Median ratio of each assumption, in the order of the assumptions; NaN if
            there is no prediction.

    Returns:
        The name of the assumption, or an empty text if none fails.
    """
    off = (rung for rung, median in medians.items() if abs(median - 1) > TOLERANCE)
    return next(off, "")


def reason(quantity: str, medians: dict[str, float]) -> str:
    """Describe the first assumption that fails for a quantity in words.

    Args:
        quantity: Name of the quantity, such as ``state``.
        medians: Median ratio of each assumption, as for ``failing``.
    """
    if np.isnan(list(medians.values())).all():
        return UNSEEN
    rung = failing(medians)
    driven = DRIVEN.get(quantity.split()[0], "signals")
    return REASONS[rung].format(driven) if rung else HOLDS


def conclusion(audit: xr.Dataset) -> str:
    """Count the moments that theory predicts, and how often each assumption fails first.

    Args:
        audit: Audit that ``sigprop.audit.audit`` returned.
    """
    summary = summarise(audit)
    predicted = summary["median"].notnull().any("rung").values
    if not predicted.any():
        return "No layer has a moment with a closed form."
    failures = Counter(summary["reason"].values[predicted].tolist())
    exact = failures.pop(HOLDS, 0)
    fails = ", ".join(f"{why} ({count})" for why, count in failures.most_common())
    first = f" The first assumption to fail elsewhere: {fails}." if fails else ""
    return (
        f"Theory predicts {exact} of {int(predicted.sum())} moments within "
        f"{100 * TOLERANCE:g} % under every assumption.{first}"
    )


def table(audit: xr.Dataset) -> Table:
    """Return a table of the summary for a terminal of 150 columns."""
    summary = summarise(audit)
    attrs = audit.attrs
    title = (
        f"Moments of {attrs['layer']}, {attrs['examples']} examples in "
        f"{attrs['batches']} batches, mean length {attrs['mean_length']:.0f}"
    )
    shown = Table(
        title=Text(plain(title), "table.title"),
        caption="\n".join(reading(audit)),
        caption_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    rungs = list(summary["rung"].values)
    numbers = (*rungs, "5 - 95 %", "within 10 %", "error")
    for name in ("recurrence", "quantity", *numbers, "reason"):
        justify = "right" if name in numbers else "left"
        shown.add_column(name, justify=justify, no_wrap=name != "reason")
    for name in summary["recurrence"].values:
        recurrence = summary.sel(recurrence=name)
        quantities = summary["quantity"].values
        for quantity in quantities:
            row = recurrence.sel(quantity=quantity)
            first = str(name) if quantity == quantities[0] else ""
            reason = Text(plain(row["reason"].values))
            if not row["median"].notnull().any():
                if first:
                    shown.add_row(first, "", *[""] * len(numbers), reason)
                continue
            stationary = row.sel(rung="stationary")
            cells = [_number(row["median"].sel(rung=rung)) for rung in rungs]
            cells += [
                f"{_number(stationary['low'])} - {_number(stationary['high'])}",
                f"{float(stationary['within']):.0%}",
                f"{float(stationary['sem']):.3f}",
            ]
            shown.add_row(first, str(quantity), *cells, reason)
        shown.add_row()
    return shown


def _number(value: xr.DataArray) -> str:
    return "" if np.isnan(value) else f"{float(value):.3g}"
