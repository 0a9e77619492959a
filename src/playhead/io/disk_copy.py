"""A copy of a large input on disk, mapped: nobody can cut it, as they could the file, and its pages need not stay
in memory."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

#: Smaller inputs stay in memory.
SMALLEST = 16 << 20
#: The copy may take this share of the free space of the temporary folder.
_SHARE = 0.5


def on_disk(data: BinaryIO | memoryview, size: int) -> memoryview | None:
    """Return the bytes of a file or a buffer as a mapped copy without a name, which goes with its last reference.

    None if they are few, the disk has no room, or the system cannot release mapped pages (Windows).
    """
    import mmap  # these three would slow down a start that copies nothing
    import shutil
    import tempfile

    if size < SMALLEST or not hasattr(mmap, "MADV_DONTNEED"):
        return None
    try:
        if size > _SHARE * shutil.disk_usage(tempfile.gettempdir()).free:
            return None
        with tempfile.TemporaryFile(buffering=0) as copy:
            done = 0
            while done < size:
                count = _append(data, copy, done, size - done)
                if not count:  # the file was cut meanwhile
                    return None
                done += count
            return memoryview(mmap.mmap(copy.fileno(), size, access=mmap.ACCESS_READ))
    except OSError:
        return None


def _append(data: BinaryIO | memoryview, copy: BinaryIO, start: int, most: int) -> int:
    """Append bytes from `start` on to the copy; return their number."""
    if isinstance(data, memoryview):
        return copy.write(data[start:])
    if sys.platform == "linux":  # from file to file in the kernel
        return os.sendfile(copy.fileno(), data.fileno(), start, most)
    return copy.write(os.pread(data.fileno(), min(most, SMALLEST), start))


def release(data: memoryview) -> None:
    """Take the pages of a mapped copy out of memory, until they are read again; leave other bytes alone."""
    if hasattr(data.obj, "madvise"):  # a mapping
        import mmap

        data.obj.madvise(mmap.MADV_DONTNEED)
