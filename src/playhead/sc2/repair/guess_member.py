"""`Sc2MemberGuesser`: names a member by its content; those of StarCraft II beside those of all games."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from contextlib import suppress

from playhead.blizzard.members import member_names
from playhead.blizzard.repair.guess_member import MemberGuesser
from playhead.blizzard.repair.passes import Builds
from playhead.errors import CorruptReplay, ReplayError
from playhead.limits import Limits
from playhead.sc2.members.load_info import read_load_info
from playhead.sc2.members.metadata import read_metadata
from playhead.sc2.members.replay_info import read_replay_info
from playhead.sc2.members.resumable import read_resumable
from playhead.sc2.members.sync import read_sync
from playhead.sc2.protocol.tables import PROTOCOLS


def _sync(data: bytes, least: int) -> None:
    checks = read_sync(data).checks()
    if len(checks) < least or not all(check.flag for check in checks):
        raise CorruptReplay("expected checksums with their flag set")
    steps = {after.tick - before.tick for before, after in itertools.pairwise(checks)}
    if min(steps) < 1 or len(steps) > 8:
        raise CorruptReplay("expected checksums at regular intervals")


def _resumable(data: bytes) -> None:
    for build in (1 << 30, 0):  # with and without colour and name
        with suppress(ReplayError):
            markers = read_resumable(data, build)
            if all(marker.kind_id <= 3 and marker.user <= 16 for marker in markers):
                return
    raise CorruptReplay("expected markers to resume from")


class Sc2MemberGuesser(MemberGuesser):
    """Recognises the members of one replay of StarCraft II."""

    def __init__(self, builds: Builds | None, limits: Limits) -> None:
        super().__init__(PROTOCOLS, builds, limits)

    def _strict(self, data: bytes, sure: bool) -> Iterable[tuple[str | None, Callable[[], object]]]:
        if data[:16].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            yield member_names.METADATA, lambda: read_metadata(data)
        yield from super()._strict(data, sure)
        yield member_names.LOAD_INFO, lambda: read_load_info(data)
        yield member_names.REPLAY_INFO, lambda: read_replay_info(data)
        yield member_names.SYNC_EVENTS, lambda: _sync(data, 16 if sure else 2)

    def _likely(self, data: bytes) -> str | None:
        with suppress(ReplayError):
            _resumable(data)
            return member_names.RESUMABLE
        return None
