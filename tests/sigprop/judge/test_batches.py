"""The shared simulations draw anew in every batch, at the right step, and as planned."""

import dataclasses
from functools import cache

import jax
import numpy as np
import pytest

from sigprop.judge import simulate
from sigprop.judge.grids import FREE
from sigprop.judge.plans import Reading, make_plans
from sigprop.judge.routes import QUANTITIES
from sigprop.judge.simulate import BATCH, LONG, jobs
from sigprop.neuron.montecarlo import Sums
from sigprop.numerics.evaluate import precise
from sigprop.numerics.points import CONSTANT, EigenPoint, PairPoint, RingPoint
from tests.rows import row

PAIRS = tuple(
    PairPoint(alpha, beta, FREE, LONG)
    for alpha, beta in ((0.95, 0.9), (0.8, -0.3), (-0.6, -0.4))
)
PAIRED = {"state_pair": "zucchet:34", "sensitivity_pair": "zucchet:39"}
POINT = EigenPoint(0.3, 1.0, FREE, LONG)
FIRST = {
    "moments": Reading("state", POINT),
    "backward": Reading("backward", POINT),
    "rings": Reading("ring_gain", RingPoint(0.3, 0.9, FREE, LONG)),
}
BESIDE = [Reading(name, point) for name in PAIRED for point in PAIRS]
VARIED = 6  # batches in which variances are measured


@cache
def simulated(group: str, batches: int, seed: int = 0) -> dict[Reading, Sums]:
    """One group of trajectories; its program is compiled once for all tests."""
    readings = [FIRST[group], *(BESIDE if group == "moments" else [])]
    (job,) = jobs(dict.fromkeys(readings, batches * BATCH))
    return simulate.run(job, seed, lambda count: None)


@pytest.mark.parametrize("group", FIRST)
def test_every_batch_and_every_seed_has_draws_of_its_own(group):
    single, two, other = (
        simulated(group, *how)[FIRST[group]] for how in ((1,), (2,), (1, 1))
    )
    assert (single.n, two.n, other.n) == (BATCH, 2 * BATCH, BATCH)
    second = float(two.first - single.first)
    # The same key would draw the same numbers once more.
    assert abs(second / float(single.first) - 1) > 1e-9
    assert abs(float(other.first / single.first) - 1) > 1e-9
    # One law: the difference of two batches has a standard error of sqrt(2 V / n).
    assert second == pytest.approx(float(single.first), rel=6 * (2 * 2 / BATCH) ** 0.5)


@pytest.mark.parametrize("name", PAIRED)
def test_pairs_vary_as_much_as_their_plans_say(name):
    paired = row(PAIRED[name])
    form, grid = (
        paired.claim.derive().result,
        dataclasses.replace(paired.basis, points=PAIRS),
    )
    values = precise(form, PAIRS)
    plans = make_plans(grid, form, dict(zip(PAIRS, values, strict=True)), "quick")
    sums = simulated("moments", VARIED)
    estimates = [sums[Reading(name, point)].estimate() for point in PAIRS]
    variances = [
        float(estimate.n * (estimate.sem / estimate.mean) ** 2)
        for estimate in estimates
    ]
    planned = [plans[point].variance for point in PAIRS]
    # The variance of a product of Gaussians has a relative error of 4 % here.
    np.testing.assert_allclose(variances, planned, rtol=0.2)
    assert max(planned) > 1.5 * min(planned)


@pytest.fixture
def four_steps(monkeypatch):
    """Let stationary errors be seen after four steps, where the last one matters."""
    monkeypatch.setattr(simulate, "LONG", 4)
    yield
    jax.clear_caches()


@pytest.mark.usefixtures("four_steps")
def test_an_error_is_pulled_back_to_the_first_input_through_every_step():
    """With one error for all steps the gradient is that error times a geometric sum."""
    gaps = (1.0, 0.5, 0.1)
    readings = [Reading("backward", EigenPoint(gap, 0.0, CONSTANT, 4)) for gap in gaps]
    (job,) = jobs(dict.fromkeys(readings, BATCH))
    sums = simulate.run(job, 0, lambda count: None)
    error = float(sums[readings[0]].first)
    for gap, reading in zip(gaps, readings, strict=True):
        total = sum((1 - gap) ** age for age in range(4))
        assert float(sums[reading].first) / error == pytest.approx(total**2, rel=1e-12)
    assert error / BATCH == pytest.approx(1, rel=6 * (2 / BATCH) ** 0.5)


def test_each_reading_is_taken_at_its_own_step_and_of_its_own_neuron():
    """With one input for all steps every moment is that input's, times a number."""
    neurons = ((0.05, 0.0), (0.6, 0.0), (0.3, 1.0))
    points = [
        EigenPoint(*neuron, CONSTANT, steps) for neuron in neurons for steps in (4, 32)
    ]
    readings = [Reading(name, p) for p in points for name in ("state", "sensitivity")]
    (job,) = jobs(dict.fromkeys(readings, BATCH))
    sums = simulate.run(job, 0, lambda count: None)
    exact = {
        reading: QUANTITIES[reading.quantity].reference(reading.point, True).real
        for reading in readings
    }
    scale = float(sums[readings[0]].first) / exact[readings[0]]
    for reading in readings:
        assert float(sums[reading].first) == pytest.approx(
            scale * exact[reading], rel=1e-9
        )
