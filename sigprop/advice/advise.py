"""Advice on the initialisation of a layer, beside what its default would be."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from sigprop.advice.code import printed
from sigprop.advice.families import (
    FAMILIES,
    LONGEST,
    Family,
    Need,
    Options,
    sized,
)
from sigprop.advice.predictions import (
    Predicted,
    matched,
    mode_states,
    predict_initialisation,
)
from sigprop.advice.spectra import Spectrum, bandwidth
from sigprop.layers.base import Layer, doubled
from sigprop.layers.s4d import S4D
from sigprop.networks.registry import sequence_layer
from sigprop.numerics.arguments import require_count, require_number
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed

PHASES = ("spread", "input", "all")
MODES = 256  # at most, of a layer whose Hessian is computed
CHANNELS = 512  # at most, of a layer whose gates are integrated


@dataclass(frozen=True)
class Advice:
    """Advised initialisation of a layer, with predictions for it and for the default.

    Attributes:
        layer: One of ``sigprop.advice.families.FAMILIES``.
        length: Steps of a sequence.
        memory: Longest time constant, in steps.
        state: Size of the state.
        width: Inputs.
        spectrum: Spectrum of the input; see ``sigprop.advice.spectra``.
        phase: Frequency in radians per step, below which 95 % of the input's power lies.
        phases: One of ``PHASES``.
        options: Advised arguments for the layer's builder, by name.
        default: Predictions for the layer's own default initialisation.
        advised: Predictions for the options, with the normalisation matched to the input.
        code: Code for several libraries, by their names.
        note: Further steps that the advice needs, or its limits, in words.

    Example:
        >>> from sigprop.advice import exponential
        >>> found = advise("lru", length=1000, state=16, spectrum=exponential(0.9))
        >>> found.memory, sorted(found.options)
        (1000.0, ['max_phase', 'r_max', 'r_min', 'spread'])
    """

    layer: str
    length: int
    memory: float
    state: int
    width: int
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

        Args:
            key: Consumed here.
            width: Channels of the recurrence.

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
    spectrum: Spectrum,
    state: int | None = None,
    width: int | None = None,
    memory: float | None = None,
    phases: str = "spread",
    seed: int = 0,
) -> Advice:
    """Options for a layer's builder from the length of its sequences and their input.

    The longest time constant is ``memory``, by default the sequence length.  The target
    may need shorter ones: time constants are spread evenly in their logarithm over the
    two decades below the longest.  Every second mode has a phase in the band with 95 %
    of the input's power.  The other modes have phases anywhere up to pi, because the
    target may lie where the input has little power.  No phase is above pi: such a mode
    is the conjugate of one below pi, but its phase moves further for the same step of
    ``theta_log = log(theta)``.

    Time constants and states are predicted for one draw of a layer of this width and state.
    Gradients and largest rates are those of one input and one output of it and of at most
    256 modes; of S4D, of the channel with the median step; of layers with gates, of at most
    512 channels.

    Args:
        layer: One of ``sigprop.advice.families.FAMILIES``.
        length: Steps of a sequence, 4 at least.
        spectrum: Spectrum of each input channel; see ``sigprop.advice.spectra``.
        state: Size of the layer's state, as its builder counts it; that of its family if
            left out.
        width: Inputs; 256 if left out.  RG-LRU has one state for each.
        memory: Steps, 4 at least.
        phases: ``spread`` as above; ``input`` has them all where the power is, ``all`` has
            none there on purpose; of layers whose phases are drawn.
        seed: Seed of the layers that are drawn for the predictions.

    Raises:
        ValueError: If the layer is unknown or a number is out of range.

    Example:
        >>> from sigprop.advice import exponential
        >>> found = advise("lru", length=1000, state=16, spectrum=exponential(0.9))
        >>> round(found.options["r_max"], 4), round(found.phase, 2)
        (0.999, 1.18)
    """
    if layer not in FAMILIES:
        raise ValueError(f"need a layer in {', '.join(FAMILIES)}, got {layer!r}")
    length = require_count("length", length, least=4, most=LONGEST)
    state, width = sized(layer, state, width)
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
    plain = _Draw(family, state, width, size_options, seed)
    draw = _Draw(family, state, width, options, seed)
    return Advice(
        layer,
        length,
        reach,
        state,
        width,
        spectrum,
        power,
        phases,
        options,
        _predicted(plain, spectrum, None),
        _predicted(draw, spectrum, spectrum),
        printed(layer, state, width, options, spectrum),
        family.note,
    )


class _Draw(NamedTuple):
    """Draws a layer at its size, or at one for which a Hessian fits."""

    family: Family
    state: int
    width: int
    options: Options
    seed: int

    def layer(self) -> Layer:
        """At its size, but for layers whose gates take long to integrate."""
        channels = self.family.expand * self.width
        if self.family.gated:
            channels = min(channels, CHANNELS)
        state = channels if self.family.one_state_a_channel else self.state
        return self._of(state, channels)

    def narrow(self) -> Layer:
        """With one input and output, and few enough modes."""
        modes = min(self.state, MODES)
        if "heads" in self.options:
            modes -= modes % (2 * self.options["heads"])
        return self._of(modes, 1)

    def _of(self, state: int, channels: int) -> Layer:
        key = jax.random.key(self.seed)
        return sequence_layer(
            self.family.layer, state, channels, key=key, **self.options
        )


def _predicted(draw: _Draw, spectrum: Spectrum, match: Spectrum | None) -> Predicted:
    """Predictions for a layer, whose states are matched to an input or left as they are."""
    layer = draw.layer()
    if draw.family.gated:
        return predict_initialisation(layer, spectrum)
    narrow = _middle_channel(layer) if isinstance(layer, S4D) else draw.narrow()
    if match is not None:
        narrow = matched(narrow, match)
    with double_precision(True):
        layer = doubled(layer)
        layer = layer if match is None else matched(layer, match)
        gap, phase, state = mode_states(layer, spectrum)
    prediction = predict_initialisation(narrow, spectrum)
    return prediction._replace(time_constant=1 / gap, phase=phase, state=state)


def _middle_channel(layer: S4D) -> S4D:
    """The channel with the median step: an output of S4D depends on one channel."""
    order = np.argsort(layer.log_dt)
    middle = int(order[len(order) // 2])
    return jax.tree.map(lambda leaf: leaf[middle : middle + 1], layer)
