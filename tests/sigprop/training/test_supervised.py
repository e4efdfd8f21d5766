"""Training on labelled sequences: it learns, resumes to the same numbers, and says no."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.networks import NetworkConfig
from sigprop.networks.assembly import parameter_groups
from sigprop.tasks.examples import DataSet, Examples
from sigprop.training.checkpoints import load_checkpoint
from sigprop.training.loop import Optimiser
from sigprop.training.recipes import Recipe, Schedule, recipe
from sigprop.training.segments import SLOW, Diverged, begin, ready, take_steps
from sigprop.training.supervised import (
    KIND,
    cross_entropy,
    evaluate,
    fit,
    require_fit,
)
from tests.devices import answers
from tests.sigprop.networks.small import in_batch

SMALL = NetworkConfig(
    inputs=1, outputs=2, width=4, state_size=4, depth=1, layer="lru", dropout=0.1
)
COMPILED = "/jax/core/compile/backend_compile_duration"
RECIPE = recipe(SMALL, Schedule(60, 10, 2e-2, 0.5), segment=5, evaluate=2)


def signs(count, seed, steps=12):
    """Noise around one mean or its opposite; sequences of six steps or more."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 2, count)
    lengths = draw.integers(6, steps, count, endpoint=True)
    x = draw.normal(size=(count, steps, 1)) + (2 * labels[:, None, None] - 1)
    x[np.arange(steps) >= lengths[:, None]] = 0
    return Examples(x.astype(np.float32), lengths, labels)


DATA = DataSet(signs(80, 0), signs(30, 1), signs(33, 2), classes=2)


LOOKS = 6  # at the validation


def faint(part, seed):
    """Noise alone in the place of a part: the answers go on changing."""
    draw = np.random.default_rng(seed)
    inputs = draw.normal(size=part.inputs.shape).astype(np.float32)
    return dataclasses.replace(part, inputs=inputs)


FAINT = [faint(DATA.validation, 11), faint(DATA.test, 12)]


def flat(tree):
    leaves = jax.tree.leaves(eqx.filter(tree, eqx.is_array))
    return np.concatenate([np.ravel(np.asarray(leaf)) for leaf in leaves])


def watch(network, state):
    """All that a training could choose by or keep."""
    answers = [
        np.asarray(in_batch(network, state, part.inputs, lengths=part.lengths)[0])
        for part in FAINT
    ]
    return {
        "validation answers": answers[0].argmax(-1),
        "test answers": answers[1].argmax(-1),
        "weights": flat(network),
        "averages": flat(state),
    }


@pytest.fixture(scope="module")
def undisturbed():
    return fit(RECIPE, DATA, 3, probe=watch)


def test_it_learns(undisturbed):
    assert undisturbed.test.accuracy > 0.85
    records = undisturbed.records
    assert records["loss"].shape == records["gradient_norm"].shape == (12, 5)
    assert records["loss"][-3:].mean() < 0.7 * records["loss"][0].mean()
    assert records["state_power"].shape == (LOOKS, 1)
    assert records["validation answers"].shape == (LOOKS, 30)


def silenced(network):
    """Without a say: the answer to everything is zero."""
    decoder = jax.tree.map(jnp.zeros_like, network.decoder)
    return eqx.tree_at(lambda tree: tree.decoder, network, decoder)


def test_what_is_prepared_is_trained(undisturbed):
    records = fit(RECIPE, DATA, 3, prepare=silenced).records
    assert records["loss"][0, 0] == pytest.approx(np.log(2))
    assert undisturbed.records["loss"][0, 0] != pytest.approx(np.log(2), rel=1e-3)
    assert records["loss"][-3:].mean() < 0.7 * np.log(2)


def test_the_best_step_is_that_of_the_validation_with_its_own_averages(undisturbed):
    """The labels are what the network says at one look, of the test at another one."""
    best, other = 1, 3
    watched = undisturbed.records
    answers = [watched["validation answers"], watched["test answers"]]
    chosen = [
        dataclasses.replace(part, labels=answer[look].astype(int))
        for part, answer, look in zip(FAINT, answers, (best, other), strict=True)
    ]
    training = fit(RECIPE, DataSet(DATA.train, *chosen, classes=2), 3)
    np.testing.assert_array_equal(training.records["loss"], watched["loss"])
    own, test = (
        (answer == part.labels).mean(1)
        for answer, part in zip(answers, chosen, strict=True)
    )
    assert own[best] == test[other] == 1 > np.delete(own, best).max()
    np.testing.assert_allclose(training.records["validation_accuracy"], own, atol=1e-6)
    assert training.step == training.records["step"][best] == 10 * (best + 1)
    assert training.validation == 1
    assert training.test.accuracy == pytest.approx(test[best]) != 1
    np.testing.assert_array_equal(flat(training.network), watched["weights"][best])
    np.testing.assert_array_equal(flat(training.state), watched["averages"][best])


