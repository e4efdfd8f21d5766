"""Definitions without evidence, each against the code that its row names.

What a definition says is written out in NumPy, and the named code has to do it.
"""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy

from sigprop.evidence.rotrnn.background import hold_by_integration, system
from sigprop.layers.blur import BLUR, blur
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.networks import build
from sigprop.networks.presets import (
    LRU_ROWS,
    ROTRNN_HEADS,
    TASKS,
    blur_paper,
    lru_paper,
    rotrnn_paper,
)
from sigprop.theory.claims import Status, registry
from sigprop.theory.papers.lru import printed
from sigprop.training.segments import SLOW
from tests.rows import row
from tests.sigprop.networks.small import apply, close, network, noise, shaken

COMPARED = {}
AS_PRINTED = {"layer_options": {"gamma": "absent"}, "mixing": "mlp", "skip": "linear"}
pytestmark = pytest.mark.usefixtures("x64")


def compares(*claim_ids):
    """Mark a test as the comparison of some rows with their code."""

    def noted(test):
        COMPARED.update(dict.fromkeys(claim_ids, test))
        return test

    return noted


@compares("lru:text:weight-decay")
def test_parameters_of_the_recurrence_and_its_input_do_not_decay():
    groups = lru(3, 2, key=jax.random.key(0)).groups()
    decaying = {
        name
        for name in ("nu_log", "theta_log", "gamma_log", "B_re", "B_im", "C_re", "D")
        if groups[name] not in SLOW
    }
    assert decaying == {"C_re", "D"}


def states(layer, entering, i=()):
    """States of ``h <- lam h + B u`` from zero, of an LRU or of half ``i`` of a BLUR."""
    nu, theta, re, im = (
        np.asarray(array)[i]
        for array in (layer.nu_log, layer.theta_log, layer.B_re, layer.B_im)
    )
    lam, h, history = np.exp(-np.exp(nu) + 1j * np.exp(theta)), 0j, []
    for u in entering:
        h = lam * h + (re + 1j * im) @ u
        history.append(h)
    return np.array(history)


def real_part(layer, h, u, i=()):
    """``Re(C h) + D u``."""
    C = np.asarray(layer.C_re)[i] + 1j * np.asarray(layer.C_im)[i]
    return (h @ C.T).real + u * np.asarray(layer.D)


def one_direction(layer, u):
    """Outputs of an LRU."""
    return real_part(layer, states(layer, u), u)


def two_directions(layer, u):
    """Outputs of a BLUR: the states of both directions, merged by one linear map."""
    forward, backward = states(layer, u, 0), states(layer, u[::-1], 1)[::-1]
    return real_part(layer, forward, u, 0) + real_part(layer, backward, 0 * u, 1)


def affine(linear, x):
    """``W x + b`` at each step."""
    bias = 0.0 if linear.bias is None else np.asarray(linear.bias)
    return np.asarray(x) @ np.asarray(linear.weight).T + bias


def pointwise(mlp, x):
    """An MLP of one hidden layer at each step, its GELU by the tanh."""
    first, second = mlp.layers
    hidden = affine(first, x)
    inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)
    return affine(second, hidden * (1 + np.tanh(inner)) / 2)


@compares("blur:1")
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.sampled(1)
def test_an_encoder_a_recurrence_and_an_mlp_are_composed(seed):
    model, state = shaken(network("lru", seed=seed, pooling="none", **AS_PRINTED))
    block = model.blocks[0]
    model = eqx.tree_at(
        lambda n: n.blocks[0].skip.weight, model, replace_fn=jnp.zeros_like
    )
    v = noise(6, 3)
    mapped = pointwise(
        block.mixing, one_direction(block.layer, affine(model.encoder, v))
    )
    close(apply(model, v, state)[0], affine(model.decoder, mapped))


@compares("blur:12", "blur:fig2", "blur:fig3")
@pytest.mark.parametrize("pooling", ["none", "mean"])
def test_blur_merges_two_directions_and_maps_the_real_part_step_by_step(pooling):
    model, state = shaken(network("blur", pooling=pooling, **AS_PRINTED))
    block, v = model.blocks[0], noise(6, 3)
    u = affine(model.encoder, v)
    z = pointwise(block.mixing, two_directions(block.layer, u))
    x = z + affine(block.skip, u)
    close(
        apply(model, v, state)[0],
        affine(model.decoder, x.mean(0) if pooling == "mean" else x),
    )


def drawn_shapes(paper, inputs, **small):
    """A small network of a preset and the shape of its outputs; nothing is computed."""
    options = {"width": 4, "norm": "layer", "dropout": 0.0} | small
    config = dataclasses.replace(paper, **options)
    model, state = eqx.filter_eval_shape(build, config, key=jax.random.key(0))
    outputs, _ = eqx.filter_eval_shape(lambda n, s, u: n(u, s), model, state, inputs)
    return model, outputs.shape


