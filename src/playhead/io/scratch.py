"""Temporary folders, removed by the next process if theirs is killed; values for another process."""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from typing import Any

from playhead.io.atomic import HAS_LOCKS, lock
from playhead.runtime.records import dataclass

#: A folder without a lock that is younger than so many seconds may be one that gets its lock soon.
_NEW = 60.0


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A folder that only this user may enter; it is removed at the end.

    Those of the same purpose that killed processes have left are removed first (not on Windows).
    """

    def __init__(self, purpose: str, parent: str | None = None) -> None:
        prefix = f"playhead-{purpose}-"
        if HAS_LOCKS:
            _remove_left(prefix, parent or tempfile.gettempdir())
        super().__init__(prefix=prefix, dir=parent, ignore_cleanup_errors=True)
        if HAS_LOCKS:
            handle = os.open(self.name, os.O_RDONLY)
            lock(handle)  # without locks, no other process removes it
            self._unlock = weakref.finalize(self, os.close, handle)

    def cleanup(self) -> None:
        """As of `TemporaryDirectory`; the lock goes too."""
        super().cleanup()
        if HAS_LOCKS:
            self._unlock()


def _remove_left(prefix: str, parent: str) -> None:
    """Remove the folders of killed processes: own ones without a lock."""
    with os.scandir(parent) as entries:
        left = [each.path for each in entries if each.name.startswith(prefix)]
    for each in left:
        with suppress(OSError):
            handle = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                found = os.fstat(handle)
                if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _NEW and lock(handle):
                    shutil.rmtree(each, ignore_errors=True)
            finally:
                os.close(handle)


@dataclass(frozen=True, slots=True)
class Handed:
    """A value in a file, for `take_over`.

    Attributes:
        path: the file.
        sizes: bytes of the pickled value and of each of its buffers.
    """

    path: str
    sizes: tuple[int, ...]


# Buffers begin at multiples of this many bytes.
_ALIGNMENT = 64


def fast_folder(room: int) -> str | None:
    """Return a folder in memory with room for so many bytes; None (the usual one) without any."""
    memory = "/dev/shm"
    try:
        free = os.statvfs(memory)
    except (OSError, AttributeError):
        return None
    return memory if os.access(memory, os.W_OK) and free.f_bavail * free.f_frsize >= room else None


def claim(path: str) -> bool:
    """Return whether no process has claimed the task with this file before; it is this one's now."""
    try:
        os.close(os.open(f"{path}.begun", os.O_CREAT | os.O_EXCL))
    except OSError:  # another process has it, or the folder is gone
        return False
    return True


def hand_over(value: Any, path: str) -> Handed:
    """Write a value with its buffers (columns of Arrow) to a file, for another process of this program."""
    buffers: list[pickle.PickleBuffer] = []
    with open(path, "wb") as file:
        pickle.Pickler(file, 5, buffer_callback=buffers.append).dump(value)
        sizes = [file.tell()]
        for buffer in buffers:
            file.write(bytes(-file.tell() % _ALIGNMENT))
            with buffer.raw() as data:
                sizes.append(len(data))
                file.write(data)
    return Handed(path, tuple(sizes))


def take_over(value: Any) -> Any:
    """Return the value that another process has handed over; any other value as it is.

    Columns stay in the file, which may be deleted where that is possible for a mapped file.
    """
    if not isinstance(value, Handed):
        return value
    with open(value.path, "rb") as file:
        if sys.platform == "win32":
            data = memoryview(file.read())
        else:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    parts, place = [], 0
    for size in value.sizes:
        place += -place % _ALIGNMENT
        parts.append(data[place : place + size])
        place += size
    return pickle.loads(parts[0], buffers=parts[1:])
