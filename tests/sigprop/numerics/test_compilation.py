"""Options of the compiler: XLA knows them, and a user's own flags stay."""

import os

import jax
import jax.numpy as jnp
import pytest

from sigprop.numerics.compilation import OFTEN, ONCE, QUICK, SOME, compile_quickly
from tests.programs import printed_by


@pytest.mark.parametrize("options", [ONCE, SOME, OFTEN])
def test_xla_knows_the_options(options):
    def program(x):
        return (jnp.sin(x) @ x).sum()

    x = jnp.arange(9.0).reshape(3, 3)
    value = jax.jit(program, compiler_options=options)(x)
    assert float(value) == pytest.approx(float(program(x)), rel=1e-5)


def test_xla_refuses_an_option_that_it_does_not_know():
    program = jax.jit(jnp.sin, compiler_options={"xla_no_such_option": 0})
    with pytest.raises(Exception, match="xla_no_such_option"):
        program(1.0)


@pytest.mark.parametrize(
    "user", ["", "--xla_backend_optimization_level=2 --xla_dump_to="]
)
def test_flags_of_the_user_have_the_last_word(monkeypatch, user):
    monkeypatch.setenv("XLA_FLAGS", user)
    compile_quickly()
    once = os.environ["XLA_FLAGS"]
    assert once.split() == [*QUICK, *user.split()]
    compile_quickly()
    assert os.environ["XLA_FLAGS"] == once


def test_xla_knows_the_flags_and_starts_with_them():
    """With a flag that it does not know, XLA ends the process."""
    program = """
from sigprop.numerics.compilation import compile_quickly
compile_quickly()
import jax
print(jax.jit(lambda x: 2 * x)(3.0))
"""
    assert printed_by(program) == "6.0\n"
