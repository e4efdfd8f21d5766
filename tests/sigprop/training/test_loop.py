import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.lru import lru
from sigprop.numerics import files, interruption
from sigprop.training.checkpoints import load_checkpoint, save_checkpoint
from sigprop.training.loop import (
    Optimiser,
    Segments,
    advance,
    by_group,
    effective_rates,
    start,
    train,
)

STEPS = 40
ADAM = Optimiser(STEPS)
KEY = jax.random.key(5)


def loss(parameters, key):
    """A quadratic with noise of its own at every step."""
    noise = jax.random.normal(key, parameters["a"].shape)
    return jnp.sum((parameters["a"] - 1) ** 2 + 0.1 * noise * parameters["a"]) + (
        parameters["b"] ** 4
    )


def begun(rate=0.1, optimiser=ADAM):
    parameters = {"a": jnp.arange(3.0), "b": jnp.asarray(2.0)}
    return start(parameters, optimiser, rate, KEY)


def segment(run, steps=10, optimiser=ADAM):
    run, losses = advance(run, loss, optimiser, steps)
    return run, {"loss": losses}


def same(left, right):
    plain = [jax.tree.leaves(run._replace(key=None)) for run in (left, right)]
    for leaf, other in zip(*plain, strict=True):
        np.testing.assert_array_equal(leaf, other)


@pytest.mark.parametrize(
    "optimiser",
    [
        Optimiser(STEPS, warmup=5, final=0.1, decay=0.3),
        ADAM,
        Optimiser(STEPS, "constant", betas=(0.8, 0.99), eps=1e-3),
    ],
    ids=["all of it", "plain", "constant"],
)
@pytest.mark.parametrize("factors", [None, {"a": np.array([0.5, 0.0, 3.0]), "b": 0.2}])
@pytest.mark.sampled(keep=["None-all of it", "factors1-all of it"])
def test_it_takes_the_steps_of_the_textbook(x64, optimiser, factors):
    arguments = () if factors is None else (factors,)
    end, losses = advance(
        begun(optimiser=optimiser), loss, optimiser, STEPS, *arguments
    )
    factors = factors or {"a": 1.0, "b": 1.0}
    values = {"a": np.arange(3.0), "b": np.asarray(2.0)}
    first = {name: np.zeros_like(value) for name, value in values.items()}
    second = {name: np.zeros_like(value) for name, value in values.items()}
    for step in range(STEPS):
        value, gradients = jax.value_and_grad(loss)(
            jax.tree.map(jnp.asarray, values), jax.random.fold_in(KEY, step)
        )
        assert float(losses[step]) == pytest.approx(float(value), rel=1e-12)
        wave = np.cos(np.pi * (step - optimiser.warmup) / (STEPS - optimiser.warmup))
        share = optimiser.final + (1 - optimiser.final) * (1 + wave) / 2
        if step < optimiser.warmup:
            share = (step + 1) / optimiser.warmup
        if optimiser.schedule == "constant":
            share = 1
        for name, gradient in gradients.items():
            b1, b2 = optimiser.betas
            first[name] = b1 * first[name] + (1 - b1) * np.asarray(gradient)
            second[name] = b2 * second[name] + (1 - b2) * np.asarray(gradient) ** 2
            root = np.sqrt(second[name] / (1 - b2 ** (step + 1))) + optimiser.eps
            move = first[name] / (1 - b1 ** (step + 1)) / root
            move = move + optimiser.decay * values[name]
            values[name] = values[name] - 0.1 * share * factors[name] * move
    for name, value in values.items():
        np.testing.assert_allclose(end.parameters[name], value, rtol=1e-10)
        root = np.sqrt(second[name] / (1 - optimiser.betas[1] ** STEPS))
        np.testing.assert_allclose(
            effective_rates(end, optimiser, *arguments)[name],
            0.1 * share * factors[name] / (root + optimiser.eps),
            rtol=1e-9,
        )


def rates(optimiser, count):
    return jax.vmap(lambda step: optimiser.rate_at(3.0, step))(jnp.arange(count))


def test_the_rate_rises_to_its_peak_and_falls_to_the_final_one(x64):
    optimiser = Optimiser(20, warmup=4, final=0.2)
    schedule = rates(optimiser, 21)
    np.testing.assert_allclose(schedule[:5] / 3, [0.25, 0.5, 0.75, 1, 1])
    assert (np.diff(schedule[4:]) < 0).all()
    assert float(schedule[12]) == pytest.approx(3 * 0.6)  # half way
    assert float(schedule[20]) == pytest.approx(3 * 0.2)
    flat = rates(Optimiser(20, "constant", warmup=2), 20)
    np.testing.assert_allclose(flat, [1.5, *[3] * 19])


def test_every_step_has_a_key_of_its_own():
    def random_loss(parameters, key):
        return jax.random.normal(key) + 0 * parameters["b"]

    _, losses = advance(begun(), random_loss, ADAM, 8)
    assert len({*losses.tolist()}) == 8
    _, others = advance(begun()._replace(key=jax.random.key(6)), random_loss, ADAM, 8)
    assert not {*losses.tolist()} & {*others.tolist()}


