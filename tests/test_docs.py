"""What the pages of ``docs`` tell their readers works, and notices an error of 3 %."""

import shlex
from pathlib import Path

import pytest

from sigprop import testing
from sigprop.cli.help import ClickException
from tests.command import ran
from tests.test_cli_told import parsed
from tests.test_readme import ROOT, blocks, commands, links, missing

PAGES = sorted((ROOT / "docs").glob("*.md"))
CASES = [
    pytest.param(block.text, id=f"{page.stem}-{index}")
    for page in PAGES
    for index, block in enumerate(blocks(page.read_text("utf-8")))
    if block.language == "python"
]
FORMULAS = [case for case in CASES if "assert_moment(" in case.values[0]]


def run(source: str) -> None:
    """Execute a block, and the tests that it defines, as its reader would."""
    names: dict[str, object] = {}
    exec(compile(source, "<docs>", "exec"), names)
    for name in [*names]:
        if name.startswith("test_"):
            names[name]()


@pytest.fixture
def scaled(monkeypatch):
    """Multiply each formula of a page, and count them."""
    calls = []

    def by(factor: float):
        def scaled_moment(formula, *arguments, **more):
            calls.append(factor)
            return assert_moment(formula * factor, *arguments, **more)

        assert_moment = testing.assert_moment
        monkeypatch.setattr(testing, "assert_moment", scaled_moment)
        return calls

    return by


@pytest.mark.parametrize("source", CASES)
def test_a_block_runs(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(source)


@pytest.mark.parametrize("factor", [1.03, 0.97])
@pytest.mark.parametrize("source", FORMULAS)
def test_a_formula_that_is_three_percent_off_is_refuted(source, factor, scaled):
    calls = scaled(factor)
    with pytest.raises(AssertionError, match="refuted"):
        run(source)
    assert calls == [factor]


def test_the_page_of_formulas_has_five():
    assert len(FORMULAS) == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_and_link_leads_somewhere(page: Path):
    text = page.read_text("utf-8")
    assert missing(text) == []
    assert "](" not in text or links(page.relative_to(ROOT).as_posix()) == []


SHOWN = sorted(
    {
        line
        for page in PAGES
        for line in commands(page.read_text("utf-8"))
        if line.startswith("sigprop ")
    }
)
RUN = [line for line in SHOWN if line.split()[1] == "show"]


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_takes_the_options_that_a_page_gives_it(line):
    _, *words = shlex.split(line)
    name = [*words[: 2 if words[0] == "sweep" else 1]]
    parsed(" ".join(name), words[len(name) :])
    with pytest.raises(ClickException):
        parsed(" ".join(name), [*words[len(name) :], "--no-such-option"])


@pytest.mark.parametrize("line", RUN)
def test_a_command_of_seconds_runs(line):
    assert ran(*shlex.split(line)[1:]).stdout


def test_a_broken_block_is_found():
    with pytest.raises(AssertionError):
        run("def test_it():\n    assert 1 + 1 == 3")
