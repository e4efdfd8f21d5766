"""The engine is the loop, and its derivative the loop's, by every method and option."""

import itertools
import re
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.neuron.scan import (
    LARGE_ON_GPU,
    METHODS,
    SHORT_ON_GPU,
    automatic_method,
    scan_linear,
    scan_linear_reference,
    stream,
)
from sigprop.numerics.precision import double_precision

LENGTHS = [0, 1, 2, 3, 17, 64, 65, 200]
KINDS = ["real", "complex"]
GATES = ["fixed", "varying"]
OPTIONS = list(itertools.product([False, True], repeat=3))  # initial, resets, reverse
UNCHECKED = scan_linear.__wrapped__

kinds = pytest.mark.parametrize("kind", KINDS)
gates = pytest.mark.parametrize("gate", GATES)
WAYS = METHODS[1:]  # what "auto" chooses from
methods = pytest.mark.parametrize("method", WAYS)
PAIRS = [(m, g) for m in WAYS for g in GATES if (m, g) != ("fft", "varying")]
pairs = pytest.mark.parametrize(("method", "gate"), PAIRS)

# Every option with both kinds and both gates, in turn.
ALTERNATELY = [
    f"{option}-{gate}-{KINDS[(sum(option) + index) % 2]}"
    for option in OPTIONS
    for index, gate in enumerate(GATES)
]

# Every method with either gate, both kinds and most lengths, by hand.
LOOPS = [
    "0-complex-chunked-varying", "1-real-associative-varying",
    "2-complex-sequential-varying", "3-real-fft-fixed", "17-complex-associative-fixed",
    "64-real-sequential-fixed", "65-complex-chunked-fixed", "65-real-chunked-varying",
    "200-complex-fft-fixed", "200-complex-associative-varying",
    "65-complex-kernel-varying", "17-real-kernel-fixed",
]  # fmt: skip
SLOPES = [
    "37-complex-sequential-varying", "37-real-chunked-varying",
    "2-complex-chunked-fixed", "37-real-associative-fixed", "37-complex-fft-fixed",
    "37-complex-kernel-varying",
]  # fmt: skip
FORWARD = [
    "complex-sequential-fixed", "real-sequential-varying", "complex-chunked-varying",
    "real-associative-fixed", "complex-fft-fixed", "real-kernel-varying",
]  # fmt: skip
SINGLE = ["real-sequential", "complex-chunked", "real-associative", "complex-fft"]
SINGLE += ["complex-kernel"]


def options(method, index):
    """All choices for the loop at one length; elsewhere one, or two opposite ones."""
    if method == "sequential" and index == 6:
        return OPTIONS
    starts, forgets, reverse = OPTIONS[index]
    chosen = [(starts, forgets and method != "fft", reverse)]
    return (
        [*chosen, OPTIONS[7 - index]] if method == "chunked" and index > 5 else chosen
    )


@cache
def problem(kind, gate, length, n=3):
    """Eigenvalues of modulus 0.5 to 1, one of them 1; inputs that none can miss."""
    generator = np.random.default_rng(length)

    def numbers(low, high, *shape):
        modulus = generator.uniform(low, high, shape)
        phase = generator.uniform(0, 2 * np.pi, shape)
        unit = np.exp(1j * phase) if kind == "complex" else np.sign(np.cos(phase))
        return modulus * unit

    lam = numbers(0.5, 0.99, *((length, n) if gate == "varying" else (n,)))
    lam[..., 0] /= np.abs(lam[..., 0])
    resets = generator.uniform(size=length) < 0.1
    resets[1:2], resets[:1], resets[-1:] = True, length == 64, length % 2 == 0
    return lam, numbers(1, 2, length, n), numbers(1, 2, n), resets


def arguments(case, option, dtype=None):
    lam, x, initial, resets = case
    starts, forgets, reverse = option
    values = [lam, x, initial if starts else None]
    values = [None if v is None else jnp.asarray(v, dtype) for v in values]
    return values, jnp.asarray(resets) if forgets else None, reverse


def loop(case, option):
    """The definition, a step at a time in Python."""
    lam, x, initial, resets = case
    starts, forgets, reverse = option
    rows = np.broadcast_to(lam, x.shape)
    h = initial if starts else np.zeros_like(initial)
    states = np.empty(x.shape, np.result_type(lam, x))
    for t in range(len(x))[:: -1 if reverse else 1]:
        h = x[t] if forgets and resets[t] else rows[t] * h + x[t]
        states[t] = h
    return states


def near(value, truth, tolerance=1e-11):
    truth = np.asarray(truth)
    scale = max(1e-3, float(np.abs(truth).max(initial=0)))
    return float(np.abs(np.asarray(value) - truth).max(initial=0)) <= tolerance * scale


