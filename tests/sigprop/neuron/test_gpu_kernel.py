"""The kernel for GPUs, interpreted on a CPU: the numbers of the scan at any size."""

import functools
import re
import secrets
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.neuron import gpu, gpu_kernel, montecarlo, noise
from sigprop.neuron.montecarlo import Walk, second_moments, split
from sigprop.numerics.precision import double_precision

PROCESSES = {
    "white": White(2.0),
    "nothing": White(0.0),
    "AR(1)": AR1(0.8, variance=0.5),
    "alternation": AR1(-1.0),
    "constant": Constant(3.0),
    "mixed": Mixed(0.7, 0.3, 0.9),
    "one tap": MovingAverage((1.0,)),
    "moving average": MovingAverage((1.0, 0.5, -0.2)),
}
LANES, NEURONS = 8, 4  # of a program here: interpreting takes time for each neuron
SIZES = (1, 17, 32)  # neurons
BATCHES = (1, 8, 9, 21)
TIMES = ((1,), (64,), (65,), (1, 2, 64), (63, 130))
# Of the largest number.  Under a constant input the roundings of 130 steps all have the
# same sign: in single precision they add up to 130 * 6e-8 = 8e-6.
CLOSE = {np.float32: 1e-5, np.float64: 1e-13}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(gpu_kernel, "LANES", LANES)
    blocks = dict.fromkeys(gpu_kernel.NEURONS, NEURONS)
    monkeypatch.setattr(gpu_kernel, "NEURONS", blocks)


@pytest.fixture
def on_gpu(monkeypatch):
    """A device that says it is one of CUDA, and interprets its kernels.

    The list of the sizes of batches, one for each time that the kernel is compiled.
    """
    compiled, looks = [], gpu_kernel.looks

    @functools.wraps(looks)  # a new function, as JAX remembers what it has compiled
    def anew(*arguments, **options):
        compiled.append(arguments[4])
        return looks(*arguments, **options)

    monkeypatch.setattr(gpu_kernel, "looks", anew)
    monkeypatch.setattr(gpu, "cuda_capability", lambda: 9.0)
    monkeypatch.setattr(noise, "available", lambda: False)
    for remembered in (gpu.say, gpu.agrees):
        remembered.cache_clear()
    montecarlo._together.clear_cache()
    yield compiled
    for remembered in (gpu.say, gpu.agrees):
        remembered.cache_clear()
    montecarlo._together.clear_cache()


def eigenvalues(n, batch, dtype, real, shared):
    random = np.random.default_rng(n)
    shape = (n, 1 if shared else batch)
    modulus = random.uniform(-0.99, 0.99, shape)
    turn = 1 if real else np.exp(1j * random.uniform(0.1, 3, shape))
    return jnp.asarray(modulus * turn, dtype if real else np.result_type(dtype, "F"))


def kernel_and_scan(
    n=17,
    batch=9,
    times=(63, 130),
    process="mixed",
    dtype=np.float64,
    real=False,
    running=True,
    shared=True,
):
    """The walks of both, from a fresh key."""
    key = jax.random.key(secrets.randbits(32))
    with double_precision(dtype is np.float64):
        lam = eigenvalues(n, batch, dtype, real, shared)
        rest = (PROCESSES[process], times, batch, running)

        def compiled_anew(key, lam):
            return gpu_kernel.looks(key, lam, *rest, interpret=True)

        ours = jax.jit(compiled_anew)(key, lam)
        theirs = montecarlo.scanned(key, split(lam), *rest)
        return [montecarlo._walk_of(look) for look in ours], theirs


def same(ours: list[Walk], theirs: list[Walk], dtype=np.float64) -> bool:
    """Whether all numbers are the same to rounding."""
    for walks in zip(ours, theirs, strict=True):
        for mine, other in zip(*map(jax.tree.leaves, walks), strict=True):
            room = CLOSE[dtype] * max(np.abs(other).max(), 1)
            if mine.shape != other.shape or mine.dtype != other.dtype:
                return False
            if not np.abs(np.asarray(mine) - np.asarray(other)).max() <= room:
                return False
    return True


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.sampled(kind="process")
def test_every_process_gives_the_numbers_of_the_scan(process, dtype):
    assert same(*kernel_and_scan(3, process=process, dtype=dtype), dtype)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("real", [True, False], ids=["real", "complex"])
@pytest.mark.sampled(5)
def test_awkward_sizes_give_the_numbers_of_the_scan(n, batch, real):
    shared, running = (n + batch) % 2 == 0, batch % 3 == 0
    assert same(*kernel_and_scan(n, batch, real=real, shared=shared, running=running))


