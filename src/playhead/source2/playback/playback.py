"""`Playback`: plays a recording frame by frame, keeps its state, and seeks by full packets.

A full packet has the complete state. To seek to a tick, the sign-on frames are played, then the string tables of
every full packet up to the tick are applied (each lists only tables changed since the previous one), then the
entities of the last of these, then the packets after it. The result equals that of playing from the start.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from heapq import heappush
from itertools import islice

from playhead.errors import ReplayError
from playhead.model import ProblemHandler
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.container.frames import FULL_PACKET, PACKET, Frame
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.fast_path import PacketSink
from playhead.source2.playback.frame_player import CHECK_OF_TABLES, FramePlayer, packet_at
from playhead.source2.playback.handlers import (
    AnyMessageHandler,
    CallHandler,
    DataHandler,
    FrameHandler,
    MessageHandler,
    StringTableHandler,
    TickHandler,
)
from playhead.source2.playback.recording import Recording, Schema, raise_problem
from playhead.source2.playback.state import TABLE_MESSAGES, UPDATE_STRING_TABLE
from playhead.source2.string_tables.entries import ChangeColumns

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import GameEvent


_NO_END = 1 << 31
# Frames between progress reports, and between searches for cyclic garbage of handlers.
_REPORT_EVERY = 1024
_YOUNG = 1


class Playback(FramePlayer):
    """One playhead in a recording.

    Args:
        recording: the recording to play.
        schema: fields to keep, by class; None keeps all fields, with the recording's own schema.
        tables: names of the string tables to follow; None follows all. Tables that entities need are always
            followed: baselines, and without `schema` names (`EntityManager.find_by_npc_name`).
        entities: whether to decode entity messages. Without, `entities` stays empty, which saves most of the
            work.
        check: read every frame, compare the string tables and entities of every full packet with the current
            state, and decode every baseline at the end. The state stays as built from the packets.
        on_problem: called with each decoding error and a description of the lost data; the default raises it.
        progress: called by `run` from time to time with the offset of a frame.

    Attributes:
        entities: all networked objects.
        string_tables: the followed string tables.
        tick: tick of the last frame applied; -1 before the game.
        position: number of the next frame.
        guard: attaches collectors, and keeps their exceptions from ending the playback.
        server_info: fields of CSVCMsg_ServerInfo; empty before this message, and without entities.
        packets: number of packets applied completely, including full packets.
        full_packets: counts of full packets and results of their checks.
        server_tick_offset: the server's tick minus the recording's, from the latest packet with a CNETMsg_Tick;
            None before that, and without entities.
        begin: first tick that a stretch plays; 0 for the whole recording.
        stops_early: whether a stretch ends before the recording; samples at its last tick belong to the next.
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
        on_problem: ProblemHandler = raise_problem,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(recording, entities, check, schema, tables, on_problem)
        self._progress = progress
        self.begin = 0
        self.stops_early = False

    # -- handlers ---------------------------------------------------------------------------------------

    def on_message(self, message: str | int, handler: MessageHandler, *, full_packets: bool = False) -> None:
        """Call `handler` with tick and payload of every inner message of that name or number.

        It is called after the state messages of the same packet are applied. Messages inside svc_UserMessage
        count too. Messages of full packets, which repeat the state, count only with `full_packets`.

        Raises:
            KeyError: the recording's game has no message of that name.
        """
        self.guard.own(handler)
        self._handlers.add_message(message, handler, full_packets)
        self._end_run()

    def on_user_message(self, handler: AnyMessageHandler) -> None:
        """Call `handler` with tick, number and payload of every message for the game's own code.

        These have numbers from `FIRST_USER_MESSAGE` on, or are inside svc_UserMessage. Those of full packets
        count too.
        """
        self.guard.own(handler)
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

        borrowed = self._recording.borrowed_events
        if borrowed is not None:
            self.decoder.event_list(borrowed.message())
        self.on_message(Engine.GAME_EVENT_LIST, read_list, full_packets=True)
        self.on_message(Engine.GAME_EVENT, decode, full_packets=True)

    def on_frame(self, handler: FrameHandler, *, packets: bool = True, sink: PacketSink | None = None) -> None:
        """Call `handler` with number, frame and decompressed payload of every frame.

        The payload is None if it cannot be decompressed. Without `packets`, frames with inner messages are
        skipped. Packets that the fast path plays go to `sink` in place of `handler`; without a sink, it plays
        none.
        """
        self.guard.own(handler)
        self._handlers.other_frames.append(handler)
        if packets:
            self._handlers.frames.append(handler)
        if sink is not None:
            self._handlers.sinks.append(sink)
        if self._fast is not None:
            self._fast.stop_at_others()
            self._fast_commands = frozenset({PACKET})
        self._end_run()

    def on_packet_data(self, handler: DataHandler, *, sink: PacketSink | None = None) -> None:
        """Call `handler` with number, frame and inner messages (one bit stream) of every packet, including full
        packets.

        An error that it raises is reported as a problem of the packet. `sink` is as for `on_frame`.
        """
        self.guard.own(handler)
        self._handlers.data.append(handler)
        if sink is not None:
            self._handlers.sinks.append(sink)
        self._end_run()

    def on_tick(self, handler: TickHandler) -> None:
        """Call `handler` with the tick of every packet, after the packet is applied and its other handlers were
        called.

        This slows playing down: see `after_packet`.
        """
        self.guard.own(handler)
        self._handlers.ticks.append(handler)
        self._end_run()

    def after_packet(self, handler: TickHandler) -> None:
        """As `on_tick`, but guaranteed only for packets in which another handler was called."""
        self.guard.own(handler)
        self._handlers.packets.append(handler)

    def on_string_table(
        self, name: str | None, handler: StringTableHandler, *, full_packets: StringTableHandler | None = None
    ) -> None:
        """Call `handler` with every change of a followed string table (None is any), and its tick.

        Entities of the same packet may be applied before or after it. Changes found only in a full packet go to
        `full_packets`, if given: in real recordings, the first full packet has entries of later ticks.
        """
        self.guard.own(handler)
        self._handlers.tables.setdefault(name, []).append(handler)
        if full_packets is not None:
            self.guard.own(full_packets)
            self._handlers.full_tables.append((name, full_packets))
        self._end_run()

    def keep_string_tables(self, columns: ChangeColumns) -> None:
        """Append every change of every followed string table to `columns`, including those found only in full
        packets.

        This creates no object per change.
        """
        self._handlers.table_columns.append(columns)

    def call_after(self, tick: int, handler: CallHandler) -> None:
        """Call `handler` with the tick of the first frame later than `tick`, before this frame is applied. If it
        returns a tick, call it again after that tick.

        The state is then that after everything up to and including `tick`. For samples at an interval.
        """
        self.guard.own(handler)
        heappush(self._calls, (tick, next(self._call_numbers), handler))
        if not self._calling:
            self._end_run()

    @property
    def messages_read(self) -> frozenset[int]:
        """Numbers of the messages that have handlers."""
        return frozenset(self._handlers.messages)

    def _end_run(self) -> None:
        """End the fast path's current run after its packet, because the run's arguments no longer hold."""
        if self._fast is not None:
            self._fast.stop = True
            self._fast.repeat_nothing()

    def release(self) -> None:
        """Remove all handlers and the decoder, which would otherwise keep their owners alive with the state."""
        self._handlers = self._new_handlers()
        self.guard.release()
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
        with GC_PAUSED:
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

    def _table_ahead(self, tick: int, offset: int, size: int, payload: bytes) -> bool:
        """Apply the update of a string table; return whether any table has a handler."""
        self.tick = max(self.tick, tick)
        self._update_server_tick()
        try:
            self._apply_table_message(packet_at(offset, tick, size), UPDATE_STRING_TABLE, payload)
        except ReplayError as error:
            self._raised = error  # a problem to be raised, unrelated to entities
            raise
        return bool(self._handlers.tables)

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
        while frame is not None and frame.command in self._fast_commands and frame.tick <= until:
            if (self._with_entities and (self._broken or not self.entities.valid)) or frame.offset == end:
                return frame
            if self.position in gaps:
                return frame
            self._call_due(frame.tick)
            self._until, self._begun = until, (self.position, self.packets)
            error: ReplayError | None = None
            try:
                fast.run(
                    frame.offset,
                    self._last_tick,
                    self._handlers.special,
                    self.string_tables.numbers_followed,
                    self._packet_ahead,
                    end,
                    self._table_ahead,
                    self._handlers.collected,
                    _REPORT_EVERY,
                    self._later_ahead if self._calls else None,
                    self._handlers.sinks,
                    self.position,
                    self._recording.numbers.marks,
                )
            except ReplayError as raised:
                error = raised
            self._count_ahead()
            if error is not None:
                failed = self._recording.frames[self.position]
                self.position += 1
                self.packets += 1
                self.tick = max(self.tick, failed.tick)
                self._lose_entities(error, failed)
                if fast.found is not None:
                    self._call_for(failed, fast.found)
                    self.guard.call(self._handlers.packets, failed.tick)
                return self.next_frame()
            if (self.position, self.packets) == self._begun:
                return frame
            frame = self.next_frame()
            if frame is not None and frame.tick <= self._last_tick:
                return frame  # the fast path cannot play it
        return frame

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

        Handlers are called for the packets from the last sound full packet on; those of string tables in full
        packets also for the earlier full packets.
        """
        ticks, numbers = self._full_positions
        last = bisect_right(ticks, tick) - 1
        if self.position and self.tick <= tick and (last < 0 or numbers[last] < self.position):
            self.advance(tick)
            return
        for start in (last, last - 1, -1):  # a damaged full packet has no state: an earlier one has
            self.seek_full_packet(numbers[start] if start >= 0 else None)
            if start < 0 or not self._with_entities or self.entities.valid:
                break
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
            payload = self._read_frame(earlier, frame, [])
            if payload is not None:
                self._apply_earlier_tables(frame, payload)
        self.position = number
        if self._follows_tables:
            self._apply_table_messages(self._recording.frames[number])
        self.step()

    def _apply_earlier_tables(self, frame: Frame, payload: bytes | memoryview) -> None:
        self.string_tables.allow(frame.offset + frame.size)
        try:
            self._apply_dump_entries(frame, self.full_packets.dump(payload, self.string_tables))
        except ReplayError as error:
            self._report(error, frame, "string tables", CHECK_OF_TABLES)

    def begin_after(self, number: int) -> None:
        """Move to the state after the full packet that is frame `number`, for a stretch that begins there.

        Handlers of entities are called, and those of lists of game events; others are not.
        """
        handlers, calls = self._handlers, self._calls
        self._handlers, self._calls = self._new_handlers(), []
        for each in handlers.messages.get(Engine.GAME_EVENT_LIST, ()):
            self.on_message(Engine.GAME_EVENT_LIST, each, full_packets=True)
        self.seek_full_packet(number)
        self._handlers, self._calls = handlers, calls
        self._end_run()

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
            IndexError: the frames have ended.
        """
        self._play(self._recording.frames[self.position])
