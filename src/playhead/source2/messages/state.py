"""The messages of a packet that carry the state, without events and sounds."""

from __future__ import annotations

from playhead.bits import BitWriter
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader

_STATE = frozenset(
    map(
        int,
        (
            Engine.NET_TICK,
            Engine.CREATE_STRING_TABLE,
            Engine.UPDATE_STRING_TABLE,
            Engine.CLEAR_ALL_STRING_TABLES,
            Engine.PACKET_ENTITIES,
        ),
    )
)


def state_messages(data: bytes) -> bytes:
    """Return a packet, as one bit stream, without the messages that do not carry the state.

    Raises:
        ReplayError: it is damaged.
    """
    reader = PacketReader(data)
    writer = BitWriter()
    while reader.advance_to(_STATE):
        writer.write_ubit_var(reader.id)
        writer.write_varuint32(reader.size)
        writer.write_bytes(reader.payload())
    return writer.to_bytes()
