"""Second moments of recurrences with random coefficients, such as gates of the input.

The recurrence is ``h_t = a_t h_{t-1} + b_t``.  The pairs ``(a_t, b_t)`` are independent and
identically distributed over time, as for gates that read only independent inputs.  The
derivative of the state by a parameter obeys ``s_t = a_t s_{t-1} + c_t h_{t-1} + d_t``, with
``c`` and ``d`` the derivatives of ``a`` and ``b``.  The second moments of ``(h, s)`` therefore
obey a finite linear system.

Notation: ``E_ab`` is ``E[a b]`` of one step's coefficients, and ``M_ij`` is ``E[h^i s^j]``.

Conditions: second moments exist if the second moments of the coefficients exist, and have a
limit if ``E a^2 < 1``.  A stationary state exists already if ``E log|a| < 0``.  If also
``E a^2 >= 1``, its variance is infinite.  Its moments of order below ``kappa`` are finite,
where ``E|a|^kappa = 1``.

Source: Kesten (1973), Random difference equations and renewal theory for products of
random matrices, Acta Mathematica 131, for the tail; the rest is ours.
"""

from functools import cache
from itertools import combinations_with_replacement

from sympy import (
    Add,
    Expr,
    Integer,
    Matrix,
    Poly,
    Pow,
    Symbol,
    binomial,
    cancel,
    simplify,
    symbols,
    together,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import T, n

a, b, c, d = LETTERS = symbols("a b c d", real=True)  # coefficients of one step
C = Symbol("C", real=True)  # E[h_t h_{t+n}]
h, s = symbols("h s", real=True)  # the state before it, and its sensitivity
EXPECTATIONS = {
    name: Symbol(f"E_{name}", real=True)
    for count in (1, 2)
    for name in map("".join, combinations_with_replacement("abcd", count))
}
ORDERS = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))  # powers of h and s
MOMENTS = {order: Symbol(f"M_{order[0]}{order[1]}", real=True) for order in ORDERS}


def mean(polynomial: Expr) -> Expr:
    """Return the expectation of a polynomial in coefficients and the previous state.

    The coefficients of a step and the previous state are independent, so that every term
    is a product of two expectations.

    Example:
        >>> mean(a * (h + s) * b)
        E_ab*M_01 + E_ab*M_10
    """
    total = Integer(0)
    for powers, factor in Poly(polynomial, *LETTERS, h, s).terms():
        letters = "".join(
            name * power for name, power in zip("abcd", powers[:4], strict=True)
        )
        coefficient = EXPECTATIONS[letters] if letters else Integer(1)
        moment = MOMENTS[powers[4:]] if any(powers[4:]) else Integer(1)
        total += factor * coefficient * moment
    return total


@cache
def step() -> dict[tuple[int, int], Expr]:
    """Return each moment after a step, as a function of the moments before it.

    Example:
        >>> step()[2, 0]
        E_aa*M_20 + 2*E_ab*M_10 + E_bb
    """
    state, moved = a * h + b, a * s + c * h + d
    return {(i, j): mean(state**i * moved**j) for i, j in ORDERS}


@cache
def transition() -> Matrix:
    """Return the matrix of a step on ``(1, M_10, M_01, M_20, M_11, M_02)``.

    Its powers, applied to the zero state ``(1, 0, 0, 0, 0, 0)``, give the moments at finite
    times.
    """
    columns = list(MOMENTS.values())
    rows = [[Integer(1), *[Integer(0)] * len(columns)]]
    for expr in step().values():
        constant = expr.subs(dict.fromkeys(columns, 0))
        rows.append([constant, *(expr.diff(column) for column in columns)])
    return Matrix(rows)


def _settled(order: tuple[int, int]) -> Expr:
    """A stationary moment from the others: its own step, solved for it."""
    symbol, after = MOMENTS[order], step()[order]
    own = after.diff(symbol)
    return (after - own * symbol) / (1 - own)


