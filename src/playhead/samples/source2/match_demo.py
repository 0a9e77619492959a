"""The synthetic match as a demo file of any length, with a full packet every minute as in SourceTV recordings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from playhead.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from playhead.samples.source2.match import SyntheticMatch
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.entities.manager import INSTANCE_BASELINE
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.string_tables.entries import COMPRESSED_VALUES
from playhead.source2.writing.demo import DemoWriter, InnerMessage, create_string_table
from playhead.source2.writing.send_tables import encode_class_names, encode_send_tables

_GAME_DIR = "/srv/dota_v6900/dota"
_FULL_PACKET_EVERY = 60 * TICKS_PER_SECOND

FILE_HEADER: dict[str, Any] = {
    "patch_version": 47,
    "server_name": "playhead sample",
    "client_name": "SourceTV Demo",
    "map_name": "start",
    "game_directory": _GAME_DIR,
    "demo_version_name": "valve_demo_2",
    "build_num": 10000,
}


def server_info(max_classes: int) -> dict[str, Any]:
    """Return the fields of CSVCMsg_ServerInfo."""
    return {
        "protocol": 1210,
        "is_dedicated": True,
        "is_hltv": True,
        "max_clients": 64,
        "max_classes": max_classes,
        "tick_interval": 1 / TICKS_PER_SECOND,
        "game_dir": _GAME_DIR,
        "map_name": "start",
        "host_name": "playhead sample",
    }


def net_tick(server_tick: int) -> InnerMessage:
    """Return the message with the server's tick, which is ahead of the demo's."""
    return Engine.NET_TICK, wire.encode("CNETMsg_Tick", {"tick": server_tick})


class MatchMessages(Protocol):
    """The content of a recording of the match besides its entities. The first string table has number 1."""

    def signon(self) -> list[InnerMessage]:
        """Return the messages before the game, after those of the engine."""

    def string_tables(self) -> list[Mapping[str, Any]]:
        """Return the current string tables, for sign-on and full packets."""

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the messages in the packet of a tick, after the match was played up to it."""

    def file_info(self, match: SyntheticMatch) -> Mapping[str, Any]:
        """Return the fields of CDemoFileInfo besides the length."""


def split_signon(messages: list[InnerMessage]) -> tuple[list[InnerMessage], list[InnerMessage]]:
    """Split messages before the game into those that create string tables and the others, which follow the
    schema.
    """
    tables = [message for message in messages if message[0] == Engine.CREATE_STRING_TABLE]
    return tables, [message for message in messages if message[0] != Engine.CREATE_STRING_TABLE]


def match_demo(
    minutes: float,
    *,
    seed: int = 7,
    full_packet_every: int = _FULL_PACKET_EVERY,
    messages: MatchMessages | None = None,
) -> tuple[bytes, SyntheticMatch]:
    """Return a demo of that many minutes, and the match at its end with the expected values.

    The same arguments give the same bytes. About 900 entities live at a time; there is a full packet every
    `full_packet_every` ticks.
    """
    match = SyntheticMatch(seed)
    data = write_match(
        DemoWriter(FILE_HEADER), match, minutes, full_packet_every=full_packet_every, messages=messages
    )
    return data, match


def write_match(
    writer: DemoWriter,
    match: SyntheticMatch,
    minutes: float,
    *,
    full_packet_every: int = _FULL_PACKET_EVERY,
    messages: MatchMessages | None = None,
) -> bytes:
    """Write a match from its beginning; return the result of `DemoWriter.finish`."""
    baselines = match.baseline_entries()
    items = [{"str": (key or b"").decode(), "data": value or b""} for _, key, value in baselines]
    dump = {"table_name": INSTANCE_BASELINE, "items": items}
    created, others = split_signon(messages.signon() if messages else [])
    writer.signon([(Engine.CLEAR_ALL_STRING_TABLES, b"")])
    writer.signon([create_string_table(INSTANCE_BASELINE, baselines, flags=COMPRESSED_VALUES), *created])
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server_info(len(match.class_names))))])
    writer.frame(SEND_TABLES, -1, encode_send_tables(match.send_tables))
    writer.frame(CLASS_INFO, -1, encode_class_names(match.class_names))
    writer.string_tables([dump, *(messages.string_tables() if messages else ())])
    writer.signon([(Engine.CLASS_INFO, wire.encode("CSVCMsg_ClassInfo", {"create_on_client": True})), *others])
    writer.sync_tick()
    # The first state is in a packet and in the full packet after it.
    first = [net_tick(FIRST_SERVER_TICK), match.first(FIRST_SERVER_TICK)]
    writer.packet(0, first)
    writer.full_packet(0, [dump], first)
    last = int(minutes * 60 * TICKS_PER_SECOND) // 2 * 2
    for tick in match.ticks(last):
        said = messages.at(tick, match) if messages else []
        now = FIRST_SERVER_TICK + tick
        writer.packet(tick, [net_tick(now), match.changes(now), *said])
        if tick % full_packet_every == 0:
            tables = messages.string_tables() if messages else []
            writer.full_packet(tick, tables, [net_tick(now), match.state(now)])
    info: dict[str, Any] = {
        "playback_time": last / TICKS_PER_SECOND,
        "playback_ticks": last,
        "playback_frames": last // 2,
    }
    return writer.finish(last, info | dict(messages.file_info(match) if messages else {}))
