"""Layers of other libraries over a series: theory beside what their equations give."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from sympy import oo

from sigprop.audit.foreign import Limits, audit_checkpoint, report
from sigprop.audit.foreign.check import first_failing
from sigprop.audit.foreign.drive import embed, encoder_of
from sigprop.audit.series import load_series
from sigprop.audit.series_moments import empirical_autocovariance, lag_weights
from sigprop.networks.foreign import of_arrays
from tests.sigprop.audit.lint import healthy

STEPS, SEQUENCES = 64, 300
FEW = Limits(modes=6, gated=3, probes=0)


def written(tmp_path, features=1, seed=5, rho=0.6):
    """Sequences of independent AR(1) processes, of unit variance."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(SEQUENCES, STEPS, features))
    for t in range(1, STEPS):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * x[:, t]
    file = tmp_path / "series.npy"
    np.save(file, x)
    return file


def layers(*names):
    return {
        f"{name}.{key}": array
        for name in names
        for key, array in healthy.HEALTHY[name](np.random.default_rng(2)).items()
    }


def audited(arrays, series, limits=FEW):
    return audit_checkpoint(of_arrays(arrays), series, "series.npy", limits)


def loops(windows, lam, drive):
    """``|h_t|^2`` and ``|dh_t/dlam|^2`` averaged over steps, by the recurrence itself."""
    h = s = np.zeros(len(windows), complex)
    sums = np.zeros((2, len(windows)))
    for t in range(windows.shape[1]):
        h, s = lam * h + windows[:, t] @ drive, lam * s + h
        sums += np.abs(h) ** 2, np.abs(s) ** 2
    return sums / windows.shape[1]


@pytest.mark.parametrize("name", ["minimal-LRU", "Mamba-2"])
def test_modes_are_those_of_the_file_and_are_measured_by_their_recurrence(
    name, tmp_path
):
    series = load_series(written(tmp_path))
    arrays = layers(name)
    (layer,) = audited(arrays, series).layers
    raw = {key.partition(".")[2]: np.float64(value) for key, value in arrays.items()}
    if name == "Mamba-2":
        steps = np.logaddexp(0, raw["dt_bias"])
        lam = np.exp(-np.exp(raw["A_log"]) * steps) + 0j
        weights = np.ones((len(lam), 1))
        assert layer.kind == "at rest"
    else:
        lam = np.exp(-np.exp(raw["nu_log"]) + 1j * np.exp(raw["theta_log"]))
        B = np.exp(raw["gamma_log"])[:, None] * (raw["B_re"] + 1j * raw["B_im"])
        mixing = embed(series, B.shape[1], None, 0).mixing
        np.testing.assert_allclose(mixing**2, 1)  # one feature, of variance one
        weights = B @ mixing
        assert layer.kind == "linear"
    order = np.argsort(-np.abs(lam))
    assert layer.chosen.indices[0] == order[0]
    assert layer.chosen.indices[-1] == order[-1]
    moments = {m.quantity: m for m in layer.moments}
    for n in (0, 3):
        index = layer.chosen.indices[n]
        squares = loops(series.values, lam[index], weights[index])
        for name, windows in zip(("state", "dh/dlam"), squares, strict=True):
            m = moments[name]
            np.testing.assert_allclose(m.measured[n], windows.mean(), rtol=1e-5)
            assert m.low[n] < windows.mean() < m.high[n]
            assert m.low[n] < m.predicted[0, n] < m.high[n]


