"""The way through the house: who may import whom, and what every file must keep to.

Import-linter and ruff read the rules of ``pyproject.toml`` off the source, so that a
forbidden import is found even where it would run rarely or never.  Here is what they cannot
say, and that each rule bites.
"""

import ast
import copy
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (
    ".ci",
    "docs",
    "theory",
    "sigprop",
    "experiments",
    "figures",
    "notebooks",
    "tests",
)
ROOMS = FOLDERS[2:]
PACKAGE = ("theory", "sigprop", "experiments", "figures")
GENERATED = ("__pycache__", "experiments/results", "figures/out")
TOP = {
    *ROOMS,
    "docs",
    *("pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md"),
    "CONTRIBUTING.md",
}


def files(*suffixes: str) -> list[Path]:
    """The files of the source tree, generated ones left out."""
    top = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    below = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(
        path
        for path in top + below
        if path.is_file()
        and (not suffixes or path.suffix in suffixes)
        and not any(f"{part}/" in f"{relative(path)}/" for part in GENERATED)
    )


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SOURCES = [path for path in files(".py") if relative(path).partition("/")[0] in ROOMS]


LINTERS = ("lint-imports --no-cache", "ruff check --no-cache --quiet --select TID .")


def complaints(root):
    """What the two linters say of the imports of a tree; empty if they allow all."""
    output = ""
    for command in LINTERS:
        program, *options = command.split()
        process = subprocess.run(
            [Path(sys.executable).with_name(program), *options],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        output += process.stdout + process.stderr if process.returncode else ""
    return output


def test_every_import_is_allowed():
    assert complaints(ROOT) == ""


PLANTED = {
    "theory/new.py": "def f():\n    from sigprop.neuron import stable",
    "sigprop/numerics/new.py": "if 1 < 0:\n    import sigprop.cli.main",
    "sigprop/judge/new.py": "from ..evidence import kit",
    "sigprop/ledger/new.py": "from sigprop.experiments import store",
    "experiments/new.py": "from . import ring_gain",
    "experiments/advised/new.py": "from sigprop.figures import style",
    "sigprop/linear/new.py": "try:\n    import seaborn\nexcept ImportError: pass",
    "sigprop/tasks/new.py": "class A:\n    import tests.conftest",
    "sigprop/room/__init__.py": "",
    "sigprop/cli/new.py": "from sigprop.figures import style",
    "sigprop/layers/new.py": "import experiments.store",
    "tests/new.py": "def f():\n    from theory import rows",
    "notebooks/new.py": "from sigprop.notebooks import forecasting",
}
FOUND = [
    "sigprop.theory.new -> sigprop.neuron.stable (l.2)",
    "sigprop.numerics.new -> sigprop.cli.main (l.2)",
    "sigprop.judge.new -> sigprop.evidence.kit (l.1)",
    "sigprop.ledger.new -> sigprop.experiments.store (l.1)",
    "sigprop.experiments.new -> sigprop.experiments.ring_gain (l.1)",
    "sigprop.experiments.advised.new -> sigprop.figures.style (l.1)",
    "sigprop.linear.new -> seaborn (l.2)",
    "sigprop.tasks.new -> tests (l.2)",
    "- sigprop.room\n",
    "sigprop/cli/new.py",
    "sigprop/layers/new.py",
    "tests/new.py",
    "notebooks/new.py",
]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """What the linters say of a copy in which every rule is broken once."""
    root = tmp_path_factory.mktemp("planted")
    for folder in PACKAGE:
        left = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(ROOT / folder, root / folder, symlinks=True, ignore=left)
    shutil.copy(ROOT / "pyproject.toml", root)
    for path, text in PLANTED.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return complaints(root)


@pytest.mark.parametrize("message", FOUND)
def test_a_forbidden_import_is_found(planted, message):
    assert message in planted


@pytest.fixture(scope="module")
def graph():
    """Which module imports which, lazily or not, and which other packages."""
    return grimp.build_graph("sigprop", include_external_packages=True, cache_dir=None)


def with_import(graph, importer, imported):
    changed = copy.deepcopy(graph)
    changed.add_import(importer=importer, imported=imported)
    return changed


ONLY = {
    "theory": {"sympy", "mpmath"},
    "figures": {
        "numpy",
        "xarray",
        "matplotlib",
        "seaborn",
        "sigprop.experiments.command",
        "sigprop.experiments.statuses",
        "sigprop.experiments.store",
        "sigprop.numerics.files",
        "sigprop.numerics.interruption",
    },
    "experiments.store": {
        *("platformdirs", "xarray", "sigprop.experiments.netcdf"),
        "sigprop.numerics.files",
    },
    "experiments.netcdf": {"h5py", "numpy", "xarray", "sigprop.numerics.files"},
    # Nothing that could hold a closed form or a layer, which a route judges.
    "evidence.kit": {"numpy", "scipy", "mpmath", "jaxtyping"},
}


def foreign(graph, room):
    """What a room or a file imports beside itself, what it may, and Python's library."""
    home = f"sigprop.{room}"
    inside = {home} | graph.find_descendants(home)
    modules = set().union(*map(graph.find_modules_directly_imported_by, inside))
    return modules - inside - ONLY[room] - sys.stdlib_module_names


@pytest.mark.parametrize("room", ONLY)
def test_some_rooms_and_files_import_little(graph, room):
    assert foreign(graph, room) == set()
    for other in ("jax", "sigprop.layers.lru"):
        changed = with_import(graph, f"sigprop.{room}", other)
        assert foreign(changed, room) == {other}


def circle(graph):
    """Modules that import each other in a ring, if any do."""
    below = {
        module: graph.find_modules_directly_imported_by(module)
        for module in graph.modules
    }
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle(graph):
    assert circle(graph) == []
    base = "sigprop.layers.base"
    for above in ("sigprop.layers.stack", "sigprop.layers"):  # a package too
        assert set(circle(with_import(graph, base, above))) >= {base, above}


MOST_ARROWS = 129


def arrows(graph):
    """How many rooms import how many others."""
    rooms = copy.deepcopy(graph)
    for room in graph.find_children("sigprop"):
        rooms.squash_module(room)
    return sum(
        len(
            rooms.find_modules_directly_imported_by(room)
            & rooms.find_children("sigprop")
        )
        for room in rooms.find_children("sigprop")
    )


def test_rooms_import_few_others(graph):
    assert arrows(graph) <= MOST_ARROWS
    more = with_import(graph, "sigprop.theory.rows", "sigprop.cli.main")
    assert arrows(more) == arrows(graph) + 1


BY_NAME = {  # modules of their own rooms
    "experiments/studies.py",
    "figures/catalogue.py",
    "sigprop/evidence/__init__.py",
    "sigprop/numerics/exports.py",
    "theory/claims.py",
}
LOOKED_UP = re.compile(r"(?<!\w)(import_module|__import__)\(|(?<![\w.])(exec|eval)\(")


def test_modules_are_looked_up_by_name_in_few_files():
    paths = {
        relative(path)
        for path in SOURCES
        if relative(path).partition("/")[0] in PACKAGE
        and LOOKED_UP.search(path.read_text("utf-8"))
    }
    assert paths == BY_NAME
    for text in ("i.import_module('jax')", "__import__(n)", "exec('import ' + name)"):
        assert LOOKED_UP.search(text)


def test_figures_and_the_store_load_no_computing_package_even_indirectly():
    code = (
        "import sys; from sigprop.figures import catalogue; catalogue.entries()\n"
        "print(*(m for m in sys.modules if m.startswith('sigprop') and not "
        "m.startswith(('sigprop.figures', 'sigprop.experiments')) "
        "or m in ('jax', 'sympy', 'matplotlib')))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(process.stdout.split()) == {
        "matplotlib",
        "sigprop",
        *("sigprop.numerics", "sigprop.numerics.exports", "sigprop.numerics.files"),
        "sigprop.theory",  # says how much SymPy remembers, without loading it
    }


# Written in pieces, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE = re.compile(
    r"(?<![\w.:/])/(work|home|Users|root|tmp|mnt|opt|var|usr/local)/\w|\bC:\\Us" + "ers"
)


