"""Write demos: the inverse of `source2.container.frames` and `source2.messages.packet`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, BinaryIO

from playhead.bits import BitWriter, ByteWriter
from playhead.source2.container import frames
from playhead.source2.container.snappy import compress as snappy_block
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.string_tables.entries import COMPRESSED_VALUES

# A writer to a file buffers up to this many bytes.
_MOST_KEPT = 1 << 20

#: An inner message: its number and its payload.
InnerMessage = tuple[int, bytes]


def encode_packet(messages: Iterable[InnerMessage]) -> bytes:
    """Return inner messages as the bit stream of a packet."""
    writer = BitWriter()
    for number, payload in messages:
        writer.write_ubit_var(number)
        writer.write_varuint32(len(payload))
        writer.write_bytes(payload)
    return writer.to_bytes()


#: An entry of a string table: index, key (None: keep the name it has), value (None: keep the value it has).
StringTableEntry = tuple[int, bytes | None, bytes | None]


def encode_string_table_entries(
    entries: Iterable[StringTableEntry],
    *,
    fixed_bits: int | None = None,
    varint_sizes: bool = True,
    flags: int = 0,
) -> bytes:
    """Return entries, in rising order of index, as the bit stream of a create or update message.

    A key is stored with the prefix of an earlier key if that is shorter. In a table with compressed values (bit
    0 of `flags`), each value is marked as uncompressed.
    """
    writer = BitWriter()
    history: deque[bytes] = deque(maxlen=32)
    last = -1
    for index, key, value in entries:
        writer.write_boolean(index == last + 1)
        if index != last + 1:
            writer.write_varuint32(index - last - 2)
        last = index
        writer.write_boolean(key is not None)
        if key is not None:
            _write_key(writer, key, history)
        history.append(key or b"")
        writer.write_boolean(value is not None)
        if value is None:
            continue
        if fixed_bits is not None:
            writer.write_bits_from_bytes(value, fixed_bits)
            continue
        if flags & COMPRESSED_VALUES:
            writer.write_boolean(False)
        if varint_sizes:
            writer.write_ubit_var(len(value))
        else:
            writer.write_bits(len(value), 17)
        writer.write_bytes(value)
    return writer.to_bytes()


def _shared(key: bytes, old: bytes) -> int:
    """Return the length of the common prefix, at most the 31 that five bits can hold."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(key[:31], old, strict=False)))


def _write_key(writer: BitWriter, key: bytes, history: Sequence[bytes]) -> None:
    shared = [_shared(key, old) for old in history]
    best = max(range(len(shared)), key=shared.__getitem__, default=0)
    borrow = bool(shared) and shared[best] > 2
    writer.write_boolean(borrow)
    if borrow:
        writer.write_bits(best, 5)
        writer.write_bits(shared[best], 5)
        key = key[shared[best] :]
    writer.write_string(key)


