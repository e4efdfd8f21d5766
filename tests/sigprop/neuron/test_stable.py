"""Stable forms: within a few units in the last place of the derived expression."""

import functools
import math
import re

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import lambdify

from sigprop.neuron.stable import (
    finite_state_moment_white,
    ring_gain,
    sensitivity_moment,
    state_moment,
)
from sigprop.numerics.precision import double_precision
from sigprop.theory import diagonal, ring
from sigprop.theory.symbols import T, lam, lam_bar, r_max, r_min, rho

MOMENTS = {"state": state_moment, "sensitivity": sensitivity_moment}
BITS = 4  # the three excess bits of METHOD.md, and one that the fourth power forces
WIDTHS = {np.float32: -12.0, np.float64: -12.0}  # smallest log10 of a gap
DIGITS = 120

quantities = pytest.mark.parametrize("quantity", MOMENTS)


@functools.cache
def derived(quantity):
    """The derived expression, not the stable one, as a function in mpmath."""
    form = diagonal.moment(quantity, "exponential").result
    return lambdify([lam, lam_bar, rho], form, "mpmath")


def truth(quantity, gap, theta, decay, decay_gap=None):
    """The derived form on exactly the stored numbers."""
    point = (1 - mpmath.mpf(float(gap))) * mpmath.expj(mpmath.mpf(float(theta)))
    decay = mpmath.mpf(float(decay))
    if decay_gap is not None:
        decay *= 1 - mpmath.mpf(float(decay_gap))
    at = (point, mpmath.conj(point), decay)
    return mpmath.re(derived(quantity)(*at))


def excess_bits(value, exact):
    """Bits of error, ``log2(1 + ulps)``."""
    value = np.asarray(value)
    if exact > mpmath.mpf(float(np.finfo(value.dtype).max)):
        return 0.0 if value == np.inf else math.inf
    ulp = float(np.spacing(value))
    return math.log2(1 + float(abs(mpmath.mpf(float(value)) - exact)) / ulp)


def close_to_one(smallest):
    """Numbers whose distance from one is even in its logarithm."""
    return st.floats(smallest, 0.0).map(lambda power: 1 - 10**power)


def points(width):
    """Log-uniform gaps; phases near 0 and pi; decays near -1, 0 and 1."""
    smallest = WIDTHS[width]
    sizes = st.floats(0, 1) | close_to_one(smallest) | st.sampled_from([0.0, 1.0])
    phases = st.floats(-math.pi, math.pi) | st.floats(smallest, 0).map(
        lambda power: 10**power
    )
    return st.tuples(
        st.floats(smallest, 0.0).map(lambda power: 10**power),
        phases | st.sampled_from([0.0, math.pi, math.pi / 2]),
        st.tuples(sizes, st.sampled_from([-1.0, 1.0])).map(math.prod),
    )


def misses(quantity, width, values):
    with double_precision(width is np.float64), mpmath.workdps(DIGITS):
        stored = [width(value) for value in values]
        value = MOMENTS[quantity](*stored)
        assert value.dtype == width
        return excess_bits(value, truth(quantity, *stored))


def powers(smallest):
    return st.floats(smallest, 0).map(lambda power: 10**power)


@quantities
@pytest.mark.parametrize("width", WIDTHS)
@given(
    gap=powers(-12.0),
    theta=st.floats(-math.pi, math.pi) | powers(-12.0),
    sign=st.sampled_from([-1.0, 1.0]),
    decay_gap=powers(-14.0) | st.just(0.0),
)
@example(gap=1e-8, theta=0.0, sign=1.0, decay_gap=1e-9)
@example(gap=1e-10, theta=0.0, sign=-1.0, decay_gap=1e-10)
@example(gap=1e-10, theta=3.0, sign=1.0, decay_gap=1.0)
def test_the_gap_of_the_decay_says_what_the_decay_would_round(
    quantity, width, gap, theta, sign, decay_gap
):
    with double_precision(width is np.float64), mpmath.workdps(DIGITS):
        stored = [width(value) for value in (gap, theta, sign)]
        within = width(decay_gap)
        value = MOMENTS[quantity](*stored, rho_gap=within)
        assert value.dtype == width
        assert excess_bits(value, truth(quantity, *stored, within)) <= BITS


@quantities
@given(values=points(np.float64))
@example(values=(1e-12, 0.0, 1.0))
@example(values=(1e-12, math.pi, -1.0))
@example(values=(1e-12, 0.0, -1.0))
@example(values=(1.0, 1.0, 0.5))
@example(values=(0.3, 2.0, 0.7))
@example(values=(1e-9, 1e-9, 1 - 1e-9))
def test_double_precision_moment_is_accurate_up_to_the_edge(quantity, values):
    assert misses(quantity, np.float64, values) <= BITS


