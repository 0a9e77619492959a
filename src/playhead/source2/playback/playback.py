"""`Playback`: a recording played frame by frame, with its state; and put anywhere through its full packets.

A full packet carries the whole state. To be at a tick, the sign-on frames are played, then the string tables of
every full packet up to it (each lists only the tables that changed since the one before), then the entities of
the last of these, then the packets behind it. The result is what playing from the start leads to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, ReplayError
from playhead.limits import Limits
from playhead.source2.container.frames import CLASS_INFO, FULL_PACKET, PACKET, SIGNON_PACKET, Frame
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import ENTITY_NAMES
from playhead.source2.messages import wire
from playhead.source2.messages.decoded import USER_MESSAGE, unwrap
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.lane import PacketLane
from playhead.source2.playback.recording import Recording, Schema
from playhead.source2.string_tables.tables import StringTableChange, StringTables

NET_TICK = 4
SERVER_INFO = 40
CREATE_STRING_TABLE = 44
UPDATE_STRING_TABLE = 45
CLEAR_ALL_STRING_TABLES = 51
PACKET_ENTITIES = 55

INSTANCE_BASELINE = "instancebaseline"

#: Told the tick of a packet that has been applied whole.
TickHandler = Callable[[int], None]

#: Told the payload of an inner message and the tick of its packet.
MessageHandler = Callable[[int, bytes], None]

#: Told a change of a string table, and the tick of its packet.
StringTableHandler = Callable[[StringTableChange, int], None]

#: Told an error, and what is lost by it.
ProblemHandler = Callable[[ReplayError, str], None]


def raise_problem(error: ReplayError, _cost: str) -> None:
    """The handler of problems that lets none pass."""
    raise error


class Playback:
    """One playhead in a recording.

    Args:
        recording: what is played.
        schema: shared by the playbacks of one recording; made anew if None.
        tables: names of the string tables to follow besides ``instancebaseline``; None follows all.
        entities: decode entity messages; without, `entities` stays empty, which saves most of the work.
        check: compare every full packet with the state that the packets before it led to.
        on_problem: told what could not be decoded; the default raises it.

    Attributes:
        entities: all networked objects.
        string_tables: those that are followed.
        tick: of the last frame applied; -1 before the game.
        position: number of the next frame.
        server_info: fields of CSVCMsg_ServerInfo, empty before it.
        packets: packets applied whole, full packets among them.
        full_packets_checked: full packets compared with the state and found equal.
        server_tick_offset: ticks that the server's own count is ahead of the recording's, as the latest packet
            with a CNETMsg_Tick has it; None before that.
        failures: how often each went wrong: ``packet``, ``entities`` (messages), ``full packet`` (comparisons).
    """

    def __init__(
        self,
        recording: Recording,
        *,
        schema: Schema | None = None,
        tables: Iterable[str] | None = (),
        entities: bool = True,
        check: bool = False,
        limits: Limits | None = None,
        on_problem: ProblemHandler = raise_problem,
    ) -> None:
        self._recording = recording
        self._limits = limits or Limits()
        self._followed = None if tables is None else frozenset((*tables, INSTANCE_BASELINE))
        self._check = check
        self._on_problem = on_problem
        self._handlers: dict[int, list[MessageHandler]] = {}
        self._state_messages = _STATE_MESSAGES if entities else _STATE_MESSAGES - {PACKET_ENTITIES}
        self._wanted_messages = self._state_messages
        self._special = _LANE_SPECIAL
        self._tick_handlers: list[TickHandler] = []
        self._packet_handlers: list[TickHandler] = []
        self._calls: list[tuple[int, int, TickHandler]] = []
        self._call_numbers = count()
        self._table_handlers: dict[str, list[StringTableHandler]] = {}
        self._with_entities = entities
        self._schema = schema or Schema(recording)
        self.entities = self._schema.manager()
        self._new_tables()
        self.server_info: Mapping[str | int, Any] = {}
        self.tick = -1
        self.server_tick_offset: int | None = None
        self.position = 0
        self.packets = 0
        self.full_packets_checked = 0
        self.failures: Counter[str] = Counter()
        self._broken = False
        self._tables_whole = False
        whole = recording.whole
        self._lane = PacketLane(whole, self._limits, self.entities) if whole is not None and entities else None

    def on_message(self, number: int, handler: MessageHandler) -> None:
        """Call `handler` with tick and payload of every inner message of that number.

        It is called after the state messages of the same packet are applied, so that it sees the new state.
        Messages inside svc_UserMessage count like the others.
        Full packets repeat no such messages.
        """
        self._handlers.setdefault(number, []).append(handler)
        self._wanted_messages = frozenset((*self._state_messages, *self._handlers, USER_MESSAGE))
        self._special = frozenset((*_LANE_SPECIAL, *self._handlers, USER_MESSAGE))

    def on_tick(self, handler: TickHandler) -> None:
        """Call `handler` with the tick of every packet, after it is applied and all its handlers were called.

        Whatever else is played is then slower: see `after_packet`.
        """
        self._tick_handlers.append(handler)

    def after_packet(self, handler: TickHandler) -> None:
        """As `on_tick`, at least for the packets that called another handler: they brought a message, a change of
        a string table or of an entity that somebody asked for.
        """
        self._packet_handlers.append(handler)

    def on_string_table(self, name: str, handler: StringTableHandler) -> None:
        """Call `handler` with every change of that string table, which has to be followed, and its tick.

        Entities of the same packet may be applied before or after it. What a full packet brings counts as none: in
        real recordings the first has entries of later ticks.
        """
        self._table_handlers.setdefault(name, []).append(handler)

    def call_after(self, tick: int, handler: TickHandler) -> None:
        """Call `handler` once: when the first frame later than `tick` comes, with its tick, before anything of it
        is applied. The state is then that after everything up to and with `tick`; for samples at an interval.
        """
        heappush(self._calls, (tick, next(self._call_numbers), handler))

    # -- movement ---------------------------------------------------------------------------------------

    @property
    def _full_positions(self) -> tuple[list[int], list[int]]:
        """Ticks and frame numbers of the full packets."""
        frames = self._recording.frames
        numbers = frames.numbers_of(FULL_PACKET)
        return [frames[i].tick for i in numbers], numbers

    def run(self) -> None:
        """Play to the end."""
        while (frame := self._ahead(_NO_END)) is not None:
            self._play(frame)

    def _changed_ahead(self, tick: int, changed: list[tuple[Entity, int]]) -> None:
        self.tick = max(self.tick, tick)
        self._hear_ticks()
        for entity, op in changed:
            self.entities.tracker.dispatch(entity, op)
        for handler in self._packet_handlers:
            handler(tick)

    def _hear_ticks(self) -> None:
        if self._lane is not None and self._lane.tells_ticks:
            self.server_tick_offset = self._lane.server_tick_offset

    def _ahead(self, until: int) -> Frame | None:
        """The next frame after the packets up to tick `until` that stand in a row here and bring nothing but
        entities: those are played.
        """
        frame = self.next_frame()
        lane = self._lane
        if lane is None or self._tick_handlers:
            return frame
        while frame is not None and frame.command == PACKET and frame.tick <= until:
            if self._broken or not self.entities.valid:
                return frame
            self._call_due(frame.tick)
            last = min(until, self._calls[0][0]) if self._calls else until
            error: ReplayError | None = None
            try:
                lane.run(
                    frame.offset, last, self._special, self.string_tables.numbers_followed, self._changed_ahead
                )
            except ReplayError as raised:
                error = raised
            self.position += lane.count
            self.packets += lane.count
            if lane.count:
                self.tick = max(self.tick, lane.tick)
                self._hear_ticks()
            if error is not None:
                failed = self._recording.frames[self.position]
                self.position += 1
                self.packets += 1
                self.tick = max(self.tick, failed.tick)
                self._lose_entities(error, failed)
                return self.next_frame()
            if not lane.count:
                return frame
            frame = self.next_frame()
            if frame is not None and frame.tick <= last:
                return frame  # something in it has to be played by itself
        return frame

    def _call_due(self, tick: int) -> None:
        """A frame of that tick is about to be played."""
        if tick > self.tick:
            while self._calls and self._calls[0][0] < tick:
                heappop(self._calls)[2](tick)

    def next_frame(self) -> Frame | None:
        """The next frame, waited for where the file is still being written; None at the end."""
        try:
            return self._recording.frames[self.position]
        except IndexError:
            return None

    def advance(self, tick: int) -> None:
        """Play forwards until everything up to and with `tick` is applied."""
        while (frame := self._ahead(tick)) is not None and frame.tick <= tick:
            self._play(frame)

    def seek(self, tick: int) -> None:
        """Be at `tick`, wherever the playhead is now: the state after everything up to and with it.

        Handlers are called for what is played on the way from the last full packet.
        """
        ticks, numbers = self._full_positions
        last = bisect_right(ticks, tick) - 1
        if self.position and self.tick <= tick and (last < 0 or numbers[last] < self.position):
            self.advance(tick)
            return
        self.seek_full_packet(numbers[last] if last >= 0 else None)
        self.advance(tick)

    def seek_full_packet(self, number: int | None) -> None:
        """Be behind the full packet that is frame `number`; None is behind the sign-on frames.

        Raises:
            ValueError: that frame is no full packet.
        """
        numbers = self._full_positions[1]
        if number is not None and number not in numbers:
            raise ValueError(f"expected the number of a full packet, got {number}")
        self._rewind()
        while (frame := self.next_frame()) is not None and frame.command not in (PACKET, FULL_PACKET):
            self.step()
        if number is None:
            return
        for earlier in numbers[: numbers.index(number)]:
            self._restore_tables(self._recording.payload(self._recording.frames[earlier]))
        self.position = number
        self.step()

    def _new_tables(self) -> None:
        self.string_tables = StringTables(self._limits, self._followed)
        names_followed = self._followed is None or ENTITY_NAMES in self._followed
        self.entities.string_tables = self.string_tables if names_followed else None

    def _rewind(self) -> None:
        self.entities.reset()
        self._new_tables()
        self._tables_whole = False
        self.tick = -1
        self.server_tick_offset = None
        self.position = 0

    def step(self) -> None:
        """Apply the next frame.

        Raises:
            IndexError: there is none.
        """
        self._play(self._recording.frames[self.position])

    def _play(self, frame: Frame) -> None:
        self.position += 1
        self._call_due(frame.tick)
        self.tick = max(self.tick, frame.tick)
        command = frame.command
        try:
            if command in (PACKET, SIGNON_PACKET):
                payload = self._recording.payload(frame)
                self._apply_packet(frame, self._recording.packet(frame, payload))
            elif command == FULL_PACKET:
                self._apply_full_packet(frame)
            elif command == CLASS_INFO:
                self.entities.on_class_info(self._recording.class_names)
        except ReplayError as error:
            self.failures["packet"] += 1
            self._tell(error, frame, "packet", "the rest of one packet")
        else:
            self.packets += command in (PACKET, SIGNON_PACKET, FULL_PACKET)

    def _tell(self, error: ReplayError, frame: Frame, where: str, cost: str) -> None:
        error.offset = frame.offset
        self._on_problem(error.locate(where=where, tick=frame.tick), cost)

    # -- packets ----------------------------------------------------------------------------------------

    def _apply_packet(self, frame: Frame, data: bytes) -> None:
        later: list[tuple[int, bytes]] = []
        handlers = self._handlers
        reader = PacketReader(data)
        try:
            while reader.advance_to(self._wanted_messages):
                number = reader.id
                if number == PACKET_ENTITIES and not handlers:
                    self._apply_entities(frame, reader.payload())
                elif number in self._state_messages:
                    content = reader.payload()
                    self._apply_message(frame, number, content)
                    if number in handlers:
                        later.append((number, content))
                elif number in handlers:
                    later.append((number, reader.payload()))
                elif number == USER_MESSAGE and handlers:
                    inner, content = self._unwrap(frame, reader.payload())
                    if inner in handlers:
                        later.append((inner, content))
        finally:
            for number, payload in later:
                for handler in handlers[number]:
                    handler(frame.tick, payload)
            for after in (*self._packet_handlers, *self._tick_handlers):
                after(frame.tick)

    def _unwrap(self, frame: Frame, payload: bytes) -> tuple[int, bytes]:
        """What svc_UserMessage carries; number -1 if it cannot be told."""
        try:
            return unwrap(payload)
        except ReplayError as error:
            self._tell(error, frame, "svc_UserMessage", "one user message")
            return -1, b""

    def _apply_message(self, frame: Frame, number: int, payload: bytes) -> None:
        if number == PACKET_ENTITIES:
            self._apply_entities(frame, payload)
            return
        if number == NET_TICK:
            if payload[:1] == b"\x08":  # the tick comes first
                with suppress(ReplayError):  # what was told before stands
                    self.server_tick_offset = ByteReader(payload, 1).read_varuint32() - frame.tick
            return
        try:
            if number == SERVER_INFO:
                self.server_info = wire.decode("CSVCMsg_ServerInfo", payload)
                self.entities.on_server_info(self.server_info)
            elif number == CREATE_STRING_TABLE:
                self._follow(self.string_tables.create(wire.decode("CSVCMsg_CreateStringTable", payload)))
            elif number == UPDATE_STRING_TABLE:
                if self.string_tables.follows_update(payload):
                    self._follow(self.string_tables.update(wire.decode("CSVCMsg_UpdateStringTable", payload)))
            else:
                self.string_tables.clear()
        except ReplayError as error:
            self._tables_whole = False
            self._tell(error, frame, "string tables", "the rest of one change of a string table")

    def _follow(self, changes: Iterable[StringTableChange]) -> None:
        for change in changes:
            for handler in self._table_handlers.get(change.table, ()):
                handler(change, self.tick)
            if change.table == INSTANCE_BASELINE and change.sent is not None:
                self.entities.on_baseline_updated(change.key, change.sent)

    def _apply_entities(self, frame: Frame, payload: bytes) -> None:
        manager = self.entities
        skipped = manager.skipped
        try:
            changed = manager.apply(payload)
        except ReplayError as error:
            self._lose_entities(error, frame)
            return
        if self._broken or manager.skipped > skipped:
            self._after_gap(frame, manager.skipped > skipped)
        if changed:
            dispatch = manager.tracker.dispatch
            for entity, op in changed:
                dispatch(entity, op)

    def _lose_entities(self, error: ReplayError, frame: Frame) -> None:
        self._broken = True
        self.failures["entities"] += 1
        self._tell(error, frame, "entities", "entities up to the next full packet")

    def _after_gap(self, frame: Frame, skipped: bool) -> None:
        """The state is not known, or is known again."""
        if skipped and not self._broken:
            self._broken = True
            missing = CorruptReplay("expected a whole state of the entities before the first change of it")
            self._tell(missing, frame, "entities", "entities up to the next full packet")
        if self.entities.valid:
            self._broken = False

    # -- full packets -----------------------------------------------------------------------------------

    def _restore_tables(self, payload: bytes | memoryview) -> None:
        """Take over the string tables of a full packet."""
        dump = wire.decode("CDemoStringTables", wire.field_bytes(payload, 1) or b"")
        self.string_tables.restore(dump)
        if INSTANCE_BASELINE in self.string_tables:
            for listed in dump.get("tables", ()):
                if listed.get("table_name") == INSTANCE_BASELINE:
                    for item in self.string_tables[INSTANCE_BASELINE]:
                        self.entities.on_baseline_updated(item.key, item.value or b"")

    def _apply_full_packet(self, frame: Frame) -> None:
        payload = self._recording.payload(frame)
        # The first one has entries that no message told; what the others have is there already.
        if not self._tables_whole or self._check:
            self._restore_tables(payload)
            self._tables_whole = True
        if not self._with_entities or (self.entities.valid and not self._check):
            return
        reader = PacketReader(self._recording.packet(frame, payload))
        while reader.advance():
            if reader.id != PACKET_ENTITIES:
                continue
            if not self.entities.valid:
                self._apply_entities(frame, reader.payload())
            else:
                self._compare(frame, reader.payload())

    def _compare(self, frame: Frame, payload: bytes) -> None:
        """Hold the state of a full packet against the running one."""
        other = self._schema.manager()
        other.on_server_info(self.server_info)
        other.on_class_info(self._recording.class_names)
        other.share_baselines(self.entities)
        try:
            other.apply(payload)
        except ReplayError as error:
            self.failures["full packet"] += 1
            self._tell(error, frame, "entities", "the check of the entities at this full packet")
            return
        differences = list(self.entities.differences(other))
        if not differences:
            self.full_packets_checked += 1
        else:
            self.failures["full packet"] += 1
            index, field, ours, theirs = differences[0]
            entity = self.entities.find(index) or other.find(index)
            odd = CorruptReplay(
                f"expected the entities of the full packet, found {len(differences)} fields "
                f"that differ; the first is "
                f"{field} of {entity!r}: {ours!r}, in the full packet {theirs!r}"
            )
            self._tell(odd, frame, "entities", "nothing from here on; the state before it may be wrong")
            self._apply_entities(frame, payload)


_STATE_MESSAGES = frozenset(
    (NET_TICK, SERVER_INFO, CREATE_STRING_TABLE, UPDATE_STRING_TABLE, CLEAR_ALL_STRING_TABLES, PACKET_ENTITIES)
)

#: Messages that the fast lane leaves to `step`; ticks and updates of string tables it looks at itself.
_LANE_SPECIAL = _STATE_MESSAGES - {NET_TICK, PACKET_ENTITIES, UPDATE_STRING_TABLE}
_NO_END = 1 << 31
