"""A small ``replay.server.battlelobby``: as much of the people's records as `playhead.hots` reads."""

from __future__ import annotations

from tests.samples.blizzard import BitPackedWriter

#: Bits of a record of build 66977 or later that are zero here, up to the flags of the collection.
_ZEROS = (*[32] * 7, 15)
_PERSON_FLAGS = 4


def lobby_record(number: int, battle_tag: str, party: int | None) -> bytes:
    """Return the record of a person.

    Args:
        number: of the account.
        battle_tag: name and number.
        party: number of the party; None for a person alone.
    """
    writer = BitPackedWriter()
    for count in _ZEROS:
        writer.write_int(0, count)
    writer.write_bool(True)
    writer.write_int(0, _PERSON_FLAGS)
    writer.write_bool(party is not None)
    if party is not None:
        writer.write_int(party >> 32, 32)
        writer.write_int(party & 0xFFFFFFFF, 32)
    writer.write_bool(True)
    writer.write_blob(battle_tag.encode(), 7)
    return b"T:%d#123" % number + writer.to_bytes()
