"""Where a file of text is asked for, ``-`` is standard output, and nothing else is there."""

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.judge.mutants import Scores
from sigprop.judge.results import Run
from sigprop.judge.statuses import finish

CLAIM = "zucchet:75"  # a definition: nothing to simulate


def sigprop(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def one_row(monkeypatch):
    """Commands that choose rows choose one."""
    import sigprop.theory.claims

    few = sigprop.theory.claims.select(ids=(CLAIM,))
    monkeypatch.setattr(sigprop.theory.claims, "select", lambda *which, **more: few)


@pytest.fixture
def judged(one_row, monkeypatch):
    """Judging is over at once, under a bar."""
    import sigprop.judge.run

    def verify(chosen, *, progress, **more):
        progress("simulate", 1, 2)
        results = [finish(row, [], Scores(), 0.0) for row in chosen]
        right = (
            dataclasses.replace(result, status=str(row.claim.expected))
            for result, row in zip(results, chosen, strict=True)
        )
        return Run(
            tuple(right), "quick", 0.05, 1e-6, 1e-7, 0, "cpu", "float64", {}, 1.0
        )

    monkeypatch.setattr(sigprop.judge.run, "verify", verify)


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("command", ["verify", "ledger", "claims"])
def test_rows_alone_are_on_standard_output(command):
    result = sigprop(command, "--json", "-")
    assert [row["id"] for row in json.loads(result.stdout)] == [CLAIM]
    assert result.stdout.startswith("[\n")
    assert result.stdout.endswith("\n]\n")
    assert CLAIM in result.stderr


@pytest.mark.usefixtures("judged")
def test_the_page_alone_is_on_standard_output(tmp_path):
    result = sigprop("verify", "--report", "-", "--json", tmp_path / "rows.json")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stdout.rstrip().endswith("</html>")
    assert "Measured / closed form compares" in result.stderr
    assert (tmp_path / "rows.json").is_file()


def test_the_audit_of_a_series_alone_is_on_standard_output(tmp_path, monkeypatch):
    from rich.table import Table

    from sigprop.audit import series_moments, series_summary

    monkeypatch.setattr(series_moments, "audit_series", lambda *how, **more: [])
    monkeypatch.setattr(series_summary, "table", lambda rows: Table("the table"))
    series = tmp_path / "series.npy"
    np.save(series, np.random.default_rng(0).standard_normal((64, 16, 1)))
    result = sigprop("series", series, "--json", "-")
    assert json.loads(result.stdout) == []
    assert "the table" in result.stderr


def test_without_it_tables_stay_on_standard_output():
    result = sigprop("claims", "--paper", "rotrnn")
    assert "rotrnn:lemma3" in result.stdout
    assert result.stderr == ""
