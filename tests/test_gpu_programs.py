"""Every program of the commands can be made for CUDA, on a machine without a GPU."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.neuron import montecarlo
from sigprop.numerics.precision import double_precision
from tests import exported

PROCESSES = {
    "white": White(),
    "AR(1)": AR1(0.8),
    "constant": Constant(),
    "mixed": Mixed(0.7, 0.3, 0.9),
    "moving average": MovingAverage((1.0, 0.5)),
}


def exported_for_cuda(program, *arguments):
    checks = [export.DisabledSafetyCheck.custom_call(exported.TRITON)]
    make = export.export(program, platforms=["cuda"], disabled_checks=checks)
    return make(*arguments)


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("real", [True, False], ids=["real", "complex"])
@pytest.mark.sampled(kind="process")
def test_simulations_by_the_kernel_are_exported(process, char, real):
    with double_precision(char == "d"):
        keys = jax.random.split(jax.random.key(0), 3)
        lam = jnp.full((17, 1), 0.5, np.dtype(char if real else char.upper()))
        gain = jnp.ones((17, 1), np.dtype(char))
        program = functools.partial(
            montecarlo._together,
            process=PROCESSES[process],
            times=(1, 70),
            batch=33,
            pairs=((0, 1),),
            interpret=False,
        )
        made = exported_for_cuda(jax.jit(program), keys, lam, gain)
    assert made.platforms == ("cuda",)
    # One kernel for all looks, as compiling it takes longer than running it.
    assert str(made.mlir_module()).count(f"@{exported.TRITON}") == 1


def test_the_simulation_by_the_scan_is_exported():
    lam = montecarlo.split(jnp.full((17, 1), 0.5 + 0.1j))
    program = functools.partial(
        montecarlo.walk, process=AR1(0.5), times=(1, 70), batch=33, running=True
    )
    made = exported_for_cuda(jax.jit(program), jax.random.key(0), lam)
    assert exported.TRITON not in str(made.mlir_module())
