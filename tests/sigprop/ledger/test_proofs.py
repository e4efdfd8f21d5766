"""Symbols of derivations in LaTeX."""

import pytest
from sympy import Symbol

from sigprop.ledger.proofs import of_row, of_rows, written
from sigprop.theory.claims import registry

SPELLED = {
    "lam_bar": r"\bar{\lambda}",
    "nu_star": r"\nu^{*}",
    "d_nu": r"\mathrm{d}\nu",
    "d_theta_1": r"\mathrm{d}\theta_{1}",
    "dlam_bar_i": r"\mathrm{d}\bar{\lambda}_{i}",
    "A_ij": "A_{i j}",
    "h0": "h_{0}",
}


@pytest.mark.parametrize("name", SPELLED)
def test_a_symbol_is_written_as_in_a_paper(name):
    assert written(Symbol(name)) == SPELLED[name]


def test_every_step_says_what_is_equal():
    bare = [
        (key, reason)
        for key, steps in of_rows(registry()).items()
        for reason, equation in steps
        if " = " not in equation
    ]
    assert bare == []


def test_the_last_step_has_the_left_side_of_the_statement():
    for key, left in {
        "zucchet:48": r"\mathbb{E}[|h_0|^2]",
        "rotrnn:11": r"\xi",
        "lru:27": "F(r)",
    }.items():
        *_, (_, equation) = of_row(registry()[key])
        assert equation.startswith(f"{left} = "), key


def test_a_step_keeps_the_quantity_of_the_step_before_it():
    first, second, *_ = of_row(registry()["zucchet:48"])
    assert first[1].startswith("0 = ")
    assert second[1] == r"k(n) = \lambda^{n}"