@cache
def limit(quantity: str) -> Derivation:
    """Derive the stationary second moment of the ``state`` or the ``sensitivity``.

    Conditions: ``E a^2 < 1``.

    Example:
        >>> limit("state").result
        (2*E_ab*E_b/(1 - E_a) + E_bb)/(1 - E_aa)
    """
    order = {"state": (2, 0), "sensitivity": (0, 2)}[quantity]
    derived = start(
        "Square one step of the recursion and take the mean:",
        step()[order],
        r"\mathbb{E}[h_{t+1}^2]",
    )
    result = _settled(order)
    derived = derived.then(
        "In the limit, solve for the moment:", result, r"\mathbb{E}h^2"
    )
    for lower in reversed(ORDERS[: ORDERS.index(order)]):
        result = result.subs(MOMENTS[lower], _settled(lower))
    return derived.then("Insert the lower moments, solved in the same way:", result)


def limit_holds(quantity: str) -> bool:
    """Prove that the limits solve the linear system of all moments."""
    known: dict[Expr, Expr] = {}
    for order in ORDERS[: 3 if quantity == "state" else 5]:
        known[MOMENTS[order]] = _settled(order).subs(known)
    left = {order: known[MOMENTS[order]] for order in ORDERS if MOMENTS[order] in known}
    return all(
        simplify(step()[order].subs(known) - value) == 0
        for order, value in left.items()
    )


@cache
def finite_state() -> Derivation:
    """Derive ``E h_T^2`` after ``T`` steps from the zero state.

    Conditions: ``E a`` and ``E a^2`` differ from each other and from one.

    Example:
        >>> simplify(finite_state().result.subs(T, 1))
        E_bb
    """
    E = EXPECTATIONS
    decay, square = Pow(E["a"], T), Pow(E["aa"], T)
    before = E["b"] * (1 - decay) / (1 - E["a"])
    alone = (1 - square) / (1 - E["aa"])
    crossed = (alone - (square - decay) / (E["aa"] - E["a"])) / (1 - E["a"])
    return (
        start(
            "Square one step of the recursion and take the mean:",
            step()[2, 0],
            r"\mathbb{E}[h_{t+1}^2]",
        )
        .then("The mean of the state is the geometric sum", before, r"\mathbb{E}h_T")
        .then(
            "Sum over the steps, with a factor E a^2 for each later step:",
            E["bb"] * alone + 2 * E["ab"] * E["b"] * crossed,
        )
    )


def finite_holds() -> bool:
    """Prove ``finite_state`` by induction over steps, from zero at ``T = 0``."""
    E, form = EXPECTATIONS, finite_state().result
    before = E["b"] * (1 - Pow(E["a"], T)) / (1 - E["a"])
    after = step()[2, 0].subs({MOMENTS[2, 0]: form, MOMENTS[1, 0]: before})
    later = form.subs(T, T + 1)
    return simplify(form.subs(T, 0)) == 0 and simplify(later - after) == 0


FOURTH = 4  # the highest power of the state
PRODUCTS = {
    "a" * i + "b" * j: Symbol(f"E_{'a' * i}{'b' * j}", real=True)
    for order in range(1, FOURTH + 1)
    for i in range(order, -1, -1)
    for j in (order - i,)
}  # of powers of a and b up to the fourth
M = tuple(symbols("M_0:5", real=True))  # E h^n; the first is one


@cache
def power_step(order: int) -> Expr:
    """Return ``E h^n`` after a step, from moments of order up to ``n`` before it.

    Example:
        >>> power_step(2)
        E_aa*M_2 + 2*E_ab*M_1 + E_bb
    """
    terms = (
        binomial(order, i) * PRODUCTS["a" * i + "b" * (order - i)] * M[i]
        for i in range(order + 1)
    )
    return Add(*terms).subs(M[0], 1)


@cache
def power_transition() -> Matrix:
    """Return the matrix of a step on ``(1, E h, E h^2, E h^3, E h^4)``."""
    rows = [[Integer(1), *[Integer(0)] * FOURTH]]
    for order in range(1, FOURTH + 1):
        step = power_step(order)
        constant = step.subs(dict.fromkeys(M, 0))
        rows.append([constant, *(step.diff(symbol) for symbol in M[1:])])
    return Matrix(rows)


@cache
def power_limit(order: int) -> Derivation:
    """Derive the stationary ``E h^n`` from ``E h``, ..., ``E h^(n-1)``, for ``n`` up to four.

    Conditions: ``E |a|^n < 1`` and ``E |b|^n`` is finite.  The first condition is a tail
    index ``kappa > n``, where ``E |a|^kappa = 1``.  If ``E |a|^n >= 1``, the stationary
    moment is infinite, unless ``b`` is ``(1 - a) c`` for a constant ``c``.

    Source: Kesten (1973), Theorem 5, for the condition; the form is the binomial theorem.

    Example:
        >>> power_limit(1).result
        E_b/(1 - E_a)
    """
    own = PRODUCTS["a" * order]
    lower = power_step(order) - own * M[order]
    return start(
        f"Raise one step to the power {order} and take the mean:", power_step(order)
    ).then("In the limit, solve for the moment:", lower / (1 - own), r"\mathbb{E}h^2")


