"""What the spectrum of a sine behind a ReLU holds."""

import math

import numpy as np
import pytest

from sigprop.experiments import relu_leakage
from sigprop.theory.spectral import rectified_line


@pytest.fixture(scope="module")
def leakage():
    return relu_leakage.run(relu_leakage.SMOKE)


def aliased(line, samples):
    """Bound on what a transform of so many samples a period adds to a line.

    It adds the lines at all multiples of ``samples`` away; those of ``ReLU(sin t)`` are
    at most ``1/(pi (n^2 - 1))``, and what is left of their sum at most an integral.
    """
    away = samples * np.arange(1, 10_000)
    aliases = [1 / ((away + sign * line) ** 2 - 1) for sign in (-1, 1)]
    return (np.sum(aliases) + 3 / (samples * away[-1])) / math.pi


def test_the_transform_has_the_exact_lines_but_for_aliasing(leakage):
    periods, samples = leakage.attrs["periods"], leakage.attrs["samples"]
    measured = leakage["amplitude"].sel(signal="rectified")[::periods].values
    exact = leakage["exact"].sel(signal="rectified").values
    bound = np.array([aliased(line, samples) for line in leakage["harmonic"].values])
    assert (np.abs(measured - exact) <= bound + 1e-15).all()
    assert (bound < 0.05 * exact)[exact > 0].all()


def test_nothing_is_between_the_lines(leakage):
    lines = leakage["frequency"].isin(leakage["harmonic"])
    assert float(leakage["amplitude"].where(~lines).max()) < 1e-15
    sine = leakage["amplitude"].sel(signal="sine")
    assert float(sine.sel(frequency=1)) == pytest.approx(0.5)
    assert float(sine.where(sine["frequency"] != 1).max()) < 1e-15


def test_printed_lines_are_those_of_equation_8():
    """By the bracket of Eq. 8: half-waves about ``pi/2``, a sine's two lines."""
    data = relu_leakage.run(relu_leakage.Config(samples=64, harmonics=6))
    width = math.pi * np.sinc(np.arange(-1, 8) / 2)  # of 2 L sinc(omega L), L = pi/2
    bracket = width * np.exp(-0.5j * math.pi * np.arange(-1, 8))
    exact = np.abs(bracket[:-2] - bracket[2:]) / 2
    np.testing.assert_allclose(data["printed"], exact, atol=1e-12)
    assert float(data["printed"][0]) == pytest.approx(2)


def test_power_is_whole_and_half_of_it_stays(leakage):
    shares = leakage["exact_share"].sel(signal="rectified")
    assert float(shares.sel(harmonic=1)) == pytest.approx(0.5)
    assert float(shares.sel(harmonic=0)) == pytest.approx(4 / math.pi**2)
    lines = np.arange(0, 2001)
    powers = [abs(complex(rectified_line(int(n)))) ** 2 for n in lines[:40]]
    rest = 2 / math.pi**2 * np.sum(1.0 / (lines[40::2] ** 2 - 1.0) ** 2)
    total = powers[0] + 2 * sum(powers[1:]) + rest
    assert total == pytest.approx(0.25, rel=1e-9)
    measured = leakage["share"].sel(signal="rectified")
    np.testing.assert_allclose(measured, shares, atol=2e-3)


def test_too_few_samples_for_the_lines_are_refused():
    with pytest.raises(ValueError, match="need more than 24 samples"):
        relu_leakage.Config(samples=24)
