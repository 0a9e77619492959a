"""Ordinary files, opened without waiting for a writer as a named pipe would; and names that are never replays."""

from __future__ import annotations

import os
import stat
import time

from playhead.errors import UnknownFormat
from playhead.runtime.typing import BinaryIO

#: Folders whose files the kernel makes as they are read.
_OF_KERNEL = ("/proc/", "/sys/")
# Nanoseconds after which a change would have given a file another time on every file system.
_SURELY_OLD = 10_000_000_000


def open_ordinary(path: str | os.PathLike[str]) -> BinaryIO:
    """Open an ordinary file for reading.

    Raises:
        OSError: it cannot be opened, or is a pipe, device or socket.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{os.fspath(path)}: is not an ordinary file")
    return open(handle, "rb")


def open_file_or_pipe(path: str) -> BinaryIO:
    """Open a file or a named pipe for reading; opening a pipe waits for its writer.

    Raises:
        OSError: it cannot be opened.
        UnknownFormat: it is a device, a socket or a file of the kernel, which may be endless or wait for ever.
    """
    found = os.stat(path)
    if stat.S_ISSOCK(found.st_mode):
        kind = "a socket"
    elif stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        kind = "a device"
    elif stat.S_ISREG(found.st_mode) and not found.st_size and os.path.realpath(path).startswith(_OF_KERNEL):
        kind = "a file of the kernel"
    else:
        return open(path, "rb")
    raise UnknownFormat(f"expected a replay file, found {kind}", file=path)


def stamp_of(file: BinaryIO) -> tuple[int, ...] | None:
    """Return the `Source.stamp` of an open file."""
    found = os.fstat(file.fileno())
    if time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < _SURELY_OLD:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
