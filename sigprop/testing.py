"""Assert a formula of your own, with the planner and verdicts of ``sigprop verify``.

    >>> from sigprop.theory.symbols import lam, lam_bar
    >>> from sigprop.testing import assert_moment
    >>> from sigprop import White
    >>> form = 1 / (1 - lam * lam_bar)
    >>> answer = assert_moment(form, [0.5, 0.8j], White(), margin=0.1)

Usable from any pytest suite; a wrong formula raises ``AssertionError`` with the ratio,
its interval and the sample size.  Hypothesis strategies draw the hard cases on purpose.

Symbols are those of ``sigprop.theory.symbols`` and mean the same in every function here:

- ``lam = r exp(i theta)`` is an eigenvalue and ``lam_bar`` its conjugate; ``r`` and
  ``theta`` are its modulus and its phase.  A layer has no eigenvalue.
- ``T`` is the number of inputs seen from the zero state.
- ``rho`` is the field of ``AR1`` or ``Mixed``; ``a`` and ``b`` are fields of ``Mixed``.
  Under another process they have no value, and a formula in them is a ``ValueError``.
- ``R(Delta)`` is the input's autocovariance, with ``Delta`` the index of a sum.

A moment is a real number: a formula of another value is a ``ValueError``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Array, Inexact
from sympy import Expr, Symbol, factor, lambdify

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.judge.notation import (
    Domain,
    equal,
    require_one_notation,
    require_symbols,
)
from sigprop.judge.trials import Layer, neurons, neurons_of_layer, settings_of
from sigprop.judge.trials import Setting as Setting
from sigprop.judge.trials import input_of as input_of
from sigprop.judge.trials import stationary_steps as stationary_steps
from sigprop.judge.verdict import Outcome, Verdict, judge
from sigprop.numerics.arguments import require_count, require_number
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import EigenPoint
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed
from sigprop.theory.autocorrelation import as_functional
from sigprop.theory.symbols import R

__all__ = [
    "Answer",
    "Setting",
    "assert_equal_forms",
    "assert_healthy",
    "assert_moment",
    "eigenvalues",
    "inputs",
    "rings",
]

LONGEST = 10**8  # steps, whose lags take a gigabyte
ROUNDED = 1e-9  # imaginary part, relative, that rounding leaves


@dataclass(frozen=True)
class Answer:
    """The verdict on each neuron, and the measured and expected moments."""

    verdicts: tuple[Verdict, ...]
    measured: tuple[float, ...]
    expected: tuple[float, ...]


def assert_moment(
    formula: Expr | Callable[[Setting], float],
    recurrence: Sequence[complex] | Inexact[Array, " n"] | Layer,
    inputs: GaussianProcess,
    *,
    quantity: str = "state",
    steps: int | None = None,
    margin: float = 0.05,
    seed: int = 0,
    yes: bool = False,
) -> Answer:
    """Assert a second moment against simulation, neuron by neuron.

    Work of more than a minute is announced on standard error, with its sample size.

    Args:
        formula: A SymPy expression in ``sigprop.theory.symbols`` (lam, lam_bar, r, theta, T,
            what the process defines of rho, a, b, and R under a sum over Delta), or a
            callable of a ``Setting``.
        recurrence: Eigenvalues of the diagonal recurrence, or a layer from (time,)
            inputs to (time, n) states; a layer's neurons have no eigenvalue, so a
            formula for it is a callable that does not use one, or a constant.
        inputs: A process of ``sigprop.inputs``.
        quantity: ``state`` for E|h|^2; ``sensitivity`` for E|dh/dlam|^2, which needs
            eigenvalues.
        steps: Inputs seen from the zero state; by default enough for the stationary
            value to be reached within a hundredth of the margin.
        margin: Equivalence margin, relative.
        seed: Key of the simulation.
        yes: Whether to begin what will take more than a day or half of the memory.

    Returns:
        The verdicts, all of them ``confirmed``.

    Raises:
        AssertionError: If a neuron's moment is refuted or not decided.
        ValueError: If an argument is out of its range, the formula has a symbol without
            a value or a value that is no real number, the layer's steps are unset, or it
            would take too long.
    """
    require_seed(seed)
    if steps is not None:
        steps = require_count("steps", steps, most=LONGEST)
    if not callable(formula):
        require_symbols(formula, inputs, eigenvalues=not callable(recurrence))
    if quantity not in ("state", "sensitivity"):
        raise ValueError(f"need quantity 'state' or 'sensitivity', got {quantity!r}")
    source = input_of(inputs)
    with double_precision(True):
        if callable(recurrence):
            if quantity != "state":
                raise ValueError("need eigenvalues to differentiate by, got a layer")
            settings, sums, plans = neurons_of_layer(
                recurrence, source, inputs, steps, margin, seed, yes
            )
            expected = _expected(formula, settings)
        else:
            settings = settings_of(recurrence, source, steps, margin)
            expected = _expected(formula, settings)
            sums, plans = neurons(settings, inputs, quantity, margin, seed, yes)
    estimate = sums.estimate()
    verdicts = tuple(
        judge(float(m), f, p, float(s))
        for m, f, p, s in zip(estimate.mean, expected, plans, estimate.sem, strict=True)
    )
    wrong = [
        f"neuron {index} ({_setting_text(setting)}): {verdict.outcome}; "
        f"measured {mean:.6g}, formula {form:.6g}"
        + (f", ratio in [{verdict.low:.4f}, {verdict.high:.4f}]" if form else "")
        for index, (setting, verdict, mean, form) in enumerate(
            zip(settings, verdicts, estimate.mean, expected, strict=True)
        )
        if verdict.outcome != Outcome.CONFIRMED
    ]
    if wrong:
        raise AssertionError(
            f"{quantity} moment not confirmed within {margin:.1%} on "
            f"{sums.n} trajectories:\n  " + "\n  ".join(wrong)
        )
    return Answer(verdicts, tuple(map(float, estimate.mean)), tuple(expected))


def _setting_text(setting: Setting) -> str:
    return f"lam={_number(setting.lam)}, {setting.input}, T={setting.steps}"


def _number(value: complex) -> str:
    """A complex number, real where its imaginary part is rounding."""
    small = abs(value.imag) <= 1e-12 * abs(value)
    return f"{value.real:.6g}" if small else f"{value:.6g}"


def _expected(formula: Any, settings: list[Setting]) -> list[float]:
    """The formula's value for each neuron.

    Raises:
        ValueError: Naming the neuron where the value is no finite real number.
    """
    if isinstance(formula, Expr):
        points = [EigenPoint(s.gap, s.theta, s.input, s.steps) for s in settings]
        results = [complex(value) for value in values([formula], points)[0]]
    else:
        results = [complex(formula(setting)) for setting in settings]
    for index, (value, setting) in enumerate(zip(results, settings, strict=True)):
        if not np.isfinite(value) or abs(value.imag) > ROUNDED * abs(value):
            raise ValueError(
                "need a formula of finite real values for a moment, got "
                f"{_number(value)} for neuron {index} ({_setting_text(setting)})"
            )
    return [value.real for value in results]


def assert_equal_forms(
    derived: Expr,
    printed: Expr,
    domain: dict[Symbol, tuple[float, float]] | None = None,
) -> None:
    """Assert that two forms are equal: proved by SymPy or, failing that, refuted.

    Args:
        derived: The form you trust.
        printed: The form to check.
        domain: Ranges of the symbols in which to look for a counterexample when SymPy
            does not prove equality.  An eigenvalue has a range of ``r`` and one of
            ``theta``, or where it is real one of ``lam``.  By default the unit disc, and
            for ``rho`` (-0.9, 0.9), for numbers of steps 1 to 8, else (0.1, 0.9).

    Raises:
        AssertionError: If they differ; the message has a point, both values and the
            relative error there.
        ValueError: If one is no expression, two symbols have one name, they agree at
            every point tried and SymPy proves nothing, or a symbol has no range.

    Example:
        >>> from sigprop.theory.symbols import lam, lam_bar, r
        >>> assert_equal_forms(1 / (1 - r**2), 1 / (1 - lam * lam_bar))
    """
    require_one_notation(derived, printed)
    if derived.has(R) or printed.has(R):
        _assert_equal_weights(derived, printed)
        return
    if equal(derived, printed):
        return
    sampled = Domain((derived, printed), domain)
    pair = lambdify(sampled.symbols, [derived, printed], modules="mpmath")
    generator = np.random.default_rng(0)
    worst: tuple[float, Any] = (0.0, None)
    for _ in range(64):
        with mpmath.workdps(50):
            point = sampled.draw(generator)
            left, right = pair(*point.values())
            error = float(abs(right - left) / abs(left)) if left else float(abs(right))
        if error > worst[0]:
            worst = (error, (point, left, right))
    if worst[0] < 1e-30:
        raise ValueError(
            "SymPy does not prove the forms equal and no counterexample was found in "
            f"{sampled.ranges}; simplify one of them or widen the domain"
        )
    point, left, right = worst[1]
    where = ", ".join(f"{name}={_number(complex(x))}" for name, x in point.items())
    raise AssertionError(
        f"the forms differ: at {where} the derived form is {mpmath.nstr(left, 8)} and the "
        f"printed one {mpmath.nstr(right, 8)}, a relative error of {worst[0]:.3g}"
    )


def _assert_equal_weights(derived: Expr, printed: Expr) -> None:
    """Compare what two forms weigh the input's autocovariance by."""
    left, right = as_functional(derived), as_functional(printed)
    pairs = (("R(0)", left.zero, right.zero), ("R(Delta)", left.lag, right.lag))
    unequal = [
        f"{name} by {factor(first)} and by {factor(other)}"
        for name, first, other in pairs
        if not equal(first, other)
    ]
    if left.last != right.last:
        unequal.append(f"lags up to {left.last} and up to {right.last}")
    if unequal:
        raise AssertionError(f"the forms weigh {'; '.join(unequal)}")


