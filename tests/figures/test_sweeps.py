"""Figures of sweeps, drawn from made-up results of the paper's size."""

import functools

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import same_color
from scipy import stats

from sigprop.experiments import store
from sigprop.figures import catalogue, losses, style
from tests.figures import made_up, reading

RATES = ("effective", "rate", "diverged", "log_rate")
DRAWN = {
    ("zucchet-3", "a"): ("best", "extreme", "condition"),
    ("zucchet-3", "b"): ("best", "extreme", "condition"),
    ("zucchet-4", "c"): RATES,
    ("zucchet-4", "d"): RATES,
    ("zucchet-9", "c"): RATES,
    ("zucchet-9", "d"): RATES,
    ("zucchet-10", "d"): ("best", "extreme", "condition"),
    ("zucchet-11", "a"): ("best", "extreme", "condition"),
    ("zucchet-11", "b"): ("rate", "diverged", "record"),
}
NAMES = tuple(dict.fromkeys(name for name, _ in DRAWN))


def sweep_of(name, panel):
    return catalogue.entry(name).studies[panel]


def table(sweep):
    return made_up.rates() if sweep == "adaptive_rates" else made_up.tuned(sweep)


def all_results():
    """What figures draw; the Hessians are of no sweep."""
    tables = {sweep: table(sweep) for sweep in (*made_up.CONDITIONS, "adaptive_rates")}
    tables["hessian_structure"] = store.shipped("hessian_structure")
    return {
        name: dataset.assign_attrs(preset="paper") for name, dataset in tables.items()
    }


@pytest.fixture
def results():
    """What figures draw: a test may put another table here."""
    return all_results()


def figure_of(results, name, panel=None):
    return catalogue.module(name).draw(results, panel)


def picture(results, name, panel):
    with style.styled():
        canvas = FigureCanvasAgg(figure_of(results, name, panel))
        canvas.figure.set_dpi(80)
        canvas.draw()
        return bytes(canvas.buffer_rgba())


@functools.cache
def before(name, panel):
    return picture(all_results(), name, panel)


def changed(data, variable):
    if variable in ("extreme", "diverged"):
        return data.assign({variable: 1 + 0 * data[variable]})
    if variable in ("best", "rate", "effective"):
        return data.assign({variable: data[variable] ** 0.9})
    values = data[variable] * 0.9
    return data.assign_coords({variable: values})


@pytest.mark.parametrize(
    ("name", "panel", "variable"),
    [(*which, variable) for which, names in DRAWN.items() for variable in names],
)
@pytest.mark.sampled(6)
def test_picture_changes_with_the_data(name, panel, variable, results):
    first = before(name, panel)
    sweep = sweep_of(name, panel)
    results[sweep] = changed(results[sweep], variable)
    assert picture(results, name, panel) != first


@pytest.mark.parametrize(("name", "panel"), DRAWN)
@pytest.mark.sampled(3)
def test_picture_of_the_same_data_is_the_same(name, panel, results):
    assert picture(results, name, panel) == before(name, panel)


@pytest.mark.parametrize(("name", "panel"), DRAWN)
@pytest.mark.sampled(4)
def test_incomplete_result_is_refused_with_its_command(
    name, panel, tmp_path, monkeypatch
):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    sweep = sweep_of(name, panel)
    made_up.keep(sweep, table(sweep), complete=0)
    make = f"sigprop sweep run {sweep} --preset paper"
    with pytest.raises(FileNotFoundError, match=f"are missing in .* with `{make}`"):
        store.load_preset(sweep, "paper")


@pytest.mark.parametrize("count", range(1, 40))
@pytest.mark.sampled(10)
def test_interval_is_the_shortest_that_holds_the_median_often_enough(count):
    ordered = np.arange(count, dtype=float)
    low, high = losses.interval(np.random.default_rng(0).permutation(ordered))
    out = int(low)
    assert high == count - 1 - out

    def misses(left_out):
        """The median lies below the order statistic of this rank, or above its mirror."""
        return 2 * stats.binom.cdf(left_out, count, 0.5)

    assert misses(out) <= 0.05 or out == 0
    assert misses(out + 1) > 0.05


def test_interval_holds_the_median_as_often_as_it_says():
    draws = np.random.default_rng(0).exponential(size=(20_000, 10))
    low, high = losses.interval(draws)
    share = np.mean((low < np.log(2)) & (np.log(2) < high))
    exact = 1 - 2 * stats.binom.cdf(1, 10, 0.5)
    assert abs(share - exact) < 6 * np.sqrt(exact * (1 - exact) / 20_000)


def lines(axes, colour, *, marker="None"):
    return [
        line
        for line in axes.lines
        if line.get_marker() == marker and same_color(line.get_color(), colour)
    ]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_network_that_diverges_at_every_rate_leaves_a_marked_gap(results):
    data = results["memory_gap"]
    data["best"].loc[{"student": "RNN", "condition": 0.92}] = np.inf
    (axes,) = figure_of(results, "zucchet-3", "a").axes
    (joined,) = lines(axes, style.VERMILION)
    assert np.isnan(joined.get_ydata()).tolist() == [False] * 3 + [True] + [False] * 3
    (crosses,) = lines(axes, style.VERMILION, marker="x")
    assert len(crosses.get_xdata()) == 10
    (text,) = [
        candidate for candidate in axes.texts if "every rate" in candidate.get_text()
    ]
    assert text.xy[0] == joined.get_xdata()[3]
    assert not lines(axes, style.BLUE, marker="x")


