"""Training of a deep network in segments, with the best network kept.

A training goes in segments.  The batch and the random numbers of a step depend on the seed
and the step alone, and a checkpoint holds everything else, the best network so far
included: a training that was killed ends with the numbers of one that was not.

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
    """A network as it is: what ``fit`` does with it before the first step."""
    return network


class Diverged(ArithmeticError):
    """The loss or a gradient was not finite; nothing moved since."""

    def __init__(self, step: int):
        super().__init__(f"loss or gradient is not finite at step {step}")
        self.step = step


class Fit(NamedTuple):
    """State of a training, with the best network so far.

    Attributes:
        run: Parameters and optimiser.
        state: Running averages.
        best: Parameters, averages, score and step of the best validation so far.
    """

    run: Run
    state: eqx.nn.State
    best: Any


@dataclasses.dataclass(frozen=True)
class Kind:
    """Kind of training: its loss, and the record of its best network.

    Attributes:
        loss: Of a recipe, a network, its averages, the parts of a batch and a key: the
            mean over the batch, and the averages after it.
        best: Makes ``Fit.best`` of parameters, averages, score and step.
        worst: A score that any network beats.
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
    """Take all segments of a recipe, or those after the checkpoint.

    Args:
        kind: What is learnt.
        recipe: Network and schedule.
        seed: Seed of the parameters and of what is dropped.
        batches: The parts of the batches of some steps, steps along their first axes.
        look: Measures a network on the validation: where the training stands then, and
            what to record; it adds what it found to what ``progress`` is shown.
        about: What is trained, beside recipe and seed, in plain data.
        checkpoint: File to go on from and to write.
        every: Seconds between two writes.
        progress: Called with the segments done, the last loss and what ``look`` found.
        prepare: Changes numbers of the drawn network, and no shapes, before the first
            step.

    Returns:
        Its end, and ``loss`` and ``gradient_norm`` (segments, steps) beside what ``look``
        recorded.

    Raises:
        ValueError: If no generator takes the seed, or the checkpoint is of another
            training.
        Diverged: At the step whose loss or gradient is not finite; the checkpoint before
            it is left.
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
    """The parts of batches, one batch after another along a first axis."""
    return type(batches[0])(*(np.stack(parts) for parts in zip(*batches, strict=True)))


def ready(recipe: Recipe, parameters: Any) -> Trained:
    """The network of a recipe with these parameters, in inference mode."""
    network = eqx.combine(parameters, _skeleton(recipe)[0])
    return eqx.nn.inference_mode(network)


@functools.lru_cache(maxsize=8)
def _skeleton(recipe: Recipe) -> tuple[Trained, Any, Any]:
    """Everything but the parameters, and factors of their rates and of their decays."""
    with jax.ensure_compile_time_eval():  # layers may be drawn by NumPy
        network, _ = build(recipe.network, key=jax.random.key(0))
    groups = parameter_groups(network)
    factors = jax.tree.map(lambda name: recipe.factor if name in SLOW else 1.0, groups)
    decays = jax.tree.map(lambda name: 0.0 if name in SLOW else 1.0, groups)
    return eqx.filter(network, eqx.is_inexact_array, inverse=True), factors, decays


def untrained(config: NetworkConfig, seed: int) -> Trained:
    """The network that a training of this seed starts from.

    Args:
        config: Network of the training's recipe.
        seed: Seed of the training.
    """
    return _drawn(config, seed)[0]


def _drawn(
    config: NetworkConfig, seed: int
) -> tuple[Trained, eqx.nn.State, PRNGKeyArray]:
    """The network before the first step, its averages, and the key of the run."""
    with jax.ensure_compile_time_eval():  # by the programs that ``_skeleton`` takes
        network_key, run_key = jax.random.split(jax.random.key(seed))
        return *build(config, key=network_key), run_key


def begin(kind: Kind, recipe: Recipe, seed: int, prepare: Prepare = unchanged) -> Fit:
    """State of a training before its first step."""
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
    """Take the steps of a segment, and look at the validation where it is time."""
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
    """Take a step a batch; return what moved, and loss and gradient norm of each.

    Args:
        kind: What is learnt.
        recipe: Network and optimiser.
        run: Parameters and optimiser as they are.
        state: Running averages.
        batches: As ``fit_segments`` is given them.
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
