"""A stretch of a recording as a recording of its own: a valid demo, with the same ticks and the same state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

from playhead.errors import ReplayError
from playhead.source2.container.frames import (
    COMPRESSED,
    FILE_INFO,
    FULL_PACKET,
    PACKET,
    SIGNON_PACKET,
    SPAWN_GROUPS,
    STOP,
    Frame,
)
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import StringTable, StringTables, handle_create, handle_update
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table, update_string_table
from playhead.source2.writing.entities import EntityMessage, encode_state


class _Form(TypedDict):
    """How a string table has its values."""

    fixed_bits: int | None
    varint_sizes: bool
    flags: int


_PACKETS = (SIGNON_PACKET, PACKET, FULL_PACKET)


def slice_demo(recording: Recording, playback: Playback, start: int, end: int) -> bytes:
    """Return the recording from tick `start` to tick `end`, both included, as a demo.

    It has sign-on and all frames of the stretch byte for byte. What is made: a packet at `start` with the entities
    as they are after that tick and all that has changed in string tables since sign-on; a full packet that says
    the same, as at the beginning of recordings; an entity message behind it where some are out of sight; and
    length, time and frame count in FileInfo.

    Args:
        playback: a new one of the recording that follows every string table.

    Raises:
        ValueError: there is no such stretch, or what follows `start` builds on states before it (recordings of
            clients).
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
    if entities.builds_on_past_states:
        raise ValueError(
            f"no slice can begin at tick {start} of this recording: the entity messages of a client's recording "
            "build on earlier states, which the slice would lack"
        )
    writer = DemoWriter(bytes(recording.payload(frames[0])))
    for frame in frames[1:signon]:
        _copy(writer, recording, frame)
    played = [frame for frame in frames[: playback.position] if frame.command in _PACKETS]
    net_tick = _last(recording, played, Engine.NET_TICK)
    now = [] if net_tick is None else [(Engine.NET_TICK, net_tick)]
    class_bits = int(playback.server_info.get("max_classes", 0)).bit_length()
    server_tick = wire.decode(
        "CSVCMsg_PacketEntities", _last(recording, played, Engine.PACKET_ENTITIES) or b""
    ).get("server_tick", 0)
    state = [encode_state(entities, class_bits, server_tick=server_tick)] if entities.valid else []
    sent = _sent_at_signon(recording, frames[:signon])
    writer.packet(start, [*now, *_changes(sent, playback.string_tables), *state])
    tables = [_dump(table) for table in playback.string_tables]
    writer.full_packet(start, tables, [*now, *state])
    hidden = [entity.index for entity in entities if not entity.active]
    if hidden:
        message = EntityMessage(class_bits)
        for index in hidden:
            message.leave(index)
        writer.packet(start, [*now, message.encode(server_tick=server_tick, delta_from=server_tick)])
    count = signon + 2 + bool(hidden)
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


def _messages(recording: Recording, frame: Frame) -> Iterator[InnerMessage]:
    """Inner messages of a packet, as far as they can be read."""
    try:
        reader = PacketReader(recording.packet(frame, recording.payload(frame)))
        while reader.advance():
            yield reader.id, reader.payload()
    except ReplayError:  # the playback has met it too
        return


def _last(recording: Recording, packets: list[Frame], number: int) -> bytes | None:
    """The last message of that number in some packets; None if there is none."""
    for frame in reversed(packets):
        found = [payload for known, payload in _messages(recording, frame) if known == number]
        if found:
            return found[-1]
    return None


def _sent_at_signon(recording: Recording, frames: Iterable[Frame]) -> StringTables:
    """The string tables as the messages of the sign-on leave them; some readers look at no dump."""
    tables = StringTables(recording.limits)
    for frame in frames:
        if frame.command != SIGNON_PACKET:
            continue
        for number, payload in _messages(recording, frame):
            try:
                if number == Engine.CREATE_STRING_TABLE:
                    handle_create(wire.decode("CSVCMsg_CreateStringTable", payload), tables)
                elif number == Engine.UPDATE_STRING_TABLE:
                    handle_update(wire.decode("CSVCMsg_UpdateStringTable", payload), tables)
                elif number == Engine.CLEAR_ALL_STRING_TABLES:
                    tables.clear()
            except ReplayError:  # what is not known here is sent again
                continue
    return tables


def _changes(sent: StringTables, now: Iterable[StringTable]) -> Iterator[InnerMessage]:
    """The messages that make tables what they are now, of those that were `sent`."""
    for table in now:
        before = sent.by_id[table.id].items if table.id < len(sent) else {}
        changed = [item for index, item in sorted(table.items.items()) if before.get(index) != item]
        entries = [(item.index, item.key.encode(), item.value) for item in changed]
        form: _Form = {
            "fixed_bits": table.fixed_bits,
            "varint_sizes": table.varint_sizes,
            "flags": table.flags,
        }
        if table.id >= len(sent):
            yield create_string_table(table.name, entries, **form)
        elif entries:
            yield update_string_table(table.id, entries, **form)


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
