"""What the README tells its reader to type works, and what it shows is still true."""

import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import typer

from sigprop.cli.main import app
from sigprop.figures import readme
from sigprop.figures.catalogue import FIGURES
from sigprop.judge.plans import TIERS
from sigprop.numerics.devices import DEVICES
from sigprop.tasks.catalogue import TASKS
from sigprop.theory.claims import PAPERS, Status, registry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SET_UP = ("pip install -e . && sigprop verify", "pip install -e '.[test]' && pytest")
SHELL = ("bash", "sh", "shell", "console")

# Commands that answer within seconds; the others are checked against the options that
# the command line knows, and run by tests of their own.
QUICK = (
    "sigprop claims",
    "sigprop show",
    "sigprop figure --list",
    "sigprop verify --claim",
    "sigprop verify --input",
    "sigprop models",
)


class Block(NamedTuple):
    language: str
    text: str


def blocks(markdown: str) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    return [Block(*one) for one in found]


def commands(markdown: str) -> list[str]:
    """Every command of every shell block, those joined by ``&&`` apart."""
    lines = [
        line.removeprefix("$ ").strip()
        for block in blocks(markdown)
        if block.language in SHELL
        for line in block.text.replace("\\\n", " ").splitlines()
    ]
    whole = [line for line in lines if line and not line.startswith("#")]
    return [part.strip() for line in whole for part in line.split("&&")]


