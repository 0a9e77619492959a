"""A process of `playhead.corpus.writing.pool`: reads calls from standard input, writes answers to standard output.

It shares only these two pipes with other processes, so killing it leaves no lock held. It exits when its input
ends, so it does not outlive a killed parent. It is in `runtime` because it imports only what its calls need.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import queue
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO

#: Seconds between two reports of progress.
_INTERVAL = 0.25
#: New objects after which Python collects garbage: few of those that a decoder makes are in cycles.
_NEW_OBJECTS = 100_000


def main() -> None:
    """Import the modules that the arguments name; serve calls until the input ends."""
    faulthandler.enable()
    # No call multiplies matrices: NumPy would start threads for them at its import, which spin for nothing.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Other pools keep what they free.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints go to the log
    asked = sys.stdin.buffer
    sys.path[:] = pickle.load(asked)
    _restrain(pickle.load(asked))
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, calls), daemon=True).start()
    with suppress(ImportError):  # a call names its missing module
        for name in sys.argv[1:]:
            import_module(name)
    settled = False
    while True:
        function, payload = pickle.loads(calls.get())
        os.ftruncate(2, 0)
        _send(answers, ("begin", None))
        _send(answers, _call(function, payload, answers))
        if not settled:
            # Objects that the first call loaded, mainly libraries, stay: exclude them from garbage collection.
            gc.collect()
            gc.freeze()
            settled = True


def _listen(asked: BinaryIO, calls: queue.SimpleQueue[Any]) -> None:
    """Queue calls, still pickled, as they come; the end of the input ends the process."""
    while True:
        try:
            calls.put(pickle.load(asked))
        except (EOFError, OSError):
            os._exit(0)


def _call(function: Any, payload: Any, answers: BinaryIO) -> tuple[str, Any]:
    last = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _INTERVAL:
            last = now
            _send(answers, ("progress", done))

    try:
        value = function(payload, report)
    except BaseException as error:
        return "raised", (error if _pickles(error) else RuntimeError(repr(error)), traceback.format_exc())
    return "done", (value, peak_memory())


def _pickles(thing: object) -> bool:
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception:
        return False
    return True


def _send(answers: BinaryIO, message: tuple[str, Any]) -> None:
    pickle.dump(message, answers, protocol=pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _restrain(memory: int | None) -> None:
    """Make allocations fail far above the limit, in case they are too fast for the watching parent."""
    if memory is None:
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (2 * memory + (1 << 30), resource.RLIM_INFINITY))


def peak_memory() -> int | None:
    """Return this process's greatest memory use in bytes; None if the system does not report it."""
    with suppress(OSError), open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    with suppress(ImportError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(most if sys.platform == "darwin" else most << 10)
    return None


if __name__ == "__main__":
    main()
