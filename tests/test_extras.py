"""A plain install does its work without any extra, and names the extra that is needed."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from safetensors.numpy import save_file

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def brought(requirements):
    """The distributions that requirements bring, with all that these require."""
    names, todo = set(), [*map(Requirement, requirements)]
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in names or (
            requirement.marker and not requirement.marker.evaluate({"extra": ""})
        ):
            continue
        names.add(name)
        todo += map(Requirement, distribution(name).requires or ())
    return names


def others():
    """The modules that are installed here and that a plain install does not bring.

    Of Sphinx only what it brings is hidden: beartype takes its name among the imported
    ones, hidden or not, for a build of documentation.
    """
    plain = brought(PROJECT["dependencies"]) | {"sigprop"}
    return {
        module
        for module, names in packages_distributions().items()
        if not plain & set(map(canonicalize_name, names))
    } - {"sphinx"}


CHILD = """
import json, sys
from pathlib import Path

hidden, calls, modules = json.load(sys.stdin)
sys.modules.update(dict.fromkeys(hidden))  # an import of these fails

from typer.testing import CliRunner
from sigprop.cli.main import app
from sigprop.figures import style

style.folder = lambda: Path("drawn")
found = {"failed": {}, "ran": []}
for call in calls:
    done = CliRunner().invoke(app, call)
    found["ran"].append([done.exit_code, done.stdout, done.stderr])
for module in modules:
    try:
        __import__(module)
    except ImportError as error:
        found["failed"][module] = error.name