def compiled(method, reverse):
    return jax.jit(partial(scan_linear, method=method, reverse=reverse))


@pytest.mark.usefixtures("x64")
@pairs
@kinds
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.sampled(keep=LOOPS)
def test_every_method_is_the_loop(length, kind, gate, method):
    case = problem(kind, gate, length)
    for option in options(method, LENGTHS.index(length)):
        values, resets, reverse = arguments(case, option)
        states = compiled(method, reverse)(*values, resets=resets)
        truth = loop(case, option)
        assert states.shape == truth.shape
        assert states.dtype == truth.dtype
        assert near(states, truth)
        if length:
            wrong = np.array(case[1])
            wrong[length // 2, 0] *= 1.05
            assert not near(states, loop((case[0], wrong, *case[2:]), option), 1e-3)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("option", OPTIONS, ids=str)
@kinds
@gates
def test_every_option_matters(kind, gate, option):
    case = problem(kind, gate, 17)
    for other in OPTIONS:
        assert near(loop(case, option), loop(case, other), 1e-2) == (option == other)


def pullback(function, case, option):
    """Cotangents of eigenvalues, inputs and initial state."""
    values, resets, reverse = arguments(case, (True, *option[1:]))
    if not option[0]:
        values = values[:2]
    generator = np.random.default_rng(7)
    shape = case[1].shape
    ct = generator.uniform(1, 2, shape)
    if np.iscomplexobj(case[1]):
        ct = ct * np.exp(1j * generator.uniform(0, 6, shape))

    def pull(values, ct):
        run = partial(function, resets=resets, reverse=reverse)
        return jax.vjp(run, *values)[1](ct)

    return jax.jit(pull)(values, jnp.asarray(ct))


@cache
def true_pullback(kind, gate, length, option):
    gradients = pullback(scan_linear_reference, problem(kind, gate, length), option)
    return [np.asarray(value) for value in gradients]


@pytest.mark.usefixtures("x64")
@pairs
@kinds
@pytest.mark.parametrize("length", [1, 2, 37])
@pytest.mark.sampled(keep=SLOPES)
def test_own_derivative_is_that_of_the_plain_scan(length, kind, gate, method):
    case = problem(kind, gate, length)
    for option in options(method, {1: 2, 2: 5, 37: 7}[length]):
        gradients = pullback(partial(scan_linear, method=method), case, option)
        truth = true_pullback(kind, gate, length, option)
        assert len(gradients) == len(truth) == 2 + option[0]
        for gradient, other in zip(gradients, truth, strict=True):
            assert gradient.shape == other.shape
            assert gradient.dtype == other.dtype
            assert near(gradient, other, 1e-10)
            assert not other.any() or not near(1.05 * gradient, other, 1e-2)


@pytest.mark.usefixtures("x64")
@kinds
@gates
@pytest.mark.parametrize("option", OPTIONS, ids=str)
@pytest.mark.sampled(keep=ALTERNATELY)
def test_own_derivative_of_the_loop_with_every_option(kind, gate, option):
    gradients = pullback(scan_linear, problem(kind, gate, 37), option)
    truth = true_pullback(kind, gate, 37, option)
    assert all(
        near(gradient, other, 1e-10)
        for gradient, other in zip(gradients, truth, strict=True)
    )
    assert sum(float(np.abs(other).max()) > 0.1 for other in truth) >= 2


@pytest.mark.usefixtures("x64")
@kinds
@gates
def test_gradient_is_the_central_difference(kind, gate):
    case = problem(kind, gate, 17)
    (lam, x, initial), resets, _ = arguments(case, (True, True, False))

    @jax.jit
    def loss(lam, x, initial):
        h = scan_linear(lam, x, initial, resets=resets)
        return (jnp.abs(h - 1) ** 2).sum()

    gradients = jax.grad(loss, (0, 1, 2))(lam, x, initial)
    generator = np.random.default_rng(1)
    for index, value in enumerate((lam, x, initial)):
        way = generator.normal(size=value.shape)
        if kind == "complex":
            way = way + 1j * generator.normal(size=value.shape)
        ends = []
        for sign in (1e-5, -1e-5):
            moved = [lam, x, initial]
            moved[index] = value + sign * way
            ends.append(float(loss(*moved)))
        difference = (ends[0] - ends[1]) / 2e-5
        derivative = float(
            (gradients[index] * way).sum().real
        )  # JAX conjugates gradients
        assert derivative == pytest.approx(difference, rel=1e-6)
        assert 1.05 * derivative != pytest.approx(difference, rel=1e-2)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("method", WAYS[:-1])
@gates
@pytest.mark.sampled(
    keep=[
        "fixed-sequential",
        "varying-chunked",
        "fixed-associative",
        "varying-kernel",
    ]
)
def test_maps_over_sequences_and_layers_with_their_gradients(gate, method):
    lam, x, initial, resets = problem(
        "complex", gate, 7 if method == "associative" else 37
    )
    batch = jnp.stack([x, 2 * x[::-1], 1j * x])
    forget = jnp.stack([resets, resets[::-1], ~resets])
    layers = jnp.stack([lam, 0.5 * lam, 1j * lam])

    def loss(lam, x, resets):
        h = scan_linear(lam, x, jnp.asarray(initial), resets=resets, method=method)
        return (jnp.abs(h) ** 2).sum()

    gradients = jax.grad(loss, (0, 1))
    batch_gradients = jax.jit(jax.vmap(gradients))(layers, batch, forget)
    single = jax.jit(gradients)
    for row in range(3):
        truth = single(layers[row], batch[row], forget[row])
        assert all(
            near(gradient[row], other)
            for gradient, other in zip(batch_gradients, truth, strict=True)
        )
    mapped = jax.vmap(loss, (None, 0, None))
    shared = jax.jit(jax.grad(lambda lam: mapped(lam, batch, forget[0]).sum()))
    truth = sum(single(jnp.asarray(lam), row, forget[0])[0] for row in batch)
    assert near(shared(jnp.asarray(lam)), truth)
    assert not near(shared(jnp.asarray(lam)), 1.05 * truth, 1e-2)


@methods
@kinds
@pytest.mark.sampled(keep=SINGLE)
def test_single_precision_is_double_precision_to_rounding(kind, method):
    case, option = problem(kind, "fixed", 200), (True, False, False)
    with double_precision(True):
        small = np.complex64 if kind == "complex" else np.float32
        values, _, _ = arguments(case, option, small)
        states = compiled(method, False)(*values)
        assert states.dtype == small
    assert near(states, loop(case, option), 1e-4)
    assert not near(1.05 * np.asarray(states), loop(case, option), 1e-2)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    ("lam_type", "x_type"),
    [
        ("float32", "float64"),
        ("float64", "float32"),
        ("float64", "complex64"),
        ("complex64", "float32"),
        ("complex64", "float64"),
        ("complex128", "complex64"),
    ],
)
def test_dtype_is_that_of_the_product(lam_type, x_type):
    lam, x, initial, _ = problem("real", "fixed", 3)
    lam, x = jnp.asarray(lam, lam_type), jnp.asarray(x, x_type)

    @partial(jax.jit, static_argnums=0)
    def pullback(function, lam, x):
        h, pull = jax.vjp(function, lam, x)
        return h, pull(h)

    states, gradients = pullback(scan_linear, lam, x)
    assert states.dtype == jnp.result_type(lam, x)
    assert near(
        states,
        loop((np.asarray(lam), np.asarray(x), initial, None), (False,) * 3),
        1e-5,
    )
    assert [v.dtype for v in gradients] == [lam.dtype, x.dtype]
    _, truth = pullback(scan_linear_reference, lam, x)
    assert all(near(a, b, 1e-5) for a, b in zip(gradients, truth, strict=True))
    assert not any(
        near(1.05 * a, b, 1e-2) for a, b in zip(gradients, truth, strict=True)
    )


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("function", [scan_linear, scan_linear_reference])
def test_an_initial_state_takes_the_precision_of_the_rest(function):
    lam, x, initial, _ = problem("real", "fixed", 3)
    single = jnp.asarray(lam, "float32"), jnp.asarray(x, "float32")
    states = function(*single, jnp.asarray(initial))
    assert states.dtype == "float32"
    assert near(states, loop((lam, x, initial, None), (True, False, False)), 1e-5)


