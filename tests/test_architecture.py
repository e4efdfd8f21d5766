"""The way through the house: who may import whom, and what every file must keep to.

The rules are read off the source, so that a forbidden import is found even where it
would run rarely or never; the second half of each section proves that the rule bites.
"""

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.imports import UNKNOWN, Import, imports

ROOT = Path(__file__).parents[1]
FOLDERS = (".ci", "theory", "sigprop", "experiments", "figures", "notebooks", "tests")
ROOMS = FOLDERS[1:]
GENERATED = ("__pycache__", "experiments/results", "figures/out")
TOP = {
    *ROOMS,
    *("pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md"),
    "CONTRIBUTING.md",
}

PLOTTING = {"matplotlib", "seaborn"}
COMPUTING = {"jax", "jaxlib", "equinox", "optax", "sympy", "mpmath"}
ENDS = {"notebooks", "tests"}  # rooms that nobody imports

# Modules that are looked up by a name that only a table knows: tested here, test_public.
BY_TABLE = {"sigprop/numerics/exports.py"}


@dataclass(frozen=True)
class Rule:
    """What a room or a file may import; longer dotted names win over shorter ones."""

    never: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    lazily: frozenset[str] = frozenset()  # inside functions only
    only: frozenset[str] | None = None  # beside the standard library

    def complaint(self, found: "Import") -> str | None:
        """Why an import is forbidden, if it is."""
        top = found.module.partition(".")[0]
        if top == "outside":
            return f"line {found.line} imports {found.module}, a name of the user's"
        if _within(found.module, self.but):
            return None
        if _within(found.module, self.never):
            return f"line {found.line} imports {found.module}"
        if not found.lazy and _within(found.module, self.lazily):
            return f"line {found.line} imports {found.module} outside a function"
        if self.only is not None and top not in self.only | sys.stdlib_module_names:
            return f"line {found.line} imports {found.module}"
        return None


def rule(never=(), but=(), lazily=(), only=None) -> Rule:
    allowed = None if only is None else frozenset(only)
    return Rule(frozenset(never), frozenset(but), frozenset(lazily), allowed)


UPWARD = {"experiments", "figures"} | PLOTTING
KEPT = {"experiments.store", "experiments.padding"}
RULES = {
    "theory": rule(only={"theory", "sympy", "mpmath"}),
    "sigprop": rule(never=UPWARD | ENDS),
    "sigprop/cli": rule(never=ENDS, lazily=UPWARD),
    "sigprop/judge": rule(
        never=UPWARD | ENDS | {"sigprop.evidence", "sigprop.ledger", "sigprop.cli"}
    ),
    "experiments": rule(
        never=UPWARD | ENDS | {"sigprop.cli"},
        but={
            "experiments.store",
            "experiments.command",
            "experiments.progress",
            "experiments.rows",
        },
    ),
    "experiments/tables.py": rule(
        never=UPWARD | ENDS,
        but={"experiments.store", "experiments.published", "experiments.columns"},
    ),
    "experiments/columns.py": rule(never=UPWARD | ENDS, but={"experiments.published"}),
    "experiments/charts.py": rule(
        never=UPWARD | ENDS, but={"experiments.tables", "experiments.published"}
    ),
    "experiments/plans.py": rule(never=UPWARD - {"experiments"} | ENDS),
    "experiments/studies.py": rule(never=UPWARD - {"experiments"} | ENDS),
    "experiments/sweep.py": rule(never=UPWARD - {"experiments"} | ENDS),
    "experiments/teacher_student": rule(
        never=UPWARD | ENDS,
        but={"experiments.store", "experiments.teacher_student"},
    ),
    **{
        f"experiments/{a}": rule(never=UPWARD | ENDS, but=KEPT | {f"experiments.{a}"})
        for a in ("advised", "long_range")
    },
    "experiments/forecasting": rule(
        never=UPWARD | ENDS, but={"experiments.padding", "experiments.forecasting"}
    ),
    "experiments/verdicts": rule(
        never=UPWARD | ENDS, but={"experiments.store", "experiments.verdicts"}
    ),
    "experiments/command.py": rule(never={"figures"} | PLOTTING | ENDS),
    "experiments/store.py": rule(
        never={"sigprop", "theory"} | UPWARD | COMPUTING | ENDS,
        but={"experiments.netcdf", "sigprop.numerics.files"},
    ),
    "experiments/netcdf.py": rule(
        never={"sigprop", "theory"} | UPWARD | COMPUTING | ENDS,
        but={"sigprop.numerics.files"},
    ),
    "figures": rule(
        never={"experiments"},
        but={"experiments.store"},
        only={"figures", "experiments", "numpy", "xarray"} | PLOTTING,
    ),
    "notebooks": rule(never=ENDS),
    "tests": rule(never={"notebooks"}),
}


