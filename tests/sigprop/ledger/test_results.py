"""The page of results: every measurement as it is stored, and no verdict."""

import re

import pytest
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.evidence.measurements import HEADS, groups
from sigprop.experiments.rows import shipped
from sigprop.ledger.results import PAGE
from sigprop.ledger.site import INDEX, page_names, render_site
from sigprop.theory.claims import Status


@pytest.fixture(scope="module")
def measured():
    return groups(shipped)


def rows(page):
    """The cells of every row of the page's tables."""
    lines = re.findall(r"<tr><th scope=\"row\">.*?</tr>", page)
    tags = re.compile(r"<[^>]*>")
    return [
        tuple(tags.sub("", cell) for cell in re.split(r"</t[hd]>", line)[:-1])
        for line in lines
    ]


def test_every_measurement_is_on_the_page_with_its_interval(site, measured):
    page = (site / PAGE).read_text().replace("&#39;", "'")
    wanted = [row.cells() for group in measured for row in group.rows]
    assert rows(page) == wanted
    assert all(len(row) == len(HEADS) for row in wanted)
    for group in measured:
        assert f"<code>{group.study}</code>" in page
        assert group.about in page
    assert PAGE in page_names(["lru:4"])
    assert f'href="{PAGE}"' in (site / INDEX).read_text()


def test_the_page_has_no_badge_of_a_verdict(site):
    page = (site / PAGE).read_text()
    for status in Status:
        assert str(status) not in page


def test_without_results_the_page_says_so(run):
    assert "No results are stored." in render_site(run)[PAGE]


def test_the_command_prints_every_measurement(measured, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    answer = CliRunner().invoke(app, ["table", "Measurements"])
    assert answer.exit_code == 0
    text = re.sub(r"\s+", " ", answer.output)
    for group in measured:
        assert f"{group.title} (study {group.study})" in text
        for row in group.rows:
            assert " ".join(row.cells()) in text
    listed = CliRunner().invoke(app, ["table"])
    assert "measurements" in listed.output
    small = CliRunner().invoke(app, ["table", "measurements", "--preset", "quick"])
    assert small.exit_code == 2
    assert "need the preset paper of measurements, got 'quick'" in small.output
