"""Layers of other libraries and ours compute the same: outputs and gradients to 1e-5."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.linear.linearise import perturb
from sigprop.linear.predicted_moments import predict
from sigprop.networks.files import named_arrays
from sigprop.networks.foreign import find, of_arrays, open_checkpoint
from sigprop.numerics.precision import double_precision

pytestmark = pytest.mark.interop

TIME, WIDTH, STATES = 60, 6, 8


def library(name):
    """A module of another library; a skip that names it where it cannot be imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pytest.importorskip(
                name, reason=f"needs {name}: pip install -e '.[interop]'"
            )
        except Exception as error:  # pins of JAX that clash show in many ways
            if isinstance(error, pytest.skip.Exception):
                raise
            pytest.skip(f"{name} does not work with JAX {jax.__version__}: {error!r}")


def memax_lru(key):
    module = library("memax.equinox.semigroups.lru")
    layer = module.LRU(WIDTH, WIDTH, key)  # it wants as many states as inputs
    tree = named_arrays(
        {
            name: getattr(layer, name)
            for name in (*"D", "nu_log", "theta_log", "gamma_log")
        }
        | {name: getattr(layer, name) for name in ("B_re", "B_im", "C_re", "C_im")}
    )

    def call(arrays, u):
        import equinox as eqx

        names = list(arrays)
        loaded = eqx.tree_at(
            lambda model: [getattr(model, name) for name in names],
            layer,
            [arrays[name] for name in names],
        )
        start = jnp.zeros(len(u), bool)
        return loaded(loaded.initialize_carry(), (u, start))[1]

    return tree, call


def flax_layer(build):
    def make(key):
        module = build()
        u = jnp.zeros((1, TIME, WIDTH))
        tree = module.init(key, u)["params"]
        flat = jax.tree.leaves_with_path(tree)
        join = {
            jax.tree_util.keystr(path, simple=True, separator="."): value
            for path, value in flat
        }

        def call(arrays, u):
            leaves = [arrays[name] for name in join]
            params = jax.tree.unflatten(jax.tree.structure(tree), leaves)
            return module.apply({"params": params}, u[None])[0]

        return {name: np.asarray(value) for name, value in join.items()}, call

    return make


def of_models(name, **sizes):
    def build():
        return getattr(library("long_range_models"), name)(WIDTH, STATES, **sizes)

    return flax_layer(build)


def cell(name):
    def build():
        nn = library("flax.linen")
        return nn.RNN(getattr(nn, name)(STATES))

    return flax_layer(build)


CASES = {
    "memax LRU": (memax_lru, "lru"),
    "long-range-models LRU": (of_models("LRULayer"), "lru"),
    "long-range-models S5": (of_models("S5Layer"), "s5"),
    "flax GRU": (cell("GRUCell"), "gru"),
    "flax LSTM": (cell("LSTMCell"), "lstm"),
    "flax optimised LSTM": (cell("OptimizedLSTMCell"), "lstm"),
}


