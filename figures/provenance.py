"""The sentences below a figure: findings about its caption, and the origin of its results."""

import json
from collections.abc import Iterator, Mapping

import numpy as np
import xarray as xr

from sigprop.figures.entry import Entry

COMMIT = 7  # letters of one that tell it apart


def sentence(results: Mapping[str, xr.Dataset], entry: Entry | None = None) -> str:
    """Presets, seeds, commits and versions of the results of a figure.

    Args:
        results: By the names of their studies.
        entry: Says what is smaller or other than in the paper; nothing if left out.

    Example:
        >>> attributes = {
        ...     "preset": "paper", "commit": "09c9a119cad9e3f3", "seed": 0,
        ...     "versions": '{"sigprop": "0.1.0", "jax": "0.10.2"}',
        ... }
        >>> sentence({"ring_gain": xr.Dataset(attrs=attributes)})
        'ring_gain: preset paper, seed 0, commit 09c9a11; sigprop 0.1.0, jax 0.10.2.'
    """
    entry = entry or Entry({}, "")
    alike: dict[str, list[str]] = {}
    for study, data in results.items():
        alike.setdefault(_origin(data, bool(entry.reduced)), []).append(study)
    parts = [f"{', '.join(studies)}: {origin}" for origin, studies in alike.items()]
    origins = "; ".join(filter(None, (*parts, _versions(results))))
    return " ".join(filter(None, (f"{origins}.", *_differences(results, entry))))


def _differences(results: Mapping[str, xr.Dataset], entry: Entry) -> Iterator[str]:
    """What is not as in the paper, and how to run what is smaller at full size."""
    reduced = any(data.attrs["preset"] != "full" for data in results.values())
    said = " ".join(filter(None, (reduced * entry.reduced, entry.differs)))
    if said:
        yield f"Difference from the paper: {said}"
    if reduced and entry.full:
        yield f"At the paper's size: {entry.full}"


def findings(by_row: Mapping[str, str]) -> str:
    """Return what the ledger says of a figure's rows, a sentence for each.

    Args:
        by_row: Title and finding, as ``sigprop.experiments.statuses.current`` gives them,
            by the ids of the rows.

    Example:
        >>> findings({"lru:fig3": "Small phases help: confirmed", "lru:fig5": "not judged"})
        'Small phases help: confirmed (lru:fig3). Not judged: lru:fig5.'
    """
    from sigprop.experiments.statuses import NOT_JUDGED

    unjudged = [row for row, text in by_row.items() if text == NOT_JUDGED]
    parts = [f"{text} ({row})." for row, text in by_row.items() if row not in unjudged]
    if unjudged:
        parts.append(f"Not judged: {', '.join(unjudged)}.")
    return " ".join(parts)


def _origin(data: xr.Dataset, reduced: bool) -> str:
    """The size, seeds and commit; a size is the paper's only where the paper has it."""
    preset = data.attrs["preset"]
    size = (
        "smaller than in the paper"
        if reduced and preset == "paper"
        else f"preset {preset}"
    )
    commit, _, changed = data.attrs.get("commit", "unknown").partition("-")
    revision = f"commit {commit[:COMMIT]}{' with changes' * bool(changed)}"
    return ", ".join(filter(None, (size, _seeds(data), revision)))


def _seeds(data: xr.Dataset) -> str:
    """Name the seeds of a sweep or study; empty if no random numbers were drawn."""
    if "seed" in data.coords:
        count = len(np.unique(data["seed"]))
        return f"{count} seed{'s' * (count > 1)}"
    seed = int(data.attrs.get("seed", -1))
    return f"seed {seed}" if seed >= 0 else ""


def _versions(results: Mapping[str, xr.Dataset]) -> str:
    """Versions that are known, each once; sigprop's first."""
    versions = {
        f"{name} {version}"
        for data in results.values()
        for name, version in json.loads(data.attrs.get("versions", "{}")).items()
        if name in ("sigprop", "jax") and version != "unknown"
    }
    return ", ".join(sorted(versions, reverse=True))
