"""Arrays for the pictures of an audit, and what they show in words."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr


def dataset(layer: Mapping[str, Any], found: Mapping[str, Any]) -> xr.Dataset:
    """Return the data that ``sigprop.figures.checkpoints`` draws of a layer.

    Args:
        layer: One of ``layers`` of ``report.as_json``.
        found: All of it.
    """
    modes, names = layer["modes"], [one["quantity"] for one in layer["moments"]]
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
            "steps": found["series"]["steps"],
            "tolerance": found["settings"]["tolerance"],
        },
    )


def _plain(value: float | None) -> float:
    return math.nan if value is None else value


def _over(above: float | None, below: float | None) -> float:
    return above / below if above is not None and below else math.nan


def labels(layer: Mapping[str, Any]) -> dict[str, str]:
    """By panel, what its picture shows, for those who do not see it."""
    modes = layer["modes"]
    told = Counter(mode["quantities"]["state"]["fails"] for mode in modes)
    words = {"": "no assumption", None: "no prediction"}
    fails = ", ".join(f"{words.get(k, k)} {n}" for k, n in told.most_common())
    times = [_plain(mode["memory"]) for mode in modes]
    name = layer["layer"]
    where = "Eigenvalues of {} in the complex plane, {} modes"
    head = where.format(name, len(modes))
    ratios = "; ".join(
        f"{one['quantity']} median {_plain(one['ratios'][layer['rungs'][0]]):.3g}"
        for one in layer["moments"][:2]
    )
    return {
        "fails": f"{head}, by the first assumption that fails for the state: {fails}",
        "memory": f"{head}, by memory, from {min(times):.3g} to {max(times):.3g} steps",
        "ratio": f"Predicted over measured of {name}, under the least assumption, over the "
        f"memory of each mode: {ratios}",
    }


def margins(found: Mapping[str, Any]) -> xr.Dataset:
    """Return the data for ``sigprop.figures.checkpoints.draw_margins``."""

    def column(name: str) -> tuple[str, np.ndarray]:
        held = [one["margin"][name] for one in found["layers"]]
        return "layer", np.array([math.inf if x is None else x for x in held])

    names = {
        "fastest": "fastest",
        "median": "median",
        "slowest": "memory",
        "longest": "longest",
    }
    return xr.Dataset(
        {to: column(of) for to, of in names.items()},
        {"layer": [one["layer"] for one in found["layers"]]},
        {"steps": found["series"]["steps"]},
    )


def margins_label(found: Mapping[str, Any]) -> str:
    """What the picture of all margins shows."""
    data = margins(found)
    slow = data["slowest"].values
    seen = slow[np.isfinite(slow)]
    ends = f"from {seen.min():.3g} to {seen.max():.3g} steps" if seen.size else "none"
    return (
        f"Memories of {data.sizes['layer']} layers at rest; the slowest mode of each: {ends}"
        + f"; {int((~np.isfinite(slow)).sum())} without an end"
        * bool(seen.size < slow.size)
    )
