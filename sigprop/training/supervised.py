"""Training of a deep network on labelled sequences, which can be interrupted and resumed.

Source: Orvieto et al. (2023), Appendix D.2.
"""

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

from sigprop.networks import TwoTowers, over_batch
from sigprop.networks.probing import state_powers
from sigprop.tasks.examples import (
    Batch,
    DataSet,
    Examples,
    evaluation_batches,
    training_batch,
)
from sigprop.training.recipes import Recipe
from sigprop.training.segments import (
    Fit,
    Kind,
    Last,
    Prepare,
    Progress,
    Trained,
    fit_segments,
    ready,
    stacked,
    unchanged,
)

PROBED = 32  # sequences whose states are measured at each evaluation


class Score(NamedTuple):
    """Mean loss and accuracy of a network over a part of a data set.

    Attributes:
        loss: Mean cross-entropy in nats.
        accuracy: Share of correct answers.
    """

    loss: float
    accuracy: float


class Best(NamedTuple):
    """Network with the largest validation accuracy so far.

    Attributes:
        parameters: Trained arrays.
        state: Running averages.
        accuracy: Accuracy on the validation part.
        step: Training step.
    """

    parameters: Any
    state: eqx.nn.State
    accuracy: Float[Array, ""]
    step: Int[Array, ""]


