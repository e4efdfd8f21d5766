"""Forecasts see their window alone, for every layer; a planted look ahead is caught."""

import dataclasses
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.networks import SEQUENCE_LAYERS, build
from sigprop.networks.forecaster import (
    Head,
    _again,
    _shown,
    _stream,
    first_row,
    forecast,
    require_head,
)
from tests.sigprop.networks.small import config, noise, shaken

LENGTH, HORIZON, FEATURES, BATCH = 6, 3, 2, 4
ONE_WAY = ("lru", "rotrnn", "s4", "gru", "lstm", "nonlinear_rnn")
BOTH = ("blur", "bidirectional_lru", "bidirectional_rotrnn", "bidirectional_s4")
MODELS = (*ONE_WAY, *BOTH, "bgru", "blstm", "brnn")
KEPT = ["lru-direct", "blur-direct", "blur-steps", "gru-steps", "bgru-direct"]


def head(**changes) -> Head:
    return Head(**{"horizon": HORIZON, "features": FEATURES, **changes})


def random_network(layer, shape, seed=0, **changes):
    """A network for a head, in inference mode, and its state."""
    sizes = {"inputs": shape.inputs, "outputs": shape.outputs, "pooling": "last"}
    model, state = build(
        config(layer, **sizes, depth=2, **changes), key=jax.random.key(seed)
    )
    model = eqx.tree_at(lambda n: n.blocks, model, shaken(model.blocks, seed))
    return eqx.nn.inference_mode(model), state


@eqx.filter_jit
def forecast_of(model, state, shape, window, marks):
    return forecast(model, state, shape, window, marks)[0]


def rows_and_marks(shape, seed=7):
    rows = noise(BATCH, LENGTH + HORIZON, FEATURES, seed=seed)
    return rows, noise(BATCH, LENGTH + HORIZON, shape.marks, seed=seed + 1)


@eqx.filter_jit
def sensitivities(predict, rows):
    """How much any forecast depends on each row of the table, windows after one another.

    Window ``k`` begins at row ``k``; ``predict`` is given every row of the table.
    """
    return jnp.abs(jax.jacrev(predict)(rows)).max((2, 4))


def after_the_window(predict, rows) -> float:
    """The largest slope of a forecast with respect to a row after its window."""
    derivatives = np.asarray(sensitivities(predict, rows))  # windows, horizon, rows
    windows = derivatives.shape[0]
    return max(derivatives[k][:, k + LENGTH :].max() for k in range(windows))


def of_the_window(predict, rows) -> float:
    """The least, over rows of a window, of the largest slope of its forecast."""
    derivatives = np.asarray(sensitivities(predict, rows)).max(1)
    return min(derivatives[k][k : k + LENGTH].min() for k in range(len(derivatives)))


def predicting(model, state, shape, ahead=0):
    """Forecasts from a table's rows; ``ahead`` rows too late, to be caught."""

    def predict(rows):
        indices = np.arange(2)[:, None] + np.arange(LENGTH)
        marks = jnp.zeros((2, LENGTH + HORIZON, shape.marks))
        return forecast(model, state, shape, rows[indices + ahead], marks)[0]

    return predict


@pytest.mark.parametrize("kind", ["direct", "steps"])
@pytest.mark.parametrize("layer", MODELS)
@pytest.mark.sampled(keep=KEPT)
def test_no_forecast_depends_on_a_row_after_its_window(layer, kind, x64):
    shape = head(kind=kind, centre="none")
    predict = predicting(*random_network(layer, shape), shape)
    rows = noise(LENGTH + HORIZON + 1, FEATURES)
    assert after_the_window(predict, rows) == 0
    assert of_the_window(predict, rows) > 1e-9


@pytest.mark.parametrize("layer", ["lru", "blur"])
def test_a_model_that_sees_one_row_after_its_window_is_caught(layer, x64):
    shape = head()
    predict = predicting(*random_network(layer, shape), shape, ahead=1)
    assert after_the_window(predict, noise(LENGTH + HORIZON + 1, FEATURES)) > 1e-3


def test_rolling_out_with_both_directions_over_the_future_is_caught(x64):
    """The padding behind a window is what a careless backward pass would read."""
    shape = head(kind="steps", centre="none")
    model, state = random_network("blur", shape)

    def predict(rows):
        shown = jnp.stack([rows[k : k + LENGTH + HORIZON] for k in range(2)])
        return jax.vmap(lambda u: model(u, state)[0])(shown)[:, None]

    assert after_the_window(predict, noise(LENGTH + HORIZON + 1, FEATURES)) > 1e-3


