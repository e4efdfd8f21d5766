"""One buffer from projection to recurrence and on: what it holds, and that it is one."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sigprop.neuron.projections import project_in, read_out
from sigprop.neuron.scan import pack, scan_linear, scan_linear_reference, unpack

kinds = pytest.mark.parametrize("kind", ["real", "complex"])
gates = pytest.mark.parametrize("gate", ["fixed", "varying"])
on_cpu = pytest.mark.skipif(
    jax.default_backend() != "cpu", reason="is about XLA on the CPU"
)


def numbers(kind, seed, shape=(3, 3)):
    generator = np.random.default_rng(seed)
    phase = generator.uniform(0, 6, shape) if kind == "complex" else 0.0
    values = generator.uniform(1, 2, shape) * np.exp(1j * phase)
    return values if kind == "complex" else values.real


def near(value, truth, tolerance=1e-11):
    truth = np.asarray(truth)
    distance = float(np.abs(np.asarray(value) - truth).max())
    return distance <= tolerance * float(np.abs(truth).max())


@pytest.mark.usefixtures("x64")
@kinds
def test_packing_is_undone_and_is_linear_under_derivatives(kind):
    z = jnp.asarray(numbers(kind, 3))
    assert pack(z).shape == (3, 1 + (kind == "complex"), 3)
    assert near(unpack(pack(z)), z, 0)

    def plain(z):
        return jnp.stack([z.real, z.imag], -2) if kind == "complex" else z[:, None]

    def gradient(function):
        weights = jnp.arange(3.0)[None, None]
        return jax.grad(lambda z: (function(z) ** 2 * weights).sum())(z)

    assert near(pack(z), plain(z), 0)
    packed_gradient, truth = gradient(pack), gradient(plain)
    assert near(packed_gradient, truth)
    assert np.abs(truth).max() > 1
    ct = jnp.asarray(numbers(kind, 4))
    packed = jax.vjp(unpack, pack(z))[1](ct)[0]
    assert near(packed, pack(jnp.conj(ct)), 0)


@pytest.mark.usefixtures("x64")
def test_projections_are_complex_products_with_their_gradients():
    generator = np.random.default_rng(0)
    B_re, B_im = generator.normal(size=(2, 5, 4))
    C_re, C_im = generator.normal(size=(2, 3, 5))
    u = generator.normal(size=(2, 7, 4))
    values = [jnp.asarray(v) for v in (B_re, B_im, C_re, C_im, u)]

    def ours(B_re, B_im, C_re, C_im, u):
        return read_out(C_re, C_im, 1j * project_in(B_re, B_im, u))

    def plain(B_re, B_im, C_re, C_im, u):
        states = jnp.einsum("nk,btk->btn", lax.complex(B_re, B_im), u)
        return jnp.einsum("on,btn->bto", lax.complex(C_re, C_im), 1j * states).real

    y = plain(*values)
    assert near(ours(*values), y)
    assert not near(1.05 * ours(*values), y, 1e-2)
    truth = jax.vjp(plain, *values)[1](y)
    gradients = jax.vjp(ours, *values)[1](y)
    assert all(
        near(value, other) for value, other in zip(gradients, truth, strict=True)
    )


def copies(program, length):
    """Whole sequences that the loops of a program copy at every step."""
    text = program.as_text()
    bodies = set(re.findall(r"body=%([\w.-]+)", text))
    pattern = re.compile(rf"%(?:wrapped_)?copy[\w.]* = \w+\[(?:\d+,)*{length},[\d,]*\]")
    parts = {
        part.split(maxsplit=1)[0].lstrip("%"): part
        for part in text.split("\n\n")
        if part.strip()
    }
    return [copy for name in bodies for copy in pattern.findall(parts[name])]


def program(function, gate, kind, mapped, reverse):
    dtype = "complex64" if kind == "complex" else "float32"
    x, resets = jnp.ones((1009, 8), dtype), jnp.arange(1009) % 100 == 50
    lam = jnp.full((1009, 8) if gate == "varying" else 8, 0.9, dtype)

    def run(lam, x):
        return function(lam, 2 * x, resets=resets, reverse=reverse)

    def gradients(lam, x):
        h, pull = jax.vjp(jax.vmap(run, (None, 0)) if mapped else run, lam, x)
        return pull(h)

    return jax.jit(gradients).lower(lam, jnp.stack([x] * 3) if mapped else x).compile()


@on_cpu
@pytest.mark.parametrize("mapped", [False, True], ids=["alone", "mapped"])
@kinds
@gates
@pytest.mark.sampled(
    keep=[
        "fixed-real-mapped",
        "fixed-complex-alone",
        "varying-real-alone",
        "varying-complex-mapped",
    ]
)
def test_loops_work_in_place(gate, kind, mapped):
    compiled = program(
        scan_linear, gate, kind, mapped, reverse=(gate == "fixed") == mapped
    )
    assert "while(" in compiled.as_text()
    assert not copies(compiled, 1009)


@on_cpu
def test_a_loop_that_copies_is_noticed():
    def twice(lam, x, **_):
        def body(t, states):
            row = lax.dynamic_index_in_dim(states, t, 0, keepdims=False)
            before = lax.dynamic_index_in_dim(states, t - 1, 0, keepdims=False)
            states = lax.dynamic_update_index_in_dim(states, lam * before + row, t, 0)
            return lax.dynamic_update_index_in_dim(states, row + before, t - 1, 0)

        return lax.fori_loop(1, x.shape[0], body, x)

    lowered = jax.jit(twice).lower(jnp.ones(8), jnp.ones((1009, 8)))
    assert copies(lowered.compile(), 1009)


def temporary_sequences(scan):
    """Temporaries of a layer's loss and gradients, in sequences of states."""
    length, n, width = 1009, 64, 8

    def loss(B_re, B_im, C_re, C_im, u):
        h = scan(jnp.full(n, 0.9j), project_in(B_re, B_im, u))
        return (read_out(C_re, C_im, h) ** 2).sum()

    inner, outer = jnp.ones((n, width)), jnp.ones((width, n))
    values = (inner, inner, outer, outer, jnp.ones((length, width)))
    gradients = jax.jit(jax.grad(loss, (0, 1, 2, 3, 4)))
    size = gradients.lower(*values).compile().memory_analysis().temp_size_in_bytes
    return size / (8 * length * n)


@on_cpu
def test_a_layer_holds_its_states_and_their_cotangents_and_little_else():
    assert temporary_sequences(scan_linear) < 2.3
    assert temporary_sequences(scan_linear_reference) > 3
