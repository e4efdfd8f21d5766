"""The gallery: every figure on one page, linked with the ledger both ways."""

import dataclasses
import re
from io import BytesIO
from pathlib import Path

import pytest
import xarray as xr
from PIL import Image
from typer.testing import CliRunner

from sigprop.cli import gallery as command
from sigprop.cli.main import app
from sigprop.experiments import store
from sigprop.figures import catalogue
from sigprop.ledger import gallery
from sigprop.ledger.gallery import PAGE, Picture
from sigprop.ledger.site import write_site
from sigprop.theory.claims import PAPERS, find
from tests.sigprop.ledger.test_report import EVERYTHING, Page, claim


def png(across, up, colour="white"):
    """A picture of one colour."""
    file = BytesIO()
    Image.new("RGB", (across, up), colour).save(file, "PNG")
    return file.getvalue()


WIDE = Picture(
    "lru-8",
    "A <title> & more",
    "Orvieto et al. (2023), Figure 8",
    "What is drawn.",
    {
        "lru:fig8": "It is: refuted",
        "lru:fig9": "Is it: proved, before its code changed",
    },
    "It shows this, in a sentence long enough for two lines of the page on a phone.",
    (("network", "growth"), ("a < b", "2.5"), ("c", "–")),
    "one: preset paper, seed 0.",
    ("one-0123456789abcdef0123456789abcdef.nc", "two.nc"),
    (("03_loss.py", "Loss landscapes"), ("04_more.py", "More")),
    png(1650, 900),
    ("refuted", "proved, before its code changed"),
)
TALL = dataclasses.replace(WIDE, name="zucchet-6", title="Tall", png=png(600, 2000))
RUN = dataclasses.replace(EVERYTHING, versions={"sigprop": "0.1.0"})
BARE = Picture("sigprop-x", "Ours", "Ours", "Nothing yet.", {})


def test_all_that_is_said_of_a_figure_stands_on_the_page():
    page = gallery.render([WIDE, BARE])
    for phrase in (
        "A &lt;title&gt; &amp; more",
        *("Figure 8", "What is drawn.", "It shows this", "one: preset paper, seed 0."),
        *(*WIDE.files, "Loss landscapes", "sigprop figure lru-8"),
        *("lru:fig8", "It is: refuted", "lru:fig9", "before its code changed"),
        *("sigprop-x", "Nothing yet."),
    ):
        assert phrase in page, phrase
    assert re.findall(r'class="found">(.*?)<', page) == [
        "refuted; proved, before its code changed"
    ]
    assert page.count("<img") == 2  # one in small, one in large; none for the bare one
    assert 'width="1650" height="900"' in page


def test_the_numbers_behind_a_figure_are_a_table_row_by_row():
    page = gallery.render([WIDE, BARE])
    (table,) = re.findall("<table>.*?</table>", page, re.S)
    cells = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")
    ]
    assert cells == [[], ["network", "growth"], ["a &lt; b", "2.5"], ["c", "–"]]


def test_a_small_picture_keeps_its_shape():
    for picture in (WIDE, TALL):
        with Image.open(BytesIO(picture.large)) as large:
            assert large.size == picture.size
        with Image.open(BytesIO(picture.thumbnail)) as small:
            assert max(small.size) == gallery.SMALL
            across, up = picture.size
            assert small.width / small.height == pytest.approx(across / up, rel=0.01)


def test_it_links_to_what_stands_beside_it():
    alone = Page(gallery.render([WIDE])).links
    assert {link.partition("#")[0] for link in alone} == {""}
    there = ["lru-fig8.html", "index.html", "notebooks/04_more.html"]
    links = Page(gallery.render([WIDE], there)).links
    assert {*there} < {*links}
    assert {link.partition("#")[0] for link in links} == {"", *there}


def test_ledger_and_gallery_link_to_each_other_whichever_is_written_first(tmp_path):
    run = dataclasses.replace(RUN, claims=(claim("lru:fig8", "refuted"),))
    ledger_first, gallery_first = tmp_path / "a", tmp_path / "b"
    write_site(ledger_first, run, [dataclasses.replace(WIDE, png=b""), BARE])
    begun = (ledger_first / PAGE).read_text()
    assert "No figure is drawn yet" in begun
    assert not gallery.has_pictures(ledger_first)
    gallery.write(ledger_first, [WIDE, BARE])
    gallery.write(gallery_first, [WIDE, BARE])
    content = (gallery_first / PAGE).read_bytes()
    write_site(gallery_first, run, [dataclasses.replace(WIDE, png=b""), BARE])
    assert (gallery_first / PAGE).read_bytes() == content
    (ledger_first / "notebooks").mkdir()
    (ledger_first / "notebooks" / "03_loss.html").write_text("<p id=top>")
    gallery.write(ledger_first, [WIDE, BARE])
    pages = Page((ledger_first / PAGE).read_text()).links
    assert "notebooks/03_loss.html" in pages
    assert "notebooks/04_more.html" not in pages
    for folder in (ledger_first, gallery_first):
        assert gallery.has_pictures(folder)
        assert f"{PAGE}#lru-8" in Page((folder / "lru-fig8.html").read_text()).links
        assert PAGE in Page((folder / "index.html").read_text()).links
    assert "lru-fig8.html" in Page((ledger_first / PAGE).read_text()).links
    pages = {path.name: Page(path.read_text()) for path in ledger_first.glob("*.html")}
    for name, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            assert not anchor or anchor in pages[target or name].ids, (name, link)


