"""``sigprop advise``: what it prints, writes and refuses."""

import json

import numpy as np
from PIL import Image

from sigprop.advice.families import FAMILIES, Need
from sigprop.advice.spectra import bandwidth, exponential
from tests.command import refused, sigprop

ASKED = ("advise", "--length", 200, "--state", 8)


def test_it_says_what_to_set_and_draws_it(tmp_path):
    file, picture = tmp_path / "advice.json", tmp_path / "advice.png"
    result = sigprop(*ASKED, "--rho", 0.8, "--json", file, "--figure", picture)
    assert result.exit_code == 0, result.output
    need = Need(200, (bandwidth(exponential(0.8)), np.pi), 8)
    options = FAMILIES["lru"].options(need)
    advice = json.loads(file.read_text())
    assert advice["options"] == {**options, "max_phase": list(options["max_phase"])}
    assert advice["starts"]["advised"]["state"]["most"] < 1.001
    assert f"{advice['starts']['default']['ceiling']['nu_log']:.3g}" in result.output
    for text in ("minimal-LRU", "lru-pytorch", f"r_max={options['r_max']:.6g}"):
        assert text in result.output, text
    output = " ".join(result.output.split())
    assert "set time constants from 2.54 to 200 steps" in output
    assert "So half of the phases are sampled below the frequency" in output
    result = sigprop(*ASKED, "--rho", 0.8, "--phases", "all", "--json", file)
    assert result.exit_code == 0, result.output
    assert json.loads(file.read_text())["options"]["max_phase"] == np.pi
    with Image.open(picture) as image:
        assert image.text["Title"] == "lru, 8 states, sequences of 200 steps"
        assert "sigprop advise --length 200 --rho 0.8" in image.text["Description"]
        colours = image.convert("RGB").getcolors(maxcolors=10**6)
    assert len(colours) > 20  # not a blank sheet
    words = picture.with_suffix(".md").read_text()
    assert "![lru, 8 states, sequences of 200 steps](advice.png)" in words
    assert "Modes at initialisation." in words
    assert "sigprop advise --length 200 --rho 0.8" in words


def test_states_behind_gates_are_told_for_the_input_that_is_asked_of(tmp_path):
    file = tmp_path / "advice.json"
    result = sigprop(*ASKED, "--rho", 0.8, "--layer", "rglru", "--json", file)
    assert result.exit_code == 0, result.output
    starts = json.loads(file.read_text())["starts"]
    before, after = (
        f"{starts[name]['state']['median']:.3g}" for name in ("default", "advised")
    )
    output = " ".join(result.output.split())
    assert f"is {before} by default and {after} as advised. It is" in output
    assert "for inputs of autocovariance 0.8^|lag|" in output


def test_a_series_takes_the_place_of_rho(tmp_path):
    rng = np.random.default_rng(1)
    walk = rng.normal(size=(40, 64)).cumsum(1)
    np.save(tmp_path / "walk.npy", walk[..., None])
    result = sigprop(*ASKED, "--data", tmp_path / "walk.npy", "--layer", "lru")
    assert result.exit_code == 0, result.output
    assert "decaying exponentials" in result.output
    message = refused(*ASKED, "--data", tmp_path / "walk.npy", "--rho", 0.5)
    assert "need one input" in message


def test_what_cannot_be_is_refused_in_a_line(tmp_path):
    for more, message in (
        (("--layer", "gru"), "need a layer in lru"),
        (("--rho", 1), "need -1 < rho < 1"),
        (("--memory", 2), "need memory in [4, "),
        (("--phases", "few"), "need phases in spread, input, all"),
        (("--figure", tmp_path / "a.pdf"), "ends in .png"),
    ):
        assert message in refused(*ASKED, *more)
