"""The public assertions say yes to a right formula and no to one 5 % wrong."""

import math
import re

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from sympy import Rational

from sigprop import AR1, Constant, Mixed, MovingAverage, White, linear_recurrence
from sigprop.inputs import GaussianProcess
from sigprop.judge import trials
from sigprop.judge.trials import input_of, stationary_steps
from sigprop.testing import (
    assert_equal_forms,
    assert_moment,
    eigenvalues,
    inputs,
    rings,
)
from sigprop.theory import diagonal
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.symbols import T, lam, lam_bar, r, r_max, r_min, rho

MARGIN = 0.1  # 21 784 trajectories: the assertions take about a second each
LAMS = [0.5, -0.8, 0.6 + 0.5j]
RIGHT = [
    ("state", White(), diagonal.moment("state", "white").result),
    ("state", AR1(0.7), diagonal.moment("state", "exponential").result),
    ("state", Constant(), diagonal.moment("state", "constant").result),
    ("state", Mixed(0.4, 1.2, 0.5), diagonal.moment("state", "mixed").result),
    ("state", White(3.0), 3 / (1 - lam * lam_bar)),
    ("state", Constant(2.0), 2 / ((1 - lam) * (1 - lam_bar))),
    ("state", MovingAverage((1.0, -0.5)), diagonal.moment("state").result),
    ("sensitivity", AR1(0.7), forms.eq_59_corrected()),
    ("sensitivity", White(), diagonal.moment("sensitivity").result),
]


@pytest.mark.parametrize(("quantity", "process", "form"), RIGHT)
@pytest.mark.sampled(
    keep=["state-process0-form0", "state-process1-form1", "sensitivity-process7-form7"]
)
def test_a_right_formula_passes_and_a_wrong_one_does_not(quantity, process, form):
    answer = assert_moment(form, LAMS, process, statistic=quantity, margin=MARGIN)
    assert [verdict.outcome for verdict in answer.verdicts] == ["confirmed"] * 3
    with pytest.raises(AssertionError, match=f"{quantity} moment not confirmed"):
        assert_moment(1.15 * form, LAMS, process, statistic=quantity, margin=MARGIN)


def test_the_default_margin_notices_five_percent():
    with pytest.raises(AssertionError, match="refuted"):
        assert_moment(1.055 / (1 - lam * lam_bar), [0.7], White())


def test_the_printed_eq_59_is_refuted():
    with pytest.raises(AssertionError, match=r"neuron 0 .*: refuted"):
        assert_moment(forms.eq_59(), [0.9], AR1(0.5), statistic="sensitivity")


def test_a_finite_time_formula_is_judged_at_its_time():
    finite = diagonal.moment("state", "white", T).result
    assert_moment(finite, [0.95], White(), steps=5, margin=MARGIN)
    with pytest.raises(AssertionError):
        assert_moment(1 / (1 - lam * lam_bar), [0.95], White(), steps=5, margin=MARGIN)


def test_a_callable_sees_the_setting():
    calls = []

    def formula(setting):
        calls.append(setting)
        return 1 / (setting.gap * (2 - setting.gap))

    assert_moment(formula, jnp.asarray([0.5]), White(), margin=MARGIN)
    assert calls[0].lam == 0.5
    assert calls[0].input.name == "white"


def layer(x):
    return jnp.tanh(linear_recurrence(jnp.asarray([0.5, 0.9]), x[:, None]))


def test_a_layer_is_judged_by_a_pilot():
    x, weights = np.polynomial.hermite_e.hermegauss(80)

    def expected(variance):
        return float(np.tanh(math.sqrt(variance) * x) ** 2 @ weights / weights.sum())

    truths = iter([expected(1 / (1 - 0.25)), expected(1 / (1 - 0.81))])
    assert_moment(lambda _: next(truths), layer, White(), steps=80, margin=MARGIN)
    with pytest.raises(AssertionError, match="not confirmed"):
        assert_moment(lambda _: 0.5, layer, White(), steps=80, margin=MARGIN)


