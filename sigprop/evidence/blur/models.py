"""Evidence for baselines and trained networks, Tables 4 and 6 of BLUR (2025)."""

import cmath
import math
from functools import partial

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import points
from sigprop.evidence.lru.accuracies import gain
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory.papers.blur.printed import (
    REFERENCES,
    TABLE_4,
    TABLE_6,
    errors,
)
from sigprop.theory.papers.lru import printed as lru


def preset_parameters(series: int) -> int:
    """Number of parameters of the paper's network, from the shapes alone."""
    import equinox as eqx
    import jax

    from sigprop.networks import build, parameter_table
    from sigprop.networks.presets import blur_paper

    shapes, _ = eqx.filter_eval_shape(
        build, blur_paper(series, series), key=jax.random.key(0)
    )
    return parameter_table(shapes)["total"]


def lru_dropout(task: str) -> float:
    """Dropout of the LRU's own network for a task."""
    from sigprop.networks.presets import lru_paper

    return lru_paper(task).dropout


def parameters_by_hand(series: int, directions: int = 2, dense: int = 3) -> int:
    """Encoder, norms, layers, MLPs, skips and head, from the sizes of Table 6."""
    depth, states, width, _ = TABLE_6.values()
    layer = directions * (3 * states + 2 * states * width + 2 * states * width) + width
    block = 2 * width + layer + dense * width * width + 2 * width
    return (series + 1) * width + depth * block + (width + 1) * series


def rate_left(share: float) -> float:
    """Learning rate relative to its maximum, after a share of the LRU's training."""
    from sigprop.training.loop import Optimiser

    optimiser = Optimiser(steps=10_000, warmup=1000, final=1e-4)  # 1e-7 of 1e-3
    with double_precision(True):
        return float(optimiser.rate_at(1.0, round(share * 10_000)))


def rate_by_turns(share: float, steps: int = 10_000) -> float:
    """Rate over its largest, by a turn a step: half a circle after the warm-up."""
    warm = steps // 10
    turn = cmath.exp(1j * math.pi / (steps - warm))
    product = math.prod([turn] * (round(share * steps) - warm), start=1 + 0j)
    return 1e-4 + (1 - 1e-4) * (1 + product.real) / 2


def cosine_left(share: float, warmup: float = 0.1, turns: float = 0.5) -> float:
    """Learning rate over its peak in the LRU's paper: a cosine after ``warmup``."""
    angle = 2 * math.pi * turns * (share - warmup) / (1 - warmup)
    return 1e-4 + (1 - 1e-4) * (1 + math.cos(angle)) / 2


def _decayed(share: float) -> float:
    """Rate over its first value where Table 6 multiplies it by 0.7 in each of 8 epochs."""
    return 0.7 ** (8 * share)


def _number(title: str) -> int:
    return next(
        number
        for number, reference in REFERENCES.items()
        if reference.startswith(title)
    )


def lead(horizon: int) -> float:
    """MAE of the LRU on ETTh1 minus that of BLUR."""
    row = errors(3)["ETTh1", horizon]
    return row["LRU"].mae - row["BLUR"].mae


EVIDENCE: dict[str, Basis] = {
    "blur:text:inference": numbers(
        lead,
        0.0,
        points("horizon", 24, 48, 168, 336, 720),
        ">",
        wrong=1.0,
        example=Example(
            "the MAE of BLUR on ETTh1 at 48 hours (Table 3)",
            {},
            "below the LRU's 0.383",
            f"{errors(3)['ETTh1', 48]['BLUR'].mae}",
        ),
    ),
    "blur:text:brnn-citation": numbers(
        _number("Bidirectional recurrent neural networks"),
        37,
        printed=72,
        example=Example(
            "the reference for BRNN",
            {},
            "[72], on linear transformers",
            "[37], on bidirectional networks",
        ),
    ),
    "blur:text:s5-citation": numbers(
        _number("Simplified state space layers for sequence modeling"),
        24,
        printed=30,
        example=Example(
            "the reference for S5", {}, "[30], the LRU's paper", "[24], S5's own"
        ),
    ),
    "blur:text:s4d-citation": numbers(
        [
            _number(
                "Diagonal state spaces are as effective as structured state spaces"
            ),
            _number(
                "On the parameterization and initialization of diagonal state space"
            ),
        ],
        [23, 22],
        printed=[22, 23],
        example=Example(
            "the reference for DSS",
            {},
            "[22], which is S4D's",
            "[23], on diagonal state spaces",
        ),
    ),
    "blur:table4": numbers(len(set(TABLE_4.split())), 36),
    "blur:table6": Evidence(
        points("series", 7, 12),
        {"impulse": preset_parameters},
        parameters_by_hand,
        mutants={
            "one direction": partial(parameters_by_hand, directions=1),
            "no skip": partial(parameters_by_hand, dense=2),
            "as many outputs as features": lambda series: (
                parameters_by_hand(series) + 257 * (256 - series)
            ),
        },
        alone="a definition: the parameters of the network that is built from it",
    ),
    "blur:text:dropout": numbers(
        lru_dropout,
        0.1,
        points("task", "scifar", "listops", "text"),
        hand={"none": 0.0},
        example=Example("dropout of the LRU on ListOps", {}, 0.1, 0.0),
    ),
    "blur:text:rate-decay": Evidence(
        points("share", 0.25, 0.5, 0.75),
        {"impulse": rate_left, "steps": rate_by_turns},
        cosine_left,
        printed=_decayed,
        mutants={
            "no warm-up": partial(cosine_left, warmup=0.0),
            "a whole turn": partial(cosine_left, turns=1.0),
        },
        tolerance=1e-9,
        example=Example(
            "the learning rate of the LRU's paper [30], divided by its largest value, "
            "after this share of the training",
            {"share": 0.5},
            _decayed,
            cosine_left,
        ),
    ),
    "blur:text:lru-benchmarks": numbers(len(lru.TABLES["3"].columns), 6),
    "blur:text:exponential-enhances": numbers(
        lambda: int((gain(2, "exp", "real+im") > 0).sum()),
        0,
        relation=">",
        wrong=3,
    ),
}
