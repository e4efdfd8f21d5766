"""``sigprop advise``: what it prints, writes and refuses."""

import json

import numpy as np
from PIL import Image

from sigprop.advice.families import FAMILIES, Need
from sigprop.advice.spectra import bandwidth, exponential
from sigprop.advice.summary import shown
from sigprop.cli import console
from sigprop.cli.console import PlainConsole
from tests.command import refused, sigprop

ASKED = ("advise", "--length", 200, "--state", 8, "--width", 8)


def test_it_says_what_to_set_and_draws_it(tmp_path):
    file, picture = tmp_path / "advice.json", tmp_path / "advice.png"
    result = sigprop(*ASKED, "--rho", 0.8, "--json", file, "--figure", picture)
    assert result.exit_code == 0, result.output
    need = Need(200, (bandwidth(exponential(0.8)), np.pi), 8)
    options = FAMILIES["lru"].options(need)
    advice = json.loads(file.read_text())
    assert advice["options"] == {**options, "max_phase": list(options["max_phase"])}
    assert advice["starts"]["advised"]["state"]["most"] < 1.001
    assert shown(advice["starts"]["default"]["ceiling"]["nu_log"]) in result.output
    for text in ("minimal-LRU", "lru-pytorch", f"r_max={options['r_max']:.12g}"):
        assert text in result.output, text
    output = " ".join(result.output.split())
    assert "up to 200 steps: here from 2.54 to 200." in output
    assert "lru: 8 complex states, 8 inputs and outputs" in output
    assert "So half of the phases are sampled below this frequency" in output
    result = sigprop(*ASKED, "--rho", 0.8, "--phases", "all", "--json", file)
    assert result.exit_code == 0, result.output
    assert json.loads(file.read_text())["options"]["max_phase"] == np.pi
    with Image.open(picture) as image:
        assert image.text["Title"] == "lru, 8 states, width 8, sequences of 200 steps"
        assert "sigprop advise --length 200 --rho 0.8" in image.text["Description"]
        colours = image.convert("RGB").getcolors(maxcolors=10**6)
    assert len(colours) > 20  # not a blank sheet
    words = picture.with_suffix(".md").read_text()
    assert "![lru, 8 states, width 8, sequences of 200 steps](advice.png)" in words
    assert "Modes at initialisation." in words
    assert "sigprop advise --length 200 --rho 0.8" in words


def test_states_behind_gates_are_told_for_the_input_that_is_asked_of(tmp_path):
    file = tmp_path / "advice.json"
    result = sigprop(*ASKED, "--rho", 0.8, "--layer", "rglru", "--json", file)
    assert result.exit_code == 0, result.output
    starts = json.loads(file.read_text())["starts"]
    output = " ".join(result.output.split())
    for name, words in (("default", "by default"), ("advised", "as advised")):
        least, most = (shown(starts[name]["state"][of]) for of in ("least", "most"))
        assert f"lies between {least} and {most} {words}" in output
    assert "for 8 of the 8 states, and for the autocovariance 0.8^|lag|." in output


def test_a_series_takes_the_place_of_rho(tmp_path):
    rng = np.random.default_rng(1)
    walk = rng.normal(size=(40, 64)).cumsum(1)
    np.save(tmp_path / "walk.npy", walk[..., None])
    result = sigprop(*ASKED, "--data", tmp_path / "walk.npy", "--layer", "lru")
    assert result.exit_code == 0, result.output
    assert "decaying exponentials" in result.output
    assert "add --json advice.json" in " ".join(result.output.split())
    message = refused(*ASKED, "--data", tmp_path / "walk.npy", "--rho", 0.5)
    assert "need one input" in message


def test_a_terminal_shows_what_a_long_series_waits_for(tmp_path, monkeypatch):
    shown_stages = []

    class Watched(PlainConsole):
        def status(self, status, **more):
            stage = super().status(status, **more)
            shown_stages.append(status)
            update = stage.update
            monkeypatch.setattr(
                stage, "update", lambda text: (shown_stages.append(text), update(text))
            )
            return stage

    monkeypatch.setattr(console, "PlainConsole", Watched)
    rng = np.random.default_rng(1)
    np.save(tmp_path / "walk.npy", rng.normal(size=(40, 64, 1)).cumsum(1))
    result = sigprop(*ASKED, "--data", tmp_path / "walk.npy", "--layer", "s4d")
    assert result.exit_code == 0, result.output
    assert shown_stages == [
        "predicting the default and the advised layer",
        "reading walk.npy",
        "measuring the autocovariance of 1 features in 40 windows of 64 steps",
        "predicting the default and the advised layer",
    ]


def test_what_cannot_be_is_refused_in_a_line(tmp_path):
    for more, message in (
        (("--layer", "gru"), "need a layer in lru"),
        (("--rho", 1), "need -1 < rho < 1"),
        (("--memory", 2), "need memory in [4, "),
        (("--phases", "few"), "need phases in spread, input, all"),
        (("--figure", tmp_path / "a.pdf"), "ends in .png"),
    ):
        assert message in refused(*ASKED, *more)
