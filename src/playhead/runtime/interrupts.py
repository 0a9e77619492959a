"""Ctrl-C at moments when it would be lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from types import FrameType
from typing import TypeVar

_Found = TypeVar("_Found")
#: Seconds between two attempts to stop a call.
_POLL = 0.1


def apart(run: Callable[[], _Found], stop: Callable[[], object] = lambda: None) -> _Found:
    """Return what `run` returns, in a thread of its own; after Ctrl-C call `stop` until it has ended.

    Ctrl-C reaches Python code of the main thread only: DuckDB drops it there, or takes it for another error.
    """
    if current_thread() is not main_thread():
        return run()
    outcome: list[_Found] = []
    failure: list[BaseException] = []

    def keep() -> None:
        try:
            outcome.append(run())
        except BaseException as error:
            failure.append(error)
        done.set()

    done = Event()  # an interrupt during `Thread.join` would make a second one return at once
    begun = False
    try:
        with held_back():  # a thread that nobody waits for would abort the process at its end
            Thread(target=keep, daemon=True).start()
            begun = True
        done.wait()
    except BaseException:
        while begun and not done.wait(_POLL):
            stop()
        raise
    if failure:
        raise failure.pop()
    return outcome.pop()


@contextmanager
def held_back() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended: compiled packages that begin drop it, or take it for another
    error."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or current_thread() is not main_thread():
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *given: came.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        handler(*came[0])
