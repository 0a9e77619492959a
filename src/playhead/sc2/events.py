"""Events one by one, as Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from playhead.errors import CorruptReplay, LimitExceeded
from playhead.sc2.event_decoder import EventDecoder
from playhead.sc2.protocol.program import Program
from playhead.sc2.protocol.tables import TRACKER
from playhead.sc2.streams import ID_BITS, short_name


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a replay.

    Attributes:
        loop: game loop.
        seconds: the same in seconds of the clock that the game shows.
        user_id: place in the lobby's list of users; None for the game itself (16) and in the tracker.
        player: number as in `Replay.players`; of the tracker, the ``m_playerId`` or ``m_controlPlayerId``.
        name: Blizzard's name without what stands before the last dot, ``SCmdEvent``.
        number: of the event in its stream.
        fields: under Blizzard's names; blobs are bytes, bit arrays ``(bits, number)``, choices a dict of one.
    """

    loop: int
    seconds: float
    user_id: int | None
    player: int | None
    name: str
    number: int
    fields: Mapping[str, Any]


_NO_USER = 16


def read_events(
    data: bytes, program: Program, stream: str, rate: float, players: Mapping[int, int]
) -> Iterator[Event]:
    """The events of a stream in file order; `rate` is loops in a second, `players` are numbers by user id.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: after the last sound event, with offset and loop.
    """
    decoder = EventDecoder(program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream])
    loop = 0
    while True:
        try:
            found = decoder.next_event()
        except (CorruptReplay, LimitExceeded) as error:
            raise error.locate(offset=decoder.tell(), tick=loop) from None
        if found is None:
            return
        loop, user, number, fields = found
        user = None if user == _NO_USER else user
        player = fields.get("m_playerId", fields.get("m_controlPlayerId")) if user is None else players.get(user)
        name = short_name(program.names.get(number, f"event {number}"))
        yield Event(loop, loop / rate, user, player, name, number, fields)
