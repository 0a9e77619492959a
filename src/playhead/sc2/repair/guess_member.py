"""Names a member by its content, for archives whose tables are lost.

Every answer is proved by decoding the data to their last byte as that member. The undocumented members
(``replay.smartcam.events``, ``replay.server.battlelobby``) are recognised by marks or not at all.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.struct import whole_value
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members import member_names
from playhead.blizzard.members.attributes import read_attributes
from playhead.blizzard.members.details import read_details
from playhead.blizzard.mpq.attributes import read_all_checksums
from playhead.blizzard.protocol.tables import GAME, MESSAGE
from playhead.blizzard.repair.passes import LEAST_EVENTS, Builds
from playhead.errors import CorruptReplay, ReplayError
from playhead.limits import Limits
from playhead.sc2.members.attribute_names import GAME_NAMESPACE
from playhead.sc2.members.load_info import read_load_info
from playhead.sc2.members.lobby import read_lobby
from playhead.sc2.members.metadata import read_metadata
from playhead.sc2.members.replay_info import read_replay_info
from playhead.sc2.members.resumable import read_resumable
from playhead.sc2.members.sync import read_sync
from playhead.sc2.protocol.tables import distinct_builds
from playhead.sc2.repair.guess_build import count_events

#: Fewer bytes may decode as events by chance.
_LEAST_SURE = 32
_JPEG = b"\xff\xd8\xff"
_CACHE = (b"Battle.net\\Cache", b"Battle.net/Cache", b"Battle.net/cache")


def _is_stream(data: bytes, builds: Builds, stream: str, cut: bool) -> bool:
    count, whole = count_events(data, builds, stream)
    return count >= LEAST_EVENTS if cut else whole and count > 0


def _is_tracker(data: bytes, limits: Limits) -> bool:
    """Return whether the data is a tracker stream. Each event is three tagged values: the loop as a choice, the
    number, a struct. The first few events are enough, as no other member looks like them."""
    reader = VersionedReader(data, max_depth=limits.depth, max_elements=limits.elements)
    count = 0
    try:
        while reader.remaining():
            start = reader.tell()
            if data[start] != tags.CHOICE:
                return False
            reader.read_value()
            if data[reader.tell() : reader.tell() + 1] != bytes((tags.VINT,)):
                return False
            reader.read_value()
            if data[reader.tell() : reader.tell() + 1] != bytes((tags.STRUCT,)):
                return False
            reader.read_value()
            count += 1
    except ReplayError:
        return count >= LEAST_EVENTS
    return count > 0


def _details(data: bytes, limits: Limits) -> str:
    details = read_details(data, limits)
    named = any(player.marked_name for player in details.players)
    return member_names.DETAILS if named else member_names.DETAILS_BACKUP


def _tagged_struct(data: bytes, limits: Limits) -> str:
    try:
        return _details(data, limits)
    except ReplayError:
        whole_value(data, limits, "value")
        return member_names.METADATA_STRUCT


def _listfile(data: bytes) -> None:
    names = data.split(b"\r\n")
    known = {name.encode().lower() for name in member_names.KNOWN_NAMES}
    if len(names) < 3 or names[-1] or len(known.intersection(name.lower() for name in names)) < len(names) // 2:
        raise CorruptReplay("expected a list of members of replays")


def _attributes(data: bytes) -> None:
    for with_source in (True, False):
        with suppress(ReplayError):
            if any(row.namespace == GAME_NAMESPACE for row in read_attributes(data, with_source=with_source)):
                return
    raise CorruptReplay("expected attributes of the game's own name space")


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


def _lobby(data: bytes, candidates: Iterable[Builds]) -> str:
    for builds in candidates:
        with suppress(ReplayError):
            lobby = read_lobby(data, *builds)
            accounts = any(slot.get("m_toonHandle") for slot in lobby.slots)
            named = accounts or any(user["m_name"] for user in lobby.users)
            return member_names.INIT_DATA if named else member_names.INIT_DATA_BACKUP
    raise CorruptReplay("expected a lobby")


class MemberGuesser:
    """Recognises the members of one replay; `builds` are those of its header, or None without one."""

    def __init__(self, builds: Builds | None, limits: Limits) -> None:
        self._builds = builds
        self._limits = limits

    def _candidates(self) -> list[Builds]:
        return distinct_builds() if self._builds is None else [self._builds]

    def _strict(self, data: bytes, sure: bool) -> Iterable[tuple[str | None, Callable[[], object]]]:
        """Return tests that only the right member passes, by the first bytes of the data."""
        if data[:1] == bytes((tags.STRUCT,)):
            yield None, lambda: _tagged_struct(data, self._limits)
        if data[:16].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            yield member_names.METADATA, lambda: read_metadata(data)
        if data[:1] == b"d":
            yield member_names.ATTRIBUTES, lambda: read_all_checksums(data)
        if data[:64].isascii():
            yield member_names.LISTFILE, lambda: _listfile(data)
        yield member_names.GAME_ATTRIBUTES, lambda: _attributes(data)
        yield member_names.LOAD_INFO, lambda: read_load_info(data)
        yield member_names.REPLAY_INFO, lambda: read_replay_info(data)
        yield member_names.SYNC_EVENTS, lambda: _sync(data, 16 if sure else 2)

    def name(self, data: bytes, *, cut: bool = False, sure: bool = False) -> str | None:
        """Return the name of the member with this `data`, or None. `cut` says that its end is missing.

        With `sure`, names that a few random bytes could also match are excluded.
        """
        if not data:
            return None
        if data.startswith(_JPEG):
            return member_names.PREVIEW
        if data[:1] == bytes((tags.CHOICE,)) and _is_tracker(data, self._limits):
            return member_names.TRACKER_EVENTS
        if any(mark in data[:4096] for mark in _CACHE):
            return member_names.BATTLE_LOBBY
        # With all tables to choose from, one would fit anything.
        candidates = [] if sure and self._builds is None else self._candidates()
        if not cut:
            for name, test in self._strict(data, sure):
                with suppress(ReplayError):
                    found = test()
                    return name or str(found)
            with suppress(ReplayError):
                return _lobby(data, candidates)
            if not sure:
                with suppress(ReplayError):
                    _resumable(data)
                    return member_names.RESUMABLE
        for builds in candidates:
            # Messages are few and short, so anything may look like them: the game's events come first.
            if sure and len(data) < _LEAST_SURE:
                break
            if _is_stream(data, builds, GAME, cut):
                return member_names.GAME_EVENTS
            if _is_stream(data, builds, MESSAGE, cut):
                return member_names.MESSAGE_EVENTS
        return None

    def splits(self, data: bytes) -> Iterable[int]:
        """Return where a second member may begin in `data`."""
        if data[:1] == bytes((tags.STRUCT,)):
            with suppress(ReplayError):
                reader = VersionedReader(data, max_depth=self._limits.depth, max_elements=self._limits.elements)
                reader.read_value()
                yield reader.tell()
        for source in (0, 1):
            if len(data) >= source + 8:
                _, count = struct.unpack_from("<II", data, source)
                yield source + 8 + 13 * count
        # Loading screens begin with the lengths of texts that are mostly empty.
        at = data.find(bytes(6))
        while at > 0:
            yield at
            at = data.find(bytes(6), at + 1)
