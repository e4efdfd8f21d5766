"""Forecasts beside the true series, and their errors beside those that need no network."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

SHOWN = 6  # forecasts one after another, none over another
COLOURS = {
    "model": style.BLUE,
    "linear": style.ORANGE,
    "season": style.GREEN,
    "last value": style.PURPLE,
    "climatology": style.GREY,
}
CAPTION = (
    "A: one after another, none over another, of the first seed; shaded, 5 % to 95 % of "
    "what was left over on the validation rows; on the test {covered:.0f} % lie inside. "
    "B, C: mean squared errors of all test windows, in scaled units; of the model the mean "
    "over {seeds} seed{s}. D: the validation, a ring where it was best"
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """Series, errors by step and by feature, and the course of the training.

    Args:
        data: By ``window``, ``step`` and ``feature``: ``forecast`` and ``truth``; by the
            last two ``lower``, ``upper`` and ``coverage``; ``mse`` by ``seed``,
            ``forecaster``, ``step`` and ``feature``; ``step_trained`` and
            ``validation_mse`` by ``seed`` and ``look``; the attribute ``every``.
        title: What was trained.
    """
    with style.styled():
        drawn = style.figure(4.8)
        grid = drawn.add_gridspec(2, 3)
        series = drawn.add_subplot(grid[0, :])
        _series(series, data)
        by_step, by_feature, course = (
            drawn.add_subplot(grid[1, place]) for place in range(3)
        )
        _by_step(by_step, data["mse"].mean(("seed", "feature")))
        _by_feature(by_feature, data["mse"].mean(("seed", "step")))
        _course(course, data)
        feature = str(data["feature"].values[-1])
        heads = (
            f"{feature}, in its own units",
            "MSE by step",
            "MSE by feature",
            "validation MSE",
        )
        panels = (series, by_step, by_feature, course)
        for axes, letter, head in zip(panels, "abcd", heads, strict=True):
            style.letter(axes, letter, head)
        drawn.suptitle(title, fontsize=8)
        seeds = data.sizes["seed"]
        told = {"seeds": seeds, "s": "s" * (seeds != 1)}
        covered = 100 * float(data["coverage"].isel(feature=-1).mean())
        style.caption(drawn, CAPTION.format(covered=covered, **told))
    return drawn


def _series(axes: Axes, data: xr.Dataset) -> None:
    """The last feature: what was forecast at the last step of one is before the next."""
    one = data.isel(feature=-1)
    horizon, every = one.sizes["step"], int(data.attrs["every"])
    apart = -(-horizon // every)
    first = max(0, min(one.sizes["window"] // 2, one.sizes["window"] - SHOWN * apart))
    starts = np.arange(first, one.sizes["window"], apart)[:SHOWN]
    steps = np.arange(horizon)
    for number, start in enumerate(starts):
        window = one.isel(window=int(start))
        at = (start - first) * every + steps
        told = number == 0
        axes.plot(
            at, window["truth"], color=style.BLACK, label="true" if told else None
        )
        axes.plot(
            at,
            window["forecast"],
            color=style.BLUE,
            label="forecast" if told else None,
        )
        axes.fill_between(
            at,
            window["forecast"] + one["lower"],
            window["forecast"] + one["upper"],
            color=style.SKY,
            alpha=0.35,
            linewidth=0,
        )
        axes.axvline(at[0], color=style.GREY, linewidth=0.4)
    since = str(np.datetime_as_string(one["window"].values[starts[0]], "m"))
    axes.set_xlabel(f"rows since {since.replace('T', ' ')}")
    axes.legend(loc="upper right", ncols=2)


def _by_step(axes: Axes, errors: xr.DataArray) -> None:
    for name, colour in COLOURS.items():
        one = errors.sel(forecaster=name)
        if one.notnull().any():
            axes.plot(one["step"], one, color=colour, label=name)
    axes.set_xlabel("step of the forecast")
    style.plain_log(axes)
    axes.legend(fontsize=5.5)


def _by_feature(axes: Axes, errors: xr.DataArray) -> None:
    """The features with the largest errors of the model, ten at most."""
    order = np.argsort(-errors.sel(forecaster="model").values)[:10]
    shown = errors.isel(feature=np.sort(order))
    at = np.arange(shown.sizes["feature"])
    for name, colour in COLOURS.items():
        one = shown.sel(forecaster=name)
        axes.plot(one, at, "o", color=colour, markersize=3)
    axes.set_yticks(at, [str(name) for name in shown["feature"].values])
    axes.invert_yaxis()
    axes.set_xscale("log")


def _course(axes: Axes, data: xr.Dataset) -> None:
    for number in range(data.sizes["seed"]):
        run = data.isel(seed=number)
        colour = style.SEQUENCE[number % len(style.SEQUENCE)]
        steps, errors = run["step_trained"].values, run["validation_mse"].values
        axes.plot(steps, errors, ".-", color=colour, label=f"seed {int(run['seed'])}")
        best = int(np.nanargmin(errors))
        axes.plot(steps[best], errors[best], "o", color=colour, fillstyle="none", ms=6)
    axes.set_xlabel("training step")
    axes.legend(fontsize=5.5)
