"""Data for the figures of a report, histograms as text, and descriptions of figures."""

import math
from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from sigprop.networks.foreign import Rest
from sigprop.networks.foreign.family import time_constant

MOST = 512  # modes of a layer that are kept to be drawn
BINS = 12  # of a picture, in each decade
BARS = " ▁▂▃▄▅▆▇█"


class Modes(NamedTuple):
    """At most ``MOST`` modes of a layer at zero input, from the fastest to the slowest.

    Attributes:
        nu: Decay rates ``-log|lam|``.
        phases: Phases in radians, or None if the eigenvalues are real and positive.
    """

    nu: Float[np.ndarray, " modes"]
    phases: Float[np.ndarray, " modes"] | None

    @property
    def times(self) -> Float[np.ndarray, " modes"]:
        """Time constants in steps; infinite if a mode does not decay."""
        return time_constant(self.nu)


def chosen(rest: Rest) -> Modes:
    """Choose modes with evenly spaced ranks, which represent the distribution of all.

    Args:
        rest: Eigenvalues of a layer at zero input.  Modes with NaN are ignored.
    """
    nu = rest.nu.reshape(-1)
    theta = None if rest.theta is None else rest.theta.reshape(-1)
    known = np.flatnonzero(~np.isnan(nu) if theta is None else np.isfinite(nu + theta))
    ranked = known[np.argsort(-nu[known], kind="stable")]
    count = min(MOST, len(ranked))
    places = ranked[np.linspace(0, len(ranked) - 1, count).round().astype(int)]
    return Modes(nu[places], None if theta is None else theta[places])


def decades(layers: list[Modes], length: int | None) -> int:
    """Return the number of decades from one step to the largest time constant.

    Args:
        layers: Modes of every layer.
        length: Number of steps of the sequences, if known.  The decades include it.

    Example:
        >>> decades([Modes(np.array([0.1, 0.004, 0.0]), None)], 2048)
        4
    """
    longest = [of.times[np.isfinite(of.times)].max(initial=1) for of in layers]
    return max(1, math.ceil(math.log10(max([*longest, length or 1]))))


def line(times: Float[np.ndarray, " modes"], width: int, tens: int) -> str:
    """Return a histogram of time constants as a line of text.

    The axis is logarithmic and starts at one step.  The highest bar is a full block.

    Args:
        times: Time constants of a layer, in steps.
        width: Number of characters.
        tens: Number of decades of the axis.

    Example:
        >>> line(np.array([1.0, 12, 13, 15, 20, 90, 95]), 4, 2)
        '▂ █▄'
    """
    bars, _ = np.histogram(times, np.logspace(0, tens, width + 1))
    heights = np.ceil((len(BARS) - 1) * bars / max(bars.max(), 1)).astype(int)
    return "".join(BARS[height] for height in heights)


def histograms(names: list[str], layers: list[Modes], length: int | None) -> xr.Dataset:
    """Return the data that ``sigprop.figures.checkpoints.draw_times`` draws.

    Args:
        names: Names of the layers.
        layers: Modes of each layer.
        length: Number of steps of the sequences, if known.
    """
    tens = decades(layers, length)
    edges = np.logspace(0, tens, BINS * tens + 1)
    shares = [np.histogram(of.times, edges)[0] / max(len(of.nu), 1) for of in layers]
    middles = [np.median(of.times) if len(of.nu) else np.nan for of in layers]
    endless = [np.isinf(of.times).sum() / max(len(of.nu), 1) for of in layers]
    return xr.Dataset(
        {
            "share": (("layer", "bin"), np.array(shares)),
            "median": ("layer", middles),
            "endless": ("layer", endless),
            "edge": ("end", edges),
        },
        {"layer": names},
        {} if length is None else {"steps": length},
    )


def eigenvalues(modes: Modes, steps: int) -> xr.Dataset:
    """Return the data for the panel ``memory`` of ``sigprop.figures.checkpoints.draw``.

    Args:
        modes: Modes of a layer with phases.
        steps: Number of steps of the sequences; the colours show the ratio of a time
            constant to it.

    Raises:
        ValueError: If the modes have no phases.
    """
    if modes.phases is None:
        raise ValueError("need complex eigenvalues, got a layer without phases")
    lam = np.exp(-modes.nu + 1j * modes.phases)
    values = {"re": np.real(lam), "im": np.imag(lam), "memory": modes.times}
    return xr.Dataset(
        {name: ("mode", array) for name, array in values.items()},
        attrs={"steps": steps},
    )


def label(names: list[str], layers: list[Modes]) -> str:
    """Describe the histograms in words, for screen readers.

    Args:
        names: Names of the layers.
        layers: Modes of each layer.
    """
    ends = [
        f"{name} from {of.times.min(initial=np.inf):.3g} to {of.times.max(initial=0):.3g}"
        for name, of in zip(names, layers, strict=True)
    ]
    return f"Time constants in steps: {'; '.join(ends)}"
