"""Options of the commands that judge and list statements: each changes what comes out."""

import dataclasses
import json
import re
from collections import Counter
from contextlib import nullcontext

import pytest

from sigprop.cli import gallery
from sigprop.cli import ledger as cli_ledger
from sigprop.cli import verify as cli_verify
from sigprop.judge import forecast
from sigprop.judge import run as judge
from sigprop.judge.basis import Row
from sigprop.judge.forecast import DAY, Forecast
from sigprop.judge.mutants import Scores
from sigprop.judge.results import RouteResult, Run
from sigprop.judge.statuses import finish
from sigprop.ledger import benchmark, dependence, report
from sigprop.ledger import site as sites
from sigprop.ledger.benchmark import Benchmark, Found, Marks, Share
from sigprop.ledger.dependence import Graph
from sigprop.ledger.schema import schema
from sigprop.numerics import devices
from sigprop.theory.claims import find, select
from tests.command import ran, refused
from tests.options import option
from tests.shown import printed

ONE, OTHER = "zucchet:42", "zucchet:75"
SITE = "index.html"


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """A judge that does no work: its record tells what it was asked for."""
    device = []

    def on(name):
        device.append(name)
        return nullcontext()

    def verify(rows, *, tier, seed, samples, **more):
        sampled = RouteResult("monte_carlo", "x", 1.0, 0.9, 1.1, "confirmed", n=samples)
        results = [finish(row, [sampled], Scores(), 0.0) for row in rows]
        results = tuple(
            dataclasses.replace(result, status=str(row.claim.expected))
            for result, row in zip(results, rows, strict=True)
        )
        how = (
            tier,
            0.05,
            1e-6,
            1e-7,
            seed,
            device[-1],
            "float64",
            {"sigprop": "9"},
            1.0,
        )
        return Run(results, *how)

    monkeypatch.setattr(judge, "verify", verify)
    monkeypatch.setattr(
        "sigprop.experiments.rows.row", lambda name: Row(find(name), None)
    )
    monkeypatch.setattr(dependence, "build", lambda claims: Graph({}, {}))
    monkeypatch.setattr(devices, "use_device", on)


def rows(*arguments):
    """Rows of JSON on standard output, and all else that was printed."""
    result = ran(*arguments, "--json", "-")
    return json.loads(result.stdout), result.stderr


def ids(*arguments):
    return [entry["id"] for entry in rows(*arguments)[0]]


def how(*arguments):
    """Tier, seed and device, as the command ends by saying."""
    _, output = rows("verify", "--claim", ONE, *arguments)
    match = re.search(r"Tier (\w+), seed (\d+), float64 on (\w+)\.", output)
    return match.groups()


# --- verify


@option("verify", "--claim", "--paper", "--json")
def test_verify_judges_the_claims_and_the_paper_that_are_named():
    assert ids("verify", "--claim", ONE) == [ONE]
    assert ids("verify", "--claim", ONE, "--claim", OTHER) == [ONE, OTHER]
    assert ids("verify", "--paper", "rotrnn") == [
        claim.id for claim in select("rotrnn")
    ]
    assert "Tier" in ran("verify", "--claim", ONE).stdout  # else JSON alone


@option("verify", "--tier", "--seed", "--device")
def test_verify_runs_at_the_tier_the_seed_and_on_the_device_that_are_named():
    assert how() == ("quick", "0", "cpu")
    assert how("--tier", "headline") == ("headline", "0", "cpu")
    assert how("--seed", 7) == ("quick", "7", "cpu")
    assert how("--device", "gpu") == ("quick", "0", "gpu")


@option("verify", "--samples")
def test_verify_draws_as_many_trajectories_as_asked():
    def samples_of(*more):
        ((claim,), _) = rows("verify", "--claim", ONE, *more)
        return [result["n"] for result in claim["results"]]

    assert samples_of() == [None]
    assert samples_of("--samples", 90_000) == [90_000]


@option("verify", "--yes")
def test_verify_begins_what_takes_days_when_told_so(monkeypatch):
    calls = []

    def of_rows(rows, tier, samples):
        calls.append((tier, samples))
        return Forecast(5, 3 * DAY, 0.0)

    monkeypatch.setattr(forecast, "of_rows", of_rows)
    command = ("verify", "--claim", ONE, "--samples", 90_000)
    assert "an expected 3 days and 0 GiB: more than a day" in refused(*command)
    result = ran(*command, "--yes")
    assert "an expected 3 days and 0 GiB on this machine" in result.stderr
    assert calls == [("quick", 90_000)] * 2


