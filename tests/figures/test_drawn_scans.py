"""Final losses of a sweep stand at their rates, and the best rate is ringed."""

import itertools

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from sigprop.figures import losses, scans, training
from tests.figures.reading import Reading

RATES, STARTS, SEEDS = (-3.0, -2.5, -2.0), ("teacher", "0.9"), (0, 1, 2)


def swept(networks, **conditions):
    """Final losses in which no two agree; what the middle rate starts from differs."""
    draws = np.random.default_rng(0)
    all_cells = [
        dict(
            zip(
                ("network", *conditions, "log_rate", "start", "seed"),
                values,
                strict=True,
            )
        )
        for values in itertools.product(
            networks, *conditions.values(), RATES, STARTS, SEEDS
        )
    ]
    names = ("network", "nu0", "theta0", "log_rate", "start", "seed")
    fixed = {"nu0": 0.5, "theta0": 1.0}
    columns = {
        name: [({**fixed, **cell})[name] for cell in all_cells] for name in names
    }
    final = np.exp(draws.uniform(-5, 5, len(all_cells)))
    return xr.Dataset(
        {"final": ("cell", final)},
        {name: ("cell", column) for name, column in columns.items()},
    )


def nearest(own, rate):
    """Losses at a rate from the start with the least median, by the definition."""
    here = own.isel(cell=own["log_rate"].values == rate)
    parts = [here["final"].values[here["start"].values == start] for start in STARTS]
    return parts[0] if np.median(parts[0]) <= np.median(parts[1]) else parts[1]


@pytest.mark.parametrize(
    ("networks", "conditions", "symbol"),
    [
        (("RNN", "LRU"), {"nu0": (0.3, 0.9, 0.99, 0.999, 0.5)}, r"\nu_0"),
        (("LRU", "1", "2"), {"theta0": (0.1, 1.0)}, r"\theta_0"),
        (("S4",), {"nu0": (0.5,)}, ""),
    ],
)
def test_every_seed_is_a_point_and_medians_are_joined(networks, conditions, symbol):
    data = swept(networks, **conditions)
    away = data["network"].values == networks[0]
    data["final"].values[np.flatnonzero(away & (data["log_rate"].values == -2.0))] = (
        np.inf
    )
    data["final"].values[np.flatnonzero(away)[0]] = 2 * losses.FAR
    figure = scans.draw(data, "some, preset quick")
    ((name, values),) = conditions.items()
    out = 0
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) == len(values)
    for axes, value in zip(panels, sorted(values), strict=True):
        panel = Reading(axes)
        for i, network in enumerate(networks):
            own = data.isel(
                cell=(data[name].values == value) & (data["network"].values == network)
            )
            shades = training.shades(len(networks))
            colour = losses.COLOURS.get(network, shades[i])
            medians = []
            for rate in RATES:
                final = nearest(own, rate)
                sound = final[final < losses.FAR]
                panel.curve(np.full(sound.size, rate), sound, colour, ".")
                medians.append(np.median(final))
                diverged = final.size - sound.size
                out += diverged
                if diverged:
                    cross = _cross(panel, rate, diverged)
                    assert to_hex(cross.get_color()) == to_hex(colour)
            shown = np.where(np.array(medians) < losses.FAR, medians, np.nan)
            panel.curve(RATES, shown, colour, label=network)
            best = int(np.nanargmin(shown))
            ring = panel.curve([RATES[best]], [shown[best]], colour, "o")
            assert ring.get_markerfacecolor() == "none"
        panel.done("linear", "log")
        title = axes.get_title("left")
        assert symbol in title
        assert title.endswith(f"= {value:.3g}") or len(values) == 1
    caption = figure.get_supxlabel().replace("\n", " ")
    assert f"crosses: {out} that diverged" in caption
    assert "the 3 seeds" in caption
    assert figure.legends[0].get_title().get_text() == "some, preset quick"
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == list(networks)


def _cross(panel, rate, diverged):
    """The crosses above a panel at this rate, taken off the list."""
    above = panel.axes.get_xaxis_transform()
    for line in panel.lines:
        if line.get_marker() == "x" and set(line.get_xdata()) == {rate}:
            assert line.get_ydata().tolist() == [1.0] * diverged
            assert line.get_transform() == above
            panel.lines.remove(line)
            return line
    raise AssertionError(f"no crosses at {rate}")


def test_one_rate_is_no_scan():
    data = swept(("RNN",), nu0=(0.5,))
    with pytest.raises(ValueError, match="need two learning rates or more"):
        scans.draw(data.isel(cell=data["log_rate"].values == -3.0), "")