@compares("blur:text:layers", "blur:fig2", "blur:fig8")
def test_blur_has_four_blocks_of_one_width_and_as_many_outputs_as_inputs():
    paper = blur_paper(7, 7, pooling="none")
    assert (paper.depth, paper.norm, paper.dropout) == (4, "batch", 0.1)
    model, outputs = drawn_shapes(paper, np.zeros((9, 7)), state_size=3)
    assert outputs == (9, 7)
    assert [type(block.layer) for block in model.blocks] == [BLUR] * paper.depth
    for block in model.blocks:
        assert block.layer.B_re.shape == (2, 3, 4)  # a direction of time each
        assert block.mixing.in_size == block.mixing.out_size == 4
        assert block.skip.weight.shape == (4, 4)
        assert block.norm is not None


@eqx.filter_jit
def respond(layer, u):
    return layer(u)


@compares("blur:def3.1")
@pytest.mark.parametrize("draw", [lru, blur])
def test_a_map_is_causal_if_no_output_moves_with_a_later_input(draw):
    layer = shaken(draw(3, 2, key=jax.random.key(1)))
    u = np.asarray(noise(5, 2))
    before, last, early = (
        np.asarray(respond(layer, u + moved))
        for moved in (np.zeros((5, 1)), np.eye(5)[:, 4:], np.eye(5)[:, 1:2])
    )
    assert layer.causal == bool(np.allclose(last[:4], before[:4], atol=1e-13))
    assert np.all(abs(early[3] - before[3]) > 1e-6)  # it looks back


@compares("blur:text:dimension")
def test_the_merge_gives_as_many_numbers_as_a_state_has_in_one_direction():
    layer, u = blur(4, 4, key=jax.random.key(0)), noise(5, 4)
    both = layer.states(u)
    assert both.shape == (5, 2 * 4)
    assert layer.read(both, u).shape == (5, 4)


@compares("blur:text:distinct")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(1)
def test_drawn_eigenvalues_are_distinct_within_each_matrix(seed):
    values = np.asarray(blur(128, 2, key=jax.random.key(seed)).eigenvalues()).reshape(
        2, 128
    )
    assert [len(np.unique(eigenvalues)) for eigenvalues in values] == [128, 128]


@compares("lru:text:tasks")
def test_the_lru_has_networks_for_the_six_tasks_and_colours_for_scifar():
    assert [task.lower() for task in printed.TASKS] == list(LRU_ROWS)
    assert lru_paper("scifar").inputs == 3
    with pytest.raises(ValueError, match="speech"):
        lru_paper("speech")


@compares("rotrnn:text:continuous")
@pytest.mark.parametrize("seed", [1, 4])
def test_the_continuous_system_moves_as_its_equation_says(seed):
    A, B = system(seed, 3)
    step = 1e-4
    moved = hold_by_integration(seed, 3, step) - np.hstack([np.eye(3), 0 * B])
    close(moved / step, np.hstack([A, B]), 1e-3)


@compares("rotrnn:fig1")
def test_a_rotrnn_takes_as_many_channels_as_the_data_have_and_any_length():
    paper = rotrnn_paper("speech")
    assert paper.inputs == TASKS["speech"].inputs == 1
    small = {"state_size": 4, "layer_options": paper.layer_options | {"heads": 2}}
    for length in (5, 9):
        shape = drawn_shapes(paper, np.zeros((length, 1)), **small)[1]
        assert shape == (paper.outputs,)


@compares("rotrnn:fig2")
def test_each_head_reads_all_inputs_and_the_output_all_heads():
    paper = rotrnn_paper("text")
    layer = rotrnn(
        paper.state_size, paper.width, key=jax.random.key(0), heads=ROTRNN_HEADS
    )
    size = paper.state_size // ROTRNN_HEADS
    by_head = np.asarray(layer.normalised_B()).reshape(ROTRNN_HEADS, size, paper.width)
    # With c = 1 each head's block is normalised by its own decay.
    close(np.sum(by_head**2, (1, 2)), 1 - np.asarray(layer.decays()) ** 2)
    assert layer.C.shape == (paper.width, paper.state_size)


@compares("rotrnn:listing:normal")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(1)
def test_other_weights_are_standard_normal_and_angles_uniform(seed):
    """False at one seed in 10^6 for each of the three laws."""
    layer = rotrnn(256, 512, key=jax.random.key(seed), heads=8, theta_range=(0.0, 0.3))
    laws = (
        (layer.M, scipy.stats.norm()),
        (layer.D, scipy.stats.norm()),
        (layer.theta, scipy.stats.uniform(0.0, 0.3)),
    )
    for sample, law in laws:
        assert scipy.stats.kstest(np.ravel(sample), law.cdf).pvalue > 1e-6


def test_every_definition_without_evidence_is_compared_with_its_code():
    bare = {
        key
        for key, claim in registry().items()
        if claim.expected == Status.DEFINITION and row(key).basis is None
    }
    assert bare == set(COMPARED)