@pytest.mark.parametrize("features", [1, 3])
def test_each_further_assumption_is_the_one_that_it_says(features, tmp_path):
    """By theory's own lag weights and the autocovariances of the channels."""
    series = load_series(written(tmp_path, features))
    arrays = layers("minimal-LRU")
    (layer,) = audited(arrays, series).layers
    mixing = embed(series, 16, None, 0).mixing
    channels = series.values @ mixing.T
    common = np.mean(
        [empirical_autocovariance(c) for c in np.moveaxis(channels, 2, 0)], 0
    )
    raw = {key.partition(".")[2]: np.float64(value) for key, value in arrays.items()}
    for m, quantity in zip(layer.moments[:2], ("state", "sensitivity"), strict=True):
        for n, index in enumerate(layer.chosen.indices):
            gap = -np.expm1(-np.exp(raw["nu_log"][index]))
            theta = np.exp(raw["theta_log"][index])
            weights = lag_weights(quantity, gap, theta, STEPS, oo)
            b = (
                np.exp(raw["gamma_log"][index])
                * (raw["B_re"] + 1j * raw["B_im"])[index]
            )
            parts = [(channels @ b).real, (channels @ b).imag]
            # The mixed part is odd in the lag, so it is counted by its own sum.
            own = sum(empirical_autocovariance(part) for part in parts)
            gain = (np.abs(b) ** 2).sum()
            expected = [gain * weights @ common, gain * weights[0] * common[0]]
            if features == 1:  # then B turns one signal, and there is no mixed part
                expected = [weights @ own, *expected]
            computed = m.predicted[-len(expected) :, n]
            nonzero = np.array(expected) > 0
            np.testing.assert_allclose(
                computed[nonzero], np.array(expected)[nonzero], rtol=1e-5
            )
            assert np.isnan(computed[~nonzero]).all()


