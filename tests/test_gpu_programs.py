"""Every program of the commands can be made for CUDA, on a machine without a GPU."""

import functools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from sigprop.experiments.studies import studies
from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.neuron import montecarlo
from sigprop.neuron.scan import scan_linear
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
            montecarlo._together.__wrapped__,
            process=PROCESSES[process],
            times=(1, 70),
            batch=33,
            pairs=((0, 1),),
            kernel=True,
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


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("real", [True, False], ids=["real", "complex"])
@pytest.mark.sampled(kind="char")
def test_gradients_of_recurrences_by_the_kernel_are_exported(char, real):
    def loss(lam, x):
        states = jax.vmap(lambda x: scan_linear(lam, x, method="kernel"))(x)
        return (jnp.abs(states) ** 2).sum()

    with double_precision(char == "d"):
        dtype = np.dtype(char if real else char.upper())
        lam, x = jnp.ones(5, dtype), jnp.ones((3, 200, 5), dtype)
        made = exported_for_cuda(jax.jit(jax.grad(loss)), lam, x)
    assert made.platforms == ("cuda",)
    # Forward and back, each in two passes over chunks and one over their carries.
    assert str(made.mlir_module()).count(f"@{exported.TRITON}") == 6


TRAIN = ("--steps", "20", "--no-figures", "--out", "runs")
AUDIT = ("--examples", "4", "--batch", "2")
# Commands, one after the other in a folder, and some of the programs that they compile.
COMMANDS = {
    "verify": (
        (("verify", "--claim", "zucchet:59", "--claim", "lru:prop3.3"),),
        {"judge.routes:_responses", "judge.simulate:_ring_eigenvalues"},
    ),
    "train and audit": (
        (
            ("train", "digits", "--model", "rotrnn", *TRAIN),
            ("audit", "runs/digits-rotrnn-quick/seed-0", *AUDIT),
        ),
        {"training.segments:take_steps"},
    ),
    "train and audit a forecast": (
        (
            ("train", "forecast", *TRAIN),
            ("audit", "runs/forecast-co2-24-24-lru-quick/seed-0", "--examples", "32"),
        ),
        {"training.segments:take_steps"},
    ),
}
HOLES: dict[str, str] = {}  # programs that CUDA cannot run, and why


def refused(folder, *commands):
    """The programs of commands that can be exported, and those that cannot."""
    environment = {**exported.environment(folder), "SIGPROP_RESULTS": str(folder)}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)  # studies of speed refuse it
    for command in commands:
        process = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stderr
    programs = exported.programs(folder)
    holes = {name: reason for name, reason in programs.items() if reason}
    return set(programs) - set(holes), holes


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_programs_of_a_command_are_exported(name, tmp_path):
    commands, some = COMMANDS[name]
    made, holes = refused(tmp_path, *(("sigprop", *command) for command in commands))
    assert {f"sigprop.{program}" for program in some} <= made
    assert set(holes) <= set(HOLES), holes


@pytest.mark.slow
@pytest.mark.parametrize("study", sorted(studies()))
def test_programs_of_a_study_are_exported(study, tmp_path):
    command = (f"sigprop.experiments.{study}", "--preset", "smoke")
    _, holes = refused(tmp_path, command)
    assert set(holes) <= set(HOLES), holes


HOST = """
import jax
import jax.numpy as jnp

@jax.jit
def sums(x):
    return x.sum()

def nowhere(x):
    return jax.lax.linalg.schur(x)[0]

sums(jnp.ones(3))
jax.jit(nowhere)(jnp.eye(2))
"""


def test_a_program_that_cannot_be_exported_is_seen(tmp_path):
    (tmp_path / "program.py").write_text(HOST)
    made, holes = refused(tmp_path, ("program",))
    assert made == {"__main__:sums"}
    assert list(holes) == ["__main__:nowhere"]
