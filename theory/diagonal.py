"""Moments of the diagonal recurrence ``h_{t+1} = lam h_t + x_{t+1}``.

The moments are of the state, its sensitivity ``dh/dlam`` and the backpropagated error.  They
hold for real and complex ``lam`` and any autocovariance of the input.  The number ``T`` of
inputs from the zero state is finite, or infinite in the stationary limit.

Source: Zucchet & Orvieto (2024), Eq. 5-7 and Appendix B.2, Eq. 42-61.
"""

from functools import cache

from sympy import Expr, Function, S, diff, factor, oo, rsolve, simplify

from sigprop.theory.autocorrelation import LagFunctional, double_sum, lemma_1, lemma_2
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import (
    T,
    a,
    alpha,
    b,
    beta,
    chi,
    k,
    lam,
    lam_bar,
    n,
    p,
    q,
    r,
    rho,
    tau,
    w,
)

QUANTITIES = ("state", "sensitivity")


@cache
def state_kernel() -> Derivation:
    """Derive the weight in ``h`` of the input ``n`` steps ago, by solving the recurrence.

    Source: Zucchet & Orvieto (2024), Eq. 42.

    Example:
        >>> state_kernel().result
        lambda**n
    """
    kernel = Function("k")
    recursion = kernel(n + 1) - lam * kernel(n)
    return start(
        "With k(0) = 1, the state's impulse response k(n) sets this expression to "
        "zero:",
        recursion,
        "0",
    ).then("The solution is", rsolve(recursion, kernel(n), {kernel(0): 1}), "k(n)")


@cache
def sensitivity_kernel() -> Derivation:
    """Derive the weight in ``dh/dlam`` of the input ``n`` steps ago.

    Source: Zucchet & Orvieto (2024), Eq. 49-53.

    Example:
        >>> sensitivity_kernel().result
        lambda**(n - 1)*n
    """
    kernel = Function("k")
    recursion = kernel(n + 1) - lam * kernel(n) - state_kernel().result
    return start(
        "Differentiating h_{t+1} = lam h_t + x_{t+1} gives s_{t+1} = lam s_t + h_t. "
        "With k(0) = 0, the impulse response k(n) of s sets this expression to zero:",
        recursion,
        "0",
    ).then("The solution is", rsolve(recursion, kernel(n), {kernel(0): 0}), "k(n)")


MOMENTS = {
    "state": r"\mathbb{E}|h|^2",
    "sensitivity": r"\mathbb{E}\left|\frac{\mathrm{d}h}{\mathrm{d}\lambda}\right|^2",
}


def _pair(kernel: Expr, horizon: Expr) -> LagFunctional:
    """The quadratic form of one kernel at two unrelated eigenvalues.

    Factored where that does not explode: at finite times SymPy's search for factors, at
    points of chance, takes four seconds, or more than ten minutes.
    """
    return double_sum(
        lambda i, j: (
            kernel.subs({lam: alpha, n: i}, simultaneous=True)
            * kernel.subs({lam: beta, n: j}, simultaneous=True)
        ),
        horizon,
        tidy=horizon == oo,
    )


def conjugate_pair(expr: Expr) -> Expr:
    """Substitute ``alpha = lam`` and ``beta = lam_bar``."""
    return expr.subs({alpha: lam, beta: lam_bar}, simultaneous=True)


@cache
def functional(quantity: str, horizon: Expr = oo) -> LagFunctional:
    """Return the lag weights of ``E|h|^2`` or ``E|dh/dlam|^2`` for any autocovariance.

    Raises:
        ValueError: If ``quantity`` is not one of ``QUANTITIES``.
    """
    if quantity == "state":
        weights = lemma_1(horizon)
    elif quantity == "sensitivity":
        weights = lemma_2(horizon)
    else:
        raise ValueError(f"need a quantity in {QUANTITIES}, got {quantity!r}")
    return weights.map(conjugate_pair)


@cache
def moment(quantity: str, source: str | None = None, horizon: Expr = oo) -> Derivation:
    r"""Derive a second moment for one of ``INPUTS``, or for any ``R`` if it is ``None``.

    Conditions: ``|lam| < 1`` when ``horizon`` is infinite.

    Source: Zucchet & Orvieto (2024), Eq. 45, 48, 57, 59; finite ``T`` is ours.

    Example:
        >>> moment("state", "constant").result
        1/((\bar{\lambda} - 1)*(lambda - 1))
    """
    kernel = state_kernel() if quantity == "state" else sensitivity_kernel()
    weights = functional(quantity, horizon)
    proof = Derivation(kernel.steps)
    pair = lemma_1(horizon)
    proof = proof.then(
        "By Lemma 1 the second moment, with alpha^n and beta^n for lam^n and "
        "conj(lam)^n, is",
        pair.as_sum(),
        r"\sum_{n,m} \alpha^n \beta^m R(n-m)",
    )
    if quantity == "sensitivity":
        proof = proof.then(
            "The sensitivity's impulse response is d/dlam of the state's. So, by "
            "Lemma 2, differentiate with respect to alpha and beta:",
            lemma_2(horizon).as_sum(),
            r"\sum_{n,m} nm\alpha^{n-1} \beta^{m-1} R(n-m)",
        )
    left = MOMENTS[quantity]
    proof = proof.then(
        "At alpha = lam and beta = conj(lam) this is", weights.as_sum(), left
    )
    if source is None:
        return proof
    if source == "mixed":
        white, correlated = (
            moment(quantity, part, horizon).result for part in ("white", "exponential")
        )
        return proof.then(
            "The moment is linear in R: add a times the white moment and b times the "
            "exponential one:",
            a * white + b * correlated,
            left,
        )
    if quantity == "state":
        closed = conjugate_pair(factor(pair.on(source)))
    else:
        closed = conjugate_pair(_mixed_derivative(pair.on(source), horizon))
    return proof.then(f"Sum over the lags of the {source} input:", closed, left)


