"""Each rung of a gated layer's ladder is right where its assumptions are, and else named."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.audit import gated_layers as ladder
from sigprop.audit.gated_layers import (
    GATED_QUANTITIES,
    GATED_RUNGS,
    audit_gated,
    is_input_gated,
    transition,
)
from sigprop.audit.network import audit
from sigprop.audit.summary import HOLDS, conclusion, reading, summarise, table
from sigprop.layers.base import parameters, replace
from sigprop.linear.gated_moments import predict_gated
from sigprop.networks.registry import sequence_layer
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from sigprop.tasks.examples import Batch
from sigprop.training.segments import untrained
from tests.sigprop.networks.small import network as draw_small

WIDTH, STEPS, COUNT = 4, 16, 1024  # as many inputs as the rung stationary takes
GROUPS, FAR = 16, 9.0  # standard errors: Student's t passes them once in 5 million
POINTS = 0.03  # relative error of a mean over 4096 points, at most
HEADS = {"heads": 2}
LAYERS = {
    "ssd": HEADS,
    "mamba3": HEADS,
    "deltanet": HEADS,
    "gated_deltanet": HEADS,
    "delta_product": HEADS | {"reflections": 2},
    "rwkv7": HEADS | {"rank": 3},
    "mlstm": HEADS | {"offsets": (0.0, 2.0)},
    "hgrn2": HEADS,
    "gla": HEADS | {"rank": 2},
    "selective": {},
    "mingru": {},
    "rglru": HEADS,
    "gated_unit": {"times": (2.0, 9.0), "state_gain": 0.0},
}
QUICK = ("ssd", "deltanet", "rwkv7")


def each(names=LAYERS):
    quick = [name for name in names if name in QUICK]
    slow = [name for name in names if name not in QUICK]
    return [*quick, *(pytest.param(name, marks=pytest.mark.slow) for name in slow)]


@functools.cache
def layer(name, seed=5):
    """A layer in double precision with gates that move with the input."""
    drawn = sequence_layer(name, WIDTH, WIDTH, key=jax.random.key(seed), **LAYERS[name])
    with double_precision(True):
        values = {name: jnp.asarray(x, float) for name, x in parameters(drawn).items()}
        return replace(drawn, values)


def states(one, u):
    """Squares of every unit's state by the layer itself: (sequences, time, units)."""
    with double_precision(True):
        h = np.asarray(jax.jit(jax.vmap(one.states))(jnp.asarray(u)))
        shape = ladder._shape(one)
    return (h.reshape(*u.shape[:2], *shape) ** 2).sum(3).reshape(*u.shape[:2], -1)


def audited(one, u, lengths=None, drawn=None, groups=8):
    lengths = np.full(len(u), u.shape[1]) if lengths is None else lengths
    return audit_gated(
        [one],
        u[None],
        lengths,
        np.arange(len(u)) * groups // len(u),
        None if drawn is None else [drawn],
    ).isel(recurrence=0)


# --- exact: transitions, measurements, both rungs of measured inputs ------------------


@pytest.mark.parametrize("name", each())
def test_transitions_make_the_states_of_the_layer(name):
    one, u = layer(name), np.random.default_rng(0).normal(size=(6, WIDTH))
    with double_precision(True):
        A, B = (np.asarray(x) for x in transition(one, jnp.asarray(u)))
        wanted = np.asarray(one.states(jnp.asarray(u)))
    S = np.zeros(B.shape[1:])
    for t in range(6):
        S = np.einsum("hra,hab->hrb", S, A[t]) + B[t]
        np.testing.assert_allclose(S.ravel(), wanted[t], rtol=1e-10, atol=1e-14)


def test_layers_whose_gates_see_the_state_have_no_transition():
    assert is_input_gated(layer("gated_unit"))
    key, times = jax.random.key(0), {"times": (1.0, 9.0)}
    for name in ("gru", "lstm", "gated_unit"):
        assert not is_input_gated(sequence_layer(name, WIDTH, WIDTH, key=key, **times))
    assert not is_input_gated(sequence_layer("lru", WIDTH, WIDTH, key=key))


@pytest.mark.parametrize("name", each())
def test_moments_of_measured_inputs_are_sums_over_all_sequences(name):
    """By running every sequence that the inputs of each position make."""
    one, draw = layer(name), np.random.default_rng(2)
    u, lengths = draw.normal(size=(4, 3, WIDTH)), np.array([3, 1, 2, 3])
    case = audited(one, u, lengths, groups=2)
    alive = [[0, 1, 2, 3], [0, 2, 3], [0, 3]]
    pooled = [(n, t) for t in range(3) for n in alive[t]]
    moments = {
        "memoryless": [[(n, t) for n in alive[t]] for t in range(3)],
        "stationary": [pooled] * 3,
    }
    own = states(one, u)
    measured = [
        sum(own[n, t] for n, t in pooled) / 9,
        sum(own[n, length - 1] for n, length in enumerate(lengths)) / 4,
    ]
    np.testing.assert_allclose(case.measured, measured, rtol=1e-10)
    for rung, values in moments.items():
        every = np.array([[u[at] for at in row] for row in itertools.product(*values)])
        at = states(one, every).mean(0)
        wanted = [at.T @ [4 / 9, 3 / 9, 2 / 9], at.T @ [1 / 4, 1 / 4, 2 / 4]]
        np.testing.assert_allclose(case.predicted.sel(rung=rung), wanted, rtol=1e-9)


