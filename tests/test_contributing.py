"""What CONTRIBUTING.md tells its reader to write and to type works, guide by guide.

Each guide is followed in a copy of the project: its blocks are written where it says, its
commands run as they stand, and what was added is judged, lawful or drawn.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image
from PIL.ImageColor import getrgb

from sigprop.figures import style
from sigprop.theory.claims import find
from tests.figures.test_kept import tracked
from tests.test_architecture import complaints, undocumented
from tests.test_readme import PROJECT, ROOT, blocks, check, commands, missing

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
COPIED = ("theory", "sigprop", "experiments", "figures", "docs", "tests")
LEFT = shutil.ignore_patterns("__pycache__", "results", "out")
WRITTEN = re.compile(
    r"^`([\w./]+)`[^\n]*:\n\n```(python|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
OPTIONS = PROJECT["tool"]["pytest"]["ini_options"]
MARKERS = [re.split(r"\W", line)[0] for line in OPTIONS["markers"]]
OWN = ("PYTEST_", "SIGPROP_RESULTS", "XLA_FLAGS")  # what commands must not inherit


class Edit(NamedTuple):
    """A file that a guide writes whole, or changes by a diff."""

    path: str
    language: str
    text: str


def sections(markdown):
    """The text below each heading, by the heading."""
    parts = re.split(r"^## (.*)\n", markdown, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def edits(section):
    return [Edit(*match) for match in WRITTEN.findall(section)]


GUIDES = {
    name: text for name, text in sections(TEXT).items() if name.startswith("Add a ")
}
CLAIM, LAYER, FIGURE, PAPER = GUIDES
EDITS = [edit for text in GUIDES.values() for edit in edits(text)]
NEW = [edit for edit in EDITS if edit.language == "python"]


def changed(source, diff):
    """A file with a diff applied, whose hunks have ``@@`` between them.

    Raises:
        ValueError: If the lines around a change are not there, or more than once.
    """
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        if (times := f"\n{source}".count(f"\n{old}")) != 1:
            raise ValueError(f"need these lines once, found {times} times:\n{old}")
        source = f"\n{source}".replace(f"\n{old}", f"\n{new}")[1:]
    return source


def write(edit, root):
    """Put an edit where it says; what is no diff must be a new file."""
    target = root / edit.path
    if edit.language == "diff":
        target.write_text(changed(target.read_text("utf-8"), edit.text), "utf-8")
        return
    target.parent.mkdir(exist_ok=True)
    with target.open("x", encoding="utf-8") as file:
        file.write(edit.text)


def copied(root):
    """A copy of the project without its results."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, root / folder, symlinks=True, ignore=LEFT)
    for file in ("pyproject.toml", "README.md"):  # tests read the README's examples
        shutil.copy(ROOT / file, root)
    return root


def run(command, root, minutes=10):
    """What a command prints in a copy of the project.

    Raises:
        RuntimeError: If it fails; the message is what the reader would see.
    """
    own = {name for name in os.environ if name.startswith(OWN)}
    inherited = {name: os.environ[name] for name in set(os.environ) - own}
    process = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=root,
        env=inherited
        | {
            "PYTHONPATH": str(root),
            "JAX_PLATFORMS": "cpu",
            "PYTEST_ADDOPTS": "-n 0 -p no:cacheprovider",
        },
        capture_output=True,
        text=True,
        timeout=60 * minutes,
    )
    if process.returncode:
        raise RuntimeError(f"{command} failed:\n{process.stdout}\n{process.stderr}")
    return process.stdout


def follow(section, root):
    """Follow a guide in a copy of the project; return what each command prints."""
    copied(root)
    for edit in edits(section):
        write(edit, root)
    return [run(command, root) for command in commands(section)]


def passed(output, *besides):
    """How many tests a run of pytest has passed, if it did nothing else but deselect.

    ``besides`` are other words of pytest's that may stand in its last line.
    """
    (line,) = re.findall(r"^=+ (.*) in .*=+$", output, re.MULTILINE)
    others = "|".join(("deselected", *besides))
    match = re.fullmatch(rf"(\d+) passed(?:, \d+ (?:{others}))*", line)
    assert match, line
    return int(match[1])


def drawn_in(picture):
    """Those of some colours that a picture has more than a little of, by name."""
    with Image.open(picture) as opened:
        pixels = np.asarray(opened.convert("RGB")).reshape(-1, 3)
    colours = {"purple": style.PURPLE, "blue": style.BLUE, "green": style.GREEN}
    counts = {
        name: (pixels == getrgb(colour)).all(1).sum()
        for name, colour in colours.items()
    }
    return {name for name, count in counts.items() if count > 200}


