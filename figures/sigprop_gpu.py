"""A figure of sigprop, not from a paper: the check of a GPU."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    dict.fromkeys("abcd", "gpu_check"), "A check of numbers and speeds on a GPU"
)
LEAST = 1e-17  # smaller differences are drawn here
FAR = 5.0  # standard errors
MULTIPLY_ADDS = 8  # a step of a complex neuron: state and sensitivity
COLOURS = {"state": style.BLUE, "sensitivity": style.ORANGE}
PASSES = {"forward": "forward", "backward": "gradients"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """A has differences of numbers, B errors of moments, C rates and D times.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results["gpu_check"]
    panels = {"a": _gates, "b": _scores, "c": _rates, "d": _times}
    with style.styled():
        rows = -(-len(letters) // 2)
        figure = style.figure(2.3 * rows + 0.3)
        grid = figure.subplots(rows, min(2, len(letters)), squeeze=False)
        for axes, letter in zip(grid.flat, letters, strict=True):
            if _measured(data, letter):
                panels[letter](axes, data)
            else:  # all its parts of the check were stopped at their limits
                axes.set(xticks=[], yticks=[])
                style.letter(axes, letter, "not measured")
        notes = [NOTES[letter].format(**data.attrs) for letter in letters]
        style.caption(figure, f"Measured on {_device(data)}. {' '.join(notes)}")
    return figure


VARIABLES = {
    "a": ("apart",),
    "b": ("score",),
    "c": ("rate",),
    "d": ("scan_seconds", "step_seconds", "hessian_seconds"),
}
NOTES = {
    "a": "A: the largest difference of the GPU kernel from the scan and of its random numbers "
    "from JAX's, relative to the largest number; lines are what is allowed.",
    "b": "B: simulated second moments of each neuron minus their closed forms.",
    "c": "C: points are repeats; the line is the most that the device's multiply-adds allow.",
    "d": "D: a layer of {scan_length} steps, a training step of {task_batch} sequences of "
    "{task_length} tokens, and the exact Hessian for {hidden} neurons; points are repeats.",
}


def _device(data: xr.Dataset) -> str:
    about = {"device": f"{data.attrs['platform']}: {data.attrs['checked']}"}
    return phrases.machine(about | {"cores": data.attrs.get("cores", "some")})


def _measured(data: xr.Dataset, letter: str) -> bool:
    return any(np.isfinite(data[name]).any() for name in VARIABLES[letter])


def _points(axes: Axes, rows: dict[str, np.ndarray], colours: list[str]) -> None:
    """Draw a row of points for each name, the first on top, on a log axis."""
    for row, (values, colour) in enumerate(zip(rows.values(), colours, strict=True)):
        axes.scatter(values, np.full(values.shape, row), s=8, color=colour)
    axes.set_xscale("log")
    axes.set_ylim(len(rows) - 0.5, -0.7)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.tick_params(axis="y", length=0)


def _whole_decades(axes: Axes) -> None:
    """Let a log axis begin and end at powers of ten, and name these alone."""
    low, high = np.log10(axes.get_xlim())
    axes.set_xlim(10.0 ** np.floor(low), 10.0 ** np.ceil(high))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _gates(axes: Axes, data: xr.Dataset) -> None:
    rows, allowed = {}, []
    for name in data["precision"].values:
        own = data.sel(precision=name)
        for kind in data["spectrum"].values:
            rows[f"{kind}, {name}"] = own["apart"].sel(spectrum=kind).values.ravel()
        rows[f"draws, {name}"] = own["draws_apart"].values.ravel()
        allowed += [float(own["allowed"])] * (1 + own.sizes["spectrum"])
    rows = {name: np.maximum(values, LEAST) for name, values in rows.items()}
    _points(axes, rows, [style.BLUE] * len(rows))
    for row, most in enumerate(allowed):
        axes.plot([most, most], [row - 0.35, row + 0.35], color=style.BLACK)
    axes.set_xlim(LEAST / 3, 1e-3)
    axes.set_xlabel("relative difference")
    style.letter(axes, "a", "equal numbers")


def _scores(axes: Axes, data: xr.Dataset) -> None:
    neurons = 1 + np.arange(data.sizes["neuron"])
    for name, colour in COLOURS.items():
        score = data["score"].sel(moment=name)
        axes.plot(neurons, score, "o", color=colour, markersize=2.5, label=name)
    for edge in (-FAR, FAR):
        axes.axhline(edge, color=style.BLACK, linewidth=0.6)
    axes.set(xlabel="neuron", ylabel="difference, standard errors")
    axes.set_ylim(-1.7 * FAR, 1.7 * FAR)
    axes.legend(loc="upper right", ncols=2)
    style.letter(axes, "b", "errors of moments")


def bound(data: xr.Dataset) -> float:
    """Neuron-steps a second that the measured multiply-adds allow."""
    limit = data["limit"].sel(limited="multiply_adds").max("repeat")
    return float(limit) / MULTIPLY_ADDS


def _rates(axes: Axes, data: xr.Dataset) -> None:
    routes = {
        str(name): data["rate"].sel(route=name).values for name in data["route"].values
    }
    _points(axes, routes, [style.BLUE, style.GREY])
    axes.axvline(bound(data), color=style.BLACK, linewidth=0.6)
    _whole_decades(axes)
    axes.set_xlabel("neuron-steps a second")
    style.letter(axes, "c", "rate of moments")


def _times(axes: Axes, data: xr.Dataset) -> None:
    rows = {}
    for name, text in PASSES.items():
        for way in data["way"].values:
            values = data["scan_seconds"].sel({"pass": name, "way": way}).values
            rows[f"{text}, {'our scan' if way == 'engine' else way}"] = values
    for model in data["model"].values:
        rows[f"training step, {model}"] = data["step_seconds"].sel(model=model).values
    rows["exact Hessian"] = data["hessian_seconds"].values
    colours = [style.BLUE, style.GREY] * len(PASSES)
    colours += [style.GREEN] * data.sizes["model"] + [style.PURPLE]
    _points(axes, rows, colours)
    _whole_decades(axes)
    axes.set_xlabel("time, s")
    style.letter(axes, "d", "times")


def shown(results: style.Results) -> str:
    """The differences of numbers, the rate of moments, and how many claims are right."""
    data = results["gpu_check"]
    apart = (data[name] / data["allowed"] for name in ("apart", "draws_apart"))
    most = max(float(ratio.max()) for ratio in apart)
    score = float(np.abs(data["score"]).max())
    rate = float(data["rate"].median("repeat").sel(route="kernel"))
    seconds = data["scan_seconds"].median("repeat").sel({"pass": "backward"})
    gain = float(seconds.sel(way="associative") / seconds.sel(way="engine"))
    judged, right = data["claims"].values
    claims = (
        "The claims were not judged."
        if np.isnan(judged)
        else f"Of {judged:.0f} claims, {right:.0f} are judged as expected."
    )
    return (
        f"Kernel and scan differ by {most:.2g} of what is allowed, and moments are within "
        f"{score:.1f} standard errors of their closed forms. The kernel takes "
        f"{style.number(rate)} neuron-steps a second, {rate / bound(data):.2g} of the device's "
        f"limit, and gradients take {gain:.2g} times as long with an associative scan. {claims}"
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-gpu")
