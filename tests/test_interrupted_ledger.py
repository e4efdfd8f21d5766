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

STOPS = {signal.SIGINT: INTERRUPTED, signal.SIGKILL: -signal.SIGKILL}
SCRIPT = """
import sys
from sigprop.numerics.interruption import interruptible
with interruptible():
    import theory.claims
    from sigprop.cli.main import app
    rows = theory.claims.select(ids=sys.argv[1].split())
    theory.claims.select = lambda paper=None: rows
    app(["ledger", "--html", sys.argv[2]])
"""
OLD = ("blur:3", "blur:4", "lru:4")
NEW = ("zucchet:42", "zucchet:75", "lru:4", *map("blur:{}".format, range(5, 20)))


def start(folder, ids):
    """``sigprop ledger --html``, of these rows."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, " ".join(ids), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def write(folder, ids):
    """Run ``sigprop ledger --html`` to its end; the seconds that it took."""
    began = time.monotonic()
    process = start(folder, ids)
    told, _ = process.communicate()
    assert process.returncode == 0, told
    return time.monotonic() - began


def pages(folder):
    """Every page without the seconds that its making took."""
    return {
        file.name: re.sub(r"[\d.e-]+ s\b", "", file.read_text())
        for file in folder.glob("*.html")
    }


def _wait_for_writing(site, process):
    """Until the list of pages changes, and at most a page or two longer."""
    before = (site / MANIFEST).stat().st_mtime_ns
    while (site / MANIFEST).stat().st_mtime_ns == before and process.poll() is None:
        time.sleep(0.001)
    time.sleep(random.uniform(0, 0.05))


@pytest.mark.slow
def test_a_ledger_stopped_ten_times_ends_as_an_undisturbed_one(tmp_path):
    """Five interruptions and five kills, all the way; a stranger's file stays."""
    site, undisturbed = tmp_path / "site", tmp_path / "undisturbed"
    lasts = write(undisturbed, NEW)
    write(site, OLD)
    old, new = pages(site), pages(undisturbed)
    (site / "notes.txt").write_text("mine")
    moments = [
        *(lasts * random.uniform(i / 6, (i + 1) / 6) for i in range(6)),
        *4 * [None],
    ]
    kinds = 5 * list(STOPS)
    print(f"{lasts:.1f} s, stopped after", moments)
    for moment, kind in zip(random.sample(moments, 10), kinds, strict=True):
        process = start(site, NEW)
        if moment is None:
            _wait_for_writing(site, process)
        else:
            time.sleep(1 + moment)  # one second until Python runs the command
        process.send_signal(kind)
        told, _ = process.communicate()
        assert process.returncode in (STOPS[kind], 0), told
        for name, text in pages(site).items():
            assert text in (old.get(name), new.get(name)), name
        assert (site / "notes.txt").read_text() == "mine"
    write(site, NEW)
    assert pages(site) == new
    (site / "notes.txt").unlink()
    assert sorted(one.name for one in site.iterdir()) == sorted(
        one.name for one in undisturbed.iterdir()
    )