# --- the document


@pytest.mark.parametrize("section", GUIDES.values(), ids=GUIDES)
def test_every_block_of_a_guide_says_where_it_goes(section):
    written = [block for block in blocks(section) if block.language != "bash"]
    assert [block.text for block in written] == [edit.text for edit in edits(section)]
    assert commands(section)


def test_every_name_leads_somewhere_or_is_new():
    new = {edit.path for edit in NEW}
    assert set(missing(TEXT)) == new
    assert not any((ROOT / path).exists() for path in new)


@pytest.mark.parametrize("edit", NEW, ids=[edit.path for edit in NEW])
def test_a_new_file_keeps_to_the_rules_of_the_house(edit):
    assert undocumented(edit.text) == []


def test_new_files_are_as_the_linters_want_them(tmp_path):
    root = copied(tmp_path)
    for edit in EDITS:
        write(edit, root)
    python = " ".join(edit.path for edit in EDITS if edit.path.endswith(".py"))
    run(f"ruff check --no-cache {python}", root)
    run(f"ruff format --no-cache --check {python}", root)
    assert complaints(root) == ""


OTHERS = [
    command
    for name, text in {"": TEXT.partition("\n## ")[0], **sections(TEXT)}.items()
    if name not in GUIDES
    for command in commands(text)
]


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_outside_the_guides_is_one_that_exists(command):
    program, *arguments = shlex.split(command)
    if program != "pytest":
        check(command)
        return
    assert all((ROOT / argument).exists() for argument in arguments if "/" in argument)
    if "-m" in arguments:
        assert arguments[arguments.index("-m") + 1] in MARKERS


def test_the_example_of_a_condition_has_one():
    (claim_id,) = re.findall(r"`sigprop show (\S+)` shows an", GUIDES[CLAIM])
    assert find(claim_id).condition is not None


@pytest.mark.parametrize("marker", MARKERS)
def test_every_marker_is_explained(marker):
    assert re.search(rf"`{marker}(\(n\))?`", sections(TEXT)["How tests are organised"])


def test_hooks_are_the_linters_of_every_change_and_fetch_nothing():
    entries = re.findall(r"^ +entry: (.*)$", HOOKS, re.MULTILINE)
    assert entries == ["ruff check", "ruff format --check", "pyright"]
    assert re.findall(r"repo: (.*)", HOOKS) == ["local"]
    assert re.findall(r"language: (.*)", HOOKS) == ["system"] * len(entries)
    lines = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    for entry in entries:
        assert any(re.fullmatch(rf"{entry}( \.)?", line) for line in lines)


# --- its guides


def test_what_two_guides_add_is_judged_together(tmp_path):
    root = copied(tmp_path)
    for edit in edits(GUIDES[CLAIM]) + edits(GUIDES[PAPER]):
        write(edit, root)
    output = run("sigprop verify --claim sigprop:memory-share --claim demo:2", root)
    assert re.search(
        r"^sigprop:memory-share +proved +✓ +proof, brute force, impulse", output, re.M
    )
    routes = "proof, brute force, impulse response, closed form, simulation"
    assert re.search(rf"^demo:2 +refuted +✓ +{routes} ", output, re.M)


@pytest.mark.slow
def test_a_claim_is_judged(tmp_path):
    shown, verdict, tests = follow(GUIDES[CLAIM], tmp_path)
    assert "theory/papers/sigprop/memory.py" in shown
    assert "sigprop.evidence.sigprop.memory.by_impulse" in shown
    assert re.search(
        r"^sigprop:memory-share +proved +✓ +proof, brute force, impulse", verdict, re.M
    )
    assert "1 of 1 verdicts are as expected" in verdict
    assert passed(tests) >= 5


@pytest.mark.slow
def test_a_layer_is_lawful(tmp_path):
    laws, networks = follow(GUIDES[LAYER], tmp_path)
    count = (tmp_path / "tests/test_laws.py").read_text("utf-8").count("\ndef test_")
    assert passed(laws) == count >= 15
    assert passed(networks) >= 3


def test_a_figure_is_drawn(tmp_path):
    (printed,) = follow(GUIDES[FIGURE], tmp_path)
    page, picture, words = (Path(line) for line in printed.split())
    assert "The largest distance from the circular law" in words.read_text("utf-8")
    assert page.read_bytes().startswith(b"%PDF-")
    assert picture == tmp_path / "figures/out/sigprop-circle-smoke.png"
    assert drawn_in(picture) == {"purple", "blue"}  # a curve for each of two sizes


