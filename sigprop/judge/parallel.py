"""Judge the claims that bring their own check, here and in a second process.

Most of the time goes into tracing and algebra, which one process does on one core.  The
second process hears no Ctrl-C, and ends as soon as the first does not need it or is gone.
"""

import importlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from types import ModuleType

import jax

from sigprop.judge import evidence
from sigprop.judge.mutants import Score
from sigprop.judge.results import ClaimResult, RouteResult
from sigprop.judge.statuses import finish
from theory.claims import Claim, find

Progress = Callable[[str, int, int], None]
Results = dict[str, ClaimResult]
STAGE, CHUNK = "checks", 4  # claims that travel together


def check(claim: Claim, seed: int) -> ClaimResult:
    """Judge one claim by its evidence, by its check, or not at all."""
    if not claim.quantity:
        return finish(claim, [], Score(0, ()), 0.0)
    began = time.perf_counter()
    if claim.evidence is not None:
        judged = evidence.judge(claim)
        results, score, example = judged
    else:
        results, score = check_results(claim, seed), _place(claim).score(claim)
        wrong = [r for r in results if r.form == "printed" and r.verdict == "refuted"]
        example = f"At {wrong[0].point} the statement fails." if wrong else None
    seconds = time.perf_counter() - began
    return finish(claim, list(results), score, seconds, example)


def check_results(claim: Claim, seed: int) -> tuple[RouteResult, ...]:
    """Results of the routes of a claim that brings its own check."""
    name = claim.quantity.rpartition(".")[2]
    return getattr(_place(claim), name)(claim, seed)


def _place(claim: Claim) -> ModuleType:
    module = claim.quantity.removeprefix("sigprop.").rpartition(".")[0]
    return importlib.import_module(f"sigprop.{module}")


def _check_all(ids: list[str], seed: int) -> list[ClaimResult]:
    """Judge registered claims in a process of their own, on its CPU."""
    jax.config.update("jax_platforms", "cpu")
    found = [check(find(claim_id), seed) for claim_id in ids]
    jax.clear_caches()
    return found


@contextmanager
def checking(
    claims: list[Claim], seed: int, apart: bool, progress: Progress
) -> Iterator[Callable[[], Results]]:
    """Begin to judge claims; what it yields waits for them, and helps.

    A second process starts from the front, the caller comes from the back.

    Args:
        claims: All of them; with ``apart``, registered ones.
        seed: Of the run.
        apart: Whether to start the process.
        progress: Called with the stage, what is done and the total.
    """
    chunks = [claims[at : at + CHUNK] for at in range(0, len(claims), CHUNK)]
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        done += count
        progress(STAGE, done, len(claims))

    def here(chunk: list[Claim]) -> Results:
        found = {}
        for claim in chunk:
            found[claim.id] = check(claim, seed)
            tick(1)
        return found

    def alone() -> Results:
        return {key: one for chunk in chunks for key, one in here(chunk).items()}

    if not apart or len(chunks) < 2:
        yield alone
        return
    with _second_process() as pool:
        with _interrupts_later():  # whatever starts now inherits it for good
            waiting = [
                pool.submit(_check_all, [claim.id for claim in chunk], seed)
                for chunk in chunks
            ]

        def together() -> Results:
            found: Results = {}
            places = list(zip(waiting, chunks, strict=True))
            while places and places[-1][0].cancel():
                found |= here(places.pop()[1])
            for future, _ in places:
                found |= _collect(future, tick)
            return found

        yield together


@contextmanager
def _second_process() -> Iterator[ProcessPoolExecutor]:
    """A pool of one, which is not waited for where the caller fails or is interrupted."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=_end_with_the_first) as pool:
        try:
            yield pool
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
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
    """Begin to watch the process that started this one, which may be killed."""
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
    return {one.id: one for one in results}
