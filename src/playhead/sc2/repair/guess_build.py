"""Which build wrote a stream of events? The one whose type table reads it to its last byte."""

from __future__ import annotations

from contextlib import suppress

from playhead.errors import ReplayError
from playhead.sc2.encoding.event_columns import EventColumns
from playhead.sc2.members.lobby import read_lobby
from playhead.sc2.protocol.program import event_program
from playhead.sc2.protocol.tables import GAME, ID_BITS, TRACKER, distinct_builds

#: Base build and build.
Builds = tuple[int, int]

#: A stream cut short is recognised by at least so many events.
LEAST_EVENTS = 16


def count_events(data: bytes, builds: Builds, stream: str) -> tuple[int, bool]:
    """Return how many events a stream has by the table of `builds`, and whether they end where it ends."""
    decoder = EventColumns(
        event_program(*builds, stream), data, tagged=stream == TRACKER, id_bits=ID_BITS[stream], text=False
    )
    try:
        decoder.read_columns()
    except ReplayError:
        return decoder.rows, False
    return decoder.rows, True


def guess_build(game: bytes, lobby: bytes | None = None) -> Builds | None:
    """Return the newest known builds whose table reads `game`, the game's events, and `lobby` to their last
    byte; of a damaged stream, those that get furthest. None if none gets anywhere.

    The answer is as good as the table needs: builds of one wire format cannot be told apart.
    """
    fitting = None
    best, most = None, LEAST_EVENTS - 1
    for builds in distinct_builds():
        count, whole = count_events(game, builds, GAME)
        if whole and count:
            fitting = fitting or builds
            with suppress(ReplayError):
                if lobby is not None:
                    read_lobby(lobby, *builds)
                return builds
        elif count > most:
            best, most = builds, count
    return fitting or best
