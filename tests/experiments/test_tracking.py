"""A result comes with the code once it is whole, small, sound and of committed code."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import command, netcdf, store, studies

STUDY, OTHER = "ring_gain", "ring_eigenvalues"


@dataclasses.dataclass(frozen=True)
class Config:
    seed: int


@pytest.fixture(autouse=True)
def tracked(tmp_path, monkeypatch):
    """The folder of results that come with the code, in place of ours."""
    module = SimpleNamespace(
        VERSION=1,
        **{preset.upper(): Config(i) for i, preset in enumerate(store.PRESETS)},
    )
    monkeypatch.setattr(studies, "study_module", lambda study: module)
    monkeypatch.delenv("SIGPROP_RESULTS", raising=False)
    monkeypatch.setattr(store, "SHIPPED", tmp_path / "results" / "paper")
    monkeypatch.setattr(store, "_commit", lambda: "0" * 40)
    return store.SHIPPED


def stored_result(study=STUDY, preset="paper", **attributes):
    """A stored result, as if it had been run."""
    config, version = studies.definition(study, preset)
    dataset = xr.Dataset({"gain": ("x", np.arange(3.0))})
    file = store.save(study, version, config, dataset, preset=preset)
    return netcdf.write(file, store.read(file).assign_attrs(attributes))


def test_a_paper_result_is_the_users_until_it_is_tracked(tracked):
    file = stored_result()
    assert file.parent == tracked.parent
    with pytest.raises(FileNotFoundError):
        store.shipped(STUDY)
    result = CliRunner().invoke(app, ["sweep", "track", STUDY])
    assert result.stdout == f"{tracked / file.name}\n"
    xr.testing.assert_identical(store.shipped(STUDY), store.read(file))
    file.unlink()
    assert command.best(STUDY) == "paper"
    assert command.track(STUDY) == tracked / file.name


def test_a_tracked_result_takes_the_place_of_older_ones_of_its_study(tracked):
    tracked.mkdir(parents=True)
    older = tracked / f"{STUDY}-{'0' * 16}.nc"
    others = [tracked / f"{OTHER}-{'0' * 16}.nc", tracked / f"{STUDY}-x-{'0' * 16}.nc"]
    for path in (older, *others):
        path.touch()
    stored_result()
    assert {*tracked.iterdir()} == {older, *others}
    assert {command.track(STUDY), *others} == {*tracked.iterdir()}


def emptied():
    stored_result().write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: None, "whole result of ring_gain with preset paper, got none in"),
        (lambda: stored_result(preset="quick"), "make it with `.* --preset paper`"),
        (emptied, "is damaged"),
        (lambda: stored_result(complete=0), "cells of ring_gain .* are missing in"),
        (lambda: stored_result(commit="0-dirty"), "need .* committed, got 0-dirty in"),
        (
            lambda: stored_result(noise=np.zeros(command.LARGEST)),
            "need at most 2,097,152 bytes",
        ),
    ],
)
def test_what_is_not_fit_to_be_tracked_is_refused_in_a_line(tracked, make, message):
    make()
    result = CliRunner().invoke(app, ["sweep", "track", STUDY])
    assert result.exit_code == 2
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        command.track(STUDY)
    assert len(result.stderr.splitlines()) == 1
    assert not tracked.exists()


def test_nothing_is_tracked_without_a_checkout(tracked, tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    stored_result()
    monkeypatch.setattr(store, "checkout", lambda: None)
    with pytest.raises(ValueError, match="need a checkout to track a result in"):
        command.track(STUDY)
    assert not tracked.exists()


def test_the_best_stored_preset_is_the_largest_as_it_is_defined_now(monkeypatch):
    assert command.best(STUDY) is None
    for preset in ("smoke", "quick"):
        stored_result(preset=preset)
        assert command.best(STUDY) == preset
    file = stored_result()
    assert command.best(STUDY) == "paper"
    file.rename(file.with_name(f"{STUDY}-{'0' * 16}.nc"))  # as of another version
    assert command.best(STUDY) == "quick"