@pytest.mark.usefixtures("x64")
@kinds
@gates
def test_streaming_gives_the_same_states(kind, gate):
    lam, x, h, _ = (jnp.asarray(value) for value in problem(kind, gate, 17))
    states = scan_linear(lam, x, h)
    for gate_t, x_t, expected in zip(
        jnp.broadcast_to(lam, x.shape), x, states, strict=True
    ):
        h = stream(gate_t, h, x_t)
        assert near(h, expected)
        assert not near(stream(1.05 * gate_t, h, x_t), stream(gate_t, h, x_t), 1e-3)


@pytest.mark.usefixtures("x64")
@pairs
@kinds
@pytest.mark.sampled(keep=FORWARD)
def test_forward_mode_is_that_of_the_plain_scan(kind, gate, method):
    """Tangents of the states, and Hessian-vector products in every mixture of modes."""
    case = problem(kind, gate, 17)
    for option in options(method, 6):
        values, resets, reverse = arguments(case, (True, *option[1:]))
        tangents = [
            jnp.cos(jnp.arange(value.size)).reshape(value.shape) for value in values
        ]
        tangents = [t.astype(v.dtype) for t, v in zip(tangents, values, strict=True)]

        def derivatives(
            function, values=values, tangents=tangents, given=(resets, reverse)
        ):
            run = partial(function, resets=given[0], reverse=given[1])

            def loss(*values):
                return (jnp.abs(run(*values) - 1) ** 2).sum()

            def along(function):
                return lambda *values: jax.jvp(function, values, tuple(tangents))[1]

            gradient = jax.grad(loss, (0, 1, 2))
            return (
                along(run)(*values),
                along(gradient)(*values),
                jax.grad(along(loss), (0, 1, 2))(*values),
                along(along(loss))(*values),
            )

        result = jax.jit(derivatives, static_argnums=0)(
            partial(scan_linear, method=method)
        )
        truth = jax.jit(derivatives, static_argnums=0)(scan_linear_reference)
        for ours, wanted in zip(*map(jax.tree.leaves, (result, truth)), strict=True):
            assert near(ours, wanted, 1e-10)
            assert not near(1.05 * ours, wanted, 1e-2)