def test_network_of_which_some_seeds_diverge_has_a_median_and_crosses(results):
    data = results["concentration"]
    data["best"].loc[{"student": "LRU", "condition": 0.1, "run": [0, 1, 2]}] = np.inf
    (axes,) = figure_of(results, "zucchet-10", "d").axes
    (joined,) = lines(axes, style.BLUE)
    assert np.isfinite(joined.get_ydata()).all()
    (crosses,) = lines(axes, style.BLUE, marker="x")
    assert len(crosses.get_xdata()) == 3
    assert not any("every rate" in text for text in texts(axes))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(1)
def test_result_in_which_everything_diverged_can_still_be_drawn(
    name, tmp_path, results
):
    for sweep in set(catalogue.entry(name).needs()) - {"hessian_structure"}:
        results[sweep] = data = changed(results[sweep], "diverged")
        if "best" in data:
            data["best"][:] = np.inf
    _, file, _ = catalogue.draw_and_save(name, results, into=tmp_path)
    assert any(reading.inked(file, figure_of(results, name)))


def test_caption_counts_the_crosses_of_all_panels(results):
    results["memory_gap"]["best"][0, 3, :2] = np.inf
    results["starts"]["best"][1, 0, 0] = 2 * losses.FAR
    figure = figure_of(results, "zucchet-3")
    crosses = [
        line for axes in figure.axes for line in axes.lines if line.get_marker() == "x"
    ]
    assert sum(len(line.get_xdata()) for line in crosses) == 3
    text = figure.get_supxlabel().replace("\n", " ")
    assert "The 3 crosses are seeds that diverged or ended above 10000." in text


def test_one_seed_has_no_interval(results):
    results["memory_gap"] = made_up.tuned("memory_gap", 1)
    figure = figure_of(results, "zucchet-3", "a")
    assert not figure.axes[0].collections
    assert figure.get_supxlabel().startswith("Circles are one seed.")


def test_every_seed_is_a_point_and_every_network_a_name(results):
    data = table("memory_gap")
    (axes,) = figure_of(results, "zucchet-3", "a").axes
    for name, colour in (("RNN", style.VERMILION), ("LRU", style.BLUE)):
        (points,) = lines(axes, colour, marker=".")
        np.testing.assert_array_equal(
            points.get_ydata(), data["best"].sel(student=name).values.ravel()
        )
        assert name in texts(axes)


def test_memory_grows_to_the_right_and_spreads_towards_one(results):
    (axes,) = figure_of(results, "zucchet-3", "a").axes
    ticks = axes.get_xticks()
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert labels == ["0.32", "0.68", "0.84", "0.92", "0.96", "0.98", "0.99"]
    np.testing.assert_allclose(
        10**-ticks, 1 - np.array([float(label) for label in labels])
    )


def test_panels_of_losses_share_their_axis(results):
    first, second, third, key = figure_of(results, "zucchet-3").axes
    assert not key.axison
    assert key.get_legend() is not None
    assert first.get_ylim() == second.get_ylim() == third.get_ylim()
    assert [text.get_text() for text in second.get_xticklabels()] == [
        "RNN",
        "block\ndiagonal",
        "more\nneurons",
        "complex\ndiagonal",
        "LRU",
    ]


def test_end_of_a_scan_is_an_open_circle(results):
    results["heads"]["extreme"][2] = 1
    figure = figure_of(results, "zucchet-11", "a")
    circles = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    sizes = {line.get_markerfacecolor(): len(line.get_xdata()) for line in circles}
    assert sizes == {style.VERMILION: 5, "white": 1}
    assert "open circles" in figure.get_supxlabel()
    assert "(the highest for 4), so" in figure.get_supxlabel().replace("\n", " ")


def test_networks_are_named_whose_best_rate_is_the_lowest_of_the_scan(results):
    results["heads"]["extreme"][[2, 4]] = 1
    results["heads"]["log_rate"][25] = -2.0
    text = figure_of(results, "zucchet-11", "a").get_supxlabel().replace("\n", " ")
    assert "(the lowest for 4; the highest for 16), so a lower loss" in text


@pytest.mark.parametrize(
    ("name", "panel", "network"),
    [
        ("zucchet-4", "c", "RNN"),
        ("zucchet-4", "d", "complex diagonal"),
        ("zucchet-9", "c", "LRU"),
        ("zucchet-9", "d", "S4"),
    ],
)
def test_every_parameter_is_a_point_and_the_rate_a_grey_line(
    name, panel, network, results
):
    axes, side = figure_of(results, name, panel).axes
    data = made_up.rates()
    own = data["effective"].values[data["entry_network"].values == network]
    points = [line.get_ydata() for line in axes.lines if line.get_marker() == "."]
    assert sorted(np.concatenate(points)) == sorted(own)
    for part in (axes, side):
        (grey,) = lines(part, style.GREY)
        assert grey.get_ydata() == [1e-3, 1e-3]
    dots = [line for line in side.lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [10, 10]


def test_rates_evolve_where_tuned_in_a_panel_for_each_number_of_heads(results):
    data = results["heads"]
    cells = data[["rate", "diverged"]]
    decoys = [
        cells.assign_coords(log_rate=cells["log_rate"] - 1),
        cells.assign_coords(start=("cell", np.full(cells.sizes["cell"], "teacher"))),
    ]
    louder = [decoy.assign(rate=100 * decoy["rate"]) for decoy in decoys]
    mixed = xr.concat([*louder, cells], "cell")
    results["heads"] = data.drop_dims("cell").merge(mixed)
    panels = figure_of(results, "zucchet-11", "b").axes
    assert len(panels) == 6
    for i, axes in enumerate(panels):
        *_, middle = lines(axes, style.VERMILION)
        rate = cells["rate"].isel(cell=slice(10 * i, 10 * i + 10), group=0, quantile=1)
        np.testing.assert_allclose(middle.get_ydata(), rate.median("cell"))