def assert_healthy(
    layer: Any, *, length: int | None = None, dtype: str | None = None
) -> None:
    """Assert that ``sigprop lint`` finds nothing above a note in a layer or a network.

    Args:
        layer: One of ours, or any tree of arrays with the names of a known library, such
            as the parameters of a flax module.
        length: Steps of the sequences that it will see.
        dtype: In which its eigenvalues are computed.

    Raises:
        AssertionError: With every finding, its consequence and what to do.
        ValueError: If there is no recurrent layer in it.

    Example:
        >>> import jax
        >>> from sigprop.layers import lru
        >>> assert_healthy(lru(16, 4, key=jax.random.key(0), r_min=0.9, r_max=0.99))
    """
    from sigprop.audit.lint import Settings, lint
    from sigprop.audit.lint.report import lines
    from sigprop.networks.files import named_arrays
    from sigprop.networks.foreign import of_arrays

    report = lint(of_arrays(named_arrays(layer)), Settings(length, dtype))
    if report.graver:
        raise AssertionError("\n".join(lines(report)))


def eigenvalues(smallest_gap: float = 1e-6, real: bool = False) -> Any:
    """Hypothesis strategy for eigenvalues as (gap, theta), even in the log of the gap.

    Uniform moduli almost never come close to the edge, where formulas break.

    Raises:
        ValueError: Unless ``0 < smallest_gap < 1``.
    """
    from hypothesis import strategies as st

    if not 0 < smallest_gap < 1:
        raise ValueError(f"need 0 < smallest_gap < 1, got {smallest_gap}")
    gaps = st.floats(float(np.log10(smallest_gap)), -0.01).map(lambda x: 10.0**x)
    phases = st.sampled_from([0.0, np.pi])
    if not real:
        phases = st.one_of(phases, st.floats(-np.pi, np.pi))
    return st.tuples(gaps, phases)


