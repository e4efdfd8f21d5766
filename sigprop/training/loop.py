"""Optimisers, and a training loop that can be interrupted and resumed.

A run is a pytree, so that ``jax.vmap`` trains many runs at once, for example with several
seeds or learning rates.  Training consists of segments of equal length.  The loop records
curves after each segment.  It writes a checkpoint from time to time, from which the same
call resumes.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from sigprop.layers.base import Group, Layer, replace
from sigprop.numerics.interruption import heed
from sigprop.training.checkpoints import load_checkpoint, save_checkpoint

Parameters = Any
Tree = TypeVar("Tree")
Loss = Callable[[Parameters, PRNGKeyArray], Float[Array, ""]]
SCHEDULES = ("cosine", "constant")


@dataclass(frozen=True)
class Optimiser:
    """Settings of Adam, or of AdamW if ``decay`` is positive, without the learning rate.

    Attributes:
        steps: Number of steps of the schedule.
        schedule: ``cosine`` for a decay to ``final`` times the peak rate, or
            ``constant``.
        warmup: Number of steps at the start in which the learning rate grows linearly
            to its peak.
        final: Learning rate at the end of the cosine schedule, as a fraction of the
            peak rate.
        decay: Decoupled weight decay, which is multiplied by the learning rate.
        betas: Decay factors of the running averages of the gradient and of its square.
        eps: Number that is added to the square root of the averaged squared gradient.

    Raises:
        ValueError: If ``schedule`` is unknown, ``warmup`` is outside [0, steps), ``decay``
            is negative, or ``final`` is outside [0, 1].

    Source: Kingma and Ba (2015); Loshchilov and Hutter (2017, 2019).

    Example:
        >>> adam = Optimiser(steps=1000, warmup=100)
        >>> steps = (50, 100, 1000)  # in the warm-up, at the peak, at the end
        >>> [round(float(adam.rate_at(1e-2, step)), 4) for step in steps]
        [0.0051, 0.01, 0.0]
    """

    steps: int
    schedule: str = "cosine"
    warmup: int = 0
    final: float = 0.0
    decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ValueError(f"need a schedule in {SCHEDULES}, got {self.schedule!r}")
        if not 0 <= self.warmup < self.steps:
            raise ValueError(
                f"need 0 <= warmup < steps, got warmup={self.warmup}, steps={self.steps}"
            )
        if not (self.decay >= 0 and 0 <= self.final <= 1):
            raise ValueError(
                f"need decay >= 0 and 0 <= final <= 1, got {self.decay}, {self.final}"
            )

    def rate_at(self, rate: Any, step: Any) -> Float[Array, ""]:
        """Return the learning rate at a step.

        Args:
            rate: Peak learning rate.
            step: Index of the step, from 0.
        """
        if self.schedule == "constant":
            after = jnp.ones(())
        else:
            # A product: a quotient of integers would be in single precision.
            left = (step - self.warmup) * (1 / (self.steps - self.warmup))
            wave = (1 + jnp.cos(jnp.pi * jnp.clip(left, 0, 1))) / 2
            after = self.final + (1 - self.final) * wave
        before = (step + 1) * (1 / max(self.warmup, 1))
        return rate * jnp.where(step < self.warmup, before, after)

    def transformation(
        self,
        rate: Any,
        factors: Parameters | None = None,
        decays: Parameters | None = None,
    ) -> optax.GradientTransformation:
        """Return the optimiser as a gradient transformation of Optax.

        Args:
            rate: Peak learning rate; it may be traced by JAX.
            factors: Factor on the learning rate of each parameter, as a pytree with the
                structure of the parameters.  Default: 1.
            decays: Factor on the weight decay of each parameter, as a pytree with the
                structure of the parameters.  Default: 1.
        """
        return optax.chain(
            optax.scale_by_adam(*self.betas, self.eps),
            optax.stateless(lambda moves, now: self._decayed(moves, now, decays)),
            optax.stateless(lambda moves, _: _scaled(moves, factors)),
            optax.scale_by_schedule(lambda step: -self.rate_at(rate, step)),
        )

    def _decayed(self, moves: Any, parameters: Any, decays: Any) -> Any:
        if not self.decay:
            return moves
        shares = jax.tree.map(lambda _: 1.0, moves) if decays is None else decays
        return jax.tree.map(
            lambda move, value, share: move + self.decay * share * value,
            *(moves, parameters, shares),
        )


def _scaled(moves: Any, factors: Any) -> Any:
    if factors is None:
        return moves
    return jax.tree.map(lambda move, factor: factor * move, moves, factors)


def by_group(layer: Layer, values: Mapping[str, float]) -> Layer:
    """Return a number for each parameter of a layer, chosen by the parameter's group.

    The result can be the ``factors`` or ``decays`` of ``advance``.

    Args:
        layer: Layer whose method ``groups`` gives the group of each parameter.
        values: Number for each group.  Other groups get 1.

    Raises:
        ValueError: If a group is unknown.

    Example:
        >>> from sigprop.layers import lru
        >>> layer = lru(4, 2, key=jax.random.key(0))
        >>> rates = by_group(layer, {"recurrent": 0.25})
        >>> float(rates.nu_log), float(rates.B_re)
        (0.25, 1.0)
    """
    unknown = set(values) - set(get_args(Group))
    if unknown:
        raise ValueError(
            f"need groups in {get_args(Group)}, got {', '.join(sorted(unknown))}"
        )
    groups = layer.groups()
    chosen = {name: jnp.asarray(values.get(groups[name], 1.0)) for name in groups}
    return replace(layer, chosen)


class Run(NamedTuple):
    """State of a training run.

    Attributes:
        parameters: Trained arrays.
        optimiser: State of the optimiser.
        step: Number of steps so far.
        diverged: Index of the first step with a loss, gradient or parameter that is not
            finite, or -1 if there is none.  The run does not change from this step on.
        key: Random key of JAX; step ``k`` uses ``fold_in(key, k)``.
        rate: Peak learning rate.

    Example:
        >>> run = start(jnp.ones(2), Optimiser(steps=10), 0.1, jax.random.key(0))
        >>> int(run.step), int(run.diverged), run.parameters.tolist()
        (0, -1, [1.0, 1.0])
    """

    parameters: Parameters
    optimiser: Any
    step: Int[Array, "*runs"]
    diverged: Int[Array, "*runs"]
    key: PRNGKeyArray
    rate: Float[Array, "*runs"]


def start(
    parameters: Parameters, optimiser: Optimiser, rate: Any, key: PRNGKeyArray
) -> Run:
    """Return the state of a training run before its first step.

    ``jax.vmap`` of this function starts many runs.

    Args:
        parameters: Initial parameters, as a pytree of arrays.
        optimiser: Settings of the optimiser.
        rate: Peak learning rate.
        key: Random key of JAX for the whole run.

    Raises:
        ValueError: If ``rate`` is a Python number that is not positive.

    Example:
        >>> run = start(jnp.ones(2), Optimiser(steps=10), 0.1, jax.random.key(0))
        >>> round(float(run.rate), 3)
        0.1
    """
    if isinstance(rate, float | int) and not rate > 0:
        raise ValueError(f"need a positive learning rate, got {rate}")
    state = optimiser.transformation(rate).init(parameters)
    zero = jnp.zeros((), jnp.int32)
    return Run(parameters, state, zero, zero - 1, key, jnp.asarray(rate, float))


def advance(
    run: Run,
    loss: Loss,
    optimiser: Optimiser,
    steps: int,
    factors: Parameters | None = None,
    decays: Parameters | None = None,
) -> tuple[Run, Float[Array, " steps"]]:
    """Take training steps, and return the run and the loss before each step.

    If a step has a loss, gradient or parameter that is not finite, the run keeps its
    state from before that step.  The losses of that step and of all later steps are
    NaN.

    Args:
        run: State of the run.
        loss: Loss as a function of the parameters and a random key.
        optimiser: Settings of the optimiser.
        steps: Number of steps.
        factors: Factor on the learning rate of each parameter, as a pytree with the
            structure of the parameters.  Default: 1.
        decays: Factor on the weight decay of each parameter, as a pytree with the
            structure of the parameters.  Default: 1.

    Example:
        >>> adam = Optimiser(steps=100, schedule="constant")
        >>> run = start(jnp.ones(2), adam, 0.1, jax.random.key(0))
        >>> run, losses = advance(run, lambda x, key: (x**2).sum(), adam, 5)
        >>> losses.shape, int(run.step), float(losses[0])  # 1**2 + 1**2
        ((5,), 5, 2.0)
    """
    transformation = optimiser.transformation(run.rate, factors, decays)

    def body(run: Run, _: None):
        value, gradients = jax.value_and_grad(loss)(
            run.parameters, jax.random.fold_in(run.key, run.step)
        )
        after, going = descend(run, transformation, value, gradients)
        return after, jnp.where(going, value, jnp.nan)

    return jax.lax.scan(body, run, length=steps)


def descend(
    run: Run,
    transformation: optax.GradientTransformation,
    value: Float[Array, ""],
    gradients: Parameters,
) -> tuple[Run, Bool[Array, ""]]:
    """Take one step unless the run has diverged, and return whether it was taken.

    Args:
        run: State of the run.
        transformation: Optimiser as a gradient transformation of Optax.
        value: Loss.
        gradients: Gradient of the loss by the parameters.
    """
    moves, state = transformation.update(gradients, run.optimiser, run.parameters)
    moved = optax.apply_updates(run.parameters, moves)
    leaves = [value, *jax.tree.leaves(gradients), *jax.tree.leaves(moved)]
    sound = jnp.stack([jnp.isfinite(leaf).all() for leaf in leaves]).all()
    going = sound & (run.diverged < 0)
    parameters, state = select_tree(
        going, (moved, state), (run.parameters, run.optimiser)
    )
    diverged = jnp.where((run.diverged < 0) & ~sound, run.step, run.diverged)
    after = run._replace(
        parameters=parameters,
        optimiser=state,
        step=run.step + going,
        diverged=diverged,
    )
    return after, going


def select_tree(condition: Bool[Array, ""], yes: Tree, no: Tree) -> Tree:
    """Return the pytree ``yes`` if the condition is true, and ``no`` otherwise."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


