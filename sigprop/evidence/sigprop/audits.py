"""What judges our statements on deep networks that were trained on real data.

Source of the data: ``sigprop.experiments.long_range`` at the preset ``paper``.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sigprop.evidence import Load, trainings
from sigprop.judge.basis import Basis, Check, Example, by_mutants
from sigprop.judge.results import RouteResult
from sigprop.theory.claims import Claim
from sigprop.theory.papers.sigprop.audits import (
    MISSES,
    MODELS,
    QUANTITIES,
    TASKS,
    WITHIN,
)

if TYPE_CHECKING:
    import xarray as xr

# Forms that use less of what is known of the signals: wrong right sides.
MUTANTS = {"every channel alike": "independent", "white signals": "white"}


def audit_factors(
    data: "xr.Dataset", model: str, quantity: str, rung: str
) -> Float[np.ndarray, " trainings"]:
    """Largest factor between what is predicted and measured in each trained network.

    Over all layers and looks through its training; infinite where a prediction is not
    positive.

    Args:
        data: Of a sweep whose trainings are audited.
        model: One of its models.
        quantity: ``power``, of all states of a layer, or one of
            ``sigprop.audit.moments.QUANTITIES``, the median of its modes.
        rung: One of ``sigprop.audit.moments.RUNGS``.
    """
    from sigprop.audit import moments

    selected = data.isel(cell=np.flatnonzero(data["model"].values == model))
    rung_index = moments.RUNGS.index(rung)
    if quantity == "power":
        ratio = selected["predicted"].isel(rung=rung_index) / selected["measured"]
    else:
        position = moments.QUANTITIES.index(quantity)
        ratio = selected["ratio"].isel(quantity=position, rung=rung_index, quantile=1)
    return np.array([_worst(each[np.isfinite(each)]) for each in ratio.values])


def _worst(ratio: Float[np.ndarray, " places"]) -> float:
    return float(np.exp(abs(np.log(ratio)).max())) if (ratio > 0).all() else np.inf


def judged(factors: Float[np.ndarray, " trainings"]) -> RouteResult:
    """Whether the factor is within the margin, or beyond it, or neither is sure."""
    return trainings.judged(factors, WITHIN, "the worst layer and look of each")


def _audit(quantity: str, sweep: str, model: str, load: Load) -> Check:
    def factors(rung: str) -> Float[np.ndarray, " trainings"]:
        return audit_factors(load(sweep), model, quantity, rung)

    def results(claim: Claim, seed: int, *, rung: str = "stationary"):
        del claim, seed  # nothing is drawn
        return (judged(factors(rung)),)

    missed = model in MISSES.get((quantity, sweep), {})
    return Check(
        results,
        by_mutants(
            {name: partial(results, rung=rung) for name, rung in MUTANTS.items()}
        ),
        ("audited",),
        alone="one set of trained networks decides, with simulation by real data",
        example=Example(
            "the factor between formula and measurement, at the worst layer and look, in "
            "the mean over trainings",
            {},
            WITHIN,
            lambda: trainings.typical(factors("stationary"))[0],
        )
        if missed
        else None,
    )


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    f"sigprop:audit-{quantity}-{TASKS[sweep][0]}-{model}": partial(
        _audit, quantity, sweep, model
    )
    for quantity, sweep, model in product(QUANTITIES, TASKS, MODELS)
}
