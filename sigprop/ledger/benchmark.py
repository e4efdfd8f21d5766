"""Benchmark for reviewers, human or machine: statements and scores of answers.

A benchmark is a folder with the statements, the question, and a form for the answers.
Misprints are planted in right statements, and in the corrections of wrong statements.
The number of misprints and the seed determine where they are, so that answers are
scored without a stored key.  A statement that repeats one with a planted misprint would
reveal the misprint, and is omitted.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import binomtest

from sigprop.evidence import nothing_stored
from sigprop.evidence import row as row_of
from sigprop.judge.forms import worked
from sigprop.numerics.documents import read_object
from sigprop.numerics.extras import extra
from sigprop.numerics.files import require_folder, write_text
from sigprop.theory.claims import PAPERS, Claim, Status, select
from sigprop.theory.derivation import Derivation
from sigprop.theory.errata import CLASSES
from sigprop.theory.latex import pieces
from sigprop.theory.letters import subject, symbols
from sigprop.theory.misprints import KINDS, Misprint, by_hand, changes
from sigprop.theory.readings import is_read, reading_of

NAME, VERSION = "sigprop-ledger", 2
STATEMENTS, ANSWERS, ASKED = "statements.json", "answers.json", "README.md"
RIGHT, WRONG, CONDITIONAL = WORDS = ("right", "wrong", "conditional")
TRUTH = {
    Status.PROVED: RIGHT,
    Status.CONFIRMED: RIGHT,
    Status.REFUTED: WRONG,
    Status.CONDITIONAL: CONDITIONAL,
}
ACCUSED = (WRONG, CONDITIONAL)
CHANCE = 0.5  # balanced accuracy of accusing all, none or at random
PLANTED = "planted"  # class of the planted misprints
LEVEL = 0.95
QUESTION = f"""# Which of these statements are right?

`{STATEMENTS}` lists statements of papers on linear recurrent networks. Some have a deliberate
error that we added. Write your `verdict` on each statement into `{ANSWERS}`:

- `"{RIGHT}"`: the statement holds under the assumptions of the paper;
- `"{CONDITIONAL}"`: the statement holds only under a further condition;
- `"{WRONG}"`: the statement does not hold;

