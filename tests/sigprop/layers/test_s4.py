"""State-space layers solve their differential equations, and start where theory says."""

import functools
import re

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.linalg

from sigprop.layers.base import parameters
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import (
    DISCRETISATIONS,
    SPECTRA,
    diagonal_spectrum,
    discretise,
    hippo_legs,
    log_steps,
    mean_exponential,
    s4d,
)
from sigprop.layers.s5 import s5
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import (
    both_ways,
    inputs,
    require_slopes,
    run,
    slopes_of,
    states_of,
    wide,
    with_value,
)

KEY = jax.random.key(5)
LAYERS = {
    "s4": lambda: s4(6, 3, key=KEY, d_out=2, nu0=0.5, theta0=1.0),
    "s4d": lambda: s4d(4, 3, key=KEY),
    "s4d bilinear": lambda: s4d(
        4, 3, key=KEY, spectrum="inv", discretisation="bilinear"
    ),
    "s5": lambda: s5(4, 3, key=KEY, blocks=2),
    "s5 without symmetry": lambda: s5(5, 3, key=KEY, conjugate=False),
}
layers = pytest.mark.parametrize("name", LAYERS)
rules = pytest.mark.parametrize("rule", DISCRETISATIONS)


@functools.cache
def build(name):
    with double_precision(False):
        return LAYERS[name]()


def joined(re, im):
    return np.asarray(re) + 1j * np.asarray(im)


def dense(a, b, c, d, u, dt, rule):
    """A dense real state-space model, discretised as a whole."""
    n, m = b.shape
    if rule == "zoh":
        exponential = scipy.linalg.expm(dt * np.block([[a, b], [np.zeros((m, n + m))]]))
        lam, gain = exponential[:n, :n], exponential[:n, n:]
    else:
        left = np.eye(n) - dt / 2 * a
        lam = np.linalg.solve(left, np.eye(n) + dt / 2 * a)
        gain = dt * np.linalg.solve(left, b)
    h, outputs = np.zeros(n), []
    for u_t in u:
        h = lam @ h + gain @ u_t
        outputs.append(c @ h + d @ u_t)
    return np.array(outputs)


def normal_legs(size):
    """HiPPO-LegS, entry by entry from its definition, plus ``p p^T``."""
    a = np.zeros((size, size))
    for n in range(size):
        for k in range(n):
            a[n, k] = -np.sqrt((2 * n + 1) * (2 * k + 1))
        a[n, n] = -(n + 1)
    p = np.sqrt(np.arange(size) + 0.5)
    return a + np.outer(p, p)


@layers
@pytest.mark.sampled(keep=["s4", "s5"])
def test_whole_sequences_are_their_steps(name):
    layer = build(name)
    u = jnp.asarray(inputs(layer), jnp.float32)
    np.testing.assert_allclose(*both_ways(layer, u), rtol=0, atol=1e-5)
    assert layer.eigenvalues().shape == (layer.state_size,)


@pytest.mark.usefixtures("x64")
@layers
@pytest.mark.sampled(keep=["s4d bilinear", "s5"])
def test_gradients_are_finite_differences(name):
    layer = wide(build(name))
    require_slopes(layer, jnp.asarray(inputs(layer)))


def test_gradients_are_finite_in_single_precision():
    layer = build("s4d")
    u = jnp.asarray(inputs(layer), jnp.float32)
    gradients = jax.tree.leaves(slopes_of(layer, u))
    assert all(np.isfinite(leaf).all() for leaf in gradients)


@layers
def test_stable_layers_are_stable_at_random_parameters(name):
    generator = np.random.default_rng(6)
    layer = build(name)
    radius = jax.jit(lambda layer: jnp.abs(layer.eigenvalues()).max())

    def moved(leaf):
        return jnp.asarray(3 * generator.normal(size=leaf.shape), leaf.dtype)

    largest = max(float(radius(jax.tree.map(moved, layer))) for _ in range(100))
    # The modulus of a computed number on the circle may exceed one by its rounding.
    assert (largest <= 1 + 5e-7) == type(layer).stable


# S4 as Zucchet & Orvieto take it.


