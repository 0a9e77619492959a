"""MPQ archives: tables, members, digests, and the scan for members whose tables are lost."""

from __future__ import annotations

import contextlib

from playhead.errors import ReplayError
from playhead.sc2.members import member_names
from playhead.sc2.mpq import MpqArchive
from playhead.sc2.mpq.scan import scan
from playhead.sc2.mpq.writer import ARCHIVE_OFFSET
from targets import LIMITS


def fuzz(data: bytes) -> None:
    view = memoryview(data)
    scan(view, min(ARCHIVE_OFFSET, len(data)), len(data), sector_size=4096, md5=True, most=LIMITS.member)
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    for index in range(min(len(archive.blocks), 64)):
        with contextlib.suppress(ReplayError):
            archive.check_digests(index)
    for name in archive.names:
        try:
            archive.read(name)
        except ReplayError:
            continue
