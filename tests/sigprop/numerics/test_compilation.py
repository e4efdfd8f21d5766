"""Options of the compiler: XLA knows them, and flags say the same."""

import jax
import jax.numpy as jnp
import pytest

from sigprop.numerics.compilation import OFTEN, ONCE, flags


@pytest.mark.parametrize("options", [ONCE, OFTEN])
def test_xla_knows_the_options(options):
    def program(x):
        return (jnp.sin(x) @ x).sum()

    x = jnp.arange(9.0).reshape(3, 3)
    found = jax.jit(program, compiler_options=options)(x)
    assert float(found) == pytest.approx(float(program(x)), rel=1e-5)


def test_xla_refuses_an_option_that_it_does_not_know():
    program = jax.jit(jnp.sin, compiler_options={"xla_no_such_option": 0})
    with pytest.raises(Exception, match="xla_no_such_option"):
        program(1.0)


def test_flags_come_after_those_of_the_user():
    said = flags({"xla_one": 0, "xla_two": False, "xla_three": True}, "--mine=1  --b=2")
    assert said == "--mine=1 --b=2 --xla_one=0 --xla_two=false --xla_three=true"
