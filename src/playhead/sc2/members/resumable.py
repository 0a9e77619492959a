"""``replay.resumable.events``: moments from which the game can be resumed, all little-endian."""

from __future__ import annotations

from typing import NamedTuple

from playhead.bits import ByteReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay

_FIRST_NAMED_MARKERS = 24764


class ResumeMarker(NamedTuple):
    """One record of ``replay.resumable.events``: a moment from which the game can be resumed; user 16 is nobody.
    `color` is alpha, red, green, blue from the highest byte down."""

    tick: int
    kind_id: int
    user: int
    color: int | None
    name: str | None


def has_marker_names(build: int) -> bool:
    """Return whether resume markers have colour and name; in the betas of Heart of the Swarm they have neither."""
    return build >= _FIRST_NAMED_MARKERS


def read_resumable(data: bytes, build: int) -> list[ResumeMarker]:
    """Decode the member.

    Raises:
        TruncatedReplay: it ends inside a record.
        CorruptReplay: a loop does not fit 31 bits.
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
