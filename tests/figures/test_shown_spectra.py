"""The sentences under figures of eigenvalues, responses and spectra."""

import numpy as np
import pytest

from tests.figures.test_shown import shown


@pytest.mark.parametrize(
    ("gaps", "phrase"),
    [((3, 2, 1), "matrices come closer"), ((1, 2, 1), "not always come closer")],
)
def test_lru_2_compares_sizes(gaps, phrase):
    def change(data):
        data["matrix_fraction"].values[:] = data["circular_law"].values
        data["matrix_fraction"].values[:, 7] += np.array(gaps) / 100
        data["matrix_phase_fraction"].values[:] = data["matrix_phase_law"].values
        data["matrix_phase_fraction"].values[:, 9] += np.array(gaps) / 200

    text = shown("lru-2", ring_eigenvalues=change)
    assert phrase in text
    assert f"{gaps[0] / 100:.2g} at N = 100 and 0.01 at N = 2000" in text
    exact = f"the exact one by at most {gaps[0] / 200:.2g} at N = 100"
    assert f"{exact} and 0.005 at N = 2000." in text


def test_lru_3_counts_the_rings_inside_the_band():
    def change(data):
        for name, ring, bands in (("ring", 1, 1.5), ("ring_phase", 3, 1.1)):
            data[f"{name}_fraction"].values[:] = data[f"{name}_law"].values
            data[f"{name}_fraction"].values[ring, 9] += bands * data.attrs["band"]

    text = shown("lru-3", ring_eigenvalues=change)
    assert text.startswith("In 2 of 4 rings")
    assert "at most 0.046; the bands allow 0.03." in text
    assert "For r from 0 to 1 the lemma has the moduli of large" in text

    def other(data):
        data["ring_law"].values[0, 500] += 0.1

    assert "the lemma does not have the" in shown("lru-3", ring_eigenvalues=other)


@pytest.mark.parametrize(("short", "phrase"), [(40, "no fewer"), (60, "fewer")])
def test_lru_4_says_how_often_modes_turn(short, phrase):
    def change(data):
        for index, length, turns in ((0, 1024, short), (0, 16384, 900), (1, 16384, 50)):
            data["mean_turns"].loc[{"length": length}][index] = turns

    text = shown("lru-4", impulse_responses=change)
    assert (
        "In 16384 steps a mode completes 900 periods on average with phases up to 2π, and 50 "
        "with phases up to π/50" in text
    )
    assert (
        f"give {phrase} periods in 16384 steps (50) than phases up to 2π in 1024 steps "
        f"({short})." in text
    )


def test_lru_6_says_where_the_power_goes():
    def change(data):
        for line, share in ((0, 0.3), (1, 0.6)):
            data["share"].loc[{"signal": "rectified", "harmonic": line}] = share
        at = {"signal": "rectified", "frequency": 4.0}
        exact = float(data["exact"].sel(signal="rectified")[4])
        data["amplitude"].loc[at] = exact + 0.02

    text = shown("lru-6", relu_leakage=change)
    assert (
        "60 % of the power is at the sine's frequency, 30 % at frequency zero" in text
    )
    assert "and 10 % at higher frequencies" in text
    assert "Fourier coefficients differ by at most 0.02." in text
