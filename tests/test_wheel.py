"""The wheel has one name at its top, and lives beside a user's packages of any name."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from sigprop.numerics.paths import LINKED

ROOT = Path(__file__).parents[1]
FIGURE = "zucchet-1a"


def built(target, folder):
    """The distribution that Hatch builds of the source tree."""
    process = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(built("wheel", tmp_path_factory.mktemp("wheel"))) as wheel:
        wheel.extractall(folder)
    return folder


@pytest.fixture(scope="module", params=["packages", "folders"])
def beside(request, tmp_path_factory):
    """A user's folder that has packages, or plain folders, of the names of our rooms."""
    folder = tmp_path_factory.mktemp(request.param)
    for name in LINKED:
        (folder / name).mkdir()
        (folder / name / "run.py").write_text("MINE = True\n")
        if request.param == "packages":
            (folder / name / "__init__.py").write_text("MINE = True\n")
    return folder


def tracked(*folders):
    """The files of the repository in some folders, from the root of the package."""
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("the tree is not a git checkout, so what belongs to it is unknown")
    return {file.removeprefix("sigprop/") for file in listed.stdout.split()}


def python(site, folder, *arguments):
    """What Python prints where the wheel is installed, and no checkout on the path."""
    path = os.pathsep.join(
        [str(site), *map(sysconfig.get_path, ("purelib", "platlib"))]
    )
    environment = {**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg"}
    environment.pop("SIGPROP_RESULTS", None)
    process = subprocess.run(
        [sys.executable, "-S", *arguments],  # reads no .pth of an editable install
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_the_wheel_has_one_name_and_every_file_of_the_package(site):
    tops = {path.name for path in site.iterdir()}
    assert {re.sub(r"-.*", "", name) for name in tops} == {"sigprop"}
    files = {
        path.relative_to(site / "sigprop").as_posix()
        for path in (site / "sigprop").rglob("*")
        if path.is_file()
    }
    assert files == tracked("sigprop", *LINKED) - set(LINKED)


def test_the_source_distribution_has_all_that_the_wheel_is_made_of(site, tmp_path):
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    package = {
        p.relative_to(site) for p in (site / "sigprop").rglob("*") if p.is_file()
    }
    assert {path.as_posix() for path in package} == {
        name for name in names if name.startswith("sigprop/")
    }
    assert "CONTRIBUTING.md" in names
    assert not any(name.startswith("tests/") for name in names)


@pytest.mark.parametrize("name", LINKED)
def test_a_users_own_package_is_imported_beside_it(site, beside, name):
    code = f"import sigprop.{name}, {name}.run; print({name}.run.MINE)"
    if name in ("notebooks", "docs"):  # which are no packages
        code = f"import sigprop, {name}.run; print({name}.run.MINE)"
    assert python(site, beside, "-c", code) == "True\n"


def test_commands_work_in_a_folder_that_has_our_names(site, beside):
    shown = python(site, beside, "-m", "sigprop", "show", "zucchet:59")
    assert "theory/papers/zucchet/moments/sensitivity.py" in shown
    output = python(site, beside, "-m", "sigprop", "figure", FIGURE, "--format", "png")
    file = beside / "figures-out" / f"{FIGURE}.png"
    assert file.name in output
    assert file.read_bytes().startswith(b"\x89PNG")
    plans = python(site, beside, "-m", "sigprop.experiments.plans", "--help")
    assert "usage" in plans


def test_notebooks_come_with_it(site, beside):
    code = "from sigprop.ledger.notebooks import find; print(*find(), sep='\\n')"
    files = sorted(Path(file).stem for file in tracked("notebooks"))
    assert python(site, beside, "-c", code).split() == files
