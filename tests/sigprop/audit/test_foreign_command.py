"""``sigprop audit FILE``: what it prints and writes, the page in a browser, bad input."""

import json
import re

import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.audit.foreign import picture_data, report
from sigprop.ledger import checkpoint
from tests.command import refused, sigprop
from tests.sigprop.audit.test_foreign import layers, written

NAMES = ("minimal-LRU", "Mamba-2", "RWKV-4")


@pytest.fixture(scope="module")
def audit_run(tmp_path_factory):
    """A checkpoint, a series, and what one run of the command has written."""
    folder = tmp_path_factory.mktemp("audit")
    model = folder / "model <b>.safetensors"
    arrays = layers(*NAMES)
    arrays["RWKV-4.time_decay"] = np.full(128, -np.inf, np.float32)  # nothing to run
    save_file(arrays, model)
    data = written(folder, features=2)
    page, numbers = folder / "page.html", folder / "numbers.json"
    options = ("--html", page, "--json", numbers, "--modes", 5)
    result = sigprop("audit", model, "--data", data, *options)
    assert result.exit_code == 0, result.output
    return model, data, page, json.loads(numbers.read_text()), result.stdout


def test_the_command_tells_every_layer_and_writes_its_numbers(audit_run):
    _, data, page, numbers, output = audit_run
    assert "minimal-LRU, the LRU, linear" in output
    assert "Mamba-2, Mamba-2, at rest" in output
    assert output.splitlines()[-1] == str(page)
    assert (numbers["schema"], numbers["version"]) == (report.SCHEMA, report.VERSION)
    assert (numbers["data"], numbers["series"]["windows"]) == (str(data), 300)
    by_name = {layer["layer"]: layer for layer in numbers["layers"]}
    assert set(by_name) == set(NAMES)
    lru = by_name["minimal-LRU"]
    assert [len(by_name[name]["modes"]) for name in NAMES] == [5, 5, 0]
    assert lru["trace"]["predicted"] == pytest.approx(
        sum(lru["trace"]["by_parameter"].values())
    )
    distance = abs(lru["trace"]["predicted"] - lru["trace"]["measured"])
    assert distance < 5 * lru["trace"]["sem"] + 0.1 * lru["trace"]["predicted"]
    assert by_name["RWKV-4"]["trace"]["measured"] is None
    for mode in lru["modes"]:
        assert abs(complex(mode["re"], mode["im"])) == pytest.approx(1 - mode["gap"])
        state = mode["quantities"]["state"]
        assert state["low"] < state["predicted"]["stationary"] < state["high"]


def test_pictures_have_the_numbers_of_the_json(audit_run):
    *_, numbers, _ = audit_run
    layer = next(
        entry for entry in numbers["layers"] if entry["layer"] == "minimal-LRU"
    )
    data, labels = picture_data.dataset(layer, numbers), picture_data.labels(layer)
    for n, mode in enumerate(layer["modes"]):
        for name, q in mode["quantities"].items():
            case = data.sel(quantity=name).isel(mode=n)
            least = q["predicted"]["stationary"]
            ends = [least / q[end] for end in ("high", "measured", "low")]
            computed = [float(case[name]) for name in ("low", "ratio", "high")]
            assert computed == pytest.approx(ends)
            assert str(case["fails"].values) == q["fails"]
        position = complex(data["re"][n], data["im"][n])
        assert position == pytest.approx(complex(mode["re"], mode["im"]))
    failures = [mode["quantities"]["state"]["fails"] for mode in layer["modes"]]
    for name in set(failures):
        assert f"{name or 'no assumption'} {failures.count(name)}" in labels["fails"]
    margins = picture_data.margins(numbers)
    assert margins.attrs == {"steps": numbers["series"]["steps"]}
    slowest = [entry["margin"]["memory"] for entry in numbers["layers"]]
    assert [x if np.isfinite(x) else None for x in margins["slowest"].values] == slowest
    assert "3 layers at rest" in picture_data.margins_label(numbers)
    assert "1 without an end" in picture_data.margins_label(numbers)


def cells(row):
    return [cell.strip() for cell in row.split("\t")]


