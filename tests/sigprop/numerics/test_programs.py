"""What one process has compiled, another one takes; half of a program is no loss."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sigprop.numerics import programs
from sigprop.numerics.programs import (
    forget_programs,
    keep_programs,
    writable_by_others,
)

HITS = """
import jax
hits = []
jax.monitoring.register_event_listener(
    lambda event, **_: hits.append(event) if event.endswith("cache_hits") else None
)
"""
COUNTED = f"""
import sys
from pathlib import Path
from sigprop.numerics.programs import keep_programs
if sys.argv[2] == "after":
    import jax
keep_programs(Path(sys.argv[1]))
{HITS}
print(jax.jit(lambda x: 3 * x + 1)(2.0), len(hits))
"""
ASKED = "JAX_COMPILATION_CACHE_DIR"


def alone(program, *arguments, **environment):
    """What a program prints and says aside, without the tests' own kept programs."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_", "PYTHONWARNINGS"))
    }
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env={**variables, **environment},
    )


def stored_programs(folder):
    return sorted(folder.rglob("*-cache"))


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_next_process_compiles_nothing_anew(tmp_path, when):
    first, second = (alone(COUNTED, tmp_path, when).stdout for _ in range(2))
    assert first.split() == ["7.0", "0"]
    value, hits = second.split()
    assert value == "7.0"
    assert int(hits) == len(stored_programs(tmp_path)) > 0


def test_a_program_half_written_is_compiled_without_a_word(tmp_path):
    alone(COUNTED, tmp_path, "before")
    for file in stored_programs(tmp_path):
        file.write_bytes(file.read_bytes()[:-20])
    result = alone(COUNTED, tmp_path, "before")
    assert result.stdout.split() == ["7.0", "0"]
    assert result.stderr == ""


def test_programs_are_for_one_kind_of_processor(tmp_path, monkeypatch):
    folders = []
    for text in ("flags: avx2", "flags: avx512f"):
        monkeypatch.setattr(Path, "read_text", lambda *_, text=text: text)
        monkeypatch.delenv(ASKED, raising=False)
        with monkeypatch.context() as patch:
            patch.delitem(sys.modules, "jax")
            keep_programs(tmp_path)
        folders.append(os.environ[ASKED])
    assert len({*folders}) == 2
    assert {Path(path).parent for path in folders} == {tmp_path}


def test_a_folder_that_the_user_names_is_taken(tmp_path):
    own = tmp_path / "own"
    alone(COUNTED, tmp_path / "other", "before", **{ASKED: str(own)})
    assert stored_programs(own)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_the_user_has_told_jax_stays(tmp_path, when):
    alone(COUNTED, tmp_path, when, JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="100")
    assert not stored_programs(tmp_path)


def test_nothing_is_kept_where_no_folder_can_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = alone(COUNTED, tmp_path / "file", "before")
    assert result.stdout.split() == ["7.0", "0"]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("command", "cached"),
    [
        (("advise", "--length", "0"), True),
        (("train", "nothing"), True),
        (("audit", "nothing"), True),
        (("bench", "--part", "nothing"), False),  # it times how long compiling takes
    ],
)
def test_commands_keep_programs_in_the_users_cache(tmp_path, command, cached):
    program = f"""
import os
from sigprop.cli.main import app
app({command!r}, standalone_mode=False)
print(os.environ.get("{ASKED}"))
"""
    folder = alone(program, XDG_CACHE_HOME=str(tmp_path)).stdout.split()[-1]
    if cached:
        assert Path(folder).parent == tmp_path / "sigprop" / "programs"
    else:
        assert folder == "None"


def test_a_verdict_takes_the_programs_of_the_last_one(tmp_path):
    program = f"""
{HITS}
from sigprop.cli.main import app
app(["verify", "--claim", "blur:lemmaA.1", "--no-figures"], standalone_mode=False)
print(len(hits))
"""
    first, second = (alone(program, XDG_CACHE_HOME=str(tmp_path)) for _ in range(2))
    assert "1 of 1 verdicts" in second.stdout
    before, after = (int(process.stdout.split()[-1]) for process in (first, second))
    assert after > 2 * before
    assert after >= len(stored_programs(tmp_path)) > 0


def test_the_oldest_are_forgotten(tmp_path):
    for index, name in enumerate("abcd"):
        file = tmp_path / "kind" / f"{name}-cache"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bytes(10))
        os.utime(file, (index, index))
    (tmp_path / "kind" / "other").write_bytes(bytes(100))
    forget_programs(tmp_path, 25)
    names = sorted(file.name for file in (tmp_path / "kind").iterdir())
    assert names == ["c-cache", "d-cache", "other"]
    forget_programs(tmp_path / "none", 25)


@pytest.fixture
def own(tmp_path):
    """A folder of this user's in which nobody else may write, its parents included."""
    folder = tmp_path / "cache" / "programs"
    folder.mkdir(parents=True)
    for path in (folder, folder.parent, tmp_path):
        path.chmod(0o700)
    if writable_by_others(folder) is not None:
        pytest.skip("the folder of temporary files is another user's")
    return folder


@pytest.mark.parametrize("mode", [0o702, 0o777, 0o1777])
@pytest.mark.parametrize("above", [False, True])
def test_programs_of_a_folder_that_others_may_write_to_are_not_run(own, mode, above):
    directory = own.parent if above else own
    directory.chmod(mode)
    if above and mode & stat.S_ISVTX:
        assert writable_by_others(own) is None  # nobody else can replace what is in it
    else:
        assert writable_by_others(own) == directory


def test_programs_of_a_folder_of_another_user_are_not_run(own, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: own.stat().st_uid + 1)
    if own.stat().st_uid == 0:  # root's are trusted
        assert writable_by_others(own) is None
        os.chown(own, 12345, -1)
    assert writable_by_others(own) == own


def test_a_group_that_others_are_in_may_not_write(own, monkeypatch):
    own.chmod(0o770)
    for private in (True, False):
        monkeypatch.setattr(programs, "_is_private", lambda group, p=private: p)
        assert (writable_by_others(own) is None) == private


def test_a_link_to_a_folder_of_programs_is_followed(own, tmp_path):
    own.chmod(0o777)
    (tmp_path / "link").symlink_to(own)
    assert writable_by_others(tmp_path / "link") == own


def test_a_refused_folder_is_named_once_and_left_alone(own):
    own.chmod(0o777)
    program = f"""
import os
from pathlib import Path
from sigprop.numerics.programs import keep_programs
keep_programs(Path({str(own)!r}))
print(os.environ.get("JAX_COMPILATION_CACHE_DIR"))
"""
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": ""}
    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert process.stdout.strip() in ("", "None")
    (line,) = process.stderr.splitlines()
    assert f"another user may write to {own}" in line


def test_a_new_folder_is_its_owners_alone(own):
    program = f"""
from pathlib import Path
from sigprop.numerics.programs import keep_programs
keep_programs(Path({str(own / "new" / "er")!r}))
"""
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": ""}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    for path in (own / "new").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