def _within(module: str, packages: frozenset[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in packages)


def complaints(source: str, path: str) -> list[str]:
    """Every import of a file that its room forbids."""
    places = [path, path.rpartition("/")[0], path.partition("/")[0]]
    applied = next(RULES[place] for place in places if place in RULES)
    found = []
    for one in imports(source, path):
        if one.module == UNKNOWN:
            reason = None if path in BY_TABLE or path.startswith("tests/") else UNKNOWN
        else:
            reason = applied.complaint(one)
        if reason:
            found.append(f"{path}: {reason}")
    return found


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


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_every_import_is_allowed(path):
    assert complaints(path.read_text("utf-8"), relative(path)) == []


def test_every_room_and_every_special_file_was_looked_at():
    seen = {relative(path) for path in SOURCES}
    for place in RULES:
        assert place in seen or any(path.startswith(f"{place}/") for path in seen)
    assert seen >= BY_TABLE


@pytest.mark.parametrize(
    ("path", "source", "module"),
    [
        ("theory/new.py", "import jax", "jax"),
        ("theory/new.py", "import jax.numpy as jnp", "jax.numpy"),
        ("theory/new.py", "import numpy as np", "numpy"),
        ("theory/new.py", "import sympy, scipy", "scipy"),
        (
            "theory/new.py",
            "def f():\n from sigprop.neuron import stable",
            "sigprop.neuron.stable",
        ),
        (
            "theory/papers/new.py",
            "from ...sigprop.neuron import stable",
            "sigprop.neuron.stable",
        ),
        ("theory/new.py", "import importlib as i\ni.import_module('jax')", "jax"),
        ("theory/new.py", "from theory import rows", "outside.theory.rows"),
        ("sigprop/new.py", "import experiments.store", "outside.experiments.store"),
        ("theory/new.py", "async def f():\n import equinox", "equinox"),
        (
            "sigprop/new.py",
            "from sigprop.experiments import store",
            "experiments.store",
        ),
        ("sigprop/new.py", "def f():\n import matplotlib.pyplot", "matplotlib.pyplot"),
        ("sigprop/new.py", "f = lambda: __import__('sigprop.figures')", "figures"),
        ("sigprop/new.py", "from ..figures import style", "figures.style"),
        ("sigprop/new.py", "if TYPE_CHECKING:\n import seaborn", "seaborn"),
        ("sigprop/new.py", "class A:\n from notebooks import x", "notebooks.x"),
        ("sigprop/new.py", "def f(n):\n import_module(n)", UNKNOWN),
        ("sigprop/new.py", "def f(n):\n import_module(f'{n}.x')", UNKNOWN),
        ("sigprop/new.py", "import_module(f'sigprop.figures.{name}')", "figures"),
        ("sigprop/new.py", "exec('import ' + name)", UNKNOWN),
        ("sigprop/new.py", "try:\n import tests\nexcept ImportError: pass", "tests"),
        (
            "sigprop/cli/main.py",
            "from sigprop.figures import catalogue",
            "figures.catalogue",
        ),
        ("sigprop/cli/main.py", "import matplotlib", "matplotlib"),
        ("sigprop/cli/main.py", "def f():\n import notebooks", "notebooks"),
        (
            "experiments/new.py",
            "from sigprop.experiments import ring_gain",
            "ring_gain",
        ),
        ("experiments/new.py", "from . import ring_gain", "experiments.ring_gain"),
        ("experiments/new.py", "from .ring_gain import run", "ring_gain.run"),
        (
            "experiments/new.py",
            "from sigprop.figures.style import save",
            "figures.style.save",
        ),
        ("experiments/command.py", "import seaborn", "seaborn"),
        ("experiments/store.py", "def f():\n import jax", "jax"),
        ("experiments/store.py", "from sympy import latex", "sympy.latex"),
        (
            "experiments/store.py",
            "from sigprop.numerics import precision",
            "sigprop.numerics.precision",
        ),
        ("experiments/store.py", "from sigprop.experiments import command", "command"),
        ("figures/new.py", "import jax", "jax"),
        ("figures/new.py", "import sympy", "sympy"),
        ("figures/new.py", "def f():\n from sigprop import x", "sigprop.x"),
        (
            "figures/new.py",
            "from sigprop.theory.claims import find",
            "theory.claims.find",
        ),
        ("figures/new.py", "from sigprop.experiments import ring_gain", "ring_gain"),
        ("figures/new.py", "import sigprop.experiments", "experiments"),
        ("figures/new.py", "import scipy", "scipy"),
        ("notebooks/new.py", "from tests import conftest", "tests.conftest"),
        ("tests/new.py", "import notebooks", "notebooks"),
    ],
)
def test_a_forbidden_import_is_found(path, source, module):
    (complaint,) = complaints(source, path)
    assert path in complaint
    assert module in complaint


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("theory/new.py", "import math, mpmath\nfrom sympy import exp"),
        ("theory/papers/new.py", "from .. import diagonal\nfrom . import grids"),
        ("theory/new.py", "import_module(f'sigprop.theory.papers.{paper}')"),
        ("sigprop/new.py", "import jax\nfrom sigprop.theory import diagonal"),
        (
            "sigprop/cli/main.py",
            "def figure():\n from sigprop.figures.catalogue import entries",
        ),
        (
            "experiments/new.py",
            "from sigprop.experiments import store\nimport sigprop, jax",
        ),
        ("experiments/new.py", "from sigprop.experiments.command import main"),
        ("experiments/command.py", "import_module(f'sigprop.experiments.{study}')"),
        ("experiments/store.py", "import h5netcdf, xarray"),
        (
            "figures/new.py",
            "from sigprop.experiments import store\nfrom . import style",
        ),
        (
            "notebooks/new.py",
            "import sigprop, matplotlib, sigprop.experiments.ring_gain",
        ),
    ],
)
def test_an_allowed_import_is_let_through(path, source):
    assert complaints(source, path) == []


