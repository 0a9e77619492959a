"""The type table of one wire format, and the streams of events that it describes."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.blizzard.protocol.pool import TypePool
from playhead.runtime.records import dataclass

#: The three streams of events.
GAME = "game"
MESSAGE = "message"
TRACKER = "tracker"

#: Bits of an event's number in the bit-packed streams.
ID_BITS = {GAME: 7, MESSAGE: 4, TRACKER: 0}

#: User id of the game itself.
NO_USER = 16


def short_name(full: str) -> str:
    """Return an event's name, ``Game.SCmdEvent``, without the part up to the last dot."""
    return full.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ProtocolTable:
    """Types of one wire format.

    Attributes:
        base_build: the build of the table.
        confidence: ``exact`` if the table was published for the base build; ``published by s2protocol`` if only an
            installed s2protocol has it; otherwise ``nearest lower build …``, of either source, or ``lowest build
            …`` below all tables. The effects of each patch are appended.
        pool: the types by number.
        game, message, tracker: by event number, the event's name and the number of its type.
        init_data: number of the type of ``replay.initData``.
    """

    base_build: int
    confidence: str
    pool: TypePool
    game: Mapping[int, tuple[str, int]]
    message: Mapping[int, tuple[str, int]]
    tracker: Mapping[int, tuple[str, int]]
    init_data: int

    def events(self, stream: str) -> Mapping[int, tuple[str, int]]:
        """Return the events of one of the three streams."""
        return {GAME: self.game, MESSAGE: self.message, TRACKER: self.tracker}[stream]
