"""Write a range of ticks as a valid demo, with the same ticks and the same state."""

from __future__ import annotations

import re
from typing import Any

from playhead.source2.container.frames import (
    COMPRESSED,
    FILE_INFO,
    FULL_PACKET,
    PACKET,
    SPAWN_GROUPS,
    STOP,
    SYNC_TICK,
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

    It copies the sign-on and all frames of the range byte for byte. These parts are new: the frame that ends the
    sign-on and the FileHeader, if the recording is a broadcast; a packet at `start`
    with the entities after that tick and all string-table changes since the sign-on; a full packet with the same
    state, as at the beginning of recordings; an entity message if some entities are invisible; length, time and
    frame count in FileInfo. In clients' recordings, entity messages that build on states before the slice are
    replaced too, see `ClientStates`.

    Args:
        recording: the recording to slice.
        playback: a new playback of the recording that follows every string table.
        start, end: first and last tick.

    Raises:
        ValueError: the range is invalid, or the state at `start` is unknown.
        ReplayError: in strict mode, the first problem before `start`.
    """
    if not 0 <= start <= end:
        raise ValueError(f"expected a range of ticks from 0 on, got {start} to {end}")
    frames = recording.frames
    signon = next((i for i, frame in enumerate(frames) if frame.command in (PACKET, FULL_PACKET)), len(frames))
    if signon == len(frames):
        raise ValueError("the recording has no game after its sign-on")
    playback.seek(start)
    entities = playback.entities
    if not entities.valid and (entities.skipped or playback.failures["entities"]):
        raise ValueError(f"the state at tick {start} is unknown")
    writer = DemoWriter(_file_header(recording))
    for frame in frames[1:signon]:
        _copy(writer, recording, frame)
    ends_signon = any(frame.command == SYNC_TICK for frame in frames[1:signon])
    if not ends_signon:  # broadcasts have no such frame, and boon reads no demo without it
        writer.sync_tick()
    made = StateMessages(recording, playback)
    client, state = None, made.entities
    if entities.valid and entities.builds_on_past_states:
        client = ClientStates(playback, made.class_bits, made.server_tick)
        state = [client.first()]
    sent, net_tick = sent_at_signon(recording, frames[:signon]), made.net_tick(start)
    writer.packet(start, [*net_tick, *made.table_changes(sent), *state])
    tables = [_dump(table) for table in playback.string_tables]
    writer.full_packet(start, tables, [*net_tick, *state])
    hidden = [entity.index for entity in entities if not entity.active]
    if client is not None:
        writer.packet(start, [*net_tick, client.second()])
    elif hidden:
        message = EntityMessage(made.class_bits, deletion_list=entities.has_deletion_lists)
        for index in hidden:
            message.leave(index)
        leave = message.encode(server_tick=made.server_tick, delta_from=made.server_tick)
        writer.packet(start, [*net_tick, leave])
    count = 1 + bool(client or hidden)
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
        count += frame.command == PACKET
    last = {
        frame.command: bytes(recording.payload(frame))
        for frame in frames
        if frame.command in (FILE_INFO, SPAWN_GROUPS)
    }
    changed: dict[str, Any] = {"playback_ticks": end, "playback_frames": count}
    if recording.ticks_per_second is not None:
        changed["playback_time"] = end / recording.ticks_per_second
    # The last occurrence of a field counts, so everything else in FileInfo stays unchanged.
    info = last.get(FILE_INFO, b"") + wire.encode("CDemoFileInfo", changed)
    return writer.finish(end, info, last.get(SPAWN_GROUPS, b""))


# Number in a game folder (``/opt/srcds/project8/citadel_v5186/citadel``).
_FOLDER_BUILD = re.compile(r"_v(\d{1,9})\b")


def _file_header(recording: Recording) -> bytes:
    """Return the FileHeader frame; for a broadcast, which has none, with values from ServerInfo.

    A broadcast lacks the build of the engine: the number in the game folder replaces it, if there is one.
    """
    header = bytes(recording.payload(recording.frames[0]))
    if recording.source.fragments is None:
        return header
    server = recording.server_info
    build = _FOLDER_BUILD.search(server.get("game_dir", ""))
    fields: dict[str, Any] = {
        "server_name": server.get("host_name", ""),
        "client_name": "SourceTV Demo",
        "map_name": server.get("map_name", ""),
        "game_directory": server.get("game_dir", ""),
        "demo_version_name": "valve_demo_2",
        "build_num": int(build[1]) if build else 0,
    }
    return wire.encode("CDemoFileHeader", {key: value for key, value in fields.items() if value}) + header


def _copy(writer: DemoWriter, recording: Recording, frame: Frame) -> None:
    command = frame.command | (COMPRESSED if frame.compressed else 0)
    writer.stored_frame(command, frame.tick, recording.stored(frame))


def _dump(table: StringTable) -> dict[str, Any]:
    """Return a complete table in the form of full packets, where an entry's position is its number."""
    items = []
    for index in range(max(table.items, default=-1) + 1):
        item = table.items.get(index)
        entry: dict[str, Any] = {"str": "" if item is None else item.key}
        if item is not None and item.value is not None:
            entry["data"] = item.value
        items.append(entry)
    return {"table_name": table.name, "items": items}
