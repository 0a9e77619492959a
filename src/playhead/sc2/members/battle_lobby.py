"""``replay.server.battlelobby``: what the server sent the game about the lobby. Bit-packed, from 24764 on.

Nobody at Blizzard has described it. The same member of Heroes of the Storm has been taken apart by its community
(https://github.com/EugenPolyakov/HOTS_battlelobby); in StarCraft II the beginning is the same, up to the number of
attributes, and what follows is not. Of that only what stands by itself is read: handles of files in the game's
cache and BattleTags, which both begin at a byte. All else is kept raw and counted.
"""

from __future__ import annotations

import re

from playhead.errors import CorruptReplay, TruncatedReplay
from playhead.runtime.records import dataclass
from playhead.sc2.encoding.bit_packed import BitPackedReader
from playhead.sc2.members.text import decode_text

_COUNT_BITS = 6
_PATH_BITS = 10
_ATTRIBUTE_COUNT_BITS = 9
HANDLE_SIZE = 40

#: Type, region and SHA-256 of a file: of the map or a mod (``s2ma``), and of what the server adds to each:
#: ``s2mv``, ``s2ml`` (texts in one language) and ``s2mh`` (its head).
_HANDLE = re.compile(rb"s2m[ahlv]\0\0[A-Z]{2}[\0-\xff]{32}", re.DOTALL)
#: The end of an account: the last letter of the program ``S2``, the realm, and the length of the name, less two.
#: Behind it a name as Battle.net allows it, and digits: a BattleTag.
_ACCOUNT = re.compile(rb"2\0\0\0[\x01-\x09]([\x00-\x7f])(?=([^\x00-\x20]{5,64}))", re.DOTALL)
_BATTLE_TAG = re.compile(rb"[^#\x7f]{2,48}#[0-9]{3,7}", re.DOTALL)
_SHORTEST_TAG = 2


@dataclass(frozen=True, slots=True)
class BattleLobby:
    """What is known of the member.

    Attributes:
        cache_paths: where the map and its mods lie in the cache of who saved the replay; they may name that one.
        cache_handles: the same files, by type, region and SHA-256.
        attributes: how many settings the lobby has.
        more_handles: other files, in the order of the member: what the server adds to each.
        battle_tags: of who was in the lobby, each once, in the order of the member. They name people.
        size: of the member, in bytes.
        rest: what is behind the number of attributes, raw; it holds `more_handles` and `battle_tags`.
        unread: how many bytes of it are neither.
    """

    cache_paths: tuple[str, ...]
    cache_handles: tuple[bytes, ...]
    attributes: int
    more_handles: tuple[bytes, ...]
    battle_tags: tuple[str, ...]
    size: int
    rest: bytes
    unread: int


def _handle(reader: BitPackedReader) -> bytes:
    handle = reader.read_aligned_bytes(HANDLE_SIZE)
    if not _HANDLE.fullmatch(handle):
        raise CorruptReplay(f"expected the handle of a file, found {handle[:8]!r}", offset=reader.tell() >> 3)
    return handle


def _battle_tags(rest: bytes) -> dict[bytes, int]:
    """BattleTags, and how often each is there as the name of an account."""
    found: dict[bytes, int] = {}
    for match in _ACCOUNT.finditer(rest):
        tag = match[2][: match[1][0] + _SHORTEST_TAG]
        if len(tag) == match[1][0] + _SHORTEST_TAG and _BATTLE_TAG.fullmatch(tag):
            found[tag] = found.get(tag, 0) + 1
    return found


def read_battle_lobby(data: bytes) -> BattleLobby:
    """Decode the member as far as it is known.

    Raises:
        CorruptReplay, TruncatedReplay: it does not begin as it should.
    """
    reader = BitPackedReader(data)
    paths = [reader.read_blob(_PATH_BITS) for _ in range(reader.read_int(_COUNT_BITS))]
    handles = tuple(_handle(reader) for _ in range(reader.read_int(_COUNT_BITS)))
    attributes = reader.read_int(_ATTRIBUTE_COUNT_BITS)
    rest = data[(reader.tell() + 7) >> 3 :]
    if not rest:
        raise TruncatedReplay(
            "expected settings of the lobby behind their number, found the end", offset=len(data)
        )
    more = tuple(_HANDLE.findall(rest))
    tags = _battle_tags(rest)
    read = HANDLE_SIZE * len(more) + sum(len(tag) * count for tag, count in tags.items())
    return BattleLobby(
        cache_paths=tuple(decode_text(path) for path in paths),
        cache_handles=handles,
        attributes=attributes,
        more_handles=more,
        battle_tags=tuple(decode_text(tag) for tag in tags),
        size=len(data),
        rest=rest,
        unread=len(rest) - read,
    )
