"""Speed of sigprop relative to other methods and to the limits of the machine.

The numbers come from the stored results of the studies of speed.  Each of these studies first
checks that its methods agree.  A ratio is the time of another method over that of sigprop, in
the same repeat.  Commands are compared with the import of JAX.
"""

import math
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

MULTIPLY_ADDS = 12  # per step of a complex neuron: state, sensitivity, both squares
STUDIES = (
    "speed_limits",
    "speed_moments",
    "speed_layers",
    "speed_losses",
    "speed_training",
    "speed_hessians",
    "speed_commands",
    "speed_sizes",
    "forecast_speed",
)
FORMS = {"usual": "associative scan", "scan": "lax.scan", "tanh": "a dense tanh RNN"}


class Comparison(NamedTuple):
    """Seconds of sigprop and of another method, for each repeat."""

    part: str
    setting: str
    other: str
    ours: Float[np.ndarray, " repeats"]
    others: Float[np.ndarray, " repeats"]

    @property
    def ratios(self) -> Float[np.ndarray, " repeats"]:
        """Seconds of the other method relative to sigprop's."""
        return self.others / self.ours


def comparisons(results: dict[str, xr.Dataset]) -> list[Comparison]:
    """Return all comparisons in some results, study by study.

    Args:
        results: Stored results by the names of their studies.  Missing studies are left out.
    """
    readers = {
        "speed_moments": _moments,
        "speed_layers": _layers,
        "speed_losses": _losses,
        "speed_training": _training,
        "speed_hessians": _hessians,
        "speed_commands": _commands,
        "forecast_speed": _forecasts,
    }
    return [
        comparison
        for study, read in readers.items()
        if study in results
        for comparison in read(results[study])
    ]


def _moments(data: xr.Dataset) -> list[Comparison]:
    ours, *others = data["way"].values.tolist()
    setting = f"{data.attrs['neurons']} neurons, {data.attrs['sequences']} x "
    setting += f"{data.attrs['length']} steps"
    return [
        Comparison(
            "moments", setting, other.replace("_", " "), *_ways(data, ours, other)
        )
        for other in others
    ]


def _ways(data: xr.Dataset, *ways: str) -> tuple[Float[np.ndarray, " repeats"], ...]:
    """Return the seconds of some methods, in the repeats that have all of them."""
    seconds = data["seconds"].sel(way=list(ways)).dropna("repeat")
    return tuple(seconds.sel(way=way).values for way in ways)


def _layers(data: xr.Dataset) -> list[Comparison]:
    """Return the timings of the LRU at each length."""
    timings = []
    for length in data["length"].values.tolist():
        table = data.sel(length=length)
        for way in ("usual", "scan"):
            ours, others = _ways(table, "engine", way)
            if ours.size:
                setting = f"{length} steps"
                timings.append(
                    Comparison("LRU layer", setting, FORMS[way], ours, others)
                )
    return timings


def _losses(data: xr.Dataset) -> list[Comparison]:
    timings = []
    for student in data["student"].values.tolist():
        seconds = data["seconds"].sel(student=student)
        pair = (seconds.sel(loss=loss).values for loss in ("population", "sampled"))
        timings.append(Comparison("exact training step", student, "sampled", *pair))
    return timings


def _training(data: xr.Dataset) -> list[Comparison]:
    about = f"{data.attrs['depth']} blocks, {data.attrs['length']} steps"
    return [
        Comparison(
            "deep network's step", about, FORMS[way], *_ways(data, "engine", way)
        )
        for way in ("usual", "tanh")
    ]


def _hessians(data: xr.Dataset) -> list[Comparison]:
    count = data.attrs["parameters"]
    seconds = data["seconds"]
    ours = seconds.sel(route="closed form").values
    columns = seconds.sel(route="a column by simulation").values * count
    return [Comparison("Hessian", f"{count} parameters", "simulation", ours, columns)]


