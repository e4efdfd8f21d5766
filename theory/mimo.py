"""Second moments of Mamba-3 with several inputs per value, as functions of the rank.

A row of the state obeys ``S_t = alpha S_{t-1} + beta e_{t-1} + gamma e_t`` with fixed
gates.  What it writes, ``e``, is the sum of ``x_r B_r`` over the rank.  Its output is
the sum of ``o_r S . C_r``.

In released layers, initially ``x_r = x / rank`` and ``o_r = 1 / rank``.  The columns
``B_r`` and ``C_r`` are sums of a vector with root mean square one and a vector of ones.

Notation: ``K``, ``G``  second moments of inputs and of columns ``B``;  ``rank``
columns; ``d``  entries of a column;  ``shift``  entries of the second vector.

Source: own, for the recurrence of Mamba-3 (Lahoti et al. 2026, arXiv 2603.15569) as in
``mamba_ssm/modules/mamba3.py`` of github.com/state-spaces/mamba, without rotations.
"""

from functools import cache

from sympy import Expr, Matrix, Symbol, expand, symbols

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import d, trapezoid

K_11, K_22, G_11, G_22 = symbols("K_11 K_22 G_11 G_22", positive=True)
K_12, G_12 = symbols("K_12 G_12", real=True)
rank = Symbol("rank", integer=True, positive=True)
shift = Symbol("shift", positive=True)


@cache
def state_of_two() -> Derivation:
    """``E|S|^2`` of two columns for white inputs of any correlation between both.

    Example:
        >>> unlike = state_of_two().result.subs({K_12: 0, K_11: 1, K_22: 1})
        >>> unlike / trapezoid().result
        G_11 + G_22
    """
    K = Matrix([[K_11, K_12], [K_12, K_22]])
    G = Matrix([[G_11, G_12], [G_12, G_22]])
    write = expand((K * G).trace())
    return start("Inputs and columns are independent", write, r"\mathbb{E} |e|^2").then(
        "Each write lasts as an input of the trapezoid does",
        trapezoid().result * (K_11 * G_11 + 2 * K_12 * G_12 + K_22 * G_22),
        r"\mathbb{E} |S|^2",
    )


def _write() -> tuple[Expr, Expr]:
    """Entries of ``E e e^T``: the common value, and the addition on the diagonal."""
    return shift**2, 1 / rank


@cache
def state_as_initialised() -> Derivation:
    """``E|S|^2`` of released layers as initialised, for white inputs of variance one.

    Example:
        >>> state_as_initialised().result.subs({rank: 1, shift: 0}) / trapezoid().result
        d
    """
    shared, own = _write()
    return start(
        "The trace of E e e^T = own I + shared 1 1^T",
        d * (own + shared),
        r"\mathbb{E} |e|^2",
    ).then(
        "Each write lasts as an input of the trapezoid does",
        trapezoid().result * d * (1 / rank + shift**2),
        r"\mathbb{E} |S|^2",
    )


@cache
def output_as_initialised() -> Derivation:
    """``E y^2`` of released layers as initialised, for white inputs of variance one.

    The mean of the columns ``C`` has the same second moments as a write.

    Example:
        >>> output_as_initialised().result.subs({d: 1, shift: 0}) / trapezoid().result
        rank**(-2)
    """
    shared, own = _write()
    product = d * own**2 + 2 * d * own * shared + d**2 * shared**2
    return start(
        "The trace of (own I + shared 1 1^T)^2", product, r"\mathbb{E} (\bar{C} e)^2"
    ).then(
        "Each write lasts as an input of the trapezoid does",
        trapezoid().result * (d / rank**2 + 2 * d * shift**2 / rank + d**2 * shift**4),
        r"\mathbb{E} y^2",
    )
