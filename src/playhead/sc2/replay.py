"""`Sc2Replay`: a replay of StarCraft II (``.SC2Replay``, every build) as a `Replay`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import proxy

from playhead.clock import GAME_TIME, Clock
from playhead.errors import ReplayError
from playhead.io.source import Input, Source, open_source
from playhead.model import Check, Info, Options, Player
from playhead.runtime.cached import cached_property, shared_property
from playhead.runtime.garbage import COLLECTOR_PAUSED
from playhead.runtime.records import replace
from playhead.sc2.members import member_names, players
from playhead.sc2.members.attribute_names import GAME_NAMESPACE
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND, loops_per_second, wall_seconds
from playhead.sc2.members.facts import (
    details_facts,
    header_facts,
    metadata_facts,
    region_codes,
    replay_info_facts,
    speed_facts,
)
from playhead.sc2.members.game_data import game_of
from playhead.sc2.members.header import FIRST_TAGGED_BUILD
from playhead.sc2.members.lobby import players_by_user
from playhead.sc2.members.lobby_players import Sources, with_allies_results, with_lobby, with_races
from playhead.sc2.members.setting import ARCADE, ARCHON, COOP, setting_facts
from playhead.sc2.parts import EVENT_STREAMS, Sc2Members
from playhead.sc2.presentation import PRESENTATION
from playhead.sc2.protocol.program import event_program
from playhead.sc2.protocol.tables import GAME, MESSAGE, TRACKER, protocol_table
from playhead.sc2.repair.survey import CHECKSUMS, DIGESTS
from playhead.sc2.tables.players.info_and_players import INFO, PLAYERS
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.sc2.abilities.names import AbilityNames, Catalog
    from playhead.sc2.events import Event, Scope
    from playhead.sc2.events.columns import EventStream
    from playhead.sc2.members.map_file import MapFile
    from playhead.sc2.state.players.winner import Inference, Side
    from playhead.sc2.state.timeline import State, Timeline

_STREAMS = {stream: member for member, stream in EVENT_STREAMS.items()}
_WHOLE_STREAMS = "streams of events"

#: What `Replay.verify` counts, and why it proves something.
_SELF_CHECKS = {
    CHECKSUMS: "The archive keeps CRC-32 and MD5 of what each member unpacks to.",
    DIGESTS: "From 1.5 on the MD5 of each 16 KiB of a member stands behind it as it is stored.",
    _WHOLE_STREAMS: "The type table of the build reads each to its last byte.",
}


class Sc2Replay(Sc2Members):
    """One StarCraft II replay.

    Besides what every `Replay` has: `header`, `archive`, and the members of `Sc2Members`, each decoded on first
    access. A stream of events is decompressed once and decoded into columns once, whatever is asked for.
    """

    format = "sc2"
    capabilities = frozenset({"moment", "anonymize", "map"})
    _choices = ("_catalog",)

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._streams: dict[str, EventStream | None] = {}
        self._catalog: Catalog | None = None

    # -- the promises -----------------------------------------------------------------------------------

    def _load_info(self) -> Info:
        info = self.brief_info
        if self.battle_lobby is None:
            return info
        lobby = {"bytes": self.battle_lobby.size, "unread_bytes": self.battle_lobby.unread}
        before = {name: value for name, value in info.details.items() if name != "metadata"}
        return replace(info, details={**before, "battle_lobby": lobby, **info.details})

    @shared_property
    def brief_info(self) -> Info:
        """As `info`, without the key ``battle_lobby`` of its `details`: a member that hardly shrinks, whose
        decompression takes as long as all else."""
        details, old, metadata = self.details, self.replay_info, self.metadata
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
            # Nothing in the file says when the game began: the end less the loops is wrong by every pause.
            start_time=None,
            end_time=None if details is None else details.ended,
            duration_ticks=self._duration[0],
            ticks_per_second=self.loops_per_second,
            winner=players.winner(self.players),
            details=self._info_details(),
        )

    def _inferred_facts(self) -> dict[str, Any]:
        """Return who probably won, of a game whose winner is not recorded."""
        if any(player.result is not None for player in self.players):
            return {}
        found = self.inferred_winner
        if found is None:
            return {}
        names = [player.name for player in self.players if player.team == found.team and player.name]
        return {
            "winner_inferred": ", ".join(names) or None,
            "winner_inferred_team": found.team,
            "winner_evidence": found.evidence,
        }

    def _info_details(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if self.header is not None:
            out |= header_facts(self.header)
        else:
            out |= {"use_scaled_time": self.use_scaled_time, "duration_from": self._duration[1]}
        if self.archive is not None:
            table = protocol_table(*self.builds)
            out["protocol"] = table.base_build
            out["tracker"] = member_names.TRACKER_EVENTS in self.archive
            if not out["tracker"]:
                from playhead.sc2.tables.registry import tables_of

                out["not_recorded"] = tables_of(TRACKER)
            out["confidence"] = table.confidence
            if self._known_builds is None:
                guess = self._guessed_builds
                out["confidence"] = "not known" if guess is None else "inferred: reads the members"
                out["build_range"] = None if guess is None else [guess.first, guess.last]
        if self.archive is not None and not self._complete:
            for stream in _STREAMS:  # how they go on behind gaps
                self.stream(stream)
        out |= self.gap_facts
        if self.details is not None:
            out |= details_facts(self.details)
            out["details_member"] = self._details_source[1]
        elif self.replay_info is not None:
            out |= replay_info_facts(self.replay_info)
        out |= setting_facts(self.lobby, self.attributes, self.players, region_codes(self.cache_handles))
        out |= self._inferred_facts()
        speed = self._speed()
        if speed is not None:
            out |= speed_facts(speed, self._duration[0])
        if self.load_info is not None:
            out["loading_screen"] = self.load_info.image or None
        if self.metadata is not None:
            out["metadata"] = metadata_facts(self.metadata)
        return out

    def _load_players(self) -> tuple[Player, ...]:
        build = self.builds[1]
        old, lobby = self.replay_info, self.lobby
        listed = None
        if self.details is not None:
            listed = players.from_details(self.details, build)
            if build < players.FIRST_RELIABLE_ROLES and lobby is not None:
                listed = players.with_lobby_teams(listed, lobby.slots)
        elif old is not None:
            listed = players.from_replay_info(old)
        users = {place: event for event, place in self.users_by_event.items()}
        known = Sources(lobby, self.attributes, users, build)
        found = with_lobby(listed, known, by_name=old is not None)
        found = players.with_summary(found, self.metadata, results=listed is None)
        if listed is None:
            mode = setting_facts(lobby, self.attributes, found, ())["mode"]
            # Without the lobby a mission looks like a game; its computers have picked something else.
            own = lobby is None and any(row.namespace != GAME_NAMESPACE for row in self.attributes)
            kinds = () if own or mode in (COOP, ARCADE) else ("human",) if lobby is None else ("human", "computer")
            from playhead.sc2.state.units.tracked import starting_races

            found = with_races(found, starting_races(self.stream(TRACKER)), picks=kinds)
        return with_allies_results(found)

    def _speed(self) -> int | None:
        """Return the speed of the game, a place in `clock.GAME_SPEEDS`; None if it is not known."""
        if self.details is not None:
            return self.details.game_speed
        if self.replay_info is not None:
            return self.replay_info.game_speed
        return None if self.lobby is None else self.lobby.game["m_gameSpeed"]

    @cached_property
    def _duration(self) -> tuple[int | None, str]:
        """The length in loops, and its source: the header, the game's summary (in seconds) or the last event."""
        if self.header is not None:
            return self.header.loops, "header"
        streams = [stream for name in (GAME, TRACKER) if (stream := self.stream(name)) is not None and len(stream)]
        if streams and any(stream.error is None for stream in streams):
            return max(stream.tick[-1].as_py() for stream in streams), "last event"
        if self.metadata is not None and self.metadata.duration is not None:
            return round(self.metadata.duration * NORMAL_LOOPS_PER_SECOND), "metadata"
        return None, "nothing"

    @cached_property
    def clock(self) -> Clock | None:
        """As `Replay.clock`, with the speed of the game."""
        clock, speed = self.brief_info.clock, self._speed()
        wall = None if speed is None else wall_seconds(1, speed)
        return clock and replace(clock, wall_ticks_per_second=1 / wall if wall else None, label=GAME_TIME)

    def _table_schemas(self) -> Iterable[TableSchema]:
        from playhead.sc2.tables.registry import TABLES

        return TABLES.schemas().values()

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        from playhead.sc2.tables.registry import build_tables

        return build_tables(self, names)

    # -- streams ----------------------------------------------------------------------------------------

    def stream(self, name: str, *, text: bool = False) -> EventStream | None:
        """Return the events of a stream (game, message or tracker), decoded to the end or to the first damage,
        which is noted; None where the replay has no such member.

        `text` asks for the fields as JSON too. A stream that was decoded without is decoded again for it, so that
        who needs it for a table asks for all tables at once.
        """
        held = self._streams.get(name)
        if name not in self._streams or (text and held is not None and not held.has_text):
            self._streams[name] = held = self.decode_member(
                _STREAMS[name], lambda data: self._decode_stream(data, name, text), f"all {name} events"
            )
        return held

    def _decode_stream(self, data: bytes, name: str, text: bool) -> EventStream:
        stream, noted = self._decode_around_gap(data, name, text)
        if stream.error is not None and not noted:
            self._note(stream.error.locate(where=_STREAMS[name]), cost=f"{name} events from here on")
        return stream

    def _decode_around_gap(self, data: bytes, name: str, text: bool) -> tuple[EventStream, bool]:
        """Return a stream decoded as far as it goes, and whether what ends it has been noted."""
        from playhead.sc2.events.columns import decode_stream
        from playhead.sc2.tables.registry import captured

        program = event_program(*self.builds, name)
        data = self.around_gap(_STREAMS[name], data)
        limits = self.options.limits
        stream = decode_stream(data, program, name, capture=captured(name), text=text, limits=limits)
        gaps = self.gaps(_STREAMS[name])
        if gaps and stream.error is None:
            stream.error = gaps[0].error
            return stream, True
        return stream, False

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

        wanted = Wanted.of(kinds, {name: event_program(*self.builds, name).names for name in STREAMS})
        return in_time_order(self._read_stream(name, numbers) for name, numbers in wanted.streams.items())

    def _read_stream(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        from playhead.sc2.events import Scope
        from playhead.sc2.events.reading import asks_for_names, events_of

        stream, noted = self._streams.get(name), True
        if stream is None:
            found = self.decode_member(
                _STREAMS[name], lambda data: self._decode_around_gap(data, name, text=False), f"all {name} events"
            )
            if found is None:
                return
            stream, noted = found
            if stream.error is None:
                self._streams[name] = stream
        # Events are decoded when somebody reads them, be the replay closed by then.
        names = self.ability_names if asks_for_names(stream, numbers) else None
        scope = Scope(self._camera_unit, self.tracker_cells)
        if names is not None:
            scope = Scope(self._camera_unit, self.tracker_cells, names.name, names.unit)
        yield from events_of(stream, self.loops_per_second, self.players_by_user, scope, numbers)
        if stream.error is not None and not noted:
            self._note(stream.error.locate(where=_STREAMS[name]), cost=f"{name} events from here on")

    @cached_property
    def event_scope(self) -> Scope:
        """Units of coordinates, and names of abilities, for the friendly fields of events."""
        from playhead.sc2.events import Scope

        # Kept by the replay, which must not need the garbage collector to be let go.
        mine = proxy(self)
        return Scope(
            self._camera_unit,
            self.tracker_cells,
            lambda link, index: mine._ability_name(link, index),
            lambda link: mine._unit_name(link),
        )

    @property
    def _camera_unit(self) -> float:
        """Parts of a cell that positions of the camera are in."""
        from playhead.sc2.events.values import COARSE, FINE

        return FINE if self.builds[1] < FIRST_TAGGED_BUILD else COARSE

    @cached_property
    def ability_names(self) -> AbilityNames | None:
        """Names of abilities: of the catalog that `use_abilities` was given or that the environment variable
        ``PLAYHEAD_SC2_ABILITIES`` names, else those of the build that come with the package. None where nobody
        knows any, as of some betas; empty and `modded` where the map has data of its own.
        """
        from playhead.sc2.abilities.bundled import FIRST_RETAIL, bundled_names
        from playhead.sc2.abilities.names import CATALOG_VARIABLE, read_catalog

        named = os.environ.get(CATALOG_VARIABLE)
        catalog = read_catalog(named) if named and self._catalog is None else self._catalog
        if catalog is not None:
            return catalog.for_build(self._data_build)
        names = bundled_names(game_of(self.cache_handles, self._data_build), self._data_build)
        if names is None:
            return None
        blizzard = self.details is not None and self.details.is_blizzard_map
        return names.for_orders(self._ordered, blizzard=blizzard or self._data_build < FIRST_RETAIL)

    @property
    def _ordered(self) -> list[int]:
        """The abilities of all orders, by link."""
        from playhead.sc2.encoding.field_column import NOTHING
        from playhead.sc2.events.commands import NO_LINK, CmdEvent

        game = self.stream(GAME)
        if game is None:
            return []
        links = game.of(CmdEvent).numbers("ability_link")
        return [link for link in links if link != NOTHING and link != NO_LINK]

    def use_abilities(self, catalog: Catalog) -> None:
        """Take the names of abilities from a catalog of your own (`tables.abilities.read_catalog`)."""
        self._catalog = catalog
        self.__dict__.pop("ability_names", None)
        self._tables.pop("commands", None)
        for stream in self._streams.values():
            if stream is not None:
                stream.forget()

    def _ability_name(self, link: int, index: int) -> str | None:
        return None if self.ability_names is None else self.ability_names.name(link, index)

    def _unit_name(self, link: int) -> str | None:
        return None if self.ability_names is None else self.ability_names.unit(link)

    # -- who and when -----------------------------------------------------------------------------------

    @property
    def loops_per_second(self) -> float:
        """Game loops in one second of the clock that the game shows."""
        return loops_per_second(self.use_scaled_time)

    @cached_property
    def players_by_lobby_user(self) -> Mapping[int, int]:
        """Player number by place in the lobby's list of users, for those users who play."""
        from playhead.sc2.state.units.tracked import player_setups

        if self.replay_info is not None:
            return self.replay_info.players_by_user
        return players_by_user(self.players, self.lobby, player_setups(self.stream(TRACKER)))

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
            ValueError: `when` is no time, or none of the recording.
        """
        given = [each for each in (when, loop, None if seconds is None else float(seconds)) if each is not None]
        if len(given) != 1:
            raise TypeError("at takes a moment: a loop or seconds")
        with self.lock:
            return self._moment(self.tick_within(given[0]))

    def _last_tick(self) -> int | None:
        return self._duration[0]

    def _moment(self, tick: int) -> State:
        with COLLECTOR_PAUSED:
            return replace(self._timeline.at(tick), roster=self.players)

    @cached_property
    def sides(self) -> Sequence[Side]:
        """The teams at the end of the game: who had left, whose structures stand."""
        from playhead.sc2.state.players.winner import sides

        return sides(self.players, self.stream(GAME), self.stream(TRACKER), self.players_by_user)

    @cached_property
    def inferred_winner(self) -> Inference | None:
        """Who probably won, from the game alone and never from the recorded result; None where nothing shows it,
        on maps with rules of their own, and where two share an army."""
        from playhead.sc2.state.players.winner import infer

        mode = setting_facts(self.lobby, self.attributes, self.players, ())["mode"]
        if mode in (ARCADE, ARCHON, COOP):
            return None
        return infer(self.sides, computers=any(player.kind == "computer" for player in self.players))

    info_schema = INFO
    players_schema = PLAYERS

    presentation = PRESENTATION

    def read_map(self, target: Input) -> MapFile:
        """What the map's own file says: its name in each language, size, bounds, minimap, where players may start;
        `MapFile.belongs` says whether the replay was played on this very file. See `Replay.read_map`.

        Raises:
            OSError: the file cannot be opened.
            UnknownFormat: it is no map.
            CorruptReplay, TruncatedReplay, LimitExceeded: it cannot be read.
        """
        from playhead.sc2.members.map_file import read_map

        source = open_source(target, self.options.limits)
        hashes = frozenset(handle[8:].hex() for handle in self.cache_handles)
        try:
            return read_map(source.data, hashes, self.options.limits)
        except ReplayError as error:
            raise error.locate(file=source.name) from None

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the replay without its people; `writing.anonymize` has the details. See
        `Replay.write_anonymized`.
        """
        from playhead.io.atomic import whole_file
        from playhead.sc2.writing.anonymize import anonymize

        if replace:
            raise ValueError(f"a sc2 replay has no {' and no '.join(replace)} to replace")
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

        game, tracker = self.stream(GAME), self.stream(TRACKER)
        return Timeline(game, tracker, self.tracker_cells, self.loops_per_second, self.players_by_user)

    @property
    def tracker_cells(self) -> float:
        """Cells in one unit of the tracker's positions."""
        from playhead.sc2.state.units.tracked import cell_size

        return cell_size(self.builds[0])

    # -- problems ---------------------------------------------------------------------------------------

    def _survey(self) -> None:
        if self.archive is None:
            return
        # Decoding comes first: it knows best what a loss costs.
        counts = [0, 0]
        for name in (GAME, MESSAGE, TRACKER):
            stream = self.stream(name)
            if stream is not None:
                counts[stream.error is not None] += 1
        self._verified[_WHOLE_STREAMS] = counts
        self._decode_rest()
        self._survey_members()
        self._report(len(self.source.data))

    def _checks(self) -> Iterable[Check]:
        return [
            Check(name, passed, failed, _SELF_CHECKS[name])
            for name, (passed, failed) in sorted(self._verified.items())
        ]
