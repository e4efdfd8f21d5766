"""A site of few rows, and the browser that reads it."""

import dataclasses

import pytest

from sigprop.cli.pictures import with_overview
from sigprop.evidence.measurements import groups
from sigprop.experiments.rows import shipped
from sigprop.judge.run import verify
from sigprop.ledger import dependence
from sigprop.ledger.entries import announced
from sigprop.ledger.site import write_site
from sigprop.theory.claims import registry, select
from tests.rows import row
from tests.sigprop.ledger.test_report import EVERYTHING, claim, result

WIDE = claim(
    "zucchet:59",
    "refuted",
    title="A title of several lines, " + "and more, " * 12 + "and an end",
    source="Zucchet & Orvieto (2024), Eq. 59, Appendix B.2.2",
    statement=r"\frac{(1-\rho)(1+|\lambda|^2)}{|1-\rho\lambda|^4}",
    corrected=r"\rho^2",
    errata_class="A",
    results=(
        result("monte_carlo", 1.0, half=0.0123456, n=123456789),
        *(
            result("monte_carlo", 1.234567, form="printed", verdict=verdict, point="x")
            for verdict in ("refuted", "inconclusive")
        ),
    ),
)
LONG = claim(
    "lru:text:an-id-as-long-as-the-longest-one",
    "not-checkable",
    "confirmed",
    title="The effect of normalisation, by Eq. 59 and Table 8",
    note="159 runs; 0.59 of them, and 590 more.",
)


@pytest.fixture(scope="session")
def run():
    """Two that are judged in no time, beside the report's own examples."""
    chosen = select(ids=("zucchet:74", "lru:4"))
    judged = announced(verify([row(result.id) for result in chosen]), chosen)
    claims = [
        result
        for result in EVERYTHING.claims
        if result.id not in ("zucchet:74", "lru:4")
    ]
    topics = [
        dataclasses.replace(
            result, topic="ring", id=result.id.replace("sigprop", result.paper)
        )
        for result in (*claims, WIDE, LONG)
    ]
    combined = dataclasses.replace(judged, claims=(*topics, *judged.claims))
    return with_overview(combined)


@pytest.fixture(scope="session")
def graph(run):
    """What the rows of the site rest on, and two more that have no page."""
    ids = dict.fromkeys(
        [*(result.id for result in run.claims), "zucchet:34", "zucchet:55"]
    )
    return dependence.build(
        {claim_id: registry()[claim_id] for claim_id in ids if claim_id in registry()}
    )


@pytest.fixture(scope="session")
def site(run, graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger") / "site"
    write_site(folder, run, graph=graph, measured=groups(shipped))
    return folder
