"""Assert a formula of your own, with the planner and verdicts of ``sigprop verify``.

    >>> from sigprop.theory.symbols import lam, lam_bar
    >>> from sigprop.testing import assert_moment
    >>> from sigprop import White
    >>> form = 1 / (1 - lam * lam_bar)
    >>> answer = assert_moment(form, [0.5, 0.8j], White(), margin=0.1)

Usable from any pytest suite; a wrong formula raises ``AssertionError`` with the ratio,
its interval and the sample size.  Hypothesis strategies draw the hard cases on purpose.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from jaxtyping import Array, Inexact
from sympy import Expr, Symbol, factor, lambdify

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.judge.trials import Layer, neurons, neurons_of_layer
from sigprop.judge.trials import Setting as Setting
from sigprop.judge.trials import input_of as input_of
from sigprop.judge.trials import stationary_steps as stationary_steps
from sigprop.judge.verdict import Verdict, Word, judge
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import WHITE, EigenPoint
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed
from sigprop.theory.autocorrelation import as_functional, same_form
from sigprop.theory.symbols import NOTATION, Delta, R

NAMES = {symbol: name for symbol, name, _, _ in NOTATION if isinstance(symbol, Symbol)}


@dataclass(frozen=True)
class Answer:
    """The verdict on each neuron, and the measured and expected moments."""

    verdicts: tuple[Verdict, ...]
    measured: tuple[float, ...]
    expected: tuple[complex, ...]


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
        formula: A SymPy expression in ``sigprop.theory.symbols`` (lam, lam_bar, r, rho, a, b,
            T, and R under a sum over Delta), or a callable of a ``Setting``.
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
        ValueError: If an argument is out of its range, the formula is not written in the
            symbols of ``sigprop.theory.symbols``, the layer's steps are unset, or it would take
            too long.
    """
    require_seed(seed)
    if not callable(formula):
        _require_notation(formula)
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
        else:
            settings, sums, plans = neurons(
                recurrence, source, inputs, quantity, steps, margin, seed, yes
            )
    expected = _expected(formula, settings)
    estimate = sums.estimate()
    verdicts = tuple(
        judge(float(m), f, p, float(s))
        for m, f, p, s in zip(estimate.mean, expected, plans, estimate.sem, strict=True)
    )
    wrong = [
        f"neuron {index} ({_words(setting)}): {verdict.word}; measured {mean:.6g}, formula "
        f"{_number(form)}, ratio in [{verdict.low:.4f}, {verdict.high:.4f}]"
        for index, (setting, verdict, mean, form) in enumerate(
            zip(settings, verdicts, estimate.mean, expected, strict=True)
        )
        if verdict.word != Word.CONFIRMED
    ]
    if wrong:
        raise AssertionError(
            f"{quantity} moment not confirmed within {margin:.1%} on "
            f"{sums.n} trajectories:\n  " + "\n  ".join(wrong)
        )
    return Answer(verdicts, tuple(map(float, estimate.mean)), tuple(expected))


def _require_notation(formula: Any) -> None:
    """Refuse what is no expression, or has symbols that no point gives a value.

    Raises:
        ValueError: Saying what to write instead.
    """
    if not isinstance(formula, Expr):
        raise ValueError(
            "need a SymPy expression in the symbols of sigprop.theory.symbols, or a "
            f"function of a Setting, got {formula!r}; for a string write it out in Python, "
            "after `from sigprop.theory.symbols import lam, lam_bar, rho`"
        )
    known = {Delta, *EigenPoint(0.5, 0.0, WHITE, 1).environment()}
    strangers = sorted(formula.free_symbols - known, key=str)
    if not strangers:
        return
    names = {NAMES[symbol] for symbol in known if symbol in NAMES}
    alike = {str(symbol): NAMES[symbol] for symbol in known if symbol in NAMES}
    spellings = [alike.get(str(symbol), str(symbol)) for symbol in strangers]
    meant = ", ".join(sorted(name for name in spellings if name in names))
    if meant:
        raise ValueError(
            "need the symbols of sigprop.theory.symbols, got others of the same name, "
            f"{meant}: a Symbol of your own has no value here; use "
            f"`from sigprop.theory.symbols import {meant}`"
        )
    raise ValueError(
        f"need a formula in {', '.join(sorted(names))} of sigprop.theory.symbols, got one that "
        f"depends on {', '.join(map(str, strangers))}; put numbers in for them"
    )