@pytest.mark.parametrize("times", TIMES, ids=str)
@pytest.mark.parametrize("running", [True, False])
@pytest.mark.sampled(3)
def test_looks_at_the_first_and_last_step_give_the_numbers_of_the_scan(times, running):
    assert same(*kernel_and_scan(3, times=times, running=running))


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("real", [True, False], ids=["real", "complex"])
@pytest.mark.sampled(1, kind="char")
def test_blocks_of_full_size_give_the_numbers_of_the_scan(char, real, monkeypatch):
    monkeypatch.undo()
    dtype = np.dtype(char).type
    assert gpu_kernel.LANES % 32 == 0
    for running in (True, False):
        walks = kernel_and_scan(33, 65, (70,), dtype=dtype, real=real, running=running)
        assert same(*walks, dtype)


def with_sign_swapped(lam, now, x):
    (a, b), (h, g, s, r) = lam, now
    return a * h + (x + b * g), a * g + b * h, a * s + (h - b * r), a * r + (g + b * s)


def without_the_state_in_the_sensitivity(lam, now, x):
    h, g, s, r = gpu_kernel_advanced(lam, now, x)
    return h, g, s - now[0], r - now[1]


def without_conjugate(now, sums):
    h, g, s, r = now
    return h * h - g * g + sums[0], s * s - r * r + sums[1]


def without_the_state_of_the_process(step, state, normals, zero):
    return gpu_kernel_following(step, (zero,) * len(state), normals, zero)


