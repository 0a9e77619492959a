"""`Members`: the members of a replay other than events, each decoded on first access and cached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.blizzard.encoding.struct import whole_value
from playhead.blizzard.members import member_names
from playhead.blizzard.members.attributes import Attribute, read_attributes
from playhead.blizzard.members.lobby import Lobby
from playhead.blizzard.recording.recording import GameRecording
from playhead.errors import CorruptReplay
from playhead.runtime.cached import cached_property
from playhead.sc2.members.game_data import VOID, game_of
from playhead.sc2.members.metadata import GameMetadata, read_metadata
from playhead.sc2.members.replay_info import ReplayInfo, read_replay_info
from playhead.sc2.protocol.patches import FIRST_ATTRIBUTES_WITH_SOURCE
from playhead.sc2.protocol.tables import known_builds

if TYPE_CHECKING:
    from playhead.sc2.members.battle_lobby import BattleLobby
    from playhead.sc2.members.load_info import LoadInfo
    from playhead.sc2.members.resumable import ResumeMarker
    from playhead.sc2.members.sync import SyncColumns
    from playhead.sc2.repair.guess_build import BuildGuess

#: `Problem.where` of inferred builds.
BUILDS = "builds"
# The header says from this base build on which clock the game shows, if it is tagged.
_SCALED_SINCE = 26490
# The last checksum is at most so many loops before the end: there is one every 64, in all real replays.
_LAST_CHECKSUM = 128
# From the build after this one on, the summary has all of these for each player.
_LAST_SHORT_SUMMARY = 44401
_OF_SUMMARY = {"apm": "APM", "result": "Result", "selected_race": "SelectedRace", "assigned_race": "AssignedRace"}


class Members(GameRecording):
    """The decoded members of a replay: None or empty if missing or, with a problem noted, unreadable."""

    _details_members = (member_names.DETAILS, member_names.DETAILS_BACKUP, member_names.REPLAY_INFO)
    _without_details = (
        "time, map file and names of computers; results before 3.4, accounts before 2.0.3. Players are those of "
        "lobby, attributes, metadata and tracker"
    )

    # -- details and metadata -------------------------------------------------------------------------------

    @cached_property
    def replay_info(self) -> ReplayInfo | None:
        """``replay.info`` of betas up to 0.10; None for all other replays."""
        return self.container.decode_member(member_names.REPLAY_INFO, read_replay_info, "players and map")

    @cached_property
    def metadata(self) -> GameMetadata | None:
        """``replay.gamemetadata.json``; None before 3.4 and in anonymised packs."""
        lost = "the game's own summary: APM, MMR, selected races"
        return self.container.decode_member(member_names.METADATA, read_metadata, lost)

    # -- builds ------------------------------------------------------------------------------------

    @property
    def version(self) -> str | None:
        if self.container.header is not None:
            return self.container.header.version
        return None if self.metadata is None else self.metadata.game_version

    @cached_property
    def recorded_builds(self) -> tuple[int, int] | None:
        """Base build and build of the header or else the metadata, which agree; None if unknown."""
        if self.container.header is not None:
            return self.container.header.base_build, self.container.header.build
        named = "" if self.metadata is None else (self.metadata.base_build or "").removeprefix("Base")
        return (int(named), int(named)) if named.isdecimal() and len(named) < 8 else None

    @cached_property
    def builds(self) -> tuple[int, int]:
        """Base build and build whose type table is used. If no member names them, the builds whose table decodes
        the members, or else the newest known."""
        if self.recorded_builds is not None:
            return self.recorded_builds
        guess = self.guessed_builds
        return (known_builds()[-1], known_builds()[-1]) if guess is None else guess.builds

    @cached_property
    def guessed_builds(self) -> BuildGuess | None:
        """The builds inferred from the members if none names them."""
        from playhead.sc2.repair.guess_build import TELL_BUILD, guess_build

        found = {name: self.container.try_member(name, bytes)[0] for name in TELL_BUILD}
        guess = guess_build({name: data for name, data in found.items() if data is not None})
        if guess is None:
            lost = CorruptReplay("expected builds in header or metadata, found none; no table decodes the events")
            self.container.note(
                lost.locate(where=BUILDS), cost="most members: the newest table that is known is used"
            )
            return None
        how = "reads the members to their ends" if guess.whole else "gets furthest with the members"
        table = f"the table of base builds {guess.first} to {guess.last}"
        lost = CorruptReplay(f"expected builds in header or metadata, found none; {table} {how}")
        cost = f"the version; it is inferred, and build {guess.builds[1]} is used"
        self.container.note(lost.locate(where=BUILDS), cost=cost)
        return guess

    @property
    def cache_handles(self) -> Sequence[bytes]:
        """The game's cache files, from the details, or else the lobby or the server's lobby data."""
        return self.cache_handles_source[1]

    @cached_property
    def cache_handles_source(self) -> tuple[str | None, Sequence[bytes]]:
        """The name of the member with the `cache_handles`, and the handles."""
        if self.details is not None:
            return self.details_source[1], self.details.cache_handles
        if self.replay_info is not None:
            return member_names.REPLAY_INFO, self.replay_info.cache_handles
        found = () if self.lobby is None else tuple(self.lobby.game.get("m_cacheHandles") or ())
        if found:
            return member_names.INIT_DATA, found
        lobby = self.battle_lobby
        return (None, ()) if lobby is None else (member_names.BATTLE_LOBBY, lobby.cache_handles)

    @cached_property
    def use_scaled_time(self) -> bool:
        """Whether the clock of the game counts 22.4 loops a second. If no header says so: whether the game's data
        is that of Legacy of the Void."""
        header = self.container.header
        if header is not None and (header.use_scaled_time is not None or header.base_build < _SCALED_SINCE):
            return bool(header.use_scaled_time)
        if header is not None:
            lost = CorruptReplay("expected m_useScaledTime in the header, found none")
            self.container.note(
                lost.locate(where="replay header"), "the clock's rate, unless it is that of the game"
            )
        return game_of(self.cache_handles, self.builds[1]) == VOID

    @property
    def data_build(self) -> int:
        """The build whose catalog numbers the abilities and unit types."""
        data = None if self.container.header is None else self.container.header.data_build
        return data or self.builds[1]

    # -- the lobby --------------------------------------------------------------------------------------

    @cached_property
    def lobby(self) -> Lobby | None:
        """``replay.initData`` or its backup; for betas up to 0.10 the lobby of `replay_info`."""
        return super().lobby if self.replay_info is None else self.replay_info.lobby

    # -- small members ----------------------------------------------------------------------------------

    @cached_property
    def load_info(self) -> LoadInfo | None:
        """``replay.load.info``: the map's loading screen; None before 0.19."""
        from playhead.sc2.members.load_info import read_load_info

        return self.container.decode_member(member_names.LOAD_INFO, read_load_info, "the loading screen")

    @cached_property
    def battle_lobby(self) -> BattleLobby | None:
        """The known part of ``replay.server.battlelobby``; None before 2.0.3 and in anonymised packs."""
        from playhead.sc2.members.battle_lobby import read_battle_lobby

        return self.container.decode_member(
            member_names.BATTLE_LOBBY, read_battle_lobby, "files that the server adds"
        )

    @cached_property
    def preview(self) -> bytes | None:
        """``save.jpg``: a picture of the map as a JPEG file; None from 0.11 on."""
        return self.container.decode_member(member_names.PREVIEW, bytes, "the picture of the map")

    def _read_attributes(self, data: bytes) -> list[Attribute]:
        return read_attributes(data, with_source=self.builds[1] >= FIRST_ATTRIBUTES_WITH_SOURCE)

    @cached_property
    def sync_columns(self) -> SyncColumns | None:
        """``replay.sync.events``: checksums of the players' game states, which the game compares; None without
        them."""
        from playhead.sc2.members.sync import read_sync

        return self.container.decode_member(member_names.SYNC_EVENTS, read_sync, "the table sync")

    @cached_property
    def resume_markers(self) -> Sequence[ResumeMarker]:
        """``replay.resumable.events``: moments from which the game can be resumed."""
        from playhead.sc2.members.resumable import read_resumable

        build = self.builds[1]
        found = self.container.decode_member(
            member_names.RESUMABLE, lambda data: read_resumable(data, build), "the table resume_points"
        )
        return found or ()

    def decode_rest(self) -> None:
        """Decode backups and small members to find their problems."""
        super().decode_rest()
        summary = self.metadata
        if summary is not None and not summary.is_not_available and self.builds[0] > _LAST_SHORT_SUMMARY:
            lost = [
                key
                for name, key in _OF_SUMMARY.items()
                if any(getattr(player, name) is None for player in summary.players)
            ]
            if lost or not summary.players:
                found = CorruptReplay(
                    f"expected {', '.join(lost) or 'Players'} of each player, found some without"
                )
                self.note(found.locate(where=member_names.METADATA), "what the summary has of players")
        for name in ("use_scaled_time", "sync_columns", "resume_markers", "battle_lobby"):
            getattr(self, name)  # decoding it finds its problems
        self._check_sync()
        self.container.decode_member(member_names.METADATA_STRUCT, self._walk_value, "no column of a table")

    def _check_sync(self) -> None:
        """Note checksums that do not end with the game: they are those of another one."""
        header, sync = self.container.header, self.sync_columns
        if header is None or sync is None or not sync.ticks or not header.loops:
            return
        last = sync.ticks[-1]
        if not 0 <= header.loops - last < _LAST_CHECKSUM:
            what = (
                f"expected checksums up to about loop {header.loops}, as in the header, found the last at {last}"
            )
            self.container.note(CorruptReplay(what).locate(where=member_names.SYNC_EVENTS), "the table sync")

    def _walk_value(self, data: bytes) -> None:
        whole_value(data, self.limits, "value")
