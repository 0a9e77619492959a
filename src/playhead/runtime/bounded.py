"""Memory and time that a process denies itself, and calls in a process that is killed when they take too long.

The command line bounds itself; servers, which have to live on, ask `CallProcesses`.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, LifoQueue
from threading import Thread, Timer
from typing import TYPE_CHECKING, Any
from weakref import finalize

from playhead.runtime.libraries import pa

if TYPE_CHECKING:
    import subprocess

#: Seconds between two looks at the clock and at who waits.
_POLL = 0.05
#: Resident memory after a call above which the process is replaced: allocators keep some.
_KEPT = 1 << 30


class BoundExceeded(ValueError):
    """A call needed more time or memory than it may."""


def in_words(size: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.3g} GiB"
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


@contextmanager
def confined(
    memory: int | None, seconds: float | None = None, end: Callable[[], None] | None = None
) -> Iterator[None]:
    """Let this process ask for `memory` more bytes at most, and call `end` in a thread after some seconds.

    An allocation beyond that fails, at once and without use of the memory, on systems that count it (Linux).

    Raises:
        BoundExceeded: memory ran out.
    """
    timer = Timer(seconds, end) if seconds is not None and end is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    before = None if memory is None else _limit(memory)
    try:
        yield
    except Exception as error:
        if memory is None or not _is_shortage(error):
            raise
        raise BoundExceeded(f"it needs more than {in_words(memory)} of memory") from None
    finally:
        if before is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, before)
        if timer is not None:
            timer.cancel()


def _limit(memory: int) -> tuple[int, int] | None:
    """Limit the memory that this process may ask for; return the limit before, or None if it is not counted."""
    if "pyarrow" in sys.modules:
        pa.allocate_buffer(1)  # Arrow's allocator asks for 1 GiB at its first use, which must not count
    with suppress(ImportError, OSError, ValueError), open("/proc/self/status", encoding="ascii") as file:
        import resource

        asked = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmData:"))
        before = resource.getrlimit(resource.RLIMIT_DATA)
        most = asked + memory
        for bound in before:
            most = most if bound == resource.RLIM_INFINITY else min(most, bound)
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
        return before
    return None


def _is_shortage(error: BaseException | None) -> bool:
    """Return whether memory ran out: an error of Python, of Arrow, or of DuckDB, which has its own limit too."""
    while error is not None:
        # DuckDB wraps a failed allocation of a thread or of Arrow in other errors.
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
            return True
        if any(words in str(error) for words in ("bad_alloc", "malloc of size", "std::bad_array_new_length")):
            return True
        error = error.__cause__
    return False


def machine_memory() -> int | None:
    """Return the memory of this machine in bytes; None if unknown."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def resident_memory(process: int) -> int | None:
    """Return the resident bytes of a process; None if the system does not report them (only Linux does)."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return None


class CallProcesses:
    """Processes that run calls, each one at a time. They keep what the functions keep between calls, begin with
    their first one, and end with this process.

    Args:
        count: of the processes.
        modules: they import them when they begin.
    """

    def __init__(self, count: int, *modules: str) -> None:
        self._modules = modules
        self._places: list[list[subprocess.Popen[bytes]]] = [[] for _ in range(count)]
        self._idle: LifoQueue[list[subprocess.Popen[bytes]]] = LifoQueue()  # the last has what it needs in memory
        for each in self._places:
            self._idle.put(each)
            finalize(self, _end, each)

    def call(
        self,
        function: Callable[[Any, Callable[[int, int], None]], Any],
        payload: Any,
        seconds: float,
        gone: Callable[[], bool] = lambda: False,
    ) -> Any:
        """Return what a function returns in a process, or raise its error; both are pickled.

        Args:
            seconds: after them the process is killed. Its start, and the wait for calls of other threads, do not
                count.
            gone: asked meanwhile; True kills it.

        Raises:
            BoundExceeded: it was killed, or ended.
        """
        place = None
        while place is None:
            with suppress(Empty):
                place = self._idle.get(timeout=_POLL)
            if place is None and gone():
                raise BoundExceeded("nobody waits for the answer any more")
        try:
            return self._answer(place, function, payload, seconds, gone)
        finally:
            self._idle.put(place)

    def close(self) -> None:
        """End the processes; a call kills the one that runs it, and the next call begins another."""
        for each in self._places:
            _end(each)

    def _answer(
        self,
        running: list[subprocess.Popen[bytes]],
        function: Any,
        payload: Any,
        seconds: float,
        gone: Callable[[], bool],
    ) -> Any:
        if not running or running[0].poll() is not None:
            _end(running)
            running.append(self._begin())
        process = running[0]
        answers: list[tuple[str, Any]] = []
        begun = threading.Event()

        def listen() -> None:
            with suppress(Exception):  # it ended, perhaps in the middle of an answer
                pickle.dump(pickle.dumps((function, payload)), process.stdin)  # type: ignore[arg-type]
                process.stdin.flush()  # type: ignore[union-attr]
                while not answers:
                    kind, content = pickle.load(process.stdout)  # type: ignore[arg-type]
                    begun.set()
                    if kind in ("done", "raised"):
                        answers.append((kind, content))

        listener = Thread(target=listen, daemon=True)
        listener.start()
        try:
            end = None
            while listener.is_alive():
                listener.join(_POLL)
                if end is None and begun.is_set():
                    end = time.monotonic() + seconds
                if gone() or (end is not None and time.monotonic() > end):
                    raise BoundExceeded(f"it was interrupted: it may take {seconds:g} seconds")
            if not answers:
                raise BoundExceeded("its process ended: it needs too much memory, or crashes")
        except BaseException:
            _end(running)
            raise
        if (resident_memory(process.pid) or 0) > _KEPT:
            _end(running)
        kind, content = answers[0]
        if kind == "raised":
            raise content[0]
        return content[0]

    def _begin(self) -> subprocess.Popen[bytes]:
        import subprocess
        import tempfile

        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "playhead.runtime.call_server", *self._modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # this process handles an interrupt at the terminal
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        assert process.stdin is not None
        with suppress(OSError):
            pickle.dump(sys.path, process.stdin)
            pickle.dump(None, process.stdin)
            process.stdin.flush()
        return process


def _end(running: list[subprocess.Popen[bytes]]) -> None:
    while running:
        process = running.pop()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
