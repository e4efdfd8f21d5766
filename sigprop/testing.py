"""Assertions for your own formulas, with the simulations of ``sigprop verify``.

    >>> from sigprop.theory.symbols import lam, lam_bar
    >>> from sigprop.testing import assert_moment
    >>> from sigprop import White
    >>> form = 1 / (1 - lam * lam_bar)
    >>> answer = assert_moment(form, [0.5, 0.8j], White(), margin=0.1)

The functions work in any pytest suite.  A wrong formula raises ``AssertionError`` with the
measured and the expected moment, an interval and the sample size.  Hypothesis strategies
draw parameters that include the difficult cases.

The moment is the mean of a statistic of a layer, a network, your own recurrence or a
function.  A statistic is a function of the system and one sequence of inputs, so that it
can call ``jax.grad`` for derivatives with respect to the system's parameters:

    >>> import jax.numpy as jnp
    >>> def gated(x):
    ...     return jnp.tanh(x)[:, None]
    >>> def mean(system, x):
    ...     return system(x)[-1, 0]
    >>> answer = assert_moment(0, gated, White(), mean, steps=4)

Symbols are defined in ``sigprop.theory.symbols``:

- ``lam = r exp(i theta)`` is an eigenvalue and ``lam_bar`` its conjugate; ``r`` and
  ``theta`` are its modulus and its phase.  These symbols have no value for a layer.
- ``T`` is the number of inputs since the zero state.
- ``rho`` is the field of ``AR1`` or ``Mixed``; ``a`` and ``b`` are fields of ``Mixed``.
  These symbols have no value for other processes.
- ``R(Delta)`` is the autocovariance of the input, with ``Delta`` the index of a sum.
- The argument ``parameters`` gives values to your own symbols.

A formula with a symbol that has no value, or with a value that is not real, raises a
``ValueError``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import mpmath
import numpy as np
from sympy import Expr, Symbol, factor, lambdify

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.judge.notation import (
    Domain,
    equal,
    require_one_notation,
    require_symbols,
)
from sigprop.judge.statistics import (
    STATISTICS,
    Simulation,
    Statistic,
    judge_mean,
    position,
)
from sigprop.judge.systems import Process, Recurrence, Trajectory, trajectory
from sigprop.judge.trials import (
    UNKNOWN,
    Setting,
    input_of,
    is_known,
    judge_neurons,
    settings_of,
)
from sigprop.judge.verdict import Outcome, Verdict
from sigprop.numerics.arguments import require_count, require_number
from sigprop.numerics.evaluate import values
from sigprop.numerics.points import WHITE, EigenPoint, Environment
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed
from sigprop.theory.autocorrelation import as_functional
from sigprop.theory.symbols import R

__all__ = [
    "Answer",
    "Process",
    "Recurrence",
    "Setting",
    "Trajectory",
    "assert_equal_forms",
    "assert_healthy",
    "assert_moment",
    "eigenvalues",
    "inputs",
    "rings",
    "trajectory",
]

LONGEST = 10**8  # steps, whose lags take a gigabyte
MORE = (
    ", a SymPy expression in the symbols of sigprop.theory.symbols or a function of a "
    "Setting; for a string write it out in Python"
)
ROUNDED = 1e-9  # imaginary part, relative, that rounding leaves


@dataclass(frozen=True)
class Answer:
    """Result of ``assert_moment``, with an entry for each component of the statistic.

    Attributes:
        verdicts: Verdict on each component.
        measured: Mean of each component over the simulated trajectories.
        expected: Value of the formula for each component.

    Example:
        >>> from sigprop.theory.symbols import lam
        >>> answer = assert_moment(1 / (1 - lam**2), [0.5], White(), margin=0.1)
        >>> len(answer.verdicts), [round(one, 3) for one in answer.expected]
        (1, [1.333])
    """

    verdicts: tuple[Verdict, ...]
    measured: tuple[float, ...]
    expected: tuple[float, ...]


def assert_moment(
    formula: Any,
    system: Any,
    inputs: Process,
    statistic: str | Statistic = "state",
    *,
    steps: int | None = None,
    margin: float = 0.05,
    seed: int = 0,
    parameters: Mapping[Symbol, Any] | None = None,
    yes: bool = False,
) -> Answer:
    """Assert that the mean of a statistic equals a formula, tested by simulation.

    Each component of the statistic is tested.  ``margin`` is relative to the value of
    the formula or, if this is zero, to the root mean square of the statistic.  A
    verdict has an interval for the ratio of the mean to the value of the formula.  If
    this value is zero, the interval is for ``1 + mean / rms``, where ``rms`` is the
    root mean square of the statistic.  A simulation that takes more than a minute is
    announced on standard error.

    Args:
        formula: Expected mean: a SymPy expression in symbols of
            ``sigprop.theory.symbols``, a number, an array with the shape of the
            statistic, or a function of a ``Setting``. Allowed symbols are lam, lam_bar,
            r and theta of an eigenvalue, the number T of steps, and parameters rho, a,
            b of the process. The autocovariance R(Delta) of the input is allowed in a
            sum over Delta.
        system: Eigenvalues of a diagonal recurrence, a layer, a network, an object with
            ``initial`` and ``step`` (see ``Recurrence``), or a function.
        inputs: Process of ``sigprop.inputs``, or an object with ``sample``; see
            ``Process``.
        statistic: ``state`` for E|h|^2 of each neuron after the last step, or
            ``sensitivity`` for E|dh/dlam|^2, if the system is given by eigenvalues. It
            can also be a JAX function of the system and one input sequence, which
            returns a real number or an array. If there are as many components as
            eigenvalues, the formula of component ``i`` uses eigenvalue ``i``. A single
            eigenvalue is used for all components.
        steps: Number of inputs since the initial state. For eigenvalues, the default is
            large enough to reach the stationary value within a hundredth of the margin.
            For other systems ``steps`` must be given.
        margin: Smallest relative error of the formula that the test must detect, in
            (0, 1).
        seed: Seed of the simulation.
        parameters: Dictionary from further symbols in the formula to their values. A
            value is a number or an array with the shape of the statistic.
        yes: If true, run the simulation even if it takes more than a day or needs more
            than half of the memory. By default such a simulation raises an error.

    Returns:
        The verdicts, all of them ``confirmed``, with the measured and the expected mean
        of each component.

    Raises:
        AssertionError: If the verdict on a component is ``refuted`` or
            ``inconclusive``.
        ValueError: If an argument is out of range, ``steps`` is needed but missing, or
            the simulation would take too long. Also if the formula has a symbol without
            a value, a complex value, or the wrong shape. Also if the statistic is not
            an array of real numbers, JAX cannot trace it, or its variance is zero or
            infinite.

    Example:
        The covariance of successive states of one neuron, for white inputs:

        >>> from sigprop import White
        >>> from sigprop.theory.symbols import r
        >>> def neighbours(lam, x):
        ...     h = trajectory(lam, x).states[:, 0]
        ...     return h[-1] * h[-2]
        >>> answer = assert_moment(r / (1 - r**2), [0.8], White(), neighbours, margin=0.1)
        >>> [str(verdict.outcome) for verdict in answer.verdicts]
        ['confirmed']
    """
    require_seed(seed)
    if steps is not None:
        steps = require_count("steps", steps, most=LONGEST)
    diagonal = _is_eigenvalues(system)
    own = {} if parameters is None else parameters
    if not isinstance(own, Mapping):
        raise ValueError(
            f"need parameters a mapping from symbols to values, got {parameters!r}"
        )
    if isinstance(formula, Expr):
        require_symbols(formula, inputs, eigenvalues=diagonal, own=own)
    _require_statistic(statistic, diagonal)
    _require_process(inputs)
    with double_precision(True):
        settings = []
        if diagonal:
            settings = settings_of(system, _source(inputs), steps, margin)
            steps, system = settings[0].steps, jnp.atleast_1d(jnp.asarray(system))
        if steps is None:
            raise ValueError(
                "need steps for a layer: how long it runs from its zero state"
            )
        if isinstance(statistic, str) and diagonal and is_known(inputs):
            shape: tuple[int, ...] = (len(settings),)
            expected = _expected(formula, settings, shape, own)
            judged = judge_neurons(
                settings, inputs, statistic, expected, margin, seed, yes
            )
        else:
            chosen = STATISTICS[statistic] if isinstance(statistic, str) else statistic
            simulation = Simulation(system, inputs, chosen, steps)
            shape = simulation.shape
            settings = _components(settings, shape, _source(inputs), steps)
            expected = _expected(formula, settings, shape, own)
            judged = judge_mean(simulation, np.array(expected), margin, seed, yes)
    verdicts, means, n = judged
    name = _name(statistic)
    wrong = [
        f"{_where(setting, shape)}: {verdict.outcome}; "
        f"measured {mean:.6g}, formula {form:.6g}{_interval(verdict, form)}"
        for setting, verdict, mean, form in zip(
            settings, verdicts, means, expected, strict=True
        )
        if verdict.outcome != Outcome.CONFIRMED
    ]
    if wrong:
        raise AssertionError(
            f"{name} not confirmed within {margin:.1%} on "
            f"{n} trajectories:\n  " + "\n  ".join(wrong)
        )
    return Answer(tuple(verdicts), tuple(map(float, means)), tuple(expected))


def _source(inputs: Any) -> Any:
    """A process as formulas see it, or a process of your own."""
    return input_of(inputs) if is_known(inputs) else inputs


def _is_eigenvalues(system: Any) -> bool:
    """True for numbers, and for what no other system can be."""
    if hasattr(system, "step") or callable(system):
        return False
    return not (isinstance(system, tuple) and system and callable(system[0]))


def _require_statistic(statistic: Any, diagonal: bool) -> None:
    if callable(statistic):
        return
    if statistic not in STATISTICS:
        raise ValueError(
            "need statistic 'state' or 'sensitivity', or a function of a system and a "
            f"sequence, got {statistic!r}"
        )
    if statistic == "sensitivity" and not diagonal:
        raise ValueError("need eigenvalues to differentiate by, got a layer")


def _require_process(inputs: Any) -> None:
    if not callable(getattr(inputs, "sample", None)):
        raise ValueError(
            "need inputs from a process of sigprop.inputs or an object with "
            f"sample(key, num, length, dtype), got {inputs!r}"
        )


def _components(
    neurons: list[Setting], shape: tuple[int, ...], source: Any, steps: int
) -> list[Setting]:
    """The setting of each component of a statistic."""
    unknown = Setting(complex("nan"), UNKNOWN, UNKNOWN, source, steps)
    size = int(np.prod(shape, dtype=int))
    if len(neurons) == 1:
        neurons = neurons * size
    if shape != (len(neurons),) and len(neurons) != size:
        neurons = [unknown] * size
    return [setting._replace(component=index) for index, setting in enumerate(neurons)]


def _name(statistic: Any) -> str:
    if isinstance(statistic, str):
        return f"{statistic} moment"
    return f"mean of {getattr(statistic, '__name__', type(statistic).__name__)}"


def _where(setting: Setting, shape: tuple[int, ...]) -> str:
    kind = "component" if np.isnan(setting.lam) else "neuron"
    return f"{kind} {position(setting.component, shape)} ({_setting_text(setting)})"


def _interval(verdict: Verdict, form: float) -> str:
    if form:
        return f", ratio in [{verdict.low:.4f}, {verdict.high:.4f}]"
    if np.isnan(verdict.low):
        return ""
    return (
        f", a mean of [{verdict.low - 1:.4f}, {verdict.high - 1:.4f}] root mean squares"
    )


def _setting_text(setting: Setting) -> str:
    known = "" if np.isnan(setting.lam) else f"lam={_number(setting.lam)}, "
    source = setting.input
    return f"{known}{source if is_known(source) else type(source).__name__}, T={setting.steps}"


def _number(value: complex) -> str:
    """A complex number, real where its imaginary part is rounding."""
    small = abs(value.imag) <= 1e-12 * abs(value)
    return f"{value.real:.6g}" if small else f"{value:.6g}"


@dataclass(frozen=True)
class _Point(EigenPoint):
    """Point that has values of a formula's own symbols too."""

    own: tuple[tuple[Symbol, Any], ...] = ()

    def environment(self) -> Environment:
        """Values of all symbols."""
        return {**super().environment(), **dict(self.own)}


