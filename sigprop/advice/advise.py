"""Advice on the initialisation of a layer, beside what its default would be."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
from jaxtyping import PRNGKeyArray

from sigprop.advice.families import FAMILIES, Need, Options, spelled
from sigprop.advice.predictions import (
    Predicted,
    matched,
    mode_states,
    predict_initialisation,
)
from sigprop.advice.spectra import Spectrum, bandwidth
from sigprop.layers.base import Layer
from sigprop.networks.registry import sequence_layer
from sigprop.numerics.arguments import require_count, require_number
from sigprop.numerics.seeds import require_seed

PHASES = ("spread", "input", "all")
MODES = 256  # of the layers whose Hessians are computed
MIXING = ("lru", "s5", "rotrnn")  # layers with a weight of each input in each state
NEURONS = 8  # of those with gates, whose moments are integrals
LONGEST = 10**7
"""Steps: in float32, in which layers are drawn, 1 - 1 / 1.7e7 is 1."""
CHANNELS = 1024
"""Of inputs that are mixed, so that hardly a state depends on its weights."""


@dataclass(frozen=True)
class Advice:
    """How to begin, and what follows.

    Attributes:
        layer: One of ``sigprop.advice.families.FAMILIES``.
        length: Steps of a sequence.
        memory: Steps that the longest memory reaches back.
        state: Size of the state.
        spectrum: Of the input.
        phase: In radians, below which 95 % of the input's power lies.
        phases: One of ``PHASES``.
        options: Of the layer's builder.
        default: Predictions for the layer's own default initialisation.
        advised: What it begins as by the options, and the normalisation matched to the
            input.
        code: The options in several libraries, by their names.
        note: What else is to be done, or cannot be.
    """

    layer: str
    length: int
    memory: float
    state: int
    spectrum: Spectrum
    phase: float
    phases: str
    options: Options
    default: Predicted
    advised: Predicted
    code: dict[str, str]
    note: str

    def draw(self, key: PRNGKeyArray, width: int) -> Layer:
        """A layer drawn as advised, with ``E|h|^2 = 1`` where it has a gain of its own.

        Raises:
            ValueError: If the layer's builder refuses the width.
        """
        layer = sequence_layer(
            FAMILIES[self.layer].layer, self.state, width, key=key, **self.options
        )
        return matched(layer, self.spectrum)


def advise(
    layer: str,
    *,
    length: int,
    state: int,
    spectrum: Spectrum,
    memory: float | None = None,
    phases: str = "spread",
    seed: int = 0,
) -> Advice:
    """Options for a layer's builder from the length of its sequences and their input.

    The longest memory is as long as the sequences unless it is given; what is to be learnt
    may need shorter ones, so that memories are spread evenly in their logarithm over the two
    decades below it.  Phases of every second mode are where 95 % of the input's power is, and
    those of the others anywhere up to pi, as what is to be learnt may lie where there is
    little power.  None is above pi: it would be that of the conjugate, which turns as the
    mode does, and under ``theta = exp(theta_log)`` the same step turns it further.
    States are told for inputs of many channels, gradients and ceilings for one.

    Args:
        layer: One of ``sigprop.advice.families.FAMILIES``.
        length: Steps of a sequence, 4 at least.
        state: Size of the layer's state, as its builder counts it.
        spectrum: Of the input; see ``sigprop.advice.spectra``.
        memory: Steps, 4 at least.
        phases: ``spread`` as above; ``input`` has them all where the power is, ``all`` has
            none there on purpose; of layers whose phases are drawn.
        seed: Of the draws that the predictions are for.

    Raises:
        ValueError: If the layer is unknown or a number is out of range.
    """
    if layer not in FAMILIES:
        raise ValueError(f"need a layer in {', '.join(FAMILIES)}, got {layer!r}")
    length = require_count("length", length, least=4, most=LONGEST)
    state = require_count("state", state, most=LONGEST)
    if memory is not None:
        require_number("memory", memory, 4, LONGEST, "[]")
    require_seed(seed)
    reach = float(length) if memory is None else float(memory)
    family = FAMILIES[layer]
    if phases not in PHASES:
        raise ValueError(f"need phases in {', '.join(PHASES)}, got {phases!r}")
    power = bandwidth(spectrum)
    limits = {"spread": (power, math.pi), "input": (power,), "all": (math.pi,)}
    need = Need(reach, limits[phases], state)
    size_options = family.size_options(state)
    options = {**size_options, **family.options(need)}
    key = jax.random.key(seed)

    def begun(options: dict[str, Any], last: Callable[[Layer], Layer]) -> Predicted:
        prediction = predict_initialisation(
            last(_twin(key, family.layer, state, options)), spectrum
        )
        if family.layer not in MIXING:
            return prediction
        wide = last(_twin(key, family.layer, state, options, CHANNELS))
        return prediction._replace(state=mode_states(wide, spectrum)[2])

    return Advice(
        layer,
        length,
        reach,
        state,
        spectrum,
        power,
        phases,
        options,
        begun(size_options, lambda layer: layer),
        begun(options, lambda layer: matched(layer, spectrum)),
        spelled(family, state, options),
        family.note,
    )


def _twin(
    key: PRNGKeyArray, layer: str, state: int, options: Options, channels: int = 1
) -> Layer:
    """A layer of one output, or of few, that stands for a wide one.

    With weights scaled by the number of states no moment of an output depends on it.
    """
    if layer == "rglru":
        return sequence_layer(layer, NEURONS, NEURONS, key=key, **options)
    if layer == "selective":
        return sequence_layer(layer, min(state, NEURONS), NEURONS, key=key, **options)
    modes = min(state, MODES)
    if "heads" in options:
        modes -= modes % (2 * options["heads"])
    if layer == "s4d":
        channels = max(1, MODES // 8 // modes)
    return sequence_layer(layer, modes, channels, key=key, **options)
