"""The front door: what each command prints, writes and answers to bad input."""

import json
import re

import jax
import pytest

from sigprop.cli import console
from sigprop.theory.claims import PAPERS, registry
from tests.command import sigprop
from tests.rows import row as row_of

KEYS = {"id", "paper", "kind", "status", "routes", "results", "mutants", "killed"}
RESULT_KEYS = {"route", "point", "value", "low", "high", "verdict"}
QUICK = ("zucchet:42", "zucchet:75")  # a kernel and a definition: nothing to simulate


def refused(*arguments):
    """The message of a command that refuses its input."""
    result = sigprop(*arguments)
    assert result.exit_code == console.BAD_INPUT, result.output
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stderr


@pytest.mark.parametrize(
    "command", ["verify", "ledger", "claims", "show", "figure", "models"]
)
def test_help_names_every_command_and_each_has_its_own(command):
    assert command in sigprop("--help").output
    result = sigprop(command, "--help")
    assert result.exit_code == 0
    assert (
        f"sigprop {command}" in result.output or f"{command} [OPTIONS]" in result.output
    )


def test_no_arguments_give_help():
    assert "Usage" in sigprop().output


def test_claims_lists_every_id_with_its_status():
    result = sigprop("claims")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    for claim in registry().values():
        (line,) = [line for line in lines if line.split()[:1] == [claim.id]]
        assert str(claim.expected) in line


def test_claims_of_one_paper_leave_the_others_out():
    result = sigprop("claims", "--paper", "lru")
    assert "lru:prop3.3" in result.output
    assert "zucchet" not in result.output


def test_claims_write_json_with_the_shared_keys(tmp_path):
    path = tmp_path / "claims.json"
    assert sigprop("claims", "--paper", "lru", "--json", path).exit_code == 0
    rows = json.loads(path.read_text())
    assert [row["id"] for row in rows] == [
        key for key, claim in registry().items() if claim.paper == "lru"
    ]
    for row in rows:
        claim = registry()[row["id"]]
        assert set(row) >= KEYS
        assert (row["paper"], row["expected"]) == ("lru", claim.expected)
        assert row["kind"] == claim.kind
        judged = [row[name] for name in ("status", "mutants", "killed", "results")]
        assert judged == [None, None, None, []]
        assert bool(row["routes"]) == (row_of(claim.id).basis is not None)
    assert list(tmp_path.iterdir()) == [path]


def test_show_tells_what_a_claim_rests_on():
    result = sigprop("show", "zucchet:59")
    assert result.exit_code == 0
    for text in ("Eq. 59", "expected refuted", "corrected", "derivation", "detectable",
                 "sigprop/neuron/stable.py", "of 199 refuted", "rho=0.9",
                 "rho = 0.5: printed 519.7, true 778.1"):  # fmt: skip
        assert text in result.output
    assert len(result.output.splitlines()) > 30


EVERY_NINTH = [*list(registry())[::9], "zucchet:74", "lru:prop3.3", "lru:lemma3.2"]


@pytest.mark.parametrize("claim_id", EVERY_NINTH)
@pytest.mark.sampled(5)
def test_show_knows_every_claim(claim_id):
    result = sigprop("show", claim_id)
    assert result.exit_code == 0
    assert registry()[claim_id].title in result.output
    assert "unknown" not in result.output


UNKNOWN = re.compile(
    r"^sigprop: no claim 'zucchet:590'; did you mean .*zucchet:59\b.*\?"
)


@pytest.mark.parametrize("command", [("show",), ("verify", "--claim")], ids=" ".join)
def test_an_unknown_claim_is_refused_with_the_nearest(command):
    message = refused(*command, "zucchet:590")
    assert UNKNOWN.match(message)
    assert message.endswith("`sigprop claims` lists them all\n")


