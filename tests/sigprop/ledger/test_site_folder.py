"""What a ledger may touch in its folder: what it wrote there, and nothing of a reader's."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.ledger import blueprint, errata, landscape, results, site, sources
from sigprop.ledger.dependence import Graph
from sigprop.ledger.site import (
    INDEX,
    MANIFEST,
    SCRIPT,
    SHEET,
    page_names,
    require_free,
    write_site,
)
from tests.sigprop.ledger.test_report import EVERYTHING

ALL, FEW = ("lru:1", "lru:2", "lru:3"), ("lru:2",)


@pytest.fixture(autouse=True)
def short_pages(monkeypatch):
    """Pages in no time; what they say differs with the seed."""

    def render(run, figures, graph, measured):
        names = page_names(claim.id for claim in run.claims)
        return {name: f"{name} of seed {run.seed}" for name in names}

    monkeypatch.setattr(site, "render_site", render)


def write(folder, ids, seed=0):
    claims = tuple(dataclasses.replace(EVERYTHING.claims[0], id=name) for name in ids)
    write_site(folder, dataclasses.replace(EVERYTHING, claims=claims, seed=seed))


def content(folder):
    """Every file below a folder by its place."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def fresh(tmp_path):
    """What a site of few claims is where there was nothing before."""
    write(tmp_path / "fresh", FEW, seed=1)
    return content(tmp_path / "fresh")


MINE = {
    "notes.txt": "mine",
    ".git/config": "mine",
    "lru-1.html.bak": "mine",
    "lru-3/index.html": "mine",
    "../.site.partial/thesis.txt": "mine",
    "../.site.partial/index.html": "mine",
}


def test_an_older_site_goes_and_all_else_stays(tmp_path, fresh):
    folder = tmp_path / "site"
    write(folder, ALL)
    for name, text in MINE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write(folder, FEW, seed=1)
    for name, text in MINE.items():
        assert (folder / name).read_text() == text
    inside = {name: text for name, text in MINE.items() if ".." not in name}
    assert content(folder) == fresh | inside


def test_a_folder_in_use_takes_a_site(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, FEW)
    assert set(content(tmp_path)) == {
        *("notes.txt", "lru-2.html", "paper-lru.html", INDEX),
        *(SHEET, SCRIPT, MANIFEST, landscape.PAGE),
        *errata.names(["lru"]),
        *blueprint.page_names(["lru"]),
        *sources.page_names(FEW),
        results.PAGE,
    }


@pytest.mark.parametrize("name", [INDEX, *errata.names(["lru"]), "lru-2.html"])
@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling link"])
def test_a_stranger_in_the_place_of_a_page_is_refused(tmp_path, name, kind):
    folder = tmp_path / "site"
    folder.mkdir()
    stranger, other = folder / name, tmp_path / "other"
    if kind == "file":
        stranger.write_text("mine")
    elif kind == "folder":
        stranger.mkdir()
    else:
        stranger.symlink_to(other)
    if kind == "link":
        other.write_text("mine")
    before = content(tmp_path)
    with pytest.raises(ValueError, match=rf"need a place for \S+{name}, got a file"):
        write(folder, FEW)
    assert content(tmp_path) == before
    write(folder / "other", FEW)


def test_a_page_that_the_reader_changed_is_his(tmp_path):
    write(tmp_path, ALL)
    (tmp_path / "lru-1.html").write_text("with my remarks")
    (tmp_path / "lru-2.html").write_text("with my remarks")
    before = content(tmp_path)
    with pytest.raises(
        ValueError, match=r"lru-1.html and 1 more, got a file that is not"
    ):
        write(tmp_path, ALL, seed=1)
    assert content(tmp_path) == before
    write(tmp_path, ("lru:3",), seed=1)  # pages that go, where these two stay
    assert (tmp_path / "lru-1.html").read_text() == "with my remarks"
    assert (tmp_path / "lru-3.html").read_text() == "lru-3.html of seed 1"


