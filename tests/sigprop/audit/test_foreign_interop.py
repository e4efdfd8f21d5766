"""Checkpoints of two other libraries: what the audit says, and what they compute themselves.

Their own layers are run with a ``C`` that lets the state through, and are differentiated by
their own parameters: no code of ours is between.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from safetensors.numpy import save_file

from sigprop.audit.foreign import Limits, audit_checkpoint
from sigprop.audit.series import Series
from sigprop.linear.filters import mean_weights, moment
from sigprop.networks.foreign import open_checkpoint
from tests.sigprop.networks.foreign.test_interop import (
    STATES,
    WIDTH,
    memax_lru,
    of_models,
)

pytestmark = pytest.mark.interop

STEPS, NUM, RHO = 48, 500, 0.7
SLOW = 5.0  # standard errors: one in a million of 200 comparisons, and skew of squares


def inputs(seed):
    """Sequences of independent AR(1) channels of variance one, as the audit takes them."""
    g = np.random.default_rng(seed)
    x = g.normal(size=(NUM, STEPS, WIDTH))
    for t in range(1, STEPS):
        x[:, t] = RHO * x[:, t - 1] + np.sqrt(1 - RHO**2) * x[:, t]
    return Series(x, tuple(f"channel {n}" for n in range(WIDTH)), (), 1)


def memax(key):
    """Arrays, how they are run, how ``C`` lets the state through, names of its slopes."""
    tree, call = memax_lru(key)

    def reading(re, im):
        return {"C_re": re, "C_im": -im, "D": jnp.zeros(WIDTH)}

    return tree, call, reading, ("nu_log", "theta_log", "gamma_log")


def models_s5(key):
    tree, call = of_models("S5Layer")(key)
    (prefix,) = {
        name.rpartition("Lambda_re")[0] for name in tree if "Lambda_re" in name
    }

    def reading(re, im):
        return {
            f"{prefix}C_comps": jnp.stack([re, -im]),
            f"{prefix}D": jnp.zeros(WIDTH),
        }

    return tree, call, reading, (f"{prefix}Lambda_im", f"{prefix}log_dt")


MAKERS = {"memax LRU": memax, "long-range-models S5": models_s5}
OURS = {"Lambda_im": "im"}


def states(call, reading, arrays, u):
    """Real and imaginary parts of their states, ``WIDTH`` of them at a time."""
    n = next(
        v.shape[0] for k, v in arrays.items() if k.endswith(("nu_log", "Lambda_re"))
    )
    parts = []
    for start in range(0, n, WIDTH):
        rows = jnp.eye(n)[start : start + WIDTH]
        rows = jnp.concatenate([rows, jnp.zeros((WIDTH - len(rows), n))])
        readings = [
            call({**arrays, **reading(*pair)}, u)
            for pair in ((rows, 0 * rows), (0 * rows, rows))
        ]
        parts.append(jnp.stack(readings)[:, :, : min(WIDTH, n - start)])
    return jnp.concatenate(parts, -1)


@pytest.mark.sampled(1, keep=["memax LRU-1"])
@pytest.mark.parametrize("seed", [1, 6])
@pytest.mark.parametrize("case", MAKERS)
def test_states_and_slopes_are_those_of_the_other_library(case, seed, tmp_path):
    tree, call, reading, names = MAKERS[case](jax.random.key(seed))
    arrays = {name: np.ascontiguousarray(value) for name, value in tree.items()}
    file = tmp_path / "theirs.safetensors"
    save_file({f"net.{name}": array for name, array in arrays.items()}, file)
    series = inputs(seed)
    (layer,) = audit_checkpoint(
        open_checkpoint(file), series, "", Limits(modes=STATES, probes=0)
    ).layers
    assert layer.kind == "linear"
    moments = {m.quantity: m for m in layer.moments}
    u = jnp.asarray(series.values, jnp.float32)

    def mean_squares(run):
        """By window: over steps, real and imaginary parts together."""
        trajectories = jax.jit(
            lambda u: jax.lax.map(lambda x: (run(x) ** 2).sum(0).mean(0), u)
        )(u)
        return np.asarray(trajectories, float)[:, layer.chosen.indices]

    measured = {"state": mean_squares(lambda x: states(call, reading, arrays, x))}
    for name in names:
        last = name.rpartition(".")[2]

        def derivative(x, name=name):
            moved = {name: jnp.ones_like(arrays[name])}
            return jax.jvp(
                lambda v: states(call, reading, {**arrays, **v}, x),
                ({name: jnp.asarray(arrays[name])},),
                (moved,),
            )[1]

        measured[f"dh/d{OURS.get(last, last)}"] = mean_squares(derivative)
    lags = RHO ** np.arange(STEPS)
    gain = (np.abs(layer.chosen.inward) ** 2).sum(1)
    for name, windows in measured.items():
        estimate, mean = moments[name], windows.mean(0)
        # Their gains of S5, (exp(z) - 1)/z, cancel in their single precision.
        np.testing.assert_allclose(
            estimate.measured, mean, rtol=3e-3 if "S5" in case else 2e-4
        )
        assert ((estimate.low < mean) & (mean < estimate.high)).all()
        assert (
            (estimate.low < estimate.predicted[0])
            & (estimate.predicted[0] < estimate.high)
        ).all()
        # From the law of the inputs, of which the audit knows nothing.
        kernel = layer.chosen.filters[name].kernel(STEPS)
        known = gain * moment(mean_weights(kernel), lags)
        error = windows.std(0, ddof=1) / np.sqrt(NUM)
        assert (np.abs(estimate.predicted[0] - known) < SLOW * error).all()
        assert (np.abs(mean - known) < SLOW * error).all()
        assert (error < 0.15 * known).all()


@pytest.mark.sampled(1, keep=["memax LRU"])
@pytest.mark.parametrize("case", MAKERS)
def test_the_trace_is_that_of_their_own_dense_hessian(case, tmp_path):
    tree, call, *_ = MAKERS[case](jax.random.key(4))
    arrays = {name: np.ascontiguousarray(value) for name, value in tree.items()}
    file = tmp_path / "theirs.safetensors"
    save_file({f"net.{name}": array for name, array in arrays.items()}, file)
    series = inputs(8)
    some = Series(series.values[:100], series.names, (), 1)
    (layer,) = audit_checkpoint(
        open_checkpoint(file), some, "", Limits(modes=2, probes=200)
    ).layers
    u = jnp.asarray(some.values, jnp.float32)
    y = jax.lax.map(lambda x: call(arrays, x), u)

    start, split = ravel_pytree({name: jnp.asarray(x) for name, x in arrays.items()})

    def loss(flat):
        error = jax.lax.map(lambda x: call(split(flat), x), u) - y
        return jnp.mean(jnp.sum(error**2, -1)) / 2

    diagonal = split(jnp.diagonal(jax.jit(jax.hessian(loss))(start)))
    dense: dict[str, float] = {}
    for name, value in diagonal.items():
        last = name.rpartition(".")[2]
        if last in ("Lambda_re", "Lambda_im"):
            continue  # ours are log(-Re A) and Im A
        part = last[0] if last[0] in "BCD" else last
        dense[part] = dense.get(part, 0.0) + float(value.sum())
    predicted, measured = layer.trace.predicted, layer.trace.measured
    assert measured is not None
    for name, expected in dense.items():
        # The windows are not exactly stationary.
        assert predicted[name] == pytest.approx(expected, rel=0.1), name
    total = sum(predicted.values())
    assert sum(dense.values()) > 0.5 * total
    assert abs(measured.value - total) < SLOW * measured.sem + 0.1 * total
    assert measured.sem < 0.1 * total
    assert len(dense) >= 4
