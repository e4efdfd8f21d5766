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
        figure = style.figure(4.8)
        grid = figure.add_gridspec(2, 3)
        series = figure.add_subplot(grid[0, :])
        _series(series, data)
        by_step, by_feature, course = (
            figure.add_subplot(grid[1, column]) for column in range(3)
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
        figure.suptitle(title, fontsize=8)
        seeds = data.sizes["seed"]
        counts = {"seeds": seeds, "s": "s" * (seeds != 1)}
        covered = 100 * float(data["coverage"].isel(feature=-1).mean())
        style.caption(figure, CAPTION.format(covered=covered, **counts))
    return figure


def _series(axes: Axes, data: xr.Dataset) -> None:
    """The last feature: what was forecast at the last step of one is before the next."""
    target = data.isel(feature=-1)
    horizon, every = target.sizes["step"], int(data.attrs["every"])
    apart = -(-horizon // every)
    first = max(
        0, min(target.sizes["window"] // 2, target.sizes["window"] - SHOWN * apart)
    )
    starts = np.arange(first, target.sizes["window"], apart)[:SHOWN]
    steps = np.arange(horizon)
    for number, start in enumerate(starts):
        window = target.isel(window=int(start))
        at = (start - first) * every + steps
        in_legend = number == 0
        axes.plot(
            at, window["truth"], color=style.BLACK, label="true" if in_legend else None
        )
        axes.plot(
            at,
            window["forecast"],
            color=style.BLUE,
            label="forecast" if in_legend else None,
        )
        axes.fill_between(
            at,
            window["forecast"] + target["lower"],
            window["forecast"] + target["upper"],
            color=style.SKY,
            alpha=0.35,
            linewidth=0,
        )
        axes.axvline(at[0], color=style.GREY, linewidth=0.4)
    since = str(np.datetime_as_string(target["window"].values[starts[0]], "m"))
    axes.set_xlabel(f"rows since {since.replace('T', ' ')}")
    axes.legend(loc="upper right", ncols=2)


def _by_step(axes: Axes, errors: xr.DataArray) -> None:
    for name, colour in COLOURS.items():
        curve = errors.sel(forecaster=name)
        if curve.notnull().any():
            axes.plot(curve["step"], curve, color=colour, label=name)
    axes.set_xlabel("step of the forecast")
    style.plain_log(axes)
    axes.legend(fontsize=5.5)


def _by_feature(axes: Axes, errors: xr.DataArray) -> None:
    """The features with the largest errors of the model, ten at most."""
    order = np.argsort(-errors.sel(forecaster="model").values)[:10]
    shown = errors.isel(feature=np.sort(order))
    at = np.arange(shown.sizes["feature"])
    for name, colour in COLOURS.items():
        values = shown.sel(forecaster=name)
        axes.plot(values, at, "o", color=colour, markersize=3)
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
