"""Options of ``audit``, of trainings and of other libraries' files."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from rich.table import Table

from sigprop.audit import (
    forecaster,
    forecaster_summary,
    foreign,
    network,
    series,
    summary,
)
from sigprop.audit import windows as blocks
from sigprop.audit.foreign import report
from sigprop.cli import audit as cli_audit
from sigprop.cli import audit_forecast, audit_foreign
from sigprop.cli.help import command_line
from sigprop.ledger import checkpoint
from sigprop.networks import Network
from sigprop.networks import foreign as files
from sigprop.tasks import catalogue, images
from sigprop.training import runs, segments
from tests.command import ran
from tests.options import option

DIGITS = images.digits(0)


@pytest.fixture
def audited(monkeypatch, tmp_path):
    """Audits whose numbers tell what was audited; the folder is a training on digits."""
    about = {
        "task": "digits",
        "model": "lru",
        "preset": "quick",
        "seed": 4,
        "data": {"table": "waves"},
        "recipe": {"head": {"horizon": 4, "features": 2}},
    }
    record = {"about": about, "pictures": []}

    def load_task(task, data, *, cache, seed, progress):
        record.update(loaded=(task, data, cache and cache.name, seed))
        return DIGITS

    def measured(network, state, batches, untrained):
        assert untrained == ("as drawn", None, about["seed"])
        sizes = [len(batch.inputs) for batch in batches]
        return xr.Dataset({"x": 1}, attrs={"said": f"{sizes[0]} x {len(sizes)}"})

    def table(moments):
        result = Table()
        result.add_column(moments.attrs.get("said", "none"))
        return result

    def noted(path, draw, out):
        record["pictures"].append((path.name, command_line()))

    monkeypatch.setattr(catalogue, "load_task", load_task)
    monkeypatch.setattr(runs, "read_about", lambda folder: about)
    unread = object.__new__(Network)
    object.__setattr__(unread, "config", None)
    monkeypatch.setattr(runs, "trained", lambda folder: (unread, None))
    monkeypatch.setattr(
        segments, "untrained", lambda config, seed: ("as drawn", config, seed)
    )
    monkeypatch.setattr(network, "audit", measured)
    monkeypatch.setattr(summary, "table", table)
    monkeypatch.setattr(summary, "conclusion", lambda moments: "concluded")
    for module in (cli_audit, audit_forecast):
        monkeypatch.setattr(module, "picture", noted)
    monkeypatch.chdir(tmp_path)
    record["folder"] = tmp_path / "run"
    record["folder"].mkdir()
    return record


@option(
    "audit",
    "--part",
    "--examples",
    "--batch",
    "--data",
    "--cache",
    "--out",
)
def test_an_audit_is_of_the_part_the_examples_and_the_batches_that_are_asked(
    audited, monkeypatch, tmp_path
):
    folder = audited["folder"]
    output = ran("audit", folder).stdout
    assert "8 x 16" in output
    assert "concluded" in output
    assert audited["loaded"] == ("digits", None, "sigprop", 4)
    assert audited["pictures"] == [("audit.png", f"sigprop audit {folder}")]
    assert "16 x 8" in ran("audit", folder, "--batch", 16).stdout
    assert "8 x 3" in ran("audit", folder, "--examples", 24).stdout
    ran("audit", folder, "--data", tmp_path / "d", "--cache", tmp_path / "c")
    assert audited["loaded"][1:3] == (tmp_path / "d", "c")
    parts = {}
    subset = type(DIGITS.test).subset
    for part in ("train", "validation", "test"):
        split = getattr(DIGITS, part)
        monkeypatch.setattr(
            type(DIGITS.test), "subset",
            lambda self, rows: parts.setdefault(len(self), subset(self, rows)),
        )  # fmt: skip
        ran("audit", folder, "--part", part)
        assert [*parts] == [len(split)], part
        parts.clear()
    audited["pictures"].clear()
    file = tmp_path / "moments.nc"
    assert str(file) in ran("audit", folder, "--out", file).stdout
    assert xr.load_dataset(file).attrs["said"] == "8 x 16"
    line = f"sigprop audit {folder} --out {file}"
    assert audited["pictures"] == [("moments.png", line)]
    ran("audit", folder, "--no-figures")
    assert len(audited["pictures"]) == 1


@option("audit", "--json")
def test_an_audit_of_a_forecaster_is_of_the_part_and_windows_that_are_asked(
    audited, monkeypatch
):
    audited["about"]["task"] = "forecast"
    task = SimpleNamespace(table=SimpleNamespace(step=SimpleNamespace(season=24)))

    def blocks_of(task, head, part, windows):
        batch = SimpleNamespace(inputs=[None] * windows)
        return [SimpleNamespace(batch=batch, part=part)] * 3

    def audit_forecaster(network, state, parts, season):
        attrs = {"part": parts[0].part, "season": season}
        return xr.Dataset({"x": 2}, attrs=attrs)

    monkeypatch.setattr(audit_forecast, "task_of", lambda about, data: task)
    monkeypatch.setattr(blocks, "blocks_of", blocks_of)
    monkeypatch.setattr(forecaster, "audit_forecaster", audit_forecaster)
    monkeypatch.setattr(forecaster_summary, "tables", lambda result: [])
    monkeypatch.setattr(
        forecaster_summary, "conclusions", lambda result: [result.attrs["part"]]
    )
    monkeypatch.setattr(forecaster_summary, "rows", lambda result: {"rows": [1]})
    for more, part, windows in (
        ((), "test", 128),
        (("--part", "validation"), "validation", 128),
        (("--examples", 77), "test", 77),
    ):
        result = ran("audit", audited["folder"], "--json", "-", *more)
        about = {"part": part, "season": 24}
        assert json.loads(result.stdout) == {"about": about, "rows": [1]}
        assert f"{windows} x 3" in result.stderr
        assert part in result.stderr.splitlines()
    command = f"sigprop audit {audited['folder']}"
    assert {line for _, line in audited["pictures"]} == {
        f"{command} --json -",
        f"{command} --part validation --json -",
        f"{command} --examples 77 --json -",
    }


@pytest.fixture
def foreigner(monkeypatch, tmp_path):
    """A file of another library, and audits whose record is their arguments."""

    def audit_checkpoint(model, windows, data, limits, *, mapping, through, shown):
        call = {"window": windows, "data": data, "modes": limits.modes, "gated": limits.gated,
                "mapping": mapping and mapping.name, "through": through}  # fmt: skip
        return SimpleNamespace(layers=[], call=call)

    def write(target, numbers, pictures):
        target.write_text(f"{numbers['modes']} {pictures}")

    def load_series(data, window):
        return SimpleNamespace(notes=[f"{window} steps a window"], values=window)

    monkeypatch.setattr(
        foreign,
        "audit_checkpoint",
        lambda c, s, *a, **k: audit_checkpoint(c, s.values, *a, **k),
    )
    monkeypatch.setattr(report, "as_json", lambda result, version: result.call)
    monkeypatch.setattr(report, "conclusion", lambda result: "concluded")
    monkeypatch.setattr(series, "load_series", load_series)
    monkeypatch.setattr(files, "open_checkpoint", lambda file: file)
    monkeypatch.setattr(checkpoint, "write", write)
    monkeypatch.setattr(audit_foreign, "_pictures", lambda result, out: "PICTURES")
    file = tmp_path / "m.npz"
    np.savez(file, x=np.zeros(2))
    return file


@option(
    "audit", "--no-figures", "--window", "--through", "--mapping", "--modes", "--html"
)
def test_an_audit_of_a_file_is_of_the_windows_modes_and_names_that_are_asked(
    foreigner, tmp_path
):
    base = {"window": 512, "data": "s.csv", "modes": 64, "gated": 16, "mapping": None,
            "through": None}  # fmt: skip

    def numbers_of(*more):
        result = ran("audit", foreigner, "--data", "s.csv", "--json", "-", *more)
        numbers = json.loads(result.stdout)
        assert f"note: {numbers['window']} steps a window" in result.stderr
        return numbers

    assert numbers_of() == base
    for more, changed in (
        (("--window", 300), {"window": 300}),
        (("--through", "proj.weight"), {"through": "proj.weight"}),
        (("--mapping", tmp_path / "m.toml"), {"mapping": "m.toml"}),
        (("--modes", 5), {"modes": 5, "gated": 5}),
    ):
        assert numbers_of(*more) == base | changed
    page = tmp_path / "p.html"
    ran("audit", foreigner, "--data", "s.csv", "--html", page)
    assert page.read_text() == "64 PICTURES"
    ran("audit", foreigner, "--data", "s.csv", "--html", page, "--no-figures")
    assert page.read_text() == "64 None"
