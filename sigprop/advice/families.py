"""How each family of layers is told its memories and its phases, and how others spell it.

Memories are spread evenly in their logarithm over two decades, up to the longest: the law of
the steps of S4D, S5 and Mamba, and of RotRNN's own code, of all families here.  A mode of a
ring remembers ``1/(1 - |lam|)`` steps.  A discretised system with ``Re A = -1/2`` has
``|lam| = exp(-dt/2)``; Mamba's slowest state, of rate one, has ``exp(-dt)``; an RG-LRU whose
gate is half open keeps the fourth power of its radius.

Source: Gu et al. (2022), Section 4; De et al. (2024), Eq. 1-4; Gu & Dao (2023), Algorithm 2;
RotRNN's ``s5/rares_layers.py``.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sigprop.layers.rglru import CLOSING

SPAN = 100  # the longest memory over the shortest
FASTEST = 1.0  # ``-log|lam|`` of a ring
LARGEST = 0.1  # step, as in their own defaults: beyond it phases are aliased
HALF_OPEN = CLOSING / 2  # power of the radius that a gate at rest keeps
EVEN = "log"  # of ``sigprop.neuron.ring.SPREADS``

Options = dict[str, Any]


class Need(NamedTuple):
    """What a layer is to do.

    Attributes:
        memory: Steps that its longest memory reaches back.
        phases: In radians, below which phases are to be drawn; of several, the modes take
            theirs in turn.
        state: Size of its state.
    """

    memory: float
    phases: tuple[float, ...]
    state: int


def steps(memory: float, rate: float, largest: float = LARGEST) -> tuple[float, float]:
    """Smallest and largest step of a system whose slowest states decay at a rate."""
    smallest = -math.log1p(-1 / memory) / rate
    return smallest, max(min(SPAN * smallest, largest), 2 * smallest)


def ring(memory: float, power: float = 1.0) -> tuple[float, float]:
    """Radii whose ``power`` has memories up to ``memory``: ``exp(-step)``.

    Example:
        >>> tuple(round(one, 5) for one in ring(16384))
        (0.99391, 0.99994)
    """
    smallest, largest = steps(memory, power, FASTEST)
    return math.exp(-largest), math.exp(-smallest)


def heads(state: int) -> int:
    """The most heads, at most 32, of two pairs of numbers or more."""
    return max((n for n in (1, 2, 4, 8, 16, 32) if state % (4 * n) == 0), default=1)


def _limit(need: Need) -> float | tuple[float, ...]:
    """The one limit of all phases, or several."""
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
    """Layers of one kind.

    Attributes:
        layer: Their name in ``sigprop.networks.registry``.
        options: Those that are advised.
        code: The same in other libraries, by their names; ``{name}`` stands for an
            option, ``{state}`` for the size.
        note: What else is to be done, or cannot be.
        size_options: Options that follow from the size of the state.
        narrowed: What follows ``code`` where every second phase has a limit of its own,
            below the ``widest`` one by ``shift`` in its logarithm.
    """

    layer: str
    options: Callable[[Need], Options]
    code: Mapping[str, str]
    note: str
    size_options: Callable[[int], Options] = lambda state: {}
    narrowed: Mapping[str, str] = {}


FAMILIES: Mapping[str, Family] = {
    "lru": Family(
        "lru",
        _lru,
        {
            "minimal-LRU": "LRU(d_hidden={state}, d_model=width, r_min={r_min:.6g}, "
            "r_max={r_max:.6g}, max_phase={widest:.4g})\n"
            "params['nu_log'] = jnp.linspace({longest:.6g}, {shortest:.6g}, {state})",
            "lru-pytorch": "LRU(in_features=width, out_features=width, "
            "state_features={state}, rmin={r_min:.6g}, rmax={r_max:.6g}, "
            "max_phase={widest:.4g})\n"
            "layer.nu_log.data = torch.linspace({longest:.6g}, {shortest:.6g}, {state})",
        },
        "the code below does not set gamma_log. To get E|h|^2 = 1 in every mode, call "
        "Advice.draw",
        narrowed={
            "minimal-LRU": "params['theta_log'] = "
            "params['theta_log'].at[::2].add({shift:.6g})",
            "lru-pytorch": "layer.theta_log.data[::2] += {shift:.6g}",
        },
    ),
    "rotrnn": Family(
        "rotrnn",
        _rotrnn,
        {},
        "the normalisation assumes white inputs; divide C by the square root of E|h|^2",
        lambda state: {"heads": heads(state)},
    ),
    "s4d": Family(
        "s4d",
        _discretised,
        {
            "state-spaces S4D": "S4D(width, d_state={twice}, dt_min={dt_min:.4g}, "
            "dt_max={dt_max:.4g})",
        },
        "a phase is the imaginary part of A times the step; S4D has no input weights, so "
        "divide C by the square root of E|h|^2",
    ),
    "s5": Family(
        "s5",
        _discretised,
        {
            "lindermanlab/S5": "init_S5SSM(..., P={twice}, dt_min={dt_min:.4g}, "
            "dt_max={dt_max:.4g})",
        },
        "a phase is the imaginary part of A times the step; divide the rows of B by the "
        "square root of E|h|^2, as the method Advice.draw does",
    ),
    "rglru": Family(
        "rglru",
        _rglru,
        {
            "recurrentgemma": "nu = jnp.exp(jnp.linspace({longest:.6g}, {shortest:.6g}, "
            "width)); params['a_param'] = jnp.log(jnp.expm1(nu))",
            "transformers": "nu = torch.exp(torch.linspace({longest:.6g}, {shortest:.6g}, "
            "width)); layer.recurrent_param.data = torch.log(torch.expm1(nu))",
        },
        "these values assume half-open gates; an open gate decays twice as fast",
    ),
    "mamba": Family(
        "selective",
        _selective,
        {
            "mamba-ssm": "Mamba(d_model=width, d_state={state}, dt_min={steps[0]:.4g}, "
            "dt_max={steps[1]:.4g})",
        },
        "exclude A_log, D and dt_bias from weight decay, and initialise them in float32",
    ),
}


def spelled(family: Family, state: int, options: Options) -> dict[str, str]:
    """Code to paste, by the library that it is for."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    ours = f"sequence_layer({family.layer!r}, {state}, width, key=key, {arguments})"
    filled = {"state": state, "twice": 2 * state, **options}
    texts = dict(family.code)
    if "r_min" in options or "radii" in options:
        radii = options.get("radii") or (options["r_min"], options["r_max"])
        shortest, longest = (math.log(-math.log(radius)) for radius in radii)
        filled |= {"shortest": shortest, "longest": longest}
    if "max_phase" in options:
        limits = np.atleast_1d(options["max_phase"])
        filled |= {"widest": limits[-1], "shift": math.log(limits[0] / limits[-1])}
        if limits.size > 1:
            texts = {
                name: f"{texts[name]}\n{more}" for name, more in family.narrowed.items()
            }
    return {
        "sigprop": ours,
        **{library: text.format(**filled) for library, text in texts.items()},
    }