BAD = [
    (
        ("verify", "--claim", "zucchet:42", "--tier", "slow"),
        "sigprop: need a tier in ('quick', 'headline'), got 'slow'\n",
    ),
    (
        ("verify", "--paper", "hochreiter"),
        f"sigprop: need a paper in {', '.join(PAPERS)}, got 'hochreiter'\n",
    ),
    (
        ("claims", "--paper", "hochreiter"),
        f"sigprop: need a paper in {', '.join(PAPERS)}, got 'hochreiter'\n",
    ),
    (
        ("ledger", "--status", "wrong"),
        "sigprop: need a status in definition, proved, confirmed, conditional, refuted, "
        "undecided, not-checkable, got 'wrong'\n",
    ),
    (
        ("verify", "--claim", "zucchet:42", "--device", "tpu"),
        "sigprop: need a device in ('cpu', 'gpu'), got 'tpu'\n",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[m for _, m in BAD])
def test_bad_input_is_refused_in_one_line(arguments, message):
    assert refused(*arguments) == message


def test_a_device_that_is_not_there_is_refused():
    if any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("this machine has a GPU")
    message = refused("verify", "--claim", "zucchet:42", "--device", "gpu")
    assert message == (
        f"sigprop: no gpu is available to JAX {jax.__version__}; run "
        "`pip install 'sigprop[cuda]'` on a machine with a CUDA device, or use --device cpu\n"
    )


@pytest.mark.parametrize("seed", [-1, 2**70], ids=["negative", "too large"])
def test_a_seed_that_no_generator_takes_is_refused(seed):
    message = refused("verify", "--claim", "lru:lemma3.2", "--seed", seed)
    assert "seed" in message
    assert str(seed) in message


@pytest.fixture
def no_work(monkeypatch):
    """Fails a test that gets as far as judging a claim."""
    import sigprop.judge.run

    def judged(*arguments, **more):
        raise AssertionError("the work began")

    monkeypatch.setattr(sigprop.judge.run, "verify", judged)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("option", ["--report", "--json"])
def test_a_path_that_cannot_be_written_is_refused_before_the_work(option, tmp_path):
    path = tmp_path / "no" / "such" / "folder" / "file"
    assert refused("verify", "--claim", "zucchet:42", option, path) == (
        f"sigprop: cannot write {path}: No such file or directory; choose a folder that "
        "exists and that you may write to\n"
    )
    assert refused("verify", "--claim", "zucchet:42", option, tmp_path) == (
        f"sigprop: need a file to write, got the folder {tmp_path}; add a file name\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("no_work")
def test_the_guard_of_the_work_can_fail(tmp_path):
    result = sigprop("verify", "--claim", "zucchet:42", "--json", tmp_path / "file")
    assert isinstance(result.exception, AssertionError)


def test_claims_to_a_path_that_cannot_be_written_are_refused(tmp_path):
    message = refused("claims", "--json", tmp_path / "no" / "file")
    assert "No such file or directory" in message


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    options = [part for claim_id in QUICK for part in ("--claim", claim_id)]
    files = ("--json", folder / "run.json", "--report", folder / "run.html")
    return sigprop("verify", *options, *files), folder


def test_verify_says_what_it_found_and_exits_with_zero(verified):
    done, _ = verified
    assert done.exit_code == console.EXPECTED, done.output
    assert (
        "1 of 1 verdicts are as expected; rows without a verdict: 1 definition. Tier quick"
        in done.output
    )
    for claim_id in QUICK:
        assert claim_id in done.output


def test_verify_writes_json_with_the_shared_keys(verified):
    _, folder = verified
    rows = json.loads((folder / "run.json").read_text())
    assert [row["id"] for row in rows] == list(QUICK)
    for row in rows:
        assert set(row) >= KEYS
        assert row["as_expected"] is True
        assert row["results"]
        for result in row["results"]:
            assert set(result) >= RESULT_KEYS
            assert result["verdict"] == "confirmed"


def test_verify_writes_a_report_that_names_its_claims(verified):
    _, folder = verified
    page = (folder / "run.html").read_text()
    assert page.startswith(("<!doctype html>", "<!DOCTYPE html>"))
    for claim_id in QUICK:
        assert claim_id in page
    assert sorted(path.name for path in folder.iterdir()) == [
        "run.html",
        "run.json",
        "run.md",
        "run.png",
    ]


def test_an_unexpected_verdict_exits_with_one(monkeypatch):
    import dataclasses

    from sigprop.theory import claims

    wrong = dataclasses.replace(registry()["zucchet:42"], expected="confirmed")
    monkeypatch.setattr(claims, "select", lambda paper, ids=(): (wrong,))
    result = sigprop("verify", "--claim", "zucchet:42")
    assert result.exit_code == console.UNEXPECTED
    assert re.search(r"^zucchet:42 +proved +confirmed ", result.output, re.M)
    assert "0 of 1 verdicts are as expected" in result.output


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("verify", ["verify"]),
        ("ledger", ["ledger"]),
        ("claims", ["show", "zucchet:42"]),
    ],
)
def test_what_judges_compiles_quickly(monkeypatch, module, command):
    def compiles_quickly():
        raise ValueError("before any program is compiled")

    monkeypatch.setattr(f"sigprop.cli.{module}.compile_quickly", compiles_quickly)
    monkeypatch.setattr("sigprop.cli.judged.judge", None)
    assert "before any program is compiled" in refused(*command)


