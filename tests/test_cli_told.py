"""What stands below a picture is the command that made it, and can be run again."""

import importlib
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import typer

from sigprop.cli import console
from sigprop.cli import main as cli
from sigprop.cli.help import ClickException, command_line
from sigprop.cli.progress import changes
from tests.command import sigprop

DRAW = ("advise", "audit", "sweep run", "table", "train", "verify")
"""Commands that call ``picture``; a test below finds them."""
ARGUMENTS = {
    "audit": {"checkpoint": "runs/a b/seed-0"},
    "sweep run": {"name": "memory_gap"},
    "table": {"name": "lru-7"},
    "train": {"task": "digits"},
}
NEEDED = {"advise": ["--length", "64"]}
VALUES = ("a 'b' \"c\" é/$x", "-1.5e-07", "-3")
"""For an option of text or a path, of real numbers, of integers: the first that fits."""
GROUP = typer.main.get_command(cli.app)


def command(words):
    found, context = GROUP, GROUP.make_context("sigprop", [], resilient_parsing=True)
    for word in words.split():
        found = found.get_command(context, word)
    return found


def parsed(words, given):
    """The context of a command that does nothing but remember what was given."""
    context = GROUP.make_context("sigprop", [], resilient_parsing=True)
    found = GROUP
    for word in words.split():
        found = found.get_command(context, word)
        context = found.make_context(
            *(word, [] if word != words.split()[-1] else [*given]),
            parent=context,
            resilient_parsing=word != words.split()[-1],
        )
    return context


def told(words, given):
    with parsed(words, given) as context:
        return command_line(), context.params


def first_that_fits(words, given, spelling):
    for value in VALUES:
        try:
            parsed(words, [*given, spelling, value])
        except ClickException:
            continue
        return value
    raise AssertionError(f"no value for {spelling}")


def options():
    for words in DRAW:
        for one in command(words).params:
            if one.param_type_name == "option" and one.name != "help":
                yield words, one.name


@pytest.mark.parametrize(("words", "name"), [*options()])
def test_the_line_of_every_option_is_read_back_as_it_was_given(words, name):
    (option,) = (one for one in command(words).params if one.name == name)
    arguments = [*ARGUMENTS.get(words, {}).values()]
    spelled = [*option.opts, *option.secondary_opts]
    for spelling in spelled:
        given = [*arguments, *NEEDED.get(words, [])]
        value = [] if option.is_flag else [first_that_fits(words, given, spelling)]
        given += [spelling, *value]
        if option.multiple:
            given += [spelling, "another"]
        line, params = told(words, given)
        again = shlex.split(line)
        assert again[: 1 + len(words.split())] == ["sigprop", *words.split()]
        rest = again[1 + len(words.split()) :]
        repeated, read = told(words, rest)
        assert repeated == line
        assert read == params
        assert [*option.opts][-1] in rest


@pytest.mark.parametrize("words", DRAW)
def test_a_line_has_no_defaults_and_every_argument(words):
    arguments = ARGUMENTS.get(words, {})
    line, _ = told(words, [*arguments.values(), *NEEDED.get(words, [])])
    assert shlex.split(line) == [
        *("sigprop", *words.split(), *arguments.values(), *NEEDED.get(words, [])),
    ]


def test_every_command_that_draws_is_tried():
    """By the text of the commands: those that call ``picture`` or what calls it."""
    calls = re.compile(r"(?<!def )\b(?:picture|overview_beside|_draw)\(")
    files = {
        file.stem
        for file in Path(cli.__file__).parent.glob("*.py")
        if calls.search(file.read_text("utf-8"))
    }
    parts = {"audit_forecast", "forecast", "pictures"}  # called by audit and train
    assert files - parts == {words.split()[0] for words in DRAW}


def test_the_line_stands_in_the_picture_of_a_command(tmp_path, monkeypatch):
    """The metadata of a PNG of ``advise``, whose other work is left out."""
    from PIL import Image

    from sigprop.advice import summary
    from sigprop.figures import advice

    module = importlib.import_module("sigprop.advice.advise")
    monkeypatch.setattr(module, "advise", lambda *given, **more: Fake())
    monkeypatch.setattr(summary, "table", lambda found: typer_table())
    monkeypatch.setattr(summary, "sentences", lambda found: [])
    monkeypatch.setattr(summary, "as_dataset", lambda found: None)
    monkeypatch.setattr(advice, "draw", lambda data, title: blank())
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((9, 64)))
    picture = tmp_path / "a b.png"
    given = [
        *("advise", "--length", "64", "--data", str(tmp_path / "x.npy")),
        *("--figure", str(picture)),
    ]
    done = sigprop(*given)
    assert done.exit_code == 0, done.output
    with Image.open(picture) as image:
        texts = image.text
    assert shlex.split(texts["Title"]) == ["sigprop", *given]
    assert texts["Description"].startswith(f"{texts['Title']}; ")


class Fake:
    code: dict[str, str] = {}  # noqa: RUF012


def typer_table():
    from rich.table import Table

    return Table("a")


def blank():
    from sigprop.figures import style

    return style.figure(1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((None, None, "float32"), ""),
        ((60, None, "float32"), ", 60 steps"),
        ((None, 0.004, "bfloat16"), ", rate 0.004, bfloat16"),
        ((20, 1.0, "float32"), ", 20 steps, rate 1"),
    ],
)
def test_a_title_names_what_the_preset_has_not(given, said):
    assert changes(*given) == said


# --- what an interruption leaves ----------------------------------------------------


def interrupted(act, monkeypatch):
    """The words of a command that is interrupted after an action."""
    said = []
    monkeypatch.setattr(console, "tell", said.append)

    def command():
        with console.plain_errors("nothing was written"):
            act()
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        command()
    return said


def test_an_interruption_says_what_was_written_before(tmp_path, monkeypatch):
    from sigprop.numerics.files import unfinished, write_text

    (line,) = interrupted(lambda: None, monkeypatch)
    assert line == "interrupted; nothing was written"

    def one():
        write_text(tmp_path / "a.json", "{}")

    (line,) = interrupted(one, monkeypatch)
    assert line == f"interrupted; written before: {tmp_path / 'a.json'}"

    def two():
        one()
        one()
        with unfinished(tmp_path / "b\x1b.nc"):
            pass

    (line,) = interrupted(two, monkeypatch)
    assert line == (
        f"interrupted; written before: {tmp_path / 'a.json'}, {tmp_path}/b\\x1b.nc"
    )

    def fails():
        with unfinished(tmp_path / "c"):
            raise KeyboardInterrupt

    (line,) = interrupted(fails, monkeypatch)
    assert line == "interrupted; nothing was written"

    def many():
        for number in range(11):
            write_text(tmp_path / f"{number}", "")

    (line,) = interrupted(many, monkeypatch)
    assert line.endswith("/7 and 3 more")
