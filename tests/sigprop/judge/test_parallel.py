"""The second process ends with the need for it: at once, with no word of its own."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sigprop.judge import parallel as checking
from sigprop.numerics.compilation import QUICK
from tests.rows import row

ROOT = Path(__file__).parents[3]
LONG, SOON = 60.0, 10.0  # seconds
ROWS = [
    row(claim_id)
    for claim_id in ("lru:4", "lru:8", "rotrnn:11", "blur:14", "zucchet:74")
]


def children():
    return {process.pid for process in multiprocessing.active_children()}


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_nobody_waits_for_the_second_process(monkeypatch, failure):
    # What is sent to it is what takes long; it hears of it by name.
    monkeypatch.setattr(checking, "_check_all", _sleep)
    before, began = children(), time.monotonic()

    def look():
        with checking.checking(ROWS, 0, row, lambda *_: None):
            assert children() - before
            raise failure

    with pytest.raises(failure):
        look()
    assert time.monotonic() - began < SOON
    assert children() == before


def _sleep(*_):
    time.sleep(LONG)


def test_it_starts_without_ears_for_an_interrupt():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with checking._interrupts_later():
        heard = subprocess.run(
            [sys.executable, "-S", "-c", "import signal; signal.raise_signal(2)"],
            check=False,
            capture_output=True,
        )
    assert heard.returncode == 0
    assert heard.stderr == b""
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_it_optimises_only_programs_that_ask_for_it(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=false")
    with checking._second_process() as pool:
        there = pool.submit(os.getenv, "XLA_FLAGS").result()
    assert there.split() == [*QUICK, "--xla_cpu_enable_fast_math=false"]


SCRIPT = """
import sys
import time
from sigprop.judge import parallel as checking
if __name__ == "__main__":
    with checking._second_process() as pool:
        print(pool.submit(__import__("os").getpid).result(), flush=True)
        pool.submit(time.sleep, 60)
        time.sleep(60)
"""


@pytest.mark.slow
def test_it_does_not_outlive_the_first(tmp_path):
    script = tmp_path / "first.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment
    ) as first:
        assert first.stdout is not None
        second = int(first.stdout.readline())
        os.kill(second, 0)
        first.kill()
    end = time.monotonic() + SOON
    while _alive(second):
        assert time.monotonic() < end, "the second process lives on"
        time.sleep(0.05)


def _alive(pid):
    """Whether a process runs; one that nobody has asked for its status has ended."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_second_process_compiles_quickly_and_collects_seldom(monkeypatch):
    called = []
    for name in ("compile_quickly", "collect_seldom"):
        monkeypatch.setattr(checking, name, lambda name=name: called.append(name))
    checking._end_with_the_first()
    assert called == ["compile_quickly", "collect_seldom"]
