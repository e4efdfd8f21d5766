"""Second moments of gated recurrences with correlated inputs, by a transfer operator.

The state ``h_t = a(x_t) h_{t-1} + b(x_t)`` and its derivative
``s_t = a s_{t-1} + c h_{t-1} + d`` are driven by a stationary, reversible Markov chain ``x``.
The conditional moments ``M_ij(x) = E[h_t^i s_t^j | x_t = x]`` obey a linear recursion.  Given
the current input, the moment of the previous state is ``K M_ij`` with the operator
``(K f)(x) = E[f(x_{t-1}) | x_t = x]`` of the chain.

The operator can be inverted for two types of chains:

- The input stays with probability ``rho`` and is otherwise redrawn from any distribution:
  ``K f = rho f + (1 - rho) E f``.
- For the Gaussian AR(1), the operator multiplies the Hermite polynomial of degree ``n`` by
  ``rho^n``.  A sum of independent AR(1) processes is a chain in several coordinates.

Conditions: second moments have a limit if the spectral radius of ``a^2 K`` is below one.
A stationary state exists already if ``E log|a| < 0`` (Brandt 1986, The stochastic equation
Y_{n+1} = A_n Y_n + B_n with stationary coefficients).  Its moments of order below ``kappa``
are finite, where ``|a|^kappa K`` has spectral radius one.

Source: Mehler (1866) for the operator of the AR(1); the rest is ours.
"""

from collections.abc import Callable, Mapping
from functools import cache

from sympy import (
    Add,
    Expr,
    Integer,
    Matrix,
    Poly,
    Symbol,
    cancel,
    exp,
    integrate,
    oo,
    pi,
    simplify,
    sqrt,
    symbols,
    together,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.gated_moments import LETTERS, ORDERS, a, b, c, d, h, s
from sigprop.theory.symbols import rho

BEFORE = {
    order: Symbol(f"N_{order[0]}{order[1]}", real=True) for order in ((0, 0), *ORDERS)
}  # moments of the state before a step, given the input of the step
p = Symbol("p", positive=True)  # probability of the first of two values
VALUES = tuple(symbols(f"a_{end} b_{end} c_{end} d_{end}", real=True) for end in (1, 2))
F = {
    name: Symbol(f"F_{name}", real=True) for name in ("a", "b", "aa", "bb", "ab", "abb")
}  # expectations for inputs that stay; see ``expectations``
OWN = {1: a, 2: a**2}  # factor of a moment's own image, by its order


@cache
def step() -> dict[tuple[int, int], Expr]:
    """Return each moment after a step, from the moments before it, given the input.

    Example:
        >>> step()[2, 0]
        N_00*b**2 + 2*N_10*a*b + N_20*a**2
    """
    state, moved = a * h + b, a * s + c * h + d
    after = {}
    for i, j in ORDERS:
        terms = Poly(state**i * moved**j, h, s).terms()
        after[i, j] = Add(*(factor * BEFORE[powers] for powers, factor in terms))
    return after


@cache
def forcing(order: tuple[int, int]) -> Expr:
    """Return the terms that a step adds to a moment beside ``a^(i+j)`` times its image.

    Example:
        >>> forcing((1, 1))
        N_00*b*d + N_01*a*b + N_10*a*d + N_10*b*c + N_20*a*c
    """
    return step()[order].expand().subs(BEFORE[order], 0)


def hermite_holds() -> bool:
    """Prove that the AR(1) multiplies the Hermite polynomial of degree n by ``rho^n``.

    The generating function ``exp(t x - t^2/2)``, averaged over ``x_{t-1}`` given
    ``x_t = z``, becomes the generating function of ``rho t``.  This proves all degrees.
    """
    t, z, e = symbols("t z e", real=True)
    before = rho * z + sqrt(1 - rho**2) * e
    density = exp(-(e**2) / 2) / sqrt(2 * pi)
    exponent = (t * before - t**2 / 2).expand()
    moving = exponent.coeff(e, 1)
    mean = integrate(exp(moving * e) * density, (e, -oo, oo), conds="none")
    averaged = mean * exp(exponent.coeff(e, 0))
    wanted = exp(rho * t * z - (rho * t) ** 2 / 2)
    return simplify(averaged / wanted) == 1


Pair = tuple[Expr, Expr]  # at the first and the second value


def mean(pair: Pair) -> Expr:
    """Return the expectation over both values of a chain.

    Example:
        >>> mean((Integer(1), Integer(0)))
        p
    """
    return p * pair[0] + (1 - p) * pair[1]


def by_matrix(own: Pair, added: Pair) -> Pair:
    """Solve ``f = added + own K f`` for a chain of two values, by its matrix."""
    stay = rho + (1 - rho) * p, rho + (1 - rho) * (1 - p)
    K = Matrix([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]])
    system = Matrix(2, 2, lambda i, j: Integer(i == j) - own[i] * K[i, j])
    first = system[1, 1] * added[0] - system[0, 1] * added[1]
    second = system[0, 0] * added[1] - system[1, 0] * added[0]
    return first / system.det(), second / system.det()


