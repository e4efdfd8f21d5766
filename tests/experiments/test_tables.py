"""The papers' tables, and ours beside them, which may contradict."""

import math
import re
from collections import defaultdict

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from sigprop.cli import console
from sigprop.cli import main as cli
from sigprop.experiments import columns, published, store, studies, tables
from sigprop.experiments.published import TABLES, Published, Score
from sigprop.networks.presets import blur_paper, lru_paper, rotrnn_paper
from sigprop.training.presets import LRU_SCHEDULES, MODELS, RINGS, ROTRNN_SCHEDULES

LRU_TABLES = ["lru-1", "lru-2", "lru-3", "lru-6", "lru-7", "lru-8"]
LADDER = ["ladder_digits", "ladder_listops", "ladder_smnist"]


# --- what is printed -----------------------------------------------------------------


def told_unlike(all_tables):
    """What one paper prints of a model on a task, where it prints unlike things."""
    texts = defaultdict(list)
    for table in all_tables:
        for row in table.rows:
            for column, score in zip(table.columns, row.scores, strict=True):
                if not score.text.startswith("[") and score.text != "-":
                    texts[row.model or row.label, column].append(score.text)
    return {key: scores for key, scores in texts.items() if len(set(scores)) > 1}, texts


def test_numbers_that_are_printed_twice_agree():
    unlike, texts = told_unlike([TABLES[name] for name in LRU_TABLES])
    assert unlike == {}
    assert sum(len(scores) > 1 for scores in texts.values()) >= 50


def test_an_unlike_number_is_found():
    changed = published.rows({"RNN-Lin": ("72.2(0.2)", "50.5(0.2)")}, published.RUNGS)
    sizes = {name: published.LRU[name] for name in ("sCIFAR", "ListOps")}
    unlike, _ = told_unlike([TABLES["lru-7"], Published("", "", sizes, changed)])
    assert unlike == {("dense", "ListOps"): ["50.4(0.2)", "50.5(0.2)"]}


@pytest.mark.parametrize(
    ("rings", "label", "row"),
    [
        ("lru-5b", "Stable exp, ring init", "[r_min, r_max]"),
        ("lru-5c", "+ γ normalization", "[r_min, r_max] with γ"),
    ],
)
def test_the_best_ring_scores_as_in_the_table_of_normalisation(rings, label, row):
    low, high = TABLES["lru-8"].score(row, "sCIFAR").text.strip("[]").split(",")
    score = TABLES[rings].score(f"r_max {high}", f"r_min {low}")
    assert score == TABLES["lru-8"].score(label, "sCIFAR")
    everything = [score.mean for row in TABLES[rings].rows for score in row.scores]
    assert score.mean == max(everything)


def test_averages_are_those_of_their_rows():
    for row in TABLES["rotrnn-1"].rows:
        *tasks, average = [score.mean for score in row.scores]
        assert f"{np.mean(tasks):.1f}" == f"{average:.1f}", row.label


def test_printed_speedups_are_ratios_of_printed_speeds():
    slow, fast, ratios = TABLES["lru-4"].rows[:3]
    for slow_score, other, ratio in zip(
        slow.scores, fast.scores, ratios.scores, strict=True
    ):
        digits = len(ratio.text.partition(".")[2])
        assert f"{other.mean / slow_score.mean:.{digits}f}" == ratio.text


@pytest.mark.parametrize(
    ("label", "theirs"),
    [("S4 (its paper)", "S4 (its paper)"), ("S5 (its paper)", "S5 (reproduced)")],
)
def test_blur_prints_scores_of_other_tasks_under_digits(label, theirs):
    blur, lru = TABLES["blur-2"], TABLES["lru-6"]
    digits = [blur.score(label, column).mean for column in ("sMNIST", "psMNIST")]
    others = [lru.score(theirs, task).mean for task in ("Retrieval", "Pathfinder")]
    assert digits == others


