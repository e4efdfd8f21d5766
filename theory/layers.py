r"""Second moments of whole layers: many eigenvalues, many channels, both directions.

In the eigenbasis a linear layer is a sum of scalar recurrences, one an eigenvalue.  The
products of two of them are the double sums of Lemma 1, and their derivatives by the
eigenvalues those of Lemma 2.  Everything here holds at a finite number ``T`` of inputs
from the zero state.

Notation: ``alpha``, ``beta``  eigenvalues of the two neurons;  ``Delta``  lag, zero too.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2; finite ``T``, channels and the second
direction are ours.
"""

from functools import cache

from sympy import Dummy, Expr, Integer, Pow, factor, powsimp

from theory.autocorrelation import geometric_sum
from theory.derivation import Derivation, start
from theory.symbols import Delta, T, alpha, beta, n, rho


@cache
def pair_weight() -> Derivation:
    """Weight of ``R(Delta)`` in ``E[h g]``, the first neuron's input being the older.

    ``h`` and ``g`` obey ``h_{t+1} = alpha h_t + x_{t+1}`` and the same with ``beta``.
    The lag on the other side weighs the same with ``alpha`` and ``beta`` swapped.

    Example:
        >>> pair_weight().result.subs({T: 2, Delta: 1})
        alpha
    """
    k = Dummy("k", integer=True, nonnegative=True)
    term = Pow(alpha, k + Delta) * Pow(beta, k)
    total = geometric_sum(term, k, Integer(0), T - 1 - Delta)
    return start(
        "two inputs Delta apart, the newer one k steps old, enter with the product",
        term,
    ).then("summed over the ages that T inputs allow", factor(powsimp(total)))


@cache
def present_sum() -> Derivation:
    """``E[h_T x_T]`` under ``R = rho**|Delta|``: a state against the newest input."""
    term = Pow(rho * alpha, n)
    return start("an input n steps old enters with alpha**n rho**n,", term).then(
        "summed over the ages that T inputs allow",
        factor(geometric_sum(term, n, Integer(0), T - 1)),
    )


def meeting(forward: Expr, backward: Expr) -> Expr:
    """``E[h g]`` of the two directions under ``R = rho**|Delta|``, from ``E[h x]`` each.

    An input ``n`` steps before and one ``m`` steps after are ``n + m`` apart, and
    ``rho**(n + m)`` is a product: the directions meet in the present input alone.
    """
    return forward * backward


def swapped(weight: Expr) -> Expr:
    """The weight of the lag on the other side."""
    return weight.subs({alpha: beta, beta: alpha}, simultaneous=True)
