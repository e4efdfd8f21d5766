"""Simulations that judge a user's formula: of neurons by eigenvalue, or of a layer.

Each gives what the formula is evaluated at, sums of the squares, and the plan by which
they are judged.
"""

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import scipy
from jaxtyping import Array, Inexact
from sympy import lambdify

from sigprop.inputs import AR1, Constant, GaussianProcess, Mixed, MovingAverage, White
from sigprop.judge import forecast
from sigprop.judge.verdict import ALPHA, BETA, GAUSSIAN_VARIANCE, Plan, plan
from sigprop.neuron.montecarlo import Sums, over_batches, second_moments
from sigprop.numerics.points import Input, exponential

Layer = Callable[[Inexact[Array, " time"]], Inexact[Array, "time n"]]
PILOT = 2000  # trajectories that measure the variance of a layer's samples
INFLATION = 1.5  # the pilot's variance is itself uncertain
DRAWN = 2048  # trajectories at once of ``second_moments``
AT_ONCE = 256  # sequences at once through a layer
WALKED = 2**14  # steps times neurons of a trial of how long a simulation takes


class Setting(NamedTuple):
    """Arguments of a callable formula: one neuron, one input, the number of steps."""

    lam: complex
    gap: float
    theta: float
    input: Input
    steps: int


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
    lams: Any, source: Input, steps: int | None, margin: float
) -> list[Setting]:
    """Neurons of these eigenvalues; arguments as in ``testing.assert_moment``.

    Raises:
        ValueError: If an eigenvalue or the margin is out of range.
    """
    _require_margin(margin)
    lam = np.asarray(lams, complex).reshape(-1)
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
        Setting(complex(x), float(1 - abs(x)), float(np.angle(x)), source, steps)
        for x in lam
    ]


def neurons(
    settings: list[Setting],
    process: GaussianProcess,
    quantity: str,
    margin: float,
    seed: int,
    yes: bool,
) -> tuple[Sums, list[Plan]]:
    """Simulate neurons for as many steps; arguments as in ``testing.assert_moment``.

    Raises:
        ValueError: If it takes too long.
    """
    steps, lam = settings[0].steps, jnp.asarray([setting.lam for setting in settings])
    key = jax.random.key(seed)
    _allow_neurons(key, lam, process, steps, margin, yes)
    planned = plan(margin)
    (moments,) = second_moments(key, lam, process, times=(steps,), num=planned.n)
    return moments[quantity], [planned] * len(settings)


def _require_margin(margin: float) -> None:
    Plan(2, margin)  # refuses a margin out of range
    if _least(margin) > forecast.MOST:
        raise ValueError(
            f"need a margin that {forecast.MOST:.2g} trajectories decide, got {margin:g}"
        )


def _least(margin: float) -> int:
    """About the sample size of a plan, whose own search takes exact quantiles."""
    z = -float(scipy.special.ndtri(ALPHA) + scipy.special.ndtri(BETA / 2))
    return int(GAUSSIAN_VARIANCE * (z / margin) ** 2)


def _allow(cost: forecast.Forecast, margin: float, yes: bool) -> None:
    remedy = f"raise margin={margin:g}, take fewer steps, or pass yes=True"
    forecast.allow(cost, remedy, yes=yes)


def _allow_neurons(key, lam, process, steps, margin, yes) -> None:
    """Say or refuse what takes long; memory does not depend on the steps."""
    n = _least(margin)
    if n * steps * len(lam) <= forecast.SHORT:
        return
    few = max(1, min(steps, WALKED // len(lam)))

    def work(num: int) -> Any:
        return second_moments(key, lam, process, times=(few,), num=num)

    cost = forecast.trial(work, DRAWN, n)
    _allow(cost._replace(seconds=cost.seconds * steps / few), margin, yes)


def stationary_steps(radius: float, margin: float) -> int:
    """Steps after which both kernels' missing tails are below a hundredth of a margin.

    Source: ``sigprop.theory.diagonal.remainder_factor``.
    """
    steps = 8
    while _remainder(radius, steps) > margin / 100:
        steps *= 2
    return steps


def _remainder(radius: float, steps: int) -> float:
    from sigprop.theory.diagonal import remainder_factor
    from sigprop.theory.symbols import T, r

    form = remainder_factor("sensitivity")
    return float(lambdify([r, T], form, modules="mpmath")(mpmath.mpf(radius), steps))


def neurons_of_layer(
    layer: Layer,
    source: Input,
    process: GaussianProcess,
    steps: int | None,
    margin: float,
    seed: int,
    yes: bool,
) -> tuple[list[Setting], Sums, list[Plan]]:
    """Simulate a layer; arguments as in ``testing.assert_moment``.

    Raises:
        ValueError: If the steps are unset, the margin is out of range, the outputs do not
            vary or are not finite, or it takes too long.
    """
    if steps is None:
        raise ValueError("need steps for a layer: how long it runs from its zero state")
    _require_margin(margin)
    pilot_key, key = jax.random.split(jax.random.key(seed))

    @jax.jit
    def squares(key):
        x = process.sample(key, AT_ONCE, steps, jnp.float64)
        return jnp.abs(jax.vmap(lambda sequence: layer(sequence)[-1])(x)) ** 2

    compiled = squares.lower(key).compile()
    bytes_needed = forecast.program_memory(compiled)
    _allow(forecast.Forecast(PILOT, 0.0, bytes_needed), margin, yes)

    def sums(key, num) -> Sums:
        def task(index: int, count: int) -> Sums:
            powers = np.asarray(compiled(jax.random.fold_in(key, index)))[:count]
            return Sums(powers.sum(0), (powers**2).sum(0), count)

        return functools.reduce(
            Sums.__add__, over_batches(task, num, AT_ONCE, lambda count: None)
        )

    began = time.perf_counter()
    pilot = sums(pilot_key, PILOT)
    pace = (time.perf_counter() - began) / PILOT
    first = pilot.estimate()
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = INFLATION * PILOT * (first.sem / first.mean) ** 2
    if not (np.isfinite(relative).all() and (relative > 0).all()):
        raise ValueError(
            "need a layer whose outputs vary and are finite, got one that does not"
        )
    plans = [plan(margin, variance=float(v)) for v in relative]
    most = max(p.n for p in plans)
    _allow(forecast.Forecast(most, pace * most, bytes_needed), margin, yes)
    judged = [Plan(most, margin, variance=p.variance) for p in plans]
    unknown = complex("nan")
    settings = [
        Setting(unknown, float("nan"), float("nan"), source, steps) for _ in plans
    ]
    return settings, sums(key, most), judged
