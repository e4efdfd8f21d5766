"""A figure of sigprop, not from a paper: audits of trained layers of 2024 to 2026."""

from collections import Counter

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from sigprop.figures import audits, phrases, style
from sigprop.figures.entry import Entry

STUDY = "gated_audits"
TASKS = {
    "listops-short": "short ListOps",
    "smnist-10k": "sMNIST",
    "ETTh1": "ETTh1",
}
SCORES = {
    "listops-short": "accuracies",
    "smnist-10k": "accuracies",
    "ETTh1": "mean squared errors",
}
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "First assumption that fails in trained layers of 2024 to 2026",
)
NAMES = {
    "ssd": "Mamba-2",
    "mamba3": "Mamba-3",
    "deltanet": "DeltaNet",
    "gated_deltanet": "gated DeltaNet",
    "delta_product": "DeltaProduct",
    "rwkv7": "RWKV-7",
    "mlstm": "mLSTM",
    "hgrn2": "HGRN2",
    "linoss": "LinOSS",
}
WORDS = {
    "memoryless": "time",
    "stationary": "stationary",
    "Gaussian": "Gaussian",
    "alike": "channels",
    "independent": "channels",
    "as drawn": "training",
    "infinite": "length",
    "white": "time",
    "": "none",
}
"""Words of each assumption in a cell; ``none`` if all hold."""
FAR = 8.0  # the colours end at a ratio of eight, and of an eighth
QUANTITY = "state"
CAPTION = (
    "Networks of two blocks and 32 features after 240 steps of 16 sequences, audited on "
    "128 others: expressions of at most 127 tokens, images of 784 pixels, and forecasts "
    "of 24 hours from 24 hours.",
    "Each cell is a block of a trained network: the first assumption that moves the "
    "predicted second moment of the state off the measured one by more than 10 % and two "
    "standard errors, and predicted over measured there.",
    "Assumptions of gated layers, in order: inputs independent in time (time), of one "
    "distribution at all positions (stationary), Gaussian, of independent equal channels "
    "without mean (channels), and weights as before training (training).",
    "A ratio is the median over the columns of the state. Gated DeltaNet and DeltaNet are "
    "the layers with and without a decay.",
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel is a task: the first failing assumption in each block of every layer.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    tasks = dict(zip(ENTRY.panels, TASKS, strict=True))
    with style.styled():
        figure = style.figure(3.2)
        row = figure.subplots(1, len(letters), squeeze=False, sharey=True)[0]
        for axes, letter in zip(row, letters, strict=True):
            _map(axes, _chosen(data, tasks[letter]))
            style.letter(axes, letter, TASKS[tasks[letter]])
        audits.colour_key(figure, row.tolist(), FAR)
        style.caption(figure, *CAPTION)
    return figure


def _chosen(data: xr.Dataset, task: str) -> xr.Dataset:
    """The cells of a task, of the quantity that is shown."""
    return data.isel(cell=data["task"].values == task).sel(quantity=QUANTITY)


def _map(axes: Axes, data: xr.Dataset) -> None:
    """Layers downwards, blocks to the right; nothing if no cell is of the task."""
    ratio, fails = data["ratio"].values, data["fails"].values
    if not len(ratio):
        axes.set_axis_off()
        return
    edges = np.arange(ratio.shape[1] + 1) - 0.5, np.arange(len(ratio) + 1) - 0.5
    axes.pcolormesh(*edges, ratio, cmap=audits.MAP, norm=LogNorm(1 / FAR, FAR))
    for (layer, block), name in np.ndenumerate(fails):
        value = float(ratio[layer, block])
        dark = abs(np.log(value)) > np.log(FAR) * 0.6
        axes.text(
            block,
            layer,
            f"{WORDS[str(name)]} {style.number(value)}",
            ha="center",
            va="center",
            fontsize=6,
            color="white" if dark else style.BLACK,
        )
    names = [NAMES[str(model)] for model in data["model"].values]
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks(
        range(ratio.shape[1]), [f"block {1 + i}" for i in range(ratio.shape[1])]
    )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(length=0)


def shown(results: style.Results) -> str:
    """Number of blocks in which each assumption fails first, and the range of scores."""
    sentences = []
    for task, name in TASKS.items():
        data = _chosen(results[STUDY], task)
        if not data.sizes["cell"]:
            continue
        counts = Counter(WORDS[str(fails)] for fails in data["fails"].values.ravel())
        listed = phrases.listed(
            [f"{word} {count}" for word, count in counts.most_common()]
        )
        low, high = float(data["score"].min()), float(data["score"].max())
        sentences.append(
            f"On {name}, with {SCORES[task]} of {low:.2f} to {high:.2f}, the first to fail "
            f"in {sum(counts.values())} blocks: {listed}."
        )
    return " ".join(sentences)


def details(results: style.Results) -> style.Cells:
    """The score of each network, and the first assumption that fails in each block."""
    data = results[STUDY].sel(quantity=QUANTITY)
    blocks = [f"block {1 + block}" for block in range(data.sizes["block"])]
    header = ("task", "layer", "accuracy, or mean squared error", *blocks)
    rows = [
        (
            str(one["task"].item()),
            NAMES[str(one["model"].item())],
            f"{one['score'].item():.3f}",
            *(
                f"{WORDS[str(name)]} {style.number(value)}"
                for name, value in zip(
                    one["fails"].values, one["ratio"].values, strict=True
                )
            ),
        )
        for one in (data.isel(cell=index) for index in range(data.sizes["cell"]))
    ]
    return header, *rows


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-audits-of-today")
