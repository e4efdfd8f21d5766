"""The status of every row of the ledger, as it was measured, for the pictures.

Beside each status stands a digest of the files that the row is made of, so that a reader
can tell whether it is older than they are.

Source: the rows of ``sigprop.theory.papers``, judged by ``sigprop.evidence``.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from sigprop.experiments import store
from sigprop.experiments.command import main
from sigprop.numerics.paths import file_of, on_disk
from sigprop.theory.claims import PAPERS, home, select

STUDY, VERSION = "statuses", 1
CHANGED = ", before its files changed"
UNKNOWN = "not judged"


@dataclass(frozen=True)
class Config:
    """Papers to judge, and the seed.

    Attributes:
        papers: Keys of ``sigprop.theory.claims.PAPERS``.
        seed: Moves every simulation.
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
    return table({claim.id: str(claim.status) for claim in run.claims})


def table(statuses: Mapping[str, str]) -> xr.Dataset:
    """Statuses by the ids of their rows, with the file of each and its digest."""
    files = [file_of(home(row)) for row in statuses]
    columns = {
        "status": ([*statuses.values()], "a value of sigprop.theory.claims.Status"),
        "file": (files, "path from the root of the repository"),
        "digest": ([digest(file) for file in files], "SHA-256"),
    }
    return xr.Dataset(
        {
            name: ("row", np.array(values, str), {"units": units})
            for name, (values, units) in columns.items()
        },
        {"row": [*statuses]},
        {"dtype": "none"},
    )


def keep(statuses: Mapping[str, str], seed: int) -> Path:
    """Store the statuses of all rows after a run."""
    return store.save(
        STUDY, VERSION, Config(seed=seed), table(statuses), preset="quick"
    )


def digest(file: str) -> str:
    """Hash a file of rows together with the file of evidence that judges them.

    Args:
        file: Such as ``theory/papers/lru/ring.py``; a missing file counts as empty.
    """
    evidence = file.replace("theory/papers", "sigprop/evidence", 1)
    both = [on_disk(file), on_disk(evidence)]
    content = b"".join(path.read_bytes() for path in both if path.is_file())
    return hashlib.sha256(content).hexdigest()


def current(rows: Iterable[str]) -> dict[str, str]:
    """The statuses of some rows in the newest stored run, by their ids.

    A status that is older than the files of its row says so.  A row without a status is
    ``not judged``.  If the folder of results has no run, the run that comes with the code
    is read.

    Raises:
        ValueError: If the result is damaged; names the file and what to do.
    """
    runs = [
        (attributes["created"], file)
        for file, attributes in store.stored(STUDY)
        if attributes["preset"] != "smoke" and int(attributes["version"]) == VERSION
    ]
    try:
        data = store.read(max(runs)[1]) if runs else store.shipped(STUDY)
        known = data.to_dataframe().to_dict("index")
    except FileNotFoundError:
        known = {}
    return {row: _status(known.get(row)) for row in rows}


def _status(stored: dict[str, str] | None) -> str:
    if stored is None:
        return UNKNOWN
    return stored["status"] + CHANGED * (stored["digest"] != digest(stored["file"]))


if __name__ == "__main__":
    main(STUDY)
