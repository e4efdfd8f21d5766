"""Where the code of a row stands, said without importing it."""

from pathlib import Path

import pytest

from sigprop.ledger.catalogue import location
from sigprop.theory.claims import home, registry

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("dotted", "file"),
    [
        ("sigprop.theory.teacher_student.radial_loss", "theory/teacher_student.py"),
        ("sigprop.theory.teacher_student", "theory/teacher_student.py"),
        ("sigprop.layers.lru.LRU.spectrum", "sigprop/layers/lru.py"),
        ("sigprop.networks", "sigprop/networks/__init__.py"),
        ("sigprop.networks.build", "sigprop/networks/__init__.py"),
        ("sigprop.theory", "theory/__init__.py"),
    ],
)
def test_a_module_a_name_in_one_and_a_package_are_found(dotted, file):
    assert location(dotted) == file
    assert (ROOT / file).is_file()


def test_every_row_and_its_code_stand_in_a_file():
    files = {location(home(key)) for key in registry()}
    files |= {location(claim.code) for claim in registry().values()}
    assert len(files) > 100
    assert [file for file in files if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("dotted", ["sigprob.layers", "math.sqrt"])
def test_a_name_outside_all_packages_is_refused(dotted):
    with pytest.raises(ValueError, match=f"need a name in a package, got '{dotted}'"):
        location(dotted)
