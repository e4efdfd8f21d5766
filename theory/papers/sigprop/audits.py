"""Our own statements on deep networks that were trained on real data."""

from itertools import product

from sigprop.theory.rows import Part

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
        r"\mathbb{E} \|h\|^2 \approx \sum_i \sum_{n,m} p_{\max(n,m)} \lambda_i^n "
        r"\bar{\lambda}_i^m R_i(m-n)",
    ),
    "sensitivity": (
        "Sensitivity of the states of every layer, the median of its modes",
        r"\mathbb{E} \left| \frac{\partial h}{\partial \lambda} \right|^2 \approx "
        r"\sum_{n,m} p_{\max(n,m)} n m \lambda^{n-1} \bar{\lambda}^{m-1} R(m-n)",
    ),
    "error": (
        "Error that comes back to the states of every layer, the median of its modes",
        r"\mathbb{E} \left| \frac{\partial L}{\partial h} \right|^2 \approx "
        r"\sum_{n,m} p_{\max(n,m)} \lambda^n \bar{\lambda}^m R_\delta(n-m)",
    ),
    "gradient": (
        "Gradient by the eigenvalues of every layer, the median of its modes",
        r"\mathbb{E} \left| \frac{\partial L}{\partial \lambda} \right|^2 \approx "
        r"\sum_{t,t'} R_\delta(t-t') \mathbb{E}[\dot{h}_t \bar{\dot{h}}_{t'}], \; "
        r"\mathbb{E}[\dot{h}_t \bar{\dot{h}}_{t'}] = \sum_{n \le t, m \le t'} n m "
        r"\lambda^{n-1} \bar{\lambda}^{m-1} R(t-n-t'+m)",
    ),
}
WITHIN = 1.25  # our margin, as for gated layers: 25 %
MEANING = (
    "p_n: the share of steps that have an input n steps before; R, of a mode, and "
    "R_delta: autocovariances of what enters it and of the errors at its output, each at "
    "all lags, averaged over positions. Forty-eight held-out examples at every look"
)
SIMPLER = "Channels taken as alike and independent, or signals as white, miss by more."
MISSES = {  # the typical factor of the models that miss
    ("power", "lists"): {"blur": 1.73},
    ("sensitivity", "lists"): {"blur": 1.73},
    ("error", "lists"): {"lru": 1.71, "rotrnn": 2.84},
    ("gradient", "norms"): {"lru": 1.43, "rotrnn": 1.58, "blur": 2.1},
    ("gradient", "lists"): {"lru": 13.0, "rotrnn": 30.2, "blur": 2.58},
}
OPEN = {  # how many trainings would decide, if they are like these
    ("power", "lists", "rotrnn"): "five",
    ("error", "lists", "blur"): "ten",
}
BROKEN = {  # the typical factor by which the gradient misses as states meet no errors
    "norms": {"lru": 1.65, "rotrnn": 1.8, "blur": 2.33},
    "lists": {"lru": 2.49, "rotrnn": 2.16, "blur": 2.49},
}
part = Part("inside trained networks", "training", "sigprop.audit.network.audit")


def _row(quantity: str, sweep: str, model: str) -> None:
    slug, task, about = TASKS[sweep]
    statement, form = QUANTITIES[quantity]
    factor = MISSES.get((quantity, sweep), {}).get(model)
    more = OPEN.get((quantity, sweep, model))
    status = "refuted" if factor else "undecided" if more else "confirmed"
    part.row(
        f"sigprop:audit-{quantity}-{slug}-{model}",
        "moment",
        status,
        f"{statement}: a deep {MODELS[model]}, through its training on {task}",
        rf"{form} \quad \text{{within a factor of {WITHIN:g}}}",
        correction=rf"{form} \quad \text{{off by a factor of {factor:g}}}"
        if factor
        else None,
        assumes=f"{about}. {MEANING}",
        note=_note(quantity, sweep, model),
    )


def _note(quantity: str, sweep: str, model: str) -> str:
    parts = [
        "Judged is the worst layer and look of each training, in the mean over "
        "trainings, by an interval that errs once in twenty to either side; the margin "
        "of 25 % is ours."
    ]
    if more := OPEN.get((quantity, sweep, model)):
        parts.append(f"It holds the margin; about {more} trainings would decide.")
    if quantity == "gradient":
        parts.append(
            "Errors depend on the states that they meet: where each meets those of "
            "another example, as measured, the gradient is off by a factor of "
            f"{BROKEN[sweep][model]:g}."
        )
    elif model in MISSES.get((quantity, sweep), {}):
        parts.append(
            "Presumably errors are not stationary: each is divided by the length of "
            "its sequence."
            if quantity == "error"
            else "Presumably its inputs are not stationary."
        )
    elif not more:
        parts.append(SIMPLER)
    return " ".join(parts)


for names in product(QUANTITIES, TASKS, MODELS):
    _row(*names)
