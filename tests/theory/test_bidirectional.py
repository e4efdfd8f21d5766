"""BLUR's theory by its defining properties, and its tables as they are read."""

import numpy as np
import pytest
from sympy import diff, limit, oo, simplify

from sigprop.theory import bidirectional as two
from sigprop.theory.papers.blur import printed
from sigprop.theory.symbols import T, lam

PROOFS = (
    two.unrolled_forward,
    two.unrolled_backward,
    two.first_steps,
    two.last_steps,
    two.change_of_basis,
    two.doubled_steps,
    two.discriminant_is_no_constant,
    two.ring_energy_is_a_mean,
    two.scan_levels_agree,
)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_what_is_said_to_be_proved_is(proof):
    assert proof() is True


def test_the_state_of_constant_inputs_grows_to_its_limit():
    state = two.constant_input().result
    assert simplify(state.subs(T, 1)) == 1
    assert simplify(state.subs(T, 2) - 1 - lam) == 0


def test_a_stretched_gaussian_has_the_same_barron_constant_over_its_width():
    constant = two.barron_of_gaussian().result
    assert simplify(constant * two.width - constant.subs(two.width, 1)) == 0


def test_the_ring_energy_diverges_at_the_circle_and_grows_before():
    energy = two.ring_energy().result.subs(two.e_min, 0)
    assert limit(energy, two.e_max, 1, "-") == oo
    assert diff(energy, two.e_max).subs(two.e_max, 0.5) > 0


def test_the_bump_is_one_at_zero_and_vanishes_at_other_integers():
    nu = np.linspace(0, 2 * np.pi, 20_001)
    triangle = (1 - nu / (2 * np.pi)) / (2 * np.pi)
    for k, value in ((0, 1.0), (1, 0.0), (3, 0.0)):
        integral = 2 * np.trapezoid(triangle * np.cos(nu * k), nu)
        assert integral == pytest.approx(value, abs=1e-6)


def test_tables_are_read_whole():
    assert [len(printed.errors(n)) for n in printed.METHODS] == [20, 25, 24, 20, 7, 15]
    assert printed.errors(8)["ECL", 960]["S4"] == (0.299, 0.387)
    assert set(printed.errors(10)["Weather", 24]) == {"BLUR", "LSTMa"}
    for n in (9, 10, 11, 12):
        for task, row in printed.errors(n).items():
            assert row["BLUR"] == printed.errors(8)[task]["BLUR"]
