"""Judge the rows without a grid, in this process and in a second process.

Most of the time is spent on tracing and algebra, which use one core per process.  The second
process ignores Ctrl-C.  It ends as soon as the first process has ended or does not need it.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait

import jax

from sigprop.judge import evidence
from sigprop.judge.basis import Check, Evidence, Row
from sigprop.judge.mutants import Scores
from sigprop.judge.results import ClaimResult
from sigprop.judge.statuses import finish
from sigprop.numerics.compilation import compile_quickly
from sigprop.numerics.garbage import collect_seldom, let_go

Progress = Callable[[str, int, int], None]
Find = Callable[[str], Row]
Results = dict[str, ClaimResult]
STAGE, CHUNK = "checks", 4  # rows that are sent to the second process together


def check(row: Row, seed: int, tier: str = "quick") -> ClaimResult:
    """Judge one row by its evidence or its check.

    If this raises an error, the error has a note with the id of the row.
    """
    try:
        return _check(row, seed, tier)
    except Exception as error:
        error.add_note(f"while judging {row.claim.id}")
        raise


def _check(row: Row, seed: int, tier: str) -> ClaimResult:
    claim, basis = row.claim, row.basis
    began = time.perf_counter()
    if isinstance(basis, Evidence):
        results, scores, example = evidence.judge(claim, basis)
    elif isinstance(basis, Check):
        results = basis.of_tier(tier)(claim, seed)
        scores = Scores(basis.score(claim))
        wrong = [r for r in results if r.form == "printed" and r.verdict == "refuted"]
        example = f"At {wrong[0].point} the statement fails." if wrong else None
    else:
        return finish(row, [], Scores(), 0.0)
    seconds = time.perf_counter() - began
    return finish(row, list(results), scores, seconds, example)


def _check_all(ids: list[str], again: Find, seed: int, tier: str) -> list[ClaimResult]:
    """Judge rows in a separate process, on the CPU."""
    jax.config.update("jax_platforms", "cpu")
    let_go()
    return [check(again(claim_id), seed, tier) for claim_id in ids]


@contextmanager
def checking(
    rows: list[Row],
    seed: int,
    again: Find | None,
    progress: Progress,
    tier: str = "quick",
) -> Iterator[Callable[[], Results]]:
    """Start judging rows; yield a function that helps and returns the results.

    A second process starts with the first rows, and the caller with the last rows.

    Args:
        rows: Rows to judge.
        seed: Seed of the run.
        again: Function that finds a row by its id in the second process. Without it there
            is no second process.
        progress: Function that receives the stage, the number of rows done and the total.
        tier: Tier of the run.
    """
    chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        done += count
        progress(STAGE, done, len(rows))

    def here(chunk: list[Row]) -> Results:
        results = {}
        for row in chunk:
            results[row.claim.id] = check(row, seed, tier)
            tick(1)
        return results

    def alone() -> Results:
        return {key: result for chunk in chunks for key, result in here(chunk).items()}

    if again is None or len(chunks) < 2:
        yield alone
        return
    with _second_process() as pool:
        with _interrupts_later():  # new processes block the signal permanently
            waiting = [
                pool.submit(
                    _check_all, [row.claim.id for row in chunk], again, seed, tier
                )
                for chunk in chunks
            ]

        def together() -> Results:
            results: Results = {}
            pending = list(zip(waiting, chunks, strict=True))
            while pending and pending[-1][0].cancel():
                let_go()
                results |= here(pending.pop()[1])
            for future, _ in pending:
                results |= _collect(future, tick)
            return results

        yield together


@contextmanager
def _second_process() -> Iterator[ProcessPoolExecutor]:
    """A pool of one process, which is killed if the caller fails or is interrupted."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=_end_with_the_first) as pool:
        try:
            yield pool
        except BaseException:
            for child in set(multiprocessing.active_children()) - before:
                child.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold back SIGINT, which a terminal sends to all of its processes."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_first() -> None:
    """Watch the first process, and end when it ends, also if it is killed.

    Most programs of a row run once, so XLA optimises only the programs that request it.
    """
    compile_quickly()
    collect_seldom()
    first = multiprocessing.parent_process()
    if first is None:
        return

    def watch() -> None:
        wait([first.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _collect(future: Future[list[ClaimResult]], tick: Callable[[int], None]) -> Results:
    results = future.result()
    tick(len(results))
    return {result.id: result for result in results}
