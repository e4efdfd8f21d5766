"""Errors printed in Tables 3, 8 and 12 of BLUR (2025), compared with our trainings.

A printed error is *reproduced* if it lies, up to its rounding, in the interval for the
mean of our trainings.  It is *impossible* if a squared error is below the square of the
absolute error.  An error that is not reproduced is not thereby refuted.  Our networks
are smaller, and a setting that the paper does not give may explain the difference.

Source of the data: ``sigprop.experiments.forecasting`` at the preset ``paper``.
"""

import math
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.evidence.trainings import interval
from sigprop.theory.papers.blur.printed import Cell, errors

if TYPE_CHECKING:
    import xarray as xr

Verdict = Literal["reproduced", "not reproduced", "impossible", "not attempted"]
VERDICTS: tuple[Verdict, ...] = (
    "reproduced",
    "not reproduced",
    "impossible",
    "not attempted",
)
HALF = 0.0005  # half of the last printed digit
METHODS = {
    "BLUR": "blur",
    "LRU": "lru",
    "S4": "s4",
    "BRNN": "brnn",
    "BLSTM": "blstm",
}
"""Methods of the tables that there are layers of here, and their names."""

NAMES = {"ETTh1": "ETTh1", "ETTh2": "ETTh2", "ETTm1": "ETTm1", "WTH": "Weather"}
"""Tables by the names of their files, and as BLUR's Tables 3, 8 and 12 call them."""


class Outcome(NamedTuple):
    """Verdict on a printed number, with its reason.

    Attributes:
        verdict: One of ``VERDICTS``.
        reason: Short reason.
    """

    verdict: Verdict
    reason: str


Key = tuple[tuple[str, int], str, str]
"""Data set and horizon, method, and ``MSE`` or ``MAE``."""


def cannot_be(cell: Cell) -> bool:
    """Return True if the squared absolute error exceeds the squared error beyond rounding."""
    return (cell.mae - HALF) ** 2 > cell.mse + HALF


def outcomes(data: "xr.Dataset", table: int) -> dict[Key, Outcome]:
    """Return the verdict on every printed error of a table.

    Args:
        data: Result of the sweep ``forecasts``.
        table: 3, 8 or 12.
    """
    by_key: dict[Key, Outcome] = {}
    for task, row in errors(table).items():
        for method, cell in row.items():
            for metric, printed in zip(("MSE", "MAE"), cell, strict=True):
                if not math.isnan(printed):
                    key = task, method, metric
                    by_key[key] = _outcome(data, cell, *key)
    return by_key


def counts(data: "xr.Dataset", table: int) -> list[int]:
    """Count each of ``VERDICTS`` in a table."""
    frequencies = Counter(outcome.verdict for outcome in outcomes(data, table).values())
    return [frequencies[verdict] for verdict in VERDICTS]


def trained(
    data: "xr.Dataset", task: tuple[str, int], model: str
) -> Float[np.ndarray, "trainings 2"]:
    """Squared and absolute errors of a model's trainings on a task of the tables."""
    names = [NAMES.get(name, name) for name in data["data"].values.tolist()]
    here = (
        (np.array(names) == task[0])
        & (data["horizon"].values == task[1])
        & (data["model"].values == model)
    )
    chosen = data.isel(cell=np.flatnonzero(here))
    return np.stack([chosen["test_mse"].values, chosen["test_mae"].values], 1)


def _outcome(
    data: "xr.Dataset", cell: Cell, task: tuple[str, int], method: str, metric: str
) -> Outcome:
    printed_cell = cell
    if math.isnan(cell.mse):  # Table 3, whose squared errors are those of Table 8
        printed_cell = Cell(errors(8)[task][method].mse, cell.mae)
    if cannot_be(printed_cell):
        least = f"{printed_cell.mae:.3f}^2 = {printed_cell.mae**2:.3f}"
        return Outcome(
            "impossible", f"as MAE^2 = {least} exceeds the MSE, {printed_cell.mse:.3f}"
        )
    if method not in METHODS:
        return Outcome("not attempted", f"{method} is not among our layers")
    measured = trained(data, task, METHODS[method])
    if not len(measured):
        return Outcome("not attempted", _why_not(data, task, method))
    column = ("MSE", "MAE").index(metric)
    mean, low, high = interval(measured[:, column])
    printed = cell[column]
    inside = low - HALF <= printed <= high + HALF
    return Outcome(
        "reproduced" if inside else "not reproduced",
        f"{printed:.3f} in the paper, {mean:.3f} here (interval {low:.3f} to {high:.3f}, "
        f"{len(measured)} trainings)",
    )


def _why_not(data: "xr.Dataset", task: tuple[str, int], method: str) -> str:
    every = [
        (NAMES.get(name, name), int(horizon), model)
        for name, horizon, model in zip(
            *(
                data[variable].values.tolist()
                for variable in ("data", "horizon", "model")
            ),
            strict=True,
        )
    ]
    if task[0] not in {name for name, *_ in every}:
        return f"{task[0]} is not among our data"
    own = [
        (name, horizon) for name, horizon, other in every if other == METHODS[method]
    ]
    if not own:
        return f"{method} is not among the trained models"
    here = sorted({horizon for name, horizon in own if name == task[0]})
    if not here:
        return f"{method} is not trained on {task[0]}"
    return f"{method} is trained on {task[0]} only at {' and '.join(map(str, here))}"
