"""RotRNN's networks: parameters counted, and initial values beside the listing's.

Source: RotRNN (2024), Tables 2 and 3, Appendices B.2, B.3 and C.
"""

import dataclasses
import math
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float

from sigprop.layers.rotrnn import rotrnn
from sigprop.networks import build, parameter_table
from sigprop.networks.presets import ROTRNN_HEADS, ROTRNN_ROWS, rotrnn_paper
from sigprop.numerics.precision import double_precision

TASKS = ("listops", "text", "retrieval", "scifar", "pathfinder", "pathx", "speech")
MIXING_MAPS = {"none": 0, "half_glu": 1, "glu": 2}


def parameters_in_thousands(both: bool, mixing: str, skew: bool) -> float:
    """Parameters of the network for Speech Commands, counted in the network itself.

    ``skew`` counts the free entries of ``M - M^T`` in place of all of ``M``.
    """
    config = dataclasses.replace(
        rotrnn_paper("speech"),
        layer="bidirectional_rotrnn" if both else "rotrnn",
        mixing=mixing,
    )
    network: Any = eqx.filter_eval_shape(build, jax.random.key(0), config)[0]
    total = parameter_table(network)["total"]
    size = config.state_size // ROTRNN_HEADS
    spare = config.depth * ROTRNN_HEADS * size * (size + 1) // 2
    return (total - skew * spare) / 1000


def parameters_by_hand(both: bool, mixing: str, skew: bool) -> float:
    """Thousands of parameters for Speech Commands, from Table 3 and Appendix B.2."""
    width, states, heads, layers, classes = 96, 128, 32, 6, 35
    size = states // heads
    turning = heads * (size // 2 + 1 + (size * (size - 1) // 2 if skew else size**2))
    layer = turning + (3 if both else 2) * states * width + width
    linear = width * (width + 1)
    block = layer + MIXING_MAPS[mixing] * linear + 2 * width
    return (layers * block + 2 * width + classes * (width + 1)) / 1000


def head_sizes() -> list[float]:
    """Numbers a head has, by the presets."""
    return [rotrnn_paper(task).state_size / ROTRNN_HEADS for task in TASKS]


def preset_rows() -> Float[np.ndarray, "tasks columns"]:
    """D, N, dropout, ranges of gamma and theta of the presets."""
    rows = (ROTRNN_ROWS[task] for task in TASKS)
    return np.array(
        [
            (row.width, row.state_size, row.dropout, *row.gamma_range, row.theta_max)
            for row in rows
        ]
    )


def variance_of_listing(rows: int, columns: int) -> float:
    """Square of the listing's factor on a standard normal ``B`` or ``C``, measured."""
    plain = np.random.RandomState(0).normal(size=(rows, columns))
    drawn = np.random.RandomState(0).normal(size=(rows, columns)) / np.sqrt(columns)
    return np.mean(drawn**2) / np.mean(plain**2)


def variance_of_layer(rows: int, columns: int) -> float:
    """Square of the layer's factor on a standard normal ``B``, measured from its key."""

    def drawn(key):
        plain = jax.random.normal(jax.random.split(key, 6)[3], (rows, columns))
        return rotrnn(key, rows, columns, heads=1).B, plain

    with double_precision(True):
        B, plain = jax.jit(drawn)(jax.random.key(3))
    return np.mean(np.square(B)) / np.mean(np.square(plain))


def decay_of_listing(u1: float, r_min: float, r_max: float) -> float:
    """``gamma`` as the listing draws it from a uniform number, and reads it back."""
    gamma_log = np.log(-0.5 * np.log(u1 * (r_max**2 - r_min**2) + r_min**2))
    return np.exp(-np.exp(gamma_log))


def decay_of_uniform_square(u1: float, r_min: float, r_max: float) -> float:
    """The decay below which a share ``u1`` of the area of the ring lies, by bisection."""
    low, high = r_min, r_max
    for _ in range(60):
        middle = (low + high) / 2
        share = math.pi * (middle**2 - r_min**2) / (math.pi * (r_max**2 - r_min**2))
        low, high = (middle, high) if share < u1 else (low, middle)
    return low


def size_of_skip(width: int) -> int:
    """Numbers in the layer's ``D``."""
    drawn: Any = eqx.filter_eval_shape(rotrnn, jax.random.key(1), 4, width, heads=1)
    return drawn.D.size


def size_of_drawn_skip(width: int) -> int:
    """Numbers in the listing's ``D``."""
    return np.random.default_rng(0).normal(size=(width)).size
