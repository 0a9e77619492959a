"""Writes a `WrittenWorld` as a demo, with a full packet at an interval as in SourceTV recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.world import WrittenWorld

from playhead.runtime.records import dataclass
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.entities.manager import INSTANCE_BASELINE
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.string_tables.entries import COMPRESSED_VALUES
from playhead.source2.writing.demo import DemoWriter, InnerMessage, StringTableEntry, create_string_table

#: The string tables of a recording besides that of baselines, by name.
StringTables = Mapping[str, Sequence[StringTableEntry]]


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
        snapshots: returns the messages of a full packet besides the state.
        file_info: returns the fields of CDemoFileInfo besides the length; called at the end.
    """

    server_info: Mapping[str, Any]
    ticks_per_second: int
    first_server_tick: int
    full_packet_every: int
    signon: Sequence[InnerMessage] = ()
    string_tables: Callable[[], StringTables] = dict
    snapshots: Callable[[], list[InnerMessage]] = list
    file_info: Callable[[], Mapping[str, Any]] = dict


def net_tick(server_tick: int) -> InnerMessage:
    """Return the message with the server's tick, which is ahead of the demo's."""
    return Engine.NET_TICK, wire.encode("CNETMsg_Tick", {"tick": server_tick})


def file_header(map_name: str, game_dir: str, build: int, patch: int = 47, **more: Any) -> dict[str, Any]:
    """Return the fields of CDemoFileHeader as SourceTV writes them."""
    names = {"server_name": "playhead sample", "client_name": "SourceTV Demo", "demo_version_name": "valve_demo_2"}
    where = {"map_name": map_name, "game_directory": game_dir}
    return {"patch_version": patch, "build_num": build, **names, **where, **more}


def server_info(map_name: str, game_dir: str, protocol: int, ticks_per_second: int) -> dict[str, Any]:
    """Return the fields of CSVCMsg_ServerInfo without ``max_classes``."""
    kind = {"protocol": protocol, "is_dedicated": True, "is_hltv": True, "max_clients": 64}
    where = {"game_dir": game_dir, "map_name": map_name, "host_name": "playhead sample"}
    return {**kind, **where, "tick_interval": 1 / ticks_per_second}


def numbered_entries(names: Iterable[str]) -> list[StringTableEntry]:
    """Return the entries of a string table of names without values."""
    return [(number, name.encode(), None) for number, name in enumerate(names)]


def user_entries(people: Iterable[Mapping[str, Any]]) -> list[StringTableEntry]:
    """Return the entries of the string table ``userinfo`` for the fields of the person in each slot."""
    return [
        (slot, str(slot).encode(), wire.encode("CMsgPlayerInfo", person)) for slot, person in enumerate(people)
    ]


def table_dump(name: str, entries: Iterable[StringTableEntry]) -> dict[str, Any]:
    """Return a complete string table as sign-on and full packets have it."""
    items = [{"str": (key or b"").decode(), "data": value or b""} for _, key, value in entries]
    return {"table_name": name, "items": items}


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
    dump, tables = table_dump(INSTANCE_BASELINE, baselines), form.string_tables()
    created = [create_string_table(name, entries) for name, entries in tables.items()]
    server = {**form.server_info, "max_classes": len(world.class_names)}
    writer.signon([(Engine.CLEAR_ALL_STRING_TABLES, b"")])
    writer.signon([create_string_table(INSTANCE_BASELINE, baselines, flags=COMPRESSED_VALUES), *created])
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server))])
    writer.frame(SEND_TABLES, -1, encode_send_tables(world.send_tables))
    writer.frame(CLASS_INFO, -1, encode_class_names(world.class_names))
    writer.string_tables([dump, *_dumps(tables)])
    announced = Engine.CLASS_INFO, wire.encode("CSVCMsg_ClassInfo", {"create_on_client": True})
    writer.signon([announced, *form.signon])
    writer.sync_tick()
    # The first state is in a packet and in the full packet after it.
    first = [net_tick(form.first_server_tick), world.first(form.first_server_tick)]
    writer.packet(0, first)
    writer.full_packet(0, [dump], first)
    tick, count = 0, 1
    for tick, messages in packets:
        now = form.first_server_tick + tick
        # Servers send changes of string tables before the entities.
        parts: tuple[list[InnerMessage], list[InnerMessage]] = [], []
        for message in messages:
            parts[message[0] != Engine.UPDATE_STRING_TABLE].append(message)
        writer.packet(tick, [net_tick(now), *parts[0], world.changes(now), *parts[1]])
        count += 1
        if tick % form.full_packet_every == 0:
            writer.full_packet(
                tick, _dumps(form.string_tables()), [net_tick(now), world.state(now), *form.snapshots()]
            )
    info = {"playback_time": tick / form.ticks_per_second, "playback_ticks": tick, "playback_frames": count}
    return writer.finish(tick, {**info, **form.file_info()})


def _dumps(tables: StringTables) -> list[dict[str, Any]]:
    return [table_dump(name, entries) for name, entries in tables.items()]
