"""Tables of forecasts: our errors, what needs no network, and a word on every cell."""

import re

import pytest
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import store, tables
from sigprop.experiments.columns import errors
from sigprop.experiments.forecasting.cells import Config
from sigprop.experiments.published import TABLES
from sigprop.theory.papers.blur import printed
from tests.forecast_trainings import gathered

NAMES = ("blur-3", "blur-8", "blur-12")


@pytest.fixture(scope="module")
def data():
    return gathered(
        {
            Config(name, 24, model, seed): level + seed / 100
            for name in ("ETTh1", "WTH")
            for seed in range(3)
            for model, level in (("blur", 0.142), ("lru", 0.5))
        }
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_error_has_a_row_and_a_column(name):
    number = int(name.split("-")[1])
    table = TABLES[name]
    assert tuple(table.columns) == printed.METHODS[number]
    for (data, horizon), row in printed.errors(number).items():
        for method, cell in row.items():
            score = table.score(f"{data} {horizon} MAE", method)
            assert score.mean == cell.mae
            assert score.text == f"{cell.mae:.3f}"
            if number != 3:
                assert table.score(f"{data} {horizon} MSE", method).mean == cell.mse
    metrics = 1 if number == 3 else 2
    assert len(table.rows) == metrics * len(printed.errors(number))


def test_our_columns_are_means_with_errors_and_words(data):
    columns = {column.name: column for column in errors(data, 8)}
    assert [*columns][:6] == ["BLUR", "LRU", "last value", "season", "climatology",
                              "linear"]  # fmt: skip
    assert columns["BLUR"].scores["ETTh1 24 MSE"].text == "0.152(0.006)"
    assert columns["LRU"].scores["Weather 24 MSE"].mean == pytest.approx(0.51)
    assert columns["linear"].scores["ETTh1 24 MAE"].text == f"{0.3**0.5:.3f}"
    assert "ETTh1 48 MSE" not in columns["BLUR"].scores
    assert "32 wide" in columns["BLUR"].sizes
    assert "400 steps" in columns["BLUR"].sizes
    verdicts = columns["verdict on BLUR"].scores
    assert verdicts["ETTh1 24 MSE"].text == "reproduced"
    assert verdicts["Weather 24 MSE"].text == "not reproduced"
    assert verdicts["ETTh1 720 MSE"].text == "not attempted"
    assert columns["verdict on LogTrans"].scores["ETTh1 720 MAE"].text == "impossible"
    assert len(verdicts) == 2 * len(printed.errors(8))


def test_other_layers_have_columns_by_their_names():
    models = ("blur", "lru", "rotrnn", "s4", "bidirectional_lru", "blstm", "gru")
    runs = {
        Config("ETTh1", 24, model, seed): 0.3 + index / 10 + seed / 100
        for index, model in enumerate(models)
        for seed in range(3)
    }
    columns = {column.name: column for column in errors(gathered(runs), 12)}
    wanted = ["BLUR", "LRU", "RotRNN", "S4", "bidirectional LRU", "BLSTM", "GRU"]
    assert [*columns][: len(wanted)] == wanted
    for index, name in enumerate(wanted):
        mean = columns[name].scores["ETTh1 24 MSE"].mean
        assert mean == pytest.approx(0.31 + index / 10)
    assert columns["verdict on BLSTM"].scores["ETTh1 24 MSE"].text == "not reproduced"


def test_the_table_is_shown_with_ours_beside_it(data, monkeypatch):
    monkeypatch.setattr(store, "load_preset", lambda study, preset: data)
    table = tables.content("blur-12")
    assert tables.results("blur-12") == ("forecasts",)
    assert tables.MAY_COMPARE_ERRORS in table.notes
    row = next(line for line in table.rows if line[0] == "ETTh1 24 MSE")
    column = table.heads.index(next(h for h in table.heads if "verdict on BLUR" in h))
    assert row[1] == "0.151"
    assert row[column] == "reproduced"
    answer = CliRunner().invoke(app, ["table", "blur-12", "--no-figures"])
    assert answer.exit_code == 0, answer.output
    assert "not attempted" in answer.stdout
    assert any(
        note.startswith(
            "BLUR, ETTh1 24 MSE: reproduced, 0.151 in the paper, 0.152 here"
        )
        for note in table.notes
    )
    left = [note for note in table.notes if note.startswith("Not attempted: ")]
    counts = [int(re.findall(r"\d+", note)[0]) for note in left]
    titles = [heads for heads in table.heads if "verdict" in heads]
    cells = [line[table.heads.index(head)] for line in table.rows for head in titles]
    assert sum(counts) == cells.count("not attempted")
