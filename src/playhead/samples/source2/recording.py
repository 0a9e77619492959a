"""Writes a `WrittenWorld` as a demo, with a full packet at an interval as in SourceTV recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from playhead.runtime.records import dataclass
from playhead.samples.source2.world import WrittenWorld
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.entities.manager import INSTANCE_BASELINE
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.string_tables.entries import COMPRESSED_VALUES
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table
from playhead.source2.writing.send_tables import encode_class_names, encode_send_tables

#: A string table as in a full packet: ``table_name`` and ``items``.
TableDump = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordingForm:
    """What a recording has besides its packets.

    Attributes:
        server_info: fields of CSVCMsg_ServerInfo; ``max_classes`` is added.
        ticks_per_second: rate of its ticks.
        first_server_tick: the server tick at demo tick 0.
        full_packet_every: ticks between full packets.
        signon: messages before the game, after those of the engine.
        string_tables: returns the current string tables, for sign-on and full packets.
        file_info: returns the fields of CDemoFileInfo besides the length; called at the end.
    """

    server_info: Mapping[str, Any]
    ticks_per_second: int
    first_server_tick: int
    full_packet_every: int
    signon: Sequence[InnerMessage] = ()
    string_tables: Callable[[], Sequence[TableDump]] = tuple
    file_info: Callable[[], Mapping[str, Any]] = dict


def net_tick(server_tick: int) -> InnerMessage:
    """Return the message with the server's tick, which is ahead of the demo's."""
    return Engine.NET_TICK, wire.encode("CNETMsg_Tick", {"tick": server_tick})


def split_signon(messages: Iterable[InnerMessage]) -> tuple[list[InnerMessage], list[InnerMessage]]:
    """Split messages before the game into those that create string tables and the others, which follow the
    schema.
    """
    listed = list(messages)
    tables = [message for message in listed if message[0] == Engine.CREATE_STRING_TABLE]
    return tables, [message for message in listed if message[0] != Engine.CREATE_STRING_TABLE]


def write_recording(
    writer: DemoWriter,
    world: WrittenWorld,
    form: RecordingForm,
    packets: Iterable[tuple[int, Sequence[InnerMessage]]],
) -> bytes:
    """Write a recording; return the result of `DemoWriter.finish`.

    Args:
        writer: an empty writer.
        world: its entities at the begin.
        form: what it has besides its packets.
        packets: yields the tick and the messages of each packet after the first, after it changed `world`. The
            first packet, of tick 0, has the first state.
    """
    baselines = world.baseline_entries()
    items = [{"str": (key or b"").decode(), "data": value or b""} for _, key, value in baselines]
    dump = {"table_name": INSTANCE_BASELINE, "items": items}
    created, others = split_signon(form.signon)
    server = {**form.server_info, "max_classes": len(world.class_names)}
    writer.signon([(Engine.CLEAR_ALL_STRING_TABLES, b"")])
    writer.signon([create_string_table(INSTANCE_BASELINE, baselines, flags=COMPRESSED_VALUES), *created])
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server))])
    writer.frame(SEND_TABLES, -1, encode_send_tables(world.send_tables))
    writer.frame(CLASS_INFO, -1, encode_class_names(world.class_names))
    writer.string_tables([dump, *form.string_tables()])
    writer.signon([(Engine.CLASS_INFO, wire.encode("CSVCMsg_ClassInfo", {"create_on_client": True})), *others])
    writer.sync_tick()
    # The first state is in a packet and in the full packet after it.
    first = [net_tick(form.first_server_tick), world.first(form.first_server_tick)]
    writer.packet(0, first)
    writer.full_packet(0, [dump], first)
    tick = count = 0
    for tick, messages in packets:
        now = form.first_server_tick + tick
        writer.packet(tick, [net_tick(now), world.changes(now), *messages])
        count += 1
        if tick % form.full_packet_every == 0:
            writer.full_packet(tick, form.string_tables(), [net_tick(now), world.state(now)])
    info = {"playback_time": tick / form.ticks_per_second, "playback_ticks": tick, "playback_frames": count}
    return writer.finish(tick, {**info, **form.file_info()})