def effective_rates(
    run: Run, optimiser: Optimiser, factors: Parameters | None = None
) -> Parameters:
    """Return the effective learning rate of Adam for each entry of the parameters.

    The effective rate is ``factor rate / (sqrt(v / (1 - b2**t)) + eps)``.  Here ``v``
    is the running average of the squared gradient after ``t`` steps, and ``b2`` is the
    decay factor of this average.  ``rate`` is the learning rate of the last step.  Adam
    changes a parameter by minus this effective rate times the bias-corrected average of
    its gradient.

    Args:
        run: State of the run.
        optimiser: Settings of the optimiser.
        factors: Factor on the learning rate of each parameter, as in ``advance``.

    Source: Kingma and Ba (2015), Algorithm 1; Zucchet & Orvieto (2024), Section 4.3.

    Example:
        >>> adam = Optimiser(steps=100, schedule="constant")
        >>> run = start(jnp.ones(1), adam, 0.1, jax.random.key(0))
        >>> run, _ = advance(run, lambda x, key: 5 * x.sum(), adam, 3)
        >>> round(float(effective_rates(run, adam)[0]), 4)  # 0.1 / 5
        0.02
    """
    adam = _adam_state(run.optimiser)
    correction = 1 - optimiser.betas[1] ** jnp.maximum(adam.count, 1)
    rate = optimiser.rate_at(run.rate, jnp.maximum(run.step - 1, 0))
    rates = jax.tree.map(
        lambda v: rate / (jnp.sqrt(v / correction) + optimiser.eps), adam.nu
    )
    return _scaled(rates, factors)


