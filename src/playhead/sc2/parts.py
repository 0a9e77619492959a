"""`Sc2Members`: the members of a replay, each decoded on first access and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from playhead.errors import CorruptReplay, ReplayError
from playhead.io.source import Source
from playhead.model import Options
from playhead.runtime.cached import cached_property
from playhead.sc2.container import Sc2Container
from playhead.sc2.encoding.versioned import VersionedReader
from playhead.sc2.members import member_names
from playhead.sc2.members.attributes import Attribute, read_attributes
from playhead.sc2.members.battle_lobby import BattleLobby, read_battle_lobby
from playhead.sc2.members.details import Details, read_details
from playhead.sc2.members.game_data import VOID, game_of
from playhead.sc2.members.load_info import LoadInfo, read_load_info
from playhead.sc2.members.lobby import Lobby, read_lobby
from playhead.sc2.members.metadata import GameMetadata, read_metadata
from playhead.sc2.members.replay_info import ReplayInfo, read_replay_info
from playhead.sc2.members.resumable import ResumeMarker, read_resumable
from playhead.sc2.members.sync import SyncCheck, SyncColumns, read_sync
from playhead.sc2.members.text import split_name
from playhead.sc2.mpq import MpqArchive
from playhead.sc2.mpq.attributes import NO_CHECKSUMS
from playhead.sc2.protocol.program import event_program
from playhead.sc2.protocol.tables import GAME, ID_BITS, MESSAGE, TRACKER, known_builds

if TYPE_CHECKING:
    from playhead.sc2.repair.guess_build import BuildGuess
    from playhead.sc2.repair.resume import Encoding, Resumed

_ARCHIVE = "archive"
#: Where a replay's problems say that its builds are inferred.
BUILDS = "builds"
#: Members from which builds can be inferred.
_TELL_BUILD = (
    member_names.GAME_EVENTS,
    member_names.MESSAGE_EVENTS,
    member_names.INIT_DATA,
    member_names.INIT_DATA_BACKUP,
    member_names.GAME_ATTRIBUTES,
    member_names.LOAD_INFO,
    member_names.BATTLE_LOBBY,
    member_names.TRACKER_EVENTS,
    member_names.METADATA,
    member_names.REPLAY_INFO,
)
EVENT_STREAMS = {
    member_names.GAME_EVENTS: GAME,
    member_names.MESSAGE_EVENTS: MESSAGE,
    member_names.TRACKER_EVENTS: TRACKER,
}
#: The first base build whose replays have the tracker's events: 2.0.8.
_FIRST_TRACKER = 24944
_ONLY_BACKUP = "names of players that the lobby does not say; the rest is in the backup"
_WITHOUT_DETAILS = (
    "time, map file and names of computers; results before 3.4, accounts before 2.0.3. Players are those of "
    "lobby, attributes, metadata and tracker"
)


class Sc2Members(Sc2Container):
    """A replay file with its members decoded: None, or nothing, where the replay does not have one or it cannot be
    read (`problems` says which).

    Attributes:
        resumed: streams of events with a gap, by member: how they go on behind it; None where they do not.
    """

    def __init__(self, source: Source, options: Options) -> None:
        self.resumed: dict[str, Resumed | None] = {}
        super().__init__(source, options)

    # -- what the game is -------------------------------------------------------------------------------

    def _read_details(self, data: bytes) -> Details:
        return read_details(data, self.options.limits)

    @cached_property
    def _details_source(self) -> tuple[Details | None, str | None]:
        """The details and the member that they are from."""
        if self.archive is None:
            return None, None
        found = [name for name in (member_names.DETAILS, member_names.DETAILS_BACKUP) if name in self.archive]
        lost: list[tuple[str, ReplayError]] = []
        details = source = None
        for name in found:
            details, error = self.try_member(name, self._read_details)
            if error is not None:
                lost.append((name, error))
            if details is not None:
                source = name
                break
        for name, error in lost:
            self._note(error.locate(where=name), cost=_ONLY_BACKUP if source else _WITHOUT_DETAILS)
        if source is not None:
            return details, source
        if not found and member_names.REPLAY_INFO not in self.archive:
            missing = CorruptReplay(
                f"expected {member_names.DETAILS}, {member_names.DETAILS_BACKUP} or {member_names.REPLAY_INFO}, "
                f"found none of them among {sum(block.exists for block in self.archive.blocks)} members"
            )
            self._note(missing.locate(where=_ARCHIVE), cost=_WITHOUT_DETAILS)
        return None, None

    @property
    def details(self) -> Details | None:
        """``replay.details``, or its backup where that is all there is; None for betas up to 0.10."""
        return self._details_source[0]

    @cached_property
    def replay_info(self) -> ReplayInfo | None:
        """``replay.info`` of betas up to 0.10; None for all other replays."""
        return self.decode_member(member_names.REPLAY_INFO, read_replay_info, "players and map")

    @cached_property
    def metadata(self) -> GameMetadata | None:
        """``replay.gamemetadata.json``; None before 3.4 and in anonymised packs."""
        lost = "the game's own summary: APM, MMR, selected races"
        return self.decode_member(member_names.METADATA, read_metadata, lost)

    @cached_property
    def _complete(self) -> bool:
        """Tables readable, no member missing, and all events there.

        Where the archive has digests or checksums of a stream they decide; its events are only decoded without.
        """
        archive = self.archive
        if not isinstance(archive, MpqArchive) or archive.dangling:
            return False
        expected = {member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS}
        if self.builds[0] >= _FIRST_TRACKER:
            expected.add(member_names.TRACKER_EVENTS)
        # Nameless blocks are members of which the hash table knows nothing any more.
        nameless = sum(block.exists for block in archive.blocks) - len(self._names_by_block)
        if member_names.GAME_EVENTS not in archive or (nameless and not expected <= archive.names.keys()):
            return False
        end = len(self.data) - archive.header.offset
        if any(block.offset + block.stored_size > end for block in archive.blocks if block.exists):
            return False
        return all(self._is_whole(archive, name) for name in EVENT_STREAMS if name in archive)

    def _is_whole(self, archive: MpqArchive, name: str) -> bool:
        """Whether all events of a stream are there."""
        index = archive.names[name]
        if archive.has_digests(index):
            with suppress(ReplayError):
                archive.check_digests(index)
                return True
        checksums = self._checksums[index] if self._checksums else NO_CHECKSUMS
        try:
            data = self.read_member(name)
            if checksums != NO_CHECKSUMS:
                checksums.check(data)
                return True
        except ReplayError:
            return False
        from playhead.sc2.repair.guess_build import count_events

        return count_events(data, self.builds, EVENT_STREAMS[name])[1]

    # -- events behind a gap ----------------------------------------------------------------------------

    def around_gap(self, name: str, beginning: bytes) -> bytes:
        """Return the data of a stream of events without its gap, of which `beginning` is in front; where it cannot
        be known with certainty at which byte events go on behind the gap, `beginning`."""
        resumed = self._resume(name, beginning) if self.gaps(name) else None
        return beginning if resumed is None else resumed.data

    def _encoding(self, stream: str) -> Encoding:
        from playhead.sc2.repair.resume import Encoding

        return Encoding(event_program(*self.builds, stream), stream == TRACKER, ID_BITS[stream])

    @property
    def _idles(self) -> bool:
        """Whether the game went on for long while nobody did anything: then the tracker ends long before it."""
        from playhead.sc2.repair.resume import IDLE

        events, _ = self.try_member(member_names.GAME_EVENTS, bytes)
        loops = [loop for _, loop in self._encoding(GAME).events(events or b"")]
        return any(after - before > IDLE for before, after in pairwise(loops))

    def _resume(self, name: str, beginning: bytes) -> Resumed | None:
        if name not in self.resumed:
            found, stream = None, EVENT_STREAMS[name]
            behind = self._unpack(name).behind
            if self.header is not None and behind and not (stream == TRACKER and self._idles):
                from playhead.sc2.repair.resume import resume

                encoding = self._encoding(stream)
                gap = len(self._unpack(name).data) - len(beginning) - len(behind)
                found = resume(beginning, behind, gap, encoding, self.header.loops)
            self.resumed[name] = found
            if found is not None:
                lost = CorruptReplay(f"expected events without a gap, found {found.lost_bytes} bytes without")
                since = "the beginning" if found.last_before is None else f"loop {found.last_before}"
                cost = (
                    f"{stream} events from {since} to about loop {found.first_behind}; loops behind the gap are "
                    "counted back from the end, and too late by what passed after the last event"
                )
                self._note(lost.locate(where=name, tick=found.last_before), cost=cost)
        return self.resumed[name]

    @property
    def gap_facts(self) -> dict[str, Any]:
        """The facts of `Info.details` about the streams that go on behind a gap."""
        gaps = {EVENT_STREAMS[name]: gap for name, gap in self.resumed.items() if gap is not None}
        facts = {
            stream: {"last_tick": gap.last_before, "next_tick": gap.first_behind, "bytes": gap.lost_bytes}
            for stream, gap in gaps.items()
        }
        return {"gaps": facts} if facts else {}

    # -- which build ------------------------------------------------------------------------------------

    @property
    def _version(self) -> str | None:
        if self.header is not None:
            return self.header.version
        return None if self.metadata is None else self.metadata.game_version

    @cached_property
    def _known_builds(self) -> tuple[int, int] | None:
        """Base build and build, from the header or else the metadata (where they never differ)."""
        if self.header is not None:
            return self.header.base_build, self.header.build
        named = "" if self.metadata is None else (self.metadata.base_build or "").removeprefix("Base")
        return (int(named), int(named)) if named.isdecimal() and len(named) < 8 else None

    @cached_property
    def builds(self) -> tuple[int, int]:
        """Base build and build whose type table is used. Where nothing gives them, those whose table reads
        the members; the newest known if none does."""
        if self._known_builds is not None:
            return self._known_builds
        guess = self._guessed_builds
        return (known_builds()[-1], known_builds()[-1]) if guess is None else guess.builds

    @cached_property
    def _guessed_builds(self) -> BuildGuess | None:
        """The builds inferred where no member gives them."""
        from playhead.sc2.repair.guess_build import guess_build

        found = {}
        for name in _TELL_BUILD:
            data, _ = self.try_member(name, bytes)
            if data is not None:
                found[name] = data
        guess = guess_build(found)
        if guess is None:
            lost = CorruptReplay("expected builds in header or metadata, found none; no table reads the events")
            self._note(lost.locate(where=BUILDS), cost="most members: the newest table that is known is used")
            return None
        how = "reads the members to their ends" if guess.whole else "gets furthest with the members"
        table = f"the table of base builds {guess.first} to {guess.last}"
        lost = CorruptReplay(f"expected builds in header or metadata, found none; {table} {how}")
        cost = f"the version; it is inferred, and build {guess.builds[1]} is used"
        self._note(lost.locate(where=BUILDS), cost=cost)
        return guess

    @property
    def cache_handles(self) -> Sequence[bytes]:
        """The files of the game's cache that the game was played with: of the details, or else of the lobby or of
        what the server sent of it."""
        return self.cache_handles_source[1]

    @cached_property
    def cache_handles_source(self) -> tuple[str | None, Sequence[bytes]]:
        """The member that has the `cache_handles`, and these."""
        if self.details is not None:
            return self._details_source[1], self.details.cache_handles
        if self.replay_info is not None:
            return member_names.REPLAY_INFO, self.replay_info.cache_handles
        found = () if self.lobby is None else tuple(self.lobby.game.get("m_cacheHandles") or ())
        if found:
            return member_names.INIT_DATA, found
        lobby = self.battle_lobby
        return (None, ()) if lobby is None else (member_names.BATTLE_LOBBY, lobby.cache_handles)

    @cached_property
    def use_scaled_time(self) -> bool:
        """Whether the clock that the game shows goes by 22.4 loops a second: by the header; without it, as all
        games with the data of Legacy of the Void do."""
        if self.header is not None:
            return self.header.use_scaled_time
        return game_of(self.cache_handles, self.builds[1]) == VOID

    @property
    def _data_build(self) -> int:
        """The build whose catalog the numbers of abilities and unit types are places in."""
        data = None if self.header is None else self.header.data_build
        return data or self.builds[1]

    # -- the lobby --------------------------------------------------------------------------------------

    @cached_property
    def lobby(self) -> Lobby | None:
        """``replay.initData``, or its backup where that is all there is; of betas up to 0.10 in `replay_info`."""
        if self.replay_info is not None:
            return self.replay_info.lobby
        lost: list[tuple[str, ReplayError]] = []
        lobby = None
        for name in (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP):
            if lobby is None:
                lobby, error = self.try_member(name, lambda data: read_lobby(data, *self.builds))
                if error is not None:
                    lost.append((name, error))
        for name, error in lost:
            self._note(error.locate(where=name), cost="the lobby" if lobby is None else "names in the lobby")
        return lobby

    @cached_property
    def users_by_event(self) -> Mapping[int, int]:
        """Place in the lobby's list of users by user id of events; up to 1.5 the two are not the same."""
        return {} if self.lobby is None else self.lobby.users_by_event(self.builds[0])

    @cached_property
    def names_by_user(self) -> Mapping[int, str | None]:
        """Name, without clan, by user id of events."""
        lobby = self.lobby
        if lobby is None:
            return {}
        return {event: split_name(lobby.user_name(user) or "")[1] for event, user in self.users_by_event.items()}

    # -- small members ----------------------------------------------------------------------------------

    @cached_property
    def load_info(self) -> LoadInfo | None:
        """``replay.load.info``: the map's loading screen; None before 0.19."""
        return self.decode_member(member_names.LOAD_INFO, read_load_info, "the loading screen")

    @cached_property
    def battle_lobby(self) -> BattleLobby | None:
        """``replay.server.battlelobby``, as far as it is known; None before 2.0.3 and in anonymised packs."""
        return self.decode_member(member_names.BATTLE_LOBBY, read_battle_lobby, "files that the server adds")

    @cached_property
    def preview(self) -> bytes | None:
        """``save.jpg``: a picture of the map as a JPEG file; None from 0.11 on."""
        return self.decode_member(member_names.PREVIEW, bytes, "the picture of the map")

    @cached_property
    def attributes(self) -> Sequence[Attribute]:
        """``replay.attributes.events``: settings of the lobby as the map sees them."""
        build = self.builds[1]
        found = self.decode_member(
            member_names.GAME_ATTRIBUTES, lambda data: read_attributes(data, build), "the table attributes"
        )
        return found or ()

    @cached_property
    def sync_columns(self) -> SyncColumns | None:
        """What `sync_checks` has, as columns; None where the replay does not have them."""
        return self.decode_member(member_names.SYNC_EVENTS, read_sync, "the table sync")

    @cached_property
    def sync_checks(self) -> Sequence[SyncCheck]:
        """``replay.sync.events``: checksums by which the players' games were compared."""
        return () if self.sync_columns is None else self.sync_columns.checks()

    @cached_property
    def resume_markers(self) -> Sequence[ResumeMarker]:
        """``replay.resumable.events``: from where the game can be taken over."""
        build = self.builds[1]
        found = self.decode_member(
            member_names.RESUMABLE, lambda data: read_resumable(data, build), "the table resume_points"
        )
        return found or ()

    def _decode_rest(self) -> None:
        """Decode the members that nothing else needs, for their problems alone: backups and small members."""
        if self._details_source[1] == member_names.DETAILS:
            self.decode_member(member_names.DETAILS_BACKUP, self._read_details, "nothing: replay.details is sound")
        self.lobby  # noqa: B018  (decoding it is what finds its problems)
        self.sync_columns  # noqa: B018
        self.attributes  # noqa: B018
        self.resume_markers  # noqa: B018
        self.battle_lobby  # noqa: B018
        self.decode_member(member_names.METADATA_STRUCT, self._walk_value, "nothing that a table has")

    def _walk_value(self, data: bytes) -> None:
        limits = self.options.limits
        reader = VersionedReader(data, max_depth=limits.depth, max_elements=limits.elements)
        reader.skip_value()
        if reader.remaining():
            raise CorruptReplay(
                f"expected the end behind the value, found {reader.remaining()} more bytes", offset=reader.tell()
            )
