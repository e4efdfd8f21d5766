"""Each family's options give the memories that were asked for, in its own layers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.advice.families import (
    FAMILIES,
    FASTEST,
    HALF_OPEN,
    LARGEST,
    SPAN,
    Need,
    heads,
    ring,
    sized,
    steps,
)
from sigprop.layers.projected import InputGated
from sigprop.networks.registry import layer_options, sequence_layer

MEMORY, PHASE, MANY = 300.0, 0.7, 512
FEW = ("rotrnn", "s4d", "mamba", "s5")  # draws of memories


def memories(layer):
    if isinstance(layer, InputGated):
        decay = np.asarray(layer.gates(jnp.zeros((1, layer.widths[0])))[0][0])
        return 1 / (1 - decay)
    return 1 / (1 - np.abs(np.asarray(layer.eigenvalues())))


def sample_layer(name, key=3, phases=(PHASE,)):
    family = FAMILIES[name]
    state = {"mamba": 4, "s4d": 4, "s5": 64}.get(name, MANY)
    width = {"rglru": state, "mamba": 64, "s4d": 64}.get(name, 2)
    options = family.size_options(state) | family.options(Need(MEMORY, phases, state))
    return sequence_layer(
        family.layer, state, width, key=jax.random.key(key), **options
    )


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("key", [3, 4])
def test_the_longest_memory_is_reached_and_not_passed(name, key):
    lengths = memories(sample_layer(name, key))
    least = 0.3 if name in FEW else 0.7
    assert least * MEMORY < lengths.max() < 1.001 * MEMORY


@pytest.mark.parametrize("name", ["lru", "rglru", "rotrnn"])
def test_memories_of_a_ring_grow_by_one_factor_over_two_decades(name):
    count, power = {"rotrnn": (heads(MANY), 1), "rglru": (MANY, HALF_OPEN)}.get(
        name, (MANY, 1)
    )
    rates = np.log(-np.log1p(-1 / memories(sample_layer(name))))
    low = np.log(-np.log1p(-1 / MEMORY))
    high = min(low + np.log(SPAN), np.log(power * FASTEST))
    logarithms = np.sort(rates).reshape(count, -1)
    expected = np.linspace(low, high, count)[:, None]
    np.testing.assert_allclose(
        logarithms, np.broadcast_to(expected, logarithms.shape), atol=2e-3
    )


def test_phases_are_where_the_power_is():
    for name in ("lru", "rotrnn"):
        phases = np.abs(np.angle(np.asarray(sample_layer(name).eigenvalues())))
        assert 0.95 * PHASE < phases.max() <= PHASE * (1 + 1e-6)


def test_several_limits_of_phases_are_taken_in_turn():
    for name in ("lru", "rotrnn"):
        phases = np.angle(
            np.asarray(sample_layer(name, phases=(PHASE, 3.0)).eigenvalues())
        )
        phases = phases if name == "lru" else phases[::2]  # not the conjugates
        assert 0.95 * PHASE < phases[::2].max() <= PHASE * (1 + 1e-6)
        assert 0.95 * 3.0 < phases[1::2].max() <= 3.0 * (1 + 1e-6)


def test_options_are_those_that_each_builder_knows():
    for family in FAMILIES.values():
        need = Need(MEMORY, (PHASE, 2.0), 64)
        named = family.size_options(64) | family.options(need)
        assert set(named) <= set(layer_options(family.layer))


def test_short_memories_leave_ordered_radii_and_steps():
    assert ring(4.0) == pytest.approx((np.exp(-1), 0.75))
    for memory in (4.0, 100.0, 1e6):
        smallest, largest = steps(memory, 0.5)
        assert 0 < smallest < largest
        assert np.exp(-smallest / 2) == pytest.approx(1 - 1 / memory, rel=1e-12)
        assert largest <= max(LARGEST, 2 * smallest)


@pytest.mark.parametrize(("state", "count"), [(256, 32), (48, 4), (6, 1), (5, 1)])
def test_heads_part_a_state_into_pairs_of_pairs(state, count):
    assert heads(state) == count


def test_sizes_are_those_of_the_family_unless_given():
    assert sized("lru", None, None) == (256, 256)
    assert sized("s4d", None, 8) == (32, 8)
    assert sized("mamba", 64, None) == (64, 256)
    assert sized("rglru", None, 48) == sized("rglru", 48, None) == (48, 48)
    with pytest.raises(
        ValueError, match="need one state a channel in rglru, got state=4"
    ):
        sized("rglru", 4, 8)
    with pytest.raises(ValueError, match="need width >= 1, got width=0"):
        sized("lru", None, 0)
    with pytest.raises(ValueError, match="need state <= 2048"):
        sized("s5", 4096, None)
