"""Power below a phase, against integrals and sums."""

import math

import mpmath
import pytest
from sympy import N, diff, lambdify, simplify

from sigprop.theory import advice
from sigprop.theory.symbols import rho, theta


@pytest.mark.parametrize("decay", ["0", "0.9", "-0.7"])
def test_power_below_a_phase_is_the_integral_of_the_summed_autocovariance(decay):
    decay = mpmath.mpf(decay)

    def density(at):
        terms = (2 * decay**lag * mpmath.cos(lag * at) for lag in range(1, 400))
        return (1 + sum(terms)) / mpmath.pi

    power = advice.power_below().result
    for at in (0.3, 1.9):
        truth = mpmath.quad(density, [0, at])
        value = N(power.subs({rho: float(decay), theta: at}))
        assert abs(value - truth) < 1e-12
    assert simplify(diff(power, theta) - advice.spectral_density()) == 0


def test_lags_add_up_to_the_power_of_their_sum():
    decay, at = 0.7, 1.1
    weight = lambdify(advice.lag, advice.power_of_lag().result.subs(theta, at), "math")
    total = at / math.pi + sum(decay**lag * weight(lag) for lag in range(1, 200))
    power = advice.power_below().result.subs({rho: decay, theta: at})
    assert total == pytest.approx(float(N(power)), rel=1e-12)
