"""Audit of a checkpoint as JSON, tables and sentences.

The JSON is one object with ``schema`` and ``version``.  NaN and infinity become null.  An
incompatible change of the format increases the version.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.table import Table

from sigprop.audit.foreign.check import Checked, LayerChecked, first_failing
from sigprop.audit.foreign.margin import Margin
from sigprop.audit.foreign.modes import STATE
from sigprop.audit.foreign.moments import Moments
from sigprop.networks.foreign.family import time_constant

SCHEMA, VERSION = "sigprop audit of a checkpoint", 1
TOLERANCE = 0.1  # of the ratio of predicted to measured, that still counts as theory
REASONS = {
    "": "theory holds",
    "stationary": "the series is not stationary",
    "infinite": "memory is cut by the window's length",
    "independent": "channels are correlated or unlike",
    "white": "inputs are not white",
    "AR(1)": "inputs are no Gaussian AR(1) series",
    "Gaussian, white": "inputs are not white",
}
"""Sentence for each assumption that can be the first to fail."""
FORMS = {
    "stationary": "lag weights of the window's length, with the autocovariance of what "
    "enters each mode",
    "infinite": "the same after an infinite past",
    "independent": "channels independent and alike",
    "white": "no correlation in time: |b|^2 R(0)/(1 - |lam|^2) for the state",
    "AR(1)": "the gates' own moments, for Gaussian inputs of the measured lag-one "
    "correlation",
    "Gaussian, white": "the same for Gaussian inputs that are independent in time",
}
"""Description of the prediction under each assumption."""


def number(value: float) -> float | None:
    """Return a number for JSON; ``None`` for NaN and infinity."""
    return float(value) if math.isfinite(value) else None


def as_json(checked: Checked, made_by: str) -> dict[str, Any]:
    """Return the audit as plain values for JSON.

    Args:
        checked: Audit that ``audit_checkpoint`` returned.
        made_by: Name and version of the program.
    """
    windows, steps, _ = checked.series.values.shape
    limits = checked.limits
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "program": made_by,
        "checkpoint": checked.checkpoint,
        "data": checked.data,
        "series": {
            "features": list(checked.series.names),
            "windows": windows,
            "steps": steps,
            "notes": list(checked.series.notes),
        },
        "settings": {
            "modes": limits.modes,
            "gated": limits.gated,
            "probes": limits.probes,
            "seed": limits.seed,
            "tolerance": TOLERANCE,
        },
        "conclusion": conclusion(checked),
        "forms": {
            rung: FORMS[rung]
            for rung in FORMS
            if any(rung in x.rungs for x in checked.layers)
        },
        "layers": [_layer(layer) for layer in checked.layers],
    }


def _layer(layer: LayerChecked) -> dict[str, Any]:
    fails = {m.quantity: first_failing(layer, m, TOLERANCE) for m in layer.moments}
    return {
        "layer": layer.layer,
        "family": layer.family,
        "library": layer.library,
        "kind": layer.kind,
        "inputs": layer.inputs,
        "notes": list(layer.notes),
        "margin": {
            name: number(value) if isinstance(value, float) else value
            for name, value in vars(layer.margin).items()
        },
        "margin_in_words": margin_sentence(layer.margin),
        "trace": _trace(layer),
        "rungs": list(layer.rungs),
        "moments": [_moments(layer, m) for m in layer.moments],
        "modes": [_mode(layer, n, fails) for n in range(len(layer.chosen.indices))],
    }


def _trace(layer: LayerChecked) -> dict[str, Any]:
    predicted, measured = layer.trace.predicted, layer.trace.measured
    return {
        "predicted": number(sum(predicted.values())) if predicted else None,
        "by_parameter": {name: number(value) for name, value in predicted.items()},
        "measured": None if measured is None else number(measured.value),
        "sem": None if measured is None else number(measured.sem),
        "probes": None if measured is None else measured.probes,
        "steps": None if measured is None else measured.steps,
        "missing": layer.trace.missing,
    }


def _moments(layer: LayerChecked, m: Moments) -> dict[str, Any]:
    """Return medians over modes, and the number of intervals with the first prediction."""
    ratios = m.predicted / m.measured
    medians = {
        rung: _median(row) for rung, row in zip(layer.rungs, ratios, strict=True)
    }
    first = m.predicted[0]
    predicted = any(ratio is not None for ratio in medians.values())
    inside = (m.low <= first) & (first <= m.high)
    cut = m.reached is not None and np.median(np.abs(m.reached - 1)) > TOLERANCE
    off = (
        rung
        for rung, ratio in medians.items()
        if ratio is not None and abs(ratio - 1) > TOLERANCE
    )
    fails = "infinite" if cut else next(off, "")
    return {
        "quantity": m.quantity,
        "measured": _median(m.measured),
        "ratios": medians,
        "within_interval": int(inside.sum()) if predicted else None,
        "modes": len(m.measured),
        "reached": None if m.reached is None else _median(m.reached),
        "fails": fails if predicted else None,
        "reason": REASONS[fails] if predicted else "no prediction",
    }


def _median(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if finite.size else None


def _mode(
    layer: LayerChecked, n: int, fails: Mapping[str, list[str | None]]
) -> dict[str, Any]:
    nu, theta = float(layer.chosen.nu[n]), float(layer.chosen.theta[n])
    return {
        "place": int(layer.chosen.indices[n]),
        "re": math.exp(-nu) * math.cos(theta),
        "im": math.exp(-nu) * math.sin(theta),
        "gap": -math.expm1(-nu),
        "theta": theta,
        "memory": number(float(time_constant(nu))),
        "driven_memory": number(layer.driven_time_constants[n])
        if layer.driven_time_constants
        else None,
        "quantities": {
            m.quantity: {
                "measured": number(m.measured[n]),
                "low": number(m.low[n]),
                "high": number(m.high[n]),
                "predicted": {
                    rung: number(row[n])
                    for rung, row in zip(layer.rungs, m.predicted, strict=True)
                },
                "reached": None if m.reached is None else number(m.reached[n]),
                "fails": fails[m.quantity][n],
            }
            for m in layer.moments
        },
    }


def margin_sentence(margin: Margin) -> str:
    """Describe the distance of a layer's modes to the unit circle in a sentence."""
    if margin.growing:
        return f"{margin.growing} of {margin.modes} modes grow: |lam| > 1"
    if margin.undamped:
        return f"{margin.undamped} of {margin.modes} modes never decay: |lam| = 1"
    longer = (
        f"{margin.step:.3g} steps longer" if math.isfinite(margin.step) else "infinite"
    )
    return (
        f"the slowest mode has 1 - |lam| = {margin.gap:.4g}, a time constant of "
        f"{margin.memory:.4g} steps; the next one that {margin.dtype} parameters can "
        f"represent is {longer}; {margin.dtype} moduli end at {margin.longest:.4g} steps, "
        f"{margin.spacings:.3g} representable values away"
    )


