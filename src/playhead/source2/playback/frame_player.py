"""`FramePlayer`: applies a recording's frames to its state, and calls the handlers of each frame."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from itertools import chain, count
from weakref import WeakMethod

from playhead.errors import ReplayError
from playhead.model import Check
from playhead.runtime.cached import cached_property
from playhead.runtime.records import dataclass, field, field_names
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container import frames
from playhead.source2.entities.entity import Entity
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.fast_path import OTHER_COMMANDS, USER_COMMANDS, FastPath, those_among
from playhead.source2.playback.handlers import NOTHING, CallHandler, FrameHandler
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.state import PlayedState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playhead.source2.playback.decoding import SharedDecoder
    from playhead.source2.playback.fast_path import RepeatedSamples
    from playhead.tables.packed import Room

_PACKETS = (frames.PACKET, frames.SIGNON_PACKET, frames.FULL_PACKET)
# Compared with every message: a name of the module is found faster than an attribute of a class.
_NET_TICK = Engine.NET_TICK
_PACKET_ENTITIES = Engine.PACKET_ENTITIES
#: What a damaged dump of string tables costs.
CHECK_OF_TABLES = "the check of the string tables at this full packet"


def _in_turn(found: list[tuple[int, bytes]]) -> list[Any]:
    """Return the numbers and payloads of messages as the fast path passes them on."""
    return list(chain.from_iterable(found))


def packet_at(offset: int, tick: int, size: int) -> frames.Frame:
    """Return the frame of a packet that the fast path plays. This bypasses ``__new__``, which is slow."""
    return tuple.__new__(frames.Frame, (offset, frames.PACKET, tick, False, 0, size))


class FramePlayer(PlayedState):
    """Plays single frames; `Playback` documents arguments and attributes."""

    def __init__(self, recording: Recording, entities: bool, check: bool, *others: Any) -> None:
        super().__init__(recording, entities, check, *others)
        self._payload = recording.payload
        self._packet = recording.packet
        self._calls: list[tuple[int, int, CallHandler]] = []
        self._call_numbers = count()
        # Whether such a call is being made; the last tick to play, position and packets of the fast path's run.
        self._calling = False
        self._until, self._begun = -1, (0, 0)
        self.tick = -1
        self.position = 0
        self.packets = 0
        self._frame: frames.Frame | None = None
        self._failed_packet = -1
        whole = recording.whole
        passed = USER_COMMANDS if check else OTHER_COMMANDS
        manager = self.entities if entities else None
        self._fast = None if whole is None else FastPath(whole, self._limits, manager, passed)
        self._fast_commands = passed | {frames.PACKET}

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

    @cached_property
    def room(self) -> Room:
        """Room for rows of messages that wait for the end as they are."""
        from playhead.tables.packed import Room

        return Room()

    # -- calls ------------------------------------------------------------------------------------------

    def _call_due(self, tick: int) -> None:
        """Make the calls due before a frame of that tick, which is about to be played."""
        if tick > self.tick:
            calls = self._calls
            while calls and calls[0][0] < tick:
                _, _, handler = heappop(calls)
                if self._fast is not None:
                    self._fast.repeat_nothing()
                try:
                    again = handler(tick)
                except Exception as error:
                    self.guard.failed(handler, error)
                    again = None
                if again is not None:
                    heappush(calls, (again, next(self._call_numbers), handler))

    def repeat(self, samples: RepeatedSamples) -> None:
        """Let the fast path make further samples until a handler is called, unless other calls are due; for
        handlers of `call_after`, when they have made one.
        """
        if self._fast is not None and not self._calls:
            samples.until = self._until
            self._fast.repeat(samples)

    def fail_ahead(self, handler: Callable[..., Any], error: Exception) -> None:
        """Record the exception of a handler that the fast path called, as `Guard.failed`."""
        self._count_ahead()
        try:
            self.guard.failed(handler, error)
        except ReplayError as raised:
            self._raised = raised
            raise

    def _later_ahead(self, tick: int) -> int:
        """Make the calls due before a frame that the fast path is about to play; return the last tick to play."""
        self._count_ahead()
        calls, until = self._calls, self._until
        if tick <= until and tick > self.tick:
            self._calling = True
            try:
                self._call_due(tick)
            except ReplayError as error:
                self._raised = error
                raise
            finally:
                self._calling = False
        # Written out, not as `_last_tick`: this runs once for each sampled tick.
        return calls[0][0] if calls and calls[0][0] < until else until

    @property
    def _last_tick(self) -> int:
        """The last tick that the fast path may play before a call is due."""
        return min(self._until, self._calls[0][0]) if self._calls else self._until

    def _count_ahead(self) -> None:
        """Count the frames that the fast path has played so far in its run."""
        fast = self._fast
        if fast is not None and fast.count:
            position, packets = self._begun
            self.position, self.packets = position + fast.count, packets + fast.packets
            if fast.tick > self.tick:
                self.tick = fast.tick
            if fast.has_server_tick:
                self.server_tick_offset = fast.server_tick_offset

    def _packet_ahead(
        self,
        tick: int,
        changed: list[tuple[Entity, int]],
        found: list[Any] | None,
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
                self._call_for(packet_at(offset, tick, size), found)
            if self._handlers.packets:
                self.guard.call(self._handlers.packets, tick)
        except ReplayError as error:
            self._raised = error
            raise

    def _call_for(self, frame: frames.Frame, found: list[Any]) -> None:
        """Call the handlers of messages that the fast path has collected."""
        self._frame = frame
        self._handlers.call(frame.tick, found, self._handlers.messages, self.decoder.report, self.guard.failed)

    def _update_server_tick(self) -> None:
        if self._fast is not None and self._fast.has_server_tick:
            self.server_tick_offset = self._fast.server_tick_offset

    # -- frames -----------------------------------------------------------------------------------------

    def _play(self, frame: frames.Frame) -> None:
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
            dump = command == frames.STRING_TABLES and self._follows_tables
            if self._check or handlers.other_frames or dump:
                payload = self._read_frame(number, frame, handlers.other_frames)
                if dump and payload is not None:
                    self._apply_dump(frame, payload)
            if command == frames.SYNC_TICK:
                self._forget_state()
            if command == frames.CLASS_INFO and self._with_entities:
                self.entities.on_class_info(self._recording.class_names)
                self._infer_server_info(frame)
            return
        payload = self._read_frame(number, frame, handlers.frames)
        if payload is None:
            self.failures["packet"] += 1
            return
        self.packets += 1
        if command == frames.FULL_PACKET:
            self._apply_full_packet(frame, payload)
            return
        found = self._collect(frame, payload, handlers.wanted, handlers.lowest)
        if found:
            self._apply_packet(frame, found)
        if handlers.packets or handlers.ticks:
            self.guard.call((*handlers.packets, *handlers.ticks), tick)

    def _read_frame(
        self, number: int, frame: frames.Frame, handlers: list[FrameHandler]
    ) -> bytes | memoryview | None:
        """Return the payload of a frame, after calling the handlers with it; None if it is damaged."""
        payload: bytes | memoryview | None = None
        try:
            payload = self._payload(frame)
        except ReplayError as error:
            self._on_problem(error.locate(where="frame"), f"frame {number}")
        for handler in handlers:
            try:
                handler(number, frame, payload)
            except Exception as error:
                self.guard.failed(handler, error)
        return payload

    def _report_here(self, error: ReplayError, where: str, cost: str) -> None:
        """Report a problem of the current frame."""
        if self._frame is None:
            self._on_problem(error.locate(where=where), cost)
        else:
            self._report(error, self._frame, where, cost)

    def _fail_packet(self, error: ReplayError, frame: frames.Frame) -> None:
        number = self.position - 1
        if self._failed_packet != number:
            self._failed_packet = number
            self.failures["packet"] += 1
            self.packets -= 1
        self._report(error, frame, "packet", f"the rest of the packet in frame {number}")

    # -- packets ----------------------------------------------------------------------------------------

    def _collect(
        self, frame: frames.Frame, payload: bytes | memoryview, wanted: frozenset[int], lowest: int
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
            if wanted or lowest < NOTHING:
                PacketReader(data).collect(found, wanted, lowest)
        except ReplayError as error:
            self._fail_packet(error, frame)
        return found

    def _apply_packet(self, frame: frames.Frame, found: list[tuple[int, bytes]]) -> None:
        """Apply messages of a packet, then call the handlers of messages."""
        handlers = self._handlers
        state = self._state_messages
        if state:
            for number, content in those_among(found, state):
                self._apply_message(frame, number, content)
        if handlers.messages or handlers.user_messages:
            handlers.call(frame.tick, _in_turn(found), handlers.messages, self.decoder.report, self.guard.failed)

    # -- dumps, full packets ----------------------------------------------------------------------------

    def _apply_dump(self, frame: frames.Frame, payload: bytes | memoryview) -> None:
        """Apply a StringTables frame: a client's has entries that no message contains."""
        self.string_tables.allow(frame.offset + frame.size)
        try:
            self._apply_dump_entries(frame, self.string_tables.read_dump(payload))
        except ReplayError as error:
            self.failures["string tables"] += 1
            self._report(error, frame, "string tables", "entries of string tables that no message brings")

    def _apply_full_packet(self, frame: frames.Frame, payload: bytes | memoryview) -> None:
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
                self._report(error, frame, "string tables", CHECK_OF_TABLES)
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
            handlers.call(
                frame.tick, _in_turn(found), handlers.full_messages, self.decoder.report, self.guard.failed
            )


