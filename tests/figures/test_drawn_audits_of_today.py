"""The figure of today's layers shows each block's failing assumption and its ratio."""

import re

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import sigprop_audits_of_today as figure
from sigprop.figures import style
from tests.figures.reading import Reading

GATED = ["memoryless", "stationary", "Gaussian", "alike", "as drawn", ""]
LINEAR = ["stationary", "infinite", "independent", "white", ""]


def made_up(seed=0):
    """A result in which no two ratios agree."""
    draws = np.random.default_rng(seed)
    cells = [(task, model) for task in figure.TASKS for model in figure.NAMES]
    shape = len(cells), 2, 2
    names = [LINEAR if model == "linoss" else GATED for _, model in cells]
    fails = [[[str(draws.choice(row)) for _ in "ab"] for _ in "ab"] for row in names]
    dims = ("cell", "block", "quantity")
    return xr.Dataset(
        {
            "ratio": (dims, np.exp(draws.uniform(-2, 2, shape))),
            "fails": (dims, fails),
            "score": ("cell", draws.uniform(size=len(cells))),
        },
        {
            "task": ("cell", [task for task, _ in cells]),
            "model": ("cell", [model for _, model in cells]),
            "quantity": ["state", "state at the end"],
        },
    )


@pytest.mark.parametrize("panel", [None, "a", "c"])
def test_every_block_has_its_assumption_and_its_ratio(panel):
    data = made_up()
    drawn = figure.draw({figure.STUDY: data}, panel)
    panels = [axes for axes in drawn.axes if axes.get_label() != "<colorbar>"]
    tasks = [*figure.TASKS] if panel is None else [[*figure.TASKS]["abc".index(panel)]]
    for axes, task in zip(panels, tasks, strict=True):
        case = data.isel(cell=data["task"].values == task).sel(quantity="state")
        edges = np.meshgrid(np.arange(3) - 0.5, np.arange(10) - 0.5)
        picture = Reading(axes).mesh(*edges, case["ratio"].values)
        assert (picture.norm.vmin, picture.norm.vmax) == (1 / 8, 8)
        written = {text.get_position(): text.get_text() for text in axes.texts}
        for (layer, block), name in np.ndenumerate(case["fails"].values):
            value = style.number(case["ratio"].values[layer, block])
            assert written[block, layer] == f"{figure.WORDS[name]} {value}"
        assert axes.yaxis_inverted()
        blocks = [tick.get_text() for tick in axes.get_xticklabels()]
        assert blocks == ["block 1", "block 2"]
    names = [tick.get_text() for tick in panels[0].get_yticklabels()]
    assert names == list(figure.NAMES.values())


def test_tasks_without_a_training_stay_empty():
    data = made_up()
    part = {figure.STUDY: data.isel(cell=data["task"].values == "smnist-10k")}
    drawn = figure.draw(part)
    panels = [axes for axes in drawn.axes if axes.get_label() != "<colorbar>"]
    assert [len(axes.texts) > 10 for axes in panels] == [False, True, False]
    assert figure.shown(part).startswith("On sMNIST")


def test_the_sentence_counts_blocks_and_the_table_has_every_cell():
    results = {figure.STUDY: made_up(1)}
    text, data = figure.shown(results), results[figure.STUDY].sel(quantity="state")
    sentences = text.split(". ")
    for sentence, (task, name) in zip(sentences, figure.TASKS.items(), strict=True):
        case = data.isel(cell=data["task"].values == task)
        low, high = case["score"].values.min(), case["score"].values.max()
        scores = f"{figure.SCORES[task]} of {low:.2f} to {high:.2f}"
        assert f"On {name}, with {scores}, the first to fail in 18 blocks: " in sentence
        fails = case["fails"].values.ravel()
        words = [figure.WORDS[name] for name in fails]
        said = re.findall(r"(\w+) (\d+)(?:,| and|\.|$)", sentence.split(": ")[1])
        assert {word: int(count) for word, count in said} == {
            word: words.count(word) for word in words
        }
    header, *rows = figure.details(results)
    assert len(header) == 5
    for index, row in enumerate(rows):
        one = data.isel(cell=index)
        assert row[:2] == (one["task"].item(), figure.NAMES[one["model"].item()])
        assert row[2] == f"{one['score'].item():.3f}"
        assert row[4].startswith(figure.WORDS[one["fails"].values[1]])
        assert row[4].endswith(style.number(one["ratio"].values[1]))


def test_every_assumption_of_both_ladders_has_a_word():
    from sigprop.audit.gated_layers import GATED_RUNGS
    from sigprop.audit.moments import RUNGS

    assert {*GATED_RUNGS, *RUNGS[1:], ""} == set(figure.WORDS)