def test_groups_have_their_own_rates(x64):
    factors, heavy = {"a": 1.0, "b": 0.0}, Optimiser(STEPS, decay=0.5)
    end, _ = advance(begun(), loss, ADAM, 5, factors)
    plain, _ = advance(begun(), loss, ADAM, 5)
    assert float(end.parameters["b"]) == 2.0
    np.testing.assert_array_equal(end.parameters["a"], plain.parameters["a"])
    run, _ = advance(
        *(begun(optimiser=heavy), loss, heavy, 1, None),
        decays={"a": 0.0, "b": 1.0},
    )
    np.testing.assert_array_equal(
        run.parameters["a"], advance(begun(), loss, ADAM, 1)[0].parameters["a"]
    )
    assert float(run.parameters["b"]) == pytest.approx(1.9 - 0.1 * 0.5 * 2)
    halved, _ = advance(*(begun(optimiser=heavy), loss, heavy, 1, {"a": 0.5, "b": 1.0}))
    heavy_run, _ = advance(begun(optimiser=heavy), loss, heavy, 1)
    np.testing.assert_allclose(
        2 * (halved.parameters["a"] - jnp.arange(3.0)),
        heavy_run.parameters["a"] - jnp.arange(3.0),
    )


@pytest.mark.slow
def test_a_layer_says_which_parameters_are_in_a_group():
    layer = lru(4, 2, key=KEY)
    rates = by_group(layer, {"recurrent": 0.0})

    def energy(layer, _):
        return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(layer))

    end, _ = advance(start(layer, ADAM, 0.1, KEY), energy, ADAM, 2, rates)
    moved = jax.tree.map(lambda a, b: bool((a != b).all()), end.parameters, layer)
    assert not any((moved.nu_log, moved.theta_log, moved.gamma_log))
    assert moved.B_re
    assert moved.C_im
    assert moved.D
    with pytest.raises(ValueError, match=r"need groups in .*got readin"):
        by_group(layer, {"readin": 0.5})


@pytest.mark.slow
def test_many_runs_at_once_are_each_alone():
    rates = jnp.array([0.01, 0.1, 0.3])
    together = jax.vmap(begun)(rates)
    ends, losses = jax.vmap(lambda run: advance(run, loss, ADAM, 10))(together)
    for i, rate in enumerate(rates):
        alone, own = advance(begun(rate), loss, ADAM, 10)
        np.testing.assert_allclose(losses[i], own, rtol=1e-5)
        np.testing.assert_allclose(ends.parameters["a"][i], alone.parameters["a"], 1e-5)


def test_divergence_is_recorded_and_nothing_moves_after_it():
    def exploding(parameters, key):
        return jnp.where(parameters["a"][0] < 0.5, loss(parameters, key), jnp.inf)

    end, losses = advance(begun(0.2), exploding, ADAM, 10)
    diverged_at = int(end.diverged)
    assert 0 < diverged_at < 10
    assert int(end.step) == diverged_at
    assert np.isfinite(losses[:diverged_at]).all()
    assert np.isnan(losses[diverged_at:]).all()
    until, _ = advance(begun(0.2), exploding, ADAM, diverged_at)
    same(end._replace(diverged=until.diverged), until)
    assert all(
        bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(end.parameters)
    )


def test_training_resumes_where_it_stopped(tmp_path):
    undisturbed, records = train(begun(), segment, Segments(4, 10))
    assert records["loss"].shape == (4, 10)
    path = tmp_path / "deep" / "run.npz"
    calls = []

    def fragile(run):
        calls.append(int(run.step))
        if len(calls) in (2, 4):
            raise KeyboardInterrupt
        return segment(run)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            train(begun(), fragile, Segments(4, 10, path, every=0))
    counts = []
    end, resumed = train(
        begun(), fragile, Segments(4, 10, path, every=0), counts.append
    )
    assert calls == [0, 10, 10, 20, 20, 30]
    assert counts == [2, 3, 4]
    same(end, undisturbed)
    np.testing.assert_array_equal(resumed["loss"], records["loss"])
    repeated, _ = train(begun(), fragile, Segments(4, 10, path))
    assert len(calls) == 6  # all was done
    same(repeated, undisturbed)
    assert [file.name for file in path.parent.iterdir()] == ["run.npz"]


def test_an_interruption_that_was_swallowed_ends_a_training_with_a_checkpoint(
    tmp_path, monkeypatch
):
    path = tmp_path / "run.npz"
    request = threading.Event()
    monkeypatch.setattr(interruption, "_requested", request)
    calls = []

    def swallow(done):
        calls.append(done)
        if done == 2:
            request.set()

    with pytest.raises(KeyboardInterrupt):
        train(begun(), segment, Segments(4, 10, path, every=1e9), swallow)
    assert calls == [0, 1, 2]
    assert load_checkpoint(path, begun())[1] == 2


def test_checkpoints_of_other_trainings_and_damaged_ones_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    save_checkpoint(path, begun(), 1, {})
    other = start({"a": jnp.zeros(4), "b": jnp.zeros(())}, ADAM, 0.1, KEY)
    with pytest.raises(
        ValueError, match=r"another training: need .*'a'.*\(4,\), it has"
    ):
        load_checkpoint(path, other)
    more = start({"a": jnp.zeros(3), "c": jnp.zeros(())}, ADAM, 0.1, KEY)
    with pytest.raises(ValueError, match=r"need .*'c'.* it has nothing"):
        load_checkpoint(path, more)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"no checkpoint.*delete it to start over"):
        load_checkpoint(path, begun())


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    save_checkpoint(path, begun(), 1, {})
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(path, begun(), 2, {})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match=r"need a schedule in.*got 'linear'"):
        Optimiser(10, "linear")
    with pytest.raises(ValueError, match="warmup=10, steps=10"):
        Optimiser(10, warmup=10)
    with pytest.raises(ValueError, match="need decay >= 0"):
        Optimiser(10, decay=-1)
    with pytest.raises(ValueError, match="need a positive learning rate, got 0"):
        begun(0.0)
