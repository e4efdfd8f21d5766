"""Tests of a formula for the mean of any statistic of a system.

A statistic is a JAX function of a system and one sequence of inputs.  A pilot simulation
measures its variance and its tail, which fix the sample size.  The main simulation uses
other random numbers.
"""

import functools
import time
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from sigprop.judge import forecast
from sigprop.judge.systems import Process, channels, draw, trajectory
from sigprop.judge.tails import LARGEST, LEAST, tail_index
from sigprop.judge.trials import Judged, allow, require_margin
from sigprop.judge.verdict import FROZEN, SPREAD, Outcome, Plan, Verdict, judge, plan
from sigprop.networks.propagation import widened
from sigprop.neuron.montecarlo import Sums, over_batches
from sigprop.neuron.recurrence import sensitivity
from sigprop.numerics.compilation import OFTEN

Statistic = Callable[[Any, Num[Array, "time *features"]], Num[Array, "*shape"]]
PILOT = 2**14  # trajectories that measure the variance and the tail of a statistic
INFLATION = 1.5  # the pilot's variance is itself uncertain
CONTRADICTED = (
    6.0  # standard errors of the pilot beyond which a formula is only refuted
)
AT_ONCE = (2**8, 2**11)  # sequences per batch: few if long, many if short
HELD = 2**18  # inputs per batch, for sequences of medium length
KEPT = 32  # compiled programs
UNTRACEABLE = (jax.errors.JAXTypeError, jax.errors.JAXIndexError)
DERIVATIVES = ("grad requires", "do not support JVP", "Reverse-mode differentiation")

_programs: dict[str, Any] = {}


def _state(system: Any, x: Any) -> Any:
    """``|h|^2`` of each neuron after the last input."""
    states = trajectory(system, x).states
    if not eqx.is_array(states) or states.ndim == 0:
        raise ValueError(
            "need a statistic of your own where states are more than one array, got "
            "statistic='state'; see sigprop.judge.systems.trajectory"
        )
    return jnp.abs(states[-1]) ** 2


def _sensitivity(lam: Any, x: Any) -> Any:
    """``|dh/dlam|^2`` of each eigenvalue after the last input."""
    return jnp.abs(sensitivity(lam, x[:, None] if x.ndim == 1 else x)[-1]) ** 2


STATISTICS: dict[str, Statistic] = {"state": _state, "sensitivity": _sensitivity}


