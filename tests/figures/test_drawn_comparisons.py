"""A paper's scores and ours stand row by row, and brackets join contrary orders."""

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import comparisons, style
from tests.figures import layout
from tests.figures.reading import Reading

ROWS = ["S4", "S5", "LRU", "dense"]


def compared(columns=2, pairs=((0, 0, 2), (1, 1, 3), (1, 0, 1))):
    draws = np.random.default_rng(0)
    shape = columns, len(ROWS)
    dims = ("column", "row")
    parts = ("theirs", "theirs_error", "ours", "ours_error")
    data = xr.Dataset(
        {name: (dims, draws.uniform(1, 9, shape)) for name in parts},
        {
            "column": [f"sweep {i}" for i in range(columns)],
            "nearest": ("column", [f"task {i}" for i in range(columns)]),
            "row": ROWS,
        },
        {"unit": "test accuracy in %"},
    )
    for name, values in zip(
        ("of", "first", "second"), np.array(pairs, int).reshape(-1, 3).T, strict=True
    ):
        data[name] = ("pair", values)
    return data


def test_scores_errors_failures_and_contrary_orders_of_every_column():
    data = compared()
    data["theirs"].values[0, 1] = np.nan  # nothing is printed
    data["theirs_error"].values[1, 2] = np.nan  # no error is
    data["ours"].values[1, 3] = -np.inf
    figure = comparisons.draw(data, "What it is about")
    panels = [Reading(axes) for axes in figure.axes]
    assert len(panels) == 4
    for i in range(2):
        sides = zip(
            panels[2 * i : 2 * i + 2],
            (("theirs", style.GREY, f"paper\ntask {i}"),
             ("ours", style.BLUE, f"ours\nsweep {i}")),
            strict=True,
        )  # fmt: skip
        for panel, (name, colour, title) in sides:
            mean = data[name].values[i]
            error = np.nan_to_num(data[f"{name}_error"].values[i])
            finite = np.isfinite(mean)
            positions = np.arange(len(ROWS))[finite]
            panel.errors(mean[finite], positions, None, error[finite], colour, "o")
            assert panel.axes.get_title("left") == title
            across = panel.axes.get_yaxis_transform()
            for row in np.flatnonzero(np.isneginf(mean)):
                (cross,) = [
                    candidate
                    for candidate in panel.lines
                    if candidate.get_marker() == "x"
                ]
                assert cross.get_transform() == across
                assert (*cross.get_xdata(), *cross.get_ydata()) == (0, row)
                panel.lines.remove(cross)
            wanted = data.isel(pair=data["of"].values == i) if name == "ours" else None
            rows = (
                []
                if wanted is None
                else [
                    *zip(wanted["first"].values, wanted["second"].values, strict=True)
                ]
            )
            assert len(panel.lines) == len(rows)
            for line, (first, second) in zip(panel.lines, rows, strict=True):
                assert line.get_transform() == across
                assert line.get_ydata().tolist() == [first, first, second, second]
                assert min(line.get_xdata()) > 1
                assert line.get_color() == style.VERMILION
            outer = [max(line.get_xdata()) for line in panel.lines]
            assert len(set(outer)) == len(outer)
            panel.lines.clear()
            panel.done()
    ticks = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ROWS
    assert figure.axes[0].get_ylim() == (3.5, -0.5)
    assert figure.get_suptitle() == "What it is about"
    assert figure.get_supxlabel().endswith("(3).")


def test_a_column_of_the_paper_is_drawn_once_for_all_of_ours():
    data = compared(3)
    data["nearest"] = ("column", ["task", "other", "task"])
    figure = comparisons.draw(data, "")
    titles = [axes.get_title("left").split("\n")[1] for axes in figure.axes]
    assert titles == ["task", "sweep 0", "sweep 2", "other", "sweep 1"]
    last = Reading(figure.axes[2])
    scores = data.isel(column=2)
    positions = np.arange(len(ROWS))
    last.errors(scores["ours"], positions, None, scores["ours_error"], style.BLUE, "o")


def test_a_figure_grows_by_rows_and_columns():
    data = compared()
    width, height = comparisons.draw(data, "").get_size_inches()
    with style.styled():
        assert layout.faults(comparisons.draw(data, "")) == []
    twice = xr.concat([data.drop_dims("pair")] * 2, "row").assign(data[["of"]])
    for name in ("first", "second"):
        twice[name] = data[name]
    taller = comparisons.draw(twice, "").get_size_inches()
    np.testing.assert_allclose(taller, [width, height + len(ROWS) * comparisons.ROW])
    narrow = data.isel(column=[0], pair=data["of"].values == 0)
    np.testing.assert_allclose(
        comparisons.draw(narrow, "").get_size_inches(),
        [width - comparisons.WIDTH, height],
    )


def test_a_table_without_a_column_of_ours_is_not_drawn():
    with pytest.raises(ValueError, match="need a column of ours"):
        comparisons.draw(compared(0, ()), "")
