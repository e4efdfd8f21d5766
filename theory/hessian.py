r"""The exact Hessian at optimality of a linear diagonal student, for any parametrisation.

Model: ``h_i`` filters the input by ``b_i lambda_i**n``, and the output is ``y = Re[sum_i
c_i h_i]``.  The loss is ``E[(y - y*)**2] / 2``, with a stationary input of autocovariance
``R``.  If the student equals the teacher, the error vanishes, and the Hessian consists of
products of first derivatives of the output (Gauss-Newton).

Complex parameters: a function of ``lambda`` is written in two independent symbols, ``lambda``
and its conjugate.  Derivatives are Wirtinger's, ``(d/d re -+ i d/d im) / 2``.  The chain rule
for a real parameter ``p`` is ``dL/dp = L_lambda dlambda/dp + L_conj dconj/dp``, without a
factor 1/2.  The real part in ``y`` then gives every complex second derivative a factor 1/4:

    L_{lambda_i lambda_j} = A_ij / 4,   L_{lambda_i conj_j} = B_ij / 4,

with ``A_ij = b_i b_j c_i c_j S(lambda_i, lambda_j)``, ``B_ij = b_i conj(b_j) c_i
conj(c_j) S(lambda_i, conj(lambda_j))`` and ``S`` the double sum of Lemma 2.

Source: Zucchet & Orvieto (2024), Appendix C.2, Eq. 113-155.
"""

import cmath
from collections.abc import Sequence
from functools import cache
from typing import Any

from sympy import (
    Expr,
    Function,
    I,
    Matrix,
    Mul,
    Rational,
    Symbol,
    diff,
    exp,
    expand,
    factor,
    fraction,
    lambdify,
    symbols,
)

from sigprop.theory.autocorrelation import double_sum, lemma_1, lemma_2
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import a, alpha, b, beta, rho

# A symbol ``x_bar`` is the conjugate of the complex symbol ``x``.
lambda_i, lambda_j, b_i, b_j, c_i, c_j = symbols("lambda_i lambda_j b_i b_j c_i c_j")
x_1, x_2, y_1, y_2 = symbols("x_1 x_2 y_1 y_2")  # eigenvalues of a dense matrix
S_ij, S_ibarj = symbols("S_ij S_ibarj")  # S(lambda_i, lambda_j), S(lambda_i, conj_j)
A_ij, B_ij = symbols("A_ij B_ij")  # the complex Hessian has a quarter of these
s_i, s_j = symbols("s_i s_j")  # one sample of dh_i/dlambda_i
e_y = Symbol("e_y", real=True)  # one sample of the output error

re_i, im_i, re_j, im_j = symbols("re_i im_i re_j im_j", real=True)
omega_nu, omega_theta = symbols("omega_nu omega_theta", real=True)
nu_i, nu_j, dnu_i, dnu_j = symbols("nu_i nu_j dnu_i dnu_j", real=True)
theta_i, theta_j = symbols("theta_i theta_j", real=True)
dtheta_i, dtheta_j = symbols("dtheta_i dtheta_j", real=True)
cross_i, cross_j = symbols("cross_i cross_j", real=True)  # dtheta/domega_nu


def bar(symbol: Symbol) -> Symbol:
    """Return the conjugate of a symbol, which is the symbol itself if it is real."""
    if symbol.is_real:
        return symbol
    name = symbol.name
    return Symbol(name.removesuffix("_bar") if name.endswith("_bar") else name + "_bar")


def conjugate(expr: Expr) -> Expr:
    """Return the complex conjugate of a form, by exchanging symbols with their conjugates.

    Example:
        >>> conjugate(I * lambda_i * nu_i)
        -I*lambda_i_bar*nu_i
    """
    swap: dict[Any, Any] = {symbol: bar(symbol) for symbol in expr.free_symbols}
    return expr.xreplace({**swap, I: -I})


def real_part(expr: Expr) -> Expr:
    """Return the real part, as half the sum of a form and its conjugate."""
    return (expr + conjugate(expr)) / 2


def imaginary_part(expr: Expr) -> Expr:
    """Return the imaginary part, as the difference from the conjugate over ``2 i``."""
    return (expr - conjugate(expr)) / (2 * I)


