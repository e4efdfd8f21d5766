"""Options of each family of layers for given time constants and phases.

Time constants ``1/(1 - |lam|)`` are spread evenly in their logarithm over two decades, up
to the longest.  S4D, S5, Mamba and the code of RotRNN distribute theirs in the same way.
A discretised system with ``Re A = -1/2`` has ``|lam| = exp(-dt/2)``.  The slowest state of
Mamba decays at rate one and has ``|lam| = exp(-dt)``.  An RG-LRU with a half-open gate
(0.5) has the fourth power of its radius as ``|lam|``.

Source: Gu et al. (2022), Section 4; De et al. (2024), Eq. 1-4; Gu & Dao (2023), Algorithm 2;
RotRNN's ``s5/rares_layers.py``.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sigprop.layers.rglru import CLOSING
from sigprop.numerics.arguments import require_count

SPAN = 100  # longest over shortest time constant
FASTEST = 1.0  # largest ``-log|lam|`` on a ring
LARGEST = 0.1  # largest step, the published default; phases of larger steps are aliased
HALF_OPEN = CLOSING / 2  # power of the radius that is |lam| for a gate of 0.5
EVEN = "log"  # of ``sigprop.neuron.ring.SPREADS``
WIDTH = 256  # inputs of a layer by default
WIDEST = 2**14
MOST_STATES = 2**11
LONGEST = 10**7
"""Largest number of steps.  Layers have float32 parameters, where 1 - 1 / 1.7e7 is 1."""

Options = dict[str, Any]


class Need(NamedTuple):
    """Requirements on a layer.

    Attributes:
        memory: Longest time constant in steps.
        phases: Largest phases in radians.  If there are several, the modes use them in
            turn.
        state: Size of the state.
    """

    memory: float
    phases: tuple[float, ...]
    state: int


def steps(memory: float, rate: float, largest: float = LARGEST) -> tuple[float, float]:
    """Return the smallest and the largest discretisation step of a system.

    Args:
        memory: Longest time constant in steps of the sequence.
        rate: Decay rate of the slowest states for a discretisation step of one.
        largest: Upper limit of the largest discretisation step.
    """
    smallest = -math.log1p(-1 / memory) / rate
    return smallest, max(min(SPAN * smallest, largest), 2 * smallest)


def ring(memory: float, power: float = 1.0) -> tuple[float, float]:
    """Return the inner and outer radius of a ring for a longest time constant.

    Args:
        memory: Longest time constant of ``radius**power`` in steps.
        power: Power of the radius that is the modulus ``|lam|``.

    Example:
        >>> tuple(round(one, 5) for one in ring(16384))
        (0.99391, 0.99994)
    """
    smallest, largest = steps(memory, power, FASTEST)
    return math.exp(-largest), math.exp(-smallest)


def heads(state: int) -> int:
    """Return the largest of 1, 2, 4, 8, 16 or 32 heads with a multiple of 4 states each.

    If the state is not a multiple of 4, the result is 1.
    """
    return max((n for n in (1, 2, 4, 8, 16, 32) if state % (4 * n) == 0), default=1)


def _limit(need: Need) -> float | tuple[float, ...]:
    """Return the largest phase if there is only one, or all of them as a tuple."""
    return need.phases[0] if len(need.phases) == 1 else need.phases


def _lru(need: Need) -> Options:
    inner, outer = ring(need.memory)
    return {
        "r_min": inner,
        "r_max": outer,
        "max_phase": _limit(need),
        "spread": EVEN,
    }


def _rotrnn(need: Need) -> Options:
    inner, outer = ring(need.memory)
    angles = (0.0, _limit(need))
    return {"gamma_range": (inner, outer), "theta_range": angles, "spread": EVEN}


def _discretised(need: Need) -> Options:
    smallest, largest = steps(need.memory, 0.5)
    return {"dt_min": smallest, "dt_max": largest}


def _selective(need: Need) -> Options:
    return {"steps": steps(need.memory, 1.0)}


def _rglru(need: Need) -> Options:
    return {"radii": ring(need.memory, HALF_OPEN), "spread": EVEN}


class Family(NamedTuple):
    """Kind of layer for which there is advice.

    Attributes:
        layer: Name of the layer in ``sigprop.networks.registry``.
        options: Function from requirements to the advised options.
        state: Default size of the state, as in the published code.  A complex conjugate
            pair of S4D or S5 counts as one state.
        sizes: Template of a description with ``{state}``, ``{width}`` and ``{channels}``.
        note: Sentence about further steps or limits of the advice.
        expand: Number of channels of the recurrence for each input of its block.
        gated: True if the gates depend on the input.
        one_state_a_channel: True if the size of the state equals the width.
        size_options: Function from the size of the state to further options.
    """

    layer: str
    options: Callable[[Need], Options]
    state: int
    sizes: str
    note: str
    expand: int = 1
    gated: bool = False
    one_state_a_channel: bool = False
    size_options: Callable[[int], Options] = lambda state: {}


FAMILIES: Mapping[str, Family] = {
    "lru": Family(
        "lru",
        _lru,
        256,
        "{state} complex states, {width} inputs and outputs",
        "set gamma_log last, because it depends on all other parameters",
    ),
    "rotrnn": Family(
        "rotrnn",
        _rotrnn,
        256,
        "{state} real states, {width} inputs and outputs",
        "RotRNN normalises its states for white inputs, so E|h|^2 differs from 1 for others",
        size_options=lambda state: {"heads": heads(state)},
    ),
    "s4d": Family(
        "s4d",
        _discretised,
        32,
        "{width} channels of {state} complex states, one of each conjugate pair",
        "a phase is the imaginary part of A times the step",
    ),
    "s5": Family(
        "s5",
        _discretised,
        128,
        "{state} complex states, one of each conjugate pair, {width} inputs and outputs",
        "set B last, because its scale depends on all other parameters",
    ),
    "rglru": Family(
        "rglru",
        _rglru,
        256,
        "{width} channels of one real state",
        "these values assume half-open gates; an open gate decays twice as fast",
        gated=True,
        one_state_a_channel=True,
    ),
    "mamba": Family(
        "selective",
        _selective,
        16,
        "{width} inputs, expanded to {channels} channels of {state} real states",
        "exclude A_log, D and dt_bias from weight decay, and initialise them in float32",
        expand=2,
        gated=True,
    ),
}


def _first(*sizes: int | None) -> int:
    """Return the first size that is not None."""
    return next(size for size in sizes if size is not None)


def sized(layer: str, state: int | None, width: int | None) -> tuple[int, int]:
    """Return the state size and the width of a layer, with defaults for ``None``.

    Args:
        layer: Name of a family.
        state: Size of the state, or None.
        width: Number of inputs, or None.

    Raises:
        ValueError: If a number is out of range, or state and width differ in a layer
            with one state per channel.

    Example:
        >>> sized("mamba", None, None), sized("rglru", 8, None)
        ((16, 256), (8, 8))
    """
    family = FAMILIES[layer]
    single = family.one_state_a_channel
    most = WIDEST if single else MOST_STATES
    states = _first(state, width if single else None, family.state)
    states = require_count("state", states, most=most)
    channels = require_count(
        "width", _first(width, states if single else WIDTH), most=WIDEST
    )
    if single and states != channels:
        raise ValueError(
            f"need one state a channel in {layer}, got state={states} and "
            f"width={channels}; leave one out"
        )
    return states, channels
