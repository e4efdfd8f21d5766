"""The page of a row keeps its address: names are pinned beside this file."""

import dataclasses
import json
from pathlib import Path

from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.ledger.addresses import address
from sigprop.ledger.entries import rows
from sigprop.ledger.schema import VERSION, schema
from sigprop.ledger.site import INDEX, page_names
from sigprop.theory.claims import PAPERS, registry
from tests.sigprop.ledger.test_report import EVERYTHING

PINNED = Path(__file__).with_name("pages.txt")


def test_no_page_has_moved():
    pinned = PINNED.read_text().splitlines()
    assert pinned == sorted({*pinned})
    addresses = {address(claim_id) for claim_id in registry()}
    assert {*pinned} - addresses == set(), "a page is gone: links to it would break"
    assert len(addresses) == len(registry())


def test_an_address_is_the_name_of_the_page():
    names = page_names(registry())
    assert {address(claim_id) for claim_id in registry()} < {*names} - {INDEX}
    assert len(names) == len({*names})


def test_a_page_shows_the_id_that_stays(site, run):
    for claim in run.claims:
        text = (site / address(claim.id)).read_text()
        assert f">{claim.id}<" in text, claim.id


def test_rows_have_the_form_that_the_schema_gives():
    some = [
        dataclasses.replace(claim, kind="moment")
        for claim in EVERYTHING.claims
        if claim.paper in PAPERS
    ]
    grounds = {some[0].id: {"zucchet:34": "lemma"}}
    content = json.loads(json.dumps(rows(some, grounds)))
    validator = Draft202012Validator(schema())
    assert [*validator.iter_errors(content)] == []
    assert schema()["version"] == VERSION == "2.0"
    assert [row["address"] for row in content] == [
        address(row["id"]) for row in content
    ]
    for spoilt in ({"address": 1}, {"status": "true"}, {"mutants": -1}, {"more": 1}):
        assert [*validator.iter_errors([content[0] | spoilt])] != [], spoilt
    assert [row["rests_on"] for row in content[:2]] == [["zucchet:34"], []]
    assert "rests_on" not in rows(some)[0]
    del content[0]["address"]
    assert [*validator.iter_errors(content)] != []


def test_the_command_prints_the_schema_of_rows_and_errata():
    printed = CliRunner().invoke(app, ["ledger", "--schema"])
    assert printed.exit_code == 0
    content = json.loads(printed.stdout)
    assert content == schema()
    assert {"row", "errata"} <= {*content["$defs"]}
