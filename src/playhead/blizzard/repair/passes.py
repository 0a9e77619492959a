"""A pass over a stream without its fields: how far a type table reads it."""

from __future__ import annotations

from playhead.blizzard.encoding.event_columns import EventColumns
from playhead.blizzard.protocol.program import Program
from playhead.blizzard.protocol.tables import ID_BITS, TRACKER
from playhead.errors import ReplayError

#: Base build and build.
Builds = tuple[int, int]

#: Events that identify a stream that is cut.
LEAST_EVENTS = 16


def pass_over(data: bytes, program: Program, stream: str) -> tuple[EventColumns, bool]:
    """Return the events of a stream by the program of a build, without fields, and whether they end with the
    stream."""
    decoder = EventColumns(program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream], text=False)
    try:
        decoder.read_columns()
    except ReplayError:
        return decoder, False
    return decoder, True
