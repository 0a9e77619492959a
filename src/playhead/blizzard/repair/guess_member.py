"""Names a member by its content, for archives whose tables are lost.

Every answer is proved by decoding the data to their last byte as that member. The undocumented members
(``replay.smartcam.events``, ``replay.server.battlelobby``) are recognised by marks or not at all."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from contextlib import suppress

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.event_columns import EventColumns
from playhead.blizzard.encoding.versioned import VersionedReader, whole_value
from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import read_details
from playhead.blizzard.members.lobby import read_attributes, read_lobby
from playhead.blizzard.mpq.attributes import read_all_checksums
from playhead.blizzard.protocol.program import Program
from playhead.blizzard.protocol.protocols import Protocols
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, TRACKER
from playhead.errors import CorruptReplay, ReplayError
from playhead.limits import Limits

#: Base build and build.
Builds = tuple[int, int]

#: Events that identify a stream that is cut.
LEAST_EVENTS = 16


def pass_over(data: bytes, program: Program, stream: str) -> tuple[EventColumns, bool]:
    """Return the events of a stream by the program of a build, without fields, and whether they end with the
    stream."""
    decoder = EventColumns(program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream], text=False)
    try:
        decoder.read_columns()
    except ReplayError:
        return decoder, False
    return decoder, True


#: Namespace of the game's own attributes, in every game.
_GAME_NAMESPACE = 999
#: Fewer bytes may decode as events by chance.
_LEAST_SURE = 32
_JPEG = b"\xff\xd8\xff"
_CACHE = (b"Battle.net\\Cache", b"Battle.net/Cache", b"Battle.net/cache")


def _is_stream(data: bytes, program: Program, stream: str, cut: bool) -> bool:
    decoder, whole = pass_over(data, program, stream)
    return decoder.rows >= LEAST_EVENTS if cut else whole and decoder.rows > 0


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
            if any(row.namespace == _GAME_NAMESPACE for row in read_attributes(data, with_source=with_source)):
                return
    raise CorruptReplay("expected attributes of the game's own name space")


def _lobby(data: bytes, programs: Iterable[Program]) -> str:
    for program in programs:
        with suppress(ReplayError):
            lobby = read_lobby(data, program)
            accounts = any(slot.get("m_toonHandle") for slot in lobby.slots)
            named = accounts or any(user["m_name"] for user in lobby.users)
            return member_names.INIT_DATA if named else member_names.INIT_DATA_BACKUP
    raise CorruptReplay("expected a lobby")


class MemberGuesser:
    """Recognises the members of one replay that all games have.

    Args:
        protocols: the type tables of the game.
        builds: those of the replay's header, or None without one.
        limits: bounds on allocations.
    """

    def __init__(self, protocols: Protocols, builds: Builds | None, limits: Limits) -> None:
        self._protocols = protocols
        self._builds = builds
        self._limits = limits

    def _candidates(self) -> list[Builds]:
        return self._protocols.distinct_builds() if self._builds is None else [self._builds]

    def _strict(self, data: bytes, sure: bool) -> Iterable[tuple[str | None, Callable[[], object]]]:
        """Return tests that only the right member passes, by the first bytes of the data."""
        if data[:1] == bytes((tags.STRUCT,)):
            yield None, lambda: _tagged_struct(data, self._limits)
        if data[:1] == b"d":
            yield member_names.ATTRIBUTES, lambda: read_all_checksums(data)
        if data[:64].isascii():
            yield member_names.LISTFILE, lambda: _listfile(data)
        yield member_names.GAME_ATTRIBUTES, lambda: _attributes(data)

    def _likely(self, data: bytes) -> str | None:
        """Return the name of a member that a few random bytes could be too."""
        return None

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
                return _lobby(data, (self._protocols.init_data_program(*each) for each in candidates))
            if not sure and (likely := self._likely(data)) is not None:
                return likely
        for builds in candidates:
            # Messages are few and short, so anything may look like them: the game's events come first.
            if sure and len(data) < _LEAST_SURE:
                break
            if _is_stream(data, self._protocols.event_program(*builds, GAME), GAME, cut):
                return member_names.GAME_EVENTS
            if _is_stream(data, self._protocols.event_program(*builds, MESSAGE), MESSAGE, cut):
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