def stains(text: str) -> list[str]:
    """Paths of one machine, and notes that something is unfinished."""
    return [
        hit.group()
        for pattern in (UNFINISHED, MACHINE)
        for hit in pattern.finditer(text)
    ]


def test_no_file_names_a_machine_or_is_unfinished():
    problems = {}
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # an image has no words
        if stains(text):
            problems[relative(path)] = stains(text)
    assert problems == {}


@pytest.mark.parametrize(
    "text",
    [
        *(f"# {a}{b}: later" for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"))),
        *(
            f"open('/{folder}/data.csv')"
            for folder in ("work", "home/me", "tmp", "mnt/x")
        ),
        "C:" + r"\Users\me",
    ],
)
def test_a_stain_is_found(text):
    assert stains(text)


@pytest.mark.parametrize(
    "text", ["#!/usr/bin/env bash", "https://x.org/home/y", "../shared/data", "a/tmp/b"]
)
def test_a_clean_line_is_none(text):
    assert not stains(text)


def undocumented(source: str) -> list[str]:
    """The module itself, and its public functions and classes, without a docstring."""
    tree = ast.parse(source)
    bare = [] if ast.get_docstring(tree) else ["the module"]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    for node in tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            bare += [] if ast.get_docstring(node) else [node.name]
    return bare


def test_every_public_name_says_what_it_does():
    rooms = ("theory", "sigprop", "experiments")
    bare = {
        relative(path): names
        for path in SOURCES
        if relative(path).partition("/")[0] in rooms
        and (names := undocumented(path.read_text("utf-8")))
    }
    assert bare == {}


def test_a_bare_name_is_found():
    source = '"""Module."""\ndef f(): pass\nclass C:\n  "Said."\nasync def g(): pass'
    assert undocumented(source) == ["f", "g"]
    assert undocumented("def _f(): pass") == ["the module"]


RIDDLE = re.compile(r"(What|How|Which|Whether|Where|Why)\b")


def riddles(source: str) -> list[str]:
    """The module itself, and its public names, whose docstrings open like a question."""
    tree = ast.parse(source)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    nodes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, kinds) and not node.name.startswith("_")
    ]
    return [
        getattr(node, "name", "the module")
        for node in (tree, *nodes)
        if RIDDLE.match(ast.get_docstring(node) or "")
    ]