@pytest.mark.sampled(2, keep=["memax LRU-0", "flax GRU-5"])
@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("case", CASES)
def test_outputs_and_gradients_are_those_of_the_other_library(case, seed, tmp_path):
    make, family = CASES[case]
    key, *keys = jax.random.split(jax.random.key(seed), 4)
    arrays, call = make(key)
    # Biases are drawn too: at zero a wrong order of gates would go unnoticed.
    noise = iter(jax.random.split(keys[2], len(arrays)))
    arrays = {
        name: np.asarray(value + 0.1 * jax.random.normal(next(noise), value.shape))
        if "bias" in name
        else np.ascontiguousarray(value)
        for name, value in arrays.items()
    }
    file = tmp_path / "theirs.safetensors"
    save_file({f"params.encoder.{name}": array for name, array in arrays.items()}, file)
    (match,) = find(open_checkpoint(file))
    assert match.family.name == family
    u = jax.random.normal(keys[0], (TIME, WIDTH))
    weights = jax.random.normal(keys[1], call(arrays, u).shape)
    by_name = {
        tensor.name[len("params.encoder.") :]: name
        for name, tensor in match.tensors.items()
    }

    def loss(run):
        return lambda arrays, u: jnp.vdot(weights, run(arrays, u))

    def renamed(arrays, u):
        named = {by_name[name]: value for name, value in arrays.items()}
        return match.layer(named)(u)

    theirs = jax.jit(call)(arrays, u)
    scale = float(jnp.abs(theirs).max())
    np.testing.assert_allclose(match.layer()(u), theirs, rtol=0, atol=1e-5 * scale)
    computed = jax.jit(jax.grad(loss(renamed), (0, 1)))(arrays, u)
    # Their gradients of S5 cancel in single precision, (exp(z) - 1)/z for small z: what
    # they compute in double precision is what ours in single precision is held to.
    double = case == "long-range-models S5"
    with double_precision(double):
        wide = np.float64 if double else np.float32
        arrays = {name: array.astype(wide) for name, array in arrays.items()}
        weights, u = np.asarray(weights, wide), np.asarray(u, wide)
        expected = jax.jit(jax.grad(loss(call), (0, 1)))(arrays, u)
        expected = jax.tree.map(np.asarray, expected)
    for name, gradient in {**expected[0], "inputs": expected[1]}.items():
        mine = computed[1] if name == "inputs" else computed[0][name]
        size = np.linalg.norm(gradient)
        assert np.linalg.norm(np.asarray(mine) - gradient) <= 1e-5 * size, name
        assert size > 0


def test_flax_s_own_file_is_read(tmp_path):
    serialization = library("flax.serialization")
    arrays, _ = cell("GRUCell")(jax.random.key(1))
    tree = {"params": {"rnn": {}}}
    for name, value in arrays.items():
        *path, last = name.split(".")
        here = tree["params"]["rnn"]
        for part in path:
            here = here.setdefault(part, {})
        here[last] = value
    file = tmp_path / "model.msgpack"
    file.write_bytes(serialization.to_bytes(tree))
    (match,) = find(open_checkpoint(file))
    assert match.family.name == "gru"
    bare_match = find(of_arrays({f"params.rnn.{k}": v for k, v in arrays.items()}))[0]
    u = jax.random.normal(jax.random.key(2), (TIME, WIDTH))
    np.testing.assert_array_equal(match.layer()(u), bare_match.layer()(u))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [1, 7])
@pytest.mark.parametrize("case", ["memax LRU", "long-range-models S5"])
def test_predicted_moments_of_their_outputs_are_measured(case, seed):
    """What theory says of the layer that was read, and what the other library computes."""
    make, _ = CASES[case]
    key, u_key = jax.random.split(jax.random.key(seed))
    arrays, call = make(key)
    (match,) = find(
        of_arrays({f"encoder.{name}": array for name, array in arrays.items()})
    )
    rho, num, last = 0.7, 6000, TIME - 1
    with double_precision(True):
        covariance = rho ** np.arange(TIME)
        wide = {name: array.astype(float) for name, array in arrays.items()}
        layer = find(of_arrays(wide))[0].layer()
        system = perturb(layer)._replace(tangents={})
        expected = predict(system, covariance, steps=TIME, at=last)["output"]
    noise = jax.random.normal(u_key, (num, TIME, WIDTH))
    root = jnp.linalg.cholesky(
        jnp.asarray(
            rho ** np.abs(np.subtract.outer(np.arange(TIME), np.arange(TIME))),
            jnp.float32,
        )
    )
    inputs = jnp.einsum("st,ntd->nsd", root, noise)
    outputs = jax.jit(
        lambda u: jax.lax.map(
            lambda sequence: call(arrays, sequence)[last], u, batch_size=500
        )
    )(inputs)
    squares = np.asarray((outputs**2).sum(-1), float)
    error = squares.std(ddof=1) / np.sqrt(num)
    # Two-sided at 1e-6: 4.9 standard errors of a mean of 6000; a wrong form is farther.
    assert abs(squares.mean() - expected) < 4.9 * error
    assert error < 0.04 * expected
    assert match.family.name in ("lru", "s5")
