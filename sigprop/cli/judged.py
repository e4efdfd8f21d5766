"""Judge rows as a user's commands do, under a progress bar."""

import time
from typing import TYPE_CHECKING, Any

from sigprop.numerics.programs import keep_for_user

if TYPE_CHECKING:
    from rich.console import Console


def judge(
    chosen: Any, how: dict[str, Any], device: str, out: "Console"
) -> tuple[Any, float]:
    """Judge claims under a bar on ``out``, and hold them against what they announce.

    Returns the ledger, and the seconds that imports took before it.
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
