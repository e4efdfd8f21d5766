"""Shared simulations: keys that stay put, and importance weights that undo themselves."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.judge import simulate
from sigprop.judge.plans import Reading
from sigprop.judge.simulate import (
    BATCH,
    group_key,
    jobs,
    log_gap_uniform,
    peaked_uniform,
)
from sigprop.judge.verdict import GAUSSIAN_VARIANCE
from sigprop.numerics.points import WHITE, AgePoint, EigenPoint, RingPoint, exponential

LEVELS = (np.arange(20_000) + 0.5) / 20_000
RINGS = [(0.0, 0.8), (0.3, 0.9), (0.7, 0.95), (0.94, 0.95)]


def test_the_key_of_a_group_depends_on_seed_and_name_alone():
    def numbers(seed, name):
        return tuple(np.asarray(jax.random.key_data(group_key(seed, name))).tolist())

    assert numbers(0, "moments white") == numbers(0, "moments white")
    keys = {
        numbers(s, n) for s in range(3) for n in ("moments white", "rings white", "")
    }
    assert len(keys) == 9


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_weights_of_the_radius_undo_the_choice_of_the_radius(ring):
    first, weight = map(np.asarray, log_gap_uniform(jnp.asarray(LEVELS), *ring))
    assert ((first >= 0) & (first <= 1)).all()
    assert (np.diff(first) > 0).all()
    for power in (0, 1, 2, 5):
        mean = (weight * first**power).mean()
        assert mean == pytest.approx(1 / (power + 1), rel=1e-6)
        assert power == 0 or (first**power).mean() > mean * (1 + 1e-4)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("peak", [0.0, 0.5, -0.7, 0.9])
def test_weights_of_the_phase_undo_the_choice_of_the_phase(peak):
    arguments = jnp.asarray(LEVELS), jnp.full(LEVELS.shape, peak)
    second, weight = map(np.asarray, peaked_uniform(*arguments))
    assert ((second >= 0) & (second < 1)).all()
    for wave in range(4):
        mean = (weight * np.exp(2j * np.pi * wave * second)).mean()
        assert abs(mean - (wave == 0)) < 1e-5
    assert np.exp(2j * np.pi * second).mean() == pytest.approx(peak, abs=1e-3)


@pytest.mark.parametrize(
    "source", [WHITE, exponential(0.9), exponential(-0.6)], ids=str
)
@pytest.mark.sampled(keep=["white", "rho=0.9"])
def test_the_variance_on_a_ring_is_within_the_bound_that_plans_rely_on(source):
    point = RingPoint(0.7, 0.95, source, simulate.LONG)
    reading = Reading("ring_gain", point)
    (job,) = jobs({reading: 20_000})
    sums = simulate.run(job, 0, lambda count: None)[reading]
    estimate = sums.estimate()
    variance = float(estimate.sem / estimate.mean) ** 2 * estimate.n
    # A relative variance has an error of about 0.1 here: E s^4 / n under chi-square.
    assert 0.9 < variance < 1.2 * GAUSSIAN_VARIANCE


def test_readings_of_one_input_share_their_trajectories_and_the_largest_sample():
    near, far = (EigenPoint(gap, 0.0, WHITE, 4) for gap in (0.1, 0.5))
    other = EigenPoint(0.1, 0.0, exponential(0.5), 4)
    needed = {
        Reading("state", near): 10,
        Reading("sensitivity", far): BATCH + 30,
        Reading("state", other): 20,
        Reading("backward", near): 5,
        Reading("state_kernel", AgePoint(0.1, 0.0, 2)): 99,
    }
    by_runner = {(job.runner.__name__, str(job.source)): job for job in jobs(needed)}
    assert len(by_runner) == 3
    shared = by_runner["_moments", "white"]
    assert shared.n == 2 * BATCH  # rounded up to whole batches
    assert [reading.quantity for reading in shared.readings] == ["state", "sensitivity"]
    assert by_runner["_backward", "white"].n == BATCH


def test_a_normalised_neuron_beside_a_plain_one_keeps_its_own_gain():
    point = EigenPoint(0.05, 0.3, WHITE, simulate.LONG)
    plain, normal = Reading("state", point), Reading("normalised_state", point)
    (job,) = jobs({plain: 6000, normal: 6000})
    results = simulate.run(job, 0, lambda count: None)
    ratio = float(results[normal].first / results[plain].first)
    assert ratio == pytest.approx(1 - 0.95**2, rel=1e-9)
