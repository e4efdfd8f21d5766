"""A ledger's site outlives what stops the program that writes it."""

import random
import re
import signal
import subprocess
import sys
import time

import pytest

from sigprop.ledger.site import MANIFEST
from sigprop.numerics.interruption import INTERRUPTED
from tests.kept import own_programs

STOPS = {signal.SIGINT: INTERRUPTED, signal.SIGKILL: -signal.SIGKILL}
SCRIPT = """
import os, sys, time
from sigprop.numerics.interruption import interruptible
pause, replace = float(sys.argv[3]), os.replace

def slowly(*names):  # half of the time goes before a page is there, half after it
    time.sleep(pause)
    replace(*names)
    time.sleep(pause)

os.replace = slowly
with interruptible():
    print("started", flush=True)
    import sigprop.theory.claims
    from sigprop.cli.main import app
    rows = sigprop.theory.claims.select(ids=sys.argv[1].split())
    sigprop.theory.claims.select = lambda paper=None: rows
    app(["ledger", "--html", sys.argv[2]])
"""
OLD = ("blur:table8", "blur:table9", "blur:table2")
NEW = (  # of printed numbers, judged in milliseconds, by both processes
    *("blur:table2", "blur:table12", "blur:table13", "blur:def3.1", "blur:text:runs"),
    *map("blur:fig{}".format, (4, 6, *range(8, 16))),
)
PAUSE = 0.05  # seconds before and after each page, so that a stop falls between pages


def start(folder, ids, pause=0.0):
    """``sigprop ledger --html``, of these rows; it pauses before and after each file.

    It has begun to run the command, not Python alone.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, " ".join(ids), str(folder), str(pause)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=own_programs(folder.with_name("programs")),
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def write(folder, ids):
    """Run ``sigprop ledger --html`` to its end; the seconds that it took."""
    process = start(folder, ids)
    began = time.monotonic()
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return time.monotonic() - began


def pages(folder):
    """Every page without the seconds that its making took."""
    return {
        file.name: re.sub(r"[\d.e-]+ s\b", "", file.read_text())
        for file in folder.glob("*.html")
    }


def _wait_for_writing(site, process):
    """Until the list of pages changes, and for some of the pages."""
    before = (site / MANIFEST).stat().st_mtime_ns
    while (site / MANIFEST).stat().st_mtime_ns == before and process.poll() is None:
        time.sleep(0.001)
    time.sleep(random.uniform(0, len(NEW) * PAUSE))


@pytest.mark.slow(first=True)
def test_a_ledger_stopped_four_times_ends_as_an_undisturbed_one(tmp_path):
    """Two interruptions and two kills, one of each while it writes; a stranger's file stays."""
    site, undisturbed = tmp_path / "site", tmp_path / "undisturbed"
    lasts = write(undisturbed, NEW)
    write(site, OLD)
    old, new = pages(site), pages(undisturbed)
    (site / "notes.txt").write_text("mine")
    moments = [lasts * random.uniform(i / 2, (i + 1) / 2) for i in range(2)]
    kinds = random.sample(list(STOPS), 2)
    print(f"{lasts:.1f} s, stopped after", moments)
    for moment, kind in zip([*moments, None, None], 2 * kinds, strict=True):
        process = start(site, NEW, PAUSE if moment is None else 0.0)
        if moment is None:
            _wait_for_writing(site, process)
        else:
            time.sleep(moment)
        process.send_signal(kind)
        output, _ = process.communicate()
        ends = (STOPS[kind],) if moment is None else (STOPS[kind], 0)
        assert process.returncode in ends, output
        for name, text in pages(site).items():
            assert text in (old.get(name), new.get(name)), name
        assert (site / "notes.txt").read_text() == "mine"
    write(site, NEW)
    assert pages(site) == new
    (site / "notes.txt").unlink()
    assert sorted(file.name for file in site.iterdir()) == sorted(
        file.name for file in undisturbed.iterdir()
    )