@pytest.mark.usefixtures("x64")
def test_s4_is_the_loop_of_its_printed_equations():
    layer = with_value(wide(build("s4")), omega_delta=jnp.linspace(-2, 1, 6))
    p = {name: np.asarray(value) for name, value in parameters(layer).items()}
    delta = np.log1p(np.exp(p["omega_delta"]))
    lam = np.exp((p["w_re"] + 1j * p["w_im"]) * delta)
    b, c = p["B_re"] + 1j * p["B_im"], p["C_re"] + 1j * p["C_im"]
    u, h = inputs(layer), np.zeros(6, complex)
    outputs = run(layer, jnp.asarray(u))
    for x, y in zip(u, outputs, strict=True):
        h = lam * h + delta * (b @ x)
        np.testing.assert_allclose(y, np.real(c @ h + p["D"] @ x), atol=1e-13)


def test_s4_starts_on_the_ring_at_step_one():
    layer = s4(500, 3, key=KEY, d_out=2, nu0=0.8, theta0=0.5)
    np.testing.assert_allclose(jax.nn.softplus(layer.omega_delta), 1, rtol=2e-7)
    lam = np.asarray(layer.eigenvalues())
    assert np.abs(lam).min() >= 0.8 - 1e-6
    assert np.abs(lam).max() <= 1
    assert np.angle(lam).min() >= 0
    assert np.angle(lam).max() <= 0.5 + 1e-6


@pytest.mark.usefixtures("x64")
@pytest.mark.slow
def test_s4_starts_with_the_same_eigenvalues_at_any_step():
    layer, other = (
        s4(5, 3, key=KEY, d_out=2, nu0=0.8, theta0=0.5, delta=d) for d in (1.0, 0.01)
    )
    np.testing.assert_allclose(other.eigenvalues(), layer.eigenvalues(), rtol=1e-12)
    np.testing.assert_allclose(other.normaliser(), 0.01, rtol=1e-12)


@pytest.mark.usefixtures("x64")
def test_s4_with_a_small_step_is_euler():
    """The gap to Euler's method at a fixed time halves with the step."""
    layer = wide(build("s4"))
    w = np.asarray(layer.w_re) + 1j * np.asarray(layer.w_im)
    entering = (np.asarray(layer.B_re) + 1j * np.asarray(layer.B_im)) @ np.ones(3)
    gaps = []
    for steps in (200, 400):
        delta, h = 1 / steps, np.zeros(6, complex)
        for _ in range(steps):
            h = h + delta * (w * h + entering)
        small = jnp.full(6, np.log(np.expm1(delta)))
        finer = with_value(layer, omega_delta=small)
        states = states_of(finer, jnp.ones((steps, 3)))
        gaps.append(np.abs(np.asarray(states[-1]) - h).max())
    assert gaps[0] < 1e-2
    np.testing.assert_allclose(gaps[0] / gaps[1], 2, rtol=0.02)


# Discretisation.


@pytest.mark.usefixtures("x64")
@rules
def test_discretisations_solve_the_augmented_system(rule):
    a = np.array([-0.5 + 3j, -2.0 + 0j, -1e-9 + 1e-9j, -0.1 - 40j])
    lam, gain = discretise(
        jnp.log(-a.real), jnp.asarray(a.imag), jnp.array([0.3]), rule
    )
    z = 0.3 * a
    for i in range(4):
        exponential = scipy.linalg.expm(0.3 * np.array([[a[i], 1], [0, 0]]))
        truth = exponential[0]
        if rule == "bilinear":
            truth = np.array([1 + z[i] / 2, 0.3]) / (1 - z[i] / 2)
        np.testing.assert_allclose([lam[i], gain[i]], truth, rtol=1e-12)


@pytest.mark.usefixtures("x64")
def test_bilinear_agrees_with_zoh_to_second_order():
    """At a fixed time, under a constant input, for which ZOH is exact."""
    ends = {}
    for rule in DISCRETISATIONS:
        for steps in (100, 200):
            log_dt = jnp.full(2, -np.log(steps))
            layer = with_value(s4d(3, 2, key=KEY, discretisation=rule), log_dt=log_dt)
            ends[rule, steps] = np.asarray(states_of(layer, jnp.ones((steps, 2)))[-1])
    np.testing.assert_allclose(ends["zoh", 100], ends["zoh", 200], rtol=1e-12)
    gaps = [np.abs(ends["bilinear", s] - ends["zoh", s]).max() for s in (100, 200)]
    np.testing.assert_allclose(gaps[0] / gaps[1], 4, rtol=0.02)


