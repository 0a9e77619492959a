"""`Source2Replay`: the front door's promises kept for ``.dem`` files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.replay import Info, Options, Player, Replay
from playhead.source import Source
from playhead.source2 import players, tables, wire
from playhead.source2.chat import chat_row
from playhead.source2.entity_table import PREFIX, EntityQuery, EntityRows
from playhead.source2.frames import (
    CLASS_INFO,
    FILE_HEADER,
    FILE_INFO,
    FULL_PACKET,
    HEAD_SIZE,
    PACKET,
    SEND_TABLES,
    SIGNON_PACKET,
    STOP,
    STRING_TABLES,
    Frame,
    frame_data,
    iterate_frames,
    read_frame,
    read_head,
)
from playhead.source2.game_events import GameEvent
from playhead.source2.message_collector import MessageCollector
from playhead.source2.message_columns import MessageColumns
from playhead.source2.message_names import COMMANDS, message_names
from playhead.source2.message_walk import MessageWalk
from playhead.source2.messages import Message
from playhead.source2.packet import PacketReader
from playhead.source2.playback import Playback, ProblemHandler, Projection, Schema
from playhead.source2.send_table import SendTables, read_class_names, read_send_tables
from playhead.source2.string_table_history import MESSAGES as STRING_TABLE_MESSAGES
from playhead.source2.string_table_history import StringTableHistory
from playhead.source2.world import World
from playhead.tables.schema import TableSchema
from playhead.tables.shared import CHAT

if TYPE_CHECKING:
    import pyarrow as pa

_SERVER_INFO = 40
_PACKETS = (PACKET, SIGNON_PACKET, FULL_PACKET)
_REPORT_EVERY = 1024

# Real games have 1/30 (Dota 2) and 1/64 s (CS2, Deadlock).
_SHORTEST_TICK, _LONGEST_TICK = 1e-3, 1.0

Content = Mapping[str | int, Any]
_T = TypeVar("_T")


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


class Source2Replay(Replay):
    """One Source 2 demo.

    Besides what every `Replay` has: `file_header`, `file_info` and `server_info`, protobuf messages as dicts by
    field name, empty where the file does not have them or they cannot be read (`problems` tells which).
    """

    format = "source2"

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._data = source.data
        self._limits = options.limits
        self.head = read_head(self._data)
        self.file_header: Content = {}
        try:
            first = read_frame(self._data, HEAD_SIZE, self._limits)
            if first.command == FILE_HEADER:
                self.file_header = wire.decode("CDemoFileHeader", self.payload(first))
        except ReplayError as error:
            self._note(error.locate(where="FileHeader"), cost="map, build and game")

    # -- parts ------------------------------------------------------------------------------------------

    def payload(self, frame: Frame) -> bytes | memoryview:
        """The payload of a frame, decompressed.

        Raises:
            ReplayError: it cannot be decompressed.
        """
        return frame_data(self._data, frame, self._limits)

    def packet(self, frame: Frame, payload: bytes | memoryview) -> bytes:
        """The inner messages of a packet frame, as one bit stream.

        Raises:
            ReplayError: they cannot be found.
        """
        packet: bytes | memoryview | None = payload
        if frame.command == FULL_PACKET:
            packet = wire.field_bytes(payload, 2)
        return b"" if packet is None else wire.field_bytes(packet, 3) or b""

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """Every outer frame, by frame heads alone; ends at the first that cannot be read."""
        found: list[Frame] = []
        walk = iterate_frames(self._data, self._limits)
        try:
            for frame in walk:
                found.append(frame)
        except ReplayError as error:
            self._note(error.locate(where="frame"), cost=f"everything after frame {len(found) - 1}")
            return tuple(found)
        if not any(frame.command == STOP for frame in found):
            self._note(
                TruncatedReplay(
                    "expected a Stop frame, found the end of the file",
                    where="frame",
                    offset=len(self._data),
                    tick=found[-1].tick if found else None,
                ),
                cost="what was recorded after this, and FileInfo",
            )
        elif not any(frame.command == FILE_INFO for frame in found):
            self._note(
                TruncatedReplay(
                    "expected a FileInfo frame after Stop, found the end of the file",
                    where="frame",
                    offset=len(self._data),
                ),
                cost="FileInfo: match id, winner, players",
            )
        elif self.head.file_info and all(
            frame.offset != self.head.file_info for frame in found if frame.command == FILE_INFO
        ):
            self._note(
                CorruptReplay(
                    f"expected the FileInfo frame at {self.head.file_info:#x}, found none there",
                    where="head",
                    offset=8,
                ),
                cost="nothing: the frame was found by walking the file",
            )
        return tuple(found)

    @cached_property
    def _file_info_frame(self) -> Frame | None:
        """FileInfo through the offset in the head, or by walking where that leads nowhere."""
        if HEAD_SIZE <= self.head.file_info < len(self._data):
            try:
                frame = read_frame(self._data, self.head.file_info, self._limits)
            except ReplayError:
                pass
            else:
                if frame.command == FILE_INFO and frame.payload + frame.size == len(self._data):
                    return frame
        return next((frame for frame in reversed(self.frames) if frame.command == FILE_INFO), None)

    @cached_property
    def file_info(self) -> Content:
        """CDemoFileInfo: length, and for Dota the match."""
        if self._file_info_frame is None:
            return {}
        try:
            return wire.decode("CDemoFileInfo", self.payload(self._file_info_frame))
        except ReplayError as error:
            self._note(error.locate(where="FileInfo"), cost="length, match id, winner, players")
            return {}

    def _signon(self, command: int) -> Iterator[tuple[Frame, bytes | memoryview]]:
        """Readable frames of that command up to the first packet of the game. Problems are left to the survey."""
        try:
            for frame in iterate_frames(self._data, self._limits):
                if frame.command == PACKET:
                    return
                if frame.command != command:
                    continue
                try:
                    yield frame, self.payload(frame)
                except ReplayError:
                    continue
        except ReplayError:
            return

    @cached_property
    def server_info(self) -> Content:
        """CSVCMsg_ServerInfo from the sign-on packets: tick interval, classes, map."""
        for frame, payload in self._signon(SIGNON_PACKET):
            message = None
            try:
                reader = PacketReader(self.packet(frame, payload))
                while message is None and reader.advance():
                    if reader.id == _SERVER_INFO:
                        message = reader.payload()
            except ReplayError:  # the survey meets it too
                continue
            if message is None:
                continue
            try:
                return wire.decode("CSVCMsg_ServerInfo", message)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(
                    error.locate(where="ServerInfo", tick=frame.tick), cost="tick rate and facts of the server"
                )
        return {}

    def _decode_signon(self, command: int, decode: Callable[[bytes | memoryview], _T], cost: str) -> _T | None:
        """The content of the sign-on frame with that command; None if there is none, or it cannot be decoded."""
        for frame, payload in self._signon(command):
            try:
                return decode(payload)
            except ReplayError as error:
                error.offset = frame.offset
                self._note(error.locate(where=COMMANDS[command], tick=frame.tick), cost=cost)
        return None

    @cached_property
    def send_tables(self) -> SendTables:
        """The serializers: classes, their fields and encodings; empty if the file has none."""
        return self._decode_signon(SEND_TABLES, read_send_tables, "the schema") or SendTables({})

    @cached_property
    def class_names(self) -> Mapping[int, str]:
        """Network name by class id; empty if the file has none."""
        return self._decode_signon(CLASS_INFO, read_class_names, "names of classes") or {}

    # -- the promises -----------------------------------------------------------------------------------

    @cached_property
    def game(self) -> str:
        """``dota``, ``csgo`` or ``citadel``: the header's own word, or the last part of the game's folder."""
        named = self.file_header.get("game")
        if named:
            return str(named)
        folder = self.file_header.get("game_directory") or self.server_info.get("game_dir") or ""
        return re.split(r"[\\/]", str(folder))[-1] or "source2"

    @cached_property
    def _ticks_per_second(self) -> float | None:
        """From ServerInfo; where that is missing, the ticks of FileInfo over its seconds; None without either."""
        interval = self.server_info.get("tick_interval")
        if interval is None:
            seconds, ticks = self.file_info.get("playback_time"), self.file_info.get("playback_ticks")
            if not seconds or not ticks or not _SHORTEST_TICK <= seconds / ticks <= _LONGEST_TICK:
                return None
            interval = seconds / ticks
        if not _SHORTEST_TICK <= interval <= _LONGEST_TICK:
            self._note(
                CorruptReplay(
                    f"expected a tick interval of {_SHORTEST_TICK} to {_LONGEST_TICK} s, found {interval}",
                    where="ServerInfo",
                ),
                cost="ticks in seconds",
            )
            return None
        rate = 1.0 / float(interval)
        # The interval is a float32 (1/30 is 0.0333333351); real rates are whole numbers.
        return float(round(rate)) if abs(rate - round(rate)) < 1e-3 else rate

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
        """The state at a moment: a tick (int), seconds (float) or ``"12:30"`` since the start of the recording.

        Reached through the full packet before it, not by playing from the start.

        Raises:
            ValueError: the time is none, or is in seconds where the recording does not tell its rate.
        """
        clock = self.info.clock
        if clock is not None:
            tick = clock.tick_at(when)
        elif isinstance(when, int):
            tick = when
        else:
            raise ValueError("the recording does not tell its tick rate; expected a tick")
        playback = self.playback(None)
        playback.seek(tick)
        return World(playback, tick, clock)

    def entity_table(
        self,
        pattern: str,
        fields: Iterable[str] | None = None,
        *,
        every: int | float | str | None = None,
    ) -> pa.Table:
        """Fields of entities over time, as a table.

        Args:
            pattern: class name or pattern (``CDOTA_Unit_Hero_*``).
            fields: dotted names or patterns of them (``m_iHealth``, ``CBodyComponent.m_cell?``); None is every
                field that occurs. Nothing else is kept while decoding.
            every: interval between samples: ticks (int), seconds (float), or text such as ``"1s"``, ``"500ms"``,
                ``"30 ticks"``. None gives a row for each change of one of the fields instead, and each entering,
                leaving and deletion.

        Raises:
            KeyError: no class fits the pattern, or none that does has a field of that name.
            ValueError: the interval is none.
            ReplayError: in strict mode, the first problem.
        """
        query = EntityQuery(pattern, None if fields is None else tuple(fields), self._interval(every))
        query.check(self.class_names.values(), self._schema.send_tables)
        playback = self.playback(wanted=query.projection)
        rows = EntityRows(query, playback.entities)
        for number, frame in enumerate(self.frames):
            if number % _REPORT_EVERY == 0:
                self._report(frame.offset)
            if frame.tick >= 0:
                rows.before(frame.tick)
            playback.step()
        rows.before(playback.tick + 1)
        return rows.to_arrow(self._ticks_per_second)

    def _interval(self, every: int | float | str | None, rate: float | None = None) -> int | None:
        """An interval in ticks; `rate` is taken where the recording does not tell its own."""
        if every is None or isinstance(every, int):
            ticks = every
        else:
            seconds = every
            if isinstance(every, str):
                found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|ticks?)\s*", every)
                if found is None:
                    raise ValueError(f"expected an interval such as 1s, 500ms or 30 ticks, got {every!r}")
                if found[2].startswith("tick"):
                    return self._interval(int(float(found[1])), rate)
                seconds = float(found[1]) * {"ms": 0.001, "s": 1, "m": 60, "min": 60}[found[2]]
            rate = self._ticks_per_second or rate
            if rate is None:
                raise ValueError("the recording does not tell its tick rate; expected an interval in ticks")
            ticks = max(1, round(float(seconds) * rate))
        if ticks is not None and ticks < 1:
            raise ValueError(f"expected an interval of at least a tick, got {every!r}")
        return ticks

    def table(self, name: str, **query: Any) -> pa.Table:
        """As `Replay.table`; a name such as ``entities:CDOTA_Unit_Hero_*`` is `entity_table`, with its
        arguments.
        """
        if name.startswith(PREFIX):
            return self.entity_table(name.removeprefix(PREFIX), **query)
        return super().table(name, **query)

    def _table_schemas(self) -> Iterable[TableSchema]:
        return tables.ALL

    def _survey(self) -> None:
        self._scan(frozenset({"string_tables"}), check=True)
        if self.send_tables and self.class_names:
            self._checked  # noqa: B018  (playing it is what finds its problems)
        for name in self.class_names.values():
            if (name, 0) not in self.send_tables.serializers:
                missing = CorruptReplay(f"expected a serializer for class {name}", where=COMMANDS[SEND_TABLES])
                self._note(missing, cost="the fields of this class")

    @cached_property
    def _checked(self) -> Playback:
        """A playback at the end, with every full packet and baseline checked on the way."""
        playback = self.playback(check=True)
        playback.run()
        for _key, error in playback.entities.check_baselines():
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
