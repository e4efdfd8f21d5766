"""Second moments of the state of the delta rule, and of its derivatives.

A row of the state obeys ``h' = A h + beta v k`` with ``A = alpha (I - beta k k^T)``.  Its
derivative by a parameter obeys ``s' = A s + c h + d k`` with ``c = c_0 I + c_2 k k^T``.  The
second moments of ``(h, s)`` are matrices with a row and a column per key entry.  A step acts
on them linearly, with expectations of gates times up to four entries of a key.

Source: ours, for the rule of Yang et al. (2024) and Yang, Kautz & Hatamizadeh (2025).
"""

from functools import cache

from sympy import Expr, Matrix, Symbol, expand, eye, simplify, sqrt, symbols, zeros

from sigprop.theory.derivation import Derivation, start

alpha, beta, c_0, c_2, d, v = symbols("alpha beta c_0 c_2 d v", real=True)
K = Symbol("K", integer=True, positive=True)  # entries of a key
E_beta, E_betabeta = symbols("E_beta E_betabeta", positive=True)
E_alphaalpha, E_vv = symbols("E_alphaalpha E_vv", positive=True)


def _key(size: int) -> Matrix:
    return Matrix(symbols(f"k_1:{size + 1}", real=True))


def sandwich_holds(size: int = 2) -> bool:
    """Prove ``A X c = a0 c0 X + a2 c0 k k^T X + a0 c2 X k k^T + a2 c2 (k^T X k) k k^T``."""
    k, X = _key(size), Matrix(size, size, symbols(f"X_1:{size * size + 1}"))
    a_0, a_2, kk = alpha, -alpha * beta, k * k.T
    left = (a_0 * eye(size) + a_2 * kk) * X * (c_0 * eye(size) + c_2 * kk)
    right = a_0 * c_0 * X + a_2 * c_0 * kk * X + a_0 * c_2 * X * kk
    right += a_2 * c_2 * (k.T * X * k)[0] * kk
    return (left - right).applyfunc(expand) == zeros(size)


def step_holds(size: int = 2) -> bool:
    """Prove the formula for ``s s^T`` after a step from the products before it."""
    k = _key(size)
    h, s = (Matrix(symbols(f"{name}_1:{size + 1}", real=True)) for name in "hs")
    A = alpha * (eye(size) - beta * k * k.T)
    c = c_0 * eye(size) + c_2 * k * k.T
    after = A * s + c * h + d * v * k
    pure = A * s * s.T * A + c * h * h.T * c + d**2 * v**2 * k * k.T
    mixed = A * s * h.T * c + (A * s + c * h) * d * v * k.T
    return (after * after.T - pure - mixed - mixed.T).applyfunc(expand) == zeros(size)


@cache
def isotropic() -> Derivation:
    """Derive the limit of ``E|S|^2`` for isotropic keys.

    Conditions: gates, the direction of the key, and a value of mean zero are independent,
    and the key has length one.

    Example:
        >>> isotropic().result.subs({E_alphaalpha: 1, K: 1, E_beta: 1, E_betabeta: 1})
        E_vv
    """
    faded = 1 - (2 * E_beta - E_betabeta) / K
    grown: Expr = E_betabeta * E_vv / (1 - E_alphaalpha * faded)
    return (
        start(
            "along the key 1 - beta is left, across it all: of |h|^2 on average", faded
        )
        .then("of |S|^2 a step leaves", E_alphaalpha * faded)
        .then("and adds E beta^2 E|v|^2, in the limit as much as it takes", grown)
    )


def key_derivative_holds(size: int = 2) -> bool:
    """Prove the derivatives of ``A`` by a key, for keys divided by their length.

    The derivative of ``k = x/ell``, ``ell^2 = x^T x + tiny``, by the entry ``a`` of ``x`` is
    ``k' = (e_a - k_a k)/ell``.  The derivative of ``A`` is
    ``c = -alpha beta (k' k^T + k k'^T)``.
    """
    tiny = Symbol("tiny", positive=True)
    x = Matrix(symbols(f"x_1:{size + 1}", real=True))
    length = sqrt(x.dot(x) + tiny)
    k = x / length
    A = alpha * (eye(size) - beta * k * k.T)
    for a in range(size):
        moved = (eye(size)[:, a] - k[a] * k) / length
        c = -alpha * beta * (moved * k.T + k * moved.T)
        residuals = [*(k.diff(x[a]) - moved), *(A.diff(x[a]) - c)]
        if any(simplify(residual) != 0 for residual in residuals):
            return False
    return True
