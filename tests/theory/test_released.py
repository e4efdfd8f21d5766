"""What the ledger says of the authors' own notebooks holds, figure by figure."""

import cmath
import math

import numpy as np
from sympy import Symbol, conjugate, lambdify, simplify

from sigprop.theory import hessian
from sigprop.theory.claims import find
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.papers.zucchet.hessian.expectation import eq_134
from sigprop.theory.symbols import lam, lam_bar, rho


def figure_1a():
    """The sensitivity at a real ``lam`` as the authors' notebook of Figure 1A has it.

    Source: ``figures/1D-case.ipynb`` of the code of Zucchet & Orvieto (2024), see
    ``sigprop.layers.initialisers.fan_out_projections``.
    """
    head = (1 + lam**2) * (1 - lam**2 * rho**2) + 2 * (1 - lam**2) * lam * rho
    return head / ((1 - lam**2) ** 3 * (1 - lam * rho) ** 2)


def test_the_notebook_of_figure_1a_has_the_right_form():
    real = Symbol("real", real=True)

    def at(form):
        return form.subs({lam_bar: real, lam: real, conjugate(lam): real})

    notebook = at(figure_1a())
    assert simplify(notebook - at(forms.eq_59_corrected())) == 0
    assert simplify(notebook - at(forms.eq_59())) != 0
    erratum = find("zucchet:59").erratum
    assert erratum is not None
    assert "notebook of Figure 1A has the right form" in erratum.bearing


def test_the_notebook_of_figure_8_is_off_as_far_as_the_note_says():
    names = hessian.alpha, hessian.beta, hessian.rho
    printed, true = (lambdify(names, form) for form in (eq_134(), hessian.tidy_pair()))
    fixed = 0.99 * cmath.exp(0.25j * math.pi)
    radius, turn = np.linspace(0, 0.99, 200), np.linspace(-1, 1, 500) * np.pi
    disc = radius * np.exp(1j * turn[:, None])
    shown, truth = (np.abs(form(disc, fixed, 0.9)) for form in (printed, true))
    gap = np.abs(shown / truth - 1)
    assert abs(1.9 * shown.max() / truth.max() - 1) < 0.01
    assert abs(np.quantile(gap, 0.9) - 0.25) < 0.02
    assert abs(np.quantile(gap, 0.999) - 1.5) < 0.1
    for end in (0.0, 1.0):
        np.testing.assert_allclose(printed(disc, fixed, end), true(disc, fixed, end))
    for row in ("zucchet:134", "zucchet:fig8"):
        assert "authors' notebook of" in find(row).note
    assert "150 %" in find("zucchet:fig8").note