def trace_sentence(layer: LayerChecked) -> str:
    """Describe the predicted and the measured trace of the Hessian in a sentence."""
    parts, trace = [], layer.trace
    if trace.predicted:
        parts.append(f"predicted {sum(trace.predicted.values()):.4g}")
    if trace.measured is not None:
        parts.append(f"measured {trace.measured.value:.4g} ± {trace.measured.sem:.2g}")
    return ", ".join(parts) + (f" ({trace.missing})" if trace.missing else "")


def table(layer: LayerChecked) -> Table:
    """Return a table of medians over the modes of a layer, for a terminal."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("quantity", no_wrap=True)
    for name in ("measured", *layer.rungs, "in interval"):
        shown.add_column(name, justify="right")
    shown.add_column("first to fail")
    for m in layer.moments:
        row = _moments(layer, m)
        ratios = [_cell(row["ratios"][rung]) for rung in layer.rungs]
        inside = row["within_interval"]
        inside = "" if inside is None else f"{inside} of {row['modes']}"
        shown.add_row(
            m.quantity, _cell(row["measured"]), *ratios, inside, row["reason"]
        )
    return shown


READING = (
    "Measured: the median over modes of the mean square. The next columns are medians of "
    "predicted / measured; each adds one assumption. In interval: the number of modes whose "
    "95 % bootstrap interval contains the prediction of the first column."
)
"""Explanation of the columns of ``table``."""


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def conclusion(checked: Checked) -> str:
    """Count the modes that theory predicts, and the first assumptions to fail elsewhere."""
    failures: Counter[str] = Counter()
    least = 0
    for layer in checked.layers:
        for m in layer.moments:
            if m.quantity == STATE:
                names = first_failing(layer, m, TOLERANCE)
                failures.update("none" if x is None else REASONS[x] for x in names)
                off = np.abs(m.predicted[0] / m.measured - 1)
                least += int((off <= TOLERANCE).sum())
    unseen, count = failures.pop("none", 0), failures.total()
    exact = failures.pop(REASONS[""], 0)
    fails = ", ".join(f"{why} ({n})" for why, n in failures.most_common())
    return (
        f"Theory predicts the state of {least} of {count} modes within "
        f"{100 * TOLERANCE:g} % under the weakest assumption, and of {exact} modes under all "
        "assumptions."
        + (f" The first assumption to fail elsewhere: {fails}." if fails else "")
        + (f" {unseen} modes have no prediction." if unseen else "")
    )
