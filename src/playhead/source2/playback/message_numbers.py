"""`MessageNumbers`: the numbers of a recording's messages, which may have moved since the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from playhead.errors import FactError, ReplayError
from playhead.model import ProblemHandler
from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET, Frame
from playhead.source2.games import GAMES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import MOST_NUMBERS, message_names, unnamed_marks
from playhead.source2.messages.packet import PacketReader, inner_messages, renumbered

if TYPE_CHECKING:
    from playhead.source2.container.demo import DemoFile
    from playhead.source2.messages.renumbered import Census

_NO_MARKS = bytes(MOST_NUMBERS)
_PACKETS = (SIGNON_PACKET, PACKET, FULL_PACKET)
# Numbers that a problem lists.
_MOST_LISTED = 8
_RELEASE_EVERY = 1 << 14
_EXPECTED = "expected messages that a definition names, found"
_COST = "what these messages have, in facts that are made of them"


def packet_data(frame: Frame, payload: bytes | memoryview) -> bytes:
    """Return the inner messages of a packet frame, as one bit stream."""
    if frame.command == FULL_PACKET:
        packet = wire.field_bytes(payload, 2)
        if packet is None:
            return b""
        payload = packet
    return wire.field_bytes(payload, 3) or b""


class MessageNumbers:
    """The numbers of the messages of a recording.

    The first packet with a number that no definition names causes a search of the whole recording. No message can
    have moved before that packet, so a playback that meets it continues with the found numbers.

    Attributes:
        marks: by number, whether `known` must see the packets that have such a message.
        moved: the number in the definitions of each number to which a message moved.
        census: the messages of the recording, after a search.
    """

    def __init__(self, game: str, note: ProblemHandler) -> None:
        self.marks = unnamed_marks(game) if game in GAMES else _NO_MARKS
        self.moved: Mapping[int, int] = {}
        self.census: Census | None = None
        self._game = game
        self._note = note
        self._problems: list[tuple[ReplayError, str]] = []

    def known(self, demo: DemoFile, data: bytes) -> bytes:
        """Return a packet, as one bit stream, whose messages have the numbers of the definitions."""
        try:
            if not PacketReader(data).meets(self.marks, bytearray(MOST_NUMBERS)):
                return data
        except ReplayError:  # the reader of the packet reports it
            return data
        if demo.source.stream is not None:
            self._look(data)
        elif self.census is None:
            self._search(demo)
        while self._problems:
            self._note(*self._problems[0])  # in strict mode it raises, each time
            del self._problems[0]
        return renumbered(data, self.moved) if self.moved else data

    @property
    def moved_names(self) -> dict[str, int]:
        """The number in this recording of each message that moved, by name."""
        names = message_names(self._game)
        return {names[known]: number for number, known in self.moved.items()}

    def unknown(self) -> str:
        """Return the messages that no definition names and that were not recognised, in words; empty if none."""
        census = self.census
        if census is None:
            return ""
        found = [
            f"{each.count} messages of the unknown number {number}, {_size(each.size // each.count)} each"
            for number, each in census.unnamed.items()
            if number not in self.moved
        ]
        more = len(found) - _MOST_LISTED
        rest = [f"{more} more numbers"] if more > 0 else []
        rest += [f"{census.rest} messages of further numbers"] if census.rest else []
        return "; ".join([*found[:_MOST_LISTED], *rest])

    def possible(self) -> dict[int, str]:
        """Return number and name of the messages that those of an unknown number may be."""
        from playhead.source2.messages.renumbered import possible

        names = message_names(self._game)
        found = () if self.census is None else possible(self.census, self._game, self.moved)
        return {number: names[number] for number in found}

    def _look(self, data: bytes) -> None:
        """Find unknown numbers in a packet of a followed recording, whose end cannot be searched yet."""
        marks = bytearray(self.marks)
        for number in sorted({number for number, _ in inner_messages(data)}):
            if number < MOST_NUMBERS and marks[number]:
                marks[number] = 0
                self._problems.append(
                    (FactError(f"{_EXPECTED} the unknown number {number}", where="packet"), _COST)
                )
        self.marks = bytes(marks)

    def _search(self, demo: DemoFile) -> None:
        """Count the messages of the whole recording, and recognise those that moved."""
        from playhead.source2.messages.renumbered import Census, recognise

        names = message_names(self._game)
        self.census = census = Census(bytearray(MOST_NUMBERS))
        for at, frame in enumerate(demo.frames):
            if frame.command not in _PACKETS:
                continue
            if at % _RELEASE_EVERY == 0:
                demo.source.release()
            try:
                data = packet_data(frame, demo.payload(frame))
                if PacketReader(data).meets(self.marks, census.present) or frame.command == SIGNON_PACKET:
                    census.add(inner_messages(data), names, frame.tick, frame.offset)
            except ReplayError:  # the pass over all frames reports it
                continue
            census.packets += frame.command != SIGNON_PACKET
        self.moved = recognise(census, self._game)
        moved = bytearray(MOST_NUMBERS)
        for number in self.moved:
            if number < MOST_NUMBERS:
                moved[number] = 1
        self.marks = bytes(moved)
        self._problems = list(self._found(census, names))

    def _found(self, census: Census, names: Mapping[int, str]) -> Iterator[tuple[ReplayError, str]]:
        """Yield the problems of a search."""
        for number, known in self.moved.items():
            each = census.unnamed[number]
            moved = FactError(
                f"expected {names[known]} under number {known}, found {each.count} such messages under {number}",
                where="packet",
                offset=each.offset,
                tick=each.tick,
            )
            yield moved, "nothing: they were recognised, and are read"
        unknown = self.unknown()
        if unknown:
            first = next((each for number, each in census.unnamed.items() if number not in self.moved), None)
            error = FactError(f"{_EXPECTED} {unknown}", where="packet")
            yield error if first is None else error.locate(offset=first.offset, tick=first.tick), _COST


def _size(count: int) -> str:
    return f"{count} bytes" if count < 1000 else f"{count / 1000:.1f} kB"
