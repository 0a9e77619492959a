"""`Sc2Recording`: a replay's members, players and events, each decoded on first access and cached."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import proxy

from playhead.blizzard.encoding.versioned import whole_value
from playhead.blizzard.members import member_names
from playhead.blizzard.members.lobby import Attribute, Lobby, read_attributes
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.recording.recording import GameRecording
from playhead.errors import CorruptReplay
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import Player, ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.sc2.members import lobby_players, players
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND, game_clock, loops_per_second
from playhead.sc2.members.lobby import FIRST_SETUPS, PlayerSetup, players_by_user
from playhead.sc2.members.metadata import GameMetadata, read_metadata
from playhead.sc2.members.players import FIRST_RETAIL_BUILD
from playhead.sc2.members.replay_info import ReplayInfo, read_replay_info
from playhead.sc2.members.setting import (
    ARCADE,
    ARCHON,
    COOP,
    GAME_NAMESPACE,
    VOID,
    game_of,
    has_own_rules,
    setting_facts,
)
from playhead.sc2.protocol.tables import FIRST_ATTRIBUTES_WITH_SOURCE, known_builds
from playhead.sc2.recording.game import FIRST_TRACKER, STARCRAFT2

if TYPE_CHECKING:
    from playhead.blizzard.events import Scope
    from playhead.sc2.abilities.names import AbilityNames, Catalog
    from playhead.sc2.members.battle_lobby import BattleLobby
    from playhead.sc2.members.metadata import LoadInfo
    from playhead.sc2.members.resumable import ResumeMarker
    from playhead.sc2.members.sync import SyncColumns
    from playhead.sc2.repair import BuildGuess
    from playhead.sc2.state.players.starts import LateStart
    from playhead.sc2.state.players.winner import Inference, Side
    from playhead.sc2.state.timeline import Timeline


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
        from playhead.sc2.repair import TELL_BUILD, guess_build

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
        from playhead.sc2.members.metadata import read_load_info

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


class Sc2Recording(Members):
    """One replay file. Everything is decoded on first access and cached."""

    def __init__(self, source: Source, limits: Limits, note: ProblemHandler, *, strict: bool) -> None:
        super().__init__(source, STARCRAFT2, limits, note, strict=strict)
        self._catalog: Catalog | None = None

    # -- clock ------------------------------------------------------------------------------------------

    @property
    def loops_per_second(self) -> float:
        """Game loops in one second of the clock that the game shows."""
        return loops_per_second(self.use_scaled_time)

    @property
    def speed(self) -> int | None:
        """The speed of the game as an index in `clock.GAME_SPEEDS`; None if unknown."""
        if self.details is not None:
            return self.details.game_speed
        if self.replay_info is not None:
            return self.replay_info.game_speed
        return None if self.lobby is None else self.lobby.game["m_gameSpeed"]

    @cached_property
    def duration(self) -> tuple[int | None, str]:
        """The length in loops, and its source: the header, the last event, or the summary's seconds."""
        if self.container.header is not None:
            return self.container.header.loops, "header"
        streams = [stream for name in (GAME, TRACKER) if (stream := self.stream(name)) is not None and len(stream)]
        if streams and any(stream.error is None for stream in streams):
            return max(stream.rows.heads[0][-1] for stream in streams), "last event"
        if self.metadata is not None and self.metadata.duration is not None:
            return round(self.metadata.duration * NORMAL_LOOPS_PER_SECOND), "metadata"
        return None, "nothing"

    @cached_property
    def late_start(self) -> LateStart | None:
        """The start of a game that begins after its recording: GameHeart, in Heart of the Swarm."""
        if self.builds[1] < FIRST_TRACKER or game_of(self.cache_handles, self.data_build) == VOID:
            return None
        from playhead.sc2.state.players.starts import late_start

        return late_start(self.stream(TRACKER))

    @property
    def start_tick(self) -> int:
        """Loop at which the game begins."""
        return 0 if self.late_start is None else self.late_start.tick

    def decode_rest(self) -> None:
        """Decode unread members to find their problems."""
        super().decode_rest()
        tracker = self.stream(TRACKER)
        if tracker is None or tracker.error is not None:
            return
        from playhead.sc2.recording.expected import missing

        own_rules = self.lobby is not None and has_own_rules(self.lobby, self.attributes)
        for what, cost in missing(tracker, own_rules=own_rules):
            self.note(CorruptReplay(what).locate(where=member_names.TRACKER_EVENTS), cost)

    # -- players ----------------------------------------------------------------------------------------

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The participants, from details, lobby, attributes, metadata and tracker."""
        build = self.builds[1]
        old, lobby = self.replay_info, self.lobby
        listed = None
        if self.details is not None and not self.details.players:
            error = CorruptReplay("expected the players, found none").locate(where=member_names.DETAILS)
            self.note(error, "what only the details have of the players")
        elif self.details is not None:
            listed = players.from_details(self.details, build)
            if build < players.FIRST_RELIABLE_ROLES and lobby is not None:
                listed = players.with_lobby_teams(listed, lobby.slots)
        elif old is not None:
            listed = players.from_replay_info(old)
        users = {place: event for event, place in self.users_by_event.items()}
        known = lobby_players.Sources(lobby, self.attributes, users, build, self._slot_numbers)
        found = lobby_players.with_lobby(listed, known, by_name=old is not None)
        found = players.with_summary(found, self.metadata, results=listed is None)
        if listed is None:
            mode = setting_facts(lobby, self.attributes, found, ())["mode"]
            # Without the lobby a mission looks like a melee game, but its computers did not pick these races.
            own = lobby is None and any(row.namespace != GAME_NAMESPACE for row in self.attributes)
            kinds = () if own or mode in (COOP, ARCADE) else ("human",) if lobby is None else ("human", "computer")
            from playhead.sc2.state.players.starts import starting_races

            found = lobby_players.with_races(found, starting_races(self.stream(TRACKER)), picks=kinds)
        if self.late_start is not None:
            found = lobby_players.with_late_start(found, self.late_start.races)
        return lobby_players.with_allies_results(found)

    @property
    def _slot_numbers(self) -> Mapping[int, int]:
        def setups() -> Sequence[PlayerSetup]:
            from playhead.sc2.state.players.starts import player_setups

            return player_setups(self.stream(TRACKER))

        archive = self.container.archive
        tracked = archive is not None and member_names.TRACKER_EVENTS in archive
        by_place = tracked and self.builds[1] < FIRST_SETUPS
        return lobby_players.slot_numbers(self.lobby, self.metadata, setups, by_place=by_place)

    @cached_property
    def players_by_lobby_user(self) -> Mapping[int, int]:
        """Player number by index in the lobby's list of users, without observers."""
        from playhead.sc2.state.players.starts import player_setups

        if self.replay_info is not None:
            return self.replay_info.players_by_user
        return players_by_user(self.players, self.lobby, player_setups(self.stream(TRACKER)))

    @cached_property
    def players_by_user(self) -> Mapping[int, int]:
        """Player number by user id of events, without observers."""
        players_by_place = self.players_by_lobby_user
        if self.lobby is None:
            return players_by_place
        return {
            event: players_by_place[user]
            for event, user in self.users_by_event.items()
            if user in players_by_place
        }

    @cached_property
    def sides(self) -> Sequence[Side]:
        """The teams at the end of the game, with their leaving and their structures."""
        from playhead.sc2.state.players.winner import sides

        return sides(self.players, self.stream(GAME), self.stream(TRACKER), self.players_by_user)

    @cached_property
    def inferred_winner(self) -> Inference | None:
        """The probable winner, inferred without the recorded result; None if the events do not show it, on maps
        with their own rules, and if two players share an army."""
        from playhead.sc2.state.players.winner import infer

        mode = setting_facts(self.lobby, self.attributes, self.players, ())["mode"]
        if mode in (ARCADE, ARCHON, COOP):
            return None
        return infer(self.sides, computers=any(player.kind == "computer" for player in self.players))

    @cached_property
    def timeline(self) -> Timeline:
        """The game state at any loop."""
        from playhead.sc2.state.timeline import Timeline

        game, tracker = self.stream(GAME), self.stream(TRACKER)
        clock = game_clock(self.loops_per_second, self.start_tick)
        return Timeline(game, tracker, self._tracker_cells, clock, self.players_by_user)

    # -- units of coordinates, names of abilities -------------------------------------------------------

    @property
    def _tracker_cells(self) -> float:
        """Cells in one unit of the tracker's positions."""
        from playhead.sc2.state.players.starts import cell_size

        return cell_size(self.builds[0])

    def _plain_scope(self, *names: Callable[..., str | None]) -> Scope:
        """Return the units of coordinates with these functions for names of abilities and unit types."""
        from playhead.blizzard.events import Scope
        from playhead.blizzard.events.scope import COARSE, FINE

        camera_unit = FINE if self.builds[1] < FIRST_RETAIL_BUILD else COARSE
        return Scope(camera_unit, self._tracker_cells, *names)

    def _scope(self, named: bool) -> Scope:
        """Return a scope that works without the recording: events are decoded on access, even after closing."""
        names = self.ability_names if named else None
        return self._plain_scope() if names is None else self._plain_scope(names.name, names.unit)

    @cached_property
    def event_scope(self) -> Scope:
        """Units of coordinates and names of abilities, for the friendly fields of events."""
        # The recording caches the scope, so a reference back to the recording would be a cycle.
        mine = proxy(self)
        return self._plain_scope(
            lambda link, index: mine.ability_names and mine.ability_names.name(link, index),
            lambda link: mine.ability_names and mine.ability_names.unit(link),
        )

    @cached_property
    def ability_names(self) -> AbilityNames | None:
        """Names of abilities: from `catalog`, the file in the environment variable ``PLAYHEAD_SC2_ABILITIES``, or
        the packaged list for the build. None if no list is known, as for some betas; empty and `modded` if the
        map has its own data.
        """
        from playhead.sc2.abilities.bundled import FIRST_RETAIL, bundled_names
        from playhead.sc2.abilities.names import CATALOG_VARIABLE, read_catalog

        named = os.environ.get(CATALOG_VARIABLE)
        catalog = read_catalog(named) if named and self._catalog is None else self._catalog
        if catalog is not None:
            return catalog.for_build(self.data_build)
        names = bundled_names(game_of(self.cache_handles, self.data_build), self.data_build)
        if names is None:
            return None
        if self.data_build < FIRST_RETAIL or (self.details is not None and self.details.is_blizzard_map):
            return names
        return names.for_orders(self._ordered)

    @property
    def _ordered(self) -> list[int]:
        """The abilities of all orders, by link."""
        from playhead.blizzard.encoding.field_column import NOTHING
        from playhead.blizzard.events.commands import NO_LINK, CmdEvent

        game = self.stream(GAME)
        if game is None:
            return []
        links = game.of(CmdEvent).numbers("ability_id")
        return [link for link in links if link != NOTHING and link != NO_LINK]

    @property
    def catalog(self) -> Catalog | None:
        """The user's own names of abilities."""
        return self._catalog

    @catalog.setter
    def catalog(self, catalog: Catalog | None) -> None:
        self._catalog = catalog
        self.__dict__.pop("ability_names", None)
        for stream in self.streams.decoded.values():
            if stream is not None:
                stream.forget()
