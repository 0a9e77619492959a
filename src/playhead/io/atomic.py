"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed: the lock is not needed
    fcntl = None  # type: ignore[assignment]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Gives a path to write to; what is there becomes `path` at the end, and is removed if that is not reached.

    Folders are made. The content is on the disk before the name is. What an earlier writer of `path` left because
    it was killed is removed; one that is still at work holds a lock.

    Raises:
        OSError: the folder or file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        try:
            _lock(handle)
            yield Path(temporary)
            # mkstemp makes files for the owner alone; give the result the usual permissions.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _lock(handle: int) -> bool:
    """Hold the lock of a file until it is closed; false if another process has it, or there are no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_leftovers(path: Path) -> None:
    for left in path.parent.glob(f".{escape(path.name)}.*.part"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                unused = fcntl is None or _lock(handle)
            finally:
                os.close(handle)
            if unused:
                left.unlink()


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where that can be asked for."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