@cache
def pair(source: str | None = None) -> Derivation:
    """Derive ``S(alpha, beta) = sum n m alpha**(n-1) beta**(m-1) R(n-m)``.

    The input is one of ``sigprop.theory.autocorrelation.INPUTS``; ``None`` means any input.

    Source: Zucchet & Orvieto (2024), Eq. 132 and Lemma 2.

    Example:
        >>> pair("white").result
        (alpha*beta + 1)/(-alpha*beta + 1)**3
    """
    proof = start(
        "Differentiate Lemma 1 with respect to alpha and beta:",
        lemma_2().as_sum(),
        r"S(\alpha, \beta)",
    )
    if source is None:
        return proof
    if source == "mixed":
        white, correlated = (pair(part).result for part in ("white", "exponential"))
        return proof.then(
            "The moment is linear in R: add a times the white moment and b times the "
            "exponential one:",
            a * white + b * correlated,
            r"S(\alpha, \beta)",
        )
    closed = _positive(factor(diff(factor(lemma_1().on(source)), alpha, beta)))
    return proof.then(
        f"Sum over the lags of the {source} input:", closed, r"S(\alpha, \beta)"
    )


def _positive(quotient: Expr) -> Expr:
    """A quotient whose denominator has factors ``1 - x`` in place of ``x - 1``."""
    numerator, denominator = fraction(quotient)
    for part in Mul.make_args(denominator):
        base, power = part.as_base_exp()
        if base.subs(dict.fromkeys(base.free_symbols, 0)) == -1:
            denominator = denominator / part * (-base) ** power
            numerator = numerator * (-1) ** power
    return expand(numerator) / denominator


def pair_is_the_double_sum() -> bool:
    """Test that Lemma 2 gives the weights of the double sum, for every input."""
    direct = double_sum(lambda n, m: n * m * alpha ** (n - 1) * beta ** (m - 1))
    return direct.equals(lemma_2())


@cache
def tidy_pair() -> Expr:
    """Return ``S`` for ``R = rho**|Delta|``, with the terms ordered as in Eq. 134."""
    P = alpha * beta
    numerator = (
        (1 - rho**2) * (1 + P)
        + rho**2 * (1 - P) ** 3
        + rho * (1 - rho**2) * P * (rho * P * (1 + P) - 2 * alpha - 2 * beta)
    )
    denominator = (1 - P) ** 3 * (1 - rho * alpha) ** 2 * (1 - rho * beta) ** 2
    return numerator / denominator


def dense_pair() -> Derivation:
    """Derive ``sum_k D_k(x_1, x_2) D_k(y_1, y_2)`` with ``D_k(x, y) = (x^k - y^k) / (x - y)``.

    In the eigenbasis of ``A``, an entry ``E_pq`` of a change of ``A`` changes ``A^k`` by
    ``D_k(lambda_p, lambda_q)``.  It changes an eigenvalue if ``p = q``, and an eigenvector
    otherwise.  At ``x_1 = x_2`` and ``y_1 = y_2`` the sum is ``S`` of white inputs.

    Example:
        >>> dense_pair().result.subs({x_2: x_1, y_1: 0, y_2: 0})
        1
    """
    total = sum(
        sign / (1 - x * y)
        for sign, x, y in ((1, x_1, y_1), (-1, x_1, y_2), (-1, x_2, y_1), (1, x_2, y_2))
    )
    quotient = total / ((x_1 - x_2) * (y_1 - y_2))
    return start(
        "Divide four geometric series by two differences:",
        quotient,
        r"\sum_k D_k(x_1, x_2) D_k(y_1, y_2)",
    ).then("The differences cancel:", factor(quotient))


A_EXPR = b_i * b_j * c_i * c_j * S_ij
B_EXPR = b_i * bar(b_j) * c_i * bar(c_j) * S_ibarj


def output_derivative(unit: str = "i") -> Expr:
    """Return ``dy/dlambda``, which is half of ``c dh/dlambda``.

    In ``y = (c h + conj(c h)) / 2``, only the first term depends on ``lambda``.
    """
    c, s = (c_i, s_i) if unit == "i" else (c_j, s_j)
    h, lam = Function("h"), Symbol("lambda_" + unit)
    output = (c * h(lam) + bar(c) * Symbol("h_bar")) / 2
    return diff(output, lam).subs(diff(h(lam), lam), s)


