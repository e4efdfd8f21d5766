"""Who calls whom, on modules of three lines."""

import pytest

from sigprop.ledger.calls import read

SOURCES = {
    "sigprop/theory/__init__.py": "",
    "sigprop/theory/sums.py": "def total(n): return n\ndef unused(): return 1\nGIVEN = 2\n",
    "sigprop/theory/moments.py": (
        "from sigprop.theory import sums\n"
        "from sigprop.theory.sums import total as whole, GIVEN\n"
        "def dotted(): return sums.total(3)\n"
        "def renamed(): return whole(k=GIVEN)\n"
        "def hidden(whole): return whole(1)\n"
        "def local():\n"
        "    whole = abs\n"
        "    return whole(1)\n"
        "def late():\n"
        "    from .sums import unused\n"
        "    return unused()\n"
        "def inner():\n"
        "    def whole(): return 1\n"
        "    return whole\n"
        "@whole\n"
        "def decorated(): return lambda n: sums.unused()\n"
        "class Held:\n"
        "    def by(self): return whole(2, 'a')\n"
        "TABLE = {'one': whole, 'two': lambda: sums.unused().shown}\n"
        "def entry(): return TABLE['one']\n"
    ),
    "sigprop/__init__.py": "",
    "sigprop/checks.py": (
        "from sigprop.theory.moments import whole\n"
        "import sigprop.theory.sums\n"
        "def run(load): return load('sweep-a'), sigprop.theory.sums.GIVEN, whole\n"
        "lazy = lambda: start('said', whole(1).result)\n"
    ),
}


@pytest.fixture
def sources(tmp_path):
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return read(tmp_path, "sigprop/theory", "sigprop/checks.py")


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("dotted", {"sigprop.theory.sums.total(3)"}),
        ("renamed", {"sigprop.theory.sums.total(k=...)", "sigprop.theory.sums.GIVEN"}),
        ("hidden", set()),
        ("local", set()),
        ("late", {"sigprop.theory.sums.unused()"}),
        ("inner", set()),
        ("decorated", {"sigprop.theory.sums.total", "sigprop.theory.sums.unused()"}),
        ("Held", {"sigprop.theory.sums.total(2, 'a')"}),
        ("TABLE[one]", {"sigprop.theory.sums.total"}),
        ("entry", {"sigprop.theory.moments.TABLE[one]"}),
    ],
)
def test_a_definition_uses_what_it_names_and_no_more(sources, name, uses):
    assert sources.named[f"sigprop.theory.moments.{name}"].uses == uses


def test_a_stored_result_is_used_by_its_name(sources):
    assert sources.named["sigprop.checks.run"].uses == {
        "experiment:sweep-a",
        "sigprop.theory.sums.GIVEN",
        "sigprop.theory.moments.whole",
    }


def test_an_imported_name_stands_for_another(sources):
    assert (
        sources.aliases["sigprop.theory.moments.whole"] == "sigprop.theory.sums.total"
    )


def test_a_lambda_presents_the_call_inside(sources):
    assert (
        sources.presents(("sigprop.theory.moments", 16), {})
        == "sigprop.theory.sums.unused()"
    )
    assert (
        sources.presents(("sigprop.theory.moments", 19), {})
        == "sigprop.theory.sums.unused()"
    )
    assert (
        sources.presents(("sigprop.checks", 4), {}) == "sigprop.theory.moments.whole(1)"
    )
    assert sources.presents(("sigprop.theory.moments", 3), {}) is None


CHOOSING = """
from sigprop.theory.sums import total, unused, GIVEN
def chosen(kind, more=None, *, turned=False):
    if kind == "a":
        return total(more)
    if kind not in ("b", "c") or turned:
        raise ValueError(GIVEN)
    return unused(kind) if more is None else total(more, kind)
def passed(kind): return chosen(kind, turned=not True)
def rebound(kind):
    kind = "a"
    return chosen(kind)
def made(kind):
    return lambda: chosen(kind)
def swept(load, sweep): return load(sweep)
"""


@pytest.mark.parametrize(
    ("call", "uses"),
    [
        ("chosen('a')", {"total(None)"}),
        ("chosen('a', 5)", {"total(5)"}),
        ("chosen('a', ...)", {"total(...)"}),
        ("chosen('b')", {"unused('b')"}),
        ("chosen(more=1, kind='c')", {"total(1, 'c')"}),
        ("chosen('b', turned=True)", {"GIVEN"}),
        ("chosen('d')", {"GIVEN"}),
        ("chosen(...)", {"total(None)", "GIVEN", "unused(...)"}),
        ("chosen('b', **_)", {"GIVEN", "unused('b')", "total(..., 'b')"}),
        ("chosen", {"total(...)", "GIVEN", "unused(...)", "total(..., ...)"}),
    ],
)
def test_a_call_uses_the_branches_that_its_constants_leave(tmp_path, call, uses):
    (tmp_path / "sigprop" / "theory").mkdir(parents=True)
    (tmp_path / "sigprop" / "theory" / "choices.py").write_text(CHOOSING)
    sources = read(tmp_path, "sigprop/theory")
    assert sources.uses(f"sigprop.theory.choices.{call}") == {
        f"sigprop.theory.sums.{u}" for u in uses
    }


def test_constants_are_passed_on_unless_they_are_bound_anew(tmp_path):
    (tmp_path / "sigprop" / "theory").mkdir(parents=True)
    (tmp_path / "sigprop" / "theory" / "choices.py").write_text(CHOOSING)
    sources = read(tmp_path, "sigprop/theory")
    here = "sigprop.theory.choices"
    passed = {f"{here}.chosen('b', turned=False)"}
    assert sources.uses(f"{here}.passed('b')") == passed
    assert sources.uses(f"{here}.rebound('b')") == {f"{here}.chosen(...)"}
    assert sources.uses(f"{here}.made('b')") == {f"{here}.chosen('b')"}
    assert sources.inside((here, 14), {"kind": "b"}) == {f"{here}.chosen('b')"}
    assert sources.uses(f"{here}.swept(..., 'heads')") == {"experiment:heads"}
    assert sources.uses(f"{here}.swept") == set()


def test_functions_and_classes_are_code_and_constants_are_not(sources):
    code = {name.rpartition(".")[2] for name, d in sources.named.items() if d.is_code}
    assert code >= {"dotted", "Held", "decorated"}
    assert not code & {"TABLE", "GIVEN", "TABLE[one]"}


def test_a_place_without_modules_is_refused(tmp_path):
    with pytest.raises(ValueError, match="need modules to read at nowhere"):
        read(tmp_path, "nowhere")
