"""Tests of a formula for the second moments of neurons, given their eigenvalues.

This simulation is faster than that of ``sigprop.judge.statistics``, which tests any other
statistic.  The samples are quadratic forms of Gaussians, whose distribution is known.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.judge import forecast
from sigprop.judge.verdict import (
    ALPHA,
    BETA,
    GAUSSIAN_VARIANCE,
    Plan,
    Verdict,
    judge,
    plan,
)
from sigprop.neuron.montecarlo import second_moments
from sigprop.numerics.points import Input, exponential

DRAWN = 2048  # trajectories per batch of ``second_moments``
WALKED = 2**14  # steps times neurons of a trial that measures run time
UNKNOWN = float("nan")


class Judged(NamedTuple):
    """Verdicts and sample means of the components of a statistic."""

    verdicts: list[Verdict]
    mean: Float[np.ndarray, " components"]
    n: int


class Setting(NamedTuple):
    """Eigenvalue, input and number of steps to which a formula is applied.

    If a formula is given as a function, for example to ``assert_moment``, the function
    is called with one ``Setting`` for each component of the statistic.

    Attributes:
        lam: Eigenvalue of the neuron, or NaN if the component has no eigenvalue.
        gap: Distance ``1 - |lam|`` of the eigenvalue from the unit circle, or NaN if
            ``lam`` is NaN.
        theta: Phase of ``lam`` in radians, or NaN if ``lam`` is NaN.
        input: Parameters of the input process if it is one of ``sigprop.inputs``;
            otherwise the process itself.
        steps: Number of inputs since the initial state.
        component: Index of the component in the flattened statistic, counted from 0.

    Example:
        >>> from sigprop import White
        >>> Setting(0.5, 0.5, 0.0, White(), steps=10).component
        0
    """

    lam: complex
    gap: float
    theta: float
    input: Any
    steps: int
    component: int = 0


def is_known(process: Any) -> bool:
    """True for a process of ``sigprop.inputs``, or for its parameters."""
    return isinstance(process, White | Constant | AR1 | Mixed | MovingAverage | Input)


def input_of(process: GaussianProcess) -> Input:
    """Return the parameters of a process, which formulas use.

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
            return _scaled(variance, 1.0)
        case AR1(rho=rho, variance=1.0):
            return exponential(rho)
        case AR1(rho=rho, variance=variance):
            return _scaled(variance, rho)
        case Mixed(a=a, b=b, rho=rho):
            return Input("mixed", rho=rho, a=a, b=b)
        case MovingAverage(taps=taps):
            return Input("moving_average", taps=taps)
    raise ValueError(f"need a process of sigprop.inputs, got {type(process).__name__}")


def _scaled(variance: float, rho: float) -> Input:
    return Input("mixed", b=variance, rho=rho)


def settings_of(
    lams: Any, source: Any, steps: int | None, margin: float
) -> list[Setting]:
    """Return the settings of neurons with given eigenvalues.

    Args:
        lams: Eigenvalues.
        source: Parameters of the input process.
        steps: Number of inputs; by default enough for the stationary moment.
        margin: Relative margin of the test.

    Raises:
        ValueError: If an eigenvalue or the margin is out of range.
    """
    require_margin(margin)
    try:
        numbers = np.asarray(lams)
    except ValueError:  # ragged
        numbers = np.array(None)
    if numbers.dtype.kind not in "biufc" or numbers.ndim > 1:
        raise ValueError(
            "need a system: eigenvalues lam (n,), a layer, a network, an object with "
            f"initial and step, or a function; got {repr(lams)[:60]}"
        )
    lam = np.atleast_1d(numbers.astype(complex))
    radius = np.abs(lam)
    if not lam.size:
        raise ValueError("need one eigenvalue lam or more, got 0")
    if not np.isfinite(lam).all():
        raise ValueError("need finite eigenvalues lam, got a NaN or infinity")
    if steps is None:
        if not (radius < 1).all():
            raise ValueError(
                f"need |lambda| < 1 for a stationary moment, got {radius.max():.6g}; set "
                "steps for a finite time"
            )
        steps = stationary_steps(float(radius.max()), margin)
    return [
        Setting(complex(x), float(1 - abs(x)), float(np.angle(x)), source, steps, index)
        for index, x in enumerate(lam)
    ]


