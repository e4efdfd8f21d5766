"""Our own statements on deep networks that were trained on real data."""

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence

TASKS = {
    "norms": (
        "digits",
        "digits",
        "digits of 64 pixels, three blocks, five folds, five looks",
    ),
    "lists": (
        "lists",
        "ListOps",
        "expressions of up to 127 tokens, four blocks, three seeds, twenty looks",
    ),
}
MODELS = {"lru": "LRU", "rotrnn": "RotRNN", "blur": "BLUR"}
QUANTITIES = {
    "power": (
        "Power of the states of every layer",
        r"\mathbb{E} \|h\|^2 = \sum_i \sum_\Delta w(\lambda_i, \Delta)\, R_i(\Delta)",
    ),
    "sensitivity": (
        "Sensitivity of the median neuron of every layer",
        r"\mathbb{E} \left| \frac{\partial h}{\partial \lambda} \right|^2 = "
        r"\sum_\Delta w'(\lambda, \Delta)\, R(\Delta)",
    ),
    "error": (
        "Error that comes back to the median neuron of every layer",
        r"\mathbb{E} \left| \frac{\partial L}{\partial h} \right|^2 = "
        r"\sum_\Delta w(\lambda, \Delta)\, R_\delta(\Delta)",
    ),
    "gradient": (
        "Gradient by the eigenvalue of the median neuron of every layer",
        r"\mathbb{E} \left| \frac{\partial L}{\partial \lambda} \right|^2 "
        r"\text{ of independent states and errors}",
    ),
}
WITHIN = 1.25  # the factor within which theory has to hold: five margins of 5 %
ALL = tuple(MODELS)
MISSES = {
    ("power", "lists"): ("rotrnn", "blur"),
    ("sensitivity", "lists"): ("blur",),
    ("error", "lists"): ALL,
    ("gradient", "norms"): ALL,
    ("gradient", "lists"): ALL,
}
RUNGS = ("stationary", "independent", "white")  # of assumptions, the last the simplest
SIMPLER = "Modes taken as independent, or signals as white, miss by more."
STATIONARY = Condition(
    "signals taken as stationary and as nothing simpler: finite T, each mode given the "
    "autocovariance of its own real signals, averaged over positions",
    lambda rung, **_: rung == "stationary",
)


def _claim(quantity: str, sweep: str, model: str) -> Claim:
    place, task, about = TASKS[sweep]
    what, form = QUANTITIES[quantity]
    misses = model in MISSES.get((quantity, sweep), ())
    at = {"sweep": sweep, "model": model, "quantity": quantity}
    return Claim(
        f"sigprop:audit-{quantity}-{place}-{model}",
        "inside trained networks",
        Kind.MOMENT,
        f"{what} of a deep {MODELS[model]}, through its training on {task}",
        rf"{form} \quad \text{{within a factor of {WITHIN:g}}}",
        "evidence",
        Status.REFUTED if misses else Status.CONDITIONAL,
        "sigprop.audit.network.audit",
        assumes=f"{about} at held-out examples",
        condition=STATIONARY,
        note=_reason(quantity, sweep) if misses else SIMPLER,
        correction=rf"{form} \quad \text{{off by more than {WITHIN:g} somewhere}}"
        if misses
        else None,
        topic="training",
        evidence=Evidence(
            tuple(at | {"rung": rung} for rung in RUNGS),
            {"trained": "experiments.outcomes.audit_factor"},
            form=lambda **at: WITHIN,
            relation="<",
            slips={"exactly": lambda **at: 1.0},
            alone="one set of trained networks decides, with simulation by real data",
        ),
    )


def _reason(quantity: str, sweep: str) -> str:
    uneven = "errors are divided by the length of their sequence, so not stationary"
    meet = "errors depend on the states that they meet"
    why = {
        "power": "the inputs of its layers are not stationary",
        "sensitivity": "the inputs of its layers are not stationary",
        "error": uneven,
        "gradient": meet if sweep == "norms" else f"{uneven}, and {meet}",
    }
    return f"It misses because {why[quantity]}."


def claims() -> tuple[Claim, ...]:
    """Our claims on networks trained on real data."""
    return tuple(
        _claim(quantity, sweep, model)
        for quantity in QUANTITIES
        for sweep in TASKS
        for model in MODELS
    )
