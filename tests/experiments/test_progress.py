"""Long studies say how far they are, where their results are made."""

import re

import pytest

from sigprop.experiments import command, progress

LONG = ("curse_of_memory", "network_curvature", "normalisation", "ring_gain")


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass by themselves, four at each look."""
    seconds = iter(range(0, 10_000, 4))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(seconds)))


@pytest.mark.usefixtures("clock")
def test_lines_come_now_and_then_with_the_time_that_is_left():
    lines = []
    with progress.heard_by(lines.append):
        assert list(progress.counted("abcdefg", "letters")) == list("abcdefg")
    # Two looks, eight seconds, from line to line; none at the end.
    assert lines == [
        "  2 of 7 letters, 20 s left",
        "  4 of 7 letters, 12 s left",
        "  6 of 7 letters, 4 s left",
    ]


@pytest.mark.usefixtures("clock")
def test_nobody_hears_lines_outside(capsys):
    heard = []
    with progress.heard_by(heard.append):
        pass
    assert list(progress.counted(range(5), "numbers")) == list(range(5))
    assert not heard
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("study", LONG)
@pytest.mark.sampled(keep=["normalisation", "ring_gain"])
def test_a_study_counts_its_steps(study, monkeypatch, tmp_path):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    lines = []
    command.make(study, "smoke", progress=lines.append)
    first, *middle, last = lines
    assert first == f"running {study} (smoke)"
    assert last.startswith(f"{study} (smoke) took ")
    counts = [re.fullmatch(r"  (\d+) of (\d+) .*, \d+ s left", x) for x in middle]
    done, total = zip(*(map(int, match.groups()) for match in counts), strict=True)
    assert set(total) == {len(middle) + 1}
    assert done == tuple(range(1, total[0]))
