"""`Source2Replay`: the front door's promises kept for ``.dem`` files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.clock import ticks_between
from playhead.errors import CorruptReplay, ReplayError
from playhead.events import Event, EventSource, events_of_tables
from playhead.model import Check, Info, Moment, Player
from playhead.source2.container.demo import Content, Source2Container
from playhead.source2.container.frames import (
    FULL_PACKET,
    PACKET,
    SEND_TABLES,
    SIGNON_PACKET,
    STRING_TABLES,
    Frame,
)
from playhead.source2.entities.classes import Projection
from playhead.source2.messages import wire
from playhead.source2.messages.decoded import Message
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.messages.numbers import COMMANDS, message_names
from playhead.source2.playback.playback import Playback, ProblemHandler
from playhead.source2.playback.recording import Schema
from playhead.source2.playback.world import World
from playhead.source2.string_tables.history import MESSAGES as STRING_TABLE_MESSAGES
from playhead.source2.string_tables.history import StringTableHistory
from playhead.source2.tables import players
from playhead.source2.tables import schemas as tables
from playhead.source2.tables.chat import chat_row
from playhead.source2.tables.entities import PREFIX, EntityQuery, EntityRows
from playhead.source2.tables.events import SOURCES
from playhead.source2.tables.message_collector import MessageCollector
from playhead.source2.tables.message_columns import MessageColumns
from playhead.source2.tables.message_walk import MessageWalk
from playhead.source2.tables.parallel import play_rows, read_parallel
from playhead.tables.schema import TableSchema
from playhead.tables.shared import CHAT

if TYPE_CHECKING:
    import pyarrow as pa

_PACKETS = (PACKET, SIGNON_PACKET, FULL_PACKET)
_REPORT_EVERY = 1024


@dataclass(slots=True)
class _Pass:
    """What one pass over the frames collected.

    Attributes:
        columns: inner messages.
        collector: chat, game events and user messages, if they were asked for.
        history: string tables, if they were asked for.
        sizes: decompressed size of every frame; None where it cannot be decompressed.
    """

    columns: MessageColumns
    collector: MessageCollector
    history: StringTableHistory | None
    sizes: list[int | None] = field(default_factory=list)


class Source2Replay(Source2Container):
    """One Source 2 demo.

    Besides what every `Replay` has: the container's parts (`Source2Container`), messages, game events, and the
    state at any moment.
    """

    capabilities = frozenset({"moment", "messages", "game_events", "entities", "schema", "slice"})

    def _load_info(self) -> Info:
        header, info = self.file_header, self.file_info
        dota: Content = info.get("game_info", {}).get("dota", {})
        ended = dota.get("end_time")
        patch = header.get("patch_version")
        return Info(
            format=self.format,
            game=self.game,
            source=self.name,
            complete=self._file_info_frame is not None,
            version=None if patch is None else str(patch),
            build=header.get("build_num"),
            map=header.get("map_name") or None,
            end_time=datetime.fromtimestamp(ended, UTC) if ended else None,
            duration_ticks=self._duration_ticks(),
            ticks_per_second=self._ticks_per_second,
            winner=players.DOTA_SIDES.get(dota.get("game_winner", 0)),
            details=self._details(dota),
        )

    def _duration_ticks(self) -> int | None:
        """As FileInfo says, otherwise the last tick seen; None if nothing but sign-on was."""
        ticks = self.file_info.get("playback_ticks")
        if ticks is not None and ticks >= 0:
            return int(ticks)
        if ticks is not None:
            self._note(
                CorruptReplay(f"expected a length of 0 ticks or more, found {ticks}", where="FileInfo"),
                cost="nothing: the last tick seen is taken for the length",
            )
        return max((frame.tick for frame in self.frames if frame.tick >= 0), default=None)

    def _details(self, dota: Content) -> dict[str, Any]:
        """The header, what FileInfo says of the match (players are in `players`), the server's basics."""
        match = {key: value for key, value in dota.items() if key != "player_info"}
        server = ("protocol", "is_dedicated", "is_hltv", "max_clients", "max_classes", "host_name", "game_dir")
        return {
            "file_header": {str(key): value for key, value in self.file_header.items()},
            "playback_time": self.file_info.get("playback_time"),
            "playback_frames": self.file_info.get("playback_frames"),
            "match": {str(key): value for key, value in match.items()},
            "server_info": {key: self.server_info[key] for key in server if key in self.server_info},
        }

    def _load_players(self) -> tuple[Player, ...]:
        listed = players.from_file_info(self.file_info)
        if listed:
            return listed
        for frame, payload in self._signon(STRING_TABLES):
            try:
                content = wire.decode("CDemoStringTables", payload)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(where="StringTables", tick=frame.tick), cost="players")
                continue
            for table in content.get("tables", ()):
                if table.get("table_name") == players.USERINFO:
                    return self._from_userinfo(frame, table.get("items", ()))
        return ()

    def _from_userinfo(self, frame: Frame, items: Iterable[Content]) -> tuple[Player, ...]:
        found = []
        for slot, item in enumerate(items):
            try:
                player = players.from_userinfo(slot, item.get("data", b""))
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(tick=frame.tick), cost=f"the player in slot {slot}")
                continue
            if player is not None:
                found.append(player)
        return tuple(found)

    # -- state ------------------------------------------------------------------------------------------

    @cached_property
    def _schema(self) -> Schema:
        return Schema(self)

    def playback(
        self,
        tables: Iterable[str] | None = (),
        *,
        wanted: Projection | None = None,
        entities: bool = True,
        check: bool = False,
        on_problem: ProblemHandler | None = None,
    ) -> Playback:
        """A playhead at the start: for handlers of entities and messages, and for anything frame by frame.

        Without `on_problem`, problems met on the way are recorded (in strict mode raised). The other arguments are
        those of `Playback`.

        Args:
            wanted: which fields of which classes to keep; see `EntityManager`.
        """
        return Playback(
            self,
            schema=self._schema if wanted is None else Schema(self, wanted),
            tables=tables,
            entities=entities,
            check=check,
            limits=self._limits,
            on_problem=on_problem or (lambda error, cost: self._note(error, cost=cost)),
        )

    def at(self, when: int | float | str) -> World:
        """The state at a moment: a tick (int), seconds since the start of the recording (float), or the time that
        the game shows (``"12:30"``); see `to_tick`.

        Reached through the full packet before it, not by playing from the start.

        Raises:
            ValueError: the time is none, or is in seconds where the recording does not tell its rate.
        """
        tick = self.to_tick(when)
        playback = self.playback(None)
        playback.seek(tick)
        return World(playback, tick, self.info.clock, lambda: self.clock)

    def _moment(self, tick: int) -> Moment:
        from playhead.source2.playback.moment import moment_of

        return moment_of(self.at(tick))

    def write_slice(self, path: str | Path, start: int | float | str, end: int | float | str) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a recording of their own.

        `playhead.source2.writing.cut` says what of it is made. The file appears whole or not at all.

        Raises:
            ValueError: there is no such stretch, or the state at `start` is not known.
            ReplayError: in strict mode, the first problem on the way.
        """
        from playhead.io.atomic import whole_file
        from playhead.source2.writing.cut import cut_demo

        data = cut_demo(self, self.to_tick(start), self.to_tick(end))
        with whole_file(Path(path)) as target:
            target.write_bytes(data)

    def entity_table(
        self,
        pattern: str,
        fields: Iterable[str] | None = None,
        *,
        every: int | float | str | None = None,
        workers: int = 1,
    ) -> pa.Table:
        """Fields of entities over time, as a table.

        Args:
            pattern: class name or pattern (``CDOTA_Unit_Hero_*``).
            fields: dotted names or patterns of them (``m_iHealth``, ``CBodyComponent.m_cell?``); None is every
                field that occurs. Nothing else is kept while decoding.
            every: interval between samples: ticks (int), seconds (float), or text such as ``"1s"``, ``"500ms"``,
                ``"30 ticks"``. None gives a row for each change of one of the fields instead, and each entering,
                leaving and deletion.
            workers: processes that share the work, a segment between full packets each. The rows are the same;
                starting a process costs some tenths of a second, so it pays for long recordings only.

        Raises:
            KeyError: no class fits the pattern, or none that does has a field of that name.
            ValueError: the interval is none.
            ReplayError: in strict mode, the first problem.
        """
        query = EntityQuery(
            pattern, None if fields is None else tuple(fields), ticks_between(every, self._ticks_per_second)
        )
        query.check(self.class_names.values(), self._schema.tree)
        if workers > 1 and not self.options.strict:
            built = read_parallel(self, query, workers)
            if built is not None:
                return built
        playback = self.playback(wanted=query.projection)
        rows = EntityRows(query, playback)
        play_rows(rows, playback)
        return rows.to_arrow(self._ticks_per_second)

    def table(self, name: str, **query: Any) -> pa.Table:
        """As `Replay.table`; a name such as ``entities:CDOTA_Unit_Hero_*`` is `entity_table`, with its
        arguments.
        """
        if name.startswith(PREFIX):
            return self.entity_table(name.removeprefix(PREFIX), **query)
        return super().table(name, **query)

    def _table_schemas(self) -> Iterable[TableSchema]:
        return tables.ALL

    # -- events -----------------------------------------------------------------------------------------

    def _event_sources(self) -> tuple[EventSource, ...]:
        """The tables that events are rows of."""
        return SOURCES

    def _event_kinds(self) -> Mapping[str, str]:
        return {source.kind: source.doc for source in self._event_sources()}

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(source.table for source in self._event_sources() if source.kind in kinds)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        clock = self.info.clock
        yield from events_of_tables(
            [source for source in self._event_sources() if source.kind in kinds],
            self.read_tables(self._tables_of_events(kinds)),
            lambda tick: clock.seconds(tick) if clock is not None and tick >= 0 else None,
        )

    def _survey(self) -> None:
        done = self._scan(frozenset({"string_tables"}), check=True)
        self._surveyed_history = done.history
        if self.send_tables and self.class_names:
            self._checked  # noqa: B018  (playing it is what finds its problems)
        for name in self.class_names.values():
            if (name, 0) not in self.send_tables.serializers:
                missing = CorruptReplay(f"expected a serializer for class {name}", where=COMMANDS[SEND_TABLES])
                self._note(missing, cost="the fields of this class")

    def _checks(self) -> Iterable[Check]:
        yield Check("frames", len(self.frames), 0, "read one behind the other up to the end of the file")
        if not self.send_tables or not self.class_names:
            return
        played, failures = self._checked, self._checked.failures
        entities = played.entities
        yield Check("packets", played.packets, failures["packet"], "made of whole messages, to the last byte")
        yield Check(
            "entity messages",
            entities.messages,
            failures["entities"],
            "decoded with 0 to 7 bits left: one field read wrong would shift all behind it",
        )
        broken = failures["baseline"]
        yield Check("baselines", entities.baselines_decoded, broken, "decoded with 0 to 7 bits left")
        yield Check(
            "full packets",
            played.full_packets_checked,
            failures["full packet"],
            "hold the very entities and fields that the packets before them led to",
        )
        history = self._surveyed_history
        if history is not None:
            yield Check(
                "string table dumps",
                history.agreeing,
                history.differing,
                "hold what the messages before them led to; the first one of a recording brings new entries",
            )

    _surveyed_history: StringTableHistory | None = None

    @cached_property
    def _checked(self) -> Playback:
        """A playback at the end, with every full packet and baseline checked on the way."""
        playback = self.playback(check=True)
        playback.run()
        for _key, error in playback.entities.check_baselines():
            playback.failures["baseline"] += 1
            self._note(error.locate(where="baselines"), cost="entities that begin with it")
        return playback

    def _scan(self, names: frozenset[str] = frozenset(), *, check: bool = False) -> _Pass:
        """One pass over all frames, collecting for the tables asked for; `check` decodes messages in any case."""
        history = StringTableHistory(self._limits) if "string_tables" in names else None
        collector = MessageCollector(self.game, names, check=check)
        wanted = collector.wanted | (STRING_TABLE_MESSAGES if history is not None else frozenset())
        columns = MessageColumns(wanted, "messages" in names, collector.wanted_from)
        done = _Pass(columns, collector, history)
        for number, frame in enumerate(self.frames):
            if number % _REPORT_EVERY == 0:
                self._report(frame.offset)
            done.sizes.append(self._scan_frame(number, frame, done))
        self._report(len(self._data))
        return done

    def _scan_frame(self, number: int, frame: Frame, done: _Pass) -> int | None:
        try:
            payload = self.payload(frame)
        except ReplayError as error:
            self._note(error.locate(where="frame"), cost=f"frame {number}")
            return None
        if frame.command not in _PACKETS:
            done.columns.add_frame(number, frame.tick, frame.command, frame.offset, len(payload))
            return len(payload)
        taken = self._take_messages(number, frame, payload, done.columns)
        for tick, message, data in taken:
            if message in STRING_TABLE_MESSAGES:
                continue
            try:
                done.collector.take(tick, message, data)
            except ReplayError as error:
                self._note_message(error, frame, message)
        if done.history is not None:
            self._follow_string_tables(frame, payload, taken, done.history)
        return len(payload)

    def _take_messages(
        self, number: int, frame: Frame, payload: bytes | memoryview, columns: MessageColumns
    ) -> list[tuple[int, int, bytes]]:
        """(tick, number, payload) of the messages of a packet that `columns` wants, up to any damage."""
        try:
            columns.add_packet(number, frame.tick, frame.command, frame.offset, self.packet(frame, payload))
        except ReplayError as error:
            # The offset inside the packet is of little use without the file's.
            error.offset = frame.offset
            self._note(
                error.locate(where="packet", tick=frame.tick), cost=f"the rest of the packet in frame {number}"
            )
        taken, columns.taken[:] = list(columns.taken), []
        return taken

    def _note_message(self, error: ReplayError, frame: Frame, number: int) -> None:
        error.offset = frame.offset
        name = message_names(self.game).get(number, f"message {number}")
        self._note(error.locate(where=name, tick=frame.tick), cost="the fields of one message")

    def _packets(self, columns: MessageColumns) -> Iterator[tuple[Frame, list[tuple[int, int, bytes]]]]:
        """The messages that `columns` wants, packet by packet; other frames stay packed."""
        for number, frame in enumerate(self.frames):
            if frame.command not in _PACKETS:
                continue
            try:
                payload = self.payload(frame)
            except ReplayError as error:
                self._note(error.locate(where="frame"), cost=f"frame {number}")
                continue
            yield frame, self._take_messages(number, frame, payload, columns)

    def messages(self, *names: str | int) -> Iterator[Message]:
        """Inner messages decoded to named fields, in file order; those asked for, or all.

        The others are skipped by their size. Messages inside svc_UserMessage come like the others, unless that is
        asked for by name. One that cannot be decoded is left out and is a problem; table ``user_messages`` has its
        bytes.

        Args:
            names: each a number, a name (``DOTA_UM_ChatEvent``), the name of a definition
                (``CDOTAUserMsg_ChatEvent``) or a pattern of either (``DOTA_UM_Chat*``).

        Raises:
            KeyError: this game has no message of that name.
        """
        return MessageWalk(self.game, self._packets, self._note_message).messages(names)

    def game_events(self, *names: str) -> Iterator[GameEvent]:
        """Game events with their values by name, in file order; those called one of `names`, or all.

        An event that cannot be decoded is left out and is a problem.
        """
        return MessageWalk(self.game, self._packets, self._note_message).game_events(names)

    def _follow_string_tables(
        self,
        frame: Frame,
        payload: bytes | memoryview,
        taken: list[tuple[int, int, bytes]],
        history: StringTableHistory,
    ) -> None:
        place: dict[str, Any] = {"where": "string tables", "tick": frame.tick}
        for tick, number, message in taken:
            if number not in STRING_TABLE_MESSAGES:
                continue
            try:
                history.on_message(tick, number, message)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(**place), cost="the rest of one change of a string table")
        if frame.command != FULL_PACKET:
            return
        try:
            dump = wire.field_bytes(payload, 1)
            found = history.on_full_packet(frame.tick, wire.decode("CDemoStringTables", dump or b""))
        except ReplayError as error:
            error.offset = frame.offset
            self._note(error.locate(**place), cost="the check of the string tables at this full packet")
            return
        if found is not None:
            found.offset = frame.offset
            self._note(found.locate(**place), cost="nothing from here on; entries before it may be wrong")

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        built = {}
        if "schema" in names:
            built["schema"] = tables.build_schema(self.send_tables, self.class_names)
        if names == {"schema"}:  # it stands in the sign-on frames: no pass over the recording
            return built
        done = self._scan(names)
        rate = self._ticks_per_second
        if "frames" in names:
            built["frames"] = tables.build_frames(self.frames, done.sizes, rate)
        if "messages" in names:
            built["messages"] = tables.build_messages(done.columns, message_names(self.game), rate)
        if "chat" in names:
            built["chat"] = CHAT.build_rows(list(self._chat_rows(done.collector.chat)))
        if "game_events" in names:
            built["game_events"] = tables.build_game_events(done.collector.events, rate)
        if "user_messages" in names:
            known = message_names(self.game)
            built["user_messages"] = tables.build_user_messages(done.collector.user_messages, known, rate)
        if done.history is not None:
            built["string_tables"] = tables.build_string_tables(done.history.changes, rate)
        return built

    def _chat_rows(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        clock = self.info.clock
        for tick, number, _, _, fields, _ in messages:
            seconds = clock.seconds(tick) if clock and tick >= 0 else None
            yield {"tick": tick, "seconds": seconds, **chat_row(number, fields or {})}

    def message_counts(self) -> dict[str, int]:
        """How often each inner message occurs, by name (by number where it has none), most frequent first."""
        known = message_names(self.game)
        counts = Counter({known.get(n, str(n)): count for n, count in self._scan().columns.counts.items()})
        return dict(counts.most_common())
