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
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from playhead.io.scratch import TemporaryFolder
from playhead.runtime.bounded import resident_memory, start_server
from playhead.runtime.records import dataclass, replace

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


@dataclass(slots=True)
class _Running:
    task: Task
    began: float
    moved: float
    alone: bool
    has_begun: bool = False
    done: int = -1
    reason: str | None = None
    peak: int | None = None


@dataclass(slots=True, eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    log: Path
    running: _Running | None = None
    calls: int = 0
    gone: bool = False


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
    """Worker processes; a context manager that kills them at its end.

    `run` runs the calls of an iterator, and calls that `push` adds meanwhile.
    """

    def __init__(self, jobs: int, limits: WorkerLimits) -> None:
        super().__init__()
        self._jobs = max(jobs, 1)
        self._limits = limits
        self._workers: list[_Worker] = []
        self._answers: queue.SimpleQueue[tuple[_Worker, tuple[str, Any] | None]] = queue.SimpleQueue()
        self._again: deque[Task] = deque()
        self._alone: deque[Task] = deque()
        self._logs = TemporaryFolder("workers")
        self._count = 0

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            _kill(worker)
        for worker in self._workers:
            worker.process.wait()
            _close(worker)
        self._workers.clear()
        self._logs.cleanup()

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        source: Iterator[Task] | None = tasks
        while True:
            source = self._dispatch(source)
            if not self._busy():
                return
            result = self._wait()
            if result is not None:
                yield result

    # -- dispatching ------------------------------------------------------------------------------------

    def _busy(self) -> bool:
        return any(worker.running for worker in self._workers)

    def _dispatch(self, source: Iterator[Task] | None) -> Iterator[Task] | None:
        """Give calls to idle workers. Return the iterator, or None at its end."""
        while sum(worker.running is not None for worker in self._workers) < self._jobs:
            if self._alone:
                if not self._busy():
                    self._give(self._alone.popleft(), fresh=True, alone=True)
                return source
            if any(worker.running is not None and worker.running.alone for worker in self._workers):
                return source
            task = self._again.popleft() if self._again else self._pushed.popleft() if self._pushed else None
            if task is None:
                task = next(source, None) if source is not None else None
                if task is None:
                    return None
            self._give(task, fresh=task.attempt > 1)
        return source

    def _give(self, task: Task, *, fresh: bool, alone: bool = False) -> None:
        worker = None if fresh else next((each for each in self._workers if each.running is None), None)
        if worker is None:
            idle = next((each for each in self._workers if each.running is None), None)
            if idle is not None and len(self._workers) >= self._jobs:
                self._dismiss(idle)
            worker = self._start()
        now = time.monotonic()
        worker.running = _Running(task, now, now, alone)
        worker.calls += 1
        with suppress(OSError):  # a dead process reports its end, too
            _send(worker, pickle.dumps((task.function, task.payload)))

    def start(self, *modules: str) -> None:
        while len(self._workers) < self._jobs:
            self._start(*modules)

    def _start(self, *modules: str) -> _Worker:
        self._count += 1
        log = Path(self._logs.name) / f"{self._count}.log"
        with log.open("ab") as stderr:
            process = start_server(modules, stderr, self._limits.memory)
        worker = _Worker(process, log)
        self._workers.append(worker)
        threading.Thread(target=_listen, args=(worker, self._answers), daemon=True).start()
        return worker

    def _dismiss(self, worker: _Worker) -> None:
        """End an idle process."""
        worker.gone = True
        self._workers.remove(worker)
        _close(worker, wait=True)

    # -- answers ----------------------------------------------------------------------------------------

    def _wait(self) -> Result | None:
        """Wait for an event; return a result if there is one."""
        try:
            worker, message = self._answers.get(timeout=_POLL)
        except queue.Empty:
            self._watch()
            return None
        self._watch()
        if worker.gone:
            return None
        running = worker.running
        if message is None:
            return self._died(worker)
        kind, content = message
        if running is None:
            return None
        if kind == "begin":
            running.began = running.moved = time.monotonic()
            running.has_begun = True
            return None
        if kind == "progress":
            if content > running.done:
                running.done, running.moved = content, time.monotonic()
            return None
        worker.running = None
        if worker.calls >= self._limits.calls or running.reason is not None:
            self._dismiss(worker)
        if kind == "raised":
            error, log = content
            return Result(running.task, error=error, log=log[-_LOG_TAIL:])
        value, peak = content
        return Result(running.task, value, peak)

    def _watch(self) -> None:
        """Kill processes that exceed a limit."""
        now = time.monotonic()
        for worker in self._workers:
            running = worker.running
            if running is None or running.reason is not None:
                continue
            used = resident_memory(worker.process.pid)
            if used is not None:
                running.peak = max(running.peak or 0, used)
            if not running.task.watched:
                continue
            limits = self._limits
            if limits.memory is not None and used is not None and used > limits.memory:
                running.reason = "memory"
            elif not running.has_begun:  # Python is still starting
                running.reason = "timeout" if now - running.began > _PATIENCE else None
            elif limits.seconds is not None and now - running.began > limits.seconds:
                running.reason = "timeout"
            elif limits.stall_seconds is not None and now - running.moved > limits.stall_seconds:
                running.reason = "stalled"
            if running.reason is not None:
                _kill(worker)

    def _died(self, worker: _Worker) -> Result | None:
        """Handle the end of a process."""
        worker.gone = True
        self._workers.remove(worker)
        status = worker.process.wait()
        log = _end_of_log(worker.log)
        _close(worker)
        running = worker.running
        if running is None:
            return None
        name = signal.Signals(-status).name if status < 0 else None
        reason = running.reason or ("killed" if name == "SIGKILL" else "crashed")
        task = running.task
        if task.attempt == 1:
            waiting = self._again if reason in ("timeout", "stalled") else self._alone
            waiting.append(replace(task, attempt=2))
            return None
        seconds = time.monotonic() - running.began
        return Result(task, death=WorkerDeath(reason, name, running.peak, log or None, seconds))


def open_pool(jobs: int, limits: WorkerLimits) -> Calls:
    """Return a pool of `jobs` processes; with 0, `Calls` in this process, without limits."""
    return Pool(jobs, limits) if jobs else Calls()


def _listen(worker: _Worker, answers: queue.SimpleQueue[tuple[_Worker, tuple[str, Any] | None]]) -> None:
    """Forward the answers of a process; None at its end."""
    pipe = worker.process.stdout
    assert pipe is not None
    while True:
        try:
            message = pickle.load(pipe)
        except Exception:  # it ended, perhaps in the middle of an answer
            answers.put((worker, None))
            return
        answers.put((worker, message))


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
