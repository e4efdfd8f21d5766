"""Rows with what judges them, as a user's commands do: stored results included."""

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from sigprop import evidence
from sigprop.judge.basis import Row
from sigprop.numerics.programs import keep_for_user

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console


@cache
def shipped(sweep: str) -> "xr.Dataset":
    """The result of a sweep that comes with the code: ``sigprop.experiments.store.shipped``."""
    from sigprop.experiments import store

    return store.shipped(sweep)


def row(claim_id: str) -> Row:
    """A claim with what it is judged on; results come from those of the code.

    Raises:
        KeyError: If there is no such claim; the message suggests the nearest.
    """
    return evidence.row(claim_id, shipped)


def judge(
    chosen: Any, how: dict[str, Any], device: str, out: "Console"
) -> tuple[Any, float]:
    """Judge claims under a bar on ``out``, and hold them against what they announce.

    Returns the ledger, and the seconds that imports took before it.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    keep_for_user()
    began = time.perf_counter()
    from sigprop.judge.run import verify as judge_rows
    from sigprop.ledger.entries import announced
    from sigprop.numerics.devices import use_device
    from sigprop.numerics.garbage import collect_seldom

    collect_seldom()
    loaded = time.perf_counter() - began
    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with (
        use_device(device),
        Progress(*columns, console=out, transient=True) as bar,
    ):
        stages: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bar.add_task(stage, total=total)
            bar.update(stages[stage], completed=done, total=total)

        rows = [row(claim.id) for claim in chosen]
        run = judge_rows(rows, progress=progress, again=row, **how)
    return announced(run, chosen), loaded
