"""Verdicts for commands: computed under a progress bar, or from the last run."""

import time
from typing import TYPE_CHECKING, Any

from sigprop.numerics.programs import keep_for_user

if TYPE_CHECKING:
    from rich.console import Console


def judge(
    chosen: Any, how: dict[str, Any], device: str, out: "Console"
) -> tuple[Any, float]:
    """Judge claims under a progress bar, and compare them with their expected statuses.

    Returns:
        The ledger, and the seconds that imports took before the run.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    keep_for_user()
    began = time.perf_counter()
    from sigprop.experiments.rows import row
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


def stored() -> Any:
    """Return a ledger of the newest stored verdicts, without the numbers behind them.

    Raises:
        ValueError: If no verdicts are stored, or the result is damaged.
    """
    from sigprop.experiments import statuses
    from sigprop.experiments.rows import row
    from sigprop.judge.mutants import Scores
    from sigprop.judge.run import versions
    from sigprop.judge.statuses import finish
    from sigprop.ledger.catalogue import routes_of
    from sigprop.ledger.entries import Entry, Ledger
    from sigprop.theory.claims import registry

    data = statuses.newest()
    if data is None:
        raise ValueError(
            "need verdicts, got none that are stored; `sigprop ledger` reaches them"
        )
    status = data["status"].to_series().to_dict()
    entries = []
    for claim in registry().values():
        if claim.id in status:
            judged = row(claim.id)
            bare = finish(judged, [], Scores(), 0.0)
            known = {"status": status[claim.id], "routes": routes_of(judged)}
            entries.append(
                Entry(**{**vars(bare), **known}, expected=str(claim.expected))
            )
    return Ledger(
        claims=tuple(entries),
        tier="quick",
        margin=0.05,
        alpha=0.0,
        beta=0.0,
        seed=int(data.attrs["seed"]),
        device="cpu",
        dtype="float64",
        versions=versions(),
        seconds=0.0,
        stored=data.attrs["created"].partition("T")[0],
    )
