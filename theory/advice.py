"""Power spectrum of the input as a function of the phase, to choose initial phases."""

from functools import cache

from sympy import Expr, Symbol, atan, cos, integrate, pi, tan

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import rho, theta

lag = Symbol("k", positive=True)


def spectral_density() -> Expr:
    """Power density of an input with ``R = rho**|lag|`` by phase on [0, pi].

    It is the sum of ``rho**|lag| cos(lag theta)`` over all lags, divided by ``pi``, and
    integrates to one.
    """
    return (1 - rho**2) / (1 - 2 * rho * cos(theta) + rho**2) / pi


@cache
def power_below() -> Derivation:
    """Derive the share of the power of ``R = rho**|lag|`` at phases below ``theta``."""
    proof = start("power by phase", spectral_density())
    below = 2 / pi * atan((1 + rho) / (1 - rho) * tan(theta / 2))
    return proof.then("integrated from phase zero, by tan(theta/2)", below)


@cache
def power_of_lag() -> Derivation:
    """Derive the weight of ``R(k)/R(0)``, ``k > 0``, in the share of power below ``theta``.

    The weight of lag zero is ``theta/pi``.
    """
    at = Symbol("omega", positive=True)
    proof = start("power by phase of one lag and its negative", 2 * cos(lag * at) / pi)
    below = integrate(2 * cos(lag * at) / pi, (at, 0, theta))
    return proof.then("integrated from phase zero", below)
