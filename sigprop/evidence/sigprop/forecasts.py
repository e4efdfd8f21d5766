"""What judges our statements on networks that forecast real series.

Source of the data: ``sigprop.experiments.forecasting`` at the preset ``paper``.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sigprop.evidence import Load, trainings
from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.blur.reproductions import counts
from sigprop.judge.basis import Basis, Check, Example, by_mutants
from sigprop.judge.results import RouteResult
from sigprop.theory.claims import Claim
from sigprop.theory.papers.sigprop.forecasts import (
    AGAINST,
    COUNTED,
    MISSES,
    MODELS,
    TASKS,
)

if TYPE_CHECKING:
    import xarray as xr

SWEEP = "forecasts"
NAIVE = ("last value", "season", "climatology")
RIVALS = {"naive": NAIVE, "linear": ("linear",)}
ALONE = "one set of trained networks decides, on real series"
# Bounds that the trainings must fail to hold, by what they would say.
MUTANTS = {
    "naive": {"half of the best naive forecast's": 0.5},
    "linear": {"three quarters of the linear model's": 0.75},
}


def ratios(
    data: "xr.Dataset", kind: str, task: tuple[str, int], model: str
) -> Float[np.ndarray, " trainings"]:
    """Test errors of a model's trainings over the least of some forecasts without one.

    Args:
        data: Of the sweep ``forecasts``.
        kind: ``naive`` or ``linear``.
        task: Data set and horizon.
        model: One of its models.
    """
    here = (
        (data["data"].values == task[0])
        & (data["horizon"].values == task[1])
        & (data["model"].values == model)
    )
    own = data.isel(cell=np.flatnonzero(here))
    rivals = own["control_mse"].sel(control=[*RIVALS[kind]]).mean(("step", "feature"))
    return (own["test_mse"] / rivals.min("control")).values


def _against(kind: str, task: tuple[str, int], model: str, load: Load) -> Check:
    def results(claim: Claim, seed: int, *, most: float) -> tuple[RouteResult, ...]:
        del claim, seed  # nothing is drawn
        factors = ratios(load(SWEEP), kind, task, model)
        return (trainings.judged(factors, most, "the error of each over the other"),)

    mutants = {
        name: partial(results, most=most) for name, most in MUTANTS[kind].items()
    }
    return Check(
        partial(results, most=AGAINST[kind][3]),
        by_mutants(mutants),
        ("audited",),
        alone=ALONE,
        example=Example(
            "the ratio of the errors, in the mean over trainings",
            {},
            AGAINST[kind][3],
            lambda: trainings.typical(ratios(load(SWEEP), kind, task, model))[0],
        )
        if (kind, task, model) in MISSES
        else None,
    )


def _cells(table: int, load: Load) -> Basis:
    return numbers(
        lambda: counts(load(SWEEP), table),
        COUNTED[table],
        alone=ALONE,
        hand={"all that is not impossible": _all_reproduced(COUNTED[table])},
    )


def _all_reproduced(numbers: list[int]) -> list[int]:
    return [sum(numbers) - numbers[2], 0, numbers[2], 0]


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    **{
        f"sigprop:forecast-{kind}-{TASKS[task][0]}-{model}": partial(
            _against, kind, task, model
        )
        for kind, task, model in product(AGAINST, TASKS, MODELS)
    },
    **{f"sigprop:forecast-cells-{table}": partial(_cells, table) for table in COUNTED},
}