def with_padding_counted(t, row, width, batch, lane):
    return gpu_kernel_position(t, row, width, -(-batch // LANES) * LANES, lane)


def with_the_chunk_forgotten(key, index):
    return gpu_kernel_chunk_key(key, 0 * index)


def a_step_early(times):
    return gpu_kernel_clocks((times[0] - 1, *times[1:]))


def with_padding(blocks, n, batch):
    return gpu_kernel_unpadded(blocks, n, -(-batch // LANES) * LANES)


def with_the_last_neuron_of_a_block_missing(blocks, n, batch):
    return jnp.roll(gpu_kernel_unpadded(blocks, n, batch), 1, 1)


gpu_kernel_advanced, gpu_kernel_following = gpu_kernel.advanced, gpu_kernel.following
gpu_kernel_position, gpu_kernel_clocks = gpu_kernel.position, gpu_kernel.clocks
gpu_kernel_unpadded, gpu_kernel_chunk_key = gpu_kernel.unpadded, gpu_kernel.chunk_key
FAULTS = {
    "advanced": (with_sign_swapped, without_the_state_in_the_sensitivity),
    "summed": (without_conjugate,),
    "following": (without_the_state_of_the_process,),
    "position": (with_padding_counted,),
    "chunk_key": (with_the_chunk_forgotten,),
    "clocks": (a_step_early,),
    "unpadded": (with_padding, with_the_last_neuron_of_a_block_missing),
}
PLANTED = [(name, fault) for name, faults in FAULTS.items() for fault in faults]


@pytest.mark.parametrize(
    ("name", "fault"), PLANTED, ids=lambda x: getattr(x, "__name__", x)
)
def test_a_planted_fault_is_seen(name, fault, monkeypatch):
    monkeypatch.setattr(gpu_kernel, name, fault)
    assert not same(*kernel_and_scan(n=3))


def moments(**changes):
    lam = jnp.asarray([0.9, -0.7, 0.5 + 0.4j])
    arguments = {
        "times": (1, 70),
        "num": 50,
        "batch": 9,
        "pairs": ((0, 1), (2, 2)),
        "gain": jnp.asarray([1.0, 2.0, 0.5]),
    }
    arguments |= changes
    return second_moments(jax.random.key(7), lam, AR1(0.5), **arguments)


def same_moments(ours, right, close=1e-12):
    for by_name, other in zip(ours, right, strict=True):
        for name, sums in by_name.items():
            assert sums.n == other[name].n == 50
            np.testing.assert_allclose(sums.first, other[name].first, close, close)
            np.testing.assert_allclose(sums.second, other[name].second, close, close)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("together", [1, 2, 64])
@pytest.mark.sampled(1, keep=["2"])
def test_moments_are_those_of_the_cpu_however_many_batches_run_at_once(
    together, monkeypatch, request
):
    right, plain = moments(), moments(gain=None)
    compiled = request.getfixturevalue("on_gpu")
    monkeypatch.setattr(gpu, "MOST", together)
    same_moments(moments(), right)
    same_moments(moments(gain=None), plain)
    # The comparison with the scan, batches of nine together, one of them alone, the last
    # of five; without a gain those that run alone are the same programs.
    expected = {1: [33, 9, 5], 2: [33, 9, 9, 5, 9], 64: [33, 9, 5, 9]}
    assert compiled == expected[together]
    assert not np.allclose(right[0]["state"].first, plain[0]["state"].first)


def test_padding_that_leaks_into_sums_is_seen(on_gpu, monkeypatch):
    right = moments()
    montecarlo._together.clear_cache()
    monkeypatch.setattr(gpu_kernel, "unpadded", with_padding)
    leaking = moments()
    assert leaking[1]["state"].first[0] > 1.2 * right[1]["state"].first[0]


def failing(error):
    def looks(*args, **kwargs):
        raise error

    return looks


OUT_OF_MEMORY = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes."
TROUBLES = {
    "an old GPU": (
        (gpu, "cuda_capability", lambda: 7.5),
        "it needs compute capability 8.0, got 7.5",
    ),
    "no memory": (
        (gpu_kernel, "looks", jax.errors.JaxRuntimeError(f"{OUT_OF_MEMORY}\nMore.")),
        OUT_OF_MEMORY,
    ),
    "no Triton": (
        (gpu_kernel, "looks", ImportError("cannot import name 'triton'")),
        "cannot import name 'triton'",
    ),
    "no float64": (
        (gpu_kernel, "looks", NotImplementedError("no float64 here")),
        "no float64 here",
    ),
    "no words": ((gpu_kernel, "looks", NotImplementedError()), "NotImplementedError"),
    "wrong numbers": (
        (gpu_kernel, "advanced", with_sign_swapped),
        "its numbers are .* apart from the scan's on cpu",
    ),
}


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("trouble", TROUBLES)
def test_in_trouble_the_scan_gives_the_numbers_and_one_line_says_why(
    trouble, monkeypatch, request, capsys
):
    right = moments()
    request.getfixturevalue("on_gpu")
    (module, name, value), reason = TROUBLES[trouble]
    if isinstance(value, Exception):
        value = functools.wraps(gpu_kernel.looks)(failing(value))
    monkeypatch.setattr(module, name, value)
    same_moments(moments(), right)
    same_moments(moments(), right)
    line = "sigprop: the GPU kernel is not used, a slower scan is: "
    assert re.fullmatch(line + reason + "\n", capsys.readouterr().err)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("alone", [True, False])
def test_memory_that_runs_out_later_leaves_the_numbers_as_they_are(
    alone, monkeypatch, request, capsys
):
    right = moments()
    request.getfixturevalue("on_gpu")
    looks = gpu_kernel.looks

    @functools.wraps(looks)
    def large_fails(key, lam, process, times, batch, *args, **kwargs):
        if batch == 9:
            raise jax.errors.JaxRuntimeError(OUT_OF_MEMORY)
        return looks(key, lam, process, times, batch, *args, **kwargs)

    monkeypatch.setattr(gpu_kernel, "looks", large_fails)
    monkeypatch.setattr(gpu, "MOST", 1 if alone else 64)
    same_moments(moments(), right)
    assert capsys.readouterr().err.count("\n") == 1


@dataclass(frozen=True)
class Odd(GaussianProcess):
    """A process that is not linear."""

    def initial(self, noise: Any) -> Any:
        return ()

    def step(self, state: Any, noise: Any) -> Any:
        return state, jnp.abs(noise[0])


OTHERS = {
    "another generator": {"key": lambda: jax.random.key(0, impl="rbg")},
    "a process that is not linear": {"process": Odd()},
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_the_kernel_does_not_draw_is_left_to_the_scan_in_silence(
    other, on_gpu, capsys
):
    key = OTHERS[other].get("key", lambda: jax.random.key(0))()
    process = OTHERS[other].get("process", AR1(0.5))
    second_moments(key, jnp.asarray([0.5]), process, times=(3,), num=4, batch=2)
    assert on_gpu == []
    assert capsys.readouterr().err == ""


def test_a_cpu_asks_for_no_kernel(monkeypatch):
    monkeypatch.setattr(gpu_kernel, "looks", failing(AssertionError("used")))
    monkeypatch.setattr(noise, "available", lambda: False)
    moments()


def test_memory_bounds_the_batches_that_run_at_once(on_gpu, monkeypatch):
    lam = jnp.zeros(50, jnp.complex64)
    counts = [gpu.batches_together(lam, 4, batch) for batch in (1, 2048, 2**30)]
    assert counts == [gpu.MOST, gpu.MOST, 1]
    monkeypatch.setattr(gpu, "MOST", 2**20)
    rows = gpu.batches_together(lam, 4, 2048)
    assert 0.9 * gpu.ROOM < rows * 2048 * 50 * 4 * 4 * 7 <= gpu.ROOM
    monkeypatch.setattr(gpu, "cuda_capability", lambda: None)
    assert gpu.batches_together(lam, 4, 1) == 1
