"""Reparametrised eigenvalues: what is proved, and that wrong halves would show."""

import math

import pytest
from sympy import Rational, simplify

from sigprop.evidence.zucchet.proofs.complex_eigenvalues import polar_moment
from sigprop.theory import parametrisation as polar
from sigprop.theory.parametrisation import S, d_nu, d_theta, nu


@pytest.mark.parametrize(
    "proof",
    [
        polar.phase_share_is_unbounded,
        polar.no_path_has_that_phase,
        polar.no_flat_coordinates,
    ],
    ids=lambda proof: proof.__name__,
)
def test_proofs(proof):
    assert proof()


def test_white_moments_are_the_known_ones():
    assert simplify(polar.white_normaliser().result ** 2 - (1 - nu**2)) == 0
    printed = (1 + nu**2) / (1 - nu**2) ** 2
    assert simplify(polar.white_sensitivity().result - printed) == 0
    assert simplify(polar.modulus_share().result - 1 - nu**2) == 0


def test_the_polar_moment_has_no_quarter():
    omega = 0.6
    radius = math.tanh(omega)
    at = [
        (S, (1 + radius**2) / (1 - radius**2) ** 3),
        (nu, radius),
        (d_nu, 1 - radius**2),
        (d_theta, 2 * omega),
    ]
    form = polar.polar_moment().result
    truth = polar_moment(omega)
    assert float(form.subs(at)) == pytest.approx(truth, rel=1e-10)
    assert float((Rational(1, 4) * form).subs(at)) != pytest.approx(truth, rel=0.5)


def test_each_step_of_a_derivation_gives_its_reason():
    for derivation in (
        polar.real_derivative(),
        polar.polar_derivative(),
        polar.polar_moment(),
    ):
        assert len(derivation.steps) > 1
        assert all(step.reason for step in derivation.steps)
