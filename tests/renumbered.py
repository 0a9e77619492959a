"""Recordings of Source 2 whose messages have other numbers, as after an update of the game."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.source2.container.frames import (
    FILE_HEADER,
    FILE_INFO,
    FULL_PACKET,
    PACKET,
    SIGNON_PACKET,
    SPAWN_GROUPS,
    STOP,
)
from playhead.source2.messages import wire
from playhead.source2.messages.packet import renumbered
from playhead.source2.playback.recording import Recording
from playhead.source2.writing.demo import DemoWriter


def _packet(payload: bytes, numbers: Mapping[int, int]) -> bytes:
    fields = wire.decode("CDemoPacket", payload)
    return wire.encode("CDemoPacket", {**fields, "data": renumbered(fields.get("data", b""), numbers)})


def renumber(recording: Recording, numbers: Mapping[int, int]) -> bytes:
    """Return a copy of a recording whose messages have other numbers; those not in `numbers` stay."""
    writer: DemoWriter | None = None
    info = b""
    for frame in recording.frames:
        payload = bytes(recording.payload(frame))
        if writer is None:
            assert frame.command == FILE_HEADER
            writer = DemoWriter(payload, compress=False)
        elif frame.command == FILE_INFO:
            info = payload
        elif frame.command in (PACKET, SIGNON_PACKET):
            writer.frame(frame.command, frame.tick, _packet(payload, numbers))
        elif frame.command == FULL_PACKET:
            fields = wire.decode("CDemoFullPacket", payload)
            data = renumbered(fields["packet"].get("data", b""), numbers)
            fields["packet"] = {**fields["packet"], "data": data}
            writer.frame(frame.command, frame.tick, wire.encode("CDemoFullPacket", fields))
        elif frame.command not in (STOP, SPAWN_GROUPS):
            writer.frame(frame.command, frame.tick, payload)
    assert writer is not None
    return writer.finish(recording.frames.highest_tick() or 0, info)
