"""Our own statements on deep networks that were trained on real data."""

from itertools import product

from theory.claims import Condition
from theory.rows import Part

# By sweep: the task as ids have it, and in words.
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
        r"\mathbb{E} \left| \frac{\partial L}{\partial h} \right|^2 = \sum_\Delta "
        r"w(\lambda, \Delta)\, R_\delta(\Delta)",
    ),
    "gradient": (
        "Gradient by the eigenvalue of the median neuron of every layer",
        r"\mathbb{E} \left| \frac{\partial L}{\partial \lambda} \right|^2 \text{ of "
        r"independent states and errors}",
    ),
}
WITHIN = 1.25  # the factor within which theory has to hold: five margins of 5 %
UNEVEN = "errors are divided by the length of their sequence, so not stationary"
MEET = "errors depend on the states that they meet"
MISSES = {  # which models miss, and why
    ("power", "lists"): (
        ("rotrnn", "blur"),
        "the inputs of its layers are not stationary",
    ),
    ("sensitivity", "lists"): (
        ("blur",),
        "the inputs of its layers are not stationary",
    ),
    ("error", "lists"): (tuple(MODELS), UNEVEN),
    ("gradient", "norms"): (tuple(MODELS), MEET),
    ("gradient", "lists"): (tuple(MODELS), f"{UNEVEN}, and {MEET}"),
}
STATIONARY = Condition(
    "signals taken as stationary and as nothing simpler: finite T, each mode given the "
    "autocovariance of its own real signals, averaged over positions",
    lambda rung, **_: rung == "stationary",
)
part = Part("inside trained networks", "training", "sigprop.audit.network.audit")


def _row(quantity: str, sweep: str, model: str) -> None:
    place, task, about = TASKS[sweep]
    statement, form = QUANTITIES[quantity]
    missing, why = MISSES.get((quantity, sweep), ((), ""))
    misses = model in missing
    part.row(
        f"sigprop:audit-{quantity}-{place}-{model}",
        "moment",
        "refuted" if misses else "conditional",
        "",
    )(
        f"{statement} of a deep {MODELS[model]}, through its training on {task}",
        rf"{form} \quad \text{{within a factor of {WITHIN:g}}}",
        correction=rf"{form} \quad \text{{off by more than {WITHIN:g} somewhere}}"
        if misses
        else None,
        assumes=f"{about} at held-out examples",
        condition=STATIONARY,
        note=f"It misses because {why}."
        if misses
        else "Modes taken as independent, or signals as white, miss by more.",
    )


for names in product(QUANTITIES, TASKS, MODELS):
    _row(*names)
