"""Streaming moments: the right law for every process, and honest bookkeeping."""

import functools
import inspect
import math
import re
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Empirical, Mixed, MovingAverage, White
from sigprop.judge.verdict import Outcome, Plan, judge
from sigprop.neuron import noise
from sigprop.neuron.montecarlo import (
    Sums,
    batches,
    over_batches,
    second_moments,
    split,
    together,
    walk,
)
from sigprop.numerics.precision import double_precision

PROCESSES = {
    "white": White(),
    "constant": Constant(),
    "AR(1)": AR1(0.8),
    "alternating AR(1)": AR1(-0.6),
    "mixed": Mixed(0.7, 0.3, 0.9),
    "moving average": MovingAverage((1.0, 0.6, -0.4)),
}
LAM = np.array([0.9, -0.7, 0.5 + 0.4j, 0.0])
REAL_PAIR = (0, 1)
TIMES = (1, 5, 70)  # the last one needs more than one chunk of noise
BATCH = 11_000
PLAN = Plan(2 * BATCH, 0.1)  # two equal batches, so that one program is compiled
QUANTITIES = ("state", "sensitivity")


def exact(process, values, steps, quantity):
    """``E z_i conj(z_j)`` of all neurons: kernels from the loop, lags summed."""
    h, s = np.ones(len(values), complex), np.zeros(len(values), complex)
    kernel = []
    for _ in range(steps):
        kernel.append(h if quantity == "state" else s)
        h, s = values * h, values * s + h
    ages = np.arange(steps)
    lags = np.abs(np.subtract.outer(ages, ages))
    covariance = process.autocovariance(lags.ravel()).reshape(lags.shape)
    table = np.array(kernel)
    return table.T @ covariance @ table.conj()


@functools.cache
def measured(name, wide=True):
    assert TIMES[-1] > noise.CHUNK
    with double_precision(wide):
        lam = jnp.asarray(LAM, jnp.complex128 if wide else jnp.complex64)
        return second_moments(
            jax.random.key(3),
            lam,
            PROCESSES[name],
            times=TIMES,
            num=PLAN.n,
            batch=BATCH,
            pairs=(REAL_PAIR,),
        )


