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
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import StringTable
from playhead.source2.writing.beginning import StateMessages, packet_messages, sent_at_signon
from playhead.source2.writing.client_states import ClientStates
from playhead.source2.writing.demo import DemoWriter
from playhead.source2.writing.entities import EntityMessage


def slice_demo(recording: Recording, playback: Playback, start: int, end: int) -> bytes:
    """Return the recording from tick `start` to tick `end`, both included, as a demo.

    It has sign-on and all frames of the stretch byte for byte. What is made: a packet at `start` with the entities
    as they are after that tick and all that has changed in string tables since sign-on; a full packet that says
    the same, as at the beginning of recordings; an entity message behind it where some are out of sight; and
    length, time and frame count in FileInfo. Of clients' recordings, entity messages that build on states from
    before the slice are made anew too, see `ClientStates`.

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
    playback.seek(start)
    entities = playback.entities
    if not entities.valid and (entities.skipped or playback.failures["entities"]):
        raise ValueError(f"the state at tick {start} is not known")
    writer = DemoWriter(_file_header(recording))
    for frame in frames[1:signon]:
        _copy(writer, recording, frame)
    made = StateMessages(recording, playback)
    client, state = None, made.entities
    if entities.valid and entities.builds_on_past_states:
        client = ClientStates(playback, made.class_bits, made.server_tick)
        state = [client.first()]
    sent = sent_at_signon(recording, frames[:signon])
    writer.packet(start, [*made.net_tick, *made.table_changes(sent), *state])
    tables = [_dump(table) for table in playback.string_tables]
    writer.full_packet(start, tables, [*made.net_tick, *state])
    hidden = [entity.index for entity in entities if not entity.active]
    if client is not None:
        writer.packet(start, [*made.net_tick, client.second()])
    elif hidden:
        message = EntityMessage(made.class_bits, deletion_list=entities.has_deletion_lists)
        for index in hidden:
            message.leave(index)
        leave = message.encode(server_tick=made.server_tick, delta_from=made.server_tick)
        writer.packet(start, [*made.net_tick, leave])
    count = signon + 2 + bool(client or hidden)
    for frame in frames[playback.position :]:
        if frame.tick > end or frame.command == STOP:
            break
        messages = None
        if client is not None:
            messages = client.play(frame, list(packet_messages(recording, frame)))
        if messages is None:
            _copy(writer, recording, frame)
        else:
            writer.packet(frame.tick, messages)
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


def _file_header(recording: Recording) -> bytes:
    """The FileHeader frame; of a broadcast, which has none, with what the server says of itself."""
    header = bytes(recording.payload(recording.frames[0]))
    if recording.source.fragments is None:
        return header
    server = recording.server_info
    fields = {
        "server_name": server.get("host_name", ""),
        "client_name": "SourceTV Demo",
        "map_name": server.get("map_name", ""),
        "game_directory": server.get("game_dir", ""),
        "demo_version_name": "valve_demo_2",
    }
    return wire.encode("CDemoFileHeader", {key: value for key, value in fields.items() if value}) + header


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
