"""Our own statements on deep networks that were trained on real data."""

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence

MODELS = {"lru": "LRU", "rotrnn": "RotRNN"}
SIMPLER = ("infinite", "independent", "white")  # further assumptions of an audit
WITHIN = 0.2


def _states(model: str, title: str) -> Claim:
    return Claim(
        f"sigprop:audit-{model}",
        "inside trained networks",
        Kind.MOMENT,
        f"Power of the states inside a deep {title}, through its training on digits",
        r"\mathbb{E} \|h\|^2 = \sum_i \sum_\Delta w(\lambda_i, \Delta)\, R_i(\Delta) "
        rf"\quad \text{{within {WITHIN:.0%}}}".replace("%", r"\%"),
        "evidence",
        Status.CONDITIONAL,
        "sigprop.audit.audit",
        condition="finite T, and each mode given the autocovariance of its own real inputs, "
        "averaged over positions; three blocks, five folds, five looks at held-out images",
        note="With an endless past up to twice what is measured is predicted; with "
        "independent channels a third to a tenth of it.",
        topic="training",
        evidence=Evidence(
            ({"model": model, "rung": "stationary"},),
            {"trained": "experiments.outcomes.state_error"},
            form=lambda model, rung: WITHIN,
            relation="<",
            outside=tuple({"model": model, "rung": rung} for rung in SIMPLER),
            slips={"within a hundredth": lambda model, rung: 0.01},
            alone="one set of trained networks decides, with simulation by real data",
        ),
    )


def claims() -> tuple[Claim, ...]:
    """Our claims on networks trained on real data."""
    return tuple(_states(*one) for one in MODELS.items())
