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
from playhead.source2.playback.playback import NET_TICK
from playhead.source2.replay import Source2Replay
from playhead.source2.string_tables.tables import StringTable
from playhead.source2.writing.demo import DemoWriter
from playhead.source2.writing.entities import EntityMessage, encode_state


def cut_demo(replay: Source2Replay, start: int, end: int) -> bytes:
    """The recording from tick `start` to tick `end`, both included.

    Sign-on and all frames of the stretch stand in it byte for byte. What is made: a full packet at `start` with
    the string tables and entities as they are after that tick, an entity message behind it where some are out of
    sight, and length, time and frame count in FileInfo.

    Raises:
        ValueError: there is no such stretch.
        ReplayError: in strict mode, the first problem on the way to `start`.
    """
    if not 0 <= start <= end:
        raise ValueError(f"expected a stretch from tick 0 on, got {start} to {end}")
    frames = replay.frames
    signon = next((i for i, frame in enumerate(frames) if frame.command in (PACKET, FULL_PACKET)), len(frames))
    if signon == len(frames):
        raise ValueError("the recording has no game behind its sign-on")
    net_ticks: list[bytes] = []
    playback = replay.playback(None)
    playback.on_message(NET_TICK, lambda _, payload: net_ticks.append(payload))
    playback.seek(start)
    entities = playback.entities
    if not entities.valid and (entities.skipped or playback.failures["entities"]):
        raise ValueError(f"the state at tick {start} is not known")
    writer = DemoWriter(bytes(replay.payload(frames[0])))
    for frame in frames[1:signon]:
        _copy(writer, replay, frame)
    now = [(NET_TICK, payload) for payload in net_ticks[-1:]]
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
        _copy(writer, replay, frame)
        count += 1
    last = {
        frame.command: bytes(replay.payload(frame))
        for frame in frames
        if frame.command in (FILE_INFO, SPAWN_GROUPS)
    }
    changed: dict[str, Any] = {"playback_ticks": end, "playback_frames": count}
    if replay.info.clock is not None:
        changed["playback_time"] = replay.info.clock.seconds(end)
    # Of a field that comes twice the last counts: everything else in FileInfo stays as it is.
    info = last.get(FILE_INFO, b"") + wire.encode("CDemoFileInfo", changed)
    return writer.finish(end, info, last.get(SPAWN_GROUPS, b""))


def _copy(writer: DemoWriter, replay: Source2Replay, frame: Frame) -> None:
    command = frame.command | (COMPRESSED if frame.compressed else 0)
    writer.stored_frame(command, frame.tick, replay.stored(frame))


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
