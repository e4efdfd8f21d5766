"""Assert a formula of your own, with the planner and verdicts of ``sigprop verify``.

    >>> from theory.symbols import lam, lam_bar
    >>> from sigprop.testing import assert_moment
    >>> from sigprop import White
    >>> form = 1 / (1 - lam * lam_bar)
    >>> answer = assert_moment(form, [0.5, 0.8j], White(), margin=0.1)

Usable from any pytest suite; a wrong formula raises ``AssertionError`` with the ratio,
its interval and the sample size.  Hypothesis strategies draw the hard cases on purpose.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Inexact
from sympy import Expr, Symbol, factor, lambdify

from sigprop.evaluate import values
from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.montecarlo import Sums, over_batches, second_moments
from sigprop.precision import double_precision
from sigprop.verdict import Plan, Verdict, Word, judge, plan
from theory.autocorrelation import as_functional, same_form
from theory.points import EigenPoint, Input, exponential
from theory.symbols import R

Layer = Callable[[Inexact[Array, " time"]], Inexact[Array, "time n"]]
PILOT = 2000  # trajectories that measure the variance of a layer's samples
INFLATION = 1.5  # the pilot's variance is itself uncertain


class Setting(NamedTuple):
    """What a callable formula is given: one neuron, one input, the steps seen."""

    lam: complex
    gap: float
    theta: float
    input: Input
    steps: int


@dataclass(frozen=True)
class Answer:
    """The verdict on each neuron, and the measured and expected moments."""

    verdicts: tuple[Verdict, ...]
    measured: tuple[float, ...]
    expected: tuple[complex, ...]


def input_of(process: GaussianProcess) -> Input:
    """A process as formulas see it.

    Raises:
        ValueError: If the process is not one of ``sigprop.inputs``.
    """
    match process:
        case White(variance=1.0):
            return Input("white")
        case White(variance=variance):
            return Input("mixed", a=variance)
        case Constant(variance=1.0):
            return Input("constant")
        case Constant(variance=variance):
            return Input("mixed", b=variance, rho=1.0)
        case AR1(rho=rho):
            return exponential(rho)
        case Mixed(a=a, b=b, rho=rho):
            return Input("mixed", rho=rho, a=a, b=b)
        case MovingAverage(taps=taps):
            return Input("moving_average", taps=taps)
    raise ValueError(f"need a process of sigprop.inputs, got {type(process).__name__}")


def assert_moment(
    formula: Expr | Callable[[Setting], float],
    recurrence: Sequence[complex] | Inexact[Array, " n"] | Layer,
    inputs: GaussianProcess,
    *,
    quantity: str = "state",
    steps: int | None = None,
    margin: float = 0.05,
    seed: int = 0,
) -> Answer:
    """Assert a second moment against simulation, neuron by neuron.

    Args:
        formula: A SymPy expression in ``theory.symbols`` (lam, lam_bar, r, rho, a, b,
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

    Returns:
        The verdicts, all of them ``confirmed``.

    Raises:
        AssertionError: If a neuron's moment is refuted or not decided.
        ValueError: If an argument is out of its range, or the layer's steps are unset.
    """
    if quantity not in ("state", "sensitivity"):
        raise ValueError(f"need quantity 'state' or 'sensitivity', got {quantity!r}")
    source = input_of(inputs)
    with double_precision(True):
        if callable(recurrence):
            if quantity != "state":
                raise ValueError("need eigenvalues to differentiate by, got a layer")
            settings, sums, plans = _layer(
                recurrence, source, inputs, steps, margin, seed
            )
        else:
            settings, sums, plans = _diagonal(
                recurrence, source, inputs, quantity, steps, margin, seed
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


def _words(setting: Setting) -> str:
    return f"lam={_number(setting.lam)}, {setting.input}, T={setting.steps}"


def _number(value: complex) -> str:
    """A complex number, real where its imaginary part is rounding."""
    small = abs(value.imag) <= 1e-12 * abs(value)
    return f"{value.real:.6g}" if small else f"{value:.6g}"


def _diagonal(lams, source, process, quantity, steps, margin, seed):
    lam = np.asarray(lams, complex).reshape(-1)
    radius = np.abs(lam)
    if not np.isfinite(lam).all():
        raise ValueError("need finite eigenvalues, got a NaN or infinity")
    if steps is None:
        if not (radius < 1).all():
            raise ValueError(
                f"need |lambda| < 1 for a stationary moment, got {radius.max():.6g}; set "
                "steps for a finite time"
            )
        steps = stationary_steps(float(radius.max()), margin)
    planned = plan(margin)
    (found,) = second_moments(
        jax.random.key(seed), jnp.asarray(lam), process, times=(steps,), num=planned.n
    )
    settings = [
        Setting(complex(x), float(1 - abs(x)), float(np.angle(x)), source, steps)
        for x in lam
    ]
    return settings, found[quantity], [planned] * len(lam)


def stationary_steps(radius: float, margin: float) -> int:
    """Steps after which both kernels' missing tails are below a hundredth of a margin.

    Source: ``theory.diagonal.remainder_factor``.
    """
    steps = 8
    while _remainder(radius, steps) > margin / 100:
        steps *= 2
    return steps


def _remainder(radius: float, steps: int) -> float:
    from theory.diagonal import remainder_factor
    from theory.symbols import T, r

    form = remainder_factor("sensitivity")
    return float(lambdify([r, T], form, modules="mpmath")(mpmath.mpf(radius), steps))


def _layer(layer, source, process, steps, margin, seed):
    if steps is None:
        raise ValueError("need steps for a layer: how long it runs from its zero state")
    pilot_key, key = jax.random.split(jax.random.key(seed))

    def sums(key, num) -> Sums:
        @jax.jit
        def squares(key):
            x = process.sample(key, 256, steps, jnp.float64)
            return jnp.abs(jax.vmap(lambda one: layer(one)[-1])(x)) ** 2

        def task(index: int, count: int) -> Sums:
            found = np.asarray(squares(jax.random.fold_in(key, index)))[:count]
            return Sums(found.sum(0), (found**2).sum(0), count)

        parts = over_batches(task, num, 256, lambda count: None)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    pilot = sums(pilot_key, PILOT)
    first = pilot.estimate()
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = INFLATION * PILOT * (first.sem / first.mean) ** 2
    if not (np.isfinite(relative).all() and (relative > 0).all()):
        raise ValueError(
            "need a layer whose outputs vary and are finite, got one that does not"
        )
    plans = [plan(margin, variance=float(v)) for v in relative]
    most = max(p.n for p in plans)
    drawn = [Plan(most, margin, variance=p.variance) for p in plans]
    unknown = complex("nan")
    settings = [
        Setting(unknown, float("nan"), float("nan"), source, steps) for _ in plans
    ]
    return settings, sums(key, most), drawn


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
        ValueError: If they agree at every point tried and SymPy proves nothing, or a
            symbol has no range.
    """
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
        at = {name: generator.uniform(*ranges[name]) for name in names}
        with mpmath.workdps(50):
            left, right = pair(*(mpmath.mpf(at[name]) for name in names))
            error = float(abs(right - left) / abs(left)) if left else float(abs(right))
        if error > worst[0]:
            worst = (error, (at, left, right))
    if worst[0] < 1e-30:
        raise ValueError(
            "SymPy does not prove the forms equal and no counterexample was found in "
            f"{ranges}; simplify one of them or widen the domain"
        )
    at, left, right = worst[1]
    where = ", ".join(f"{name}={value:.6g}" for name, value in at.items())
    raise AssertionError(
        f"the forms differ: at {where} the derived form is {mpmath.nstr(left, 8)} and the "
        f"printed one {mpmath.nstr(right, 8)}, a relative error of {worst[0]:.3g}"
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