def judge_neurons(
    settings: list[Setting],
    process: Any,
    quantity: str,
    expected: Sequence[float],
    margin: float,
    seed: int,
    yes: bool,
) -> Judged:
    """Judge ``E|h|^2`` or ``E|dh/dlam|^2`` of neurons after equally many inputs.

    Args:
        settings: Setting of each neuron.
        process: Process of ``sigprop.inputs``.
        quantity: ``state`` or ``sensitivity``.
        expected: Expected moment of each neuron.
        margin: Relative margin of the test.
        seed: Seed of the simulation.
        yes: True to allow a simulation of any length.

    Raises:
        ValueError: If the simulation would take too long and ``yes`` is false.
    """
    steps, lam = settings[0].steps, jnp.asarray([setting.lam for setting in settings])
    key = jax.random.key(seed)
    _allow_neurons(key, lam, process, steps, margin, yes)
    planned = plan(margin)
    (moments,) = second_moments(key, lam, process, times=(steps,), num=planned.n)
    mean, sem, n = moments[quantity].estimate()
    verdicts = [
        judge(float(m), f, planned, float(s))
        for m, f, s in zip(mean, expected, sem, strict=True)
    ]
    return Judged(verdicts, mean, n)


def require_margin(margin: float) -> None:
    """Check that a simulation can decide within a margin.

    Raises:
        ValueError: If the margin is not in (0, 1), or needs too many trajectories.
    """
    Plan(2, margin)  # refuses a margin out of range
    if _least(margin) > forecast.MOST:
        raise ValueError(
            f"need a margin that {forecast.MOST:.2g} trajectories decide, got {margin:g}"
        )


def _least(margin: float) -> int:
    """Approximate sample size of a plan; the plan itself uses exact quantiles."""
    z = -float(scipy.special.ndtri(ALPHA) + scipy.special.ndtri(BETA / 2))
    return int(GAUSSIAN_VARIANCE * (z / margin) ** 2)


def allow(cost: forecast.Forecast, margin: float, yes: bool) -> None:
    """Announce a long simulation, and stop one that is too long.

    Raises:
        ValueError: If it would take more than a day or half of the memory.
    """
    remedy = f"raise margin={margin:g}, take fewer steps, or pass yes=True"
    forecast.allow(cost, remedy, yes=yes)


def _allow_neurons(key, lam, process, steps, margin, yes) -> None:
    """Announce or refuse a long simulation; its memory does not depend on the steps."""
    n = _least(margin)
    if n * steps * len(lam) <= forecast.SHORT:
        return
    few = max(1, min(steps, WALKED // len(lam)))

    def work(num: int) -> Any:
        return second_moments(key, lam, process, times=(few,), num=num)

    cost = forecast.trial(work, DRAWN, n)
    allow(cost._replace(seconds=cost.seconds * steps / few), margin, yes)


def stationary_steps(radius: float, margin: float) -> int:
    """Return the number of steps that reaches stationary moments closely enough.

    The relative remainder of the state's and the sensitivity's moment is then below a
    hundredth of the margin.

    Source: ``sigprop.theory.diagonal.remainder_factor``.
    """
    steps = 8
    while _remainder(radius, steps) > margin / 100:
        steps *= 2
    return steps


def _remainder(radius: float, steps: int) -> float:
    """The tail of ``sum n^2 r^{2(n-1)}`` from ``n = steps`` on, over the whole sum.

    Stable twin of ``theory.diagonal.remainder_factor("sensitivity")``, which SymPy takes
    a second to derive.
    """
    q, left = radius**2, steps * (1 - radius**2)
    if q == 0:
        return 0.0
    return q ** (steps - 1) * (left**2 + 2 * q * left + q * (1 + q)) / (1 + q)
