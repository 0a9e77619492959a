"""Where a stream of events goes on behind a gap, such as a lost sector.

Each event begins at a byte, in either encoding, and says how many loops it is behind the one before. So a stream
can be taken up at any event whose beginning is known, but for its loop. Read from a wrong byte, it mostly fails
after few events; where it does not, it falls in with the right events sooner or later, and goes on with them. That
place is found by reading from every byte behind the gap: it is the first one that all ways which come to the end
of the stream have in common. Loops are counted back from the end of the recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from playhead.errors import ReplayError
from playhead.runtime.records import dataclass
from playhead.sc2.encoding.bit_packed import LOOP_DELTA_WIDTHS
from playhead.sc2.encoding.bit_packed_writer import BitPackedWriter
from playhead.sc2.encoding.event_decoder import EventDecoder
from playhead.sc2.encoding.versioned_writer import VersionedWriter
from playhead.sc2.protocol.program import Program
from playhead.sc2.repair.guess_build import LEAST_EVENTS

#: Bytes behind a gap from which reading is tried; no event of the corpus is longer.
_WINDOW = 4096
#: A gap may take so many times the loops that as many bytes take elsewhere, and so many at the end.
_MOST_TIMES, _AT_THE_END = 8, 2000
#: Nobody who plays does nothing for so many loops: 100 seconds.
IDLE = 1600
#: Events read in all; a wrong way that does not end costs no more.
_MOST_EVENTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Resumed:
    """A stream without what its gap cost.

    Attributes:
        data: the events before the gap and behind it, as one stream.
        last_before: loop of the last event in front of the gap; None if there is none.
        first_behind: loop of the first event behind it, if the last event is at the end of the recording.
        lost_bytes: how many are not read, the gap included.
    """

    data: bytes
    last_before: int | None
    first_behind: int
    lost_bytes: int


@dataclass(frozen=True, slots=True)
class StreamEncoding:
    """How the events of a stream are written: `EventDecoder`'s arguments."""

    program: Program
    tagged: bool
    id_bits: int

    def decoder(self, data: bytes) -> EventDecoder:
        return EventDecoder(self.program, data, tagged=self.tagged, id_bits=self.id_bits)

    def events(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where each event ends and its loop, up to the end or to the first damage."""
        decoder = self.decoder(data)
        try:
            while (event := decoder.next_event()) is not None:
                yield decoder.tell(), event[0]
        except ReplayError:
            return

    def with_delta(self, data: bytes, delta: int) -> bytes:
        """Return events with another number of loops in front of the first of them."""
        if not self.tagged:
            packed = BitPackedWriter()
            packed.write_loop_delta(delta)
            # The two bits of the width and the number fill whole bytes in each of the four widths.
            return packed.to_bytes() + data[(2 + LOOP_DELTA_WIDTHS[data[0] & 3]) >> 3 :]
        end = 1
        for _ in range(2):  # the number of the choice; behind the tag of an integer, the loops
            while data[end] & 0x80:
                end += 1
            end += 2
        head = VersionedWriter()
        head.begin_choice(0)
        head.write_vint(delta)
        return head.to_bytes() + data[end - 1 :]


class _Ways:
    """The ways to read `behind` from each of its first `starts` bytes on."""

    def __init__(self, behind: bytes, encoding: StreamEncoding) -> None:
        self._end = len(behind)
        #: Where the event at a byte ends; None where none can be read.
        self._following: dict[int, int | None] = {}
        left = _MOST_EVENTS
        # Ways that begin close to the end may have nothing else in common.
        self.starts = min(_WINDOW, len(behind) // 2)
        for start in range(self.starts):
            if start in self._following:
                continue
            way = [start]
            for end, _ in encoding.events(behind[start:]):
                way.append(start + end)
                left -= 1
                if way[-1] in self._following or left <= 0:
                    break
            self._following.update(pairwise(way))
            if way[-1] != self._end:
                self._following.setdefault(way[-1], None)
            if left <= 0:
                self._following.clear()  # nothing is certain
                break
        self._arrives: dict[int, bool] = {self._end: True}
        for place in sorted(self._following, reverse=True):
            there = self._following[place]
            self._arrives[place] = there is not None and self._arrives.get(there, False)

    def first_common(self, starts: int) -> int | None:
        """Where the first event begins that all ways which begin in so many bytes, and come to the end, have in
        common; None if there are none, or they have nothing but the end in common."""
        ways = Counter(place for place in range(starts) if self._arrives.get(place))
        total = sum(ways.values())
        for place in sorted(self._arrives) if total else ():
            if not self._arrives[place]:
                continue
            after = self._following.get(place)
            if ways[place] == total or after is None:
                return None if after is None else place
            ways[after] += ways[place]
        return None


def resume(before: bytes, behind: bytes, gap: int, encoding: StreamEncoding, last_loop: int) -> Resumed | None:
    """Take a stream up behind a gap; None where that cannot be done with certainty.

    Args:
        before: the stream in front of the gap, which may end inside of an event.
        behind: the stream behind it, to its end.
        gap: size of the gap in bytes.
        last_loop: the loop at which the recording ends.
    """
    ways = _Ways(behind, encoding)
    kept, last_before, longest = 0, None, 0
    for end, loop in encoding.events(before):
        longest = max(longest, end - kept)
        kept, last_before = end, loop
    place = ways.first_common(ways.starts)
    if place is None:
        return None
    ends = [place, *(place + end for end, _ in encoding.events(behind[place:]))]
    longest = max([longest, *(there - here for here, there in pairwise(ends))])
    # The first event begins so many bytes behind the gap at most: no way can miss it that begins before.
    place = ways.first_common(min(longest, ways.starts)) or place
    rest = encoding.with_delta(behind[place:], 0)
    loops = [loop for _, loop in encoding.events(rest)]
    if len(loops) < LEAST_EVENTS:
        return None
    first_behind = last_loop - loops[-1]
    lost_bytes = gap + place + len(before) - kept
    lost_loops = first_behind - (last_before or 0)
    usual = (loops[-1] + (last_before or 0)) / (kept + len(rest)) * lost_bytes
    if not 0 <= lost_loops <= _MOST_TIMES * usual + _AT_THE_END:
        return None
    joined = before[:kept] + encoding.with_delta(rest, lost_loops)
    return Resumed(joined, last_before, first_behind, lost_bytes)
