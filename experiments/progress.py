"""Reports of a study's progress, at most one every few seconds."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

PAUSE = 5.0  # seconds from one line to the next, at least
Item = TypeVar("Item")
_listener: ContextVar[Callable[[str], None]] = ContextVar(
    "listener", default=lambda line: None
)


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Let a function hear the lines of what runs inside."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def counter(total: int, name: str) -> Callable[[], None]:
    """A function to be called after each step of long work.

    It says how many are done, and how long the others take at the pace until then.

    Args:
        total: Steps in all.
        name: What a step is about, in the plural.
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
    """The items; each counts as a step that is done when the next is asked for."""
    every = list(items)
    tick = counter(len(every), name)
    for item in every:
        yield item
        tick()