@pytest.mark.parametrize(
    ("name", "draw", "schedules"),
    [
        ("lru-8", lru_paper, LRU_SCHEDULES),
        ("rotrnn-1", rotrnn_paper, ROTRNN_SCHEDULES),
    ],
)
def test_sizes_are_those_of_our_trainings_at_the_papers_size(name, draw, schedules):
    for column, size in TABLES[name].columns.items():
        if size is None:
            continue
        task = {"image": "scifar", "path-x": "pathx"}.get(
            column.lower(), column.lower()
        )
        shape, schedule = draw(task), schedules[task]
        assert (size.width, size.states) == (shape.width, shape.state_size), column
        assert size.depth == shape.depth
        assert (size.steps, size.batch) == (schedule.steps, schedule.batch), column


def test_sizes_of_blur_are_those_of_our_preset():
    shape = blur_paper(1, 10)
    for size in TABLES["blur-2"].columns.values():
        assert size is not None
        sizes = size.width, size.states, size.depth
        assert sizes == (shape.width, shape.state_size, shape.depth)


@pytest.mark.parametrize("name", TABLES)
def test_rows_have_a_score_a_column_and_models_of_ours(name):
    table = TABLES[name]
    for row in table.rows:
        assert len(row.scores) == len(table.columns), row.label
        assert row.model is None or row.model in (row.label, *MODELS)
        assert row.model or row.label not in published.RUNGS
    assert len({row.label for row in table.rows}) == len(table.rows)
    for sweep, nearest in tables.SWEEPS.get(name, {}).items():
        assert sweep in studies.sweeps()
        assert nearest in table.columns


@pytest.mark.parametrize(
    ("text", "mean", "error"),
    [("88.1(0.2)", 88.1, 0.2), ("91.1", 91.1, math.nan), ("fails", -math.inf, 0),
     ("-", math.nan, math.nan), ("[0.5,0.9]", math.nan, math.nan)],
)  # fmt: skip
def test_a_printed_number_is_read(text, mean, error):
    score = Score.read(text)
    np.testing.assert_equal((score.text, score.mean, score.error), (text, mean, error))


