"""Autocovariances of network inputs, and their fits by sums of exponentials.

The autocovariance of synthetic embeddings, or of a file of embeddings, is averaged over
features, with intervals over sequences.  It is fitted by white noise and one exponential, as
in the paper, which is a line through its logarithm.  It is also fitted by the nearest sum of
exponentials.  One-hot tokens of ListOps and, if requested and present, the table ETTh1 are
treated in the same way.

Source: Zucchet & Orvieto (2024), Figure 12 and Eq. 75.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.audit.autocovariance import autocovariance, fit_exponentials, fit_mixed
from sigprop.experiments.command import main
from sigprop.tasks.sequences import (
    EMBEDDINGS,
    Sequences,
    embeddings,
    listops_sequences,
    stand_in,
    table_sequences,
)
from sigprop.tasks.tables import load_table

STUDY, VERSION = "embedding_correlation", 1
LARGEST_LAG = 400  # steps; sequences of ListOps are at least as long


@dataclass(frozen=True)
class Config:
    """Sizes of the sample.

    Attributes:
        sequences: Sequences of each input.
        steps: Length of a sequence.
        features: Features of the synthetic embeddings, or of the file.
        source: ``stand-in`` for synthetic embeddings, or the path of a ``.npy`` file.
        table: ``ETTh1`` or another name or file of ``load_table``; empty for no table.
        lags: Largest lag of the fitted line, or zero for all lags.
        seed: Seed of the random inputs and of the bootstrap.
    """

    sequences: int = 256
    steps: int = 400
    features: int = 96
    source: str = "stand-in"
    table: str = ""
    lags: int = 0
    seed: int = 0


SMOKE = Config(sequences=24, steps=60, features=8)
QUICK = Config()
PAPER = Config(sequences=1024, steps=512, features=192)
FULL = Config(sequences=1024, steps=512, features=768)


def inputs(config: Config) -> dict[str, Sequences]:
    """Return the input sequences by name.

    Raises:
        ValueError: If a file has other contents than needed.
        FileNotFoundError: If a file does not exist.
    """
    number, steps = config.sequences, config.steps
    if config.source == "stand-in":
        main_input = stand_in(number, steps, config.features, config.seed)
    else:
        main_input = embeddings(Path(config.source), config.features, number, steps)
    by_name = {
        "embeddings": main_input,
        "ListOps": listops_sequences(number, min(steps, LARGEST_LAG), config.seed),
    }
    if config.table:
        by_name["table"] = table_sequences(load_table(config.table), steps)
    return by_name


def _measure(read: Sequences, config: Config) -> xr.Dataset:
    estimate = autocovariance(read, seed=config.seed)
    R, lags = estimate.R, np.arange(len(estimate.R))
    nearest = fit_exponentials(R).autocovariance(lags)
    try:
        line = fit_mixed(R, config.lags or None)
        fitted, terms = line.autocovariance(lags), (line.a, line.b, line.rho)
    except ValueError:  # R does not decay as one exponential
        fitted, terms = np.full(len(R), np.nan), (np.nan,) * 3
    units = {"units": "mean square, dimensionless"}
    values: dict[str, Any] = {
        "R": R,
        "low": estimate.low,
        "high": estimate.high,
        "line": fitted,
        "exponentials": nearest,
    }
    values = {
        name: (("input", "lag"), value[None], units) for name, value in values.items()
    }
    values["terms"] = (("input", "term"), np.array([terms]), {"units": "dimensionless"})
    return xr.Dataset(values, {"lag": lags, "term": ["a", "b", "rho"]})


def run(config: Config) -> xr.Dataset:
    """Measure and fit every input."""
    read = inputs(config)
    parts = [
        _measure(sequences, config).assign_coords(input=[name])
        for name, sequences in read.items()
    ]
    whole = xr.concat(parts, "input", join="outer")
    lags = whole["lag"].values
    units = {"units": "mean square, dimensionless"}
    whole["paper"] = ("lag", EMBEDDINGS.autocovariance(lags), units)
    return whole.assign_attrs(
        dtype="float64",
        source=config.source if config.source == "stand-in" else "embeddings",
        sequences=config.sequences,
        features=config.features,
    )


def show(dataset: xr.Dataset) -> None:
    """Print the fit of white noise and one exponential for each input."""
    table = Table(
        title="Autocovariance a [lag = 0] + b rho^lag, by a line through log R"
    )
    for name in ("input", "R(0)", "R(1)", "a", "b", "rho"):
        table.add_column(name, justify="left" if name == "input" else "right")
    for name in dataset["input"].values:
        fit = dataset.sel(input=name)
        numbers = [*fit["R"].values[:2], *fit["terms"].values]
        table.add_row(str(name), *(f"{float(x):.4g}" for x in numbers))
    Console().print(table)


if __name__ == "__main__":
    main(STUDY)