class Killed(Exception):
    pass


def test_a_training_goes_on_to_the_same_numbers(undisturbed, tmp_path):
    path = tmp_path / "checkpoint.npz"

    def stop_at(segment):
        def progress(done, _):
            if done == segment:
                raise Killed

        return progress

    for segment in (1, 4, 7):
        with pytest.raises(Killed):
            fit(
                *(RECIPE, DATA, 3),
                checkpoint=path,
                every=0,
                probe=watch,
                progress=stop_at(segment),
            )
    training = fit(RECIPE, DATA, 3, checkpoint=path, every=0, probe=watch)
    for name, record in undisturbed.records.items():
        np.testing.assert_array_equal(training.records[name], record, name)
    for mine, theirs in zip(
        jax.tree.leaves(training.network),
        jax.tree.leaves(undisturbed.network),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_another_seed_is_another_training(undisturbed):
    other = fit(RECIPE, DATA, 4)
    assert not np.array_equal(other.records["loss"], undisturbed.records["loss"])


def test_a_loss_that_is_not_finite_stops_and_leaves_the_checkpoint(tmp_path):
    path = tmp_path / "checkpoint.npz"
    with_nan = dataclasses.replace(DATA.train, inputs=DATA.train.inputs.copy())
    with_nan.inputs[:] = np.where(
        np.arange(80)[:, None, None] == 17, np.nan, with_nan.inputs
    )
    data = dataclasses.replace(DATA, train=with_nan)
    with pytest.raises(Diverged, match="not finite at step") as error:
        fit(RECIPE, data, 3, checkpoint=path, every=0)
    step = error.value.step
    assert 0 <= step < 8, "each example is seen once in eight steps"
    if step >= 5:
        saved, done, _ = load_checkpoint(path, begin(KIND, RECIPE, 3))
        assert done == step // 5
        assert all(np.isfinite(x).all() for x in jax.tree.leaves(saved.run.parameters))


def test_one_step_is_as_long_as_the_group_says_and_decays_what_may_decay():
    """Adam's first step is the rate itself, whatever the gradient."""
    rate, factor, decay = 1e-3, 0.25, 100.0
    once = Recipe(
        network=SMALL,
        optimiser=Optimiser(1, decay=decay),
        rate=rate,
        factor=factor,
        batch=10,
        segment=1,
        evaluate=1,
    )
    old = begin(KIND, once, 3).run.parameters
    new = eqx.filter(fit(once, DATA, 3).network, eqx.is_inexact_array)
    groups = jax.tree.leaves(parameter_groups(old))
    pairs = zip(groups, jax.tree.leaves(old), jax.tree.leaves(new), strict=True)
    for group, before, after in pairs:
        slow = group in SLOW
        decayed = before if slow else (1 - rate * decay) * before
        moved = np.abs(np.asarray(after - decayed)).max()
        assert moved == pytest.approx(rate * (factor if slow else 1), rel=1e-2), group
    assert {*groups} >= {"recurrent", "input", "other"}
    layer = parameter_groups(old).blocks[0].layer
    assert {layer.nu_log, layer.theta_log, layer.gamma_log, layer.B_re} <= {*SLOW}
    assert not {layer.C_re, layer.D} & {*SLOW}


@pytest.mark.parametrize("layer", ["lru", "s5"])
def test_what_goes_with_drawn_parameters_needs_no_programs_of_its_own(layer):
    """Nor a network that is drawn by NumPy, although it is first asked for in a trace."""
    compiled = []

    def note(event, seconds, **about):
        compiled.append(event)

    network = dataclasses.replace(SMALL, width=7, layer=layer)  # as in no other test
    other = dataclasses.replace(RECIPE, network=network)
    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        begun = begin(KIND, other, 3)
        count = compiled.count(COMPILED)
        jax.eval_shape(
            lambda parameters: ready(other, parameters).encoder, begun.run.parameters
        )
    finally:
        jax.monitoring.unregister_event_duration_listener(note)
    assert compiled.count(COMPILED) == count > 0


def test_every_step_drops_other_features():
    """Nothing moves and all examples are one: only what is dropped can differ."""
    begun = begin(KIND, RECIPE, 3)
    still = begun.run._replace(rate=jnp.zeros_like(begun.run.rate))
    batch = DATA.train.take(np.zeros(10, int))
    inputs, lengths, labels = (
        np.stack([part] * RECIPE.segment)
        for part in (batch.inputs, batch.lengths, batch.labels)
    )
    with jax.default_matmul_precision(RECIPE.matmul):  # as in ``fit``: one program
        *_, losses, _ = take_steps(
            *(KIND, RECIPE, still, begun.state), (inputs, lengths, labels)
        )
    assert len({*losses.tolist()}) > 1


def test_a_score_is_over_examples_whatever_the_batch(undisturbed):
    part = DATA.test
    u, lengths, labels = map(jnp.asarray, (part.inputs, part.lengths, part.labels))
    scores, _ = in_batch(undisturbed.network, undisturbed.state, u, lengths=lengths)
    loss = float(cross_entropy(scores, labels).mean())
    accuracy = float((scores.argmax(-1) == part.labels).mean())
    for size in (7, 33):
        score = evaluate(undisturbed.network, undisturbed.state, part, size)
        assert score.accuracy == pytest.approx(accuracy, abs=1e-7)
        assert score.loss == pytest.approx(loss, rel=1e-5)
    longer = np.pad(part.inputs, ((0, 0), (0, 9), (0, 0)), constant_values=7.0)
    wider = dataclasses.replace(part, inputs=longer)
    score = evaluate(undisturbed.network, undisturbed.state, wider, 33)
    assert score.loss == pytest.approx(loss, rel=1e-5)


def test_pairs_and_tokens_train():
    draw = np.random.default_rng(0)
    tokens = draw.integers(1, 5, (40, 2, 6)).astype(np.uint8)
    part = Examples(tokens, np.full((40, 2), 6), tokens[:, 0, 0].astype(int) % 2)
    data = DataSet(part, part, part, classes=2, vocabulary=5)
    config = dataclasses.replace(SMALL, inputs=5, encoder="embedding", head="pair")
    short = recipe(config, Schedule(4, 10, 1e-2, 0.5), segment=2, evaluate=1)
    training = fit(short, data)
    assert np.isfinite(training.records["loss"]).all()
    assert training.records["state_power"].shape == (2, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": 2}, "need 1 inputs"),
        ({"outputs": 3}, "'outputs': 2"),
        ({"encoder": "embedding"}, "'encoder': 'linear'"),
        ({"pooling": "none"}, "that pools"),
    ],
)
def test_a_network_must_fit_the_data(change, message):
    wrong = dataclasses.replace(RECIPE, network=dataclasses.replace(SMALL, **change))
    with pytest.raises(ValueError, match=message):
        require_fit(wrong, DATA)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 0.0}, "rate > 0"),
        ({"batch": 0}, "of one at least"),
        ({"segment": 7}, "whole segments of 7"),
        ({"matmul": "half"}, "matmul in"),
    ],
)
def test_a_recipe_refuses_what_cannot_be(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(RECIPE, **change)


SHARED = dataclasses.replace(RECIPE, batch=16)
PARALLEL = """
import json, jax
from tests.sigprop.training.test_supervised import DATA, SHARED
from sigprop.training.supervised import _batches, fit
inputs, _, _ = _batches(SHARED, DATA, 3, range(2))
losses = fit(SHARED, DATA, 3).records["loss"][-1].tolist()
print(json.dumps([len(inputs.sharding.device_set), losses]))
"""


@pytest.fixture(scope="module")
def alone():
    """Losses of the last steps on one device."""
    return fit(SHARED, DATA, 3).records["loss"][-1]


@pytest.mark.slow
@pytest.mark.parametrize(("devices", "processes"), [(8, 1), (1, 2)])
def test_devices_share_a_batch(alone, devices, processes):
    for sharing, losses in answers(PARALLEL, devices, processes):
        assert sharing == devices * processes
        np.testing.assert_allclose(losses, alone, rtol=1e-4)


def test_cross_entropy_is_minus_the_log_probability():
    scores = np.array([[0.0, np.log(3.0)]])
    value = cross_entropy(jnp.asarray(scores), jnp.array([1]))
    np.testing.assert_allclose(value, -np.log(0.75), rtol=1e-6)