def create_string_table(
    name: str,
    entries: Sequence[StringTableEntry],
    *,
    fixed_bits: int | None = None,
    varint_sizes: bool = True,
    flags: int = 0,
    compress: bool = True,
) -> InnerMessage:
    """Return a message that creates a string table; its number is the order of creation.

    The entries are stored as a Snappy block if that is shorter, unless `compress` is False.
    """
    data = encode_string_table_entries(entries, fixed_bits=fixed_bits, varint_sizes=varint_sizes, flags=flags)
    message: dict[str, Any] = {
        "name": name,
        "num_entries": len(entries),
        "user_data_fixed_size": fixed_bits is not None,
        "user_data_size": -(-(fixed_bits or 0) // 8),
        "user_data_size_bits": fixed_bits or 0,
        "flags": flags,
        "using_varint_bitcounts": varint_sizes,
        "string_data": data,
    }
    packed = snappy_block(data) if compress else data
    if len(packed) < len(data):
        message |= {"string_data": packed, "data_compressed": True, "uncompressed_size": len(data)}
    return Engine.CREATE_STRING_TABLE, wire.encode("CSVCMsg_CreateStringTable", message)


def update_string_table(
    number: int,
    entries: Sequence[StringTableEntry],
    *,
    fixed_bits: int | None = None,
    varint_sizes: bool = True,
    flags: int = 0,
) -> InnerMessage:
    """Return a message that changes entries of string table `number`; `form` is as at its creation."""
    data = encode_string_table_entries(entries, fixed_bits=fixed_bits, varint_sizes=varint_sizes, flags=flags)
    message = {"table_id": number, "num_changed_entries": len(entries), "string_data": data}
    return Engine.UPDATE_STRING_TABLE, wire.encode("CSVCMsg_UpdateStringTable", message)


class DemoWriter:
    """Writes one demo, frame by frame; `finish` returns the bytes of the whole file.

    Args:
        file_header: fields of CDemoFileHeader, to which the stamp is added; or the payload of a FileHeader frame.
        compress: whether to store payloads as Snappy blocks if that is shorter, as the game does.
        file: an empty, writable, seekable binary file that frames are written to; `finish` then returns nothing.
            None keeps all frames in memory.
    """

    def __init__(
        self, file_header: Mapping[str, Any] | bytes, *, compress: bool = True, file: BinaryIO | None = None
    ) -> None:
        self._compress = compress
        self._file = file
        self._written = 0
        self._out = ByteWriter()
        if file is not None:
            file.write(bytes(frames.HEAD_SIZE))
        if not isinstance(file_header, bytes):
            header = {"demo_file_stamp": frames.MAGIC.decode(), **file_header}
            file_header = wire.encode("CDemoFileHeader", header)
        self.frame(frames.FILE_HEADER, -1, file_header, compress=False)

    def frame(self, command: int, tick: int, payload: bytes, *, compress: bool | None = None) -> None:
        """Append a frame; tick -1 is the sign-on."""
        stored = payload
        if self._compress if compress is None else compress:
            packed = snappy_block(payload)
            if len(packed) < len(payload):
                command, stored = command | frames.COMPRESSED, packed
        self.stored_frame(command, tick, stored)

    def stored_frame(self, command: int, tick: int, stored: bytes) -> None:
        """Append a frame in stored form: command with its compression bit, payload as stored."""
        self._out.write_varuint32(command)
        self._out.write_varuint32(tick & 0xFFFFFFFF)
        self._out.write_varuint32(len(stored))
        self._out.write_bytes(stored)
        if self._file is not None and self._out.tell() >= _MOST_KEPT:
            self._flush(self._file)

    def _flush(self, file: BinaryIO) -> None:
        self._written += file.write(self._out.to_bytes())
        self._out = ByteWriter()

    def signon(self, messages: Iterable[InnerMessage]) -> None:
        """Append a packet before the game."""
        self.frame(frames.SIGNON_PACKET, -1, wire.encode("CDemoPacket", {"data": encode_packet(messages)}))

    def packet(self, tick: int, messages: Iterable[InnerMessage]) -> None:
        """Append a packet of the game."""
        self.frame(frames.PACKET, tick, wire.encode("CDemoPacket", {"data": encode_packet(messages)}))

    def string_tables(self, tables: Iterable[Mapping[str, Any]]) -> None:
        """Append the string tables at sign-on: ``table_name`` and ``items`` with ``str`` and ``data``."""
        self.frame(frames.STRING_TABLES, -1, wire.encode("CDemoStringTables", {"tables": list(tables)}))

    def sync_tick(self) -> None:
        """Append the end of the sign-on."""
        self.frame(frames.SYNC_TICK, -1, b"")

    def full_packet(
        self, tick: int, tables: Iterable[Mapping[str, Any]], messages: Iterable[InnerMessage]
    ) -> None:
        """Append a full packet: changed string tables, and a packet with the complete state."""
        content = {"string_table": {"tables": list(tables)}, "packet": {"data": encode_packet(messages)}}
        self.frame(frames.FULL_PACKET, tick, wire.encode("CDemoFullPacket", content))

    def finish(self, tick: int, file_info: Mapping[str, Any] | bytes, spawn_groups_payload: bytes = b"") -> bytes:
        """Append Stop, SpawnGroups and FileInfo, and set their offsets in the head.

        Args:
            tick: tick of the last frames.
            file_info: fields of CDemoFileInfo, or the payload of a FileInfo frame.
            spawn_groups_payload: payload of the SpawnGroups frame.

        Returns:
            The whole file; empty if it was written to a file.
        """
        self.frame(frames.STOP, tick, b"")
        spawn_groups = frames.HEAD_SIZE + self._written + self._out.tell()
        self.frame(frames.SPAWN_GROUPS, tick, spawn_groups_payload)
        info = frames.HEAD_SIZE + self._written + self._out.tell()
        if not isinstance(file_info, bytes):
            file_info = wire.encode("CDemoFileInfo", file_info)
        self.frame(frames.FILE_INFO, tick, file_info)
        head = ByteWriter()
        head.write_bytes(frames.MAGIC)
        head.write_i32(info)
        head.write_i32(spawn_groups)
        if self._file is None:
            return head.to_bytes() + self._out.to_bytes()
        self._flush(self._file)
        self._file.seek(0)
        self._file.write(head.to_bytes())
        return b""
