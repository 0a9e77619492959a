"""Worker processes that may hang, crash or exhaust memory without affecting other calls.

Every worker has its own pair of pipes. Processes share no queue, so a killed process cannot hold a lock. The pool
knows the call of each worker, so each death has one cause. A call whose process dies is repeated once in a new
process, alone unless it was too slow (other calls may have used up the memory), and then given up.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Self

from playhead.io.scratch import TemporaryFolder
from playhead.runtime.bounded import resident_memory, start_server
from playhead.runtime.records import dataclass, field, replace

#: A function that runs in a worker; takes its argument and a progress callback (bytes done, bytes in all).
Call = Callable[[Any, Callable[[int, int], None]], Any]

_POLL = 0.1
#: Seconds allowed for the start of a process.
_PATIENCE = 300.0
_LOG_TAIL = 4000


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one input; its process is killed when it exceeds one. None means no limit.

    Attributes:
        seconds: total time.
        stall_seconds: time without reading a byte of the input.
        memory: bytes of resident memory.
        calls: inputs after which a process is replaced, so that leaks do not accumulate.
    """

    seconds: float | None = 900.0
    stall_seconds: float | None = 120.0
    memory: int | None = 6 << 30
    calls: int = 500


@dataclass(frozen=True, slots=True)
class Task:
    """One call. Limits apply only to `watched` calls, which are given up after their process dies twice."""

    key: Any
    function: Call
    payload: Any
    watched: bool = True
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class WorkerDeath:
    """Why a process ended without an answer.

    Attributes:
        reason: ``timeout``, ``stalled``, ``memory``, ``killed`` or ``crashed``.
        signal: name of the signal that ended it, if any.
        peak_memory: greatest observed memory in bytes.
        log: end of its standard error.
        seconds: time it had worked.
    """

    reason: str
    signal: str | None
    peak_memory: int | None
    log: str | None
    seconds: float


