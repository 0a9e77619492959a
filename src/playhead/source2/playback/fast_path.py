"""The fast path of playing: runs of packets, without a Python object for unrequested messages; calls of handlers.

It applies entities, and passes updates of string tables and requested messages on undecoded. It leaves special
packets (a string-table change after the entities, a new string table, any damage) to `playback.playback`, which
plays them like any other frame. Without a need for entities, it skips messages by their sizes.

The module is long because the path and the handlers that it calls without Python objects share C signatures.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.bits.byte_reader import ByteReader
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.snappy import SnappyBlock
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import MOST_IN_A_PACKET

if TYPE_CHECKING:
    from collections.abc import Callable

    from playhead.source2.entities.entity import Entity

if not cython.compiled:
    from playhead.bits.bit_reader import bits_left, next_ubit_var, next_varuint32, pass_bits, peek_word
    from playhead.bits.byte_reader import take_varuint32

    # Constants of fast_path.pxd: commands of frames, and the bit of compressed ones.
    PACKET = 7
    MOST_COMMANDS = 32
    COMPRESSED = 64
    # Inner messages.
    NET_TICK = 4
    UPDATE_STRING_TABLE = 45
    PACKET_ENTITIES = 55
    # Bound on message numbers of the fast path; the general path reports higher ones.
    MOST_NUMBERS = 2048
    # Keys of protobuf fields: number 1 as a varint, and the wire type of bytes.
    FIRST_VARINT = 8
    WIRE_BYTES = 2
    # Field of CDemoPacket with the inner messages.
    PACKET_DATA = 3
    WITHOUT_ENTITIES, WITH_ENTITIES = 1, 2
    SPECIAL, WANTED = 1, 2


_USER_MESSAGE = Engine.USER_MESSAGE


@cython.cclass
class MessageSink:
    """A compiled handler of messages, called without Python objects for tick and number."""

    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Handle a message of that number."""
        raise NotImplementedError


@cython.cclass
class PacketSink:
    """A compiled handler of the packets that the fast path plays, without a Python object for any message."""

    def take_packet(
        self,
        frame: cython.int,
        tick: cython.int,
        offset: cython.longlong,
        size: cython.int,
        ids: cython.p_int,
        sizes: cython.p_int,
        count: cython.Py_ssize_t,
    ) -> cython.int:
        """Handle the packet of a frame.

        Args:
            frame, tick, offset: number, tick and offset of the frame.
            size: bytes of its decompressed payload.
            ids, sizes: numbers and bytes of its inner messages, without fillers.
            count: number of these messages.
        """
        raise NotImplementedError