@pytest.mark.parametrize("text", ["88,1", "88.1(0.2", "88.1(0.2)x", "[0.5,2.0]", "x"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ValueError, match="need a number such as"):
        Score.read(text)


# --- beside ours ---------------------------------------------------------------------


def gathered(scores):
    """A gathered sweep of made-up runs: shares by models, not-a-number if diverged."""
    runs = [(model, value) for model, values in scores.items() for value in values]
    values = np.array([value for _, value in runs])
    ones = np.ones(len(runs), int)
    step = np.where(np.isfinite(values)[:, None], [20.0, 400.0], np.nan)
    return xr.Dataset(
        {
            "test_accuracy": ("cell", values),
            "diverged": ("cell", np.where(np.isfinite(values), -1, 40)),
            "step": (("cell", "look"), step),
            **{
                name: ("cell", size * ones)
                for name, size in {
                    "length": 64,
                    "width": 32,
                    "depth": 3,
                    "examples": 1078,
                }.items()
            },
        },
        {
            "model": ("cell", [model for model, _ in runs]),
            "task": ("cell", ["digits"] * len(runs)),
        },
    )


AGREEING = {
    "relu": (0.80, 0.81, 0.82),
    "tanh": (0.80, 0.81, 0.83),
    "dense": (0.90, 0.91, 0.92),
}
NO_ERRORS = "no pair of rows has standard errors both here and in the paper."
CONTRARY = AGREEING | {"dense": (0.60, 0.61, 0.62)}


def line(scores, name="lru-1"):
    ours = columns.accuracies(gathered(scores), "sCIFAR")
    return tables.contrary(TABLES[name], ours)


def test_a_contrary_order_is_told():
    text = line(CONTRARY)
    assert "2 of 3 pairs" in text
    assert "2 of these have the opposite order: RNN-ReLU and RNN-Lin have 81.0" in text
    assert "61.0(0.6) here, but 69.7(0.2) and 72.2(0.2) in the paper" in text


def test_an_agreeing_order_is_not_contrary():
    text = line(AGREEING)
    assert "2 of 3 pairs" in text
    assert text.endswith("0 of these have the opposite order.")


def test_a_contrary_order_within_errors_is_none():
    wide = CONTRARY | {"dense": (0.5, 0.8, 1.0)}
    assert "0 of 3 pairs" in line(wide)


def test_a_model_that_never_ends_is_below_all_others():
    text = line(AGREEING | {"dense": (math.nan, math.nan, math.nan)})
    assert "2 of these have the opposite order" in text
    assert "fails, 3 diverged here" in text


def test_a_printed_error_of_nothing_may_have_been_rounded():
    printed = {"RNN-Lin": ("88.0(0.0)",), "RNN-ReLU": ("88.1(0.0)",)}
    close = published.rows(printed, published.RUNGS)
    table = Published("", "", {"sCIFAR": published.LRU["sCIFAR"]}, close)
    ours = columns.accuracies(gathered(AGREEING), "sCIFAR")
    assert "0 of 1 pairs" in tables.contrary(table, ours)


def test_single_runs_decide_nothing():
    single = {model: values[:1] for model, values in CONTRARY.items()}
    assert line(single).endswith(NO_ERRORS)


def test_papers_without_errors_decide_nothing():
    scores = {"lru": (0.1, 0.1, 0.2), "rotrnn": (0.9, 0.9, 0.8)}
    ours = columns.accuracies(gathered(scores), "Image")
    text = tables.contrary(TABLES["rotrnn-1"], ours)
    assert text.endswith(NO_ERRORS)


@pytest.mark.parametrize(
    ("first", "other", "rounding", "sign"),
    [
        ("70.0(0.3)", "69.0(0.3)", 0, 1),
        ("69.0(0.3)", "70.0(0.3)", 0, -1),
        ("70.0(0.3)", "69.0(0.3)", 0.06, 0),
        ("70.0(0.3)", "69.2(0.3)", 0, 0),
        ("70.0", "10.0(0.1)", 0, 0),
        ("10.0(0.1)", "fails", 0.05, 1),
        ("fails", "fails", 0.05, 0),
        ("88.1(0.0)", "88.1(0.0)", 0, 0),
    ],
)
def test_orders_beyond_two_standard_errors(first, other, rounding, sign):
    assert tables.order(Score.read(first), Score.read(other), rounding) == sign


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A folder of results, and what stores a made-up one in it."""
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))

    def save(study, data, preset="paper", **attributes):
        members = store.Members("made up", len(attributes))
        attributes |= {"preset": preset, "device": "cpu: made up"}
        return store.save(study, 1, members, data, **attributes)

    return save


@pytest.mark.parametrize("name", TABLES)
def test_what_is_missing_is_said_with_its_command(name, stored):
    content = tables.content(name)
    assert len(content.heads) == 1 + len(TABLES[name].columns)
    assert [row[0] for row in content.rows] == [row.label for row in TABLES[name].rows]
    notes = [note for note in content.notes if "is missing" in note]
    assert [note.split()[0] for note in notes] == list(tables.results(name))
    for study, note in zip(tables.results(name), notes, strict=True):
        assert f"`{store.command(study, 'paper')}`" in note


def test_our_columns_stand_at_the_right_of_theirs(stored):
    diverged = CONTRARY | {"relu": (0.8, 0.82, math.nan), "tanh": (0.7,)}
    stored("ladder_digits", gathered(diverged))
    stored("ladder_listops", gathered(AGREEING), preset="quick")
    stored("ladder_smnist", gathered(AGREEING), complete=0)
    content = tables.content("lru-1")
    assert len(content.heads) == 6
    for part in (
        *("digits", "64 long", "32 wide", "1,078\nexamples"),
        *("400 steps", "1-3 runs per row", "1 diverged"),
    ):
        assert part in content.heads[-1]
    assert [row[-1] for row in content.rows] == [
        "81.0(1.0), 1 diverged",
        "70.0",
        "61.0(0.6)",
    ]
    assert content.rows[0][1:5] == ("69.7(0.2)", "37.6(8.0)", "88.0(0.1)", "88.5(0.1)")
    assert tables.MAY_COMPARE in content.notes
    assert any("1 of these have the opposite order" in note for note in content.notes)
    assert (
        sum("ladder_smnist is missing or incomplete" in n for n in content.notes) == 1
    )


def test_rings_stand_by_their_radii(stored):
    """Shares that say which ring they are of."""
    digits = {name: index for index, name in enumerate(RINGS)}
    stored("rings", gathered({name: (n / 100,) * 2 for name, n in digits.items()}))
    for table, kind in tables.KINDS.items():
        content = tables.content(table)
        inner = [head.split()[1] for head in content.heads[1:4]]
        assert [head.split()[3] for head in content.heads[4:]] == inner
        for label, *scores in content.rows:
            outer = label.split()[1]
            own = [digits[f"{kind} {low} {outer}"] for low in ("0", "0.5", "0.9")]
            assert scores[3:] == [f"{n:.1f}(0.0)" for n in own]


def test_sizes_that_are_not_printed_are_left_out(stored):
    assert "250k steps" in tables.content("rotrnn-1").heads[4]
    assert tables.content("rotrnn-1").heads[7] == "Average"
    assert "steps" not in "".join(tables.content("blur-2").heads)


def timed(ways):
    seconds = np.array([[way * (1 + 0.1 * turn) for turn in range(3)] for way in ways])
    names = ("engine", "usual", "still", "tanh")[: len(ways)]
    sizes = {"length": 1024, "width": 512, "states": 384, "depth": 6, "batch": 50}
    return xr.Dataset(
        {"seconds": (("way", "repeat"), seconds)}, {"way": list(names)}, sizes
    )


def test_speeds_are_multiples_of_the_tanh_networks(stored):
    stored("speed_training", timed((0.5, 0.7, 0.4, 2.0)))
    content = tables.content("lru-4")
    own = {row[0]: row[-1] for row in content.rows}
    assert own["Tanh RNN"] == "1.00x"
    assert own["LRU"] == "4.00x (4.00 to 4.00)"
    assert own["S5 (reproduced)"] == ""
    assert "cpu: made up" in content.heads[-1]
    assert tables.MAY_COMPARE_SPEEDS in content.notes


def test_speeds_without_the_tanh_network_are_missing(stored):
    stored("speed_training", timed((0.5, 0.7, 0.4)))
    content = tables.content("lru-4")
    assert len(content.heads) == 7
    assert any("sigprop sweep run speed_training" in note for note in content.notes)


# --- the command ---------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(cli.app, ["table", *arguments])


def test_the_command_lists_all_tables():
    result = run()
    assert result.exit_code == 0
    names = [
        line_columns[0]
        for text in result.output.splitlines()
        if (line_columns := text.split())
    ]
    assert set(TABLES) <= set(names)
    assert "digits, listops-short, smnist-10k" in " ".join(result.output.split())
    assert not re.search(r"[a-z]_[a-z]", result.output), "names of code"


@pytest.mark.parametrize("name", TABLES)
def test_no_table_has_a_row_twice_or_a_name_of_code(name):
    content = tables.content(name)
    labels = [row[0] for row in content.rows]
    assert len(set(labels)) == len(labels)
    heads = [line for head in content.heads for line in head.splitlines()]
    assert not set(heads) & set(tables.results(name))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sampled(6)
def test_the_command_shows_a_table_whole(name, stored):
    stored("ladder_digits", gathered(CONTRARY))
    result = run(name, "--no-figures")
    assert result.exit_code == 0, result.output
    for row in TABLES[name].rows:
        (output,) = [
            text
            for text in result.output.splitlines()
            if text.startswith(f"{row.label}  ")
        ]
        assert all(score.text in output for score in row.scores)
    if name in tables.SWEEPS and name.startswith("lru"):
        assert "Our digits and the paper's sCIFAR" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lru-9",), "sigprop: need a table in lru-1, lru-2"),
        (("lru-1", "--preset", "smoke"), "sigprop: need a preset in quick, paper, got"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    result = run(*arguments)
    assert result.exit_code == console.BAD_INPUT
    assert result.stderr.startswith(message)
    assert isinstance(result.exception, SystemExit)
