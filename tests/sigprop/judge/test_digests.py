"""Digests change with what decides a row, and with nothing else."""

import pytest

from sigprop.judge import digests
from sigprop.judge.digests import digest

ROWS = "sigprop.theory.papers.demo.rows"
FILES = {
    "theory/papers/demo/rows.py": """
from sigprop.theory.demo import derived, rounded
from sigprop.theory.rows import Part

SIZES = {"lru:1": 3, "lru:2": 4}


def printed():
    \"\"\"As printed.\"\"\"
    return 2 + SIZES["lru:1"]


part = Part("Section 1")
part.row(
    "lru:1", "moment", "proved", "A title", "a = 2", printed=printed, note="A note"
)
part.row("lru:2", "moment", "refuted", "Another", "b = 3", derive=derived, corrected=rounded)
""",
    "sigprop/evidence/demo/rows.py": """
import sigprop.evidence.kit
from sigprop.evidence import kit


def by_sum(n):
    return kit.energy(n)


EVIDENCE = {"lru:1": by_sum, "lru:2": lambda n: n + 1}
""",
    "theory/demo.py": """
ZERO = 0
ZERO += 0


def derived():
    return 3  # as it is


def rounded():
    return ZERO


def other():
    return 4
""",
    "theory/rows.py": "class Part:\n    size = 1\n",
    "sigprop/evidence/kit.py": "def energy(n):\n    return n * n\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A function that gives the digests of both rows after a change of a file."""
    monkeypatch.setattr(digests, "on_disk", tmp_path.joinpath)
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)

    def changed(file=None, before="", after=""):
        for function in (digests._read, digests._written, digests._mentions_rows):
            function.cache_clear()
        if file is not None:
            assert before in FILES[file]
            (tmp_path / file).write_text(FILES[file].replace(before, after))
        return [digest(row, ROWS) for row in ("lru:1", "lru:2")]

    yield changed
    for function in (digests._read, digests._written, digests._mentions_rows):
        function.cache_clear()


@pytest.mark.parametrize(
    ("file", "before", "after", "rows"),
    [
        ("theory/papers/demo/rows.py", "2 + SIZES", "3 + SIZES", {0}),
        ("theory/papers/demo/rows.py", '"a = 2"', '"a = 4"', {0}),
        ("theory/papers/demo/rows.py", '"lru:1": 3', '"lru:1": 5', {0}),
        ("theory/papers/demo/rows.py", "derive=derived", "derive=other", {1}),
        ("theory/demo.py", "return 3", "return 5", {1}),
        ("theory/demo.py", "ZERO = 0", "ZERO = None", {1}),
        ("theory/demo.py", "ZERO = 0", "ZERO = ''", {1}),
        ("theory/demo.py", "ZERO += 0", "ZERO += 1", {1}),
        ("sigprop/evidence/demo/rows.py", "n + 1", "n + 2", {1}),
        ("sigprop/evidence/demo/rows.py", "kit.energy(n)", "kit.energy(2)", {0}),
        ("sigprop/evidence/kit.py", "n * n", "n * n * n", {0}),
        ("theory/rows.py", "size = 1", "size = 2", {0, 1}),
        # What decides no row.
        ("theory/papers/demo/rows.py", "As printed.", "As it is printed.", set()),
        ("theory/papers/demo/rows.py", "A title", "A better title", set()),
        ("theory/papers/demo/rows.py", "A note", "A better note", set()),
        ("theory/papers/demo/rows.py", '"proved"', '"refuted"', set()),
        ("theory/papers/demo/rows.py", "\n\n\ndef", "\n\n\n# Why.\n\n\ndef", set()),
        ("theory/demo.py", "return 4", "return 5", set()),
        ("theory/demo.py", "  # as it is", "", set()),
    ],
)
def test_a_change_is_seen_by_the_rows_that_it_decides(file, before, after, rows, tree):
    old, new = tree(), tree(file, before, after)
    assert {index for index in (0, 1) if old[index] != new[index]} == rows


def test_a_new_row_changes_no_other(tree):
    old = tree()
    row = 'part.row("lru:3", "moment", "proved", "A third", "c = 3", derive=other)'
    new = tree("theory/papers/demo/rows.py", "part = Part", f"{row}\npart = Part")
    assert new == old


def test_a_file_that_is_missing_counts_as_empty(tmp_path, tree):
    old = tree()
    (tmp_path / "sigprop/evidence/demo/rows.py").unlink()
    assert set(tree()).isdisjoint(old)
