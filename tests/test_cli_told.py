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

DRAW = ("advise", "audit", "series", "sweep run", "table", "train", "verify")
"""Commands that call ``picture``; a test below finds them."""
ARGUMENTS = {
    "audit": {"checkpoint": "runs/a b/seed-0"},
    "series": {"data": "ETTh1.csv"},
    "sweep run": {"name": "memory_gap"},
    "table": {"name": "lru-7"},
    "train": {"task": "digits"},
}
NEEDED = {"advise": ["--length", "64"]}
VALUES = ("a 'b' \"c\" é/$x", "-1.5e-07", "-3")
"""For an option of text or a path, of real numbers, of integers: the first that fits."""
GROUP = typer.main.get_command(cli.app)


def command(command_name):
    entry, context = GROUP, GROUP.make_context("sigprop", [], resilient_parsing=True)
    for part in command_name.split():
        entry = entry.get_command(context, part)
    return entry


def parsed(command_name, arguments):
    """The context of a command that does nothing but remember what was given."""
    context = GROUP.make_context("sigprop", [], resilient_parsing=True)
    entry = GROUP
    for part in command_name.split():
        entry = entry.get_command(context, part)
        context = entry.make_context(
            *(part, [] if part != command_name.split()[-1] else [*arguments]),
            parent=context,
            resilient_parsing=part != command_name.split()[-1],
        )
    return context


def line_and_values(command_name, arguments):
    with parsed(command_name, arguments) as context:
        return command_line(), context.params


def first_that_fits(command_name, arguments, spelling):
    for value in VALUES:
        try:
            parsed(command_name, [*arguments, spelling, value])
        except ClickException:
            continue
        return value
    raise AssertionError(f"no value for {spelling}")


def options():
    for command_name in DRAW:
        for parameter in command(command_name).params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                yield command_name, parameter.name


@pytest.mark.parametrize(("command_name", "name"), [*options()])
def test_the_line_of_every_option_is_read_back_as_it_was_given(command_name, name):
    (option,) = (
        parameter
        for parameter in command(command_name).params
        if parameter.name == name
    )
    arguments = [*ARGUMENTS.get(command_name, {}).values()]
    spelled = [*option.opts, *option.secondary_opts]
    for spelling in spelled:
        typed = [*arguments, *NEEDED.get(command_name, [])]
        value = (
            [] if option.is_flag else [first_that_fits(command_name, typed, spelling)]
        )
        typed += [spelling, *value]
        if option.multiple:
            typed += [spelling, "another"]
        line, params = line_and_values(command_name, typed)
        again = shlex.split(line)
        assert again[: 1 + len(command_name.split())] == [
            "sigprop",
            *command_name.split(),
        ]
        rest = again[1 + len(command_name.split()) :]
        repeated, read = line_and_values(command_name, rest)
        assert repeated == line
        assert read == params
        assert [*option.opts][-1] in rest


@pytest.mark.parametrize("command_name", DRAW)
def test_a_line_has_no_defaults_and_every_argument(command_name):
    arguments = ARGUMENTS.get(command_name, {})
    line, _ = line_and_values(
        command_name, [*arguments.values(), *NEEDED.get(command_name, [])]
    )
    assert shlex.split(line) == [
        *(
            "sigprop",
            *command_name.split(),
            *arguments.values(),
            *NEEDED.get(command_name, []),
        ),
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
    assert files - parts == {command_name.split()[0] for command_name in DRAW}


def test_the_line_stands_in_the_picture_of_a_command(tmp_path, monkeypatch):
    """The metadata of a PNG of ``advise``, whose other work is left out."""
    from PIL import Image

    from sigprop.advice import summary
    from sigprop.figures import advice

    module = importlib.import_module("sigprop.advice.advise")
    monkeypatch.setattr(module, "advise", lambda *args, **more: Fake())
    monkeypatch.setattr(summary, "heading", lambda result: "a layer")
    monkeypatch.setattr(summary, "table", lambda result: typer_table())
    monkeypatch.setattr(summary, "sentences", lambda result: [])
    monkeypatch.setattr(summary, "as_dataset", lambda result: None)
    monkeypatch.setattr(advice, "draw", lambda data, title: blank())
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((9, 64, 1)))
    picture = tmp_path / "a b.png"
    arguments = [
        *("advise", "--length", "64", "--data", str(tmp_path / "x.npy")),
        *("--figure", str(picture)),
    ]
    result = sigprop(*arguments)
    assert result.exit_code == 0, result.output
    with Image.open(picture) as image:
        texts = image.text
    assert texts["Title"] == "a b"
    told, _, versions = texts["Description"].rpartition("; ")
    assert shlex.split(told) == ["sigprop", *arguments]
    assert versions


class Fake:
    code: dict[str, str] = {}  # noqa: RUF012
    state, width = 1, 1


def typer_table():
    from rich.table import Table

    return Table("a")


def blank():
    from sigprop.figures import style

    return style.figure(1)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ((None, None, "float32"), ""),
        ((60, None, "float32"), ", 60 steps"),
        ((None, 0.004, "bfloat16"), ", rate 0.004, bfloat16"),
        ((20, 1.0, "float32"), ", 20 steps, rate 1"),
    ],
)
def test_a_title_names_what_the_preset_has_not(settings, text):
    assert changes(*settings) == text


# --- what an interruption leaves ----------------------------------------------------


def interrupted(act, monkeypatch):
    """The words of a command that is interrupted after an action."""
    messages = []
    monkeypatch.setattr(console, "tell", messages.append)

    def command():
        with console.plain_errors("nothing was written"):
            act()
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        command()
    return messages


def test_an_interruption_says_what_was_written_before(tmp_path, monkeypatch):
    from sigprop.numerics.files import unfinished, write_text

    (line,) = interrupted(lambda: None, monkeypatch)
    assert line == "interrupted; nothing was written"

    def write():
        write_text(tmp_path / "a.json", "{}")

    (line,) = interrupted(write, monkeypatch)
    assert line == f"interrupted; written before: {tmp_path / 'a.json'}"

    def two():
        write()
        write()
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
