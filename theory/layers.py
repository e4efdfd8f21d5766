"""Second moments of layers: products of two neurons with different eigenvalues.

In the eigenbasis a linear layer is a sum of scalar recurrences, one per eigenvalue.  The mean
product of two of them is the double sum of Lemma 1, and its derivatives by the eigenvalues
are those of Lemma 2.  Here the number ``T`` of inputs from the zero state is finite, and
positive and negative lags are separate.

Notation: ``alpha``, ``beta``  eigenvalues of the two neurons;  ``Delta``  lag, at least zero.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2; finite ``T`` is ours.
"""

from functools import cache

from sympy import Dummy, Integer, Pow, factor, powsimp

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.symbols import Delta, T, alpha, beta


@cache
def pair_weight() -> Derivation:
    """Derive the weight of ``R(Delta)`` in ``E[h g]`` for older inputs of the first neuron.

    ``h`` obeys ``h_{t+1} = alpha h_t + x_{t+1}``, and ``g`` the same with ``beta``.  For older
    inputs of the second neuron, ``alpha`` and ``beta`` are swapped.

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