def test_a_link_is_no_page_of_ours_even_with_its_content(tmp_path):
    folder, target = tmp_path / "site", tmp_path / "kept.html"
    write(folder, ALL)
    (folder / "lru-1.html").rename(target)
    (folder / "lru-1.html").symlink_to(target)
    write(folder, FEW)
    assert (folder / "lru-1.html").is_symlink()
    with pytest.raises(ValueError, match=r"lru-1.html, got a file that is not"):
        write(folder, ALL)
    assert target.read_text() == "lru-1.html of seed 0"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"../kept.html": []}', '{"a/b": []}', '{"a": 1}', "\xff\0"]
)
def test_a_manifest_of_others_is_refused(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ValueError, match="need the list of pages that a ledger wrote"):
        write(tmp_path, FEW)
    assert content(tmp_path) == {MANIFEST: text}


def interrupt_after(monkeypatch, count):
    """Let so many files be written or removed, and then no more."""
    left = iter(range(count))

    def only(do):
        def done(*args, **named):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return do(*args, **named)

        return done

    monkeypatch.setattr(site, "write_text", only(site.write_text))
    monkeypatch.setattr(Path, "unlink", only(Path.unlink))


def test_whenever_it_is_cut_short_the_next_call_completes_it(
    tmp_path, fresh, monkeypatch
):
    complete, cut, count = {}, True, 0
    while cut:
        folder = tmp_path / str(count)
        write(folder, ALL)
        (folder / "notes.txt").write_text("mine")
        complete = complete or content(folder)
        with monkeypatch.context() as patch:
            interrupt_after(patch, count)
            try:
                write(folder, FEW, seed=1)
            except KeyboardInterrupt:
                cut = True
            else:
                cut = False
        for name, text in content(folder).items():
            allowed = {complete.get(name), fresh.get(name)}
            assert name == MANIFEST or text in allowed, (count, name)
        write(folder, FEW, seed=1)
        assert content(folder) == fresh | {"notes.txt": "mine"}, count
        count += 1
    assert count > 7  # three pages twice, and the manifest twice


@pytest.mark.parametrize(
    "location", ["file", "file/site", "/dev/null/site", "/proc/site"]
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path, location):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(
        ValueError, match=r"cannot write to the folder .*; choose another"
    ):
        require_free(tmp_path / location, [])
    assert content(tmp_path) == {"file": "mine"}


@pytest.mark.parametrize(
    ("stranger", "options"),
    [
        ("rotrnn-11.html", []),
        (INDEX, ["--status", "refuted"]),
        (MANIFEST, []),
    ],
)
def test_the_command_refuses_before_the_work(tmp_path, monkeypatch, stranger, options):
    def work(*args, **named):
        pytest.fail("began to judge")

    monkeypatch.setattr("sigprop.cli.judged.judge", work)
    (tmp_path / stranger).write_text("mine")
    command = ["ledger", "--paper", "rotrnn", "--html", str(tmp_path), *options]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert stranger in result.stderr
    assert content(tmp_path) == {stranger: "mine"}


def test_a_page_that_a_status_may_leave_out_is_no_reason_to_refuse(
    tmp_path, monkeypatch
):
    claims = tuple(
        dataclasses.replace(EVERYTHING.claims[0], id=name, status=status)
        for name, status in (("rotrnn:1", "refuted"), ("rotrnn:11", "proved"))
    )
    run = dataclasses.replace(EVERYTHING, claims=claims)
    monkeypatch.setattr("sigprop.cli.judged.judge", lambda *args: (run, 0.0))
    chosen = [SimpleNamespace(id=claim.id) for claim in claims]
    monkeypatch.setattr("sigprop.theory.claims.select", lambda *args: chosen)
    monkeypatch.setattr("sigprop.ledger.dependence.build", lambda _: Graph({}, {}))
    (tmp_path / "rotrnn-11.html").write_text("mine")
    command = ["ledger", "--html", str(tmp_path), "--status", "refuted"]
    CliRunner().invoke(app, command)
    assert set(content(tmp_path)) == {
        *("rotrnn-1.html", "rotrnn-11.html", "paper-rotrnn.html", INDEX),
        *(SHEET, SCRIPT, MANIFEST, landscape.PAGE),
        *errata.names(["rotrnn"]),
        *blueprint.page_names(["rotrnn"]),
        *sources.page_names(["rotrnn:1"]),
        results.PAGE,
    }
    assert (tmp_path / "rotrnn-11.html").read_text() == "mine"