@pytest.mark.browser
def test_the_page_loads_nothing_and_shows_the_numbers_of_the_json(audit_run, browser):
    *_, file, numbers, _ = audit_run
    for width in (1200, 400):
        page = browser.open(file.as_uri(), width)
        inside = "document.documentElement.scrollWidth <= innerWidth"
        assert page.evaluate(inside), f"wider than {width}"
    assert browser.requests == [file.as_uri()] * 2
    assert page.evaluate("document.scripts.length") == 0
    unnamed = "[...document.querySelectorAll('svg')].filter(x => !x.getAttribute('aria-label'))"
    assert page.evaluate(f"{unnamed}.length") == 0
    assert (
        page.evaluate("document.querySelectorAll('svg[role=img]').length") == 1 + 2 * 3
    )
    rows = page.evaluate(
        "[...document.querySelectorAll('tbody tr')].map(r => [...r.children]"
        ".map(c => c.textContent.trim()).join('\\t'))"
    )
    shown = checkpoint.shown
    for layer in numbers["layers"]:
        margin = layer["margin"]
        wanted = [
            shown(margin[name]) for name in ("gap", "memory", "median", "fastest")
        ]
        named = [row for row in rows if cells(row)[0] == layer["layer"]]
        assert [cells(row)[3:7] for row in named] == [wanted]
        for moment in layer["moments"]:
            ratios = [shown(moment["ratios"][rung]) for rung in layer["rungs"]]
            wanted = [moment["quantity"], shown(moment["measured"]), *ratios]
            assert any(cells(row)[: len(wanted)] == wanted for row in rows), wanted
        for mode in layer["modes"]:
            state = mode["quantities"]["state"]
            ends = [shown(state[name]) for name in ("measured", "low", "high")]
            assert any(cells(row)[4:7] == ends for row in rows), ends
    text = page.evaluate("document.body.textContent")
    for layer in numbers["layers"]:
        for name in ("predicted", "measured"):
            assert f"{name} {shown(layer['trace'][name])}" in text
    assert numbers["conclusion"] in text
    assert "model <b>.safetensors" in text


@pytest.mark.browser
def test_the_page_fits_on_paper(audit_run, browser):
    *_, file, _, _ = audit_run
    page = browser.open(file.as_uri(), 700)  # A4 between its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


@pytest.mark.browser
def test_the_page_is_legible_in_the_dark(audit_run, browser):
    *_, file, _, _ = audit_run
    looks = {}
    for scheme in ("light", "dark"):
        page = browser.open(file.as_uri(), color_scheme=scheme)
        script = "getComputedStyle(document.querySelector('{}')).{}"
        looks[scheme] = [
            sum(
                map(
                    int, re.findall(r"\d+", page.evaluate(script.format(*selector)))[:3]
                )
            )
            for selector in (("body", "backgroundColor"), ("svg", "fill"))
        ]
    assert looks["light"][0] > 600 > 300 > looks["light"][1]
    assert looks["dark"][0] < 300 < 400 < looks["dark"][1]


def test_without_pictures_the_page_has_words_and_numbers(audit_run, tmp_path):
    *_, numbers, _ = audit_run
    checkpoint.write(tmp_path / "page.html", numbers)
    text = (tmp_path / "page.html").read_text()
    assert "<svg" not in text
    assert numbers["layers"][0]["layer"] in text


def test_a_picture_that_cannot_be_drawn_leaves_the_page(
    audit_run, tmp_path, monkeypatch
):
    from sigprop.figures import checkpoints

    def fail(data):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(checkpoints, "draw_margins", fail)
    model, data, *_ = audit_run
    page = tmp_path / "page.html"
    result = sigprop("audit", model, "--data", data, "--html", page, "--modes", 2)
    assert result.exit_code == 0, result.output
    assert "the pictures was not drawn" not in result.stderr
    assert "were not drawn: RuntimeError: no fonts" in result.stderr
    assert "<svg" not in page.read_text()