class Simulation:
    """Simulation of a statistic of a system with random inputs.

    Args:
        system: System; see ``sigprop.judge.systems``.
        process: Process of the inputs.
        statistic: Function of the system and one sequence.
        steps: Number of steps of a sequence.

    Raises:
        ValueError: If JAX cannot trace or differentiate the statistic, or it is not one
            array of real numbers.
    """

    def __init__(self, system: Any, process: Process, statistic: Statistic, steps: int):
        width = channels(system)
        arrays, static = eqx.partition(widened(system), eqx.is_array)
        self.leaves, structure = jax.tree.flatten(arrays)
        few, many = AT_ONCE
        self.at_once = min(max(HELD // (steps * (width or 1)), few), many)

        def batch(leaves: Any, key: Any) -> Any:
            whole = eqx.combine(jax.tree.unflatten(structure, leaves), static)
            x = draw(process, key, self.at_once, steps, width)
            return jax.vmap(lambda sequence: _real(statistic(whole, sequence)))(x)

        lowered = _lowered(batch, self.leaves, jax.random.key(0))
        self.shape: tuple[int, ...] = lowered.out_info.shape[1:]
        text = lowered.as_text()
        self.program = _compiled(lowered, text)
        # Two programs that call LAPACK at once wait for each other's threads forever.
        self.workers = 1 if "lapack" in text else None
        self.memory = forecast.program_memory(self.program)

    @property
    def size(self) -> int:
        """Number of components of the statistic."""
        return int(np.prod(self.shape, dtype=int))

    def samples(self, key: Any, num: int) -> Float[np.ndarray, "num components"]:
        """Return the statistic of ``num`` sequences, with a column per component."""
        return np.concatenate(self._batches(key, num, lambda values: values))

    def sums(self, key: Any, num: int) -> Sums:
        """Return sums of the statistic and its square over ``num`` sequences."""

        def add(values: Any) -> Sums:
            return Sums(values.sum(0), (values**2).sum(0), len(values))

        return functools.reduce(Sums.__add__, self._batches(key, num, add))

    def _batches(self, key: Any, num: int, reduce: Callable[[Any], Any]) -> list[Any]:
        def task(index: int, count: int) -> Any:
            values = _run(self.program, self.leaves, jax.random.fold_in(key, index))
            return reduce(np.asarray(values).reshape(self.at_once, -1)[:count])

        return over_batches(
            task, num, self.at_once, lambda count: None, workers=self.workers
        )


def _real(values: Any) -> Any:
    """Check the value of a statistic, and return it in double precision.

    Raises:
        ValueError: If it is not one array of real numbers.
    """
    if isinstance(values, bool | int | float):
        values = jnp.asarray(values)
    if not eqx.is_array(values):
        raise ValueError(
            "need a statistic that returns one array, got a value of type "
            f"{type(values).__name__}; return one of its arrays"
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"need a statistic of real values, got {values.dtype} of shape "
            f"{values.shape}; return its real part, its imaginary part or abs(...)**2"
        )
    if values.size == 0:
        raise ValueError(
            f"need a statistic with a component, got one of shape {values.shape}"
        )
    return values.astype(jnp.float64)


def _lowered(function: Callable[..., Any], *args: Any) -> Any:
    """A function traced by JAX.

    Raises:
        ValueError: If it cannot be traced, or has no derivative where one is asked for.
    """
    try:
        # With all arguments, or the text of two programs might differ in nothing else.
        return jax.jit(function, keep_unused=True).lower(*args)
    except UNTRACEABLE as error:
        raise ValueError(
            "need a statistic that JAX can trace, whose shape does not depend on the "
            f"inputs' values, got {_first_sentence(error)}"
        ) from error
    except (TypeError, ValueError) as error:
        if not any(text in str(error) for text in DERIVATIVES):
            raise
        raise ValueError(
            "need a system that JAX can differentiate where a statistic asks for a "
            f"gradient, got {_first_sentence(error)}"
        ) from error


def _run(program: Any, *args: Any) -> Any:
    """Run a program.

    Raises:
        ValueError: If a function that it calls back fails.
    """
    try:
        return program(*args)
    except jax.errors.JaxRuntimeError as error:
        raise ValueError(
            "need a system that runs in double precision, got "
            f"{str(error).strip().splitlines()[-1]}"
        ) from error


def _first_sentence(error: Exception) -> str:
    return str(error).partition("\n")[0].partition(". ")[0].rstrip(".")


def _compiled(lowered: Any, text: str) -> Any:
    """A program by its text, constants included, so that another call finds it ready."""
    if text not in _programs:
        while len(_programs) >= KEPT:
            _programs.pop(next(iter(_programs)))
        _programs[text] = lowered.compile(compiler_options=OFTEN)
    return _programs[text]


def judge_mean(
    simulation: Simulation,
    expected: Float[np.ndarray, " components"],
    margin: float,
    seed: int,
    yes: bool,
) -> Judged:
    """Judge the mean of each component of a statistic.

    The margin is relative to the expected value.  If this value is zero, the margin is
    relative to the root mean square of the statistic.  The ratio in the verdict then is one
    plus the mean in this unit.

    The component that needs most samples fixes the sample size.  If the pilot simulation
    contradicts a formula, the sample size is only as large as needed to refute it.

    Raises:
        ValueError: If the margin is out of range or the simulation would take too long.
            Also if a component is constant, not finite, or has no finite variance.
    """
    require_margin(margin)
    memory = simulation.memory + 8.0 * PILOT * simulation.size
    allow(forecast.Forecast(PILOT, 0.0, memory), margin, yes)
    pilot_key, key = jax.random.split(jax.random.key(seed))
    began = time.perf_counter()
    pilot = simulation.samples(pilot_key, PILOT)
    pace = (time.perf_counter() - began) / PILOT
    _require_spread(pilot, simulation.shape)
    _require_variance(pilot, simulation.shape)
    mean, variance = pilot.mean(0), pilot.var(0, ddof=1)
    unit = np.where(expected == 0, np.sqrt(mean**2 + variance), expected)
    off = np.abs(mean - expected)
    enough = np.abs(unit)
    contradicted = off > CONTRADICTED * np.sqrt(variance / PILOT)
    enough = np.where(contradicted, np.maximum(enough, off / margin), enough)
    planned = INFLATION * variance
    needed = (plan(margin, variance=float(v)).n for v in planned / enough**2)
    n = max(PILOT, *needed)  # of fewer skewed samples the mean is not quite normal
    allow(forecast.Forecast(n, pace * n, memory), margin, yes)
    estimate = simulation.sums(key, n).estimate()
    _require_finite(estimate.mean, simulation.shape)
    verdicts = [
        _judged(float(ratio), Plan(n, margin, variance=float(relative)), bool(more))
        for ratio, relative, more in zip(
            1 + (estimate.mean - expected) / unit,
            planned / unit**2,
            n * estimate.sem**2 > SPREAD * planned,
            strict=True,
        )
    ]
    return Judged(verdicts, estimate.mean, n)


def _judged(ratio: float, sized: Plan, more: bool) -> Verdict:
    """The verdict; inconclusive if the samples vary ``more`` than planned."""
    verdict = judge(ratio, 1.0, sized)
    if not more:
        return verdict
    return Verdict(
        Outcome.INCONCLUSIVE, verdict.ratio, verdict.low, verdict.high, verdict.n
    )


def position(index: int, shape: tuple[int, ...]) -> str:
    """Return the position of a component as text, with one index per axis."""
    if len(shape) < 2:
        return str(index)
    return str(tuple(int(i) for i in np.unravel_index(index, shape)))


def _require_finite(values: np.ndarray, shape: tuple[int, ...]) -> None:
    wrong = ~np.isfinite(values).reshape(-1, int(np.prod(shape, dtype=int)))
    if wrong.any():
        index = int(np.argmax(wrong.any(0)))
        column = values.reshape(wrong.shape)[:, index]
        raise ValueError(
            f"need a statistic of finite values, got {column[wrong[:, index]][0]} in "
            f"component {position(index, shape)} of shape {shape}"
        )


def _require_spread(pilot: np.ndarray, shape: tuple[int, ...]) -> None:
    """Refuse values that are not finite, or equal in all trajectories."""
    _require_finite(pilot, shape)
    with np.errstate(over="ignore"):
        still = ~(pilot.std(0) > FROZEN * np.abs(pilot.mean(0)))
    if still.any():
        index = int(np.argmax(still))
        raise ValueError(
            f"need a statistic that varies, got {pilot[0, index]:.6g} in component "
            f"{position(index, shape)} on all of {len(pilot)} trajectories; a derivative "
            "through round, a comparison or stop_gradient is zero"
        )


def _require_variance(pilot: np.ndarray, shape: tuple[int, ...]) -> None:
    """Refuse the tail of an infinite variance: no interval of its mean can be trusted."""
    indices = [tail_index(column) for column in pilot.T]
    index = int(np.argmin(indices))
    if indices[index] <= LEAST:
        raise ValueError(
            f"need a statistic of finite variance, got component "
            f"{position(index, shape)}, whose {LARGEST} largest of {len(pilot)} samples "
            f"fall off as a power of index {indices[index]:.1f}, not above {LEAST:g}; "
            "assert a bounded or truncated statistic, its logarithm, or fewer steps"
        )
