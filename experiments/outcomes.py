"""What the tracked trainings say of the papers' statements: numbers for the ledger.

Students are paired by seed: the same teacher for all.  Of the paired ratios of their
losses, in decades, the second least and the second greatest of ten bound the median at
level 97.9 %, whatever their law: 11 of the 1024 patterns of signs have fewer than two on
one side.  A run that diverged is infinitely worse.

Source of the data: ``experiments.teacher_student`` at the preset ``paper``.
"""

import functools

import numpy as np
import xarray as xr
from jaxtyping import Float

from experiments import store

LEAST_SEEDS = 10


@functools.cache
def _result(sweep: str) -> xr.Dataset:
    return store.shipped(sweep)


def decades(
    sweep: str, behind: str, ahead: str, condition: float
) -> Float[np.ndarray, " seeds"]:
    """By seed, sorted: decades by which the loss of ``ahead`` is below ``behind``'s.

    Each is tuned by itself at the condition.

    Raises:
        FileNotFoundError: If the sweep's result does not come with the code.
        ValueError: If there are fewer than ten seeds.
    """
    best = _result(sweep)["best"].sel(condition=condition)
    ratio = np.log10(best.sel(student=behind)) - np.log10(best.sel(student=ahead))
    if ratio.size < LEAST_SEEDS:
        raise ValueError(f"need {LEAST_SEEDS} seeds for the interval, got {ratio.size}")
    return np.sort(ratio.values)


def lead(sweep: str, behind: str, ahead: str, condition: float) -> float:
    """Least median of ``decades`` that the seeds allow."""
    return float(decades(sweep, behind, ahead, condition)[1])


def most(sweep: str, behind: str, ahead: str, condition: float) -> float:
    """Greatest median of ``decades`` that the seeds allow."""
    return float(decades(sweep, behind, ahead, condition)[-2])


def widening(sweep: str, behind: str, ahead: str, wide: float, narrow: float) -> float:
    """Least median growth of the lead from one condition to another, in decades."""
    data = _result(sweep)["best"]
    ratio = np.log10(data.sel(student=behind)) - np.log10(data.sel(student=ahead))
    growth = ratio.sel(condition=narrow) - ratio.sel(condition=wide)
    return float(np.sort(growth.values)[1])


def ends_of_scans(sweep: str) -> int:
    """Networks and conditions whose best learning rate is the first or last scanned."""
    return int(_result(sweep)["extreme"].sum())


def rate_lead(behind: str, ahead: str) -> float:
    """Least median of the decades between two networks' recurrent effective rates.

    The median rate over the recurrent parameters at the end of training at 1e-3.
    """
    data = _result("adaptive_rates")
    rates = np.log10(
        data["rate"].isel(record=-1).sel(group="recurrent", quantile=0.5).values
    )
    names, seeds = data["network"].values, data["seed"].values
    pairs = [
        rates[(names == ahead) & (seeds == seed)].item()
        - rates[(names == behind) & (seeds == seed)].item()
        for seed in np.unique(seeds)
    ]
    return float(np.sort(pairs)[1])
