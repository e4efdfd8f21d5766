"""Recipes by task, model and size: ``paper`` as printed, ``quick`` for two cores.

Source: Orvieto et al. (2023), Tables 8-9 and Appendix D.2; RotRNN (2024), Table 3;
BLUR (2025), Table 6.  Comments mark the settings that a paper does not state.
"""

import dataclasses
import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from sigprop.networks.config import NetworkConfig
from sigprop.networks.presets import blur_paper, lru_paper, rotrnn_paper
from sigprop.tasks.examples import DataSet
from sigprop.training.layer_sizes import layer_size, registered_layers
from sigprop.training.recipes import R, Recipe, Schedule, recipe

# The LRU's base rates were tuned on a grid of factors of two and are not printed; 0.004
# is the one that its ablation of sCIFAR names.
LRU_SCHEDULES = {
    "scifar": Schedule(180_000, 50, 4e-3, 0.25),
    "listops": Schedule(80_000, 32, 4e-3, 0.5),
    "text": Schedule(50_000, 32, 4e-3, 0.1),
    "retrieval": Schedule(100_000, 64, 4e-3, 0.5),
    "pathfinder": Schedule(500_000, 64, 4e-3, 0.25),
    "pathx": Schedule(250_000, 32, 4e-3, 0.25),
}
ROTRNN_SCHEDULES = {
    "listops": Schedule(80_000, 32, 1e-3, 1.0),
    "text": Schedule(50_000, 32, 1e-3, 1.0),
    "retrieval": Schedule(50_000, 32, 1e-4, 0.1, decay=0.01),
    "scifar": Schedule(250_000, 50, 4.5e-3, 1 / 4.5),
    "pathfinder": Schedule(500_000, 64, 4.5e-3, 1 / 4.5, decay=0.03),
    "pathx": Schedule(250_000, 32, 4.5e-3, 1 / 4.5, decay=0.03),
    "speech": Schedule(212_000, 16, 8e-3, 1 / 8, decay=0.04),
}
# Forty of the 40 to 180 epochs; a factor that the paper does not have is one.
BLUR_EPOCHS, BLUR_BATCH, BLUR_RATE = 40, 64, 1e-3
SEGMENT = 20  # steps recorded together
LOOKS = 5  # evaluations of a shortened training, at least


@dataclass(frozen=True)
class Quick:
    """Size of a training for two cores: a few small blocks with batch norm and GLUs.

    Attributes:
        width: Number of channels of a block.
        state_size: Size of the state of a layer.
        depth: Number of blocks.
        schedule: Length, batch size and learning rates.
        dropout: Dropout rate.
        ring: Inner and outer radius of the eigenvalues.
        max_phase: Largest phase of the eigenvalues in radians.
        evaluate: Number of segments between two evaluations.
    """

    width: int
    state_size: int
    depth: int
    schedule: Schedule
    dropout: float = 0.0
    ring: tuple[float, float] = (0.5, 0.99)
    max_phase: float = 2 * math.pi
    evaluate: int = 5


QUICK = {
    "digits": Quick(64, 64, 3, Schedule(1000, 50, 4e-3, 0.5), 0.1),
    "smnist-10k": Quick(64, 64, 3, Schedule(2400, 50, 4e-3, 0.5), 0.1, (0.9, 0.999)),
    "listops-short": Quick(64, 64, 4, Schedule(4000, 50, 4e-3, 0.5), ring=(0.0, 0.99)),
    "listops": Quick(64, 64, 4, Schedule(2000, 16, 4e-3, 0.5), ring=(0.0, 0.99)),
    "image": Quick(64, 64, 4, Schedule(4000, 50, 4e-3, 0.25), 0.1, (0.9, 0.999)),
    "text": Quick(64, 64, 3, Schedule(2000, 16, 4e-3, 0.1), 0.1, (0.5, 0.9)),
    "retrieval": Quick(64, 64, 3, Schedule(2000, 16, 4e-3, 0.5), 0.1, (0.5, 0.9)),
    "pathfinder": Quick(64, 64, 4, Schedule(8000, 50, 4e-3, 0.25), ring=(0.9, 0.999)),
    "pathfinder-short": Quick(
        64, 64, 3, Schedule(4000, 50, 4e-3, 0.25), ring=(0.999, 0.9999)
    ),
    "pathx": Quick(
        32,
        64,
        3,
        Schedule(2000, 8, 4e-3, 0.25),
        ring=(0.999, 0.9999),
        max_phase=math.pi / 10,
    ),
    "speech": Quick(32, 64, 3, Schedule(2000, 8, 4e-3, 0.25), 0.1, (0.9, 0.999)),
    "fsdd": Quick(32, 64, 3, Schedule(1000, 20, 4e-3, 0.25), 0.1, (0.9, 0.999)),
}
for _like, _names in {
    "smnist-10k": ("psmnist-10k", "smnist", "psmnist"),
    "image": ("scifar",),
}.items():
    QUICK |= dict.fromkeys(_names, QUICK[_like])

