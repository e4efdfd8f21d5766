"""Gates that read the input alone: coefficients of ``h' = a h + b`` and their derivatives.

Each gate is two expressions in a few projections of the input, which are Gaussian if the
input is: those in which it is nonlinear, and those in which it is linear.  The derivative
by a weight is the derivative by its projection times an input; the derivative by a bias
is that by the projection.

Notation: ``r``, ``i``  what enters a recurrence and an input gate;  ``k``, ``v``  a key and
a value;  ``x``  the input that enters the state;  ``Lambda``, ``A``  parameters of a neuron.
"""

from functools import cache
from typing import NamedTuple

from sympy import Expr, Integer, Symbol, exp, log, sqrt, symbols
from sympy.codegen.cfunctions import expm1

r, i, k, v, x = symbols("r i k v x", real=True)
Lambda = Symbol("Lambda", real=True)
A = Symbol("A", real=True)  # log of a rate
CLOSING = 8  # the constant c of the RG-LRU
TEMPERING = 16  # the root that GLA takes of its gate


class Gate(NamedTuple):
    """The coefficients of one neuron.

    Attributes:
        a: What multiplies the state.
        b: What is added.
        lost: ``1 - a`` without a difference, accurate for ``a`` close to one.
        bent: Projections of the input in which they are not polynomials.
        straight: Projections in which ``a`` is constant and ``b`` linear.
        own: Parameters that multiply no input.
    """

    a: Expr
    b: Expr
    lost: Expr
    bent: tuple[Symbol, ...]
    straight: tuple[Symbol, ...]
    own: tuple[Symbol, ...] = ()

    @property
    def projections(self) -> tuple[Symbol, ...]:
        """Bent ones first."""
        return self.bent + self.straight


def sigmoid(z: Expr) -> Expr:
    """``1 / (1 + exp(-z))``."""
    return 1 / (1 + exp(-z))


def softplus(z: Expr) -> Expr:
    """``log(1 + exp(z))``."""
    return log(1 + exp(z))


def _rglru() -> Gate:
    log_a = -CLOSING * softplus(Lambda) * sigmoid(r)
    gain = sqrt(-expm1(2 * log_a))  # sqrt(1 - a^2), accurate for a close to one
    b = gain * sigmoid(i) * x
    return Gate(exp(log_a), b, -expm1(log_a), (r, i), (x,), (Lambda,))


def _selective() -> Gate:
    step = softplus(r)
    log_a = -exp(A) * step
    return Gate(exp(log_a), step * k * x, -expm1(log_a), (r,), (k, x), (A,))


def _gla() -> Gate:
    a = sigmoid(r) ** (Integer(1) / TEMPERING)
    return Gate(a, k * v, -expm1(-softplus(-r) / TEMPERING), (r,), (k, v))


GATES: dict[str, Gate] = {
    # De et al. (2024), Griffin, Eq. 1-4
    "rglru": _rglru(),
    # Feng et al. (2024), Were RNNs all we needed, Section 3.1
    "mingru": Gate(sigmoid(-r), sigmoid(r) * v, sigmoid(r), (r,), (v,)),
    # Gu & Dao (2023), Mamba, Algorithm 2, with the input entering by an Euler step
    "selective": _selective(),
    # Yang et al. (2024), Gated linear attention, Section 4
    "gla": _gla(),
    # Zucchet & Orvieto (2024), Eq. 157-158, without the state in the gate
    "gate-unit": Gate(sigmoid(r), sigmoid(-r) * x, sigmoid(-r), (r,), (x,)),
}


@cache
def derivatives(name: str) -> dict[Symbol, tuple[Expr, Expr]]:
    """The derivatives ``c`` and ``d`` of ``a`` and ``b``, by what they are taken by.

    Example:
        >>> derivatives("mingru")[v]
        (0, 1/(1 + exp(-r)))
    """
    gate = GATES[name]
    return {
        by: (gate.a.diff(by), gate.b.diff(by)) for by in gate.projections + gate.own
    }


def is_linear(name: str) -> bool:
    """Prove that ``a`` is constant and ``b`` of degree one at most in what is straight."""
    gate = GATES[name]
    return all(
        gate.a.diff(variable) == 0 and gate.b.diff(variable, 2) == 0
        for variable in gate.straight
    )