or leave `null`. Write into `reason` what is wrong, with a counterexample if you have one.
`sigprop benchmark score {ANSWERS}` scores your verdicts. It lists the statements on which you
and the ledger differ, with both reasons.
"""


@dataclass(frozen=True)
class Benchmark:
    """Selection of the statements that a reviewer judges.

    Attributes:
        papers: Keys of ``sigprop.theory.claims.PAPERS``.
        planted: Number of planted misprints.
        seed: Seed that selects the misprints.
    """

    papers: tuple[str, ...] = tuple(paper for paper in PAPERS if paper != "sigprop")
    planted: int = 0
    seed: int = 0
    name: str = field(default=NAME, init=False)
    version: int = field(default=VERSION, init=False)


class Question(NamedTuple):
    """A statement for the reviewer, and its true verdict.

    ``kind`` is the class of its erratum, or ``planted`` for a planted misprint.  It is
    empty if the statement is right or has no class.  ``change`` is the kind of a
    planted misprint.
    """

    claim: Claim
    latex: str
    truth: str
    kind: str
    change: str = ""


def questions(benchmark: Benchmark) -> list[Question]:
    """Every statement with a truth value, paper by paper, including planted misprints.

    Raises:
        ModuleNotFoundError: If misprints are requested and the parser of the extra
            ``site`` is not installed.
        ValueError: If more misprints are requested than statements can have.
    """
    claims = [claim for paper in benchmark.papers for claim in select(paper)]
    claims = [claim for claim in claims if claim.expected in TRUTH]
    sources = [source for claim in claims for source in _sources(claim)]
    if benchmark.planted > len(sources):  # checked first, because parsing takes long
        raise ValueError(
            f"need at most {len(sources)} planted misprints, got {benchmark.planted}: no "
            "more of these statements are formulas"
        )
    planted = _misprinted(sources, benchmark)
    twins = _twins(planted.keys(), claims) - planted.keys()
    return [
        Question(claim, wrong.latex, WRONG, PLANTED, wrong.change)
        if (wrong := planted.get(claim.id))
        else _question(claim)
        for claim in claims
        if claim.id not in twins
    ]


def _question(claim: Claim) -> Question:
    kind = claim.erratum.letter if claim.erratum else ""
    return Question(claim, claim.statement, TRUTH[claim.expected], kind)


class Source(NamedTuple):
    """A true statement, or a correction, in which a misprint can be planted."""

    claim: Claim
    latex: str
    corrected: bool
    by_hand: bool


def _sources(claim: Claim) -> list[Source]:
    """The statement of a right row, or the correction of a wrong row."""
    truth = TRUTH[claim.expected]
    corrected = truth == WRONG
    latex = claim.correction if corrected else claim.statement
    form = (claim.corrected or claim.derive) if corrected else claim.printed
    if truth == CONDITIONAL or latex is None:
        return []
    if form is not None and is_read(claim.id, corrected):
        return [Source(claim, latex, corrected, by_hand=False)]
    hand = truth == RIGHT and by_hand(claim.id, latex)
    return [Source(claim, latex, corrected, by_hand=True)] if hand else []


def _misprinted(sources: Sequence[Source], benchmark: Benchmark) -> dict[str, Misprint]:
    """The requested number of misprints, by the ids of their statements."""
    if not benchmark.planted:
        return {}
    with extra("site", "deliberate errors"):
        import antlr4  # noqa: F401  with it SymPy reads the statements
    draw = random.Random(benchmark.seed)
    drawn = draw.sample(sources, len(sources))
    planted: dict[str, Misprint] = {}
    for source in drawn:
        if len(planted) == benchmark.planted:
            break
        used = Counter(misprint.change for misprint in planted.values())
        kinds = sorted(draw.sample(KINDS, len(KINDS)), key=lambda kind: used[kind])
        if misprint := _misprint(source, kinds, draw):
            planted[source.claim.id] = misprint
    if len(planted) < benchmark.planted:
        raise ValueError(
            f"need at most {len(planted)} planted misprints, got {benchmark.planted}: no more "
            "of these statements are formulas that are read by machine"
        )
    return planted


def _misprint(
    source: Source, kinds: Sequence[str], draw: random.Random
) -> Misprint | None:
    """A misprint of the first kind that is possible for the source, or ``None``."""
    claim = source.claim
    if source.by_hand:
        return min(
            by_hand(claim.id, source.latex),
            key=lambda misprint: kinds.index(misprint.change),
        )
    made = (claim.corrected or claim.derive) if source.corrected else claim.printed
    assert made is not None
    form = made()
    form = form.result if isinstance(form, Derivation) else form
    tried, is_other = changes(
        source.latex, form, reading_of(claim.id, corrected=source.corrected)
    )
    for kind in kinds:
        alike = [misprint for misprint in tried if misprint.change == kind]
        for misprint in draw.sample(alike, len(alike)):
            if is_other(misprint):
                return misprint
    return None


def _twins(ids: Collection[str], claims: Iterable[Claim]) -> set[str]:
    """Rows that have the same formula as some rows, or the same error."""
    formulas, linked = {}, {}
    for claim in claims:
        formulas[claim.id] = {bare for text in _written(claim) for bare in _bare(text)}
        erratum = claim.erratum
        linked[claim.id] = {erratum.root, *erratum.appears_in} if erratum else set()
    theirs = set().union(*(formulas[row] for row in ids))
    named = set().union(*(linked[row] for row in ids))
    return {
        row
        for row in formulas
        if row in named or linked[row] & set(ids) or formulas[row] & theirs
    }


LONG = 25  # length of a formula that two statements rarely share by chance


def _written(claim: Claim) -> list[str]:
    return [claim.statement, *([claim.correction] if claim.correction else [])]


def _bare(latex: str) -> set[str]:
    """The longer formulas of a statement, without spaces and sizes of brackets."""
    formulas = (
        re.sub(r"\\left|\\right|\\[,;!]|[\s.]", "", piece) for piece in pieces(latex)
    )
    return {formula for formula in formulas if len(formula) >= LONG}


def write(folder: Path, benchmark: Benchmark) -> int:
    """Write the statements, the question, and a form for the answers.

    Returns:
        The number of statements.

    Raises:
        ValueError: If the folder cannot be written, or already has one of the files.
    """
    require_folder(folder)
    for name in (STATEMENTS, ANSWERS, ASKED):
        if (folder / name).exists():
            raise ValueError(
                f"need a folder without {name}, got {folder}; choose another, or move "
                "that file away"
            )
    chosen = questions(benchmark)
    head = {"benchmark": asdict(benchmark)}
    stated = [
        {
            "id": question.claim.id,
            "paper": question.claim.paper,
            "source": question.claim.source,
            "kind": question.claim.kind,
            "statement": subject(question.claim.id) + question.latex,
            "symbols": list(symbols(question.claim.paper, question.latex)),
            "assumes": question.claim.assumes.text,
        }
        for question in chosen
    ]
    form = {question.claim.id: {"verdict": None, "reason": ""} for question in chosen}
    _write_json(folder / ANSWERS, head | {"answers": form})
    write_text(folder / ASKED, QUESTION)
    _write_json(folder / STATEMENTS, head | {"statements": stated})
    return len(chosen)


def _write_json(file: Path, content: Any) -> None:
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


class Answer(NamedTuple):
    """A verdict, one of ``WORDS`` or ``None``, and the reason for it."""

    verdict: str | None
    reason: str = ""


def read_answers(file: Path) -> tuple[Benchmark, dict[str, Answer]]:
    """The benchmark that a file answers, and the answers by id.

    An answer is a verdict, or a verdict with a reason.

    Raises:
        ValueError: If the file has no answers, has another version, or contains an
            unknown verdict.
    """
    content = read_object(file)
    try:
        about, given = content["benchmark"], dict(content["answers"])
        benchmark = Benchmark(
            tuple(about["papers"]), int(about["planted"]), int(about["seed"])
        )
        version = about["name"], about["version"]
        answers = {
            key: Answer(**value) if isinstance(value, dict) else Answer(value)
            for key, value in given.items()
        }
        texts = {*benchmark.papers} | {
            text for answer in answers.values() for text in answer if text is not None
        }
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("papers, verdicts and reasons are texts")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(
            f"need the {ANSWERS} of a benchmark with answers filled in, got {file}, which "
            f"is none; `sigprop benchmark write DIR` writes one"
        ) from error
    if version != (NAME, VERSION):
        raise ValueError(
            f"need answers to {NAME} of version {VERSION}, got {version[0]} of version "
            f"{version[1]}; write the benchmark anew"
        )
    unknown = set(benchmark.papers) - set(PAPERS)
    if unknown:
        raise ValueError(f"need papers in {', '.join(PAPERS)}, got {min(unknown)!r}")
    for key, answer in answers.items():
        if answer.verdict is not None and answer.verdict not in WORDS:
            raise ValueError(
                f"need one of {', '.join(WORDS)} or null for {key}, got {answer.verdict!r}"
            )
    return benchmark, answers


class Share(NamedTuple):
    """A share of hits, with its exact interval at 95 %."""

    hits: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Clopper and Pearson."""
        if not self.of:
            return 0.0, 1.0
        interval_of_hits = binomtest(self.hits, self.of).proportion_ci(LEVEL, "exact")
        return float(interval_of_hits.low), float(interval_of_hits.high)

    @property
    def value(self) -> float:
        """Hits divided by cases; one half without cases, as for random answers."""
        return self.hits / self.of if self.of else 0.5