def test_the_sample_is_as_large_as_its_plan_needs():
    assert PLAN.decides
    assert not Plan(PLAN.n * 4 // 5, 0.1).decides


def cases():
    """Every reading whose true value is not zero."""
    for look, steps in enumerate(TIMES):
        for quantity in QUANTITIES:
            for neuron in range(len(LAM)):
                if steps > 1 or quantity == "state":
                    yield look, steps, quantity, neuron


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.sampled(keep=["white", "AR(1)"])
def test_moments_at_every_time_are_those_of_the_finite_recurrence(name):
    for look, steps, quantity, neuron in cases():
        truth = exact(PROCESSES[name], LAM, steps, quantity)[neuron, neuron]
        estimate = measured(name)[look][quantity].estimate()
        mean, sem = float(estimate.mean[neuron]), float(estimate.sem[neuron])
        verdict = judge(mean, truth, PLAN, sem)
        assert verdict.outcome == Outcome.CONFIRMED, (steps, quantity, neuron, verdict)
        low, high = PLAN.detectable
        for wrong in (1 / (low * 0.999), 1 / (high * 1.001)):
            assert judge(mean, wrong * truth, PLAN, sem).outcome != Outcome.CONFIRMED


@pytest.mark.parametrize("name", PROCESSES)
def test_relative_variance_is_within_the_bound_that_plans_rely_on(name):
    for look, _, quantity, neuron in cases():
        sums = measured(name)[look][quantity]
        estimate = sums.estimate()
        variance = float(
            (estimate.sem[neuron] / estimate.mean[neuron]) ** 2 * estimate.n
        )
        # The estimate scatters by sqrt(Var s^2 / n), about 5 % of 2 at most.
        assert 0.9 < variance < 2.4, (quantity, neuron)


@pytest.mark.parametrize("name", PROCESSES)
def test_products_of_a_pair_have_their_mean_and_their_variance(name):
    for look, steps in enumerate(TIMES[1:], 1):
        for quantity in QUANTITIES:
            table = exact(PROCESSES[name], LAM.real, steps, quantity).real
            i, j = REAL_PAIR
            variance = 1 + table[i, i] * table[j, j] / table[i, j] ** 2
            estimate = measured(name)[look][f"{quantity}_pair"].estimate()
            error = np.sqrt(variance / PLAN.n) * abs(table[i, j])
            assert abs(float(estimate.mean[0]) - table[i, j]) < 5.5 * error
            assert float(estimate.sem[0]) == pytest.approx(error, rel=0.15)


def test_single_precision_agrees_with_double():
    wide, narrow = measured("AR(1)"), measured("AR(1)", wide=False)
    for moments, other in zip(wide, narrow, strict=True):
        for quantity in QUANTITIES:
            first, second = (x[quantity].estimate() for x in (moments, other))
            # Other random numbers: two independent runs of the same law.
            error = np.hypot(first.sem, second.sem)
            assert (np.abs(first.mean - second.mean) <= 5.5 * error).all()
            assert (first.mean[:3] != second.mean[:3]).any() or (first.mean == 0).all()


def small(run=second_moments, **changes):
    """A run small enough to repeat."""
    arguments = {"times": (4,), "num": 8, "batch": 4} | changes
    lam = arguments.pop("lam", jnp.asarray([0.9, -0.5]))
    process = arguments.pop("process", AR1(0.5))
    key = arguments.pop("key", jax.random.key(0))
    return run(key, lam, process, **arguments)


def same(first, second):
    return all(
        (first[name].first == second[name].first).all()
        and (first[name].second == second[name].second).all()
        for name in ("state", "sensitivity")
    )


def test_a_later_look_moves_no_earlier_one():
    assert same(small()[0], small(times=(4, 9))[0])
    assert not same(small()[0], small(times=(3, 4))[1])  # an earlier one does


def test_same_key_gives_the_same_sums_in_any_thread_order():
    assert same(small(num=40)[0], small(num=40)[0])
    assert not same(small(num=40)[0], small(num=40, key=jax.random.key(1))[0])


def test_more_draws_keep_the_whole_batches_that_were_drawn_before():
    few, many = small(num=8)[0]["state"], small(num=12)[0]["state"]
    alone = small(num=4)[0]["state"]
    assert (few.first > alone.first).all()
    assert (many.first > few.first).all()
    assert (few.n, many.n) == (8, 12)


def test_a_neuron_sees_the_same_inputs_whoever_is_beside_it():
    pair, first = small()[0]["state"], small(lam=jnp.asarray([0.9]))[0]["state"]
    assert pair.first[0] == pytest.approx(first.first[0], rel=1e-6)
    assert pair.first[1] != pytest.approx(first.first[0], rel=1e-3)


def test_gain_scales_the_inputs_of_each_neuron():
    gain = jnp.asarray([2.0, 0.5])
    plain, scaled = small()[0], small(gain=gain)[0]
    for name in QUANTITIES:
        expected = plain[name].first * np.asarray(gain) ** 2
        assert scaled[name].first == pytest.approx(expected, rel=1e-5)


def test_two_trajectories_are_enough_for_a_standard_error():
    sums = small(num=2)[0]["state"]
    assert sums.n == 2
    assert np.isfinite(np.asarray(sums.estimate().sem)).all()


def test_progress_adds_up_to_the_number_of_draws():
    counts = []
    small(num=9, tick=counts.append)
    assert counts == [4, 4, 1]


def test_batches_cover_every_draw_once():
    assert list(batches(9, 4)) == [(0, 4), (1, 4), (2, 1)]
    assert list(batches(8, 4)) == [(0, 4), (1, 4)]
    assert list(batches(3, 4)) == [(0, 3)]


def test_batches_come_back_in_order_whoever_finishes_first():
    import time

    def slow_first(index, count):
        time.sleep(0.05 * (3 - index))
        return index

    assert over_batches(slow_first, 4, 1, lambda count: None) == [0, 1, 2, 3]


def test_two_tasks_run_at_once_in_the_precision_of_the_caller():
    meeting = threading.Barrier(2, timeout=60)

    def task():
        meeting.wait()
        return jnp.zeros(()).dtype

    for wide in (False, True):
        with double_precision(wide):
            assert together(task, task) == (jnp.zeros(()).dtype,) * 2


def test_a_failing_batch_fails_the_run():
    def fail(index, count):
        raise RuntimeError(f"batch {index}")

    with pytest.raises(RuntimeError, match="batch 0"):
        over_batches(fail, 4, 2, lambda count: None)


@pytest.mark.usefixtures("x64")
def test_running_sums_are_the_sums_over_every_step():
    lam = split(jnp.asarray(LAM)[:, None])
    looks = walk(jax.random.key(2), lam, White(), (1, 2, 3), 5, running=True)
    summed = sum(np.asarray(look.h.square()) for look in looks)
    assert np.asarray(looks[-1].sum_h) == pytest.approx(summed, rel=1e-12)
    assert (np.asarray(looks[-1].sum_s) >= np.asarray(looks[-1].s.square())).all()
    still = walk(jax.random.key(2), lam, White(), (3,), 5)[0]
    assert not np.asarray(still.sum_h).any()


def test_sums_add_and_give_mean_and_standard_error():
    draws = np.random.default_rng(0).standard_normal((3, 50)) + 2
    halves = [
        Sums(part.sum(1), (part**2).sum(1), part.shape[1])
        for part in (draws[:, :20], draws[:, 20:])
    ]
    estimate = (halves[0] + halves[1]).estimate()
    assert estimate.n == 50
    assert estimate.mean == pytest.approx(draws.mean(1))
    assert estimate.sem == pytest.approx(draws.std(1, ddof=1) / np.sqrt(50))


@pytest.mark.parametrize("value", [0.1, 0.3, 1.7, 2.0, 1 / 3, 1e6 + 0.1])
def test_samples_that_are_all_equal_are_caught(value):
    samples = np.full(1000, value)
    estimate = Sums(samples.sum(), (samples**2).sum(), 1000).estimate()
    with pytest.raises(ValueError, match="the samples are all equal"):
        judge(float(estimate.mean), value, PLAN, float(estimate.sem))


def test_one_draw_has_no_standard_error():
    with pytest.raises(
        ValueError, match=r"^need two draws or more for an error, got n=1$"
    ):
        Sums(np.ones(1), np.ones(1), 1).estimate()


SEVERAL = "need times, one or more in a tuple"
BAD = [
    ({"num": 1}, "need num >= 2, got num=1"),
    ({"num": -3}, "need num >= 2, got num=-3"),
    ({"num": 4.0}, "need num a whole number, got num=4.0"),
    ({"num": True}, "need num >= 2, got num=1"),
    ({"times": ()}, f"{SEVERAL}, got times=()"),
    ({"times": 4}, f"{SEVERAL}, got times=4"),
    ({"times": (0, 4)}, "need times >= 1, got times=0"),
    ({"times": (4, 4)}, "need increasing times, got times=(4, 4)"),
    ({"times": (5, 4)}, "need increasing times, got times=(5, 4)"),
    ({"times": (2.5,)}, "need times a whole number, got times=2.5"),
    ({"times": (math.nan,)}, "need times a whole number, got times=nan"),
    ({"batch": 0}, "need batch >= 1, got batch=0"),
    ({"batch": -1}, "need batch >= 1, got batch=-1"),
    ({"batch": 2.5}, "need batch a whole number, got batch=2.5"),
    ({"batch": math.nan}, "need batch a whole number, got batch=nan"),
    *(
        ({"pairs": bad}, f"need pairs of two indices of neurons, got pairs={bad}")
        for bad in ((1,), ((0,),), ((0, 1, 1),))
    ),
    ({"pairs": ((0, 7),)}, "need pairs <= 1, got pairs=7"),
    ({"pairs": ((0, -1),)}, "need pairs >= 0, got pairs=-1"),
    ({"pairs": ((0, 0.5),)}, "need pairs a whole number, got pairs=0.5"),
    (
        {"gain": jnp.asarray([1.0, 1.0j])},
        "need a real gain, got gain of complex numbers; a phase changes no second "
        "moment, pass their absolute values",
    ),
    *(
        (
            {"gain": np.ones(shape)},
            f"need a gain for each of the 2 eigenvalues, got shape {shape}",
        )
        for shape in ((), (3,), (2, 1))
    ),
    ({"gain": np.array([1.0, np.inf])}, "need finite gain, got inf at index 1"),
    (
        {"lam": jnp.ones((2, 2))},
        "need lam, one eigenvalue or more, got shape (2, 2)",
    ),
    (
        {"lam": jnp.asarray([0.5, np.nan])},
        "need finite lam, got nan at index 1",
    ),
    (
        {"lam": jnp.asarray([np.inf])},
        "need finite lam, got inf at index 0",
    ),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[text for _, text in BAD])
def test_bad_arguments_are_refused(changes, message):
    unchecked = inspect.unwrap(second_moments)  # a user's own run checks no types
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        small(unchecked, **changes)


def test_resampled_series_are_refused_because_their_draws_repeat():
    with pytest.raises(TypeError):
        small(process=Empirical(np.ones((2, 9))))
