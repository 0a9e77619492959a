"""``replay.server.battlelobby``: the server's data about the lobby. Bit-packed, from 24764 on.

Blizzard has not documented it. The community of Heroes of the Storm has analysed the same member
(https://github.com/EugenPolyakov/HOTS_battlelobby). In StarCraft II it begins alike, up to the number of
attributes, and then differs. From that second part playhead reads only the values that can be found without a
layout: handles of files in the game's cache and BattleTags, which both begin at a byte. The rest stays raw and is
counted.
"""

from __future__ import annotations

import re

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay, TruncatedReplay
from playhead.runtime.records import dataclass

_COUNT_BITS = 6
_PATH_BITS = 10
_ATTRIBUTE_COUNT_BITS = 9
HANDLE_SIZE = 40

#: Type, region and SHA-256 of a file: a map or mod (``s2ma``), and the server's additions to it:
#: ``s2mv``, ``s2ml`` (texts in one language) and ``s2mh`` (its head).
_HANDLE = re.compile(rb"s2m[ahlv]\0\0[A-Z]{2}[\0-\xff]{32}", re.DOTALL)
#: The end of an account: the last letter of the program ``S2``, the realm, and the length of the name, less two.
#: A BattleTag follows: a name by the rules of Battle.net, and digits.
_ACCOUNT = re.compile(rb"2\0\0\0[\x01-\x09]([\x00-\x7f])(?=([^\x00-\x20]{5,64}))", re.DOTALL)
_BATTLE_TAG = re.compile(rb"[^#\x7f]{2,48}#[0-9]{3,7}", re.DOTALL)
_SHORTEST_TAG = 2


@dataclass(frozen=True, slots=True)
class BattleLobby:
    """The known part of the member.

    Attributes:
        cache_paths: paths of the map and its mods in the cache of the player who saved the replay; they may
            contain that player's name.
        cache_handles: the same files, by type, region and SHA-256.
        attributes: number of settings of the lobby.
        more_handles: other files, in the order of the member: the server's additions to each.
        battle_tags: of everyone in the lobby, each once, in the order of the member. They are personal data.
        size: of the member, in bytes.
        rest: the raw bytes after the number of attributes, with `more_handles` and `battle_tags`.
        unread: number of its bytes that are neither.
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
    """Return BattleTags, with the number of times each occurs as the name of an account."""
    found: dict[bytes, int] = {}
    for match in _ACCOUNT.finditer(rest):
        tag = match[2][: match[1][0] + _SHORTEST_TAG]
        if len(tag) == match[1][0] + _SHORTEST_TAG and _BATTLE_TAG.fullmatch(tag):
            found[tag] = found.get(tag, 0) + 1
    return found


def read_battle_lobby(data: bytes) -> BattleLobby:
    """Decode the known part of the member.

    Raises:
        CorruptReplay, TruncatedReplay: its beginning does not fit the layout.
    """
    reader = BitPackedReader(data)
    paths = [reader.read_blob(_PATH_BITS) for _ in range(reader.read_int(_COUNT_BITS))]
    handles = tuple(_handle(reader) for _ in range(reader.read_int(_COUNT_BITS)))
    attributes = reader.read_int(_ATTRIBUTE_COUNT_BITS)
    rest = data[(reader.tell() + 7) >> 3 :]
    if not rest:
        raise TruncatedReplay("expected settings of the lobby after their number, found the end", offset=len(data))
    more = tuple(_HANDLE.findall(rest))
    tags = _battle_tags(rest)
    read = HANDLE_SIZE * len(more) + sum(len(tag) * count for tag, count in tags.items())
    texts, names = tuple(map(decode_text, paths)), tuple(map(decode_text, tags))
    return BattleLobby(texts, handles, attributes, more, names, len(data), rest, unread=len(rest) - read)
