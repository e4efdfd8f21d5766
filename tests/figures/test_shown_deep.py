"""Sentences and curves of the figures on deep and gated networks, from results made up."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import same_color

from sigprop.figures import (
    sigprop_effective_eigenvalues,
    style,
    zucchet_5,
    zucchet_12,
    zucchet_13,
    zucchet_14,
    zucchet_15,
)

GAPS = [1.0, 0.01, 1e-4]
KINDS = ["cRNN", "LRU", "GRU", "LSTM", "cRNN, layer norm", "cRNN, batch norm"]
GROUPS = ["recurrence", "angle", "projections", "feedforward"]


@pytest.fixture
def deep():
    """States and gradients of one, but for what a test changes."""
    leading, sizes = ("kind", "gap", "network"), (6, 3, 4)
    gradient = np.ones((*sizes, 2, 4))
    gradient[[0, 2, 3, 4, 5], ..., 1] = np.nan
    predicted = np.full(sizes, np.nan)
    predicted[:2] = 1.0
    jitter = 1 + np.array([-0.01, 0.01, -0.01, 0.01])
    return xr.Dataset(
        {
            "state": ((*leading, "layer"), np.ones((*sizes, 2)) * jitter[:, None]),
            "gradient": ((*leading, "layer", "group"), gradient),
            "ends": ((*leading, "end"), np.ones((*sizes, 2))),
            "predicted": (leading, predicted),
        },
        {
            "kind": KINDS,
            "gap": GAPS,
            "layer": [1, 4],
            "group": GROUPS,
            "end": ["encoder", "decoder"],
        },
        {"steps": 512},
    )


def test_zucchet_5_tells_growth_and_the_distance_from_theory(deep):
    deep["state"].loc[{"kind": "cRNN", "gap": 1e-4, "layer": 1}] *= 70
    deep["predicted"].loc[{"kind": "cRNN", "gap": 1e-4}] *= 68
    deep["gradient"].loc[{"kind": "LRU", "gap": 1e-4, "group": "angle"}] = 30
    layer_norm = {"kind": "cRNN, layer norm", "group": "recurrence"}
    deep["gradient"].loc[layer_norm | {"gap": 1e-4}] = 5
    text = zucchet_5.shown({"deep_signals": deep})
    assert "From ν₀ = 0 to 0.9999" in text
    assert "factors: 70 (cRNN), 1 (LRU), 1 (GRU), 1 (LSTM)." in text
    assert "recurrence change by 1 (cRNN), 1 (LRU), 1 (GRU), 5 (cRNN with layer" in text
    assert "norm), 30 (LRU's angle; 30 at 0.9999)." in text
    assert (
        "recurrences differ by at most 2.9 %, with a standard error of 0.6 %." in text
    )


def test_zucchet_5_lists_the_growth_of_every_gradient(deep):
    deep["state"].loc[{"kind": "cRNN", "gap": 1e-4, "layer": 1}] *= 70
    deep["gradient"].loc[{"kind": "LRU", "gap": 1e-4, "group": "angle"}] = 30
    header, *rows = zucchet_5.details({"deep_signals": deep})
    assert header == (
        *("factor from ν₀ = 0 to 0.9999", "squared states, first layer"),
        *(f"squared gradients, {group}" for group in GROUPS),
    )
    assert rows == [
        ("cRNN", "70", "1", "–", "1", "1"),
        ("LRU", "1", "1", "30", "1", "1"),
        ("GRU", "1", "1", "–", "1", "1"),
        ("cRNN, layer norm", "1", "1", "–", "1", "1"),
        ("cRNN, batch norm", "1", "1", "–", "1", "1"),
    ]


def test_zucchet_13_tells_how_far_layers_are_apart(deep):
    deep["gradient"].loc[{"kind": "cRNN", "gap": 0.01, "layer": 4}] *= np.array(
        [5.0, 1, 2, 1]
    )
    each = deep["gradient"].loc[{"kind": "cRNN", "gap": 0.01, "layer": 4}]
    each.loc[{"group": "recurrence"}] = [3.0, 3.0, 7.0, 7.0]
    sem = np.std([3.0, 3.0, 7.0, 7.0], ddof=1) / 2
    assert f"{100 * sem / 5:.0f}" == "23"
    deep["ends"].loc[{"kind": "GRU", "end": "encoder"}] = 12
    text = zucchet_13.shown({"deep_signals": deep})
    assert "by a factor of at most 5 (cRNN), 1 (LRU), 1 (GRU)." in text
    assert (
        "The cRNN's factor is that of the group recurrence at ν₀ = 0.99, where" in text
    )
    assert "the larger mean has a standard error of 23 %." in text
    header, *rows = zucchet_13.details({"deep_signals": deep})
    assert header == (
        *("recurrence", "largest factor between layers", "group with this factor"),
        "encoder's squared gradients / feedforward",
    )
    assert rows == [
        ("cRNN", "5", "recurrence", "1"),
        ("LRU", "1", "recurrence", "1"),
        ("GRU", "1", "recurrence", "12"),
    ]


def test_zucchet_5_draws_what_is_stored(deep):
    deep["state"] *= np.arange(1, 4)[None, :, None, None]
    figure = zucchet_5.draw({"deep_signals": deep}, "a")
    first = figure.axes[0]
    line = first.containers[0].lines[0]
    np.testing.assert_allclose(line.get_xdata(), GAPS)
    np.testing.assert_allclose(line.get_ydata(), [1, 2, 3])
    assert line.get_color() == style.VERMILION
    assert first.get_yscale() == first.get_xscale() == "log"
    assert len(zucchet_5.draw({"deep_signals": deep}).axes) == 2 + 3 + 3
    *_, last = zucchet_5.draw({"deep_signals": deep}).axes
    deep["gradient"].loc[{"kind": "LRU", "gap": 1e-4}] = 1e-6
    ranges = {
        axes.get_ylim() for axes in zucchet_5.draw({"deep_signals": deep}).axes[2:]
    }
    assert len(ranges) == 1
    assert min(ranges)[0] < last.get_ylim()[0] / 100
    some = deep.sel(kind=["cRNN", "LRU", "GRU", "cRNN, layer norm"])
    assert len(zucchet_5.draw({"deep_signals": some}).axes) == 2 + 3 + 2


@pytest.fixture
def correlation():
    lag = np.arange(6)
    R = np.stack([0.376 * (lag == 0) + 0.04 * 0.5**lag * (lag > 0), 0.9**lag])
    R[1, 4:] = np.nan
    shape = ("input", "lag")
    return xr.Dataset(
        {
            "R": (shape, R),
            "low": (shape, R - 0.001),
            "high": (shape, R + 0.001),
            "line": (shape, R),
            "exponentials": (shape, R),
            "paper": ("lag", np.append(R[0, :3], [1, 1, 1])),
            "terms": (("input", "term"), np.array([[0.336, 0.04, 0.5], [0, 1, 0.9]])),
        },
        {"input": ["embeddings", "ListOps"], "lag": lag, "term": ["a", "b", "rho"]},
        {"source": "stand-in"},
    )


def test_zucchet_12_compares_the_papers_fit_with_embeddings_alone(
    correlation,
):
    text = zucchet_12.shown({"embedding_correlation": correlation})
    assert "R of sampled inputs is 0.376 at lag 0 and falls to half" in text
    assert "half of R(1) at lag 3." in text
    assert "sampled from the paper's fit, so the agreement is no test of it" in text
    assert "interval" not in text
    read = correlation.assign_attrs(source="bert.npy")
    text = zucchet_12.shown({"embedding_correlation": read})
    assert "in the 95 % interval at 50 % of the lags" in text
    assert "R of embeddings is" in text
    assert zucchet_12.details({"embedding_correlation": correlation}) == (
        ("term of the fit", "our fit", "the paper's fit"),
        ("variance of white noise", "0.336", "0.332"),
        ("factor of the exponential", "0.04", "0.044"),
        ("ratio of the exponential at neighbouring lags", "0.5", "0.997"),
    )
    axes = zucchet_12.draw({"embedding_correlation": correlation}).axes[0]
    curve = next(line for line in axes.lines if line.get_label() == "sampled inputs")
    np.testing.assert_allclose(curve.get_ydata(), correlation["R"][0])


@pytest.fixture
def jacobian():
    cases = ["a, T <= 4", "b, T <= 4", "c, sigma_h = 5"]
    logs = np.zeros((3, 20, 2)) - 1
    logs[0, :, 1] = -np.inf
    logs[1, :, 1], logs[2] = -3, 2
    entries = np.ones((3, 2, 4))
    entries[2] *= [[-100], [100]]
    return xr.Dataset(
        {
            "diagonal": (("case", "kept_delay", "neuron"), entries),
            "beside": (("case", "kept_delay", "entry"), 0.1 * entries),
            "gate": (("case", "neuron"), np.full((3, 4), 0.5)),
            "log_size": (("case", "delay", "where"), logs),
        },
        {
            "case": cases,
            "panel": ("case", ["a", "b", "c"]),
            "t_max": ("case", [4.0, 4.0, 16.0]),
            "gain": ("case", [1.0, 1.0, 5.0]),
            "delay": np.arange(20) + 1,
            "kept_delay": [1, 20],
            "where": ["diagonal", "beside"],
        },
    )


def test_zucchet_14_tells_sizes_beside_the_diagonal_and_what_explodes(jacobian):
    jacobian["log_size"][2, -1, 1] += np.log10(2)
    text = zucchet_14.shown({"gru_jacobian": jacobian})
    assert "is at most 0.01 of the diagonal's in panel B" in text
    assert "and at most 1 of it in panel C. After 20 steps" in text
    assert "of all entries exceeds 1 at σ_h = 5 (200)." in text
    assert zucchet_14.details({"gru_jacobian": jacobian}) == (
        (
            "panel and setting",
            "off-diagonal / diagonal rms after 16 steps",
            "off-diagonal / diagonal rms after 20 steps",
        ),
        ("b, T <= 4", "0.01", "0.01"),
        ("c, sigma_h = 5", "1", "2"),
    )
    jacobian["log_size"][2] = -1
    assert "exceeds 1 in no panel" in zucchet_14.shown({"gru_jacobian": jacobian})
    figure = zucchet_14.draw({"gru_jacobian": jacobian})
    assert len(figure.axes) == 3
    low, high = figure.axes[2].get_ylim()
    assert (low, high) == (zucchet_14.LEAST, 300)
    assert figure.axes[2].get_yscale() == "log"
    for line, entries in zip(
        figure.axes[2].lines[:4], [[1, 100, 100]] * 4, strict=True
    ):
        np.testing.assert_allclose(line.get_ydata(), entries)
    line = figure.axes[0].lines[0]
    np.testing.assert_allclose(line.get_xdata(), [0, 1, 20])
    np.testing.assert_allclose(line.get_ydata(), [1, 1, 1])


@pytest.fixture
def gates():
    positions = [1.0, 128.0, 256.0]
    names, quantities = (
        ["constant", "input", "input and state"],
        ["state", "bias sensitivity"],
    )
    dims = ("gates", "quantity", "place")
    ratio = np.tile([1.0, 1.0, 2.0], (2, 3, 1))
    ratio[0, :, 0] = 0.9
    layers = list(sigprop_effective_eigenvalues.COLOURS)
    return xr.Dataset(
        {
            # So far apart that the kernel averages over none of them.
            "time": (
                ("gates", "network", "neuron"),
                np.tile([*positions, 256.0], (3, 2, 1)),
            ),
            "square": (
                ("gates", "network", "quantity", "neuron"),
                np.ones((3, 2, 2, 4)),
            ),
            "mean": (dims, np.ones((3, 2, 3))),
            "sem": (dims, np.full((3, 2, 3), 0.1)),
            "limit": (dims[1:], np.ones((2, 3))),
            "finite": (dims[1:], np.ones((2, 3))),
            "ratio": (("layer", "size", "draw"), np.tile([[0.9], [1.5]], (4, 1, 2))),
        },
        {
            "gates": names,
            "quantity": quantities,
            "place": positions,
            "layer": layers,
            "size": [0.25, 1.0],
        },
        {"steps": 512},
    )


def test_zucchet_15_tells_how_far_means_are_from_theory(gates):
    gates["finite"].loc[{"quantity": "state", "place": 256.0}] = 2
    gates["mean"].loc[{"gates": "input and state", "place": 1.0}] = 1.3
    text = zucchet_15.shown({"gated_neurons": gates})
    assert (
        "With constant gates, measured means differ from smoothed theory by -16.7 % (state) "
        "and +0.0 % (bias sensitivity) on average" in text
    )
    assert (
        "With gates that read input and state, measured means differ by -6.7 % (state) and "
        "+10.0 % (bias sensitivity)." in text
    )
    assert "varies by the factors 2.0 (state) and 1.0 (bias sensitivity)." in text
    header, *rows = zucchet_15.details({"gated_neurons": gates})
    assert header == (
        *("gates read", "mean square of", "mean difference from theory"),
        *("lowest difference", "highest difference"),
    )
    assert rows == [
        ("constant", "state", "-16.7 %", "-50 %", "+0 %"),
        ("constant", "bias sensitivity", "+0.0 %", "+0 %", "+0 %"),
        ("input", "state", "-16.7 %", "-50 %", "+0 %"),
        ("input", "bias sensitivity", "+0.0 %", "+0 %", "+0 %"),
        ("input and state", "state", "-6.7 %", "-50 %", "+30 %"),
        ("input and state", "bias sensitivity", "+10.0 %", "+0 %", "+30 %"),
    ]
    axes = zucchet_15.draw({"gated_neurons": gates}, "a").axes
    assert len(axes) == 2
    (theory,) = [line for line in axes[0].lines if line.get_label() == "theory"]
    drawn = dict(zip(theory.get_xdata(), theory.get_ydata(), strict=True))
    assert [drawn[time] for time in (1, 128, 256)] == pytest.approx([1, 1, 2])
    assert drawn[181] == pytest.approx(2**0.5, rel=1e-3)  # half-way on a log axis


def test_zucchet_15_averages_theory_by_the_kernel_of_the_means(gates):
    gates["time"][:, :, -1] = 9.0
    gates["finite"][:] = gates["place"]  # theory is the time constant itself
    gates["mean"][:] = expected = [
        (1 + 9 * np.exp(-0.64)) / (1 + np.exp(-0.64)),
        128,
        256,
    ]
    (axes, _) = zucchet_15.draw({"gated_neurons": gates}, "a").axes
    label = zucchet_15.THEORY["smooth"]["label"]
    (smooth,) = [line for line in axes.lines if line.get_label() == label]
    drawn = dict(zip(smooth.get_xdata(), smooth.get_ydata(), strict=True))
    assert [drawn[time] for time in (1, 128, 256)] == pytest.approx(expected)
    assert "by +0.0 % (state) and" in zucchet_15.shown({"gated_neurons": gates})


def test_sigprop_effective_eigenvalues_tells_errors_at_two_sizes(gates):
    gates["ratio"].loc[{"layer": "GRU", "size": 1.0}] = 0.6
    text = sigprop_effective_eigenvalues.shown({"gated_neurons": gates})
    assert "from that of the linearised layer by −40.0 to +50.0 %, depending" in text
    assert (
        "At 1/4 of the amplitude it differs by −10.0 %. At 1 times the amplitude it is 0.6 to "
        "1.5 times as large." in text
    )
    gates["ratio"].loc[{"layer": "LSTM", "size": 0.25}] = 1.25
    header, *rows = sigprop_effective_eigenvalues.details({"gated_neurons": gates})
    assert header[1:] == ("full input size", "0.25 of the input size")
    assert rows == [
        ("unit, input", "+50.0%", "-10.0%"),
        ("unit, input and state", "+50.0%", "-10.0%"),
        ("GRU", "-40.0%", "-10.0%"),
        ("LSTM", "+50.0%", "+25.0%"),
    ]
    (axes,) = sigprop_effective_eigenvalues.draw({"gated_neurons": gates}).axes
    means = [line.get_xydata() for line in axes.lines if line.get_marker() == "o"]
    aside = 1.06**0.5  # the third of four layers
    shown = [[0.25 * aside, 0.9], [aside, 0.6]]
    assert any(np.allclose(points, shown) for points in means if points.size)
    assert axes.get_xticks().tolist() == [0.25, 1.0]


def test_sigprop_effective_eigenvalues_has_bars_of_two_standard_errors(gates):
    gates["ratio"].loc[{"layer": "LSTM", "size": 1.0}] = [0.7, 1.1]
    (axes,) = sigprop_effective_eigenvalues.draw({"gated_neurons": gates}).axes
    bars = axes.containers[-1].lines[2][0]
    aside = 1.06**1.5  # the last of four layers
    small, full = 0.25 * aside, aside
    np.testing.assert_allclose(
        bars.get_segments(), [[[small, 0.9], [small, 0.9]], [[full, 0.5], [full, 1.3]]]
    )
    assert same_color(
        bars.get_color()[0], sigprop_effective_eigenvalues.COLOURS["LSTM"]
    )