def power_limits_hold() -> bool:
    """Prove that a step does not change the four limits of ``power_limit``."""
    known: dict[Expr, Expr] = {}
    for order in range(1, FOURTH + 1):
        known[M[order]] = power_limit(order).result.subs(known)
        after = power_step(order).subs(known)
        if cancel(together(after - known[M[order]])) != 0:
            return False
    return True


@cache
def lag_limit() -> Derivation:
    """Derive ``E[h_t h_{t+n}]`` of a stationary state.

    The coefficients of later steps are independent of ``h_t``.  Each step therefore
    multiplies ``E[h_t h_{t+n}]`` by ``E a`` and adds ``E b`` times ``E h_t``.  At finite
    times the same holds with the moments at ``t``.

    Conditions: pairs ``(a, b)`` independent in time; ``E a^2 < 1`` for the limit;
    ``E a`` is not one.

    Example:
        >>> lag_limit().result.subs(EXPECTATIONS["b"], 0)
        E_a**n*M_20
    """
    E, first = EXPECTATIONS, MOMENTS[1, 0]
    decay = Pow(E["a"], n)
    return start(
        "One step later the product is, on average, with C the product before:",
        E["a"] * C + E["b"] * first,
    ).then(
        "From C = E h^2, sum over the steps:",
        decay * MOMENTS[2, 0] + E["b"] * first * (1 - decay) / (1 - E["a"]),
    )


def lag_holds() -> bool:
    """Prove ``lag_limit`` by induction over lags, from ``E h^2`` at lag zero."""
    form, E = lag_limit().result, EXPECTATIONS
    after = E["a"] * form + E["b"] * MOMENTS[1, 0]
    return (
        simplify(form.subs(n, 0) - MOMENTS[2, 0]) == 0
        and simplify(form.subs(n, n + 1) - after) == 0
    )


E_AA, E_BB = symbols("E_aa' E_bb'", real=True)  # of two neurons of one input
E_AB, E_BA = symbols("E_ab' E_ba'", real=True)
FIRST, OTHER = symbols("m m'", real=True)  # E h and E h'
BOTH = Symbol("C", real=True)  # E[h h']


@cache
def pair_limit() -> Derivation:
    """Derive ``E[h h']`` of two stationary neurons with the same inputs.

    Conditions: coefficients of both neurons independent in time; ``E a^2 < 1`` and
    ``E a'^2 < 1``, so that ``E[a a'] < 1``.

    Example:
        >>> pair_limit().result.subs({FIRST: 0, OTHER: 0})
        E_bb'/(1 - E_aa')
    """
    added = E_AB * FIRST + E_BA * OTHER + E_BB
    return start(
        "Multiply one step of both neurons and take the mean:", E_AA * BOTH + added
    ).then("In the limit, solve for the moment:", added / (1 - E_AA), r"\mathbb{E}h^2")


@cache
def input_gradient() -> Derivation:
    """Derive ``E (dh_t/dg)^2`` for a projection ``g`` of the input ``n`` steps ago.

    At the step of the input, ``dh/dg`` is ``c h + d``.  Here ``c`` and ``d`` are the
    derivatives of ``a`` and ``b`` by the projection, and ``h`` is the previous state, which
    is independent of them.  Each later step multiplies by an independent ``a``.  For several
    projections, the terms are summed with products of their rows of weights.

    Conditions: pairs ``(a, b)`` independent in time, with second moments of derivatives.

    Example:
        >>> input_gradient().result.subs({n: 0, EXPECTATIONS["cc"]: 0, EXPECTATIONS["cd"]: 0})
        E_dd
    """
    E = EXPECTATIONS
    fresh = E["cc"] * MOMENTS[2, 0] + 2 * E["cd"] * MOMENTS[1, 0] + E["dd"]
    return start("The square of c h + d is, on average,", fresh).then(
        "Every later step multiplies it by E a^2:", Pow(E["aa"], n) * fresh
    )