def test_what_judges_collects_seldom(monkeypatch):
    def collects_seldom():
        raise ValueError("before any row is judged")

    monkeypatch.setattr("sigprop.numerics.garbage.collect_seldom", collects_seldom)
    assert "before any row is judged" in refused("verify", "--claim", "zucchet:42")


def test_an_interruption_exits_with_130(monkeypatch):
    from sigprop.theory import claims

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(claims, "select", interrupted)
    result = sigprop("verify")
    assert result.exit_code == console.INTERRUPTED
    assert "interrupted; nothing was written" in result.stderr


def test_models_lists_the_papers_networks_with_their_parameters():
    result = sigprop("models", "--paper", "lru")
    assert result.exit_code == 0
    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert rows["lru-scifar"].split()[-1] == "7,893,770"
    assert "rotrnn-speech" not in rows
    message = "sigprop: need a paper in lru, rotrnn, blur, zucchet, got 'lur'\n"
    assert refused("models", "--paper", "lur") == message


LEDGER_KEYS = KEYS | {
    "statement",
    "printed",
    "corrected",
    "condition",
    "counterexample",
    "code",
    "seconds",
    "as_extracted",
    "uncounted",
    "rests_on",
}


@pytest.fixture
def few_rows(monkeypatch):
    """A ledger of three rows."""
    from sigprop.theory import claims

    few = claims.select(ids=("zucchet:42", "zucchet:75", "lru:4"))
    monkeypatch.setattr(claims, "select", lambda paper=None: few)


@pytest.mark.usefixtures("few_rows")
def test_the_ledger_lists_rows_and_writes_json_and_a_site(tmp_path):
    json_file, site = tmp_path / "rows.json", tmp_path / "site"
    result = sigprop("ledger", "--json", json_file, "--html", site)
    assert result.exit_code == 0, result.output
    for text in ("zucchet:42", "lru:4", "refuted", "1 refuted", "2 of 2 verdicts"):
        assert text in result.output
    rows = json.loads(json_file.read_text())
    assert [row["id"] for row in rows] == ["zucchet:42", "zucchet:75", "lru:4"]
    for row in rows:
        assert set(row) >= LEDGER_KEYS
        assert isinstance(row["mutants"], int)
        assert row["printed"] == row["statement"]
    assert "sigprop.theory.diagonal.state_kernel" in rows[0]["rests_on"]
    assert (site / "lru-4.html").exists()
    assert 'href="zucchet-75.html"' in (site / "blueprint-zucchet.html").read_text()
    assert sigprop("ledger", "--html", site).exit_code == 0


@pytest.mark.usefixtures("few_rows")
def test_the_ledger_shows_one_status(tmp_path):
    file = tmp_path / "rows.json"
    result = sigprop("ledger", "--status", "refuted", "--json", file)
    assert result.exit_code == 0
    assert [row["id"] for row in json.loads(file.read_text())] == ["lru:4"]
    assert "zucchet:42" not in result.output


def test_a_folder_that_holds_something_else_is_refused_before_the_work(
    tmp_path, no_work
):
    (tmp_path / "index.html").write_text("mine")
    message = refused("ledger", "--html", tmp_path)
    assert message.startswith(f"sigprop: need a place for {tmp_path / 'index.html'}")
    assert (tmp_path / "index.html").read_text() == "mine"
