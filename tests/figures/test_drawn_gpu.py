"""The picture of a GPU's check: differences, errors of moments, rates and times."""

import numpy as np
import pytest

from sigprop.figures import sigprop_gpu, style
from tests.figures import scrambled


def test_differences_stand_beside_what_is_allowed(show):
    data = scrambled.gpu_check()
    data["draws_apart"].values[0] = 0.0
    (panel,), _ = show("sigprop-gpu", "a", gpu_check=data)
    names = []
    for name in ("float32", "float64"):
        own = data.sel(precision=name)
        kinds = {kind: own["apart"].sel(spectrum=kind) for kind in ("real", "complex")}
        for kind, apart in (kinds | {"draws": own["draws_apart"]}).items():
            row = len(names)
            x = max(float(apart), sigprop_gpu.LEAST)
            panel.points([x], [row], style.BLUE)
            panel.curve(
                [float(own["allowed"])] * 2, [row - 0.35, row + 0.35], style.BLACK
            )
            names.append(f"{kind}, {name}")
    assert [text.get_text() for text in panel.axes.get_yticklabels()] == names
    panel.done("log", x="relative difference")


def test_errors_of_moments_are_in_standard_errors(show):
    (panel,), data = show("sigprop-gpu", "b")
    for name, colour in (("state", style.BLUE), ("sensitivity", style.ORANGE)):
        score = data["score"].sel(moment=name)
        panel.curve(range(1, 9), score, colour, marker="o", label=name)
    for edge in (-5, 5):
        panel.level(edge, style.BLACK)
    panel.done(x="neuron", y="difference, standard errors")


def test_rates_stand_beside_the_limit_of_the_device(show):
    (panel,), data = show("sigprop-gpu", "c")
    for row, (name, colour) in enumerate(
        (("kernel", style.BLUE), ("scan", style.GREY))
    ):
        rate = data["rate"].sel(route=name)
        panel.points(rate, np.full(rate.size, row), colour)
    most = data["limit"].sel(limited="multiply_adds").max()
    panel.upright(float(most) / 8, style.BLACK)
    panel.done("log", x="neuron-steps a second")


@pytest.mark.parametrize("letter", "abcd")
def test_a_panel_whose_parts_were_stopped_says_so(letter):
    data = scrambled.gpu_check()
    for values in data.data_vars.values():
        if values.dtype.kind == "f":
            values.values[:] = np.nan
    figure = sigprop_gpu.draw({"gpu_check": data}, letter)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_title(loc="left").endswith("not measured")


@pytest.mark.parametrize("missing", [False, True])
def test_times_are_a_row_of_points_each(show, missing):
    data = scrambled.gpu_check()
    if missing:
        data["step_seconds"].values[:] = np.nan
    (panel,), _ = show("sigprop-gpu", "d", gpu_check=data)
    scans = [
        data["scan_seconds"].sel({"pass": name, "way": way})
        for name in ("forward", "backward")
        for way in ("engine", "associative")
    ]
    rows = [*scans, *data["step_seconds"], data["hessian_seconds"]]
    colours = [style.BLUE, style.GREY] * 2 + [style.GREEN] * 3 + [style.PURPLE]
    for row, (times, colour) in enumerate(zip(rows, colours, strict=True)):
        known = np.where(np.isfinite(times), row, np.nan)  # else neither is drawn
        panel.points(times, known, colour)
    labels = [text.get_text() for text in panel.axes.get_yticklabels()]
    assert labels[:4:2] == ["forward, our scan", "gradients, our scan"]
    assert labels[1:4:2] == ["forward, associative", "gradients, associative"]
    assert labels[4:] == [
        *(f"training step, {model}" for model in data["model"].values),
        "exact Hessian",
    ]
    panel.done("log", x="time, s")
    said = style.notes(panel.axes.get_figure(root=True))
    assert said.startswith("Measured on NVIDIA H100.")
    assert "a layer of 16384 steps" in said
    assert "32 sequences of 2048 tokens" in said
    assert "256 neurons" in said
