"""The ledger as a test of reviewers, human or machine: statements, and scores of answers.

A benchmark is a folder with the statements, what is asked, and a form for the answers.
Misprints are planted among the statements that are right; which ones, its number and seed
say, so that answers are scored without a key.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import binomtest

from sigprop.numerics.documents import read_object
from sigprop.numerics.extras import extra
from sigprop.numerics.files import require_folder, write_text
from sigprop.theory.claims import PAPERS, Claim, Status, select
from sigprop.theory.errata import CLASSES
from sigprop.theory.misprints import Misprint, misprints
from sigprop.theory.readings import UNREAD, reading_of

NAME, VERSION = "sigprop-ledger", 1
STATEMENTS, ANSWERS, ASKED = "statements.json", "answers.json", "README.md"
RIGHT, WRONG, CONDITIONAL = WORDS = ("right", "wrong", "conditional")
TRUTH = {
    Status.PROVED: RIGHT,
    Status.CONFIRMED: RIGHT,
    Status.REFUTED: WRONG,
    Status.CONDITIONAL: CONDITIONAL,
}
PLANTED = "planted"  # the class of misprints that are ours
LEVEL = 0.95
QUESTION = f"""# Which of these statements are right?

`{STATEMENTS}` lists statements of papers on linear recurrent networks. Some have a deliberate
error that we added. Write your verdict on each statement into `{ANSWERS}`:

- `"{RIGHT}"`: the statement holds under the assumptions of the paper;
- `"{CONDITIONAL}"`: the statement holds only under a further condition;
- `"{WRONG}"`: the statement does not hold;

or leave `null`. `sigprop benchmark score {ANSWERS}` scores your verdicts.
"""


@dataclass(frozen=True)
class Benchmark:
    """Which statements are asked.

    Attributes:
        papers: Keys of ``sigprop.theory.claims.PAPERS``.
        planted: How many misprints stand among them.
        seed: Chooses the misprints.
    """

    papers: tuple[str, ...] = tuple(paper for paper in PAPERS if paper != "sigprop")
    planted: int = 0
    seed: int = 0
    name: str = field(default=NAME, init=False)
    version: int = field(default=VERSION, init=False)


class Question(NamedTuple):
    """A statement that is asked, and what is true of it.

    ``kind`` is the class of its erratum, ``planted`` where the misprint is ours, and
    empty where it is right or has no class.
    """

    claim: Claim
    latex: str
    truth: str
    kind: str


def questions(benchmark: Benchmark) -> list[Question]:
    """Every statement with a truth value, paper by paper, misprints in their places.

    Raises:
        ModuleNotFoundError: If misprints are asked for and the parser of the extra
            ``site`` is not installed.
        ValueError: If more misprints are asked for than statements can have.
    """
    claims = [claim for paper in benchmark.papers for claim in select(paper)]
    claims = [claim for claim in claims if claim.expected in TRUTH]
    most = sum(claim.printed is not None for claim in claims)
    if (
        benchmark.planted > most
    ):  # said before the statements are read, which takes long
        raise ValueError(
            f"need at most {most} planted misprints, got {benchmark.planted}: no more of "
            "these statements are formulas"
        )
    plain = [_question(claim) for claim in claims]
    planted = _misprinted(
        [question for question in plain if question.truth == RIGHT], benchmark
    )
    return [
        question._replace(latex=wrong.latex, truth=WRONG, kind=PLANTED)
        if wrong
        else question
        for question in plain
        for wrong in (planted.get(question.claim.id),)
    ]


def _question(claim: Claim) -> Question:
    kind = claim.erratum.letter if claim.erratum else ""
    return Question(claim, claim.statement, TRUTH[claim.expected], kind)


def _misprinted(right: Sequence[Question], benchmark: Benchmark) -> dict[str, Misprint]:
    """A misprint for as many statements as are asked, by their ids."""
    if not benchmark.planted:
        return {}
    with extra("site", "deliberate errors"):
        import antlr4  # noqa: F401  with it SymPy reads the statements
    draw = random.Random(benchmark.seed)
    can = [
        question.claim
        for question in right
        if question.claim.printed and question.claim.id not in UNREAD
    ]
    draw.shuffle(can)
    planted: dict[str, Misprint] = {}
    for claim in can:
        if len(planted) == benchmark.planted:
            break
        assert claim.printed is not None
        reading = reading_of(claim.id, corrected=False)
        choices = list(misprints(claim.statement, claim.printed(), reading))
        if choices:
            planted[claim.id] = draw.choice(choices)
    if len(planted) < benchmark.planted:
        raise ValueError(
            f"need at most {len(planted)} planted misprints, got {benchmark.planted}: no more "
            "of these statements are formulas that are read by machine"
        )
    return planted


def write(folder: Path, benchmark: Benchmark) -> int:
    """Write the statements, what is asked, and a form for the answers.

    Returns:
        How many statements there are.

    Raises:
        ValueError: If the folder cannot be written, or has one of the files already.
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
            "statement": question.latex,
            "assumes": question.claim.assumes.text,
        }
        for question in chosen
    ]
    form = dict.fromkeys(question.claim.id for question in chosen)
    _write_json(folder / ANSWERS, head | {"answers": form})
    write_text(folder / ASKED, QUESTION)
    _write_json(folder / STATEMENTS, head | {"statements": stated})
    return len(chosen)


