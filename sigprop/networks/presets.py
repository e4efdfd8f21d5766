"""The networks of the papers, as configurations.

Where a paper leaves something open, the docstring says what is taken.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sigprop.layers.gru import chrono_times
from sigprop.layers.initialisers import require_polar
from sigprop.networks.config import NetworkConfig
from sigprop.numerics.arguments import require_count

TURN = 2 * math.pi


@dataclass(frozen=True)
class Task:
    """Sizes of a task; ``inputs`` is the vocabulary where there are tokens."""

    inputs: int
    outputs: int
    tokens: bool = False
    pairs: bool = False


# Vocabularies are those with which S5 counts, padding and unknown tokens included.
TASKS = {
    "scifar": Task(3, 10),
    "listops": Task(20, 10, tokens=True),
    "text": Task(135, 2, tokens=True),
    "retrieval": Task(98, 2, tokens=True, pairs=True),
    "pathfinder": Task(1, 2),
    "pathx": Task(1, 2),
    "speech": Task(1, 35),
}


class Ring(NamedTuple):
    """A row of the LRU's tables 8 and 9."""

    width: int
    state_size: int
    dropout: float
    r_min: float
    r_max: float
    max_phase: float = TURN


LRU_ROWS = {
    "scifar": Ring(512, 384, 0.1, 0.9, 0.999),
    "listops": Ring(128, 256, 0.0, 0.0, 0.99),
    "text": Ring(256, 192, 0.1, 0.5, 0.9),
    "retrieval": Ring(128, 256, 0.1, 0.5, 0.9),
    "pathfinder": Ring(192, 256, 0.0, 0.9, 0.999),
    "pathx": Ring(128, 256, 0.0, 0.999, 0.9999, math.pi / 10),
}


class Turns(NamedTuple):
    """A row of RotRNN's table 3."""

    width: int
    state_size: int
    dropout: float
    gamma_range: tuple[float, float]
    theta_max: float


ROTRNN_ROWS = {
    "listops": Turns(128, 256, 0.0, (0.5, 0.999), math.pi / 100),
    "text": Turns(256, 192, 0.1, (0.5, 0.8), math.pi / 10),
    "retrieval": Turns(128, 256, 0.1, (0.5, 0.999), TURN),
    "scifar": Turns(512, 384, 0.1, (0.99, 0.999), TURN),
    "pathfinder": Turns(192, 256, 0.05, (0.1, 0.9999), math.pi / 10),
    "pathx": Turns(192, 256, 0.2, (0.999, 0.9999), math.pi / 10),
    "speech": Turns(96, 128, 0.1, (0.1, 0.9999), math.pi / 10),
}

ROTRNN_HEADS = 32
BIDIRECTIONAL = ("pathfinder", "pathx")


def lru_paper(task: str) -> NetworkConfig:
    """The LRU paper's network for a task, six blocks with batch normalisation.

    Layers are bidirectional for Pathfinder and Path-X.  Path-X also uses ``half_glu``,
    the gated unit with one map fewer.
    Images have three colours in sCIFAR.  Sequences are pooled by their mean,
    as in S5, whose settings the paper follows; tokens are embedded, which is S5's map of
    one-hot vectors without its bias.

    Raises:
        ValueError: If the task is not one of the paper's.

    Source: Orvieto et al. (2023), Appendix D.1, Tables 8 and 9.

    Example:
        >>> config = lru_paper("listops")
        >>> config.depth, config.width, config.state_size
        (6, 128, 256)
    """
    row = _row(task, LRU_ROWS)
    return NetworkConfig(
        **_of_task(task),
        **_of_row(row),
        layer="bidirectional_lru" if task in BIDIRECTIONAL else "lru",
        layer_options={
            "r_min": row.r_min,
            "r_max": row.r_max,
            "max_phase": row.max_phase,
        },
        mixing="half_glu" if task == "pathx" else "glu",
    )


def rotrnn_paper(task: str) -> NetworkConfig:
    """RotRNN's network for a task, six blocks with batch normalisation and 32 heads.

    Both directions for Pathfinder and Path-X.  The text does not say how features are
    mixed, nor pooled: both as in ``lru_paper``.  It does not say either whether images
    have colours: three are taken.

    Raises:
        ValueError: If the task is not one of the paper's.

    Source: RotRNN (2024), Appendix B.2 and Table 3.

    Example:
        >>> config = rotrnn_paper("listops")
        >>> config.depth, config.layer_options["heads"]
        (6, 32)
    """
    row = _row(task, ROTRNN_ROWS)
    return NetworkConfig(
        **_of_task(task),
        **_of_row(row),
        layer="bidirectional_rotrnn" if task in BIDIRECTIONAL else "rotrnn",
        layer_options={
            "heads": ROTRNN_HEADS,
            "gamma_range": row.gamma_range,
            "theta_range": (0.0, row.theta_max),
        },
    )