#: `WorkerDeath.reason` in words.
DEATHS = {
    "timeout": "took longer than allowed",
    "stalled": "stopped consuming bytes",
    "memory": "used more memory than allowed",
    "killed": "its process was killed from outside",
    "crashed": "crashed its process",
}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call: a value, an exception, or the death of its process."""

    task: Task
    value: Any = None
    peak_memory: int | None = None
    error: BaseException | None = None
    log: str = ""
    death: WorkerDeath | None = None


@dataclass(slots=True, eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    log: Path
    #: What it says; None at its end.
    answers: queue.SimpleQueue[tuple[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    calls: int = 0


class Calls:
    """Runs calls in this process, one after the other: for debugging, or if the caller isolates them."""

    def __init__(self) -> None:
        self._pushed: deque[Task] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pushed.clear()

    def start(self, *modules: str) -> None:
        """Start the processes, if there are any, before the first call, and let them import modules."""

    def push(self, task: Task) -> None:
        """Add a call before those of the iterator."""
        self._pushed.append(task)

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        """Run all calls; yield results as they come."""
        while True:
            task = self._pushed.popleft() if self._pushed else next(tasks, None)
            if task is None:
                return
            try:
                result = Result(task, task.function(task.payload, lambda done, total: None))
            except Exception as error:
                result = Result(task, error=error, log=traceback.format_exc()[-_LOG_TAIL:])
            yield result


class Pool(Calls):
    """Worker processes, a thread for each call; a context manager that kills them at its end.

    `run` runs the calls of an iterator, and calls that `push` adds meanwhile.
    """

    def __init__(self, jobs: int, limits: WorkerLimits) -> None:
        super().__init__()
        self._jobs = max(jobs, 1)
        self._limits = limits
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._threads = ThreadPoolExecutor(self._jobs)
        self._is_closed = False
        self._logs = TemporaryFolder("workers")
        self._numbers = count()

    def __exit__(self, *_: object) -> None:
        self._is_closed = True
        for worker in [*self._workers]:
            _kill(worker)
        self._threads.shutdown(cancel_futures=True)
        for worker in [*self._workers]:
            self._dismiss(worker)
        self._logs.cleanup()

    def start(self, *modules: str) -> None:
        while len(self._workers) < self._jobs:
            self._idle.append(self._start(*modules))

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        again: deque[Task] = deque()
        alone: deque[Task] = deque()
        running: set[Future[Result]] = set()
        is_alone = False
        while True:
            while len(running) < self._jobs and not is_alone and not (alone and running):
                is_alone = bool(alone)
                waiting = alone or again or self._pushed
                task = waiting.popleft() if waiting else next(tasks, None)
                if task is None:
                    break
                running.add(self._threads.submit(self._call, task))
            if not running:
                return
            done, running = wait(running, _POLL, FIRST_COMPLETED)
            for result in (each.result() for each in done):
                is_alone = False
                if result.death is None or result.task.attempt > 1:
                    yield result
                else:
                    waiting = again if result.death.reason in ("timeout", "stalled") else alone
                    waiting.append(replace(result.task, attempt=2))

    def _call(self, task: Task) -> Result:
        """Run a call in an idle process, or in a new one; kill that when it exceeds a limit."""
        worker = self._take(fresh=task.attempt > 1)
        worker.calls += 1
        began = moved = time.monotonic()
        has_begun = False
        furthest = -1
        peak = reason = None
        with suppress(OSError):  # a dead process reports its end, too
            _send(worker, pickle.dumps((task.function, task.payload)))
        while True:
            kind: str = ""
            content: Any = None
            with suppress(queue.Empty):
                message = worker.answers.get(timeout=_POLL)
                if message is None:
                    return self._died(worker, task, reason, peak, time.monotonic() - began)
                kind, content = message
            if kind in ("done", "raised"):
                break
            now = time.monotonic()
            if kind == "begin":
                has_begun, began, moved = True, now, now
            elif kind == "progress" and content > furthest:
                furthest, moved = content, now
            used = resident_memory(worker.process.pid)
            if used is not None:
                peak = max(peak or 0, used)
            if reason is None:
                reason = self._exceeded(
                    used, now - began, now - moved if has_begun else None, watched=task.watched
                )
                if reason is not None:
                    _kill(worker)
        if worker.calls >= self._limits.calls or reason is not None:
            self._dismiss(worker)
        else:
            self._idle.append(worker)
        if kind == "raised":
            return Result(task, error=content[0], log=content[1][-_LOG_TAIL:])
        return Result(task, *content)

    def _exceeded(self, used: int | None, seconds: float, still: float | None, *, watched: bool) -> str | None:
        """Return the limit that a call exceeds, if any; `still` is None while Python starts."""
        limits = self._limits
        if self._is_closed:
            return "killed"
        if not watched:
            return None
        if limits.memory is not None and used is not None and used > limits.memory:
            return "memory"
        if still is None:
            return "timeout" if seconds > _PATIENCE else None
        if limits.seconds is not None and seconds > limits.seconds:
            return "timeout"
        return "stalled" if limits.stall_seconds is not None and still > limits.stall_seconds else None

    def _died(self, worker: _Worker, task: Task, reason: str | None, peak: int | None, seconds: float) -> Result:
        self._workers.remove(worker)
        status = worker.process.wait()
        log = _end_of_log(worker.log)
        _close(worker)
        name = signal.Signals(-status).name if status < 0 else None
        reason = reason or ("killed" if name == "SIGKILL" else "crashed")
        return Result(task, death=WorkerDeath(reason, name, peak, log or None, seconds))

    def _take(self, *, fresh: bool) -> _Worker:
        with suppress(IndexError):
            worker = self._idle.pop()
            if not fresh:
                return worker
            self._dismiss(worker)
        return self._start()

    def _start(self, *modules: str) -> _Worker:
        log = Path(self._logs.name) / f"{next(self._numbers)}.log"
        with log.open("ab") as stderr:
            worker = _Worker(start_server(modules, stderr, self._limits.memory), log)
        self._workers.append(worker)
        threading.Thread(target=_listen, args=(worker,), daemon=True).start()
        return worker

    def _dismiss(self, worker: _Worker) -> None:
        """End an idle process."""
        self._workers.remove(worker)
        _close(worker, wait=True)


def open_pool(jobs: int, limits: WorkerLimits) -> Calls:
    """Return a pool of `jobs` processes; with 0, `Calls` in this process, without limits."""
    return Pool(jobs, limits) if jobs else Calls()


def _listen(worker: _Worker) -> None:
    """Forward the answers of a process."""
    try:
        while True:
            worker.answers.put(pickle.load(worker.process.stdout))  # type: ignore[arg-type]
    except Exception:  # it ended, perhaps in the middle of an answer
        worker.answers.put(None)


def _send(worker: _Worker, message: object) -> None:
    pipe = worker.process.stdin
    assert pipe is not None
    pickle.dump(message, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _end_of_log(path: Path) -> str:
    """Return the end of a worker's standard error, without the list of modules that `faulthandler` appends: with
    all hot modules it is longer than the part that is kept, and would displace the crash itself.
    """
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("Extension modules: "))[-_LOG_TAIL:]


def _kill(worker: _Worker) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(worker.process.pid, signal.SIGKILL)
        else:
            worker.process.kill()


def _close(worker: _Worker, *, wait: bool = False) -> None:
    with suppress(OSError):
        assert worker.process.stdin is not None
        worker.process.stdin.close()
    if wait:
        worker.process.wait()
    with suppress(OSError):
        assert worker.process.stdout is not None
        worker.process.stdout.close()
