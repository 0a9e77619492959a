"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Whether the system locks files; Windows does not, in this way.
HAS_LOCKS = fcntl is not None

#: Characters of a file's name that its temporary name begins with; names have 255 bytes at most.
_MOST_NAME = 60

#: Seconds for which Windows is asked to replace a file that another process reads, and between two attempts.
_PATIENCE, _POLL = 2.0, 0.02


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; at the end it is moved to `path`, or removed after an error.

    Missing folders are created. The content is synced to disk before the name appears. A link at `path` is
    replaced, not followed. The random name of the temporary file is one that no other process can guess and make
    a link of; the file of a killed writer is removed by the next writer of `path` (not on Windows).

    Raises:
        OSError: the folder or file cannot be written, or another process replaced the temporary file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if HAS_LOCKS:
        _remove_left(path)
    handle, temporary = _new_file(path)
    is_open = True
    try:
        yield Path(temporary)
        if HAS_LOCKS and not _is_at(handle, temporary):  # Windows replaces no open file
            raise OSError(f"{temporary}: another process replaced this temporary file")
        # Temporary files are private to their owner; give the result the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o666 & ~umask)
        os.fsync(handle)
        if not HAS_LOCKS:  # nor does it rename one
            os.close(handle)
            is_open = False
        replace_file(temporary, path)
        sync_folder(path.parent)
    except BaseException:
        if not HAS_LOCKS and is_open:  # nor remove one
            os.close(handle)
            is_open = False
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    finally:
        if is_open:
            os.close(handle)


def replace_file(path: str | Path, target: Path) -> None:
    """Move a file to `target`, in place of one that is there.

    Windows refuses while another process has `target` open, so there it is tried for two seconds.
    """
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            os.replace(path, target)
        except PermissionError:
            if HAS_LOCKS or time.monotonic() >= end:
                raise
            time.sleep(_POLL)
        else:
            return


def _new_file(path: Path) -> tuple[int, str]:
    """Create a temporary file for `path`, locked until it is closed: it is no leftover.

    Another writer of `path` may have removed it before it was locked; then create another.
    """
    while True:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_MOST_NAME]}.", suffix=".part")
        if HAS_LOCKS:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            if not _is_at(handle, temporary):
                os.close(handle)
                continue
        return handle, temporary


def _remove_left(path: Path) -> None:
    """Remove the temporary files of killed writers of `path`: own files without a lock."""
    start = f".{path.name[:_MOST_NAME]}."
    with os.scandir(path.parent) as entries:
        left = [each.path for each in entries if each.name.startswith(start) and each.name.endswith(".part")]
    for each in left:
        with suppress(OSError):
            handle = os.open(each, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if os.fstat(handle).st_uid == os.geteuid() and lock(handle) and _is_at(handle, each):
                    os.unlink(each)
            finally:
                os.close(handle)


def lock(handle: int) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock, or there are no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
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


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, completely or not at all; see `whole_file`."""
    with whole_file(path) as temporary:
        temporary.write_bytes(data)
