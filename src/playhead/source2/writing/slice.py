"""A stretch of a recording as a recording of its own: a valid demo, with the same ticks and the same state."""

from __future__ import annotations

from typing import Any

from playhead.source2.container.frames import (
    COMPRESSED,
    FILE_INFO,
    FULL_PACKET,
    PACKET,
    SPAWN_GROUPS,
    STOP,
    Frame,
)
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import StringTable
from playhead.source2.writing.demo import DemoWriter
from playhead.source2.writing.entities import EntityMessage, encode_state


def slice_demo(recording: Recording, playback: Playback, start: int, end: int) -> bytes:
    """Return the recording from tick `start` to tick `end`, both included, as a demo.

    It has sign-on and all frames of the stretch byte for byte. What is made: a full packet at `start` with the
    string tables and entities as they are after that tick, an entity message behind it where some are out of
    sight, and length, time and frame count in FileInfo.

    Args:
        playback: a new one of the recording that follows every string table.

    Raises:
        ValueError: there is no such stretch.
        ReplayError: in strict mode, the first problem on the way to `start`.
    """
    if not 0 <= start <= end:
        raise ValueError(f"expected a stretch from tick 0 on, got {start} to {end}")
    frames = recording.frames
    signon = next((i for i, frame in enumerate(frames) if frame.command in (PACKET, FULL_PACKET)), len(frames))
    if signon == len(frames):
        raise ValueError("the recording has no game behind its sign-on")
    net_ticks: list[bytes] = []
    playback.on_message(Engine.NET_TICK, lambda _, payload: net_ticks.append(payload))
    playback.seek(start)
    entities = playback.entities
    if not entities.valid and (entities.skipped or playback.failures["entities"]):
        raise ValueError(f"the state at tick {start} is not known")
    writer = DemoWriter(bytes(recording.payload(frames[0])))
    for frame in frames[1:signon]:
        _copy(writer, recording, frame)
    now = [(Engine.NET_TICK, payload) for payload in net_ticks[-1:]]
    class_bits = int(playback.server_info.get("max_classes", 0)).bit_length()
    tables = [_dump(table) for table in playback.string_tables]
    state = [encode_state(entities, class_bits)] if entities.valid else []
    writer.full_packet(start, tables, [*now, *state])
    hidden = [entity.index for entity in entities if not entity.active]
    if hidden:
        message = EntityMessage(class_bits)
        for index in hidden:
            message.leave(index)
        writer.packet(start, [*now, message.encode()])
    count = signon + 1 + bool(hidden)
    for frame in frames[playback.position :]:
        if frame.tick > end or frame.command == STOP:
            break
        _copy(writer, recording, frame)
        count += 1
    last = {
        frame.command: bytes(recording.payload(frame))
        for frame in frames
        if frame.command in (FILE_INFO, SPAWN_GROUPS)
    }
    changed: dict[str, Any] = {"playback_ticks": end, "playback_frames": count}
    if recording.ticks_per_second is not None:
        changed["playback_time"] = end / recording.ticks_per_second
    # Of a field that comes twice the last counts: everything else in FileInfo stays as it is.
    info = last.get(FILE_INFO, b"") + wire.encode("CDemoFileInfo", changed)
    return writer.finish(end, info, last.get(SPAWN_GROUPS, b""))


def _copy(writer: DemoWriter, recording: Recording, frame: Frame) -> None:
    command = frame.command | (COMPRESSED if frame.compressed else 0)
    writer.stored_frame(command, frame.tick, recording.stored(frame))


def _dump(table: StringTable) -> dict[str, Any]:
    """A whole table as full packets carry it: an entry's place is its number."""
    items = []
    for index in range(max(table.items, default=-1) + 1):
        item = table.items.get(index)
        entry: dict[str, Any] = {"str": "" if item is None else item.key}
        if item is not None and item.value is not None:
            entry["data"] = item.value
        items.append(entry)
    return {"table_name": table.name, "items": items}