@pytest.mark.usefixtures("x64")
def test_the_zoh_factor_keeps_its_digits_and_its_derivative():
    turn = np.exp(1j * np.linspace(np.pi / 2, np.pi, 5))
    sizes = [0, 1e-300, 1e-12, 1e-4, 0.1, 0.499, 0.501, 1.0, 5.0, 30.0]
    z = np.array([size * t for size in sizes for t in turn])
    loss_and_gradient = jax.jit(
        jax.vmap(jax.value_and_grad(mean_exponential, holomorphic=True))
    )
    values, derivatives = loss_and_gradient(jnp.asarray(z))
    with mpmath.workdps(400):
        for value, derivative, point in zip(values, derivatives, z, strict=True):
            at = mpmath.mpc(point)
            truth = mpmath.expm1(at) / at if at else mpmath.mpf(1)
            change = (mpmath.exp(at) - truth) / at if at else mpmath.mpf(1) / 2
            np.testing.assert_allclose(complex(value), complex(truth), rtol=3e-15)
            np.testing.assert_allclose(
                complex(derivative), complex(change), rtol=1e-14, atol=1e-15
            )


# Spectra.


@pytest.mark.parametrize("size", [1, 2, 7, 32])
def test_legs_is_the_normal_part_of_hippo(size):
    values, vectors = hippo_legs(size)
    a = normal_legs(size)
    rebuilt = vectors @ np.diag(values) @ vectors.conj().T
    np.testing.assert_allclose(rebuilt, a, atol=1e-11 * size**2)
    np.testing.assert_allclose(vectors.conj().T @ vectors, np.eye(size), atol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvals(a).real, -0.5, atol=1e-10 * size**2)
    assert (np.diff(values.imag) < 0).all()


def test_named_spectra_are_their_formulas():
    np.testing.assert_allclose(diagonal_spectrum(2, "lin"), [-0.5, -0.5 + 1j * np.pi])
    inv = [-0.5 + 12j / np.pi, -0.5 + 4j / np.pi / 3]
    np.testing.assert_allclose(diagonal_spectrum(2, "inv"), inv)
    # The normal part for N = 2 is -1/2 and +-sqrt(3)/2 off the diagonal.
    legs = diagonal_spectrum(1, "legs")
    np.testing.assert_allclose(legs, [-0.5 + 0.5j * np.sqrt(3)], rtol=1e-14)


def test_inv_approaches_legs_with_twice_n_and_not_as_the_lru_paper_prints_it():
    n, gaps = np.arange(1, 4), []
    for pairs in (64, 128):
        legs = diagonal_spectrum(pairs, "legs")[n].imag
        gaps.append(diagonal_spectrum(pairs, "inv")[n].imag / legs - 1)
        printed = 2 * pairs / np.pi * (2 * pairs / (n + 1) - 1)
        assert (np.abs(printed / legs - 1) > 0.4).all()
    np.testing.assert_allclose(gaps[0] / gaps[1], 2, rtol=0.05)  # it falls like 1 / N
    np.testing.assert_allclose(gaps[1], 0, atol=0.03)


# Whole systems.


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("spectrum", SPECTRA)
@rules
def test_s4d_is_a_real_system_of_twice_the_states(rule, spectrum):
    layer = s4d(4, 3, key=KEY, spectrum=spectrum, discretisation=rule, dt_max=0.5)
    p = {name: np.asarray(value) for name, value in parameters(layer).items()}
    u = inputs(layer)
    outputs = run(layer, jnp.asarray(u))
    for i in range(3):
        re, im = -np.diag(np.exp(p["log_neg_re"][i])), np.diag(p["im"][i])
        a = np.block([[re, -im], [im, re]])
        b = np.concatenate([np.ones(4), np.zeros(4)])[:, None]
        c = 2 * np.concatenate([p["C_re"][i], -p["C_im"][i]])[None]
        d, dt = p["D"][i].reshape(1, 1), np.exp(p["log_dt"][i])
        truth = dense(a, b, c, d, u[:, [i]], dt, rule)[:, 0]
        np.testing.assert_allclose(outputs[:, i], truth, atol=1e-11)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(("blocks", "rule"), [(1, "zoh"), (2, "zoh"), (2, "bilinear")])