def complex_entry(conjugated: bool) -> Derivation:
    """Derive ``L_{lambda_i lambda_j}`` or ``L_{lambda_i conj(lambda_j)}`` at optimality.

    Source: Zucchet & Orvieto (2024), Eq. 122-137, with a factor 1/4 that they omit.
    """
    left, right = output_derivative("i"), output_derivative("j")
    right = conjugate(right) if conjugated else right
    name, value = (B_ij, B_EXPR) if conjugated else (A_ij, A_EXPR)
    expected = value.subs({S_ij: s_i * s_j, S_ibarj: s_i * bar(s_j)})
    gains = b_i * (bar(b_j) if conjugated else b_j)
    if expand(left * right * gains - expected / 4) != 0:
        raise ArithmeticError("need a quarter of the product of the sensitivities")
    return (
        start(
            "Without an error this is the product of the output's derivatives:",
            left * right,
            r"\mathrm{d}^2L_t/\mathrm{d}\lambda_i\mathrm{d}\lambda_j",
        )
        .then(
            "Take the mean. The mean of dh_i/dlambda_i dh_j/dlambda_j is b_i b_j S:",
            value / 4,
            r"\mathrm{d}^2L/\mathrm{d}\lambda_i\mathrm{d}\lambda_j",
        )
        .then("In the letters of Eq. 138 this is", name / 4)
    )


def complex_block() -> Matrix:
    """Return the 2 x 2 block of units i and j, with the rows ``lambda_i, conj_i``.

    The matrix of all blocks is symmetric but not Hermitian; see ``hermitian_defect``.
    """
    same, mixed = (complex_entry(flag).result for flag in (False, True))
    return Matrix([[same, mixed], [conjugate(mixed), conjugate(same)]])


def hermitian_defect() -> Matrix:
    """Return the complex Hessian of one unit minus its adjoint.

    It is zero if and only if ``A`` is real, because ``B_ii`` is real.
    """
    real = Symbol("B_ii", real=True)
    block = complex_block().subs({B_ij: real, bar(B_ij): real})
    return (block - block.T.applyfunc(conjugate)).applyfunc(expand)


def jacobian(derivatives: Sequence[Expr]) -> Matrix:
    """Return the derivatives of ``lambda`` and its conjugate (rows) by real parameters."""
    return Matrix(
        [list(derivatives), [conjugate(derivative) for derivative in derivatives]]
    )


CARTESIAN = (Rational(1), I)
"""Derivatives of ``re + i im``."""


def polar(unit: str = "i", coupled: bool = False) -> tuple[Expr, Expr]:
    """Return the derivatives of ``nu(omega_nu) exp(i theta(omega_theta))``.

    If ``coupled`` is true, the phase also depends on the first parameter, as in Eq. 107 with
    ``theta = omega_theta f(nu(omega_nu))``.
    """
    nu, theta = Function("nu", real=True), Function("theta", real=True)
    arguments = (omega_nu, omega_theta) if coupled else (omega_theta,)
    eigenvalue = nu(omega_nu) * exp(I * theta(*arguments))
    names = (nu_i, dnu_i, theta_i, dtheta_i, cross_i)
    if unit == "j":
        names = (nu_j, dnu_j, theta_j, dtheta_j, cross_j)
    meaning = (
        (diff(nu(omega_nu), omega_nu), names[1]),
        (diff(theta(*arguments), omega_theta), names[3]),
        (diff(theta(*arguments), omega_nu), names[4]),
        (nu(omega_nu), names[0]),
        (theta(*arguments), names[2]),
    )
    first, second = (
        diff(eigenvalue, omega).subs(list(meaning)) for omega in (omega_nu, omega_theta)
    )
    return first, second


def real_block(
    first: Sequence[Expr], second: Sequence[Expr], block: Matrix | None = None
) -> Matrix:
    """Return the real Hessian ``J_i^T H J_j`` of parameters of unit i (rows) and j.

    It is exact at optimality, where second derivatives of the parametrisation have no
    effect.

    Conditions: the student equals the teacher; the parametrisation is smooth.

    Source: Zucchet & Orvieto (2024), Eq. 140-155, in general.

    Example:
        >>> real_block(CARTESIAN, CARTESIAN)[0, 0]
        A_ij/4 + A_ij_bar/4 + B_ij/4 + B_ij_bar/4
    """
    block = complex_block() if block is None else block
    return (jacobian(first).T * block * jacobian(second)).applyfunc(expand)