@quantities
@given(values=points(np.float32))
@example(values=(1e-6, 0.0, 1.0))
@example(values=(1e-6, 3.0, -0.999999))
@example(values=(1e-10, 0.0, -1.0))
def test_single_precision_moment_is_accurate_up_to_the_edge(quantity, values):
    assert misses(quantity, np.float32, values) <= BITS


@pytest.mark.usefixtures("x64")
@quantities
def test_the_derived_form_in_double_precision_would_not_be_accurate(quantity):
    point = (1 - 1e-9) * np.exp(1e-5j)
    at = (point, np.conj(point), 1 - 1e-7)
    with mpmath.workdps(DIGITS):
        exact = truth(quantity, 1e-9, 1e-5, 1 - 1e-7)
        form = diagonal.moment(quantity, "exponential").result
        naive = lambdify([lam, lam_bar, rho], form, "numpy")(*at)
        assert excess_bits(np.float64(naive.real), exact) > 5 * BITS


@pytest.mark.usefixtures("x64")
@quantities
def test_five_percent_in_any_argument_is_seen(quantity):
    gap, theta, decay = 0.1, 0.4, 0.6
    with mpmath.workdps(DIGITS):
        exact = truth(quantity, gap, theta, decay)
        for wrong in (
            (gap * 1.05, theta, decay),
            (gap, 0.42, decay),
            (gap, theta, 0.63),
        ):
            assert excess_bits(MOMENTS[quantity](*wrong), exact) > 10 * BITS


@pytest.mark.usefixtures("x64")
@quantities
@pytest.mark.parametrize(
    ("decay", "form"),
    [
        (0.0, {"state": lambda z: 1 / (1 - abs(z) ** 2),
               "sensitivity": lambda z: (1 + abs(z) ** 2) / (1 - abs(z) ** 2) ** 3}),
        (1.0, {"state": lambda z: abs(1 - z) ** -2,
               "sensitivity": lambda z: abs(1 - z) ** -4}),
        (-1.0, {"state": lambda z: abs(1 + z) ** -2,
                "sensitivity": lambda z: abs(1 + z) ** -4}),
    ],
)  # fmt: skip
def test_white_constant_and_alternating_inputs_give_the_textbook_forms(
    quantity, decay, form
):
    for gap, theta in ((0.2, 0.7), (0.6, 3.0), (0.05, 0.0)):
        expected = form[quantity]((1 - gap) * np.exp(1j * theta))
        value = float(MOMENTS[quantity](gap, theta, decay))
        assert value == pytest.approx(expected, rel=1e-13)


BAD = [
    ((0.0,), "need gap in (0, 1], got 0.0"),
    ((-0.1,), "need gap in (0, 1], got -0.1"),
    ((1.1,), "need gap in (0, 1], got 1.1"),
    ((math.nan,), "need gap in (0, 1], got nan"),
    ((0.1, 0.0, 1.5), "need rho in [-1, 1], got 1.5"),
    ((0.1, 0.0, -1.5), "need rho in [-1, 1], got -1.5"),
    ((0.1, 0.0, math.nan), "need rho in [-1, 1], got nan"),
    ((0.1, math.inf), "need theta in [-10000, 10000], got inf"),
    ((0.1, math.nan), "need theta in [-10000, 10000], got nan"),
    ((np.array([0.1, 2.0]),), "need gap in (0, 1], got 2.0"),
]


@quantities
def test_the_gap_of_the_decay_replaces_it(quantity):
    with pytest.raises(ValueError, match=r"^need rho_gap in \[0, 1\], got 1.5$"):
        MOMENTS[quantity](0.1, rho=1, rho_gap=1.5)
    with pytest.raises(
        ValueError, match=r"beside rho_gap, which replaces it, .* got 0"
    ):
        MOMENTS[quantity](0.1, rho=0.5, rho_gap=0.5)


