"""Reports of a study's progress, at most one every few seconds."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

PAUSE = 5.0  # least number of seconds between two lines
Item = TypeVar("Item")
_listener: ContextVar[Callable[[str], None]] = ContextVar(
    "listener", default=lambda line: None
)


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Send the lines of the enclosed work to a function."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def counter(total: int, name: str) -> Callable[[], None]:
    """Return a function to call after each step of long work.

    It reports the number of finished steps and the remaining time at the mean pace.

    Args:
        total: Number of all steps.
        name: Name of the steps, in the plural.
    """
    began = last_report = time.monotonic()
    done = 0

    def tick() -> None:
        nonlocal last_report, done
        done += 1
        now = time.monotonic()
        if done < total and now - last_report >= PAUSE:
            last_report = now
            left = (now - began) / done * (total - done)
            _listener.get()(f"  {done} of {total} {name}, {left:.0f} s left")

    return tick


def counted(items: Iterable[Item], name: str) -> Iterator[Item]:
    """Iterate over items, and report the progress."""
    every = list(items)
    tick = counter(len(every), name)
    for item in every:
        yield item
        tick()