def as_parts(first: Expr, second: Expr) -> Expr:
    """Return an entry of a real Hessian as ``Re[A p q + B p conj(q)] / 2``."""
    return real_part(A_ij * first * second + B_ij * first * conjugate(second)) / 2


def entry(first: Expr, second: Expr) -> Derivation:
    """Derive an entry of a real Hessian from the derivatives of lambda by its parameters."""
    (value,) = real_block((first,), (second,))
    proof = start(
        "Apply the chain rule to the left and the right of the complex block:",
        value,
        r"J_i^\top H_{ij} J_j",
    )
    closed = as_parts(first, second)
    if expand(value - closed) != 0:
        raise ArithmeticError("need J_i^T H J_j to be the real part")
    return proof.then(
        "Collect the terms into real parts:", closed, r"J_i^\top H_{ij} J_j"
    )


def trace(derivatives: Sequence[Expr]) -> Expr:
    """Return the trace of one unit's block, where ``A_ij`` and ``B_ij`` have ``j = i``."""
    return expand(real_block(derivatives, derivatives).trace())


def one_unit(expr: Expr) -> Expr:
    """Return a form at ``i = j``, where ``B`` is real."""
    return expr.subs(bar(B_ij), B_ij)


@cache
def _pair_function() -> Any:
    return lambdify((alpha, beta, a, b, rho), pair("mixed").result, modules="math")


def similarity(first: complex, second: complex, **source: float) -> complex:
    """Compute ``S(first, second)`` in double precision for an input ``a``, ``b``, ``rho``."""
    parameters = {"a": 0.0, "b": 1.0, "rho": 0.0, **source}
    order = (parameters["a"], parameters["b"], parameters["rho"])
    return complex(_pair_function()(complex(first), complex(second), *order))


def evidence_point(**point: Any) -> dict[str, Any]:
    """Return a point of evidence for two units and an input, with ``S``, ``A`` and ``B``."""
    first, second = complex(point["lambda_i"]), complex(point["lambda_j"])
    source = {name: point[name] for name in ("a", "b", "rho") if name in point}
    plain = similarity(first, second, **source)
    mixed = similarity(first, second.conjugate(), **source)
    gain_i = complex(point["b_i"]) * complex(point["c_i"])
    gain_j = complex(point["b_j"]) * complex(point["c_j"])
    return {
        **point,
        "S_ij": plain,
        "S_ibarj": mixed,
        "A_ij": gain_i * gain_j * plain,
        "B_ij": gain_i * gain_j.conjugate() * mixed,
    }


def block_value(
    first: Sequence[Expr], second: Sequence[Expr], at: dict[str, Any]
) -> list[list[complex]]:
    """Compute ``real_block`` in double precision at a point that sets its symbols."""
    block = real_block(first, second)
    names: Any = sorted(block.free_symbols, key=str)
    values = [_value(name.name, at) for name in names]
    function = lambdify(names, block.tolist(), modules=[{"exp": cmath.exp}, "math"])
    return [[complex(entry_) for entry_ in row] for row in function(*values)]


def _value(name: str, point: dict[str, Any]) -> complex:
    if name in point or not name.endswith("_bar"):
        return complex(point[name])
    return complex(point[name.removesuffix("_bar")]).conjugate()


def whole_complex(at: dict[str, Any]) -> list[list[complex]]:
    """Compute second derivatives by ``lambda_i, conj_i, lambda_j, conj_j`` in closed form."""
    rows: list[list[complex]] = []
    for p in "ij":
        upper: list[complex] = []
        lower: list[complex] = []
        for q in "ij":
            two = {f"{n}_i": at[f"{n}_{p}"] for n in ("lambda", "b", "c")}
            two |= {f"{n}_j": at[f"{n}_{q}"] for n in ("lambda", "b", "c")}
            placed = evidence_point(**{**at, **two})
            same, mixed = placed["A_ij"] / 4, placed["B_ij"] / 4
            upper += [same, mixed]
            lower += [mixed.conjugate(), same.conjugate()]
        rows += [upper, lower]
    return rows
