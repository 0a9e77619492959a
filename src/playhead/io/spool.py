"""Local copies of remote inputs: each is fetched once, although it is hashed first and decoded later."""

from __future__ import annotations

import os
import shutil
import threading
import weakref
from collections.abc import Callable

from playhead.io.compression import PIECE
from playhead.io.remote import as_os_errors, open_remote
from playhead.io.scratch import TemporaryFolder

#: Share of the free space in the temporary folder that copies may use.
_SHARE = 0.5


class Spool:
    """Copies in a temporary folder, which is removed with the last reference to the spool."""

    def __init__(self, most: int | None = None) -> None:
        """`most` bytes may be copied; by default half of the free space in the temporary folder."""
        folder = TemporaryFolder("copies")
        weakref.finalize(self, folder.cleanup)
        self._folder = folder.name
        self._left = int(shutil.disk_usage(self._folder).free * _SHARE) if most is None else most
        self._count = 0
        self._lock = threading.Lock()

    def fetch(self, url: str, most: int, check_head: Callable[[str], object]) -> str | None:
        """Copy the content of a URL; return the path, or None if it is too large.

        Args:
            most: greatest allowed size in bytes.
            check_head: called with the path once the first bytes are written; its errors stop the copy.

        Raises:
            OSError: the URL cannot be read.
        """
        with self._lock:
            self._count += 1
            path = os.path.join(self._folder, str(self._count))
        taken = 0
        try:
            with open_remote(url) as source, as_os_errors(url), open(path, "wb", buffering=0) as copy:
                while piece := source.read(PIECE):
                    if taken + len(piece) > most or not self._take(len(piece)):
                        break
                    taken += len(piece)
                    copy.write(piece)
                    if taken == len(piece):
                        check_head(path)
                else:
                    return path
        except BaseException:
            self._drop(path, taken)
            raise
        self._drop(path, taken)
        return None

    def _take(self, size: int) -> bool:
        with self._lock:
            self._left -= size
            if self._left < 0:
                self._left += size
                return False
            return True

    def _drop(self, path: str, taken: int) -> None:
        with self._lock:
            self._left += taken
        if os.path.exists(path):
            os.unlink(path)
