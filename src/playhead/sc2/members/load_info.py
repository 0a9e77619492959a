"""``replay.load.info``: the loading screen of the map. All little-endian; in every build from 0.19 on.

The member is undocumented. This layout decodes 304 replays to the last byte. Only two of them, arcade maps with
their own loading screen, have more than zeros, a picture and ``BattleNet``.
"""

from __future__ import annotations

from playhead.bits import ByteReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass

_TEXTS = 4
#: 10 numbers, 11 in 2.5.0.
_NUMBERS = (10, 11)


@dataclass(frozen=True, slots=True)
class LoadInfo:
    """The decoded member.

    Attributes:
        texts: four texts of the loading screen; in the known replays only the last, the map's hints, is used.
        image: path of the picture; empty if the map does not choose one, and mostly from 2.0 on.
        screen: ``BattleNet`` for the usual screen up to 1.5, else empty.
        numbers: ten 32-bit numbers, eleven in 2.5.0. Numbers 5 and 6 are width and height (800 and 600), and
            number 1 seems to be the scaling of the picture.
    """

    texts: tuple[str, ...]
    image: str
    screen: str
    numbers: tuple[int, ...]


def read_load_info(data: bytes) -> LoadInfo:
    """Decode the member to its last byte.

    Raises:
        TruncatedReplay, CorruptReplay: it ends too early or too late.
    """
    reader = ByteReader(data)
    texts = [decode_text(reader.read_bytes(reader.read_u16())) for _ in range(_TEXTS + 2)]
    count = reader.remaining() // 4
    if reader.remaining() % 4 or count not in _NUMBERS:
        raise CorruptReplay(
            f"expected 10 or 11 numbers of 4 bytes after the texts, found {reader.remaining()} bytes",
            offset=reader.tell(),
        )
    numbers = tuple(reader.read_u32() for _ in range(count))
    return LoadInfo(tuple(texts[:_TEXTS]), texts[_TEXTS], texts[_TEXTS + 1], numbers)