@pytest.mark.slow
def test_a_paper_is_judged(tmp_path):
    verdict, tests = follow(GUIDES[PAPER], tmp_path)
    rows = re.findall(r"^demo:(\d+) +([\w-]+) +✓ +([a-z ,-]*?)  ", verdict, re.M)
    routes = "proof, brute force, impulse response, closed form, simulation"
    assert rows == [("1", "definition", "-"), ("2", "refuted", routes)]
    assert passed(tests) >= 5


# Tests of the tables, pages and rules that a new thing must fit.
STRUCTURE = """
tests/theory/test_claims.py tests/theory/test_ledger.py tests/theory/test_errata.py
tests/theory/test_derivation.py tests/test_architecture.py tests/test_public.py
tests/test_cli.py tests/test_plain_words.py tests/sigprop/networks
tests/sigprop/evidence/test_table.py tests/sigprop/ledger/test_contents.py
tests/sigprop/ledger/test_addresses.py tests/sigprop/ledger/test_errata_pages.py
tests/figures/test_shown.py tests/figures/test_provenance.py
tests/experiments/test_keys.py
"""


@pytest.mark.slow(first=True)
def test_an_edited_tree_passes_the_tests_of_its_structure(tmp_path):
    """All guides are followed at once, and none asks for a list or a count elsewhere."""
    root = tracked(tmp_path / "project")
    for edit in EDITS:
        write(edit, root)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    output = run(f"pytest {' '.join(STRUCTURE.split())}", root, minutes=30)
    assert passed(output, "skipped") > 3000


BROKEN = {
    "a printed form": (CLAIM, "bar) ** T,", "bar) ** (T - 1),", "refuted +proved "),
    "a route": (CLAIM, "energy[:T]) /", "energy[1:T]) /", "refuted +proved "),
    "a layer that is not stable": (
        LAYER,
        "lam = jax.nn.sigmoid(self.decay)",
        "lam = 1.1 * jax.nn.sigmoid(self.decay)",
        "FAILED .*stability_is_kept",
    ),
    "a parameter without a group": (LAYER, ', "decay": "recurrent"', "", "every_param"),
    "a figure without its entry": (FIGURE, "ENTRY = E", "OTHER = E", "need a figure"),
    "a print that is right": (PAPER, "- sqrt(lam", "- (lam", "proved +refuted "),
    "a wrong correction": (PAPER, "(1 - lam *", "(2 - lam *", "undecided +refuted "),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guide", "right", "wrong", "message"), BROKEN.values(), ids=BROKEN
)
def test_a_broken_guide_is_found(guide, right, wrong, message, tmp_path):
    assert GUIDES[guide].count(right) == 1
    with pytest.raises(RuntimeError, match=message):
        follow(GUIDES[guide].replace(right, wrong), tmp_path)


@pytest.mark.slow
def test_a_figure_without_its_curves_is_found(tmp_path):
    curve = "axes.plot(one"
    assert GUIDES[FIGURE].count(curve) == 1
    follow(GUIDES[FIGURE].replace(curve, "True or axes.plot(one"), tmp_path)
    assert drawn_in(tmp_path / "figures/out/sigprop-circle-smoke.png") == set()


# --- the reader of diffs


def test_a_diff_changes_the_lines_that_it_shows():
    source = "a\nb\nc\nb\n"
    assert changed(source, " a\n+new\n b\n@@\n c\n-b\n") == "a\nnew\nb\nc\n"
    assert changed(source, "+new\n a\n") == f"new\n{source}"


@pytest.mark.parametrize(
    ("diff", "times"), [(" b\n+x\n", 2), (" d\n", 0), ("-ab\n", 0)]
)
def test_a_diff_of_lines_that_are_not_there_once_is_refused(diff, times):
    with pytest.raises(ValueError, match=f"found {times} times"):
        changed("a\nb\nc\nb\n", diff)


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "one.py").write_text("old")
    with pytest.raises(FileExistsError):
        write(Edit("one.py", "python", "new"), tmp_path)


@pytest.mark.parametrize("line", ["1 failed, 2 passed", "2 passed, 1 skipped", "none"])
def test_a_run_that_did_not_only_pass_is_not_counted(line):
    assert passed("==== 3 passed, 9 deselected in 1.0s ====\n") == 3
    with pytest.raises(AssertionError, match=line):
        passed(f"==== {line} in 1.0s ====\n")
