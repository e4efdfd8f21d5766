"""Responses to impulses and spectra in a figure are the stored ones."""

import numpy as np
import pytest

from sigprop.figures import lru_4, lru_6, style
from tests.figures.scrambled import scrambled

RANGES = {"a": r"2\pi", "b": r"\pi/50", "c": r"2\pi"}


@pytest.mark.parametrize("panel", [None, "b"])
def test_responses_lie_between_their_envelopes(show, panel):
    panels, data = show("lru-4", panel)
    letters = panel or "abc"
    combinations = [(mode, letter) for mode in range(3) for letter in letters]
    for reading, (mode, letter) in zip(
        panels[: len(combinations)], combinations, strict=True
    ):
        case = data.isel(
            max_phase=int(letter == "b"), age=slice(1024 if letter == "c" else 16_384)
        )
        reading.curve(case["age"], case["state"].isel(mode=mode), lru_4.COLOURS[mode])
        for sign in (-1, 1):
            reading.curve(case["age"], sign * case["envelope"], style.GREY)
        phase = float(case["phase"][mode]) / np.pi
        reading.text(rf"$\theta = {phase:.2g}\,\pi$", colour=lru_4.COLOURS[mode])
        assert reading.axes.get_xlim() == (0, case.sizes["age"])
        low, high = reading.axes.get_ylim()
        assert low < -1 < 1 < high
        middle = mode == 1 and letter == letters[0]
        reading.done(x="steps" if mode == 2 else "", y="Re $x_k$" if middle else "")
        if mode == 0:
            head = rf"$\theta \leq {RANGES[letter]}$, {case.sizes['age']} steps"
            assert reading.axes.get_title("left").endswith(head)


def test_turns_are_counted_on_their_line(show):
    (reading,), data = show("lru-4", "d")
    length = data["length"].values
    for index, (colour, marker) in enumerate(lru_4.RANGES):
        case = data.isel(max_phase=index)
        turns = case["turns"].transpose("length", "draw").values
        reading.curve(length, case["mean_turns"], colour)
        error = turns.std(1, ddof=1) / np.sqrt(turns.shape[1])
        reading.errors(length, turns.mean(1), error, colour=colour, marker=marker)
    for index, steps in ((0, 1024), (1, 16384)):
        mean = float(data["mean_turns"].isel(max_phase=index).sel(length=steps))
        reading.text(f"{mean:.0f}", (steps, mean), lru_4.RANGES[index][0])
    reading.done("log", "log", x="length", y="periods")
    labels = [text.get_text() for text in reading.axes.get_legend().get_texts()]
    ranges = [r"$\theta \leq 2\pi$", r"$\theta \leq \pi/50$"]
    assert labels == [*ranges, "exact mean", f"mean of {data.sizes['draw']} modes"]
    ticks = [float(label.get_text()) for label in reading.axes.get_xticklabels()]
    assert ticks == length.tolist() == reading.axes.get_xticks().tolist()


def test_a_sine_its_relu_and_their_spectra(show):
    (time, spectrum, power), data = show("lru-6")
    frequency, harmonic = data["frequency"].values, data["harmonic"].values
    for i, (signal, (name, colour)) in enumerate(lru_6.SIGNALS.items()):
        case = data.sel(signal=signal)
        time.curve(data["turn"], case["value"], colour, label=name)
        exact, amplitude = case["exact"].values, case["amplitude"].values
        lines, visible = np.flatnonzero(exact), amplitude > lru_6.FLOOR
        spectrum.dashes_up(
            harmonic[lines], [lru_6.FLOOR] * lines.size, exact[lines], colour
        )
        spectrum.curve(frequency[visible], amplitude[visible], colour, marker="o")
        spectrum.curve(harmonic[lines], exact[lines], style.BLACK, marker="+")
        spectrum.text(name, (1, exact[1]), colour)
        parts = [case[part].values[:3] for part in ("share", "exact_share")]
        parts = [100 * np.append(part, 1 - sum(part)) for part in parts]
        both = data["exact_share"].values[:, :3] > 0
        both = np.append(
            both, (data["exact_share"][:, :3].sum("harmonic") < 1).values[:, None], 1
        )
        positions = np.arange(4) + (-0.2, 0.2)[i] * both.all(0)
        some = parts[1] > 0
        power.heights(positions[some], parts[0][some], colour)
        power.curve(positions[some], parts[1][some], style.BLACK, marker="+")
        if signal == "rectified":
            for x, height in zip(positions, parts[1], strict=True):
                power.text(f"{height:.1f}", (x, height), colour)
    printed = data["printed"].values
    lines = np.flatnonzero(printed)
    ring = spectrum.curve(harmonic[lines], printed[lines], style.GREY, marker="o")
    assert ring.get_markerfacecolor() == "none"
    time.done(x="periods", y="signal")
    spectrum.done("linear", "log", x="harmonic", y="c_n")
    power.done(x="harmonic", y="power (%)")
    ticks = [label.get_text() for label in power.axes.get_xticklabels()]
    assert ticks == ["0", "1", "2", r"$\geq 3$"]
    labels = [text.get_text() for text in spectrum.axes.get_legend().get_texts()]
    assert labels == ["FFT", "exact"]
    spectrum.text("as printed, Eq. 8", (6, printed[6]), style.GREY)


def test_the_caption_says_how_much_there_is_where_nothing_should_be(show):
    (reading,), data = show("lru-6", "b")
    rectified = data.sel(signal="rectified")
    above, below = [0, 1, 2, 4, 6, 8, 10, 12], rectified["amplitude"]
    most = float(below.where(~below["frequency"].isin(above)).max())
    caption = " ".join(reading.axes.figure.get_supxlabel().split())
    assert (
        f"spectrum is zero and the FFT has at most {style.number(most, 1)}." in caption
    )
    ratio = rectified["exact"].where(rectified["exact"] > 0)
    ratio = float((data["printed"] / ratio).where(data["printed"] > 0).median())
    assert f"as printed, which are {ratio:.3g} times the exact ones" in caption


def test_the_smallest_result_is_drawn_too(show):
    data = scrambled("impulse_responses").sel(length=[512, 1024]).isel(age=slice(1024))
    panels, _ = show("lru-4", "d", impulse_responses=data)
    mean = float(data["mean_turns"][1, -1])
    panels[0].text(f"{mean:.0f}", (1024, mean), lru_4.RANGES[1][0])
