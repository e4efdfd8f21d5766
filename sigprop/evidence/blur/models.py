"""What judges baselines and networks as trained, Tables 4 and 6 of BLUR (2025)."""

from sigprop.evidence.arithmetic import numbers
from sigprop.judge.basis import Basis, Evidence
from theory.papers.blur.printed import REFERENCES, TABLE_4, TABLE_6
from theory.papers.lru import printed as lru


def preset_parameters(series: int) -> int:
    """Parameters of the paper's network for some series, counted without a draw."""
    import equinox as eqx
    import jax

    from sigprop.networks import build, parameter_table
    from sigprop.networks.presets import blur_paper

    shapes, _ = eqx.filter_eval_shape(
        build, jax.random.key(0), blur_paper(series, series)
    )
    return parameter_table(shapes)["total"]


def lru_depth() -> int:
    """Layers of the LRU's own networks."""
    from sigprop.networks.presets import lru_paper

    depths = {lru_paper(task).depth for task in ("scifar", "listops", "text")}
    return depths.pop() if len(depths) == 1 else 0


def lru_dropout() -> list[float]:
    """Dropout of the LRU's own networks on sCIFAR, ListOps and Text."""
    from sigprop.networks.presets import lru_paper

    return [lru_paper(task).dropout for task in ("scifar", "listops", "text")]


def parameters_by_hand(series: int) -> int:
    """Encoder, norms, layers, MLPs, skips and head, from the sizes of Table 6."""
    depth, states, width, _ = TABLE_6.values()
    dense = width * width
    layer = 2 * (3 * states + 2 * states * width + 2 * states * width) + width
    block = 2 * width + layer + 2 * (dense + width) + dense
    return (series + 1) * width + depth * block + (width + 1) * series


def _number(title: str) -> int:
    return next(number for number, given in REFERENCES.items() if given == title)


EVIDENCE: dict[str, Basis] = {
    "blur:text:brnn-citation": numbers(
        _number("Bidirectional recurrent neural networks"),
        37,
        printed=72,
        alone="the paper's own list of references",
    ),
    "blur:text:s5-citation": numbers(
        _number("Simplified state space layers for sequence modeling"),
        24,
        printed=30,
        alone="the paper's own list of references",
    ),
    "blur:table4": numbers(len(set(TABLE_4.split())), 36),
    "blur:table6": Evidence(
        ({"series": 7},),
        {"impulse": preset_parameters, "reference": parameters_by_hand},
        form=1_847_047,
    ),
    "blur:text:layers": numbers(
        lru_depth,
        6,
        printed=TABLE_6["layers"],
        alone="the depth printed in the LRU's paper, Section 2.2 and Appendix D.1",
    ),
    "blur:text:dropout": numbers(
        lru_dropout,
        [0.1, 0.0, 0.1],
        printed=[0.1, 0.1, 0.1],
        alone="Table 9 of the LRU's paper",
    ),
    "blur:text:lru-benchmarks": numbers(len(lru.TABLE_3.rows["LRU"]), 6),
}
