"""The tail index of samples: found where there is one, and not in Gaussian polynomials."""

import math

import numpy as np
import pytest

from sigprop.judge.statistics import PILOT
from sigprop.judge.tails import LARGEST, LEAST, tail_index

SEEDS = range(100, 140)


def normals(seed, count=1):
    return np.random.default_rng(seed).standard_normal((count, PILOT))


LIGHT = {
    "a normal number": lambda seed: normals(seed)[0],
    "its square": lambda seed: normals(seed)[0] ** 2,
    "its fourth power": lambda seed: normals(seed)[0] ** 4,
    "a product": lambda seed: normals(seed, 2).prod(0),
    "its exponential": lambda seed: np.exp(normals(seed)[0]),
    "a uniform number": lambda seed: np.random.default_rng(seed).random(PILOT),
}


@pytest.mark.parametrize("name", LIGHT)
def test_samples_of_all_moments_raise_no_alarm(name):
    assert min(tail_index(LIGHT[name](seed)) for seed in SEEDS) > LEAST


@pytest.mark.parametrize(("index", "least"), [(1.0, 40), (1.5, 35)])
def test_an_infinite_variance_is_noticed(index, least):
    def pareto(seed):
        return np.random.default_rng(seed).random(PILOT) ** (-1 / index)

    estimates = np.array([tail_index(pareto(seed)) for seed in SEEDS])
    assert np.sum(estimates <= LEAST) >= least
    # The standard error of one inverse index is sqrt(1 + index**-2) / sqrt(LARGEST).
    error = math.sqrt((1 + index**-2) / LARGEST / len(SEEDS))
    assert np.mean(1 / estimates) == pytest.approx(1 / index, abs=5 * error + 0.02)


def test_both_signs_and_the_scale_do_not_matter():
    samples = np.random.default_rng(3).standard_cauchy(PILOT)
    index = tail_index(samples)
    assert index < 1.5
    assert tail_index(-100 * samples) == pytest.approx(index, rel=1e-9)


def test_a_tail_of_another_length_is_looked_at():
    samples = np.random.default_rng(5).random(PILOT) ** -0.5
    few, many = (tail_index(samples, largest) for largest in (64, 4096))
    assert few != many
    assert few == pytest.approx(2, rel=0.5)


@pytest.mark.parametrize("chance", [0.5, 0.02, 0.005, 1e-3])
def test_an_event_has_no_tail_unless_it_happened_once(chance):
    events = np.random.default_rng(1).random(PILOT) < chance
    assert tail_index(events.astype(float)) == math.inf
    assert tail_index(np.eye(1, PILOT)[0]) < LEAST


def test_too_few_samples_are_refused():
    with pytest.raises(ValueError, match=f"need more than {LARGEST} samples, got 9"):
        tail_index(np.ones(9))
