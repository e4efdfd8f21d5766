"""What a step of the delta rule makes of second moments."""

import pytest

from sigprop.theory import delta_moments as theory


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_matrix_between_two_steps_is_four_products(size):
    assert theory.sandwich_holds(size)


@pytest.mark.parametrize("size", [1, 2])
def test_a_step_of_the_sensitivity_is_what_it_is_made_of(size):
    assert theory.step_holds(size)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_keys_weights_move_a_step_by_its_derivative(size):
    assert theory.key_derivative_holds(size)


def test_keys_of_one_entry_are_a_neuron():
    """``h' = (1 - beta) h + beta v``: ``E h^2 = E beta^2 E v^2 / (1 - E (1 - beta)^2)``."""
    moment = theory.isotropic().result.subs({theory.K: 1, theory.E_alphaalpha: 1})
    plain = theory.E_betabeta * theory.E_vv
    plain = plain / (1 - (1 - 2 * theory.E_beta + theory.E_betabeta))
    assert (moment - plain).simplify() == 0
