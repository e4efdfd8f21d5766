"""The recurrence for GPUs, interpreted on a CPU: the numbers of the loop at any size."""

import functools
import importlib.util
import itertools
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sigprop.neuron import gpu, gpu_scan, scan
from sigprop.neuron.scan import scan_linear, scan_linear_reference
from sigprop.numerics.precision import double_precision

LANES, SHORTEST = 8, 8  # of a program, and steps of a chunk, here
LENGTHS = (1, 2, 7, 8, 9, 40, 75)
SIZES = (1, 7, 8, 9)  # neurons
BOTH = (False, True)
CLOSE = {"f": 1e-6, "d": 1e-12}  # relative to the largest number
STATES: Any = scan._states
OPTIONS = ("complex", "varying", "resets", "reverse", "adjoint")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of few lanes and steps, as interpreting takes time for each step ahead."""
    monkeypatch.setattr(gpu_scan, "LANES", LANES)
    monkeypatch.setattr(gpu_scan, "SHORTEST", SHORTEST)
    monkeypatch.setattr(gpu_scan, "steps_ahead", lambda size: 2)
    STATES.clear_cache()
    yield
    STATES.clear_cache()


def problem(length, n, char="d", **options):
    """Packed eigenvalues, inputs and resets."""
    random = np.random.default_rng((length, n))
    parts = 1 + options["complex"]
    rows = (length,) if options["varying"] else ()
    lam = random.uniform(-0.7, 0.7, (*rows, parts, n))
    x = random.uniform(-1, 1, (length, parts, n))
    resets = random.uniform(size=length) < 0.1 if options["resets"] else None
    return lam.astype(char), x.astype(char), resets


def loop(lam, x, resets, *, reverse, adjoint):
    """The definition, a step at a time in NumPy."""

    def numbers(a):
        return a[..., 0, :] + 1j * a[..., 1, :] if x.shape[1] == 2 else a[..., 0, :]

    length = len(x)
    rows = range(length)[:: -1 if reverse else 1]
    gates = np.broadcast_to(numbers(lam), numbers(x).shape)
    h, states = 0, np.zeros(numbers(x).shape, numbers(x).dtype)
    for k, row in enumerate(rows):
        source = rows[k - 1] if adjoint and k else row
        gate = np.conj(gates[source]) if adjoint else gates[source]
        if resets is not None and resets[source] and (k or not adjoint):
            h = 0
        h = gate * h + numbers(x)[row]
        states[row] = h
    if x.shape[1] == 1:
        return states[:, None]
    return np.stack([states.real, states.imag], 1)


def apart(ours, truth):
    """Distance, relative to the largest number."""
    truth = np.asarray(truth)
    return float(np.abs(np.asarray(ours) - truth).max() / np.abs(truth).max())


def distance(length, n, char="d", steps=None, module=gpu_scan, **options):
    """Between the kernel and the loop."""
    options = dict.fromkeys(OPTIONS, True) | options
    lam, x, resets = problem(length, n, char, **options)
    ways = {name: options[name] for name in ("reverse", "adjoint")}
    with double_precision(char == "d"):
        run = functools.partial(module._solve, 1, steps=steps or length, **ways)
        ours = jax.jit(run)(*jax.tree.map(jnp.asarray, (lam, x, resets)))
        assert ours.dtype == x.dtype
        return apart(ours, loop(lam, x, resets, **ways))


def chosen(index):
    """One choice of each option, another for the next index."""
    return dict(
        zip(OPTIONS, list(itertools.product(BOTH, repeat=5))[index % 32], strict=True)
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.sampled(5)
def test_awkward_sizes_give_the_numbers_of_the_loop(length, n):
    index = 11 * LENGTHS.index(length) + 7 * SIZES.index(n)
    for char, steps in (("f", None), ("d", SHORTEST)):
        assert distance(length, n, char, steps, **chosen(index)) < CLOSE[char]


@pytest.mark.parametrize("index", range(32))
@pytest.mark.parametrize("steps", [None, SHORTEST, 24], ids=str)
@pytest.mark.sampled(6)
def test_every_option_gives_the_numbers_of_the_loop(steps, index):
    assert distance(75, 9, "d", steps, **chosen(index)) < CLOSE["d"]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.sampled(1)
def test_blocks_of_full_size_give_the_numbers_of_the_loop(char, monkeypatch):
    monkeypatch.undo()
    assert gpu_scan.LANES % 32 == 0
    assert gpu_scan.SHORTEST % gpu_scan.steps_ahead(4) == 0
    steps = gpu_scan.SHORTEST
    assert distance(3 * steps + 1, 33, char, steps) < CLOSE[char]


def test_many_levels_of_chunks_give_the_numbers_of_the_loop():
    levels = []

    def watched(length, *rest):
        levels.append(length)
        return chunk_steps(length, *rest)

    chunk_steps = gpu_scan.chunk_steps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_scan, "chunk_steps", watched)
        assert distance(8 * 8 * 8 + 3, 1, "d", SHORTEST) < CLOSE["d"]
    assert levels == [65, 9, 2]


# Changes of the kernel's text, each with the options under which it shows.
FAULTS = {
    "a sign of the product": ("x[0] - b * im", "x[0] + b * im", {}),
    "a sign of the product of gates": (
        "re - b * im, a",
        "re + b * im, a",
        {"resets": False},
    ),
    "no conjugate": ("gate[0], -gate[1]", "gate[0], gate[1]", {}),
    "the gate of the step itself": ("k - jnp.int32(adjoint)", "k", {}),
    "no turn in time": ("jnp.int32(length - 1) - k", "k", {}),
    "the start of its own chunk": ("chunk - jnp.int32(1)", "chunk", {}),
    "a start of the first chunk": ("there=chunk > 0", "there=True", {}),
    "a remainder of steps left out": (
        "(left + jnp.int32(size - 1)) //",
        "left //",
        {"length": 75},
    ),
    "steps behind the last": (
        "there=k < length",
        "there=True",
        {"length": 75, "adjoint": False},
    ),
    "a chunk too long": (
        "jnp.minimum(jnp.int32(steps), ",
        "jnp.maximum(jnp.int32(2), ",
        {},
    ),
    "a reset of the step itself": (
        "if adjoint:\n        resets",
        "if False:\n        resets",
        {},
    ),
    "state and input exchanged": (
        "h, product = advanced(gate_k, h, x_k), multiplied(gate_k, product)",
        "h, product = advanced(gate_k, *(h, x_k)[::-1]), multiplied(gate_k, product)",
        {},
    ),
}


def changed(old, new, folder: Path):
    """The module with a change of its text."""
    text = Path(gpu_scan.__file__).read_text("utf-8")
    assert text.count(old) == 1, old
    path = folder / "changed.py"
    path.write_text(text.replace(old, new), "utf-8")
    spec: Any = importlib.util.spec_from_file_location("changed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("LANES", "SHORTEST", "steps_ahead"):
        setattr(module, name, getattr(gpu_scan, name))
    return module


@functools.cache
def right(**options):
    return distance(**options) < CLOSE["d"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(fault, tmp_path):
    old, new, options = FAULTS[fault]
    options = {"length": 30, "n": 3, "steps": SHORTEST} | options
    assert right(**options)
    assert not distance(module=changed(old, new, tmp_path), **options) < 1e-3


def states_beside_infinity(module=gpu_scan):
    """Over five chunks: behind a reset, and behind gates whose product overflows."""
    run = functools.partial(module._solve, 1, reverse=False, adjoint=False, steps=8)
    steps, lam = jnp.arange(40), jnp.full((40, 1, 1), 0.5)
    x = jnp.ones((40, 1, 1)).at[3].set(jnp.inf)
    reset = run(lam, x, steps == 20)
    large, late = (
        jnp.where(steps % 24 < 6, 1e30, 0.5)[:, None, None],
        (steps > 29) * 1.0,
    )
    overflow = run(large, late[:, None, None], steps == 31)
    return np.asarray(reset[:, 0, 0]), np.asarray(overflow[:, 0, 0])


def test_resets_forget_infinity_and_products_that_overflow_leave_no_trace():
    reset, overflow = states_beside_infinity()
    assert np.isinf(reset[3:20]).all()
    np.testing.assert_allclose(reset[[20, 21, 39]], [1, 1.5, 2], rtol=1e-5)
    assert np.isfinite(overflow).all()


HIDDEN = {  # faults that show beside infinity alone
    "a reset that keeps the product": (
        "forgotten(forget, h), forgotten(forget, product)",
        "forgotten(forget, h), product",
    ),
    "resets of no chunk": ("reshape(-1, steps).any(1)", "reshape(-1, steps).all(1)"),
    "a gate of the first step": ("there=start > 0", "there=True"),
}


@pytest.mark.parametrize("fault", HIDDEN)
def test_a_planted_fault_is_seen_beside_infinity(fault, tmp_path):
    wrong = states_beside_infinity(changed(*HIDDEN[fault], tmp_path))
    assert any(map(np.any, map(np.isnan, wrong)))


def value_and_gradients(function, lam, x, reverse):
    def loss(lam, x):
        rows = jax.vmap(lambda x: function(lam, x, reverse=reverse))(x)
        return (jnp.abs(rows - 1) ** 2).sum()

    return jax.jit(jax.value_and_grad(loss, (0, 1)))(lam, x)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("varying", BOTH)
@pytest.mark.sampled(2, kind="varying")
def test_values_and_gradients_of_an_odd_batch_are_those_of_the_plain_scan(
    char, varying
):
    random = np.random.default_rng(0)
    with double_precision(char in "dD"):
        turn = np.exp(1j * random.uniform(0, 6, 9)) if char in "FD" else np.ones(9)
        lam = random.uniform(0.2, 0.9, (33, 9) if varying else (9,)) * turn
        lam, x = lam.astype(char), (random.normal(size=(3, 33, 9)) * turn).astype(char)
        arguments = jnp.asarray(lam), jnp.asarray(x), varying
        kernel = functools.partial(scan_linear, method="kernel")
        ours = value_and_gradients(kernel, *arguments)
        truth = value_and_gradients(scan_linear_reference, *arguments)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(truth), strict=True):
        assert mine.dtype == other.dtype
        assert apart(mine, other) < 2 * CLOSE[char.lower()]


def test_the_kernel_counts_the_sequences_of_all_maps(monkeypatch):
    counts = []

    def watched(length, lanes, size, varying):
        counts.append(lanes)
        return length

    monkeypatch.setattr(gpu_scan, "chunk_steps", watched)
    lam, x = jnp.full(3, 0.5), jnp.ones((5, 7, 3))

    def run(lam, x, resets):
        return scan_linear(lam, x, resets=resets, method="kernel")

    inner = jax.vmap(run, (None, 0, 0))
    resets = jnp.arange(35).reshape(5, 7) % 3 == 0
    both = jnp.stack([lam, -lam])
    states = jax.jit(jax.vmap(inner, (0, None, None)))(both, x, resets)
    assert max(counts) == 3 * 5 * 2

    def plain(lam, x, resets):
        return scan_linear_reference(lam, x, resets=resets)

    inner = jax.vmap(plain, (None, 0, 0))
    truth = jax.jit(jax.vmap(inner, (0, None, None)))(both, x, resets)
    np.testing.assert_allclose(states, truth, rtol=1e-6)


# The bytes that the kernel moves.


def equations(jaxpr, found):
    """Loads and stores, inside the loop over steps or not."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in ("masked_load", "masked_swap", "get", "swap"):
            found.append(equation.outvars[0].aval.size)
        for value in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
        ):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                equations(inner, found)
    return found


