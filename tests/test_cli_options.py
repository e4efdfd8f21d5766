"""Every option of every command has a test in which its value changes the result."""

import importlib

from tests.options import TESTED, every

MODULES = ("audit", "judging", "layers", "studies", "training")


def test_every_option_has_a_case_of_its_own():
    for name in MODULES:
        importlib.import_module(f"tests.sigprop.cli.test_options_of_{name}")
    assert every() == {*TESTED}
    assert len(every()) > 70
