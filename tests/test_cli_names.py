"""Which seeds, sizes and names the command line takes, and in what order it has commands."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer

from sigprop.cli import help as cli_help
from sigprop.cli import main as cli
from sigprop.cli import train as cli_train
from sigprop.judge import forecast
from sigprop.theory.claims import PAPERS, find, registry
from tests.command import refused, sigprop
from tests.rows import row

ROOT = Path(__file__).parents[1]

# --- seeds and sizes ----------------------------------------------------------------


@pytest.fixture
def no_work(monkeypatch):
    """Fails a test that gets as far as judging a claim."""
    import sigprop.judge.run

    def judged(*arguments, **more):
        raise AssertionError("the work began")

    monkeypatch.setattr(sigprop.judge.run, "verify", judged)


SEEDED = [("verify",), ("series", "x.csv"), ("ledger",), ("train", "digits")]


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("command", SEEDED, ids=" ".join)
@pytest.mark.parametrize("seed", [-1, 2**32, 2**70])
def test_every_command_takes_the_same_seeds(command, seed):
    line = refused(*command, "--seed", seed)
    assert line == f"sigprop: need 0 <= seed < 2**32, got seed={seed}"


def test_the_last_of_several_seeds_counts_too(monkeypatch):
    def trained(*arguments):
        raise AssertionError("the work began")

    monkeypatch.setattr(cli_train, "_once", trained)
    line = refused("train", "digits", "--seed", 2**32 - 2, "--seeds", 3)
    assert "need 0 <= seed < 2**32, got seed=4294967294 and 2 more" in line
    assert "need one seed or more, got 0" in refused("train", "digits", "--seeds", 0)


@pytest.mark.usefixtures("no_work")
def test_more_samples_than_a_day_draws_are_refused_with_what_they_would_take(
    monkeypatch,
):
    monkeypatch.setattr(
        forecast, "trial", lambda work, batch, n: forecast.Forecast(n, n / batch, n)
    )
    command = ("verify", "--claim", "zucchet:48", "--samples", 10**15)
    line = refused(*command)
    assert re.fullmatch(
        r"sigprop: need less than [1-9]e\+15 trajectories, an expected [\d.e+]+ years and "
        r"[\d.e+]+ GiB: more than a day; lower --samples, judge fewer claims, or add --yes",
        line,
    ), line
    result = sigprop(*command, "--yes")
    assert "e+15 trajectories, an expected" in result.stderr
    assert str(result.exception) == "the work began"
    assert "need at most 9e+15 samples" in refused(*command[:-1], 10**30)
    assert "too few to decide" in refused(*command[:-1], 10)


@pytest.mark.usefixtures("no_work")
def test_usual_work_is_begun_without_a_trial(monkeypatch):
    def tried(*arguments):
        raise AssertionError("a trial")

    monkeypatch.setattr(forecast, "of_rows", tried)
    result = sigprop("verify", "--claim", "zucchet:48")
    assert str(result.exception) == "the work began"
    result = sigprop("verify", "--claim", "zucchet:48", "--tier", "headline")
    assert str(result.exception) == "a trial"


def test_the_forecast_counts_what_a_run_draws(monkeypatch):
    """The trajectories are those of the jobs of the run, for as many seeds as there are."""
    monkeypatch.setattr(
        forecast, "trial", lambda work, batch, n: forecast.Forecast(n, n / 10, n / 5)
    )
    rows = [row("zucchet:48"), row("zucchet:75")]
    once = forecast.of_rows(rows, "quick", 10**6)
    inputs = {str(point.input) for point in rows[0].basis.points}
    total = len(inputs) * forecast.whole_batches(10**6)
    assert once.n == total
    thrice = forecast.of_rows(rows, "quick", 10**6, seeds=3)
    assert (thrice.n, thrice.seconds) == (3 * once.n, 3 * once.seconds)
    assert thrice.memory == once.memory


# --- commands and names -------------------------------------------------------------


def commands():
    """Every command by the words that call it."""
    group = typer.main.get_command(cli.app)
    by_name = {}
    for name, entry in group.commands.items():
        by_name[name] = entry
        for inner, two in getattr(entry, "commands", {}).items():
            by_name[f"{name} {inner}"] = two
    return by_name


def test_commands_stand_in_the_order_of_use_with_an_example_each():
    assert set(cli_help.EXAMPLES) == set(commands())
    text = sigprop("-h").output
    listed, examples = text.split("Examples:")
    names = []
    for title, group in cli_help.GROUPS.items():
        lines = listed.split(f"{title}:\n")[1].split("\n\n")[0].splitlines()
        names += [line.split()[0] for line in lines]
        assert names[-len(group) :] == [*group]
    examples = [line.strip() for line in examples.splitlines() if line.strip()]
    expected = [name for name in cli_help.EXAMPLES if " " not in name]
    assert names == expected == [line.split()[1] for line in examples]
    assert names[0] == "verify"
    assert sorted(names) != names


@pytest.mark.parametrize("name", cli_help.EXAMPLES)
def test_an_example_is_understood_and_stands_in_its_command_s_help(name):
    example = cli_help.EXAMPLES[name]
    program, *rest = shlex.split(example)
    assert (program, " ".join(rest[: len(name.split())])) == ("sigprop", name)
    for option in ("-h", "--help"):
        result = sigprop(*name.split(), option)
        assert result.exit_code == 0
        assert example in result.output
    command = commands()[name]
    if not hasattr(command, "commands"):
        command.make_context(name, rest[len(name.split()) :])


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert sigprop("--version").output == f"sigprop {version('sigprop')}\n"


@pytest.mark.parametrize("command", ["verify", "ledger", "claims"])
def test_help_names_all_papers(command):
    output = " ".join(sigprop(command, "--help").output.split())
    assert f"Only claims of this paper: {', '.join(PAPERS)}." in output


def test_ids_are_found_whatever_their_case():
    assert len({key.casefold() for key in registry()}) == len(registry())
    for written in ("ZUCCHET:59", " Zucchet:59", "LRU:PROP3.3", "blur:LEMMAa.1"):
        assert find(written).id.casefold() == written.strip().casefold()
    assert sigprop("show", "LRU:Prop3.3").exit_code == 0
    assert "lru:prop3.3" in sigprop("claims", "--paper", "LRU").output
    assert re.search("did you mean .*zucchet:59", refused("show", "ZUCCHET:590"))
    assert "lru-scifar" in sigprop("models", "--paper", "LRU").output
    assert sigprop("table", "LRU-7").exit_code == 0


def test_a_figure_is_found_whatever_its_case(monkeypatch):
    from sigprop.experiments import command, statuses, store
    from sigprop.figures import catalogue

    names = []
    monkeypatch.setattr(statuses, "current", lambda rows: {})
    monkeypatch.setattr(command, "make", lambda *args: names.append(args[0]))
    monkeypatch.setattr(store, "read", lambda file: None)
    monkeypatch.setattr(
        catalogue, "draw_and_save", lambda name, *more, **how: [Path(name)]
    )
    assert sigprop("figure", "ZUCCHET-1A").stdout == "zucchet-1a\n"
    assert names == ["curse_of_memory"]


@pytest.mark.usefixtures("no_work")
def test_one_file_for_two_purposes_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(tmp_path)
    other = "link/x"
    assert refused("verify", "--report", "x", "--json", other) == (
        "sigprop: need a file for --report and another for --json, got link/x for both; "
        "name another"
    )
    Path("x.csv").write_text("x\n1\n")
    assert "need a file for --file and another for --json" in refused(
        "series", "x.csv", "--json", tmp_path / "x.csv"
    )
    assert "--json and another for --html" in refused(
        "ledger", "--json", "site", "--html", "site"
    )
    assert Path("x.csv").read_text() == "x\n1\n"


def test_claims_are_listed_without_judging_or_deriving_them(tmp_path, monkeypatch):
    from sigprop.ledger import catalogue

    def judged(*arguments, **more):
        raise AssertionError("the work began")

    for name in ("make_plans", "score", "precise"):
        monkeypatch.setattr(catalogue, name, judged)
    path = tmp_path / "claims.json"
    result = sigprop("claims", "--json", path)
    assert result.exit_code == 0, result.output
    rows = json.loads(path.read_text())
    assert [row["id"] for row in rows] == list(registry())
    expected = {row["id"]: row["expected"] for row in rows}
    assert expected == {key: str(claim.expected) for key, claim in registry().items()}


def test_routes_that_are_listed_are_those_that_would_be_planned():
    from sigprop.ledger.catalogue import as_json

    for claim_id in ("zucchet:48", "lru:lemma3.2", "zucchet:126", "lru:table4"):
        planned = "monte_carlo" in as_json(row(claim_id))["routes"]
        assert planned == (claim_id in ("zucchet:48", "lru:lemma3.2"))


def test_the_folder_of_trainings_is_left_out_of_the_repository():
    (option,) = (
        parameter
        for parameter in commands()["train"].params
        if "--out" in parameter.opts
    )
    path = f"{option.default}/digits-lru-quick/seed-0/run.json"
    process = subprocess.run(
        ["git", "check-ignore", "-q", "--no-index", path], cwd=ROOT, check=False
    )
    if process.returncode == 128:
        pytest.skip("the tree is not a git checkout")
    assert process.returncode == 0