def _expected(
    formula: Any,
    settings: list[Setting],
    shape: tuple[int, ...],
    parameters: Mapping[Symbol, Any],
) -> list[float]:
    """The formula's value for each component.

    Raises:
        ValueError: Naming the component where the value is no finite real number, or the
            shape that does not fit.
    """
    if isinstance(formula, Expr):
        columns = {
            symbol: _filled(f"parameters[{symbol}]", value, shape)
            for symbol, value in parameters.items()
        }
        points = [
            _Point(
                s.gap,
                s.theta,
                s.input if is_known(s.input) else WHITE,
                s.steps,
                tuple((symbol, column[i]) for symbol, column in columns.items()),
            )
            for i, s in enumerate(settings)
        ]
        results = [complex(value) for value in values([formula], points)[0]]
    elif callable(formula):
        function: Callable[[Setting], Any] = formula
        results = [complex(function(setting)) for setting in settings]
    else:
        results = [complex(value) for value in _filled("formula", formula, shape, MORE)]
    for value, setting in zip(results, settings, strict=True):
        if not np.isfinite(value) or abs(value.imag) > ROUNDED * abs(value):
            raise ValueError(
                "need a formula of finite real values for a moment, got "
                f"{_number(value)} for {_where(setting, shape)}"
            )
    return [value.real for value in results]


