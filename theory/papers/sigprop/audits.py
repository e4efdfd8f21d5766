"""Our own statements on deep networks that were trained on real data."""

from theory.claims import Claim, Kind, Status
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
HYPOTHESIS = 1.25  # the factor within which theory is said to hold
OFF = {
    "power": {"norms": (1.13, 1.2, 1.1), "lists": (1.17, 1.27, 1.9)},
    "sensitivity": {"norms": (1.1, 1.16, 1.08), "lists": (1.06, 1.09, 1.83)},
    "error": {"norms": (1.04, 1.06, 1.02), "lists": (2.0, 3.65, 1.53)},
    "gradient": {"norms": (1.6, 1.8, 2.8), "lists": (32.0, 68.0, 3.8)},
}
"""Factors between prediction and measurement that no layer exceeds, by ``MODELS``."""
SIMPLER = ("independent", "white")  # further assumptions of an audit


def _claim(quantity: str, sweep: str, model: str, bound: float) -> Claim:
    place, task, about = TASKS[sweep]
    what, form = QUANTITIES[quantity]
    fails = bound > HYPOTHESIS
    at = {"sweep": sweep, "model": model, "quantity": quantity}
    return Claim(
        f"sigprop:audit-{quantity}-{place}-{model}",
        "inside trained networks",
        Kind.MOMENT,
        f"{what} of a deep {MODELS[model]}, through its training on {task}",
        _within(form, HYPOTHESIS),
        "evidence",
        Status.REFUTED if fails else Status.CONDITIONAL,
        "sigprop.audit.audit",
        condition=f"finite T, each mode given the autocovariance of its own real signals, "
        f"averaged over positions; {about} at held-out examples",
        note=_reason(quantity, sweep, bound),
        correction=_within(form, bound) if fails else None,
        topic="training",
        evidence=Evidence(
            (at | {"rung": "stationary"},),
            {"trained": "experiments.outcomes.audit_factor"},
            form=lambda **at: bound,
            printed=(lambda **at: HYPOTHESIS) if fails else None,
            relation="<",
            outside=() if fails else tuple(at | {"rung": rung} for rung in SIMPLER),
            slips={"half as far": lambda **at: 1 + (bound - 1) / 2},
            alone="one set of trained networks decides, with simulation by real data",
        ),
    )


def _within(form: str, factor: float) -> str:
    return rf"{form} \quad \text{{within a factor of {factor:g}}}"


def _reason(quantity: str, sweep: str, bound: float) -> str:
    if bound <= HYPOTHESIS:
        return f"No layer is off by more than a factor of {bound:g}."
    uneven = "errors are divided by the length of their sequence, so not stationary"
    meet = "errors depend on the states that they meet"
    why = {
        "power": "the inputs of its layers are not stationary",
        "sensitivity": "the inputs of its layers are not stationary",
        "error": uneven,
        "gradient": meet if sweep == "norms" else f"{uneven}, and {meet}",
    }
    return f"Off by up to a factor of {bound:g}: {why[quantity]}."


def claims() -> tuple[Claim, ...]:
    """Our claims on networks trained on real data."""
    return tuple(
        _claim(quantity, sweep, model, bound)
        for quantity, sweeps in OFF.items()
        for sweep, bounds in sweeps.items()
        for model, bound in zip(MODELS, bounds, strict=True)
    )
