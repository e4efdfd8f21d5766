"""A claim is one process's, and ends with it, however it ends."""

import fcntl
import signal
import subprocess
import sys

import pytest

from sigprop.numerics.locks import claimed

HOLD = """
import sys, time
from pathlib import Path
from sigprop.numerics.locks import claimed
with claimed(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(60)
"""


def test_a_claim_is_for_one_and_leaves_nothing(tmp_path):
    path = tmp_path / "deep" / "work.lock"
    with claimed(path) as first:
        with claimed(path) as second:
            assert (first, second) == (True, False)
        with claimed(path) as third:
            assert not third  # who was refused took nothing away
    assert list(path.parent.iterdir()) == []
    with claimed(path) as later:
        assert later


def test_a_file_that_its_holder_removed_meanwhile_is_no_claim(tmp_path, monkeypatch):
    path, flock, locked = tmp_path / "work.lock", fcntl.flock, []

    def late(stream, operation):
        if not locked:
            path.unlink()
        locked.append(stream)
        flock(stream, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with claimed(path) as nameless, claimed(path) as named:
        assert (nameless, named) == (False, True)


def test_a_claim_ends_with_an_error_in_its_block(tmp_path):
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "a"):
        _ = 1 / 0
    with claimed(tmp_path / "a") as later:
        assert later


def test_a_killed_process_keeps_no_claim(tmp_path):
    path = tmp_path / "work.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    with claimed(path) as mine:
        assert not mine
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert path.is_file()
    with claimed(path) as mine:
        assert mine


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"), claimed(tmp_path / "file" / "a"):
        pass