class Found(NamedTuple):
    """Errors of one class: how many were found, answered and asked."""

    hits: int
    answered: int
    of: int


class Difference(NamedTuple):
    """A statement with different verdicts of reviewer and ledger, and both reasons.

    Attributes:
        id: Id of the row.
        source: Paper and place.
        statement: LaTeX that the reviewer saw.
        truth: The ledger's verdict.
        answer: The reviewer's verdict.
        ours: The ledger's reason.
        theirs: The reviewer's reason; often empty.
    """

    id: str
    source: str
    statement: str
    truth: str
    answer: str
    ours: str
    theirs: str


class Marks(NamedTuple):
    """Scores of answers.  A statement is accused if it is called wrong or conditional.

    Attributes:
        sensitivity: Share of accused statements among answered ones that are not right.
        specificity: Share of statements not accused among answered ones that are right.
        precision: Share of statements that are not right among the accused ones.
        found: Errors that were found, answered and asked, by class and for ``all``.
        agreement: Share of answered statements with the verdict of the ledger.
        unanswered: Number of statements without an answer, right ones first.
        table: Number of answers by verdict, for each true verdict.
        differences: Answers that differ from the ledger, in the order of the questions.
    """

    sensitivity: Share
    specificity: Share
    precision: Share
    found: dict[str, Found]
    agreement: Share
    unanswered: tuple[int, int]
    table: Counter[tuple[str, str]]
    differences: tuple[Difference, ...]

    @property
    def balanced(self) -> float:
        """Balanced accuracy over answered statements: 0.5 is chance, 1 is perfect."""
        return (self.sensitivity.value + self.specificity.value) / 2

    @property
    def balanced_of_all(self) -> float:
        """Balanced accuracy over all statements; one without an answer counts half."""
        shares = zip((self.specificity, self.sensitivity), self.unanswered, strict=True)
        parts = [
            (share.hits + missing / 2) / (share.of + missing)
            if share.of + missing
            else 0.5
            for share, missing in shares
        ]
        return sum(parts) / 2

    @property
    def base_rate(self) -> float:
        """Precision of a reviewer who accuses every answered statement."""
        answered = self.sensitivity.of + self.specificity.of
        return self.sensitivity.of / answered if answered else 0.5

    def above_chance(self, kind: str) -> float:
        """Share of errors found among the answered ones, minus the false-alarm rate.

        It is 0 for a reviewer who accuses all, none or at random, and 1 for a perfect
        one.
        """
        recall = Share(self.found[kind].hits, self.found[kind].answered)
        return recall.value - (1 - self.specificity.value)