@pytest.mark.parametrize("name", each())
def test_the_stationary_rung_is_the_exact_moment_of_a_law(name):
    one, u = layer(name), np.random.default_rng(3).normal(size=(16, 5, WIDTH))
    law = Law(u.reshape(-1, WIDTH), np.full(80, 1 / 80))
    case = audited(one, u).predicted.sel(rung="stationary", quantity="state at the end")
    wanted = predict_gated(one, law=law, steps=5)["state"].value
    assert float(case.sum()) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("name", each(("ssd", "rwkv7", "mlstm", "hgrn2", "mamba3")))
def test_the_alike_rung_is_the_exact_moment_of_normal_inputs(name):
    """The sum over 4096 points is compared with quadrature, its error at most 3 %."""
    one, size = layer(name), 0.7
    u = np.random.default_rng(4).normal(size=(8, 5, WIDTH))
    u *= size / np.sqrt((u**2).mean())
    wanted = predict_gated(one, scale=size, steps=5)["state"].value
    case = audited(one, u, drawn=one).sel(quantity="state at the end")
    for rung in ("alike", "as drawn"):
        assert float(case.predicted.sel(rung=rung).sum()) == pytest.approx(
            wanted, rel=0.03
        )


def test_the_jackknife_is_that_of_groups():
    one, u = layer("hgrn2"), np.random.default_rng(5).normal(size=(12, 4, WIDTH))
    case = audited(one, u, groups=3)
    left = [
        audited(one, np.delete(u, range(4 * g, 4 * g + 4), 0), groups=2)
        for g in range(3)
    ]
    for rung in ("memoryless", "stationary", "Gaussian", "alike"):
        whole = case.predicted.sel(rung=rung)
        measured_inputs = rung in GATED_RUNGS[:2]
        parts = np.stack(
            [
                part.ratio.sel(rung=rung) if measured_inputs else whole / part.measured
                for part in left
            ]
        )
        wanted = np.sqrt(2 * parts.var(0))
        np.testing.assert_allclose(case.ratio_sem.sel(rung=rung), wanted, rtol=1e-6)


# --- which assumption fails -----------------------------------------------------------


def white(draw):
    return draw.normal(size=(COUNT, STEPS, WIDTH))


def correlated(draw):
    x, rho = white(draw), 0.95
    for t in range(1, STEPS):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * x[:, t]
    return x


def growing(draw):
    return white(draw) * np.linspace(0.1, 2, STEPS)[None, :, None]


def sparse(draw):
    """Of mean zero and variance one, with a fourth moment of ten."""
    x = draw.choice([-1.0, 1.0], size=(COUNT, STEPS, WIDTH))
    return x * np.sqrt(10) * (draw.uniform(size=x.shape) < 0.1)


def mixed(draw):
    """Normal inputs of unequal, correlated channels with means."""
    mixing = np.diag([1.9, 0.5, 0.3, 0.1])
    mixing[1, 0], mixing[3, 2] = 0.9, -0.4
    return white(draw) @ mixing.T + np.array([0.0, 0.6, -0.8, 0.4])


CAUSES = {
    "white": (white, "", HOLDS),
    "correlated": (correlated, "memoryless", "inputs depend on earlier ones"),
    "growing": (growing, "stationary", "inputs are not stationary"),
    "sparse": (sparse, "Gaussian", "inputs are not Gaussian"),
    "mixed": (mixed, "alike", "channels are correlated or unequal"),
}


@functools.cache
def caused(cause, name, seed=6):
    """An audit of a layer on inputs of a cause; the layer before training is another."""
    one = layer(name)
    u = CAUSES[cause][0](np.random.default_rng(seed))
    return audited(one, u, drawn=one, groups=GROUPS).expand_dims("recurrence")


