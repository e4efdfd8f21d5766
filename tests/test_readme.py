"""What the README tells its reader to type works, and what it shows is still true."""

import functools
import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import typer
from safetensors.numpy import save_file

from sigprop.cli.main import app
from sigprop.figures import readme
from sigprop.figures.catalogue import entries
from sigprop.judge.plans import TIERS
from sigprop.ledger.faults import WRONG
from sigprop.ledger.headline import headlines
from sigprop.numerics.devices import DEVICES
from sigprop.theory.claims import PAPERS, registry
from tests.announced import announced_run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
THEORY = (ROOT / "theory" / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SET_UP = ("pip install -e . && sigprop verify", "pip install -e '.[test]' && pytest")
SHELL = ("bash", "sh", "shell", "console")

# Commands that answer within seconds; the others are checked against the options that
# the command line knows, and run by tests of their own.
QUICK = (
    "sigprop show",
    "sigprop figure --list",
    "sigprop verify --claim",
    "sigprop lint",
)


class Block(NamedTuple):
    language: str
    text: str


def blocks(markdown: str) -> list[Block]:
    matches = re.findall(r"^```(\w*)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    return [Block(*match) for match in matches]


def commands(markdown: str) -> list[str]:
    """Every command of every shell block, those joined by ``&&`` apart."""
    lines = [
        line.removeprefix("$ ").strip()
        for block in blocks(markdown)
        if block.language in SHELL
        for line in block.text.replace("\\\n", " ").splitlines()
    ]
    command_lines = [line for line in lines if line and not line.startswith("#")]
    return [part.strip() for line in command_lines for part in line.split("&&")]


def run_python(source: str, folder: Path) -> str:
    """Execute a block, and the tests that it defines, as its reader would, in a folder.

    Raises:
        RuntimeError: If it fails; the message is what the reader would see.
    """
    call = "for name in [*globals()]:\n    if name[:5] == 'test_': globals()[name]()\n"
    result = start("-c", f"{source}\n{call}", cwd=folder)
    if result.returncode:
        raise RuntimeError(result.stderr)
    return result.stdout


def start(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Start Python with our packages in its reach."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu", "COLUMNS": "80"},
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
        "name": entries(),
        "preset": ("smoke", "quick", "paper"),
    }
    for option, allowed in known.items():
        texts = values.get(option) or ()
        for value in (texts,) if isinstance(texts, str) else texts:
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


def typed(markdown: str) -> list[str]:
    """The commands of a page's shell blocks, and those inside its sentences."""
    prose = re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`((?:sigprop|pip) [^`\n]+)`", prose)
    return [
        *commands(markdown),
        *(part for code in inline for part in code.split(" && ")),
    ]


COMMANDS = list(dict.fromkeys([*typed(README), *typed(THEORY)]))
RUN = [command for command in COMMANDS if command.startswith(QUICK)]


def checkpoint() -> dict[str, np.ndarray]:
    """A Mamba-1 layer whose longest time constant is 100 steps."""
    rates = np.tile(np.arange(1.0, 5.0), (8, 1))
    layer = {"A_log": np.log(rates), "D": np.ones(8), "dt_proj.bias": np.full(8, -4.6)}
    layer |= {"dt_proj.weight": np.linspace(-0.01, 0.01, 8)[:, None]}
    layer |= {"x_proj.weight": np.linspace(-0.1, 0.1, 72).reshape(9, 8)}
    return {f"mixer.{name}": array.astype("float32") for name, array in layer.items()}


@pytest.fixture(scope="module")
def sigprop(tmp_path_factory):
    """Run a command once where the reader would, with a checkpoint at hand."""
    folder = tmp_path_factory.mktemp("reader")
    save_file(checkpoint(), folder / "model.safetensors")

    @functools.cache
    def run(command: str, data: Path | None = None) -> subprocess.CompletedProcess[str]:
        if data is not None:
            (folder / data.name).write_bytes(data.read_bytes())
        return start("-m", "sigprop", *shlex.split(command)[1:], cwd=folder)

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


SHOWN = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", README, re.M | re.S)
SILENT = [source for source in PYTHON if source not in {text for text, _ in SHOWN}]


@pytest.mark.parametrize("source", SILENT, ids=lambda text: text.splitlines()[-1])
def test_python_block_runs(source, tmp_path):
    run_python(source, tmp_path)


@pytest.mark.parametrize(
    ("source", "shown"), SHOWN, ids=[case[1].split("\n")[0] for case in SHOWN]
)
def test_the_output_shown_is_that_of_the_block(source, shown, tmp_path):
    assert run_python(source, tmp_path) == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_one_that_exists(command):
    check(command)


@pytest.mark.parametrize("command", RUN)
def test_quick_command_runs(command, sigprop):
    result = sigprop(command)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_each_kind_of_command_is_there_to_be_checked():
    assert len(PYTHON) >= 2
    assert SHOWN
    for start in ("sigprop verify --tier", "sigprop figure", "pip install", "pytest"):
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
    """The lines that README or the page of equations quotes from a command's output."""
    (after,) = (README + THEORY).split(f"<!-- excerpt of: {command} -->\n")[1:]
    return without_seconds(blocks(after)[0].text)


def without_seconds(output: str) -> list[str]:
    """Lines of a command's output, without the time that each row took."""
    return [
        re.sub(r"\bseconds \d+\.\d$", "", line.rstrip()) for line in output.splitlines()
    ]


def quotes(printed: str, command: str) -> bool:
    """Whether the quoted lines stand in the output, one below the other."""
    lines, quoted = without_seconds(printed), excerpt(command)
    assert quoted
    starts = [i for i, line in enumerate(lines) if line == quoted[0]]
    return any(lines[i : i + len(quoted)] == quoted for i in starts)


EXCERPTS = re.findall(r"<!-- excerpt of: (.*?) -->", README + THEORY)
OF_DATA = "sigprop series ETTh1.csv"


@pytest.mark.parametrize("command", [name for name in EXCERPTS if name != OF_DATA])
def test_quoted_output_is_what_the_command_prints(command, sigprop):
    printed = sigprop(command).stdout
    assert quotes(printed, command), printed


@pytest.mark.data("ett/ETTh1.csv")
def test_quoted_moments_of_data_are_what_the_command_prints(sigprop, real_data):
    printed = sigprop(OF_DATA, real_data).stdout
    assert quotes(printed, OF_DATA), printed
    white, measured = (
        float(re.search(rf"{name} (\S+)", " ".join(excerpt(OF_DATA)))[1])
        for name in ("white", "measured")
    )
    assert f"the sensitivity by a factor of {measured / white:.0f}." in " ".join(
        THEORY.split()
    )


def test_a_checkpoint_a_formula_and_data_are_examined_in_print():
    assert {command.split()[1] for command in EXCERPTS} == {
        "verify",
        "lint",
        "series",
    }
    assert OF_DATA in EXCERPTS


def missing(markdown: str) -> list[str]:
    """Names in code type that look like ours and lead nowhere."""
    absent = []
    for name in re.findall(
        r"`([^`\n]+)`", re.sub(r"```.*?```", "", markdown, flags=re.S)
    ):
        ours = name.split(":")[0] in PAPERS and ":" in name
        if ours and name not in registry():
            absent.append(name)
        elif re.fullmatch(
            r"(theory|sigprop|experiments|figures|tests|notebooks)/\S*", name
        ):
            absent += [] if (ROOT / name).exists() else [name]
        elif re.fullmatch(r"(theory|sigprop|experiments)\.[\w.]+", name):
            absent += [] if _resolves(name) else [name]
        elif (
            re.fullmatch(r"(zucchet|lru|rotrnn|blur)-\w+", name)
            and name not in entries()
        ):
            absent.append(name)
    return absent


def _resolves(name: str) -> bool:
    package, _, attribute = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(package), attribute) or bool(
            importlib.import_module(name)
        )
    except ImportError:
        return False


