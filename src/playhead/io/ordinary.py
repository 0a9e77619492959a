"""Ordinary files: opened without waiting for a writer, as opening a named pipe would."""

from __future__ import annotations

import os
import stat

from playhead.runtime.typing import BinaryIO


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
