"""Curves of trainings are drawn as they were recorded, each seed in its colour."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from sigprop.figures import style, training
from tests.figures.reading import Reading


def trainings(seeds, layers=2, short=0):
    """Curves in which no two numbers agree; the last ``short`` seeds end early."""
    draws = np.random.default_rng(0)
    sizes = {"seed": seeds, "update": 12, "look": 3, "layer": layers}
    shapes = {
        **dict.fromkeys(("loss", "gradient_norm"), ("seed", "update")),
        **dict.fromkeys(("validation_loss", "validation_accuracy"), ("seed", "look")),
        "state_power": ("seed", "look", "layer"),
        "test_accuracy": ("seed",),
    }
    data = xr.Dataset(
        {
            name: (dims, draws.uniform(0.2, 0.9, [sizes[dim] for dim in dims]))
            for name, dims in shapes.items()
        },
        {"seed": 5 + np.arange(seeds), "update": 1 + np.arange(12)}
        | {"look": range(3), "layer": 1 + np.arange(layers)},
    )
    looks = np.tile([4.0, 8.0, 12.0], (seeds, 1))
    data["step"] = (("seed", "look"), looks)
    data["segment"] = ("seed", np.full(seeds, 4))
    data["best_step"] = ("seed", 4 * (1 + np.arange(seeds) % 3))
    for seed in range(seeds - short, seeds):
        for name in ("loss", "gradient_norm"):
            data[name][seed, 8:] = np.nan
        for name in ("step", "validation_loss", "validation_accuracy", "state_power"):
            data[name][seed, 2:] = np.nan
    return data


@pytest.mark.parametrize(
    ("seeds", "layers", "short"), [(1, 1, 0), (3, 2, 1), (7, 6, 0)]
)
def test_every_curve_of_every_seed_and_layer_is_the_recorded_one(seeds, layers, short):
    data = trainings(seeds, layers, short)
    figure = training.draw(data, "digits, lru")
    losses, accuracies, norms, powers = map(Reading, figure.axes)
    shades = training.shades(seeds)
    assert len({to_hex(shade) for shade in shades}) == seeds
    for i, colour in enumerate(shades):
        run = data.isel(seed=i)
        for panel, name in ((losses, "loss"), (norms, "gradient_norm")):
            values = run[name].values[: 8 if i >= seeds - short else 12]
            steps = np.arange(1, 1 + len(values))
            panel.curve(steps, values, colour)
            means = [values[k : k + 4].mean() for k in range(0, len(values), 4)]
            panel.curve([2.5, 6.5, 10.5][: len(means)], means, colour)
        losses.curve(run["step"], run["validation_loss"], colour, "o")
        shown = 100 * run["validation_accuracy"]
        accuracies.curve(run["step"], shown, colour, "o", label=f"seed {5 + i}")
        ring = accuracies.curve(
            [run["best_step"]], [100 * run["test_accuracy"]], marker="o"
        )
        assert ring.get_markerfacecolor() == "none"
        assert to_hex(ring.get_markeredgecolor()) == to_hex(colour)
    for k, colour in enumerate(training.shades(layers)):
        for i in range(seeds):
            run = data.isel(seed=i, layer=k)
            line = powers.curve(run["step"], run["state_power"], colour, "o")
            assert line.get_label() == f"layer {k + 1}" or i > 0
    losses.done("linear", "log")
    accuracies.done("linear", "linear")
    norms.done("linear", "log", x="step")
    powers.done("linear", "log", x="step")
    for axes, title in zip(figure.axes, training.TITLES.values(), strict=True):
        assert axes.get_title("left").endswith(title)
        assert axes.get_xlim()[0] == 0
        assert axes.get_xlim()[1] > 12
    assert "4 steps of a segment" in figure.get_supxlabel().replace("\n", " ")
    assert figure.get_suptitle() == "digits, lru"


@pytest.mark.parametrize(
    ("seeds", "names"), [(2, ["seed 5", "seed 6"]), (7, ["seed 5", "seed 11"])]
)
def test_the_key_names_all_seeds_or_both_ends_of_their_colours(seeds, names):
    legend = training.draw(trainings(seeds), "").axes[1].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == names


def test_the_picture_is_the_same_bytes_again(tmp_path):
    files = [
        style.save(training.draw(trainings(1), ""), name, tmp_path, ("png",))[0]
        for name in "ab"
    ]
    assert len({file.read_bytes() for file in files}) == 1
