"""Numbers for the ledger: the papers' statements, measured on the tracked trainings.

Students are paired by seed: the same teacher for all.  Of the paired ratios of their
losses, in decades, the second least and the second greatest of ten bound the median at
level 97.9 %, whatever their law: 11 of the 1024 patterns of signs have fewer than two on
one side.  A run that diverged is infinitely worse.

Source of the data: ``experiments.teacher_student`` and ``experiments.long_range`` at the
preset ``paper``.
"""

import functools

import numpy as np
import xarray as xr
from jaxtyping import Float

from experiments import store
from sigprop.audit.moments import QUANTITIES, RUNGS

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
    ratio = _gap(sweep, behind, ahead, condition)
    if ratio.size < LEAST_SEEDS:
        raise ValueError(f"need {LEAST_SEEDS} seeds for the interval, got {ratio.size}")
    return np.sort(ratio)


def _gap(
    sweep: str, behind: str, ahead: str, condition: float
) -> Float[np.ndarray, " seeds"]:
    best = _result(sweep)["best"].sel(condition=condition)
    losses = [best.sel(student=one).values for one in (behind, ahead)]
    return np.log10(losses[0] / losses[1])


def lead(sweep: str, behind: str, ahead: str, condition: float) -> float:
    """Least median of ``decades`` that the seeds allow."""
    return float(decades(sweep, behind, ahead, condition)[1])


def most(sweep: str, behind: str, ahead: str, condition: float) -> float:
    """Greatest median of ``decades`` that the seeds allow."""
    return float(decades(sweep, behind, ahead, condition)[-2])


def widening(sweep: str, behind: str, ahead: str, wide: float, narrow: float) -> float:
    """Least median growth of the lead from one condition to another, in decades."""
    return float(_growth(sweep, behind, ahead, wide, narrow)[1])


def most_widening(
    sweep: str, behind: str, ahead: str, wide: float, narrow: float
) -> float:
    """Greatest median growth that the seeds allow."""
    return float(_growth(sweep, behind, ahead, wide, narrow)[-2])


def _growth(
    sweep: str, behind: str, ahead: str, wide: float, narrow: float
) -> Float[np.ndarray, " seeds"]:
    start, end = (_gap(sweep, behind, ahead, one) for one in (wide, narrow))
    return np.sort(end - start)


def rate_lead(behind: str, ahead: str) -> float:
    """Least median of the decades between two networks' recurrent effective rates.

    Of each training at 1e-3 the median over the recurrent parameters, at its end.
    """
    return float(_rates(behind, ahead)[1])


def most_rate_lead(behind: str, ahead: str) -> float:
    """Greatest median that the seeds allow."""
    return float(_rates(behind, ahead)[-2])


def _rates(behind: str, ahead: str) -> Float[np.ndarray, " seeds"]:
    data = _result("adaptive_rates").isel(record=-1)
    rates = data["rate"].sel(group="recurrent", quantile=0.5)
    by_seed = [
        rates.isel(cell=np.flatnonzero(data["network"] == name)).sortby("seed").values
        for name in (behind, ahead)
    ]
    return np.sort(np.log10(by_seed[1] / by_seed[0]))


def audit_factor(sweep: str, model: str, quantity: str, rung: str) -> float:
    """Largest factor between what is predicted and measured in trained networks.

    Over all layers, seeds and looks through training; infinite where a prediction is
    not positive.

    Args:
        sweep: One whose trainings are audited.
        model: One of its models.
        quantity: ``power``, of all states of a layer, or one of
            ``sigprop.audit.moments.QUANTITIES``, of the median neuron.
        rung: One of ``sigprop.audit.moments.RUNGS``.
    """
    data = _result(sweep)
    own = data.isel(cell=np.flatnonzero(data["model"].values == model))
    if quantity == "power":
        ratio = own["predicted"].isel(rung=RUNGS.index(rung)) / own["measured"]
    else:
        ratio = own["ratio"].isel(
            quantity=QUANTITIES.index(quantity), rung=RUNGS.index(rung), quantile=1
        )
    seen = ratio.values[np.isfinite(ratio.values)]
    return float(np.exp(abs(np.log(seen))).max()) if (seen > 0).all() else np.inf
