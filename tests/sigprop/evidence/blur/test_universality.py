"""Determinants of Vandermonde matrices as products of differences."""

import pytest

from sigprop.evidence.blur.universality import differences

SQUARE = {"seed": 0, "n": 3, "k": 3, "kind": "ones", "side": "forward"}


def test_differences_are_those_of_the_model_asked_for():
    first = differences(**SQUARE)
    assert differences(**{**SQUARE, "kind": "drawn"}) == first  # one draw
    assert differences(**{**SQUARE, "kind": "equal"}) == 0
    assert differences(**{**SQUARE, "side": "backward"}) != first


def test_a_matrix_that_is_not_square_has_no_determinant():
    with pytest.raises(ValueError, match="need as many steps as states, got n=3, k=4"):
        differences(**{**SQUARE, "k": 4})