def test_s5_is_a_real_system_with_hippo_blocks(blocks, rule):
    """One step for all states, as the dense system has one."""
    modes, width, dt = 4, 3, 0.07
    layer = s5(modes, width, key=KEY, blocks=blocks, discretisation=rule)
    layer = with_value(layer, log_dt=jnp.full(modes, np.log(dt)))
    size = 2 * modes // blocks
    a = np.kron(np.eye(blocks), normal_legs(size))
    half = np.kron(np.eye(blocks), hippo_legs(size)[1][:, : modes // blocks])
    b = 2 * np.real(half @ joined(layer.B_re, layer.B_im))
    c = 2 * np.real(joined(layer.C_re, layer.C_im) @ half.conj().T)
    u = inputs(layer)
    truth = dense(a, b, c, np.diag(np.asarray(layer.D)), u, dt, rule)
    np.testing.assert_allclose(run(layer, jnp.asarray(u)), truth, atol=1e-12)


@pytest.mark.usefixtures("x64")
def test_half_of_the_conjugate_states_is_enough():
    half, full = s5(4, 3, key=KEY), s5(8, 3, key=KEY, conjugate=False)
    half, full = (
        with_value(layer, log_dt=jnp.full(layer.state_size, -2.0))
        for layer in (half, full)
    )
    u = jnp.asarray(inputs(half))
    np.testing.assert_allclose(run(half, u), run(full, u), atol=1e-13)


def test_steps_are_within_their_bounds():
    dt = np.exp(np.asarray(log_steps(KEY, 2000, 0.01, 0.5), np.float64))
    assert 0.01 * (1 - 1e-6) <= dt.min() < 0.011
    assert 0.45 < dt.max() <= 0.5 * (1 + 1e-6)


def test_errors_say_what_is_needed():
    steps = "need 0 < dt_min < dt_max <= 1e+18, got dt_min={}, dt_max={}"
    cases = [
        (
            lambda: s4(0, 3, key=KEY, d_out=2, nu0=0.5, theta0=1.0),
            "need state_size >= 1, got state_size=0",
        ),
        (
            lambda: s4(3, 3, key=KEY, d_out=2, nu0=1.0, theta0=1.0),
            "need r_min < 1, got a ring on the unit circle",
        ),
        (
            lambda: s4(3, 3, key=KEY, d_out=2, nu0=0.5, theta0=1.0, delta=0.0),
            "need delta in (0, 500], got 0.0",
        ),
        (lambda: s4d(4, 0, key=KEY), "need width >= 1, got width=0"),
        (lambda: s4d(0, 2, key=KEY), "need state_size >= 1, got state_size=0"),
        (
            lambda: s4d(4, 2, key=KEY, dt_min=0.2, dt_max=0.1),
            steps.format(0.2, 0.1),
        ),
        (lambda: s5(4, 3, key=KEY, dt_min=0.0), steps.format(0.0, 0.1)),
        (lambda: log_steps(KEY, 3, 0.1, float("inf")), steps.format(0.1, "inf")),
        (lambda: s5(4, 0, key=KEY), "need width >= 1, got width=0"),
        (lambda: s5(4, 3, key=KEY, blocks=0), "need blocks >= 1, got blocks=0"),
        (
            lambda: s5(4, 3, key=KEY, blocks=3),
            "need blocks to divide state_size, got blocks=3, state_size=4",
        ),
        (lambda: hippo_legs(0), "need size >= 1, got size=0"),
        (
            lambda: diagonal_spectrum.__wrapped__(2, "fourier"),
            "need spectrum in ('lin', 'inv', 'legs'), got 'fourier'",
        ),
        (
            lambda: s4d.__wrapped__(4, 2, key=KEY, discretisation="euler"),
            "need discretisation in ('zoh', 'bilinear'), got 'euler'",
        ),
        (
            lambda: s5.__wrapped__(4, 3, key=KEY, discretisation="euler"),
            "need discretisation in ('zoh', 'bilinear'), got 'euler'",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
