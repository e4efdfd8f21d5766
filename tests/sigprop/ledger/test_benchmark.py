"""Statements for a reviewer, misprints among them, and what answers are worth."""

import json
import re

import pytest

from sigprop.evidence import nothing_stored
from sigprop.evidence import row as row_of
from sigprop.judge import evidence
from sigprop.judge.basis import Evidence
from sigprop.judge.forms import relative_error
from sigprop.ledger.benchmark import (
    ANSWERS,
    ASKED,
    PLANTED,
    STATEMENTS,
    Answer,
    Benchmark,
    Found,
    Share,
    as_json,
    mark,
    questions,
    read_answers,
    write,
)
from sigprop.theory.claims import Status, registry
from sigprop.theory.derivation import Derivation
from sigprop.theory.letters import LETTERS, SUBJECTS, subject, symbols
from sigprop.theory.misprints import BY_HAND, KINDS, by_hand, misprints
from sigprop.theory.reading import agrees
from sigprop.theory.readings import reading_of
from tests.command import refused, sigprop

ASKS = Benchmark(("lru", "rotrnn", "blur"), planted=9, seed=5)


@pytest.fixture(scope="module")
def all_questions():
    return questions(ASKS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmark")
    write(path, ASKS)
    return path


def test_every_statement_with_a_truth_value_is_asked_once_or_is_a_twin(all_questions):
    wanted = [
        claim.id
        for claim in registry().values()
        if claim.paper in ASKS.papers
        and claim.expected not in (Status.DEFINITION, Status.NOT_CHECKABLE)
    ]
    asked = [question.claim.id for question in all_questions]
    assert asked == [key for key in wanted if key in asked]
    assert len(wanted) - 20 < len(asked) < len(wanted)


def source_of(claim):
    """The statement that is right, its form, and how it is read."""
    corrected = claim.expected == Status.REFUTED
    made = (claim.corrected or claim.derive) if corrected else claim.printed
    form = made and made()
    form = form.result if isinstance(form, Derivation) else form
    latex = claim.correction if corrected else claim.statement
    return latex, form, reading_of(claim.id, corrected=corrected)


def test_as_many_misprints_as_are_asked_stand_among_right_statements(all_questions):
    planted = [question for question in all_questions if question.kind == PLANTED]
    assert len(planted) == ASKS.planted
    assert {question.claim.paper for question in planted} == {*ASKS.papers}
    assert len({question.change for question in planted}) > 4
    for question in planted:
        latex, form, reading = source_of(question.claim)
        assert question.truth == "wrong"
        assert question.change in KINDS
        assert question.latex != latex
        if form is None:
            assert question.latex in [
                m.latex for m in by_hand(question.claim.id, latex)
            ]
        else:
            assert agrees(latex, form, reading)
            assert not agrees(question.latex, form, reading)
    assert {question.claim.expected for question in planted} > {Status.REFUTED}
    for question in set(all_questions) - set(planted):
        assert question.latex == question.claim.statement


def test_a_twin_of_a_planted_statement_is_left_out():
    asked = {seed: questions(Benchmark(("lru",), 4, seed)) for seed in range(6)}
    pairs = (("lru:prop3.3", "lru:prop3.3-restated"), ("lru:8", "lru:propE.1"))
    seen = 0
    for chosen in asked.values():
        kinds = {question.claim.id: question.kind for question in chosen}
        for one, other in (*pairs, *(pair[::-1] for pair in pairs)):
            if kinds.get(one) == PLANTED:
                seen += 1
                assert kinds.get(other, PLANTED) == PLANTED
    assert seen


def test_another_seed_plants_others_and_the_same_seed_the_same(all_questions):
    repeated, other = questions(ASKS), questions(Benchmark(ASKS.papers, 9, 6))
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


def values_at(routine, points):
    return [evidence._array(evidence.resolve(routine)(**point)) for point in points]


@pytest.mark.parametrize("key", BY_HAND)
def test_a_change_by_hand_is_a_mutant_that_numbers_tell_from_the_truth(key):
    claim, basis = registry()[key], row_of(key, nothing_stored).basis
    assert isinstance(basis, Evidence)
    measured = evidence.measure(claim, basis)
    for old, new, change, mutant in BY_HAND[key]:
        assert claim.statement.count(old) >= 1, old
        assert claim.statement.replace(old, new, 1) != claim.statement
        assert change in KINDS
        wrong = values_at(basis.mutants[mutant], measured.points)
        errors = map(relative_error, measured.truth, wrong)
        assert max(errors) > 1e-6


def test_no_verdict_is_given_away(folder, all_questions):
    text = (folder / STATEMENTS).read_text()
    stated = json.loads(text)["statements"]
    assert [statement["id"] for statement in stated] == [
        question.claim.id for question in all_questions
    ]
    assert {key for statement in stated for key in statement} == {
        *("id", "paper", "source", "kind", "statement", "symbols", "assumes"),
    }
    form = json.loads((folder / ANSWERS).read_text())
    assert all(
        answer == {"verdict": None, "reason": ""} for answer in form["answers"].values()
    )
    assert ANSWERS in (folder / ASKED).read_text()


ASKED_OF = [
    claim
    for claim in registry().values()
    if claim.paper in LETTERS
    and claim.expected not in (Status.DEFINITION, Status.NOT_CHECKABLE)
]
GREEK = re.findall(
    r"\w+", "alpha beta gamma lambda Lambda nu theta Theta omega rho sigma xi mu"
)


def test_a_statement_begins_with_a_subject():
    for claim in ASKED_OF:
        whole = subject(claim.id) + claim.statement
        verb = r"\\text\{(does|reduces|achieving|falls|performs|despite|ensures)\b"
        assert not re.match(rf"\s*(=|\\le(?!ft)|\\to|{verb})", whole), claim.id
    assert SUBJECTS.keys() <= registry().keys()


def test_greek_letters_of_a_statement_are_explained():
    for claim in ASKED_OF:
        bare = re.sub(r"\\text\{[^{}]*\}", " ", claim.statement)
        known = {line.split("$")[1] for line in symbols(claim.paper, claim.statement)}
        for name in GREEK:
            if re.search(rf"(?<!mathbf\{{)\\{name}(?![A-Za-z])", bare):
                assert f"\\{name}" in known, (claim.id, name)


def test_a_letter_has_one_meaning_of_its_paper():
    (line,) = symbols("rotrnn", "O(N)")[1:]
    assert line == "$O$: orthogonal matrices"
    assert symbols("lru", r"\text{a word}") == ()


def answered(folder, directory, answer_for):
    form = json.loads((folder / ANSWERS).read_text())
    form["answers"] = {key: answer_for(key) for key in form["answers"]}
    file = directory / "filled.json"
    file.write_text(json.dumps(form))
    return file


def in_words(words):
    return {key: Answer(word) for key, word in words.items()}


def test_the_ledgers_own_words_are_all_right(folder, all_questions, tmp_path):
    truth = {question.claim.id: question.truth for question in all_questions}
    seeds, answers = read_answers(answered(folder, tmp_path, truth.get))
    assert seeds == ASKS
    marks = mark(questions(seeds), answers)
    assert marks.precision.hits == marks.precision.of == marks.found["all"].of > 20
    assert all(
        found.hits == found.answered == found.of for found in marks.found.values()
    )
    assert all(marks.above_chance(kind) == 1 for kind in marks.found)
    assert marks.found[PLANTED].of == 9
    assert marks.balanced == marks.balanced_of_all == 1
    assert marks.agreement == Share(len(all_questions), len(all_questions))
    assert marks.unanswered == (0, 0)
    assert marks.differences == ()


def test_marks_count_what_was_found_missed_and_wrongly_accused(all_questions):
    wrong, limited, right = (
        [question.claim.id for question in all_questions if question.truth == truth]
        for truth in ("wrong", "conditional", "right")
    )
    answers = in_words(
        {
            **dict.fromkeys(wrong[:4], "wrong"),
            wrong[4]: "right",
            limited[0]: "wrong",  # found, in another word
            **dict.fromkeys(right[:5], "wrong"),
            **dict.fromkeys(right[5:9], "right"),
            right[9]: None,
        }
    )
    marks = mark(all_questions, answers)
    assert marks.precision == Share(5, 10)
    assert marks.sensitivity == Share(5, 6)
    assert marks.specificity == Share(4, 9)
    assert marks.found["all"] == Found(5, 6, len(wrong) + len(limited))
    parts = [found for kind, found in marks.found.items() if kind != "all"]
    assert tuple(map(sum, zip(*parts, strict=True))) == marks.found["all"]
    assert marks.balanced == pytest.approx((5 / 6 + 4 / 9) / 2)
    assert marks.above_chance("all") == pytest.approx(5 / 6 - 5 / 9)
    missing = len(right) - 9, len(wrong) + len(limited) - 6
    assert marks.unanswered == missing
    assert marks.balanced_of_all == pytest.approx(
        ((4 + missing[0] / 2) / len(right) + (5 + missing[1] / 2) / (6 + missing[1]))
        / 2
    )
    assert marks.base_rate == 6 / 15
    assert marks.agreement == Share(8, 15)
    assert marks.table["right", "wrong"] == 5
    assert {one.id for one in marks.differences} == {wrong[4], limited[0], *right[:5]}


def scores_in(value, name=""):
    """Every number of a document that is no count or bound, by its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from scores_in(item, f"{name}/{key}")
    elif isinstance(value, float):
        yield name, value


@pytest.mark.parametrize("word", ["wrong", "conditional", "right", None])
def test_one_word_for_everything_scores_as_chance(word, all_questions):
    answers = dict.fromkeys((q.claim.id for q in all_questions), Answer(word))
    marks = mark(all_questions, answers)
    assert marks.balanced == marks.balanced_of_all == 0.5
    document = as_json(marks)
    above = [found["above_chance"] for found in document["found"].values()]
    assert set(above) == {0.0}
    if word in ("wrong", "conditional"):
        scores = dict(scores_in({**document, "table": []}))
        high = {name for name, value in scores.items() if value > 0.7}
        assert high == set()


def test_a_difference_has_both_reasons(all_questions):
    by_kind = {question.kind: question for question in all_questions}
    planted, refuted = by_kind[PLANTED], by_kind["A"]
    right = next(question for question in all_questions if question.truth == "right")
    answers = {
        planted.claim.id: Answer("right", "it looks right"),
        refuted.claim.id: Answer("right"),
        right.claim.id: Answer("wrong", "at n = 1 it fails"),
    }
    ours = {one.id: one for one in mark(all_questions, answers).differences}
    assert set(ours) == set(answers)
    assert planted.change in ours[planted.claim.id].ours
    assert ours[planted.claim.id].theirs == "it looks right"
    assert re.search(r"printed .+ true ", ours[refuted.claim.id].ours)
    assert re.match(r"It is (proved|confirmed)\.", ours[right.claim.id].ours)


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
    "another key": (
        lambda f: f["answers"].update({"lru:4": {"word": "right"}}),
        r"need the answers\.json of",
    ),
    "no word": (
        lambda f: f["answers"].update({"lru:4": {"verdict": "maybe"}}),
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
    for words in ("planted", "2 of 2", "Balanced accuracy 0.50", "Chance is 0.5"):
        assert words in marked.stdout
    assert "you say wrong, the ledger says right" in marked.stdout
    marks = json.loads(scores.read_text())
    assert marks["found"]["planted"]["hits"] == marks["found"]["planted"]["of"] == 2
    assert marks["balanced_accuracy"] == marks["chance"] == 0.5
    low, high = marks["precision"]["low"], marks["precision"]["high"]
    assert low < marks["precision"]["value"] < high
    assert marks["precision"]["value"] == marks["precision"]["chance"]
    assert marks["unanswered"] == 0
    assert {"ours", "theirs"} <= marks["differences"][0].keys()
    assert f"need a folder without {STATEMENTS}" in refused(
        "benchmark", "write", *options
    )