def mark(chosen: Iterable[Question], answers: Mapping[str, Answer]) -> Marks:
    """Score answers against the ledger; a statement without an answer is not accused.

    Raises:
        ValueError: If there is an answer to a statement outside the benchmark.
    """
    chosen = list(chosen)
    strange = sorted(answers.keys() - {question.claim.id for question in chosen})
    if strange:
        raise ValueError(f"need answers to what was asked, got one to {strange[0]!r}")
    table: Counter[tuple[str, str]] = Counter()
    hits: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for question in chosen:
        verdict = answers.get(question.claim.id, Answer(None)).verdict
        table[question.truth, verdict or ""] += 1
        if question.truth != RIGHT:
            for kind in ("all", question.kind or "no class"):
                total[kind] += 1
                answered[kind] += verdict is not None
                hits[kind] += verdict in ACCUSED
    kinds = [kind for kind in ("all", *CLASSES, PLANTED, "no class") if total[kind]]
    right = sum(n for (truth, word), n in table.items() if truth == RIGHT and word)
    alarms = sum(table[RIGHT, word] for word in ACCUSED)
    given = right + answered["all"]
    same = sum(n for (truth, word), n in table.items() if truth == word)
    return Marks(
        Share(hits["all"], answered["all"]),
        Share(right - alarms, right),
        Share(hits["all"], hits["all"] + alarms),
        {kind: Found(hits[kind], answered[kind], total[kind]) for kind in kinds},
        Share(same, given),
        (table[RIGHT, ""], total["all"] - answered["all"]),
        table,
        tuple(
            _difference(question, answer)
            for question in chosen
            if (answer := answers.get(question.claim.id))
            and answer.verdict not in (None, question.truth)
        ),
    )


def _difference(question: Question, answer: Answer) -> Difference:
    claim = question.claim
    return Difference(
        claim.id,
        claim.source,
        subject(claim.id) + question.latex,
        question.truth,
        answer.verdict or "",
        _reason(question),
        answer.reason,
    )


def _reason(question: Question) -> str:
    """The reason for the ledger's verdict on a statement."""
    claim = question.claim
    if question.kind == PLANTED:
        right = claim.correction if TRUTH[claim.expected] == WRONG else claim.statement
        return f"We added this error: {question.change}. The right form is ${right}$."
    if question.truth == RIGHT:
        how = "proved" if claim.expected == Status.PROVED else "confirmed"
        return f"It is {how}. {claim.note}".strip()
    example = getattr(row_of(claim.id, nothing_stored).basis, "example", None)
    parts = (
        claim.condition and f"It holds only if {claim.condition.text}.",
        claim.note,
        example and worked(example),
        claim.correction and f"The right form is ${claim.correction}$.",
    )
    return " ".join(filter(None, parts))


def as_json(marks: Marks) -> dict[str, Any]:
    """The scores for JSON: each share with its interval."""

    def plain(share: Share) -> dict[str, Any]:
        low, high = share.interval
        value = share.value if share.of else None
        return {"value": value, "low": low, "high": high, **share._asdict()}

    return {
        "balanced_accuracy": marks.balanced,
        "balanced_accuracy_of_all": marks.balanced_of_all,
        "chance": CHANCE,
        "specificity": plain(marks.specificity),
        "precision": {**plain(marks.precision), "chance": marks.base_rate},
        "found": {
            kind: {**found._asdict(), "above_chance": marks.above_chance(kind)}
            for kind, found in marks.found.items()
        },
        "agreement": plain(marks.agreement),
        "unanswered": sum(marks.unanswered),
        "table": [
            {"truth": truth, "answer": answer or None, "count": count}
            for (truth, answer), count in sorted(marks.table.items())
        ],
        "differences": [one._asdict() for one in marks.differences],
    }
