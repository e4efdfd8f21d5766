"""``sigprop lint --html``: the page has the numbers of the JSON, with pictures first."""

import io
import json
import re

import jax
import numpy as np
import pytest
from rich.console import Console
from safetensors.numpy import save_file

from sigprop.audit.lint import Settings, lint, picture_data
from sigprop.audit.lint.report import table
from sigprop.cli.lint import _fitting
from sigprop.layers import lru, parameters
from sigprop.ledger.lint import grouped, steps
from sigprop.networks.foreign import Rest, of_arrays
from tests.command import refused, sigprop
from tests.sigprop.audit.lint import healthy

LENGTH = 512


def arrays():
    """A healthy LRU, and two layers of Mamba-2 that have no healthy decay."""
    ring = lru(48, 4, key=jax.random.key(3), r_min=0.9, r_max=0.99)
    layers = {f"enc.0.seq.{k}": np.asarray(v) for k, v in parameters(ring).items()}
    for place in (1, 2):
        mixer = healthy.mamba2(np.random.default_rng(place))
        mixer["A_log"][3] = -np.inf
        layers |= {f"enc.{place}.mixer.{name}": a for name, a in mixer.items()}
    return layers


@pytest.fixture(scope="module")
def linted(tmp_path_factory):
    """A checkpoint, its page, and the JSON of the same run."""
    folder = tmp_path_factory.mktemp("lint")
    model, page, numbers = (
        folder / n for n in ("a <b>.safetensors", "p.html", "n.json")
    )
    save_file(arrays(), model)
    options = ("--length", LENGTH, "--html", page, "--json", numbers)
    result = sigprop("lint", model, *options)
    assert result.exit_code == 1, result.output
    assert result.stdout.splitlines()[-1] == str(page)
    return model, page, json.loads(numbers.read_text())