def _filled(
    name: str, value: Any, shape: tuple[int, ...], more: str = ""
) -> np.ndarray:
    """A number for each component, from one or from an array of them.

    Raises:
        ValueError: If it is no number, or an array of another shape.
    """
    try:
        array = np.asarray(value)
        fits = array.dtype.kind in "biufc"
    except (TypeError, ValueError):  # of a ragged list
        array, fits = np.array(None), False
    if not fits:
        raise ValueError(
            f"need {name} a number, an array{more}, got {repr(value)[:60]}"
        )
    if array.shape not in ((), shape):
        raise ValueError(
            f"need {name} a number or an array of the statistic's shape {shape}, got an "
            f"array of shape {array.shape}"
        )
    return np.broadcast_to(array, shape).reshape(-1)


def assert_equal_forms(
    derived: Expr,
    printed: Expr,
    domain: dict[Symbol, tuple[float, float]] | None = None,
) -> None:
    """Assert that two SymPy expressions are equal, by a symbolic proof.

    If SymPy finds no proof, both expressions are evaluated at 64 random points to find
    a counterexample.

    Args:
        derived: Expression that is known to be right.
        printed: Expression to check, such as a formula printed in a paper.
        domain: Dictionary from symbols to the ranges of the random points. For an
            eigenvalue, give ranges of ``r`` and ``theta``, or of ``lam`` if it is real.
            By default eigenvalues are in the unit disc, ``rho`` is in (-0.9, 0.9), and
            numbers of steps are 1 to 8. Other symbols are in (0.1, 0.9).

    Raises:
        AssertionError: If the expressions differ. The message gives a point where they
            differ, both values there, and the relative error.
        ValueError: If an argument is not an expression, two symbols have the same name,
            or a symbol has no range. Also if neither a proof nor a counterexample was
            found.

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
    """Assert that a layer or a network passes ``sigprop lint`` without warnings.

    Args:
        layer: Layer or network of sigprop, or a pytree of arrays of another library,
            such as the parameters of a flax module.  sigprop must know the arrays' names.
        length: Number of steps of the sequences that the layer will read. Default:
            unknown.
        dtype: Floating-point type in which the eigenvalues are computed, such as
            ``float32``. Default: the format of the stored tensors in the rule on
            overflow, and float32 in the other rules.

    Raises:
        AssertionError: If there is an error or a warning. The message gives every
            finding with its consequence and a remedy.
        ValueError: If no recurrent layer is found.

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
    """Return a Hypothesis strategy that draws eigenvalues as pairs (gap, theta).

    ``theta`` is the phase of ``lam`` in radians.  ``gap = 1 - |lam|`` is drawn on a
    logarithmic scale: uniform moduli would rarely be close to 1, where formulas often
    fail.

    Args:
        smallest_gap: Smallest ``gap`` that can be drawn, in (0, 1).
        real: If true, all eigenvalues are real, with phase 0 or pi.

    Raises:
        ValueError: If ``smallest_gap`` is not in (0, 1).

    Example:
        >>> from hypothesis import find
        >>> gap, theta = find(eigenvalues(), lambda drawn: drawn[0] < 0.01)
        >>> 0 < gap < 0.01
        True
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
    """Return a Hypothesis strategy that draws rings as pairs (r_min, r_max).

    A ring is a region of eigenvalues in the unit disc: ``r_min <= |lam| <= r_max``.
    The radii satisfy ``0 <= r_min < r_max < 1``.

    Args:
        smallest_gap: Smallest ``1 - r_max`` that can be drawn, in (0, 0.8).

    Raises:
        ValueError: If ``smallest_gap`` is not in (0, 0.8).

    Example:
        >>> from hypothesis import find
        >>> r_min, r_max = find(rings(), lambda drawn: True)
        >>> r_min < r_max < 1
        True
    """
    from hypothesis import strategies as st

    require_number("smallest_gap", smallest_gap, 0, 0.8)
    outer = st.floats(float(np.log10(smallest_gap)), -0.05).map(lambda x: 1 - 10.0**x)
    share = st.one_of(st.just(0.0), st.floats(0.0, 0.999))
    return st.tuples(outer, share).map(lambda pair: (pair[0] * pair[1], pair[0]))


def inputs() -> Any:
    """Return a Hypothesis strategy that draws processes of ``sigprop.inputs``.

    The processes are of the classes ``White``, ``Constant``, ``AR1``, ``Mixed`` and
    ``MovingAverage``.

    Example:
        >>> import jax
        >>> from hypothesis import find
        >>> process = find(inputs(), lambda drawn: True)
        >>> process.sample(jax.random.key(0), 3, 10).shape
        (3, 10)
    """
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
