"""Statuses for the pictures: those of the last whole run, and whether it is out of date."""

import dataclasses

import pytest
from typer.testing import CliRunner

from sigprop.cli import judged, ledger
from sigprop.cli.main import app
from sigprop.experiments import statuses, store
from sigprop.numerics.paths import on_disk
from sigprop.theory.claims import home, registry
from tests.sigprop.ledger.test_report import EVERYTHING

ROWS = {"lru:fig2": "confirmed", "lru:fig3": "refuted"}


def verdicts(**changes):
    """As announced, but for some."""
    by_row = {name: str(claim.expected) for name, claim in registry().items()}
    return by_row | changes


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results of which nothing is known."""
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    return tmp_path


def test_those_that_come_with_the_code_are_the_announced_ones_of_every_row():
    data = store.shipped("statuses")
    by_row = dict(zip(data["row"].values, data["status"].values, strict=True))
    assert by_row == {name: str(claim.expected) for name, claim in registry().items()}


def test_without_a_run_they_are_those_that_come_with_the_code(results):
    texts = statuses.current(ROWS)
    assert {row: text.partition(",")[0] for row, text in texts.items()} == {
        "lru:fig2": "confirmed",
        "lru:fig3": "proved",
    }


def test_the_newest_whole_run_counts(results):
    statuses.keep(verdicts(**{"lru:fig3": "refuted"}), 5)
    assert statuses.current(ROWS) == ROWS
    statuses.keep(verdicts(**{"lru:fig3": "undecided"}), 3)
    assert statuses.current(ROWS)["lru:fig3"] == "undecided"
    smoke = statuses.table({"lru:fig3": "definition"})
    store.save("statuses", statuses.VERSION, statuses.SMOKE, smoke, preset="smoke")
    assert statuses.current(ROWS)["lru:fig3"] == "undecided"


def test_a_row_that_was_not_judged_says_so(results):
    statuses.keep(verdicts(), 0)
    assert statuses.current(["lru:new"]) == {"lru:new": "not judged"}


@pytest.mark.parametrize("room", ["theory/papers", "sigprop/evidence"])
def test_a_change_to_a_rows_files_is_seen_and_one_to_others_is_not(
    room, results, tmp_path, monkeypatch
):
    monkeypatch.setattr(statuses, "on_disk", tmp_path.joinpath)
    monkeypatch.setattr(statuses, "home", home)
    for folder in ("theory/papers", "sigprop/evidence"):
        (tmp_path / folder / "lru").mkdir(parents=True)
    module = home("lru:fig2").rpartition(".")[2]
    assert module != home("lru:fig8").rpartition(".")[2]
    file = tmp_path / room / "lru" / f"{module}.py"
    file.write_text("before")
    statuses.keep(verdicts(), 0)
    assert statuses.current(["lru:fig2"]) == {"lru:fig2": "confirmed"}
    file.write_text("after")
    texts = statuses.current(["lru:fig2", "lru:fig8"])
    assert texts == {
        "lru:fig2": "confirmed, before its files changed",
        "lru:fig8": "refuted",
    }


def test_the_files_of_every_row_are_there():
    data = store.shipped("statuses")
    files = set(data["file"].values.tolist())
    assert all(on_disk(file).is_file() for file in files)
    judged = [file.replace("theory/papers", "sigprop/evidence") for file in files]
    assert sum(on_disk(file).is_file() for file in judged) > len(files) / 2


def test_an_unwritable_folder_costs_no_verdict(results, monkeypatch, capsys):
    def full(*arguments, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "save", full)
    ledger._keep(verdicts(), 0)
    assert "figures will not know of these statuses" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [0, 1])
def test_the_ledger_keeps_the_statuses_of_all_rows_and_of_no_fewer(
    missing, results, monkeypatch
):
    claims = [
        dataclasses.replace(
            EVERYTHING.claims[0], id=name, status=status, expected=status
        )
        for name, status in verdicts().items()
    ]
    run = dataclasses.replace(EVERYTHING, claims=tuple(claims[missing:]))
    monkeypatch.setattr(judged, "judge", lambda *args: (run, 0.0))
    answer = CliRunner().invoke(app, ["ledger", "--seed", "7"])
    assert answer.exit_code == 0, answer.output
    if missing:
        assert not any(results.iterdir())
    else:
        assert store.load("statuses", 1, statuses.Config(seed=7)).sizes["row"] == len(
            claims
        )
        assert statuses.current(ROWS)["lru:fig3"] == "proved"