def _mixed_derivative(expr: Expr, horizon: Expr) -> Expr:
    """``d/dalpha d/dbeta``; factored only where factoring does not explode."""
    if horizon == oo:
        return factor(diff(factor(expr), alpha, beta))
    return diff(expr, alpha, beta)


@cache
def direct_functional(quantity: str, horizon: Expr = oo) -> LagFunctional:
    """Return the lag weights of a second moment, from the double sum over its kernel."""
    kernel = state_kernel() if quantity == "state" else sensitivity_kernel()
    return _pair(kernel.result, horizon).map(conjugate_pair)


def backward_kernel() -> Derivation:
    """Derive the weight in ``dL/dx_t`` of the error ``n`` steps later.

    Source: Zucchet & Orvieto (2024), Eq. 7: the same recurrence in reversed time.
    """
    kernel = Function("k")
    recursion = kernel(n + 1) - lam * kernel(n)
    return start(
        "As dL/dx_t = lam dL/dx_{t+1} + dL_t/dh_t, the weight k(n) of an error n "
        "steps ahead has k(0) = 1 and sets this expression to zero:",
        recursion,
        "0",
    ).then("The solution is", rsolve(recursion, kernel(n), {kernel(0): 1}), "k(n)")


def stable_state() -> Expr:
    """Return ``E|h|^2`` for ``R = rho**|Delta|`` as products and sums of positive terms.

    Symbols: ``w = 1/(1-|lam|^2)``, ``z = rho lam``, ``q = |z|`` and
    ``p = w (1-q)/|1-z|^2``.  ``rho = 0`` is white noise, ``rho = 1`` constant input.
    """
    return (1 + q) * p


def stable_sensitivity() -> Expr:
    """Return ``E|dh/dlam|^2`` for ``R = rho**|Delta|`` as a form without subtractions.

    It has the symbols of ``stable_state`` and ``r = |lam|``, ``k = w (1-q)``,
    ``chi = 1 - (1-q)^2/|1-z|^2`` and ``tau = (1-rho^2)/(1-q)``.  In the textbook form two
    terms nearly cancel; here ``(1+r^2)(1-q^2) - (1-r^2)(1+q^2) = 2 r^2 (1-rho^2)`` combines
    them.  Products of the symbols are of the size of the moment, so that single precision
    does not overflow.
    """
    return p**2 * ((1 + r**2) * (1 + q) * k + 2 * q) + 2 * r**2 * tau * chi * w**2 * p


def stable_meaning(sign: int) -> dict[Expr, Expr]:
    """Return the stable symbols as expressions in ``lam``, for a given sign of ``rho``."""
    square = lam * lam_bar
    modulus = square**S.Half
    size = sign * rho * modulus
    flat = (1 - rho * lam) * (1 - rho * lam_bar) / (1 - size) ** 2
    return {
        w: 1 / (1 - square),
        r: modulus,
        q: size,
        k: (1 - size) / (1 - square),
        p: 1 / ((1 - size) * (1 - square) * flat),
        chi: 1 - 1 / flat,
        tau: (1 - rho**2) / (1 - size),
    }


def stable_is_exact(quantity: str, sign: int) -> bool:
    """Prove that a stable form equals the derived form, for a given sign of ``rho``."""
    stable = stable_state() if quantity == "state" else stable_sensitivity()
    derived = moment(quantity, "exponential").result
    difference = stable.subs(stable_meaning(sign), simultaneous=True) - derived
    return simplify(difference) == 0


def remainder_factor(quantity: str) -> Expr:
    """Return the relative energy of a kernel beyond ``T`` steps, for white inputs.

    It is ``r^{2T}`` for the state, and the tail of ``sum n^2 r^{2(n-1)}`` divided by the
    total for the sensitivity.  It is used to choose the length of simulations.
    """
    full = functional(quantity).zero
    part = functional(quantity, T).zero
    return simplify((1 - part / full).subs({lam: r, lam_bar: r}, simultaneous=True))