def test_slopes_by_the_layer_s_own_parameters_follow_from_those_by_lam(tmp_path):
    series = load_series(written(tmp_path, features=2))
    arrays = layers("minimal-LRU")
    (layer,) = audited(arrays, series).layers
    moments = {m.quantity: m for m in layer.moments}
    nu = np.exp(arrays["minimal-LRU.nu_log"].astype(float))[layer.chosen.indices]
    theta = np.exp(arrays["minimal-LRU.theta_log"].astype(float))[layer.chosen.indices]
    by_lam, radius = moments["dh/dlam"].measured, np.exp(-nu)
    for name, derivative in (("nu_log", nu * radius), ("theta_log", theta * radius)):
        expected = derivative**2 * by_lam
        np.testing.assert_allclose(moments[f"dh/d{name}"].measured, expected, rtol=1e-5)
    state = moments["state"].measured  # gamma = exp(gamma_log) multiplies the input
    np.testing.assert_allclose(moments["dh/dgamma_log"].measured, state, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "by"), [("Mamba-1", "dh/dA_log"), ("Griffin", "dh/dLambda")]
)
def test_gated_neurons_are_run_through_their_own_gates(name, by, tmp_path):
    import jax
    import jax.numpy as jnp

    from sigprop.layers.base import parameters, replace
    from sigprop.numerics.precision import double_precision

    series = load_series(written(tmp_path, features=2, rho=0.0))
    arrays = layers(name)
    if name == "Mamba-1":
        arrays["Mamba-1.x_proj.weight"] /= 10  # as sizes are after training
    else:
        arrays["Griffin.a_param"] += 2.5  # memories that end within the windows
    (audited_layer,) = audited(
        arrays, series, Limits(modes=4, gated=2, probes=0)
    ).layers
    assert (audited_layer.kind, audited_layer.rungs) == (
        "gated",
        ("AR(1)", "Gaussian, white"),
    )
    layer, indices = audited_layer.chosen.layer, audited_layer.chosen.indices
    parameter = by.removeprefix("dh/d")
    with double_precision(True):
        mixing = embed(series, layer.widths[0], None, 0).mixing
        u = jnp.asarray(series.values[:20] @ mixing.T)
        ones = jnp.ones_like(parameters(layer)[parameter])
        value = parameters(layer)[parameter]

        def states(step, u):
            moved = replace(layer, {parameter: value + step * ones})
            return moved.states(u)[:, indices]

        h = jax.vmap(lambda u: states(0.0, u))(u)
        s = jax.vmap(jax.jacrev(states), (None, 0))(0.0, u)
    few = load_series(written(tmp_path, features=2, rho=0.0))
    few = type(few)(series.values[:20], few.names, few.notes, few.block)
    from sigprop.audit.foreign.gates import gated_moments

    result = gated_moments(
        audited_layer.chosen, few, embed(series, layer.widths[0], None, 0), 0
    )
    for m, expected in zip(result.moments, (h, s), strict=True):
        squares = np.asarray(expected)[:, STEPS // 2 :] ** 2
        np.testing.assert_allclose(m.measured, squares.mean((0, 1)), rtol=1e-6)
    # White Gaussian inputs are what theory takes them for, in as many steps as there are.
    for m in audited_layer.moments:
        half = m.reached * m.predicted[1]
        assert ((m.low <= 1.05 * half) & (0.95 * half <= m.high)).all(), m
        assert (m.reached < 1 + 1e-9).all()
        assert m.reached.min() < 0.9
    cut = [
        fails == "infinite"
        for fails in first_failing(audited_layer, audited_layer.moments[0], 0.1)
    ]
    assert cut == (audited_layer.moments[0].reached < 0.9).tolist()


def test_the_first_assumption_to_fail_is_named(tmp_path):
    """Inputs that remember are not white; memories beyond the window are cut."""
    series = load_series(written(tmp_path, rho=0.9))
    arrays = {
        "nu_log": np.log([1e-4, 0.3]),
        "theta_log": np.log([1e-3, 1e-3]),
        "gamma_log": np.zeros(2),
    }
    (layer,) = audited(arrays, series).layers
    assert layer.kind == "at rest"  # without B
    state = layer.moments[0]
    assert first_failing(layer, state, 0.1) == ["infinite", "white"]
    assert np.isnan(state.predicted[2]).all()
    summary = report.as_json(audited(arrays, series), "")["layers"][0]
    assert [mode["quantities"]["state"]["fails"] for mode in summary["modes"]] == [
        "infinite",
        "white",
    ]
    assert "memory is cut" in report.conclusion(audited(arrays, series))


@pytest.mark.parametrize(
    ("kind", "bits"), [("float32", 24), ("float16", 11), ("bfloat16", 8)]
)
def test_the_margin_says_what_the_format_can_still_tell(kind, bits, tmp_path):
    import ml_dtypes

    dtype = getattr(ml_dtypes, kind, None) or np.dtype(kind)
    arrays = {
        "nu_log": np.asarray(np.log([0.01, 0.1]), dtype),
        "theta_log": np.asarray([0.1, 0.2], dtype),
    }
    (layer,) = audited(arrays, load_series(written(tmp_path))).layers
    margin = layer.margin
    x = float(arrays["nu_log"][0])
    assert margin.dtype == kind

    def memory(log):
        return -1 / np.expm1(-np.exp(log))

    assert margin.memory == pytest.approx(memory(x), rel=1e-12)
    assert margin.gap == pytest.approx(-np.expm1(-np.exp(x)), rel=1e-12)
    spacing = 2.0 ** (3 - bits)  # of a number between 4 and 8
    assert margin.step == pytest.approx(memory(x - spacing) - memory(x), rel=1e-6)
    assert margin.longest == 2.0**bits
    assert margin.spacings == pytest.approx(margin.gap * 2**bits, rel=1e-12)


def test_the_finest_step_is_that_of_the_finer_parameter(tmp_path):
    """In Mamba-2 two move the decay; the one whose neighbour is nearer counts."""
    (layer,) = audited(layers("Mamba-2"), load_series(written(tmp_path))).layers
    raw = {k.partition(".")[2]: v for k, v in layers("Mamba-2").items()}
    a, bias = raw["A_log"], raw["dt_bias"]

    def memory(a, bias):
        rate = np.exp(np.float64(a)) * np.logaddexp(0, np.float64(bias))
        return -1 / np.expm1(-rate[layer.chosen.indices[0]])

    down = np.float32(-np.inf)
    moved = [memory(np.nextafter(a, down), bias), memory(a, np.nextafter(bias, down))]
    steps = sorted(np.subtract(moved, memory(a, bias)))
    assert steps[1] > 1.5 * steps[0] > 0
    assert layer.margin.step == pytest.approx(steps[0], rel=1e-4)


def test_a_layer_without_any_mode_inside_does_not_hide_the_others(tmp_path):
    series = load_series(written(tmp_path))
    frozen = layers("Mamba-2", "RWKV-4")
    frozen["Mamba-2.A_log"] = np.full(24, -200.0, np.float32)
    result = audited(frozen, series)
    by_layer = {layer["layer"]: layer for layer in report.as_json(result, "")["layers"]}
    assert by_layer["Mamba-2"]["modes"] == []
    assert any(
        "no mode is strictly inside" in note for note in by_layer["Mamba-2"]["notes"]
    )
    assert len(by_layer["RWKV-4"]["modes"]) == 6


def test_the_series_goes_through_a_matrix_of_the_file(tmp_path):
    series = load_series(written(tmp_path, features=3))
    arrays = {**layers("minimal-LRU"), "encoder.weight": np.ones((16, 3), np.float32)}
    checkpoint = of_arrays(arrays)
    encoder = encoder_of(checkpoint, "encoder.weight", series)
    assert "through encoder.weight" in embed(series, 16, encoder, 0).origin
    result = audit_checkpoint(checkpoint, series, "", FEW, through="encoder.weight")
    assert result.layers[0].inputs == "the series through encoder.weight"
    turned = of_arrays({"kernel": np.ones((3, 16))})
    assert encoder_of(turned, "kernel", series).matrix.shape == (16, 3)
    with pytest.raises(
        ValueError, match=r"of shape \(16, 3\) has, got 1: feature 0; give"
    ):
        encoder_of(checkpoint, "encoder.weight", load_series(written(tmp_path)))
    with pytest.raises(ValueError, match=r"need the name of a tensor .* got 'none'"):
        encoder_of(checkpoint, "none", series)


def test_layers_are_in_the_order_of_their_numbers(tmp_path):
    rwkv = healthy.HEALTHY["RWKV-4"](np.random.default_rng(1))
    arrays = {f"layers.{n}.{k}": v for n in (10, 9, 1) for k, v in rwkv.items()}
    file = tmp_path / "model.safetensors"
    save_file(arrays, file)
    from sigprop.networks.foreign import open_checkpoint

    series = load_series(written(tmp_path))
    result = audit_checkpoint(open_checkpoint(file), series, "", FEW)
    assert [x.layer for x in result.layers] == ["layers.1", "layers.9", "layers.10"]
    text = json.dumps(report.as_json(result, ""), allow_nan=False)
    assert json.loads(text)["version"] == report.VERSION


@pytest.mark.slow
@pytest.mark.parametrize("name", healthy.HEALTHY)
def test_every_family_is_audited(name, tmp_path):
    series = load_series(written(tmp_path, features=3))
    limits = Limits(modes=8, gated=3, probes=8)
    result = audited(layers(name), series, limits)
    (layer,) = report.as_json(result, "")["layers"]
    json.dumps(layer, allow_nan=False)
    kinds = {"Griffin": "gated", "Mamba-1": "gated"}
    rest = ("Mamba-2", "gated DeltaNet", "RWKV-4", "PyTorch GRU", "chrono LSTM")
    assert layer["kind"] == kinds.get(name, "at rest" if name in rest else "linear")
    for mode in layer["modes"]:
        for q in mode["quantities"].values():
            assert q["low"] <= q["measured"] <= q["high"]
    state = layer["moments"][0]
    if layer["kind"] != "gated":
        assert state["within_interval"] == state["modes"]
    trace = layer["trace"]
    if name in ("Mamba-2", "gated DeltaNet", "RWKV-4"):
        assert trace["measured"] is None
        assert "no layer of ours to run" in trace["missing"]
    else:
        assert trace["measured"] > 0
    assert trace["missing"] or trace["predicted"] > 0
    if trace["predicted"] and layer["kind"] == "linear":
        distance = abs(trace["predicted"] - trace["measured"])
        assert distance < 6 * trace["sem"] + 0.1 * trace["predicted"]


def test_the_trace_of_an_rg_lru_is_measured_where_inputs_are_white(tmp_path):
    """Of mixed channels: the closed form keeps the correlations between them."""
    arrays = healthy.rglru(np.random.default_rng(3), width=6, heads=2)
    arrays["a_param"] += 1  # memories that the windows hold
    series = load_series(written(tmp_path, features=2, rho=0.0))
    limits = Limits(modes=2, gated=2, probes=3 * SEQUENCES)
    (layer,) = audited(arrays, series, limits).layers
    predicted, measured = sum(layer.trace.predicted.values()), layer.trace.measured
    assert set(layer.trace.predicted) == {"W_a", "b_a", "W_x", "b_x", "Lambda"}
    assert layer.inputs == "6 random mixtures of 2 features, each of variance one"
    # Two-sided at 1e-6; a factor of 1.2 would be noticed.
    assert abs(measured.value - predicted) < 4.9 * measured.sem
    assert measured.sem < 0.04 * predicted
