"""MPQ archives: tables, members, digests."""

from __future__ import annotations

import contextlib

from playhead.errors import ReplayError
from playhead.sc2.members import member_names
from playhead.sc2.mpq import MpqArchive
from playhead.sc2.mpq.writer import ARCHIVE_OFFSET
from targets import LIMITS


def fuzz(data: bytes) -> None:
    view = memoryview(data)
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    for index in range(min(len(archive.blocks), 64)):
        with contextlib.suppress(ReplayError):
            archive.check_digests(index)
    for name in archive.names:
        try:
            archive.read(name)
        except ReplayError:
            continue
