"""Data for the figures of an audit, and descriptions of the figures for screen readers."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr


def dataset(layer: Mapping[str, Any], report: Mapping[str, Any]) -> xr.Dataset:
    """Return the data of one layer for ``sigprop.figures.checkpoints``.

    Args:
        layer: Item of ``layers`` in the result of ``report.as_json``.
        report: Result of ``report.as_json``.
    """
    modes, names = layer["modes"], [moments["quantity"] for moments in layer["moments"]]
    first = layer["rungs"][0]

    def of(read: Any) -> np.ndarray:
        return np.array(
            [[read(mode["quantities"][name]) for mode in modes] for name in names]
        )

    def ratio(end: str) -> np.ndarray:
        return of(lambda q: _over(q["predicted"][first], q[end]))

    single = {
        name: ("mode", np.array([_plain(mode[name]) for mode in modes]))
        for name in ("re", "im", "memory")
    }
    both = ("quantity", "mode")
    fails = of(lambda q: "none" if q["fails"] is None else q["fails"])
    return xr.Dataset(
        single
        | {
            "fails": (both, fails),
            "ratio": (both, ratio("measured")),
            "low": (both, ratio("high")),
            "high": (both, ratio("low")),
        },
        {"quantity": names},
        {
            "steps": report["series"]["steps"],
            "tolerance": report["settings"]["tolerance"],
        },
    )


def _plain(value: float | None) -> float:
    return math.nan if value is None else value


def _over(above: float | None, below: float | None) -> float:
    return above / below if above is not None and below else math.nan


def labels(layer: Mapping[str, Any]) -> dict[str, str]:
    """Return a description of each panel for screen readers, by panel name."""
    modes = layer["modes"]
    failures = Counter(mode["quantities"]["state"]["fails"] for mode in modes)
    names_of_failures = {"": "no assumption", None: "no prediction"}
    fails = ", ".join(
        f"{names_of_failures.get(k, k)} {n}" for k, n in failures.most_common()
    )
    times = [_plain(mode["memory"]) for mode in modes]
    name = layer["layer"]
    where = "Eigenvalues of {} in the complex plane, {} modes"
    head = where.format(name, len(modes))
    ratios = "; ".join(
        f"{moments['quantity']} median {_plain(moments['ratios'][layer['rungs'][0]]):.3g}"
        for moments in layer["moments"][:2]
    )
    return {
        "fails": f"{head}, by the first assumption that fails for the state: {fails}",
        "memory": f"{head}, by memory, from {min(times):.3g} to {max(times):.3g} steps",
        "ratio": f"Predicted over measured of {name}, under the least assumption, over the "
        f"memory of each mode: {ratios}",
    }


def margins(report: Mapping[str, Any]) -> xr.Dataset:
    """Return the data for ``sigprop.figures.checkpoints.draw_margins``."""

    def column(name: str) -> tuple[str, np.ndarray]:
        values = [layer["margin"][name] for layer in report["layers"]]
        return "layer", np.array([math.inf if x is None else x for x in values])

    names = {
        "fastest": "fastest",
        "median": "median",
        "slowest": "memory",
        "longest": "longest",
    }
    return xr.Dataset(
        {to: column(of) for to, of in names.items()},
        {"layer": [layer["layer"] for layer in report["layers"]]},
        {"steps": report["series"]["steps"]},
    )


def margins_label(report: Mapping[str, Any]) -> str:
    """Describe the figure of all margins in words, for screen readers."""
    data = margins(report)
    slow = data["slowest"].values
    finite = slow[np.isfinite(slow)]
    ends = (
        f"from {finite.min():.3g} to {finite.max():.3g} steps"
        if finite.size
        else "none"
    )
    return (
        f"Memories of {data.sizes['layer']} layers at rest; the slowest mode of each: {ends}"
        + f"; {int((~np.isfinite(slow)).sum())} without an end"
        * bool(finite.size < slow.size)
    )
