"""Temporary folders that are removed even if their process is killed: by the next process."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress

from playhead.io.atomic import HAS_LOCKS, lock

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
            lock(handle)  # if there are no locks, nobody removes it
            weakref.finalize(self, os.close, handle)


def _remove_left(prefix: str, parent: str) -> None:
    """Remove the folders of killed processes: own ones that nobody holds a lock on."""
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
