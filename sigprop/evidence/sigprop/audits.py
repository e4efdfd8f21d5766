"""What judges our statements on deep networks that were trained on real data.

Source of the data: ``experiments.long_range`` at the preset ``paper``.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from sigprop.evidence import Load
from sigprop.judge.basis import Basis, Evidence
from theory.papers.sigprop.audits import MODELS, QUANTITIES, TASKS, WITHIN

if TYPE_CHECKING:
    import xarray as xr

RUNGS = ("stationary", "independent", "white")  # of assumptions, the last the simplest


def audit_factor(data: "xr.Dataset", model: str, quantity: str, rung: str) -> float:
    """Largest factor between what is predicted and measured in trained networks.

    Over all layers, seeds and looks through training; infinite where a prediction is
    not positive.

    Args:
        data: Of a sweep whose trainings are audited.
        model: One of its models.
        quantity: ``power``, of all states of a layer, or one of
            ``sigprop.audit.moments.QUANTITIES``, of the median neuron.
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
    finite = ratio.values[np.isfinite(ratio.values)]
    return float(np.exp(abs(np.log(finite))).max()) if (finite > 0).all() else np.inf


def _audit(quantity: str, sweep: str, model: str, load: Load) -> Evidence:
    point = {"sweep": sweep, "model": model, "quantity": quantity}
    return Evidence(
        tuple(point | {"rung": rung} for rung in RUNGS),
        {"trained": lambda sweep, **point: audit_factor(load(sweep), **point)},
        form=WITHIN,
        relation="<",
        slips={"exactly": 1.0},
        alone="one set of trained networks decides, with simulation by real data",
    )


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    f"sigprop:audit-{quantity}-{TASKS[sweep][0]}-{model}": partial(
        _audit, quantity, sweep, model
    )
    for quantity, sweep, model in product(QUANTITIES, TASKS, MODELS)
}
