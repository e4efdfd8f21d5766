"""Eigenvalues of random matrices: the exact law at finite size, from three sides."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import quad

from sigprop.judge.verdict import Outcome, judge, plan
from sigprop.neuron import ginibre

SIZE = 8
RADII = np.array([0.3, 0.6, 0.9, 1.0, 1.2])
MARGIN = 0.05


def test_counts_of_sampled_eigenvalues_have_the_law():
    exact = ginibre.radial_law(RADII, SIZE)
    generator = np.random.default_rng(8)
    pilot = ginibre.sample_radii(generator, 2000, SIZE)
    counts = (pilot[None] <= RADII[:, None, None]).mean(axis=2)
    variance = 1.5 * float((counts.var(axis=1, ddof=1) / exact**2).max())
    planned = plan(MARGIN, variance=variance)
    radii = ginibre.sample_radii(generator, planned.n, SIZE)
    samples = (radii[None] <= RADII[:, None, None]).mean(axis=2)
    for expected, sample in zip(exact, samples, strict=True):
        error = float(sample.std() / math.sqrt(planned.n))
        mean = float(sample.mean())
        assert judge(mean, expected, planned, error).outcome == Outcome.CONFIRMED
        low, high = planned.detectable
        assert judge(mean, expected / low, planned, error).outcome == Outcome.REFUTED
        assert judge(mean, expected / high, planned, error).outcome == Outcome.REFUTED
    # The limit law is far off at this size, so the check above can fail.
    limit = float(RADII[0] ** 2)
    assert judge(float(samples[0].mean()), limit, planned).outcome == Outcome.REFUTED


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (2, math.sqrt(2)),
        (3, 1 + math.sqrt(2) / 2),
        (4, 11 * math.sqrt(2) / 8),
        (6, 211 * math.sqrt(2) / 128),
    ],
)
def test_number_of_real_eigenvalues_is_the_published_one(size, expected):
    """Source: Edelman, Kostlan & Shub (1994), Table 1."""
    count = 2 * quad(ginibre._real_density, 0, 40, args=(size,), limit=200)[0]
    assert count == pytest.approx(expected, rel=1e-6)
    assert count != pytest.approx(1.02 * expected, rel=1e-6)


@pytest.mark.parametrize("size", [2, 3, 8, 64])
def test_the_law_grows_from_nothing_to_one(size):
    radii = np.array([0.01, 0.5, 1.0, 1.5, 6.0])
    law = ginibre.radial_law(radii, size)
    assert (np.diff(law) >= -1e-9).all()
    assert 0 < law[0] < 0.03
    assert law[-1] == pytest.approx(1, abs=1e-6)


def test_the_law_does_not_depend_on_which_other_radii_are_asked():
    together = ginibre.radial_law(np.array([0.2, 0.5, 1.0]), SIZE)
    alone = ginibre.radial_law(np.array([1.0]), SIZE)
    assert together[-1] == pytest.approx(alone[0], abs=1e-8)


def test_the_law_tends_to_the_area_of_the_disc():
    radii = np.array([0.3, 0.6, 0.9])
    errors = [
        np.abs(ginibre.radial_law(radii, size) - radii**2).max()
        for size in (16, 64, 256)
    ]
    assert errors[0] > 1.8 * errors[1] > 3 * errors[2]


def test_sampled_radii_are_those_of_the_matrices():
    radii = ginibre.sample_radii(np.random.default_rng(1), 5, 3)
    matrices = np.random.default_rng(1).standard_normal((5, 3, 3)) / math.sqrt(3)
    products = np.abs(np.linalg.det(matrices))
    assert radii.shape == (5, 3)
    assert radii.prod(axis=1) == pytest.approx(products)


BAD = [
    ((RADII, 1), "need a matrix of size 2 or more, got 1"),
    (
        (np.array([0.5, 0.5]), 4),
        "need radii increasing from above zero, got [0.5 0.5]",
    ),
    ((np.array([0.0, 0.5]), 4), "need radii increasing from above zero, got [0.  0.5]"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[text for _, text in BAD])
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        ginibre.radial_law(*arguments)


PHASES = np.array([0.0, 0.2, 1.0, 2.5, 3.1, math.pi])


def test_counts_of_sampled_phases_have_the_law():
    """The count within a phase is at most the size, so a bounded mean (Hoeffding)."""
    exact = ginibre.phase_law(PHASES, SIZE)
    matrices = ginibre.sample_matrices(np.random.default_rng(9), 20_000, SIZE)
    phases = np.abs(np.angle(np.linalg.eigvals(matrices)))
    shares = (phases <= PHASES[:, None, None]).mean((1, 2))
    bound = math.sqrt(math.log(2 / 1e-7) / (2 * 20_000))
    np.testing.assert_allclose(shares, exact, atol=bound)
    limit = PHASES / math.pi
    assert (np.abs(shares - limit) > 2 * bound)[[0, 1, 3, 4]].all()


@pytest.mark.parametrize("size", [2, 3, 8, 64, 2000])
def test_the_law_of_the_phase_is_symmetric_and_ends_at_one(size):
    law = ginibre.phase_law(PHASES, size)
    assert law[-1] == pytest.approx(1, abs=1e-9)
    mirrored = ginibre.phase_law(math.pi - PHASES[-2:0:-1], size)
    np.testing.assert_allclose(mirrored, 1 - law[-2:0:-1], atol=1e-9)
    positive = quad(ginibre._real_density, 0, math.sqrt(size) + 9, (size,), limit=200)
    assert law[0] == pytest.approx(positive[0] / size, rel=1e-6)


@pytest.mark.parametrize("phases", [[0.2, 0.1], [-0.1, 1.0], [0.0, 3.2]])
def test_phases_out_of_order_or_range_are_refused(phases):
    with pytest.raises(ValueError, match=r"need phases increasing within \[0, pi\]"):
        ginibre.phase_law(np.array(phases), 4)
    with pytest.raises(ValueError, match="need a matrix of size 2 or more, got 1"):
        ginibre.phase_law(PHASES, 1)