def test_figures_and_the_store_load_no_computing_package_even_indirectly():
    code = (
        "import sys; from sigprop.figures import catalogue; catalogue.entries()\n"
        "print(*(m for m in sys.modules if m.startswith('sigprop') and not "
        "m.startswith(('sigprop.figures', 'sigprop.experiments')) "
        "or m in ('jax', 'sympy', 'matplotlib')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) == {
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
    return [hit.group() for one in (UNFINISHED, MACHINE) for hit in one.finditer(text)]


def test_no_file_names_a_machine_or_is_unfinished():
    found = {}
    for path in files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # an image has no words
        if stains(text):
            found[relative(path)] = stains(text)
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        *(f"# {a}{b}: later" for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"))),
        *(
            f"open('/{place}/data.csv')"
            for place in ("work", "home/me", "tmp", "mnt/x")
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
    found = {
        relative(path): names
        for path in SOURCES
        if relative(path).partition("/")[0] in rooms
        and (names := undocumented(path.read_text("utf-8")))
    }
    assert found == {}


def test_a_bare_name_is_found():
    source = '"""Module."""\ndef f(): pass\nclass C:\n  "Said."\nasync def g(): pass'
    assert undocumented(source) == ["f", "g"]
    assert undocumented("def _f(): pass") == ["the module"]


def postpones_annotations(source: str) -> bool:
    return any(one.module == "__future__.annotations" for one in imports(source, ""))


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
