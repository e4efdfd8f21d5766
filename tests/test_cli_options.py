"""Every option of every command has a test in which its value changes the result."""

import importlib

from tests.options import TESTED, all_options

MODULES = ("audit", "judging", "layers", "studies", "training")


def test_every_option_has_a_case_of_its_own():
    for name in MODULES:
        importlib.import_module(f"tests.sigprop.cli.test_options_of_{name}")
    assert all_options() == {*TESTED}
    assert len(all_options()) > 70