@pytest.mark.parametrize("layer", ONE_WAY)
@pytest.mark.sampled(keep=["gru"])
def test_a_state_that_goes_on_gives_what_reading_all_again_gives(layer, x64):
    for changes in ({}, {"marks": 2}, {"channels": "each", "marks": 1}):
        shape = head(kind="steps", **changes)
        model, state = random_network(layer, shape, norm="layer")
        rows, marks = rows_and_marks(shape)
        shown, _ = _shown(shape, rows[:, :LENGTH], marks)
        first, other = (
            eqx.filter_jit(roll)(model, state, shape, shown, LENGTH)
            for roll in (_stream, _again)
        )
        np.testing.assert_allclose(first, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("layer", ["gru", "blur", "blstm"])
@pytest.mark.sampled(keep=["blur"])
def test_a_step_is_the_network_on_the_window_and_what_was_said_so_far(layer, x64):
    shape = head(kind="steps", marks=1, centre="last")
    model, state = random_network(layer, shape)
    rows, marks = rows_and_marks(shape)
    window = rows[:, :LENGTH]
    forecasts = forecast_of(model, state, shape, window, marks)
    assert forecasts.shape == (BATCH, HORIZON, FEATURES)
    longer = window - window[:, -1:]
    for step in range(HORIZON):
        u = jnp.concatenate([longer, marks[:, : LENGTH + step]], 2)
        row = jax.vmap(lambda sequence: model(sequence, state)[0])(u)
        np.testing.assert_allclose(forecasts[:, step], row + window[:, -1], atol=1e-10)
        longer = jnp.concatenate([longer, row[:, None]], 1)
    first, _ = first_row(model, state, shape, window, marks)
    np.testing.assert_allclose(first[:, 0], forecasts[:, 0], atol=1e-12)


@pytest.mark.parametrize("kind", ["direct", "steps"])
@pytest.mark.parametrize("channels", ["mixed", "each"])
def test_what_is_subtracted_is_added_to_the_forecast(kind, channels, x64):
    """A level that all rows of a window share moves the forecast by itself."""
    level = jnp.array([[[5.0, -3.0]]])
    for centre, moves in (("last", True), ("mean", True), ("none", False)):
        shape = head(kind=kind, channels=channels, centre=centre)
        model, state = random_network("lru", shape)
        rows, marks = rows_and_marks(shape)
        window = rows[:, :LENGTH]
        before, after = (
            forecast_of(model, state, shape, inputs, marks)
            for inputs in (window, window + level)
        )
        off = np.abs(np.asarray(after - before - level)).max()
        assert (off < 1e-10) == moves, centre
    last = jnp.broadcast_to(window[:, -1:], (BATCH, HORIZON, FEATURES))
    silent = dataclasses.replace(shape, centre="last")
    nothing = eqx.tree_at(
        lambda net: (net.decoder.weight, net.decoder.bias),
        model,
        replace_fn=jnp.zeros_like,
    )
    np.testing.assert_allclose(
        forecast_of(nothing, state, silent, window, marks), last, atol=1e-14
    )


def test_features_by_themselves_do_not_see_each_other(x64):
    shape = head(channels="each")
    model, state = random_network("blur", shape)
    rows, marks = rows_and_marks(shape)
    window = rows[:, :LENGTH]
    forecasts = forecast_of(model, state, shape, window, marks)
    other = forecast_of(model, state, shape, window.at[:, :, 1].set(0.0), marks)
    np.testing.assert_array_equal(forecasts[..., 0], other[..., 0])
    assert np.abs(np.asarray(forecasts - other))[..., 1].min() > 1e-9
    swapped = forecast_of(model, state, shape, window[..., ::-1], marks)
    np.testing.assert_allclose(swapped[..., ::-1], forecasts, atol=1e-12)


def test_marks_of_the_calendar_change_a_forecast(x64):
    for kind in ("direct", "steps"):
        shape = head(marks=2, kind=kind)
        model, state = random_network("lru", shape)
        rows, marks = rows_and_marks(shape)
        forecasts, other = (
            forecast_of(model, state, shape, rows[:, :LENGTH], calendar)
            for calendar in (marks, marks.at[:, LENGTH:].set(0.0))
        )
        # The first step of a roll-out, and all of a direct forecast, use the window's.
        np.testing.assert_array_equal(forecasts[:, 0], other[:, 0])
        assert np.array_equal(forecasts, other) == (kind == "direct")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"horizon": 0}, "need horizon >= 1, got horizon=0"),
        ({"marks": -1}, "need marks >= 0, got marks=-1"),
        ({"kind": "both"}, "need a kind of head in direct, steps, got 'both'"),
        ({"centre": "first"}, "need a centre in last, mean, none, got 'first'"),
        ({"channels": "all"}, "need channels in mixed, each, got 'all'"),
    ],
)
def test_a_head_that_there_is_not_is_refused(changes, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        head(**changes)


def test_a_network_or_a_window_that_does_not_fit_is_refused():
    shape = head()
    model, state = random_network("lru", shape)
    require_head(model.config, shape)
    with pytest.raises(ValueError, match=re.escape("(2, 2, 'linear', 'linear')")):
        require_head(model.config, head(kind="steps"))
    with pytest.raises(ValueError, match="pooling 'none'"):
        require_head(dataclasses.replace(model.config, pooling="none"), shape)
    rows, marks = rows_and_marks(shape)
    with pytest.raises(ValueError, match="windows of 2 features"):
        forecast(model, state, shape, rows[..., :1], marks)
    with pytest.raises(ValueError, match=re.escape("(batch, 12, 0)")):
        forecast(model, state, shape, rows, marks)
    with pytest.raises(ValueError, match="a head of steps"):
        first_row(model, state, shape, rows[:, :LENGTH], marks)


def test_every_model_that_forecasts_is_a_layer_with_a_name():
    assert set(MODELS) <= set(SEQUENCE_LAYERS)