def _words(setting: Setting) -> str:
    return f"lam={_number(setting.lam)}, {setting.input}, T={setting.steps}"


def _number(value: complex) -> str:
    """A complex number, real where its imaginary part is rounding."""
    small = abs(value.imag) <= 1e-12 * abs(value)
    return f"{value.real:.6g}" if small else f"{value:.6g}"


def _expected(formula, settings: list[Setting]) -> list[complex]:
    if not isinstance(formula, Expr):
        return [complex(formula(setting)) for setting in settings]
    points = [EigenPoint(s.gap, s.theta, s.input, s.steps) for s in settings]
    return [complex(value) for value in values([formula], points)[0]]


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
            does not prove equality; by default (0.1, 0.9) for each.

    Raises:
        AssertionError: If they differ; the message has a point, both values and the
            relative error there.
        ValueError: If one is no expression, two symbols have one name, they agree at
            every point tried and SymPy proves nothing, or a symbol has no range.
    """
    _require_one_notation(derived, printed)
    if same_form(derived, printed):
        return
    if derived.has(R) or printed.has(R):
        left, right = as_functional(derived), as_functional(printed)
        pairs = (("R(0)", left.zero, right.zero), ("R(Delta)", left.lag, right.lag))
        unequal = [
            f"{name} by {factor(one)} and by {factor(other)}"
            for name, one, other in pairs
            if not same_form(one, other)
        ]
        raise AssertionError(f"the forms weigh {'; '.join(unequal)}")
    names: list[Any] = sorted(derived.free_symbols | printed.free_symbols, key=str)
    ranges = domain or {name: (0.1, 0.9) for name in names}
    missing = [str(name) for name in names if name not in ranges]
    if missing:
        raise ValueError(f"need a range for every symbol, got none for {missing}")
    pair = lambdify(names, [derived, printed], modules="mpmath")
    generator = np.random.default_rng(0)
    worst: tuple[float, Any] = (0.0, None)
    for _ in range(64):
        point = {name: generator.uniform(*ranges[name]) for name in names}
        with mpmath.workdps(50):
            left, right = pair(*(mpmath.mpf(point[name]) for name in names))
            error = float(abs(right - left) / abs(left)) if left else float(abs(right))
        if error > worst[0]:
            worst = (error, (point, left, right))
    if worst[0] < 1e-30:
        raise ValueError(
            "SymPy does not prove the forms equal and no counterexample was found in "
            f"{ranges}; simplify one of them or widen the domain"
        )
    point, left, right = worst[1]
    where = ", ".join(f"{name}={value:.6g}" for name, value in point.items())
    raise AssertionError(
        f"the forms differ: at {where} the derived form is {mpmath.nstr(left, 8)} and the "
        f"printed one {mpmath.nstr(right, 8)}, a relative error of {worst[0]:.3g}"
    )


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
        >>> from sigprop.layers.lru import lru
        >>> assert_healthy(lru(jax.random.key(0), 16, 4, r_min=0.9, r_max=0.99))
    """
    from sigprop.audit.lint import Settings, lint
    from sigprop.audit.lint.report import lines
    from sigprop.networks.files import named_arrays
    from sigprop.networks.foreign import of_arrays

    report = lint(of_arrays(named_arrays(layer)), Settings(length, dtype))
    if report.graver:
        raise AssertionError("\n".join(lines(report)))


def _require_one_notation(*forms: Any) -> None:
    for form in forms:
        if not isinstance(form, Expr):
            raise ValueError(
                f"need two SymPy expressions, got {form!r}; write it out in Python, in the "
                "symbols of sigprop.theory.symbols"
            )
    seen: dict[str, Symbol] = {}
    for symbol in sorted(set().union(*(form.free_symbols for form in forms)), key=str):
        if seen.setdefault(str(symbol), symbol) != symbol:
            raise ValueError(
                f"need one symbol of the name {symbol}, got two that assume different "
                "things; use `from sigprop.theory.symbols import "
                f"{NAMES.get(symbol, symbol)}` in both forms"
            )


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
    """Hypothesis strategy for rings as (r_min, r_max), ``r_min < r_max < 1``."""
    from hypothesis import strategies as st

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
