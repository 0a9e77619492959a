"""Game network messages inside a teehistorian file: so far the one that tells a player's name.

A payload starts with the packed int ``(id << 1) | system``; the fields follow as packed ints and zero-terminated
strings. Ids are those of the client's protocol, 0.6 or 0.7.
"""

from __future__ import annotations

from dataclasses import dataclass

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.teehistorian.text import decode_text

_START_INFO_6 = 20
_START_INFO_7 = 27


@dataclass(frozen=True, slots=True)
class StartInfo:
    """What a client says of itself when it enters.

    Attributes:
        protocol: 6 or 7.
        skin: name of the skin; for 0.7, the names of its six parts joined by blanks.
    """

    protocol: int
    name: str
    clan: str
    country: int
    skin: str


def decode_start_info(data: bytes, protocol: int | None) -> StartInfo | None:
    """The StartInfo in a network message; None if it is another message or malformed.

    Clients send what they like and the server records it as it came, so a malformed one is no damage of the file.

    Args:
        protocol: 6, 7, or None where the file does not tell; then the message must be well-formed to its
            last byte, and tells the protocol.
    """
    reader = ByteReader(data)
    try:
        head = reader.read_packed_int()
        found = {_START_INFO_6 << 1: 6, _START_INFO_7 << 1: 7}.get(head)
        if found is None or protocol not in (None, found):
            return None
        name, clan = (decode_text(reader.read_cstring()) for _ in range(2))
        country = reader.read_packed_int()
        skin = " ".join(decode_text(reader.read_cstring()) for _ in range(1 if found == 6 else 6))
        for _ in range(3 if found == 6 else 12):  # colours and whether they are used
            reader.read_packed_int()
    except CorruptReplay:
        return None
    if protocol is None and reader.remaining():
        return None
    return StartInfo(found, name, clan, country, skin)