@quantities
@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[text for _, text in BAD])
def test_an_argument_outside_its_range_is_refused(quantity, arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        MOMENTS[quantity](*arguments)


BAD_RING = [
    ((0.0, 0.5), "need gap_min in (0, 1], got 0.0"),
    ((0.1, 1.5), "need gap_max in (0, 1], got 1.5"),
    ((math.nan, 0.5), "need gap_min in (0, 1], got nan"),
]


@pytest.mark.parametrize(("gaps", "message"), BAD_RING, ids=[t for _, t in BAD_RING])
def test_a_ring_outside_the_disc_is_refused(gaps, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        ring_gain(*gaps)


def test_a_ring_inside_out_is_refused():
    with pytest.raises(
        ValueError, match=r"^need gap_max - gap_min in \[0, 1\], got -0.25$"
    ):
        ring_gain(0.5, 0.25)


@pytest.mark.parametrize("wide", [False, True])
def test_plain_numbers_get_the_default_precision(wide):
    expected = jnp.float64 if wide else jnp.float32
    with double_precision(wide):
        values = (
            state_moment(0.1),
            sensitivity_moment(0.1, 0.2, 0.3),
            ring_gain(0.1, 0.2),
            finite_state_moment_white(0.1, 3),
        )
        assert {value.dtype for value in values} == {np.dtype(expected)}


@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_arrays_keep_their_precision_and_shape(wide):
    with double_precision(True):
        gap = jnp.asarray([0.1, 0.2, 0.3], wide)
        assert state_moment(gap, 0.5, 0.25).dtype == wide
        assert state_moment(gap, 0.5, 0.25).shape == (3,)


@pytest.mark.usefixtures("x64")
@quantities
def test_jit_and_vmap_change_nothing(quantity):
    moment = MOMENTS[quantity]
    gaps, turns = jnp.asarray([0.01, 0.2, 0.9]), jnp.asarray([0.0, 1.0, 3.0])
    plain = np.asarray(moment(gaps, turns, 0.7))
    batched = jax.vmap(lambda gap, turn: moment(gap, turn, 0.7))(gaps, turns)
    assert np.asarray(jax.jit(moment)(gaps, turns, 0.7)) == pytest.approx(
        plain, rel=1e-14
    )
    assert np.asarray(batched) == pytest.approx(plain, rel=1e-14)
    assert len(set(plain)) == 3


@pytest.mark.usefixtures("x64")
@quantities
@pytest.mark.parametrize("decay", [-0.6, 0.0, 0.8, 1.0])
def test_gradient_is_the_derivative_of_the_derived_form(quantity, decay):
    moment = MOMENTS[quantity]
    gap, theta = 0.15, 0.7
    gradient = jax.grad(moment, argnums=(0, 1))(gap, theta, decay)
    with mpmath.workdps(30):
        along_gap = mpmath.diff(lambda g: truth_at(quantity, g, theta, decay), gap)
        along_theta = mpmath.diff(lambda t: truth_at(quantity, gap, t, decay), theta)
    assert float(gradient[0]) == pytest.approx(float(along_gap), rel=1e-10)
    assert float(gradient[1]) == pytest.approx(float(along_theta), rel=1e-10, abs=1e-12)
    assert decay == 0 or abs(float(gradient[1])) > 0.05


def truth_at(quantity, gap, theta, decay):
    """The derived form at numbers of mpmath, which keep all their digits."""
    point = (1 - mpmath.mpf(gap)) * mpmath.expj(mpmath.mpf(theta))
    return mpmath.re(derived(quantity)(point, mpmath.conj(point), mpmath.mpf(decay)))


@given(
    low=st.floats(-12, 0).map(lambda power: 10**power),
    part=st.floats(0, 1) | st.floats(-14, 0).map(lambda power: 10**power),
)
@example(low=1e-12, part=1.0)
@example(low=0.1, part=1e-14)
def test_ring_gain_is_accurate_for_thick_and_thin_rings(low, part):
    high = min(1.0, low + part * (1 - low))
    with double_precision(True), mpmath.workdps(DIGITS):
        inner, outer = 1 - mpmath.mpf(high), 1 - mpmath.mpf(low)
        if inner == outer:
            exact = 1 / (1 - outer**2)
        else:
            exact = lambdify([r_min, r_max], ring.gain().result, "mpmath")(inner, outer)
        assert excess_bits(ring_gain(low, high), exact) <= BITS


@pytest.mark.usefixtures("x64")
def test_a_ring_of_no_width_has_the_gain_of_its_circle():
    for gap in (1e-9, 0.1, 0.5):
        assert float(ring_gain(gap, gap)) == float(1 / (gap * (2 - gap)))
        assert float(ring_gain(gap, gap)) == pytest.approx(float(state_moment(gap)))
        assert float(ring_gain(gap, min(1.0, 1.2 * gap))) < 0.95 * float(
            state_moment(gap)
        )
    gradient = jax.grad(ring_gain, argnums=1)(0.1, 0.1)
    assert np.isfinite(float(gradient))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("steps", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("gap", [1e-9, 0.1, 0.7, 1.0])
def test_finite_moment_under_white_noise_is_its_sum(gap, steps):
    form = ring.white_partial_sum().result
    with mpmath.workdps(60):
        radius = 1 - mpmath.mpf(gap)
        written = mpmath.fsum(radius ** (2 * age) for age in range(steps))
        symbol = next(iter(form.free_symbols - {T}))
        closed = lambdify([symbol, T], form, "mpmath")(radius, steps)
        assert abs(closed - written) <= mpmath.mpf(10) ** -40
    value = float(finite_state_moment_white(gap, steps))
    assert value == pytest.approx(float(written), rel=1e-13)


def test_finite_moment_refuses_a_negative_number_of_steps():
    with pytest.raises(ValueError, match=r"^need steps in \[0, 1e\+18\], got -1$"):
        finite_state_moment_white(0.1, -1)
    with pytest.raises(ValueError, match=r"^need gap in \(0, 1\], got 0.0$"):
        finite_state_moment_white(0.0, 1)
