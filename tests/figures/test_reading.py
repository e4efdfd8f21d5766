"""What reads a drawing sees labels that do not belong to their ticks."""

import numpy as np
import pytest

from tests.figures.reading import number, truly


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("$-\\pi/2$", -np.pi / 2),
        ("3π/8", 3 * np.pi / 8),
        ("$\\pi$", np.pi),
        ("½", 0.5),
        ("0.999", 0.999),
        ("1e-05", 1e-5),
        ("−3", -3.0),
        ("state", None),
        ("$\\geq 8$", None),
        ("", None),
    ],
)
def test_a_label_is_a_number_or_none(label, value):
    assert number(label) == (value if value is None else pytest.approx(value))


def test_labels_are_those_of_their_ticks():
    turns = np.array([-np.pi, -np.pi / 2, 0, np.pi])
    names = ["$-\\pi$", "$-\\pi/2$", "0", "$\\pi$"]
    assert truly(turns, names)
    assert not truly(turns * [1, 2 / 3, 1, 1], names)
    assert not truly(turns, [*names[:-1], "$\\pi/2$"])
    assert truly([0.1, 0.001], ["0.9", "0.999"])
    assert not truly([0.1, 0.01], ["0.9", "0.999"])
    assert truly(np.log([0.5, 2]), ["0.5", "2"])
    assert truly([0, 1, 2], ["32", "64", "128"])
    assert truly([3, 5], ["LRU", "S4"])