@pytest.mark.parametrize("name", each(("deltanet", "ssd", "gated_deltanet")))
@pytest.mark.parametrize("cause", CAUSES)
def test_the_assumption_that_fails_is_named(cause, name):
    """Rungs before the failing one are right within errors, and it is far off."""
    _, fails, reason = CAUSES[cause]
    dataset, quantity = caused(cause, name), "state at the end"
    case = dataset.sel(quantity=quantity).isel(recurrence=0)
    end = GATED_RUNGS.index(fails) if fails else len(GATED_RUNGS)
    for rung in GATED_RUNGS[:end]:
        one = case.sel(rung=rung)
        slack = FAR * one.ratio_sem + POINTS * (rung not in GATED_RUNGS[:2])
        assert (np.abs(one.ratio - 1) <= slack).all(), rung
    if fails:
        one = case.sel(rung=fails)
        assert (np.abs(one.ratio - 1) > FAR * one.ratio_sem).any()
    if name == "deltanet":  # whose medians have errors far below the tolerance
        summary = summarise(dataset).sel(quantity=quantity).isel(recurrence=0)
        assert (summary.fails.item(), summary.reason.item()) == (fails, reason)


def test_weights_that_training_moved_are_named():
    one = layer("deltanet")
    with double_precision(True):
        moved = replace(one, {"W_v": 1.2 * one.W_v})
    u = white(np.random.default_rng(7))
    dataset = audited(one, u, drawn=moved).expand_dims("recurrence")
    predicted = dataset.predicted.isel(recurrence=0)
    np.testing.assert_allclose(
        predicted.sel(rung="as drawn"), 1.44 * predicted.sel(rung="alike"), rtol=1e-9
    )
    summary = summarise(dataset).isel(recurrence=0)
    assert set(summary.fails.values) == {"as drawn"}
    assert set(summary.reason.values) == {"training moved the weights"}


# --- networks -------------------------------------------------------------------------


def batches(pair=False, pad=0.0, groups=3, size=6):
    """Sequences of all lengths; ``pad`` fills padding and a row that is not valid."""
    draw, result = np.random.default_rng(0), []
    shape = (size, 2) if pair else (size,)
    for _ in range(groups):
        inputs = draw.normal(size=(*shape, STEPS, WIDTH)).astype(np.float32)
        lengths = draw.integers(1, STEPS + 1, shape)
        inputs[np.arange(STEPS) >= lengths[..., None]] = pad
        inputs[-1] += pad
        labels = draw.integers(0, 2, size)
        result.append(Batch(inputs, lengths, labels, np.arange(size) < size - 1))
    return result


def test_a_network_is_audited_without_what_does_not_count():
    network, state = draw_small(
        "ssd", inputs=WIDTH, depth=2, head="pair", layer_options=HEADS
    )
    before = untrained(network.config, 0)
    found = audit(network, state, batches(pair=True), untrained=before)
    shaken = audit(network, state, batches(pair=True, pad=7.0), untrained=before)
    for name in ("measured", "predicted", "ratio_sem"):
        assert np.isfinite(found[name]).all()
        np.testing.assert_array_equal(found[name], shaken[name])
    assert found.recurrence.values.tolist() == ["block 1", "block 2"]
    assert found.quantity.values.tolist() == list(GATED_QUANTITIES)
    assert found.attrs["examples"] == 15
    assert np.isnan(found.lam_re).all()
    assert ((found.kept > 0) & (found.kept < 1)).all()
    assert " of 4 moments within" in conclusion(found)
    caption = str(table(found).caption)
    assert all(sentence in caption for sentence in reading(found))
    assert "Gaussian" in caption
    empty = audit(network, state, batches(pair=True)).sel(rung="as drawn")
    assert empty.predicted.isnull().all()
    np.testing.assert_array_equal(
        found.predicted[:, :, :4],
        audit(network, state, batches(pair=True)).predicted[:, :, :4],
    )


def test_an_untrained_network_of_other_sizes_is_refused():
    network, state = draw_small("ssd", inputs=WIDTH, layer_options=HEADS)
    other, _ = draw_small("ssd", inputs=WIDTH, depth=3, layer_options=HEADS)
    with pytest.raises(ValueError, match="untrained network of the same configuration"):
        audit(network, state, batches(), untrained=other)


def test_units_that_forget_at_once_have_no_ratio():
    one = layer("mamba3")
    u = np.random.default_rng(1).normal(size=(8, 5, WIDTH))
    case = audited(one, u)
    last = case.kept.values.reshape(2, 2, WIDTH)[:, 1] == 0  # the last input of a head
    assert last.all()
    missing = case.ratio.sel(rung="stationary", quantity="state").isnull().values
    assert missing.reshape(2, 2, WIDTH).sum((0, 2)).tolist() == [0, 2 * WIDTH]


def test_keys_that_are_too_long_have_no_prediction():
    one = sequence_layer("deltanet", 65, WIDTH, key=jax.random.key(0))
    case = audited(one, np.ones((4, 3, WIDTH)))
    assert case.note.item() == "no closed form: 65 entries of a key, of 64 at most"
    assert case.sizes["mode"] == 0
