"""The GPU kernels as Triton compiles them, run on a CPU: the numbers of interpreting.

Interpreting shows neither the functions that Triton links in nor what it masks.  Products
and sums are fused later, in machine code.
"""

import functools
import importlib.util

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.neuron import gpu_kernel, gpu_scan
from sigprop.numerics.extras import command
from sigprop.numerics.precision import double_precision
from tests import gpu_run
from tests.sigprop.neuron.test_gpu_scan import apart, changed, loop, problem

pytestmark = pytest.mark.slow
# Relative to the largest number; measured 4e-7 and 8e-16 after 200 steps.
CLOSE = {"f": 2e-6, "d": 1e-14}


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Kernels run as Triton compiles them; the refused accesses of each."""
    if importlib.util.find_spec("triton") is None:
        pytest.skip(f"needs triton; run {command('gpu-check')}")
    counts = []
    replaced = gpu_run.replacing(gpu_kernel.pl.pallas_call, tmp_path, counts)
    monkeypatch.setattr(gpu_kernel.pl, "pallas_call", replaced)
    monkeypatch.setattr(
        gpu_scan.lax, "platform_dependent", lambda *given, cpu, default: default(*given)
    )
    return counts


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("real", [True, False], ids=["real", "complex"])
def test_moments_compiled_are_those_interpreted(char, real, request):
    n, batch = 17, 50  # both leave a part of the last block unused
    looks = functools.partial(
        gpu_kernel.looks, process=AR1(0.9), times=(1, 200), batch=batch, running=real
    )
    with double_precision(char == "d"):
        lam = np.random.default_rng(0).uniform(0.3, 0.95, (n, 1)).astype(char)
        lam = jnp.asarray(lam if real else lam * np.exp(1j * np.arange(n)[:, None]))
        lam = lam.astype(char if real else char.upper())
        key = jax.random.key(0)
        interpreted = jax.jit(functools.partial(looks, interpret=True))(key, lam)
        refused = request.getfixturevalue("refused")
        compiled = looks(key, lam)
    distances = [
        float(np.abs(row - other).max() / max(1, np.abs(other).max()))
        for row, other in zip(
            *(
                map(np.asarray, jax.tree.leaves(looks))
                for looks in (compiled, interpreted)
            ),
            strict=True,
        )
    ]
    print(char, "real" if real else "complex", f"{max(distances):.1e}")
    assert len(distances) == 2 * 6
    assert max(distances) < CLOSE[char]
    assert refused == [0]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("index", range(4))
def test_recurrences_compiled_are_those_of_the_loop(char, index, refused):
    options = {"complex": index % 2 == 0, "varying": index > 1, "resets": index != 2}
    lam, x, resets = problem(150, 40, char, **options)
    for steps, passes in ((150, 1), (64, 3)):
        refused.clear()
        ways = {"reverse": index % 3 == 0, "adjoint": steps == 64}
        with double_precision(char == "d"):
            given = jax.tree.map(jnp.asarray, (lam, x, resets))
            states = gpu_scan._solve(1, *given, **ways, steps=steps)
        distance = apart(states, loop(lam, x, resets, **ways))
        print(char, options, steps, f"{distance:.1e}")
        assert distance < CLOSE[char]
        assert refused == [0] * passes


def test_one_wrong_operation_is_seen(refused, monkeypatch):
    host = gpu_run.host
    lam, x, _ = problem(20, 40, "f", complex=True, varying=False, resets=False)
    ways = {"reverse": False, "adjoint": False}
    states = gpu_scan._solve(1, lam, x, None, **ways, steps=20)
    assert apart(states, loop(lam, x, None, **ways)) < CLOSE["f"]
    monkeypatch.setattr(
        gpu_run, "host", lambda text: host(text).replace("fmul", "fadd", 1)
    )
    states = gpu_scan._solve(1, lam, x, None, **ways, steps=20)
    assert apart(states, loop(lam, x, None, **ways)) > 1e-3


def test_an_access_of_idle_lanes_is_refused(refused, tmp_path):
    lam, x, _ = problem(20, 40, "f", complex=True, varying=False, resets=False)
    careless = changed(
        "mask = inside & there", "mask = there | (inside >= 0)", tmp_path
    )
    for module in (gpu_scan, careless):
        module._solve(1, lam, x, None, reverse=False, adjoint=False, steps=20)
    assert refused[0] == 0
    assert refused[1] > 0
