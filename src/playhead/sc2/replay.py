"""`Sc2Replay`: the front door's promises kept for ``.SC2Replay`` files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.clock import Clock
from playhead.errors import CorruptReplay, ReplayError
from playhead.io.source import Source
from playhead.model import Economy, Info, Moment, Options, Player, Presentation
from playhead.sc2.container import Sc2Container
from playhead.sc2.encoding.versioned import VersionedReader
from playhead.sc2.members import names as members
from playhead.sc2.members import players
from playhead.sc2.members.clock import loops_per_second, wall_seconds
from playhead.sc2.members.details import GAME_SPEEDS, Details, read_details
from playhead.sc2.members.facts import details_facts, header_facts, replay_info_facts
from playhead.sc2.members.header import FIRST_TAGGED_BUILD
from playhead.sc2.members.metadata import GameMetadata, read_metadata
from playhead.sc2.members.replay_info import ReplayInfo, read_replay_info
from playhead.sc2.members.text import decode_text, split_name
from playhead.sc2.mpq import MpqArchive
from playhead.sc2.protocol.tables import GAME, MESSAGE, TRACKER, known_builds, protocol_table
from playhead.sc2.tables import schemas as tables
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.sc2.events import Event, Scope
    from playhead.sc2.events.columns import Stream
    from playhead.sc2.members.load_info import LoadInfo
    from playhead.sc2.members.lobby import Lobby
    from playhead.sc2.state.timeline import State, Timeline
    from playhead.sc2.tables.abilities import AbilityNames, Catalog
    from playhead.sc2.tables.game import Context

_ARCHIVE = "archive"
_HIJACK = ".SHijackReplayGameEvent"
_STREAMS = {GAME: members.GAME_EVENTS, MESSAGE: members.MESSAGE_EVENTS, TRACKER: members.TRACKER_EVENTS}


class Sc2Replay(Sc2Container):
    """One StarCraft II replay.

    Besides what every `Replay` has: `header`, `archive`, `details`, `replay_info` and `metadata`, each decoded on
    first access, and None where the replay does not have it or it cannot be read (`problems` tells which).
    """

    format = "sc2"
    capabilities = frozenset({"moment", "anonymize"})

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._streams: dict[str, Stream | None] = {}
        self._catalog: Catalog | None = None

    # -- parts ------------------------------------------------------------------------------------------

    def _read_details(self, data: bytes) -> Details:
        return read_details(data, self.options.limits)

    @cached_property
    def _details_source(self) -> tuple[Details | None, str | None]:
        """The details and the member that they are from."""
        if self.archive is None:
            return None, None
        found = [name for name in (members.DETAILS, members.DETAILS_BACKUP) if name in self.archive]
        for name in found:
            costs = "names of players" if name != found[-1] else "players, map and time"
            details = self.decode_member(name, self._read_details, costs)
            if details is not None:
                return details, name
        if not found and members.REPLAY_INFO not in self.archive:
            missing = CorruptReplay(
                f"expected {members.DETAILS}, {members.DETAILS_BACKUP} or {members.REPLAY_INFO}, "
                f"found none of them among {sum(block.exists for block in self.archive.blocks)} members"
            )
            self._note(missing.locate(where=_ARCHIVE), cost="players, map and time")
        return None, None

    @property
    def details(self) -> Details | None:
        """``replay.details``, or its backup where that is all there is; None for betas up to 0.10."""
        return self._details_source[0]

    @cached_property
    def replay_info(self) -> ReplayInfo | None:
        """``replay.info`` of betas up to 0.10; None for all other replays."""
        return self.decode_member(members.REPLAY_INFO, read_replay_info, "players and map")

    @cached_property
    def metadata(self) -> GameMetadata | None:
        """``replay.gamemetadata.json``; None before 3.4 and in anonymised packs."""
        lost = "the game's own summary: APM, MMR, selected races"
        return self.decode_member(members.METADATA, read_metadata, lost)

    # -- the promises -----------------------------------------------------------------------------------

    @cached_property
    def _complete(self) -> bool:
        """Tables readable, game events there, and every block inside the file."""
        archive = self.archive
        if not isinstance(archive, MpqArchive) or members.GAME_EVENTS not in archive:
            return False
        end = len(self.data) - archive.header.offset
        return all(block.offset + block.stored_size <= end for block in archive.blocks if block.exists)

    def _load_info(self) -> Info:
        header, details, old, metadata = self.header, self.details, self.replay_info, self.metadata
        title = details.title if details is not None else old.title if old is not None else None
        if not title and metadata is not None:
            title = metadata.title
        return Info(
            format=self.format,
            game="sc2",
            source=self.name,
            complete=self._complete,
            version=self._version,
            build=self._known_builds[0] if self._known_builds else None,
            map=title or None,
            # Nothing in the file tells when the game began: the end less the loops is wrong by every pause.
            start_time=None,
            end_time=None if details is None else details.ended,
            duration_ticks=None if header is None else header.loops,
            ticks_per_second=None if header is None else loops_per_second(header.use_scaled_time),
            winner=players.winner(self.players),
            details=self._info_details(),
        )

    def _info_details(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if self.header is not None:
            out |= header_facts(self.header)
        if self.archive is not None:
            table = protocol_table(*self._builds)
            out["protocol"] = table.base_build
            out["confidence"] = table.confidence if self._known_builds else "fits the game's events"
        speed = None
        if self.details is not None:
            speed = self.details.game_speed
            out |= details_facts(self.details)
            out["details_member"] = self._details_source[1]
        elif self.replay_info is not None:
            speed = self.replay_info.game_speed
            out |= replay_info_facts(self.replay_info)
        if speed is not None:
            out["game_speed"] = GAME_SPEEDS[speed][0] if 0 <= speed < len(GAME_SPEEDS) else speed
            if self.header is not None:
                out["wall_seconds"] = wall_seconds(self.header.loops, speed)
        if self.load_info is not None:
            out["loading_screen"] = self.load_info.image or None
        if self.metadata is not None:
            out["metadata"] = {
                "title": self.metadata.title,
                "data_version": self.metadata.data_version,
                "duration": self.metadata.duration,
                "is_not_available": self.metadata.is_not_available,
            }
        return out

    def _load_players(self) -> tuple[Player, ...]:
        build = None if self.header is None else self.header.build
        if self.details is not None:
            found = players.from_details(self.details, self.metadata, build)
            if build is None or build >= players.FIRST_RELIABLE_ROLES or self.lobby is None:
                return found
            return players.with_lobby_teams(found, self.lobby.slots)
        if self.replay_info is not None:
            return players.from_replay_info(self.replay_info)
        return ()

    def _table_schemas(self) -> Iterable[TableSchema]:
        return tables.ALL

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        from playhead.sc2.tables.build import build_tables

        return build_tables(self, names)

    # -- streams ----------------------------------------------------------------------------------------

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

    @property
    def builds(self) -> tuple[int, int]:
        """Base build and build whose type table is used: of the header, or else found by trying."""
        return self._builds

    @cached_property
    def _builds(self) -> tuple[int, int]:
        """Base build and build. Where nothing tells them, those whose type table reads the game's events; the
        newest known if none does."""
        if self._known_builds is not None:
            return self._known_builds
        from playhead.sc2.repair.recognise import fitting_builds

        lobby = self.decode_member(members.INIT_DATA, bytes, "the lobby, unless its backup is sound")
        fitting = self.decode_member(
            members.GAME_EVENTS, lambda game: fitting_builds(game, lobby), "all game events"
        )
        return fitting or (known_builds()[-1], known_builds()[-1])

    def stream(self, name: str, *, text: bool = False) -> Stream | None:
        """The events of a stream (game, message or tracker), decoded to the end or to the first damage, which is
        noted; None where the replay has no such member. `text` asks for the fields as JSON."""
        held = self._streams.get(name)
        if name not in self._streams or (text and held is not None and held.text is None):
            self._streams[name] = held = self.decode_member(
                _STREAMS[name], lambda data: self._decode_stream(data, name, text), f"all {name} events"
            )
        return held

    def _decode_stream(self, data: bytes, name: str, text: bool) -> Stream:
        from playhead.sc2.events.columns import decode_stream
        from playhead.sc2.protocol.program import event_program

        stream = decode_stream(data, event_program(*self._builds, name), name, text=text)
        if stream.error is not None:
            self._note(stream.error.locate(where=_STREAMS[name]), cost=f"{name} events from here on")
        return stream

    def _event_kinds(self) -> Mapping[str, str]:
        from playhead.sc2.events.reading import event_kinds

        return event_kinds()

    def events(self, *kinds: str | type[Event]) -> Iterator[Event]:
        """Events one by one, in the order of their loops: all, or those of `kinds`.

        A kind is a short word (``chat``, ``command``, ``selection``, ``unit_born``), Blizzard's name
        (``SCmdEvent``, ``NNet.Game.SCmdEvent``), a pattern of either (``unit_*``), a class of
        `playhead.sc2.events`, or a whole stream (``game``, ``message``, ``tracker``). Each event is of its
        class there, with friendly fields beside the raw ones. Of one loop, the tracker's events come first and
        messages last; a stream's own order never changes.

        Damage ends its stream and is noted. Columns (`table`) are many times faster.

        Raises:
            KeyError: no build has such events; the text suggests others.
        """
        from playhead.sc2.events.reading import STREAMS, Wanted, in_time_order
        from playhead.sc2.protocol.program import event_program

        wanted = Wanted.of(kinds, {name: event_program(*self._builds, name).names for name in STREAMS})
        return in_time_order(self._read_stream(name, numbers) for name, numbers in wanted.streams.items())

    def _read_stream(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        from playhead.sc2.events.reading import read_events
        from playhead.sc2.protocol.program import event_program

        data = self.decode_member(_STREAMS[name], bytes, f"all {name} events")
        if data is None:
            return
        context = self.table_context
        try:
            yield from read_events(
                data,
                event_program(*self._builds, name),
                name,
                context.rate,
                context.players,
                self._event_scope,
                numbers,
            )
        except ReplayError as error:
            self._note(error.locate(where=_STREAMS[name]), cost=f"{name} events from here on")

    @cached_property
    def _event_scope(self) -> Scope:
        from playhead.sc2.events import Scope
        from playhead.sc2.events.base import COARSE, FINE

        beta = self._builds[1] < FIRST_TAGGED_BUILD
        return Scope(FINE if beta else COARSE, self.tracker_cells, self.table_context.ability)

    @cached_property
    def ability_names(self) -> AbilityNames | None:
        """Names of abilities: of the catalog that `use_abilities` was given or that the environment variable
        ``PLAYHEAD_SC2_ABILITIES`` names, else of an installed sc2reader; None where there is neither.
        """
        from playhead.sc2.tables.abilities import CATALOG_VARIABLE, game_of, names_of_sc2reader, read_catalog

        named = os.environ.get(CATALOG_VARIABLE)
        catalog = read_catalog(named) if named and self._catalog is None else self._catalog
        if catalog is not None:
            return catalog.for_build(self._data_build)
        handles = () if self.details is None else self.details.cache_handles
        return names_of_sc2reader(game_of(handles, self._data_build), self._data_build)

    def use_abilities(self, catalog: Catalog) -> None:
        """Take the names of abilities from a catalog of your own (`tables.abilities.read_catalog`)."""
        self._catalog = catalog
        self.__dict__.pop("ability_names", None)
        self._tables.pop("commands", None)

    @property
    def _data_build(self) -> int:
        """The build whose catalog the numbers of abilities and unit types are places in."""
        data = None if self.header is None else self.header.data_build
        return data or self._builds[1]

    def _ability_name(self, link: int, index: int) -> str | None:
        return None if self.ability_names is None else self.ability_names.name(link, index)

    @cached_property
    def lobby(self) -> Lobby | None:
        """``replay.initData``, or its backup where that is all there is; of betas up to 0.10 in `replay_info`."""
        from playhead.sc2.members.lobby import read_lobby

        if self.replay_info is not None:
            return self.replay_info.lobby
        for name, cost in (
            (members.INIT_DATA, "the lobby, unless its backup is sound"),
            (members.INIT_DATA_BACKUP, "the lobby"),
        ):
            lobby = self.decode_member(name, lambda data: read_lobby(data, *self._builds), cost)
            if lobby is not None:
                return lobby
        return None

    @cached_property
    def players_by_lobby_user(self) -> Mapping[int, int]:
        """Player number by place in the lobby's list of users, for those users who play."""
        from playhead.sc2.members.lobby import players_by_user
        from playhead.sc2.tables.tracker import player_setups

        if self.replay_info is not None:
            return self.replay_info.players_by_user
        return players_by_user(self.players, self.lobby, player_setups(self.stream(TRACKER)))

    @cached_property
    def users_by_event(self) -> Mapping[int, int]:
        """Place in the lobby's list of users by user id of events; up to 1.5 the two are not the same."""
        return {} if self.lobby is None else self.lobby.users_by_event(self._builds[0])

    @cached_property
    def players_by_user(self) -> Mapping[int, int]:
        """Player number by user id of events, for those users who play."""
        players_by_place = self.players_by_lobby_user
        if self.lobby is None:
            return players_by_place
        return {
            event: players_by_place[user]
            for event, user in self.users_by_event.items()
            if user in players_by_place
        }

    @cached_property
    def load_info(self) -> LoadInfo | None:
        """``replay.load.info``: the map's loading screen; None before 0.19."""
        from playhead.sc2.members.load_info import read_load_info

        return self.decode_member(members.LOAD_INFO, read_load_info, "the loading screen")

    @cached_property
    def preview(self) -> bytes | None:
        """``save.jpg``: a picture of the map as a JPEG file; None from 0.11 on."""
        return self.decode_member(members.PREVIEW, bytes, "the picture of the map")

    @cached_property
    def table_context(self) -> Context:
        """What tables of events need to know of the whole."""
        from playhead.sc2.tables.game import Context

        scaled = self.header is not None and self.header.use_scaled_time
        names: dict[int, str | None] = {}
        if self.lobby is not None:
            names = {
                event: split_name(self.lobby.user_name(user) or "")[1]
                for event, user in self.users_by_event.items()
            }
        return Context(
            build=self._builds[1],
            rate=loops_per_second(scaled),
            players=self.players_by_user,
            names=names,
            find_taken_over=lambda: self._taken_over,
            ability=self._ability_name,
        )

    @cached_property
    def _taken_over(self) -> tuple[int, dict[int, str | None]] | None:
        """When the game was resumed from a replay, and the names of its users since; None if it was not."""
        from playhead.sc2.encoding.event_decoder import EventDecoder
        from playhead.sc2.protocol.program import event_program

        stream = self.stream(GAME)
        hijacks = [] if stream is None else [n for n, name in stream.names.items() if name.endswith(_HIJACK)]
        if stream is None or not hijacks or hijacks[0] not in stream.number.unique().to_pylist():
            return None
        decoder = EventDecoder(event_program(*self._builds, GAME), self.read_member(members.GAME_EVENTS))
        for _ in range(len(stream)):
            event = decoder.next_event()
            if event is not None and event[2] == hijacks[0]:
                infos = event[3]["m_userInfos"]
                return event[0], {info["m_gameUserId"]: decode_text(info["m_name"]) or None for info in infos}
        return None

    @cached_property
    def clock(self) -> Clock | None:
        """As `Replay.clock`, with the speed of the game."""
        clock = self.info.clock
        speed = None
        if self.details is not None:
            speed = self.details.game_speed
        elif self.replay_info is not None:
            speed = self.replay_info.game_speed
        wall = None if speed is None else wall_seconds(1, speed)
        if clock is None or not wall:
            return clock
        return Clock(clock.ticks_per_second, wall_ticks_per_second=1 / wall)

    def at(
        self, when: int | float | str | None = None, *, loop: int | None = None, seconds: float | None = None
    ) -> State:
        """The state of the game after all events of a loop: units, upgrades, resources, selections and control
        groups. Asking in ascending order is cheap.

        Args:
            when: a loop (int), seconds (float) or text such as ``"12:30"``; see `to_tick`. Of seconds, the last
                loop before.
            loop: the same as `when`, an int.
            seconds: the same as `when`, a float.

        Raises:
            TypeError: none or several are given.
            ValueError: `when` is no time.
        """
        given = [each for each in (when, loop, None if seconds is None else float(seconds)) if each is not None]
        if len(given) != 1:
            raise TypeError("at takes a moment: a loop or seconds")
        return self._timeline.at(self.to_tick(given[0]))

    presentation = Presentation(
        Economy("player_stats", ("minerals_collection_rate", "vespene_collection_rate"), "collected in a minute"),
        no_actions=frozenset({"camera", "update_point", "update_unit"}),
    )

    def _moment(self, tick: int) -> Moment:
        from playhead.sc2.state.moment import moment_of

        return moment_of(self.at(tick), self.players)

    def write_anonymized(
        self, path: str | Path, *, salt: str | bytes | None = None, keep_chat: bool = False
    ) -> tuple[str, ...]:
        """Write the replay without its people; `writing.anonymize` has the details. See
        `Replay.write_anonymized`.
        """
        from playhead.io.atomic import whole_file
        from playhead.sc2.writing.anonymize import anonymize

        key = salt.encode() if isinstance(salt, str) else salt
        done = anonymize(self, salt=key, keep_chat=keep_chat)
        with whole_file(Path(path)) as target:
            target.write_bytes(done.data)
        return (
            *(f"{name} is left out: it may name people" for name in done.removed),
            *(f"{name} ends at its first damage" for name in done.cut),
        )

    @cached_property
    def _timeline(self) -> Timeline:
        from playhead.sc2.state.timeline import Timeline

        context = self.table_context
        return Timeline(self.stream(GAME), self.stream(TRACKER), self.tracker_cells, context.rate, context.players)

    @property
    def tracker_cells(self) -> float:
        """Cells in one unit of the tracker's positions."""
        from playhead.sc2.tables.tracker import cell_size

        return cell_size(self._builds[0])

    def _survey(self) -> None:
        archive = self.archive
        if archive is None:
            return
        # Decoding comes first: it knows best what a loss costs. Both copies, even where one was enough.
        unless = "nothing, as long as replay.details is sound"
        self.decode_member(members.DETAILS_BACKUP, self._read_details, unless)
        self._survey_streams()
        self.decode_member(members.METADATA_STRUCT, self._walk_value, "nothing that a table has")
        self._survey_members()
        self._report(len(self.source.data))

    def _survey_streams(self) -> None:
        from playhead.sc2.tables.build import check_small_members

        counts = [0, 0]
        for name in (GAME, MESSAGE, TRACKER):
            stream = self.stream(name)
            if stream is not None:
                counts[stream.error is not None] += 1
        self._verified["streams of events"] = counts
        self.lobby  # noqa: B018  (decoding it is what finds its problems)
        check_small_members(self)

    def _walk_value(self, data: bytes) -> None:
        limits = self.options.limits
        reader = VersionedReader(data, max_depth=limits.depth, max_elements=limits.elements)
        reader.skip_value()
        if reader.remaining():
            raise CorruptReplay(
                f"expected the end behind the value, found {reader.remaining()} more bytes", offset=reader.tell()
            )
