"""The website: what stands in it, what it refuses, and that it reads without a network."""

import hashlib
import importlib
import io
import json
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest
from PIL import Image

from sigprop.cli.judged import stored
from sigprop.ledger.gallery import Picture
from sigprop.ledger.site import render_site
from sigprop.ledger.website import bodies, build, data, pages, reference
from tests.public import MODULES, PACKAGES
from tests.website import broken


@pytest.fixture(scope="module")
def documents():
    return reference.documents()


def described(documents):
    """Names that the reference describes, as users import them."""
    lines = "\n".join(documents.values()).splitlines()
    starts = (".. autoclass:: ", ".. autofunction:: ", ".. py:data:: ")
    return [
        line.removeprefix(start) for line in lines for start in starts if start in line
    ]


def test_every_public_name_is_described_once_or_leads_to_its_package(documents):
    names = described(documents)
    assert len(names) == len({*names})
    known = {
        f"{package}.{name}"
        for package in (*PACKAGES, *MODULES)
        for name in importlib.import_module(package).__all__
    }
    for name in known - {*names} - reference.PACKAGES.keys() - {"sigprop.theory"}:
        package, _, last = name.rpartition(".")  # another package describes it
        listed = "index" if package == "sigprop" else package
        assert f"`{last} <" in documents[f"api/{listed}.rst"], name
    assert {*names} <= known


def test_a_name_that_is_not_described_is_noticed(documents):
    fewer = {**documents, "api/sigprop.layers.lru.rst": ""}
    assert "sigprop.layers.LRU" in described(documents)
    assert "sigprop.layers.LRU" not in described(fewer)


def test_no_two_pages_are_one_file_where_case_is_ignored(documents):
    assert len({name.casefold() for name in documents}) == len(documents)


# --- the ledger, the gallery and the notebooks --------------------------------------


@pytest.fixture(scope="module")
def rendered(run, graph):
    return render_site(run, {}, graph, ())


@pytest.fixture(scope="module")
def ledger(rendered, run, graph):
    return pages.of_ledger(rendered | data.files(run, rendered, graph.rests_on))


def test_every_row_has_its_page_at_its_address(ledger, run):
    from sigprop.ledger.addresses import address

    made, files = ledger
    for claim in run.claims:
        page = made["ledger/" + address(claim.id).removesuffix(".html")]
        assert page.title.startswith(f"{claim.id}: ")
        assert page.keywords == (claim.id,)
        assert f'id="{address(claim.id).removesuffix(".html")}"' in page.html
    assert {"ledger/errata", "ledger/results", "ledger/landscape"} <= made.keys()
    assert {"ledger/errata.json", "ledger/ledger.js"} <= files.keys()


@pytest.fixture(scope="module")
def data_set(rendered, graph):
    """Errata of a small ledger, and the data files of the stored one."""
    return rendered, data.files(stored(), rendered, graph.rests_on)


def test_the_data_set_has_every_row_by_its_schema(data_set):
    _, made = data_set
    rows, schema = (json.loads(made[name]) for name in (data.ROWS, data.SCHEMA))
    assert len(rows) == len(stored().claims) > 800
    jsonschema.validate(rows, schema)
    del rows[0]["status"]
    with pytest.raises(jsonschema.ValidationError, match="'status' is a required"):
        jsonschema.validate(rows, schema)


def test_the_data_package_has_the_checksum_of_every_file(data_set):
    rendered, made = data_set
    described = json.loads(made[data.PACKAGE])
    assert described["created"] == stored().stored
    for one in described["resources"]:
        content = (rendered | made)[one["path"]].encode()
        assert one["bytes"] == len(content)
        assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    named = {one["path"] for one in described["resources"]}
    assert named == {"rows.json", "errata.json", "errata.bib", "schema.json"}


def test_every_page_of_the_ledger_is_reached_from_its_index(ledger):
    made, _ = ledger
    seen, waiting = set(), ["ledger/index"]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in made:
            continue
        seen.add(name)
        links = pages._LINK.findall(made[name].html)
        waiting += [f"ledger/{link}" for link in links]
    assert seen == made.keys()


def test_a_body_has_one_title_and_no_landmark_of_its_own(ledger):
    for name, page in ledger[0].items():
        assert "<h1" not in page.html, name
        assert "<main" not in page.html, name
        assert page.html.count("<div") == page.html.count("</div>"), name


def test_the_gallery_links_to_the_ledger_and_has_its_pictures_in_files(ledger):
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "red").save(file, "PNG")
    rows, png = {"zucchet:74": "proved"}, file.getvalue()
    picture = Picture("lru-9", "A figure", "Ours", "Drawn", rows, png=png)
    made, files = pages.of_gallery([picture], ledger[0])
    html = made["gallery"].html
    assert 'href="ledger/zucchet-74.html"' in html
    assert {*files} == {"pictures/lru-9-small.webp", "pictures/lru-9-large.webp"}
    assert html.count('loading="lazy"') == 2
    assert "data:" not in html


def test_a_notebook_that_failed_says_so_on_its_page():
    from sigprop.ledger.notebooks import MARK

    page = f"<head>{MARK}<title>T</title><style>a{{}}</style></head><body><main>x</main></body>"
    made = pages.of_notebooks({"index.html": page, "one.html": page}, {"one": "a < b"})
    assert "This notebook was not run: a &lt; b" in made["notebooks/one"].html
    assert "not run" not in made["notebooks/index"].html
    assert made["notebooks/index"].children == ("one",)


def test_the_sheet_holds_inside_bodies_alone():
    sheet = bodies.sheet()
    assert "--proved:light-dark(#0b5138,#8fe0bb)" in sheet
    assert ":root" not in sheet
    assert "prefers-color-scheme" not in sheet
    assert sheet.count("{") == sheet.count("}")