def programs(jaxpr, found):
    for equation in jaxpr.eqns:
        if equation.primitive.name == "pallas_call":
            found.append(equation)
            continue
        for value in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
        ):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                programs(inner, found)
    return found


def counted(length, n, varying, steps):
    """Numbers that all programs of the kernel load and store, from their traces."""
    lam = jnp.zeros((length, 2, n) if varying else (2, n), np.float32)
    x = jnp.zeros((length, 2, n), np.float32)
    run = functools.partial(gpu_scan._run, resets=None, reverse=False, adjoint=False)

    def traced(starts, ends, lam=lam, x=x, steps=steps):
        function = functools.partial(run, steps=steps, ends=ends)
        # Interpreted and compiled, one of which runs.
        _, call = programs(
            jax.make_jaxpr(
                lambda *given: function(given[0], given[1], starts=given[2])
            )(lam, x, starts).jaxpr,
            [],
        )
        (whole,) = [e for e in call.params["jaxpr"].eqns if e.primitive.name == "while"]
        inside = sum(equations(whole.params["body_jaxpr"].jaxpr, []))
        outside = sum(equations(call.params["jaxpr"], [])) - inside
        blocks, chunks = call.params["grid_mapping"].grid
        count = len(x)
        trips = sum(-(-min(steps, count - c * steps) // 2) for c in range(chunks))
        return blocks * (inside * trips + chunks * outside)

    if steps >= length:
        return traced(None, False)
    chunks = -(-length // steps)
    rows = jnp.zeros((chunks, 2, n), np.float32)
    carries = traced(None, False, rows, rows, chunks)
    return traced(None, True) + carries + traced(rows, False)


@pytest.mark.parametrize("varying", BOTH)
@pytest.mark.parametrize("steps", [16, 64])
def test_the_kernel_moves_the_bytes_that_it_states(varying, steps, monkeypatch):
    monkeypatch.setattr(
        gpu_scan, "chunk_steps", lambda length, *_: steps if length == 64 else length
    )
    n = 2 * LANES
    stated = gpu_scan.bytes_moved("kernel", 64, n, 8, varying)
    # The first chunk asks for no start, under a mask.
    masked = n * 8 if steps < 64 else 0
    assert 4 * counted(64, n, varying, steps) == stated + masked


@pytest.mark.parametrize("length", [1, 2, 3, 7, 64, 100])
@pytest.mark.parametrize("varying", BOTH)
def test_the_tree_moves_the_bytes_that_are_stated(length, varying):
    pairs = []

    def combine(first, second):
        pairs.append(len(first))
        return first + second

    jax.make_jaxpr(lambda x: lax.associative_scan(combine, x))(jnp.ones(length))
    # Each pair reads two gates and two states, and writes one of either.  At the top no
    # product of gates is needed, and gates that are fixed take no memory.
    moved = 6 * sum(pairs)
    if pairs:
        down, up = pairs[0], pairs[-1]
        moved -= 2 * up if varying else 2 * down + 3 * up
    assert gpu_scan.bytes_moved("associative", length, 3, 8, varying) == moved * 3 * 8


@pytest.mark.parametrize("varying", BOTH)
@pytest.mark.parametrize("size", [4, 8, 16])
def test_the_kernel_moves_little_more_than_the_limit_and_less_than_the_tree(
    varying, size, monkeypatch
):
    monkeypatch.undo()
    for length, lanes in itertools.product(
        (17, 64, 65, 1000, 2**20), 4 ** np.arange(10)
    ):
        moved = {
            way: gpu_scan.bytes_moved(way, length, int(lanes), size, varying)
            for way in ("limit", "kernel", "associative")
        }
        assert moved["limit"] <= moved["kernel"] < moved["associative"]
        full = lanes * gpu_scan.AHEAD >= gpu_scan.UNDER_WAY
        most = 1 if full or length <= gpu_scan.SHORTEST else 1.8
        assert moved["kernel"] <= most * moved["limit"]
    long = gpu_scan.bytes_moved("kernel", 2**20, 2**12, size, varying)
    assert long / (2**32 * size) == pytest.approx(5 if varying else 3, rel=0.03)


def test_chunks_keep_memory_busy_where_neurons_are_few(monkeypatch):
    monkeypatch.undo()
    for lanes in (1, 33, 1000, 20000):
        steps = gpu_scan.chunk_steps(2**20, lanes, 8, False)
        assert steps % gpu_scan.SHORTEST == 0
        chunks = 2**20 / steps
        assert (
            0.9 < chunks * lanes * gpu_scan.AHEAD / gpu_scan.UNDER_WAY < 2
            or steps == 64
        )
    # Two passes move 3/2 times as much, so one pass on two thirds of all lanes is as fast.
    most = gpu_scan.UNDER_WAY // gpu_scan.AHEAD
    assert gpu_scan.chunk_steps(2**20, most * 2 // 3 + 1, 8, False) == 2**20
    assert gpu_scan.chunk_steps(2**20, most * 2 // 3 - 1, 8, False) < 2**20


# Where it serves.


@pytest.fixture
def on_gpu(monkeypatch):
    """A device that says it is one of CUDA, and interprets its kernels.

    The list of passes, of ends and of states, one for each time that one is traced.
    """
    passes, run = [], gpu_scan._run

    def watched(*arguments, ends, **options):
        passes.append("ends" if ends else "states")
        return run(*arguments, ends=ends, **options)

    monkeypatch.setattr(gpu_scan, "_run", watched)
    monkeypatch.setattr(gpu_scan, "cuda_capability", lambda: 9.0)
    monkeypatch.setattr(scan, "_platform", lambda: "gpu")
    for remembered in (gpu.say, gpu_scan.agrees):
        remembered.cache_clear()
    yield passes
    for remembered in (gpu.say, gpu_scan.agrees):
        remembered.cache_clear()


def gradient():
    """Of a program that is traced, over a batch."""
    STATES.clear_cache()

    @jax.jit
    def run(lam, x):
        def loss(lam):
            return (jnp.abs(jax.vmap(lambda x: scan_linear(lam, x))(x)) ** 2).sum()

        return jax.grad(loss)(lam)

    x = jnp.asarray(np.random.default_rng(0).normal(size=(3, 20, 4)), jnp.complex64)
    return run(jnp.asarray([0.5, 0.9, -0.3 + 0.2j, 0.1j], jnp.complex64), x)


def test_auto_is_the_kernel_on_a_gpu_after_one_comparison(request, capsys):
    right = gradient()
    passes = request.getfixturevalue("on_gpu")
    assert apart(gradient(), right) < CLOSE["f"]
    first = len(passes)
    assert {"ends", "states"} == set(passes)
    assert apart(gradient(), right) < CLOSE["f"]
    # Forward and back of 20 steps, in two passes over chunks and one over carries.
    assert len(passes) - first < first
    assert capsys.readouterr().err == ""


def test_a_cpu_and_several_devices_ask_for_no_kernel(monkeypatch, request, capsys):
    def used(*_, **__):
        raise AssertionError("used")

    monkeypatch.setattr(gpu_scan, "_solve", used)
    gradient()
    request.getfixturevalue("on_gpu")
    monkeypatch.setattr(jax, "device_count", lambda: 2)
    gradient()
    assert capsys.readouterr().err == ""


def failing(error):
    def run(*_, **__):
        raise error

    return run


def never_a_number(gate, h, x):
    return tuple(value * jnp.nan for value in advanced(gate, h, x))


advanced = gpu_scan.advanced
TROUBLES = {
    "an old GPU": (
        ("cuda_capability", lambda: 7.5),
        "it needs compute capability 8.0, got 7.5",
    ),
    "no Triton": (
        ("_run", failing(ImportError("cannot import name 'triton'"))),
        "cannot import name 'triton'",
    ),
    "wrong numbers": (
        ("conjugated", lambda gate: gate),
        "its numbers are .* apart from the scan's on cpu",
    ),
    "no numbers": (
        ("advanced", never_a_number),
        "its numbers are nan apart from the scan's on cpu",
    ),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_in_trouble_a_slower_way_gives_the_numbers_and_one_line_says_why(
    trouble, monkeypatch, request, capsys
):
    right = gradient()
    request.getfixturevalue("on_gpu")
    (name, value), reason = TROUBLES[trouble]
    monkeypatch.setattr(gpu_scan, name, value)
    for _ in range(2):
        assert apart(gradient(), right) < CLOSE["f"]
    line = "sigprop: the GPU kernel of recurrences is not used, a slower scan is: "
    assert re.fullmatch(line + reason + "\n", capsys.readouterr().err)


def test_one_number_that_is_none_is_seen_behind_others_that_are_right(capsys):
    gpu.say.cache_clear()
    right, wrong = np.ones(3), np.array([1, np.nan, 1])
    assert gpu.close(lambda: [(right, right)], "cpu", "f")
    assert not gpu.close(lambda: [(right, right), (wrong, right)], "cpu", "f")
    assert "nan apart" in capsys.readouterr().err
