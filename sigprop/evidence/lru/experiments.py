"""Evidence for the detailed experimental setup, Appendix D of Orvieto et al. (2023)."""

import functools
from functools import partial

import numpy as np
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, points
from sigprop.evidence.lru.accuracies import TASKS
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory.papers.lru.printed import TABLE_9


def depths() -> Float[np.ndarray, " 6"]:
    """Numbers of blocks by Table 9."""
    return np.array([settings.depth for settings in TABLE_9.values()], float)


def largest_factor() -> float:
    """The largest factor on the recurrence's learning rate in Table 9."""
    return max(settings.factor for settings in TABLE_9.values())


@functools.cache
def _parts(task: str) -> dict[str, int]:
    import equinox as eqx
    import jax

    from sigprop.networks import build, lru_paper, parameter_table

    network, _ = eqx.filter_eval_shape(build, lru_paper(task), key=jax.random.key(0))
    return parameter_table(network)


def parameters(task: str, part: str) -> int:
    """Parameters of a part of the package's network."""
    return _parts(task)[part]


def directions() -> Float[np.ndarray, " 6"]:
    """Directions in which the package's networks read."""
    from sigprop.networks import lru_paper

    layers = [lru_paper(task).layer for task in TASKS]
    return np.array([1.0 + layer.startswith("bidirectional") for layer in layers])


# Learning rates as shares from the floor to the peak, by share of training.
SHARES = {0.0: 0.0, 0.05: 0.5, 0.1: 1.0, 0.4: 0.75, 0.55: 0.5, 1.0: 0.0}


def learning_rate(
    step: float, peak: float, floor: float = 1e-7, warm: float = 0.1
) -> float:
    """Rate at share ``step`` of training: a line over a tenth, then half a cosine down.

    Source: Orvieto et al. (2023), Appendix D.2.
    """
    if step <= warm:
        return floor + (peak - floor) * step / warm
    turned = np.pi * (step - warm) / (1 - warm)
    return floor + (peak - floor) * (1 + np.cos(turned)) / 2


EVIDENCE: dict[str, Basis] = {
    "lru:text:six-layers": numbers(depths, [6.0] * 6, absolute=0.5),
    "lru:text:factor-below-one": numbers(largest_factor, 1.0, relation="<", wrong=0.5),
    "lru:text:lengths": numbers([32 * 32, 128 * 128], [1024, 16 * 1024]),
    "lru:text:path-x-unit": numbers(
        parameters,
        lambda task, part: 6 * (128 * 128 + 128) * (2 - (task == "pathx")),
        also(points("task", "listops", "pathx"), part="mixing"),
    ),
    "lru:text:bidirectional": numbers(
        directions, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0], absolute=0.5
    ),
    "lru:text:schedule": Evidence(
        also(points("step", 0.0, 0.05, 0.1, 0.4, 0.55, 1.0), peak=4e-3),
        {"reference": learning_rate},
        form=lambda step, peak: 1e-7 + (peak - 1e-7) * SHARES[step],
        mutants={
            "a line down": lambda step, peak: np.interp(
                step, (0, 0.1, 1), (1e-7, peak, 1e-7)
            ),
            "a warm-up of a fifth": partial(learning_rate, warm=0.2),
            "the cosine of the whole training": lambda step, peak: (
                1e-7 + (peak - 1e-7) * (1 + np.cos(np.pi * step)) / 2
            ),
            "no floor": partial(learning_rate, floor=0.0),
        },
        tolerance=1e-9,
        alone="its start and end, and the cosines of 60 and of 90 degrees",
    ),
}
