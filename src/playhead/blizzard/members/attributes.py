"""``replay.attributes.events``: settings of the lobby as the map sees them. All little-endian."""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from playhead.bits import ByteReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay

#: Namespace, attribute, scope, and the value backwards.
_ROW = Struct("<IIB4s")


class Attribute(NamedTuple):
    """One row of ``replay.attributes.events``: `scope` is the player, 16 for the game."""

    namespace: int
    attribute: int
    scope: int
    value: str


def read_attributes(data: bytes, *, with_source: bool = True) -> list[Attribute]:
    """Decode the member; the list is empty without a lobby. It begins `with_source`: a byte for it, which betas of
    StarCraft II lack.

    Raises:
        TruncatedReplay, CorruptReplay: it ends too early or too late.
    """
    if not data:
        return []
    reader = ByteReader(data, int(with_source))
    reader.read_u32()
    count = reader.read_u32()
    if reader.remaining() != count * _ROW.size:
        raise CorruptReplay(
            f"expected {count} attributes of {_ROW.size} bytes, found {reader.remaining()} bytes",
            offset=reader.tell(),
        )
    found = list(_ROW.iter_unpack(reader.read_bytes(reader.remaining())))
    # A lobby has hundreds of rows and dozens of values.
    texts = {raw: decode_text(raw[::-1].strip(b"\0")) for raw in {row[3] for row in found}}
    return [Attribute(namespace, attribute, scope, texts[raw]) for namespace, attribute, scope, raw in found]
