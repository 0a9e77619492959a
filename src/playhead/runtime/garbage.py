"""A pause for Python's garbage collector."""

from __future__ import annotations

import gc
import sys
from _thread import allocate_lock


class GarbagePause:
    """A context manager that pauses the garbage collector while any thread is inside.

    It is for code that makes a hundred thousand small objects without cycles: the collector would traverse them
    again and again and find nothing, which takes a fifth of the time.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()  # `threading` is not imported by a start
        self._inside = 0
        self._was_on = False
        self._modules = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._was_on = gc.isenabled()
                gc.disable()
                self._modules = len(sys.modules)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._was_on:
                # Imported objects count as old from here on. Not if objects are frozen, as Python 3.12 does with
                # some of its own: `unfreeze` would release them.
                if len(sys.modules) > self._modules and not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


GC_PAUSED = GarbagePause()
