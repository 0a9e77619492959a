"""`Workers`: processes that wait for the next call.

Starting one takes longer than decoding some minutes of a game. They keep the memory of the last call, and end
after a while without one, and with the program.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from threading import Lock, Thread, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import ProcessPoolExecutor

#: Seconds without a call after which the processes end.
IDLE_SECONDS = 60.0


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Parameters of glibc's `mallopt`: return nothing to the kernel, ask it for much at once, map no single blocks.
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_KEEPING = {_M_TRIM_THRESHOLD: (1 << 31) - 1, _M_TOP_PAD: 64 << 20, _M_MMAP_THRESHOLD: 1 << 30}


def _begin_worker() -> None:
    """Let this worker end with its parent, even if that is killed: the queue of calls would stay open.

    Let it keep its memory: a tenth of a call would return it to the kernel and get it again, page by page.
    """
    Thread(target=_wait_for_parent, daemon=True).start()
    if sys.platform == "linux":
        with suppress(ImportError, AttributeError):  # another C library
            import ctypes

            mallopt = ctypes.CDLL(None).mallopt
            for parameter, value in _KEEPING.items():
                mallopt(parameter, value)


def _wait_for_parent() -> None:
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _import(modules: Sequence[str]) -> None:
    for name in modules:
        import_module(name)


class Workers:
    """The processes, which several threads may use at once.

    Attributes:
        pool: the running ones; None before the first call, and after they ended.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.pool: ProcessPoolExecutor | None = None
        self._size = 0
        self._owner = 0
        self._calls = 0
        self._timer: Timer | None = None

    def take(self, count: int) -> ProcessPoolExecutor:
        """Return a pool of at least that many processes, made as they are needed; `give_back` it."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._owner != os.getpid():  # in a fork of the owner
                self.pool, self._owner, self._calls = None, os.getpid(), 0
            if self.pool is None or self._size < count:
                if self.pool is not None:
                    self.pool.shutdown(wait=False)  # it finishes its tasks
                from concurrent.futures import ProcessPoolExecutor
                from multiprocessing import get_context

                # Not fork: the parent may hold threads.
                self.pool = ProcessPoolExecutor(count, get_context("spawn"), _begin_worker)
                self._size = count
            self._calls += 1
            return self.pool

    def prepare(self, count: int, modules: Sequence[str]) -> None:
        """Start that many processes for a call that is about to come, and let each import modules meanwhile; do
        nothing if they run.
        """
        if self.pool is not None and self._owner == os.getpid() and self._size >= count:
            return
        pool = self.take(count)
        for _ in range(count):
            pool.submit(_import, modules)
        self.give_back(pool)

    def give_back(self, pool: ProcessPoolExecutor, *, broken: bool = False) -> None:
        """Note the end of a call; a `broken` pool is not used again."""
        with self._lock:
            self._calls -= 1
            if broken and self.pool is pool:
                self.pool = None
            if not self._calls and self.pool is not None:
                self._timer = Timer(IDLE_SECONDS, self._end, (self.pool,))
                self._timer.daemon = True
                self._timer.start()

    def _end(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._calls or self.pool is not pool:
                return
            self.pool = self._timer = None
        pool.shutdown(wait=False)


WORKERS = Workers()