@pytest.mark.parametrize("method", ["sequential", "kernel"])
def test_a_reset_forgets_even_infinity(method):
    x = jnp.array([[jnp.inf], [1.0], [2.0]])
    resets = jnp.array([False, True, False])
    states = scan_linear(jnp.array([0.5]), x, resets=resets, method=method)
    np.testing.assert_array_equal(states[:, 0], [np.inf, 1, 2.5])


def test_spectra_of_a_power_that_overflows_leave_no_finite_state():
    states = scan_linear(jnp.array([10.0]), jnp.ones((100, 1)), method="fft")
    assert not np.isfinite(states).any()
    assert np.isfinite(scan_linear(jnp.array([10.0]), jnp.ones((100, 1)))[:30]).all()


def test_auto_is_the_loop_on_a_cpu_and_never_long_on_a_gpu():
    lam, x, *_ = (jnp.asarray(value) for value in problem("complex", "fixed", 65))
    here = automatic_method(65, x.nbytes, jax.default_backend())
    np.testing.assert_array_equal(scan_linear(lam, x), scan_linear(lam, x, method=here))
    assert automatic_method(10**6, 10**9, "cpu") == "sequential"
    assert automatic_method(SHORT_ON_GPU, 10**9, "gpu") == "sequential"
    assert automatic_method(SHORT_ON_GPU + 1, LARGE_ON_GPU - 1, "gpu") == "associative"
    assert automatic_method(10**6, LARGE_ON_GPU, "cuda") == "chunked"


LAM, X = jnp.full(2, 0.5), jnp.ones((3, 2))
REFUSED = {
    "need a method in ('auto', 'sequential', 'chunked', 'associative', 'kernel', 'fft'), "
    "got 'parallel'": ((LAM, X), {"method": "parallel"}),
    "need lam of shape (2,) or (3, 2), to go with x, got (4, 2)": (
        (jnp.ones((4, 2)), X),
        {},
    ),
    "need lam of shape (2,) or (3, 2), to go with x, got (3,)": ((jnp.ones(3), X), {}),
    "need initial of shape (2,), got (3,)": ((LAM, X, jnp.ones(3)), {}),
    "need a real initial state where lam and x are real": ((LAM, X, 1j * LAM), {}),
    "need resets of booleans of shape (3,), got int32 of shape (3,)": (
        (LAM, X),
        {"resets": jnp.zeros(3, "int32")},
    ),
    "need resets of booleans of shape (3,), got bool of shape (2,)": (
        (LAM, X),
        {"resets": jnp.zeros(2, bool)},
    ),
}
SPECTRAL = (
    "method 'fft' needs lam fixed in time and no resets; "
    "use 'auto', 'chunked' or 'associative'"
)


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_run_is_refused(message):
    positional, named = REFUSED[message]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        UNCHECKED(*positional, **named)


@pytest.mark.parametrize(
    ("lam", "named"),
    [(0.5 * X, {}), (LAM, {"resets": jnp.zeros(3, bool)})],
    ids=["varying", "resets"],
)
def test_spectra_are_refused_where_there_is_no_convolution(lam, named):
    with pytest.raises(ValueError, match=f"^{re.escape(SPECTRAL)}$"):
        scan_linear(lam, X, method="fft", **named)
