"""SymPy remembers more than by default, whoever imports it through this project."""

import os

import pytest
from sympy.core import cache

from tests.programs import printed_by

SIZE = "from sympy.core import cache; print(cache.SYMPY_CACHE_SIZE)"


@pytest.mark.parametrize(
    "module", ["sigprop.theory.symbols", "sigprop.cli.verify", "sigprop.judge.run"]
)
def test_sympy_remembers_twenty_times_as_much(module, monkeypatch):
    monkeypatch.delenv("SYMPY_CACHE_SIZE", raising=False)
    assert printed_by(f"import {module}; {SIZE}") == "20000\n"


def test_a_size_that_the_user_chose_stays(monkeypatch):
    monkeypatch.setenv("SYMPY_CACHE_SIZE", "500")
    assert printed_by(f"import theory; {SIZE}") == "500\n"


def test_the_tests_remember_as_much():
    assert os.environ["SYMPY_CACHE_SIZE"] == "20000"
    assert cache.SYMPY_CACHE_SIZE == 20000
