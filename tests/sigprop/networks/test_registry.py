import functools
import importlib
import inspect
import pkgutil

import equinox as eqx
import jax
import numpy as np
import pytest

import sigprop.layers
from sigprop.layers.base import Layer
from sigprop.layers.lru import lru
from sigprop.layers.s4d import s4d
from sigprop.networks import SEQUENCE_LAYERS, sequence_layer
from tests.sigprop.networks.small import OPTIONS, noise, trees_close

KEY = jax.random.key(1)
AS_WIDE_AS_THE_STATE = (
    *("gated_unit", "constant_gate", "attention", "rglru", "mingru"),
    "slstm",
)


@functools.cache
def random_layer(name):
    size = 8 if name in AS_WIDE_AS_THE_STATE else 4
    return sequence_layer(name, size, 8, key=KEY, **OPTIONS.get(name, {}))


def concrete(kind=Layer):
    for below in kind.__subclasses__():
        yield from concrete(below)
        if getattr(below, "__final__", False):
            yield below


@pytest.mark.slow
def test_every_layer_of_the_package_has_a_name():
    for module in pkgutil.iter_modules(sigprop.layers.__path__):
        importlib.import_module(f"sigprop.layers.{module.name}")
    written = {
        kind.__name__
        for kind in concrete()
        if kind.__module__.startswith("sigprop.layers.")
    }
    written -= {"Stack", "ForwardOnly"}  # made of other layers
    named = {type(random_layer(name)).__name__ for name in SEQUENCE_LAYERS}
    assert len(written) > 10
    assert named == written


@pytest.mark.parametrize("name", SEQUENCE_LAYERS)
@pytest.mark.sampled(
    8, keep=["lru", "bidirectional_lru", "rotrnn", "blur", "attention"]
)
def test_a_layer_is_as_wide_as_the_network(name):
    layer = random_layer(name)
    assert layer.widths == (8, 8)
    y = eqx.filter_jit(layer)(noise(5, 8))
    assert y.shape == (5, 8)
    assert float(np.std(y)) > 0.01


def test_a_name_draws_what_its_builder_draws():
    ours = sequence_layer("lru", 5, 3, key=KEY, r_min=0.4, gamma="absent")
    trees_close(ours, lru(5, 3, key=KEY, r_min=0.4, gamma="absent"))
    channels = sequence_layer("s4d", 5, 3, key=KEY, spectrum="lin")
    trees_close(channels, s4d(5, 3, key=KEY, spectrum="lin"))
    assert sequence_layer(
        "block_rnn", 6, 3, key=KEY, blocks=2, nu0=0.5, theta0=1.0
    ).A.shape == (
        2,
        3,
        3,
    )


def test_a_list_stands_for_a_tuple():
    layer = sequence_layer("rotrnn", 4, 3, key=KEY, heads=2, gamma_range=[0.9, 0.9])
    np.testing.assert_allclose(layer.decays(), 0.9, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "sizes", "options", "message"),
    [
        ("lrru", (4, 4), {}, "need a layer in .*'lru'.*, got 'lrru'"),
        ("lru", (4, 4), {"rmin": 0}, r"need options of lru in \['gamma', .*'rmin'"),
        ("lru", (0, 4), {}, "need state_size >= 1"),
        ("rotrnn", (4, 4), {}, r"need the options \['heads'\] for rotrnn"),
        ("rotrnn", (6, 4), {"heads": 4}, "need state_size a multiple of heads"),
        ("rotrnn", (6, 4), {"heads": 2}, "need an even head size, got 3"),
        (
            "block_rnn",
            (5, 4),
            {"blocks": 2, "nu0": 0, "theta0": 1},
            "multiple of blocks",
        ),
        ("gated_unit", (5, 4), {"times": [1, 2]}, "need state_size = width"),
        ("attention", (5, 4), {"heads": 2, "max_length": 9}, "need state_size = width"),
        ("s5", (5, 4), {"blocks": 2}, "need blocks to divide state_size"),
    ],
)
def test_what_cannot_be_drawn_is_refused(name, sizes, options, message):
    with pytest.raises(ValueError, match=message):
        sequence_layer(name, *sizes, key=KEY, **options)


@pytest.mark.parametrize("name", SEQUENCE_LAYERS)
def test_every_builder_takes_sizes_by_position_and_the_rest_by_name(name):
    parameters = inspect.signature(SEQUENCE_LAYERS[name]).parameters
    by_position = [p.name for p in parameters.values() if p.kind != p.KEYWORD_ONLY]
    assert by_position == ["state_size", "width"]
    assert parameters["key"].default is inspect.Parameter.empty