def _write_json(file: Path, content: Any) -> None:
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_answers(file: Path) -> tuple[Benchmark, dict[str, str | None]]:
    """The benchmark that a file answers, and its answers by id.

    Raises:
        ValueError: If it is no such file, of another version, or has a word that is none.
    """
    content = read_object(file)
    try:
        about, answers = content["benchmark"], dict(content["answers"])
        benchmark = Benchmark(
            tuple(about["papers"]), int(about["planted"]), int(about["seed"])
        )
        version = about["name"], about["version"]
        texts = {*benchmark.papers, *answers.values()} - {None}
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("papers and answers are texts")
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
        if answer is not None and answer not in WORDS:
            raise ValueError(
                f"need one of {', '.join(WORDS)} or null for {key}, got {answer!r}"
            )
    return benchmark, answers


class Share(NamedTuple):
    """A share of some, with its exact interval at 95 %; no value of none."""

    hits: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson's."""
        if not self.of:
            return 0.0, 1.0
        interval_of_hits = binomtest(self.hits, self.of).proportion_ci(LEVEL, "exact")
        return float(interval_of_hits.low), float(interval_of_hits.high)


class Marks(NamedTuple):
    """What answers are worth.

    Attributes:
        precision: Of the statements called wrong or conditional, those that are.
        recall: By class of erratum, of those that are, the ones so called.
        agreement: Of the statements answered, those with the ledger's word.
        unanswered: How many are not.
        table: How often each word was given for each truth.
    """

    precision: Share
    recall: dict[str, Share]
    agreement: Share
    unanswered: int
    table: Counter[tuple[str, str]]


def mark(chosen: Iterable[Question], answers: Mapping[str, str | None]) -> Marks:
    """Score answers against the ledger; what is not answered accuses nothing.

    Raises:
        ValueError: If there is an answer to what was not asked.
    """
    chosen = list(chosen)
    strange = sorted(answers.keys() - {question.claim.id for question in chosen})
    if strange:
        raise ValueError(f"need answers to what was asked, got one to {strange[0]!r}")
    table: Counter[tuple[str, str]] = Counter()
    accusations: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for question in chosen:
        answer = answers.get(question.claim.id)
        table[question.truth, answer or ""] += 1
        if question.truth != RIGHT:
            kind = question.kind or "no class"
            total[kind] += 1
            accusations[kind] += answer in (WRONG, CONDITIONAL)
    accused = sum(
        n for (_, answer), n in table.items() if answer in (WRONG, CONDITIONAL)
    )
    rightly = sum(accusations.values())
    answered = sum(n for (_, answer), n in table.items() if answer)
    same = sum(n for (truth, answer), n in table.items() if truth == answer)
    kinds = [kind for kind in (*CLASSES, PLANTED, "no class") if total[kind]]
    recall = {"all": Share(rightly, sum(total.values()))}
    recall |= {kind: Share(accusations[kind], total[kind]) for kind in kinds}
    return Marks(
        Share(rightly, accused),
        recall,
        Share(same, answered),
        len(chosen) - answered,
        table,
    )


def as_json(marks: Marks) -> dict[str, Any]:
    """The scores for JSON: each share with its interval."""

    def plain(share: Share) -> dict[str, Any]:
        low, high = share.interval
        value = share.hits / share.of if share.of else None
        return {"value": value, "low": low, "high": high, **share._asdict()}

    return {
        "precision": plain(marks.precision),
        "recall": {kind: plain(share) for kind, share in marks.recall.items()},
        "agreement": plain(marks.agreement),
        "unanswered": marks.unanswered,
        "table": [
            {"truth": truth, "answer": answer or None, "count": count}
            for (truth, answer), count in sorted(marks.table.items())
        ],
    }
