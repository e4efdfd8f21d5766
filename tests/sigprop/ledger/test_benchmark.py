"""Statements for a reviewer, misprints among them, and what answers are worth."""

import json
import re

import pytest

from sigprop.ledger.benchmark import (
    ANSWERS,
    ASKED,
    PLANTED,
    STATEMENTS,
    Benchmark,
    Share,
    mark,
    questions,
    read_answers,
    write,
)
from sigprop.theory.claims import Status, registry
from sigprop.theory.misprints import misprints
from sigprop.theory.reading import agrees
from sigprop.theory.readings import reading_of
from tests.command import refused, sigprop

ASKS = Benchmark(("lru", "rotrnn"), planted=6, seed=5)


@pytest.fixture(scope="module")
def asked():
    return questions(ASKS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("benchmark")
    write(place, ASKS)
    return place


def test_every_statement_with_a_truth_value_is_asked_once(asked):
    wanted = [
        claim.id
        for claim in registry().values()
        if claim.paper in ASKS.papers
        and claim.expected not in (Status.DEFINITION, Status.NOT_CHECKABLE)
        and not claim.as_extracted
        and (claim.erratum is None or claim.erratum.letter != "F")
    ]
    assert [one.claim.id for one in asked] == wanted


def test_as_many_misprints_as_are_asked_stand_among_right_statements(asked):
    planted = [one for one in asked if one.kind == PLANTED]
    assert len(planted) == ASKS.planted
    for one in planted:
        assert one.truth == "wrong"
        assert one.claim.expected in (Status.PROVED, Status.CONFIRMED)
        assert one.latex != one.claim.statement
        assert one.claim.printed is not None
        reading, form = reading_of(one.claim.id, corrected=False), one.claim.printed()
        assert agrees(one.claim.statement, form, reading)
        assert not agrees(one.latex, form, reading)
    for one in set(asked) - set(planted):
        assert one.latex == one.claim.statement


def test_another_seed_plants_others_and_the_same_seed_the_same(asked):
    again, other = questions(ASKS), questions(Benchmark(ASKS.papers, 6, 6))
    assert [one.latex for one in again] == [one.latex for one in asked]
    assert [one.latex for one in other] != [one.latex for one in asked]


def test_more_misprints_than_formulas_are_refused():
    with pytest.raises(
        ValueError, match=r"need at most \d+ planted misprints, got 500"
    ):
        questions(Benchmark(("rotrnn",), planted=500))


@pytest.mark.parametrize("key", ["zucchet:48", "lru:41", "rotrnn:9"])
def test_no_misprint_says_the_same(key):
    claim, reading = registry()[key], reading_of(key, corrected=False)
    assert claim.printed is not None
    form = claim.printed()
    found = list(misprints(claim.statement, form, reading))
    assert len({one.change for one in found}) > 2
    assert not any(agrees(one.latex, form, reading) for one in found)


def test_no_verdict_is_given_away(folder, asked):
    text = (folder / STATEMENTS).read_text()
    stated = json.loads(text)["statements"]
    assert [one["id"] for one in stated] == [one.claim.id for one in asked]
    assert {key for one in stated for key in one} == {
        *("id", "paper", "source", "kind", "statement", "assumes"),
    }
    form = json.loads((folder / ANSWERS).read_text())
    assert set(form["answers"].values()) == {None}
    assert ANSWERS in (folder / ASKED).read_text()


def answered(folder, place, word):
    form = json.loads((folder / ANSWERS).read_text())
    form["answers"] = {key: word(key) for key in form["answers"]}
    file = place / "filled.json"
    file.write_text(json.dumps(form))
    return file


def test_the_ledgers_own_words_are_all_right(folder, asked, tmp_path):
    truth = {one.claim.id: one.truth for one in asked}
    given, answers = read_answers(answered(folder, tmp_path, truth.get))
    assert given == ASKS
    marks = mark(questions(given), answers)
    assert marks.precision.hits == marks.precision.of == marks.recall["all"].of > 20
    assert all(share.hits == share.of for share in marks.recall.values())
    assert marks.recall[PLANTED].of == 6
    assert marks.agreement == Share(len(asked), len(asked))
    assert marks.unanswered == 0


def test_marks_count_what_was_found_missed_and_wrongly_accused(asked):
    wrong = [one.claim.id for one in asked if one.truth == "wrong"]
    limited = [one.claim.id for one in asked if one.truth == "conditional"]
    right = [one.claim.id for one in asked if one.truth == "right"]
    answers = {
        **dict.fromkeys(wrong[:4], "wrong"),
        wrong[4]: "right",
        limited[0]: "wrong",  # found, in another word
        **dict.fromkeys(right[:5], "wrong"),
        **dict.fromkeys(right[5:9], "right"),
        right[9]: None,
    }
    marks = mark(asked, answers)
    assert marks.precision == Share(5, 10)
    assert marks.recall["all"] == Share(5, len(wrong) + len(limited))
    assert (
        sum(share.of for share in marks.recall.values()) == 2 * marks.recall["all"].of
    )
    assert marks.agreement == Share(8, 15)
    assert marks.unanswered == len(asked) - 15
    assert marks.table["right", "wrong"] == 5


def test_the_interval_is_clopper_and_pearsons():
    assert Share(0, 0).interval == (0.0, 1.0)
    low, high = Share(5, 10).interval
    assert (round(low, 4), round(high, 4)) == (0.1871, 0.8129)
    assert Share(10, 10).interval[1] == 1.0


def bad(folder, place, change):
    form = json.loads((folder / ANSWERS).read_text())
    change(form)
    file = place / "bad.json"
    file.write_text(json.dumps(form))
    return file


BAD = {
    "no benchmark": (lambda form: form.pop("benchmark"), r"need the answers\.json of"),
    "another version": (lambda f: f["benchmark"].update(version=9), "of version 9"),
    "no paper": (lambda f: f["benchmark"].update(papers=["x"]), "need papers in"),
    "no word": (
        lambda f: f["answers"].update({"lru:4": "maybe"}),
        "for lru:4, got 'maybe'",
    ),
    "no row": (
        lambda f: f["answers"].update({"lru:999": "right"}),
        "got one to 'lru:999'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_answers_are_one_line(name, folder, tmp_path):
    change, line = BAD[name]
    said = refused("judge-answers", bad(folder, tmp_path, change))
    assert re.search(line, said)


def test_both_commands_from_statements_to_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")  # a path is never broken, to be copied whole
    place, scores = tmp_path / "b", tmp_path / "scores.json"
    options = ("--benchmark", str(place), "--paper", "rotrnn", "--planted", "2")
    made = sigprop("ledger", *options)
    assert made.exit_code == 0
    assert "2 of them with a deliberate error." in made.stdout
    assert f"run `sigprop judge-answers {place / 'answers.json'}`." in made.stdout
    file = answered(place, tmp_path, lambda key: "wrong")
    monkeypatch.delenv("COLUMNS")
    found = sigprop("judge-answers", file, "--json", scores)
    assert found.exit_code == 0
    assert "recall planted" in found.stdout
    marks = json.loads(scores.read_text())
    assert marks["recall"]["planted"]["hits"] == marks["recall"]["planted"]["of"] == 2
    assert marks["recall"]["all"]["value"] == 1.0
    low, high = marks["precision"]["low"], marks["precision"]["high"]
    assert low < marks["precision"]["value"] < high
    assert marks["unanswered"] == 0
    assert f"need a folder without {STATEMENTS}" in refused("ledger", *options)


@pytest.mark.parametrize(
    "options",
    [("--planted", "3"), ("--benchmark", "b", "--status", "refuted")],
)
def test_a_benchmark_judges_nothing(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "judges nothing" in refused("ledger", *options)
    assert list(tmp_path.iterdir()) == []
