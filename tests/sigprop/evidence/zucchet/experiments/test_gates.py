"""The gated unit, and how gated networks are drawn."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.evidence.zucchet.experiments.gate_dependence import (
    EMBEDDINGS,
    finite_moments,
    simulated_excess,
    spread,
    unit_loop,
)
from sigprop.evidence.zucchet.experiments.gates import excess
from sigprop.evidence.zucchet.experiments.initialisation import over_white
from sigprop.evidence.zucchet.experiments.jacobian import (
    STEP_JACOBIANS,
    drift_of_diagonal,
    off_diagonal_share,
    step_jacobian,
    step_jacobian_by_layer,
)
from sigprop.evidence.zucchet.experiments.teacher_student import SLOWEST, missing_share
from sigprop.layers.gated import GatedUnit
from sigprop.numerics.precision import double_precision
from sigprop.theory import gated
from sigprop.theory.symbols import a, b, lam, rho

WHITE = {"a": 0.376, "b": 0.0, "rho": 0.0}


def test_loop_of_units_is_the_layer():
    generator, n, steps = np.random.default_rng(0), 5, 7
    W, V = generator.normal(size=(2, 1, n, n))
    bias, x = generator.normal(size=(1, n)), generator.normal(size=(steps, 1, n))
    with double_precision(True):
        none = jnp.zeros((1, n))
        unit = GatedUnit(
            jnp.asarray(bias[0]), none, none, jnp.asarray(W[0]), jnp.asarray(V[0])
        )
        h = np.asarray(unit.states(jnp.asarray(x[:, 0])))[-1]
    np.testing.assert_allclose(unit_loop(W, V, bias, x)[0], h, rtol=1e-12)


def test_step_of_a_gru_at_rest_is_the_layers_own():
    for gain in (0.0, 1.0):
        by_hand, by_layer = (
            step_jacobian(16.0, gain),
            step_jacobian_by_layer(16.0, gain),
        )
        np.testing.assert_allclose(by_hand, by_layer, atol=1e-12)


def finite_shares(time):
    """Moments of state and sensitivity after 512 inputs over their stationary values."""
    return np.divide(finite_moments(time), finite_moments(time, 2048))


FIGURES = (
    *(("non-diagonal", off_diagonal_share, at, share, digit) for at, share, digit in (
        ((16.0, 1), 0.006, 5e-4),
        ((16.0, 16), 0.05, 5e-3),
        ((256.0, 64), 0.02, 5e-3),
        ((16.0, 64), 0.18, 5e-3),
    )),
    ("diagonal-decay", drift_of_diagonal, (16.0, 16), 0.004, 5e-4),
    ("diagonal-decay", drift_of_diagonal, (256.0, 256), 0.007, 5e-4),
    ("slow-dimensions", drift_of_diagonal, (256.0, 16), 0.0003, 5e-5),
    ("slow-dimensions", drift_of_diagonal, (256.0, 64), 0.002, 5e-4),
    ("slow-dimensions", drift_of_diagonal, (16.0, 64), 0.02, 5e-3),
    ("diagonal-decay", drift_of_diagonal, (16.0, 256), 14, 0.5),
)  # fmt: skip


@pytest.mark.parametrize(("row", "of", "at", "stated", "digit"), FIGURES)
@pytest.mark.parametrize("route", STEP_JACOBIANS)
def test_figures_of_the_jacobian_are_those_that_notes_give(
    route, row, of, at, stated, digit
):
    assert of(STEP_JACOBIANS[route], *at) == pytest.approx(stated, abs=digit)


def stationary_spread(quantity):
    """Largest over least of a moment by Eq. 160 or 161, as ``spread``."""
    of = (gated.printed_state, gated.printed_sensitivity)[quantity]()
    form = of.on("mixed").subs({a: 0.332, b: 0.044, rho: 0.997})
    gates = (time / (1 + time) for time in 2 ** np.linspace(0, 8, 65))
    derivatives = ((g, 1.0 if quantity == 0 else (g * (1 - g)) ** 2) for g in gates)
    moments = [float(form.subs({lam: g})) * derivative for g, derivative in derivatives]
    return max(moments) / min(moments)


@pytest.mark.parametrize(
    ("value", "stated", "digit"),
    [
        (functools.partial(excess, 0.1), 0.016, 5e-4),
        (functools.partial(excess, 1.0), 1.5, 0.05),
        (functools.partial(excess, 2.0), 4.9, 0.05),
        (functools.partial(finite_shares, 256.0), [0.89, 0.78], 5e-3),
        (functools.partial(finite_shares, 64.0), [1, 1], 0.01),
        (functools.partial(spread, 0), 6.8, 0.05),
        (functools.partial(stationary_spread, 0), 6.1, 0.05),
        (functools.partial(stationary_spread, 1), 6.1, 0.05),
        (functools.partial(simulated_excess, **EMBEDDINGS), 0.07, 5e-3),
        (functools.partial(simulated_excess, **WHITE), 1.1, 0.05),
        (functools.partial(missing_share, 0.99, 300), 0.002, 5e-4),
        (functools.partial(missing_share, SLOWEST, 300), 0.24, 5e-3),
    ],
)
def test_figures_are_those_that_notes_of_undecided_words_give(value, stated, digit):
    assert value() == pytest.approx(stated, abs=digit)


@pytest.mark.parametrize(("at", "stated"), [(0.5, 1.23), (0.9, 3.04), (0.99, 18.8)])
def test_moment_on_the_fit_over_white_noise_is_that_of_its_form(at, stated):
    fit = {symbol: EMBEDDINGS[symbol.name] for symbol in (a, b, rho)}
    form = float(gated.over_white().subs({lam: at, **fit}))
    assert over_white(at) == pytest.approx(form, rel=1e-5)
    assert over_white(at) == pytest.approx(stated, rel=3e-3)
