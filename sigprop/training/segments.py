"""Training of a deep network in segments; the best network so far is kept.

The batch and the random numbers of a step depend only on the seed and the step.  A
checkpoint contains everything else, including the best network so far.  A training that
was interrupted and resumed therefore ends with the same numbers as an uninterrupted one.

Source: Orvieto et al. (2023), Appendix D.2, for rates, groups and schedule.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.networks import Network, NetworkConfig, TwoTowers, build, parameter_groups
from sigprop.numerics.seeds import require_seed
from sigprop.training.loop import Run, Segments, descend, select_tree, start, train
from sigprop.training.recipes import Recipe

SLOW = ("recurrent", "input")  # groups with a smaller rate and no decay: A, B, gamma
Trained = Network | TwoTowers
Parts = TypeVar("Parts", bound=tuple)
Last = dict[str, float]
Progress = Callable[[int, Mapping[str, float]], None]
Prepare = Callable[[Trained], Trained]


def unchanged(network: Trained) -> Trained:
    """Return the network without a change; the default of ``prepare`` in ``fit``."""
    return network


class Diverged(ArithmeticError):
    """Error at the first step whose loss or gradient is not finite.

    Attributes:
        step: Index of this step, from 0.
    """

    def __init__(self, step: int):
        super().__init__(f"loss or gradient is not finite at step {step}")
        self.step = step


class Fit(NamedTuple):
    """State of a training, with the best network so far.

    Attributes:
        run: Parameters, optimiser and step.
        state: Running averages of the network.
        best: Parameters, averages, score and step of the best validation so far.
    """

    run: Run
    state: eqx.nn.State
    best: Any


@dataclasses.dataclass(frozen=True)
class Kind:
    """Kind of training: its loss, and the record of its best network.

    Attributes:
        loss: Function of a recipe, a network, its running averages, the parts of a batch
            and a random key.  It returns the mean loss over the batch, and the new
            averages.
        best: Function that makes ``Fit.best`` from parameters, averages, score and step.
        worst: Score that is worse than the score of any network.
    """

    loss: Callable[..., tuple[Float[Array, ""], eqx.nn.State]]
    best: Callable[..., Any]
    worst: float


def fit_segments(
    kind: Kind,
    recipe: Recipe,
    seed: int,
    batches: Callable[[range], tuple[Any, ...]],
    look: Callable[[Fit, Last], tuple[Fit, dict[str, Any]]],
    *,
    about: Mapping[str, Any],
    checkpoint: Path | None,
    every: float,
    progress: Progress,
    prepare: Prepare = unchanged,
) -> tuple[Fit, dict[str, np.ndarray]]:
    """Run all segments of a recipe, or the segments after the checkpoint.

    Args:
        kind: Loss and record of the best network.
        recipe: Network and optimiser.
        seed: Seed of the parameters and of dropout.
        batches: Function from a range of steps to the parts of their batches; the first
            axis of each part is the steps.
        look: Function that evaluates the network on the validation part.  It returns the
            new state of the training and the values to record, and adds scores to the
            dictionary that ``progress`` receives.
        about: Description of the training in plain data, in addition to recipe and seed.
        checkpoint: File to which the training is saved and from which it resumes, or
            None.
        every: Number of seconds between two checkpoints.
        progress: Function that is called with the number of finished segments and a
            dictionary of the last loss and scores.
        prepare: Function from the initialised network to the network that is trained.
            Array shapes must not change.

    Returns:
        The final state, and the records: ``loss`` and ``gradient_norm`` of shape
        (segments, steps), and the values from ``look``.

    Raises:
        ValueError: If the seed is out of range, or the checkpoint is damaged or belongs
            to another training.
        Diverged: If the loss or a gradient is not finite.  The last checkpoint is kept.
    """
    require_seed(seed)
    last: Last = {}
    config = {**dataclasses.asdict(recipe), "seed": seed, **about}
    with jax.default_matmul_precision(recipe.matmul):
        return train(
            begin(kind, recipe, seed, prepare),
            functools.partial(_segment, kind, recipe, batches, look, last),
            Segments(recipe.segments, recipe.segment, checkpoint, every, config),
            lambda done: progress(done, last),
        )


def stacked(batches: Sequence[Parts]) -> Parts:
    """Stack the parts of several batches along a new first axis."""
    return type(batches[0])(*(np.stack(parts) for parts in zip(*batches, strict=True)))


def ready(recipe: Recipe, parameters: Any) -> Trained:
    """Return the network of a recipe with the given parameters, in inference mode."""
    network = eqx.combine(parameters, _skeleton(recipe)[0])
    return eqx.nn.inference_mode(network)


@functools.lru_cache(maxsize=8)
def _skeleton(recipe: Recipe) -> tuple[Trained, Any, Any]:
    """Return the network without its parameters, and factors on their rates and decays."""
    with jax.ensure_compile_time_eval():  # layers may be drawn by NumPy
        network, _ = build(recipe.network, key=jax.random.key(0))
    groups = parameter_groups(network)
    factors = jax.tree.map(lambda name: recipe.factor if name in SLOW else 1.0, groups)
    decays = jax.tree.map(lambda name: 0.0 if name in SLOW else 1.0, groups)
    return eqx.filter(network, eqx.is_inexact_array, inverse=True), factors, decays


def untrained(config: NetworkConfig, seed: int) -> Trained:
    """Return the initialised network of a training before its first step.

    Args:
        config: Configuration of the network, from the recipe.
        seed: Seed of the training.
    """
    return _drawn(config, seed)[0]


def _drawn(
    config: NetworkConfig, seed: int
) -> tuple[Trained, eqx.nn.State, PRNGKeyArray]:
    """Return the network before the first step, its averages, and the key of the run."""
    with jax.ensure_compile_time_eval():  # by the programs that ``_skeleton`` takes
        network_key, run_key = jax.random.split(jax.random.key(seed))
        return *build(config, key=network_key), run_key


def begin(kind: Kind, recipe: Recipe, seed: int, prepare: Prepare = unchanged) -> Fit:
    """Return the state of a training before its first step.

    Args:
        kind: Loss and record of the best network.
        recipe: Network and optimiser.
        seed: Seed of the training.
        prepare: Function from the initialised network to the network that is trained.
    """
    network, state, run_key = _drawn(recipe.network, seed)
    parameters = eqx.filter(prepare(network), eqx.is_inexact_array)
    run = start(parameters, recipe.optimiser, recipe.rate, run_key)
    never = kind.best(parameters, state, jnp.asarray(kind.worst), run.step)
    return Fit(run, state, never)


def _segment(
    kind: Kind,
    recipe: Recipe,
    batches: Callable[[range], tuple[Any, ...]],
    look: Callable[[Fit, Last], tuple[Fit, dict[str, Any]]],
    last: Last,
    now: Fit,
) -> tuple[Fit, dict[str, Any]]:
    """Take the steps of a segment, and evaluate the network if it is due."""
    first = int(now.run.step)
    steps = range(first, first + recipe.segment)
    run, state, losses, norms = take_steps(
        kind, recipe, now.run, now.state, tuple(batches(steps))
    )
    if run.diverged >= 0:
        raise Diverged(int(run.diverged))
    now = now._replace(run=run, state=state)
    records: dict[str, Any] = {"loss": losses, "gradient_norm": norms}
    last["loss"] = float(losses.mean())
    done = steps.stop // recipe.segment
    if done % recipe.evaluate == 0 or done == recipe.segments:
        now, scores = look(now, last)
        records |= scores
    return now, records


@functools.partial(jax.jit, static_argnums=(0, 1))
def take_steps(
    kind: Kind, recipe: Recipe, run: Run, state: eqx.nn.State, batches: tuple[Any, ...]
) -> tuple[Run, eqx.nn.State, Float[Array, " steps"], Float[Array, " steps"]]:
    """Take one training step per batch.

    Args:
        kind: Loss and record of the best network.
        recipe: Network and optimiser.
        run: Parameters, optimiser and step.
        state: Running averages of the network.
        batches: Parts of the batches; the first axis of each part is the steps.

    Returns:
        The new run, the new averages, and the loss and the gradient norm of each step.
    """
    rest, factors, decays = _skeleton(recipe)
    descent = recipe.optimiser.transformation(run.rate, factors, decays)

    def loss(parameters, state, batch, key):
        network = eqx.combine(parameters, rest)
        return kind.loss(recipe, network, state, *batch, key)

    def body(now, batch):
        run, state = now
        key = jax.random.fold_in(run.key, run.step)
        (value, moved), gradients = jax.value_and_grad(loss, has_aux=True)(
            run.parameters, state, batch, key
        )
        run, going = descend(run, descent, value, gradients)
        return (run, select_tree(going, moved, state)), (
            value,
            optax.tree.norm(gradients),
        )

    (run, state), curves = jax.lax.scan(body, (run, state), batches)
    return run, state, *curves
