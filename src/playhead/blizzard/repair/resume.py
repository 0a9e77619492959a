"""Finds the event after a gap in a stream, such as a lost sector.

Each event begins at a byte, in either encoding, and has the number of loops since the event before it. So a
decoder can start at any event whose first byte is known, except that the loop is unknown. Decoding from a wrong
byte mostly fails after few events; otherwise it meets the real events sooner or later and continues with them. The
first event is found by decoding from every byte after the gap: it is the first event that all runs which reach the
end of the stream have in common. Loops are counted back from the end of the recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.bit_packed import LOOP_DELTA_WIDTHS
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.writers import BitPackedWriter, tagged
from playhead.blizzard.protocol.program import Program
from playhead.blizzard.repair.guess_member import LEAST_EVENTS
from playhead.errors import ReplayError
from playhead.runtime.records import dataclass

#: Bytes after a gap at which decoding is tried; no event of the corpus is longer.
_WINDOW = 4096
#: A gap may span so many times the loops of as many bytes elsewhere, and so many loops at the end.
_MOST_TIMES, _AT_THE_END = 8, 2000
#: No active player is idle for so many loops: 100 seconds.
IDLE = 1600
#: Events decoded in all, which bounds the cost of wrong runs.
_MOST_EVENTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Resumed:
    """A stream without its gap.

    Attributes:
        data: the events before and after the gap, as one stream.
        last_before: loop of the last event before the gap; None without one.
        first_after: loop of the first event after the gap, if the last event is at the end of the recording.
        lost_bytes: bytes that are not decoded, the gap included.
    """

    data: bytes
    last_before: int | None
    first_after: int
    lost_bytes: int


@dataclass(frozen=True, slots=True)
class StreamEncoding:
    """The encoding of the events of a stream: `EventDecoder`'s arguments."""

    program: Program
    tagged: bool
    id_bits: int

    def events(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the end of each event and its loop, up to the end or to the first damage."""
        decoder = EventDecoder(self.program, data, tagged=self.tagged, id_bits=self.id_bits)
        try:
            while (event := decoder.next_event()) is not None:
                yield decoder.tell(), event[0]
        except ReplayError:
            return

    def with_delta(self, data: bytes, delta: int) -> bytes:
        """Return events with another number of loops before the first one."""
        if not self.tagged:
            packed = BitPackedWriter()
            packed.write_loop_delta(delta)
            # The two bits of the width and the number fill whole bytes in each of the four widths.
            return packed.to_bytes() + data[(2 + LOOP_DELTA_WIDTHS[data[0] & 3]) >> 3 :]
        end = 1
        for _ in range(2):  # the number of the choice; after the tag of an integer, the loops
            while data[end] & 0x80:
                end += 1
            end += 2
        return bytes((tags.CHOICE, 0)) + tagged(delta) + data[end - 1 :]


class _Ways:
    """The runs of events from each of the first `starts` bytes of `after`."""

    def __init__(self, after: bytes, encoding: StreamEncoding) -> None:
        self._end = len(after)
        #: End of the event at each byte; None if it cannot be decoded.
        self._following: dict[int, int | None] = {}
        left = _MOST_EVENTS
        # Runs that begin close to the end may share nothing else.
        self.starts = min(_WINDOW, len(after) // 2)
        for start in range(self.starts):
            if start in self._following:
                continue
            way = [start]
            for end, _ in encoding.events(after[start:]):
                way.append(start + end)
                left -= 1
                if way[-1] in self._following or left <= 0:
                    break
            self._following.update(pairwise(way))
            if way[-1] != self._end:
                self._following.setdefault(way[-1], None)
            if left <= 0:
                self._following.clear()  # uncertain
                break
        self._arrives: dict[int, bool] = {self._end: True}
        for place in sorted(self._following, reverse=True):
            there = self._following[place]
            self._arrives[place] = there is not None and self._arrives.get(there, False)

    def first_common(self, starts: int) -> int | None:
        """Return the first event that is common to all runs which begin within so many bytes and reach the end;
        None without such runs, or if they share only the end."""
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


def resume(before: bytes, after: bytes, gap: int, encoding: StreamEncoding, last_loop: int) -> Resumed | None:
    """Return a stream with the events after a gap; None if their first byte is uncertain.

    Args:
        before: the stream before the gap, which may end inside an event.
        after: the stream after the gap, to its end.
        gap: size of the gap in bytes.
        last_loop: the loop at which the recording ends.
    """
    ways = _Ways(after, encoding)
    kept, last_before, longest = 0, None, 0
    for end, loop in encoding.events(before):
        longest = max(longest, end - kept)
        kept, last_before = end, loop
    place = ways.first_common(ways.starts)
    if place is None:
        return None
    ends = [place, *(place + end for end, _ in encoding.events(after[place:]))]
    longest = max([longest, *(there - here for here, there in pairwise(ends))])
    # The first event begins at most so many bytes after the gap: no run that begins before can miss it.
    place = ways.first_common(min(longest, ways.starts)) or place
    rest = encoding.with_delta(after[place:], 0)
    loops = [loop for _, loop in encoding.events(rest)]
    if len(loops) < LEAST_EVENTS:
        return None
    first_after = last_loop - loops[-1]
    lost_bytes = gap + place + len(before) - kept
    lost_loops = first_after - (last_before or 0)
    usual = (loops[-1] + (last_before or 0)) / (kept + len(rest)) * lost_bytes
    if not 0 <= lost_loops <= _MOST_TIMES * usual + _AT_THE_END:
        return None
    joined = before[:kept] + encoding.with_delta(rest, lost_loops)
    return Resumed(joined, last_before, first_after, lost_bytes)
