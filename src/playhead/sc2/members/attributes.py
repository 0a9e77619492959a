"""``replay.attributes.events``: settings of the lobby as the map sees them. All little-endian."""

from __future__ import annotations

from typing import NamedTuple

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.sc2.members.text import decode_text
from playhead.sc2.protocol.patches import FIRST_ATTRIBUTES_WITH_SOURCE

_ATTRIBUTE_SIZE = 13


class Attribute(NamedTuple):
    """One row of ``replay.attributes.events``: `scope` is the player, 16 for the game."""

    namespace: int
    attribute: int
    scope: int
    value: str


def read_attributes(data: bytes, build: int) -> list[Attribute]:
    """Decode the member; the list is empty where there was no lobby.

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
