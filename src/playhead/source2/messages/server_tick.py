"""The tick of the server in a packet."""

from __future__ import annotations

from contextlib import suppress

from playhead.errors import ReplayError
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader

_NET_TICK = frozenset((Engine.NET_TICK,))


def server_tick(messages: bytes) -> int | None:
    """Return the tick of the server in the inner messages of a packet; None without one, and for a damaged one."""
    reader = PacketReader(messages)
    with suppress(ReplayError):
        if reader.advance_to(_NET_TICK) and (found := wire.first_number(reader.payload())) >= 0:
            return found
    return None
