"""Rows of ``sigprop.layers``."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop import layers
from tests.arguments import KEY, Row, row, samples, valid


def layer_row(legal: str = "", **arguments: Any) -> Row:
    """A row of a builder; ``legal`` names what is accepted, separated by commas."""
    accepted = {name.strip(): valid for name in legal.split(",") if name.strip()}
    if "d_out" in arguments:
        accepted["d_out: None"] = valid  # as many outputs as inputs
    return row(lambda: {"key": KEY, **arguments}, legal=accepted)


RING = {"state_size": 4, "width": 2, "r_min": 0.4, "r_max": 0.9, "max_phase": 3.0}
POLAR = {"state_size": 3, "width": 2, "d_out": 1, "nu0": 0.5, "theta0": 2.0}
DENSE = {"state_size": 3, "width": 2, "d_out": 1}
TIMES = {**DENSE, "times": (1.0, 8.0)}
HEADS = {"state_size": 8, "width": 2, "heads": 2}
ROTATION = {**HEADS, "gamma_range": (0.5, 0.9), "theta_range": (0.1, 3.0)}
AREA = {"spread": "area"}

ROWS: dict[str, Row] = {
    "sigprop.layers.lru": layer_row("r_min: 0", **RING, **AREA, gamma="learned"),
    "sigprop.layers.bidirectional_lru": layer_row(
        "r_min: 0", **RING, **AREA, gamma="learned"
    ),
    "sigprop.layers.blur": layer_row("r_min: 0", **RING, gamma="learned"),
    "sigprop.layers.complex_lru": layer_row(
        "r_min: 0", **RING, coordinates="cartesian"
    ),
    "sigprop.layers.zucchet_lru": layer_row(
        "nu0: 0", **POLAR, gamma="learned", nu1=1.0
    ),
    "sigprop.layers.released_zucchet_lru": layer_row(
        "nu0: 0", **POLAR, gamma="learned"
    ),
    "sigprop.layers.complex_diagonal": layer_row(
        "nu0: 0", **POLAR, coordinates="cartesian", nu1=1.0
    ),
    "sigprop.layers.s4": layer_row("nu0: 0", **POLAR, delta=1.0),
    "sigprop.layers.bidirectional_s4": layer_row("nu0: 0", **POLAR, delta=1.0),
    "sigprop.layers.s4d": layer_row(
        state_size=2,
        width=2,
        spectrum="legs",
        discretisation="zoh",
        dt_min=0.01,
        dt_max=0.1,
    ),
    "sigprop.layers.s5": layer_row(
        state_size=4,
        width=2,
        blocks=1,
        conjugate=True,
        discretisation="zoh",
        dt_min=0.01,
        dt_max=0.1,
    ),
    "sigprop.layers.linoss": layer_row(state_size=2, width=2, discretisation="im"),
    "sigprop.layers.rotrnn": layer_row("theta_range: 0 at 0", **ROTATION, **AREA),
    "sigprop.layers.bidirectional_rotrnn": layer_row(
        "theta_range: 0 at 0", **ROTATION, **AREA
    ),
    "sigprop.layers.released_rotrnn": layer_row("theta_range: 0 at 0", **ROTATION),
    "sigprop.layers.released_bidirectional_rotrnn": layer_row(
        "theta_range: 0 at 0", **ROTATION
    ),
    "sigprop.layers.linear_rnn": layer_row("nu0: 0", **DENSE, nu0=0.5, theta0=2.0),
    "sigprop.layers.block_rnn": layer_row(
        "nu0: 0", state_size=4, width=2, d_out=1, blocks=2, nu0=0.5, theta0=2.0
    ),
    "sigprop.layers.nonlinear_rnn": layer_row(
        "radius: None", **DENSE, activation="tanh", skip="matrix", radius=0.9
    ),
    "sigprop.layers.brnn": layer_row(**DENSE, activation="tanh"),
    "sigprop.layers.gru": layer_row(
        "state_gain: -1, state_gain: 0", **TIMES, state_gain=1.0
    ),
    "sigprop.layers.lstm": layer_row(**TIMES),
    "sigprop.layers.bgru": layer_row(**TIMES),
    "sigprop.layers.blstm": layer_row(**TIMES),
    "sigprop.layers.gated_unit": layer_row(
        "state_gain: -1, state_gain: 0",
        state_size=3,
        width=3,
        d_out=1,
        times=(1.0, 8.0),
        state_gain=1.0,
    ),
    "sigprop.layers.constant_gate": layer_row(
        state_size=3, width=3, d_out=1, times=(1.0, 8.0)
    ),
    "sigprop.layers.mingru": layer_row(state_size=3, width=2, memory=2.0),
    "sigprop.layers.rglru": layer_row(
        state_size=4, width=4, heads=2, radii=(0.9, 0.99), **AREA
    ),
    "sigprop.layers.gla": layer_row(state_size=2, width=4, heads=2, rank=2),
    "sigprop.layers.hgrn2": layer_row(
        "bound: 0", state_size=2, width=4, heads=2, bound=0.3
    ),
    "sigprop.layers.mlstm": layer_row(
        "offsets: -1 at 0, offsets: 0 at 0",
        state_size=2,
        width=4,
        heads=2,
        offsets=(1.0, 2.0),
    ),
    "sigprop.layers.rwkv7": layer_row(state_size=2, width=4, heads=2, rank=2),
    "sigprop.layers.slstm": layer_row(
        "ends: -1 at 0, ends: 0 at 0, ends: -1 at 1, ends: 0 at 1, depth: 0, "
        "state_gain: -1, state_gain: 0",
        state_size=4,
        width=4,
        heads=2,
        forget="sigmoid",
        ends=(2.0, 1.0),
        depth=0.5,
        state_gain=1.0,
    ),
    "sigprop.layers.deltanet": layer_row(state_size=2, width=4, heads=2),
    "sigprop.layers.gated_deltanet": layer_row(
        state_size=2, width=4, heads=2, steps=(0.01, 0.1)
    ),
    "sigprop.layers.delta_product": layer_row(
        "steps: None",
        state_size=2,
        width=4,
        heads=2,
        reflections=2,
        largest=2.0,
        activation="silu",
        steps=(0.01, 0.1),
    ),
    "sigprop.layers.mamba3": layer_row(
        state_size=2, width=4, heads=2, steps=(0.01, 0.1), weight=0.5, rank=2
    ),
    "sigprop.layers.selective": layer_row(
        "rank: None", state_size=2, width=4, rank=2, steps=(0.01, 0.1)
    ),
    "sigprop.layers.ssd": layer_row(
        state_size=2, width=4, heads=2, groups=1, steps=(0.01, 0.1)
    ),
    "sigprop.layers.causal_attention": layer_row(
        state_size=4, width=4, heads=2, max_length=8
    ),
    "sigprop.layers.chrono_times": row(
        lambda: {"nu0": 0.9}, legal={"nu0: 0": (1.0, 2.0)}
    ),
    "sigprop.layers.tallec_times": row(lambda: {"t_max": 8.0}),
    "sigprop.layers.parameters": row(lambda: {"layer": samples.lru()}),
    "sigprop.layers.count_parameters": row(lambda: {"layer": samples.lru()}),
    "sigprop.layers.replace": row(
        lambda: {
            "layer": samples.lru(),
            "values": {"nu_log": jnp.zeros(4)},
        }
    ),
    "sigprop.layers.stack": row(
        lambda: {"layers": [samples.lru(), samples.lru()], "skip": True}
    ),
    "sigprop.layers.two_way": row(
        lambda: {"forward": samples.lru(), "backward": samples.lru()}
    ),
    "sigprop.layers.lru_from_arrays": row(
        lambda: {"arrays": {k: v for k, v in layers.parameters(samples.lru()).items()}}
    ),
    "sigprop.layers.rotrnn_from_released": row(
        lambda: {"arrays": _released(), "heads": 2}
    ),
}


def _released() -> dict[str, Any]:
    """Arrays as the released code of RotRNN names them."""
    shapes = {"theta_log": (4, 1), "gamma_log": (2,), "P": (8, 4)}
    shapes |= {"B": (8, 2), "C": (2, 8), "D": (2,)}
    return {name: np.ones(shape) for name, shape in shapes.items()}