def test_docstrings_say_what_a_name_is_or_does():
    read = {
        relative(path): riddles(path.read_text("utf-8"))
        for path in SOURCES
        if relative(path).partition("/")[0] in PACKAGE
    }
    assert read
    assert {file: names for file, names in read.items() if names} == {}


def test_a_docstring_that_opens_like_a_question_is_found():
    source = (
        '"""Why."""\nclass C:\n  "Whatever."\n  def f(): "What it is."\n'
        'def g(): "How far."\ndef _h(): "Where."\nasync def k(): "Return it."'
    )
    assert riddles(source) == ["the module", "g", "f"]


def postpones_annotations(source: str) -> bool:
    return "from __future__ import annotations" in source


def test_annotations_stay_objects_so_that_shapes_are_checked():
    rooms = ("sigprop/", "experiments/")
    inside = [path for path in SOURCES if relative(path).startswith(rooms)]
    assert inside
    assert not [p for p in inside if postpones_annotations(p.read_text("utf-8"))]
    assert postpones_annotations("from __future__ import annotations")


def strangers(names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith(".")} - TOP


def test_nothing_else_stands_at_the_top():
    try:
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the tree is not a git checkout, so what belongs to it is unknown")
    assert strangers(
        {line.partition("/")[0] for line in listed.stdout.splitlines()}
    ) == (set())
    assert strangers({"scripts", ".ci", "theory"}) == {"scripts"}
