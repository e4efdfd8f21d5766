"""Measured statuses of all rows of the ledger, for the figures.

Each status is stored with its finding in words and a digest of the code that decides the row.
The digest shows whether this code has changed since the measurement.

Source: the rows of ``sigprop.theory.papers``, judged by ``sigprop.evidence``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from sigprop.experiments import store
from sigprop.experiments.command import main
from sigprop.judge.digests import digest
from sigprop.judge.findings import NOT_JUDGED, finding
from sigprop.judge.results import ClaimResult
from sigprop.theory.claims import PAPERS, home, select

STUDY, VERSION = "statuses", 2
CHANGED = ", before its code changed"


@dataclass(frozen=True)
class Config:
    """Papers to judge, and the seed.

    Attributes:
        papers: Keys of ``sigprop.theory.claims.PAPERS``.
        seed: Seed of all simulations.
    """

    papers: tuple[str, ...] = tuple(PAPERS)
    seed: int = 0


SMOKE = Config(papers=("rotrnn",))
QUICK = Config()
PAPER = Config(seed=1)


def run(config: Config) -> xr.Dataset:
    """Judge every row of these papers."""
    from sigprop.experiments.rows import row
    from sigprop.judge.run import verify

    rows = [row(claim.id) for paper in config.papers for claim in select(paper)]
    run = verify(rows, seed=config.seed, again=row)
    return table(run.claims)


def table(claims: Iterable[ClaimResult]) -> xr.Dataset:
    """Return a table of statuses by row id, with titles, findings, modules and digests."""
    verdicts = {claim.id: claim for claim in claims}
    modules = {row: home(row) for row in verdicts}
    columns = {
        "status": (
            [str(claim.status) for claim in verdicts.values()],
            "a value of sigprop.theory.claims.Status",
        ),
        "title": ([claim.title for claim in verdicts.values()], "a few words"),
        "finding": ([finding(claim) for claim in verdicts.values()], "a few words"),
        "module": ([*modules.values()], "dotted name"),
        "digest": ([digest(*item) for item in modules.items()], "SHA-256"),
    }
    return xr.Dataset(
        {
            name: ("row", np.array(values, str), {"units": units})
            for name, (values, units) in columns.items()
        },
        {"row": [*verdicts]},
        {"dtype": "none"},
    )


def keep(claims: Iterable[ClaimResult], seed: int) -> Path:
    """Store the statuses of all rows after a run."""
    return store.save(STUDY, VERSION, Config(seed=seed), table(claims), preset="quick")


def current(rows: Iterable[str]) -> dict[str, str]:
    """Return the titles and findings of some rows in the newest stored run, by their ids.

    A finding is marked if the code that decides its row has changed since.  A row without a
    status is ``not judged``.  Without a run in the folder of results, the run that comes with
    the code is read.

    Raises:
        ValueError: If the result is damaged; the message has the file and a command.
    """
    data = newest()
    known = {} if data is None else data.to_dataframe().to_dict("index")
    return {row: _finding(row, known.get(row)) for row in rows}


def newest() -> xr.Dataset | None:
    """Return the newest stored run, else the run that comes with the code, or ``None``.

    Raises:
        ValueError: If the result is damaged; the message has the file and a command.
    """
    runs = [
        (attributes["created"], file)
        for file, attributes in store.stored(STUDY)
        if attributes["preset"] != "smoke" and int(attributes["version"]) == VERSION
    ]
    try:
        return store.read(max(runs)[1]) if runs else store.shipped(STUDY)
    except FileNotFoundError:
        return None


def _finding(row: str, stored: dict[str, str] | None) -> str:
    if stored is None or stored["finding"] == NOT_JUDGED:
        return NOT_JUDGED
    changed = stored["digest"] != digest(row, stored["module"])
    return f"{stored['title']}: {stored['finding']}{CHANGED * changed}"


if __name__ == "__main__":
    main(STUDY)
