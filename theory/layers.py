"""Second moments of whole layers: what two eigenvalues have in common.

In the eigenbasis a linear layer is a sum of scalar recurrences, one an eigenvalue.  The
products of two of them are the double sums of Lemma 1, and their derivatives by the
eigenvalues those of Lemma 2, here at a finite number ``T`` of inputs from the zero state
and with the two sides of a lag apart.

Notation: ``alpha``, ``beta``  eigenvalues of the two neurons;  ``Delta``  lag, zero too.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2; finite ``T`` is ours.
"""

from functools import cache

from sympy import Dummy, Integer, Pow, factor, powsimp

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import Delta, T, alpha, beta


@cache
def pair_weight() -> Derivation:
    """Weight of ``R(Delta)`` in ``E[h g]``, the first neuron's input being the older.

    ``h`` and ``g`` obey ``h_{t+1} = alpha h_t + x_{t+1}`` and the same with ``beta``.
    The lag on the other side weighs the same with ``alpha`` and ``beta`` swapped.

    Conditions: ``alpha beta != 1``.

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
