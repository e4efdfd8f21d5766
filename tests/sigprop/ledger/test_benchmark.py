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
def all_questions():
    return questions(ASKS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmark")
    write(path, ASKS)
    return path


def test_every_statement_with_a_truth_value_is_asked_once(all_questions):
    wanted = [
        claim.id
        for claim in registry().values()
        if claim.paper in ASKS.papers
        and claim.expected not in (Status.DEFINITION, Status.NOT_CHECKABLE)
    ]
    assert [question.claim.id for question in all_questions] == wanted


def test_as_many_misprints_as_are_asked_stand_among_right_statements(all_questions):
    planted = [question for question in all_questions if question.kind == PLANTED]
    assert len(planted) == ASKS.planted
    for question in planted:
        assert question.truth == "wrong"
        assert question.claim.expected in (Status.PROVED, Status.CONFIRMED)
        assert question.latex != question.claim.statement
        assert question.claim.printed is not None
        reading, form = (
            reading_of(question.claim.id, corrected=False),
            question.claim.printed(),
        )
        assert agrees(question.claim.statement, form, reading)
        assert not agrees(question.latex, form, reading)
    for question in set(all_questions) - set(planted):
        assert question.latex == question.claim.statement


def test_another_seed_plants_others_and_the_same_seed_the_same(all_questions):
    repeated, other = questions(ASKS), questions(Benchmark(ASKS.papers, 6, 6))
    assert [question.latex for question in repeated] == [
        question.latex for question in all_questions
    ]
    assert [question.latex for question in other] != [
        question.latex for question in all_questions
    ]


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
    variants = list(misprints(claim.statement, form, reading))
    assert len({variant.change for variant in variants}) > 2
    assert not any(agrees(variant.latex, form, reading) for variant in variants)


def test_no_verdict_is_given_away(folder, all_questions):
    text = (folder / STATEMENTS).read_text()
    stated = json.loads(text)["statements"]
    assert [statement["id"] for statement in stated] == [
        question.claim.id for question in all_questions
    ]
    assert {key for statement in stated for key in statement} == {
        *("id", "paper", "source", "kind", "statement", "assumes"),
    }
    form = json.loads((folder / ANSWERS).read_text())
    assert set(form["answers"].values()) == {None}
    assert ANSWERS in (folder / ASKED).read_text()


def answered(folder, directory, answer_for):
    form = json.loads((folder / ANSWERS).read_text())
    form["answers"] = {key: answer_for(key) for key in form["answers"]}
    file = directory / "filled.json"
    file.write_text(json.dumps(form))
    return file


def test_the_ledgers_own_words_are_all_right(folder, all_questions, tmp_path):
    truth = {question.claim.id: question.truth for question in all_questions}
    seeds, answers = read_answers(answered(folder, tmp_path, truth.get))
    assert seeds == ASKS
    marks = mark(questions(seeds), answers)
    assert marks.precision.hits == marks.precision.of == marks.recall["all"].of > 20
    assert all(share.hits == share.of for share in marks.recall.values())
    assert marks.recall[PLANTED].of == 6
    assert marks.agreement == Share(len(all_questions), len(all_questions))
    assert marks.unanswered == 0


def test_marks_count_what_was_found_missed_and_wrongly_accused(all_questions):
    wrong = [
        question.claim.id for question in all_questions if question.truth == "wrong"
    ]
    limited = [
        question.claim.id
        for question in all_questions
        if question.truth == "conditional"
    ]
    right = [
        question.claim.id for question in all_questions if question.truth == "right"
    ]
    answers = {
        **dict.fromkeys(wrong[:4], "wrong"),
        wrong[4]: "right",
        limited[0]: "wrong",  # found, in another word
        **dict.fromkeys(right[:5], "wrong"),
        **dict.fromkeys(right[5:9], "right"),
        right[9]: None,
    }
    marks = mark(all_questions, answers)
    assert marks.precision == Share(5, 10)
    assert marks.recall["all"] == Share(5, len(wrong) + len(limited))
    assert (
        sum(share.of for share in marks.recall.values()) == 2 * marks.recall["all"].of
    )
    assert marks.agreement == Share(8, 15)
    assert marks.unanswered == len(all_questions) - 15
    assert marks.table["right", "wrong"] == 5


def test_the_interval_is_clopper_and_pearsons():
    assert Share(0, 0).interval == (0.0, 1.0)
    low, high = Share(5, 10).interval
    assert (round(low, 4), round(high, 4)) == (0.1871, 0.8129)
    assert Share(10, 10).interval[1] == 1.0


def bad(folder, directory, change):
    form = json.loads((folder / ANSWERS).read_text())
    change(form)
    file = directory / "bad.json"
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
    message = refused("benchmark", "score", bad(folder, tmp_path, change))
    assert re.search(line, message)


def test_both_commands_from_statements_to_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")  # a path is never broken, to be copied whole
    target, scores = tmp_path / "b", tmp_path / "scores.json"
    options = (str(target), "--paper", "rotrnn", "--planted", "2")
    written = sigprop("benchmark", "write", *options)
    assert written.exit_code == 0
    assert "2 of them with a deliberate error." in written.stdout
    assert f"run `sigprop benchmark score {target / 'answers.json'}`." in written.stdout
    file = answered(target, tmp_path, lambda key: "wrong")
    monkeypatch.delenv("COLUMNS")
    marked = sigprop("benchmark", "score", file, "--json", scores)
    assert marked.exit_code == 0
    assert "recall planted" in marked.stdout
    marks = json.loads(scores.read_text())
    assert marks["recall"]["planted"]["hits"] == marks["recall"]["planted"]["of"] == 2
    assert marks["recall"]["all"]["value"] == 1.0
    low, high = marks["precision"]["low"], marks["precision"]["high"]
    assert low < marks["precision"]["value"] < high
    assert marks["unanswered"] == 0
    assert f"need a folder without {STATEMENTS}" in refused(
        "benchmark", "write", *options
    )
