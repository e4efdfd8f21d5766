"""Configurations of the networks in the papers.

The docstrings state our choices where a paper does not give a setting.
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
    """Sizes of a task; ``inputs`` is the size of the vocabulary if inputs are tokens."""

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
    """Row of Tables 8 and 9 in the paper of the LRU."""

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
    """Row of Table 3 in the paper of RotRNN."""

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
    """Return the configuration of the LRU paper for a task.

    The network has six blocks with batch normalisation.  Layers are bidirectional for
    Pathfinder and Path-X.  For Path-X the mixing is ``half_glu``, a gated linear unit
    with only one linear map.  Images of sCIFAR have three colour channels.

    Features are pooled by their mean, and tokens are embedded, as in S5, which the
    paper follows.  Unlike in S5, the embedding has no bias.

    Args:
        task: ``scifar``, ``listops``, ``text``, ``retrieval``, ``pathfinder`` or ``pathx``.

    Raises:
        ValueError: If the task is unknown.

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
    """Return the configuration of the RotRNN paper for a task.

    The network has six blocks with batch normalisation, and layers with 32 heads.
    Layers are bidirectional for Pathfinder and Path-X.

    The paper does not say how features are mixed and pooled; both are as in
    ``lru_paper``.  The paper also does not say whether images are in colour; here
    images of sCIFAR have three colour channels.

    Args:
        task: ``scifar``, ``listops``, ``text``, ``retrieval``, ``pathfinder``, ``pathx`` or
            ``speech``.

    Raises:
        ValueError: If the task is unknown.

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
    """Return the configuration of the BLUR paper: four blocks with 256 features.

    Each direction has a state of 128 complex numbers.  The MLP of a block has one
    hidden layer of 256 features.  The term ``C u`` of Eq. 13 is a linear map of the
    block's input, which is added to the block's output.  The map ``L_3`` of the paper
    is the decoder.  Figure 2 of the paper shows skip connections and normalisations
    that are not in its equations.  Of these, the configuration has only the
    normalisations.

    Args:
        inputs: Number of inputs per step, or the size of the vocabulary.
        outputs: Number of outputs.
        encoder: Map of the inputs to features: ``linear``, or ``embedding`` for tokens.
        pooling: Reduction of the features of all steps: ``mean``, ``last``, or ``none``
            for one output per step.

    Raises:
        ValueError: If a size is below one, or ``encoder`` or ``pooling`` is unknown.

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
    """Return the configuration of Zucchet & Orvieto for next-token prediction.

    The network has four blocks of 256 neurons.  If ``norm`` is not ``none``, a block
    has one normalisation before the layer and one before the gated linear unit.  Phases
    of the eigenvalues are uniform on [0, 2 pi].  The paper does not name the
    nonlinearity, which is a GELU here.

    Args:
        layer: Recurrent layer: ``zucchet_lru``, ``complex_diagonal``, ``gru`` or
            ``lstm``.
        nu0: Smallest modulus of the eigenvalues, in [0, 1). Forget biases of ``gru``
            and ``lstm`` are ``log T``, with ``T`` drawn from the range
            ``chrono_times(nu0)``.
        norm: Normalisation: ``none``; or ``layer`` or ``batch``, as in Figure 5 C.
        features: Number of features of a token. The paper says 724, but BERT has 768.
        nu1: Largest modulus of the eigenvalues, 1 in Appendix A.2 and ``(1 + nu0)/2`` in
            Appendix D.1. ``gru`` and ``lstm`` do not use it.

    Raises:
        ValueError: If ``layer`` or ``norm`` is unknown; if ``features`` is below one;
            if ``nu0`` is not in [0, 1); or if ``nu1`` is not in [nu0, 1].

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
    """Return a dictionary of the papers' configurations, by names like ``lru-listops``.

    A name consists of the paper and the task, or of the paper and the layer.
    ``blur-forecast`` has 7 inputs and 7 outputs, as in the forecasting tables of its
    paper.  ``zucchet-lru`` and ``zucchet-gru`` have ``nu0 = 0.9``.

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