# --- the folder ----------------------------------------------------------------------


def test_a_folder_with_another_file_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ValueError, match=r"thesis\.tex, which no site wrote"):
        build.require_site(tmp_path)
    (tmp_path / build.MANIFEST).write_text(json.dumps({"files": ["index.html"]}))
    with pytest.raises(ValueError, match=r"thesis\.tex"):
        build.require_site(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    (tmp_path / build.MANIFEST).write_text("{}")
    with pytest.raises(ValueError, match="no site wrote"):
        build.require_site(tmp_path)
    with pytest.raises(ValueError, match="got the file"):
        build.require_site(tmp_path / "thesis.tex")


@pytest.fixture
def sphinx(monkeypatch):
    """Sphinx, which writes one page at once."""

    def write(sources: Path, made: Path) -> str:
        made.mkdir()
        (made / "index.html").write_text("new")
        return ""

    monkeypatch.setattr(build, "_sphinx", write)
    return write


@pytest.mark.usefixtures("sphinx")
def test_a_site_is_built_again_in_its_folder(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    for _ in range(2):
        assert build.build(folder, tmp_path) == ""
        assert build._files(folder) == {"index.html", build.MANIFEST}
    (folder / "mine.html").write_text("mine")
    with pytest.raises(ValueError, match=r"mine\.html"):
        build.build(folder, tmp_path)
    assert (folder / "mine.html").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_build_that_fails_leaves_the_older_site(tmp_path, sphinx, monkeypatch):
    folder = tmp_path / "site"
    build.build(folder, tmp_path)

    def fail(sources: Path, made: Path) -> str:
        sphinx(sources, made)
        raise RuntimeError("killed")

    monkeypatch.setattr(build, "_sphinx", fail)
    (folder / "index.html").write_text("old")
    with pytest.raises(RuntimeError):
        build.build(folder, tmp_path)
    assert (folder / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_of_the_repository_that_is_missing_is_named_on_its_page(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(build, "COPIED", {"NOWHERE.md": "nowhere.md"})
    build.write_sources(tmp_path, {}, {})
    assert (
        "NOWHERE.md is part of the repository" in (tmp_path / "nowhere.md").read_text()
    )


# --- links ---------------------------------------------------------------------------


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x"></a><a href="b.html#y"></a><a href="c.html"></a>'
        '<a href="https://x.org"></a><img src="https://x.org/i.png"><a href="#"></a>'
        '<script src="s.js">"<a href=d.html>"</script><a id="z" href="#z"></a>'
    )
    (tmp_path / "b.html").write_text('<p id="x">')
    assert broken(tmp_path) == [
        "a.html: b.html#y",
        "a.html: c.html",
        "a.html: https://x.org/i.png",
        "a.html: s.js",
    ]


# --- the whole -----------------------------------------------------------------------

READ = (
    *("index.html", "how_do_i.html", "api/sigprop.layers.lru.html", "gallery.html"),
    *("ledger/index.html", "ledger/zucchet-59.html", "ledger/errata.html"),
    *("notebooks/one.html", "cite.html", "search.html?q=x"),
)


@pytest.fixture(scope="module")
def whole(ledger, tmp_path_factory):
    """A site with few rows, one notebook, one figure, and everything else."""
    from sigprop.ledger import notebooks

    folder = tmp_path_factory.mktemp("website")
    source = folder / "one.py"
    source.write_text(NOTEBOOK.lstrip())
    made, files = ledger
    written = notebooks.pages({"one": notebooks.run(notebooks.read(source))})
    made = {**made, **pages.of_notebooks(written, {})}
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "red").save(file, "PNG")
    picture = Picture("lru-9", "Title", "Ours", "Drawn", {}, png=file.getvalue())
    gallery, images = pages.of_gallery([picture], made)
    sources = folder / "sources"
    sources.mkdir()
    build.write_sources(sources, made | gallery, files | images)
    assert build.build(folder / "site", sources) == ""
    return folder / "site"


NOTEBOOK = r"""
# %% [markdown]
# # A notebook
#
# ## One
#
# $\lambda$

# %%
print("x" * 400)

# %% [markdown]
# ## Two
"""


@pytest.mark.slow
@pytest.mark.browser
def test_the_whole_site_reads_offline_by_everybody(whole, browser):
    """Links, sizes, the console, axe's rules, the search, and no script."""
    assert broken(whole) == []
    assert max(page.stat().st_size for page in whole.rglob("*.html")) < 3e6
    assert (whole / "index.html").stat().st_size < 3e5
    axe = Path(find_spec("axe_playwright_python").origin).with_name("axe.min.js")
    for scheme, names in (("light", READ), ("dark", READ[4:8])):
        for name in names:
            page = browser.open(f"file://{whole}/{name}", color_scheme=scheme)
            page.evaluate(axe.read_text("utf-8"))
            found = page.evaluate("axe.run({preload: false})")["violations"]
            serious = [
                (one["id"], one["nodes"][0]["html"])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], name
    for words, address in (("zucchet:59", "zucchet-59"), ("LRU", "sigprop.layers.lru")):
        page = browser.open(f"file://{whole}/search.html?q={words}")
        first = page.locator("#search-results li a").first
        first.wait_for()
        assert address in first.get_attribute("href")
    page = browser.open(f"file://{whole}/index.html")
    page.fill("#find", "zucchet:59")
    page.press("#find", "Enter")
    page.wait_for_url("**/ledger/index.html*")  # loaded, so that its script has run
    page.locator("#hits a, tr[data-status]:not([hidden]) a").first.click()
    assert page.url.endswith("zucchet-59.html")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page = browser.open(f"file://{whole}/ledger/zucchet-59.html", width=390)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert all(url.startswith(("file:", "data:", "about:")) for url in browser.requests)
