"""The recurrence is its loop, by every method, at awkward lengths, with its derivative."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.neuron.recurrence import (
    METHODS,
    impulse_response,
    linear_recurrence,
    sensitivity,
)

LENGTHS = [0, 1, 2, 3, 8, 17]
REAL = np.array([0.5, -0.9, 0.0, 1.0])
COMPLEX = REAL * np.exp(1j * np.array([0.3, 2.0, 1.0, -0.7]))
EIGENVALUES = {"real": REAL, "complex": COMPLEX}
INPUTS = {"an input a neuron": 4, "one shared input": 1}
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-13}

# One program a case, where calls as they are compile every operation.
recurrence = jax.jit(linear_recurrence, static_argnames="method")
slope_of = jax.jit(sensitivity, static_argnames="method")
response_of = jax.jit(impulse_response, static_argnames="length")

lengths = pytest.mark.parametrize("length", LENGTHS)
kinds = pytest.mark.parametrize("kind", EIGENVALUES)
methods = pytest.mark.parametrize("method", METHODS)
widths = pytest.mark.parametrize("width", INPUTS.values(), ids=INPUTS)


# Every length, kind and width by one method, and by the other one next door.
ALTERNATELY = [
    f"{length}-{kind}-{width}-{METHODS[(a + b + c) % 2]}"
    for a, length in enumerate(LENGTHS)
    for b, kind in enumerate(EIGENVALUES)
    for c, width in enumerate(INPUTS)
]


def series(length, width, kind="real"):
    """Inputs of either sign and of size one to two, so that none is lost."""
    generator = np.random.default_rng(length + 10 * width)
    shape = (length, width)
    x = generator.uniform(1, 2, shape) * generator.choice([-1, 1], shape)
    return x * np.exp(1j * generator.uniform(0, 6, shape)) if kind == "complex" else x


def loop(lam, x, initial=None):
    """States and sensitivities, one step at a time in Python."""
    h = np.zeros(lam.shape, complex) if initial is None else initial.astype(complex)
    s = np.zeros(lam.shape, complex)
    states, sensitivities = [], []
    for x_t in x:
        h, s = lam * h + x_t, lam * s + h
        states.append(h)
        sensitivities.append(s)
    shape = (len(x), len(lam))
    return np.array(states).reshape(shape), np.array(sensitivities).reshape(shape)


def near(value, truth, tolerance=1e-13):
    scale = max(1.0, float(np.abs(truth).max(initial=0)))
    return float(np.abs(np.asarray(value) - truth).max(initial=0)) <= tolerance * scale


@pytest.mark.usefixtures("x64")
@methods
@widths
@kinds
@lengths
@pytest.mark.sampled(keep=ALTERNATELY)
def test_every_method_is_the_loop(length, kind, width, method):
    lam, x = EIGENVALUES[kind], series(length, width)
    states, sensitivities = loop(lam, x)
    values = recurrence(jnp.asarray(lam), jnp.asarray(x), method=method)
    assert values.shape == (length, 4)
    assert values.dtype == jnp.asarray(lam).dtype
    assert near(values, states)
    assert near(slope_of(jnp.asarray(lam), jnp.asarray(x), method), sensitivities)
    if length > 1:  # the partner: five percent more on one eigenvalue is seen
        wrong = lam * np.array([1.05, 1, 1, 1])
        assert not near(values, loop(wrong, x)[0], 1e-3)


@pytest.mark.usefixtures("x64")
@methods
@kinds
@lengths
def test_initial_state_is_carried_through(length, kind, method):
    lam, x = EIGENVALUES[kind], series(length, 4)
    initial = np.arange(1.0, 5.0) * (1j if kind == "complex" else 1)
    values = recurrence(jnp.asarray(lam), jnp.asarray(x), jnp.asarray(initial), method)
    assert near(values, loop(lam, x, initial)[0])
    assert length == 0 or not near(values, loop(lam, x)[0], 0.05)


@pytest.mark.usefixtures("x64")
@methods
def test_complex_inputs_make_a_complex_state(method):
    x = series(5, 4, "complex")
    values = recurrence(jnp.asarray(REAL), jnp.asarray(x), method=method)
    assert near(values, loop(REAL, x)[0])


@pytest.mark.usefixtures("x64")
@methods
def test_a_complex_initial_state_of_a_real_recurrence_is_not_cut_to_its_real_part(
    method,
):
    x, initial = series(3, 4), np.array([1j, 1.0, 2j, 0.0])
    values = recurrence(jnp.asarray(REAL), jnp.asarray(x), jnp.asarray(initial), method)
    assert near(values, loop(REAL, x, initial)[0])


@pytest.mark.usefixtures("x64")
@methods
@kinds
@pytest.mark.parametrize("length", [1, 2, 17])
@pytest.mark.sampled(
    keep=[
        "17-real-sequential",
        "17-complex-associative",
        "2-complex-sequential",
        "2-real-associative",
        "1-complex-associative",
    ]
)
def test_sensitivity_is_the_forward_derivative(length, kind, method):
    lam, x = jnp.asarray(EIGENVALUES[kind]), jnp.asarray(series(length, 1))
    _, tangent = jax.jvp(
        lambda value: recurrence(value, x, method=method),
        (lam,),
        (jnp.ones_like(lam),),
    )
    assert near(slope_of(lam, x, method), np.asarray(tangent))


@pytest.mark.usefixtures("x64")
@methods
@kinds
def test_sensitivity_is_the_central_difference_of_the_state(kind, method):
    lam, x = EIGENVALUES[kind], jnp.asarray(series(17, 4))
    width = 1e-5

    def state(value):
        return np.asarray(recurrence(jnp.asarray(value), x, method=method))

    difference = (state(lam + width) - state(lam - width)) / (2 * width)
    derivative = slope_of(jnp.asarray(lam), x, method)
    assert near(derivative, difference, 1e-7)
    assert not near(derivative * 1.05, difference, 1e-2)


@pytest.mark.usefixtures("x64")
@kinds
@lengths
def test_impulse_response_is_the_power_and_its_slope(length, kind):
    lam = EIGENVALUES[kind].astype(complex)
    state, derivative = response_of(jnp.asarray(EIGENVALUES[kind]), length)
    ages = np.arange(length)[:, None]
    assert near(state, lam[None] ** ages)
    assert near(derivative, ages * lam[None] ** np.maximum(ages - 1, 0))


@pytest.mark.usefixtures("x64")
def test_reverse_mode_through_both_methods_agrees():
    lam, x = jnp.asarray(REAL), jnp.asarray(series(17, 4))

    def loss(value, method):
        return (recurrence(value, x, method=method) ** 2).sum()

    gradients = [np.asarray(jax.grad(loss)(lam, method)) for method in METHODS]
    assert near(gradients[0], gradients[1], 1e-12)
    assert np.abs(gradients[0]).min() > 0


@pytest.mark.usefixtures("x64")
@methods
@kinds
def test_recurrence_is_linear_and_causal(kind, method):
    lam = jnp.asarray(EIGENVALUES[kind])
    x, y = (jnp.asarray(series(9, width)) for width in (4, 1))
    together = recurrence(lam, 2 * x + y, method=method)
    apart = 2 * recurrence(lam, x, method=method) + recurrence(lam, y, method=method)
    assert near(together, np.asarray(apart))
    later = recurrence(lam, x.at[5].add(1.0), method=method)
    before = recurrence(lam, x, method=method)
    assert near(later[:5], np.asarray(before[:5]))
    assert not near(later[5:], np.asarray(before[5:]), 1e-2)


@pytest.mark.parametrize("wide", [np.float32, np.float64])
@methods
def test_precision_follows_the_arguments(wide, method):
    from sigprop.numerics.precision import double_precision

    with double_precision(True):
        lam, x = REAL.astype(wide), series(17, 4).astype(wide)
        values = recurrence(jnp.asarray(lam), jnp.asarray(x), method=method)
        assert values.dtype == wide
        assert near(values, loop(lam.astype(float), x)[0], TOLERANCE[wide])
        mixed = recurrence(
            jnp.asarray(REAL, jnp.float32), jnp.asarray(x), method=method
        )
        assert mixed.dtype == wide


def test_unknown_method_is_refused():
    with pytest.raises(
        ValueError,
        match=r"^need a method in \('sequential', 'associative'\), got 'parallel'$",
    ):
        linear_recurrence.__wrapped__(jnp.ones(1), jnp.ones((2, 1)), method="parallel")