json.dump(found, open(sys.argv[1], "w"))
"""

CLAIMS = ("zucchet:59", "lru:prop3.3", "blur:thm4.1")
WORK = {  # what a plain install does, and a piece of what it prints
    "claims": (("claims",), "zucchet:59"),
    "claims as JSON": (("claims", "--json", "-"), '"id": "zucchet:59"'),
    "show": (("show", "zucchet:59"), "199 of 199 refuted"),
    "verify": (
        ("verify", *(f"--claim={claim}" for claim in CLAIMS), "--json", "rows.json"),
        "without a verdict: 1 not checkable",
    ),
    "figure": (("figure", "lru-9", "--format", "png"), "lru-9.png"),
    "a list of figures": (("figure", "--list"), "zucchet-1a"),
    "lint": (("lint", "model.safetensors", "--length", "8"), "1 recurrent layer"),
    "table": (("table", "lru-7"), "lru-7"),
    "advise": (("advise", "--length", "1000", "--rho", "0.9"), "1000"),
    "models": (("models",), "rotrnn"),
    "a benchmark": (("benchmark", "write", "asked"), "statements to judge"),
    "scores": (("benchmark", "score", "asked/answers.json"), "unanswered"),
}
LEDGER = "ledger"  # it judges for minutes, so the place of its rows is refused before
NEEDS = {  # what needs an extra: the command, the package, what for, and the extra
    "digits": (("train", "digits"), "sklearn", "the digits", "data"),
    "a forecast": (("train", "forecast"), "statsmodels", "the table co2", "data"),
    "msgpack": (("lint", "model.msgpack"), "msgpack", "model.msgpack", "interop"),
    "a report": (
        ("verify", "--report", "page.html"),
        "jinja2",
        "--report",
        "site",
    ),
    "the site": (("ledger", "--html", "pages"), "jinja2", "--html", "site"),
    "a gallery": (("figure", "--gallery", "all"), "jinja2", "--gallery", "site"),
    "an audit": (
        ("audit", "model.safetensors", "--data", "x.csv", "--html", "page.html"),
        *("jinja2", "--html", "site"),
    ),
    "planted errors": (
        ("benchmark", "write", "wrong", "--planted", "1"),
        *("antlr4", "deliberate errors", "site"),
    ),
    "notebooks": (("notebooks", "pages"), "ipykernel", "notebooks", "notebooks"),
    "the website": (("site", "pages"), "ipykernel", "the site", "docs"),
    "workers": (
        ("sweep", "run", "starts", "--preset", "smoke", "--workers", "1"),
        *("dask", "--workers and --scheduler", "cluster"),
    ),
}


def modules():
    """All modules of the package, dotted."""
    files = subprocess.run(
        ["git", "ls-files", "sigprop"], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    names = [
        file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for file in files
        if file.endswith(".py")
    ]
    return [name for name in names if not name.endswith("__main__")]


def checkpoint(file):
    """A file with one Mamba layer of time constants up to 100 steps."""
    rates = np.tile(np.arange(1.0, 5.0), (8, 1))
    layer = {"A_log": np.log(rates), "D": np.ones(8), "dt_proj.bias": np.full(8, -4.6)}
    layer |= {
        "dt_proj.weight": np.full((8, 1), 1e-2),
        "x_proj.weight": np.full((9, 8), 0.1),
    }
    save_file({f"mixer.{k}": v.astype("float32") for k, v in layer.items()}, file)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What the commands print where only the packages of a plain install are."""
    folder = tmp_path_factory.mktemp("plain")
    checkpoint(folder / "model.safetensors")
    (folder / "model.msgpack").write_bytes(b"\x80")
    calls = [call for call, *_ in (*WORK.values(), *NEEDS.values())]
    calls.append(("ledger", "--json", "nowhere/rows.json"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    for name in ("SIGPROP_RESULTS", "SIGPROP_DATA"):
        environment.pop(name, None)
    process = subprocess.run(
        [sys.executable, "-c", CHILD, "found.json"],
        input=json.dumps([sorted(others()), calls, modules()]),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    report = json.loads((folder / "found.json").read_text())
    report["ran"] = dict(zip((*WORK, *NEEDS, LEDGER), report["ran"], strict=True))
    return report, {path.name for path in folder.iterdir()}


def test_packages_of_all_extras_are_hidden_and_those_of_the_core_are_not():
    hidden = others()
    assert {"sklearn", "statsmodels", "jinja2", "latex2mathml", "antlr4"} <= hidden
    assert {"msgpack", "flax", "dask", "distributed", "nbconvert", "pytest"} <= hidden
    assert not {"jax", "pandas", "PIL", "ml_dtypes", "sigprop", "rich"} & hidden


@pytest.mark.parametrize("work", WORK)
def test_a_plain_install_does_its_work(plain, work):
    status, out, err = plain[0]["ran"][work]
    assert status in (0, 1) if work == "lint" else status == 0, err
    assert WORK[work][1] in out


def test_a_plain_install_draws_beside_its_rows(plain):
    assert {"rows.json", "rows.png"} <= plain[1]


def test_a_plain_install_comes_as_far_as_judging_all_claims(plain):
    status, _, err = plain[0]["ran"][LEDGER]
    assert status == 2
    assert err.startswith("sigprop: cannot write nowhere")


@pytest.mark.parametrize("need", NEEDS)
def test_what_needs_an_extra_names_it_in_one_line(plain, need):
    _, package, purpose, extra = NEEDS[need]
    status, _, err = plain[0]["ran"][need]
    assert status == 2
    assert err == (
        f"sigprop: need {package} for {purpose}, got none; run "
        f"`pip install 'sigprop[{extra}]'`\n"
    )
    assert extra in EXTRAS


def test_what_needs_an_extra_writes_nothing(plain):
    assert not {"page.html", "pages", "all", "wrong"} & plain[1]


def test_only_modules_that_write_pages_need_an_extra_to_be_imported(plain):
    ledger = re.compile(r"sigprop\.(ledger\.[\w.]+|cli\.gallery)")
    assert all(map(ledger.fullmatch, plain[0]["failed"]))
    packages = {name.partition(".")[0] for name in plain[0]["failed"].values()}
    assert packages == {"jinja2", "latex2mathml", "markupsafe", "nbformat"}
    assert "sigprop.ledger.report" in plain[0]["failed"]


def test_the_extra_for_tests_holds_all_others():
    (own,) = [
        requirement
        for requirement in EXTRAS["test"]
        if requirement.startswith("sigprop[")
    ]
    assert Requirement(own).extras == set(EXTRAS) - {"test", "cuda", "gpu-check"}
