"""`Playback`: plays a recording frame by frame, keeps its state, and seeks by full packets.

A full packet has the complete state. To seek to a tick, the sign-on frames are played, then the string tables of
every full packet up to the tick are applied (each lists only tables changed since the previous one), then the
entities of the last of these, then the packets after it. The result equals that of playing from the start.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count, islice
from typing import TYPE_CHECKING
from weakref import WeakMethod

from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.cached import cached_property
from playhead.runtime.garbage import COLLECTOR_PAUSED
from playhead.source2.container.demo import ProblemHandler
from playhead.source2.container.frames import (
    CLASS_INFO,
    FULL_PACKET,
    PACKET,
    SIGNON_PACKET,
    STRING_TABLES,
    SYNC_TICK,
    Frame,
)
from playhead.source2.entities.entity import Entity
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.dispatch import those_among
from playhead.source2.playback.fast_path import OTHER_COMMANDS, USER_COMMANDS, FastPath
from playhead.source2.playback.handlers import (
    AnyMessageHandler,
    DataHandler,
    FrameHandler,
    FullPacketHandler,
    MessageHandler,
    StringTableHandler,
    TickHandler,
)
from playhead.source2.playback.recording import Recording, Schema, raise_problem
from playhead.source2.playback.state import TABLE_MESSAGES, UPDATE_STRING_TABLE, PlayedState
from playhead.source2.string_tables.changes import ChangeColumns

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import GameEvent
    from playhead.source2.playback.decoding import SharedDecoder

_PACKETS = (PACKET, SIGNON_PACKET, FULL_PACKET)
# Compared with every message: plain integers are faster than members of the enumeration.
_NET_TICK = int(Engine.NET_TICK)
_PACKET_ENTITIES = int(Engine.PACKET_ENTITIES)
_NO_END = 1 << 31
# Frames between progress reports, and between searches for cyclic garbage of handlers.
_REPORT_EVERY = 1024
# After this many special packets in a row, only one in this many is tried on the fast path.
_MOST_NOT_FAST, _TRY_FAST_EVERY = 8, 16
_YOUNG = 1


class Playback(PlayedState):
    """One playhead in a recording.

    Args:
        recording: the recording to play.
        schema: which fields of which classes to keep; None keeps all fields, with the recording's own schema.
        tables: names of the string tables to follow; None follows all. Tables that entities need are always
            followed: baselines, and without `schema` names (`EntityManager.find_by_npc_name`).
        entities: whether to decode entity messages. Without, `entities` stays empty, which saves most of the
            work.
        check: read every frame, compare the string tables and entities of every full packet with the current
            state, and decode every baseline at the end. The state stays as built from the packets.
        limits: bounds on allocations; None uses those of the recording.
        on_problem: called with each decoding error and a description of the lost data; the default raises it.
        progress: called by `run` from time to time with the offset of a frame.

    Attributes:
        entities: all networked objects.
        string_tables: the followed string tables.
        tick: tick of the last frame applied; -1 before the game.
        position: number of the next frame.
        server_info: fields of CSVCMsg_ServerInfo; empty before this message, and without entities.
        packets: number of packets applied completely, including full packets.
        full_packets: counts of full packets and results of their checks.
        server_tick_offset: the server's tick minus the recording's, from the latest packet with a CNETMsg_Tick;
            None before that, and without entities.
        failures: number of failures by kind: ``packet``, ``entities`` (messages), ``full packet`` and ``string
            tables`` (comparisons), ``baseline``.
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
        progress: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(recording, schema, tables, entities, check, limits, on_problem)
        self._progress = progress
        self._payload = recording.payload
        self._packet = recording.packet
        self._calls: list[tuple[int, int, TickHandler]] = []
        self._call_numbers = count()
        self.tick = -1
        self.position = 0
        self.packets = 0
        self._frame: Frame | None = None
        self._failed_packet = -1
        self._not_fast = 0
        whole = recording.whole
        manager = self.entities if entities else None
        passed = USER_COMMANDS if check else OTHER_COMMANDS
        self._fast = None if whole is None else FastPath(whole, self._limits, manager, passed)
        self._commands_ahead = passed | {PACKET}

    @cached_property
    def decoder(self) -> SharedDecoder:
        """Decodes messages for handlers, each once for all of them."""
        from playhead.source2.playback.decoding import SharedDecoder  # not needed for entities alone

        # A weak reference avoids a cycle, so the playback is released at once.
        here, on_problem = WeakMethod(self._report_here), self._on_problem

        def report(error: ReplayError, where: str, cost: str) -> None:
            known = here()
            if known is None:
                on_problem(error.locate(where=where), cost)
            else:
                known(error, where, cost)

        return SharedDecoder(self._recording.game, report)

    # -- handlers ---------------------------------------------------------------------------------------

    def on_message(self, message: str | int, handler: MessageHandler, *, full_packets: bool = False) -> None:
        """Call `handler` with tick and payload of every inner message of that name or number.

        It is called after the state messages of the same packet are applied. Messages inside svc_UserMessage
        count too. Messages of full packets, which repeat the state, count only with `full_packets`.

        Raises:
            KeyError: the recording's game has no message of that name.
        """
        self._handlers.add_message(message, handler, full_packets)
        self._end_run()

    def on_user_message(self, handler: AnyMessageHandler) -> None:
        """Call `handler` with tick, number and payload of every message for the game's own code.

        These have numbers from `FIRST_USER_MESSAGE` on, or are inside svc_UserMessage. Those of full packets
        count too.
        """
        self._handlers.add_user_message(handler)
        self._end_run()

    def on_game_event(self, handler: Callable[[GameEvent], None]) -> None:
        """Call `handler` with every game event, decoded."""

        def decode(tick: int, payload: bytes) -> None:
            event = self.decoder.event(tick, payload)
            if event is not None:
                handler(event)

        def read_list(_tick: int, payload: bytes) -> None:
            self.decoder.event_list(payload)

        self.on_message(Engine.GAME_EVENT_LIST, read_list, full_packets=True)
        self.on_message(Engine.GAME_EVENT, decode, full_packets=True)

    def on_frame(self, handler: FrameHandler, *, packets: bool = True) -> None:
        """Call `handler` with number, frame and decompressed payload of every frame.

        The payload is None if it cannot be decompressed. Without `packets`, frames with inner messages are
        skipped.
        """
        self._handlers.other_frames.append(handler)
        if packets:
            self._handlers.frames.append(handler)
        self._end_run()

    def on_packet_data(self, handler: DataHandler) -> None:
        """Call `handler` with number, frame and inner messages (one bit stream) of every packet, including full
        packets.

        An error that it raises is reported as a problem of the packet.
        """
        self._handlers.data.append(handler)
        self._end_run()

    def on_tick(self, handler: TickHandler) -> None:
        """Call `handler` with the tick of every packet, after the packet is applied and its other handlers were
        called.

        This slows playing down: see `after_packet`.
        """
        self._handlers.ticks.append(handler)
        self._end_run()

    def after_packet(self, handler: TickHandler) -> None:
        """As `on_tick`, but guaranteed only for packets in which another handler was called."""
        self._handlers.packets.append(handler)

    def on_string_table(
        self,
        name: str | None,
        handler: StringTableHandler,
        *,
        full_packets: FullPacketHandler | None = None,
    ) -> None:
        """Call `handler` with every change of a followed string table (None is any), and its tick.

        Entities of the same packet may be applied before or after it. Changes found only in a full packet go to
        `full_packets`, if given: in real recordings, the first full packet has entries of later ticks.
        """
        self._handlers.tables.setdefault(name, []).append(handler)
        if full_packets is not None:
            self._handlers.full_tables.append((name, full_packets))
        self._end_run()

    def keep_string_tables(self, columns: ChangeColumns) -> None:
        """Append every change of every followed string table to `columns`, including those found only in full
        packets.

        This creates no object per change.
        """
        self._handlers.table_columns.append(columns)

    def call_after(self, tick: int, handler: TickHandler) -> None:
        """Call `handler` once, with the tick of the first frame later than `tick`, before this frame is applied.

        The state is then that after everything up to and including `tick`. For samples at an interval.
        """
        heappush(self._calls, (tick, next(self._call_numbers), handler))
        self._end_run()

    def _end_run(self) -> None:
        """End the fast path's current run after its packet, because the run's arguments no longer hold."""
        if self._fast is not None:
            self._fast.stop = True

    def release(self) -> None:
        """Remove all handlers and the decoder, which would otherwise keep their owners alive with the state."""
        self._handlers = self._new_handlers()
        self._end_run()
        self.__dict__.pop("decoder", None)
        self._calls.clear()
        self.entities.tracker.clear()

    # -- movement ---------------------------------------------------------------------------------------

    @property
    def _full_positions(self) -> tuple[list[int], list[int]]:
        """Ticks and frame numbers of the full packets."""
        frames = self._recording.frames
        numbers = frames.numbers_of(FULL_PACKET)
        return [frames[i].tick for i in numbers], numbers

    def run(self) -> None:
        """Play to the end."""
        with COLLECTOR_PAUSED:
            self._run()

    def _run(self) -> None:
        progress = self._progress or (lambda _offset: None)
        # Only handlers create cyclic garbage.
        look = gc.collect if self._calls_anybody else lambda _generation: 0
        if self._fast is None or self._handlers.every_packet:
            frames = iter(self._recording.frames) if self.position == 0 else self._frames_ahead()
            for frame in frames:
                progress(frame.offset)
                self._play(frame)
                for following in islice(frames, _REPORT_EVERY):
                    self._play(following)
                look(_YOUNG)
        else:
            due = 0
            while (ahead := self._ahead(_NO_END)) is not None:
                if self.position >= due:
                    if due:
                        look(_YOUNG)
                    due = self.position + _REPORT_EVERY
                    progress(ahead.offset)
                self._play(ahead)
        if self._check and self._with_entities:
            self._check_baselines()

    @property
    def _calls_anybody(self) -> bool:
        return bool(self._calls or self._handlers or self.entities.tracker)

    def _frames_ahead(self) -> Iterator[Frame]:
        while (frame := self.next_frame()) is not None:
            yield frame

    def steps(self) -> Iterator[Frame]:
        """Play to the end, yielding each frame after it was applied."""
        for frame in iter(self._recording.frames) if self.position == 0 else self._frames_ahead():
            self._play(frame)
            yield frame

    def _packet_ahead(
        self,
        tick: int,
        changed: list[tuple[Entity, int]],
        found: list[tuple[int, bytes]] | None,
        offset: int,
        size: int,
    ) -> None:
        """Call handlers for a packet that the fast path has applied."""
        if tick > self.tick:
            self.tick = tick
        self._update_server_tick()
        try:
            if changed:
                self.entities.tracker.dispatch_all(changed)
            if found:
                self._call_for(Frame(offset, PACKET, tick, False, 0, size), found)
            for handler in self._handlers.packets:
                handler(tick)
        except ReplayError as error:
            self._raised = error
            raise

    def _call_for(self, frame: Frame, found: list[tuple[int, bytes]]) -> None:
        """Call the handlers of messages that the fast path has collected."""
        self._frame = frame
        self._handlers.call(frame.tick, found, self._handlers.messages, self.decoder.report)

    def _table_ahead(self, tick: int, offset: int, size: int, payload: bytes) -> None:
        """Apply the update of a string table without a handler."""
        self.tick = max(self.tick, tick)
        try:
            self._apply_table_message(Frame(offset, PACKET, tick, False, 0, size), UPDATE_STRING_TABLE, payload)
        except ReplayError as error:
            self._raised = error  # a problem to be raised, unrelated to entities
            raise

    def _update_server_tick(self) -> None:
        if self._fast is not None and self._fast.has_server_tick:
            self.server_tick_offset = self._fast.server_tick_offset

    def _ahead(self, until: int, before: int | None = None) -> Frame | None:
        """Play frames on the fast path up to tick `until` or a frame that needs the general path.

        Frames from number `before` on are not played. Returns the next frame.
        """
        gaps = self._recording.frames.gaps
        end = -1 if before is None else self._recording.frames[before].offset
        # The fast path walks the bytes, which would lead it into the damage before a gap.
        gap = min((number for number in gaps if number > self.position), default=None) if gaps else None
        if gap is not None and (before is None or gap <= before):
            end = gaps[gap]
        frame = self.next_frame()
        fast = self._fast
        if fast is None or self._handlers.every_packet:
            return frame
        while frame is not None and frame.command in self._commands_ahead and frame.tick <= until:
            if (self._with_entities and (self._broken or not self.entities.valid)) or frame.offset == end:
                return frame
            if self.position in gaps:
                return frame
            self._call_due(frame.tick)
            last = min(until, self._calls[0][0]) if self._calls else until
            error: ReplayError | None = None
            try:
                fast.run(
                    frame.offset,
                    last,
                    self._handlers.special,
                    self.string_tables.numbers_followed,
                    self._packet_ahead,
                    end,
                    None if self._handlers.tables else self._table_ahead,
                    self._handlers.collected,
                    _REPORT_EVERY,
                )
            except ReplayError as raised:
                error = raised
            self.position += fast.count
            self.packets += fast.packets
            if fast.count:
                self.tick = max(self.tick, fast.tick)
                self._update_server_tick()
            if error is not None:
                failed = self._recording.frames[self.position]
                self.position += 1
                self.packets += 1
                self.tick = max(self.tick, failed.tick)
                self._lose_entities(error, failed)
                if fast.found is not None:
                    self._call_for(failed, fast.found)
                    for handler in self._handlers.packets:
                        handler(failed.tick)
                return self.next_frame()
            if not fast.count:
                return frame
            frame = self.next_frame()
            if frame is not None and frame.tick <= last:
                return frame  # it has to be played by itself
        return frame

    def _call_due(self, tick: int) -> None:
        """Make the calls due before a frame of that tick, which is about to be played."""
        if tick > self.tick:
            while self._calls and self._calls[0][0] < tick:
                heappop(self._calls)[2](tick)

    def next_frame(self) -> Frame | None:
        """Return the next frame, waiting for it in a growing file; None at the end."""
        try:
            return self._recording.frames[self.position]
        except IndexError:
            return None

    def advance(self, tick: int) -> None:
        """Play forwards until everything up to and including `tick` is applied."""
        while (frame := self._ahead(tick)) is not None and frame.tick <= tick:
            self._play(frame)

    def run_before(self, number: int) -> None:
        """Play up to frame `number` (exclusive) or the end."""
        while self.position < number and (frame := self._ahead(_NO_END, number)) is not None:
            if self.position < number:
                self._play(frame)

    def seek(self, tick: int) -> None:
        """Move to `tick`, forwards or backwards: the state after everything up to and including it.

        Handlers are called for the packets from the last full packet on.
        """
        ticks, numbers = self._full_positions
        last = bisect_right(ticks, tick) - 1
        if self.position and self.tick <= tick and (last < 0 or numbers[last] < self.position):
            self.advance(tick)
            return
        self.seek_full_packet(numbers[last] if last >= 0 else None)
        self.advance(tick)

    def seek_full_packet(self, number: int | None) -> None:
        """Move to the state after the full packet that is frame `number`; None is after the sign-on frames.

        Raises:
            ValueError: that frame is not a full packet.
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
            frame = self._recording.frames[earlier]
            self.string_tables.allow(frame.offset + frame.size)
            self._restore_tables(self.full_packets.dump(self._recording.payload(frame), self.string_tables))
        self.position = number
        if self._follows_tables:
            self._apply_table_messages(self._recording.frames[number])
        self.step()

    def _apply_table_messages(self, frame: Frame) -> None:
        """Apply string tables that a full packet has as messages, as in a broadcast."""
        if frame.compressed:
            return  # compressed by the game, so not from a broadcast
        found: list[tuple[int, bytes]] = []
        try:
            data = self._packet(frame, self._payload(frame))
            PacketReader(data).collect(found, TABLE_MESSAGES, _NO_END)
        except ReplayError:  # reported when the frame is played
            pass
        for number, content in found:
            self._apply_table_message(frame, number, content)

    def _rewind(self) -> None:
        self.entities.reset()
        self._new_tables()
        self.full_packets.dumps = 0
        self._tables_whole = False
        self.tick = -1
        self.server_tick_offset = None
        self.position = 0

    def step(self) -> None:
        """Apply the next frame.

        Raises:
            IndexError: there are no more frames.
        """
        self._play(self._recording.frames[self.position])

    # -- frames -----------------------------------------------------------------------------------------

    def _play(self, frame: Frame) -> None:
        number = self.position
        self.position = number + 1
        if number in self._recording.frames.gaps:
            self._forget_state()
            self._broken = True
        command, tick = frame.command, frame.tick
        if tick > self.tick:
            if self._calls:
                self._call_due(tick)
            self.tick = tick
        self._frame = frame
        handlers = self._handlers
        if command not in _PACKETS:
            dump = command == STRING_TABLES and self._follows_tables
            if self._check or handlers.other_frames or dump:
                payload = self._read_frame(number, frame, handlers.other_frames)
                if dump and payload is not None:
                    self._apply_dump(frame, payload)
            if command == SYNC_TICK:
                self._forget_state()
            if command == CLASS_INFO and self._with_entities:
                self.entities.on_class_info(self._recording.class_names)
                self._infer_server_info(frame)
            return
        if handlers.frames:
            payload = self._read_frame(number, frame, handlers.frames)
        else:
            try:
                payload = self._payload(frame)
            except ReplayError as error:
                payload = None
                self._lose_frame(error, number)
        if payload is None:
            self.failures["packet"] += 1
            return
        self.packets += 1
        if command == FULL_PACKET:
            self._apply_full_packet(frame, payload)
            return
        if self._fast is not None and handlers.frames_alone and self._play_fast(frame, payload):
            if handlers.data:
                self._collect(frame, payload, frozenset(), _NO_END)
            return
        found = self._collect(frame, payload, handlers.wanted, handlers.lowest)
        if found:
            self._apply_packet(frame, found)
        if handlers.packets or handlers.ticks:
            for after in (*handlers.packets, *handlers.ticks):
                after(tick)

    def _read_frame(self, number: int, frame: Frame, handlers: list[FrameHandler]) -> bytes | memoryview | None:
        """Return the payload of a frame, after calling the handlers with it; None if it is damaged."""
        payload: bytes | memoryview | None
        try:
            payload = self._payload(frame)
        except ReplayError as error:
            payload = None
            self._lose_frame(error, number)
        for handler in handlers:
            handler(number, frame, payload)
        return payload

    def _lose_frame(self, error: ReplayError, number: int) -> None:
        self._on_problem(error.locate(where="frame"), f"frame {number}")

    def _report_here(self, error: ReplayError, where: str, cost: str) -> None:
        """Report a problem of the current frame."""
        if self._frame is None:
            self._on_problem(error.locate(where=where), cost)
        else:
            self._report(error, self._frame, where, cost)

    def _fail_packet(self, error: ReplayError, frame: Frame) -> None:
        number = self.position - 1
        if self._failed_packet != number:
            self._failed_packet = number
            self.failures["packet"] += 1
            self.packets -= 1
        self._report(error, frame, "packet", f"the rest of the packet in frame {number}")

    # -- packets ----------------------------------------------------------------------------------------

    def _collect(
        self, frame: Frame, payload: bytes | memoryview, wanted: frozenset[int], lowest: int
    ) -> list[tuple[int, bytes]]:
        """Call the handlers of a packet's data. Return number and bytes of the wanted messages."""
        found: list[tuple[int, bytes]] = []
        handlers = self._handlers.data
        try:
            data = self._packet(frame, payload)
            if handlers:
                number = self.position - 1
                try:
                    for handler in handlers:
                        handler(number, frame, data)
                except ReplayError as error:
                    self._fail_packet(error, frame)
            if wanted or lowest < _NO_END:
                PacketReader(data).collect(found, wanted, lowest)
        except ReplayError as error:
            self._fail_packet(error, frame)
        return found

    def _play_fast(self, frame: Frame, payload: bytes | memoryview) -> bool:
        """Play a packet that `_ahead` does not handle on the fast path. Return whether it was played."""
        if self._broken or self._fast is None or not self.entities.valid:
            return False
        # After many special packets in a row, only some packets are tried.
        if self._not_fast >= _MOST_NOT_FAST and self._not_fast % _TRY_FAST_EVERY:
            self._not_fast += 1
            return False
        followed = self.string_tables.numbers_followed
        try:
            special = self._handlers.special_alone
            if not self._fast.play(payload, frame.tick, special, followed, self._packet_ahead):
                self._not_fast += 1
                return False
            self._not_fast = 0
        except ReplayError as error:
            self._lose_entities(error, frame)
        self._update_server_tick()
        return True

    def _apply_packet(self, frame: Frame, found: list[tuple[int, bytes]]) -> None:
        """Apply messages of a packet, then call the handlers of messages."""
        handlers = self._handlers
        state = self._state_messages
        if state:
            for number, content in those_among(found, state):
                self._apply_message(frame, number, content)
        if handlers.messages or handlers.user_messages:
            handlers.call(frame.tick, found, handlers.messages, self.decoder.report)

    # -- dumps, full packets ----------------------------------------------------------------------------

    def _apply_dump(self, frame: Frame, payload: bytes | memoryview) -> None:
        """Apply a StringTables frame: a client's has entries that no message contains."""
        self.string_tables.allow(frame.offset + frame.size)
        try:
            self._apply_dump_entries(frame, self.string_tables.read_dump(payload))
        except ReplayError as error:
            self.failures["string tables"] += 1
            self._report(error, frame, "string tables", "entries of string tables that no message brings")

    def _apply_full_packet(self, frame: Frame, payload: bytes | memoryview) -> None:
        handlers = self._handlers
        wanted_tables = self._follows_tables and (not self._tables_whole or self._check or handlers.follows_dumps)
        # Full packets of broadcasts have messages in place of the dump.
        if wanted_tables:
            try:
                if wire.field_bytes(payload, 1) is not None:
                    # The first one has entries that no message contained; later ones repeat known entries.
                    self.string_tables.allow(frame.offset + frame.size)
                    self._apply_full_tables(frame, self.full_packets.dump(payload, self.string_tables))
            except ReplayError as error:
                self.failures["string tables"] += 1
                self._report(error, frame, "string tables", "the check of the string tables at this full packet")
        needs_entities = self._with_entities and (not self.entities.valid or self._check)
        if not (needs_entities or self._check or handlers.reads_full_packets):
            return
        wanted = handlers.wanted_of_full_packets
        begins_here = needs_entities and not self.entities.valid
        if needs_entities:
            wanted |= {_PACKET_ENTITIES}
        if begins_here:
            wanted |= {_NET_TICK}
        found = self._collect(frame, payload, wanted, handlers.lowest)
        for number, content in found if needs_entities else ():
            if number == _NET_TICK and begins_here:
                self._apply_message(frame, number, content)
            elif number == _PACKET_ENTITIES:
                if self.entities.valid:
                    self._compare(frame, content)
                else:
                    self._apply_entities(frame, content)
        if handlers.full_messages or handlers.user_messages:
            handlers.call(frame.tick, found, handlers.full_messages, self.decoder.report)
