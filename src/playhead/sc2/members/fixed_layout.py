"""The small members of fixed layout, all little-endian: attributes, sync checks, resume markers, load info."""

from __future__ import annotations

from typing import NamedTuple

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.sc2.encoding.bit_packed import BitPackedReader
from playhead.sc2.members.text import decode_text
from playhead.sc2.protocol.patches import FIRST_ATTRIBUTES_WITH_SOURCE

_ATTRIBUTE_SIZE = 13
_FIRST_NAMED_MARKERS = 24764


class Attribute(NamedTuple):
    """One row of ``replay.attributes.events``: `scope` is the player, 16 for the game."""

    namespace: int
    attribute: int
    scope: int
    value: str


class SyncCheck(NamedTuple):
    """One record of ``replay.sync.events``: a checksum of the game's state at a loop."""

    tick: int
    flag: int
    checksum: int


class ResumeMarker(NamedTuple):
    """One record of ``replay.resumable.events``: from where the game can be taken over; user 16 is nobody.
    `color` is alpha, red, green, blue from the highest byte down."""

    tick: int
    kind: int
    user: int
    color: int | None
    name: str | None


def read_attributes(data: bytes, build: int) -> list[Attribute]:
    """Decode ``replay.attributes.events``; empty where there was no lobby.

    Raises:
        TruncatedReplay, CorruptReplay: it ends too soon, or not where it should.
    """
    if not data:
        return []
    reader = ByteReader(data, 1 if build >= FIRST_ATTRIBUTES_WITH_SOURCE else 0)
    reader.read_u32()
    count = reader.read_u32()
    if reader.remaining() != count * _ATTRIBUTE_SIZE:
        raise CorruptReplay(
            f"expected {count} attributes of {_ATTRIBUTE_SIZE} bytes, found {reader.remaining()} bytes",
            offset=reader.tell(),
        )
    rows = []
    for _ in range(count):
        namespace, attribute, scope = reader.read_u32(), reader.read_u32(), reader.read_u8()
        rows.append(Attribute(namespace, attribute, scope, decode_text(reader.read_bytes(4)[::-1].strip(b"\0"))))
    return rows


def read_sync(data: bytes) -> list[SyncCheck]:
    """Decode ``replay.sync.events``: loop delta as in the event streams, one bit, 16 bits, aligned.

    Raises:
        TruncatedReplay: it ends inside a record.
    """
    bits = BitPackedReader(data)
    tick = 0
    rows = []
    while bits.remaining():
        tick += bits.read_int((6, 14, 22, 32)[bits.read_int(2)])
        if tick >> 31:
            raise CorruptReplay(f"expected a game loop of 31 bits, found {tick}", offset=bits.tell() >> 3)
        rows.append(SyncCheck(tick, bits.read_int(1), bits.read_int(16)))
        bits.align()
    return rows


def has_marker_names(build: int) -> bool:
    """Whether markers to resume from have colour and name; the betas of Heart of the Swarm have neither."""
    return build >= _FIRST_NAMED_MARKERS


def read_resumable(data: bytes, build: int) -> list[ResumeMarker]:
    """Decode ``replay.resumable.events``.

    Raises:
        TruncatedReplay: it ends inside a record.
    """
    reader = ByteReader(data)
    rows = []
    while reader.remaining():
        tick, kind, user = reader.read_u32(), reader.read_u8(), reader.read_u8()
        if tick >> 31:
            raise CorruptReplay(f"expected a game loop of 31 bits, found {tick}", offset=reader.tell())
        color, name = None, None
        if has_marker_names(build):
            color, name = reader.read_u32(), decode_text(reader.read_bytes(reader.read_u16()))
        rows.append(ResumeMarker(tick, kind, user, color, name))
    return rows