def _commands(data: xr.Dataset) -> list[Comparison]:
    timings = []
    for command in data["command"].values.tolist():
        row = data.sel(command=command)
        pair = row["seconds"].values, row["imports"].values
        timings.append(Comparison("command", f"sigprop {command}", "import jax", *pair))
    return timings


def _forecasts(data: xr.Dataset) -> list[Comparison]:
    """Return the timings of BLUR and other layers at the longest horizon."""
    last = data.isel(horizon=-1)
    about = f"{int(last['horizon'])} rows"
    seconds = last["seconds"]
    timings = [
        Comparison("BLUR's forecast", about, name, *_pair(seconds, "model", name))
        for name in data["model"].values.tolist()
        if name != "blur"
    ]
    for task in data["task"].values.tolist():
        seconds = data["step_seconds"].sel(task=task)
        timings += [
            Comparison("BLUR's step", task, name, *_pair(seconds, "trained", name))
            for name in data["trained"].values.tolist()
            if name != "blur"
        ]
    return timings


def _pair(
    seconds: xr.DataArray, dimension: str, other: str
) -> tuple[Float[np.ndarray, " repeats"], Float[np.ndarray, " repeats"]]:
    """Return the seconds of BLUR and of another layer for each repeat."""
    ours, others = (seconds.sel({dimension: name}).values for name in ("blur", other))
    return ours, others


def share_of_limit(results: dict[str, xr.Dataset]) -> float:
    """Return the rate of multiply-adds of the moments, relative to the machine's limit.

    NaN if one of the two was not measured.
    """
    if not {"speed_limits", "speed_moments"} <= results.keys():
        return math.nan
    limit = limits(results).get("multiply_adds", math.nan)
    rate = results["speed_moments"]["rate"].sel(way="kernel")
    return float(MULTIPLY_ADDS * rate / limit)


def rows(results: dict[str, xr.Dataset]) -> list[dict[str, str | float]]:
    """Return the comparisons as rows: ratios and seconds, with medians over repeats."""
    return [
        {
            "part": comparison.part,
            "what": comparison.setting,
            "other": comparison.other,
            "ratio": float(np.median(comparison.ratios)),
            "least": float(comparison.ratios.min()),
            "most": float(comparison.ratios.max()),
            "seconds": float(np.median(comparison.ours)),
            "repeats": len(comparison.ours),
        }
        for comparison in comparisons(results)
    ]


def limits(results: dict[str, xr.Dataset]) -> dict[str, float]:
    """Return the largest measured rates of the machine."""
    if "speed_limits" not in results:
        return {}
    rates = results["speed_limits"]["rate"].max("repeat").dropna("limit")
    return {str(name): float(rates.sel(limit=name)) for name in rates["limit"].values}


def conclusions(results: dict[str, xr.Dataset]) -> list[str]:
    """Return sentences on the machine, its limits, and the growth of time with size."""
    sentences = []
    if "speed_limits" in results:
        about = results["speed_limits"].attrs
        sentences.append(
            f"{about['cores']} cores, programs of {about['vector']} bytes a vector"
        )
    for name, rate in limits(results).items():
        sentences.append(f"{name.replace('_', ' ')}: {rate / 1e9:.3g} G a second")
    if "speed_sizes" in results:
        data = results["speed_sizes"]
        for task in data["task"].values:
            grown = data.sel(task=task)
            powers = [
                f"{axis}^{float(grown['seconds_power'].sel(axis=axis)):.2f}"
                for axis in data["axis"].values
            ]
            sentences.append(f"{task}: time grows as {', '.join(powers)}")
    if "forecast_speed" in results:
        data = results["forecast_speed"]
        for model in data["model"].values.tolist():
            low, power, high = data["power"].sel(model=model).values
            sentences.append(
                f"a forecast by {model}: time grows as horizon^{power:.2f} ({low:.2f} to "
                f"{high:.2f})"
            )
    share = share_of_limit(results)
    if not math.isnan(share):
        sentences.append(f"the moments' kernel: {share:.0%} of these multiply-adds")
    return sentences