def test_a_file_that_no_gallery_wrote_is_left_alone(tmp_path):
    theirs = tmp_path / PAGE
    theirs.write_text("<!DOCTYPE html><p>mine")
    with pytest.raises(ValueError, match="no gallery wrote; move it away"):
        gallery.write(tmp_path, [WIDE])
    write_site(tmp_path, RUN, [WIDE])
    assert theirs.read_text() == "<!DOCTYPE html><p>mine"
    assert PAGE not in (tmp_path / "index.html").read_text()
    answer = CliRunner().invoke(app, ["figure", "--gallery", str(tmp_path)])
    assert answer.exit_code == 2
    assert "no gallery wrote" in answer.stderr


@pytest.fixture
def two(monkeypatch):
    """A catalogue of two figures, one without results."""
    entries = {name: catalogue.entries()[name] for name in ("lru-9", "lru-8")}
    monkeypatch.setattr(catalogue, "entries", lambda: entries)
    monkeypatch.delenv("SIGPROP_RESULTS", raising=False)
    from sigprop.experiments import command as studies

    best = studies.best
    monkeypatch.setattr(
        studies, "best", lambda study: None if study == "power_descent" else best(study)
    )


def test_the_command_draws_what_has_results_and_names_the_rest(two, tmp_path):
    answer = CliRunner().invoke(app, ["figure", "--gallery", str(tmp_path / "new")])
    assert answer.exit_code == 0, answer.output
    assert answer.stderr == (
        "not drawn, for want of results: lru-8; `sigprop figure` makes them\n"
    )
    page = (tmp_path / "new" / PAGE).read_text()
    (study,) = catalogue.entry("lru-9").needs()
    results: dict[str, xr.Dataset] = {study: store.shipped(study)}
    one = catalogue.drawn("lru-9", results)
    for phrase in (
        *(one.caption, one.shown, one.origin),
        f"{study}-",
        "lru:fig9",
        "lru-8",
    ):
        assert phrase in page
    assert page.count("<img") == 2
    assert answer.stdout.split() == [str(tmp_path / "new" / PAGE)]


@pytest.mark.parametrize(
    "more", [["lru-9"], ["--format", "svg"], ["--panel", "a"], ["--preset", "quick"]]
)
def test_it_goes_alone(more, tmp_path):
    answer = CliRunner().invoke(app, ["figure", "--gallery", str(tmp_path), *more])
    assert answer.exit_code == 2
    assert "it goes alone" in " ".join(answer.stderr.split())
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(command, "with_picture", None)
    (tmp_path / "file").touch()
    answer = CliRunner().invoke(app, ["figure", "--gallery", str(tmp_path / "file")])
    assert answer.exit_code == 2


def test_figures_are_described_without_their_results():
    figures = command.describe({"lru:fig8": "It is: refuted"})
    names = [figure.name for figure in figures]
    assert sorted(names) == sorted(catalogue.entries())
    assert [*dict.fromkeys(name.partition("-")[0] for name in names)] == [*PAPERS]
    assert names[0] == "zucchet-1a"
    assert names.index("zucchet-9") < names.index("zucchet-10")
    eighth = next(figure for figure in figures if figure.name == "lru-8")
    assert eighth.source == "Orvieto et al. (2023), Figure 8"
    assert eighth.caption.startswith("Panels A and B show loss landscapes")
    assert eighth.rows == {"lru:fig8": "It is: refuted"}
    assert not any(
        re.search(r"[`$\\]", figure.caption) or figure.png for figure in figures
    )
    assert all(figure.source and figure.caption.endswith(".") for figure in figures)


def test_a_verdict_below_a_thumbnail_is_what_follows_the_title():
    row = "zucchet:fig1:sharpness-real"
    title = find(row).title
    assert ": " in title
    figures = command.describe({row: f"{title}: true only under a condition: n > 1"})
    (shown,) = (figure for figure in figures if figure.verdicts)
    assert shown.verdicts == ("true only under a condition: n > 1",)


def test_every_notebook_names_figures_that_there_are_and_they_name_it():
    files = sorted((Path(__file__).parents[3] / "notebooks").glob("*.py"))
    links = {
        (file.name, figure.name)
        for figure in command.describe({})
        for file in files
        if file.name in dict(figure.notebooks)
    }
    named = {
        (file.name, name)
        for file in files
        for name in re.findall(r"`sigprop figure ([\w-]+)`", file.read_text("utf-8"))
    }
    assert links == named
    assert {file for file, _ in links} == {file.name for file in files}
    assert {name for _, name in named} <= set(catalogue.entries())


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_the_screen_and_loads_nothing(browser, width, tmp_path):
    file = gallery.write(tmp_path, [WIDE, TALL, BARE])
    page = browser.open(file.as_uri(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = "[...document.images].map(i => [i.naturalWidth, i.width / i.height])"
    shapes_drawn = page.evaluate(sizes)
    assert len(shapes_drawn) == 4
    assert all(across > 0 for across, _ in shapes_drawn)
    shapes = [shape for across, shape in shapes_drawn if across in (1650, 600)]
    assert shapes == pytest.approx([1650 / 900, 600 / 2000], rel=0.05)
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
