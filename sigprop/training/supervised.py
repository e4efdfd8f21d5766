"""Training a deep network on labelled sequences, and resuming it where it was stopped.

The batch and the random numbers of a step depend on the seed and the step alone, and a
checkpoint holds everything else, the best network so far included: a training that was
killed ends with the numbers of one that was not.

Source: Orvieto et al. (2023), Appendix D.2, for rates, groups and schedule.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Bool, Float, Int, Num

from sigprop.networks import Network, TwoTowers, build, over_batch, parameter_groups
from sigprop.networks.probing import state_powers
from sigprop.numerics.seeds import require_seed
from sigprop.tasks.examples import (
    Batch,
    DataSet,
    Examples,
    evaluation_batches,
    training_batch,
)
from sigprop.training.loop import Run, Segments, descend, select_tree, start, train
from sigprop.training.recipes import Recipe

SLOW = ("recurrent", "input")  # groups with a smaller rate and no decay: A, B, gamma
PROBED = 32  # sequences whose states are measured at each evaluation
Trained = Network | TwoTowers


class Diverged(ArithmeticError):
    """The loss or a gradient was not finite; nothing moved since."""

    def __init__(self, step: int):
        super().__init__(f"loss or gradient is not finite at step {step}")
        self.step = step


class Score(NamedTuple):
    """How well a network does on a part of a data set: means over its examples."""

    loss: float
    accuracy: float


class Best(NamedTuple):
    """The network of the best validation so far."""

    parameters: Any
    state: eqx.nn.State
    accuracy: Float[Array, ""]
    step: Int[Array, ""]


class Fit(NamedTuple):
    """Where a training stands; ``state`` are the running averages."""

    run: Run
    state: eqx.nn.State
    best: Best


class Fitted(NamedTuple):
    """A training at its end.

    Attributes:
        network: At the best validation; it is in inference mode.
        state: Its running averages.
        step: The step after which it was best.
        validation: Its accuracy there.
        test: What it then scores.
        records: ``loss`` and ``gradient_norm`` (segments, steps); at each evaluation
            ``step``, ``validation_loss``, ``validation_accuracy``, ``state_power`` of
            every layer, and what the probe returns.
    """

    network: Trained
    state: eqx.nn.State
    step: int
    validation: float
    test: Score
    records: dict[str, np.ndarray]


Probe = Callable[[Trained, eqx.nn.State], Mapping[str, Any]]


def cross_entropy(
    scores: Float[Array, "batch classes"], labels: Int[Array, " batch"]
) -> Float[Array, " batch"]:
    """Minus the log-probability of each label, in nats."""
    return optax.losses.softmax_cross_entropy_with_integer_labels(scores, labels)


def fit(
    recipe: Recipe,
    data: DataSet,
    seed: int = 0,
    *,
    checkpoint: Path | None = None,
    every: float = 20.0,
    probe: Probe | None = None,
    progress: Callable[[int, Mapping[str, float]], None] = lambda done, last: None,
) -> Fitted:
    """Train a network, and test it where its validation was best.

    Args:
        recipe: Network and schedule.
        data: Training, validation and test.
        seed: Of the parameters, of the order of the examples and of what is dropped.
        checkpoint: File to go on from and to write.
        every: Seconds between two writes.
        probe: Measures a network, in inference mode, at each evaluation; its arrays are
            recorded, and must not change in shape.
        progress: Called with the segments done and the last loss and accuracy.

    Raises:
        ValueError: If no generator takes the seed, the network does not fit the data, a
            batch is larger than the training, or the checkpoint is of another training.
        Diverged: At the step whose loss or gradient is not finite; the checkpoint before
            it is left.
    """
    require_seed(seed)
    require_fit(recipe, data)
    last: dict[str, float] = {}
    with jax.default_matmul_precision(recipe.matmul):
        end, records = train(
            _begin(recipe, seed),
            functools.partial(_segment, recipe, data, seed, probe, last),
            Segments(
                recipe.segments,
                recipe.segment,
                checkpoint,
                every,
                {**dataclasses.asdict(recipe), "seed": seed},
            ),
            lambda done: progress(done, last),
        )
        best = end.best
        network = ready(recipe, best.parameters)
        test = evaluate(network, best.state, data.test, recipe.batch)
    return Fitted(
        network, best.state, int(best.step), float(best.accuracy), test, records
    )


def evaluate(
    network: Trained, state: eqx.nn.State, examples: Examples, size: int
) -> Score:
    """Loss and accuracy of a network in inference mode, ``size`` examples at once."""
    loss, right = 0.0, 0
    for batch in evaluation_batches(examples, size):
        answers = _answers(network, state, *_placed(batch, examples.full))
        loss += float(np.sum(answers[0], where=batch.valid))
        right += int(np.sum(answers[1], where=batch.valid))
    return Score(loss / len(examples), right / len(examples))


def require_fit(recipe: Recipe, data: DataSet) -> None:
    """Refuse a network that cannot read the data, or answer about them.

    Raises:
        ValueError: Naming what the data need.
    """
    config, features = recipe.network, data.train.features
    needed = {
        "encoder": "linear" if features else "embedding",
        "outputs": data.classes,
        "head": "pair" if data.pairs else "linear",
    }
    given = {name: getattr(config, name) for name in needed}
    if given != needed or config.pooling == "none":
        raise ValueError(
            f"need a network of {needed} that pools, for these data, got {given} and "
            f"pooling {config.pooling!r}"
        )
    least = features or data.vocabulary or 0
    if config.inputs < least or (features and config.inputs > features):
        raise ValueError(f"need {least} inputs for these data, got {config.inputs}")


def _begin(recipe: Recipe, seed: int) -> Fit:
    network_key, run_key = jax.random.split(jax.random.key(seed))
    network, state = build(network_key, recipe.network)
    parameters = eqx.filter(network, eqx.is_inexact_array)
    run = start(parameters, recipe.optimiser, recipe.rate, run_key)
    never = Best(parameters, state, jnp.asarray(-1.0), run.step)
    return Fit(run, state, never)


@functools.lru_cache(maxsize=8)
def skeleton(recipe: Recipe) -> tuple[Trained, Any, Any]:
    """Everything but the parameters, and factors of their rates and of their decays."""
    network, _ = build(jax.random.key(0), recipe.network)
    groups = parameter_groups(network)
    factors = jax.tree.map(lambda name: recipe.factor if name in SLOW else 1.0, groups)
    decays = jax.tree.map(lambda name: 0.0 if name in SLOW else 1.0, groups)
    return eqx.filter(network, eqx.is_inexact_array, inverse=True), factors, decays


def ready(recipe: Recipe, parameters: Any) -> Trained:
    """The network of a recipe with these parameters, in inference mode."""
    network = eqx.combine(parameters, skeleton(recipe)[0])
    return eqx.nn.inference_mode(network)


def _segment(
    recipe: Recipe,
    data: DataSet,
    seed: int,
    probe: Probe | None,
    last: dict[str, float],
    now: Fit,
) -> tuple[Fit, dict[str, Any]]:
    """Take the steps of a segment, and look at the validation where it is time."""
    first = int(now.run.step)
    batches = [
        training_batch(data.train, recipe.batch, seed, first + step)
        for step in range(recipe.segment)
    ]
    stacked = Batch(*(np.stack(parts) for parts in zip(*batches, strict=True)))
    run, state, losses, norms = _steps(
        recipe, now.run, now.state, *_placed(stacked, data.train.full, axis=1)
    )
    if run.diverged >= 0:
        raise Diverged(int(run.diverged))
    now = now._replace(run=run, state=state)
    records: dict[str, Any] = {"loss": losses, "gradient_norm": norms}
    last["loss"] = float(losses.mean())
    done = (first + recipe.segment) // recipe.segment
    if done % recipe.evaluate == 0 or done == recipe.segments:
        now, seen = _look(recipe, data, probe, now)
        last["accuracy"] = seen["validation_accuracy"]
        records |= seen
    return now, records


def _look(
    recipe: Recipe, data: DataSet, probe: Probe | None, now: Fit
) -> tuple[Fit, dict[str, Any]]:
    network = ready(recipe, now.run.parameters)
    score = evaluate(network, now.state, data.validation, recipe.batch)
    accuracy = jnp.asarray(score.accuracy, now.best.accuracy.dtype)
    if accuracy > now.best.accuracy:
        best = Best(now.run.parameters, now.state, accuracy, now.run.step)
        now = now._replace(best=best)
    rows = np.arange(min(PROBED, len(data.validation)))
    shown = _placed(data.validation.take(rows), data.validation.full)
    record = {
        "step": int(now.run.step),
        "validation_loss": score.loss,
        "validation_accuracy": score.accuracy,
        "state_power": _powers(network, now.state, *shown[:2]),
    }
    return now, record | (dict(probe(network, now.state)) if probe else {})


def _placed(batch: Batch, full: bool, axis: int = 0) -> tuple[Any, Any, Any]:
    """Inputs, lengths where they differ, and labels; a share of them on every device."""
    parts = (batch.inputs, None if full else batch.lengths, batch.labels)
    count = jax.device_count()
    if count == 1 or batch.labels.shape[axis] % count:
        return parts
    axes = (*(None,) * axis, "examples")
    mesh = Mesh(np.array(jax.devices()), "examples")
    return jax.device_put(parts, NamedSharding(mesh, PartitionSpec(*axes)))


# --- compiled -----------------------------------------------------------------------


@functools.partial(jax.jit, static_argnums=0)
def _steps(
    recipe: Recipe,
    run: Run,
    state: eqx.nn.State,
    inputs: Num[Array, "steps batch *sequence"],
    lengths: Int[Array, "steps batch *pair"] | None,
    labels: Int[Array, "steps batch"],
) -> tuple[Run, eqx.nn.State, Float[Array, " steps"], Float[Array, " steps"]]:
    rest, factors, decays = skeleton(recipe)
    descent = recipe.optimiser.transformation(run.rate, factors, decays)

    def loss(parameters, state, inputs, lengths, labels, key):
        network = eqx.combine(parameters, rest)
        scores, state = over_batch(network, state, inputs, lengths=lengths, key=key)
        return cross_entropy(scores, labels).mean(), state

    def body(now, batch):
        run, state = now
        key = jax.random.fold_in(run.key, run.step)
        (value, moved), slopes = jax.value_and_grad(loss, has_aux=True)(
            run.parameters, state, *batch, key
        )
        run, going = descend(run, descent, value, slopes)
        return (run, select_tree(going, moved, state)), (value, optax.tree.norm(slopes))

    (run, state), curves = jax.lax.scan(body, (run, state), (inputs, lengths, labels))
    return run, state, *curves


@eqx.filter_jit
def _answers(
    network: Trained, state: eqx.nn.State, inputs: Any, lengths: Any, labels: Any
) -> tuple[Float[Array, " batch"], Bool[Array, " batch"]]:
    """Loss of each example, and whether the answer is right."""
    scores, _ = over_batch(network, state, inputs, lengths=lengths)
    return cross_entropy(scores, labels), scores.argmax(-1) == labels


@eqx.filter_jit
def _powers(
    network: Trained, state: eqx.nn.State, inputs: Any, lengths: Any
) -> Float[Array, " depth"]:
    """``E|h|^2`` of every layer; of a pair, in its first sequence."""
    if isinstance(network, TwoTowers):
        first = None if lengths is None else lengths[:, 0]
        return state_powers(network.tower, state, inputs[:, 0], first)
    return state_powers(network, state, inputs, lengths)
