"""What an initialisation needs: radii for a memory, phases for an input.

A mode with ``|lam| = 1 - g`` remembers ``1/g`` steps.  Where memories reach from short to
long, the inner radius of a ring says how many of its modes remember long; and the input
says at which phases there is anything to remember.

Source: the law of the radius is that of Orvieto et al. (2023), Lemma 3.2; the rest is ours.
"""

from functools import cache

from sympy import Expr, Symbol, atan, cos, integrate, pi, simplify, solve, sqrt, tan

from theory.derivation import Derivation, start
from theory.ring import radius_cdf
from theory.symbols import r_min, rho, theta

share, lag = Symbol("s", positive=True), Symbol("k", positive=True)


def spectral_density() -> Expr:
    """Power of ``R = rho**|lag|`` by phase on [0, pi], of total one.

    The sum of ``rho**|lag| cos(lag theta)`` over all lags, over ``pi``.
    """
    return (1 - rho**2) / (1 - 2 * rho * cos(theta) + rho**2) / pi


@cache
def power_below() -> Derivation:
    """Share of the power of ``R = rho**|lag|`` at phases below ``theta``."""
    proof = start("power by phase", spectral_density())
    below = 2 / pi * atan((1 + rho) / (1 - rho) * tan(theta / 2))
    return proof.then("integrated from phase zero, by tan(theta/2)", below)


@cache
def power_of_lag() -> Derivation:
    """Weight of ``R(k)/R(0)``, ``k > 0``, in the share of the power below ``theta``.

    That of lag zero is ``theta/pi``.
    """
    at = Symbol("omega", positive=True)
    proof = start("power by phase of one lag and its negative", 2 * cos(lag * at) / pi)
    below = integrate(2 * cos(lag * at) / pi, (at, 0, theta))
    return proof.then("integrated from phase zero", below)


@cache
def inner_radius() -> Derivation:
    """``r_min`` at which a share ``s`` of a ring lies beyond the radius ``r``.

    The area law is linear in squares of radii; a negative square says that even the disc
    has so many.
    """
    square = Symbol("x", real=True)
    beyond = 1 - radius_cdf()
    proof = start("share of the ring beyond r", beyond)
    (root,) = solve(beyond.subs(r_min, sqrt(square)) - share, square)
    return proof.then("equal to s, solved for r_min^2", simplify(root))
