"""What a RotRNN computes once: its rotations, and cosine and sine of its angles.

Seen in the traced program of loss and gradients over a batch.  All sizes differ, so that
a shape tells which axes an array has.
"""

import functools

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from sigprop.layers.rotrnn import bidirectional_rotrnn, rotrnn
from sigprop.neuron.scan import METHODS

HEADS, SIZE, WIDTH, BATCH, LENGTH = 2, 6, 3, 5, 11
LOOPS = ("while", "scan")

builders = pytest.mark.parametrize("build", [rotrnn, bidirectional_rotrnn])
methods = pytest.mark.parametrize(
    "method", [method for method in METHODS if method != "auto"]
)


@functools.cache
def layer(build=rotrnn):
    return build(HEADS * SIZE, WIDTH, key=jax.random.key(0), heads=HEADS)


def loss(built, u):
    return (jax.vmap(built)(u) ** 2).sum()


def apart(built, u):
    """The loss with the parameters repeated for every sequence."""
    many = jax.tree.map(lambda p: jnp.broadcast_to(p, (BATCH, *p.shape)), built)
    return (jax.vmap(lambda copy, sequence: copy(sequence))(many, u) ** 2).sum()


def jaxprs(value):
    """Programs inside a parameter of an equation."""
    leaves = jax.tree.leaves(value, is_leaf=lambda x: hasattr(x, "eqns"))
    return [leaf for leaf in leaves if hasattr(leaf, "eqns")]


def equations(jaxpr, looped=False):
    """Every equation, those of inner programs too, and whether it is in a loop."""
    for equation in jaxpr.eqns:
        yield equation, looped
        inside = looped or equation.primitive.name in LOOPS
        for inner in jaxprs(list(equation.params.values())):
            yield from equations(inner, inside)


def trace(function, *arguments):
    return list(equations(jax.make_jaxpr(function)(*arguments)))


def gradient_trace(built, u, function=loss):
    return trace(jax.value_and_grad(function, (0, 1)), built, u)


def inputs(batch=BATCH, length=LENGTH):
    return jnp.ones((batch, length, WIDTH))


def shapes(traced, *names):
    """Shapes of all results, or of those of the named primitives."""
    return [
        result.aval.shape
        for equation, _ in traced
        if not names or equation.primitive.name in names
        for result in equation.outvars
    ]


def matrices(traced):
    return [shape for shape in shapes(traced) if shape[-2:] == (SIZE, SIZE)]


def exponentials(traced):
    """Shapes of what is exponentiated, less its axes of rows and columns."""
    return [shape[:-2] for shape in shapes(traced, "ceil")]  # how often each is squared


@builders
@pytest.mark.sampled(keep=["bidirectional_rotrnn"])
def test_rotations_are_made_once_for_all_sequences(build):
    built = layer(build)
    half = built if build is rotrnn else built.halves()[0]
    alone = trace(half.rotations)
    assert exponentials(alone) == [(HEADS,)]
    traced = gradient_trace(built, inputs())
    assert exponentials(traced) == exponentials(alone)
    assert len(matrices(traced)) > len(matrices(alone)) > 50
    for shape in matrices(traced):
        assert not {BATCH, LENGTH} & set(shape)


def test_rotations_of_every_sequence_are_noticed():
    traced = gradient_trace(layer(), inputs(), apart)
    assert exponentials(traced) == [(BATCH, HEADS)]


def test_a_sequence_is_projected_in_and_read_out_and_never_rotated():
    traced = trace(loss, layer(), inputs())
    products = [shape for shape in shapes(traced, "dot_general") if BATCH in shape]
    assert products == [(BATCH, LENGTH, HEADS * SIZE), (BATCH, LENGTH, WIDTH)]


def turned(traced):
    """Angles whose cosine and sine are taken, loops counted as long as they are."""
    count = 0
    for equation, looped in traced:
        name = equation.primitive.name
        for angle in (result.aval for result in equation.outvars):
            if name in ("cos", "sin") or (name == "exp" and angle.dtype.kind == "c"):
                count += angle.size * (LENGTH if looped else 1)
    return count


@builders
@methods
@pytest.mark.parametrize("length", [LENGTH, 301])
@pytest.mark.sampled(
    keep=[
        "11-sequential-rotrnn",
        "301-sequential-bidirectional_rotrnn",
        "301-chunked-rotrnn",
        "11-associative-bidirectional_rotrnn",
        "301-associative-rotrnn",
        "11-fft-bidirectional_rotrnn",
    ]
)
def test_every_angle_is_turned_once(build, method, length, monkeypatch):
    monkeypatch.setattr("sigprop.neuron.scan.automatic_method", lambda *_: method)
    traced = gradient_trace(layer(build), inputs(length=length))
    assert turned(traced) == HEADS * SIZE // 2


def test_angles_turned_at_every_level_or_step_are_noticed():
    angles, x = jnp.ones(4), jnp.ones((LENGTH, 4))

    def combine(first, second):
        return first[0] + second[0], first[1] * jnp.cos(second[0]) + second[1]

    def tree(angles):
        gates = jnp.broadcast_to(angles, x.shape)
        return lax.associative_scan(combine, (gates, x))[1]

    def loop(angles):
        return lax.scan(lambda h, x: (h * jnp.cos(angles) + x, h), x[0], x)[1]

    assert turned(trace(tree, angles)) > LENGTH * 4
    assert turned(trace(loop, angles)) == LENGTH * 4
