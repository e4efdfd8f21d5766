"""Advice on the initialisation of a layer, compared with its default."""

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
MODES = 256  # largest number of modes for which the Hessian is computed
CHANNELS = 512  # largest number of channels whose gates are integrated


@dataclass(frozen=True)
class Advice:
    """Advised initialisation of a layer, with predictions for it and for the default.

    Attributes:
        layer: Name of the layer: ``lru``, ``rotrnn``, ``s4d``, ``s5``, ``rglru`` or
            ``mamba``.
        length: Number of steps of a sequence.
        memory: Longest time constant in steps.
        state: Size of the state, counted as in ``advise``.
        width: Number of inputs.
        spectrum: Autocovariance of the input, as in ``advise``.
        phase: Frequency in radians per step below which 95 % of the input's power lies.
        phases: Rule for the phases of the modes: ``spread``, ``input`` or ``all``, as
            in ``advise``.
        options: Advised values for arguments of the layer's builder, by argument name.
        default: Predictions for the layer's default initialisation.
        advised: Predictions for the advised initialisation.  For the LRU and S5 the
            states are normalised to ``E|h|^2 = 1`` for the input.
        code: Code that builds the advised layer with sigprop or another library, by
            library name.
        note: Sentence about further steps or limits of the advice.

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
        """Draw a layer with the advised initialisation.

        If the layer is an LRU or S5, its states are also normalised to ``E|h|^2 = 1`` for
        the input.

        Args:
            key: Random key of JAX; do not use it for anything else.
            width: Number of channels of the recurrence.  In Mamba these are the
                channels after the expansion, twice as many as the inputs.

        Raises:
            ValueError: If the layer's builder does not accept the width.
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
    """Advise on the initialisation of a layer for a sequence length and an input.

    The time constants ``1/(1 - |lam|)`` are spread evenly in their logarithm, over at
    most two decades.  The longest is ``memory``.  Shorter time constants are included
    because the task may need them.  An RG-LRU has these time constants while its gates
    are half open.  In Mamba, the slowest state of each channel has them.

    With ``phases="spread"``, every second mode has a phase below the frequency that
    bounds 95 % of the input's power (``Advice.phase``).  The other modes have phases up
    to pi, because the task may need frequencies where the input has little power.  No
    phase is above pi, because a mode with a larger phase is the conjugate of a mode
    with a phase below pi.  The LRU has a second reason: it trains ``log(theta)``, so an
    update of a given size changes a larger phase ``theta`` more.

    Time constants, phases and second moments of the states are predicted for one random
    layer with ``width`` inputs and a state of size ``state``.  Gradients and largest
    stable learning rates are predicted for a smaller layer with one input and one
    output.  For the LRU, RotRNN and S5, the state of the smaller layer has size 256 or
    less.  For S4D, the smaller layer is the channel with the median discretisation
    step, including all its modes.  For the gated layers RG-LRU and Mamba, all
    predictions are for one layer of at most 512 channels.

    Args:
        layer: Name of the layer: ``lru``, ``rotrnn``, ``s4d``, ``s5``, ``rglru`` or
            ``mamba``.
        length: Number of steps of a sequence, 4 or more.
        spectrum: Autocovariance of each input channel, from ``exponential``,
            ``exponentials``, ``of_covariance`` or ``of_series``.
        state: Size of the state.  For S4D and Mamba it is the number of states of one
            channel.  A complex conjugate pair of S4D or S5 counts as one state.
            Default: 256 for the LRU and RotRNN, 32 for S4D, 128 for S5, 16 for Mamba.
            For RG-LRU see ``width``.
        width: Number of inputs.  Default: 256.  For RG-LRU, ``state`` and ``width``
            must be equal; if only one is given, the other takes its value.
        memory: Longest time constant in steps, 4 or more.  Default: ``length``.
        phases: ``spread`` as described above, ``input`` for all phases below
            ``Advice.phase``, or ``all`` for phases up to pi in all modes.  This choice
            affects only the LRU and RotRNN.
        seed: Seed of the random layers for the predictions.

    Raises:
        ValueError: If ``layer`` or ``phases`` is unknown; if ``length``, ``state``,
            ``width``, ``memory`` or ``seed`` is out of range; or if ``state`` and
            ``width`` of an RG-LRU differ.

    Example:
        >>> from sigprop.advice import exponential
        >>> found = advise("lru", length=1000, state=16, spectrum=exponential(0.9))
        >>> round(found.options["r_max"], 4), round(found.phase, 2)  # r_max: 1 - 1/1000
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
    """Random layers of one initialisation, of the full size or small enough for a Hessian."""

    family: Family
    state: int
    width: int
    options: Options
    seed: int

    def layer(self) -> Layer:
        """Return a layer of the full size; a gated layer has at most ``CHANNELS`` channels."""
        channels = self.family.expand * self.width
        if self.family.gated:
            channels = min(channels, CHANNELS)
        state = channels if self.family.one_state_a_channel else self.state
        return self._of(state, channels)

    def narrow(self) -> Layer:
        """Return a layer with one input, one output and at most ``MODES`` modes."""
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
    """Predict for a random layer, after its states are normalised to ``match`` if given."""
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
    """Return the S4D channel with the median step, as each output depends on one channel."""
    order = np.argsort(layer.log_dt)
    middle = int(order[len(order) // 2])
    return jax.tree.map(lambda leaf: leaf[middle : middle + 1], layer)