@pytest.mark.parametrize(
    ("arguments", "more", "message"),
    [
        (([1.0], White()), {}, "need |lambda| < 1 for a stationary moment, got 1; set"),
        (([], White()), {}, "need one eigenvalue lam or more, got 0"),
        (
            ([math.nan], White()),
            {},
            "need finite eigenvalues lam, got a NaN or infinity",
        ),
        ((layer, White()), {}, "need steps for a layer: how long it runs"),
        (
            (layer, White()),
            {"steps": 4, "statistic": "sensitivity"},
            "need eigenvalues to differentiate by, got a layer",
        ),
        (([0.5], White()), {"statistic": "output"}, "need statistic 'state' or"),
        (([0.5], White()), {"margin": 2.0}, "need 0 < margin < 1, got margin=2.0"),
        (
            (lambda x: 0 * x[:, None], White()),
            {"steps": 4},
            "need a statistic that varies, got 0 in component 0 on all of 16384",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, more, message):
    form = T if callable(arguments[0]) else 1 / (1 - lam * lam_bar)
    with pytest.raises(ValueError, match=re.escape(message)):
        assert_moment(form, *arguments, **more)


def test_equal_forms_are_proved_and_unequal_ones_get_a_counterexample():
    derived = diagonal.moment("sensitivity", "exponential").result
    assert_equal_forms(derived, forms.eq_59_corrected())
    with pytest.raises(AssertionError, match=r"the forms differ: at .* relative error"):
        assert_equal_forms(derived, forms.eq_59())
    with pytest.raises(AssertionError, match=r"relative error of 0\.05"):
        assert_equal_forms(derived, derived * 1.05)


def test_forms_with_an_undetermined_input_are_compared_by_their_weights():
    derived = diagonal.moment("sensitivity").result
    assert_equal_forms(derived, forms.eq_56())
    with pytest.raises(AssertionError, match=r"the forms weigh R\(0\) by"):
        assert_equal_forms(derived, forms.eq_57())


def test_a_symbol_without_a_range_is_named():
    with pytest.raises(ValueError, match="need a range for every symbol, got none for"):
        assert_equal_forms(r_max, r_min, {r_max: (0.1, 0.2)})


def test_a_domain_is_kept_to():
    """``|rho| = rho`` where rho is positive, and only there."""
    with pytest.raises(ValueError, match="SymPy does not prove the forms equal and no"):
        assert_equal_forms(abs(rho), rho, {rho: (0.1, 0.9)})
    with pytest.raises(AssertionError, match="the forms differ: at rho=-"):
        assert_equal_forms(abs(rho), rho, {rho: (-0.9, -0.1)})


@pytest.mark.parametrize("radius", [0.5, 0.9, 0.99])
def test_stationary_steps_leave_out_less_than_a_hundredth_of_the_margin(radius):
    steps = stationary_steps(radius, 0.05)
    ages = np.arange(steps, 200_000)
    tail = (ages**2 * radius ** (2.0 * (ages - 1))).sum()
    total = (1 + radius**2) / (1 - radius**2) ** 3
    assert tail / total < 0.05 / 100


@pytest.mark.parametrize(
    ("radius", "steps"), [(0.3, 1), (0.9, 7), (0.999, 500), (0.5, 60)]
)
def test_what_is_left_out_is_that_of_the_theory(radius, steps):
    exact = diagonal.remainder_factor("sensitivity").subs(
        {T: steps, r: Rational(radius)}
    )
    assert trials._remainder(radius, steps) == pytest.approx(float(exact), rel=1e-12)
    assert trials._remainder(0.0, steps) == 0


@settings(max_examples=60)
@given(pair=eigenvalues())
def test_drawn_eigenvalues_are_inside_the_disc(pair):
    gap, theta = pair
    assert 1e-6 <= gap < 1
    assert -math.pi <= theta <= math.pi


def test_drawn_eigenvalues_come_close_to_the_edge():
    close = []

    @settings(max_examples=200, database=None)
    @given(pair=eigenvalues())
    def collect(pair):
        close.append(pair[0] < 1e-3)

    collect()
    assert sum(close) > 0.2 * len(close)


# Under test, beartype checks one random element of a tuple of taps as it is built.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@settings(max_examples=60)
@given(ring=rings(), process=inputs())
def test_drawn_rings_and_inputs_are_valid(ring, process):
    assert 0 <= ring[0] < ring[1] < 1
    source = input_of(process)
    source.require_inside()
    measured = process.autocovariance(np.arange(4))
    expected = [float(source.autocovariance(lag)) for lag in range(4)]
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-12)


def test_an_unknown_process_is_refused():
    with pytest.raises(ValueError, match=re.escape("need a process of sigprop.inputs")):
        input_of(GaussianProcess())


def test_a_gap_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"need 0 < smallest_gap < 1, got 1\.5"):
        eigenvalues(1.5)
