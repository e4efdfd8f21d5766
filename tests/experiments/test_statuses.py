"""Statuses for the pictures: those of the last whole run, and whether it is out of date."""

import dataclasses

import pytest
from typer.testing import CliRunner

from sigprop.cli import judged, ledger
from sigprop.cli.main import app
from sigprop.experiments import statuses, store
from sigprop.judge.digests import digest
from sigprop.theory.claims import home, registry
from tests.sigprop.ledger.test_report import EVERYTHING

ROWS = {
    "lru:fig2": "Eigenvalues of a Glorot matrix fill the disc: confirmed numerically",
    "lru:fig3": "The whole disc has the limit distribution of Glorot matrices: proved",
}


def verdicts(changes=()):
    """Every row as announced, but for some."""
    by_row = {name: str(claim.expected) for name, claim in registry().items()}
    return [
        dataclasses.replace(
            EVERYTHING.claims[0],
            id=name,
            title=registry()[name].title,
            status=status,
            arithmetic=False,
            as_extracted=False,
            routes=("reference",),
        )
        for name, status in (by_row | dict(changes)).items()
    ]


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
    assert statuses.current(ROWS) == ROWS


def test_no_row_has_changed_since_those_that_come_with_the_code():
    data = store.shipped("statuses")
    changed = [
        row
        for row, module, stored in zip(
            *(data[name].values.tolist() for name in ("row", "module", "digest")),
            strict=True,
        )
        if home(row) != module or digest(row, module) != stored
    ]
    assert not changed, "judge them again: sigprop sweep run statuses --preset paper"


def test_the_newest_whole_run_counts(results):
    statuses.keep(verdicts({"lru:fig3": "confirmed"}), 5)
    assert statuses.current(ROWS)["lru:fig3"].endswith(": confirmed numerically")
    statuses.keep(verdicts({"lru:fig3": "undecided"}), 3)
    assert statuses.current(ROWS)["lru:fig3"].endswith(": undecided")
    smoke = statuses.table(verdicts({"lru:fig3": "definition"}))
    store.save("statuses", statuses.VERSION, statuses.SMOKE, smoke, preset="smoke")
    assert statuses.current(ROWS)["lru:fig3"].endswith(": undecided")


def test_a_row_that_was_not_judged_says_so(results):
    statuses.keep(verdicts({"lru:fig2": "not-checkable"}), 0)
    assert statuses.current(["lru:new", "lru:fig2"]) == dict.fromkeys(
        ["lru:new", "lru:fig2"], "not judged"
    )


def test_a_row_whose_code_has_changed_since_says_so(results, monkeypatch):
    statuses.keep(verdicts(), 0)
    assert statuses.current(ROWS) == ROWS
    monkeypatch.setattr(
        statuses,
        "digest",
        lambda row, module: f"{digest(row, module)}{row == 'lru:fig3'}",
    )
    changed = statuses.current(["lru:fig3"])["lru:fig3"]
    assert changed == f"{ROWS['lru:fig3']}, before its code changed"


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
    claims = [dataclasses.replace(c, expected=c.status) for c in verdicts()]
    run = dataclasses.replace(EVERYTHING, claims=tuple(claims[missing:]))
    monkeypatch.setattr(judged, "judge", lambda *args: (run, 0.0))
    answer = CliRunner().invoke(app, ["ledger", "--seed", "7"])
    assert answer.exit_code == 0, answer.output
    if missing:
        assert not any(results.iterdir())
    else:
        stored = store.load("statuses", statuses.VERSION, statuses.Config(seed=7))
        assert stored.sizes["row"] == len(claims)
        assert statuses.current(ROWS) == ROWS