def rings(smallest_gap: float = 1e-3) -> Any:
    """Hypothesis strategy for rings as (r_min, r_max), ``r_min < r_max < 1``.

    Raises:
        ValueError: Unless ``0 < smallest_gap < 0.8``.
    """
    from hypothesis import strategies as st

    require_number("smallest_gap", smallest_gap, 0, 0.8)
    outer = st.floats(float(np.log10(smallest_gap)), -0.05).map(lambda x: 1 - 10.0**x)
    share = st.one_of(st.just(0.0), st.floats(0.0, 0.999))
    return st.tuples(outer, share).map(lambda pair: (pair[0] * pair[1], pair[0]))


def inputs() -> Any:
    """Hypothesis strategy for input processes of every family."""
    from hypothesis import strategies as st

    decay = st.one_of(st.sampled_from([0.0, 1.0, -1.0]), st.floats(-1, 1))
    size = st.floats(0.1, 3)
    return st.one_of(
        st.just(White()),
        st.just(Constant()),
        decay.map(AR1),
        st.tuples(size, size, decay).map(lambda x: Mixed(*x)),
        st.lists(st.floats(-2, 2), min_size=2, max_size=4)
        .filter(lambda taps: sum(tap**2 for tap in taps) > 0.1)
        .map(lambda taps: MovingAverage(tuple(taps))),
    )


def __dir__() -> list[str]:
    return __all__
