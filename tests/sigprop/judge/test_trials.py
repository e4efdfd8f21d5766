"""Formulas in another notation, and simulations that nobody would wait for."""

import re

import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest
from sympy import Symbol

from sigprop import White, testing
from sigprop.judge import forecast, trials
from sigprop.testing import assert_equal_forms, assert_moment
from sigprop.theory.symbols import lam, lam_bar, rho


@pytest.fixture
def unchecked():
    """Arguments reach the code as they do outside of tests, whatever their types."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def no_draws(monkeypatch):
    """Fails a test that simulates."""

    def refuse_to_draw(*arguments, **more):
        raise AssertionError("simulated")

    monkeypatch.setattr(testing, "judge_neurons", refuse_to_draw)


OWN = [
    (
        1 / (1 - Symbol("lam") ** 2),
        "others of the same name, lam: a Symbol of your own",
    ),
    (1 / (1 - Symbol("lambda", real=True)), "`from sigprop.theory.symbols import lam`"),
    (Symbol("rho") / (1 - lam), "`from sigprop.theory.symbols import rho`"),
    (Symbol("T") + Symbol("r"), "`from sigprop.theory.symbols import T, r`"),
    (Symbol("c") / (1 - lam * lam_bar), "got one that depends on c; put numbers in"),
    ("1/(1 - lam**2)", "for a string write it out in Python, got '1/(1 - lam**2)'"),
    (
        None,
        "a SymPy expression in the symbols of sigprop.theory.symbols or a function",
    ),
]


@pytest.mark.usefixtures("no_draws", "unchecked")
@pytest.mark.parametrize(("formula", "message"), OWN, ids=lambda x: str(x)[:20])
def test_a_formula_in_another_notation_is_told_what_to_use(formula, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        assert_moment(formula, [0.5], White())


@pytest.mark.usefixtures("no_draws")
def test_a_formula_in_the_notation_is_simulated():
    for formula in (1 / (1 - lam * lam_bar), lambda setting: 1.0, 0 * rho + 1 / lam):
        with pytest.raises(AssertionError, match="simulated"):
            assert_moment(formula, [0.5], White())


@pytest.mark.usefixtures("unchecked")
def test_forms_of_two_notations_are_not_compared():
    with pytest.raises(
        ValueError, match=r"need one symbol of the name lambda, got two"
    ):
        assert_equal_forms(1 / lam, 1 / Symbol("lambda", real=True))
    with pytest.raises(ValueError, match=r"need two SymPy expressions, got '1/lam'"):
        assert_equal_forms(1 / lam, "1/lam")


@pytest.mark.usefixtures("no_draws")
@pytest.mark.parametrize("seed", [-1, 2**32, 2**70])
def test_seeds_that_would_be_cut_are_refused(seed):
    with pytest.raises(ValueError, match=rf"need 0 <= seed < 2\*\*32, got seed={seed}"):
        assert_moment(1 / (1 - lam * lam_bar), [0.5], White(), seed=seed)


def layer(x):
    return jnp.tanh(x)[:, None]


def test_a_margin_that_takes_years_is_refused_with_the_sample_size():
    form = 1 / (1 - lam * lam_bar)
    with pytest.raises(
        ValueError, match=r"need less than 2\.\d+e\+14 trajectories, an ex"
    ):
        assert_moment(form, [0.5], White(), margin=1e-6, steps=64)
    with pytest.raises(ValueError, match=r"e\+13 trajectories.*pass yes=True"):
        assert_moment(lambda _: 0.4, layer, White(), margin=1e-6, steps=4)
    with pytest.raises(
        ValueError, match=r"need a margin that 9e\+15 trajectories decide"
    ):
        assert_moment(form, [0.5], White(), margin=1e-9, yes=True)


def test_states_that_fill_the_memory_are_refused():
    with pytest.raises(ValueError, match=r"GiB: more than half of the memory"):
        assert_moment(lambda _: 0.4, layer, White(), steps=10**8)


def test_what_is_asked_for_is_begun(monkeypatch, capsys):
    """With ``yes``, and then told how long it will take."""

    def fake_moments(*arguments, num, **more):
        if num > 2**20:
            raise KeyboardInterrupt
        return real(*arguments, num=num, **more)

    real = trials.second_moments
    monkeypatch.setattr(trials, "second_moments", fake_moments)
    form = 1 / (1 - lam * lam_bar)
    with pytest.raises(KeyboardInterrupt):
        assert_moment(form, [0.5], White(), margin=1e-5, steps=64, yes=True)
    message = capsys.readouterr().err
    assert re.search(r"e\+12 trajectories, an expected .* on this machine", message)


# --- the estimate itself ------------------------------------------------------------


def test_a_trial_measures_the_pace_of_the_work(monkeypatch):
    """Work of a second for each batch, on a clock that only the work moves."""
    clock = [0.0]
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: clock[0])
    compiled = []

    def work(num):
        clock[0] += num / 10 + (0 if compiled else 1e6)
        compiled.append(num)

    cost = forecast.trial(work, 10, 4000)
    assert cost.n == 4000
    assert cost.seconds == pytest.approx(400)


def test_a_trial_measures_what_is_kept():
    arrays = []
    cost = forecast.trial(lambda num: arrays.append(np.ones(num)), 10_000, 10**9)
    assert 0.8 * 8e9 < cost.memory < 1.6 * 8e9


LONG = {
    "a day": (forecast.Forecast(10**6, 90_000.0, 0.0), "more than a day"),
    "memory": (forecast.Forecast(10**6, 1.0, 6e9), "more than half of the memory"),
}


@pytest.mark.parametrize("case", LONG)
def test_too_much_work_is_refused_unless_asked_for(case, monkeypatch):
    monkeypatch.setattr(forecast, "memory_here", lambda: 1e10)
    cost, reason = LONG[case]
    with pytest.raises(ValueError, match=rf"need less than .*: {reason}; lower it"):
        forecast.allow(cost, "lower it", yes=False)
    messages = []
    forecast.allow(cost, "lower it", yes=True, say=messages.append)
    assert len(messages) == (cost.seconds > 60)


def test_short_work_is_not_announced_and_long_work_is(monkeypatch):
    monkeypatch.setattr(forecast, "memory_here", lambda: 1e10)
    messages = []
    for seconds in (59.0, 3600.0 * 5):
        cost = forecast.Forecast(5, seconds, 4e9)
        forecast.allow(cost, "", yes=False, say=messages.append)
    assert messages == [
        "5 trajectories, an expected 5 hours and 3.7 GiB on this machine"
    ]
