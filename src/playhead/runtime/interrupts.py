"""Ctrl-C at moments when it would be lost."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def held_back() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended: compiled packages that begin, and DuckDB while it looks for
    others, drop it or take it for another error."""
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
