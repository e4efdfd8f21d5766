"""Every picture says where its results come from, on itself and in its files."""

import json
import re

import numpy as np
import pytest
import xarray as xr
from PIL import Image
from typer.testing import CliRunner

from sigprop.cli import forecast
from sigprop.cli.main import app
from sigprop.experiments import command, store, studies
from sigprop.figures import catalogue, provenance, style
from sigprop.figures.entry import Entry
from sigprop.tasks.examples import DataSet, Examples
from sigprop.tasks.tables import FILES
from sigprop.theory.claims import registry
from sigprop.training.forecast_presets import MODELS

ATTRIBUTES = {
    "preset": "paper",
    "commit": "0123456789abcdef",
    "seed": 0,
    "versions": json.dumps({"sigprop": "0.1.0", "jax": "0.10.2"}),
}

_PART = Examples(np.ones((640, 6), np.uint8), np.full(640, 6), np.zeros(640, int))
TOKENS = DataSet(_PART, _PART, _PART, classes=10, vocabulary=18)


def result(**changes):
    return xr.Dataset(attrs=ATTRIBUTES | changes)


def swept(seeds, **changes):
    cells = result(seed=-1, **changes)
    return cells.assign_coords(seed=("cell", np.array(seeds)))


def test_results_of_one_origin_are_named_together():
    sentence = provenance.sentence(
        {
            "one": swept([0, 1, 1, 2]),
            "two": swept([5, 6, 7]),
            "three": swept([0], preset="quick"),
            "four": result(commit="fedcba9876543210-dirty"),
            "five": result(seed=-1, versions=json.dumps({"sigprop": "unknown"})),
        }
    )
    assert sentence == (
        "one, two: preset paper, 3 seeds, commit 0123456; "
        "three: preset quick, 1 seed, commit 0123456; "
        "four: preset paper, seed 0, commit fedcba9 with changes; "
        "five: preset paper, commit 0123456; sigprop 0.1.0, jax 0.10.2."
    )


@pytest.mark.parametrize(
    ("preset", "size"),
    [("paper", "smaller than in the paper"), ("quick", "preset quick")],
)
def test_only_the_papers_sizes_are_called_the_papers(preset, size):
    entry = Entry({}, "", reduced="short lists.")
    sentence = provenance.sentence({"one": result(preset=preset)}, entry)
    assert sentence.startswith(f"one: {size}, seed 0, commit")
    assert sentence.endswith(" Difference from the paper: short lists.")


@pytest.mark.parametrize(
    "name", [n for n, e in catalogue.entries().items() if e.reduced]
)
def test_figures_of_smaller_networks_say_so(name):
    studies = catalogue.entry(name).needs()
    sentence = provenance.sentence(
        {study: store.shipped(study) for study in studies},
        catalogue.entry(name),
    )
    said, command = sentence.split(" At the paper's size: ")
    assert "preset paper" not in said
    assert said.count("smaller than in the paper") >= 1
    assert command == catalogue.entry(name).full


def test_results_at_full_size_are_not_called_smaller():
    entry = Entry({}, "", reduced="Short lists.", full="sigprop", differs="No words.")
    full = {"one": result(preset="full")}
    assert provenance.sentence(full, entry).endswith(
        " Difference from the paper: No words."
    )
    assert "preset full" in provenance.sentence(full, entry)
    assert provenance.sentence(full | {"two": result(preset="paper")}, entry).endswith(
        " Difference from the paper: Short lists. No words. At the paper's size: sigprop"
    )


