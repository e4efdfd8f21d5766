"""The simplified gated unit with constant gates: moments of ``h`` and of ``dh/db_f``.

The unit is ``h_t = lam h_{t-1} + (1 - lam) x_t`` with ``lam = sigmoid(b_f)``.  The factor
``1 - lam`` on the input also depends on ``lam``, which changes the sensitivity.

Source: Zucchet & Orvieto (2024), Appendix D.3, Eq. 157-161.
"""

from functools import cache

from sympy import (
    Expr,
    Function,
    Symbol,
    diff,
    exp,
    factor,
    log,
    oo,
    rsolve,
    simplify,
    solve,
)

from sigprop.theory.autocorrelation import LagFunctional, double_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.diagonal import moment as moment_of_state
from sigprop.theory.symbols import Delta, a, alpha, b, beta, lam, lam_bar, n

b_f = Symbol("b_f", real=True)  # bias of the forget gate
tau = Symbol("tau", positive=True)  # T of the gates' initialisation, b_f = log T


@cache
def kernel() -> Derivation:
    """Derive the weight in the state of the input ``n`` steps ago.

    Source: Zucchet & Orvieto (2024), Eq. 158.

    Example:
        >>> kernel().result.subs(n, 0)
        1 - lambda
    """
    k = Function("k")
    recursion = k(n + 1) - lam * k(n)
    solved = rsolve(recursion, k(n), {k(0): 1 - lam})
    return start(
        "A unit input has the weight k(0) = 1 - lam. Its later weights k(n) set this "
        "expression to zero:",
        recursion,
        "0",
    ).then("The solution is", factor(solved), "k(n)")


def _sum(weight: Expr) -> LagFunctional:
    """The double sum of a kernel at ``alpha`` and the same at ``beta``."""
    return double_sum(
        lambda i, j: (
            weight.subs({lam: alpha, n: i}, simultaneous=True)
            * weight.subs({lam: beta, n: j}, simultaneous=True)
        )
    )


@cache
def pair() -> LagFunctional:
    """Return ``sum k_n(alpha) k_m(beta) R(n - m)``, the ``f`` of Eq. 159."""
    return _sum(kernel().result)


def printed_pair() -> LagFunctional:
    """Return Eq. 159 as printed.

    Example:
        >>> printed_pair().equals(pair())
        True
    """
    front = (1 - alpha) * (1 - beta) / (1 - alpha * beta)
    return LagFunctional(front, front * (alpha**Delta + beta**Delta), oo)


def _equal(expr: Expr) -> Expr:
    return expr.subs({alpha: lam, beta: lam}, simultaneous=True)


@cache
def state() -> LagFunctional:
    """Return ``E[h^2]`` for any autocovariance, from the kernel."""
    return pair().map(_equal)


@cache
def sensitivity() -> LagFunctional:
    """Return ``E[(dh/dlam)^2]`` for any autocovariance, from the derivative of the kernel."""
    return _sum(diff(kernel().result, lam)).map(_equal)


def printed_state() -> LagFunctional:
    """Return Eq. 160 as printed."""
    return printed_pair().map(_equal)


def printed_sensitivity() -> LagFunctional:
    """Return Eq. 161 as printed, the mixed derivative of Eq. 159."""
    return printed_pair().map(lambda weight: _equal(diff(weight, alpha, beta)))


def on_embeddings(weights: LagFunctional, reason: str) -> Derivation:
    """Evaluate a functional for ``R = a [Delta = 0] + b rho**|Delta|``."""
    return kernel().then(reason, factor(weights.on("mixed")))


def gate() -> Expr:
    """Return ``lam`` as a function of the bias.  Source: Eq. 157 without inputs."""
    return 1 / (1 + exp(-b_f))


def gate_derivative() -> Derivation:
    """Derive ``(dlam/db_f)^2`` in terms of ``lam``, the factor from Eq. 161 to the bias."""
    derivative = diff(gate(), b_f)
    bias = solve(gate() - lam, b_f)[0]
    return start(
        "The derivative of the gate with respect to its bias is",
        derivative,
        r"\mathrm{d}\lambda/\mathrm{d}b_f",
    ).then(
        "Take the square, at the bias of a given gate:",
        factor(simplify(derivative.subs(b_f, bias)) ** 2),
        r"(\mathrm{d}\lambda/\mathrm{d}b_f)^2",
    )


def bias_sensitivity() -> Derivation:
    """Derive ``E[(dh/db_f)^2]`` for the input of Fig. 12, by the chain rule."""
    inner = factor(sensitivity().on("mixed"))
    return gate_derivative().then(
        "Multiply by E[(dh/dlam)^2]:", inner * gate_derivative().result
    )


def gate_at_time() -> Derivation:
    """Derive the gate at zero input for a bias ``log T``.  Source: Eq. 31 and Figure 15."""
    return start("The gate is", gate(), "f").then(
        "At b_f = log T this is", factor(simplify(gate().subs(b_f, log(tau))))
    )


def white_share() -> Expr:
    """Return ``E[h^2]`` for white noise of unit variance, which vanishes as ``lam -> 1``."""
    return factor(_equal(pair().zero))


def prediction_loss(prediction: list[float], target: list[float]) -> float:
    """Compute half the squared error of a predicted token.

    Source: Zucchet & Orvieto (2024), Eq. 156.

    Example:
        >>> prediction_loss([1.0, 0.0], [0.0, 2.0])
        2.5
    """
    return sum((p - x) ** 2 for p, x in zip(prediction, target, strict=True)) / 2


def over_white() -> Expr:
    """Return ``E[h^2]`` for the input of Fig. 12, relative to white noise.

    The inputs are not normalised, and both have the same variance.
    """
    moment = moment_of_state("state", "mixed").result
    return factor(moment.subs(lam_bar, lam) * (1 - lam**2) / (a + b))


def bert_parameters(hidden: float) -> float:
    """Compute the number of parameters of BERT base as a function of its width.

    It counts the embeddings, 12 layers with MLPs of four times the width, and the pooler.

    Source: Devlin et al. (2019); vocabulary of the uncased model.

    Example:
        >>> bert_parameters(768)
        109482240
    """
    embeddings = (30_522 + 512 + 2 + 2) * hidden
    layer = 12 * hidden**2 + 13 * hidden
    return embeddings + 12 * layer + hidden**2 + hidden


def bert_width() -> int:
    """Return the width at which BERT base has its 109 482 240 parameters."""
    return next(h for h in range(1, 2000) if bert_parameters(h) >= 109_482_240)
