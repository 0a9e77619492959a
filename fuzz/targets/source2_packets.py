"""Inner messages of a packet."""

from __future__ import annotations

from playhead.source2.messages.packet import PacketReader, inner_messages


def fuzz(data: bytes) -> None:
    reader = PacketReader(data)
    total = 0
    while reader.advance():
        total += len(reader.payload())
    assert total <= len(data)
    inner_messages(data, by_priority=True)