@pytest.mark.parametrize(
    "name", [n for n, e in catalogue.entries().items() if e.reduced]
)
def test_the_command_for_the_papers_size_is_taken_by_the_program(name, monkeypatch):
    """The run is stopped where it would begin; it is of the paper's size."""
    begun = []

    def stop(**asked):
        begun.append(asked)
        raise ValueError("stopped")

    monkeypatch.setattr(
        command, "make", lambda study, preset, *_: stop(study=study, preset=preset)
    )
    monkeypatch.setattr(
        forecast, "train_forecasts", lambda asked, **others: stop(asked=asked, **others)
    )
    monkeypatch.setattr("sigprop.cli.train.examples_of", lambda task, *others: TOKENS)
    monkeypatch.setattr(
        "sigprop.cli.train._once", lambda job, *others: stop(preset=job.preset)
    )
    program, *arguments = catalogue.entry(name).full.split()
    answer = CliRunner().invoke(app, arguments)
    assert program == "sigprop"
    assert answer.output.endswith("stopped\n")
    (asked,) = begun
    assert asked["preset"] == ("full" if arguments[0] == "figure" else "paper")
    if "study" in asked:
        assert asked["preset"] in studies.presets(asked["study"])
    if "asked" in asked:
        assert asked["model"] in MODELS
        assert asked["asked"].horizon
        assert asked["data"] in FILES


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A figure in every format, and what its files are to say."""
    folder = tmp_path_factory.mktemp("written")
    (study,) = catalogue.entry("lru-9").needs()
    results = {study: store.shipped(study)}
    files = catalogue.draw_and_save(
        "lru-9", results, None, folder, catalogue.FORMATS, {"lru:fig9": "It is: proved"}
    )
    one = catalogue.drawn("lru-9", results, None, {"lru:fig9": "It is: proved"})
    notes = style.notes(one.figure)
    words = f"{notes} It is: proved (lru:fig9). {one.shown} {one.origin}"
    return dict(zip((*catalogue.FORMATS, "md"), files, strict=True)), words, one


def test_every_format_has_title_verdict_and_origin_in_its_metadata(written):
    files, origin, _ = written
    title = catalogue.entry("lru-9").title
    with Image.open(files["png"]) as picture:
        assert picture.info["Title"] == title
        assert picture.info["Description"] == origin
    page = files["pdf"].read_bytes()
    assert f"/Title ({title})".encode() in page
    escaped = origin.replace("(", r"\(").replace(")", r"\)")
    assert f"/Subject ({escaped})".encode() in page
    drawing = files["svg"].read_text()
    assert f"<dc:title>{title}</dc:title>" in drawing
    assert f"<dc:description>{origin}</dc:description>" in drawing
    assert "<dc:date>" not in drawing


def test_the_words_stand_beside_the_picture_and_not_in_it(written):
    files, _, one = written
    drawing = files["svg"].read_text().partition("</metadata>")[2]
    notes = style.notes(one.figure)
    assert len(notes) > 20
    assert notes[:20] not in drawing
    page = files["md"].read_text()
    for text in (one.title, one.source, one.caption, one.shown, one.found, one.origin):
        assert text in page
    assert notes in page
    assert "![" in page
    assert "(lru-9.png)" in page
    assert "lru-9.pdf" not in page


def test_the_words_are_drawn_if_that_is_asked_for(tmp_path):
    (study,) = catalogue.entry("lru-9").needs()
    results = {study: store.shipped(study)}
    heights = []
    for caption in (False, True):
        file, _ = catalogue.draw_and_save(
            "lru-9", results, "a", tmp_path, ["png"], caption=caption
        )
        with Image.open(file) as picture:
            heights.append(picture.size[1])
    assert heights[1] > heights[0] + 20


def test_the_page_grows_by_the_lines_below(tmp_path):
    figure = style.figure(1.0)
    page, picture = style.save(
        figure, "shown", tmp_path, summary="told " * 50, origin="word " * 100
    )
    assert [text.get_fontsize() for text in figure.texts] == [style.NOTE, style.SMALL]
    lines = np.array([text.get_text().count("\n") + 1 for text in figure.texts])
    assert (lines > 1).all()
    heights = 1.3 * lines * (style.NOTE, style.SMALL) + 2
    feet = [72 * text.get_position()[1] for text in figure.texts]
    np.testing.assert_allclose(feet, 1 - heights.cumsum())
    points = np.array([72 * style.WIDTH, 72 + heights.sum()])
    with Image.open(picture) as opened:
        pixels = np.array(opened.size)
    scale = style.SETTINGS["savefig.dpi"] / 72
    np.testing.assert_allclose(pixels, scale * points, atol=1)
    box = re.search(r"MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", page.read_text("latin1"))
    assert box is not None
    np.testing.assert_allclose(list(map(float, box.groups())), points, atol=0.1)


def test_each_row_has_a_sentence_and_those_not_judged_have_one_together():
    findings = {
        "a:fig1": "not judged",
        "a:fig1:b": "It falls: refuted",
        "a:fig1:c": "not judged",
    }
    assert provenance.findings(findings) == (
        "It falls: refuted (a:fig1:b). Not judged: a:fig1, a:fig1:c."
    )
    assert provenance.findings({}) == ""


def test_one_panel_says_the_finding_and_no_summary():
    results = {
        study: store.shipped(study) for study in catalogue.entry("lru-9").needs()
    }
    one = catalogue.drawn("lru-9", results, "a", {"lru:fig9": "It is: proved"})
    assert one.found == "It is: proved (lru:fig9)."
    assert one.shown == ""
    assert one.origin == provenance.sentence(results)


def test_the_rows_of_a_caption_belong_to_its_figures():
    """Figures of ours alone have no rows; one of a paper has all that are named after it."""
    claims = registry()
    of_figures = catalogue.of_rows()
    assert sum(len(entry.rows) for entry in catalogue.entries().values()) == len(
        of_figures
    )
    assert set(of_figures) <= set(claims)
    numbers = {re.match(r"\w+-\d+", name) for name in catalogue.entries()}
    figure_ids = {match[0].replace("-", ":fig") for match in numbers if match}
    for row, claim in claims.items():
        named = re.match(r"\w+:fig\d+", row)
        if named and named[0] in figure_ids:
            assert row in of_figures, row
            assert of_figures[row].startswith(named[0].replace(":fig", "-")), row
            assert re.search(
                rf"Fig(ure|\.) {named[0].rpartition('fig')[2]}\D?", claim.source
            )


def test_a_picture_says_what_is_smaller_than_in_the_paper(tmp_path):
    study = catalogue.entry("lru-1").studies["a"]
    results = {study: store.shipped(study)}
    file, _ = catalogue.draw_and_save("lru-1", results, "a", tmp_path, ["png"])
    with Image.open(file) as picture:
        description = picture.info["Description"]
    entry = catalogue.entry("lru-1")
    assert description.endswith(
        f"Difference from the paper: {entry.reduced} At the paper's size: {entry.full}"
    )


@pytest.mark.parametrize(
    ("names", "formats"),
    [
        (None, ("pdf", "png")),
        (["SVG"], ("svg",)),
        (["svg", "pdf", "svg"], ("svg", "pdf")),
    ],
)
def test_formats_are_those_asked_for(names, formats):
    assert catalogue.require_formats(names) == formats


def test_only_the_format_asked_for_is_written(tmp_path, monkeypatch):
    monkeypatch.delenv("SIGPROP_RESULTS", raising=False)
    monkeypatch.setattr(style, "folder", lambda: tmp_path)
    answer = CliRunner().invoke(app, ["figure", "lru-9", "--format", "svg"])
    assert answer.exit_code == 0, answer.output
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["lru-9.md", "lru-9.svg"]


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(
    tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setattr(style, "folder", lambda: tmp_path / "file")
    monkeypatch.setattr("sigprop.experiments.command.make", None)
    answer = CliRunner().invoke(app, ["figure", "lru-9"])
    assert answer.exit_code == 2
    assert "cannot write to the folder" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["lru-9", "--format", "pgn"],
            "need a format in pdf, png, svg, got 'pgn'; did you mean png?",
        ),
        (["zuchet-3"], "got 'zuchet-3'; did you mean zucchet-3?"),
    ],
)
def test_the_nearest_name_is_suggested_before_any_work(arguments, message, monkeypatch):
    monkeypatch.setattr(store, "read", None)
    answer = CliRunner().invoke(app, ["figure", *arguments])
    assert answer.exit_code == 2
    assert message in answer.stderr.replace("\n", " ")


def test_no_caption_about_results_is_called_confirmed_by_the_papers_numbers_alone():
    findings = store.shipped("statuses")["finding"].to_series()
    shown = {row: findings[row] for row in catalogue.of_rows()}
    assert "confirmed" not in shown.values()
    assert shown["lru:fig1"] == "agrees with the paper's own numbers"
    assert shown["lru:fig9"] == "confirmed numerically"
    assert shown["zucchet:fig4"].startswith("true only under a condition: orthogonal")