@pytest.mark.parametrize(
    "page", ["README.md", "theory/README.md", "theory/GLOSSARY.md"]
)
def test_every_name_leads_somewhere(page):
    assert missing((ROOT / page).read_text("utf-8")) == []


def links(page: str) -> list[str]:
    """Targets of a page's links to files that are not there."""
    text, folder = (ROOT / page).read_text("utf-8"), (ROOT / page).parent
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", text)
    assert targets
    return [target for target in targets if not (folder / target).exists()]


@pytest.mark.parametrize("page", ["README.md", "theory/README.md", "CONTRIBUTING.md"])
def test_every_link_leads_somewhere(page):
    assert links(page) == []


def test_a_name_that_leads_nowhere_is_found():
    wrong = [
        "zucchet:599",
        "theory/nothing.py",
        "sigprop.neuron.stable.nothing",
        "lru-99",
    ]
    right = ["zucchet:59", "theory/ring.py", "sigprop.neuron.stable.ring_gain", "lru-9"]
    assert missing(" and ".join(f"`{name}`" for name in wrong + right)) == wrong


def test_listed_errata_are_some_of_those_that_are_reported():
    section = THEORY.partition("## Errata")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    wrong = {c.id for c in registry().values() if c.expected in WRONG}
    assert len(listed) > 12
    assert listed <= wrong


def test_the_numbers_of_statements_and_errors_are_those_of_the_ledger():
    """About a number is within a tenth of it, or two."""
    papers = headlines(announced_run().claims).values()
    statements = sum(paper.statements for paper in papers)
    errors = sum(paper.total for paper in papers)
    classes = [sum(paper.errors[letter] for paper in papers) for letter in "ABCDE"]
    texts = [" ".join(text.split()) for text in (README, THEORY)]
    pattern = (
        r"more than (\d+) statements\b.*?about (\d+) errors"
        r".*?about (\d+) (?:are \[)?wrong"
    )
    for least, *counts in (map(int, re.search(pattern, t).groups()) for t in texts):
        assert least <= statements < 1.2 * least
        for written, true in zip(counts, (errors, classes[0]), strict=True):
            assert abs(written - true) <= max(2, true / 10)
    by_class = re.search(
        r"errors: about (\d+).*?, (\d+).*?, (\d+).*?, (\d+).*?and (\d+)", texts[1]
    )
    assert by_class
    for written, true in zip(map(int, by_class.groups()), classes, strict=True):
        assert abs(written - true) <= max(2, true / 10)


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


def test_it_is_read_at_one_sitting():
    assert len(README.splitlines()) <= 160