def by_expectations(own: Pair, added: Pair) -> Pair:
    """Solve ``f = added + own K f`` by expectations, for any number of values.

    The equation ``(1 - rho own) f = added + (1 - rho) own E f`` is divided by its first
    factor and averaged, which gives ``E f``.
    """
    faded = [1 / (1 - rho * keep) for keep in own]
    mean_keep = mean((own[0] * faded[0], own[1] * faded[1]))
    average = mean((added[0] * faded[0], added[1] * faded[1])) / (
        1 - (1 - rho) * mean_keep
    )
    first, second = (
        (term + (1 - rho) * keep * average) * fade
        for term, keep, fade in zip(added, own, faded, strict=True)
    )
    return first, second


def same_inverse() -> bool:
    """Prove that ``by_matrix`` and ``by_expectations`` agree for any ``added``."""
    own, added = symbols("own_1 own_2", real=True), symbols("g_1 g_2", real=True)
    ways = by_matrix(own, added), by_expectations(own, added)
    return all(
        simplify(together(left - right)) == 0 for left, right in zip(*ways, strict=True)
    )


def limit(
    quantity: str,
    solve: Callable[[Pair, Pair], Pair] = by_matrix,
    known: Mapping[Symbol, Expr] | None = None,
) -> Expr:
    """Return the stationary second moment for a chain of two values.

    The input stays at its value with probability ``rho`` and is otherwise redrawn.

    Args:
        quantity: ``state`` or ``sensitivity``.
        solve: Method for each moment, ``by_matrix`` or ``by_expectations``.
        known: Values to insert for symbols.

    Conditions: the spectral radius of ``a^2 K`` is below one.
    """
    last = {"state": (2, 0), "sensitivity": (0, 2)}[quantity]
    letters = [dict(zip(LETTERS, values, strict=True)) for values in VALUES]
    images: dict[tuple[int, int], Pair] = {(0, 0): (Integer(1), Integer(1))}
    moment: Pair = images[0, 0]
    known = known or {}
    orders = [order for order in ORDERS if order[1] <= last[1]]
    for order in orders[: orders.index(last) + 1]:
        own, added = [], []
        for index, at in enumerate(letters):
            before = {BEFORE[low]: image[index] for low, image in images.items()}
            own.append(OWN[sum(order)].subs(at))
            added.append(forcing(order).subs(at).subs(before))
        first, second = solve((own[0], own[1]), (added[0], added[1]))
        moment = first.subs(known), second.subs(known)
        pair = [
            (rho * value + (1 - rho) * mean(moment)).subs(known) for value in moment
        ]
        images[order] = pair[0], pair[1]
    return mean(moment).subs(known)


def expectations() -> dict[Symbol, Expr]:
    """Return the functions of the coefficients whose means occur in ``state_limit``."""
    first, second = 1 / (1 - rho * a), 1 / (1 - rho * a**2)
    return {
        F["a"]: a * first,
        F["b"]: b * first,
        F["aa"]: a**2 * second,
        F["bb"]: b**2 * second,
        F["ab"]: a * b * first * second,
        F["abb"]: a * b**2 * first * second,
    }


@cache
def state_limit() -> Derivation:
    """Derive the limit of ``E h^2`` for a chain that stays with probability ``rho``.

    The chain may have any number of values.  The result depends on six expectations; at
    ``rho = 0`` it is the limit of ``sigprop.theory.gated_moments``.

    Conditions: the spectral radius of ``a^2 K`` is below one.

    Example:
        >>> state_limit().result.subs(rho, 0)
        (2*F_ab*F_b/(1 - F_a) + F_bb)/(1 - F_aa)
    """
    average = F["b"] / (1 - (1 - rho) * F["a"])
    return (
        start(
            "Square one step of the recursion and take the mean, given the input:",
            step()[2, 0],
            r"\mathbb{E}[h_{t+1}^2]",
        )
        .then(
            "The mean of the previous state, given the input, is",
            _before(average),
            r"\mathbb{E}[h \,|\, \text{input}]",
        )
        .then("Divide by 1 - rho a^2 and take the mean:", _state(average))
    )


def state_limit_holds() -> bool:
    """Prove ``state_limit`` for two values, by the matrix of the chain.

    The proof first checks the mean before a step, given its input.  It then checks the
    second moment, with the mean of the state as a symbol.
    """
    at = [dict(zip(LETTERS, values, strict=True)) for values in VALUES]
    known = {
        name: mean((expr.subs(at[0]), expr.subs(at[1])))
        for name, expr in expectations().items()
    }

    def pair(expr: Expr) -> Pair:
        return expr.subs(at[0]), expr.subs(at[1])

    conditional = by_matrix(pair(a), pair(b))
    average = Symbol("average")
    before = pair(_before(average))
    settled = F["b"] / (1 - (1 - rho) * F["a"])
    wrong = [
        value.subs(average, settled).subs(known)
        - rho * f
        - (1 - rho) * mean(conditional)
        for value, f in zip(before, conditional, strict=True)
    ]
    first, second = (
        (b**2 + 2 * a * b * value).subs(here)
        for value, here in zip(before, at, strict=True)
    )
    second_moment = mean(by_expectations(pair(a**2), (first, second)))
    wrong.append(_state(average).subs(known) - second_moment)
    return same_inverse() and all(cancel(together(residual)) == 0 for residual in wrong)


def _before(average: Expr) -> Expr:
    """The mean of the state before a step, given its input."""
    return (rho * b + (1 - rho) * average) / (1 - rho * a)


def _state(average: Expr) -> Expr:
    """The second moment, from the mean of the state."""
    added = F["bb"] + 2 * rho * F["abb"] + 2 * (1 - rho) * average * F["ab"]
    return added / (1 - (1 - rho) * F["aa"])
