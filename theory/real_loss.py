"""The loss of one unit in real numbers, computed accurately near the teacher.

Student and teacher have the eigenvalues ``lam = x + i y`` and ``mu = u + i v``, the gains
``g`` and ``g_star``, and an input of autocovariance ``rho^|lag|``.  The sum of four moments
would lose all digits if the two units are nearly equal.  Here the difference of their states
is ``g (h - h_star) + (g - g_star) h_star``, and

    h - h_star = (lam - mu) w,   w_t = sum over n of s_n x_{t-1-n},

where ``w`` is the input filtered by ``1 / ((1 - lam z) (1 - mu z))``.  The loss is therefore a
quadratic form in ``lam - mu`` and ``g - g_star``, which are small near the teacher.  Its
coefficients are the divided differences of Lemma 1 in ``sigprop.theory.overlaps``.  Each is
its value at ``rho = 1`` plus ``1 - rho^2`` times a remainder.

Source: Zucchet & Orvieto (2024), Eq. 86-93, whose loss this is; the steps are ours.
"""

from functools import cache
from typing import NamedTuple

from sympy import Expr, Rational, Symbol, sqrt, symbols

from sigprop.theory.symbols import rho

x, y = symbols("x y", real=True)  # parts of the student's eigenvalue
u, v = symbols("u v", real=True)  # parts of the teacher's eigenvalue
share = Symbol("share", real=True)  # of the normalisation: gamma^2 = 1 - share |lam|^2

Step = tuple[Symbol, Expr]


class Parts(NamedTuple):
    """Real and imaginary part of a complex number, as expressions."""

    re: Expr
    im: Expr

    def times(self, other: "Parts") -> "Parts":
        """Return the product."""
        return Parts(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )

    def scaled(self, factor: Expr) -> "Parts":
        """Return the product with a real factor."""
        return Parts(factor * self.re, factor * self.im)

    def plus(self, other: "Parts") -> "Parts":
        """Return the sum."""
        return Parts(self.re + other.re, self.im + other.im)

    def conjugate(self) -> "Parts":
        """Return the complex conjugate."""
        return Parts(self.re, -self.im)

    def square(self) -> Expr:
        """Return the squared modulus."""
        return self.re**2 + self.im**2


class _Steps(list[Step]):
    def real(self, name: str, value: Expr) -> Symbol:
        symbol = Symbol(name, real=True)
        self.append((symbol, value))
        return symbol

    def complex(self, name: str, value: Parts) -> Parts:
        return Parts(
            self.real(f"{name}_re", value.re), self.real(f"{name}_im", value.im)
        )


@cache
def steps() -> tuple[Step, ...]:
    """Return names and values of the computing steps, the last of which is the loss.

    Each value is an expression in the names of earlier steps.

    Conditions: ``|lam| < 1``, ``|mu| < 1``, ``|rho| < 1``, ``0 <= share <= 1``.

    Example:
        >>> steps()[0]
        (n, x**2 + y**2)
    """
    lam, mu, one = Parts(x, y), Parts(u, v), Parts(Rational(1), Rational(0))
    found = _Steps()
    n, m = found.real("n", lam.square()), found.real("m", mu.square())
    white = found.real("white", 1 - rho**2)
    teacher = found.real("teacher", one.plus(mu.scaled(-rho)).square())
    state = found.real("state", (rho**2 + white / (1 - m)) / teacher)  # E|h*|^2
    apart = found.complex("apart", lam.plus(mu.scaled(-1)))
    cross = found.complex("cross", one.plus(lam.times(mu.conjugate()).scaled(-1)))
    nearness = found.real("nearness", white / ((1 - m) * cross.square()))
    student = found.complex("student", one.plus(lam.scaled(-rho)))
    slow = found.real("slow", 1 / (student.square() * teacher))
    # E|w|^2
    product = found.complex("product", lam.times(mu))
    turn = found.complex("turn", lam.scaled(1 - m).plus(mu.scaled(1 - n)))
    aligned = product.times(turn.conjugate()).re
    rest = found.real("rest", (1 - n * m) * (1 + rho**2 * n * m) - 2 * rho * aligned)
    filtered = found.real("filtered", slow * (rho**2 + nearness * rest / (1 - n)))
    # E[w conj(h*)]
    above = mu.conjugate().times(one.plus(lam.scaled(-rho * m)))
    above = found.complex("above", above)
    inner = above.times(cross.conjugate()).scaled(nearness)
    inner = found.complex("inner", inner.plus(one.scaled(rho)))
    moment = found.complex("moment", inner.times(student.conjugate()).scaled(slow))
    g, g_star = found.real("g", sqrt(1 - share * n)), sqrt(1 - share * m)
    g_star = found.real("g_star", g_star)
    total = lam.plus(mu)
    squares = apart.re * total.re + apart.im * total.im  # |lam|^2 - |mu|^2
    p = found.real("p", -share * squares / (g + g_star))
    square = g**2 * apart.square() * filtered + p**2 * state
    found.real("loss", Rational(1, 2) * square + g * p * apart.times(moment).re)
    return tuple(found)


def loss() -> Expr:
    """Return the loss as one expression, with all steps inserted."""
    result = steps()[-1][1]
    for symbol, value in reversed(steps()[:-1]):
        result = result.subs(symbol, value)
    return result


def silent() -> Expr:
    """Return the loss of a student with zero output: half the teacher's mean square."""
    state, g_star = symbols("state g_star", real=True)
    return Rational(1, 2) * g_star**2 * state
