"""Write a range of ticks as a valid demo, with the same ticks and the same state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from playhead.errors import ReplayError
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
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import INSTANCE_BASELINE, MOST_ENTITIES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.items import StringTableChange
from playhead.source2.string_tables.tables import StringTable
from playhead.source2.writing.beginning import StateMessages, packet_messages, sent_at_signon
from playhead.source2.writing.demo import DemoWriter, InnerMessage
from playhead.source2.writing.entities import EntityMessage, changed_values, encode_state, values_of


class ClientStates:
    """Tracks the state of a reader of the slice next to the playback of the whole recording of a client.

    A message of such a recording builds on an earlier state of the client (`delta_from`), and created entities may
    begin with fields that an earlier message stored (`update_baseline`): the first messages of a slice refer to
    those from before it. Such a message is replaced by one that leads from the latest state of the slice to the
    state of the whole recording. It is a delta too, because some readers ignore later complete states and
    `delta_from`. All other messages are copied byte for byte.

    Args:
        playback: plays the recording, and is at the beginning of the slice.
        class_bits: bits of a class number.
        server_tick: server tick of its latest state.
    """

    def __init__(self, playback: Playback, class_bits: int, server_tick: int) -> None:
        self._playback = playback
        self._class_bits = class_bits
        self._latest = server_tick
        self._whole = playback.entities
        self._slice = playback.another_manager()
        self._created: set[int] = set()
        playback.entities.on_entity(self._on_created, op=EntityOp.CREATED)
        playback.on_string_table(INSTANCE_BASELINE, self._on_baseline)

    def _on_created(self, entity: Entity, _op: EntityOp) -> None:
        self._created.add(entity.index)

    def _on_baseline(self, change: StringTableChange, _tick: int) -> None:
        if change.sent is not None:
            self._slice.on_baseline_updated(change.key, change.sent)

    # -- start of the slice ----------------------------------------------------------------------------------

    def first(self) -> InnerMessage:
        """Return the complete state, which marks the slice as a client's recording."""
        # The next message takes back the fields that this one stores for later creations.
        message = encode_state(self._whole, self._class_bits, server_tick=self._latest, update_baseline=True)
        self._slice.apply(message[1])
        return message

    def second(self) -> InnerMessage:
        """Return the message after the first, which clears stored fields and hides invisible entities.

        Raises:
            ValueError: no message leads to the state of the recording.
        """
        message = self._apply(self._out_of_sight(), update_baseline=True)
        self._check()
        return message

    # -- packets --------------------------------------------------------------------------------------------

    def play(self, frame: Frame, messages: Sequence[InnerMessage]) -> list[InnerMessage] | None:
        """Play the next frame. Return the messages that replace `messages` in the slice; None to keep them."""
        payloads = [payload for number, payload in messages if number == Engine.PACKET_ENTITIES]
        known = self._whole.valid
        self._created.clear()
        self._playback.step()
        if not payloads or (frame.command == FULL_PACKET and known):
            return None
        if self._stays(payloads):
            for payload in payloads:
                with suppress(ReplayError):  # a problem of the recording, which the slice copies
                    self._slice.apply(payload)
                    self._latest = _head(payload).get("server_tick", 0)
            return None
        made = self._lead_on(_head(payloads[-1]))
        out: list[InnerMessage] = []
        for message in messages:
            if message[0] == Engine.PACKET_ENTITIES:
                out += made  # replaces the first one
            else:
                out.append(message)
        return out

    def _stays(self, payloads: Sequence[bytes]) -> bool:
        """Return whether these messages have the same effect in the slice; the recording has applied them."""
        if not self._whole.valid or not self._slice.valid:
            return True  # wait for a complete state, which builds on no other
        if len(payloads) > 1:
            return False
        head = _head(payloads[0])
        if not head.get("legacy_is_delta"):
            return True
        baseline = head.get("baseline", 0) & 1
        return self._slice.knows_state(head.get("delta_from", -1)) and all(
            self._whole.begins_as(self._slice, index, baseline) for index in self._created
        )

    # -- replacements --------------------------------------------------------------------------------------

    def _lead_on(self, head: dict[str, Any]) -> Iterator[InnerMessage]:
        """Yield the messages that lead from the slice's state to the recording's."""
        tick = head.get("server_tick", 0)
        changes = self._changes(self._created)
        yield self._apply(changes, tick, bool(head.get("update_baseline")), head.get("baseline", 0) & 1)
        differing = self._differing()
        if differing:
            # These began with extra fields. A deletion also clears the fields stored for them.
            gone = self._message()
            for index in differing:
                gone.delete(index)
            yield self._apply(gone)
            yield self._apply(self._changes(set()))
        if any(self._sights()):
            yield self._apply(self._out_of_sight())
        self._check()

    def _differing(self) -> list[int]:
        return sorted({index for index, *_ in self._whole.differences(self._slice)})

    def _check(self) -> None:
        if self._differing() or any(self._sights()):
            raise ValueError(f"the entities of the server's tick {self._latest} cannot be written")

    def _changes(self, created: set[int]) -> EntityMessage:
        """Return a message that leads to the recording's state, with entities in `created` created again."""
        message = self._message()
        for index in range(MOST_ENTITIES):
            before, after = self._slice.entities[index], self._whole.entities[index]
            if after is None:
                if before is not None:
                    message.delete(index)
                continue
            values = None
            if before is not None and index not in created:
                same = before.class_info is after.class_info and before.serial == after.serial
                values = changed_values(before, after) if same else None
            if values is None:
                message.create_slots(index, after.serial, after.class_info.class_id, values_of(after))
            elif values or (before is not None and after.active and not before.active):
                message.update_slots(index, values)
        return message

    def _sights(self) -> Iterator[int]:
        """Yield the indices of entities that are invisible in the recording and visible in the slice."""
        for entity in self._whole:
            other = self._slice.find(entity.index)
            if other is not None and other.active and not entity.active:
                yield entity.index

    def _out_of_sight(self) -> EntityMessage:
        message = self._message()
        for index in self._sights():
            message.leave(index)
        return message

    def _message(self) -> EntityMessage:
        return EntityMessage(self._class_bits, deletion_list=self._whole.has_deletion_lists)

    def _apply(
        self,
        message: EntityMessage,
        server_tick: int | None = None,
        update_baseline: bool = False,
        baseline: int = 0,
    ) -> InnerMessage:
        """Encode a message that changes the slice's latest state, and apply it."""
        tick = self._latest if server_tick is None else server_tick
        made = message.encode(
            server_tick=tick, delta_from=self._latest, update_baseline=update_baseline, baseline=baseline
        )
        self._slice.apply(made[1])
        self._latest = tick
        return made


def _head(payload: bytes) -> dict[str, Any]:
    """Return the fields of an entity message."""
    return {str(name): value for name, value in wire.decode("CSVCMsg_PacketEntities", payload).items()}


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
