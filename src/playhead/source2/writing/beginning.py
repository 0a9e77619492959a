"""Messages that turn the state after the sign-on into a later state, for recordings that begin at that state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from playhead.errors import ReplayError
from playhead.runtime.cached import cached_property
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET, Frame
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.items import StringTableItem
from playhead.source2.string_tables.tables import StringTables, handle_create, handle_update
from playhead.source2.writing.demo import InnerMessage, create_string_table, update_string_table
from playhead.source2.writing.entities import encode_state

_PACKETS = (SIGNON_PACKET, PACKET, FULL_PACKET)


def _differ(item: StringTableItem, before: StringTableItem | None) -> bool:
    """Return whether an entry has changed; a dump does not distinguish a missing value from an empty one."""
    return before is None or (item.key, item.value or b"") != (before.key, before.value or b"")


class StateMessages:
    """Messages that produce the current state of a playback."""

    def __init__(self, recording: Recording, playback: Playback) -> None:
        self._recording = recording
        self._playback = playback
        self._played = playback.position

    @cached_property
    def class_bits(self) -> int:
        """Bits of a class number."""
        return int(self._playback.server_info.get("max_classes", 0)).bit_length()

    @cached_property
    def server_tick(self) -> int:
        """The server tick of the latest entity message."""
        latest = self._last(Engine.PACKET_ENTITIES) or b""
        return int(wire.decode("CSVCMsg_PacketEntities", latest).get("server_tick", 0))

    def net_tick(self, tick: int) -> list[InnerMessage]:
        """Return the latest CNETMsg_Tick, if there was one, with the server's tick at the recording's `tick`.

        That tick may be between two packets, and clocks of games use the difference of the two ticks.
        """
        latest, offset = self._last(Engine.NET_TICK), self._playback.server_tick_offset
        if latest is None or offset is None:
            return []
        now = tick + offset
        if now != wire.first_number(latest) and 0 <= now < 1 << 32:
            latest = wire.encode("CNETMsg_Tick", {**wire.decode("CNETMsg_Tick", latest), "tick": now})
        return [(Engine.NET_TICK, latest)]

    @cached_property
    def entities(self) -> list[InnerMessage]:
        """The entities as one message, if the state is known."""
        manager = self._playback.entities
        return [encode_state(manager, self.class_bits, server_tick=self.server_tick)] if manager.valid else []

    def _last(self, number: int) -> bytes | None:
        """Return the last played message of that number, or None."""
        for at in range(self._played - 1, -1, -1):
            frame = self._recording.frames[at]
            found = [payload for known, payload in packet_messages(self._recording, frame) if known == number]
            if found:
                return found[-1]
        return None

    def table_changes(self, sent: StringTables) -> Iterator[InnerMessage]:
        """Yield messages that turn the string tables `sent` into the current ones."""
        for table in self._playback.string_tables:
            before = sent.by_id[table.id].items if table.id < len(sent) else {}
            changed = [item for index, item in sorted(table.items.items()) if _differ(item, before.get(index))]
            entries = [(item.index, item.key.encode(), item.value) for item in changed]
            is_new = table.id >= len(sent)
            write = partial(create_string_table, table.name) if is_new else partial(update_string_table, table.id)
            if is_new or entries:
                yield write(
                    entries, fixed_bits=table.fixed_bits, varint_sizes=table.varint_sizes, flags=table.flags
                )


def packet_messages(recording: Recording, frame: Frame) -> Iterator[InnerMessage]:
    """Yield the readable inner messages of a packet; a frame of another kind has none."""
    if frame.command not in _PACKETS:
        return
    try:
        reader = PacketReader(recording.packet(frame, recording.payload(frame)))
        while reader.advance():
            yield reader.id, reader.payload()
    except ReplayError:  # the playback has reported it
        return


def sent_at_signon(recording: Recording, frames: Iterable[Frame]) -> StringTables:
    """Return the string tables after the messages of the sign-on; some readers ignore dumps."""
    tables = StringTables(recording.limits)
    for frame in frames:
        if frame.command != SIGNON_PACKET:
            continue
        for number, payload in packet_messages(recording, frame):
            try:
                if number == Engine.CREATE_STRING_TABLE:
                    handle_create(wire.decode("CSVCMsg_CreateStringTable", payload), tables)
                elif number == Engine.UPDATE_STRING_TABLE:
                    handle_update(wire.decode("CSVCMsg_UpdateStringTable", payload), tables)
                elif number == Engine.CLEAR_ALL_STRING_TABLES:
                    tables.clear()
            except ReplayError:  # an unreadable table is sent again
                continue
    return tables