def call_handlers(
    tick: int,
    found: list[Any],
    messages: dict,
    numbered: list,
    user_messages: list[Callable[[int, int, bytes], None] | MessageSink],
    lowest: cython.longlong,
    report: Callable[[ReplayError, int], None],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None:
    """Call the handlers of messages.

    Args:
        tick: tick of the packet.
        found: number and payload of each message in turn; messages without a handler are skipped.
        messages: handlers by number; a `MessageSink` is called by its `accept`.
        numbered: the same for the lowest numbers, None for one without handlers; it may be empty.
        user_messages: handlers of every message of number `lowest` or above, or inside svc_UserMessage.
        lowest: lowest number of a user message.
        report: called with the error of an undecodable svc_UserMessage, and its number.
        failed: called with a handler and its exception.
    """
    wrapped: cython.longlong = _USER_MESSAGE
    size: cython.Py_ssize_t = len(numbered)
    when: cython.int = tick
    place: cython.Py_ssize_t
    for place in range(0, len(found), 2):
        each: object = found[place]
        payload: bytes = found[place + 1]
        number: cython.longlong = each
        of_game: cython.bint = number >= lowest
        if number == wrapped:
            _call(tick, when, number, payload, messages.get(each), failed)
            # Imported here: current games do not wrap messages, and a playback of entities decodes none.
            from playhead.source2.messages.decoded import unwrap

            try:
                each, payload = unwrap(payload)
            except ReplayError as error:
                report(error, wrapped)
                continue
            number = each
            of_game = True
        handlers: object = numbered[number] if 0 <= number < size else messages.get(each)
        if handlers is not None:
            _call(tick, when, number, payload, handlers, failed)
        if of_game:
            for handler in user_messages:
                try:
                    if isinstance(handler, MessageSink):
                        cython.cast(MessageSink, handler).accept(when, number, payload)
                    else:
                        handler(tick, each, payload)
                except Exception as error:
                    failed(handler, error)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _call(
    tick: object, when: cython.int, number: cython.longlong, payload: bytes, handlers: object, failed: object
) -> cython.int:
    """Call the handlers of a message, which get `tick` (`when`) and `payload`; do nothing for None."""
    if handlers is None:
        return 0
    each: list = handlers
    for handler in each:
        try:
            if isinstance(handler, MessageSink):
                cython.cast(MessageSink, handler).accept(when, number, payload)
            else:
                handler(tick, payload)
        except Exception as error:
            failed(handler, error)
    return 0


def those_among(found: list[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]:
    """Return the messages with these numbers."""
    chosen: list = []
    for message in found:
        if message[0] in numbers:
            chosen.append(message)
    return chosen


#: Frame commands without effect on the state: a player's input, which a client records continuously.
USER_COMMANDS = frozenset({12})
#: And all commands of frames that are neither packets nor part of the sign-on.
OTHER_COMMANDS = frozenset({0, 1, 2, 9, 10, 11, 12, 14, 15, 16, 17, 18})


_NO_NUMBERS: frozenset[int] = frozenset()
_NO_MARKS = bytes(MOST_NUMBERS)
_NO_CHANGES: list[Any] = []
_NO_SINKS: list[PacketSink] = []
# Messages of a packet that are noted for sinks before the first growth.
_FIRST_NOTES = 256
_MANY = 1 << 62
# The numbers of messages as objects, made once.
_NUMBERS = cython.declare(list, list(range(MOST_NUMBERS)))


@cython.final
@cython.cclass
class RepeatedSamples:
    """Samples at an interval, which the fast path makes itself as long as no handler is called between them.

    Args:
        due: the first tick.
        every: ticks between samples.
        longest: a longer time without packets was not recorded, so nothing is sampled in it.

    Attributes:
        due: the next tick.
        until: the last tick that `take` may look at; -1 if it may make no sample.
        again: called with the tick of a sample; returns whether the next may be made so too. None without any.
        failed: called with an exception of `again`.
    """

    def __init__(self, due: int, every: int, longest: int) -> None:
        self.due = due
        self.every = every
        self.longest = longest
        self.until = -1
        self.again = self.failed = None

    def take(self, tick: cython.longlong) -> cython.longlong:
        """Make the samples due before a frame of that tick; return the next tick to look at, -1 if not all are
        made.
        """
        if tick > self.until or tick - self.due > self.longest:
            return -1
        while self.due < tick and self.until >= 0:
            due: cython.longlong = self.due
            self.due = due + self.every
            try:
                if not self.again(due):
                    self.until = -1
            except Exception as error:
                self.until = -1
                self.failed(error)
        return min(self.due, self.until)


@cython.final
@cython.cclass
class FastPath:
    """Plays packets of one recording.

    Attributes:
        count: frames played by the latest `run`; after an error, those before the failed one.
        packets: number of packets among them.
        found: after an error, number and bytes of each wanted message in the failed packet in turn; None without
            any.
        stop: set to end the current run after the current packet.
        tick: tick of the last frame played.
        has_server_tick: whether a packet of the latest `run` had the server's tick.
        server_tick_offset: latest server tick minus the recording's tick.
    """

    def __init__(
        self,
        data: memoryview,
        limits: Limits,
        manager: EntityManager | None,
        passed: frozenset[int] = USER_COMMANDS,
    ) -> None:
        self._frames = ByteReader(data)
        self._file = BitReader(data)
        self._block = SnappyBlock(limits.frame)
        self._most = limits.frame
        self._most_messages = MOST_IN_A_PACKET
        self._manager = manager
        self._special = self._wanted = frozenset()
        self._marked = self._marks = _NO_MARKS
        self.found = None
        self.stop = False
        self._samples = None
        self.count = 0
        self.packets = 0
        self.tick = -1
        self.has_server_tick = False
        self.server_tick_offset = 0
        self._server_tick = -1
        self._passed = sum(1 << number for number in passed)
        self._contents = None
        self._notes_messages = False
        self._ids, self._sizes = array("i"), array("i")
        self._noted = self._room = 0

    def run(
        self,
        offset: int,
        until: int,
        special: frozenset[int],
        followed: frozenset[int],
        on_packet: Callable[[int, list[tuple[Entity, int]], list[Any] | None, int, int], None],
        end: int = -1,
        on_table: Callable[[int, int, int, bytes], bool] | None = None,
        wanted: frozenset[int] = _NO_NUMBERS,
        most: int = _MANY,
        on_later: Callable[[int], int] | None = None,
        sinks: list[PacketSink] = _NO_SINKS,
        number: int = 0,
        marked: bytes = _NO_MARKS,
    ) -> None:
        """Play packets from the frame at `offset` on, up to a special one.

        Args:
            offset: offset of the first frame.
            until: the last tick to play.
            special: numbers of messages that end the run before their packet.
            followed: numbers of the followed string tables; without `on_table`, their updates are special too.
            on_packet: called after each packet with a watched operation, a wanted message or a true result of
                `on_table`, with its tick, the watched operations on entities, number and bytes of each wanted
                message in turn (None without any), and offset and stored size of its frame.
            end: offset of a frame at which to stop; -1 is none.
            on_table: called with tick, offset and stored size of a packet's frame, and the update of a followed
                string table, before the packet's entities are applied; returns whether tables have handlers. An
                update after the entities ends the run.
            wanted: numbers of messages for `on_packet`; must exclude those that this class reads for the state.
            most: bound on the frames to play.
            on_later: called with the tick of a frame later than `until`, before it is played; returns another
                `until`. None ends the run there.
            sinks: get each packet before it is applied.
            number: number of the first frame.
            marked: by number, whether a message is as those of `special`.
        """
        frames: ByteReader = self._frames
        last: cython.longlong = until
        last_offset: cython.longlong = end
        left: cython.longlong = most
        manager: EntityManager = self._manager
        later: cython.longlong
        self._set_marks(special, wanted, marked)
        self._notes_messages = len(sinks) > 0
        self.stop = False
        self._samples = None
        self.found = None
        self.count = 0
        self.packets = 0
        self.has_server_tick = False
        frames.seek(offset)
        while (manager is None or manager.valid) and left > 0 and not self.stop:
            self.found = None
            left -= 1
            try:
                frame: cython.longlong = frames.tell()
                if not frames.remaining() or frame == last_offset:
                    return
                command: cython.longlong = take_varuint32(frames)
                tick: cython.longlong = take_varuint32(frames)
                size: cython.longlong = take_varuint32(frames)
                start: cython.longlong = frames.tell()
                kind: cython.longlong = command & ~COMPRESSED
                passes: cython.bint = kind < MOST_COMMANDS and (self._passed >> kind) & 1
                if tick > last and on_later is not None and (passes or kind == PACKET):
                    later = -1 if self._samples is None else self._samples.take(tick)
                    if later < 0:
                        self._samples = None
                        later = on_later(tick)
                    last = later
                    if self.stop:
                        return
                if passes and tick <= last and size <= self._most:
                    frames.skip(size)
                    self.tick = tick
                    self.count += 1
                    continue
                if kind != PACKET or tick > last or size > self._most:
                    return
                frames.skip(size)
                if command & COMPRESSED:
                    self._block.decompress_into(self._file, start, size)
                    reader: BitReader = self._block.reader
                    payload: cython.ulonglong = bits_left(reader) >> 3
                else:
                    reader = self._file
                    reader.window(8 * start, 8 * size)
                    payload = size
                found: cython.int = self._find_entities(reader, followed, on_table is not None)
            except ReplayError:
                self.found = None
                return
            if not found:
                self.found = None
                return
            for sink in sinks:
                self._pass_on(sink, number + self.count, tick, frame, payload)
            self.tick = tick
            if self._server_tick >= 0 and manager is not None:
                self.has_server_tick = True
                self.server_tick_offset = self._server_tick - tick
            handled: cython.bint = False
            if self._contents is not None:
                self._samples = None
                for content in self._contents:
                    if on_table(tick, frame, size, content):
                        handled = True
            changed: list = manager.apply_window(reader) if found == WITH_ENTITIES else _NO_CHANGES
            if changed or handled or self.found is not None:
                self._samples = None
                on_packet(tick, changed, self.found, frame, size)
            self.count += 1
            self.packets += manager is not None or self._contents is not None or self.found is not None
        self.found = None

    def repeat(self, samples: RepeatedSamples) -> None:
        """Make these samples too, in the current run until a handler is called."""
        self._samples = samples

    def repeat_nothing(self) -> None:
        """Leave further samples to their handlers; call it before one of them."""
        self._samples = None

    def stop_at_others(self) -> None:
        """End runs at every frame that is no packet, from now on."""
        self._passed = 0

    def _set_marks(self, special: frozenset, wanted: frozenset, marked: bytes) -> object:
        if special is not self._special or wanted is not self._wanted or marked is not self._marked:
            marks: bytearray = bytearray(marked)
            for each in wanted:
                number: cython.longlong = each
                if 0 <= number < MOST_NUMBERS and marks[number] != SPECIAL:
                    marks[number] = WANTED
            for each in special:
                number = each
                if 0 <= number < MOST_NUMBERS:
                    marks[number] = SPECIAL
            self._marked = marked
            self._special = special
            self._wanted = wanted
            self._marks = bytes(marks)
        return None

    def _is_too_much(self) -> cython.bint:
        """Return whether a packet has too many messages, which the general path reports."""
        return self.found is not None and len(self.found) >= 2 * self._most_messages

    def _keep_message(self, reader: BitReader, number: cython.ulonglong, size: cython.ulonglong) -> cython.int:
        """Keep a message of `size` bits, unless it is a filler."""
        if number == 0 and size == 0:
            return 0
        if self.found is None:
            self.found = []
        self.found.append(_NUMBERS[number])
        self.found.append(reader.read_bytes(size >> 3))
        return 0

    def _note_message(self, number: cython.ulonglong, size: cython.ulonglong) -> cython.bint:
        """Note a message of `size` bits for sinks, unless it is a filler; return False for too many."""
        if number == 0 and size == 0:
            return True
        if self._noted == self._most_messages:
            return False
        if self._noted == self._room:
            self._room = max(_FIRST_NOTES, 2 * self._room)
            self._ids.extend(array("i", bytes(4 * (self._room - len(self._ids)))))
            self._sizes.extend(array("i", bytes(4 * (self._room - len(self._sizes)))))
        if cython.compiled:
            self._ids.data.as_ints[self._noted] = number
            self._sizes.data.as_ints[self._noted] = size >> 3
        else:
            self._ids[self._noted], self._sizes[self._noted] = number, size >> 3
        self._noted += 1
        return True

    def _pass_on(
        self,
        sink: PacketSink,
        number: cython.longlong,
        tick: cython.longlong,
        offset: cython.longlong,
        size: cython.ulonglong,
    ) -> cython.int:
        """Pass the packet whose messages were noted to a sink."""
        if cython.compiled:
            ids: cython.p_int = self._ids.data.as_ints
            sizes: cython.p_int = self._sizes.data.as_ints
        else:
            ids, sizes = self._ids, self._sizes
        return sink.take_packet(number, tick, offset, size, ids, sizes, self._noted)

    def _find_entities(self, reader: BitReader, followed: frozenset, tables: cython.bint) -> cython.int:
        """Set `reader`, whose window is a packet, to the packet's entity message.

        Keeps wanted messages, and with `tables` the updates of followed tables before the entity message.

        Returns:
            0 for a special packet; WITHOUT_ENTITIES if it has no needed entity message; else WITH_ENTITIES.
        """
        first: cython.ulonglong = 0
        count: cython.ulonglong = 0
        marks: cython.p_const_uchar = self._marks
        place: cython.ulonglong = 0
        place_size: cython.ulonglong = 0
        found: cython.bint = False
        server_tick: cython.longlong = -1
        self._contents = None
        self._noted = 0
        while bits_left(reader):
            key: cython.longlong = next_varuint32(reader)
            if key & 7 != WIRE_BYTES:
                return 0
            size: cython.ulonglong = 8 * cython.cast(cython.ulonglong, next_varuint32(reader))
            if key >> 3 == PACKET_DATA:
                first = reader.tell()
                count = size
            if not pass_bits(reader, size):
                return 0
        if first == 0:
            return 0
        reader.window(first, count)
        while bits_left(reader) >= 8:
            number: cython.ulonglong = next_ubit_var(reader)
            size = 8 * cython.cast(cython.ulonglong, next_varuint32(reader))
            if size > bits_left(reader) or number >= MOST_NUMBERS:
                return 0
            if self._notes_messages and not self._note_message(number, size):
                return 0
            if marks[number]:
                if marks[number] == SPECIAL or self._is_too_much():
                    return 0
                self._keep_message(reader, number, size)
                continue
            if number == PACKET_ENTITIES:
                if found and self._manager is not None:
                    return 0
                found = True
                place = reader.tell()
                place_size = size
            elif number == UPDATE_STRING_TABLE:
                # The update begins with the number of its table: a key, then one byte.
                head: cython.ulonglong = peek_word(reader) & 0xFFFF
                if head & 255 != FIRST_VARINT or size < 16 or head >> 15:
                    return 0
                if cython.cast(cython.int, head >> 8) in followed:
                    if not tables or found:
                        return 0
                    if self._contents is None:
                        self._contents = []
                    self._contents.append(reader.read_bytes(size >> 3))
                    continue
            elif number == NET_TICK and peek_word(reader) & 255 == FIRST_VARINT and size >= 16:
                # CNETMsg_Tick begins with the tick.
                head = bits_left(reader)
                pass_bits(reader, 8)
                server_tick = next_varuint32(reader)
                head -= bits_left(reader)
                if head > size:
                    return 0
                size -= head
            pass_bits(reader, size)
        self._server_tick = server_tick
        if self._manager is None or not found:
            return WITHOUT_ENTITIES
        reader.window(place, place_size)
        return WITH_ENTITIES
