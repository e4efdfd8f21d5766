"""What is written is old or new, never half, and never in place of something else."""

import errno
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sigprop.ledger.entries import write_json
from sigprop.numerics import files
from sigprop.numerics.files import require_writable, unfinished, write_text

KILLED = """
import os, signal, sys
from pathlib import Path
from sigprop.numerics.files import write_text

os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
write_text(Path(sys.argv[1]), "new")
"""


def partials(folder):
    return sorted(folder.glob(".*.partial"))


def killed(path):
    """A process that was killed between the last byte and the name; its id."""
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return process


def test_a_killed_writer_leaves_the_old_file_and_the_next_one_cleans_up(tmp_path):
    file, other = tmp_path / "file.txt", tmp_path / "other.txt"
    file.write_text("old")
    process = killed(file)
    assert file.read_text() == "old"
    (left,) = partials(tmp_path)
    assert left.read_text() == "new"
    write_text(other, "at once")  # nobody has asked for the dead process's status yet
    assert sorted(tmp_path.iterdir()) == [file, other]
    assert process.wait() == -signal.SIGKILL
    killed(file).wait()
    assert len(partials(tmp_path)) == 1
    write_text(other, "later")
    assert sorted(tmp_path.iterdir()) == [file, other]


def name(host=None, pid=None, life=None):
    """What a process calls its temporary file; this one's unless told otherwise."""
    host, pid = host or files._host(), pid or os.getpid()
    return f".x.sigprop-{host}-{pid}-{life or files._life(pid)}-{'0' * 32}.partial"


def test_only_our_regular_files_of_dead_writers_are_removed(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    reused, dead = name(life="12345678"), name(pid=gone.pid, life="12345678")
    stay = {
        "mine": name(),
        "another user's or the system's": name(pid=1),
        "of another machine": name(host="12345678", pid=gone.pid, life="12345678"),
        "of a time that cannot be told": name(life=files.UNKNOWN),
        "not ours": ".x-0123456789abcdef.partial",
        "no number": dead.replace(f"-{gone.pid}-", "-one-"),
        "a notebook": dead.removesuffix(".partial"),
    }
    for path in (reused, dead, *stay.values()):
        (tmp_path / path).write_text("half")
    folder, link = (tmp_path / dead.replace(".x.", f".{kind}.") for kind in "fl")
    folder.mkdir()
    link.symlink_to(tmp_path / "elsewhere")
    write_text(tmp_path / "file", "whole")
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {*stay.values(), folder.name, link.name, "file"}


def test_a_writer_that_is_at_work_is_left_alone(tmp_path):
    with unfinished(tmp_path / "slow") as slow:
        slow.write_text("half")
        write_text(tmp_path / "quick", "whole")
        slow.write_text("whole, too")
    assert (tmp_path / "slow").read_text() == "whole, too"
    assert not partials(tmp_path)


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full")]
)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    file = tmp_path / "file"
    file.write_text("old")

    def fail():
        with unfinished(file) as partial:
            partial.write_text("half")
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_temporary_names_cannot_be_foretold_nor_run_into(tmp_path, monkeypatch):
    file, precious = tmp_path / "rows.json", tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / ".rows.json.partial").symlink_to(precious)
    names = set()
    for _ in range(3):
        require_writable(file)
        with unfinished(file) as partial:
            names.add(partial.name)
            assert partial.parent == tmp_path
    assert len(names) == 3
    fixed = type("Fixed", (), {"hex": "0" * 32})
    monkeypatch.setattr(files.uuid, "uuid4", lambda: fixed)
    with unfinished(file) as partial:
        taken = partial
    taken.symlink_to(precious)
    with pytest.raises(FileExistsError):
        write_text(file, "new")
    with pytest.raises(ValueError, match="File exists"):
        require_writable(file)
    assert precious.read_text() == "mine"


def test_a_long_name_can_be_written(tmp_path):
    write_text(tmp_path / ("é" * 127), "whole")
    with pytest.raises(ValueError, match=r"cannot write .* File name too long"):
        require_writable(tmp_path / ("e" * 256))


def special(tmp_path, kind):
    """Something that is no regular file, and what it is called."""
    path = tmp_path / "place"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/full")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.relpath(path))  # its whole path may be too long
    elif kind == "circle of links":
        path.symlink_to(tmp_path / "other")
        (tmp_path / "other").symlink_to(path)
    return path


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    "kind", ["folder", "pipe", "device", "socket", "circle of links"]
)
def test_only_regular_files_are_replaced(tmp_path, monkeypatch, kind, linked):
    monkeypatch.chdir(tmp_path)
    path = special(tmp_path, kind)
    before = os.lstat(path)
    if linked:
        link = tmp_path / "link"
        link.symlink_to(path)
        path = link

    def replaced(*names):
        raise AssertionError("it was replaced")

    monkeypatch.setattr(files.os, "replace", replaced)
    for write in (require_writable, lambda path: write_text(path, "text")):
        with pytest.raises(ValueError, match=rf"got the {kind} {re.escape(str(path))}"):
            write(path)
    assert os.lstat(os.path.realpath(path)).st_mode == before.st_mode
    assert not partials(tmp_path)


@pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_names_of_what_is_open_are_refused_with_the_way_to_say_it(stream):
    for write in (require_writable, lambda path: write_text(path, "text")):
        with pytest.raises(ValueError, match="for standard output write -"):
            write(Path(stream))


@pytest.mark.parametrize("exists", [False, True])
def test_a_link_stays_and_its_file_is_written_whole(tmp_path, exists):
    folder, here = tmp_path / "disk", tmp_path / "here"
    folder.mkdir()
    here.mkdir()
    link, file = here / "link", folder / "file"
    link.symlink_to(file)
    if exists:
        file.write_text("old")
    require_writable(link)
    with unfinished(link) as partial:
        assert partial.parent == folder
        partial.write_text("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert [*folder.iterdir(), *here.iterdir()] == [file, link]


def test_permissions_are_the_old_file_s_or_those_of_any_new_one(tmp_path):
    file, plain = tmp_path / "file", tmp_path / "plain"
    plain.touch()
    write_text(file, "text")
    assert file.stat().st_mode == plain.stat().st_mode
    file.chmod(0o640)
    with unfinished(file) as partial:
        assert stat.S_IMODE(partial.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_text_goes_to_standard_output_as_it_would_to_a_file(tmp_path, capfdbinary):
    text = "∂h\r\n\n"
    require_writable(Path("-"))
    write_text(Path("-"), text)
    write_text(tmp_path / "file", text)
    assert capfdbinary.readouterr().out == (tmp_path / "file").read_bytes()
    with pytest.raises(ValueError, match="got -, which stands for standard output"):
        require_writable(Path("-"), text=False)
    with pytest.raises(ValueError, match="got -, which stands"), unfinished(Path("-")):
        pass


def test_rows_are_written_by_it(tmp_path, monkeypatch):
    file = tmp_path / "rows.json"
    file.write_text("old")

    def full(*names):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError, match="full"):
        write_json(file, [])
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
