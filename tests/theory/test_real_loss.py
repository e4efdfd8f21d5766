"""The loss in real steps is the loss as four moments, and keeps its digits."""

import mpmath
import pytest
from sympy import Abs, I, Rational, conjugate, expand, lambdify, re, simplify, sqrt

from sigprop.theory import overlaps, real_loss
from sigprop.theory.real_loss import share, u, v, x, y
from sigprop.theory.symbols import alpha, beta, rho

POINTS = [  # x, y, u, v, rho, share
    ("3/10", "-2/5", "1/2", "1/3", "2/7", "3/4"),
    ("-7/10", "1/5", "-1/9", "4/5", "-3/5", "1"),
    ("3/5", "3/5", "1/7", "-6/7", "9/10", "0"),
    ("0", "0", "99/101", "0", "1/2", "1/2"),
]
NAMES = x, y, u, v, rho, share


def four_moments(x, y, u, v, rho_, share, module=None):
    """``E|g h - g_star h_star|^2 / 2`` by Lemma 1; exact, or by a module's numbers."""
    lam, mu = (a + (I if module is None else 1j) * b for a, b in ((x, y), (u, v)))
    bar, root = (conjugate, sqrt) if module is None else (mpmath.conj, module.sqrt)
    form = overlaps.shared("exponential")
    pair = lambdify((alpha, beta, rho), form, module or "sympy")
    g, g_star = (root(1 - share * (a**2 + b**2)) for a, b in ((x, y), (u, v)))
    own = g**2 * pair(lam, bar(lam), rho_) + g_star**2 * pair(mu, bar(mu), rho_)
    cross = pair(lam, bar(mu), rho_) + pair(bar(lam), mu, rho_)
    return (own - g * g_star * cross) / 2


@pytest.mark.parametrize("point", POINTS, ids="/".join)
def test_steps_are_the_four_moments_exactly(point):
    numbers = [Rational(text) for text in point]
    steps = real_loss.loss().subs(dict(zip(NAMES, numbers, strict=True)))
    assert steps.is_finite
    assert simplify(expand(four_moments(*numbers)) - steps) == 0


def test_each_step_uses_earlier_ones_alone():
    known = {*NAMES}
    for symbol, value in real_loss.steps():
        assert value.free_symbols <= known, symbol
        assert symbol not in known
        known.add(symbol)


def test_a_silent_student_has_half_the_power_of_the_teacher():
    point = dict(zip(NAMES, map(Rational, POINTS[0]), strict=True))
    values = {}
    for symbol, value in real_loss.steps():
        values[symbol] = value.subs(point).subs(values)
    lam_star = point[u] + I * point[v]
    state = overlaps.shared("exponential").subs({rho: point[rho], alpha: lam_star})
    power = state.subs(beta, conjugate(lam_star)) * (1 - share * Abs(lam_star) ** 2) / 2
    assert simplify(real_loss.silent().subs(values) - power.subs(point)) == 0


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("gap", [0.3, 1e-2, 1e-4])
def test_digits_are_kept_near_the_teacher_and_the_boundary(gap, apart):
    """There the four moments are compared in sixty digits; in double they lose all."""
    mu = (1 - gap) * mpmath.expj(0.4)
    lam = mu + gap * apart * mpmath.expj(2.2)
    point = [float(part) for z in (lam, mu) for part in (z.real, z.imag)] + [0.95, 0.8]
    steps = float(lambdify(NAMES, real_loss.loss(), "math")(*point))
    with mpmath.workdps(60):
        exact = re(four_moments(*map(mpmath.mpf, point), module=mpmath))
        assert abs(steps / exact - 1) < 1e-9
    assert (
        apart > 1e-6
        or abs(complex(four_moments(*point, module=mpmath)) / exact - 1) > 1e-6
    )