def test_an_older_page_is_whole_when_writing_fails(audit_run, tmp_path, monkeypatch):
    model, data, *_ = audit_run
    page = tmp_path / "page.html"
    page.write_text("mine")

    def half(numbers, pictures=None):
        raise OSError(28, "No space left on device", str(page))

    monkeypatch.setattr(checkpoint, "render", half)
    line = refused("audit", model, "--data", data, "--html", page, "--modes", 2)
    assert "No space left" in line
    assert page.read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def bad_series(folder, kind):
    """A series that cannot be used, and words of the line that says so."""
    x = np.random.default_rng(3).normal(size=(20, 64, 2))
    file = folder / "bad.npy"
    if kind == "empty":
        file.write_bytes(b"")
        return file, "got the empty file bad.npy"
    if kind == "constant":
        x[:, :, 1] = 7.0
    if kind == "not finite":
        x[3, 5, 0] = np.inf
    if kind == "short":
        x = x[:, :4]
    np.save(file, x)
    messages = {
        "constant": "need columns that vary, got 'feature 1' constant at 7",
        "not finite": "need finite numbers, got inf at sequence 3, step 5, feature 0",
        "short": "need at least 2 sequences of 8 steps, got 20 of 4",
    }
    return file, messages[kind]


@pytest.mark.parametrize("kind", ["empty", "constant", "not finite", "short"])
def test_a_series_of_no_use_is_refused_in_a_line(audit_run, tmp_path, kind):
    file, message = bad_series(tmp_path, kind)
    page = tmp_path / "page.html"
    assert message in refused("audit", audit_run[0], "--data", file, "--html", page)
    assert not page.exists()


def test_what_cannot_be_read_or_written_is_refused_before_the_work(audit_run, tmp_path):
    model, data, *_ = audit_run
    arguments = ("audit", model, "--data", data)
    assert "need a series, .csv or .npy" in refused("audit", model)
    page = tmp_path / "none" / "page.html"
    assert f"cannot write {page}: No such file" in refused(*arguments, "--html", page)
    assert "got the folder" in refused(*arguments, "--html", tmp_path)
    line = refused(*arguments, "--html", data)
    assert "need a file for --data and another for --html" in line
    assert "need --json or --html for" in refused(
        *arguments, "--out", tmp_path / "x.nc"
    )
    line = refused(*arguments, "--through", "none")
    assert "need the name of a tensor" in line
    line = refused(*arguments, "--through", "minimal-LRU.B_re")
    assert (
        "of shape (128, 16) has, got 2: feature 0, feature 1; give all columns" in line
    )
    assert "need two modes a layer" in refused(*arguments, "--modes", 1)
    for option, value in (("part", "train"), ("examples", 64), ("batch", 4)):
        line = refused(*arguments, f"--{option}", value)
        assert f"need no --{option} for {model}, got {value}" in line
    for option, value in (("window", 64), ("modes", 8)):
        line = refused("audit", tmp_path, f"--{option}", value)
        assert "need a checkpoint of another library" in line
    assert "need the folder of a training" in refused("audit", tmp_path)
    other = tmp_path / "model.npz"
    np.savez(other, x=np.zeros(3))
    line = refused("audit", other, "--data", data)
    assert "need a recurrent layer of" in line
    frozen = layers("Mamba-2") | {"Mamba-2.A_log": np.full(24, -np.inf)}
    np.savez(other, **frozen)
    line = refused("audit", other, "--data", data)
    assert "need a mode strictly inside the unit circle in Mamba-2" in line


def test_a_folder_with_a_checkpoint_is_another_library_s_unless_we_trained_it(tmp_path):
    from sigprop.cli.audit_foreign import is_foreign
    from sigprop.training.runs import ABOUT

    assert not is_foreign(tmp_path)
    save_file(layers("Mamba-2"), tmp_path / "model.safetensors")
    assert is_foreign(tmp_path)
    data = written(tmp_path)
    data = data.rename(tmp_path.parent / f"{tmp_path.name}.npy")
    result = sigprop("audit", tmp_path, "--data", data, "--modes", 2)
    assert "Mamba-2, Mamba-2, at rest" in result.stdout
    (tmp_path / ABOUT).write_text("{}")
    assert not is_foreign(tmp_path)


def test_the_page_or_the_numbers_alone_are_on_standard_output(audit_run):
    model, data, *_ = audit_run
    arguments = ("audit", model, "--data", data, "--modes", 2, "--no-figures")
    result = sigprop(*arguments, "--json", "-")
    assert json.loads(result.stdout)["version"] == report.VERSION
    assert "minimal-LRU, the LRU, linear" in result.stderr
    result = sigprop(*arguments, "--html", "-")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert "need a file for --json and another for --html" in refused(
        *arguments, "--json", "-", "--html", "-"
    )
