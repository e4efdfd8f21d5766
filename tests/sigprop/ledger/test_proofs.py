"""Symbols of derivations in LaTeX."""

import pytest
from sympy import Symbol

from sigprop.ledger.proofs import written

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