@option("verify", "--report", "--no-figures")
def test_verify_writes_a_report_with_pictures_or_without(tmp_path, monkeypatch):
    def with_overview(run):
        return dataclasses.replace(
            run, overview={"a.svg": "<svg><title>DRAWN</title></svg>"}
        )

    monkeypatch.setattr(cli_verify, "with_overview", with_overview)
    monkeypatch.setattr(
        report,
        "write_report",
        lambda path, run: path.write_text(
            f"{[c.id for c in run.claims]} {run.overview}"
        ),
    )
    monkeypatch.setattr(
        cli_verify,
        "overview_beside",
        lambda json, run, out: json.with_suffix(".png").write_text(run.claims[0].id),
    )
    page, numbers = tmp_path / "r.html", tmp_path / "rows.json"
    result = ran("verify", "--claim", ONE, "--report", page)
    assert ONE in page.read_text()
    assert "DRAWN" in page.read_text()
    assert result.stdout.splitlines()[-1] == f"Report: {page}"
    ran("verify", "--claim", ONE, "--report", page, "--no-figures")
    assert page.read_text() == f"['{ONE}'] {{}}"
    command = ("verify", "--claim", ONE, "--json", numbers)
    ran(*command, "--no-figures")
    assert [file.name for file in tmp_path.glob("rows.*")] == ["rows.json"]
    ran(*command)
    assert sorted(file.name for file in tmp_path.glob("rows.*")) == [
        "rows.json",
        "rows.png",
    ]


@option("series", "--window", "--seed", "--json", "--report", "--figure")
def test_a_series_is_compared_in_windows_of_the_given_steps(tmp_path):
    """120 rows of a .csv are four windows of 30 steps, and two of 60."""
    series = tmp_path / "waves.csv"
    lines = (f"{(7 * i * i) % 31 / 31:.4f}" for i in range(120))
    series.write_text("\n".join(["wave", *lines]) + "\n")
    outputs = []
    for window in (30, 60):
        table, output = rows("series", series, "--window", window)
        assert {entry["feature"] for entry in table} == {"wave"}
        outputs.append((table, output))
    assert outputs[0] != outputs[1]
    assert f"{120 // 30} windows" in outputs[0][1]
    assert f"{120 // 60} windows" in outputs[1][1]
    first, again, other = (
        rows("series", series, "--window", 10, "--seed", seed)[0] for seed in (0, 0, 1)
    )
    assert first == again != other
    page, figure = tmp_path / "waves.html", tmp_path / "waves.png"
    ran("series", series, "--window", 10, "--report", page, "--figure", figure)
    assert "waves.csv" in page.read_text()
    assert figure.is_file()


# --- ledger


@pytest.fixture
def site(monkeypatch, tmp_path):
    """What the site is written of, in a line; and no word to the figures."""

    def write_site(folder, run, pictures, graph, measured):
        names = [claim.id for claim in run.claims]
        folder.mkdir(exist_ok=True)
        (folder / SITE).write_text(f"{names} {sorted(run.overview)} {graph is None}")
        assert [group.title for group in measured]

    def with_overview(run):
        return dataclasses.replace(run, overview={"a.svg": ""})

    monkeypatch.setattr(sites, "write_site", write_site)
    monkeypatch.setattr(cli_ledger, "with_overview", with_overview)
    monkeypatch.setattr(gallery, "describe", lambda statuses: [])
    monkeypatch.setattr(sites, "require_free", lambda folder, names: None)
    return tmp_path / "site"


BLUR = [claim.id for claim in select("blur")]


@option("ledger", "--paper", "--status", "--json", "--seed")
def test_the_ledger_has_the_rows_of_the_paper_and_the_status():
    assert ids("ledger", "--paper", "blur") == BLUR
    assert ids("ledger", "--paper", "rotrnn") == [
        claim.id for claim in select("rotrnn")
    ]
    table, output = rows(
        "ledger", "--paper", "blur", "--status", "Refuted", "--seed", 5
    )
    refuted = [claim.id for claim in select("blur") if claim.expected == "refuted"]
    assert [entry["id"] for entry in table] == refuted
    assert 0 < len(refuted) < len(BLUR)
    assert "Tier quick, seed 5," in output
    assert "Tier quick, seed 0," in ran("ledger", "--paper", "blur").stdout


@option("ledger", "--html", "--no-figures")
def test_the_ledger_writes_a_site_with_pictures_or_without(site):
    ran("ledger", "--paper", "blur", "--html", site)
    assert (site / SITE).read_text() == f"{BLUR} ['a.svg'] False"
    ran("ledger", "--paper", "blur", "--html", site, "--no-figures")
    assert (site / SITE).read_text() == f"{BLUR} [] False"