def blur_paper(
    inputs: int, outputs: int, *, encoder: str = "linear", pooling: str = "mean"
) -> NetworkConfig:
    """BLUR's network: four blocks of 128 states in each direction and 256 features.

    The MLP has one hidden layer, as wide as the features; ``C u`` of Eq. 13 is the skip
    of each block, from the block's input, and ``L_3`` the decoder.  Figure 2 of the paper
    has skips and normalisations that its equations leave out.

    Raises:
        ValueError: If a size or a name is not one that ``NetworkConfig`` takes.

    Source: BLUR (2025), Section 4.1, Appendix A.5 and Table 6.

    Example:
        >>> config = blur_paper(7, 7)
        >>> config.depth, config.width, config.state_size
        (4, 256, 128)
    """
    return NetworkConfig(
        inputs=inputs,
        outputs=outputs,
        width=256,
        state_size=128,
        depth=4,
        layer="blur",
        layer_options={"r_min": 0.0, "r_max": 1.0},
        encoder=encoder,
        mixing="mlp",
        skip="linear",
        dropout=0.1,
        pooling=pooling,
    )


def zucchet_paper(
    layer: str = "zucchet_lru",
    *,
    nu0: float,
    norm: str = "none",
    features: int = 768,
    nu1: float = 1.0,
) -> NetworkConfig:
    """Zucchet & Orvieto's network: four blocks of 256 neurons that predict the next token.

    With a normalisation there is one before the layer and one before the gated unit.
    Phases are unrestricted.  Rings reach from ``nu0`` to ``nu1``, which is 1 in Appendix A.2
    and ``(1 + nu0)/2`` in Appendix D.1.  The nonlinearity, not named, is a GELU.

    Args:
        layer: ``zucchet_lru``, ``complex_diagonal``, ``gru`` or ``lstm``.
        nu0: The least eigenvalue; gates remember between ``1/(1 - nu0)`` and twice that.
        norm: ``none``, or ``layer`` or ``batch`` for the paper's Figure 5 C.
        features: Numbers a token; the paper prints 724, BERT has 768.
        nu1: The largest eigenvalue of a ring.

    Raises:
        ValueError: If the layer is not one of these, or ``nu0`` is not in [0, 1).

    Source: Zucchet & Orvieto (2024), Section 5 and Appendix D.1.

    Example:
        >>> config = zucchet_paper(nu0=0.9)
        >>> config.depth, config.width, config.inputs
        (4, 256, 768)
    """
    require_count("features", features)
    require_polar(nu0, TURN, nu1)
    times = chrono_times(nu0)
    ring = {"nu0": nu0, "nu1": nu1, "theta0": TURN}
    options = {
        "zucchet_lru": ring,
        "complex_diagonal": ring,
        "gru": {"times": times},
        "lstm": {"times": times},
    }
    if layer not in options:
        raise ValueError(f"need a layer in {tuple(options)}, got {layer!r}")
    return NetworkConfig(
        inputs=features,
        outputs=features,
        width=256,
        state_size=256,
        depth=4,
        layer=layer,
        layer_options=options[layer],
        norm=norm,
        mixing_norm=norm != "none",
        pooling="none",
    )


def all_presets() -> dict[str, NetworkConfig]:
    """Every network of the papers by ``paper-task`` or ``paper-layer``.

    BLUR's is that of seven series in and out, as in its forecasting tables.

    Example:
        >>> sorted(all_presets())[:2]
        ['blur-forecast', 'lru-listops']
    """
    presets = {f"lru-{task}": lru_paper(task) for task in LRU_ROWS}
    presets |= {f"rotrnn-{task}": rotrnn_paper(task) for task in ROTRNN_ROWS}
    presets["blur-forecast"] = blur_paper(7, 7)
    for name, layer in (("lru", "zucchet_lru"), ("gru", "gru")):
        presets[f"zucchet-{name}"] = zucchet_paper(layer, nu0=0.9)
    return presets


def _row(task: str, rows: dict[str, Any]) -> Any:
    if task not in rows:
        raise ValueError(f"need a task in {tuple(rows)}, got {task!r}")
    return rows[task]


def _of_task(task: str) -> dict[str, Any]:
    spec = TASKS[task]
    return {
        "inputs": spec.inputs,
        "outputs": spec.outputs,
        "encoder": "embedding" if spec.tokens else "linear",
        "head": "pair" if spec.pairs else "linear",
    }


def _of_row(row: Ring | Turns) -> dict[str, Any]:
    return {
        "width": row.width,
        "state_size": row.state_size,
        "depth": 6,
        "dropout": row.dropout,
    }
