"""Writes demos: the mirror image of `frames`, `packet` and `wire`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.bits import BitWriter, ByteWriter
from playhead.source2 import wire
from playhead.source2.frames import (
    COMPRESSED,
    FILE_HEADER,
    FILE_INFO,
    FULL_PACKET,
    HEAD_SIZE,
    MAGIC,
    PACKET,
    SIGNON_PACKET,
    SPAWN_GROUPS,
    STOP,
    STRING_TABLES,
    SYNC_TICK,
)

#: An inner message: its number and its payload.
InnerMessage = tuple[int, bytes]


def encode_packet(messages: Iterable[InnerMessage]) -> bytes:
    """Inner messages as the bit stream that a packet carries."""
    writer = BitWriter()
    for number, payload in messages:
        writer.write_ubit_var(number)
        writer.write_varuint32(len(payload))
        writer.write_bytes(payload)
    return writer.to_bytes()


class DemoWriter:
    """Writes one demo, frame by frame; `finish` gives the bytes of the whole file.

    Args:
        file_header: fields of CDemoFileHeader; the stamp is added.
        compress: store payloads as Snappy blocks where that is shorter, as the game does.
    """

    def __init__(self, file_header: Mapping[str, Any], *, compress: bool = True) -> None:
        self._compress = compress
        self._out = ByteWriter()
        header = {"demo_file_stamp": MAGIC.decode(), **file_header}
        self.frame(FILE_HEADER, -1, wire.encode("CDemoFileHeader", header), compress=False)

    def frame(self, command: int, tick: int, payload: bytes, *, compress: bool | None = None) -> None:
        """Any outer frame; tick -1 is sign-on."""
        stored = payload
        if self._compress if compress is None else compress:
            import cramjam

            packed = bytes(cramjam.snappy.compress_raw(payload))
            if len(packed) < len(payload):
                command, stored = command | COMPRESSED, packed
        self._out.write_varuint32(command)
        self._out.write_varuint32(tick & 0xFFFFFFFF)
        self._out.write_varuint32(len(stored))
        self._out.write_bytes(stored)

    def signon(self, messages: Iterable[InnerMessage]) -> None:
        """A packet before the game."""
        self.frame(SIGNON_PACKET, -1, wire.encode("CDemoPacket", {"data": encode_packet(messages)}))

    def packet(self, tick: int, messages: Iterable[InnerMessage]) -> None:
        """A packet of the game."""
        self.frame(PACKET, tick, wire.encode("CDemoPacket", {"data": encode_packet(messages)}))

    def string_tables(self, tables: Iterable[Mapping[str, Any]]) -> None:
        """The string tables at sign-on: ``table_name`` and ``items`` of ``str`` and ``data``."""
        self.frame(STRING_TABLES, -1, wire.encode("CDemoStringTables", {"tables": list(tables)}))

    def sync_tick(self) -> None:
        """The end of sign-on."""
        self.frame(SYNC_TICK, -1, b"")

    def full_packet(
        self, tick: int, tables: Iterable[Mapping[str, Any]], messages: Iterable[InnerMessage]
    ) -> None:
        """A full packet: changed string tables, and a packet with the whole state."""
        content = {"string_table": {"tables": list(tables)}, "packet": {"data": encode_packet(messages)}}
        self.frame(FULL_PACKET, tick, wire.encode("CDemoFullPacket", content))

    def finish(self, tick: int, file_info: Mapping[str, Any]) -> bytes:
        """Stop, SpawnGroups and FileInfo, and the head that points to the last two; the whole file."""
        self.frame(STOP, tick, b"")
        spawn_groups = HEAD_SIZE + self._out.tell()
        self.frame(SPAWN_GROUPS, tick, wire.encode("CDemoSpawnGroups", {"msgs": []}))
        info = HEAD_SIZE + self._out.tell()
        self.frame(FILE_INFO, tick, wire.encode("CDemoFileInfo", file_info))
        head = ByteWriter()
        head.write_bytes(MAGIC)
        head.write_i32(info)
        head.write_i32(spawn_groups)
        return head.to_bytes() + self._out.to_bytes()