TWO_WAY = ("pathfinder", "pathfinder-short", "pathx")  # for the LRU and RotRNN


def preset(task: str, model: str, size: str, data: DataSet) -> Recipe:
    """Return the recipe for training a model on a task.

    Args:
        task: Name of a task, as for ``sigprop.tasks.load_task``.
        model: Name of a model: ``lru``, ``rotrnn``, ``blur``, or an intermediate model
            between an RNN and the LRU, such as ``dense`` or ``ring``.  With
            ``size="quick"``, the model can also be any registered layer that needs no
            options.
        size: ``paper`` for the settings of the model's paper, or ``quick`` for a small
            network that two CPU cores can train.
        data: Data of the task, which determine the numbers of inputs and outputs of the
            network.

    Raises:
        ValueError: If ``task``, ``model`` or ``size`` is unknown; or if ``size`` is
            ``paper`` and the model's paper does not have the task.

    Example:
        >>> from sigprop.tasks import load_task
        >>> recipe = preset("digits", "lru", "quick", load_task("digits"))
        >>> recipe.network.layer, recipe.network.outputs
        ('lru', 10)
    """
    if size == "quick":
        return _quick(task, model, data)
    if size == "paper":
        return _paper(task, model, data)
    raise ValueError(f"need a preset of quick or paper, got {size!r}")


def _reads(data: DataSet) -> dict[str, Any]:
    features = data.train.features
    return {
        "inputs": features or data.vocabulary,
        "outputs": data.classes,
        "encoder": "linear" if features else "embedding",
        "head": "pair" if data.pairs else "linear",
    }


def _paper(task: str, model: str, data: DataSet) -> Recipe:
    if model == "blur":
        epoch = len(data.train) // BLUR_BATCH
        steps = BLUR_EPOCHS * epoch // SEGMENT * SEGMENT
        reads = _reads(data)
        network = dataclasses.replace(
            blur_paper(reads["inputs"], reads["outputs"], encoder=reads["encoder"]),
            head=reads["head"],
        )
        schedule = Schedule(steps, BLUR_BATCH, BLUR_RATE, 1.0)
    elif model in LADDER:
        schedule = _known(LRU_SCHEDULES, task, "a task of the LRU's paper")
        network = dataclasses.replace(_rung(task, model, schedule), **_reads(data))
    else:
        tables = {"lru": (lru_paper, LRU_SCHEDULES)}
        tables["rotrnn"] = (rotrnn_paper, ROTRNN_SCHEDULES)
        draw, schedules = _known(tables, model, "a model of the paper preset")
        schedule = _known(schedules, task, f"a task of {model}'s paper")
        network = dataclasses.replace(draw(task), **_reads(data))
    return recipe(network, schedule, segment=SEGMENT, evaluate=50)


def _rung(task: str, model: str, schedule: Schedule) -> NetworkConfig:
    """Return the network of the LRU paper with the layers of a step of ``LADDER``."""
    network = lru_paper(task)
    ring = network.layer_options["r_min"], network.layer_options["r_max"]
    size = Quick(
        *(network.width, network.state_size, network.depth, schedule), ring=ring
    )
    layer, options = _layer(task, LADDER[model](size))
    return dataclasses.replace(network, layer=layer, layer_options=options)


def _layer(task: str, model: "Model") -> "Model":
    """Return a model, made bidirectional for the tasks of ``TWO_WAY``."""
    layer, options = model
    both = task in TWO_WAY and layer in ("lru", "rotrnn")
    return (f"bidirectional_{layer}" if both else layer), options


def _quick(task: str, model: str, data: DataSet) -> Recipe:
    size = _known(QUICK, task, "a task")
    layer, options = _layer(task, _known(MODELS, model, "a model")(size))
    network = NetworkConfig(
        **_reads(data),
        width=size.width,
        state_size=layer_size(layer, size.state_size, size.width)[0],
        depth=size.depth,
        layer=layer,
        layer_options=options,
        dropout=size.dropout,
    )
    return recipe(network, size.schedule, segment=SEGMENT, evaluate=size.evaluate)


