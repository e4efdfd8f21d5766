"""BLUR's theory by its defining properties, and what the ledger's helpers rest on."""

import csv
import datetime

import mpmath
import numpy as np
import pytest
from sympy import diff, limit, oo, simplify

from sigprop.references import bidirectional, bidirectional_barron, bidirectional_memory
from theory import bidirectional as two
from theory.papers.blur import tables
from theory.symbols import T, lam

PROOFS = (
    two.unrolled_forward,
    two.unrolled_backward,
    two.first_steps,
    two.last_steps,
    two.change_of_basis,
    two.vandermonde_determinant,
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
        found = 2 * np.trapezoid(triangle * np.cos(nu * k), nu)
        assert found == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        ([[1, 2], [2, 4]], 1),
        ([[0, 1], [1, 0], [1, 1]], 2),
        ([[0, 0]], 0),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2),
    ],
)
def test_ranks_by_elimination(rows, rank):
    with mpmath.workdps(bidirectional_memory.DIGITS):
        assert bidirectional_memory._rank(mpmath.matrix(rows)) == rank


def test_the_written_responses_are_those_of_the_layer():
    at = (0, 2, 3, 6, 2, "drawn")
    written = bidirectional_memory.written_responses(*at)
    found = np.array(written.tolist(), dtype=complex)
    np.testing.assert_allclose(found, bidirectional_memory.responses(*at), atol=1e-13)


def test_kinds_of_models_differ_as_they_say():
    equal, twins = (
        bidirectional.model(0, 2, 3, kind)[1] for kind in ("equal", "twins")
    )
    assert np.ptp(np.abs(equal.lam_f)) == 0
    assert equal.lam_f[0] != equal.lam_b[0]
    np.testing.assert_array_equal(twins.lam_f, twins.lam_b)
    np.testing.assert_array_equal(twins.B_f, 1)


def test_a_network_that_misses_its_accuracy_is_refused():
    at = {"states": 1.0, "outputs": 1.0, "radius": 1.0, "barron": 0.3, "Theta": 1.0}
    with pytest.raises(ValueError, match="need an error of at most"):
        bidirectional_barron.padded_neurons(**at, accuracy=-1.0, padding=0)


def test_tables_are_read_whole():
    assert [len(tables.errors(n)) for n in tables.TEXTS] == [20, 25, 24, 20, 7, 15]
    assert tables.errors(8)["ECL", 960]["S4"] == (0.299, 0.387)
    assert set(tables.errors(10)["Weather", 24]) == {"BLUR", "LSTMa"}
    for n in (9, 10, 11, 12):
        for task, row in tables.errors(n).items():
            assert row["BLUR"] == tables.errors(8)[task]["BLUR"]


@pytest.mark.parametrize(
    ("rows", "stamp"),
    [
        pytest.param(
            *(17420, "%Y-%m-%d %H:%M:%S"),
            marks=pytest.mark.data("ett/ETTh1.csv"),
            id="ETTh1",
        ),
        pytest.param(
            *(35064, "%m/%d/%Y %H:%M"),
            marks=pytest.mark.data("weather/WTH.csv"),
            id="WTH",
        ),
    ],
)
def test_the_public_files_have_the_rows_that_their_calendar_gives(
    real_data, rows, stamp
):
    with real_data.open() as file:
        lines = list(csv.reader(file))[1:]
    first = datetime.datetime.strptime(lines[0][0], stamp)
    hours = datetime.timedelta(hours=rows - 1)
    assert len(lines) == rows
    assert datetime.datetime.strptime(lines[-1][0], stamp) == first + hours
