"""Audit of a checkpoint: all numbers of the report, layer by layer."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sigprop.audit.foreign.drive import Embedding, Encoder, embed, encoder_of
from sigprop.audit.foreign.gates import RUNGS as GATE_RUNGS
from sigprop.audit.foreign.gates import gated_moments, gated_trace
from sigprop.audit.foreign.margin import Margin, margin
from sigprop.audit.foreign.modes import Chosen, choose
from sigprop.audit.foreign.moments import RUNGS, Moments, linear_moments, running_state
from sigprop.audit.series import Series
from sigprop.layers.base import Layer, count_parameters
from sigprop.layers.gru import GRU
from sigprop.layers.lstm import LSTM
from sigprop.layers.rglru import RGLRU
from sigprop.layers.s5 import S5
from sigprop.layers.selective import Selective
from sigprop.linear.output_derivatives import (
    ELEMENTWISE,
    Driven,
    Traced,
    measured_trace,
    predicted_trace,
)
from sigprop.networks.foreign import Checkpoint, ForeignLayer, find
from sigprop.networks.foreign.find import counted, titles
from sigprop.networks.foreign.mapping import survey_mapped
from sigprop.numerics.arguments import require_count
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed

TOP = "(top)"  # a layer whose names have no prefix
MOST_NEURONS = 1024  # largest RG-LRU whose trace is predicted
MOST_NUMBERS = 1 << 24  # largest number of states times steps in closed forms
LARGE = 1 << 22  # largest layer whose trace is measured, in parameters


@dataclass(frozen=True)
class Limits:
    """Limits on the computations of ``audit_checkpoint``.

    Attributes:
        modes: Largest number of modes that are run in each layer.  The modes are evenly
            spaced in the order of their time constants, including the slowest and the
            fastest mode.
        gated: Largest number of neurons that are run in each gated layer, chosen in the
            same way as ``modes``.
        probes: Number of random vectors for the measurement of each trace of a loss
            Hessian; 0 skips the measurement.
        seed: Seed of all random numbers.

    Raises:
        ValueError: If ``modes`` or ``gated`` is below one, ``probes`` is negative, or the
            seed is out of range.

    Example:
        >>> Limits(modes=8).probes
        16
    """

    modes: int = 64
    gated: int = 16
    probes: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("modes", 1), ("gated", 1), ("probes", 0)):
            require_count(name, getattr(self, name), least)
        require_seed(self.seed)


@dataclass(frozen=True)
class Trace:
    """Trace of the loss Hessian of one layer at the optimum, predicted and measured.

    The loss is the squared error to the outputs of the layer itself.

    Attributes:
        predicted: Trace of each parameter from the closed form, by parameter name; empty
            if there is no closed form.
        measured: Trace measured by running the layer, or None.
        missing: Reason why a value is missing, or a remark on it.
    """

    predicted: dict[str, float] = field(default_factory=dict)
    measured: Traced | None = None
    missing: str = ""


@dataclass(frozen=True)
class LayerChecked:
    """Audit of one layer of a checkpoint.

    Attributes:
        layer: Common prefix of the layer's tensor names.
        family: Name of the layer as used in texts, such as ``the LRU`` or ``Mamba``.
        library: Name of the library that uses these tensor names.
        kind: Method by which the modes were simulated.  ``linear``: inputs pass
            through the layer's input weights.  ``gated``: the gates of the layer are
            simulated too.  ``at rest``: the eigenvalues are those at zero input and
            stay fixed, while one feature of the series at a time drives the modes.
        rungs: Names of the assumptions of the predictions, in order.  Each prediction
            adds one assumption to those of the prediction before it.
        chosen: Modes of the layer that were selected and simulated.
        moments: Measured and predicted moments, one item for each quantity.
        margin: Distance of the modes to the unit circle.
        trace: Trace of the loss Hessian at the optimum, predicted and measured.
        inputs: Description of the inputs that the layer received.
        driven_time_constants: Time constants of gated neurons for the inputs of the
            audit, in steps; empty for other layers.
        notes: Sentences about results that are missing or limited.
    """

    layer: str
    family: str
    library: str
    kind: str
    rungs: tuple[str, ...]
    chosen: Chosen
    moments: tuple[Moments, ...]
    margin: Margin
    trace: Trace
    inputs: str
    driven_time_constants: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """Audit of the recurrent layers of a checkpoint on a time series.

    Attributes:
        checkpoint: Path of the checkpoint.
        data: Name of the series.
        series: Windows of the series.
        limits: Limits on the computations of the audit.
        layers: Audit of each recurrent layer.

    Example:
        >>> series = Series(np.ones((4, 32, 1)), ("wind",), notes=(), block=1)
        >>> Checked("model.npz", "weather", series, Limits(), layers=()).data
        'weather'
    """

    checkpoint: str
    data: str
    series: Series
    limits: Limits
    layers: tuple[LayerChecked, ...]


def audit_checkpoint(
    checkpoint: Checkpoint,
    series: Series,
    data: str,
    limits: Limits | None = None,
    *,
    mapping: Path | None = None,
    through: str | None = None,
    shown: Callable[[list[ForeignLayer]], Iterable[ForeignLayer]] = list,
) -> Checked:
    """Compare measured and predicted moments of a checkpoint's layers on a time series.

    Every recurrent layer of the checkpoint is run over the windows of the series.

    Args:
        checkpoint: Checkpoint that ``sigprop.networks.foreign.open_checkpoint`` returned.
        series: Windows of a time series, from ``sigprop.audit.load_series``.
        data: Name of the series, for the report.
        limits: Limits on the computations.  Default: ``Limits()``.
        mapping: File that assigns tensor names to layers, in addition to the names that
            sigprop knows; see ``sigprop.networks.foreign.mapped``.  Default: no file.
        through: Name of a matrix of the checkpoint that maps the features of the series
            to input channels.  The matrix is used only for layers with that number of
            input channels.  Any other layer gets the features themselves if it has one
            channel per feature, and random mixtures of the features otherwise.
            Default: no matrix.
        shown: Function that receives the list of layers and yields them one by one, for
            a progress bar.  Default: no progress bar.

    Returns:
        The audit, with the measured and the predicted moments of each recurrent layer.

    Raises:
        ValueError: If ``limits.modes`` or ``limits.gated`` is below two; if the
            checkpoint has no recurrent layer; if no layer has a mode inside the unit
            circle; or if ``through`` does not name a matrix of the checkpoint with as
            many rows or columns as the series has features.

    Example:
        >>> from sigprop.networks.foreign import of_arrays
        >>> x = np.random.default_rng(0).normal(size=(10, 100, 2))
        >>> series = Series(x, ("wind", "rain"), notes=(), block=1)
        >>> tensors = {"nu_log": np.log(np.full(4, 0.1)), "D": np.ones(2)}
        >>> tensors |= {"theta_log": np.zeros(4), "gamma_log": np.zeros(4)}
        >>> tensors |= {"B_re": np.ones((4, 2)), "B_im": np.ones((4, 2))}
        >>> tensors |= {"C_re": np.ones((2, 4)), "C_im": np.ones((2, 4))}
        >>> limits = Limits(modes=2, probes=0)
        >>> found = audit_checkpoint(of_arrays(tensors), series, "weather", limits)
        >>> found.layers[0].family, found.layers[0].rungs[0]
        ('the LRU', 'stationary')
    """
    limits = Limits() if limits is None else limits
    if min(limits.modes, limits.gated) < 2:
        raise ValueError(
            f"need two modes a layer at least, the slowest and the fastest, got "
            f"{min(limits.modes, limits.gated)}"
        )
    if mapping is None:
        layers = find(checkpoint)
    else:
        layers = list(survey_mapped(checkpoint, mapping).layers)
    if not layers:
        raise ValueError(
            f"need a recurrent layer of {titles()}, got none in {checkpoint.path}"
        )
    layers.sort(key=lambda recurrence: counted(recurrence.prefix))
    encoder = None if through is None else encoder_of(checkpoint, through, series)
    checked = tuple(
        _layer(recurrence, series, encoder, limits) for recurrence in shown(layers)
    )
    if not any(len(layer.chosen.indices) for layer in checked):
        first = layers[0]
        raise ValueError(
            f"need a mode strictly inside the unit circle in {first.prefix or TOP} of "
            f"{first.family.title}, got none; `sigprop lint` says why"
        )
    return Checked(str(checkpoint.path), data, series, limits, checked)


def _layer(
    recurrence: ForeignLayer, series: Series, encoder: Encoder | None, limits: Limits
) -> LayerChecked:
    rest = recurrence.rest()
    distance = margin(recurrence, rest)
    chosen = choose(recurrence, rest, limits.modes, limits.gated)
    notes = [f"modes at rest: {chosen.why}"] if chosen.why else []
    if rest.moved:
        notes.append("inputs move the decay: eigenvalues and margin are those at rest")
    embedding = None
    inputs = "every feature of the series alone"
    if chosen.layer is not None:
        embedding = embed(series, chosen.layer.widths[0], encoder, limits.seed)
        inputs = embedding.origin if chosen.kind != "at rest" else inputs
    moments: tuple[Moments, ...] = ()
    driven: tuple[float, ...] = ()
    rungs = GATE_RUNGS if chosen.kind == "gated" else RUNGS
    if not len(chosen.indices):
        notes.append(
            "no mode is strictly inside the unit circle; `sigprop lint` says why"
        )
    elif chosen.kind == "gated":
        assert embedding is not None
        gated = gated_moments(chosen, series, embedding, limits.seed)
        moments, driven = gated.moments, tuple(map(float, gated.time_constant))
        notes.append(
            f"AR(1): inputs of lag-one correlation {gated.rho:.3f}, as measured; means over "
            "the second half of each window"
        )
        if gated.infinite:
            notes.append(
                f"{gated.infinite} predicted moments are infinite or have no form"
            )
    else:
        moments = linear_moments(chosen, series, embedding, limits.seed)
        if isinstance(chosen.layer, GRU | LSTM) and embedding is not None:
            moments += (running_state(chosen, series, embedding, limits.seed),)
    return LayerChecked(
        layer=recurrence.prefix or TOP,
        family=recurrence.family.title,
        library=recurrence.spelling.library,
        kind=chosen.kind,
        rungs=rungs,
        chosen=chosen,
        moments=moments,
        margin=distance,
        trace=_trace(chosen.layer, chosen.why, series, embedding, limits),
        inputs=inputs,
        driven_time_constants=driven,
        notes=tuple(notes),
    )


def _trace(
    layer: Layer | None,
    why: str,
    series: Series,
    embedding: Embedding | None,
    limits: Limits,
) -> Trace:
    """Return the trace from the closed form, if there is one, and from running the layer."""
    if layer is None or embedding is None:
        return Trace(missing=f"no layer of ours to run: {why}")
    count = count_parameters(layer)
    if count > LARGE:
        return Trace(missing=f"{count} parameters, more than are looked at")
    predicted, missing = _by_form(layer, series, embedding)
    if not limits.probes:
        return Trace(predicted, None, missing or "not measured")
    driven = Driven(series.values, embedding.mixing)
    with double_precision(True):
        measured = measured_trace(layer, driven, seed=limits.seed, probes=limits.probes)
    if not math.isfinite(measured.value):
        return Trace(predicted, None, "the layer's outputs are not finite numbers")
    if measured.steps < series.values.shape[1]:
        cut = (
            f"measured over the first {measured.steps} steps of each window, as the layer "
            "is large"
        )
        missing = f"{missing}; {cut}" if missing else cut
    return Trace(predicted, measured, missing)


def _by_form(
    layer: Layer, series: Series, embedding: Embedding
) -> tuple[dict[str, float], str]:
    """Return the trace by parameter, and a remark on missing or assumed values."""
    if isinstance(layer, RGLRU):
        if layer.state_size > MOST_NEURONS:
            return (
                {},
                f"no closed form of more than {MOST_NEURONS} neurons is evaluated",
            )
        trace = gated_trace(layer, series, embedding)
        return (
            trace,
            "the closed form is that of Gaussian inputs that are white in time",
        )
    if isinstance(layer, Selective):
        return {}, (
            "no closed form: the theory of gates ends at the state, which the input "
            "multiplies once more before it is read"
        )
    if not isinstance(layer, ELEMENTWISE):
        why = (
            "gates see the state" if not layer.linear else "a parameter moves all modes"
        )
        return {}, f"no closed form of {type(layer).__name__}: {why}"
    size = layer.state_size * series.values.shape[1]
    if size > MOST_NUMBERS:
        return {}, f"no closed form is evaluated for {size} states times steps"
    try:
        with double_precision(True):
            trace = predicted_trace(layer, Driven(series.values, embedding.mixing))
    except ValueError as error:
        return {}, f"no closed form: {error}"
    return trace, "by log(-Re A), whatever the file holds" if isinstance(
        layer, S5
    ) else ""


def first_failing(
    layer: LayerChecked, moments: Moments, tolerance: float
) -> list[str | None]:
    """Return the first assumption that fails, for each mode.

    An assumption fails if predicted over measured differs from one by more than the
    tolerance.

    Args:
        layer: Audit of a layer.
        moments: One quantity of this layer.
        tolerance: Largest accepted relative error.

    Returns:
        For each mode the name of the assumption, an empty text if none fails, or None if
        there is no prediction.
    """
    ratios = moments.predicted / moments.measured
    off = np.abs(ratios - 1) > tolerance
    failures: list[str | None] = []
    cut = np.zeros(off.shape[1], bool)
    if moments.reached is not None:
        cut = np.abs(moments.reached - 1) > tolerance
    for column, ratio, early in zip(off.T, ratios.T, cut, strict=True):
        names = ["infinite"] * bool(early)
        names += [name for name, bad in zip(layer.rungs, column, strict=True) if bad]
        failures.append(None if np.isnan(ratio).all() else (names or [""])[0])
    return failures