def _known(table: Mapping[str, Any], name: str, subject: str) -> Any:
    if name not in table:
        near = difflib.get_close_matches(name, table, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"need one of {', '.join(table)}"
        raise ValueError(f"need {subject}, got {name!r}; {hint}")
    return table[name]


# --- models -------------------------------------------------------------------------

Model = tuple[str, dict[str, Any]]  # a layer's name and options


def _lru(size: Quick) -> Model:
    low, high = size.ring
    return "lru", {"r_min": low, "r_max": high, "max_phase": size.max_phase}


def _rotrnn(size: Quick) -> Model:
    low, high = size.ring
    return "rotrnn", {
        "heads": size.state_size // 8,
        "gamma_range": (low or 0.5, high),  # as in its Table 3 where the LRU has a disc
        "theta_range": (0.0, size.max_phase),
    }


def _blur(size: Quick) -> Model:
    return "blur", {"r_min": 0.0, "r_max": 1.0}


def _dense(activation: str, **options: Any) -> Callable[[Quick], Model]:
    return lambda size: (
        "nonlinear_rnn",
        {"activation": activation, "skip": "vector"} | options,
    )


DISC = {"r_min": 0.0, "r_max": 1.0, "gamma": "absent"}

LADDER = {
    "tanh": _dense("tanh"),
    "relu": _dense("relu"),
    "dense": _dense("identity"),
    "disc": _dense("identity", radius=1.0),
    "complex": lambda size: ("complex_lru", {"coordinates": "cartesian"}),
    "exponential": lambda size: ("complex_lru", {"coordinates": "exponential"}),
    "stable": lambda size: ("lru", DISC),
    "ring": lambda size: ("lru", _lru(size)[1] | {"gamma": "absent"}),
    "gamma": _lru,
    "phase": lambda size: ("lru", _lru(size)[1] | {"max_phase": math.pi / 10}),
}
"""Steps from an RNN to the LRU, as in Section 3 of its paper; each makes one change.

Up to ``stable``, the eigenvalues are uniform on the unit disc, as for a large Glorot
matrix.  A small Glorot matrix has some eigenvalues outside.  The step ``disc``, which is
not in the paper, scales the matrix until none is outside.  Without ``disc``, the step
``complex`` would change the coordinates and the stability at once.
"""


def _on_ring(kind: str, low: float, high: float) -> Callable[[Quick], Model]:
    layer, options = KINDS[kind]
    return lambda size: (layer, options | {"r_min": low, "r_max": high})


KINDS = {
    "exponential": ("complex_lru", {"coordinates": "exponential"}),
    "stable": ("lru", {"gamma": "absent"}),
    "normalised": ("lru", {"gamma": "learned"}),
}
INNER, OUTER = (0.0, 0.5, 0.9), (0.9, 0.99, 0.999)
RINGS = {
    f"{kind} {low:g} {high:g}": _on_ring(kind, low, high)
    for kind, high, low in product(KINDS, OUTER, INNER)
}
"""Three variants of the LRU for each pair of radii, as in Table 5 of its paper."""


def _registered(layer: str) -> Callable[[Quick], Model]:
    return lambda size: (layer, layer_size(layer, size.state_size, size.width)[1])


PAPERS = {"lru": _lru, "rotrnn": _rotrnn, "blur": _blur, **LADDER, **RINGS}
MODELS = {name: _registered(name) for name in registered_layers()} | PAPERS
"""All models by name: those of the papers, and registered layers."""


def altered(recipe: R, steps: int | None, rate: float | None, matmul: str) -> R:
    """Return a copy of a recipe, with steps, learning rate or precision changed.

    The warm-up keeps its share of the steps.  If ``steps`` is given, ``evaluate`` is
    reduced if necessary, so that there are at least five evaluations.  If there are
    fewer than five segments, the network is evaluated after each segment.  The learning
    rate at the end of a cosine schedule does not change.

    Args:
        recipe: Recipe to change.
        steps: Number of training steps, or None to keep the recipe's number.
        rate: Peak learning rate, or None to keep the recipe's rate.
        matmul: Precision of matrix products, ``float32`` or ``bfloat16``.

    Raises:
        ValueError: If ``steps`` is not a positive multiple of the recipe's ``segment``,
            ``rate`` is not positive and finite, or ``matmul`` is unknown.

    Example:
        >>> from sigprop.tasks import load_task
        >>> quick = preset("digits", "lru", "quick", load_task("digits"))
        >>> shorter = altered(quick, 200, 1e-3, "float32")
        >>> shorter.optimiser.steps, shorter.rate
        (200, 0.001)
    """
    optimiser = recipe.optimiser
    if steps is not None:
        share = optimiser.warmup / optimiser.steps
        optimiser = dataclasses.replace(
            optimiser, steps=steps, warmup=round(share * steps)
        )
        often = max(1, steps // recipe.segment // LOOKS)
        recipe = dataclasses.replace(recipe, evaluate=min(recipe.evaluate, often))
    if rate is not None:
        final = optimiser.final * recipe.rate / rate if rate > 0 else 0.0
        optimiser = dataclasses.replace(optimiser, final=final)
    return dataclasses.replace(
        recipe,
        optimiser=optimiser,
        rate=recipe.rate if rate is None else rate,
        matmul=matmul,
    )