def run_python(source: str, folder: Path) -> str:
    """Execute a block, and the tests that it defines, as its reader would, in a folder.

    Raises:
        RuntimeError: If it fails; the message is what the reader would see.
    """
    call = "for name in [*globals()]:\n    if name[:5] == 'test_': globals()[name]()\n"
    done = start("-c", f"{source}\n{call}", cwd=folder)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def start(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Start Python with our packages in its reach."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def check(command: str) -> None:
    """Check a command without running it.

    Raises:
        ValueError: If the program, an option or a value is unknown.
    """
    program, *arguments = shlex.split(command)
    if program == "sigprop":
        _check_sigprop(arguments)
    elif program == "pip":
        _check_pip(arguments)
    elif program == "pytest":
        _check_pytest(arguments)
    elif not os.access(ROOT / program, os.X_OK):
        raise ValueError(f"README runs {program!r}, which is no command of ours")


def _check_sigprop(arguments: list[str]) -> None:
    group = typer.main.get_command(app)
    try:
        context = group.make_context("sigprop", [*arguments])
        rest = [*context._protected_args, *context.args]
        name, command, rest = group.resolve_command(context, rest)
        values = command.make_context(name, rest, parent=context).params
    except Exception as error:  # typer brings its own classes of usage errors
        raise ValueError(f"{arguments}: {error}") from error
    known = {
        "paper": PAPERS,
        "claim": registry(),
        "tier": TIERS,
        "device": DEVICES,
        "name": FIGURES,
        "preset": ("smoke", "quick", "paper"),
    }
    for option, allowed in known.items():
        given = values.get(option) or ()
        for value in (given,) if isinstance(given, str) else given:
            if value not in allowed:
                raise ValueError(f"{arguments}: {option} {value!r} is unknown")


def _check_pip(arguments: list[str]) -> None:
    if arguments[:2] != ["install", "-e"] or len(arguments) != 3:
        raise ValueError(f"need pip install -e TARGET, got {arguments}")
    extras = re.fullmatch(r"\.(?:\[([\w,]+)\])?", arguments[2])
    if not extras:
        raise ValueError(f"need . or .[extra], got {arguments[2]!r}")
    known = PROJECT["project"]["optional-dependencies"]
    for extra in (extras[1] or "").split(","):
        if extra and extra not in known:
            raise ValueError(f"pyproject.toml has no extra {extra!r}")


def _check_pytest(arguments: list[str]) -> None:
    options = PROJECT["tool"]["pytest"]["ini_options"]
    markers = {line.partition(":")[0] for line in options["markers"]}
    if arguments and (arguments[0] != "-m" or arguments[1] not in markers):
        raise ValueError(f"need pytest or pytest -m MARKER, got {arguments}")


PYTHON = [block.text for block in blocks(README) if block.language == "python"]
COMMANDS = list(dict.fromkeys(commands(README)))
RUN = [command for command in COMMANDS if command.startswith(QUICK)]


@pytest.fixture
def sigprop(tmp_path):
    """Run a command where the reader would, with a short ``ETTh1.csv`` at hand."""
    rows = np.random.default_rng(0).standard_normal((1100, 2)).cumsum(axis=0)
    table = "\n".join(f"{i},{x:.4f},{y:.4f}" for i, (x, y) in enumerate(rows))
    (tmp_path / "ETTh1.csv").write_text(f"date,HUFL,OT\n{table}\n")

    def run(command: str, data: Path | None = None) -> subprocess.CompletedProcess[str]:
        if data is not None:
            (tmp_path / "ETTh1.csv").write_bytes(data.read_bytes())
        return start("-m", "sigprop", *shlex.split(command)[1:], cwd=tmp_path)

    return run


@pytest.mark.parametrize("command", SET_UP)
def test_the_two_commands_stand_word_for_word(command):
    lines = [
        line
        for block in blocks(README)
        if block.language == "bash"
        for line in block.text.splitlines()
    ]
    assert command in lines


@pytest.mark.parametrize("source", PYTHON, ids=lambda text: text.splitlines()[-1])
def test_python_block_runs(source, tmp_path):
    run_python(source, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_one_that_exists(command):
    check(command)


@pytest.mark.parametrize("command", RUN)
def test_quick_command_runs(command, sigprop):
    done = sigprop(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_each_kind_of_command_is_there_to_be_checked():
    assert len(PYTHON) >= 2
    for start in (
        "sigprop verify --tier",
        "sigprop figure",
        "pip install",
        "pytest -m",
    ):
        assert any(command.startswith(start) for command in COMMANDS)
    for start in QUICK:
        assert any(command.startswith(start) for command in RUN)


@pytest.mark.parametrize(
    "command",
    [
        "sigprop",
        "sigprop prove",
        "sigprop verify --tire headline",
        "sigprop verify --tier loud",
        "sigprop verify --device tpu",
        "sigprop verify --claim zucchet:599",
        "sigprop claims --paper zuchet",
        "sigprop figure zucchet-99",
        "sigprop show",
        "pip install sigprop",
        "pip install -e '.[tests]'",
        "pytest -m gpus",
        "make all",
    ],
)
def test_a_command_that_does_not_exist_is_found(command):
    with pytest.raises(ValueError, match=r"\w"):
        check(command)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("from sigprop import Wihte", "ImportError"),
        ("def test_it():\n    assert 1 + 1 == 3", "AssertionError"),
        ("from sigprop.neuron import stable\nstable.state_moment(2.0)", "ValueError"),
    ],
)
def test_a_broken_block_is_found(source, error, tmp_path):
    (block,) = blocks(f"Text.\n\n```python\n{source}\n```\n\nMore.\n")
    with pytest.raises(RuntimeError, match=error):
        run_python(block.text, tmp_path)


def test_blocks_and_commands_are_all_found():
    text = "```sh\n$ a -b && c\n# said\nd \\\n  -e\n```\n\n```text\nx\n```\n"
    assert [block.language for block in blocks(text)] == ["sh", "text"]
    assert commands(text) == ["a -b", "c", "d    -e"]


def test_a_failing_command_is_seen_to_fail(sigprop):
    assert sigprop("sigprop show zucchet:599").returncode == 2


def excerpt(command: str) -> list[str]:
    """The lines that the README quotes from a command's output."""
    start, end = f"<!-- excerpt of: {command} -->", "<!-- end of excerpt -->"
    assert README.count(start) == 1, f"the README has no block marked {start!r}"
    (block,) = blocks(README.partition(start)[2].partition(end)[0])
    return [line.rstrip() for line in block.text.splitlines() if line != "..."]


def test_quoted_number_of_claims_is_that_of_the_registry():
    counts = Counter(one.expected for one in registry().values())
    apart = counts[Status.DEFINITION], counts[Status.NOT_CHECKABLE]
    valued = counts.total() - sum(apart)
    assert excerpt("sigprop verify")[-1] == (
        f"{valued} of {valued} rows with a truth value as expected; {apart[0]} "
        f"definitions, {apart[1]} not checkable."
    )


def test_quoted_verdicts_are_the_expected_ones():
    lines = excerpt("sigprop verify")
    quoted = [line.split() for line in lines if line.split(":")[0] in PAPERS]
    assert quoted
    assert [(row[0], row[1]) for row in quoted] == [
        (row[0], str(registry()[row[0]].expected)) for row in quoted
    ]


@pytest.mark.data("ett/ETTh1.csv")
def test_quoted_audit_is_what_the_command_prints(sigprop, real_data):
    command = "sigprop verify --input ETTh1.csv"
    printed = sigprop(command, real_data).stdout.splitlines()
    assert set(excerpt(command)) <= {line.rstrip() for line in printed}


def missing(markdown: str) -> list[str]:
    """Names in code type that look like ours and lead nowhere."""
    found = []
    for name in re.findall(
        r"`([^`\n]+)`", re.sub(r"```.*?```", "", markdown, flags=re.S)
    ):
        ours = name.split(":")[0] in PAPERS and ":" in name
        if ours and name not in registry():
            found.append(name)
        elif re.fullmatch(
            r"(theory|sigprop|experiments|figures|tests|notebooks)/\S*", name
        ):
            found += [] if (ROOT / name).exists() else [name]
        elif re.fullmatch(r"(theory|sigprop|experiments)\.[\w.]+", name):
            found += [] if _resolves(name) else [name]
        elif (
            re.fullmatch(r"(zucchet|lru|rotrnn|blur)-\w+", name) and name not in FIGURES
        ):
            found.append(name)
    return found


def _resolves(name: str) -> bool:
    package, _, attribute = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(package), attribute) or bool(
            importlib.import_module(name)
        )
    except ImportError:
        return False