@option("ledger", "--schema")
def test_the_ledger_prints_its_schema():
    assert json.loads(ran("ledger", "--schema").stdout) == schema()


def test_the_ledger_writes_a_benchmark_of_a_paper_a_number_and_a_seed(
    monkeypatch, tmp_path
):
    """The seed chooses the misprints, of one paper as of all."""
    calls = []

    def write(folder, contents):
        calls.append((folder, contents))
        return 123

    monkeypatch.setattr(benchmark, "write", write)
    target = tmp_path / "made"
    for more, wanted, planted in (
        ((), Benchmark(), 0),
        (("--planted", 4), Benchmark(planted=4), 4),
        (("--planted", 4, "--seed", 9), Benchmark(planted=4, seed=9), 4),
        (("--paper", "lru"), Benchmark(("lru",)), 0),
        (("--paper", "lru", "--planted", 2, "--seed", 9), Benchmark(("lru",), 2, 9), 2),
    ):
        result = ran("benchmark", "write", target, *more)
        assert calls.pop() == (target, wanted)
        assert result.stdout.startswith(
            f"123 statements to judge in {target}, {planted} of them with a deliberate "
        )


@option("benchmark write", "--paper", "--planted", "--seed")
def test_a_benchmark_has_its_seed_and_its_misprints_in_its_files(tmp_path):
    texts = {}
    for seed in (1, 2):
        target = tmp_path / str(seed)
        more = ("--paper", "rotrnn", "--planted", 1, "--seed", seed)
        ran("benchmark", "write", target, *more)
        about = json.loads((target / "statements.json").read_text())["benchmark"]
        assert (about["papers"], about["planted"], about["seed"]) == (
            ["rotrnn"],
            1,
            seed,
        )
        texts[seed] = (target / "statements.json").read_text()
    assert texts[1] != texts[2]


# --- benchmark score


@option("benchmark score", "--json")
def test_scores_of_answers_are_printed_and_written_each_under_its_name(
    monkeypatch, tmp_path
):
    marks = Marks(
        sensitivity=Share(3, 13),
        specificity=Share(30, 34),
        precision=Share(3, 4),
        found={"A": Found(1, 8, 9), "planted": Found(2, 5, 7), "none": Found(0, 0, 0)},
        agreement=Share(31, 47),
        unanswered=(2, 3),
        table=Counter({("right", "wrong"): 6}),
        differences=(),
    )
    module = benchmark
    monkeypatch.setattr(
        module, "read_answers", lambda file: (file.name, {"x": "right"})
    )
    monkeypatch.setattr(module, "questions", lambda file: [file])
    monkeypatch.setattr(module, "mark", lambda questions, answers: marks)
    target = tmp_path / "marks.json"
    result = ran("benchmark", "score", "a.json", "--json", target)
    heads = ("errors", "found of answered", "found of all", "above chance", "meaning")
    table = printed(result.stdout, *heads)
    assert [tuple(entry.get(name) for name in heads[:4]) for entry in table] == [
        ("A", "1 of 8", "1 of 9", f"{marks.above_chance('A'):+.2f}"),
        ("planted", "2 of 5", "2 of 7", f"{marks.above_chance('planted'):+.2f}"),
        ("none", "0 of 0", "0 of 0", "-"),
    ]
    low, high = marks.specificity.interval
    assert "30 of 34 answered statements" in result.stdout
    assert f"95 % interval {low:.2f} to {high:.2f}" in result.stdout
    assert f"Balanced accuracy {marks.balanced:.2f} over answered" in result.stdout
    assert f"{marks.balanced_of_all:.2f} over all (5 unanswered)" in result.stdout
    assert "3 of 4 accused statements" in result.stdout
    assert "31 of 47 answers are the ledger's word; 0 differ." in result.stdout
    assert json.loads(target.read_text()) == json.loads(
        json.dumps(module.as_json(marks))
    )


# --- claims


@option("claims", "--paper", "--json")
def test_claims_lists_the_rows_of_the_paper():
    assert ids("claims", "--paper", "blur") == BLUR
    assert ids("claims", "--paper", "rotrnn") == [
        claim.id for claim in select("rotrnn")
    ]
    table = printed(
        ran("claims", "--paper", "blur").stdout,
        "claim",
        "kind",
        "status",
        "title",
        "source",
    )
    shown = {line["claim"]: line for line in table if "claim" in line}
    for claim in select("blur"):
        row = shown[claim.id]
        assert (row["kind"], row["status"]) == (claim.kind, claim.expected)
        assert claim.title.startswith(row["title"])
        assert claim.locator.startswith(row["source"])
