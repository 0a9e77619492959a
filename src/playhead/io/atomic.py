"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; at the end it is moved to `path`, or removed after an error.

    Missing folders are created. The content is synced to disk before the name appears. The temporary file of a
    killed writer is reused by the next one; an active writer holds a lock on it (not on Windows).

    Raises:
        OSError: the folder or file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = _begin(path)
    is_open = True
    try:
        yield Path(temporary)
        # Temporary files are private to their owner; give the result the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.fsync(handle)
        if fcntl is None:  # Windows does not rename an open file
            os.close(handle)
            is_open = False
        os.replace(temporary, path)  # under the lock, so that no other writer reuses it as a leftover
        sync_folder(path.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    finally:
        if is_open:
            os.close(handle)


def _begin(path: Path) -> tuple[int, str]:
    """Return an empty temporary file for `path`, open and locked, and its path."""
    if fcntl is not None:
        usual = str(path.with_name(f".{path.name}.part"))
        handle = os.open(usual, os.O_RDWR | os.O_CREAT, 0o600)
        # The previous holder of the lock may have moved it to `path` meanwhile: then this is no temporary file.
        if _lock(handle) and _is_at(handle, usual):
            os.ftruncate(handle, 0)
            return handle, usual
        os.close(handle)
    return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")


def _lock(handle: int) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock, or there are no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
