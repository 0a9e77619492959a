"""``replay.server.battlelobby``: the people in the server's data about the lobby.

Blizzard has not documented the member; the community has analysed it (Heroes.StormReplayParser,
https://github.com/EugenPolyakov/HOTS_battlelobby). Each person has a record: a text ``T:number#number``, which
begins at a byte and is the account, then flags, the party, and the BattleTag, whose name is the one of the
details. Where the fields in between lie is known from build 51610 on; before, only the BattleTag is read. All
other bytes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import ReplayError
from playhead.runtime.records import dataclass

#: The account of a person, as the member names it.
_ACCOUNT = re.compile(rb"T:[0-9]{1,12}#[0-9]{1,6}")
#: No record is longer, in bytes.
_LONGEST = 1024
#: Bits from the account to the flags of the person's collection: numbers that are not understood.
_BEFORE_FLAGS = 6 + 2 + 25 * 8 + 24 + 7
#: The same once more, in games against computers.
_MORE_WITH_COMPUTERS = 64
_FLAG_COUNT_BITS = 12
#: Number of flags before that of the party (penalties, staff), by the first build.
_PERSON_FLAGS = {66977: 4, 61718: 3, 51610: 1}
_PARTY_BITS = 64
_TAG_LENGTH_BITS = 7


@dataclass(frozen=True, slots=True)
class LobbyPerson:
    """A person of the lobby.

    Attributes:
        battle_tag: name and number, as ``Needle#1234``. Personal data.
        party: number of the party, alike for all its people; None for a person alone, or if it is not known.
        party_known: the record could be read up to its end.
    """

    battle_tag: str
    party: int | None
    party_known: bool


def _party(data: bytes, start: int, tag: bytes, more: int, build: int) -> tuple[int | None, bool]:
    """Return the party of the record that continues at `start`, and whether the record has the tag at its end."""
    flags = next((count for first, count in _PERSON_FLAGS.items() if build >= first), None)
    if flags is None:
        return None, False
    reader = BitPackedReader(data)
    reader.seek(8 * start)
    try:
        reader.skip_bits(_BEFORE_FLAGS + more)
        if not reader.read_bool():
            reader.skip_bits(reader.read_int(_FLAG_COUNT_BITS))
            reader.read_bool()
        reader.skip_bits(flags)
        party = reader.read_wide_int(_PARTY_BITS) if reader.read_bool() else None
        has_tag = reader.read_bool()
        if has_tag and reader.read_blob(_TAG_LENGTH_BITS) == tag:
            return party, True
    except ReplayError:
        pass  # a record of an unknown layout, or a cut one
    return None, False


def _records(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each record continues after its account, and where it ends at the latest."""
    found = list(_ACCOUNT.finditer(data))
    for place, each in enumerate(found, 1):
        after = found[place].start() if place < len(found) else len(data)
        yield each.end(), min(after, each.end() + _LONGEST)


def read_people(
    data: bytes, names: Collection[str], *, build: int, with_computers: bool
) -> tuple[LobbyPerson, ...]:
    """Return the people of the lobby, in the order of the member, which is that of the lobby's users.

    Args:
        data: the member.
        names: of the people in the game.
        build: base build of the replay.
        with_computers: the mode is Cooperative.
    """
    known = b"|".join(re.escape(name.encode()) for name in sorted(names, key=len, reverse=True) if name)
    tag_of = re.compile(rb"(?:%s)#[0-9]{3,7}" % known)
    people: list[LobbyPerson] = []
    for start, end in _records(data) if known else ():
        tag = tag_of.search(data, start, end)
        if tag is not None:
            party, whole = _party(data, start, tag[0], _MORE_WITH_COMPUTERS if with_computers else 0, build)
            people.append(LobbyPerson(decode_text(tag[0]), party, whole))
    return tuple(people)


def users_of_people(people: Sequence[LobbyPerson], names: Mapping[int, str]) -> dict[int, LobbyPerson]:
    """Return the people by user id: by the name, and among people of one name in the order of the ids."""
    found: dict[int, LobbyPerson] = {}
    for person in people:
        name = person.battle_tag.rpartition("#")[0]
        user = next((user for user, held in sorted(names.items()) if held == name and user not in found), None)
        if user is not None:
            found[user] = person
    return found