class Fitted(NamedTuple):
    """Result of a training.

    Attributes:
        network: Network with the largest validation accuracy, in inference mode.
        state: Running averages of this network.
        step: Training step of this network.
        validation: Accuracy of this network on the validation part.
        test: Loss and accuracy of this network on the test part.
        records: ``loss`` and ``gradient_norm`` of shape (segments, steps).  ``step``,
            ``validation_loss``, ``validation_accuracy``, ``state_power`` of every layer,
            and the arrays of the probe, with a value per evaluation.
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
    """Return minus the log-probability of each label in nats."""
    return optax.losses.softmax_cross_entropy_with_integer_labels(scores, labels)


def fit(
    recipe: Recipe,
    data: DataSet,
    seed: int = 0,
    *,
    checkpoint: Path | None = None,
    every: float = 20.0,
    probe: Probe | None = None,
    progress: Progress = lambda done, last: None,
    prepare: Prepare = unchanged,
) -> Fitted:
    """Train a network to classify sequences; test it at the step of best validation.

    Args:
        recipe: Network, optimiser, learning rate and batch size.
        data: Training, validation and test parts of the data.
        seed: Seed of the parameters, of the order of the examples and of dropout.
        checkpoint: File to which the training run is saved and from which it resumes.
            Default: none.
        every: Number of seconds between two checkpoints.
        probe: Function of the network in inference mode and its running averages.  It
            is called at each evaluation and returns a dictionary of arrays to record,
            whose shapes must not change.  Default: none.
        progress: Function that is called at the start and after each segment of
            ``recipe.segment`` steps.  Its arguments are the number of finished
            segments, and a dictionary with the last ``loss`` and validation
            ``accuracy``, empty at the start.
        prepare: Function that takes the initialised network and returns the network to
            train, with arrays of the same shapes.  Default: no change.

    Returns:
        A named tuple.  ``network`` is the network after training step ``step``, at
        which the validation accuracy ``validation`` was largest.  ``state`` has the
        running averages of the network's normalisations, and ``test`` the network's
        loss and accuracy on the test part.  ``records`` has the losses and validation
        accuracies during training.

    Raises:
        ValueError: If the seed is out of range; the network does not fit the data;
            ``recipe.batch`` exceeds the number of training examples; or the checkpoint
            is damaged or belongs to another training run.
        Diverged: If a loss, a gradient or a parameter is not finite.  The last
            checkpoint is kept.

    Example:
        >>> from sigprop.networks import NetworkConfig
        >>> from sigprop.tasks import DataSet, Examples
        >>> from sigprop.training import Optimiser, Recipe
        >>> part = Examples(np.zeros((8, 5, 1)), np.full(8, 5), np.arange(8) % 2)
        >>> sizes = {"inputs": 1, "outputs": 2, "width": 2, "state_size": 2, "depth": 1}
        >>> network = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> short = {"batch": 4, "segment": 2, "evaluate": 1}
        >>> recipe = Recipe(network=network, optimiser=Optimiser(steps=2), rate=0.01, **short)
        >>> fitted = fit(recipe, DataSet(part, part, part, classes=2))
        >>> fitted.step, fitted.network.config.layer
        (2, 'lru')
    """
    require_fit(recipe, data)
    end, records = fit_segments(
        KIND,
        recipe,
        seed,
        functools.partial(_batches, recipe, data, seed),
        functools.partial(_look, recipe, data, probe),
        about={},
        checkpoint=checkpoint,
        every=every,
        progress=progress,
        prepare=prepare,
    )
    best = end.best
    with jax.default_matmul_precision(recipe.matmul):
        network = ready(recipe, best.parameters)
        test = evaluate(network, best.state, data.test, recipe.batch)
    return Fitted(
        network, best.state, int(best.step), float(best.accuracy), test, records
    )


def evaluate(
    network: Trained, state: eqx.nn.State, examples: Examples, size: int
) -> Score:
    """Return the loss and accuracy of a network on some examples.

    Args:
        network: Network in inference mode.
        state: Running averages of the network.
        examples: Labelled sequences.
        size: Number of examples in a batch.
    """
    loss, right = 0.0, 0
    for batch in evaluation_batches(examples, size):
        answers = _answers(network, state, *_placed(batch, examples.full))
        loss += float(np.sum(answers[0], where=batch.valid))
        right += int(np.sum(answers[1], where=batch.valid))
    return Score(loss / len(examples), right / len(examples))


def require_fit(recipe: Recipe, data: DataSet) -> None:
    """Raise an error if the network of a recipe does not fit the data.

    Raises:
        ValueError: If the encoder, the outputs, the head, the pooling or the inputs of
            the network do not fit; the message states what the data need.
    """
    config, features = recipe.network, data.train.features
    needed = {
        "encoder": "linear" if features else "embedding",
        "outputs": data.classes,
        "head": "pair" if data.pairs else "linear",
    }
    sizes = {name: getattr(config, name) for name in needed}
    if sizes != needed or config.pooling == "none":
        raise ValueError(
            f"need a network of {needed} that pools, for these data, got {sizes} and "
            f"pooling {config.pooling!r}"
        )
    least = features or data.vocabulary or 0
    if config.inputs < least or (features and config.inputs > features):
        raise ValueError(f"need {least} inputs for these data, got {config.inputs}")


def _batches(recipe: Recipe, data: DataSet, seed: int, steps: range) -> tuple[Any, ...]:
    samples = [training_batch(data.train, recipe.batch, seed, step) for step in steps]
    return _placed(stacked(samples), data.train.full, axis=1)


def _look(
    recipe: Recipe, data: DataSet, probe: Probe | None, now: Fit, last: Last
) -> tuple[Fit, dict[str, Any]]:
    network = ready(recipe, now.run.parameters)
    score = evaluate(network, now.state, data.validation, recipe.batch)
    accuracy = jnp.asarray(score.accuracy, now.best.accuracy.dtype)
    if accuracy > now.best.accuracy:
        best = Best(now.run.parameters, now.state, accuracy, now.run.step)
        now = now._replace(best=best)
    last["accuracy"] = score.accuracy
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
    """Return inputs, lengths (None if all are equal) and labels, shared over devices."""
    parts = (batch.inputs, None if full else batch.lengths, batch.labels)
    count = jax.device_count()
    if count == 1 or batch.labels.shape[axis] % count:
        return parts
    axes = (*(None,) * axis, "examples")
    mesh = Mesh(np.array(jax.devices()), "examples")
    return jax.device_put(parts, NamedSharding(mesh, PartitionSpec(*axes)))


# --- compiled -----------------------------------------------------------------------


def _loss(
    recipe: Recipe,
    network: Trained,
    state: eqx.nn.State,
    inputs: Num[Array, "batch *sequence"],
    lengths: Int[Array, "batch *pair"] | None,
    labels: Int[Array, " batch"],
    key: Any,
) -> tuple[Float[Array, ""], eqx.nn.State]:
    scores, state = over_batch(network, state, inputs, lengths=lengths, key=key)
    return cross_entropy(scores, labels).mean(), state


KIND = Kind(_loss, Best, -1.0)


@eqx.filter_jit
def _answers(
    network: Trained, state: eqx.nn.State, inputs: Any, lengths: Any, labels: Any
) -> tuple[Float[Array, " batch"], Bool[Array, " batch"]]:
    """Return the loss of each example, and True if its answer is right."""
    scores, _ = over_batch(network, state, inputs, lengths=lengths)
    return cross_entropy(scores, labels), scores.argmax(-1) == labels


@eqx.filter_jit
def _powers(
    network: Trained, state: eqx.nn.State, inputs: Any, lengths: Any
) -> Float[Array, " depth"]:
    """Return ``E|h|^2`` of every layer; for pairs, in their first sequences."""
    if isinstance(network, TwoTowers):
        first = None if lengths is None else lengths[:, 0]
        return state_powers(network.tower, state, inputs[:, 0], first)
    return state_powers(network, state, inputs, lengths)