def _adam_state(state: Any) -> optax.ScaleByAdamState:
    states = [
        node
        for node in jax.tree.leaves(
            state, is_leaf=lambda node: isinstance(node, optax.ScaleByAdamState)
        )
        if isinstance(node, optax.ScaleByAdamState)
    ]
    return states[0]


@dataclass(frozen=True)
class Segments:
    """Segments of a training, and the file of its checkpoint.

    Attributes:
        count: Number of segments.
        steps: Number of steps of a segment.
        checkpoint: File to which the training is saved and from which it resumes, or
            None.
        every: Number of seconds between two checkpoints.
        about: Description of the training in plain data.  A checkpoint with another
            description raises an error.
    """

    count: int
    steps: int
    checkpoint: Path | None = None
    every: float = 20.0
    about: Mapping[str, Any] = field(default_factory=dict)


def train(
    run: Tree,
    segment: Callable[[Tree], tuple[Tree, Mapping[str, Any]]],
    segments: Segments,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[Tree, dict[str, np.ndarray]]:
    """Run all segments of a training run; resume from its checkpoint if there is one.

    If ``segments.checkpoint`` names a file, a checkpoint is written after the first
    segment, then every ``segments.every`` seconds, on an interruption and at the end.

    Args:
        run: Initial state: a ``Run``, many runs stacked along a first axis, or any
            pytree of arrays.
        segment: Function that takes a state and returns the state after
            ``segments.steps`` more steps and a dictionary of arrays to record.  Compile
            it with ``jax.jit`` for speed.
        segments: Number and length of the segments, and the checkpoint.
        progress: Function that is called at the start and after each segment, with the
            number of finished segments.

    Returns:
        The final state, and the recorded arrays by name.  The first axis of each array
        runs over the segments that recorded it.

    Raises:
        ValueError: If the checkpoint is damaged or belongs to another training run.

    Example:
        >>> adam = Optimiser(steps=10, schedule="constant")
        >>> run = start(jnp.ones(2), adam, 0.1, jax.random.key(0))
        >>> def segment(run):
        ...     run, losses = advance(run, lambda x, key: (x**2).sum(), adam, 5)
        ...     return run, {"loss": losses}
        >>> run, records = train(run, segment, Segments(2, 5))
        >>> int(run.step), records["loss"].shape  # 2 segments of 5 steps
        (10, (2, 5))
    """
    now, path = _Stand(run, 0, {}), segments.checkpoint
    if path is not None and path.is_file():
        now = _Stand(*load_checkpoint(path, run, segments.about))
    saved, written = now.done, -math.inf

    def keep(now: _Stand) -> None:
        if path is not None:
            save_checkpoint(path, now.run, now.done, now.records, segments.about)

    try:
        progress(now.done)
        while now.done < segments.count:
            after, recorded = segment(now.run)
            now = _Stand(after, now.done + 1, _extended(now.records, recorded))
            late = time.monotonic() - written > segments.every
            if late or now.done == segments.count:
                keep(now)
                saved, written = now.done, time.monotonic()
            progress(now.done)
            heed()
    except KeyboardInterrupt:
        if now.done > saved:
            keep(now)
        raise
    return now.run, {name: np.stack(values) for name, values in now.records.items()}


class _Stand(NamedTuple):
    """Progress of a training, replaced as a whole to be consistent on an interruption."""

    run: Any
    done: int
    records: dict[str, list[np.ndarray]]


def _extended(
    records: Mapping[str, list[np.ndarray]], latest: Mapping[str, Any]
) -> dict[str, list[np.ndarray]]:
    """Return a copy of the records with the latest values appended."""
    more = {name: [np.asarray(value)] for name, value in latest.items()}
    return {
        name: [*records.get(name, []), *more.get(name, [])]
        for name in {**records, **more}
    }
