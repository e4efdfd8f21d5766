"""Commands under test leave their results in a folder of the test."""

import pytest


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """Return the folder of the test, below which results are stored."""
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path / "results"))
    return tmp_path