def test_the_page_has_pictures_then_findings_then_tables(linted):
    _, page, numbers = linted
    text = page.read_text()
    order = [text.index(part) for part in ("<svg", 'id="findings"', 'id="layers"')]
    assert order == sorted(order)
    assert text.count('<svg role="img"') == 2  # all layers, and the one on the disc
    assert "<script" not in text
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', text) == []
    assert "a &lt;b&gt;.safetensors" in text
    assert [finding["id"] for finding in numbers["findings"]].count(
        "decay-not-finite"
    ) == 2
    for finding in numbers["findings"]:
        assert finding["layer"] in text
        assert finding["remedy"].partition("'")[0] in text
    (group,) = [
        g for g in grouped(numbers["findings"]) if g["id"] == "decay-not-finite"
    ]
    assert [layer for layer, _ in group["layers"]] == ["enc.1.mixer", "enc.2.mixer"]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_loads_nothing_and_shows_the_numbers_of_the_json(
    linted, browser, width
):
    _, file, numbers = linted
    page = browser.open(file.as_uri(), width)
    assert browser.requests == [file.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rows = page.evaluate(
        "[...document.querySelectorAll('tbody tr')].map(r => [...r.children]"
        ".map(c => c.textContent.trim()))"
    )
    assert [row[:7] for row in rows] == [
        [
            layer["layer"],
            layer["family"],
            str(layer["modes"]),
            *(steps(layer[name]) for name in ("shortest", "median", "longest")),
            f"{100 * layer['share_beyond_length']:.0f} %",
        ]
        for layer in numbers["layers"]
    ]
    assert rows[-1][5] == "∞"


@pytest.mark.browser
def test_the_page_is_legible_in_the_dark(linted, browser):
    looks = {}
    for scheme in ("light", "dark"):
        page = browser.open(linted[1].as_uri(), color_scheme=scheme)
        script = "getComputedStyle(document.querySelector('{}')).{}"
        looks[scheme] = [
            sum(map(int, re.findall(r"\d+", page.evaluate(script.format(*where)))[:3]))
            for where in (("body", "backgroundColor"), ("svg", "fill"))
        ]
    assert looks["light"][0] > 600 > 300 > looks["light"][1]
    assert looks["dark"][0] < 300 < 400 < looks["dark"][1]


def test_the_page_can_be_printed_and_can_be_without_pictures(linted):
    model, *_ = linted
    result = sigprop("lint", model, "--html", "-", "--no-figures")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert "<svg" not in result.stdout
    assert "3 recurrent layers" in result.stderr
    assert "need a file for --json and another for --html" in refused(
        "lint", model, "--json", "-", "--html", "-"
    )


def test_pictures_that_cannot_be_drawn_leave_the_page(linted, tmp_path, monkeypatch):
    from sigprop.figures import checkpoints

    def fail(data):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(checkpoints, "draw_times", fail)
    page = tmp_path / "p.html"
    result = sigprop("lint", linted[0], "--html", page)
    assert "the pictures were not drawn: RuntimeError: no fonts" in result.stderr
    assert "<svg" not in page.read_text()


def test_a_page_is_refused_where_it_cannot_be_written(linted, tmp_path):
    page = tmp_path / "none" / "p.html"
    assert f"cannot write {page}" in refused("lint", linted[0], "--html", page)


# --- histograms ----------------------------------------------------------------------


def shown(width, encoding="utf-8"):
    """The table as a terminal of this width and encoding shows it."""
    report = lint(of_arrays(arrays()), Settings(LENGTH))
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    out = Console(file=stream, width=width)
    out.print(_fitting(out, table(report, picture=True), table(report)))
    stream.flush()
    return report, stream.buffer.getvalue().decode(encoding)


def test_a_terminal_of_80_columns_has_a_histogram_of_each_layer():
    report, text = shown(80)
    assert "1 to 1e3 steps" in text
    assert "shortest" not in text
    for layer in report.layers:
        (row,) = [row for row in text.splitlines() if row.startswith(layer.layer)]
        assert picture_data.line(layer.drawn.times, 16, 3).strip() in row
        assert f"{layer.longest:.3g}" in row


@pytest.mark.parametrize(("width", "encoding"), [(80, "ascii"), (66, "utf-8")])
def test_other_terminals_have_the_shortest_time_constant(width, encoding):
    report, text = shown(width, encoding)
    assert "shortest" in text
    assert not set(picture_data.BARS.strip()) & set(text)
    assert f"{report.layers[0].shortest:.3g}" in text


def test_modes_are_chosen_evenly_by_rank_with_their_phases():
    generator = np.random.default_rng(4)
    nu = generator.uniform(1e-3, 1, (3, 1000))
    theta = 10 * nu
    theta[0, :5], nu[1, :5] = np.inf, np.nan
    modes = picture_data.chosen(Rest(nu=nu, theta=theta))
    assert len(modes.nu) == picture_data.MOST
    np.testing.assert_allclose(modes.phases, 10 * modes.nu)
    known = nu[np.isfinite(nu + theta)]
    assert (modes.nu[0], modes.nu[-1]) == (known.max(), known.min())
    np.testing.assert_allclose(np.median(modes.nu), np.median(known), rtol=0.01)
    assert picture_data.chosen(Rest(nu=nu)).phases is None


def test_histograms_count_every_mode_that_decays():
    nu = np.array([np.inf, 1.0, 0.1, 1e-3, 0.0, -0.1])
    layers = [picture_data.Modes(nu, None), picture_data.Modes(nu[:0], None)]
    data = picture_data.histograms(["a", "b"], layers, 2000)
    assert data.attrs == {"steps": 2000}
    assert data["edge"].values[[0, -1]] == pytest.approx([1, 1e4])
    assert data["share"].sum("bin").values == pytest.approx([4 / 6, 0])
    assert data["endless"].values == pytest.approx([2 / 6, 0])
    assert data["median"].values[0] == pytest.approx((10.508 + 1000.5) / 2, rel=1e-4)
    assert picture_data.histograms(["a"], layers[:1], None).attrs == {}


def test_eigenvalues_lie_at_their_modulus_and_phase():
    modes = picture_data.Modes(np.array([0.5, -0.1]), np.array([1.0, 2.0]))
    data = picture_data.eigenvalues(modes, 100)
    lam = data["re"].values + 1j * data["im"].values
    np.testing.assert_allclose(np.abs(lam), np.exp([-0.5, 0.1]))
    np.testing.assert_allclose(np.angle(lam), [1, 2])
    with pytest.raises(ValueError, match="need complex eigenvalues"):
        picture_data.eigenvalues(picture_data.Modes(modes.nu, None), 100)