@dataclass(frozen=True, slots=True)
class Checked:
    """Counts of a playback, or of several stretches of one recording.

    Attributes:
        packets, failures: as `Playback` counts them.
        entity_messages: number of entity messages.
        baselines, equal_states, equal_dumps: as `FullPackets` counts them.
    """

    packets: int = 0
    entity_messages: int = 0
    baselines: int = 0
    equal_states: int = 0
    equal_dumps: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, playback: FramePlayer) -> Checked:
        """Return the counts of a playback so far."""
        full = playback.full_packets
        return cls(
            playback.packets,
            playback.entities.messages,
            full.baselines,
            full.equal_states,
            full.equal_dumps,
            Counter(playback.failures),
        )

    def checks(self) -> Iterator[Check]:
        """Yield the checks with their counts."""
        failures = self.failures
        yield Check("packets", self.packets, failures["packet"], "complete messages to the last byte")
        yield Check(
            "entity messages",
            self.entity_messages,
            failures["entities"],
            "decoded with 0 to 7 bits left: one wrong field would shift all later ones",
        )
        yield Check("baselines", self.baselines, failures["baseline"], "decoded with 0 to 7 bits left")
        yield Check(
            "full packets",
            self.equal_states,
            failures["full packet"],
            "equal to the entities and fields built from the packets before them",
        )
        yield Check(
            "string table dumps",
            self.equal_dumps,
            failures["string tables"],
            "equal to the tables built from the messages before them, except the first, which has new entries",
        )

    def __add__(self, other: Checked) -> Checked:
        return Checked(*(getattr(self, name) + getattr(other, name) for name in field_names(Checked)))

    def __sub__(self, other: Checked) -> Checked:
        return Checked(*(getattr(self, name) - getattr(other, name) for name in field_names(Checked)))
