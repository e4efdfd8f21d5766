"""The papers' tables of trainings, and the small ones that fit two cores."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters
from sigprop.networks import build, over_batch
from sigprop.tasks.catalogue import TASKS, load_task
from sigprop.tasks.examples import DataSet, Examples
from sigprop.training.layer_sizes import layer_size, registered_layers
from sigprop.training.presets import (
    LADDER,
    LRU_SCHEDULES,
    MODELS,
    QUICK,
    RINGS,
    altered,
    preset,
)


def blank(features=None, vocabulary=None, count=640):
    shape = (count, 6) if features is None else (count, 6, features)
    kind = np.uint8 if features is None else np.float32
    part = Examples(np.ones(shape, kind), np.full(count, 6), np.zeros(count, int))
    return DataSet(part, part, part, classes=10, vocabulary=vocabulary)


NETWORKS = [model for model in MODELS if model not in RINGS] + [*RINGS][::9]
PIXELS, TOKENS = blank(features=1), blank(vocabulary=18)


def test_every_task_has_a_quick_training():
    assert set(QUICK) == set(TASKS)


@pytest.mark.parametrize(
    ("task", "width", "state_size", "steps", "batch", "factor", "dropout"),
    [
        ("scifar", 512, 384, 180_000, 50, 0.25, 0.1),
        ("listops", 128, 256, 80_000, 32, 0.5, 0.0),
        ("text", 256, 192, 50_000, 32, 0.1, 0.1),
        ("retrieval", 128, 256, 100_000, 64, 0.5, 0.1),
        ("pathfinder", 192, 256, 500_000, 64, 0.25, 0.0),
        ("pathx", 128, 256, 250_000, 32, 0.25, 0.0),
    ],
)
def test_paper_trainings_of_the_lru_are_those_of_its_table(
    task, width, state_size, steps, batch, factor, dropout
):
    recipe = preset(task, "lru", "paper", PIXELS)
    network = recipe.network
    assert (network.width, network.state_size, network.depth) == (width, state_size, 6)
    assert (recipe.optimiser.steps, recipe.batch, recipe.factor) == (
        steps,
        batch,
        factor,
    )
    assert (recipe.optimiser.decay, network.dropout) == (0.05, dropout)
    assert recipe.optimiser.warmup == steps // 10
    assert recipe.optimiser.rate_at(recipe.rate, steps) == pytest.approx(1e-7, rel=1e-3)


def test_paper_trainings_of_rotrnn_and_blur_are_those_of_their_tables():
    rotrnn = preset("scifar", "rotrnn", "paper", PIXELS)
    assert rotrnn.rate * rotrnn.factor == pytest.approx(1e-3)
    assert (rotrnn.rate, rotrnn.optimiser.steps, rotrnn.batch) == (4.5e-3, 250_000, 50)
    blur = preset("listops", "blur", "paper", TOKENS)
    assert (blur.batch, blur.rate, blur.network.depth) == (64, 1e-3, 4)
    assert blur.optimiser.steps == 40 * (640 // 64)


@pytest.mark.parametrize("model", NETWORKS)
@pytest.mark.sampled(8, keep=["lru", "rotrnn", "blur", "tanh", "exponential", "phase"])
def test_every_model_reads_and_answers(model):
    config = dataclasses.replace(
        preset("digits", model, "quick", PIXELS).network,
        width=8,
        state_size=8,
        depth=1,
    )
    options = dict(config.layer_options)
    if "heads" in options:
        options["heads"] = 2
    config = dataclasses.replace(config, layer_options=options)
    network, state = build(config, key=jax.random.key(0))
    u = jnp.asarray(PIXELS.train.inputs[:3])
    scores, _ = over_batch(network, state, u, key=jax.random.key(1))
    assert scores.shape == (3, 10)


@pytest.mark.parametrize("task", QUICK)
@pytest.mark.sampled(6, keep=["digits", "listops", "text", "pathfinder"])
def test_every_network_of_a_quick_training_can_be_drawn(task):
    """At its own sizes and ranges; shapes alone are computed."""
    for model in NETWORKS:
        config = preset(task, model, "quick", TOKENS).network
        if model == "s5":  # its eigenvectors are computed by NumPy
            build(config, key=jax.random.key(0))
        else:
            eqx.filter_eval_shape(build, config, key=jax.random.key(0))


def test_the_ladder_goes_from_an_rnn_to_the_lru_one_thing_at_a_time():
    configs = [preset("digits", rung, "quick", PIXELS).network for rung in LADDER]
    for config in configs:
        same = dataclasses.replace(
            config, layer=configs[0].layer, layer_options=configs[0].layer_options
        )
        assert same == configs[0]
    lru = preset("digits", "lru", "quick", PIXELS).network
    assert configs[list(LADDER).index("gamma")] == lru


@pytest.mark.parametrize("task", LRU_SCHEDULES)
def test_the_ladder_ends_at_the_papers_lru_at_its_size(task):
    lru = preset(task, "lru", "paper", PIXELS)
    rungs = {rung: preset(task, rung, "paper", PIXELS) for rung in LADDER}
    assert rungs["phase" if task == "pathx" else "gamma"] == lru
    for rung in rungs.values():
        assert rung.optimiser == lru.optimiser
        assert (
            dataclasses.replace(
                rung.network,
                layer=lru.network.layer,
                layer_options=lru.network.layer_options,
            )
            == lru.network
        )
        eqx.filter_eval_shape(build, rung.network, key=jax.random.key(0))


def test_neighbours_on_the_ladder_differ_in_one_thing():
    """From complex numbers on they begin as one function, up to the ring and gamma."""
    key = jax.random.key(2)
    u = jax.random.normal(key, (3, 6, 1))
    sizes, outputs = {}, {}
    for rung in LADDER:
        config = preset("digits", rung, "quick", PIXELS).network
        network, state = build(dataclasses.replace(config, dropout=0.0), key=key)
        layer = parameters(network.blocks[0].layer)
        sizes[rung] = {name: leaf.shape for name, leaf in layer.items()}
        outputs[rung], _ = over_batch(network, state, u, key=key)
    assert sizes["tanh"] == sizes["relu"] == sizes["dense"] == sizes["disc"]
    assert {shapes["D"] for shapes in sizes.values()} == {(64,)}
    np.testing.assert_allclose(outputs["complex"], outputs["exponential"], atol=1e-4)
    np.testing.assert_allclose(outputs["complex"], outputs["stable"], atol=1e-4)
    assert abs(outputs["stable"] - outputs["ring"]).max() > 0.01


def test_steps_and_rate_can_be_changed():
    recipe = preset("digits", "lru", "quick", PIXELS)
    changed = altered(recipe, 200, 1e-3, "bfloat16")
    assert (changed.optimiser.steps, changed.optimiser.warmup) == (200, 20)
    assert changed.optimiser.rate_at(changed.rate, 200) == pytest.approx(1e-7, rel=1e-3)
    assert altered(recipe, None, None, "float32") == recipe
    looks = {
        steps: altered(recipe, steps, None, "float32").evaluate
        for steps in (20, 60, 200, 100_000)
    }
    assert looks == {20: 1, 60: 1, 200: 2, 100_000: recipe.evaluate}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("digits", "lru", "large"), "quick or paper"),
        (("digits", "lru", "paper"), "a task of lru's paper"),
        (("listops", "ring 0.9 0.99", "paper"), "a model of the paper"),
        (("digits", "tanh", "paper"), "a task of the LRU's paper"),
        (("digits", "mamba", "quick"), "need a model"),
    ],
)
def test_unknown_names_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        preset(*arguments, PIXELS)


def test_tasks_say_what_they_need(monkeypatch, tmp_path):
    monkeypatch.delenv("SIGPROP_DATA", raising=False)
    with pytest.raises(ValueError, match="need a task in digits"):
        load_task("sudoku")
    with pytest.raises(FileNotFoundError, match="set SIGPROP_DATA to one"):
        load_task("smnist")
    with pytest.raises(ValueError, match="need no folder for digits"):
        load_task("digits", tmp_path)
    with pytest.raises(FileNotFoundError, match="need a folder with the files"):
        load_task("smnist", tmp_path / "none")


def test_seeds_of_the_digits_are_folds():
    first, second = (load_task("digits", seed=seed) for seed in (0, 1))
    assert not np.array_equal(first.test.inputs[:50], second.test.inputs[:50])
    np.testing.assert_array_equal(
        first.test.inputs, load_task("digits", seed=5).test.inputs
    )
    np.testing.assert_array_equal(first.validation.inputs, second.test.inputs)


@pytest.mark.parametrize("name", ["ssd", "linoss", "mingru"])
def test_a_layer_of_the_registry_is_trained_by_its_name(name):
    recipe = preset("digits", name, "quick", PIXELS)
    network = recipe.network
    size, options = layer_size(name, 64, 64)
    assert (network.layer, network.state_size) == (name, size)
    assert network.layer_options == options
    lru = preset("digits", "lru", "quick", PIXELS)
    same = dataclasses.replace(
        network,
        layer=lru.network.layer,
        state_size=lru.network.state_size,
        layer_options=lru.network.layer_options,
    )
    assert dataclasses.replace(recipe, network=same) == lru


def test_sizes_of_registered_layers():
    assert layer_size("mamba3", 64, 32) == (16, {"heads": 4})
    assert layer_size("selective", 32, 64) == (8, {})
    assert layer_size("rglru", 64, 32) == (32, {"heads": 4})
    assert layer_size("mingru", 64, 32) == (32, {})
    assert layer_size("slstm", 64, 32) == (32, {"heads": 4})
    assert layer_size("hgrn2", 32, 64) == (8, {"heads": 4})
    assert "gru" not in registered_layers()  # needs the times of its gates
    assert set(registered_layers()) <= set(MODELS)
