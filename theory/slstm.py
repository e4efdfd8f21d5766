"""The sLSTM with gates that do not see the state: its two sums and their quotient.

Notation: ``c``, ``n``  the sum of inputs and the sum of weights;  ``f``, ``i``  gates to
forget and of the input;  ``r``, ``i``, ``v``  arguments of both gates and of the input.

Source: own, for the recurrence of Beck et al. (2024), xLSTM, Eq. 8-17.
"""

from sympy import Expr, Symbol, exp, tanh

from sigprop.theory.gates import Gate, i, r, sigmoid, v


def _gates(entering: Expr, *inputs: Symbol) -> dict[str, Gate]:
    """A sum of what enters, by the kind of its forget gate."""
    return {
        "sigmoid": Gate(sigmoid(r), entering, (r, i, *inputs), lost=sigmoid(-r)),
        "exponential": Gate(exp(r), entering, (r, i, *inputs)),
    }


CELLS = _gates(exp(i) * tanh(v), v)
NORMALISERS = _gates(exp(i))