def test_every_name_leads_somewhere():
    assert missing(README) == []


def test_a_name_that_leads_nowhere_is_found():
    wrong = [
        "zucchet:599",
        "theory/nothing.py",
        "sigprop.neuron.stable.nothing",
        "lru-99",
    ]
    right = ["zucchet:59", "theory/ring.py", "sigprop.neuron.stable.ring_gain", "lru-9"]
    assert missing(" and ".join(f"`{name}`" for name in wrong + right)) == wrong


def test_listed_errata_are_some_and_counted_right():
    section = README.partition("## Errata")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    statements = [c for c in registry().values() if c.paper != "sigprop"]
    wrong = [c for c in statements if c.expected == "refuted"]
    conditional = [c for c in statements if c.expected == "conditional"]
    assert len(listed) > 12
    assert listed <= {c.id for c in wrong + conditional}
    counts = f"Of {len(statements)} statements, {len(wrong)} are wrong"
    assert counts in section
    assert f"{len(conditional)} hold only under a condition" in section


def test_the_picture_is_the_one_that_is_drawn_now(tmp_path):
    """To a tenth of a point: other versions of Matplotlib round otherwise."""
    assert f"]({readme.FILE.relative_to(ROOT).as_posix()})" in README
    readme.draw(tmp_path / "now.svg")
    now, then = (
        np.array(re.findall(r"(?<=[ \"(])-?\d+\.\d+", file.read_text()), float)
        for file in (tmp_path / "now.svg", readme.FILE)
    )
    assert len(then) > 500
    np.testing.assert_allclose(now, then, atol=0.1)
    assert readme.FILE.stat().st_size < 200_000


def test_it_is_read_at_one_sitting_and_counts_rows_and_tasks_right():
    assert len(README.splitlines()) <= 250
    ours = sum(claim.paper == "sigprop" for claim in registry().values())
    rows = len(registry())
    assert (
        f"its {rows} rows {rows - ours} are statements of the four papers and {ours}"
        in README
    )
    assert f"one of {len(TASKS)} tasks" in README
