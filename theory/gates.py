"""Gates of the input alone: coefficients of ``h' = a h + b`` and their derivatives.

A gate consists of the two expressions ``a`` and ``b``.  They depend on a few projections of
the input, which are Gaussian if the input is, and on parameters of a neuron.  SymPy derives
the derivatives of both expressions, and the projections in which they are linear.  The
derivative by a weight is the derivative by its projection times an input.  The derivative by
a bias is the derivative by the projection.

Notation: ``r``, ``i``  arguments of a recurrence gate and an input gate;  ``k``, ``v``  a key
and a value;  ``x``  the input that enters the state;  ``Lambda``, ``A``, ``bound``  parameters
of a neuron.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from typing import final

from sympy import (
    Abs,
    Expr,
    Float,
    Heaviside,
    Integer,
    Max,
    Min,
    Piecewise,
    Symbol,
    ceiling,
    exp,
    floor,
    log,
    sign,
    sqrt,
    symbols,
    sympify,
    together,
)
from sympy.codegen.cfunctions import expm1
from sympy.codegen.rewriting import expm1_opt, optimize

r, i, k, v, x = symbols("r i k v x", real=True)
Lambda = Symbol("Lambda", real=True)
A = Symbol("A", real=True)  # log of a rate
bound = Symbol("bound", real=True)  # lower bound of a gate
CLOSING = 8  # the constant c of the RG-LRU
TEMPERING = 16  # the root that GLA takes of its gate
KINKS = (Abs, Max, Min)  # continuous, with a derivative nearly everywhere
JUMPS = (Heaviside, Piecewise, ceiling, floor, sign)  # a Piecewise may jump
CHECKED = (0.3, -0.7, 1.1)  # values of symbols at which ``lost`` is compared with 1 - a
DIGITS = 1e-9  # allowed difference
FAR, GROWTH = 60.0, 1e12  # where an exponential is larger than any power of a softplus


@final
@dataclass(frozen=True)
class Gate:
    """The coefficients ``a`` and ``b`` of a neuron ``h' = a h + b``.

    They are enough to predict moments: pass your own gate to ``sigprop.neuron.describe``.

    Attributes:
        a: Factor on the state.
        b: Term that is added to the state.
        projections: Symbols of linear maps of the input.
        parameters: Symbols of a neuron's parameters that multiply no input.
        lost: Form of ``1 - a`` without a subtraction, which is accurate for ``a`` close to
            one. By default it is derived.

    Raises:
        TypeError: If an expression is not a number or a SymPy expression.
        ValueError: If an expression has another symbol, a symbol occurs twice, or
            ``lost`` is not ``1 - a``.

    Example:
        >>> f, z = symbols("f z", real=True)
        >>> pooling = Gate(sigmoid(f), sigmoid(-f) * z, (f, z))  # QRNN, f-pooling
        >>> pooling.nonlinear, pooling.linear
        ((f,), (z,))
    """

    a: Expr
    b: Expr
    projections: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...] = ()
    lost: Expr | None = None

    def __post_init__(self) -> None:
        for name in ("projections", "parameters"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("a", "b"):
            object.__setattr__(self, name, _expression(name, getattr(self, name)))
        lost = _lost(self.a) if self.lost is None else _expression("lost", self.lost)
        object.__setattr__(self, "lost", lost)
        known = self.projections + self.parameters
        if not all(isinstance(one, Symbol) for one in known):
            raise TypeError(f"need projections and parameters of symbols, got {known}")
        if len({str(one) for one in known}) < len(known) or not self.projections:
            raise ValueError(
                "need one projection or more, and no name twice in projections and "
                f"parameters, got {self.projections} and {self.parameters}"
            )
        for name in ("a", "b", "lost"):
            others = getattr(self, name).free_symbols - set(known)
            if others:
                raise ValueError(
                    f"need every symbol of {name} in projections or parameters, which "
                    f"are {_names(known)}, got {_names(others)} in {name} = "
                    f"{getattr(self, name)}"
                )
        self._require_lost()

    def _require_lost(self) -> None:
        known = self.projections + self.parameters
        for value in CHECKED:
            at = {one: Float(value) + n / 7 for n, one in enumerate(known)}
            wrong = (self.lost + self.a - 1).subs(at).evalf()
            if wrong.is_number and abs(wrong) > DIGITS:
                raise ValueError(f"need lost to be 1 - a, got a + lost - 1 = {wrong}")

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols of the projections, then of the parameters."""
        return self.projections + self.parameters

    @cached_property
    def linear(self) -> tuple[Symbol, ...]:
        """Projections that do not occur in ``a`` and at most linearly in ``b``."""
        return tuple(
            one
            for one in self.projections
            if one not in self.a.free_symbols
            and not self.b.has(*_kinked(self.b, one))
            and self.b.diff(one, 2).expand() == 0
        )

    @cached_property
    def nonlinear(self) -> tuple[Symbol, ...]:
        """Projections that are not in ``linear``."""
        return tuple(one for one in self.projections if one not in self.linear)

    @cached_property
    def smooth(self) -> bool:
        """True if ``a`` and ``b`` have neither kinks nor jumps."""
        return not (self.a.has(*KINKS, *JUMPS) or self.b.has(*KINKS, *JUMPS))

    @cached_property
    def exponential(self) -> bool:
        """True if ``b`` grows exponentially with a projection."""
        at = {
            one: Float(value)
            for one, value in zip(self.symbols, _generic(), strict=False)
        }
        return any(
            abs(self.b.subs({**at, one: far}).evalf()) > GROWTH
            for one in self.nonlinear
            for far in (Float(FAR), Float(-FAR))
        )

    def __getstate__(self) -> dict[str, object]:
        """Only the fields; everything derived from them is derived again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _generic() -> Iterator[float]:
    """Values of symbols that make no factor zero."""
    return (CHECKED[0] + n / 7 for n in count())


def _kinked(expr: Expr, symbol: Symbol) -> tuple[Expr, ...]:
    """Parts of an expression with a kink or a jump in a symbol."""
    parts = expr.atoms(*KINKS, *JUMPS)
    return tuple(part for part in parts if symbol in part.free_symbols)


def _expression(name: str, value: object) -> Expr:
    if isinstance(value, str) or not isinstance(sympify(value), Expr):
        raise TypeError(f"need a SymPy expression as {name}, got {value!r}")
    return sympify(value)


def _names(values: object) -> str:
    return ", ".join(sorted(map(str, values)))


def _lost(a: Expr) -> Expr:
    """``1 - a`` with ``expm1`` or over one denominator, where SymPy can write it so."""
    accurate = optimize(1 - a, [expm1_opt])
    return accurate if accurate.has(expm1) else together(1 - a)


def sigmoid(z: Expr) -> Expr:
    """Return the expression ``1 / (1 + exp(-z))``."""
    return 1 / (1 + exp(-z))


def softplus(z: Expr) -> Expr:
    """Return the expression ``log(1 + exp(z))``."""
    return log(1 + exp(z))


def _rglru() -> Gate:
    log_a = -CLOSING * softplus(Lambda) * sigmoid(r)
    gain = sqrt(-expm1(2 * log_a))  # sqrt(1 - a^2), accurate for a close to one
    b = gain * sigmoid(i) * x
    return Gate(exp(log_a), b, (r, i, x), (Lambda,), -expm1(log_a))


def _selective() -> Gate:
    step = softplus(r)
    log_a = -exp(A) * step
    return Gate(exp(log_a), step * k * x, (r, k, x), (A,), -expm1(log_a))


def _gla() -> Gate:
    a = sigmoid(r) ** (Integer(1) / TEMPERING)
    return Gate(a, k * v, (r, k, v), lost=-expm1(-softplus(-r) / TEMPERING))


# De et al. (2024), Griffin, Eq. 1-4
RGLRU = _rglru()
# Feng et al. (2024), Were RNNs all we needed, Section 3.1
MINGRU = Gate(sigmoid(-r), sigmoid(r) * v, (r, v), lost=sigmoid(r))
# Gu & Dao (2023), Mamba, Algorithm 2, with the input entering by an Euler step
SELECTIVE = _selective()
# Yang et al. (2024), Gated linear attention, Section 4
GLA = _gla()
# Qin et al. (2024), HGRN2, Eq. 4-5
HGRN2 = Gate(
    bound + (1 - bound) * sigmoid(r),
    (1 - bound) * sigmoid(-r) * v,
    (r, v),
    (bound,),
    (1 - bound) * sigmoid(-r),
)
# Beck et al. (2024), xLSTM, Eq. 19-27, of the matrix and of the normaliser
MLSTM = Gate(sigmoid(r), exp(i) * k * v, (r, i, k, v), lost=sigmoid(-r))
# Zucchet & Orvieto (2024), Eq. 157-158, without the state in the gate
GATE_UNIT = Gate(sigmoid(r), sigmoid(-r) * x, (r, x), lost=sigmoid(-r))

GATES: dict[str, Gate] = {
    "rglru": RGLRU,
    "mingru": MINGRU,
    "selective": SELECTIVE,
    "gla": GLA,
    "hgrn2": HGRN2,
    "mlstm": MLSTM,
    "gate-unit": GATE_UNIT,
}  # gates of our layers, for loops over all of them


@cache
def derivatives(gate: Gate) -> dict[Symbol, tuple[Expr, Expr]]:
    """Return the derivatives of ``a`` and ``b`` by each symbol of a gate.

    Kinks of ``Max``, ``Min`` and ``Abs`` are allowed, because they have a derivative almost
    everywhere.

    Raises:
        ValueError: If the gate may have jumps.

    Example:
        >>> derivatives(MINGRU)[v]
        (0, 1/(1 + exp(-r)))
    """
    for name, expr in (("a", gate.a), ("b", gate.b)):
        jumps = sorted({type(part).__name__ for part in expr.atoms(*JUMPS)})
        if jumps:
            raise ValueError(
                f"need a gate without jumps for a gradient, got {', '.join(jumps)} in "
                f"{name} = {expr}; write a kink by Max and Min, or ask for the state alone"
            )
    return {by: (gate.a.diff(by), gate.b.diff(by)) for by in gate.symbols}
