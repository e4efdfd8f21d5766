"""Public text has no private words, and help fits a terminal of 80 columns."""

import ast
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.theory.claims import registry
from tests.test_cli_names import commands
from tests.words import private

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CHANGELOG.md", "theory/README.md", "theory/GLOSSARY.md")
WIDTH = 80


COMMANDS = commands()


@pytest.fixture(scope="module")
def helps():
    """The help of every command, by the words that call it; of the program, by none."""
    run = CliRunner(env={"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH)})
    return {
        command: run.invoke(app, [*command.split(), "--help"]).output
        for command in ("", *COMMANDS)
    }


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_plain_and_fits(helps, command):
    text = helps[command]
    assert "Usage:" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    assert private(text) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_no_summary_is_cut(helps, command):
    group, _, name = command.rpartition(" ")
    summary = COMMANDS[command].help.strip().splitlines()[0]
    assert summary.endswith(".")
    assert f"{name} " in helps[group]
    assert summary in " ".join(helps[group].split())


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_plain(page):
    assert private((ROOT / page).read_text("utf-8")) == []


def messages(path):
    """Texts of a module that are no docstrings, with ``{}`` for values."""
    tree, skipped = ast.parse(path.read_text("utf-8")), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
            yield "{}".join(
                part.value for part in node.values if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            yield str(node.value)


def test_messages_are_plain():
    modules = [
        path
        for path in (ROOT / "sigprop").rglob("*.py")
        if "evidence" not in path.parts  # whose texts name mutants
    ]
    assert len(modules) > 200
    for path in modules:
        for text in messages(path):
            if len(text.split()) > 3:
                assert private(text) == [], path


def test_titles_and_notes_of_rows_are_plain():
    for claim in registry().values():
        texts = [claim.title, claim.note, claim.reason, claim.assumes.text]
        texts += [claim.condition.text] if claim.condition else []
        texts += [claim.erratum.bearing] if claim.erratum else []
        text = re.sub(
            r"\b(zucchet|lru|rotrnn|blur|sigprop):[\w:.-]+", "", " ".join(texts)
        )
        assert private(text) == [], claim.id


def test_a_private_word_is_found():
    assert private("The slope of a chart is told.")
    assert len(private("Slips and ceilings")) == 2
    assert private("The tolerance is 5 %; it slipped.") == []
